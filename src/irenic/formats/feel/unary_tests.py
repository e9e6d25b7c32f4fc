"""The parser of unary tests: the conditions in cells of decision tables, in FEEL.

::

    tests      = "-" | item {"," item}
    item       = and {"or" and},  and = unit {"and" unit}
    unit       = [<, <=, >, >=, =, !=] value | range | not(tests) | (tests) | "[" tests "]"
               | starts with(?, "text")
               | "?" order value | value order "?" | "?" in unit | "?" between value and value | "?"
    range      = "[" or "(" or "]"  value ".." value  "]" or ")" or "["
    value      = number | "text" | true | false | null | @"2026-01-31"
               | date("…") | date(y, m, d) | time("…") | date and time("…") | duration("P1Y2M")
               | any constant expression

Names are errors. Cells of spreadsheets are read by :mod:`irenic.formats.cells.reading`.
"""

from __future__ import annotations

import datetime as dt
import re
import sys
from collections.abc import Hashable
from typing import Any, Final, NamedTuple, TypeAlias

from irenic.errors import FormatError
from irenic.formats.feel._literals import (
    construct,
    in_message,
    number_of,
    read_at,
    read_number,
    read_text,
)
from irenic.model.literals import Months, Prefix
from irenic.model.notation import Token
from irenic.model.patterns import lazy

MAX_DEPTH: Final = 50
MOST_CHARACTERS: Final = 100_000
"""Maximum length of a cell."""

ORDERS: Final = ("<", "<=", ">", ">=")
_FLIPPED: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "!=": "!="}

_STRING: Final = r'"(?:[^"\\]|\\.)*"'
_SINGLE: Final = r"'(?:[^'\\]|\\.)*'"  # as some tools write text
_NUMBER: Final = r"-?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?"
_SIGN: Final = r"<=|>=|!=|==|\.\.|[<>=(),\[\]?@-]"
_CALL: Final = r"date\s+and\s+time|date|time|duration|not|starts\s+with(?=\s*\(\s*\?)"
_FEEL: Final = lazy(
    r"(?P<space>\s+|//[^\n]*|/\*.*?\*/)"
    rf"|(?P<string>{_STRING}|{_SINGLE})"
    rf"|(?P<number>{_NUMBER})(?!\w)"
    rf"|(?P<call>{_CALL})(?=\s*\()"
    rf"|(?P<sign>{_SIGN})"
    r"|(?P<word>[^\W\d]\w*(?:\.[^\W\d]\w*)*)",
    re.DOTALL,
)
# Cells that are one number, comparison or range, in a notation that has only one meaning.
_PLAIN_NUMBER: Final = r"-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,15})?"
_ORDINARY: Final = lazy(
    rf" ?(?:(<=?|>=?|!?=)? ?({_PLAIN_NUMBER})"
    rf"|([\[(\]]) ?({_PLAIN_NUMBER}) ?\.\. ?({_PLAIN_NUMBER}) ?([\])\[])) ?"
)
# Arithmetic that is more likely a date, a range or a typing error: 2026-01-31, 18-25, 1/2, [1...3].
_DOUBTFUL: Final = lazy(
    r"(?:^|[,(\[])\s*-?[\d.]+(?:\s*[-/]\s*[\d.]+)+\s*(?:$|[,)\]])|\.\.\.|\d{35}"
)
DASHES: Final = ("-", "–", "—", "−")


class Compare(NamedTuple):
    """A comparison of the value with a literal; None is null."""

    order: str
    value: Any


class Not(NamedTuple):
    """The negation of a test."""

    test: Test


class AllOf(NamedTuple):
    """The conjunction of tests; an empty one accepts anything."""

    tests: tuple[Test, ...]


class AnyOf(NamedTuple):
    """The disjunction of tests."""

    tests: tuple[Test, ...]


Test: TypeAlias = "Compare | Not | AllOf | AnyOf"
ANYTHING: Final = AllOf(())


def parse(text: str) -> Test:
    """Return the test in a cell."""
    test = ordinary(text)
    return _parse(text) if test is None else test


def ordinary(text: str) -> Test | None:
    """Return the test in a cell that needs no tokens, None for others.

    This is for speed only: the parser would read it alike.
    """
    match = _ORDINARY.fullmatch(text)
    if match is None:
        return None
    order, value, opening, low, high, closing = match.groups()
    if value is not None:
        return Compare(order or "=", number_of(value))
    return _bounded(number_of(low), opening == "[", number_of(high), closing == "]")


def _parse(text: str) -> Test:
    try:
        return _literal(text)
    except FormatError:
        test = _constant(text)
        if test is None:
            raise
        return test


def _constant(text: str) -> Test | None:
    """Return the test in a cell whose operands are constant expressions, None if they are not."""
    if _DOUBTFUL.search(text):
        return None
    from irenic.formats.feel.interpreter import parse_tests  # rarely needed

    try:
        tests = parse_tests(text)
        if not all(item.value.constant for item in tests.items):
            return None
        parts = [_of_constant(item.order, item.value.run({})) for item in tests.items]
    except (FormatError, RecursionError):
        return None
    found = tuple(part for part in parts if part is not None)
    if len(found) < len(parts):
        return None
    test = found[0] if len(found) == 1 else AnyOf(found)
    return Not(test) if tests.negated else test


def _of_constant(order: str, value: Any) -> Test | None:
    from irenic.formats.feel.interpreter import Range, from_feel

    if not order and isinstance(value, Range):
        if value.low is None or value.high is None:
            return None
        bounds = from_feel(value.low), from_feel(value.high)
        return _range(bounds[0], value.low_in, bounds[1], value.high_in, 1)
    value = from_feel(value)
    # a truth value would be that of the expression, not of the column
    if isinstance(value, bool) or not _is_literal(value):
        return None
    return Compare(order or "=", value)


def _is_literal(value: Any) -> bool:
    """Return whether the value of an expression can be written as a literal."""
    if isinstance(value, int | float):
        return abs(value) <= sys.float_info.max
    return kind_of(value) not in ("null", "value")


def _literal(text: str) -> Test:
    if text.strip() in ("", "-"):
        return ANYTHING
    parser = _TestParser(text)
    test = parser.tests()
    parser.end()
    return test


def parse_value(text: str) -> Any:
    """Return the value of a literal; None is null."""
    parser = _TestParser(text)
    try:
        value = parser.value()
        parser.end()
    except FormatError:
        value = _constant_value(text)
        if value is None:
            raise
    return value


def _constant_value(text: str) -> Any:
    """Return the value of a constant expression, None if it is not one or has none."""
    if _DOUBTFUL.search(text):
        return None
    from irenic.formats.feel.interpreter import from_feel, parse_expression  # rarely needed

    try:
        formula = parse_expression(text)
        value = from_feel(formula.run({})) if formula.constant else None
    except (FormatError, RecursionError):
        return None
    return value if _is_literal(value) else None


def comparisons(test: Test) -> tuple[Compare, ...]:
    """Return the comparisons that a test consists of."""
    if isinstance(test, Compare):
        return (test,)
    if isinstance(test, Not):
        return comparisons(test.test)
    for part in test.tests:
        if type(part) is not Compare:
            return tuple(c for part in test.tests for c in comparisons(part))
    return test.tests  # type: ignore[return-value]


def kind_of(value: Hashable) -> str:
    """Return the kind of a literal; values of different kinds cannot be compared."""
    if value is None:
        return "null"
    return _KINDS.get(type(value), "value")


_KINDS: Final[dict[type, str]] = {
    bool: "boolean",
    int: "number",
    float: "number",
    str: "text",
    Prefix: "text",
    dt.datetime: "datetime",
    dt.date: "date",
    dt.time: "time",
    dt.timedelta: "duration",
    Months: "months",
}


def _tokenize(text: str) -> list[Token]:
    if len(text) > MOST_CHARACTERS:
        raise FormatError(
            f"a cell must have at most {MOST_CHARACTERS:,} characters, got {len(text):,}"
        )
    tokens = []
    at = 0
    while at < len(text):
        match = _FEEL.match(text, at)
        if match is None:
            raise FormatError(_unreadable(text[at:]), column=at + 1)
        if text.startswith("...", at) and match.lastgroup == "sign":
            raise FormatError("a range must have two dots, as in [18..30], got 3", column=at + 1)
        if match.lastgroup != "space":
            tokens.append(Token(match.lastgroup or "", match.group().rstrip(), at + 1))
        at = match.end()
    tokens.append(Token("end", "", len(text) + 1))
    return tokens


def _unreadable(rest: str) -> str:
    if rest[0] in "\"'":
        return "the quotes around a text are not closed"
    if rest[0].isdigit():
        word = re.split(r"[\s,<>=()\[\]]", rest, maxsplit=1)[0]
        return f"{word!r} is not a number; quote it if it is text"
    return (
        f"unexpected {rest[0]!r}; a cell must contain conditions such as >= 18, [18..30] or"
        ' "text" in quotes'
    )


class _TestParser:
    """Recursive descent over the tokens of one cell."""

    def __init__(self, text: str) -> None:
        self.tokens = _tokenize(text)
        self.at = 0
        self.depth = 0

    @property
    def token(self) -> Token:
        return self.tokens[self.at]

    def take(self) -> Token:
        token = self.token
        self.at = min(self.at + 1, len(self.tokens) - 1)
        return token

    def sign(self, *signs: str) -> str | None:
        if self.token.kind == "sign" and self.token.text in signs:
            return self.take().text
        return None

    def word(self, *words: str) -> str | None:
        if self.token.kind == "word" and self.token.text in words:
            return self.take().text
        return None

    def need(self, sign: str) -> None:
        if not self.sign(sign):
            raise self.expected(repr(sign))

    def expected(self, what: str) -> FormatError:
        token = self.token
        actual = "the end" if token.kind == "end" else repr(token.text)
        return FormatError(f"expected {what}, got {actual}", column=token.column)

    def end(self) -> None:
        if self.token.kind != "end":
            before = self.tokens[self.at - 1]
            if self.token.text == ".." and self.at == 1:
                high = self.tokens[self.at + 1].text
                raise FormatError(
                    f"a range must be in brackets: [{before.text}..{high}]", column=before.column
                )
            raise FormatError(f"unexpected {self.token.text!r}", column=self.token.column)

    def nest(self, token: Token) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise FormatError(
                f"brackets must be nested at most {MAX_DEPTH} deep", column=token.column
            )

    # --- tests

    def tests(self) -> Test:
        self.nest(self.token)
        items = [self.item()]
        while self.sign(","):
            items.append(self.item())
        self.depth -= 1
        return items[0] if len(items) == 1 else AnyOf(tuple(items))

    def item(self) -> Test:
        parts = [self.conjunction()]
        while self.word("or"):
            parts.append(self.conjunction())
        return parts[0] if len(parts) == 1 else AnyOf(tuple(parts))

    def conjunction(self) -> Test:
        start, first = self.at, self.unit()
        units = [first]
        while self.word("and"):
            units.append(self.unit())
        joined = len(units) > 1 or (self.token.kind == "word" and self.token.text == "or")
        if joined and "?" not in {t.text for t in self.tokens[start:]}:
            raise FormatError(
                "'and' and 'or' must join tests of ?, as in ? > 5 and ? < 10",
                column=self.tokens[start].column,
            )
        return first if len(units) == 1 else AllOf(tuple(units))

    def unit(self) -> Test:
        token = self.token
        if token.kind == "call" and token.text == "not":
            self.take()
            self.need("(")
            inner = self.tests()
            self.need(")")
            return Not(inner)
        if token.kind == "call" and token.text.startswith("starts"):
            return Compare("=", self.starts_with())
        if self.sign("?"):
            return self.question()
        if order := self.order():
            return self.compared(order, token)
        if token.kind == "sign" and token.text in ("[", "(", "]"):
            return self.bracket()
        value = self.value()
        flipped = self.order()
        if flipped is None:
            return Compare("=", value)
        if not self.sign("?"):
            raise self.expected("'?'")
        return _compare(_FLIPPED[flipped], value, token.column)

    def starts_with(self) -> Prefix:
        """Parse ``starts with(?, "I2")``."""
        token = self.take()
        self.need("(")
        if self.take().text != "?":
            raise _function("starts with", token)
        self.need(",")
        text = self.value()
        self.need(")")
        if not isinstance(text, str):
            raise _function("starts with", token)
        return _placed(token, text)

    def order(self) -> str | None:
        if self.sign("=="):
            return "="
        return self.sign("<", "<=", ">", ">=", "=", "!=")

    def compared(self, order: str, token: Token) -> Test:
        return _compare(order, self.value(), token.column)

    def question(self) -> Test:
        """Parse what follows ``?``, the value itself."""
        token = self.token
        if self.word("in"):
            if self.token.text == "?":
                raise self.expected("a test after 'in'")
            return self.unit()
        if self.word("between"):
            low = self.value()
            if not self.word("and"):
                raise self.expected("'and'")
            return _range(low, True, self.value(), True, token.column)
        if order := self.order():
            return self.compared(order, token)
        if token.kind == "end" or (token.kind in ("sign", "word") and token.text in _AFTER):
            return Compare("=", True)
        raise self.expected("a comparison, 'in' or 'between' after '?'")

    def bracket(self) -> Test:
        """Parse a range, or tests in brackets."""
        opening = self.take()
        start = self.at
        signed = self.token.kind == "sign" and self.token.text not in ("-", "@")
        value = _NONE if signed else self.bound()
        if value is not _NONE and self.sign(".."):
            high = self.value()
            closing = self.sign("]", ")", "[")
            if closing is None:
                raise self.expected("']', ')' or '[' at the end of a range")
            return _range(value, opening.text == "[", high, closing == "]", opening.column)
        if opening.text == "]":
            raise self.expected("'..' in a range")
        self.at = start
        inner = self.tests()
        self.need(")" if opening.text == "(" else "]")
        return inner

    def bound(self) -> Any:
        """Return the value that a range may begin with, or _NONE to parse it as a test instead."""
        depth = self.depth
        try:
            return self.value()
        except FormatError:
            self.depth = depth
            return _NONE

    # --- values

    def value(self) -> Any:
        token = self.take()
        if token.kind == "number":
            return read_number(token)
        if token.kind == "string":
            return read_text(token)
        if token.kind == "sign":
            return self.signed(token)
        if token.kind == "call" and token.text != "not" and not token.text.startswith("starts"):
            return self.call(token)
        if token.kind == "word":
            if token.text in _WORD_VALUES:
                return _WORD_VALUES[token.text]
            raise self.name(token)
        self.at -= 1 if token.kind != "end" else 0
        raise self.expected("a value")

    def name(self, token: Token) -> FormatError:
        """Return the error for a name or a function, which may have several words."""
        words, at = [token.text], self.at
        while self.tokens[at].kind == "word" and self.tokens[at].text not in ("and", "or"):
            words.append(self.tokens[at].text)
            at += 1
        if self.tokens[at].kind == "sign" and self.tokens[at].text == "(" and words[0] != "if":
            return _function(" ".join(words), token)
        if token.text in _EXPRESSIONS:
            return FormatError(
                f"{token.text!r} begins an expression, which is not supported; a cell must contain"
                " conditions such as >= 18",
                column=token.column,
            )
        return FormatError(
            f"{token.text!r} is a name, and names are not supported; compare with a value such as"
            ' 18, "text" in quotes, true or date("2026-01-31")',
            column=token.column,
        )

    def signed(self, token: Token) -> Any:
        """Return the value after ``-``, ``@`` or ``(``."""
        if token.text == "-":
            self.nest(token)
            value = self.value()
            self.depth -= 1
            if isinstance(value, Months):
                return Months(-value.count)
            if isinstance(value, dt.timedelta | int | float) and not isinstance(value, bool):
                return -value
            raise FormatError(f"{in_message(value)} cannot be negated", column=token.column)
        if token.text == "@" and self.token.kind == "string":
            return read_at(self.take())
        if token.text == "(":
            self.nest(token)
            value = self.value()
            self.need(")")
            self.depth -= 1
            return value
        self.at -= 1
        raise self.expected("a value")

    def call(self, token: Token) -> Any:
        self.need("(")
        self.nest(token)
        arguments = [self.value()]
        while self.sign(","):
            arguments.append(self.value())
        self.need(")")
        self.depth -= 1
        return construct(" ".join(token.text.split()), arguments, token)


_NONE: Final = object()
_AFTER: Final = (",", ")", "]", "and", "or")
_EXPRESSIONS: Final = ("if", "for", "some", "every", "function")
_WORD_VALUES: Final[dict[str, Any]] = {"true": True, "false": False, "null": None}


def _placed(token: Token, text: str) -> Prefix:
    try:
        return Prefix(text)
    except FormatError as error:
        raise FormatError(error.message, column=token.column) from None


def _compare(order: str, value: Any, column: int) -> Compare:
    if isinstance(value, Prefix) and order not in ("=", "!="):
        raise FormatError(f"{value} stands for many texts, which have no order", column=column)
    if value is None and order in ORDERS:
        raise FormatError(
            f"{order} null never holds, because null has no order; write null or not(null)",
            column=column,
        )
    return Compare(order, value)


def _range(low: Any, low_in: bool, high: Any, high_in: bool, column: int) -> Test:
    if kind_of(low) != kind_of(high) or low is None:
        raise FormatError(
            "the bounds of a range must be values of one kind, got"
            f" {in_message(low)} and {in_message(high)}",
            column=column,
        )
    if isinstance(low, Prefix) or isinstance(high, Prefix):
        raise FormatError("the bounds of a range must not be prefixes", column=column)
    if isinstance(low, bool):
        raise FormatError("the bounds of a range must not be booleans", column=column)
    return _bounded(low, low_in, high, high_in)


def _bounded(low: Any, low_in: bool, high: Any, high_in: bool) -> Test:
    return AllOf((Compare(">=" if low_in else ">", low), Compare("<=" if high_in else "<", high)))


def _function(name: str, token: Token) -> FormatError:
    return FormatError(
        f"{name!r} is a function, and functions are not supported; compare with a value such as 18",
        column=token.column,
    )
