"""Trees of scikit-learn: one rule a leaf.

A fitted tree casts every value to float32 and then tests ``value <= threshold`` on a threshold in
float64. A cut on float64 values that sends each of them where the tree sends it lies half way
between two neighbouring float32: what is nearer to the lower one is rounded down and goes left.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator
from itertools import product
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from irenic.errors import FormatError
from irenic.formats.models._checks import described, kinds_of, labels_of, named, unfitted
from irenic.model.features import LOWEST, Continuous
from irenic.model.ruleset import RuleSet
from irenic.model.sampling import readable as readable_number
from irenic.model.space import Space

Floats = npt.NDArray[np.float64]

_MOST_RULES: Final = 1_000_000
_BEYOND: Final = 2.0**128
"""What float32 would have after its greatest finite number: from half way on it is infinite."""


def from_sklearn(
    tree: Any,
    *,
    feature_names: Any = None,
    class_names: Any = None,
    missing: bool = False,
    readable: bool = False,
    index: int | None = None,
) -> RuleSet:
    """Return the rules of a fitted classification tree of scikit-learn: one a leaf.

    They predict exactly what the tree predicts, for every table of float64: no leaf overlaps
    another and together they leave no gap, so the set has no default.

    Parameters
    ----------
    tree : DecisionTreeClassifier, ExtraTreeClassifier or a forest of these
        Of a tree with several outputs a rule states the tuple of labels.
    feature_names : sequence of str, optional
        None takes the names that the tree was fitted with, else ``x0``, ``x1``, …
    class_names : sequence, optional
        Names instead of the classes, in the order of ``classes_``; one sequence for each output
        where there are several.
    missing : bool
        Whether features may be missing. The rules then follow the way that the tree sends NaN in
        each node; a leaf that takes missing values beside an interval from further up becomes
        several rules. By default the space says that nothing is missing.
    readable : bool
        Trees round values to float32 before they test them, so an exact cut lies half way
        between two float32 and takes some seventeen digits. True takes the shortest decimal from
        one of the two to the other instead: that decimal, every value of float32 and all that
        does not lie between the two are still decided as by the tree.
    index : int, optional
        Which tree of a forest.

    Examples
    --------
    >>> from irenic.formats import from_sklearn
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> iris = load_iris()
    >>> tree = DecisionTreeClassifier(max_leaf_nodes=3, random_state=0)
    >>> tree = tree.fit(iris.data[:, 2:], iris.target)
    >>> rules = from_sklearn(tree, feature_names=["petal length", "petal width"],
    ...                      class_names=iris.target_names, readable=True)
    >>> rules
    <RuleSet: 3 rules, 2 features>
      1. IF "petal width" <= 0.80000004 THEN setosa
      2. IF 0.80000004 < "petal width" <= 1.75 THEN versicolor
      3. IF "petal width" > 1.75 THEN virginica
    """
    inner, classes, model = _tree_of(tree, index)
    known = getattr(model, "feature_names_in_", None)
    names = named(feature_names, inner.n_features, known)
    cuts = _readable_cuts(inner.threshold) if readable else cuts_of(inner.threshold)
    lower, upper, leaves = _boxes(inner, cuts, missing)
    return RuleSet.from_arrays(
        Space(Continuous(name, missing=missing) for name in names),
        lower=lower,
        upper=upper,
        then=_stated(inner, leaves, _labels(classes, class_names)),
    )


# --- which tree


def _tree_of(model: Any, index: int | None) -> tuple[Any, Any, Any]:
    """Return the inner tree, the classes that its leaves count, and what knows the names."""
    kinds = kinds_of(model, "sklearn")
    if isinstance(model, type) or not kinds & {"DecisionTreeClassifier", "ForestClassifier"}:
        raise FormatError(f"{described(model)} has no rules that state a class; {_advice(kinds)}")
    if "DecisionTreeClassifier" in kinds:
        if not hasattr(model, "tree_"):
            raise unfitted(model)
        if index is not None:
            raise FormatError(f"index={index!r} is for a forest; this is one tree, leave it out")
        return model.tree_, model.classes_, model
    if not hasattr(model, "estimators_"):
        raise unfitted(model)
    n = len(model.estimators_)
    if index is None:
        raise FormatError(
            f"a forest of {n} trees adds up what they say; name one of them with index=0"
        )
    if isinstance(index, bool) or not isinstance(index, int | np.integer) or not -n <= index < n:
        raise FormatError(f"index={index!r} is not the place of one of the {n} trees of the forest")
    return model.estimators_[index].tree_, model.classes_, model


def _advice(kinds: set[str]) -> str:
    if "Pipeline" in kinds:
        return (
            "give its last step, pipeline[-1], and the names of what comes before:"
            " feature_names=pipeline[:-1].get_feature_names_out()"
        )
    if "BaseSearchCV" in kinds:
        return "give what it found: search.best_estimator_"
    if kinds & {"RegressorMixin", "ForestRegressor", "DecisionTreeRegressor"}:
        return "it predicts numbers; fit a classifier to classes of them"
    if kinds & {"BaseGradientBoosting", "BaseHistGradientBoosting", "BaseWeightBoosting"}:
        return "it adds up what its trees say"
    return "give a fitted DecisionTreeClassifier, ExtraTreeClassifier or a forest of these"


# --- what the leaves state


def _labels(classes: Any, given: Any) -> list[list[Hashable]]:
    """Return the labels of each output."""
    if not isinstance(classes, list):
        return [labels_of(classes, given)]
    if given is None:
        return [labels_of(some) for some in classes]
    if isinstance(given, str) or not hasattr(given, "__len__") or len(given) != len(classes):
        raise FormatError(
            f"class_names has one list for each of the {len(classes)} outputs, not {given!r}"
        )
    return [labels_of(some, names) for some, names in zip(classes, given, strict=True)]


def _stated(
    inner: Any, leaves: npt.NDArray[np.intp], labels: list[list[Hashable]]
) -> list[Hashable]:
    best = inner.value[leaves].argmax(axis=2).tolist()
    if len(labels) == 1:
        return [labels[0][codes[0]] for codes in best]
    return [tuple(some[c] for some, c in zip(labels, codes, strict=True)) for codes in best]


# --- where the tree cuts


def _neighbours(
    threshold: Floats,
) -> tuple[npt.NDArray[np.float32], Floats, Floats]:
    """Return the greatest float32 not above each threshold, that as float64, and the next one."""
    with np.errstate(over="ignore"):
        below = threshold.astype(np.float32)
    above = below.astype(np.float64) > threshold
    below[above] = np.nextafter(below[above], np.float32(-np.inf))
    # numpy warns of the step to infinity, which is meant
    with np.errstate(over="ignore", under="ignore"):
        after = np.nextafter(below, np.float32(np.inf)).astype(np.float64)
    return below, below.astype(np.float64), after


def cuts_of(threshold: Floats) -> Floats:
    """Return the cuts on float64 that do what ``float32(value) <= threshold`` does.

    >>> (cut,) = cuts_of(np.array([0.1]))
    >>> below = np.nextafter(cut, 0)
    >>> float(below), [bool(np.float64(np.float32(x)) <= 0.1) for x in (below, cut)]
    (0.09999999776482582, [True, False])
    """
    threshold = np.asarray(threshold, dtype=np.float64)
    single, below, after = _neighbours(threshold)
    # exact: two neighbours have 25 bits between them, and float64 keeps 53
    middle = np.clip(below, -_BEYOND, _BEYOND) / 2 + np.clip(after, -_BEYOND, _BEYOND) / 2
    # half way, float32 rounds to the even one of the two; then ``<= threshold`` takes it along
    even = (single.view(np.uint32) & 1) == 0
    cuts = np.where(even, np.nextafter(middle, np.inf), middle)
    # a tree that sends only missing values to the right has an infinite threshold
    return np.where(threshold == np.inf, np.inf, cuts)


def _readable_cuts(threshold: Floats) -> Floats:
    """Return cuts at the shortest decimals from one float32 to the next."""
    _, below, after = _neighbours(threshold)
    number = Continuous("x")
    found = np.full(len(threshold), np.inf)
    for i, (low, high) in enumerate(zip(below.tolist(), after.tolist(), strict=True)):
        if high < math.inf:
            cut = readable_number(number, low, number.after(high))
            # the decimal itself goes where the tree sends it: "<= 2.5" if float32 has it as ``low``
            found[i] = number.after(cut) if np.float32(cut) == np.float32(low) else cut
    return found


# --- the boxes of the leaves


def _boxes(inner: Any, cuts: Floats, missing: bool) -> tuple[Floats, Floats, npt.NDArray[np.intp]]:
    """Return the bounds, ``[feature, rule]``, and the leaf of each rule."""
    lows, highs, takes, leaves = _leaves(inner, cuts, missing)
    present = lows < highs
    bottom = lows == LOWEST
    if not missing:
        kept = present.all(axis=1)
        lows = np.where(bottom, -np.inf, lows)
        return lows[kept].T, highs[kept].T, leaves[kept]
    kept = (present | takes).all(axis=1)
    lows, highs, takes, leaves = lows[kept], highs[kept], takes[kept], leaves[kept]
    present, bottom = present[kept], bottom[kept]
    # missing is the lowest value: it joins an interval from the bottom, or is one of its own
    lows = np.where(bottom & takes & present, -np.inf, lows)
    alone = takes & ~present
    lows[alone], highs[alone] = -np.inf, LOWEST
    beside = takes & present & ~bottom
    n = int((2.0 ** beside.sum(axis=1)).sum())
    if n > _MOST_RULES:
        raise FormatError(
            f"the {len(leaves)} leaves would be {n} rules with missing values;"
            " leave missing=False, or fit a smaller tree"
        )
    if n == len(leaves):
        return lows.T, highs.T, leaves
    return _with_missing(lows, highs, beside, leaves, n)


def _with_missing(
    lows: Floats,
    highs: Floats,
    beside: npt.NDArray[np.bool_],
    leaves: npt.NDArray[np.intp],
    n: int,
) -> tuple[Floats, Floats, npt.NDArray[np.intp]]:
    """Return the boxes in which each marked feature is once in its interval and once missing."""
    lower, upper = np.empty((n, lows.shape[1])), np.empty((n, lows.shape[1]))
    owner = np.empty(n, dtype=np.intp)
    row = 0
    for i in range(len(leaves)):
        marked = np.flatnonzero(beside[i])
        for choice in product((False, True), repeat=len(marked)):
            lower[row], upper[row], owner[row] = lows[i], highs[i], leaves[i]
            absent = marked[list(choice)]
            lower[row, absent], upper[row, absent] = -np.inf, LOWEST
            row += 1
    return lower.T, upper.T, owner


def _leaves(
    inner: Any, cuts: Floats, missing: bool
) -> tuple[Floats, Floats, npt.NDArray[np.bool_], npt.NDArray[np.intp]]:
    """Return for each leaf, from left to right, its bounds and which features may be missing."""
    found = list(_walk(inner, cuts, missing))
    lows, highs, takes, leaves = zip(*found, strict=True)
    return np.array(lows), np.array(highs), np.array(takes), np.array(leaves, dtype=np.intp)


def _walk(inner: Any, cuts: Floats, missing: bool) -> Iterator[tuple[Any, ...]]:
    left, right = inner.children_left.tolist(), inner.children_right.tolist()
    feature, to_left = inner.feature.tolist(), inner.missing_go_to_left.tolist()
    d = inner.n_features
    pending = [(0, np.full(d, LOWEST), np.full(d, np.inf), np.full(d, missing))]
    while pending:
        node, low, high, takes = pending.pop()
        if left[node] < 0:
            yield low, high, takes, node
            continue
        f, cut = feature[node], cuts[node]
        above, below = low.copy(), high.copy()
        above[f], below[f] = max(low[f], cut), min(high[f], cut)
        here, there = takes, takes.copy()
        if missing and takes[f]:
            here, there = takes.copy(), takes.copy()
            (there if to_left[node] else here)[f] = False
        pending.append((right[node], above, high, there))
        pending.append((left[node], low, below, here))
