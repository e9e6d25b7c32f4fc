"""Rules projected to a plane, compared with a brute-force check of single values."""

from __future__ import annotations

import datetime as dt
import math
from itertools import combinations, product

import matplotlib.pyplot as plt
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
import strategies
from irenic import (
    Categorical,
    ConditionError,
    Continuous,
    DataError,
    Region,
    Rule,
    RuleList,
    RuleSet,
    Space,
    gaps,
    plot,
)
from irenic.plot._plane import plane, value_text
from irenic.plot._source import source_of, summary_of
from pictures import holds as is_drawn
from pictures import positions_of

SPACE = Space(
    [
        Continuous("age", bounds=(0, 120)),
        Categorical("job", ["nurse", "clerk"], missing=True),
        Continuous("since", kind="date", missing=True),
        Categorical("town", ["here"], other=True),
    ]
)
RULES = RuleSet(
    [
        Rule(Region(SPACE, {"age": {"<": 30}, "job": {"nurse"}}), then="low"),
        Rule(Region(SPACE, {"age": {">=": 20}, "since": {"<": dt.date(2020, 1, 1)}}), then="high"),
    ],
    SPACE,
)


class Looked:
    """Rules in a plane, from the values that each rule admits for each feature."""

    def __init__(self, rules, fixed):
        regions = [rule.region for rule in rules]
        self.axes = dict(zip(rules.space.names, naive.grid(rules.space, regions), strict=True))
        for name, value in fixed.items():
            self.axes[name] = [value]
        features = {feature.name: feature for feature in rules.space}
        self.admitted = [
            {
                name: {v for v in axis if naive.allows(region, features[name], v)}
                for name, axis in self.axes.items()
            }
            for region in regions
        ]
        self.thens = [rule.then for rule in rules]

    def points(self, names):
        return product(*(self.axes[name] for name in names))

    def covers(self, index, names, point):
        """Return whether a rule holds at a point for at least one value of the other features."""
        values = self.admitted[index]
        return all(values.values()) and all(
            v in values[n] for n, v in zip(names, point, strict=True)
        )

    def contradicted(self, names, point):
        for a, b in combinations(range(len(self.admitted)), 2):
            both = {name: self.admitted[a][name] & self.admitted[b][name] for name in self.axes}
            here = all(v in both[n] for n, v in zip(names, point, strict=True))
            if self.thens[a] != self.thens[b] and here and all(both.values()):
                return True
        return False


@st.composite
def planes(draw):
    rules = draw(strategies.rule_sets(max_size=4, max_features=3))
    names = draw(st.permutations(rules.space.names))
    fixed = {}
    regions = [rule.region for rule in rules]
    axes = dict(zip(rules.space.names, naive.grid(rules.space, regions), strict=True))
    for name in names[2:]:
        if draw(st.booleans()):
            shown = [v for v in axes[name] if v == -math.inf or abs(v) <= 2**53]
            fixed[name] = draw(st.sampled_from(shown))
    return rules, tuple(names[:2]), fixed


def point_of(rules, fixed):
    return {name: rules.space[name].decode_value(value) for name, value in fixed.items()}


@strategies.examples(0.5)
@given(planes())
def test_covered_and_contradicted_points_match_the_brute_force_check(case):
    rules, names, fixed = case
    view = plane(source_of(rules), *names, at=point_of(rules, fixed))
    looked = Looked(rules, fixed)
    uncovered = list(gaps(view.rules))
    row = {place: i for i, place in enumerate(view.places)}
    for point in looked.points(names):
        covering = [i for i in range(len(rules)) if looked.covers(i, names, point)]
        drawn = [
            place for place in view.places if naive.holds(view.rules[row[place]].region, point)
        ]
        assert drawn == covering
        assert any(naive.holds(gap, point) for gap in uncovered) == (not covering)
        outlined = any(naive.holds(rule.region, point) for rule in view.conflicts)
        assert outlined == looked.contradicted(names, point)


@strategies.examples(0.25)
@given(planes())
def test_patches_contain_the_points_of_rules_gaps_and_conflicts(case):
    plt.close("all")  # an example that fails leaves its figure open
    rules, names, fixed = case
    summary = summary_of(rules)
    looked = Looked(rules, fixed)
    second = names[1] if len(names) > 1 else None
    ax = plot.regions(rules, names[0], second, at=point_of(rules, fixed))
    ax.figure.canvas.draw()
    for point in looked.points(names):
        x, y = positions_of(summary, dict(zip(names, point, strict=True)))
        if x is None or y is None:
            continue
        covering = [i for i in range(len(rules)) if looked.covers(i, names, point)]
        assert [i for i in range(len(rules)) if is_drawn(ax, f"rule {i + 1}", x, y)] == covering
        assert is_drawn(ax, "gap", x, y) == (not covering)
        assert is_drawn(ax, "conflict", x, y) == looked.contradicted(names, point)
    plt.close(ax.figure)


def test_the_features_that_most_rules_test_are_drawn():
    assert plane(source_of(RULES)).names == ("age", "job")
    assert plane(source_of(RULES), y="age").names == ("job", "age")
    assert plane(source_of(RULES), at={"job": "nurse"}).names == ("age", "since")


def test_other_features_that_rules_test_are_projected():
    assert plane(source_of(RULES), "age", "job").projected == ["since"]
    assert plane(source_of(RULES), "age", "job", at={"since": None}).projected == []


def test_only_rules_that_hold_at_the_fixed_values_are_drawn():
    at = {"since": dt.date(2021, 1, 1)}
    assert plane(source_of(RULES), "age", "job", at=at).places == [0]
    assert plane(source_of(RULES), "age", "since", at={"job": "clerk"}).places == [1]
    assert plane(source_of(RULES), "age", "since", at={"job": None}).places == [1]


def test_ordered_rules_have_no_contradictions():
    overlapping = [Rule({"a": (0, 5)}, then="x"), Rule({"a": (3, 9)}, then="y")]
    assert len(plane(source_of(RuleSet(overlapping))).conflicts) == 1
    assert len(plane(source_of(RuleList(overlapping))).conflicts) == 0


def test_nested_contradictions_are_outlined_once():
    rules = RuleSet(
        [
            Rule({"a": (0, 9)}, then="x"),
            Rule({"a": (0, 9), "b": (0, 1)}, then="y"),
            Rule({"a": (2, 3), "b": (0, 1)}, then="z"),
        ],
    )
    (outlined,) = plane(source_of(rules), "a", "b").conflicts
    assert str(outlined.region) == "0 <= a < 9 and 0 <= b < 1"


@pytest.mark.parametrize(
    ("x", "y", "at", "message"),
    [
        ("agee", None, None, "x: unknown feature 'agee'; did you mean 'age'?"),
        (None, "jobs", None, "y: unknown feature 'jobs'; did you mean 'job'?"),
        (3, None, None, r"x: unknown feature 3 \(known: 'age', 'job', 'since', 'town'\)"),
        (["age"], None, None, r"x: unknown feature \['age'\]"),
        ("age", "age", None, "x and y are both 'age'; a plane has two features"),
        ("age", "job", {"age": 3}, "at fixes 'age', which is drawn along x; leave out one"),
        ("age", "job", {"job": "clerk"}, "at fixes 'job', which is drawn along y"),
        ("age", "job", {"sinc": None}, "at: unknown feature 'sinc'; did you mean 'since'?"),
        ("age", "job", 7, r"at is a mapping \{feature: value\}, not 7"),
        (
            None,
            None,
            {"age": 1, "job": None, "since": None, "town": "here"},
            "there is no feature to draw the rules along",
        ),
    ],
)
def test_invalid_features_are_rejected(x, y, at, message):
    with pytest.raises(ConditionError, match=message):
        plane(source_of(RULES), x, y, at)


@pytest.mark.parametrize(
    ("at", "message"),
    [
        ({"age": 121}, "at: feature 'age': 121 is outside its bounds"),
        ({"age": None}, "at: feature 'age': None is never missing"),
        ({"age": "old"}, "feature 'age': 'old' is not a number"),
        ({"since": "soon"}, "feature 'since': 'soon' is not a date"),
        ({"job": "nurs"}, "at: feature 'job' has no value 'nurs'; did you mean 'nurse'?"),
        ({"town": None}, "at: feature 'town' is never missing"),
    ],
)
def test_values_that_cannot_occur_are_rejected(at, message):
    with pytest.raises(DataError, match=message):
        plane(source_of(RULES), at=at)


def test_values_have_readable_texts():
    age, job, since, town = RULES.space
    assert value_text(age, 20500.0) == "20500"
    assert value_text(age, 1 / 3) == "0.3333"
    assert value_text(job, 2) == "nurse"
    assert (
        value_text(since, Continuous("d", kind="date").encode_value("2020-05-01")) == "2020-05-01"
    )
    assert value_text(since, float("-inf")) == "missing"
    assert value_text(town, plane(source_of(RULES), at={"town": "there"}).fixed["town"]) == (
        "any other value"
    )
