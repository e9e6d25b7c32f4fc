"""Rows that are added to a workbook: their formats, and the ranges that grow with them."""

from __future__ import annotations

import datetime as dt
import io
import re
import zipfile
from xml.etree import ElementTree

import openpyxl
import pytest
from openpyxl.formatting.rule import CellIsRule
from openpyxl.styles import Font, PatternFill
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.table import Table

import irenic
from bound import book_of, mended, repacked, saved
from irenic import Rule, RuleSet
from irenic.formats import edited

NOTE = "IRENIC NOTE"
SHEET = "xl/worksheets/sheet1.xml"


ROLES = {"zone": "condition", "price": "outcome"}


def fares():
    """Return a workbook with a table, formats, a validation, and a second sheet."""
    rows = ("< 10", "a", 1.5), ("[10..20)", "b", 2), ("> 90", "b", 3)
    book = book_of(("age", "zone", "price"), *rows)
    sheet = book.active
    sheet.title = "Fares"
    for row in range(2, 5):
        for cell in sheet[row]:
            cell.font = Font(italic=True)
        sheet.cell(row, 3).number_format = '"€" #,##0.00'
        sheet.row_dimensions[row].height = 30
    sheet["E4"] = None
    validation = DataValidation(type="list", formula1='"a,b,c"', sqref="B2:B4")
    sheet.add_data_validation(validation)
    sheet.add_data_validation(DataValidation(type="whole", formula1="1", sqref="C2:C3"))
    red = PatternFill(bgColor="FF0000")
    rule = CellIsRule(operator="greaterThan", formula=["2"], fill=red)
    sheet.conditional_formatting.add("C2:C4 A2:A3", rule)
    book.create_sheet("Other")["A4"] = "stays"
    return book


def added(content, *conditions, then=9, **options):
    """Return a workbook in which rules were added to its first table."""
    parsed = irenic.parse(content, format="xlsx", **options)
    if "zone" in parsed.drafts[0].places:
        parsed = irenic.parse(content, format="xlsx", **options, roles=ROLES)
    table = parsed.bound(None).tables[0]
    rules = [Rule(irenic.Region(table.space, c), then=then) for c in conditions]
    after = table.with_rules(RuleSet([*table.rules, *rules], table.space))
    return edited(parsed, table, after)


def parts(content):
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        return {name: file.read(name) for name in file.namelist()}


def attribute(part, tag, name):
    found = [e for e in ElementTree.fromstring(part).iter() if e.tag.rpartition("}")[2] == tag]
    return [element.get(name) for element in found]


TWO = [{"age": (30, 40), "zone": {"in": ["a"]}}, {"age": (50, 60)}]


def test_added_rows_look_like_the_last_one_and_others_stay():
    old = saved(fares())
    content = added(old, *TWO)
    before, after = (openpyxl.load_workbook(io.BytesIO(raw))["Fares"] for raw in (old, content))
    assert [[cell.value for cell in row] for row in after["A5:D6"]] == [
        ["[30..40)", "a", 9, "irenic: added"],
        ["[50..60)", "-", 9, "irenic: added"],
    ]
    for row in (5, 6):
        assert after.row_dimensions[row].height == 30
        for column in (1, 2, 3):
            like, cell = after.cell(4, column), after.cell(row, column)
            assert (cell.font.i, cell.number_format) == (like.font.i, like.number_format)
            assert cell.style_id == like.style_id
    for row in before.iter_rows():
        for cell in row:
            same = after[cell.coordinate]
            assert (same.value, same.style_id) == (cell.value, cell.style_id)
    new = parts(content)
    assert [name for name, part in parts(old).items() if new[name] != part] == [SHEET]


def test_validations_and_conditional_formats_grow_if_rows_are_added():
    old = saved(fares())
    sheet = parts(added(old, *TWO))[SHEET]
    assert attribute(sheet, "dataValidation", "sqref") == ["B2:B6", "C2:C3"]
    assert attribute(sheet, "conditionalFormatting", "sqref") == ["A2:A3 C2:C6"]
    assert attribute(sheet, "dimension", "ref") == ["A1:E6"]
    parsed = irenic.parse(old, format="xlsx")
    table = parsed.bound(None).tables[0]
    new = parts(edited(parsed, table, table.with_rules(table.rules[:2])))[SHEET]
    for tag in ("dataValidation", "conditionalFormatting"):
        assert attribute(new, tag, "sqref") == attribute(parts(old)[SHEET], tag, "sqref")


def with_table(totals=0):
    book = fares()
    book["Fares"].add_table(Table(displayName="Fares", ref="A1:C4", totalsRowCount=totals))
    book["Other"]["A1"], book["Other"]["A2"] = "x", 1
    book["Other"].add_table(Table(displayName="Others", ref="A1:A4"))
    return saved(book)


def test_the_table_of_excel_grows():
    old = with_table()
    content = added(old, *TWO)
    before, new = parts(old), parts(content)
    (own,) = [part for name, part in new.items() if "tables/" in name and b'"Fares"' in part]
    assert attribute(own, "table", "ref") == attribute(own, "autoFilter", "ref") == ["A1:C6"]
    changed = {name for name in before if before[name] != new[name]}
    assert changed == {SHEET, "xl/tables/table1.xml"}
    assert openpyxl.load_workbook(io.BytesIO(content))["Fares"].tables["Fares"].ref == "A1:C6"
    new = parts(added(with_table(totals=1), *TWO))  # but not with totals
    assert attribute(new["xl/tables/table1.xml"], "table", "ref") == ["A1:C4"]


def test_a_filter_and_its_names_grow():
    book = fares()
    book["Fares"].auto_filter.ref = "A1:C4"
    book["Fares"].print_area = "A1:C4"
    book["Other"].print_area = "A1:C4"
    new = parts(added(saved(book), *TWO))
    assert attribute(new[SHEET], "autoFilter", "ref") == ["A1:C6"]
    tree = ElementTree.fromstring(new["xl/workbook.xml"])
    names = [(e.get("name"), e.text) for e in tree.iter() if e.tag.endswith("definedName")]
    assert sorted(names) == [
        ("_xlnm.Print_Area", "'Fares'!$A$1:$C$6"),
        ("_xlnm.Print_Area", "'Other'!$A$1:$C$4"),
        ("_xlnm._FilterDatabase", "'Fares'!$A$1:$C$6"),
    ]


def test_extended_formats_grow():
    extension = (
        b'<extLst><ext xmlns:x14="urn:x14" xmlns:xm="urn:xm" uri="{1}"><x14:dataValidations>'
        b"<x14:dataValidation><xm:sqref>A2:A4 B2:B3</xm:sqref></x14:dataValidation>"
        b"</x14:dataValidations></ext></extLst></worksheet>"
    )
    raw = repacked(
        saved(fares()),
        lambda name, part: part.replace(b"</worksheet>", extension) if name == SHEET else part,
    )
    assert b"<xm:sqref>A2:A6 B2:B3</xm:sqref>" in parts(added(raw, *TWO))[SHEET]


def test_formatted_rows_below_the_table_are_filled():
    book = fares()
    sheet = book["Fares"]
    for row in range(5, 9):
        for column in (1, 6):
            sheet.cell(row, column).fill = PatternFill("solid", fgColor="00FF00")
    new = openpyxl.load_workbook(io.BytesIO(added(saved(book), *TWO)))["Fares"]
    values = ["age", "< 10", "[10..20)", "> 90", "[30..40)", "[50..60)", None, None]
    assert [cell.value for cell in new["A"]] == values
    assert new["A5"].font.i
    for row in range(5, 9):
        assert new.cell(row, 6).fill.fgColor.rgb == "0000FF00"
    assert new["A7"].fill.fgColor.rgb == "0000FF00"
    sheet.merge_cells("A5:B5")
    with pytest.raises(irenic.errors.FormatError, match="cell A5 is part of merged cells"):
        added(saved(book), *TWO)


# --- values


def trimmed_bounds(values, number_format, epoch=None):
    """Return cell A3 after a repair that trims two ranges with the same first bound."""
    low, high, end = values
    book = book_of(("a >=", "a <", "fare"), (low, high, "x"), (low, end, "y"))
    for row in book.active["A2:B3"]:
        for cell in row:
            cell.number_format = number_format
    book.epoch = epoch or book.epoch
    *_, content = mended(saved(book), "xlsx")
    return openpyxl.load_workbook(io.BytesIO(content)).active["A3"]


def test_dates_and_numbers_keep_their_format():
    days = [dt.date(2026, month, 1) for month in (1, 3, 6)]
    cell = trimmed_bounds(days, "dd.mm.yyyy")
    assert (cell.value, cell.number_format) == (dt.datetime(2026, 3, 1), "dd.mm.yyyy")
    assert cell.is_date
    epoch = openpyxl.utils.datetime.CALENDAR_MAC_1904
    assert trimmed_bounds(days, "dd.mm.yyyy", epoch).value == dt.datetime(2026, 3, 1)
    for number_format in ("0%", '"€" #,##0.00', "0.00 [$CHF]"):
        cell = trimmed_bounds((0.1, 0.2, 0.5), number_format)
        assert (cell.value, cell.data_type, cell.number_format) == (0.2, "n", number_format)


def test_signs_and_units_in_cells_are_kept():
    for number, (first, second, expected) in enumerate((
        ("€ 10 - € 20", "€ 15 - € 30", "(€ 20..€ 30]"), ("€10 - €20", "€15 - €30", "(€20..€30]"),
        ("10 EUR - 20 EUR", "15 EUR - 30 EUR", "(20 EUR..30 EUR]"),
        ("10 % - 20 %", "15 % - 30 %", "(20 %..30 %]"), ("1 Tag", "1-5 Tage", "2-5 Tage"),
        ("2-3 Tage", "2 Tage - 6 Tage", "4-6 Tage"), ("< 2 days", ">= 1 day", ">= 2 days"),
        ("< 1 day", ">= 0 days", ">= 1 day"), ("2 kg - 3 kg", "2 kg - 5.5 kg", "(3 kg..5.5 kg]"),
        ("3+ hours", "2-5 hours", "> 5 hours"), ("3+ days", "2-5 days", ">= 6 days"),
    )):  # fmt: skip
        *_, new = mended(f"a;fare\n{first};x\n{second};y\n".encode(), "csv")
        cells = [line.split(";")[0] for line in new.decode().splitlines()]
        assert len({first, second} & set(cells)) == 1
        assert expected in cells
        if number % 3 == 0:  # workbooks take longer
            *_, new = mended(saved(book_of(("a", "fare"), (first, "x"), (second, "y"))), "xlsx")
            sheet = openpyxl.load_workbook(io.BytesIO(new)).active
            assert [cell.value for cell in sheet["A"]] == cells


def test_outcomes_of_added_rows_are_written_as_the_others():
    for written, expected in (("€ 5", "€ 9"), (5, 9), ("5 €", "9 €")):
        book = book_of(("age", "price"), ("< 10", written), ("> 90", written))
        content = added(saved(book), {"age": (30, 40)})
        assert openpyxl.load_workbook(io.BytesIO(content)).active["B4"].value == expected


# --- footnotes


def with_footnotes():
    book = fares()
    sheet = book["Fares"]
    sheet["A6"], sheet["A8"] = "* valid from 2026", "Source: tariff office"
    sheet["A6"].font = Font(bold=True)
    sheet.row_dimensions[8].height = 44
    sheet.merge_cells("A6:C6")
    sheet["A8"].hyperlink = "https://example.org"
    sheet.print_area = "A1:C8"
    return book


def test_footnotes_move_below_added_rows():
    old = saved(with_footnotes())
    content = added(old, *TWO)
    book = openpyxl.load_workbook(io.BytesIO(content))
    new, before = book["Fares"], openpyxl.load_workbook(io.BytesIO(old))["Fares"]
    assert [cell.value for cell in new["A"]] == [
        "age", "< 10", "[10..20)", "> 90", "[30..40)", "[50..60)",
        None, "* valid from 2026", None, "Source: tariff office",
    ]  # fmt: skip
    for row in before.iter_rows():  # cell for cell
        for cell in row:
            same = new.cell(cell.row + 2 * (cell.row > 4), cell.column)
            assert (same.value, same.style_id) == (cell.value, cell.style_id)
    assert [str(cells) for cells in new.merged_cells.ranges] == ["A8:C8"]
    assert new.row_dimensions[10].height == 44
    assert new["A10"].hyperlink.target == "https://example.org"
    assert new["A10"].hyperlink.ref == "A10"
    assert new.print_area == "'Fares'!$A$1:$C$10"
    assert attribute(parts(content)[SHEET], "dataValidation", "sqref") == ["B2:B6", "C2:C3"]
    assert attribute(parts(content)[SHEET], "dimension", "ref") == ["A1:E10"]
    assert book["Other"]["A4"].value == "stays"
    # a second edit finds the same table
    again = openpyxl.load_workbook(io.BytesIO(added(content, {"age": (70, 80)})))["Fares"]
    assert [again["A7"].value, again["A9"].value] == ["[70..80)", "* valid from 2026"]


def test_footnotes_with_formulas_or_comments_do_not_move():
    def rejects(message, content, **options):
        with pytest.raises(irenic.errors.FormatError, match=message):
            added(content, *TWO, **options)

    for sheet, formula in (("Fares", "=A8"), ("Other", "=Fares!$A$8")):
        book = with_footnotes()
        book["Fares"]["D1"] = "memo"
        book[sheet]["D2"] = formula
        options = {"target": "price", "ignore": "memo"}
        rejects("a formula refers to rows below the table", saved(book), **options)
    formula = b'<c r="A8" t="str"><f>1+1</f><v>Source: 2</v></c>'
    raw = repacked(
        saved(with_footnotes()),
        lambda name, part: re.sub(rb'<c r="A8".*?</c>', formula, part) if name == SHEET else part,
    )
    rejects("row 8 below the table contains a formula", raw)
    book = with_footnotes()
    book["Fares"]["A8"].comment = openpyxl.comments.Comment("really?", "me")
    rejects("a row below the table has a comment", saved(book))
    book = with_footnotes()  # a formula that stays correct
    book["Other"]["B2"] = "=Fares!C4"
    new = openpyxl.load_workbook(io.BytesIO(added(saved(book), *TWO)))
    assert new["Other"]["B2"].value == "=Fares!C4"
