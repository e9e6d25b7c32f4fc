"""CFSGS, the paper's greedy search (Section III-A): free regions from negated tests.

A region that a rule does not cover satisfies the negation of one of its tests. Choosing one
negated test of every rule, so that all can hold together, gives a region that no rule covers.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from irenic.boxes import Boxes
from irenic.budget import Budget, Meter, Progress, StoppedBy
from irenic.errors import ConditionError, DataError
from irenic.model.region import Region, whole_or
from irenic.model.ruleset import RuleSet, check_rules
from irenic.model.sampling import RandomState, as_generator
from irenic.searching._paths import Options, Paths, count_negations, negations

if TYPE_CHECKING:
    import networkx

Order = Literal["lexicographic", "random"]
_MOST_EDGES = 2_000_000


@dataclass(frozen=True)
class Constraint:
    """The negation of one test of a rule: ``C[i, j]`` in the paper, which counts from 1.

    ``rule`` is the index of the rule, ``index`` that of the negated test: a continuous feature has
    two, one per bound, a categorical feature has one.

    >>> from irenic import Rule, RuleSet
    >>> constraints(RuleSet([Rule({"f1": (2, 5)}, then="A")]))[1].region
    f1 >= 5
    """

    rule: int
    index: int
    region: Region

    def __repr__(self) -> str:
        return f"C[{self.rule + 1},{self.index + 1}]: {self.region}"


def constraints(rules: RuleSet, *, consequent: Hashable | None = None) -> list[Constraint]:
    """Return the paper's collection C: the constraints that the rules' tests give when negated.

    Constraints that nothing satisfies (below an open side) are left out; indices count them.

    Parameters
    ----------
    rules : RuleSet
    consequent : hashable, optional
        Leave out rules with an equal consequent: they may be overlapped.

    Examples
    --------
    >>> from irenic import Rule, RuleSet
    >>> from irenic.searching import constraints
    >>> constraints(RuleSet([Rule({"f1": (2, 5), "f2": {"yellow"}}, then="A")]))
    [C[1,1]: f1 < 2, C[1,2]: f1 >= 5, C[1,3]: f2 not in {yellow}]
    """
    check_rules(rules)
    space = rules.space
    rivals = rules.rival_mask(consequent)
    boxes = rules.boxes.take(rivals)
    found = []
    for row, place in enumerate(np.flatnonzero(rivals)):
        for index, negation in negations(boxes, row):
            box = negation.cut(Boxes.whole(space))
            region = (
                Region.nothing(space)
                if box is None
                else Region.from_packed(space, box.lower[0], box.upper[0], box.masks[0])
            )
            found.append(Constraint(int(place), index, region))
    return found


def constraint_graph(
    rules: RuleSet, *, consequent: Hashable | None = None
) -> networkx.DiGraph[Any]:
    """Return the paper's graph of constraints (Algorithm 1), the root connected to level 1.

    Nodes are ``"root"`` and the pairs ``(rule, index)``, with the constraint as attribute. Each
    level is connected to the next in full, so the graph is for looking at and for teaching:
    :func:`search` does without it. ``graph.graph["rules"]`` has the index of each level's rule; one
    that holds everywhere has no constraint, so no path leads from the root to the last level.

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
    check_rules(rules)
    rivals = rules.rival_mask(consequent)
    counts = count_negations(rules.boxes.take(rivals))
    edges = sum(a * b for a, b in pairwise([1, *counts.tolist()]))
    if edges > _MOST_EDGES:
        raise ConditionError(
            f"the graph of {len(rules)} rules would have {edges:,} edges, more than"
            f" {_MOST_EDGES:,}; search(rules) finds the same regions without it"
        )
    places = np.flatnonzero(rivals).tolist()
    levels: dict[int, list[Constraint]] = {place: [] for place in places}
    for constraint in constraints(rules, consequent=consequent):
        levels[constraint.rule].append(constraint)
    graph: networkx.DiGraph[Any] = networkx.DiGraph(rules=tuple(levels))
    graph.add_node("root")
    previous: list[Any] = ["root"]
    for level in levels.values():
        here = [(c.rule, c.index) for c in level]
        for name, constraint in zip(here, level, strict=True):
            graph.add_node(name, constraint=constraint)
        graph.add_edges_from((a, b) for a in previous for b in here)
        previous = here
    return graph


class Search(Iterator[Region]):
    """The regions of a search, one at a time; how it ended is known when they are used up.

    >>> from irenic import Rule, RuleSet
    >>> found = search(RuleSet([Rule({"f1": (2, 5)}, then="A")]))
    >>> list(found), found.finished
    ([f1 < 2, f1 >= 5], True)
    """

    def __init__(self, paths: Iterator[Region], meter: Meter) -> None:
        self._paths, self._meter = paths, meter
        self._ended = False

    def __iter__(self) -> Search:
        return self

    def __next__(self) -> Region:
        if self._ended:
            raise StopIteration
        try:
            return next(self._paths)
        except StopIteration:
            self._ended = True
            raise
        except KeyboardInterrupt:
            self._meter.stopped_by = "interrupt"
            self._ended = True
            raise StopIteration from None

    @property
    def finished(self) -> bool:
        """Whether all regions have been found: the search ended, and not by its budget."""
        return self._ended and self._meter.stopped_by is None

    @property
    def stopped_by(self) -> StoppedBy | None:
        """What ended the search early, if anything did."""
        return self._meter.stopped_by

    @property
    def nodes(self) -> int:
        """How many boxes have been looked at so far."""
        return self._meter.nodes

    def __repr__(self) -> str:
        state = "finished" if self.finished else self.stopped_by or "under way"
        return f"<Search: {self._meter.regions} regions, {self.nodes} nodes, {state}>"


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
) -> Search:
    """Yield regions that overlap no rival, lazily: ``next()`` is the paper's "stop at the first".

    Together the regions hold everything that is free; they may overlap.

    Parameters
    ----------
    rules : RuleSet
    consequent : hashable, optional
        Rules with an equal consequent may be overlapped; with None every rule is a rival.
    order : {"lexicographic", "random"}
        The order in which constraints are tried. The paper's order prefers the lower values of
        the first features. In random order, the rules and the constraints of each rule are
        shuffled once per search. The same ``random_state`` then gives the same regions, in
        whatever order the rules are given.
    within : Region, optional
        Search only in this region.
    maximal : bool
        Yield exactly the regions that cannot be enlarged, each once. There can be exponentially
        many, and the first may take long; for one of them, :func:`enlarge` a point of a gap.
    X, min_instances : table and int, optional
        Yield only regions that hold at least so many of the instances.
    budget : Budget or float (seconds), optional
        When it is used up the iteration ends; ``finished`` and ``stopped_by`` say so.
    progress : callable, optional
        Called with the nodes and regions so far after each region, and now and then in a long
        search for one; a true answer ends it.

    Examples
    --------
    >>> from irenic import Rule, RuleSet, search
    >>> rules = RuleSet([Rule({"f1": (2, 5), "f2": (5, 9)}, then="A"),
    ...                  Rule({"f1": (1, 9), "f2": (1, 3)}, then="B")])
    >>> next(search(rules))
    f1 < 1
    >>> found = search(rules, maximal=True)
    >>> len(list(found)), found.finished
    (7, True)
    """
    if order not in get_args(Order):
        raise ConditionError(f"order is {' or '.join(get_args(Order))}, not {order!r}")
    check_rules(rules)
    if (X is None) != (min_instances is None):
        raise DataError("X and min_instances go together")
    if min_instances is not None and not _is_count(min_instances):
        raise DataError(f"min_instances is a number of instances, not {min_instances!r}")
    space = rules.space
    box = whole_or(within, space)
    meter = Meter(budget)
    if box.is_empty:
        return Search(iter(()), meter)
    paths = Paths(
        rules.boxes.take(rules.rival_mask(consequent)),
        box.box.simplified(),
        meter,
        Options(
            rng=as_generator(random_state) if order == "random" else None,
            maximal=maximal,
            instances=None if X is None else space.encode(X),
            least=min_instances or 0,
            progress=progress,
        ),
    )
    return Search(iter(paths), meter)


def _is_count(value: Any) -> bool:
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return bool(whole and value >= 0)
