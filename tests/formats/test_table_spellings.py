"""Cells of spreadsheets as people write them: each with one meaning, or an error."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

import irenic
from bound import error_of, loads_csv, messages, quoted, reasons, rules_of
from irenic import Categorical, Continuous
from irenic.errors import FormatError
from irenic.formats.cells import reading
from irenic.formats.cells.locales import Locale, locale_of, settled_by
from irenic.formats.cells.values import value_text
from irenic.formats.feel.sets import feel_text
from irenic.formats.feel.unary_tests import parse


def read(*cells, header="a", **options):
    rows = "".join(f"{quoted(cell)};= {n};A\n" for n, cell in enumerate(cells))
    return loads_csv(f"{header};b;then\n{rows}".encode(), **options)


READ = [
    ("18-25", "[18..25]"), ("18 – 25", "[18..25]"), ("18 to 25", "[18..25]"),
    ("18..25", "[18..25]"), ("18 ... 25", "[18..25]"), ("[18-25)", "[18..25)"),
    ("[18;25]", "[18..25]"), ("-5-5", "[-5..5]"), ("-5 to -3", "[-5..-3]"),
    ("between 18 and 25", "[18..25]"), ("from 18 to 25", "[18..25]"),
    ("zwischen 18 und 25", "[18..25]"), ("18 bis 25", "[18..25]"), ("65+", ">= 65"),
    ("65 or more", ">= 65"), ("65 and older", ">= 65"), ("5 or less", "<= 5"), ("under 18", "< 18"),
    ("Less than 18", "< 18"), ("unter 18", "< 18"), ("over 65", "> 65"), ("über 65", "> 65"),
    ("at least 18", ">= 18"), ("from 18", ">= 18"), ("ab 18", ">= 18"), ("up to 18", "<= 18"),
    ("max. 5", "<= 5"), ("no more than 5", "<= 5"), ("at least 2020-01-31", ">= 2020-01-31"),
    ("before 31.12.2026", "< 2026-12-31"), ("<> 5", "not(5)"), ("=> 5", ">= 5"), ("=<18", "<= 18"),
    ("=>18 and <25", "[18..25)"), ("10 <= a < 20", "[10..20)"), ("20 > A >= 10", "[10..20)"),
    ("a > 5", "> 5"), ("5 < x", "> 5"), ("a >= 10 and a < 20", "[10..20)"),
    ("over 18 and under 65", "(18..65)"), ("at least 18 but less than 25", "[18..25)"),
    ("10%", "0.1"), ("< 12.5 %", "< 0.125"), ("10-20%", "[0.1..0.2]"), ("€ 1.200,50", "1200.5"),
    ("$1,200.50", "1200.5"), ("99.5 EUR", "99.5"), ("> £ 5.5", "> 5.5"), ("(500)", "-500"),
    ("(€ 5.50)", "-5.5"), ("1 000", "1000"), ("1'000", "1000"), ("1.000.000", "1000000"),
    ("1,000,000", "1000000"), ("−5", "-5"), ("31/12/2026", "2026-12-31"),
    ("12/31/2026", "2026-12-31"), ("01.02.2026", "2026-02-01"),
    ("1.1.2026 - 31.12.2026", "[2026-01-01..2026-12-31]"), ("9:00-17:00", "[09:00..17:00]"),
    ("any", "-"), ("ALL", "-"), ("*", "-"), ("don’t care", "-"), ("beliebig", "-"),
    ("not nurse", "not(nurse)"), ("all but nurse", "not(nurse)"), ("not 5", "not(5)"),
    ("NOT(nurse)", "not(nurse)"), ("Not ( nurse, clerk )", "not(nurse, clerk)"),
    ("€ 5 - 7 EUR", "[5..7]"), ("> 5 USD & <= $7", "(5..7]"), ("NOT(1e3)", "not(1000)"),
    ("NOT  fire fighter", "not(fire fighter)"), ("not > 5", "not(> 5)"), ("nicht 5", "not(5)"),
    ("nurse or clerk", "nurse, clerk"), ("a or b or c", "a, b, c"), ("a, b or c", "a, b, c"),
    ("nurse; clerk", "nurse, clerk"), ("nurse | clerk", "nurse, clerk"), ("5;6", "5, 6"),
    ("nurse\nclerk", "nurse, clerk"), ("either nurse or clerk", "nurse, clerk"),
    ("a oder b", "a, b"), ("18 or 25", "18, 25"), ("18-25, 30+", "[18..25], >= 30"),
    ('"a; b" or c', '"a; b", c'), ("“nurse”", "nurse"), ("'nurse'", "nurse"), ("„ja“", "ja"),
    ("“a” or “b”", "a, b"), ("'a'; 'b'", "a, b"), ("not((500))", "not(-500)"),
    ("not (500)", "not(500)"), ("NOT (500)", "not(500)"), ("not((500), 5)", "not(-500, 5)"),
    ("((500))", "-500"), ("[(10)..(5)]", "[-10..-5]"), ("1;(5)", "1, -5"),
]  # fmt: skip


def assert_same(cells, spellings):
    """Assert that cells are read without errors and warnings, and mean the same as spellings."""
    found, expected = read(*cells), read(*spellings)
    assert messages(found) == ([], []), cells
    # units are only known if a cell names them
    assert rules_of(found) == rules_of(expected), cells


def test_a_cell_with_one_meaning_is_read():
    for cell, spelling in READ:
        # a cell that names the excluded value shows that it is one
        excluded = spelling.removeprefix("not(").removesuffix(")")
        more = [excluded] if spelling != excluded and excluded[0].isalpha() else []
        assert_same([cell, *more], [spelling, *more])
    for cell in ("3 (5)", "(5) (6)", "3 kg (5)"):
        assert read(cell).errors != [], cell


@pytest.mark.parametrize(("cells", "spellings"), [
    (["1.000", "1.200,50"], ["1000", "1200.5"]),
    (["[1.000..2.500]", "not(1,5)", "€ 3,50"], ["[1000..2500]", "not(1.5)", "3.5"]),
    (["over 1,000", "2.5"], ["> 1000", "2.5"]), (["1.000", "2.5"], ["1.0", "2.5"]),
    (["1,000 - 2,000", "1,000.50"], ["[1000..2000]", "1000.5"]),
    (["01/02/2026", "31/12/2026"], ["2026-02-01", "2026-12-31"]),
    (["01/02/2026", "12/31/2026"], ["2026-01-02", "2026-12-31"]),
])  # fmt: skip
def test_a_cell_of_the_table_settles_separators_and_dates(cells, spellings):
    assert_same(cells, spellings)


TWO_VALUES = [
    "< {b}, > {a}", "> {a}, < {b}", "<{b},>{a}", ">={a},<={b}", "< {b}; > {a}", "< {b} or > {a}",
    "< {b} > {a}", "> {a} and < {b}", "not(< {a}, > {b})", "not(> {b}; < {a})", "{a}, {b}",
    "{b}; {a}", "not({a}, {b})", "not({a}; {b})", "NOT ({a}, {b})", "not({a})", "not  ({a})",
    "not({b})", "NOT ({b})", "!= {a}", "= {a}", "[{a}..{b}]", "({a}..{b})", "]{a}..{b}[",
    "not([{a}..{b}])", "{a} to {b}", "not({a} to {b})", "over {a}, under {b}", "[{a}..{b}], {b}",
]  # fmt: skip
SPELLED_NUMBERS = [
    ("-5", 18, ["−5", "- 5", "(5)", "( 5 )", "-5 kg", "−5 kg", "- € 5", "(€ 5)", "-€5"]),
    ("-1000", 2500, ["−1000", "-1 000", "−1’000", "(1 000)", "-1k", "(1000)", "−1 000 kg"]),
    ("5", 1200, ["5 kg", "€ 5", "5 EUR", "5.0"]),
]


@pytest.mark.filterwarnings("ignore::irenic.FormatWarning")
@pytest.mark.parametrize(("plain", "high", "spellings"), SPELLED_NUMBERS)
def test_how_a_number_is_written_does_not_change_what_its_cell_means(plain, high, spellings):
    """A cell is refused, or means what it means with the plain number.

    Every other spelling is tried in each template, so that each is in half of them.
    """
    for number, template in enumerate(TWO_VALUES):
        expected = rules_of(read(template.format(a=plain, b=high)))
        for low in spellings[number % 2 :: 2]:
            found = read(template.format(a=low, b=high))
            if not found.errors:
                assert rules_of(found) == expected, (template, low)


def test_a_comma_between_two_signs_means_or_with_any_minus_sign():
    for cell in ("< 18, > -5", "< 18, > −5", "< 18, > (5)", "< 18 kg, > -5 kg", "<18,>−5"):
        found = read(cell)
        assert [str(rule.region) for rule in found.tables[0].rules] == ["b = 0"], cell
        assert [warning.reason for warning in found.warnings] == [
            "the cell accepts every value, because a comma means 'or'; write (-5..18) for a range,"
            " or - for any value"
        ], cell


def test_not_with_a_value_that_no_cell_names_is_rejected():
    for cell in ("not specified", "Not Applicable", "not yet known", "not nurse"):
        value = cell[4:]
        [error] = read("cook", cell).errors
        assert error.line == 3
        assert error.reason == (
            f"{cell!r} is ambiguous; write not({value}) for every value except {value!r}, or"
            f' "{cell}" in quotes for the text'
        )
        assert read(value, cell).errors == []
    [warning] = read("all regions").warnings
    assert warning.reason.startswith("'all regions' is read as text; write - for any value")


def test_a_locale_settles_separators_and_dates():
    for locale, number, day in (
        ("de", 1000, dt.date(2026, 2, 1)), ("en-US", 1.0, dt.date(2026, 1, 2)),
        ("en_GB.UTF-8", 1.0, dt.date(2026, 2, 1)),
    ):  # fmt: skip
        text = b"a;d;then\n1.000;01/02/2026;A\n"
        [rule] = loads_csv(text, locale=locale).tables[0].rules
        assert rule.region.contains({"a": [number], "d": [day]}).all()
    assert reasons(read("2.5", locale="de").errors) == [
        "'2.5' is not a number with the decimal separator ',', which other cells or the locale"
        " settle; write 2,5"
    ]
    assert reasons(read("< 31/12/2026", locale="en-US").errors) == [
        "'31/12/2026' is not a date, read as month and day"
    ]
    with pytest.raises(FormatError, match="unknown locale 'xx'; write a language such as de"):
        locale_of("xx")
    assert locale_of("de-CH").decimal == "."
    assert locale_of("en") == (".", None)


@pytest.mark.parametrize(("cell", "name", "decimal", "spelling"), [
    ("!= -1.200", "", ",", "!= -1200"), ("<> (1.200)", "", ",", "!= -1200"),
    ("≠ ,5", "", ",", "!= 0.5"), ("!= € 5", "", ",", "!= 5"),
    ("< 2,5; (2,5..4,5); > 4,5", "", ",", "< 2.5, (2.5..4.5), > 4.5"),
    ("6am-24:00", "at", "", ">= 06:00"), ("8-24 Uhr", "at", "", ">= 08:00"),
])  # fmt: skip
def test_what_a_cell_means_is_shown_as_a_unary_test(cell, name, decimal, spelling):
    test = reading.read(cell, Locale(decimal), name).test
    assert feel_text(test, words=True) == spelling


def test_units_and_notes_settle_nothing_else():
    assert read("€ 5", "6").tables[0].space["a"] == Continuous("a", unit="€")
    assert read("5%", "6%").tables[0].space["a"] == Continuous("a")  # fractions
    text = "a;Comment;then\n1.000;see 2.5;A\n"
    assert "'1.000' is ambiguous" in error_of(text, ignore="Comment")


@pytest.mark.parametrize(("header", "unit"), [
    ("Price (€)", "€"), ("Value (EUR)", "EUR"), ("Stay (days)", "days"), ("Lot (pcs)", "pieces"),
    ("Output (items/day)", "items/day"), ("Term (months)", "months"), ("Age (optional)", ""),
    ("Rate (%)", ""), ("Plan m", ""),
])  # fmt: skip
def test_a_header_names_the_unit(header, unit):
    found = read("< 5", ">= 5", header=header).tables[0]
    assert found.space[header] == Continuous(header, kind="integer", unit=unit)
    described = str(found.provenance.reading.columns[0])
    assert described == f"condition: whole numbers{f' ({unit})' if unit else ''}"


@pytest.mark.parametrize(("header", "unit"), [
    ("Weight (kg)", "kg"), ("Weight [in kg]", "kg"),
    ("Volume (m³)", "m³"), ("Duration (h)", "hours"),
    ("Size (MB)", "MB"), ("CO2 (g/km)", "g/km"),
])  # fmt: skip
def test_measured_quantities_have_fractions(header, unit):
    [found] = loads_csv(f'"{header}";f\n[0..5];a\n[6..20];b\n> 20;c\n'.encode()).tables
    assert (found.space[header].kind, found.space[header].unit) == ("number", unit)
    assert str(found.provenance.reading.columns[0]).startswith(f"condition: numbers ({unit})")
    assert found.provenance.reading.remarks[0] == (
        f"{header} may have fractions, as it is measured in {unit}; declare it as integer under the"
        " header if not"
    )
    gaps = irenic.gaps(found.rules).regions
    assert any(str(gap).replace(f'"{header}"', header) == f"5 < {header} < 6" for gap in gaps)


def test_units_in_cells_and_pairs_of_bounds_are_measured_too():
    for text, gaps, n_remarks in (
        ("a,f\n0-5 kg,x\n6-20 kg,y\n> 20 kg,z\n", ["5 < a < 6"], 1),
        ("a,f\n0-5 days,x\n6-20 days,y\n> 20 days,z\n", [], 0),
        ("Weight (kg) from,Weight (kg) to,f\n0,5,a\n6,,b\n", ['5 < "Weight kg" < 6'], 1),
        # a declaration makes them whole
        ("Weight (kg),f\ninteger (kg) >= 0,\n[0..5],a\n[6..20],b\n> 20,c\n", [], 0),
        # the cells show fractions
        ("Weight (kg),f\n<= 5.5,a\n> 5.5,b\n", [], 0),
    ):
        [table] = loads_csv(text.encode()).tables
        assert [str(gap) for gap in irenic.gaps(table.rules).regions] == gaps, text
        assert (
            sum("may have fractions" in text for text in table.provenance.reading.remarks)
            == n_remarks
        )


def test_a_name_in_a_cell_may_lack_the_unit_of_its_column():
    for cell in ("18 <= age < 25", "age (years) >= 18 and Age < 25"):
        found = read(cell, header="Age (years)")
        assert rules_of(found)[0].startswith('IF 18 <= "Age (years)" < 25')


def test_whole_numbers_are_integers():
    assert read("18-25", "26-30").tables[0].space["a"] == Continuous("a", kind="integer")
    assert read("18-25", "25.5-30").tables[0].space["a"] == Continuous("a")
    table = read("0-25", "26-30", "31+").tables[0]
    assert not [gap for gap in irenic.gaps(table.rules).regions if "25." in str(gap)]


def test_columns_of_yes_and_no_are_closed():
    for cells, values in (
        (["yes"], ("yes", "no")), (["No"], ("Yes", "No")), (["Y", "N"], ("Y", "N")),
        (["ja", "nein"], ("ja", "nein")), (["JA"], ("JA", "NEIN")),
    ):  # fmt: skip
        closed = Categorical("a", values)
        assert read(*cells, "-").tables[0].space["a"] == closed
        missing = Categorical("a", values, missing=True)
        assert read(*cells, "null").tables[0].space["a"] == missing
    for cells in (["N"], ["yes", "maybe"], ["yes", "nein"]):
        assert read(*cells).tables[0].space["a"].other


def test_the_last_row_may_be_for_all_other_cases():
    for words in ("else,", "otherwise,-", "any,else", "Sonst,*"):
        table = loads_csv(f"age,job,then\n< 5,nurse,A\n{words},B\n".encode()).tables[0]
        assert (table.rules.default, table.n_rows) == ("B", 1)


def test_lists_that_may_be_ranges_cause_warnings():
    assert reasons(read("[18, 25]").warnings) == [
        "read as two values; write [18..25] for a range, or 18, 25 for the two values"
    ]
    assert reasons(read("!= 5, 6").warnings) == [
        "the cell accepts nearly every value, because a comma means 'or'; write not(a, b) for every"
        " value except a and b"
    ]
    [warning] = read(">=18,<30").warnings
    assert warning.reason.startswith("the cell accepts every value")


def test_outcomes_that_are_amounts_are_numbers():
    for cell, then in (
        ("10%", 0.1), ("€ 1.200,50", 1200.5), ("(500)", -500), ("1 000", 1000), ("1,5", 1.5),
        ("1'000,5", 1000.5), *((text, text) for text in ("18-25", "007", "5 days", "yes")),
        ("5", 5),
    ):  # fmt: skip
        [rule] = loads_csv(f"a;then\n5;{cell}\n".encode()).tables[0].rules
        assert (rule.then, type(rule.then)) == (then, type(then))


numbers = st.decimals(-(10**6), 10**6, places=2, allow_nan=False)


@given(numbers, st.sampled_from([",", "."]), st.booleans(), st.sampled_from(["", "€ ", "$"]))
def test_written_numbers_are_read_back(number, decimal, grouped, money):
    text = f"{abs(number):,.2f}" if grouped else f"{abs(number):.2f}"
    if decimal == ",":
        text = text.translate(str.maketrans(",.", ".,"))
    sign = "-" if number < 0 else ""
    assert float(value_text(f"{sign}{money}{text}", Locale(decimal))) == float(number)
    settled, contradiction = settled_by([f"{money}{text}"])
    assert (settled.decimal in (decimal, ""), contradiction) == (True, "")


@given(st.text("0123456789.,-–+%€<>=() ab\n;'/:[]", max_size=12))
def test_what_a_cell_means_is_read_back(text):
    for locale in (Locale(), Locale(",", True), Locale(".", False)):
        try:
            test = reading.read(text, locale, "a").test
        except FormatError:
            continue
        assert parse(feel_text(test)) == parse(feel_text(parse(feel_text(test))))


@given(st.text("0123456789.,-–+%€<>=() anyorte\n;'/", max_size=10))
def test_quoted_text_is_never_respelled(text):
    found = read(quoted(text).replace("\n", " "))
    if not found.errors:
        assert isinstance(found.tables[0].space["a"], Categorical)
