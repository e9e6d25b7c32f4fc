"""Near misses, and changes in one direction only, compared with cases tried one by one."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import property_grid as oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_properties import tables

import naive
import strategies as sts
from irenic import (
    ConditionError,
    Continuous,
    DataError,
    Region,
    Rule,
    RuleList,
    RuleSet,
    RuleSetClassifier,
    Space,
)
from irenic.model.features import MISSING_CODE
from irenic.proving import counterfactual, nearly, why
from irenic.searching.reasons import around as box_around

LOANS = RuleSet(
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
    now = why(table, case).outcome
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
    assert [str(miss) for miss in nearly(LOANS, case, "yes")] == [
        "yes (rule 1) needs age >= 18, but age = 17"
    ]
    with pytest.raises(ConditionError, match="no rule has the outcome yess; did you mean 'yes'"):
        nearly(LOANS, case, "yess")


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_a_case_can_be_a_frame_of_one_row(frame):
    rows = frame({"name": ["Ada", "Ben"], "age": [30, 17], "debt": [250, 0], "job": ["cook"] * 2})
    assert nearly(LOANS, rows[:1])[0].case == {"debt": 250.0}
    assert why(LOANS, rows[1:]).outcome == "never"
    assert counterfactual(LOANS, rows[:1], "yes").changes.keys() == {"debt"}
    with pytest.raises(DataError, match="the case must be one row, got 2 rows; select one"):
        nearly(LOANS, rows)


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
    own = {
        f.name: float(point.values[space.row(f.name), 0])
        if isinstance(f, Continuous)
        else int(point.codes[space.row(f.name), 0])
        for f in space
    }

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
    around = Region.from_box(box_around(point))
    cells = oracle.cells_of(space, around, *(rule.region for rule in table.rules))
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


def test_a_missing_value_stays_missing_if_it_may_only_rise():
    space = Space([Continuous("age", missing=True)])
    rules = RuleList([Rule({"age": (18, None)}, then="yes")], space, default="no")
    case = {"age": None}
    assert counterfactual(rules, case).changes["age"][0] is None
    assert counterfactual(rules, case, only_up=["age"]) is None


def test_only_numbers_rise():
    case = {"age": 30, "debt": 250, "job": "cook"}
    with pytest.raises(ConditionError, match="only_up must name numbers or dates, got the categ"):
        counterfactual(LOANS, case, only_up=["job"])
    with pytest.raises(ConditionError, match="unknown feature 'dept'; did you mean 'debt'"):
        counterfactual(LOANS, case, only_down=["dept"])
