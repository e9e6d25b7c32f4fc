"""A Pittsburgh learning classifier system: individuals are rule sets that CFSBE keeps consistent.

NSGA-II (Deb et al., 2002) minimizes the error and the size of rule sets. Wang et al. (2005), of the
related work of the paper, have three objectives for fuzzy rules. CFSBE makes the first rules,
bounds every mutation, and fits in the rules that crossover takes from the other parent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from irenic.learn import LabeledRows
from irenic.model.ruleset import RuleSet
from irenic.systems._evolving import EvolvingClassifier
from irenic.systems._operators import pick
from irenic.systems._rows import TrainingRows
from irenic.systems._selection import Individual, survivors, tournaments
from irenic.systems._settings import Variation


class PittsburghClassifier(EvolvingClassifier):
    """Classifier that evolves consistent rule sets with NSGA-II and CFSBE.

    It is the learning classifier system that the paper announces, in the Pittsburgh style, and a
    reference implementation: each operator is a method that a subclass can replace.
    :class:`irenic.RuleSetClassifier` is faster, and more accurate on average.

    - An individual is a rule set. CFSBE makes its rules: each new rule lies in the region that
      :func:`irenic.enlarge` grows around a row that no rule covers.
    - A mutation adds, removes or changes rules. ``enlarge(rules, rule)`` bounds every change, so
      the rule contradicts no other.
    - Crossover takes rules of both parents. A rule that contradicts one of the other parent is cut
      to the region that CFSBE grows around one of its rows.
    - NSGA-II keeps the rule sets that no other beats in both error and size.

    Parameters
    ----------
    population_size : int, default 60
        Number of rule sets.
    generations : int, default 150
        Number of generations, each with as many children as there are rule sets.
    max_rules : int, default 30
        Maximum number of rules of a rule set; the default does not count as a rule.
    conflicts : {"avoid", "vote", "best"}, default "avoid"
        "avoid" keeps every rule set consistent. The others differ in CFSBE alone: rules stay as
        they are drawn, mutated and crossed, whatever they contradict, and the consequent with the
        highest sum of accuracies or the most accurate rule decides.
    heads : {"whole", "partial"}, default "whole"
        What a rule decides if rows have several labels. "whole": the whole set of labels.
        "partial": one or two labels, while the others stay open. Rules then contradict each
        other only if both decide a label, differently; where they overlap, they decide together.
    variation : Variation or dict, optional
        How children are made (default: ``Variation()``).
    random_state : int, RandomState or None
        Seed of the random number generator.

    Attributes
    ----------
    rules_ : RuleSet
        The rules in use: those of the front with the highest training score.
    pareto_front_ : Front
        The rule sets to choose from, smallest first.
    chosen_ : FrontPoint
        The rule set in use, with its statistics.
    classes_ : array
        The labels.
    space_ : Space
        The features.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : array
        Names of the features, if the training data have names.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from irenic.systems import PittsburghClassifier
    >>> X, y = load_iris(as_frame=True, return_X_y=True)
    >>> clf = PittsburghClassifier(generations=10, random_state=0).fit(X, y)
    >>> clf.rules_.is_consistent, clf.score(X, y) > 0.9
    (True, True)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "population_size": [Interval(Integral, 2, None, closed="left")],
        "generations": [Interval(Integral, 0, None, closed="left")],
        "max_rules": [Interval(Integral, 1, None, closed="left")],
        "conflicts": [StrOptions({"avoid", "vote", "best"})],
        "heads": [StrOptions({"whole", "partial"})],
        "variation": [Variation, Mapping, None],
        "random_state": ["random_state"],
    }

    _groups = MappingProxyType({"variation": Variation})

    def __init__(
        self,
        *,
        population_size: int = 60,
        generations: int = 150,
        max_rules: int = 30,
        conflicts: str = "avoid",
        heads: str = "whole",
        variation: Variation | Mapping[str, Any] | None = None,
        random_state: Any = None,
    ) -> None:
        self.population_size = population_size
        self.generations = generations
        self.max_rules = max_rules
        self.conflicts = conflicts
        self.heads = heads
        self.variation = variation
        self.random_state = random_state

    def learn(self, rows: LabeledRows, rng: np.random.Generator) -> list[RuleSet]:
        """Return the rule sets of the last generation."""
        rows = TrainingRows.of(rows)
        population = [
            self._individual(self.first_rules(rows, rng), rows) for _ in range(self.population_size)
        ]
        self.watch(0, population)
        for generation in range(1, self.generations + 1):
            pairs = self.select(population, rng)
            children = [
                self._individual(self.child(one.rules, two.rules, rows, rng), rows)
                for one, two in pairs
            ]
            population = self.survive([*population, *children])
            self.watch(generation, population)
        return [individual.rules for individual in population]

    @property
    def _variation(self) -> Variation:
        given = self.variation
        return given if isinstance(given, Variation) else Variation.of(given)

    def _individual(self, rules: RuleSet, rows: TrainingRows) -> Individual:
        score, rules.default = rows.decided(rules, self._decides)
        return Individual(rules, self.objectives(rules, score))

    # --- operators

    def watch(self, generation: int, population: Sequence[Individual]) -> None:
        """Look at each generation; does nothing unless a subclass replaces it.

        Generation 0 is the first population.

        Examples
        --------
        >>> from irenic.systems import PittsburghClassifier
        >>> class Watched(PittsburghClassifier):
        ...     def watch(self, generation, population):
        ...         assert all(individual.rules.is_consistent for individual in population)
        ...         print(generation, min(individual.objectives[0] for individual in population))
        >>> X, y = {"age": range(40)}, ["free"] * 18 + ["full"] * 22
        >>> _ = Watched(generations=1, random_state=0).fit(X, y)
        0 0.0
        1 0.0
        """

    def objectives(self, rules: RuleSet, score: float) -> tuple[float, ...]:
        """Return what is to be minimized: the error, and the number of rules and conditions.

        ``score`` is the share of training rows that the rules predict correctly; the mean F1 for
        sets of labels. The numbers are as many for all rule sets.
        """
        return 1.0 - score, float(len(rules) + rules.n_conditions)

    def select(
        self, population: Sequence[Individual], rng: np.random.Generator
    ) -> list[tuple[Individual, Individual]]:
        """Return the parents of each child to be made: the winners of :func:`tournaments`.

        Examples
        --------
        >>> class Random(PittsburghClassifier):
        ...     def select(self, population, rng):
        ...         return [tuple(rng.choice(population, 2)) for _ in population]
        >>> X, y = {"age": range(40)}, ["free"] * 18 + ["full"] * 22
        >>> Random(generations=5, random_state=0).fit(X, y).score(X, y)
        1.0
        """
        return tournaments(population, rng, self._variation.tournament)

    def survive(self, population: Sequence[Individual]) -> list[Individual]:
        """Return the next population, ``population_size`` of the parents and children.

        These are the :func:`survivors` of NSGA-II.

        Examples
        --------
        >>> class Accurate(PittsburghClassifier):
        ...     def survive(self, population):
        ...         ordered = sorted(population, key=lambda individual: individual.objectives)
        ...         return ordered[:self.population_size]
        >>> X, y = {"age": range(40)}, ["free"] * 18 + ["full"] * 22
        >>> Accurate(generations=5, random_state=0).fit(X, y).score(X, y)
        1.0
        """
        return survivors(population, self.population_size)

    def first_rules(self, rows: TrainingRows, rng: np.random.Generator) -> RuleSet:
        """Return a rule set of the first population: a few new rules."""
        rules = RuleSet(space=rows.space)
        for _ in range(int(rng.integers(1, self._variation.first_rules + 1))):
            self._add_rule(rules, rows, rng)
        return rules

    def _add_rule(self, rules: RuleSet, rows: TrainingRows, rng: np.random.Generator) -> None:
        """Add a new rule around a row that no rule covers, if there is one.

        With partial heads, it is a row with a label that is open and not right by default.
        """
        if rows.truth is None:
            left = rules.decide(rows.instances, resolve="first") < 0
        else:
            left = np.asarray(rows.needed(rows.states(rules), rules.default).any(axis=1))
        uncovered = np.flatnonzero(left)
        if len(rules) < self.max_rules and len(uncovered):
            rule = self.new_rule(rules, int(pick(uncovered, rng)), rows, rng)
            if rule is not None:
                rules.add(rule, force=self.conflicts != "avoid")

    def child(
        self, first: RuleSet, second: RuleSet, rows: TrainingRows, rng: np.random.Generator
    ) -> RuleSet:
        """Return a child of two rule sets: a crossover, a mutation of the first, or both."""
        if rng.random() >= self._variation.crossover:
            return self.mutate(first.copy(), rows, rng)
        child = self.cross(first, second, rows, rng)
        return self.mutate(child, rows, rng) if rng.random() < self._variation.mutation else child

    def cross(
        self, first: RuleSet, second: RuleSet, rows: TrainingRows, rng: np.random.Generator
    ) -> RuleSet:
        """Return a set with rules of two parents that do not contradict each other.

        It has half of the rules of the first parent, or nine in ten, and half of those of the
        second, cut to where they contradict none (see :meth:`fit_in`).
        """
        kept = np.flatnonzero(rng.random(len(first)) < pick((0.5, 0.9), rng))
        child = first[kept]
        for i in rng.permutation(len(second)).tolist():
            if len(child) == self.max_rules:
                break
            rule = self.fit_in(child, second[i], rows, rng) if rng.random() < 0.5 else None
            if rule is not None and rule not in child:
                child.add(rule, force=self.conflicts != "avoid")
        return child

    def mutate(self, rules: RuleSet, rows: TrainingRows, rng: np.random.Generator) -> RuleSet:
        """Return the same rule set with a rule more, a rule less, or one or two rules changed."""
        kind, variation = rng.random(), self._variation
        if not len(rules) or kind < variation.add:
            self._add_rule(rules, rows, rng)
        elif kind < variation.add + variation.remove:
            rules.remove(int(rng.integers(len(rules))))
        else:
            for _ in range(int(rng.integers(1, 3))):
                i = int(rng.integers(len(rules)))
                rule = self.mutate_rule(rules, rules[i], rows, rng)
                if rule is not None:
                    rules.replace(i, rule, force=self.conflicts != "avoid")
        return rules
