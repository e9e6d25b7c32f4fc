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
from bound import book_of, mended, reasons, repacked, run, saved
from irenic.errors import FormatError
from irenic.formats.sheets.converting import markdown_as_csv, ods_as_xlsx

CSV = 'age,job,fare\n"< 18, >= 60",nurse,reduced\n[18..60),-,full\n'


def read_rules(content, form, **options):
    return irenic.parse(content, format=form, **options).bind().table().rules


# --- tabs and Markdown


def test_cells_separated_by_tabs():
    tsv = "age\tjob\tfare\n< 18, >= 60\tnurse\treduced\n[18..60)\t-\tfull\n"
    assert read_rules(tsv, "tsv") == read_rules(CSV, "csv")
    with pytest.raises(FormatError, match=r"line 3: .*column 'age'.*'<>'"):
        read_rules("age\tfare\n\n<>\tx\n", "tsv")
    *_, content = mended("age\tfare\n< 9\ta\n> 5\tb\n", "tsv")
    assert content.decode("utf-8-sig") == (
        "age\tfare\tIRENIC NOTE\n< 9\ta\n>= 9\tb\tmend: changed\n"
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
    assert fares.rules == read_rules(CSV, "csv")
    assert fares.provenance.lines == (7, 8)
    assert [rule.then for rule in fines.rules] == ["a|b", 5]
    assert fines.rules.is_complete


def test_cells_of_markdown_may_contain_signs_that_end_no_line():
    for sign in "\f\v\x85\u2028":
        text = f"| job{sign}title | fare |\r|---|---|\r\n| a{sign}b | low |\n"
        [(_, raw)] = markdown_as_csv(text)
        assert f'"job{sign}title";"fare"' in raw.decode()
        assert f'"a{sign}b";"low"' in raw.decode()


def test_a_markdown_text_has_any_number_of_tables():
    with pytest.raises(FormatError, match="the text contains no table"):
        read_rules("# Title\n\na | b\n", "md")
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


def row(*cells, more=""):
    return f"<table:table-row{more}>{''.join(cells)}</table:table-row>"


def text(value, note=""):
    return (
        f'<table:table-cell office:value-type="string">{note}<text:p>{value}</text:p>'
        "</table:table-cell>"
    )


def typed(kind, attribute, value, more="", shown=None):
    return (
        f'<table:table-cell office:value-type="{kind}" office:{attribute}="{value}"{more}>'
        f"<text:p>{value if shown is None else shown}</text:p></table:table-cell>"
    )


EMPTY = '<table:table-cell table:number-columns-repeated="2"/>'


def test_an_opendocument_spreadsheet():
    raw = ods(
        table(
            "Fares",
            row(text("age"), text("job"), text("fare")),
            row(EMPTY, more=' table:number-rows-repeated="3"'),
            row(text("&lt; 18"), text('"a<text:s text:c="2"/>b"'), typed("float", "value", "5")),
            row(text("&gt;= 18"), EMPTY.replace('"2"', '"1"'), typed("float", "value", "7.5")),
            row(EMPTY, more=' table:number-rows-repeated="1000000"'),
        ),
        table("Secret", row(text("x")), style="hide"),
        styles='<style:style style:name="hide"><style:table-properties table:display="false"/>'
        "</style:style>",
    )
    roles = {"job": "condition", "fare": "outcome"}
    (fares,) = irenic.parse(raw, format="ods", roles=roles).bind().tables
    assert (fares.name, fares.provenance.lines) == ("Fares", (5, 6))
    assert [str(rule) for rule in fares.rules] == [
        'IF age < 18 AND job in {"a  b"} THEN 5',
        "IF age >= 18 THEN 7.5",
    ]


def test_typed_cells_of_a_spreadsheet():
    cells = row(
        typed("date", "date-value", "2026-01-31"),
        typed("time", "time-value", "PT10H30M00S"),
        typed("boolean", "boolean-value", "true"),
        typed("percentage", "value", "0.1", shown="10%"),
        typed("float", "value", "3", ' table:formula="of:=[.A1]+1"'),
        text("=1+2"),
    )
    book, formulas = ods_as_xlsx(ods(table("T", cells)))
    values = [cell.value for cell in openpyxl.load_workbook(io.BytesIO(book)).active[1]]
    assert values == [dt.datetime(2026, 1, 31), dt.time(10, 30), True, 0.1, 3, "=1+2"]
    assert formulas == 1
    bad = text("#DIV/0!").replace(
        "office:value-type", 'calcext:value-type="error" office:value-type'
    )
    raw = ods(table("T", row(text("a"), text("b")), row(bad, text("x"))))
    with pytest.raises(FormatError, match="cell A2 is an error; replace it with a value"):
        irenic.loads(raw, format="ods")


def test_hidden_parts_and_comments_of_opendocument_are_those_of_workbooks():
    note = "<office:annotation><text:p>accept: overlap: agreed</text:p></office:annotation>"
    raw = ods(
        table(
            "T",
            "<table:table-column/>",
            '<table:table-column table:visibility="collapse"/>',
            "<table:table-column/>",
            row(text("a"), text("b"), text("f")),
            row(text("&lt;5", note), text("-"), text("x")),
            row(text("&lt;9"), text("-"), text("x"), more=' table:visibility="collapse"'),
            row(text("&gt;=9"), text("-"), text("y"), more=' table:visibility="filter"'),
        )
    )
    found = irenic.parse(raw, format="ods").bound(None)
    [warning] = reasons(found.warnings)
    assert "rows 3, 4 and column B are hidden, but read like the others" in warning
    assert found.tables[0].provenance.accepts == (((0,), "overlap: agreed"),)


def test_merged_cells_of_a_spreadsheet_count_for_all_rows():
    wide = text("&lt; 9").replace("table-cell ", 'table-cell table:number-rows-spanned="2" ', 1)
    rows = row(wide, text("x"), text("y")), row("<table:covered-table-cell/>", text("z"), text("y"))
    raw = ods(table("T", row(text("a"), text("b"), text("c")), *rows))
    assert [str(rule) for rule in irenic.loads(raw, format="ods")] == [
        "IF a < 9 AND b in {x} THEN y",
        "IF a < 9 AND b in {z} THEN y",
    ]


def test_spreadsheets_that_cannot_be_read():
    damaged = "must be an .ods spreadsheet, but it is damaged"
    for raw, reason in (
        (b"PK\x03\x04junk", damaged),
        *((ods(encoding=name), damaged) for name in ("x-unknown", "utf-7", "rot13", "idna")),
        (ods(head="<!DOCTYPE x []>"), "document types and entities are not allowed"),
        (ods(), "the spreadsheet contains no sheet"), (ods(table("T")), "the workbook is empty"),
    ):  # fmt: skip
        with pytest.raises(FormatError, match=re.escape(reason)):
            irenic.loads(raw, format="ods")


# --- workbooks


def test_values_of_formulas_in_the_file_are_used():
    raw = saved(book_of(["age", "fare"], ["< 18", "=2+3"], [">= 18", 7]))
    with pytest.raises(FormatError, match="formulas are not evaluated"):
        irenic.loads(raw, format="xlsx")
    as_excel = repacked(  # with the value
        raw, lambda _, part: re.sub(rb"<f>2\+3</f><v *(/>|></v>)", b"<f>2+3</f><v>5</v>", part)
    )
    parsed = irenic.parse(as_excel, format="xlsx")
    (warning,) = parsed.warnings
    assert str(warning) == "1 formula was not computed; its value in the file counts"
    assert [rule.then for rule in parsed.bound(None).table().rules] == [5, 7]


def test_workbooks_with_macros_are_read_and_edited():
    raw = saved(book_of(["age", "fare"], ["< 18", 5], ["> 9", 7]))
    *_, content = mended(raw, "xlsm", "split")
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
    return saved(book_of(*rows))


@pytest.mark.parametrize("name", ["WEIGHT", "Weight", "weight"])
def test_only_a_column_named_rule_weight_contains_weights(name, tmp_path):
    rows = [[name, "RULE WEIGHT", "dose"], ["< 80", "0.5", "A"], [">= 80", "2", "B"]]
    exact = [[name, "age", "dose"], ["80", "< 5", "A"], ["90", "< 5", "B"]]
    for form in ("csv", "tsv", "md", "ods", "xlsx", "xlsm") if name == "WEIGHT" else ("csv", "md"):
        rules = read_rules(as_content(rows, form), form)
        assert (rules.space.names, rules.weights.tolist()) == ((name,), [0.5, 2.0])
        parsed = irenic.parse(as_content(exact, form), format=form, roles={name: "condition"})
        rules = parsed.bind().table().rules
        assert (rules.space.names, rules.weights.tolist()) == ((name, "age"), [1.0, 1.0])
    rules = irenic.RuleSet([irenic.Rule({name: {"=": 80}}, then="A", weight=2.0)])
    for form in ("csv", "dmn", "json", "rules", "xlsx"):
        path = tmp_path / f"doses.{form}"
        irenic.write(rules, path)
        assert irenic.read(path, space=rules.space) == rules
        assert irenic.read(path).space.names == (name,)


# --- encodings


def test_an_encoding_is_named():
    raw = "age,fare\n< 9,frei für\n> 5,b\n".encode("cp1252")
    with pytest.raises(FormatError) as caught:
        read_rules(raw, "csv")
    assert str(caught.value) == (
        "line 2: not UTF-8 text (byte 19); save it as UTF-8, or name its encoding (--encoding"
        " cp1252)"
    )
    table, _, content = mended(raw, "csv", encoding="cp1252")
    assert table.rules[0].then == "frei für"
    assert content.startswith("age,fare,IRENIC NOTE\n< 9,frei für\n>= 9,b".encode("cp1252"))
    for encoding, form, reason in (
        ("cp0", "csv", "unknown encoding 'cp0'; use utf-8, cp1252, …"),
        ("ascii", "csv", "not ascii text: "),
        ("utf-8", "dmn", "encoding is for text files, not for .dmn files"),
    ):
        parsed = irenic.parse("é,b\n1,2\n".encode(), format=form, encoding=encoding)
        assert reason in str(parsed.errors[0])


# --- what cells of OpenDocument show


@pytest.mark.parametrize(
    ("value", "shown", "meaning"),
    [
        ("5", "up to 5 kg", "a <= 5"),
        ("2.5", "bis 2,5 kg", "a <= 2.5"),
        ("65", "65+", "a >= 65"),
        ("12000", "12.000", "a = 12000"),
        ("12000.5", "€ 12,000.50", "a = 12000.5"),
        ("-5", "(5)", "a = -5"),
        ("1234", "01234", 'a in {"01234"}'),
    ],
)
def test_cells_of_opendocument_are_read_as_they_are_shown(value, shown, meaning):
    other = text("x" if "0123" in shown else "&lt; -9")
    raw = ods(table("T", row(text("a"), text("f")), row(typed("float", "value", value, shown=shown),
        text("x")), row(other, text("y"))))  # fmt: skip
    assert str(next(iter(irenic.loads(raw, format="ods")))) == f"IF {meaning} THEN x"


def test_dates_of_opendocument_are_read_as_they_are_shown():
    for shown, then in (("Jan 2026", "Jan 2026"), ("Monday", "Monday"), ("5.1.26", "2026-01-05")):
        date = typed("date", "date-value", "2026-01-05", shown=shown)
        raw = ods(table("T", row(text("a"), text("f")), row(text("&lt; 5"), date)))
        assert str(next(iter(irenic.loads(raw, format="ods"))).then) == then
    date = typed("date", "date-value", "2026-01-05", shown="5-Jan")
    raw = ods(table("T", row(text("a"), text("f")), row(text("&lt; 5"), date)))
    with pytest.raises(FormatError, match="shows '5-Jan', but its value is 2026-01-05"):
        irenic.loads(raw, format="ods")


@pytest.mark.parametrize(
    ("kind", "value", "shown"), [("float", "17.6", "18"), ("percentage", "0.176", "18%")]
)
def test_a_rounded_cell_of_opendocument_is_a_doubt(kind, value, shown):
    raw = ods(table("T", row(text("a"), text("f")), row(typed(kind, "value", value, shown=shown),
        text("x"))))  # fmt: skip
    with pytest.raises(FormatError, match=f"'{shown}', but its value is 17.6"):
        irenic.loads(raw, format="ods")


def test_files_that_cannot_be_edited_name_the_way_out(tmp_path):
    rows = row(text("a"), text("f")), row(text("&lt; 9"), text("x")), row(text("&gt; 5"), text("y"))
    (tmp_path / "t.ods").write_bytes(ods(table("T", *rows)))
    result = run("repair", tmp_path / "t.ods", "--in-place")
    command = f"irenic convert {tmp_path}/t.ods {tmp_path}/t.xlsx"
    assert str(result.exception).endswith(
        f"--in-place cannot change .ods files; convert it: {command}"
    )
    assert run(*command.split()[1:]).exit_code == 0
    assert run("repair", tmp_path / "t.xlsx", "--in-place").exit_code == 0
