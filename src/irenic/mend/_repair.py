"""Remove contradictions from a set by dropping, trimming or splitting rules."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any, Final, Literal, get_args

import numpy as np

from irenic.arrays import Floats, Ints
from irenic.boxes import Boxes
from irenic.budget import Budget, Meter, out_of_budget
from irenic.errors import ConditionError, did_you_mean
from irenic.mend._cases import LabeledCases
from irenic.mend._changes import Change, Repair, because
from irenic.mend._drop import cheapest_cover
from irenic.mend._measure import Extent
from irenic.mend._trim import Score, largest_free
from irenic.model.decision_table import DecisionTable, unordered
from irenic.model.head import agreements, contradicts
from irenic.model.literals import format_number
from irenic.model.overlap import Conflict, Overlap, Pairs
from irenic.model.region import Region
from irenic.model.rule import Rule
from irenic.model.ruleset import RuleSet
from irenic.model.space import Instances, first_text

How = Literal["drop", "trim", "split"]
# The minimum value of a rule, so that none is dropped without a cost.
_MIN_VALUE: Final = 1e-3
# More conflicts are not mentioned in the reason for a change: there can be millions.
_REASON_LIMIT: Final = 10
# More regions that a repair uncovers are not listed.
_OPENED_LIMIT: Final = 1_000


def repair(
    rules: RuleSet | DecisionTable,
    how: How = "drop",
    *,
    X: Any = None,
    y: Any = None,
    weights: Sequence[float] | None = None,
    budget: Budget | float | None = 30.0,
) -> Repair:
    """Remove contradictions from rules, and list what was changed and why.

    Parameters
    ----------
    rules : RuleSet or DecisionTable
        The rules. A table must not be ordered; the rules of a row are dropped together. Under
        UNIQUE, overlaps of rows that agree are removed as well.
    how : {"drop", "trim", "split"}, default "drop"
        "drop" removes the rules with the smallest total value. "trim" reduces the less valuable of
        two rules to the largest region without contradictions. "split" removes just the overlap
        from it, so that several rules may remain. Overlaps in which no case can occur are no
        contradictions; see :class:`Space`.
    X : table, optional
        Instances to value the rules by: those that a rule predicts correctly minus the others.
        "trim" then keeps the region with the most instances of the consequent of the rule.
    y : sequence of hashable, optional
        The labels of the instances; required with ``X``.
    weights : sequence of float, optional
        Positive value of each rule, or of each row of a table (default: from ``X`` and ``y``, or
        else the weights of the rules).
    budget : Budget or float (seconds), default 30 seconds
        When it is used up, "drop" and "trim" return the best result so far, with
        ``optimal=False``, and "split" raises an error. For "drop", only the seconds count.

    Returns
    -------
    Repair

    Raises
    ------
    ConditionError
        If ``how`` or ``weights`` are invalid, or a table is ordered or allows overlaps.
    DataError
        If only one of ``X`` and ``y`` is given, or their lengths differ.
    BudgetError
        If the budget of "split" is used up.

    Notes
    -----
    If several choices of rules to drop have the same cost, later rules are dropped. Of rules with
    the same value, "trim" and "split" keep the smaller one unchanged, so that an exception is cut
    out of a general rule.

    Examples
    --------
    >>> from irenic import Rule, RuleSet, repair
    >>> rules = RuleSet([Rule({"age": (0, 30)}, then="low"),
    ...                  Rule({"age": (28, 60)}, then="high"),
    ...                  Rule({"age": (20, 29)}, then="middle")])
    >>> repair(rules)
    <Repair by drop: 2 changes, cost 2 (optimal)
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
        raise ConditionError(f"how must be one of drop, trim, split, got {how!r}{_hint(how)}")
    table = _as_table(rules)
    data = LabeledCases.from_table(table.space, X, y)
    meter = Meter(budget)
    mend = _drop if how == "drop" else _cut
    result = mend(table, _values(table, data, weights), data, how, meter)
    # Only a bug in the library could make this fail.
    if not result.rules.is_consistent:  # pragma: no cover
        raise AssertionError("the repaired rules contradict each other; please report this")
    result = replace(result, opened=_opened(table, result))
    return result if isinstance(rules, DecisionTable) else replace(result, table=None)


def _opened(table: DecisionTable, result: Repair) -> tuple[Region, ...]:
    """Return the regions of changed rules that no remaining rule covers, which can occur."""
    covered = result.rules.boxes.concat(table.space.impossible_boxes)
    meter = Meter(Budget(regions=_OPENED_LIMIT, nodes=100 * _OPENED_LIMIT))
    opened = Boxes.none(table.space)
    for rule in (rule for change in result.changes for rule in change.before):
        if meter.stopped_by is not None:
            break
        box = rule.region.box.simplified()
        opened = opened.concat(box.subtract(covered.concat(opened), meter))
    return tuple(Region.from_box(box) for box in opened)


def _hint(how: object) -> str:
    return did_you_mean(how, get_args(How)) if isinstance(how, str) else ""


def _as_table(rules: RuleSet | DecisionTable) -> DecisionTable:
    table = unordered(rules)
    if table.collects:
        raise ConditionError(
            f"under {table.hit_policy}, all rules that apply count, so overlaps are intended and"
            " there is nothing to repair"
        )
    return table


def _values(
    table: DecisionTable, data: LabeledCases | None, weights: Sequence[float] | None
) -> Floats:
    """Return the value of each row."""
    if weights is not None:
        return _checked(weights, table.n_rows)
    rows = np.array(table.rows, dtype=np.intp)
    values = np.zeros(table.n_rows)
    if data is None:  # all rules of a row have the weight of the row
        np.maximum.at(values, rows, np.asarray(table.rules.weights, dtype=np.float64))
    else:
        stats = table.rules.statistics(data.instances, data.labels)
        correct = (stats.mix * agreements(table.rules.thens, stats.labels)).sum(axis=1)
        np.add.at(values, rows, (2 * correct - stats.support).astype(np.float64))
    if np.isinf(values).any():
        raise ConditionError("weights of rules must be finite; pass finite weights")
    return np.maximum(values, _MIN_VALUE)


def _checked(weights: Sequence[float], n: int) -> Floats:
    try:
        is_text = first_text(weights) is not None
        values = np.empty(0) if is_text else np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.empty(0)
    if values.shape != (n,) or not (np.isfinite(values) & (values > 0)).all():
        raise ConditionError(f"weights must be {n} finite positive numbers, one per rule")
    return values


# --- drop


def _drop(
    table: DecisionTable,
    values: Floats,
    data: LabeledCases | None,
    how: str,
    meter: Meter,
) -> Repair:
    rules, rows = table.rules, table.rows
    conflicts = _forbidden(table)
    row_of = np.array(rows, dtype=np.intp)
    pairs = row_of[conflicts.pairs] if len(conflicts) else np.empty((0, 2), dtype=np.intp)
    cover = cheapest_cover(np.unique(np.sort(pairs, axis=1), axis=0), values, meter)
    dropped = set(cover.places)
    reasons: dict[int, list[int]] = {}
    against: dict[int, set[int]] = {}
    for pair, (a, b) in enumerate(pairs.tolist()):
        for row, other in ((a, b), (b, a)):
            if row in dropped and other not in dropped:
                reasons.setdefault(row, []).append(pair)
                against.setdefault(row, set()).add(other)
    changes = []
    for row in sorted(dropped):
        before = tuple(rules[i] for i in table.places(row))
        shown = f"rule {row + 1} ({before[0]}{_more(before)})"
        why = because([conflicts[pair] for pair in reasons[row][:_REASON_LIMIT]], row, rows)
        text = f"{shown} is dropped: {why}{_value_text(values[row], data)}"
        changes.append(Change("dropped", row, before, (), tuple(sorted(against[row])), text))
    kept = [i for i, row in enumerate(rows) if row not in dropped]
    remaining = rules[kept]
    new_table = _renumbered(table, remaining, [rows[i] for i in kept], dropped)
    return Repair(remaining, changes, how, cover.cost, cover.bound, cover.optimal, new_table)


def _forbidden(table: DecisionTable) -> Pairs[Any]:
    """Return the pairs of rules that must not overlap: conflicts, under UNIQUE all overlaps."""
    conflicts = table.rules.conflicts()
    if table.hit_policy != "UNIQUE":
        return conflicts
    agreeing = table.rules.overlaps().pairs
    rows = np.array(table.rows, dtype=np.intp)[agreeing]
    agreeing = agreeing[rows[:, 0] != rows[:, 1]]  # rules of one row may overlap
    return Pairs(Overlap, table.rules, np.vstack((conflicts.pairs, agreeing)))


def _more(rules: Sequence[Rule]) -> str:
    return f", and {len(rules) - 1} more" if len(rules) > 1 else ""


def _value_text(value: float, data: LabeledCases | None) -> str:
    if data is None:
        return ""
    return f"; its value on the data is {format_number(round(float(value), 3))}"


def _against(conflicts: Sequence[Overlap], rows: Sequence[int], row: int) -> tuple[int, ...]:
    others = {rows[rule] for c in conflicts for rule in (c.first, c.second)}
    return tuple(sorted(others - {row}))


def _renumbered(
    table: DecisionTable, rules: RuleSet, rows: Sequence[int], dropped: set[int]
) -> DecisionTable:
    """Return a table of the remaining rules with renumbered rows."""
    remaining = [row for row in range(table.n_rows) if row not in dropped]
    number = {row: i for i, row in enumerate(remaining)}
    new_rows = tuple(number[row] for row in rows)
    provenance = table.provenance.renumbered(number, len(number))
    return replace(table, rules=rules, rows=new_rows, n_rows=len(number), provenance=provenance)


# --- trim and split


def _cut(
    table: DecisionTable,
    values: Floats,
    data: LabeledCases | None,
    how: str,
    meter: Meter,
) -> Repair:
    """Trim or split each rule that contradicts a more valuable one, or a smaller one on a tie."""
    rules, rows = table.rules, table.rows
    boxes, thens = rules.boxes, rules.thens
    # On a tie, the smaller rule stays unchanged: an exception is cut out of a general rule.
    sizes = Extent(Boxes.whole(rules.space), boxes).of(boxes).round(12)
    order = sorted(range(len(rules)), key=lambda i: (-values[rows[i]], sizes[i], i))
    kept = _Kept(table, boxes, thens)
    changes: list[tuple[int, Change]] = []
    proved = True
    for i in order:
        box = boxes.take([i])
        possible = _possible(box)
        rivals = kept.rivals(possible, i)
        if not rivals:
            kept.put(i, box, (rules[i],))
            continue
        against = kept.parts(rivals)
        if how == "trim":
            own = None if data is None else data.of_class(thens[i])
            against = against.take([]).concat(*(against & part for part in possible))
            free = largest_free(box, against, _scores(boxes, i, possible, own), meter)
            parts, proved = free.box, proved and free.proved
        else:
            parts = box.subtract(against, meter)
            if meter.stopped_by is not None:
                raise out_of_budget("splitting the rules", meter)
        if rules.space.impossible:  # no rule is left where no case can occur
            parts = parts.take(parts.meet_any(possible))
        weight = float(rules.weights[i])
        after = tuple(Rule(Region.from_box(part), then=thens[i], weight=weight) for part in parts)
        kept.put(i, parts, after)
        conflicts = kept.conflicts(i, rivals)
        changes.append((i, _change(table, i, conflicts, after, parts, how)))
    new_rules = [rule for i in range(len(rules)) for rule in kept.rules[i]]
    repaired = RuleSet(new_rules, rules.space, default=rules.default)
    new_rows = [rows[i] for i in range(len(rules)) for _ in kept.rules[i]]
    dropped = set(range(table.n_rows)) - set(new_rows) - set(table.never_hold)
    new_table = _renumbered(table, repaired, new_rows, dropped)
    in_order = [change for _, change in sorted(changes, key=lambda pair: pair[0])]
    return Repair(repaired, in_order, how, None, None, proved, new_table)


class _Kept:
    """The rules kept so far, unchanged or reduced."""

    def __init__(self, table: DecisionTable, boxes: Boxes, thens: list[Hashable]) -> None:
        self._old = table.rules
        # Under UNIQUE, all other rows are rivals, even if they agree.
        self._sides: Sequence[Hashable] = table.rows if table.hit_policy == "UNIQUE" else thens
        self._old_boxes = boxes
        self.rules: dict[int, tuple[Rule, ...]] = {}
        self._boxes: dict[int, Boxes] = {}

    def put(self, i: int, boxes: Boxes, rules: tuple[Rule, ...]) -> None:
        """Keep what remains of rule ``i``."""
        self.rules[i], self._boxes[i] = rules, boxes

    def rivals(self, possible: Boxes, i: int) -> dict[int, Ints]:
        """Return which kept parts of rivals of rule ``i`` overlap boxes, by rival."""
        rivals: dict[int, Ints] = {}
        if not len(possible):
            return rivals
        for j in np.flatnonzero(self._old_boxes.meeting(possible.hull())).tolist():
            if j in self._boxes and contradicts(self._sides[j], self._sides[i]):
                rows = np.flatnonzero(self._boxes[j].meet_any(possible))
                if len(rows):
                    rivals[j] = rows
        return rivals

    def parts(self, rivals: dict[int, Ints]) -> Boxes:
        """Return some kept parts of rivals."""
        parts = [self._boxes[j].take(rows) for j, rows in rivals.items()]
        return parts[0].concat(*parts[1:])

    def conflicts(self, i: int, rivals: dict[int, Ints]) -> list[Conflict]:
        """Return the conflicts of rule ``i`` with the first of the parts of each rival."""
        rule = self._old[i]
        return [Conflict(i, j, (rule, self.rules[j][rows[0]])) for j, rows in rivals.items()]


def _possible(box: Boxes) -> Boxes:
    """Return the part of a box in which cases can occur, as disjoint boxes."""
    excluded = box.space.impossible_boxes
    return box.subtract(excluded) if excluded.meeting(box).any() else box


def _scores(boxes: Boxes, i: int, possible: Boxes, own: Instances | None) -> Any:
    """Return a function that scores boxes inside rule ``i`` by its own instances, then by size.

    The size of a box is that of its part in ``possible``, which is the possible part of the rule.
    """
    share = Extent(boxes.take([i]), boxes)

    def scores(candidates: Boxes) -> list[Score]:
        if boxes.space.impossible:
            sizes = [float(share.of(possible & box).sum()) for box in candidates]
        else:
            sizes = share.of(candidates).tolist()
        if own is None:
            return [(size,) for size in sizes]
        return [
            (float(Region.from_box(box).contains(own).sum()), size)
            for box, size in zip(candidates, sizes, strict=True)
        ]

    return scores


def _change(
    table: DecisionTable,
    i: int,
    conflicts: list[Conflict],
    after: tuple[Rule, ...],
    parts: Boxes,
    how: str,
) -> Change:
    rules, rows = table.rules, table.rows
    row, rule = rows[i], rules[i]
    why = because(conflicts, row, rows)
    against = _against(conflicts, rows, row)
    if not after:
        text = f"rule {row + 1} ({rule}) is dropped because nothing of it remains: {why}"
        return Change("dropped", row, (rule,), (), against, text)
    if len(after) == 1:
        size = Extent(rule.region.box.simplified(), rules.boxes).of(parts)[0]
        percent = f" ({size:.0%} of it)" if how == "trim" and 0.01 <= size < 0.995 else ""
        text = f"rule {row + 1} ({rule}) now applies only where {after[0].region}{percent}: {why}"
        return Change("trimmed", row, (rule,), after, against, text)
    regions = "; ".join(f"where {r.region}" for r in after[:3])
    more = f"; and {len(after) - 3} more" if len(after) > 3 else ""
    text = f"rule {row + 1} ({rule}) is split into {len(after)} rules, {regions}{more}: {why}"
    return Change("split", row, (rule,), after, against, text)
