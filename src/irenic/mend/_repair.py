"""Contradictions out of a set: rules dropped, cut back, or split."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any, Final, Literal, NamedTuple, get_args

import numpy as np

from irenic.boxes import Boxes
from irenic.boxes.arrays import Floats, Ints
from irenic.budget import Budget, Meter
from irenic.errors import ConditionError, DataError, did_you_mean
from irenic.mend._changes import Change, Repair, because
from irenic.mend._drop import cheapest_cover
from irenic.mend._measure import Share
from irenic.mend._prove import out_of_budget
from irenic.mend._trim import Score, largest_free
from irenic.model.decision_table import DecisionTable, unordered
from irenic.model.literals import format_number
from irenic.model.overlap import Conflict, Overlap, Pairs
from irenic.model.region import Region
from irenic.model.rule import Rule, as_consequent
from irenic.model.ruleset import RuleSet
from irenic.model.space import Instances, first_text, to_list

How = Literal["drop", "trim", "split"]
# What a rule is worth at least, so that none is dropped for nothing.
_LEAST: Final = 1e-3


def repair(
    rules: RuleSet | DecisionTable,
    how: How = "drop",
    *,
    X: Any = None,
    y: Any = None,
    weights: Sequence[float] | None = None,
    budget: Budget | float | None = 30.0,
) -> Repair:
    """Return the rules without contradictions, and a list of what was changed and why.

    Parameters
    ----------
    rules : RuleSet or DecisionTable
        Of a table that is not ordered, the rules of a row are dropped together. Under UNIQUE
        overlaps of rows that agree go, too.
    how : {"drop", "trim", "split"}
        "drop": the rules that must go, so that what goes is worth the least; an exact optimum.
        "trim": the less valuable of two is cut back to the largest region that the others leave
        free. "split": just the overlap is cut away from it; what is left may take several rules.
    X, y : table and labels, optional
        A rule is worth the instances that it covers rightly less those that it covers wrongly,
        and "trim" keeps the region with the most instances of the rule's own consequent.
    weights : sequence of float, optional
        What each rule (each row of a table) is worth; greater than 0. Without it and without
        data, the weights of the rules count. Of equally valuable rules the first stays as it is.
    budget : Budget or float (seconds), optional
        30 s by default; for "drop" only the seconds count. When it is used up, "drop" and "trim"
        return the best that was found, with ``optimal=False`` (and "drop" with the bound);
        "split" raises BudgetError.

    Where several choices of rules to drop cost the same, later rules go rather than earlier ones.
    Of rules that are worth the same, "trim" and "split" keep the smaller one whole: an exception
    is cut out of a general rule.

    Examples
    --------
    >>> from irenic import Rule, RuleSet, repair
    >>> rules = RuleSet([Rule({"age": (0, 30)}, then="low"),
    ...                  Rule({"age": (28, 60)}, then="high"),
    ...                  Rule({"age": (20, 29)}, then="middle")])
    >>> repair(rules)
    <Repair by drop: 2 changes, cost 2 (the least there is)
      rule 2 (IF 28 <= age < 60 THEN high) is dropped: rule 1 says low where 28 <= age < 30, for
      example at age = 29
      rule 3 (IF 20 <= age < 29 THEN middle) is dropped: rule 1 says low where 20 <= age < 29,
      for example at age = 20>
    >>> repair(rules, "trim").rules
    <RuleSet: 3 rules, 1 feature>
      1. IF 0 <= age < 20 THEN low
      2. IF 29 <= age < 60 THEN high
      3. IF 20 <= age < 29 THEN middle
    """
    if how not in get_args(How):
        raise ConditionError(f"how is one of drop, trim, split, not {how!r}{_hint(how)}")
    table = _as_table(rules)
    data = _Data.of(table.rules, X, y)
    meter = Meter(budget)
    mended = _drop if how == "drop" else _cut
    result = mended(table, _values(table, data, weights), data, how, meter)
    # Of itself: it cannot fail unless there is a mistake in the library.
    if not result.rules.is_consistent:  # pragma: no cover
        raise AssertionError("the mended rules contradict each other; please report this")
    return result if isinstance(rules, DecisionTable) else replace(result, table=None)


def _hint(how: object) -> str:
    return did_you_mean(how, get_args(How)) if isinstance(how, str) else ""


def _as_table(rules: RuleSet | DecisionTable) -> DecisionTable:
    table = unordered(rules)
    if table.collects:
        raise ConditionError(
            f"under {table.hit_policy} all rules that hold count, so overlaps are intended and"
            " there is nothing to repair"
        )
    return table


class _Data(NamedTuple):
    """Labelled instances, if there are any."""

    instances: Instances
    labels: list[Hashable]
    right: Ints
    """How many instances with its consequent each rule covers."""
    wrong: Ints

    @classmethod
    def of(cls, rules: RuleSet, X: Any, y: Any) -> _Data | None:
        if X is None and y is None:
            return None
        if X is None or y is None:
            raise DataError("X and y go together: instances and their labels")
        instances = rules.space.encode(X)
        stats = rules.statistics(instances, y)
        labels = [as_consequent(label) for label in to_list(y)]
        column = {label: i for i, label in enumerate(stats.labels)}
        own = [column.get(rule_then, -1) for rule_then in rules.thens]
        right = [int(stats.mix[i, c]) if c >= 0 else 0 for i, c in enumerate(own)]
        counted = np.array(right, dtype=np.int64)
        return cls(instances, labels, counted, stats.support - counted)

    def of_class(self, then: Hashable) -> Instances:
        """Return the instances with a label."""
        return self.instances.take(np.array([label == then for label in self.labels], dtype=bool))


def _values(table: DecisionTable, data: _Data | None, weights: Sequence[float] | None) -> Floats:
    """Return what each row is worth."""
    rows = np.array(table.rows, dtype=np.intp)
    if weights is not None:
        return _given(weights, table.n_rows)
    each = np.asarray(table.rules.weights, dtype=np.float64)
    if data is not None:
        each = (data.right - data.wrong).astype(np.float64)
    total = np.zeros(table.n_rows)
    if data is None:  # the rules of a row share its weight
        np.maximum.at(total, rows, each)
    else:
        np.add.at(total, rows, each)
    if np.isinf(total).any():
        raise ConditionError("a rule's weight is infinite; give weights that are finite")
    return np.maximum(total, _LEAST)


def _given(weights: Sequence[float], n: int) -> Floats:
    try:
        is_text = first_text(weights) is not None
        values = np.empty(0) if is_text else np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.empty(0)
    if values.shape != (n,) or not (np.isfinite(values) & (values > 0)).all():
        raise ConditionError(f"weights are {n} finite numbers greater than 0, one a rule")
    return values


# --- drop


def _drop(
    table: DecisionTable,
    values: Floats,
    data: _Data | None,
    how: str,
    meter: Meter,
) -> Repair:
    rules, rows = table.rules, table.rows
    conflicts = _forbidden(table)
    of_rule = np.array(rows, dtype=np.intp)
    pairs = of_rule[conflicts.pairs] if len(conflicts) else np.empty((0, 2), dtype=np.intp)
    cover = cheapest_cover(np.unique(np.sort(pairs, axis=1), axis=0), values, meter)
    gone = set(cover.places)
    reasons: dict[int, list[int]] = {}
    against: dict[int, set[int]] = {}
    for place, (a, b) in enumerate(pairs.tolist()):
        for row, other in ((a, b), (b, a)):
            if row in gone and other not in gone:
                reasons.setdefault(row, []).append(place)
                against.setdefault(row, set()).add(other)
    changes = []
    for row in sorted(gone):
        before = tuple(rules[i] for i in table.places(row))
        shown = f"rule {row + 1} ({before[0]}{_more(before)})"
        why = because([conflicts[place] for place in reasons[row][:_MOST_REASONS]], row, rows)
        text = f"{shown} is dropped: {why}{_worth(values[row], data)}"
        changes.append(Change("dropped", row, before, (), tuple(sorted(against[row])), text))
    kept = [i for i, row in enumerate(rows) if row not in gone]
    left = rules[kept]
    new_table = _renumbered(table, left, [rows[i] for i in kept], gone)
    return Repair(left, changes, how, cover.cost, cover.bound, cover.optimal, new_table)


# More are not named: there can be millions.
_MOST_REASONS: Final = 10


def _forbidden(table: DecisionTable) -> Pairs[Any]:
    """Return the pairs of rules that may not stay: under UNIQUE also those that agree."""
    found = table.rules.conflicts()
    if table.hit_policy != "UNIQUE":
        return found
    agreeing = table.rules.overlaps().pairs
    rows = np.array(table.rows, dtype=np.intp)[agreeing]
    apart = agreeing[rows[:, 0] != rows[:, 1]]  # rules of one row stay together
    return Pairs(Overlap, table.rules, np.vstack((found.pairs, apart)))


def _more(rules: Sequence[Rule]) -> str:
    return f", and {len(rules) - 1} more" if len(rules) > 1 else ""


def _worth(value: float, data: _Data | None) -> str:
    if data is None:
        return ""
    return f"; on the data it is worth {format_number(round(float(value), 3))}"


def _against(conflicts: Sequence[Overlap], rows: Sequence[int], row: int) -> tuple[int, ...]:
    found = {rows[place] for c in conflicts for place in (c.first, c.second)}
    return tuple(sorted(found - {row}))


def _renumbered(
    table: DecisionTable, rules: RuleSet, rows: Sequence[int], gone: set[int]
) -> DecisionTable:
    """Return the table of the rules that are left, rows counted anew."""
    left = [row for row in range(table.n_rows) if row not in gone]
    number = {row: i for i, row in enumerate(left)}
    lines = tuple(table.lines[row] for row in left) if table.lines else ()
    made = tuple(number[row] for row in rows)
    new_table = replace(table, rules=rules, rows=made, n_rows=len(left), lines=lines)
    return new_table.renumbered(number)


# --- trim and split


def _cut(
    table: DecisionTable,
    values: Floats,
    data: _Data | None,
    how: str,
    meter: Meter,
) -> Repair:
    """Cut back what contradicts a more valuable rule, or a smaller one that is worth as much."""
    rules, rows = table.rules, table.rows
    boxes, thens = rules.boxes, rules.thens
    # of rules worth the same the smaller stays whole: an exception is cut out of a general rule
    sizes = Share(Boxes.whole(rules.space), boxes).of(boxes).round(12)
    order = sorted(range(len(rules)), key=lambda i: (-values[rows[i]], sizes[i], i))
    kept = _Kept(table, boxes, thens)
    changes: list[tuple[int, Change]] = []
    proved = True
    for i in order:
        box = boxes.take([i])
        rivals, places = kept.rivals(box, i)
        if not len(places):
            kept.put(i, box, (rules[i],))
            continue
        if how == "trim":
            own = None if data is None else data.of_class(thens[i])
            free = largest_free(box, rivals, _scores(boxes, i, own), meter)
            left, proved = free.box, proved and free.proved
        else:
            left = box.subtract(rivals, meter)
            if meter.stopped_by is not None:
                raise out_of_budget("splitting the rules", meter)
        after = tuple(
            Rule(Region.from_box(part), then=thens[i], weight=rules[i].weight) for part in left
        )
        kept.put(i, left, after)
        changes.append((i, _change(table, i, kept.conflicts(i, places), after, left, how)))
    made = [rule for i in range(len(rules)) for rule in kept.made[i]]
    mended = RuleSet(made, rules.space, default=rules.default)
    new_rows = [rows[i] for i in range(len(rules)) for _ in kept.made[i]]
    gone = set(range(table.n_rows)) - set(new_rows) - set(table.never_hold)
    new_table = _renumbered(table, mended, new_rows, gone)
    told = [change for _, change in sorted(changes, key=lambda pair: pair[0])]
    return Repair(mended, told, how, None, None, proved, new_table)


class _Kept:
    """The rules that are kept so far, whole or in part."""

    def __init__(self, table: DecisionTable, boxes: Boxes, thens: list[Hashable]) -> None:
        self._rules = table.rules
        # under UNIQUE all other rows are rivals, whatever they say
        self._sides: Sequence[Hashable] = table.rows if table.hit_policy == "UNIQUE" else thens
        self._whole = boxes
        self.made: dict[int, tuple[Rule, ...]] = {}
        self._boxes: dict[int, Boxes] = {}

    def put(self, i: int, boxes: Boxes, rules: tuple[Rule, ...]) -> None:
        """Keep what is left of rule ``i``."""
        self.made[i], self._boxes[i] = rules, boxes

    def rivals(self, box: Boxes, i: int) -> tuple[Boxes, list[int]]:
        """Return what is kept of rule ``i``'s rivals and meets a box, and of which rules it is."""
        near = np.flatnonzero(self._whole.meeting(box)).tolist()
        found, places = [], []
        for j in near:
            if j in self._boxes and self._sides[j] != self._sides[i]:
                part = self._boxes[j]
                part = part.take(part.meeting(box))
                if len(part):
                    found.append(part)
                    places.append(j)
        return Boxes.none(box.space).concat(*found), places

    def conflicts(self, i: int, places: list[int]) -> list[Conflict]:
        """Return how rule ``i`` contradicts what is kept of the rules at some places."""
        rule = self._rules[i]
        parts = (
            next(part for part in self.made[j] if part.region.overlaps(rule.region)) for j in places
        )
        pairs = zip(places, parts, strict=True)
        return [Conflict(i, j, (rule, part)) for j, part in pairs]


def _scores(boxes: Boxes, i: int, own: Instances | None) -> Any:
    """Return how boxes inside rule ``i`` are scored: instances of its own, then size."""
    share = Share(boxes.take([i]), boxes)

    def scores(some: Boxes) -> list[Score]:
        sizes = share.of(some).tolist()
        if own is None:
            return [(size,) for size in sizes]
        return [
            (float(Region.from_box(box).contains(own).sum()), size)
            for box, size in zip(some, sizes, strict=True)
        ]

    return scores


def _change(
    table: DecisionTable,
    i: int,
    conflicts: list[Conflict],
    after: tuple[Rule, ...],
    left: Boxes,
    how: str,
) -> Change:
    rules, rows = table.rules, table.rows
    row, rule = rows[i], rules[i]
    why = because(conflicts, row, rows)
    against = _against(conflicts, rows, row)
    if not after:
        text = f"rule {row + 1} ({rule}) is dropped, since nothing of it is left: {why}"
        return Change("dropped", row, (rule,), (), against, text)
    if len(after) == 1:
        size = Share(rule.region.box.simplified(), rules.boxes).of(left)[0]
        part = f" ({size:.0%} of it)" if how == "trim" and 0.01 <= size < 0.995 else ""
        text = f"rule {row + 1} ({rule}) now holds only where {after[0].region}{part}: {why}"
        return Change("trimmed", row, (rule,), after, against, text)
    some = "; ".join(f"where {r.region}" for r in after[:3])
    more = f"; and {len(after) - 3} more" if len(after) > 3 else ""
    text = f"rule {row + 1} ({rule}) becomes {len(after)} rules, {some}{more}: {why}"
    return Change("split", row, (rule,), after, against, text)
