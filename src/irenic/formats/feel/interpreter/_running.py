"""What expressions of FEEL are made of: functions of a scope, made of other such functions."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final, NamedTuple, TypeAlias

from irenic.errors import FormatError
from irenic.formats.feel.interpreter._functions import call, contains
from irenic.formats.feel.interpreter._values import Range, compare, decided, kind_of

Scope: TypeAlias = "Mapping[str, Any]"
Run: TypeAlias = "Callable[[Scope], Any]"
Sources: TypeAlias = "Sequence[tuple[str, Run]]"
"""The variables of a loop, with what they iterate over."""

_MOST_STEPS: Final = 1_000_000


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
        inner = inside(scope, {"?": value})
        results = [item.holds(value, inner) for item in self.items]
        if self.negated:
            return all(result is False for result in results)
        return any(result is True for result in results)


def inside(scope: Scope, values: dict[str, Any]) -> Scope:
    """Return a scope in which some names have other values."""
    return ChainMap(values, scope)  # type: ignore[arg-type]


# --- expressions with parts


def applied(function: Callable[..., Any], *parts: Run) -> Run:
    return lambda scope: function(*(part(scope) for part in parts))


def listed(parts: Sequence[Run]) -> Run:
    return lambda scope: [part(scope) for part in parts]


def context(entries: Sequence[tuple[str | None, Run]]) -> Run:
    """Return a context, whose entries can use those before them; None names the result instead."""

    def run(scope: Scope) -> Any:
        values: dict[str, Any] = {}
        inner = inside(scope, values)
        for name, entry in entries:
            if name is None:
                return entry(inner)
            values[name] = entry(inner)
        return values

    return run


def condition(test: Run, then: Run, otherwise: Run) -> Run:
    return lambda scope: then(scope) if test(scope) is True else otherwise(scope)


def logical(parts: list[Run], some: bool) -> Run:
    """Return the disjunction of parts (``some``), or their conjunction."""
    if len(parts) == 1:
        return parts[0]
    return lambda scope: decided((part(scope) for part in parts), some)


def passing(left: Run, items: Sequence[Item]) -> Run:
    return lambda scope: Tests(tuple(items)).holds(left(scope), scope)


def half(order: str, bound: Run) -> Run:
    """Return the range of values that compare with a bound."""

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


def between(low: Run, high: Run, low_in: bool, high_in: bool) -> Run:
    def run(scope: Scope) -> Range | None:
        bounds = low(scope), high(scope)
        return None if None in bounds else Range(*bounds, low_in, high_in)

    return run


def instance(value: Run, type_name: str) -> Run:
    wanted = " ".join(type_name.partition("<")[0].split())

    def run(scope: Scope) -> bool:
        kind = kind_of(value(scope))
        return kind != "null" if wanted == "Any" else kind == wanted

    return run


# --- loops


def steps(first: Run, last: Run) -> Run:
    """Return the whole numbers from one to another."""

    def run(scope: Scope) -> Any:
        low, high = first(scope), last(scope)
        if not isinstance(low, Decimal) or not isinstance(high, Decimal):
            return None
        if abs(high - low) > _MOST_STEPS:
            raise _too_long()
        step = 1 if high >= low else -1
        return [Decimal(n) for n in range(int(low), int(high) + step, step)]

    return run


def loop(sources: Sources, body: Run) -> Run:
    """Return the values of a body for all values of variables; ``partial`` are those so far."""

    def run(scope: Scope) -> Any:
        results: list[Any] = []
        for bound in _bindings(sources, scope):
            if bound is None:
                return None
            results.append(body(inside(scope, {**bound, "partial": [*results]})))
        return results

    return run


def quantified(some: bool, sources: Sources, test: Run) -> Run:
    """Return whether a test holds for some values of variables, or for all."""

    def run(scope: Scope) -> Any:
        bindings = [*_bindings(sources, scope)]
        if None in bindings:
            return None
        return decided((test(inside(scope, bound or {})) for bound in bindings), some)

    return run


def _bindings(sources: Sources, scope: Scope) -> Iterator[dict[str, Any] | None]:
    """Yield the values of the variables of a loop; None if one is not a list."""
    bound: list[dict[str, Any]] = [{}]
    for name, source in sources:
        following: list[dict[str, Any]] = []
        for values in bound:
            items = source(inside(scope, values))
            if items is None:
                yield None
                return
            items = items if isinstance(items, list) else [items]
            following += [{**values, name: item} for item in items]
            if len(following) > _MOST_STEPS:
                raise _too_long()
        bound = following
    yield from bound


def _too_long() -> FormatError:
    return FormatError(f"a loop must have at most {_MOST_STEPS:,} steps")


def filtered(source: Run, test: Run) -> Run:
    """Return the items of a list that pass a test, or the one at a position."""

    def run(scope: Scope) -> Any:
        value = source(scope)
        if value is None:
            return None
        items = value if isinstance(value, list) else [value]
        scopes = [
            inside(scope, {"item": item, **(item if isinstance(item, dict) else {})})
            for item in items
        ]
        first = test(scopes[0] if scopes else scope)
        if isinstance(first, Decimal):
            place = int(first)
            if place == 0 or abs(place) > len(items):
                return None
            return items[place - 1 if place > 0 else place]
        return [item for item, inner in zip(items, scopes, strict=True) if test(inner) is True]

    return run


# --- functions


class _Function:
    """A function that a model defines; a wrong number of arguments gives None."""

    def __init__(self, parameters: list[str], body: Run, scope: Scope) -> None:
        self.parameters, self.body, self.scope = parameters, body, scope

    def __call__(self, *values: Any, **named: Any) -> Any:
        given = dict(zip(self.parameters, values, strict=False)) | named
        if len(values) + len(named) != len(given) or given.keys() != {*self.parameters}:
            return None
        return self.body(inside(self.scope, given))


def function(parameters: list[str], body: Run, scope: Scope) -> Callable[..., Any]:
    """Return a function of FEEL; a wrong number of arguments gives None."""
    return _Function(parameters, body, scope)


def invocation(target: Run, arguments: Sequence[Run], named: Mapping[str, Run]) -> Run:
    """Return the result of a function, None if what is called is none."""

    def run(scope: Scope) -> Any:
        values = [argument(scope) for argument in arguments]
        by_name = {name: argument(scope) for name, argument in named.items()}
        called = target(scope)
        if isinstance(called, _Function):
            return called(*values, **by_name)
        return call(called, values, by_name) if callable(called) else None

    return run
