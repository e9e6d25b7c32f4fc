"""Properties and test cases in the document."""

from __future__ import annotations

import pytest

from irenic import (
    Categorical,
    ConditionError,
    Continuous,
    DataError,
    FormatError,
    Rule,
    RuleSet,
    Space,
)
from irenic.reporting.document import VERSION
from irenic.reporting.summarize import summarize

SPACE = Space(
    [Continuous("age", missing=True), Categorical("job", ["cook"], other=True, missing=True)]
)
RULES = RuleSet(
    [Rule({"age": (None, 18)}, then="refuse"), Rule({"age": (18, None)}, then="grant")], SPACE
)


def properties(text, rules=RULES):
    return summarize(rules, properties=text)["properties"]


def test_a_summary_without_expectations_has_none():
    summary = summarize(RULES)
    assert (summary["properties"], summary["cases"], summary["version"]) == ([], [], VERSION)


def test_a_property_is_regions_and_a_test_of_outcomes():
    (never,) = properties("NEVER grant WHERE age < 18 OR job = clerk")
    assert never["verdict"] == "refuted"
    assert never["asked"] == {
        "claim": "only",
        "where": [{"age": [-1.7976931348623157e308, 18.0]}, {"job": [3]}],
        "excused": [],
        "test": {"=": "grant"},
        "passes": False,
        "feature": None,
        "order": [],
    }
    (only,) = properties("grant ONLY IF age >= 18")
    assert (only["asked"]["where"], only["asked"]["excused"]) == ([{}], [{"age": [18.0, None]}])
    (rises,) = properties("outcome INCREASES WITH age ORDER refuse, grant")
    assert (rises["asked"]["claim"], rises["asked"]["feature"]) == ("rising", "age")
    assert rises["asked"]["order"] == ["refuse", "grant"]
    (nothing,) = properties("NEVER nothing")
    assert nothing["asked"]["test"] == {"=": None}


def test_a_property_that_the_page_cannot_check_says_why():
    for text, why in {
        "SAME AS main.txt": "checked by irenic prove, not here",
        "NEVER grant WHERE agee < 18": "unknown feature 'agee'",
        "outcome INCREASES WITH job ORDER refuse, grant": "'job' has unordered values",
        "outcome DOES NOT DEPEND ON sex": "'sex'",
    }.items():
        (found,) = properties(text)
        assert (found["verdict"], found["asked"]) == ("unknown", None)
        assert why in found["text"]


def test_a_property_of_contradicting_rules_is_unknown():
    rules = RuleSet([*RULES, Rule({"age": (10, 30)}, then="ask")], SPACE)
    (found,) = properties("NEVER grant WHERE age < 18", rules)
    assert found["verdict"] == "unknown"
    assert "unknown while rules contradict each other" in found["text"]
    (case,) = summarize(rules, cases=({"age": [20], "job": ["cook"]}, ["grant"]))["cases"]
    assert case["passed"] is None


def test_cases_are_numbers_with_their_outcomes():
    X = {"age": [17, None], "job": ["nurse", None]}
    summary = summarize(RULES, cases=(X, ["grant", None]))
    first, second = summary["cases"]
    assert summary["features"][1]["listed"] == ["cook", "nurse"]
    said = {"expected": "grant", "text": "grant", "passed": False}
    assert said | {"case": {"age": 17, "job": 3}} == {key: first[key] for key in (*said, "case")}
    said = {"expected": None, "text": "nothing", "passed": True}
    assert said | {"case": {"age": None, "job": 0}} == {key: second[key] for key in (*said, "case")}


def test_errors():
    with pytest.raises(ConditionError, match="cases must be a pair of a table and the expected"):
        summarize(RULES, cases=[1])
    with pytest.raises(DataError, match="expected must have one outcome per case, got 1 for 2"):
        summarize(RULES, cases=({"age": [1, 2], "job": ["cook", "cook"]}, ["grant"]))
    with pytest.raises(FormatError, match="line 2"):
        summarize(RULES, properties=["NEVER grant", "NEVER"])
