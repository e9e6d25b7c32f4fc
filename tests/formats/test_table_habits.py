"""Habits of people who write tables: days, minutes, cents, marks, comments, and their cases."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl.comments import Comment

import irenic
from bound import book_of, loads_csv, messages, reasons, repacked, rules_of, saved
from irenic import Categorical, Continuous, DataError, FormatError, Rule, RuleSet, Space
from irenic.formats.cells.sequences import days_meant, whole_list
from irenic.formats.feel.unary_tests import AllOf, AnyOf, Compare, Not
from irenic.formats.sheets._steps import after, extended, touching
from irenic.formats.sheets.cases import in_notation, read_cases
from irenic.formats.tables.drafts import Input, TableDraft, accepted_in
from irenic.frames.columns import Table, as_column


def gaps_of(found):
    return [str(region) for region in irenic.gaps(found.tables[0].as_rules())]


def remarks_of(found):
    return " ".join(found.readings[0].remarks)


def told(text):
    """Return what the warnings about a CSV file say."""
    return reasons(loads_csv(text).warnings)


# --- days, months and quarters


def test_sets_of_days_are_read_in_the_language_of_the_days_beside_them():
    for words, meant in (
        ("Mon,weekdays", "Mon Tue Wed Thu Fri"), ("SAT,WEEKDAYS", "MON TUE WED THU FRI"),
        ("lundi,week-end", "samedi dimanche"), ("Mo,Wochenende", "Sa So"),
        ("ma,za,weekend", "za zo"), ("lunes,entre semana", "lunes martes miércoles jueves viernes"),
    ):  # fmt: skip
        assert days_meant(words.split(",")) == {words.split(",")[-1]: tuple(meant.split())}
    # alone or beside two languages, they stay words
    assert days_meant(["weekdays", "weekend"]) == {}
    assert days_meant(["Mon", "Dienstag", "weekend"]) == {}


def test_weekdays_beside_days_are_days_and_the_reading_says_so():
    found = loads_csv('Day,f\nweekdays,a\n"not(weekend, Mon)",a\nSat,b\nSun,c\n')
    assert gaps_of(found) == []
    [column, _] = found.readings[0].columns
    meanings = {cell.text: cell.meaning for cell in column.interpreted}
    assert meanings["weekdays"] == "Mon, Tue, Wed, Thu, Fri"
    assert meanings["not(weekend, Mon)"] == "not(Sat, Sun, Mon)"
    assert found.tables[0].as_rules().predict({"Day": ["Tue", "Sun"]}).tolist() == ["a", "c"]


def test_words_that_are_declared_or_quoted_keep_their_meaning():
    text = "Day,f\nweekend,a\nMon,b\n"
    space = Space([Categorical("Day", ["weekend", "Mon"], other=True)])
    [rule, _] = rules_of(loads_csv(text, space=space))
    assert rule == "IF Day in {weekend} THEN a"
    found = loads_csv('Day,f\n"""weekend""",a\nMon,b\n')
    assert found.tables[0].space["Day"].values == ("weekend", "Mon")
    [rule, _] = rules_of(loads_csv(text.replace("f\n", 'f\n"one of weekend, Mon",text\n')))
    assert rule == "IF Day in {weekend} THEN a"
    declared = 'Day,f\n"one of Mon, Tue, Wed, Thu, Fri, Sat, Sun",text\nweekdays,a\nweekend,b\n'
    found = loads_csv(declared)
    assert gaps_of(found) == []
    assert list(irenic.check(found.tables[0])) == []


def test_complete_lists_are_closed():
    def when(values):
        rows = "".join(f"{value},{n}\n" for n, value in enumerate(values.split()))
        return loads_csv(f"when,f\n{rows}")

    for values in (
        "Mon-Fri Sat Sun", "January-June July-December", "Q1 Q2 Q3+", "weekday weekend",
        "ma-vr za zo",
    ):  # fmt: skip
        found = when(values)
        assert gaps_of(found) == [], values
        assert not found.tables[0].space["when"].other
        assert "when has no other values" in remarks_of(found)
    for values in ("Mon-Fri Sat", "Jan Feb", "Q1 Q2 Q3", "weekend"):
        assert when(values).tables[0].space["when"].other, values
    found = when("Mon-Sun Holiday")
    assert found.tables[0].space["when"].values[-1] == "Holiday"
    assert gaps_of(found) == []
    assert whole_list(["Mon", "Holiday"]) == ""


# --- ranges one step apart


def test_times_to_the_minute_leave_no_gaps():
    found = loads_csv("t,f\n00:00-07:59,a\n08:00-17:59,b\n18:00-23:59,c\n")
    assert gaps_of(found) == []
    assert "t is written to the minute" in remarks_of(found)
    times = [dt.time(7, 59, 59), dt.time(8), dt.time(23, 59, 59, 999_999)]
    assert found.tables[0].as_rules().predict({"t": times}).tolist() == ["a", "b", "c"]
    found = loads_csv("Time from,Time to,f\n00:00,11:59,a\n12:00,23:59,b\n")
    assert gaps_of(found) == []
    assert found.tables[0].as_rules().predict({"Time": [dt.time(11, 59, 30)]}).tolist() == ["a"]
    # further apart, or with seconds
    assert len(gaps_of(loads_csv("t,f\n00:00-07:58,a\n08:00-20:00,b\n"))) == 2
    assert len(gaps_of(loads_csv("t,f\n00:00-07:59:30,a\n08:00-23:59,b\n"))) == 2


def test_ranges_to_the_cent_leave_no_gaps_but_unary_tests_do():
    found = loads_csv("p,f\n$0-$49.99,a\n$50.00+,b\n")
    assert gaps_of(found) == []
    assert "p is written with two decimals" in remarks_of(found)
    assert gaps_of(loads_csv("kg,f\n<= 49.99,a\n>= 50.00,b\n")) == ["49.99 < kg < 50"]


TIMES = st.times().map(lambda t: t.replace(second=0, microsecond=0))
CLOCK = st.times()


def holds(test, value):
    """Return whether a test holds for a value, by its definition."""
    if isinstance(test, Not):
        return not holds(test.test, value)
    if isinstance(test, AllOf):
        return all(holds(part, value) for part in test.tests)
    if isinstance(test, AnyOf):
        return any(holds(part, value) for part in test.tests)
    orders = {"<": value < test.value, "<=": value <= test.value, "=": value == test.value}
    return orders.get(test.order, not orders.get({">": "<=", ">=": "<"}.get(test.order)))


@given(st.sampled_from(("<", "<=", ">", ">=")), TIMES, CLOCK)
def test_an_extended_test_holds_for_a_time_if_the_test_holds_for_its_minute(order, bound, time):
    test = Compare(order, bound)
    minute = time.replace(second=0, microsecond=0)
    assert holds(extended(test), time) == holds(test, minute)
    assert holds(extended(Not(AnyOf((test,)))), time) == (not holds(test, minute))


@given(st.integers(0, 10**7))
def test_the_next_cent_is_exact(cents):
    assert after(cents / 100) == (cents + 1) / 100


def test_ranges_touch_only_if_one_begins_a_step_after_another():
    ends, starts = Compare("<=", 9.99), Compare(">=", 10.0)
    assert touching([ends, starts])
    for tests in ([ends, Compare(">=", 10.01)], [Compare("<=", 9.999), starts], [starts]):
        assert not touching(tests)


# --- counts


@pytest.mark.parametrize(("table", "n_gaps"), [
    ("Years of service,f\n0-4,a\n5+,b\n", 0), ("Claims,f\n0,a\n1+,b\n", 0),
    ("Order value,f\n$0-$49.50,a\n> $49.50,b\n", 0), ("Kids from,Kids to,f\n0,1,a\n2,,b\n", 0),
    ("Balance,f\n0-4,a\n5+,b\n", 0), ("Temperature,f\n0-4,a\n5+,b\n", 0),
    ("x (°C),f\n0-4,a\n> 4,b\n", 1), ("x,f\n0-4.5,a\n> 4.5,b\n", 1), ("x,f\n>= 0,a\n", 1),
    ("x,f\n1-4,a\n5+,b\n", 1),
])  # fmt: skip
def test_counts_that_begin_with_0_are_never_negative(table, n_gaps):
    found = loads_csv(table)
    assert len(gaps_of(found)) == n_gaps
    assert n_gaps or "is taken to be at least 0" in remarks_of(found)


NEVER_NEGATIVE = [
    "age", "Alter", "âge", "edad", "qty", "quantity", "count", "menge", "weight", "Gewicht",
    "length", "distance", "speed", "duration", "price", "preis", "score", "claims", "Schäden",
    "children", "Kinder", "visits", "orders", "items", "points", "Punkte", "number of claims",
    "Order price",
]  # fmt: skip


@pytest.mark.parametrize("cells", [
    "0-9.99 10-19.99 20+", "0 1-2 3+", "[0..5) [5..9) >=9", "0-5 7+", "1-4 5+", "<0 0-4 5+",
])  # fmt: skip
def test_names_of_columns_that_are_never_negative_change_no_finding(cells):
    rows = "".join(f"{cell},{place}\n" for place, cell in enumerate(cells.split()))
    regions = set()
    for name in NEVER_NEGATIVE:
        gaps = irenic.gaps(loads_csv(f"{name},f\n{rows}").tables[0].as_rules())
        regions.add(tuple(str([*region.conditions().values()]) for region in gaps))
    assert len(regions) == 1, regions


# --- marks, amounts and lists of outcomes


def test_marks_amounts_and_lists_are_doubtful():
    marks = (
        "empty cells are read as any value; write not(x) in them if they mean that there is no x,"
        " or - to avoid this warning"
    )
    assert told("a,b,f\nx,-,1\n,= x,2\n") == [marks]
    [warning] = told("size,f\nrund 5 kg,a\nklein,b\n")
    assert warning.startswith("'rund 5 kg' is read as text; write < 5, >= 5 or a range such as [10")
    [warning] = told('a,f\n<5,"Free shipping,Expedite"\n>=5,Free shipping\n')
    assert "read as one text, although 'Free shipping' is an outcome by itself" in warning
    assert 'write {"Free shipping", Expedite} for several outcomes' in warning
    for text in (
        "a,b,f\nx,-,1\nnot(x),x,2\n", 'size,f\n"""rund 5 kg""",a\nZone 5,b\n',
        'a,f\n<5,"""Mail, Fax"""\n>=5,Mail\n', 'a,f\n<5,"Smith, Jane"\n>=5,"Smith, John"\n',
        "Departure,f\n< 2:30,a\n>= 2:30,b\n",
    ):  # fmt: skip
        assert told(text) == []


# --- acceptances and hit policies


def test_acceptances_without_a_colon():
    for comment, accepted in (
        ("accept overlap because both apply", ["overlap: because both apply"]),
        ("Jane:\naccepted gap - no such case", ["gap: no such case"]),
        ("accept overlap", ["overlap: "]), ("accept the gap: rare", ["gap: rare"]),
        ("accepted in May", []),
    ):  # fmt: skip
        assert accepted_in(comment) == accepted
    text = "a,f,Comment\n<5,x,accept overlap\n<9,x,\n>=9,y,\n"
    found = loads_csv(text, ignore="Comment")
    [finding] = irenic.check(found.tables[0]).of("acceptances")
    assert "an acceptance must be a kind of finding and a reason" in str(finding)


def commented():
    """Return a workbook with a comment on a cell."""
    book = book_of(["a", "f"], ["<5", "x"], ["<9", "x"], [">=9", "y"])
    book.active["A3"].comment = Comment("Jane:\naccept: overlap: agreed", "Jane")
    return saved(book)


def test_comments_on_cells_accept_findings():
    table = irenic.parse(commented(), format="xlsx").bind().tables[0]
    assert table.provenance.accepts == (((1,), "overlap: agreed"),)
    findings = irenic.check(table)
    assert len(findings.of("overlaps")) == len(findings.of("acceptances")) == 0
    for head, reason in (
        (b'<!DOCTYPE x [<!ENTITY y "z">]>', "document types and entities are not allowed"),
        (b'<?xml version="1.0" encoding="x-unknown"?>', "the comments are damaged"),
    ):
        raw = repacked(
            commented(),
            lambda name, part, head=head: (
                head + part if "comment" in name and name.endswith(".xml") else part
            ),
        )
        with pytest.raises(FormatError, match=reason):
            irenic.parse(raw, format="xlsx").bind().table()


@pytest.mark.parametrize(("title", "policy", "aggregation"), [
    ("Hit policy: First", "FIRST", ""), ("Fares (hit policy: rule order)", "RULE ORDER", ""),
    ("Hit-Policy = P", "PRIORITY", ""), ("Hit policy,Collect (sum)", "COLLECT", "SUM"),
    ("hit policy ANY", "ANY", ""), ("The hit policy is new", None, ""),
])  # fmt: skip
def test_a_hit_policy_above_the_table(title, policy, aggregation):
    found = loads_csv(f"{title}\nage,fare\n< 5,1\n< 9,2\n")
    table = found.tables[0]
    assert (table.hit_policy, table.aggregation) == (policy, aggregation)
    expected = f"line 1 sets the hit policy {policy}" if policy else "line 1 is a title"
    assert remarks_of(found).startswith(expected)


def test_a_hit_policy_above_a_chosen_header_or_in_two_places():
    text = "Hit policy: First\nx,y\nage,fare\n< 5,1\n< 9,2\n"
    assert loads_csv(text, header_row=3).tables[0].hit_policy == "FIRST"
    text = "Hit policy: {}\nF,age,fare\n1,< 5,1\n2,< 9,2\n"
    assert loads_csv(text.format("First")).tables[0].hit_policy == "FIRST"
    [error] = loads_csv(text.format("Any")).errors
    assert "the hit policy is ANY above the table, but FIRST (F) in its first column" in str(error)


def test_a_default_in_lower_case_beside_rule_names_is_not_dropped():
    [error] = loads_csv("Rule,age,f\nR1,<5,1\nR2,>=5,2\ndefault,,3\n").errors
    assert "write DEFAULT in capitals" in str(error)


# --- decimal commas in files with semicolons


def test_commas_of_bounds_are_decimal_where_semicolons_separate_cells():
    for cell in ("bis 1,0", "< 1,5", "1,5-2,0", "1,5 kg", "1 - 2,5"):
        found = loads_csv(f"w;f\n{cell};a\n> 9;b\n")
        assert found.errors == [], cell
        assert "numbers are written with a decimal comma" in remarks_of(found)
    # but not in lists, beside points, and in other formats
    assert "'1,2' is ambiguous" in str(loads_csv("w;f\n1,2;a\n> 9;b\n").errors[0])
    found = irenic.parse("w\tf\n< 1,5\ta\n> 9\tb\n", format="tsv").bind()
    assert "'1,5' is ambiguous" in str(found.errors[0])
    assert loads_csv("w;f\n< 1,5;a\n> 9.5;b\n").errors != []


# --- cases


def case_table(**columns):
    cells = {name: list(map(str, values)) for name, values in columns.items()}
    return Table({name: as_column(values) for name, values in columns.items()}, cells=cells)


def test_bits_are_yes_and_no_and_said_so():
    space = Space([Categorical("vip", ["Yes", "No"]), Categorical("old", [True, False])])
    cases = case_table(vip=[1, 0, 1], old=[0.0, 1.0, 1.0])
    read = read_cases(cases, space)
    assert read.table["vip"].tolist() == ["Yes", "No", "Yes"]
    assert read.table["old"].tolist() == [False, True, True]
    assert read.notes == [
        "column 'vip': 1 and 0 are read as yes and no",
        "column 'old': 1 and 0 are read as yes and no",
    ]
    other = read_cases(case_table(vip=[1, 0, 2]), Space([Categorical("vip", ["Yes", "No"])]))
    assert (other.table["vip"].tolist(), other.notes) == (["1", "0", "2"], [])


def test_numbers_of_cases_are_texts_where_the_rules_have_texts():
    space = Space([Categorical("zip", ["00501", "10115"], other=True)])
    table = Table({"zip": as_column([501, 10115])}, cells={"zip": ["00501", "10115"]})
    assert read_cases(table, space).table["zip"].tolist() == ["00501", "10115"]


def test_points_that_may_separate_thousands_are_refused_in_cases_as_in_tables():
    def draft(**options):
        return TableDraft("fares", inputs=[Input("w")], places={"w": 0}, **options)

    space = Space([Continuous("w")])
    table = Table({"w": np.array([6.0, 4.0])}, cells={"w": ["6.000", "4"]})
    with pytest.raises(DataError, match=r"column 'w', row 1: '6.000' is ambiguous; write 6000 if"):
        read_cases(table, space, draft())
    settled = Table({"w": np.array([6.0, 2.5])}, cells={"w": ["6.000", "2.5"]})
    assert read_cases(settled, space, draft()).table["w"].tolist() == [6.0, 2.5]
    assert read_cases(table, space, draft(decimal=".")).table["w"].tolist() == [6, 4]
    assert read_cases(table, space, draft(decimal=",")).table["w"].tolist() == [6000, 4]
    assert read_cases(table, space).table["w"].tolist() == [6, 4]


# --- what is typed


def test_names_percentages_and_dates_may_be_typed_as_they_are():
    day, job = Continuous("Valid until", kind="date"), Categorical("job", ["cook"])
    space = Space([Continuous("Weight (kg)"), Continuous("rate"), day, job])
    draft = TableDraft("fares", inputs=[Input("rate")], respelled={("rate", "< 5%"): "< 0.05"})
    for typed, notation in (
        ("Weight (kg) = 3, job = cook", '"Weight (kg)" = 3, job = cook'),
        ("IF Weight > 3 THEN a WEIGHT 2", 'IF "Weight (kg)" > 3 THEN a WEIGHT 2'),
        ('"Weight (kg)" = 3 # Weight (kg)', '"Weight (kg)" = 3 # Weight (kg)'),
        ("rate = 40%, Valid until <= 31.12.2026", 'rate = 0.4, "Valid until" <= 2026-12-31'),
        ("rate = 12.5 %", "rate = 0.125"), ("job = kg", "job = kg"),
    ):  # fmt: skip
        assert in_notation(typed, space, draft) == notation
    with pytest.raises(FormatError, match="'40%' has a percent sign, but the numbers of the rules"):
        in_notation("rate = 40%", Space([Continuous("rate")]))


def test_rows_that_cannot_occur_are_read_like_others():
    found = loads_csv(
        "Day,t,f\nMon-Fri,06:00-11:59,a\nMon-Fri,12:00-23:59,b\nweekend,-,cannot occur\n"
        "-,00:00-05:59,cannot occur\n"
    )
    assert found.errors == []
    assert gaps_of(found) == []
    assert found.tables[0].space["Day"].values == ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def test_decimals_may_be_conditions():
    for text in (
        "age,Fee from,Fee to,f\n< 5,0.5,1.25,a\n>= 5,1.5,2.25,b\n",
        "age,Fee >=,f\n< 5,0.5,a\n>= 5,1.5,b\n",
        "age,ph,f\ninteger,number,text\n< 5,6.5,a\n>= 5,7.5,b\n",
        "ph,age,f\n6.5,< 5,a\n7.5,>= 5,b\n", "age,ph,f\n< 5,6.5,a\n>= 5,6.5,b\n",
        "age,ph,f\n< 5,= 6.5,a\n>= 5,7.5,b\n",
    ):  # fmt: skip
        assert loads_csv(text).errors == [], text
    rules = [
        Rule({"age": (None, 5), "ph": {"=": 6.5}}, then="a"),
        Rule({"age": (5, None), "ph": {"=": 7.5}}, then="b"),
    ]
    text = irenic.dumps(RuleSet(rules), format="csv")
    assert text.splitlines()[1] == "condition,condition,outcome"
    assert loads_csv(text).errors == []


@pytest.mark.parametrize("form", ["csv", "xlsx"])
def test_tables_that_are_written_are_read_exactly(form):
    day = Categorical("Day", ["weekend", "Mon", "Werktage"], other=True)
    kinds = [("t", "time"), ("price", "number"), ("n", "integer")]
    space = Space([day, *(Continuous(name, kind=kind) for name, kind in kinds)])
    eight = dt.time(8)
    regions = [
        {"Day": {"weekend"}, "t": {"<=": dt.time(7, 59)}, "price": {"<=": 49.99}, "n": (0, 5)},
        {"Day": {"Mon", "Werktage"}, "t": {">=": eight}, "price": {">=": 50.0}, "n": (5, None)},
        {"Day": {"Werktage"}, "t": {"<": eight}, "price": {"=": 7.5}, "n": {"=": -1}},
    ]
    rules = RuleSet([Rule(region, then=n) for n, region in enumerate(regions)], space)
    found = irenic.parse(irenic.dumps(rules, format=form), format=form).bound(None)
    assert messages(found) == ([], [])
    assert rules_of(found) == [str(rule) for rule in rules]
    assert found.readings[0].remarks == ("line 2 declares the columns",)
