"""What rule sets answer of instances: explanations, statistics and the type of predictions."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from irenic.boxes.arrays import Floats, Ints
from irenic.model.features import EXACT


@dataclass(frozen=True)
class Explanation:
    """Why a case is decided as it is: the rules that cover it, and what follows.

    ``rules`` are places, counted from 0, of the deciding rule and of others that say the same.

    >>> from irenic import Rule, RuleSet
    >>> RuleSet([Rule({"age": (0, 30)}, then="low")]).explain({"age": [29]})[0].rules
    (0,)
    """

    then: Hashable | None
    rules: tuple[int, ...]
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, eq=False)
class Statistics:
    """How the rules of a set do on labelled instances, one row a rule.

    >>> from irenic import Rule, RuleSet
    >>> rules = RuleSet([Rule({"age": (0, 30)}, then="low")])
    >>> rules.statistics({"age": [10, 20]}, ["low", "high"]).confidence
    array([0.5])
    """

    labels: tuple[Hashable, ...]
    """The labels that occur, in the order of the columns of ``mix``."""
    mix: Ints
    """How many instances of each label each rule covers."""
    support: Ints
    """How many instances each rule covers."""
    confidence: Floats
    """The share of them that has the rule's consequent; NaN where the rule covers none."""


def common_type(values: Sequence[Hashable | None]) -> type | None:
    """Return the type of array that holds all values exactly; None for objects."""
    kinds = {type(value) for value in values}
    if kinds == {bool}:
        return bool
    whole = [value for value in values if type(value) is int]
    if kinds == {int} and all(-(2**63) <= value < 2**63 for value in whole):
        return int
    if float in kinds and kinds <= {int, float} and all(abs(v) <= EXACT for v in whole):
        return float
    return None
