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

from typing import NamedTuple

from irenic.errors import ConditionError, FormatError, SpaceError
from irenic.model.condition import infer_features
from irenic.model.literals import format_literal
from irenic.model.notation import ParsedRule, parse_line
from irenic.model.rule import Rule, as_consequent
from irenic.model.ruleset import RuleSet
from irenic.model.space import Space


class Parsed(NamedTuple):
    """What a text holds: the rules, the line of each, and every mistake."""

    rules: RuleSet | None
    """None where there is a mistake."""
    lines: tuple[int, ...]
    errors: list[FormatError]


def loads(text: str, space: Space | None = None) -> RuleSet:
    """Return the rules that a text holds; the first mistake is said with its line and column.

    >>> loads("IF f1 < 5 THEN A  # a comment\\nDEFAULT B")
    <RuleSet: 1 rule, 1 feature>
      1. IF f1 < 5 THEN A
      DEFAULT B
    """
    found = parse(text, space)
    if found.rules is None:
        raise found.errors[0]
    return found.rules


def parse(text: str, space: Space | None = None) -> Parsed:
    """Return the rules of a text and all mistakes in it."""
    parsed: list[tuple[int, ParsedRule]] = []
    errors: list[FormatError] = []
    default = None
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        try:
            found = parse_line(line)
            if isinstance(found, ParsedRule):
                parsed.append((number, found))
            elif found is not None:
                if default is not None:
                    raise FormatError("a second DEFAULT; there can be one", column=1)
                default = as_consequent(found.then)
        except FormatError as error:
            errors.append(error.at(line=number))
    if space is None and not errors:
        try:
            space = _infer(parsed)
        except FormatError as error:
            errors.append(error)
    if space is None:
        return Parsed(None, (), errors)
    rules = []
    for number, rule in parsed:
        try:
            rules.append(Rule.from_parsed(rule, space))
        except FormatError as error:
            errors.append(error.at(line=number))
    if errors:
        return Parsed(None, (), sorted(errors, key=lambda error: error.line or 0))
    lines = tuple(number for number, _ in parsed)
    return Parsed(RuleSet(rules, space, default=default), lines, [])


def _infer(parsed: list[tuple[int, ParsedRule]]) -> Space:
    """Return the space that the tests tell of; if they contradict each other, say in which line."""

    def attempt(count: int) -> Space:
        tests = [(c.name, c.operators) for _, rule in parsed[:count] for c in rule.conditions]
        return Space(infer_features(tests))

    try:
        return attempt(len(parsed))
    except (ConditionError, SpaceError) as error:
        low, high = 0, len(parsed)  # the first `low` rules agree, the first `high` do not
        while high - low > 1:
            middle = (low + high) // 2
            try:
                attempt(middle)
                low = middle
            except (ConditionError, SpaceError):
                high = middle
        raise FormatError(str(error), line=parsed[high - 1][0]) from None


def dumps(rules: RuleSet) -> str:
    """Return the rules as text, one a line.

    >>> print(dumps(RuleSet([Rule({"age": (0, 10)}, then="child")], default="adult")))
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
