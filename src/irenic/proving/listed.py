"""Prove that a list decides as a claim allows wherever rules that agree decide, and beside them.

The list is not taken apart, which can give many more regions than it has rules. Each search asks
whether other rules cover a region, so that a claim can be proved here, but not refuted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any, Final, TypeAlias

import numpy as np

from irenic.boxes import Boxes
from irenic.budget import Meter
from irenic.proving.question import Question, Side

_MOST_PAIRS: Final = 10_000_000

Wrong: TypeAlias = Callable[[Any, Any], Any]
"""Whether an outcome of the list may not meet one of the other rules, by their codes."""
Searches: TypeAlias = Iterator[tuple[Boxes, Boxes]]


def holds_for_list(question: Question, meter: Meter) -> bool:
    """Return whether searches prove a claim about a list and rules that agree."""
    sides = {side.decides: side for side in question.sides}
    if sorted(sides) != ["any", "first"] or len(question.roots) > 1:
        return False
    ordered, agreeing = sides["first"], sides["any"]
    if len(ordered.boxes) * len(agreeing.boxes) > _MOST_PAIRS:
        return False

    def wrong(listed: Any, other: Any) -> Any:
        is_first = ordered is question.sides[0]
        return question.differ(listed, other) if is_first else question.differ(other, listed)

    root, excused = question.roots, question.excused
    inside = _in_rules(ordered, agreeing, wrong)
    searches = chain(inside, _beside(ordered, agreeing, wrong, root, meter))
    return (
        all(
            part.is_covered(by.concat(excused), meter)
            for regions, by in searches
            for part in regions & root
        )
        and meter.stopped_by is None
    )


def _in_rules(ordered: Side, agreeing: Side, wrong: Wrong) -> Searches:
    """Yield what rules of the list must cover so that it decides rightly inside the other rules.

    In each of these, every rule of the list that decides wrongly must be preceded by others.
    """
    listed, rules = ordered.boxes, agreeing.boxes
    is_wrong = wrong(ordered.codes, agreeing.codes[:, None])
    by_default = np.asarray(wrong(ordered.default, agreeing.codes))
    meets = rules.meets(listed)
    rivals, own = meets & is_wrong, meets & ~is_wrong
    never = len(listed)
    holder = np.where(by_default, never + 1, never)
    if never:
        holds = listed.contains(rules).T & own
        holder = np.where(holds.any(axis=1), holds.argmax(axis=1), holder)
        first = np.where(rivals.any(axis=1), rivals.argmax(axis=1), never)
    else:
        first = np.zeros(len(rules), dtype=np.intp)
    # most rules are inside one that precedes all rivals
    for row in np.flatnonzero(holder > first).tolist():
        rule, before = rules.take([row]), np.flatnonzero(own[row])
        for rival in np.flatnonzero(rivals[row, : holder[row]]).tolist():
            yield listed.take([rival]) & rule, listed.take(before[before < rival])
        if holder[row] > never:
            yield rule, listed.take(meets[row])


def _beside(ordered: Side, agreeing: Side, wrong: Wrong, root: Boxes, meter: Meter) -> Searches:
    """Yield what the other rules must cover because their default does not fit."""
    listed, rules = ordered.boxes, agreeing.boxes
    for place in np.flatnonzero(wrong(ordered.codes, agreeing.default)).tolist():
        rule = listed.take([place])
        decided = rule.subtract(listed.take(slice(place)), meter)
        fits = ~np.asarray(wrong(ordered.codes[place], agreeing.codes))
        near = rules.take(rules.meeting(rule) & fits)
        # most parts are inside one rule, which is quick to check
        yield decided.take(~decided.held_by_one(near)), near
    if wrong(ordered.default, agreeing.default):
        yield root, listed.concat(rules)
