"""From labelled cells to a front of rule sets: validation runs and islands, each one task.

Tasks are independent of each other, so joblib may run them anywhere, and what comes out is the same
wherever they ran. A validation task leaves rows out and measures each penalty on them; an island
evolves on all rows.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from irenic.kernels.evolution import Rows
from irenic.learn._cells import Cells
from irenic.learn._evolution import Candidate, Settings, Watch, evolve, predict
from irenic.learn._trees import Forest, Ladder
from irenic.learn.target import Consequents, Target

Floats = npt.NDArray[np.float64]
Bytes = npt.NDArray[np.uint8]
Places = npt.NDArray[np.intp]

# Where labels are noisy, half of what counts is the row's own label, half what a forest says of
# it: of 0, 0.35, 0.5, 0.65 and 0.8 among the best on twelve small sets, a point above 0 with a
# third fewer rules.
SOFT: Final = 0.5
# How often three of four cases occur where cases recur, and more cases than people repeat exactly.
_SEVERAL_TIMES: Final = 3
_MANY_CASES: Final = 16
# Parts that a row may be divided into: enough for folds and bags.
_MOST_PARTS: Final = 20
# The share of mistakes of a forest from which on labels count as noise.
_NOISY: Final = 0.1
_LEAST_OF_LABEL: Final = 100


@dataclass(frozen=True, eq=False)
class Problem:
    """Labelled rows as cells: distinct ones, with their weights."""

    cells: Cells
    encoded: Bytes
    target: Target
    weight: Floats
    """How much each row counts."""
    count: Floats
    """How many rows each row stands for; see :func:`row_counts`."""
    divided: bool = False
    """Whether rows of the same cells may be left out one by one."""

    def __len__(self) -> int:
        return len(self.weight)

    def take(self, rows: Places) -> Problem:
        """Return the problem of some of the rows."""
        encoded = np.ascontiguousarray(self.encoded[:, rows])
        return replace(
            self,
            encoded=encoded,
            target=self.target.take(rows),
            weight=self.weight[rows],
            count=self.count[rows],
        )

    def in_order(self) -> Problem:
        """Return the problem with equal rows as one row of their weight, in an order of its own.

        What follows then depends neither on the order of rows nor on whether a row is repeated or
        has a weight of 2. Rows of the same cells are then left out of learning together, so that
        none is validated on its own copy; but where cases recur, one by one.
        """
        labels = np.packbits(self.target.truth > 0, axis=1)
        keys = _keys(np.concatenate([self.encoded.T, labels], axis=1))
        _, first, place = np.unique(keys, return_index=True, return_inverse=True)
        place = place.ravel()
        weight, count = _sums(place, self.weight), _sums(place, self.count)
        merged = replace(self.take(first), weight=weight, count=count)
        # many cases that all occur ten times are rows of weight 10, or a table given ten times
        times = count.astype(np.intp)
        if merged.n_groups > _MANY_CASES:
            times //= np.gcd.reduce(times)
        cases = np.bincount(merged.groups, weights=times)
        recur = np.quantile(cases, 0.25) >= _SEVERAL_TIMES
        return merged._divided(times) if recur else merged

    def _divided(self, times: Places) -> Problem:
        """Return each row as equal parts, as many as the times that it occurs, up to a limit.

        Where most cases recur, new rows will be of the same cases, and a case that was left out
        whole would tell nothing about them.
        """
        n_parts = np.minimum(times, _MOST_PARTS)
        rows = np.repeat(np.arange(len(self)), n_parts)
        weight, count = (self.weight / n_parts)[rows], (self.count / n_parts)[rows]
        return replace(self.take(rows), weight=weight, count=count, divided=True)

    @cached_property
    def groups(self) -> Places:
        """The group of each row: rows of one group are left out together."""
        if self.divided:
            return np.arange(len(self))
        return np.unique(_keys(self.encoded.T), return_inverse=True)[1].ravel()

    @property
    def n_groups(self) -> int:
        """How many groups there are."""
        return int(self.groups.max(initial=-1)) + 1

    def sampled(self, most: int, random_state: int) -> Problem:
        """Return at most so many of the rows, and of every label enough to learn it."""
        if len(self) <= most:
            return self
        rng = np.random.default_rng(random_state)
        order = rng.permutation(len(self))
        if self.target.many:
            return self.take(np.sort(order[:most]))
        codes = self.target.truth.argmax(axis=1)
        chosen = []
        weight = self.weight.copy()
        for code in np.unique(codes):
            rows = order[codes[order] == code]
            fair = most * len(rows) / len(self)
            kept = rows[: max(_LEAST_OF_LABEL, round(fair))]
            # rows of a rare label stand for as few as they are
            weight[kept] *= min(1.0, fair / len(kept)) if len(kept) else 1.0
            chosen.append(kept)
        return replace(self, weight=weight).take(np.sort(np.concatenate(chosen)))


@dataclass(frozen=True, eq=False)
class Prepared:
    """All that evolution starts from."""

    consequents: Consequents
    rows: Rows
    starts: list[Candidate]


def prepare(
    problem: Problem,
    most_rules: int,
    init: str,
    soft: float,
    random_state: int,
    *,
    abstains: bool = False,
) -> Prepared:
    """Return what evolution starts from: smoothed gains, trees' leaves, consequents."""
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    target = problem.target
    ladder = Ladder.of(problem.cells, problem.encoded, target.truth, problem.weight)
    table = ladder.table(problem.encoded)
    mixed, forest = target.truth, None
    if soft > 0 and len(problem) > 1:
        forest = Forest(
            table,
            target.truth,
            problem.weight,
            problem.groups,
            single=not target.many,
            random_state=random_state,
        )
        share = soft * noise(target.truth, forest.unseen, problem.weight)
        mixed = (1.0 - share) * target.truth + share * forest.unseen
    sizes = [most for most in (4, 8, 16, 32, 64, 128, 256, 512, 1024) if most <= most_rules]
    sizes = sizes or [max(2, most_rules)]
    grown: list[tuple[Any, Any, Floats]] = []
    if init == "trees" or target.many:
        for size in sizes:
            if target.many:
                tree: Any = DecisionTreeRegressor(max_leaf_nodes=size, random_state=random_state)
                tree.fit(table, mixed * np.sqrt(target.label_weights), problem.weight)
            else:
                tree = DecisionTreeClassifier(max_leaf_nodes=size, random_state=random_state)
                tree.fit(table, target.truth.argmax(axis=1), problem.weight)
            masks, nodes = ladder.leaves(tree)
            grown.append((masks, nodes, _leaf_means(tree, table, nodes, mixed, problem.weight)))
    regions = [mean for *_, means in grown for mean in means]
    consequents = Consequents.of(target, problem.weight, regions, abstains=abstains)
    gains = consequents.gains(mixed) * problem.weight[:, None]
    rows = _distinct_rows(problem, gains, _shares(forest, table))
    default = len(gains[0]) - 1 if abstains else int(gains.sum(axis=0).argmax())
    nothing = np.zeros((0, table.shape[1]), dtype=np.uint64)
    starts = [Candidate(nothing, np.zeros(0, dtype=np.int16), default)]
    if init == "trees":
        for masks, _, means in grown:
            then = consequents.gains(means).argmax(axis=1).astype(np.int16)
            starts.append(Candidate(masks, then, default))
    return Prepared(consequents, rows, starts)


def _distinct_rows(problem: Problem, gains: Floats, shares: Floats) -> Rows:
    """Return the rows for evolution, those of the same cells as one that is worth their sum."""
    _, first, group = np.unique(_keys(problem.encoded.T), return_index=True, return_inverse=True)
    sums = np.zeros((len(first), gains.shape[1]))
    np.add.at(sums, group.ravel(), gains)
    cells = np.ascontiguousarray(problem.encoded[:, first])
    return problem.cells.rows(cells, sums.astype(np.float32), shares)


def _shares(forest: Forest | None, table: npt.NDArray[np.float32]) -> Floats:
    """Return how often each feature is tried: half evenly, half as a forest finds them to tell."""
    even = np.full(table.shape[1], 1.0 / table.shape[1])
    if forest is None or not forest.importance.sum() > 0:
        return even
    return np.asarray((even + forest.importance / forest.importance.sum()) / 2.0)


def noise(truth: Floats, said: Floats, weight: Floats) -> float:
    """Return how noisy labels look, from 0 to 1: by how often a forest is wrong about rows.

    Where it is hardly ever wrong, a row that it is wrong about is an exception to be learned.
    """
    if (truth.sum(axis=1) == 1.0).all():
        wrong = truth.argmax(axis=1) != said.argmax(axis=1)
        return min(1.0, float(np.average(wrong, weights=weight)) / _NOISY)
    return 1.0


def _leaf_means(
    tree: Any, table: npt.NDArray[np.float32], nodes: Places, mixed: Floats, weight: Floats
) -> Floats:
    """Return the mean of the labels in each leaf."""
    leaf = np.searchsorted(np.sort(nodes), tree.apply(table))
    total = np.bincount(leaf, weights=weight, minlength=len(nodes))
    sums = np.stack(
        [np.bincount(leaf, weights=weight * column, minlength=len(nodes)) for column in mixed.T],
        axis=1,
    )
    means = sums / np.maximum(total, 1e-300)[:, None]
    return np.asarray(means[np.argsort(np.argsort(nodes))])


@dataclass(frozen=True)
class Plan:
    """How a front is searched for."""

    settings: Settings
    init: str
    soft: float
    islands: int
    folds: int
    random_state: int

    def prepare(self, problem: Problem, random_state: int) -> Prepared:
        """Return what evolution starts from."""
        return prepare(
            problem,
            self.settings.most_rules,
            self.init,
            self.soft,
            random_state,
            abstains=self.settings.fixed_default,
        )


@dataclass(frozen=True, eq=False)
class Outcome:
    """What one task found: a candidate a member, and at the end the one without rules.

    ``validated`` is what they are worth on rows left out.
    """

    name: tuple[str, int]
    candidates: list[Candidate]
    validated: Floats | None = None
    weight: float = 0.0
    """The weight of the rows left out."""
    consequents: Consequents | None = None
    seconds: float = 0.0


def validate(
    problem: Problem, plan: Plan, fold: int, out: Places, watch: Watch | None = None
) -> Outcome:
    """Evolve without the rows ``out``, and measure what each penalty's rule set is worth there."""
    begun = time.perf_counter()
    name = ("fold", fold)
    if watch is not None and watch.stopped.is_set():
        return Outcome(name, [])
    kept = np.setdiff1d(np.arange(len(problem)), out)
    inner = problem.take(kept)
    share = float(inner.weight.sum() / problem.weight.sum())
    members = tuple((penalty * share, most) for penalty, most in plan.settings.members)
    settings = replace(plan.settings, members=members)
    seed = plan.random_state + 101 * (fold + 1)
    prepared = plan.prepare(inner, seed)
    candidates = evolve(prepared.rows, prepared.starts, settings, seed, watch, name)
    candidates.append(prepared.starts[0])
    left = problem.take(out)
    gains = prepared.consequents.gains(left.target.truth)
    row = np.arange(len(left))
    said = [predict(candidate, left.encoded, settings.conflicts) for candidate in candidates]
    worth = [
        prepared.consequents.as_share(float(np.average(gains[row, s], weights=left.weight)))
        for s in said
    ]
    return Outcome(
        name,
        candidates,
        np.array(worth),
        float(left.weight.sum()),
        seconds=time.perf_counter() - begun,
    )


def island(prepared: Prepared, plan: Plan, number: int, watch: Watch | None = None) -> Outcome:
    """Evolve on all rows."""
    begun = time.perf_counter()
    seed = plan.random_state + 7919 * (number + 1)
    name = ("island", number)
    found = evolve(prepared.rows, prepared.starts, plan.settings, seed, watch, name)
    found.append(prepared.starts[0])
    return Outcome(
        name, found, consequents=prepared.consequents, seconds=time.perf_counter() - begun
    )


def _keys(table: Bytes) -> npt.NDArray[np.void]:
    """Return one value a row that compares as the row does."""
    table = np.ascontiguousarray(table)
    return table.view(np.dtype((np.void, table.shape[1]))).ravel()


def _sums(places: Places, values: Floats) -> Floats:
    """Return the sum of the values at each place, the same in whatever order they are given."""
    order = np.lexsort((values, places))
    return np.asarray(np.bincount(places[order], weights=values[order]), dtype=float)


def folds_of(problem: Problem, n_folds: int, random_state: int) -> Iterator[Places]:
    """Yield the rows that each validation task leaves out, labels spread evenly over them.

    One fold is a held-out quarter.
    """
    rng = np.random.default_rng(random_state)
    groups, weight = problem.groups, problem.weight
    by_group = np.lexsort((-weight, groups))
    heaviest = by_group[np.unique(groups[by_group], return_index=True)[1]]
    labels = problem.target.truth[heaviest].T > 0
    # groups of one label (or of one set of labels) next to each other, the heaviest first, so that
    # folds weigh about the same; at random among equals
    order = np.lexsort([rng.random(len(heaviest)), -np.bincount(groups, weights=weight), *labels])
    parts = 4 if n_folds == 1 else n_folds
    # the first place of each four is that of the heaviest
    begin = 1 if n_folds == 1 and len(order) > 1 else 0
    for fold in range(begin, begin + n_folds):
        yield np.flatnonzero(np.isin(groups, order[fold::parts]))
