"""Where tables are in sheets, and what their columns are."""

from __future__ import annotations

import pytest

from bound import loads_csv, loads_xlsx, rules_of, workbook
from irenic import Categorical, Continuous, FormatError, Rule, RuleSet, Space
from irenic.formats.sheets.writing import dumps_csv

PLAIN = "age,job,fare\n< 18,-,low\n>= 18,cook,high\n"
RULES = ["IF age < 18 THEN low", "IF age >= 18 AND job in {cook} THEN high"]


def test_titles_repeated_headers_and_blank_rows_are_skipped():
    for text in (
        "Fares 2026\n\n" + PLAIN, "Fares 2026,,\nvalid from January,,\n" + PLAIN,
        ",Fares 2026,\n" + PLAIN, PLAIN.replace(">= 18", "age,job,fare\n>= 18"),
        PLAIN.replace(">= 18", "\n,,\nAge,Job,FARE\n\n>= 18"), PLAIN.replace(">= 18", "\n\n>= 18"),
    ):  # fmt: skip
        assert rules_of(loads_csv(text)) == RULES, text


def test_the_header_the_range_and_the_sheet_can_be_chosen():
    text = "Fares,2026\nwritten by,Bob\n" + PLAIN + "\nsee page,5\n"
    assert rules_of(loads_csv(text, cells="A3:C5")) == RULES
    assert rules_of(loads_csv(text, cells="c5:a3")) == RULES
    assert rules_of(loads_csv("x,y\n" + PLAIN, header_row=2)) == RULES
    rows = [["age", "fare"], ["< 18", "low"], [">= 18", "high"]]
    raw = workbook(One=rows, Two=[["a", "b"], ["under x", "?"]])
    assert [t.name for t in loads_xlsx(raw, sheet="One").tables] == ["One"]
    with pytest.raises(FormatError, match=r"^unknown sheet 'Oen'; did you mean 'One'\?$"):
        loads_xlsx(raw, sheet="Oen")
    for options, message in (
        ({"cells": "A3"}, r"^cells \(--range\) must be a range such as A3:D20, got 'A3'$"),
        ({"cells": "X30:Z40"}, "^the range X30:Z40 is empty$"),
        ({"header_row": 9}, r"^row 9 \(header_row, --header-row\) is empty$"),
    ):
        with pytest.raises(FormatError, match=message):
            loads_csv(PLAIN, **options)


def test_two_tables_in_a_sheet_are_asked_about():
    for text, one, other in (
        (PLAIN + "\nincome,region,tax\n< 5,x,1\n", "A1:C3", "A5:C6"),
        (PLAIN + "\nTaxes\nincome,region,tax\n< 5,x,1\n", "A1:C3", "A5:C7"),
        ("age,fare,,income,tax\n< 5,a,,> 9,1\n,,,<= 9,2\n", "A1:B2", "D1:E3"),
    ):
        with pytest.raises(FormatError) as caught:
            loads_csv(text)
        assert str(caught.value) == (
            f"the sheet contains two tables, in {one} and {other}; choose one with cells='{one}'"
            f" (--range {one})"
        )
        for cells in (one, other):
            assert not loads_csv(text, cells=cells).errors


def test_comments_with_commas_are_titles():
    for delimiter in ",;":
        table = "age,fare 2\n< 18,low\n>= 18,high\n".replace(",", delimiter)
        for comment in (
            "# Fares, desk 4", "#Fares, desk 4, valid from 2026",
            "# Fares, desk 4\n# valid from 2026, to 2027, or later",
            "Fares\n# Fares, desk 4, valid from 2026",
        ):  # fmt: skip
            found = loads_csv(f"{comment}\n{table}")
            assert rules_of(found) == rules_of(loads_csv(table)), comment
            assert "skipped" in found.readings[0].remarks[0]
    for header in ("# items,fee", "# items, fee", "#Items,Fee"):  # columns of counts
        [table] = loads_csv(f"{header}\nany,free\n3,5\n").tables
        assert len(table.rules) == 2


def test_rows_that_are_wider_than_the_header_hint_at_another_header():
    text = b"Fares, desk 4\nage,job,fare\n< 18,-,low\n>= 18,cook,high\n"
    message = (
        r"^line 1: the header names 2 columns, but 3 of 3 rows have more; if the header is in line"
        r" 2, choose it with header_row=2 \(--header-row 2\)$"
    )
    with pytest.raises(FormatError, match=message):
        loads_csv(text)
    assert len(loads_csv(text, header_row=2).tables[0].rules) == 2
    with pytest.raises(FormatError, match=r"but 2 of 2 rows have more$"):
        loads_csv(b"x\nage,job\n< 18,-,low\n>= 18,cook,high\n", header_row=2)
    for text in ("age\n< 18,low\n>= 18,high\n", "age\n18,low\n19,high\n"):  # no title
        with pytest.raises(FormatError, match="columns other than the outcome 'age'"):
            loads_csv(text)


def test_several_outcomes():
    found = loads_csv(b"age,Outcome 1,Outcome 2\n< 18,A,1\n>= 18,B,2\n")
    assert found.tables[0].outputs == ("Outcome 1", "Outcome 2")
    assert [rule.then for rule in found.tables[0].rules] == [("A", 1), ("B", 2)]
    [table] = loads_csv(b"age,Result,job\n< 18,A,= x\n", target="Result").tables
    assert table.outputs == ("Result",)
    # conditions without operators are read back
    space = Space([Continuous("age"), Categorical("Result", ["a", "b"])])
    for conditions in ([{"Result": {"a"}}, {"Result": {"b"}}], [{"Result": {"a"}}, {}]):
        rules = RuleSet([Rule(test, then=n) for n, test in enumerate(conditions)], space)
        assert loads_csv(dumps_csv(rules), space=space).tables[0].rules == rules


def test_cross_tables():
    found = loads_csv("age,north,south or east\nunder 18,5,6\n18+,7,8\n", cross="region")
    assert rules_of(found) == [
        "IF age < 18 AND region in {north} THEN 5",
        "IF age < 18 AND region in {south, east} THEN 6",
        "IF age >= 18 AND region in {north} THEN 7",
        "IF age >= 18 AND region in {south, east} THEN 8",
    ]
    with pytest.raises(FormatError, match="the cell C3 of the cross table is empty"):
        loads_csv(b"age,north,south\n< 18,5,6\n>= 18,7,\n", cross="region")
    with pytest.raises(FormatError, match="the first cell of a cross table must name"):
        loads_csv(b"age,north\n< 18,5\n", cross="region")


def test_errors_name_the_cell_of_a_workbook():
    rows = [["Tariffs"], [], [None, "age", "fare"], [None, "until 5", "low"]]
    [error] = loads_xlsx(workbook(Tariff=rows)).errors
    assert error.place.cell == "B4"
    assert str(error).startswith("line 4: Tariff!B4, rule 1, column 'age', 'until 5': ")
    assert str(error.at(path="t.xlsx")).startswith("t.xlsx, line 4: Tariff!B4, ")
