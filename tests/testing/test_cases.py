"""Test cases: what they exercise, and generated ones that kill every mutant of a table."""

from __future__ import annotations

import datetime as dt
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies as sts
from irenic import (
    Categorical,
    ConditionError,
    Continuous,
    DataError,
    DecisionTable,
    Region,
    Rule,
    RuleList,
    RuleSet,
    Space,
    diff,
    read,
)
from irenic.testing import make_cases, try_cases

FLIPPED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
EXAMPLES = Path(__file__).parents[2] / "examples"


def unit(value):
    if isinstance(value, dt.date):
        return dt.timedelta(days=1)
    digits = str(value).partition(".")[2].rstrip("0")
    return 10.0 ** -len(digits)


def changed_conditions(space, operators, name):
    """Yield other conditions: another strictness, a moved bound, one value more or less."""
    feature = space[name]
    if isinstance(feature, Categorical):
        region = Region(Space([feature]), {name: operators})
        inside = [v for v in feature.values if {name: v} in region]
        for value in feature.values:
            members = [v for v in feature.values if (v in inside) != (v == value)]
            yield {"in": members}
        return
    for operator, bound in operators.items():
        if operator in FLIPPED:
            rest = {op: b for op, b in operators.items() if op != operator}
            yield rest | {FLIPPED[operator]: bound}
            for step in (-unit(bound), unit(bound)):
                yield rest | {operator: bound + step}


def mutant_lists(rules, *, is_ordered):
    """Yield mutants as lists; in those of a set, the changed rule decides."""
    space = rules.space
    for i, rule in enumerate(rules):
        conditions = rule.region.conditions()
        for name, operators in conditions.items():
            for changed in changed_conditions(space, operators, name):
                others = [r for r in rules if r is not rule]
                try:
                    new = [Rule(Region(space, conditions | {name: changed}), then=rule.then)]
                except ConditionError:
                    new = []  # it never holds
                listed = [*others[:i], *new, *others[i:]] if is_ordered else [*new, *others]
                yield RuleList(listed, space, default=rules.default)


def survivors(rules, cases, outcomes, *, is_ordered):
    """Return how many mutants there are, and those that no case distinguishes."""
    original = RuleList(list(rules), rules.space, default=rules.default)
    count, alive = 0, []
    for mutant in mutant_lists(rules, is_ordered=is_ordered):
        if diff(original, mutant).same:
            continue
        count += 1
        if mutant.predict(cases).tolist() == outcomes:
            alive.append(mutant)
    return count, alive


def check_cases(rules, *, is_ordered):
    """Check that cases kill every mutant and exercise every bound; return how many mutants."""
    made_of = RuleList.from_rules(rules) if is_ordered else rules
    cases, outcomes = make_cases(made_of)
    count, alive = survivors(rules, cases, outcomes, is_ordered=is_ordered)
    assert alive == []
    trial = try_cases(made_of, cases, outcomes)
    assert trial.passed
    assert trial.covered["bounds"] == trial.total["bounds"]
    return count, trial


@pytest.mark.parametrize(
    "path", [files("irenic") / "data" / "example.rules", EXAMPLES / "loans.csv"]
)
def test_every_mutant_of_the_examples_is_killed(path):
    found = read(path)
    rules = found.rules if isinstance(found, DecisionTable | RuleList) else found
    assert check_cases(rules, is_ordered=not rules.is_consistent)[0] > 10


@st.composite
def small_rules(draw):
    numbers = Continuous("a", kind="integer"), Continuous("b")
    space = Space([*numbers, Categorical("c", ["x", "y", "z"])])
    rules = []
    for _ in range(draw(st.integers(1, 4))):
        conditions = {}
        for name in draw(st.sets(st.sampled_from(["a", "b"]))):
            low = draw(st.integers(0, 5))
            conditions[name] = {draw(st.sampled_from([">", ">="])): low}
            conditions[name][draw(st.sampled_from(["<", "<="]))] = low + draw(st.integers(2, 4))
        if draw(st.booleans()):
            conditions["c"] = {"in": draw(st.sets(st.sampled_from("xyz"), min_size=1, max_size=2))}
        rules.append(Rule(Region(space, conditions), then=draw(st.sampled_from("AB"))))
    return RuleSet(rules, space, default=draw(st.sampled_from([None, "A"])))


@sts.examples(0.6)
@given(small_rules(), st.booleans())
def test_every_mutant_that_decides_differently_is_killed(rules, is_ordered):
    if not is_ordered and not rules.is_consistent:
        return
    _, trial = check_cases(rules, is_ordered=is_ordered)
    assert trial.covered["conditions"] == trial.total["conditions"]


def test_failures_name_the_deciding_rule():
    rules = RuleSet(
        [Rule({"age": (None, 18)}, then="free"), Rule({"age": (18, None)}, then="full")]
    )
    trial = try_cases(rules, {"age": [17, 18]}, ["free", "free"])
    assert [o.passed for o in trial.outcomes] == [True, False]
    assert trial.outcomes[1].rules == (1,)
    assert trial.covered == {"rules": 2, "conditions": 4, "bounds": 4}
    assert trial.total == {"rules": 2, "conditions": 4, "bounds": 6}
    assert trial.missed == (
        "no case is just above 18 in age < 18 of rule 1",
        "no case is just above 18 in age >= 18 of rule 2",
    )


def test_outcomes_under_collect_are_lists():
    rules = RuleSet([Rule({"years": (2, None)}, then=100), Rule({"years": (5, None)}, then=500)])
    table = DecisionTable.from_rules(rules).under("COLLECT")
    cases, outcomes = make_cases(table)
    assert {tuple(o) for o in outcomes} == {(), (100,), (100, 500)}
    assert try_cases(table, cases, outcomes).passed


def test_one_outcome_per_case_is_needed_and_a_budget_ends_the_search_for_cases():
    rules = RuleSet([Rule({"age": (None, 18)}, then="free")], default="full")
    with pytest.raises(DataError, match="expected must have one outcome per case, got 1 for 2"):
        try_cases(rules, {"age": [1, 2]}, ["free"])
    cases, outcomes = make_cases(rules, budget=0)
    assert len(cases) == len(outcomes) == 1
