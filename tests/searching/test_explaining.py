"""One explanation: the same from every door, and as short as an oracle of all cells allows."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
import proving.property_grid as oracle
import strategies as sts
from irenic import Categorical, Continuous, DecisionTable, Region, Rule, RuleList, RuleSet, Space
from irenic.learn import from_rules, predict_table
from irenic.searching import _fewest
from irenic.searching.explaining import Deciding, explained
from irenic.testing import why
from irenic.testing._counterfactual import around
from learn.fitting import people, quick
from proving.property_grid import tables

RESOLVE = [None, "first", "best", "vote"]


def drawn_case(data, space):
    return data.draw(sts.regions(space)).sample(1, random_state=0)


def cell_of(space, point):
    """Return the cell that an encoded case is in."""
    return tuple(
        float(point.values[space.row(f.name), 0])
        if isinstance(f, Continuous)
        else int(point.codes[space.row(f.name), 0])
        for f in space
    )


def check_reason(reason, rules, order, how, point):
    """Check that a reason holds, and that no region with the same limit has fewer conditions.

    ``order`` are the indices of the rules from the first to win to the last.
    """
    space, all_rules = rules.space, list(rules)
    own = cell_of(space, point)
    regions = [*(rule.region for rule in rules), reason.region, Region.from_box(around(point))]
    cells = [
        cell
        for cell in oracle.cells_of(space, *regions)
        if not any(naive.holds(region, cell) for region in space.impossible)
    ]
    assert naive.holds(reason.region, own)
    limits, rivals = limits_and_rivals(all_rules, order, how, own, rules.default, reason)
    assert not any(
        naive.holds(rival.region, cell)
        for cell in cells
        if naive.holds(reason.region, cell)
        for rival in rivals
    )
    cells = [cell for cell in cells if all(naive.holds(each, cell) for each in limits)]
    tested = {name for each in limits for name in each.simplified().conditions()}
    assert all(name in reason.region.simplified().conditions() for name in tested)
    fewest = min(
        len(tested | set(names))
        for n in range(len(space) + 1)
        for names in combinations(space.names, n)
        if not any(
            naive.holds(rival.region, cell)
            for cell in cells
            if all(
                cell[i] == own[i] for i, name in enumerate(space.names) if name in tested | {*names}
            )
            for rival in rivals
        )
    )
    assert reason.region.n_conditions == fewest
    assert reason.is_proved


def limits_and_rivals(rules, order, how, own, default, reason):
    """Return what the region must lie in, and the rules that it must not overlap."""
    holding = naive.covering(rules, own)
    if how == "all" or (holding and how == "vote"):
        limits = [rules[i].region for i in holding]
        return limits, [rule for i, rule in enumerate(rules) if i not in holding]
    if not holding:
        return [], [rule for rule in rules if default is None or rule.then != default]
    by = min(holding, key=order.index) if how == "first" else reason.rules[0]
    stronger = order[: order.index(by)] if how == "first" else order
    return [rules[by].region], [rules[i] for i in stronger if rules[i].then != rules[by].then]


@sts.examples(0.6)
@given(st.data())
def test_a_reason_has_the_fewest_conditions_under_every_hit_policy(data):
    space = data.draw(sts.spaces_with_exclusions(3))
    table = data.draw(tables(space))
    point = drawn_case(data, space)
    reason = why(table, point)
    how = "first" if table.is_ordered else "all" if table.collects else "agree"
    order = table.winning if table.is_ordered else [*range(len(table.rules))]
    check_reason(reason, table.rules, order, how, point)
    if reason.impossible is None:
        outcome = tuple(reason.then) if isinstance(reason.then, list) else reason.then
        assert outcome == oracle.outcome(table, cell_of(space, point))
    # every door gives the same answer
    assert table.explain(point) == [reason]
    rules = table.as_rules()
    if table.hit_policy in (None, "FIRST"):
        assert rules.explain(point) == [why(rules, point)] == [reason]
        assert named(predict_table(rules, [point[0]], explain=True), space) == said(reason, rules)
    column = predict_table(table, [point[0]], explain=True)["rule"][0]
    if reason.rules:
        rows = reason.rules[: None if table.collects else 1]
        assert column == ", ".join(f"rule {row + 1}" for row in rows)
    else:
        assert named({"rule": [column]}, space) == said(reason, rules)


def named(columns, space):
    """Return the region of the rule in a column of explanations, None for no rule."""
    _, found, rule = columns["rule"][0].partition("IF ")
    return Rule.parse("IF " + rule, space).region if found else None


def said(reason, rules):
    return reason.region if reason.rules or rules.default is not None else None


@sts.examples(0.6)
@given(st.data(), st.sampled_from(RESOLVE), st.sampled_from([None, "A"]))
def test_a_reason_has_the_fewest_conditions_where_rules_contradict(data, resolve, default):
    space = data.draw(sts.spaces_with_exclusions(3))
    rules = data.draw(sts.rule_sets(space=st.just(space), default=default))
    point = drawn_case(data, space)
    holding = naive.covering(list(rules), cell_of(space, point))
    if resolve is None and len({rules[i].then for i in holding}) > 1:
        return
    reason = explained(Deciding.of(rules, resolve), point).each()[0]
    order = [*range(len(rules))]
    if resolve == "best":
        order.sort(key=lambda i: -rules[i].weight)
    how = {None: "agree", "vote": "vote"}.get(resolve, "first")
    how = "agree" if how == "vote" and rules.is_consistent else how
    check_reason(reason, rules, order, how, point)
    if resolve is None:
        assert reason == why(rules, point)
        shortest = min(rules[i].n_conditions for i in holding) if holding else 0
        assert not holding or rules[reason.rules[0]].n_conditions == shortest
    else:
        assert rules.explain(point, resolve=resolve) == [reason]
        assert [reason.then] == rules.predict(point, resolve=resolve).tolist()
    if resolve == "first":
        assert why(RuleList.from_rules(rules), point) == reason


@given(sts.rule_sets(max_features=3), st.sampled_from(RESOLVE[1:]))
def test_many_cases_are_explained_as_each_by_itself(rules, resolve):
    cases = Region(rules.space).sample(20, random_state=0)
    deciding = Deciding.of(rules, resolve)
    together = explained(deciding, cases).each()
    assert together == [explained(deciding, cases.take([i])).each()[0] for i in range(20)]
    assert explained(deciding, cases.take([])).each() == []


@pytest.mark.parametrize("conflicts", ["avoid", "best", "vote"])
@pytest.mark.parametrize("complete", [False, True])
def test_a_model_gives_one_answer_through_every_door(conflicts, complete):
    X, y = people(200)
    clf = quick(conflicts=conflicts, complete=complete).fit(X, y)
    X = X.iloc[:60]
    decisions, predicted = clf.explain(X), clf.predict(X)
    columns = predict_table(clf, X, explain=True)
    for row, decision in enumerate(decisions):
        assert why(clf, X.iloc[row]) == decision
        assert why(clf, clf.space_.encode(X.iloc[row : row + 1])) == decision
        assert decision.then == predicted[row]
        assert set(predicted[decision.region.contains(X)]) == {predicted[row]}
        assert columns["rule"][row].endswith(str(Rule(decision.region, then=decision.then)))
        assert columns["support"][row] == decision.support[0]
        assert columns["confidence"][row] == decision.confidence[0]
        assert columns["probability"][row] == decision.probability.probability
    # rules alone know no region that was counted: theirs may differ, but not in length
    alone = clf.rules_.explain(X, resolve=None if conflicts == "avoid" else conflicts)
    assert [each.region.n_conditions for each in alone if not each.rules] == [
        each.region.n_conditions for each in decisions if not each.rules
    ]


def test_a_region_that_was_counted_is_preferred_to_others_as_short():
    rules = RuleSet([Rule({"a": (0, 1), "b": (0, 1)}, then="x")], default="y")
    rows = {"a": [0.5] * 5 + [2.0], "b": [2.0] * 4 + [0.5] * 2}
    clf = from_rules(rules, rows, ["y"] * 4 + ["x", "y"])
    case = {"a": [2.0], "b": [2.0]}
    counted = clf.chosen_.default_regions.rules[0].region
    assert clf.explain(case)[0].region == counted == why(clf, {"a": 2.0, "b": 2.0}).region
    assert clf.explain(case)[0].support == (4,)
    assert rules.explain(case)[0].region.n_conditions == 1


AGES = Space([Continuous("age", missing=True), Categorical("card", [True, False])])


def test_reasons_in_words():
    child = Rule({"age": (None, 18)}, then="free")
    rules = RuleSet([child, Rule({"card": {True}}, then="half"), child], AGES, default="full")
    cases = {"age": [9, 40, 40], "card": [True, True, False]}
    assert [str(each) for each in rules.explain(cases, resolve="first")] == [
        "free, by rule 1, because age < 18 (against rule 2)",
        "half, by rule 2, because age >= 18 and card in {true}",
        "full, by default, because age >= 18 and card in {false}",
    ]
    vote = rules.explain(cases, resolve="vote")[0]
    assert str(vote) == (
        "free, by rules 1, 3, because age < 18 and card in {true} (against rule 2)"
    )
    always = RuleList([Rule({}, then="full"), child], AGES)
    assert str(always.explain({"age": [9], "card": [True]})[0]) == (
        "full, by rule 1, which holds for every case (against rule 2)"
    )
    assert str(RuleSet([], AGES).explain({"age": [9], "card": [True]})[0]) == (
        "nothing is decided: no rule covers this case"
    )
    assert str(RuleSet([], AGES, default="full").explain({"age": [9], "card": [True]})[0]) == (
        "full, by default: no rule predicts anything else"
    )


def test_a_condition_that_bounds_imply_is_no_part_of_a_reason():
    space = Space([Continuous("n", bounds=(0, 9), missing=True), Categorical("card", ["a", "b"])])
    every = Rule({"n": {"<=": 9, "missing": True}}, then="x")
    rules = RuleList([Rule({"card": {"a"}}, then="y"), every], space)
    assert str(rules.explain({"n": [5], "card": ["b"]})[0].region) == "card in {b}"


def test_rows_of_tables_that_decide_together():
    rules = RuleSet(
        [
            Rule({"age": (2, None)}, then=1),
            Rule({"age": (5, 9)}, then=3),
            Rule({"age": (20, None), "card": {True}}, then=3),
        ],
        AGES,
    )
    table = DecisionTable(rules, rows=(0, 1, 1), n_rows=2, hit_policy="COLLECT")
    assert [str(each) for each in table.explain({"age": [30, 3, 1], "card": [True] * 3})] == [
        "(1, 3), by rules 1, 2, because age >= 20 and card in {true}",
        "(1), by rule 1, because 2 <= age < 5",
        "nothing is decided, because age < 2: no rule covers these cases",
    ]
    ranked = DecisionTable(rules, (0, 1, 1), 2, hit_policy="OUTPUT ORDER", ranking=(3, 1))
    assert ranked.explain({"age": [30], "card": [True]})[0].rules == (1, 0)
    assert ranked.decide({"age": [30], "card": [True]}) == [(1, 0)]


def test_a_reason_says_if_a_shorter_one_may_exist(monkeypatch):
    space = Space([Continuous(f"f{i}") for i in range(24)])
    pairs = [(4 * block + i, 4 * block + j) for block in range(6) for i in (0, 1) for j in (2, 3)]
    rules = RuleSet(
        [Rule({f"f{i}": (0, None), f"f{j}": (0, None)}, then="x") for i, j in pairs],
        space,
        default="y",
    )
    case = np.full((1, 24), -1.0)
    assert rules.explain(case)[0].region.n_conditions == 12
    assert rules.explain(case)[0].is_proved
    monkeypatch.setattr(_fewest, "_STEPS", 1)
    _fewest._hitting.cache_clear()
    greedy = rules.explain(case)[0]
    _fewest._hitting.cache_clear()
    assert not greedy.is_proved
    assert greedy.text.endswith("; perhaps fewer conditions are enough")
