/* Recursive cutting: the parts of a box that no other box meets. */

#include "irenic.h"

/* Boxes of a node that are examined to choose its cut, and boxes whose bounds are tried. */
#define SAMPLE 128
#define CUTS 8
/* Every box is examined until there are twice as many as needed. */
#define MOST_SEEN (2 * SAMPLE)

/* A cut of a box: on a continuous axis at a value, on a categorical one by the set of a row. */
typedef struct {
    double score; /* the share of the boxes on the fuller side, and of those cut through */
    int64_t axis;
    double value;
    int64_t row;
} Cut;

static inline Box row_of(const Floats *lower, const Floats *upper, const Words *masks,
                         int64_t row) {
    return (Box){ROW(*lower, row), ROW(*upper, row), ROW(*masks, row)};
}

/* Copy a box of the same space as some boxes. */
static inline void copy_box(const BoxRows *boxes, Box target, Box source) {
    memcpy(target.lower, source.lower, (size_t)boxes->lower.columns * sizeof(double));
    memcpy(target.upper, source.upper, (size_t)boxes->upper.columns * sizeof(double));
    memcpy(target.masks, source.masks, (size_t)boxes->masks.columns * sizeof(uint64_t));
}

/* Return whether one of the boxes holds all of a single box. */
static bool holds(const BoxRows *boxes, int64_t row, Box box) {
    const Box other = row_of(&boxes->lower, &boxes->upper, &boxes->masks, row);
    for (int64_t i = 0; i < boxes->lower.columns; i++)
        if (other.lower[i] > box.lower[i] || other.upper[i] < box.upper[i]) return false;
    for (int64_t w = 0; w < boxes->masks.columns; w++)
        if (box.masks[w] & ~other.masks[w]) return false;
    return true;
}

/* Return which of the items are examined: the rows of a sample, spread over all of them. */
static int64_t sample(const int32_t *items, int64_t count, int32_t *rows) {
    const int64_t stride = max64(1, count / SAMPLE);
    const int64_t seen = (count + stride - 1) / stride;
    for (int64_t s = 0; s < seen; s++) rows[s] = items[s * stride];
    return seen;
}

/* Return how good a cut is that leaves this many of the examined boxes on either side. */
static inline double score_of(int64_t left, int64_t right, int64_t seen) {
    return (double)(max64(left, right) + left + right - seen) / (double)seen;
}

/* Improve the best cut by one on a continuous axis. */
static void cut_interval(const BoxRows *boxes, const int32_t *rows, int64_t seen, int64_t axis,
                         Box box, Cut *best) {
    const int64_t every = max64(1, seen / CUTS), d = boxes->lower.columns;
    double lower[MOST_SEEN], upper[MOST_SEEN];
    for (int64_t s = 0; s < seen; s++) {
        lower[s] = boxes->lower.at[rows[s] * d + axis];
        upper[s] = boxes->upper.at[rows[s] * d + axis];
    }
    const double low = box.lower[axis], high = box.upper[axis];
    double cuts[2 * CUTS + 2];
    int found = 0;
    for (int64_t s = 0; s < seen && found + 2 <= 2 * CUTS + 2; s += every) {
        if (low < lower[s] && lower[s] < high) cuts[found++] = lower[s];
        if (low < upper[s] && upper[s] < high) cuts[found++] = upper[s];
    }
    for (int c = 0; c < found; c++) {
        const double value = cuts[c];
        int64_t left = 0, right = 0;
        for (int64_t s = 0; s < seen; s++) {
            left += lower[s] < value;
            right += upper[s] > value;
        }
        const double score = score_of(left, right, seen);
        if (score < best->score) *best = (Cut){score, axis, value, -1};
    }
}

/* Improve the best cut by one by another box's set of values of a categorical feature. */
static void cut_values(const BoxRows *boxes, const int32_t *rows, int64_t seen, int64_t j, Box box,
                       Cut *best) {
    const int64_t every = max64(1, seen / CUTS);
    const int64_t start = boxes->starts.at[j], stop = boxes->starts.at[j + 1];
    for (int64_t c = 0; c < seen; c += every) {
        const uint64_t *cutter = ROW(boxes->masks, rows[c]);
        uint64_t inside = 0, beyond = 0;
        for (int64_t w = start; w < stop; w++) {
            inside |= box.masks[w] & cutter[w];
            beyond |= box.masks[w] & ~cutter[w];
        }
        if (!inside || !beyond) continue;
        int64_t left = 0, right = 0;
        for (int64_t s = 0; s < seen; s++) {
            const uint64_t *words = ROW(boxes->masks, rows[s]);
            uint64_t on_left = 0, on_right = 0;
            for (int64_t w = start; w < stop; w++) {
                const uint64_t shared = words[w] & box.masks[w];
                on_left |= shared & cutter[w];
                on_right |= shared & ~cutter[w];
            }
            left += on_left != 0;
            right += on_right != 0;
        }
        const double score = score_of(left, right, seen);
        if (score < best->score)
            *best = (Cut){score, boxes->lower.columns + j, 0.0, rows[c]};
    }
}

/* Write the parts of a box that a single other one leaves, and return how many there are then. The
 * box is used up. */
static int64_t carve(const BoxRows *boxes, int64_t row, Box box, const BoxRows *out,
                     int64_t found) {
    const Box other = row_of(&boxes->lower, &boxes->upper, &boxes->masks, row);
    for (int64_t i = 0; i < boxes->lower.columns; i++) {
        if (other.lower[i] > box.lower[i]) {
            const Box part = row_of(&out->lower, &out->upper, &out->masks, found++);
            copy_box(boxes, part, box);
            part.upper[i] = box.lower[i] = other.lower[i];
        }
        if (other.upper[i] < box.upper[i]) {
            const Box part = row_of(&out->lower, &out->upper, &out->masks, found++);
            copy_box(boxes, part, box);
            part.lower[i] = box.upper[i] = other.upper[i];
        }
    }
    for (int64_t j = 0; j < n_sets(&boxes->starts); j++) {
        const int64_t start = boxes->starts.at[j], stop = boxes->starts.at[j + 1];
        uint64_t beyond = 0;
        for (int64_t w = start; w < stop; w++) beyond |= box.masks[w] & ~other.masks[w];
        if (!beyond) continue;
        const Box part = row_of(&out->lower, &out->upper, &out->masks, found++);
        copy_box(boxes, part, box);
        for (int64_t w = start; w < stop; w++) {
            part.masks[w] &= ~other.masks[w];
            box.masks[w] &= other.masks[w];
        }
    }
    return found;
}

/* Return whether one of the boxes meets the left (or right) part of a box that is cut. */
static inline bool is_beside(const BoxRows *boxes, int64_t row, Box box, const Cut *cut,
                             bool left) {
    const int64_t j = cut->axis - boxes->lower.columns;
    if (j < 0)
        return left ? ROW(boxes->lower, row)[cut->axis] < cut->value
                    : ROW(boxes->upper, row)[cut->axis] > cut->value;
    const uint64_t *words = ROW(boxes->masks, row), *cutter = ROW(boxes->masks, cut->row);
    uint64_t shared = 0;
    for (int64_t w = boxes->starts.at[j]; w < boxes->starts.at[j + 1]; w++)
        shared |= words[w] & box.masks[w] & (left ? cutter[w] : ~cutter[w]);
    return shared;
}

/* Put the left (or right) part of a box that is cut on the stack, without its items. */
static void push(const BoxRows *boxes, Box box, const Cut *cut, bool left, Stack *stack,
                 int64_t depth) {
    const Box part = row_of(&stack->lower, &stack->upper, &stack->masks, depth);
    const int64_t j = cut->axis - boxes->lower.columns;
    copy_box(boxes, part, box);
    if (j < 0) {
        (left ? part.upper : part.lower)[cut->axis] = cut->value;
        return;
    }
    const uint64_t *cutter = ROW(boxes->masks, cut->row);
    for (int64_t w = boxes->starts.at[j]; w < boxes->starts.at[j + 1]; w++)
        part.masks[w] &= left ? cutter[w] : ~cutter[w];
}

/* Go on cutting what is on the stack, and write the parts that none of the boxes meets.
 *
 * Box k of the stack comes with the boxes that meet it, the rows items[begin[k]] to items[end[k]].
 * It stops when the stack is empty, after max_nodes, or when there might not be enough room for
 * more parts, nodes or items. counts are the depth of the stack (before and after), how many parts
 * were found, and how many nodes were examined.
 */
EXPORT int64_t find_gaps(const BoxRows *boxes, Stack *stack, int64_t max_nodes, BoxRows *out,
                         int64_t *counts) {
    const int64_t d = boxes->lower.columns, sets = n_sets(&boxes->starts);
    int32_t *items = stack->items.at;
    int32_t rows[MOST_SEEN];
    int64_t depth = counts[0], found = 0, nodes = 0;
    void *cells = malloc((size_t)(2 * d + boxes->masks.columns + 1) * sizeof(double));
    if (!cells) return NO_MEMORY;
    const Box here = box_in(cells, d);
    while (depth && nodes < max_nodes) {
        const int64_t begin = stack->begin.at[depth - 1], end = stack->end.at[depth - 1];
        const int64_t count = end - begin;
        if (found + 2 * d + sets + 1 > out->lower.rows || depth + 1 > stack->begin.rows ||
            end + 2 * count > stack->items.rows)
            break;
        depth--;
        nodes++;
        copy_box(boxes, here, row_of(&stack->lower, &stack->upper, &stack->masks, depth));
        if (count == 0) {
            copy_box(boxes, row_of(&out->lower, &out->upper, &out->masks, found++), here);
            continue;
        }
        bool covered = false;
        for (int64_t s = begin; s < end && !covered; s++) covered = holds(boxes, items[s], here);
        if (covered) continue;
        if (count == 1) {
            found = carve(boxes, items[begin], here, out, found);
            continue;
        }
        /* A box that meets this one and does not hold it has a bound inside, so there is a cut. */
        Cut cut = {INFINITY, -1, 0.0, -1};
        const int64_t seen = sample(items + begin, count, rows);
        for (int64_t i = 0; i < d; i++) cut_interval(boxes, rows, seen, i, here, &cut);
        for (int64_t j = 0; j < sets; j++) cut_values(boxes, rows, seen, j, here, &cut);
        /* Both parts are written behind the whole and then moved over it. */
        int64_t middle = end;
        for (int64_t s = begin; s < end; s++) {
            items[middle] = items[s];
            middle += is_beside(boxes, items[s], here, &cut, true);
        }
        int64_t last = middle;
        for (int64_t s = begin; s < end; s++) {
            items[last] = items[s];
            last += is_beside(boxes, items[s], here, &cut, false);
        }
        const int64_t size = last - end;
        middle -= count;
        memmove(items + begin, items + end, (size_t)size * sizeof *items);
        stack->begin.at[depth] = begin;
        stack->end.at[depth] = middle;
        push(boxes, here, &cut, true, stack, depth++);
        stack->begin.at[depth] = middle;
        stack->end.at[depth] = begin + size;
        push(boxes, here, &cut, false, stack, depth++);
    }
    free(cells);
    counts[0] = depth;
    counts[1] = found;
    counts[2] = nodes;
    return 0;
}
