"""What the two evolutionary learning classifier systems share: rules that CFSBE keeps consistent.

The paper announces a learning classifier system that uses CFSBE "both during the initial population
creation and during the mutation phases". Here, every rule is made in a region that
:func:`irenic.enlarge` returned, so it contradicts no rule of its set.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from irenic.arrays import Indices
from irenic.learn import RuleLearner
from irenic.model import Region, Rule, RuleSet
from irenic.searching import enlarge
from irenic.systems._operators import draw_region, mutate_region, pick
from irenic.systems._rows import TrainingRows
from irenic.systems._settings import CONSTRAINTS


class EvolvingClassifier(RuleLearner):
    """Base of the evolutionary classifiers: new, mutated and transferred rules, free of rivals."""

    _group_constraints = CONSTRAINTS

    @property
    def _decides(self) -> Any:
        """How rules decide; consistent ones need no proof that they are."""
        return "first" if self.conflicts == "avoid" else self.conflicts

    def room(self, rules: RuleSet, seed: Any, then: Hashable, rng: np.random.Generator) -> Region:
        """Return the region in which a rule may be made or changed: that of CFSBE.

        It contains the seed, a row or a rule that no rival covers or overlaps; ``rng`` draws the
        order of the features. If conflicts are allowed, it is the whole space.
        """
        if self.conflicts != "avoid":
            return Region(rules.space)
        return enlarge(rules, seed, consequent=then, order="random", random_state=rng)

    def rivals(self, rules: RuleSet, rule: Rule) -> Indices:
        """Return the rules that leave no room for a rule: those that it contradicts, as indices.

        If conflicts are allowed, there are none.
        """
        if self.conflicts != "avoid":
            return np.zeros(0, dtype=np.intp)
        return rules.rivals_of(rule.region, rule.then)

    def new_rule(
        self, rules: RuleSet, row: int, rows: TrainingRows, rng: np.random.Generator
    ) -> Rule | None:
        """Return a new rule that covers a row and contradicts no other rule.

        Its consequent is the best one for the row, and its weight is its accuracy. With partial
        heads, the consequent decides a label that is open and not right by default; None if there
        is no such label.
        """
        if rows.truth is not None:
            return self._new_partial_rule(rules, row, rows, rng)
        then = rows.then(row)
        room = self.room(rules, rows.instances.take([row]), then, rng)
        return rows.rated(draw_region(rows, row, rng) & room, then)

    def _new_partial_rule(
        self, rules: RuleSet, row: int, rows: TrainingRows, rng: np.random.Generator
    ) -> Rule | None:
        states, region = rows.states(rules, row), draw_region(rows, row, rng)
        needed = rows.needed(states, rules.default, row)[0]
        then = rows.draw_head(row, region, states[0], needed, rng)
        if then is None:
            return None
        room = self.room(rules, rows.instances.take([row]), then, rng)
        return rows.rated(region & room, then)

    def mutate_rule(
        self, rules: RuleSet, rule: Rule, rows: TrainingRows, rng: np.random.Generator
    ) -> Rule | None:
        """Return a rule with one condition changed, which contradicts no other rule.

        The rule itself may be in the set. None if the changed rule covers no row.
        """
        own = np.flatnonzero(rule.region.contains(rows.instances))
        if not len(own):
            return None
        room = self.room(rules, rule, rule.then, rng)
        row = int(pick(own, rng))
        return rows.rated(mutate_region(rule.region, room, rows, row, rng), rule.then)

    def fit_in(
        self, rules: RuleSet, rule: Rule, rows: TrainingRows, rng: np.random.Generator
    ) -> Rule | None:
        """Return a rule of another set, cut so that it contradicts no rule of this one.

        It is the rule itself if it has no rivals; otherwise, its part in the region that CFSBE
        grows around one of its rows. None if rivals cover all rows that it is right for.
        """
        rule = rule.cast(rules.space)
        rivals = self.rivals(rules, rule)
        if not len(rivals):
            return rule
        right = rule.region.contains(rows.instances) & rows.suited(rule.then)
        right &= ~rules[rivals].covering(rows.instances).any(axis=1)
        if not right.any():
            return None
        row = int(pick(np.flatnonzero(right), rng))
        room = self.room(rules, rows.instances.take([row]), rule.then, rng)
        return rows.rated(rule.region & room, rule.then)
