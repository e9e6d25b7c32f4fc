"""A Michigan learning classifier system: individuals are rules that CFSBE keeps free of rivals.

It follows UCS (Bernadó-Mansilla and Garrell, 2003): rows come one after another; the rules that
cover a row form the match set, and those of them that predict its label form the correct set. If
the correct set is empty, covering adds a rule; a genetic algorithm works in the correct set; and
rules are deleted where there are many.

UCS lets rules contradict each other and decides by vote. Here the population is a consistent rule
set at every step, which changes three things:

- Crossover is cut to the region that CFSBE grows around the row, and a mutation to the region that
  CFSBE grows from the rule.
- Rules of different labels cannot compete by vote, so they compete for space: covering draws a
  rule, CFSBE cuts it to where it overlaps no stronger rival, and weaker rivals give way.
- The accuracy of a rule is smoothed, because a rule for a single row would block space.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from numbers import Integral
from types import MappingProxyType
from typing import Any, ClassVar, Final

import numpy as np
import numpy.typing as npt
from sklearn.utils._param_validation import Interval, StrOptions

from irenic.arrays import Floats, Indices
from irenic.boxes import Boxes
from irenic.learn import LabeledRows
from irenic.model import CoverageMap, Region, Rule, RuleSet
from irenic.systems._evolving import EvolvingClassifier
from irenic.systems._operators import cross_regions, draw_region
from irenic.systems._rows import TrainingRows
from irenic.systems._settings import UCS

# The arrays of a population with an element per rule.
_PER_RULE: Final = ("codes", "experience", "gain", "numerosity", "niche", "evolved", "born")


class Population:
    """Rules with what UCS keeps for each, and the rows that each covers.

    A subclass may change parameters; ``rules`` changes only through :meth:`add` and :meth:`remove`.

    Parameters
    ----------
    rows : TrainingRows
        The training rows.
    force : bool
        Whether rules may contradict each other.
    ucs : UCS, optional
        The parameters of UCS (default: ``UCS()``), which the operators read here.

    Examples
    --------
    >>> from irenic import Rule
    >>> from irenic.systems import Population, TrainingRows
    >>> rows = TrainingRows.from_table({"age": [20, 30, 40]}, ["low", "low", "high"])
    >>> population = Population(rows, force=False)
    >>> population.add(Rule({"age": (0, 35)}, then="low"), time=1)
    >>> population.matching(1), population.numerosity
    (array([0]), array([1.]))
    """

    def __init__(self, rows: TrainingRows, *, force: bool, ucs: UCS | None = None) -> None:
        self.rows, self.force, self.ucs = rows, force, ucs or UCS()
        self.rules = RuleSet(space=rows.space)
        self.coverage = CoverageMap(self.rules, rows.instances)
        self.codes = np.zeros(0, dtype=np.intp)
        """Index of the consequent of each rule among those of the rows."""
        self.experience = np.zeros(0)
        """Number of match sets that each rule was in."""
        self.gain = np.zeros(0)
        """How often it was right."""
        self.numerosity = np.zeros(0)
        """Number of copies."""
        self.niche = np.zeros(0)
        """Mean size of its correct sets."""
        self.evolved = np.zeros(0)
        """Time of the last run of the genetic algorithm with it."""
        self.born = np.zeros(0)
        """Time when it was added."""

    def __len__(self) -> int:
        return len(self.rules)

    @property
    def covers(self) -> npt.NDArray[np.bool_]:
        """Whether each rule covers each row: ``[rule, row]``."""
        return self.rules.packed.covering(self.rows.instances)

    @property
    def fitness(self) -> Floats:
        """The accuracy of each rule so far, smoothed, to the power of UCS."""
        accuracy = self.rows.accuracy(self.gain, self.experience, self.codes)
        return np.asarray(accuracy**self.ucs.power)

    @property
    def strengths(self) -> Floats:
        """How much more accurate than a random rule each rule is on all rows, at most 1."""
        return np.asarray(self.rows.strength(self.rules.weights, self.codes))

    def matching(self, row: int) -> Indices:
        """Return the match set of a row: the indices of the rules that cover it."""
        return self.coverage.rules_of(row)

    def update(self, match: Indices, correct: Indices, row: int) -> None:
        """Update the parameters of the rules in the match set and the correct set of a row."""
        self.experience[match] += 1.0
        self.gain[match] += self.rows.gains[row, self.codes[match]]
        size = self.numerosity[correct].sum()
        rate = np.maximum(1.0 / np.maximum(self.experience[correct], 1.0), self.ucs.learning_rate)
        self.niche[correct] += rate * (size - self.niche[correct])

    def add(self, rule: Rule, time: int) -> None:
        """Add a rule, or a copy of an equal one."""
        rule = rule.cast(self.rows.space)
        code = self.rows.codes[rule.then]
        same, boxes = self._boxes(self.codes == code)
        equal = (boxes.keys() == rule.region.box.simplified().keys()).all(axis=1)
        if equal.any():
            self.numerosity[same[equal.argmax()]] += 1.0
            return
        self.rules.add(rule, force=self.force)
        first = {"codes": code, "numerosity": 1, "niche": 1, "evolved": time, "born": time}
        for name in _PER_RULE:
            column = getattr(self, name)
            last = np.array([first.get(name, 0)], dtype=column.dtype)
            setattr(self, name, np.concatenate((column, last)))

    def containing(self, rule: Rule) -> int | None:
        """Return the first rule that contains a rule, predicts the same and is as accurate.

        It is returned as an index, None if there is none. The accuracy of a rule is its weight.
        """
        rule = rule.cast(self.rows.space)
        same = self.codes == self.rows.codes[rule.then]
        places, boxes = self._boxes(same & (self.rules.weights >= rule.weight))
        around = rule.region.box.simplified().within(boxes)
        return int(places[around.argmax()]) if around.any() else None

    def _boxes(self, selected: npt.NDArray[np.bool_]) -> tuple[Indices, Boxes]:
        """Return the indices of the selected rules, and their regions, simplified."""
        places = np.flatnonzero(selected)
        return places, self.rules.packed.boxes.take(places).simplified()

    def remove(self, i: int) -> Rule:
        """Remove a rule with all its copies, and return it."""
        for name in _PER_RULE:
            column = getattr(self, name)
            setattr(self, name, np.concatenate((column[:i], column[i + 1 :])))
        return self.rules.remove(i)


class MichiganClassifier(EvolvingClassifier):
    """Classifier that evolves a population of consistent rules, like UCS, with CFSBE.

    It is the learning classifier system that the paper announces, in the Michigan style, and a
    reference implementation: each operator is a method that a subclass can replace.
    :class:`irenic.RuleSetClassifier` is faster, and more accurate on average.

    - An individual is a rule. Rows come one after another; the rules that cover a row learn from
      it, and those with its label are crossed and mutated.
    - CFSBE keeps the population consistent at every step: it bounds each new, crossed or mutated
      rule by its rivals.
    - A rule that meets weaker rivals takes their place: a rival keeps the part that CFSBE grows
      around one of its other rows.
    - At the end, the rules that predict the training rows best are kept.

    Parameters
    ----------
    population_size : int, default 400
        Maximum number of rules, counting copies.
    steps : int, default 15,000
        Number of rows to learn from, one after another; each comes about equally often.
    conflicts : {"avoid", "vote", "best"}, default "avoid"
        "avoid" keeps the population consistent. The others differ in CFSBE alone: rules stay as
        they are drawn, mutated and crossed, whatever they contradict, and the consequent with the
        highest sum of fitness, as in UCS, or the most accurate rule decides.
    heads : {"whole", "partial"}, default "whole"
        What a rule decides if rows have several labels. "whole": the whole set of labels.
        "partial": one or two labels, while the others stay open. Rules then contradict each
        other only if both decide a label, differently; where they overlap, they decide together.
    ucs : UCS or dict, optional
        The parameters of UCS (default: ``UCS()``).
    random_state : int, RandomState or None
        Seed of the random number generator.

    Attributes
    ----------
    rules_ : RuleSet
        The rules in use.
    chosen_ : FrontPoint
        The rules in use, with their statistics.
    pareto_front_ : Front
        The rules in use alone, as for classifiers with several rule sets.
    population_ : RuleSet
        All rules at the end of the evolution; a file of the model leaves them out.
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
    >>> from irenic.systems import MichiganClassifier
    >>> X, y = load_iris(as_frame=True, return_X_y=True)
    >>> clf = MichiganClassifier(steps=1_000, random_state=0).fit(X, y)
    >>> clf.rules_.is_consistent, clf.population_.is_consistent, clf.score(X, y) > 0.9
    (True, True, True)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "population_size": [Interval(Integral, 1, None, closed="left")],
        "steps": [Interval(Integral, 1, None, closed="left")],
        "conflicts": [StrOptions({"avoid", "vote", "best"})],
        "heads": [StrOptions({"whole", "partial"})],
        "ucs": [UCS, Mapping, None],
        "random_state": ["random_state"],
    }

    _groups = MappingProxyType({"ucs": UCS})

    def __init__(
        self,
        *,
        population_size: int = 400,
        steps: int = 15_000,
        conflicts: str = "avoid",
        heads: str = "whole",
        ucs: UCS | Mapping[str, Any] | None = None,
        random_state: Any = None,
    ) -> None:
        self.population_size = population_size
        self.steps = steps
        self.conflicts = conflicts
        self.heads = heads
        self.ucs = ucs
        self.random_state = random_state

    def learn(self, rows: LabeledRows, rng: np.random.Generator) -> list[RuleSet]:
        """Return the rules that the final set needs, of the last population."""
        ucs = UCS.of(self.ucs)
        training = TrainingRows.of(rows, ucs.smoothing)
        population = Population(training, force=self.conflicts != "avoid", ucs=ucs)
        coming: list[int] = []
        for time in range(1, self.steps + 1):
            coming = coming or rng.permutation(len(rows)).tolist()
            self.step(population, coming.pop(), time, rng)
            self.watch(time, population)
        self.population_ = population.rules
        return [self.condense(population)]

    # --- operators

    def watch(self, time: int, population: Population) -> None:
        """Look at the population after each row; does nothing unless a subclass replaces it.

        ``time`` is the number of rows so far.

        Examples
        --------
        >>> from irenic.systems import MichiganClassifier
        >>> class Watched(MichiganClassifier):
        ...     def watch(self, time, population):
        ...         assert population.rules.is_consistent
        >>> X, y = {"age": range(40)}, ["free"] * 18 + ["full"] * 22
        >>> Watched(steps=40, random_state=0).fit(X, y).n_features_in_
        1
        """

    def step(self, population: Population, row: int, time: int, rng: np.random.Generator) -> None:
        """Learn from a row: cover it if needed, update its rules, evolve them, and delete."""
        right = population.rows.right(row, rng)
        match = population.matching(row)
        if right.any() and not right[population.codes[match]].any():
            self.cover(population, row, time, rng)
            match = population.matching(row)
        correct = match[right[population.codes[match]]]
        population.update(match, correct, row)
        if len(correct):
            last = _mean(population.evolved[correct], population.numerosity[correct])
            if time - last > population.ucs.interval:
                population.evolved[correct] = time
                self.evolve(population, correct, row, time, rng)
        self.delete(population, time, rng)

    def cover(self, population: Population, row: int, time: int, rng: np.random.Generator) -> None:
        """Add a rule for a row, unless stronger rivals leave no room for it.

        CFSBE cuts a random rule to where it overlaps no rival that is at least as strong. If it is
        still stronger than the other rivals in its way, these are cut by CFSBE or removed. If
        conflicts are allowed, neither is cut; a stronger rival that covers the row still keeps the
        rule out.
        """
        rules, rows = population.rules, population.rows
        region, seed = draw_region(rows, row, rng), rows.instances.take([row])
        then = self._consequent(population, row, region, rng)
        if then is None:
            return
        code = rows.codes[then]
        rule = rows.rated(region, then)
        assert rule is not None  # it covers the row
        strengths = population.strengths
        strong = rules[strengths >= rows.strength(rule.weight, code)]
        if (strong.covering(seed)[0] & strong.rival_mask(then)).any():
            return
        rule = rows.rated(rule.region & self.room(strong, seed, then, rng), then)
        if rule is None or rule.region.contains(rows.instances).sum() < population.ucs.min_rows:
            return
        rivals = self.rivals(rules, rule)
        if (strengths[rivals] >= rows.strength(rule.weight, code)).any():
            return
        weaker = [population.remove(i) for i in sorted(rivals.tolist(), reverse=True)]
        population.add(rule, time)
        for rival in weaker:
            rest = self.fit_in(population.rules, rival, rows, rng)
            if rest and rest.region.contains(rows.instances).sum() >= population.ucs.min_rows:
                population.add(rest, time)

    def _consequent(
        self, population: Population, row: int, region: Region, rng: np.random.Generator
    ) -> Hashable | None:
        """Return the consequent of a new rule: of heads, one that no rule replaces so far."""
        rows = population.rows
        if rows.truth is None:
            return rows.then(row)
        # wrong decisions count as open, because weaker rivals give way
        states = rows.states(population.rules, row)
        states[states != 2 * rows.truth[[row]] - 1] = 0
        return rows.draw_head(row, region, states[0], rows.needed(states, None, row)[0], rng)

    def evolve(
        self,
        population: Population,
        correct: Indices,
        row: int,
        time: int,
        rng: np.random.Generator,
    ) -> None:
        """Add two children of rules in a correct set: crossed, then mutated.

        The correct set has the indices of the rules that cover the row and have its label.
        """
        rules, rows = population.rules, population.rows
        fitness = population.fitness[correct]
        size = max(1, round(population.ucs.tournament * len(correct)))
        drawn = [rng.choice(len(correct), size, replace=False) for _ in range(2)]
        parents = [rules[int(correct[some[fitness[some].argmax()]])] for some in drawn]
        for parent, other in (parents, parents[::-1]):
            child: Rule | None = parent
            if parent != other and rng.random() < population.ucs.crossover:
                # both parents contain the row, and so does the child
                crossed = cross_regions(parent.region, other.region, rng)
                room = self.room(rules, rows.instances.take([row]), parent.then, rng)
                child = rows.rated(crossed & room, parent.then)
            child = child and self.mutate_rule(rules, child, rows, rng)
            if child is not None:
                self.insert(population, child, time)

    def insert(self, population: Population, child: Rule, time: int) -> None:
        """Add a child, or a copy of a rule that contains it and is at least as accurate."""
        i = population.containing(child) if population.ucs.subsumption else None
        if i is None:
            population.add(child, time)
        else:
            population.numerosity[i] += 1.0

    def delete(self, population: Population, time: int, rng: np.random.Generator) -> None:
        """Delete rules until there are few enough, likely those of large niches and unfit ones."""
        while population.numerosity.sum() > self.population_size:
            fitness = np.maximum(population.fitness, 1e-12)
            mean = _mean(fitness, population.numerosity)
            votes = population.niche * population.numerosity
            # a rule is judged once it has met all of its rows
            old = time - population.born > len(population.rows)
            votes = np.where(
                old & (fitness < population.ucs.unfit * mean), votes * mean / fitness, votes
            )
            # as rng.choice does, which takes longer to check its arguments
            shares = (votes / votes.sum()).cumsum()
            i = int(np.searchsorted(shares / shares[-1], rng.random(), side="right"))
            population.numerosity[i] -= 1.0
            if population.numerosity[i] < 1.0:
                population.remove(i)

    def condense(self, population: Population) -> RuleSet:
        """Return the rules that the final set needs.

        Rules are tried in the order of what they gain over the most frequent label, and kept if
        the set then predicts more training rows correctly, by more than one. With partial heads,
        these are as many labels.
        """
        rules, rows = population.rules, population.rows
        weights = rules.weights
        if self.conflicts == "vote":
            weights = population.fitness * population.numerosity
        if rows.truth is None:
            usual, least = rows.gains[:, [int(rows.prior.argmax())]], population.ucs.min_gain
        else:  # a right label is one of several of its row
            usual = rows.prior[population.codes]
            least = population.ucs.min_gain / max(1.0, float(rows.truth.sum(axis=1).mean()))
        gains = rows.gains[:, population.codes] - usual
        order = np.argsort(-(gains * population.covers.T).sum(axis=0), kind="stable")
        kept = RuleSet(space=rows.space)
        score, kept.default = rows.decided(kept, self._decides)
        for i in order.tolist():
            trial = kept.copy()
            rule = rules[i]
            trial.add(Rule(rule.region, then=rule.then, weight=float(weights[i])), force=True)
            better, trial.default = rows.decided(trial, self._decides)
            if (better - score) * len(rows) > least:
                kept, score = trial, better
        return kept


def _mean(values: Floats, weights: Floats) -> float:
    """Return a weighted mean, as np.average does, which takes longer to check its arguments."""
    return float((values * weights).sum() / weights.sum())
