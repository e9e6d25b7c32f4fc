"""Rules as SQL: a CASE expression with one branch per rule, in one of eight dialects.

It is built from sqlglot's expressions, which quote names and text. Each row gets what
:meth:`RuleSet.predict` returns for it, with NULL (and NaN) as missing. For a row outside the space,
where ``predict`` raises, the conditions are evaluated literally: NULL satisfies ``not in`` even on
a feature that cannot be missing.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, Final

from irenic.errors import ConditionError, FormatError
from irenic.formats._branches import Branches, as_branches, is_null, relation
from irenic.formats.sql._dialects import DIALECTS as DIALECTS
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

_ORDER: Final = {">": "GT", ">=": "GTE", "<": "LT", "<=": "LTE", "=": "EQ", "!=": "NEQ"}
_NUMERIC: Final = ("number", "integer", "months")
_UPPER: Final = {"<", "<=", "="}


def to_sql(
    rules: RuleSet | RuleList | DecisionTable,
    table: str | Sequence[str] | None = None,
    *,
    dialect: str = "duckdb",
    column: str | Sequence[str] | None = None,
    keep: Sequence[str] | None = None,
    default: Hashable | None = None,
    resolve: Resolve | None = None,
) -> str:
    """Return the rules as SQL: a SELECT with an additional column of predictions.

    Parameters
    ----------
    rules : RuleSet, RuleList or DecisionTable
        A set with conflicts needs ``resolve``.
    table : str or sequence of str, optional
        The name of the table, or its parts, as in ``("shop", "customers")``. None returns only the
        CASE expression, for a query of your own; one with a name per output if there are several.
    dialect : {"duckdb", "postgres", "spark", "bigquery", "snowflake", "mysql", "sqlite", "tsql"}
        The dialect of SQL.
    column : str or sequence of str, optional
        Name of the column of predictions (default: ``"prediction"``). A decision table with several
        outputs has one column per output (default: their names).
    keep : sequence of str, optional
        The other columns to select (default: all).
    default : hashable, optional
        The prediction if no rule holds (default: that of the rules, else NULL).
    resolve : {"first", "best"}, optional
        How to resolve conflicts, as in :meth:`RuleSet.predict`. In a list the first rule always
        decides.

    Returns
    -------
    str
        Text, booleans, integers and numbers have the corresponding type in SQL. Consequents of
        several types, or of other types, become text, which a comment notes. Rows outside the
        space do not raise errors: the conditions are evaluated literally.

    Raises
    ------
    ConditionError
        If an argument is invalid.
    ConflictError
        If the rules contradict each other and ``resolve`` is None.
    FormatError
        If the dialect cannot represent the rules.

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
    writer = _Writer(branches, chosen, source)
    cases, notes = writer.cases()
    queries: list[Any] = cases
    if source is not None or branches.outputs:
        queries = _aliased(cases, _labels(writer, column, keep))
    if source is not None:
        columns = [sqlglot.exp.Star()] if keep is None else [writer.column(name) for name in keep]
        query = sqlglot.exp.Select(expressions=[*columns, *queries])
        queries = [query.from_(source, copy=False)]
    queries[0].add_comments([f" {note} " for note in (branches.note, *notes)])
    options = {"pretty": True, "copy": False, "unsupported_level": sqlglot.ErrorLevel.RAISE}
    try:
        return ",\n".join(query.sql(dialect=chosen.name, **options) for query in queries)
    except sqlglot.errors.UnsupportedError as error:
        raise FormatError(f"{chosen.name} cannot represent the rules: {error}") from None


def dumps(rules: RuleSet | RuleList | DecisionTable) -> str:
    """Return the rules as a query of the table ``cases``, in the dialect of DuckDB."""
    return to_sql(rules, "cases") + ";\n"


def _sqlglot() -> Any:
    try:
        import sqlglot
    except ImportError:
        raise FormatError("SQL needs sqlglot: pip install 'irenic[sql]'") from None
    return sqlglot


# --- the query around the expression


def _table(name: str | Sequence[str]) -> exp.Table:
    from sqlglot import exp

    parts = [name] if isinstance(name, str) else name
    if not isinstance(parts, Sequence) or not 1 <= len(parts) <= 3:
        raise ConditionError(
            "table must be a name, or up to three parts of one such as ('shop', 'customers'),"
            f" got {name!r}"
        )
    identifiers = [_identifier(part, "a table") for part in reversed(parts)]
    return exp.Table(**dict(zip(("this", "db", "catalog"), identifiers, strict=False)))


def _identifier(name: object, what: str) -> exp.Identifier:
    from sqlglot import exp

    if not isinstance(name, str) or not name or not is_unicode(name):
        raise ConditionError(f"the name of {what} must be a nonempty str, got {name!r}")
    check_text(name, f"the name of {what}")
    return exp.Identifier(this=name, quoted=True)


def _labels(
    writer: _Writer, column: str | Sequence[str] | None, keep: Sequence[str] | None
) -> list[exp.Identifier]:
    """Return the names of the columns of predictions, which the table must not have yet."""
    if isinstance(keep, str) or not isinstance(keep, Sequence | None):
        raise ConditionError(f"keep must be a list of columns or None, got {keep!r}")
    taken = {_folded(str(n), writer.dialect) for n in (writer.columns if keep is None else keep)}
    outputs = writer.branches.outputs
    if column is None and outputs:
        names = []
        for name in outputs:
            while _folded(name, writer.dialect) in taken:
                name += " (outcome)"
            taken.add(_folded(name, writer.dialect))
            names.append(name)
        return [_identifier(name, "a column") for name in names]
    given: Sequence[Any] = ["prediction" if column is None else column]
    if outputs:
        given = [] if isinstance(column, str) or not isinstance(column, Sequence) else column
        if len(given) != len(outputs):
            raise ConditionError(
                f"column must be {len(outputs)} names, one per output, got {column!r}"
            )
    labels = [_identifier(name, "a column") for name in given]
    for name in given:
        if _folded(name, writer.dialect) in taken:
            raise ConditionError(
                f"the table already has a column {name!r}; choose another name with column=…"
            )
        taken.add(_folded(name, writer.dialect))
    return labels


def _aliased(cases: list[exp.Expr], labels: list[exp.Identifier]) -> list[exp.Expr]:
    from sqlglot import exp

    return [exp.Alias(this=c, alias=label) for c, label in zip(cases, labels, strict=True)]


def _folded(name: str, dialect: Dialect) -> str:
    return name.lower() if dialect.one_case else name


# --- the expression


class _Writer:
    """Writes rules in one space and one dialect."""

    def __init__(self, branches: Branches, dialect: Dialect, source: exp.Table | None) -> None:
        self.branches, self.dialect = branches, dialect
        self.space, self.columns = branches.space, branches.columns
        # SQLite reads "name" as text if there is no such column, but not "table"."name"
        qualified = source is not None and dialect.name == "sqlite"
        self._source = source.this if source is not None and qualified else None
        seen: dict[str, str] = {}
        for name in self.columns:
            other = seen.setdefault(_folded(name, dialect), name)
            if other != name:
                raise FormatError(
                    f"the features {other!r} and {name!r} are the same column in {dialect.name},"
                    " where names are case-insensitive; rename one"
                )

    def column(self, name: str) -> exp.Column:
        from sqlglot import exp

        table = None if self._source is None else self._source.copy()
        return exp.Column(this=_identifier(name, "a column"), table=table)

    def cases(self) -> tuple[list[exp.Expr], list[str]]:
        """Return one expression per output, and notes for a comment."""
        cases: list[exp.Expr] = []
        notes: dict[str, None] = {}
        for place, name in enumerate(self.branches.outputs or ("",)):
            case, remarks = self._case(place if self.branches.outputs else None)
            cases.append(case)
            notes |= dict.fromkeys(f"{name}: {note}" if name else note for note in remarks)
        return cases, [*notes]

    def _case(self, output: int | None) -> tuple[exp.Expr, list[str]]:
        """Return the expression for one part of the consequents, None for all of them."""
        from sqlglot import exp

        def part(then: Any) -> Any:
            return then if output is None or then is None else then[output]

        branches = self.branches
        thens = [part(rule.then) for rule in branches.rules]
        default = part(branches.default)
        answer, notes = _answers([*thens, default], self.dialect)
        last = answer(default)
        if not branches.rules:
            return last, notes
        ifs = []
        for place, (rule, then) in enumerate(zip(branches.rules, thens, strict=True), 1):
            try:
                tests = [
                    test
                    for name, operators in rule.region.conditions().items()
                    for test in self._tests(self.space[name], operators)
                ]
                answered = answer(then)
            except FormatError as error:
                raise FormatError(f"rule {place}: {error.message}") from None
            condition = exp.and_(*tests, copy=False) if tests else exp.true()
            ifs.append(exp.If(this=condition, true=answered))
        return exp.Case(ifs=ifs, default=last), notes

    # --- one condition: tests that must all hold

    def _tests(self, feature: Feature, operators: Operators) -> list[exp.Expr]:
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
        column = self.column(feature.name)
        texts = isinstance(feature, Categorical) and {*map(_type_of, feature.values)} <= {"text"}
        return text_column(self.dialect, column) if texts else column

    def _may_be_nan(self, feature: Feature) -> bool:
        if not self.dialect.nan or not feature.missing:
            return False
        if isinstance(feature, Continuous):
            return feature.kind in _NUMERIC
        return bool(feature.values) and _type_of_values(feature) == "number"

    def _missing(self, feature: Feature) -> list[exp.Expr]:
        """Return tests, at least one of which holds if the value is missing."""
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
        if feature.kind == "months":  # a number, because few databases have a type for it
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
        # NULL satisfies neither IN nor NOT IN
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


def _answers(
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
        return lambda value: text(dialect, _as_text(value)), []
    if kinds == {"boolean"}:
        return lambda value: boolean(dialect, bool(value)), []
    if kinds == {"number"}:
        if all(isinstance(value, int) for value in numbers):
            return lambda value: whole(value), []
        if all(isinstance(value, float) or abs(value) <= EXACT for value in numbers):
            return lambda value: double(dialect, float(value)), []
    texts: dict[str, Hashable] = {}
    for value in dict.fromkeys(thens):
        same = texts.setdefault(_as_text(value), value)
        if same != value:
            raise FormatError(
                f"the consequents {same!r} and {value!r} have the same text in SQL,"
                f" {_as_text(value)!r}; rename one"
            )
    note = "The column contains predictions as text, because they do not have one type in SQL."
    return lambda value: text(dialect, _as_text(value)), [note]


def _as_text(value: Hashable) -> str:
    # str() of an enum member would be its name, not its value
    return str.__str__(value) if isinstance(value, str) else format_literal(value)
