"""Prefixes and codes in cells of tables, and outcomes that are none."""

from __future__ import annotations

import io

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irenic
from irenic import Categorical, FormatError, Rule, RuleSet, Space
from irenic.model import Prefix
from refusals import refuses
from tests.model.test_prefixes import TEXTS, is_among, terms

ICD = "icd,ward\nI2*,heart\nI21,urgent\n80*,other\nC50.-,onco\n"


def read(text):
    return parsed(text).table()


def parsed(text):
    return irenic.parse(text, format="csv").bind()


def column(*cells):
    """Return the feature of a column with some cells."""
    lines = "".join(f'"{cell}",{n}\n' for n, cell in enumerate(cells))
    return parsed(f"code,then\n{lines}").table().space["code"]


def error_of(text):
    with pytest.raises(FormatError) as caught:
        parsed(text).table()
    return str(caught.value)


# --- prefixes


def test_prefixes_divide_the_texts_of_a_column():
    table = read(ICD)
    values = (Prefix("I2"), "I21", Prefix("80"), Prefix("C50."))
    assert table.space["icd"].values == values
    assert table.space["icd"].other
    (finding,) = [f for f in irenic.check(table) if f.kind == "conflicts"]
    assert str(finding.region) == "icd in {I21}"
    cases = {"icd": ["I20", "80331", "C50.1", "C50", "I2", "8"]}
    decided = [*table.rules.predict(cases, resolve="first")]
    assert decided == ["heart", "other", "onco", None, "heart", None]


def test_gap_has_an_example():
    table = read("icd,age,ward\nI2*,< 18,child\nI21,>= 18,adult\nK*,-,other\n")
    gaps = [f for f in irenic.check(table) if f.kind == "gaps"]
    assert [str(gap.region.witness()["icd"]) for gap in gaps] == ["I20"]
    assert "icd in {I2* except {I21}}" in str(gaps[0].region)


@pytest.mark.filterwarnings("ignore:.*looks like")
@given(st.lists(terms(TEXTS[:30]), min_size=1, max_size=4))
@pytest.mark.parametrize("kind", ["csv", "xlsx", "dmn", "rules", "json"])
def test_files_read_back_as_the_same_texts(kind, parts):
    rules = RuleSet([Rule({"icd": part}, then=f"r{n}") for n, part in enumerate(parts)])
    written = irenic.dumps(rules, format=kind)
    back = irenic.parse(written, format=kind).bind().table().rules  # without warnings of typos
    if kind == "json":
        assert back == rules
    for part, rule in zip(parts, back, strict=True):
        contained = rule.region.contains({"icd": TEXTS})
        assert contained.tolist() == [is_among(text, part) for text in TEXTS]


@given(terms(TEXTS[:30]))
def test_exports_decide_as_predict(part):
    rules = RuleSet([Rule({"icd": part}, then="a")], default="b")
    space = Space([Categorical("icd", dict.fromkeys([*rules.space["icd"].values]), other=True)])
    negated = RuleSet([Rule({"icd": {"not in": part}}, then="a")], space, default="b")
    for each in (rules, negated):
        scope = {}
        exec(irenic.to_python(each), scope)
        expected = [*each.predict({"icd": TEXTS})]
        assert [scope["predict"]({"icd": text}) for text in TEXTS] == expected
        assert _in_duckdb(each) == expected


def _in_duckdb(rules):
    import duckdb

    con = duckdb.connect()
    con.execute("CREATE TABLE cases (n INTEGER, icd VARCHAR)")
    con.executemany("INSERT INTO cases VALUES (?, ?)", [*map(list, enumerate(TEXTS))])
    sql = irenic.to_sql(rules, dialect="duckdb")
    return [row[0] for row in con.execute(f"SELECT {sql} FROM cases ORDER BY n").fetchall()]


def test_pmml_is_refused():
    rules = RuleSet([Rule({"icd": [Prefix("I2")]}, then="a")])
    refuses(
        FormatError,
        r"PMML cannot test whether a text is in I2\*",
        irenic.dumps,
        rules,
        format="pmml",
    )


# --- codes


def test_codes_stay_text():
    assert column("007", "1E1", "10").values == ("007", "1E1", "10")
    assert column("2.9", "2.10", "2.10.1").values == ("2.9", "2.10", "2.10.1")
    assert column("80*", "80331", "not(81667, 007)").values == (
        (Prefix("80"), "80331", "81667", "007")
    )
    assert column("1A2", "1E1, 2E3").values == ("1A2", "1E1", "2E3")


def test_numbers_stay_numbers():
    assert isinstance(column("1E1", "10", "2.5"), irenic.Continuous)
    assert isinstance(column("1.000.000", "2.500.000", "1.500.000"), irenic.Continuous)
    assert isinstance(column("1,000,000", "2,500,000", "1,500,000"), irenic.Continuous)
    assert "begins with 0" in error_of("code,then\n007,a\n> 10,b\n")


def test_one_number_in_two_spellings_is_a_question():
    message = error_of("version,then\n2.1,a\n2.10,b\n3.0,c\n")
    assert "'2.1' and '2.10' are one number" in message
    quoted = column('""2.1""', '""2.10""', '""3.0""')
    assert quoted.values == ("2.1", "2.10", "3.0")


def test_typed_numbers_among_codes_are_refused():
    book = openpyxl.Workbook()
    for row in (["code", "then"], ["007", "a"], [10, "b"]):
        book.active.append(row)
    file = io.BytesIO()
    book.save(file)
    message = "10 is a number, and '007' in this column is a code; format the cell as text"
    refuses(
        FormatError, message, lambda: irenic.parse(file.getvalue(), format="xlsx").bind().table()
    )


# --- outcomes


@pytest.mark.parametrize(
    "cell",
    ["TBD", "t.b.d.", "see note 3", "siehe Anm. 2", "300**", "?", "n/a yet", "5 *", "noch offen"],
)
def test_what_is_no_outcome_is_refused_with_a_way_out(cell):
    message = error_of(f"age,fee\n< 5,3\n>= 5,{cell}\n")
    assert f'write the outcome, or "{cell}" in quotes' in message
    table = read(f'age,fee\n< 5,3\n>= 5,"""{cell}"""\n')
    assert table.rules[1].then == cell
    assert read(irenic.dumps(table.rules, format="csv")).rules[1].then == cell


@pytest.mark.parametrize("cell", ["not available", "pending", "5 m²", "notes", "A*B", "stop!"])
def test_other_outcomes_are_read(cell):
    assert read(f"age,fee\n< 5,3\n>= 5,{cell}\n").rules[1].then == cell
