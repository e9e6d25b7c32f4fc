"""Answers of irenic, compared with an oracle that shares no code with it or with other oracles.

``IRENIC_HOSTILE=nightly pytest tests/hostile`` makes more than a million comparisons here.
"""

from __future__ import annotations

import random
import sqlite3
import warnings

import numpy as np
import pytest
from oracle import WORDS, Number, Rules, make, make_rules
from profiles import nightly

import irenic

SETS = nightly(1_500, otherwise=20)
POINTS = 150
AT_LEAST = nightly(1_000_000, otherwise=20_000)


def space_of(rules):
    return irenic.Space([
        irenic.Continuous(f.name, kind="integer" if f.whole else "number",
                          bounds=(f.low, f.high), missing=f.missing)
        if isinstance(f, Number)
        else irenic.Categorical(f.name, WORDS, other=f.other, missing=f.missing)
        for f in rules.features
    ])  # fmt: skip


def read(rules, space):
    return irenic.loads(rules.text(), format="rules", space=space)


def table_of(points):
    columns = {}
    for name in points[0]:
        column = np.empty(len(points), dtype=object)
        column[:] = [point[name] for point in points]
        columns[name] = column
    return columns


class Trial:
    """Rules of the oracle and the same rules in irenic, with points of every cell."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.plain = make(self.random)
        self.space = space_of(self.plain)
        self.rules = read(self.plain, self.space)
        self.points = self.plain.points(most=POINTS)
        self.X = table_of(self.points)
        self.outcomes = [self.plain.outcomes(point) for point in self.points]
        self.comparisons = 0

    def same(self, found, wanted, what):
        """Compare lists of answers, one or several per point."""
        for point, one, other in zip(self.points, found, wanted, strict=True):
            assert one == other, f"{what} at {point}\n{self.plain.text()}"
            self.comparisons += len(one) if isinstance(one, list) else 1


def holds(trial):
    n = len(trial.rules)
    covering = trial.rules.covering(trial.X).tolist()
    wanted = [[i in places for i in range(n)]
              for places in map(trial.plain.covering, trial.points)]  # fmt: skip
    trial.same(covering, wanted, "covering")


def decides(trial):
    firsts = [trial.plain.covering(point)[:1] for point in trial.points]
    wanted = [trial.plain.rules[places[0]][1] if places else None for places in firsts]
    trial.same(trial.rules.predict(trial.X, resolve="first").tolist(), wanted, "predict")
    listed = irenic.RuleList.from_rules(trial.rules)
    trial.same(irenic.to_set(listed).predict(trial.X).tolist(), wanted, "to_set")


def explains(trial):
    explained = trial.rules.explain(trial.X, resolve="first")
    wanted = [trial.plain.covering(point)[:1] for point in trial.points]
    trial.same([list(e.rules) for e in explained], wanted, "explain")


def contradicts(trial):
    pairs = {(c.first, c.second) for c in trial.rules.conflicts()}
    for point in trial.points:
        places = trial.plain.covering(point)
        for i in places:
            for j in places:
                if i < j and trial.plain.rules[i][1] != trial.plain.rules[j][1]:
                    assert (i, j) in pairs, (point, trial.plain.text())
                    trial.comparisons += 1
    all_of_them = trial.plain.points(most=20_000)
    shared = set()
    for point in all_of_them if len(all_of_them) < 20_000 else ():
        places = trial.plain.covering(point)
        shared |= {(i, j) for i in places for j in places if i < j}
    for i, j in pairs if shared else ():
        assert (i, j) in shared, trial.plain.text()
        trial.comparisons += 1


def lists_gaps(trial):
    found = irenic.gaps(trial.rules)
    assert found.finished
    inside = np.zeros(len(trial.points), dtype=bool)
    for gap in found:
        inside |= irenic.RuleSet([irenic.Rule(gap, then="g")], trial.space).covering(trial.X)[:, 0]
    trial.same(inside.tolist(), [not one for one in trial.outcomes], "gaps")


def repairs(trial):
    for how in ("drop", "trim", "split"):
        mended = irenic.repair(trial.rules, how).rules
        assert mended.is_consistent
        found = mended.predict(trial.X).tolist()
        pairs = zip(found, trial.outcomes, strict=True)
        trial.same([one is None or one in old for one, old in pairs], [True] * len(found), how)
        if how == "split":  # cuts away only the overlap
            kept = [one is not None for one in found]
            trial.same(kept, [bool(old) for old in trial.outcomes], how)


def completes(trial):
    mended = irenic.repair(trial.rules, "split").rules
    labels = [min(old, default="a") for old in trial.outcomes]
    whole = irenic.complete(mended, X=trial.X, y=labels).rules
    assert whole.is_complete
    before, after = mended.predict(trial.X).tolist(), whole.predict(trial.X).tolist()
    same = [new is not None and old in (None, new) for old, new in zip(before, after, strict=True)]
    trial.same(same, [True] * len(same), "complete")
    merged = irenic.merge(mended).rules
    trial.same(merged.predict(trial.X).tolist(), before, "merge")


def differs(trial):
    features = trial.plain.features
    other = Rules(features, make_rules(trial.random, features, 6))
    old, new = (irenic.repair(r, "split").rules for r in (trial.rules, read(other, trial.space)))
    points = trial.plain.points(other, most=POINTS)
    X = table_of(points)
    pairs = zip(old.predict(X).tolist(), new.predict(X).tolist(), strict=True)
    changed = [before != after for before, after in pairs]
    inside = np.zeros(len(points), dtype=bool)
    for difference in irenic.diff(old, new):
        region = irenic.RuleSet([irenic.Rule(difference.region, then="d")], trial.space)
        inside |= region.covering(X)[:, 0]
    assert inside.tolist() == changed, (trial.plain.text(), other.text())
    trial.comparisons += len(points)


def exports(trial):
    wanted = trial.rules.predict(trial.X, resolve="first").tolist()
    listed = irenic.RuleList.from_rules(trial.rules)
    run = {}
    exec(irenic.to_python(listed), run)
    trial.same([run["predict"](point) for point in trial.points], wanted, "to_python")
    names = list(trial.X)
    with sqlite3.connect(":memory:") as base:
        base.execute(f"CREATE TABLE cases ({', '.join(['place', *names])})")
        rows = [[n, *point.values()] for n, point in enumerate(trial.points)]
        base.executemany(f"INSERT INTO cases VALUES (?{', ?' * len(names)})", rows)
        query = irenic.to_sql(listed, "cases", dialect="sqlite")
        answers = base.execute(f"SELECT prediction FROM ({query}) ORDER BY place").fetchall()
    trial.same([answer for (answer,) in answers], wanted, "to_sql")


def returns(trial):
    for form in ("json", "rules", "csv", "dmn", "xlsx"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", irenic.FormatWarning)
            again = irenic.loads(irenic.dumps(trial.rules, format=form), format=form,
                                 space=trial.space)  # fmt: skip
        found = again.predict(trial.X, resolve="first").tolist()
        trial.same(found, trial.rules.predict(trial.X, resolve="first").tolist(), form)


QUESTIONS = (
    holds,
    decides,
    explains,
    contradicts,
    lists_gaps,
    repairs,
    completes,
    differs,
    exports,
    returns,
)


def test_all_answers_are_those_of_the_oracle():
    comparisons = 0
    for seed in range(SETS):
        trial = Trial(seed)
        for ask in QUESTIONS:
            ask(trial)
        comparisons += trial.comparisons
    assert comparisons >= AT_LEAST


@pytest.mark.parametrize("wrong", [("<", "<="), (">=", ">"), ("<=", "<"), (">", ">=")])
def test_the_oracle_notices_a_wrong_bound(wrong, monkeypatch):
    """A comparison that is off by one float is found, so that the oracle is no rubber stamp."""
    import oracle

    trials = [Trial(seed) for seed in range(30)]
    monkeypatch.setitem(oracle.SIGNS, wrong[0], oracle.SIGNS[wrong[1]])

    def ask_all():
        for trial in trials:
            holds(trial)

    with pytest.raises(AssertionError, match="covering at"):
        ask_all()
