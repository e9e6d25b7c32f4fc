"""The text format: one rule per line, and ``#`` for comments.

``DEFAULT`` decides uncovered cases, and ``IMPOSSIBLE`` excludes cases that cannot occur.

::

    # who pays what
    IF age < 18 OR age >= 80 THEN free
    IF 18 <= age < 65 AND job in {nurse, "fire fighter"} THEN reduced
    DEFAULT full
    IMPOSSIBLE WHERE age < 16 AND job in {"fire fighter"}

A comment ``# accept: overlap: both apply`` accepts findings about the rule on its line, or about
all rules if it is a line of its own. A line can have several such comments.

A text file contains no space. It is inferred from the conditions: features that are compared are
continuous; features that are tested for membership are categorical and open to other values.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from irenic.errors import ConditionError, FormatError
from irenic.formats.parsed import Parsed, RuleDraft
from irenic.formats.tables.drafts import accepted_in
from irenic.model.literals import format_literal
from irenic.model.notation import ParsedImpossible, comment_of, parse_line
from irenic.model.region import Region
from irenic.model.rule import as_default
from irenic.model.ruleset import RuleSet

_ACCEPT: Final = re.compile(r"#(?=\s*accept\s*:)", re.IGNORECASE)
_MOST_CHARACTERS: Final = 1_000_000  # per line
_MOST_ERRORS: Final = 1_000
_NONE: Final[Mapping[int | None, Sequence[str]]] = MappingProxyType({})


def parse(text: str) -> Parsed:
    """Return the rules in a text, and all errors in it."""
    draft = RuleDraft(has_lines=True)
    for number, line in enumerate(text.split("\n"), 1):
        if not line:
            continue
        if len(draft.errors) > _MOST_ERRORS:
            break  # it is no text of rules
        try:
            if len(line) > _MOST_CHARACTERS:
                raise FormatError(
                    f"a line must have at most {_MOST_CHARACTERS:,} characters, got {len(line):,};"
                    " write several rules"
                )
            parsed = parse_line(line)
            comments = _ACCEPT.split(comment_of(line)) if "#" in line else ()
            texts = [text for comment in comments for text in accepted_in(comment.lstrip("#"))]
            draft.accepts += [(None if parsed is None else number, each) for each in texts]
            if isinstance(parsed, list):
                draft.rules += parsed
                draft.places += [number] * len(parsed)
            elif isinstance(parsed, ParsedImpossible):
                draft.impossible += [(number, region) for region in parsed.alternatives]
            elif parsed is not None:
                if draft.default is not None:
                    raise FormatError("a second DEFAULT; keep only one", column=1)
                draft.default = _default(parsed.then)
        except FormatError as error:
            draft.errors.append(draft.at(number, error))
    return Parsed("rules", [draft], RuleDraft.bind)


def _default(value: object) -> Hashable:
    try:
        return as_default(value)
    except ConditionError as error:
        raise FormatError(str(error), column=1) from None


def dumps(rules: RuleSet, comments: Mapping[int | None, Sequence[str]] = _NONE) -> str:
    """Return the rules as text, one per line, and what cannot occur.

    ``comments`` are written beside rules, by their indices, and on lines of their own for None.
    """
    lines = [f"# {comment}" for comment in comments.get(None, ())]
    for number, rule in enumerate(rules, 1):
        try:
            format_literal(rule.then)
            _check_values(rule.region)
        except FormatError as error:
            raise FormatError(f"rule {number}: {error.message}") from None
        lines.append("  # ".join([repr(rule), *comments.get(number - 1, ())]))
    if rules.default is not None:
        try:
            lines.append(f"DEFAULT {format_literal(rules.default)}")
        except FormatError as error:
            raise FormatError(f"the default: {error.message}") from None
    for region in rules.space.impossible:
        try:
            _check_values(region)
        except FormatError as error:
            raise FormatError(f"what is impossible: {error.message}") from None
        lines.append(f"IMPOSSIBLE WHERE {region.to_text('AND')}")
    return "".join(f"{line}\n" for line in lines)


def _check_values(region: Region) -> None:
    """Raise if the conditions of a region name a value that has no notation."""
    for test in region.conditions().values():
        for value in (*test.get("in", ()), *test.get("not in", ())):
            format_literal(value)
