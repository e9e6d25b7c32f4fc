"""Answer questions: without cuts if all rules that hold agree, else by cutting."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias

import numpy as np

from irenic.boxes import Boxes
from irenic.boxes.cutting import Cutter
from irenic.budget import Budget, Meter
from irenic.model.packed import PackedRules
from irenic.proving.cutting import Answer, Cutting
from irenic.proving.listed import holds_for_list
from irenic.proving.question import Question, Side

_MOST_SUSPECTS: Final = 1_000
"""Rules without a counterpart, and pairs of rules that meet, that are examined one by one."""
_FEW_SUSPECTS: Final = 64
"""So many rules are examined even where no case may be open to them."""
_FEW_ROOTS: Final = 4
_SHORT: Final = 16
_LONG: Final = 2_000
"""Rules of a list that is taken apart; cutting takes as long for shorter ones."""
_PARTS_PER_RULE: Final = 50
_NODES_PER_RULE: Final = 500

Searches: TypeAlias = Iterable[tuple[Boxes, Boxes]]
"""Boxes in which a claim fails wherever the other boxes leave something uncovered."""


def answer(
    question: Question, budget: Meter | Budget | float | None = None, *, record: bool = False
) -> Answer:
    """Return whether the claim of a question holds for all cases."""
    meter = budget if isinstance(budget, Meter) else Meter(budget)
    quick = None if record else _without_cuts(question, meter)
    return Cutting(question, meter, record).run() if quick is None else quick


def _without_cuts(question: Question, meter: Meter) -> Answer | None:
    """Answer a question about rules that agree wherever they overlap; None if it takes cuts."""
    kind = question.claim.kind
    if kind in ("same", "implies") and question.pair is None:
        return _of_two_versions(question, meter)
    if any(side.decides != "any" for side in question.sides):
        return None
    if kind == "only":
        return _searched(_of_one_outcome(question), meter)
    if kind in ("rising", "falling"):
        if _is_rising(question, meter):
            return Answer(True, meter.nodes)
        if meter.stopped_by is not None:
            return Answer(None, meter.nodes, meter.stopped_by)
    return None


def _searched(searches: Searches, meter: Meter) -> Answer:
    for box, by in searches:
        cell = _uncovered(box, by, meter)
        if cell is not None:
            return Answer(False, meter.nodes, cell=cell)
        if meter.stopped_by is not None:
            return Answer(None, meter.nodes, meter.stopped_by)
    return Answer(True, meter.nodes)


def _of_one_outcome(question: Question) -> Iterator[tuple[Boxes, Boxes]]:
    """Yield where an outcome is not allowed: in rules, and beside them if the default is not."""
    (side,) = question.sides
    allowed = question.allowed()
    wrong = side.boxes.take(~allowed[side.codes])
    for root in question.roots:
        yield from ((box, question.excused) for box in wrong & root)
    if not allowed[side.default]:
        covering = side.boxes.concat(question.excused)
        yield from ((root, covering) for root in question.roots)


def _of_two_versions(question: Question, meter: Meter) -> Answer | None:
    """Answer a question about two versions; None if that would take longer than cutting.

    The claim fails where two rules meet whose outcomes may not meet, or where only one version has
    a rule and the default of the other does not fit.
    """
    roots, wrong = question.roots, question.differ
    if len(roots) > _FEW_ROOTS:
        return None
    trial = _trial(meter, sum(len(side.boxes) for side in question.sides))
    is_proved = holds_for_list(question, trial)
    meter.spent(nodes=trial.nodes)
    if is_proved:
        return Answer(True, meter.nodes)
    sides = [_agreeing(side, meter) for side in question.sides]
    if meter.stopped_by is not None:
        return Answer(None, meter.nodes, meter.stopped_by)
    one, other = sides
    if one is None or other is None:
        return None

    searches: list[tuple[Boxes, Boxes]] = []
    for root in roots:
        meeting = _meeting(question, (one, other), root)
        if meeting is None:
            return None
        searches += [(box, question.excused) for box in meeting]
    covers = [side.boxes.concat(question.excused) for side in question.sides]
    for side, by, is_wrong in (
        (one, covers[1], wrong(one.codes, other.default)),
        (other, covers[0], wrong(one.default, other.codes)),
    ):
        suspects = _not_in_one(side.boxes.take(is_wrong), by)
        for root in roots:
            if len(suspects) > _FEW_SUSPECTS and _uncovered(root, by, meter) is None:
                continue
            if len(suspects) > _MOST_SUSPECTS:
                return None
            searches += [(box, by) for box in suspects & root]
        if meter.stopped_by is not None:
            return Answer(None, meter.nodes, meter.stopped_by)
    if wrong(one.default, other.default):
        searches += [(root, covers[0].concat(question.sides[1].boxes)) for root in roots]
    found = _searched(searches, meter)
    # the parts of a list are narrow: cutting finds a case that is easier to read
    is_narrow = found.holds is False and (one, other) != question.sides
    return None if is_narrow else found


def _agreeing(side: Side, meter: Meter) -> Side | None:
    """Return a list as rules that agree wherever they overlap; None if they would be too many."""
    if side.decides == "any":
        return side
    n = len(side.boxes)
    if side.decides == "all" or not _SHORT < n <= _LONG:
        return None
    trial = _trial(meter, n)
    parts = []
    for place in range(n):
        rivals = side.boxes.take(np.flatnonzero(side.codes[:place] != side.codes[place]))
        parts.append(side.boxes.take([place]).subtract(rivals, trial))
        if trial.stopped_by is not None:
            break
    if meter.spent(nodes=trial.nodes) or trial.stopped_by is not None:
        return None
    owners = np.repeat(np.arange(n), [len(part) for part in parts])
    boxes = Boxes.none(side.boxes.space).concat(*parts)
    rows = tuple(side.rows[place] for place in owners.tolist())
    return Side(boxes, side.codes[owners], side.default, "any", rows)


def _trial(meter: Meter, n: int) -> Meter:
    """Return limits for what is worth trying with so many rules before a cell is cut."""
    left = None if meter.budget.seconds is None else max(0.0, meter.budget.seconds - meter.seconds)
    return Meter(Budget(left, (n + 1) * _NODES_PER_RULE, (n + 1) * _PARTS_PER_RULE))


def _is_rising(question: Question, meter: Meter) -> bool:
    """Return whether few rules that agree wherever they overlap show that outcomes rise or fall.

    The claim holds if no rule for the first case meets one for the second that is ranked below it,
    and if rules decide all cases that the default would decide against it. Pairs of cases that are
    not in question are looked at, too, so that it can also hold where this is False.
    """
    first, second = question.sides
    if max(len(first.boxes), len(second.boxes)) * len(question.roots) > _MOST_SUSPECTS:
        return False
    ranks = question.ranks()
    for side, other, is_worse in ((first, second, np.less), (second, first, np.greater)):
        for root in question.roots:
            for r in np.flatnonzero(side.boxes.meeting(root)).tolist():
                box, rank = _above(question, side.boxes.take([r]) & root), ranks[side.codes[r]]
                if not len(box):
                    continue
                worse = other.boxes.take(is_worse(ranks[other.codes], rank)) & box
                searches = [(part, question.excused) for part in worse]
                if is_worse(ranks[other.default], rank):
                    searches.append((box, other.boxes.concat(question.excused)))
                if any(
                    _uncovered(part, by, meter) is not None for part, by in searches if len(part)
                ):
                    return False
    return meter.stopped_by is None


def _above(question: Question, box: Boxes) -> Boxes:
    """Return the part of a box of pairs in which the second value can be above the first one."""
    if not question.is_below:
        return box
    assert question.pair is not None
    low, high = question.pair
    lower, upper = box.lower.copy(), box.upper.copy()
    lower[:, high] = np.maximum(lower[:, high], np.nextafter(lower[:, low], np.inf))
    upper[:, low] = np.minimum(upper[:, low], upper[:, high])
    box = box.like(lower, upper, box.masks)
    return box.take(~box.are_empty())


def _not_in_one(boxes: Boxes, others: Boxes) -> Boxes:
    """Return the boxes that are not inside one of others."""
    rows, known = boxes.keys(), others.keys()
    copies = {row.tobytes() for row in known}
    boxes = boxes.take([i for i, row in enumerate(rows) if row.tobytes() not in copies])
    few = len(boxes) * len(others) <= _MOST_PAIRS
    return boxes.take(~boxes.held_by_one(others)) if few else boxes


_MOST_PAIRS: Final = 10_000_000


def _meeting(question: Question, versions: tuple[Side, Side], root: Boxes) -> Boxes | None:
    """Return where rules of two versions meet that must not; None if there are too many places."""
    sides, codes = [], []
    allowed = question.allowed()
    for side, is_new in zip(versions, (True, False), strict=True):
        met = side.boxes.meeting(root)
        if question.claim.kind == "implies":  # only allowed outcomes against those that are not
            met &= allowed[side.codes] == is_new
            codes.append(np.full(int(met.sum()), int(is_new), dtype=np.int32))
        else:
            met &= ~allowed[side.codes] if is_new else True
            codes.append(side.codes[met])
        sides.append(side.boxes.take(met) & root)
    boxes, then = sides[0].concat(sides[1]), np.concatenate(codes)
    packed = PackedRules.from_boxes(boxes, then)
    pairs = packed.overlapping_pairs(same=False, limit=_MOST_SUSPECTS)
    if len(pairs) == _MOST_SUSPECTS and len(question.excused):
        return None
    firsts, seconds = boxes.take(pairs[:, 0]), boxes.take(pairs[:, 1])
    return firsts.like(
        np.maximum(firsts.lower, seconds.lower),
        np.minimum(firsts.upper, seconds.upper),
        firsts.masks & seconds.masks,
    )


def _uncovered(box: Boxes, by: Boxes, meter: Meter) -> Boxes | None:
    """Return a part of a box that no other box covers; None if there is none, or no time."""
    cutter = Cutter(by.near(box), box, first=True)
    return cutter.boxes().take([0]) if any(cutter.bursts(meter)) else None
