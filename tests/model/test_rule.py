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
from irenic import Categorical, ConditionError, Continuous, FormatError, Region, Rule, Space

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


def test_parsed_text_equals_a_rule_with_a_region():
    text = "IF 2 <= f1 < 5 AND color in {yellow} THEN A"
    rule = Rule.parse(text, SPACE)
    assert rule == Rule(Region(SPACE, {"f1": (2, 5), "color": "yellow"}), then="A")
    assert str(rule) == text
    assert Rule.parse("if f1 > 2 then 3 weight 0.5", SPACE).weight == 0.5


@given(st.data())
def test_the_text_of_a_rule_parses_to_the_same_rule(data):
    space = data.draw(sts.spaces())
    rule = data.draw(sts.rules(space))
    assert Rule.parse(str(rule), space) == rule


@pytest.mark.parametrize(
    "then",
    [
        "A",
        "two words",
        'a "quoted" one',
        "then",
        3,
        -2.5,
        True,
        ("a", 1),
        frozenset({"x", "y"}),
        frozenset(),
        frozenset({("a",), frozenset({1})}),
    ],
)
def test_hashable_consequents_survive_the_text_form(then):
    rule = Rule(Region(SPACE, {"f1": (2, 5)}), then=then)
    parsed = Rule.parse(str(rule), SPACE)
    assert parsed == rule
    assert parsed.then == then
    assert type(parsed.then) is type(then)


def test_sets_and_numpy_scalars_become_plain_hashable_values():
    region = Region(SPACE)
    assert Rule(region, then={"x", "y"}).then == frozenset({"x", "y"})
    assert type(Rule(region, then=np.int64(3)).then) is int
    assert type(Rule(region, then=np.str_("A")).then) is str
    assert type(Rule(region, then="A", weight=np.float32(2)).weight) is float
    assert Rule(region, then="A", weight=np.int64(2)).weight == 2.0


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: Rule("f1 < 5", then="A"),
            "region must be a Region or a mapping, got 'f1 < 5'",
        ),
        (lambda: Rule(Region.nothing(SPACE), then="A"), "region must not be empty"),
        (lambda: Rule({}, then=None), "a consequent must not be None, which means 'no prediction'"),
        (
            lambda: Rule({}, then=["a"]),
            r"a consequent must be hashable, got \['a'\] of type list; use a frozenset or a tuple",
        ),
        (
            lambda: Rule({}, then={"a": 1}),
            "a head must map labels to True or False, got 1 for 'a'$",
        ),
        (lambda: Rule({}, then=float("nan")), "a consequent must equal itself, got nan"),
        (
            lambda: Rule({}, then="\ud800"),
            "a consequent must be valid Unicode, got .* with a lone surrogate",
        ),
        (lambda: Rule({}, then="A", weight="2"), "weight must be a number, got '2'"),
        (lambda: Rule({}, then="A", weight=True), "weight must be a number, got True"),
        (lambda: Rule({}, then="A", weight=float("nan")), "weight must be a number, got nan"),
        (lambda: Rule({"f1": (5, 2)}, then="A"), "feature 'f1': the lower bound is above"),
        (
            lambda: Rule({"f1": (2, 2)}, then="A"),
            "feature 'f1': no value satisfies f1 >= 2 and f1 < 2",
        ),
    ],
)
def test_an_invalid_rule_is_rejected(make, message):
    with pytest.raises(ConditionError, match=message):
        make()


def test_an_error_in_text_names_the_column():
    with pytest.raises(FormatError, match="column 15: the conditions on 'f1' exclude each other"):
        Rule.parse("IF f1 < 2 AND f1 > 5 THEN A", SPACE)


def test_rules_with_equal_region_consequent_and_weight_are_equal():
    region = Region(SPACE, {"f1": {"<=": 5}})
    rule = Rule(region, then="A")
    same = Rule(Region(SPACE, {"f1": {"<": np.nextafter(5, 6)}}), then="A")
    assert rule == same
    assert hash(rule) == hash(same)
    assert rule != Rule(region, then="B")
    assert rule != Rule(region, then="A", weight=2)
    assert rule != str(rule)
    assert len({rule, same, Rule(region, then="B")}) == 2


def test_a_rule_is_immutable():
    rule = Rule({"f1": (2, 5)}, then="A")
    with pytest.raises(AttributeError, match="a Rule is immutable; create a new one"):
        rule.then = "B"


def test_pickling_keeps_the_notation_of_bounds():
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


@given(st.data())
def test_rules_agree_unless_they_overlap_with_different_consequents(data):
    space = data.draw(sts.spaces())
    a, b = data.draw(sts.rules(space)), data.draw(sts.rules(space))
    assert a.agrees_with(b) == b.agrees_with(a) == (naive.pairs([a, b], same=False) == [])


def test_html_escapes_names_and_consequents():
    html = Rule({"<b>": (2, 5)}, then="<script>")._repr_html_()
    assert "<b>" not in html
    assert "<script>" not in html
    assert "&lt;script&gt;" in html


def test_a_consequent_without_a_text_form_is_shown_as_its_repr():
    assert str(Rule({"f1": (2, 5)}, then=Fraction(1, 3))) == "IF 2 <= f1 < 5 THEN Fraction(1, 3)"
