"""The numbers of learning classifier systems that researchers change, each with a range."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from numbers import Integral, Real
from typing import Any

from irenic.errors import ConditionError


def _number(kind: Any, low: float = 0, high: float = math.inf) -> Callable[[float], Any]:
    return lambda default: field(default=default, metadata={"kind": kind, "ends": (low, high)})


_share, _amount, _count = _number(Real, high=1), _number(Real), _number(Integral, 1)


class Settings:
    """Numbers, each of which has a range."""

    def __post_init__(self) -> None:
        for each in fields(self):  # type: ignore[arg-type]
            value, kind = getattr(self, each.name), each.metadata.get("kind", bool)
            low, high = each.metadata.get("ends", (0, 1))
            is_valid = isinstance(value, kind) and (isinstance(value, bool) is (kind is bool))
            if not (is_valid and low <= value <= high and value < math.inf):
                limits = f"of at least {low}" if high == math.inf else f"between {low} and {high}"
                names = {Integral: f"an integer {limits}", Real: f"a number {limits}"}
                raise ConditionError(
                    f"{type(self).__name__}.{each.name} must be"
                    f" {names.get(kind, 'True or False')}, got {value!r}"
                )


@dataclass(frozen=True, kw_only=True)
class Variation(Settings):
    """How a Pittsburgh system makes rule sets; probabilities are between 0 and 1.

    Parameters
    ----------
    first_rules : int, default 7
        Maximum number of rules of a rule set of the first population.
    tournament : int, default 2
        Number of rule sets that each parent is the best one of.
    crossover : float, default 0.5
        How often a child has two parents.
    mutation : float, default 0.5
        How often a child of two parents is mutated, too. A child of one parent always is.
    add, remove : float, default 0.25 and 0.15
        How often a mutation adds or removes a rule. Otherwise it changes one or two.

    Raises
    ------
    ConditionError
        If a number is not in its range.

    Examples
    --------
    >>> from irenic.systems import PittsburghClassifier, Variation
    >>> clf = PittsburghClassifier(variation=Variation(crossover=0.0, tournament=4))
    >>> clf.variation.crossover
    0.0
    """

    first_rules: int = _count(7)
    tournament: int = _count(2)
    crossover: float = _share(0.5)
    mutation: float = _share(0.5)
    add: float = _share(0.25)
    remove: float = _share(0.15)


@dataclass(frozen=True, kw_only=True)
class UCS(Settings):
    """The parameters of UCS, with its names in parentheses, and two of its rules about rules.

    Parameters
    ----------
    power : float, default 10
        The power of the accuracy in the fitness (nu).
    learning_rate : float, default 0.2
        How fast the size of the niche of a rule follows that of its correct sets (beta).
    interval : int, default 25
        Mean number of rows between two runs of the genetic algorithm in a niche (theta_GA).
    crossover : float, default 0.8
        How often two parents are crossed (chi).
    tournament : float, default 0.4
        Share of the correct set that a parent is the fittest one of (tau).
    unfit : float, default 0.5
        The fitness below which a rule is soon deleted, as a share of the mean (delta).
    subsumption : bool, default True
        Whether a child in a rule that is at least as accurate counts as a copy of that rule.
    min_rows : int, default 3
        Minimum number of rows of a rule that covering adds.
    min_gain : float, default 1.5
        Number of correct predictions above which a rule is kept in the final set.
    smoothing : float, default 10
        Number of rows with the prior of the consequent that are added to those of a rule for its
        accuracy; UCS has none.

    Raises
    ------
    ConditionError
        If a number is not in its range.

    Examples
    --------
    >>> from irenic.systems import UCS, MichiganClassifier
    >>> MichiganClassifier(ucs=UCS(power=20, subsumption=False)).ucs.power
    20
    >>> UCS(learning_rate=2)
    Traceback (most recent call last):
    irenic.errors.ConditionError: UCS.learning_rate must be a number between 0 and 1, got 2
    """

    power: float = _amount(10.0)
    learning_rate: float = _share(0.2)
    interval: int = _count(25)
    crossover: float = _share(0.8)
    tournament: float = _share(0.4)
    unfit: float = _share(0.5)
    subsumption: bool = True
    min_rows: int = _count(3)
    min_gain: float = _amount(1.5)
    smoothing: float = _amount(10.0)
