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
from sklearn.metrics import get_scorer

import irenic
from irenic import FileError, FormatError, IrenicError, Rule, RuleSet, RuleSetClassifier
from irenic.formats.json import model as json_model
from irenic.learn import MichiganClassifier, PittsburghClassifier
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
WAYS = {
    "text": ({}, np.array(["u", "v", "w"])[CODES]),
    "objects": ({}, np.array(["u", "v", "w"], dtype=object)[CODES]),
    "integers": ({"max_rules": 2}, CODES),
    "small integers": ({}, CODES.astype(np.int8)),
    "floats": ({"default": "abstain"}, CODES.astype(float)),
    "booleans": ({"complete": True}, CODES > 0),
    "weights": ({"class_weight": {0: 1.0, 1: 2.5, 2: 1.0}}, CODES),
    "validation": ({"selection": "validation"}, CODES),
    "vote": ({"conflicts": "vote"}, CODES),
    "best": ({"conflicts": "best"}, CODES),
    "known": (
        {
            "rules": "IF n < 2 THEN 0",
            "never": ["2 WHERE n < 4"],
            "always": "2 OR 1 WHERE n >= 9",
            "monotonic_cst": {"n": 1},
            "cost": [[0.0, 1.0, 3.0], [1.0, 0.0, 1.0], [2.0, 1.0, 0.0]],
            "forbidden": ["day"],
            "ordered": {"job": ["cook", "clerk", "nurse"]},
            "max_values": 2,
        },
        CODES,
    ),
    "matrix": ({}, MATRIX),
    "sets": ({}, SETS),
    "hierarchy": ({"hierarchy": ["a/b", "c"]}, [["a/b"] if code else ["c"] for code in CODES]),
    "probabilities": ({"consequents": "probabilities"}, SETS),
    "probabilities in a hierarchy": (
        {"hierarchy": ["a/b", "c"], "consequents": "probabilities", "default": "abstain"},
        [["a/b"] if code else ["c"] for code in CODES],
    ),
}


@cache
def kept(way):
    """Return a model that several tests use and none changes."""
    return fitted(way)


def fitted(way="text", table=TABLE, **more):
    parameters, y = WAYS[way]
    quick = {"generations": 1, "moves": 200, "selection": "description", "random_state": 0}
    return RuleSetClassifier(**{**quick, **parameters, **more}).fit(table, y)


@pytest.fixture(scope="module")
def model():
    return kept("text")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.json"


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


@pytest.mark.filterwarnings("ignore:the complete rule set")  # one of the front has no conditions
@pytest.mark.parametrize("way", WAYS)
def test_a_model_that_was_read_predicts_the_same(way, path):
    clf = kept(way)
    irenic.write(clf, path)
    again = irenic.read_model(path)
    check_same(clf, again)
    assert again.estimate_ == clf.estimate_
    assert (clf.estimate_ is None) == (way != "validation")
    for point in clf.pareto_front_:
        sizes = {"max_rules": point.n_rules, "max_conditions": point.n_conditions}
        check_same(clf.select(**sizes), again.select(**sizes))
        assert again.select(**sizes).estimate_ is None  # the rows left out are not in the file
    assert json_model.dumps(again) == path.read_text()


SYSTEMS = [
    MichiganClassifier(population_size=60, steps=300, random_state=0),
    PittsburghClassifier(population_size=10, generations=3, random_state=0),
]


@pytest.mark.parametrize("conflicts", ["avoid", "vote", "best"])
@pytest.mark.parametrize("y", [WAYS["text"][1], MATRIX, SETS], ids=["text", "matrix", "sets"])
@pytest.mark.parametrize("clf", SYSTEMS, ids=["Michigan", "Pittsburgh"])
def test_a_classifier_system_that_was_read_predicts_the_same(clf, y, conflicts, path):
    clf = clone(clf).set_params(conflicts=conflicts).fit(TABLE, y)
    irenic.write(clf, path)
    again = irenic.read_model(path)
    assert type(again) is type(clf)
    assert again.get_params() == clf.get_params()
    check_same(clf, again)
    assert [p.rule_set for p in again.pareto_front_] == [p.rule_set for p in clf.pareto_front_]
    assert again.pareto_front_.chosen is again.chosen_
    assert json_model.dumps(again) == path.read_text()
    check_same(clone(again).fit(TABLE, y), clf)


@pytest.mark.parametrize("y", [MATRIX, SETS], ids=["matrix", "sets"])
@pytest.mark.parametrize("clf", SYSTEMS, ids=["Michigan", "Pittsburgh"])
def test_rules_that_decide_some_labels_are_read_back(clf, y, path):
    clf = clone(clf).set_params(heads="partial").fit(TABLE, y)
    assert clf.rules_.is_partial
    irenic.write(clf, path)
    again = irenic.read_model(path)
    check_same(clf, again)
    assert json_model.dumps(again) == path.read_text()


def test_labels_of_a_rule_that_decides_some_must_be_known(path):
    clf = clone(SYSTEMS[1]).set_params(heads="partial").fit(TABLE, SETS)
    irenic.write(clf, path)
    data = json.loads(path.read_text())
    data["rules"][0]["then"] = {"head": {"present": ["never seen"]}}
    path.write_text(json.dumps(data))
    with pytest.raises(FormatError, match='a prediction must be among the "labels"'):
        irenic.read_model(path)


def test_a_subclass_is_written_as_the_class_that_it_extends(path):
    class Own(PittsburghClassifier):
        pass

    clf = Own(population_size=10, generations=1, random_state=0).fit(TABLE, CODES)
    irenic.write(clf, path)
    assert type(irenic.read_model(path)) is PittsburghClassifier


def test_the_parameters_are_those_of_the_model(path):
    clf = fitted("weights", max_conditions=9)
    irenic.write(clf, path)
    again = irenic.read_model(path)
    assert again.get_params() == clf.get_params()
    assert again.feature_names_in_.tolist() == list(TABLE)
    assert again.n_features_in_ == 5


def test_a_model_of_an_array_has_no_names(path):
    X = TABLE[["n"]].to_numpy()
    clf = fitted(table=X)
    irenic.write(clf, path)
    again = irenic.read_model(path)
    assert not hasattr(again, "feature_names_in_")
    check_same(clf, again, X)


def test_a_model_can_be_fitted_again(model, path):
    irenic.write(model, path)
    check_same(irenic.read_model(path).fit(TABLE, WAYS["text"][1]), model)


def test_a_random_generator_is_not_written(path):
    irenic.write(fitted(random_state=np.random.RandomState(3)), path)
    assert irenic.read_model(path).random_state is None


# --- what users know


def graded(**options):
    """Return a model whose labels are ordered otherwise than by name, its rows and labels."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"income": rng.normal(size=200), "debt": rng.normal(size=200)})
    names = np.select([X.income < -0.4, X.income < 0.5], ["poor", "fair"], "good")
    y = pd.Series(pd.Categorical(names, ["poor", "fair", "good"], ordered=True))
    quick = {"generations": 1, "moves": 200, "selection": "description", "random_state": 0}
    return RuleSetClassifier(**quick | options).fit(X, y), X, y


@pytest.mark.parametrize("signs", [{"income": 1}, {0: 1}, [1, 0]])
def test_the_order_of_labels_is_kept(path, signs):
    clf, X, _ = graded(monotonic_cst=signs)
    assert clf.certificate_.proved == ("outcome INCREASES WITH income ORDER poor, fair, good",)
    irenic.write(clf, path)
    again = irenic.read_model(path)
    check_same(clf, again, X)
    assert again.certificate_.proved == clf.certificate_.proved
    assert again.select(index=0).certificate_.proved == clf.select(index=0).certificate_.proved


@pytest.mark.parametrize(
    ("ranks", "message"),
    [
        ([0, 1], r'"ranks" must be a list of 3 numbers, got \[0, 1\]'),
        ([0, 1, 1], '"ranks" must be distinct numbers'),
        ([0, 1, -1], 'numbers in "ranks" must be non-negative integers, got -1'),
    ],
)
def test_a_damaged_order_of_labels_is_rejected(path, ranks, message):
    irenic.write(graded(monotonic_cst={"income": 1})[0], path)
    data = json.loads(path.read_text())
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
    clf, X, y = graded(rules=source)
    file.unlink()  # what was learned does not depend on it any more
    irenic.write(clf, path)
    again = irenic.read_model(path)
    assert again.rules == text
    check_same(clf, again, X)
    check_same(clf, again.fit(X, y), X)
    assert again.rules_.default == "fair"
    assert again.space_.impossible == clf.space_.impossible != ()


def test_scorers_are_written_by_name(path):
    rated, X, _ = graded(scoring=get_scorer("f1_macro"), selection="validation")
    irenic.write(rated, path)
    assert irenic.read_model(path).scoring == "f1_macro"
    check_same(rated, irenic.read_model(path), X)

    def own(estimator, X, y):
        return estimator.score(X, y)

    clf, *_ = graded(scoring=own, selection="validation")
    message = (
        "scoring must be the name of a scorer of scikit-learn to be written as JSON, got <function"
        ".*; pickle or skops keeps such a model, and irenic.write"
    )
    with pytest.raises(FormatError, match=message):
        irenic.write(clf, path)


def test_the_chosen_rule_set_is_that_of_select(model, path):
    other = model.select(max_rules=1)
    irenic.write(other, path)
    again = irenic.read_model(path)
    check_same(other, again)
    assert [repr(p) for p in again.pareto_front_] == [repr(p) for p in model.pareto_front_]


def test_the_file_can_be_read_as_rules(model, path):
    irenic.write(model, path)
    assert irenic.read(path) == model.rules_
    assert irenic.read(path).space == model.space_


@pytest.mark.parametrize("way", WAYS)
def test_skops_keeps_a_model(way):
    clf = kept(way)
    raw = skops.io.dumps(clf)
    check_same(clf, skops.io.loads(raw, trusted=skops.io.get_untrusted_types(data=raw)))


@pytest.mark.parametrize("way", WAYS)
def test_joblib_keeps_a_model(way, tmp_path):
    clf = kept(way)
    joblib.dump(clf, tmp_path / "model.joblib")
    check_same(clf, joblib.load(tmp_path / "model.joblib"))


# --- what cannot be written


def test_other_formats_hold_only_the_rules_of_a_model(model, tmp_path):
    path = tmp_path / "model.txt"
    irenic.write(model, path)
    assert path.read_text() == irenic.dumps(model.rules_, format="txt")
    with pytest.raises(
        FormatError, match=r"model\.txt: a model must be a \.json file, got 'model\.txt'$"
    ):
        irenic.read_model(path)


def test_a_model_that_is_not_fitted_is_rejected(path):
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        irenic.write(RuleSetClassifier(), path)
    assert not path.exists()


def test_other_objects_are_rejected(path):
    with pytest.raises(IrenicError, match=r"^rules must be a RuleSet, .* DecisionTable, got list"):
        irenic.write([], path)


def test_labels_that_json_lacks_are_rejected_and_nothing_is_written(path, monkeypatch):
    clf = fitted("objects")
    monkeypatch.setattr(clf, "classes_", np.array([1 + 2j, 2, 3], dtype=object))
    with pytest.raises(FormatError, match=r"model.json: the labels: \(1\+2j\) of type complex"):
        irenic.write(clf, path)
    monkeypatch.setattr(clf, "classes_", np.array([1 + 2j, 2, 3]))
    with pytest.raises(FormatError, match=r"^.*model.json: the labels: "):
        irenic.write(clf, path)
    assert list(path.parent.iterdir()) == []


def test_a_model_cannot_be_written_to_a_missing_folder(model, tmp_path):
    with pytest.raises(FileError, match=r"^cannot write .*: No such file or directory$"):
        irenic.write(model, tmp_path / "none" / "model.json")


# --- damaged files


def test_a_file_of_rules_is_not_a_model(path):
    irenic.write(RuleSet([Rule({"age": (0, 10)}, then="child")]), path)
    with pytest.raises(FormatError) as caught:
        irenic.read_model(path)
    assert str(caught.value) == (
        f'{path}: the file contains rules but no "model"; read them with irenic.read, or write a'
        " model with irenic.write(clf, path)"
    )


def put(value, *keys):
    def change(data):
        for key in keys[:-1]:
            data = data[key]
        data[keys[-1]] = value

    return change


def drop(*keys):
    def change(data):
        for key in keys[:-1]:
            data = data[key]
        del data[keys[-1]]

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (put([], "model"), "the model must be an object, got []"),
        (put(2, "model", "version"), '"version" must be 1, got 2; read'),
        (put(True, "model", "version"), '"version" must be 1, got True'),
        (put("SVC", "model", "class"), '"class" must be one of RuleSetClassifier, Mic'),
        (drop("model", "front"), '"front" is missing; was the file cut off or edited by hand?'),
        (put(1, "model", "fornt"), "the model: unknown key 'fornt'; did you mean 'front'?"),
        (put([], "model", "parameters"), '"parameters" must be an object, got []'),
        (
            put(1, "model", "parameters", "max_rule"),
            "\"parameters\": unknown key 'max_rule'; did you mean 'max_rules'?",
        ),
        (put(-1, "model", "parameters", "max_rules"), "\"parameters\": The 'max_rules' parameter"),
        (put([1], "model", "parameters", "class_weight"), '"class_weight" must be a list of pairs'),
        (put([], "model", "labels"), '"labels" must be a nonempty list, got'),
        (put([{"x": 1}], "model", "labels"), "\"labels\": {'x': 1} is not a value"),
        (put(["u", "v", "v"], "model", "labels"), '"labels" must be distinct values of the ty'),
        (put(["u", "v", 3], "model", "labels"), '"labels" must be distinct values of the type'),
        (
            put("<M8[s]", "model", "label_type"),
            '"label_type" must be the type of an array of labels',
        ),
        (put("what", "model", "label_type"), '"label_type" must be the type of an array of labels'),
        (
            put(3, "model", "label_type"),
            '"label_type" must be the type of an array of labels, got 3',
        ),
        (
            put("list", "model", "answers"),
            "\"answers\" must be one of labels, matrix, sets, got 'list'",
        ),
        (put("sets", "model", "answers"), '"answers" must fit the predictions of the rules, got'),
        (
            put(4, "model", "n_features_in"),
            '"n_features_in" must be 5, the size of the space, got 4',
        ),
        (
            put("4", "model", "n_features_in"),
            'numbers in "n_features_in" must be non-negative integers',
        ),
        (
            put(["a"], "model", "feature_names_in"),
            '"feature_names_in" must be null or the names of',
        ),
        (
            put({}, "model", "hierarchy"),
            '"hierarchy": a hierarchy must be null or {"labels": […], "edges"',
        ),
        (put([1, 2], "model", "shape"), '"shape" must be a list of three numbers'),
        (put([1], "model", "overall"), '"overall" must contain 3 numbers'),
        (put([1, 2, "x"], "model", "overall"), "\"overall\" must contain numbers, got 'x'"),
        (put(99, "model", "chosen"), '"chosen" must be less than '),
        (put([], "model", "front"), '"front" must be a nonempty list of rule sets, got'),
        (put([3], "model", "front"), '"front", rule set 1: a rule set must be an object, got 3'),
        (drop("model", "front", 0, "mix"), '"front", rule set 1: "mix" is missing'),
        (put([[1]], "model", "front", 0, "mix"), '"front", rule set 1: "mix" must contain '),
        (put(None, "model", "front", 0, "support"), '"front", rule set 1: "support" must contain '),
        (
            put(None, "model", "front", 0, "penalty"),
            '"front", rule set 1: "penalty" must contain numbers',
        ),
        (
            put(10**400, "model", "front", 0, "penalty"),
            '"front", rule set 1: "penalty" must fit into float64, got 1000',
        ),
        (
            put([["u", 10**400]], "model", "parameters", "class_weight"),
            '"class_weight" must fit into float64, got 1000',
        ),
        (
            put([["u", -1]], "model", "parameters", "class_weight"),
            '"class_weight" must be at least 0, got -1',
        ),
        (
            put([["u", "2"]], "model", "parameters", "class_weight"),
            "\"class_weight\" must contain numbers, got '2'",
        ),
        (
            put({"u": 2}, "model", "parameters", "class_weight"),
            '"class_weight" must be a list of pairs [label, weight]',
        ),
        (
            put([["u", {"float": "inf"}]], "model", "parameters", "class_weight"),
            "\"class_weight\" must contain numbers, got {'float': 'inf'}",
        ),
        (
            put(10**400, "model", "chosen"),
            '"chosen" must be less than ',
        ),
        (
            put([1, 2, -3], "model", "overall"),
            '"overall" must be at least 0, got -3',
        ),
        (put(1, "model", "front", 0, "x"), "\"front\", rule set 1: the rule set: unknown key 'x'"),
        (put("other", "default"), '"front", rule set '),
    ],
)
def test_an_error_in_a_damaged_model_names_the_key(model, path, change, message):
    irenic.write(model.select(max_rules=min(p.n_rules for p in model.pareto_front_)), path)
    data = json.loads(path.read_text())
    data["model"]["chosen"] = 0  # the smallest comes first
    change(data)
    path.write_text(json.dumps(data))
    with pytest.raises(FormatError) as caught:
        irenic.read_model(path)
    assert str(caught.value).startswith(f'{path}: "model": {message}')
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("literal", ["1e999", "-1e999", "NaN", "Infinity", "-Infinity", "9" * 5000])
def test_errors_about_numbers_beyond_float64_have_a_location(model, path, literal):
    text = json_model.dumps(model)
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
    irenic.write(kept("hierarchy"), path)
    text = path.read_text()
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
            yield from places(data[key], (*at, key))


# scikit-learn warns about names if the file has none, which is valid
@pytest.mark.filterwarnings("ignore:X has feature names")
@examples(0.6)
@given(st.data())
def test_all_problems_with_a_file_raise_irenic_errors(model, data):
    file = json.loads(json_model.dumps(model))
    place = data.draw(st.sampled_from([p for p in places(file) if p]))
    wrong = st.sampled_from([None, True, -1, 0.5, "x", [], {}, [[]], {"a": 1}, 10**400, math.inf])
    put(data.draw(wrong), *place)(file)
    text = json.dumps(file).replace("Infinity", data.draw(st.sampled_from(["1e999", "NaN"])))
    try:
        again = irenic.read_model(io.StringIO(text))
        again.predict(TABLE)
        json_model.dumps(again)
    except IrenicError as error:
        assert "\n" not in str(error)  # noqa: PT017


def test_a_model_with_a_hierarchy_that_was_read_scores_the_same(tmp_path):
    model = kept("hierarchy")
    irenic.write(model, tmp_path / "model.json")
    y = WAYS["hierarchy"][1]
    assert irenic.read_model(tmp_path / "model.json").score(TABLE, y) == model.score(TABLE, y)
