"""Every decision by default has a reason: a region in which no rule predicts anything else."""

import json
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irenic
import strategies as sts
from irenic import Region, Rule, RuleList, RuleSet, dumps, enlarge, from_rules, read_model
from irenic.errors import FormatError
from irenic.learn import predict_table
from irenic.learn.default_regions import reason_rules
from irenic.model.features import LOWEST
from irenic.searching.explaining import regions_by_default
from irenic.systems import MichiganClassifier
from tests.learn.fitting import people, quick

X, Y = people(200)


@pytest.fixture(scope="module")
def plain():
    return quick().fit(X, Y)


def sample(space, seed):
    return Region(space).sample(10, random_state=seed)


ANY_RULES = given(sts.consistent_rule_sets(max_features=3, default="A"), st.integers(0, 2**31))


@ANY_RULES
def test_a_reason_holds_for_the_case_and_is_as_short_as_possible(rules, seed):
    rows = sample(rules.space, seed)
    left = rows.take(~rules.covering(rows).any(axis=1))
    counted = reason_rules(rules, rows)
    if not len(left):
        assert counted is None
        return
    # those of training rows are counted
    assert all(rule.then == "A" and not len(rules.rivals_of(rule.region, "A")) for rule in counted)
    grown = regions_by_default(rules, left)
    covers, sizes = counted.covering(left), counted.conditions_per_rule()
    assert len(counted) <= len(set(grown))
    for row, region in enumerate(grown):
        case = left.take([row])
        assert region.contains(case).all()
        assert not len(rules.rivals_of(region, "A"))
        assert set(rules.predict(region.sample(20, random_state=seed)).tolist()) == {"A"}
        shortest = min(
            enlarge(rules, case, consequent="A", order=order).n_conditions
            for order in permutations(rules.space.names)
        )
        assert region.n_conditions == shortest == sizes[covers[row]].min()


LONG = Rule({"age": (None, 50), "income": (None, 40)}, then="low")
SHORT = Rule({"age": (None, 40)}, then="low")
SURE = Rule({"income": (None, 20)}, then="low")


def test_models_and_tables_name_the_shortest_rule_and_then_the_surest():
    table = {"age": [30, 30, 45, 60], "income": [30, 10, 30, 90]}
    rows = {"age": [30] * 4 + [60] * 2 + [45], "income": [30] * 4 + [10] * 2 + [30]}
    labels = ["low", "high", "low", "high", "low", "low", "low"]
    clf = from_rules(RuleSet([LONG, SHORT, SURE], default="high"), rows, labels)
    assert clf.chosen_.counts.confidence[:3].tolist() == [0.6, 0.5, 1.0]
    said = clf.explain(table)
    assert [decision.rules for decision in said] == [(1, 0), (2, 0, 1), (0,), ()]
    assert [decision.confidence[0] for decision in said[:3]] == [0.5, 1.0, 0.6]
    shown = [str(decision.region) for decision in said[:3]]
    assert shown == [str(rule.region) for rule in (SHORT, SURE, LONG)]
    assert said[0].text.startswith("low, by rules 2, 1, because age < 40 (support")
    columns = predict_table(clf, table, explain=True)
    assert columns["rule"].tolist()[:3] == [str(rule) for rule in (SHORT, SURE, LONG)]
    assert columns["confidence"].tolist()[:3] == [0.5, 1.0, 0.6]
    own = predict_table(clf.rules_, table, explain=True)  # without confidence, the first is named
    assert own["rule"].tolist()[:3] == [str(rule) for rule in (SHORT, SHORT, LONG)]
    # predictions and probabilities are still those of the first rule
    likely = clf.predict_proba(table)
    assert likely[0].tolist() == likely[1].tolist() == likely[2].tolist()


def test_where_the_order_decides_the_reason_does_too():
    rules = RuleSet([LONG, SHORT, SURE], default="high")
    table = {"age": [30], "income": [30]}
    assert rules.explain(table)[0].rules == (1, 0)
    for resolve in ("first", "best"):
        assert rules.explain(table, resolve=resolve)[0].rules == (0,)
    assert rules.explain(table, resolve="vote")[0].rules == (0, 1)
    assert RuleList.from_rules(rules).explain(table)[0].rules == (0,)


def test_a_reason_does_not_say_that_a_known_number_may_be_missing(plain):
    rules = RuleSet(
        [Rule({"age": (18, None), "job": {"cook"}}, then="x")], plain.space_, default="y"
    )
    for age, text in ((7.0, "age < 18"), (np.nan, "(age < 18 or missing)")):
        case = plain.space_.encode(X.iloc[:1].assign(age=[age], job="cook"))
        assert str(regions_by_default(rules, case)[0]) == text


def test_a_set_without_rules_needs_no_condition(plain):
    decision = plain.select(max_rules=0).explain(X.iloc[:1])[0]
    assert decision.text.startswith("middle, by default: no rule predicts anything else (support")
    assert decision.region.n_conditions == 0


def test_predictions_as_columns_have_the_reason():
    rules = RuleSet([Rule({"age": (None, 18), "job": {"cook"}}, then="free")], default="full")
    table = {"age": [3, 40, 3], "job": ["cook", "cook", "poet"]}
    assert predict_table(rules, table, explain=True)["rule"].tolist() == [
        "IF age < 18 AND job in {cook} THEN free",
        "default: IF age >= 18 THEN full",
        "default: IF job not in {cook} THEN full",
    ]
    silent = RuleSet(list(rules))
    assert predict_table(silent, table, explain=True)["rule"].tolist()[1] == "no rule"


# --- what was counted


@pytest.fixture(scope="module")
def validated():
    return quick(moves=1000, selection="validation").fit(X, Y)


@pytest.mark.parametrize("options", [{}, {"conflicts": "vote"}, {"class_weight": "balanced"}])
def test_figures_of_regions_are_those_of_the_training_rows(options):
    clf = quick(moves=1000, **options).fit(X, Y)
    seen = 0
    for point in clf.pareto_front_:
        known, rules = point.default_regions, point.rule_set
        if known is None:
            assert rules.covering(X).any(axis=1).all()
            continue
        covers = known.rules.covering(X)
        seen += len(known)
        assert known.support.tolist() == covers.sum(axis=0).tolist()
        right = (covers & (rules.default == Y)[:, None]).sum(axis=0)
        assert known.training_confidence == pytest.approx(right / known.support)
        assert known.confidence == pytest.approx(known.training_confidence)
        assert np.isnan(known.intervals).all()  # no rows were left out
        sizes = known.rules.conditions_per_rule().tolist()
        assert sizes == sorted(sizes)
        # every training row that the default decides has a reason that was counted
        assert (covers.any(axis=1) | rules.covering(X).any(axis=1)).all()
    assert seen > len(clf.pareto_front_)


def test_a_decision_has_the_figures_of_its_region(validated):
    known = validated.chosen_.default_regions
    columns, decisions = predict_table(validated, X, explain=True), validated.explain(X)
    assert columns["support"].tolist() == [decision.support[0] for decision in decisions]
    assert columns["confidence"].tolist() == [decision.confidence[0] for decision in decisions]
    by_default = [decision for decision in decisions if not decision.rules]
    assert by_default
    for decision in by_default:
        assert decision.counted
        place = [rule.region for rule in known.rules].index(decision.region)
        assert decision.support == (int(known.support[place]),)
        assert decision.confidence == (known.confidence[place],)
        assert decision.intervals == (tuple(known.intervals[place]),)
        low, high = decision.intervals[0]
        assert low < decision.confidence[0] < high
        assert f"because {decision.region} (support {decision.support[0]}, conf" in decision.text
    # the confidence is lower than that of the training rows
    away = known.training_confidence > (validated.rules_.default == Y).mean()
    assert away.any()
    assert (known.confidence[away] < known.training_confidence[away]).all()
    assert str(known).splitlines()[0] == (
        f"{known.rules[0]} (support {known.support[0]:g}, confidence {known.confidence[0]:.2f})"
    )
    assert "Where the default decides" in known._repr_html_()


def test_a_reason_that_no_training_row_has_is_not_counted():
    rules = RuleSet([Rule({"age": (None, 18), "income": (None, 9)}, then="free")], default="full")
    rows = {"age": [3, 40, 50], "income": [5, 5, 5]}
    clf = from_rules(rules, rows, ["free", "full", "free"])
    assert [str(rule.region) for rule in clf.chosen_.default_regions.rules] == ["age >= 18"]
    counted, other, both = clf.explain({"age": [30, 3, 30], "income": [5, 12, 12]})
    assert counted.text == "full, by default, because age >= 18 (support 2, confidence 0.50)"
    assert both.text == counted.text
    assert other.text == (
        "full, by default, because income >= 9 (all cases by default: support 2, confidence 0.50)"
    )
    assert (counted.counted, other.counted) == (True, False)


def test_files_keep_the_figures_and_no_row(validated):
    text = dumps(validated, format="json")
    again = read_model(text)
    before = validated.explain(X)
    assert [d.text for d in again.explain(X)] == [d.text for d in before]
    assert dumps(again, format="json") == text
    for point in again.pareto_front_:
        tested = np.unique(np.concatenate([point.rule_set.lower, point.rule_set.upper], axis=1))
        known = point.default_regions.rules
        bounds = np.unique(np.concatenate([known.lower, known.upper], axis=1))
        assert set(bounds) <= {*tested, -np.inf, np.inf, LOWEST}
    # files of older versions have no figures
    data = json.loads(text)
    for point in data["model"]["front"]:
        del point["default_regions"]
    old = irenic.parse(json.dumps(data).encode(), format="json").model()
    assert old.chosen_.default_regions is None
    by_default = [decision for decision in old.explain(X) if not decision.rules]
    assert all("(all cases by default: support" in decision.text for decision in by_default)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.pop("support"), '"default_regions" must have the keys if, support'),
        (lambda d: d.update({"if": []}), '"default_regions" must have regions'),
        (lambda d: d["support"].pop(), '"support" must contain'),
        (lambda d: d["confidence"].__setitem__(0, 2), '"confidence" must be at most 1'),
        (lambda d: d["if"].__setitem__(0, {}), "must overlap no rule that predicts anything else"),
        (lambda d: d["if"].__setitem__(0, {"aeg": {"<": 3}}), "unknown feature"),
        (lambda d: d["if"].__setitem__(0, 3), '"default_regions": '),
    ],
)
def test_wrong_regions_in_files_are_refused(validated, change, message):
    data = json.loads(dumps(validated, format="json"))
    model = data["model"]
    change(model["front"][model["chosen"]]["default_regions"])
    with pytest.raises(FormatError, match=message):
        irenic.parse(json.dumps(data).encode(), format="json").model()


def test_other_rows_are_counted_in_the_regions(validated):
    others, labels = people(150, seed=5)
    known = validated.recount(others, labels).chosen_.default_regions
    covers = known.rules.covering(others)
    assert known.support.tolist() == covers.sum(axis=0).tolist()


def test_classifier_systems_count_reasons_too():
    clf = MichiganClassifier(population_size=60, steps=150, random_state=0).fit(X, Y)
    by_default = [decision for decision in clf.explain(X) if not decision.rules]
    assert by_default
    for decision in by_default:
        assert decision.support == (decision.region.contains(X).sum(),)


def test_few_regions_are_counted(monkeypatch):
    monkeypatch.setattr("irenic.learn.default_regions._REASON_LIMIT", 2)
    clf = quick(moves=1000).fit(X, Y)
    assert max(len(point.default_regions) for point in clf.pareto_front_) == 2
    rest = [decision for decision in clf.explain(X) if not decision.rules and not decision.counted]
    assert all("(all cases by default: support" in decision.text for decision in rest)
