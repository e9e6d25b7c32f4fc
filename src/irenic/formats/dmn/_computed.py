"""Cells that name other data or call functions: conditions on features that are computed.

A comparison of two values of one kind (``> limit``) is exact: it becomes a condition on the feature
``"amount compared with limit"``, whose values are less, equal and greater. Any other such cell is
an opaque condition: a feature that is true or false, named after its expression, of which nothing
else is known. The rest of the table is checked as usual, and findings hold whatever the expression.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, NamedTuple

from irenic.errors import FormatError
from irenic.formats.dmn._ordering import BOTH, DIFFERENT, EQUAL, FLIPPED, GREATER, LESS, Compared
from irenic.formats.dmn._types import Type
from irenic.formats.dmn.deciding import Decisions
from irenic.formats.feel.interpreter import (
    Formula,
    Item,
    Tests,
    compare,
    from_feel,
    parse_expression,
    parse_tests,
    to_feel,
)
from irenic.formats.feel.unary_tests import (
    ANYTHING,
    AllOf,
    AnyOf,
    Compare,
    Test,
    comparisons,
    parse,
)
from irenic.formats.tables.drafts import Cell, Input, TableDraft
from irenic.model.features import Categorical, Feature
from irenic.model.space import Space

_RELATIONS: Final = {
    "<": (LESS,),
    "<=": (LESS, EQUAL),
    "=": (EQUAL, BOTH),
    "": (EQUAL, BOTH),
    "!=": (LESS, GREATER, None),
    ">=": (EQUAL, GREATER),
    ">": (GREATER,),
}
_NEGATED: Final = {
    "<": (EQUAL, GREATER),
    "<=": (GREATER,),
    "=": (LESS, GREATER, None),
    "": (LESS, GREATER, None),
    "!=": (EQUAL, BOTH),
    ">=": (LESS,),
    ">": (LESS, EQUAL),
}
_RANGE: Final = re.compile(r"\s*([\[(\]])(.*?)\.\.(.*)([\])\[])\s*", re.DOTALL)
_UNORDERED: Final = ("boolean",)


@dataclass(frozen=True)
class Computed:
    """How a feature is computed from a case, and the FEEL expression that does the same."""

    text: str
    names: frozenset[str]
    """The names that the expression uses."""
    build: Callable[..., Callable[[Mapping[str, Any]], Any]]
    arguments: tuple[Any, ...]
    """What ``build`` makes the computation of, which cannot be pickled itself."""

    @cached_property
    def run(self) -> Callable[[Mapping[str, Any]], Any]:
        """The computation."""
        return self.build(*self.arguments)

    def __call__(self, case: Mapping[str, Any]) -> Any:
        """Return the value of the feature."""
        return self.run(case)

    @property
    def is_opaque(self) -> bool:
        """Whether only FEEL can compute it: it is neither a comparison nor an input expression."""
        return self.build is not _evaluation and (
            self.build is not _comparison or self.arguments[1].kind is None
        )

    @property
    def is_foreign(self) -> bool:
        """Whether it is in another language than FEEL, so that irenic cannot compute it."""
        return self.build is _foreign

    def columns(self, space: Space) -> tuple[Feature, Feature] | None:
        """Return the two columns that the feature compares, None if it is another feature."""
        known = self.build is _comparison and self.arguments[1].kind is not None
        return self.arguments[1].columns(space) if known else None

    def opened(self, feature: Feature) -> Feature:
        """Return the feature for values that may be missing."""
        if self.build is not _comparison or not isinstance(feature, Categorical):
            return replace(feature, missing=True)
        values = [value for value in feature.values if value != BOTH]
        return replace(feature, values=(*values, BOTH), missing=True)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "run"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)


class Part(NamedTuple):
    """A condition on a computed feature, which is part of what a cell requires."""

    name: str
    test: Test


class Opener:
    """Replaces the open cells of a draft by conditions on computed features."""

    def __init__(
        self, draft: TableDraft, decisions: Decisions, type_of: Callable[[str], Type]
    ) -> None:
        self.draft, self.decisions, self.type_of = draft, decisions, type_of
        self.pairs: dict[tuple[str, str], Compared] = {}
        self.operands = Counter[tuple[str, str]]()
        """How often the values of each column are compared with an expression."""
        self.ordered: set[str] = set()
        """The columns whose values are ordered by some cell."""

    def open(
        self,
        cells: Mapping[tuple[int, int], tuple[str, Tests]],
        foreign: Mapping[tuple[int, int], str],
    ) -> None:
        """Add the computed features, and conditions on them.

        ``cells`` are by row and column, ``foreign`` ones with the language in which they are.
        """
        draft = self.draft
        parts: dict[int, list[Part]] = {}
        for (_, column), (text, tests) in cells.items():
            name = draft.inputs[column].name
            self.operands.update((name, item.value.text) for item in tests.items if item.order)
            if _ordered(tests) or _RANGE.fullmatch(text):
                self.ordered.add(name)
        for (row, column), (text, tests) in cells.items():
            found, own = self.parts(draft.inputs[column], text, tests)
            parts.setdefault(row, []).extend(found)
            draft.rows[row].cells[column] = Cell(text if own != ANYTHING else "-", own)
        for (row, column), language in foreign.items():
            text = " ".join(draft.rows[row].cells[column].text.split())
            name = f"{draft.inputs[column].name}: {text}"
            draft.computed[name] = Computed(name, frozenset(), _foreign, (name, language))
            parts.setdefault(row, []).append(Part(name, Compare("=", True)))
            draft.rows[row].cells[column] = Cell("-", ANYTHING)
        names = dict.fromkeys(part.name for of_row in parts.values() for part in of_row)
        compared = {pair.name: pair for pair in self.pairs.values()}
        for name in names:
            kind, domain = "boolean", None
            if pair := compared.get(name):
                values = (LESS, EQUAL, GREATER) if pair.ordered else (EQUAL, DIFFERENT)
                null = (BOTH, None) if any(map(self.may_be_null, pair.inputs)) else ()
                listed = tuple(Compare("=", value) for value in (*values, *null))
                kind, domain = "text", AnyOf(listed)
            draft.inputs.append(Input(name, kind=kind, domain=domain))
            for place, row_of in enumerate(draft.rows):
                tests_on = tuple(p.test for p in parts.get(place, ()) if p.name == name)
                test = tests_on[0] if len(tests_on) == 1 else AllOf(tests_on)
                row_of.cells.append(Cell(f"{name}: {test}" if tests_on else "-", test))
        self.drop_unused({column for _, column in (*cells, *foreign)})
        draft.compared = tuple(self.pairs.values())

    def may_be_null(self, column: Input) -> bool:
        """Return whether a value may be missing, as cells that test it or its domain say."""
        draft = self.draft
        places = [i for i, known in enumerate(draft.inputs) if known.name == column.name]
        cells = [row.cells[i].test for row in draft.rows for i in places if i < len(row.cells)]
        tests = [column.domain] if column.domain is not None else cells
        return any(
            comparison.value is None
            for test in tests
            if test is not None and not isinstance(test, dict)
            for comparison in comparisons(test)
        )

    def drop_unused(self, columns: Iterable[int]) -> None:
        """Remove columns that only computed features were made of."""
        draft = self.draft
        for column in sorted(columns, reverse=True):
            if all(row.cells[column].test == ANYTHING for row in draft.rows):
                del draft.inputs[column]
                for row in draft.rows:
                    del row.cells[column]

    def parts(self, column: Input, text: str, tests: Tests) -> tuple[list[Part], Test]:
        """Return the conditions of a cell on computed features, and on the column itself."""
        if match := _RANGE.fullmatch(text):
            if exact := self.ranged(column, *match.groups()):
                return exact
        elif exact_part := self.listed(column, tests):
            return [exact_part], ANYTHING
        name = _named(column.name, text, tests)
        own = _column(self.decisions, column.name)
        names = tests.names - {"?"} | (own.names if own else {column.name})
        arguments = (self.decisions, column.name, text)
        self.draft.computed[name] = Computed(name, names, _opaque, arguments)
        return [Part(name, Compare("=", not tests.negated))], ANYTHING

    def listed(self, column: Input, tests: Tests) -> Part | None:
        """Return the condition of comparisons with one other value, None if they are not that."""
        paths = {item.value.path or self.operand(column, item) for item in tests.items}
        if len(paths) != 1 or "" in paths or (column.kind in _UNORDERED and _ordered(tests)):
            return None
        bare = not all(item.order for item in tests.items)
        pair = self.pair(column, paths.pop(), bare=bare)
        if pair is None:
            return None
        relations = {r for item in tests.items for r in _RELATIONS[item.order]}
        if tests.negated:  # null is neither less nor not less than anything
            relations = set.intersection(*({*_NEGATED[item.order]} for item in tests.items))
        return Part(pair.name, self.relation(pair, column.name, relations))

    def operand(self, column: Input, item: Item) -> str:
        """Return the expression with which a test compares, "" if no other test does the same."""
        text = item.value.text
        compares = item.order and "?" not in item.value.names and column.kind not in _UNORDERED
        return text if compares and self.operands[column.name, text] > 1 else ""

    def ranged(
        self, column: Input, opening: str, low: str, high: str, closing: str
    ) -> tuple[list[Part], Test] | None:
        """Return the conditions of a range of which a bound is another value."""
        parts: list[Part] = []
        own: list[Test] = []
        orders = (">=" if opening == "[" else ">", "<=" if closing == "]" else "<")
        for order, text in zip(orders, (low, high), strict=True):
            try:
                bound = parse_expression(text.strip(), self.decisions.names)
                if bound.constant:
                    own.append(parse(f"{order} {text}"))
                    continue
            except FormatError:
                return None
            pair = self.pair(column, bound.path) if bound.path else None
            if pair is None or not pair.ordered:
                return None
            test = self.relation(pair, column.name, set(_RELATIONS[order]))
            parts.append(Part(pair.name, test))
        return (parts, own[0] if own else ANYTHING) if parts else None

    def relation(self, pair: Compared, column: str, relations: Iterable[str | None]) -> Test:
        if pair.left != column:
            relations = [FLIPPED.get(relation or "", relation) for relation in relations]
        if not pair.ordered:
            relations = [DIFFERENT if r in (LESS, GREATER) else r for r in relations]
        ordered = sorted({*relations}, key=str)
        return AnyOf(tuple(Compare("=", relation) for relation in ordered))

    def pair(self, column: Input, other: str, *, bare: bool = False) -> Compared | None:
        """Return the feature that compares a column with another value, None if it is not exact.

        If the kind of one is not known, both are taken to be values that can be compared; but what
        a cell only names (``bare``) may then be a list.
        """
        compared = next((known for known in self.draft.inputs if known.name == other), None)
        try:
            kind = self.type_of(other).kind or (compared.kind if compared else None)
            own = self.type_of(column.name).kind if column.kind is None else column.kind
        except FormatError:  # a list or a structure
            return None
        numbers = {"number", "integer"}
        if (kind is None or own is None) and bare:
            return None
        if kind and own and kind != own and not {kind, own} <= numbers:
            return None
        value, operand = _column(self.decisions, column.name), _column(self.decisions, other)
        if other == column.name or value is None or operand is None:
            return None
        whole = {"integer": "number"}  # what is compared with an integer need not be one
        kind, own = kind or whole.get(own or "", own), own or whole.get(kind or "", kind)
        for key in ((column.name, other), (other, column.name)):
            if key in self.pairs:
                return self.pairs[key]
        name = f"{column.name} compared with {other}"
        if compared is None or compared.kind is None:
            compared = Input(other, kind=kind, domain=self.type_of(other).allowed)
        sides = (replace(column, kind=own), compared)
        ordered = column.name in self.ordered if kind is None else kind not in _UNORDERED
        is_path = bool(value.path and operand.path)
        pair = Compared(name, column.name, other, ordered, sides, kind if is_path else None)
        self.pairs[column.name, other] = pair
        text = _text(pair)
        names = _formula(self.decisions, text).names
        self.draft.computed[name] = Computed(text, names, _comparison, (self.decisions, pair))
        return pair


def _ordered(tests: Tests) -> bool:
    return any(item.order in ("<", "<=", ">", ">=") for item in tests.items)


def _named(column: str, text: str, tests: Tests) -> str:
    """Return an opaque condition as an expression without ``?``."""
    text = " ".join(text.split())
    if tests.negated:
        text = text[text.index("(") + 1 : -1].strip()
    if "?" in tests.names and len(tests.items) == 1:
        return re.sub(r'"(?:[^"\\]|\\.)*"|\?', lambda m: column if m[0] == "?" else m[0], text)
    if len(tests.items) == 1 and tests.items[0].order:
        return f"{column} {text}"
    return f"{column} in ({text})"


def _text(pair: Compared) -> str:
    left, right = pair.left, pair.right
    last = f'"{DIFFERENT}"'
    if pair.ordered:
        last = f'if {left} < {right} then "{LESS}" else "{GREATER}"'
    rest = f'if {left} = {right} then "{EQUAL}" else {last}'
    null = f'if {left} = null and {right} = null then "{BOTH}" else null'
    return f"if {left} = null or {right} = null then ({null}) else {rest}"


def expression(decisions: Decisions, text: str) -> Computed:
    """Return the computation of a feature by an expression."""
    names = _formula(decisions, text).names
    return Computed(text, names, _evaluation, (decisions, text))


def _evaluation(decisions: Decisions, text: str) -> Callable[[Mapping[str, Any]], Any]:
    formula = _formula(decisions, text)
    return lambda case: from_feel(formula.run(decisions.logic.scope(case)))


def _formula(decisions: Decisions, text: str) -> Formula:
    return parse_expression(text, decisions.names)


def _column(decisions: Decisions, name: str) -> Formula | None:
    """Return the expression of a column, None if its name is not one."""
    try:
        return _formula(decisions, name)
    except FormatError:
        return None


def _checked(
    decisions: Decisions, names: frozenset[str], text: str
) -> Callable[[Mapping[str, Any]], None]:
    """Return a function that raises an error for a case without a name that is not computed."""
    undefined = sorted(names - decisions.names)

    def check(case: Mapping[str, Any]) -> None:
        for name in undefined:
            if name not in case:
                raise FormatError(f"{text!r} needs a column {name!r}")

    return check


def _value(
    decisions: Decisions, text: str
) -> Callable[[Mapping[str, Any], Mapping[str, Any]], Any]:
    """Return the value of an expression, or of the column of cases that it names."""
    formula = _column(decisions, text)
    names = formula.names if formula else frozenset([text])
    check = _checked(decisions, names - decisions.names, text)

    def run(case: Mapping[str, Any], scope: Mapping[str, Any]) -> Any:
        if text in case:
            return to_feel(case[text])
        check(case)
        return formula.run(scope) if formula else None

    return run


def _comparison(decisions: Decisions, pair: Compared) -> Callable[[Mapping[str, Any]], Any]:
    left, right = _value(decisions, pair.left), _value(decisions, pair.right)

    def run(case: Mapping[str, Any]) -> str | None:
        scope = decisions.logic.scope(case)
        a, b = left(case, scope), right(case, scope)
        if a is None or b is None:
            return BOTH if a is b else None
        if compare("=", a, b):
            return EQUAL
        if not pair.ordered:
            return DIFFERENT
        less = compare("<", a, b)
        return None if less is None else LESS if less else GREATER

    return run


def _foreign(name: str, language: str) -> Callable[[Mapping[str, Any]], bool | None]:
    def run(case: Mapping[str, Any]) -> bool | None:
        raise FormatError(
            f"the condition {name!r} is in {language}, which cannot be evaluated; add a column of"
            " this name with true and false"
        )

    return run


def _opaque(
    decisions: Decisions, column: str, text: str
) -> Callable[[Mapping[str, Any]], bool | None]:
    value, tests = _value(decisions, column), parse_tests(text, decisions.names)
    positive = tests._replace(negated=False)
    check = _checked(decisions, tests.names - {"?"}, text)

    def run(case: Mapping[str, Any]) -> bool | None:
        check(case)
        scope = decisions.logic.scope(case)
        tested = value(case, scope)
        if positive.holds(tested, scope):
            return True
        # neither the cell nor its negation holds for null
        return False if tests._replace(negated=True).holds(tested, scope) else None

    return run
