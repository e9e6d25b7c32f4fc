"""A fitted classifier is accepted wherever rules are."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import irenic
from irenic.errors import ConditionError
from irenic.model import CoverageMap
from irenic.searching import constraints, paths
from irenic.systems import MichiganClassifier, PittsburghClassifier
from tests.learn.fitting import people, quick

X, Y = people()
POINT = {"age": 30, "job": "nurse", "income": 20, "married": True}


@pytest.fixture(scope="module")
def fitted():
    return quick().fit(X, Y)


@pytest.mark.parametrize(
    "use",
    [
        lambda rules: list(irenic.check(rules)),
        lambda rules: list(irenic.gaps(rules)),
        lambda rules: list(irenic.diff(rules, irenic.RuleSet([], rules_of(rules).space))),
        lambda rules: irenic.merge(rules).rules,
        lambda rules: irenic.complete(rules).rules,
        lambda rules: irenic.repair(rules).rules,
        lambda rules: irenic.to_sql(rules, dialect="sqlite"),
        irenic.to_python,
        lambda rules: list(irenic.search(rules)),
        lambda rules: irenic.enlarge(rules, POINT, consequent=said(rules)),
        lambda rules: irenic.enlarge_many(rules, [POINT], consequents=[said(rules)]),
        lambda rules: irenic.best_region(rules, POINT, X, consequent=said(rules)),
        lambda rules: list(map(str, constraints(rules))),
        lambda rules: next(iter(paths(rules))).region,
        lambda rules: CoverageMap(rules, X).uncovered.tolist(),
        lambda rules: irenic.dumps(rules, format="rules"),
        lambda rules: irenic.DecisionTable.from_rules(rules).rules,
    ],
)
def test_functions_of_rules_take_a_fitted_classifier(use, fitted):
    assert use(fitted) == use(fitted.rules_)


def rules_of(rules):
    return getattr(rules, "rules_", rules)


def said(rules):
    return rules_of(rules).predict([POINT])[0]


@pytest.mark.parametrize(
    "model",
    [
        MichiganClassifier(random_state=0, steps=300),
        PittsburghClassifier(random_state=0, generations=2),
    ],
)
def test_the_learning_classifier_systems_are_accepted_too(model):
    ages = np.arange(40)
    model.fit({"age": ages}, ages >= 18)
    assert list(irenic.check(model)) == list(irenic.check(model.rules_))


def test_a_classifier_must_be_fitted():
    with pytest.raises(ConditionError, match=r"^rules must be a RuleSet, got RuleSetClassifier;"):
        irenic.gaps(quick())
    with pytest.raises(ConditionError, match=r"^rules must be a RuleSet, a RuleList or a Decision"):
        irenic.check(quick())
    with pytest.raises(NotFittedError):
        irenic.dumps(quick(), format="txt")
