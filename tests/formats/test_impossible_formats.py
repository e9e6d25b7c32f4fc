"""What cannot occur, in files."""

from __future__ import annotations

import warnings

import pytest

import irenic
from bound import workbook
from irenic import FormatError, Rule, RuleSet, Space

RULES = """\
IF sex = male AND age >= 18 THEN A
IF pregnant = true THEN B
IMPOSSIBLE WHERE sex = male AND pregnant = true
"""
SPACE = Space(
    [
        irenic.Continuous("age", kind="integer"),
        irenic.Categorical("job", ["fire fighter", "nurse"], other=True),
    ],
    impossible=[{"age": (None, 16), "job": "fire fighter"}, {"age": (120, None)}],
)


def impossible(rules):
    return [str(region) for region in rules.space.impossible]


@pytest.mark.filterwarnings("error")
def test_a_text_file_says_what_cannot_occur():
    rules = irenic.loads(RULES, format="rules")
    assert rules.is_consistent
    assert impossible(rules) == ["sex in {male} and pregnant in {true}"]
    without = irenic.loads(RULES.rsplit("IMPOSSIBLE", 1)[0], format="rules")
    assert not without.is_consistent
    text = RULES + "impossible if age < 14 and (sex = female or pregnant = true)\n"
    assert len(impossible(irenic.loads(text, format="rules"))) == 3  # alternatives


@pytest.mark.parametrize("form", ["rules", "json", "csv", "xlsx"])
def test_what_is_written_reads_back(form):
    rules = RuleSet([Rule({"age": (0, 30), "job": "nurse"}, then="x")], SPACE, default="y")
    for each in (rules, irenic.RuleList.from_rules(rules)):
        if form == "rules" and each is not rules:
            continue  # the text of an ordered list is a set
        options = {} if form in ("rules", "json") else {"space": Space(SPACE.features)}
        back = irenic.loads(irenic.dumps(each, format=form), format=form, **options)
        assert impossible(back) == impossible(rules)
        assert list(map(str, back)) == list(map(str, each))
        if form != "rules":  # which has no space
            assert back.space == SPACE
            assert list(back) == list(each)


LINES = {
    "IMPOSSIBLE age < 5": "line 4, column 12: expected WHERE after IMPOSSIBLE, found 'age'",
    "IMPOSSIBLE WHERE age < 5 AND age > 7": "line 4, column 30: the conditions on 'age' exclude"
    " each other",
    "IMPOSSIBLE WHERE anything": "line 4: what is impossible must have a condition, or no case is"
    " possible",
    "NEVER age < 5": "line 4, column 1: expected IF, DEFAULT, IMPOSSIBLE, or a comment",
}
JSON = """{"version": 1, "space": [{"name": "age"}, {"name": "sex", "values": ["f", "m"]}],
 "rules": [{"if": {"age": {"<": 18}}, "then": "low"}], "impossible": %s}"""
ENTRIES = {
    "{}": '"impossible" must be a list of conditions such as',
    '[{"age": 5}]': "feature 'age': a condition must be an object",
    '[{"age": {"<": 5}}, {}]': '"impossible", entry 2: what is impossible must have a',
    '[{"sox": {"<": 5}}]': "\"impossible\", entry 1: unknown feature 'sox'",
}


def test_a_line_or_an_entry_that_cannot_be_read_is_named():
    for line, message in LINES.items():
        with pytest.raises(FormatError, match=message):
            irenic.loads(RULES + line, format="rules")
    for entry, message in ENTRIES.items():
        with pytest.raises(FormatError, match=message):
            irenic.loads(JSON % entry, format="json")


def test_a_misspelled_name_is_a_warning_but_a_declared_one_is_not():
    text = RULES + "IMPOSSIBLE WHERE prgnant = true AND age < 5\n"
    message = (
        "line 4: what is impossible names 'prgnant', which no rule tests; did you mean 'pregnant'?"
    )
    with pytest.warns(irenic.FormatWarning, match=message):
        irenic.loads(text, format="rules")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        text = JSON % '[{"sex": {"in": ["m"]}, "age": {"<": 0}}]'
        assert len(impossible(irenic.loads(text, format="json"))) == 1


# --- tables

TABLE = "sex,age,pregnant,then\nmale,>= 18,-,A\n-,-,yes,B\nmale,-,yes,Cannot occur\n"


def bound(text, format="csv"):
    return irenic.parse(text, format=format).bind()


def test_a_row_of_a_table_says_what_cannot_occur():
    tables = bound(TABLE)
    table = tables.table()
    assert (table.n_rows, len(table.rules), table.provenance.lines) == (2, 2, (2, 3))
    assert impossible(table) == ["sex in {male} and pregnant in {yes}"]
    assert table.rules.is_consistent
    assert "line 4 says what cannot occur" in tables.readings[0].remarks
    assert not bound(TABLE.rsplit("male", 1)[0]).table().rules.is_consistent
    # cells of such a row may list alternatives and bounds
    text = "age >=,age <,job,then\n0,18,-,A\n18,60,clerk,B\n60,99,clerk,cannot occur\n"
    assert impossible(bound(text).table()) == ["60 <= age < 99 and job in {clerk}"]
    text = 'age,job,then\n< 18,-,A\n>= 18,clerk,B\n"< 5, > 90",clerk,cannot occur\n'
    assert len(impossible(bound(text).table())) == 2
    (error,) = bound("age,then\n< 18,A\n-,cannot occur\n").errors
    assert str(error) == "a row that says 'cannot occur' must have a condition"


def test_a_sheet_declares_what_cannot_occur():
    rows = [row.split(",") for row in TABLE.splitlines()[:3]]

    def declaring(text):
        columns = [("Column", "Kind"), ("sex", "one of male, female"), ("Impossible", text)]
        return bound(workbook(Rules=rows, Columns=columns), "xlsx")

    table = declaring("sex = male and pregnant = yes").table()
    assert table.rules.is_consistent
    assert impossible(table) == ["sex in {male} and pregnant in {yes}"]
    for text, message in {
        "sex = male and": "line 3: 'sex = male and': expected a feature name, found the end",
        "sox = male": "line 3 of the declarations: unknown feature 'sox'; did you mean 'sex'?",
    }.items():
        with pytest.raises(FormatError) as caught:
            declaring(text).table()
        assert message in str(caught.value)


@pytest.mark.parametrize("format", ["csv", "xlsx", "dmn", "json", "rules"])
def test_an_outcome_may_be_the_text_cannot_occur(format):
    rules = RuleSet(
        [Rule({"age": (0, 10)}, then="cannot occur"), Rule({"age": (10, 20)}, then="x")]
    )
    back = irenic.loads(irenic.dumps(rules, format=format), format=format, space=rules.space)
    assert back == rules
    assert impossible(back) == []
