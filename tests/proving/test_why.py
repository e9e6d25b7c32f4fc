"""Reasons and counterfactuals, compared with every cell of the grid."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import combinations

import property_grid as oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_properties import tables

import naive
import strategies as sts
from irenic import (
    BudgetError,
    Categorical,
    ConditionError,
    ConflictError,
    Continuous,
    DecisionTable,
    Region,
    Rule,
    RuleList,
    RuleSet,
    Space,
)
from irenic.learn import predict_table
from irenic.model.features import MISSING_CODE
from irenic.proving import counterfactual, why
from irenic.searching.reasons import around


@given(st.data())
def test_a_reason_holds_around_the_case(data):
    """The outcome is the same everywhere in the region of a reason, and it contains the case."""
    space = data.draw(sts.spaces(2))
    table = data.draw(tables(space))
    case = data.draw(sts.regions(space)).witness()
    reason = why(table, case)
    assert case in reason.region
    cells = oracle.cells_of(space, reason.region, *(rule.region for rule in table.rules))
    found = {oracle.outcome(table, cell) for cell in cells if naive.holds(reason.region, cell)}
    outcome = tuple(reason.outcome) if isinstance(reason.outcome, list) else reason.outcome
    assert found == {outcome}
    if not reason.rules:
        rivals = [rule for rule in table.rules if rule.then != table.rules.default]
        assert not any(rule.region.overlaps(reason.region) for rule in rivals)


@given(st.data())
def test_there_is_one_reason_with_the_fewest_conditions(data):
    """Library, explanations and columns name one region; no set of fewer features is enough."""
    space = data.draw(sts.spaces_with_exclusions(3))
    table = data.draw(tables(space, [None, "FIRST", "PRIORITY"]))
    case = data.draw(sts.regions(space)).witness()
    reason = why(table, case)
    n_conditions = reason.region.simplified().n_conditions
    assert n_conditions == fewest_conditions(table, space.encode_point(case))
    if table.hit_policy != "PRIORITY":  # which no list has
        rules = table.as_rules()
        explained = rules.explain([case])[0]
        assert explained.rules[: len(reason.rules)] == reason.rules
        column = predict_table(rules, [case], explain=True)["rule"][0]
        assert region_in(explained.text, space) == reason.region
        if reason.rules or rules.default is not None:
            assert region_in(column, space) == reason.region


def region_in(text, space):
    """Return the region that the text of an explanation names, anything if it names none."""
    text = re.sub(r" \(and by rule.*| \(against rule.*|: no rule.*", "", text)
    if "IF" in text:
        return Rule.parse(text[text.index("IF") :], space).region
    return Region.parse(text.partition("because ")[2] or "anything", space)


def fewest_conditions(table, point):
    """Return how many features must be tested so that no rule that would win can hold."""
    space, rules = table.space, list(table.rules)
    own, regions = cell_of(space, point), [rule.region for rule in rules]
    regions.append(Region.from_box(around(point)))
    cells = [
        cell
        for cell in oracle.cells_of(
            space, Region.from_box(around(point)), *(r.region for r in rules)
        )
        if not any(naive.holds(region, cell) for region in space.impossible)
    ]
    holding, tested = naive.covering(rules, own), frozenset()
    stronger = [
        rule for rule in rules if table.rules.default is None or rule.then != table.rules.default
    ]
    if holding:
        order = (
            table.winning
            if table.is_ordered
            else sorted(range(len(rules)), key=lambda i: rules[i].region.n_conditions)
        )
        by = min(holding, key=order.index)
        tested = frozenset(rules[by].region.simplified().conditions())
        stronger = [rules[i] for i in order[: order.index(by)]] if table.is_ordered else []
        stronger = [rule for rule in stronger if rule.then != rules[by].then]
        cells = [cell for cell in cells if naive.holds(rules[by].region, cell)]
    for n in range(len(space) + 1):
        for added in combinations(range(len(space)), n):
            names = tested | {space.names[i] for i in added}
            alike = [
                cell
                for cell in cells
                if all(cell[i] == own[i] for i, name in enumerate(space.names) if name in names)
            ]
            if not any(naive.holds(rule.region, cell) for rule in stronger for cell in alike):
                return len(names)
    raise AssertionError("a rule that would win holds for the case itself")


@given(st.data())
def test_a_counterfactual_changes_as_few_features_as_possible(data):
    space = data.draw(sts.spaces(2))
    table = data.draw(tables(space))
    case = data.draw(sts.regions(space)).witness()
    fixed = data.draw(st.sets(st.sampled_from(space.names), max_size=1))
    cells = oracle.cells_of(space, *(rule.region for rule in table.rules))
    own = cell_of(space, space.encode_point(case))
    now = oracle.outcome(table, own)
    free = [i for i, name in enumerate(space.names) if name not in fixed]
    missing = data.draw(st.booleans())
    nothing = [-float("inf") if isinstance(f, Continuous) else MISSING_CODE for f in space]
    if not missing:
        cells = [
            cell
            for cell in cells
            if not any(new == no != old for new, no, old in zip(cell, nothing, own, strict=True))
        ]
    fewest = fewest_changes(table, cells, own, now, free)
    change = counterfactual(table, case, fixed=fixed, missing=missing)
    assert (change is None) is (fewest is None)
    if change is not None:
        assert len(change.changes) == fewest
        assert not fixed & change.changes.keys()
        new = case | {name: value for name, (_, value) in change.changes.items()}
        assert missing or all(value is not None for _, value in change.changes.values())
        assert table.predict([new])[0] == change.outcome
        assert change.outcome != (list(now) if isinstance(now, tuple) else now)


def cell_of(space, point):
    """Return the cell that an encoded case is in."""
    return tuple(
        float(point.values[space.row(f.name), 0])
        if isinstance(f, Continuous)
        else int(point.codes[space.row(f.name), 0])
        for f in space
    )


def fewest_changes(table, cells, own, now, free):
    """Return how many features must change; cells stand for all values between two bounds."""
    for n in range(1, len(free) + 1):
        for changed in combinations(free, n):
            for cell in cells:
                mixed = tuple(cell[i] if i in changed else own[i] for i in range(len(own)))
                if oracle.outcome(table, mixed) != now:
                    return n
    return None


LOANS = RuleList(
    [
        Rule({"age": (None, 18)}, then="no"),
        Rule({"debt": (None, 100), "job": {"cook", "nurse"}}, then="yes"),
    ],
    Space(
        [
            Continuous("age", kind="integer"),
            Continuous("debt"),
            Categorical("job", ["cook", "nurse", "none"]),
        ]
    ),
    default="ask",
)


def test_reasons_in_words():
    cases = [
        {"age": 9, "debt": 0, "job": "none"},
        {"age": 40, "debt": 0, "job": "cook"},
        {"age": 40, "debt": 500, "job": "none"},
    ]
    assert [str(why(LOANS, case)) for case in cases] == [
        "no, by rule 1, because age < 18",
        "yes, by rule 2, because age >= 18 and debt < 100 and job in {cook, nurse}",
        "ask, by default, because age >= 18 and debt >= 100",
    ]
    bare = RuleSet([Rule({"age": (None, 18)}, then="no")])
    assert str(why(bare, {"age": 20})) == (
        "nothing is decided, because age >= 18: no rule covers these cases"
    )


def test_the_nearest_of_several_changes():
    case = {"age": 40, "debt": 150, "job": "cook"}
    assert str(counterfactual(LOANS, case)) == "yes (rule 2) if debt = 99.99 instead of 150"
    assert str(counterfactual(LOANS, case, "no")) == "no (rule 1) if age = 17 instead of 40"
    change = counterfactual(LOANS, {"age": 9, "debt": 150, "job": "none"}, "yes")
    assert change.changes == {"age": (9, 18), "debt": (150, 99.99), "job": ("none", "cook")}
    assert counterfactual(LOANS, case, "yes", fixed=["debt"]) is None


def test_an_outcome_that_the_case_has_needs_no_change():
    young = counterfactual(LOANS, {"age": 9, "debt": 150, "job": "cook"}, "no")
    assert (young.changes, young.outcome, young.rules) == ({}, "no", (0,))
    assert str(young) == "no (rule 1) without a change"
    with pytest.raises(ConditionError, match="unknown feature 'jab'"):
        counterfactual(LOANS, {"age": 9, "debt": 150, "job": "cook"}, "no", fixed=["jab"])


def test_changes_of_rules_that_are_all_collected():
    rules = RuleSet(
        [Rule({"years": (2, None)}, then=1), Rule({"years": (5, None), "vip": {True}}, then=2)]
    )
    table = DecisionTable.from_rules(rules).under("RULE ORDER")
    case = {"years": 3, "vip": True}
    assert str(counterfactual(table, case)) == "no outcome if years = 1.99 instead of 3"
    assert str(counterfactual(table, case, 2)) == "[1, 2] (rules 1, 2) if years = 5 instead of 3"
    assert counterfactual(table, case, [1, 2]).rules == (0, 1)
    for own in (1, [1]):
        assert counterfactual(table, case, own).changes == {}
    assert counterfactual(table, case, 2, fixed=["years"]) is None
    with pytest.raises(ConditionError, match="no rule has the outcome 7"):
        counterfactual(table, case, 7)
    total = replace(table, hit_policy="COLLECT", aggregation="SUM")
    assert str(counterfactual(total, case, 3)) == "3 (rules 1, 2) if years = 5 instead of 3"


def test_invalid_questions():
    case = {"age": 40, "debt": 150, "job": "cook"}
    with pytest.raises(ConditionError, match="no rule has the outcome yse; did you mean 'yes'"):
        counterfactual(LOANS, case, "yse")
    with pytest.raises(ConditionError, match="unknown feature 'jab'; did you mean 'job'"):
        counterfactual(LOANS, case, fixed=["jab"])
    with pytest.raises(BudgetError, match="the search was stopped by seconds"):
        counterfactual(LOANS, case, budget=0)


def test_a_reason_says_that_the_case_cannot_occur():
    space = Space([Continuous("age"), Categorical("drives", [True, False])])
    space = Space(space, impossible=[{"age": (None, 18), "drives": {True}}])
    rules = RuleSet([Rule({"age": (18, None)}, then="full")], space, default="half")
    reason = why(rules, {"age": 5, "drives": True})
    assert reason.impossible == space.impossible[0]
    assert str(reason) == (
        "half, but the case cannot occur: the rules exclude age < 18 and drives in {true}"
    )
    assert why(rules, {"age": 5, "drives": False}).impossible is None


def test_a_number_of_the_case_is_not_said_to_be_missing():
    space = Space([Continuous("age", missing=True), Continuous("debt", missing=True)])
    rules = RuleSet([Rule({"age": (18, None), "debt": (9, None)}, then="no")], space, default="yes")
    assert why(rules, {"age": 5, "debt": 20}).text.endswith("yes, by default, because age < 18")
    assert "age < 18 or missing" in str(why(rules, {"age": None, "debt": 20}).region)


def test_a_missing_value_is_proposed_only_if_asked_for():
    space = Space([Continuous("derog", missing=True), Categorical("job", ["cook"], missing=True)])
    rules = RuleSet([Rule({"derog": (None, 1)}, then="yes")], space, default="no")
    rules = RuleSet(
        [*rules, Rule({"derog": (1, None), "job": {None}}, then="yes")], space, default="no"
    )
    case = {"derog": 7, "job": "cook"}
    assert str(counterfactual(rules, case)) == "yes (rule 1) if derog = 0.99 instead of 7"
    assert str(counterfactual(rules, case, fixed=["derog"])) == "None"
    asked = counterfactual(rules, case, fixed=["derog"], missing=True)
    assert str(asked) == "yes (rule 2) if job = missing instead of cook"
    stays = counterfactual(rules, {"derog": 7, "job": None}, "no")
    assert stays.changes == {"job": (None, "cook")}


TORN = RuleSet(
    [
        Rule({"age": (None, 18)}, then="free"),
        Rule({"age": (17, 30)}, then="half"),
        Rule({"age": (None, 5), "card": {True}}, then="free"),
    ],
    default="full",
)


def test_rules_that_contradict_each_other_elsewhere_have_reasons():
    assert str(why(TORN, {"age": 9, "card": False})) == "free, by rule 1, because age < 17"
    assert str(why(TORN, {"age": 3, "card": True})) == "free, by rules 1, 3, because age < 17"
    assert str(why(TORN, {"age": 40, "card": True})) == "full, by default, because age >= 30"
    change = counterfactual(TORN, {"age": 40, "card": True}, "free")
    assert change.rules == (0,)
    assert change.changes["age"][1] < 17
    with pytest.raises(
        ConflictError,
        match="contradict each other for this case: rule 1 says free, rule 2 says half; repair",
    ):
        why(TORN, {"age": 17.5, "card": True})
