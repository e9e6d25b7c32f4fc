"""Rule sets, compared with a naive implementation."""

from __future__ import annotations

import copy
import math
import pickle
import re
from collections import Counter
from itertools import permutations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
import strategies as sts
from irenic import (
    Categorical,
    ConditionError,
    ConflictError,
    Continuous,
    DataError,
    Region,
    Rule,
    RuleSet,
    Space,
)
from refusals import refuses
from strategies import PAPER

pytestmark = pytest.mark.kernels

AGE = Space([Continuous("age")])


def age(low, high, then, weight=1.0):
    return Rule(Region(AGE, {"age": (low, high)}), then=then, weight=weight)


def cells_of(rules):
    return naive.cells_of(naive.grid(rules.space, [rule.region for rule in rules]))


def as_tuples(pairs):
    return [tuple(map(int, pair)) for pair in pairs.pairs]


def test_the_example_of_the_paper_is_consistent():
    rules = PAPER.copy()
    assert rules.is_consistent
    assert len(rules.conflicts()) == 0
    table = {"f1": [2, 5, 6.5, 1, 3, 4], "f2": [5, 5, 6, 1, 3, 8.9]}
    assert rules.predict(table).tolist() == ["r1", None, "r2", "r3", None, "r1"]
    with pytest.raises(ConflictError, match=r"rule 4 .* contradicts rule 1 "):
        rules.add(Rule({"f1": (4, 7), "f2": (6, 8)}, then="r4"))


def test_rules_contradict_each_other_if_they_share_a_point():
    rules = RuleSet([age(0, 10, "child"), age(10, 99, "adult")], AGE)
    assert rules.is_consistent
    assert rules.predict({"age": [9.999, 10]}).tolist() == ["child", "adult"]
    closed = Rule(Region(AGE, {"age": {">=": 0, "<=": 10}}), then="child")
    touching = RuleSet([closed, age(10, 99, "adult")], AGE)
    assert str(touching.conflicts()[0].region) == "age = 10"
    assert touching.conflicts()[0].witness == {"age": 10}
    rules = RuleSet([Rule({}, then="A"), Rule({}, then="B"), Rule({}, then="A")])
    assert as_tuples(rules.conflicts()) == [(0, 1), (1, 2)]
    assert as_tuples(rules.overlaps()) == [(0, 2)]
    assert not rules.is_consistent


@given(sts.rule_sets(), st.data())
def test_conflicts_overlaps_and_rivals_equal_those_of_the_oracle(rules, data):
    assert as_tuples(rules.conflicts()) == naive.pairs(rules, same=False)
    assert as_tuples(rules.overlaps()) == naive.pairs(rules, same=True)
    assert rules.is_consistent == (not naive.pairs(rules, same=False))
    for conflict in rules.conflicts():
        a, b = rules[conflict.first], rules[conflict.second]
        assert conflict.rules == (a, b)
        assert conflict.region == a.region & b.region
        assert conflict.witness in a.region
        assert conflict.witness in b.region
        assert a.then != b.then
    rule = data.draw(sts.rules(rules.space))
    axes = naive.grid(rules.space, [r.region for r in (*rules, rule)])
    mine = naive.cells(rule.region, axes)
    meeting = [i for i, r in enumerate(rules) if naive.cells(r.region, axes) & mine]
    assert rules.rivals_of(rule.region).tolist() == meeting
    rivals = [i for i in meeting if rules[i].then != rule.then]
    assert rules.rivals_of(rule.region, rule.then).tolist() == rivals


def test_pairs_are_a_sequence_with_readable_texts():
    rules = RuleSet([age(0, 10, then) for then in "ABCDEF"], AGE)
    pairs = rules.conflicts()
    assert [p.first for p in pairs[1:3]] == [0, 0]
    assert str(pairs[0]) == (
        "rule 1 says A, rule 2 says B where 0 <= age < 10, for example at age = 5"
    )
    assert repr(pairs).startswith("<15 pairs:\n  rule 1 says A, rule 2 says B where")
    assert repr(pairs).endswith("… and 5 more>")
    assert repr(RuleSet(space=AGE).conflicts()) == "<0 pairs>"
    with pytest.raises(IndexError):
        pairs[15]
    assert len(rules.conflicts(limit=3)) == 3
    refuses(ConditionError, "limit must be a positive integer, got 0", rules.conflicts, limit=0)
    last = pairs[14]
    rules.remove(0)
    assert (str(last.region), last.rules[1].then) == ("0 <= age < 10", "F")


# --- larger sets, compared pair by pair in numpy


def pairwise_check(rules, *, same):
    """Return the overlapping pairs by comparing every two rules on every feature."""
    meets = np.ones((len(rules), len(rules)), dtype=bool)
    for low, high in zip(rules.lower, rules.upper, strict=True):
        meets &= np.maximum.outer(low, low) < np.minimum.outer(high, high)
    for a, b in zip(rules.space.starts[:-1], rules.space.starts[1:], strict=True):
        shared = [np.bitwise_and.outer(m, m) != 0 for m in rules.masks[a:b]]
        meets &= np.any(shared, axis=0)
    agree = np.equal.outer(rules.then_codes, rules.then_codes)
    meets &= agree if same else ~agree
    return np.argwhere(np.triu(meets, 1))


def mixed_space(n_continuous, n_categorical):
    return Space(
        [
            *(Continuous(f"x{i}", missing=i % 2 == 0) for i in range(n_continuous)),
            *(
                Categorical(f"c{j}", range(90 if j == 0 else 7), other=True)
                for j in range(n_categorical)
            ),
        ]
    )


def leaves(space, n, rng):
    """Return n regions that partition the space, cut at random like the leaves of a tree."""
    regions, failures = [Region(space)], 0
    while len(regions) < n and failures < 500:  # a space of few values has fewer than n parts
        before = len(regions)
        region = regions.pop(int(rng.integers(len(regions))))
        feature = space.features[int(rng.integers(len(space)))]
        if isinstance(feature, Continuous):
            inside = region.sample(1, rng).values[space.row(feature.name), 0]
            condition = {"<": float(inside), "missing": feature.missing}
        else:
            size = int(rng.integers(1, len(feature.values)))
            condition = {"in": rng.choice(len(feature.values), size, replace=False).tolist()}
        half = Region(space, {feature.name: condition})
        regions += [piece for piece in (region & half, *(region - half)) if not piece.is_empty]
        failures = 0 if len(regions) > before else failures + 1
    return regions


def boxes(space, n, rng, *, narrow=False):
    """Return n random regions: large ones, most of which overlap, or narrow ones.

    Narrow ones have short intervals and sets of a few adjacent values.
    """
    regions = []
    for _ in range(n):
        conditions = {}
        for feature in space:
            if not narrow and rng.random() < 0.4:
                continue
            if isinstance(feature, Continuous):
                low, width = rng.integers(-20, 20), rng.integers(1, 4 if narrow else 25)
                conditions[feature.name] = (int(low), int(low + width))
            elif narrow:
                near = rng.integers(len(feature.values)) + rng.integers(10, size=3)
                conditions[feature.name] = set((near % len(feature.values)).tolist())
            else:
                size = int(rng.integers(1, len(feature.values)))
                chosen = rng.choice(len(feature.values), size, replace=False)
                conditions[feature.name] = set(chosen.tolist())
        regions.append(Region(space, conditions))
    return regions


def spread_out(spread, space, n, rng):
    if spread == "copies":
        return boxes(space, n // 10, rng) * 10
    if spread in ("boxes", "spans"):
        return boxes(space, n, rng, narrow=spread == "spans")
    regions = leaves(space, n, rng)
    for i in range(0, len(regions) if spread == "widened" else 0, 10):
        regions[i] = Region(space, dict(list(regions[i].conditions().items())[1:]))
    return regions


# the kernel partitions sets of more than 1024 rules
SIZES = [30, 1100, *(pytest.param(n, marks=pytest.mark.slow) for n in (500, 2000))]


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("spread", ["leaves", "widened", "boxes", "copies", "spans"])
def test_pairs_of_many_rules_are_found_exactly_once(spread, n):
    shapes = [(0, 1), (3, 0), (0, 3), (2, 2), (1, 0), (6, 1)]
    if n == 1100:  # two of them at a size that is slow to make, others for each spread
        shapes = shapes[:2] if spread in ("leaves", "boxes") else shapes[3:5]
    for shape in shapes:
        rng = np.random.default_rng([*shape, len(spread), n])
        space = mixed_space(*shape)
        regions = spread_out(spread, space, n, rng)
        thens = rng.integers(0, 4, len(regions)).tolist()
        rules = RuleSet(map(make_rule, regions, thens), space)
        assert spread != "leaves" or rules.is_consistent, shape
        expected = pairwise_check(rules, same=False), pairwise_check(rules, same=True)
        assert np.array_equal(rules.conflicts().pairs, expected[0]), shape
        assert np.array_equal(rules.overlaps().pairs, expected[1]), shape


def make_rule(region, then):
    return Rule(region, then=then)


def test_a_single_conflict_among_many_rules_is_found():
    rng = np.random.default_rng(0)
    space = mixed_space(4, 0)
    regions = leaves(space, 600, rng)
    rules = RuleSet([Rule(r, then=i) for i, r in enumerate(regions)], space)
    assert rules.is_consistent
    hidden = regions[37]
    rules.add(Rule(hidden, then="hidden"), force=True)
    assert as_tuples(rules.conflicts()) == [(37, len(regions))]
    assert not rules.is_consistent


def test_covering_and_decide_agree_on_many_instances():
    rng = np.random.default_rng(1)
    space = mixed_space(3, 2)
    rules = RuleSet([Rule(r, then="A") for r in boxes(space, 20, rng)], space)
    points = Region(space).sample(5000, rng)
    expected = np.column_stack([rule.region.contains(points) for rule in rules])
    for i in range(0, 5000, 50):
        assert [points.take([i]) in rule.region for rule in rules] == expected[i].tolist()
    assert np.array_equal(rules.covering(points), expected)
    first = np.where(expected.any(axis=1), expected.argmax(axis=1), -1)
    assert np.array_equal(rules.decide(points), first)


# --- predictions


@given(sts.rule_sets(), st.data())
def test_rules_cover_decide_and_count_cells_as_the_oracle(rules, data):
    cells = cells_of(rules)[:200]
    points = naive.instances(rules.space, cells)
    covering = rules.covering(points)
    assert covering.shape == (len(cells), len(rules))
    held = [naive.covering(rules, cell) for cell in cells]
    assert [np.flatnonzero(row).tolist() for row in covering] == held
    for resolve in ("first", "best", "vote"):
        decided = rules.decide(points, resolve=resolve).tolist()
        assert decided == [naive.decide(rules, cell, resolve) for cell in cells]
        predicted = rules.predict(points, resolve=resolve, default="D").tolist()
        assert predicted == ["D" if i < 0 else rules[i].then for i in decided]
    size = rules.explanation_size(points)
    assert math.isclose(size, naive.explanation_size(rules, cells))
    assert rules.n_conditions == sum(naive.n_conditions(rule) for rule in rules)
    assert rules.conditions_per_rule().tolist() == [rule.n_conditions for rule in rules]
    some = data.draw(st.lists(st.sampled_from("ABX"), min_size=7, max_size=7))
    labels = (some * len(cells))[: len(cells)]
    stats = rules.statistics(points, labels)
    assert set(stats.labels) == set(labels)
    for i, rule in enumerate(rules):
        mix = Counter(y for y, indices in zip(labels, held, strict=True) if i in indices)
        assert stats.support[i] == mix.total()
        assert stats.mix[i].tolist() == [mix[label] for label in stats.labels]
        if mix:
            assert stats.confidence[i] == mix[rule.then] / mix.total()
        else:
            assert math.isnan(stats.confidence[i])


@given(sts.consistent_rule_sets(default="D"))
def test_a_consistent_set_and_its_simplified_form_predict_what_the_oracle_predicts(rules):
    cells = cells_of(rules)[:200]
    points = naive.instances(rules.space, cells)
    expected = [naive.predict(rules, cell, default="D") for cell in cells]
    assert rules.predict(points).tolist() == expected
    assert rules.decide(points).tolist() == [naive.decide(rules, cell) for cell in cells]
    for resolve in ("first", "best", "vote"):
        assert rules.predict(points, resolve=resolve).tolist() == expected
    simple = rules.simplified()
    assert simple.predict(points).tolist() == expected
    assert len(simple) <= len(rules)
    assert simple.n_conditions <= rules.n_conditions
    axes = naive.grid(rules.space, [r.region for r in rules])
    regions = [(naive.cells(r.region, axes), r.then) for r in simple]
    for (mine, then), (theirs, other) in permutations(regions, 2):
        assert then != other or not mine <= theirs
    assert simple.simplified() == simple


def test_the_first_rule_wins_ties():
    rules = RuleSet([age(0, 10, "A"), age(0, 10, "B", 2), age(0, 10, "C", 2), age(0, 10, "A")], AGE)
    instance = {"age": [5]}
    assert rules.predict(instance, resolve="first").tolist() == ["A"]
    assert rules.predict(instance, resolve="best").tolist() == ["B"]
    assert rules.decide(instance, resolve="best").tolist() == [1]
    assert rules.predict(instance, resolve="vote").tolist() == ["A"]
    assert rules.decide(instance, resolve="vote").tolist() == [0]
    rules.add(age(0, 10, "C", 0.5), force=True)
    assert rules.predict(instance, resolve="vote").tolist() == ["C"]
    assert rules.decide(instance, resolve="vote").tolist() == [2]
    rules = RuleSet([age(0, 10, i, 1 + i % 2) for i in range(301)], AGE)
    assert rules.decide({"age": [5]}, resolve="best").tolist() == [1]
    assert rules.decide({"age": [5]}, resolve="first").tolist() == [0]
    assert rules.decide({"age": [5]}, resolve="vote").tolist() == [1]


def test_predictions_need_consistent_rules_and_have_defaults():
    rules = RuleSet([age(0, 30, "low"), age(29, 60, "high")], AGE)
    for method in (rules.predict, rules.decide, rules.explain):
        with pytest.raises(ConflictError) as caught:
            method({"age": [5]})
        assert str(caught.value) == (
            "the rules contradict each other: rule 1 says low, rule 2 says high where"
            " 29 <= age < 30, for example at age = 29; repair them, or choose one of"
            ' resolve="first", "best" or "vote"'
        )
        assert [(c.first, c.second) for c in caught.value.conflicts] == [(0, 1)]
    text = "resolve must be one of first, best, vote, got 'last'"
    refuses(ConditionError, text, rules.predict, {"age": [5]}, resolve="last")
    rules = RuleSet([age(0, 10, "child")], AGE, default="unknown")
    assert rules.predict({"age": [50]}).tolist() == ["unknown"]
    assert rules.predict({"age": [50]}, default="adult").tolist() == ["adult"]
    assert RuleSet([age(0, 10, "child")], AGE).predict({"age": [50]}).tolist() == [None]
    assert RuleSet(space=AGE, default="x").predict({"age": [1, 2]}).tolist() == ["x", "x"]
    assert RuleSet(space=AGE).predict({"age": [1]}).tolist() == [None]
    rules = RuleSet([Rule({"n": (0, 1)}, then="a"), Rule({"n": (1, 2)}, then=1)])
    rules.remove(0)
    assert rules.predict({"n": [1]}, default=0).dtype == np.int64


@pytest.mark.parametrize(
    ("thens", "default", "dtype"),
    [
        ([1, 2], 0, np.int64),
        ([1.5, 2.5], 0.0, np.float64),
        ([1, 2.5], 3, np.float64),
        ([True, False], False, np.bool_),
        (["a", "b"], "c", np.object_),
        ([1, "b"], 0, np.object_),
        ([1, 2], None, np.object_),
        ([2**70, 1], 3, np.object_),
        ([2**53 + 1, 0.5], 3, np.object_),
        ([(1, 2), (3, 4)], (5, 6), np.object_),
        ([frozenset("ab"), frozenset()], frozenset("c"), np.object_),
    ],
)
def test_predictions_are_numbers_if_all_of_them_can_be_exact(thens, default, dtype):
    first, second = age(0, 10, thens[0]), age(10, 20, thens[1])
    X = {"age": [5, 15, 25]}
    for predicted in (
        RuleSet([first, second], AGE, default=default).predict(X),
        RuleSet([first, second], AGE).predict(X, default=default),
    ):
        assert predicted.dtype == dtype
        assert predicted.shape == (3,)
        assert predicted.tolist() == [*thens, default]


def test_explanations_name_the_rules_and_the_prediction():
    rules = RuleSet([age(0, 30, "low"), age(10, 20, "low"), age(40, 50, "high")], AGE)
    texts = [str(e) for e in rules.explain({"age": [15, 5, 45, 99]})]
    assert texts == [
        "low, by rules 1, 2, because 0 <= age < 30",
        "low, by rule 1, because 0 <= age < 30",
        "high, by rule 3, because 40 <= age < 50",
        "nothing is decided, because age >= 50: no rule covers these cases",
    ]
    first = rules.explain({"age": [15]})[0]
    assert (first.then, first.rules) == ("low", (0, 1))
    assert (rules.explain({"age": [99]})[0].then, rules.explain({"age": [99]})[0].rules) == (
        None,
        (),
    )
    rules = RuleSet([age(0, 30, "low"), age(10, 20, "high", 2)], AGE, default="none")
    texts = [str(e) for e in rules.explain({"age": [15, 99]}, resolve="best")]
    assert texts == [
        "high, by rule 2, because 10 <= age < 20 (against rule 1)",
        "none, by default, because age >= 30",
    ]


def test_statistics_accept_labels_of_any_library_and_check_their_number():
    rules = RuleSet([age(0, 30, "low")], AGE)
    table = {"age": [10, 20, 40]}
    labels = ["low", "high", "low"]
    for make in (list, np.array, pd.Series, pl.Series, pa.array, lambda y: pa.chunked_array([y])):
        stats = rules.statistics(table, make(labels))
        assert stats.labels == ("low", "high")
        assert stats.mix.tolist() == [[1, 1]]
        assert stats.confidence.tolist() == [0.5]
    with pytest.raises(DataError, match="y must have 3 labels, one per instance, got 2"):
        rules.statistics(table, ["low", "high"])
    empty = rules.statistics({"age": []}, [])
    assert (empty.labels, empty.support.tolist()) == ((), [0])
    assert rules.explanation_size({"age": []}) == 0.0


def test_simplified_removes_implied_conditions_and_rules_inside_others():
    space = Space([Continuous("age", bounds=(0, 120)), Categorical("c", ["a", "b"])])
    rules = RuleSet(
        [
            Rule({"age": {">=": 0, "<=": 30}, "c": {"b"}}, then="low"),
            Rule({"age": (5, 20), "c": {"b"}}, then="low"),
            Rule({"age": (0, 31), "c": {"a"}}, then="high"),
            Rule({"age": (40, 200)}, then="low"),
        ],
        space,
        default="D",
    )
    simple = rules.simplified()
    assert [str(rule) for rule in simple] == [
        "IF age <= 30 AND c in {b} THEN low",
        "IF age < 31 AND c in {a} THEN high",
        "IF age >= 40 THEN low",
    ]
    assert simple.default == "D"
    assert len(rules) == 4
    rules = RuleSet(
        [
            Rule({"n": (5, 10)}, then="a", weight=9),
            Rule({"n": (0, 20)}, then="b", weight=5),
            Rule({"n": (0, 30)}, then="a", weight=1),
        ]
    )
    simple = rules.simplified()
    for resolve in ("first", "best", "vote"):
        assert simple.predict([{"n": 7}], resolve=resolve) == ["a"]


# --- changing


def test_add_rejects_a_contradicting_rule_and_names_the_conflict():
    rules = RuleSet([age(0, 10, "child"), age(10, 99, "adult")], AGE)
    with pytest.raises(ConflictError) as caught:
        rules.add(age(18, None, "senior"))
    assert str(caught.value) == (
        "rule 3 (IF age >= 18 THEN senior) contradicts rule 2 (IF 10 <= age < 99 THEN adult):"
        " both hold where 18 <= age < 99, for example at age = 60; change one of them, or keep"
        " both with force=True"
    )
    (conflict,) = caught.value.conflicts
    assert (conflict.first, conflict.second) == (1, 2)
    assert str(conflict.region) == "18 <= age < 99"
    assert conflict.witness in conflict.region
    assert len(rules) == 2
    with pytest.raises(
        ConflictError, match=r"contradicts rule 1 .* \(and 1 more\): both"
    ) as caught:
        rules.add(age(5, 50, "senior"))
    assert [c.first for c in caught.value.conflicts] == [0, 1]
    rules.add(age(5, 10, "child"))
    rules.add(age(99, 120, "old"))
    assert [r.then for r in rules] == ["child", "adult", "child", "old"]


def test_the_error_of_a_rejected_rule_describes_the_set_as_it_was():
    text = r"rule 3 .* contradicts rule 1 \(IF 0 <= age < 10 THEN child\) \(and 1 more\)"
    for read in (str, repr, lambda e: e.args[0], lambda e: str(pickle.loads(pickle.dumps(e)))):
        rules = RuleSet([age(0, 10, "child"), age(10, 99, "adult")], AGE)
        with pytest.raises(ConflictError) as caught:
            rules.add(age(5, 50, "senior"))
        rules.remove(0)
        rules.replace(0, age(60, 70, "new"))
        assert re.search(text, read(caught.value))
        other = copy.copy(caught.value)
        for error in (caught.value, other, pickle.loads(pickle.dumps(other))):
            assert [str(c.region) for c in error.conflicts] == ["5 <= age < 10", "10 <= age < 50"]
            assert str(error) == str(caught.value)


@given(sts.consistent_rule_sets(), st.data())
def test_add_rejects_exactly_the_contradicting_rules(rules, data):
    rule = data.draw(sts.rules(rules.space))
    before = list(rules)
    expected = naive.pairs([*before, rule], same=False)
    if not expected:
        rules.add(rule)
        assert list(rules) == [*before, rule]
        assert rules.is_consistent
        return
    with pytest.raises(ConflictError) as caught:
        rules.add(rule)
    assert list(rules) == before
    assert rules.is_consistent
    while len(rules):  # the error is read later
        rules.remove(0)
    conflicts = caught.value.conflicts
    assert [(c.first, c.second) for c in conflicts] == expected
    assert [c.rules for c in conflicts] == [(before[i], rule) for i, _ in expected]


def test_rules_are_added_one_by_one_and_removed_in_any_order():
    rng = np.random.default_rng(0)
    rules = RuleSet(space=AGE)
    mirror = []
    for i in range(60):
        rule = age(i, i + 1, i % 5)
        rules.add(rule)
        mirror.append(rule)
        if i % 3 == 0:
            index = int(rng.integers(len(mirror)))
            assert rules.remove(index) == mirror.pop(index)
    assert list(rules) == mirror
    assert rules.remove(-1) == mirror.pop()
    assert rules.remove(mirror[7]) == mirror.pop(7)
    assert list(rules) == mirror
    rules = RuleSet([age(0, 10, "child")], AGE)
    refuses(IndexError, "index 1 is out of range for 1 rule", rules.remove, 1)
    with pytest.raises(ConditionError, match="the rule set does not contain IF 0 <= age < 11"):
        rules.remove(age(0, 11, "child"))
    for index in (True, "x", 1.0):
        refuses(ConditionError, "the index of a rule must be an integer, got", rules.remove, index)
    assert len(rules) == 1


def test_replace_rejects_contradictions_and_leaves_the_set_unchanged():
    rules = RuleSet([age(0, 10, "child"), age(10, 99, "adult"), age(99, None, "senior")], AGE)
    before = rules.copy()
    refuses(ConflictError, "contradicts rule 2 ", rules.replace, 0, age(0, 12, "child"))
    assert list(rules) == list(before)
    assert rules.replace(0, age(0, 9, "kid")) == age(0, 10, "child")
    assert rules == RuleSet([age(0, 9, "kid"), age(10, 99, "adult"), age(99, None, "senior")], AGE)
    index = rules.index(age(10, 99, "adult"))
    assert rules.replace(index, age(9, 80, "grown"), force=False) == age(10, 99, "adult")
    assert rules.is_consistent
    rules.replace(rules.index(age(9, 80, "grown")), age(0, 50, "grown"), force=True)
    assert not rules.is_consistent
    refuses(IndexError, "index 3 is out of range for 3 rules", rules.replace, 3, age(0, 1, "x"))


def test_an_error_names_the_number_of_an_invalid_rule():
    rules = RuleSet([age(0, 10, "child")], AGE)
    with pytest.raises(ConditionError, match="rule 2: unknown feature 'agee'; did you mean 'age'"):
        rules.add(Rule({"agee": (0, 1)}, then="x"))
    refuses(ConditionError, "rule 2 must be a Rule, got 'IF'", rules.add, "IF")
    with pytest.raises(ConditionError, match="rule 1: unknown feature 'job'"):
        rules.replace(0, Rule({"job": {"nurse"}}, then="x"))
    with pytest.raises(ConditionError, match="rules must come before the space: RuleSet"):
        RuleSet(AGE, [age(0, 10, "child")])
    with pytest.raises(ConditionError, match="space must be a Space or None, got 'age'"):
        RuleSet([age(0, 10, "child")], "age")
    assert list(rules) == [age(0, 10, "child")]


# --- as a collection


def test_sets_are_indexed_and_compared_as_collections():
    rules = RuleSet([age(i, i + 1, "ABCD"[i], i + 1) for i in range(4)], AGE, default="D")
    assert rules[0] == age(0, 1, "A", 1)
    assert rules[-1] == rules[np.int64(3)] == age(3, 4, "D", 4)
    assert [r.then for r in rules[1:3]] == ["B", "C"]
    assert [r.then for r in rules[[3, 0]]] == ["D", "A"]
    assert [r.weight for r in rules[np.array([True, False, True, False])]] == [1.0, 3.0]
    assert rules[1:3].default == "D"
    assert rules[2:].predict({"age": [0, 2, 3]}).tolist() == ["D", "C", "D"]
    assert len(rules[:0]) == 0
    assert age(1, 2, "B", 2) in rules
    assert age(1, 2, "B") not in rules
    with pytest.raises(IndexError, match="index 4 is out of range for 4 rules"):
        rules[4]
    with pytest.raises(IndexError, match="index -5 is out of range for 4 rules"):
        rules[-5]
    a, b = age(0, 10, "child"), age(10, 99, "adult")
    assert RuleSet([a, b], AGE) == RuleSet([b, a], AGE)
    assert RuleSet([a, a, b], AGE) != RuleSet([a, b, b], AGE)
    assert RuleSet([a], AGE) != RuleSet([a], AGE, default="x")
    assert RuleSet([a], AGE) != [a]
    refuses(TypeError, "unhashable", hash, RuleSet([a], AGE))


@given(sts.rule_sets(default="D"))
@sts.examples(0.6)
def test_copies_and_pickles_are_equal_and_independent(rules):
    before = list(rules)
    assert rules.thens == [rule.then for rule in before]
    copies = [rules.copy(), copy.copy(rules), copy.deepcopy(rules)]
    copies.append(pickle.loads(pickle.dumps(rules)))
    for other in copies:
        assert other == rules
        assert [str(r) for r in other] == [str(r) for r in rules]
        other.add(Rule(Region(rules.space), then="new"), force=True)
        if len(other) > 1:
            other.remove(0)
    assert list(rules) == before
    unweighted = RuleSet([Rule(r.region, then=r.then) for r in rules], rules.space)
    recreated = RuleSet.from_arrays(
        rules.space,
        lower=rules.lower,
        upper=rules.upper,
        masks=rules.masks,
        then=[rule.then for rule in rules],
    )
    assert list(recreated) == list(unweighted)
    assert as_tuples(recreated.conflicts()) == as_tuples(rules.conflicts())


class Population(RuleSet):
    """A set that a learner has extended, with a constructor of its own."""

    def __init__(self, space):
        super().__init__(space=space)
        self.generation = 7


def test_a_copy_keeps_the_type_and_what_is_known_of_the_set(monkeypatch):
    rules = Population(AGE)
    rules.add(age(0, 10, "child"))
    rules.add(age(10, 99, "adult"))
    assert rules.is_consistent
    rules.remove(0)
    monkeypatch.setattr(RuleSet, "_find_pairs", None)  # nothing is proved again
    for other in (rules.copy(), copy.copy(rules), copy.deepcopy(rules)):
        assert type(other) is Population
        assert (other.generation, other.ids.tolist()) == (7, [1])
        assert other.is_consistent
        other.generation = 8
    assert rules.generation == 7
    assert type(rules[:]) is RuleSet
    assert rules[:].is_consistent
    assert rules[[0, 0]].is_consistent


def test_consistency_follows_changes_of_a_set_and_of_its_parts():
    rules = RuleSet([age(0, 10, "child")], AGE)
    assert rules.is_consistent
    rules.add(age(5, 99, "adult"), force=True)
    rules.add(age(3, 4, "child"))
    assert not rules.is_consistent
    assert not rules.copy().is_consistent
    assert rules[1:].is_consistent
    rules.remove(0)
    assert rules.is_consistent
    rules.add(age(100, 110, "other"))
    assert rules.is_consistent


def test_a_rule_keeps_its_id_until_it_is_removed():
    rules = RuleSet([age(i, i + 1, i) for i in range(5)], AGE)
    assert rules.ids.tolist() == [0, 1, 2, 3, 4]
    rules.remove(1)
    rules.remove(3)
    rules.add(age(9, 10, 9))
    rules.replace(1, age(20, 30, 2))
    assert rules.ids.tolist() == [0, 2, 3, 5]
    assert rules.indices([5, 4, 3, 2, 1, 0, 6, -1]).tolist() == [3, -1, 2, 1, -1, 0, -1, -1]
    assert rules.indices(np.int64(5)) == 3
    assert rules[rules.indices(2)] == age(20, 30, 2)
    assert rules[1:].ids.tolist() == [0, 1, 2]
    assert pickle.loads(pickle.dumps(rules)).ids.tolist() == [0, 2, 3, 5]
    other = rules.copy()
    other.add(age(40, 50, 0))
    assert other.ids.tolist() == [0, 2, 3, 5, 6]
    while len(rules):
        rules.remove(0)
    assert rules.indices([0, 5]).tolist() == [-1, -1]
    assert rules.indices([]).tolist() == []
    refuses(ConditionError, r"ids must be integers, got \[0.5\]", rules.indices, [0.5])


def test_the_repr_lists_rules_and_the_space_is_inferred():
    rules = RuleSet([age(i, i + 1, "A") for i in range(25)], AGE, default="B")
    lines = repr(rules).splitlines()
    assert lines[0] == "<RuleSet: 25 rules, 1 feature>"
    assert lines[1] == "  1. IF 0 <= age < 1 THEN A"
    assert lines[-2:] == ["  … and 5 more", "  DEFAULT B"]
    assert len(lines) == 23
    assert repr(RuleSet(space=AGE)) == "<RuleSet: 0 rules, 1 feature>"
    assert RuleSet([age(0, 10, "child")]).space == AGE
    rules = RuleSet([Rule({"age": (0, 10)}, then="a"), Rule({"job": {"nurse"}}, then="b")])
    assert rules.space == Space([Continuous("age"), Categorical("job", ["nurse"], other=True)])
    assert len(rules.conflicts()) == 1


# --- conversions


def test_from_arrays_copies_and_snaps_bounds_and_needs_no_masks():
    space = Space([Continuous("n", kind="integer"), Categorical("c", ["a", "b"])])
    lower, upper = np.array([[1.5, -np.inf]]), np.array([[4.5, 7.0]])
    rules = RuleSet.from_arrays(space, lower=lower, upper=upper, then=["A", "B"])
    lower[:] = upper[:] = 0
    assert [str(rule) for rule in rules] == ["IF 2 <= n < 5 THEN A", "IF n < 7 THEN B"]
    empty = RuleSet.from_arrays(space, lower=np.empty((1, 0)), upper=np.empty((1, 0)), then=[])
    assert len(empty) == 0
    empty.add(Rule({"n": (0, 1)}, then="A"))
    assert len(empty) == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"lower": [[0.0, 1.0]]}, r"\(1, 2\)"),
        ({"lower": [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]}, r"\(3, 2\)"),
        ({"lower": np.zeros((3, 2)), "upper": np.ones((3, 2)), "then": list("ABC")}, r"\(3, 2\)"),
        ({"upper": [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]}, r"\(3, 2\)"),
        ({"masks": np.ones((2, 2), dtype=np.uint64)}, r"\(2, 2\)"),
        ({"then": ["A"]}, r"\(2, 2\)"),
        ({"lower": [[0.0, np.nan], [0.0, 0.0]]}, "bounds and weights must not be NaN"),
        ({"upper": [[1.0, 0.0], [1.0, 1.0]]}, "rule 2: region must not be empty: the rule would"),
        ({"masks": np.array([[4, 0]], dtype=np.uint64)}, "rule 2: region must not be empty"),
        ({"masks": np.array([[1, 4]], dtype=np.uint64)}, "rule 1: region must not be empty"),
        ({"then": ["A", None]}, "a consequent must not be None"),
    ],
)
def test_invalid_arrays_are_rejected(change, message):
    space = Space([Continuous("a"), Continuous("b"), Categorical("c", ["x", "y"])])
    arrays = {"lower": np.zeros((2, 2)), "upper": np.ones((2, 2)), "then": ["A", "B"]}
    assert len(RuleSet.from_arrays(space, **arrays)) == 2
    refuses(ConditionError, message, RuleSet.from_arrays, space, **(arrays | change))


def test_a_frame_has_one_row_per_rule():
    rules = RuleSet([age(0, 10, "child"), age(10, 99, frozenset({"x"}), 2)], AGE)
    for backend, kind, columns_of in (
        ("pandas", pd.DataFrame, lambda frame: frame.to_dict(orient="list")),
        ("polars", pl.DataFrame, lambda frame: frame.to_dict(as_series=False)),
        ("pyarrow", pa.Table, lambda frame: frame.to_pydict()),
    ):
        frame = rules.to_frame(backend)
        assert isinstance(frame, kind)
        assert columns_of(frame) == {
            "rule": [1, 2],
            "if": ["0 <= age < 10", "10 <= age < 99"],
            "then": ["child", "{x}"],
            "conditions": [1, 1],
            "weight": [1.0, 2.0],
        }
        assert len(RuleSet(space=AGE).to_frame(backend)) == 0
    assert len(rules.to_frame()) == 2
    message = "backend must be one of pandas, polars, pyarrow, got 'dask'"
    refuses(ConditionError, message, rules.to_frame, "dask")
