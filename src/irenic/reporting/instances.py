"""Labeled instances, and how rules do on them: what they cover, decide and get right."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from irenic.boxes.arrays import Floats, Ints
from irenic.errors import DataError
from irenic.model.decision_table import DecisionTable
from irenic.model.literals import display, say
from irenic.model.rule import as_consequent
from irenic.model.ruleset import RuleSet
from irenic.model.space import Instances, to_list
from irenic.reporting import document
from irenic.reporting.encoding import short

if TYPE_CHECKING:
    from irenic.learn import FrontPoint, RuleSetClassifier


How: TypeAlias = Literal["agree", "first", "all", "best", "vote"]

NO_RULE: Final = -1
CONTRADICTED: Final = -2
OUTSIDE: Final = -3
"""No rule holds, and the table says that such a case cannot occur."""
# A matrix of all instances and rules may be huge.
_ROWS: Final = 4096
_MOST_LISTED: Final = 200
# More are no classes, but perhaps the numbers of customers.
_MOST_OUTCOMES: Final = 1_000


@dataclass(frozen=True, eq=False)
class Labeled:
    """Instances with their true outcomes; ``truth`` is None without labels."""

    outcomes: tuple[Hashable, ...]
    """What rules, the default or instances say: labels, or sets of labels."""
    labels: tuple[Hashable, ...]
    """What mixes count: the outcomes, or where these are sets, the labels in them."""
    many: bool
    instances: Instances | None = None
    truth: Ints | None = None

    @cached_property
    def places(self) -> dict[Hashable, int]:
        """The place of each outcome."""
        return {outcome: place for place, outcome in enumerate(self.outcomes)}

    @cached_property
    def parts(self) -> npt.NDArray[np.bool_]:
        """Which labels each outcome consists of: ``[outcome, label]``."""
        if not self.many:
            return np.eye(len(self.outcomes), dtype=np.bool_)
        held = np.zeros((len(self.outcomes), len(self.labels)), dtype=np.bool_)
        for place, outcome in enumerate(self.outcomes):
            said = _label_set(outcome)
            held[place] = [label in said for label in self.labels]
        return held

    @property
    def counts(self) -> Ints | None:
        """How many instances have each outcome."""
        if self.truth is None:
            return None
        return np.bincount(self.truth, minlength=len(self.outcomes))


def _label_set(outcome: Hashable) -> frozenset[Hashable]:
    return outcome if isinstance(outcome, frozenset) else frozenset({outcome})


def labeled(
    sets: Sequence[RuleSet], X: Any, y: Any, model: RuleSetClassifier | None = None
) -> Labeled:
    """Return instances and labels, held against what rule sets over one space say."""
    said = _said(sets)
    many = any(isinstance(then, frozenset) for then in said)
    if model is not None:
        many = model._answers.many
        said = [*(() if many else model.classes_.tolist()), *said]
    if y is not None and X is None:
        raise DataError("y needs X: the instances that it labels")
    instances = None if X is None else sets[0].space.encode(X)
    if y is None or instances is None:
        outcomes = tuple(dict.fromkeys(said))
        return Labeled(outcomes, _labels(outcomes, model, many=many), many, instances)
    given = _given(y, model, many=many)
    if len(given) != len(instances):
        raise DataError(f"X has {len(instances)} rows, y has {len(given)}")
    counted = [label for label, _ in Counter(given).most_common()]
    _check_labels(counted, said)
    outcomes = tuple(dict.fromkeys([*said, *counted]))
    made = Labeled(outcomes, _labels(outcomes, model, many=many), many, instances)
    truth = np.array([made.places[label] for label in given], dtype=np.int64)
    return Labeled(made.outcomes, made.labels, many, instances, truth)


def _check_labels(counted: Sequence[Hashable], said: Sequence[Hashable]) -> None:
    """Refuse labels that are no classes, or of another type than what rules say."""
    if len(counted) > _MOST_OUTCOMES:
        raise DataError(
            f"y has {len(counted):,} different labels, such as {display(counted[0])}; up to"
            f" {_MOST_OUTCOMES:,} are told apart. Is it the column of outcomes?"
        )
    known = set(said)
    texts = {say(then): then for then in said}
    for label in counted:
        then = texts.get(say(label), label)
        if label not in known and then != label:
            raise DataError(
                f"y: the label {label!r} is of another type than {then!r}, which the rules say;"
                " give labels of the same type"
            )


def _said(sets: Sequence[RuleSet]) -> list[Hashable]:
    """Return what rules and defaults say, in the order of the rules."""
    found: dict[Hashable, None] = {}
    for rules in sets:
        found |= dict.fromkeys(rules.thens)
        if rules.default is not None:
            found[rules.default] = None
    return list(found)


def _labels(
    outcomes: tuple[Hashable, ...], model: RuleSetClassifier | None, *, many: bool
) -> tuple[Hashable, ...]:
    if not many:
        return outcomes
    if model is not None:
        return tuple(model.classes_.tolist())
    found = {label for outcome in outcomes for label in _label_set(outcome)}
    return tuple(sorted(found, key=display))


def _given(y: Any, model: RuleSetClassifier | None, *, many: bool) -> list[Hashable]:
    """Return the label, or the set of labels, of each instance."""
    if not many:
        listed = to_list(y)
        try:  # once for each label that occurs; 1 and True are equal, and two
            known = {key: as_consequent(key[1]) for key in {(type(v), v) for v in listed}}
        except TypeError:
            return [as_consequent(label) for label in listed]  # says which is no label
        return [known[type(label), label] for label in listed]
    from irenic.learn.labels import as_indicator, label_set

    labels_of = None if model is None else model.classes_.tolist()
    held, labels = as_indicator(y, labels_of)
    if model is not None and model.hierarchy_ is not None:
        held = model.hierarchy_.close_indicator(held)
    return [label_set(row, labels) for row in held]


def texts_of(values: Sequence[Hashable]) -> list[str]:
    """Return values as people read them, with quotes where two would read the same.

    >>> texts_of(["low", 1, "1"])
    ['low', '1', '"1"']
    """
    often = Counter(map(say, values))
    return [say(value) if often[say(value)] == 1 else display(value) for value in values]


# --- which rule decides


def decisions(table: DecisionTable, how: How, instances: Instances) -> Ints:
    """Return the place of the rule that decides each instance; NO_RULE, CONTRADICTED or OUTSIDE.

    Where rules are to agree, an instance for which they do not is contradicted; where all of them
    count, the first is told.

    >>> from irenic import Rule, RuleSet
    >>> rules = RuleSet([Rule({"age": (0, 30)}, then="low"),
    ...                  Rule({"age": (29, 60)}, then="high")])
    >>> ages = rules.space.encode({"age": [10, 29, 50, 70]})
    >>> decisions(DecisionTable.of(rules), "agree", ages).tolist()
    [0, -2, 1, -1]
    """
    rules = table.rules
    if how in ("best", "vote"):
        return rules.decide(instances, resolve="best" if how == "best" else "vote")
    order = np.array(table.winning, dtype=np.int64)
    decided = rules[order].decide(instances, resolve="first")
    decided = np.where(decided < 0, NO_RULE, order[decided] if len(order) else NO_RULE)
    if how == "agree" and not rules.is_consistent:
        _mark_contradicted(table, instances, decided)
    for region in table.outside:
        decided[(decided == NO_RULE) & region.contains(instances)] = OUTSIDE
    return decided


def _mark_contradicted(table: DecisionTable, instances: Instances, decided: Ints) -> None:
    then = table.rules.then_codes
    for start in range(0, len(instances), _ROWS):
        rows = slice(start, start + _ROWS)
        covers = table.rules.covering(instances.take(rows))
        other = then[None, :] != then[np.maximum(decided[rows], 0)][:, None]
        decided[rows][(covers & other).any(axis=1)] = CONTRADICTED


def results(
    table: DecisionTable, how: How, data: Labeled, decided: Ints, shown: Ints
) -> document.Results:
    """Return how many instances are covered, how many right, and what is taken for what.

    ``shown`` are the rows that the document lists: of rows to point at, these come first.
    """
    is_shown = np.zeros(len(decided), dtype=np.bool_)
    is_shown[shown] = True

    def listed(rows: npt.NDArray[np.intp]) -> list[int]:
        first = np.argsort(~is_shown[rows], kind="stable")[:_MOST_LISTED]
        return row_numbers(np.sort(rows[first]))

    uncovered, contradicted, outside = (
        np.flatnonzero(decided == code) for code in (NO_RULE, CONTRADICTED, OUTSIDE)
    )
    found: document.Results = {
        "rows": len(decided),
        "covered": len(decided) - len(uncovered) - len(outside),
        "uncovered": len(uncovered),
        "uncovered_rows": listed(uncovered),
        "contradicted": len(contradicted),
        "contradicted_rows": listed(contradicted),
        "outside": len(outside),
        "outside_rows": listed(outside),
    }
    if data.truth is None or how == "all" or not len(decided):
        return found
    said = predicted(table, data, decided)
    wrong = np.flatnonzero(said != data.truth)
    found["right"] = len(said) - len(wrong)
    found["accuracy"] = found["right"] / len(said)
    found["wrong"], found["wrong_rows"] = len(wrong), listed(wrong)
    if data.many:
        found["labels"] = _per_label(data, said)
    else:
        found["confusion"] = _confusion(data, said)
    return found


def row_numbers(rows: npt.NDArray[np.intp]) -> list[int]:
    """Return the numbers of rows in documents, which count from 1."""
    return [row + 1 for row in rows.tolist()]


def predicted(table: DecisionTable, data: Labeled, decided: Ints) -> Ints:
    """Return the place of the outcome that is predicted for each instance; NO_RULE for none."""
    rules = table.rules
    thens = [data.places[then] for then in rules.thens]
    default = NO_RULE if rules.default is None else data.places[rules.default]
    answers = np.array([*thens, default, CONTRADICTED, default], dtype=np.int64)  # from the end
    return np.asarray(answers[decided])


def _confusion(data: Labeled, said: Ints) -> list[list[int]]:
    """Return how often an outcome is taken for another: what is true, what is said, how often."""
    assert data.truth is not None
    pairs, counts = np.unique(np.stack([data.truth, said]), axis=1, return_counts=True)
    return [[*pair, n] for pair, n in zip(pairs.T.tolist(), counts.tolist(), strict=True)]


def _per_label(data: Labeled, said: Ints) -> list[document.LabelResult]:
    """Return for each label how often it is rightly and wrongly said, and not said."""
    assert data.truth is not None
    has = data.parts[data.truth]
    says = data.parts[np.maximum(said, 0)] & (said >= 0)[:, None]  # else nothing is said
    counts = ((says & has).sum(axis=0), (says & ~has).sum(axis=0), (~says & has).sum(axis=0))
    columns = (count.tolist() for count in counts)
    return [
        {"both": both, "said": said_, "had": had} for both, said_, had in zip(*columns, strict=True)
    ]


# --- what each rule covers


@dataclass(frozen=True, eq=False)
class RuleCounts:
    """The instances under each rule; the last entry is for those that no rule covers."""

    support: Floats
    confidence: Floats | None
    mix: Floats | None

    def at(self, place: int) -> document.Counts:
        """Return the counts of one rule."""
        confidence = None if self.confidence is None else float(self.confidence[place])
        if confidence is not None and math.isnan(confidence):
            confidence = None
        mix = None if self.mix is None else [short(n) for n in self.mix[place].tolist()]
        return {"support": short(float(self.support[place])), "confidence": confidence, "mix": mix}


NOT_COUNTED: Final[document.Counts] = {"support": None, "confidence": None, "mix": None}


def of_training(point: FrontPoint) -> RuleCounts:
    """Return the counts that a learner made on the rows that it was trained on."""
    counts = point.counts
    confidence = counts.confidence.copy()
    if point.rule_set.default is None:  # what says nothing is neither right nor wrong
        confidence[-1] = math.nan
    return RuleCounts(counts.support, confidence, counts.mix)


def of_instances(table: DecisionTable, data: Labeled, decided: Ints) -> RuleCounts:
    """Return the counts on given instances.

    What confidence is for sets of labels is what learners take it for: the mean F1 of the set that
    a rule says with those that the instances have.
    """
    assert data.instances is not None
    truth = np.zeros(len(decided), dtype=np.int64) if data.truth is None else data.truth
    n_outcomes = max(1, len(data.outcomes))
    held, _ = table.rules.packed.counting(data.instances, truth, n_outcomes)
    left = np.bincount(truth[decided == NO_RULE], minlength=n_outcomes)
    mix = np.vstack([held, left]).astype(float)
    support = mix.sum(axis=1)
    if data.truth is None:
        return RuleCounts(support, None, None)
    mix = mix[:, : len(data.outcomes)]
    right = (mix * _agreement(table, data)).sum(axis=1)
    confidence = np.divide(right, support, out=np.full(len(mix), math.nan), where=support > 0)
    if table.rules.default is None:
        confidence[-1] = math.nan
    return RuleCounts(support, confidence, mix @ data.parts)


def _agreement(table: DecisionTable, data: Labeled) -> Floats:
    """Return how right each rule, and at the end the default, is for each outcome."""
    rules = table.rules
    thens = rules.thens
    said = np.array([data.places.get(then, -1) for then in (*thens, rules.default)])
    if not data.many:
        return np.asarray(said[:, None] == np.arange(len(data.outcomes)), dtype=float)
    from irenic.learn.target import f1

    parts = data.parts.astype(float)
    return f1(parts[said], parts)  # of no default it is not used
