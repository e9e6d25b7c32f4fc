"""What there is to say of a table of rules: one finding, in numbers and in words."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal, get_args

from irenic.model.condition import Interval, bits_operators, interval_operators
from irenic.model.features import Categorical, Continuous
from irenic.model.literals import display, say, show_point
from irenic.model.region import Region, witness_among, witness_in

Kind = Literal[
    "conflicts", "overlaps", "gaps", "never_fire", "duplicates", "inside", "mergeable", "columns"
]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
Level = Literal["error", "warning", "note"]
LEVELS: Final[dict[Kind, Level]] = {
    "conflicts": "error",
    "overlaps": "note",  # an error where the hit policy forbids them
    "gaps": "warning",
    "never_fire": "warning",
    "duplicates": "note",
    "inside": "note",
    "mergeable": "note",
    "columns": "note",
}
NOUNS: Final[dict[Kind, str]] = {
    "conflicts": "conflict",
    "overlaps": "overlap",
    "gaps": "gap",
    "never_fire": "never fires",
    "duplicates": "duplicate",
    "inside": "inside",
    "mergeable": "mergeable",
    "columns": "column",
}


@dataclass(frozen=True)
class Finding:
    """One thing that is worth knowing of a table, with the rules concerned and where.

    ``rules`` are indices of rows; texts and documents count from 1.

    >>> from irenic import Rule, RuleSet, check
    >>> found = check(RuleSet([Rule({"age": (0, 30)}, then="low"),
    ...                        Rule({"age": (29, 60)}, then="high")]))
    >>> print(found.of("conflicts")[0])
    age = 29: rule 1 says low, rule 2 says high (wherever 29 <= age < 30)
    """

    kind: Kind
    level: Level
    rules: tuple[int, ...]
    region: Region | None = None
    """Where it is; None for what concerns a rule or a column as a whole."""
    thens: tuple[Hashable, ...] = ()
    """What the rules say, where two of them hold for the same case."""
    by: tuple[int, ...] = ()
    """The rules that another lies inside, or that come before one that never fires."""
    column: str = ""
    why: str = ""
    """What is asked for that cannot occur, of a row that never holds."""

    @cached_property
    def witness(self) -> dict[str, Any] | None:
        """A case that a person can try."""
        return None if self.region is None else self.region.witness()

    @property
    def text(self) -> str:
        """The finding in one line, without its kind."""
        return _TEXTS[self.kind](self)

    def __str__(self) -> str:
        return self.text


def number(rules: Iterable[int]) -> str:
    """Return the numbers of rules in words, given their indices.

    >>> number([2]), number([2, 6]), number([0, 1, 4])
    ('rule 3', 'rules 3 and 7', 'rules 1, 2 and 5')
    """
    numbers = [str(rule + 1) for rule in rules]
    if len(numbers) == 1:
        return f"rule {numbers[0]}"
    if len(numbers) > _MOST_NUMBERS:
        numbers = [*numbers[:_MOST_NUMBERS], f"{len(numbers) - _MOST_NUMBERS} more"]
    return f"rules {', '.join(numbers[:-1])} and {numbers[-1]}"


_MOST_NUMBERS: Final = 8


def case_in(region: Region) -> str:
    """Return the witness of a region in words, without features that may have any value.

    >>> from irenic import Rule
    >>> case_in(Rule({"age": (18, 65)}, then="adult").region)
    'age = 40'
    """
    return ", ".join(filter(None, region.each("case", _value_in, _value_among))) or "any case"


def _case(finding: Finding) -> str:
    assert finding.region is not None
    return case_in(finding.region)


def _value_in(feature: Continuous, interval: Interval) -> str:
    if not interval_operators(feature, interval):
        return ""
    return show_point({feature.name: witness_in(feature, interval)})


def _value_among(feature: Categorical, bits: int) -> str:
    if not bits_operators(feature, bits):
        return ""
    return show_point({feature.name: witness_among(feature, bits)})


def _pair(finding: Finding) -> str:
    a, b = (rule + 1 for rule in finding.rules)
    says, too = (say(then) for then in finding.thens)
    if finding.thens[0] == finding.thens[1]:
        what = f"rules {a} and {b} both say {says}"
    else:
        what = f"rule {a} says {says}, rule {b} says {too}"
    return f"{_case(finding)}: {what} (wherever {finding.region})"


def _gap(finding: Finding) -> str:
    return f"{_case(finding)}: no rule holds (wherever {finding.region})"


def _never(finding: Finding) -> str:
    what = f"{number(finding.rules)} never fires"
    if not finding.by:
        return f"{what}: {finding.why or 'it asks for what cannot occur'}"
    verb = "comes" if len(finding.by) == 1 else "come"
    return f"{what}: wherever it holds, {number(finding.by)} {verb} first"


def _duplicate(finding: Finding) -> str:
    return f"{number(finding.rules)} are the same"


def _inside(finding: Finding) -> str:
    together = "" if len(finding.by) == 1 else " together"
    verb = "says" if len(finding.by) == 1 else "say"
    by = number(finding.by)
    return f"{number(finding.rules)} adds nothing: {by}{together} {verb} the same wherever it holds"


def _mergeable(finding: Finding) -> str:
    return f"{number(finding.rules)} could be one: {finding.region}"


def _column(finding: Finding) -> str:
    name = display(finding.column)
    if not finding.rules:
        return f"{name} never matters: no rule depends on it"
    return f"{name} never matters: without it the rules say the same everywhere"


_TEXTS: Final = {
    "conflicts": _pair,
    "overlaps": _pair,
    "gaps": _gap,
    "never_fire": _never,
    "duplicates": _duplicate,
    "inside": _inside,
    "mergeable": _mergeable,
    "columns": _column,
}
