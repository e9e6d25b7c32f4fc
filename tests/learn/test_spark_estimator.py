"""The estimator for Spark: predictions by SQL equal those of the classifier, row by row."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from fitting import people, quick

from irenic import ConditionError, DataError, RuleSetClassifier

pytestmark = pytest.mark.filterwarnings("ignore")
OPTIONS = {"generations": 1, "moves": 50, "random_state": 0}


@pytest.fixture(scope="module")
def spark():
    leave = pytest.fail if os.environ.get("IRENIC_NEED_SPARK") else pytest.skip
    if shutil.which("java") is None:
        leave("Java is not installed: no estimator for Spark")
    sql = pytest.importorskip("pyspark.sql")
    builder = sql.SparkSession.builder.master("local[1]").appName("irenic")
    builder = builder.config("spark.ui.enabled", "false").config("spark.driver.memory", "1g")
    builder = builder.config("spark.sql.shuffle.partitions", "1")
    session = builder.getOrCreate()
    yield session
    session.stop()


@pytest.fixture(scope="module")
def rows():
    X, y = people(400)
    return X, y


@pytest.fixture(scope="module")
def frame(spark, rows, tmp_path_factory):
    X, y = rows
    path = tmp_path_factory.mktemp("rows") / "people.parquet"
    X.assign(pays=y, weight=[1.0 + i % 2 for i in range(len(y))]).to_parquet(path, index=False)
    return spark.read.parquet(str(path))


def test_a_pipeline_predicts_as_the_classifier_and_is_saved(frame, rows, tmp_path):
    from pyspark.ml import Pipeline, PipelineModel

    from irenic.spark import SparkRuleSetClassifier

    X, y = rows
    estimator = SparkRuleSetClassifier(
        labelCol="pays", featureCols=list(X.columns), weightCol="weight",
        probabilityCol="probability", ruleCol="rule", **OPTIONS,
    )  # fmt: skip
    fitted = Pipeline(stages=[estimator]).fit(frame)
    [model] = fitted.stages
    weights = [1.0 + i % 2 for i in range(len(y))]
    clf = RuleSetClassifier(**OPTIONS).fit(X, y, sample_weight=weights)
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
    again = PipelineModel.load(str(tmp_path / "model")).transform(frame)
    assert again.collect() == found


def test_parameters_of_the_classifier_are_parameters_of_the_estimator(frame):
    from pyspark.ml.tuning import ParamGridBuilder

    from irenic.spark import SparkRuleSetClassifier

    estimator = SparkRuleSetClassifier(labelCol="pays", predictionCol="said", **OPTIONS)
    few, many = ParamGridBuilder().addGrid(estimator.max_rules, [1, 6]).build()
    models = [estimator.fit(frame.drop("weight"), params) for params in (few, many)]
    assert len(models[0].rules) <= 1
    assert models[0].classifier.max_rules == 1
    assert models[1].classifier.max_rules == 6
    assert "said" in models[0].transform(frame).columns
    with pytest.raises(ConditionError, match=r"unknown parameter 'maxRules' \(known: alw"):
        SparkRuleSetClassifier(maxRules=3)


def test_what_cannot_be_learned_from_or_scored_is_said_before(frame):
    from pyspark.ml.feature import VectorAssembler

    from irenic.spark import SparkRuleSetClassifier, SparkRuleSetModel

    with pytest.raises(DataError, match=r"no column 'label' .its columns: .*pays"):
        SparkRuleSetClassifier().fit(frame)
    with pytest.raises(ConditionError, match=r"in Spark.* use 'avoid' or 'best'"):
        SparkRuleSetClassifier(labelCol="pays", conflicts="vote").fit(frame)
    assembled = VectorAssembler(inputCols=["weight"], outputCol="features").transform(frame)
    with pytest.raises(DataError, match="'features' is a vector, whose values have no names; list"):
        SparkRuleSetClassifier(labelCol="pays", featureCols=["features"]).fit(assembled)
    with pytest.raises(ConditionError, match="must be a fitted classifier, got RuleSetClassifier"):
        SparkRuleSetModel(quick())
    X, y = people(100)
    model = SparkRuleSetModel(quick(**OPTIONS).fit(X, y), predictionCol="weight")
    with pytest.raises(DataError, match="already has a column 'weight'; choose another predict"):
        model.transform(frame)


@pytest.mark.parametrize("n", [1, 60])
def test_a_function_of_spark_predicts(spark, frame, rows, n):
    from irenic import Categorical, Continuous, Rule, RuleList, Space
    from irenic.formats import register

    X, _ = rows
    jobs = ["nurse", "clerk", "cook"]
    space = Space([
        Continuous("age", missing=True), Categorical("job", jobs, missing=True, other=True),
        Continuous("income"), Categorical("married", [False, True]),
    ])  # fmt: skip
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


def blocks(heading):
    """Return the Python of a section of the guide that is not a doctest."""
    section = GUIDE.read_text(encoding="utf-8").split(f"\n## {heading}\n")[1].split("\n## ")[0]
    found = re.findall(r"```python\n(.*?)```", section, re.S)
    return "\n".join(block for block in found if not block.startswith(">>>"))


def payers(path):
    """Write the rows of the guide, and return them."""
    import pandas as pd

    table = pd.DataFrame({"age": [float(i % 90) for i in range(900)]})
    table["pays"] = ["free" if age < 18 else "full" for age in table["age"]]
    table.to_parquet(path, index=False)
    return table


def test_the_code_of_the_guide_runs_in_spark(spark, tmp_path, capsys):
    table = payers(tmp_path / "people.parquet")
    names = {
        "spark": spark,
        "people": spark.read.parquet(str(tmp_path / "people.parquet")),
        "folder": str(tmp_path / "saved"),
    }
    exec(blocks("A pipeline of Spark"), names)
    assert "1. IF age < 18 THEN free\n  DEFAULT full" in capsys.readouterr().out
    assert [row["answer"] for row in names["answers"].collect()] == table["pays"].tolist()
    assert [row["prediction"] for row in names["scored"].collect()] == table["pays"].tolist()


@pytest.mark.slow
def test_the_code_of_the_guide_runs_on_a_cluster_of_dask(tmp_path):
    pytest.importorskip("distributed")
    table = payers(tmp_path / "people.parquet")
    names = {"path": str(tmp_path / "people.parquet")}
    try:
        exec(blocks("A cluster of Dask"), names)
    finally:
        if "client" in names:
            names["client"].shutdown()
    assert names["counts"].to_dict() == table["pays"].value_counts().to_dict()
