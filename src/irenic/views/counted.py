"""What each rule is on instances: how many it covers, how often it is right, and their labels."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from irenic.decision_table import DecisionTable
from irenic.views.boxes import short
from irenic.views.labelled import Labelled
from irenic.views.results import NO_RULE, Ints, covering

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
    return Counted(counts.support, counts.confidence, counts.mix)


def of_instances(table: DecisionTable, data: Labelled, decided: Ints) -> Counted:
    """Return the counts on given instances.

    What confidence is for sets of labels is what learners take it for: the mean F1 of the set that
    a rule says with those that the instances have.
    """
    assert data.instances is not None
    n = len(table.rules)
    left = decided == NO_RULE
    support = np.zeros(n + 1)
    mix = None if data.has is None else np.zeros((n + 1, len(data.labels)))
    right = np.zeros(n + 1)
    agreement = _agreement(table, data)
    for rows, covers in covering(table, data.instances):
        held = np.column_stack([covers, left[rows]]).astype(float)
        support += held.sum(axis=0)
        if mix is not None and data.has is not None and agreement is not None:
            mix += held.T @ data.has[rows]
            right += (held * agreement(rows)).sum(axis=0)
    if mix is None:
        return Counted(support, None, None)
    confidence = np.divide(right, support, out=np.full(n + 1, math.nan), where=support > 0)
    return Counted(support, confidence, mix)


def _agreement(table: DecisionTable, data: Labelled) -> Any:
    """Return a function of rows that says how right each rule, and the default, is for them."""
    if data.truth is None or data.has is None:
        return None
    rules, truth, has = table.rules, data.truth, data.has
    thens = [rules.consequents[code] for code in rules.then_codes]
    said = np.array([data.places[then] for then in thens] + [data.places.get(rules.default, -1)])
    if not data.many:
        return lambda rows: truth[rows][:, None] == said[None, :]
    from irenic.learn.target import f1

    sets = np.zeros((len(said), len(data.labels)))
    for row, place in enumerate(said):
        if place >= 0:
            sets[row, data.label_places(data.outcomes[place])] = 1.0
    return lambda rows: f1(has[rows].astype(float), sets)
