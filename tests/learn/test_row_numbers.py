"""Columns that number or name the rows: learned rules do not test them unless users say so."""

import json
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest

from irenic import Categorical, Continuous, Space
from irenic.learn import cross_validate, unhelpful_columns
from irenic.model.spaces import names_tested
from tests.learn.fitting import make_many, quick

N = 300
RNG = np.random.default_rng(0)
ROWS = np.arange(N)
# sorted by label, so that the number of a row predicts it
LABELS = np.array(["no"] * 150 + ["yes"] * 150)
NOISE = RNG.normal(size=N).round(2)
SHUFFLED = RNG.permutation(N)


def columns_of(clf):
    return set().union(*(names_tested(point.rule_set) for point in clf.pareto_front_))


def fitted(column, order=ROWS, **options):
    table = pd.DataFrame({"id": column, "noise": NOISE}).iloc[order]
    return quick(**options).fit(table, LABELS[order])


@pytest.mark.parametrize(
    ("column", "what"),
    [
        (ROWS, "numbers the rows"),
        (ROWS + 1, "numbers the rows"),
        (ROWS.astype(float), "numbers the rows"),
        ([f"p{i}" for i in ROWS], "has a different text in every row"),
    ],
)
@pytest.mark.parametrize("order", [ROWS, SHUFFLED[: 2 * N // 3], SHUFFLED[: N // 2]])
def test_a_column_that_numbers_or_names_the_rows_is_not_tested(column, what, order):
    message = re.escape(
        f"column 'id' {what}, so learned rules do not test it; Knowledge(forbidden=[]) lets them"
        " test every column"
    )
    with pytest.warns(UserWarning, match=message) as caught:
        clf = fitted(column, order)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert columns_of(clf) <= {"noise"}
    # a new row with another number is still predicted
    assert len(clf.predict(pd.DataFrame({"id": column[:1], "noise": [0.0]}))) == 1


def test_users_may_let_rules_test_every_column_or_one():
    assert "id" in columns_of(fitted(ROWS, SHUFFLED, forbidden=[]))
    texts = pd.Series([f"p{i:03}" for i in ROWS])
    fitted(texts, forbidden=[])
    named = Space([Categorical("id", texts.tolist(), other=True)])
    for options in ({"space": Space([Continuous("id")])}, {"monotonic_cst": {"id": 1}}):
        assert "id" in columns_of(fitted(ROWS, **options))
    for column, options in ((texts, {"space": named}), (texts.astype("category"), {})):
        fitted(column, **options)
    assert "id" in columns_of(fitted(texts, ordered={"id": texts.tolist()}))


def test_other_forbidden_columns_and_folds_do_not_change_that():
    with pytest.warns(UserWarning, match="column 'id' numbers the rows"):
        assert not columns_of(fitted(ROWS, forbidden=["noise"]))
    table = pd.DataFrame({"id": ROWS, "noise": NOISE})
    scores = cross_validate(quick(), table, LABELS, cv=3)
    assert scores["learners"][0]["accuracy"] < 0.7
    shuffled = {"id": SHUFFLED.tolist(), "noise": NOISE.tolist()}
    assert unhelpful_columns(shuffled) == {"id": "numbers the rows"}


@pytest.mark.parametrize(
    "column",
    [
        RNG.permutation(N) * 1000 + 17,  # amounts that are all different
        RNG.normal(size=N),
        np.sort(RNG.normal(size=N)),
        np.arange(N) / 4,
        np.where(ROWS < 5, 0, ROWS),  # some are equal
        ROWS - 40,  # degrees, from -40
        ROWS + 1900,  # years
        pd.date_range("2020-01-01", periods=N),
        [f"p{i}" for i in np.where(ROWS < 5, 0, ROWS)],
        [None, *(f"p{i}" for i in ROWS[1:])],
    ],
)
def test_other_columns_are_tested(column):
    fitted(column, SHUFFLED)


def test_measured_and_few_whole_numbers_are_tested():
    heights = RNG.integers(0, 2 * N, N)
    clf = quick().fit({"height": heights, "noise": NOISE}, heights > N)
    assert "height" in columns_of(clf)
    # few rows may be different by chance
    clf = quick().fit({"age": range(60), "n": [1, 2] * 30}, LABELS[120:180])
    assert "age" in columns_of(clf)
    # and the only column is tested
    assert quick().fit({"id": ROWS}, LABELS).score({"id": ROWS}, LABELS) == 1.0


def test_rows_that_are_not_in_memory(tmp_path, monkeypatch):
    make_many(monkeypatch, 100)
    columns = {"id": SHUFFLED, "name": [f"p{i}" for i in SHUFFLED], "noise": NOISE[SHUFFLED]}
    frame = pl.DataFrame(columns | {"y": LABELS[SHUFFLED]})
    frame.write_parquet(tmp_path / "rows.parquet")
    with pytest.warns(UserWarning, match="so learned rules do not test it") as caught:
        clf = quick().fit(tmp_path / "rows.parquet", target="y")
    assert [str(w.message).split(",")[0] for w in caught] == [
        "column 'id' numbers the rows",
        "column 'name' has a different text in every row",
    ]
    assert columns_of(clf) <= {"noise"}


def test_the_command_says_so_and_a_knowledge_file_changes_it(run, tmp_path):
    lines = [f"{i},{NOISE[i]},{LABELS[i]}" for i in SHUFFLED]
    data = tmp_path / "data.csv"
    data.write_text("\n".join(["id,noise,y", *lines]) + "\n")
    status, out, err = run("learn", data, "--cv", 0, "-o", tmp_path / "model.json")
    assert status == 0
    assert "Columns unlikely to help: id (numbers the rows)" in out
    assert err.count("column 'id' numbers the rows, so learned rules do not test it") == 1
    assert '"id"' not in json.dumps(json.loads((tmp_path / "model.json").read_text())["rules"])
    knowledge = tmp_path / "knowledge.json"
    knowledge.write_text('{"forbidden": []}')
    status, out, err = run("learn", data, "--cv", 0, "--knowledge", knowledge)
    assert "do not test" not in err
    assert "id >= 150" in out
