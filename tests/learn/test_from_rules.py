"""Hand-written rules as a classifier."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import irenic
from irenic import ConflictError, DataError, FormatError, Rule, RuleSet, from_rules
from tests.learn.fitting import people, quick

X, Y = people(120)
SPACE = irenic.Space.infer(X)
RULES = RuleSet(
    [
        Rule({"age": (None, 40), "job": {"nurse", "cook"}}, then="low"),
        Rule({"age": (None, 30), "job": {"nurse"}}, then="low"),
        Rule({"age": (40, None), "income": (42, None)}, then="high"),
    ],
    SPACE,
    default="middle",
)
WIDER = X.assign(more=np.arange(len(X)))[["more", "income", "married", "job", "age"]]


@pytest.fixture(scope="module")
def model():
    return from_rules(RULES, X, Y)


def texts(rules):
    return [str(rule) for rule in rules]


def test_the_rules_stay_as_they_are(model):
    assert texts(model.rules_) == texts(RULES)
    assert model.predict(X).tolist() == RULES.predict(X).tolist()
    assert model.score(X, Y) == pytest.approx(np.mean(RULES.predict(X) == Y))
    assert model.chosen_.training_score == pytest.approx(model.score(X, Y))
    assert model.select(max_rules=3).rules_ is model.rules_
    assert model.estimate_ is None
    assert model.certificate_.is_consistent
    # also in another fit, and if the rules are those of a fit
    few = {"generations": 1, "moves": 50, "random_state": 0}
    again = clone(model).set_params(**few).fit(X, Y)
    assert texts(again.rules_)[:3] == texts(RULES)
    assert again.rules_.default == "middle"
    with pytest.raises(ValueError, match="unseen at fit time"):
        again.predict(WIDER)
    fitted = quick().fit(X, Y)
    assert texts(from_rules(fitted, *people(100, seed=9)).rules_) == texts(fitted.rules_)


def test_rows_give_support_confidence_and_probabilities(model):
    stats, counts = RULES.statistics(X, Y), model.chosen_.counts
    assert counts.support[:-1].tolist() == stats.support.tolist()
    assert counts.confidence[:-1].tolist() == pytest.approx(stats.confidence.tolist())
    likely, predicted = model.predict_proba(X), model.predict(X)
    assert likely.sum(axis=1) == pytest.approx(1.0)
    assert model.classes_[likely.argmax(axis=1)].tolist() == predicted.tolist()
    by_default = model.explain(X)[int(np.flatnonzero(predicted == "middle")[0])]
    assert "by default, because" in by_default.text
    # weights count in scores, and not in support
    weight = np.where(Y == "low", 5.0, 1.0)
    chosen = from_rules(RULES, X, Y, sample_weight=weight).chosen_
    right = np.average(RULES.predict(X) == Y, weights=weight)
    assert chosen.training_score == pytest.approx(right)
    assert chosen.counts.support.tolist() == counts.support.tolist()


def test_probabilities_are_those_of_rows_that_contradict_the_rules():
    rules = RuleSet([Rule({"age": (None, 60)}, then="high")], SPACE, default="low")
    clf = from_rules(rules, X, Y)
    young = rules.covering(X)[:, 0]
    likely = clf.predict_proba(X)[young]
    shares = [(Y[young] == label).mean() for label in clf.classes_]
    assert likely == pytest.approx(np.tile(shares, (young.sum(), 1)), abs=0.01)
    assert likely[0].argmax() != 0
    again = irenic.read_model(irenic.dumps(clf, format="json"))
    assert again.predict_proba(X).tolist() == clf.predict_proba(X).tolist()
    wrong = (Y[young] != "high").sum()
    assert f"your rule: {wrong} of {young.sum()} training rows have another label" in (
        clf.explain(X[young][:1])[0].text
    )
    assert again.knowledge.rules == "IF age < 60 THEN high\nDEFAULT low"


@pytest.mark.parametrize(
    "table",
    [
        WIDER,
        pl.from_pandas(WIDER),
        {name: WIDER[name].tolist() for name in WIDER},
        WIDER.to_dict("records"),
        X.to_numpy(dtype=object),
        [tuple(row) for row in X.itertuples(index=False)],
    ],
    ids=["pandas", "polars", "dict", "records", "array", "rows"],
)
def test_the_rows_of_the_rules_can_be_predicted(table, model):
    clf = from_rules(RULES, table, Y)
    score = clf.chosen_.training_score
    for one in (clf, irenic.read_model(irenic.dumps(clf, format="json"))):
        assert one.predict(table).tolist() == RULES.predict(X).tolist()
        assert one.predict_proba(table).tolist() == model.predict_proba(X).tolist()
        assert [decision.then for decision in one.explain(table)] == one.predict(table).tolist()
        assert one.score(table, Y) == score == one.recount(table, Y).chosen_.training_score


def test_tables_to_predict_need_the_columns_of_the_rules_alone():
    clf = from_rules(RULES, WIDER, Y)
    said = clf.predict(X).tolist()
    assert clf.predict(X[["income", "job", "married", "age"]].assign(other="?")).tolist() == said
    with pytest.raises(DataError, match="the table has no column 'income'"):
        clf.predict(WIDER.drop(columns="income"))
    with pytest.raises(DataError, match="the table has no column 'age'"):
        clf.predict(pd.DataFrame({"other": [1, 2]}))


def test_models_of_rules_are_written_reported_and_used(model):
    text = irenic.dumps(model, format="json")
    assert '"by_name": true' in text
    with pytest.raises(FormatError, match="\"by_name\" must be true or false, got 'yes'"):
        irenic.read_model(text.replace('"by_name": true', '"by_name": "yes"'))
    assert '"by_name"' not in irenic.dumps(quick().fit(X, Y), format="json")
    assert "high" in irenic.report(model).html
    assert repr(model.pareto_front_).count("chosen") == 1
    assert model._repr_html_()


def test_labels_that_only_rules_or_only_rows_have():
    rules = RuleSet([Rule({"age": (None, 30)}, then="child")], SPACE, default="middle")
    with pytest.warns(UserWarning, match=r"^rules predict child, which no row of y has \(known: "):
        clf = from_rules(rules, X, Y)
    assert clf.classes_.tolist() == ["child", "high", "low", "middle"]
    assert clf.chosen_.counts.confidence[0] == 0.0
    numbers = RuleSet([Rule({"age": (None, 30)}, then=7)], SPACE, default=1)
    with pytest.warns(UserWarning, match=r"rules predict 7, .* \(known: '0', '1'\)"):
        clf = from_rules(numbers, X, np.arange(len(Y)) % 2)
    assert clf.classes_.tolist() == [0, 1, 7]
    assert clf.predict(X).dtype.kind == "i"


def test_misspelled_labels_are_warned_of():
    rules = RuleSet([Rule({"age": (None, 30)}, then="lwo")], SPACE, default="midle")
    with pytest.warns(UserWarning, match="no row of y has") as caught:
        from_rules(rules, X, Y)
    assert [str(each.message) for each in caught] == [
        "rules predict lwo, which no row of y has; did you mean 'low'?",
        "rules predict midle, which no row of y has; did you mean 'middle'?",
    ]
    assert {each.filename for each in caught} == {__file__}


def test_without_a_default_nothing_is_predicted_elsewhere():
    clf = from_rules(RuleSet(list(RULES), SPACE), X, Y)
    said = clf.predict(X)
    assert [label is None for label in said] == (~RULES.covering(X).any(axis=1)).tolist()
    assert clf.score(X, Y) == pytest.approx(np.mean([a == b for a, b in zip(said, Y, strict=True)]))


def test_what_does_not_fit():
    number = RuleSet([Rule({"age": (None, 30)}, then=7)], SPACE)
    clash = RuleSet([*RULES, Rule({"age": (20, 50)}, then="high")], SPACE)
    for rules, table, y, text in [
        (RULES, X, Y[:5], "^X and y must have the same number of rows, got 120 and 5$"),
        (RULES, X, [{label} for label in Y], "^rules and rows must have one label each, got sets"),
        (number, X, Y, "^labels of rules and rows must be of one type, got int, str"),
        (RULES, X[["age", "job"]], Y, "the table has no column 'income'"),
    ]:
        with pytest.raises(DataError, match=text):
            from_rules(rules, table, y)
    with pytest.raises(ConflictError, match=r"the rules contradict each other: .*irenic\.repair"):
        from_rules(clash, X, Y)
    with pytest.raises((NotFittedError, irenic.ConditionError)):
        from_rules(quick(), X, Y)
