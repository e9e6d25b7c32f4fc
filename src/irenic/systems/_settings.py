"""The numbers of learning classifier systems that researchers change, each with a range."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Final

from sklearn.utils._param_validation import Interval

from irenic.learn.parameters import Parameters


@dataclass(eq=False, repr=False, kw_only=True)
class Variation(Parameters):
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

    Examples
    --------
    >>> from irenic.systems import PittsburghClassifier, Variation
    >>> PittsburghClassifier(variation=Variation(crossover=0.0, tournament=4))
    PittsburghClassifier(variation=Variation(tournament=4, crossover=0.0))
    """

    first_rules: int = 7
    tournament: int = 2
    crossover: float = 0.5
    mutation: float = 0.5
    add: float = 0.25
    remove: float = 0.15


@dataclass(eq=False, repr=False, kw_only=True)
class UCS(Parameters):
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

    Examples
    --------
    >>> from irenic.systems import UCS, MichiganClassifier
    >>> MichiganClassifier(ucs=UCS(power=20, subsumption=False))
    MichiganClassifier(ucs=UCS(power=20, subsumption=False))
    """

    power: float = 10.0
    learning_rate: float = 0.2
    interval: int = 25
    crossover: float = 0.8
    tournament: float = 0.4
    unfit: float = 0.5
    subsumption: bool = True
    min_rows: int = 3
    min_gain: float = 1.5
    smoothing: float = 10.0


_SHARE: Final = [Interval(Real, 0, 1, closed="both")]
_AMOUNT: Final = [Interval(Real, 0, None, closed="left")]
_COUNT: Final = [Interval(Integral, 1, None, closed="left")]
CONSTRAINTS: Final[dict[type[Parameters], dict[str, Any]]] = {
    Variation: {
        "first_rules": _COUNT,
        "tournament": _COUNT,
        "crossover": _SHARE,
        "mutation": _SHARE,
        "add": _SHARE,
        "remove": _SHARE,
    },
    UCS: {
        "power": _AMOUNT,
        "learning_rate": _SHARE,
        "interval": _COUNT,
        "crossover": _SHARE,
        "tournament": _SHARE,
        "unfit": _SHARE,
        "subsumption": ["boolean"],
        "min_rows": _COUNT,
        "min_gain": _AMOUNT,
        "smoothing": _AMOUNT,
    },
}
