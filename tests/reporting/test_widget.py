"""The editor in notebooks."""

from __future__ import annotations

import sys

import pytest

import irenic
from irenic import DecisionTable, Rule, RuleList, RuleSet
from irenic.reporting import widget

RULES = RuleSet([Rule({"age": (0, 18)}, then="free"), Rule({"age": (18, None)}, then="full")])


@pytest.fixture
def fresh():
    widget._widget_class.cache_clear()
    yield
    widget._widget_class.cache_clear()


@pytest.mark.usefixtures("fresh")
def test_without_the_extra_the_error_names_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(
        ImportError, match=r"needs anywidget; install it with pip install 'irenic\["
    ):
        RULES.edit()


@pytest.mark.parametrize(
    "rules", [RULES, RuleList(RULES), DecisionTable.from_rules(RULES).under("FIRST")]
)
def test_saved_rules_are_those_of_the_widget(rules):
    pytest.importorskip("anywidget")
    editor = rules.edit()
    assert list(editor.rules) == list(RULES)
    assert '<meta name="irenic-saves-to" content="notebook">' in editor.page
    assert "connect-src" not in editor.page
    assert repr(editor) == (
        "<editor of rules; it is shown only in a notebook:"
        " elsewhere, save the rules to a file and run irenic edit FILE>"
    )
    cut = RuleSet([Rule({"age": (0, 16)}, then="free")])
    editor.edited = irenic.dumps(cut, format="json")
    assert editor.rules == cut
    assert len(RULES) == 2
