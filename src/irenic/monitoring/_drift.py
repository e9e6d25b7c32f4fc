"""New rows compared with those that a model was learned from."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, TypeAlias

import numpy as np

from irenic.arrays import Bools, Floats
from irenic.errors import ConditionError, DataError
from irenic.model.columns import take_apart
from irenic.model.features import Continuous
from irenic.model.literals import Probabilities, display, is_missing, plain
from irenic.model.space import Instances, Space, column_values, to_list
from irenic.monitoring._shares import Share, adjusted, chance, decided_rows, difference, only_tested

ShiftKind: TypeAlias = Literal["rule", "default", "missing", "range", "unseen", "confidence"]

_LEVEL: Final = 0.05
_LISTED: Final = 5


@dataclass(frozen=True)
class Shift:
    """A share of rows, in training and now.

    Parameters
    ----------
    kind : {"rule", "default", "missing", "range", "unseen", "confidence"}
        Rows that a rule covers, that no rule covers, that miss a value, whose value is beyond those
        of the training rows, whose category is not among them, or that a rule is right for.
    rule : int or None
        Index of the rule; None for the default.
    column : str
        The column, or "".
    before, now : Share
        The shares. The confidence before is a cautious estimate from rows left out, which counts as
        one from half of the training rows; only a lower one counts as changed.
    p : float
        How likely a difference of this size is if nothing changed: Fisher's exact test, adjusted
        for all that is compared (Holm).

    Examples
    --------
    >>> from irenic.monitoring import Share, Shift
    >>> shift = Shift("rule", 0, "", Share(10, 100), Share(30, 100), p=0.001)
    >>> print(shift)
    rule 1 covers 30.0 % of the rows, in training 10.0 % (difference 9.0 to 30.6 points)
    >>> shift.changed
    True
    """

    kind: ShiftKind
    rule: int | None
    column: str
    before: Share
    now: Share
    p: float = 1.0

    @property
    def changed(self) -> bool:
        """Whether the shares differ by more than chance explains (p below 0.05)."""
        return self.p < _LEVEL

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the difference."""
        return difference(self.before, self.now)[1:]

    def __str__(self) -> str:
        low, high = self.interval
        size = f"difference {100 * low:.1f} to {100 * high:.1f} points"
        before = "expected" if self.kind == "confidence" else "in training"
        return f"{self._what()}, {before} {_percent(self.before)} ({size})"

    def _what(self) -> str:
        now = _percent(self.now)
        by = "the default" if self.rule is None else f"rule {self.rule + 1}"
        return {
            "rule": f"{by} covers {now} of the rows",
            "default": f"no rule covers {now} of the rows",
            "missing": f"{display(self.column)} is missing in {now} of the rows",
            "range": f"{display(self.column)} is beyond the training range in {now} of the rows",
            "unseen": f"{display(self.column)} has unlisted values in {now} of the rows",
            "confidence": f"{by} is right for {now} of its rows",
        }[self.kind]


def _percent(share: Share) -> str:
    return f"{100 * share.share:.1f} %" if share.of else "none"


@dataclass(frozen=True)
class Drift:
    """New rows compared with the training rows of a model.

    Parameters
    ----------
    rows : int
        Number of new rows.
    shifts : tuple of Shift
        The shares that were compared: rules first, then the default and columns.
    unseen : mapping of str to mapping of hashable to int
        The most frequent values of each category that the training rows do not have, with their
        numbers of rows.
    beyond : mapping of str to (str, str)
        For each column with values beyond the training range, the range and these values in
        words.
    accuracy : Share or None
        The share of rows that are decided as labeled; None without labels.

    Examples
    --------
    >>> from irenic import RuleSetClassifier
    >>> from irenic.monitoring import drift
    >>> X, y = {"age": range(40)}, ["free"] * 18 + ["full"] * 22
    >>> clf = RuleSetClassifier(generations=1, moves=50, random_state=0).fit(X, y)
    >>> now = drift(clf, {"age": [30, 50, 60, 70] * 10})
    >>> now.changed
    True
    >>> print(now.shifts[0])
    rule 1 covers 0.0 % of the rows, in training 45.0 % (difference -60.2 to -28.2 points)
    """

    rows: int
    shifts: tuple[Shift, ...]
    unseen: Mapping[str, Mapping[Any, int]]
    beyond: Mapping[str, tuple[str, str]]
    accuracy: Share | None = None

    @property
    def changed(self) -> bool:
        """Whether any share differs by more than chance explains."""
        return any(shift.changed for shift in self.shifts)


def drift(model: Any, X: Any, y: Any = None) -> Drift:
    """Compare new rows with those that a model was learned from.

    Which rules cover more or fewer rows, how many rows are left to the default, which columns miss
    more values, have values beyond the training range or categories that are new, and with labels,
    which rules are right less often.

    Parameters
    ----------
    model : fitted classifier
        For rules that were not learned, use :func:`irenic.learn.from_rules`.
    X : table
        New rows; only columns that rules test are needed.
    y : sequence, optional
        The true labels of the rows, one each.

    Returns
    -------
    Drift

    Raises
    ------
    ConditionError
        If ``model`` has no counts of training rows, or ``y`` is given although rules predict
        probabilities.
    DataError
        If the rows do not fit the model, or there are none.

    Examples
    --------
    >>> from irenic import RuleSetClassifier
    >>> from irenic.monitoring import drift
    >>> X, y = {"age": range(40)}, ["free"] * 18 + ["full"] * 22
    >>> clf = RuleSetClassifier(generations=1, moves=50, random_state=0).fit(X, y)
    >>> drift(clf, X).changed
    False
    """
    point = getattr(model, "chosen_", None)
    if point is None or point.columns is None or point.n_rows is None:
        raise ConditionError(
            "model must be a fitted classifier with counts of its training rows, got"
            f" {type(model).__name__}; irenic.learn.from_rules(rules, X, y) makes one"
        )
    rules = model.rules_
    table = only_tested(model, X)
    instances = rules.space.encode(table)
    n = len(instances)
    if not n:
        raise DataError("X must have at least one row, got none")
    covers = rules.covering(instances)
    before = [Share(int(k), point.n_rows) for k in point.counts.support.tolist()]
    left = ~covers.any(axis=1)
    now = [Share(int(k), n) for k in (*covers.sum(axis=0), left.sum())]
    shifts = [Shift("rule", i, "", before[i], now[i]) for i in range(len(rules))]
    shifts.append(Shift("default", None, "", before[-1], now[-1]))
    accuracy = None
    if y is not None and any(isinstance(then, Probabilities) for then in rules.thens):
        raise ConditionError("y must be None, because the rules predict probabilities, not labels")
    if y is not None:
        labels = _labels(y, n)
        shifts += _confidences(model, [*covers.T, left], labels)
        codes, outcomes, _ = decided_rows(model, X)
        accuracy = Share(sum(outcomes[c] == t for c, t in zip(codes, labels, strict=True)), n)
    columns = _ColumnShifts(point, rules.space, instances, table)
    shifts += columns.shifts
    chances = adjusted([_chance(shift) for shift in shifts])
    tested = tuple(replace(s, p=p) for s, p in zip(shifts, chances, strict=True))
    return Drift(n, tested, columns.unseen, columns.beyond, accuracy)


class _ColumnShifts:
    """The values of new rows, compared with those of the training rows."""

    def __init__(self, point: Any, space: Space, instances: Instances, table: Any) -> None:
        self.n_before = point.n_rows
        self.shifts: list[Shift] = []
        self.unseen: dict[str, dict[Any, int]] = {}
        self.beyond: dict[str, tuple[str, str]] = {}
        for name, figures in point.columns.items():
            feature, row = space[name], space.row(name)
            if isinstance(feature, Continuous):
                missing = self._range(feature, figures, instances.values[row])
            else:
                codes = instances.codes[row]
                missing, other = codes == 0, codes == 1
                self._add("unseen", name, figures.other, other)
                if other.any():
                    place = space.names.index(name)
                    self.unseen[name] = _most_frequent(table, place, name, other)
            self._add("missing", name, figures.missing, missing)

    def _add(self, kind: ShiftKind, name: str, before: int, now: Bools) -> None:
        self.shifts.append(Shift(kind, None, name, Share(before, self.n_before), _share(now)))

    def _range(self, feature: Continuous, figures: Any, values: Floats) -> Bools:
        """Compare numbers with the range of the training rows, and return which are missing."""
        missing: Bools = values == -np.inf
        ends = (np.inf, -np.inf) if figures.low is None else (figures.low, figures.high)
        out = ~missing & ((values < ends[0]) | (values > ends[1]))
        # one training row each is below and above all others
        self._add("range", feature.name, 2, out)
        if out.any():
            self.beyond[feature.name] = _ends(feature, figures, values[out])
        return missing


def _chance(shift: Shift) -> float:
    """Return how likely a difference is; a rule that is right more often is no reason to worry."""
    if shift.kind == "confidence" and shift.now.share >= shift.before.share:
        return 1.0
    return chance(shift.before, shift.now)


def _share(holds: Any) -> Share:
    return Share(int(np.count_nonzero(holds)), len(holds))


def _labels(y: Any, n: int) -> list[Any]:
    labels = column_values(y, "y", n, "label per row")
    return [None if is_missing(value) else plain(value) for value in labels]


def _confidences(model: Any, covers: list[Any], labels: list[Any]) -> list[Shift]:
    """Return how often each rule, and the default, was and is right."""
    counts, rules = model.chosen_.counts, model.rules_
    shifts = []
    for place, (covered, then) in enumerate(
        zip(covers, (*rules.thens, rules.default), strict=True)
    ):
        share = float(counts.confidence[place])
        if then is None or math.isnan(share) or isinstance(then, frozenset) or rules.is_partial:
            continue
        rows = np.flatnonzero(covered).tolist()
        half = max(1, round(float(counts.support[place]) / 2))
        before = Share(round(share * half), half)
        now = Share(sum(labels[row] == then for row in rows), len(rows))
        if rows:
            rule = place if place < len(rules) else None
            shifts.append(Shift("confidence", rule, "", before, now))
    return shifts


def _ends(feature: Continuous, figures: Any, out: Any) -> tuple[str, str]:
    """Return the training range and the range of the values beyond it, in words."""

    def text(value: float) -> str:
        decoded = feature.decode_value(value)
        whole = isinstance(decoded, float) and decoded.is_integer() and abs(decoded) < 2**53
        return display(int(decoded) if whole else decoded)

    low, high = float(out.min()), float(out.max())
    values = text(low) if low == high else f"{text(low)} to {text(high)}"
    trained = "no value" if figures.low is None else f"{text(figures.low)} to {text(figures.high)}"
    return trained, values


def _most_frequent(table: Any, place: int, name: str, rows: Any) -> dict[Any, int]:
    """Return the most frequent values of a column in some rows, with their numbers of rows."""
    names, columns, _ = take_apart(table)
    values = to_list(columns[place if names is None else list(names).index(name)])
    counts: dict[Any, int] = {}
    for row in np.flatnonzero(rows).tolist():
        value = plain(values[row])
        counts[value] = counts.get(value, 0) + 1
    return dict(sorted(counts.items(), key=lambda item: (-item[1], str(item[0])))[:_LISTED])
