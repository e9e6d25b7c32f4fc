"""Models in JSON files predict the same, bit for bit, and damaged files are named."""

from __future__ import annotations

import io
import json
import math
import re
from functools import cache

import joblib
import numpy as np
import pandas as pd
import pytest
import skops.io
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import get_scorer

import irenic
from irenic import FileError, FormatError, IrenicError, Rule, RuleSet, RuleSetClassifier
from irenic.formats.json import model as json_model
from irenic.systems import MichiganClassifier, PittsburghClassifier
from learn.fitting import grouped
from strategies import examples

N = 60
TABLE = pd.DataFrame(
    {
        "age": [float(i % 30) if i % 7 else None for i in range(N)],
        "n": [i % 10 for i in range(N)],
        "job": ["nurse", "clerk", "cook", None] * (N // 4),
        "day": pd.date_range("2026-01-01", periods=N),
        "old": [i % 3 == 0 for i in range(N)],
    }
)
CODES = np.array([(i % 10 >= 5) + (i % 3 == 0) for i in range(N)])
MATRIX = np.stack([CODES > 0, CODES > 1], axis=1).astype(int)
SETS = [frozenset(name for name, has in zip("ab", row, strict=True) if has) for row in MATRIX]
TEXTS = np.array(["u", "v", "w"])[CODES]
PATHS = [["a/b"] if code else ["c"] for code in CODES]
KNOWN = {
    "rules": "IF n < 2 THEN 0",
    "never": ["2 WHERE n < 4"],
    "always": "2 OR 1 WHERE n >= 9",
    "monotonic_cst": {"n": 1},
    "cost": [[0.0, 1.0, 3.0], [1.0, 0.0, 1.0], [2.0, 1.0, 0.0]],
    "forbidden": ["day"],
    "ordered": {"job": ["cook", "clerk", "nurse"]},
    "max_values": 2,
}
TREE = {"hierarchy": ["a/b", "c"]}
WAYS = {
    "text": ({}, TEXTS),
    "objects": ({}, TEXTS.astype(object)),
    "integers": ({"max_rules": 2}, CODES),
    "small integers": ({}, CODES.astype(np.int8)),
    "floats": ({"default": "abstain"}, CODES.astype(float)),
    "booleans": ({"complete": True}, CODES > 0),
    "weights": ({"class_weight": {0: 1.0, 1: 2.5, 2: 1.0}, "max_conditions": 9}, CODES),
    "validation": ({"selection": "validation"}, CODES),
    "vote": ({"conflicts": "vote"}, CODES),
    "best": ({"conflicts": "best"}, CODES),
    "known": (KNOWN, CODES),
    "matrix": ({}, MATRIX),
    "sets": ({}, SETS),
    "hierarchy": (TREE, PATHS),
    "probabilities": ({"consequents": "probabilities"}, SETS),
    "probabilities in a hierarchy": (
        {**TREE, "consequents": "probabilities", "default": "abstain"}, PATHS,
    ),
}  # fmt: skip
QUICK = {"generations": 1, "moves": 200, "selection": "description", "random_state": 0}


@cache
def kept(way):
    """Return a model that several tests use and none changes."""
    return fitted(way)


def fitted(way="text", table=TABLE, **more):
    parameters, y = WAYS[way]
    return RuleSetClassifier(**grouped({**QUICK, **parameters, **more})).fit(table, y)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.json"


def written(clf, path):
    """Return a model that is written and read back; it must be written the same again."""
    irenic.write(clf, path)
    again = irenic.read_model(path)
    assert json_model.dumps(again) == path.read_text()
    return again


def check_same(one, other, table=TABLE):
    assert np.array_equal(one.predict(table), other.predict(table))
    assert one.predict(table).dtype == other.predict(table).dtype
    assert one.predict_proba(table).tobytes() == other.predict_proba(table).tobytes()
    for why, again in zip(one.explain(table), other.explain(table), strict=True):
        assert (why.then, why.rules, why.text) == (again.then, again.rules, again.text)
        assert np.array_equal(why.support, again.support)
        assert np.array_equal(why.confidence, again.confidence, equal_nan=True)
    assert one.rules_ == other.rules_
    assert one.space_ == other.space_
    assert str(one.certificate_) == str(other.certificate_)
    assert one.classes_.tolist() == other.classes_.tolist()
    assert one.classes_.dtype == other.classes_.dtype


# --- the same, bit for bit


def parameters_of(clf):
    """Return all parameters, those of groups by themselves."""
    return {n: v for n, v in clf.get_params().items() if n not in ("knowledge", "evolution")}


@pytest.mark.filterwarnings("ignore:the complete rule set")  # one of the front has no conditions
@pytest.mark.parametrize("way", WAYS)
def test_a_model_that_was_read_predicts_the_same(way, path):
    clf = kept(way)
    again = written(clf, path)
    check_same(clf, again)
    params = parameters_of(clf)
    if way in ("hierarchy", "probabilities in a hierarchy"):  # which is read as an object
        params["hierarchy"] = again.hierarchy
    assert parameters_of(again) == params
    assert again.feature_names_in_.tolist() == list(TABLE)
    assert again.n_features_in_ == 5
    assert again.estimate_ == clf.estimate_
    assert (clf.estimate_ is None) == (way != "validation")
    for point in clf.pareto_front_:
        sizes = {"max_rules": point.n_rules, "max_conditions": point.n_conditions}
        check_same(clf.select(**sizes), again.select(**sizes))
        assert again.select(**sizes).estimate_ is None  # the rows left out are not in the file
    if way == "hierarchy":
        assert again.score(TABLE, PATHS) == clf.score(TABLE, PATHS)
    raw = skops.io.dumps(clf)
    check_same(clf, skops.io.loads(raw, trusted=skops.io.get_untrusted_types(data=raw)))
    joblib.dump(clf, path)
    check_same(clf, joblib.load(path))


SYSTEMS = [
    MichiganClassifier(population_size=60, steps=300, random_state=0),
    PittsburghClassifier(population_size=10, generations=3, random_state=0),
]
KINDS = {
    "text": (TEXTS, {"conflicts": "avoid"}),
    "text by vote": (TEXTS, {"conflicts": "vote"}),
    "matrix": (MATRIX, {"conflicts": "avoid"}),
    "sets by vote": (SETS, {"conflicts": "vote"}),
    "sets by the best rule": (SETS, {"conflicts": "best"}),
    "some labels of a matrix": (MATRIX, {"heads": "partial"}),
    "some labels of sets": (SETS, {"heads": "partial"}),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("clf", SYSTEMS, ids=["Michigan", "Pittsburgh"])
def test_a_classifier_system_that_was_read_predicts_the_same(clf, kind, path):
    y, options = KINDS[kind]
    clf = clone(clf).set_params(**options).fit(TABLE, y)
    assert clf.rules_.is_partial == ("heads" in options)
    again = written(clf, path)
    assert type(again) is type(clf)
    assert again.get_params() == clf.get_params()
    check_same(clf, again)
    assert [p.rule_set for p in again.pareto_front_] == [p.rule_set for p in clf.pareto_front_]
    assert again.pareto_front_.chosen is again.chosen_
    if kind == "text":
        check_same(clone(again).fit(TABLE, y), clf)
    if kind == "some labels of sets":  # which must be known
        data = json.loads(path.read_text())
        data["rules"][0]["then"] = {"head": {"present": ["never seen"]}}
        path.write_text(json.dumps(data))
        with pytest.raises(FormatError, match='a prediction must be among the "labels"'):
            irenic.read_model(path)


def test_a_subclass_is_written_as_the_class_that_it_extends(path):
    class Own(PittsburghClassifier):
        pass

    clf = Own(population_size=10, generations=1, random_state=0).fit(TABLE, CODES)
    assert type(written(clf, path)) is PittsburghClassifier


def test_models_can_be_fitted_again_and_read_as_rules(path):
    clf = kept("text")
    again = written(clf, path)
    assert irenic.read(path) == clf.rules_
    assert irenic.read(path).space == clf.space_
    check_same(again.fit(TABLE, TEXTS), clf)
    other = clf.select(max_rules=1)
    again = written(other, path)
    check_same(other, again)
    assert [repr(p) for p in again.pareto_front_] == [repr(p) for p in clf.pareto_front_]


def test_a_model_of_an_array_has_no_names_and_no_generator_is_written(path):
    X = TABLE[["n"]].to_numpy()
    clf = fitted(table=X, random_state=np.random.RandomState(3))
    again = written(clf, path)
    assert not hasattr(again, "feature_names_in_")
    assert again.random_state is None
    check_same(clf, again, X)


# --- what users know

RNG = np.random.default_rng(0)
MONEY = pd.DataFrame({"income": RNG.normal(size=200), "debt": RNG.normal(size=200)})
GRADES = pd.Series(  # ordered otherwise than by name
    pd.Categorical(
        np.select([MONEY.income < -0.4, MONEY.income < 0.5], ["poor", "fair"], "good"),
        ["poor", "fair", "good"],
        ordered=True,
    )
)


def graded(**options):
    return RuleSetClassifier(**grouped(QUICK | options)).fit(MONEY, GRADES)


BAD_RANKS = {
    (0, 1): r'"ranks" must be a list of 3 numbers, got \[0, 1\]',
    (0, 1, 1): '"ranks" must be distinct numbers',
    (0, 1, -1): 'numbers in "ranks" must be non-negative integers, got -1',
}


@pytest.mark.parametrize("signs", [{"income": 1}, {0: 1}, [1, 0]])
def test_the_order_of_labels_is_kept(path, signs):
    clf = graded(monotonic_cst=signs)
    assert clf.certificate_.proved == ("outcome INCREASES WITH income ORDER poor, fair, good",)
    again = written(clf, path)
    check_same(clf, again, MONEY)
    assert again.certificate_.proved == clf.certificate_.proved
    assert again.select(index=0).certificate_.proved == clf.select(index=0).certificate_.proved
    for ranks, message in BAD_RANKS.items():
        data = json.loads(json_model.dumps(clf))
        data["model"]["ranks"] = ranks
        path.write_text(json.dumps(data))
        with pytest.raises(FormatError, match=message):
            irenic.read_model(path)


@pytest.mark.parametrize("form", ["text", "rules", "file"])
def test_kept_rules_have_their_default_and_what_cannot_occur(path, tmp_path, form):
    text = "IF income < -1 AND debt < 8 THEN poor\nDEFAULT fair\nIMPOSSIBLE WHERE debt > 9"
    file = tmp_path / "mine.rules"
    file.write_text(text)
    source = {"text": text, "rules": irenic.read(file), "file": file}[form]
    clf = graded(rules=source)
    file.unlink()  # what was learned does not depend on it any more
    again = written(clf, path)
    assert again.knowledge.rules == text
    check_same(clf, again, MONEY)
    check_same(clf, again.fit(MONEY, GRADES), MONEY)
    assert again.rules_.default == "fair"
    assert again.space_.impossible == clf.space_.impossible != ()


def test_scorers_are_written_by_name(path):
    rated = graded(scoring=get_scorer("f1_macro"), selection="validation")
    again = written(rated, path)
    assert again.scoring == "f1_macro"
    check_same(rated, again, MONEY)
    own = rated.set_params(scoring=lambda estimator, X, y: estimator.score(X, y))
    message = (
        "scoring must be the name of a scorer of scikit-learn to be written as JSON, got <function"
        ".*; pickle or skops keeps such a model, and irenic.write"
    )
    with pytest.raises(FormatError, match=message):
        irenic.write(own, path)


# --- what cannot be written


def test_other_formats_hold_only_the_rules_of_a_model(tmp_path):
    path = tmp_path / "model.txt"
    irenic.write(kept("text"), path)
    assert path.read_text() == irenic.dumps(kept("text").rules_, format="txt")
    message = r"model\.txt: a model must be a \.json file, got 'model\.txt'$"
    with pytest.raises(FormatError, match=message):
        irenic.read_model(path)


def test_what_cannot_be_written_leaves_no_file(path, monkeypatch):
    clf = fitted("objects")
    monkeypatch.setattr(clf, "classes_", np.array([1 + 2j, 2, 3], dtype=object))
    plain = fitted("objects")
    monkeypatch.setattr(plain, "classes_", np.array([1 + 2j, 2, 3]))
    wrong = r"^rules must be a RuleSet, .* DecisionTable, got list"
    for model, target, error, message in (
        (RuleSetClassifier(), path, NotFittedError, None),
        ([], path, IrenicError, wrong),
        (clf, path, FormatError, r"model.json: the labels: \(1\+2j\) of type complex"),
        (plain, path, FormatError, r"^.*model.json: the labels: "),
        (kept("text"), path.parent / "none" / "m.json", FileError,
         r"^cannot write .*: No such file or directory$"),
    ):  # fmt: skip
        with pytest.raises(error, match=message):
            irenic.write(model, target)
    assert list(path.parent.iterdir()) == []


# --- damaged files


def test_a_file_of_rules_is_not_a_model(path):
    irenic.write(RuleSet([Rule({"age": (0, 10)}, then="child")]), path)
    with pytest.raises(FormatError) as caught:
        irenic.read_model(path)
    assert str(caught.value) == (
        f'{path}: the file contains rules but no "model"; read them with irenic.read, or write a'
        " model with irenic.write(clf, path)"
    )


def put(data, keys, value):
    *outer, last = [int(key) if key.isdigit() else key for key in keys]
    for key in outer:
        data = data[key]
    data[last] = value
    if value is GONE:
        del data[last]


GONE = object()
HUGE = 10**400
SET_1 = '"front", rule set 1: '
NO_TYPE = '"label_type" must be the type of an array of labels'
DAMAGES = [  # where, what is there instead, and the message
    ("", [], "the model must be an object, got []"),
    ("version", 2, '"version" must be 1, got 2; read'),
    ("version", True, '"version" must be 1, got True'),
    ("class", "SVC", '"class" must be one of RuleSetClassifier, Mic'),
    ("front", GONE, '"front" is missing; was the file cut off or edited by hand?'),
    ("fornt", 1, "the model: unknown key 'fornt'; did you mean 'front'?"),
    ("parameters", [], '"parameters" must be an object, got []'),
    ("parameters max_rule", 1, "\"parameters\": unknown key 'max_rule'; did you mean 'max_rules'?"),
    ("parameters max_rules", -1, "\"parameters\": The 'max_rules' parameter"),
    ("labels", [], '"labels" must be a nonempty list, got'),
    ("labels", [{"x": 1}], "\"labels\": {'x': 1} is not a value"),
    ("labels", ["u", "v", "v"], '"labels" must be distinct values of the ty'),
    ("labels", ["u", "v", 3], '"labels" must be distinct values of the type'),
    ("label_type", "<M8[s]", NO_TYPE),
    ("label_type", "what", NO_TYPE),
    ("label_type", 3, f"{NO_TYPE}, got 3"),
    ("answers", "list", "\"answers\" must be one of labels, matrix, sets, got 'list'"),
    ("answers", "sets", '"answers" must fit the predictions of the rules, got'),
    ("n_features_in", 4, '"n_features_in" must be 5, the size of the space, got 4'),
    ("n_features_in", "4", 'numbers in "n_features_in" must be non-negative integers'),
    ("feature_names_in", ["a"], '"feature_names_in" must be null or the names of'),
    ("hierarchy", {}, '"hierarchy": a hierarchy must be null or {"labels": […], "edges"'),
    ("shape", [1, 2], '"shape" must be a list of three numbers'),
    ("overall", [1], '"overall" must contain 3 numbers'),
    ("overall", [1, 2, "x"], "\"overall\" must contain numbers, got 'x'"),
    ("overall", [1, 2, -3], '"overall" must be at least 0, got -3'),
    ("chosen", 99, '"chosen" must be less than '),
    ("chosen", HUGE, '"chosen" must be less than '),
    ("front", [], '"front" must be a nonempty list of rule sets, got'),
    ("front", [3], f"{SET_1}a rule set must be an object, got 3"),
    ("front 0 mix", GONE, f'{SET_1}"mix" is missing'),
    ("front 0 mix", [[1]], f'{SET_1}"mix" must contain '),
    ("front 0 support", None, f'{SET_1}"support" must contain '),
    ("front 0 penalty", None, f'{SET_1}"penalty" must contain numbers'),
    ("front 0 penalty", HUGE, f'{SET_1}"penalty" must fit into float64, got 1000'),
    ("front 0 x", 1, f"{SET_1}the rule set: unknown key 'x'"),
    *((f"parameters {name}", value, f'"{name}" must {message}') for name, value, message in [
        ("class_weight", [1], "be a list of pairs"),
        ("class_weight", {"u": 2}, "be a list of pairs [label, weight]"),
        ("class_weight", [["u", HUGE]], "fit into float64, got 1000"),
        ("class_weight", [["u", -1]], "be at least 0, got -1"),
        ("class_weight", [["u", "2"]], "contain numbers, got '2'"),
        ("class_weight", [["u", {"float": "inf"}]], "contain numbers, got {'float': 'inf'}"),
    ]),
]  # fmt: skip


def test_an_error_in_a_damaged_model_names_the_key(path):
    clf = kept("text")
    smallest = clf.select(max_rules=min(p.n_rules for p in clf.pareto_front_))
    text = json_model.dumps(smallest)
    for place, value, message in [*DAMAGES, ("/default", "other", '"front", rule set ')]:
        data = json.loads(text)
        data["model"]["chosen"] = 0  # the smallest comes first
        put(data, place[1:].split() if place[:1] == "/" else ["model", *place.split()], value)
        path.write_text(json.dumps(data))
        with pytest.raises(FormatError) as caught:
            irenic.read_model(path)
        assert str(caught.value).startswith(f'{path}: "model": {message}')
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("literal", ["1e999", "-1e999", "NaN", "Infinity", "-Infinity", "9" * 5000])
def test_errors_about_numbers_beyond_float64_have_a_location(path, literal):
    text = json_model.dumps(kept("text"))
    keys = ("overall", "support", "mix", "training_score", "penalty", "shape", "n_features_in")
    for key in (*keys, "budget", "version", "chosen", "max_rules", "random_state"):
        begin = text.index(f'"{key}": ') + len(f'"{key}": ')
        end = begin + len(re.match(r"\[*([^\],}]+)", text[begin:])[0])
        begin += len(text[begin:end]) - len(text[begin:end].lstrip("["))
        path.write_text(text[:begin] + literal + text[end:])
        line = text[:begin].count("\n") + 1
        column = begin - text.rfind("\n", 0, begin)
        with pytest.raises(FormatError) as caught:
            irenic.read_model(path)
        place = f"{path}, line {line}, column {column}: "
        assert str(caught.value).startswith(place), key
        assert literal[:20] in str(caught.value)
        assert len(str(caught.value)) < len(place) + 160


def test_a_hierarchy_without_order_is_rejected(path):
    text = json_model.dumps(kept("hierarchy"))
    assert '"edges": [[0, 1]]' in text
    for edges, message in {
        "[[1, 0]]": "an edge must lead from a label to a later one, got [1, 0]",
        "[[0, 9]]": "an edge must lead from a label to a later one, got [0, 9]",
        "[7]": "an edge must be a pair of indices of labels, got 7",
        "7": '"edges" must be a list, got 7',
    }.items():
        path.write_text(text.replace('"edges": [[0, 1]]', f'"edges": {edges}'))
        with pytest.raises(FormatError) as caught:
            irenic.read_model(path)
        assert str(caught.value) == f'{path}: "model": "hierarchy": {message}'


def places(data, at=()):
    yield at
    if isinstance(data, dict | list):
        for key in data if isinstance(data, dict) else range(len(data)):
            yield from places(data[key], (*at, str(key)))


# scikit-learn warns about names if the file has none, which is valid
@pytest.mark.filterwarnings("ignore:X has feature names")
@examples(0.6)
@given(st.data())
def test_all_problems_with_a_file_raise_irenic_errors(data):
    file = json.loads(json_model.dumps(kept("text")))
    place = data.draw(st.sampled_from([p for p in places(file) if p]))
    wrong = st.sampled_from([None, True, -1, 0.5, "x", [], {}, [[]], {"a": 1}, HUGE, math.inf])
    put(file, place, data.draw(wrong))
    text = json.dumps(file).replace("Infinity", data.draw(st.sampled_from(["1e999", "NaN"])))
    try:
        again = irenic.read_model(io.StringIO(text))
        again.predict(TABLE)
        json_model.dumps(again)
    except IrenicError as error:
        assert "\n" not in str(error)  # noqa: PT017
