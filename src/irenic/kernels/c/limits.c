/* What users know: regions that rules must not enter, cases that cannot occur, sets that list few
 * values, and predictions that increase or decrease with a feature. */

#include "evolve.h"

/* Return whether a condition may be the word: a set lists few values, or leaves few out. */
bool lists_few(const CellRows *rows, const Draft *draft, int64_t f, uint64_t word) {
    if (draft->limits->most_values.rows == 0 || rows->ordered.at[f]) return true;
    const int64_t n = count_bits(word), n_cells = rows->n_cells.at[f];
    const int64_t limit = draft->limits->most_values.at[f];
    if (limit >= 0) return min64(n, n_cells - n) <= limit;
    /* the last cell is that of all other values, which are not listed */
    return (word >> (n_cells - 1) & 1 ? n_cells - n : n) <= -limit;
}

/* Return whether no case can occur where the rules at two places overlap.
 *
 * That is so if their overlap lies inside one of the impossible regions.
 */
bool only_impossible(const Draft *draft, int64_t p, int64_t q) {
    const uint64_t *mine = ROW(draft->masks, p), *theirs = ROW(draft->masks, q);
    for (int64_t i = 0; i < draft->limits->impossible.rows; i++) {
        const uint64_t *region = ROW(draft->limits->impossible, i);
        int64_t f = 0;
        while (f < draft->masks.columns && !(mine[f] & theirs[f] & ~region[f])) f++;
        if (f == draft->masks.columns) return true;
    }
    return false;
}

/* Return the last wall before w that the rule at place p must not enter and does; -1 if there is
 * none. */
int64_t next_wall(const Draft *draft, int64_t p, int64_t w) {
    const uint64_t *masks = ROW(draft->masks, p);
    const int64_t *tests = ROW(draft->tests, p);
    while (w > 0) {
        const uint64_t *wall = ROW(draft->limits->walls, --w);
        if (!ROW(draft->limits->banned, w)[draft->then.at[p]]) continue;
        int32_t k = 0;
        while (k < draft->n_tests.at[p] && masks[tests[k]] & wall[tests[k]]) k++;
        if (k == draft->n_tests.at[p]) return w;
    }
    return -1;
}

/* --- predictions that increase or decrease with a feature
 *
 * Predictions increase with a feature if and only if, above each rule that predicts more than the
 * default, rules predict at least as much, and below each rule that predicts less, at most as much.
 * Several rules may do so together, if few steps show it.
 */

#define STEP_LIMIT 256

/* Return on which side of its condition on f rules must follow the one at place p: 1 above, -1
 * below, 0 on neither. */
static int64_t side_of(const Draft *draft, int64_t p, int64_t f) {
    const int64_t *ranks = draft->limits->ranks.at;
    const int64_t more = ranks[draft->then.at[p]] - ranks[draft->state->code_by_default];
    return more > 0 ? draft->limits->signs.at[f] : more < 0 ? -draft->limits->signs.at[f] : 0;
}

/* Return the cells on a side of a condition, without that of missing values. */
static uint64_t beyond(const CellRows *rows, const Draft *draft, int64_t f, uint64_t word,
                       int64_t side) {
    const int64_t known = draft->limits->known.at[f];
    if (side == 0 || !(word >> known)) return 0;
    if (side > 0) return bits_between(last_bit(word) + 1, rows->n_cells.at[f]);
    return bits_between(known, max64(known, first_bit(word)));
}

/* Remove the bounds of a rule beyond which it would have to be followed. */
void open_bounds(const CellRows *rows, const Draft *draft, int64_t p) {
    for (int64_t f = 0; f < draft->limits->signs.rows; f++) {
        const uint64_t word = ROW(draft->masks, p)[f];
        if (word == rows->everything.at[f] || !draft->limits->signs.at[f]) continue;
        const uint64_t rest = beyond(rows, draft, f, word, side_of(draft, p, f));
        if (rest) set_test(rows, draft, p, f, word | rest);
    }
}

/* Return the place of rule r after the step that is proposed; -1 if the rule is removed. */
static int64_t place_after(const Draft *draft, int64_t r) {
    const State *state = draft->state;
    if (r == state->size) return spare_place(draft);
    if (state->proposed == NO_STEP || state->proposed == ADDED || r != state->proposed_rule)
        return draft->slot.at[r];
    return state->proposed == CHANGED ? spare_place(draft) : -1;
}

/* Return whether the rule at place q predicts the same as the one at place p or more (side > 0) or
 * less. */
static bool may_follow(const Draft *draft, int64_t q, int64_t p, int64_t f, int64_t side) {
    const int64_t *ranks = draft->limits->ranks.at;
    const int64_t more = ranks[draft->then.at[q]] - ranks[draft->then.at[p]];
    return more * draft->limits->signs.at[f] * side >= 0;
}

/* Return whether the rule at place q may follow, and covers the cells beyond a condition on f. */
static bool follows(const Draft *draft, int64_t q, int64_t p, int64_t f, uint64_t cells,
                    int64_t side) {
    if (!may_follow(draft, q, p, f, side) || cells & ~ROW(draft->masks, q)[f]) return false;
    for (int32_t k = 0; k < draft->n_tests.at[q]; k++) {
        const int64_t g = ROW(draft->tests, q)[k];
        if (g != f && ROW(draft->masks, p)[g] & ~ROW(draft->masks, q)[g]) return false;
    }
    return true;
}

/* Return whether rules that may follow the one at place p cover a box together.
 *
 * What the first of them leaves is covered by the others, piece by piece. The box is as before at
 * the end.
 */
static bool follow_together(const Draft *draft, int64_t size, uint64_t *box, int64_t p, int64_t f,
                            int64_t side, int64_t *steps) {
    if (--*steps < 0) return false;
    for (int64_t s = 0; s < size; s++) {
        const int64_t q = place_after(draft, s);
        if (q < 0 || q == p || !may_follow(draft, q, p, f, side)) continue;
        const uint64_t *masks = ROW(draft->masks, q);
        const int64_t *tests = ROW(draft->tests, q);
        const int32_t n = draft->n_tests.at[q];
        int32_t k = 0;
        while (k < n && box[tests[k]] & masks[tests[k]]) k++;
        if (k < n) continue;
        uint64_t before[64];
        bool covered = n <= 64;
        for (k = 0; k < n && covered; k++) {
            const int64_t g = tests[k];
            before[k] = box[g];
            box[g] = before[k] & ~masks[g];
            if (box[g]) covered = follow_together(draft, size, box, p, f, side, steps);
            box[g] = before[k] & masks[g];
        }
        while (k > 0) {
            k--;
            box[tests[k]] = before[k];
        }
        return covered;
    }
    return false;
}

/* Return whether rules cover the cells beyond the condition on f of the rule at place p. */
static bool is_followed(const Draft *draft, int64_t size, int64_t p, int64_t f, uint64_t cells,
                        int64_t side) {
    if (!cells) return true;
    for (int64_t s = 0; s < size; s++) {
        const int64_t q = place_after(draft, s);
        if (q >= 0 && q != p && follows(draft, q, p, f, cells, side)) return true;
    }
    const size_t bytes = (size_t)draft->masks.columns * sizeof(uint64_t);
    uint64_t *box = malloc(bytes);
    if (!box) return false;
    memcpy(box, ROW(draft->masks, p), bytes);
    box[f] = cells;
    int64_t steps = STEP_LIMIT;
    const bool followed = follow_together(draft, size, box, p, f, side, &steps);
    free(box);
    return followed;
}

/* Return the first rule, after the step that is proposed, that no rule follows as it should; -1 if
 * there is none. */
int64_t breaks_order(const CellRows *rows, const Draft *draft) {
    const int64_t size = draft->state->size + (draft->state->proposed == ADDED);
    for (int64_t f = 0; f < draft->limits->signs.rows; f++) {
        if (!draft->limits->signs.at[f]) continue;
        for (int64_t r = 0; r < size; r++) {
            const int64_t p = place_after(draft, r);
            if (p < 0) continue;
            const int64_t side = side_of(draft, p, f);
            const uint64_t cells = beyond(rows, draft, f, ROW(draft->masks, p)[f], side);
            if (!is_followed(draft, size, p, f, cells, side)) return r;
        }
    }
    return -1;
}

/* Return whether predictions increase and decrease as they should after the step proposed. */
bool keeps_order(const CellRows *rows, const Draft *draft) {
    return draft->limits->signs.rows == 0 || breaks_order(rows, draft) < 0;
}
