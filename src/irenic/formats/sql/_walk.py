"""Many rules as arrays of numbers: a row walks from node to node until it meets its rule.

Databases that compile a query, such as Spark and PostgreSQL, take long for one with hundreds of
conditions. Here, the conditions are data: the query has the same few operations for any number of
rules. Each node compares one number of the row with a limit, and names the next node for either
outcome. A number that is not positive is the end: it says which rule decides.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from irenic.arrays import Ints
from irenic.formats._branches import Branches
from irenic.formats.sql._conditions import Writer
from irenic.formats.sql._tree import Builder, FeatureParts, axes_of
from irenic.model.condition import Operators, terms_of
from irenic.model.features import FIRST_CODE, MISSING_CODE, OTHER_CODE, Categorical

# Leaves together have at most this many rules per rule; a node takes some 30 characters.
_COPIES: Final = 4
_DEPTH: Final = 64
# Steps that a row makes before the query looks whether it has arrived.
_BLOCK: Final = 32
ENGINES: Final = ("duckdb", "postgres", "spark")
"""The dialects that have arrays and can repeat a step."""


class Walk(NamedTuple):
    """Rules as nodes, which are numbered from 1."""

    axes: Sequence[FeatureParts]
    tested: list[int]
    """The axis that each node tests."""
    limits: list[float]
    """The limit that it compares the value with."""
    above: list[int]
    """The next node if the value is at least the limit; the end if it is not positive."""
    below: list[int]
    """The next node if the value is less."""
    root: int
    steps: int
    """The most nodes that a row meets."""


def walk_of(branches: Branches, order: Sequence[int], ends: Sequence[int], last: int) -> Walk:
    """Return some branches as nodes, in the order in which they are tried.

    ``ends`` are the ends of the branches, not positive, and ``last`` is the one if none of them
    holds.
    """
    conditions, axes = axes_of(branches, order)
    builder = _Walks(conditions, axes, ends, last)
    root = builder.grow(np.arange(len(order)), float(_COPIES * len(order)), _DEPTH)
    nodes = list(builder.nodes)
    columns = zip(*nodes, strict=True) if nodes else ((), (), (), ())
    tested, limits, above, below = map(list, columns)
    return Walk(axes, tested, limits, above, below, root, builder.steps.get(root, 0))


class _Walks(Builder):
    """Makes nodes; equal ones are made once."""

    def __init__(
        self,
        conditions: Sequence[dict[str, Operators]],
        axes: Sequence[FeatureParts],
        ends: Sequence[int],
        last: int,
    ) -> None:
        super().__init__(range(len(ends)), conditions, axes, smallest=1)
        self._ends, self._last = ends, last
        self.nodes: dict[tuple[int, float, int, int], int] = {}
        self.steps: dict[int, int] = {}

    def cut(self, k: int, part: int, holds: int, fails: int) -> int:
        if holds == fails:
            return holds
        axis = self.axes[k]
        limit = axis.starts[part] if _is_number(axis) else part
        node = self.nodes.setdefault((k, limit, holds, fails), len(self.nodes) + 1)
        self.steps[node] = 1 + max(self.steps.get(holds, 0), self.steps.get(fails, 0))
        return node

    def leaf(self, rules: Ints) -> int:
        following = self._last
        for rule in rules[::-1].tolist():
            found = self._ends[rule]
            for k, axis in enumerate(self.axes):
                low, high = self.low[k], self.high[k]
                if not axis.include(np.array([rule]), low, high)[0]:
                    found = self._inside(k, _bounds(axis, rule, low, high), found, following)
            following = found
        return following

    def _inside(self, k: int, bounds: list[tuple[int, bool]], holds: int, fails: int) -> int:
        """Return nodes for parts from bounds on, each of which holds or not up to the next."""
        if len(bounds) == 1:
            return holds if bounds[0][1] else fails
        middle = len(bounds) // 2
        halves = (
            self._inside(k, half, holds, fails) for half in (bounds[middle:], bounds[:middle])
        )
        return self.cut(k, bounds[middle][0], *halves)


def _bounds(axis: FeatureParts, rule: int, low: int, high: int) -> list[tuple[int, bool]]:
    """Return where a rule starts and stops to hold, for parts in a range."""
    if axis.members is not None:
        inside = axis.members[rule, low:high]
        changes = [0, *(np.flatnonzero(inside[1:] != inside[:-1]) + 1).tolist()]
        return [(low + place, bool(inside[place])) for place in changes]
    first, last = int(axis.first[rule]), int(axis.last[rule])
    bounds = [(low, False)] * (low < first) + [(max(low, first), True)]
    return bounds + [(last, False)] * (last < high)


def _is_number(axis: FeatureParts) -> bool:
    """Return whether the values of a feature are compared, instead of the number of their part."""
    return axis.members is None and getattr(axis.feature, "kind", "") in ("number", "integer")


# --- as SQL


def write_walk(writer: Writer, walk: Walk) -> Any:
    """Return the expression of the end of the walk of a row."""
    from sqlglot import exp

    values = [_value(writer, axis).sql(dialect=writer.dialect.syntax) for axis in walk.axes]
    write: Callable[[Walk, str], str] = _WRITE[writer.dialect.name]
    return exp.Var(this=write(walk, ", ".join(values)) if walk.tested else f"({walk.root})")


def choose(writer: Writer, answers: Sequence[Any], walk: Walk) -> Any:
    """Return the answer whose place is the end of the walk of a row, which is not positive."""
    from sqlglot import exp

    listed = ", ".join(answer.sql(dialect=writer.dialect.syntax) for answer in answers)
    end = write_walk(writer, walk).this
    forms = {
        "spark": f"ARRAY({listed})[-{end}]",
        "duckdb": f"([{listed}])[1 - {end}]",
        "postgres": f"(ARRAY[{listed}])[1 - {end}]",
    }
    return exp.Var(this=forms[writer.dialect.name])


def _value(writer: Writer, axis: FeatureParts) -> Any:
    """Return the number of a row that nodes compare: lowest if the value is missing."""
    from sqlglot import exp

    from irenic.formats.sql._conditions import identifier
    from irenic.formats.sql._dialects import double, whole

    feature, ifs = axis.feature, []

    def branch(operators: Operators, value: Any) -> None:
        tests = writer.tests(feature, operators)
        ifs.append(exp.If(this=exp.and_(*tests, copy=False), true=value))

    if _is_number(axis):
        branch({"missing": True}, double(writer.dialect, -np.inf))
        column = writer.column(identifier(feature.name, "a column"))
        return exp.Case(ifs=ifs, default=exp.Cast(this=column, to=exp.DataType.build("double")))
    if axis.members is None:
        for part in range(axis.n_parts - 1, 0, -1):
            branch(axis.from_part(part, axis.n_parts), whole(part))
        return exp.Case(ifs=ifs, default=whole(0))
    assert isinstance(feature, Categorical)
    unlike = (axis.members != axis.members[:, [OTHER_CODE]]).any(axis=0)
    if unlike[MISSING_CODE]:
        branch({"missing": True}, whole(MISSING_CODE))
    for code in range(FIRST_CODE, len(feature.values) + FIRST_CODE):
        if unlike[code]:
            branch({"in": terms_of(feature, 1 << code)}, whole(code))
    return exp.Case(ifs=ifs, default=whole(OTHER_CODE)) if ifs else whole(OTHER_CODE)


def element(writer: Writer, numbers: Sequence[float], place: Any) -> Any:
    """Return the float64 at a place of an array, which is an expression and counts from 0."""
    from sqlglot import exp

    from irenic.formats.sql._dialects import whole

    first = 0 if writer.dialect.name == "spark" else 1
    index = exp.Add(this=place, expression=whole(first)) if first else place
    array = _ARRAY[writer.dialect.name](numbers, "DOUBLE")
    return exp.Var(this=f"({array})[{index.sql(dialect=writer.dialect.syntax)}]")


# --- arrays, and the steps of a walk, in each dialect


def _spark_array(numbers: Sequence[float], kind: str) -> str:
    return f"CAST(SPLIT('{_joined(numbers)}', ',') AS ARRAY<{kind}>)"


def _duckdb_array(numbers: Sequence[float], kind: str) -> str:
    return f"CAST('[{_joined(numbers)}]' AS {kind}[])"


def _postgres_array(numbers: Sequence[float], kind: str) -> str:
    kind = {"DOUBLE": "FLOAT8"}.get(kind, kind)
    return f"CAST('{{{_joined(numbers)}}}' AS {kind}[])"


def _joined(numbers: Sequence[float]) -> str:
    return ",".join(map(repr, numbers))


def _in_spark(walk: Walk, values: str) -> str:
    def array(numbers: Sequence[float], kind: str) -> str:
        return _spark_array([0, *numbers], kind)  # elements are numbered from 0, nodes from 1

    step = _STEP.format(
        tested=array(walk.tested, "INT"),
        limits=array(walk.limits, "DOUBLE"),
        above=array(walk.above, "INT"),
        below=array(walk.below, "INT"),
    )

    def repeated(n: int, start: object, work: str) -> str:
        return f"AGGREGATE(SEQUENCE(1, {n}), {start}, (n, i) -> {work})"

    return f"TRANSFORM(ARRAY(ARRAY({values})), v -> {_in_blocks(walk, step, repeated)})[0]"


def _in_duckdb(walk: Walk, values: str) -> str:
    array = _duckdb_array
    step = _STEP.format(
        tested=array([k + 1 for k in walk.tested], "INT"),
        limits=array(walk.limits, "DOUBLE"),
        above=array(walk.above, "INT"),
        below=array(walk.below, "INT"),
    )

    def repeated(n: int, start: object, work: str) -> str:
        return f"LIST_REDUCE(RANGE({n}), LAMBDA n, i: {work}, {start})"

    return f"LIST_TRANSFORM([[{values}]], LAMBDA v: {_in_blocks(walk, step, repeated)})[1]"


def _in_blocks(walk: Walk, step: str, repeated: Callable[[int, object, str], str]) -> str:
    """Return the steps of a walk; a row that meets its rule early skips the blocks after it."""
    if walk.steps <= _BLOCK:
        return repeated(walk.steps, walk.root, step)
    block = f"CASE WHEN n <= 0 THEN n ELSE {repeated(_BLOCK, 'n', step)} END"
    return repeated(-(-walk.steps // _BLOCK), walk.root, block)


def _in_postgres(walk: Walk, values: str) -> str:
    array = _postgres_array
    step = _STEP.format(tested="tested", limits="limits", above="above", below="below")

    def steps(n: int, source: str) -> str:
        for _ in range(n):  # OFFSET 0 keeps them apart, else they would become one expression
            source = f"(SELECT {step} AS n FROM {source} OFFSET 0) AS walk"
        return source

    arrays = (
        f"(SELECT ARRAY[{values}] AS v, {array([k + 1 for k in walk.tested], 'INT')} AS tested,"
        f" {array(walk.limits, 'DOUBLE')} AS limits, {array(walk.above, 'INT')} AS above,"
        f" {array(walk.below, 'INT')} AS below OFFSET 0) AS arrays"
    )
    first = f"SELECT {walk.root} AS n"
    if walk.steps <= _BLOCK:
        query = f"SELECT n FROM {steps(walk.steps, f'({first} OFFSET 0) AS walk')}"
    else:
        more = steps(_BLOCK, "(SELECT n FROM walk WHERE n > 0 OFFSET 0) AS walk")
        query = (
            f"WITH RECURSIVE walk AS ({first} UNION ALL SELECT n FROM {more})"
            " SELECT n FROM walk WHERE n <= 0"
        )
    return f"(SELECT n FROM {arrays}, LATERAL ({query}) AS walked)"


_STEP: Final = (
    "CASE WHEN n <= 0 THEN n WHEN v[{tested}[n]] >= {limits}[n] THEN {above}[n] ELSE {below}[n] END"
)
_ARRAY: Final = {
    "spark": _spark_array,
    "duckdb": _duckdb_array,
    "postgres": _postgres_array,
}
_WRITE: Final = {"spark": _in_spark, "duckdb": _in_duckdb, "postgres": _in_postgres}
