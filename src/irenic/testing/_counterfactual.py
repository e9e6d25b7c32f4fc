"""The smallest change of the values of a case that leads to another outcome."""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from irenic.boxes import Boxes
from irenic.budget import Budget, Meter
from irenic.errors import BudgetError, ConditionError, did_you_mean
from irenic.model.features import LOWEST, MISSING_CODE, Continuous
from irenic.model.literals import display, show_point
from irenic.model.region import Region, witness_among, witness_in
from irenic.model.space import Instances, Space
from irenic.proving import decided_text
from irenic.proving.question import (
    Outcomes,
    Rules,
    Side,
    as_table,
    combinations_of,
    decided_by,
)
from irenic.testing._cases import just_below
from irenic.testing._nearly import one_case


@dataclass(frozen=True)
class Alternative:
    """The smallest change of a case that leads to another outcome.

    Parameters
    ----------
    changes : mapping of str to (object, object)
        The old and the new value of each feature to change; empty if the case already has the
        outcome to reach.
    outcome : hashable or None
        The outcome after the change.
    rules : tuple of int
        Indices of the rules that then decide; empty if the default does, or nothing.

    Examples
    --------
    >>> from irenic import Rule, RuleSet
    >>> from irenic.testing import counterfactual
    >>> rules = RuleSet([Rule({"age": (None, 18)}, then="free")], default="full")
    >>> print(counterfactual(rules, {"age": 20}))
    free (rule 1) if age = 17.99 instead of 20
    """

    changes: Mapping[str, tuple[Any, Any]]
    outcome: Hashable | None
    rules: tuple[int, ...]

    def __str__(self) -> str:
        outcome: Any = self.outcome
        what = "no outcome" if outcome in (None, []) else decided_text(outcome, self.rules)
        if not self.changes:
            return f"{what} without a change"
        parts = [
            f"{show_point({name: new})} instead of {_shown(old)}"
            for name, (old, new) in self.changes.items()
        ]
        return f"{what} if {' and '.join(parts)}"


def _shown(value: Any) -> str:
    return show_point({"x": value}).removeprefix("x = ")


def counterfactual(
    rules: Rules,
    case: Any,
    outcome: Hashable | None = None,
    *,
    fixed: Iterable[str] = (),
    only_up: Iterable[str] = (),
    only_down: Iterable[str] = (),
    missing: bool = False,
    budget: Budget | float | None = None,
) -> Alternative | None:
    """Return the smallest change of a case that leads to another outcome.

    The fewest features change. Of several changes of as many features, the one that moves the
    values least is returned; each feature is measured by the range of its bounds in the rules (by
    its bound, if there is only one), and another value of a category counts 1.

    Parameters
    ----------
    rules : RuleSet, RuleList, DecisionTable or fitted classifier
        The rules.
    case : mapping, sequence, row or frame of one row, or Instances of length 1
        The values of the case.
    outcome : hashable, optional
        The outcome to reach (default: any other outcome). If rules that hold are listed, it must
        be the list, or one of its members.
    fixed : iterable of str
        Features that may not change.
    only_up, only_down : iterable of str
        Numbers and dates that may only rise, such as an age, or only fall; if missing, they stay
        missing.
    missing : bool, default False
        Whether values of the case may become missing.
    budget : Budget or float (seconds), optional
        Limit of the search (default: unlimited).

    Returns
    -------
    Alternative or None
        None if no change of the other features leads there; an alternative without changes if the
        case already has the outcome to reach.

    Raises
    ------
    ConditionError
        If the outcome or a feature is unknown, or if a category may only rise or fall.
    ConflictError
        If unordered rules contradict each other for this case.
    BudgetError
        If the budget was used up first.

    Examples
    --------
    >>> from irenic import Rule, RuleSet
    >>> from irenic.testing import counterfactual
    >>> rules = RuleSet([Rule({"age": (18, None), "debt": (None, 100)}, then="yes")], default="no")
    >>> case = {"age": 30, "debt": 250}
    >>> print(counterfactual(rules, case))
    yes (rule 1) if debt = 99.99 instead of 250
    >>> print(counterfactual(rules, case, "no"))
    no (by default) without a change
    >>> counterfactual(rules, case, fixed=["debt"]) is None
    True
    >>> counterfactual(rules, {"age": 17, "debt": 0}, only_down=["age"]) is None
    True
    """
    table = as_table(rules)
    outcomes = Outcomes()
    space = table.space
    point = one_case(space, case)
    side, code, rows = decided_by(table, point, outcomes)
    if side.together is None:
        wanted = _wanted(outcome, code, side, outcomes)
    elif not table.aggregation and not isinstance(outcome, list):
        _check_known(outcome, [*table.rules.thens, table.rules.default])
    fixed = [fixed] if isinstance(fixed, str) else fixed
    fixed_axes = {int(space.axes[space.index(name)]) for name in fixed}
    outside = table.space.impossible_boxes
    reach = _one_way(point, only_up, only_down) & _with_values(point, missing=missing)
    own = outcomes.values[code]
    if outcome is not None and _has(own, outcome):
        return Alternative({}, own, rows)

    def is_wanted(other: int) -> bool:
        return other != code and (outcome is None or _has(outcomes.values[other], outcome))

    tested = side.boxes.tests().any(axis=0) | outside.tests().any(axis=0)
    free = [axis for axis in np.flatnonzero(tested).tolist() if axis not in fixed_axes]
    meter = Meter(budget)
    for n_changed in range(1, len(free) + 1):
        best: tuple[float, Boxes] | None = None
        for axes in combinations(free, n_changed):
            meter.spent(nodes=1)
            line = _line(point, axes) & reach
            if side.together is None:
                pieces = _pieces(side, wanted, line, outside, meter)
            else:
                pieces = _combined_pieces(side, is_wanted, line, outside, meter)
            for piece in pieces:
                distance = _distance(side, point, piece, axes)
                if best is None or distance < best[0]:
                    best = distance, piece
            if meter.ran_out is not None:
                raise BudgetError(f"the search was stopped by {meter.ran_out}; try a longer one")
        if best is not None:
            return _alternative(side, outcomes, point, best[1], _whole(rules))
    return None


def _wanted(outcome: Any, code: int, side: Side, outcomes: Outcomes) -> set[int]:
    known = {*side.codes.tolist(), side.default}
    if outcome is None:
        return known - {code}
    _check_known(outcome, [outcomes.values[c] for c in sorted(known)])
    return {c for c in known if outcomes.values[c] == outcome} - {code}


def _check_known(outcome: Any, values: Iterable[Any]) -> None:
    known = [value for value in values if value is not None]
    if outcome is not None and outcome not in known:
        hint = did_you_mean(display(outcome), map(display, known))
        raise ConditionError(f"no rule has the outcome {display(outcome)}{hint}")


def _one_way(point: Instances, only_up: Iterable[str], only_down: Iterable[str]) -> Boxes:
    """Return the cases whose features differ from those of a case only as they may."""
    space = point.space
    box = Boxes.whole(space)
    own = around(point)
    lower, upper = box.lower.copy(), box.upper.copy()
    for option, names in (("only_up", only_up), ("only_down", only_down)):
        for name in names:
            if not isinstance(space[name], Continuous):
                raise ConditionError(
                    f"{option} must name numbers or dates, got the category {name!r}"
                )
            row = space.row(name)
            missing = point.values[row, 0] == -np.inf
            if option == "only_up" or missing:
                lower[0, row] = max(lower[0, row], own.lower[0, row])
            if option == "only_down" or missing:
                lower[0, row] = max(lower[0, row], -np.inf if missing else LOWEST)
                upper[0, row] = own.upper[0, row]
    return box.like(lower, upper, box.masks)


def _with_values(point: Instances, *, missing: bool) -> Boxes:
    """Return the cases that have the values that a case has, unless they may become missing."""
    box = Boxes.whole(point.space)
    if missing:
        return box
    lower, masks = box.lower.copy(), box.masks.copy()
    lower[0, point.values[:, 0] > -np.inf] = LOWEST
    for part, code in zip(point.space.sets, point.codes[:, 0].tolist(), strict=True):
        if code != MISSING_CODE:
            masks[0, part.start] &= ~np.uint64(1 << MISSING_CODE)
    return box.like(lower, box.upper, masks)


def around(point: Instances) -> Boxes:
    """Return the smallest box that contains a point."""
    space = point.space
    lower = point.values[:, 0].copy()
    upper = np.array(
        [
            np.nextafter(v, np.inf) if v == -np.inf else f.after(v)
            for f, v in zip(space.continuous, lower.tolist(), strict=True)
        ],
        dtype=np.float64,
    )
    box = Boxes(space, lower[None], upper[None], space.words_of(point.codes)[None])
    return box.simplified()


def _line(point: Instances, axes: Iterable[int]) -> Boxes:
    """Return the cases that differ from a case only on some axes."""
    box = around(point)
    for axis in axes:
        box = box.freed(axis)
    return box


def _has(value: Any, outcome: Any) -> bool:
    """Return whether an outcome is the wanted one, or a list with it."""
    return bool(value == outcome or (isinstance(value, list) and outcome in value))


def _pieces(
    side: Side, wanted: set[int], root: Boxes, outside: Boxes, meter: Meter
) -> Iterator[Boxes]:
    """Yield boxes that contain all cases of a box that have one of the wanted outcomes."""
    met = np.flatnonzero(side.boxes.meeting(root))
    boxes, codes = side.boxes.take(met), side.codes[met]
    for place in np.flatnonzero(np.isin(codes, list(wanted))).tolist():
        own = boxes.take([place]) & root
        # where rules that are not ordered contradict each other, they decide nothing
        stronger = slice(place) if side.decides == "first" else codes != codes[place]
        rivals = boxes.take(stronger)
        yield from own.subtract(rivals.take(rivals.meeting(own)).concat(outside), meter)
    if side.default in wanted:
        yield from root.subtract(boxes.concat(outside), meter)


def _combined_pieces(
    side: Side, is_wanted: Callable[[int], bool], root: Boxes, outside: Boxes, meter: Meter
) -> Iterator[Boxes]:
    """Yield boxes where rules that decide together have a wanted outcome, given by its code."""
    assert side.together is not None
    for places, pieces in combinations_of(side, root, meter).items():
        if not side.disputed(places) and is_wanted(side.together(places)):
            for piece in pieces:
                yield from piece.subtract(outside, meter)


def _distance(side: Side, point: Instances, piece: Boxes, axes: Iterable[int]) -> float:
    d = piece.lower.shape[1]
    total = 0.0
    for axis in axes:
        if axis >= d:
            words = piece.space.sets[axis - d]
            own = point.space.words_of(point.codes)[words]
            total += 0.0 if (piece.masks[0, words] & own).any() else 1.0
            continue
        value = float(point.values[axis, 0])
        low, high = float(piece.lower[0, axis]), float(piece.upper[0, axis])
        if low <= value < high:
            continue
        cuts = np.concatenate([side.boxes.lower[:, axis], side.boxes.upper[:, axis]])
        cuts = cuts[np.isfinite(cuts) & (np.abs(cuts) < 1e300)]
        span = float(np.ptp(cuts) or np.abs(cuts).max()) if len(cuts) else 0.0
        moved = (low - value if value < low else value - high) if np.isfinite(value) else 1.0
        missing = low == -np.inf and high <= -1e300
        total += 1.0 if missing or not np.isfinite(moved) else moved / (span or 1.0)
    return total


def _whole(rules: Rules) -> set[str]:
    """Return the columns of a classifier that have only whole numbers in training."""
    columns = getattr(getattr(rules, "chosen_", None), "columns", None) or {}
    return {name for name, figures in columns.items() if figures.whole}


def _alternative(
    side: Side, outcomes: Outcomes, point: Instances, piece: Boxes, whole: Container[str]
) -> Alternative:
    """Return the case of a box that is nearest to a point, as a change of the point.

    Of the features in ``whole``, the values are whole numbers if the box contains any.
    """
    space = point.space
    before = point[0]
    region = Region.from_box(piece)
    after = dict(before)
    for name in space.names:
        axis = int(space.axes[space.index(name)])
        others = _line(point, [other for other in range(len(space)) if other != axis])
        if not piece.meeting(others)[0]:
            after[name] = _nearest(space, name, region, point, whole=name in whole)
    code, rows = side.decide(space.encode_point(after))
    changes = {n: (before[n], after[n]) for n in space.names if before[n] != after[n]}
    return Alternative(changes, outcomes.values[code], rows)


def _nearest(space: Space, name: str, region: Region, point: Instances, *, whole: bool) -> Any:
    """Return the value of a feature in a region that is nearest to that of a point."""
    feature, row = space[name], space.row(name)
    if not isinstance(feature, Continuous):
        return witness_among(feature, region.bits(name))
    interval = region.interval(name)
    value = float(point.values[row, 0])
    low, high = feature.reach(interval.lower, interval.upper)
    if not np.isfinite(value) or low >= high:
        return witness_in(feature, interval)
    near = low if value < low else just_below(feature, high, low)
    if whole and feature.kind == "number":
        rounded = math.ceil(low) if value < low else math.ceil(high) - 1
        near = float(rounded) if low <= rounded < high else near
    decoded = feature.decode_value(near)
    is_whole = isinstance(decoded, float) and decoded.is_integer() and abs(decoded) <= 2**53
    return int(decoded) if is_whole else decoded
