"""The parts of the report page: many rules, many outcomes, failures, and back links."""

from __future__ import annotations

import datetime as dt
import html
import json
import re
from functools import cache

import numpy as np
import pytest

import irenic
from irenic import Categorical, Continuous
from irenic.plot._colors import OKABE_ITO, outcome_colors
from irenic.reporting import markup
from irenic.reporting.documents import impact_document
from tests.reporting.browser.steps import notebook, on_paper, rule_set, words


def ages(*conditions, default=None):
    """Return rules on one feature, given as pairs of condition and consequent."""
    pairs = (({"age": ends}, then) for ends, then in conditions)
    return rule_set([Continuous("age", bounds=(0, 100))], *pairs, default=default)


@cache
def in_conflict():
    """Return five rules, of which the last contradicts three others, which agree."""
    steps = [((10 * i, 10 * i + 10), "low") for i in range(4)]
    return irenic.summarize(ages(*steps, ((15, 40), "high")))


@cache
def many_rules(n):
    """Return rules at random, without instances."""
    rng = np.random.default_rng(0)
    pairs = []
    for i, low in enumerate(rng.permutation(n).tolist()):
        sides = {"f0": (low, low + 1), f"f{1 + i % 5}": (i % 7, i % 7 + 2)}
        pairs.append((sides, str(rng.choice(list("AB")))))
    return irenic.summarize(rule_set([f"f{i}" for i in range(6)], *pairs), budget=0.05)


def as_cards(page):
    """Show rules as cards, with the initial number of cards."""
    for search in ("f", ""):  # what a link led to stays shown until one searches
        page.locator("#rule-search").fill(search)
    page.locator("[data-view=cards]").click()


def shown(page):
    """Return the indices of the visible rules, in the order on the page."""
    return page.evaluate(
        "[...document.querySelectorAll('#rules [data-rule]')].map((e) => Number(e.dataset.rule))"
    )


def is_seen(page, selector):
    """Return whether an element is in the viewport."""
    return page.evaluate(
        """(selector) => {
            const box = document.querySelector(selector).getBoundingClientRect();
            return box.top >= 0 && box.top < innerHeight;
        }""",
        selector,
    )


# --- conditions


def test_the_impact_of_a_change_on_past_cases(page_of):
    old, new = (rule_set(["age"], ({"age": (None, n)}, "free"), default="full") for n in (18, 16))
    cases = {"age": [5, 16, 17, 40]}
    change = irenic.monitoring.impact(
        old, new, cases, amount=[1, 20, 300, 4], by=["a", "a", "b", "b"]
    )
    summary = irenic.summarize(new, cases)
    assert page_of(summary).locator("#impact").inner_text() == ""
    page = page_of({**summary, "impact": impact_document(change, "fee", "zone")})
    assert words(page, "#impact .lead") == (
        "2 of 4 past cases are decided differently (50 %), with 320 of 325 in fee. The rules below"
        " are the new ones."
    )
    rows = page.locator("#impact tbody tr").all()
    rows = [row.locator("th, td").all_inner_texts() for row in rows]
    assert rows == [
        ["free (rule 1)", "full (by default)", "2", "320", "2, 3"],
        ["b", "1", "2", "300"],
        ["a", "1", "2", "20"],
    ]
    assert page.locator("nav").get_by_text("Past cases").count() == 1


def test_conditions_are_shown_from_their_parts_whatever_names_look_like(page_of):
    features = [
        Continuous("3 <= x", missing=True),
        Continuous("x", kind="date"),
        Categorical("c in {a", ["a, b", "}", "missing"], missing=True, other=True),
    ]
    conditions = [
        {"3 <= x": {">": 1, "<=": 5}, "c in {a": {"in": ["a, b", "}"], "missing": True}},
        {"3 <= x": {"<": 2, "missing": True}, "x": {"<=": dt.date(2026, 1, 31)}},
        {"3 <= x": {"missing": True}, "c in {a": {"not in": ["missing"]}},
        {"3 <= x": {"=": 7}, "c in {a": {"missing": False}},
    ]
    page = page_of(irenic.summarize(rule_set(features, *((each, "yes") for each in conditions))))
    cards = page.locator(".card[data-rule]")
    shown = [card.locator(".condition > p").all_inner_texts() for card in cards.all()]
    assert shown == [
        ["1 < 3 <= x ≤ 5", 'and c in {a in {"a, b", "}", missing}'],
        ["3 <= x < 2 or missing", "and x ≤ 2026-01-31"],
        ["3 <= x is missing", 'and c in {a not in {"missing"}'],
        ["3 <= x = 7", "and c in {a is not missing"],
    ]
    assert cards.nth(1).locator("svg text").all_text_contents() == ["missing", "2", "2026-01-31"]
    page.locator("#rule-search").fill("<= 2026-01-31")
    assert page.locator("#rule-count").inner_text() == "1 of 4 rules"


# --- failures


def test_a_failing_part_does_not_stop_the_others(page_of, noise):
    rules = ages(((0, 50), "low"))
    summary = irenic.summarize(rules, {"age": [10.0, 70.0]}, ["low", "low"])
    summary["models"][0]["results"]["confusion"] = 5
    page = page_of(summary)
    assert "This part could not be drawn" in page.locator("#results").inner_text()
    for part in ("verdicts", "rules", "case", "map", "findings", "about", "contents"):
        text = page.locator(f"#{part}").inner_text()
        assert text
        assert "could not be drawn" not in text
    (complaint,) = noise
    assert "is not iterable" in complaint
    noise.clear()


# --- many outcomes


@cache
def outcomes_360():
    n = 4_000
    rng = np.random.default_rng(0)
    ages_ = rng.uniform(0, 100, n).round(2)
    labels = [f"class {i}" for i in rng.zipf(1.2, n) % 360]
    rules = ages(*[((10 * i, 10 * i + 9), f"class {300 + i}") for i in range(8)])
    return irenic.summarize(rules, {"age": ages_}, labels)


def test_rare_outcomes_are_summed_if_there_are_very_many(page_of):
    summary = outcomes_360()
    assert len(summary["outcomes"]) > 300
    page = page_of(summary)
    assert page.locator("#confusion tbody tr").count() == 31
    names = page.locator("#confusion tbody th").all_inner_texts()
    assert names[-1] == "others"
    assert {f"class {300 + i}" for i in range(8)} <= set(names)
    assert re.search(r"30 of \d+ outcomes are shown", words(page, "#others"))
    cells = page.locator("#confusion tbody td.cell").all_inner_texts()
    assert sum(int(text.replace(",", "")) for text in cells) == 4_000
    assert page.locator("#confusion th", has_text="contradicted").count() == 0
    # a cell lists what the summary counts in it
    confusion = summary["models"][0]["results"]["confusion"]
    wrong = [cell for cell in confusion if cell[0] != cell[1] and cell[1] >= 0]
    truth, said, count = max(wrong, key=lambda cell: cell[2])
    true, taken = (summary["outcomes"][place]["text"] for place in (truth, said))
    label = f"{count}: list those that are {true} predicted as {taken}"
    page.get_by_role("button", name=label, exact=True).click()
    assert f"Wrongly predicted: {count} instances" in page.locator("#wrong").inner_text()
    assert page.locator("#wrong tbody tr").count() == count


def test_a_cell_of_the_confusion_lists_its_instances(page_of):
    rules = ages(((0, 40), "low"), ((30, 60), "high"), ((60, 90), "low"))
    points = {"age": [5.0, 10.0, 35.0, 45.0, 50.0, 70.0, 95.0]}
    labels = ["low", "high", "low", "low", "high", "low", "high"]
    page = page_of(irenic.summarize(rules, points, labels))
    wrong = page.locator("#wrong")
    assert "Wrongly predicted: 4 instances" in wrong.inner_text()
    margins = page.locator("#confusion td.margin").all_inner_texts()
    assert [re.sub(r"\s", "", m) for m in margins] == ["50%", "33.3%", "66.7%", "50%", "", ""]
    found = wrong.locator("tbody tr").all_inner_texts()
    assert [re.split(r"\s+", row)[0] for row in found] == ["2", "3", "4", "7"]
    said = [" ".join(row.split("\t")[2:4]) for row in found]
    assert said == ["high low", "low contradicted", "low high", "high nothing"]
    page.get_by_role("button", name="1: list those that are low predicted as high").click()
    (row,) = wrong.locator("tbody tr").all()
    assert row.locator("th").inner_text() == "4"
    wrong.get_by_role("button", name="List all wrong predictions").click()
    assert wrong.locator("tbody tr").count() == 4


def test_impossible_instances_are_listed_separately(page_of):
    summary = irenic.summarize(ages(((0, 40), "low")), {"age": [10.0, 60.0, 70.0]})
    results = summary["models"][0]["results"]
    results |= {"impossible": 1, "impossible_rows": [3], "uncovered": 1, "uncovered_rows": [2]}
    page = page_of(summary)
    assert "1 instance excluded by the table as impossible" in words(page, "#impossible")
    assert page.locator("#impossible tbody th").all_inner_texts() == ["3"]
    assert page.locator("#uncovered tbody th").all_inner_texts() == ["2"]
    assert "the table excludes 1 as impossible" in page.locator("#verdicts").inner_text()


def uncovered_caption(page):
    return words(page, "#uncovered caption")


def test_texts_about_instances_stay_true_as_more_are_shown_or_printed(page_of):
    points = {"age": np.linspace(50, 90, 45)}
    page = page_of(irenic.summarize(ages(((0, 40), "low")), points, sample=30))
    stored = "30 of them are stored in this file"
    assert uncovered_caption(page) == f"{stored}; the first 10 are shown."
    rows = page.locator("#uncovered tbody tr")
    assert rows.locator("visible=true").count() == 10
    with on_paper(page):
        assert uncovered_caption(page) == f"{stored}."
        assert rows.locator("visible=true").count() == 20
        assert "The first 20 are printed." in page.locator("#uncovered").inner_text()
    page.get_by_role("button", name="Show all 30").click()
    assert uncovered_caption(page) == f"{stored}."
    eleventh = rows.nth(10).get_attribute("id")
    assert page.evaluate("document.activeElement.id") == eleventh


def test_the_number_of_unlisted_instances_is_stated_if_known(page_of):
    rules = ages(((0, 40), "low"), ((80, 100), "high"))
    points = {"age": np.linspace(50, 90, 45)}
    page = page_of(irenic.summarize(rules, points, ["low"] * 45, sample=10))
    rows = page.locator("#uncovered tbody tr").count()
    assert 0 < rows < 10
    assert f"{rows} of them are stored in this file." in words(page, "#uncovered")
    page.locator("#confusion button.count").first.click()
    assert re.search(r"\d of them (is|are) stored in this file\.", words(page, "#wrong"))
    points = {"age": np.linspace(50, 90, 400)}
    for sample, held in (300, "At least 200 of them are"), (400, "All of them are"):
        page = page_of(irenic.summarize(ages(((0, 40), "low")), points, sample=sample))
        assert uncovered_caption(page) == f"{held} stored in this file; the first 10 are shown."
        page.get_by_role("button", name="Show all 200").click()
        assert uncovered_caption(page) == f"{held} stored in this file; the first 200 are shown."


def test_columns_of_instances_have_correct_headings(page_of):
    for features, asked, said in [
        (12, 12, ""),
        (14, 13, " Columns: the features that rules test, the first 12 of 13."),
        (13, 13, " Columns: the first 12 of 13 features."),
        (2, 0, ""),
    ]:
        names = [f"f{i}" for i in range(features)]
        rules = rule_set(names, *[(dict.fromkeys(names[:asked], (0, 1)), "x")] * bool(asked))
        page = page_of(irenic.summarize(rules, {name: [5.0] for name in names}))
        assert uncovered_caption(page) == f"It is stored in this file.{said}"


def test_columns_that_no_rule_tests_have_no_values_on_the_page(page_of):
    features = ["id", "age", "debt", Categorical("name", ["Ann", "Bob"], other=True)]
    rules = rule_set(features, ({"age": (18, None), "debt": (None, 500)}, "yes"), default="no")
    points = {"id": [7331, 7332], "age": [30, 10], "debt": [100, 900], "name": ["Ann", "Bob"]}
    page = page_of(irenic.summarize(rules, points, ["yes", "yes"]))
    assert page.locator("#map-x option").all_inner_texts() == ["age", "debt"]
    assert "Wrongly predicted: 1 instance" in words(page, "#wrong")
    assert "7332" not in page.locator("#wrong").inner_text()
    assert "1 instance, right for 1" in words(page, '[data-rule="0"]')


def test_a_table_without_instances_has_no_counts(page_of):
    page = page_of(irenic.summarize(ages(((0, 9), "a"), ((9, 20), "b")), {"age": []}, []))
    text = page.locator("body").inner_text()
    assert "0 instances" not in text
    assert "0 of 0" not in text
    options = page.locator("#rule-sort option").all()
    assert [o.get_attribute("value") for o in options] == ["number", "outcome", "conditions"]


def test_a_table_of_many_outcomes_fits_on_paper(page_of):
    rng = np.random.default_rng(0)
    points = {"age": rng.uniform(0, 100, 20_000)}
    labels = [f"outcome {i}" for i in rng.integers(0, 25, 20_000)]
    rules = ages(*[((4 * i, 4 * i + 4), f"outcome {i}") for i in range(25)])
    summary = irenic.summarize(rules, points, labels, sample=100)
    page = page_of(summary, viewport={"width": 680, "height": 960})
    assert page.locator("#confusion thead th").count() == 27
    script = """() => [...document.querySelectorAll("#confusion :is(th, td, button, span)")]
        .filter((e) => e.getBoundingClientRect().right > innerWidth
            || e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display !== "inline")
        .map((e) => e.outerHTML)"""
    with on_paper(page):
        assert page.evaluate(script) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= 680


# --- many rules


def test_of_very_many_rules_some_are_shown_and_sorted(page_of):
    page = page_of(many_rules(1_000))
    assert len(shown(page)) == 200
    assert page.locator("#rule-view [data-view=table]").get_attribute("aria-pressed") == "true"
    sorting = """(view) => {
        document.querySelector(`[data-view="${view}"]`).click();
        const select = document.getElementById("rule-sort");
        select.value = "outcome";
        select.dispatchEvent(new Event("change"));
    }"""
    page.evaluate(sorting, "table")
    assert len(shown(page)) == 200
    page.evaluate(sorting, "cards")
    assert len(shown(page)) == 48
    page.get_by_role("button", name="Show 48 more").click()
    assert len(shown(page)) == 96
    assert "96 of them are shown" in page.locator("#rule-count").inner_text()
    assert page.locator("#rules .drawing .axis[d='']").count() > 0  # no ticks of 1,000 cuts


def test_of_many_rules_those_that_are_wanted_are_shown(page_of):
    page = page_of(many_rules(100))
    as_cards(page)
    # a link leads to a rule that is not yet shown
    page.locator("#rule-search").fill("f1")
    page.evaluate("location.hash = 'rule-90'")
    page.wait_for_selector('[data-rule="89"]')
    assert page.locator("#rules [aria-current]").get_attribute("data-rule") == "89"
    assert is_seen(page, '[data-rule="89"]')
    assert len(shown(page)) == 49
    # all cards are printed
    as_cards(page)
    assert len(shown(page)) == 48
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert len(shown(page)) == 100
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert len(shown(page)) == 48
    # more rules take the focus
    page.get_by_role("button", name="Show 48 more").click()
    assert page.evaluate("document.activeElement.dataset.rule") == "48"
    page.locator('[data-rule="50"] h3').click()
    page.get_by_role("button", name="Unmark").click()
    assert page.evaluate("document.activeElement.dataset.rule") == "50"
    # a search for a number finds the rule with that number
    page.locator("[data-view=table]").click()
    found = {"rule 3": [2], "#3": [2], "Rule  30": [29], "rule 3 f0": [2], "rule 101": []}
    for search, places in found.items():
        page.locator("#rule-search").fill(search)
        assert shown(page) == places, search
    page.locator("#rule-search").fill("rule")
    assert len(shown(page)) == 100
    page.locator("#rule-search").fill("#4")
    page.get_by_role("button", name="Show all rules").click()
    assert page.evaluate("document.activeElement.id") == "rule-search"
    assert len(shown(page)) == 100


def test_a_table_of_rules_is_sorted_by_its_headings(page_of):
    rules = ages(((0, 10), "b"), ((10, 40), "a"), ((40, 60), "b"))
    points = {"age": [5.0, 20.0, 30.0, 35.0, 50.0, 55.0]}
    page = page_of(irenic.summarize(rules, points, list("bbaabb")))
    assert page.locator(".rule-table").count() == 0
    page.locator("#rule-view").get_by_text("table").click()
    assert shown(page) == [0, 1, 2]
    row = page.locator('tr[data-rule="1"]').inner_text()
    assert "10 ≤ age < 40" in re.sub(r"\s+", " ", row)
    assert "66.7" in row
    assert page.locator("tr .mix").count() == 3
    head = page.locator('th[data-sorting="support"]')
    head.get_by_role("button").click()
    assert shown(page) == [1, 2, 0]
    assert head.get_attribute("aria-sort") == "descending"
    assert page.locator("#rule-sort").input_value() == "support"
    head.get_by_role("button").click()
    assert shown(page) == [0, 2, 1]
    assert head.get_attribute("aria-sort") == "ascending"
    page.locator("#rule-sort").select_option("outcome")
    assert page.locator('th[data-sorting="outcome"]').get_attribute("aria-sort") == "ascending"
    assert head.get_attribute("aria-sort") == "none"
    page.locator('tr[data-rule="2"]').focus()
    page.keyboard.press("Enter")
    assert page.locator("tr[aria-current]").get_attribute("data-rule") == "2"


def test_the_table_of_rules_has_the_counts_of_the_default(page_of):
    rules = ages(((0, 18), "free"), ((90, 95), "free"), default="full")
    page = page_of(irenic.summarize(rules, {"age": [5, 20, 30]}, ["free", "full", "free"]))
    page.locator("[data-view=table]").click()
    cells = page.locator(".rule-table tfoot td").all_inner_texts()
    assert cells[1:4] == ["full", "2", "50\u202f%"]


# --- extreme numbers


def test_tiny_and_huge_ranges_are_drawn(page_of):
    bounds = {"tiny": (0, 5e-324), "wide": (-1.7e308, 1.7e308)}
    features = [Continuous(name, bounds=ends) for name, ends in bounds.items()]
    sides = {"tiny": {">": 0}}, {"wide": (-8.5e307, 8.5e307)}
    page = page_of(irenic.summarize(rule_set(features, *((side, "x") for side in sides))))
    assert "NaN" not in page.locator("#rules").inner_html()
    ends = page.locator('[data-rule="1"] .thick').get_attribute("d")
    assert ends == "M77 12H223"  # the middle half


def test_weights_are_written_in_full(page_of):
    summary = irenic.summarize(ages(((0, 9), "a"), ((9, 20), "b"), ((20, 30), "c")))
    summary["decides"] |= {"how": "best"}
    weights = [{"float": "inf"}, 0.0001, 1234.5]
    for rule, weight in zip(summary["models"][0]["rules"], weights, strict=True):
        rule["weight"] = weight
    page = page_of(summary)
    found = page.locator("#rules .figures").all_inner_texts()
    assert found == ["Weight inf", "Weight 0.0001", "Weight 1234.5"]


# --- texts


def test_long_sets_of_values_are_shortened_and_can_be_expanded(page_of):
    jobs = [f"job{i}" for i in range(300)]
    rules = rule_set([Categorical("job", jobs)], ({"job": set(jobs[:200])}, "x"))
    page = page_of(irenic.summarize(rules))
    card = page.locator('[data-rule="0"]')
    text = re.sub(r"\s+", " ", card.inner_text())
    assert "job in {job0, job1, job2, … and 197 more}" in text
    assert "job150" not in text
    card.locator("summary").click()
    assert "job150" in card.inner_text()
    assert page.locator("[aria-current]").count() == 0  # to unfold is not to choose the rule


ORDER = """(selector) => {
    const within = document.querySelector(selector);
    const walker = document.createTreeWalker(within, NodeFilter.SHOW_TEXT);
    const lefts = [];
    while (walker.nextNode()) {
        const range = document.createRange();
        range.selectNodeContents(walker.currentNode);
        const box = range.getBoundingClientRect();
        if (box.width) lefts.push(box.left);
    }
    return lefts;
}"""


def test_right_to_left_names_do_not_reverse_other_text(page_of):
    age, name, first, second = "גיל", "שם", "אב", "גד"
    features = [age, Categorical(name, [first, second, "x"])]
    rules = rule_set(features, ({age: (5, 10)}, "כן"), ({name: {first, second}}, "לא"))
    points = {age: [6.0, 7.0, 20.0], name: [first, "x", second]}
    page = page_of(irenic.summarize(rules, points, ["כן", "לא", "לא"]))
    where = ['[data-rule="0"] .condition p', '[data-rule="1"] .condition p']
    for selector in (*where, '[data-rule="0"] .figures .muted', "#conflicts .finding .foot .muted"):
        lefts = page.evaluate(ORDER, selector)
        assert len(lefts) > 2, selector
        assert lefts == sorted(lefts), selector


def read_table(tmp_path, text, **options):
    path = tmp_path / "table.csv"
    path.write_text(text, encoding="utf-8")
    (table,) = irenic.parse(path, **options).bind().tables
    return table


def test_rows_that_never_hold_and_rows_in_parts_are_counted_as_such(page_of, tmp_path):
    rows = ["age,risk", "< 18,low", '"(18..20), (30..40)",high', "[5..2],low", ">= 60,high"]
    page = page_of(irenic.summarize(read_table(tmp_path, "\n".join(rows))))
    assert words(page, "#rule-count") == "4 rules, of which 1 never holds, in 4 parts"
    assert "4 rules, of which 1 never holds, in 4 parts, over 1 feature" in words(page, "#top")
    assert "Rule 3 never fires" in words(page, "#never-hold")
    page.locator("#rule-search").fill("30")
    assert words(page, "#rule-count") == "1 of 4 parts"


def test_priority_is_not_called_the_first(page_of, tmp_path):
    table = read_table(tmp_path, "age,risk\n< 18,low\n< 30,high\n", hit_policy="PRIORITY")
    page = page_of(irenic.summarize(table))
    for part in ("#rules", "#findings"):
        assert "first" not in words(page, part)
    assert "the one with the highest priority decides (hit policy PRIORITY)" in words(
        page, "#verdicts"
    )
    assert page.locator("#rule-sort option").first.inner_text() == "priority"


def test_rules_list_their_conflicts(page_of):
    page = page_of(in_conflict())
    assert "Rule 5 is in 3 of the 3 conflicts." in words(page, "#conflicts")
    assert "Contradicts rules 2, 3 and 4." in words(page, '[data-rule="4"]')
    assert "Contradicts rule 5." in words(page, '[data-rule="1"]')
    assert "Contradicts" not in words(page, '[data-rule="0"]')
    page.locator("#rule-conflict").check()
    assert shown(page) == [1, 2, 3, 4]
    page.locator("#rule-sort").select_option("conflicts")
    assert shown(page)[0] == 4
    page.locator('[data-rule="4"]').get_by_role("link", name="3").click()
    assert page.locator("#rules [aria-current]").get_attribute("data-rule") == "2"
    # a new case has another back link
    page.locator("#conflicts-1").get_by_role("button", name="Try this case").click()
    assert words(page, "#came-from") == "← Back to the conflict"
    page.locator("#gaps-1").get_by_role("button", name="Try this case").click()
    assert words(page, "#came-from") == "← Back to the gap"
    # only tables from spreadsheets tell how they were read
    assert page.locator("#reading").text_content() == ""
    assert page.locator("#contents a[href='#reading']").count() == 0


# --- back links


def test_the_back_link_returns_to_the_origin(page_of):
    page = page_of(in_conflict(), viewport={"width": 1000, "height": 500})
    conflict = page.locator("#conflicts-2")
    conflict.scroll_into_view_if_needed()
    top = "document.getElementById('conflicts-2').getBoundingClientRect().top"
    before = page.evaluate(top)
    conflict.get_by_role("button", name="Try this case").click()
    assert page.evaluate("location.hash") == "#case"
    assert is_seen(page, "#case h2")
    page.go_back()
    page.wait_for_function("() => location.hash === ''")
    page.wait_for_function(f"() => Math.abs({top} - {before}) < 50")
    assert page.evaluate("document.activeElement.closest('li').id") == "conflicts-2"
    page.go_forward()
    page.wait_for_function("() => location.hash === '#case'")
    page.locator("#came-from a").click()
    assert page.evaluate("location.hash") == "#conflicts-2"
    assert is_seen(page, "#conflicts-2")
    page.locator("#contents a", has_text="Map").click()
    assert is_seen(page, "#map h2")


def test_jumps_work_in_the_frame_of_a_notebook(page_of, tmp_path):
    source = html.escape(irenic.reporting.Report(in_conflict()).html, quote=True)
    frame = f'<iframe sandbox="allow-scripts" height="400" srcdoc="{source}"></iframe>'
    page = page_of(notebook(tmp_path, f"<p>above{frame}"))
    inside = page.frame_locator("iframe")
    inside.locator("#contents a", has_text="Map").click()
    inside.locator("#conflicts-1 a").first.click()
    assert inside.locator("#rules [aria-current]").get_attribute("data-rule") == "1"
    inside.locator("#conflicts-1").get_by_role("button", name="Try this case").click()
    assert inside.locator("#case-answer").get_attribute("data-outcome") == "contradicted"
    assert page.locator("p").inner_text().startswith("above")


# --- learned models


@cache
def learned():
    rng = np.random.default_rng(0)
    table = {name: rng.uniform(0, 10, 200).round(2) for name in ("a", "b")}
    labels = np.where((table["a"] > 5) & (table["b"] > 3), "yes", "no")
    model = irenic.RuleSetClassifier(random_state=0, generations=1, moves=100)
    return irenic.summarize(model.fit(table, labels), table, labels)


def test_the_default_is_not_a_warning(page_of):
    page = page_of(learned())
    looks = [card.get_attribute("class") for card in page.locator(".verdict").all()]
    assert looks == ["verdict holds", "verdict expected"]
    assert "Where no rule holds, it is" in words(page, "#verdicts .facts")
    assert "Not complete" not in page.locator("#verdicts").inner_text()
    page = page_of(irenic.summarize(ages(((10, 18), "free"), default="full")))
    verdict = page.locator(".verdict").nth(1)
    assert verdict.get_attribute("class") == "verdict neutral"
    text = "Where no rule holds, it is full . There are 2 such regions."
    assert text in re.sub(r"\s+", " ", verdict.inner_text())


def test_an_outcome_has_one_color_on_pages_plots_and_in_notebooks(page_of):
    then = ["pays", "free", "half"]
    conditions = [((60, 70), "pays"), ((0, 18), "free"), ((18, 60), "half")]
    rules = ages(*conditions, default="pays")
    summary = irenic.summarize(rules, {"age": [5, 99]}, ["free", "asks"])
    plotted = dict(
        zip((o["text"] for o in summary["outcomes"]), outcome_colors(summary), strict=True)
    )
    noted = markup.colors([rule.then for rule in rules])
    page = page_of(summary)
    places = {name: i for i, name in enumerate(sorted(then))} | {"asks": 3}
    for name, place in places.items():
        assert plotted[name] == OKABE_ITO[place]
        assert noted.get(name, markup.PALETTE[place]) == markup.PALETTE[place]
        if name != "asks":  # only the map shows it
            chip = page.locator(".outcome", has_text=re.compile(f"^{name}$")).first
            color = chip.evaluate("(each) => each.style.getPropertyValue('--color')")
            assert color == f"var(--outcome-{place})"


def test_the_first_part_has_the_estimate_calibration_and_the_weakest_group(page_of):
    rng = np.random.default_rng(1)
    table = {"a": rng.uniform(0, 10, 400), "site": rng.choice(["north", "south"], 400)}
    labels = np.where(table["a"] > 5, "yes", "no")
    noisy = (table["site"] == "south") & (rng.random(400) < 0.4)
    labels = np.where(noisy, np.where(labels == "yes", "no", "yes"), labels)
    model = irenic.RuleSetClassifier(random_state=0, generations=1, moves=100).fit(table, labels)
    summary = irenic.summarize(model, table, labels, by=("site", table["site"]))
    used = summary["models"][summary["chosen"]]
    page = page_of(summary)
    score = f"{100 * model.estimate_.score:.1f}".removesuffix(".0")
    assert f"{score}\u202f% right on new cases" in page.locator(".verdict.expected").inner_text()
    facts = words(page, "#verdicts .facts")
    assert "Right least often where site is south" in facts
    sure = f"{100 * used['results']['calibration']['predicted']:.1f}".removesuffix(".0")
    assert re.search(rf"The classifier is {sure}\s% sure on average", facts)
    assert page.locator("#groups tbody tr").count() == 2
    for group, row in zip(summary["groups"]["groups"], range(2), strict=True):
        cells = page.locator(f"#compared tbody tr >> nth={row}").locator("th, td").all_inner_texts()
        right = group["accuracy"]
        share = f"{100 * right['share']:.1f}".removesuffix(".0")
        ends = f"({100 * right['low']:.0f}–{100 * right['high']:.0f})"
        assert cells[:2] == [group["value"], str(group["rows"])]
        assert cells[4] == f"{share}\u202f% {ends}"
    page.locator("#case-random").click()
    shown = words(page, "#case-answer .probabilities")
    assert re.match(r"Probability: (yes|no) \d+(\.\d)?\s%, (yes|no) \d+(\.\d)?\s%$", shown)
    found = page.evaluate(
        """values => {
            const { summary, decideCase, likelyLabels } = irenic;
            const model = summary.models[summary.chosen];
            const answered = (theCase) => likelyLabels(model, theCase, decideCase(model, theCase));
            return values.map((a) => answered({ a, site: null }));
        }""",
        table["a"][:50].tolist(),
    )
    cases = {"a": table["a"][:50], "site": [None] * 50}
    assert np.allclose(found, model.predict_proba(cases), atol=1e-5)


def test_skewed_values_are_drawn_on_a_scale_that_grows(page_of):
    values = np.r_[np.zeros(900), np.geomspace(100, 100_000, 100)]
    rules = rule_set(["age"], ({"age": (500, None)}, "high"))
    summary = irenic.summarize(rules, {"age": values})
    (feature,) = summary["features"]
    assert max(feature["distribution"]["counts"]) == 900
    assert np.count_nonzero(feature["distribution"]["counts"]) > 20
    texts = page_of(summary).locator(".drawing text").all_text_contents()
    assert texts == ["500", "0", "100000 (log)"]


def test_a_rule_set_that_is_not_the_chosen_one_is_marked(page_of):
    other = 0 if learned()["chosen"] else 1
    page = page_of(learned())
    assert page.locator("#not-in-use").count() == 0
    assert "Shown here: the rule set in use, with" in words(page, "#front")
    for control in (f'[data-model="{other}"]', f'[data-show="{other}"]'):
        page.locator(f"#front {control}").focus()
        page.keyboard.press("Enter")
        kept = page.evaluate("(c) => document.activeElement.matches(c)", control)
        assert kept, control
        assert "This is not the rule set in use" in words(page, "#top")
        with on_paper(page):
            assert page.locator("#not-in-use p").first.is_visible()
        page.locator("#not-in-use button").click()
        assert page.locator("#not-in-use").count() == 0
        assert page.evaluate("document.activeElement.tagName") == "H1"


def test_rules_of_the_user_are_marked(page_of):
    table = {"a": np.arange(60.0)}
    model = irenic.RuleSetClassifier(
        knowledge={"rules": "IF a < 10 THEN no"}, selection="description", generations=1, moves=100
    ).fit(table, np.where(table["a"] < 30, "no", "yes"))
    page = page_of(irenic.summarize(model.select(index=len(model.pareto_front_) - 1)))
    marks = ["Given by the user" in words(page, f'[data-rule="{place}"]') for place in (0, 1)]
    assert marks == [True, False]


def test_scores_that_coincide_are_drawn_once(page_of):
    summary = learned()
    for model in summary["models"]:
        assert model["results"]["accuracy"] == pytest.approx(model["front"]["training_score"])
    page = page_of(learned())
    assert page.locator("#front .counted").count() == 0
    differing = json.loads(json.dumps(summary))
    for model in differing["models"]:
        model["results"]["accuracy"] -= 0.25
    assert page_of(differing).locator("#front .chart .counted").count() > 0


def test_only_complete_shares_are_100_percent(page_of):
    points = {"age": np.r_[np.full(2_999, 10.0), 20.0]}
    labels = ["low"] * 2_999 + ["high"]
    page = page_of(irenic.summarize(ages(((0, 50), "low")), points, labels))
    assert "over 99.9" in words(page, "#verdicts")
    assert not re.search(r"right for 2,999 of \S+ \(100", words(page, '[data-rule="0"]'))


# --- accessibility


def test_buttons_with_the_same_text_have_distinct_labels(page_of):
    labels = "[...document.querySelectorAll('button[aria-label]')].map((e) => e.ariaLabel)"
    summary = irenic.summarize(ages(((0, 40), "a"), ((30, 50), "b")), {"age": [60.0, 70.0]})
    found = page_of(summary).evaluate(labels)
    for name in ("conflict of rules 1 and 2", "gap, number 1", "row 1", "row 2"):
        assert f"Try this case: {name}" in found
    page = page_of(learned())
    shows = [name for name in page.evaluate(labels) if name.startswith("show")]
    assert len(shows) == len(set(shows)) == len(learned()["models"])
    assert re.fullmatch(r"shown?: the rule set with \d+ rules? and \d+ conditions?", shows[0])
    assert page.locator("#front thead th").first.inner_text() == "choose"


def test_bars_and_dots_keep_their_colors_in_forced_colors_mode(page_of):
    features = [Categorical("job", ["clerk", "cook"])]
    rules = rule_set(features, ({"job": {"clerk"}}, "a"), default="b")
    points = {"job": ["clerk", "clerk", "cook"]}
    page = page_of(irenic.summarize(rules, points, list("aba")), forced_colors="active")
    style = """([selector, part, name]) =>
        getComputedStyle(document.querySelector(selector), part)[name]"""
    for each in [".mix > i", None], [".card .outcome", "::before"], [".value i", None]:
        assert page.evaluate(style, [*each, "backgroundColor"]) == "rgb(0, 114, 178)", each
    for each in [".mix", None], [".outcome", "::before"], [".value", None]:
        assert page.evaluate(style, [*each, "borderTopStyle"]) == "solid", each


# --- phones


def test_points_of_rule_sets_are_large_enough_for_fingers(page_of):
    summary = learned()
    page = page_of(summary, viewport={"width": 390, "height": 844}, has_touch=True)
    boxes = [target.bounding_box() for target in page.locator("#front .target").all()]
    assert min(min(box["width"], box["height"]) for box in boxes) >= 32
    for place in range(len(summary["models"])):  # the nearest is meant, whichever lies on top
        point = page.locator(f'#front [data-model="{place}"] .main')
        point.scroll_into_view_if_needed()
        box = point.bounding_box()
        page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        pressed = page.locator('#front [data-model][aria-pressed="true"]')
        assert pressed.get_attribute("data-model") == str(place)


def test_touch_targets_are_large_enough(page_of):
    page = page_of(in_conflict(), viewport={"width": 390, "height": 844}, has_touch=True)
    small = page.evaluate(
        """() => [...document.querySelectorAll(
            "#contents a, #verdicts a, #rules button, #rules a, #findings a, #findings button"
        )].filter((e) => e.checkVisibility() && e.getBoundingClientRect().height < 32)
          .map((e) => e.outerHTML)"""
    )
    assert small == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


# --- tables from spreadsheets


def from_a_sheet():
    """Return a table that was read from a CSV file and accepts its conflict."""
    text = "Age,Price,Comment\nunder 18,10,accept: conflict: until May\n16+,20,\nover 99,20,\n"
    return irenic.summarize(irenic.parse(text, format="csv").bind().table())


def test_the_page_shows_how_the_table_was_read_and_findings_their_place(page_of):
    page = page_of(from_a_sheet())
    section = page.locator("#reading")
    assert section.locator("summary").inner_text() == "How the table was read"
    assert section.locator("details").get_attribute("open") is None
    section.locator("summary").click()
    assert section.locator("dt").all_inner_texts() == ["Age", "Price", "Comment"]
    age, price, comment = section.locator("dd").all_inner_texts()
    assert age.startswith("condition: whole numbers; 'under 18' is read as < 18")
    assert (price, comment) == ("outcome: 10, 20", "note, skipped")
    conflict = page.locator("#conflicts .finding").inner_text()
    assert "Accepted: until May" in conflict
    assert "In lines 2 and 3." in conflict
    assert "In line 4." in page.locator("[data-kind=inside] .finding").inner_text()


def test_conditions_have_the_units_that_names_lack(page_of):
    text = "price,Weight (kg),fare\nunder 10 €,< 5,low\n5 - 20 €,< 5,high\n"
    page = page_of(irenic.summarize(irenic.parse(text, format="csv").bind().table()))
    conflict = page.locator("#conflicts .finding .where").inner_text()
    assert conflict.splitlines() == ["5 ≤ price < 10 €", "Weight (kg) < 5"]
    assert "price = 8 €, Weight (kg) = 2" in page.locator("#conflicts .finding .foot").inner_text()
