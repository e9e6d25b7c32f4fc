/* Rules and instances: which rules cover which instances, and what follows from it. */

#include "irenic.h"

/* Instances that are tested together: 20 features of 512 doubles fit the second-level cache. */
#define BLOCK 512

/* Set inside[k] to whether rule r covers instance first + k, and return how many it covers.
 *
 * Features that the rule does not test are not looked at. So if unknown values are NaN, and codes in
 * no set, a rule covers an instance if it holds whatever these values are.
 */
static int64_t cover_block(const RuleColumns *rules, const Points *points, int64_t r, int64_t first,
                           int64_t last, uint8_t *restrict inside) {
    const int64_t size = last - first;
    int64_t tested = 0;
    memset(inside, 1, (size_t)size);
    for (int64_t i = 0; i < rules->lower.rows; i++) {
        const double low = ROW(rules->lower, i)[r];
        const double high = ROW(rules->upper, i)[r];
        if (low == -INFINITY && high == INFINITY) continue;
        const double *restrict values = ROW(points->values, i) + first;
        for (int64_t k = 0; k < size; k++) inside[k] &= (values[k] >= low) & (values[k] < high);
        tested++;
        if ((tested & 3) == 0) { /* looking after every feature costs more than it saves */
            uint8_t left = 0;
            for (int64_t k = 0; k < size; k++) left |= inside[k];
            if (!left) return 0;
        }
    }
    for (int64_t j = 0; j < n_sets(&rules->starts); j++) {
        const int64_t start = rules->starts.at[j], stop = rules->starts.at[j + 1];
        bool restricted = false;
        for (int64_t w = start; w < stop; w++)
            restricted |= ROW(rules->masks, w)[r] != rules->everything.at[w];
        if (!restricted) continue;
        const int32_t *restrict codes = ROW(points->codes, j) + first;
        if (stop == start + 1) { /* a single word stays in a register */
            const uint64_t word = ROW(rules->masks, start)[r];
            for (int64_t k = 0; k < size; k++) inside[k] &= (word >> (codes[k] & 63)) & 1;
            continue;
        }
        for (int64_t k = 0; k < size; k++) {
            const uint64_t word = ROW(rules->masks, start + (codes[k] >> 6))[r];
            inside[k] &= (word >> (codes[k] & 63)) & 1;
        }
    }
    int64_t count = 0;
    for (int64_t k = 0; k < size; k++) count += inside[k];
    return count;
}

/* Set out[r, k] to whether rule r covers instance k, for instances first to last. */
EXPORT void covering(const RuleColumns *rules, const Points *points, int64_t first, int64_t last,
                     uint8_t *out) {
    const int64_t total = points->values.rows ? points->values.columns : points->codes.columns;
    for (int64_t begin = first; begin < last; begin += BLOCK) {
        const int64_t end = min64(begin + BLOCK, last);
        for (int64_t r = 0; r < rules->n; r++)
            cover_block(rules, points, r, begin, end, out + r * total + begin);
    }
}

/* Set out[r] to whether rule r covers a single instance. */
EXPORT void covering_one(const RuleColumns *rules, const double *values, const int32_t *codes,
                         uint8_t *restrict out) {
    const int64_t n = rules->n;
    memset(out, 1, (size_t)n);
    for (int64_t i = 0; i < rules->lower.rows; i++) {
        const double value = values[i];
        const double *restrict lower = ROW(rules->lower, i);
        const double *restrict upper = ROW(rules->upper, i);
        for (int64_t r = 0; r < n; r++) out[r] &= (lower[r] <= value) & (value < upper[r]);
    }
    for (int64_t j = 0; j < n_sets(&rules->starts); j++) {
        const uint64_t *restrict words = ROW(rules->masks, rules->starts.at[j] + (codes[j] >> 6));
        const int shift = codes[j] & 63;
        for (int64_t r = 0; r < n; r++) out[r] &= (words[r] >> shift) & 1;
    }
}

/* Set out[k] to the first rule of the order that covers instance k, -1 for none. */
EXPORT void deciding(const RuleColumns *rules, const Points *points, const Ints *order,
                     int64_t first, int64_t last, int64_t *out) {
    uint8_t inside[BLOCK];
    for (int64_t begin = first; begin < last; begin += BLOCK) {
        const int64_t end = min64(begin + BLOCK, last);
        int64_t left = end - begin;
        for (int64_t k = begin; k < end; k++) out[k] = -1;
        for (int64_t o = 0; o < order->rows && left; o++) {
            const int64_t r = order->at[o];
            if (!cover_block(rules, points, r, begin, end, inside)) continue;
            for (int64_t k = 0; k < end - begin; k++) {
                if (inside[k] && out[begin + k] < 0) {
                    out[begin + k] = r;
                    left--;
                }
            }
        }
    }
}

/* Set out[k] to the first rule of the consequent with the most weight, -1 for none.
 *
 * Of several consequents with the same weight, the one whose rule comes first wins.
 */
EXPORT int64_t voting(const RuleColumns *rules, const Points *points, int64_t n_thens,
                      int64_t first, int64_t last, int64_t *out) {
    uint8_t inside[BLOCK];
    const size_t cells = (size_t)(BLOCK * max64(n_thens, 1));
    double *tally = malloc(cells * sizeof *tally);
    int64_t *rank = malloc(cells * sizeof *rank);
    if (!tally || !rank) {
        free(tally);
        free(rank);
        return NO_MEMORY;
    }
    for (int64_t begin = first; begin < last; begin += BLOCK) {
        const int64_t size = min64(BLOCK, last - begin);
        for (int64_t c = 0; c < size * n_thens; c++) {
            tally[c] = 0.0;
            rank[c] = rules->n;
        }
        for (int64_t r = 0; r < rules->n; r++) {
            if (!cover_block(rules, points, r, begin, begin + size, inside)) continue;
            for (int64_t k = 0; k < size; k++) {
                if (!inside[k]) continue;
                const int64_t c = k * n_thens + rules->then.at[r];
                tally[c] += rules->weight.at[r];
                rank[c] = min64(rank[c], r);
            }
        }
        for (int64_t k = 0; k < size; k++) {
            const double *weights = tally + k * n_thens;
            const int64_t *ranks = rank + k * n_thens;
            int64_t best = -1;
            for (int64_t c = 0; c < n_thens; c++) {
                if (ranks[c] == rules->n) continue;
                if (best < 0 || weights[c] > weights[best] ||
                    (weights[c] == weights[best] && ranks[c] < ranks[best]))
                    best = c;
            }
            out[begin + k] = best < 0 ? -1 : ranks[best];
        }
    }
    free(tally);
    free(rank);
    return 0;
}

/* Add to mix[r, label] how many instances of each label rule r covers, and to sums[k] the sum of
 * each[r] over all rules that cover instance k. */
EXPORT void counting(const RuleColumns *rules, const Points *points, const Ints *labels,
                     const int64_t *each, Ints *mix, int64_t *sums) {
    uint8_t inside[BLOCK];
    for (int64_t begin = 0; begin < labels->rows; begin += BLOCK) {
        const int64_t end = min64(begin + BLOCK, labels->rows);
        for (int64_t r = 0; r < rules->n; r++) {
            if (!cover_block(rules, points, r, begin, end, inside)) continue;
            const int64_t *restrict label = labels->at + begin;
            int64_t *restrict row = ROW(*mix, r);
            int64_t *restrict sum = sums + begin;
            const int64_t more = each[r];
            for (int64_t k = 0; k < end - begin; k++) {
                if (!inside[k]) continue;
                row[label[k]]++;
                sum[k] += more;
            }
        }
    }
}

/* Add change to the counts of the instances that are inside, keep the pool of instances with
 * count 0 current, and return its new size. */
EXPORT int64_t update_pool(const uint8_t *restrict inside, int64_t change, Pool *pool,
                           int64_t size) {
    int64_t *restrict counts = pool->counts.at;
    int64_t *restrict members = pool->members.at;
    int64_t *restrict place = pool->place.at;
    const int64_t n = pool->counts.rows;
    for (int64_t k = 0; k < n; k++) {
        if (!inside[k]) continue;
        const int64_t before = counts[k];
        counts[k] = before + change;
        if (before == 0 && change > 0) {
            const int64_t last = members[--size];
            members[place[k]] = last;
            place[last] = place[k];
            place[k] = -1;
        } else if (before > 0 && counts[k] == 0) {
            members[size] = k;
            place[k] = size++;
        }
    }
    return size;
}
