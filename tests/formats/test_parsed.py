"""Sources of rules: parsed once, from paths, file objects and texts, then bound to spaces."""

from __future__ import annotations

import io
import json
import re
import warnings
from pathlib import Path

import pytest

import irenic
from irenic import (
    Categorical,
    ConditionError,
    Continuous,
    FileError,
    FormatError,
    FormatWarning,
    Rule,
    RuleList,
    RuleSet,
    Space,
)

TEXT = "IF age < 18 AND job in {nurse} THEN low\nIF age >= 18 THEN high\nDEFAULT mid\n"
RULES = irenic.loads(TEXT, format="rules")
FORMATS = ("csv", "dmn", "json", "rules", "txt", "xlsx")
TWO = """<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/">
{}{}</definitions>"""
TABLE = """<decision name="{0}"><decisionTable hitPolicy="FIRST">
<input><inputExpression typeRef="string"><text>job</text></inputExpression></input>
<output name="then"/>
<rule><inputEntry><text>"{1}"</text></inputEntry><outputEntry><text>1</text></outputEntry></rule>
</decisionTable></decision>"""


# --- sources


@pytest.mark.parametrize("form", FORMATS)
def test_all_kinds_of_sources_read_the_same(tmp_path, form):
    path = tmp_path / f"rules.{form}"
    irenic.write(RULES, path)
    raw = path.read_bytes()
    content = [raw] if form == "xlsx" else [raw, raw.decode()]
    files = [(io.BytesIO if isinstance(each, bytes) else io.StringIO)(each) for each in content]
    for source in (path, str(path), *content, *files):
        named = source in (path, str(path))
        options = {} if named else {"format": form}
        assert irenic.read(source, space=RULES.space, **options) == RULES
        if source in files:
            source.seek(0)
        parsed = irenic.parse(source, **options)
        assert (parsed.errors, parsed.name) == ([], str(path) if named else "")
        assert parsed.rules(RULES.space) == RULES
    with path.open("rb") as file:  # its name gives the format
        assert irenic.read(file, space=RULES.space) == RULES
    assert irenic.loads(raw, format=form, space=RULES.space) == RULES
    parsed = irenic.parse(path)
    path.unlink()  # a source is read once
    assert parsed.space().names == ("age", "job")
    for space in (None, RULES.space):
        assert len(parsed.bind(space).table()) == 2


def test_a_text_of_one_line_is_a_path_to_parse_and_rules_to_loads():
    line = "IF age < 1.5 THEN x"
    hint = (
        "; a str without a line break is a path, use irenic.loads(text, format=…) for the rules"
        " themselves"
    )
    for path in (line, "no/such.rules", Path("no/such")):
        with pytest.raises(FileError) as caught:
            irenic.parse(path)
        assert str(caught.value) == (
            f"cannot read {path}: No such file or directory{hint if path == line else ''}"
        )
    assert irenic.loads(line, format="rules") == irenic.parse(f"{line}\n", format="rules").rules()


def test_invalid_sources_and_formats_are_rejected():
    class Odd:
        def read(self):
            return [TEXT]

    for source in (TEXT, TEXT.encode(), io.StringIO(TEXT), io.BytesIO(TEXT.encode())):
        with pytest.raises(FormatError, match=r"^the format must be given .*'csv' or 'dmn' or 'j"):
            irenic.parse(source)
    for call, source, form, message in (
        (irenic.loads, TEXT, "cvs", r"one of csv, dmn, .*, got 'cvs'; did you mean 'csv'\?"),
        (irenic.parse, TEXT, ".csv", r"got '.csv'; did you mean 'csv'\?$"),
        (irenic.loads, Path("x"), "csv", "text must be str or bytes, got .*Path; use irenic.read"),
        (irenic.parse, Odd(), "rules", "a file object must give str or bytes, got list"),
        (irenic.dumps, RULES, "yaml", r"format must be one of csv, .*, got 'yaml'"),
    ):
        with pytest.raises(FormatError, match=message):
            call(source, format=form)
    for call in (irenic.parse, irenic.read, lambda file: irenic.write(RULES, file)):
        with pytest.raises(FileError, match=r"^a file must be a path or a file object, got int$"):
            call(5)


def test_the_name_of_a_source_is_in_messages_and_names_its_table():
    parsed = irenic.parse("age,fare\n< 5,low\n< ,high\n", format="csv", name="fares.csv")
    [error] = parsed.errors
    assert str(error).startswith("fares.csv, line 3: table 'fares', rule 2, column 'age'")
    parsed = irenic.parse("age,fare\n< 5,low\n", format="csv", name="x/fees.csv")
    assert parsed.bind().table().name == "fees"


def test_the_declared_encoding_of_a_model_given_as_str_is_ignored():
    text = irenic.dumps(RuleSet([Rule({"größe": (0, 5)}, then="süß")]), format="dmn")
    assert 'encoding="UTF-8"' in text
    declared = text.replace('encoding="UTF-8"', 'encoding="ISO-8859-1"')
    for source in (declared, io.StringIO(declared), declared.encode("iso-8859-1")):
        assert [rule.then for rule in irenic.read(source, format="dmn")] == ["süß"]


def test_text_that_is_not_unicode_is_rejected(tmp_path):
    path = tmp_path / "latin.rules"
    path.write_bytes("IF größe < 5 THEN A\n".encode("latin-1"))
    [error] = irenic.parse(path).errors
    assert str(error) == (
        f"{path}, line 1: not UTF-8 text (byte 5); save it as UTF-8, or name its encoding"
        " (--encoding cp1252)"
    )
    with path.open(encoding="utf-8") as file, pytest.raises(FormatError) as caught:
        irenic.parse(file)
    assert str(caught.value).endswith("not utf-8 text (byte 5); open the file in binary mode")
    assert "not UTF-8 text" in str(irenic.parse("IF a < 5 THEN \ud800\n", format="rules").errors[0])
    assert irenic.loads("\ufeffIF a < 5 THEN A", format="rules").space.names == ("a",)
    path.write_text("IF größe < 5 THEN A\n", encoding="utf-8-sig")
    assert irenic.read(path).space.names == ("größe",)


# --- errors


def condition(name, bound):
    """Return a rule in JSON."""
    return {"if": {name: {"<": bound}}, "then": 1}


def test_all_errors_of_a_text_and_of_json_are_collected():
    text = "IF age < THEN x\nIF age < 5 THEN A\nIF job THEN y\nDEFAULT a\nDEFAULT b\n"
    parsed = irenic.parse(text, format="rules", name="my.rules")
    assert [(error.line, error.path) for error in parsed.errors] == [
        (line, "my.rules") for line in (1, 3, 5)
    ]
    assert parsed.bind().tables == []
    rules = [{"if": {"a": 5}, "then": 1}, {"then": "x"}, {"if": []}, condition("b", 1)]
    document = {"version": 1, "ordered": 1, "rules": rules, "more": 1, "default": {"date": "x"}}
    parsed = irenic.parse(json.dumps(document).encode(), format="json")
    starts = ["the file", "rule 1", "rule 3", '"default"', '"ordered" must be true or false, got 1']
    assert [str(error).split(":")[0] for error in parsed.errors] == starts
    # in a space, errors in the other rules are reported, too, with their own numbers
    errors = map(str, parsed.bind(Space([Continuous("a")])).errors)
    unknown = "rule 4: unknown feature 'b' (known: 'a')"
    assert [error for error in errors if "'b'" in error] == [unknown]
    # and contradictory kinds name the rule
    text = json.dumps(
        {"version": 1, "rules": [condition("a", 5), condition("a", {"date": "2026-01-31"})]}
    )
    with pytest.raises(FormatError, match=r"^rule 2: feature 'a' is compared with values of"):
        irenic.loads(text, format="json")


def test_invalid_content_is_an_error_of_the_source():
    for raw, form, message in (
        (b'{"version": 1', "json", "x.y, line 1, column 14: not JSON: Expecting"),
        (b"PK\x03\x04", "csv", "x.y: the content must be csv, got a zip archive; if it is a work"),
        (b"<?xml?>", "rules", "x.y: the content must be rules, got XML; if it is a DMN model"),
        (b"", "csv", "x.y: the table is empty; its first line must name the columns"),
        (b"<a/>", "dmn", "x.y, line 1: not DMN"),
    ):
        parsed = irenic.parse(raw, format=form, name="x.y")
        [error] = parsed.errors
        assert str(error).startswith(message)
        assert [str(e) for e in parsed.bind().errors] == [str(error)]
        with pytest.raises(FormatError, match=re.escape(str(error))):
            parsed.rules()


def test_an_unknown_hit_policy_is_rejected():
    with pytest.raises(ConditionError, match="unknown hit policy 'FRIST'; did you mean 'FIRST'"):
        irenic.parse(TEXT, format="rules", hit_policy="FRIST")
    assert isinstance(irenic.loads(TEXT, format="rules", hit_policy="FIRST"), RuleList)


# --- binding


def test_binding_changes_nothing_that_was_parsed():
    parsed = irenic.parse("age,job,fare\n< 5,cook,low\n7,nurse,high\n", format="csv")
    wrong = Space([Categorical("age", ["old"]), Categorical("job", ["cook"])])
    before = [str(error) for error in parsed.bind(wrong).errors]
    assert len(before) > 1
    first, second = parsed.bind().table(), parsed.bind().table()
    assert [str(error) for error in parsed.bind(wrong).errors] == before
    assert parsed.errors == []
    assert first.rules == second.rules
    first.rules.add(Rule({"age": (90, 99)}, then="free"))
    assert len(second.rules) == 2


def test_a_space_settles_ambiguous_columns_and_letters():
    text = "No,job,then\n1,Nurse,A\n2,nurse,B\n3,cook,C\n"
    assert len(irenic.parse(text, format="csv").drafts[0].doubts) == 3
    named = [Continuous("No"), Categorical("job", ["nurse", "Nurse", "cook"])]
    assert irenic.parse(text, format="csv").bound(Space(named)).errors == []
    text = "job,then\nNurse,A\nnurse,B\ncook,C\n"
    parsed = irenic.parse(text, format="csv")
    assert (parsed.errors, parsed.bound(None).table().space.names) == ([], ("job",))
    assert ["differ only in case" in str(told) for told in parsed.warnings] == [True]
    job = Categorical("job", ["nurse", "Nurse", "cook"])
    tables = parsed.bound(Space([job]))
    assert (len(tables.table()), tables.warnings) == (3, [])
    assert len(parsed.warnings) == 1
    parsed = irenic.parse("F,age,fare\n1,< 5,low\n2,>= 3,high\n", format="csv")
    assert parsed.bind().table().hit_policy == "FIRST"
    table = parsed.bind(Space([Continuous("F"), Continuous("age")])).table()
    assert (table.hit_policy, table.space.names) == (None, ("F", "age"))
    assert parsed.bind().table().hit_policy == "FIRST"


def test_one_table_of_several_is_named():
    text = TWO.format(TABLE.format("Fare", "cook"), TABLE.format("Fee", "nurse"))
    parsed = irenic.parse(text, format="dmn", name="two.dmn")
    assert parsed.rules(table="Fee")[0].then == 1
    assert parsed.space(table="Fare").names == ("job",)
    tables = parsed.bind()
    assert [table.name for table in tables.tables] == ["Fare", "Fee"]
    for name, message in (
        (None, r"the source contains 2 tables \('Fare', 'Fee'\); choose one"),
        ("Fre", "unknown table 'Fre'; did you mean 'Fare'"),
    ):
        with pytest.raises(FormatError, match=f"^two.dmn: {message}"):
            tables.table(name)
    # a space is opened to all of them, but not to tables with errors
    jobs = Space([Categorical("job", ["clerk"], other=True), Continuous("age")])
    assert parsed.open(jobs)["job"].values == ("clerk", "cook", "nurse")
    closed = Space([Categorical("job", ["clerk"])])
    assert parsed.open(closed) == closed
    assert irenic.parse("IF job in {cook THEN A\n", format="rules").open(jobs) == jobs


def test_rules_warns_at_the_line_of_the_caller():
    text = "country,age,then\nDE,< 5,A\nde,>= 3,B\nDE,>= 3,C\n"
    parsed = irenic.parse(text, format="csv")
    for call in (
        parsed.bind, parsed.rules, lambda: irenic.loads(text, format="csv"),
        lambda: irenic.read(io.StringIO(text), format="csv"),
    ):  # fmt: skip
        with pytest.warns(FormatWarning, match="differ only in case") as told:
            call()
        assert [one.filename for one in told] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parsed.bound(None)
        parsed.bind(Space([Categorical("country", ["DE", "de"]), Continuous("age")]))


# --- spaces


def test_a_declared_space_takes_precedence_over_data_and_data_over_conditions():
    data = {"age": [5, 40], "job": ["cook", "clerk"]}
    bare = irenic.parse(TEXT, format="rules")
    assert not bare.declares_space
    assert bare.space() == RULES.space
    opened = bare.space(data)
    job = Categorical("job", ["clerk", "cook", "nurse"], other=True)
    assert opened == Space([Continuous("age", kind="integer"), job])
    assert bare.space(Space.infer(data)) == opened
    whole = irenic.parse(irenic.dumps(RULES, format="json"), format="json")
    assert whole.declares_space
    assert whole.space(data) == whole.space() == RULES.space
    assert whole.open(Space.infer(data)) == opened


# --- writing


@pytest.mark.parametrize("form", ["csv", "dmn", "json", "py", "rules", "sql", "txt", "xlsx"])
def test_write_to_a_file_object_writes_what_dumps_returns(form):
    text = irenic.dumps(RULES, format=form)
    file = io.BytesIO()
    irenic.write(RULES, file, format=form)
    if form == "xlsx":  # it contains the time of writing
        assert isinstance(text, bytes)
        assert irenic.loads(file.getvalue(), format=form) == irenic.loads(text, format=form)
        with pytest.raises(FormatError, match=r"this format is bytes, .* open\(path, 'wb'\)$"):
            irenic.write(RULES, io.StringIO(), format=form)
        return
    assert file.getvalue() == text.encode()
    words = io.StringIO()
    irenic.write(RULES, words, format=form)
    assert words.getvalue() == text


def test_the_name_of_a_file_object_gives_the_format(tmp_path):
    path = tmp_path / "rules.json"
    with path.open("w", encoding="utf-8") as file:
        irenic.write(RULES, file)
    assert irenic.read(path) == RULES
    with pytest.raises(FormatError, match="the format must be given where there is no file name"):
        irenic.write(RULES, io.StringIO())


def test_dumps_raises_and_warns_as_write_does():
    listed = RuleList.from_rules(RULES)
    with pytest.raises(FormatError, match="a text file must contain a rule set, got a rule list"):
        irenic.dumps(listed, format="txt")
    with pytest.raises(ConditionError, match="must be a RuleSet, a RuleList or a DecisionTable"):
        irenic.dumps([], format="csv")
    table = irenic.parse("age,then\n[5..3],A\n< 9,B\n", format="csv").bind().table()
    with pytest.warns(FormatWarning) as warned:
        irenic.dumps(table, format="rules")
    first, *others = (str(each.message) for each in warned)
    assert first.startswith("rule 1 can never hold and is left out")
    assert all(text.startswith("what is known about 'age'") for text in others)


def test_a_model_goes_through_file_objects():
    model = irenic.RuleSetClassifier(generations=1, moves=20, random_state=0)
    model.fit([[age] for age in range(40)], [age >= 18 for age in range(40)])
    text = irenic.dumps(model, format="json")
    file = io.StringIO()
    irenic.write(model, file, format="json")
    assert file.getvalue() == text
    for source in (io.StringIO(text), io.BytesIO(text.encode()), text, text.encode()):
        assert irenic.read_model(source).rules_ == model.rules_
    parsed = irenic.parse(text, format="json")
    assert parsed.is_model
    assert parsed.model().rules_ == parsed.rules() == model.rules_
    assert irenic.dumps(model, format="csv") == irenic.dumps(model.rules_, format="csv")
    with pytest.raises(
        FormatError, match=r'^the file contains rules but no "model"; read them with'
    ):
        irenic.read_model(irenic.dumps(RULES, format="json"))
    with pytest.raises(FormatError, match=r"^a model must be a .json file, got rules$"):
        irenic.parse(TEXT, format="rules").model()


def test_a_line_with_or_makes_several_rules_and_says_so():
    text = "IF age < 18 OR age > 65 THEN a\nIF not (age < 18) AND age <= 65 THEN b\n"
    found = irenic.parse(text, format="rules").bound(None)
    assert [str(rule) for rule in found.table().rules] == [
        "IF age < 18 THEN a",
        "IF age > 65 THEN a",
        "IF 18 <= age <= 65 THEN b",
    ]
    assert found.table().provenance.lines == (1, 1, 2)
    assert [str(w) for w in found.warnings] == [
        "line 1: OR, NOT or ELSE makes 2 rules of this line"
    ]
    # alternatives that never hold are left out
    text = "IF age not between 18 and 25 AND age < 20 THEN a\n"
    assert [str(r) for r in irenic.loads(text, format="rules")] == ["IF age < 18 THEN a"]
    for test, message in (
        ("(a < 1 OR a < 2) AND a > 5", "line 1, column 25: the conditions on 'a' exclude each"),
        ("a < 1 OR 5 < a < 2", "the lower bound is above the upper bound"),
    ):
        [error] = irenic.parse(f"IF {test} THEN x\n", format="rules").bind().errors
        assert message in str(error)
