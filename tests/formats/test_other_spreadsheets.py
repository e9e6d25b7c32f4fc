"""Decision tables in .tsv, .ods, .xlsm and Markdown files, encodings, and values of formulas."""

from __future__ import annotations

import datetime as dt
import io
import re
import zipfile

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irenic
from irenic.errors import FormatError
from irenic.formats.editing import edited
from irenic.formats.sheets.converting import markdown_as_csv, ods_as_xlsx

CSV = 'age,job,fare\n"< 18, >= 60",nurse,reduced\n[18..60),-,full\n'


def rules_of(content, form, **options):
    return irenic.parse(content, format=form, **options).bind().table().rules


# --- tabs and Markdown


def test_cells_separated_by_tabs():
    tsv = "age\tjob\tfare\n< 18, >= 60\tnurse\treduced\n[18..60)\t-\tfull\n"
    assert rules_of(tsv, "tsv") == rules_of(CSV, "csv")
    with pytest.raises(FormatError, match=r"line 3: .*column 'age'.*'<>'"):
        rules_of("age\tfare\n\n<>\tx\n", "tsv")


def test_a_tsv_file_is_edited():
    parsed = irenic.parse("age\tfare\n< 9\ta\n> 5\tb\n", format="tsv")
    table = parsed.bind().table()
    content = edited(parsed, table, irenic.repair(table, "trim").table)
    assert content.decode("utf-8-sig") == (
        "age\tfare\tIRENIC NOTE\n< 9\ta\n>= 9\tb\tirenic: changed\n"
    )


MARKDOWN = """# Fares

Some | text

| age           | job     | **fare**  |
|---------------|:-------:|----------:|
| `< 18, >= 60` | nurse   | reduced   |
| [18..60)      | -       | full      |

```
| a | b |
|---|---|
| 1 | 2 |
```

## Fines ##

days | fine
---|---
\\> 3 | a\\|b
&lt;= 3 | 5
"""


def test_tables_of_a_markdown_text():
    parsed = irenic.parse(MARKDOWN, format="md")
    fares, fines = parsed.bind().tables
    assert (fares.name, fines.name) == ("Fares", "Fines")
    assert fares.rules == rules_of(CSV, "csv")
    assert fares.lines == (7, 8)
    assert [rule.then for rule in fines.rules] == ["a|b", 5]
    assert fines.rules.is_complete


@pytest.mark.parametrize("sign", ["\f", "\v", "\x85", "\u2028"])
def test_cells_of_markdown_may_contain_signs_that_end_no_line(sign):
    text = f"| job{sign}title | fare |\r|---|---|\r\n| a{sign}b | low |\n"
    [(_, raw)] = markdown_as_csv(text)
    assert f'"job{sign}title";"fare"' in raw.decode()
    assert f'"a{sign}b";"low"' in raw.decode()


def test_a_markdown_text_without_a_table():
    with pytest.raises(FormatError, match="the text contains no table"):
        rules_of("# Title\n\na | b\n", "md")


def test_tables_under_one_heading_are_numbered():
    table = "|a|b|\n|-|-|\n|1|2|\n"
    parsed = irenic.parse(f"# T\n\n{table}\n{table}", format="md")
    assert [t.name for t in parsed.bind().tables] == ["T", "T 2"]


@given(st.text(alphabet="|-: \n`#a\\*", max_size=60))
def test_any_text_is_read_as_markdown(text):
    for _, raw in markdown_as_csv(text):
        assert raw.decode().count("\n") <= len(text.splitlines())


# --- OpenDocument

_NAMES = (
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"'
    ' xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"'
    ' xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"'
    ' xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0"'
    ' xmlns:calcext="urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0"'
)


def ods(*tables, styles="", head="", encoding="utf-8"):
    content = (
        f'<?xml version="1.0" encoding="{encoding}"?>{head}<office:document-content {_NAMES}>'
        f"<office:automatic-styles>{styles}</office:automatic-styles><office:body>"
        f"<office:spreadsheet>{''.join(tables)}</office:spreadsheet></office:body>"
        "</office:document-content>"
    )
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as parts:
        parts.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        parts.writestr("content.xml", content)
    return file.getvalue()


def table(name, *rows, style=""):
    style = f' table:style-name="{style}"' if style else ""
    return f'<table:table table:name="{name}"{style}>{"".join(rows)}</table:table>'


def row(*cells, times=1):
    times = f' table:number-rows-repeated="{times}"' if times > 1 else ""
    return f"<table:table-row{times}>{''.join(cells)}</table:table-row>"


def text(value):
    return (
        f'<table:table-cell office:value-type="string"><text:p>{value}</text:p></table:table-cell>'
    )


def typed(kind, attribute, value, more=""):
    return (
        f'<table:table-cell office:value-type="{kind}" office:{attribute}="{value}"{more}>'
        f"<text:p>shown</text:p></table:table-cell>"
    )


EMPTY = '<table:table-cell table:number-columns-repeated="2"/>'


def test_an_opendocument_spreadsheet():
    raw = ods(
        table(
            "Fares",
            row(text("age"), text("job"), text("fare")),
            row(EMPTY, times=3),
            row(text("&lt; 18"), text('"a<text:s text:c="2"/>b"'), typed("float", "value", "5")),
            row(text("&gt;= 18"), EMPTY.replace('"2"', '"1"'), typed("float", "value", "7.5")),
            row(EMPTY, times=1_000_000),
        ),
        table("Secret", row(text("x")), style="hide"),
        styles='<style:style style:name="hide"><style:table-properties table:display="false"/>'
        "</style:style>",
    )
    (fares,) = irenic.parse(raw, format="ods").bind().tables
    assert (fares.name, fares.lines) == ("Fares", (5, 6))
    assert [str(rule) for rule in fares.rules] == [
        'IF age < 18 AND job in {"a  b"} THEN 5',
        "IF age >= 18 THEN 7.5",
    ]


def test_typed_cells_of_a_spreadsheet():
    raw = ods(
        table(
            "T",
            row(
                typed("date", "date-value", "2026-01-31"),
                typed("time", "time-value", "PT10H30M00S"),
                typed("boolean", "boolean-value", "true"),
                typed("percentage", "value", "0.1"),
                typed("float", "value", "3", ' table:formula="of:=[.A1]+1"'),
                text("=1+2"),
            ),
        )
    )
    book, formulas = ods_as_xlsx(raw)
    sheet = openpyxl.load_workbook(io.BytesIO(book)).active
    cells = next(sheet.iter_rows())
    assert [cell.value for cell in cells] == [
        dt.datetime(2026, 1, 31), dt.time(10, 30), True, 0.1, 3, "=1+2",
    ]  # fmt: skip
    assert formulas == 1


def test_an_error_in_a_spreadsheet_is_rejected():
    bad = text("#DIV/0!").replace(
        "office:value-type", 'calcext:value-type="error" office:value-type'
    )
    raw = ods(table("T", row(text("a"), text("b")), row(bad, text("x"))))
    with pytest.raises(FormatError, match="cell A2 is an error; replace it with a value"):
        irenic.loads(raw, format="ods")


def test_merged_cells_of_a_spreadsheet_count_for_all_rows():
    wide = text("&lt; 9").replace("table-cell ", 'table-cell table:number-rows-spanned="2" ', 1)
    covered = "<table:covered-table-cell/>"
    raw = ods(
        table(
            "T",
            row(text("a"), text("b"), text("c")),
            row(wide, text("x"), text("y")),
            row(covered, text("z"), text("y")),
        )
    )
    assert [str(rule) for rule in irenic.loads(raw, format="ods")] == [
        "IF a < 9 AND b in {x} THEN y",
        "IF a < 9 AND b in {z} THEN y",
    ]


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"PK\x03\x04junk", "must be an .ods spreadsheet, but it is damaged"),
        (ods(head="<!DOCTYPE x []>"), "document types and entities are not allowed"),
        *(
            (ods(encoding=name), "must be an .ods spreadsheet, but it is damaged")
            for name in ("x-unknown", "utf-7", "rot13", "idna")
        ),
        (ods(), "the spreadsheet contains no sheet"),
        (ods(table("T")), "the workbook is empty"),
    ],
)
def test_spreadsheets_that_cannot_be_read(raw, reason):
    with pytest.raises(FormatError, match=re.escape(reason)):
        irenic.loads(raw, format="ods")


# --- workbooks


def workbook(rows):
    book = openpyxl.Workbook()
    for line in rows:
        book.active.append(line)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def with_values(raw, values):
    """Return a workbook as Excel saves it, with a value for each formula."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(raw)) as old, zipfile.ZipFile(file, "w") as new:
        for part in old.infolist():
            data = old.read(part)
            for formula, value in values.items():
                data = data.replace(
                    f"<f>{formula}</f><v></v>".encode(), f"<f>{formula}</f><v>{value}</v>".encode()
                ).replace(
                    f"<f>{formula}</f><v />".encode(), f"<f>{formula}</f><v>{value}</v>".encode()
                )
            new.writestr(part, data)
    return file.getvalue()


def test_values_of_formulas_in_the_file_are_used():
    rows = [["age", "fare"], ["< 18", "=2+3"], [">= 18", 7]]
    with pytest.raises(FormatError, match="formulas are not evaluated"):
        irenic.loads(workbook(rows), format="xlsx")
    raw = with_values(workbook(rows), {"2+3": 5})
    parsed = irenic.parse(raw, format="xlsx")
    (warning,) = parsed.warnings
    assert str(warning) == "1 formula was not computed; its value in the file counts"
    assert [rule.then for rule in parsed.bound(None).table().rules] == [5, 7]


def test_workbooks_with_macros_are_read_and_edited():
    raw = workbook([["age", "fare"], ["< 18", 5], ["> 9", 7]])
    parsed = irenic.parse(raw, format="xlsm")
    table = parsed.bind().table()
    content = edited(parsed, table, irenic.repair(table, "split").table)
    assert irenic.loads(content, format="xlsm").is_consistent


# --- weights of rules and a feature named so


def as_content(rows, form):
    if form in ("csv", "tsv"):
        return "".join(("," if form == "csv" else "\t").join(line) + "\n" for line in rows)
    if form == "md":
        head, *body = ["| " + " | ".join(line) + " |" for line in rows]
        return "\n".join([head, "|---" * len(rows[0]) + "|", *body, ""])
    if form == "ods":
        escaped = [[cell.replace("<", "&lt;") for cell in line] for line in rows]
        return ods(table("Doses", *(row(*map(text, line)) for line in escaped)))
    return workbook(rows)


@pytest.mark.parametrize("form", ["csv", "tsv", "md", "ods", "xlsx", "xlsm"])
@pytest.mark.parametrize("name", ["WEIGHT", "Weight", "weight"])
def test_only_a_column_named_rule_weight_contains_weights(form, name):
    rows = [[name, "RULE WEIGHT", "dose"], ["< 80", "0.5", "A"], [">= 80", "2", "B"]]
    rules = rules_of(as_content(rows, form), form)
    assert rules.space.names == (name,)
    assert rules.weights.tolist() == [0.5, 2.0]
    exact = [[name, "age", "dose"], ["80", "< 5", "A"], ["90", "< 5", "B"]]
    parsed = irenic.parse(as_content(exact, form), format=form)
    if name == "WEIGHT":  # may be a table of an earlier version
        assert "the column is ambiguous; name it 'RULE WEIGHT'" in str(parsed.bind().errors[0])
    else:
        rules = parsed.bind().table().rules
        assert (rules.space.names, rules.weights.tolist()) == ((name, "age"), [1.0, 1.0])


@pytest.mark.parametrize("name", ["WEIGHT", "Weight", "weight"])
@pytest.mark.parametrize("form", ["csv", "dmn", "json", "rules", "xlsx"])
def test_a_feature_named_weight_is_written_and_read_back(name, form, tmp_path):
    rules = irenic.RuleSet([irenic.Rule({name: {"=": 80}}, then="A", weight=2.0)])
    irenic.write(rules, tmp_path / f"doses.{form}")
    assert irenic.read(tmp_path / f"doses.{form}", space=rules.space) == rules
    assert irenic.read(tmp_path / f"doses.{form}").space.names == (name,)


# --- encodings


def test_an_encoding_is_named():
    raw = "age,fare\n< 9,frei für\n> 5,b\n".encode("cp1252")
    with pytest.raises(FormatError) as caught:
        rules_of(raw, "csv")
    assert str(caught.value) == (
        "line 2: not UTF-8 text (byte 19); save it as UTF-8, or name its encoding (--encoding"
        " cp1252)"
    )
    parsed = irenic.parse(raw, format="csv", encoding="cp1252")
    table = parsed.bind().table()
    assert table.rules[0].then == "frei für"
    content = edited(parsed, table, irenic.repair(table, "trim").table)
    assert content.startswith("age,fare,IRENIC NOTE\n< 9,frei für\n>= 9,b".encode("cp1252"))


@pytest.mark.parametrize(("encoding", "form", "reason"), [
    ("cp0", "csv", "unknown encoding 'cp0'; use utf-8, cp1252, …"),
    ("ascii", "csv", "not ascii text: "),
    ("utf-8", "dmn", "encoding is for text files, not for .dmn files"),
])  # fmt: skip
def test_encodings_that_do_not_fit(encoding, form, reason):
    parsed = irenic.parse("é,b\n1,2\n".encode(), format=form, encoding=encoding)
    assert reason in str(parsed.errors[0])
