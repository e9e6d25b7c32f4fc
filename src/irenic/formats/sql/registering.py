"""Rules as a function of a database: ``SELECT decide(age, job) FROM people``."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, Final

from irenic.errors import ConditionError
from irenic.formats._branches import Branches, as_branches
from irenic.formats.sql._conditions import identifier, type_of_values
from irenic.formats.sql.source import n_outputs, to_sql
from irenic.model.features import Categorical, Feature

if TYPE_CHECKING:
    from irenic.learn import RuleClassifier
    from irenic.model.deciding import Resolve
    from irenic.model.decision_table import DecisionTable
    from irenic.model.rulelist import RuleList
    from irenic.model.ruleset import RuleSet

_KINDS: Final = {
    "number": "DOUBLE",
    "integer": "DOUBLE",  # any numeric column is cast to it
    "months": "INT",
    "date": "DATE",
    "datetime": "TIMESTAMP",
    "duration": "INTERVAL DAY TO SECOND",
    "text": "STRING",
    "boolean": "BOOLEAN",
}
"""Types of arguments in Spark, by the kind of a feature or the type of the values of a category."""


def register(
    connection: Any,
    rules: RuleSet | RuleList | DecisionTable | RuleClassifier,
    name: str = "decide",
    *,
    default: Hashable | None = None,
    resolve: Resolve | None = None,
) -> str:
    """Make the rules a function of a database, for queries of this connection.

    The function is written in SQL, so that no Python runs on the rows. Its arguments are the
    columns that the rules test, in the order of the space.

    Parameters
    ----------
    connection : duckdb.DuckDBPyConnection or pyspark.sql.SparkSession
        DuckDB gets a temporary macro, Spark 4 a temporary function.
    rules : RuleSet, RuleList, DecisionTable or fitted classifier
        As for :func:`to_sql`. They must have one outcome.
    name : str
        The name of the function. One of the same name is replaced.
    default, resolve
        As for :func:`to_sql`.

    Returns
    -------
    str
        The statement that was executed.

    Raises
    ------
    ConditionError
        If an argument is invalid, or the rules have several outcomes.
    ConflictError
        If the rules contradict each other and ``resolve`` is None.
    FormatError
        If the dialect cannot represent the rules.

    Examples
    --------
    >>> import duckdb, irenic
    >>> from irenic.formats import register
    >>> rules = irenic.RuleSet([irenic.Rule({"age": {"<": 18}}, then="minor")], default="adult")
    >>> connection = duckdb.connect()
    >>> print(register(connection, rules).splitlines()[0])
    CREATE OR REPLACE TEMPORARY MACRO "decide"("age") AS
    >>> connection.execute("SELECT x, decide(x) FROM (VALUES (17), (18)) AS t(x)").fetchall()
    [(17, 'minor'), (18, 'adult')]
    >>> connection.close()
    """
    module, kind = type(connection).__module__.partition(".")[0], type(connection).__name__
    if kind == "DuckDBPyConnection":
        dialect, run = "duckdb", connection.execute
    elif module == "pyspark" and kind == "SparkSession":
        dialect, run = "spark", connection.sql
    else:
        raise ConditionError(
            "connection must be a connection of DuckDB or a SparkSession, got"
            f" {type(connection).__name__}; for other databases, use to_sql without a table"
        )
    if (n := n_outputs(rules, default=default, resolve=resolve)) != 1:
        raise ConditionError(f"a function returns one outcome, but the rules have {n}; use to_sql")
    expression = to_sql(rules, dialect=dialect, default=default, resolve=resolve)
    columns = _tested(as_branches(rules, default=default, resolve="first", some_labels=True))
    quoted = [identifier(column.name, "a column").sql(dialect=dialect) for column in columns]
    if dialect == "spark":
        pairs = zip(quoted, columns, strict=True)
        quoted = [f"{argument} {_type_in_spark(column)}" for argument, column in pairs]
    function = identifier(name, "a function").sql(dialect=dialect)
    what = {"duckdb": "MACRO", "spark": "FUNCTION"}[dialect]
    body = {"duckdb": "AS", "spark": "RETURN"}[dialect]
    statement = (
        f"CREATE OR REPLACE TEMPORARY {what} {function}({', '.join(quoted)}) {body}\n{expression}"
    )
    run(statement)
    return statement


def _tested(branches: Branches) -> list[Feature]:
    """Return the columns that some rule tests, in the order of the space."""
    tested = {name for rule in branches.rules for name in rule.region.conditions()}
    pairs = {f.name for name in tested & {*branches.compared} for f in branches.compared[name]}
    return [feature for name, feature in branches.columns.items() if name in tested | pairs]


def _type_in_spark(feature: Feature) -> str:
    if not isinstance(feature, Categorical):
        return _KINDS[feature.kind]
    kind = type_of_values(feature) if feature.values else "text"
    whole = all(type(value) is int for value in feature.values)
    return "BIGINT" if kind == "number" and whole else _KINDS[kind]
