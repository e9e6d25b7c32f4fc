"""Rules as values: construction, text form and errors."""

from __future__ import annotations

import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
import strategies as sts
from irenic import Categorical, ConditionError, Continuous, Region, Rule, Space
from refusals import refuses

SPACE = Space([Continuous("f1"), Categorical("color", ["yellow", "blue"])])


def test_a_mapping_makes_a_rule_in_an_inferred_space():
    rule = Rule({"f1": (2, 5), "color": {"yellow"}}, then="A")
    assert str(rule) == "IF 2 <= f1 < 5 AND color in {yellow} THEN A"
    assert rule.then == "A"
    assert rule.weight == 1.0
    assert rule.n_conditions == 2
    assert rule.region.space == Space(
        [Continuous("f1"), Categorical("color", ["yellow"], other=True)]
    )
    text = "IF 2 <= f1 < 5 AND color in {yellow} THEN A"
    rule = Rule.parse(text, SPACE)
    assert rule == Rule(Region(SPACE, {"f1": (2, 5), "color": "yellow"}), then="A")
    assert str(rule) == text
    assert Rule.parse("if f1 > 2 then 3 weight 0.5", SPACE).weight == 0.5


@given(st.data())
def test_rules_read_back_and_agree_unless_they_overlap_with_different_consequents(data):
    space = data.draw(sts.spaces())
    a, b = data.draw(sts.rules(space)), data.draw(sts.rules(space))
    assert Rule.parse(str(a), space) == a
    assert a.agrees_with(b) == b.agrees_with(a) == (naive.pairs([a, b], same=False) == [])


def test_hashable_consequents_survive_the_text_form():
    words = ["A", "two words", 'a "quoted" one', "then", 3, -2.5, True, ("a", 1)]
    sets = [frozenset({"x", "y"}), frozenset(), frozenset({("a",), frozenset({1})})]
    for then in [*words, *sets]:
        rule = Rule(Region(SPACE, {"f1": (2, 5)}), then=then)
        parsed = Rule.parse(str(rule), SPACE)
        assert parsed == rule
        assert parsed.then == then
        assert type(parsed.then) is type(then)
    inexact = Rule({"f1": (2, 5)}, then=Fraction(1, 3))  # has no text form
    assert str(inexact) == "IF 2 <= f1 < 5 THEN Fraction(1, 3)"


def test_sets_and_numpy_scalars_become_plain_hashable_values():
    region = Region(SPACE)
    assert Rule(region, then={"x", "y"}).then == frozenset({"x", "y"})
    assert type(Rule(region, then=np.int64(3)).then) is int
    assert type(Rule(region, then=np.str_("A")).then) is str
    assert type(Rule(region, then="A", weight=np.float32(2)).weight) is float
    assert Rule(region, then="A", weight=np.int64(2)).weight == 2.0


def test_an_invalid_rule_is_rejected():
    for message, (region, options) in {
        "region must be a Region or a mapping, got 'f1 < 5'": ("f1 < 5", {}),
        "region must not be empty": (Region.nothing(SPACE), {}),
        "a consequent must not be None, which means 'no prediction'": ({}, {"then": None}),
        r"a consequent must be hashable, got \['a'\] of type list; use a frozenset or a tuple": (
            {},
            {"then": ["a"]},
        ),
        "a head must map labels to True or False, got 1 for 'a'$": ({}, {"then": {"a": 1}}),
        "a consequent must equal itself, got nan": ({}, {"then": float("nan")}),
        "a consequent must be valid Unicode, got .* with a lone surrogate": (
            {},
            {"then": "\ud800"},
        ),
        "weight must be a number, got '2'": ({}, {"weight": "2"}),
        "weight must be a number, got True": ({}, {"weight": True}),
        "weight must be a number, got nan": ({}, {"weight": float("nan")}),
        "feature 'f1': the lower bound is above": ({"f1": (5, 2)}, {}),
        "feature 'f1': no value satisfies f1 >= 2 and f1 < 2": ({"f1": (2, 2)}, {}),
    }.items():
        refuses(ConditionError, message, Rule, region, **{"then": "A", **options})


def test_rules_are_immutable_values():
    region = Region(SPACE, {"f1": {"<=": 5}})
    rule = Rule(region, then="A")
    same = Rule(Region(SPACE, {"f1": {"<": np.nextafter(5, 6)}}), then="A")
    assert rule == same
    assert hash(rule) == hash(same)
    assert rule != Rule(region, then="B")
    assert rule != Rule(region, then="A", weight=2)
    assert rule != str(rule)
    assert len({rule, same, Rule(region, then="B")}) == 2
    rule = Rule({"f1": (2, 5)}, then="A")
    with pytest.raises(AttributeError, match="a Rule is immutable; create a new one"):
        rule.then = "B"
    rule = Rule(Region(SPACE, {"f1": {"<=": 5}}), then=frozenset({"x"}), weight=2)
    copy = pickle.loads(pickle.dumps(rule))
    assert copy == rule
    assert str(copy) == str(rule) == "IF f1 <= 5 THEN {x} WEIGHT 2"


def test_cast_moves_a_rule_to_another_space_by_feature_names():
    rule = Rule({"f1": {">": 2}}, then="A", weight=3)
    cast = rule.cast(SPACE)
    assert cast.region.space is SPACE
    assert str(cast) == "IF f1 > 2 THEN A WEIGHT 3"
    assert cast.cast(SPACE) is cast
