"""Decision tables in CSV files and workbooks: what they mean, and that they are read back."""

from __future__ import annotations

import datetime as dt
import io
import zipfile
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import strategies as sts
from bound import book_of, error_of, loads_csv, loads_xlsx, repacked, rules_of, saved, workbook
from irenic import (
    Categorical,
    Continuous,
    DecisionTable,
    FormatError,
    IrenicError,
    Rule,
    RuleList,
    RuleSet,
    Space,
)
from irenic.formats.sheets import _grid
from irenic.formats.sheets.writing import dumps_csv, dumps_xlsx
from irenic.model.literals import Expression, Months


def csv_table(text, **options):
    found = loads_csv(text.encode(), **options)
    assert found.errors == []
    assert len(found.tables) == 1
    return found.tables[0]


FARES = """age,job,fare
"< 18, >= 60",-,reduced
[18..60),"nurse, clerk",half
[18..60),"not(nurse, clerk)",full
"""


# --- reading CSV


def test_a_decision_table():
    table = csv_table(FARES, name="fares")
    job = Categorical("job", ["nurse", "clerk"], other=True)
    assert table.space == Space([Continuous("age", kind="integer"), job])
    assert [str(rule) for rule in table.rules] == [
        "IF age < 18 THEN reduced",
        "IF age >= 60 THEN reduced",
        "IF 18 <= age < 60 AND job in {nurse, clerk} THEN half",
        "IF 18 <= age < 60 AND job not in {nurse, clerk} THEN full",
    ]
    assert (table.rows, table.n_rows, table.provenance.lines) == ((0, 0, 1, 2), 3, (2, 3, 4))
    assert (table.name, table.hit_policy, table.outputs) == ("fares", None, ("fare",))
    assert dumps_csv(table) == FARES
    back = csv_table(dumps_csv(table))
    assert (back.rows, back.rules) == (table.rows, table.rules)


def test_the_kind_of_a_column_is_inferred_from_its_cells():
    table = csv_table(
        "n,d,dt,t,p,m,b,s,nothing,then\n"
        "5,>= 2020-01-01,< 2020-01-01T12:00,12:30,P1D,> P1Y2M,true,a,-,1\n"
        "-,-,2020-01-01,-,-,-,FALSE,b,,2\n"
    )
    kinds = {"n": "integer", "d": "date", "dt": "datetime", "t": "time", "p": "duration"}
    assert list(table.space) == [
        *(Continuous(name, kind=kind) for name, kind in kinds.items()),
        Continuous("m", kind="months"),
        Categorical("b", [False, True]),
        Categorical("s", ["a", "b"], other=True),
        Categorical("nothing", [], other=True),
    ]
    assert table.rules[0].region.conditions()["m"] == {">": Months(14)}
    age = Continuous("age", kind="integer", bounds=(0, 120))
    space = Space([age, Categorical("job", ["nurse", "cook"]), Continuous("unasked")])
    table = csv_table('age,job,then\n"!= 5","not(cook)",A\n>= 200,-,B\n', space=space)
    assert table.space == space  # a given one takes precedence
    assert [str(r) for r in table.rules] == [
        "IF age < 5 AND job in {nurse} THEN A",
        "IF age > 5 AND job in {nurse} THEN A",
    ]
    assert table.never_hold == (1,)
    assert error_of("agee,then\n5,A\n", space=Space([Continuous("age")])) == (
        "column 'agee': unknown feature; did you mean 'age'?"
    )


@pytest.mark.parametrize(("cell", "then"), [
    ("30", 30), ("0.5", 0.5), ("true", True), ("low risk", "low risk"), ('"""30"""', "30"),
    ("2020-01-31", dt.date(2020, 1, 31)), ("P1Y", Months(12)), ('"low, or none"', "low, or none"),
    ("x > 5", "x > 5"), ("-", "-"), ("(see below; or not)", "(see below; or not)"),
    ('"{a, b}"', frozenset({"a", "b"})), ('"(a, 5)"', ("a", 5)),
    ('"expression(""price * 2"")"', Expression("price * 2")), ("null", Expression("null")),
    ("5 kg", "5 kg"), ("0-17", "0-17"), ("65+", "65+"), ("007", "007"), ("*", "*"),
])  # fmt: skip
def test_outcomes(cell, then):
    [rule] = csv_table(f"age,then\n5,{cell}\n").rules
    assert rule.then == then
    assert type(rule.then) is type(then)
    same(loads_csv(dumps_csv(RuleSet([rule]))), RuleSet([rule]))


def test_the_outcome_is_the_last_column_or_the_one_that_is_named():
    text = "a,b,c\n1,x,2\n"
    assert csv_table(text).outputs == ("c",)
    table = csv_table("a,b,c\n1,x,= 2\n", target="b")
    assert (table.outputs, table.space.names, table.rules[0].then) == (("b",), ("a", "c"), "x")
    table = csv_table(text, target=["c", "b"])
    assert (table.space.names, table.rules[0].then) == (("a",), ("x", 2))
    with pytest.raises(FormatError, match=r"^unknown column 'd' \(known: 'a', 'b', 'c'\)$"):
        loads_csv(text.encode(), target="d")


def test_delimiters_encodings_and_empty_lines():
    assert csv_table("a;b;c\n< 1, > 5;x;A\n\n;;\n").rows == (0, 0)
    assert csv_table("a\tb\n< 1, > 5\tA\n").rows == (0, 0)
    for encoding in ("utf-8-sig", "utf-16"):
        found = loads_csv("größe,dann\n5,süß\n".encode(encoding))
        assert found.tables[0].rules[0].then == "süß"
    for first in ("sep=|", '"sep=|"', "SEP=|"):
        table = csv_table(f"{first}\na|b;c|then\n5|x|A\n7|y|B\n")
        assert (table.space.names, table.provenance.lines) == (("a", "b;c"), (3, 4))
    assert csv_table("sep=\t\r\na\tthen\r\n1\tA\r\n").rules[0].then == "A"
    with pytest.raises(FormatError, match=r"^line 3: not CSV"):
        loads_csv(b'sep=;\na;b\n"1;2')


def test_zero_width_characters_are_removed():
    table = csv_table("\ufeffage,\u200bjob,then\n\u200b5,nu\u200brse,\ufeffA\u2060\n\u200b,,\n")
    assert table.space.names == ("age", "job")
    assert str(table.rules[0]) == "IF age = 5 AND job in {nurse} THEN A"
    space = Space([Categorical("s", ["a\u200bb", "c"])])
    thens = {"a\u200bb": ("x\ufeff", "y"), "c": "\u200b"}
    both_read_back(RuleSet([Rule({"s": {s}}, then=then) for s, then in thens.items()], space))
    with pytest.raises(FormatError, match="cannot be the name of a column"):
        dumps_csv(RuleSet([], Space([Continuous("a\u200b")])))


def test_a_table_may_begin_anywhere():
    table = csv_table(",,\n,age,then\n,5,A\n")
    assert (table.space.names, table.provenance.lines) == (("age",), (3,))
    rows = [], [], [None, "age", "fare"], [None, 5, "A"], [None, None, "B"]
    book = book_of(*rows)
    [table] = loads_xlsx(saved(book)).tables
    assert (table.space.names, table.provenance.lines) == (("age",), (4, 5))
    book.active["E4"] = "stray"
    [error] = loads_xlsx(saved(book)).errors
    assert str(error) == "line 4: table 'Sheet', rule 1: a row must have at most 2 cells, got 4"
    book.active["A4"] = "unnamed"
    [error] = loads_xlsx(saved(book)).errors
    assert str(error) == "line 3: table 'Sheet': column 1 has no name"


def test_weights_a_default_and_time_zones():
    table = csv_table("age,RULE WEIGHT,then\n< 5,0.5,A\n>= 5,,B\nDEFAULT,,C\n", hit_policy="ANY")
    assert table.rules.weights.tolist() == [0.5, 1.0]
    assert (table.rules.default, table.n_rows, table.hit_policy) == ("C", 2, "ANY")
    at = "at,then\n> 2020-01-01T00:00:00Z,A\n"
    for text, error in (
        ("age,RULE WEIGHT,then\n5,heavy,A\n",
         "line 2: rule 1, column 'RULE WEIGHT', 'heavy': a weight must be a number"),
        ("age,then\nDEFAULT,A\nDEFAULT,B\n", "line 3: a second DEFAULT row; keep only one"),
        (f"{at}<= 2020-01-01T00:00:00,B\n",
         "column 'at': either all or none of the dates and times must have a time zone, got both"),
    ):  # fmt: skip
        assert error_of(text) == error
    assert csv_table(at).space["at"] == Continuous("at", kind="datetime", unit="UTC")


def test_all_errors_are_reported():
    text = 'age,job,then\n>= x y,"""clerk",5\n18,7,\n19,nurse,1\n20,clerk,c,d\n[3..],-,A\n'
    errors = loads_csv(text, name="T").errors
    assert [str(error) for error in errors] == [
        "line 2: table 'T', rule 1, column 'job', '\"clerk': the quotes around a text are"
        " not closed",
        "line 2: table 'T', rule 1, column 'age', '>= x y': \"x y\" is not a whole number",
        "line 3: table 'T', rule 2, column 'then': the outcome is empty; every rule must have one",
        "line 3: table 'T', rule 2, column 'job', '7': 7 is not a text",
        "line 5: table 'T', rule 4: a row must have at most 3 cells, got 4",
        "line 6: table 'T', rule 5, column 'age', '[3..]': expected a value, got ']'",
    ]
    assert str(errors[0].at(path="t.csv")) == f"t.csv, {errors[0]}"


def test_formulas_are_rejected_but_not_equality():
    for cell in ("=A1", "=A1*2", "=SUM(A1:A3)", "=1+1", "=$A$1-3"):
        errors = loads_csv(f"age,then\n{cell},A\n5,{cell}\n").errors
        assert [(error.line, error.place.header, error.place.text) for error in errors] == [
            (2, "age", cell),
            (3, "then", cell),
        ]
        assert {error.reason for error in errors} == {
            "formulas are not evaluated; replace the formula with its result, or quote it if it is"
            " text"
        }
    for cell in ("=5", "= 5", "=2020-01-01", "=low-risk", "= B2", "=-5", "=12:30"):
        assert len(csv_table(f"age,then\n{cell},A\n").rules) == 1


def test_a_row_that_cannot_hold_makes_no_rule():
    table = csv_table("age,then\n[30..18],A\n5,B\n")
    assert (table.never_hold, table.rows, table.n_rows) == ((0,), (1,), 2)
    assert table.provenance.reasons == (
        (0, "column 'age' requires [30..18], which no value satisfies"),
    )
    space = Space([Continuous("age", bounds=(0, 120)), Categorical("job", ["nurse", "cook"])])
    table = csv_table("age,job,then\n>= 200,-,A\n5,clerk,B\n7,-,C\n", space=space)
    assert table.provenance.reasons == (
        (0, "column 'age' requires >= 200, which cannot occur (possible: [0..120])"),
        (1, 'column \'job\' requires clerk, which cannot occur (possible: "nurse", "cook")'),
    )


@pytest.mark.parametrize(("raw", "message"), [
    (b"", "the table is empty; its first line must name the columns"),
    (b"\n\n", "the table is empty; its first line must name the columns"),
    (b"a\n1\n", "line 1: a decision table must have columns other than the outcome 'a'; add one"
                " per feature, and separate cells by commas, semicolons or tabs"),
    (b"a,b,a\n1,2,3\n", "line 1: two columns are named 'a'"),
    (b"a,,b\n1,2,3\n", "line 1: column 2 has no name"),
    (b",age,then\nx,5,A\n", "line 1: column 1 has no name"),
    (b'a,b\n"1,2\n', "line 2: not CSV: unexpected end of data"),
    (b"a,b\n1,\xff\n", "line 2: not UTF-8 text (byte 6); save it as UTF-8"),
    (b"\xff\xfea", "line 1: not UTF-16 text (byte 2); save it as UTF-8"),
    (b"a,b\n1,\x00\n", "line 2: a CSV file must be text, got a null character; save it as UTF-8"),
    (b"x," * 50_000 + b"y\n", "line 1: a decision table must have at most 1,000 columns, got"
                              " 50,001"),
    (b"a," + b" " * (65 * 2**20), "a file of rules must be at most 64 MB, got 65 MB; split it"),
], ids=lambda value: str(value[:12]))  # fmt: skip
def test_other_content_is_rejected(raw, message):
    with pytest.raises(FormatError) as caught:
        loads_csv(raw)
    assert str(caught.value) == message


def test_too_many_cells_or_rules_are_rejected(monkeypatch):
    cell = '"' + ", ".join(f"[{2 * i}..{2 * i + 1})" for i in range(101)) + '"'
    error = error_of(f"a,b,c,then\n{cell},{cell},{cell},A\n")
    assert error == (
        "rule 1: the rows of a table must expand to at most 1,000,000 rules, one per combination"
        " of intervals; split the table"
    )
    assert _grid._MOST_CELLS == 5_000_000
    monkeypatch.setattr(_grid, "_MOST_CELLS", 1_000)
    text = b"a,b\n" + b"1,2\n" * 499
    assert loads_csv(text).errors == []
    with pytest.raises(FormatError) as caught:
        loads_csv(text + b"1,2\n")
    assert str(caught.value) == "line 501: a table must have at most 1,000 cells; split it"


@given(
    st.binary(max_size=60) | st.text(alphabet='a,b"\n;<>=15()[].-\t', max_size=60).map(str.encode)
)
@example(b"\xef\xbb\xbf")
@example(b'"\n')
def test_any_bytes_are_read_or_rejected(raw):
    try:
        found = loads_csv(raw)
    except IrenicError:
        return
    assert bool(found.tables) != bool(found.errors)


# --- reading workbooks


def test_every_sheet_is_a_table():
    found = loads_xlsx(
        workbook(
            fares=[["age", "fare"], ["< 18, >= 60", 1.5], ["[18..60)", 3]],
            empty=[],
            bad=[["age", "fare"], [5, "A"], ["old", "B"]],
            twice=[["a", "a"], [1, 2]],
        )
    )
    assert [table.name for table in found.tables] == ["fares"]
    assert [rule.then for rule in found.tables[0].rules] == [1.5, 1.5, 3]
    assert {str(error) for error in found.errors} == {
        "line 3: bad!A3, rule 2, column 'age', 'old': \"old\" is not a whole number",
        "line 1: table 'twice': two columns are named 'a'",
    }


def test_typed_cells_keep_their_types():
    rows = [
        ["n", "d", "at", "t", "p", "b", "then"],
        [18, dt.date(2020, 1, 1), dt.datetime(2020, 1, 1, 12), dt.time(12), None, True, 1],
        [2.5, "> 2020-01-01", dt.datetime(2020, 1, 1), "-", "P1D", False, False],
    ]
    table = loads_xlsx(workbook(t=rows)).tables[0]
    kinds = [getattr(f, "kind", "values") for f in table.space]
    assert kinds == ["number", "date", "datetime", "time", "duration", "values"]
    assert str(table.rules[0]) == (
        "IF n = 18 AND d = 2020-01-01 AND at = 2020-01-01T12:00:00 AND t = 12:00:00"
        " AND b in {true} THEN 1"
    )
    [table] = loads_xlsx(workbook(t=[["code", "then"], ["007", "001"], ["x", 5]])).tables
    assert table.space["code"].values == ("007", "x")
    assert [rule.then for rule in table.rules] == ["001", 5]


def test_errors_about_formulas_name_the_cell():
    rows = [["a", "b", "then"], ["=1+1", "#N/A", "A"], [None, 2, "=A1"], [None, None, "B"]]
    found = loads_xlsx(workbook(t=rows))
    assert found.tables == []
    hint = (
        "is a formula, and formulas are not evaluated; replace it with its result (for a condition,"
        " omit the = or format the cell as text)"
    )
    assert sorted(str(error) for error in found.errors) == [
        f"line 2: t!A2, rule 1, column 'a', '=1+1': cell A2 {hint}",
        "line 2: t!B2, rule 1, column 'b', '#N/A': cell B2 is an error; replace it with a value",
        f"line 3: t!C3, rule 2, column 'then', '=A1': cell C3 {hint}",
    ]


def test_the_value_of_merged_cells_counts_for_all_of_them():
    book = book_of(
        ["job", "age", "size", "fare"],
        ["nurse", "< 18", 5, "A"],
        [None, ">= 18", 7, "B"],
        [],
        ["clerk", 3, None, "C"],
        [None, None, None, None],
        ["DEFAULT", None, None, "D"],
    )
    for place in ("A2:A4", "B5:C5", "D5:D6", "A7:C7"):
        book.active.merge_cells(place)
    found = loads_xlsx(saved(book), roles={"size": "condition", "fare": "outcome"})
    assert rules_of(found) == [
        "IF job in {nurse} AND age < 18 AND size = 5 THEN A",
        "IF job in {nurse} AND age >= 18 AND size = 7 THEN B",
        "IF job in {clerk} AND age = 3 AND size = 3 THEN C",
    ]
    assert found.tables[0].rules.default == "D"


def test_merged_headers_and_huge_ranges_are_harmless():
    book = book_of(["age", "fare"], [1, "A"], [2, "B"])
    book.active.merge_cells("A1:A2")
    raw = saved(book)
    huge = repacked(raw, lambda _, part: part.replace(b'ref="A1:A2"', b'ref="A3:XFD1048576"'))
    assert b"XFD1048576" in zipfile.ZipFile(io.BytesIO(huge)).read("xl/worksheets/sheet1.xml")
    for source in (raw, huge):
        [table] = loads_xlsx(source).tables
        assert [str(rule) for rule in table.rules] == ["IF anything THEN A", "IF age = 2 THEN B"]


def test_hidden_sheets_and_notes_are_left_out():
    book = book_of(["age", "fare"], [5, "A"])
    notes = book.create_sheet("notes")
    notes.append(["what this is"])
    notes.append(["a", "b", "c"])
    hidden = book.create_sheet("hidden")
    hidden.append(["a", "a"])
    hidden.sheet_state = "hidden"
    found = loads_xlsx(saved(book))
    assert ([table.name for table in found.tables], found.errors) == (["Sheet"], [])
    assert [warning.table for warning in found.warnings] == ["notes"]
    found = loads_xlsx(saved(book), target="fare")
    assert ([table.outputs for table in found.tables], found.errors) == ([("fare",)], [])
    book.active.sheet_state = "hidden"
    assert [str(error) for error in loads_xlsx(saved(book)).errors] == [
        "line 1: table 'notes': the sheet contains no decision table: a decision table must"
        " have columns other than the outcome 'what this is'; add one per feature, and separate"
        " cells by commas, semicolons or tabs"
    ]
    [table] = loads_xlsx(saved(book_of(["age", "fare"]))).tables  # the only sheet
    assert len(table.rules) == 0


def test_a_sheet_with_a_line_or_a_formula_above_notes_is_left_out():
    formula = (
        "cell B1 is a formula, and formulas are not evaluated; replace it with its result (for a"
        " condition, omit the = or format the cell as text)"
    )
    book = book_of(["age", "fare"], [5, "A"])
    notes = book.create_sheet("Notes")
    notes["A1"] = "checked by"
    for head, text, reason in (
        ("Kim", None, "there are no rows under the first one"), ("=1+1", None, formula),
        ("=1+1", "and by Ann", formula),
    ):  # fmt: skip
        notes["B1"], notes["A2"] = head, text
        found = loads_xlsx(saved(book))
        assert ([table.name for table in found.tables], found.errors) == (["Sheet"], [])
        assert [str(warning) for warning in found.warnings] == [
            f"line 1: table 'Notes': the sheet contains no decision table: {reason}"
        ]
    notes["B2"] = "x"  # more than notes
    assert [str(error) for error in loads_xlsx(saved(book)).errors] == [
        f"line 1: table 'Notes': the header must contain names: {formula}"
    ]


def test_invalid_workbooks_are_rejected():
    found = loads_xlsx(workbook(wide=[[f"c{i}" for i in range(1001)], [1] * 1001]))
    assert [str(error) for error in found.errors] == [
        "line 1: table 'wide': a decision table must have at most 1,000 columns, got 1,001"
    ]
    for raw in (b"", b"PK\x03\x04", b"a,b\n1,2\n", workbook(t=[["a", "b"]])[:-50]):
        with pytest.raises(FormatError, match=r"^the file must be an \.xlsx workbook, but it is d"):
            loads_xlsx(raw)
    with pytest.raises(FormatError, match=r"^the workbook is empty"):
        loads_xlsx(workbook(t=[]))
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
        file.writestr("xl/workbook.xml", b" " * (130 * 2**20))
    with pytest.raises(FormatError, match=r"at most 128 MB when unpacked, got 130 MB; split it$"):
        loads_xlsx(bomb.getvalue())


# --- written and read back


def same(found, rules):
    assert found.errors == []
    [table] = found.tables
    assert table.rules == rules
    return table


def both_read_back(rules):
    """Assert that a CSV file and a workbook have the rules, given their space."""
    same(loads_csv(dumps_csv(rules), space=rules.space), rules)
    same(loads_xlsx(dumps_xlsx(rules), space=rules.space), rules)


@given(sts.rule_sets(default="D"))
def test_csv_reads_back_the_same(rules):
    table = same(loads_csv(dumps_csv(rules), space=rules.space), rules)
    assert list(table.rules) == list(rules)


@given(sts.rule_sets(default="D"))
@sts.examples(0.3)
def test_workbooks_and_lists_read_back_the_same(rules):
    same(loads_xlsx(dumps_xlsx(rules), space=rules.space), rules)
    ordered = RuleList.from_rules(rules)
    for found in (
        loads_csv(dumps_csv(ordered), space=rules.space),
        loads_xlsx(dumps_xlsx(ordered), space=rules.space),
    ):
        [table] = found.tables
        assert table.hit_policy == "FIRST"
        assert table.as_rules() == ordered


THENS = [
    "a", "a b", "5", "true", "", " a", "-", "null", "{a}", "(a)", '"', "2020-01-01", "=1", "x\ny",
    5, 2.5, 2**60, True, dt.date(2020, 1, 1), dt.datetime(2020, 1, 1, 5), dt.time(5), Months(5),
    dt.timedelta(days=2), ("a", 5), ("a", ("b",)), frozenset({"a", "b"}), Expression("a + 1"),
    Expression("null"), "expression(5)", "DEFAULT",
]  # fmt: skip


def test_consequents_read_back_the_same():
    space = Space([Continuous("age"), Categorical("job", ["DEFAULT", "", "a,b"])])
    for then in THENS:
        twice = [Rule({"age": (0, 5)}, then=then), Rule({"job": {"DEFAULT"}}, then="B")]
        rules = RuleSet(twice, space, default=then)
        found = same(loads_csv(dumps_csv(rules), space=space), rules)
        assert type(found.rules[0].then) is type(then)
    # as the outcomes of one workbook
    workable = [then for then in THENS if "\n" not in str(then)]
    both_read_back(
        RuleSet([Rule({"age": {"=": n}}, then=then) for n, then in enumerate(workable)], space)
    )


def test_rules_that_are_not_a_product_get_separate_lines():
    space = Space([Continuous("a"), Continuous("b")])
    rules = RuleSet([Rule({"a": (0, 1)}, then="A"), Rule({"b": (2, 3)}, then="A")], space)
    table = DecisionTable(rules, rows=(0, 0), n_rows=1)
    assert dumps_csv(table) == "a,b,then\n[0..1),-,A\n-,[2..3),A\n"


OUTCOMES = st.one_of(
    st.text("ab 0,;-\"'({=", max_size=5),
    st.integers(-99, 99),
    st.booleans(),
    st.sampled_from(
        [0.5, " ", "cannot occur", "outcome", "integer", "DEFAULT", Expression("null")]
    ),
)


@given(st.lists(st.tuples(OUTCOMES, OUTCOMES), min_size=1, max_size=4), st.booleans(), OUTCOMES)
@sts.examples(0.6)
def test_columns_of_outcomes_and_units_read_back_as_equal(thens, has_default, last):
    space = Space([Continuous("stay", unit="days", kind="integer"), Continuous("b")])
    rules = RuleSet(
        [Rule({"stay": (3 * i, 3 * i + 2)}, then=then) for i, then in enumerate(thens)],
        space,
        default=(last, "x") if has_default else None,
    )
    table = replace(DecisionTable.from_rules(rules), outputs=("b 2", "c"))
    assert dumps_csv(table).startswith("stay,b,b 2,c\n")
    for found in (loads_csv(dumps_csv(table)), loads_xlsx(dumps_xlsx(table))):
        [back] = found.tables
        assert back.outputs == ("b 2", "c")
        assert [rule.then for rule in back.rules] == thens
        for rule, same_rule in zip(back.rules, rules, strict=True):
            assert [*map(type, rule.then)] == [*map(type, same_rule.then)]
        assert back.rules.default == rules.default
        assert back.space["stay"] == space["stay"]


def test_outputs_that_are_expressions_stay_so_within_a_tuple():
    thens = [
        ("x", Expression("a + 1")),
        (("null", Expression("null")), 'say "expression("'),
        (Expression('f("a, b")'),),
        ("expression(5)", frozenset({"p", "q"})),
    ]
    rules = [Rule({"a": (i, i + 1)}, then=then) for i, then in enumerate(thens)]
    rules = RuleSet(rules, Space([Continuous("a")]))
    assert '[0..1),"(x, expression(""a + 1""))"' in dumps_csv(rules)
    both_read_back(rules)
    deep = "(" * 5000 + "expression(1)" + ")" * 5000
    assert csv_table(f"a,then\n1,{deep}\n").rules[0].then == deep


# --- hit policies


POLICIES = {
    "U": ("UNIQUE", ""), "A": ("ANY", ""), "F": ("FIRST", ""), "R": ("RULE ORDER", ""),
    "C": ("COLLECT", ""), "C+": ("COLLECT", "SUM"), "C<": ("COLLECT", "MIN"),
    "C>": ("COLLECT", "MAX"), "C#": ("COLLECT", "COUNT"),
}  # fmt: skip


def test_a_letter_above_rule_numbers_is_the_hit_policy():
    for letter, policy in POLICIES.items():
        text = f"{letter},age,then\n1,< 5,A\n2,>= 5,B\n,DEFAULT,C\n"
        table = csv_table(text)
        assert (table.hit_policy, table.aggregation) == policy
        assert (table.space.names, table.n_rows, table.rules.default) == (("age",), 2, "C")
        assert dumps_csv(table) == text
        [back] = loads_xlsx(dumps_xlsx(table)).tables
        assert ((back.hit_policy, back.aggregation), back.rules) == (policy, table.rules)
        assert csv_table(text, hit_policy="ANY").hit_policy == "ANY"
    for letter, policy in (("P", "PRIORITY"), ("O", "OUTPUT ORDER")):
        assert csv_table(f"{letter},age,then\n1,5,A\n").hit_policy == policy


def test_other_letters_are_features():
    for text, names in (
        ("F,age,then\n1,> 5,A\n3,6,B\n", ("F", "age")), ("F,age,then\n1,> 5,A\n,6,B\n", ("F", "age")),  # noqa: E501
        ("F,age,then\n0,> 5,A\n1,6,B\n", ("F", "age")), ("F,age,then\n= 1,5,A\n", ("F", "age")),
        ("f,age,then\n1,5,A\n", ("f", "age")), ("X,age,then\n1,5,A\n", ("X", "age")),
        ("F,then\n1,A\n2,B\n", ("F",)), ("age,F,then\n1,1,A\n", ("age", "F")),
    ):  # fmt: skip
        table = csv_table(text)
        assert (table.space.names, table.hit_policy) == (names, None), text


def test_features_may_be_named_like_other_things():
    space = Space([Continuous("a;b;c"), Continuous("then"), Continuous('say "hi"\n, x')])
    both_read_back(RuleSet([Rule({"then": (0, 1)}, then="A")], space))
    space = Space([Continuous("F"), Continuous("x")])
    rules = RuleSet([Rule({"F": {"=": n}}, then=str(n)) for n in (1, 2)], space)
    assert dumps_csv(rules).startswith('F,x,then\ncondition,condition,outcome\n1,-,"""1"""\n2,')
    both_read_back(rules)
    for options in ({}, {"space": space}):
        assert csv_table(dumps_csv(rules), **options).space.names == ("F", "x")
        table = csv_table(dumps_csv(RuleList.from_rules(rules)), **options)
        assert (table.space.names, table.hit_policy) == (("F", "x"), "FIRST")
    assert csv_table("F,x,then\n1,-,A\n2,-,B\n", space=space).hit_policy is None
    with pytest.raises(FormatError, match="'F' of a table without rules would be read as a hit"):
        dumps_csv(RuleSet([], space))


def test_priority_is_written_as_rows_in_winning_order():
    space = Space([Continuous("a")])
    bounds = [((None, 5), "low"), ((7, None), "low"), ((4, None), "high")]
    rules = RuleSet([Rule({"a": ends}, then=then) for ends, then in bounds], space)
    table = DecisionTable(rules, (0, 0, 1), 2, hit_policy="PRIORITY", ranking=("high", "low"))
    assert dumps_csv(table) == 'F,a,then\n1,>= 4,high\n2,"< 5, >= 7",low\n'
    back = csv_table(dumps_csv(table), space=space)
    assert back.as_rules() == table.as_rules()
    with pytest.raises(FormatError) as caught:
        dumps_csv(table.under("OUTPUT ORDER"))
    assert str(caught.value) == (
        "a sheet cannot represent the ranking of outcomes that OUTPUT ORDER needs; write .dmn,"
        " or use the hit policy RULE ORDER"
    )


UNWRITABLE = "cannot be written to a decision table; use text, numbers, booleans, dates, times or"
EMPTY = RuleSet([], Space([Continuous("a")]))


@pytest.mark.parametrize(("rules", "message"), [
    (RuleSet([], Space([Continuous("RULE WEIGHT")])),
     "feature 'RULE WEIGHT' cannot be the name of a column; rename it, or write .json"),
    (RuleSet([], Space([Continuous(" a")])),
     "feature ' a' cannot be the name of a column; rename it, or write .json"),
    (RuleSet([Rule({}, then="A")], Space([])),
     "a sheet must have at least one feature; write .dmn or .json"),
    (DecisionTable(EMPTY, (), 0, hit_policy="COLLECT", aggregation="MEAN"),
     "unknown aggregation 'MEAN'; use SUM, MIN, MAX or COUNT"),
    (RuleSet([Rule({"a": {(1, 2)}}, then="A")]),
     f"rule 1: (1, 2) of type tuple {UNWRITABLE} durations"),
    (RuleSet([Rule({"a": (0, 1)}, then=float("inf"))]),
     f"rule 1: inf of type float {UNWRITABLE} durations"),
], ids=str)  # fmt: skip
def test_rules_that_a_table_cannot_represent_are_rejected(rules, message):
    with pytest.raises(FormatError) as caught:
        dumps_csv(rules)
    assert str(caught.value) == message


def test_rules_that_a_workbook_cannot_represent_are_rejected():
    rules = RuleSet([], Space([Continuous("a\x01b")]))
    with pytest.raises(FormatError, match=r"^a cell contains a control character"):
        dumps_xlsx(rules)
    with pytest.raises(
        IrenicError, match=r"^rules must be a RuleSet, a RuleList or a DecisionTable, got list"
    ):
        dumps_csv([1])
