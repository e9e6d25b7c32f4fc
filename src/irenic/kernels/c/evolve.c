/* Evolution of rule sets, where the learner spends its time: drafts are loaded and annealed. */

#include "evolve.h"

/* Start a draft from rules; if open, without bounds beyond which they would have to be followed. */
static void load_rules(const CellRows *rows, const Draft *draft, const WordRules *rules,
                       int64_t code, bool open) {
    State *state = draft->state;
    state->size = 0;
    state->cost = 0;
    state->logged = 0;
    state->code_by_default = code;
    state->proposed = NO_STEP;
    for (int64_t p = 0; p < draft->slot.rows; p++) draft->slot.at[p] = p;
    memset(draft->covered.at, 0, (size_t)draft->covered.rows * sizeof(uint64_t));
    memset(draft->shared.at, 0, (size_t)draft->shared.rows * sizeof(uint64_t));
    memset(draft->votes.at, 0,
           (size_t)(draft->votes.rows * draft->votes.columns) * sizeof(uint16_t));
    double score = 0.0;
    for (int64_t i = 0; i < draft->count.rows; i++) {
        draft->count.at[i] = 0;
        draft->predicted.at[i] = (int16_t)code;
        score += ROW(rows->gains, i)[code];
    }
    state->score = score;
    for (int64_t r = 0; r < rules->then.rows; r++) {
        const int64_t spare = spare_place(draft);
        clear_rule(rows, draft, spare, rules->then.at[r]);
        bool fits = state->size < state->rule_limit;
        for (int64_t f = 0; f < rows->n_cells.rows && fits; f++)
            fits = set_test(rows, draft, spare, f, ROW(rules->masks, r)[f]);
        if (fits && open) open_bounds(rows, draft, spare);
        if (fits) fits = next_wall(draft, spare, draft->limits->walls.rows) < 0;
        if (fits && state->resolve == AVOID) fits = next_rival(draft, spare, NEW, state->size) < 0;
        if (fits) add_rule(rows, draft);
        state->logged = 0;
    }
}

/* Start a draft from rules.
 *
 * Rules beyond the limit, rules that test too many features or enter a wall and, where conflicts
 * are avoided, rules that conflict with an earlier one are dropped. Where predictions must increase
 * or decrease and the rules do not, they lose bounds, and those that nothing follows are dropped.
 */
EXPORT void load_draft(const CellRows *rows, const Draft *draft, const WordRules *rules,
                       int64_t code) {
    State *state = draft->state;
    load_rules(rows, draft, rules, code, false);
    if (keeps_order(rows, draft)) return;
    load_rules(rows, draft, rules, code, true);
    for (int64_t r = breaks_order(rows, draft); r >= 0; r = breaks_order(rows, draft)) {
        remove_rule(rows, draft, r);
        state->logged = 0;
    }
}

/* Add random rules around uncovered rows, each cut rival by rival until it is free.
 *
 * Where rivals are ignored, rules stay as drawn.
 */
EXPORT void sow_draft(const CellRows *rows, const Draft *draft, int64_t tries) {
    State *state = draft->state;
    for (; tries > 0; tries--) {
        const int64_t i = below(&state->random, draft->count.rows);
        if (draft->count.at[i] || state->size >= state->rule_limit) continue;
        box_around(rows, draft, i);
        state->logged = 0;
        if ((state->guard == IGNORE || grow_free(rows, draft, i, NEW)) &&
            place_desk(rows, draft, NEW, 0))
            take_proposed(rows, draft);
        if (!keeps_order(rows, draft)) undo_steps(rows, draft);
    }
    state->logged = 0;
}

/* Return the score of a draft, with the step proposed, minus the penalty for rules and
 * conditions. */
static double value_of(const Draft *draft, double penalty) {
    const State *state = draft->state;
    const int64_t length = state->size + state->cost;
    if (state->proposed == NO_STEP) return state->score - penalty * (double)length;
    return state->score + state->gain - penalty * (double)(length + state->longer);
}

/* Grow rules around wrongly predicted rows, and keep each that is worth its penalty.
 *
 * It ends at the limit of rules, or when a number of rules in a row were not.
 */
EXPORT void grow_draft(const CellRows *rows, const Draft *draft, int64_t failures, double penalty) {
    State *state = draft->state;
    state->penalty = penalty;
    for (int64_t left = failures; left > 0 && state->size < state->rule_limit; left--) {
        const double before = value_of(draft, penalty);
        state->logged = 0;
        if (grow_anywhere(rows, draft) && value_of(draft, penalty) > before + 1e-6) {
            take_proposed(rows, draft);
            left = failures + 1;
        } else {
            undo_steps(rows, draft);
            state->proposed = NO_STEP;
        }
    }
    state->logged = 0;
}

/* Copy the rules of a draft and its numbers. */
EXPORT void keep_draft(const Draft *draft, const WordRules *best, Totals *totals) {
    const State *state = draft->state;
    const int64_t d = best->masks.columns;
    for (int64_t r = 0; r < state->size; r++) {
        const int64_t p = draft->slot.at[r];
        best->then.at[r] = draft->then.at[p];
        memcpy(ROW(best->masks, r), ROW(draft->masks, p), (size_t)d * sizeof(uint64_t));
    }
    *totals = (Totals){state->size, state->code_by_default, state->cost, state->score};
}

/* Try moves on a draft, accept better and sometimes worse ones, and keep the best set met.
 *
 * best receives the rules of that set, and totals its numbers. Only completed moves are evaluated;
 * annealing ends early at the limit of evaluations.
 */
EXPORT void anneal(const CellRows *rows, const Draft *draft, const WordRules *donors,
                   const Schedule *schedule, const WordRules *best, Totals *totals) {
    State *state = draft->state;
    const double penalty = schedule->penalty;
    state->penalty = penalty;
    double value = value_of(draft, penalty);
    double top = totals->score - penalty * (double)(totals->size + totals->cost);
    const double n_coolings = (double)max64(1, schedule->moves - 1);
    const double cooling = pow(schedule->cold / schedule->hot, 1.0 / n_coolings);
    double heat = schedule->hot;
    for (int64_t m = 0; m < schedule->moves; m++) {
        if (state->evaluated == state->evaluation_limit) break;
        heat *= cooling;
        if ((m & 255) == 255 && !state->fixed_default) {
            const int64_t code = best_default(rows, draft);
            if (code != state->code_by_default) {
                set_default(rows, draft, code);
                value = value_of(draft, penalty);
            }
        }
        const bool changed = try_move(rows, draft, donors);
        state->evaluated += changed;
        const double new = value_of(draft, penalty);
        if (changed && (new >= value || uniform(&state->random) < exp((new - value) / heat))) {
            take_proposed(rows, draft);
            value = value_of(draft, penalty);
            if (value > top + 1e-6) {
                top = value;
                keep_draft(draft, best, totals);
            }
        } else {
            undo_steps(rows, draft);
            state->proposed = NO_STEP;
        }
    }
    state->logged = 0;
}

/* Write which rule covers which row, covers[rule, row], given the cells of rows. */
EXPORT void cover_cells(const Bytes *cells, const Words *masks, uint8_t *covers) {
    const int64_t n = cells->columns;
    memset(covers, 1, (size_t)(masks->rows * n));
    for (int64_t f = 0; f < cells->rows; f++) {
        const uint8_t *restrict cell = ROW(*cells, f);
        uint64_t present = 0;
        for (int64_t i = 0; i < n; i++) present |= bit(cell[i]);
        for (int64_t r = 0; r < masks->rows; r++) {
            const uint64_t word = ROW(*masks, r)[f];
            uint8_t *restrict cover = covers + r * n;
            if (!(present & ~word)) continue; /* most rules contain all cells that occur */
            for (int64_t i = 0; i < n; i++) cover[i] &= (uint8_t)(word >> cell[i] & 1);
        }
    }
}

/* --- parts of annealing, for tests */

/* Try one move up to its last step; return whether there is one. */
EXPORT int64_t move_draft(const CellRows *rows, const Draft *draft, const WordRules *donors) {
    return try_move(rows, draft, donors);
}

/* Take the step that is proposed. */
EXPORT void take_draft(const CellRows *rows, const Draft *draft) { take_proposed(rows, draft); }

/* Enlarge the room. */
EXPORT void enlarge_draft(const CellRows *rows, const Draft *draft, int64_t then, int64_t own) {
    enlarge_room(rows, draft, then, own);
}

/* Write the best condition on feature f for rule r, inside a word. */
EXPORT void fit_draft(const CellRows *rows, const Draft *draft, int64_t r, int64_t f, uint64_t word,
                      uint64_t *out) {
    *out = best_condition(rows, draft, draft->slot.at[r], f, word);
}

/* Grow a rule around row i; return its place. */
EXPORT int64_t grow_around(const CellRows *rows, const Draft *draft, int64_t i) {
    grow_rule(rows, draft, i);
    return desk_place(draft);
}

/* Undo the last move. */
EXPORT void undo_draft(const CellRows *rows, const Draft *draft) { undo_steps(rows, draft); }

/* Write the first bit, the last bit and the number of bits of a nonzero word. */
EXPORT void describe_word(uint64_t word, int64_t *out) {
    out[0] = first_bit(word);
    out[1] = last_bit(word);
    out[2] = count_bits(word);
}

/* Write the word with the bits in [low, high). */
EXPORT void word_between(int64_t low, int64_t high, uint64_t *out) {
    *out = bits_between(low, high);
}

/* Return a random whole number in [0, n). */
EXPORT int64_t random_below(uint64_t *rng, int64_t n) { return below(rng, n); }
