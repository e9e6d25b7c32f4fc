"""Words and columns that are more than they seem, and ordinary ones that are not."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

import irenic
from bound import book_of, column, loads_csv, loads_xlsx, messages, reasons, rules_of, saved
from irenic import Categorical, Continuous, Rule, RuleSet, Space
from irenic.formats.sheets._sequences import listed_words
from irenic.formats.sheets.writing import dumps_csv

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


ORDINARY = [
    "T-shirt", "X-ray", "Rock and Roll", "Trinidad and Tobago", "AT&T", "B-52", "2-door", "R&D",
    "1st class", "Jan 2026", "A+", "AB-", "non-EU", "part-time", "over the counter",
    "Boeing 747-400",
    "e-mail", "COVID-19", "Sun", "May", "S", "above average", "Black & White", "I-9", "Total War",
    "rest room", "Other side", "Jean-Luc", "C++", "F-16", "W-2", "Q&A", "Mr. Mon-",
]  # fmt: skip


def test_ordinary_texts_are_neither_refused_nor_warned_about():
    found = column(*ORDINARY)
    assert (reasons(found.errors), reasons(found.warnings)) == ([], [])
    assert found.tables[0].space["a"].values == tuple(ORDINARY)


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
    assert warning.line == 3
    assert column("A", "A+", "Level 2+").warnings == []
    assert len(column("media y baja", "alta").warnings) == 1
    assert len(column("tarde o noche", "mañana").warnings) == 1
    assert column("Trinidad y Tobago", "rock and roll").warnings == []


@pytest.mark.parametrize(("cells", "values"), [
    (["m", "w", "m/w"], "'m' and 'w' are values"),
    (["low", "mid", "high", "mid-high"], "'mid' and 'high' are values"),
    (["Gold", "over Gold"], "'Gold' is a value"), (["Gold", "Gold and above"], "'Gold' is a value"),
    (["DE", "AT", "DE u. AT"], "'DE' and 'AT' are values"),
    (["DE", "AT", "DE bzw. AT"], "'DE' and 'AT' are values"),
    (["DE", "AT", "DE AT"], "'DE' and 'AT' are values"),
    (["DE", "AT", "de at"], "'de' and 'at' are values"),
])  # fmt: skip
def test_texts_that_combine_values_of_their_column_are_rejected(cells, values):
    [error] = column(*cells).errors
    assert error.reason == (
        f"{cells[-1]!r} is ambiguous, because {values} of the column; write the values that it"
        f' means one by one, or "{cells[-1]}" in quotes for the text'
    )
    assert column(*(f'"{cell}"' for cell in cells)).errors == []
    space = Space([Categorical("a", [*cells, "x"])])
    rows = "\n".join(f'"""{cell}""",{n}' for n, cell in enumerate(cells))
    assert loads_csv(f"a,then\n{rows}\n".encode(), space=space).errors == []


words = st.sampled_from(
    ["Mon-Fri", "A-C", "S-L", "P1-P3", "Q3+", "DE and AT", "DE", "AT", "Total", "Default", "yes",
     "No", "NO", "EU except DE", "under $5k", "before Jan 2026", "2026-01", "2-door", "€ 5",
     "1,000", "-18"]
)  # fmt: skip


@given(st.lists(words, min_size=1, max_size=5, unique=True), words)
def test_texts_are_written_so_that_they_are_read_back(texts, then):
    """Quotes keep what would be read as something else."""
    space = Space([Categorical("a", texts, other=True), Continuous("age")])
    rules = RuleSet([Rule({"a": [text]}, then=f"{then} {text}") for text in texts], space)
    rules = RuleSet([*rules, Rule({"age": (5, 6)}, then=then)], space)
    found = loads_csv(dumps_csv(rules).encode(), space=space)
    assert found.errors == []
    assert found.tables[0].rules == rules


WEEK = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]


@given(st.sampled_from(WEEK), st.integers(2, 7))
def test_a_range_of_days_has_each_day_once(first, length):
    """The days are those that one counts on a calendar."""
    days = [WEEK[(WEEK.index(first) + n) % 7] for n in range(length)]
    assert listed_words(f"{first}-{days[-1]}") == ", ".join(days)


# --- yes and no


def test_yes_and_no_may_be_in_any_case_or_beside_true():
    found = column("yes", "No", "YES", "no")
    assert messages(found) == ([], [])
    assert found.tables[0].space["a"] == Categorical("a", ["yes", "no"])
    assert rules_of(found)[2] == 'IF a in {yes} THEN "row 2"'
    assert "'YES' is read as yes" in str(found.readings[0])
    space = Space([Categorical("a", ["yes", "no", "YES", "No"])])
    found = loads_csv(b"a,then\nyes,1\nYES,2\nno,3\n", space=space)
    assert rules_of(found)[1] == "IF a in {YES} THEN 2"
    found = column(True, "no", "Yes")
    assert found.errors == []
    assert found.tables[0].space["a"] == Categorical("a", [False, True])
    assert "'no' is read as false" in str(found.readings[0])
    assert reasons(column(True, "maybe").errors) == ['"maybe" is not true or false']


# --- cells of another kind


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


def percentages(*rows, places, form):
    """Return a table of rows with a format for percentages at some places."""
    book = book_of(*rows)
    for place in places:
        book.active[place].number_format = form
    return loads_xlsx(saved(book))


def test_percentages_of_workbooks_are_read_as_shown():
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
    assert rules_of(percentages(*rows, places=["A2", "A3", "C2"], form="0.00%")) == [
        "IF share = 0.01125 AND amount < 1000.5 THEN 0",
        "IF share = 1 AND amount >= 1000.5 THEN 1",
    ]


def test_units_are_read_and_said():
    found = column("0-2 kg", "> 2 kg", name="Weight")
    assert str(found.readings[0]).splitlines()[0] == (
        "Weight: condition: numbers (kg), at least 0; '0-2 kg' is read as [0..2]; '> 2 kg' is read"
        " as > 2"
    )
    assert column("< 6 months", "6+", name="Age (months)").errors == []


def test_outcomes_that_look_like_conditions_are_warned_about():
    [warning] = loads_csv("who;amount\na;bis 500,- €\nb;über 5.000,- €\n".encode()).warnings
    assert warning.reason == (
        "the outcomes look like conditions; if the outcome is another column, choose it with"
        " target=… (--outcome)"
    )
    assert loads_csv(b"who;group\na;18-25\nb;old\n").warnings == []


# --- columns


def test_ages_that_begin_with_0_are_never_negative():
    for text in ("Age,f\n0-17,a\n18+,b\n", "Age from,Age to,f\n0,17,a\n18,,b\n"):
        found = loads_csv(text.encode())
        assert found.tables[0].space["Age"] == Continuous("Age", kind="integer", bounds=(0, None))
        assert found.readings[0].remarks == (
            "Age is taken to be at least 0, as its cells are; declare it under the header if not",
        )
    for text in ("Balance,f\n0-17,a\n18+,b\n", "Age,f\n1-17,a\n18+,b\n", "Age,f\n<0,x\n0-17,a\n"):
        feature = loads_csv(text.encode()).tables[0].space.features[0]
        assert feature.bounds == (None, None)
    declared = loads_csv(b"Age,f\ninteger,text\n0-17,a\n18+,b\n").tables[0].space["Age"]
    assert declared.bounds == (None, None)


def test_empty_cells_that_may_mean_the_value_above_are_warned_about():
    text = b"Age,Plan,Fee\n18-25,Basic,1\n,Plus,2\n26-40,Basic,3\n,Plus,4\n"
    found = loads_csv(text)
    assert [str(warning) for warning in found.warnings] == [
        "line 3: column 'Age': empty cells are read as any value; if they mean the value above,"
        " repeat it in every row"
    ]
    assert "2 empty cells accept any value, first at line 3" in str(found.readings[0])
    ordinary = b"Age,Plan,Fee\n18-25,Basic,1\n,Plus,2\n26-40,Other plan,3\n,Extra,4\n"
    assert loads_csv(ordinary).warnings == []


def test_tables_are_written_so_that_columns_stay_conditions():
    text = "IF age < 9 AND price = 5 THEN a\nIF age >= 9 AND price = 7 THEN b\n"
    rules = irenic.loads(text, format="rules")
    found = loads_csv(dumps_csv(rules).encode())
    assert found.errors == []
    assert found.tables[0].space.names == ("age", "price")


def test_a_chosen_outcome_settles_what_the_other_columns_are():
    text = b"Age,Price,Desk\n<18,5,A\n18+,10,B\n"
    assert loads_csv(text, target=["Price", "Desk"]).tables[0].outputs == ("Price", "Desk")
    assert loads_csv(text, target="Desk").tables[0].space.names == ("Age", "Price")
    cross = b"Age,DE,AT\n<18,1,2\n18+,3,4\n"
    assert loads_csv(cross, cross="country").tables[0].space.names == ("Age", "country")
    assert loads_csv(cross, target="AT").errors == []
    space = Space([Continuous("Age"), Continuous("DE")])
    assert loads_csv(cross, space=space).errors == []


def test_hidden_rows_and_columns_are_warned_about():
    book = book_of(["Age", "Old", "Fee"], ["<18", "a", 5], ["<18", "b", 9], ["18+", "a", 7])
    book.active.row_dimensions[3].hidden = True
    book.active.column_dimensions["B"].hidden = True
    assert reasons(loads_xlsx(saved(book)).warnings) == [
        "row 3 and column B are hidden, but read like the others; delete what is not meant"
    ]


def test_rows_for_all_other_cases_and_columns_beside_errors_are_in_the_reading():
    [reading] = loads_csv(b"a,then\nx,1\ny,2\nelse,3\n").readings
    assert reading.remarks == ("line 4 decides all other cases",)
    [reading] = loads_csv(b"age,job,then\n< 18,cook,1\n18 apples,nurse,2\n").readings
    assert [str(column) for column in reading.columns] == [
        "condition: whole numbers",
        "condition: cook, nurse or other values",
        "outcome: 1, 2",
    ]


@pytest.mark.parametrize(("last", "skipped"), [
    ("* from 2026 on", True), ("Source: finance", True), ("Stand: 1.1.2026", True),
    ("\nvalid until further notice", True), ("valid until further notice", False),
    ("\n18 to 25", False), ("\nbetween 18 and 25", False), ("*", False), ("nurse", False),
])  # fmt: skip
def test_footnotes_are_skipped_but_not_rows_without_an_outcome(last, skipped):
    found = loads_csv(f"a,then\nx,1\ny,2\n{last},\n".encode())
    assert (found.errors == []) == skipped
    assert any("footnote" in remark for remark in found.readings[0].remarks) == skipped


def test_scales_exceptions_and_comparisons_in_several_languages():
    for cell in ("10-20k", "1 - 3 Mio", "5-10m EUR"):
        [error] = loads_csv(f"Salary;Bonus\n0-5;1\n{cell};2\n").errors
        assert "is ambiguous; write " in str(error)
    for cell in ("tous sauf FR", "alle außer FR", "sauf FR", "todos menos FR"):
        found = loads_csv(f"Pays;Frais\nFR;5\n{cell};10\n")
        assert rules_of(found)[1] == "IF Pays not in {FR} THEN 10"
    for cell in ("under 18 or over 65", "unter 18 oder über 65", "<18 or >65"):
        found = loads_csv(f"Age;Fee\n{cell};5\n18-65;9\n")
        assert rules_of(found)[:2] == ["IF Age < 18 THEN 5", "IF Age > 65 THEN 5"]
    assert loads_csv("Age [],Fee\n<18,5\n").tables[0].space.names == ("Age []",)
