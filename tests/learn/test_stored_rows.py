"""Rows that are not in memory: the same rules as from a frame with the same rows."""

from __future__ import annotations

from collections import Counter

import dask.dataframe as dd
import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from fitting import make_many, people, quick
from pyarrow import dataset, parquet

from irenic.errors import DataError, FileError, FormatError
from irenic.learn import _stored


@pytest.fixture
def few(monkeypatch):
    """Make 500 rows many, of which evolution uses 100, in blocks of 64."""
    make_many(monkeypatch)


def labeled(n=700, heavy=False):
    X, y = people(n)
    weight = np.random.default_rng(9).integers(1, 3, n)
    return X.assign(pays=y, heavy=weight) if heavy else X.assign(pays=y)


def facts(clf):
    return [
        (
            [str(rule) for rule in point.rule_set],
            point.counts.support.tolist(),
            point.counts.mix.tolist(),
            round(point.training_score, 12),
            {name: (c.low, c.high, c.missing, c.other) for name, c in point.columns.items()},
            None if point.probabilities is None else point.probabilities.rows.tolist(),
        )
        for point in clf.pareto_front_
    ]


def kinds(frame, folder):
    """Return the same rows in all ways in which they may be stored."""
    table = pa.Table.from_pandas(frame, preserve_index=False)
    path = folder / "all.parquet"
    parquet.write_table(table, path, row_group_size=300)
    parts = folder / "parts"
    parts.mkdir()
    for i in range(0, len(frame), 400):
        parquet.write_table(table.slice(i, 400), parts / f"{i:05d}.parquet")
    return {
        "file": path,
        "text": str(path),
        "folder": parts,
        "dataset": dataset.dataset(path),
        "table": dataset.dataset(table),
        "polars": pl.scan_parquet(path),
        "duckdb": duckdb.connect().from_arrow(table),
        "dask": dd.from_pandas(frame, npartitions=4),
    }


@pytest.mark.parametrize("options", [{}, {"class_weight": "balanced", "smoothing": 0.5}])
def test_the_same_rules_from_every_kind_of_data(few, tmp_path, options):
    frame = labeled()
    X = frame.drop(columns="pays")
    expected = quick(**options).fit(frame, target="pays")
    stored = kinds(frame, tmp_path)
    for name in stored if not options else ("file", "polars"):
        clf = quick(**options).fit(stored[name], target="pays")
        assert facts(clf) == facts(expected), name
        assert clf.classes_.tolist() == expected.classes_.tolist()
        assert clf.feature_names_in_.tolist() == expected.feature_names_in_.tolist()
        assert clf.predict(X).tolist() == expected.predict(X).tolist()
        assert clf.predict_proba(X) == pytest.approx(expected.predict_proba(X))


def test_weights_in_a_column(few, tmp_path):
    frame = labeled(heavy=True)
    X, y, weight = frame.drop(columns=["pays", "heavy"]), frame["pays"], frame["heavy"]
    expected = facts(quick().fit(X, y, sample_weight=weight.to_numpy(float)))
    path = tmp_path / "all.parquet"
    frame.to_parquet(path)
    for data in (frame, path):
        assert facts(quick().fit(data, target="pays", sample_weight="heavy")) == expected


def test_labels_and_weights_beside_the_features(few):
    frame = labeled(heavy=True)
    expected = quick().fit(frame, target="pays", sample_weight="heavy")
    lazy, parts = pl.LazyFrame(frame), dd.from_pandas(frame, npartitions=4)
    columns = ["pays", "heavy"]
    given = [
        (lazy.drop(columns), lazy.select("pays"), lazy.select("heavy")),
        (parts.drop(columns=columns), parts["pays"], parts["heavy"]),
    ]
    for X, y, weight in given:
        clf = quick().fit(X, y, weight)
        assert facts(clf) == facts(expected)
        assert clf.score(X, y, weight) == pytest.approx(expected.chosen_.training_score)
    assert quick().fit(parts[["age"]], parts["pays"]).feature_names_in_.tolist() == ["age"]
    # a feature may have the name of the labels
    twice = quick().fit(parts[["age", "pays"]], parts["pays"])
    assert twice.feature_names_in_.tolist() == ["age", "pays"]
    assert twice.chosen_.training_score == 1.0


def test_labels_of_other_rows_are_refused():
    frame = labeled(200, heavy=True)
    parts, fewer = (dd.from_pandas(frame, npartitions=n) for n in (4, 2))
    lazy = pl.LazyFrame(frame)
    for X, y, text in [
        (
            parts[["age"]],
            fewer["pays"],
            "y must have the partitions of X, which has 4, got 2",
        ),
        (parts[["age"]], frame["pays"], "X is not in memory"),
        (lazy.select("age"), lazy.select("pays", "heavy"), "y must have one column, got 2"),
    ]:
        with pytest.raises(DataError, match=text):
            quick().fit(X, y)
    with pytest.raises(pl.exceptions.ShapeError):
        quick().fit(lazy.select("age"), lazy.select("pays").head(100))


def test_few_rows_are_read_into_memory(tmp_path):
    frame = labeled(200)
    frame.to_parquet(tmp_path / "few.parquet")
    expected = quick().fit(frame.drop(columns="pays"), frame["pays"])
    assert facts(quick().fit(tmp_path / "few.parquet", target="pays")) == facts(expected)


@pytest.mark.parametrize("label", ["number", "truth", "whole"])
def test_labels_of_other_types(few, label):
    frame = labeled()
    codes = (frame["pays"] == "middle").astype(int)
    frame["pays"] = {"number": codes + 7, "truth": codes == 1, "whole": codes * 1.0}[label]
    clf = quick().fit(pl.LazyFrame(frame), target="pays")
    expected = quick().fit(frame, target="pays")
    assert clf.classes_.tolist() == expected.classes_.tolist()
    assert clf.classes_.dtype == expected.classes_.dtype
    assert facts(clf) == facts(expected)


def test_a_rare_label_is_learned(few):
    rng = np.random.default_rng(0)
    a = rng.integers(0, 1000, 5_000)
    frame = pl.LazyFrame({"a": a, "b": rng.random(5_000), "y": np.where(a < 5, "rare", "usual")})
    clf = quick(scoring="balanced_accuracy").fit(frame, target="y")
    # all rows with the label are in the sample
    assert clf.chosen_.training_score > 0.99
    assert clf.chosen_.counts.mix.sum(axis=0).tolist() == [(a < 5).sum(), (a >= 5).sum()]


def test_blocks_that_lack_a_category_or_a_label(few):
    frame = pl.LazyFrame(
        {
            "c": ["x"] * 400 + ["y"] * 400 + [None] * 200,
            "d": [None] * 990 + [3.0] * 10,
            "y": ["a"] * 400 + ["b"] * 600,
        }
    )
    clf = quick().fit(frame, target="y")
    assert clf.chosen_.training_score == 1.0
    assert clf.chosen_.n_rows == 1000


def test_a_category_with_too_many_values_has_those_of_the_sample(few, monkeypatch):
    monkeypatch.setattr(_stored, "_VALUE_LIMIT", 3)
    names = np.array([f"n{i % 5}" for i in range(900)])
    frame = pl.LazyFrame({"c": names, "y": np.where(names == "n2", "a", "b")})
    clf = quick(min_support=1).fit(frame, target="y")
    assert [str(rule) for rule in clf.rules_] == ["IF c in {n2} THEN a"]
    assert _stored._added(Counter("ab"), Counter("cd")) is None


def test_memory_is_that_of_a_block(few):
    seen = []

    class Watched:
        schema = pa.schema({"a": pa.int64(), "y": pa.string()})

        def __len__(self):
            return 5000

        def run(self, work, names):
            for first in range(0, 5000, 100):
                rows = np.arange(first, first + 100)
                columns = {"a": rows, "y": np.where(rows < 2500, "no", "yes")}
                table = pa.table({name: columns[name] for name in names})
                seen.append((first, tuple(names)))
                yield work(table, first)

    stored = _stored.Stored.of(Watched(), "y", None)
    clf = quick()
    clf.fit(stored)
    assert len(clf.rules_) == 1
    assert clf.chosen_.training_score > 0.999  # of all rows, though few are looked at
    # labels, then all columns, then the columns that rules test
    assert {names for _, names in seen} == {("y",), ("a", "y")}
    assert len(seen) == 3 * 50


# --- what is refused


def test_what_cannot_be_read_is_refused(few):
    frame = labeled(600)
    lazy, two = pl.LazyFrame(frame), pl.LazyFrame({"a": [1, 2]})
    unlabeled, infinite = frame.copy(), frame.copy()
    unlabeled.loc[300, "pays"] = None
    infinite.loc[300, "income"] = np.inf
    lists = pl.LazyFrame({"a": [[1], [2]], "pays": [0, 1]})
    pays, negative = {"target": "pays"}, pl.LazyFrame(frame.assign(heavy=-1.0))
    for X, options, text in [
        (two, {"y": [0, 1]}, r"X is not in memory \(LazyFrame\), so y must be one of"),
        (
            {"a": [1, 2], "b": [0, 1]},
            {"y": [0, 1], "target": "b"},
            "y must be None if target is given, got target='b' and y",
        ),
        (lazy, {"target": "payz"}, "target: unknown column 'payz'; did you mean 'pays'"),
        (lazy, pays | {"sample_weight": "heav"}, "sample_weight: unknown column 'heav'"),
        (
            lazy,
            pays | {"sample_weight": np.ones(600)},
            "must be the name of a column if X is not in memory",
        ),
        (pl.LazyFrame(unlabeled), pays, "column 'pays', row 301: the label is missing"),
        (
            pl.LazyFrame(infinite),
            pays,
            "rows 257 to 384: column 'income', row 45: inf is inf",
        ),
        (
            negative,
            pays | {"sample_weight": "heavy"},
            "column 'heavy' must hold finite non-negative numbers",
        ),
        (lists, pays, "column 'a' must contain numbers, text, dates or booleans"),
    ]:
        with pytest.raises(DataError, match=text):
            quick().fit(X, **options)
    with pytest.raises(DataError, match="hierarchy must not be set if the rows are not in memory"):
        quick(hierarchy=["a/b"]).fit(lazy, target="pays")


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(FileError, match="No such file"):
        quick().fit(tmp_path / "none.parquet", target="y")
    (tmp_path / "bad.parquet").write_text("no parquet")
    with pytest.raises(FormatError, match="not a Parquet file"):
        quick().fit(tmp_path / "bad.parquet", target="y")


# --- predictions


def test_predictions_and_scores_are_those_of_the_rows_in_memory(few, tmp_path):
    frame = labeled(600)
    X, y = frame.drop(columns="pays"), frame["pays"]
    clf = quick().fit(X, y)
    expected, likely = clf.predict(X).tolist(), clf.predict_proba(X)
    names = [f"probability of {label}" for label in clf.classes_]
    for name, data in kinds(frame, tmp_path).items():
        assert clf.score(data, target="pays") == pytest.approx(clf.score(X, y)), name
        said, lazy = clf.predict(data), clf.predict_proba(data)
        if name == "dask":
            assert type(said).__name__ == "Series"
            assert said.compute().index.tolist() == X.index.tolist()
            assert lazy.columns.tolist() == names
            labels, found = said.compute().tolist(), lazy.compute().to_numpy()
        elif name == "polars":
            assert isinstance(said, pl.LazyFrame)
            labels = said.collect()["prediction"].to_list()
            assert said.collect(engine="streaming")["prediction"].to_list() == labels
            found = lazy.select(names).collect().to_numpy()
        elif name == "duckdb":
            assert isinstance(said, duckdb.DuckDBPyRelation)
            assert said.columns == [*frame.columns, "prediction"]
            labels = [row[-1] for row in said.fetchall()]
            found = np.array([row[-len(names) :] for row in lazy.fetchall()])
        else:
            assert isinstance(said, pa.RecordBatchReader)
            table = said.read_all()
            assert table.column_names == [*frame.columns, "prediction"]
            assert table.column("age").null_count == X["age"].isna().sum()
            labels = table.column("prediction").to_pylist()
            found = lazy.read_all().select(names).to_pandas().to_numpy()
        assert labels == expected, name
        assert found == pytest.approx(likely), name
    assert clf.score(frame, target="pays") == clf.score(X, y)
    weight = np.random.default_rng(0).random(len(frame))
    weighted = pl.LazyFrame(frame.assign(w=weight))
    found = clf.score(weighted, target="pays", sample_weight="w")
    assert found == pytest.approx(clf.score(X, y, weight))


def test_predictions_of_other_labels():
    frame, _ = people(150)
    lazy = pl.LazyFrame(frame)
    relation = duckdb.connect().from_arrow(pa.Table.from_pandas(frame, preserve_index=False))
    rich = frame["income"] > 30
    for y in (rich, rich + 1, rich + 1.0):
        clf = quick().fit(frame, y)
        expected = clf.predict(frame).tolist()
        assert clf.predict(lazy).collect()["prediction"].to_list() == expected
        assert [row[-1] for row in clf.predict(relation).fetchall()] == expected
    none = clf.select(max_rules=0)  # without conditions
    predicted = none.predict(lazy).collect()["prediction"].to_list()
    assert predicted == none.predict(frame).tolist()
    with pytest.raises(DataError, match="must have all columns that the rules test, got no income"):
        clf.predict(lazy.drop("income"))
    with pytest.raises(DataError, match="must not have a column 'prediction'"):
        clf.predict(lazy.with_columns(prediction=1))
    clf = quick().fit(frame, [{"a", "b"} if each else {"a"} for each in rich])
    assert set(clf.predict(lazy).collect()["prediction"].to_list()) == {"a", "a; b"}


# --- other rows


@pytest.mark.parametrize("scoring", ["accuracy", "balanced_accuracy"])
def test_other_rows_are_counted(few, tmp_path, scoring):
    frame = labeled(900)
    clf = quick(scoring=scoring, smoothing=0.5).fit(frame.iloc[:300], target="pays")
    new = frame.iloc[300:].reset_index(drop=True)
    X, y = new.drop(columns="pays"), new["pays"]
    found = clf.recount(X, y)
    assert found.rules_ is clf.rules_
    assert found.chosen_ is found.pareto_front_.chosen
    for point in found.pareto_front_:
        covers = point.rule_set.covering(X)
        assert point.counts.support[:-1].tolist() == covers.sum(axis=0).tolist()
        right = point.rule_set.predict(X) == y
        score = right.mean()
        if scoring != "accuracy":
            score = np.mean([right[y == label].mean() for label in clf.classes_])
        assert point.training_score == pytest.approx(score)
        assert point.n_rows == point.probabilities.rows[:, -1].sum() == 600
        assert point.probabilities.probabilities.sum(axis=2) == pytest.approx(1.0)
    # the model itself stays as it was
    assert clf.chosen_.n_rows == 300
    stored = kinds(new, tmp_path)
    for name in stored if scoring == "accuracy" else ("file", "polars"):
        assert facts(clf.recount(stored[name], target="pays")) == facts(found)


def test_labels_of_other_rows_must_be_known():
    frame = labeled(200)
    clf = quick().fit(frame.drop(columns="pays"), frame["pays"])
    with pytest.raises(DataError, match='unknown label "other"; the model has none'):
        clf.recount(frame.assign(pays=["other", "high"] * 100), target="pays")
    sets = quick().fit(frame[["age"]], [{"a"}, {"a", "b"}] * 100)
    with pytest.raises(DataError, match="recount needs a model of one label per row"):
        sets.recount(frame, target="pays")


def test_probabilities_of_other_rows_are_not_adjusted_with_costs():
    rng = np.random.default_rng(0)
    age, luck = rng.integers(0, 100, 600), rng.random(600)
    y = np.where((age < 50) & (luck < 0.3), "bad", "good")
    clf = quick(cost={"bad": {"good": 20.0}}, smoothing=0.5).fit({"age": age}, y)
    assert clf.predict({"age": [20, 90]}).tolist() == ["bad", "good"]
    assert clf.chosen_.probabilities is not None
    assert clf.recount({"age": age}, y).predict_proba({"age": [20]})[0, 0] < 0.5


@pytest.mark.parametrize(
    "known",
    [
        {"ordered": {"job": ["clerk", "cook", "pilot", "nurse", "smith"]}},
        {"rules": "IF income > 45 THEN high", "never": "low WHERE job is missing"},
        {"forbidden": ["married"], "max_values": 1, "cost": {"high": {"low": 3.0}}},
    ],
    ids=str,
)
def test_what_users_know_holds_for_stored_rows(few, tmp_path, known):
    frame = labeled()
    path = tmp_path / "all.parquet"
    frame.to_parquet(path)
    clf = quick(**known).fit(frame, target="pays")
    assert facts(quick(**known).fit(path, target="pays")) == facts(clf)
    assert clf.chosen_.n_rows == len(frame)


def test_stored_dates_as_text_are_doubtful(few, tmp_path):
    rng = np.random.default_rng(0)
    days = [f"2024-01-{day:02}" for day in rng.integers(1, 29, 700)]
    table = pa.table({"day": days, "age": rng.integers(0, 9, 700), "y": ["a", "b"] * 350})
    parquet.write_table(table, tmp_path / "all.parquet")
    with pytest.warns(UserWarning, match="column 'day' holds dates as text"):
        quick().fit(tmp_path / "all.parquet", target="y")
