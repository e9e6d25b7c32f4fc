/* CFSBE: boxes grown around a seed, among rules that are rivals or not.
 *
 * The axes are the features, continuous ones first. Instead of testing all other axes again for
 * each rule, as Algorithm 2 of the paper does, count on how many axes the box is still apart from
 * it: a box is grown in time proportional to features times rules.
 */

#include <float.h>

#include "irenic.h"

/* A count of axes that stays above 1 however many are taken off: the rule is no rival. */
#define NO_RIVAL (1 << 14)
/* Rules that are looked at together. */
#define BLOCK 256

/* Where rules stand apart from a box that is being grown. */
typedef struct {
    uint8_t *outside; /* whether a rule and the seed are disjoint on an axis [axes, n] */
    int16_t *count;   /* on how many axes each rule is apart from the box [n] */
} Apart;

/* Return the first rule that is apart from the seed on no axis, -1 for none. */
static int64_t first_rival(const int16_t *restrict count, int64_t n) {
    uint8_t found = 0;
    for (int64_t r = 0; r < n; r++) found |= count[r] == 0;
    for (int64_t r = 0; found && r < n; r++)
        if (count[r] == 0) return r;
    return -1;
}

/* Note on which axes each rule leaves the seed out, and on how many. Return the first rival that
 * covers the seed, -1 for none.
 *
 * Rules with the seed's consequent are no rivals: their count is so high that they never matter.
 */
static int64_t note_apart(const RuleColumns *rules, const double *values, const int32_t *codes,
                          int64_t then, Apart apart) {
    const int64_t n = rules->n, d = rules->lower.rows;
    const int32_t *restrict thens = rules->then.at;
    int16_t *restrict count = apart.count;
    for (int64_t r = 0; r < n; r++) count[r] = thens[r] == then ? NO_RIVAL : 0;
    for (int64_t i = 0; i < d; i++) {
        const double value = values[i];
        const double *restrict lower = ROW(rules->lower, i);
        const double *restrict upper = ROW(rules->upper, i);
        uint8_t *restrict outside = apart.outside + i * n;
        for (int64_t r = 0; r < n; r++) {
            const uint8_t out = 1 ^ ((lower[r] <= value) & (value < upper[r]));
            outside[r] = out;
            count[r] += out;
        }
    }
    for (int64_t j = 0; j < n_sets(&rules->starts); j++) {
        const uint64_t *restrict words = ROW(rules->masks, rules->starts.at[j] + (codes[j] >> 6));
        const int shift = codes[j] & 63;
        uint8_t *restrict outside = apart.outside + (d + j) * n;
        for (int64_t r = 0; r < n; r++) {
            const uint8_t out = 1 ^ ((words[r] >> shift) & 1);
            outside[r] = out;
            count[r] += out;
        }
    }
    return first_rival(count, n);
}

/* Do what note_apart does for a seed that is a box. Return the first rival that overlaps it. */
static int64_t note_apart_box(const RuleColumns *rules, Box seed, int64_t then, Apart apart) {
    const int64_t n = rules->n, d = rules->lower.rows;
    const int32_t *restrict thens = rules->then.at;
    int16_t *restrict count = apart.count;
    for (int64_t r = 0; r < n; r++) count[r] = thens[r] == then ? NO_RIVAL : 0;
    for (int64_t i = 0; i < d; i++) {
        const double low = seed.lower[i], high = seed.upper[i];
        const double *restrict lower = ROW(rules->lower, i);
        const double *restrict upper = ROW(rules->upper, i);
        uint8_t *restrict outside = apart.outside + i * n;
        for (int64_t r = 0; r < n; r++) {
            const uint8_t out = 1 ^ ((lower[r] < high) & (low < upper[r]));
            outside[r] = out;
            count[r] += out;
        }
    }
    for (int64_t j = 0; j < n_sets(&rules->starts); j++) {
        uint8_t *restrict outside = apart.outside + (d + j) * n;
        memset(outside, 1, (size_t)n);
        for (int64_t w = rules->starts.at[j]; w < rules->starts.at[j + 1]; w++) {
            const uint64_t *restrict words = ROW(rules->masks, w);
            const uint64_t word = seed.masks[w];
            for (int64_t r = 0; r < n; r++) outside[r] &= (words[r] & word) == 0;
        }
        for (int64_t r = 0; r < n; r++) count[r] += outside[r];
    }
    return first_rival(count, n);
}

/* Return whether the box is apart from some of the rules on an axis alone. */
static inline bool any_stops(const uint8_t *restrict outside, const int16_t *restrict count,
                             int64_t first, int64_t last) {
    uint8_t found = 0;
    for (int64_t r = first; r < last; r++) found |= outside[r] & (count[r] == 1);
    return found;
}

/* Set how far the box can grow on a continuous axis. What stops it are the rules that it is apart
 * from on this axis alone. The value is that of the seed, or any of a seed that is a box: a rule that
 * is apart from the seed lies above all of its values, or below all. */
static void limit_interval(const RuleColumns *rules, int64_t axis, double value, Box box,
                           Apart apart) {
    const int64_t n = rules->n;
    const double *lower = ROW(rules->lower, axis), *upper = ROW(rules->upper, axis);
    const uint8_t *outside = apart.outside + axis * n;
    double low = -INFINITY, high = INFINITY;
    for (int64_t first = 0; first < n; first += BLOCK) {
        const int64_t last = min64(first + BLOCK, n);
        if (!any_stops(outside, apart.count, first, last)) continue;
        for (int64_t r = first; r < last; r++) {
            if (apart.count[r] != 1 || !outside[r]) continue;
            if (value < lower[r]) {
                if (lower[r] < high) high = lower[r];
            } else if (upper[r] > low) {
                low = upper[r];
            }
        }
    }
    /* nothing lies between "missing" and the lowest value */
    if (value == -INFINITY && high <= rules->lowest.at[axis]) high = -DBL_MAX;
    box.lower[axis] = low;
    box.upper[axis] = high;
}

/* Set the values that the box can take on a categorical axis. */
static void limit_values(const RuleColumns *rules, int64_t axis, Box box, Apart apart) {
    const int64_t n = rules->n, j = axis - rules->lower.rows;
    const int64_t start = rules->starts.at[j], stop = rules->starts.at[j + 1];
    const uint8_t *outside = apart.outside + axis * n;
    for (int64_t w = start; w < stop; w++) box.masks[w] = rules->everything.at[w];
    for (int64_t first = 0; first < n; first += BLOCK) {
        const int64_t last = min64(first + BLOCK, n);
        if (!any_stops(outside, apart.count, first, last)) continue;
        for (int64_t r = first; r < last; r++) {
            if (apart.count[r] != 1 || !outside[r]) continue;
            for (int64_t w = start; w < stop; w++) box.masks[w] &= ~ROW(rules->masks, w)[r];
        }
    }
}

/* Take into account how far the box has grown on a continuous axis. */
static void grow_interval(const RuleColumns *rules, int64_t axis, Box box, Apart apart) {
    const int64_t n = rules->n;
    const double low = box.lower[axis], high = box.upper[axis];
    const double *restrict lower = ROW(rules->lower, axis);
    const double *restrict upper = ROW(rules->upper, axis);
    const uint8_t *restrict outside = apart.outside + axis * n;
    int16_t *restrict count = apart.count;
    if (low == -INFINITY && high == INFINITY) {
        for (int64_t r = 0; r < n; r++) count[r] -= outside[r];
    } else {
        for (int64_t r = 0; r < n; r++)
            count[r] -= outside[r] & ((lower[r] < high) & (low < upper[r]));
    }
}

/* Take into account which values the box now has on a categorical axis. */
static void grow_values(const RuleColumns *rules, int64_t axis, Box box, Apart apart) {
    const int64_t n = rules->n, j = axis - rules->lower.rows;
    for (int64_t first = 0; first < n; first += BLOCK) {
        const int64_t size = min64(BLOCK, n - first);
        const uint8_t *restrict outside = apart.outside + axis * n + first;
        int16_t *restrict count = apart.count + first;
        uint64_t shared[BLOCK] = {0};
        for (int64_t w = rules->starts.at[j]; w < rules->starts.at[j + 1]; w++) {
            const uint64_t *restrict words = ROW(rules->masks, w) + first;
            const uint64_t word = box.masks[w];
            for (int64_t r = 0; r < size; r++) shared[r] |= words[r] & word;
        }
        for (int64_t r = 0; r < size; r++) count[r] -= outside[r] & (shared[r] != 0);
    }
}

/* Set one side of the box to how far it can grow. */
static inline void limit_axis(const RuleColumns *rules, const double *values, int64_t axis, Box box,
                              Apart apart) {
    if (axis < rules->lower.rows)
        limit_interval(rules, axis, values[axis], box, apart);
    else
        limit_values(rules, axis, box, apart);
}

/* Take into account how far the box has grown on an axis. */
static inline void grow_axis(const RuleColumns *rules, int64_t axis, Box box, Apart apart) {
    if (axis < rules->lower.rows)
        grow_interval(rules, axis, box, apart);
    else
        grow_values(rules, axis, box, apart);
}

static int64_t n_axes(const RuleColumns *rules) {
    return rules->lower.rows + n_sets(&rules->starts);
}

/* Allocate what tells where the rules stand apart: one piece of memory, to be freed by its counts,
 * which are NULL if there is not enough. */
static Apart new_apart(const RuleColumns *rules) {
    const size_t n = (size_t)rules->n;
    int16_t *count = malloc(n * sizeof *count + n * (size_t)n_axes(rules) + 1);
    return (Apart){count ? (uint8_t *)(count + n) : NULL, count};
}

/* Grow a box axis by axis, from where the rules stand apart from its seed. */
static void grow_axes(const RuleColumns *rules, const double *values, const int64_t *order, Box box,
                      Apart apart) {
    for (int64_t o = 0; o < n_axes(rules); o++) {
        limit_axis(rules, values, order[o], box, apart);
        grow_axis(rules, order[o], box, apart);
    }
}

/* Grow a box around a seed, axis by axis. Return a rival that covers the seed, -1 for none. */
static int64_t grow_box(const RuleColumns *rules, const double *values, const int32_t *codes,
                        const int64_t *order, int64_t then, Box box, Apart apart) {
    const int64_t covered = note_apart(rules, values, codes, then, apart);
    if (covered < 0) grow_axes(rules, values, order, box, apart);
    return covered;
}

/* Grow a box around a seed, axis by axis, and write its cells. The order names all axes. Return a
 * rival that covers the seed (then the cells are not written), -1 for none. */
EXPORT int64_t enlarge(const RuleColumns *rules, const double *values, const int32_t *codes,
                       const int64_t *order, int64_t then, void *cells) {
    const Apart apart = new_apart(rules);
    if (!apart.count) return NO_MEMORY;
    const Box box = box_in(cells, rules->lower.rows);
    const int64_t covered = grow_box(rules, values, codes, order, then, box, apart);
    free(apart.count);
    return covered;
}

/* Do what enlarge does for a seed that is a box, given by its cells. Return a rival that overlaps
 * the seed, -1 for none. */
EXPORT int64_t enlarge_box(const RuleColumns *rules, void *seed, const int64_t *order, int64_t then,
                           void *cells) {
    const Apart apart = new_apart(rules);
    if (!apart.count) return NO_MEMORY;
    const Box start = box_in(seed, rules->lower.rows), box = box_in(cells, rules->lower.rows);
    const int64_t rival = note_apart_box(rules, start, then, apart);
    if (rival < 0) grow_axes(rules, start.lower, order, box, apart);
    free(apart.count);
    return rival;
}

/* Do what enlarge does for the seeds first to last, each with its row of the boxes. */
EXPORT int64_t enlarge_many(const RuleColumns *rules, const Seeds *seeds, const BoxRows *boxes,
                            int64_t *covered, int64_t first, int64_t last) {
    const Apart apart = new_apart(rules);
    if (!apart.count) return NO_MEMORY;
    for (int64_t s = first; s < last; s++) {
        const Box box = {ROW(boxes->lower, s), ROW(boxes->upper, s), ROW(boxes->masks, s)};
        covered[s] = grow_box(rules, ROW(seeds->values, s), ROW(seeds->codes, s),
                              ROW(seeds->order, s), seeds->then.at[s], box, apart);
    }
    free(apart.count);
    return 0;
}

/* One step at a time, for a search over the orders of the axes. */

/* Note where each rule stands apart from the seed. Return a rival that covers the seed, -1 for
 * none. */
EXPORT int64_t stand_apart(const RuleColumns *rules, Seed *seed, int16_t *count) {
    const Apart apart = {seed->outside.at, count};
    return note_apart(rules, seed->values.at, seed->codes.at, seed->then, apart);
}

/* Set the sides of a box on some axes to how far each could grow next. */
EXPORT void limit(const RuleColumns *rules, const Seed *seed, const int64_t *axes, int64_t n,
                  int16_t *count, void *cells) {
    const Apart apart = {seed->outside.at, count};
    const Box box = box_in(cells, rules->lower.rows);
    for (int64_t a = 0; a < n; a++) limit_axis(rules, seed->values.at, axes[a], box, apart);
}

/* Take into account how far a box has grown on an axis. */
EXPORT void grow(const RuleColumns *rules, const Seed *seed, int64_t axis, void *cells,
                 int16_t *count) {
    const Apart apart = {seed->outside.at, count};
    grow_axis(rules, axis, box_in(cells, rules->lower.rows), apart);
}
