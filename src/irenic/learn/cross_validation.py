"""Cross-validation of a rule learner, next to a pruned tree and the majority class."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from irenic.arrays import Floats, Indices, Ints
from irenic.errors import ConditionError, DataError
from irenic.learn._classifier import RuleSetClassifier
from irenic.learn.parameters import Knowledge, forbidden_columns
from irenic.learn.run import progress_bar
from irenic.learn.target import Target, row_counts, row_weights
from irenic.learn.validation import Validation
from irenic.model.columns import Columns, take_apart
from irenic.model.literals import display
from irenic.model.space import Space

# A category with more values than this is one column of codes for trees, not one per value.
_ONE_HOT_LIMIT: Final = 30
# Folds for baselines next to a classifier that was validated in its fit, and on how many rows.
_FOLDS: Final = 5
_ROW_LIMIT: Final = 50_000
# How many degrees of pruning are tried, and on how many parts of the training rows.
_DEGREES: Final = 12
_INNER_FOLDS: Final = 3


def cross_validate(
    estimator: RuleSetClassifier,
    X: Any,
    y: Any,
    *,
    cv: int | None = 5,
    sample_weight: Any = None,
    random_state: int | None = None,
    verbose: bool = False,
) -> dict[str, Any]:
    """Return the scores of a classifier on rows left out, next to those of simple baselines.

    The rows are divided into stratified folds. Each fold is predicted by a clone of the estimator
    that is fitted to the other folds, by a decision tree pruned with inner cross-validation, and by
    the majority class.

    Parameters
    ----------
    estimator : RuleSetClassifier
        It is cloned, and need not be fitted unless ``cv`` is None.
    X : table
        As for :meth:`RuleSetClassifier.fit`.
    y : column of labels
        One label per row.
    cv : int or None, default 5
        Number of folds; fewer, with a warning, if the rarest class has fewer rows. None fits no
        clones: the scores of the classifier come from the rows that its own fit left out, as in
        ``estimate_``. The baselines then use five folds, of at most 50,000 rows.
    sample_weight : column of numbers, optional
        Weights of the rows, with which the learners are fitted and scored (default: 1). If the
        classifier balances labels or has class weights, every row counts once in the scores.
    random_state : int, optional
        Seed of the folds and of the tree. The estimator has its own.
    verbose : bool, default False
        Show a progress bar.

    Returns
    -------
    dict
        "folds" is the number of folds, and None if ``cv`` is. "sampled" is the number of rows that
        the baselines were limited to, None if they used all. "learners" is a list of dicts with the
        keys "name" ("irenic", "pruned tree" or "majority class"), "accuracy", "low" and "high", its
        95 % interval, "balanced_accuracy", and the mean numbers of "rules" and "conditions".

    Raises
    ------
    ConditionError
        If ``cv`` is not a whole number of at least 2, or None and the classifier was not validated,
        or has a cost.
    DataError
        If rows have several labels, or a class has a single row.
    KeyboardInterrupt
        If Ctrl-C ends a fit.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from irenic import RuleSetClassifier
    >>> from irenic.learn import cross_validate
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = RuleSetClassifier(generations=1, moves=50, random_state=0)
    >>> scores = cross_validate(clf, X, y, cv=2, random_state=0)
    >>> [learner["name"] for learner in scores["learners"]]
    ['irenic', 'pruned tree', 'majority class']
    >>> scores["learners"][0]["accuracy"] > 0.8
    True
    """
    return cross_validated(
        estimator,
        X,
        y,
        cv=cv,
        sample_weight=sample_weight,
        random_state=random_state,
        verbose=verbose,
    )[0]


def cross_validated(
    estimator: RuleSetClassifier,
    X: Any,
    y: Any,
    *,
    cv: int | None,
    random_state: int | None,
    sample_weight: Any = None,
    verbose: bool = False,
) -> tuple[dict[str, Any], LeftOut | None]:
    """Return what :func:`cross_validate` does, and what clones predict for the rows left out."""
    from sklearn.model_selection import StratifiedKFold
    from sklearn.utils.parallel import Parallel, delayed

    target = estimator._target(y)
    if target.many:
        raise DataError(
            "y must have one label per row, got several; use"
            " sklearn.model_selection.cross_val_score"
        )
    codes = target.truth.argmax(axis=1)
    weight = row_weights(len(codes), sample_weight)
    matrix, sources = as_matrix(X, forbidden_columns(Knowledge.of(estimator.knowledge).forbidden))
    own, sampled = [], None
    if cv is None:
        own = [{"name": "irenic", **_own_scores(estimator)}]
        if len(codes) > _ROW_LIMIT:
            sampled = _ROW_LIMIT
            rows = np.random.default_rng(random_state).permutation(len(codes))[:sampled]
            codes, matrix, weight = codes[rows], matrix[rows], weight[rows]
        folds = min(_FOLDS, max(2, _rarest(codes)[1]))
    else:
        folds = n_folds(target.labels[codes], cv)
        if folds < cv:
            warnings.warn(fewer_folds(target.labels[codes], cv), stacklevel=2)
    learners: dict[str, Learner] = {}
    if cv is not None:
        learners["irenic"] = rule_sets(estimator, X, y, weight)
    learners["pruned tree"] = pruned_tree(
        matrix, sources, codes, weight=weight, random_state=random_state
    )
    learners["majority class"] = majority(codes, weight)

    def fit_all(train: Indices, test: Indices) -> tuple[Indices, list[Fitted]]:
        return test, [learner(train, test) for learner in learners.values()]

    splitter = StratifiedKFold(folds, shuffle=True, random_state=random_state)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a class of one row
        splits = list(splitter.split(codes, codes))
    title = "comparing with a tree" if cv is None else "cross-validating"
    # trees are grown in threads; a classifier runs its own tasks side by side
    parallel = Parallel(
        n_jobs=estimator.n_jobs if cv is None else 1, require="sharedmem", return_as="generator"
    )
    counted = weight if _counts_weights(estimator) else row_counts(weight)
    results = []
    with progress_bar(verbose, title, "Ctrl-C skips this") as show:
        show(0, folds)
        for result in parallel(delayed(fit_all)(*split) for split in splits):
            results.append(result)
            show(len(results), folds)
    for place, name in enumerate(learners):
        fits = [(test, fitted[place]) for test, fitted in results]
        own.append({"name": name, **_scores(fits, codes, counted)})
    scores = {"folds": None if cv is None else folds, "sampled": sampled, "learners": own}
    return scores, None if cv is None else _left_out([(t, f[0]) for t, f in results], target)


class LeftOut(NamedTuple):
    """What rules predict for rows that they were not learned from."""

    codes: Ints
    """Place of the prediction of each row among the outcomes."""
    outcomes: list[Any]
    """The labels, and None for no prediction."""
    by_default: npt.NDArray[np.bool_]


def _left_out(fits: list[tuple[Indices, Fitted]], target: Target) -> LeftOut:
    outcomes = [*target.labels.tolist(), None]
    codes, by_default = np.zeros(len(target), dtype=np.intp), np.zeros(len(target), dtype=bool)
    for test, fitted in fits:
        codes[test] = np.where(fitted.codes < 0, len(outcomes) - 1, fitted.codes)
        by_default[test] = fitted.by_default
    return LeftOut(codes, outcomes, by_default)


def n_folds(y: npt.NDArray[Any], cv: int) -> int:
    """Return the number of folds such that each has all classes: ``cv``, or fewer.

    >>> n_folds(np.array(["a", "a", "a", "b", "b"]), 5)
    2
    """
    if not isinstance(cv, Integral) or cv < 2:
        raise ConditionError(f"cv must be a whole number of at least 2, got {cv!r}")
    label, n_rows = _rarest(y)
    if n_rows < 2:
        raise DataError(
            f"class {display(label)} must have at least two rows, one to learn from and one to"
            " test, got 1; drop the row or skip cross-validation"
        )
    return min(int(cv), n_rows)


def fewer_folds(y: npt.NDArray[Any], cv: int) -> str:
    """Return the warning for a class with fewer rows than folds.

    >>> fewer_folds(np.array(["a", "a", "a", "b", "b"]), 5)
    'using 2 folds instead of 5, because class b has 2 rows'
    """
    label, n_rows = _rarest(y)
    return f"using {n_rows} folds instead of {cv}, because class {display(label)} has {n_rows} rows"


def _rarest(y: npt.NDArray[Any]) -> tuple[Any, int]:
    labels, counts = np.unique(y, return_counts=True)
    rarest = int(counts.argmin())
    return labels.tolist()[rarest], int(counts[rarest])


@dataclass(frozen=True)
class Fitted:
    """The codes that a fitted model predicts for the rows left out, and its size."""

    codes: Ints
    n_rules: int
    n_conditions: int
    by_default: npt.NDArray[np.bool_] | bool = False
    """Whether no rule decides each of these rows."""


Learner = Callable[[Indices, Indices], Fitted]
"""A function of the rows to fit to and the rows to predict."""


def _scores(fits: list[tuple[Indices, Fitted]], codes: Ints, weight: Floats) -> dict[str, float]:
    right = np.zeros((len(codes), 1))
    for test, fitted in fits:
        right[test, 0] = fitted.codes == codes[test]
    per_class = [
        np.average(right[codes == code, 0], weights=weight[codes == code])
        for code in np.unique(codes[weight > 0])
    ]
    rules, conditions = np.mean([(f.n_rules, f.n_conditions) for _, f in fits], axis=0).tolist()
    _, low, high = Validation(right, weight, np.ones(len(codes)), codes).estimate([0])
    return {
        "accuracy": float(np.average(right[:, 0], weights=weight)),
        "low": low,
        "high": high,
        "balanced_accuracy": float(np.mean(per_class)),
        "rules": rules,
        "conditions": conditions,
    }


def _counts_weights(estimator: RuleSetClassifier) -> bool:
    """Return whether scores count rows by their weights; else those of labels would count, too."""
    return estimator.class_weight is None and estimator.scoring != "balanced_accuracy"


def _own_scores(estimator: RuleSetClassifier) -> dict[str, float]:
    if estimator.knowledge_.cost is not None:
        raise ConditionError(
            "cv must be a number of folds if the classifier has a cost, got None: rows left out"
            " were scored by cost"
        )
    validation = getattr(estimator, "_validation", None)
    if validation is None or not estimator._members:
        raise ConditionError(
            "the classifier must have been fitted with validation if cv is None; use a"
            " number of folds"
        )
    chosen, members = estimator.chosen_, estimator._members
    weighted = _counts_weights(estimator)
    accuracy, low, high = validation.estimate(members, weighted=weighted)
    balanced = validation.balanced(members, weighted=weighted)
    # What the rule sets were chosen by has one estimate, in all places where it is shown.
    if weighted and estimator.scoring == "accuracy" and estimator.estimate_ is not None:
        accuracy, low, high = estimator.estimate_
    if estimator.class_weight is None and estimator.scoring == "balanced_accuracy":
        balanced = estimator.estimate_.score if estimator.estimate_ else balanced
    return {
        "accuracy": accuracy,
        "low": low,
        "high": high,
        "balanced_accuracy": balanced,
        "rules": float(chosen.n_rules),
        "conditions": float(chosen.n_conditions),
    }


# --- learners


def rule_sets(
    estimator: RuleSetClassifier, X: Any, y: Any, sample_weight: Floats | None = None
) -> Learner:
    """Return the learner that fits clones of a classifier."""
    from sklearn.base import clone

    def fit(train: Indices, test: Indices) -> Fitted:
        # rows of weight 0 are not learned from, but their values belong to the space
        weight = np.zeros(len(train) + len(test))
        weight[train] = 1.0 if sample_weight is None else sample_weight[train]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # the fit to all rows warns
            model = clone(estimator).set_params(verbose=False).fit(X, y, sample_weight=weight)
        if model.stopped_by_ == "interrupt":  # it returns the best rules so far instead of raising
            raise KeyboardInterrupt
        code_of = {label: code for code, label in enumerate(model.classes_.tolist())}
        # a model that abstains predicts None, which is never right
        codes = [code_of.get(label, -1) for label in model.predict(X)[test].tolist()]
        sizes = model.chosen_.n_rules, model.chosen_.n_conditions
        return Fitted(np.array(codes), *sizes, model._decided(X)[test] < 0)

    return fit


def majority(codes: Ints, weight: Floats) -> Learner:
    """Return the learner that predicts the most frequent class."""

    def fit(train: Indices, test: Indices) -> Fitted:
        counts = np.bincount(codes[train], weights=weight[train])
        return Fitted(np.full(len(test), counts.argmax()), 0, 0)

    return fit


def pruned_tree(
    matrix: Floats,
    sources: list[int],
    codes: Ints,
    *,
    weight: Floats,
    random_state: int | None,
) -> Learner:
    """Return the learner that fits a tree of scikit-learn and prunes it by cross-validation.

    ``sources`` are the features behind the columns of the matrix.
    """

    def fit(train: Indices, test: Indices) -> Fitted:
        tree = _pruned(matrix[train], codes[train], weight[train], random_state)
        return Fitted(tree.predict(matrix[test]), *tree_size(tree, sources))

    return fit


def _pruned(X: Floats, y: Ints, weight: Floats, random_state: int | None) -> Any:
    from sklearn.model_selection import KFold, StratifiedKFold
    from sklearn.tree import DecisionTreeClassifier

    tree = DecisionTreeClassifier(random_state=random_state)
    path = tree.cost_complexity_pruning_path(X, y, weight)
    steps = np.unique(np.maximum(path.ccp_alphas, 0.0))
    # between two steps, as Breiman advises: at a step itself other rows would prune differently
    alphas = np.append(np.sqrt(steps[:-1] * steps[1:]), 2.0 * steps[-1])
    tried = np.unique(np.linspace(0, len(alphas) - 1, _DEGREES).astype(int))
    if len(tried) == 1 or len(y) < 2 * _INNER_FOLDS:
        return tree.fit(X, y, weight)
    rarest = int(np.bincount(y)[np.unique(y)].min())
    splitter = StratifiedKFold if rarest >= _INNER_FOLDS else KFold
    inner = splitter(_INNER_FOLDS, shuffle=True, random_state=random_state)
    alphas = alphas[tried][::-1]
    scores = [
        weight[left]
        @ (
            predict_pruned(tree.fit(X[rows], y[rows], weight[rows]), alphas, X[left])
            == y[left, None]
        )
        / max(weight[left].sum(), np.finfo(float).tiny)
        for rows, left in inner.split(X, y)
    ]
    # the first of the best: among equally good trees the smallest
    best = alphas[np.mean(scores, axis=0).argmax()]
    return tree.set_params(ccp_alpha=best).fit(X, y, weight)


def predict_pruned(tree: Any, alphas: Floats, X: Floats) -> npt.NDArray[Any]:
    """Return what a fitted tree predicts once pruned with each alpha, ``[row, alpha]``.

    Each is what a tree fitted with this ``ccp_alpha`` predicts: the smallest subtree of the least
    impurity plus alpha per leaf. One tree serves all, because pruning does not change its splits.
    """
    inner = tree.tree_
    left, right = inner.children_left, inner.children_right
    weight = inner.weighted_n_node_samples
    cost = (inner.impurity * weight / weight[0])[:, None] + alphas
    collapsed = np.zeros(cost.shape, dtype=bool)
    levels = [np.zeros(1, dtype=np.intp)]  # of nodes with children
    while len(levels[-1]):
        split = levels[-1] = levels[-1][left[levels[-1]] >= 0]
        levels.append(np.concatenate([left[split], right[split]]))
    for split in reversed(levels):
        below = cost[left[split]] + cost[right[split]]
        collapsed[split] = (cost[split] <= below) & (alphas > 0)  # 0 prunes nothing
        cost[split] = np.minimum(cost[split], below)
    ends = np.repeat(np.arange(len(left))[:, None], len(alphas), axis=1)
    for split in levels:
        ended = collapsed[split] | (ends[split] != split[:, None])
        for children in (left[split], right[split]):
            ends[children] = np.where(ended, ends[split], ends[children])
    classes = tree.classes_[inner.value[:, 0].argmax(axis=1)]
    return np.asarray(classes[ends[tree.apply(X)]])


def as_matrix(X: Any, forbidden: Collection[Any] = ()) -> tuple[Floats, list[int]]:
    """Return a table as a matrix for trees, and the index of the feature behind each column.

    Columns that are forbidden, by name or by index, are left out.

    >>> as_matrix({"age": [31, None], "job": ["nurse", "clerk"]})
    (array([[31.,  0.,  1.],
           [nan,  1.,  0.]]), [0, 1, 1])
    """
    taken = take_apart(X)
    names = taken.names or [f"x{index}" for index in range(len(taken.columns))]
    allowed = [i for i, name in enumerate(names) if name not in forbidden and i not in forbidden]
    named = [names[index] for index in allowed]
    table = Columns(named, [taken.columns[index] for index in allowed], taken.length)
    space = Space.infer(table)
    instances = space.encode(table)
    columns: list[npt.NDArray[Any]] = []
    sources: list[int] = []
    for index, feature in zip(allowed, space, strict=True):
        row = space.row(feature.name)
        if feature in space.continuous:
            values = instances.values[row]
            columns.append(np.where(np.isneginf(values), np.nan, values))
            sources.append(index)
            continue
        codes = instances.codes[row]
        distinct = np.unique(codes)
        if len(distinct) > _ONE_HOT_LIMIT:
            columns.append(codes.astype(float))
            sources.append(index)
        else:
            columns += [(codes == code).astype(float) for code in distinct]
            sources += [index] * len(distinct)
    if not columns:  # all are forbidden
        columns, sources = [np.zeros(len(instances))], [0]
    return np.stack(columns, axis=1), sources


def tree_size(tree: Any, sources: list[int]) -> tuple[int, int]:
    """Return the numbers of rules and conditions of a fitted tree.

    Each leaf is a rule, with one condition per feature that is tested on the path to it.
    """
    inner = tree.tree_
    n_rules = n_conditions = 0
    pending: list[tuple[int, frozenset[int]]] = [(0, frozenset())]
    while pending:
        node, tested = pending.pop()
        if inner.children_left[node] < 0:
            n_rules, n_conditions = n_rules + 1, n_conditions + len(tested)
            continue
        deeper = tested | {sources[inner.feature[node]]}
        pending += [(inner.children_left[node], deeper), (inner.children_right[node], deeper)]
    return n_rules, n_conditions
