"""Files in which only the rows concerned are changed."""

from __future__ import annotations

import io
import zipfile
from xml.etree import ElementTree

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl.comments import Comment
from openpyxl.styles import Font, PatternFill

import irenic
from bound import book_of, mended, repacked, saved
from irenic.errors import FormatError
from irenic.formats.editing import edited
from irenic.formats.spans import Patch, elements, patched
from strategies import examples

HOWS = ["drop", "trim", "split"]
NOTE = "IRENIC NOTE"


def repaired(content, form, how="drop", **options):
    """Return the repaired table and the edited content, with notes."""
    return mended(content, form, how, noted=True, **options)[1:]


def assert_means(content, form, table, **options):
    """Assert that a file contains the rules of a table."""
    back = irenic.parse(content, format=form, **options).bind(table.space).table()
    assert sorted(map(str, back.rules)) == sorted(map(str, table.rules))
    assert back.rules.is_consistent


# --- CSV

CSV = (
    b'age ;"job";fare;Comment\r\n< 20; nurse;free;"a ""b"""\r\n'
    b"\r\n[10..30];-;full;x\r\n> 30.5;;5;\r\n"
)


@pytest.mark.parametrize("how", HOWS)
def test_other_lines_of_a_csv_file_keep_their_bytes(how):
    options = {"ignore": "Comment", "target": "fare"}
    for mark in (b"", b"\xef\xbb\xbf"):
        table, content = repaired(mark + CSV, "csv", how, **options)
        assert_means(content, "csv", table, **options)
        old, new = (mark + CSV).split(b"\r\n"), content.split(b"\r\n")
        assert new[0] == old[0] + b";IRENIC NOTE"
        assert [new[1], new[2], new[4]] == [old[1], old[2], old[4]]
        assert b"mend: rule 2 (IF 10 <= age <= 30 THEN full)" in new[3]
        assert len(new) == len(old) + (how == "split")
        if how == "trim":
            assert new[3].startswith(b"[20..30];-;full;x;")


def test_utf16_stays_utf16():
    raw = "age;fare\n< 20;frei für\n> 9;full\n".encode("utf-16")
    table, content = repaired(raw, "csv", "trim")
    assert content.startswith(raw[:2])
    assert content.decode("utf-16").startswith("age;fare;IRENIC NOTE\n< 20;frei für\n")
    assert_means(content, "csv", table)


def test_a_second_note_follows_the_first_and_rules_are_numbered_again():
    raw = f"age,fare,{NOTE}\n< 20,free,\n> 9,full,seen\n".encode()
    table, content = repaired(raw, "csv", "trim")
    lines = content.decode().splitlines()
    assert lines[:2] == raw.decode().splitlines()[:2]
    assert lines[2].startswith('>= 20,full,"seen; mend: rule 2')
    assert_means(content, "csv", table)
    _, content = repaired(b"U,age,fare\n1,< 20,free\n2,[10..30],full\n3,> 30,5\n", "csv")
    lines = content.decode().splitlines()
    assert lines[0] == f"U,age,fare,{NOTE}"
    assert lines[2].startswith(',,,"mend: rule 2')
    assert (lines[1], lines[3]) == ("1,< 20,free", "2,> 30,5")
    back = irenic.parse(content, format="csv").bind().table()
    assert (back.hit_policy, len(back)) == ("UNIQUE", 2)


def test_a_default_row_and_a_missing_line_break_at_the_end():
    raw = b"age,fare\n< 20,free\nDEFAULT,full"
    parsed = irenic.parse(raw, format="csv")
    table = parsed.bind().table()
    result = irenic.complete(table)
    content = edited(parsed, table, result.table, command="fill")
    assert content == raw.replace(b"fare", b"fare,IRENIC NOTE") + b"\n>= 20,full,fill: added"
    assert irenic.parse(content, format="csv").bind().table().rules.default == "full"


CELLS = st.sampled_from(["-", "< 5", "[2..7)", ">= 6", "(3..9]", "< 2, > 8", "4"])
JOBS = st.sampled_from(["-", "nurse", "cook", "not(nurse)", "nurse, cook"])
ROWS = st.lists(st.tuples(CELLS, JOBS, st.sampled_from("xyz")), min_size=1, max_size=5)


@given(rows=ROWS, how=st.sampled_from(HOWS))
@examples(0.6)
def test_edited_tables_mean_what_they_should(rows, how):
    def read(content):
        parsed = irenic.parse(content, format="csv")
        return parsed, parsed.bound(space).table()

    job = irenic.Categorical("job", ["nurse", "cook"], other=True)
    space = irenic.Space([irenic.Continuous("age"), job])
    lines = ["age;job;fare", *map(";".join, rows), ""]
    parsed, table = read("\n".join(lines).encode())
    repair = irenic.repair(table, how)
    content = edited(parsed, table, repair.table)
    assert_means(content, "csv", repair.table)
    parsed, table = read(content)
    merged = irenic.merge(table)
    for new in (irenic.complete(table).table, merged.table):
        assert_means(edited(parsed, table, new), "csv", new)
    if len(merged.rules) == len(table.rules):
        assert edited(parsed, table, merged.table) == content


# --- text


def test_comments_of_a_text_file_stay():
    raw = b"# fares\n\nIF age < 20 THEN A # young\nIF age > 9 THEN B  # old\nDEFAULT C\n"
    table, content = repaired(raw, "rules", "trim")
    lines = content.decode().splitlines()
    assert lines[:3] == raw.decode().splitlines()[:3]
    assert lines[3].startswith("IF age >= 20 THEN B  # mend: rule 2 (IF age > 9 THEN B)")
    assert lines[3].endswith("# old")
    assert lines[4] == "DEFAULT C"
    assert_means(content, "rules", table)
    _, content = repaired(raw, "rules", "drop")
    assert content.decode().splitlines()[3].startswith("# mend: dropped: IF age > 9 THEN B  # old")
    # a line with several rules is written out
    table, content = repaired(
        b"IF age < 9 OR age > 60 THEN A  # ends\nIF 5 <= age < 20 THEN B\n", "rules", "split"
    )
    back = irenic.parse(content, format="rules").bound(None).table()
    assert set(map(str, back.rules)) == set(map(str, table.rules))
    assert b"# ends" in content


# --- workbooks


def workbook(change=lambda sheet: None):
    """Return a workbook with a table that contradicts itself, and much else."""
    rows = ["< 20", "nurse", 5], ["[10..30]", None, 7], ["> 30.5", "cook", 7.5]
    book = book_of(["age", "job", "fare"], *rows)
    sheet = book.active
    sheet.title = "Fares"
    sheet["A1"].font = Font(bold=True)
    sheet["A3"].fill = PatternFill("solid", fgColor="FFEE00")
    sheet["B2"].comment = Comment("ask Ann", "Bob")
    sheet.column_dimensions["A"].width = 33
    sheet.freeze_panes = "A2"
    other = book.create_sheet("Sums")
    other["A1"] = "=SUM(Fares!C2:C4)"
    other["A2"] = "é & <x>"
    other.merge_cells("B2:C3")
    hidden = book.create_sheet("Hidden")
    hidden.sheet_state = "hidden"
    hidden["A1"] = 1
    change(sheet)
    return saved(book)


def cells_of(raw):
    """Return the value, format and comment of every cell of a workbook."""
    return {
        (sheet.title, cell.coordinate): (cell.value, cell.style_id, note and note.text)
        for sheet in openpyxl.load_workbook(io.BytesIO(raw))
        for row in sheet.iter_rows()
        for cell in row
        for note in [cell.comment]
        if cell.value is not None or cell.has_style or note
    }


ROLES = {"job": "condition", "fare": "outcome"}


def fares(raw):
    parsed = irenic.parse(raw, format="xlsx", roles=ROLES)
    return parsed, parsed.bound(None).table("Fares")


def parts(raw):
    with zipfile.ZipFile(io.BytesIO(raw)) as file:
        return {name: file.read(name) for name in file.namelist()}


@pytest.mark.parametrize("how", HOWS)
def test_other_cells_and_parts_of_a_workbook_stay(how):
    raw = workbook()
    table, content = repaired(raw, "xlsx", how, name="Fares", roles=ROLES)
    old, new = parts(raw), parts(content)
    assert [*old] == [*new]
    assert [name for name in old if old[name] != new[name]] == ["xl/worksheets/sheet1.xml"]
    before, after = cells_of(raw), cells_of(content)
    assert after["Fares", "D1"][0] == NOTE
    assert after["Fares", "D3"][0].startswith("mend: rule 2 (IF 10 <= age <= 30 THEN 7)")
    touched = {("Fares", name) for name in ("D1", "A3", "B3", "C3", "D3", "A5", "C5", "D5", "B5")}
    assert {k: v for k, v in after.items() if k not in touched} == {
        k: v for k, v in before.items() if k not in touched
    }
    assert after["Fares", "A3"][1] == before["Fares", "A3"][1]  # the color stays
    _, back = fares(content)
    assert sorted(map(str, back.rules)) == sorted(map(str, table.rules))
    if how == "drop":
        assert [after["Fares", "A3"][0], ("Fares", "C3") in after] == [None, False]
    if how == "trim":
        assert after["Fares", "A3"] == before["Fares", "A3"]
        assert (after["Fares", "B3"][0], after["Fares", "C3"][0]) == ("not(nurse)", 7)
    if how == "split":  # the copy of row 3 has its style and its outcome
        assert after["Fares", "A5"][:2] == ("[20..30]", before["Fares", "A3"][1])
        assert after["Fares", "C5"][0] == 7


def test_rows_are_added_below_the_table():
    _, content = repaired(workbook(), "xlsx", name="Fares", roles=ROLES)
    parsed, table = fares(content)
    completion = irenic.complete(table)
    notes = {proposal.region: str(proposal) for proposal in completion.proposals}
    filled = edited(parsed, table, completion.table, notes, command="fill")
    after = cells_of(filled)
    assert after["Fares", "D5"][0].startswith("fill: IF ")
    assert cells_of(content).items() <= after.items()
    back = irenic.parse(filled, format="xlsx", roles=ROLES).bound(table.space).table("Fares")
    assert back.rules.is_complete


def test_widths_of_rows_are_not_wrong():
    def with_spans(name, data):
        if name == "xl/worksheets/sheet1.xml":
            for number in (b"1", b"3", b"4"):
                row = b'<row r="%s"' % number
                assert row in data
                data = data.replace(row, b'<row spans="1:3" r="%s"' % number)
        return data

    _, content = repaired(repacked(workbook(), with_spans), "xlsx", name="Fares", roles=ROLES)
    data = parts(content)["xl/worksheets/sheet1.xml"]
    assert data.count(b"spans") == 1  # that of row 4, which has not changed
    assert b'<dimension ref="A1:D4"' in data
    assert ("Fares", "D3") in cells_of(content)


def test_merged_cells_and_formulas_are_not_changed():
    raw = workbook(lambda sheet: sheet.merge_cells("C3:C4"))
    with pytest.raises(FormatError, match=r"cannot be edited: cell C3 is part of merged cells"):
        repaired(raw, "xlsx", name="Fares", roles=ROLES)
    _, table = fares(workbook())
    raw = workbook(lambda sheet: sheet.__setitem__("C3", "=3+4"))
    with pytest.raises(FormatError, match="cell C3 is a formula, which would be lost"):
        edited(irenic.parse(raw, format="xlsx", roles=ROLES), table, irenic.repair(table).table)


# --- DMN

DMN = """<?xml version="1.0" encoding="ISO-8859-1"?>
<!-- models -->
<d:definitions xmlns:d="https://www.omg.org/spec/DMN/20191111/MODEL/" xmlns:x="urn:x"
   name="m" namespace="n">
  <d:decision name="Other" id="o"><d:decisionTable id="t0"><d:output name="y"/>
    <d:input id="j"><d:inputExpression><d:text>z</d:text></d:inputExpression></d:input>
    <d:rule id="q"><d:inputEntry><d:text>1</d:text></d:inputEntry>
      <d:outputEntry><d:text>2</d:text></d:outputEntry></d:rule></d:decisionTable></d:decision>
  <d:decision name="Färe" id="fare"  x:color='a>b'>
    <d:decisionTable id="t1" hitPolicy="UNIQUE">
      <d:input id="i1" label="Age"><d:inputExpression typeRef="number"><d:text>age</d:text>
        </d:inputExpression></d:input>
      <d:input id="i2"><d:inputExpression typeRef="string"><d:text>job</d:text></d:inputExpression>
        </d:input>
      <d:output id="o1" name="fare"/>
      <d:annotation name="why"/>
      <d:rule id="r1"><d:inputEntry id="a1"><d:text>&lt; 10</d:text></d:inputEntry>
        <d:inputEntry id="a2"><d:text><![CDATA["nürse"]]></d:text></d:inputEntry>
        <d:outputEntry id="a3"><d:text>"free"</d:text></d:outputEntry>
        <d:annotationEntry><d:text>first</d:text></d:annotationEntry></d:rule>
      <d:rule id="r2"><d:description>old &amp; dear</d:description>
        <d:inputEntry id="b1"><d:text>&lt; 20</d:text></d:inputEntry>
        <d:inputEntry id="b2"/>
        <d:outputEntry id="b3"><d:text>"half"</d:text></d:outputEntry>
        <d:annotationEntry><d:text>second</d:text></d:annotationEntry></d:rule>
    </d:decisionTable>
  </d:decision>
  <x:DMNDI><x:decisionTable/><x:shape ref="r2"/></x:DMNDI>
</d:definitions>
""".encode("latin-1")


def nodes(raw):
    """Return all elements of a document: path, attributes and text."""
    found = []

    def visit(element, path):
        path = f"{path}/{element.tag.rpartition('}')[2]}"
        found.append((path, tuple(sorted(element.attrib.items())), (element.text or "").strip()))
        for child in element:
            visit(child, path)

    visit(ElementTree.fromstring(raw), "")
    return found


def edited_dmn(how):
    table, content = repaired(DMN, "dmn", how, name="Färe")
    back = irenic.parse(content, format="dmn").bound(None).table("Färe")
    assert sorted(map(str, back.rules)) == sorted(map(str, table.rules))
    assert back.hit_policy == "UNIQUE"
    return content


def test_a_trimmed_rule_of_a_model_differs_in_its_cells():
    after = nodes(edited_dmn("trim"))
    entry = "/definitions/decision/decisionTable/rule/inputEntry"
    added = (f"{entry}/text", (), 'not("nürse")')  # the entry had no text
    assert after.index(added) == after.index((entry, (("id", "b2"),), "")) + 1
    after.remove(added)
    before = nodes(DMN)
    changed = [a for a, b in zip(before, after, strict=True) if a != b]
    assert [path.rpartition("/")[2] for path, _, _ in changed] == ["description"]


@pytest.mark.parametrize("how", HOWS)
def test_other_elements_of_a_model_stay(how):
    content = edited_dmn(how)
    before, after = nodes(DMN), nodes(content)
    rule = "/definitions/decision/decisionTable/rule"

    def others(found):
        return [node for node in found if not node[0].startswith(rule)]

    assert others(before) == others(after)
    first = before.index((rule, (("id", "r1"),), ""))
    assert after[first : first + 9] == before[first : first + 9]  # the first rule, node by node
    assert content.startswith(DMN[: DMN.index(b'<d:rule id="r2">')])
    assert content.endswith(DMN[DMN.index(b"\n    </d:decisionTable>\n  </d:decision>\n") :])
    if how == "drop":
        assert "r2" not in [dict(a).get("id") for p, a, _ in after if p == rule]
        assert b"<!-- mend: rule 2 (IF age < 20 THEN half) is dropped" in content
        return
    notes = [text for path, _, text in after if path == f"{rule}/description"]
    assert all(note.startswith("old & dear; mend: rule 2") for note in notes)
    ids = [dict(a)["id"] for _, a, _ in after if "id" in dict(a)]
    assert len(ids) == len(set(ids))
    if how == "split":
        assert [i for i in ids if i.startswith(("r", "b"))] == [
            "r1", "r2", "b1", "b2", "b3", "r2_2", "b1_2", "b2_2", "b3_2",
        ]  # fmt: skip
        texts = [t for p, _, t in after if p == f"{rule}/annotationEntry/text"]
        assert texts == ["first", "second", "second"]


def test_rules_are_added_to_a_model():
    parsed = irenic.parse(edited_dmn("drop"), format="dmn")
    table = parsed.bound(None).table("Färe")
    completion = irenic.complete(table)
    content = edited(parsed, table, completion.table, command="fill")
    back = irenic.parse(content, format="dmn").bound(None).table("Färe")
    assert back.rules.is_complete
    assert set(nodes(parsed.content)) <= set(nodes(content))
    assert b'"n\xfcrse"' in content  # still ISO-8859-1


def test_nothing_is_changed_if_nothing_has_to_be():
    for form, raw in (("csv", CSV), ("xlsx", workbook()), ("dmn", DMN)):
        options = {"target": "fare", "ignore": "Comment"} if form == "csv" else {"roles": ROLES}
        parsed = irenic.parse(raw, format=form, **(options if form != "dmn" else {}))
        table = parsed.bound(None).tables[0]
        assert edited(parsed, table, table) == raw


# --- refusals


def test_files_that_cannot_be_edited():
    parsed = irenic.parse(b"age,fare\n< 20,free\n> 9,full\n", format="csv")
    table = parsed.bind().table()
    beside = irenic.parse(b"age,fare\n< 20,free,,1\n> 9,full\n", format="csv")
    with pytest.raises(FormatError, match="line 2 has cells at the right of the table"):
        edited(beside, table, irenic.repair(table).table)
    document = irenic.parse(irenic.dumps(table.rules, format="json"), format="json")
    with pytest.raises(FormatError, match=r"a \.json file cannot be edited"):
        edited(document, table, table)
    parsed = irenic.parse("F,age,fare\n1,< 9,x\n2,-,y\n", format="csv")
    table = parsed.bind().table()
    with pytest.raises(FormatError, match="would need another hit policy than FIRST"):
        edited(parsed, table, table.with_rules(irenic.to_set(table)))
    raw = DMN.decode("latin-1").replace("ISO-8859-1", "UTF-16").encode("utf-16")
    with pytest.raises(FormatError, match="the encoding is UTF-16; save the file as UTF-8"):
        repaired(raw, "dmn", name="Färe")


# --- places in XML


TREES = st.recursive(
    st.just([]), lambda inner: st.lists(st.tuples(st.sampled_from("abc"), inner), max_size=3)
)


@given(TREES, st.booleans())
@examples(0.6)
def test_elements_are_found_where_they_are(tree, short):
    def write(children):
        return "".join(
            f"<{tag} q='>'/>" if short and not inner else f'<{tag} q="/>">é{write(inner)}</{tag}>'
            for tag, inner in children
        )

    raw = f"<r>{write(tree)}</r>".encode()
    (root,) = elements(raw, lambda tag, _: tag == "r")
    stack = [root]
    while stack:
        element = stack.pop()
        stack += element.children
        part = ElementTree.fromstring(raw[element.start : element.end])
        assert part.tag == element.tag
        assert [child.tag for child in part] == [child.tag for child in element.children]
        inner = raw[element.opened : element.closing]
        assert (element.is_empty_tag and not inner) or raw[element.closing :].startswith(b"</")


def test_patches_are_made_in_order():
    assert patched(b"abcd", [Patch(4, 4, b"4"), Patch(1, 3, b""), Patch(4, 4, b"5")]) == b"ad45"
