"""Hierarchies of labels: which label implies which, as a tree or a directed acyclic graph.

A row that has a label also has all of its ancestors. Such a set of labels is closed. Accordingly,
the probability of a label is capped at those of its parents.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from irenic.arrays import Bools, Floats
from irenic.errors import DataError, did_you_mean
from irenic.model.literals import is_missing, plain

Label: TypeAlias = Hashable
Edge: TypeAlias = tuple[Label, Label]
Indicator: TypeAlias = Bools

TOP: Final = "root"
"""Parent of labels without parents in the files of Clus; see :class:`Hierarchy`."""
_FORMS: Final = "paths such as '1/2/3', (parent, child) pairs or a directed graph"


class Hierarchy:
    """Labels and their parents; immutable and hashable.

    Labels are sorted with parents first and otherwise by first appearance. The order is part of the
    value, because it is that of the columns of indicators.

    Parameters
    ----------
    spec : list of paths, list of edges, graph, or Hierarchy
        - A path such as ``"1/2/3"`` is a label and implies its ancestors ``"1"`` and ``"1/2"``.
        - An edge is a pair ``(parent, child)`` of hashable labels, without cycles. A parent
          ``"root"`` that is never a child is not a label but the top, as in the files of Clus:
          ``("root", "a")`` means that ``"a"`` is a label without parents.
        - A graph is a directed graph of networkx, or any object with ``nodes`` and ``edges``, with
          edges from parent to child.

        A set of paths or edges, which has no order, is sorted.

    Raises
    ------
    DataError
        If ``spec`` has no labels, is none of the above, or has a cycle.

    Examples
    --------
    >>> tree = Hierarchy(["1/1", "1/2/3", "2"])
    >>> tree
    <Hierarchy: a tree of 5 labels, 3 deep>
    >>> tree.labels
    ('1', '1/1', '1/2', '1/2/3', '2')
    >>> Hierarchy([("root", "a"), ("root", "b"), ("a", "c"), ("b", "c")]).parents("c")
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

    # --- as a value

    @classmethod
    def from_parents(
        cls, labels: tuple[Label, ...], parents: tuple[tuple[int, ...], ...]
    ) -> Hierarchy:
        """Return the hierarchy of labels whose parents are given by index.

        Parents are before their children, and those of each label in ascending order.
        """
        hierarchy = cls.__new__(cls)
        hierarchy._fill(labels, parents)
        return hierarchy

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a Hierarchy is immutable; create a new one")

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
        """Index of each label in ``labels``, as a mapping."""
        return MappingProxyType(self._index)

    # --- single labels

    def parents(self, label: Label) -> tuple[Label, ...]:
        """Return the parents of a label, in the order of ``labels``."""
        return tuple(self.labels[p] for p in self._parents[self._index_of(label)])

    def ancestors(self, label: Label) -> frozenset[Label]:
        """Return all ancestors of a label, without the label itself."""
        index = self._index_of(label)
        return frozenset(self.labels[p] for p in self._upwards([index]) - {index})

    def depth(self, label: Label) -> int:
        """Return 1 for a label without parents, otherwise 1 more than the deepest parent."""
        return self._depths[self._index_of(label)]

    def weights(self, w0: float = 0.75) -> Floats:
        """Return the weight of each label, as defined by Clus.

        It is ``w0``, above 0 and at most 1, times the mean weight of its parents, where the top has
        weight 1. In a tree, it is ``w0 ** depth``. Weights are in the order of ``labels``.

        Examples
        --------
        >>> Hierarchy(["1/2/3"]).weights()
        array([0.75    , 0.5625  , 0.421875])
        """
        number = plain(w0)
        if isinstance(number, bool) or not isinstance(number, int | float) or not 0 < number <= 1:
            raise DataError(f"w0 must be a number above 0 and at most 1, got {w0!r}")
        weights = np.empty(len(self), dtype=np.float64)
        for index, above in enumerate(self._parents):
            weights[index] = number * (weights[list(above)].mean() if above else 1.0)
        return weights

    # --- sets of labels

    def close(self, labels: Iterable[Label]) -> frozenset[Label]:
        """Return labels together with all of their ancestors."""
        return frozenset(self.labels[p] for p in self._upwards(self._indices(labels)))

    def is_closed(self, labels: Iterable[Label]) -> bool:
        """Return whether a set of labels contains all of their ancestors."""
        indices = set(self._indices(labels))
        return all(p in indices for index in indices for p in self._parents[index])

    def _upwards(self, indices: Iterable[int]) -> set[int]:
        closed = set(indices)
        pending = list(closed)
        while pending:
            above = [p for p in self._parents[pending.pop()] if p not in closed]
            closed.update(above)
            pending.extend(above)
        return closed

    def _indices(self, labels: Iterable[Label]) -> list[int]:
        if isinstance(labels, str | bytes) or not isinstance(labels, Iterable):
            raise DataError(f"labels must be a set such as {{{labels!r}}}, got {labels!r}")
        return [self._index_of(label) for label in labels]

    def _index_of(self, label: Label) -> int:
        try:
            return self._index[label]
        except (KeyError, TypeError):
            hint = did_you_mean(label, self.labels)
            raise DataError(f"unknown label {label!r}{hint}") from None

    # --- many rows at once, one column per label

    def close_indicator(self, indicator: Indicator) -> Indicator:
        """Return an indicator, ``[row, label]``, with the ancestors of all labels added."""
        array = self._columns(indicator, "indicator")
        if array.dtype != np.bool_:
            raise DataError(
                f"the indicator must hold booleans, got {array.dtype}; use indicator.astype(bool)"
            )
        rows = array.T.copy()  # a label's cells side by side
        for child in range(len(self) - 1, -1, -1):
            for parent in self._parents[child]:
                rows[parent] |= rows[child]
        return np.ascontiguousarray(rows.T)

    def cap(self, probabilities: npt.NDArray[np.floating[Any]]) -> Floats:
        """Return probabilities, ``[row, label]``, none of which exceeds that of an ancestor.

        Examples
        --------
        >>> import numpy as np
        >>> Hierarchy(["1/2", "3"]).cap(np.array([[0.25, 0.75, 0.5]]))
        array([[0.25, 0.25, 0.5 ]])
        """
        array = self._columns(probabilities, "array of probabilities")
        if array.dtype.kind not in "fiub":
            raise DataError(f"the array of probabilities must hold numbers, got {array.dtype}")
        rows = array.T.astype(np.float64, order="C")
        if np.isnan(rows).any():
            index, row = np.argwhere(np.isnan(rows))[0]
            raise DataError(
                f"column {self.labels[index]!r}, row {row + 1}: the probability must be a number,"
                " got NaN; use 0 if it is unknown"
            )
        for child, above in enumerate(self._parents):
            for parent in above:
                np.minimum(rows[child], rows[parent], out=rows[child])
        return np.ascontiguousarray(rows.T)

    def _columns(self, array: Any, name: str) -> npt.NDArray[Any]:
        if not isinstance(array, np.ndarray) or array.ndim != 2:
            shown = f"shape {array.shape}" if isinstance(array, np.ndarray) else repr(array)
            raise DataError(f"the {name} must be a numpy array of 2 dimensions, got {shown}")
        if array.shape[1] != len(self):
            raise DataError(
                f"the {name} must have one column for each of the {len(self)} labels, in order,"
                f" got {array.shape[1]}"
            )
        return np.asarray(array)


# --- reading: all nodes by first appearance, and the edges


def _read(spec: Any) -> tuple[list[Label], list[Edge]]:
    if hasattr(spec, "nodes") and hasattr(spec, "edges"):
        return _read_graph(spec)
    if hasattr(spec, "columns"):
        raise DataError(
            "a hierarchy must not be a frame; pass its rows as pairs: frame.to_numpy().tolist()"
        )
    if isinstance(spec, str | bytes | Mapping) or not isinstance(spec, Iterable):
        raise DataError(f"a hierarchy must consist of {_FORMS}, got {spec!r}")
    items: list[Any] = sorted(spec, key=repr) if isinstance(spec, set | frozenset) else list(spec)
    if not items:
        raise DataError(f"the hierarchy must have labels, got none; pass {_FORMS}")
    are_paths = [_is_path(item, number) for number, item in enumerate(items, start=1)]
    if len(set(are_paths)) > 1:
        path, edge = are_paths.index(True), are_paths.index(False)
        raise DataError(
            f"the hierarchy must have only paths or only edges, got both: item {path + 1} is the"
            f" path {items[path]!r}, item {edge + 1} the edge {items[edge]!r}"
        )
    if are_paths[0]:
        return _read_paths([str(item) for item in items])
    return _without_top(*_read_edges(items, "item"))


def _is_path(item: object, number: int) -> bool:
    if isinstance(item, str):
        return True
    if isinstance(item, Sequence | np.ndarray) and not isinstance(item, bytes) and len(item) == 2:
        return False
    raise DataError(
        f"item {number} of the hierarchy must be a path such as '1/2/3' or a (parent, child) pair,"
        f" got {item!r}"
    )


def _read_paths(paths: list[str]) -> tuple[list[Label], list[Edge]]:
    parts = [path.split("/") for path in paths]
    if all(len(p) == 2 for p in parts) and any(p[0] == TOP for p in parts):
        raise DataError(
            f"{paths[0]!r} looks like an edge in the notation of Clus rather than a path; pass"
            " pairs: [tuple(edge.split('/')) for edge in edges]"
        )
    nodes: dict[Label, None] = {}
    edges: dict[Edge, None] = {}
    for number, (path, names) in enumerate(zip(paths, parts, strict=True), start=1):
        if "" in names:
            raise DataError(
                f"item {number} of the hierarchy must be a path such as '1/2/3' without empty"
                f" names, got {path!r}"
            )
        labels = ["/".join(names[:end]) for end in range(1, len(names) + 1)]
        nodes.update(dict.fromkeys(labels))
        edges.update(dict.fromkeys(itertools.pairwise(labels)))
    return list(nodes), list(edges)


def _read_edges(pairs: Iterable[Any], item: str) -> tuple[list[Label], list[Edge]]:
    nodes: dict[Label, None] = {}
    edges: dict[Edge, None] = {}
    for number, pair in enumerate(pairs, start=1):
        where = f"{item} {number} of the hierarchy"
        parent, child = (_as_label(end, where) for end in pair)
        nodes.update({parent: None, child: None})
        edges[parent, child] = None
    return list(nodes), list(edges)


def _read_graph(graph: Any) -> tuple[list[Label], list[Edge]]:
    if hasattr(graph, "is_directed") and not graph.is_directed():
        raise DataError(
            "the graph of the hierarchy must be directed; use a DiGraph with edges from parent to"
            " child"
        )
    nodes = [_as_label(node, f"node {i} of the hierarchy") for i, node in enumerate(graph.nodes, 1)]
    # edges of a multigraph are (parent, child, key)
    more, edges = _read_edges((tuple(edge)[:2] for edge in graph.edges), "edge")
    if not nodes and not more:
        raise DataError(f"the hierarchy must have labels, got none; pass {_FORMS}")
    return _without_top(list(dict.fromkeys(nodes + more)), edges)


def _as_label(value: object, where: str) -> Label:
    label = plain(value)
    if is_missing(label):
        raise DataError(f"{where}: the label must not be missing, got {label!r}")
    try:
        hash(label)
    except TypeError:
        raise DataError(
            f"{where}: the label must be hashable, got {label!r}; use a tuple"
        ) from None
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
            f"the hierarchy must not have a cycle, got {cycle}; drop one of these edges"
        )
    index = {node: i for i, node in enumerate(order)}
    return (
        tuple(nodes[i] for i in order),
        tuple(tuple(sorted(index[p] for p in parents[i])) for i in order),
    )


def _cycle(parents: list[list[int]], left: set[int]) -> Iterator[int]:
    # each remaining node has a remaining parent, so going up must return to a node
    path = [min(left)]
    seen = {path[0]: 0}
    while True:
        above = next(p for p in parents[path[-1]] if p in left)
        if above in seen:
            return reversed([above, *path[seen[above] + 1 :], above])
        seen[above] = len(path)
        path.append(above)
