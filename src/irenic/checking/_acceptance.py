"""Acceptances inside a file: texts such as ``overlap: both discounts apply`` beside its rules."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from irenic.checking._finding import NOUNS, Finding, Kind, kind_named
from irenic.errors import ConditionError, FormatError, did_you_mean
from irenic.model.region import Region
from irenic.model.space import Space

_TEXT: Final = re.compile(
    r"(?P<kinds>[\w ,-]+?)(?:\s+where\s+(?P<where>.+?))?\s*:(?:\s+(?P<reason>.*))?",
    re.DOTALL | re.IGNORECASE,
)
_TABLE_WIDE: Final = ("gaps", "open", "columns", "policy")


class Acceptance(NamedTuple):
    """The findings that a text accepts, and why."""

    text: str
    rows: tuple[int, ...]
    """The rows beside which it is written; none for the whole table."""
    kinds: tuple[Kind, ...]
    region: Region | None
    """Where the accepted findings apply; None for everywhere."""
    reason: str

    def accepts(self, finding: Finding, kind: Kind) -> bool:
        """Return whether a finding is accepted as one of some kind."""
        rows = () if kind in _TABLE_WIDE else finding.rules
        if finding.shown_as != kind or (self.rows and rows and not {*self.rows} & {*rows}):
            return False
        return self.region is None or (finding.region is not None and finding.region <= self.region)


def parse_acceptance(rows: tuple[int, ...], text: str, space: Space) -> Acceptance:
    """Return the acceptance that a text contains; raise an error if it is invalid.

    >>> from irenic import Continuous
    >>> space = Space([Continuous("age")])
    >>> parse_acceptance((), "gap, overlap where age < 0: cannot occur", space)[2:]
    (('gaps', 'overlaps'), age < 0, 'cannot occur')
    """
    match = _TEXT.fullmatch(text.strip())
    if match is None or not (match["reason"] or "").strip():
        raise FormatError("an acceptance must be a kind of finding and a reason, as in gap: why")
    kinds = []
    for name in map(str.strip, match["kinds"].split(",")):
        kind = kind_named(name)
        if kind is None:
            hint = did_you_mean(name, [*NOUNS.values()])
            raise FormatError(f"unknown kind of finding {name!r}{hint}")
        kinds.append(kind)
    region = None
    if match["where"]:
        try:
            region = Region.parse(match["where"], space)
        except ConditionError as error:
            raise FormatError(str(error)) from None
    return Acceptance(text.strip(), rows, tuple(kinds), region, match["reason"].strip())
