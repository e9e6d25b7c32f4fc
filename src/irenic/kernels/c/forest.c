/* Random forests over cells, which smooth the labels that rule sets evolve on.
 *
 * A node tries a few features at random. As a feature has at most 64 cells, the rows of a node are
 * added up per cell, and the sums of all cuts follow from these. A cut is the better, the larger
 *
 *     sum of squares(left) / weight(left) + sum of squares(right) / weight(right)
 *
 * is, where the squares are those of the weight of each label: with one label per row this is the
 * Gini impurity, with sets of labels the squared error.
 *
 * No tree is kept: rows that a tree has not seen go down with those that it has, and a leaf adds its
 * label frequencies to them.
 */

#include "evolve.h"

#define CELLS 64
/* Sums are added up in this many lanes, so that the compiler can use vectors. */
#define LANES 4
typedef double Lanes __attribute__((vector_size(LANES * sizeof(double)), aligned(8), may_alias));
/* A cut is better only if its score is larger by more than rounding: equal scores of weights such as
 * 1/3 must not depend on the order in which these were added up. */
#define CLEARLY (1.0 + 1e-12)

/* Labeled rows as cells, and the bags that trees are grown on; "Bags" in Python. */
typedef struct {
    Bytes cells;          /* cell of feature f in row i, in the order of cuts [d, n] */
    Ints first;           /* where the labels of a row begin in labels [n + 1] */
    Codes labels;         /* the labels of all rows */
    Floats weight;        /* [n] */
    Codes groups;         /* group of each row; a tree has seen all rows of a group or none [n] */
    Codes drawn;          /* groups in the bag of each tree, with repetition [trees, size] */
    Words seeds;          /* state of the random number generator of each tree, not 0 [trees] */
    int64_t n_groups;     /* number of groups */
    int64_t max_features; /* features that a node tries; more while all of them are constant */
    int64_t min_rows;     /* rows that each side of a cut must have */
} Bags;

/* The rows of a node: those that the tree has seen and those that it has not. */
typedef struct {
    int64_t begin, end;
    int64_t out_begin, out_end;
} Node;

/* A cut: rows in a cell up to the given one go left. */
typedef struct {
    int64_t feature, cell;
    double score; /* the above, less what is the same for all cuts */
} Cut;

/* Everything that growing needs, allocated once for all trees. */
typedef struct {
    const Bags *bags;
    int64_t n_labels;
    bool one_label; /* whether every row has one label */
    uint64_t rng;
    double *weight;   /* weight of each row in the bag, 0 if it is not in the bag [n] */
    double *gained;   /* how much cuts on each feature have gained in the tree [d] */
    double *total;    /* weight of each mixed label in the node [labels + padding] */
    double *left;     /* its weight on the left of a cut [labels + padding] */
    double *sums;     /* its weight per cell, 0 between uses [CELLS, labels + padding] */
    double *rows;     /* weight of each row of the node [n] */
    int64_t *begin;   /* where the mixed labels of each row of the node begin in items [n + 1] */
    int32_t *items;   /* mixed labels of the rows of the node [all labels] */
    int32_t *count;   /* number of rows of the node with a label, 0 between uses [labels] */
    int32_t *index;   /* index of a label among the mixed ones, -1 if all rows have it [labels] */
    int32_t *present; /* labels in the node [labels] */
    int32_t *seen;    /* rows in the bag [n] */
    int32_t *unseen;  /* rows that are not in it [n] */
    int32_t *spare;   /* for sorting rows [n] */
    int32_t *times;   /* how often each group is in the bag [groups] */
    int32_t *order;   /* features; those that the node has tried are in front [d] */
    Node *waiting;    /* nodes still to be grown; their rows are disjoint [n] */
    int64_t n_present, n_mixed, stride;
    double whole; /* weight of the node */
} Growth;

static bool allocate(Growth *growth, const Bags *bags, int64_t n_labels) {
    const size_t n = (size_t)bags->cells.columns, d = (size_t)bags->cells.rows;
    const size_t k = (size_t)(n_labels + LANES);
    *growth = (Growth){.bags = bags, .n_labels = n_labels, .one_label = true};
    for (size_t i = 0; i <= n; i++) growth->one_label &= bags->first.at[i] == (int64_t)i;
    growth->weight = malloc((n + 1) * sizeof(double));
    growth->gained = malloc((d + 1) * sizeof(double));
    growth->total = malloc(k * sizeof(double));
    growth->left = malloc(k * sizeof(double));
    growth->sums = calloc(CELLS * k, sizeof(double));
    growth->rows = malloc((n + 1) * sizeof(double));
    growth->begin = malloc((n + 1) * sizeof(int64_t));
    growth->items = malloc((size_t)(bags->labels.rows + 1) * sizeof(int32_t));
    growth->count = calloc(k, sizeof(int32_t));
    growth->index = malloc(k * sizeof(int32_t));
    growth->present = malloc(k * sizeof(int32_t));
    growth->seen = malloc((n + 1) * sizeof(int32_t));
    growth->unseen = malloc((n + 1) * sizeof(int32_t));
    growth->spare = malloc((n + 1) * sizeof(int32_t));
    growth->times = malloc((size_t)(bags->n_groups + 1) * sizeof(int32_t));
    growth->order = malloc((d + 1) * sizeof(int32_t));
    growth->waiting = malloc((n + 1) * sizeof(Node));
    return growth->weight && growth->gained && growth->total && growth->left && growth->sums &&
           growth->rows && growth->begin && growth->items && growth->count && growth->index &&
           growth->present && growth->seen && growth->unseen && growth->spare && growth->times &&
           growth->order && growth->waiting;
}

static void release(Growth *growth) {
    void *all[] = {growth->weight,  growth->gained, growth->total,  growth->left,  growth->sums,
                   growth->rows,    growth->begin,  growth->items,  growth->count, growth->index,
                   growth->present, growth->seen,   growth->unseen, growth->spare, growth->times,
                   growth->order,   growth->waiting};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

/* Fill the bag of a tree; return the root. */
static Node fill_bag(Growth *growth, int64_t tree) {
    const Bags *bags = growth->bags;
    const int64_t n = bags->cells.columns, d = bags->cells.rows;
    const int32_t *drawn = ROW(bags->drawn, tree);
    Node root = {0, 0, 0, 0};
    memset(growth->times, 0, (size_t)bags->n_groups * sizeof(int32_t));
    for (int64_t j = 0; j < bags->drawn.columns; j++) growth->times[drawn[j]]++;
    for (int64_t i = 0; i < n; i++) {
        const int32_t times = growth->times[bags->groups.at[i]];
        growth->weight[i] = times * bags->weight.at[i];
        if (times)
            growth->seen[root.end++] = (int32_t)i;
        else
            growth->unseen[root.out_end++] = (int32_t)i;
    }
    for (int64_t f = 0; f < d; f++) {
        growth->order[f] = (int32_t)f;
        growth->gained[f] = 0.0;
    }
    growth->rng = bags->seeds.at[tree];
    return root;
}

/* Find the labels in a node, and those that some but not all of its rows have: others are the same
 * on both sides of every cut. */
static void find_labels(Growth *growth, Node node) {
    const Bags *bags = growth->bags;
    const int64_t *first = bags->first.at;
    const int32_t *labels = bags->labels.at;
    growth->n_present = growth->n_mixed = 0;
    for (int64_t i = node.begin; i < node.end; i++) {
        const int32_t row = growth->seen[i];
        for (int64_t j = first[row]; j < first[row + 1]; j++)
            if (!growth->count[labels[j]]++) growth->present[growth->n_present++] = labels[j];
    }
    for (int64_t p = 0; p < growth->n_present; p++) {
        const int32_t label = growth->present[p];
        const bool mixed = growth->count[label] < node.end - node.begin;
        growth->index[label] = mixed ? (int32_t)growth->n_mixed++ : -1;
        growth->count[label] = 0;
    }
    if (!growth->n_mixed) return; /* a leaf */
    growth->stride = (growth->n_mixed + LANES - 1) / LANES * LANES;
    for (int64_t c = 0; c < growth->stride; c++) growth->total[c] = 0.0;
    growth->whole = 0.0;
    int64_t n_items = 0;
    for (int64_t i = node.begin; i < node.end; i++) {
        const int32_t row = growth->seen[i];
        const double weight = growth->weight[row];
        growth->begin[i - node.begin] = n_items;
        growth->rows[i - node.begin] = weight;
        growth->whole += weight;
        for (int64_t j = first[row]; j < first[row + 1]; j++) {
            const int32_t c = growth->index[labels[j]];
            if (c < 0) continue;
            growth->items[n_items++] = c;
            growth->total[c] += weight;
        }
    }
    growth->begin[node.end - node.begin] = n_items;
}

/* Add the label frequencies of a leaf to the rows in it that the tree has not seen. */
static void finish_leaf(const Growth *growth, Node node, Floats *sums) {
    for (int64_t p = 0; p < growth->n_present && node.out_begin < node.out_end; p++) {
        const int32_t label = growth->present[p], c = growth->index[label];
        const double share = c < 0 ? 1.0 : growth->total[c] / growth->whole;
        for (int64_t i = node.out_begin; i < node.out_end; i++)
            ROW(*sums, growth->unseen[i])[label] += share;
    }
}

/* Return the sum of squares on both sides of a cut, each divided by its weight; the weights on the
 * left of the cut first become those of the next cell. */
static double move_cell_left(const Growth *growth, int64_t cell, double weight) {
    const double *restrict sums = growth->sums + cell * growth->stride;
    const double *restrict total = growth->total;
    double *restrict left = growth->left;
    double low[LANES] = {0.0}, high[LANES] = {0.0};
    for (int64_t c = 0; c < growth->stride; c += LANES)
        for (int64_t l = 0; l < LANES; l++) {
            const double a = left[c + l] + sums[c + l], b = total[c + l] - a;
            left[c + l] = a;
            low[l] += a * a;
            high[l] += b * b;
        }
    return ((low[0] + low[1]) + (low[2] + low[3])) / weight +
           ((high[0] + high[1]) + (high[2] + high[3])) / (growth->whole - weight);
}

/* Improve the best cut so far by a feature; return whether the feature is not constant. */
static bool try_feature(Growth *growth, Node node, int64_t f, Cut *best) {
    const int64_t n = node.end - node.begin, stride = growth->stride;
    const uint8_t *column = ROW(growth->bags->cells, f);
    const int32_t *rows = growth->seen + node.begin;
    uint64_t cells = 0;
    double weights[CELLS];
    int64_t counts[CELLS];
    for (int64_t i = 0; i < n; i++) cells |= bit(column[rows[i]]);
    if (!(cells & (cells - 1))) return false;
    for (uint64_t rest = cells; rest; rest &= rest - 1) {
        weights[first_bit(rest)] = 0.0;
        counts[first_bit(rest)] = 0;
    }
    for (int64_t i = 0; i < n; i++) {
        const int64_t cell = column[rows[i]];
        const double weight = growth->rows[i];
        double *sums = growth->sums + cell * stride;
        weights[cell] += weight;
        counts[cell]++;
        for (int64_t j = growth->begin[i]; j < growth->begin[i + 1]; j++)
            sums[growth->items[j]] += weight;
    }
    for (int64_t c = 0; c < stride; c++) growth->left[c] = 0.0;
    double weight = 0.0;
    int64_t count = 0;
    for (uint64_t rest = cells; rest & (rest - 1); rest &= rest - 1) {
        const int64_t cell = first_bit(rest), next = first_bit(rest & (rest - 1));
        weight += weights[cell];
        count += counts[cell];
        const double score = move_cell_left(growth, cell, weight);
        if (count < growth->bags->min_rows || n - count < growth->bags->min_rows) continue;
        if (!(growth->whole > weight)) continue; /* what is on the right is too light to matter */
        /* between two cells that occur: others may hold rows that the tree has not seen */
        if (score > best->score * CLEARLY) *best = (Cut){f, (cell + next) / 2, score};
    }
    for (; cells; cells &= cells - 1)
        memset(growth->sums + first_bit(cells) * stride, 0, (size_t)stride * sizeof(double));
    return true;
}

/* The same for rows with one of at most three labels, and cuts that may leave a single row on a side.
 * The weights of the labels in a cell and the weight of the cell are one vector, which is faster. */
static bool try_few_labels(Growth *growth, Node node, int64_t f, Cut *best) {
    static const Lanes one[LANES - 1] = {{1, 0, 0, 1}, {0, 1, 0, 1}, {0, 0, 1, 1}};
    const int64_t n = node.end - node.begin;
    const uint8_t *restrict column = ROW(growth->bags->cells, f);
    const int32_t *restrict rows = growth->seen + node.begin;
    const int32_t *restrict labels = growth->items;
    const double *restrict weights = growth->rows;
    Lanes *restrict sums = (Lanes *)growth->sums;
    const Lanes total = *(Lanes *)growth->total;
    Lanes left = {0.0};
    uint64_t cells = 0;
    for (int64_t i = 0; i < n; i++) {
        const int64_t cell = column[rows[i]];
        cells |= bit(cell);
        sums[cell] += one[labels[i]] * weights[i];
    }
    const bool varies = cells & (cells - 1);
    for (; cells & (cells - 1); cells &= cells - 1) {
        const int64_t cell = first_bit(cells), next = first_bit(cells & (cells - 1));
        left += sums[cell];
        sums[cell] = (Lanes){0.0};
        const Lanes right = total - left, low = left * left, high = right * right;
        if (!(growth->whole > left[LANES - 1])) continue;
        const double score = (low[0] + low[1] + low[2]) / left[LANES - 1] +
                             (high[0] + high[1] + high[2]) / right[LANES - 1];
        if (score > best->score * CLEARLY) *best = (Cut){f, (cell + next) / 2, score};
    }
    sums[first_bit(cells)] = (Lanes){0.0};
    return varies;
}

/* Return the best cut of a node; its feature is -1 if there is none. */
static Cut best_cut(Growth *growth, Node node) {
    const int64_t d = growth->bags->cells.rows;
    Cut best = {-1, 0, -1.0}; /* no score is negative */
    bool varies = false;
    const bool few = growth->one_label && growth->n_mixed < LANES && growth->bags->min_rows == 1;
    if (few) growth->total[LANES - 1] = growth->whole;
    for (int64_t j = 0; j < d && (j < growth->bags->max_features || !varies); j++) {
        const int64_t other = j + below(&growth->rng, d - j);
        const int32_t f = growth->order[other];
        growth->order[other] = growth->order[j];
        growth->order[j] = f;
        if (few ? try_few_labels(growth, node, f, &best) : try_feature(growth, node, f, &best))
            varies = true;
    }
    return best;
}

/* Move the rows of a cut's left side to the front; return how many there are. */
static int64_t divide(const uint8_t *column, int64_t cell, int32_t *rows, int64_t n,
                      int32_t *spare) {
    int64_t low = 0, high = 0;
    for (int64_t i = 0; i < n; i++) {
        const int32_t row = rows[i];
        const bool is_left = column[row] <= cell;
        rows[low] = row;
        spare[high] = row;
        low += is_left;
        high += !is_left;
    }
    memcpy(rows + low, spare, (size_t)high * sizeof *rows);
    return low;
}

/* Grow a tree, the left side of a cut first. */
static void grow_tree(Growth *growth, Node root, Floats *sums) {
    int64_t n_waiting = 1;
    growth->waiting[0] = root;
    while (n_waiting) {
        const Node node = growth->waiting[--n_waiting];
        Cut cut = {-1, 0, 0.0};
        find_labels(growth, node);
        if (growth->n_mixed && node.end - node.begin >= 2 * growth->bags->min_rows)
            cut = best_cut(growth, node);
        if (cut.feature < 0) {
            finish_leaf(growth, node, sums);
            continue;
        }
        double before = 0.0;
        for (int64_t c = 0; c < growth->n_mixed; c++)
            before += growth->total[c] * growth->total[c];
        growth->gained[cut.feature] += fmax(0.0, cut.score - before / growth->whole);
        const uint8_t *column = ROW(growth->bags->cells, cut.feature);
        const int64_t middle =
            node.begin + divide(column, cut.cell, growth->seen + node.begin,
                                node.end - node.begin, growth->spare);
        const int64_t out_middle =
            node.out_begin + divide(column, cut.cell, growth->unseen + node.out_begin,
                                    node.out_end - node.out_begin, growth->spare);
        growth->waiting[n_waiting++] = (Node){middle, node.end, out_middle, node.out_end};
        growth->waiting[n_waiting++] = (Node){node.begin, middle, node.out_begin, out_middle};
    }
}

/* Grow a forest.
 *
 * To sums[row] are added the label frequencies that trees predict for a row they have not seen, to
 * n_trees[row] the number of these trees, and to importance the share of each feature in what the
 * cuts of each tree have gained.
 */
EXPORT int64_t grow_forest(const Bags *bags, Floats *sums, double *n_trees, double *importance) {
    Growth growth;
    const bool enough = allocate(&growth, bags, sums->columns);
    for (int64_t t = 0; enough && t < bags->seeds.rows; t++) {
        const Node root = fill_bag(&growth, t);
        for (int64_t i = 0; i < root.out_end; i++) n_trees[growth.unseen[i]] += 1.0;
        grow_tree(&growth, root, sums);
        double all = 0.0;
        for (int64_t f = 0; f < bags->cells.rows; f++) all += growth.gained[f];
        for (int64_t f = 0; f < bags->cells.rows && all > 0.0; f++)
            importance[f] += growth.gained[f] / all;
    }
    release(&growth);
    return enough ? 0 : NO_MEMORY;
}
