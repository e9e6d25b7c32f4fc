"""What cells of workbooks show: number formats, and parts that are struck out."""

from __future__ import annotations

import datetime as dt
import io
import re
import zipfile

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont

import irenic
from bound import loads_xlsx, messages, reasons, rules_of, saved
from irenic.formats.editing import edited
from irenic.formats.sheets._grid import ShownText, Unreadable, as_shown
from irenic.frames.number_formats import shown, shown_date

DAY = dt.datetime(2026, 1, 5)


def shown_in(value, code, *, other=("< 3", "General"), outcome=("x", "General")):
    """Return a workbook with a cell in a number format."""
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["a", "b", "then"])
    for row in ((value, code), other), (("< 3", "General"), ("> 5", "General")):
        sheet.append([row[0][0], row[1][0], "y"])
        for cell, (_, form) in zip(sheet[sheet.max_row], row, strict=False):
            cell.number_format = form
    sheet["C2"].value, sheet["C2"].number_format = outcome
    return book


def condition(book):
    """Return the first condition of the first rule of a workbook."""
    return (
        rules_of(loads_xlsx(saved(book), roles={"a": "condition"}))[0]
        .split(" AND ")[0]
        .removeprefix("IF ")
    )


@pytest.mark.parametrize(
    ("value", "code", "meaning"),
    [
        (5, '"up to "0" kg"', "a <= 5"),
        (2.5, '"over "0.0', "a > 2.5"),
        (65, '0"+"', "a >= 65"),
        (65, '"≥ "0', "a >= 65"),
        (65, '"18-"0', "18 <= a <= 65"),
        (70, '[>=65]"65+";0', "a >= 65"),
        (64, '[>=65]"65+";0', "a = 64"),
        (5, '0" kg"', "a = 5"),
        (5, "0_)", "a = 5"),
        (12000, "#,##0", "a = 12000"),
        (19.99, '_-* #,##0.00\\ "€"_-;-* #,##0.00\\ "€"_-;_-* "-"??\\ "€"_-;_-@_-', "a = 19.99"),
        (-5, "#,##0;[Red](#,##0)", "a = -5"),
        (0.1 + 0.2, "0.0", "a = 0.3"),
        (0.5, "# ?/?", "a = 0.5"),
        (1 / 3, "# ?/?", f"a = {1 / 3!r}"),
        (1.25, "# ?/4", "a = 1.25"),
        (0.18, "0%", "a = 0.18"),
        (1500000, "0.0E+00", "a = 1500000"),
        (5, "@", "a = 5"),
        (DAY, "dd.mm.yyyy", "a = 2026-01-05"),
        (DAY, "[$-F800]dddd\\,\\ mmmm\\ dd\\,\\ yyyy", "a = 2026-01-05"),
    ],
)
def test_a_cell_is_read_as_it_is_shown(value, code, meaning):
    book = shown_in(value, code)
    if value == DAY:
        book.active["A3"] = "< 2026-01-01"
    if code.endswith("%"):
        book.active["A3"] = "> 50%"
    assert condition(book) == meaning


@pytest.mark.parametrize(
    ("value", "code", "meaning"),
    [
        (dt.datetime(2026, 1, 1), "mmm yyyy", '"Jan 2026"'),
        (dt.datetime(2026, 1, 1), "mmm-yy", "Jan-26"),
        (DAY, "dddd", "Monday"),
        (DAY, "mmmm", "January"),
        (1, '"yes";;"no"', "yes"),
        (1234, "00000", '"01234"'),
        (12345, "00000", '"12345"'),
        (123456789, "000-00-0000", '"123-45-6789"'),
    ],
)
def test_what_is_shown_as_text_is_text(value, code, meaning):
    book = shown_in(value, code)
    book.active["A3"] = "other text"
    assert condition(book) == f"a in {{{meaning}}}"
    outcome = rules_of(loads_xlsx(saved(shown_in("< 9", "General", outcome=(value, code)))))[0]
    assert outcome.split("THEN ")[1] == meaning


DOUBTS = [
    (17.6, "0", "'18'", "17.6", "General"),
    (0.176, "0%", "'18%'", "17.6%", "0.0%"),
    (0.3, "# ?/?", "'2/7'", "0.3", "General"),
    (12000, "#,##0,", "'12'", "12000", "General"),
    (-5, "0;[Red]0", "'5'", "-5", "General"),
    (5, ";;;", "nothing", "5", "General"),
    (0, '0;-0;"-"', "'-'", "0", "General"),
    (5, '0" per box"', "'5 per box'", "5", "General"),
    (17.6, '"up to "0', "'up to 18'", "17.6", "General"),
    (DAY, "d-mmm", "'5-Jan'", "2026-01-05", "yyyy-mm-dd"),
    (dt.datetime(2026, 1, 5, 7), "yyyy-mm-dd", "'2026-01-05'", "2026-01-05T07:00:00",
     "yyyy-mm-dd h:mm:ss"),
    (dt.time(7, 0, 5), "h:mm", "'7:00'", "07:00:05", "h:mm:ss"),
]  # fmt: skip


@pytest.mark.parametrize(("value", "code", "text", "below", "way_out"), DOUBTS)
def test_a_cell_that_shows_something_else_is_a_doubt(value, code, text, below, way_out):
    book = shown_in(value, code)
    book.active["A3"] = None
    [error] = reasons(loads_xlsx(saved(book)).errors)
    assert f"shows {text}, but its value is {below}; choose the number format {way_out}" in error
    book.active["A2"].number_format = way_out
    assert messages(loads_xlsx(saved(book)))[0] == []
    book.active["A2"].number_format = "@"
    book.active["A2"] = "18"
    assert messages(loads_xlsx(saved(book)))[0] == []


@pytest.mark.parametrize(("value", "code", "text", "below", "_"), DOUBTS[:6])
def test_an_outcome_that_shows_something_else_is_a_doubt(value, code, text, below, _):
    book = shown_in("< 9", "General", outcome=(value, code))
    [error] = reasons(loads_xlsx(saved(book)).errors)
    assert f"cell C2 shows {text}, but its value is {below}" in error


def test_the_numbers_of_formats_have_a_decimal_point():
    book = shown_in(2.5, '"up to "0.0', other=("1.200,5", "General"))
    assert condition(book) == "a <= 2.5"


def test_an_outcome_may_be_an_amount():
    book = shown_in("< 9", "General", outcome=(5, '0" EUR"'))
    assert rules_of(loads_xlsx(saved(book)))[0].endswith("THEN 5")


def test_edits_keep_how_other_cells_look():
    book = shown_in(5, '"up to "0" kg"')
    sheet = book.active
    sheet["A3"], sheet["A3"].number_format = 3, '"over "0" kg"'
    sheet["B3"], sheet["C3"] = "< 3", "y"
    raw = saved(book)
    parsed = irenic.parse(raw, format="xlsx")
    old = parsed.bind().table()
    for how, text in (("a = 6", "6 kg"), ("a <= 7.5", "<= 7.5 kg")):
        rules = [irenic.Rule.parse(f"IF {how} AND b < 3 THEN x", old.space), old.rules[1]]
        new = irenic.DecisionTable.from_rules(irenic.RuleSet(rules, old.space))
        content = edited(parsed, old, new, command=None)
        cells = openpyxl.load_workbook(io.BytesIO(content)).active
        assert cells["A2"].value == text
        assert (cells["A3"].value, cells["A3"].number_format) == (3, '"over "0" kg"')
        again = irenic.parse(content, format="xlsx").bind().table()
        assert set(again.rules) == set(new.rules)


def test_an_edit_writes_a_number_that_its_format_would_round_as_text():
    book = shown_in(18, "0")
    raw = saved(book)
    parsed = irenic.parse(raw, format="xlsx")
    old = parsed.bind().table()
    space = irenic.Space([irenic.Continuous("a"), irenic.Continuous("b")])
    old = parsed.bind(space).table()
    rules = [irenic.Rule.parse("IF a = 17.6 AND b < 3 THEN x", space), old.rules[1]]
    new = irenic.DecisionTable.from_rules(irenic.RuleSet(rules, space))
    content = edited(parsed, old, new, command=None)
    assert openpyxl.load_workbook(io.BytesIO(content)).active["A2"].value == "17.6"


_SHARED = (
    b'<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><si><r><t>&gt;= 18</t>'
    b"</r><r><rPr><strike/></rPr><t> 21</t></r></si></sst>"
)
_TYPE = (
    b'<Override PartName="/xl/sharedStrings.xml" ContentType="application/vnd.openxmlformats-'
    b'officedocument.spreadsheetml.sharedStrings+xml"/></Types>'
)


def _with_shared_texts(raw):
    """Return a workbook with the text of A2 where Excel keeps it."""
    file = io.BytesIO()
    inline = re.compile(rb'<c r="A2"( s="\d+")? t="inlineStr"><is>(.*?)</is></c>', re.DOTALL)
    with zipfile.ZipFile(io.BytesIO(raw)) as old, zipfile.ZipFile(file, "w") as new:
        for name in old.namelist():
            data = inline.sub(rb'<c r="A2" t="s"><v>0</v></c>', old.read(name))
            new.writestr(name, data.replace(b"</Types>", _TYPE))
        new.writestr("xl/sharedStrings.xml", _SHARED)
    return file.getvalue()


def test_a_part_that_is_struck_out_is_a_doubt():
    struck = TextBlock(InlineFont(strike=True), " 21")
    book = shown_in(CellRichText(">= 18", struck), "General")
    raw = saved(book)
    for content in (raw, _with_shared_texts(raw)):
        [error] = reasons(loads_xlsx(content).errors)
        assert error == (
            "cell A2 is '>= 18' without the part that is struck out, and '>= 18 21' with it; delete"
            " that part, or remove the strikethrough"
        )
    book.active["A2"] = ">= 18"
    assert condition(book) == "a >= 18"
    bold = CellRichText(">= ", TextBlock(InlineFont(b=True), "18"))
    assert condition(shown_in(bold, "General")) == "a >= 18"


_CODES = st.text(alphabet='0#?.,%/;"-E+()[]@_* <>=€ymdhsGenral\\', max_size=12)


@given(st.floats(allow_nan=False, allow_infinity=False) | st.integers(-999, 999), _CODES)
def test_any_format_shows_something(value, code):
    found = as_shown(value, code)
    assert isinstance(found, int | float | ShownText | Unreadable)
    assert isinstance(shown(value, code).text, str)


@given(st.datetimes(min_value=dt.datetime(1900, 3, 1)), _CODES)
def test_any_format_shows_something_of_dates(value, code):
    found = shown_date(value, code)
    assert found is None or isinstance(found.text, str)


@given(st.floats(-1e9, 1e9), st.integers(0, 6))
def test_numbers_are_rounded_as_by_excel(value, decimals):
    code = "0." + "0" * decimals if decimals else "0"
    number = shown(value, code).number
    assert abs(float(number) - value) <= 0.5 * 10**-decimals + abs(value) * 1e-14
