"""Statistics of other rows in a model: its rules stay as they are."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from irenic.arrays import Floats
from irenic.errors import DataError
from irenic.learn._columns import ColumnSums
from irenic.learn._counting import Counting, Sums, total_of_each
from irenic.learn._knowledge import cost_of
from irenic.learn._left_out import led, raised_from
from irenic.learn._measure import Measure, resolve_by
from irenic.learn._rows import TableRows
from irenic.learn._stored import Stored, StoredRows, given_rows
from irenic.learn.front import Front, FrontPoint, ProbabilityTable
from irenic.learn.target import Consequents, Target, class_weights, label_sums, row_weights
from irenic.model.columns import take_apart
from irenic.model.literals import display

if TYPE_CHECKING:
    from irenic.learn._classifier import RuleSetClassifier


# Rows that the probabilities of the model count for.
_PRIOR = 1.0


def recounted(clf: RuleSetClassifier, X: Any, y: Any, sample_weight: Any, target: Any) -> Front:
    """Return the front of a classifier with the statistics of other rows."""
    if clf._answers.many:
        raise DataError("recount needs a model of one label per row, got one of several labels")
    X, y, sample_weight = given_rows(X, y, sample_weight, target)
    front = clf.pareto_front_
    sets = [point.rule_set for point in front]
    tables = [point.probabilities for point in front]
    known = [point.default_regions for point in front]
    reasons = [None if regions is None else regions.rules for regions in known]
    regions = None if tables[0] is None else tables[0].regions
    empty = Target.single(clf.classes_, np.zeros(0, dtype=np.intp))
    empty = replace(empty, cost=cost_of(clf.knowledge_.cost, empty))
    abstains = clf.default == "abstain"
    consequents = Consequents.from_target(empty, np.ones(0), [], abstains=abstains)
    how = resolve_by(clf.conflicts)
    counting = Counting(sets, [consequents] * len(sets), how, None, regions, reasons)
    rows, weights = _rows(clf, X, y, sample_weight, empty, counting.names)
    balance = None
    if clf.scoring == "balanced_accuracy":
        balance = class_weights(empty, "balanced", weights)
    counting = replace(counting, factors=balance)
    totals = total_of_each(rows.run(counting, counting.names))
    instances = clf.space_.encode([])
    measure = Measure(instances, empty, np.ones(0), consequents, clf.conflicts, balance)
    points = [
        _point(measure, point, sums, leads=clf._leads)
        for point, sums in zip(front, totals, strict=True)
    ]
    return Front(points, chosen=points[front.index(clf.chosen_)])


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
    own, of_rows = clf._target_of(y)
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


def _point(measure: Measure, point: FrontPoint, sums: Sums, *, leads: bool) -> FrontPoint:
    rules, known = point.rule_set, point.default_regions
    counts = measure._counts(rules, sums, None, point.n_kept)
    return replace(
        point,
        counts=counts,
        training_score=sums.gain / sums.weight,
        n_rows=round(sums.rows),
        coverage=sums.covered / sums.rows,
        explanation_size=float(sums.support[:-1] @ rules.conditions_per_rule() / sums.rows),
        default_regions=None
        if known is None
        else measure._default_regions(known.rules, sums, None),
        probabilities=None
        if point.probabilities is None
        else _probabilities(point.probabilities, sums, leads=leads),
    )


def _probabilities(table: ProbabilityTable, sums: Sums, *, leads: bool) -> ProbabilityTable:
    """Return the label frequencies of rows; the probabilities of the model count for one row."""
    labels, rows = sums.regions.copy(), sums.region_rows.copy()
    labels[:, -1], rows[:, -1] = labels.sum(axis=1), rows.sum(axis=1)
    estimates = labels + _PRIOR * table.probabilities
    estimates /= estimates.sum(axis=2, keepdims=True)
    likely = led(estimates) if leads else estimates
    before = raised_from(estimates, likely)
    return replace(table, rows=rows, probabilities=likely, raised_from=before)
