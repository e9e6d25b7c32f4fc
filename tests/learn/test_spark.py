"""Spark: its estimator predicts by SQL what the classifier does, and its frames are rows."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from fitting import make_many, people, quick

from irenic import (
    Categorical,
    ConditionError,
    Continuous,
    DataError,
    Rule,
    RuleList,
    RuleSetClassifier,
    Space,
)
from irenic.formats import register

pytestmark = pytest.mark.filterwarnings("ignore")
OPTIONS = {"generations": 1, "moves": 50, "random_state": 0, "selection": "description"}
X, Y = people(150)


@pytest.fixture(scope="module")
def store(spark, tmp_path_factory):
    """Return a function that writes a frame and reads it in Spark."""

    def stored(frame):
        path = tmp_path_factory.mktemp("rows") / "rows.parquet"
        frame.to_parquet(path, index=False)
        return spark.read.parquet(str(path))

    return stored


@pytest.fixture(scope="module")
def frame(store):
    return store(X.assign(pays=Y, weight=1.0 + np.arange(len(Y)) % 2))


def test_rules_and_predictions_are_those_of_a_frame(store, monkeypatch):
    make_many(monkeypatch)
    X, y = people(700)
    stored = store(X.assign(pays=y))
    expected, clf = (quick().fit(data, target="pays") for data in (X.assign(pays=y), stored))
    for one, other in zip(expected.pareto_front_, clf.pareto_front_, strict=True):
        assert list(map(str, one.rule_set)) == list(map(str, other.rule_set))
        assert one.counts.mix.tolist() == other.counts.mix.tolist()
    predicted = clf.predict(stored.drop("pays"))
    assert predicted.columns == [*X.columns, "prediction"]
    found = [row["prediction"] for row in predicted.collect()]
    assert found == expected.predict(X).tolist()
    assert np.mean(np.array(found) == y) > 0.7
    assert clf.recount(stored, target="pays").chosen_.n_rows == 700


def test_a_pipeline_predicts_as_the_classifier_and_is_saved(frame, tmp_path):
    from pyspark.ml import Pipeline, PipelineModel

    from irenic.spark import SparkRuleSetClassifier

    columns = {"labelCol": "pays", "weightCol": "weight", "featureCols": list(X.columns)}
    added = {"probabilityCol": "probability", "ruleCol": "rule"}
    estimator = SparkRuleSetClassifier(**columns, **added, **OPTIONS)
    fitted = Pipeline(stages=[estimator]).fit(frame)
    [model] = fitted.stages
    clf = RuleSetClassifier(**OPTIONS)
    clf.fit(X, Y, sample_weight=1.0 + np.arange(len(Y)) % 2)
    assert [str(rule) for rule in model.rules] == [str(rule) for rule in clf.rules_]
    made = fitted.transform(frame)
    assert made.columns == [*frame.columns, "rule", "prediction", "probability"]
    found = made.collect()
    assert [row["prediction"] for row in found] == clf.predict(X).tolist()
    got = np.array([row["probability"].toArray() for row in found])
    assert np.array_equal(got, clf.predict_proba(X))
    assert model.classes == clf.classes_.tolist()
    decided = [reason.rules[:1] for reason in clf.explain(X)]
    assert [row["rule"] for row in found] == [r[0] + 1 if r else None for r in decided]
    plan = made._jdf.queryExecution().executedPlan().toString()
    assert "Python" not in plan
    assert "ArrowEval" not in plan
    fitted.write().overwrite().save(str(tmp_path / "model"))
    assert PipelineModel.load(str(tmp_path / "model")).transform(frame).collect() == found


def test_parameters_of_the_classifier_are_parameters_of_the_estimator(frame):
    from pyspark.ml.tuning import ParamGridBuilder

    from irenic.spark import SparkRuleSetClassifier

    estimator = SparkRuleSetClassifier(labelCol="pays", predictionCol="said", **OPTIONS)
    few, many = ParamGridBuilder().addGrid(estimator.max_rules, [1, 6]).build()
    models = [estimator.fit(frame.drop("weight"), params) for params in (few, many)]
    assert len(models[0].rules) <= 1
    assert [model.classifier.max_rules for model in models] == [1, 6]
    assert "said" in models[0].transform(frame).columns
    with pytest.raises(ConditionError, match=r"unknown parameter 'maxRules' \(known: bud"):
        SparkRuleSetClassifier(maxRules=3)


def test_what_cannot_be_learned_from_or_scored_is_said_before(frame):
    from pyspark.ml.feature import VectorAssembler

    from irenic.spark import SparkRuleSetClassifier, SparkRuleSetModel

    with pytest.raises(DataError, match=r"no column 'label' .its columns: .*pays"):
        SparkRuleSetClassifier().fit(frame)
    with pytest.raises(ConditionError, match=r"in Spark.* use 'avoid' or 'best'"):
        SparkRuleSetClassifier(labelCol="pays", evolution={"conflicts": "vote"}).fit(frame)
    assembled = VectorAssembler(inputCols=["weight"], outputCol="features").transform(frame)
    with pytest.raises(DataError, match="'features' is a vector, whose values have no names; list"):
        SparkRuleSetClassifier(labelCol="pays", featureCols=["features"]).fit(assembled)
    with pytest.raises(ConditionError, match="must be a fitted classifier, got RuleSetClassifier"):
        SparkRuleSetModel(quick())
    model = SparkRuleSetModel(quick().fit(X, Y), predictionCol="weight")
    with pytest.raises(DataError, match="already has a column 'weight'; choose another predict"):
        model.transform(frame)


@pytest.mark.parametrize("n", [1, 60])
def test_a_function_of_spark_predicts(spark, frame, n):
    jobs = ["nurse", "clerk", "cook"]
    space = Space(
        [
            Continuous("age", missing=True),
            Categorical("job", jobs, missing=True, other=True),
            Continuous("income"),
            Categorical("married", [False, True]),
        ]
    )
    rules = [
        Rule({"age": {">=": i, "<": i + 2}, "job": {jobs[i % 3]}}, then=i % 7) for i in range(n)
    ]
    rules = [*rules, Rule({"married": {True}, "income": {">": 30}}, then=8)]
    ordered = RuleList([rule.cast(space) for rule in rules], space, default=9)
    statement = register(spark, ordered)
    assert "(`age` DOUBLE, `job` STRING, `income` DOUBLE, `married` BOOLEAN)" in statement
    assert ("AGGREGATE" in statement) == (n == 60)
    frame.createOrReplaceTempView("people")
    found = spark.sql("SELECT decide(age, job, income, married) AS said FROM people").collect()
    assert [row["said"] for row in found] == ordered.predict(X).tolist()


GUIDE = Path(__file__).parents[2] / "docs" / "how-to" / "learn-from-large-data.md"
PAYERS = pd.DataFrame({"age": np.arange(900.0) % 90})
PAYERS["pays"] = np.where(PAYERS["age"] < 18, "free", "full")


def blocks(heading):
    """Return the Python of a section of the guide that is not a doctest."""
    section = GUIDE.read_text(encoding="utf-8").split(f"\n## {heading}\n")[1].split("\n## ")[0]
    found = re.findall(r"```python\n(.*?)```", section, re.S)
    return "\n".join(block for block in found if not block.startswith(">>>"))


def test_the_code_of_the_guide_runs_in_spark(spark, store, tmp_path, capsys):
    names = {"spark": spark, "people": store(PAYERS), "folder": str(tmp_path / "saved")}
    exec(blocks("A pipeline of Spark"), names)
    assert "1. IF age < 18 THEN free\n  DEFAULT full" in capsys.readouterr().out
    assert [row["answer"] for row in names["answers"].collect()] == PAYERS["pays"].tolist()
    assert [row["prediction"] for row in names["scored"].collect()] == PAYERS["pays"].tolist()


@pytest.mark.slow
def test_the_code_of_the_guide_runs_on_a_cluster_of_dask(tmp_path):
    pytest.importorskip("distributed")
    PAYERS.to_parquet(tmp_path / "people.parquet", index=False)
    names = {"path": str(tmp_path / "people.parquet")}
    try:
        exec(blocks("A cluster of Dask"), names)
    finally:
        if "client" in names:
            names["client"].shutdown()
    assert names["counts"].to_dict() == PAYERS["pays"].value_counts().to_dict()
