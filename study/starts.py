"""First populations: rule sets grown around rows, with and without the paper's algorithms.

All populations draw rules in the same way: a row that no rule covers yet, whose label the rule
predicts, and random conditions that the row satisfies. They differ in the region to which the rule
is then cut: the one that CFSBE grows around the row, a random one that CFSGS finds, or none. Rules
are drawn over cells, like evolution; a cell is an integer or a category.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from irenic import Budget, Categorical, Continuous, Region, Rule, RuleSet, Space, enlarge, search
from irenic.kernels.evolve import CellRows
from irenic.learn.evolution import Candidate
from irenic.model.space import Instances

Start = Literal["CFSBE", "CFSGS", "drawn"]
# Regions of CFSGS to try before a draw is abandoned: most contain no row.
NODES = 2_000
DRAWS_A_RULE = 3


class CellSpace:
    """The space of cells, in which rows are points and words are conditions."""

    def __init__(self, rows: CellRows) -> None:
        self.rows = rows
        self.ordered = [bool(ordered) for ordered in rows.ordered]
        self.space = Space(
            Continuous(f"f{f}", kind="integer", bounds=(0, int(n) - 1))
            if ordered
            else Categorical(f"f{f}", range(int(n)))
            for f, (ordered, n) in enumerate(zip(self.ordered, rows.n_cells, strict=True))
        )
        cells, ordered = rows.cells, np.array(self.ordered, dtype=bool)
        first = len(self._bits_before)
        self.instances = Instances(
            self.space,
            cells[ordered].astype(np.float64),
            cells[~ordered].astype(np.int32) + first,
        )

    # the first bits of a category are for missing and any other value
    _bits_before = ("missing", "other")

    def region(self, words: dict[int, int]) -> Region:
        """Return the region of conditions that are given as words."""
        conditions = {}
        for f, word in words.items():
            cells = [cell for cell in range(64) if word >> cell & 1]
            conditions[f"f{f}"] = (cells[0], cells[-1] + 1) if self.ordered[f] else {"in": cells}
        return Region(self.space, conditions)

    def words(self, region: Region) -> list[int]:
        """Return the words of a region, one per feature."""
        words = []
        for f, ordered in enumerate(self.ordered):
            if ordered:
                low, high = region.interval(f"f{f}")[:2]
                n = int(self.rows.n_cells[f])
                first, end = int(max(low, 0)), int(min(high, n))
                words.append((1 << end) - (1 << first))
            else:
                words.append(region.bits(f"f{f}") >> len(self._bits_before))
        return words

    def candidate(self, rules: RuleSet, default: int) -> Candidate:
        """Return rules in the format of evolution."""
        masks = np.array([self.words(rule.region) for rule in rules], dtype=np.uint64)
        then = np.array([rule.then for rule in rules], dtype=np.int16)
        return Candidate(masks.reshape(len(then), len(self.ordered)), then, default)


def population(
    rows: CellRows, size: int, n_rules: int, start: Start, default: int, random_state: int
) -> list[Candidate]:
    """Return rule sets of at most ``n_rules`` rules each."""
    cells = CellSpace(rows)
    rng = np.random.default_rng(random_state)
    return [cells.candidate(_drawn_rules(cells, n_rules, start, rng), default) for _ in range(size)]


def _drawn_rules(cells: CellSpace, n_rules: int, start: Start, rng: np.random.Generator) -> RuleSet:
    rules = RuleSet(space=cells.space)
    uncovered = np.ones(len(cells.instances), dtype=bool)
    for _ in range(DRAWS_A_RULE * n_rules):
        if len(rules) == n_rules or not uncovered.any():
            break
        row = int(rng.choice(np.flatnonzero(uncovered)))
        then = int(cells.rows.best[row])
        free: Region | None = None
        if start == "CFSBE":
            seed = cells.instances.take([row])
            free = enlarge(rules, seed, consequent=then, order="random", random_state=rng)
        elif start == "CFSGS":
            same = np.flatnonzero(uncovered & (cells.rows.best == then))
            free = _random_region(cells, rules, same, then, rng)
            if free is None:
                continue
            row = int(rng.choice(same[free.contains(cells.instances.take(same))]))
        region = cells.region(_conditions_around(cells.rows, row, rng))
        if free is not None:
            region &= free
        rules.add(Rule(region, then=then), force=start == "drawn")
        uncovered &= ~region.contains(cells.instances)
    return rules


def _random_region(
    cells: CellSpace, rules: RuleSet, same: np.ndarray, then: int, rng: np.random.Generator
) -> Region | None:
    """Return the first region of a random search that contains a row with the label."""
    regions = search(
        rules,
        consequent=then,
        order="random",
        random_state=rng,
        X=cells.instances.take(same),
        min_instances=1,
        budget=Budget(nodes=NODES),
    )
    return next(iter(regions), None)


def _conditions_around(rows: CellRows, row: int, rng: np.random.Generator) -> dict[int, int]:
    """Return one to four conditions that a row satisfies, as words, like a mutation."""
    features = rng.permutation(len(rows.n_cells))[: rng.integers(1, 5)]
    words = {}
    for f in features.tolist():
        cell, n = int(rows.cells[f, row]), int(rows.n_cells[f])
        if rows.ordered[f]:
            low, high = int(rng.integers(0, cell + 1)), int(rng.integers(cell + 1, n + 1))
            side = rng.random()
            low = 0 if side < 0.4 else low
            high = n if 0.4 <= side < 0.8 else high
            word = (1 << high) - (1 << low)
        else:
            word = 1 << cell
            if rng.random() >= 0.6:
                word |= int(rng.integers(0, 1 << n, dtype=np.uint64)) if n < 64 else 0
        if word != (1 << n) - 1:
            words[f] = word
    return words
