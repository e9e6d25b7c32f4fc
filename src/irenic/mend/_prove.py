"""Proofs that a set decides the same as a list, by boxes that cover boxes."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from irenic.arrays import Bools, Indices
from irenic.boxes import Boxes
from irenic.budget import Meter
from irenic.errors import BudgetError


def out_of_budget(what: str, meter: Meter) -> BudgetError:
    """Return the error for a task that was stopped before its result was proved."""
    return BudgetError(
        f"{what} was stopped by {meter.stopped_by} before the result was proved; use a larger"
        " budget"
    )


def covers(box: Boxes, by: Boxes, meter: Meter, what: str) -> bool:
    """Return whether boxes together cover a single one; raise if the budget is used up."""
    is_covered = box.is_covered(by, meter)
    if is_covered is None:
        raise out_of_budget(what, meter)
    return is_covered


def all_covered(boxes: Boxes, by: Boxes, meter: Meter, what: str) -> bool:
    """Return whether boxes together cover every one of others; raise as ``covers`` does."""
    return all(covers(box, by, meter, what) for box in boxes)


class ListProof:
    """The proof that a set decides the same as a list, from the regions of both alone.

    They decide the same if the list agrees with every rule of the set everywhere in its region,
    and if the part of every rule of the list that no earlier rule covers is covered by rules of
    the set with the same consequent. Rules of the list with the default as consequent need not be
    covered, because no rule of the set decides otherwise there.
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
        """Return whether the list agrees with each box everywhere in it."""
        if not len(thens):
            return True
        never = len(self.codes)
        codes = np.array([self.code_of.get(then, -1) for then in thens])
        agrees = codes[:, None] == self.codes
        meets = boxes.meets(self.rules)
        contains = self.rules.contains(boxes).T & agrees
        rivals = meets & ~agrees
        first_container = np.where(contains.any(axis=1), _first(contains), never)
        first_rival = np.where(rivals.any(axis=1), _first(rivals), never)
        # Most boxes are inside an agreeing rule that precedes all rivals.
        settled = first_container < first_rival
        return all(
            self._is_sound(boxes.take([row]), thens[row], meets[row] & agrees[row], rivals[row])
            for row in np.flatnonzero(~settled).tolist()
        )

    def _is_sound(self, box: Boxes, then: Hashable, is_own: Bools, is_rival: Bools) -> bool:
        """Return whether the list decides ``then`` everywhere in a box."""
        own, rivals = np.flatnonzero(is_own), np.flatnonzero(is_rival)
        if then != self.default and not self._covered(box, own):
            return False
        for rival in rivals:
            if not self._covered(self.rules.take([rival]) & box, own[own < rival]):
                return False
        return True

    def _covered(self, box: Boxes, by: Indices) -> bool:
        return covers(box, self.rules.take(by), self.meter, self._WHAT)

    def is_covered(self, i: int, boxes: Boxes) -> bool:
        """Return whether boxes cover everything that rule ``i`` of the list decides."""
        rule = self.rules.take([i])
        decided = rule.subtract(self.rules.take(slice(i)), self.meter)
        if self.meter.stopped_by is not None:
            raise out_of_budget(self._WHAT, self.meter)
        near = boxes.take(boxes.meeting(rule))
        # Most parts are inside a single box, which is quick to check.
        rest = decided.take(~decided.held_by_one(near))
        return all_covered(rest, near, self.meter, self._WHAT)

    def holds(self, boxes: Boxes, thens: Sequence[Hashable]) -> bool:
        """Return whether boxes with these consequents decide the same as the list."""
        rows: dict[Hashable, list[int]] = {}
        for row, then in enumerate(thens):
            rows.setdefault(then, []).append(row)
        return self.are_sound(boxes, thens) and all(
            self.is_covered(i, boxes.take(rows.get(then, [])))
            for then, code in self.code_of.items()
            if then != self.default
            for i in np.flatnonzero(self.codes == code).tolist()
        )


def _first(cells: Bools) -> Indices:
    """Return the index of the first true cell of each row; 0 if there is none."""
    return cells.argmax(axis=1) if cells.shape[1] else np.zeros(len(cells), dtype=np.intp)
