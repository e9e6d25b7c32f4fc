"""Files that are edited on the page: written in place, with nothing else changed."""

from __future__ import annotations

import json
from collections import Counter

import openpyxl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import irenic
from irenic.cli.reporting import read_with_data
from irenic.errors import FormatError
from irenic.reporting.edited_file import EditedFile
from strategies import examples

RULES = "# by age\nIF age < 18 THEN free  # children\n\nIF age >= 18 THEN full # all others\n"
CSV = (
    b'age;"job";fare;Comment\r\n< 18;-;free;"a ""b"""\r\n\r\n[18..60);nurse;half;x\r\n>= 60;;5;\r\n'
)
DECLARED = CSV.replace(b"\r\n", b"\r\n;condition;outcome;note\r\n", 1)


def opened(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return EditedFile(path)


def changed(file, change):
    """Return the rules of a file as JSON, after a change of their list."""
    document = json.loads(irenic.dumps(plain(file.table), format="json"))
    change(document["rules"])
    return json.dumps(document)


def plain(table):
    return table.rules if not table.is_ordered else irenic.RuleList(table.rules)


def save(file, change):
    file.save(changed(file, change))
    return file.path.read_bytes()


def cut(rules):
    rules[0]["if"]["age"] = {"<": 16}


def saying(place, outcome):
    """Return a change of an outcome."""
    return lambda rules: rules[place].update(then=outcome)


def test_instances_are_on_the_page_and_do_not_change_the_file(tmp_path):
    path, data = tmp_path / "fares.csv", tmp_path / "past.csv"
    path.write_bytes(DECLARED)
    data.write_text("age,job,fare\n3,pilot,free\n30,nurse,half\n70,clerk,half\n")
    file = EditedFile(path, show=lambda parsed: read_with_data(parsed, data, None, None, None))
    summary = file.page().summary
    jobs = next(each for each in summary["features"] if each["name"] == "job")["values"]
    assert {"nurse", "pilot", "clerk"} <= set(jobs)  # also those that only rows have
    assert summary["instances"]["shown"] == 3
    said = [summary["outcomes"][k]["text"] for k in summary["instances"]["outcomes"]]
    assert said == ["free", "half", "half"]
    assert save(file, cut) == DECLARED.replace(b"< 18;-", b"< 16;-")
    assert file.page().summary["instances"]["shown"] == 3


def test_comments_and_blank_lines_of_a_text_file_stay(tmp_path):
    file = opened(tmp_path, "fares.rules", RULES)
    assert save(file, cut).decode() == RULES.replace("age < 18", "age < 16")
    assert len(file.table.rules) == 2  # read again
    new = save(file, lambda rules: rules.pop(0))
    assert new.decode() == "# by age\n\nIF age >= 18 THEN full # all others\n"
    new = save(file, lambda rules: rules.insert(0, {"if": {"age": {"<": 3}}, "then": "free"}))
    assert new.decode().splitlines()[2:] == [
        "IF age < 3 THEN free",
        "IF age >= 18 THEN full # all others",
    ]


def test_other_cells_of_a_csv_file_keep_their_bytes(tmp_path):
    file = opened(tmp_path, "fares.csv", DECLARED)
    assert save(file, cut) == DECLARED.replace(b"< 18", b"< 16")
    new = DECLARED.replace(b"< 18", b"< 16").replace(b"half", b"reduced")
    assert save(file, saying(1, "reduced")) == new
    without = new.replace(b"[18..60);nurse;reduced;x\r\n", b"")
    assert save(file, lambda rules: rules.pop(1)) == without


def test_rows_are_inserted_where_the_order_decides(tmp_path):
    content = b"F,age,fare\n1,< 18,free\n2,-,full\n"
    file = opened(tmp_path, "fares.csv", content)
    new = save(file, lambda rules: rules.insert(1, {"if": {"age": {">=": 60}}, "then": "half"}))
    assert new.splitlines()[1] == b"1,< 18,free"
    assert [rule.then for rule in file.table.rules] == ["free", "half", "full"]
    assert file.table.hit_policy == "FIRST"


MODEL = """<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" id="d" name="d" namespace="n">
  <!-- kept -->
  <decision id="fare" name="Fare">
    <decisionTable id="t" hitPolicy="FIRST">
      <input id="i"><inputExpression typeRef="number"><text>age</text></inputExpression></input>
      <output id="o" name="fare" typeRef="string"/>
      <rule id="r1"><inputEntry><text>&lt; 18</text></inputEntry>
        <outputEntry><text>"free"</text></outputEntry></rule>
      <rule id="r2"><description>all</description><inputEntry><text>-</text></inputEntry>
        <outputEntry><text>"full"</text></outputEntry></rule>
    </decisionTable>
  </decision>
</definitions>
"""


def test_other_bytes_of_a_model_stay(tmp_path):
    file = opened(tmp_path, "fares.dmn", MODEL)
    assert save(file, cut).decode() == MODEL.replace("&lt; 18", "&lt; 16")
    reduced = MODEL.replace("&lt; 18", "&lt; 16").replace("full", "reduced")
    assert save(file, saying(1, "reduced")).decode() == reduced
    new = save(file, lambda rules: rules.pop(0)).decode()
    assert "r1" not in new
    assert '<rule id="r2"><description>all</description>' in new
    save(file, lambda rules: rules.insert(0, {"if": {"age": {"<": 3}}, "then": "free"}))
    assert [rule.then for rule in file.table.rules] == ["free", "reduced"]


def test_other_cells_of_a_workbook_stay(tmp_path):
    path = tmp_path / "fares.xlsx"
    book = openpyxl.Workbook()
    for row in (["age", "fare", "Comment"], ["< 18", "free", "a"], [">= 18", "full", "b"]):
        book.active.append(row)
    book.create_sheet("Other").append(["kept"])
    book.save(path)
    options = {"ignore": "Comment", "target": "fare", "sheet": "Sheet"}
    file = EditedFile(path, read=lambda path: irenic.parse(path, **options))
    save(file, cut)
    save(file, lambda rules: rules.append({"if": {"age": {"=": 17}}, "then": "half"}))
    save(file, saying(1, "reduced"))
    saved = openpyxl.load_workbook(path)
    head, *rows = [[c.value for c in row] for row in saved.worksheets[0].rows]
    assert head == ["age", "fare", "Comment"]
    assert rows[:2] == [["< 16", "free", "a"], [">= 18", "reduced", "b"]]
    assert rows[2][1] == "half"
    assert saved["Other"]["A1"].value == "kept"


def test_other_keys_of_a_json_file_stay(tmp_path):
    text = (
        '{"format": "irenic rules", "version": 1, "rules": [{"if": {"age": {"<": 18}}, "then":'
        ' "free"}, {"if": {"age": {">=": 18}}, "then": "full", "accept": "redundant: kept"}],'
        ' "accept": ["gap: known"]}'
    )
    file = opened(tmp_path, "fares.json", text)
    new = json.loads(save(file, cut))
    old = json.loads(text)
    old["rules"][0]["if"]["age"] = {"<": 16}
    assert new == old


def test_rows_with_several_parts_stay_one_row(tmp_path):
    content = b'age,fare\n"< 18, >= 60",half\n[18..60),full\n'
    file = opened(tmp_path, "fares.csv", content)
    assert save(file, saying(2, "whole")) == content.replace(b"full", b"whole")


def test_new_values_of_categories_are_written(tmp_path):
    file = opened(tmp_path, "fares.csv", b"job,fare\nnurse,free\ncook,full\n")

    def rename(rules):
        rules[0]["if"]["job"] = {"in": ["doctor"]}

    text = json.loads(irenic.dumps(file.table.rules, format="json"))
    rename(text["rules"])
    text["space"][0]["values"].append("doctor")
    file.save(json.dumps(text))
    assert file.path.read_bytes() == b"job,fare\ndoctor,free\ncook,full\n"


# --- refusals


def test_changes_on_disk_are_not_overwritten(tmp_path):
    file = opened(tmp_path, "fares.rules", RULES)
    edit = changed(file, cut)
    assert not file.changed_on_disk
    other = RULES.replace("free", "nothing")
    file.path.write_text(other)
    assert file.changed_on_disk
    with pytest.raises(FormatError, match="changed on disk; reload it, or keep your version"):
        file.save(edit)
    assert file.path.read_text() == other
    file.save(edit, keep=True)
    assert file.path.read_text() == RULES.replace("age < 18", "age < 16")
    assert not file.changed_on_disk
    file.path.unlink()
    assert file.changed_on_disk


def test_invalid_rules_are_refused(tmp_path):
    file = opened(tmp_path, "fares.rules", RULES)
    for keys, message in {
        '"x': "line 1",
        '"rules": [{"then": 1, "if": {"x": {"<": 1}}}]': "unknown feature 'x'",
        '"ordered": true, "rules": []': "the file contains rules without an order",
        '"rules": [], "default": "x"': "the default can be changed only in .json files",
    }.items():
        with pytest.raises(irenic.IrenicError, match=message):
            file.save(f'{{"format": "irenic rules", "version": 1, {keys}}}')
        assert file.path.read_text() == RULES
    with pytest.raises(FormatError, match=r"a \.md file cannot be changed in place; write its"):
        opened(tmp_path, "a.md", "| age | fare |\n|---|---|\n| < 18 | free |\n| >= 18 | full |\n")


def test_a_moved_row_of_a_workbook_is_refused(tmp_path):
    path = tmp_path / "fares.xlsx"
    book = openpyxl.Workbook()
    for row in (["F", "age", "fare"], [1, "< 18", "free"], [2, "< 60", "half"], [3, "-", "full"]):
        book.active.append(row)
    book.save(path)
    file, before = EditedFile(path), path.read_bytes()
    insert = changed(file, lambda rules: rules.insert(1, {"if": {"age": {"<": 9}}, "then": "x"}))
    with pytest.raises(FormatError, match="not be in the intended order, which decides"):
        file.save(insert)
    assert path.read_bytes() == before


# --- at random

ENDS = st.integers(0, 9)
CELL = st.one_of(
    st.just({}),
    st.builds(lambda a: {"<": a + 1}, ENDS),
    st.builds(lambda a: {">=": a}, ENDS),
    st.builds(lambda a, b: {">=": min(a, b), "<": max(a, b) + 1}, ENDS, ENDS),
)
JOB = st.sampled_from([{}, {"in": ["nurse"]}, {"in": ["cook", "nurse"]}, {"not in": ["cook"]}])
ROW = st.tuples(CELL, JOB, st.sampled_from("xyz")).map(
    lambda row: {
        "if": {n: c for n, c in zip(("age", "job"), row[:2], strict=True) if c},
        "then": row[2],
    }
)
TABLE = st.lists(ROW, min_size=1, max_size=6)
SPACE = [
    {"name": "age", "kind": "integer"},
    {"name": "job", "values": ["nurse", "cook"], "other": True},
]


def document(rows, *, ordered):
    order = {"ordered": True} if ordered else {}
    return json.dumps(
        {"format": "irenic rules", "version": 1, "space": SPACE, **order, "rules": rows}
    )


FORMS = [*(("csv", order) for order in (False, True)), ("json", True), ("rules", False)]


FROM_0 = {"if": {"age": {">=": 0}}, "then": "x"}


@pytest.mark.parametrize(("form", "ordered"), [*FORMS, ("dmn", True), ("dmn", False)])
@given(before=TABLE, after=TABLE, kept=st.integers(0, 6))
@example(before=[{"if": {}, "then": "x"}, FROM_0], after=[FROM_0], kept=1)
@examples(0.5)
def test_a_file_means_what_the_page_had(tmp_path_factory, form, ordered, before, after, kept):
    """Whatever is edited, the file has the rules of the page, or it stays as it was."""
    typed = {"if": {"age": {">=": 1, "<": 4}, "job": {"in": ["nurse"]}}, "then": "x"}
    before = [typed, *before]
    after = [*before[:kept], *after, typed]
    first = irenic.loads(document(before, ordered=ordered), format="json")
    path = tmp_path_factory.mktemp("edited") / f"table.{form}"
    irenic.write(first, path)
    file = EditedFile(path)
    text = document(after, ordered=file.table.is_ordered)
    content = path.read_bytes()
    try:
        file.save(text)
    except FormatError:
        assert path.read_bytes() == content
        return
    wanted = [
        *map(key, irenic.parse(text.encode(), format="json").bind(file.table.space).table().rules)
    ]
    # if ages are at least 0, - means >= 0
    found = [*map(key, irenic.parse(path).bind(file.table.space).table().rules)]
    if file.table.is_ordered:
        assert found == wanted
    else:
        assert Counter(found) == Counter(wanted)


def key(rule):
    return rule.region, rule.then, rule.weight


@pytest.mark.parametrize(
    ("line", "change", "expected"),
    [
        # a bound is replaced where it is, however the condition is written
        ("if age>=18 and age<30 then A  # adults", ("age", {">=": 18, "<": 25}), "age<25"),
        ("IF 30 > age AND age >= 18 THEN A", ("age", {">=": 16, "<": 30}), "age >= 16"),
        ("IF age between 18 and 30 THEN A", ("age", {">=": 18, "<=": 31}), "and 31 THEN A"),
        ("IF job = nurse AND 18 <= age THEN A", ("age", {">=": 20}), "nurse AND 20 <= age"),
        # another kind of condition is written anew, and the others stay
        ("IF age < 30 AND job = nurse THEN A", ("age", {">": 5}), "IF age > 5 AND job = nurse T"),
        ("IF job = nurse and age < 30 THEN A", ("job", {"in": ["cook"]}), "IF job in {cook} and"),
        ("IF job = nurse and age < 30 THEN A", ("job", None), "IF age < 30 THEN A"),
        ("IF age>=18 and job = nurse and age<30 THEN A", ("age", None), "IF job = nurse THEN A"),
        ("IF job = nurse THEN A # x", ("age", {"<": 9}), "IF job = nurse AND age < 9 THEN A # x"),
        ("if anything THEN A", ("age", {"<": 9}), "if age < 9 THEN A"),
        ("IF age < 30 THEN A", ("age", None), "IF anything THEN A"),
        ("IF NOT age < 30 THEN A", ("age", {">=": 31}), "IF NOT age < 31 THEN A"),
        # conditions in parentheses are written anew
        ("IF (age < 30 and job=nurse) THEN A", ("age", {"<": 9}), "IF age < 9 AND job in {nurse}"),
    ],
)
def test_only_the_edited_condition_of_a_line_changes(tmp_path, line, change, expected):
    name, condition = change
    text = f"{line}\nIF age < 5 AND job not in {{nurse, cook}} THEN B\n"
    file = opened(tmp_path, "my.rules", text)

    def edit(rules):
        conditions = {key: test for key, test in rules[0]["if"].items() if key != name}
        rules[0]["if"] = conditions | ({} if condition is None else {name: condition})

    new = save(file, edit).decode()
    assert expected in new
    assert new.splitlines()[1:] == text.splitlines()[1:]
    assert ("# adults" in line) == ("  # adults" in new)


def test_a_changed_outcome_leaves_the_conditions_of_a_line(tmp_path):
    file = opened(tmp_path, "my.rules", "if 18<=age and age<30 then A WEIGHT 2 # x\n")
    new = save(file, saying(0, "very good")).decode()
    assert new == 'if 18<=age and age<30 then "very good" WEIGHT 2 # x\n'
