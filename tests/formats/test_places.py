"""Places of rows and cells: the text at each place means the row or cell by itself."""

from __future__ import annotations

import csv
import json

from hypothesis import given
from hypothesis import strategies as st

import irenic
from irenic.formats.dmn.editing import tables_in
from irenic.formats.places import Places
from irenic.frames.files import as_bytes
from strategies import examples, rule_sets


def placed(text, format):
    parsed = irenic.parse(as_bytes(text), format=format)
    [table] = parsed.bound(None).tables
    places = Places(parsed)
    assert places.text == text
    return table, places


def at(places, span):
    assert span is not None
    start, end = span
    assert 0 <= start <= end <= len(places.text)
    return places.text[start:end]


some_rules = rule_sets().filter(len)


@given(some_rules)
def test_rows_of_json_and_text(rules):
    text = irenic.dumps(rules, format="json")
    table, places = placed(text, "json")
    entries = json.loads(text)["rules"]
    spread = json.dumps(json.loads(text), indent=3, ensure_ascii=False)
    _, moved = placed(spread, "json")
    for row, entry in enumerate(entries):
        assert json.loads(at(places, places.row(table, row))) == entry
        assert json.loads(at(moved, moved.row(table, row))) == entry
    text = "# größer 🚌\r\n\r\n  " + irenic.dumps(rules, format="rules").replace("\n", "\r\n  ")
    table, places = placed(text, "rules")
    for row, rule in enumerate(table.rules):
        line = at(places, places.row(table, row))
        assert irenic.Rule.parse(line, table.space) == rule


SHEET = 'Größe 🚌;"Tarif;\nneu"\n< 18;"frei ""ab"""\n"[18..60)";"a\nb"\n>= 60;halb\n'


def test_cells_of_csv():
    table, places = placed(SHEET, "csv")
    rows = [*csv.reader(SHEET.splitlines(keepends=True), delimiter=";")]
    assert table.n_rows == 3
    for row in (None, 0, 1, 2):
        cells = rows[0 if row is None else row + 1]
        for place, name in enumerate((table.space.names[0], table.outputs[0])):
            cell = at(places, places.cell(table, row, name))
            quoted = cell.startswith('"')
            assert (cell[1:-1].replace('""', '"') if quoted else cell) == cells[place]
    assert at(places, places.row(table, 2)) == ">= 60;halb"
    assert places.cell(table, 0, "no such column") is None


@given(some_rules, st.sampled_from(["UTF-8", "ISO-8859-1"]))
@examples(0.6)
def test_cells_of_dmn(rules, encoding):
    try:
        text = irenic.dumps(rules, format="dmn")
    except irenic.FormatError:  # FEEL has no literal for a value
        return
    text = text.replace("<definitions", "<!-- größer 🚌 --><definitions", 1)
    text = text.replace('encoding="UTF-8"', f'encoding="{encoding}"')
    table, places = placed(text, "dmn")
    [node] = tables_in(text.encode())
    for row, rule in enumerate(node.all("rule")):
        assert at(places, places.row(table, row)).encode() == text.encode()[rule.start : rule.end]
        for entry, feature in zip(rule.all("inputEntry"), table.space, strict=False):
            [inner] = entry.all("text")
            cell = at(places, places.cell(table, row, feature.name))
            assert cell.encode() == text.encode()[inner.opened : inner.closing]


def test_lines_and_columns_count_from_1():
    _, places = placed("IF a < 1 THEN x\r  IF a > 2 THEN y  \n", "rules")
    assert at(places, places.line(2)) == "IF a > 2 THEN y"
    assert at(places, places.line(1, 6)) == "< 1 THEN x"
    assert at(places, places.line(99)) == ""
    assert at(places, places.line(None)) == "IF a < 1 THEN x"
