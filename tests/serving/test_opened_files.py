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
def test_a_rule_is_left_where_no_rival_is(form, data):
    file, points = data.draw(contradicting(form))
    [findings] = file.tables
    table = findings.table
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
    new = irenic.parse(text.encode(), name=f"rules.{form}").bound(table.space)
    assert not new.errors
    own = [table.rules[place] for place in table.places(row)]
    others = [r for r, number in zip(table.rules, table.rows, strict=True) if number != row]
    for point in points:
        rivals = holds(others, point) - {own[0].then}
        expected = holds(others, point) | (set() if rivals else holds(own, point))
        assert holds(new.tables[0].rules, point) == expected


@pytest.mark.parametrize("form", FORMATS)
@examples(0.2)
@given(data=st.data())
def test_repairs_leave_no_contradiction(form, data):
    file, _ = data.draw(contradicting(form))
    repairs = [a for a in file.actions(0, len(file.text)) if a.title.startswith("Repair all")]
    assert len(repairs) == 3
    for action in repairs:
        text = action.edit()
        if text is not None:
            new = irenic.parse(text.encode(), name=f"rules.{form}").bound(
                file.tables[0].table.space
            )
            assert not new.errors
            assert all(table.rules.is_consistent for table in new.tables)


@pytest.mark.parametrize("form", FORMATS)
@examples(0.2)
@given(data=st.data())
def test_words_are_about_the_row_under_the_cursor(form, data):
    file, _ = data.draw(contradicting(form))
    table = file.tables[0].table
    for row in range(table.n_rows):
        start, end = file.places.row(table, row)
        span, words = file.words(data.draw(st.integers(start + 1, end - 1)))
        assert span == (start, end)
        assert words.startswith(f"**Rule {row + 1}** says ")


def test_findings_about_a_column_are_shown_at_its_name():
    text = "age,job,fare\n< 18,-,1\n>= 18,-,2\n"
    [note] = opened(text, "csv").notes()
    assert (note.kind, text[slice(*note.span)]) == ("columns", "job")
