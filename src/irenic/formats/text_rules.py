"""The text format: one rule a line, ``#`` for comments, ``DEFAULT`` for what no rule covers.

::

    # who pays what
    IF age < 18 THEN free
    IF 18 <= age < 65 AND job in {nurse, "fire fighter"} THEN reduced
    DEFAULT full

A text file carries no space. It is inferred from the tests: what is compared is continuous, what
is tested for membership is categorical and stays open to any other value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from irenic.conditions import infer_features
from irenic.errors import ConditionError, FormatError, SpaceError
from irenic.literals import format_literal
from irenic.notation import ParsedRule, parse_default, parse_rule
from irenic.rule import Rule, as_consequent
from irenic.ruleset import RuleSet
from irenic.space import Space

if TYPE_CHECKING:
    from collections.abc import Iterator


def loads(text: str, space: Space | None = None) -> RuleSet:
    """Return the rules that a text holds; a mistake is said with its line and column.

    >>> loads("IF f1 < 5 THEN A  # a comment\\nDEFAULT B")
    <RuleSet: 1 rule, 1 feature>
      1. IF f1 < 5 THEN A
      DEFAULT B
    """
    parsed: list[tuple[int, ParsedRule]] = []
    default = None
    for number, line in _lines(text):
        try:
            found = parse_default(line)
            if found is not None:
                if default is not None:
                    raise FormatError("a second DEFAULT; there can be one", column=1)
                default = as_consequent(found)
            else:
                parsed.append((number, parse_rule(line)))
        except FormatError as error:
            raise error.at(line=number) from None
    if space is None:
        try:
            space = Space(
                infer_features([(c.name, c.operators) for _, r in parsed for c in r.conditions])
            )
        except (ConditionError, SpaceError) as error:
            raise FormatError(str(error)) from None
    rules = []
    for number, rule in parsed:
        try:
            rules.append(Rule.from_parsed(rule, space))
        except FormatError as error:
            raise error.at(line=number) from None
    return RuleSet(space, rules, default=default)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Return the lines that hold more than a comment, with their numbers."""
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        if (content := line.strip()) and not content.startswith("#"):
            yield number, line


def dumps(rules: RuleSet) -> str:
    """Return the rules as text, one a line.

    >>> print(dumps(RuleSet(None, [Rule({"age": (0, 10)}, then="child")], default="adult")))
    IF 0 <= age < 10 THEN child
    DEFAULT adult
    <BLANKLINE>
    """
    lines = []
    for number, rule in enumerate(rules, 1):
        try:
            format_literal(rule.then)
            for test in rule.region.conditions().values():
                for value in (*test.get("in", ()), *test.get("not in", ())):
                    format_literal(value)
        except FormatError as error:
            raise FormatError(f"rule {number}: {error.message}") from None
        lines.append(repr(rule))
    if rules.default is not None:
        try:
            lines.append(f"DEFAULT {format_literal(rules.default)}")
        except FormatError as error:
            raise FormatError(f"the default: {error.message}") from None
    return "".join(f"{line}\n" for line in lines)
