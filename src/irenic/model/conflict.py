"""Pairs of rules that overlap: contradictions, and rules that say the same twice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, overload

import numpy as np
import numpy.typing as npt

from irenic.model.literals import display, show_point
from irenic.model.region import Region
from irenic.model.rule import Rule


class _Rules(Protocol):
    def __getitem__(self, i: int) -> Rule: ...


@dataclass(frozen=True)
class Conflict:
    """Two rules that overlap, with where they do.

    ``first`` and ``second`` are their places in the set, counted from 0; texts count from 1.

    >>> low, high = Rule({"age": (0, 30)}, then="low"), Rule({"age": (29, 60)}, then="high")
    >>> Conflict(0, 1, (low, high)).witness
    {'age': 29}
    """

    first: int
    second: int
    rules: tuple[Rule, Rule]

    @cached_property
    def overlap(self) -> Region:
        """The region in which both rules hold."""
        return self.rules[0].region & self.rules[1].region

    @cached_property
    def witness(self) -> dict[str, Any]:
        """A readable point in the overlap."""
        return self.overlap.witness()

    @property
    def witness_text(self) -> str:
        """The witness in words, without features that neither rule asks about."""
        return show_asked(self.witness, self.rules)

    def __str__(self) -> str:
        a, b = self.rules
        return (
            f"rule {self.first + 1} says {display(a.then)}, rule {self.second + 1} says"
            f" {display(b.then)} where {self.overlap}, for example at {self.witness_text}"
        )


class Pairs(Sequence[Conflict]):
    """Pairs of overlapping rules; regions and witnesses are made when one is looked at."""

    def __init__(self, rules: _Rules, pairs: npt.NDArray[np.int32]) -> None:
        self._rules = rules
        self.pairs = pairs
        """The places of the rules, counted from 0, one pair a row."""

    def __len__(self) -> int:
        return len(self.pairs)

    @overload
    def __getitem__(self, i: int) -> Conflict: ...
    @overload
    def __getitem__(self, i: slice) -> Pairs: ...
    def __getitem__(self, i: int | slice) -> Conflict | Pairs:
        if isinstance(i, slice):
            return Pairs(self._rules, self.pairs[i])
        a, b = (int(k) for k in self.pairs[i])
        return Conflict(a, b, (self._rules[a], self._rules[b]))

    def __repr__(self) -> str:
        shown = "".join(f"\n  {pair}" for pair in self[:10])
        more = f"\n  … and {len(self) - 10} more" if len(self) > 10 else ""
        return f"<{len(self)} pairs{':' if len(self) else ''}{shown}{more}>"


def show_asked(point: Mapping[str, Any], rules: Iterable[Rule]) -> str:
    """Return a point in words, without features that none of the rules asks about."""
    asked = {name for rule in rules for name in rule.region.conditions()}
    return show_point({name: v for name, v in point.items() if not asked or name in asked})
