"""Hierarchies of labels: which label implies which, as a tree or a directed acyclic graph.

A row that has a label has all of its ancestors as well. A set of labels of which that is true is
closed; probabilities of which it is true are capped, a child never above a parent.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from irenic.boxes.arrays import Bools, Floats
from irenic.errors import DataError, did_you_mean
from irenic.model.literals import is_missing, plain

Label: TypeAlias = Hashable
Edge: TypeAlias = tuple[Label, Label]
Indicator: TypeAlias = Bools

TOP: Final = "root"
"""How Clus calls the parent of the labels that have none; see :class:`Hierarchy`."""
_FORMS: Final = "paths such as '1/2/3', (parent, child) pairs or a directed graph"


class Hierarchy:
    """Labels, and the parents of each. Hierarchies are immutable and hashable.

    It is made of one of these:

    - paths: ``"1/2/3"`` is a label of that name, and so are its ancestors ``"1"`` and ``"1/2"``;
    - edges ``(parent, child)``, of a tree or a graph without cycles, of any hashable labels. A
      parent called ``"root"`` that is itself never a child stands for the top, as in the files of
      Clus, and is not a label: ``("root", "a")`` says that ``"a"`` is a label without parents. A
      ``"root"`` that has a parent is a label like any other;
    - a directed graph of networkx, or any object with ``nodes`` and ``edges``, with edges from
      parent to child, and ``"root"`` as above.

    ``labels`` come parents first, and else in the order in which they first appear; a set, which
    has no order, is read sorted. The order is part of the value: it is that of the columns of
    indicators.

    >>> tree = Hierarchy.of(["1/1", "1/2/3", "2"])
    >>> tree
    <Hierarchy: a tree of 5 labels, 3 deep>
    >>> tree.labels
    ('1', '1/1', '1/2', '1/2/3', '2')
    >>> Hierarchy.of([("root", "a"), ("root", "b"), ("a", "c"), ("b", "c")]).parents("c")
    ('a', 'b')
    """

    labels: tuple[Label, ...]
    """All labels, parents before their children."""
    _parents: tuple[tuple[int, ...], ...]
    _depths: tuple[int, ...]
    _index: dict[Label, int]

    def __init__(self, spec: Any) -> None:
        if isinstance(spec, Hierarchy):
            self._fill(spec.labels, spec._parents)
        else:
            self._fill(*_parents_first(*_read(spec)))

    def _fill(self, labels: tuple[Label, ...], parents: tuple[tuple[int, ...], ...]) -> None:
        depths: list[int] = []
        for above in parents:
            depths.append(1 + max((depths[p] for p in above), default=0))
        object.__setattr__(self, "labels", labels)
        object.__setattr__(self, "_parents", parents)
        object.__setattr__(self, "_depths", tuple(depths))
        object.__setattr__(self, "_index", {label: i for i, label in enumerate(labels)})

    @classmethod
    def of(cls, spec: Any) -> Hierarchy:
        """Return ``spec`` if it is a hierarchy, else the one that its paths, edges or graph make.

        >>> Hierarchy.of([("root", "a"), ("a", "b")]) == Hierarchy.of([("a", "b")])
        True
        """
        return spec if isinstance(spec, Hierarchy) else cls(spec)

    # --- as a value

    @classmethod
    def from_parents(
        cls, labels: tuple[Label, ...], parents: tuple[tuple[int, ...], ...]
    ) -> Hierarchy:
        """Return the hierarchy of labels, parents first, each with the places of its parents.

        >>> Hierarchy.from_parents(("a", "b"), ((), (0,))) == Hierarchy.of([("a", "b")])
        True
        """
        made = cls.__new__(cls)
        made._fill(labels, parents)
        return made

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a Hierarchy is immutable; make a new one")

    def __getstate__(self) -> dict[str, Any]:
        return {"labels": self.labels, "parents": self._parents}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._fill(**state)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Hierarchy):
            return NotImplemented
        return self.labels == other.labels and self._parents == other._parents

    def __hash__(self) -> int:
        return hash((self.labels, self._parents))

    def __len__(self) -> int:
        return len(self.labels)

    def __contains__(self, label: object) -> bool:
        try:
            return label in self._index
        except TypeError:
            return False

    def __repr__(self) -> str:
        kind = "tree" if all(len(above) < 2 for above in self._parents) else "graph"
        ending = "" if len(self) == 1 else "s"
        return f"<Hierarchy: a {kind} of {len(self)} label{ending}, {max(self._depths)} deep>"

    @property
    def index(self) -> Mapping[Label, int]:
        """The place of each label among ``labels``.

        >>> Hierarchy.of(["1/2"]).index["1/2"]
        1
        """
        return MappingProxyType(self._index)

    # --- single labels

    def parents(self, label: Label) -> tuple[Label, ...]:
        """Return the labels just above ``label``, in the order of ``labels``.

        >>> Hierarchy.of(["1/2/3"]).parents("1/2/3")
        ('1/2',)
        """
        return tuple(self.labels[p] for p in self._parents[self._place(label)])

    def ancestors(self, label: Label) -> frozenset[Label]:
        """Return all labels above ``label``, without itself.

        >>> sorted(Hierarchy.of(["1/2/3"]).ancestors("1/2/3"))
        ['1', '1/2']
        """
        place = self._place(label)
        return frozenset(self.labels[p] for p in self._upwards([place]) - {place})

    def depth(self, label: Label) -> int:
        """Return how many labels the longest way from the top to ``label`` has: 1 if no parents.

        >>> tree = Hierarchy.of(["1/2/3"])
        >>> tree.depth("1"), tree.depth("1/2/3")
        (1, 3)
        """
        return self._depths[self._place(label)]

    def weights(self, w0: float = 0.75) -> Floats:
        """Return how much each label counts: ``w0`` times the mean weight of its parents.

        The top counts 1, so a label without parents counts ``w0``, and in a tree any label
        ``w0 ** depth``; the weights of Clus.

        >>> Hierarchy.of(["1/2/3"]).weights()
        array([0.75    , 0.5625  , 0.421875])
        """
        number = plain(w0)
        if isinstance(number, bool) or not isinstance(number, int | float) or not 0 < number <= 1:
            raise DataError(f"w0 is a number above 0 and at most 1, such as 0.75, not {w0!r}")
        weights = np.empty(len(self), dtype=np.float64)
        for place, above in enumerate(self._parents):
            weights[place] = number * (weights[list(above)].mean() if above else 1.0)
        return weights

    # --- sets of labels

    def close(self, labels: Iterable[Label]) -> frozenset[Label]:
        """Return the labels and all of their ancestors.

        >>> sorted(Hierarchy.of(["1/1", "1/2/3", "2"]).close({"1/2/3"}))
        ['1', '1/2', '1/2/3']
        """
        return frozenset(self.labels[p] for p in self._upwards(self._places(labels)))

    def is_closed(self, labels: Iterable[Label]) -> bool:
        """Return whether every ancestor of the labels is among them.

        >>> tree = Hierarchy.of(["1/2"])
        >>> tree.is_closed({"1"}), tree.is_closed({"1/2"})
        (True, False)
        """
        places = set(self._places(labels))
        return all(p in places for place in places for p in self._parents[place])

    def _upwards(self, places: Iterable[int]) -> set[int]:
        found = set(places)
        waiting = list(found)
        while waiting:
            above = [p for p in self._parents[waiting.pop()] if p not in found]
            found.update(above)
            waiting.extend(above)
        return found

    def _places(self, labels: Iterable[Label]) -> list[int]:
        if isinstance(labels, str | bytes) or not isinstance(labels, Iterable):
            raise DataError(f"labels come as a set, such as {{{labels!r}}}, not as {labels!r}")
        return [self._place(label) for label in labels]

    def _place(self, label: Label) -> int:
        try:
            return self._index[label]
        except (KeyError, TypeError):
            hint = did_you_mean(label, self.labels)
            raise DataError(f"the hierarchy has no label {label!r}{hint}") from None

    # --- many rows at once, one column a label

    def close_indicator(self, indicator: Indicator) -> Indicator:
        """Return the indicator with every ancestor of a row's labels added to the row.

        >>> import numpy as np
        >>> Hierarchy.of(["1/2", "3"]).close_indicator(np.array([[False, True, False]]))
        array([[ True,  True, False]])
        """
        array = self._columns(indicator, "indicator")
        if array.dtype != np.bool_:
            raise DataError(
                f"the indicator holds {array.dtype} values, not booleans; use as_indicator(y)"
            )
        rows = array.T.copy()  # a label's cells side by side
        for child in range(len(self) - 1, -1, -1):
            for parent in self._parents[child]:
                rows[parent] |= rows[child]
        return np.ascontiguousarray(rows.T)

    def cap(self, probabilities: npt.NDArray[np.floating[Any]]) -> Floats:
        """Return the probabilities with none above that of an ancestor: lowered where it was.

        >>> import numpy as np
        >>> Hierarchy.of(["1/2", "3"]).cap(np.array([[0.25, 0.75, 0.5]]))
        array([[0.25, 0.25, 0.5 ]])
        """
        array = self._columns(probabilities, "array of probabilities")
        if array.dtype.kind not in "fiub":
            raise DataError(
                f"the array of probabilities holds {array.dtype} values; convert them to float64"
            )
        rows = array.T.astype(np.float64, order="C")
        if np.isnan(rows).any():
            place, row = np.argwhere(np.isnan(rows))[0]
            raise DataError(
                f"column {self.labels[place]!r}, row {row + 1}: the probability is NaN;"
                " use 0 where nothing is known"
            )
        for child, above in enumerate(self._parents):
            for parent in above:
                np.minimum(rows[child], rows[parent], out=rows[child])
        return np.ascontiguousarray(rows.T)

    def _columns(self, array: Any, name: str) -> npt.NDArray[Any]:
        if not isinstance(array, np.ndarray) or array.ndim != 2:
            given = f"one of {array.ndim}" if isinstance(array, np.ndarray) else repr(array)
            raise DataError(f"the {name} is a numpy array of two dimensions, not {given}")
        if array.shape[1] != len(self):
            raise DataError(
                f"the {name} has {array.shape[1]} columns, but the hierarchy has {len(self)}"
                " labels; use one column for each of its labels, in their order"
            )
        return np.asarray(array)


# --- reading: all nodes in the order of appearance, then the edges


def _read(spec: Any) -> tuple[list[Label], list[Edge]]:
    if hasattr(spec, "nodes") and hasattr(spec, "edges"):
        return _read_graph(spec)
    if hasattr(spec, "columns"):
        raise DataError(
            "a frame is not a hierarchy; give the pairs in its rows: frame.to_numpy().tolist()"
        )
    if isinstance(spec, str | bytes | Mapping) or not isinstance(spec, Iterable):
        raise DataError(f"a hierarchy is made of {_FORMS}, not of {spec!r}")
    items: list[Any] = sorted(spec, key=repr) if isinstance(spec, set | frozenset) else list(spec)
    if not items:
        raise DataError(f"the hierarchy has no labels; give {_FORMS}")
    are_paths = [_is_path(item, place) for place, item in enumerate(items, start=1)]
    if len(set(are_paths)) > 1:
        path, edge = are_paths.index(True), are_paths.index(False)
        raise DataError(
            f"item {path + 1} of the hierarchy, {items[path]!r}, is a path, but item {edge + 1},"
            f" {items[edge]!r}, is an edge; give only paths or only edges"
        )
    if are_paths[0]:
        return _read_paths([str(item) for item in items])
    return _without_top(*_read_edges(items, "item"))


def _is_path(item: object, place: int) -> bool:
    if isinstance(item, str):
        return True
    if isinstance(item, Sequence | np.ndarray) and not isinstance(item, bytes) and len(item) == 2:
        return False
    raise DataError(
        f"item {place} of the hierarchy, {item!r}, is neither a path such as '1/2/3' nor a"
        " (parent, child) pair"
    )


def _read_paths(paths: list[str]) -> tuple[list[Label], list[Edge]]:
    parts = [path.split("/") for path in paths]
    if all(len(p) == 2 for p in parts) and any(p[0] == TOP for p in parts):
        raise DataError(
            f"{paths[0]!r} looks like an edge of a graph in the notation of Clus, not like a path;"
            " give pairs: [tuple(edge.split('/')) for edge in edges]"
        )
    nodes: dict[Label, None] = {}
    edges: dict[Edge, None] = {}
    for place, (path, names) in enumerate(zip(paths, parts, strict=True), start=1):
        if "" in names:
            raise DataError(
                f"item {place} of the hierarchy, {path!r}, has an empty name in it; write a path"
                " as '1/2/3'"
            )
        labels = ["/".join(names[:end]) for end in range(1, len(names) + 1)]
        nodes.update(dict.fromkeys(labels))
        edges.update(dict.fromkeys(itertools.pairwise(labels)))
    return list(nodes), list(edges)


def _read_edges(pairs: Iterable[Any], item: str) -> tuple[list[Label], list[Edge]]:
    nodes: dict[Label, None] = {}
    edges: dict[Edge, None] = {}
    for place, pair in enumerate(pairs, start=1):
        where = f"{item} {place} of the hierarchy"
        parent, child = (_as_label(end, where) for end in pair)
        nodes.update({parent: None, child: None})
        edges[parent, child] = None
    return list(nodes), list(edges)


def _read_graph(graph: Any) -> tuple[list[Label], list[Edge]]:
    if hasattr(graph, "is_directed") and not graph.is_directed():
        raise DataError(
            "the graph of the hierarchy is not directed; give a DiGraph with edges from parent to"
            " child"
        )
    nodes = [_as_label(node, f"node {i} of the hierarchy") for i, node in enumerate(graph.nodes, 1)]
    # those of a multigraph are (parent, child, key)
    more, edges = _read_edges((tuple(edge)[:2] for edge in graph.edges), "edge")
    if not nodes and not more:
        raise DataError(f"the hierarchy has no labels; give {_FORMS}")
    return _without_top(list(dict.fromkeys(nodes + more)), edges)


def _as_label(value: object, where: str) -> Label:
    label = plain(value)
    if is_missing(label):
        raise DataError(f"{where}: the label {label!r} is a missing value; give every label a name")
    try:
        hash(label)
    except TypeError:
        raise DataError(f"{where}: the label {label!r} is not hashable; use a tuple") from None
    return label


def _without_top(nodes: list[Label], edges: list[Edge]) -> tuple[list[Label], list[Edge]]:
    is_top = any(parent == TOP for parent, _ in edges) and all(child != TOP for _, child in edges)
    if not is_top:
        return nodes, edges
    return [n for n in nodes if n != TOP], [edge for edge in edges if edge[0] != TOP]


# --- order


def _parents_first(
    nodes: list[Label], edges: list[Edge]
) -> tuple[tuple[Label, ...], tuple[tuple[int, ...], ...]]:
    first = {node: i for i, node in enumerate(nodes)}
    parents: list[list[int]] = [[] for _ in nodes]
    children: list[list[int]] = [[] for _ in nodes]
    for parent, child in edges:
        parents[first[child]].append(first[parent])
        children[first[parent]].append(first[child])
    missing = [len(above) for above in parents]
    ready = [i for i, count in enumerate(missing) if not count]  # ascending, hence a heap
    order: list[int] = []
    while ready:
        node = heapq.heappop(ready)
        order.append(node)
        for child_place in children[node]:
            missing[child_place] -= 1
            if not missing[child_place]:
                heapq.heappush(ready, child_place)
    if len(order) < len(nodes):
        left = set(range(len(nodes))).difference(order)
        cycle = " -> ".join(repr(nodes[i]) for i in _cycle(parents, left))
        raise DataError(
            f"the hierarchy has a cycle: {cycle}; no label may be above itself: drop one of these"
            " edges"
        )
    place = {node: i for i, node in enumerate(order)}
    return (
        tuple(nodes[i] for i in order),
        tuple(tuple(sorted(place[p] for p in parents[i])) for i in order),
    )


def _cycle(parents: list[list[int]], left: set[int]) -> Iterator[int]:
    # each node that is left has a parent that is: going up must come round
    way = [min(left)]
    seen = {way[0]: 0}
    while True:
        above = next(p for p in parents[way[-1]] if p in left)
        if above in seen:
            return reversed([above, *way[seen[above] + 1 :], above])
        seen[above] = len(way)
        way.append(above)
