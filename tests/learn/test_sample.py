"""Samples, folds, starts, targets, and the front."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from fitting import refused
from hypothesis import given
from hypothesis import strategies as st

from irenic import ConditionError, RuleSet, Space
from irenic.learn.cells import Cells
from irenic.learn.evolution import Candidate
from irenic.learn.front import (
    FrontPoint,
    RuleCounts,
    choose,
    front_of,
    small_enough,
    without_coverage,
)
from irenic.learn.run import Plan, prepare, sampled_again
from irenic.learn.sample import Sample
from irenic.learn.target import Consequents, Target, class_weights, row_counts, row_weights
from irenic.learn.trees import Forest
from irenic.model.literals import counted

SEEDS = st.integers(0, 2**32 - 1)


def sample_of(table, codes, weight=None, n_labels=None):
    codes = np.asarray(codes)
    space = Space.infer(table)
    instances = space.encode(table)
    target = Target.single(np.arange(n_labels or int(codes.max()) + 1), codes)
    weight = np.ones(len(codes)) if weight is None else np.asarray(weight, dtype=float)
    cells = Cells.from_instances(instances, target.truth, weight)
    return Sample(instances, target, weight, row_counts(weight)).in_cells(cells)


def content(sample):
    """Return the rows of a sample as they stand: cells, labels, weight."""
    parts = sample.encoded.T, sample.target.truth, sample.weight
    rows = zip(*(part.tolist() for part in parts), strict=True)
    return [(tuple(cells), tuple(truth), weight) for cells, truth, weight in rows]


@st.composite
def samples(draw):
    n = draw(st.integers(1, 40))
    rng = np.random.default_rng(draw(SEEDS))
    table = {"a": rng.integers(0, 3, n).tolist(), "b": rng.choice(["x", "y"], n).tolist()}
    return sample_of(table, rng.integers(0, 3, n), rng.integers(1, 4, n), n_labels=3)


# --- an order of their own


def weights_of(sample):
    """Return the weight of each distinct row, however it is divided."""
    found = {}
    for cells, truth, weight in content(sample):
        found[cells, truth] = found.get((cells, truth), 0.0) + weight
    return found


@given(samples(), SEEDS)
def test_rows_in_order_are_the_same_whatever_their_order_and_copies(sample, seed):
    ordered, expected = sample.merged(), weights_of(sample)
    # equal rows have the sum of their weights
    assert weights_of(ordered) == {row: pytest.approx(sum_) for row, sum_ in expected.items()}
    if not ordered.divided:
        assert len(ordered) == len(expected)
    # a weight of two is two rows
    rows = np.repeat(np.arange(len(sample)), sample.weight.astype(int))
    ones = np.ones(len(rows))
    repeated = replace(sample.take(rows), weight=ones, count=ones)
    assert content(repeated.merged()) == content(ordered)
    rng = np.random.default_rng(seed)
    sample = replace(sample, weight=sample.weight * rng.choice([1, 0.5]))
    order = rng.permutation(len(sample))
    assert content(sample.take(order).merged()) == content(sample.merged())


@given(SEEDS, st.integers(2, 5))
def test_copies_of_a_row_are_left_out_together(seed, n_folds):
    rng = np.random.default_rng(seed)
    rows = np.concatenate([np.arange(40), np.arange(8)])
    given = {name: rng.random(40)[rows] for name in "abc"}
    # a copy with another label, too, says what is known of a row
    codes = np.concatenate([np.arange(40) % 2, rng.integers(0, 2, 8)])
    sample = sample_of(given, codes, np.where(codes, 10, 1)).merged()
    assert sample.weight.max() > 1
    assert not sample.divided
    for out in sample.folds(n_folds, seed):
        left = set(map(tuple, sample.encoded.T[out].tolist()))
        kept = np.setdiff1d(np.arange(len(sample)), out)
        assert left
        assert left.isdisjoint(map(tuple, sample.encoded.T[kept].tolist()))


def test_the_bags_of_a_forest_hold_all_copies_of_a_row_or_none():
    # labels without any pattern: who has not seen a row, nor a copy of it, can only guess
    rng = np.random.default_rng(0)
    x = {name: rng.random(200) for name in "abcd"}
    sample = sample_of(x, rng.permutation(200) % 2, np.full(200, 10)).merged()
    parts = sample.target, sample.weight, sample.groups
    forest = Forest(sample.encoded, *parts, random_state=0)
    right = forest.unseen.argmax(axis=1) == sample.target.truth.argmax(axis=1)
    assert 0.35 < right.mean() < 0.65


def test_rows_of_cases_that_recur_are_left_out_one_by_one():
    rows = np.arange(120)
    table, codes = {"a": rows % 2, "b": rows % 3 == 0}, rows % 5 == 0
    sample = sample_of(table, codes.astype(int)).merged()
    assert sample.divided
    counts = np.unique(np.stack([table["a"], table["b"], codes], 1), axis=0, return_counts=True)[1]
    assert len(sample) == sample.n_groups == np.minimum(counts, 20).sum() < 120
    assert sample.weight.sum() == pytest.approx(120)
    for out in sample.folds(4, 0):
        assert len({tuple(row) for row in sample.encoded.T[out].tolist()}) == 4


def test_weights_that_are_whole_count_rows():
    assert row_counts(np.array([1.0, 0.0, 3.0])).tolist() == [1, 0, 3]
    assert row_counts(np.array([1.0, 2.5])).tolist() == [1, 1]
    assert row_counts(np.array([12_285.0, 1_484_705.0])).tolist() == [1, 1]  # those of a census
    # but a row that occurs once is never divided
    rng = np.random.default_rng(0)
    x = {name: rng.random(70) for name in "abc"}
    for weight in (1, 7, 1.6, 10.01, 100_000):
        sample = sample_of(x, np.arange(70) % 2, np.full(70, weight)).merged()
        assert not sample.divided
        assert len(sample) == sample.n_groups == 70


# --- samples


def test_a_sample_holds_every_label():
    codes = np.zeros(3000, dtype=int)
    codes[:30], codes[30:1030] = 2, 1
    whole = sample_of({"a": np.arange(3000) % 50}, codes)
    assert whole.sampled(3000, 0) is whole
    sample = whole.sampled(1000, 0)
    counts = sample.target.truth.sum(axis=0)
    assert counts[2] == 30
    assert counts[0] / counts[1] == pytest.approx(1970 / 1000, abs=0.01)
    assert counts.sum() == pytest.approx(1000, abs=1)
    assert sample.weight.sum() == pytest.approx(1000, abs=0.1)
    # a label of which more were kept than is fair still counts for its share only
    weights = sample.weight @ sample.target.truth
    assert weights / weights.sum() == pytest.approx(whole.target.truth.mean(axis=0), abs=0.01)
    assert content(whole.sampled(1000, 0)) == content(sample)


def test_a_sample_keeps_the_rows_of_a_rare_label():
    rows, table = np.arange(5000), {"a": np.arange(5000) % 50}
    sample = sample_of(table, (rows < 50).astype(int)).sampled(1000, 0)
    assert sample.target.truth.sum(axis=0).tolist() == [950, 50]
    assert sample.weight[sample.target.truth[:, 1] > 0] == pytest.approx(0.2)
    # no label takes more than its part of half of the sample, unless its share is larger
    sample = sample_of(table, (rows < 900).astype(int)).sampled(1000, 0)
    assert sample.target.truth.sum(axis=0).tolist() == [750, 250]


def test_a_sample_of_sets_of_labels():
    rng = np.random.default_rng(0)
    whole = sample_of({"a": rng.integers(0, 9, 500)}, np.zeros(500, dtype=int))
    target = Target(np.arange(3), rng.integers(0, 2, (500, 3)).astype(float), many=True)
    sample = replace(whole, target=target).sampled(100, 0)
    left = sample.left_out(np.arange(20))
    assert (len(sample), len(left)) == (100, 420)
    assert left.weight == pytest.approx(100 / 420)


def test_a_second_sample_favors_rows_that_rules_get_wrong():
    n = 12_000
    a = np.arange(n) % 50
    codes = np.where(a < 20, 1, 0)
    codes[::400] = 2  # a rare label
    first = sample_of({"a": a}, codes).sampled(1000, 0)
    assert len(first.pool) == n - len(first) - len(first.rest)
    # a rule that ends too early: the rows from 15 to 19 are wrong
    masks = np.array([[(1 << 15) - 1]], dtype=np.uint64)
    rule = Candidate(masks, np.array([1], dtype=np.int16), 0)
    second = sampled_again(first, rule, "avoid", 0)
    assert len(second) == len(first)
    assert second.rest is first.rest

    def shares(sample, weight):
        cells, labels = sample.encoded[0], sample.target.codes
        parts = ((cells >= 15) & (cells < 20) & (labels == 1), labels == 2, cells < 15)
        return np.array([weight[part].sum() / weight.sum() for part in parts])

    assert (shares(second, np.ones(len(second)))[:2] > [0.35, 0.02]).all()
    samples = [sampled_again(first, rule, "avoid", seed) for seed in range(30)]
    means = np.mean([shares(sample, sample.weight) for sample in samples], axis=0)
    assert means == pytest.approx([0.1, 0.0025, 0.3], abs=0.01)
    for name in ("weight", "count"):
        sums = [getattr(sample, name).sum() for sample in samples]
        assert np.mean(sums) == pytest.approx(getattr(first, name).sum(), rel=0.02)


def test_rows_that_were_not_sampled_validate_too():
    n, rng = 3000, np.random.default_rng(0)
    table = {name: rng.integers(0, 50, n) for name in "abc"}
    whole = sample_of(table, (np.arange(n) < 30).astype(int), rng.integers(1, 4, n))
    sample = whole.sampled(1000, 0)
    out = next(sample.folds(1, 0))
    left = sample.left_out(out)
    # every row once, except for those that the fold learns from
    assert len(left) == n - len(sample) + len(out)
    # labels have the share that they have in the sample
    sums, wanted = left.weight @ left.target.truth, sample.weight @ sample.target.truth
    assert sums == pytest.approx(wanted)
    # all 30 rows of the rare label were sampled, so those left out count for all of them
    rare = left.target.truth[:, 1] > 0
    assert rare.sum() == sample.target.truth[out][:, 1].sum()
    # among the rows that were not sampled, weights have the ratios that they had
    ratio = left.weight[len(out) :] / sample.rest.weight
    assert ratio == pytest.approx(ratio[0])
    assert whole.left_out(out).weight.tolist() == whole.weight[out].tolist()


# --- smoothed labels


def boxed(n=400, noise=0.0):
    """Return a sample whose label depends on a box of three features, and the rule for it."""
    rng = np.random.default_rng(0)
    table = {f"x{f}": rng.integers(0, 8, n) for f in range(20)}
    box = np.all([(table[f"x{f}"] >= 2) & (table[f"x{f}"] < 6) for f in range(3)], axis=0)
    codes = np.where(rng.random(n) < noise, rng.integers(0, 2, n), box.astype(int))
    sample = sample_of(table, codes)
    words = np.array([[0b111100] * 3 + [255] * 17], dtype=np.uint64)
    return sample, Candidate(words, np.ones(1, dtype=np.int16), 0, cost=6)


PLAN = Plan(members=((1.0, 64),))
UNSMOOTHED = replace(PLAN, smoothing=0.0)


def test_starts_leave_out_the_leaves_of_their_default():
    sample, _ = boxed(noise=0.5)
    starts = [start for start in prepare(sample, UNSMOOTHED, 0).starts if len(start) > 1]
    assert {start.default for start in starts} == {0, 1}
    assert all((start.then != start.default).all() for start in starts)
    settled = prepare(sample, replace(UNSMOOTHED, described=1), 0).starts
    assert {start.default for start in settled} == {0}


def test_labels_that_rules_explain_better_than_the_forest_are_smoothed_less():
    sample, rule = boxed()
    origin = prepare(sample, PLAN, 0)
    assert origin.teacher.errors > 2 * 7 / len(sample)  # a rule and six bounds
    assert origin.teacher.share > 0
    sharper = origin.sharpened([origin.starts[0], rule], PLAN)
    assert sharper.teacher.share == 0.0
    assert sharper.rows.gains.sum() == len(sample)
    assert (sharper.rows.best == sharper.rows.gains.argmax(axis=1)).all()
    # the rule set without rules makes more errors than the forest
    assert origin.sharpened([origin.starts[0]], PLAN) is None
    # labels that are noise stay smoothed
    sample, rule = boxed(noise=1.0)
    origin = prepare(sample, PLAN, 0)
    assert origin.teacher.share == 0.5
    assert origin.sharpened([rule], PLAN) is None
    assert prepare(sample, UNSMOOTHED, 0).sharpened([rule], PLAN) is None


# --- folds


@given(samples(), st.booleans(), st.integers(2, 5), SEEDS)
def test_folds_are_disjoint_and_cover_everything(sample, divided, n_folds, seed):
    sample = replace(sample, divided=divided)
    folds = list(sample.folds(n_folds, seed))
    assert len(folds) == n_folds
    assert sorted(np.concatenate(folds).tolist()) == list(range(len(sample)))
    # groups are spread evenly by their heaviest row, and so are all rows if each is a group
    order = np.lexsort((-sample.weight, sample.groups))
    heaviest = {int(sample.groups[row]): row for row in order[::-1]}.values()
    assert len(heaviest) == sample.n_groups
    for label in sample.target.truth.T > 0:
        held = [sum(bool(label[row]) for row in heaviest if row in fold) for fold in folds]
        assert max(held) - min(held) <= 1
    again = [fold.tolist() for fold in sample.folds(n_folds, seed)]
    assert [fold.tolist() for fold in folds] == again


def test_one_fold_is_a_quarter():
    sample = sample_of({"a": np.arange(40)}, [0] * 20 + [1] * 20)
    (out,) = sample.folds(1, 0)
    assert sample.target.truth[out].sum(axis=0).tolist() == [5, 5]
    assert list(sample.folds(0, 0)) == []


# --- targets and consequents


def f1(truth, said):
    if not truth and not said:
        return 1.0
    return 2 * len(truth & said) / (len(truth) + len(said))


@given(st.lists(st.sets(st.sampled_from("abcd")), min_size=1, max_size=8).filter(any), SEEDS)
def test_a_set_of_labels_is_worth_its_f1(y, seed):
    target = Target.sets(y)
    leaves = list(np.random.default_rng(seed).random((5, len(target.labels))))
    consequents = Consequents.from_target(target, np.ones(len(target)), leaves)
    values = consequents.values()
    assert len(set(values)) == len(values) == len(consequents)
    assert all(isinstance(value, frozenset) for value in values)
    expected = [[f1(truth, said) for said in values] for truth in y]
    assert consequents.gains(target.truth) == pytest.approx(np.array(expected))


def test_in_a_hierarchy_consequents_are_closed_and_nearer_is_worth_more():
    y = [{"1/1"}, {"1/2"}, {"1/1"}, {"2"}]
    target = Target.sets(y, ["1/1", "1/2", "2"])
    labels = target.labels.tolist()
    assert labels == ["1", "1/1", "1/2", "2"]
    assert target.truth[0].tolist() == [1, 1, 0, 0]
    assert target.label_weights.tolist() == [0.75, 0.5625, 0.5625, 0.75]
    consequents = Consequents.from_target(target, np.ones(len(target)), list(target.truth))
    for value in consequents.values():
        assert target.hierarchy.is_closed(value)
    gains = consequents.gains(target.truth)
    for row, truth in enumerate(target.truth):
        own = [k for k, row in enumerate(consequents.frequencies) if row.tolist() == truth.tolist()]
        assert gains[row, own[0]] == pytest.approx(1.0)
        assert gains[row].argmax() == own[0]


def test_targets_of_single_labels_and_the_weights_of_rows():
    target = Target.single(np.array(["a", "b"]), np.array([0, 1, 1, 1]))
    assert target.truth.tolist() == [[1, 0], [0, 1], [0, 1], [0, 1]]
    consequents = Consequents.from_target(target, np.ones(4), [])
    assert consequents.values() == ["a", "b"]
    assert consequents.gains(target.truth).tolist() == target.truth.tolist()
    assert row_weights(4, None).tolist() == [1, 1, 1, 1]
    assert row_weights(4, [0, 1, 2, 3]).tolist() == [0, 1, 2, 3]
    for weight, counts, expected in [
        (None, [1.0, 3.0], [1, 1]),
        ({"b": 2}, [1.0, 3.0], [1, 2]),
        ("balanced", [1.0, 3.0], [2, 2 / 3]),
        ("balanced", [3.0, 3.0], [1, 1]),
        ("balanced", [3.0, 0.0], [1, 0]),  # a label without rows does not count
    ]:
        assert class_weights(target, weight, np.array(counts)) == pytest.approx(expected)
    many = Target.sets([{"a"}, {"a", "b"}])
    text = "class_weight must be None for targets with several labels per row; use sample_weight"
    refused(text, class_weights, many, "balanced", np.ones(2))


# --- the front

HALVES = np.array([0.5, 0.5])
COUNTS = RuleCounts(
    mix=np.zeros((1, 2)),
    support=np.zeros(1),
    confidence=np.zeros(1),
    intervals=np.zeros((1, 2)),
    training_confidence=np.zeros(1),
    overall=HALVES,
    frequencies=HALVES[None, :],
)
NOTHING = RuleSet(space=Space([]))


def point(rules, conditions, score, validated=math.nan, member=None, coverage=0.0):
    sizes = validated, rules, conditions, 0.0, 1.0
    return FrontPoint(NOTHING, score, *sizes, COUNTS, member=member, coverage=coverage)


POINTS = st.builds(
    point,
    st.integers(0, 4),
    st.integers(0, 6),
    st.sampled_from([0.5, 0.6, 0.7, 0.9, 1.0]),
    coverage=st.sampled_from([0.0, 0.5, 1.0]),
)


def beats(a, b):
    smaller = a.n_rules <= b.n_rules and a.n_conditions <= b.n_conditions
    same = a.n_rules == b.n_rules and a.n_conditions == b.n_conditions
    same = same and a.training_score == b.training_score
    return smaller and a.training_score >= b.training_score and (same or a.coverage >= b.coverage)


def sizes_of(points):
    return [(p.n_rules, p.n_conditions, p.training_score) for p in points]


@given(st.lists(POINTS, max_size=12), st.randoms())
def test_the_front_has_what_nothing_beats(points, random):
    front = front_of(points)
    for kept in front:
        assert not any(beats(other, kept) for other in front if other is not kept)
        assert any(kept is p for p in points)
    assert all(any(beats(kept, p) for kept in front) for p in points)
    assert [size[:2] for size in sizes_of(front)] == sorted(size[:2] for size in sizes_of(front))
    # coverage only adds rule sets to the front
    uncovered = [replace(p, coverage=0.0) for p in points]
    chosen = without_coverage(front)
    assert [p.coverage for p in chosen] == [p.coverage for p in without_coverage(points)]
    assert sizes_of(chosen) == sizes_of(without_coverage(uncovered))
    expected = sizes_of(front_of(uncovered))
    random.shuffle(uncovered)
    assert sizes_of(front_of(uncovered)) == expected


@given(st.lists(POINTS, min_size=1, max_size=12), st.integers(0, 5), st.integers(0, 7))
def test_what_is_chosen_is_small_enough(points, rules, conditions):
    small = [p for p in points if p.n_rules <= rules and p.n_conditions <= conditions]
    if not small:
        least = min(points, key=lambda p: (p.n_rules, p.n_conditions))
        text = (
            "max_rules and max_conditions must admit a rule set of the front, got"
            f" {rules} and {conditions}; the smallest has {counted(least.n_rules, 'rule')}"
            f" and {counted(least.n_conditions, 'condition')}"
        )
        refused(text, small_enough, points, rules, conditions, error=ConditionError)
        return
    assert small_enough(points, rules, conditions) == small
    assert small_enough(points, None, None) == points
    for selection in ("validation", "one_se", "description"):
        assert any(chosen(small, selection) is p for p in small)


def chosen(points, selection="validation", rows=100):
    return choose(points, selection=selection, shape=(rows, 2, 5))


def test_of_equally_validated_rule_sets_the_smallest_is_chosen():
    points = [point(1, 1, 0.8, 0.7), point(2, 2, 0.9, 0.9), point(3, 2, 0.95, 0.9)]
    assert chosen(points) is chosen(points[::-1]) is points[1]
    assert chosen(points[:1]) is points[0]
    # the training rows choose among the rule sets of one member
    points = [point(2, 2, 0.9, 0.9, member=4), point(3, 2, 0.95, 0.9, member=4)]
    smaller = point(1, 1, 0.8, 0.9, member=5)
    assert chosen(points) is points[1]
    assert chosen(points, "one_se") is points[0]
    assert chosen([*points, smaller]) is smaller


def test_one_standard_error_below_the_best_is_good_enough():
    points = [point(1, 1, 0.8, 0.85), point(2, 2, 0.9, 0.88), point(3, 2, 0.95, 0.9)]
    # the standard error of 0.9 on 100 rows is 0.03
    for rows, place in ((100, 1), (10, 0), (10_000, 2)):
        assert chosen(points, "one_se", rows) is points[place]
    unvalidated = [point(1, 1, 0.8), point(2, 2, 0.9)]
    assert chosen(unvalidated) is unvalidated[1]


@given(POINTS, st.integers(1, 500), st.integers(2, 9), st.integers(1, 30))
def test_descriptions_are_longer_for_more_rules_conditions_and_mistakes(p, rows, labels, features):
    def bits(rules, conditions, score):
        return point(rules, conditions, score).description_length(rows, labels, features)

    length = bits(p.n_rules, p.n_conditions, p.training_score)
    assert length >= 0
    assert bits(p.n_rules + 1, p.n_conditions, p.training_score) > length
    assert bits(p.n_rules, p.n_conditions + 1, p.training_score) > length
    if p.training_score > 0.5:
        assert bits(p.n_rules, p.n_conditions, p.training_score - 0.05) > length
    assert bits(0, 0, 1.0) == pytest.approx(0.0, abs=1e-6)
