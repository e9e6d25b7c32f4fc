"""PMML rule sets decide every case as ``predict`` does, in scorers written by others, too."""

from __future__ import annotations

import datetime as dt
import os
import re
import shutil
from xml.etree import ElementTree

import hypothesis.strategies as st
import pytest
from hypothesis import given
from naive_pmml import NS, Scorer
from test_exports_agree import GRID, UNLISTED, VALUES

import irenic
from irenic import Categorical, Continuous, DecisionTable, FormatError, Rule, RuleList, RuleSet
from strategies import conditions

KINDS = ("number", "integer", "date", "datetime", "time")
WORDS = ["a", "A", "", "größe", "a b", ' "x" ', "\\", "<&>\n'"]


@st.composite
def spaces(draw, kinds=KINDS, values=tuple(VALUES)):
    features = []
    for name in draw(st.lists(st.sampled_from(["x", "a b", "<ä>"]), min_size=1, unique=True)):
        missing = draw(st.booleans())
        if draw(st.booleans()):
            features.append(Continuous(name, kind=draw(st.sampled_from(kinds)), missing=missing))
            continue
        listed = draw(st.sampled_from(values))
        words = draw(st.lists(st.sampled_from(WORDS), min_size=1, unique=True))
        options = {"missing": missing, "other": listed != "boolean" and draw(st.booleans())}
        listed = words if listed == "text" else VALUES[listed]
        features.append(Categorical(name, listed, **options))
    return irenic.Space(features)


@st.composite
def rule_lists(draw, **options):
    space = draw(spaces(**options))
    thens = draw(st.sampled_from([["no", "ja", '"<&>"'], [1, 2, 3], [0.1, 2, 7.5], [False, True]]))
    rules = []
    for _ in range(draw(st.integers(1, 5))):
        tests = {}
        for feature in space:
            if isinstance(feature, Categorical):
                tests |= draw(conditions(irenic.Space([feature])))
            elif draw(st.booleans()):
                low, high = sorted(draw(st.tuples(*[st.sampled_from(GRID[feature.kind])] * 2)))
                signs = draw(st.sampled_from([[">=", "<="], [">", "<"], [">="], ["<"], ["<="]]))
                if low == high:
                    signs = ["="]
                ends = {">=": low, ">": low, "<": high, "<=": high, "=": low}
                tests[feature.name] = {sign: ends[sign] for sign in signs}
                if feature.missing and draw(st.booleans()):
                    tests[feature.name]["missing"] = True
        try:
            rules.append(Rule(irenic.Region(space, tests), then=draw(st.sampled_from(thens))))
        except irenic.ConditionError:  # no value satisfies it
            continue
    default = draw(st.sampled_from([None, thens[0]]))
    return RuleList.from_rules(RuleSet(rules, space, default=default)), draw(cases(space))


@st.composite
def cases(draw, space):
    records = []
    for _ in range(8):
        case = {}
        for feature in space:
            if isinstance(feature, Continuous):
                options = [*GRID[feature.kind]]
                options += [5, -3] if feature.kind in ("number", "integer") else []
            else:
                options = [*feature.values]
                kind = next(k for k, v in VALUES.items() if type(v[0]) in map(type, options))
                options += [UNLISTED[kind]] if feature.other else []
            case[feature.name] = draw(st.sampled_from(options + [None] * feature.missing))
        records.append(case)
    return records


def columns(records):
    return {name: [record[name] for record in records] for name in records[0]}


def check_scores(rules, records):
    text = irenic.dumps(rules, format="pmml")
    expected = rules.predict(columns(records)).tolist()
    scorer = Scorer(text)
    assert [scorer.score(record) for record in records] == expected
    if "IRENIC_PMML_SCHEMA" in os.environ:
        etree = pytest.importorskip("lxml.etree")
        schema = etree.XMLSchema(etree.parse(os.environ["IRENIC_PMML_SCHEMA"]))
        schema.assertValid(etree.fromstring(text.encode()))


@given(rule_lists())
def test_scores_are_predictions(given):
    rules, records = given
    check_scores(rules, records)
    whole = irenic.repair(rules.rules, "split").rules  # sets without contradictions, too
    check_scores(whole, records)


# --- programs of others


@pytest.mark.skipif(shutil.which("java") is None, reason="Java is not installed")
@given(rule_lists(kinds=("number", "integer"), values=("text", "boolean", "number")))
def test_pmml4s_scores_are_predictions(given):
    pypmml = pytest.importorskip("pypmml")
    rules, records = given
    model = pypmml.Model.fromString(irenic.dumps(rules, format="pmml"))
    for record, expected in zip(records, rules.predict(columns(records)).tolist(), strict=True):
        if expected is not None:  # for nothing it returns False, -2**63 or NaN, by the type
            assert model.predict(record)["predicted_prediction"] == expected


# --- what is written


def test_models_have_counts(tmp_path):
    clf = irenic.RuleSetClassifier(
        generations=1,
        moves=50,
        evolution={"smoothing": 0.0},
        selection="description",
        random_state=0,
    )
    clf.fit([[i % 10] for i in range(60)], ["a" if i % 10 < 5 else "b" for i in range(60)])
    path = tmp_path / "model.pmml"
    irenic.write(clf, path)
    rules = [*ElementTree.parse(path).getroot().iter(f"{NS}SimpleRule")]
    support = clf.chosen_.counts.support
    assert [float(rule.get("recordCount")) for rule in rules] == support[:-1].tolist()
    for rule in rules:
        assert float(rule.get("nbCorrect")) <= float(rule.get("recordCount"))
        assert 0 <= float(rule.get("confidence")) <= 1
    scorer = Scorer(path.read_text())
    names = clf.space_.names
    scores = [scorer.score({names[0]: float(i)}) for i in range(10)]
    assert scores == clf.predict([[i] for i in range(10)]).tolist()


def test_tables_keep_the_name_of_their_outcome(run, file, tmp_path):
    path = file("age,fare\n< 18,free\n>= 18,full\n", "fares.csv")
    out = tmp_path / "fares.pmml"
    status, printed, _ = run("convert", path, str(out))
    assert (status, printed) == (0, f"2 rules written to {out}\n")
    scorer = Scorer(out.read_text())
    assert (scorer.target, scorer.score({"age": 3}), scorer.score({"age": None})) == (
        "fare", "free", None,
    )  # fmt: skip


def table(*rules, **options):
    return DecisionTable(RuleSet(rules), tuple(range(len(rules))), len(rules), **options)


def test_priorities_decide_first():
    rules = Rule({"age": {"<": 9}}, then="low"), Rule({"age": {"<": 18}}, then="high")
    first = table(*rules, hit_policy="PRIORITY", ranking=("high", "low"))
    assert Scorer(irenic.dumps(first, format="pmml")).score({"age": 3}) == "high"


def test_words_are_a_set_unless_programs_read_them_differently():
    for words, tag in ((["a", "b"], "SimpleSetPredicate"), (["a", '"b'], "CompoundPredicate")):
        rules = RuleSet([Rule({"c": {"in": words}}, then="x")])
        text = irenic.dumps(rules, format="pmml")
        assert f"<{tag} " in text
        assert [Scorer(text).score({"c": word}) for word in words] == ["x", "x"]


def deciding(*thens):
    return RuleSet([Rule({"age": (i, i + 1)}, then=then) for i, then in enumerate(thens)])


AGE = {"age": {"<": 9}}
REFUSED = {
    "cannot represent the hit policy COLLECT": table(Rule(AGE, then=1), hit_policy="COLLECT"),
    "must have one outcome, got 2 (fare, bonus)": table(
        Rule(AGE, then=(1, 2)), outputs=("fare", "bonus")
    ),
    "values of one type, got 'a' and 1; make all of them text": deciding("a", 1),
    "of type frozenset cannot be written as PMML": deciding(frozenset({"a"})),
    "PMML has no type for a duration": RuleSet([Rule({"t": {"<": dt.timedelta(1)}}, then="a")]),
    "XML cannot contain the control characters of 'a\\x00'": deciding("a\0"),
    "feature 'x': a field of PMML must have values of one type": RuleSet(
        [Rule({"x": {"in": ["a", 1]}}, then="a")]
    ),
    "contradict": RuleSet([Rule(AGE, then="a"), Rule({}, then="b")]),
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_pmml_cannot_represent_is_refused(message):
    error = irenic.ConflictError if message == "contradict" else FormatError
    with pytest.raises(error, match=re.escape(message)):
        irenic.dumps(REFUSED[message], format="pmml")
