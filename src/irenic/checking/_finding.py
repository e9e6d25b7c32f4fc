"""Findings: the kinds, the data of one finding, and its text."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal, get_args

from irenic.model.condition import Interval, bits_operators, interval_operators
from irenic.model.features import Categorical, Continuous
from irenic.model.head import contradicts
from irenic.model.literals import display, say, show_point
from irenic.model.region import Region, witness_among, witness_in

Kind = Literal[
    "conflicts", "overlaps", "gaps", "open", "never_fire", "misleading", "outside", "outcomes",
    "duplicates", "inside", "mergeable", "columns", "policy", "model",
    "acceptances",
]  # fmt: skip
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
Level = Literal["error", "warning", "note"]
LEVELS: Final[dict[Kind, Level]] = {
    "conflicts": "error",
    "overlaps": "note",  # an error if the hit policy forbids them
    "gaps": "warning",
    "open": "note",
    "never_fire": "warning",
    "misleading": "warning",
    "outside": "warning",
    "outcomes": "warning",
    "duplicates": "note",
    "inside": "note",
    "mergeable": "note",
    "columns": "note",
    "policy": "note",
    "model": "warning",
    "acceptances": "warning",
}
NOUNS: Final[dict[Kind, str]] = {
    "conflicts": "conflict",
    "overlaps": "overlap",
    "gaps": "gap",
    "open": "open",
    "never_fire": "never fires",
    "misleading": "misleading",
    "outside": "outside",
    "outcomes": "outcome",
    "duplicates": "duplicate",
    "inside": "inside",
    "mergeable": "mergeable",
    "columns": "column",
    "policy": "hit policy",
    "model": "model",
    "acceptances": "acceptance",
}
_KNOWN: Final[dict[str, Kind]] = {
    name.replace("_", " "): kind for kind in KINDS for name in (kind, NOUNS[kind])
}
_NUMBER_LIMIT: Final = 8
_ANY_CASE: Final = "any case"


def kind_named(name: str) -> Kind | None:
    """Return the kind of finding with a name.

    Parameters
    ----------
    name : str
        As in ``KINDS``, or in the singular; in any case, with blanks, dashes or underscores.

    Returns
    -------
    str or None
        One of ``KINDS``; None if there is no such kind.

    Examples
    --------
    >>> from irenic.checking import kind_named
    >>> kind_named("gaps"), kind_named("Gap"), kind_named("never-fires"), kind_named("hole")
    ('gaps', 'gaps', 'never_fire', None)
    """
    return _KNOWN.get(" ".join(re.split(r"[-_\s]+", name.strip().lower())))


@dataclass(frozen=True)
class Finding:
    """A problem or remark about rules, with the rules and the region concerned.

    Parameters
    ----------
    kind : str
        One of ``KINDS``, such as "conflicts".
    level : {"error", "warning", "note"}
        How serious it is.
    rules : tuple of int
        Indices of the rules, or of the rows of a decision table. Texts count from 1.
    region : Region, optional
        Where it applies (default: not limited to a region).
    thens : tuple of hashable
        The consequents of two overlapping rules.
    by : tuple of int
        Indices of the rules that make a rule redundant or keep it from firing.
    column : str
        The name of the column concerned, such as one that never matters.
    columns : tuple of str
        The names of the columns concerned, of a finding about several.
    why : str
        The reason, such as why the conditions of a row can never be met.
    line : int, optional
        The line of the file, if it is not that of the rules.

    Examples
    --------
    >>> from irenic import Rule, RuleSet, check
    >>> findings = check(RuleSet([Rule({"age": (0, 30)}, then="low"),
    ...                           Rule({"age": (29, 60)}, then="high")]))
    >>> print(findings.of("conflicts")[0])
    age = 29: rule 1 says low, rule 2 says high (wherever 29 <= age < 30)
    """

    kind: Kind
    level: Level
    rules: tuple[int, ...]
    region: Region | None = None
    thens: tuple[Hashable, ...] = ()
    by: tuple[int, ...] = ()
    column: str = ""
    why: str = ""
    line: int | None = None
    columns: tuple[str, ...] = ()

    @cached_property
    def witness(self) -> dict[str, Any] | None:
        """A readable point of the region; None without a region."""
        return None if self.region is None else self.region.witness()

    @property
    def shown_as(self) -> Kind:
        """The kind as which it is listed: an overlap that is also a conflict is listed as one."""
        is_conflict = self.kind == "overlaps" and contradicts(*self.thens)
        return "conflicts" if is_conflict else self.kind

    @property
    def text(self) -> str:
        """The finding in one line, without its kind."""
        return _TEXTS[self.kind](self)

    def __str__(self) -> str:
        return self.text


def numbered(noun: str, numbers: Sequence[int]) -> str:
    """Return numbers with their noun.

    Parameters
    ----------
    noun : str
        In the singular.
    numbers : sequence of int
        Not empty. Only the first ones are listed if there are many.

    Returns
    -------
    str

    Examples
    --------
    >>> from irenic.checking import numbered
    >>> numbered("rule", [3]), numbered("line", [3, 7]), numbered("row", [1, 2, 5])
    ('rule 3', 'lines 3 and 7', 'rows 1, 2 and 5')
    """
    return f"{noun}{'' if len(numbers) == 1 else 's'} {listed([str(n) for n in numbers])}"


def listed(texts: Sequence[str]) -> str:
    """Return texts as a list in words.

    Parameters
    ----------
    texts : sequence of str
        Not empty. Only the first ones are listed if there are many.

    Returns
    -------
    str

    Examples
    --------
    >>> from irenic.checking import listed
    >>> listed(["job"]), listed(["job", "fee"]), listed(list("abcdefghijk"))
    ('job', 'job and fee', 'a, b, c, d, e, f, g, h and 3 more')
    """
    if len(texts) > _NUMBER_LIMIT:
        texts = [*texts[:_NUMBER_LIMIT], f"{len(texts) - _NUMBER_LIMIT} more"]
    *others, last = texts
    return f"{', '.join(others)} and {last}" if others else last


def number(rules: Iterable[int]) -> str:
    """Return the numbers of rules as text, given their indices.

    >>> number([2]), number([2, 6])
    ('rule 3', 'rules 3 and 7')
    """
    return numbered("rule", [rule + 1 for rule in rules])


def case_in(region: Region) -> str:
    """Return a witness of a region as text, without features that can have any value.

    Parameters
    ----------
    region : Region
        A region that is not empty.

    Returns
    -------
    str

    Examples
    --------
    >>> from irenic import Rule
    >>> from irenic.checking import case_in
    >>> case_in(Rule({"age": (18, 65)}, then="adult").region)
    'age = 40'
    """
    return ", ".join(filter(None, region.each("case", _value_in, _value_among))) or _ANY_CASE


def _with_case(finding: Finding, text: str) -> str:
    assert finding.region is not None
    case = case_in(finding.region)
    return f"{case}: {text}" + ("" if case == _ANY_CASE else f" (wherever {finding.region})")


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
    first, second = (say(then) for then in finding.thens)
    if finding.thens[0] == finding.thens[1]:
        text = f"rules {a} and {b} both say {first}"
    elif not contradicts(*finding.thens):
        text = f"rules {a} and {b} say {first} and {second}, which agree"
    else:
        text = f"rule {a} says {first}, rule {b} says {second}"
    return _with_case(finding, text)


def _gap(finding: Finding) -> str:
    return _with_case(finding, "no rule applies")


def _open(finding: Finding) -> str:
    assert finding.region is not None
    columns = listed([display(name) for name in finding.columns])
    text = f"values of {columns} that no rule names are not covered"
    return f"{text}, such as {case_in(finding.region)}"


def _never_fires(finding: Finding) -> str:
    text = f"{number(finding.rules)} never fires"
    if not finding.by:
        return f"{text}: {finding.why or 'its conditions can never be met'}"
    verb = "takes" if len(finding.by) == 1 else "take"
    return f"{text}: wherever it applies, {number(finding.by)} {verb} precedence"


def _duplicate(finding: Finding) -> str:
    return f"{number(finding.rules)} are identical"


def _inside(finding: Finding) -> str:
    rule, others = number(finding.rules), number(finding.by)
    verb = "says" if len(finding.by) == 1 else "together say"
    return f"{rule} is redundant: {others} {verb} the same wherever {rule} applies"


def _mergeable(finding: Finding) -> str:
    return f"{number(finding.rules)} can be merged into one: {finding.region}"


def _column(finding: Finding) -> str:
    name = display(finding.column)
    if not finding.rules:
        return f"{name} never matters: no rule depends on it"
    return f"{name} never matters: removing it changes no decision"


def _misleading(finding: Finding) -> str:
    first, second = (rule + 1 for rule in finding.rules)
    says, wins = (say(then) for then in finding.thens)
    text = f"rule {first} says {says}, but the later rule {second} ({wins}) has a higher priority"
    return _with_case(finding, text)


def _outside(finding: Finding) -> str:
    return f"{number(finding.rules)}, column {display(finding.column)}: {finding.why}"


def _outcomes(finding: Finding) -> str:
    column = f", column {display(finding.column)}" if finding.column else ""
    return f"{number(finding.rules)}{column}: {finding.why}"


def _said(finding: Finding) -> str:
    return finding.why


def _acceptance(finding: Finding) -> str:
    return f"{number(finding.rules)}: {finding.why}" if finding.rules else finding.why


_TEXTS: Final = {
    "conflicts": _pair,
    "overlaps": _pair,
    "gaps": _gap,
    "open": _open,
    "never_fire": _never_fires,
    "misleading": _misleading,
    "outside": _outside,
    "outcomes": _outcomes,
    "duplicates": _duplicate,
    "inside": _inside,
    "mergeable": _mergeable,
    "columns": _column,
    "policy": _said,
    "model": _said,
    "acceptances": _acceptance,
}
