"""More rows than are encoded at once: a sample is learned from, and all rows are counted."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from fitting import make_many, people, quick, texts

from irenic import Categorical, Continuous, Space
from irenic.errors import DataError
from irenic.learn import _rows, run
from irenic.learn._rows import sample_rows
from irenic.learn.sample import priorities


@pytest.fixture
def few(monkeypatch):
    """Make 500 rows many, of which evolution uses 100, in blocks of 64."""
    make_many(monkeypatch)


def facts(clf, rows=slice(None)):
    """Return what a fit says about training rows."""
    return [
        [
            [str(rule) for rule in point.rule_set],
            point.counts.support.tolist(),
            point.counts.mix.tolist(),
            round(point.training_score, 12),  # sums of weights depend on their order
            point.n_rows,
            point.coverage,
            {name: (c.low, c.high, c.missing, c.other) for name, c in point.columns.items()},
        ]
        for point in clf.pareto_front_[rows]
    ]


def test_statistics_are_those_of_all_rows(few):
    X, y = people(800)
    clf = quick().fit(X, y)
    for point in clf.pareto_front_:
        covers = point.rule_set.covering(X)
        assert point.n_rows == 800
        assert point.counts.support[:-1].tolist() == covers.sum(axis=0).tolist()
        assert point.counts.support[-1] == (~covers.any(axis=1)).sum()
        assert point.training_score == pytest.approx((point.rule_set.predict(X) == y).mean())
        assert point.coverage == pytest.approx(covers.any(axis=1).mean())
        inside = point.default_regions.rules.covering(X)
        assert point.default_regions.support.tolist() == inside.sum(axis=0).tolist()
        for name, figures in (point.columns or {}).items():
            if figures.low is not None:
                assert (figures.low, figures.high) == (X[name].min(), X[name].max())
            assert figures.missing == X[name].isna().sum()
    assert clf.score(X, y) > 0.8


@pytest.mark.parametrize("options", [{}, {"scoring": "balanced_accuracy"}])
def test_fits_do_not_depend_on_blocks_or_on_the_library(few, monkeypatch, options):
    X, y = people(700)
    frames = [X, pl.from_pandas(X), pa.Table.from_pandas(X), dict(X.items())]
    found = [facts(quick(**options).fit(frame, y)) for frame in frames]
    monkeypatch.setattr(_rows, "BLOCK", 1000)
    found.append(facts(quick(**options).fit(X, y)))
    assert all(each == found[0] for each in found[1:])


@pytest.mark.parametrize("scoring", ["accuracy", "balanced_accuracy"])
def test_rules_are_refined_if_there_are_further_rows(few, monkeypatch, tmp_path, scoring):
    make_many(monkeypatch, 800)
    X, y = people(1000)
    seen = []

    refined = run.Run.refined
    monkeypatch.setattr(
        run.Run, "refined", lambda own, rows: seen.append((own, refined(own, rows))) or seen[-1][1]
    )
    options = {"scoring": scoring, "selection": "validation", "budget": 60}
    clf = quick(**options).fit(X, y)
    ((first, (_, earlier, best)),) = seen
    assert len(earlier) == len(first.candidates)
    assert any(candidate is best for candidate in earlier)
    assert clf.estimate_ is not None
    for point in clf.pareto_front_:
        covers = point.rule_set.covering(X)
        assert point.rule_set.is_consistent
        assert point.counts.support[:-1].tolist() == covers.sum(axis=0).tolist()
    path = tmp_path / "people.parquet"
    X.assign(pays=y).to_parquet(path)
    assert facts(quick(**options).fit(path, target="pays")) == facts(clf)
    assert facts(quick(n_jobs=2, **options).fit(X, y)) == facts(clf)


def test_rules_to_keep_are_not_refined(few, monkeypatch):
    make_many(monkeypatch, 800)
    monkeypatch.setattr(run.Run, "refined", None)  # must not be called
    X, y = people(1000)
    clf = quick(rules=f"IF age < 2 THEN {y[0]}").fit(X, y)
    assert str(clf.rules_[0]).startswith("IF age < 2 THEN")


def test_impossible_rows_are_said(few):
    X = pd.DataFrame(np.random.default_rng(0).integers(0, 10, (700, 2)), columns=["a", "b"])
    y = np.where(X["a"] >= 5, "x", "y")
    space = Space([Continuous("a"), Continuous("b")], [{"a": (5, None), "b": (5, None)}])
    never = (X["a"] >= 5) & (X["b"] >= 5)
    with pytest.warns(UserWarning, match=f"{never.sum()} rows of X cannot occur") as caught:
        clf = quick(space=space).fit(X, y)
    assert caught[0].filename == __file__
    assert clf.chosen_.n_rows == 700 - never.sum()
    weight = np.where(np.arange(700) < 100, 0.0, 1.0)
    with pytest.warns(UserWarning, match=f"{never[100:].sum()} rows of X cannot occur"):
        quick(space=space).fit(X, y, weight)


def test_a_fit_with_all_rows_in_memory_is_the_same_up_to_the_limit(monkeypatch):
    X, y = people(600)
    whole = quick().fit(X, y)
    monkeypatch.setattr("irenic.learn._base.MANY_ROWS", 599)
    monkeypatch.setattr(_rows, "MANY_ROWS", 599)
    # one row less to find cuts in, and all rows in evolution
    assert len(quick().fit(X, y).pareto_front_) >= 1
    monkeypatch.setattr(_rows, "MANY_ROWS", 600)
    assert texts(quick().fit(X, y)) == texts(whole)


def test_weights_and_sets_of_labels_of_many_rows(few):
    X, y = people(600)
    weight = np.random.default_rng(9).integers(0, 3, 600).astype(float)
    point = quick().fit(X, y, sample_weight=weight).chosen_
    assert point.n_rows == (weight > 0).sum()
    right = point.rule_set.predict(X) == y
    assert point.training_score == pytest.approx(np.average(right, weights=weight))
    sets = [{label} if i % 3 else {label, "more"} for i, label in enumerate(y)]
    point = quick().fit(X, sets).chosen_
    assert point.n_rows == 600
    assert point.counts.mix.sum() >= 600


def test_a_rare_label_is_sampled_with_all_its_rows(few):
    codes = np.zeros(5000, dtype=np.intp)
    codes[[7, 4000, 4999]] = 1
    typical, rare = sample_rows(codes, 5000, 2, 0)
    assert len(typical) == 500
    assert {7, 4000, 4999} <= {*typical.tolist(), *rare.tolist()}
    assert not set(typical.tolist()) & set(rare.tolist())


def test_a_sample_depends_on_the_random_state_and_on_nothing_else(few):
    codes = np.zeros(5000, dtype=np.intp)
    first, again, other = (sample_rows(codes, 5000, 1, state)[0] for state in (1, 1, 2))
    assert first.tolist() == again.tolist() != other.tolist()
    parts = np.concatenate([priorities(np.arange(a, a + 1000), 1) for a in range(0, 5000, 1000)])
    assert np.sort(np.argsort(parts)[:500]).tolist() == first.tolist()


def test_priorities_are_spread_evenly():
    shares = priorities(np.arange(100_000), 3) / 2.0**64
    assert np.histogram(shares, 10, (0, 1))[0] == pytest.approx(10_000, rel=0.05)
    assert abs(np.corrcoef(shares[1:], shares[:-1])[0, 1]) < 0.02


def test_an_error_names_the_row_of_the_table(few):
    X, y = people(800)
    X.loc[701, "income"] = np.inf
    with pytest.raises(DataError, match=r"column 'income', row 702: inf is infinite"):
        quick().fit(X, y)


def test_texts_are_encoded_alike_one_by_one_and_all_at_once(monkeypatch):
    values = ["a", None, "b", "zz", "a"] * 30
    space = Space([Categorical("c", ["a", "b"], missing=True, other=True)])
    expected = space.encode({"c": values}).codes.tolist()
    monkeypatch.setattr("irenic.model.columns._MANY_TEXTS", 10)
    for make in (pd.DataFrame, pl.DataFrame, pa.table):
        assert space.encode(make({"c": values})).codes.tolist() == expected
    categories = pd.DataFrame({"c": pd.Categorical(values)})
    assert space.encode(categories).codes.tolist() == expected
    strict = Space([Categorical("c", ["a", "b"], missing=True)])
    with pytest.raises(DataError, match="column 'c', row 4: 'zz' is not among the values"):
        strict.encode(pd.DataFrame({"c": values}))
