"""CFSBE compared with Algorithm 2 in plain Python and in numpy."""

from __future__ import annotations

import numpy as np

import irenic
from benchmarks.core import rule_set
from benchmarks.generated import tree_leaves
from benchmarks.harness import Table, seconds
from irenic.kernels import grow, structs


def literal(lower, upper, x, order):
    """Return the box of Algorithm 2, line by line, for bounds ``lower[rule][feature]``.

    The only change: a feature that is not yet enlarged is a closed point. Otherwise the result
    would be wrong and could not be compared.
    """
    d, r = len(x), len(lower)
    low, high, done = list(x), list(x), [False] * d

    def intersects(rule, skip):
        for i in range(d):
            if i == skip:
                continue
            u = high[i] > lower[rule][i] if done[i] else high[i] >= lower[rule][i]
            if not (u and low[i] < upper[rule][i]):
                return False
        return True

    for k in order:
        low[k], high[k] = -np.inf, np.inf
        for rule in range(r):
            if intersects(rule, k):
                if x[k] >= upper[rule][k]:
                    low[k] = max(low[k], upper[rule][k])
                else:
                    high[k] = min(high[k], lower[rule][k])
        done[k] = True
    return low, high


def vectorized(lower, upper, x, order):
    """Return the same box with all rules tested at once per feature: O(d² r) like the paper."""
    low, high = x[:, None].copy(), np.nextafter(x, np.inf)[:, None].copy()
    for k in order:
        meets = (high > lower) & (low < upper)
        meets[k] = True
        meets = meets.all(axis=0)
        low[k] = upper[k][meets & (x[k] >= upper[k])].max(initial=-np.inf)
        high[k] = lower[k][meets & (x[k] < lower[k])].min(initial=np.inf)
    return low[:, 0], high[:, 0]


def counting(lower, upper, x, order):
    """Return the same box by counting disjoint features, O(d r), in numpy."""
    low, high = x.copy(), x.copy()
    outside = (lower > x[:, None]) | (upper <= x[:, None])
    apart = outside.sum(axis=0, dtype=np.int16)
    for k in order:
        stops = (apart == 1) & outside[k]
        low[k] = upper[k][stops & (x[k] >= upper[k])].max(initial=-np.inf)
        high[k] = lower[k][stops & (x[k] < lower[k])].min(initial=np.inf)
        apart -= outside[k] & (lower[k] < high[k]) & (low[k] < upper[k])
    return low, high


def instance(n: int, d: int, seed: int = 3):
    """Return rules (the leaves of a tree without the one at the seed) and a seed."""
    lower, upper = tree_leaves(n + 1, d, seed)
    x = np.random.default_rng(0).random(d)
    covers = ((lower <= x[:, None]) & (x[:, None] < upper)).all(axis=0)
    return rule_set(lower[:, ~covers], upper[:, ~covers]), x


def kernel_call(rules: irenic.RuleSet, x):
    """Return a call of the kernel alone, and its outputs."""
    packed, d = rules.packed, len(x)
    cells, struct = structs.Box(d, 0), packed.struct()
    values, order = x.tobytes(), np.arange(d).tobytes()
    return (
        lambda: grow.enlarge(struct, values, b"", order, -1, cells),
        cells.lower[0],
        cells.upper[0],
    )


def against_peers() -> Table:
    table = Table(
        "enlarge: speedup of the kernel",
        "rules x features",
        "kernel",
        "times Python on arrays",
        "times Python on lists",
        "times numpy, Algorithm 2",
        "times numpy, counting",
        "times one pass over the bounds",
    )
    for n, d in ((20, 5), (100, 10), (1_000, 20), (100_000, 100)):
        rules, x = instance(n, d)
        lower, upper = rules.lower.copy(), rules.upper.copy()
        order = np.arange(d)
        call, low, high = kernel_call(rules, x)
        call()
        ours = seconds(call)
        for peer in (vectorized, counting):
            assert all(map(np.array_equal, peer(lower, upper, x, order), (low, high)))
        rows = np.ascontiguousarray(lower.T), np.ascontiguousarray(upper.T)
        lists = rows[0].tolist(), rows[1].tolist()
        ratios: list[float | str] = ["–", "–"]
        if n <= 1_000:
            assert literal(*lists, x.tolist(), order.tolist()) == (low.tolist(), high.tolist())
            on_arrays = seconds(lambda rows=rows, x=x, o=order: literal(*rows, x, o))
            plain = (*lists, x.tolist(), order.tolist())
            on_lists = seconds(lambda plain=plain: literal(*plain))
            ratios = [on_arrays / ours, on_lists / ours]
        arguments = (lower, upper, x, order)
        table.add(
            f"{n:,} x {d}",
            ours,
            *ratios,
            seconds(lambda a=arguments: vectorized(*a)) / ours,
            seconds(lambda a=arguments: counting(*a)) / ours,
            ours / seconds(lambda lo=lower, up=upper: (lo.min(0), up.min(0))),
        )
    return table


def python_call() -> Table:
    table = Table(
        "enlarge from Python, 100 rules x 10 features",
        "type of seed",
        "call",
        "overhead",
        "regions per second",
    )
    rules, x = instance(100, 10)
    call, *_ = kernel_call(rules, x)
    call()
    kernel = seconds(call)
    point = {name: float(v) for name, v in zip(rules.space.names, x, strict=True)}
    for kind, seed in {
        "Instances": rules.space.encode_point(point),
        "mapping": point,
        "array": x,
    }.items():
        time = seconds(lambda seed=seed: irenic.enlarge(rules, seed))
        table.add(kind, time, time - kernel, int(1 / time))
    many = rules.space.encode(np.repeat(x[None], 5_000, axis=0))
    time = seconds(lambda: irenic.enlarge_many(rules, many)) / 5_000
    table.add("5,000 at once", time, time - kernel, int(1 / time))
    return table


def growth() -> Table:
    table = Table("enlarge: growth", "rules x features", "kernel", "per rule and feature")
    sizes = ((1_000, 20), (10_000, 20), (100_000, 20), (10_000, 10), (10_000, 40), (10_000, 160))
    for n, d in sizes:
        rules, x = instance(n, d)
        call, *_ = kernel_call(rules, x)
        call()
        ours = seconds(call)
        table.add(f"{n:,} x {d}", ours, ours / (n * d))
    return table


def main() -> list[Table]:
    return [against_peers(), python_call(), growth()]
