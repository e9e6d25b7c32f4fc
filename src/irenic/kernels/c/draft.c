/* Rule sets under change: their rules, what they predict, and steps that can be undone. */

#include "evolve.h"

/* --- rules at a place */

/* Set a condition of the rule at place p; return false if it has no room. */
bool set_test(const CellRows *rows, const Draft *draft, int64_t p, int64_t f, uint64_t word) {
    uint64_t *mask = ROW(draft->masks, p) + f;
    const uint64_t old = *mask;
    const uint64_t all_cells = rows->everything.at[f];
    if (old == word) return true;
    if (word != all_cells && !lists_few(rows, draft, f, word)) return false;
    int64_t *tests = ROW(draft->tests, p);
    const int32_t n = draft->n_tests.at[p];
    if (old == all_cells) {
        if (n == draft->tests.columns) return false;
        tests[n] = f;
        draft->n_tests.at[p] = n + 1;
    } else {
        draft->cost.at[p] -= price(rows, f, old);
        if (word == all_cells) {
            int64_t k = 0;
            while (tests[k] != f) k++;
            tests[k] = tests[n - 1];
            draft->n_tests.at[p] = n - 1;
        }
    }
    *mask = word;
    if (word != all_cells) draft->cost.at[p] += price(rows, f, word);
    return true;
}

/* Copy the rule at one place to another place. */
void copy_rule(const Draft *draft, int64_t source, int64_t target) {
    const int32_t n = draft->n_tests.at[source];
    const size_t size = sizeof(uint64_t);
    memmove(ROW(draft->masks, target), ROW(draft->masks, source),
            (size_t)draft->masks.columns * size);
    memmove(ROW(draft->tests, target), ROW(draft->tests, source), (size_t)n * size);
    draft->n_tests.at[target] = n;
    draft->then.at[target] = draft->then.at[source];
    draft->cost.at[target] = draft->cost.at[source];
}

/* Make the rule at place p one without conditions. */
void clear_rule(const CellRows *rows, const Draft *draft, int64_t p, int64_t then) {
    memcpy(ROW(draft->masks, p), rows->everything.at,
           (size_t)draft->masks.columns * sizeof(uint64_t));
    draft->n_tests.at[p] = 0;
    draft->cost.at[p] = 0;
    draft->then.at[p] = (int16_t)then;
}

/* Remove from a cover the rows whose cell is not in a set, by the smaller of both sides. */
static void and_set(const Words *maps, int64_t start, uint64_t word, uint64_t all_cells,
                    uint64_t *restrict cover, uint64_t *restrict scratch) {
    const int64_t words = maps->columns;
    uint64_t out = all_cells & ~word;
    if (count_bits(out) <= count_bits(word)) {
        for (; out; out &= out - 1) {
            const uint64_t *restrict other = ROW(*maps, start + first_bit(out));
            for (int64_t w = 0; w < words; w++) cover[w] &= ~other[w];
        }
        return;
    }
    memset(scratch, 0, (size_t)words * sizeof *scratch);
    for (; word; word &= word - 1) {
        const uint64_t *restrict other = ROW(*maps, start + first_bit(word));
        for (int64_t w = 0; w < words; w++) scratch[w] |= other[w];
    }
    for (int64_t w = 0; w < words; w++) cover[w] &= scratch[w];
}

/* Compute the bitmap of the rows that the rule at place p covers. */
void find_cover(const CellRows *rows, const Draft *draft, int64_t p) {
    const int64_t words = draft->cover.columns;
    uint64_t *restrict cover = ROW(draft->cover, p);
    memcpy(cover, rows->full.at, (size_t)words * sizeof *cover);
    for (int64_t k = 0; k < draft->n_tests.at[p]; k++) {
        const int64_t f = ROW(draft->tests, p)[k];
        const uint64_t word = ROW(draft->masks, p)[f];
        const int64_t start = rows->begin.at[f];
        if (!rows->ordered.at[f]) {
            uint64_t *scratch = ROW(draft->cover, draft->cover.rows - 1);
            and_set(&rows->maps, start, word, rows->everything.at[f], cover, scratch);
            continue;
        }
        const int64_t low = first_bit(word);
        const int64_t high = last_bit(word) + 1;
        if (low > 0) {
            const uint64_t *restrict rows_below = ROW(rows->maps, start + low);
            for (int64_t w = 0; w < words; w++) cover[w] &= ~rows_below[w];
        }
        if (high < rows->n_cells.at[f]) {
            const uint64_t *restrict rows_below = ROW(rows->maps, start + high);
            for (int64_t w = 0; w < words; w++) cover[w] &= rows_below[w];
        }
    }
}

/* Return whether the rules at two places overlap. */
static inline bool overlap(const Draft *draft, int64_t p, int64_t q) {
    const uint64_t *mine = ROW(draft->masks, p), *theirs = ROW(draft->masks, q);
    const int32_t n_mine = draft->n_tests.at[p], n_theirs = draft->n_tests.at[q];
    const int64_t *tests = ROW(draft->tests, n_theirs < n_mine ? q : p);
    const int32_t n = n_theirs < n_mine ? n_theirs : n_mine;
    for (int32_t k = 0; k < n; k++)
        if (!(mine[tests[k]] & theirs[tests[k]])) return false;
    return true;
}

/* Return the last rule before r that is a rival of the one at place p and overlaps it, except the
 * one at place own; -1 if there is none. */
int64_t next_rival(const Draft *draft, int64_t p, int64_t own, int64_t r) {
    const int16_t then = draft->then.at[p];
    while (r > 0) {
        const int64_t q = draft->slot.at[--r];
        if (q != own && draft->then.at[q] != then && overlap(draft, p, q) &&
            !only_impossible(draft, p, q))
            return r;
    }
    return -1;
}

/* --- predictions and the score */

/* Uncover the rows of the rule at place p, except those of the rule at place but (-1: none). */
static void uncover(const CellRows *rows, const Draft *draft, int64_t p, int64_t but) {
    const int64_t n_codes = rows->gains.columns;
    const int16_t code = (int16_t)draft->state->code_by_default;
    const uint64_t *cover = ROW(draft->cover, p);
    const uint64_t *others = but >= 0 ? ROW(draft->cover, but) : NULL;
    const float *restrict gains = rows->gains.at;
    uint16_t *restrict count = draft->count.at;
    int16_t *restrict predicted = draft->predicted.at;
    double gained = 0.0;
    for (int64_t w = 0; w < draft->cover.columns; w++) {
        const uint64_t changed = others ? cover[w] & ~others[w] : cover[w];
        const uint64_t shared = changed & draft->shared.at[w];
        draft->covered.at[w] &= ~(changed & ~shared);
        for (uint64_t word = changed & ~shared; word; word &= word - 1) {
            const int64_t i = w * 64 + first_bit(word);
            count[i] = 0;
            gained += gains[i * n_codes + code] - gains[i * n_codes + predicted[i]];
            predicted[i] = code;
        }
        for (uint64_t word = shared; word; word &= word - 1) {
            const int64_t i = w * 64 + first_bit(word);
            if (--count[i] == 1) draft->shared.at[w] &= ~bit(i & 63);
        }
    }
    draft->state->score += gained;
}

/* Cover the rows of the rule at place p, except those of the rule at place but (-1: none). */
static void add_cover(const CellRows *rows, const Draft *draft, int64_t p, int64_t but) {
    const int64_t n_codes = rows->gains.columns;
    const int16_t then = draft->then.at[p];
    const uint64_t *cover = ROW(draft->cover, p);
    const uint64_t *others = but >= 0 ? ROW(draft->cover, but) : NULL;
    const float *restrict gains = rows->gains.at;
    uint16_t *restrict count = draft->count.at;
    int16_t *restrict predicted = draft->predicted.at;
    double gained = 0.0;
    for (int64_t w = 0; w < draft->cover.columns; w++) {
        const uint64_t changed = others ? cover[w] & ~others[w] : cover[w];
        const uint64_t shared = changed & draft->covered.at[w];
        draft->covered.at[w] |= changed;
        draft->shared.at[w] |= shared;
        for (uint64_t word = changed & ~shared; word; word &= word - 1) {
            const int64_t i = w * 64 + first_bit(word);
            count[i] = 1;
            gained += gains[i * n_codes + then] - gains[i * n_codes + predicted[i]];
            predicted[i] = then;
        }
        for (uint64_t word = shared; word; word &= word - 1) count[w * 64 + first_bit(word)]++;
    }
    draft->state->score += gained;
}

/* Return the smoothed share that a rule gains of the highest gains of its rows; 0 where that does
 * not matter. */
static double worth_of(const CellRows *rows, const Draft *draft, int64_t p) {
    if (draft->state->resolve != BEST) return 0.0;
    const int64_t n_codes = rows->gains.columns;
    const int16_t then = draft->then.at[p];
    const uint64_t *cover = ROW(draft->cover, p);
    double right = 0.0, possible = 0.0;
    for (int64_t w = 0; w < draft->cover.columns; w++) {
        for (uint64_t word = cover[w]; word; word &= word - 1) {
            const int64_t i = w * 64 + first_bit(word);
            right += rows->gains.at[i * n_codes + then];
            possible += rows->gains.at[i * n_codes + rows->best.at[i]];
        }
    }
    return (right + 1.0) / (possible + 2.0);
}

/* Predict another consequent for row i. */
static inline void predict_row(const CellRows *rows, const Draft *draft, int64_t i, int64_t code) {
    const float *gains = rows->gains.at + i * rows->gains.columns;
    draft->state->score += gains[code] - gains[draft->predicted.at[i]];
    draft->predicted.at[i] = (int16_t)code;
}

/* Change how many rules cover each row of a cover: one more or one less. */
static void count_cover(const Draft *draft, const uint64_t *cover, int more) {
    for (int64_t w = 0; w < draft->cover.columns; w++)
        for (uint64_t word = cover[w]; word; word &= word - 1)
            draft->count.at[w * 64 + first_bit(word)] += (uint16_t)more;
}

/* Write the places of the rules, best first; ties go to the lowest code.
 *
 * It must not depend on the order of rules, because undoing a step may change that.
 */
static void rank_rules(const Draft *draft) {
    const double *worth = draft->worth.at;
    const int16_t *then = draft->then.at;
    int64_t *rank = draft->rank.at;
    for (int64_t r = 0; r < draft->state->size; r++) {
        const int64_t p = draft->slot.at[r];
        int64_t k = r;
        for (; k > 0; k--) {
            const int64_t q = rank[k - 1];
            if (worth[q] > worth[p] || (worth[q] == worth[p] && then[q] <= then[p])) break;
            rank[k] = q;
        }
        rank[k] = p;
    }
}

/* Predict again every row that either rule covers, by the best rule that covers it. */
static void exchange_best(const CellRows *rows, const Draft *draft, int64_t old, int64_t new) {
    const int64_t size = draft->state->size;
    if (old >= 0) count_cover(draft, ROW(draft->cover, old), -1);
    if (new >= 0) count_cover(draft, ROW(draft->cover, new), 1);
    rank_rules(draft);
    for (int64_t w = 0; w < draft->cover.columns; w++) {
        uint64_t left = 0;
        if (old >= 0) left |= ROW(draft->cover, old)[w];
        if (new >= 0) left |= ROW(draft->cover, new)[w];
        for (int64_t k = 0; k <= size && left; k++) {
            const int64_t p = k < size ? draft->rank.at[k] : -1;
            const uint64_t mine = p < 0 ? left : left & ROW(draft->cover, p)[w];
            const int64_t code = p < 0 ? draft->state->code_by_default : draft->then.at[p];
            left &= ~mine;
            for (uint64_t word = mine; word; word &= word - 1) {
                const int64_t i = w * 64 + first_bit(word);
                if (draft->predicted.at[i] != code) predict_row(rows, draft, i, code);
            }
        }
    }
}

/* Return the consequent with the most votes in row i; ties go to the lowest code. */
static int64_t elected(const Draft *draft, int64_t i) {
    const uint16_t *votes = ROW(draft->votes, i);
    int64_t code = 0;
    for (int64_t k = 1; k < draft->votes.columns; k++)
        if (votes[k] > votes[code]) code = k;
    return code;
}

/* Take the votes of the rule at place p away, except from rows of the place but (-1: none). */
static void take_votes(const CellRows *rows, const Draft *draft, int64_t p, int64_t but) {
    const int64_t then = draft->then.at[p];
    for (int64_t w = 0; w < draft->cover.columns; w++) {
        uint64_t word = ROW(draft->cover, p)[w];
        if (but >= 0) word &= ~ROW(draft->cover, but)[w];
        for (; word; word &= word - 1) {
            const int64_t i = w * 64 + first_bit(word);
            ROW(draft->votes, i)[then]--;
            if (--draft->count.at[i] == 0)
                predict_row(rows, draft, i, draft->state->code_by_default);
            else if (draft->predicted.at[i] == then)
                predict_row(rows, draft, i, elected(draft, i));
        }
    }
}

/* Add the votes of the rule at place p, except to rows of the place but (-1: none). */
static void add_votes(const CellRows *rows, const Draft *draft, int64_t p, int64_t but) {
    const int64_t then = draft->then.at[p];
    for (int64_t w = 0; w < draft->cover.columns; w++) {
        uint64_t word = ROW(draft->cover, p)[w];
        if (but >= 0) word &= ~ROW(draft->cover, but)[w];
        for (; word; word &= word - 1) {
            const int64_t i = w * 64 + first_bit(word), code = draft->predicted.at[i];
            uint16_t *votes = ROW(draft->votes, i);
            votes[then]++;
            if (draft->count.at[i]++ == 0 || votes[then] > votes[code] ||
                (votes[then] == votes[code] && then < code))
                predict_row(rows, draft, i, then);
        }
    }
}

/* Uncover the rows of place old (-1: none) and cover those of place new (-1: none).
 *
 * The caller has already updated slot and the size.
 */
static void exchange(const CellRows *rows, const Draft *draft, int64_t old, int64_t new) {
    /* rows that both cover stay as they are, unless their prediction may change */
    const bool same = old >= 0 && new >= 0 && draft->then.at[old] == draft->then.at[new];
    const int64_t but_new = same ? new : -1, but_old = same ? old : -1;
    switch (draft->state->resolve) {
    case AVOID:
        if (old >= 0) uncover(rows, draft, old, but_new);
        if (new >= 0) add_cover(rows, draft, new, but_old);
        break;
    case VOTE:
        if (old >= 0) take_votes(rows, draft, old, but_new);
        if (new >= 0) add_votes(rows, draft, new, but_old);
        break;
    default:
        exchange_best(rows, draft, old, new);
    }
    if (old >= 0) draft->state->cost -= draft->cost.at[old];
    if (new >= 0) draft->state->cost += draft->cost.at[new];
}

/* Return what exchange would add to the score where conflicts are avoided. */
static double gain_of(const CellRows *rows, const Draft *draft, int64_t old, int64_t new) {
    const int64_t n_codes = rows->gains.columns, words = draft->cover.columns;
    const int64_t code = draft->state->code_by_default;
    const int64_t then = new >= 0 ? draft->then.at[new] : code;
    const bool same = old >= 0 && draft->then.at[old] == then;
    uint64_t *none = ROW(draft->cover, draft->cover.rows - 1);
    if (old < 0 || new < 0) memset(none, 0, (size_t)words * sizeof *none);
    const uint64_t *before = old >= 0 ? ROW(draft->cover, old) : none;
    const uint64_t *after = new >= 0 ? ROW(draft->cover, new) : none;
    const float *gains = rows->gains.at;
    double gained = 0.0;
    for (int64_t w = 0; w < words; w++) {
        const uint64_t lost = before[w] & ~draft->shared.at[w];
        const uint64_t won = after[w] & (lost | ~draft->covered.at[w]);
        uint64_t changed = (lost & ~after[w]) | (same ? won & ~before[w] : won);
        for (; changed; changed &= changed - 1) {
            const int64_t b = first_bit(changed), i = w * 64 + b;
            const int64_t now = after[w] >> b & 1 ? then : code;
            gained += gains[i * n_codes + now] - gains[i * n_codes + draft->predicted.at[i]];
        }
    }
    return gained;
}

/* Add the gains of row i to the sums. */
static inline void add_gains(const CellRows *rows, int64_t i, double *restrict sums) {
    const int64_t n_codes = rows->gains.columns;
    const float *restrict gains = rows->gains.at + i * n_codes;
    for (int64_t k = 0; k < n_codes; k++) sums[k] += gains[k];
}

/* Return the consequent with the highest gain on the rows that no rule covers. */
int64_t best_default(const CellRows *rows, const Draft *draft) {
    const int64_t n_codes = rows->gains.columns;
    double *sums = draft->sums.at;
    for (int64_t k = 0; k < n_codes; k++) sums[k] = 0.0;
    for (int64_t i = 0; i < draft->count.rows; i++)
        if (draft->count.at[i] == 0) add_gains(rows, i, sums);
    int64_t best = draft->state->code_by_default;
    for (int64_t k = 0; k < n_codes; k++)
        if (sums[k] > sums[best]) best = k;
    return best;
}

/* Predict another consequent for the rows that no rule covers. */
void set_default(const CellRows *rows, const Draft *draft, int64_t code) {
    const int64_t n_codes = rows->gains.columns;
    draft->state->code_by_default = code;
    for (int64_t i = 0; i < draft->count.rows; i++) {
        if (draft->count.at[i]) continue;
        const float *gains = rows->gains.at + i * n_codes;
        draft->state->score += gains[code] - gains[draft->predicted.at[i]];
        draft->predicted.at[i] = (int16_t)code;
    }
}

/* Return the best consequent for a rule's rows (alone: for those that only it covers). */
int64_t best_then(const CellRows *rows, const Draft *draft, int64_t p, bool alone) {
    const int64_t n_codes = rows->gains.columns;
    double *sums = draft->sums.at;
    for (int64_t k = 0; k < n_codes; k++) sums[k] = 0.0;
    for (int64_t w = 0; w < draft->cover.columns; w++) {
        for (uint64_t word = ROW(draft->cover, p)[w]; word; word &= word - 1) {
            const int64_t i = w * 64 + first_bit(word);
            if (!alone || draft->count.at[i] <= 1) add_gains(rows, i, sums);
        }
    }
    int64_t best = 0;
    for (int64_t k = 0; k < n_codes; k++)
        if (sums[k] > sums[best]) best = k;
    return best;
}

/* --- steps and how to undo them */

/* Log a step, so that it can be undone. */
static void note(const Draft *draft, int64_t kind, int64_t r) {
    int64_t *entry = ROW(draft->log, draft->state->logged++);
    entry[0] = kind;
    entry[1] = r;
}

/* Swap the places of two indices. */
static void swap_slots(const Draft *draft, int64_t a, int64_t b) {
    const int64_t place = draft->slot.at[a];
    draft->slot.at[a] = draft->slot.at[b];
    draft->slot.at[b] = place;
}

/* Replace rule r with the rule at the spare place. */
void change_rule(const CellRows *rows, const Draft *draft, int64_t r) {
    const int64_t new = spare_place(draft), old = draft->slot.at[r];
    find_cover(rows, draft, new);
    draft->worth.at[new] = worth_of(rows, draft, new);
    swap_slots(draft, r, draft->state->rule_limit + draft->state->logged);
    note(draft, CHANGED, r);
    exchange(rows, draft, old, new);
}

/* Add the rule at the spare place. */
void add_rule(const CellRows *rows, const Draft *draft) {
    const int64_t new = spare_place(draft), r = draft->state->size;
    find_cover(rows, draft, new);
    draft->worth.at[new] = worth_of(rows, draft, new);
    swap_slots(draft, r, draft->state->rule_limit + draft->state->logged);
    note(draft, ADDED, r);
    draft->state->size++;
    exchange(rows, draft, -1, new);
}

/* Remove rule r; the last rule takes its index. */
void remove_rule(const CellRows *rows, const Draft *draft, int64_t r) {
    const int64_t old = draft->slot.at[r];
    const int64_t last = --draft->state->size;
    swap_slots(draft, r, last);
    /* so that a rule that this move may add does not overwrite it */
    swap_slots(draft, last, draft->state->rule_limit + draft->state->logged);
    note(draft, REMOVED, r);
    exchange(rows, draft, old, -1);
}

/* Evaluate the step that a move ends with; most moves are rejected, and it need not be undone.
 *
 * Its rule is at the spare place. Where rules may conflict, the step is taken at once.
 */
void propose(const CellRows *rows, const Draft *draft, int64_t kind, int64_t r) {
    State *state = draft->state;
    state->proposed = kind;
    state->proposed_rule = r;
    if (state->resolve != AVOID) {
        take_proposed(rows, draft);
        return;
    }
    const int64_t old = kind == ADDED ? -1 : draft->slot.at[r];
    const int64_t new = kind == REMOVED ? -1 : spare_place(draft);
    if (new >= 0) find_cover(rows, draft, new);
    draft->state->gain = gain_of(rows, draft, old, new);
    state->longer = 0;
    if (old >= 0) state->longer -= 1 + draft->cost.at[old];
    if (new >= 0) state->longer += 1 + draft->cost.at[new];
}

/* Take the step that a move ends with, if it has not been taken. */
void take_proposed(const CellRows *rows, const Draft *draft) {
    State *state = draft->state;
    if (state->proposed == CHANGED)
        change_rule(rows, draft, state->proposed_rule);
    else if (state->proposed == ADDED)
        add_rule(rows, draft);
    else if (state->proposed == REMOVED)
        remove_rule(rows, draft, state->proposed_rule);
    state->proposed = NO_STEP;
    state->longer = 0;
    draft->state->gain = 0.0;
}

/* Undo all steps of a move. */
void undo_steps(const CellRows *rows, const Draft *draft) {
    State *state = draft->state;
    while (state->logged > 0) {
        const int64_t *entry = ROW(draft->log, --state->logged);
        const int64_t r = entry[1];
        const int64_t kept = state->rule_limit + state->logged;
        if (entry[0] == CHANGED) {
            const int64_t new = draft->slot.at[r];
            swap_slots(draft, r, kept);
            exchange(rows, draft, new, draft->slot.at[r]);
        } else if (entry[0] == ADDED) {
            state->size--;
            const int64_t new = draft->slot.at[r];
            swap_slots(draft, r, kept);
            exchange(rows, draft, new, -1);
        } else {
            swap_slots(draft, state->size, kept);
            swap_slots(draft, r, state->size);
            state->size++;
            exchange(rows, draft, -1, draft->slot.at[r]);
        }
    }
}
