/* What the kernels of evolution share: structs, random numbers, words and rule sets under change.
 *
 * Rows are reduced to cells, at most 64 per feature, so that a condition is one word,
 * masks[p, f], for every kind of feature. On an ordered feature its bits are an interval, on others
 * any set. Two rules overlap unless their words share no bit on some feature.
 *
 * A rule set under change is a draft. slot[0] to slot[size - 1] are the places of its rules in the
 * arrays. A step keeps the rule that it replaces at slot[rule_limit] or beyond, so that swapping
 * two places back undoes it. Rules with different consequents are rivals.
 *
 * kernels/evolve.py has the same structs, with the same fields in the same order.
 */
#ifndef IRENIC_EVOLVE_H
#define IRENIC_EVOLVE_H

#include "irenic.h"

/* --- structs */

/* Labeled rows as cells and bitmaps; never modified. */
typedef struct {
    Bytes cells;      /* cell of feature f in row i [d, n] */
    Ints n_cells;     /* number of cells per feature [d] */
    Bytes ordered;    /* whether the cells of a feature are ordered [d] */
    Ints begin;       /* index of the first bitmap of a feature in maps [d] */
    Words maps;       /* rows below a cut (ordered) or in a cell (others) [all cells, words] */
    Words everything; /* word for "no condition" on each feature [d] */
    Words full;       /* bitmap of all rows [words] */
    Singles gains;    /* gain from predicting consequent k for row i [n, k] */
    Shorts best;      /* consequent with the highest gain for each row [n] */
    Floats pick;      /* cumulative probabilities of trying each feature [d]; the last is 1 */
} CellRows;

/* Rules as words. */
typedef struct {
    Words masks; /* [rules, d] */
    Shorts then; /* [rules] */
} WordRules;

/* How to anneal. */
typedef struct {
    int64_t moves;  /* number of moves to try */
    double hot;     /* first temperature, in units of the score */
    double cold;    /* last temperature */
    double penalty; /* score that each rule and each condition costs */
} Schedule;

/* What rules must respect besides each other; see limits.c. */
typedef struct {
    Words walls;      /* regions that rules of some consequents must not enter [walls, d] */
    Bytes banned;     /* whether a consequent is one of them [walls, k] */
    Words impossible; /* regions where no case can occur, so that rules may overlap [regions, d] */
    Ints most_values; /* values that a set may list, or leave out, per feature [d]; [0]: no limit;
                         negative if the last cell is that of all other values */
    Ints signs;       /* 1 or -1 where predictions increase or decrease [d]; [0]: nowhere */
    Ints known;       /* first cell of values that are not missing [d]; [0] if there are no signs */
    Ints ranks;       /* place of each consequent in the order of predictions [k] */
} Limits;

/* How several rules that cover a row decide, and how moves treat rivals. */
enum { AVOID, VOTE, BEST };
enum { IGNORE, MAKE_WAY, GROW, ENLARGE };

/* The options of a draft, and its numbers, which kernels change. */
typedef struct {
    int64_t rule_limit;
    int64_t resolve;          /* AVOID, VOTE or BEST */
    int64_t guard;            /* IGNORE, MAKE_WAY, GROW or ENLARGE */
    int64_t fixed_default;    /* whether the default never changes */
    int64_t evaluation_limit; /* number of evaluations to stop at, -1 for none */
    uint64_t random;          /* state of the random number generator, never 0 */
    int64_t size;             /* number of rules */
    int64_t code_by_default;
    int64_t cost;          /* number of bounds and sets */
    int64_t evaluated;     /* number of moves evaluated */
    int64_t logged;        /* number of steps in the log */
    int64_t drop;          /* index of a rule that the move removes, -1 for none */
    int64_t shorten;       /* index of a rule that the move replaces with the spare one, or -1 */
    int64_t proposed;      /* kind of the step that a move ends with, until it is taken */
    int64_t proposed_rule; /* index of the rule that it changes */
    int64_t longer;        /* by how much it changes the number of rules and bounds */
    double score;
    double gain;    /* what the proposed step adds to the score */
    double penalty; /* score that each rule and each condition costs */
} State;

/* The numbers of the best version of a draft. */
typedef struct {
    int64_t size;
    int64_t code_by_default;
    int64_t cost;
    double score;
} Totals;

/* What a rule that grows is computed with. */
typedef struct {
    Singles added;   /* what it adds to the score at a row [n] */
    Bytes failed;    /* number of its conditions that a row fails [n] */
    Codes failing;   /* sum of the features of these conditions [n] */
    Codes inside;    /* rows that fail none [n] */
    Singles weights; /* what these add, where losses may count less [n] */
    Floats sums;     /* sums of what rows add, by cell [d, 64] */
} Bench;

/* A rule set under change. */
typedef struct {
    const Limits *limits;
    State *state;
    const Bench *bench;
    Words masks;      /* [places, d] */
    Ints tests;       /* features that a rule tests [places, limit] */
    Codes n_tests;    /* [places] */
    Shorts then;      /* [places] */
    Codes cost;       /* number of bounds and sets in a rule [places] */
    Floats worth;     /* quality of a rule where the best one decides [places] */
    Words cover;      /* [places + 1, words]; the last bitmap is for scratch */
    Ints slot;        /* [places] */
    Ints rank;        /* places of the rules, best first, where the best one decides [places] */
    Tallies count;    /* number of rules that cover a row [n] */
    Words covered;    /* bitmap of the rows that a rule covers [words] */
    Words shared;     /* bitmap of the rows that several rules cover [words] */
    Shorts predicted; /* predicted consequent of a row [n] */
    Tallies votes;    /* votes for each consequent, where rules vote [n, k] */
    Ints log;         /* kind and place of each step [STEPS, 2] */
    Words room;       /* region in which a rule may change, as words [d] */
    Ints order;       /* features in the order in which a room grows [d] */
    Floats sums;      /* scratch [k] */
} Draft;

/* Kinds of steps. */
enum { CHANGED, ADDED, REMOVED, NO_STEP };

/* Moves that would touch more rules than this are rejected. */
#define STEPS 24

/* In place of the place of a rule: a rule that replaces none, and no rule at all. */
#define NEW (-1)
#define NOTHING (-2)

/* --- random numbers: xorshift, because none of its operations overflows */

/* Return a random word. */
static inline uint64_t random_word(uint64_t *rng) {
    uint64_t x = *rng;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    *rng = x;
    return x;
}

/* Return a number in [0, 1). */
static inline double uniform(uint64_t *rng) {
    return (double)(random_word(rng) >> 11) * (1.0 / 9007199254740992.0);
}

/* Return a whole number in [0, n). */
static inline int64_t below(uint64_t *rng, int64_t n) {
    return min64((int64_t)(uniform(rng) * (double)n), n - 1);
}

/* --- words */

/* Return the index of the lowest bit of a nonzero word. */
static inline int64_t first_bit(uint64_t word) { return __builtin_ctzll(word); }

/* Return the index of the highest bit of a nonzero word. */
static inline int64_t last_bit(uint64_t word) { return 63 - __builtin_clzll(word); }

/* Return the number of bits of a word. */
static inline int64_t count_bits(uint64_t word) { return __builtin_popcountll(word); }

/* Return the word with the bits in [low, high); 0 if there are none. */
static inline uint64_t bits_between(int64_t low, int64_t high) {
    return low >= high ? 0 : (UINT64_MAX >> (64 - (high - low))) << low;
}

/* Return the word with one bit. */
static inline uint64_t bit(int64_t cell) { return UINT64_C(1) << cell; }

/* Return whether a bitmap contains row i. */
static inline bool has_row(const uint64_t *bitmap, int64_t i) {
    return (bitmap[i >> 6] >> (i & 63)) & 1;
}

/* Return the smaller of two numbers. */
static inline double min_of(double a, double b) { return a < b ? a : b; }

/* --- drafts */

/* Return the place where the next step may prepare a rule. */
static inline int64_t spare_place(const Draft *draft) {
    return draft->slot.at[draft->state->rule_limit + draft->state->logged];
}

/* Return the place where a move prepares a rule, which no step overwrites. */
static inline int64_t desk_place(const Draft *draft) {
    return draft->slot.at[draft->state->rule_limit + STEPS];
}

/* Return the cell of feature f in row i. */
static inline int64_t cell_of(const CellRows *rows, int64_t f, int64_t i) {
    return ROW(rows->cells, f)[i];
}

/* Return the cost of reading a condition: 1 per bound, 1 for a set. */
static inline int32_t price(const CellRows *rows, int64_t f, uint64_t word) {
    return rows->ordered.at[f] && !(word & 1) && !(word >> (rows->n_cells.at[f] - 1)) ? 2 : 1;
}

/* draft.c */
bool set_test(const CellRows *rows, const Draft *draft, int64_t p, int64_t f, uint64_t word);
void copy_rule(const Draft *draft, int64_t source, int64_t target);
void clear_rule(const CellRows *rows, const Draft *draft, int64_t p, int64_t then);
void find_cover(const CellRows *rows, const Draft *draft, int64_t p);
int64_t next_rival(const Draft *draft, int64_t p, int64_t own, int64_t r);
int64_t best_default(const CellRows *rows, const Draft *draft);
void set_default(const CellRows *rows, const Draft *draft, int64_t code);
int64_t best_then(const CellRows *rows, const Draft *draft, int64_t p, bool alone);
void change_rule(const CellRows *rows, const Draft *draft, int64_t r);
void add_rule(const CellRows *rows, const Draft *draft);
void remove_rule(const CellRows *rows, const Draft *draft, int64_t r);
void propose(const CellRows *rows, const Draft *draft, int64_t kind, int64_t r);
void take_proposed(const CellRows *rows, const Draft *draft);
void undo_steps(const CellRows *rows, const Draft *draft);

/* limits.c */
bool lists_few(const CellRows *rows, const Draft *draft, int64_t f, uint64_t word);
bool only_impossible(const Draft *draft, int64_t p, int64_t q);
int64_t next_wall(const Draft *draft, int64_t p, int64_t w);
void open_bounds(const CellRows *rows, const Draft *draft, int64_t p);
bool keeps_order(const CellRows *rows, const Draft *draft);
int64_t breaks_order(const CellRows *rows, const Draft *draft);

/* fit.c */
uint64_t best_condition(const CellRows *rows, const Draft *draft, int64_t own, int64_t f,
                        uint64_t word);
void grow_rule(const CellRows *rows, const Draft *draft, int64_t i);

/* moves.c */
bool grow_free(const CellRows *rows, const Draft *draft, int64_t i, int64_t own);
void enlarge_room(const CellRows *rows, const Draft *draft, int64_t then, int64_t own);
bool place_desk(const CellRows *rows, const Draft *draft, int64_t own, int64_t how);
void box_around(const CellRows *rows, const Draft *draft, int64_t i);
bool grow_anywhere(const CellRows *rows, const Draft *draft);
bool try_move(const CellRows *rows, const Draft *draft, const WordRules *donors);

#endif
