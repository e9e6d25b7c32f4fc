/* Deciding one point by many rules: an index of the rules, and the rule that it finds.
 *
 * The index is a tree that cuts the space. A node either compares one coordinate of the point with a
 * cut, or is a leaf: a list of rules that meet its box, which are tested one after another.
 * Coordinates are the continuous features and then the categorical ones; a category counts as the
 * number of its bit, so both kinds are cut in the same way.
 *
 * Rules on both sides of a cut are copied to both children or, if that takes too much memory, go to a
 * third child of their own, which has to be searched besides one of the other two.
 *
 * Rules are numbered by priority. Unless all rules vote, rules after one that covers the whole box of
 * a node cannot decide there and are dropped.
 *
 * Memory is bounded for every set of n rules. Rules are only copied if the lists of the children fit
 * into the node's share of COPIES * n entries, which children divide in proportion to their rules. So
 * leaves have at most COPIES * n entries (4 bytes each). At least two children of each node have
 * rules, so there are at most 3 * COPIES * n nodes (16 bytes each). Rules that no cut separates within
 * these limits stay in one leaf, which is then scanned.
 */

#include "irenic.h"

#define COPIES 4
/* A list of this many rules is not cut any further. */
#define LEAF 8
/* No path is longer than this. */
#define DEPTH 128
/* Cuts are chosen by the extents of this many rules of a node. */
#define SAMPLE 128
/* Votes of this many rules are counted on the stack. */
#define FEW 64
/* Added to the axis of a node that has a third child. */
#define THIRD (1 << 30)
/* What decide_point returns for a point that needs the checks of Space.encode. */
#define UNUSUAL (-3)

/* A node: axis >= 0 has children at, at + 1 and perhaps at + 2; otherwise a leaf with -1 - axis rules.
 */
typedef struct {
    double cut;
    int32_t axis;
    int32_t at; /* of a leaf: the index of its first entry */
} Node;

/* What coordinates can be. */
typedef struct {
    Floats end;    /* the cut just above the greatest value of each continuous feature [features] */
    Floats exact;  /* numbers must be less than this in magnitude to be taken unchecked [features] */
    Bytes missing; /* whether each continuous feature may be missing [features] */
    Bytes whole;   /* whether it has only whole numbers [features] */
} Domain;

/* Rules by priority with one row each, and the tree. */
typedef struct {
    int64_t n, features, sets, words;
    int64_t n_thens; /* number of consequents if rules vote, otherwise 0 */
    double *lower;   /* [n, features] */
    double *upper;   /* [n, features] */
    uint64_t *masks; /* [n, words] */
    int64_t *rules;  /* the number of each rule in its set [n] */
    int32_t *then;   /* [n] */
    double *weight;  /* [n] */
    double *lowest, *end, *exact;
    uint8_t *missing, *whole;
    int64_t *starts;
    uint64_t *everything;
    Node *nodes;
    int64_t n_nodes, room_nodes;
    int32_t *entries;
    int64_t n_entries, room_entries;
} Index;

/* What is needed only while the tree is built. */
typedef struct {
    Index *index;
    double *low, *high; /* the box of the current node [features + sets] */
    int32_t *lists;     /* the lists of the current node and of its ancestors */
    int64_t room_lists;
    double logs[SAMPLE + 1];
    double firsts[SAMPLE], lasts[SAMPLE];
} Builder;

typedef struct {
    double at;
    int64_t axis; /* -1 for none */
} Cut;

/* The best cuts of a node. */
typedef struct {
    Cut copying; /* if rules on both sides are copied */
    Cut parting; /* if they go to a third child */
} Cuts;

/* Return a word of the mask of a rule with only the bits from first to last - 1 of its set. */
static inline uint64_t bits_between(uint64_t word, int64_t w, int64_t first, int64_t last) {
    const int64_t from = max64(first - 64 * w, 0), to = min64(last - 64 * w, 64);
    if (from >= to) return 0;
    return word & (~(uint64_t)0 << from) & (~(uint64_t)0 >> (64 - to));
}

/* Set first and last to where a rule begins and ends within the current box, on one axis. */
static bool extent(const Builder *builder, int64_t rule, int64_t axis, double *first,
                   double *last) {
    const Index *index = builder->index;
    const double low = builder->low[axis], high = builder->high[axis];
    if (axis < index->features) {
        const double lower = index->lower[rule * index->features + axis];
        const double upper = index->upper[rule * index->features + axis];
        *first = lower > low ? lower : low;
        *last = upper < high ? upper : high;
        return *first < *last;
    }
    const int64_t start = index->starts[axis - index->features];
    const uint64_t *mask = index->masks + rule * index->words + start;
    const uint64_t *all = index->everything + start;
    int64_t begin = -1, end = -1;
    for (int64_t w = (int64_t)low >> 6; w <= ((int64_t)high - 1) >> 6; w++) {
        const uint64_t word = bits_between(mask[w] & all[w], w, (int64_t)low, (int64_t)high);
        if (!word) continue;
        if (begin < 0) begin = 64 * w + __builtin_ctzll(word);
        end = 64 * w + 64 - __builtin_clzll(word);
    }
    *first = (double)begin;
    *last = (double)end;
    return begin >= 0;
}

/* Return whether a rule covers the current box. */
static bool covers_box(const Builder *builder, int64_t rule) {
    const Index *index = builder->index;
    const double *lower = index->lower + rule * index->features;
    const double *upper = index->upper + rule * index->features;
    for (int64_t i = 0; i < index->features; i++)
        if (lower[i] > builder->low[i] || upper[i] < builder->high[i]) return false;
    for (int64_t j = 0; j < index->sets; j++) {
        const int64_t start = index->starts[j];
        const int64_t low = (int64_t)builder->low[index->features + j];
        const int64_t high = (int64_t)builder->high[index->features + j];
        for (int64_t w = low >> 6; w <= (high - 1) >> 6; w++) {
            const uint64_t outside = index->everything[start + w] &
                                     ~index->masks[rule * index->words + start + w];
            if (bits_between(outside, w, low, high)) return false;
        }
    }
    return true;
}

/* Sort a few numbers. */
static void sort(double *numbers, int64_t n) {
    static const int64_t gaps[] = {57, 23, 10, 4, 1};
    for (int g = 0; g < 5; g++) {
        const int64_t gap = gaps[g];
        for (int64_t i = gap; i < n; i++) {
            const double number = numbers[i];
            int64_t k = i;
            for (; k >= gap && numbers[k - gap] > number; k -= gap) numbers[k] = numbers[k - gap];
            numbers[k] = number;
        }
    }
}

/* Return the cuts of the current box that leave the least work, judged by a sample of its rules.
 *
 * If rules are copied, the work of m rules is taken as m * log(m): it is greater for rules that go to
 * both sides, and for sides of different sizes. Cuts that leave all rules on one side do not count. If
 * rules go to a third child, each point is spared the side with fewer rules, or the other one.
 */
static Cuts best_cuts(Builder *builder, const int32_t *list, int64_t n) {
    const Index *index = builder->index;
    const int64_t size = min64(n, SAMPLE);
    double *firsts = builder->firsts, *lasts = builder->lasts;
    double least = INFINITY;
    int64_t most = 0;
    Cuts best = {{0.0, -1}, {0.0, -1}};
    for (int64_t axis = 0; axis < index->features + index->sets; axis++) {
        const double low = builder->low[axis], high = builder->high[axis];
        bool inside = false;
        for (int64_t k = 0; k < size; k++) {
            extent(builder, list[k * n / size], axis, firsts + k, lasts + k);
            inside |= firsts[k] > low || lasts[k] < high;
        }
        if (!inside) continue;
        sort(firsts, size);
        sort(lasts, size);
        /* a rule goes left if it begins before the cut, and right if it ends after it */
        int64_t begun = 0, ended = 0;
        while (begun < size || ended < size) {
            double cut = ended < size ? lasts[ended] : INFINITY;
            if (begun < size && firsts[begun] < cut) cut = firsts[begun];
            const int64_t left = begun;
            while (begun < size && firsts[begun] == cut) begun++;
            while (ended < size && lasts[ended] == cut) ended++;
            const int64_t right = size - ended;
            if (cut <= low || cut >= high) continue;
            const int64_t spared = min64(size - left, size - right);
            if (spared > most) {
                most = spared;
                best.parting = (Cut){cut, axis};
            }
            if (left == size || right == size) continue;
            const double work =
                (double)left * builder->logs[left] + (double)right * builder->logs[right];
            if (work < least) {
                least = work;
                best.copying = (Cut){cut, axis};
            }
        }
    }
    return best;
}

/* Make room for more elements; return whether there is enough memory. */
static bool reserve(void **array, int64_t *room, int64_t wanted, size_t size) {
    if (wanted <= *room) return true;
    const int64_t next = max64(wanted, *room + *room / 2);
    void *larger = realloc(*array, (size_t)next * size);
    if (!larger) return false;
    *array = larger;
    *room = next;
    return true;
}

/* Write those rules of a list that meet the current box on one axis to another list, up to one that
 * decides in the whole box, and return how many they are. */
static int64_t keep(Builder *builder, int64_t first, int64_t n, int64_t axis, int64_t to) {
    int64_t count = 0;
    double begin, end;
    for (int64_t k = first; k < first + n; k++) {
        const int32_t rule = builder->lists[k];
        if (!extent(builder, rule, axis, &begin, &end)) continue;
        builder->lists[to + count++] = rule;
        if (!builder->index->n_thens && covers_box(builder, rule)) break;
    }
    return count;
}

/* Write the rules of a list that are left of a cut (side 0), right of it (1) or on both sides (2) to
 * another list, and return how many they are. */
static int64_t part(Builder *builder, int64_t first, int64_t n, Cut cut, int side, int64_t to) {
    int64_t count = 0;
    double begin, end;
    for (int64_t k = first; k < first + n; k++) {
        const int32_t rule = builder->lists[k];
        extent(builder, rule, cut.axis, &begin, &end);
        if (side == (end <= cut.at ? 0 : begin >= cut.at ? 1 : 2))
            builder->lists[to + count++] = rule;
    }
    return count;
}

/* Make a node a leaf with the given rules. */
static bool make_leaf(Builder *builder, int64_t node, int64_t first, int64_t n) {
    Index *index = builder->index;
    if (!reserve((void **)&index->entries, &index->room_entries, index->n_entries + n,
                 sizeof *index->entries))
        return false;
    index->nodes[node] = (Node){0.0, (int32_t)(-1 - n), (int32_t)index->n_entries};
    if (n)
        memcpy(index->entries + index->n_entries, builder->lists + first,
               (size_t)n * sizeof *index->entries);
    index->n_entries += n;
    return true;
}

static bool grow_tree(Builder *builder, int64_t node, int64_t first, int64_t n, double share,
                      int depth);

/* Give a node children whose lists follow each other from start on, and build their trees. The third
 * list may be empty. Return whether there is enough memory. */
static bool add_children(Builder *builder, int64_t node, Cut cut, int64_t start,
                         const int64_t sizes[3], double share, int depth) {
    Index *index = builder->index;
    const int64_t children = index->n_nodes, count = sizes[2] ? 3 : 2;
    if (!reserve((void **)&index->nodes, &index->room_nodes, children + count,
                 sizeof *index->nodes))
        return false;
    index->n_nodes += count;
    index->nodes[node] = (Node){cut.at, (int32_t)cut.axis + (count == 3 ? THIRD : 0),
                                (int32_t)children};
    double *low = builder->low + cut.axis, *high = builder->high + cut.axis;
    const double before = *low, after = *high;
    const double each = share / (double)(sizes[0] + sizes[1] + sizes[2]);
    /* from the last list to the first, since the lists of a tree come after that of its node */
    bool done = true;
    for (int64_t side = count - 1; side >= 0 && done; side--) {
        const int64_t first = start + (side > 0 ? sizes[0] : 0) + (side > 1 ? sizes[1] : 0);
        if (side == 0) *high = cut.at;
        if (side == 1) *low = cut.at;
        done = grow_tree(builder, children + side, first, sizes[side], each * (double)sizes[side],
                         depth + 1);
        *low = before;
        *high = after;
    }
    return done;
}

/* Build the tree of a node whose rules are lists[first] to lists[first + n - 1], and whose leaves may
 * have share entries together. Return whether there is enough memory. */
static bool grow_tree(Builder *builder, int64_t node, int64_t first, int64_t n, double share,
                      int depth) {
    if (n <= LEAF || depth == DEPTH) return make_leaf(builder, node, first, n);
    const Cuts cuts = best_cuts(builder, builder->lists + first, n);
    const int64_t start = first + n;
    if (!reserve((void **)&builder->lists, &builder->room_lists, start + 2 * n,
                 sizeof *builder->lists))
        return false;
    if (cuts.copying.axis >= 0) {
        const Cut cut = cuts.copying;
        double *low = builder->low + cut.axis, *high = builder->high + cut.axis;
        const double before = *low, after = *high;
        *high = cut.at;
        const int64_t left = keep(builder, first, n, cut.axis, start);
        *high = after;
        *low = cut.at;
        const int64_t right = keep(builder, first, n, cut.axis, start + left);
        *low = before;
        if (left < n && right < n && (double)(left + right) <= share)
            return add_children(builder, node, cut, start, (int64_t[]){left, right, 0}, share,
                                depth);
    }
    if (cuts.parting.axis >= 0) {
        const Cut cut = cuts.parting;
        const int64_t left = part(builder, first, n, cut, 0, start);
        const int64_t right = part(builder, first, n, cut, 1, start + left);
        const int64_t both = part(builder, first, n, cut, 2, start + left + right);
        if (min64(left, right) >= LEAF) /* fewer are tested faster than a third child is searched */
            return add_children(builder, node, cut, start, (int64_t[]){left, right, both}, share,
                                depth);
    }
    return make_leaf(builder, node, first, n);
}

/* Build the tree of all rules; return whether there is enough memory. */
static bool build_tree(Index *index) {
    const int64_t axes = index->features + index->sets, n = index->n;
    Builder *builder = calloc(1, sizeof *builder);
    if (!builder) return false;
    builder->index = index;
    builder->low = malloc((size_t)max64(2 * axes, 1) * sizeof *builder->low);
    builder->room_lists = 4 * n + 1;
    builder->lists = malloc((size_t)builder->room_lists * sizeof *builder->lists);
    index->room_nodes = 64;
    index->nodes = malloc((size_t)index->room_nodes * sizeof *index->nodes);
    bool done = builder->low && builder->lists && index->nodes;
    if (done) {
        builder->high = builder->low + axes;
        for (int64_t i = 0; i < index->features; i++) {
            builder->low[i] = index->missing[i] ? -INFINITY : index->lowest[i];
            builder->high[i] = index->end[i];
        }
        for (int64_t j = 0; j < index->sets; j++) {
            builder->low[index->features + j] = 0.0;
            builder->high[index->features + j] =
                (double)(64 * (index->starts[j + 1] - index->starts[j]));
        }
        for (int m = 0; m <= SAMPLE; m++) builder->logs[m] = log((double)m + 1.0);
        int64_t kept = 0;
        for (int64_t rule = 0; rule < n; rule++) {
            bool meets = true;
            double first, last;
            for (int64_t axis = 0; axis < axes && meets; axis++)
                meets = extent(builder, rule, axis, &first, &last);
            if (!meets) continue;
            builder->lists[kept++] = (int32_t)rule;
            if (!index->n_thens && covers_box(builder, rule)) break;
        }
        index->n_nodes = 1;
        const int64_t share = min64(COPIES * n, INT32_MAX / 2);
        done = grow_tree(builder, 0, 0, kept, (double)share, 0);
    }
    free(builder->low);
    free(builder->lists);
    free(builder);
    return done;
}

/* Return a copy of an array, NULL if there is not enough memory. */
static void *copied(const void *array, int64_t n, size_t size) {
    void *copy = malloc((size_t)max64(n, 1) * size);
    if (copy && n) memcpy(copy, array, (size_t)n * size);
    return copy;
}

/* Free an index. */
EXPORT void free_index(Index *index) {
    if (!index) return;
    void *arrays[] = {index->lower,  index->upper,   index->masks, index->rules,  index->then,
                      index->weight, index->lowest,  index->end,   index->exact,  index->missing,
                      index->whole,  index->starts,  index->nodes, index->entries,
                      index->everything};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) free(arrays[k]);
    free(index);
}

/* Return an index of rules that come in an order of priority, NULL if there is not enough memory.
 *
 * With n_thens > 0, all rules that cover a point vote, and the order must be that of the set.
 */
EXPORT Index *index_rules(const RuleColumns *rules, const Ints *order, const Domain *domain,
                          int64_t n_thens) {
    const int64_t n = order->rows, features = rules->lower.rows, words = rules->masks.rows;
    if (n > INT32_MAX / 4) return NULL; /* entries are 32-bit numbers */
    Index *index = calloc(1, sizeof *index);
    if (!index) return NULL;
    index->n = n;
    index->features = features;
    index->sets = n_sets(&rules->starts);
    index->words = words;
    index->n_thens = n_thens;
    index->lower = malloc((size_t)max64(n * features, 1) * sizeof(double));
    index->upper = malloc((size_t)max64(n * features, 1) * sizeof(double));
    index->masks = malloc((size_t)max64(n * words, 1) * sizeof(uint64_t));
    index->then = malloc((size_t)max64(n, 1) * sizeof(int32_t));
    index->weight = malloc((size_t)max64(n, 1) * sizeof(double));
    index->rules = copied(order->at, n, sizeof(int64_t));
    index->lowest = copied(rules->lowest.at, features, sizeof(double));
    index->end = copied(domain->end.at, features, sizeof(double));
    index->exact = copied(domain->exact.at, features, sizeof(double));
    index->missing = copied(domain->missing.at, features, 1);
    index->whole = copied(domain->whole.at, features, 1);
    index->starts = copied(rules->starts.at, rules->starts.rows, sizeof(int64_t));
    index->everything = copied(rules->everything.at, words, sizeof(uint64_t));
    bool done = index->lower && index->upper && index->masks && index->then && index->weight &&
                index->rules && index->lowest && index->end && index->exact && index->missing &&
                index->whole && index->starts && index->everything;
    if (done) {
        for (int64_t k = 0; k < n; k++) {
            const int64_t r = order->at[k];
            for (int64_t i = 0; i < features; i++) {
                index->lower[k * features + i] = ROW(rules->lower, i)[r];
                index->upper[k * features + i] = ROW(rules->upper, i)[r];
            }
            for (int64_t w = 0; w < words; w++)
                index->masks[k * words + w] = ROW(rules->masks, w)[r];
            index->then[k] = rules->then.at[r];
            index->weight[k] = rules->weight.at[r];
        }
        done = build_tree(index);
    }
    if (done) return index;
    free_index(index);
    return NULL;
}

/* Return a coordinate of a point, whose bytes need not be aligned. */
static inline double coordinate(const char *point, int64_t axis) {
    double value;
    memcpy(&value, point + axis * (int64_t)sizeof value, sizeof value);
    return isnan(value) ? -INFINITY : value;
}

/* Return whether a value of a continuous feature can be taken as it is. */
static inline bool is_usual(const Index *index, const char *point, int64_t axis) {
    double value;
    memcpy(&value, point + axis * (int64_t)sizeof value, sizeof value);
    if (isnan(value)) return index->missing[axis];
    return value >= index->lowest[axis] && value < index->end[axis] &&
           fabs(value) < index->exact[axis] && (!index->whole[axis] || value == floor(value));
}

/* Return whether a rule covers a point. */
static inline bool covers_point(const Index *index, int64_t rule, const char *point) {
    const double *lower = index->lower + rule * index->features;
    const double *upper = index->upper + rule * index->features;
    for (int64_t i = 0; i < index->features; i++) {
        const double value = coordinate(point, i);
        if (!(value >= lower[i] && value < upper[i])) return false;
    }
    const uint64_t *mask = index->masks + rule * index->words;
    for (int64_t j = 0; j < index->sets; j++) {
        const int64_t code = (int64_t)coordinate(point, index->features + j);
        if (!(mask[index->starts[j] + (code >> 6)] >> (code & 63) & 1)) return false;
    }
    return true;
}

/* The leaves that a point lies in, searched one after another. */
typedef struct {
    const Index *index;
    const char *point;
    int32_t waiting[DEPTH + 1]; /* nodes to search later; each level of the tree adds at most one */
    int64_t n_waiting;
} Search;

/* Return the next leaf, NULL if there is none. */
static inline const Node *next_leaf(Search *search) {
    if (!search->n_waiting) return NULL;
    const Node *nodes = search->index->nodes;
    const Node *node = nodes + search->waiting[--search->n_waiting];
    while (node->axis >= 0) {
        if (node->axis & THIRD) search->waiting[search->n_waiting++] = node->at + 2;
        const double value = coordinate(search->point, node->axis & ~THIRD);
        node = nodes + node->at + !(value < node->cut);
    }
    return node;
}

/* Return the first rule that covers the point of a search, -1 if no rule does. */
static int64_t first_rule(Search *search) {
    const Index *index = search->index;
    int64_t best = index->n;
    for (const Node *leaf; (leaf = next_leaf(search));) {
        const int32_t *list = index->entries + leaf->at;
        for (int64_t k = 0; k < -1 - leaf->axis && list[k] < best; k++)
            if (covers_point(index, list[k], search->point)) best = list[k];
    }
    return best == index->n ? -1 : best;
}

static int by_number(const void *a, const void *b) {
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Return the first rule of the consequent with the most weight among rules in the order of the set.
 *
 * Of several consequents with the same weight, the one whose rule comes first wins.
 */
static int64_t count_votes(const Index *index, const int32_t *voters, int64_t n) {
    int32_t few_thens[FEW], few_rules[FEW];
    double few_weights[FEW];
    int32_t *rules = few_rules; /* the first rule of each consequent plus one, 0 for none */
    double *weights = few_weights;
    int64_t count = 0;
    const bool many = n > FEW; /* then there is one place per consequent */
    if (many) {
        weights = calloc((size_t)index->n_thens, sizeof *weights + sizeof *rules);
        if (!weights) return NO_MEMORY;
        rules = (int32_t *)(weights + index->n_thens);
        count = index->n_thens;
    }
    for (int64_t k = 0; k < n; k++) {
        const int32_t rule = voters[k], then = index->then[rule];
        int64_t c = then;
        if (!many) {
            for (c = 0; c < count && few_thens[c] != then; c++) continue;
            if (c == count) {
                few_thens[count++] = then;
                weights[c] = 0.0;
                rules[c] = 0;
            }
        }
        weights[c] += index->weight[rule];
        if (!rules[c]) rules[c] = rule + 1;
    }
    int64_t best = -1;
    for (int64_t c = 0; c < count; c++) {
        if (!rules[c]) continue;
        if (best < 0 || weights[c] > weights[best] ||
            (weights[c] == weights[best] && rules[c] < rules[best]))
            best = c;
    }
    const int64_t winner = best < 0 ? -1 : rules[best] - 1;
    if (many) free(weights);
    return winner;
}

/* Return the rule that wins the vote of all rules that cover the point of a search, -1 if no rule
 * does, NO_MEMORY if there is not enough memory. */
static int64_t vote(Search *search) {
    const Index *index = search->index;
    int32_t few[FEW], *voters = few;
    int64_t n = 0, room = FEW, leaves = 0;
    for (const Node *leaf; (leaf = next_leaf(search)); leaves++) {
        const int32_t *list = index->entries + leaf->at;
        const int64_t wanted = n - 1 - leaf->axis;
        if (wanted > room) {
            int32_t *larger = malloc((size_t)(2 * wanted) * sizeof *larger);
            if (larger) memcpy(larger, voters, (size_t)n * sizeof *larger);
            if (voters != few) free(voters);
            if (!larger) return NO_MEMORY;
            voters = larger;
            room = 2 * wanted;
        }
        for (int64_t k = 0; k < -1 - leaf->axis; k++)
            if (covers_point(index, list[k], search->point)) voters[n++] = list[k];
    }
    /* weights are added in the order of the set, as in a scan */
    if (leaves > 1) qsort(voters, (size_t)n, sizeof *voters, by_number);
    const int64_t winner = count_votes(index, voters, n);
    if (voters != few) free(voters);
    return winner;
}

/* Return the number of the rule that decides a point, -1 if no rule covers it.
 *
 * The point has one double per axis: values of continuous features, NaN or -inf if they are missing,
 * and the codes of the categorical ones. With check, the result is UNUSUAL for values that may be
 * invalid or rounded, such as -inf.
 */
EXPORT int64_t decide_point(const Index *index, const char *point, int64_t check) {
    if (check)
        for (int64_t i = 0; i < index->features; i++)
            if (!is_usual(index, point, i)) return UNUSUAL;
    Search search;
    search.index = index;
    search.point = point;
    search.waiting[0] = 0;
    search.n_waiting = 1;
    const int64_t winner = index->n_thens ? vote(&search) : first_rule(&search);
    return winner < 0 ? winner : index->rules[winner];
}

/* Set sizes to the numbers of nodes, leaves, entries, and entries of the longest leaf. */
EXPORT void index_sizes(const Index *index, int64_t *sizes) {
    sizes[0] = index->n_nodes;
    sizes[1] = sizes[3] = 0;
    sizes[2] = index->n_entries;
    for (int64_t k = 0; k < index->n_nodes; k++) {
        if (index->nodes[k].axis >= 0) continue;
        sizes[1]++;
        sizes[3] = max64(sizes[3], -1 - index->nodes[k].axis);
    }
}
