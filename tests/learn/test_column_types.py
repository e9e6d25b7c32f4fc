"""Columns of other libraries, and columns whose type differs between training and prediction."""

from __future__ import annotations

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

from irenic import Categorical, Space
from irenic.learn import RuleSetClassifier

OPTIONS = {"generations": 1, "moves": 50, "random_state": 0, "selection": "description"}


def fit(X, y, **options):
    return RuleSetClassifier(**OPTIONS, **options).fit(X, y)


# --- categories of polars and DuckDB


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
