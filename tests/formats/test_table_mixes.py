"""Units, notations and spellings of a table that do not fit together."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pytest
from openpyxl.styles import Font

import irenic
from bound import book_of, column, loads_csv, loads_xlsx, reasons, saved
from irenic.errors import DataError, FormatError, SpaceError
from irenic.formats.sheets.cases import in_notation, read_cases
from irenic.frames.columns import Table


def read(*rows, **options):
    """Return a table of lines with commas."""
    return loads_csv(("\n".join(rows) + "\n").encode(), **options)


# --- units of outcomes


def test_outcomes_have_one_currency():
    for cells, mixed in ((("$ 649", "649 €"), "$ and €"), (("5 £", "$5", "5 €"), "$ and £ and €")):
        found = read("Age,Premium", *(f"{n},{cell}" for n, cell in enumerate(cells)))
        assert reasons(found.errors) == [f"the column mixes {mixed}; use one unit per column"]
    found = read("Age,Premium (EUR)", "1,5 €", "2,6 EUR", "3,7")  # in two ways, or left out
    assert found.errors == []
    assert found.readings[0].units == {"Premium (EUR)": "€"}
    assert read("Price in EUR,f", "< 5 €,a").errors == []


def test_outcomes_are_all_percentages_or_none():
    [error] = read("Age,Surcharge", "1,10%", "2,0.1", "3,0").errors
    assert error.reason == (
        "the column mixes percentages, where 10% is 0.1, and other numbers; write all of them with"
        " % or none"
    )
    assert error.line == 3
    assert read("Age,Surcharge", "1,10%", "2,0", "3,none").errors == []


def test_rules_in_two_currencies_are_not_compared():
    euros, dollars, bare = (
        irenic.parse(f"age,fare\n< 18,5{sign}\n", format="csv").bind().table()
        for sign in (" €", " $", "")
    )
    message = "outcome 'fare' is in € in one table and in $ in the other; use one unit"
    with pytest.raises(SpaceError, match=message.replace("$", r"\$")):
        irenic.diff(euros, dollars)
    assert irenic.diff(euros, bare).same
    assert irenic.diff(euros, euros).same


def test_outcomes_that_mean_the_same_are_counted_as_they_are_written():
    raw = "age;premium\n< 18;649,00 €\n18-40;649\n41-50;649 €\n51+;649,01 €\n".encode()
    premium = loads_csv(raw).readings[0].columns[1]
    assert [cell[:1] + cell[2:] for cell in premium.interpreted] == [
        ("649,00 €", 1, "line 2"),
        ("649 €", 1, "line 4"),
        ("649,01 €", 1, "line 5"),
    ]


# --- two notations


def test_round_numbers_in_the_other_notation_are_rejected():
    for one, other in (("1.000", "1,000.50"), ("20.000", "1,500,000"), ("1,000", "1.000,50")):
        found = read("Age,Premium", f'0,"{one}"', f'1,"{other}"')
        message = f"numbers are written in two ways, {other!r} and {one!r}"
        assert reasons(found.errors)[0].startswith(message)
    found = read("Age,Premium", "1,1.125", '2,"1,000.50"')
    assert [rule.then for rule in found.tables[0].rules] == [1.125, 1000.5]
    assert read("Age,Premium", "1,1.000", "2,2.5").tables[0].rules[0].then == 1.0


RULES = "Alter;Beitrag\n< 18;1.249,90 €\n18-25;899,50 €\n"


def test_numbers_in_text_are_not_read_as_those_of_a_table_with_commas():
    parsed = irenic.parse(RULES, format="csv")
    draft, space = parsed.drafts[0], parsed.bind().table().space
    with pytest.raises(FormatError) as caught:
        in_notation("ALWAYS Beitrag >= 1.000", space, draft)
    assert str(caught.value) == (
        "'1.000' is ambiguous; write 1000 if the point separates thousands, or 1.0000 if it is a"
        " decimal point; numbers of the table have a decimal comma, those of rules, cases and"
        " properties a decimal point"
    )
    with pytest.raises(FormatError, match=r"'899,50' has a decimal comma; write 899\.50, because"):
        in_notation("IF Alter < 5 THEN 899,50", space, draft)
    for text in (
        "ALWAYS Beitrag in {649,599} WHERE Alter < 1.0000", "IF Alter < 5 THEN (1,2)",
        'IF Alter < 5 THEN "1.000"', "Alter=30,Region=A", "IF Alter < 5 THEN 899.5",
    ):  # fmt: skip
        assert in_notation(text, space, draft) == text
    plain = irenic.parse("Alter,Beitrag\n< 18,1249.9\n", format="csv")
    assert in_notation("Alter < 1.000", space, plain.drafts[0]) == "Alter < 1.000"


def test_percentages_of_outcomes_may_be_asked_for():
    parsed = irenic.parse("age,rate\n< 18,10%\n", format="csv")
    space = parsed.bind().table().space
    assert in_notation("ALWAYS rate <= 10%", space, parsed.drafts[0]) == "ALWAYS rate <= 0.1"


def test_ends_of_ranges_with_separators_and_full_width_digits():
    assert reasons(read("Sum,Class", "$0-$49.99,A", "$50.00-10.000,B").errors) == [
        "the range ends before it begins: 50.00 to 10.000; write 10000 if its point separates"
        " thousands"
    ]
    found = column("\uff11\uff18-25", ">= \uff12\uff16")
    assert [str(rule.region) for rule in found.tables[0].rules] == ["18 <= a <= 25", "a >= 26"]
    assert read("a,then", "1,\uff15").tables[0].rules[0].then == 5


# --- values that may be the same


def test_two_spellings_of_an_answer_are_rejected():
    found = read("Smoker,Age,Class", "yes,< 18,A", "no,< 18,B", "Y,18+,C", "N,18+,D")
    assert reasons(found.errors) == [
        "'yes' and 'Y' may be the same answer; use one of them, or write both in quotes if they"
        " differ"
    ]
    assert column("yes", "no", '"Y"', '"N"').errors == []
    assert column("N", "NO", "O", "SO").errors == []  # directions


def test_a_code_that_is_excluded_is_rejected():
    found = column("DE", "AT", "non-DE")
    assert reasons(found.errors) == [
        "'non-DE' is ambiguous, because 'DE' is a value of the column; write not(DE) for every"
        ' other value, or "non-DE" in quotes for the text'
    ]
    assert column("smoker", "non-smoker").errors == []


DOUBTFUL = [
    ("yes no both", "'both' is read as text; write the values one by one, or -"),
    ("SF_1 SF_2 SF_10+", "'SF 10+' is read as one text; write the values one by one"),
    ("Gold Plus Gold_Plus", "'Gold Plus' is read as one text; write Gold, Plus for"),
    ("DE DE.", "'DE' and 'DE.' differ only in case, spaces or a period and are read as"),
    ("Home Hoem", "'Hoem' occurs once and looks like 'Home'; did you mean that? Write"),
    ("auto auto aut0", "'aut0' occurs once and looks like 'auto'; did you mean that?"),
    ("nurse nurse nursee", "'nursee' occurs once and looks like 'nurse'; did you"),
]
DIFFERENT = [
    "Zone_1 Zone_1 Zone_2", "Plan_A Plan_A Plan_B", "Iran Iran Iraq", "rate rate date",
    "ABCD ABCD ABDC", "Juni Juni Juli", "woman women", 'nurse nurse "nursee"',
    "nurse nurse nursee nursee",
]  # fmt: skip


def test_values_that_may_be_others_cause_a_warning():
    for cells, reason in DOUBTFUL:
        found = column(*(cell.replace("_", " ") for cell in cells.split()))
        assert found.errors == []
        assert any(text.startswith(reason) for text in reasons(found.warnings)), cells
    for cells in DIFFERENT:
        told = reasons(column(*(cell.replace("_", " ") for cell in cells.split())).warnings)
        assert not any("looks like" in text for text in told), cells


def test_outcomes_that_may_be_others_cause_a_warning():
    found = read("age,route", "1,auto", "2,aut0")
    assert "'aut0' occurs once and looks like 'auto'" in reasons(found.warnings)[0]
    assert read("age,route", "1,auto", '2,"""aut0"""').warnings == []
    for cell in ("-", "–", "?"):
        found = read("age,class", "< 18,A", f"18+,{cell}")
        assert reasons(found.warnings) == [
            f'read as the text "{cell}"; write the outcome, or "{cell}" in quotes to avoid this'
            " warning"
        ]
        assert read("age,class", f'18+,"""{cell}"""').warnings == []


# --- kinds of columns


def test_whole_numbers_that_may_have_fractions_are_remarked():
    for name in ("BMI", "Premium paid", "Jahresbeitrag", "Sum insured (T€)"):
        remark = f"{name} is read as whole numbers, as its cells are; declare it as number"
        [reading] = column("1-30", "31+", name=name).readings
        assert any(text.startswith(remark) for text in reading.remarks)
        for cells in (("<= 30", "> 30"), ("1-30", "30.5+")):
            assert "whole numbers, as" not in str(column(*cells, name=name).readings[0])
    assert "whole numbers, as" not in str(column("1-30", "31+", name="Age").readings[0])
    (feature,) = column("0-50", "> 50", name="Sum insured\n(T€)").tables[0].space
    assert (feature.name, feature.unit) == ("Sum insured\n(T€)", "T€")  # no tonnes


def test_dates_that_may_have_been_ranges_cause_a_warning():
    turned = [dt.datetime(2026, 3, 1), dt.datetime(2026, 6, 4), dt.datetime(2026, 12, 7)]
    assert reasons(column(*turned, name="Claims").warnings)[-1] == (
        "read as dates, but a spreadsheet may have turned ranges into them, such as 1-3 into"
        " 2026-03-01; format the cells as text and write the ranges again"
    )
    for name, days in (
        ("Policy start", turned), ("Claims", [dt.datetime(2026, 3, 1), dt.datetime(2026, 4, 9)]),
        ("Claims", [dt.datetime(2026, 3, 1), dt.datetime(2026, 4, 2)]),
        ("Claims", [dt.datetime(2025, 3, 1), dt.datetime(2026, 4, 2)]),
    ):  # fmt: skip
        assert not any("turned" in text for text in reasons(column(*days, name=name).warnings))


def test_a_case_with_another_unit_is_rejected():
    space = irenic.Space([irenic.Continuous("Age"), irenic.Continuous("Waiting days")])
    with pytest.raises(DataError, match="'24 months' is in months, but the numbers of the rules"):
        read_cases(Table({"Age": np.array(["24 months"], dtype=object)}), space)
    table = Table({"Waiting days": np.array(["24 days"], dtype=object)})
    assert read_cases(table, space).table["Waiting days"].tolist() == [24]


# --- layout


def test_cross_tables_are_recognized():
    for rows in (
        ("Age,under 5,5-10,over 10", "18-25,A,B,C", "26-64,B,C,D"),
        ("Age,North,South,West", "18-25,900,950,990", "26-64,600,650,640"),
        ("Age,North,South", "18-25,900,950", "26-64,600,650", "65+,700,750"),
    ):
        [error] = read(*rows).errors
        assert "look like values of one condition in a cross table" in error.reason
        assert read(*rows, cross="other").tables[0].space.names == ("Age", "other")
    for rows in (
        ("Age,Doors,Seats,Price", "18-25,3,5,900", "26-64,5,4,600"),
        ("Age,Width,Price", "18-25,90,95", "26-64,60,66", "65+,70,75"),
        ("Age,Width,Height,Price", "18-25,20,25,30", "26-64,20,28,22"),
    ):
        assert not any("cross table" in text for text in reasons(read(*rows).errors))


def test_names_with_line_breaks_may_be_typed_in_one_line():
    book = book_of(["Age\n(years)", "Zone\n2", "f"], ["< 18", "x", "a"], ["18+", "y", "b"])
    space = loads_xlsx(saved(book), ignore="Zone 2").tables[0].space
    assert space.names == ("Age\n(years)",)
    assert in_notation("Age (years) = 5", space) == '"Age\\n(years)" = 5'


def test_rows_that_are_struck_out_cause_a_warning():
    book = book_of(["Age", "Class"], ["< 18", "A"], ["18-64", "OLD"], ["18-64", "B"])
    for cell in book.active[3]:
        cell.font = Font(strike=True)
    assert reasons(loads_xlsx(saved(book)).warnings) == [
        "row 3 is struck out, but read like the others; delete what is not meant"
    ]


def test_two_headers_may_be_one():
    book = book_of(["Claimant", None, "f"], ["Age", "Country", "Route"], ["< 5", "DE", "a"])
    (error,) = loads_xlsx(saved(book)).errors
    assert "or choose one of them with header_row=2 (--header-row 2)" in error.message
