"""The page that saves to its server, or to a notebook."""

from __future__ import annotations

import json
import threading

import pytest

import irenic
from irenic.reporting import serving, widget
from irenic.reporting.edited_file import EditedFile
from irenic.reporting.serving import EditingServer, opening_file
from tests.reporting.browser.steps import type_text

TEXT = "# by age\nIF age < 18 THEN free\nIF age >= 18 THEN full\n"
CUT = TEXT.replace("< 18", "< 16")


def rules_of(text):
    return json.loads(irenic.dumps(irenic.loads(text, format="rules"), format="json"))


@pytest.fixture
def served(page_of, noise, tmp_path, monkeypatch):
    """Open the page of a file at its server; the server ends with the page."""
    path = tmp_path / "fares.rules"
    path.write_text(TEXT)
    with EditingServer(EditedFile(path)) as server:
        thread = threading.Thread(target=server.serve)
        thread.start()
        page = page_of(server.url)
        yield page, path
        # only now, as a page that is loaded again may be slow
        monkeypatch.setattr(serving, "_AFTER_GOODBYE", 0.1)
        server._pages.clear()  # those before it
        page.goto("about:blank")
        thread.join(20)
        assert not thread.is_alive()
    # browsers report that a save was refused
    noise[:] = [line for line in noise if "409 (Conflict)" not in line]


def save(page, rules):
    return page.evaluate("(rules) => irenic.saveEdited(rules).then(() => '', String)", rules)


def test_rules_are_saved_and_changes_on_disk_are_noticed(served):
    page, path = served
    assert page.locator("#saving").inner_text() == ""
    assert save(page, rules_of(CUT)) == ""
    assert path.read_text() == CUT
    path.write_text(TEXT.replace("free", "gratis"))
    page.get_by_text("The file was changed on disk.").wait_for()
    assert "changed on disk" in save(page, rules_of(TEXT))
    page.get_by_role("button", name="Keep this version").click()
    assert save(page, rules_of(TEXT)) == ""
    assert path.read_text() == TEXT
    path.write_text(TEXT.replace("free", "gratis"))
    page.get_by_role("button", name="Reload it").click()
    page.locator("#rules .outcome", has_text="gratis").first.wait_for()
    assert page.locator("#saving").inner_text() == ""


def test_two_pages_do_not_overwrite_each_other(served, page_of):
    page, path = served
    other = page_of(page.url)
    assert save(other, rules_of(CUT)) == ""
    assert "changed on disk" in save(page, rules_of(TEXT.replace("free", "gratis")))
    page.get_by_text("The file was changed on disk.").wait_for()
    assert path.read_text() == CUT
    assert save(other, rules_of(TEXT)) == ""
    assert path.read_text() == TEXT
    other.goto("about:blank")


def test_a_file_opens_the_page_whose_address_is_secret(served, noise):
    page, _ = served
    url = page.url
    with opening_file(url) as file:
        page.goto(file.as_uri())
        page.wait_for_url(url)
    page.locator(".grid-row").first.wait_for()
    page.reload()
    page.locator(".grid-row").first.wait_for()
    assert noise.pop(0) == file.as_uri()


def test_a_deleted_file_is_written_again_on_request(served):
    page, path = served
    path.unlink()
    page.get_by_text("The file was deleted.").wait_for()
    assert "the file was deleted; keep this version" in save(page, rules_of(TEXT))
    assert page.get_by_role("button", name="Reload it").count() == 0
    page.evaluate("() => scrollTo(0, 10_000)")
    assert page.locator("#saving .notice").bounding_box()["y"] >= 0
    page.get_by_role("button", name="Keep this version").click()
    assert save(page, rules_of(TEXT)) == ""
    assert path.read_text() == TEXT


def test_after_the_end_of_the_command_saving_says_so(served):
    page, path = served
    page.evaluate("() => { window.fetch = () => Promise.reject(new TypeError()); }")
    page.get_by_role("button", name="Save", exact=True).click()
    text = "Not saved: irenic edit has ended; download the rules instead."
    page.locator(".edit-note.wrong-text", has_text=text).wait_for()
    assert path.read_text() == TEXT


def test_an_order_is_not_offered_where_the_file_cannot_keep_it(served):
    page, _ = served
    page.locator(".edit-grid").focus()
    type_text(page, "< 20")
    page.locator(".guard").wait_for()
    names = page.locator(".guard .actions button").all_inner_texts()
    assert "Keep the free part of row 1" in names
    assert "Let the first row decide" not in names


def test_a_notebook_gets_the_rules(page_of, noise, tmp_path):
    report = irenic.report(irenic.loads(TEXT, format="rules"))
    inner = tmp_path / "inner.html"
    inner.write_text(report.editing_html("notebook"))
    outer = tmp_path / "outer.html"
    outer.write_text('<iframe sandbox="allow-scripts" src="inner.html"></iframe>')
    page = page_of(outer)
    page.evaluate("addEventListener('message', ({ data }) => { window.got = data; })")
    page.frames[1].evaluate("(rules) => irenic.saveEdited(rules)", rules_of(CUT))
    page.wait_for_function("() => window.got")
    got = page.evaluate("got")
    assert got["irenic"] == "rules"
    assert irenic.loads(got["rules"], format="json") == irenic.loads(CUT, format="rules")
    assert noise.pop(0) == inner.as_uri()


RENDER = """async ({ script, html }) => {
    const address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
    const { default: widget } = await import(address);
    const kept = { page: html };
    window.saved = [];
    window.model = {
        get: (name) => kept[name],
        set: (name, value) => (kept[name] = value),
        save_changes: () => saved.push(kept.edited),
    };
    window.end = widget.render({ model, el: document.body });
    await new Promise((loaded) => (document.querySelector("iframe").onload = loaded));
}"""


def test_the_widget_takes_rules_of_its_own_frame_only(page_of, tmp_path):
    (tmp_path / "notebook.html").write_text("<!doctype html><title>notebook</title>")
    page = page_of(tmp_path / "notebook.html")
    html = irenic.report(irenic.loads(TEXT, format="rules")).editing_html("notebook")
    page.evaluate(RENDER, {"script": widget._SCRIPT, "html": html})
    page.evaluate("postMessage({ irenic: 'rules', rules: 'forged' }, '*')")
    page.frames[1].evaluate("(rules) => irenic.saveEdited(rules)", rules_of(CUT))
    page.wait_for_function("() => saved.length > 0")
    (saved,) = page.evaluate("saved")
    assert irenic.loads(saved, format="json") == irenic.loads(CUT, format="rules")


def test_a_file_cannot_save(page_of):
    page = page_of(irenic.summarize(irenic.loads(TEXT, format="rules")))
    assert page.evaluate("irenic.canSave") is False
    assert page.locator("#saving").count() == 0
