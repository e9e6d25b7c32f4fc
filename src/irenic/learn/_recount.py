"""Statistics of other rows in a model: its rules stay as they are."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from irenic.arrays import Floats
from irenic.errors import DataError
from irenic.learn import points
from irenic.learn._knowledge import cost_of
from irenic.learn._rows import TableRows
from irenic.learn._stored import Stored, StoredRows
from irenic.learn.front import Front
from irenic.learn.inputs import given_rows
from irenic.learn.sample import Sample
from irenic.learn.tally import ColumnSums, Counting, Uncounted
from irenic.learn.target import Consequents, Target, class_weights, label_sums, row_weights
from irenic.model.columns import take_apart
from irenic.model.literals import display

if TYPE_CHECKING:
    from irenic.learn._classifier import RuleSetClassifier


def recounted(clf: RuleSetClassifier, X: Any, y: Any, sample_weight: Any, target: Any) -> Front:
    """Return the front of a classifier with the statistics of other rows."""
    if clf._answers.many:
        raise DataError("recount needs a model of one label per row, got one of several labels")
    X, y, sample_weight = given_rows(X, y, sample_weight, target)
    front = Front(clf.pareto_front_, chosen=clf.chosen_)
    table = front[0].probabilities
    empty = Target.single(clf.classes_, np.zeros(0, dtype=np.intp))
    empty = replace(empty, cost=cost_of(clf.knowledge_.cost, empty))
    abstains = clf.default == "abstain"
    consequents = Consequents.from_target(empty, np.ones(0), [], abstains=abstains)
    counting = Counting(clf.conflicts, regions=None if table is None else table.regions)
    names = counting.names([Uncounted(point.rule_set, consequents) for point in front])
    rows, weights = _rows(clf, X, y, sample_weight, empty, names)
    if clf.scoring == "balanced_accuracy":
        counting = replace(counting, factors=class_weights(empty, "balanced", weights))
    sample = replace(Sample.of(clf.space_.encode([]), empty, np.ones(0)), whole=rows)
    return points.recounted_front(front, sample, consequents, counting, leads=clf._leads)


def _rows(
    clf: RuleSetClassifier, X: Any, y: Any, sample_weight: Any, empty: Target, names: list[str]
) -> tuple[TableRows | StoredRows, Floats]:
    """Return all rows, with the labels of the classifier, and the weight per label."""
    ones = np.ones(len(clf.classes_))
    if isinstance(X, Stored):
        codes = _codes(clf, X.classes.tolist())
        known = {value: int(codes[code]) for value, code in X.labels.items()}
        n_labels = len(clf.classes_)
        sums = [label_sums(codes, part, n_labels) for part in (X.n_rows, X.weights)]
        stored = replace(X, labels=known, classes=clf.classes_, n_rows=sums[0], weights=sums[1])
        nothing = ColumnSums.of(clf.space_.encode([]))
        return StoredRows(stored, clf.space_, ones, nothing), sums[1]
    table = clf._table(X, reset=False)
    own, of_rows = clf._labels(y)
    if of_rows is None:
        raise DataError("y must have one label per row, got several")
    if len(of_rows) != take_apart(table).length:
        raise DataError(
            "X and y must have the same number of rows, got"
            f" {take_apart(table).length} and {len(of_rows)}"
        )
    codes = _codes(clf, own.labels.tolist())[of_rows]
    weight = None if sample_weight is None else row_weights(len(codes), sample_weight)
    taken = take_apart(table)
    if taken.names is None:
        names = list(clf.space_.names)  # without names, all columns are there
    columns = dict(zip(names, taken.select(names), strict=True))
    weights = label_sums(codes, np.ones(len(codes)) if weight is None else weight, len(ones))
    return TableRows(clf.space_, columns, empty, codes, weight, ones), weights


def _codes(clf: RuleSetClassifier, labels: list[Any]) -> npt.NDArray[np.intp]:
    """Return the code that each label has in a classifier."""
    code_of = {label: code for code, label in enumerate(clf.classes_.tolist())}
    for label in labels:
        if label not in code_of:
            raise DataError(f"unknown label {display(label)}; the model has none of this name")
    return np.array([code_of[label] for label in labels], dtype=np.intp)
