"""Compiled recursive cutting: the parts of a box that no other box meets."""

from __future__ import annotations

import numpy as np

from irenic.kernels._jit import inline, jit
from irenic.kernels.structs import Box

# Boxes of a node that are looked at to choose its cut, and boxes whose bounds are tried.
_SAMPLE = 128
_CUTS = 8


# Copies as loops: numba takes seconds to compile numpy's for each pair of array types.


@inline
def _put(boxes, row, box):
    """Copy a box to a row of others."""
    for i in range(box.lower.size):
        boxes.lower[row, i] = box.lower[i]
        boxes.upper[row, i] = box.upper[i]
    for w in range(box.masks.size):
        boxes.masks[row, w] = box.masks[w]


@inline
def _get(boxes, row, box):
    """Copy a row of boxes to a single box."""
    for i in range(box.lower.size):
        box.lower[i] = boxes.lower[row, i]
        box.upper[i] = boxes.upper[row, i]
    for w in range(box.masks.size):
        box.masks[w] = boxes.masks[row, w]


@inline
def _holds(boxes, row, box):
    """Return whether one of the boxes holds all of a single box."""
    lower, upper, masks = boxes.lower, boxes.upper, boxes.masks
    low, high, words = box.lower, box.upper, box.masks
    for i in range(low.size):
        if lower[row, i] > low[i] or upper[row, i] < high[i]:
            return False
    for w in range(words.size):
        if words[w] & ~masks[row, w]:
            return False
    return True


@inline
def _best_interval_cut(boxes, items, axis, box, cuts):
    """Return the score and value of the best cut of a box on a continuous axis."""
    lower, upper = boxes.lower, boxes.upper
    count = items.size
    stride = max(1, count // _SAMPLE)
    seen = (count + stride - 1) // stride
    found = 0
    for s in range(0, seen, max(1, seen // _CUTS)):
        if found + 2 > cuts.size:
            break
        item = items[s * stride]
        for side in range(2):
            value = lower[item, axis] if side == 0 else upper[item, axis]
            if box.lower[axis] < value < box.upper[axis]:
                cuts[found] = value
                found += 1
    best_score = np.inf
    best_value = 0.0
    for c in range(found):
        value = cuts[c]
        left = 0
        right = 0
        for s in range(seen):
            item = items[s * stride]
            left += lower[item, axis] < value
            right += upper[item, axis] > value
        score = float(max(left, right) + left + right - seen) / seen
        if score < best_score:
            best_score = score
            best_value = value
    return best_score, best_value


@inline
def _best_set_cut(boxes, items, j, box):
    """Return the score of the best cut of a box by another one's set, and that other box."""
    count = items.size
    stride = max(1, count // _SAMPLE)
    seen = (count + stride - 1) // stride
    masks, words = boxes.masks, box.masks
    start = boxes.starts[j]
    stop = boxes.starts[j + 1]
    best_score = np.inf
    best_item = -1
    for c in range(0, seen, max(1, seen // _CUTS)):
        cutter = items[c * stride]
        inside = False
        beyond = False
        for w in range(start, stop):
            inside |= (words[w] & masks[cutter, w]) != 0
            beyond |= (words[w] & ~masks[cutter, w]) != 0
        if not (inside and beyond):
            continue
        left = 0
        right = 0
        for s in range(seen):
            item = items[s * stride]
            meets_left = False
            meets_right = False
            for w in range(start, stop):
                shared = masks[item, w] & words[w]
                meets_left |= (shared & masks[cutter, w]) != 0
                meets_right |= (shared & ~masks[cutter, w]) != 0
            left += meets_left
            right += meets_right
        score = float(max(left, right) + left + right - seen) / seen
        if score < best_score:
            best_score = score
            best_item = cutter
    return best_score, best_item


@jit
def _carve(boxes, row, box, out, found):
    """Write the parts of a box that a single other one leaves; return how many there are then.

    The box is used up.
    """
    lower, upper, masks = boxes.lower, boxes.upper, boxes.masks
    for i in range(box.lower.size):
        if lower[row, i] > box.lower[i]:
            _put(out, found, box)
            out.upper[found, i] = lower[row, i]
            found += 1
            box.lower[i] = lower[row, i]
        if upper[row, i] < box.upper[i]:
            _put(out, found, box)
            out.lower[found, i] = upper[row, i]
            found += 1
            box.upper[i] = upper[row, i]
    for j in range(boxes.starts.size - 1):
        beyond = False
        for w in range(boxes.starts[j], boxes.starts[j + 1]):
            beyond |= (box.masks[w] & ~masks[row, w]) != 0
        if beyond:
            _put(out, found, box)
            for w in range(boxes.starts[j], boxes.starts[j + 1]):
                out.masks[found, w] &= ~masks[row, w]
                box.masks[w] &= masks[row, w]
            found += 1
    return found


@inline
def _shares(boxes, row, cutter, j, box, inside):
    """Return whether one of the boxes has a value of a box inside (outside) the cutter's set."""
    for w in range(boxes.starts[j], boxes.starts[j + 1]):
        side = boxes.masks[cutter, w] if inside else ~boxes.masks[cutter, w]
        if boxes.masks[row, w] & box.masks[w] & side:
            return True
    return False


@jit
def find_gaps(boxes, stack, depth, max_nodes, out):
    """Go on cutting what is on the stack; write the parts that none of the boxes meets.

    Node ``k`` of the stack comes with the boxes that meet it, the rows
    ``items[begin[k]:end[k]]``. Return the depth that is left, how many parts were found and how
    many nodes were looked at. It stops when the stack is empty, after ``max_nodes``, or when there
    might not be room: for more parts, nodes or items.
    """
    lower, upper, starts, items = boxes.lower, boxes.upper, boxes.starts, stack.items
    d = lower.shape[1]
    cuts = np.empty(2 * _CUTS + 2)
    here = Box(np.empty(d), np.empty(d), np.empty(out.masks.shape[1], dtype=np.uint64))
    found = 0
    nodes = 0
    while depth and nodes < max_nodes:
        begin = stack.begin[depth - 1]
        end = stack.end[depth - 1]
        count = end - begin
        if (
            found + 2 * d + starts.size > out.lower.shape[0]
            or depth + 1 > stack.begin.size
            or end + 2 * count > items.size
        ):
            break
        depth -= 1
        nodes += 1
        _get(stack, depth, here)
        if count == 0:
            _put(out, found, here)
            found += 1
            continue
        covered = False
        for s in range(begin, end):
            if _holds(boxes, items[s], here):
                covered = True
                break
        if covered:
            continue
        if count == 1:
            found = _carve(boxes, items[begin], here, out, found)
            continue
        best_score = np.inf
        axis = -1
        best_value = 0.0
        cutter = -1
        for i in range(d):
            score, value = _best_interval_cut(boxes, items[begin:end], i, here, cuts)
            if score < best_score:
                best_score = score
                axis = i
                best_value = value
        for j in range(starts.size - 1):
            score, item = _best_set_cut(boxes, items[begin:end], j, here)
            if score < best_score:
                best_score = score
                axis = d + j
                cutter = item
        # Both children are written behind the parent and then moved over it.
        middle = end
        for s in range(begin, end):
            items[middle] = items[s]
            if axis < d:
                middle += lower[items[s], axis] < best_value
            else:
                middle += _shares(boxes, items[s], cutter, axis - d, here, True)
        last = middle
        for s in range(begin, end):
            items[last] = items[s]
            if axis < d:
                last += upper[items[s], axis] > best_value
            else:
                last += _shares(boxes, items[s], cutter, axis - d, here, False)
        size = last - end
        middle -= end - begin
        for s in range(size):
            items[begin + s] = items[end + s]
        for child in range(2):
            stack.begin[depth] = begin if child == 0 else middle
            stack.end[depth] = middle if child == 0 else begin + size
            _put(stack, depth, here)
            if axis < d:
                if child == 0:
                    stack.upper[depth, axis] = best_value
                else:
                    stack.lower[depth, axis] = best_value
            else:
                for w in range(starts[axis - d], starts[axis - d + 1]):
                    if child == 0:
                        stack.masks[depth, w] &= boxes.masks[cutter, w]
                    else:
                        stack.masks[depth, w] &= ~boxes.masks[cutter, w]
            depth += 1
    return depth, found, nodes
