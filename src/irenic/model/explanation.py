"""The types of answers: explanations, statistics of rules, and arrays of predictions."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from irenic.arrays import Floats, Ints
from irenic.model.features import EXACT
from irenic.model.region import Region


@dataclass(frozen=True)
class Explanation:
    """Why a case is decided as it is.

    Parameters
    ----------
    then : hashable or None
        The prediction: a consequent, or the outcome of a decision table; None for none.
    rules : tuple of int
        Indices of the rules that decide, or of the rows of a decision table; empty if the default
        decides, or nothing. The first one is named: where rules that hold must agree, the one with
        the fewest conditions, then the one with the highest confidence, then the first.
    text : str
        The explanation in words, in which rules are numbered from 1.
    region : Region
        A region around the case in which every case has this prediction for the same reason, with
        the fewest conditions: the named rule, or the part of it in which no rule that would win
        predicts anything else; if rules decide together, where the same ones hold; and if none
        holds, where no rule predicts anything else. Of regions of the default with as few
        conditions, a model prefers one that was counted in its training.
    impossible : Region, optional
        What the space excludes, if the case is part of it.
    is_proved : bool
        Whether no region has fewer conditions; False if the search took too many steps, so that
        ``region`` may have more than necessary.
    support : tuple of int
        Number of training rows of a fitted classifier that each of ``rules`` covers, whatever their
        weights; if ``rules`` is empty, one entry for those in ``region``, or for all rows that no
        rule covers if it was not counted.
    confidence : tuple of float
        Share of new cases under each of ``rules``, or in ``region``, for which the prediction is
        correct, as estimated from rows left out; if none were left out, the share of the training
        rows.
    intervals : tuple of pairs of float
        The 95 % interval of each confidence; empty if no rows were left out.
    probability : irenic.learn.ProbabilityRow or None
        The training rows that the probabilities of the case come from: those with this prediction
        in the same region. None if there are no regions, or the case lacks a column that they test.
    counted : bool
        Whether ``support`` and ``confidence`` are those of ``region`` or of ``rules``, as nearly
        always. A reason that no training row has was not counted during the fit; they are then
        those of all cases that the default decides, and ``text`` says so.

    Examples
    --------
    >>> from irenic import Rule, RuleSet
    >>> rules = RuleSet([Rule({"age": (0, 30)}, then="low")], default="high")
    >>> young, old = rules.explain({"age": [29, 40]})
    >>> print(young)
    low, by rule 1, because 0 <= age < 30
    >>> old.rules, old.region
    ((), age >= 30)
    """

    then: Hashable | None
    rules: tuple[int, ...]
    text: str
    region: Region
    impossible: Region | None = None
    is_proved: bool = True
    support: tuple[int, ...] = ()
    confidence: tuple[float, ...] = ()
    intervals: tuple[tuple[float, float], ...] = ()
    probability: Any = None
    counted: bool = True

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, eq=False)
class Statistics:
    """Statistics of each rule of a set on labeled instances.

    Parameters
    ----------
    labels : tuple of hashable
        The labels that occur.
    mix : array of int of shape (rules, labels)
        Number of covered instances per label.
    support : array of int
        Number of covered instances.
    confidence : array of float
        Share of the covered instances whose label is the consequent; NaN if there are none.

    Examples
    --------
    >>> from irenic import Rule, RuleSet
    >>> rules = RuleSet([Rule({"age": (0, 30)}, then="low")])
    >>> rules.statistics({"age": [10, 20]}, ["low", "high"]).confidence
    array([0.5])
    """

    labels: tuple[Hashable, ...]
    mix: Ints
    support: Ints
    confidence: Floats


def common_type(values: Sequence[Hashable | None]) -> type | None:
    """Return the type of an array that represents all values exactly; None for objects."""
    types = {type(value) for value in values}
    if types == {bool}:
        return bool
    integers = [value for value in values if type(value) is int]
    if types == {int} and all(-(2**63) <= value < 2**63 for value in integers):
        return int
    if float in types and types <= {int, float} and all(abs(v) <= EXACT for v in integers):
        return float
    return None
