/* The best condition of a rule on one feature, and rules that such conditions grow around a row.
 *
 * What a rule adds to the score is a sum over its rows. Given its other conditions, the rows that
 * it may still choose among are known, so the best condition on a feature follows from the sums of
 * its cells: the interval or the set with the highest sum, minus what it costs to read.
 */

#include "evolve.h"

/* The most steps that a rule takes to grow. */
#define GROWTH_LIMIT 100
/* How much losses count at first, at least, and by which factor more whenever a rule cannot
 * improve. */
#define LEAST_LOSS 0.001
#define FIRMER 1.4
/* The least step while losses count less, as a share of what the rule gains. */
#define COARSE 0.02

/* --- the best condition for sums of cells */

/* Return the middle of the indices from first on, up to last, with the value of first. */
static int64_t middle_of_ties(const double *values, int64_t first, int64_t last) {
    int64_t end = first;
    while (end < last && values[end + 1] == values[first]) end++;
    return (first + end) / 2;
}

/* Return the best interval of cells inside [from, to) that contains the cell seed (-1: any).
 *
 * Where the sum does not depend on a bound, the bound is in the middle.
 */
static uint64_t best_interval(const double *sums, int64_t n, int64_t from, int64_t to,
                              int64_t seed, double penalty, double *value) {
    double before[65]; /* sum of the cells before each */
    before[0] = 0.0;
    for (int64_t c = 0; c < n; c++) before[c + 1] = before[c] + sums[c];
    const int64_t low_end = seed >= 0 ? seed : to - 1, high_begin = seed >= 0 ? seed + 1 : from + 1;
    int64_t best_low = from, best_high = to;
    double best = before[to] - before[from] - penalty * ((from > 0) + (to < n));
    /* one bound: the other end of the interval is that of the room */
    int64_t low = from + 1, high = high_begin;
    for (int64_t c = from + 2; c <= low_end; c++)
        if (before[c] < before[low]) low = c;
    for (int64_t c = high_begin + 1; c < to; c++)
        if (before[c] > before[high]) high = c;
    if (low <= low_end) {
        const double found = before[to] - before[low] - penalty * (1 + (to < n));
        if (found > best) best = found, best_low = low, best_high = to;
    }
    if (high < to) {
        const double found = before[high] - before[from] - penalty * ((from > 0) + 1);
        if (found > best) best = found, best_low = from, best_high = high;
    }
    /* two bounds */
    int64_t lowest = from + 1;
    for (int64_t c = from + 2; c < to; c++) {
        if (c >= high_begin && lowest <= low_end) {
            const double found = before[c] - before[lowest] - 2.0 * penalty;
            if (found > best) best = found, best_low = lowest, best_high = c;
        }
        if (c <= low_end && before[c] < before[lowest]) lowest = c;
    }
    if (best_low > from) best_low = middle_of_ties(before, best_low, min64(low_end, best_high - 1));
    if (best_high < to) best_high = middle_of_ties(before, best_high, to - 1);
    *value = best;
    return bits_between(best_low, best_high);
}

/* Return the best set of cells in a word, with the cell seed (-1: none), and without losses. */
static uint64_t best_set(const double *sums, uint64_t all_cells, uint64_t word, int64_t seed,
                         double penalty, double *value) {
    double whole = 0.0, best = 0.0;
    uint64_t set = 0;
    for (uint64_t left = word; left; left &= left - 1) {
        const int64_t c = first_bit(left);
        whole += sums[c];
        if (sums[c] < 0.0 && c != seed) continue;
        set |= bit(c);
        best += sums[c];
    }
    if (!set) { /* the least loss */
        set = bit(first_bit(word));
        for (uint64_t left = word; left; left &= left - 1)
            if (sums[first_bit(left)] > sums[first_bit(set)]) set = bit(first_bit(left));
        best = sums[first_bit(set)];
    }
    if (set != all_cells) best -= penalty;
    if (word != all_cells) whole -= penalty;
    *value = whole >= best ? whole : best;
    return whole >= best ? word : set;
}

/* Return the best condition on a feature inside a word, by the sums of its cells.
 *
 * It contains the cell seed (-1: any). value receives its sum minus the penalty for its bounds.
 */
static uint64_t best_word(const CellRows *rows, int64_t f, const double *sums, uint64_t word,
                          int64_t seed, double penalty, double *value) {
    if (!rows->ordered.at[f])
        return best_set(sums, rows->everything.at[f], word, seed, penalty, value);
    return best_interval(sums, rows->n_cells.at[f], first_bit(word), last_bit(word) + 1, seed,
                         penalty, value);
}

/* Return the sum of the cells of a condition, minus the penalty for its bounds. */
static double value_of_word(const CellRows *rows, int64_t f, const double *sums, uint64_t word,
                            double penalty) {
    double value = word == rows->everything.at[f] ? 0.0 : -penalty * price(rows, f, word);
    for (; word; word &= word - 1) value += sums[first_bit(word)];
    return value;
}

/* --- conditions of a rule */

/* Return what predicting a consequent adds to the score at row i, if the rule at place own (NEW:
 * none) did not cover it. */
static double gain_at(const CellRows *rows, const Draft *draft, int64_t i, int64_t then,
                      int64_t own) {
    const float *gains = rows->gains.at + i * rows->gains.columns;
    int64_t code = draft->predicted.at[i];
    if (own >= 0 && draft->count.at[i] == 1 && has_row(ROW(draft->cover, own), i))
        code = draft->state->code_by_default;
    return gains[then] - gains[code];
}

/* Return the best condition on feature f for the rule at place own, inside a word.
 *
 * The desk receives the rule without that condition, and its rows.
 */
uint64_t best_condition(const CellRows *rows, const Draft *draft, int64_t own, int64_t f,
                        uint64_t word) {
    const int64_t desk = desk_place(draft), then = draft->then.at[own];
    copy_rule(draft, own, desk);
    set_test(rows, draft, desk, f, rows->everything.at[f]);
    find_cover(rows, draft, desk);
    double *sums = draft->bench->sums.at;
    memset(sums, 0, 64 * sizeof *sums);
    const uint8_t *cells = ROW(rows->cells, f);
    for (int64_t w = 0; w < draft->cover.columns; w++) {
        for (uint64_t left = ROW(draft->cover, desk)[w]; left; left &= left - 1) {
            const int64_t i = w * 64 + first_bit(left);
            sums[cells[i]] += gain_at(rows, draft, i, then, own);
        }
    }
    double value;
    return best_word(rows, f, sums, word, -1, draft->state->penalty, &value);
}

/* --- rules around a row */

/* Sum what rows add to the score, by cell, for each feature whose condition they alone may fail. */
static void sum_cells(const CellRows *rows, const Draft *draft, double loss) {
    const int64_t n = draft->count.rows, d = rows->n_cells.rows;
    double *sums = draft->bench->sums.at;
    int32_t *inside = draft->bench->inside.at;
    float *weights = draft->bench->weights.at;
    memset(sums, 0, (size_t)(d * 64) * sizeof *sums);
    int64_t n_inside = 0;
    for (int64_t i = 0; i < n; i++) {
        const float added = draft->bench->added.at[i];
        if (draft->bench->failed.at[i] > 1 || added == 0.0f) continue;
        const float weight = added < 0.0f ? (float)loss * added : added;
        if (draft->bench->failed.at[i] == 0) {
            inside[n_inside] = (int32_t)i;
            weights[n_inside++] = weight;
        } else {
            const int64_t f = draft->bench->failing.at[i];
            sums[f * 64 + cell_of(rows, f, i)] += weight;
        }
    }
    for (int64_t f = 0; f < d; f++) {
        const uint8_t *cells = ROW(rows->cells, f);
        double *own = sums + f * 64;
        for (int64_t k = 0; k < n_inside; k++) own[cells[inside[k]]] += weights[k];
    }
}

/* Count again which conditions rows fail, after that on feature f has become another. */
static void recount(const CellRows *rows, const Draft *draft, int64_t f, uint64_t old,
                    uint64_t new) {
    const uint8_t *cells = ROW(rows->cells, f);
    for (int64_t i = 0; i < draft->count.rows; i++) {
        const int more = (int)(old >> cells[i] & 1) - (int)(new >> cells[i] & 1);
        draft->bench->failed.at[i] = (uint8_t)(draft->bench->failed.at[i] + more);
        draft->bench->failing.at[i] = (int32_t)(draft->bench->failing.at[i] + more * f);
    }
}

/* Return gains over losses of the rows inside; gained receives the gains. */
static double ratio_inside(const Draft *draft, double *gained) {
    double lost = 1e-9;
    *gained = 0.0;
    for (int64_t i = 0; i < draft->count.rows; i++) {
        if (draft->bench->failed.at[i]) continue;
        const double added = draft->bench->added.at[i];
        if (added > 0.0)
            *gained += added;
        else
            lost -= added;
    }
    return *gained / lost;
}

/* Grow a rule on the desk that covers row i and predicts its best consequent.
 *
 * Each step replaces the condition whose best version adds most. At first, losses count so little
 * that the rule without conditions is no loss; whenever no step improves it, they count more. So
 * the rule first finds where its label is more frequent than elsewhere, and then its exact bounds.
 */
void grow_rule(const CellRows *rows, const Draft *draft, int64_t i) {
    const int64_t desk = desk_place(draft), d = rows->n_cells.rows, then = rows->best.at[i];
    const double penalty = draft->state->penalty;
    clear_rule(rows, draft, desk, then);
    for (int64_t k = 0; k < draft->count.rows; k++)
        draft->bench->added.at[k] = (float)gain_at(rows, draft, k, then, NEW);
    memset(draft->bench->failed.at, 0, (size_t)draft->bench->failed.rows);
    memset(draft->bench->failing.at, 0, (size_t)draft->bench->failing.rows * sizeof(int32_t));
    double gained;
    const double neutral = ratio_inside(draft, &gained);
    double loss = min_of(1.0, neutral > LEAST_LOSS ? neutral : LEAST_LOSS);
    for (int step = 0; step < GROWTH_LIMIT; step++) {
        sum_cells(rows, draft, loss);
        /* while losses count less, small steps are noise */
        double most = loss < 1.0 ? COARSE * gained : 1e-9;
        int64_t feature = -1;
        uint64_t best = 0;
        for (int64_t f = 0; f < d; f++) {
            const uint64_t word = ROW(draft->masks, desk)[f];
            const double *sums = draft->bench->sums.at + f * 64;
            double value;
            const uint64_t new = best_word(rows, f, sums, rows->everything.at[f],
                                           cell_of(rows, f, i), penalty, &value);
            const double more = value - value_of_word(rows, f, sums, word, penalty);
            if (more <= most || new == word || !lists_few(rows, draft, f, new)) continue;
            if (word == rows->everything.at[f] && draft->n_tests.at[desk] == draft->tests.columns)
                continue;
            most = more;
            feature = f;
            best = new;
        }
        if (feature >= 0) {
            const uint64_t old = ROW(draft->masks, desk)[feature];
            if (!set_test(rows, draft, desk, feature, best)) break;
            recount(rows, draft, feature, old, best);
        } else if (loss < 1.0) {
            const double ratio = ratio_inside(draft, &gained);
            loss = min_of(1.0, ratio > FIRMER * loss ? ratio : FIRMER * loss);
        } else {
            break;
        }
    }
}
