"""The parser of FEEL expressions: it turns them into functions of their variables.

::

    expression = if | for | some | every | function | or
    or         = and {"or" and},  and = comparison {"and" comparison}
    comparison = sum {order sum | between sum and sum | in tests | instance of type}
    sum        = product {(+ | -) product},  product = power {(* | /) power}
    power      = unary {"**" unary},  unary = "-" unary | postfix
    postfix    = primary {"." name | "[" expression "]" | "(" arguments ")"}

Names may have spaces, so the parser has to know them. Nothing but FEEL is evaluated: there are no
side effects, and no access to Python.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from functools import partial
from typing import Any, Final

from irenic.errors import FormatError
from irenic.formats.feel._literals import read_at, read_text
from irenic.formats.feel.interpreter._functions import FUNCTIONS, NOT_CONSTANT
from irenic.formats.feel.interpreter._running import (
    Formula,
    Item,
    Run,
    Tests,
    applied,
    between,
    condition,
    context,
    filtered,
    function,
    half,
    instance,
    invocation,
    listed,
    logical,
    loop,
    passing,
    quantified,
    steps,
)
from irenic.formats.feel.interpreter._values import (
    DECIMALS,
    Range,
    calculate,
    compare,
    property_of,
)
from irenic.formats.feel.names import KEYWORDS, known_names
from irenic.model.notation import Token
from irenic.model.patterns import lazy

MAX_DEPTH: Final = 50
MOST_CHARACTERS: Final = 100_000
_SPACE: Final = lazy(r"(?:\s|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_NUMBER: Final = lazy(r"(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?")
_STRING: Final = lazy(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\"""", re.DOTALL)
_WORD: Final = lazy(r"[^\W\d]\w*")
_NOT: Final = lazy(r"not\s*\(")
_ORDER: Final = lazy(r"<=|>=|!=|==|<|>|=")
# The bracket at the end of an open range, ]1..2[, is no filter, which cannot be empty.
_CLOSING: Final = lazy(r"\[\s*(?:$|[,)\]]|and\b|or\b)")
_TYPE: Final = lazy(r"[\w .]+(?:<[^()]*>)?")
_CONSTANTS: Final[dict[str, Any]] = {"true": True, "false": False, "null": None}
_BUILT_IN: Final = frozenset(name for name in FUNCTIONS if " " in name)
_PARTS: Final = frozenset({"time offset", "start included", "end included"})


def parse_expression(text: str, names: Iterable[str] = ()) -> Formula:
    """Return an expression as a function of a scope; ``names`` are those that may have spaces."""
    parser = _ExpressionParser(text, names)
    run = parser.expression()
    parser.end()
    return parser.formula(run, 0)


def parse_tests(text: str, names: Iterable[str] = ()) -> Tests:
    """Return the tests of a cell."""
    if text.strip() in ("", "-"):
        return Tests((), negated=True)
    parser = _ExpressionParser(text, names)
    if parser.match(_NOT):
        try:
            tests = Tests(tuple(parser.items()), negated=True)
            parser.need(")")
            parser.end()
            return tests
        except FormatError:
            parser = _ExpressionParser(text, names)  # an expression that begins with not(…)
    tests = Tests(tuple(parser.items()))
    parser.end()
    return tests


class _ExpressionParser:
    """Recursive descent over the characters of an expression."""

    def __init__(self, text: str, names: Iterable[str]) -> None:
        if len(text) > MOST_CHARACTERS:
            raise FormatError(
                f"an expression must have at most {MOST_CHARACTERS:,} characters, got {len(text):,}"
            )
        self.text = text
        self.known = frozenset(name for name in names if not _WORD.fullmatch(name))
        self.at = 0
        self.depth = 0
        self.used: list[tuple[int, str]] = []
        """The names that were read, and where."""
        self.local: list[str] = []
        self.varying: list[int] = []
        """Where a loop, a function or a call begins whose result is not a constant."""
        self.paths: dict[tuple[int, int], str] = {}
        self.skip()

    # --- characters

    def skip(self) -> None:
        match = _SPACE.match(self.text, self.at)
        self.at = match.end() if match else self.at

    def match(self, pattern: re.Pattern[str]) -> str | None:
        match = pattern.match(self.text, self.at)
        if match is None or not match.group():
            return None
        self.at = match.end()
        self.skip()
        return match.group()

    def sign(self, *signs: str) -> str | None:
        for sign in signs:
            if self.text.startswith(sign, self.at):
                self.at += len(sign)
                self.skip()
                return sign
        return None

    def peek(self, sign: str) -> bool:
        return self.text.startswith(sign, self.at)

    def keyword(self, word: str) -> bool:
        match = lazy(rf"{word}(?!\w)").match(self.text, self.at)
        if match is None or self.known_name():
            return False
        self.at = match.end()
        self.skip()
        return True

    def known_name(self) -> str | None:
        """Return the known name that begins here, without moving on."""
        match = known_names(self.known).match(self.text, self.at)
        return None if match is None else match.group()

    def need(self, sign: str) -> None:
        if not self.sign(sign):
            raise self.expected(repr(sign))

    def need_keyword(self, word: str) -> None:
        if not self.keyword(word):
            raise self.expected(repr(word))

    def expected(self, what: str) -> FormatError:
        rest = self.text[self.at :].split("\n", maxsplit=1)[0]
        actual = repr(rest[:20]) if rest else "the end"
        return FormatError(f"expected {what}, got {actual}", column=self.at + 1)

    def end(self) -> None:
        if self.at < len(self.text):
            raise self.expected("the end")

    def nest(self) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise FormatError(
                f"expressions must be nested at most {MAX_DEPTH} deep", column=self.at + 1
            )

    def formula(self, run: Run, start: int) -> Formula:
        names = frozenset(name for at, name in self.used if at >= start)
        varying = any(at >= start for at in self.varying)
        path = self.paths.get((self.first(start), self.at), "")
        text = " ".join(self.text[start : self.at].split())
        return Formula(run, names, not names and not varying, path, text)

    def first(self, start: int) -> int:
        match = _SPACE.match(self.text, start)
        return match.end() if match else start

    # --- tests of a cell

    def items(self) -> Iterator[Item]:
        yield self.item()
        while self.sign(","):
            yield self.item()

    def item(self, *, whole: bool = True) -> Item:
        """Parse a test of a cell, or (not ``whole``) of the operator ``in``."""
        order = self.match(_ORDER) or ""
        start = self.at
        run = self.expression() if whole and not order else self.sum()
        return Item(order.replace("==", "="), self.formula(run, start))

    # --- expressions

    def expression(self) -> Run:
        self.nest()
        if self.keyword("if"):
            run = self.condition()
        elif self.keyword("for"):
            run = self.loop()
        elif self.keyword("some"):
            run = self.quantified(True)
        elif self.keyword("every"):
            run = self.quantified(False)
        elif self.keyword("function"):
            run = self.function()
        else:
            run = self.disjunction()
        self.depth -= 1
        return run

    def condition(self) -> Run:
        test = self.expression()
        self.need_keyword("then")
        then = self.expression()
        self.need_keyword("else")
        return condition(test, then, self.expression())

    def variable(self) -> str:
        """Return a new name, which may have spaces, and remember it."""
        match = lazy(r"([^\W\d][^:=,()\[\]{}]*?)\s*(?=(?:\bin\b|[:,)]))").match(self.text, self.at)
        if match is None:
            raise self.expected("a name")
        self.at = match.end()
        self.skip()
        name = " ".join(match.group(1).split())
        self.define(name)
        return name

    def define(self, name: str) -> None:
        if not _WORD.fullmatch(name):
            self.known |= {name}
        self.local.append(name)

    def sources(self) -> list[tuple[str, Run]]:
        """Return the variables of a loop, with what they iterate over."""
        self.varying.append(self.at)
        sources = []
        while True:
            name = self.variable()
            self.need_keyword("in")
            first = self.expression()
            if self.sign(".."):
                last = self.expression()
                sources.append((name, steps(first, last)))
            else:
                sources.append((name, first))
            if not self.sign(","):
                return sources

    def loop(self) -> Run:
        depth = len(self.local)
        sources = self.sources()
        self.need_keyword("return")
        self.define("partial")
        body = self.expression()
        del self.local[depth:]
        return loop(sources, body)

    def quantified(self, some: bool) -> Run:
        depth = len(self.local)
        sources = self.sources()
        self.need_keyword("satisfies")
        test = self.expression()
        del self.local[depth:]
        return quantified(some, sources, test)

    def function(self) -> Run:
        self.varying.append(self.at)
        self.need("(")
        depth = len(self.local)
        parameters = []
        while not self.sign(")"):
            parameters.append(self.variable())
            if self.sign(":"):
                self.match(_TYPE)
            if not self.peek(")"):
                self.need(",")
        if self.keyword("external"):
            raise FormatError("external functions are not supported", column=self.at + 1)
        body = self.expression()
        del self.local[depth:]
        return lambda scope: function(parameters, body, scope)

    def disjunction(self) -> Run:
        return logical([*self.separated("or", self.conjunction)], some=True)

    def conjunction(self) -> Run:
        return logical([*self.separated("and", self.comparison)], some=False)

    def separated(self, word: str, parse: Callable[[], Run]) -> Iterator[Run]:
        yield parse()
        while self.keyword(word):
            yield parse()

    def comparison(self) -> Run:
        left = self.sum()
        while True:
            if order := self.match(_ORDER):
                left = applied(partial(compare, order.replace("==", "=")), left, self.sum())
            elif self.keyword("between"):
                low = self.sum()
                self.need_keyword("and")
                left = applied(_is_between, left, low, self.sum())
            elif self.keyword("in"):
                left = self.membership(left)
            elif self.keyword("instance"):
                self.need_keyword("of")
                left = instance(left, self.match(_TYPE) or "")
            else:
                return left

    def membership(self, left: Run) -> Run:
        """Parse the tests after ``in``: a list in brackets, or one test."""
        start = self.at
        if self.sign("("):
            try:
                items = [*self.items()]
                if not self.peek(".."):
                    self.need(")")
                    return passing(left, items)
            except FormatError:
                pass
            self.at = start
        return passing(left, [self.item(whole=False)])

    def sum(self) -> Run:
        return self.calculated(("+", "-"), self.product)

    def product(self) -> Run:
        return self.calculated(("*", "/"), self.power)

    def power(self) -> Run:
        return self.calculated(("**",), self.unary)

    def calculated(self, signs: tuple[str, ...], parse: Callable[[], Run]) -> Run:
        left = parse()
        while (signs == ("**",) or not self.peek("**")) and (sign := self.sign(*signs)):
            left = applied(partial(calculate, sign), left, parse())
        return left

    def unary(self) -> Run:
        if not self.sign("-"):
            return self.postfix()
        self.nest()
        inner = self.unary()
        self.depth -= 1
        return applied(lambda value: calculate("*", value, Decimal(-1)), inner)

    def postfix(self) -> Run:
        start = self.at
        run = self.primary()
        path = self.paths.get((start, self.at), "")
        while True:
            if self.peek(".") and not self.peek(".."):
                self.sign(".")
                name = self.component()
                run = applied(partial(property_of, name), run)
                path = path and f"{path}.{name}"
                self.paths[start, self.at] = path
            elif self.peek("[") and not _CLOSING.match(self.text, self.at):
                self.sign("[")
                run, path = self.filter(run), ""
            elif self.sign("("):
                run, path = self.invocation(run), ""
            else:
                return run

    def component(self) -> str:
        """Return the name after a dot, which may have spaces."""
        parts = (part for part in _PARTS if self.text.startswith(part, self.at))
        name = self.known_name() or next(parts, None)
        if name is None:
            match = _WORD.match(self.text, self.at)
            if match is None:
                raise self.expected("a name after '.'")
            name = match.group()
        self.at += len(name)
        self.skip()
        return " ".join(name.split())

    def filter(self, run: Run) -> Run:
        start = self.at
        depth = len(self.local)
        self.define("item")
        test = self.expression()
        self.need("]")
        del self.local[depth:]
        self.varying.append(start)
        return filtered(run, test)

    def invocation(self, run: Run) -> Run:
        arguments: list[Run] = []
        named: dict[str, Run] = {}
        while not self.sign(")"):
            start = self.at
            match = lazy(r"([^\W\d][\w ]*?)\s*:").match(self.text, self.at)
            if match:
                self.at = match.end()
                self.skip()
                named[match.group(1)] = self.expression()
            else:
                self.at = start
                arguments.append(self.expression())
            if not self.peek(")"):
                self.need(",")
        return invocation(run, arguments, named)

    # --- values

    def primary(self) -> Run:
        start = self.at
        if name := self.known_name():
            self.at += len(name)
            self.skip()
            return self.reference(" ".join(name.split()), start)
        if number := self.match(_NUMBER):
            try:
                value: Any = DECIMALS.create_decimal(number)
            except ArithmeticError:
                raise FormatError(f"{number} is too large", column=start + 1) from None
            return lambda scope: value
        if string := self.match(_STRING):
            value = read_text(Token("string", string, start + 1))
            return lambda scope: value
        if self.sign("@"):
            if (string := self.match(_STRING)) is None:
                raise self.expected("a text after '@'")
            value = read_at(Token("string", string, start + 1))
            return lambda scope: value
        if self.sign("?"):
            self.used.append((start, "?"))
            return lambda scope: scope.get("?")
        if self.sign("{"):
            return self.context()
        if self.sign("["):
            return self.list_or_range()
        if self.sign("("):
            return self.bracket()
        if self.sign("]"):
            return self.range_from(self.expression(), False)
        return self.word(start)

    def word(self, start: int) -> Run:
        for name in sorted(_BUILT_IN, key=len, reverse=True):
            pattern = r"\s+".join(name.split()) + r"(?=\s*\()"
            if self.match(lazy(pattern)):
                return self.reference(name, start)
        word = self.match(_WORD)
        if word is None:
            raise self.expected("a value")
        if word in _CONSTANTS:
            value = _CONSTANTS[word]
            return lambda scope: value
        if word in KEYWORDS and not (word in ("and", "or") and self.peek("(")):
            self.at = start
            raise self.expected("a value")
        return self.reference(word, start)

    def reference(self, name: str, start: int) -> Run:
        built_in = FUNCTIONS.get(name) if self.peek("(") else None
        if built_in is not None:
            if name in NOT_CONSTANT:
                self.varying.append(start)
            return lambda scope: scope.get(name, built_in)
        if name not in self.local:
            self.used.append((start, name))
        self.paths[start, self.at] = name
        return lambda scope: scope.get(name)

    def context(self) -> Run:
        entries: list[tuple[str | None, Run]] = []
        depth = len(self.local)
        while not self.sign("}"):
            if string := self.match(_STRING):
                name = read_text(Token("string", string, self.at))
                self.define(name)
            else:
                name = self.variable()
            self.need(":")
            entries.append((name, self.expression()))
            if not self.peek("}"):
                self.need(",")
        del self.local[depth:]
        return context(entries)

    def list_or_range(self) -> Run:
        parts: list[Run] = []
        while not self.sign("]"):
            parts.append(self.expression())
            if len(parts) == 1 and self.peek(".."):
                return self.range_from(parts[0], True)
            if not self.peek("]"):
                self.need(",")
        return listed(parts)

    def bracket(self) -> Run:
        if order := self.match(_ORDER):
            bound = self.sum()
            self.need(")")
            return half(order, bound)
        inner = self.expression()
        if self.peek(".."):
            return self.range_from(inner, False)
        self.need(")")
        return inner

    def range_from(self, low: Run, low_in: bool) -> Run:
        self.need("..")
        high = self.expression()
        closing = self.sign("]", ")", "[")
        if closing is None:
            raise self.expected("']', ')' or '[' at the end of a range")
        return between(low, high, low_in, closing == "]")


def _is_between(value: Any, low: Any, high: Any) -> bool | None:
    return Range(low, high).holds(value)
