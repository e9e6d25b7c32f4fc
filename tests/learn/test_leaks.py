"""Columns that may know the answer."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from irenic.errors import DataError
from irenic.learn import suspect_columns

RNG = np.random.default_rng(0)
Y = RNG.choice(["good", "bad"], 200, p=[0.7, 0.3])


def frame(**columns):
    return pd.DataFrame({"age": RNG.integers(18, 80, 200), **columns})


def test_a_renamed_target_is_found_whatever_its_type():
    X = frame(closed=Y == "bad", code=np.where(Y == "bad", 7, 3), word=np.char.upper(Y))
    reason = "another name for the target"
    assert suspect_columns(X, Y) == {"closed": reason, "code": reason, "word": reason}


def test_a_column_that_predicts_nearly_everything_is_found():
    paid = np.where(Y == "bad", 0.0, RNG.uniform(10, 90, 200))
    paid[:2] = np.nan
    reason = np.where(Y == "bad", RNG.choice(["fraud", "late"], 200), "none")
    assert suspect_columns(frame(paid=paid, reason=reason), Y) == {
        "paid": f"predicts {1 - (Y[:2] == 'bad').sum() / 200:.1%} of the rows by itself",
        "reason": "predicts 100.0% of the rows by itself",
    }


def test_ordinary_columns_and_names_of_rows_are_not_suspect():
    noisy = np.where(RNG.random(200) < 0.4, "good", Y)
    X = frame(id=[f"row {i}" for i in range(200)], noisy=noisy, unit=["kg"] * 200)
    assert suspect_columns(X, Y) == {}
    # of 1 % positives, a constant predicts 99 %
    assert suspect_columns({"x": RNG.normal(size=400)}, np.arange(400) % 100 == 0) == {}
    # few rows are not judged
    assert suspect_columns({"x": [1, 0] * 20}, ["a", "b"] * 20) == {}


def test_columns_need_names():
    with pytest.raises(DataError, match="the columns of X must have names; use a frame"):
        suspect_columns(np.zeros((60, 2)), [0, 1] * 30)


@pytest.mark.parametrize("frame", [dict, pd.DataFrame, pl.DataFrame, pa.table])
def test_many_rows_are_sampled(frame):
    n = 30_000
    y = np.arange(n) % 3 == 0
    X = frame({"x": np.arange(n) % 2, "code": np.where(y, "b", "a")})
    assert suspect_columns(X, y) == {"code": "another name for the target"}


def planted(y, share, rng):
    """Return a copy of labels that is right for a share of them."""
    return np.where(rng.random(len(y)) < share, y, np.where(y == "good", "bad", "good"))


@pytest.mark.parametrize("n", [300, 2_000])
@pytest.mark.parametrize("share", [0.95, 0.97])
@pytest.mark.parametrize("kind", ["text", "number"])
def test_a_column_that_predicts_more_than_all_others_together_is_found(kind, share, n):
    rng = np.random.default_rng(n)
    X = pd.DataFrame(rng.normal(size=(n, 5)), columns=list("abcde"))
    X["job"] = rng.choice(["cook", "clerk", None], n)
    y = np.where(X.a + X.b + rng.normal(0, 1, n) > 0.5, "bad", "good")
    leak = planted(y, share, rng)
    if kind == "number":
        leak = np.where(leak == "bad", rng.normal(9, 1, n), rng.normal(0, 1, n))
    (name,), (reason,) = zip(*suspect_columns(X.assign(leak=leak), y).items(), strict=True)
    assert name == "leak"
    assert reason.startswith("predicts 9")
    assert "% of the rows by itself, and all other columns together only " in reason
    assert suspect_columns(X, y) == {}


def test_a_good_column_among_good_columns_is_not_suspect():
    """Where all columns measure about the same, the best of them is no leak."""
    rng = np.random.default_rng(0)
    size = rng.normal(size=1_000)
    X = pd.DataFrame({name: size + rng.normal(0, 0.15, 1_000) for name in "abcd"})
    y = np.where(size > 0, "bad", "good")
    assert suspect_columns(X.assign(a=size + rng.normal(0, 0.13, 1_000)), y) == {}
    # the only column is compared with the most frequent label
    assert list(suspect_columns({"x": planted(Y, 0.97, rng)}, Y)) == ["x"]
