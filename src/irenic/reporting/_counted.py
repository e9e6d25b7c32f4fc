"""What each rule is on instances: how many it covers, how often it is right, and their labels."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from irenic.boxes.arrays import Ints
from irenic.model.decision_table import DecisionTable
from irenic.reporting._labelled import Labelled
from irenic.reporting.boxes import short
from irenic.reporting.results import NO_RULE

if TYPE_CHECKING:
    from irenic.learn import FrontPoint

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Counted:
    """The instances under each rule; the last entry is for those that no rule covers."""

    support: Floats
    confidence: Floats | None
    mix: Floats | None

    def at(self, place: int) -> dict[str, Any]:
        """Return the counts of one rule as plain data."""
        confidence = None if self.confidence is None else float(self.confidence[place])
        if confidence is not None and math.isnan(confidence):
            confidence = None
        mix = None if self.mix is None else [short(n) for n in self.mix[place].tolist()]
        return {"support": short(float(self.support[place])), "confidence": confidence, "mix": mix}


NOT_COUNTED = {"support": None, "confidence": None, "mix": None}


def of_training(point: FrontPoint) -> Counted:
    """Return the counts that a learner made on the rows that it was trained on."""
    counts = point.counts
    confidence = counts.confidence.copy()
    if point.rule_set.default is None:  # what says nothing is neither right nor wrong
        confidence[-1] = math.nan
    return Counted(counts.support, confidence, counts.mix)


def of_instances(table: DecisionTable, data: Labelled, decided: Ints) -> Counted:
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
        return Counted(support, None, None)
    mix = mix[:, : len(data.outcomes)]
    right = (mix * _agreement(table, data)).sum(axis=1)
    confidence = np.divide(right, support, out=np.full(len(mix), math.nan), where=support > 0)
    if table.rules.default is None:
        confidence[-1] = math.nan
    return Counted(support, confidence, mix @ data.parts)


def _agreement(table: DecisionTable, data: Labelled) -> Floats:
    """Return how right each rule, and at the end the default, is for each outcome."""
    rules = table.rules
    thens = rules.thens
    said = np.array([data.places.get(then, -1) for then in (*thens, rules.default)])
    if not data.many:
        return np.asarray(said[:, None] == np.arange(len(data.outcomes)), dtype=float)
    from irenic.learn.target import f1

    parts = data.parts.astype(float)
    return f1(parts[said], parts)  # of no default it is not used
