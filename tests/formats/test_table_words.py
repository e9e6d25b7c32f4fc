"""Words, units and columns that are more than they seem or do not fit together, and others.

Cells and tables with two meanings are in tests/corpus; golden outputs keep what is said of them.
"""

from __future__ import annotations

import datetime as dt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl.styles import Font

import irenic
from bound import (
    book_of,
    column,
    error_of,
    loads_csv,
    loads_xlsx,
    messages,
    reasons,
    rules_of,
    saved,
    table_of,
    warning_of,
)
from irenic import Categorical, Continuous, Rule, RuleSet, Space
from irenic.errors import DataError, FormatError, SpaceError
from irenic.formats.cells.reading import read
from irenic.formats.sheets.cases import in_notation, read_cases
from irenic.formats.sheets.rules import parse_csv
from irenic.formats.sheets.writing import dumps_csv
from irenic.frames.columns import Table

# --- words in an order


@pytest.mark.parametrize(("cell", "values"), [
    ("Mon-Fri", "Mon Tue Wed Thu Fri"), ("Fri – Mon", "Fri Sat Sun Mon"),
    ("MON-WED", "MON TUE WED"), ("monday to wednesday", "monday tuesday wednesday"),
    ("Mo bis Mi", "Mo Di Mi"), ("lundi à mercredi", "lundi mardi mercredi"),
    ("Sat & Sun", "Sat Sun"), ("Sa+So", "Sa So"), ("Mon-Tue, Sun", "Mon Tue Sun"),
    ("Nov-Feb", "Nov Dec Jan Feb"), ("Q1-Q2", "Q1 Q2"), ("Q3+", "Q3 Q4"),
    ("q2 and later", "q2 q3 q4"),
])  # fmt: skip
def test_ranges_of_days_months_and_quarters_are_read(cell, values):
    found = column(cell)
    assert messages(found) == ([], [])
    assert found.tables[0].space["a"] == Categorical("a", values.split(), other=True)
    [first, _] = found.readings[0].columns
    assert first.interpreted[0][:2] == (cell, ", ".join(values.split()))
    assert column(f"not({cell})").tables[0].space["a"] == found.tables[0].space["a"]
    assert column(f'"{cell}"').tables[0].space["a"].values == (cell,)


WEEK = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]


@given(st.sampled_from(WEEK), st.integers(2, 7))
def test_a_range_of_days_has_each_day_once(first, length):
    """The days are those that one counts on a calendar."""
    days = [WEEK[(WEEK.index(first) + n) % 7] for n in range(length)]
    assert [test.value for test in read(f"{first}-{days[-1]}").test.tests] == days


# --- texts that may be several values, or others

ORDINARY = [
    "T-shirt", "X-ray", "Rock and Roll", "Trinidad and Tobago", "AT&T", "B-52", "2-door", "R&D",
    "1st class", "Jan 2026", "A+", "AB-", "non-EU", "part-time", "over the counter", "e-mail",
    "Boeing 747-400", "COVID-19", "Sun", "May", "S", "above average", "Black & White", "I-9",
    "Total War", "rest room", "Other side", "Jean-Luc", "C++", "F-16", "W-2", "Q&A", "Mr. Mon-",
]  # fmt: skip


def test_ordinary_texts_are_neither_refused_nor_warned_about():
    found = column(*ORDINARY)
    assert messages(found) == ([], [])
    assert found.tables[0].space["a"].values == tuple(ORDINARY)
    assert messages(column("under " + 20 * "very " + "old")) == ([], [])
    for cells in (
        ["A", "A+", "Level 2+"], ["Trinidad y Tobago", "rock and roll"], ["smoker", "non-smoker"],
        ["yes", "no", '"Y"', '"N"'], ["N", "NO", "O", "SO"],  # directions
    ):  # fmt: skip
        assert column(*cells).errors == []
        assert not any("values" in text for text in reasons(column(*cells).warnings))


def test_texts_that_may_be_several_values_are_read_with_a_warning():
    for text, advice in (
        ("DE and AT", "write DE, AT for either value"),
        ("CH & FR", "write CH, FR for either value"),
        ("IT und HR", "write IT, HR for either value"),
        ("Level 2+", "write the values one by one for a range"),
    ):
        [warning] = column("Level 2", text).warnings
        assert warning.reason == (
            f'{text!r} is read as one text; {advice}, or "{text}" in quotes to avoid this warning'
        )
        assert column("Level 2", f'"{text}"').warnings == []
    assert len(column("media y baja", "alta").warnings) == 1
    assert len(column("tarde o noche", "mañana").warnings) == 1


def test_texts_that_combine_values_of_their_column_are_rejected():
    for *others, text, values in (
        ("m", "w", "m/w", "'m' and 'w' are values"),
        ("low", "mid", "high", "mid-high", "'mid' and 'high' are values"),
        ("Gold", "Gold and above", "'Gold' is a value"),
        ("DE", "AT", "DE bzw. AT", "'DE' and 'AT' are values"),
        ("DE", "AT", "de at", "'de' and 'at' are values"),
    ):
        cells = *others, text
        assert reasons(column(*cells).errors) == [
            f"{text!r} is ambiguous, because {values} of the column; write the values that it means"
            f' one by one, or "{text}" in quotes for the text'
        ]
        quotes = [f'"{cell}"' for cell in cells]
        assert column(*quotes).errors == []
        space = Space([Categorical("a", [*cells, "x"])])
        rows = "".join(f'"{cell.replace(chr(34), chr(34) * 2)}",1\n' for cell in quotes)
        assert loads_csv(f"a,then\n{rows}", space=space).errors == []


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
    def told(cells):
        found = column(*(cell.replace("_", " ") for cell in cells.split()))
        assert found.errors == []
        return reasons(found.warnings)

    for cells, reason in DOUBTFUL:
        assert any(text.startswith(reason) for text in told(cells)), cells
    for cells in DIFFERENT:
        assert not any("looks like" in text for text in told(cells)), cells
    warning = warning_of("age,route\n1,auto\n2,aut0\n")  # among outcomes
    assert "'aut0' occurs once and looks like 'auto'" in warning
    table_of('age,route\n1,auto\n2,"""aut0"""\n')
    for cell in ("-", "–"):
        assert warning_of(f"age,class\n< 18,A\n18+,{cell}\n").endswith(
            f'read as the text "{cell}"; write the outcome, or "{cell}" in quotes to avoid this'
            " warning"
        )
        table_of(f'age,class\n18+,"""{cell}"""\n')


words = st.sampled_from(
    ["Mon-Fri", "A-C", "S-L", "P1-P3", "Q3+", "DE and AT", "DE", "AT", "Total", "Default", "yes",
     "No", "NO", "EU except DE", "under $5k", "before Jan 2026", "2026-01", "2-door", "€ 5",
     "1,000", "-18"]
)  # fmt: skip


@given(st.lists(words, min_size=1, max_size=5, unique=True), words)
def test_texts_are_written_so_that_they_are_read_back(texts, then):
    """Quotes keep what would be read as something else."""
    space = Space([Categorical("a", texts, other=True), Continuous("age")])
    rules = [Rule({"a": [text]}, then=f"{then} {text}") for text in texts]
    rules = RuleSet([*rules, Rule({"age": (5, 6)}, then=then)], space)
    found = loads_csv(dumps_csv(rules), space=space)
    assert found.errors == []
    assert found.tables[0].rules == rules


def test_yes_and_no_may_be_in_any_case_or_beside_true():
    found = column("yes", "No", "YES", "no")
    assert messages(found) == ([], [])
    assert found.tables[0].space["a"] == Categorical("a", ["yes", "no"])
    assert rules_of(found)[2] == 'IF a in {yes} THEN "row 2"'
    assert "'YES' is read as yes" in str(found.readings[0])
    space = Space([Categorical("a", ["yes", "no", "YES", "No"])])
    found = loads_csv("a,then\nyes,1\nYES,2\nno,3\n", space=space)
    assert rules_of(found)[1] == "IF a in {YES} THEN 2"
    found = column(True, "no", "Yes")
    assert found.errors == []
    assert found.tables[0].space["a"] == Categorical("a", [False, True])
    assert "'no' is read as false" in str(found.readings[0])
    assert reasons(column(True, "maybe").errors) == ['"maybe" is not true or false']


# --- units and notations


def test_outcomes_have_one_currency_and_are_all_percentages_or_none():
    errors = reasons(column_of_outcomes("5 £", "$5", "5 €").errors)
    assert errors == ["the column mixes $ and £ and €; use one unit per column"]
    found = loads_csv("Age,Premium (EUR)\n1,5 €\n2,6 EUR\n3,7\n")  # in two ways, or left out
    assert found.errors == []
    assert found.readings[0].units == {"Premium (EUR)": "€"}
    assert loads_csv("Price in EUR,f\n< 5 €,a\n").errors == []
    assert column_of_outcomes("10%", "0", "none").errors == []
    [error] = column_of_outcomes("10%", "0.1", "0").errors
    assert (error.line, error.reason.split(",")[0]) == (3, "the column mixes percentages")


def column_of_outcomes(*cells):
    return loads_csv("age,then\n" + "".join(f'{n},"{cell}"\n' for n, cell in enumerate(cells)))


def test_rules_in_two_currencies_are_not_compared():
    euros, dollars, bare = (table_of(f"age,fare\n< 18,5{sign}\n") for sign in (" €", " $", ""))
    message = r"outcome 'fare' is in € in one table and in \$ in the other; use one unit"
    with pytest.raises(SpaceError, match=message):
        irenic.diff(euros, dollars)
    assert irenic.diff(euros, bare).same
    assert irenic.diff(euros, euros).same


def test_amounts_are_counted_as_they_are_written():
    found = loads_csv("age;premium\n< 18;649,00 €\n18-40;649\n41-50;649 €\n51+;649,01 €\n")
    premium = found.readings[0].columns[1]
    assert [cell[:1] + cell[2:] for cell in premium.interpreted] == [
        ("649,00 €", 1, "line 2"),
        ("649 €", 1, "line 4"),
        ("649,01 €", 1, "line 5"),
    ]
    found = column("0-2 kg", "> 2 kg", name="Weight")
    assert str(found.readings[0]).splitlines()[0] == (
        "Weight: condition: numbers (kg), at least 0; '0-2 kg' is read as [0..2]; '> 2 kg' is read"
        " as > 2"
    )
    assert column("< 6 months", "6+", name="Age (months)").errors == []


def test_round_numbers_in_the_other_notation_are_rejected():
    for one, other in (("1.000", "1,000.50"), ("20.000", "1,500,000"), ("1,000", "1.000,50")):
        [reason, *_] = reasons(column_of_outcomes(one, other).errors)
        assert reason.startswith(f"numbers are written in two ways, {other!r} and {one!r}")
    for one, other in (("1.125", "1,000.50"), ("1.000", "2.5")):
        [first, _] = column_of_outcomes(one, other).tables[0].rules
        assert first.then == float(one)


def test_numbers_in_text_are_not_read_as_those_of_a_table_with_commas():
    parsed = irenic.parse("Alter;Beitrag\n< 18;1.249,90 €\n18-25;899,50 €\n", format="csv")
    draft, space = parsed.drafts[0], parsed.bind().table().space
    for text, message in (
        ("ALWAYS Beitrag >= 1.000",
         r"^'1\.000' is ambiguous; write 1000 if the point separates thousands, or 1\.0000 if it is"
         " a decimal point; numbers of the table have a decimal comma, those of rules, cases and"
         " properties a decimal point$"),
        ("IF Alter < 5 THEN 899,50", r"'899,50' has a decimal comma; write 899\.50, because"),
    ):  # fmt: skip
        with pytest.raises(FormatError, match=message):
            in_notation(text, space, draft)
    for text in (
        "ALWAYS Beitrag in {649,599} WHERE Alter < 1.0000", "IF Alter < 5 THEN (1,2)",
        'IF Alter < 5 THEN "1.000"', "Alter=30,Region=A", "IF Alter < 5 THEN 899.5",
    ):  # fmt: skip
        assert in_notation(text, space, draft) == text
    plain = irenic.parse("Alter,Beitrag\n< 18,1249.9\n", format="csv")
    assert in_notation("Alter < 1.000", space, plain.drafts[0]) == "Alter < 1.000"
    parsed = irenic.parse("age,rate\n< 18,10%\n", format="csv")
    space = parsed.bind().table().space
    assert in_notation("ALWAYS rate <= 10%", space, parsed.drafts[0]) == "ALWAYS rate <= 0.1"


def test_ends_of_ranges_with_separators_and_full_width_digits():
    assert error_of("Sum,Class\n$0-$49.99,A\n$50.00-10.000,B\n").endswith(
        "the range ends before it begins: 50.00 to 10.000; write 10000 if its point separates"
        " thousands"
    )
    found = column("\uff11\uff18-25", ">= \uff12\uff16")
    assert [str(rule.region) for rule in found.tables[0].rules] == ["18 <= a <= 25", "a >= 26"]
    assert table_of("a,then\n1,\uff15\n").rules[0].then == 5


def test_a_case_with_another_unit_is_rejected():
    space = Space([Continuous("Age"), Continuous("Waiting days")])
    with pytest.raises(DataError, match="'24 months' is in months, but the numbers of the rules"):
        read_cases(Table({"Age": np.array(["24 months"], dtype=object)}), space)
    table = Table({"Waiting days": np.array(["24 days"], dtype=object)})
    assert read_cases(table, space).table["Waiting days"].tolist() == [24]


# --- cells of workbooks


@pytest.mark.parametrize(("cells", "reason"), [
    ([dt.datetime(2026, 5, 10), "11-17", "18+"],
     "2026-05-10 is not a whole number; a spreadsheet may have turned 5-10 or 10-5 into this date;"
     " format the cell as text and write the range again"),
    ([dt.datetime(2026, 1, 1), 45000, "> 2026-06-30"],
     "45000 is not a date such as 2026-01-31; format the cell as a date if it is 2023-03-15"),
    (["< 5", "unknown"], '"unknown" is not a whole number; write null for a missing value'),
    (["< 5", "Rest of world"],
     '"Rest of world" is not a whole number; write DEFAULT in the first column of a row without'
     " conditions for all other cases"),
])  # fmt: skip
def test_errors_about_cells_of_another_kind_say_what_may_be_meant(cells, reason):
    found = column(*cells)
    assert (reasons(found.errors), found.warnings) == ([reason], [])


def test_dates_that_may_have_been_ranges_cause_a_warning():
    def told(*days, name="Claims"):
        cells = [dt.datetime.fromisoformat(f"{day}T00:00") for day in days]
        return reasons(column(*cells, name=name).warnings)

    turned = "2026-03-01", "2026-06-04", "2026-12-07"
    assert told(*turned)[-1] == (
        "read as dates, but a spreadsheet may have turned ranges into them, such as 1-3 into"
        " 2026-03-01; format the cells as text and write the ranges again"
    )
    for texts in (
        told("2026-03-01", "2026-04-09"),
        told("2026-03-01", "2026-04-02"), told("2025-03-01", "2026-04-02"),
    ):  # fmt: skip
        assert not any("turned" in text for text in texts)


def test_percentages_of_workbooks_are_read_as_shown():
    def percentages(*rows, places, form):
        book = book_of(*rows)
        for place in places:
            book.active[place].number_format = form
        return loads_xlsx(saved(book))

    rows = ["Discount", "Rate"], [0.1, 0.05], [0.125, 0.07], [">30%", 0.2]
    found = percentages(*rows, places=["A2", "A3", "A4", "B2", "B3", "B4"], form="0.0%")
    assert rules_of(found) == [
        "IF Discount = 0.1 THEN 0.05",
        "IF Discount = 0.125 THEN 0.07",
        "IF Discount > 0.3 THEN 0.2",
    ]
    assert str(found.readings[0]).splitlines()[0] == (
        "Discount: condition: numbers (%); '10%' is read as 0.1; '12.5%' is read as 0.125; '>30%'"
        " is read as > 0.3"
    )
    # whatever separates the decimals of other cells
    rows = ["share", "amount", "f"], [0.01125, "< 1.000,50", 0], [1, ">= 1.000,50", 1]
    assert rules_of(percentages(*rows, places=["A2", "A3", "C2"], form="0.000%")) == [
        "IF share = 0.01125 AND amount < 1000.5 THEN 0",
        "IF share = 1 AND amount >= 1000.5 THEN 1",
    ]


def test_hidden_and_struck_out_rows_cause_a_warning():
    book = book_of(["Age", "Old", "Fee"], ["<18", "a", 5], ["<18", "b", 9], ["18+", "a", 7])
    book.active.row_dimensions[3].hidden = True
    book.active.column_dimensions["B"].hidden = True
    assert reasons(loads_xlsx(saved(book)).warnings) == [
        "row 3 and column B are hidden, but read like the others; delete what is not meant"
    ]
    book = book_of(["Age", "Class"], ["< 18", "A"], ["18-64", "OLD"], ["18-64", "B"])
    for cell in book.active[3]:
        cell.font = Font(strike=True)
    assert reasons(loads_xlsx(saved(book)).warnings) == [
        "row 3 is struck out, but read like the others; delete what is not meant"
    ]


def test_names_with_line_breaks_may_be_typed_in_one_line():
    book = book_of(["Age\n(years)", "Zone\n2", "f"], ["< 18", "x", "a"], ["18+", "y", "b"])
    space = loads_xlsx(saved(book), ignore="Zone 2").tables[0].space
    assert space.names == ("Age\n(years)",)
    assert in_notation("Age (years) = 5", space) == '"Age\\n(years)" = 5'


# --- columns


def test_whole_numbers_that_may_have_fractions_are_remarked():
    for name in ("Sum insured (T€)", "Premium (€)"):
        remark = f"{name} is read as whole numbers, as its cells are; declare it as number"
        [reading] = column("1-30", "31+", name=name).readings
        assert any(text.startswith(remark) for text in reading.remarks)
        for cells in (("<= 30", "> 30"), ("1-30", "30.5+")):
            assert "whole numbers, as" not in str(column(*cells, name=name).readings[0])
    assert "whole numbers, as" not in str(column("1-30", "31+", name="Age").readings[0])
    (feature,) = column("0-50", "> 50", name="Sum insured\n(T€)").tables[0].space
    assert (feature.name, feature.unit) == ("Sum insured\n(T€)", "T€")  # no tonnes


def test_ages_that_begin_with_0_are_never_negative():
    for text in ("Age,f\n0-17,a\n18+,b\n", "Age from,Age to,f\n0,17,a\n18,,b\n"):
        table = table_of(text)
        assert table.space["Age"] == Continuous("Age", kind="integer", bounds=(0, None))
        assert table.provenance.reading.remarks == (
            "Age is taken to be at least 0, as its cells are; declare it under the header if not",
        )
    for text in (
        "Age,f\n1-17,a\n18+,b\n", "Age,f\n<0,x\n0-17,a\n",
        "Age,f\ninteger,text\n0-17,a\n18+,b\n",
    ):  # fmt: skip
        assert loads_csv(text).tables[0].space.features[0].bounds == (None, None)


def test_cells_and_outcomes_that_may_mean_others_cause_a_warning():
    text = "Age,Plan,Fee\n18-25,Basic,1\n,Plus,2\n26-40,{},3\n,{},4\n"
    assert warning_of(text.format("Basic", "Plus")) == (
        "line 3: column 'Age': empty cells are read as any value; if they mean the value above,"
        " repeat it in every row"
    )
    [reading] = loads_csv(text.format("Basic", "Plus")).readings
    assert "2 empty cells accept any value, first at line 3" in str(reading)
    table_of(text.format("Other plan", "Extra"))
    table_of("who;group\na;18-25\nb;old\n")


def test_chosen_outcomes_settle_what_the_other_columns_are():
    text = "Age,Price,Desk\n<18,5,A\n18+,10,B\n"
    assert loads_csv(text, target=["Price", "Desk"]).tables[0].outputs == ("Price", "Desk")
    roles = {"Price": "condition", "Desk": "outcome"}
    assert loads_csv(text, roles=roles).tables[0].space.names == ("Age", "Price")
    cross = "Age,DE,AT\n<18,1,2\n18+,3,4\n"
    assert loads_csv(cross, cross="country").tables[0].space.names == ("Age", "country")
    assert loads_csv(cross, target="AT").errors == []
    assert loads_csv(cross, space=Space([Continuous("Age"), Continuous("DE")])).errors == []
    for text in (
        "Age,under 5,5-10\n18-25,A,B\n26-64,B,C\n",
        "Age,North,South\n18-25,900,950\n26-64,600,650\n65+,700,750\n",
    ):
        [doubt] = parse_csv(text.encode()).drafts[0].doubts
        assert "may be values of one condition in a cross table" in doubt.reason
        assert loads_csv(text, cross="other").tables[0].space.names == ("Age", "other")
    for text in (
        "Age,Doors,Seats,Price\n18-25,3,5,900\n26-64,5,4,600\n",
        "Age,Width,Price\n18-25,90,95\n26-64,60,66\n65+,70,75\n",
        "Age,Width,Height,Price\n18-25,20,25,30\n26-64,20,28,22\n",
    ):
        assert not any("cross table" in text for text in reasons(loads_csv(text).errors))
    rules = "IF age < 9 AND price = 5 THEN a\nIF age >= 9 AND price = 7 THEN b\n"
    found = loads_csv(dumps_csv(irenic.loads(rules, format="rules")))
    assert (found.errors, found.tables[0].space.names) == ([], ("age", "price"))


def test_rows_for_all_other_cases_and_columns_beside_errors_are_in_the_reading():
    [reading] = loads_csv("a,then\nx,1\ny,2\nelse,3\n").readings
    assert reading.remarks == ("line 4 decides all other cases",)
    [reading] = loads_csv("age,job,then\n< 18,cook,1\n18 apples,nurse,2\n").readings
    assert [str(column) for column in reading.columns] == [
        "condition: whole numbers",
        "condition: cook, nurse or other values",
        "outcome: 1, 2",
    ]


def test_footnotes_are_skipped_but_not_rows_without_an_outcome():
    for last, skipped in (
        ("* from 2026 on", True), ("Source: finance", True), ("Stand: 1.1.2026", True),
        ("\nvalid until further notice", True), ("valid until further notice", False),
        ("\n18 to 25", False), ("\nbetween 18 and 25", False), ("*", False), ("nurse", False),
    ):  # fmt: skip
        found = loads_csv(f"a,then\nx,1\ny,2\n{last},\n")
        assert (found.errors == []) == skipped, last
        assert any("footnote" in remark for remark in found.readings[0].remarks) == skipped


def test_scales_exceptions_and_comparisons_in_several_languages():
    for cell in ("10-20k", "1 - 3 Mio", "5-10m EUR"):
        assert "is ambiguous; write " in error_of(f"Salary;Bonus\n0-5;1\n{cell};2\n")
    for cell in ("tous sauf FR", "alle außer FR", "sauf FR", "todos menos FR"):
        found = loads_csv(f"Pays;Frais\nFR;5\n{cell};10\n")
        assert rules_of(found)[1] == "IF Pays not in {FR} THEN 10"
    for cell in ("under 18 or over 65", "unter 18 oder über 65", "<18 or >65"):
        found = loads_csv(f"Age;Fee\n{cell};5\n18-65;9\n")
        assert rules_of(found)[:2] == ["IF Age < 18 THEN 5", "IF Age > 65 THEN 5"]
    assert table_of("Age [],Fee\n<18,5\n").space.names == ("Age []",)
