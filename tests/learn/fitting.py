"""What the tests of the classifier share: quick fits, made-up data, and checks of rule sets."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
import z3

from irenic import DataError, RuleSetClassifier
from irenic.frames import sources
from irenic.learn import _base, _classifier, _rows, _stored, inputs, points, run, tally
from irenic.learn.parameters import Evolution, Knowledge
from irenic.model.features import Continuous


def grouped(options):
    """Return parameters of a classifier, with those of a group in it."""
    parameters = dict(options)
    for name, group in (("knowledge", Knowledge), ("evolution", Evolution)):
        own = {key: parameters.pop(key) for key in options if key in group().get_params()}
        if own:
            parameters[name] = group(**own)
    return parameters


def quick(**options):
    """Return a classifier that takes a tenth of a second to fit."""
    few = {
        "generations": 1,
        "moves": 200,
        "smoothing": 0.0,
        "selection": "description",
        "random_state": 0,
    }
    return RuleSetClassifier(**grouped(few | options))


def people(n=120, seed=0, noise=0.05):
    """Return a frame of mixed columns with holes, and labels that depend on them."""
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 80, n).astype(float)
    job = rng.choice(["nurse", "clerk", "cook", "smith"], n)
    income = rng.normal(30, 10, n).round(1)
    married = rng.random(n) < 0.5
    y = np.where((age < 40) & np.isin(job, ["nurse", "cook"]), "low", "middle")
    y = np.where(income > 42, "high", y)
    wrong = rng.random(n) < noise
    y = np.where(wrong, rng.permutation(y), y)
    frame = pd.DataFrame({"age": age, "job": job, "income": income, "married": married})
    frame.loc[rng.random(n) < 0.1, "age"] = np.nan
    frame.loc[rng.random(n) < 0.1, "job"] = None
    return frame, y


def consistent_by_z3(rules):
    """Return whether no point is in two rules of different consequents, as z3 sees it."""
    space = rules.space
    return not any(
        a.then != b.then and _share_a_point(space, a.region, b.region)
        for a, b in combinations(list(rules), 2)
    )


def _share_a_point(space, *regions):
    solver = z3.Solver()
    for f, feature in enumerate(space):
        row = space.row(feature.name)
        if isinstance(feature, Continuous):
            # "missing" is below all numbers; whole numbers only make less possible
            value, missing = z3.Real(f"x{f}"), z3.Bool(f"m{f}")
            for region in regions:
                low, high = float(region.lower[row]), float(region.upper[row])
                inside = [z3.BoolVal(True)]
                if np.isfinite(low):
                    inside.append(value >= z3.Q(*low.as_integer_ratio()))
                if np.isfinite(high):
                    inside.append(value < z3.Q(*high.as_integer_ratio()))
                solver.add(z3.If(missing, z3.BoolVal(low == -np.inf), z3.And(inside)))
        else:
            code = z3.Int(f"c{f}")
            for region in regions:
                bits = region.bits(feature.name)
                held = [c for c in range(len(feature.values) + 2) if bits >> c & 1]
                solver.add(z3.Or([code == c for c in held]))
    answer = solver.check()
    assert answer in (z3.sat, z3.unsat)
    return answer == z3.sat


def check_consistent(classifier):
    """Assert that no rule set that a classifier holds contradicts itself anywhere."""
    assert classifier.certificate_.is_consistent
    for rules in (classifier.rules_, *(p.rule_set for p in classifier.pareto_front_)):
        assert len(rules.conflicts()) == 0
        assert consistent_by_z3(rules)


def texts(classifier):
    """Return the rules of the whole front as text."""
    return [[str(rule) for rule in point.rule_set] for point in classifier.pareto_front_]


def refused(text, call, *args, error=DataError, **options):
    """Assert that a call raises an error with exactly this text."""
    with pytest.raises(error) as caught:
        call(*args, **options)
    assert str(caught.value) == text


def make_many(monkeypatch, n=500):
    """Make ``n`` rows many, of which evolution uses 100, in blocks of 64."""
    for module in (_base, _rows, _stored, inputs):
        monkeypatch.setattr(module, "MANY_ROWS", n)
    for module in (_classifier, _rows, points, run):
        monkeypatch.setattr(module, "ROW_LIMIT", 100)
    for module in (tally, _rows):
        monkeypatch.setattr(module, "BLOCK", 64)
    monkeypatch.setattr(sources, "BLOCK_ROWS", 128)
