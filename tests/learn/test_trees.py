"""The forest that smooths labels, and the trees that rule sets start from."""

from __future__ import annotations

from functools import cache
from unittest import mock

import naive_forest
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import (
    load_iris,
    load_wine,
    make_classification,
    make_multilabel_classification,
)
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from irenic import Space
from irenic.kernels.forest import grow_forest
from irenic.learn import trees
from irenic.learn.cells import Cells
from irenic.learn.evolution import covering
from irenic.learn.target import Target
from irenic.learn.trees import Forest, Ladder, node_means
from strategies import examples

pytestmark = pytest.mark.kernels
SEEDS = st.integers(0, 2**32 - 1)


def grown(bags, n_labels):
    d, n = bags.cells.shape
    sums, n_trees, importance = np.zeros((n, n_labels)), np.zeros(n), np.zeros(d)
    grow_forest(bags, sums, n_trees, importance)
    return sums, n_trees, importance


def target_of(codes):
    return Target.single(np.arange(int(np.max(codes)) + 1), np.asarray(codes))


@examples(4)
@given(st.data(), st.integers(1, 6))
def test_a_forest_is_the_slow_one(data, n_labels):
    bags = data.draw(naive_forest.bags_of_rows(n_labels))
    sums, n_trees, importance = grown(bags, n_labels)
    slow_sums, slow_n_trees, slow_importance = naive_forest.forest(bags, n_labels)
    assert sums.tolist() == slow_sums.tolist()
    assert n_trees.tolist() == slow_n_trees.tolist()
    np.testing.assert_allclose(importance, slow_importance, rtol=1e-9, atol=1e-9)


def test_a_node_tries_more_features_until_one_varies():
    # only the last of many features tells the labels apart, and a node tries one at random
    cells = [[0] * 4] * 30 + [[0, 0, 1, 1]]
    bags = naive_forest.make_bags(
        cells, [{0}, {0}, {1}, {1}], range(4), [[0, 2]] * 20, range(1, 21)
    )
    sums, n_trees, importance = grown(bags, 2)
    assert n_trees.tolist() == [0, 20, 0, 20]
    assert sums.tolist() == [[0, 0], [20, 0], [0, 0], [0, 20]]
    assert importance.tolist() == [0] * 30 + [20]


def test_leaves_of_one_small_bag():
    # a cut is halfway between cells that occur
    cells = [[10, 20, 14, 15, 16, 63]]
    labels = [{0}, {1}, {0}, {0}, {0}, {0}]
    bags = naive_forest.make_bags(cells, labels, range(6), [[0, 1]], [1])
    assert grown(bags, 2)[0].tolist() == [[0, 0], [0, 0], [1, 0], [1, 0], [0, 1], [0, 1]]
    # rows with equal cells share a leaf
    bags = naive_forest.make_bags([[3] * 5], [{0}, {1}, {1}, {0}, {2}], range(5), [[0, 1, 2]], [1])
    sums, n_trees, importance = grown(bags, 3)
    assert sums[3:].tolist() == [[1 / 3, 2 / 3, 0]] * 2
    assert n_trees.tolist() == [0, 0, 0, 1, 1]
    assert importance.tolist() == [0]
    # cuts that gain nothing are made: neither feature alone tells anything about an exclusive or
    cells = [[0, 0, 1, 1] * 2, [0, 1, 0, 1] * 2]
    labels = [{0}, {1}, {1}, {0}] * 2
    bags = naive_forest.make_bags(cells, labels, range(8), [[0, 1, 2, 3]], [1])
    assert grown(bags, 2)[0][4:].tolist() == [[1, 0], [0, 1], [0, 1], [1, 0]]


def rows_of(X, target):
    """Return cells as trees see them."""
    instances = Space.infer(X).encode(X)
    ones = np.ones(len(X))
    cells = Cells.from_instances(instances, target.truth, ones)
    encoded = cells.encode(instances)
    return Ladder.from_labels(cells, encoded, target.truth, ones).table(encoded)


def random_rows(seed, n=60, d=4, n_labels=3):
    rng = np.random.default_rng(seed)
    return rng.integers(0, 7, (d, n)).astype(np.uint8), rng.integers(0, n_labels, n)


@given(SEEDS)
def test_a_weight_of_two_is_a_row_that_is_repeated_in_the_same_bags(seed):
    table, codes = random_rows(seed)
    rng = np.random.default_rng(seed)
    groups, weight = rng.permutation(60) // 2, rng.integers(1, 4, 60)
    rows = np.repeat(np.arange(60), weight)
    once = Forest(table, target_of(codes), weight.astype(float), groups, seed)
    repeated = np.ascontiguousarray(table[:, rows])
    twice = Forest(repeated, target_of(codes[rows]), np.ones(len(rows)), groups[rows], seed)
    assert twice.unseen.tolist() == once.unseen[rows].tolist()
    assert twice.importance == pytest.approx(once.importance)


def forest_of(table, codes, weight=None, groups=None, seed=0):
    n = len(codes)
    weight = np.ones(n) if weight is None else weight
    return Forest(table, target_of(codes), weight, np.arange(n) if groups is None else groups, seed)


@given(SEEDS, st.sampled_from([2.0**-900, 2.0**-3, 2.0, 2.0**1000]))
def test_only_ratios_of_weights_matter(seed, factor):
    table, codes = random_rows(seed)
    rng = np.random.default_rng(seed)
    weight = rng.random(60) + 0.1
    one, other = (forest_of(table, codes, w, seed=seed) for w in (weight, weight * factor))
    assert other.unseen.tolist() == one.unseen.tolist()
    assert other.importance.tolist() == one.importance.tolist()
    # nor does rounding
    thirds = rng.integers(1, 4, 60) / 3
    nudged = np.nextafter(thirds, rng.choice([0, 2], 60))
    one, other = (forest_of(table, codes, w, seed=seed) for w in (thirds, nudged))
    assert other.unseen == pytest.approx(one.unseen, rel=1e-9)


def test_weights_may_differ_by_hundreds_of_digits():
    weight = 10.0 ** np.random.default_rng(0).integers(-300, 300, 60)
    forest = forest_of(*random_rows(0), weight)
    assert forest.unseen.sum(axis=1) == pytest.approx(1)
    assert np.isfinite(forest.importance).all()


def test_predictions_for_a_group_do_not_depend_on_its_labels():
    table, codes = random_rows(1)
    groups = np.arange(60) // 3
    forest = forest_of(table, codes, groups=groups)
    for group in range(5):
        changed = np.where(groups == group, (codes + 1) % 3, codes)
        other = forest_of(table, changed, groups=groups)
        assert other.unseen[groups == group].tolist() == forest.unseen[groups == group].tolist()
        assert other.unseen.tolist() != forest.unseen.tolist()
    # rows that all trees have seen keep their labels
    forest = forest_of(table, codes, groups=np.zeros(60, dtype=np.intp))
    assert forest.unseen.tolist() == target_of(codes).truth.tolist()


def test_a_forest_depends_on_its_random_state_only():
    one, same, other = (forest_of(*random_rows(3), seed=seed) for seed in (0, 0, 1))
    assert same.unseen.tolist() == one.unseen.tolist()
    assert same.importance.tolist() == one.importance.tolist()
    assert other.unseen.tolist() != one.unseen.tolist()


def test_bags_are_drawn_from_groups_with_replacement():
    with mock.patch.object(trees, "grow_forest") as kernel:
        forest_of(*random_rows(4), groups=np.arange(60) // 2)
    bags = kernel.call_args.args[0]
    assert bags.drawn.shape == (100, 30)
    assert set(bags.drawn.ravel().tolist()) == set(range(30))
    left_out = [30 - len(set(drawn)) for drawn in bags.drawn.tolist()]
    assert np.mean(left_out) / 30 == pytest.approx((1 - 1 / 30) ** 30, abs=0.03)
    assert len(set(bags.seeds.tolist())) == 100


def peer(bags, target, seed):
    """Return the out-of-bag predictions and the importances of scikit-learn's trees."""
    table = bags.cells.T.astype(np.float32)
    sums, n_trees = np.zeros_like(target.truth), np.zeros(len(table))
    importance = np.zeros(table.shape[1])
    for t, drawn in enumerate(bags.drawn):
        times = np.bincount(drawn, minlength=bags.n_groups)[bags.groups]
        seen, weight = times > 0, bags.weight * times
        if target.many:
            tree = DecisionTreeRegressor(
                max_features=0.33, min_samples_leaf=3, random_state=1000 * seed + t
            )
            tree.fit(table[seen], target.truth[seen], weight[seen])
            sums[~seen] += tree.predict(table[~seen])
        else:
            tree = DecisionTreeClassifier(max_features="sqrt", random_state=1000 * seed + t)
            tree.fit(table[seen], target.truth[seen].argmax(axis=1), weight[seen])
            sums[np.ix_(~seen, tree.classes_)] += tree.predict_proba(table[~seen])
        n_trees += ~seen
        importance += tree.feature_importances_
    return sums / n_trees[:, None], importance


@cache
def data_set(name):
    if name == "sets":
        X, Y = make_multilabel_classification(300, 10, n_classes=6, random_state=0)
        target = Target(np.arange(6), Y.astype(float), many=True)
        return rows_of(X, target), target
    if name == "made":
        X, y = make_classification(500, 12, n_informative=6, n_classes=3, random_state=0)
    else:
        X, y = {"iris": load_iris, "wine": load_wine}[name](return_X_y=True)
    return rows_of(X, target_of(y)), target_of(y)


@pytest.mark.parametrize("name", ["made", "sets", "iris", "wine"])
def test_a_forest_is_like_that_of_scikit_learn(name):
    # the same bags, and nothing is left to chance: all seeds are fixed
    table, target = data_set(name)
    d, n = table.shape
    with mock.patch.object(trees, "grow_forest", wraps=grow_forest) as kernel:
        forest = Forest(table, target, np.ones(n), np.arange(n), 0)
    (one, importance), (other, again) = (
        peer(kernel.call_args.args[0], target, seed) for seed in (0, 1)
    )
    # it differs from scikit-learn's forest about as much as that one with another seed
    noise = np.abs(one - other).mean()
    assert np.abs(forest.unseen - one).mean() < 1.5 * noise
    assert np.abs(forest.unseen - other).mean() < 1.5 * noise
    # further limits are about five times the standard deviations over seeds
    peers = (one + other) / 2
    assert forest.unseen.mean(axis=0) == pytest.approx(peers.mean(axis=0), abs=0.04)
    assert (forest.unseen * target.truth).sum() / n == pytest.approx(
        (peers * target.truth).sum() / n, abs=0.03
    )
    if not target.many:
        codes = target.truth.argmax(axis=1)
        right, right_peers = ((p.argmax(axis=1) == codes).mean() for p in (forest.unseen, peers))
        assert right == pytest.approx(right_peers, abs=0.05)
    # of 100 trees
    assert forest.importance == pytest.approx((importance + again) / 2, abs=20 if d < 5 else 10)


@given(SEEDS, st.booleans())
def test_the_first_nodes_of_a_tree_are_the_smaller_tree(seed, many):
    rng = np.random.default_rng(seed)
    n, d = 80, 4
    x = {f"f{f}": rng.integers(0, 9, n) for f in range(d - 1)} | {"c": rng.choice(list("abcde"), n)}
    truth = (rng.random((n, 3)) < 0.4).astype(float)
    target = Target(np.arange(3), truth, many=True) if many else target_of(truth.argmax(axis=1))
    weight = rng.integers(1, 4, n).astype(float)
    instances = Space.infer(x).encode(x)
    cells = Cells.from_instances(instances, target.truth, weight)
    encoded = cells.encode(instances)
    ladder = Ladder.from_labels(cells, encoded, target.truth, weight)
    table = np.ascontiguousarray(ladder.table(encoded).T, dtype=np.float32)
    y = target.truth if many else target.truth.argmax(axis=1)
    kind = DecisionTreeRegressor if many else DecisionTreeClassifier
    large = kind(max_leaf_nodes=64, random_state=seed % 1000).fit(table, y, weight)
    means = node_means(large, table, target.truth, weight)
    for size in (2, 3, 8, 64):
        small = kind(max_leaf_nodes=size, random_state=seed % 1000).fit(table, y, weight)
        masks, nodes = ladder.leaves(large, size)
        assert masks.tolist() == ladder.leaves(small, size)[0].tolist()
        assert len(masks) == small.get_n_leaves()
        for inside, mean in zip(covering(masks, encoded), means[nodes], strict=True):
            expected = np.average(target.truth[inside], axis=0, weights=weight[inside])
            assert mean == pytest.approx(expected)
