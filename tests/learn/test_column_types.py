"""Columns of other libraries, and columns whose type differs between training and prediction."""

from __future__ import annotations

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from fitting import grouped

from irenic import Categorical, DataError, Space
from irenic.learn import RuleSetClassifier

OPTIONS = {"generations": 1, "moves": 50, "random_state": 0, "selection": "description"}


def fit(X, y, **options):
    return RuleSetClassifier(**grouped(OPTIONS | options)).fit(X, y)


@pytest.mark.parametrize("dtype", [pl.Categorical, pl.Enum(["A", "B", "C"]), pl.String])
@pytest.mark.parametrize("n", [9, 2_001])
def test_categories_of_polars_are_read_with_missing_values(dtype, n):
    values = (["A", "B", None] * n)[:n]
    space = Space([Categorical("r", ["A", "B"], missing=True, other=True)])
    codes = space.encode(pl.DataFrame({"r": pl.Series(values, dtype=dtype)})).codes
    assert codes.tolist() == space.encode({"r": values}).codes.tolist()


def test_a_relation_with_an_enum_is_predicted_and_keeps_its_types():
    jobs = ["nurse", 'it\'s "fine"', "clerk"] * 10
    X = pd.DataFrame({"job": jobs, "a b": np.arange(30.0)})
    clf = fit(X, ["bad", "good", "good"] * 10)
    connection = duckdb.connect()
    connection.register("v", X)
    connection.register("w", X.assign(job=pd.Categorical(jobs, ordered=True)))
    connection.execute("CREATE TYPE j AS ENUM ('nurse', 'it''s \"fine\"', 'clerk')")
    for query in ('SELECT job::j AS job, "a b" FROM v', "SELECT * FROM w"):
        relation = connection.sql(query)
        predicted = clf.predict(relation)
        assert predicted.types[:2] == relation.types
        assert [row[2] for row in predicted.fetchall()] == clf.predict(X).tolist()


@pytest.mark.parametrize(
    ("known", "given", "message"),
    [
        (["0", "1"], [0, 1], "0 is a number, and '0' among the values of the feature is text"),
        (["0", "1"], [np.nan, 1.0], "1.0 is a number, and '1' among"),
        ([0, 1], ["1", "0"], "'1' is text, and 1 among the values of the feature is a number"),
        ([True, False], ["true", "x"], "'true' is text, and True among .* is a boolean"),
    ],
)
def test_values_that_are_known_only_as_another_type_are_refused(known, given, message):
    space = Space([Categorical("a", known, other=True, missing=True)])
    with pytest.raises(DataError, match=f"column 'a': no value is known, because {message}"):
        space.encode(pd.DataFrame({"a": given}))


def test_unknown_values_are_other_values_if_another_is_known_or_their_text_is_not():
    space = Space([Categorical("a", ["0", "1"], other=True)])
    assert space.encode({"a": ["0", 1]}).codes.tolist() == [[2, 1]]
    assert space.encode({"a": [7, 8]}).codes.tolist() == [[1, 1]]
    assert space.encode({"a": ["7"]}).codes.tolist() == [[1]]


ZONED = pd.DataFrame({"t": pd.date_range("2020-01-01", periods=40, freq="h", tz="Europe/Berlin")})


@pytest.mark.parametrize(
    ("naive", "where"),
    [
        (lambda t: pd.DataFrame({"t": t}), "column 't'"),
        (lambda t: pl.DataFrame({"t": t.tolist()}), "column 't'"),
        (lambda t: {"t": t.to_numpy()}, "column 't'"),
        (lambda t: [{"t": None}, {"t": t[0].to_pydatetime()}], "column 't', row 2,"),
    ],
)
def test_times_without_a_zone_are_refused_if_those_of_training_have_one(naive, where):
    clf = fit(ZONED, ["bad"] * 20 + ["good"] * 20)
    assert clf.predict(ZONED).tolist() == ["bad"] * 20 + ["good"] * 20
    assert clf.predict([{"t": None}]).shape == (1,)
    local = pd.date_range("2020-01-01", periods=40, freq="h")
    with pytest.raises(DataError, match=f"{where} has no time zone, but times of the feature"):
        clf.predict(naive(local))


def test_rules_about_times_say_that_these_are_utc():
    clf = fit(ZONED, ["bad"] * 20 + ["good"] * 20)
    assert str(clf.rules_).endswith("\n  times of t are in UTC")
