"""Hypothesis strategies for spaces, regions, rules and rule sets, and the number of examples.

Bounds come from a small grid, so that boxes often touch, coincide or nest.
"""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import settings
from hypothesis import strategies as st

import naive
from irenic import MISSING, OTHER, Categorical, Continuous, Region, Rule, RuleSet, Space
from irenic.model.literals import Months, Prefix

GRID = {
    "number": [-1.0, 0, 2.5, 5, 7],
    "integer": [-1, 0, 2.5, 3, 5],
    "date": [dt.date(2020, 1, d) for d in (1, 2, 15, 30)],
    "months": [Months(m) for m in (-1, 0, 12, 26)],
}
NAMES = ["f1", "low risk", "in", "a<b", 'say "hi"', "größe", "PT", "x.y"]
VALUES = ["a", "b c", "missing", "5", 5, 2.5, True, dt.date(2020, 1, 1), "{", ""]
VALUES += [Prefix("b"), Prefix("b ")]
WIDE = [f"v{i}" for i in range(70)]

# --- the example of the paper

PLANE = Space([Continuous("f1"), Continuous("f2")])
PAPER = RuleSet(
    [
        Rule({"f1": (2, 5), "f2": (5, 9)}, then="r1"),
        Rule({"f1": (6.5, 8.5), "f2": (5, 7)}, then="r2"),
        Rule({"f1": (1, 9), "f2": (1, 3)}, then="r3"),
    ],
    PLANE,
)


def examples(times):
    """Run a multiple of the profile's number of examples; below 1 for slow tests."""
    return settings(max_examples=max(1, round(times * settings().max_examples)))


def seeds(few, *, of):
    """Return seeds to parametrize a test with; all but the first few are marked as slow."""
    return [*range(few), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(few, of))]


# --- spaces


@st.composite
def continuous(draw, name):
    kind = draw(st.sampled_from(sorted(GRID)))
    whole = [b for b in GRID[kind] if kind != "integer" or b == int(b)]
    low = draw(st.sampled_from([None, None, *whole[:2]]))
    high = draw(st.sampled_from([None, None, *whole[-2:]]))
    return Continuous(name, kind=kind, bounds=(low, high), missing=draw(st.booleans()))


@st.composite
def categorical(draw, name, *, wide=False):
    listed = WIDE if wide else draw(st.permutations(VALUES))[: draw(st.integers(1, 4))]
    return Categorical(name, listed, missing=draw(st.booleans()), other=draw(st.booleans()))


@st.composite
def spaces(draw, max_features=3):
    names = draw(st.permutations(NAMES))[: draw(st.integers(1, max_features))]
    kinds = draw(
        st.sampled_from(["continuous", "categorical", "wide", "mixed", "mixed"]).map(
            lambda kind: ["continuous", "categorical"] if kind == "mixed" else [kind]
        )
    )
    features = []
    for i, name in enumerate(names):
        kind = draw(st.sampled_from(kinds))
        if kind == "continuous":
            features.append(draw(continuous(name)))
        else:  # only one wide category, because two would give a grid of 5,000 cells
            features.append(draw(categorical(name, wide=kind == "wide" and i == 0)))
    return Space(features)


# --- conditions


def possible(feature, operators):
    """Return whether any value that can occur satisfies the operators, by trying them all."""
    if isinstance(feature, Categorical):
        candidates = naive.axis(feature)
    else:
        bounds = [v for op, v in operators.items() if op != "missing"]
        cuts = [naive.number(feature, b) for b in bounds]
        if feature.kind == "integer":
            cuts += [float(round(c)) for c in cuts]
        candidates = [v for v in naive.axis(feature, cuts) if naive.shows(feature, v)]
    return any(naive.satisfies(operators, naive.decode(feature, v)) for v in candidates)


def interval_operators(feature):
    """Draw a condition on a continuous feature, possibly one that no value satisfies."""
    value = st.sampled_from(GRID[feature.kind])
    whole = st.sampled_from([v for v in GRID[feature.kind] if v != 2.5 or feature.kind == "number"])
    lower = st.sampled_from([">", ">="])
    upper = st.sampled_from(["<", "<="])
    return st.one_of(
        st.builds(lambda op, v: {op: v}, lower, value),
        st.builds(lambda op, v: {op: v}, upper, value),
        st.builds(lambda a, v, b, w: {a: v, b: w}, lower, value, upper, value),
        st.builds(lambda a, v, b, w: {a: v, b: w}, lower, value, upper, value),
        whole.map(lambda v: {"=": v}),
        st.builds(lambda op, v: {op: v, "missing": True}, upper, value),
        st.booleans().map(lambda flag: {"missing": flag}),
    )


def set_operators(feature):
    """Draw a condition on a categorical feature, possibly one that no value satisfies."""
    members = st.lists(
        st.sampled_from([*feature.values, MISSING, OTHER]), max_size=6, unique_by=repr
    )
    flags = st.fixed_dictionaries({}, optional={"missing": st.booleans(), "other": st.booleans()})
    tests = st.one_of(
        st.just({}),
        members.map(lambda m: {"in": m}),
        members.map(lambda m: {"not in": m}),
        st.sampled_from(feature.values).map(lambda v: {"=": v}),
    )
    return st.builds(lambda a, b: a | b, tests, flags).filter(bool)


def operators(feature):
    make = interval_operators if isinstance(feature, Continuous) else set_operators
    return make(feature)


@st.composite
def conditions(draw, space):
    """Draw satisfiable conditions on a random subset of the features."""
    chosen = {}
    for feature in space:
        if draw(st.booleans()):
            condition = draw(operators(feature))
            if possible(feature, condition):
                chosen[feature.name] = condition
    return chosen


@st.composite
def spaces_with_exclusions(draw, max_features=2):
    """Draw a space in which some combinations of values cannot occur."""
    space = draw(spaces(max_features))
    regions = st.builds(lambda found: Region(space, found), conditions(space))
    excluded = regions.filter(lambda region: region.simplified().n_conditions)
    return Space(space, impossible=draw(st.lists(excluded, max_size=3)))


# --- regions and rules


@st.composite
def regions(draw, space):
    return Region(space, draw(conditions(space)))


@st.composite
def regions_of_one_space(draw, n, max_features=3):
    space = draw(spaces(max_features))
    return [draw(regions(space)) for _ in range(n)]


@st.composite
def rules(draw, space):
    return Rule(
        draw(regions(space)),
        then=draw(st.sampled_from("ABC")),
        weight=draw(st.sampled_from([1.0, 1.0, 2.0, 0.5])),
    )


@st.composite
def rule_sets(draw, max_size=6, max_features=2, default=None, space=None):
    space = draw(spaces(max_features) if space is None else space)
    return RuleSet(draw(st.lists(rules(space), max_size=max_size)), space, default=default)


@st.composite
def consistent_rule_sets(draw, max_size=6, max_features=2, default=None):
    """Draw a set of rules, leaving out those that contradict an earlier one."""
    space = draw(spaces(max_features))
    kept: list[Rule] = []
    for rule in draw(st.lists(rules(space), max_size=max_size)):
        if not any(len(naive.pairs([rule, other], same=False)) for other in kept):
            kept.append(rule)
    return RuleSet(kept, space, default=default)
