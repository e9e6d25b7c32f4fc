"""What the classifier is given that is strange, and what it says of what is wrong."""

from __future__ import annotations

import datetime as dt
import re
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from fitting import check_consistent, people, quick
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.utils._param_validation import InvalidParameterError

from irenic import Categorical, Continuous, DataError, RuleSetClassifier, Space
from irenic.learn import cross_validation

X, Y = load_iris(return_X_y=True)
PEOPLE = people(60)


def refused(error, text, X, y, **options):
    with pytest.raises(error) as caught:
        quick(**options).fit(X, y)
    assert str(caught.value) == text


# --- parameters


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("max_rules", 0, "an int in the range [1, inf) or None. Got 0 instead."),
        ("max_rules", 2.5, "an int in the range [1, inf) or None. Got 2.5 instead."),
        ("max_conditions", -1, "an int in the range [1, inf) or None. Got -1 instead."),
        ("generations", 0, "an int in the range [1, inf). Got 0 instead."),
        ("moves", 0, "an int in the range [1, inf) or None. Got 0 instead."),
        ("smoothing", 1.5, "a float in the range [0.0, 1.0]. Got 1.5 instead."),
        ("budget", 0, "a float in the range (0.0, inf) or None. Got 0 instead."),
        (
            "selection",
            "best",
            "a str among {'description', 'one_se', 'validation'}. Got 'best' instead.",
        ),
        ("init", "random", "a str among {'seeds', 'trees'}. Got 'random' instead."),
        ("conflicts", None, "a str among {'avoid', 'best', 'vote'}. Got None instead."),
        ("default", "A", "a str among {'abstain', 'majority'}. Got 'A' instead."),
    ],
)
def test_parameters_are_checked(name, value, text):
    with pytest.raises(InvalidParameterError) as caught:
        RuleSetClassifier(**{name: value}).fit(X, Y)
    said = str(caught.value)
    start = f"The {name!r} parameter of RuleSetClassifier must be "
    assert said.startswith(start)
    allowed = said.removeprefix(start)
    if " among " in text:  # the order of a set is not fixed
        assert sorted(allowed.replace("{", " ").replace("}", " ").replace(",", " ").split()) == (
            sorted(text.replace("{", " ").replace("}", " ").replace(",", " ").split())
        )
    else:
        assert allowed == text


@pytest.mark.parametrize(
    ("name", "value"),
    [("complete", "yes"), ("warm_start", None), ("class_weight", "even"), ("n_jobs", 1.5)],
)
def test_parameters_of_another_type_are_refused(name, value):
    with pytest.raises(InvalidParameterError, match=f"The '{name}' parameter of RuleSetClassifier"):
        RuleSetClassifier(**{name: value}).fit(X, Y)


def test_a_hierarchy_that_is_none():
    refused(
        DataError,
        "a hierarchy must consist of paths such as '1/2/3', (parent, child) pairs or a directed"
        " graph, got 5",
        X,
        [{0}] * len(X),
        hierarchy=5,
    )


def test_positional_parameters_are_refused():
    with pytest.raises(TypeError):
        RuleSetClassifier(3)


# --- labels


def test_one_class():
    refused(DataError, "y must have at least two classes, got one class: 5", X, np.full(len(X), 5))
    refused(DataError, "y must have at least two classes, got one class: a", X, ["a"] * len(X))


def test_one_class_with_any_weight():
    with pytest.raises(DataError) as caught:
        quick().fit(X, Y, sample_weight=(Y == 1).astype(float))
    assert str(caught.value) == "y must have at least two classes, got one class: 1"


@pytest.mark.parametrize("nothing", [None, np.nan, pd.NA, float("nan")])
def test_labels_that_are_missing(nothing):
    y = np.array(["a", "b"] * 75, dtype=object)
    y[3] = nothing
    refused(DataError, "y, row 4: the label is missing; drop such rows from X and y", X, y)


def test_numbers_that_are_missing_among_labels():
    y = Y.astype(float)
    y[3] = np.nan
    with pytest.raises(ValueError, match=r"row 4: the label is missing|contains NaN"):
        quick().fit(X, y)


def test_infinite_labels():
    y = Y.astype(float)
    y[3] = np.inf
    with pytest.raises(ValueError, match=r"[Ii]nf"):
        quick().fit(X, y)


def test_no_labels():
    with pytest.raises(ValueError, match="requires y to be passed, but the target y is None"):
        quick().fit(X, None)


def test_numbers_that_are_no_labels():
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        quick().fit(X, np.linspace(0, 1, len(X)))


def test_labels_of_several_types():
    refused(
        DataError,
        "labels in y must be of one type, got int, str",
        X,
        np.array([1, "a"] * 75, dtype=object),
    )


@pytest.mark.parametrize("make", [list, tuple, pd.Series, lambda y: np.array(y, dtype=object)])
@pytest.mark.parametrize(
    ("pair", "kinds"),
    [([1, "a"], "int, str"), ([False, "a"], "bool, str"), ([1, True], "bool, int")],
)
def test_labels_of_several_types_in_any_container(make, pair, kinds):
    text = f"labels in y must be of one type, got {kinds}"
    refused(DataError, text, X, make(pair * 75))


@pytest.mark.parametrize("make", [list, tuple])
@pytest.mark.parametrize("missing", [None, float("nan"), np.nan, pd.NA])
def test_a_missing_label_among_text_is_no_text(make, missing):
    text = "y, row 2: the label is missing; drop such rows from X and y"
    refused(DataError, text, X, make(["a", missing, "b"] * 50))


def test_whole_numbers_and_fractions_are_labels_of_one_type():
    clf = quick().fit(X, [1, 2.0, np.int64(3)] * 50)
    assert clf.classes_.tolist() == [1, 2, 3]


@pytest.mark.parametrize("n", [149, 151])
def test_lengths_that_differ(n):
    y = np.resize(Y, n)
    refused(DataError, f"X and y must have the same number of rows, got 150 and {n}", X, y)
    frame = pd.DataFrame(X)
    frame.columns = list("abcd")
    refused(DataError, f"X and y must have the same number of rows, got 150 and {n}", frame, y)


def test_weights_that_are_wrong():
    for weight, text in [
        (np.zeros(150), "Sample weights must contain at least one non-zero number"),
        (np.full(150, -1.0), "Negative values in data passed to `sample_weight`"),
        (np.ones(149), "sample_weight.shape == (149,), expected (150,)!"),
        (np.full(150, np.nan), "Input sample_weight contains NaN"),
    ]:
        with pytest.raises(ValueError, match=re.escape(text)):
            quick().fit(X, Y, sample_weight=weight)


@pytest.mark.parametrize(
    ("weight", "text"),
    [
        (["1", "2"] * 75, "1"),
        ([1, "2"] * 75, "2"),
        ([1.0, b"2"] * 75, b"2"),
        (np.array(["1", "2"] * 75), "1"),
        (pd.Series(["1", "2"] * 75), "1"),
    ],
)
def test_weights_that_are_text(weight, text):
    with pytest.raises(DataError) as caught:
        quick().fit(X, Y, sample_weight=weight)
    assert str(caught.value) == f"sample_weight must be numbers, got {text!r}"


def test_class_weights_that_are_text():
    text = "class_weight must hold finite non-negative numbers, got '2' for class 0"
    refused(DataError, text, X, Y, class_weight={0: "2", 1: 1, 2: 1})


# --- tables


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ([(1, 2), (3,)], "row 2 of the table must have 2 values like row 1, got 1: (3,)"),
        ([[1], [1, 2]], "row 2 of the table must have 1 value like row 1, got 2: [1, 2]"),
    ],
)
def test_rows_of_several_lengths(rows, text):
    refused(DataError, text, rows * 10, ["a", "b"] * 10)
    clf = quick().fit([(1, "a"), (2, "b")] * 10, ["a", "b"] * 10)
    with pytest.raises(DataError) as caught:
        clf.predict(rows)
    assert str(caught.value) == text


def test_no_rows():
    with pytest.raises(ValueError, match=r"Found array with 0 sample\(s\)"):
        quick().fit(np.empty((0, 3)), [])
    for table in (pd.DataFrame({"a": []}), pl.DataFrame({"a": []}), {"a": []}):
        refused(DataError, "X must have at least one row, got none", table, [])


def test_no_columns():
    with pytest.raises(ValueError, match=r"0 feature\(s\) \(shape=\(3, 0\)\) while a minimum of 1"):
        quick().fit(np.empty((3, 0)), [0, 1, 0])
    with pytest.raises(ValueError, match=r"column|feature"):
        quick().fit(pd.DataFrame(index=range(3)), [0, 1, 0])


def test_infinite_values():
    table = X.copy()
    table[3, 1] = np.inf
    with pytest.raises(ValueError, match=r"[Ii]nf"):
        quick().fit(table, Y)
    frame = pd.DataFrame(table, columns=list("abcd"))
    refused(
        DataError,
        "column 'b', row 4: inf is infinite; use a finite number, or leave the cell empty if it"
        " is missing",
        frame,
        Y,
    )


def test_columns_of_one_name():
    frame = pd.DataFrame(X[:, :2], columns=["a", "a"])
    message = "^the table has two columns named 'a'$"
    with pytest.raises(DataError, match=message):
        quick().fit(frame, Y)
    clf = quick().fit(frame.iloc[:, :1], Y)
    for call in (clf.predict, clf.predict_proba, clf.explain):
        with pytest.raises(DataError, match=message):
            call(frame)


def test_before_it_is_fitted():
    for call in ("predict", "predict_proba", "explain"):
        with pytest.raises(NotFittedError):
            getattr(quick(), call)(X)
    with pytest.raises(NotFittedError):
        quick().select(max_rules=3)
    with pytest.raises(NotFittedError):
        quick().score(X, Y)


def test_names_that_change():
    frame, y = PEOPLE
    clf = quick().fit(frame, y)
    renamed = frame.rename(columns={"age": "years"})
    for call in (clf.predict, clf.predict_proba, clf.explain):
        with pytest.raises(ValueError, match="feature names should match those that were passed"):
            call(renamed)
        with pytest.raises(ValueError, match="feature names should match"):
            call(frame[frame.columns[::-1]])
        with pytest.raises(ValueError, match="feature names should match"):
            call(frame[["age", "job"]])


@pytest.mark.parametrize("kind", [pl.from_pandas, lambda frame: frame.to_dict("list")])
def test_names_that_change_in_other_tables(kind):
    frame, y = PEOPLE
    clf = quick().fit(kind(frame), y)
    for call in (clf.predict, clf.predict_proba, clf.explain):
        with pytest.raises(ValueError, match=r"'age'|feature names should match"):
            call(kind(frame.rename(columns={"age": "years"})))


def test_another_number_of_columns():
    clf = quick().fit(X, Y)
    with pytest.raises(ValueError, match="X has 3 features, but RuleSetClassifier is expecting 4"):
        clf.predict(X[:, :3])


def test_text_where_numbers_were():
    frame, y = PEOPLE
    clf = quick().fit(frame, y)
    with pytest.raises(DataError, match="column 'age'"):
        clf.predict(frame.assign(age="old"))


# --- strange data that is right


def test_a_class_of_one_row():
    y = Y.copy()
    y[0] = 7
    for selection in ("validation", "description"):
        clf = quick(selection=selection, smoothing=0.5).fit(X, y)
        assert clf.classes_.tolist() == [0, 1, 2, 7]
        assert clf.predict_proba(X).shape == (150, 4)
        check_consistent(clf)


@pytest.mark.parametrize("selection", ["validation", "description"])
@pytest.mark.parametrize("n", [2, 3, 5, 30])
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


@pytest.mark.parametrize("column", [[1.0] * 6, [None] * 6, ["a"] * 6, [np.nan] * 6])
def test_only_a_column_that_says_nothing(column):
    frame = pd.DataFrame({"a": column})
    clf = quick(smoothing=0.5).fit(frame, ["x", "y", "y", "y", "y", "x"])
    assert clf.predict(frame).tolist() == ["y"] * 6


def test_two_rows():
    clf = quick(selection="validation", smoothing=0.5).fit([[1.0], [2.0]], ["a", "b"])
    assert set(clf.predict([[1.0], [2.0]])) <= {"a", "b"}


def test_rows_that_contradict_each_other():
    table = np.zeros((30, 2))
    clf = quick(selection="validation", smoothing=0.5).fit(table, [0, 1, 1] * 10)
    assert clf.predict(table).tolist() == [1] * 30


def test_ten_thousand_categories():
    n = 10_000
    rng = np.random.default_rng(0)
    kinds = np.array([f"kind {i}" for i in range(n)])
    frame = pd.DataFrame({"kind": rng.permutation(kinds), "x": rng.random(n)})
    y = frame["x"] > 0.5
    clf = quick(max_rules=4, forbidden=[]).fit(frame, y)
    assert clf.score(frame, y) > 0.95
    unseen = frame.head(5).assign(kind="never seen")
    assert len(clf.predict(unseen)) == 5


def test_values_at_the_ends_of_what_floats_can_hold():
    big = np.finfo(float).max
    column = np.array([-big, -1e300, -5e-324, 0.0, 5e-324, 1e300, big, np.nan] * 4)[:, None]
    y = (np.arange(32) % 8) < 4
    clf = quick(generations=2, moves=1000).fit(column, y)
    check_consistent(clf)
    assert clf.score(column, y) > 0.7


def test_whole_numbers_that_floats_just_tell_apart():
    column = np.array([2**53 - 3, 2**53 - 2, 2**53 - 1, 2**53], dtype=np.int64)[:, None]
    clf = quick(smoothing=0.0).fit(np.repeat(column, 5, axis=0), np.repeat([0, 0, 1, 1], 5))
    assert clf.predict(column).tolist() == [0, 0, 1, 1]


def test_dates():
    days = pd.date_range("2024-01-01", periods=60)
    frame = pd.DataFrame({"day": days})
    y = np.where(days < "2024-02-10", "early", "late")
    clf = quick().fit(frame, y)
    assert clf.score(frame, y) == 1.0
    assert "2024" in str(clf.rules_)


def test_more_columns_than_rows():
    rng = np.random.default_rng(0)
    table = rng.random((20, 300))
    y = table[:, 7] > 0.5
    clf = quick(smoothing=0.5).fit(table, y)
    check_consistent(clf)


def test_nothing_is_changed_when_a_fit_is_refused():
    table, y = X.copy(), Y.copy()
    clf = quick()
    with pytest.raises(DataError):
        clf.fit(table, np.zeros(150))
    assert not hasattr(clf, "rules_")
    assert (table == X).all()
    clf.fit(table, y)
    assert (table == X).all()
    assert (y == Y).all()


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


def frame_with(values):
    column = np.empty(N_ROWS, dtype=object)
    column[:] = values
    return {"a": np.arange(N_ROWS), "z": column}


@pytest.mark.parametrize("values", UNREADABLE.values(), ids=UNREADABLE)
def test_a_forbidden_column_may_hold_anything(values):
    X, y = frame_with(values), ["low"] * 12 + ["high"] * 12
    without = quick().fit({"a": X["a"]}, y)
    table = np.column_stack([X["a"].astype(object), X["z"]])
    for given, forbidden in (
        (X, "z"),
        (X, ["z"]),
        (pd.DataFrame(X, dtype=object), ["z"]),
        (table, [1]),
    ):
        clf = quick(forbidden=forbidden).fit(given, y)
        assert clf.predict(given).tolist() == without.predict({"a": X["a"]}).tolist()
        assert clf.score(given, y) == without.score({"a": X["a"]}, y)
        expected = without.predict_proba({"a": X["a"]})
        np.testing.assert_array_equal(clf.predict_proba(given), expected)


def test_a_forbidden_column_is_read_where_it_can_be():
    """Values that only rows to predict have, and other columns, keep their errors and types."""
    y = ["low"] * 12 + ["high"] * 12
    clf = quick(forbidden=["z"]).fit(frame_with(["x", "y"] * 12), y)
    assert isinstance(clf.space_["z"], Categorical)
    assert clf.predict(frame_with([[1]] * N_ROWS)).tolist() == y
    with pytest.raises(DataError, match=r"column 'a', row 1: .* is beyond 2\*\*53"):
        quick(forbidden=["z"]).fit({"z": range(N_ROWS), "a": [2**60] * N_ROWS}, y)


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
    X, y = frame_with([2**60] * N_ROWS), ["low"] * 12 + ["high"] * 12
    with pytest.raises(DataError, match=r"column 'z', row 1: .* is beyond 2\*\*53"):
        quick(forbidden=["z"], **known).fit(X, y)


def test_cross_validation_leaves_unreadable_forbidden_columns_out():
    X = frame_with(UNREADABLE["integers beyond 2**53"])
    matrix, sources = cross_validation.as_matrix(X, ["z"])
    assert (matrix.tolist(), sources) == ([[float(i)] for i in range(N_ROWS)], [0])
    assert cross_validation.as_matrix({"z": X["z"], "a": X["a"]}, [0])[1] == [1]
    assert cross_validation.as_matrix({"z": X["z"]}, ["z"])[0].tolist() == [[0.0]] * N_ROWS
