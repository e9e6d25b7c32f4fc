"""Heads that decide some labels and leave the others open, and how consequents compare.

A whole set of labels decides every label: those inside are present, all others are absent. A head
decides only the labels that it lists. Two rules contradict each other only if a label is decided
differently by both.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from irenic.arrays import Bools, Floats, Signs
from irenic.errors import ConditionError


class Head(Mapping[Hashable, bool]):
    """The labels that a rule decides: present or absent; all others stay open.

    ``Rule(region, then={"x": True, "y": False})`` makes one. Heads are immutable and hashable, and
    are read like a mapping.

    Parameters
    ----------
    labels : mapping of hashable to bool
        Whether each label is present.

    Raises
    ------
    ConditionError
        If there are no labels, or a value is not a boolean.

    Examples
    --------
    >>> from irenic import Rule
    >>> rule = Rule({"age": (0, 30)}, then={"x": True, "y": False})
    >>> rule
    IF 0 <= age < 30 THEN {x = true, y = false}
    >>> rule.then
    Head({'x': True, 'y': False})
    >>> rule.then["y"], sorted(rule.then.present)
    (False, ['x'])
    """

    __slots__ = ("_hash", "absent", "present")

    present: frozenset[Hashable]
    """The labels that are present."""
    absent: frozenset[Hashable]
    """The labels that are absent."""

    def __init__(self, labels: Mapping[Hashable, bool]) -> None:
        if not labels:
            raise ConditionError(
                "a head must decide at least one label, got none; use set() for no labels at all"
            )
        for label, value in labels.items():
            if not isinstance(value, bool | np.bool_):
                raise ConditionError(
                    f"a head must map labels to True or False, got {value!r} for {label!r}"
                )
        present = frozenset(label for label, value in labels.items() if value)
        absent = frozenset(label for label, value in labels.items() if not value)
        object.__setattr__(self, "present", present)
        object.__setattr__(self, "absent", absent)
        object.__setattr__(self, "_hash", hash((present, absent)))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a Head is immutable; create a new one")

    def __reduce__(self) -> Any:
        return Head, (dict(self),)

    def __getitem__(self, label: Hashable) -> bool:
        if label in self.present:
            return True
        if label in self.absent:
            return False
        raise KeyError(label)

    def __iter__(self) -> Iterator[Hashable]:
        return iter(sorted((*self.present, *self.absent), key=lambda v: (str(v), repr(v))))

    def __len__(self) -> int:
        return len(self.present) + len(self.absent)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Head):
            return self.present == other.present and self.absent == other.absent
        return dict(self) == other if isinstance(other, Mapping) else NotImplemented

    def __hash__(self) -> int:
        return int(self._hash)  # type: ignore[attr-defined]

    def __repr__(self) -> str:
        return f"Head({dict(self)!r})"


def contradicts(a: Hashable, b: Hashable) -> bool:
    """Return whether two consequents differ, or for heads whether they decide a label differently.

    >>> contradicts(Head({"x": True}), Head({"y": True})), contradicts("x", "y")
    (False, True)
    >>> contradicts(Head({"y": True}), frozenset({"x"}))
    True
    """
    if isinstance(a, Head):
        if isinstance(b, Head):
            return not (a.present.isdisjoint(b.absent) and a.absent.isdisjoint(b.present))
        if isinstance(b, frozenset):
            return not (a.present <= b and a.absent.isdisjoint(b))
        return True
    return contradicts(b, a) if isinstance(b, Head) else a != b


def implies(a: Hashable, b: Hashable) -> bool:
    """Return whether a consequent decides everything that another one does, in the same way.

    >>> implies(frozenset({"x"}), Head({"x": True})), implies(Head({"x": True}), frozenset({"x"}))
    (True, False)
    """
    if isinstance(a, Head) and isinstance(b, Head):
        return b.present <= a.present and b.absent <= a.absent
    return a == b or (isinstance(b, Head) and not contradicts(a, b))


def agreements(thens: Sequence[Hashable], labels: Sequence[Hashable]) -> Bools:
    """Return which consequents agree with which outcomes: ``[consequent, outcome]``.

    >>> agreements([Head({"x": True})], [frozenset("xy"), frozenset("y")])
    array([[ True, False]])
    """
    cells = [[not contradicts(then, label) for label in labels] for then in thens]
    return np.array(cells, dtype=np.bool_).reshape(len(thens), len(labels))


def labels_of(thens: Iterable[Hashable | None]) -> list[Hashable]:
    """Return the labels that heads and sets mention, in order of appearance.

    >>> labels_of([Head({"x": True}), None, frozenset({"y"})])
    ['x', 'y']
    """
    labels: dict[Hashable, None] = {}
    for then in thens:
        if isinstance(then, Head | frozenset):
            labels.update(dict.fromkeys(sorted(then, key=lambda v: (str(v), repr(v)))))
    return list(labels)


def open_labels(default: Hashable | None) -> frozenset[Hashable]:
    """Return the labels that are present where no rule decides them.

    >>> open_labels(None), open_labels(frozenset({"x"}))
    (frozenset(), frozenset({'x'}))
    """
    if default is None:
        return frozenset()
    if not isinstance(default, frozenset):
        raise ConditionError(
            f"default must be a set of labels where rules decide only some labels, got {default!r}"
        )
    return default


def signs(thens: Sequence[Hashable], labels: Sequence[Hashable]) -> Signs:
    """Return what consequents decide: 1 present, -1 absent, 0 open; ``[consequent, label]``.

    >>> signs([Head({"x": True}), frozenset({"y"})], ["x", "y"])
    array([[ 1,  0],
           [-1,  1]], dtype=int8)
    """
    cells = [[_sign(then, label) for label in labels] for then in thens]
    return np.array(cells, dtype=np.int8).reshape(len(thens), len(labels))


def _sign(then: Hashable, label: Hashable) -> int:
    if isinstance(then, Head):
        return (label in then.present) - (label in then.absent)
    assert isinstance(then, frozenset)
    return 1 if label in then else -1


def united(covers: Bools, decided: Signs) -> Signs:
    """Return what consistent rules decide together: ``[instance, label]``.

    ``covers`` is ``[instance, rule]``, and ``decided`` is ``[rule, label]``, as :func:`signs`.

    >>> united(np.array([[True, True]]), np.array([[1, 0], [0, -1]], dtype=np.int8))
    array([[ 1, -1]], dtype=int8)
    """
    return np.sign(covers.astype(np.float32) @ decided.astype(np.float32)).astype(np.int8)


def by_precedence(covers: Bools, decided: Signs, order: Sequence[int]) -> Signs:
    """Return what rules decide if the first of ``order`` that decides a label wins.

    >>> covers = np.array([[True, True]])
    >>> by_precedence(covers, np.array([[1, 0], [-1, -1]], dtype=np.int8), [0, 1])
    array([[ 1, -1]], dtype=int8)
    """
    states = np.zeros((len(covers), decided.shape[1]), dtype=np.int8)
    for rule in reversed(order):
        rows, labels = np.flatnonzero(covers[:, rule]), np.flatnonzero(decided[rule])
        states[np.ix_(rows, labels)] = decided[rule, labels]
    return states


def by_vote(covers: Bools, decided: Signs, weights: Floats) -> Signs:
    """Return what rules decide by the greater sum of weights per label; on a tie, the first rule.

    >>> covers, decided = np.array([[True, True]]), np.array([[1, 1], [-1, 0]], dtype=np.int8)
    >>> by_vote(covers, decided, np.array([1.0, 2.0]))
    array([[-1,  1]], dtype=int8)
    """
    weighted = covers * weights
    votes = weighted @ (decided > 0) - weighted @ (decided < 0)
    first = by_precedence(covers, decided, range(len(decided)))
    return np.where(votes == 0, first, np.sign(votes)).astype(np.int8)
