"""Rules as values: what they are made of, their text, what is refused."""

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


def test_a_mapping_makes_a_rule_in_a_space_of_its_own():
    rule = Rule({"f1": (2, 5), "color": {"yellow"}}, then="A")
    assert str(rule) == "IF 2 <= f1 < 5 AND color in {yellow} THEN A"
    assert rule.then == "A"
    assert rule.weight == 1.0
    assert rule.n_conditions == 2
    assert rule.region.space == Space(
        [Continuous("f1"), Categorical("color", ["yellow"], other=True)]
    )


def test_text_makes_the_same_rule_as_a_region():
    text = "IF 2 <= f1 < 5 AND color in {yellow} THEN A"
    rule = Rule.parse(text, SPACE)
    assert rule == Rule(Region(SPACE, {"f1": (2, 5), "color": "yellow"}), then="A")
    assert str(rule) == text
    assert Rule.parse("if f1 > 2 then 3 weight 0.5", SPACE).weight == 0.5


@given(st.data())
def test_the_text_of_a_rule_reads_back_as_the_same_rule(data):
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
def test_any_hashable_value_is_a_consequent_and_reads_back(then):
    rule = Rule(Region(SPACE, {"f1": (2, 5)}), then=then)
    again = Rule.parse(str(rule), SPACE)
    assert again == rule
    assert again.then == then
    assert type(again.then) is type(then)


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
            "antecedent is a Region or a mapping, not 'f1 < 5'",
        ),
        (lambda: Rule(Region.nothing(SPACE), then="A"), "the region of the rule is empty"),
        (lambda: Rule({}, then=None), "a consequent is not None, which stands for 'no prediction'"),
        (
            lambda: Rule({}, then=["a"]),
            "of type list is not hashable; use a frozenset or a tuple",
        ),
        (lambda: Rule({}, then={"a": 1}), "the consequent {'a': 1} of type dict is not hashable$"),
        (lambda: Rule({}, then=float("nan")), "the consequent nan does not equal itself"),
        (lambda: Rule({}, then="\ud800"), "is not valid Unicode"),
        (lambda: Rule({}, then="A", weight="2"), "a rule's weight is a number, not '2'"),
        (lambda: Rule({}, then="A", weight=True), "a rule's weight is a number, not True"),
        (lambda: Rule({}, then="A", weight=float("nan")), "a rule's weight is a number, not nan"),
        (lambda: Rule({"f1": (5, 2)}, then="A"), "feature 'f1': the lower bound is above"),
        (
            lambda: Rule({"f1": (2, 2)}, then="A"),
            "feature 'f1': no value satisfies f1 >= 2 and f1 < 2",
        ),
    ],
)
def test_what_cannot_be_a_rule_is_refused_by_name(make, message):
    with pytest.raises(ConditionError, match=message):
        make()


def test_text_that_contradicts_itself_is_refused_with_its_column():
    with pytest.raises(FormatError, match="column 15: the conditions on 'f1' exclude each other"):
        Rule.parse("IF f1 < 2 AND f1 > 5 THEN A", SPACE)


def test_rules_are_equal_by_region_consequent_and_weight():
    region = Region(SPACE, {"f1": {"<=": 5}})
    rule = Rule(region, then="A")
    same = Rule(Region(SPACE, {"f1": {"<": np.nextafter(5, 6)}}), then="A")
    assert rule == same
    assert hash(rule) == hash(same)
    assert rule != Rule(region, then="B")
    assert rule != Rule(region, then="A", weight=2)
    assert rule != str(rule)
    assert len({rule, same, Rule(region, then="B")}) == 2


def test_a_rule_cannot_be_changed():
    rule = Rule({"f1": (2, 5)}, then="A")
    with pytest.raises(AttributeError, match="a Rule is immutable; make a new one"):
        rule.then = "B"


def test_a_rule_pickles_with_the_bounds_as_written():
    rule = Rule(Region(SPACE, {"f1": {"<=": 5}}), then=frozenset({"x"}), weight=2)
    again = pickle.loads(pickle.dumps(rule))
    assert again == rule
    assert str(again) == str(rule) == "IF f1 <= 5 THEN {x} WEIGHT 2"


def test_casting_moves_a_rule_to_another_space_by_name():
    rule = Rule({"f1": {">": 2}}, then="A", weight=3)
    moved = rule.cast(SPACE)
    assert moved.region.space is SPACE
    assert str(moved) == "IF f1 > 2 THEN A WEIGHT 3"
    assert moved.cast(SPACE) is moved


@given(st.data())
def test_rules_agree_unless_they_share_a_cell_and_differ(data):
    space = data.draw(sts.spaces())
    a, b = data.draw(sts.rules(space)), data.draw(sts.rules(space))
    assert a.agrees_with(b) == b.agrees_with(a) == (naive.pairs([a, b], same=False) == [])


def test_html_escapes_names_and_consequents():
    shown = Rule({"<b>": (2, 5)}, then="<script>")._repr_html_()
    assert "<b>" not in shown
    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown


def test_a_consequent_without_a_text_form_is_shown_by_its_repr():
    assert str(Rule({"f1": (2, 5)}, then=Fraction(1, 3))) == "IF 2 <= f1 < 5 THEN Fraction(1, 3)"
