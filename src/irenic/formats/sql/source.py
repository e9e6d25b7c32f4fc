"""Rules as SQL: a CASE expression with one branch a rule, in one of eight dialects.

It is built of sqlglot's expressions, which quote names and texts, never of pasted text. Each row
gets what :meth:`RuleSet.predict` says of it, with NULL (and NaN) for missing. A row that the space
does not admit, which ``predict`` refuses, gets what the conditions say of it when taken literally:
NULL passes ``not in`` even on a feature that is declared never to be missing.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, Final

from irenic.errors import ConditionError, FormatError
from irenic.formats._branches import Branches, as_branches
from irenic.formats.sql._dialects import (
    Dialect,
    boolean,
    check_text,
    compared_text,
    dialect_of,
    double,
    is_nan,
    number,
    temporal,
    text,
    text_column,
    whole,
)
from irenic.model.condition import Operators
from irenic.model.decision_table import DecisionTable
from irenic.model.features import EXACT, Categorical, Continuous, Feature, is_unicode
from irenic.model.literals import format_literal

if TYPE_CHECKING:
    from sqlglot import exp

    from irenic.model.rulelist import RuleList
    from irenic.model.ruleset import Resolve, RuleSet
    from irenic.model.space import Space

_ORDER: Final = {">": "GT", ">=": "GTE", "<": "LT", "<=": "LTE", "=": "EQ"}
_NUMERIC: Final = ("number", "integer", "months")
_UPPER: Final = {"<", "<=", "="}


def to_sql(
    rules: RuleSet | RuleList | DecisionTable,
    table: str | Sequence[str] | None = None,
    *,
    dialect: str = "duckdb",
    column: str = "prediction",
    keep: Sequence[str] | None = None,
    default: Hashable | None = None,
    resolve: Resolve | None = None,
) -> str:
    """Return the rules as SQL: a SELECT with one more column, what the rules say of each row.

    Parameters
    ----------
    rules : RuleSet, RuleList or DecisionTable
        A set with conflicts is refused unless ``resolve`` says how to choose.
    table : str or sequence of str, optional
        The name of the table, or its parts, as in ``("shop", "customers")``. None gives the CASE
        expression alone, for a query of your own.
    dialect : {"duckdb", "postgres", "spark", "bigquery", "snowflake", "mysql", "sqlite", "tsql"}
    column : str
        What the new column is called.
    keep : sequence of str, optional
        The columns to select beside it; None for all.
    default : hashable, optional
        What to say where no rule holds, instead of the rules' own default; NULL with neither.
    resolve : {"first", "best"}, optional
        As in :meth:`RuleSet.predict`. In a list the first rule decides in any case.

    Returns
    -------
    str
        Text, booleans, whole numbers and numbers are of that type in SQL. Consequents of several
        types, or of others, come as text, and a comment says so. Rows that ``predict`` refuses
        are no error: the conditions are taken literally.

    Examples
    --------
    >>> from irenic import Rule, RuleSet
    >>> rules = RuleSet([Rule({"age": {"<": 18}}, then="minor"),
    ...                  Rule({"age": {">=": 18}, "job": {"nurse"}}, then="on call")])
    >>> print(to_sql(rules, "people"))
    /* The rules do not contradict each other: their order does not matter. */
    SELECT
      *,
      CASE
        WHEN "age" < 18
        THEN 'minor'
        WHEN "age" >= 18 AND "job" = 'nurse'
        THEN 'on call'
        ELSE NULL
      END AS "prediction"
    FROM "people"
    """
    sqlglot = _sqlglot()
    chosen = dialect_of(dialect)
    branches = as_branches(rules, default=default, resolve=resolve)
    source = None if table is None else _table(table)
    writer = _Writer(branches.space, chosen, source)
    case, notes = writer.case(branches)
    query = case if source is None else _select(writer, case, source, column, keep)
    query.add_comments([f" {note} " for note in (branches.note, *notes)])
    try:
        return str(
            query.sql(
                dialect=chosen.name,
                pretty=True,
                copy=False,
                unsupported_level=sqlglot.ErrorLevel.RAISE,
            )
        )
    except sqlglot.errors.UnsupportedError as error:
        raise FormatError(f"{chosen.name} cannot say these rules: {error}") from None


def dumps(rules: RuleSet | RuleList | DecisionTable) -> str:
    """Return the rules as a query of the table ``cases`` in DuckDB's dialect."""
    return to_sql(rules, "cases") + ";\n"


def _sqlglot() -> Any:
    try:
        import sqlglot
    except ImportError:
        raise FormatError("SQL needs sqlglot: pip install 'irenic[sql]'") from None
    return sqlglot


# --- the query round the expression


def _table(name: str | Sequence[str]) -> exp.Table:
    from sqlglot import exp

    parts = [name] if isinstance(name, str) else name
    if not isinstance(parts, Sequence) or not 1 <= len(parts) <= 3:
        raise ConditionError(
            "a table is a name, or up to three parts of one as in ('shop', 'customers'),"
            f" not {name!r}"
        )
    named = [_identifier(part, "a table") for part in reversed(parts)]
    return exp.Table(**dict(zip(("this", "db", "catalog"), named, strict=False)))


def _identifier(name: object, what: str) -> exp.Identifier:
    from sqlglot import exp

    if not isinstance(name, str) or not name or not is_unicode(name):
        raise ConditionError(f"the name of {what} is a non-empty text, not {name!r}")
    check_text(name, f"the name of {what}")
    return exp.Identifier(this=name, quoted=True)


def _select(
    writer: _Writer,
    case: exp.Expr,
    source: exp.Table,
    column: str,
    keep: Sequence[str] | None,
) -> exp.Select:
    from sqlglot import exp

    label = _identifier(column, "a column")
    if isinstance(keep, str) or not isinstance(keep, Sequence | None):
        raise ConditionError(f"keep is a list of columns, not {keep!r}")
    taken = writer.space.names if keep is None else [*keep]
    if _folded(column, writer.dialect) in {_folded(str(n), writer.dialect) for n in taken}:
        raise ConditionError(f"the table has a column {column!r} already; name another with column")
    kept = [exp.Star()] if keep is None else [writer.column(name) for name in keep]
    chosen = exp.Select(expressions=[*kept, exp.Alias(this=case, alias=label)])
    return chosen.from_(source, copy=False)


def _folded(name: str, dialect: Dialect) -> str:
    return name.lower() if dialect.one_case else name


# --- the expression


class _Writer:
    """Writes the rules over one space in one dialect."""

    def __init__(self, space: Space, dialect: Dialect, source: exp.Table | None) -> None:
        self.space, self.dialect = space, dialect
        # SQLite takes "name" for a text where there is no such column, but not "table"."name"
        qualified = source is not None and dialect.name == "sqlite"
        self._source = source.this if source is not None and qualified else None
        seen: dict[str, str] = {}
        for name in space.names:
            other = seen.setdefault(_folded(name, dialect), name)
            if other != name:
                raise FormatError(
                    f"the features {other!r} and {name!r} are one column in {dialect.name}, which"
                    " does not tell upper from lower case; rename one"
                )

    def column(self, name: str) -> exp.Column:
        from sqlglot import exp

        table = None if self._source is None else self._source.copy()
        return exp.Column(this=_identifier(name, "a column"), table=table)

    def case(self, branches: Branches) -> tuple[exp.Expr, list[str]]:
        """Return the expression and what is to be noted on it."""
        from sqlglot import exp

        answer, notes = _answers(branches, self.dialect)
        last = exp.null() if branches.default is None else answer(branches.default)
        if not branches.rules:
            return last, notes
        ifs = []
        for place, rule in enumerate(branches.rules, 1):
            try:
                tests = [
                    test
                    for name, operators in rule.region.conditions().items()
                    for test in self._tests(self.space[name], operators)
                ]
                then = answer(rule.then)
            except FormatError as error:
                raise FormatError(f"rule {place}: {error.message}") from None
            together = exp.and_(*tests, copy=False) if tests else exp.true()
            ifs.append(exp.If(this=together, true=then))
        return exp.Case(ifs=ifs, default=last), notes

    # --- one condition: tests that must all hold

    def _tests(self, feature: Feature, operators: Operators) -> list[exp.Expr]:
        if set(operators) == {"missing"}:
            missing = self._missing(feature)
            return [_any(missing)] if operators["missing"] else [_not(test) for test in missing]
        if isinstance(feature, Continuous):
            return self._comparisons(feature, operators)
        return self._membership(feature, operators)

    def _may_be_nan(self, feature: Feature) -> bool:
        if not self.dialect.nan or not feature.missing:
            return False
        if isinstance(feature, Continuous):
            return feature.kind in _NUMERIC
        return bool(feature.values) and _type_of_values(feature) == "number"

    def _missing(self, feature: Feature) -> list[exp.Expr]:
        """Return tests of which one holds where the value is missing."""
        from sqlglot import exp

        null = exp.Is(this=self.column(feature.name), expression=exp.null())
        return [null, *self._nan(feature)]

    def _nan(self, feature: Feature) -> list[exp.Expr]:
        nan = self._may_be_nan(feature)
        return [is_nan(self.dialect, self.column(feature.name))] if nan else []

    def _comparisons(self, feature: Continuous, operators: Operators) -> list[exp.Expr]:
        from sqlglot import exp

        tests: list[exp.Expr] = [
            getattr(exp, kind)(
                this=self.column(feature.name), expression=self._bound(feature, operators[operator])
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
        if feature.kind == "months":  # few databases have a type for them: a number of months
            return number(self.dialect, value.count, of_integers=True)
        if feature.kind in _NUMERIC:
            return number(self.dialect, value, of_integers=feature.kind == "integer")
        what = f"feature {feature.name!r}"
        return temporal(self.dialect, value, what, utc=feature.unit == "UTC")

    def _membership(self, feature: Categorical, operators: Operators) -> list[exp.Expr]:
        from sqlglot import exp

        kind = _type_of_values(feature)
        column: exp.Expr = self.column(feature.name)
        if kind == "text":
            column = text_column(self.dialect, column)
            self._check_trailing_spaces(feature)
        negated = "not in" in operators
        values = [self._value(feature, kind, v) for v in operators["not in" if negated else "in"]]
        test: exp.Expr
        if len(values) == 1:
            test = (exp.NEQ if negated else exp.EQ)(this=column, expression=values[0])
        else:
            inside = exp.In(this=column, expressions=values)
            test = _not(inside) if negated else inside
        # NULL is in no list, and not outside of one either
        if operators.get("missing", negated):
            return [_any([test, *self._missing(feature)])]
        return [test, *(_not(nan) for nan in self._nan(feature) if negated)]

    def _value(self, feature: Categorical, kind: str, value: Any) -> exp.Expr:
        from sqlglot import exp

        if kind == "text":
            return compared_text(self.dialect, _as_text(value))
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
                    " passes over spaces at the end; rename one"
                )


def _any(tests: list[exp.Expr]) -> exp.Expr:
    from sqlglot import exp

    return exp.or_(*tests, copy=False)


def _not(test: exp.Expr) -> exp.Expr:
    from sqlglot import exp

    return exp.not_(test, copy=False)


# --- types


_TYPES: Final[list[tuple[Any, str]]] = [  # the first that fits: a boolean is an int, too
    (bool, "boolean"),
    (str, "text"),
    (int | float, "number"),
    (dt.datetime, "datetime"),
    (dt.date, "date"),
    (dt.time, "time"),
    (dt.timedelta, "duration"),
]


def _type_of(value: object) -> str:
    return next((name for kind, name in _TYPES if isinstance(value, kind)), "")


def _type_of_values(feature: Categorical) -> str:
    """Return the one type that a column of the feature's values has."""
    kinds = {_type_of(value): value for value in feature.values}
    if "" in kinds:
        wrong = kinds[""]
        raise FormatError(
            f"feature {feature.name!r}: the value {wrong!r} of type {type(wrong).__name__} has no"
            " form in SQL; use text, numbers, booleans, dates or times"
        )
    if len(kinds) > 1:
        first, second = list(kinds.values())[:2]
        raise FormatError(
            f"feature {feature.name!r} has values of several types ({first!r}, {second!r}), which"
            " one column cannot hold; make all of them text"
        )
    wide = [v for v in feature.values if type(v) is int and abs(v) > EXACT]
    if wide and any(isinstance(v, float) for v in feature.values):
        raise FormatError(
            f"feature {feature.name!r}: {wide[0]!r} is beyond 2**53 and would be rounded beside"
            " values that are not whole; make all of them text"
        )
    return next(iter(kinds))


def _answers(
    branches: Branches, dialect: Dialect
) -> tuple[Callable[[Hashable], exp.Expr], list[str]]:
    """Return what makes an expression of a consequent, and what is to be noted on it."""
    given = [rule.then for rule in branches.rules]
    given += [] if branches.default is None else [branches.default]
    kinds = {_type_of(value) for value in given}
    numbers: list[Any] = [value for value in given if _type_of(value) == "number"]
    if kinds <= {"text"}:
        return lambda value: text(dialect, _as_text(value)), []
    if kinds == {"boolean"}:
        return lambda value: boolean(dialect, bool(value)), []
    if kinds == {"number"}:
        if all(isinstance(value, int) for value in numbers):
            return lambda value: whole(value), []
        if all(isinstance(value, float) or abs(value) <= EXACT for value in numbers):
            return lambda value: double(dialect, float(value)), []
    texts: dict[str, Hashable] = {}
    for value in dict.fromkeys(given):
        same = texts.setdefault(_as_text(value), value)
        if same != value:
            raise FormatError(
                f"the consequents {same!r} and {value!r} are one text in SQL, {_as_text(value)!r};"
                " rename one"
            )
    note = "The column holds the text form of what the rules predict: it is not of one SQL type."
    return lambda value: text(dialect, _as_text(value)), [note]


def _as_text(value: Hashable) -> str:
    # by the type itself: what str() makes of a member of an enumeration is its name
    return str.__str__(value) if isinstance(value, str) else format_literal(value)
