"""Long tables are read and bound by column: the same as cell by cell and row by row."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irenic
import strategies as sts
from bound import book_of, saved
from irenic import Categorical, Continuous, FormatError, Region, Rule, RuleSet, Space
from irenic.formats.sheets._rows import RowReader
from irenic.formats.tables import assembly
from irenic.formats.tables.assembly import assemble

NUMBERS = ["-", "", "5", "< 5", ">= 5", "[1..5)", "(5..9]", "5, 7", "< 1, > 9", "not(5)", "[9..1]"]
WORDS = ["-", "nurse", "clerk", "nurse, clerk", "not(nurse)", '"a, b"', "null"]
ODD = [
    "any", "n/a", "1.000", "1.5", "007", "> 5, < 10", "5-7", "true", "Nurse", "=A1+1", "2026-01-31",
]  # fmt: skip
OUTCOMES = ["a", "b", "1", "1.000", "1,5", "", "=SUM(A1)", "n/a", "(a, b)"]
JOB = Categorical("job", ["nurse", "clerk", "cook"], missing=True)
SPACE = Space([Continuous("age", kind="integer", bounds=(0, 8)), JOB])


@st.composite
def tables(draw):
    """Return the lines of a table; most cells are ordinary, and many are equal."""
    odd = ODD if draw(st.booleans()) else []
    names = draw(st.sampled_from([["age", "job"], ["age", "job", "n"], ["U", "age", "job"]]))
    pools = {"age": NUMBERS, "n": NUMBERS, "job": WORDS, "U": ["1", "2", "3"]}
    cells = [st.sampled_from(pools[name] + odd) for name in names]
    thens = st.sampled_from(OUTCOMES if draw(st.booleans()) else OUTCOMES[:3])
    lines = draw(st.lists(st.tuples(*cells, thens), min_size=1, max_size=12))
    return [[*names, "then"], *map(list, lines)]


def as_csv(lines, delimiter):
    file = io.StringIO()
    csv.writer(file, delimiter=delimiter).writerows(lines)
    return file.getvalue().encode()


def as_workbook(lines):
    return saved(
        book_of(
            *(
                [float(c) if c in ("1", "1.5") else int(c) if c.isdecimal() else c for c in line]
                for line in lines
            )
        )
    )


def content(tables):
    notes = [(str(e), e.line) for e in (*tables.errors, *tables.warnings)]
    return notes, [
        (
            [str(rule) for rule in table.rules],
            [rule.region.written.tolist() for rule in table.rules],
            [repr(then) for then in table.rules.thens],
            *(table.rules.lower.tolist(), table.rules.upper.tolist(), table.rules.masks.tolist()),
            *(table.rules.space, table.rules.consequents, table.rules.weights.tolist()),
            *(
                table.rows,
                table.provenance.lines,
                table.provenance.reasons,
                table.provenance.unsatisfiable,
                table.space.impossible,
            ),
        )
        for table in tables.tables
    ]


def each(self, read, value, place, number, line):
    return read(value, number, self.names[place], line)


@sts.examples(2)
@given(tables(), st.sampled_from([",", ";", "xlsx"]), st.sampled_from([None, SPACE]))
def test_cells_that_are_read_once_are_read_as_if_each_was_read(lines, form, space):
    kind = "xlsx" if form == "xlsx" else "csv"
    raw = as_workbook(lines) if form == "xlsx" else as_csv(lines, form)
    with pytest.MonkeyPatch.context() as patch:
        result = content(irenic.parse(raw, format=kind).bound(space))
        patch.setattr(RowReader, "once", each)
        assert content(irenic.parse(raw, format=kind).bound(space)) == result


def naive_rules(draft, cells, axes, space):
    """Return what _rules does, one rule object after another."""
    selector = assembly._Selector(draft, {axis.feature.name: axis for axis in axes})
    rules, rows, reasons = [], [], {}
    for row in draft.rows:
        conditions = selector.row(row)
        if draft.errors:
            continue
        n_choices = 1
        for choices in conditions.values():
            n_choices *= len(choices)
        if len(rules) + n_choices > assembly.MOST_RULES:
            raise FormatError(
                f"rule {row.number}: the rows of a table must expand to at most"
                f" {assembly.MOST_RULES:,} rules, one per combination of intervals; split the table"
            )
        count = len(rules)
        for region in assembly.regions(space, conditions):
            rules.append(Rule(region, then=row.then, weight=row.weight))
            rows.append(row.number - 1)
        if count == len(rules):
            reasons.setdefault(row.number - 1, selector.why_never(row, conditions))
    never = reasons.keys() - set(rows)
    kept = tuple((row, reason) for row, reason in reasons.items() if row in never)
    return RuleSet(rules, space, default=draft.default), rows, kept


@sts.examples(2)
@given(tables(), st.sampled_from([None, SPACE]), st.sampled_from([3, 10, 1_000]), st.booleans())
def test_rows_are_bound_as_one_by_one(lines, space, most, twice):
    parsed = irenic.parse(as_csv(lines, ","), format="csv")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(assembly, "MOST_RULES", most)
        for draft in parsed.drafts:
            if twice:  # as in DMN models, two columns may test one feature
                for column in draft.inputs:
                    column.name = "age" if column.name == "n" else column.name
            result = content(assemble(draft, space))
            with pytest.MonkeyPatch.context() as slow:
                slow.setattr(assembly, "_rules", naive_rules)
                assert content(assemble(draft, space)) == result


def test_a_weight_that_is_no_number_is_rejected():
    draft = irenic.parse(b"age,then\n< 5,a\n", format="csv").drafts[0]
    draft.rows[0].weight = float("nan")
    [error] = assemble(draft).errors
    assert str(error) == "weight must be a number, got nan"


def test_rules_are_made_of_boxes():
    regions = [Region.parse("age <= 5", SPACE), Region.parse("job in {cook}", SPACE)]
    boxes = regions[0].box.concat(regions[1].box)
    written = np.array([region.written for region in regions])
    rules = RuleSet.from_boxes(boxes, written=written, then=["a", "b"], weights=[1, 2], default="c")
    expected = [Rule(regions[0], then="a"), Rule(regions[1], then="b", weight=2)]
    assert rules == RuleSet(expected, SPACE, default="c")
    assert [str(rule) for rule in rules] == [str(rule) for rule in expected]


def test_long_cells_contain_texts_in_quotes_and_lists():
    long = "x" * 2_000
    values = [f"A-{n}" for n in range(2_000)]
    lines = [["job", "then"], [f'"{long}"', "a"], ["; ".join(values), long]]
    table = irenic.parse(as_csv(lines, ","), format="csv").bind().table()
    assert [*table.rules.space["job"].values] == [long, *values]
    assert table.rules[1].then == long


def test_similar_texts_are_found_among_many_columns():
    columns = [[*(f"value {n} of {place}" for n in range(9)), f"valeu 1 of {place}"]
               for place in range(2)]  # fmt: skip
    lines = [["a", "b", "then"], *([*cells, "x"] for cells in zip(*columns, strict=True))]
    parsed = irenic.parse(as_csv(lines, ","), format="csv")
    texts = [str(warning) for warning in parsed.warnings if "looks like" in str(warning)]
    assert len(texts) == 2
    assert "'valeu 1 of 0' occurs once and looks like 'value 1 of 0'" in texts[0]
