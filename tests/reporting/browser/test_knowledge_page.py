"""The editor of a learned model hands rules to keep, and what is forbidden, back to the learner."""

from __future__ import annotations

import json
import re
import threading

import numpy as np
import pytest
from typer.testing import CliRunner

import irenic
from irenic.cli import app
from irenic.learn import load_knowledge
from irenic.reporting.editing import EditedModel
from irenic.reporting.serving import EditingServer
from irenic.reporting.summarize import summarize
from tests.learn.fitting import quick


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = {
        "income": rng.integers(5, 120, 300),
        "debt": rng.integers(0, 60, 300),
        "job": rng.choice(["cook", "clerk", "fire fighter"], 300),
    }
    paid = X["income"] - X["debt"] + 20 * (X["job"] == "clerk") + rng.normal(0, 8, 300) > 20
    return X, np.where(paid, "grant", "no loan")


@pytest.fixture(scope="module")
def model(data):
    return quick(max_rules=4).fit(*data)


def edit(page):
    page.evaluate("() => { window.editor = irenic.openEditor(document.querySelector('#editor')); }")
    page.locator(".verdict-part.good", has_text="no conflicts").wait_for()


CAUGHT = """() => {  // what is downloaded, instead of a file of the browser
  let text;
  URL.createObjectURL = (blob) => ((text = blob.text()), "");
  HTMLAnchorElement.prototype.click = function () {
    window.caught = text.then((own) => [this.download, own]);
  };
}"""


def press_forbid(page, cell, text):
    page.locator(cell).click()
    page.locator("summary", has_text="Forbid").click()
    page.locator(".save-menu li button", has_text=text).first.click()


def test_marks_come_back_with_the_next_model(page_of, model, data, tmp_path):
    page = page_of(summarize(model, *data, name="loans"))
    edit(page)
    first = str(model.rules_[0])
    page.get_by_role("button", name="Keep", exact=True).click()
    assert page.locator(".grid-row.kept").count() == 1
    press_forbid(page, "#cell-0-2", "No rule may test job")
    assert page.locator(".grid-head .forbidden").inner_text().startswith("job")
    page.evaluate(CAUGHT)
    page.get_by_role("button", name="Download loans.knowledge.json").click()
    name, text = page.evaluate("() => window.caught")
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    knowledge = load_knowledge(path)
    assert knowledge["forbidden"] == ["job"]
    assert knowledge["rules"].splitlines() == [first]
    again = quick(**knowledge).fit(*data)
    assert str(again.rules_[0]) == first
    assert not any("job" in rule.region.conditions() for rule in list(again.rules_)[1:])
    # the page of the new model knows what was kept
    page = page_of(summarize(again, *data, name="loans"))
    edit(page)
    assert page.locator(".grid-row.kept").count() == 1
    assert page.evaluate("() => document.querySelector('.grid-row.kept').dataset.row") == "0"


def test_a_forbidden_condition_is_proved_of_the_next_model(page_of, model, data):
    page = page_of(summarize(model, *data, name="loans"))
    edit(page)
    column = next(
        k for k, name in enumerate(data[0]) if name in model.rules_[0].region.conditions()
    )
    press_forbid(page, f"#cell-0-{column}", "Never")
    assert page.locator(f"#cell-0-{column}.forbidden").count() == 1
    # items of lists are laid out when they come into view; until then, inner_text misses them
    shown = page.locator(".panel", has_text="For the learner").text_content()
    never = json.loads(page.evaluate("() => JSON.stringify(editor.actions.knowledge())"))["never"]
    assert f"Never {never[0]}" in shown
    again = quick(never=never).fit(*data)
    assert again.certificate_.proved == (f"NEVER {never[0]}",)
    page = page_of(summarize(again, *data))
    edit(page)
    assert f"Never {never[0]}" in page.locator(".panel", has_text="For the learner").text_content()


def test_a_kept_rule_that_contradicts_a_mark_is_named(page_of, model, data):
    page = page_of(summarize(model, *data))
    edit(page)
    column = next(
        k for k, name in enumerate(data[0]) if name in model.rules_[0].region.conditions()
    )
    press_forbid(page, f"#cell-0-{column}", "Never")
    panel = page.locator(".panel", has_text="For the learner")
    assert panel.locator(".wrong-text").count() == 0
    page.get_by_role("button", name="Keep", exact=True).click()
    never = page.evaluate("() => editor.table.now.never[0]")
    expected = f"Row 1 is kept, but contradicts: Never {never}."
    assert panel.locator(".wrong-text").inner_text() == expected
    # the learner says the same
    with pytest.raises(irenic.IrenicError, match="contradicts NEVER"):
        quick(rules=str(model.rules_[0]), never=[never]).fit(*data)
    # the row may say something else there
    other = "grant" if model.rules_[0].then == "no loan" else "no loan"
    page.evaluate("(text) => editor.actions.setCells([{ row: 0, column: 3, text }])", other)
    assert panel.locator(".wrong-text").count() == 0


def test_marks_are_undone_and_do_not_count_as_changes(page_of, model, data):
    page = page_of(summarize(model, *data))
    edit(page)
    panel = page.locator(".panel", has_text="For the learner")
    assert "Mark rules with Keep" in panel.inner_text()
    page.get_by_role("button", name="Keep", exact=True).click()
    assert page.locator("body.edited").count() == 0
    page.keyboard.press("Control+z")
    assert page.locator(".grid-row.kept").count() == 0
    press_forbid(page, "#cell-0-0", "No rule may test income")
    panel.get_by_role("button", name="Remove").click()
    assert "Mark rules with Keep" in panel.inner_text()


def test_forbid_is_reached_by_keys(page_of, model, data):
    page = page_of(summarize(model, *data))
    edit(page)
    page.locator("summary", has_text="Forbid").focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="No rule may test").wait_for()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.locator(".grid-head .forbidden").wait_for()
    assert page.locator(".grid-head .forbidden").count() == 1
    assert page.evaluate("() => document.activeElement.getAttribute('role')") == "grid"


def test_an_edited_rule_changes_accuracy_coverage_and_confusion(page_of, model, data):
    page = page_of(summarize(model, *data))
    edit(page)
    page.locator("summary", has_text="What changes").click()
    page.locator("#cell-0-3").click()
    page.keyboard.type("grant" if model.rules_[0].then == "no loan" else "no loan")
    page.keyboard.press("Enter")
    table = page.locator(".before-after").first
    table.wait_for()
    cells = table.locator("td").all_inner_texts()
    assert cells[1] != cells[2]  # right, before and now
    changed = irenic.loads(
        page.evaluate("() => JSON.stringify(editor.currentRules())"), format="json"
    )
    X, y = data
    right = float(np.mean(changed.predict(X, resolve="first") == y))
    assert cells[2].replace("\u202f", "").startswith(f"{100 * right:.1f}".removesuffix(".0"))
    page.locator("summary", has_text="Confusion matrix").last.click()
    matrix = page.locator(".before-after").last.locator("tbody td").all_inner_texts()
    assert sum(map(int, matrix)) == len(y)


def test_irenic_edit_saves_what_irenic_learn_reads(browser, model, data, tmp_path):
    path = tmp_path / "loans.json"
    irenic.write(model, path)
    before = path.read_bytes()
    with EditingServer(EditedModel(path, show=lambda parsed: (parsed.model(), *data))) as server:
        thread = threading.Thread(target=server.serve)
        thread.start()
        page = browser.new_page()
        try:
            page.goto(server.url)
            page.locator(".verdict-part.good", has_text="no conflicts").wait_for()
            page.locator("summary", has_text="What changes").click()
            page.locator("#cell-0-3").click()
            page.keyboard.press("Delete")
            page.locator(".before-after").first.wait_for()
            page.keyboard.press("Control+z")
            page.get_by_role("button", name="Keep", exact=True).click()
            page.get_by_role("button", name="Save", exact=True).click()
            page.locator(".edit-note", has_text="Saved to loans.knowledge.json").wait_for()
        finally:
            page.close()
            server.stop()
            thread.join()
    assert path.read_bytes() == before
    assert load_knowledge(tmp_path / "loans.knowledge.json") == {"rules": f"{model.rules_[0]}\n"}
    X, y = data
    table = tmp_path / "loans.csv"
    rows = [
        ",".join([*X, "label"]),
        *(",".join(map(str, row)) for row in zip(*X.values(), y, strict=True)),
    ]
    table.write_text("\n".join(rows) + "\n")
    options = ["--knowledge", str(tmp_path / "loans.knowledge.json"), "--budget", "2", "--cv", "0"]
    result = CliRunner().invoke(app, ["learn", str(table), *options, "-o", str(tmp_path / "r.txt")])
    assert result.exit_code == 0, result.output
    assert (tmp_path / "r.txt").read_text().startswith(str(model.rules_[0]))


def test_a_second_page_does_not_overwrite_what_the_first_saved(model, tmp_path):
    path = tmp_path / "loans.json"
    irenic.write(model, path)
    file = EditedModel(path)
    first = second = file.digest
    saved = file.save('{"forbidden": ["job"]}', seen=first)
    with pytest.raises(irenic.FormatError, match="or its knowledge file was changed on disk"):
        file.save('{"forbidden": ["debt"]}', seen=second)
    assert load_knowledge(file.knowledge) == {"forbidden": ["job"]}
    file.save('{"forbidden": ["debt"]}', seen=saved)
    assert load_knowledge(file.knowledge) == {"forbidden": ["debt"]}


# --- the file


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (
            "[]",
            "knowledge must be an object with the keys rules, never, always, forbidden,"
            " monotonic_cst, ordered, got list",
        ),
        ('{"rule": ""}', "unknown key 'rule'; did you mean 'rules'?"),
        (
            '{"rules": ["IF a THEN b"]}',
            "'rules' must be text, one rule per line, got ['IF a THEN b']",
        ),
        ('{"never": "a"}', "'never' must be a list of text, got 'a'"),
        ("{", "not valid JSON"),
    ],
)
def test_an_invalid_file_says_what_is_wrong(tmp_path, content, error):
    path = tmp_path / "k.json"
    path.write_text(content)
    with pytest.raises(irenic.FormatError, match=re.escape(error)) as raised:
        load_knowledge(path)
    assert str(path) in str(raised.value)
