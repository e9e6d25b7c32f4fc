"""CFSGS, the paper's greedy search (Section III-A): find free regions from negated tests.

A region that a rule does not cover satisfies the negation of one of its tests. One negated test
per rule, all of them satisfiable together, gives a region that no rule covers.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args

import numpy as np

from irenic.boxes import Boxes
from irenic.budget import Budget, Meter, Progress, StoppedBy
from irenic.errors import ConditionError, DataError
from irenic.model.literals import counted
from irenic.model.region import Region, whole_or
from irenic.model.ruleset import RuleSet, as_rule_set, possible_parts
from irenic.model.sampling import RandomState, as_generator
from irenic.model.space import Space
from irenic.searching._paths import Negation, Options, Paths, count_negations, negations

if TYPE_CHECKING:
    import networkx

Order = Literal["lexicographic", "random"]
Result = TypeVar("Result")
_EDGE_LIMIT = 2_000_000


@dataclass(frozen=True)
class Constraint:
    """The negation of one test of a rule: ``C[i, j]`` in the paper, which counts from 1.

    Parameters
    ----------
    rule : int
        Index of the rule.
    index : int
        Index of the test: a continuous feature has two, one per bound, a categorical one has one.
    region : Region
        Where the test fails.

    Examples
    --------
    >>> from irenic import Rule, RuleSet
    >>> from irenic.searching import constraints
    >>> constraints(RuleSet([Rule({"f1": (2, 5)}, then="A")]))[1].region
    f1 >= 5
    """

    rule: int
    index: int
    region: Region

    def __repr__(self) -> str:
        return f"C[{self.rule + 1},{self.index + 1}]: {self.region}"


def constraints(rules: RuleSet, *, consequent: Hashable | None = None) -> list[Constraint]:
    """Return the paper's collection C: the negated tests of the rules.

    Constraints that no case satisfies (below an open side) are left out, but their indices are
    reserved.

    Parameters
    ----------
    rules : RuleSet
        The rules whose tests to negate.
    consequent : hashable, optional
        Ignore rules that agree with this consequent (default: use every rule).

    Returns
    -------
    list of Constraint
        Ordered by rule, then by index.

    Examples
    --------
    >>> from irenic import Rule, RuleSet
    >>> from irenic.searching import constraints
    >>> constraints(RuleSet([Rule({"f1": (2, 5), "f2": {"yellow"}}, then="A")]))
    [C[1,1]: f1 < 2, C[1,2]: f1 >= 5, C[1,3]: f2 not in {yellow}]
    """
    rules = as_rule_set(rules)
    space = rules.space
    rivals = rules.rival_mask(consequent)
    boxes = rules.boxes.take(rivals)
    collection = []
    for row, rule in enumerate(np.flatnonzero(rivals).tolist()):
        for index, negation in negations(boxes, row):
            collection.append(Constraint(rule, index, _where(negation, space)))
    return collection


def _where(negation: Negation, space: Space) -> Region:
    """Return the region in which a test fails."""
    box = negation.cut(Boxes.whole(space))
    if box is None:
        return Region.nothing(space)
    return Region.from_packed(space, box.lower[0], box.upper[0], box.masks[0])


def constraint_graph(
    rules: RuleSet, *, consequent: Hashable | None = None
) -> networkx.DiGraph[Any]:
    """Return the paper's graph of constraints (Algorithm 1).

    Every node of a level is connected to every node of the next one, so the graph is large. It is
    meant for plots and teaching; :func:`search` does not build it.

    Parameters
    ----------
    rules : RuleSet
        The rules, one level each.
    consequent : hashable, optional
        Ignore rules that agree with this consequent (default: use every rule).

    Returns
    -------
    networkx.DiGraph
        Nodes are ``"root"`` and the pairs ``(rule, index)``, with the constraint as attribute.
        ``graph.graph["rules"]`` has the index of the rule of each level. A rule that covers
        everything has no constraints, so no path leads through its level.

    Raises
    ------
    ConditionError
        If networkx is not installed, or the graph would have more than two million edges.

    Examples
    --------
    >>> from irenic import Rule, RuleSet
    >>> from irenic.searching import constraint_graph
    >>> graph = constraint_graph(RuleSet([Rule({"f1": (2, 5)}, then="A"),
    ...                                   Rule({"f1": (6, 9)}, then="B")]))
    >>> sorted(graph.successors("root")), sorted(graph.successors((0, 0)))
    ([(0, 0), (0, 1)], [(1, 0), (1, 1)])
    """
    try:
        import networkx
    except ImportError:
        raise ConditionError(
            "constraint_graph needs networkx: pip install 'irenic[graph]'"
        ) from None
    rules = as_rule_set(rules)
    rivals = rules.rival_mask(consequent)
    counts = count_negations(rules.boxes.take(rivals))
    edges = sum(a * b for a, b in pairwise([1, *counts.tolist()]))
    if edges > _EDGE_LIMIT:
        raise ConditionError(
            f"the graph must have at most {_EDGE_LIMIT:,} edges, got {edges:,} for {len(rules)}"
            " rules; search(rules) finds the same regions without it"
        )
    levels: dict[int, list[Constraint]] = {rule: [] for rule in np.flatnonzero(rivals).tolist()}
    for constraint in constraints(rules, consequent=consequent):
        levels[constraint.rule].append(constraint)
    graph: networkx.DiGraph[Any] = networkx.DiGraph(rules=tuple(levels))
    graph.add_node("root")
    previous: list[Any] = ["root"]
    for level in levels.values():
        nodes = [(c.rule, c.index) for c in level]
        for node, constraint in zip(nodes, level, strict=True):
            graph.add_node(node, constraint=constraint)
        graph.add_edges_from((a, b) for a in previous for b in nodes)
        previous = nodes
    return graph


class Search(Iterator[Result]):
    """An iterator over the results of a search, which also reports how the search ended.

    Parameters
    ----------
    results : iterator of Region or Path
        The regions of :func:`search`, or the paths of :func:`paths`.
    meter : Meter
        Measures the budget.

    Examples
    --------
    >>> from irenic import Rule, RuleSet, search
    >>> regions = search(RuleSet([Rule({"f1": (2, 5)}, then="A")]))
    >>> list(regions), regions.finished
    ([f1 < 2, f1 >= 5], True)
    """

    def __init__(self, results: Iterator[Result], meter: Meter) -> None:
        self._results, self._meter = results, meter
        self._ended = False

    def __iter__(self) -> Search[Result]:
        return self

    def __next__(self) -> Result:
        if self._ended:
            raise StopIteration
        try:
            return next(self._results)
        except StopIteration:
            self._ended = True
            raise
        except KeyboardInterrupt:
            self._meter.stopped_by = "interrupt"
            self._ended = True
            raise StopIteration from None

    @property
    def finished(self) -> bool:
        """Whether all results were found; False while the search is running, or if it stopped."""
        return self._ended and self._meter.stopped_by is None

    @property
    def stopped_by(self) -> StoppedBy | None:
        """The limit that stopped the search; None if it finished or is still running."""
        return self._meter.stopped_by

    @property
    def nodes(self) -> int:
        """Number of search steps so far."""
        return self._meter.nodes

    def __repr__(self) -> str:
        state = "finished" if self.finished else self.stopped_by or "running"
        regions, nodes = counted(self._meter.regions, "region"), counted(self.nodes, "node")
        return f"<Search: {regions}, {nodes}, {state}>"


def search(
    rules: RuleSet,
    *,
    consequent: Hashable | None = None,
    order: Order = "lexicographic",
    random_state: RandomState = None,
    within: Region | None = None,
    maximal: bool = False,
    X: Any = None,
    min_instances: int | None = None,
    budget: Budget | float | None = None,
    progress: Progress | None = None,
) -> Search[Region]:
    """Return an iterator over regions that overlap no rival.

    Regions are found lazily: ``next()`` stops at the first, as the paper does. They may overlap,
    and together they contain everything that is free. Where no case can occur, they may overlap
    rivals.

    A path of the paper has a constraint of every rule. This search skips the rules that a region
    does not overlap anyway, so it yields fewer regions, without superfluous constraints. In
    lexicographic order, the first one contains the paper's first region or is disjoint from it.
    :func:`irenic.searching.paths` is the paper's search.

    Parameters
    ----------
    rules : RuleSet
        The rules to avoid.
    consequent : hashable, optional
        What the new rule will predict; rules that agree with it are not rivals (default: every
        rule is a rival).
    order : {"lexicographic", "random"}, default "lexicographic"
        Order in which constraints are tried. The lexicographic order prefers low values of the
        first features. "random" shuffles the rules, and the constraints of each rule, once per
        search; the result depends on ``random_state`` but not on the order of the rules.
    random_state : int or numpy generator, optional
        Seed of the random number generator for ``order="random"``.
    within : Region, optional
        Search only in this region (default: the whole space).
    maximal : bool, default False
        Yield exactly the regions that cannot be enlarged, each once. There can be exponentially
        many, and the first one may take long. To get a single one, :func:`enlarge` a point of a
        gap.
    X : table, optional
        Instances; requires ``min_instances``.
    min_instances : int, optional
        Yield only regions that contain at least this many of the instances.
    budget : Budget or float (seconds), optional
        Limits of the search (default: unlimited); see ``finished`` and ``stopped_by``.
    progress : callable, optional
        Called with the nodes and regions so far after each region, and regularly during a long
        search for one; returning True stops the search.

    Returns
    -------
    Search
        An iterator over regions.

    Raises
    ------
    ConditionError
        If ``order`` is unknown.
    DataError
        If only one of ``X`` and ``min_instances`` is given, or ``min_instances`` is not a
        non-negative integer.

    Examples
    --------
    >>> from irenic import Rule, RuleSet, search
    >>> rules = RuleSet([Rule({"f1": (2, 5), "f2": (5, 9)}, then="A"),
    ...                  Rule({"f1": (1, 9), "f2": (1, 3)}, then="B")])
    >>> next(search(rules))
    f1 < 1
    >>> regions = search(rules, maximal=True)
    >>> len(list(regions)), regions.finished
    (7, True)
    """
    _check_order(order)
    rules = as_rule_set(rules)
    if (X is None) != (min_instances is None):
        raise DataError("X and min_instances must be given together")
    if min_instances is not None and not _is_count(min_instances):
        raise DataError(f"min_instances must be a non-negative integer, got {min_instances!r}")
    space = rules.space
    box = whole_or(within, space)
    meter = Meter(budget)
    if box.is_empty:
        return Search(iter(()), meter)
    rivals, _ = possible_parts(rules, consequent)
    paths = Paths(
        rivals,
        box.box.simplified(),
        meter,
        Options(
            rng=as_generator(random_state) if order == "random" else None,
            maximal=maximal,
            instances=None if X is None else space.encode(X),
            min_instances=min_instances or 0,
            progress=progress,
        ),
    )
    # a region is of no use if no case can occur in it
    excluded = space.impossible_boxes
    found = (
        region
        for region in paths
        if not len(excluded) or not region.box.simplified().is_covered(excluded)
    )
    return Search(found, meter)


@dataclass(frozen=True)
class Path:
    """A path of the paper: one constraint of each rule, which some case satisfies together.

    Parameters
    ----------
    constraints : tuple of Constraint
        One per rule, in the order of the rules.
    region : Region
        Where all constraints hold; it overlaps none of the rules.

    Examples
    --------
    >>> from irenic import Rule, RuleSet
    >>> from irenic.searching import paths
    >>> path = next(paths(RuleSet([Rule({"f1": (2, 5)}, then="A"),
    ...                            Rule({"f1": (6, 9)}, then="B")])))
    >>> path.constraints
    (C[1,1]: f1 < 2, C[2,1]: f1 < 6)
    >>> path.region
    f1 < 2
    """

    constraints: tuple[Constraint, ...]
    region: Region

    def __repr__(self) -> str:
        nodes = ", ".join(f"C[{c.rule + 1},{c.index + 1}]" for c in self.constraints)
        return f"{{{nodes}}}: {self.region}"


def paths(
    rules: RuleSet,
    *,
    consequent: Hashable | None = None,
    order: Order = "lexicographic",
    random_state: RandomState = None,
    within: Region | None = None,
    budget: Budget | float | None = None,
    progress: Progress | None = None,
) -> Search[Path]:
    """Return an iterator over the paper's paths, with their constraints and regions.

    This is CFSGS to the letter. A path has exactly one constraint of each rival, even of rivals
    that the region does not overlap anyway, so there are many paths, and their regions are often
    smaller than necessary. Use :func:`irenic.search` to find room for a rule. Branches that lead
    nowhere are recognized and left out, which changes no result.

    Parameters
    ----------
    rules : RuleSet
        The rules, one level of the paper's graph each.
    consequent : hashable, optional
        Ignore rules that agree with this consequent (default: use every rule).
    order : {"lexicographic", "random"}, default "lexicographic"
        Order in which constraints are tried. "random" shuffles the constraints of each rule once
        per search, as in the paper. It shuffles the rules, too, so that the result depends on
        ``random_state`` but not on the order of the rules.
    random_state : int or numpy generator, optional
        Seed of the random number generator for ``order="random"``.
    within : Region, optional
        Search only in this region (default: the whole space).
    budget : Budget or float (seconds), optional
        Limits of the search (default: unlimited); see ``finished`` and ``stopped_by``.
    progress : callable, optional
        Called with the nodes and paths so far after each path, and regularly during a long search
        for one; returning True stops the search.

    Returns
    -------
    Search
        An iterator over paths.

    Raises
    ------
    ConditionError
        If ``order`` is unknown.

    Examples
    --------
    >>> from irenic import Rule, RuleSet
    >>> from irenic.searching import paths
    >>> rules = RuleSet([Rule({"f1": (2, 5), "f2": (5, 9)}, then="A"),
    ...                  Rule({"f1": (6.5, 8.5), "f2": (5, 7)}, then="B"),
    ...                  Rule({"f1": (1, 9), "f2": (1, 3)}, then="C")])
    >>> next(paths(rules))
    {C[1,1], C[2,1], C[3,1]}: f1 < 1
    >>> len(list(paths(rules)))
    35
    """
    _check_order(order)
    rules = as_rule_set(rules)
    box = whole_or(within, rules.space)
    meter = Meter(budget)
    if box.is_empty:
        return Search(iter(()), meter)
    rivals = rules.rival_mask(consequent)
    rng = as_generator(random_state) if order == "random" else None
    options = Options(rng=rng, progress=progress)
    search = Paths(rules.boxes.take(rivals), box.box.simplified(), meter, options)
    return Search(_paths(search, np.flatnonzero(rivals).tolist(), rules.space), meter)


def _paths(search: Paths, rules: list[int], space: Space) -> Iterator[Path]:
    """Yield paths with their constraints, each of which is made once."""
    known: dict[tuple[int, int], Constraint] = {}
    for steps, region in search.literal():
        for row, test, negation in steps:
            if (row, test) not in known:
                known[row, test] = Constraint(rules[row], test, _where(negation, space))
        chosen = sorted((step.row, step.test) for step in steps)
        yield Path(tuple(known[node] for node in chosen), region)


def _check_order(order: str) -> None:
    if order not in get_args(Order):
        raise ConditionError(f"order must be {' or '.join(get_args(Order))}, got {order!r}")


def _is_count(value: Any) -> bool:
    is_integer = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return bool(is_integer and value >= 0)
