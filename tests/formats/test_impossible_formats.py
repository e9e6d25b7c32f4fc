"""What cannot occur, in files."""

from __future__ import annotations

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
