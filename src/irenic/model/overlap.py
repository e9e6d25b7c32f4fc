"""Pairs of rules that hold for the same case: overlaps, and conflicts if they disagree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, TypeVar, overload

from irenic.arrays import Codes
from irenic.model.literals import counted, display, show_point
from irenic.model.region import Region
from irenic.model.rule import Rule


class _Rules(Protocol):
    def __getitem__(self, i: int) -> Rule: ...


@dataclass(frozen=True)
class Overlap:
    """Two rules that hold for the same case.

    Parameters
    ----------
    first, second : int
        Indices of the rules in their set; in texts, rules are numbered from 1.
    rules : tuple of Rule
        The two rules.

    Examples
    --------
    >>> from irenic import Overlap, Rule
    >>> young, middle = Rule({"age": (0, 30)}, then="low"), Rule({"age": (29, 60)}, then="low")
    >>> print(Overlap(0, 1, (young, middle)))
    rules 1 and 2 both say low where 29 <= age < 30, for example at age = 29
    """

    first: int
    second: int
    rules: tuple[Rule, Rule]

    @cached_property
    def region(self) -> Region:
        """The region in which both rules hold."""
        return self.rules[0].region & self.rules[1].region

    @cached_property
    def witness(self) -> dict[str, Any]:
        """A point of the region with readable values."""
        return self.region.witness()

    @property
    def witness_text(self) -> str:
        """The witness in words, without features that neither rule tests."""
        tested = {name for rule in self.rules for name in rule.region.conditions()}
        point = {name: v for name, v in self.witness.items() if not tested or name in tested}
        return show_point(point)

    def __str__(self) -> str:
        return f"{self._says()} where {self.region}, for example at {self.witness_text}"

    def _says(self) -> str:
        a, b = (rule.then for rule in self.rules)
        numbers = f"rules {self.first + 1} and {self.second + 1}"
        if a == b:
            return f"{numbers} both say {display(a)}"
        return f"{numbers} say {display(a)} and {display(b)}, which agree,"


class Conflict(Overlap):
    """Two rules that hold for the same case and contradict each other.

    Parameters
    ----------
    first, second : int
        Indices of the rules in their set; in texts, rules are numbered from 1.
    rules : tuple of Rule
        The two rules.

    Examples
    --------
    >>> from irenic import Conflict, Rule
    >>> low, high = Rule({"age": (0, 30)}, then="low"), Rule({"age": (29, 60)}, then="high")
    >>> print(Conflict(0, 1, (low, high)))
    rule 1 says low, rule 2 says high where 29 <= age < 30, for example at age = 29
    """

    def _says(self) -> str:
        a, b = self.rules
        return (
            f"rule {self.first + 1} says {display(a.then)}, rule {self.second + 1} says"
            f" {display(b.then)}"
        )


P = TypeVar("P", bound=Overlap)


class Pairs(Sequence[P]):
    """Pairs of overlapping rules, each created when it is accessed."""

    def __init__(self, kind: type[P], rules: _Rules, pairs: Codes) -> None:
        self._kind, self._rules = kind, rules
        self.pairs = pairs
        """The indices of the rules, one pair per row."""

    def __len__(self) -> int:
        return len(self.pairs)

    @overload
    def __getitem__(self, i: int) -> P: ...
    @overload
    def __getitem__(self, i: slice) -> Pairs[P]: ...
    def __getitem__(self, i: int | slice) -> P | Pairs[P]:
        if isinstance(i, slice):
            return Pairs(self._kind, self._rules, self.pairs[i])
        a, b = (int(k) for k in self.pairs[i])
        return self._kind(a, b, (self._rules[a], self._rules[b]))

    def __repr__(self) -> str:
        shown = "".join(f"\n  {pair}" for pair in self[:10])
        more = f"\n  … and {len(self) - 10} more" if len(self) > 10 else ""
        return f"<{counted(len(self), 'pair')}{':' if len(self) else ''}{shown}{more}>"
