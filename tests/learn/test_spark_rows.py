"""A Spark DataFrame: the same rules as from a frame with the same rows, and lazy predictions."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
from fitting import people, quick

from irenic.learn import _base, _classifier, _rows, _stored

pyspark = pytest.importorskip("pyspark")
if shutil.which("java") is None:
    pytest.skip("Spark needs Java", allow_module_level=True)


@pytest.fixture(scope="module")
def spark():
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[1]").appName("irenic")
    builder = builder.config("spark.ui.enabled", "false").config("spark.driver.memory", "1g")
    session = builder.getOrCreate()
    yield session
    session.stop()


@pytest.mark.filterwarnings("ignore")
def test_rules_and_predictions_are_those_of_a_frame(spark, monkeypatch, tmp_path):
    for module in (_base, _rows, _stored):
        monkeypatch.setattr(module, "MANY_ROWS", 500)
    monkeypatch.setattr(_rows, "ROW_LIMIT", 100)
    monkeypatch.setattr(_classifier, "ROW_LIMIT", 100)
    X, y = people(1300)
    frame = X.assign(pays=y)
    path = tmp_path / "people.parquet"
    frame.to_parquet(path, index=False)
    stored = spark.read.parquet(str(path))
    expected, clf = (quick().fit(data, target="pays") for data in (frame, stored))
    for one, other in zip(expected.pareto_front_, clf.pareto_front_, strict=True):
        assert [str(rule) for rule in one.rule_set] == [str(rule) for rule in other.rule_set]
        assert one.counts.mix.tolist() == other.counts.mix.tolist()
    predicted = clf.predict(stored.drop("pays"))
    assert predicted.columns == [*X.columns, "prediction"]
    found = [row["prediction"] for row in predicted.collect()]
    assert found == expected.predict(X).tolist()
    assert clf.recount(stored, target="pays").chosen_.n_rows == 1300
    assert np.mean([a == b for a, b in zip(found, y, strict=True)]) > 0.7
