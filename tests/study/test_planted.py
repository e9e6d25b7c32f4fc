"""Tests of data with planted rules, and of the benchmark that looks for them."""

from __future__ import annotations

from functools import partial
from itertools import combinations

import numpy as np
import pytest

from benchmarks import peers, planted
from benchmarks.fitted import Fitted, objects
from benchmarks.planted import Setting

SETTINGS = [Setting(5, 0, 5, 500), Setting(8, 3, 10, 500), Setting(8, 3, 10, 500, spread=True)]


def apart(one, other):
    """Return whether two rules share no point."""
    for feature in one.conditions.keys() & other.conditions.keys():
        a, b = one.conditions[feature], other.conditions[feature]
        if planted.is_category(feature):
            if not a & b:
                return True
        elif a[1] <= b[0] or b[1] <= a[0]:
            return True
    return False


# rows and noise do not change what is planted
PLANTED = dict.fromkeys(one._replace(rows=500, noise=0.0) for one in (*SETTINGS, *planted.SETTINGS))


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("setting", PLANTED)
def test_planted_rules_are_consistent(setting, seed):
    rules = planted.plant(setting, np.random.default_rng(seed))
    assert len(rules) == setting.rules + setting.rare
    assert sum(rule.label == planted.RARELY for rule in rules) == setting.rare
    assert all(len(rule.conditions) == planted.CONDITIONS for rule in rules)
    rivals = [(a, b) for a, b in combinations(rules, 2) if a.label != b.label]
    assert all(apart(a, b) for a, b in rivals)


@pytest.mark.parametrize("setting", SETTINGS)
def test_labels_follow_from_the_rules(setting):
    rules, columns, labels = planted.make(setting)
    noisy = planted.make(setting._replace(noise=0.2))
    assert noisy[0] == rules
    assert (noisy[1] == columns).all()
    assert 0.02 < np.mean(noisy[2] != labels) < 0.2
    for i in range(50):
        row = columns[:, i]
        held = {
            rule.label
            for rule in rules
            if all(planted.holds(c, row[f]) for f, c in rule.conditions.items())
        }
        assert (held or {planted.DEFAULT}) == {labels[i]}


def test_rules_are_found_if_they_cover_the_same_rows():
    rules, columns, _ = planted.make(SETTINGS[1])
    covering = np.stack([rule.covers(columns) for rule in rules], axis=1)
    thens = objects(rule.label for rule in rules)

    def found(covering, thens):
        fitted = Fitted(lambda X: X, covering=lambda X: (covering, thens))
        return planted.share_found(rules, columns, fitted)

    assert found(covering, thens) == 1.0
    assert found(covering[:, :4], thens[:4]) == 4 / 11
    assert found(covering, objects("x" for _ in rules)) == 0.0
    assert found(np.ones_like(covering), thens) == 0.0


def test_learners_are_compared(monkeypatch, capsys):
    monkeypatch.setattr(planted, "SETTINGS", (Setting(3, 2, 5, 400),))
    monkeypatch.setattr(planted, "TEST_ROWS", 2000)
    quick = partial(peers.ours, generations=1, moves=100, evolution={"smoothing": 0.0})
    learners = {"irenic": quick, "tree": partial(peers.tree, leaves=4)}
    monkeypatch.setattr(planted, "learners", lambda n_jobs: learners)
    planted.main([])
    ours, tree = (
        [cell.strip() for cell in line.split("|")[1:-1]]
        for line in capsys.readouterr().out.splitlines()[-2:]
    )
    assert ours[:2] == ["3 + 2 rules, 5 features, 400 rows", "irenic"]
    assert 0.5 < float(ours[2]) <= 1.0
    assert 0.0 <= float(ours[6]) <= 1.0
    assert tree[1] == "tree"
    assert int(tree[5]) == 4
