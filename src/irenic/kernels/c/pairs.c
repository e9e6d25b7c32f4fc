/* Overlaps: the rules that have a point in common with a box, or with each other. */

#include "irenic.h"

/* Rules whose sets of values are tested together. */
#define BLOCK 64
/* Below this many rules, every pair is tested: finding a cut costs more than it saves. */
#define SMALL 24
/* Rules of a node that are looked at to choose its cut, and cuts that are tried on each axis. */
#define SAMPLE 128
#define CUTS 8
/* A cut must leave at most this share of the pairs, otherwise all pairs of the node are tested. */
#define WORTH 0.6
/* Below this many rules, bitmaps find the pairs faster than more cuts would. */
#define DIRECT 1024
/* Edges on each axis of bitmaps, rules whose bounds they are chosen from, and words of a bitmap
 * that are looked at together. */
#define BINS 32
#define EDGE_SAMPLE (16 * BINS)
#define CHUNK 8
/* Nodes that can wait on the stack. */
#define DEPTH 256

/* Clear meets[r] where rule first + r shares no value of a categorical feature with a box. */
static void meet_values(const RuleColumns *rules, Box box, int64_t j, int64_t first, int64_t size,
                        uint8_t *restrict meets) {
    uint64_t shared[BLOCK] = {0};
    for (int64_t w = rules->starts.at[j]; w < rules->starts.at[j + 1]; w++) {
        const uint64_t *restrict words = ROW(rules->masks, w) + first;
        const uint64_t word = box.masks[w];
        for (int64_t r = 0; r < size; r++) shared[r] |= words[r] & word;
    }
    for (int64_t r = 0; r < size; r++) meets[r] &= shared[r] != 0;
}

/* Set out[r] to whether rule r and a box have a point in common. */
EXPORT void meeting(const RuleColumns *rules, void *cells, uint8_t *restrict out) {
    const int64_t n = rules->n, sets = n_sets(&rules->starts);
    const Box box = box_in(cells, rules->lower.rows);
    memset(out, 1, (size_t)n);
    for (int64_t i = 0; i < rules->lower.rows; i++) {
        const double low = box.lower[i], high = box.upper[i];
        if (low == -INFINITY && high == INFINITY) continue;
        const double *restrict lower = ROW(rules->lower, i);
        const double *restrict upper = ROW(rules->upper, i);
        for (int64_t r = 0; r < n; r++) out[r] &= (lower[r] < high) & (low < upper[r]);
    }
    for (int64_t first = 0; first < n && sets; first += BLOCK) {
        const int64_t size = min64(BLOCK, n - first);
        for (int64_t j = 0; j < sets; j++) {
            if (!memchr(out + first, 1, (size_t)size)) break;
            meet_values(rules, box, j, first, size, out + first);
        }
    }
}

/* Rules as boxes of intervals, with one row each: a set of values is the span of its codes. */
typedef struct {
    const RuleColumns *rules;
    int64_t axes;
    double *low;  /* [n, axes] */
    double *high; /* [n, axes] */
} Extents;

/* A part of the space. */
typedef struct {
    double *low;    /* [axes] */
    double *high;   /* [axes] */
    int64_t *order; /* the axes, those that divide its rules best first [axes] */
} Node;

/* The pairs found so far: the smaller rule times 2 ** 32, plus the larger rule. */
typedef struct {
    int64_t *at;
    int64_t found;
    int64_t room;
    int64_t limit; /* how many are enough */
    bool same;     /* whether the consequents of a pair must be equal, or must differ */
} Pairs;

static void fill_extents(const RuleColumns *rules, Extents *extents) {
    const int64_t d = rules->lower.rows;
    for (int64_t r = 0; r < rules->n; r++) {
        double *low = extents->low + r * extents->axes, *high = extents->high + r * extents->axes;
        for (int64_t i = 0; i < d; i++) {
            low[i] = ROW(rules->lower, i)[r];
            high[i] = ROW(rules->upper, i)[r];
        }
        for (int64_t j = 0; j < n_sets(&rules->starts); j++) {
            const int64_t start = rules->starts.at[j];
            int64_t least = -1, most = -1;
            for (int64_t w = start; w < rules->starts.at[j + 1]; w++) {
                const uint64_t word = ROW(rules->masks, w)[r];
                if (!word) continue;
                if (least < 0) least = (w - start) * 64 + __builtin_ctzll(word);
                most = (w - start) * 64 + 63 - __builtin_clzll(word);
            }
            low[d + j] = (double)least;
            high[d + j] = (double)(most + 1);
        }
    }
}

/* Sort values (comb sort). */
static void sort(double *values, int64_t n) {
    bool swapped = true;
    for (int64_t gap = n; gap > 1 || swapped;) {
        gap = max64(1, gap * 10 / 13);
        swapped = false;
        for (int64_t i = 0; i < n - gap; i++) {
            if (values[i] > values[i + gap]) {
                const double greater = values[i];
                values[i] = values[i + gap];
                values[i + gap] = greater;
                swapped = true;
            }
        }
    }
}

/* Return how many edges are below a key. */
static inline int64_t count_below(const double *restrict edges, int64_t n, double key) {
    int64_t count = 0;
    for (int64_t k = 0; k < n; k++) count += edges[k] < key;
    return count;
}

/* Return how many edges are not above a key. */
static inline int64_t count_up_to(const double *restrict edges, int64_t n, double key) {
    int64_t count = 0;
    for (int64_t k = 0; k < n; k++) count += edges[k] <= key;
    return count;
}

/* Set value to where to cut a node so that its rules are divided best, and return the axis of the
 * cut, -1 if none is worth it. Rank the axes of the node, too.
 *
 * A cut has on its left the rules that begin below it, on its right those that end above it. Its
 * score is the sum of the squares of both counts: the pairs that are left to test. scores has room
 * for one number per axis.
 */
static int64_t choose_cut(const Extents *extents, const int32_t *items, int64_t count, Node node,
                          double *scores, double *value) {
    const int64_t axes = extents->axes;
    const int64_t stride = max64(1, count / SAMPLE);
    const int64_t seen = (count + stride - 1) / stride;
    const int64_t every = max64(1, seen / CUTS);
    double best_score = INFINITY;
    int64_t best_axis = -1;
    for (int64_t a = 0; a < axes; a++) {
        const double *low = extents->low + a, *high = extents->high + a;
        double cuts[CUTS];
        int64_t starts_below[CUTS + 1] = {0}, ends_below[CUTS + 1] = {0};
        scores[a] = INFINITY;
        /* candidates: bounds of rules that are spread over the node */
        int64_t found = 0;
        for (int64_t s = 0; s < seen && found < CUTS; s += every) {
            const int64_t row = items[s * stride] * axes;
            double bound = low[row];
            if (!(node.low[a] < bound && bound < node.high[a])) bound = high[row];
            if (node.low[a] < bound && bound < node.high[a]) cuts[found++] = bound;
        }
        if (!found) continue;
        sort(cuts, found);
        for (int64_t s = 0; s < seen; s++) {
            const int64_t row = items[s * stride] * axes;
            starts_below[count_up_to(cuts, found, low[row])]++;
            ends_below[count_below(cuts, found, high[row])]++;
        }
        int64_t left = 0, gone = 0;
        for (int64_t c = 0; c < found; c++) {
            left += starts_below[c];
            gone += ends_below[c];
            const double on_left = (double)left, on_right = (double)(seen - gone);
            const double score = on_left * on_left + on_right * on_right;
            if (score >= scores[a]) continue;
            scores[a] = score;
            if (score < best_score) {
                best_score = score;
                best_axis = a;
                *value = cuts[c];
            }
        }
    }
    for (int64_t a = 0; a < axes; a++) { /* by insertion: there are few */
        int64_t place = a;
        for (; place && scores[node.order[place - 1]] > scores[a]; place--)
            node.order[place] = node.order[place - 1];
        node.order[place] = a;
    }
    return best_score > WORTH * (double)seen * (double)seen ? -1 : best_axis;
}

/* Return whether rules a and b share a value of every categorical feature, and whether the lowest
 * corner of what they share lies in a node: the leaves divide the space, so exactly one of them
 * reports each pair. */
static inline bool shares_corner(const Extents *extents, int64_t a, int64_t b, Node node) {
    const RuleColumns *rules = extents->rules;
    const double *low_a = extents->low + a * extents->axes;
    const double *low_b = extents->low + b * extents->axes;
    const int64_t d = rules->lower.rows;
    for (int64_t j = 0; j < n_sets(&rules->starts); j++) {
        const int64_t start = rules->starts.at[j], stop = rules->starts.at[j + 1];
        uint64_t shared = 0;
        int64_t w = start;
        for (; w < stop; w++) {
            shared = ROW(rules->masks, w)[a] & ROW(rules->masks, w)[b];
            if (shared) break;
        }
        if (!shared) return false;
        const double corner = (double)((w - start) * 64 + __builtin_ctzll(shared));
        if (!(node.low[d + j] <= corner && corner < node.high[d + j])) return false;
    }
    for (int64_t i = 0; i < d; i++) {
        const double corner = low_a[i] > low_b[i] ? low_a[i] : low_b[i];
        if (!(node.low[i] <= corner && corner < node.high[i])) return false;
    }
    return true;
}

/* Return whether two rules overlap, and this node is the one to report it. */
static inline bool is_pair(const Extents *extents, int64_t a, int64_t b, Node node) {
    const int64_t axes = extents->axes;
    const double *low_a = extents->low + a * axes, *high_a = extents->high + a * axes;
    const double *low_b = extents->low + b * axes, *high_b = extents->high + b * axes;
    for (int64_t o = 0; o < axes; o++) {
        const int64_t x = node.order[o];
        if (low_a[x] >= high_b[x] || low_b[x] >= high_a[x]) return false;
    }
    return shares_corner(extents, a, b, node);
}

/* Add a pair. Return whether there is enough memory. */
static bool note(Pairs *pairs, int64_t a, int64_t b) {
    if (pairs->found == pairs->room) {
        const int64_t room = pairs->room ? 2 * pairs->room : 1024;
        int64_t *at = realloc(pairs->at, (size_t)room * sizeof *at);
        if (!at) return false;
        pairs->at = at;
        pairs->room = room;
    }
    pairs->at[pairs->found++] = min64(a, b) << 32 | max64(a, b);
    return true;
}

/* Test two rules, and note them if they are one of the pairs. Return whether to go on: false if
 * enough are found, or if there is not enough memory, which sets the status. */
static inline bool test(const Extents *extents, int64_t a, int64_t b, Node node, Pairs *pairs,
                        int64_t *status) {
    const int32_t *then = extents->rules->then.at;
    if ((then[a] == then[b]) != pairs->same || !is_pair(extents, a, b, node)) return true;
    if (!note(pairs, a, b)) *status = NO_MEMORY;
    return !*status && pairs->found < pairs->limit;
}

/* Set edges to quantiles of the rules' bounds on one axis, from a sample of them. */
static void choose_edges(const double *bounds, int64_t axes, const int32_t *items, int64_t n,
                         double *edges) {
    double sample[EDGE_SAMPLE];
    const int64_t size = min64(n, EDGE_SAMPLE);
    for (int64_t s = 0; s < size; s++) sample[s] = bounds[items[s * n / size] * axes];
    sort(sample, size);
    for (int64_t k = 0; k < BINS; k++) edges[k] = sample[k * size / BINS];
}

/* Bitmaps that tell, with a few ANDs, which rules may overlap a rule.
 *
 * starting[o, k] are the rules that begin below edge k of axis o, ending[o, k] those that end above
 * it, the last row of each all rules. A rule's own bounds are rounded outwards to the edges end_row
 * and begin_row, so that no pair is lost.
 */
typedef struct {
    int64_t words;      /* of each bitmap: a multiple of CHUNK */
    uint64_t *starting; /* [axes, BINS + 1, words] */
    uint64_t *ending;   /* [axes, BINS + 1, words] */
    uint8_t *end_row;   /* which of starting a rule is compared with [n, axes] */
    uint8_t *begin_row; /* which of ending a rule is compared with [n, axes] */
} Bitmaps;

static void join(uint64_t *restrict target, const uint64_t *restrict source, int64_t words) {
    for (int64_t w = 0; w < words; w++) target[w] |= source[w];
}

static void fill_bitmaps(const Extents *extents, const int32_t *items, int64_t n,
                         const int64_t *order, Bitmaps *maps) {
    const int64_t axes = extents->axes, words = maps->words;
    double start_edges[BINS], end_edges[BINS];
    for (int64_t o = 0; o < axes; o++) {
        const double *low = extents->low + order[o], *high = extents->high + order[o];
        uint64_t *starting = maps->starting + o * (BINS + 1) * words;
        uint64_t *ending = maps->ending + o * (BINS + 1) * words;
        choose_edges(low, axes, items, n, start_edges);
        choose_edges(high, axes, items, n, end_edges);
        for (int64_t s = 0; s < n; s++) {
            const double begin = low[items[s] * axes], end = high[items[s] * axes];
            const uint64_t bit = (uint64_t)1 << (s & 63);
            /* the first edge above the beginning; later edges follow below */
            starting[count_up_to(start_edges, BINS, begin) * words + (s >> 6)] |= bit;
            /* the last edge below the end (or, before all edges, the row of all rules) */
            const int64_t k = count_below(end_edges, BINS, end);
            ending[(k ? k - 1 : BINS) * words + (s >> 6)] |= bit;
            maps->end_row[s * axes + o] = (uint8_t)count_below(start_edges, BINS, end);
            const int64_t row = count_up_to(end_edges, BINS, begin);
            maps->begin_row[s * axes + o] = (uint8_t)(row ? row - 1 : BINS);
        }
        for (int64_t k = 0; k < BINS; k++)
            join(starting + (k + 1) * words, starting + k * words, words);
        for (int64_t k = BINS - 2; k >= 0; k--)
            join(ending + k * words, ending + (k + 1) * words, words);
        join(ending + BINS * words, ending, words);
    }
}

/* Set chunk to the rules among some words of the bitmaps that may overlap rule s. Return whether
 * there are any. */
static inline bool candidates(const Bitmaps *maps, int64_t axes, int64_t s, int64_t begin,
                              uint64_t *restrict chunk) {
    const uint8_t *end_row = maps->end_row + s * axes, *begin_row = maps->begin_row + s * axes;
    for (int64_t o = 0; o < axes; o++) {
        const int64_t first = o * (BINS + 1);
        const uint64_t *restrict starting = maps->starting + (first + end_row[o]) * maps->words;
        const uint64_t *restrict ending = maps->ending + (first + begin_row[o]) * maps->words;
        uint64_t left = 0;
        for (int64_t w = 0; w < CHUNK; w++) {
            chunk[w] &= starting[begin + w] & ending[begin + w];
            left |= chunk[w];
        }
        if (!left) return false;
    }
    return true;
}

/* Note the pairs among some rules, looking at many candidates together. */
static int64_t pairs_by_bitmaps(const Extents *extents, const int32_t *items, int64_t n, Node node,
                                Pairs *pairs) {
    const int64_t axes = extents->axes;
    const int64_t words = ((n + 63) / 64 + CHUNK - 1) / CHUNK * CHUNK;
    const int64_t cells = axes * (BINS + 1) * words;
    uint64_t *memory = calloc((size_t)(2 * cells + (2 * n * axes + 7) / 8), sizeof *memory);
    if (!memory) return NO_MEMORY;
    uint8_t *rows = (uint8_t *)(memory + 2 * cells);
    Bitmaps maps = {words, memory, memory + cells, rows, rows + n * axes};
    fill_bitmaps(extents, items, n, node.order, &maps);
    int64_t status = 0;
    for (int64_t s = 0; s < n; s++) {
        const int64_t own = s >> 6;
        for (int64_t begin = own / CHUNK * CHUNK; begin < words; begin += CHUNK) {
            /* rules after this one only */
            uint64_t chunk[CHUNK];
            for (int64_t w = 0; w < CHUNK; w++) chunk[w] = begin + w < own ? 0 : ~(uint64_t)0;
            if (begin <= own) chunk[own - begin] = ~(uint64_t)1 << (s & 63);
            if (!candidates(&maps, axes, s, begin, chunk)) continue;
            for (int64_t w = 0; w < CHUNK; w++) {
                for (uint64_t word = chunk[w]; word; word &= word - 1) {
                    const int64_t t = (begin + w) * 64 + __builtin_ctzll(word);
                    if (!test(extents, items[s], items[t], node, pairs, &status)) goto end;
                }
            }
        }
    }
end:
    free(memory);
    return status;
}

/* Note the pairs among a few rules. */
static int64_t pairs_one_by_one(const Extents *extents, const int32_t *items, int64_t n, Node node,
                                Pairs *pairs) {
    int64_t status = 0;
    for (int64_t s = 0; s < n; s++)
        for (int64_t t = s + 1; t < n; t++)
            if (!test(extents, items[s], items[t], node, pairs, &status)) return status;
    return status;
}

/* Return whether all items have the same consequent. */
static bool is_uniform(const int32_t *then, const int32_t *items, int64_t n) {
    for (int64_t s = 1; s < n; s++)
        if (then[items[s]] != then[items[0]]) return false;
    return true;
}

/* Nodes that wait; the items of the last one are at the end of those in use. */
typedef struct {
    int64_t depth;
    int64_t begin[DEPTH];
    int64_t end[DEPTH];
    double *low;  /* [DEPTH, axes] */
    double *high; /* [DEPTH, axes] */
    int32_t *items;
    int64_t room; /* of items */
} Waiting;

/* Cut the node that was last on the stack: its two parts, the left one below the right one, take
 * its place. Return whether there is enough memory. */
static bool cut_node(const Extents *extents, Waiting *stack, Node node, int64_t axis,
                     double value) {
    const int64_t begin = stack->begin[stack->depth], end = stack->end[stack->depth];
    const int64_t count = end - begin, axes = extents->axes;
    if (stack->room < end + 2 * count) {
        const int64_t room = max64(2 * stack->room, end + 2 * count);
        int32_t *grown = realloc(stack->items, (size_t)room * sizeof *grown);
        if (!grown) return false;
        stack->items = grown;
        stack->room = room;
    }
    int32_t *items = stack->items;
    int64_t top = end;
    for (int64_t s = begin; s < end; s++) {
        items[top] = items[s];
        top += extents->low[items[s] * axes + axis] < value;
    }
    const int64_t middle = begin + top - end;
    for (int64_t s = begin; s < end; s++) {
        items[top] = items[s];
        top += extents->high[items[s] * axes + axis] > value;
    }
    memmove(items + begin, items + end, (size_t)(top - end) * sizeof *items);
    for (int child = 0; child < 2; child++) {
        const int64_t depth = stack->depth++;
        stack->begin[depth] = child ? middle : begin;
        stack->end[depth] = child ? begin + top - end : middle;
        memcpy(stack->low + depth * axes, node.low, (size_t)axes * sizeof(double));
        memcpy(stack->high + depth * axes, node.high, (size_t)axes * sizeof(double));
        (child ? stack->low : stack->high)[depth * axes + axis] = value;
    }
    return true;
}

/* Work off the nodes on the stack. */
static int64_t find_pairs(const Extents *extents, Waiting *stack, Node node, double *scores,
                          Pairs *pairs) {
    const int64_t axes = extents->axes;
    const int32_t *then = extents->rules->then.at;
    while (stack->depth && pairs->found < pairs->limit) {
        const int64_t depth = --stack->depth;
        const int64_t begin = stack->begin[depth], count = stack->end[depth] - begin;
        const int32_t *items = stack->items + begin;
        if (count < 2 || (!pairs->same && is_uniform(then, items, count))) continue;
        memcpy(node.low, stack->low + depth * axes, (size_t)axes * sizeof(double));
        memcpy(node.high, stack->high + depth * axes, (size_t)axes * sizeof(double));
        int64_t axis = -1, status = 0;
        double value = 0.0;
        if (count > DIRECT && depth + 2 < DEPTH)
            axis = choose_cut(extents, items, count, node, scores, &value);
        if (axis >= 0)
            status = cut_node(extents, stack, node, axis, value) ? 0 : NO_MEMORY;
        else if (count > SMALL && axes)
            status = pairs_by_bitmaps(extents, items, count, node, pairs);
        else
            status = pairs_one_by_one(extents, items, count, node, pairs);
        if (status) return status;
    }
    return 0;
}

/* Find the pairs of rules that overlap and whose consequents are the same (or differ): the smaller
 * rule times 2 ** 32, plus the larger rule. Return how many were found, at most limit, and set keys
 * to where they are, to be released by what called this.
 *
 * The space is cut in two again and again, where this divides the rules best; a rule that a cut
 * goes through stays on both sides. Where no cut helps, or few rules are left, all pairs are
 * tested.
 */
EXPORT int64_t overlapping_pairs(const RuleColumns *rules, int64_t same, int64_t limit,
                                 int64_t **keys) {
    const int64_t n = rules->n, d = rules->lower.rows, axes = d + n_sets(&rules->starts);
    Pairs pairs = {NULL, 0, 0, max64(limit, 1), same};
    Waiting stack = {.depth = 1, .room = max64(3 * n, 16)};
    int64_t status = NO_MEMORY;
    double *memory = malloc((size_t)(2 * n + 2 * DEPTH + 3) * (size_t)axes * sizeof *memory + 1);
    int64_t *order = malloc((size_t)axes * sizeof *order + 1);
    stack.items = malloc((size_t)stack.room * sizeof *stack.items);
    if (memory && order && stack.items) {
        Extents extents = {rules, axes, memory, memory + n * axes};
        double *rest = extents.high + n * axes;
        stack.low = rest;
        stack.high = rest + DEPTH * axes;
        rest = stack.high + DEPTH * axes;
        const Node node = {rest, rest + axes, order};
        fill_extents(rules, &extents);
        for (int64_t r = 0; r < n; r++) stack.items[r] = (int32_t)r;
        for (int64_t a = 0; a < axes; a++) {
            order[a] = a;
            stack.low[a] = -INFINITY;
            stack.high[a] = INFINITY;
        }
        stack.begin[0] = 0;
        stack.end[0] = n;
        status = find_pairs(&extents, &stack, node, rest + 2 * axes, &pairs);
    }
    free(memory);
    free(order);
    free(stack.items);
    if (status) free(pairs.at);
    *keys = status ? NULL : pairs.at;
    return status ? status : pairs.found;
}

/* Free what a kernel has allocated for its caller. */
EXPORT void release(void *memory) { free(memory); }
