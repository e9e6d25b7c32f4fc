"""Properties: every kind, proved or refuted as a grid of cells and z3 say, and certified."""

from __future__ import annotations

import json
from dataclasses import replace
from types import SimpleNamespace
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
import proving.property_grid as oracle
import strategies as sts
from irenic import (
    Budget,
    Categorical,
    ConditionError,
    ConflictError,
    Continuous,
    DecisionTable,
    FormatError,
    Rule,
    RuleList,
    RuleSet,
    RuleSetClassifier,
    Space,
)
from irenic.proving import (
    _smtlib,
    answering,
    asking,
    certificate_document,
    certify,
    parse_properties,
    prove,
    to_smtlib,
    verify,
)
from proving.property_grid import tables

TEXTS = {
    "never": "NEVER {value} WHERE {where}",
    "always": "ALWAYS {value} WHERE {where}",
    "only if": "{value} ONLY IF {where}",
    "same as": "SAME AS old WHERE {where}",
    "nothing new": "NOTHING NEW AGAINST old WHERE {where}",
    "no new": "NO NEW {value} AGAINST old WHERE {where}",
    "independent": "outcome DOES NOT DEPEND ON {feature} WHERE {where}",
    "increases": "outcome INCREASES WITH {feature} WHERE {where}",
    "decreases": "outcome DECREASES WITH {feature} WHERE {where}",
}


def is_listing(table):
    return table.collects and not table.aggregation


@pytest.mark.parametrize("kind", TEXTS)
@sts.examples(0.6)
@given(data=st.data())
def test_a_grid_and_z3_give_the_same_answer(kind, data):
    space = data.draw(sts.spaces(2))
    table, other = data.draw(tables(space)), data.draw(tables(space))
    where = data.draw(sts.regions(space))
    features = [f for f in space if kind == "independent" or isinstance(f, Continuous)]
    needs_feature = kind in ("independent", "increases", "decreases")
    if needs_feature and (not features or (kind != "independent" and is_listing(table))):
        return
    feature = data.draw(st.sampled_from(features)) if needs_feature else None
    value = data.draw(st.sampled_from([1, 2, 3]))
    is_known = value in (*table.rules.thens, table.rules.default)
    text = TEXTS[kind].format(
        value=value if is_known else f"outcome in {{{value}}}",
        where=where.to_text("AND"),
        feature=json.dumps(feature and feature.name),
    )
    regions = [r.region for t in (table, other) for r in t.rules]
    cells = oracle.cells_of(space, where, *regions)
    decided, others = oracle.decisions(table, cells), oracle.decisions(other, cells)
    inside = {cell for cell in cells if naive.holds(where, cell)}
    holds = oracle.expected(
        kind,
        decided,
        inside,
        value=value,
        other=others,
        place=None if feature is None else space.index(feature.name),
    )
    (verdict,) = prove(table, [text], read=lambda name: {"old": other}[name], certificates=True)
    assert verdict.holds is holds
    with mock.patch.object(answering, "_SHORT", -1):  # short lists are taken apart, too
        (quick,) = prove(table, [text], read=lambda name: {"old": other}[name])
    assert quick.holds is holds
    if holds:
        check_certificate(verdict, table, other)
    else:
        check_refutation(verdict, kind, table, other, where)
        check_refutation(quick, kind, table, other, where)
    assert oracle.by_z3(table, text, read=lambda _: other) is holds


@pytest.mark.parametrize("kind", ["increases", "decreases"])
@sts.examples(0.8)
@given(data=st.data())
def test_a_grid_and_z3_agree_about_the_order_of_a_category(kind, data):
    numbers = data.draw(sts.spaces(1))
    job = Categorical("job!", ["a", "b", "c", "d"], missing=True, other=True)
    space = Space([*numbers, job])
    table = data.draw(tables(space, [None, "FIRST"]))
    where = data.draw(sts.regions(space))
    values = data.draw(st.permutations(job.values))[: data.draw(st.integers(2, 4))]
    text = (
        f'outcome {kind.upper()} WITH "job!" FROM {", ".join(values)} WHERE {where.to_text("AND")}'
    )
    cells = oracle.cells_of(space, where, *(rule.region for rule in table.rules))
    decided = oracle.decisions(table, cells)
    place = space.index("job!")
    lines = {}
    for cell in cells:
        if naive.holds(where, cell):
            line = lines.setdefault(cell[:place] + cell[place + 1 :], {})
            line[cell[place]] = decided[cell]
    holds = True
    for line in lines.values():
        ranks = [line.get(job.codes[value]) for value in values]
        ranks = [rank for rank in ranks if rank is not None]
        ranks = ranks if kind == "increases" else ranks[::-1]
        holds = holds and ranks == sorted(ranks)
    (verdict,) = prove(table, [text], certificates=True)
    (quick,) = prove(table, [text])
    assert (verdict.holds, quick.holds) == (holds, holds)
    if holds:
        check_certificate(verdict, table, None)
    else:
        first, second = (case["job!"] for case in verdict.cases)
        assert values.index(first) < values.index(second)
        low, high = table.rules.predict(
            {name: [case[name] for case in verdict.cases] for name in space.names},
            resolve="first",
        )
        assert (low > high) if kind == "increases" else (low < high)
    assert oracle.by_z3(table, text) is holds


def check_certificate(verdict, table, other):
    document = {"format": "irenic certificate", "version": 1}
    document = json.loads(json.dumps({**document, "certificates": [verdict.certificate]}))
    assert verify(document, table, read=lambda _: other) == [verdict.claim]


def check_refutation(verdict, kind, table, other, where):
    """Check that the cases are what they should be, with the predictions of the library."""
    for case in verdict.cases:
        assert (case in where) is (kind != "only if")
    sides = [table, other] if len(verdict.cases) < len(verdict.outcomes) else [table] * 2
    points = [*verdict.cases, *verdict.cases][: len(verdict.outcomes)]
    for point, side, outcome, rules in zip(
        points, sides, verdict.outcomes, verdict.rules, strict=False
    ):
        assert as_plain(side.predict([point])[0]) == as_plain(outcome)
        (rows,) = side.decide([point])
        assert set(rows) <= set(rules) if not side.is_ordered else rows == rules
    if len(verdict.cases) == 2:
        a, b = verdict.cases
        assert sum(a[name] != b[name] for name in a) == 1


def as_plain(value):
    return list(value) if isinstance(value, list | tuple) else value


@sts.examples(0.6)
@given(st.data())
def test_consistent_and_complete_are_certified_if_they_hold(data):
    space = data.draw(sts.spaces(2))
    rules = RuleSet(data.draw(st.lists(sts.rules(space), max_size=8)), space)
    document = json.loads(json.dumps(certify(rules, ["CONSISTENT", "COMPLETE"])))
    holds = {"CONSISTENT": rules.is_consistent, "COMPLETE": rules.is_complete}
    if any(holds.values()):
        assert verify(document, rules) == [claim for claim, truth in holds.items() if truth]
    else:
        assert document["certificates"] == []
    for claim, truth in holds.items():
        assert oracle.by_z3(rules, claim) is truth


def test_alternatives_and_missing_values():
    space = Space([Continuous("age", missing=True), Categorical("job", ["cook", "nurse"])])
    rules = RuleSet([Rule({"age": (None, 18)}, then="refuse")], space, default="accept")
    texts = [
        "ALWAYS refuse WHERE age < 10 OR age BETWEEN 10 AND 17",
        "refuse ONLY IF age < 18",
        "accept ONLY IF age >= 18",  # it is also accepted if the age is missing
        "accept ONLY IF age >= 18 OR age is missing",
        "outcome DOES NOT DEPEND ON job",
    ]
    verdicts = prove(rules, texts)
    assert [v.holds for v in verdicts] == [True, True, False, True, True]
    assert verdicts[2].cases[0]["age"] is None


def test_what_is_impossible_refutes_nothing():
    space = Space([Categorical("sex", ["f", "m"]), Categorical("pregnant", [True, False])])
    rules = RuleSet([Rule({"pregnant": {True}}, then="care")], space, default="none")
    excluding = Space(space, impossible=[{"sex": "m", "pregnant": {True}}])
    table = RuleSet(rules, excluding, default="none")
    text = "NEVER care WHERE sex = m"
    assert prove(rules, [text])[0].holds is False
    (verdict,) = prove(table, [text], certificates=True)
    assert verdict.holds
    check_certificate(verdict, table, table)


def test_the_named_output_of_several():
    rules = RuleSet(
        [Rule({"age": (None, 18)}, then=("no", 1)), Rule({"age": (18, None)}, then=("yes", 2))]
    )
    table = DecisionTable(rules, (0, 1), 2, outputs=("grant", "price"))
    texts = ["grant = yes ONLY IF age >= 18", "price INCREASES WITH age", "NEVER price > 2"]
    assert [v.holds for v in prove(table, texts)] == [True, True, True]
    with pytest.raises(ConditionError, match="the table has the outcomes grant, price; name the"):
        prove(table, ["NEVER yes"])
    with pytest.raises(ConditionError, match="unknown outcome 'prise'; did you mean 'price'"):
        prove(table, ["NEVER prise = 2"])
    for rules_of_any_kind in (table, rules):
        with pytest.raises(ConditionError, match="after WHERE: OUTCOME WHERE age < 9"):
            prove(rules_of_any_kind, ["NEVER age < 9"])
    # a feature may be called outcome
    rules = RuleSet([Rule({"outcome": (None, 18)}, then=1), Rule({"outcome": (18, None)}, then=2)])
    assert prove(rules, ["NEVER outcome > 2"])[0].holds


def test_outcomes_in_a_given_order():
    bounds = {18: "low", 60: "high"}
    rules = [Rule({"age": (None, age)}, then=risk) for age, risk in bounds.items()]
    rules = RuleList(rules, default="medium")
    (verdict,) = prove(rules, ["risk INCREASES WITH age ORDER low, medium, high"])
    assert verdict.outcomes == ("high", "medium")
    with pytest.raises(ConditionError, match="ORDER must list every outcome, got low, high with"):
        prove(rules, ["risk INCREASES WITH age ORDER low, high"])
    with pytest.raises(ConditionError, match="outcomes must be numbers or dates to increase"):
        prove(rules, ["risk INCREASES WITH age"])


def test_labels_that_rules_decide_together():
    young = Rule({"age": (None, 18)}, then={"young": True})
    not_old = Rule({"age": (None, 50)}, then={"old": False})
    rules = RuleSet([young, not_old], default=frozenset({"old"}))
    texts = [
        "ALWAYS young WHERE age < 18",
        "NEVER old WHERE age < 50",
        "ALWAYS old WHERE age >= 50",
    ]
    assert [v.holds for v in prove(rules, texts)] == [True, True, True]


def test_the_texts_of_verdicts():
    rules = RuleSet([Rule({"age": (None, 20)}, then="refuse")])
    other = RuleSet([Rule({"age": (None, 21)}, then="refuse")])
    texts = [
        "NEVER refuse",
        "NEVER nothing",
        "SAME AS old",
        "NEVER outcome in {refsue}",
        "ALWAYS nothing WHERE age > 30",
    ]
    assert [str(v) for v in prove(rules, texts, read=lambda _: other)] == [
        "refuted: NEVER refuse: refuse (rule 1) at age = 10",
        "refuted: NEVER nothing: nothing is decided at age = 30",
        "refuted: SAME AS old: nothing is decided, but there refuse (rule 1) at age = 20",
        "proved: NEVER outcome in {refsue} (no rule has the outcome refsue; did you mean"
        " 'refuse'?)",
        "proved: ALWAYS nothing WHERE age > 30",
    ]


def test_a_used_up_budget_leaves_the_answer_open():
    rules = RuleSet([Rule({f"f{i}": (0, 1)}, then="A") for i in range(12)])
    (verdict,) = prove(rules, ["ALWAYS A WHERE f1 > 7"], budget=Budget(nodes=1))
    assert verdict.holds is None
    assert str(verdict) == "unknown: ALWAYS A WHERE f1 > 7: stopped by nodes after 1 cell"


@sts.examples(0.6)
@given(st.data())
def test_a_stopped_search_never_answers_wrongly(data):
    space = data.draw(sts.spaces(2))
    table = data.draw(tables(space))
    regions = data.draw(st.lists(sts.regions(space), max_size=2))
    impossible = [region for region in regions if region.n_conditions and not region.is_empty]
    excluding = Space(space, impossible)
    rules = RuleSet(table.rules, excluding, default=table.rules.default)
    table = replace(table, rules=rules)
    word = data.draw(st.sampled_from(["NEVER", "ALWAYS"]))
    text = f"{word} outcome in {{{data.draw(st.sampled_from('12'))}}}"
    (full,) = prove(table, [text])
    for nodes in range(4):
        (verdict,) = prove(table, [text], budget=Budget(nodes=nodes))
        assert verdict.holds in (None, full.holds)
        assert (verdict.stopped_by is None) is (verdict.holds is not None)
    (certified,) = prove(table, [text], certificates=True)
    assert certified.holds is full.holds


def test_invalid_properties():
    rules = RuleSet([Rule({"age": (None, 20)}, then="refuse")])
    for text, message in {
        "NEVER": "expected a value, found the end of the line",
        "refuse IF age < 18": "expected ONLY IF, INCREASES WITH, DECREASES WITH or DOES NOT",
        "NEVER refuse WHERE": "expected a feature name",
        "premium INCREASES age": "expected WITH and a feature",
        "NO NEW permit": "expected AGAINST and a file",
        "NEVER refuse WHERE agee < 18": "unknown feature 'agee'; did you mean 'age'",
    }.items():
        with pytest.raises(FormatError, match=message):
            prove(rules, [text])
    with pytest.raises(FormatError, match=r"loans\.properties, line 2, column 1: expected"):
        parse_properties("NEVER refuse\nAND more", name="loans.properties")


def test_questions_that_make_no_sense(monkeypatch):
    space = Space([Continuous("age"), Categorical("job", ["cook"])])
    rules = RuleSet([Rule({"age": (None, 20)}, then=1), Rule({"age": (19, None)}, then=2)], space)
    with pytest.raises(ConflictError, match="the rules contradict each other: rule 1 says 1, rule"):
        prove(rules, ["NEVER 1"])
    least_two = "FROM must list at least two values of 'job', each once, got"
    for text, message in {
        "job": "'job' has unordered values, so that nothing increas",
        "job FROM cook, king": "'job' has no value king",
        "job FROM cook": f"{least_two} cook",
        "job FROM cook, cook": f"{least_two} cook, cook",
        "age FROM 1, 2": "'age' has numbers, which have an order; leave out",
    }.items():
        with pytest.raises(ConditionError, match=message):
            prove(RuleList.from_rules(rules), [f"premium INCREASES WITH {text}"])
    many = [Rule({f"f{i}": (0, 1)}, then=1) for i in range(9)]
    monkeypatch.setattr(_smtlib, "_MOST_PIECES", 100)
    with pytest.raises(ConditionError, match="SMT-LIB needs the outcome of every combination of"):
        to_smtlib(DecisionTable.from_rules(RuleSet(many)).under("COLLECT"), "NEVER 1")


def test_learned_models_are_asked_with_their_default_and_way_of_deciding():
    X = {"age": [*range(20), *range(20)], "job": ["cook"] * 20 + ["nurse"] * 20}
    y = ["low" if age < 9 else "high" for age in X["age"]]
    model = RuleSetClassifier(generations=2, moves=100, random_state=0).fit(X, y)
    verdicts = prove(model, ["ALWAYS low OR high", "NEVER nothing", "ALWAYS low"])
    assert [v.holds for v in verdicts] == [True, True, False]
    (case,) = verdicts[2].cases
    assert model.predict([case]).tolist() == ["high"]
    # of contradicting rules, the best decides
    low = Rule({"age": (None, 20)}, then="low", weight=1.0)
    rules = [low, Rule({"age": (10, None)}, then="high", weight=2.0)]
    model = SimpleNamespace(rules_=RuleSet(rules), conflicts="best")
    (verdict,) = prove(model, ["ALWAYS high WHERE age >= 10"])
    assert verdict.holds
    (verdict,) = prove(model, ["NEVER high"])
    assert verdict.rules == ((1,),)


@sts.examples(0.6)
@given(st.data())
def test_learned_rules_that_vote_are_decided_exactly(data):
    space = data.draw(sts.spaces(2))
    weights = st.sampled_from([0.1, 0.2, 0.3, 1.0, 2.0])
    rules = RuleSet(
        [
            Rule(region, then=data.draw(st.sampled_from("abc")), weight=data.draw(weights))
            for region in data.draw(st.lists(sts.regions(space), min_size=1, max_size=5))
        ],
        space,
        default=data.draw(st.sampled_from([None, "a"])),
    )
    model = SimpleNamespace(rules_=rules, conflicts="vote")
    cells = oracle.cells_of(space, *(rule.region for rule in rules))
    decided = set(rules.predict(naive.instances(space, cells), resolve="vote").tolist())
    for outcome in "abc":
        text = f"NEVER outcome in {{{outcome}}}"
        (verdict,) = prove(model, [text], certificates=True)
        assert verdict.holds is (outcome not in decided)
        assert oracle.by_z3(model, text) is verdict.holds
        if verdict.holds:
            check_certificate(verdict, model, model)
        else:
            assert rules.predict(list(verdict.cases), resolve="vote").tolist() == [outcome]


def test_a_misspelled_outcome_is_an_error():
    rules = RuleSet([Rule({"age": (None, 20)}, then="refuse")], default="accept")
    message = r"refsue; did you mean 'refuse'\? to ask about it, write outcome in \{refsue\}"
    for text in ("NEVER refsue", "ALWAYS refsue", "refsue ONLY IF age < 5"):
        with pytest.raises(ConditionError, match=f"no rule has the outcome {message}"):
            prove(rules, [text])
    declared = DecisionTable(rules, (0,), 1, ranking=("refuse", "accept", "refund"))
    assert prove(declared, ["NEVER refund"])[0].text == (
        "proved: NEVER refund (no rule has the outcome refund; did you mean 'refuse'?)"
    )


@pytest.mark.parametrize("policy", [None, "FIRST", "COLLECT"])
def test_tables_are_prepared_once_for_all_properties(policy, monkeypatch):
    prepared, read = [], []
    side_of = asking.side_of

    def counting(table, *arguments):
        prepared.append(table)
        return side_of(table, *arguments)

    def reader(name):
        read.append(name)
        return RuleSet([Rule({"age": (None, 21)}, then="refuse")], default="accept")

    monkeypatch.setattr(asking, "side_of", counting)
    rules = RuleSet([Rule({"age": (None, 18)}, then="refuse")], default="accept")
    alone = [f"NEVER accept WHERE age < {age}" for age in range(9, 18)]
    alone += ["ALWAYS refuse WHERE age < 3", "outcome DOES NOT DEPEND ON age WHERE age < 18"]
    compared = ["SAME AS old WHERE age < 9", "NO NEW accept AGAINST old", "SAME AS old"]
    verdicts = prove(rules, [*alone, *compared], read=reader, certificates=True)
    assert (len(prepared), read) == (1 + 2, ["old"])
    document = certificate_document([v.certificate for v in verdicts if v.holds])
    assert verify(document, rules, read=reader) == [*alone, compared[0]]
    assert (len(prepared), read) == (2 * (1 + 2), ["old"] * 2)
    for line, verdict in zip([*alone, *compared], verdicts, strict=True):
        assert prove(rules, line, read=reader)[0].text == verdict.text


@pytest.mark.parametrize("sign", ["\f", "\v", "\x85", "\u2028"])
def test_lines_of_properties_are_those_of_editors(sign):
    text = f"# one{sign}two\nNEVER accept{sign}WHERE age < 18\r\rNEVER acept WHERE\n"
    with pytest.raises(FormatError) as caught:
        parse_properties(text, name="loans.properties")
    assert (caught.value.path, caught.value.line) == ("loans.properties", 4)
    rules = RuleSet([Rule({"age": (None, 18)}, then="refuse")], default="accept")
    (verdict,) = prove(rules, text[: text.index("\r")])
    assert verdict.holds
