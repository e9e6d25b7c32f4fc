"""Cases in the notation of rules, and the reasons why no rule decides them."""

from __future__ import annotations

import datetime as dt
import re
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irenic
from bound import book_of, run
from irenic import Categorical, Continuous, DataError, Space
from irenic.formats.sheets.cases import doubtful, read_cases, undecided
from irenic.frames.columns import Table, as_column
from irenic.frames.table import read_table


@pytest.fixture
def predict(tmp_path):
    """Return what the command prints for rules and cases, both as CSV."""

    def call(rules, cases, *options):
        (tmp_path / "rules.csv").write_text(rules)
        (tmp_path / "cases.csv").write_text(cases)
        result = run("predict", tmp_path / "rules.csv", tmp_path / "cases.csv", *options)
        decided = [re.split("[,;]", line)[-1] for line in result.stdout.splitlines()[1:]]
        failure = isinstance(result.exception, irenic.IrenicError) and str(result.exception)
        return decided, (failure or result.stderr).replace(f"{tmp_path}/", "")

    return call


@pytest.mark.parametrize(("rules", "cases", "decisions"), [
    ("d,r\n01/02/2026 - 28/02/2026,a\n> 28/02/2026,b\n", "d\n01/02/2026\n2026-03-01\n", "ab"),
    ("d,r\n< 01.02.2026,a\n>= 01.02.2026,b\n", "d\n31.1.2026\n1 Feb 2026\n", "ab"),
    ("p,r\n<= 10%,a\n> 10%,b\n", "p\n5%\n0.1\n10.5 %\n", "aab"),
    ("m;r\n< 1.200,50;a\n>= 1.200,50;b\n", 'm\n"€ 1.200,49"\n"1.200,50"\n', "ab"),
    ("m,r\n< 1k,a\n>= 1k,b\n", 'm\n999\n$1k\n"$1,000.00"\n', "abb"),
    ("v;r\nja;a\nnein;b\n", "v\nJa\nNEIN\ntrue\n", "aba"),
    ("v,r\nTRUE,a\nFALSE,b\n", "v\nTRUE\nno\nfalse\nYES\n", "abba"),
    ("v,r\nyes,a\nNo,b\n", "v\nYes\nNO\n", "ab"),
    ("t,r\n09:00-17:00,a\n> 17:00,b\n", "t\n9:30\n17:01\n", "ab"),
    ("w,r\n<= 5 kg,a\n> 5 kg,b\n", "w\n5 kg\n6\n", "ab"),
    # semicolons may separate numbers with commas
    ("m;x;r\n< 1.200,50;< 9;a\n>= 1.200,50;< 9;b\n", "m;x\n1.200,49;1\n1.201;2\n", "ab"),
])  # fmt: skip
def test_cases_may_be_written_as_rules_are(predict, rules, cases, decisions):
    assert predict(rules, cases) == (list(decisions), "")


LOW = "n,r\n< 5,a\n"


@pytest.mark.parametrize(("rules", "cases", "message"), [
    ("d,r\n< 2026-02-01,a\n", "d\nsoon\n", "column 'd', row 1: 'soon' is not a date such as"
     " 2026-01-31"),
    ("d,r\n< 2026-02-01,a\n", "d\n20260131\n", "column 'd', row 1: 20260131 is not a date such as"
     " 2026-01-31"),
    ("d,r\n< 2026-02-01,a\n", "d\n2026-01-01\n01/02/2026\n",
     "column 'd', row 2: '01/02/2026' is ambiguous; write it as 2026-02-01 or 2026-01-02, or settle"
     " the order of day and month with locale=… (--locale en-GB or en-US)"),
    (LOW, "n\n4\nmany\n", "column 'n', row 2: 'many' is not a number"),
    (LOW, "n\n2026-01-31\n", "column 'n', row 1: 2026-01-31 is not a number"),
    (LOW, "n\ntrue\n", "column 'n', row 1: true is not a number"),
    ("t,r\n< 12:30,a\n", "t\n1230\n", "column 't', row 1: 1230 is not a time such as 12:30"),
    (LOW, "n\n3%\n4\n", "column 'n', row 1: '3%' has a percent sign, but the numbers of the rules"
     " have none; write 3 or its hundredth"),
    (LOW, "n;x\n1.000;2\n", "column 'n', row 1: '1.000' is ambiguous; write 1000 if the point"
     " separates thousands, or 1.0000 if it is a decimal point, or settle the decimal separator of"
     " rules and cases with locale=… (--locale)"),
    (LOW, 'n\n"1.200,50"\n2.5\n',
     "numbers are written in two ways, '1.200,50' and '2.5'; write them in one way"),
    ("Weight (kg),r\n<= 5,a\n", "Weight (kg)\n500 g\n",
     "column 'Weight (kg)', row 1: '500 g' must be in kg, as the numbers of the rules are"),
    ("t,r\n<= 24 months,a\n", "t\n3 years\n",
     "column 't', row 1: '3 years' must be in months, as the numbers of the rules are"),
    ("p,r\n<= €100,a\n", "p\n$90\n",
     "column 'p', row 1: '$90' must be in €, as the numbers of the rules are"),
])  # fmt: skip
def test_errors_blame_the_cases(predict, rules, cases, message):
    assert predict(rules, cases) == ([], f"cases.csv: {message}")


def test_a_locale_settles_cases_too(predict):
    rules = "d,r\n< 2026-02-01,a\n>= 2026-02-01,b\n"
    cases = "d\n05/01/2026\n01/05/2026\n"
    assert predict(rules, cases, "--locale", "en-GB") == (["a", "b"], "")
    assert predict(rules, cases, "--locale", "en-US") == (["b", "a"], "")


_AMBIGUOUS = "5 is ambiguous, because the rules have percentages; write 5% or 0.05, or 500% if"


def test_predictions_are_laid_out_as_the_cases(tmp_path):
    (tmp_path / "rules.csv").write_text("m;r\n< 1.200,50;2,5%\n>= 1.200,50;3%\n")
    for mark, end in (("", "\n"), ("\ufeff", "\r\n")):
        cases = f"{mark}m;note{end}1.200,49;a, b{end}1.200,51;{end}"
        (tmp_path / "cases.csv").write_bytes(cases.encode())
        expected = f"m;note;prediction{end}1.200,49;a, b;0,025{end}1.200,51;;0,03{end}"
        shown = run("predict", tmp_path / "rules.csv", tmp_path / "cases.csv")
        assert shown.stdout_bytes.decode() == expected
        run("predict", tmp_path / "rules.csv", tmp_path / "cases.csv", "-o", tmp_path / "out.csv")
        assert (tmp_path / "out.csv").read_bytes().decode() == mark + expected


def test_a_number_that_may_be_a_percentage_is_refused(predict):
    rules = "p,r\n<= 10%,a\n> 10%,b\n"
    message = f"cases.csv: column 'p', row 2: {_AMBIGUOUS} that is meant"
    assert predict(rules, "p\n0.05\n5\n") == ([], message)
    for written, decided in (("5%", "a"), ("0.05", "a"), ("500%", "b")):
        assert predict(rules, f"p\n0.05\n{written}\n") == (["a", decided], "")
    for number in ("-1.5", "91", "1.25", "1e5"):
        _, message = predict(rules, f"p\n50%\n{number}\n")
        expected = f"cases.csv: column 'p', row 2: {Decimal(number):f} is ambiguous"
        assert message.startswith(expected)


def test_percentages_have_the_scale_of_the_cells_of_the_rules(predict):
    """A declaration or header names the unit; whether 90 is 0.9 depends on the cells."""
    for head in ("p,r\nnumber (%),", "p,r\nnumber,"):
        rules = f"{head}\n<= 10%,a\n> 10%,b\n"
        assert predict(rules, "p\n5\n")[1].endswith("if that is meant")
        assert predict(rules, "p\n5%\n") == (["a"], "")
        rules = f"{head}\n<= 10,a\n> 10,b\n"
        assert predict(rules, "p\n5\n50\n") == (["a", "b"], "")
        assert "'5%' has a percent sign" in predict(rules, "p\n5%\n")[1]
    assert predict("p (%),r\n<= 10,a\n> 10,b\n", "p (%)\n5\n50\n") == (["a", "b"], "")


def test_a_workbook_shows_which_numbers_are_percentages(tmp_path):
    (tmp_path / "rules.csv").write_text("p,r\n<= 120%,a\n> 120%,b\n")
    for shown, fits in (("0%", True), ("0.00%", True), ("General", False)):
        book = book_of(["p"], [1.6], [0.5])
        book.active["A2"].number_format = book.active["A3"].number_format = shown
        book.save(tmp_path / "cases.xlsx")
        result = run("predict", tmp_path / "rules.csv", tmp_path / "cases.xlsx")
        assert (result.stdout == "p,prediction\n1.6,b\n0.5,a\n") == fits
        assert ("1.6 is ambiguous" in str(result.exception)) == (not fits)


@pytest.mark.parametrize("arguments", [
    ("check", "rules.csv", "--data", "cases.csv"),
    ("impact", "rules.csv", "rules.csv", "cases.csv"),
    ("impact", "plain.csv", "rules.csv", "cases.csv"), ("test", "rules.csv", "expected.csv"),
    ("test", "outcomes.csv", "expected.csv"), ("report", "rules.csv", "cases.csv"),
    ("why", "rules.csv", "p = 5"), ("why", "rules.csv", "cases.csv", "--row", "1"),
    ("prove", "rules.csv", "NEVER a WHERE p > 5"), ("prove", "rules.csv", "NEVER a WHERE 5 <= p"),
    ("prove", "rules.csv", "NEVER a WHERE (p not between 0.2 and 5)"),
    ("prove", "rules.csv", 'NEVER a WHERE "p" in {5}'), ("prove", "outcomes.csv", "NEVER r = 5"),
    ("add", "rules.csv", "IF p < 5 THEN a"),
], ids=" ".join)  # fmt: skip
def test_all_commands_refuse_a_number_that_may_be_a_percentage(tmp_path, monkeypatch, arguments):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rules.csv").write_text("p,r\n<= 10%,a\n> 10%,b\n")
    (tmp_path / "plain.csv").write_text("p,r\n<= 10,a\n> 10,b\n")
    (tmp_path / "outcomes.csv").write_text("p,r\n<= 10,5%\n> 10,6%\n")
    (tmp_path / "cases.csv").write_text("p\n5\n")
    (tmp_path / "expected.csv").write_text("p,r\n5,5\n")
    result = run(*arguments)
    assert result.exit_code
    assert _AMBIGUOUS in f"{result.exception}{result.stderr}"


def test_other_numbers_beside_percentages_are_no_percentages(tmp_path):
    (tmp_path / "rules.csv").write_text("p,n,r\n<= 10%,< 5,a\n> 10%,< 50,b\n<= 10%,>= 5,c\n")
    for case in ("p = 5%, n = 7", "n = 7, p = 0.05", 'n=7,"p"=0.05'):
        assert run("why", tmp_path / "rules.csv", case).stdout.startswith("c, by rule 3")
    shown = run("prove", tmp_path / "rules.csv", "NEVER a WHERE n > 7 AND p <= 5% AND 7 <= n")
    assert shown.stdout.startswith("proved")


def test_undecided_cases_are_counted_with_their_reasons(predict):
    _, shown = predict("a,n,r\nn/a,> 1,x\nb,2,y\n", "a,n\nb,2\n")
    assert shown.count("'n/a' is read as text") == 1
    rules = "speed,job,r\n,condition,outcome\n0-10,cook,a\n11-20,cook,b\n"
    cases = "speed,job\n5,cook\n10.5,cook\n5,Cook\n99,cook\n98,cook\n5,\n5,poet\n"
    decided, shown = predict(rules, cases)
    assert decided == ["a", "", "", "", "", "", ""]
    assert shown.splitlines()[-1] == (
        "irenic: 6 of 7 cases are undecided: row 2 (speed is 10.5, but the rules contain only whole"
        " numbers; to allow fractions, declare the column as number in a row under the header of"
        " the rules (irenic init writes one)); row 3 (job is Cook, which no rule names; did you"
        " mean 'cook'?); rows 4, 5, 7 (no rule applies); row 6 (job is missing)"
    )


def test_many_undecided_cases_are_abbreviated():
    table = Table({"a": as_column([f"V{n % 7}" for n in range(70)])})
    space = Space([Categorical("a", [f"v{n}" for n in range(7)])])
    text = undecided([None] * 70, table, space)
    assert text.startswith("70 of 70 cases are undecided: rows 1, 8, 15, 22, 29 and 5 more (a")
    assert text.endswith("; …")
    assert text.count("which no rule names") == 5
    assert undecided(["x"] * 70, table, space) == ""


def test_columns_that_the_rules_can_compare_are_left_alone():
    day = dt.date(2026, 1, 31)
    columns = {
        "n": np.array([1.5, np.nan]),
        "d": as_column([day, None]),
        "t": as_column(["a", "b"]),
        "u": as_column(["5%", "x"]),
    }
    space = Space([Continuous("n"), Continuous("d", kind="date"), Categorical("t", ["a", "b"])])
    table, notes = read_cases(Table(columns), space)
    assert notes == []
    assert all(table[name] is columns[name] for name in columns)


def test_missing_values_stay_missing_and_dates_may_be_times():
    def read(cells, kind):
        table = Table({"d": as_column(cells)})
        return read_cases(table, Space([Continuous("d", kind=kind)])).table["d"].tolist()

    assert read(["5 kg", "n/a", None, "-"], "number") == [5, None, None, None]
    noon = dt.datetime(2026, 1, 31, 12, 30)
    assert read(["31.01.2026", "2026-01-31 12:30", "2026-01-31T12:30:00"], "datetime") == [
        dt.datetime(2026, 1, 31),
        noon,
        noon,
    ]
    with pytest.raises(DataError, match=r"^column 'd', row 1: '31.02.2026' is not a date"):
        read(["31.02.2026"], "date")


@given(st.lists(st.decimals(-(10**6), 10**6, places=2), min_size=1, max_size=8))
def test_written_amounts_are_the_numbers(numbers):
    """German and English notations mean what the plain number means."""
    plain = [float(number) for number in numbers]
    english = [f"$ {number:,.2f}".replace("$ -", "-$ ") for number in numbers]
    german = [t.translate(str.maketrans(",.$", ".,€")) for t in english]
    space = Space([Continuous("n")])
    for texts in (english, german):
        table = read_cases(Table({"n": as_column(texts)}), space).table
        assert [float(value) for value in table["n"]] == plain


def test_numbers_as_written_stay_text(tmp_path):
    path = tmp_path / "cases.csv"
    path.write_text("n;m\n1.000;5\n2.000;6\n")
    assert read_table(path, as_written=True)["n"].tolist() == ["1.000", "2.000"]
    assert read_table(path, as_written=True)["m"].tolist() == [5, 6]
    with pytest.raises(irenic.FormatError, match=r"'1\.000' is ambiguous"):
        read_table(path)


def test_a_currency_may_be_written_as_a_sign_or_a_code(predict):
    rules = "p,r\n<= €100,a\n> €100,b\n"
    assert predict(rules, "p\n90 EUR\n€ 120\nEUR 300\n")[0] == ["a", "b", "b"]


def test_doubtful_values_are_named_although_a_rule_decides(predict):
    for rules, cases, decisions, message in (
        ("c,r\nDE,a\nAT,b\nelse,z\n", "c\nde\nAT\nFR\n", "zbz", "row 1 (c is de, which no rule"),
        ("c,r\nDE,a\nnot DE,b\n", "c\nDE\nde\n", "ab", "row 2 (c is de, which no rule names; did"),
        ("n,r\n0-17,a\n18-64,b\nelse,z\n", "n\n17.5\n70\n", "zz", "row 1 (n is 17.5, but the rul"),
    ):
        decided, told = predict(rules, cases)
        assert decided == list(decisions)
        assert f"1 decided case is doubtful: {message}" in told


def test_cases_that_cannot_occur_are_named(predict):
    rules = "sex,pregnant,r\n,condition,outcome\nm,no,a\n-,yes,b\nm,yes,cannot occur\n"
    decided, said = predict(rules, "sex,pregnant\nm,yes\nf,yes\n")
    assert decided == ["b", "b"]
    assert "1 decided case is doubtful: row 1 (according to the rules, it cannot occur)" in said
    decided, said = predict(rules.replace("-,yes,b", "f,yes,b"), "sex,pregnant\nm,yes\nf,yes\n")
    assert decided == ["", "b"]
    assert "undecided: row 1 (according to the rules, it cannot occur)" in said


def test_ordinary_values_are_not_doubtful():
    space = Space([Categorical("c", ["DE"], other=True), Continuous("n", kind="integer")])
    table = Table({"c": np.array(["FR", "DE", None], dtype=object), "n": np.array([1, 2, 3])})
    assert doubtful(["a", "b", "c"], table, space) == ""


@pytest.mark.parametrize(
    ("rules", "cell", "message"),
    [
        ("IF n < 5 THEN a", '"1,5"', "'1,5' is ambiguous; write 1.5"),
        ("IF n < 5 THEN a", '"1,500"', "'1,500' is ambiguous; write 1500 or 1.5000"),
        ("IF n < 2026-01-01 THEN a", "01/02/2026",
         "'01/02/2026' is ambiguous; write it as 2026-02-01 or 2026-01-02"),
    ],
)  # fmt: skip
def test_cases_of_rules_that_are_no_table_have_no_locale(tmp_path, rules, cell, message):
    (tmp_path / "rules.txt").write_text(f"{rules}\n")
    (tmp_path / "cases.csv").write_text(f"n\n{cell}\n")
    result = run("predict", tmp_path / "rules.txt", tmp_path / "cases.csv")
    assert str(result.exception).endswith(f"column 'n', row 1: {message}")
