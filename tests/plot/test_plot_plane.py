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


@strategies.examples(0.4)
@given(planes())
def test_what_is_drawn_matches_a_brute_force_check_of_each_point(case):
    plt.close("all")  # an example that fails leaves its figure open
    rules, names, fixed = case
    at = {name: rules.space[name].decode_value(value) for name, value in fixed.items()}
    view = plane(source_of(rules), *names, at=at)
    looked = Looked(rules, fixed)
    uncovered = list(gaps(view.rules))
    row = {place: i for i, place in enumerate(view.places)}
    summary = summary_of(rules)
    ax = plot.regions(rules, names[0], names[1] if len(names) > 1 else None, at=at)
    for point in product(*(looked.axes[name] for name in names)):
        covering = [i for i in range(len(rules)) if looked.covers(i, names, point)]
        contradicted = looked.contradicted(names, point)
        assert covering == [
            place for place in view.places if naive.holds(view.rules[row[place]].region, point)
        ]
        assert any(naive.holds(gap, point) for gap in uncovered) == (not covering)
        assert any(naive.holds(rule.region, point) for rule in view.conflicts) == contradicted
        x, y = positions_of(summary, dict(zip(names, point, strict=True)))
        if x is None or y is None:
            continue
        assert [i for i in range(len(rules)) if is_drawn(ax, f"rule {i + 1}", x, y)] == covering
        assert is_drawn(ax, "gap", x, y) == (not covering)
        assert is_drawn(ax, "conflict", x, y) == contradicted


def test_the_features_that_most_rules_test_are_drawn():
    source = source_of(RULES)
    assert plane(source).names == ("age", "job")
    assert plane(source, y="age").names == ("job", "age")
    assert plane(source, at={"job": "nurse"}).names == ("age", "since")
    assert plane(source, "age", "job").projected == ["since"]
    assert plane(source, "age", "job", at={"since": None}).projected == []
    # only rules that hold at the fixed values are drawn
    assert plane(source, "age", "job", at={"since": dt.date(2021, 1, 1)}).places == [0]
    assert plane(source, "age", "since", at={"job": "clerk"}).places == [1]
    assert plane(source, "age", "since", at={"job": None}).places == [1]


def test_contradictions_of_sets_are_outlined_once():
    overlapping = [Rule({"a": (0, 5)}, then="x"), Rule({"a": (3, 9)}, then="y")]
    assert len(plane(source_of(RuleSet(overlapping))).conflicts) == 1
    assert len(plane(source_of(RuleList(overlapping))).conflicts) == 0
    nested = RuleSet(
        [
            Rule({"a": (0, 9)}, then="x"),
            Rule({"a": (0, 9), "b": (0, 1)}, then="y"),
            Rule({"a": (2, 3), "b": (0, 1)}, then="z"),
        ],
    )
    (outlined,) = plane(source_of(nested), "a", "b").conflicts
    assert str(outlined.region) == "0 <= a < 9 and 0 <= b < 1"


FIXED = {"age": 1, "job": None, "since": None, "town": "here"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("agee",), "x: unknown feature 'agee'; did you mean 'age'?"),
        ((None, "jobs"), "y: unknown feature 'jobs'; did you mean 'job'?"),
        ((3,), r"x: unknown feature 3 \(known: 'age', 'job', 'since', 'town'\)"),
        ((["age"],), r"x: unknown feature \['age'\]"),
        (("age", "age"), "x and y are both 'age'; a plane has two features"),
        (("age", "job", {"age": 3}), "at fixes 'age', which is drawn along x; leave out one"),
        (("age", "job", {"job": "clerk"}), "at fixes 'job', which is drawn along y"),
        (("age", "job", {"sinc": 1}), "at: unknown feature 'sinc'; did you mean 'since'?"),
        (("age", "job", 7), r"at is a mapping \{feature: value\}, not 7"),
        ((None, None, FIXED), "there is no feature to draw the rules along"),
        # values that cannot occur
        ((None, None, {"age": 121}), "at: feature 'age': 121 is outside its bounds"),
        ((None, None, {"age": None}), "at: feature 'age': None is never missing"),
        ((None, None, {"age": "old"}), "feature 'age': 'old' is not a number"),
        ((None, None, {"since": "soon"}), "feature 'since': 'soon' is not a date"),
        ((None, None, {"job": "nurs"}), "at: feature 'job' has no value 'nurs'; did you mean 'nur"),
        ((None, None, {"town": None}), "at: feature 'town' is never missing"),
    ],
)
def test_invalid_features_and_values_are_rejected(arguments, message):
    with pytest.raises((ConditionError, DataError), match=message) as caught:
        plane(source_of(RULES), *arguments)
    is_value = arguments[:2] == (None, None) and arguments[2] is not FIXED
    assert isinstance(caught.value, DataError) == is_value


def test_values_have_readable_texts():
    age, job, since, town = RULES.space
    day = Continuous("d", kind="date").encode_value("2020-05-01")
    there = plane(source_of(RULES), at={"town": "there"}).fixed["town"]
    for feature, value, text in (
        (age, 20500.0, "20500"),
        (age, 1 / 3, "0.3333"),
        (job, 2, "nurse"),
        (since, day, "2020-05-01"),
        (since, float("-inf"), "missing"),
        (town, there, "any other value"),
    ):
        assert value_text(feature, value) == text
