"""A label that only rules predict, never the default."""

import numpy as np
import pytest

import irenic
from irenic import DataError
from tests.learn.fitting import check_consistent, people, quick

X, Y = people(200)


@pytest.mark.parametrize(
    ("label", "init"),
    [("low", "trees"), ("middle", "trees"), ("middle", "seeds"), ("high", "seeds")],
)
def test_the_default_never_predicts_a_described_label(label, init):
    clf = quick(moves=1000, describe=label, init=init).fit(X, Y)
    check_consistent(clf)
    assert all(point.rule_set.default not in (label, None) for point in clf.pareto_front_)
    for decision in clf.explain(X):
        assert decision.rules or decision.then != label
    assert label in {rule.then for rule in clf.rules_}
    assert clf.score(X, Y) > 0.8


def test_without_it_the_most_frequent_label_is_the_default():
    clf = quick(warm_start=True, describe=None).fit(X, Y)
    assert clf.rules_.default == "middle"
    # a warm start keeps the label out of the default
    clf.set_params(knowledge__describe="middle").fit(X, Y)
    assert all(point.rule_set.default != "middle" for point in clf.pareto_front_)


@pytest.mark.parametrize("labels", [[0, 1], [False, True], [1.0, 2.0]])
def test_labels_of_every_type_can_be_described(labels):
    y = np.array(labels)[(Y == "middle").astype(int)]
    for label in (labels[1], np.array(labels)[1]):
        clf = quick(describe=label).fit(X, y)
        assert clf.rules_.default == labels[0]
    assert irenic.read_model(irenic.dumps(clf, format="json")).knowledge.describe == labels[1]


@pytest.mark.parametrize(
    ("options", "y", "message"),
    [
        ({"describe": "hihg"}, Y, "describe must be one of the 3 labels, got 'hihg'; did you mean"),
        ({"describe": 7}, Y, "describe must be one of the 3 labels, got 7 (known: 'high', "),
        (
            {"describe": "high", "default": "abstain"},
            Y,
            "describe must be None if default=\"abstain\", got 'high'",
        ),
        (
            {"describe": "high"},
            [{label} for label in Y],
            "describe must be None if rows have several labels, got 'high'",
        ),
    ],
)
def test_what_cannot_be_described(options, y, message):
    with pytest.raises(DataError) as caught:
        quick(**options).fit(X, y)
    assert str(caught.value).startswith(message)
