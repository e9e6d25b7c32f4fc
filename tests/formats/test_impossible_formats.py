"""What cannot occur, in files."""

from __future__ import annotations

import io
import warnings

import pytest

import irenic
from irenic import Rule, RuleSet, Space

RULES = """\
IF sex = male AND age >= 18 THEN A
IF pregnant = true THEN B
IMPOSSIBLE WHERE sex = male AND pregnant = true
"""


@pytest.mark.filterwarnings("error")
def test_a_text_file_says_what_cannot_occur():
    rules = irenic.loads(RULES, format="rules")
    assert rules.is_consistent
    assert [str(region) for region in rules.space.impossible] == [
        "sex in {male} and pregnant in {true}"
    ]
    without = irenic.loads(RULES.rsplit("IMPOSSIBLE", 1)[0], format="rules")
    assert not without.is_consistent


def test_alternatives_are_several_regions():
    text = RULES + "impossible if age < 14 and (sex = female or pregnant = true)\n"
    rules = irenic.loads(text, format="rules")
    assert len(rules.space.impossible) == 3


@pytest.mark.parametrize("format", ["rules", "json"])
def test_what_is_written_reads_back(format):
    space = Space(
        [
            irenic.Continuous("age", kind="integer"),
            irenic.Categorical("job", ["fire fighter", "nurse"], other=True),
        ],
        impossible=[{"age": (None, 16), "job": "fire fighter"}, {"age": (120, None)}],
    )
    rules = RuleSet([Rule({"age": (0, 30)}, then="A"), Rule({"job": "nurse"}, then="A")], space)
    back = irenic.loads(irenic.dumps(rules, format=format), format=format)
    assert [str(region) for region in back.space.impossible] == [
        str(region) for region in space.impossible
    ]
    if format == "json":
        assert back == rules


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("IMPOSSIBLE age < 5", "line 4, column 12: expected WHERE after IMPOSSIBLE, found 'age'"),
        (
            "IMPOSSIBLE WHERE age < 5 AND age > 7",
            "line 4, column 30: the conditions on 'age' exclude each other",
        ),
        (
            "IMPOSSIBLE WHERE anything",
            "line 4: what is impossible must have a condition, or no case is possible",
        ),
        ("NEVER age < 5", "line 4, column 1: expected IF, DEFAULT, IMPOSSIBLE, or a comment"),
    ],
)
def test_a_line_that_cannot_be_read_is_named(line, message):
    with pytest.raises(irenic.FormatError, match=message):
        irenic.loads(RULES + line, format="rules")


def test_a_misspelled_name_is_a_warning():
    text = RULES + "IMPOSSIBLE WHERE prgnant = true AND age < 5\n"
    message = (
        "line 4: what is impossible names 'prgnant', which no rule tests; did you mean 'pregnant'?"
    )
    with pytest.warns(irenic.FormatWarning, match=message):
        irenic.loads(text, format="rules")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("{}", '"impossible" must be a list of conditions such as'),
        ('[{"age": 5}]', "feature 'age': a condition must be an object"),
        ('[{"age": {"<": 5}}, {}]', '"impossible", entry 2: what is impossible must have a'),
        ('[{"sox": {"<": 5}}]', "\"impossible\", entry 1: unknown feature 'sox'"),
    ],
)
def test_json_says_which_entry_is_wrong(value, message):
    text = (
        '{"version": 1, "space": [{"name": "age"}],'
        ' "rules": [{"if": {"age": {"<": 18}}, "then": "low"}], "impossible": %s}'
    )
    with pytest.raises(irenic.FormatError, match=message):
        irenic.loads(text % value, format="json")


TABLE = """\
sex,age,pregnant,then
male,>= 18,-,A
-,-,yes,B
male,-,yes,Cannot occur
"""


def bound(text, format="csv"):
    return irenic.parse(text, format=format).bind()


def test_a_row_of_a_table_says_what_cannot_occur():
    tables = bound(TABLE)
    table = tables.table()
    assert (table.n_rows, len(table.rules), table.lines) == (2, 2, (2, 3))
    assert [str(region) for region in table.space.impossible] == [
        "sex in {male} and pregnant in {yes}"
    ]
    assert table.rules.is_consistent
    assert "line 4 says what cannot occur" in tables.readings[0].remarks
    assert not bound(TABLE.rsplit("male", 1)[0]).table().rules.is_consistent


def test_cells_of_such_a_row_may_list_alternatives_and_bounds():
    text = "age >=,age <,job,then\n0,18,-,A\n18,60,clerk,B\n60,99,clerk,cannot occur\n"
    (region,) = bound(text).table().space.impossible
    assert str(region) == "60 <= age < 99 and job in {clerk}"
    text = 'age,job,then\n< 18,-,A\n>= 18,clerk,B\n"< 5, > 90",clerk,cannot occur\n'
    assert len(bound(text).table().space.impossible) == 2


@pytest.mark.parametrize("form", ["csv", "xlsx"])
def test_tables_are_written_with_what_cannot_occur(form, tmp_path):
    space = Space(
        [
            irenic.Continuous("age", kind="integer"),
            irenic.Categorical("job", ["a", "b"], other=True),
        ],
        impossible=[{"age": (None, 16), "job": "a"}, {"age": (120, None)}],
    )
    rules = RuleSet([Rule({"age": (0, 30), "job": "b"}, then="x")], space, default="y")
    for each in (rules, irenic.RuleList.from_rules(rules)):
        path = tmp_path / f"rules.{form}"
        irenic.write(each, path)
        back = irenic.read(path, space=Space(space.features))
        assert back.space == space
        assert list(back) == list(each)
        path.unlink()


def test_a_row_without_conditions_excludes_nothing():
    text = "age,then\n< 18,A\n-,cannot occur\n"
    (error,) = bound(text).errors
    assert str(error) == "a row that says 'cannot occur' must have a condition"


def sheet(*declarations):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for line in [("sex", "age", "pregnant", "then"), ("male", ">= 18", "-", "A")]:
        book.active.append(line)
    book.active.append(("-", "-", "yes", "B"))
    columns = book.create_sheet("Columns")
    for line in [("Column", "Kind"), ("sex", "one of male, female"), *declarations]:
        columns.append(line)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def test_a_sheet_declares_what_cannot_occur():
    table = bound(sheet(("Impossible", "sex = male and pregnant = yes")), "xlsx").table()
    assert table.rules.is_consistent
    assert [str(region) for region in table.space.impossible] == [
        "sex in {male} and pregnant in {yes}"
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "sex = male and",
            "line 3: 'sex = male and': expected a feature name, found the end",
        ),
        ("sox = male", "line 3 of the declarations: unknown feature 'sox'; did you mean 'sex'?"),
    ],
)
def test_a_wrong_declaration_is_named(text, message):
    with pytest.raises(irenic.FormatError) as caught:
        bound(sheet(("Impossible", text)), "xlsx").table()
    assert message in str(caught.value)


@pytest.mark.parametrize("format", ["csv", "xlsx", "dmn", "json", "rules"])
def test_an_outcome_may_be_the_text_cannot_occur(format):
    rules = RuleSet(
        [Rule({"age": (0, 10)}, then="cannot occur"), Rule({"age": (10, 20)}, then="x")]
    )
    text = irenic.dumps(rules, format=format)
    back = irenic.loads(text, format=format, space=rules.space)
    assert back == rules
    assert back.space.impossible == ()


def test_a_declared_feature_that_no_rule_tests_is_no_typo():
    text = (
        '{"version": 1, "space": [{"name": "age"}, {"name": "sex", "values": ["f", "m"]}],'
        ' "rules": [{"if": {"age": {"<": 18}}, "then": "low"}],'
        ' "impossible": [{"sex": {"in": ["m"]}, "age": {"<": 0}}]}'
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(irenic.loads(text, format="json").space.impossible) == 1
