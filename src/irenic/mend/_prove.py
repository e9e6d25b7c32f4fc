"""Proofs that two ways to say something say the same, by boxes that cover boxes."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
import numpy.typing as npt

from irenic.boxes import Boxes
from irenic.boxes.arrays import Bools
from irenic.budget import Meter
from irenic.errors import BudgetError


def out_of_budget(what: str, meter: Meter) -> BudgetError:
    """Return the error that says what was not finished, and why."""
    return BudgetError(
        f"{what} was stopped by {meter.stopped_by} before it was proved; give it a larger budget"
    )


def covers(box: Boxes, by: Boxes, meter: Meter, what: str) -> bool:
    """Return whether some boxes together cover a single one; raise if the budget ends first."""
    found = box.is_covered(by, meter)
    if found is None:
        raise out_of_budget(what, meter)
    return found


def all_covered(boxes: Boxes, by: Boxes, meter: Meter, what: str) -> bool:
    """Return whether every one of some boxes is covered by others together."""
    return all(covers(box, by, meter, what) for box in boxes)


class ListProof:
    """The proof that a set says the same as a list, from the regions of both alone.

    A set says what a list says if every rule of the set lies where the list says the same, and
    every rule of the list is covered, where none comes before it, by rules of the set with its
    consequent. Consequents that equal the default need not be covered: no
    rule of the set says anything else there.
    """

    def __init__(
        self,
        rules: Boxes,
        thens: Sequence[Hashable],
        default: Hashable | None,
        meter: Meter,
    ) -> None:
        self.rules, self.default, self.meter = rules, default, meter
        codes: dict[Hashable, int] = {}
        self.codes = np.array([codes.setdefault(t, len(codes)) for t in thens], dtype=np.intp)
        self.code_of = codes

    _WHAT = "turning the list into a set"

    def are_sound(self, boxes: Boxes, thens: Sequence[Hashable]) -> bool:
        """Return whether the list says the same as each box, everywhere in it."""
        if not len(thens):
            return True
        never = len(self.codes)
        of = np.array([self.code_of.get(then, -1) for then in thens])
        own = of[:, None] == self.codes
        meets = boxes.meets(self.rules)
        holds = self.rules.contains(boxes).T & own
        against = meets & ~own
        first_holds = np.where(holds.any(axis=1), _first(holds), never)
        first_against = np.where(against.any(axis=1), _first(against), never)
        # most boxes lie in a rule that speaks before any other that has something to say there
        told = first_holds < first_against
        return all(
            self._is_sound(boxes.take([row]), thens[row], meets[row] & own[row], against[row])
            for row in np.flatnonzero(~told).tolist()
        )

    def _is_sound(self, box: Boxes, then: Hashable, mine: Bools, others: Bools) -> bool:
        """Return whether the list says ``then`` everywhere in a box, by what meets it."""
        own, rivals = np.flatnonzero(mine), np.flatnonzero(others)
        if then != self.default and not self._covered(box, own):
            return False
        for rival in rivals:
            if not self._covered(self.rules.take([rival]) & box, own[own < rival]):
                return False
        return True

    def _covered(self, box: Boxes, by: npt.NDArray[np.intp]) -> bool:
        return covers(box, self.rules.take(by), self.meter, self._WHAT)

    def is_said(self, i: int, boxes: Boxes) -> bool:
        """Return whether boxes of the consequent of the list's rule ``i`` hold all it decides."""
        rule = self.rules.take([i])
        decided = rule.subtract(self.rules.take(slice(i)), self.meter)
        if self.meter.stopped_by is not None:
            raise out_of_budget(self._WHAT, self.meter)
        near = boxes.take(boxes.meeting(rule))
        # most pieces lie in a single box, and that is seen at once
        rest = decided.take(~decided.held_by_one(near))
        return all_covered(rest, near, self.meter, self._WHAT)

    def holds(self, boxes: Boxes, thens: Sequence[Hashable]) -> bool:
        """Return whether boxes with these consequents say what the list says, no more, no less."""
        rows: dict[Hashable, list[int]] = {}
        for row, then in enumerate(thens):
            rows.setdefault(then, []).append(row)
        return self.are_sound(boxes, thens) and all(
            self.is_said(i, boxes.take(rows.get(then, [])))
            for then, code in self.code_of.items()
            if then != self.default
            for i in np.flatnonzero(self.codes == code).tolist()
        )


def _first(cells: Bools) -> npt.NDArray[np.intp]:
    """Return the place of the first true cell of each row, 0 where there is none."""
    return cells.argmax(axis=1) if cells.shape[1] else np.zeros(len(cells), dtype=np.intp)
