"""The page checks properties as irenic.prove does, and test cases as irenic.proving.try_cases."""

from __future__ import annotations

import numpy as np
import pytest

import irenic
from irenic import RuleSet, Space
from irenic.errors import ConditionError, ConflictError
from irenic.proving import prove, try_cases
from irenic.reporting.summarize import summarize
from tests.reporting.browser.steps import OPEN_EDITOR, ask
from tests.reporting.browser.test_editor import (
    FINDINGS,
    IMPOSSIBLE,
    SPACE,
    as_table,
    list_of_rules,
    n_rows,
    priority_table,
    random_edit,
    random_rules,
    region_of,
    set_cells,
)

ORDER = "ORDER low, mid, high"
PROPERTIES = {  # with the feature in which two cases differ
    "NEVER high WHERE age < 18 AND income < 10.5 AND vip = true": None,
    "ALWAYS low OR mid WHERE job in {nurse} AND income >= 10.5 AND due >= 2026-01-31": None,
    "mid ONLY IF age >= 18 OR job in {nurse, clerk, missing}": None,
    "NEVER nothing WHERE vip = true AND age < 30": None,
    "ALWAYS outcome in {low, gone} WHERE age < 5 AND vip = true": None,
    f"outcome INCREASES WITH age {ORDER} WHERE vip = true AND job in {{nurse}}": "age",
    f"outcome DECREASES WITH income {ORDER} WHERE age < 65 AND job = nurse": "income",
    f"outcome INCREASES WITH due {ORDER} WHERE job in {{clerk}}": "due",
    "outcome DOES NOT DEPEND ON vip WHERE age >= 65 AND job in {nurse} OR income < 3": "vip",
    "outcome DOES NOT DEPEND ON due": "due",
    "outcome DOES NOT DEPEND ON age WHERE job in {pilot} AND vip = true AND age > 70": "age",
    "outcome DOES NOT DEPEND ON job WHERE age < 18 AND income < 3": "job",
}
VERDICTS = f"""(async () => {{
  const found = await {FINDINGS};
  const {{ properties, cases }} = await editor.settled();
  const names = editor.table.features.map(({{ name }}) => name);
  const values = editor.table.outcomes.map(({{ value }}) => value);
  const line = document.querySelector(".edit-verdict").innerText;
  return {{ ...found, properties, cases, names, values, line }};
}})()"""


def random_cases(rng, n=40):
    def some(values):
        return [None if rng.random() < 0.2 else value for value in values]

    X = {
        "age": rng.integers(0, 100, n).tolist(),
        "income": some(rng.integers(0, 25, n).tolist()),
        "job": some(rng.choice(["nurse", "clerk", "cook"], n).tolist()),
        "vip": rng.choice([True, False], n).tolist(),
        "due": rng.choice(["2025-03-01", "2026-01-31"], n).tolist(),
    }
    return X, some(rng.choice(["low", "mid", "high"], n).tolist())


def set_without_conflicts(rng):
    return irenic.repair(RuleSet(random_rules(rng, 8), SPACE, default="low")).rules


def with_impossible_cases(rng):
    space = Space(SPACE.features, impossible=IMPOSSIBLE)
    return irenic.repair(RuleSet(random_rules(rng, 6, space), space)).rules


def python_verdict(table, text):
    """Return whether a property holds, and why it is not known."""
    try:
        return prove(table, [text])[0].holds, ""
    except ConflictError:
        return None, "unknown while rows contradict each other"
    except ConditionError as error:
        return None, str(error).removeprefix(f"{text}: ")


def expect_broken(found, table, feature, status):
    """Check that the cases that the page shows are decided as it says."""
    names, sides = found["names"], status["sides"]
    own = dict(zip(names, sides, strict=False))
    cases = [own] if feature is None else [own, own | {feature: sides[len(names)]}]
    for case, outcome, row in zip(cases, status["outcomes"], status["rows"], strict=True):
        tested = [(name, side) for name, side in case.items() if side is not None]
        point = region_of(tested, table.space).witness()
        predicted, decided = table.predict([point]).tolist()[0], table.decide([point])[0]
        assert predicted == (None if outcome is None else found["values"][outcome])
        assert row in decided if row is not None else not decided


def expect_same_verdicts(found):
    """Compare the verdicts on properties; return those that are known."""
    table = as_table(found)
    seen = set()
    for (text, feature), status in zip(PROPERTIES.items(), found["properties"], strict=True):
        holds, why = python_verdict(table, text)
        if why.startswith("no rule has the outcome"):
            assert status["why"].startswith("no row has the outcome") or status["holds"] is False
            continue
        assert status["holds"] is holds, (text, status)
        if holds is None:
            assert status["why"] == why
        elif not holds:
            expect_broken(found, table, feature, status)
        seen.add((text, holds))
    return seen


def expect_same_cases(found, X, expected):
    """Compare the outcomes of test cases, and which of them fail."""
    table = as_table(found)
    try:
        outcomes = try_cases(table, X, expected).outcomes
    except ConflictError:
        return set()
    actual = [found["values"][c["outcome"]] if c["outcome"] >= 0 else None for c in found["cases"]]
    assert actual == [outcome.actual for outcome in outcomes]
    for each, outcome in zip(found["cases"], outcomes, strict=True):
        assert each["row"] in outcome.rules if outcome.rules else each["row"] is None
    failing = sum(not outcome.passed for outcome in outcomes)
    assert f"{failing} test cases fail" in found["line"]
    return {failing}


MAKES = [set_without_conflicts, list_of_rules, priority_table, with_impossible_cases]


@pytest.mark.parametrize("edits", [12, pytest.param(60, marks=pytest.mark.slow)])
@pytest.mark.parametrize("make", MAKES)
def test_verdicts_are_those_of_irenic_after_every_random_edit(page_of, make, edits):
    rng = np.random.default_rng(3)
    rules, (X, expected) = make(rng), random_cases(rng)
    summary = summarize(rules, properties=PROPERTIES, cases=(X, expected))
    page = page_of(summary)
    page.evaluate(OPEN_EDITOR)
    found = ask(page, VERDICTS)
    seen = expect_same_verdicts(found)
    assert [each["holds"] for each in found["properties"]] == [
        {"proved": True, "refuted": False}.get(each["verdict"]) for each in summary["properties"]
    ]
    tried = expect_same_cases(found, X, expected)
    for _ in range(edits):
        rows = n_rows(found)
        edit = random_edit(rng, rows) if rows else "addRow(-1)"
        found = ask(page, f"(editor.actions.{edit}, {VERDICTS})")
        try:
            seen |= expect_same_verdicts(found)
            tried |= expect_same_cases(found, X, expected)
        except Exception as error:
            error.add_note(f"after {edit}")
            raise
        if found["conflictCount"] and rng.random() < 0.8:
            ask(page, f"(editor.actions.undo(), {FINDINGS})")
    assert {holds for _, holds in seen} >= {True, False}
    assert edits < 60 or len(seen) > len(PROPERTIES)  # both verdicts on many of them
    assert len(tried) > 1


LOANS = """
IF age < 18 THEN refuse
IF age >= 18 AND debt > 5000 THEN refuse
IF age >= 18 AND debt <= 5000 AND job in {none} THEN ask
IF age >= 18 AND debt <= 5000 AND job not in {none} THEN grant
"""
HELD = [
    "NEVER grant WHERE age < 18",
    "outcome DECREASES WITH debt ORDER refuse, ask, grant WHERE age >= 18",
]


def loans(page_of, *, properties=HELD, cases=({"age": [20], "debt": [0]}, ["grant"]), **options):
    rules = irenic.loads(LOANS, format="txt")
    X, expected = cases
    X = {"job": ["cook"] * len(expected)} | X
    page = page_of(summarize(rules, properties=properties, cases=(X, expected)), **options)
    page.evaluate(OPEN_EDITOR)
    ask(page, "editor.settled()")
    return page


def change(page, row, column, text):
    set_cells(page, (row, column, text))
    ask(page, "editor.settled()")


def test_a_broken_property_is_shown_with_a_case_and_its_cells(page_of):
    page = loans(page_of)
    page.locator(".verdict-part.good", has_text="2 properties hold").wait_for()
    page.locator(".verdict-part.good", has_text="1 test case passes").wait_for()
    change(page, 0, 0, "< 16")
    change(page, 3, 0, ">= 16")
    page.locator(".verdict-part.bad", has_text="1 property broken").wait_for()
    item = page.locator(".edit-found li", has_text="NEVER grant WHERE age < 18")
    assert "grant (row 4) for age = 17, debt = 3000, job = cook." in item.text_content()
    assert item.locator(".region").text_content() == "age [16..18) debt <= 5000 job not(none)"
    item.get_by_role("button", name="Show what breaks").click()
    marked = page.locator(".grid-cell.concerned")
    assert marked.all_text_contents() == [">= 16", "<= 5000", "not(none)", "grant"]


def test_broken_directions_and_failing_cases_name_the_rows_that_decide(page_of):
    page = loans(page_of)
    change(page, 1, 3, "grant")
    text = page.locator(".edit-found li", has_text="DECREASES WITH debt").text_content()
    assert "ask (row 3) for age = 30, debt = " in text
    assert "but grant (row 2) for age = 30, debt = " in text
    low, high = (float(part.split(",")[0]) for part in text.split("debt = ")[1:])
    assert low <= 5000 < high
    change(page, 3, 3, "ask")
    item = page.locator(".edit-found li", has_text="Case 1")
    assert "ask (row 4) instead of grant." in item.text_content()
    item.get_by_role("button", name="Show the row that decides case 1").click()
    assert page.locator(".grid-cell.active").get_attribute("id") == "cell-3-3"


def test_what_the_page_cannot_check_is_never_a_silent_pass(page_of):
    page = loans(page_of, properties=["SAME AS main.txt", "NEVER grant WHERE age < 18"])
    line = page.locator(".edit-verdict").text_content()
    assert "1 property holds" in line
    assert "1 property unknown here: run irenic prove" in line
    item = page.locator(".edit-found li", has_text="SAME AS main.txt")
    assert "checked by irenic prove, not here" in item.text_content()
    # several rows count under COLLECT, so that nothing is checked here
    rules = irenic.loads(LOANS, format="txt")
    table = irenic.DecisionTable(rules, rows=(0, 1, 2, 3), n_rows=4, hit_policy="COLLECT")
    cases = {"age": [20], "debt": [0], "job": ["cook"]}, [None]
    page = page_of(summarize(table, properties=HELD, cases=cases))
    page.evaluate(OPEN_EDITOR)
    ask(page, "editor.settled()")
    line = page.locator(".edit-verdict").text_content()
    assert "2 properties unknown here: run irenic prove" in line
    assert "test cases: not checked here" in line


def test_a_property_waits_for_conflicts_and_outcomes(page_of):
    page = loans(page_of)
    change(page, 0, 0, "-")
    assert (
        "Unknown while rows contradict each other."
        in page.locator(".edit-found").all_text_contents()[1]
    )
    page.evaluate("() => editor.actions.undo()")
    change(page, 3, 3, "maybe")
    item = page.locator(".edit-found li", has_text="DECREASES WITH debt")
    why = "ORDER must list every outcome, got refuse, ask, grant without maybe"
    assert why in item.text_content()
    item = page.locator(".edit-found li", has_text="NEVER grant")
    assert "no row has the outcome grant" in item.text_content()


def test_the_report_lists_properties_and_failing_cases(page_of):
    page = loans(page_of, cases=({"age": [20, 9], "debt": [0, 0]}, ["grant", "grant"]))
    text = page.locator("#expectations").text_content()
    assert "2 of 2 properties proved. 1 of 2 test cases pass." in text
    assert "fails case 2: age = 9, debt = 0, job = cook: not grant" in text
