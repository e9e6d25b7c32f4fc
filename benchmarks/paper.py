"""What the paper's algorithms find, on random rules: figures of docs/explanation/algorithms.md.

``python -m benchmarks.paper`` counts the regions that CFSBE can reach, compares the first region of
``search`` with that of the paper's CFSGS, and both at random. It also counts the regions of the
learner that CFSBE can enlarge, for docs/explanation/learner.md. It takes a minute.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import permutations, product

import numpy as np

import irenic
from benchmarks.harness import Table
from irenic.searching import paths

Sizes = Iterable[tuple[int, int]]
"""Numbers of rules and features."""
# With more cells than this, growing a region from each of them takes too long.
CELLS = 10_000


def disjoint_rules(n: int, d: int, rng: np.random.Generator) -> irenic.RuleSet:
    """Return rules that do not overlap, with two bounds per feature, each with a side below 1/2."""
    space = irenic.Space([irenic.Continuous(f"f{i + 1}") for i in range(d)])
    rules = irenic.RuleSet(space=space)
    while len(rules) < n:
        lower = rng.random(d)
        upper = lower + rng.random(d) / 2
        conditions = dict(zip(space.names, zip(lower, upper, strict=True), strict=True))
        region = irenic.Region(space, conditions)
        if not len(rules.rivals_of(region)):
            rules.add(irenic.Rule(region, then="A"))
    return rules


def open_rules(n: int, d: int, rng: np.random.Generator) -> irenic.RuleSet:
    """Return rules that may overlap, where each bound is present with probability 1/2."""
    space = irenic.Space([irenic.Continuous(f"f{i + 1}") for i in range(d)])
    lower, upper = np.sort(rng.random((2, d, n)), axis=0)
    lower = np.where(rng.random((d, n)) < 0.5, lower, -np.inf)
    upper = np.where(rng.random((d, n)) < 0.5, upper, np.inf)
    return irenic.RuleSet.from_arrays(space, lower=lower, upper=upper, then=["A"] * n)


def grown(rules: irenic.RuleSet, X: np.ndarray) -> set[irenic.Region]:
    """Return the regions that CFSBE grows around any uncovered point of X, in any order."""
    seeds = X[~rules.covering(X).any(axis=1)]
    return {
        region
        for order in permutations(rules.space.names)
        for region in irenic.enlarge_many(rules, seeds, order=order)
    }


def corners(rules: irenic.RuleSet) -> np.ndarray:
    """Return a point of each cell of the grid of all bounds."""
    bounds = np.hstack([rules.lower, rules.upper])
    return np.array(list(product(*([-1.0, *axis] for axis in bounds.tolist()))))


def relevant_regions(sizes: Sizes, repeats: int = 20, instances: int = 1_000) -> Table:
    """Count the maximal free regions that contain an instance, and those that CFSBE finds."""
    table = Table(
        f"maximal free regions, and those with at least one of {instances:,} instances",
        "rules x features",
        "regions with an instance",
        "grown from an instance",
        "share",
        "all regions",
        "grown from any point",
        "share of all",
    )
    for n, d in sizes:
        counts = np.zeros(2, dtype=int)
        everywhere = np.zeros(2, dtype=int)
        for seed in range(repeats):
            rng = np.random.default_rng([n, d, seed])
            rules, X = disjoint_rules(n, d, rng), rng.random((instances, d)) * 1.5
            relevant = set(irenic.search(rules, maximal=True, X=X, min_instances=1))
            found = grown(rules, X)
            assert found <= relevant
            counts += len(relevant), len(found)
            if (2 * n + 1) ** d <= CELLS:
                regions = set(irenic.search(rules, maximal=True))
                reachable = grown(rules, corners(rules))
                assert found <= reachable <= regions
                everywhere += len(regions), len(reachable)
        table.add(f"{n} x {d}", *_shares(counts), *_shares(everywhere))
    return table


def _shares(counts: np.ndarray) -> list[int | str]:
    total, found = counts.tolist()
    return [total, found, f"{found / total:.1%}"] if total else ["–"] * 3


def first_regions(sizes: Sizes, repeats: int = 1_000) -> Table:
    """Compare the first region of ``search`` with the paper's, in lexicographic order."""
    table = Table(
        "the first region of search and of the paper",
        "rules x features",
        "sets with a region",
        "the same",
        "contains the paper's",
        "disjoint from it",
    )
    for n, d in sizes:
        same = larger = disjoint = 0
        for seed in range(repeats):
            rules = open_rules(n, d, np.random.default_rng([n, d, seed]))
            path = next(paths(rules), None)
            if path is None:
                continue
            region = next(irenic.search(rules))
            same += region == path.region
            larger += path.region < region
            disjoint += not region.overlaps(path.region)
        total = same + larger + disjoint
        table.add(f"{n} x {d}", total, *(f"{k / total:.1%}" for k in (same, larger, disjoint)))
    return table


def random_regions(sizes: Sizes, repeats: int = 20, draws: int = 200, points: int = 500) -> Table:
    """Compare how much of the free space a first region covers, in random order."""
    table = Table(
        "how likely the first random region covers a free point",
        "rules x features",
        "paper, mean",
        "search, mean",
        "paper, worst tenth of the points",
        "search, worst tenth of the points",
    )
    for n, d in sizes:
        chances: list[list[np.ndarray]] = [[], []]
        for seed in range(repeats):
            rng = np.random.default_rng([n, d, seed])
            rules = disjoint_rules(n, d, rng)
            X = rng.random((points, d)) * 1.5
            X = X[~rules.covering(X).any(axis=1)]
            how = {"order": "random", "random_state": rng}
            literal = [next(paths(rules, **how)).region for _ in range(draws)]
            ours = [next(irenic.search(rules, **how)) for _ in range(draws)]
            for chance, regions in zip(chances, (literal, ours), strict=True):
                chance.append(np.mean([region.contains(X) for region in regions], axis=0))
        means = [np.mean(np.concatenate(chance)) for chance in chances]
        worst = [np.mean([np.sort(c)[: len(c) // 10].mean() for c in chance]) for chance in chances]
        table.add(f"{n} x {d}", *(f"{value:.1%}" for value in [*means, *worst]))
    return table


def cut_rival_by_rival(
    rules: irenic.RuleSet, seed: np.ndarray, rng: np.random.Generator
) -> irenic.Region:
    """Return the free region around a point that ``grow_free`` of kernels/c/moves.c finds.

    Each rule that overlaps the region cuts it, on a random one of the features that separate the
    rule from the point.
    """
    lower, upper = np.full(len(seed), -np.inf), np.full(len(seed), np.inf)
    for low, high in zip(rules.lower.T[::-1], rules.upper.T[::-1], strict=True):
        if not ((lower < high) & (low < upper)).all():
            continue
        feature = rng.choice(np.flatnonzero((seed < low) | (seed >= high)))
        if seed[feature] < low[feature]:
            upper[feature] = low[feature]
        else:
            lower[feature] = high[feature]
    masks = rules.space.everything.copy()
    return irenic.Region.from_packed(rules.space, lower, upper, masks)


def maximal_cuts(sizes: Sizes, repeats: int = 50, seeds: int = 20) -> Table:
    """Count the regions of a cut rival by rival that CFSBE can enlarge."""
    table = Table(
        "regions cut rival by rival", "rules x features", "regions", "that can be enlarged"
    )
    for n, d in sizes:
        total = larger = 0
        for repeat in range(repeats):
            rng = np.random.default_rng([n, d, repeat])
            rules = open_rules(n, d, rng)
            X = rng.random((seeds, d))
            for seed in X[~rules.covering(X).any(axis=1)]:
                region = cut_rival_by_rival(rules, seed, rng)
                total += 1
                larger += irenic.enlarge(rules, region) != region
        table.add(f"{n} x {d}", total, f"{larger / total:.0%}")
    return table


def main() -> list[Table]:
    return [
        relevant_regions([(5, 2), (10, 2), (20, 2), (5, 3), (10, 3), (15, 3), (5, 4), (10, 4)]),
        first_regions([(5, 2), (5, 4), (5, 12), (10, 12), (20, 12)]),
        random_regions([(3, 2), (5, 3), (10, 4), (20, 4)]),
        maximal_cuts([(5, 6), (10, 6), (20, 6), (5, 12), (10, 12), (20, 12)]),
    ]


if __name__ == "__main__":
    main()
