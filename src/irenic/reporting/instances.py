"""Labeled instances, and how many of them rules cover, decide and predict correctly."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import numpy as np

from irenic.arrays import Bools, Floats, Indices, Ints
from irenic.errors import DataError
from irenic.model.decision_table import DecisionTable
from irenic.model.features import FIRST_CODE, Categorical
from irenic.model.literals import Probabilities, display, say
from irenic.model.rule import as_consequent
from irenic.model.ruleset import RuleSet
from irenic.model.space import Instances, to_list
from irenic.reporting import document
from irenic.reporting.encoding import short

if TYPE_CHECKING:
    from irenic.learn import FrontPoint, RuleClassifier


How: TypeAlias = Literal["agree", "first", "all", "best", "vote"]

NO_RULE: Final = -1
CONTRADICTED: Final = -2
IMPOSSIBLE: Final = -3
"""No rule holds, and the table excludes such a case as impossible."""
# A matrix of all instances and rules may be huge.
_BLOCK_ROWS: Final = 4096
_LIST_LIMIT: Final = 200
# A column with more values is probably not a label but, for example, a customer number.
_OUTCOME_LIMIT: Final = 1_000
# A category with more values is no group to compare, but a name or a code.
_GROUP_LIMIT: Final = 12
PROBABILITY_DIGITS: Final = 6


@dataclass(frozen=True, eq=False)
class LabeledInstances:
    """Instances with their true outcomes; ``truth`` is None without labels."""

    outcomes: tuple[Hashable, ...]
    """Labels, or sets of labels, of rules, the default and instances."""
    labels: tuple[Hashable, ...]
    """What mixes count: the outcomes, or the labels in them if they are sets."""
    many: bool
    instances: Instances | None = None
    truth: Ints | None = None

    @cached_property
    def places(self) -> dict[Hashable, int]:
        """The index of each outcome."""
        return {outcome: index for index, outcome in enumerate(self.outcomes)}

    @cached_property
    def parts(self) -> Bools:
        """Which labels each outcome consists of: ``[outcome, label]``."""
        if not self.many:
            return np.eye(len(self.outcomes), dtype=np.bool_)
        parts = np.zeros((len(self.outcomes), len(self.labels)), dtype=np.bool_)
        for index, outcome in enumerate(self.outcomes):
            label_set = _label_set(outcome)
            parts[index] = [label in label_set for label in self.labels]
        return parts

    @property
    def counts(self) -> Ints | None:
        """The number of instances per outcome."""
        if self.truth is None:
            return None
        return np.bincount(self.truth, minlength=len(self.outcomes))


def _label_set(outcome: Hashable) -> frozenset[Hashable]:
    return outcome if isinstance(outcome, frozenset) else frozenset({outcome})


def labeled(
    sets: Sequence[RuleSet], X: Any, y: Any, model: RuleClassifier | None = None
) -> LabeledInstances:
    """Return instances with labels, and the outcomes of rule sets over one space."""
    consequents = _consequents(sets)
    for then in consequents:
        if isinstance(then, Probabilities):
            raise DataError(
                f"rules must predict labels to be summarized, got probabilities ({then}); learn"
                " with consequents='labels'"
            )
    many = any(isinstance(then, frozenset) for then in consequents)
    if model is not None:
        many = model._answers.many
        consequents = [*(() if many else model.classes_.tolist()), *consequents]
    if y is not None and X is None:
        raise DataError("y must be None without X, the instances that it labels")
    instances = None if X is None else sets[0].space.encode(X)
    if y is None or instances is None:
        outcomes = tuple(dict.fromkeys(consequents))
        return LabeledInstances(outcomes, _labels(outcomes, model, many=many), many, instances)
    true_labels = _true_labels(y, model, many=many)
    if len(true_labels) != len(instances):
        raise DataError(
            f"X and y must have the same number of rows, got {len(instances)} and"
            f" {len(true_labels)}"
        )
    distinct = [label for label, _ in Counter(true_labels).most_common()]
    _check_labels(distinct, consequents)
    outcomes = tuple(dict.fromkeys([*consequents, *distinct]))
    data = LabeledInstances(outcomes, _labels(outcomes, model, many=many), many, instances)
    truth = np.array([data.places[label] for label in true_labels], dtype=np.int64)
    return replace(data, truth=truth)


def _check_labels(labels: Sequence[Hashable], consequents: Sequence[Hashable]) -> None:
    """Reject labels that are not classes, or of another type than the consequents of rules."""
    if len(labels) > _OUTCOME_LIMIT:
        raise DataError(
            f"y must have at most {_OUTCOME_LIMIT:,} distinct labels, got {len(labels):,}, such as"
            f" {display(labels[0])}; is it the outcome column?"
        )
    known = set(consequents)
    texts = {say(then): then for then in consequents}
    for label in labels:
        then = texts.get(say(label), label)
        if label not in known and then != label:
            raise DataError(
                f"labels in y must have the type of the rules' consequents, such as {then!r}, got"
                f" {label!r}"
            )


def _consequents(sets: Sequence[RuleSet]) -> list[Hashable]:
    """Return the distinct consequents and defaults, in the order of the rules."""
    consequents: dict[Hashable, None] = {}
    for rules in sets:
        consequents |= dict.fromkeys(rules.thens)
        if rules.default is not None:
            consequents[rules.default] = None
    return list(consequents)


def _labels(
    outcomes: tuple[Hashable, ...], model: RuleClassifier | None, *, many: bool
) -> tuple[Hashable, ...]:
    if not many:
        return outcomes
    if model is not None:
        return tuple(model.classes_.tolist())
    labels = {label for outcome in outcomes for label in _label_set(outcome)}
    return tuple(sorted(labels, key=display))


def _true_labels(y: Any, model: RuleClassifier | None, *, many: bool) -> list[Hashable]:
    """Return the label, or the set of labels, of each instance."""
    if not many:
        labels = to_list(y)
        try:  # convert distinct labels once; the type distinguishes 1 from True
            known = {key: as_consequent(key[1]) for key in {(type(v), v) for v in labels}}
        except TypeError:  # unhashable: the error names the invalid label
            return [as_consequent(label) for label in labels]
        return [known[type(label), label] for label in labels]
    from irenic.learn.labels import as_indicator, label_set

    classes = None if model is None else model.classes_.tolist()
    indicator, classes = as_indicator(y, classes)
    if model is not None and model.hierarchy_ is not None:
        indicator = model.hierarchy_.close_indicator(indicator)
    return [label_set(row, classes) for row in indicator]


def texts_of(values: Sequence[Hashable]) -> list[str]:
    """Return values as text, with quotes if two would have the same text."""
    counts = Counter(map(say, values))
    return [say(value) if counts[say(value)] == 1 else display(value) for value in values]


# --- decisions


def decisions(table: DecisionTable, how: How, instances: Instances) -> Ints:
    """Return the index of the rule that decides each instance; NO_RULE, CONTRADICTED or IMPOSSIBLE.

    If rules must agree and do not, an instance is contradicted. If all rules count, the index is
    that of the first.
    """
    rules = table.rules
    if how in ("best", "vote"):
        return rules.decide(instances, resolve="best" if how == "best" else "vote")
    order = np.array(table.winning, dtype=np.int64)
    decided = rules[order].decide(instances, resolve="first")
    decided = np.where(decided < 0, NO_RULE, order[decided] if len(order) else NO_RULE)
    if how == "agree" and not rules.is_consistent:
        _mark_contradicted(table, instances, decided)
    for region in table.space.impossible:
        decided[(decided == NO_RULE) & region.contains(instances)] = IMPOSSIBLE
    return decided


def _mark_contradicted(table: DecisionTable, instances: Instances, decided: Ints) -> None:
    then = table.rules.then_codes
    for start in range(0, len(instances), _BLOCK_ROWS):
        rows = slice(start, start + _BLOCK_ROWS)
        covers = table.rules.covering(instances.take(rows))
        other = then[None, :] != then[np.maximum(decided[rows], 0)][:, None]
        decided[rows][(covers & other).any(axis=1)] = CONTRADICTED


def results(
    table: DecisionTable,
    how: How,
    data: LabeledInstances,
    decided: Ints,
    shown: Ints,
    likely: Floats | None = None,
) -> document.Results:
    """Return how many instances are covered and predicted correctly, and the confusion of labels.

    ``shown`` are the rows that the document lists, which are preferred in lists of rows, and
    ``likely`` are the probabilities of labels by instance, if a classifier predicts any.
    """
    is_shown = np.zeros(len(decided), dtype=np.bool_)
    is_shown[shown] = True

    def listed(rows: Indices) -> list[int]:
        first = np.argsort(~is_shown[rows], kind="stable")[:_LIST_LIMIT]
        return row_numbers(np.sort(rows[first]))

    uncovered, contradicted, impossible = (
        np.flatnonzero(decided == code) for code in (NO_RULE, CONTRADICTED, IMPOSSIBLE)
    )
    counts: document.Results = {
        "rows": len(decided),
        "covered": len(decided) - len(uncovered) - len(impossible),
        "uncovered": len(uncovered),
        "uncovered_rows": listed(uncovered),
        "contradicted": len(contradicted),
        "contradicted_rows": listed(contradicted),
        "impossible": len(impossible),
        "impossible_rows": listed(impossible),
    }
    if data.truth is None or how == "all" or not len(decided):
        return counts
    predictions = predicted(table, data, decided)
    wrong = np.flatnonzero(predictions != data.truth)
    counts["right"] = len(predictions) - len(wrong)
    counts["accuracy"] = counts["right"] / len(predictions)
    counts["wrong"], counts["wrong_rows"] = len(wrong), listed(wrong)
    if data.many:
        counts["labels"] = _per_label(data, predictions)
    else:
        counts["confusion"] = _confusion(data, predictions)
        if likely is not None:
            counts["calibration"] = _calibration(table, data, decided, predictions, likely)
    return counts


def row_numbers(rows: Indices) -> list[int]:
    """Return the numbers of rows in documents, which start at 1."""
    return [row + 1 for row in rows.tolist()]


def predicted(table: DecisionTable, data: LabeledInstances, decided: Ints) -> Ints:
    """Return the index of the predicted outcome of each instance; NO_RULE for none."""
    rules = table.rules
    thens = [data.places[then] for then in rules.thens]
    default = NO_RULE if rules.default is None else data.places[rules.default]
    # negative codes index from the end: IMPOSSIBLE, CONTRADICTED, NO_RULE
    outcomes = np.array([*thens, default, CONTRADICTED, default], dtype=np.int64)
    return np.asarray(outcomes[decided])


def _confusion(data: LabeledInstances, predictions: Ints) -> list[list[int]]:
    """Return the confusion matrix: the true outcome, the predicted one, and the count."""
    assert data.truth is not None
    pairs, counts = np.unique(np.stack([data.truth, predictions]), axis=1, return_counts=True)
    return [[*pair, n] for pair, n in zip(pairs.T.tolist(), counts.tolist(), strict=True)]


def _calibration(
    table: DecisionTable, data: LabeledInstances, decided: Ints, predictions: Ints, likely: Floats
) -> document.Calibration:
    """Return how likely predictions are said to be right, and how often they are.

    A contradicted instance has no prediction, which counts as one that is surely wrong.
    """
    n = len(table.rules) + 1
    by = np.where(decided < 0, n - 1, decided)
    own = likely[np.arange(len(by)), np.maximum(predictions, 0)]
    predicted = np.where(predictions < 0, 0.0, own)
    right = np.asarray(predictions == data.truth, dtype=float)
    distances = np.bincount(by, predicted, n) - np.bincount(by, right, n)
    return {
        "predicted": round(float(predicted.mean()), PROBABILITY_DIGITS),
        "right": float(right.mean()),
        "error": round(float(np.abs(distances).sum() / len(by)), PROBABILITY_DIGITS),
    }


def groupings(
    table: DecisionTable, data: LabeledInstances, decided: Ints, grouped: Collection[str]
) -> list[document.Grouping]:
    """Return how many instances are covered and predicted correctly by the values of categories."""
    assert data.instances is not None
    space = data.instances.space
    right = predicted(table, data, decided) == data.truth
    covered = (decided >= 0) | (decided == CONTRADICTED)
    found: list[document.Grouping] = []
    for feature in space.categorical:
        if feature.name not in grouped:
            continue
        codes = data.instances.codes[space.row(feature.name)]
        rows, n_covered, n_right = (
            np.bincount(codes[chosen], minlength=len(feature.values) + FIRST_CODE)
            for chosen in (slice(None), covered, right)
        )
        present = np.flatnonzero(rows)
        if not 1 < len(present) <= _GROUP_LIMIT:
            continue
        texts = value_texts(feature)
        groups: list[document.GroupRecord] = [
            {
                "text": texts[code],
                "rows": int(rows[code]),
                "covered": int(n_covered[code]),
                "right": int(n_right[code]),
            }
            for code in present.tolist()
        ]
        found.append({"feature": feature.name, "groups": groups})
    return found


def value_texts(feature: Categorical) -> list[str]:
    """Return the texts of a category's values by code."""
    names = ["missing", "any other value"]
    return names + texts_of([*names, *feature.values])[FIRST_CODE:]


def _per_label(data: LabeledInstances, predictions: Ints) -> list[document.LabelResult]:
    """Return the true positives, false positives and false negatives of each label."""
    assert data.truth is not None
    has = data.parts[data.truth]
    # codes below 0 predict no label
    says = data.parts[np.maximum(predictions, 0)] & (predictions >= 0)[:, None]
    counts = ((says & has).sum(axis=0), (says & ~has).sum(axis=0), (~says & has).sum(axis=0))
    columns = (count.tolist() for count in counts)
    return [
        {"both": both, "said": said, "had": had} for both, said, had in zip(*columns, strict=True)
    ]


# --- counts per rule


@dataclass(frozen=True, eq=False)
class InstanceCounts:
    """Counts of the instances that each rule covers; the last entry is for uncovered ones."""

    support: Floats
    confidence: Floats | None
    mix: Floats | None
    intervals: Floats | None = None
    probabilities: Floats | None = None
    expected: Floats | None = None
    """Confidence and interval as estimated in learning, if these are counts of other rows."""

    def at(self, index: int) -> document.Counts:
        """Return the counts of one rule."""
        confidence = None if self.confidence is None else float(self.confidence[index])
        if confidence is not None and math.isnan(confidence):
            confidence = None
        expected = None if self.expected is None else self.expected[index]
        mix = None if self.mix is None else [short(n) for n in self.mix[index].tolist()]
        interval = None if self.intervals is None else self.intervals[index].tolist()
        if confidence is None or (interval is not None and math.isnan(interval[0])):
            interval = None
        return {
            "support": short(float(self.support[index])),
            "confidence": confidence,
            "interval": interval,
            "expected": None
            if expected is None or not np.isfinite(expected).all()
            else expected.tolist(),
            "mix": mix,
            "probabilities": None
            if self.probabilities is None
            else self.probabilities[index].round(PROBABILITY_DIGITS).tolist(),
        }


NOT_COUNTED: Final[document.Counts] = {
    "support": None,
    "confidence": None,
    "interval": None,
    "expected": None,
    "mix": None,
    "probabilities": None,
}


def of_training(point: FrontPoint, probabilities: Floats | None) -> InstanceCounts:
    """Return the counts on the training rows."""
    counts = point.counts
    confidence = counts.confidence.copy()
    if point.rule_set.default is None:  # without a prediction, nothing is right or wrong
        confidence[-1] = math.nan
    return InstanceCounts(counts.support, confidence, counts.mix, counts.intervals, probabilities)


def of_instances(
    table: DecisionTable, data: LabeledInstances, decided: Ints, probabilities: Floats | None
) -> InstanceCounts:
    """Return the counts on the instances of ``data``.

    For sets of labels, confidence is the mean F1 of the set that a rule predicts and the true sets,
    as in learning.
    """
    assert data.instances is not None
    truth = np.zeros(len(decided), dtype=np.int64) if data.truth is None else data.truth
    n_outcomes = max(1, len(data.outcomes))
    covered, _ = table.rules.packed.counting(data.instances, truth, n_outcomes)
    uncovered = np.bincount(truth[decided == NO_RULE], minlength=n_outcomes)
    mix = np.vstack([covered, uncovered]).astype(float)
    support = mix.sum(axis=1)
    if data.truth is None:
        return InstanceCounts(support, None, None, probabilities=probabilities)
    mix = mix[:, : len(data.outcomes)]
    right = (mix * _agreement(table, data)).sum(axis=1)
    confidence = np.divide(right, support, out=np.full(len(mix), math.nan), where=support > 0)
    if table.rules.default is None:
        confidence[-1] = math.nan
    return InstanceCounts(support, confidence, mix @ data.parts, probabilities=probabilities)


def _agreement(table: DecisionTable, data: LabeledInstances) -> Floats:
    """Return the score of each rule, and last of the default, for each true outcome."""
    rules = table.rules
    predictions = np.array([data.places.get(then, -1) for then in (*rules.thens, rules.default)])
    if not data.many:
        return np.asarray(predictions[:, None] == np.arange(len(data.outcomes)), dtype=float)
    from irenic.learn.target import f1

    parts = data.parts.astype(float)
    return f1(parts[predictions], parts)  # the last row is meaningless without a default
