/* Moves between rule sets: how they are drawn, and how a set stays consistent meanwhile. */

#include "evolve.h"

/* Rows of a rule to try as seeds before giving up. */
#define SEEDS 8

/* How often a rule is grown, which takes as long as hundreds of other moves. */
#define GROWTH 0.0004

/* How rivals of a new rule are treated: the move is given up, rivals are removed, rivals are
 * trimmed, or the new rule is trimmed. */
enum { GIVE_UP, REMOVE_RIVALS, TRIM_RIVALS, TRIM_NEW };

/* --- keeping a rule set consistent */

/* Make the rule at place p disjoint from a region on one feature, if possible.
 *
 * tests are the n features to choose from (NULL: the first n). The way is drawn with a probability
 * proportional to the share of cells that it keeps. Return false if there is none.
 */
static bool trim_words(const CellRows *rows, const Draft *draft, int64_t p, const uint64_t *others,
                       const int64_t *tests, int64_t n) {
    const uint64_t *masks = ROW(draft->masks, p);
    double total = 0.0;
    int64_t feature = -1;
    uint64_t kept = 0;
    for (int64_t k = 0; k < n; k++) {
        const int64_t f = tests ? tests[k] : k;
        const uint64_t mine = masks[f], theirs = others[f];
        const uint64_t rest = mine & ~theirs;
        if (!rest) continue;
        uint64_t parts[2] = {rest, 0};
        if (rows->ordered.at[f]) {
            parts[0] = rest & bits_between(0, first_bit(theirs));
            parts[1] = rest & bits_between(last_bit(theirs) + 1, 64);
        }
        for (int side = 0; side < 2; side++) {
            if (!parts[side]) continue;
            const double weight = (double)count_bits(parts[side]) / (double)count_bits(mine);
            total += weight;
            if (uniform(&draft->state->random) * total < weight) {
                feature = f;
                kept = parts[side];
            }
        }
    }
    return feature >= 0 && set_test(rows, draft, p, feature, kept);
}

/* Make the rule at place p disjoint from the one at place q on one feature, if possible. */
static bool trim(const CellRows *rows, const Draft *draft, int64_t p, int64_t q) {
    return trim_words(rows, draft, p, ROW(draft->masks, q), ROW(draft->tests, q),
                      draft->n_tests.at[q]);
}

/* Narrow the rule at place p, which covers row i, until it is disjoint from the one at place q.
 *
 * The feature is drawn among those on which q excludes the row; return false if there is none.
 */
static bool avoid(const CellRows *rows, const Draft *draft, int64_t p, int64_t q, int64_t i) {
    const uint64_t *others = ROW(draft->masks, q);
    int64_t n = 0, feature = -1;
    for (int64_t k = 0; k < draft->n_tests.at[q]; k++) {
        const int64_t f = ROW(draft->tests, q)[k];
        if (others[f] & bit(cell_of(rows, f, i))) continue;
        n++;
        if (below(&draft->state->random, n) == 0) feature = f;
    }
    if (feature < 0) return false;
    const uint64_t theirs = others[feature];
    uint64_t word = ROW(draft->masks, p)[feature] & ~theirs;
    if (rows->ordered.at[feature]) {
        if (cell_of(rows, feature, i) < first_bit(theirs))
            word &= bits_between(0, first_bit(theirs));
        else
            word &= bits_between(last_bit(theirs) + 1, 64);
    }
    return set_test(rows, draft, p, feature, word);
}

/* Narrow the rule on the desk around row i until no rival except the one at place own overlaps it.
 *
 * Each rival in turn cuts the rule on one random feature. Unlike CFSBE (grow.c), this can leave
 * bounds that a later cut made superfluous. Return false if a rival covers the row.
 */
bool grow_free(const CellRows *rows, const Draft *draft, int64_t i, int64_t own) {
    const int64_t desk = desk_place(draft);
    int64_t r = next_rival(draft, desk, own, draft->state->size);
    while (r >= 0) {
        if (!avoid(rows, draft, desk, draft->slot.at[r], i)) return false;
        r = next_rival(draft, desk, own, r);
    }
    return true;
}

/* Return the n-th row of a bitmap, counted from 0. */
static int64_t nth_row(const uint64_t *bitmap, int64_t n) {
    int64_t w = 0;
    while (count_bits(bitmap[w]) <= n) n -= count_bits(bitmap[w++]);
    uint64_t word = bitmap[w];
    for (; n; n--) word &= word - 1;
    return w * 64 + first_bit(word);
}

/* Return whether two words share a bit on every feature that the rule at place q tests, but f. */
static bool overlaps_but(const Draft *draft, const uint64_t *words, int64_t q, int64_t f) {
    for (int64_t k = 0; k < draft->n_tests.at[q]; k++) {
        const int64_t g = ROW(draft->tests, q)[k];
        if (g != f && !(words[g] & ROW(draft->masks, q)[g])) return false;
    }
    return true;
}

/* Return the largest condition on feature f with which a region, free of the rivals of a consequent
 * except the one at place own, stays free. */
static uint64_t free_word(const CellRows *rows, const Draft *draft, const uint64_t *region,
                          int64_t then, int64_t own, int64_t f) {
    const uint64_t mine = region[f];
    uint64_t word = rows->everything.at[f];
    if (mine == word) return word;
    for (int64_t r = 0; r < draft->state->size; r++) {
        const int64_t q = draft->slot.at[r];
        const uint64_t theirs = ROW(draft->masks, q)[f];
        if (q == own || draft->then.at[q] == then || mine & theirs ||
            !overlaps_but(draft, region, q, f))
            continue;
        if (!rows->ordered.at[f])
            word &= ~theirs;
        else if (last_bit(theirs) < first_bit(mine))
            word &= bits_between(last_bit(theirs) + 1, 64);
        else
            word &= bits_between(0, first_bit(theirs));
    }
    return word;
}

/* Enlarge the room, feature by feature in its order, until rivals of a consequent stop it: CFSBE
 * (grow.c), over words.
 *
 * At the start, no rival except the one at place own overlaps the room. At the end, it cannot be
 * larger on any feature.
 */
void enlarge_room(const CellRows *rows, const Draft *draft, int64_t then, int64_t own) {
    uint64_t *room = draft->room.at;
    for (int64_t k = 0; k < draft->order.rows; k++) {
        const int64_t f = draft->order.at[k];
        room[f] = free_word(rows, draft, room, then, own, f);
    }
}

/* Make the room the cells of row i. */
static void room_of_row(const CellRows *rows, const Draft *draft, int64_t i) {
    for (int64_t f = 0; f < draft->room.rows; f++) draft->room.at[f] = bit(cell_of(rows, f, i));
}

/* Enlarge the room in a random order and narrow the rule on the desk to it; return false if
 * nothing is left. */
static bool narrow_to_room(const CellRows *rows, const Draft *draft, int64_t own) {
    const int64_t desk = desk_place(draft), d = draft->order.rows;
    for (int64_t k = d - 1; k > 0; k--) {
        const int64_t j = below(&draft->state->random, k + 1), f = draft->order.at[k];
        draft->order.at[k] = draft->order.at[j];
        draft->order.at[j] = f;
    }
    enlarge_room(rows, draft, draft->then.at[desk], own);
    for (int64_t f = 0; f < d; f++)
        if (!set_test(rows, draft, desk, f, ROW(draft->masks, desk)[f] & draft->room.at[f]))
            return false;
    return true;
}

/* Narrow the rule on the desk to a free region around row i, which no rival covers. */
static bool free_around(const CellRows *rows, const Draft *draft, int64_t i, int64_t own) {
    if (draft->state->guard != ENLARGE) return grow_free(rows, draft, i, own);
    room_of_row(rows, draft, i);
    return narrow_to_room(rows, draft, own);
}

/* Narrow the rule on the desk to a free region around one of its rows.
 *
 * Return false if rivals cover all rows that are tried.
 */
static bool free_around_own_row(const CellRows *rows, const Draft *draft, int64_t own) {
    const int64_t p = desk_place(draft), size = draft->state->size;
    find_cover(rows, draft, p);
    const uint64_t *cover = ROW(draft->cover, p);
    int64_t n = 0;
    for (int64_t w = 0; w < draft->cover.columns; w++) n += count_bits(cover[w]);
    if (n == 0) return false;
    for (int seed = 0; seed < SEEDS; seed++) {
        const int64_t i = nth_row(cover, below(&draft->state->random, n));
        bool free = true;
        for (int64_t r = 0; r < size && free; r++) {
            const int64_t q = draft->slot.at[r];
            if (q != own && draft->then.at[q] != draft->then.at[p])
                free = !has_row(ROW(draft->cover, q), i);
        }
        if (free) return free_around(rows, draft, i, own);
    }
    return false;
}

/* Narrow the rule on the desk until no rival except the one at place own overlaps it.
 *
 * With CFSBE, a changed rule stays in the region that is enlarged from the rule that it replaces,
 * if that is free itself. Otherwise, the region is one around a row.
 */
static bool narrow_to_free(const CellRows *rows, const Draft *draft, int64_t own) {
    const int64_t desk = desk_place(draft), size = draft->state->size;
    if (next_rival(draft, desk, own, size) < 0) return true;
    if (draft->state->guard == ENLARGE && own >= 0 &&
        draft->then.at[own] == draft->then.at[desk] && next_rival(draft, own, own, size) < 0 &&
        overlaps_but(draft, ROW(draft->masks, desk), own, -1)) {
        memcpy(draft->room.at, ROW(draft->masks, own),
               (size_t)draft->room.rows * sizeof(uint64_t));
        return narrow_to_room(rows, draft, own);
    }
    return free_around_own_row(rows, draft, own);
}

/* Make the rule on the desk free, which is to replace the one at place own; return whether it is
 * free. */
static bool make_way(const CellRows *rows, const Draft *draft, int64_t own, int64_t how) {
    if (draft->state->guard == IGNORE) return true;
    if (draft->state->guard != MAKE_WAY) return narrow_to_free(rows, draft, own);
    const int64_t p = desk_place(draft);
    int64_t r = next_rival(draft, p, own, draft->state->size);
    while (r >= 0) {
        const int64_t q = draft->slot.at[r];
        if (how == GIVE_UP || draft->state->logged >= STEPS - 2) return false;
        if (how == TRIM_NEW) {
            if (!trim(rows, draft, p, q)) return false;
        } else {
            bool trimmed = false;
            if (how == TRIM_RIVALS) {
                copy_rule(draft, q, spare_place(draft));
                trimmed = trim(rows, draft, spare_place(draft), p);
            }
            if (trimmed)
                change_rule(rows, draft, r);
            else
                remove_rule(rows, draft, r);
        }
        r = next_rival(draft, p, own, r);
    }
    return true;
}

/* Trim the rule on the desk until it enters no wall; return false if that is impossible. */
static bool leave_walls(const CellRows *rows, const Draft *draft) {
    const int64_t p = desk_place(draft), d = draft->masks.columns;
    int64_t w = next_wall(draft, p, draft->limits->walls.rows);
    while (w >= 0) {
        if (!trim_words(rows, draft, p, ROW(draft->limits->walls, w), NULL, d)) return false;
        w = next_wall(draft, p, w);
    }
    return true;
}

/* Propose to replace the rule at place own (NEW: none) with the one on the desk, if that is
 * possible. */
bool place_desk(const CellRows *rows, const Draft *draft, int64_t own, int64_t how) {
    open_bounds(rows, draft, desk_place(draft));
    if (!leave_walls(rows, draft)) return false;
    if (!make_way(rows, draft, own, how)) return false;
    if (own < 0 && draft->state->size >= draft->state->rule_limit) return false;
    copy_rule(draft, desk_place(draft), spare_place(draft));
    int64_t r = 0;
    while (own >= 0 && draft->slot.at[r] != own) r++;
    propose(rows, draft, own < 0 ? ADDED : CHANGED, r);
    return true;
}

/* Draw how rivals are treated. */
static int64_t draw_how(uint64_t *rng) {
    const double u = uniform(rng);
    if (u < 0.35) return GIVE_UP;
    if (u < 0.5) return REMOVE_RIVALS;
    return u < 0.85 ? TRIM_RIVALS : TRIM_NEW;
}

/* --- moves
 *
 * Each prepares a rule on the desk and returns the place of the rule that it is to replace, or NEW,
 * or NOTHING if it has none to offer. The caller places the rule. Random numbers are drawn in
 * statements of their own, because C leaves the order of operands open.
 */

/* Draw a feature with the probabilities of the rows. */
static int64_t pick_feature(const CellRows *rows, uint64_t *rng) {
    const double u = uniform(rng);
    int64_t low = 0, high = rows->pick.rows - 1;
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (rows->pick.at[middle] <= u)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Return the index of a random bit of a nonzero word. */
static int64_t random_bit(uint64_t word, uint64_t *rng) {
    for (int64_t n = below(rng, count_bits(word)); n > 0; n--) word &= word - 1;
    return first_bit(word);
}

/* Return a random row. */
static int64_t random_row(const Draft *draft) {
    return below(&draft->state->random, draft->predicted.rows);
}

/* Return a random row whose prediction is not the best; -1 if several draws find none. */
static int64_t wrong_row(const CellRows *rows, const Draft *draft) {
    for (int tried = 0; tried < 24; tried++) {
        const int64_t i = random_row(draft);
        if (rows->best.at[i] != draft->predicted.at[i]) return i;
    }
    return -1;
}

/* Return the place of a random rule. */
static int64_t random_rule(const Draft *draft) {
    return draft->slot.at[below(&draft->state->random, draft->state->size)];
}

/* Return a random feature that the rule at place p tests. */
static int64_t random_test(const Draft *draft, int64_t p) {
    return ROW(draft->tests, p)[below(&draft->state->random, draft->n_tests.at[p])];
}

/* Prepare a copy of the rule at place own with another condition; return NOTHING if it has no
 * room. */
static int64_t prepare_copy(const CellRows *rows, const Draft *draft, int64_t own, int64_t f,
                            uint64_t word) {
    const int64_t desk = desk_place(draft);
    copy_rule(draft, own, desk);
    return set_test(rows, draft, desk, f, word) ? own : NOTHING;
}

/* Move a bound of a rule, or add or remove a value of a set. */
static int64_t move_bound(const CellRows *rows, const Draft *draft) {
    uint64_t *rng = &draft->state->random;
    const int64_t own = random_rule(draft);
    if (draft->n_tests.at[own] == 0) return NOTHING;
    const int64_t f = random_test(draft, own);
    const uint64_t word = ROW(draft->masks, own)[f];
    const int64_t n_cells = rows->n_cells.at[f];
    uint64_t new;
    if (rows->ordered.at[f]) {
        int64_t low = first_bit(word), high = last_bit(word) + 1;
        const int64_t farthest = uniform(rng) < 0.6 ? 3 : n_cells;
        int64_t far = 1 + below(rng, farthest);
        if (uniform(rng) < 0.5) far = -far;
        if (low > 0 && (high == n_cells || uniform(rng) < 0.5))
            low = max64(0, low + far);
        else
            high = min64(n_cells, high + far);
        new = bits_between(low, high);
    } else {
        new = word ^ bit(random_bit(rows->everything.at[f], rng));
    }
    return !new || new == word ? NOTHING : prepare_copy(rows, draft, own, f, new);
}

/* Drop a condition of a rule, or one of its two bounds. */
static int64_t drop_bound(const CellRows *rows, const Draft *draft) {
    const int64_t own = random_rule(draft);
    if (draft->n_tests.at[own] == 0) return NOTHING;
    const int64_t f = random_test(draft, own);
    const uint64_t word = ROW(draft->masks, own)[f];
    uint64_t new = rows->everything.at[f];
    if (price(rows, f, word) == 2) {
        const double u = uniform(&draft->state->random);
        if (u < 0.4)
            new = bits_between(first_bit(word), rows->n_cells.at[f]);
        else if (u < 0.8)
            new = bits_between(0, last_bit(word) + 1);
    }
    return prepare_copy(rows, draft, own, f, new);
}

/* Return a part of a condition that excludes a cell; 0 if it is empty. */
static uint64_t without(const CellRows *rows, const Draft *draft, uint64_t word, int64_t f,
                        int64_t cell) {
    uint64_t *rng = &draft->state->random;
    if (!rows->ordered.at[f]) {
        if (uniform(rng) < 0.5) return word & ~bit(cell);
        return word & random_word(rng) & ~bit(cell);
    }
    const bool near = uniform(rng) < 0.7;
    if (uniform(rng) < 0.5) {
        const int64_t room = max64(1, (cell - first_bit(word)) / 2);
        return word & bits_between(0, near ? cell : cell - below(rng, room));
    }
    const int64_t room = max64(1, (last_bit(word) + 1 - cell) / 2);
    return word & bits_between(near ? cell + 1 : cell + 1 + below(rng, room), 64);
}

/* Add or narrow a condition, to exclude a wrongly predicted row or at random. */
static int64_t shrink(const CellRows *rows, const Draft *draft) {
    int64_t i = wrong_row(rows, draft), own = -1;
    if (i >= 0 && draft->count.at[i] > 0) {
        for (int64_t r = 0; r < draft->state->size && own < 0; r++) {
            const int64_t p = draft->slot.at[r];
            if (has_row(ROW(draft->cover, p), i)) own = p;
        }
    }
    if (own < 0) {
        own = random_rule(draft);
        i = random_row(draft);
    }
    const int64_t f = pick_feature(rows, &draft->state->random);
    const uint64_t word = ROW(draft->masks, own)[f];
    const uint64_t new = without(rows, draft, word, f, cell_of(rows, f, i));
    return !new || new == word ? NOTHING : prepare_copy(rows, draft, own, f, new);
}

/* Replace a condition with one on another feature. */
static int64_t other_feature(const CellRows *rows, const Draft *draft) {
    const int64_t own = random_rule(draft);
    if (draft->n_tests.at[own] == 0) return NOTHING;
    const int64_t f = random_test(draft, own);
    const int64_t g = pick_feature(rows, &draft->state->random);
    const int64_t cell = cell_of(rows, g, random_row(draft));
    const uint64_t new = without(rows, draft, ROW(draft->masks, own)[g], g, cell);
    if (f == g || !new) return NOTHING;
    prepare_copy(rows, draft, own, f, rows->everything.at[f]);
    set_test(rows, draft, desk_place(draft), g, new);
    return own;
}

/* Return a random condition that contains a cell: an interval or a set. */
static uint64_t around(const CellRows *rows, const Draft *draft, int64_t f, int64_t cell) {
    uint64_t *rng = &draft->state->random;
    const int64_t n_cells = rows->n_cells.at[f];
    if (rows->ordered.at[f]) {
        int64_t low = below(rng, cell + 1);
        int64_t high = cell + 1 + below(rng, n_cells - cell);
        const double u = uniform(rng);
        if (u < 0.4)
            low = 0;
        else if (u < 0.8)
            high = n_cells;
        return bits_between(low, high);
    }
    if (uniform(rng) < 0.6) return bit(cell);
    return (random_word(rng) & rows->everything.at[f]) | bit(cell);
}

/* Prepare a rule of one to four random conditions around row i. */
void box_around(const CellRows *rows, const Draft *draft, int64_t i) {
    const int64_t desk = desk_place(draft);
    clear_rule(rows, draft, desk, rows->best.at[i]);
    for (int64_t n = 1 + below(&draft->state->random, 4); n > 0; n--) {
        const int64_t f = pick_feature(rows, &draft->state->random);
        const uint64_t part = around(rows, draft, f, cell_of(rows, f, i));
        if (!set_test(rows, draft, desk, f, ROW(draft->masks, desk)[f] & part)) break;
    }
}

/* Prepare a rule for a wrongly predicted row: with random conditions or, now and then if no rule
 * covers the row, with no conditions but those that separate it from its rivals. */
static int64_t add_at_seed(const CellRows *rows, const Draft *draft) {
    const int64_t i = wrong_row(rows, draft);
    if (i < 0) return NOTHING;
    if (draft->state->guard != IGNORE && draft->count.at[i] == 0 &&
        uniform(&draft->state->random) < 0.2) {
        clear_rule(rows, draft, desk_place(draft), rows->best.at[i]);
        return free_around(rows, draft, i, NEW) ? NEW : NOTHING;
    }
    box_around(rows, draft, i);
    return NEW;
}

/* Enlarge a rule just enough to cover a wrongly predicted row. */
static int64_t reach(const CellRows *rows, const Draft *draft) {
    const int64_t i = wrong_row(rows, draft);
    if (i < 0) return NOTHING;
    int64_t own = -1, n = 0;
    for (int64_t r = 0; r < draft->state->size; r++) {
        const int64_t p = draft->slot.at[r];
        if (draft->then.at[p] != rows->best.at[i]) continue;
        n++;
        if (below(&draft->state->random, n) == 0) own = p;
    }
    if (own < 0) return NOTHING;
    const int64_t desk = desk_place(draft);
    copy_rule(draft, own, desk);
    for (int64_t k = 0; k < draft->n_tests.at[own]; k++) {
        const int64_t f = ROW(draft->tests, own)[k], cell = cell_of(rows, f, i);
        uint64_t word = ROW(draft->masks, own)[f];
        if (rows->ordered.at[f])
            word = bits_between(min64(first_bit(word), cell), max64(last_bit(word), cell) + 1);
        else
            word |= bit(cell);
        set_test(rows, draft, desk, f, word);
    }
    return own;
}

/* Replace two rules of one consequent with the smallest rule that contains both. */
static int64_t merge(const CellRows *rows, const Draft *draft) {
    const int64_t size = draft->state->size;
    const int64_t a = below(&draft->state->random, size);
    const int64_t b = below(&draft->state->random, size);
    const int64_t own = draft->slot.at[a], other = draft->slot.at[b];
    if (a == b || draft->then.at[own] != draft->then.at[other]) return NOTHING;
    const int64_t desk = desk_place(draft);
    clear_rule(rows, draft, desk, draft->then.at[own]);
    for (int64_t k = 0; k < draft->n_tests.at[own]; k++) {
        const int64_t f = ROW(draft->tests, own)[k];
        uint64_t word = ROW(draft->masks, own)[f] | ROW(draft->masks, other)[f];
        if (rows->ordered.at[f]) word = bits_between(first_bit(word), last_bit(word) + 1);
        set_test(rows, draft, desk, f, word);
    }
    draft->state->drop = b;
    return own;
}

/* Give a rule the best consequent for the rows that only it covers. */
static int64_t relabel(const CellRows *rows, const Draft *draft) {
    const int64_t own = random_rule(draft);
    const int64_t then = best_then(rows, draft, own, true);
    if (then == draft->then.at[own]) return NOTHING;
    const int64_t desk = desk_place(draft);
    copy_rule(draft, own, desk);
    draft->then.at[desk] = (int16_t)then;
    return own;
}

/* Split a rule in two; the new part predicts the best consequent for its rows. */
static int64_t split(const CellRows *rows, const Draft *draft) {
    uint64_t *rng = &draft->state->random;
    if (draft->state->size >= draft->state->rule_limit) return NOTHING;
    const int64_t r = below(rng, draft->state->size);
    const int64_t own = draft->slot.at[r];
    const int64_t f = pick_feature(rows, rng);
    const uint64_t word = ROW(draft->masks, own)[f];
    const int64_t cell = cell_of(rows, f, random_row(draft));
    uint64_t part;
    if (rows->ordered.at[f]) /* at one end of the condition, so that the rest is an interval too */
        part = word & (uniform(rng) < 0.5 ? bits_between(0, cell) : bits_between(cell, 64));
    else
        part = word & around(rows, draft, f, cell);
    const uint64_t rest = word & ~part;
    if (!part || !rest) return NOTHING;
    copy_rule(draft, own, spare_place(draft));
    if (!set_test(rows, draft, spare_place(draft), f, rest)) return NOTHING;
    draft->state->shorten = r;
    const int64_t desk = desk_place(draft);
    prepare_copy(rows, draft, own, f, part);
    find_cover(rows, draft, desk);
    draft->then.at[desk] = (int16_t)best_then(rows, draft, desk, false);
    return NEW;
}

/* Take a rule from another rule set. */
static int64_t graft(const CellRows *rows, const Draft *draft, const WordRules *donors) {
    if (donors->then.rows == 0) return NOTHING;
    const int64_t k = below(&draft->state->random, donors->then.rows);
    const int64_t desk = desk_place(draft);
    clear_rule(rows, draft, desk, donors->then.at[k]);
    for (int64_t f = 0; f < rows->n_cells.rows; f++)
        if (!set_test(rows, draft, desk, f, ROW(donors->masks, k)[f])) return NOTHING;
    const bool is_full = draft->state->size >= draft->state->rule_limit;
    return is_full || uniform(&draft->state->random) < 0.5 ? random_rule(draft) : NEW;
}

/* Give a rule the best condition on a feature that it tests, or on another one. */
static int64_t refit(const CellRows *rows, const Draft *draft) {
    uint64_t *rng = &draft->state->random;
    const int64_t own = random_rule(draft);
    const bool tested = draft->n_tests.at[own] > 0 && uniform(rng) < 0.6;
    const int64_t f = tested ? random_test(draft, own) : pick_feature(rows, rng);
    const bool free = draft->state->guard != IGNORE && uniform(rng) < 0.5;
    uint64_t word = rows->everything.at[f];
    if (free)
        word = free_word(rows, draft, ROW(draft->masks, own), draft->then.at[own], own, f);
    const uint64_t new = best_condition(rows, draft, own, f, word);
    return new == ROW(draft->masks, own)[f] ? NOTHING : prepare_copy(rows, draft, own, f, new);
}

/* Grow a rule around a wrongly predicted row. */
static int64_t grow_at_seed(const CellRows *rows, const Draft *draft) {
    const int64_t i = wrong_row(rows, draft);
    if (i < 0) return NOTHING;
    grow_rule(rows, draft, i);
    return NEW;
}

/* Grow a rule around a wrongly predicted row, up to its last step, which is proposed; return
 * whether there is one. */
bool grow_anywhere(const CellRows *rows, const Draft *draft) {
    const int64_t own = grow_at_seed(rows, draft);
    return own != NOTHING && place_desk(rows, draft, own, draw_how(&draft->state->random)) &&
           keeps_order(rows, draft);
}

/* Draw a move and prepare it; see above. */
static int64_t prepare(const CellRows *rows, const Draft *draft, const WordRules *donors) {
    if (draft->state->size == 0) return add_at_seed(rows, draft);
    const double u = uniform(&draft->state->random);
    if (u < GROWTH) return grow_at_seed(rows, draft);
    if (u < 0.04) return refit(rows, draft);
    if (u < 0.28) return move_bound(rows, draft);
    if (u < 0.40) return drop_bound(rows, draft);
    if (u < 0.57) return shrink(rows, draft);
    if (u < 0.65) return other_feature(rows, draft);
    if (u < 0.76) return add_at_seed(rows, draft);
    if (u < 0.85) return reach(rows, draft);
    if (u < 0.88) return merge(rows, draft);
    if (u < 0.90) return relabel(rows, draft);
    if (u < 0.94) return split(rows, draft);
    if (u < 0.97) return graft(rows, draft, donors);
    draft->state->drop = below(&draft->state->random, draft->state->size);
    return NOTHING;
}

/* Try one move, up to its last step, which is proposed; return whether there is one. */
bool try_move(const CellRows *rows, const Draft *draft, const WordRules *donors) {
    State *state = draft->state;
    state->logged = 0;
    state->drop = -1;
    state->shorten = -1;
    state->proposed = NO_STEP;
    const int64_t own = prepare(rows, draft, donors);
    if (own == NOTHING) {
        if (state->drop < 0) return false;
        propose(rows, draft, REMOVED, state->drop);
        return keeps_order(rows, draft);
    }
    if (state->drop >= 0) remove_rule(rows, draft, state->drop);
    if (state->shorten >= 0) change_rule(rows, draft, state->shorten);
    return place_desk(rows, draft, own, draw_how(&state->random)) && keeps_order(rows, draft);
}
