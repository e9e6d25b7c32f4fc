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
    rules_of,
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
from irenic.model.literals import display
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
        text = f"a,b,then\n{cell},5,A\n-,6,B\n{quoted('x, ' + cell)},7,C\n"
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


@pytest.mark.parametrize("name", [
    "Rule", "#", "No", "no.", "Nr.", "ID", "Rule ID", "rule_no", "Row", "Row index", "Code",
    "age group", "Number", "zone",
])  # fmt: skip
def test_a_first_column_that_counts_the_rows_is_no_condition(name):
    text = NUMBERED.replace("Rule", name)
    if name in ("Code", "age group", "Number", "zone"):
        assert error_of(text) == (
            f"column {name!r}: the column numbers the rows, so no two rows could overlap; skip it"
            f" with ignore={name!r} (--ignore), or write = 1 in its first cell if it is a condition"
        )
    else:
        for options in ({}, {"ignore": name}, {"space": Space([Continuous("age")])}):
            table = table_of(text, **options)
            assert table.space.names == ("age",)
            assert len(table.rules.conflicts()) == 3
    assert table_of(text.replace("\n1,", "\n= 1,")).space.names == (name, "age")
    table = table_of(text, space=Space([Continuous(name), Continuous("age")]))
    assert not table.rules.conflicts()


def test_row_names_are_not_a_condition_in_any_column():
    for name in ("Rule", "ID", "Rule ID"):
        table = table_of(f"age,{name},then\n< 5,R1,A\n>= 3,R2,B\n> 9,,C\n")
        assert table.space.names == ("age",)
    book = book_of(["Rule", "age", "then"], [7, "< 5", "A"], [9, ">= 3", "B"])
    assert loads_xlsx(saved(book)).tables[0].space.names == ("age",)


def test_other_columns_are_conditions():
    for text in (
        "U,age,then\n1,< 5,A\n2,>= 3,B\n",  # a hit policy
        "month,price\n1,A\n2,B\n3,C\n",  # the only condition
        "code,age,then\n1,< 5,A\n1,>= 3,B\n2,>= 3,C\n",
        "code,age,then\n1,< 5,A\n3,>= 3,B\n",
        "ID,age,then\n> 5,< 5,A\n<= 5,>= 3,B\n",
        "ID,age,then\n5,< 5,A\n5,>= 3,B\n",
    ):
        table_of(text)
    for name in ("Rule", "x"):
        space = Space([Continuous(name), Continuous("age")])
        rules = RuleSet([Rule({name: {"=": n}}, then=str(n)) for n in (1, 2, 3)], space)
        for table in written(rules):
            assert table.space.names == (name, "age")


WARNED = "country,age,then\nDE,< 5,A\nFR,>= 3,B\nIT,>= 3,C\n"


def test_a_first_column_that_differs_in_every_row_is_read_with_a_warning():
    assert warning_of(WARNED) == (
        "column 'country': every row has a different value here, so no two rows can overlap; if"
        " these are row names, skip the column with ignore='country' (--ignore)"
    )
    table_of(WARNED, ignore=["country"])
    table_of(WARNED, space=loads_csv(WARNED).tables[0].space)


def test_ignored_columns_are_not_read_at_all():
    text = "U,note,age,note,then\n1,any,< 5,1.000,A\n2,=A1,>= 5,,B\n"
    table = table_of(text, ignore=["note"])
    assert (table.hit_policy, table.space.names) == ("UNIQUE", ("age",))
    with pytest.raises(irenic.FormatError, match=r"^unknown column 'Rul'; did you mean 'Rule'\?$"):
        loads_csv(NUMBERED, ignore="Rul")
    with pytest.raises(irenic.FormatError, match=r"^unknown column 'then'"):
        loads_csv(NUMBERED, ignore="then", target="then")


@pytest.mark.parametrize(("low", "high", "name"), [
    ("Age from", "Age to", "Age"), ("Alter von", "Alter bis", "Alter"),
    ("Start age", "End age", "age"), ("age_from", "age_to", "age"), ("Min age", "Max age", "age"),
    ("Income (min)", "Income (max)", "Income"), ("Umsatz ab", "Umsatz bis", "Umsatz"),
    ("Umsatz desde", "Umsatz hasta", "Umsatz"),
])  # fmt: skip
def test_two_columns_of_bounds_are_one_condition(low, high, name):
    head = f"job,{low},{high},then\n"
    text = f"{head}-,18,25,A\n-,26,,B\n"
    table = table_of(text)
    assert list(table.space) == [
        Categorical("job", [], other=True),
        Continuous(name, kind="integer"),
    ]
    shown = display(name)
    rules = [f"IF 18 <= {shown} <= 25 THEN A", f"IF {shown} >= 26 THEN B"]
    assert [str(rule) for rule in table.rules] == rules
    space = Space([Categorical("job", ["cook"]), Continuous(low), Continuous(high)])
    assert loads_csv(text, space=space).tables[0].space == space
    for rows in ("Berlin,Paris,A\n-,Berlin,Rome", ">= 18,< 25,A\n-,>= 26,< 40",
                 "= 18,= 25,A\n-,26,40"):  # fmt: skip
        assert table_of(f"{head}-,{rows},B\n").space.names == ("job", low, high)


def test_bounds_in_the_header_are_exact():
    rules = rules_of(loads_csv("Age >=,Age <,then\n0,18,A\n18,,B\n"))
    assert rules == ["IF 0 <= Age < 18 THEN A", "IF Age >= 18 THEN B"]
    table_of("pulse max,then\n180,A\n190,B\n")
    errors, _ = messages(loads_csv("job,From,To,then\n-,18,25,A\n-,26,40,B\n"))
    assert [error.split(";")[0] for error in errors] == [
        f"column {column!r}: the column looks like a bound of a range, but its values are read as"
        " exact ones"
        for column in ("From", "To")
    ]


def test_values_that_differ_only_in_case_or_spaces_cause_a_warning():
    rows = 'Nurse,< 5,Low\nnurse,>= 5,low\nfire fighter,-,x\n"fire  fighter, cook",-,y\n'
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


def test_a_column_of_weights_must_be_named_rule_weight():
    for name in ("RULE WEIGHT", "Rule Weight"):
        table = table_of(f"age,{name},then\n< 5,0.5,A\n>= 5,,B\n")
        assert (table.space.names, table.rules.weights.tolist()) == (("age",), [0.5, 1.0])
    assert error_of("AGE,WEIGHT,DOSE\n< 5,0.5,A\n>= 5,,B\n") == (
        "column 'WEIGHT': the column is ambiguous; name it 'RULE WEIGHT' for weights of rules, or"
        " 'weight' for a condition"
    )
    for text in ("AGE,WEIGHT,DOSE\n< 5,> 80,A\n>= 5,<= 80,B\n", "age,weight,then\n< 5,80,A\n"):
        assert len(table_of(text).space) == 2
    space = Space([Continuous("AGE"), Continuous("WEIGHT")])
    rules = RuleSet([Rule({"WEIGHT": {"=": 80}}, then="A", weight=2.0)], space)
    for table in (*written(rules), *written(rules, space=space)):
        assert str(table.rules[0]) == str(rules[0])


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
        start = f"{warned}: table 'countries', column 'country': every row has a different value"
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
    assert f"irenic: warning: {warned}: table 'countries', column 'country': every row" in shown
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


def test_a_last_column_that_is_hardly_the_outcome_causes_a_warning():
    for name in ("weight", "Weight", "Fuel source", "rule owner"):
        text = f"age,fare,{name}\n< 18,low,a\n>= 18,high,b\n"
        errors, [warning, *_] = messages(loads_csv(text))
        assert errors == []
        assert warning == (
            f"column '{name}': the last column is read as the outcome; if it is not, choose the"
            f" outcome with target=… (--outcome) and skip this column with ignore='{name}'"
            " (--ignore)"
        )
        table_of(text, target="fare", ignore=name)
    for name in ("Approved", "Checked", "Price change", "Software version"):
        assert loads_csv(f"age,job,{name}\n< 18,-,a\n").tables[0].outputs == (name,)


@pytest.mark.parametrize(
    "name", ["Source", "Quelle", "Stand", "Bearbeiter", "Approved by", "Last change"]
)
def test_records_right_of_the_outcome_are_notes(name):
    table = table_of(f"age,fare,{name},{name} 2\n< 18,low,a,b\n", ignore=f"{name} 2")
    assert (table.space.names, table.outputs) == (("age",), ("fare",))
    assert table.provenance.reading.columns[2][:2] == (name, "note, skipped")
    assert table.provenance.reading.remarks == (
        f"{name} is right of the outcome and skipped; name it with --outcome if it is the outcome",
    )
    # left of the outcome, it may be a condition
    left = loads_csv(f"age,{name},fare\n< 18,a,low\n>= 18,b,high\n")
    assert left.tables[0].space.names == ("age", name)
    # without another outcome, it is one
    for text in (f"age,{name}\n< 18,a\n", f"age,sum,{name}\n< 18,up to 5,a\n< 18,6,b\n"):
        only = loads_csv(text)
        assert only.tables[0].outputs == (name,)
        assert "the last column is read as the outcome" in only.warnings[0].message


def test_a_column_right_of_a_chosen_outcome_is_not_a_condition_in_silence():
    text = "Smoker,BMI,Decision,Reason for it\nyes,> 30,decline,heavy\nyes,> 28,loading,smoker\n"
    assert error_of(text, target="Decision") == (
        "column 'Reason for it': the column is right of the outcome 'Decision' and may be another"
        " one; choose all outcomes with target=['Decision', 'Reason for it'] (--outcome Decision"
        " --outcome \"Reason for it\"), skip it with ignore='Reason for it' (--ignore), or write ="
        " heavy in its first cell if it is a condition"
    )
    both = loads_csv(text, target=["Decision", "Reason for it"])
    assert both.tables[0].outputs == ("Decision", "Reason for it")
    assert len(loads_csv(text, target="Decision", ignore="Reason for it").tables[0].space) == 2
    for shown in ("= heavy", "-", "not(heavy)"):
        told = loads_csv(text.replace("heavy", shown), target="Decision")
        assert told.errors == []
        assert told.tables[0].space.names == ("Smoker", "BMI", "Reason for it")
    # all conditions may be right of the outcome
    first = loads_csv("class,size,color\na,< 5,red\nb,>= 5,blue\n", target="class")
    assert first.tables[0].space.names == ("size", "color")


def test_notes_are_neither_conditions_nor_outcomes():
    for name in ("notes", "Comments", "rule_comment", "Bemerkung", "Interne Notiz"):
        for text in (
            f"age,{name},fare\n< 18,ask Bob > 5,low\n>= 18,,high\n",
            f"age,fare,{name}\n< 18,low,§ 5\n>= 18,high,=A1\n",
        ):
            table = table_of(text)
            assert (table.space.names, table.outputs) == (("age",), ("fare",))
        table = table_of(f"age,{name},fare\n< 18,= ask Bob,low\n>= 18,,high\n")
        assert table.space.names == ("age", name)
        assert loads_csv(f"age,{name}\n< 18,low\n").tables[0].outputs == (name,)


def test_bounds_that_accept_every_value_cause_a_warning():
    for cell, meant in (
        (">5, <10", "(5..10)"), (">= 5, < 5.5, = 7", "[5..5.5)"), ("<= 75, > 65", "(65..75]"),
    ):  # fmt: skip
        assert warning_of(f'age,fare\n"{cell}",low\n') == (
            f"line 2: rule 1, column 'age', '{cell}': the cell accepts every value, because a comma"
            f" means 'or'; write {meant} for a range, or - for any value"
        )
    table_of('age,fare\n"< 5, > 10",low\n')
