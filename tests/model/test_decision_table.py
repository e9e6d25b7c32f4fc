"""Decision tables and rule lists."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
import strategies as sts
from irenic import ConditionError, ConflictError, DataError, DecisionTable, Rule, RuleList, RuleSet
from irenic.model import Provenance
from irenic.model.decision_table import HIT_POLICIES
from refusals import refuses

AGES = RuleSet(
    [
        Rule({"age": (None, 18)}, then="reduced"),
        Rule({"age": (60, None)}, then="reduced"),
        Rule({"age": (10, 70)}, then="full"),
    ],
    default="none",
)


# --- lists


@given(sts.rule_sets(max_size=5))
def test_in_a_list_the_first_rule_that_holds_decides(rules):
    cells = naive.cells_of(naive.grid(rules.space, [rule.region for rule in rules]))[:100]
    instances = naive.instances(rules.space, cells)
    decided = RuleList.from_rules(rules).decide(instances).tolist()
    assert decided == [naive.decide(rules, cell) for cell in cells]
    # a list is read down to the rule that decides; a table depending on its hit policy
    ranking = tuple(reversed(rules.consequents))
    by_priority = sorted(rules, key=lambda rule: ranking.index(rule.then))
    read = {"FIRST": naive.list_explanation_size(rules, cells)}
    read["PRIORITY"] = naive.list_explanation_size(by_priority, cells)
    size = RuleList.from_rules(rules).explanation_size(instances)
    assert math.isclose(size, read["FIRST"])
    for policy in (None, *HIT_POLICIES):
        table = replace(DecisionTable.from_rules(rules), hit_policy=policy, ranking=ranking)
        expected = read.get(policy, naive.explanation_size(rules, cells))
        assert math.isclose(table.explanation_size(instances), expected)


def test_the_explanation_size_of_a_list_counts_all_rules_for_the_default():
    regions = [{"a": (0, 10), "b": (0, 10)}, {"a": (5, 20)}, {"a": (0, 30), "b": (None, 5)}]
    rule_list = RuleList([Rule(r, then=t) for r, t in zip(regions, "ABA", strict=True)])
    X = {"a": [6, 15, 1, 99], "b": [1, 1, -1, 1]}
    assert rule_list.decide(X).tolist() == [0, 1, 2, -1]
    assert rule_list.explanation_size(X) == (2 + 3 + 5 + 5) / 4
    assert rule_list.rules.explanation_size(X) == ((2 + 1 + 2) + (1 + 2) + 2 + 0) / 4
    assert rule_list.explanation_size({"a": [], "b": []}) == 0.0
    assert RuleList(space=rule_list.space).explanation_size(X) == 0.0


def test_a_list_compares_and_slices_in_order():
    rule_list = RuleList.from_rules(AGES)
    assert (len(rule_list), rule_list.default, rule_list.space) == (3, "none", AGES.space)
    assert rule_list[0] == AGES[0]
    assert rule_list[1:] == RuleList.from_rules(AGES[1:])
    assert rule_list != RuleList.from_rules(AGES[[1, 0, 2]])
    assert RuleSet(AGES, default="none") == AGES[[1, 0, 2]]
    assert rule_list != AGES
    assert repr(rule_list).startswith(
        "<RuleList: 3 rules, 1 feature>\n  1. IF age < 18 THEN reduced"
    )
    assert "<table" in rule_list._repr_html_()
    rule_list.rules.remove(0)
    assert len(rule_list) == 3
    assert rule_list.predict({"age": [15, 65, 40]}).tolist() == ["reduced", "reduced", "full"]
    assert len(rule_list.conflicts()) == 2
    assert len(rule_list.overlaps()) == 0
    assert rule_list.covering({"age": [15]}).tolist() == [[True, False, True]]
    assert str(rule_list.explain({"age": [15]})[0]) == (
        "reduced, by rule 1, because age < 18 (against rule 3)"
    )


# --- tables


def test_a_row_can_make_several_rules_or_none():
    table = DecisionTable(AGES, (0, 0, 2), 3, name="fares", hit_policy="UNIQUE")
    assert (table.places(0), table.places(1), table.never_hold, len(table)) == ([0, 1], [], (1,), 3)
    assert table.first_conflict().first == 0
    assert table.first_conflict().second == 2
    assert table.under("FIRST").as_rules() == RuleList.from_rules(AGES)
    assert table.as_rules() == AGES
    changed = table.with_rules(AGES[:1])
    assert (changed.n_rows, changed.never_hold) == (2, (1,))
    assert (changed.name, changed.hit_policy) == ("fares", "UNIQUE")
    assert table.under("FIRST").with_rules(AGES).hit_policy is None
    assert DecisionTable.from_rules(AGES[:1]).first_conflict() is None


def test_a_priority_table_is_ordered_by_its_ranking():
    ranked = DecisionTable.from_rules(AGES).under("PRIORITY")
    assert ranked.winning == [0, 1, 2]
    ranked = DecisionTable(AGES, (0, 1, 2), 3, hit_policy="PRIORITY", ranking=("full", "reduced"))
    assert ranked.winning == [2, 0, 1]
    assert ranked.as_rules()[0] == AGES[2]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rules": [1]}, "rules must be a RuleSet, got list; create one with RuleSet(rules)"),
        ({"rows": (0, 1)}, "rows must have 3 indices, one per rule, got 2"),
        ({"rows": (0, 1, 3)}, "rows must be indices below 3, got (0, 1, 3)"),
        ({"rows": (0, 1, "2")}, "rows must be indices below 3, got (0, 1, '2')"),
        ({"rows": (0, 1, 1)}, "row 2 must have one consequent, got two"),
        ({"n_rows": None}, "n_rows must be a non-negative integer, got None"),
        ({"provenance": Provenance(lines=(1,))}, "lines must have 3 numbers, one per row, got 1"),
        ({"hit_policy": "FIRTS"}, "unknown hit policy 'FIRTS'; did you mean 'FIRST'?"),
    ],
)
def test_an_invalid_table_is_rejected(options, message):
    with pytest.raises(ConditionError) as caught:
        DecisionTable(**{"rules": AGES, "rows": (0, 1, 2), "n_rows": 3, **options})
    assert str(caught.value).startswith(message)


# --- predictions under every hit policy


def outcome(policy, thens, ranking, default):
    """Return the outcome of rows that hold, given in the order of the table: a slow twin."""
    if not thens and default is not None:
        return default
    by_rank = sorted(thens, key=lambda then: ranking.index(then) if then in ranking else 99)
    return {
        "FIRST": thens[0] if thens else None,
        "PRIORITY": by_rank[0] if thens else None,
        "RULE ORDER": thens or None,
        "OUTPUT ORDER": by_rank or None,
        "COLLECT": thens,
    }[policy]


@given(
    st.sampled_from(["FIRST", "PRIORITY", "RULE ORDER", "OUTPUT ORDER", "COLLECT"]),
    sts.rule_sets(max_size=5),
)
@sts.examples(1.2)
def test_predictions_follow_the_hit_policy(policy, rules):
    cells = naive.cells_of(naive.grid(rules.space, [rule.region for rule in rules]))[:100]
    instances = naive.instances(rules.space, cells)
    ranking = tuple(reversed(rules.consequents))[:2]
    # two rules in a row: the outcome of a row counts once
    pairs = [(i, i - i % 2) for i in range(len(rules))]
    rows = tuple(first if rules[first].then == rules[i].then else i for i, first in pairs)
    table = DecisionTable(rules, rows, len(rules), policy, ranking=ranking)
    thens = dict(zip(rows, rules.thens, strict=True))
    deciding = table.decide(instances)
    for covering, prediction, decided in zip(
        rules.covering(instances), table.predict(instances).tolist(), deciding, strict=True
    ):
        held = sorted({row for row, holds in zip(rows, covering, strict=True) if holds})
        said = outcome(policy, [thens[row] for row in held], ranking, rules.default)
        assert prediction == said
        if policy in ("RULE ORDER", "COLLECT"):
            assert list(decided) == held
        else:
            assert set(decided) <= set(held)
            assert bool(decided) == bool(held)


def under(policy, aggregation="", **options):
    rules = [
        Rule({"years": (1, None)}, then=0.1),
        Rule({"years": (2, None)}, then=0.2),
        Rule({"years": (3, None)}, then=0.2),
    ]
    table = DecisionTable.from_rules(RuleSet(rules, **options)).under(policy)
    return replace(table, aggregation=aggregation)


def test_collect_aggregates():
    for aggregation, expected in {
        "": [[], [0.1], [0.1, 0.2], [0.1, 0.2, 0.2]],
        "SUM": [None, 0.1, 0.3, 0.5],
        "MIN": [None, 0.1, 0.1, 0.1],
        "MAX": [None, 0.1, 0.2, 0.2],
        "COUNT": [0, 1, 2, 3],
    }.items():
        table = under("COLLECT", aggregation)
        assert table.predict({"years": [0, 1, 2, 3]}).tolist() == expected
    # the default counts where no row holds
    table = under("COLLECT", "SUM", default=0)
    assert table.predict({"years": [0, 1]}).tolist() == [0, 0.1]
    assert table.predict({"years": [0]}, default=7).tolist() == [7]
    assert under("COLLECT").predict({"years": [0]}, default="none").tolist() == ["none"]


def test_several_outputs_are_aggregated_one_by_one():
    rules = RuleSet([Rule({}, then=(1, "b")), Rule({"f": (0, None)}, then=(2, "a"))])
    table = replace(DecisionTable.from_rules(rules).under("COLLECT"), outputs=("n", "t"))
    assert replace(table, aggregation="MIN").predict({"f": [1]}).tolist() == [(1, "a")]
    assert replace(table, aggregation="COUNT").predict({"f": [1]}).tolist() == [2]
    with pytest.raises(ConditionError, match=r"^SUM needs numbers, got 'b', 'a'$"):
        replace(table, aggregation="SUM").predict({"f": [1]})
    rules = RuleSet([Rule({}, then=1), Rule({"f": (0, None)}, then="a")])
    table = replace(DecisionTable.from_rules(rules).under("COLLECT"), aggregation="MIN")
    with pytest.raises(ConditionError, match=r"^MIN needs values of one ordered kind, got 1, 'a'$"):
        table.predict({"f": [1]})


def test_contradicting_rows_cannot_decide_without_a_policy():
    table = DecisionTable(AGES, (0, 0, 1), 2)
    text = r"rule 1 says reduced, rule 2 says full.*such as FIRST"
    refuses(ConflictError, text, table.predict, {"age": [5]})
    assert table.under("FIRST").predict({"age": [5, 15, 40]}).tolist() == [
        "reduced", "reduced", "full"
    ]  # fmt: skip
    assert table.under("FIRST").decide({"age": [5, 15, 40]}) == [(0,), (0,), (1,)]


def test_rules_that_decide_some_labels_decide_together():
    rules = RuleSet(
        [Rule({"f": (0, None)}, then={"x": True}), Rule({"f": (5, None)}, then={"y": True})]
    )
    table = DecisionTable.from_rules(rules)
    assert table.decide({"f": [-1, 1, 9]}) == [(), (0,), (0, 1)]
    assert table.predict({"f": [9]}).tolist() == [frozenset({"x", "y"})]


def test_features_are_computed_from_named_columns():
    rules = RuleSet([Rule({"in debt": {True}, "age": (18, None)}, then="no")], default="yes")
    computed = {"in debt": lambda case: case["debt"] > case["assets"]}
    table = replace(DecisionTable.from_rules(rules), computed=computed)
    columns = {"age": [20, 20, 5], "debt": [5, 1, 5], "assets": [2, 2, 2]}
    assert table.predict(columns).tolist() == ["no", "yes", "yes"]
    # a column of that name counts
    given_column = columns | {"in debt": [False, True, True]}
    assert table.predict(given_column).tolist() == ["yes", "no", "yes"]
    refuses(DataError, "columns of the table must have names", table.predict, [[20, 5]])
