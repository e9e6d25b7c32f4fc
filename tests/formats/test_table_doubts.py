"""Ambiguous cells, columns and values of spreadsheets; tests/corpus has more of them."""

from __future__ import annotations

import json
import warnings

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import irenic
from bound import (
    book_of,
    error_of,
    loads_csv,
    loads_xlsx,
    messages,
    quoted,
    run,
    saved,
    table_of,
    warning_of,
)
from irenic import Categorical, Continuous, FormatWarning, Rule, RuleSet, Space
from irenic.formats.cells import reading
from irenic.formats.feel.sets import literal_text
from irenic.formats.feel.unary_tests import Compare
from irenic.formats.sheets.writing import dumps_csv, dumps_xlsx
from strategies import examples


def written(rules, **options):
    """Yield the table of a CSV file and of a workbook with rules, about which nothing is said."""
    for found in (loads_csv(dumps_csv(rules), **options), loads_xlsx(dumps_xlsx(rules), **options)):
        assert messages(found) == ([], [])
        yield found.tables[0]


# --- words

OTHERS = "write DEFAULT in the first column of a row without conditions for all other cases"
LOCALE = "or settle the decimal separator with locale=… (--locale de or en)"
REJECTED = {
    "otherwise": f"'otherwise' is ambiguous; {OTHERS}, or \"otherwise\" in quotes for the text",
    "all others": f"'all others' is ambiguous; {OTHERS}, or \"all others\" in quotes for the text",
    "till 18 o'clock": "\"till 18 o'clock\" is ambiguous; write <= 18 for a comparison, or \"till"
                       ' 18 o\'clock" in quotes for the text',
    "5 apples": "'5 apples' is not a condition; write a number, >= 18 or [18..25], or quote it if"
                " it is text",
    "not a or b": "it is unclear which values are excluded; write not(a, b) for every value except"
                  " a and b",
    "> 007 €": "'007' begins with 0; quote it if it is text, or omit the leading 0",
    "> 1,5": f"'1,5' is ambiguous; write 1.5, {LOCALE}",
}  # fmt: skip


def test_cells_with_several_meanings_or_none_are_rejected():
    for cell, reason in REJECTED.items():
        expected = f"line 2: rule 1, column 'a', {cell!r}: {reason}"
        assert error_of(f"a,b,then\n{quoted(cell)},5,A\n") == expected
    assert error_of("a,then\n5,#DIV/0!\n") == (
        "line 2: rule 1, column 'then', '#DIV/0!': '#DIV/0!' is a spreadsheet error; replace it"
        " with a value"
    )


def test_text_in_quotes_is_the_text_itself():
    for cell in (
        "any", "else", "not nurse", "a or b", "a; b", "under 18", "nur*", "DEFAULT", "n/a", "?",
    ):  # fmt: skip
        rules = RuleSet([Rule({"a": {cell}}, then="A")])
        by_hand = table_of(f"a,b,then\n{quoted(quoted(cell))},5,A\n")
        for table in (by_hand, *written(rules)):
            assert table.space["a"].values == (cell,)


ORDINARY = [
    "OR", "or", "orc", "north", "Not", "nothing", "notary", "allergic", "Anya", "Overland",
    "Under the Bridge", "from Berlin", "Bosnia and Herzegovina", "New York", "full-time",
    "minor 5", "elsewhere", "Zone 1", "x-ray", "Max", "before", "yes",
]  # fmt: skip


def test_ordinary_words_and_outcomes_are_text():
    for cell in ORDINARY:
        table_of(f"a,b,then\n{quoted(cell)},5,A\n")
    for cell in ("any", "else", "not nurse", "a or b", "under 18", "n/a", "18-25"):
        assert table_of(f"a,then\n5,{cell}\n").rules[0].then == cell


TOLD = {
    "n/a": "text; write null for a missing value", "None": "text; write null for a missing value",
    "other": "text; write not(a, b) for every value except a and b",
    "default": "text; write not(a, b) for every value except a and b",
    "nurse/clerk": "one text; write nurse, clerk for several values",
    "low to high": "one text; list the values one by one for a range",
    "Total": "text; delete the row if it is a total",
}  # fmt: skip


def test_words_that_are_read_with_a_warning():
    for cell, advice in TOLD.items():
        text = f"a,b,then\n{cell},5,A\n-,> 6,B\n{quoted('x, ' + cell)},7,C\n"
        assert warning_of(text) == (
            f"line 2: rule 1, column 'a', {cell!r}: {cell!r} is read as {advice}, or \"{cell}\" in"
            " quotes to avoid this warning"
        )
        table_of(text, space=Space([Categorical("a", ["x", cell]), Continuous("b")]))


def test_a_default_begins_a_row_without_conditions():
    for text, options in (
        ("age,job,then\n< 5,-,A\nDEFAULT,-,B\n", {}),
        ("ID,age,then\n1,< 5,A\nDEFAULT,,B\n", {"ignore": "ID"}),
    ):
        table = table_of(text, **options)
        assert (len(table.rules), table.rules.default) == (1, "B")
    for text, place in (
        ("age,job,then\n5,-,A\nDEFAULT,nurse,B\n", "line 3: rule 2"),
        ("job,age,then\nnurse,DEFAULT,B\n", "line 2: rule 1"),
    ):
        assert messages(loads_csv(text))[0][0] == (
            f"{place}, column 'age', 'DEFAULT': DEFAULT must begin a row without conditions, for"
            ' all other cases; write "DEFAULT" in quotes for the text'
        )


# --- numbers


@pytest.mark.parametrize("cell", ["1.000", "< 1.000", "[1.000..2000)", "5, 1.000", "-1.000"])
def test_a_point_before_three_digits_is_ambiguous(cell):
    for found in (
        *(loads_csv(f"a{s}b{s}then\n{cell}{s}5{s}A\n") for s in ";\t"),
        loads_csv(f"a,b,then\n{quoted(cell)},5,A\n"),
        loads_xlsx(saved(book_of(["a", "b", "then"], [cell, 5, "A"]))),
    ):
        [error] = found.errors
        assert error.reason == (
            "'1.000' is ambiguous; write 1000 if the point separates thousands, or 1.0000 if it is"
            f" a decimal point, {LOCALE}"
        )
        assert (error.line, error.place.rule, error.place.header, error.place.text) == (
            2,
            1,
            "a",
            cell,
        )
    table_of(f"a,b,then\n{quoted(cell.replace('1.000', '1.125'))},5,A\n")


def test_points_in_outcomes_and_weights_are_ambiguous_too():
    found = loads_csv("a;RULE WEIGHT;then\n< 5;1.000;2.000\n>= 5;;5\nDEFAULT;;1.000\n")
    assert [(error.line, error.place.header, error.place.text) for error in found.errors] == [
        (2, "then", "2.000"),
        (2, "RULE WEIGHT", "1.000"),
        (4, "then", "1.000"),
    ]
    assert error_of('a,then\n5,"1,000"\n') == error_of("a;then\n5;1,000\n")
    table_of('a,then\n5,"""1,000"""\n')


def test_other_cells_settle_what_a_point_means():
    for cell in ("2.5", "< 0.125", "1234.500", "[0..1.0000]"):
        for text in (f"a;b;then\n1.000;{cell};A\n", f"a;b;then\n{cell};-;A\n-;>= 1.000;B\n"):
            table_of(text)
    table_of("a;b;then\n1.000;-;2.5\n")
    assert "'1.000' is ambiguous" in error_of('a;b;then\n1.000;"""2.5""";2\n')
    for cell in ("v 1.000", '"1.000"', "12:30:01.125", "PT1.125S", "1.0", "0.125"):
        table_of(f"a;b;then\n{quoted(cell)};5;A\n")


@given(st.integers(100, 999_999).map(lambda n: n / 1000), st.integers(1, 5))
@examples(0.6)
def test_written_numbers_are_never_ambiguous(number, places):
    number = round(number, places)
    rules = RuleSet([Rule({"a": (-number, number)}, then=number, weight=number)])
    for table in written(rules, space=rules.space):
        assert table.rules == rules


@given(st.text(max_size=8) | st.sampled_from(["any", "a or b", "n/a", "'x'", "x/y", "Not a"]))
@example(" yes")
def test_written_text_reads_back_without_warnings(value):
    table_of(dumps_csv(RuleSet([Rule({"a": {value}}, then="A")])))
    assert reading.read(literal_text(value, words=True)).test == Compare("=", value)


# --- columns


NUMBERED = "Rule,age,then\n1,< 5,A\n2,>= 3,B\n3,>= 3,C\n"


WARNED = "country,age,then\nDE,< 5,A\nde,>= 3,B\nDE,>= 3,C\n"


def test_ignored_columns_are_not_read_at_all():
    text = "U,note,age,note,then\n1,any,< 5,1.000,A\n2,=A1,>= 5,,B\n"
    table = table_of(text, ignore=["note"])
    assert (table.hit_policy, table.space.names) == ("UNIQUE", ("age",))
    with pytest.raises(irenic.FormatError, match=r"^unknown column 'Rul'; did you mean 'Rule'\?$"):
        loads_csv(NUMBERED, ignore="Rul")
    conflict = "^the column 'then' is declared as outcome and as note"
    with pytest.raises(irenic.FormatError, match=conflict):
        loads_csv(NUMBERED, ignore="then", target="then")


def test_values_that_differ_only_in_case_or_spaces_cause_a_warning():
    rows = 'Nurse,< 5,Low\nnurse,>= 5,low\nfire fighter,-,x\n"fire  fighter, cook",-,y\nNurse,9,x\n'
    found = loads_csv(f"job,age,then\n{rows}")
    rest = "and are read as different values; use one spelling if they are the same value"
    assert messages(found) == (
        [],
        [
            f"column 'job': 'Nurse' and 'nurse' differ only in case or spaces {rest}",
            f"column 'job': 'fire fighter' and 'fire  fighter' differ only in case or spaces"
            f" {rest}",
            f"column 'then': 'Low' and 'low' differ only in case or spaces {rest}",
        ],
    )
    assert "column 'then'" in warning_of(f"job,age,then\n{rows}", space=found.tables[0].space)


# --- how warnings are reported


@pytest.fixture
def warned(tmp_path):
    path = tmp_path / "countries.csv"
    path.write_text(WARNED)
    return path


def test_reading_warns_in_python(warned):
    for read in (irenic.read, lambda path: irenic.parse(path).bind()):
        with pytest.warns(FormatWarning) as told:
            read(warned)
        [note] = told
        assert note.filename == __file__
        start = f"{warned}: table 'countries', column 'country': 'DE' and 'de' differ only in case"
        assert str(note.message).startswith(start)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        irenic.read(warned, ignore="country")
        assert len(irenic.parse(warned, ignore=["country"]).bind().tables[0].space) == 1


def test_warnings_are_part_of_machine_readable_output(warned):
    found = run("check", warned, "--json")
    assert found.stderr == ""
    [note] = json.loads(found.stdout)["files"][0]["warnings"]
    assert (note["table"], note["header"], note["line"]) == ("countries", "country", None)
    found = run("check", warned, "--format", "sarif")
    [invocation] = json.loads(found.stdout)["runs"][0]["invocations"]
    assert invocation["executionSuccessful"] is True
    levels = [n["level"] for n in invocation["toolExecutionNotifications"]]
    assert [level for level in levels if level != "note"] == ["warning"]
    lines = run("check", warned, "--format", "github").stdout.splitlines()
    assert lines[0].startswith(f"::warning file={warned},title=irenic%3A may be misread::table")


@pytest.mark.parametrize("command", [
    "check", "convert", "complete", "merge", "diff", "report", "gaps",
])  # fmt: skip
def test_every_command_prints_warnings(command, warned, tmp_path):
    more = {
        "convert": [tmp_path / "x.json"],
        "diff": [warned],
        "report": ["-o", tmp_path / "r.html"],
    }
    arguments = [command, warned, *more.get(command, [])]
    shown = run(*arguments).stderr
    assert shown.count("irenic: warning: ") == 1
    assert f"irenic: warning: {warned}: table 'countries', column 'country': 'DE' and" in shown
    (tmp_path / "x.json").unlink(missing_ok=True)
    found = run(*arguments, "--ignore", "country")
    assert "warning" not in found.stderr
    assert found.exit_code < 2 or command == "merge"  # the rows contradict each other now


def test_columns_can_be_ignored_if_the_space_comes_from_data(warned, tmp_path):
    data = tmp_path / "people.csv"
    data.write_text("age,then\n1,A\n30,B\n")
    for command in ("check", "gaps", "search"):
        found = run(command, warned, "--data", data, "--ignore", "country")
        assert found.exit_code < 2, found.stderr
        assert found.stderr == ""


# --- problems of new users


def test_bounds_that_accept_every_value_cause_a_warning():
    for cell, meant in (
        (">5, <10", "(5..10)"), (">= 5, < 5.5, = 7", "[5..5.5)"), ("<= 75, > 65", "(65..75]"),
    ):  # fmt: skip
        assert warning_of(f'age,fare\n"{cell}",low\n') == (
            f"line 2: rule 1, column 'age', '{cell}': the cell accepts every value, because a comma"
            f" means 'or'; write {meant} for a range, or - for any value"
        )
    table_of('age,fare\n"< 5, > 10",low\n')
