"""Which rules cover which instances, kept current as rules come and go."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
import numpy.typing as npt

from irenic.boxes.arrays import Bools, Ints
from irenic.errors import DataError
from irenic.kernels import cover, structs
from irenic.model.rule import Rule, as_consequent
from irenic.model.ruleset import RuleSet, check_rules
from irenic.model.sampling import RandomState, as_generator
from irenic.model.space import Instances


class CoverageMap:
    """The paper's associative array from instances to the rules that cover them.

    A map follows its rule set: a rule that is added to or removed from either is counted in both,
    in time proportional to the number of instances.

    Parameters
    ----------
    rules : RuleSet
    X : table

    Examples
    --------
    >>> from irenic import Rule, RuleSet
    >>> from irenic.model import CoverageMap
    >>> rules = RuleSet([Rule({"age": (0, 30)}, then="low")])
    >>> coverage = CoverageMap(rules, {"age": [10, 40, 50]})
    >>> coverage.uncovered
    array([1, 2])
    >>> rules.add(Rule({"age": (30, 45)}, then="high"))
    >>> coverage.uncovered
    array([2])
    >>> coverage.pick(random_state=0)
    2
    """

    def __init__(self, rules: RuleSet, X: Any) -> None:
        check_rules(rules)
        self.rules = rules
        self.instances: Instances = rules.space.encode(X)
        support, counts = rules.packed.supporting(self.instances)
        self._all = _Pool(counts)
        self._of: dict[Hashable, _Pool] = {}
        self._per_rule: list[int] = support.tolist()
        rules.listen(self)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.rules.listen(self)  # a copy follows the copy of its rule set

    def __copy__(self) -> CoverageMap:
        return CoverageMap(self.rules, self.instances)

    def __repr__(self) -> str:
        return (
            f"<CoverageMap: {len(self.instances)} instances, {len(self.rules)} rules,"
            f" {self._all.size} uncovered>"
        )

    # --- changing

    def add(self, rule: Rule, *, force: bool = False) -> None:
        """Add a rule to the rule set, and so to this map; see :meth:`RuleSet.add`."""
        self.rules.add(rule, force=force)

    def remove(self, rule: int | Rule) -> Rule:
        """Remove a rule from the rule set, and so from this map; see :meth:`RuleSet.remove`."""
        return self.rules.remove(rule)

    def replace(self, i: int, rule: Rule, *, force: bool = False) -> Rule:
        """Replace a rule of the rule set, and so of this map; see :meth:`RuleSet.replace`."""
        return self.rules.replace(i, rule, force=force)

    def rule_added(self, index: int, rule: Rule) -> None:
        """Count a rule that was added to the rule set (the set calls this)."""
        self._per_rule.insert(index, self._change(rule, +1))

    def rule_removed(self, index: int, rule: Rule) -> None:
        """Stop counting a rule that was removed from the rule set (the set calls this)."""
        del self._per_rule[index]
        self._change(rule, -1)

    def _change(self, rule: Rule, change: int) -> int:
        inside = rule.region.contains(self.instances)
        self._all.update(inside, change)
        for consequent, pool in self._of.items():
            if consequent != rule.then:
                pool.update(inside, change)
        return int(inside.sum())

    # --- asking

    @property
    def counts(self) -> Ints:
        """How many rules cover each instance."""
        return self._all.counts.copy()

    @property
    def support(self) -> Ints:
        """How many instances each rule covers."""
        return np.array(self._per_rule, dtype=np.int64)

    @property
    def uncovered(self) -> Ints:
        """The instances that no rule covers, in ascending order."""
        return self.free()

    def free(self, consequent: Hashable | None = None) -> Ints:
        """Return the instances that no rival of a consequent covers (None: no rule at all)."""
        return np.sort(self._pool(consequent).ids())

    def rules_of(self, instance: int) -> npt.NDArray[np.intp]:
        """Return the places of the rules that cover an instance."""
        if not 0 <= instance < len(self.instances):
            raise DataError(
                f"there is no instance {instance}, they are 0 to {len(self.instances) - 1}"
            )
        return np.flatnonzero(self.rules.covering(self.instances.take([instance]))[0])

    def pick(self, random_state: RandomState = None, consequent: Hashable | None = None) -> int:
        """Return a random instance that no rule (no rival of the consequent) covers, in O(1).

        The first pick for a consequent costs one pass over the instances per rule.
        """
        pool = self._pool(consequent)
        if not pool.size:
            rival = "rule" if consequent is None else f"rival of {consequent!r}"
            raise DataError(f"every instance is covered by a {rival}: there is none to pick")
        return int(pool.members[as_generator(random_state).integers(pool.size)])

    def _pool(self, consequent: Hashable | None) -> _Pool:
        if consequent is None:
            return self._all
        consequent = as_consequent(consequent)
        if consequent not in self._of:
            rivals = self.rules.packed.take(np.flatnonzero(self.rules.rival_mask(consequent)))
            self._of[consequent] = _Pool(rivals.supporting(self.instances)[1])
        return self._of[consequent]


class _Pool:
    """How many rules cover each instance, and those that none covers, ready to be picked."""

    def __init__(self, counts: Ints) -> None:
        free = np.flatnonzero(counts == 0)
        members = np.zeros(len(counts), dtype=np.int64)
        place = np.full(len(counts), -1, dtype=np.int64)
        self.counts, self.members, self.size = counts, members, len(free)
        members[: self.size], place[free] = free, np.arange(self.size)
        self._struct = structs.Pool(counts, members, place)

    def update(self, inside: Bools, change: int) -> None:
        self.size = cover.update_pool(inside, change, self._struct, self.size)

    def ids(self) -> Ints:
        return self.members[: self.size]
