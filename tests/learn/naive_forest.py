"""A slow oracle for forests: trees that are grown from definitions, on the same random numbers."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import strategies as st

from irenic.kernels.forest import Bags

# --- bags


def make_bags(cells, labels, groups, drawn, seeds, *, weight=None, max_features=1, min_rows=1):
    """Return bags in the form of the kernel; ``cells[feature][row]``, ``labels[row]`` is a set."""
    return Bags(
        cells=np.array(cells, dtype=np.uint8),
        first=np.cumsum([0, *map(len, labels)]),
        labels=np.array([label for own in labels for label in sorted(own)], dtype=np.int32),
        weight=np.ones(len(labels)) if weight is None else np.array(weight, dtype=float),
        groups=np.array(groups, dtype=np.int32),
        drawn=np.array(drawn, dtype=np.int32),
        seeds=np.array(seeds, dtype=np.uint64),
        n_groups=max(groups) + 1,
        max_features=max_features,
        min_rows=min_rows,
    )


@st.composite
def bags_of_rows(draw, n_labels):
    """Draw rows with one label or a set of labels each, and bags of them.

    Weights are multiples of a quarter, so that sums are exact in any order.
    """
    n, d = draw(st.sampled_from([1, 2, 5, 12, 30, 60])), draw(st.integers(1, 6))
    n_cells = draw(st.lists(st.sampled_from([1, 2, 3, 9, 64]), min_size=d, max_size=d))
    single = draw(st.booleans())
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    if single:
        labels = [{int(label)} for label in rng.integers(0, n_labels, n)]
    else:
        share = draw(st.sampled_from([0.1, 0.5, 0.9]))
        labels = [set(np.flatnonzero(row).tolist()) for row in rng.random((n, n_labels)) < share]
    spread = draw(st.sampled_from([1, n, 5 * n]))
    groups = np.unique(rng.integers(0, spread, n), return_inverse=True)[1]
    n_groups, n_trees = int(groups.max()) + 1, draw(st.integers(1, 4))
    return make_bags(
        [rng.integers(0, c, n) for c in n_cells],
        labels,
        groups.tolist(),
        rng.integers(0, n_groups, (n_trees, draw(st.integers(1, n_groups)))),
        rng.integers(1, 2**63, n_trees),
        weight=rng.integers(1, 9, n) / 4 if draw(st.booleans()) else None,
        max_features=draw(st.integers(1, d)),
        min_rows=1 if single else draw(st.integers(1, 4)),
    )


# --- the oracle


class Generator:
    """The random numbers of the kernels."""

    def __init__(self, seed):
        self.state = int(seed)

    def below(self, n):
        x = self.state
        x ^= x << 13 & 2**64 - 1
        x ^= x >> 7
        x ^= x << 17 & 2**64 - 1
        self.state = x
        return min(int((x >> 11) / 2**53 * n), n - 1)


def forest(bags, n_labels):
    """Return the sums of predictions, the number of predictions per row, and the importance."""
    d, n = bags.cells.shape
    sums, n_trees, importance = np.zeros((n, n_labels)), np.zeros(n), np.zeros(d)
    for drawn, seed in zip(bags.drawn.tolist(), bags.seeds.tolist(), strict=True):
        tree = Tree(bags, drawn, seed)
        unseen = [i for i in range(n) if bags.groups[i] not in drawn]
        for i in unseen:
            n_trees[i] += 1
            for label, share in tree.predict(i).items():
                sums[i, label] += share
        if sum(tree.gained):
            importance += np.array(tree.gained) / sum(tree.gained)
    return sums, n_trees, importance


class Tree:
    """A tree: a leaf is a dict of label frequencies, a node is (feature, cell, left, right)."""

    def __init__(self, bags, drawn, seed):
        self.bags = bags
        self.cells = bags.cells.tolist()
        n = bags.cells.shape[1]
        first = bags.first.tolist()
        self.labels = [set(bags.labels[first[i] : first[i + 1]].tolist()) for i in range(n)]
        self.weight = [float(bags.weight[i]) * drawn.count(bags.groups[i]) for i in range(n)]
        self.rng = Generator(seed)
        self.order = list(range(len(self.cells)))
        self.gained = [0.0] * len(self.cells)
        self.root = self.grow([i for i in range(n) if self.weight[i]])

    def total(self, rows):
        return sum(self.weight[i] for i in rows)

    def share(self, label, rows):
        return self.total(i for i in rows if label in self.labels[i]) / self.total(rows)

    def squares(self, rows, labels):
        """Return the sum of squared weights of labels, divided by the weight of the rows."""
        sums = (self.total(i for i in rows if label in self.labels[i]) for label in labels)
        return sum(w * w for w in sums) / self.total(rows)

    def grow(self, rows):
        present = set().union(*(self.labels[i] for i in rows))
        mixed = {a for a in present if any(a not in self.labels[i] for i in rows)}
        cut = self.best_cut(rows, mixed) if mixed and len(rows) >= 2 * self.bags.min_rows else None
        if cut is None:
            return {label: self.share(label, rows) for label in present}
        score, f, cell = cut
        self.gained[f] += score - self.squares(rows, mixed)
        left = self.grow([i for i in rows if self.cells[f][i] <= cell])
        right = self.grow([i for i in rows if self.cells[f][i] > cell])
        return f, cell, left, right

    def best_cut(self, rows, mixed):
        best, varies = None, False
        for j in range(len(self.order)):
            if j >= self.bags.max_features and varies:
                break
            other = j + self.rng.below(len(self.order) - j)
            self.order[j], self.order[other] = self.order[other], self.order[j]
            f = self.order[j]
            values = sorted({self.cells[f][i] for i in rows})
            varies |= len(values) > 1
            for low, high in pairwise(values):
                left = [i for i in rows if self.cells[f][i] <= low]
                right = [i for i in rows if self.cells[f][i] >= high]
                if min(len(left), len(right)) < self.bags.min_rows:
                    continue
                score = self.squares(left, mixed) + self.squares(right, mixed)
                if best is None or score > best[0] * (1 + 1e-12):
                    best = score, f, (low + high) // 2
        return best

    def predict(self, i):
        node = self.root
        while not isinstance(node, dict):
            f, cell, left, right = node
            node = left if self.cells[f][i] <= cell else right
        return node
