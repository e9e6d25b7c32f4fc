"""Ambiguous cells, columns and values of spreadsheets."""

from __future__ import annotations

import json
import warnings

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import irenic
from bound import book_of, loads_csv, loads_xlsx, messages, quoted, rules_of, run, saved
from irenic import Categorical, Continuous, FormatWarning, Rule, RuleSet, Space
from irenic.formats.feel.sets import literal_text
from irenic.formats.feel.unary_tests import Compare, parse
from irenic.formats.sheets.writing import dumps_csv, dumps_xlsx
from irenic.model.literals import display
from strategies import examples


def csv(text, **options):
    return messages(loads_csv(text.encode(), **options))


# --- words

OTHERS = "write DEFAULT in the first column of a row without conditions for all other cases"
IN_QUOTES = '"{0}" in quotes for the text'
LOCALE = "or settle the decimal separator with locale=… (--locale de or en)"
REJECTED = {
    "Else": f"{{0!r}} is ambiguous; {OTHERS}, or {IN_QUOTES}",
    "otherwise": f"{{0!r}} is ambiguous; {OTHERS}, or {IN_QUOTES}",
    "all others": f"{{0!r}} is ambiguous; {OTHERS}, or {IN_QUOTES}",
    "until 18": f"{{0!r}} is ambiguous; write <= 18 for a comparison, or {IN_QUOTES}",
    "till 18 o'clock": f"{{0!r}} is ambiguous; write <= 18 for a comparison, or {IN_QUOTES}",
    "nur*": f"{{0!r}} is ambiguous; write the matching values one by one for a pattern, or"
            f" {IN_QUOTES}",
    "A – C": f"{{0!r}} is ambiguous; write A, B, C for all values from A to C, or {IN_QUOTES}",
    "#N/A": "'#N/A' is a spreadsheet error; replace it with a value",
    "5 apples": "'5 apples' is not a condition; write a number, >= 18 or [18..25], or quote it if"
                " it is text",
    "25-18": "the range ends before it begins: 25 to 18; write the smaller value first",
    "not a or b": "it is unclear which values are excluded; write not(a, b) for every value except"
                  " a and b",
    "income > 5": "the cell compares 'income', but it is in another column; move the condition to a"
                  " column of that name",
    "1,000": f"'1,000' is ambiguous; write 1000 or 1.0000, {LOCALE}",
    "> 1,5": f"'1,5' is ambiguous; write 1.5, {LOCALE}",
    "01/02/2026": "'01/02/2026' is ambiguous; write it as 2026-02-01 or 2026-01-02, or settle the"
                  " order of day and month with locale=… (--locale en-GB or en-US)",
    "31.02.2026": "'31.02.2026' is not a date, read as day and month",
    "> 007 €": "'007' begins with 0; quote it if it is text, or omit the leading 0",
    "?": "'?' is ambiguous; write null for a missing value, or true",
}  # fmt: skip


def test_cells_with_several_meanings_or_none_are_rejected():
    expected = {
        cell: ([f"line 2: rule 1, column 'a', {cell!r}: {reason.format(cell)}"], [])
        for cell, reason in REJECTED.items()
    }
    assert {cell: csv(f"a,b,then\n{quoted(cell)},5,A\n") for cell in REJECTED} == expected
    assert csv("a,then\n5,#DIV/0!\n") == (
        [
            "line 2: rule 1, column 'then', '#DIV/0!': '#DIV/0!' is a spreadsheet error;"
            " replace it with a value"
        ],
        [],
    )


@pytest.mark.parametrize("cell", [
    "any", "else", "not nurse", "a or b", "a; b", "under 18", "nur*", "DEFAULT", "n/a", "?",
])  # fmt: skip
def test_text_in_quotes_is_the_text_itself(cell):
    space = Space([Categorical("a", [cell], other=True)])
    rules = RuleSet([Rule({"a": {cell}}, then="A")], space)
    by_hand = f"a,b,then\n{quoted(quoted(cell))},5,A\n".encode()
    for found in map(loads_csv, (by_hand, dumps_csv(rules))):
        assert messages(found) == ([], [])
        assert found.tables[0].space["a"].values == (cell,)
    assert loads_xlsx(dumps_xlsx(rules)).tables[0].space["a"].values == (cell,)


ORDINARY = [
    "OR", "or", "orc", "north", "Not", "nothing", "notary", "allergic", "Anya", "Overland",
    "Under the Bridge", "from Berlin", "Bosnia and Herzegovina", "New York", "full-time",
    "minor 5", "elsewhere", "Zone 1", "x-ray", "Max", "before", "yes",
]  # fmt: skip


def test_ordinary_words_and_outcomes_are_text():
    told = {cell: csv(f"a,b,then\n{quoted(cell)},5,A\n") for cell in ORDINARY}
    assert told == dict.fromkeys(ORDINARY, ([], []))
    for cell in ("any", "else", "not nurse", "a or b", "under 18", "n/a", "18-25"):
        found = loads_csv(f"a,then\n5,{cell}\n".encode())
        assert messages(found) == ([], [])
        assert found.tables[0].rules[0].then == cell


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
        expected = f"line 2: rule 1, column 'a', {cell!r}: {cell!r} is read as {advice}, or"
        assert csv(text) == ([], [f'{expected} "{cell}" in quotes to avoid this warning'])
        assert csv(text, space=Space([Categorical("a", ["x", cell]), Continuous("b")])) == ([], [])


def test_a_default_begins_a_row_without_conditions():
    for text, options in (
        (b"age,job,then\n< 5,-,A\nDEFAULT,-,B\n", {}),
        (b"ID,age,then\n1,< 5,A\nDEFAULT,,B\n", {"ignore": "ID"}),
    ):
        found = loads_csv(text, **options)
        assert messages(found) == ([], [])
        assert (len(found.tables[0].rules), found.tables[0].rules.default) == (1, "B")
    reason = (
        'DEFAULT must begin a row without conditions, for all other cases; write "DEFAULT" in'
        " quotes for the text"
    )
    for text, place in (
        ("age,job,then\n5,-,A\nDEFAULT,nurse,B\n", "line 3: rule 2"),
        ("job,age,then\nnurse,DEFAULT,B\n", "line 2: rule 1"),
    ):
        assert csv(text)[0][0] == f"{place}, column 'age', 'DEFAULT': {reason}"


# --- numbers

THOUSANDS = (
    "'1.000' is ambiguous; write 1000 if the point separates thousands, or 1.0000 if it is a"
    f" decimal point, {LOCALE}"
)


@pytest.mark.parametrize("cell", ["1.000", "< 1.000", "[1.000..2000)", "5, 1.000", "-1.000"])
def test_a_point_before_three_digits_is_ambiguous(cell):
    for found in (
        *(loads_csv(f"a{s}b{s}then\n{cell}{s}5{s}A\n".encode()) for s in ";\t"),
        loads_csv(f"a,b,then\n{quoted(cell)},5,A\n".encode()),
        loads_xlsx(saved(book_of(["a", "b", "then"], [cell, 5, "A"]))),
    ):
        [error] = found.errors
        assert error.reason == THOUSANDS
        assert (error.line, error.rule, error.header, error.text) == (2, 1, "a", cell)
    decimal = quoted(cell.replace("1.000", "1.125"))
    assert csv(f"a,b,then\n{decimal},5,A\n") == ([], [])


def test_points_in_outcomes_and_weights_are_ambiguous_too():
    found = loads_csv(b"a;RULE WEIGHT;then\n< 5;1.000;2.000\n>= 5;;5\nDEFAULT;;1.000\n")
    assert [(error.line, error.header, error.text) for error in found.errors] == [
        (2, "then", "2.000"),
        (2, "RULE WEIGHT", "1.000"),
        (4, "then", "1.000"),
    ]
    for text in ("a;then\n5;1,000\n", 'a,then\n5,"1,000"\n'):
        error = f"'1,000': '1,000' is ambiguous; write 1000 or 1.0000, {LOCALE}, or write"
        expected = f"line 2: rule 1, column 'then', {error} \"1,000\" in quotes for the text"
        assert csv(text) == ([expected], [])
        assert csv(text.replace("1,000", '""1,000""' if '"' in text else '"""1,000"""')) == ([], [])


def test_other_cells_settle_what_a_point_means():
    for cell in ("2.5", "< 0.125", "1234.500", "[0..1.0000]"):
        for text in (f"a;b;then\n1.000;{cell};A\n", f"a;b;then\n{cell};-;A\n-;>= 1.000;B\n"):
            assert csv(text) == ([], [])
    assert csv("a;b;then\n1.000;-;2.5\n") == ([], [])
    assert csv('a;b;then\n1.000;"""2.5""";2\n') != ([], [])
    for cell in ("v 1.000", '"1.000"', "12:30:01.125", "PT1.125S", "1.0", "0.125"):
        assert csv(f"a;b;then\n{quoted(cell)};5;A\n") == ([], []), cell


@given(st.integers(100, 999_999).map(lambda n: n / 1000), st.integers(1, 5))
@examples(0.6)
def test_written_numbers_are_never_ambiguous(number, places):
    number = round(number, places)
    rules = RuleSet([Rule({"a": (-number, number)}, then=number, weight=number)])
    written = ((loads_csv, dumps_csv(rules)), (loads_xlsx, dumps_xlsx(rules)))
    for found in (read(file, space=rules.space) for read, file in written):
        assert messages(found) == ([], [])
        assert found.tables[0].rules == rules


@given(st.text(max_size=8) | st.sampled_from(["any", "a or b", "n/a", "'x'", "x/y", "Not a"]))
@example(" yes")
def test_written_text_reads_back_without_warnings(value):
    space = Space([Categorical("a", [value], other=True)])
    rules = RuleSet([Rule({"a": {value}}, then="A")], space)
    assert messages(loads_csv(dumps_csv(rules))) == ([], [])
    assert parse(literal_text(value, words=True), words=True) == Compare("=", value)


# --- columns


NUMBERED = "Rule,age,then\n1,< 5,A\n2,>= 3,B\n3,>= 3,C\n"


@pytest.mark.parametrize("name", [
    "Rule", "#", "No", "no.", "Nr.", "ID", "Rule ID", "rule_no", "Row", "Row index", "Code",
    "age group", "Number", "zone",
])  # fmt: skip
def test_a_first_column_that_counts_the_rows_is_no_condition(name):
    text = NUMBERED.replace("Rule", name)
    if name in ("Code", "age group", "Number", "zone"):
        expected = (
            f"column {name!r}: the column numbers the rows, so no two rows could overlap; skip it"
            f" with ignore={name!r} (--ignore), or write = 1 in its first cell if it is a condition"
        )
        assert csv(text) == ([expected], [])
    else:
        for options in ({}, {"ignore": name}):
            found = loads_csv(text.encode(), **options)
            assert messages(found) == ([], [])
            assert found.tables[0].space.names == ("age",)
            assert len(found.tables[0].rules.conflicts()) == 3
        assert csv(text, space=Space([Continuous("age")])) == ([], [])
    meant = loads_csv(text.replace("\n1,", "\n= 1,").encode())
    assert meant.tables[0].space.names == (name, "age")
    found = loads_csv(text.encode(), space=Space([Continuous(name), Continuous("age")]))
    assert messages(found) == ([], [])
    assert not found.tables[0].rules.conflicts()


def test_row_names_are_not_a_condition_in_any_column():
    for name in ("Rule", "ID", "Rule ID"):
        rows = [name, "age", "then"], [7, "< 5", "A"], [9, ">= 3", "B"]
        for found in (
            loads_csv(f"age,{name},then\n< 5,R1,A\n>= 3,R2,B\n> 9,,C\n".encode()),
            loads_xlsx(saved(book_of(*rows))),
        ):
            assert messages(found) == ([], [])
            assert found.tables[0].space.names == ("age",)


@pytest.mark.parametrize(
    "text",
    [
        "U,age,then\n1,< 5,A\n2,>= 3,B\n",  # a hit policy
        "month,price\n1,A\n2,B\n3,C\n",  # the only condition
        "code,age,then\n1,< 5,A\n1,>= 3,B\n2,>= 3,C\n",
        "code,age,then\n1,< 5,A\n3,>= 3,B\n",
        "ID,age,then\n> 5,< 5,A\n<= 5,>= 3,B\n",
        "ID,age,then\n5,< 5,A\n5,>= 3,B\n",
    ],
)
def test_other_columns_are_conditions(text):
    assert csv(text) == ([], [])


def test_a_first_column_that_differs_in_every_row_is_read_with_a_warning():
    text = "country,age,then\nDE,< 5,A\nFR,>= 3,B\nIT,>= 3,C\n"
    assert csv(text) == (
        [],
        [
            "column 'country': every row has a different value here, so no two rows can"
            " overlap; if these are row names, skip the column with ignore='country' (--ignore)"
        ],
    )
    assert csv(text, ignore=["country"]) == ([], [])
    assert csv(text, space=loads_csv(text.encode()).tables[0].space) == ([], [])


def test_written_columns_are_not_read_as_row_numbers():
    for name in ("Rule", "x"):
        space = Space([Continuous(name), Continuous("age")])
        rules = RuleSet([Rule({name: {"=": n}}, then=str(n)) for n in (1, 2, 3)], space)
        for found in (loads_csv(dumps_csv(rules)), loads_xlsx(dumps_xlsx(rules))):
            assert messages(found) == ([], [])
            assert found.tables[0].space.names == (name, "age")


def test_ignored_columns_are_not_read_at_all():
    text = "U,note,age,note,then\n1,any,< 5,1.000,A\n2,=A1,>= 5,,B\n"
    found = loads_csv(text.encode(), ignore=["note"])
    assert messages(found) == ([], [])
    assert (found.tables[0].hit_policy, found.tables[0].space.names) == ("UNIQUE", ("age",))
    with pytest.raises(irenic.FormatError, match=r"^unknown column 'Rul'; did you mean 'Rule'\?$"):
        loads_csv(NUMBERED.encode(), ignore="Rul")
    with pytest.raises(irenic.FormatError, match=r"^unknown column 'then'"):
        loads_csv(NUMBERED.encode(), ignore="then", target="then")


@pytest.mark.parametrize(("low", "high", "name"), [
    ("Age from", "Age to", "Age"), ("Alter von", "Alter bis", "Alter"),
    ("Start age", "End age", "age"), ("age_from", "age_to", "age"), ("Min age", "Max age", "age"),
    ("Income (min)", "Income (max)", "Income"), ("Umsatz ab", "Umsatz bis", "Umsatz"),
    ("Umsatz desde", "Umsatz hasta", "Umsatz"),
])  # fmt: skip
def test_two_columns_of_bounds_are_one_condition(low, high, name):
    head = f"job,{low},{high},then\n"
    text = f"{head}-,18,25,A\n-,26,,B\n".encode()
    found = loads_csv(text)
    assert messages(found) == ([], [])
    assert found.tables[0].space["job"] is not None
    assert found.tables[0].space[name] == Continuous(name, kind="integer")
    shown = display(name)
    assert rules_of(found) == [f"IF 18 <= {shown} <= 25 THEN A", f"IF {shown} >= 26 THEN B"]
    space = Space([Categorical("job", ["cook"]), Continuous(low), Continuous(high)])
    assert loads_csv(text, space=space).tables[0].space == space
    for rows in (
        "-,Berlin,Paris,A\n-,Berlin,Rome,B\n", "-,>= 18,< 25,A\n-,>= 26,< 40,B\n",
        "-,= 18,= 25,A\n-,26,40,B\n",
    ):  # fmt: skip
        found = loads_csv(f"{head}{rows}".encode())
        assert messages(found) == ([], [])
        assert found.tables[0].space.names == ("job", low, high)


def test_bounds_that_two_ranges_share_or_without_a_name_are_rejected():
    assert csv("Age from,Age to,then\n0,18,A\n18,,B\n") == (
        [
            "column 'Age to': 18 is the end of one range and the beginning of another, so it is"
            " unclear which of them contains it; name the columns 'Age >=' and 'Age <' if ranges"
            " exclude their end, or 'Age >=' and 'Age <='"
        ],
        [],
    )
    found = loads_csv(b"Age >=,Age <,then\n0,18,A\n18,,B\n")
    assert rules_of(found) == ["IF 0 <= Age < 18 THEN A", "IF Age >= 18 THEN B"]
    assert csv("job,From,To,then\n-,18,25,A\n-,26,40,B\n")[0] == [
        f"column {column!r}: the column looks like a bound of a range, but its values are read as"
        " exact ones; name both after what they bound, such as 'Age from' and 'Age to', or write ="
        f" {first} in its first cell if it is a condition"
        for column, first in (("From", 18), ("To", 25))
    ]
    for name, n_errors in (("Age from", 1), ("Alter bis", 1), ("pulse max", 0)):
        assert len(csv(f"{name},then\n180,A\n190,B\n")[0]) == n_errors


def test_values_that_differ_only_in_case_or_spaces_cause_a_warning():
    text = (
        'job,age,then\nNurse,< 5,Low\nnurse,>= 5,low\nfire fighter,-,x\n"fire  fighter, cook",-,y\n'
    )
    rest = "and are read as different values; use one spelling if they are the same value"
    assert csv(text) == (
        [],
        [
            f"column 'job': 'Nurse' and 'nurse' differ only in case or spaces {rest}",
            f"column 'job': 'fire fighter' and 'fire  fighter' differ only in case or spaces"
            f" {rest}",
            f"column 'then': 'Low' and 'low' differ only in case or spaces {rest}",
        ],
    )
    listed = Space([Categorical("job", ["Nurse", "nurse", "fire fighter", "fire  fighter", "cook"]),
                    Continuous("age")])  # fmt: skip
    assert len(csv(text, space=listed)[1]) == 1


# --- weights


def test_a_column_of_weights_must_be_named_rule_weight():
    for name in ("RULE WEIGHT", "Rule Weight"):
        (table,) = loads_csv(f"age,{name},then\n< 5,0.5,A\n>= 5,,B\n".encode()).tables
        assert (table.space.names, table.rules.weights.tolist()) == (("age",), [0.5, 1.0])
    assert csv("AGE,WEIGHT,DOSE\n< 5,0.5,A\n>= 5,,B\n") == (
        [
            "column 'WEIGHT': the column is ambiguous; name it 'RULE WEIGHT' for weights of"
            " rules, or 'weight' for a condition"
        ],
        [],
    )
    for text in ("AGE,WEIGHT,DOSE\n< 5,> 80,A\n>= 5,<= 80,B\n", "age,weight,then\n< 5,80,A\n"):
        found = loads_csv(text.encode())
        assert messages(found) == ([], [])
        assert len(found.tables[0].space) == 2
    space = Space([Continuous("AGE"), Continuous("WEIGHT")])
    rules = RuleSet([Rule({"WEIGHT": {"=": 80}}, then="A", weight=2.0)], space)
    for read, content in ((loads_csv, dumps_csv(rules)), (loads_xlsx, dumps_xlsx(rules))):
        for options in ({}, {"space": space}):
            found = read(content, **options)
            assert messages(found) == ([], [])
            assert str(found.tables[0].rules[0]) == str(rules[0])


# --- how warnings are reported

WARNED = "country,age,then\nDE,< 5,A\nFR,>= 3,B\nIT,>= 3,C\n"


@pytest.fixture
def warned(tmp_path):
    path = tmp_path / "countries.csv"
    path.write_text(WARNED)
    return path


def test_reading_warns_in_python(warned):
    for read in (irenic.read, lambda path: irenic.parse(path).bind()):
        with pytest.warns(
            FormatWarning, match="column 'country': every row has a different value"
        ) as told:
            read(warned)
        assert len(told) == 1
        assert told[0].filename == __file__
        assert str(told[0].message).startswith(f"{warned}: table 'countries', column 'country'")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        irenic.read(warned, ignore="country")
        assert len(irenic.parse(warned, ignore=["country"]).bind().tables[0].space) == 1


def test_check_prints_warnings(warned):
    found = run("check", warned)
    assert found.exit_code == 0
    line = (
        f"irenic: warning: {warned}: table 'countries', column 'country': every row has a different"
    )
    assert found.stderr.startswith(line)
    assert found.stderr.count("irenic: warning") == 1
    assert run("check", warned, "--ignore", "country").stderr == ""
    assert run("check", warned, "--ignore", "country").exit_code == 1


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


@pytest.mark.parametrize("command", ["convert", "complete", "merge", "diff", "report", "gaps"])
def test_every_command_prints_warnings(command, warned, tmp_path):
    more = {
        "convert": [tmp_path / "x.json"],
        "diff": [warned],
        "report": ["-o", tmp_path / "r.html"],
    }
    arguments = [command, warned, *more.get(command, [])]
    assert run(*arguments).stderr.count("irenic: warning: ") == 1
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


@pytest.mark.parametrize("name", ["weight", "Weight", "Fuel source", "rule owner"])
def test_a_last_column_that_is_hardly_the_outcome_causes_a_warning(name):
    text = f"age,fare,{name}\n< 18,low,a\n>= 18,high,b\n"
    errors, told = csv(text)
    assert errors == []
    assert told[0] == (
        f"column '{name}': the last column is read as the outcome; if it is not, choose the outcome"
        f" with target=… (--outcome) and skip this column with ignore='{name}' (--ignore)"
    )
    assert csv(text, target="fare", ignore=name) == ([], [])


@pytest.mark.parametrize(
    "name", ["Source", "Quelle", "Stand", "Bearbeiter", "Approved by", "Last change"]
)
def test_records_right_of_the_outcome_are_notes(name):
    found = loads_csv(f"age,fare,{name},{name} 2\n< 18,low,a,b\n".encode(), ignore=f"{name} 2")
    assert messages(found) == ([], [])
    assert (found.tables[0].space.names, found.tables[0].outputs) == (("age",), ("fare",))
    assert found.readings[0].columns[2][:2] == (name, "note, skipped")
    assert found.readings[0].remarks == (
        f"{name} is right of the outcome and skipped; name it with --outcome if it is the outcome",
    )
    # left of the outcome, it may be a condition
    left = loads_csv(f"age,{name},fare\n< 18,a,low\n>= 18,b,high\n".encode())
    assert left.tables[0].space.names == ("age", name)
    # without another outcome, it is one
    for text in (f"age,{name}\n< 18,a\n", f"age,sum,{name}\n< 18,up to 5,a\n< 18,6,b\n"):
        only = loads_csv(text.encode())
        assert only.tables[0].outputs == (name,)
        assert "the last column is read as the outcome" in only.warnings[0].message


def test_other_last_columns_are_outcomes():
    for name in ("Approved", "Checked", "Price change", "Software version"):
        assert loads_csv(f"age,job,{name}\n< 18,-,a\n".encode()).tables[0].outputs == (name,)


def test_a_column_right_of_a_chosen_outcome_is_not_a_condition_in_silence():
    text = b"Smoker,BMI,Decision,Reason for it\nyes,> 30,decline,heavy\nyes,> 28,loading,smoker\n"
    errors, _ = messages(loads_csv(text, target="Decision"))
    assert errors == [
        "column 'Reason for it': the column is right of the outcome 'Decision' and may be another"
        " one; choose all outcomes with target=['Decision', 'Reason for it'] (--outcome Decision"
        " --outcome \"Reason for it\"), skip it with ignore='Reason for it' (--ignore), or write ="
        " heavy in its first cell if it is a condition"
    ]
    both = loads_csv(text, target=["Decision", "Reason for it"])
    assert both.tables[0].outputs == ("Decision", "Reason for it")
    assert len(loads_csv(text, target="Decision", ignore="Reason for it").tables[0].space) == 2
    for shown in (b"= heavy", b"-", b"not(heavy)"):
        told = loads_csv(text.replace(b"heavy", shown), target="Decision")
        assert messages(told)[0] == []
        assert told.tables[0].space.names == ("Smoker", "BMI", "Reason for it")
    # all conditions may be right of the outcome
    first = loads_csv(b"class,size,color\na,< 5,red\nb,>= 5,blue\n", target="class")
    assert first.tables[0].space.names == ("size", "color")


@pytest.mark.parametrize(
    "name", ["notes", "Comments", "rule_comment", "Bemerkung", "Interne Notiz"]
)
def test_notes_are_neither_conditions_nor_outcomes(name):
    for text in (
        f"age,{name},fare\n< 18,ask Bob > 5,low\n>= 18,,high\n",
        f"age,fare,{name}\n< 18,low,§ 5\n>= 18,high,=A1\n",
    ):
        found = loads_csv(text.encode())
        assert messages(found) == ([], [])
        assert found.tables[0].space.names == ("age",)
        assert found.tables[0].outputs == ("fare",)
    found = loads_csv(f"age,{name},fare\n< 18,= ask Bob,low\n>= 18,,high\n".encode())
    assert messages(found) == ([], [])
    assert found.tables[0].space.names == ("age", name)
    assert loads_csv(f"age,{name}\n< 18,low\n".encode()).tables[0].outputs == (name,)


def test_bounds_that_accept_every_value_cause_a_warning():
    for cell, meant in (
        (">5, <10", "(5..10)"), (">= 5, < 5.5, = 7", "[5..5.5)"), ("<= 75, > 65", "(65..75]"),
    ):  # fmt: skip
        _, told = csv(f'age,fare\n"{cell}",low\n')
        assert told == [
            f"line 2: rule 1, column 'age', '{cell}': the cell accepts every value, because a comma"
            f" means 'or'; write {meant} for a range, or - for any value"
        ]
    assert csv('age,fare\n"< 5, > 10",low\n') == ([], [])
