"""Coverage maps: which rules cover which instances, updated as rules are added and removed."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Final

import numpy as np

from irenic.arrays import Bools, Indices, Ints
from irenic.errors import DataError
from irenic.kernels import cover, follow, structs
from irenic.model.head import contradicts
from irenic.model.literals import counted
from irenic.model.rule import Rule, as_consequent
from irenic.model.ruleset import RuleSet, as_rule_set
from irenic.model.sampling import RandomState, as_generator
from irenic.model.space import Instances


class CoverageMap:
    """A map from instances to the rules that cover them: the associative array of the paper.

    A map follows its rule set: whenever a rule is added, removed or replaced, through either of
    them, the map is updated. For n instances,

    - an update of the map takes O(n) time, whatever the number of rules;
    - :meth:`pick` takes O(1) time, whatever the number of instances and rules;
    - :meth:`rules_of` takes O(k log r) time for an instance that k of r rules cover.

    The first :meth:`rules_of`, and the first :meth:`pick` or :meth:`free` with a consequent, tests
    all rules on all instances, as the constructor does. After the first :meth:`rules_of`, the map
    has a list of rules per instance, and an update also passes over the lists of the instances that
    the rule covers.

    Parameters
    ----------
    rules : RuleSet
        The rules to follow.
    X : table
        The instances.

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
        self.rules = rules = as_rule_set(rules)
        self.instances: Instances = rules.space.encode(X)
        support, counts = rules.packed.supporting(self.instances)
        self._all = _Pool(counts)
        self._of: dict[Hashable, _Pool] = {}
        self._per_rule: list[int] = support.tolist()
        self._lists: _Lists | None = None
        rules.listen(self)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.rules.listen(self)  # so that a copy follows the copy of its rule set

    def __copy__(self) -> CoverageMap:
        return CoverageMap(self.rules, self.instances)

    def __repr__(self) -> str:
        return (
            f"<CoverageMap: {counted(len(self.instances), 'instance')},"
            f" {counted(len(self.rules), 'rule')}, {self._all.size:,} uncovered>"
        )

    # --- changing

    def add(self, rule: Rule, *, force: bool = False) -> None:
        """Add a rule to the rule set, and thus to this map."""
        self.rules.add(rule, force=force)

    def remove(self, rule: int | Rule) -> Rule:
        """Remove a rule from the rule set, and thus from this map."""
        return self.rules.remove(rule)

    def replace(self, i: int, rule: Rule, *, force: bool = False) -> Rule:
        """Replace a rule of the rule set, and thus of this map."""
        return self.rules.replace(i, rule, force=force)

    def rule_added(self, index: int, rule: Rule) -> None:
        """Update the map after a rule was added; called by the rule set."""
        inside = self._change(rule, +1)
        self._per_rule.insert(index, int(inside.sum()))
        if self._lists is not None:
            self._lists.add(index, int(self.rules.ids[index]), inside)

    def rule_removed(self, index: int, rule: Rule) -> None:
        """Update the map after a rule was removed; called by the rule set."""
        del self._per_rule[index]
        inside = self._change(rule, -1)
        if self._lists is not None:
            self._lists.remove(index, inside)

    def _change(self, rule: Rule, change: int) -> Bools:
        inside = rule.region.contains(self.instances)
        self._all.update(inside, change)
        for consequent, pool in self._of.items():
            if contradicts(consequent, rule.then):
                pool.update(inside, change)
        return inside

    # --- queries

    @property
    def counts(self) -> Ints:
        """Number of rules that cover each instance."""
        return self._all.counts.copy()

    @property
    def support(self) -> Ints:
        """Number of instances that each rule covers."""
        return np.array(self._per_rule, dtype=np.int64)

    @property
    def uncovered(self) -> Ints:
        """Indices of the instances that no rule covers, in ascending order."""
        return self.free()

    def free(self, consequent: Hashable | None = None) -> Ints:
        """Return the instances that no rival of a consequent covers, in ascending order.

        Without a consequent, every rule is a rival.
        """
        return np.sort(self._pool(consequent).ids())

    def rules_of(self, instance: int) -> Indices:
        """Return the indices of the rules that cover an instance, in ascending order.

        This looks at these rules only, except for the first call, which tests all rules on all
        instances.
        """
        if not 0 <= instance < len(self.instances):
            raise DataError(
                f"instance must be an index below {len(self.instances)}, got {instance}"
            )
        if self._lists is None:
            self._lists = _Lists(self.rules, self.instances)
        return self.rules.packed.indices(self._lists[instance])

    def pick(self, random_state: RandomState = None, consequent: Hashable | None = None) -> int:
        """Return a random instance that no rival of a consequent covers; an error if there is none.

        Without a consequent, every rule is a rival. This takes constant time, except for the first
        call with a consequent, which takes one pass over the instances per rule.
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


# Rules times instances that are tested at a time: a matrix of all of them may be huge.
_AT_ONCE: Final = 1 << 24


class _Lists:
    """The ids of the rules that cover each instance."""

    def __init__(self, rules: RuleSet, instances: Instances) -> None:
        self._id_of: list[int] = rules.ids.tolist()  # by index, also of a rule just removed
        n = len(instances)
        ids, count = [np.empty(0, dtype=np.int64)], np.zeros(n, dtype=np.int64)
        step = max(1, _AT_ONCE // max(1, len(rules)))
        for start in range(0, n, step):
            covering = rules.packed.covering(instances.take(slice(start, start + step)))
            covered = np.flatnonzero(covering)
            rule, instance = np.divmod(covered, covering.shape[1])
            ids.append(rules.ids[rule[np.argsort(instance, kind="stable")]])
            count[start : start + step] = np.bincount(instance, minlength=covering.shape[1])
        self._end = int(count.sum())
        begin = np.cumsum(count) - count
        self._lists = follow.Lists(np.concatenate(ids), begin, count, count.copy())

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lists = follow.Lists(*(np.require(a, None, "W") for a in self._lists))

    def __getitem__(self, instance: int) -> Ints:
        lists = self._lists
        begin = lists.begin[instance]
        return lists.ids[begin : begin + lists.count[instance]]

    def add(self, index: int, rule_id: int, inside: Bools) -> None:
        self._id_of.insert(index, rule_id)
        end = follow.list_rule(inside, rule_id, self._lists, self._end)
        if end > len(self._lists.ids):
            ids, *rest = self._lists
            more = np.empty(max(len(ids), end - len(ids)), dtype=np.int64)
            self._lists = follow.Lists(np.concatenate([ids, more]), *rest)
            end = follow.list_rule(inside, rule_id, self._lists, self._end)
        self._end = end

    def remove(self, index: int, inside: Bools) -> None:
        follow.unlist_rule(inside, self._id_of.pop(index), self._lists)


class _Pool:
    """The number of rules per instance, and the set of uncovered instances for random picks."""

    def __init__(self, counts: Ints) -> None:
        free = np.flatnonzero(counts == 0)
        members = np.zeros(len(counts), dtype=np.int64)
        place = np.full(len(counts), -1, dtype=np.int64)
        self.counts, self.members, self.size = counts, members, len(free)
        members[: self.size], place[free] = free, np.arange(self.size)
        self._struct = structs.Pool(counts, members, place)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        pool = self._struct
        # joblib maps large arrays of a task to a file that must not be written to
        arrays = [a if a.flags.writeable else a.copy() for a in pool]
        self.counts, self.members, _ = arrays
        self._struct = structs.Pool(*arrays)

    def update(self, inside: Bools, change: int) -> None:
        self.size = cover.update_pool(inside, change, self._struct, self.size)

    def ids(self) -> Ints:
        return self.members[: self.size]
