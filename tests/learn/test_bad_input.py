"""What the classifier is given that is strange, and what it says of what is wrong."""

from __future__ import annotations

import datetime as dt
import re
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from fitting import check_consistent, grouped, people, quick, refused
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.utils._param_validation import InvalidParameterError

from irenic import Categorical, Continuous, DataError, RuleSetClassifier, Space
from irenic.learn import cross_validation

X, Y = load_iris(return_X_y=True)
PEOPLE = people(60)


@pytest.fixture(scope="module")
def of_people():
    return quick().fit(*PEOPLE)


def decisions_of(clf):
    return clf.predict, clf.predict_proba, clf.explain


# --- parameters


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("max_rules", 0, "an int in the range [1, inf) or None"),
        ("max_rules", 2.5, "an int in the range [1, inf) or None"),
        ("max_conditions", -1, "an int in the range [1, inf) or None"),
        ("generations", 0, "an int in the range [1, inf)"),
        ("moves", 0, "an int in the range [1, inf) or None"),
        ("smoothing", 1.5, "a float in the range [0.0, 1.0]"),
        ("budget", 0, "a float in the range (0.0, inf) or None"),
        ("selection", "best", "a str among {'description', 'one_se', 'validation'}"),
        ("init", "random", "a str among {'seeds', 'trees'}"),
        ("conflicts", None, "a str among {'avoid', 'best', 'vote'}"),
        ("default", "A", "a str among {'abstain', 'majority'}"),
        ("complete", "yes", None),
        ("warm_start", None, None),
        ("class_weight", "even", None),
        ("n_jobs", 1.5, None),
    ],
)
def test_parameters_are_checked(name, value, allowed):
    parameters = grouped({name: value})
    owner = type(parameters.get("evolution", RuleSetClassifier())).__name__
    start = f"The {name!r} parameter of {owner} must be "
    with pytest.raises(InvalidParameterError, match=f"^{start}") as caught:
        RuleSetClassifier(**parameters).fit(X, Y)
    if allowed is not None:  # the order of a set is not fixed
        expected = f"{allowed}. Got {value!r} instead."
        message = str(caught.value).removeprefix(start)
        assert sorted(re.split("[ ,{}]+", message)) == sorted(re.split("[ ,{}]+", expected))


def test_positional_parameters_are_refused():
    with pytest.raises(TypeError):
        RuleSetClassifier(3)


# --- labels

NO_LABEL = "the label is missing; drop such rows from X and y"
ONE = "y must have at least two classes, got one class: "


def labels_with(value, dtype=object):
    y = np.array(["a", "b"] * 75, dtype=object) if dtype is object else Y.astype(dtype)
    y[3] = value
    return y


@pytest.mark.parametrize(
    ("text", "given"),
    [
        (f"{ONE}5", [np.full(len(X), 5)]),
        (f"{ONE}a", [["a"] * len(X)]),
        (f"y, row 4: {NO_LABEL}", [labels_with(nothing) for nothing in (None, np.nan, pd.NA)]),
        (
            f"y, row 2: {NO_LABEL}",  # not text
            [
                make(["a", nothing, "b"] * 50)
                for make in (list, tuple)
                for nothing in (None, np.nan, float("nan"), pd.NA)
            ],
        ),
        *(
            (
                f"labels in y must be of one type, got {kinds}",
                [y, tuple(y), pd.Series(y), np.array(y, dtype=object)],
            )
            for y, kinds in (
                ([1, "a"] * 75, "int, str"),
                ([False, "a"] * 75, "bool, str"),
                ([1, True] * 75, "bool, int"),
            )
        ),
        *(
            (f"X and y must have the same number of rows, got 150 and {n}", [np.resize(Y, n)])
            for n in (149, 151)
        ),
    ],
)
def test_labels_that_cannot_be_learned_are_refused(text, given):
    frame = pd.DataFrame(X, columns=list("abcd"))
    for y in given:
        for table in (X, frame):
            refused(text, quick().fit, table, y)


@pytest.mark.parametrize(
    ("text", "y"),
    [
        ("row 4: the label is missing|contains NaN", labels_with(np.nan, float)),
        ("[Ii]nf", labels_with(np.inf, float)),
        ("requires y to be passed, but the target y is None", None),
        ("Unknown label type: continuous", np.linspace(0, 1, len(X))),
    ],
)
def test_labels_that_scikit_learn_refuses(text, y):
    with pytest.raises(ValueError, match=text):
        quick().fit(X, y)


def test_weights_that_are_wrong():
    for weight, text in [
        (np.zeros(150), "Sample weights must contain at least one non-zero number"),
        (np.full(150, -1.0), "Negative values in data passed to `sample_weight`"),
        (np.ones(149), "sample_weight.shape == (149,), expected (150,)!"),
        (np.full(150, np.nan), "Input sample_weight contains NaN"),
    ]:
        with pytest.raises(ValueError, match=re.escape(text)):
            quick().fit(X, Y, sample_weight=weight)
    for weight, text in [
        (["1", "2"] * 75, "1"),
        ([1, "2"] * 75, "2"),
        ([1.0, b"2"] * 75, b"2"),
        (np.array(["1", "2"] * 75), "1"),
        (pd.Series(["1", "2"] * 75), "1"),
    ]:
        message = f"sample_weight must be numbers, got {text!r}"
        refused(message, quick().fit, X, Y, sample_weight=weight)
    refused(f"{ONE}1", quick().fit, X, Y, sample_weight=(Y == 1).astype(float))
    text = "class_weight must hold finite non-negative numbers, got {!r} for class 0"
    for number in ("2", np.nan, np.inf, -1, None):
        refused(text.format(number), quick(class_weight={0: number, 1: 1, 2: 1}).fit, X, Y)


def test_a_hierarchy_that_is_none():
    text = (
        "a hierarchy must consist of paths such as '1/2/3', (parent, child) pairs or a directed"
        " graph, got 5"
    )
    refused(text, quick(hierarchy=5).fit, X, [{0}] * len(X))


# --- tables


def test_rows_of_several_lengths():
    clf = quick().fit([(1, "a"), (2, "b")] * 10, ["a", "b"] * 10)
    for rows, text in [
        ([(1, 2), (3,)], "row 2 of the table must have 2 values like row 1, got 1: (3,)"),
        ([[1], [1, 2]], "row 2 of the table must have 1 value like row 1, got 2: [1, 2]"),
    ]:
        refused(text, quick().fit, rows * 10, ["a", "b"] * 10)
        refused(text, clf.predict, rows)


def test_no_rows_and_no_columns():
    with pytest.raises(ValueError, match=r"Found array with 0 sample\(s\)"):
        quick().fit(np.empty((0, 3)), [])
    for table in (pd.DataFrame({"a": []}), pl.DataFrame({"a": []}), {"a": []}):
        refused("X must have at least one row, got none", quick().fit, table, [])
    with pytest.raises(ValueError, match=r"0 feature\(s\) \(shape=\(3, 0\)\) while a minimum of 1"):
        quick().fit(np.empty((3, 0)), [0, 1, 0])
    with pytest.raises(ValueError, match=r"column|feature"):
        quick().fit(pd.DataFrame(index=range(3)), [0, 1, 0])


def test_infinite_values():
    table = X.copy()
    table[3, 1] = np.inf
    with pytest.raises(ValueError, match=r"[Ii]nf"):
        quick().fit(table, Y)
    text = (
        "column 'b', row 4: inf is infinite; use a finite number, or leave the cell empty if it"
        " is missing"
    )
    refused(text, quick().fit, pd.DataFrame(table, columns=list("abcd")), Y)


def test_columns_of_one_name():
    frame = pd.DataFrame(X[:, :2], columns=["a", "a"])
    clf = quick().fit(frame.iloc[:, :1], Y)
    refused("the table has two columns named 'a'", quick().fit, frame, Y)
    for call in decisions_of(clf):
        refused("the table has two columns named 'a'", call, frame)


def test_before_it_is_fitted():
    clf = quick()
    for call, args in [
        *((call, [X]) for call in decisions_of(clf)),
        (clf.select, []),
        (clf.score, [X, Y]),
    ]:
        with pytest.raises(NotFittedError):
            call(*args)


def test_columns_that_change(of_people):
    frame, y = PEOPLE
    for call in decisions_of(of_people):
        for other, text in [
            (frame.rename(columns={"age": "years"}), " that were passed"),
            (frame[frame.columns[::-1]], ""),
            (frame[["age", "job"]], ""),
        ]:
            with pytest.raises(ValueError, match=f"feature names should match.*{text}"):
                call(other)
    with pytest.raises(DataError, match="column 'age'"):
        of_people.predict(frame.assign(age="old"))
    for kind in (pl.from_pandas, lambda frame: frame.to_dict("list")):
        for call in decisions_of(quick().fit(kind(frame), y)):
            with pytest.raises(ValueError, match=r"'age'|feature names should match"):
                call(kind(frame.rename(columns={"age": "years"})))
    clf = quick().fit(X, Y)
    with pytest.raises(ValueError, match="X has 3 features, but RuleSetClassifier is expecting 4"):
        clf.predict(X[:, :3])


# --- strange data that is right


@pytest.mark.parametrize(
    ("n", "selection"),
    [(2, "description"), (2, "validation"), (3, "validation"), (30, "validation")],
)
def test_every_row_its_own_class(n, selection):
    rows = np.random.default_rng(0).random((n, 2))
    clf = quick(selection=selection, smoothing=0.5)
    with warnings.catch_warnings():
        # scikit-learn's own doubt, beyond 20 rows
        warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
        clf.fit(rows, np.arange(n))
    assert len(clf.classes_) == n
    assert clf.predict_proba(rows).sum(axis=1) == pytest.approx(1.0)
    check_consistent(clf)


def test_columns_that_say_nothing():
    frame, y = PEOPLE
    frame = frame.assign(same=1.5, name="x", nothing=np.nan, never=pd.Series([None] * len(frame)))
    clf = quick(smoothing=0.5).fit(frame, y)
    tested = {name for rule in clf.rules_ for name in rule.region.conditions()}
    assert not tested & {"same", "name", "nothing", "never"}
    changed = frame.assign(same=7.0, name="y", nothing=3.0)
    assert clf.predict(changed).tolist() == clf.predict(frame).tolist()
    for column in ([1.0] * 6, [None] * 6, ["a"] * 6, [np.nan] * 6):
        alone = pd.DataFrame({"a": column})
        clf = quick(smoothing=0.5).fit(alone, ["x", "y", "y", "y", "y", "x"])
        assert clf.predict(alone).tolist() == ["y"] * 6


def test_few_rows_and_rows_that_contradict_each_other():
    validated = quick(selection="validation", smoothing=0.5)
    assert set(validated.fit([[1.0], [2.0]], ["a", "b"]).predict([[1.0], [2.0]])) <= {"a", "b"}
    table = np.zeros((30, 2))
    assert validated.fit(table, [0, 1, 1] * 10).predict(table).tolist() == [1] * 30
    wide = np.random.default_rng(0).random((20, 300))  # more columns than rows
    check_consistent(quick(smoothing=0.5).fit(wide, wide[:, 7] > 0.5))
    y = np.where(np.arange(150) == 0, 7, Y)  # a class of one row
    clf = validated.fit(X, y)
    assert clf.classes_.tolist() == [0, 1, 2, 7]
    assert clf.predict_proba(X).shape == (150, 4)
    check_consistent(clf)


def test_ten_thousand_categories():
    n = 10_000
    rng = np.random.default_rng(0)
    kinds = np.array([f"kind {i}" for i in range(n)])
    frame = pd.DataFrame({"kind": rng.permutation(kinds), "x": rng.random(n)})
    y = frame["x"] > 0.5
    clf = quick(max_rules=4, forbidden=[]).fit(frame, y)
    assert clf.score(frame, y) > 0.95
    assert len(clf.predict(frame.head(5).assign(kind="never seen"))) == 5


def test_numbers_at_the_ends_of_what_floats_can_hold():
    big = np.finfo(float).max
    column = np.array([-big, -1e300, -5e-324, 0.0, 5e-324, 1e300, big, np.nan] * 4)[:, None]
    y = (np.arange(32) % 8) < 4
    clf = quick(generations=2, moves=1000).fit(column, y)
    check_consistent(clf)
    assert clf.score(column, y) > 0.7
    column = np.array([2**53 - 3, 2**53 - 2, 2**53 - 1, 2**53], dtype=np.int64)[:, None]
    clf = quick().fit(np.repeat(column, 5, axis=0), np.repeat([0, 0, 1, 1], 5))
    assert clf.predict(column).tolist() == [0, 0, 1, 1]


def test_dates():
    frame = pd.DataFrame({"day": pd.date_range("2024-01-01", periods=60)})
    y = np.where(frame["day"] < "2024-02-10", "early", "late")
    clf = quick().fit(frame, y)
    assert clf.score(frame, y) == 1.0
    assert "2024" in str(clf.rules_)


def test_nothing_is_changed_when_a_fit_is_refused():
    table, y, clf = X.copy(), Y.copy(), quick()
    with pytest.raises(DataError):
        clf.fit(table, np.zeros(150))
    assert not hasattr(clf, "rules_")
    clf.fit(table, y)
    assert (table == X).all()
    assert (y == Y).all()
    # whole numbers and fractions are labels of one type
    assert clf.fit(X, [1, 2.0, np.int64(3)] * 50).classes_.tolist() == [1, 2, 3]


# --- columns that rules must not test

N_ROWS = 24
AWARE = dt.datetime(2020, 1, 1, tzinfo=dt.UTC)
UNREADABLE = {
    "integers beyond 2**53": [2**60 + i for i in range(N_ROWS)],
    "integers beyond float64": [10**400 + i for i in range(N_ROWS)],
    "lists": [[i] for i in range(N_ROWS)],
    "mappings": [{"a": i} for i in range(N_ROWS)],
    "infinite numbers": [np.inf] * N_ROWS,
    "complex numbers": [1j] * N_ROWS,
    "times with and without a zone": [dt.datetime(2020, 1, 1), AWARE] * (N_ROWS // 2),
    "text that is not Unicode": ["\ud800"] * N_ROWS,
    "nothing": [None] * N_ROWS,
}
LABELS = ["low"] * 12 + ["high"] * 12


def frame_with(values):
    column = np.empty(N_ROWS, dtype=object)
    column[:] = values
    return {"a": np.arange(N_ROWS), "z": column}


@pytest.fixture(scope="module")
def without():
    alone = {"a": np.arange(N_ROWS)}
    clf = quick().fit(alone, LABELS)
    return clf.predict(alone).tolist(), clf.score(alone, LABELS), clf.predict_proba(alone).tolist()


@pytest.mark.parametrize("values", UNREADABLE.values(), ids=UNREADABLE)
def test_a_forbidden_column_may_hold_anything(values, without):
    X = frame_with(values)
    table = np.column_stack([X["a"].astype(object), X["z"]])
    frame = pd.DataFrame(X, dtype=object)
    for given, forbidden in ((X, "z"), (X, ["z"]), (frame, ["z"]), (table, [1])):
        clf = quick(forbidden=forbidden).fit(given, LABELS)
        score, likely = clf.score(given, LABELS), clf.predict_proba(given).tolist()
        assert (clf.predict(given).tolist(), score, likely) == without


def test_a_forbidden_column_is_read_where_it_can_be():
    """Values that only rows to predict have, and other columns, keep their errors and types."""
    clf = quick(forbidden=["z"]).fit(frame_with(["x", "y"] * 12), LABELS)
    assert isinstance(clf.space_["z"], Categorical)
    assert clf.predict(frame_with([[1]] * N_ROWS)).tolist() == LABELS
    with pytest.raises(DataError, match=r"column 'a', row 1: .* is beyond 2\*\*53"):
        quick(forbidden=["z"]).fit({"z": range(N_ROWS), "a": [2**60] * N_ROWS}, LABELS)


@pytest.mark.parametrize(
    "known",
    [
        {"rules": "IF z > 5 THEN low"},
        {"never": "low WHERE z > 5"},
        {"always": "low WHERE z > 5"},
        {"space": Space([Continuous("a"), Continuous("z")])},
    ],
    ids=lambda known: next(iter(known)),
)
def test_a_forbidden_column_that_users_test_must_be_readable(known):
    with pytest.raises(DataError, match=r"column 'z', row 1: .* is beyond 2\*\*53"):
        quick(forbidden=["z"], **known).fit(frame_with([2**60] * N_ROWS), LABELS)


def test_cross_validation_leaves_unreadable_forbidden_columns_out():
    X = frame_with(UNREADABLE["integers beyond 2**53"])
    matrix, sources = cross_validation.as_matrix(X, ["z"])
    assert (matrix.tolist(), sources) == ([[float(i)] for i in range(N_ROWS)], [0])
    assert cross_validation.as_matrix({"z": X["z"], "a": X["a"]}, [0])[1] == [1]
    assert cross_validation.as_matrix({"z": X["z"]}, ["z"])[0].tolist() == [[0.0]] * N_ROWS
