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
from irenic.learn import Knowledge
from irenic.reporting.edited_file import EditedModel
from irenic.reporting.serving import EditingServer
from irenic.reporting.summarize import summarize
from tests.learn.fitting import quick
from tests.reporting.browser.steps import OPEN_EDITOR, keys, type_text
from tests.reporting.browser.test_editor import set_cells


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


@pytest.fixture
def learner(page_of, data, model):
    """Open the editor of a model with its data; return the page and its part for the learner."""

    def open_editor(shown=model):
        page = page_of(summarize(shown, *data, name="loans"))
        page.evaluate(OPEN_EDITOR)
        page.locator(".verdict-part.good", has_text="no conflicts").wait_for()
        return page, page.locator(".panel", has_text="For the learner")

    return open_editor


@pytest.fixture(scope="module")
def tested(data, model):
    """The column of the first rule's first condition."""
    names = model.rules_[0].region.conditions()
    return next(k for k, name in enumerate(data[0]) if name in names)


@pytest.fixture(scope="module")
def other(model):
    """Another outcome than that of the first rule."""
    return "grant" if model.rules_[0].then == "no loan" else "no loan"


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


def keep(page):
    page.get_by_role("button", name="Keep", exact=True).click()


def test_marks_come_back_with_the_next_model(learner, model, data, tmp_path):
    page, _ = learner()
    first = str(model.rules_[0])
    keep(page)
    assert page.locator(".grid-row.kept").count() == 1
    press_forbid(page, "#cell-0-2", "No rule may test job")
    assert page.locator(".grid-head .forbidden").text_content().startswith("job")
    page.evaluate(CAUGHT)
    page.get_by_role("button", name="Download loans.knowledge.json").click()
    name, text = page.evaluate("() => window.caught")
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    knowledge = Knowledge.load(path)
    assert knowledge.forbidden == ["job"]
    assert knowledge.rules.splitlines() == [first]
    again = quick(knowledge=knowledge).fit(*data)
    assert str(again.rules_[0]) == first
    assert not any("job" in rule.region.conditions() for rule in list(again.rules_)[1:])
    # the page of the new model knows what was kept
    page, _ = learner(again)
    assert page.locator(".grid-row.kept").count() == 1
    assert page.locator(".grid-row.kept").get_attribute("data-row") == "0"


def test_a_forbidden_condition_is_proved_of_the_next_model(learner, data, tested):
    page, panel = learner()
    press_forbid(page, f"#cell-0-{tested}", "Never")
    assert page.locator(f"#cell-0-{tested}.forbidden").count() == 1
    never = json.loads(page.evaluate("() => JSON.stringify(editor.actions.knowledge())"))["never"]
    assert f"Never {never[0]}" in panel.text_content()
    again = quick(never=never).fit(*data)
    assert again.certificate_.proved == (f"NEVER {never[0]}",)
    _, panel = learner(again)
    assert f"Never {never[0]}" in panel.text_content()


def test_a_kept_rule_that_contradicts_a_mark_is_named(learner, model, data, tested, other):
    page, panel = learner()
    press_forbid(page, f"#cell-0-{tested}", "Never")
    assert panel.locator(".wrong-text").count() == 0
    keep(page)
    never = page.evaluate("() => editor.table.now.never[0]")
    expected = f"Row 1 is kept, but contradicts: Never {never}."
    assert panel.locator(".wrong-text").text_content() == expected
    # the learner says the same
    with pytest.raises(irenic.IrenicError, match="exclude each other; refuted: NEVER"):
        quick(rules=str(model.rules_[0]), never=[never]).fit(*data)
    # the row may say something else there
    set_cells(page, (0, 3, other))
    assert panel.locator(".wrong-text").count() == 0


def test_marks_are_made_with_keys_undone_and_do_not_count_as_changes(learner):
    page, panel = learner()
    assert "Mark rules with Keep" in panel.text_content()
    keep(page)
    assert page.locator("body.edited").count() == 0
    keys(page, "Control+z")
    assert page.locator(".grid-row.kept").count() == 0
    press_forbid(page, "#cell-0-0", "No rule may test income")
    panel.get_by_role("button", name="Remove").click()
    assert "Mark rules with Keep" in panel.text_content()
    page.locator("summary", has_text="Forbid").focus()
    keys(page, "Enter")
    page.get_by_role("button", name="No rule may test").wait_for()
    keys(page, "Tab", "Enter")
    page.locator(".grid-head .forbidden").wait_for()
    assert page.locator(".grid-head .forbidden").count() == 1
    assert page.evaluate("() => document.activeElement.getAttribute('role')") == "grid"


def test_an_edited_rule_changes_accuracy_coverage_and_confusion(learner, data, other):
    page, _ = learner()
    page.locator("summary", has_text="What changes").click()
    page.locator("#cell-0-3").click()
    type_text(page, other)
    table = page.locator(".before-after").first
    table.wait_for()
    cells = table.locator("td").all_text_contents()
    assert cells[1] != cells[2]  # right, before and now
    edited = page.evaluate("() => JSON.stringify(editor.currentRules())")
    X, y = data
    right = np.mean(irenic.loads(edited, format="json").predict(X, resolve="first") == y)
    assert cells[2].replace("\u202f", "").startswith(f"{100 * right:.1f}".removesuffix(".0"))
    page.locator("summary", has_text="Confusion matrix").last.click()
    matrix = page.locator(".before-after").last.locator("tbody td").all_text_contents()
    assert sum(map(int, matrix)) == len(y)


def test_irenic_edit_saves_what_irenic_learn_reads(page_of, model, data, tmp_path):
    path = tmp_path / "loans.json"
    irenic.write(model, path)
    before = path.read_bytes()
    with EditingServer(EditedModel(path, show=lambda parsed: (parsed.model(), *data))) as server:
        thread = threading.Thread(target=server.serve)
        thread.start()
        try:
            page = page_of(server.url)
            page.locator(".verdict-part.good", has_text="no conflicts").wait_for()
            page.locator("summary", has_text="What changes").click()
            page.locator("#cell-0-3").click()
            keys(page, "Delete")
            page.locator(".before-after").first.wait_for()
            keys(page, "Control+z")
            keep(page)
            page.get_by_role("button", name="Save", exact=True).click()
            page.locator(".edit-note", has_text="Saved to loans.knowledge.json").wait_for()
            page.goto("about:blank")
        finally:
            server.stop()
            thread.join()
    assert path.read_bytes() == before
    knowledge = tmp_path / "loans.knowledge.json"
    assert Knowledge.load(knowledge).given() == {"rules": f"{model.rules_[0]}\n"}
    X, y = data
    table = tmp_path / "loans.csv"
    rows = [[*X, "label"], *zip(*X.values(), y, strict=True)]
    table.write_text("".join(",".join(map(str, row)) + "\n" for row in rows))
    options = ["--knowledge", knowledge, "--budget", "2", "--cv", "0", "-o", tmp_path / "r.txt"]
    result = CliRunner().invoke(app, [*map(str, ["learn", table, *options])])
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
    assert Knowledge.load(file.knowledge).given() == {"forbidden": ["job"]}
    file.save('{"forbidden": ["debt"]}', seen=saved)
    assert Knowledge.load(file.knowledge).given() == {"forbidden": ["debt"]}


# --- the file


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (
            "[]",
            "knowledge must be an object with the keys rules, never, always, forbidden,"
            " monotonic_cst, ordered, cost, describe, max_values, got list",
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
        Knowledge.load(path)
    assert str(path) in str(raised.value)
