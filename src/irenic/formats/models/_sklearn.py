"""Trees of scikit-learn: one rule per leaf.

A fitted tree casts every value to float32 and compares it with a threshold in float64. An
equivalent cut for float64 values is half way between two neighboring float32: values closer to the
lower one are rounded down and go left.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator
from itertools import product
from typing import Any, Final

import numpy as np

from irenic.arrays import Bools, Floats, Indices, Singles
from irenic.errors import FormatError
from irenic.formats.models._checks import described, kinds_of, labels_of, named, unfitted
from irenic.model.features import LOWEST, Continuous
from irenic.model.ruleset import RuleSet
from irenic.model.sampling import readable as readable_number
from irenic.model.space import Space

_MOST_RULES: Final = 1_000_000
_BEYOND: Final = 2.0**128
"""The float32 after the largest finite one; values beyond half way are rounded to infinity."""


def from_sklearn(
    tree: Any,
    *,
    feature_names: Any = None,
    class_names: Any = None,
    missing: bool = False,
    readable: bool = False,
    index: int | None = None,
) -> RuleSet:
    """Return the rules of a fitted classification tree of scikit-learn, one per leaf.

    They predict exactly what the tree predicts for all float64 values. The rules do not overlap
    and leave no gap, so there is no default.

    Parameters
    ----------
    tree : DecisionTreeClassifier, ExtraTreeClassifier or a forest of these
        The fitted tree. The rules of a tree with several outputs predict tuples of labels.
    feature_names : sequence of str, optional
        Names of the features (default: those of the tree, else ``x0``, ``x1``, …).
    class_names : sequence, optional
        Names for the classes, in the order of ``classes_``; one sequence per output if there are
        several (default: the classes themselves).
    missing : bool
        Whether features may be missing. The rules then follow the branches that the tree uses for
        NaN. A leaf that contains missing values as well as an interval above the lowest values
        becomes several rules.
    readable : bool
        Whether to use short decimals. Trees round values to float32, so an exact cut is half way
        between two float32 and needs about 17 digits. True uses the shortest decimal between the
        two instead. Only values strictly between the two float32 may then be decided differently.
    index : int, optional
        The tree of a forest to convert; required for forests.

    Returns
    -------
    RuleSet

    Raises
    ------
    FormatError
        If the model is not fitted, or not a classification tree or forest, or if it tests
        categories (``categorical_features`` of scikit-learn 1.10).
    SpaceError
        If ``feature_names`` does not fit the tree.

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
    _check_numeric(inner, model, names)
    cuts = _readable_cuts(inner.threshold) if readable else cuts_of(inner.threshold)
    lower, upper, leaves = _boxes(inner, cuts, missing)
    return RuleSet.from_arrays(
        Space(Continuous(name, missing=missing) for name in names),
        lower=lower,
        upper=upper,
        then=_predictions(inner, leaves, _labels(classes, class_names)),
    )


# --- which tree


def _tree_of(model: Any, index: int | None) -> tuple[Any, Any, Any]:
    """Return the inner tree, the classes of its leaves, and the model that has the names."""
    kinds = kinds_of(model, "sklearn")
    if isinstance(model, type) or not kinds & {"DecisionTreeClassifier", "ForestClassifier"}:
        raise FormatError(f"{described(model)} has no rules that predict a class; {_advice(kinds)}")
    if "DecisionTreeClassifier" in kinds:
        if not hasattr(model, "tree_"):
            raise unfitted(model)
        if index is not None:
            raise FormatError(f"index must be None for a single tree, got {index!r}")
        return model.tree_, model.classes_, model
    if not hasattr(model, "estimators_"):
        raise unfitted(model)
    n = len(model.estimators_)
    if index is None:
        raise FormatError(
            f"a forest adds up the votes of its {n} trees; choose one of them, such as index=0"
        )
    if isinstance(index, bool) or not isinstance(index, int | np.integer) or not -n <= index < n:
        raise FormatError(
            f"index must be the index of one of the {n} trees of the forest, got {index!r}"
        )
    return model.estimators_[index].tree_, model.classes_, model


def _check_numeric(inner: Any, model: Any, names: list[str]) -> None:
    """Reject a tree that tests categories, which scikit-learn encodes before it decides.

    Such splits have a set of categories, or a hash of them, and a threshold that means nothing.
    """
    is_split = inner.children_left >= 0
    # a tree that sends only missing values to the right has the threshold inf
    odd = is_split & ~(inner.threshold > -np.inf)
    nodes = inner.__getstate__()["nodes"]
    if "split_kind" in nodes.dtype.names:
        odd |= is_split & (nodes["split_kind"] != 0)
    features = set(inner.feature[odd].tolist())
    is_categorical = getattr(model, "is_categorical_", None)
    if is_categorical is not None:
        features |= set(np.flatnonzero(is_categorical).tolist())
    if features:
        raise FormatError(
            "all splits of the tree must compare numbers with thresholds, got categories of feature"
            f" {names[min(features)]!r}; fit the tree without categorical_features to categories"
            " that OneHotEncoder encodes"
        )


def _advice(kinds: set[str]) -> str:
    if "Pipeline" in kinds:
        return (
            "pass its last step, pipeline[-1], and the names of its features:"
            " feature_names=pipeline[:-1].get_feature_names_out()"
        )
    if "BaseSearchCV" in kinds:
        return "pass its best model, search.best_estimator_"
    if kinds & {"RegressorMixin", "ForestRegressor", "DecisionTreeRegressor"}:
        return "it predicts numbers; fit a classifier to ranges of them"
    if kinds & {"BaseGradientBoosting", "BaseHistGradientBoosting", "BaseWeightBoosting"}:
        return "it adds up the outputs of its trees; fit a DecisionTreeClassifier"
    return "pass a fitted DecisionTreeClassifier, ExtraTreeClassifier or a forest of these"


# --- the predictions of leaves


def _labels(classes: Any, class_names: Any) -> list[list[Hashable]]:
    """Return the labels of each output."""
    if not isinstance(classes, list):
        return [labels_of(classes, class_names)]
    if class_names is None:
        return [labels_of(labels) for labels in classes]
    sized = not isinstance(class_names, str) and hasattr(class_names, "__len__")
    if not sized or len(class_names) != len(classes):
        raise FormatError(
            f"class_names must have one list per output, {len(classes)} in all, got {class_names!r}"
        )
    return [labels_of(labels, names) for labels, names in zip(classes, class_names, strict=True)]


def _predictions(inner: Any, leaves: Indices, labels: list[list[Hashable]]) -> list[Hashable]:
    best = inner.value[leaves].argmax(axis=2).tolist()
    if len(labels) == 1:
        return [labels[0][codes[0]] for codes in best]
    return [tuple(of[c] for of, c in zip(labels, codes, strict=True)) for codes in best]


# --- the cuts of the tree


def _neighbors(
    threshold: Floats,
) -> tuple[Singles, Floats, Floats]:
    """Return the largest float32 up to each threshold, the same as float64, and the next one."""
    with np.errstate(over="ignore"):
        below = threshold.astype(np.float32)
    above = below.astype(np.float64) > threshold
    below[above] = np.nextafter(below[above], np.float32(-np.inf))
    # numpy warns about the step to infinity, which is intended
    with np.errstate(over="ignore", under="ignore"):
        after = np.nextafter(below, np.float32(np.inf)).astype(np.float64)
    return below, below.astype(np.float64), after


def cuts_of(threshold: Floats) -> Floats:
    """Return the cuts on float64 that are equivalent to ``float32(value) <= threshold``."""
    threshold = np.asarray(threshold, dtype=np.float64)
    single, below, after = _neighbors(threshold)
    # exact, because the midpoint of two neighbors needs 25 bits, and float64 has 53
    middle = np.clip(below, -_BEYOND, _BEYOND) / 2 + np.clip(after, -_BEYOND, _BEYOND) / 2
    # the midpoint is rounded to the even neighbor; if that is the lower one, it goes left
    even = (single.view(np.uint32) & 1) == 0
    cuts = np.where(even, np.nextafter(middle, np.inf), middle)
    # a tree that sends only missing values to the right has an infinite threshold
    return np.where(threshold == np.inf, np.inf, cuts)


def _readable_cuts(threshold: Floats) -> Floats:
    """Return cuts at the shortest decimals between one float32 and the next."""
    _, below, after = _neighbors(threshold)
    number = Continuous("x")
    cuts = np.full(len(threshold), np.inf)
    for i, (low, high) in enumerate(zip(below.tolist(), after.tolist(), strict=True)):
        if high < math.inf:
            cut = readable_number(number, low, number.after(high))
            # the decimal itself goes where the tree sends it: "<= 2.5" if it is rounded to ``low``
            cuts[i] = number.after(cut) if np.float32(cut) == np.float32(low) else cut
    return cuts


# --- the boxes of the leaves


def _boxes(inner: Any, cuts: Floats, missing: bool) -> tuple[Floats, Floats, Indices]:
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
    # missing is the lowest value: it joins an interval from the bottom, or is a separate one
    lows = np.where(bottom & takes & present, -np.inf, lows)
    alone = takes & ~present
    lows[alone], highs[alone] = -np.inf, LOWEST
    separate = takes & present & ~bottom
    n = int((2.0 ** separate.sum(axis=1)).sum())
    if n > _MOST_RULES:
        raise FormatError(
            f"the {len(leaves)} leaves must become at most {_MOST_RULES:,} rules with missing"
            f" values, got {n:,}; use missing=False, or fit a smaller tree"
        )
    if n == len(leaves):
        return lows.T, highs.T, leaves
    return _with_missing(lows, highs, separate, leaves, n)


def _with_missing(
    lows: Floats,
    highs: Floats,
    separate: Bools,
    leaves: Indices,
    n: int,
) -> tuple[Floats, Floats, Indices]:
    """Return boxes in which each marked feature is either in its interval or missing."""
    lower, upper = np.empty((n, lows.shape[1])), np.empty((n, lows.shape[1]))
    owner = np.empty(n, dtype=np.intp)
    row = 0
    for i in range(len(leaves)):
        marked = np.flatnonzero(separate[i])
        for choice in product((False, True), repeat=len(marked)):
            lower[row], upper[row], owner[row] = lows[i], highs[i], leaves[i]
            absent = marked[list(choice)]
            lower[row, absent], upper[row, absent] = -np.inf, LOWEST
            row += 1
    return lower.T, upper.T, owner


def _leaves(inner: Any, cuts: Floats, missing: bool) -> tuple[Floats, Floats, Bools, Indices]:
    """Return the bounds of each leaf, from left to right, and which features may be missing."""
    lows, highs, takes, leaves = zip(*_walk(inner, cuts, missing), strict=True)
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
