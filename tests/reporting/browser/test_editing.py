"""People edit rules in the page: with the keyboard, from Excel, and under guard."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import pytest

import irenic
from irenic import Categorical, Continuous, DecisionTable, Rule, RuleList, RuleSet, Space
from irenic.reporting.summarize import summarize
from tests.learn.fitting import quick
from tests.reporting.browser.steps import (
    OPEN_EDITOR,
    ask,
    keys,
    notebook,
    press,
    rule_set,
    type_text,
)
from tests.reporting.browser.test_editor import (
    list_of_rules,
    region_of,
    set_cells,
    set_of_rules,
    unique_table,
    with_impossible,
)

FARES = """age,job,distance,fare
< 18,-,-,free
[18..65),"nurse, clerk",< 50,half
[18..65),"not(nurse, clerk)",< 50,full
[18..65),-,>= 50,full
>= 65,-,< 100,half
"""
AXE = Path(__file__).parents[3] / "node_modules" / "axe-core" / "axe.min.js"


def fares():
    return table_of(FARES)


def table_of(text, roles=None):
    """Return the table of a CSV file."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", irenic.FormatWarning)
        parsed = irenic.parse(text.encode(), format="csv", roles=roles)
        return parsed.bind().tables[0]


def saved_page(page_of, page, tmp_path, change=str):
    """Open the page that the editor writes, with a change of its text."""
    path = tmp_path / "edited.html"
    path.write_text(change(page.evaluate("() => editor.actions.files().html")), encoding="utf-8")
    return page_of(path)


def open_editor(page_of, rules, **options):
    """Open the page of rules and press the button; window.editor is what the page gets."""
    page = page_of(summarize(rules, budget=0.5, **options))
    start_editor(page)
    return page


def start_editor(page):
    page.evaluate(OPEN_EDITOR)
    settle(page)


def change(page, *cells):
    """Change cells, given as (row, column, text), and wait for the findings."""
    set_cells(page, *cells)
    return settle(page)


def settle(page):
    return json.loads(
        page.evaluate(
            "async () => { const s = await editor.settled(); return JSON.stringify({"
            " conflicts: s.conflicts.count, gaps: s.gaps.count, redundant: s.redundant }); }"
        )
    )


def texts(page):
    """Return the texts of the cells, row by row."""
    return page.evaluate(
        "() => editor.table.now.rows.map((r) => [...r.cells.map((c) => c.text), r.outcomeText])"
    )


def current(page):
    return irenic.loads(page.evaluate("() => JSON.stringify(editor.currentRules())"), format="json")


# --- values and units


def test_a_corrected_value_is_gone(page_of):
    text = "age,type,then\n< 9,Home,A\n>= 9,Hoem,A\n>= 9,Motor,B\n"
    table = table_of(text, {"type": "condition", "then": "outcome"})
    page = open_editor(page_of, table)
    change(page, (1, 1, "Home"))
    assert "Hoem" not in page.locator("#editor").text_content()
    press(page, "Add a rule for age = 5, type = Motor")
    page.wait_for_function("() => editor.table.now.rows.length === 4")
    assert texts(page)[-1] == ["< 9", "Motor", ""]


def test_outcomes_have_one_unit(page_of):
    table = table_of("Alter;Beitrag\n18-25;1.249,90 €\n26-64;649,00 €\n")
    page = open_editor(page_of, table)
    for typed, error in [
        ("1.100,00 €", ""),
        ("599,01", ""),
        ("$ 599,01", "“$ 599,01” is in $, but the other outcomes are in €."),
        ("1100 £", "“1100 £” is in £, but the other outcomes are in €."),
        ("12%", "“12%” is in %, but the other outcomes are in €."),
    ]:
        change(page, (1, 1, typed))
        row = page.evaluate("() => editor.table.now.rows[1]")
        assert (row["outcome"] is None) == bool(error)
        assert row["outcomeText"] == typed
        assert titles(page) == [error] * bool(error)
    page = open_editor(page_of, table_of("age,then\n< 9,0.5\n>= 9,0.2\n"))
    change(page, (1, 1, "12%"))
    assert titles(page) == ["“12%” is a percentage, but the other outcomes are not: write 0.12."]


def titles(page):
    """Return the errors of cells."""
    wrong = page.locator(".edit-grid [aria-invalid=true]")
    return [each.get_attribute("title") for each in wrong.all()]


# --- keyboard


def test_a_report_is_read_only_until_the_button_is_pressed(page_of):
    page = page_of(summarize(fares()))
    assert page.locator(".edit-grid").count() == 0
    press(page, "Edit the rules")
    grid = page.get_by_role("grid", name="Rules")
    assert grid.get_attribute("aria-rowcount") == "6"
    heads = page.locator(".grid-head [role=columnheader] bdi")
    assert heads.all_inner_texts() == ["age", "job", "distance", "fare"]
    page.locator(".verdict-part.good", has_text="no conflicts").wait_for()
    page.locator(".verdict-part.warn", has_text="1 gap").wait_for()
    press(page, "Close")
    page.get_by_role("button", name="Edit the rules").wait_for()
    assert page.locator(".edit-grid").count() == 0


def test_cells_are_edited_with_the_keys_of_a_spreadsheet(page_of):
    page = open_editor(page_of, fares())
    type_text(page, "<= 17")
    assert texts(page)[0][0] == "<= 17"
    assert page.evaluate("() => document.activeElement.getAttribute('role')") == "grid"
    # Enter moved down; F2 keeps the text, Escape gives up
    keys(page, "F2", "End")
    page.keyboard.type("oops")
    keys(page, "Escape")
    assert texts(page)[1][0] == "[18..65)"
    # Tab goes right while typing; completion chooses a value
    keys(page, "Enter", "Tab")
    page.keyboard.type("cl")
    keys(page, "ArrowDown", "Enter")
    assert texts(page)[1][1] == "clerk"
    # the whole column is cleared, then undone
    keys(page, "Control+ArrowUp", "Control+Shift+ArrowDown", "Delete")
    assert {row[1] for row in texts(page)} == {"-"}
    keys(page, "Control+z")
    assert texts(page)[1][1] == "clerk"
    keys(page, "Control+y", "Control+z", "Control+z")
    assert texts(page)[1][1] == "nurse, clerk"
    assert settle(page) == {"conflicts": 0, "gaps": 1, "redundant": []}


def test_an_invalid_cell_is_marked_and_explained(page_of):
    page = open_editor(page_of, fares())
    for typed, error in [
        ("[18, 25)", "“[18, 25)” is not a range; write [18..25)."),
        ("1,5", "“1,5” is ambiguous; write 1.5."),
        ("young", "“young” is not a whole number."),
        ("[30..20]", "The range is reversed: write 20..30."),
    ]:
        type_text(page, typed)  # stays in the cell
        cell = page.locator("#cell-0-0")
        assert cell.get_attribute("aria-invalid") == "true"
        assert page.locator(".edit-line .wrong-text").inner_text().strip() == error
    page.locator(".verdict-part", has_text="1 row not finished").wait_for()
    assert len(current(page)) == 4
    keys(page, "Delete")
    assert page.locator(".wrong").count() == 0
    assert settle(page)["conflicts"] == 4
    # a closed category names its values
    color = Categorical("color", ["red", "green"])
    page = open_editor(page_of, rule_set([color], ({"color": {"in": ["red"]}}, "A")))
    type_text(page, "blue")
    assert titles(page) == ["“blue” is not one of the values (red, green)."]


def test_rows_are_added_split_moved_and_deleted(page_of):
    page = open_editor(page_of, fares())
    tools = page.get_by_role("toolbar", name="Edit")
    keys(page, "ArrowDown")
    press(tools, "Split …")
    page.get_by_label("Split row 2 at").fill("30")
    keys(page, "Enter")
    assert [row[0] for row in texts(page)][1:3] == ["[18..30)", "[30..65)"]
    assert settle(page)["conflicts"] == 0
    keys(page, "Alt+ArrowDown")
    assert [row[0] for row in texts(page)][1:3] == ["[30..65)", "[18..30)"]
    press(tools, "Duplicate")
    assert [found["kind"] for found in settle(page)["redundant"]] == ["duplicates"]
    press(tools, "Delete")
    assert settle(page)["redundant"] == []
    press(tools, "Add row")
    assert len(texts(page)) == 7
    for _ in range(5):
        press(tools, "Undo")
    assert texts(page) == page.evaluate(
        "() => editor.table.opened.rows.map((r) => [...r.cells.map((c) => c.text), r.outcomeText])"
    )


def test_keys_work_after_a_click_on_a_button(page_of):
    page = open_editor(page_of, fares())
    original = texts(page)
    for name in ("Duplicate", "Delete", "↑", "Cut row 5", "Undo", "Split …"):
        keys(page, "Control+Home", "End", "ArrowDown")
        if name == "Cut row 5":
            change(page, (3, 0, ">= 65"))
            page.locator(".guard").wait_for()
        elif name == "Undo":
            page.evaluate("() => editor.actions.deleteRows(0, 0)")
        before = texts(page)
        page.evaluate("() => { window.before = editor.table.now; }")
        page.get_by_role("button", name=name, exact=True).first.click()
        if name == "Split …":
            keys(page, "Escape")
        else:
            page.wait_for_function("() => editor.table.now !== window.before")
            page.wait_for_function("() => document.activeElement.matches('.edit-grid')")
            keys(page, "Control+y" if name == "Undo" else "Control+z")
        assert texts(page) == before, name
        page.wait_for_function("() => document.activeElement.matches('.edit-grid')")
        if before != original:
            keys(page, "Control+z")
        assert texts(page) == original


def test_the_editor_works_in_the_frame_of_a_notebook(page_of, tmp_path):
    shown = notebook(tmp_path, irenic.report(fares())._repr_html_())
    inner = page_of(shown).frame_locator("iframe")
    inner.get_by_role("button", name="Edit the rules").click()
    inner.locator(".verdict-part.good", has_text="no conflicts").wait_for()


def test_changes_are_not_lost_by_leaving_the_page(page_of):
    page = open_editor(page_of, fares())
    leave = """() => {
      const event = new Event("beforeunload", { cancelable: true });
      window.dispatchEvent(event);
      return event.defaultPrevented;
    }"""
    assert page.evaluate(leave) is False
    keys(page, "Delete")
    assert page.evaluate(leave) is True
    keys(page, "Control+z")
    assert page.evaluate(leave) is False


def test_another_rule_set_of_the_front_closes_an_unchanged_editor(page_of):
    rng = np.random.default_rng(0)
    X = {"x": rng.normal(size=120), "y": rng.normal(size=120)}
    labels = np.where(X["x"] + (X["y"] > 1) > 0, "a", "b")
    model = quick().fit(X, labels)
    summary = summarize(model)
    assert len(summary["models"]) > 1
    page = page_of(summary)
    press(page, "Edit the rules")
    page.locator(".edit-grid").wait_for()
    page.locator("#front [data-show]").first.click()
    page.get_by_role("button", name="Edit the rules").wait_for()


# --- copy and paste


def paste(page, text):
    page.evaluate(
        """(text) => {
          const data = new DataTransfer();
          data.setData("text/plain", text);
          const event = new ClipboardEvent("paste", { bubbles: true, cancelable: true });
          Object.defineProperty(event, "clipboardData", { value: data });
          document.querySelector(".edit-grid").dispatchEvent(event);
        }""",
        text,
    )


def copied(page):
    return page.evaluate(
        """() => {
          const data = new DataTransfer();
          const event = new ClipboardEvent("copy", { bubbles: true, cancelable: true });
          Object.defineProperty(event, "clipboardData", { value: data });
          document.querySelector(".edit-grid").dispatchEvent(event);
          return data.getData("text/plain");
        }"""
    )


def test_a_selection_of_excel_is_pasted_with_new_rows_and_values(page_of):
    page = open_editor(page_of, fares())
    keys(page, "Control+End", "Control+ArrowLeft")  # the first cell of the last row
    lines = [
        "65-69\t-\t< 100\thalf",
        '>= 70\t"""fire fighter"", nurse"\t\tfree',
        "≥ 70\tpilot\t>= 5\t",
    ]
    excel = "".join(f"{line}\r\n" for line in lines)
    paste(page, excel)
    assert texts(page)[4:] == [
        ["[65..69]", "-", "< 100", "half"],
        [">= 70", "nurse, fire fighter", "-", "free"],
        [">= 70", "pilot", ">= 5", ""],
    ]
    rules = current(page)
    assert rules.space["job"].values == ("nurse", "clerk", "fire fighter", "pilot")
    # what held for any other job holds for the new ones
    assert str(rules[2].region) == (
        "18 <= age < 65 and job not in {nurse, clerk} and distance < 50"
    )
    assert (
        copied(page)
        == "[65..69]\t-\t< 100\thalf\r\n>= 70\tnurse, fire fighter\t-\tfree\r\n>= 70\tpilot\t>= 5\t"
    )
    keys(page, "Control+z")
    assert len(texts(page)) == 5


def test_one_cell_fills_the_selection_and_headers_are_skipped(page_of):
    page = open_editor(page_of, fares())
    keys(page, "ArrowRight")
    paste(page, '"nurse\nclerk,\n\npilot"')  # a cell with one value per line
    assert texts(page)[0][1] == "nurse, clerk, pilot"
    keys(page, "Control+Home")
    paste(page, "age\tjob\n< 10\tnurse\n")
    assert texts(page)[0][:2] == ["< 10", "nurse"]
    keys(page, "Control+Shift+ArrowDown")
    paste(page, "> 5")
    assert {row[0] for row in texts(page)} == {"> 5"}


# --- the guard


def random_conflicting(rng, n=9):
    space = Space(
        [
            Continuous("a", kind="integer"),
            Continuous("b", missing=True),
            Categorical("c", ["x", "y", "z"], other=True),
        ]
    )
    rules = []
    for _ in range(n):
        low = int(rng.integers(0, 8))
        test = {"a": {">=": low, "<": low + int(rng.integers(2, 8))}}
        if rng.random() < 0.6:
            test["b"] = {"<": float(rng.integers(1, 5))}
        if rng.random() < 0.6:
            test["c"] = {"in": list(rng.permutation(["x", "y", "z"])[:2])}
        rules.append(Rule(test, then=str(rng.choice(["P", "Q"]))))
    return RuleSet(rules, space)


def conflict_pairs(rules):
    return rules.overlapping_pairs(same=False).tolist()


@pytest.mark.parametrize("seed", range(3))
def test_a_row_is_cut_to_its_free_part_or_stands_and_the_others_are_cut(page_of, seed):
    rules = random_conflicting(np.random.default_rng(seed))
    row = conflict_pairs(rules)[0][0]
    sample = irenic.Region(rules.space).sample(4000, random_state=seed)
    before = rules.covering(sample)
    page = open_editor(page_of, rules)
    parts = page.evaluate(
        "async (row) => { const { parts } = await editor.actions.ask('freeParts', { row });"
        " editor.actions.replaceRows([{ row, parts }]); await editor.settled();"
        " return parts.length; }",
        row,
    )
    edited = current(page)
    after = edited.covering(sample)
    rivals = [k for k, rule in enumerate(rules) if rule.then != rules[row].then]
    free = before[:, row] & ~before[:, rivals].any(axis=1)
    assert (after[:, row : row + parts].any(axis=1) == free).all()
    own = set(range(row, row + parts))
    assert not any(own & {*pair} for pair in conflict_pairs(edited))
    page.evaluate("() => editor.actions.undo()")
    page.evaluate(
        "async (row) => { const cut = await editor.actions.ask('cutRivals', { row });"
        " editor.actions.replaceRows(cut); await editor.settled(); }",
        row,
    )
    edited = current(page)
    assert rules[row] in list(edited)
    place = list(edited).index(rules[row])
    assert not any(place in pair for pair in conflict_pairs(edited))
    assert (edited.covering(sample).any(axis=1) == before.any(axis=1)).all()


def test_a_contradiction_is_shown_with_a_case_and_ways_out(page_of):
    page = open_editor(page_of, fares())
    type_text(page, "< 20")
    guard = page.locator(".guard")
    guard.wait_for()
    assert guard.locator("p").all_inner_texts() == [
        "Row 1 says free, row 2 says half for age = 19, job = nurse, distance = 25.",
        "Wherever age [18..20) job nurse, clerk distance < 50; and 2 more conflicts",
    ]
    assert page.locator(".grid-row.bad").count() == 4
    press(guard, "Keep the free part of row 1")
    page.locator(".verdict-part.good", has_text="no conflicts").wait_for()
    assert texts(page)[0] == ["< 18", "-", "-", "free"]
    assert guard.count() == 0
    change(page, (0, 0, "< 20"))
    press(page, "Let the first row decide")
    page.locator(".verdict-part", has_text="the first row decides").wait_for()
    rules = current(page)
    assert isinstance(rules, RuleList)
    assert rules.predict({"age": [19], "job": ["nurse"], "distance": [1]}).tolist() == ["free"]


def test_a_free_part_in_too_many_pieces_is_refused(page_of):
    """A rule over 410 points that others claim would fall apart into as many rows."""
    points = [({"x": (i, i + 0.5), "y": (i, i + 0.5)}, "B") for i in range(410)]
    page = open_editor(page_of, rule_set("xy", ({}, "A"), *points))
    change(page, (0, 0, ">= -1"))
    press(page, "Keep the free part of row 1")
    page.get_by_text("This cannot be done: it would need 400 rows or more.").wait_for()
    assert len(texts(page)) == 411


def test_a_gap_becomes_a_rule_with_one_click(page_of):
    page = open_editor(page_of, fares())
    press(page, "Add a rule for age = 98, distance = 150")
    page.locator("input.grid-input").wait_for()
    type_text(page, "senior")
    assert texts(page)[-1] == [">= 65", "-", ">= 100", "senior"]
    assert settle(page) == {"conflicts": 0, "gaps": 0, "redundant": []}
    # it does not hold for unknown values
    zone = Categorical("zone", ["A", "B", "C"], other=True)
    page = open_editor(page_of, rule_set([zone], ({"zone": {"in": ["A"]}}, "x")))
    page.get_by_role("button", name="Add a rule for").first.click()
    page.locator("input.grid-input").wait_for()
    assert texts(page)[-1][0] == "B, C"


def test_other_values_of_open_columns_are_one_note_beside_the_gaps(page_of):
    rows = [{"zone": {"in": [zone]}, "fee": {"in": [fee]}} for zone in "AB" for fee in "xy"]
    rules = RuleSet([Rule(row, then="ok") for row in rows])
    page = open_editor(page_of, rules)
    page.locator(".verdict-part.good", has_text="no gaps among the values named").wait_for()
    note = "other values of zone and fee are not covered"
    page.locator(".verdict-part.note", has_text=note).wait_for()
    assert page.locator("#verdicts").get_by_text("Complete for the values that the").count() == 1
    assert page.locator("#gaps").inner_text().count("Every case with values that rules name") == 1
    change(page, (3, 1, "x"))
    page.locator(".verdict-part.warn", has_text="1 gap").wait_for()
    page.locator(".verdict-part.note", has_text=note).wait_for()


def fill_case(page, **values):
    """Fill in the dialog of a rule for a case, and return it."""
    dialog = page.get_by_role("dialog", name="Rule for a case")
    if not dialog.is_visible():
        press(page, "Rule for a case …")
    for name, value in values.items():
        if name == "job":
            dialog.get_by_label("job").select_option(value)
        else:
            role = "combobox" if name == "Outcome" else "textbox"
            dialog.get_by_role(role, name=name).fill(value)
    return dialog


def test_a_case_that_should_be_something_else_cuts_the_rule_that_covers_it(page_of):
    page = open_editor(page_of, fares())
    dialog = fill_case(page, age="70", job="nurse", distance="20", Outcome="free")
    press(dialog, "Add the rule")
    page.locator(".edit-note", has_text="row 5 was cut around it").wait_for()
    assert settle(page) == {"conflicts": 0, "gaps": 1, "redundant": []}
    assert texts(page)[-1] == ["70", "nurse", "20", "free"]
    cases = {"age": [70, 71, 70, 70], "job": ["nurse", "nurse", "clerk", "nurse"]}
    predicted = current(page).predict({**cases, "distance": [20, 20, 20, 21]})
    assert predicted.tolist() == ["free", "half", "half", "half"]


def test_a_rule_for_a_case_is_shown_before_it_is_added(page_of):
    page = open_editor(page_of, fares())
    dialog = fill_case(page)
    assert "Fill in the case to see its rule." in dialog.text_content()
    fill_case(page, job="nurse", age="70", distance="200", Outcome="free")
    region = dialog.get_by_role("radio", name="The largest free region")
    region.wait_for()
    assert region.is_checked()  # the default
    shown = dialog.locator(".region").all_text_contents()
    assert shown == ["age >= 65 distance >= 100", "age 70 job nurse distance 200"]
    dialog.get_by_role("radio", name="Only this case").check()
    press(dialog, "Add the rule")
    page.wait_for_function("() => editor.table.now.rows.length === 6")
    assert texts(page)[-1] == ["70", "nurse", "200", "free"]
    keys(page, "Control+z")
    # a case that a row decides otherwise has no free region
    fill_case(page, age="5", distance="1", Outcome="full")
    text = "Row 1 says something else for this case, and is cut around it."
    dialog.get_by_text(text).wait_for()
    assert region.count() == 0
    fill_case(page, Outcome="free")
    dialog.get_by_text("Row 1 says so already.").wait_for()
    press(dialog, "Cancel")


# --- what changes


def headline(page):
    """Return the verdicts of the page, when they are those of the edited rules."""
    page.locator("#verdicts h2", has_text="Edited rules:").wait_for()
    return page.locator("#verdicts").text_content()


def test_the_page_has_no_verdict_on_other_rules_than_the_edited_ones(page_of, tmp_path):
    """It is mailed, and a reader takes its headline for that of the rules in it."""
    rules = irenic.loads("IF x < 10 THEN a\nIF x >= 5 THEN b\n", format="rules")
    X, y = {"x": [1, 2, 20, 30]}, ["a", "b", "b", "b"]
    page = page_of(summarize(rules, X=X, y=y, budget=0.5))
    original = page.locator("#verdicts").text_content()
    assert "Not consistent" in original
    assert "75 %" in page.locator("#results").text_content().replace("\u202f", " ")
    start_editor(page)
    change(page, (1, 0, ">= 25"))
    shown = headline(page).replace("\u202f", " ")
    assert "Edited rules: no conflicts, 1 gap" in shown
    assert "They are right for 2 of 4 instances (50 %)." in shown
    assert "Not consistent" not in shown
    assert page.locator("#top .lead").inner_text() == "Edited: 2 rules over 1 feature."
    mailed = saved_page(page_of, page, tmp_path)
    assert headline(mailed).replace("\u202f", " ") == shown
    for part in ("#findings", "#results", '#contents [href="#results"]'):
        assert mailed.locator(part).is_hidden()
    text = mailed.locator("body").inner_text()
    assert "Not consistent" not in text
    assert "75" not in text
    # the original page is back without the changes
    page.evaluate("() => editor.actions.undo()")
    assert page.locator("#verdicts").text_content() == original
    assert page.locator("#results").is_visible()
    # the verdict of edited rules is not that of older ones
    change(page, (1, 0, ">= 10"))
    assert "no conflicts" in headline(page)
    # in one step: before the worker has answered, nothing is claimed
    shown = page.evaluate(
        "() => { editor.actions.setCells([{row: 1, column: 0, text: '>= 9'}]);"
        " return document.querySelector('#verdicts').textContent; }"
    )
    assert "Edited rules" in shown
    assert "are being checked" in shown
    assert "right for" not in shown
    page.locator("#verdicts h2", has_text="Edited rules: 1 conflict").wait_for()


def test_a_browser_that_cannot_check_shows_no_verdict_on_edited_rules(page_of, tmp_path):
    page = open_editor(page_of, fares())
    change(page, (0, 0, "< 16"))
    without = lambda text: text.replace(" 'wasm-unsafe-eval'", "")  # noqa: E731
    other = saved_page(page_of, page, tmp_path, without)
    why = "This page has edited rules, but the browser cannot show them"
    other.locator("#editor", has_text=why).wait_for()
    assert "cannot be checked in this browser" in other.locator("#verdicts").inner_text()
    assert other.locator("#findings").is_hidden()


def test_the_rest_of_the_page_says_that_it_shows_the_original_rules(page_of, tmp_path):
    page = open_editor(page_of, fares())
    notes = page.locator(".as-opened:visible")
    look = "() => getComputedStyle(document.querySelector('#rules')).opacity"
    assert notes.count() == 0
    assert page.evaluate(look) == "1"
    keys(page, "ArrowRight")
    type_text(page, "pilot")  # a new value, which changes the history
    text = "The original rules follow, without the changes in the editor."
    assert notes.all_inner_texts() == [text]
    assert page.evaluate(look) == "0.6"
    other = saved_page(page_of, page, tmp_path)
    keys(page, "Control+z")
    assert notes.count() == 0
    other.locator(".as-opened:visible").first.wait_for()


@pytest.mark.parametrize("ordered", [False, True])
def test_changed_regions_are_those_where_python_decides_otherwise(page_of, ordered):
    rng = np.random.default_rng(3)
    rules = random_conflicting(rng, 6)
    page = open_editor(page_of, RuleList(rules) if ordered else rules)
    set_cells(page, (0, 0, "[2..9)"), (3, 2, "not(x)"), (4, 3, "R"), (2, 1, "null"))
    page.evaluate("() => editor.actions.moveRows(1, 1, 1)")
    settle(page)
    changes = ask(page, "editor.actions.ask('changedRegions')")
    assert changes["finished"]
    names = dict(enumerate(ask(page, "editor.table.outcomes.map((o) => o.value)")))
    names |= {None: None, -2: "contradiction"}
    sample = irenic.Region(rules.space).sample(5000, random_state=1)

    def decisions(rule_set):
        thens = np.array([rule.then for rule in rule_set])
        found = []
        for covers in getattr(rule_set, "rules", rule_set).covering(sample):
            said = thens[covers].tolist()
            several = len(set(said)) > 1 and not ordered
            found.append("contradiction" if several else said[0] if said else None)
        return found

    sides = [zip(rules.space.names, each["sides"], strict=True) for each in changes["list"]]
    regions = [region_of([pair for pair in each if pair[1]], rules.space) for each in sides]
    covers = RuleSet([Rule(region, then="x") for region in regions], rules.space).covering(sample)
    assert covers.sum(axis=1).max() == 1, "regions overlap"
    told = [(names[each["before"]], names[each["after"]]) for each in changes["list"]]
    listed = [told[row.argmax()] if row.any() else None for row in covers]
    before, after = decisions(RuleList(rules) if ordered else rules), decisions(current(page))
    expected = [(a, b) if a != b else None for a, b in zip(before, after, strict=True)]
    assert sum(each is not None for each in expected) > 100
    assert listed == expected


def test_results_on_instances_follow_the_rules(page_of):
    rng = np.random.default_rng(0)
    pairs = ({"x": {"<": 0}}, "neg"), ({"x": {">=": 0, "<": 1}}, "pos")
    rules = rule_set("x", *pairs, default="pos")
    x = rng.normal(size=200)
    y = np.where(x < 0.3, "neg", "pos")
    page = open_editor(page_of, rules, X={"x": x}, y=y)
    page.get_by_text("What changes").click()
    page.get_by_text("Nothing has changed yet.").wait_for()
    change(page, (0, 0, "< 0.3"), (1, 0, "[0.3..1)"))
    moved = int(((x >= 0) & (x < 0.3)).sum())
    page.get_by_text(f"{moved} of 200 instances are decided otherwise.").wait_for()
    right = page.locator(".before-after tr", has_text="right").locator("td").all_inner_texts()
    before = (np.where(x < 0, "neg", "pos") == y).mean()
    assert right == [f"{100 * before:g}\u202f%", "100\u202f%"]


# --- files


@pytest.mark.parametrize("ordered", [False, True])
def test_files_read_back_as_the_same_rules(page_of, ordered, tmp_path):
    rules = random_conflicting(np.random.default_rng(5))
    rules = RuleList(rules) if ordered else RuleSet(list(rules), rules.space, default="Q")
    page = open_editor(page_of, rules)
    files = page.evaluate("() => editor.actions.files()")
    assert current(page) == rules
    assert irenic.loads(files["json"], format="json") == rules
    if not ordered:  # text has no order
        assert irenic.loads(files["rules"], format="rules", space=rules.space) == rules
    for suffix in ("csv", "dmn"):
        path = tmp_path / f"rules.{suffix}"
        path.write_text(files[suffix], encoding="utf-8")
        space = {} if suffix == "dmn" and not ordered else {"space": rules.space}
        table = irenic.parse(path).bind(**space).tables[0]
        assert list(table.rules) == list(rules), suffix
        assert table.rules.space == rules.space
        assert table.rules.default == rules.default
        assert (table.hit_policy == "FIRST") == ordered


TABLES = {
    "fares": FARES,
    "kg": "Weight (kg);fee\n<5,5 kg;3,50\n>=5,5;12,25\n",
    "first": 'F,age,job,fare\n1,< 18,-,free\n2,-,"nurse, A",half price\n3,-,-,5\n',
    "unique": "U,age,fare\n1,< 18,yes\n2,>= 18,no\n",
    "words": 'job,color,then\nA,"""rest""",low risk\nb,-,"""5"""\n"not(A, b)",red,"a, b"\n',
    "two": "age,job,fee,risk\n,,outcome,outcome\n< 18,-,5,low\n18-59,nurse,7.5,high\n>= 60,-,5,5\n",
    "three": "F,a,if,x: y,z\n,,outcome,outcome,outcome\n1,< 1,12:30,true,b\n2,-,null,false,d\n",
    "dates": "due,at,then\n< 2026-01-31,-,2026-01-01\n>= 2026-01-31,>= 12:30,2027-01-01\n",
}
BOUNDED = Space(
    [
        Continuous("a", bounds=(0, None), unit="kg"),
        Continuous("größe > 1", bounds=(-1.5, 7), missing=True),
        Categorical("b", ["x", "y"], missing=True),
        Categorical("if", [True, False]),
    ]
)


def tables():
    """Yield tables, rule sets and lists, by name."""
    for name, text in TABLES.items():
        yield name, table_of(text)
    rng = np.random.default_rng(3)
    for make in (set_of_rules, list_of_rules, unique_table, with_impossible):
        yield make.__name__, make(rng)
    rules = [
        Rule({"a": (1, 3), "größe > 1": {"<": 2, "missing": True}}, then=1),
        Rule({"a": (3, None), "b": {"in": ["x"], "missing": True}}, then=2.5),
        Rule({"a": (3, None), "b": {"in": ["y"]}, "if": {"in": [True]}}, then="a 'b' \"c\" ü"),
    ]
    yield "bounded", RuleSet(rules, BOUNDED, default=3)


def test_downloads_are_what_irenic_convert_writes(page_of):
    for name, rules in tables():
        page = open_editor(page_of, rules)
        files = page.evaluate("() => editor.actions.files()")
        plain = rules
        if isinstance(rules, DecisionTable):
            plain = RuleList(rules.rules) if rules.is_ordered else rules.rules
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", irenic.FormatWarning)
            expected = {"json": irenic.dumps(plain, format="json")}
            expected |= {form: irenic.dumps(rules, format=form) for form in ("csv", "dmn")}
            if isinstance(plain, RuleSet):  # text has no order
                expected["rules"] = irenic.dumps(plain, format="rules")
        expected["csv"] = "\ufeff" + expected["csv"]  # so that Excel reads it as UTF-8
        for suffix, text in expected.items():
            assert files[suffix] == text, (name, suffix)


def test_an_amount_is_shown_as_its_file_writes_it(page_of):
    page = open_editor(page_of, table_of(TABLES["kg"]))
    assert [row[1] for row in texts(page)] == ["3,50", "12,25"]
    change(page, (0, 1, "4,25"), (1, 1, "0,3"))
    assert [row[1] for row in texts(page)] == ["4,25", "0,3"]
    assert [rule.then for rule in current(page)] == [4.25, 0.3]
    # a unit in a name is not repeated
    assert "Weight (kg)" in page.locator("body").inner_text()
    assert "(kg) (kg)" not in page.locator("body").inner_text()


def test_a_host_saves_the_rules_and_its_errors_are_shown(page_of):
    page = page_of(summarize(fares()))
    page.evaluate(
        """() => {
          window.kept = [];
          const save = async (rules) => {
            if (rules.rules.length > 4) throw new Error("the file is locked");
            window.kept.push(JSON.stringify(rules));
          };
          window.editor = irenic.openEditor(document.querySelector("#editor"), { save });
        }"""
    )
    save = page.get_by_role("button", name="Save", exact=True)
    note = page.locator(".edit-note")
    save.click()
    note.get_by_text("Not saved: the file is locked").wait_for()
    assert note.get_attribute("class") == "edit-note wrong-text"
    page.locator(".edit-grid").focus()
    type_text(page, "[1..")
    save.click()
    note.get_by_text("Finish or delete the row marked with … first.").wait_for()
    page.evaluate("() => editor.actions.deleteRows(0, 0)")
    save.click()
    note.get_by_text("Saved.").wait_for()
    assert note.get_attribute("class") == "edit-note"
    (kept,) = page.evaluate("() => kept")
    assert irenic.loads(kept, format="json") == current(page)
    change(page, (1, 0, ">= 65"))
    save.click()
    note.get_by_text("Saved. The rules have 1 conflict.").wait_for()


def test_the_saved_page_opens_with_the_edited_rules(page_of, tmp_path):
    page = open_editor(page_of, fares())
    type_text(page, "< 16, > 80")
    type_text(page, "bad cell")
    other = saved_page(page_of, page, tmp_path)
    cells = other.locator(".grid-row [role=gridcell]").all_inner_texts()
    assert cells == [cell for row in texts(page) for cell in row]
    assert other.locator("#rules .rule, #rules article, #rules li").count() > 0


def test_names_and_values_are_never_markup(page_of):
    nasty = "<img src=x onerror=alert(1)>"
    features = [Categorical(nasty, [nasty, "</script><b>"], other=True), "__proto__"]
    rules = rule_set(
        features,
        ({nasty: {"in": [nasty]}}, "</textarea><script>alert(2)</script>"),
        ({"__proto__": {"<": 5}}, "=1+1"),
    )
    page = open_editor(page_of, rules)
    assert page.locator("#editor img, #editor script, #editor b b").count() == 0
    evil = '"<svg onload=alert(3)>"'
    change(page, (1, 0, evil), (1, 2, evil))
    assert page.locator("#editor svg").count() == 0
    edited = current(page)
    assert edited[1].then == "<svg onload=alert(3)>"
    assert edited.space[nasty].values == (nasty, "</script><b>", "<svg onload=alert(3)>")
    html = page.evaluate("() => editor.actions.files().html")
    assert html.count("<svg onload") == 0


# --- scale and accessibility


def test_only_rows_in_view_are_drawn(page_of):
    rows = [({"x": {">=": i, "<": i + 1}, "y": {">=": 0}}, "AB"[i % 2]) for i in range(1000)]
    rules = rule_set("xy", *rows)
    page = open_editor(page_of, rules)
    assert page.locator(".grid-row").count() < 60
    keys(page, "Control+ArrowDown")
    assert page.locator("#cell-999-0.active").inner_text() == "[999..1000)"
    page.keyboard.type("5")
    keys(page, "Escape")
    assert page.locator("#cell-999-0.active").inner_text() == "[999..1000)"
    # rows that look as before are not drawn again
    page.evaluate("() => document.querySelectorAll('.grid-row').forEach((row) => row.old = true)")
    type_text(page, "[998..1000)")
    assert settle(page)["conflicts"] == 1
    page.locator(".guard").wait_for()
    drawn = page.evaluate(
        "() => [...document.querySelectorAll('.grid-row')].filter((row) => !row.old)"
        ".map((row) => Number(row.dataset.row))"
    )
    assert drawn == [998, 999]


def test_the_editor_fits_a_phone(page_of):
    page = page_of(summarize(fares()), viewport={"width": 360, "height": 700})
    start_editor(page)
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 360
    heads, cells = (
        page.locator(selector).first.bounding_box()["width"]
        for selector in (".grid-head [aria-colindex='3']", ".grid-row [aria-colindex='3']")
    )
    assert heads == cells


def test_the_grid_tells_assistive_technology_what_it_is(page_of):
    page = open_editor(page_of, fares())
    keys(page, "ArrowRight")
    grid = page.get_by_role("grid", name="Rules")
    active = grid.get_attribute("aria-activedescendant")
    cell = page.locator(f"#{active}")
    assert (cell.get_attribute("role"), cell.get_attribute("aria-colindex")) == ("gridcell", "3")
    assert cell.get_attribute("aria-selected") == "true"
    assert cell.locator("..").get_attribute("aria-rowindex") == "2"
    keys(page, "Enter")
    field = page.get_by_role("combobox", name="job, row 1")
    assert field.get_attribute("aria-expanded") == "true"
    assert page.locator(".completions").get_by_role("option", name="nurse").count() == 1
    keys(page, "Escape", "Tab")  # Tab leaves the grid
    assert page.evaluate(
        "() => !document.querySelector('.edit-grid').contains(document.activeElement)"
    )


def test_axe_finds_nothing_wrong_with_the_editor(page_of):
    if not AXE.exists():
        pytest.skip("axe-core is not installed: npm ci")
    page = open_editor(page_of, fares())
    type_text(page, "< 20")
    page.locator(".guard").wait_for()
    page.evaluate(AXE.read_text(encoding="utf-8") + "; 0")
    found = page.evaluate("async () => (await axe.run('#editor')).violations")
    assert [(v["id"], [node["html"][:200] for node in v["nodes"]]) for v in found] == []
