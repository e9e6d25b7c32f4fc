"""Edits of open files: what they promise holds in the new text, in every format."""

from __future__ import annotations

from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import assume, given

import irenic
from irenic.serving.opened import OpenedFile
from strategies import examples, regions, rule_sets

FORMATS = ["rules", "json", "csv", "dmn"]


def opened(text, form):
    return OpenedFile(text, Path(f"/no such folder/rules.{form}"), seconds=0.1)


@st.composite
def contradicting(draw, form):
    """Draw rules with a contradiction, as an open file, and points of their space."""
    rules = draw(rule_sets(max_size=4))
    assume(not rules.is_consistent)
    try:
        file = opened(irenic.dumps(rules, format=form), form)
    except irenic.FormatError:  # FEEL has no literal for a value
        assume(False)
    assume(len(file.tables) == 1)
    table = file.tables[0].table
    assume(all(getattr(feature, "values", True) for feature in table.space))
    points = [draw(regions(table.space)).witness() for _ in range(8)]
    points += [rule.region.witness() for rule in table.rules]
    return file, points


def holds(rules, point):
    """Return the outcomes of the rules that hold at a point."""
    return {rule.then for rule in rules if point in rule.region}


@pytest.mark.parametrize("form", FORMATS)
@examples(0.2)
@given(data=st.data())
def test_edits_of_contradicting_rules_hold_what_they_promise(form, data):
    file, points = data.draw(contradicting(form))
    [findings] = file.tables
    table = findings.table

    def read(text):
        new = irenic.parse(text.encode(), name=f"rules.{form}").bound(table.space)
        assert not new.errors
        return [each.rules for each in new.tables]

    # words are about the row under the cursor
    for row in range(table.n_rows):
        start, end = file.places.row(table, row)
        span, words = file.words(data.draw(st.integers(start + 1, end - 1)))
        assert span == (start, end)
        assert words.startswith(f"**Rule {row + 1}** says ")
    # repairs leave no contradiction
    repairs = [a for a in file.actions(0, len(file.text)) if a.title.startswith("Repair all")]
    texts = [action.edit() for action in repairs]
    assert len(texts) == 3
    assert all(rules.is_consistent for text in texts if text is not None for rules in read(text))
    # a rule is left where no rival is
    conflict = next(
        f for f in findings if f.kind in ("conflicts", "overlaps") and f.level == "error"
    )
    row = conflict.rules[0]
    start, end = file.places.row(table, row)
    title = f"Cut rule {row + 1} back to its free part"
    [action] = [a for a in file.actions(start, end) if a.title == title]
    text = action.edit()
    if text is None:  # nothing is left of the rule, or the new cells would be read differently
        return
    new = read(text)[0]
    own = [table.rules[place] for place in table.places(row)]
    others = [r for r, number in zip(table.rules, table.rows, strict=True) if number != row]
    for point in points:
        rivals = holds(others, point) - {own[0].then}
        expected = holds(others, point) | (set() if rivals else holds(own, point))
        assert holds(new, point) == expected


def test_findings_about_a_column_are_shown_at_its_name():
    text = "age,job,fare\n< 18,-,1\n>= 18,-,2\n"
    [note] = opened(text, "csv").notes()
    assert (note.kind, text[slice(*note.span)]) == ("columns", "job")


def test_what_a_file_cannot_hold_is_no_edit(monkeypatch):
    def refused(*arguments, **options):
        raise irenic.FormatError("the cells would be read differently")

    monkeypatch.setattr("irenic.serving.opened.edited", refused)
    actions = opened("age,fare\n< 18,free\n>= 17,full\n", "csv").actions(9, 10)
    assert {action.edit() for action in actions} == {None}
