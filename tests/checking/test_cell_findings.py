"""Cells outside their domains, odd outcomes, misleading rows, and better hit policies."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import irenic
from irenic import Continuous, DecisionTable, Rule, RuleSet, Space, check
from irenic.model.decision_table import HIT_POLICIES

DMN = """<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" name="m" namespace="n">
  <decision name="Fare"><decisionTable hitPolicy="{policy}">
    <input><inputExpression typeRef="number"><text>age</text></inputExpression>
      <inputValues><text>[0..100]</text></inputValues></input>
    <input><inputExpression typeRef="string"><text>job</text></inputExpression>
      <inputValues><text>"nurse", "cook"</text></inputValues></input>
    <output name="fare"><outputValues><text>"free", "half", "full"</text></outputValues></output>
    {rules}
  </decisionTable></decision>
</definitions>"""


def table(*rows, policy="UNIQUE"):
    rules = ""
    for *tests, then in rows:
        cells = "".join(f"<inputEntry><text>{t}</text></inputEntry>" for t in tests)
        rules += f"<rule>{cells}<outputEntry><text>{then}</text></outputEntry></rule>"
    return irenic.parse(DMN.format(policy=policy, rules=rules), format="dmn").bind().table()


def texts(rules, kind):
    return [finding.text for finding in check(rules).of(kind)]


def test_values_outside_a_domain_are_found():
    rows = [
        ("[0..999]", '"nurse"', '"free"'),
        ("[0..100]", '"cook", "smith"', '"free"'),
        ("&gt; 200", '"cook"', '"half"'),  # never fires, which is another finding
    ]
    assert texts(table(*rows), "outside") == [
        "rule 1, column age: [0..999] names 999, which cannot occur (possible: [0..100])",
        'rule 2, column job: "cook", "smith" names "smith", which cannot occur (possible: "nurse",'
        ' "cook")',
    ]
    assert check(table(*rows)).fails(["outside"])


@given(st.lists(st.tuples(st.integers(-5, 15), st.integers(-5, 15)), min_size=1, max_size=5))
def test_bounds_outside_a_domain_are_those_of_the_space(bounds):
    space = Space([Continuous("a", bounds=(0, 10))])
    lines = [f"[{min(b)}..{max(b)}],x" for b in bounds]
    parsed = irenic.parse("\n".join(["a,b", *lines, ""]), format="csv", target="b")
    found = parsed.bound(space).table()
    expected = {
        row
        for row, (low, high) in enumerate(map(sorted, bounds))
        if (low < 0 or high > 10) and high >= 0 and low <= 10
    }
    assert {row for row, *_ in found.provenance.beyond} == expected


@pytest.mark.parametrize("policy", HIT_POLICIES)
def test_outcomes_that_are_not_allowed_are_found(policy):
    rules = table(("&lt; 9", "-", '"free"'), ("&gt;= 9", "-", '"fee"'), policy=policy)
    assert texts(rules, "outcomes") == [
        "rule 2: the outcome fee is not among the allowed free, half, full"
    ]


def outcomes(outputs, *rows, policy="UNIQUE", variable=""):
    """Return the findings on the outcomes of a table with given output elements."""
    rules = "".join(
        f"<rule><inputEntry><text>{place}</text></inputEntry>"
        + "".join(f"<outputEntry><text>{then}</text></outputEntry>" for then in thens)
        + "</rule>"
        for place, thens in enumerate(rows)
    )
    text = f"""<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" namespace="n">
      <itemDefinition name="share"><typeRef>number</typeRef><allowedValues><text>[0..1]</text>
      </allowedValues></itemDefinition>
      <decision name="D"><variable name="D" {variable}/><decisionTable hitPolicy="{policy}">
      <input><inputExpression><text>n</text></inputExpression></input>{outputs}{rules}
      </decisionTable></decision></definitions>"""
    return texts(irenic.parse(text, format="dmn").bind().table(), "outcomes")


TYPED = '<output name="a" typeRef="{}"/>'


@pytest.mark.parametrize(
    ("kind", "then", "reason"),
    [
        ("number", '"5"', 'the outcome "5" must be a number according to its type'),
        ("string", "5", "the outcome 5 must be text according to its type"),
        ("integer", "5.5", "the outcome 5.5 must be a whole number according to its type"),
        ("boolean", '"yes"', "the outcome yes must be true or false according to its type"),
        ("date", "true", "the outcome true must be a date according to its type"),
        ("share", "1.5", "the outcome 1.5 is not among the allowed [0..1]"),
        ("share", '"x"', "the outcome x must be a number according to its type"),
        ("number", "5", ""),
        ("integer", "5.0", ""),
        ("share", "0.5", ""),
        ("date", 'date and time("2026-01-31T00:00:00")', ""),
        ("string", "null", ""),
        ("string", "n + 1", ""),
        ("Any", "5", ""),
    ],
)
def test_outcomes_have_their_declared_type(kind, then, reason):
    expected = [f"rule 1: {reason}"] if reason else []
    assert outcomes(TYPED.format(kind), [then]) == expected
    assert outcomes('<output name="a"/>', [then], variable=f'typeRef="{kind}"') == expected
    # the type of the decision is that of all outcomes together
    assert outcomes('<output name="a"/>', [then], policy="C", variable=f'typeRef="{kind}"') == []
    two = TYPED.format("Any") + TYPED.format(kind).replace('"a"', '"b"')
    expected = [f"rule 1, column b: {reason}"] if reason else []
    assert outcomes(two, ["1", then]) == expected


def test_types_of_outputs_that_cannot_be_read_are_warnings():
    with pytest.warns(irenic.FormatWarning, match="column 'a': unknown type 'nmber'; did you mean"):
        assert outcomes(TYPED.format("nmber"), ["1"]) == []
    values = "<outputValues><text>low, high</text></outputValues>"
    with pytest.warns(irenic.FormatWarning, match="column 'a', 'low, high'"):
        assert outcomes(f'<output name="a">{values}</output>', ["1"]) == []


def test_outcomes_of_another_kind_are_found():
    text = "age,fare\n< 9,5\n[9..20),7\n>= 20,seven\n"
    rules = irenic.parse(text, format="csv").bound(None).table()
    assert texts(rules, "outcomes") == [
        "rule 3: the outcome seven is text, but 2 of 3 are a number"
    ]
    # without a majority, mixed outcomes are not
    rules = RuleSet([Rule({"a": (0, 1)}, then=5), Rule({"a": (1, 2)}, then="five")])
    assert texts(rules, "outcomes") == []
    # in several columns, they are compared by column
    thens = [("a", 1), ("b", 2), ("c", "x")]
    rules = RuleSet([Rule({"a": (i, i + 1)}, then=t) for i, t in enumerate(thens)])
    found = DecisionTable(rules, (0, 1, 2), 3, outputs=("p", "q"))
    assert texts(found, "outcomes") == [
        "rule 3, column q: the outcome x is text, but 2 of 3 are a number"
    ]


ROWS = st.tuples(st.integers(0, 5), st.integers(1, 4), st.sampled_from("abc"))


@given(st.lists(ROWS, min_size=1, max_size=6), st.permutations("abc"))
def test_misleading_rows_are_those_that_a_later_one_outranks(rows, ranking):
    rules = [Rule({"f": (low, low + size)}, then=then) for low, size, then in rows]
    rule_set = RuleSet(rules, Space([Continuous("f")]))
    found = DecisionTable(
        rule_set, tuple(range(len(rows))), len(rows), hit_policy="PRIORITY", ranking=tuple(ranking)
    )
    expected = [
        (i, j)
        for i, j in combinations(range(len(rows)), 2)
        if rules[i].region.overlaps(rules[j].region)
        and ranking.index(rules[j].then) < ranking.index(rules[i].then)
    ]
    assert [finding.rules for finding in check(found).of("misleading")] == expected


def test_the_text_of_a_misleading_row():
    rules = table(("[0..50]", "-", '"half"'), ("[40..100]", "-", '"free"'), policy="PRIORITY")
    assert texts(rules, "misleading") == [
        "age = 40: rule 1 says half, but the later rule 2 (free) has a higher priority"
        " (wherever 40 <= age <= 50)"
    ]


@pytest.mark.parametrize(
    ("policy", "rows", "text"),
    [
        ("FIRST", ["&lt; 9", "&gt;= 9"], "no two rules contradict each other, so FIRST is not"),
        ("ANY", ["&lt; 9", "&gt;= 9"], "no two rules overlap, so UNIQUE would say more than ANY"),
        ("UNIQUE", ["&lt; 9", "-"], "rule 2, the last one, applies to every case and"),
        ("UNIQUE", ["&lt; 9", "&gt;= 9"], ""),
        ("UNIQUE", ["-", "&lt; 9"], ""),
        ("FIRST", ["&lt; 9", "-"], ""),
    ],
)
def test_a_better_hit_policy_is_suggested(policy, rows, text):
    thens = ['"free"', '"full"']
    rules = table(*((row, "-", then) for row, then in zip(rows, thens, strict=True)), policy=policy)
    found = texts(rules, "policy")
    assert len(found) == bool(text)
    assert not found or found[0].startswith(text)


def test_thresholds_in_order_get_the_hint_to_use_first():
    text = "Score,Grade\n>= 90,A\n>= 80,B\n>= 70,C\n< 70,F\n"
    table = irenic.parse(text, format="csv").bind().table()
    [finding] = irenic.check(table).of("policy")
    assert finding.rules == (0, 1, 2)
    assert str(finding) == (
        "every rule contradicts only later ones that include all of its cases; if the first rule"
        " that applies is meant to decide, use the hit policy FIRST (--hit-policy FIRST)"
    )
    for rows in (
        ">= 70,C\n>= 80,B\n>= 90,A\n",  # the later ones would never fire
        ">= 90,A\n>= 80,B\n",  # a single contradiction
        ">= 90,A\n>= 90,B\n>= 80,C\n",  # the same cases
        ">= 90,A\n>= 80,B\n<= 95,C\n",  # part of a rule
    ):
        table = irenic.parse(f"Score,Grade\n{rows}", format="csv").bind().table()
        assert len(irenic.check(table).of("policy")) == 0
