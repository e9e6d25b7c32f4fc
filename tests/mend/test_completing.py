"""Filled gaps: every cell is covered, nothing else changes, and all new rules are listed."""

from __future__ import annotations

import pytest
from grid_cells import cells_of, decisions, n_containing
from hypothesis import given
from hypothesis import strategies as st

import naive
import strategies as sts
from irenic import (
    Budget,
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
    Space,
)
from irenic.mend import complete
from irenic.model import Provenance


@sts.examples(0.8)
@given(rules=sts.consistent_rule_sets(), data=st.data())
def test_every_cell_is_covered_and_nothing_else_changes(rules, data):
    within = data.draw(sts.regions(rules.space))
    result = complete(rules, within=within)
    completed, proposals = result
    assert completed.is_consistent
    assert list(completed) == [*rules, *result.added]
    cells = cells_of(rules.space, completed, [Rule(within, then="W")])
    before, after = decisions(rules, cells), decisions(completed, cells)
    gaps = n_containing([p.region for p in proposals], cells)
    for cell, old, new, inside in zip(cells, before, after, gaps, strict=True):
        gap = old is None and naive.holds(within, cell)
        assert inside == gap
        assert new == old or gap
        if result.is_complete and gap:
            assert new is not None
    assert result.is_complete is all(p.rule is not None for p in proposals)
    assert result.is_complete or not len(rules)


@given(rules=sts.consistent_rule_sets(max_size=4), data=st.data())
def test_data_determine_the_consequent_of_a_gap(rules, data):
    cells = [  # no table contains a date beyond the calendar
        cell
        for cell in cells_of(rules.space, rules)
        if all(naive.shows(f, v) for f, v in zip(rules.space, cell, strict=True))
    ]
    chosen = data.draw(st.lists(st.sampled_from(cells), min_size=1, max_size=5)) if cells else []
    if not chosen:
        return
    X = naive.instances(rules.space, chosen)
    y = data.draw(st.lists(st.sampled_from("PQ"), min_size=len(chosen), max_size=len(chosen)))
    result = complete(rules, X=X, y=y)
    assert result.is_complete
    counts = [p.instances for p in result.proposals]
    assert counts == sorted(counts, reverse=True)
    for proposal in result.proposals:
        inside = [v for c, v in zip(chosen, y, strict=True) if naive.holds(proposal.region, c)]
        assert proposal.instances == len(inside)
        assert proposal.rule.then in y
        if inside:
            most = max(inside.count("P"), inside.count("Q"))
            assert inside.count(proposal.rule.then) == most


def scale():
    return RuleSet(
        [Rule({"x": (0, 10), "y": (0, 10)}, then="A"), Rule({"x": (20, 30)}, then="B")],
        Space([Continuous("x"), Continuous("y")]),
    )


def test_gaps_with_instances_come_first_then_the_largest():
    space = Space([Continuous("x", bounds=(0, 100))])
    rules = RuleSet([Rule({"x": (10, 20)}, then="A"), Rule({"x": (60, 70)}, then="B")], space)
    completion = complete(rules)
    assert [str(p.region) for p in completion.proposals] == ["20 <= x < 60", "x >= 70", "x < 10"]
    assert [round(p.share, 3) for p in completion.proposals] == [0.4, 0.3, 0.1]
    completion = complete(rules, X={"x": [5, 75, 75, 75, 15]}, y=["P", "P", "Q", "Q", "A"])
    assert [str(p) for p in completion.proposals] == [
        "IF x >= 70 THEN Q, like 2 of the 3 instances in it",
        "IF x < 10 THEN P, like 1 of the 1 instance in it",
        "IF 20 <= x < 60 THEN A, like the nearest instance (x = 15)",
    ]


def test_a_neighbor_that_can_be_widened_is_preferred():
    completion = complete(scale())
    texts = {str(p.region): str(p) for p in completion.proposals}
    assert texts["10 <= x < 20"] == (
        "IF 10 <= x < 20 THEN B, like rule 2, which covers it if its condition on x is widened"
    )
    assert texts["0 <= x < 10 and y < 0"] == (
        "IF 0 <= x < 10 AND y < 0 THEN A, like rule 1, which covers it if its condition on y is"
        " widened"
    )
    assert "like rule 1, the neighbor with the largest shared side" in texts["x < 0"]


def test_categories_can_be_neighbors():
    space = Space([Categorical("c", ["u", "v", "w"]), Continuous("x")])
    rules = RuleSet([Rule({"c": {"u"}}, then="A"), Rule({"c": {"v"}}, then="B")], space)
    assert [str(p) for p in complete(rules).proposals] == [
        "IF c in {w} THEN A, like rule 1, which covers it if its condition on c is widened"
    ]


def test_other_gaps_get_the_default_or_the_rule_separated_on_the_fewest_features():
    rules = RuleSet([Rule({"x": (0, 5)}, then="A")], default="Z")
    assert [str(p) for p in complete(rules).proposals] == [
        "IF x < 0 THEN Z, like the default",
        "IF x >= 5 THEN Z, like the default",
    ]
    space = scale().space
    within = Region(space, {"x": (40, 50), "y": (40, 50)})
    assert [str(p) for p in complete(scale(), within=within).proposals] == [
        "IF 40 <= x < 50 AND 40 <= y < 50 THEN B, like rule 2, which is separated from it on the"
        " fewest features"
    ]
    # without rules, default or data, a gap is left open
    result = complete(RuleSet(space=Space([Continuous("x")])))
    assert (result.is_complete, result.added, len(result.rules)) == (False, [], 0)
    assert [str(p) for p in result.proposals] == [
        "anything, left open: there are no rules, no default and no data"
    ]


def test_the_nearest_instance_by_scaled_distance_and_categories():
    space = Space([Continuous("x", missing=True), Categorical("c", ["u", "v"])])
    rules = RuleSet([Rule({"c": {"u"}}, then="A")], space)
    X = {"x": [1, 90, None], "c": ["u", "u", "u"]}
    far = RuleSet([*rules, Rule({"c": {"v"}, "x": {"<": 80}}, then="A")], space)
    completion = complete(far, X=X, y=["one", "ninety", "missing"])
    assert {str(p.region): p.rule.then for p in completion.proposals} == {
        "x >= 80 and c in {v}": "ninety",
        "x is missing and c in {v}": "missing",
    }


def test_the_number_of_new_rules_and_the_budget_are_limited():
    result = complete(scale(), limit=2)
    assert (len(result.proposals), len(result.rules), result.is_complete) == (2, 4, False)
    assert complete(scale(), limit=0).rules == scale()
    result = complete(scale(), budget=Budget(nodes=1))
    assert (result.is_complete, result.stopped_by) == (False, "nodes")
    assert "gaps remain (stopped by nodes)" in repr(result)


def test_impossible_cases_are_not_gaps():
    space = Space([Continuous("x")], impossible=[{"x": {"<": 0}}])
    rules = RuleSet([Rule({"x": (0, 5)}, then="A")], space)
    table = DecisionTable(rules, (0,), 1)
    result = complete(table)
    assert [str(rule) for rule in result.added] == ["IF x >= 5 THEN A"]
    assert result.is_complete


def test_invalid_arguments_are_rejected():
    clash = RuleSet([Rule({"x": (0, 5)}, then="A"), Rule({"x": (3, 9)}, then="B")])
    point = {"x": [1], "y": [1]}
    for error, rules, options, text in [
        (ConflictError, clash, {}, "repair them before filling gaps"),
        (ConditionError, RuleList.from_rules(clash), {}, "got a list: .* irenic.to_set"),
        (ConditionError, None, {}, "must be a RuleSet, .* DecisionTable, got NoneType"),
        (ConditionError, scale(), {"limit": -1}, "a non-negative integer or None, got -1"),
        (DataError, scale(), {"y": ["A"]}, "X and y must be given together"),
        (DataError, scale(), {"X": point, "y": ["A", "B"]}, "1 labels, one per row of X, got 2"),
    ]:
        with pytest.raises(error, match=text):
            complete(rules, **options)


def test_guesses_are_outcomes_without_data_or_a_default():
    space = Space([Continuous("x")])
    rules = RuleSet([Rule({"x": (0, 10)}, then="A"), Rule({"x": (20, None)}, then="B")], space)
    assert [p.is_guess for p in complete(rules).proposals] == [True, True]
    with_default = RuleSet(rules, space, default="C")
    assert [p.is_guess for p in complete(with_default).proposals] == [False, False]
    proposals = complete(rules, X={"x": [15]}, y=["B"]).proposals
    assert [(str(p.region), p.is_guess) for p in proposals] == [
        ("10 <= x < 20", False),
        ("x < 0", True),
    ]
    assert not any(p.is_guess for p in complete(RuleSet([], space)).proposals)


def test_a_completed_table_keeps_its_rows():
    space = Space([Continuous("x")])
    thens = [((None, 5), "A"), ((10, None), "A"), ((5, 7), "B")]
    rules = RuleSet([Rule({"x": bounds}, then=then) for bounds, then in thens], space)
    table = DecisionTable(
        rules, (0, 0, 2), 3, provenance=Provenance(reasons=((1, "never"),)), hit_policy="UNIQUE"
    )
    completed = complete(table).table
    assert (completed.rows, completed.n_rows) == ((0, 0, 2, 3), 4)
    assert (completed.never_hold, completed.hit_policy) == ((1,), "UNIQUE")
    assert complete(rules).table is None
