"""Rules as lines of a decision table, for all writers of tables."""

from __future__ import annotations

from collections.abc import Hashable
from itertools import groupby, pairwise, product
from typing import Any, NamedTuple

from irenic.model.condition import Operators
from irenic.model.decision_table import DecisionTable
from irenic.model.features import Continuous
from irenic.model.rule import Rule


class Line(NamedTuple):
    """A line of a table: per feature, the alternative conditions; {} accepts any value."""

    row: int
    cells: list[list[Operators]]
    then: Hashable
    weight: float
    texts: tuple[str, ...] = ()
    """The cells in FEEL instead, for a row that can never apply."""


def lines_of(table: DecisionTable) -> list[Line]:
    """Return the lines of a table: one per row if a single line can represent all its rules.

    Rows that can never apply are included if their cells are known.
    """
    lines: list[Line] = []
    numbered = zip(table.rows, table.rules, strict=True)
    for row, group in groupby(numbered, key=lambda pair: pair[0]):
        rules = [rule for _, rule in group]
        merged = _merged(rules)
        if merged is not None:
            lines.append(Line(row, merged, rules[0].then, rules[0].weight))
        else:
            lines += [Line(row, _cells(rule), rule.then, rule.weight) for rule in rules]
    in_order = list(table.rows) == sorted(table.rows)
    unsatisfiable = table.provenance.unsatisfiable
    lines += [Line(kept.row, [], kept.then, kept.weight, kept.cells) for kept in unsatisfiable]
    return sorted(lines, key=lambda line: line.row) if in_order else lines


def _cells(rule: Rule) -> list[list[Operators]]:
    conditions = rule.region.conditions()
    return [[conditions.get(name, {})] for name in rule.region.space.names]


def _merged(rules: list[Rule]) -> list[list[Operators]] | None:
    """Return the cells of the line that expands to exactly these rules in order, None if none."""
    if len(rules) == 1:
        return _cells(rules[0])
    if len({(rule.then, rule.weight) for rule in rules}) > 1:
        return None
    space = rules[0].region.space
    keys = [[_key(rule, feature) for feature in space] for rule in rules]
    distinct = [list(dict.fromkeys(column)) for column in zip(*keys, strict=True)]
    for feature, choices in zip(space, distinct, strict=True):
        if isinstance(feature, Continuous):
            # intervals that touch would be read as one
            if any(low[1] >= high[0] for low, high in pairwise(choices)):
                return None
        elif len(choices) > 1:
            return None
    if [tuple(key) for key in keys] != list(product(*distinct)):
        return None
    cells: list[list[Operators]] = []
    conditions = [rule.region.conditions() for rule in rules]
    for place, (feature, choices) in enumerate(zip(space, distinct, strict=True)):
        firsts = [next(i for i, key in enumerate(keys) if key[place] == c) for c in choices]
        cells.append([conditions[i].get(feature.name, {}) for i in firsts])
    return cells


def _key(rule: Rule, feature: Any) -> Any:
    if isinstance(feature, Continuous):
        return rule.region.interval(feature.name)[:2]
    return rule.region.bits(feature.name) & feature.everything


def accepts_of(table: DecisionTable) -> dict[int | None, list[str]]:
    """Return the acceptances of a table by row; None is the whole table."""
    texts: dict[int | None, list[str]] = {}
    for rows, text in table.provenance.accepts:
        for row in rows or (None,):
            texts.setdefault(row, []).append(" ".join(text.split()))
    return texts


def split_thens(table: DecisionTable) -> int:
    """Return the number of output columns needed for the consequents of a table."""
    n = len(table.outputs)
    thens = [*table.rules.thens, *(kept.then for kept in table.provenance.unsatisfiable)]
    if table.rules.default is not None:
        thens.append(table.rules.default)
    spread = n > 1 and thens and all(isinstance(t, tuple) and len(t) == n for t in thens)
    return n if spread else 1
