"""Rule sets counted on blocks of rows: by bitmaps as row by row, whatever the blocks are."""

from __future__ import annotations

from dataclasses import fields, replace
from functools import reduce
from itertools import pairwise
from operator import add
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irenic import Categorical, Continuous, Rule, RuleSet, Space
from irenic.learn import tally
from irenic.learn.default_regions import reason_rules
from irenic.learn.sample import Sample
from irenic.learn.tally import Counting, Uncounted
from irenic.learn.target import Consequents, Target

SPACE = Space(
    [
        Continuous("a", missing=True),
        Continuous("b"),
        Categorical("c", ["x", "y", "z"], missing=True, other=True),
    ]
)
LABELS = np.array(["no", "perhaps", "yes"])


def rules_of(rng, n):
    """Return rules that do not contradict each other; those of one label may overlap."""
    rules = RuleSet([], SPACE, default=str(rng.choice(LABELS)))
    for _ in range(n):
        low = float(rng.integers(0, 8))
        conditions = {
            "a": (low, low + float(rng.integers(1, 5))),
            "c": set(rng.choice(["x", "y", "z"], int(rng.integers(1, 3)), replace=False).tolist()),
        }
        if rng.random() < 0.5:
            conditions["b"] = (None, float(rng.integers(1, 6)))
        rule = Rule(conditions, then=str(rng.choice(LABELS)))
        if not len(rules.rivals_of(rule.cast(SPACE).region, rule.then)):
            rules.add(rule)
    return rules


def block_of(rng, n, weight=None):
    table = {
        "a": np.where(rng.random(n) < 0.1, np.nan, rng.integers(0, 10, n)),
        "b": rng.integers(0, 6, n),
        "c": rng.choice(np.array(["x", "y", "z", "w", None], dtype=object), n),
    }
    codes = rng.integers(0, 3, n)
    weight = np.ones(n) if weight is None else np.asarray(weight, dtype=float)[codes]
    return Sample.of(SPACE.encode(table), Target.single(LABELS, codes), weight)


def counted(seed, n, n_rules=5):
    """Return a block, rules, and how to count them."""
    rng = np.random.default_rng(seed)
    block, rules = block_of(rng, n), rules_of(rng, n_rules)
    return block, rules, Consequents.from_target(block.target, block.weight, [])


def regions_of():
    parts = [{"a": (None, 4)}, {"a": (4, 7), "b": (0, 3)}, {"a": (7, None)}]
    return RuleSet([Rule(part, then=i) for i, part in enumerate(parts)], SPACE)


def check_equal(first, second):
    for field in fields(first):
        expected, got = getattr(first, field.name), getattr(second, field.name)
        if field.name == "columns":
            continue
        assert np.shape(expected) == np.shape(got), field.name
        assert got == pytest.approx(expected), field.name


@given(st.booleans(), st.integers(0, 10_000), st.sampled_from([None, [1, 1, 1], [2.0, 0.5, 3.0]]))
def test_bitmaps_count_as_rows_do(abstains, seed, weight):
    rng = np.random.default_rng(seed)
    block = block_of(rng, int(rng.integers(1, 300)), weight)
    sets = [rules_of(rng, 6), RuleSet([], SPACE, default="no"), rules_of(rng, 3)]
    if abstains:
        sets.append(RuleSet(list(sets[0]), SPACE))
    consequents = Consequents.from_target(block.target, block.weight, [], abstains=abstains)
    drafts = [
        Uncounted(rules, consequents, reasons=reason_rules(rules, block.instances))
        for rules in sets
    ]
    for factors in (None, np.array([1.0, 2.0, 0.25])):
        for regions in (None, regions_of()):
            counting = Counting(factors=factors, regions=regions)
            rows = replace(counting, by_bits=False).tallies(drafts, block)
            for few in (100, 1):  # with a bitmap per value, and without
                with mock.patch.object(tally, "_FEW_VALUES", few):
                    bits = counting._by_bits(drafts, block)
                assert bits is not None
                for one, other in zip(rows, bits, strict=True):
                    check_equal(one, other)


def test_counts_are_those_of_a_loop_over_rows():
    block, rules, consequents = counted(3, 200, 6)
    reasons = reason_rules(rules, block.instances)
    sums = Counting().tallies([Uncounted(rules, consequents, reasons=reasons)], block)[0]
    mix = np.zeros((len(rules) + 1, 3))
    right = 0
    for row in range(200):
        covering = [i for i, rule in enumerate(rules) if rule.region.contains(block.instances)[row]]
        for i in covering or [len(rules)]:
            mix[i, block.target.codes[row]] += 1
        then = rules[covering[0]].then if covering else rules.default
        right += then == LABELS[block.target.codes[row]]
    assert sums.mix.tolist() == mix.tolist()
    assert sums.support.tolist() == mix.sum(axis=1).tolist()
    assert sums.gain == right
    assert sums.covered == 200 - mix[-1].sum()
    # regions of the default are counted with its rows
    right = rules.default == LABELS[block.target.codes]
    inside = [rule.region.contains(block.instances) for rule in reasons]
    assert sums.reasons.tolist() == [[rows.sum(), (rows & right).sum()] for rows in inside]


@given(st.integers(0, 10_000), st.integers(1, 4))
def test_sums_do_not_depend_on_blocks(seed, parts):
    rng = np.random.default_rng(seed)
    block = block_of(rng, 211)
    sets = [rules_of(rng, 5), rules_of(rng, 2)]
    consequents = Consequents.from_target(block.target, block.weight, [])
    drafts = [Uncounted(rules, consequents) for rules in sets]
    counting = Counting(regions=regions_of())
    whole = counting.tallies(drafts, block)
    edges = np.linspace(0, 211, parts + 1).astype(int).tolist()
    found = [counting.tallies(drafts, block.take(slice(a, b))) for a, b in pairwise(edges)]
    for i, sums in enumerate(whole):
        check_equal(sums, reduce(add, (part[i] for part in found)))


def test_large_and_empty_blocks(monkeypatch):
    block, rules, consequents = counted(0, 500)
    drafts, counting = [Uncounted(rules, consequents)], Counting()
    whole = counting.tallies(drafts, block)[0]
    none = counting.tallies(drafts, block.take(slice(0, 0)))[0]
    assert none.rows == 0
    check_equal(whole, none + whole)
    monkeypatch.setattr(tally, "BLOCK", 64)
    monkeypatch.setattr(tally, "_PRODUCTS", 100)
    check_equal(whole, counting.tallies(drafts, block)[0])
    check_equal(whole, replace(counting, by_bits=False).tallies(drafts, block)[0])


def test_weights_that_differ_within_a_label_are_counted_row_by_row():
    block, rules, _ = counted(0, 100)
    block = Sample.of(block.instances, block.target, np.random.default_rng(0).random(100))
    drafts = [Uncounted(rules, Consequents.from_target(block.target, block.weight, []))]
    assert Counting()._by_bits(drafts, block) is None
    assert Counting().tallies(drafts, block)[0].row_weight == pytest.approx(block.weight.sum())
