"""Rules of RIPPER and IREP hold where the model of wittgenstein is positive."""

from __future__ import annotations

import numpy as np
import pytest

from irenic import Categorical, Continuous, FormatError
from irenic.formats.models._wittgenstein import from_wittgenstein

pd = pytest.importorskip("pandas")
wittgenstein = pytest.importorskip("wittgenstein")
from wittgenstein.base import Cond, Rule, Ruleset  # noqa: E402
from wittgenstein.discretize import BinTransformer  # noqa: E402

# Warnings of the library itself.
pytestmark = pytest.mark.filterwarnings("ignore")


def made(seed: int, n: int = 300):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "a": rng.normal(size=n) * 10,
            "tiny, [odd]": rng.normal(size=n) * 1e-5,
            "c": rng.choice(["x", "y", "z"], n),
            "few": rng.integers(0, 4, n),
            "flag": rng.random(n) < 0.5,
            "unused": rng.choice(["p", "q"], n),
        }
    )
    y = ((X["a"] > 3) & (X["c"] != "x")) | ((X["few"] == 2) & X["flag"]) | (X["tiny, [odd]"] > 1e-5)
    return X, (y ^ (rng.random(n) < 0.05)).to_numpy()


def fitted(seed, name="RIPPER", y=None, positive=True):
    X, flags = made(seed)
    model = getattr(wittgenstein, name)(random_state=seed)
    model.fit(X, y=flags if y is None else y, pos_class=positive)
    return model, X


def around(model, X, n: int, seed: int):
    """Return rows with values at the edges of bins, next to them, unseen and missing."""
    rng = np.random.default_rng(seed)
    columns = {}
    for name in X:
        if name in model.bin_transformer_.bins_:
            bins = model.bin_transformer_
            edges = {e for text in bins.bins_[name] for e in bins._str_to_floor_ceil(text, name)}
            edges = np.array(sorted(e for e in edges if np.isfinite(e)))
            near = [np.nextafter(edges, np.inf), np.nextafter(edges, -np.inf)]
            pool = np.concatenate([edges, *near, X[name], [1e300, -1e300, np.nan, np.nan]])
            columns[name] = rng.choice(pool, n)
        elif name == "few":
            columns[name] = rng.choice([0.0, 1.0, 2.0, 2.5, 3.0, 9.0, np.nan], n)
        else:
            pool = np.array([*X[name].unique().tolist(), "unseen", None], dtype=object)
            columns[name] = pool[rng.integers(0, len(pool), n)]
    return pd.DataFrame(columns)


@pytest.mark.parametrize("name", ["RIPPER", "IREP"])
@pytest.mark.parametrize("seed", range(2))
def test_rules_hold_where_the_model_is_positive(name, seed):
    model, X = fitted(seed, name)
    rules = from_wittgenstein(model)
    assert len(rules) == len(model.ruleset_.rules) > 0
    assert rules.default is False
    assert set(rules.consequents) == {True}
    points = around(model, X, 2000, seed)
    assert rules.predict(points).tolist() == model.predict(points)
    assert rules.predict(X).tolist() == model.predict(X)
    assert len(rules.conflicts()) == 0
    # each rule holds for the same rows as in the library
    binned = model.bin_transformer_.transform(points)
    for column, rule in zip(rules.covering(points).T, model.ruleset_.rules, strict=True):
        assert set(np.flatnonzero(column)) == set(rule.covers(binned).index)


def test_features_are_what_the_model_tests():
    model, X = fitted(0)
    space = from_wittgenstein(model).space
    assert space.names == tuple(X.columns)
    assert space["a"] == Continuous("a", missing=True)
    assert space["unused"] == Categorical("unused", [], missing=True, other=True)
    assert {"a", "few"} <= {cond.feature for cond in model.ruleset_.get_conds()}
    assert space["few"] == Continuous("few", missing=True)


def test_columns_of_an_array_are_numbered():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    model = wittgenstein.RIPPER(random_state=0)
    model.fit(X, y=(X[:, 1] > 0.3).astype(int), pos_class=1)
    rules = from_wittgenstein(model)
    assert rules.space.names == ("x0", "x1", "x2")
    points = rng.normal(size=(1000, 3))
    assert rules.predict(points).tolist() == [int(p) for p in model.predict(points)]


@pytest.mark.parametrize(
    ("positive", "negative", "default"),
    [("ill", None, "not ill"), ("ill", "well", "well"), (1, None, 0), (7, None, "not 7")],
)
def test_the_default_is_the_negative_class(positive, negative, default):
    _, y = made(0)
    labels = np.where(y, positive, 0) if isinstance(positive, int) else np.where(y, "ill", "well")
    model, _ = fitted(0, "IREP", labels, positive)
    rules = from_wittgenstein(model, negative=negative)
    assert rules.default == default
    assert set(rules.consequents) == {positive}


def test_a_model_without_rules_and_one_that_always_holds():
    model, _ = fitted(2)
    clash, numbers = [Cond("c", "x"), Cond("c", "y")], [Cond("few", 1), Cond("few", 2)]
    for listed in ([], [Rule(clash)], [Rule(numbers)]):
        model.ruleset_ = Ruleset(listed)
        assert len(from_wittgenstein(model)) == 0
    model.ruleset_ = Ruleset([Rule()])
    assert str(from_wittgenstein(model)[0]) == "IF anything THEN true"


def test_bins_of_the_other_engine_and_of_older_versions():
    model, X = fitted(3)
    binner = BinTransformer(engine="numpy")
    binner.fit(X[["a"]])
    model.bin_transformer_ = binner
    edges = binner.thresholds_["a"]
    near = [np.nextafter(edges, np.inf), np.nextafter(edges, -np.inf), [1e300, -1e300]]
    points = pd.concat([X.iloc[:1]] * (3 * len(edges) + 2), ignore_index=True)
    points["a"] = np.concatenate([edges, *near])
    for text in binner.bins_["a"]:
        model.ruleset_ = Ruleset([Rule([Cond("a", text)])])
        assert from_wittgenstein(model).predict(points).tolist() == model.predict(points)
    binner.thresholds_ = {}
    binner.bins_ = {"a": ["<-5", "-5--1.5", "-1.5-1e-05", "1e-05-2", ">2"]}
    model.ruleset_ = Ruleset([Rule([Cond("a", text)]) for text in binner.bins_["a"]])
    assert [str(rule.region) for rule in from_wittgenstein(model)] == [
        "a <= -5",
        "-5 < a <= -1.5",
        "-1.5 < a <= 1e-05",
        "1e-05 < a <= 2",
        "a > 2",
    ]
    model.bin_transformer_ = dict(binner.bins_)
    assert len(from_wittgenstein(model)) == 5
    model.bin_transformer_ = None
    assert from_wittgenstein(model).space["a"].values == tuple(binner.bins_["a"])
    model.bin_transformer_ = binner
    model.ruleset_ = Ruleset([Rule([Cond("a", "near 5")])])
    with pytest.raises(
        FormatError, match=r"feature 'a': a bin must be like '2\.5 - 7', got 'near 5'"
    ):
        from_wittgenstein(model)


def test_an_unfitted_model_is_rejected():
    with pytest.raises(FormatError, match="the RIPPER is not fitted; call its fit"):
        from_wittgenstein(wittgenstein.RIPPER())
    with pytest.raises(FormatError, match="the class RIPPER, not a fitted model of it"):
        from_wittgenstein(wittgenstein.RIPPER)
