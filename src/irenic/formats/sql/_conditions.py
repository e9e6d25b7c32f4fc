"""Conditions and values of rules as SQL expressions, in one space and one dialect."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from irenic.errors import ConditionError, FormatError
from irenic.formats._branches import Branches, is_null, relation
from irenic.formats.sql._dialects import (
    Dialect,
    boolean,
    check_text,
    compared_text,
    double,
    is_nan,
    number,
    temporal,
    text,
    text_column,
    whole,
)
from irenic.model.condition import Operators
from irenic.model.features import EXACT, Categorical, Continuous, Feature, is_unicode
from irenic.model.literals import Prefix, format_literal

if TYPE_CHECKING:
    from sqlglot import exp

_ORDER: Final = {">": "GT", ">=": "GTE", "<": "LT", "<=": "LTE", "=": "EQ", "!=": "NEQ"}
_NUMERIC: Final = ("number", "integer", "months")
_UPPER: Final = {"<", "<=", "="}


def identifier(name: object, what: str) -> exp.Identifier:
    """Return a quoted name; ``what`` it names is for errors."""
    from sqlglot import exp

    if not isinstance(name, str) or not name or not is_unicode(name):
        raise ConditionError(f"the name of {what} must be a nonempty str, got {name!r}")
    check_text(name, f"the name of {what}")
    return exp.Identifier(this=name, quoted=True)


def folded(name: str, dialect: Dialect) -> str:
    """Return a name such that equal ones are the same column."""
    return name.lower() if dialect.one_case else name


class Writer:
    """Writes conditions of rules, as tests of the columns of a table."""

    def __init__(
        self,
        branches: Branches,
        dialect: Dialect,
        source: exp.Table | None,
        form: str | None = None,
    ) -> None:
        self.branches, self.dialect, self.form = branches, dialect, form
        self.note = ""  # how the rules were written, if not as branches
        self.space, self.columns = branches.space, branches.columns
        # SQLite reads "name" as text if there is no such column, but not "table"."name"
        qualified = source is not None and dialect.name == "sqlite"
        self._source = source.this if source is not None and qualified else None
        seen: dict[str, str] = {}
        for name in self.columns:
            other = seen.setdefault(folded(name, dialect), name)
            if other != name:
                raise FormatError(
                    f"the features {other!r} and {name!r} are the same column in {dialect.name},"
                    " where names are case-insensitive; rename one"
                )

    def of_branches(self, branches: Branches) -> Writer:
        """Return a writer of other branches, for the same table."""
        other = Writer(branches, self.dialect, None)
        other._source = self._source
        return other

    def column(self, name: exp.Identifier) -> exp.Column:
        """Return a column of the table."""
        from sqlglot import exp

        table = None if self._source is None else self._source.copy()
        return exp.Column(this=name.copy(), table=table)

    def _column(self, feature: Feature) -> exp.Column:
        return self.column(identifier(feature.name, "a column"))

    def condition(self, place: int, conditions: Mapping[str, Operators] | None = None) -> exp.Expr:
        """Return the condition of a branch, or some conditions of it."""
        from sqlglot import exp

        if conditions is None:
            conditions = self.branches.rules[place].region.conditions()
        try:
            pairs = conditions.items()
            tests = [t for name, listed in pairs for t in self.tests(self.space[name], listed)]
        except FormatError as error:
            raise FormatError(f"rule {self.branches.numbers[place]}: {error.message}") from None
        return exp.and_(*tests, copy=False) if tests else exp.true()

    # --- one condition: tests that must all hold

    def tests(self, feature: Feature, operators: Operators) -> list[exp.Expr]:
        """Return tests of a feature, all of which hold if its condition does."""
        if feature.name in self.branches.compared:
            return self._relation(feature, operators)
        if set(operators) == {"missing"}:
            missing = self._missing(feature)
            return [_any(missing)] if operators["missing"] else [_not(test) for test in missing]
        if isinstance(feature, Continuous):
            return self._comparisons(feature, operators)
        return self._membership(feature, operators)

    def _relation(self, feature: Feature, operators: Operators) -> list[exp.Expr]:
        """Return tests of two columns; NULL satisfies no comparison."""
        from sqlglot import exp

        assert isinstance(feature, Categorical)
        asked = relation(feature, operators)
        pair = self.branches.compared[feature.name]
        alternatives: list[list[exp.Expr]] = []
        if asked.sign == "any":
            alternatives.append([_not(test) for side in pair for test in self._missing(side)])
        elif asked.sign:
            left, right = (self._compared(side) for side in pair)
            test = getattr(exp, _ORDER[asked.sign])(this=left, expression=right)
            alternatives.append([test, *(_not(n) for side in pair for n in self._nan(side))])
        if asked.if_both:
            alternatives.append([_any(self._missing(side)) for side in pair])
        if asked.if_one:
            for lacking, other in (pair, pair[::-1]):
                present = [_not(test) for test in self._missing(other)]
                alternatives.append([_any(self._missing(lacking)), *present])
        if len(alternatives) == 1:
            return alternatives[0]
        return [_any([exp.and_(*tests, copy=False) for tests in alternatives])]

    def _compared(self, feature: Feature) -> exp.Expr:
        column = self._column(feature)
        texts = isinstance(feature, Categorical) and {*map(_type_of, feature.values)} <= {"text"}
        return text_column(self.dialect, column) if texts else column

    def _may_be_nan(self, feature: Feature) -> bool:
        if not self.dialect.nan or not feature.missing:
            return False
        if isinstance(feature, Continuous):
            return feature.kind in _NUMERIC
        return bool(feature.values) and type_of_values(feature) == "number"

    def _missing(self, feature: Feature) -> list[exp.Expr]:
        """Return tests, at least one of which holds if the value is missing."""
        from sqlglot import exp

        null = exp.Is(this=self._column(feature), expression=exp.null())
        return [null, *self._nan(feature)]

    def _nan(self, feature: Feature) -> list[exp.Expr]:
        nan = self._may_be_nan(feature)
        return [is_nan(self.dialect, self._column(feature))] if nan else []

    def _comparisons(self, feature: Continuous, operators: Operators) -> list[exp.Expr]:
        from sqlglot import exp

        tests: list[exp.Expr] = [
            getattr(exp, kind)(
                this=self._column(feature), expression=self._bound(feature, operators[operator])
            )
            for operator, kind in _ORDER.items()
            if operator in operators
        ]
        if operators.get("missing"):
            return [_any([exp.and_(*tests, copy=False), *self._missing(feature)])]
        if self.dialect.nan_is_greatest and _UPPER.isdisjoint(operators):
            tests += [_not(test) for test in self._nan(feature)]
        return tests

    def _bound(self, feature: Continuous, value: Any) -> exp.Expr:
        if feature.kind == "months":  # a number, because few databases have a type for it
            return number(self.dialect, value.count, of_integers=True)
        if feature.kind in _NUMERIC:
            return number(self.dialect, value, of_integers=feature.kind == "integer")
        what = f"feature {feature.name!r}"
        return temporal(self.dialect, value, what, utc=feature.unit == "UTC")

    def _membership(self, feature: Categorical, operators: Operators) -> list[exp.Expr]:
        from sqlglot import exp

        kind = type_of_values(feature)
        if kind == "text":
            self._check_trailing_spaces(feature)
        negated = "not in" in operators
        terms = operators["not in" if negated else "in"]
        prefixes = [self._prefix(feature, term) for term in terms if isinstance(term, Prefix)]
        column, listed = self._listed(feature, kind, terms)
        test: exp.Expr
        if prefixes:
            alternatives = [self._any_of(column, listed)] if listed else []
            test = _any([*alternatives, *prefixes])
            test = _not(test) if negated else test
        elif len(listed) == 1:
            test = (exp.NEQ if negated else exp.EQ)(this=column, expression=listed[0])
        else:
            inside = exp.In(this=column, expressions=listed)
            test = _not(inside) if negated else inside
        # NULL satisfies neither IN nor NOT IN
        if operators.get("missing", negated):
            return [_any([test, *self._missing(feature)])]
        return [test, *(_not(nan) for nan in self._nan(feature) if negated)]

    def _listed(
        self, feature: Categorical, kind: str, terms: Iterable[Any]
    ) -> tuple[exp.Expr, list[exp.Expr]]:
        """Return a column, and the values among some terms, as they are compared."""
        column: exp.Expr = self._column(feature)
        column = text_column(self.dialect, column) if kind == "text" else column
        values = (term for term in terms if not isinstance(term, Prefix))
        return column, [self._value(feature, kind, value) for value in values]

    def _any_of(self, column: exp.Expr, values: list[exp.Expr]) -> exp.Expr:
        from sqlglot import exp

        if len(values) == 1:
            return exp.EQ(this=column, expression=values[0])
        return exp.In(this=column, expressions=values)

    def _prefix(self, feature: Categorical, prefix: Prefix) -> exp.Expr:
        """Return a test of the first characters, which LIKE would compare in any case in SQLite."""
        from sqlglot import exp

        units = self.dialect.name == "tsql"
        if units and prefix.text.endswith(" "):
            raise FormatError(
                f"feature {feature.name!r}: {prefix} cannot be written as tsql, which ignores"
                " trailing spaces; use a prefix that ends otherwise"
            )
        # tsql counts UTF-16 code units, the others characters
        length = len(prefix.text.encode("utf-16-le")) // 2 if units else len(prefix.text)
        first = exp.Anonymous(
            this="SUBSTRING" if units else "SUBSTR",
            expressions=[self._column(feature), whole(1), whole(length)],
        )
        start = exp.EQ(
            this=text_column(self.dialect, first),
            expression=compared_text(self.dialect, prefix.text),
        )
        column, listed = self._listed(feature, "text", prefix.without)
        longer = [
            self._prefix(feature, part) for part in prefix.without if isinstance(part, Prefix)
        ]
        left_out = [*([self._any_of(column, listed)] if listed else []), *longer]
        return exp.and_(start, *map(_not, left_out), copy=False)

    def _value(self, feature: Categorical, kind: str, value: Any) -> exp.Expr:
        from sqlglot import exp

        if kind == "text":
            return compared_text(self.dialect, as_text(value))
        if kind == "boolean":
            return exp.Boolean(this=value)
        if kind == "number":
            return whole(value) if isinstance(value, int) else number(self.dialect, value)
        return temporal(self.dialect, value, f"feature {feature.name!r}")

    def _check_trailing_spaces(self, feature: Categorical) -> None:
        if self.dialect.name != "tsql":
            return
        seen: dict[str, object] = {}
        for value in feature.values:
            same = seen.setdefault(str(value).rstrip(" "), value)
            if same is not value:
                raise FormatError(
                    f"feature {feature.name!r}: {same!r} and {value!r} are equal in tsql, which"
                    " ignores trailing spaces; rename one"
                )


def _any(tests: list[exp.Expr]) -> exp.Expr:
    from sqlglot import exp

    return exp.or_(*tests, copy=False)


def _not(test: exp.Expr) -> exp.Expr:
    from sqlglot import exp

    return exp.not_(test, copy=False)


# --- types


_TYPES: Final[list[tuple[Any, str]]] = [  # the first match counts, because a bool is an int, too
    (bool, "boolean"),
    (str | Prefix, "text"),
    (int | float, "number"),
    (dt.datetime, "datetime"),
    (dt.date, "date"),
    (dt.time, "time"),
    (dt.timedelta, "duration"),
]


def _type_of(value: object) -> str:
    return next((name for kind, name in _TYPES if isinstance(value, kind)), "")


def type_of_values(feature: Categorical) -> str:
    """Return the type of a column with the values of a feature."""
    kinds = {_type_of(value): value for value in feature.values}
    if "" in kinds:
        wrong = kinds[""]
        raise FormatError(
            f"feature {feature.name!r}: the value {wrong!r} of type {type(wrong).__name__} cannot"
            " be written as SQL; use text, numbers, booleans, dates or times"
        )
    if len(kinds) > 1:
        first, second = list(kinds.values())[:2]
        raise FormatError(
            f"feature {feature.name!r} must have values of one type to be a column, got {first!r}"
            f" and {second!r}; make all of them text"
        )
    wide = [v for v in feature.values if type(v) is int and abs(v) > EXACT]
    if wide and any(isinstance(v, float) for v in feature.values):
        raise FormatError(
            f"feature {feature.name!r}: {wide[0]!r} is beyond 2**53 and would be rounded in a"
            " column with floats; make all of them text"
        )
    return next(iter(kinds))


def answers(
    thens: list[Hashable], dialect: Dialect
) -> tuple[Callable[[Hashable], exp.Expr], list[str]]:
    """Return a function from consequents to expressions, and notes for a comment."""
    from sqlglot import exp

    thens = [then for then in thens if not is_null(then)]
    write, notes = _written(thens, dialect)
    return lambda value: exp.null() if is_null(value) else write(value), notes


def _written(
    thens: list[Hashable], dialect: Dialect
) -> tuple[Callable[[Hashable], exp.Expr], list[str]]:
    kinds = {_type_of(value) for value in thens}
    numbers: list[Any] = [value for value in thens if _type_of(value) == "number"]
    if kinds <= {"text"}:
        return lambda value: text(dialect, as_text(value)), []
    if kinds == {"boolean"}:
        return lambda value: boolean(dialect, bool(value)), []
    if kinds == {"number"}:
        if all(isinstance(value, int) for value in numbers):
            return lambda value: whole(value), []
        if all(isinstance(value, float) or abs(value) <= EXACT for value in numbers):
            return lambda value: double(dialect, float(value)), []
    texts: dict[str, Hashable] = {}
    for value in dict.fromkeys(thens):
        same = texts.setdefault(as_text(value), value)
        if same != value:
            raise FormatError(
                f"the consequents {same!r} and {value!r} have the same text in SQL,"
                f" {as_text(value)!r}; rename one"
            )
    note = "The column contains predictions as text, because they do not have one type in SQL."
    return lambda value: text(dialect, as_text(value)), [note]


def as_text(value: Hashable) -> str:
    """Return the text of a value that is not written as a value of SQL."""
    # str() of an enum member would be its name, not its value
    return str.__str__(value) if isinstance(value, str) else format_literal(value)
