"""Heads, slowly: what rules decide about each label at each cell of a grid."""

from __future__ import annotations

from itertools import combinations

import naive
from irenic.model import Head


def labels(rules, *more):
    """Return all labels that consequents mention."""
    thens = [rule.then for rule in rules] + [then for then in more if then is not None]
    return sorted({label for then in thens for label in then})


def decision(then, label):
    """Return True, False or None: present, absent or open."""
    if isinstance(then, Head):
        return then.get(label)
    return label in then


def clash(a, b, names):
    """Return whether two consequents decide a label differently."""
    return any({decision(a, name), decision(b, name)} == {True, False} for name in names)


def conflicts(rules):
    """Return the pairs of rules that decide a label of a cell differently."""
    rules = list(rules)
    if not rules:
        return []
    names = labels(rules)
    axes = naive.grid(rules[0].region.space, [rule.region for rule in rules])
    covered = [naive.cells(rule.region, axes) for rule in rules]
    return [
        (i, j)
        for i, j in combinations(range(len(rules)), 2)
        if covered[i] & covered[j] and clash(rules[i].then, rules[j].then, names)
    ]


def overlaps(rules):
    """Return the pairs of rules that share a cell and decide no label differently."""
    rules = list(rules)
    if not rules:
        return []
    axes = naive.grid(rules[0].region.space, [rule.region for rule in rules])
    covered = [naive.cells(rule.region, axes) for rule in rules]
    against = set(conflicts(rules))
    pairs = combinations(range(len(rules)), 2)
    return [(i, j) for i, j in pairs if covered[i] & covered[j] and (i, j) not in against]


def predict(rules, cell, resolve="first", default=None):
    """Return the set of labels at a cell, decided label by label; the default without rules."""
    rules = list(rules)
    indices = naive.covering(rules, cell)
    if not indices:
        return default
    present = set()
    for name in labels(rules, default):
        decisions = [(i, decision(rules[i].then, name)) for i in indices]
        decisions = [(i, value) for i, value in decisions if value is not None]
        if not decisions:
            value = default is not None and name in default
        elif resolve == "best":
            value = max(decisions, key=lambda pair: (rules[pair[0]].weight, -pair[0]))[1]
        elif resolve == "vote":
            votes: dict[bool, float] = {}
            for i, one in decisions:
                votes[one] = votes.get(one, 0.0) + rules[i].weight
            value = max(votes, key=lambda one: votes[one])  # ties: a dict keeps the order
        else:
            value = decisions[0][1]
        if value:
            present.add(name)
    return frozenset(present)
