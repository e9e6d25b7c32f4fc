"""Reasons, near misses and counterfactuals, compared with every cell of the grid."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
import proving.property_grid as oracle
import strategies as sts
from irenic import (
    BudgetError,
    Categorical,
    ConditionError,
    ConflictError,
    Continuous,
    DataError,
    DecisionTable,
    Region,
    Rule,
    RuleList,
    RuleSet,
    RuleSetClassifier,
    Space,
)
from irenic.model.features import MISSING_CODE
from irenic.testing import counterfactual, nearly, why
from irenic.testing._counterfactual import around
from proving.property_grid import tables


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


# --- near misses, and changes in one direction only

CARDS = RuleSet(
    [
        Rule({"age": (18, None), "debt": (None, 100), "job": {"cook", "nurse"}}, then="yes"),
        Rule({"age": (None, 18)}, then="never"),
    ],
    default="no",
)


@given(st.data())
def test_near_misses_fail_exactly_one_condition(data):
    space = data.draw(sts.spaces(3))
    table = data.draw(tables(space))
    case = data.draw(sts.regions(space)).witness()
    now = why(table, case).then
    expected = set()
    for place, rule in enumerate(table.rules):
        fails = [
            name
            for name, operators in rule.region.conditions().items()
            if case not in Region(space, {name: operators})
        ]
        if len(fails) == 1 and rule.then != now:
            expected.add((table.rows[place], rule.then, fails[0]))
    found = nearly(table, case)
    assert {(miss.rule, miss.outcome, *miss.case) for miss in found} == expected
    assert [miss.rule for miss in found] == sorted(miss.rule for miss in found)
    assert all(case not in miss.condition for miss in found)


def test_only_rules_of_one_outcome():
    case = {"age": 17, "debt": 50, "job": "cook"}
    assert [str(miss) for miss in nearly(CARDS, case, "yes")] == [
        "yes (rule 1) needs age >= 18, but age = 17"
    ]
    assert nearly(CARDS, case | {"debt": 500}, "yes") == ()  # which fails two conditions
    with pytest.raises(ConditionError, match="no rule has the outcome yess; did you mean 'yes'"):
        nearly(CARDS, case, "yess")


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_a_case_can_be_a_frame_of_one_row(frame):
    rows = frame({"name": ["Ada", "Ben"], "age": [30, 17], "debt": [250, 0], "job": ["cook"] * 2})
    assert nearly(CARDS, rows[:1])[0].case == {"debt": 250.0}
    assert why(CARDS, rows[1:]).then == "never"
    assert counterfactual(CARDS, rows[:1], "yes").changes.keys() == {"debt"}
    with pytest.raises(DataError, match="the case must be one row, got 2 rows; select one"):
        nearly(CARDS, rows)


def test_a_fitted_classifier_takes_rows_of_its_training_frame():
    frame = pd.DataFrame({"age": range(40), "job": ["cook", None] * 20})
    clf = RuleSetClassifier(generations=1, moves=50, random_state=0)
    clf.fit(frame, ["free"] * 18 + ["full"] * 22)
    (miss,) = nearly(clf, frame[30:31])
    assert str(miss) == "free (rule 1) needs age < 18, but age = 30"
    assert str(counterfactual(clf, frame[3:4])) == "full (by default) if age = 18 instead of 3"


def test_a_row_of_pandas_is_a_case():
    frame = pd.DataFrame(
        {
            "age": [40, 9],
            "debt": [150.0, float("nan")],
            "job": ["cook", None],
            "since": pd.to_datetime(["2020-01-01", None]),
            "name": ["Ada", "Ben"],  # which no rule knows
        }
    )
    since = Rule({"since": (dt.datetime(2030, 1, 1), None), "debt": (200, None)}, then="no")
    space = Space.infer(frame.drop(columns="name"))
    young = Rule({"age": (None, 18), "debt": (None, 200), "job": {"cook"}}, then="yes")
    rules = RuleSet([young, since], space, default="never")
    for row in (0, 1):
        known = frame.drop(columns="name").iloc[row : row + 1]
        for function in (why, counterfactual, nearly):
            assert function(rules, frame.iloc[row]) == function(rules, known)
        assert rules.decider()(frame.iloc[row]) == rules.predict(known)[0]
    point = frame.drop(columns="name").iloc[0]
    assert rules.space.encode_point(point)[0] == rules.space.encode(frame)[0]
    assert Region(rules.space, {"age": (40, 41)}).contains([point]).tolist() == [True]
    assert point in Region(rules.space, {"age": (40, 41)})
    both = rules.space.encode([frame.iloc[0], frame.iloc[1]])
    assert list(both) == list(rules.space.encode(frame))
    for other in (pd.Series([1, 2]), pd.DataFrame([[1, 2]])):
        with pytest.raises(ConditionError, match="unknown feature '0'"):
            why(rules, other)
    with pytest.raises(DataError, match="the table has two columns named 'age'"):
        why(rules, pd.Series([1, 2], index=["age", "age"]))
    with pytest.raises(DataError, match=r"got Series; use frame.iloc\[\[0\]\] for one row$"):
        rules.predict(frame.iloc[0])
    with pytest.raises(DataError, match=r"a point must be a mapping .*, got .{,60}$"):
        rules.space.encode_point(frame)


def test_columns_of_whole_numbers_change_to_whole_numbers():
    clf = RuleSetClassifier(generations=1, moves=50, random_state=0)
    clf.fit({"age": range(40), "size": np.linspace(0, 1, 40)}, ["free"] * 18 + ["full"] * 22)
    assert clf.rules_[0].region.conditions().keys() == {"age"}
    case = {"age": 30, "size": 0.3}
    assert str(counterfactual(clf, case)) == "free (rule 1) if age = 17 instead of 30"
    assert str(counterfactual(clf.rules_, case)) == "free (rule 1) if age = 17.99 instead of 30"
    whole = {"age": [0.5, *range(1, 40)], "size": np.linspace(0, 1, 40)}
    clf.fit(whole, ["free"] * 18 + ["full"] * 22)
    assert "17.99" in str(counterfactual(clf, case))


@given(st.data())
def test_features_move_only_as_they_may(data):
    """The change goes in the right direction, and if there is none, no cell has one either."""
    space = data.draw(sts.spaces(2))
    table = data.draw(tables(space, [None, "FIRST"]))
    case = data.draw(sts.regions(space)).witness()
    numbers = [f.name for f in space if isinstance(f, Continuous)]
    up = data.draw(st.sets(st.sampled_from(numbers))) if numbers else set()
    down = data.draw(st.sets(st.sampled_from(numbers))) if numbers else set()
    change = counterfactual(table, case, only_up=up, only_down=down)
    point = space.encode_point(case)
    own = dict(zip(space.names, cell_of(space, point), strict=True))

    def may(name, value):
        old = own[name]
        nothing = -float("inf") if isinstance(space[name], Continuous) else MISSING_CODE
        if value == nothing != old:  # nobody asked for missing values
            return False
        if name not in up | down or value == old:
            return True
        if old == -float("inf"):  # going missing is no rise
            return False
        return (name not in up or value > old) and (name not in down or value < old)

    now = oracle.outcome(table, tuple(own.values()))
    near = Region.from_box(around(point))
    cells = oracle.cells_of(space, near, *(rule.region for rule in table.rules))
    reachable = [
        cell
        for cell in cells
        if all(may(name, value) for name, value in zip(own, cell, strict=True))
        and not any(naive.holds(region, cell) for region in space.impossible)
    ]
    if change is None:
        assert all(oracle.outcome(table, cell) == now for cell in reachable)
        return
    for name, (_, new) in change.changes.items():
        after = space.encode_point({**case, name: new})
        if isinstance(space[name], Continuous):
            assert may(name, float(after.values[space.row(name), 0]))


def test_only_numbers_rise():
    space = Space([Continuous("age", missing=True)])
    rules = RuleList([Rule({"age": (18, None)}, then="yes")], space, default="no")
    assert counterfactual(rules, {"age": None}).changes["age"][0] is None
    assert counterfactual(rules, {"age": None}, only_up=["age"]) is None
    case = {"age": 30, "debt": 250, "job": "cook"}
    with pytest.raises(ConditionError, match="only_up must name numbers or dates, got the categ"):
        counterfactual(CARDS, case, only_up=["job"])
    with pytest.raises(ConditionError, match="unknown feature 'dept'; did you mean 'debt'"):
        counterfactual(CARDS, case, only_down=["dept"])
