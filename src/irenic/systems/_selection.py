"""Selection and survival of individuals with several objectives: NSGA-II (Deb et al., 2002)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from irenic.arrays import Floats, Ints
from irenic.model import RuleSet


@dataclass(frozen=True, eq=False)
class Individual:
    """A rule set and its objectives, all of which are minimized.

    Parameters
    ----------
    rules : RuleSet
        The rules.
    objectives : tuple of float
        The result of :meth:`PittsburghClassifier.objectives`.

    Examples
    --------
    >>> from irenic import Rule, RuleSet
    >>> from irenic.systems import Individual
    >>> Individual(RuleSet([Rule({"age": (0, 30)}, then="low")]), (0.25, 2.0)).objectives
    (0.25, 2.0)
    """

    rules: RuleSet
    objectives: tuple[float, ...]


def tournaments(
    population: Sequence[Individual], rng: np.random.Generator, size: int = 2
) -> list[tuple[Individual, Individual]]:
    """Return a pair of parents per individual; each parent is the best one of a few at random.

    The best one has the lowest rank; of those of one rank, the one with the fewest neighbors.

    Parameters
    ----------
    population : sequence of Individual
        The individuals.
    rng : Generator
        The random number generator.
    size : int, default 2
        The number of individuals that each parent is the best one of.

    Returns
    -------
    list of pairs of Individual

    Examples
    --------
    >>> import numpy as np
    >>> from irenic import RuleSet
    >>> from irenic.systems import Individual, tournaments
    >>> population = [Individual(RuleSet(), (error, 2.0)) for error in (0.1, 0.2, 0.3)]
    >>> pairs = tournaments(population, np.random.default_rng(0), size=9)
    >>> [(first.objectives[0], second.objectives[0]) for first, second in pairs]
    [(0.1, 0.2), (0.1, 0.1), (0.1, 0.1)]
    """
    ranks, distances = _standing(population)
    place = np.lexsort((-distances, ranks)).argsort()
    drawn = rng.integers(len(population), size=(len(population), 2, size))
    best = place[drawn].argmin(axis=2)[..., None]
    winners = np.take_along_axis(drawn, best, axis=2)[..., 0]
    return [(population[i], population[j]) for i, j in winners.tolist()]


def survivors(population: Sequence[Individual], size: int) -> list[Individual]:
    """Return the best individuals by rank, then by crowding distance.

    Individuals with equal objectives come last, except for the first of them.

    Parameters
    ----------
    population : sequence of Individual
        The individuals.
    size : int
        The number of those that survive.

    Returns
    -------
    list of Individual

    Examples
    --------
    >>> from irenic import RuleSet
    >>> from irenic.systems import Individual, survivors
    >>> costs = [(0.1, 9.0), (0.3, 2.0), (0.3, 9.0), (0.1, 9.0)]
    >>> [one.objectives for one in survivors([Individual(RuleSet(), c) for c in costs], 3)]
    [(0.1, 9.0), (0.3, 2.0), (0.3, 9.0)]
    """
    first: dict[tuple[float, ...], Individual] = {}
    for individual in population:
        first.setdefault(individual.objectives, individual)
    distinct = list(first.values())
    ranks, distances = _standing(distinct)
    chosen = [distinct[i] for i in np.lexsort((-distances, ranks))[:size].tolist()]
    repeated = [one for one in population if first[one.objectives] is not one]
    return chosen + repeated[: size - len(chosen)]


def _standing(population: Sequence[Individual]) -> tuple[Ints, Floats]:
    """Return the rank of each individual, and its crowding distance among those of its rank."""
    costs = np.array([individual.objectives for individual in population])
    ranks, distances = pareto_ranks(costs), np.zeros(len(costs))
    for rank in np.unique(ranks):
        same = ranks == rank
        distances[same] = crowding(costs[same])
    return ranks, distances


def pareto_ranks(costs: Floats) -> Ints:
    """Return the front of each row: 0 for those that no row dominates, 1 for the next, and so on.

    Parameters
    ----------
    costs : array of shape (individuals, objectives)
        What is to be minimized.

    Returns
    -------
    array of int

    Examples
    --------
    >>> import numpy as np
    >>> from irenic.systems import pareto_ranks
    >>> pareto_ranks(np.array([[0.0, 2.0], [1.0, 1.0], [1.0, 2.0], [2.0, 2.0]]))
    array([0, 0, 1, 2])
    """
    no_worse = np.asarray((costs[:, None] <= costs[None]).all(axis=2))
    dominates = no_worse & ~no_worse.T
    ranks = np.full(len(costs), -1, dtype=np.int64)
    rank = 0
    while (left := ranks < 0).any():
        ranks[left & ~dominates[left].any(axis=0)] = rank
        rank += 1
    return ranks


def crowding(costs: Floats) -> Floats:
    """Return the distance between the neighbors of each row, summed over the objectives.

    Parameters
    ----------
    costs : array of shape (individuals, objectives)
        What is to be minimized.

    Returns
    -------
    array of float
        Infinite for the first and the last one in an objective.

    Examples
    --------
    >>> import numpy as np
    >>> from irenic.systems import crowding
    >>> crowding(np.array([[0.0, 3.0], [1.0, 1.0], [3.0, 0.0]]))
    array([inf,  2., inf])
    """
    distances = np.zeros(len(costs))
    for column in costs.T:
        order = np.argsort(column, kind="stable")
        distances[order[[0, -1]]] = np.inf
        span = column[order[-1]] - column[order[0]]
        if span > 0:
            distances[order[1:-1]] += (column[order[2:]] - column[order[:-2]]) / span
    return distances
