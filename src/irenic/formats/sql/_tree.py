"""Many rules as nested CASE expressions: a tree that cuts the space, with few rules in each leaf.

A CASE with one branch per rule is evaluated from its first branch on, or by some databases whole.
In a tree, a row meets about as many tests as the logarithm of the number of rules.

The tree is built like the index of :class:`irenic.model.decider.Decider`, but from the conditions
as SQL evaluates them: what NULL satisfies does not depend on whether the feature can be missing.
Rules on both sides of a cut go to both sides, which is limited, so that the text stays
proportional to the number of rules.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from irenic.arrays import Bools, Ints
from irenic.formats._branches import Branches
from irenic.model.condition import (
    LOWER_FREE,
    Interval,
    Operators,
    codes_of,
    interval_operators,
    terms_of,
)
from irenic.model.features import FIRST_CODE, LOWEST, MISSING_CODE, OTHER_CODE, Categorical, Feature
from irenic.model.region import Region

# Leaves together have at most this many rules per rule.
_COPIES: Final = 2
# A list of this many rules is not cut any further.
_LEAF: Final = 4
# Cuts are chosen by this many rules of a node.
_SAMPLE: Final = 128
_LOWER: Final = frozenset({">", ">=", "="})
_UPPER: Final = frozenset({"<", "<=", "="})


class Leaf(NamedTuple):
    """Branches of which the first that holds decides; their places, and what is left to test."""

    tests: list[tuple[int, dict[str, Operators]]]


class Split(NamedTuple):
    """A node: rows for which a condition holds go to one tree, the others to another one."""

    feature: str
    operators: Operators
    holds: Split | Leaf
    fails: Split | Leaf


def cutting_tree(branches: Branches, order: Sequence[int], depth: int) -> Split | Leaf:
    """Return a tree of some branches, given in the order in which they are tried.

    ``depth`` is the most cuts on the way to a leaf.
    """
    builder = _Trees(order, *axes_of(branches, order))
    tree: Split | Leaf = builder.grow(np.arange(len(order)), float(_COPIES * len(order)), depth)
    return tree


def axes_of(
    branches: Branches, order: Sequence[int]
) -> tuple[list[dict[str, Operators]], list[FeatureParts]]:
    """Return the conditions of some branches, and the features that they test."""
    regions = [branches.rules[place].region for place in order]
    conditions = [region.conditions() for region in regions]
    axes = []
    for feature in branches.space:
        tested = [listed.get(feature.name) for listed in conditions]
        if feature.name not in branches.compared and any(tested):
            axes.append(_axis(feature, tested, regions))
    return conditions, axes


def n_tests(tree: Split | Leaf) -> int:
    """Return how many rules the leaves of a tree test."""
    if isinstance(tree, Leaf):
        return len(tree.tests)
    return n_tests(tree.holds) + n_tests(tree.fails)


# --- the conditions on one feature


class FeatureParts(NamedTuple):
    """Which parts of the values of a feature each rule includes.

    Parts are the intervals between bounds, or the values of a category. The first is missing.
    """

    feature: Feature
    starts: Sequence[float]
    """Where each part of a continuous feature begins."""
    first: Ints
    """The first part that each rule includes."""
    last: Ints
    """The part after the last one."""
    members: Bools | None
    """For a category, which parts each rule includes: ``[rule, part]``."""

    @property
    def n_parts(self) -> int:
        return len(self.starts) if self.members is None else self.members.shape[1]

    def extents(self, rules: Ints, low: int, high: int) -> tuple[Ints, Ints]:
        """Return the first and the last part of rules in a range, which they must meet."""
        if self.members is None:
            return np.maximum(self.first[rules], low), np.minimum(self.last[rules], high)
        inside = self.members[rules, low:high]
        return low + inside.argmax(axis=1), high - inside[:, ::-1].argmax(axis=1)

    def meet(self, rules: Ints, low: int, high: int) -> Bools:
        """Return which rules include a part of a range."""
        if self.members is None:
            return (self.first[rules] < high) & (self.last[rules] > low)
        return np.asarray(self.members[rules, low:high].any(axis=1))

    def include(self, rules: Ints, low: int, high: int) -> Bools:
        """Return which rules include all parts of a range."""
        if self.members is None:
            return (self.first[rules] <= low) & (self.last[rules] >= high)
        return np.asarray(self.members[rules, low:high].all(axis=1))

    def from_part(self, part: int, high: int) -> Operators:
        """Return the condition that tests for the parts from one on, up to ``high``."""
        if isinstance(self.feature, Categorical):
            if part == OTHER_CODE:
                return {"missing": False}
            return {"in": terms_of(self.feature, (1 << high) - (1 << part))}
        return interval_operators(self.feature, Interval(self.starts[part], math.inf, LOWER_FREE))

    def rest(self, rule: int, operators: Operators, low: int, high: int) -> Operators:
        """Return what is left to test of a condition for values in a range of parts."""
        if isinstance(self.feature, Categorical):
            if self.feature.prefixes:
                return operators
            codes = self.feature.codes
            inside = [v for v in operators.get("in", ()) if low <= codes[v] < high]
            return operators | {"in": inside} if inside else operators
        below = self.first[rule] > low  # values below the rule are in the range
        above = self.last[rule] < high
        if "=" in operators or (below and _LOWER.isdisjoint(operators)):
            return operators
        return {
            operator: value
            for operator, value in operators.items()
            if (operator == "missing" and low == 0)
            or (operator in (">", ">=") and below)
            or (operator in ("<", "<=") and above)
        }


def _axis(
    feature: Feature, conditions: Sequence[Operators | None], regions: Sequence[Region]
) -> FeatureParts:
    if isinstance(feature, Categorical):
        members = np.array([_members(feature, tested) for tested in conditions])
        first = members.argmax(axis=1)
        return FeatureParts(
            feature, (), first, members.shape[1] - members[:, ::-1].argmax(axis=1), members
        )
    bounds = [_interval(feature, *pair) for pair in zip(conditions, regions, strict=True)]
    lower, upper = np.array(bounds).T
    inner = np.unique(np.concatenate([lower, upper]))
    starts = np.concatenate([[-math.inf, LOWEST], inner[(inner > LOWEST) & (inner < math.inf)]])
    first = np.searchsorted(starts, lower)
    last = np.where(upper == math.inf, len(starts), np.searchsorted(starts, upper))
    return FeatureParts(feature, starts.tolist(), first, last, None)


def _members(feature: Categorical, operators: Operators | None) -> Bools:
    """Return which values satisfy a condition, by code; all of them if it is None."""
    n = len(feature.values) + FIRST_CODE
    if operators is None:
        return np.ones(n, dtype=np.bool_)
    if set(operators) == {"missing"}:
        members = np.full(n, not operators["missing"])
        members[MISSING_CODE] = operators["missing"]
        return members
    negated = "not in" in operators
    members = np.full(n, negated)
    for value in operators["not in" if negated else "in"]:
        for code in codes_of(feature.bits_of(value) or 0):
            members[code] = not negated
    members[MISSING_CODE] = operators.get("missing", negated)
    return members


def _interval(feature: Feature, operators: Operators | None, region: Region) -> tuple[float, float]:
    """Return the interval of a condition, in which NULL is -inf even if it cannot be missing."""
    if operators is None:
        return -math.inf, math.inf
    lower, upper, _ = region.interval(feature.name)
    if _LOWER.isdisjoint(operators):
        lower = -math.inf if operators.get("missing") else LOWEST
    if operators == {"missing": True}:
        return lower, LOWEST
    return lower, upper if _UPPER & operators.keys() else math.inf


# --- the tree


class Builder:
    """Cuts the space; rules are numbered in the order in which they are tried.

    A subclass makes nodes and leaves of some kind.
    """

    def __init__(
        self,
        order: Sequence[int],
        conditions: Sequence[dict[str, Operators]],
        axes: Sequence[FeatureParts],
        smallest: int | None = None,
    ) -> None:
        self._order, self._conditions, self.axes = order, conditions, axes
        self._smallest = _LEAF if smallest is None else smallest
        self.low = [0] * len(axes)
        self.high = [axis.n_parts for axis in axes]
        self._by_name = {axis.feature.name: k for k, axis in enumerate(axes)}
        # rules that compare two columns, on which the space is not cut
        self._uncut = np.array([not listed.keys() <= self._by_name.keys() for listed in conditions])

    def leaf(self, rules: Ints) -> Any:
        """Return the leaf of the current box, in which some rules are tested."""
        raise NotImplementedError

    def cut(self, k: int, part: int, holds: Any, fails: Any) -> Any:
        """Return the node that cuts the current box on an axis: ``holds`` from a part on."""
        raise NotImplementedError

    def grow(self, rules: Ints, share: float, depth: int) -> Any:
        """Return the tree of the current box, in whose leaves there is room for some rules."""
        if len(rules) <= self._smallest or not depth:
            return self.leaf(rules)
        k, part = self._best_cut(rules)
        if k < 0:
            return self.leaf(rules)
        low, high = self.low[k], self.high[k]
        self.high[k] = part
        below = self._kept(rules, k)
        self.low[k], self.high[k] = part, high
        above = self._kept(rules, k)
        self.low[k] = low
        total = len(below) + len(above)
        if max(len(below), len(above)) == len(rules) or total > share:
            return self.leaf(rules)
        self.high[k] = part
        fails = self.grow(below, share * len(below) / total, depth - 1)
        self.low[k], self.high[k] = part, high
        holds = self.grow(above, share * len(above) / total, depth - 1)
        self.low[k] = low
        return self.cut(k, part, holds, fails)

    def _kept(self, rules: Ints, k: int) -> Ints:
        """Return the rules that meet the current box, up to one that covers it."""
        rules = rules[self.axes[k].meet(rules, self.low[k], self.high[k])]
        covers = self._covering(rules)
        return rules[: covers.argmax() + 1] if covers.any() else rules

    def _covering(self, rules: Ints) -> Bools:
        covers = ~self._uncut[rules]
        for axis, low, high in zip(self.axes, self.low, self.high, strict=True):
            covers &= axis.include(rules, low, high)
        return covers

    def _best_cut(self, rules: Ints) -> tuple[int, int]:
        """Return the axis and the part of the cut that leaves the least work; -1 for none.

        The work of m rules is taken as m * log(m), which is greater for rules that go to both
        sides and for sides of different sizes.
        """
        sample = rules[:: max(1, len(rules) // _SAMPLE)]
        size = len(sample)
        least, best = math.inf, (-1, 0)
        for k, (axis, low, high) in enumerate(zip(self.axes, self.low, self.high, strict=True)):
            if high - low < 2:
                continue
            first, last = axis.extents(sample, low, high)
            first.sort()
            last.sort()
            parts = np.unique(np.concatenate([first, last]))
            parts = parts[(parts > low) & (parts < high)]
            left, right = (
                np.searchsorted(first, parts),
                size - np.searchsorted(last, parts, "right"),
            )
            work = left * np.log(left + 1e-9) + right * np.log(right + 1e-9)
            work[(left == size) | (right == size)] = math.inf
            if len(work) and work.min() < least:
                least, best = float(work.min()), (k, int(parts[work.argmin()]))
        return best


class _Trees(Builder):
    """Makes trees of conditions, with the operators that SQL writes."""

    def cut(self, k: int, part: int, holds: Any, fails: Any) -> Split:
        axis = self.axes[k]
        return Split(axis.feature.name, axis.from_part(part, self.high[k]), holds, fails)

    def leaf(self, rules: Ints) -> Leaf:
        return Leaf([(self._order[rule], self._left(rule)) for rule in rules.tolist()])

    def _left(self, rule: int) -> dict[str, Operators]:
        """Return the conditions of a rule that do not hold everywhere in the current box."""
        left = {}
        for name, operators in self._conditions[rule].items():
            k = self._by_name.get(name)
            if k is None:  # it compares two columns
                left[name] = operators
                continue
            axis, low, high = self.axes[k], self.low[k], self.high[k]
            if not axis.include(np.array([rule]), low, high)[0]:
                left[name] = axis.rest(rule, operators, low, high)
        return left
