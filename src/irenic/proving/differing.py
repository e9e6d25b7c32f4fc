"""All cases for which two versions decide differently, as disjoint boxes."""

from __future__ import annotations

import math
from functools import cached_property
from typing import NamedTuple

import numpy as np

from irenic.arrays import Ints
from irenic.boxes import Boxes
from irenic.budget import Meter, StoppedBy
from irenic.proving.question import Question, Side, combinations_of


class CodedDecision(NamedTuple):
    """The code of an outcome, and whether no rule holds."""

    code: int
    by_default: bool


class Different(NamedTuple):
    """A box that two versions decide differently: the codes of the outcomes, and the rows."""

    box: Boxes
    codes: tuple[int, int]
    rows: tuple[tuple[int, ...], tuple[int, ...]]


def differences(question: Question, meter: Meter) -> tuple[list[Different], StoppedBy | None]:
    """Return where both sides of a question decide differently, and what stopped the search."""
    (root,) = question.roots
    first, second = (_Decisions(side, root, meter) for side in question.sides)
    pieces: dict[tuple[CodedDecision, CodedDecision], list[Boxes]] = {}
    for before, mine in first.boxes.items():
        for after, theirs in second.boxes.items():
            if before.code != after.code:
                shared = [part for box in mine if len(part := theirs & box)]
                if shared:
                    pieces[before, after] = shared
    found = []
    for (before, after), parts in pieces.items():
        boxes = parts[0].concat(*parts[1:])
        if len(question.excused):
            left = [box.subtract(question.excused) for box in boxes]
            boxes = left[0].concat(*left[1:])
        for box in boxes.merged():
            rows = first.rows(box, before), second.rows(box, after)
            found.append(Different(box, (before.code, after.code), rows))
    return found, first.stopped_by or second.stopped_by


class _Decisions:
    """What a side decides in a box, and where, as disjoint boxes."""

    def __init__(self, side: Side, root: Boxes, meter: Meter) -> None:
        self.side = side
        self.stopped_by: StoppedBy | None = None
        self._found: dict[CodedDecision, list[Boxes]] = {}
        if side.together is None:
            self._by_precedence(root, meter)
        else:
            self._together(root, meter)
        self.boxes = {made: parts[0].concat(*parts[1:]) for made, parts in self._found.items()}

    def _together(self, root: Boxes, meter: Meter) -> None:
        side = self.side
        assert side.together is not None
        combined = combinations_of(side, root, meter)
        self.stopped_by = meter.stopped_by
        if self.stopped_by is None:  # else the other rules could still change every decision
            for places, boxes in sorted(combined.items(), key=lambda each: (*each[0], math.inf)):
                code = side.together(places) if places else side.default
                self._add(CodedDecision(code, not places), boxes)

    def _by_precedence(self, root: Boxes, meter: Meter) -> None:
        boxes, self.parts = self.side.boxes, list[Boxes]()
        for place, code in enumerate([*self.side.codes.tolist(), self.side.default]):
            own = boxes.take([place]) & root if place < len(boxes) else root
            part = own.subtract(boxes.take(slice(place)), meter) if len(own) else own
            self.parts.append(part)
            self._add(CodedDecision(code, place == len(boxes)), part)
            self.stopped_by = meter.stopped_by if len(own) else None
            if self.stopped_by is not None:
                return

    def _add(self, decision: CodedDecision, boxes: Boxes) -> None:
        self._found.setdefault(decision, []).append(boxes)

    def rows(self, box: Boxes, decision: CodedDecision) -> tuple[int, ...]:
        """Return the rows of the rules that make a decision somewhere in a box."""
        if decision.by_default:
            return ()
        boxes, places = self._deciding
        places = places[boxes.meeting(box)]
        if self.side.together is None:
            places = places[self.side.codes[places] == decision.code]
        return tuple(sorted({self.side.rows[place] for place in places.tolist()}))

    @cached_property
    def _deciding(self) -> tuple[Boxes, Ints]:
        """The boxes in which rules decide, and the place of each rule."""
        boxes = self.side.boxes
        if self.side.decides != "first":
            return boxes, np.arange(len(boxes))
        parts = self.parts[: len(boxes)]
        places = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
        return boxes.take(slice(0)).concat(*parts), places
