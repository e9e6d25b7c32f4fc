"""The summary, compared with counts of rules and instances one by one."""

from __future__ import annotations

import datetime
import io
import json
import math
import re
from collections import Counter
from functools import cache

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.console import Console

import irenic
import strategies
from documents import region_of, validated
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
    summarize,
)
from irenic.formats.json.rules import decode_value
from irenic.learn import Evolution
from irenic.monitoring import compare_groups
from irenic.reporting.documents import CheckedFile, check_document, learn_document
from irenic.reporting.groups import encode_groups
from irenic.reporting.terminal import print_check, print_learned
from irenic.systems import MichiganClassifier, PittsburghClassifier

AGES = RuleSet(
    [Rule({"age": (0, 30)}, then="low"), Rule({"age": (29, 60)}, then="high")], default="low"
)
X = {"age": [10, 29, 50, 70]}
Y = ["low", "low", "high", "high"]


@st.composite
def counted(draw):
    """Draw rules, instances in their space, and labels that rules may or may not predict."""
    rules = draw(strategies.rule_sets())
    n = draw(st.integers(0, 12))
    points = list(Region(rules.space).sample(n, random_state=draw(st.integers(0, 9))))
    labels = draw(st.lists(st.sampled_from(["A", "B", "new"]), min_size=n, max_size=n))
    return rules, points, labels


def covers(box, case):
    """Return whether a box contains a case, as its type documents."""
    for name, condition in box.items():
        value = case[name]
        if any(isinstance(part, float) or part is None for part in condition):
            low, high = (math.inf if c is None else c for c in condition)
            low = -math.inf if condition[0] is None else low
            number = -math.inf if value is None else value
            if not low <= number < high:
                return False
        elif value not in condition:
            return False
    return True


NOT_MISSING = RuleSet(
    [Rule({"f1": {"missing": False}}, then="A")], Space([Continuous("f1", kind="date")])
)


@given(counted())
@example((NOT_MISSING, [{"f1": datetime.date(2024, 1, 1)}], ["A"]))
def test_counts_and_boxes_are_those_of_each_instance(drawn):
    rules, points, labels = drawn
    summary = summarize(rules, points, labels, budget=1)
    (model,) = summary["models"]
    texts = [entry["text"] for entry in summary["labels"]]
    held = [[point in rule.region for point in points] for rule in rules]
    for rule, entry, inside in zip(rules, model["rules"], held, strict=True):
        true = [label for label, is_in in zip(labels, inside, strict=True) if is_in]
        assert entry["support"] == len(true)
        assert entry["confidence"] == (
            pytest.approx(true.count(rule.then) / len(true)) if true else None
        )
        assert entry["mix"] == [true.count(text) for text in texts]
    said = [
        {rule.then for rule, inside in zip(rules, held, strict=True) if inside[i]}
        for i in range(len(points))
    ]
    results = model["results"]
    assert model["default"]["support"] == said.count(set()) == results["uncovered"]
    assert results["contradicted"] == sum(len(thens) > 1 for thens in said)
    right = [
        (thens or {rules.default}) == {label} for thens, label in zip(said, labels, strict=True)
    ]
    assert results.get("right", 0) == sum(right)
    if points:
        assert sum(n for _, _, n in results["confusion"]) == len(points)
        assert sum(n for true, told, n in results["confusion"] if true == told) == sum(right)
    # boxes contain the same cases as their regions
    regions = [(rule.region, e["box"]) for rule, e in zip(rules, model["rules"], strict=True)]
    for entry in model["findings"]:
        if entry["region"] is not None:
            box = entry["region"]["box"]
            regions.append((region_of(entry["region"], rules.space), box))
            assert covers(box, entry["witness"]["case"])
    columns = summary["instances"]["columns"]
    for i, point in enumerate(points):
        case = {name: column[i] for name, column in columns.items()}
        for region, box in regions:
            assert covers(box, case) == (point in region)


@given(strategies.rule_sets())
def test_the_summary_is_json_that_contains_the_rules_their_conditions_and_cuts(rules):
    summary = summarize(rules, budget=1)
    assert validated(json.dumps(summary, allow_nan=False)) == summary
    (model,) = summary["models"]
    for rule, entry in zip(rules, model["rules"], strict=True):
        assert region_of(entry, rules.space) == rule.region
        assert decode_value(entry["then"]["value"]) == rule.then
        assert entry["text"] == str(rule)
        conditions = entry["conditions"]
        assert [condition["text"] for condition in conditions] == rule.region.texts()
        assert [condition["feature"] for condition in conditions] == list(entry["box"])
        for condition in conditions:
            feature = rules.space[condition["feature"]]
            assert condition.get("other") == condition.get("negated")
            assert condition["missing"] == admits_missing(entry["box"][feature.name], feature)
    assert model["counts"]["conflicts"] == len(rules.conflicts())
    for feature, entry in zip(rules.space, summary["features"], strict=True):
        if isinstance(feature, Categorical):
            assert entry["kind"] == "category"
            assert len(entry["values"]) == 2 + len(feature.values)
            continue
        for cut in entry["cuts"]:
            lower = np.full(len(rules.space.continuous), -math.inf)
            lower[rules.space.row(feature.name)] = cut["at"]
            upper = np.full(len(lower), math.inf)
            masks = rules.space.everything.copy()
            region = Region.from_packed(rules.space, lower, upper, masks)
            if not region.is_empty and region.n_conditions:
                sign = ">" if cut["lower"]["open"] else ">="
                told = f"{sign} {cut['lower']['text']}"
                assert str(region).endswith(told) or " = " in str(region)
        low, high = entry["range"]
        assert low < high


def admits_missing(condition, feature):
    """Return whether a condition of a box admits a possible missing value."""
    if isinstance(feature, Categorical):
        return 0 in condition
    return feature.missing and condition[0] is None


def test_learned_rules_leave_gaps_to_their_default_by_design():
    X = {"age": [10, 20, 30, 40] * 10}
    model = irenic.RuleSetClassifier(random_state=0).fit(X, ["a", "a", "b", "b"] * 10)
    for entry in summarize(model)["models"]:
        complete = entry["verdicts"]["complete"]
        assert complete["by_design"] is (complete["holds"] is False)
        default = "ab"[entry["default"]["outcome"]]
        text = f"by design, cases that no rule covers get the default, {default}."
        assert complete["text"] == text or complete["holds"]


def test_gaps_with_the_most_instances_come_first():
    ages = {"age": [-1, 70, 80, 90, 10]}
    (model,) = summarize(AGES, ages)["models"]
    gaps = [entry for entry in model["findings"] if entry["kind"] == "gaps"]
    rows = [(gap["region"]["text"], gap["rows"]) for gap in gaps]
    assert rows == [("age >= 60", 3), ("age < 0", 1)]
    assert gaps[0]["witness"]["text"] == "age = 90"
    assert model["counts"]["gaps"] == 2


def ranges(*pairs, **options):
    """Return rules on one feature, given as pairs of its ends and the consequent."""
    return RuleSet([Rule({"a": ends}, then=then) for ends, then in pairs], **options)


def verdicts(rules, **options):
    (model,) = summarize(rules, **options)["models"]
    return model["verdicts"].values()


def test_the_verdicts_are_sentences():
    said = [(verdict["holds"], verdict["head"]) for verdict in verdicts(AGES)]
    assert said == [(False, "Not consistent"), (False, "Not complete")]
    consistent, complete = verdicts(ranges(((None, 5), "A"), ((5, None), "B")))
    assert consistent["text"] == "no two of the 2 rules contradict each other."
    assert complete["text"] == "every case is covered by a rule."
    _, complete = verdicts(ranges(((0, 9), "child"), default="adult"))
    assert complete["by_design"] is False
    assert complete["text"] == "no rule covers 2 regions; the default holds there."
    # rows in parts are counted as rows
    rules = ranges(((0, 2), "A"), ((4, 6), "A"), ((1, 5), "B"))
    consistent, _ = verdicts(DecisionTable(rules, (0, 0, 2), 3))
    assert consistent["text"] == "2 contradictions among the 3 rules."
    # a budget that ends the search leaves completeness unknown
    sides = (None, 0), (0, None)
    corners = RuleSet([Rule({"a": a, "b": b}, then="A") for a in sides for b in sides])
    budget = irenic.Budget(nodes=2)
    _, complete = verdicts(corners, budget=budget)
    assert (complete["holds"], complete["head"]) == (None, "Complete or not")
    assert "gaps" in summarize(corners, budget=budget)["models"][0]["unfinished"]


# --- decisions


def test_hit_policies_decide():
    summary = summarize(RuleList.from_rules(AGES), X, Y)
    (model,) = summary["models"]
    assert summary["decides"]["how"] == "first"
    assert model["order"] == [0, 1]
    assert model["results"]["contradicted"] == 0
    assert model["results"]["accuracy"] == 0.75  # 70 is left to the default, which is low
    # priority orders rules by their outcome
    table = DecisionTable(AGES, (0, 1), 2, hit_policy="PRIORITY", ranking=("high", "low"))
    summary = summarize(table, X, Y)
    assert summary["decides"]["text"].endswith("the one with the highest priority decides")
    assert summary["models"][0]["order"] == [1, 0]
    assert [0, 1, 1] in summary["models"][0]["results"]["confusion"]  # 29 is high, though it is low
    # no prediction is right or wrong if all rules count
    table = DecisionTable(AGES, (0, 1), 2, hit_policy="COLLECT")
    results = summarize(table, X, Y)["models"][0]["results"]
    assert "accuracy" not in results
    assert results["covered"] == 3


@pytest.mark.parametrize("how", ["vote", "best"])
def test_a_classifier_that_lets_rules_disagree_decides_as_it_predicts(how):
    model, table, labels = fitted(evolution=Evolution(conflicts=how))
    summary = summarize(model, table, labels)
    assert summary["decides"]["how"] == how
    chosen = summary["models"][summary["chosen"]]
    assert chosen["results"]["accuracy"] == pytest.approx(model.score(table, labels))


def test_impossible_cases_need_no_rule():
    space = Space([Continuous("age", bounds=(0, 120))], impossible=[{"age": (50, 60)}])
    rules = [Rule({"age": {"<": 50}}, then="A"), Rule({"age": {">=": 60}}, then="B")]
    table = DecisionTable.from_rules(RuleSet(rules, space))
    summary = summarize(table, {"age": [10, 55, 70]}, ["A", "A", "B"])
    assert summary["impossible"] == [{"text": "50 <= age < 60", "box": {"age": [50.0, 60.0]}}]
    (model,) = summary["models"]
    complete = model["verdicts"]["complete"]["text"]
    assert complete == "every case that can occur is covered by a rule."
    results = model["results"]
    assert (results["covered"], results["uncovered"], results["impossible"]) == (2, 0, 1)
    assert results["impossible_rows"] == [2]
    assert (results["right"], results["wrong"], results["wrong_rows"]) == (2, 1, [2])


def test_whole_numbers_are_spread_evenly_over_bins():
    entry = summarize(AGES, {"age": np.arange(0, 101).repeat(3)})["features"][0]
    counts = [n for n in entry["distribution"]["counts"] if n]
    assert len(set(counts[1:-1])) == 1
    assert sum(counts) == 303
    huge = summarize(AGES, {"age": [-1.7e308, 1.7e308]})["features"][0]
    assert sum(huge["distribution"]["counts"]) == 2


# --- outcomes


def test_labels_with_the_same_text_are_distinguished_and_sets_and_single_ones_mixed():
    rules = ranges(((0, 1), 1), ((1, 2), "1"))
    assert [outcome["text"] for outcome in summarize(rules)["outcomes"]] == ["1", '"1"']
    rules = ranges(((0, 5), frozenset({"p", "q"})), ((5, 9), "r"))
    summary = summarize(rules, {"a": [1, 6]}, [{"p", "q"}, {"p"}])
    assert [label["text"] for label in summary["labels"]] == ["p", "q", "r"]
    assert [outcome["labels"] for outcome in summary["outcomes"]][:2] == [[0, 1], [2]]


def test_a_missing_default_is_neither_right_nor_wrong():
    bare = RuleSet(list(AGES))
    for rules, confidence in ((AGES, 1.0), (bare, None)):
        default = summarize(rules, {"age": [70]}, ["low"])["models"][0]["default"]
        assert (default["support"], default["confidence"]) == (1, confidence)


# --- classifiers


@cache
def fitted(**options):
    from sklearn.datasets import load_iris

    bunch = load_iris(as_frame=True)
    labels = np.array(["setosa", "versicolor", "virginica"])[bunch.target.to_numpy()]
    few = {"generations": 1, "moves": 100}  # what is learned matters little here
    model = irenic.RuleSetClassifier(random_state=0, selection="description", **few, **options)
    return model.fit(bunch.data, labels), bunch.data, labels


def test_every_rule_set_of_a_front_is_summarized():
    model, table, labels = fitted()
    summary = summarize(model, table, labels)
    assert len(summary["models"]) == len(model.pareto_front_)
    for entry, point in zip(summary["models"], model.pareto_front_, strict=True):
        assert [rule["text"] for rule in entry["rules"]] == [str(rule) for rule in point.rule_set]
        size = {"features": 4, "rules": point.n_rules, "conditions": point.n_conditions}
        assert entry["size"] == size
        assert entry["results"]["accuracy"] == pytest.approx(point.training_score)
        assert entry["front"]["training_score"] == point.training_score
    assert model.pareto_front_[summary["chosen"]] is model.chosen_
    assert summary["score"] == "the accuracy"
    assert [o["text"] for o in summary["outcomes"]] == ["setosa", "versicolor", "virginica"]


def test_the_document_of_a_learner_is_a_summary_with_its_data():
    model, _, labels = fitted()
    counts = dict(Counter(labels.tolist()))
    options = {"data": "iris", "target": "species", "cross_validation": None}
    learned = validated(learn_document(model, counts=counts, **options))
    assert [(c["text"], c["rows"]) for c in learned["data"]["classes"]] == list(counts.items())
    assert (learned["data"]["rows"], learned["data"]["features"]) == (150, 4)
    summary = summarize(model, name="iris")
    assert {key: learned[key] for key in summary if key != "format"} == {
        key: summary[key] for key in summary if key != "format"
    }
    assert irenic.reporting.Report(learned).html.startswith("<!doctype html>")


def test_scores_that_are_unknown_are_null_in_the_document_of_a_learner():
    model, _, labels = fitted()
    scores = {"name": "irenic", "accuracy": 0.5, "rules": 1.0, "conditions": 1.0}
    unknown = dict.fromkeys(["low", "high", "balanced_accuracy"], math.nan)
    learned = learn_document(
        model,
        data="iris",
        target="species",
        counts=dict(Counter(labels.tolist())),
        cross_validation={"folds": None, "sampled": None, "learners": [scores | unknown]},
    )
    (known,) = validated(learned)["cross_validation"]["learners"]
    assert known == scores | dict.fromkeys(unknown)
    out = io.StringIO()
    print_learned(learned, Console(file=out, width=200))
    assert re.search(r"irenic +0.500 +– +– +1.0 +1.0", out.getvalue())


def test_counts_on_the_training_rows_equal_those_of_training():
    model, table, labels = fitted()
    alone, counted = summarize(model), summarize(model, table, labels)
    assert (alone["counted_on"], counted["counted_on"]) == ("training", "instances")
    for a, b in zip(alone["models"], counted["models"], strict=True):
        for mine, again in zip(
            [*a["rules"], a["default"]], [*b["rules"], b["default"]], strict=True
        ):
            for key in ("support", "confidence", "mix"):
                assert mine[key] == (None if again[key] is None else pytest.approx(again[key])), key
        assert a["results"] is None


def test_instances_without_labels_are_counted_without_confidence():
    model, table, _ = fitted()
    summary = summarize(model, table[:20])
    assert summary["counted_on"] == "instances"
    chosen = summary["models"][summary["chosen"]]
    assert sum(rule["support"] for rule in chosen["rules"]) <= 20 * len(chosen["rules"])
    assert {rule["confidence"] for rule in chosen["rules"]} == {None}
    assert "accuracy" not in chosen["results"]


def test_sets_of_labels_are_counted_label_by_label():
    rng = np.random.default_rng(0)
    table = rng.normal(size=(200, 3))
    labels = (table[:, :2] > 0).astype(int)
    model = irenic.RuleSetClassifier(random_state=0, generations=1, moves=200).fit(table, labels)
    summary = summarize(model, table, labels)
    assert summary["several_labels"]
    assert [label["rows"] for label in summary["labels"]] == labels.sum(axis=0).tolist()
    chosen = summary["models"][summary["chosen"]]
    said = model.predict(table)
    for place, entry in enumerate(chosen["results"]["labels"]):
        has, is_said = labels[:, place] == 1, said[:, place] == 1
        assert entry == {
            "both": (has & is_said).sum(),
            "said": (is_said & ~has).sum(),
            "had": (has & ~is_said).sum(),
        }
    assert chosen["results"]["accuracy"] == pytest.approx(model.score(table, labels))
    alone = summarize(model)["models"][summary["chosen"]]
    for mine, again in zip(alone["rules"], chosen["rules"], strict=True):
        assert mine["confidence"] == pytest.approx(again["confidence"])
        assert mine["mix"] == pytest.approx(again["mix"])


def test_a_hierarchy_is_closed_before_it_is_counted():
    table = np.arange(40.0).reshape(-1, 1)
    labels = [{"1/2"} if x < 20 else {"3"} for x in table[:, 0]]
    paths = ["1/2", "3"]
    model = irenic.RuleSetClassifier(hierarchy=paths, random_state=0, generations=2, moves=200)
    summary = summarize(model.fit(table, labels), table, labels)
    rows = {label["text"]: label["rows"] for label in summary["labels"]}
    assert rows["1"] == rows["1/2"] == 20
    assert summary["score"] == "the explained share of the label variance"


# --- instances


def test_a_random_sample_is_listed_and_all_instances_are_counted():
    ages = {"age": np.arange(1000) % 100}
    summary = summarize(AGES, ages, sample=50, random_state=3)
    shown = summary["instances"]
    assert (shown["rows"], shown["shown"], len(shown["columns"]["age"])) == (1000, 50, 50)
    assert [(n - 1) % 100 for n in shown["row_numbers"]] == shown["columns"]["age"]
    assert summary["models"][0]["results"]["rows"] == 1000
    assert summary == summarize(AGES, ages, sample=50, random_state=3)
    assert shown != summarize(AGES, ages, sample=50, random_state=4)["instances"]


def test_numbers_and_categories_are_encoded():
    space = Space(
        [Continuous("a", missing=True), Categorical("b", ["x"], missing=True, other=True)]
    )
    rules = RuleSet([Rule(Region(space, {"a": {"<": 5}, "b": {"x"}}), then="A")], space)
    summary = summarize(rules, {"a": [None, 1.5, 2.0], "b": ["x", None, "new"]})
    assert summary["instances"]["columns"] == {"a": [None, 1.5, 2], "b": [2, 0, 1]}
    box = {"a": [-1.7976931348623157e308, 5.0], "b": [2]}
    assert summary["models"][0]["rules"][0]["box"] == box
    a, b = summary["features"]
    assert a["distribution"]["missing"] == 1
    assert b["distribution"]["counts"] == [1, 1, 1]
    assert b["values"] == ["missing", "any other value", "x"]


def test_rule_sets_and_tables_can_be_empty():
    empty = RuleSet(space=Space([Continuous("a")]))
    summary = summarize(empty, {"a": []}, [])
    assert summary["models"][0]["rules"] == []
    assert "accuracy" not in summary["models"][0]["results"]
    assert summary["instances"]["shown"] == 0


# --- invalid input


@pytest.mark.parametrize(
    ("arguments", "options", "error"),
    [
        (
            (ranges(((0, 1), "1")), {"a": [0.5, 1.5]}, [1, 2]),
            {},
            "labels in y must have the type of the rules' consequents, such as '1', got 1",
        ),
        (
            (AGES, {"age": np.arange(1_500)}, list(range(1_500))),
            {},
            "y must have at most 1,000 distinct labels, got 1,500, such as 0; is it",
        ),
        ((AGES,), {"y": ["low"]}, "y must be None without X, the instances that it labels"),
        ((AGES, X, ["low"]), {}, "X and y must have the same number of rows, got 4 and 1"),
        ((AGES,), {"name": 5}, "name must be a string of Unicode characters, got 5"),
        ((AGES,), {"name": "a\udcff"}, "name must be a string of Unicode characters, got "),
        (("rules.txt",), {}, "got str; read a file with irenic.read(path)"),
        ((irenic.RuleSetClassifier(),), {}, "got RuleSetClassifier; fit it first"),
        ((MichiganClassifier(),), {}, "got MichiganClassifier; fit it first"),
        ((AGES, X), {"limit": -1}, "limit must be a non-negative whole number, got -1"),
        ((AGES, X), {"limit": 1.5}, "limit must be a non-negative whole number, got 1.5"),
        ((AGES, X), {"sample": -1}, "sample must be a non-negative whole number, got -1"),
        ((AGES, X), {"sample": True}, "sample must be a non-negative whole number, got True"),
    ],
)
def test_invalid_input_is_rejected(arguments, options, error):
    kind = DataError if " y " in f" {error}" else ConditionError
    with pytest.raises(kind, match=re.escape(error)):
        summarize(*arguments, **options)


def test_a_tree_has_to_be_converted():
    from sklearn.tree import DecisionTreeClassifier

    tree = DecisionTreeClassifier().fit([[0], [1]], [0, 1])
    with pytest.raises(
        ConditionError, match=r"got DecisionTreeClassifier; convert a fitted tree with irenic"
    ):
        summarize(tree)


@pytest.mark.parametrize(
    ("document", "error"),
    [
        ({}, "the document must be a summary, got dict; make one"),
        ({"format": "irenic check", "version": 3}, "must be a summary, got 'irenic check'; make"),
        (summarize(AGES) | {"version": 0}, "version of the summary must be 3, got 0; make it"),
    ],
)
def test_a_page_needs_a_summary(document, error):
    with pytest.raises(ConditionError, match=error):
        irenic.reporting.Report(document)


@pytest.mark.parametrize(
    ("kind", "conflicts"), [(MichiganClassifier, "avoid"), (PittsburghClassifier, "vote")]
)
def test_a_classifier_system_is_summarized_with_its_front(kind, conflicts):
    X, y = {"age": list(range(40))}, ["free"] * 18 + ["full"] * 22
    clf = kind(population_size=20, conflicts=conflicts, random_state=0).fit(X, y)
    summary = validated(summarize(clf, X, y))
    assert len(summary["models"]) == len(clf.pareto_front_)
    chosen = summary["models"][summary["chosen"]]
    assert [rule["support"] for rule in chosen["rules"]] == clf.chosen_.counts.support[:-1].tolist()
    assert chosen["results"]["right"] == round(40 * clf.score(X, y))


# --- what classifiers promise


def test_probabilities_calibration_and_groups_are_those_of_predict_proba():
    rng = np.random.default_rng(3)
    X = {"a": rng.uniform(0, 10, 300), "site": rng.choice(["north", "south", "west"], 300)}
    y = np.where((X["a"] > 5) ^ (rng.random(300) < 0.2), "yes", "no")
    model = irenic.RuleSetClassifier(random_state=0, generations=1, moves=100).fit(X, y)
    summary = irenic.summarize(model, X, y)
    used = summary["models"][summary["chosen"]]
    estimate = summary["estimate"]
    assert (estimate["score"], estimate["low"], estimate["high"]) == tuple(model.estimate_)
    proba, predictions = model.predict_proba(X), model.predict(X)
    columns = [model.classes_.tolist().index(label) for label in predictions.tolist()]
    results = used["results"]
    assert results["calibration"]["predicted"] == pytest.approx(
        proba[np.arange(300), columns].mean(), abs=1e-5
    )
    assert results["calibration"]["right"] == np.mean(predictions == y)
    assert 0 <= results["calibration"]["error"] <= 1
    (grouping,) = results["groupings"]
    assert grouping["feature"] == "site"
    for group in grouping["groups"]:
        rows = X["site"] == group["text"]
        assert group["rows"] == rows.sum()
        assert group["right"] == (predictions == y)[rows].sum()
    for index, one in enumerate(summary["models"]):
        assert one["likely"][-1]["box"] is None
        chosen = model.select(index=index)
        codes = [model.classes_.tolist().index(label) for label in chosen.predict(X).tolist()]
        places = [_region_of(one["likely"], summary, X, row) for row in range(300)]
        found = [place["probabilities"][code] for place, code in zip(places, codes, strict=True)]
        assert np.allclose(found, chosen.predict_proba(X), atol=1e-5)
        assert one["default"]["probabilities"] is None
    assert irenic.summarize(model.rules_)["estimate"] is None


def _region_of(likely, summary, X, row):
    """Return the first region that contains a row."""
    values = next(f["values"] for f in summary["features"] if f["name"] == "site")
    for region in likely:
        box = region["box"] or {}
        low, high = box.get("a", [None, None])
        sites = box.get("site", range(len(values)))
        inside = (low is None or X["a"][row] >= low) and (high is None or X["a"][row] < high)
        if inside and values.index(X["site"][row]) in sites:
            return region
    raise AssertionError(row)


def test_probabilities_that_depend_on_the_rule_alone_are_with_the_rules():
    X, y = {"a": [1, 2, 3, 4] * 10}, [["x"], ["x", "y"], ["y"], []] * 10
    model = irenic.RuleSetClassifier(random_state=0, generations=1, moves=50).fit(X, y)
    for one, point in zip(irenic.summarize(model)["models"], model.pareto_front_, strict=True):
        rows = [rule["probabilities"] for rule in one["rules"]] + [one["default"]["probabilities"]]
        assert np.allclose(rows, model._frequencies(point), atol=1e-6)
        assert one["likely"] == []


def test_rules_without_a_classifier_promise_nothing():
    results = summarize(AGES, X, Y)["models"][0]["results"]
    assert "calibration" not in results
    assert results["groupings"] == []


def test_a_report_has_no_values_of_untested_columns_with_data_or_without():
    X = {"age": [20, 30, 40], "name": ["Ann", "Bob", "Cleo"], "phone": [73301, 73302, 73303]}
    rules = irenic.RuleSet([irenic.Rule({"age": (0, 30)}, then="low")], irenic.Space.infer(X))
    assert "Cleo" not in irenic.report(rules).html
    assert "Cleo" not in irenic.report(irenic.DecisionTable.from_rules(rules)).html
    page = irenic.report(rules, X, ["low", "high", "high"])
    assert not re.search("Cleo|7330[123]", page.html)
    assert list(page.summary["instances"]["columns"]) == ["age"]
    assert [f["distribution"] is None for f in page.summary["features"]] == [False, True, True]
    tested = irenic.RuleSet([irenic.Rule({"name": {"Cleo"}}, then="low")], irenic.Space.infer(X))
    assert "Cleo" in irenic.report(tested).html
    assert "Cleo" in irenic.report(tested, X).html


def test_groups_of_instances_are_those_of_compare_groups():
    rules = RuleSet([Rule({"debt": (500, None)}, then="bad")], default="good")
    rows, sex, labels = {"debt": [100, 900, 700]}, ["f", "f", "m"], ["good", "bad", "good"]
    summary = summarize(rules, rows, labels, by=("sex", sex))
    figures = compare_groups(rules, rows, sex, labels)
    assert summary["groups"] == encode_groups("sex", figures, "good", "instances")
    assert "groups" not in summarize(rules, rows, labels)
    with pytest.raises(ConditionError, match="by must be None without instances"):
        summarize(rules, by=("sex", sex))


def test_bins_of_skewed_numbers_grow_and_the_first_has_the_zeros():
    rules = irenic.RuleSet([irenic.Rule({"income": {">": 5}}, then="A")])
    incomes = [0.0] * 5 + [10.0, 1000.0, 1e6] * 20
    (income,) = irenic.summarize(rules, {"income": incomes})["features"]
    edges, counts = income["distribution"]["edges"], income["distribution"]["counts"]
    assert (edges[:2], counts[0], sum(counts)) == ([0.0, 10.0], 5, len(incomes))
    factors = np.divide(edges[2:-1], edges[1:-2])
    assert np.allclose(factors, factors[0])


def test_long_findings_are_clipped_in_the_terminal():
    wide = {f"column {n:03}": (0, 1) for n in range(200)}
    rules = irenic.RuleSet([irenic.Rule(wide, then="A"), irenic.Rule(wide, then="B")])
    out = io.StringIO()
    checked = check_document([CheckedFile("a.csv", [irenic.check(rules, budget=0.5)])])
    print_check(checked, Console(file=out, width=200))
    assert "… (see --json)" in out.getvalue()
