"""Check certificates, with nothing but plain Python: no numpy, and no other part of irenic.

A certificate is a tree of cuts. Node ``k`` for ``k < len(roots)`` is a region that the claim is
about. A cut ``[axis, value, left, right]`` divides the cell of its node: into ``f < value`` and
``f >= value`` on a continuous axis; on a categorical one, whose ``value`` is a set of bits, into
the values in the set and the others. Cells that are never cut again are leaves. A leaf is

- for contradictions, the list of all pairs of rules that reach the cell and contradict each other,
  ``[rule, other, axis]``: on that axis, one rule ends where the other begins;
- for everything else, the index of the first box that contains the cell, -1 if there is none.

The work is proportional to the number of pairs of a node and a box that meets its cell.
"""

import reprlib
import sys
from itertools import combinations
from typing import Any

Box = tuple[list[float], list[float], list[int]]


class CheckError(ValueError):
    """A certificate that does not prove its claim; the message names the node."""


def check(question: dict[str, Any], nodes: Any) -> int:
    """Check a certificate, and return the number of its leaves.

    Parameters
    ----------
    question : dict
        The regions, the boxes of rules and the claim, as ``Question.plain`` returns them.
    nodes : list
        The cuts and leaves.

    Raises
    ------
    CheckError
        If the certificate does not prove the claim.

    >>> line = {"continuous": 1, "roots": [([0.0], [9.0], [])], "boxes": [([0.0], [9.0], [])],
    ...         "excused": 1, "sides": [], "claim": "only", "below": None}
    >>> check(line, [0])
    1
    >>> check(line, [-1])
    Traceback (most recent call last):
    irenic.proving.checker.CheckError: node 0: box 0 contains the cell, not -1
    """
    if not isinstance(nodes, list):
        raise CheckError(f"nodes must be a list, got {type(nodes).__name__}")
    stack = []
    for number, root in enumerate(question["roots"]):
        met = [i for i, box in enumerate(question["boxes"]) if _meets(box, root)]
        stack.append((number, root, met))
    seen = set()
    leaves = 0
    while stack:
        number, cell, items = stack.pop()
        if number in seen or not 0 <= number < len(nodes):
            raise CheckError(f"node {reprlib.repr(number)} is used twice, or missing")
        seen.add(number)
        node = nodes[number]
        if _is_cut(node):
            stack += _cut(question, number, node, cell, items)
            continue
        leaves += 1
        if question["claim"] == "consistent":
            _check_pairs(question, number, node, items)
        else:
            _check_leaf(question, number, node, cell, items)
    if len(seen) != len(nodes):
        raise CheckError(f"{len(nodes) - len(seen)} nodes are not used")
    return leaves


def _is_cut(node: Any) -> bool:
    return isinstance(node, list) and len(node) == 4 and not isinstance(node[0], list)


def _meets(box: Box, cell: Box) -> bool:
    """Return whether a box and a cell share a point."""
    return (
        all(a < d and c < b for a, b, c, d in zip(box[0], box[1], cell[0], cell[1], strict=True))
        and all(a & b for a, b in zip(box[2], cell[2], strict=True))
    )  # fmt: skip


def _contains(box: Box, cell: Box) -> bool:
    """Return whether a box contains a cell."""
    return (
        all(a <= c and d <= b for a, b, c, d in zip(box[0], box[1], cell[0], cell[1], strict=True))
        and all(b & ~a == 0 for a, b in zip(box[2], cell[2], strict=True))
    )  # fmt: skip


def _cut(question: Any, number: int, node: Any, cell: Box, items: list[int]) -> list[Any]:
    """Return both parts of a cell, with the boxes that meet them."""
    axis, value, left, right = node
    if not all(type(n) is int for n in (axis, left, right)) or min(left, right) <= number:
        raise CheckError(f"node {number}: {reprlib.repr(node)} is not a cut")
    boxes, n = question["boxes"], question["continuous"]
    lower, upper, sets = cell
    if 0 <= axis < n:
        if type(value) not in (int, float) or not abs(value) <= sys.float_info.max:
            raise CheckError(f"node {number}: {reprlib.repr(value)} is not a bound")
        below = (lower, [*upper[:axis], min(value, upper[axis]), *upper[axis + 1 :]], sets)
        above = ([*lower[:axis], max(value, lower[axis]), *lower[axis + 1 :]], upper, sets)
        return [
            (left, below, [i for i in items if boxes[i][0][axis] < below[1][axis]]),
            (right, above, [i for i in items if boxes[i][1][axis] > above[0][axis]]),
        ]
    j = axis - n
    if not 0 <= j < len(sets) or type(value) is not int:
        raise CheckError(f"node {number}: {reprlib.repr(node)} is not a cut")
    parts = []
    for child, kept in ((left, sets[j] & value), (right, sets[j] & ~value)):
        part = (lower, upper, [*sets[:j], kept, *sets[j + 1 :]])
        parts.append((child, part, [i for i in items if boxes[i][2][j] & kept]))
    return parts


def _check_pairs(question: Any, number: int, node: Any, items: list[int]) -> None:
    """Check that the rules of a cell that contradict each other are apart."""
    if not isinstance(node, list):
        raise CheckError(f"node {number}: {reprlib.repr(node)} is not a list of pairs")
    boxes, codes = question["boxes"], question["sides"][0]["codes"]
    apart = {}
    for entry in node:
        if not isinstance(entry, list) or [type(n) for n in entry] != [int, int, int]:
            raise CheckError(f"node {number}: {reprlib.repr(entry)} is not a pair and an axis")
        apart[entry[0], entry[1]] = entry[2]
    for a, b in combinations(items, 2):
        if codes[a] == codes[b] or not question["contradicts"](codes[a], codes[b]):
            continue
        axis = apart.pop((a, b), None)
        if axis is None or not _are_apart(boxes[a], boxes[b], axis, question["continuous"]):
            raise CheckError(f"node {number}: rules {a + 1} and {b + 1} are not shown to be apart")
    if apart:
        raise CheckError(f"node {number}: {len(apart)} pairs do not contradict each other here")


def _are_apart(a: Box, b: Box, axis: int, n: int) -> bool:
    if 0 <= axis < n:
        return a[1][axis] <= b[0][axis] or b[1][axis] <= a[0][axis]
    return 0 <= axis - n < len(a[2]) and not a[2][axis - n] & b[2][axis - n]


def _check_leaf(question: Any, number: int, node: Any, cell: Box, items: list[int]) -> None:
    """Check that the claim holds for every outcome that is possible in a cell."""
    boxes = question["boxes"]
    held = [i for i in items if _contains(boxes[i], cell)]
    first = held[0] if held else -1
    if type(node) is not int or node != first:
        raise CheckError(f"node {number}: box {first} contains the cell, not {reprlib.repr(node)}")
    if held and held[0] < question["excused"]:
        return
    below = question["below"]
    if below is not None and cell[1][below[1]] <= cell[0][below[0]]:
        return
    possible = [_outcomes(side, number, items, held) for side in question["sides"]]
    if not _holds(question, *possible):
        raise CheckError(f"node {number}: the claim is not shown to hold in this cell")


def _outcomes(side: Any, number: int, items: list[int], held: list[int]) -> set[int]:
    """Return the codes of the outcomes that a side can have in a cell."""
    start, stop, codes = side["start"], side["stop"], side["codes"]
    own = [i for i in items if start <= i < stop]
    holding = [i for i in held if start <= i < stop]
    if side["decides"] == "all":
        if own != holding:
            raise CheckError(f"node {number}: it is open which of several rules hold")
        return {side["together"](tuple(i - start for i in own)) if own else side["default"]}
    if side["decides"] == "first" and holding:
        own = [i for i in own if i <= holding[0]]
    return {codes[i - start] for i in own} | (set() if holding else {side["default"]})


def _holds(question: Any, first: set[int], second: Any = frozenset()) -> bool:
    """Return whether the claim holds for all possible outcomes; 0 is having none."""
    claim, allows = question["claim"], question["allows"]
    if claim == "only":
        return all(map(allows, first))
    if claim == "implies":
        return not any(map(allows, first)) or all(map(allows, second))
    if claim == "same":
        return all(allows(code) or second == {code} for code in first)
    low, high = (first, second) if claim == "rising" else (second, first)
    rank = question["rank"]
    return all(rank(a) <= rank(b) for a in low - {0} for b in high - {0})
