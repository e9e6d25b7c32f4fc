"""What tests of several parts of the page do: press keys, fill in forms, wait for frames."""

from __future__ import annotations

import json
import re
from contextlib import contextmanager

from irenic import Continuous, Region, Rule, RuleSet, Space


def rule_set(features, *pairs, default=None):
    """Return rules given as pairs of conditions and consequent; numbers are features by name."""
    space = Space(Continuous(each) if isinstance(each, str) else each for each in features)
    rules = [Rule(Region(space, conditions), then=then) for conditions, then in pairs]
    return RuleSet(rules, space, default=default)


OPEN_EDITOR = "() => { window.editor = irenic.openEditor(document.querySelector('#editor')); }"


@contextmanager
def on_paper(page):
    """Show a page as it is printed."""
    page.emulate_media(media="print")
    try:
        yield
    finally:
        page.emulate_media(media="screen")


def notebook(folder, shown):
    """Write a page that shows what a notebook does, in an encoding that browsers need not guess."""
    path = folder / "notebook.html"
    path.write_text(f'<!doctype html><meta charset="utf-8">{shown}', encoding="utf-8")
    return path


def drawn(page):
    """Wait until the page has drawn what the last event changed: it looks up rules, then draws."""
    frame = "new Promise((drawn) => requestAnimationFrame(drawn))"
    page.evaluate(f"() => {frame}.then(() => {frame})")


def words(page, selector):
    """Return what a part shows, with single spaces."""
    return re.sub(r"\s+", " ", page.locator(selector).inner_text())


def keys(page, *pressed):
    for key in pressed:
        page.keyboard.press(key)


def press(where, name):
    """Click the button with a name, in the page or in a part of it."""
    where.get_by_role("button", name=name, exact=True).click()


def type_text(page, text):
    """Type text and Enter."""
    page.keyboard.type(text)
    keys(page, "Enter")


def fill_form(page, **values):
    """Fill in the form of a case; None ticks "missing", and categories are given as codes."""
    page.evaluate("document.querySelectorAll('#case details').forEach((d) => { d.open = true; })")
    for name, value in values.items():
        field = page.locator(f'#case-form [data-feature="{name}"]')
        if value is None:
            page.locator(f'#case-form [data-missing="{name}"]').check()
        elif field.evaluate("input => input.tagName") == "SELECT":
            field.select_option(value)
        else:
            field.fill(str(value))


def ask(page, script, before="", **given):
    """Return what a script returns, which may be a promise; it reads data from ``given``.

    As JSON: Playwright would lose a feature called __proto__.
    """

    def number(text):  # of JavaScript: whole ones beyond 2**53 are written as if they were exact
        return int(text) if abs(int(text)) <= 2**53 else float(text)

    lines = f"async (text) => {{ const given = JSON.parse(text); {before}"
    found = page.evaluate(f"{lines} return JSON.stringify(await ({script})); }}", json.dumps(given))
    return json.loads(found, parse_int=number)
