"""Explanations of predictions, statistics of rules, and the type of predictions."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from irenic.arrays import Floats, Ints
from irenic.model.features import EXACT
from irenic.model.literals import display
from irenic.model.region import Region


@dataclass(frozen=True)
class Explanation:
    """The prediction for a case, and the rules that lead to it.

    Parameters
    ----------
    then : hashable or None
        The predicted consequent, None for no prediction.
    rules : tuple of int
        Index of the rule that is the reason, then those of other covering rules with the same
        consequent. The reason has the fewest conditions of them, unless the order or the weights of
        rules decide.
    text : str
        The explanation in words, in which rules are numbered from 1.

    Examples
    --------
    >>> from irenic import Rule, RuleSet
    >>> RuleSet([Rule({"age": (0, 30)}, then="low")]).explain({"age": [29]})[0].rules
    (0,)
    """

    then: Hashable | None
    rules: tuple[int, ...]
    text: str

    def __str__(self) -> str:
        return self.text


def default_text(then: Hashable | None, region: Region | None) -> str:
    """Return a decision by default, or by no rule, and its reason in words.

    >>> default_text("full", Region.parse("age >= 18"))
    'full, by default, because age >= 18'
    >>> default_text(None, Region.parse("age >= 18"))
    'nothing is decided, because age >= 18: no rule covers these cases'
    """
    because = f", because {region}" if region is not None and region.n_conditions else ""
    if then is None:
        what = "these cases" if because else "this case"
        return f"nothing is decided{because}: no rule covers {what}"
    if region is None:
        return f"{display(then)}, by default: no rule covers this case"
    return f"{display(then)}, by default{because or ': no rule predicts anything else'}"


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
