"""Models hold no values of columns that no rule tests, and do not ask for these columns."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import irenic
from irenic import Categorical, DataError, Rule, RuleSet, Space
from irenic.learn import predict_table
from irenic.model.spaces import in_space, names_tested
from irenic.systems import MichiganClassifier, PittsburghClassifier
from tests.learn.fitting import quick

N = 80
TABLE = {
    "customer": [f"customer-{i}" for i in range(N)],
    "age": np.arange(N),
    "job": ["cook", "clerk"] * (N // 2),
}
Y = np.where((np.arange(N) < 40) & (np.arange(N) % 2 == 0), "low", "high")
FEW = {
    MichiganClassifier: {"steps": 200},
    PittsburghClassifier: {"generations": 3, "population_size": 20},
}
TESTED = {name: TABLE[name] for name in ("age", "job")}


@pytest.fixture(scope="module")
def model():
    return quick(moves=1000, forbidden=[]).fit(TABLE, Y)


def test_a_file_has_no_value_of_a_column_that_no_rule_tests(model):
    text = irenic.dumps(model, format="json")
    untested = set(TABLE) - names_tested(*(point.rule_set for point in model.pareto_front_))
    assert untested == {"customer"}
    assert "customer-" not in text
    again = irenic.read_model(text)
    assert again.predict(TABLE).tolist() == model.predict(TABLE).tolist()
    assert again.space_ == model.space_ == model.rules_.space


@pytest.mark.parametrize("kind", [MichiganClassifier, PittsburghClassifier])
def test_the_learning_classifier_systems_hold_values_that_rules_test(kind):
    clf = kind(random_state=0).set_params(**FEW[kind]).fit(TABLE, Y)
    tested = names_tested(*(point.rule_set for point in clf.pareto_front_))
    assert {f.name for f in clf.space_.categorical if f.values} == tested - {"age"}


def test_neither_a_pickle_nor_a_report_has_them(model):
    assert b"customer-7" not in pickle.dumps(model)
    for args in ((), (TABLE, Y)):
        assert "customer-7" not in irenic.report(model, *args).html
    assert model.space_.names == tuple(TABLE)
    # values that were seen in training still belong to an untested column
    other = {**TABLE, "customer": ["nobody"] * N}
    assert model.predict(other).tolist() == model.predict(TABLE).tolist()


@pytest.mark.parametrize(
    "make",
    [dict, pd.DataFrame, pl.DataFrame, pa.table, lambda t: pd.DataFrame(t).to_dict("records")],
)
def test_columns_that_no_rule_tests_may_be_left_out(model, make):
    expected = model.predict(TABLE).tolist()
    assert model.predict(make(TESTED)).tolist() == expected
    assert model.predict_proba(make(TESTED)).tolist() == model.predict_proba(TABLE).tolist()
    assert [d.then for d in model.explain(make(TESTED))] == expected
    for explain in (False, True):
        columns = predict_table(model, make(TESTED), explain=explain)
        assert columns["prediction"].tolist() == expected
    reasons = predict_table(model, TABLE, explain=True)
    assert {name: c.tolist() for name, c in columns.items()} == {
        name: c.tolist() for name, c in reasons.items()
    }


def test_columns_that_rules_test_must_be_there(model):
    few = {name: TABLE[name] for name in ("customer", "job")}
    with pytest.raises(DataError, match=r"the table has no column 'age' \(known: 'customer'"):
        model.predict(few)
    with pytest.raises(ValueError, match=r"(?s)Feature names seen at fit time.*- age"):
        model.predict(pd.DataFrame(few))
    with pytest.raises(DataError, match=r"^the table must have a column 'age', which the rules"):
        predict_table(model, {"job": ["cook"]})
    # of several missing columns those that rules test are named
    job = {"job": TABLE["job"]}
    for call in (model.predict, model.predict_proba, model.explain):
        with pytest.raises(DataError, match=r"^the table has no column 'age' \(known: 'job'\)$"):
            call(job)
        with pytest.raises(DataError) as refused:
            call(pd.DataFrame(job))
        # scikit-learn demands that all are listed first
        assert str(refused.value).endswith(
            "missing:\n- age\n- customer\nOf the missing ones, rules test only these:\n- age\n"
        )
        with pytest.raises(ValueError, match=r"missing:\n- age\n$"):
            call(pd.DataFrame(few))


def test_rules_keep_their_conditions_in_another_space():
    small = Space([Categorical("a", [], other=True), Categorical("b", range(70), missing=True)])
    large = Space([Categorical("a", range(90), other=True), small["b"]])
    rules = RuleSet([Rule({"b": {3, 69}}, then="x", weight=2.0)], small, default="y")
    there = in_space(rules, large)
    assert there.space == large
    assert str(there) == str(rules)
    assert in_space(there, small) == rules
    assert there[0].weight == 2.0
    assert in_space(rules, small) is rules
