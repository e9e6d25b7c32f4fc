"""Rules as SQL: a CASE expression with one branch per rule, in one of nine dialects.

Many rules are nested CASE expressions (``_tree``), or arrays of numbers (``_walk``).

It is built from sqlglot's expressions, which quote names and text. Each row gets what
:meth:`RuleSet.predict` returns for it, with NULL (and NaN) as missing. For a row outside the space,
where ``predict`` raises, the conditions are evaluated literally: NULL satisfies ``not in`` even on
a feature that cannot be missing.

If the number of the deciding rule is asked for, a subquery finds it, and the query around it looks
up everything else by this number.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

from irenic.errors import ConditionError, FormatError
from irenic.formats._branches import Branches, as_branches
from irenic.formats.sql._conditions import Writer, answers, as_text, folded, identifier
from irenic.formats.sql._dialects import DIALECTS as DIALECTS
from irenic.formats.sql._dialects import dialect_of, double, whole
from irenic.formats.sql._tree import Leaf, Split, cutting_tree, n_tests
from irenic.formats.sql._walk import ENGINES, choose, element, walk_of, write_walk
from irenic.model.decision_table import DecisionTable
from irenic.model.head import Head, labels_of, open_labels

Form: TypeAlias = Literal["rules", "tree", "arrays"]

if TYPE_CHECKING:
    from sqlglot import exp

    from irenic.learn import RuleClassifier
    from irenic.learn.lookup import Lookup
    from irenic.model.deciding import Resolve
    from irenic.model.rulelist import RuleList
    from irenic.model.ruleset import RuleSet

    Write: TypeAlias = Callable[[Hashable], exp.Expr]

# A tree of more branches was faster in all five databases measured, if rules divide the space.
_MOST_BRANCHES: Final = 50
# Unless rules overlap so much that leaves test this many times as many rules.
_MOST_COPIES: Final = 1.5
# Spark and PostgreSQL take long to compile more comparisons than this.
_MOST_TESTS: Final = 200
_TREE: Final = "A tree that cuts the space; each leaf tests a few rules."
_ARRAYS: Final = "Arrays of nodes: each row walks from node to node until it meets its rule."
_BY_LABEL: Final = (
    "Each label has branches of its own; those of rules that leave it open come last."
)


def to_sql(
    rules: RuleSet | RuleList | DecisionTable | RuleClassifier,
    table: str | Sequence[str] | None = None,
    *,
    dialect: str = "duckdb",
    column: str | Sequence[str] | None = None,
    keep: Sequence[str] | None = None,
    default: Hashable | None = None,
    resolve: Resolve | None = None,
    rule: str | None = None,
    probabilities: bool = False,
    form: Form | None = None,
) -> str:
    """Return the rules as SQL: a SELECT with an additional column of predictions.

    Parameters
    ----------
    rules : RuleSet, RuleList, DecisionTable or fitted classifier
        A set with conflicts needs ``resolve``.
    table : str or sequence of str, optional
        The name of the table, or its parts, as in ``("shop", "customers")``. None returns only the
        CASE expression, for a query of your own; one with a name per output if there are several.
    dialect : {"duckdb", "postgres", "spark", "bigquery", "snowflake", "mysql", "mariadb", \
"sqlite", "tsql"}
        The dialect of SQL.
    column : str or sequence of str, optional
        Name of the column of predictions (default: ``"prediction"``). A decision table with several
        outputs has one column per output, and rules that predict sets of labels, or decide some of
        the labels, have one column of booleans per label (default: their names).
    keep : sequence of str, optional
        The other columns to select (default: all).
    default : hashable, optional
        The prediction if no rule holds (default: that of the rules, else NULL).
    resolve : {"first", "best"}, optional
        How to resolve conflicts, as in :meth:`RuleSet.predict`. In a list the first rule always
        decides.
    rule : str, optional
        Name of an additional column with the number of the deciding rule, from 1, or that of the
        row of a decision table; NULL if no rule holds (default: no such column).
    probabilities : bool
        Whether to add what ``predict_proba`` of a classifier returns: one column
        ``probability of …`` per label. They are looked up by the columns ``rule`` and ``region``,
        which are added too.
    form : {"rules", "tree", "arrays"}, optional
        ``"rules"`` is a CASE with one branch per rule, in their order, for people to read.
        ``"tree"`` is a tree of nested CASEs that cuts the space, in which a row meets far fewer
        tests. ``"arrays"`` stores the tree as arrays of numbers, so that databases that compile a
        query, PostgreSQL and Spark, have little to compile; it is possible in DuckDB, too
        (default: for more than 50 rules, arrays in PostgreSQL and Spark, else a tree unless they
        overlap too much).

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

    ``rule`` adds the number of the deciding rule:

    >>> print(to_sql(rules, "people", rule="rule", keep=["name"]))
    /* The rules do not contradict each other: their order does not matter. */
    SELECT
      *,
      CASE WHEN "rule" = 1 THEN 'minor' WHEN "rule" = 2 THEN 'on call' ELSE NULL END AS "prediction"
    FROM (
      SELECT
        "name",
        CASE
          WHEN "age" < 18
          THEN 1
          WHEN "age" >= 18 AND "job" = 'nurse'
          THEN 2
          ELSE NULL
        END AS "rule"
      FROM "people"
    ) AS "people"
    """
    sqlglot = _sqlglot()
    chosen = dialect_of(dialect)
    source = None if table is None else _table(table)
    lookup = _lookup_of(rules)
    if probabilities and lookup is None:
        raise ConditionError(f"probabilities need a fitted classifier, got {type(rules).__name__}")
    branches, outputs = _outputs(rules, lookup, default=default, resolve=resolve)
    if form not in ("rules", "tree", "arrays", None):
        raise ConditionError(f"form must be 'rules', 'tree', 'arrays' or None, got {form!r}")
    if form == "arrays":
        _check_arrays(branches, chosen.name)
    writer = Writer(branches, chosen, source, form)
    names = _Names(writer, keep)
    queries: list[exp.Expr]
    if rule is not None or probabilities:
        if source is None:
            raise ConditionError("rule and probabilities need a table, got None")
        number = names.take("rule" if rule is None else rule, "rule")
        found, likely = [(number, _rule_number(writer))], []
        if probabilities and lookup is not None:
            likely = _likelihoods(writer, lookup, names, found)
        inner = _select([*names.kept(), *_aliased(found)], source)
        said, notes = _by_rule(writer, outputs, number)
        columns = _aliased([*zip(names.of_outputs(outputs, column), said, strict=True), *likely])
        subquery = inner.subquery(source.this.copy(), copy=False)
        queries = [_select([sqlglot.exp.Star(), *columns], subquery)]
    else:
        queries, notes = _side_by_side(writer, outputs)
        if source is not None or len(outputs) > 1:
            queries = _aliased(zip(names.of_outputs(outputs, column), queries, strict=True))
        if source is not None:
            queries = [_select([*names.kept(), *queries], source)]
    note = writer.note or (_BY_LABEL if _is_partial(branches) else branches.note)
    queries[0].add_comments([f" {text} " for text in (note, *notes)])
    options = {
        "pretty": not writer.note,
        "copy": False,
        "unsupported_level": sqlglot.ErrorLevel.RAISE,
    }
    try:
        return ",\n".join(query.sql(dialect=chosen.syntax, **options) for query in queries)
    except sqlglot.errors.UnsupportedError as error:
        raise FormatError(f"{chosen.name} cannot represent the rules: {error}") from None


def n_outputs(rules: Any, *, default: Hashable | None, resolve: Resolve | None) -> int:
    """Return how many columns of predictions rules have."""
    return len(_outputs(rules, _lookup_of(rules), default=default, resolve=resolve)[1])


class Scoring(NamedTuple):
    """What a classifier computes, as expressions of a dialect by the names of their columns."""

    found: dict[str, str]
    """The numbers of the deciding rule, ``rule``, and of the region, if there are any."""
    said: dict[str, str]
    """The prediction, and the probabilities of the labels in their order, given these numbers."""


def scoring_of(model: RuleClassifier, dialect: str, taken: Iterable[str] = ()) -> Scoring:
    """Return the expressions of a fitted classifier that predicts one label per row.

    Columns of the table that are ``taken`` are not used as names.
    """
    _sqlglot()
    lookup = _lookup_of(model)
    assert lookup is not None
    branches, outputs = _outputs(model, lookup, default=None, resolve=None)
    writer = Writer(branches, dialect_of(dialect), None)
    names = _Names(writer, [*writer.columns, *taken])
    number = names.free("rule")
    found = [(number, _rule_number(writer))]
    likely = _likelihoods(writer, lookup, names, found)
    said, _ = _by_rule(writer, outputs, number)
    answers = zip([names.free("prediction")], said, strict=True)

    def texts(columns: Iterable[tuple[exp.Identifier, exp.Expr]]) -> dict[str, str]:
        return {name.this: value.sql(dialect=writer.dialect.syntax) for name, value in columns}

    return Scoring(texts(found), texts([*answers, *likely]))


def dumps(rules: RuleSet | RuleList | DecisionTable) -> str:
    """Return the rules as a query of the table ``cases``, in the dialect of DuckDB."""
    return to_sql(rules, "cases") + ";\n"


def _sqlglot() -> Any:
    try:
        import sqlglot
    except ImportError:
        raise FormatError("SQL needs sqlglot: pip install 'irenic[sql]'") from None
    return sqlglot


# --- the outputs: what each column of predictions contains


class _Output(NamedTuple):
    """One column of predictions: the branches that decide it, and what they say."""

    name: str
    order: Sequence[int]
    """The branches in the order in which they are tried."""
    thens: Sequence[Any]
    """What each of them says."""
    default: Any


def _lookup_of(rules: Any) -> Lookup | None:
    if not hasattr(rules, "chosen_"):  # not a fitted classifier
        return None
    from irenic.learn.lookup import Lookup

    return Lookup.of(rules)


def _outputs(
    rules: Any, lookup: Lookup | None, *, default: Hashable | None, resolve: Resolve | None
) -> tuple[Branches, list[_Output]]:
    if lookup is not None and resolve is None:
        resolve = lookup.resolve
    branches = as_branches(rules, default=default, resolve=resolve, some_labels=True)
    thens: list[Any] = [rule.then for rule in branches.rules]
    fallback: Any = branches.default
    if lookup is not None:
        thens = [lookup.thens[number - 1] for number in branches.numbers]
        fallback = lookup.thens[-1] if default is None else fallback
    places = range(len(thens))
    if branches.outputs:
        parts = [
            [None if then is None else then[k] for then in (*thens, fallback)]
            for k in range(len(branches.outputs))
        ]
        pairs = zip(branches.outputs, parts, strict=True)
        return branches, [_Output(name, places, part[:-1], part[-1]) for name, part in pairs]
    sets = [then for then in (*thens, fallback) if then is not None]
    if sets and all(isinstance(then, Head | frozenset) for then in sets):
        labels = labels_of(sets) if lookup is None else lookup.labels
        if labels:
            return branches, [_of_label(label, thens, fallback) for label in labels]
    return branches, [_Output("", places, thens, fallback)]


def _of_label(label: Hashable, thens: list[Any], default: Any) -> _Output:
    """Return whether a label is predicted; rules that leave it open come last."""
    present = [label in (then.present if isinstance(then, Head) else then) for then in thens]
    is_open = [isinstance(then, Head) and label not in then for then in thens]
    order = [place for place, leaves in enumerate(is_open) if not leaves]
    said = [present[place] for place in order]
    if default is None:  # where a rule holds, a label that none decides is absent
        order += [place for place, leaves in enumerate(is_open) if leaves]
        said += [False] * (len(order) - len(said))
    last = None if default is None else label in open_labels(default)
    return _Output(as_text(label), order, said, last)


def _is_partial(branches: Branches) -> bool:
    return any(isinstance(rule.then, Head) for rule in branches.rules)


# --- the expressions: by the rules, or by the number of the deciding rule


def _side_by_side(writer: Writer, outputs: list[_Output]) -> tuple[list[exp.Expr], list[str]]:
    """Return one expression per output, and notes for a comment."""

    def expression(output: _Output, write: Write) -> exp.Expr:
        said = [_answer(writer, *pair, write) for pair in _pairs(output)]
        return _decided(writer, output.order, said, write(output.default))

    return _written(writer, outputs, expression)


def _by_rule(
    writer: Writer, outputs: list[_Output], number: exp.Identifier
) -> tuple[list[exp.Expr], list[str]]:
    """Return one expression per output, given the number of the deciding rule, and notes."""

    def expression(output: _Output, write: Write) -> exp.Expr:
        said = {
            writer.branches.numbers[place]: (type(then), then)
            for place, then in _pairs(output)
            if _answer(writer, place, then, write)
        }
        fallback = (type(output.default), output.default)
        return _looked_up(writer.column(number), said, fallback, lambda key: write(key[1]))

    return _written(writer, outputs, expression)


def _written(
    writer: Writer, outputs: list[_Output], expression: Callable[[_Output, Write], exp.Expr]
) -> tuple[list[exp.Expr], list[str]]:
    expressions: list[exp.Expr] = []
    notes: dict[str, None] = {}
    for output in outputs:
        write, remarks = answers([*output.thens, output.default], writer.dialect)
        expressions.append(expression(output, write))
        notes |= dict.fromkeys(f"{output.name}: {n}" if output.name else n for n in remarks)
    return expressions, [*notes]


def _pairs(output: _Output) -> Iterable[tuple[int, Any]]:
    return zip(output.order, output.thens, strict=True)


def _answer(writer: Writer, place: int, then: Any, write: Write) -> exp.Expr:
    try:
        return write(then)
    except FormatError as error:
        raise FormatError(f"rule {writer.branches.numbers[place]}: {error.message}") from None


def _rule_number(writer: Writer) -> exp.Expr:
    """Return the number of the deciding rule, NULL if no rule holds."""
    from sqlglot import exp

    if _is_partial(writer.branches):
        raise ConditionError(
            "rule and probabilities need rules of which one decides each row, but several of these"
            " decide together, because they decide only some labels; leave both out"
        )
    numbers = writer.branches.numbers
    if _as_arrays(writer, range(len(numbers))):
        writer.note = _ARRAYS
        walk = walk_of(writer.branches, range(len(numbers)), [-n for n in numbers], 0)
        return exp.Nullif(this=exp.Neg(this=write_walk(writer, walk)), expression=whole(0))
    return _decided(writer, range(len(numbers)), [whole(n) for n in numbers], exp.null())


def _likelihoods(
    writer: Writer,
    lookup: Lookup,
    names: _Names,
    found: list[tuple[exp.Identifier, exp.Expr]],
) -> list[tuple[exp.Identifier, exp.Expr]]:
    """Return columns of probabilities, which find the region in the columns of the subquery."""
    number, region = found[0][0], None
    if lookup.regions is not None:
        region = names.free("region")
        branches = as_branches(lookup.regions, default=None, resolve=None)
        found.append((region, _rule_number(writer.of_branches(branches))))

    def expression(label: int) -> exp.Expr:
        table = lookup.probabilities[:, :, label]
        if writer.note == _ARRAYS:
            place = _place(writer, table.shape, number, region)
            return element(writer, table.ravel().tolist(), place)

        def of_region(row: tuple[float, ...]) -> exp.Expr:
            if region is None:
                return double(writer.dialect, row[0])
            values = dict(enumerate(row[:-1], 1))
            column = writer.column(region)
            return _looked_up(column, values, row[-1], lambda p: double(writer.dialect, p))

        rows = [tuple(row) for row in table.tolist()]
        values = {n: rows[n - 1] for n in writer.branches.numbers}
        return _looked_up(writer.column(number), values, rows[-1], of_region)

    labels = [names.free(f"probability of {as_text(label)}") for label in lookup.labels]
    return [(name, expression(k)) for k, name in enumerate(labels)]


def _place(
    writer: Writer, shape: tuple[int, ...], number: exp.Identifier, region: exp.Identifier | None
) -> exp.Expr:
    """Return the place in a table of rules and regions, in both of which the last is none."""
    from sqlglot import exp

    def counted(name: exp.Identifier, n: int) -> exp.Expr:
        last = exp.Coalesce(this=writer.column(name), expressions=[whole(n)])
        return exp.paren(exp.Sub(this=last, expression=whole(1)), copy=False)

    place = counted(number, shape[0])
    if region is None:
        return place
    start = exp.Mul(this=place, expression=whole(shape[1]))
    return exp.Add(this=start, expression=counted(region, shape[1]))


def _decided(
    writer: Writer, order: Sequence[int], said: list[exp.Expr], last: exp.Expr
) -> exp.Expr:
    """Return what the first of some branches says that holds."""
    from sqlglot import exp

    if not order:
        return last
    if _as_arrays(writer, order):
        return _of_walk(writer, order, said, last)
    if (tree := _tree_of(writer, order)) is not None:
        writer.note = _TREE
        return _of_tree(writer, tree, dict(zip(order, said, strict=True)), last)
    pairs = zip(order, said, strict=True)
    ifs = [exp.If(this=writer.condition(place), true=answer) for place, answer in pairs]
    return exp.Case(ifs=ifs, default=last)


def _check_arrays(branches: Branches, dialect: str) -> None:
    """Raise an error if rules cannot be written as arrays."""
    if dialect not in ENGINES:
        raise ConditionError(
            f"form='arrays' needs one of the dialects {', '.join(ENGINES)}, got {dialect!r}; use"
            " form='tree'"
        )
    if branches.compared:
        raise ConditionError(
            "form='arrays' cannot represent comparisons of two columns; use form='tree'"
        )


def _as_arrays(writer: Writer, order: Sequence[int]) -> bool:
    """Return whether some branches are written as arrays."""
    if writer.form is not None or writer.dialect.name not in ("spark", "postgres"):
        return writer.form == "arrays"
    if writer.branches.compared:
        return False
    rules = (writer.branches.rules[place] for place in order)
    tests = sum(len(listed) for rule in rules for listed in rule.region.conditions().values())
    return len(order) > _MOST_BRANCHES or tests > _MOST_TESTS


def _of_walk(
    writer: Writer, order: Sequence[int], said: list[exp.Expr], last: exp.Expr
) -> exp.Expr:
    """Return what the first of some branches says that holds, found in arrays."""
    writer.note = _ARRAYS
    answers: dict[exp.Expr, int] = {last: 0}
    ends = [-answers.setdefault(answer, len(answers)) for answer in said]
    return choose(writer, list(answers), walk_of(writer.branches, order, ends, 0))


def _tree_of(writer: Writer, order: Sequence[int]) -> Split | Leaf | None:
    """Return a tree of some branches, None if they are not written as one."""
    if writer.form == "rules" or (writer.form is None and len(order) <= _MOST_BRANCHES):
        return None
    tree = cutting_tree(writer.branches, order, writer.dialect.nesting)
    pays = isinstance(tree, Split) and n_tests(tree) <= _MOST_COPIES * len(order)
    return tree if pays or writer.form == "tree" else None


def _of_tree(
    writer: Writer, tree: Split | Leaf, said: dict[int, exp.Expr], last: exp.Expr
) -> exp.Expr:
    from sqlglot import exp

    if isinstance(tree, Split):
        holds, fails = (_of_tree(writer, t, said, last) for t in (tree.holds, tree.fails))
        if not isinstance(holds, exp.Case) and holds == fails:
            return holds
        tests = writer.tests(writer.space[tree.feature], tree.operators)
        branch = exp.If(this=exp.and_(*tests, copy=False), true=holds)
        return exp.Case(ifs=[branch], default=fails)
    tests = list(tree.tests)
    if tests and not tests[-1][1]:  # the last rule holds in the whole leaf
        last = said[tests.pop()[0]]
    while tests and said[tests[-1][0]] == last:
        tests.pop()
    if not tests:
        return last.copy()
    ifs = [exp.If(this=writer.condition(*t), true=said[t[0]].copy()) for t in tests]
    return exp.Case(ifs=ifs, default=last.copy())


def _looked_up(
    column: exp.Column, values: dict[int, Any], default: Any, write: Callable[[Any], exp.Expr]
) -> exp.Expr:
    """Return the value for the number in a column, the default if it is NULL."""
    from sqlglot import exp

    numbers: dict[Any, list[exp.Expr]] = {}
    for place, value in values.items():
        if value != default:
            numbers.setdefault(value, []).append(whole(place))
    if not numbers:
        return write(default)
    ifs = []
    for value, listed in numbers.items():
        test: exp.Expr = exp.In(this=column.copy(), expressions=listed)
        if len(listed) == 1:
            test = exp.EQ(this=column.copy(), expression=listed[0])
        ifs.append(exp.If(this=test, true=write(value)))
    return exp.Case(ifs=ifs, default=write(default))


# --- the query around the expressions


def _table(name: str | Sequence[str]) -> exp.Table:
    from sqlglot import exp

    parts = [name] if isinstance(name, str) else name
    if not isinstance(parts, Sequence) or not 1 <= len(parts) <= 3:
        raise ConditionError(
            "table must be a name, or up to three parts of one such as ('shop', 'customers'),"
            f" got {name!r}"
        )
    identifiers = [identifier(part, "a table") for part in reversed(parts)]
    return exp.Table(**dict(zip(("this", "db", "catalog"), identifiers, strict=False)))


class _Names:
    """The names of the columns of a query, no two of which may be the same."""

    def __init__(self, writer: Writer, keep: Sequence[str] | None) -> None:
        if isinstance(keep, str) or not isinstance(keep, Sequence | None):
            raise ConditionError(f"keep must be a list of columns or None, got {keep!r}")
        self._writer, self._keep = writer, keep
        listed = writer.columns if keep is None else keep
        self._taken = {folded(str(name), writer.dialect) for name in listed}

    def kept(self) -> list[exp.Expr]:
        """Return the columns of the table that are selected."""
        from sqlglot import exp

        if self._keep is None:
            return [exp.Star()]
        return [self._writer.column(identifier(name, "a column")) for name in self._keep]

    def take(self, name: Any, argument: str) -> exp.Identifier:
        """Return the name that an argument gives to a new column."""
        identified = identifier(name, "a column")
        if folded(name, self._writer.dialect) in self._taken:
            raise ConditionError(
                f"the table already has a column {name!r}; choose another name with {argument}=…"
            )
        self._taken.add(folded(name, self._writer.dialect))
        return identified

    def free(self, name: str) -> exp.Identifier:
        """Return a name for a new column, with a suffix if there is a column of this name."""
        while folded(name, self._writer.dialect) in self._taken:
            name += " (outcome)"
        return self.take(name, "column")

    def of_outputs(
        self, outputs: list[_Output], column: str | Sequence[str] | None
    ) -> list[exp.Identifier]:
        """Return the names of the columns of predictions."""
        if not outputs[0].name:
            return [self.take("prediction" if column is None else column, "column")]
        if column is None:
            return [self.free(output.name) for output in outputs]
        listed = [] if isinstance(column, str) or not isinstance(column, Sequence) else column
        if len(listed) != len(outputs):
            raise ConditionError(
                f"column must be {len(outputs)} names, one per output, got {column!r}"
            )
        return [self.take(name, "column") for name in listed]


def _aliased(columns: Iterable[tuple[exp.Identifier, exp.Expr]]) -> list[exp.Expr]:
    from sqlglot import exp

    return [exp.Alias(this=expression, alias=name.copy()) for name, expression in columns]


def _select(columns: list[exp.Expr], source: exp.Expr) -> exp.Select:
    from sqlglot import exp

    return exp.Select(expressions=columns).from_(source, copy=False)
