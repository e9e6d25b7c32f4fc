"""Tests of the synthetic data of the study, whose rules are known."""

from __future__ import annotations

import math

import numpy as np
import pytest

from irenic import Categorical, Continuous, Region, Rule, RuleSet
from study import synthetic

SIZES = [(2, 2), (2, 10), (5, 3), (10, 5), (20, 10)]
EXACT = {"truth_agreement": 1.0, "rules_found": 1.0, "irrelevant_conditions": 0.0}


@pytest.fixture(scope="module", params=SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def known(request):
    return synthetic.make(*request.param, 0.2, random_state=3)


@pytest.fixture(scope="module", params=SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def excepted(request):
    return synthetic.make(*request.param, 0.2, exceptions=True, random_state=3)


def test_truth_is_consistent_and_gives_the_clean_labels(known):
    assert known.truth.is_consistent
    assert len(known.truth.overlaps()) == 0
    assert known.truth.default == "c0"
    assert known.truth.space is known.space
    assert (known.truth.predict(known.X) == known.clean).all()
    # rules are short and cover a visible share
    assert set(known.truth.conditions_per_rule()) <= {1, 2, 3, 4}
    assert known.truth.covering(known.X).mean(axis=0).min() >= 0.01
    # every class has rows, and all but the default have rules
    labels, counts = np.unique(known.clean, return_counts=True)
    assert list(labels) == [f"c{i}" for i in range(len(labels))]
    assert counts.min() >= 30
    assert counts[0] == counts.max()
    assert {rule.then for rule in known.truth} == set(labels) - {"c0"}
    assert len(known.truth) == 2 * (len(labels) - 1)
    # noise is exact and never the own class
    assert (known.y != known.clean).sum() == 200
    assert set(known.y) == set(known.clean)
    assert known.y.dtype == object
    assert all(type(label) is str for label in known.y)


def test_columns(known):
    assert list(known.X) == [f"f{i}" for i in range(known.X.shape[1])] == list(known.space.names)
    categorical = [f for f in known.space if isinstance(f, Categorical)]
    assert len(categorical) == known.X.shape[1] // 5
    for feature in known.space:
        column = known.X[feature.name]
        if isinstance(feature, Continuous):
            assert column.dtype == float
            assert column.between(0, 1, inclusive="left").all()
        else:
            assert 3 <= len(feature.values) <= 5
            assert tuple(column.cat.categories) == feature.values
            assert column.cat.categories.dtype == object
    assert not known.X.T.duplicated().any()
    # relevant ones are those that rules test
    tested = {name for rule in known.truth for name in rule.region.conditions()}
    assert set(known.relevant) == tested
    assert len(known.relevant) < known.X.shape[1] or known.X.shape[1] < 5


def test_no_true_rule_could_be_larger(known):
    for rule in known.truth:
        points = list(rule.region.sample(300, random_state=0))
        for name, operators in rule.region.conditions().items():
            feature = known.space[name]
            if isinstance(feature, Categorical):
                bits = rule.region.bits(name)
                beyond = [v for v in feature.values if not bits >> feature.encode_value(v) & 1]
            else:
                low, high = operators.get(">="), operators.get("<")
                beyond = [math.nextafter(low, 0)] if low is not None else []
                beyond += [high] if high is not None else []
            for value in beyond:
                moved = [{**point, name: value} for point in points]
                assert (known.truth.predict(moved) != rule.then).any(), (rule, name, value)


# --- exceptions


def parts(known):
    """Return the general rules and their exceptions, in the same order."""
    rules = list(known.truth)
    half = len(rules) // 2
    assert [rule.weight for rule in rules] == [1.0] * half + [2.0] * half
    return rules[:half], rules[half:]


def holds(rule, row):
    return all(
        row[name] in tests["in"]
        if "in" in tests
        else tests.get(">=", -math.inf) <= row[name] < tests.get("<", math.inf)
        for name, tests in rule.region.conditions().items()
    )


def test_an_exception_inside_each_rule_is_of_another_class(excepted):
    rules, exceptions = parts(excepted)
    classes = len(set(excepted.clean))
    assert len(rules) == len(exceptions) == 2 * (classes - 1)
    for i, (rule, exception) in enumerate(zip(rules, exceptions, strict=True)):
        assert exception.then != rule.then
        assert exception.region <= rule.region
        inside = exception.region.volume() / rule.region.volume()
        assert 0.2 <= inside <= 0.5
        if i < 6:  # by points, too: within three deviations of 500
            points = rule.region.sample(500, random_state=0)
            share = np.mean([holds(exception, point) for point in points])
            assert share == pytest.approx(inside, abs=3 * math.sqrt(0.25 / 500))
    assert {rule.then for rule in rules} == {f"c{i}" for i in range(1, classes)}
    assert excepted.truth.default == "c0"


def test_only_exceptions_contradict_and_only_their_own_rule(excepted):
    rules, exceptions = parts(excepted)
    for some in (rules, exceptions):
        alone = RuleSet(some, excepted.space)
        assert len(alone.overlaps()) == 0
    half = len(rules)
    pairs = {tuple(sorted((c.first, c.second))) for c in excepted.truth.conflicts()}
    assert pairs == {(i, half + i) for i in range(half)}


def test_labels_are_those_of_the_exception_where_it_covers(excepted):
    rules, exceptions = parts(excepted)
    expected = [
        next((rule.then for rule in [*exceptions, *rules] if holds(rule, row)), "c0")
        for row in excepted.X[::4].to_dict("records")
    ]
    assert excepted.clean[::4].tolist() == expected
    counts = np.unique(excepted.clean, return_counts=True)[1]
    assert counts.min() >= 30
    assert counts[0] == counts.max()
    assert (excepted.y != excepted.clean).sum() == 200


def test_exceptions_of_more_rules_than_classes():
    # of two classes, every exception is of the default class
    rules, exceptions = parts(synthetic.make(2, 2, 0, exceptions=True, rules=6))
    assert [rule.then for rule in rules] == ["c1"] * 6
    assert [rule.then for rule in exceptions] == ["c0"] * 6
    # of three, the other class has its turn, too
    known = synthetic.make(4, 3, 0, exceptions=True, rules=8)
    pairs = {(a.then, b.then) for a, b in zip(*parts(known), strict=True)}
    assert pairs == {("c1", "c0"), ("c1", "c2"), ("c2", "c0"), ("c2", "c1")}


def test_the_truth_with_exceptions_recovers_itself(excepted):
    def best(X):
        return excepted.truth.predict(X, resolve="best")

    found = synthetic.recovery(excepted.truth, best, excepted)
    assert found == EXACT | {"true_rules": len(excepted.truth)}
    # half of the rules, which are wrong about the exceptions
    general = RuleSet(parts(excepted)[0], excepted.space, default="c0")
    found = synthetic.recovery(general, general.predict, excepted)
    assert found["rules_found"] == 0.5
    shares = [rule.region.volume() for rule in parts(excepted)[1]]
    whole = Region(excepted.space).volume()
    assert found["truth_agreement"] == pytest.approx(1 - sum(shares) / whole, abs=0.02)


# --- data sets


@pytest.mark.parametrize("exceptions", [False, True])
def test_same_arguments_same_set_and_noise_changes_only_labels(exceptions):
    one, two, clean = (
        synthetic.make(10, 5, noise, exceptions, random_state=7) for noise in (0.1, 0.1, 0.0)
    )
    assert (one.y == two.y).all()
    assert (clean.y == clean.clean).all()
    for same in (two, clean):
        assert one.truth == same.truth
        assert one.X.equals(same.X)
        assert (one.clean == same.clean).all()
    other = synthetic.make(10, 5, 0.1, exceptions, random_state=8)
    assert one.truth != other.truth


def test_wrong_labels_are_spread_over_the_other_classes():
    known = synthetic.make(2, 5, 0.3, rows=10_000)
    wrong = known.y != known.clean
    for label in set(known.clean):
        counts = np.unique(known.y[wrong & (known.clean == label)], return_counts=True)[1]
        assert len(counts) == 4
        assert counts.min() > 0.7 * counts.mean()


def test_number_of_rules():
    for features, classes, rules in ((4, 3, 2), (4, 3, 6), (2, 2, 8)):
        assert len(synthetic.make(features, classes, 0, rules=rules).truth) == rules


def test_grid():
    grid = synthetic.grid()
    assert len(grid) == len({c.name for c in grid}) == 32
    assert sum(c.exceptions for c in grid) == 16
    assert grid[0].name == "made boxes 2x2, noise 0"
    assert grid[17].name == "made boxes 10x5, noise 0.1"
    assert grid[21].name == "made exceptions 10x5, noise 0.1"
    # of one noise, which changes only labels: each takes long to draw
    for configuration in grid[1::4]:
        known = synthetic.make(*configuration)
        assert known.name == configuration.name
        assert known.group == "made"
        assert known.X.shape == (1000, configuration.features)
        assert known.truth.is_consistent != configuration.exceptions
        assert (known.y != known.clean).sum() == 1000 * configuration.noise


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"features": 1}, "features must be from 2 to 20, got 1"),
        ({"classes": 11}, "classes must be from 2 to 10, got 11"),
        ({"noise": 0.4}, "noise must be from 0 to 0.3, got 0.4"),
        ({"rows": 20}, "rows must be at least 30, 10 per class, got 20"),
        ({"rules": 1}, "rules must be at least 2 for 3 classes, got 1"),
        ({"random_state": -1}, "random_state must be non-negative, got -1"),
        (
            {"features": 2, "classes": 10, "rows": 100},
            "draws gave no 18 rules for 10 classes on 2 features and 100 rows",
        ),
    ],
)
def test_what_cannot_be_made_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        synthetic.make(**({"features": 5, "classes": 3, "noise": 0} | arguments))


def test_the_truth_recovers_itself_and_an_empty_set_little(known):
    found = synthetic.recovery(known.truth, known.truth.predict, known)
    assert found == EXACT | {"true_rules": len(known.truth)}
    empty = RuleSet(space=known.space, default="c0")
    found = synthetic.recovery(empty, empty.predict, known)
    assert found["truth_agreement"] == pytest.approx(np.mean(known.clean == "c0"), abs=0.06)
    assert found["rules_found"] == 0
    assert math.isnan(found["irrelevant_conditions"])


def test_recovery_counts_rules_and_conditions():
    known = synthetic.make(10, 5, 0)
    irrelevant = next(
        f.name for f in known.space if f.name not in known.relevant and isinstance(f, Continuous)
    )
    first, second, *_ = known.truth
    conditions = first.region.conditions()
    learned = RuleSet(
        [
            Rule({**conditions, irrelevant: {"<": 0.9}}, then=first.then),
            Rule({**second.region.conditions(), irrelevant: {"<": 0.7}}, then=second.then),
            Rule(first.region, then="c0"),
        ],
        known.space,
    )
    found = synthetic.recovery(learned, known.truth.predict, known)
    # nine tenths of the first rule are it, seven tenths of the second are not
    assert found["rules_found"] == 1 / len(known.truth)
    assert found["irrelevant_conditions"] == 2 / learned.n_conditions
    assert found == synthetic.recovery(learned, known.truth.predict, known)
    assert found["truth_agreement"] == 1


def test_recovery_refuses_what_is_no_label_a_row():
    known = synthetic.make(2, 2, 0)
    with pytest.raises(ValueError, match="must return one label per row"):
        synthetic.recovery(known.truth, lambda X: ["c0"], known)
