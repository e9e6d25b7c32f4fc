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
from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeAlias

from irenic.errors import FormatError
from irenic.formats.feel._literals import read_at, read_text
from irenic.formats.feel.functions import FUNCTIONS, NOT_CONSTANT, call, contains
from irenic.formats.feel.values import (
    DECIMALS,
    Range,
    calculate,
    compare,
    kind_of,
    property_of,
)
from irenic.model.notation import Token
from irenic.model.patterns import lazy

Scope: TypeAlias = "Mapping[str, Any]"
Run: TypeAlias = "Callable[[Scope], Any]"

MAX_DEPTH: Final = 50
MOST_CHARACTERS: Final = 100_000
_MOST_STEPS: Final = 1_000_000
_SPACE: Final = lazy(r"(?:\s|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_NUMBER: Final = lazy(r"(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?")
_STRING: Final = lazy(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\"""", re.DOTALL)
_WORD: Final = lazy(r"[^\W\d]\w*")
_NOT: Final = lazy(r"not\s*\(")
_ORDER: Final = lazy(r"<=|>=|!=|==|<|>|=")
# The bracket at the end of an open range, ]1..2[, is no filter, which cannot be empty.
_CLOSING: Final = lazy(r"\[\s*(?:$|[,)\]]|and\b|or\b)")
_TYPE: Final = lazy(r"[\w .]+(?:<[^()]*>)?")
KEYWORDS: Final = frozenset(
    {"if", "then", "else", "for", "in", "return", "some", "every", "satisfies", "and", "or"}
    | {"between", "instance", "of", "function", "external", "true", "false", "null"}
)
_CONSTANTS: Final[dict[str, Any]] = {"true": True, "false": False, "null": None}
_BUILT_IN: Final = frozenset(name for name in FUNCTIONS if " " in name)
_PARTS: Final = frozenset({"time offset", "start included", "end included"})


class Formula(NamedTuple):
    """A parsed expression: a function of its variables."""

    run: Run
    names: frozenset[str]
    """The names that it uses, ``?`` for the value that a cell tests."""
    constant: bool
    """Whether its value can be computed without variables, at once."""
    path: str
    """The expression, if it is only a name or a path such as ``Applicant.Age``, else ""."""
    text: str


class Item(NamedTuple):
    """One of the tests of a cell: a comparison with a value, or an expression ("" as order)."""

    order: str
    value: Formula

    def holds(self, value: Any, scope: Scope) -> bool | None:
        """Return whether a value passes the test."""
        operand = self.value.run(scope)
        if self.order:
            return compare(self.order, value, operand)
        if "?" in self.value.names:
            return operand is True
        return is_in(value, operand)


def is_in(value: Any, operand: Any) -> bool | None:
    """Return whether a value is one of those that an expression in a cell stands for."""
    if isinstance(operand, Range):
        return operand.holds(value)
    if isinstance(operand, list):
        if isinstance(value, list) and compare("=", value, operand):
            return True
        parts = [part.holds(value) for part in operand if isinstance(part, Range)]
        return contains(operand, value) or True in parts
    if isinstance(operand, bool) and kind_of(value) not in ("boolean", "null"):
        return operand
    return compare("=", value, operand)


class Tests(NamedTuple):
    """The tests of a cell, of which one must hold, or none if they are negated."""

    items: tuple[Item, ...]
    negated: bool = False

    @property
    def names(self) -> frozenset[str]:
        """The names that the tests use."""
        return frozenset().union(*(item.value.names for item in self.items))

    def holds(self, value: Any, scope: Scope) -> bool:
        """Return whether a value passes."""
        inner = ChainMap({"?": value}, scope)  # type: ignore[arg-type]
        results = [item.holds(value, inner) for item in self.items]
        if self.negated:
            return all(result is False for result in results)
        return any(result is True for result in results)


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


@lru_cache(maxsize=256)
def known_names(names: frozenset[str], *, components: bool = True) -> re.Pattern[str]:
    """Return a pattern that matches the longest of several names, as a component or not."""
    parts = [
        r"\s+".join(re.escape(word) for word in name.split())
        for name in sorted(names, key=len, reverse=True)
        if name.strip()
    ]
    before = "" if components else r"(?<!\w)(?<!(?<!\.)\.)"
    return lazy(f"{before}(?:{'|'.join(parts)})(?!\\w)" if parts else r"(?!)")


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

    def item(self) -> Item:
        order = self.match(_ORDER) or ""
        start = self.at
        run = self.sum() if order else self.expression()
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
        otherwise = self.expression()
        return lambda scope: then(scope) if test(scope) is True else otherwise(scope)

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
                sources.append((name, _steps(first, last)))
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

        def run(scope: Scope) -> Any:
            results: list[Any] = []
            for bound in _bindings(sources, scope):
                if bound is None:
                    return None
                results.append(body(ChainMap({**bound, "partial": [*results]}, scope)))  # type: ignore[arg-type]
            return results

        return run

    def quantified(self, some: bool) -> Run:
        depth = len(self.local)
        sources = self.sources()
        self.need_keyword("satisfies")
        test = self.expression()
        del self.local[depth:]

        def run(scope: Scope) -> Any:
            unknown = False
            for bound in _bindings(sources, scope):
                if bound is None:
                    return None
                result = test(ChainMap(bound, scope))  # type: ignore[arg-type]
                if result is some:
                    return some
                unknown |= not isinstance(result, bool)
            return None if unknown else not some

        return run

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
        parts = [self.conjunction()]
        while self.keyword("or"):
            parts.append(self.conjunction())
        return parts[0] if len(parts) == 1 else _logical(parts, True)

    def conjunction(self) -> Run:
        parts = [self.comparison()]
        while self.keyword("and"):
            parts.append(self.comparison())
        return parts[0] if len(parts) == 1 else _logical(parts, False)

    def comparison(self) -> Run:
        left = self.sum()
        while True:
            if order := self.match(_ORDER):
                left = _compared(order.replace("==", "="), left, self.sum())
            elif self.keyword("between"):
                low = self.sum()
                self.need_keyword("and")
                left = _within(left, low, self.sum())
            elif self.keyword("in"):
                left = self.membership(left)
            elif self.keyword("instance"):
                self.need_keyword("of")
                left = _instance(left, self.match(_TYPE) or "")
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
                    return _passing(left, items)
            except FormatError:
                pass
            self.at = start
        order = self.match(_ORDER) or ""
        start = self.at
        run = self.sum()
        return _passing(left, [Item(order.replace("==", "="), self.formula(run, start))])

    def sum(self) -> Run:
        left = self.product()
        while sign := self.sign("+", "-"):
            left = _calculated(sign, left, self.product())
        return left

    def product(self) -> Run:
        left = self.power()
        while True:
            if self.peek("**") or not (sign := self.sign("*", "/")):
                return left
            left = _calculated(sign, left, self.power())

    def power(self) -> Run:
        left = self.unary()
        while self.sign("**"):
            left = _calculated("**", left, self.unary())
        return left

    def unary(self) -> Run:
        if not self.sign("-"):
            return self.postfix()
        self.nest()
        inner = self.unary()
        self.depth -= 1
        minus = Decimal(-1)
        return lambda scope: calculate("*", inner(scope), minus)

    def postfix(self) -> Run:
        start = self.at
        run = self.primary()
        while True:
            if self.peek(".") and not self.peek(".."):
                self.sign(".")
                run = self.component(run, start)
            elif self.peek("[") and not _CLOSING.match(self.text, self.at):
                self.sign("[")
                run = self.filter(run)
            elif self.peek("("):
                self.sign("(")
                run = self.invocation(run)
            else:
                return run

    def component(self, run: Run, start: int) -> Run:
        before = self.paths.get((start, self.at - 1)) or self.paths.get(
            (start, self.dotless(start))
        )
        name = self.known_name() or next(
            (part for part in _PARTS if self.text.startswith(part, self.at)), None
        )
        if name is None:
            match = _WORD.match(self.text, self.at)
            if match is None:
                raise self.expected("a name after '.'")
            name = match.group()
        self.at += len(name)
        self.skip()
        name = " ".join(name.split())
        if before:
            self.paths[start, self.at] = f"{before}.{name}"
        return lambda scope: property_of(run(scope), name)

    def dotless(self, start: int) -> int:
        """Return where the path that begins at ``start`` ended, before its last dot."""
        return max((end for first, end in self.paths if first == start), default=-1)

    def filter(self, run: Run) -> Run:
        start = self.at
        depth = len(self.local)
        self.define("item")
        test = self.expression()
        self.need("]")
        del self.local[depth:]
        self.varying.append(start)
        return lambda scope: _filtered(run(scope), test, scope)

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

        def invoked(scope: Scope) -> Any:
            values = [argument(scope) for argument in arguments]
            by_name = {name: argument(scope) for name, argument in named.items()}
            target = run(scope)
            if isinstance(target, _Function):
                return target(*values, **by_name)
            return call(target, values, by_name) if callable(target) else None

        return invoked

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
        entries: list[tuple[str, Run]] = []
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

        def run(scope: Scope) -> dict[str, Any]:
            values: dict[str, Any] = {}
            inner = ChainMap(values, scope)  # type: ignore[arg-type]
            for name, entry in entries:
                values[name] = entry(inner)
            return values

        return run

    def list_or_range(self) -> Run:
        parts: list[Run] = []
        while not self.sign("]"):
            parts.append(self.expression())
            if len(parts) == 1 and self.peek(".."):
                return self.range_from(parts[0], True)
            if not self.peek("]"):
                self.need(",")
        return lambda scope: [part(scope) for part in parts]

    def bracket(self) -> Run:
        if order := self.match(_ORDER):
            bound = self.sum()
            self.need(")")
            return _half(order, bound)
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

        def run(scope: Scope) -> Range | None:
            bounds = low(scope), high(scope)
            return None if None in bounds else Range(*bounds, low_in, closing == "]")

        return run


# --- evaluation


class _Function:
    """A function that a model defines."""

    def __init__(self, parameters: list[str], body: Run, scope: Scope) -> None:
        self.parameters, self.body, self.scope = parameters, body, scope

    def __call__(self, *values: Any, **named: Any) -> Any:
        if len(values) + len(named) > len(self.parameters) or not named.keys() <= set(
            self.parameters
        ):
            return None
        given = dict(zip(self.parameters, values, strict=False)) | named
        if len(given) < len(self.parameters):
            return None
        return self.body(ChainMap(given, self.scope))  # type: ignore[arg-type]


def function(parameters: list[str], body: Run, scope: Scope) -> Callable[..., Any]:
    """Return a function of FEEL; a wrong number of arguments gives None."""
    return _Function(parameters, body, scope)


def _logical(parts: list[Run], some: bool) -> Run:
    def run(scope: Scope) -> bool | None:
        unknown = False
        for part in parts:
            value = part(scope)
            if value is some:
                return bool(some)
            unknown = unknown or not isinstance(value, bool)
        return None if unknown else not some

    return run


def _compared(order: str, left: Run, right: Run) -> Run:
    return lambda scope: compare(order, left(scope), right(scope))


def _within(value: Run, low: Run, high: Run) -> Run:
    return lambda scope: Range(low(scope), high(scope)).holds(value(scope))


def _passing(left: Run, items: list[Item]) -> Run:
    def run(scope: Scope) -> bool:
        value = left(scope)
        inner = ChainMap({"?": value}, scope)  # type: ignore[arg-type]
        return any(item.holds(value, inner) is True for item in items)

    return run


def _calculated(sign: str, left: Run, right: Run) -> Run:
    return lambda scope: calculate(sign, left(scope), right(scope))


def _half(order: str, bound: Run) -> Run:
    def run(scope: Scope) -> Range | None:
        value = bound(scope)
        if value is None:
            return None
        if order.startswith("<"):
            return Range(None, value, False, order == "<=")
        if order.startswith(">"):
            return Range(value, None, order == ">=", False)
        return Range(value, value)

    return run


def _instance(value: Run, type_name: str) -> Run:
    wanted = " ".join(type_name.partition("<")[0].split())

    def run(scope: Scope) -> bool:
        kind = kind_of(value(scope))
        return kind != "null" if wanted == "Any" else kind == wanted

    return run


def _steps(first: Run, last: Run) -> Run:
    def run(scope: Scope) -> Any:
        low, high = first(scope), last(scope)
        if not isinstance(low, Decimal) or not isinstance(high, Decimal):
            return None
        if abs(high - low) > _MOST_STEPS:
            raise FormatError(f"a loop must have at most {_MOST_STEPS:,} steps")
        step = 1 if high >= low else -1
        return [Decimal(n) for n in range(int(low), int(high) + step, step)]

    return run


def _bindings(sources: list[tuple[str, Run]], scope: Scope) -> Iterator[dict[str, Any] | None]:
    """Yield the values of the variables of a loop; None if one is not a list."""
    bound: list[dict[str, Any]] = [{}]
    for name, source in sources:
        following: list[dict[str, Any]] = []
        for values in bound:
            items = source(ChainMap(values, scope))  # type: ignore[arg-type]
            if items is None:
                yield None
                return
            items = items if isinstance(items, list) else [items]
            following += [{**values, name: item} for item in items]
            if len(following) > _MOST_STEPS:
                raise FormatError(f"a loop must have at most {_MOST_STEPS:,} steps")
        bound = following
    yield from bound


def _filtered(value: Any, test: Run, scope: Scope) -> Any:
    if value is None:
        return None
    items = value if isinstance(value, list) else [value]
    scopes = [_of_item(item, scope) for item in items]
    first = test(scopes[0]) if scopes else test(scope)
    if isinstance(first, Decimal):
        place = int(first)
        if place == 0 or abs(place) > len(items):
            return None
        return items[place - 1 if place > 0 else place]
    return [item for item, inner in zip(items, scopes, strict=True) if test(inner) is True]


def _of_item(item: Any, scope: Scope) -> Scope:
    entries = item if isinstance(item, dict) else {}
    return ChainMap({"item": item, **entries}, scope)  # type: ignore[arg-type]
