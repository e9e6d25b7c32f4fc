"""The assembly of decision tables: columns become features, and rows of cells become rules.

All errors of a table are collected in its draft. For rows that can never apply, the reason is kept.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from irenic.arrays import Bools, Bytes, Ints
from irenic.boxes import Boxes
from irenic.errors import ConditionError, FormatError, SpaceError, did_you_mean, without_feature
from irenic.formats.feel.sets import (
    WHOLE,
    MisfitError,
    Selection,
    Span,
    bits,
    cell_text,
    complement,
    feel_text,
    intersection,
    intervals,
    kinds_of,
    literal_text,
    select,
    shown,
)
from irenic.formats.feel.unary_tests import (
    ANYTHING,
    AllOf,
    AnyOf,
    Compare,
    Not,
    Test,
    comparisons,
    kind_of,
)
from irenic.formats.parsed import Tables
from irenic.formats.tables.drafts import CANNOT_OCCUR, Cell, Input, Row, TableDraft, distinct, short
from irenic.formats.tables.reading import reading_of
from irenic.model.condition import Interval, Operators, encode_bits, encode_interval, named_by
from irenic.model.decision_table import DecisionTable
from irenic.model.features import (
    EXACT,
    LOWEST,
    OTHER_CODE,
    Categorical,
    Continuous,
    Feature,
)
from irenic.model.literals import Prefix
from irenic.model.provenance import Provenance, UnsatisfiableRow
from irenic.model.region import Region, settled
from irenic.model.rule import as_consequent
from irenic.model.ruleset import RuleSet
from irenic.model.space import Space, to_words

_MOST_BOUNDS: Final = 20_000_000
MOST_RULES: Final = 1_000_000
"""Maximum number of rules that the rows of one table expand to."""
_MOST_OUTSIDE: Final = 100_000


def assemble(draft: TableDraft, space: Space | None = None) -> Tables:
    """Return the table of a draft, or all errors in it."""
    original = draft
    try:
        rows = [*draft.rows, *draft.impossible_rows]
        # a copy, because it may be bound to other spaces, too
        draft = _settled(replace(draft, rows=rows), space)
    except FormatError as error:
        return Tables(errors=[error])
    table = None
    try:
        table = _assembled(draft, space)
    except FormatError as error:
        draft.fail(error.message)
    except ConditionError as error:
        draft.fail(str(error))
    errors: list[FormatError] = sorted(draft.errors, key=lambda error: error.line or 0)
    # an error and a warning about one cell would contradict each other
    failed = {(e.place.header, e.place.text, e.line) for e in draft.errors if e.place.text}
    warnings = [w for w in draft.warnings if (w.place.header, w.place.text, w.line) not in failed]
    readings = []
    if original.places and original.rows:
        known = (space or _readable(draft)) if table is None else table.space
        if original.unnumbered is not None and known is not None and original.letter in known:
            original = original.unnumbered()
        readings = [reading_of(replace(original, errors=draft.errors), known)]
    if table is not None and readings:
        reading = replace(readings[0], draft=None)
        table = replace(table, provenance=replace(table.provenance, reading=reading))
    tables = [] if table is None or errors else [table]
    return Tables(tables, errors, [*warnings], readings=readings)


def _readable(draft: TableDraft) -> Space | None:
    """Return the space of the columns without errors, to describe them."""
    if not draft.places:
        return None
    axes = _axes(replace(draft, errors=[]), draft.columns(), None)
    features = [axis.feature for axis in axes]
    try:
        # a category without values is a column whose cells all have errors
        return Space([f for f in features if isinstance(f, Continuous) or f.values])
    except SpaceError:
        return None


def _settled(draft: TableDraft, space: Space | None) -> TableDraft:
    """Return a copy of a draft without the ambiguities that a space settles."""
    draft = _only_asked(draft, () if space is None else space.names)
    if space is None:
        draft = _by_role(_with_aliases(draft, None), ())
        return replace(draft, errors=[*draft.errors], warnings=[*draft.warnings])
    if draft.unnumbered is not None and draft.letter in space:
        draft = draft.unnumbered()
    draft = _by_role(_with_aliases(draft, space), space.names)
    errors, warnings = (
        [note for note in notes if not (note.doubtful and note.place.header in space)]
        for notes in (draft.errors, draft.warnings)
    )
    inputs = [replace(column, source="") for column in draft.inputs]  # the space has the kinds
    return replace(draft, inputs=inputs, errors=errors, warnings=warnings)


def _only_asked(draft: TableDraft, features: Sequence[str]) -> TableDraft:
    """Return a draft without errors in the cells of columns that may be no conditions."""
    asked = {
        name
        for doubt in draft.doubts
        for answer in doubt.answers()
        for name, role in answer.items()
        if name not in features and role in ("note", "outcome", "names")
    }
    single = [doubt for doubt in draft.doubts if len(doubt.columns) == 1]
    # an outcome that may be a condition has the same errors as one
    asked -= {d.column for d in single if d.column in draft.outputs and "outcome" in d.roles}
    reasons = set(map(str, draft.doubts))
    settled: set[str] = set()
    if features and all(c.name in features or c.bound for c in draft.inputs):
        # the space has all conditions, so that the other columns are the outcomes
        settled = {str(d) for d in draft.doubts if set(d.columns) <= set(draft.outputs)}
    errors, warnings = (
        [
            note
            for note in notes
            if (note.place.header not in asked or note.reason in reasons)
            and note.reason not in settled
        ]
        for notes in (draft.errors, draft.warnings)
    )
    return replace(draft, errors=errors, warnings=warnings)


def _with_aliases(draft: TableDraft, space: Space | None) -> TableDraft:
    """Return a draft in which values that mean others are replaced by these."""
    known: dict[tuple[int, int], Cell] = {}
    aliases: dict[int, dict[Any, Any]] = {}
    for place, column in enumerate(draft.inputs):
        values = getattr(space[column.name], "codes", {}) if space and column.name in space else {}
        aliases[place] = {a: b for a, b in column.aliases.items() if a not in values}
        if any(isinstance(value, Prefix) for value in values):
            # a column of prefixes is one of texts, so that 5 is read as "5"
            others = [v for v in values if v is not None and not isinstance(v, str | Prefix)]
            texts = {literal_text(value, words=True): value for value in others}
            aliases[place] |= {text: v for text, v in texts.items() if text not in values}
    places = [place for place, of_column in aliases.items() if of_column]
    if not places:
        return draft

    def replaced(place: int, cell: Cell) -> Cell:
        key = (place, id(cell))
        if key not in known:
            values = aliases[place]
            known[key] = Cell(cell.text, _with_values(cell.test, values))
        return known[key]

    rows = []
    for row in draft.rows:
        cells = list(row.cells)
        for place in places:
            cells[place] = replaced(place, cells[place])
        rows.append(replace(row, cells=cells))
    return replace(draft, rows=rows)


def _with_values(test: Test | Operators, values: dict[Any, Any]) -> Test | Operators:
    if isinstance(test, Compare):
        if test.value not in values:
            return test
        value = values[test.value]
        if not isinstance(value, tuple):
            return test._replace(value=value)
        any_of = AnyOf(tuple(Compare("=", each) for each in value))
        return Not(any_of) if test.order == "!=" else any_of
    if isinstance(test, Not):
        return Not(_with_values(test.test, values))  # type: ignore[arg-type]
    if isinstance(test, AnyOf | AllOf):
        return type(test)(tuple(_with_values(part, values) for part in test.tests))  # type: ignore[misc]
    return test


def _by_role(draft: TableDraft, features: Sequence[str]) -> TableDraft:
    """Return a draft with bounds as conditions on one feature, unless they are features."""
    bounds = [c.bound if c.name not in features else None for c in draft.inputs]
    if not any(bounds):
        return draft
    known: dict[tuple[int, str], Cell] = {}

    def cell(original: Cell, bound: tuple[str, str] | None) -> Cell:
        if bound is None or not isinstance(original.test, Compare) or original.test.order != "=":
            return original
        key = (id(original), bound[1])
        if key not in known:
            known[key] = Cell(original.text, Compare(bound[1], original.test.value))
        return known[key]

    rows = [replace(row, cells=list(map(cell, row.cells, bounds))) for row in draft.rows]
    renamed = [
        replace(c, name=bound[0], bound=None) if bound else c
        for c, bound in zip(draft.inputs, bounds, strict=True)
    ]
    return replace(draft, inputs=renamed, rows=rows)


def _assembled(draft: TableDraft, space: Space | None) -> DecisionTable | None:
    """Return the table of a draft; None if there are errors, which are added to the draft."""
    cells = draft.columns()
    axes = _axes(draft, cells, space)
    if space is None:
        space = Space([axis.feature for axis in axes])
    if impossible := [*_outside(axes, space), *_impossible(draft, axes, space)]:
        space = Space(space, tuple(dict.fromkeys((*space.impossible, *impossible))))
    draft = replace(draft, rows=[row for row in draft.rows if not row.is_impossible])
    cells = draft.columns()
    rules, rows, reasons = _rules(draft, cells, axes, space)
    if draft.errors or rules is None:
        return None
    unsatisfiable = _unsatisfiable(draft, axes, space, {row for row, _ in reasons})
    provenance = Provenance(
        id=draft.id,
        lines=_lines(draft),
        reasons=reasons,
        unsatisfiable=tuple(unsatisfiable),
        annotations=draft.annotations,
        beyond=tuple(_beyond(draft, cells, axes, {row for row, _ in reasons})),
        unfit=tuple(draft.unfit),
        loose_ends=tuple(draft.loose_ends),
        accepts=tuple(draft.accepts),
    )
    return DecisionTable(
        rules,
        tuple(rows),
        draft.n_rows,
        hit_policy=draft.hit_policy,
        outputs=draft.outputs,
        name=draft.name,
        ranking=draft.ranking,
        aggregation=draft.aggregation,
        provenance=provenance,
    )


def _impossible(draft: TableDraft, axes: list[Axis], space: Space) -> list[Region]:
    """Return the combinations that rows and declarations exclude."""
    rows = [row for row in draft.rows if row.is_impossible]
    excluding = replace(draft, rows=rows, default=None)
    rules, _, _ = _rules(excluding, excluding.columns(), axes, space)
    regions = [] if rules is None else [rule.region for rule in rules]
    if not all(region.n_conditions for region in regions):
        raise FormatError(f"a row that says {CANNOT_OCCUR!r} must have a condition")
    for each in draft.impossible:
        if isinstance(each, Row):
            continue
        line, conditions = each
        where = "what is impossible" if line is None else f"line {line} of the declarations"
        try:
            regions.append(Region.from_parsed(conditions, space))
        except FormatError as error:
            raise FormatError(f"{where}: {error.message}") from None
        except ConditionError as error:
            raise FormatError(f"{where}: {error}") from None
    return regions


def _beyond(
    draft: TableDraft, cells: Cells, axes: list[Axis], never: set[int]
) -> Iterator[tuple[int, str, str]]:
    """Yield the rows that name values outside a domain, unless they can never hold anyway."""
    by_name = {axis.feature.name: axis for axis in axes}
    compared = {pair.name for pair in draft.compared}
    for column, entries in zip(draft.inputs, cells, strict=True):
        if column.name in compared:
            continue
        axis = by_name[column.name]
        if isinstance(axis.feature, Continuous) and axis.feature.bounds == (None, None):
            continue
        reasons = {}
        for key, cell in distinct(entries).items():
            if (value := _outlier(axis.feature, cell)) is not None:
                possible = _possible(axis)
                reasons[key] = f"{short(cell.text)} names {shown(value)}, which cannot occur" + (
                    f" (possible: {possible})" if possible else ""
                )
        for row, cell in zip(draft.rows, entries, strict=True) if reasons else ():
            if id(cell) in reasons and row.number - 1 not in never:
                yield row.number - 1, column.name, reasons[id(cell)]


def _outlier(feature: Feature, cell: Cell) -> Any:
    """Return the first value of a cell that its feature cannot have, None if there is none."""
    if isinstance(feature, Categorical) and feature.other:
        return None
    low, high = feature.bounds if isinstance(feature, Continuous) else (None, None)
    for literal in _literals(cell):
        value = literal.value
        if value is None:
            continue
        try:
            if isinstance(feature, Categorical):
                beyond = feature.bits_of(value) is None
            else:
                beyond = (low is not None and value < low) or (high is not None and value > high)
        except TypeError:  # a date and a time, which is an error of its own
            continue
        if beyond:
            return value
    return None


def _is_empty_range(test: Test | Operators) -> bool:
    """Return whether a test is a range that ends before it begins."""
    if not isinstance(test, AllOf) or not all(isinstance(part, Compare) for part in test.tests):
        return False
    bounds = {c.order[0]: c.value for c in comparisons(test) if c.order in ("<", "<=", ">", ">=")}
    try:
        return bounds.keys() == {"<", ">"} and bool(bounds[">"] > bounds["<"])
    except TypeError:  # two kinds
        return False


def _lines(draft: TableDraft) -> tuple[int, ...]:
    by_row = {row.number: row.line for row in draft.rows}
    lines = [by_row.get(number) for number in range(1, draft.n_rows + 1)]
    return () if None in lines else tuple(line for line in lines if line is not None)


Cells: TypeAlias = "Sequence[Sequence[Cell]]"
"""The cells of each input column."""


class Axis(NamedTuple):
    """The feature of an input column, and the part of it that can occur."""

    feature: Feature
    spans: tuple[Span, ...] = WHOLE
    excluded: int = 0
    """Listed values that cannot occur, as bits."""


def _axes(draft: TableDraft, cells: Cells, space: Space | None) -> list[Axis]:
    """Return the axis of each name among the input columns, in order of appearance."""
    axes = []
    for name in dict.fromkeys(column.name for column in draft.inputs):
        places = [i for i, column in enumerate(draft.inputs) if column.name == name]
        try:
            if space is not None:
                if name not in space:
                    raise FormatError(f"unknown feature{did_you_mean(name, space.names)}")
                axes.append(Axis(space[name]))
            else:
                by_row = zip(*(cells[i] for i in places), strict=True)
                tested = (
                    cells[places[0]] if len(places) == 1 else [c for row in by_row for c in row]
                )
                axes.append(axis_of([draft.inputs[i] for i in places], tested))
        except FormatError as error:
            draft.fail(error.message, header=name)
        except (ConditionError, SpaceError) as error:
            draft.fail(without_feature(error, name), header=name)
    return axes


def axis_of(columns: Sequence[Input], cells: Sequence[Cell]) -> Axis:
    """Return the feature of columns with one name, from their declarations and cells."""
    first = columns[0]
    for column in columns:
        if column.feature is not None:
            return Axis(column.feature)
    declared = next((c.kind for c in columns if c.kind), None)
    domain = next((c.domain for c in columns if c.domain not in (None, ANYTHING)), None)
    allowed = [] if domain is None else list(comparisons(domain))
    different = distinct(cells)
    tested = [c for cell in different.values() for c in _literals(cell)]
    values = [c.value for c in (*allowed, *tested) if c.value is not None]
    kinds = Counter(map(kind_of, values[:1]))
    if len(set(map(type, values))) > 1:  # the kind of most cells counts
        kinds = Counter(kind_of(c.value) for c in allowed)
        counts = Counter(map(id, cells))
        for key, cell in different.items():
            for c in _literals(cell):
                kinds[kind_of(c.value)] += counts[key]
        del kinds["null"]
    kind = _kind(declared, kinds)
    if kind == "number" and all(c.whole for c in columns) and _are_whole(values):
        kind = "integer"
    if domain is None:
        missing = any(c.value is None for c in tested)
    else:
        missing = any(c == ("=", None) for c in allowed)
    if kind == "boolean":
        return _of_booleans(first.name, domain, missing)
    if kind == "text":
        named = [part for value in values for part in named_by(value)]
        texts = dict.fromkeys(value for value in named if isinstance(value, str | Prefix))
        is_open = any(c.domain == ANYTHING for c in columns)
        return _of_text(first.name, texts, domain, missing, is_open=is_open)
    zones = {
        getattr(value, "tzinfo", None) is not None
        for value in (values if kinds["datetime"] else ())
        if kind_of(value) == "datetime"
    }
    if len(zones) == 2:
        raise FormatError(
            "either all or none of the dates and times must have a time zone, got both"
        )
    unit = "UTC" if True in zones else ""
    if kind in ("number", "integer"):
        # percentages are read as fractions
        unit = next((c.unit for c in columns if c.unit not in ("", "%")), "")
    feature = Continuous(first.name, kind=kind, missing=missing, unit=unit)  # type: ignore[arg-type]
    return Axis(feature) if domain is None else _within(feature, domain)


def _are_whole(values: Iterable[Any]) -> bool:
    numbers = [value for value in values if kind_of(value) == "number"]
    return all(type(number) is int and abs(number) <= EXACT for number in numbers)


def _literals(cell: Cell) -> Sequence[Compare]:
    return () if isinstance(cell.test, dict) else comparisons(cell.test)


def _kind(declared: str | None, counts: Counter[str]) -> str:
    """Return the kind of a column: the declared one, else that of most of its literals."""
    if declared == "date" and set(counts) == {"datetime"}:
        return "datetime"  # some tools write these in columns of dates
    if declared is not None:
        return declared
    if counts.keys() == {"date", "datetime"}:
        return "datetime"
    # of as many texts as numbers, the texts are more likely mistakes
    return max(counts, key=lambda kind: (counts[kind], kind != "text")) if counts else "text"


def _of_booleans(name: str, domain: Test | None, missing: bool) -> Axis:
    both = Categorical(name, [False, True], missing=missing)
    passing = both.everything if domain is None else bits(both, domain)
    values = [v for v in both.values if passing >> both.codes[v] & 1]
    return Axis(Categorical(name, values, missing=missing))


def _of_text(
    name: str, values: Iterable[str | Prefix], domain: Test | None, missing: bool, *, is_open: bool
) -> Axis:
    declared = is_open or domain is not None
    listed = Categorical(name, values, missing=missing, other=True, declared=declared)
    if domain is None:
        return Axis(listed)
    passing = bits(listed, domain)
    if passing >> OTHER_CODE & 1:
        return Axis(listed, excluded=listed.everything & ~passing)
    allowed = [v for v in listed.values if passing >> listed.codes[v] & 1]
    return Axis(Categorical(name, allowed, missing=missing))


def _within(feature: Continuous, domain: Test) -> Axis:
    """Return a continuous feature limited to a domain, or a category if the domain is a list."""
    parts = domain.tests if isinstance(domain, AnyOf) else (domain,)
    if all(isinstance(part, Compare) and part.order == "=" for part in parts):
        values = dict.fromkeys(c.value for c in comparisons(domain) if c.value is not None)
        for value in values:
            select(feature, Compare("=", value))  # rejects values of another kind
        return Axis(Categorical(feature.name, values, missing=feature.missing))
    reach = ((max(feature.lowest, LOWEST), False), (feature.end, False))
    spans = intersection(select(feature, domain).spans, [reach])
    if not spans:
        raise FormatError("the allowed values exclude every value")
    (low, _), (high, _) = spans[0][0], spans[-1][1]
    bounds = (
        None if low <= feature.lowest else feature.decode_value(low),
        None if high >= feature.end else feature.decode_value(feature.before(high)),
    )
    cut = Continuous(
        feature.name, kind=feature.kind, bounds=bounds, missing=feature.missing, unit=feature.unit
    )
    if len(spans) == 1:
        return Axis(cut)
    return Axis(cut, (WHOLE[0][:1] + spans[0][1:], *spans[1:-1], spans[-1][:1] + WHOLE[0][1:]))


# --- rows

Condition: TypeAlias = "Interval | int"


class _Column(NamedTuple):
    """The conditions on one feature: each row has an entry, and each entry has alternatives."""

    name: str
    entries: Ints
    """The entry of each row."""
    starts: Ints
    counts: Ints
    conditions: list[Condition]
    """The alternatives of all entries, one entry after the other."""
    unreadable: Bools
    """Which entries are errors."""


def _column(selector: _Selector, name: str, by_place: Cells) -> _Column:
    inputs = selector.draft.inputs
    cells = [by_place[i] for i, column in enumerate(inputs) if column.name == name]
    keys: list[Any] = list(map(id, cells[0]))
    combinations: dict[Any, tuple[Cell, ...]]
    combinations = {key: (cell,) for key, cell in distinct(cells[0]).items()}
    if len(cells) > 1:
        keys = list(zip(*(map(id, column) for column in cells), strict=True))
        combinations = dict(zip(keys, zip(*cells, strict=True), strict=True))
    alternatives = [selector.alternatives(name, parts) for parts in combinations.values()]
    number_of = {key: number for number, key in enumerate(combinations)}
    counts = np.array([len(parts or ()) for parts in alternatives], dtype=np.int64)
    return _Column(
        name,
        np.fromiter(map(number_of.__getitem__, keys), dtype=np.int64, count=len(keys)),
        np.cumsum(counts) - counts,
        counts,
        [condition for parts in alternatives for condition in parts or ()],
        np.array([parts is None for parts in alternatives], dtype=np.bool_),
    )


def _rules(
    draft: TableDraft, cells: Cells, axes: list[Axis], space: Space
) -> tuple[RuleSet | None, list[int], tuple[tuple[int, str], ...]]:
    """Return the rules, the row of each, and why other rows make none; None for rules if errors."""
    selector = _Selector(draft, {axis.feature.name: axis for axis in axes})
    names = dict.fromkeys(column.name for column in draft.inputs)
    columns = [_column(selector, name, cells) for name in names if name in selector.axes]
    failing = np.zeros(len(draft.rows), dtype=np.bool_)
    for column in columns:
        failing |= column.unreadable[column.entries]
    first_error = 0 if draft.errors else int(np.append(failing, True).argmax())
    parts = list(_expanded(draft, columns, space, first_error))
    if first_error < len(draft.rows) or draft.errors:
        for place in np.flatnonzero(failing).tolist():
            selector.row(draft.rows[place])  # adds the errors
        return None, [], ()
    boxes = Boxes.none(space).concat(*(part.boxes for part in parts))
    written = [np.empty((0, len(space.continuous)), dtype=np.uint8)]
    owners = [np.empty(0, dtype=np.int64)]
    for part in parts:
        written.append(part.written)
        owners.append(part.rows)
    places = np.concatenate(owners).tolist()
    rules = RuleSet.from_boxes(
        boxes,
        written=np.concatenate(written),
        then=[draft.rows[place].then for place in places],
        weights=[draft.rows[place].weight for place in places],
        default=draft.default,
    )
    rows = [draft.rows[place].number - 1 for place in places]
    reasons: dict[int, str] = {}
    satisfiable, holding = set(places), set(rows)
    for place, row in enumerate(draft.rows):
        if place not in satisfiable and row.number - 1 not in holding:
            reasons.setdefault(row.number - 1, selector.why_never(row, selector.row(row)))
    return rules, rows, tuple(reasons.items())


class _Expanded(NamedTuple):
    """Nonempty boxes, how their bounds were written, and the row of each among all rows."""

    boxes: Boxes
    written: Bytes
    rows: Ints


def _expanded(
    draft: TableDraft, columns: list[_Column], space: Space, stop: int
) -> Iterator[_Expanded]:
    """Yield the boxes of the first rows, one per combination of alternatives, up to the limit."""
    limit = min(MOST_RULES, _MOST_BOUNDS // max(len(space), 1))
    sizes = np.ones(stop)
    for column in columns:
        sizes = np.minimum(sizes * column.counts[column.entries[:stop]], limit + 1)
    ends = np.cumsum(sizes)
    checked: set[int] = set()
    start = count = 0
    while start < stop:
        before = ends[start] - sizes[start]
        until = int(np.searchsorted(ends, before + limit - count, side="right"))
        if until == start:
            raise FormatError(
                f"rule {draft.rows[start].number}: the rows of a table must expand to at most"
                f" {limit:,} rules, one per combination of intervals; split the table"
            )
        rows = np.repeat(np.arange(start, until), sizes[start:until].astype(np.int64))
        part = _combined(columns, space, rows)
        for row in (draft.rows[place] for place in part.rows.tolist()):
            if math.isnan(row.weight):
                raise ConditionError(f"weight must be a number, got {row.weight!r}")
            if id(row.then) not in checked:
                as_consequent(row.then)
                checked.add(id(row.then))
        yield part
        start, count = until, count + len(part.rows)


def _combined(columns: list[_Column], space: Space, rows: Ints) -> _Expanded:
    """Return the nonempty boxes of rows that are repeated once per combination."""
    repeated = np.append(False, rows[1:] == rows[:-1]) if len(rows) else np.zeros(0, dtype=np.bool_)
    numbers = np.arange(len(rows))
    digits = numbers - np.maximum.accumulate(np.where(repeated, 0, numbers))
    lower = np.full((len(space.continuous), len(rows)), -math.inf)
    upper = np.full((len(space.continuous), len(rows)), math.inf)
    written = np.zeros((len(space.continuous), len(rows)), dtype=np.uint8)
    masks = np.repeat(space.everything[:, None], len(rows), axis=1)
    for column in reversed(columns):  # the alternatives of the last column vary fastest
        entries = column.entries[rows]
        counts = column.counts[entries]
        chosen = column.starts[entries] + digits % counts
        digits //= counts
        place = space.row(column.name)
        if isinstance(space[column.name], Continuous):
            bounds = np.array(column.conditions, dtype=np.float64).reshape(-1, 3)
            lower[place], upper[place], written[place] = bounds[chosen].T
        else:
            words = space.sets[place]
            size = words.stop - words.start
            sets = [to_words(bits, size) for bits in column.conditions if isinstance(bits, int)]
            packed = np.array(sets, dtype=np.uint64).reshape(-1, size)
            masks[words] = packed[chosen].T & space.everything[words, None]
    boxes = Boxes(space, lower.T, upper.T, masks.T)
    possible = ~boxes.are_empty()
    boxes, as_written = settled(boxes.take(possible), written.T[possible])
    return _Expanded(boxes, as_written, rows[possible])


def _unsatisfiable(
    draft: TableDraft, axes: list[Axis], space: Space, rows: set[int]
) -> Iterator[UnsatisfiableRow]:
    """Yield the rows that the space alone rules out, with their cells as written.

    A row that is ruled out by a gap in a domain would be read as a rule from a file that contains
    the space but not the domain, so such rows are left out.
    """
    selector = _Selector(draft, {axis.feature.name: Axis(axis.feature) for axis in axes})
    for row in draft.rows:
        if row.number - 1 not in rows or next(regions(space, selector.row(row)), None) is not None:
            continue
        tests: dict[str, list[Test | Operators]] = {name: [] for name in space.names}
        for column, cell in zip(draft.inputs, row.cells, strict=True):
            if cell.test != ANYTHING:
                tests[column.name].append(cell.test)
        try:
            cells = tuple(_feel(tests[name]) for name in space.names)
        except FormatError:  # FEEL has no literal for one of the values
            continue
        yield UnsatisfiableRow(row.number - 1, cells, row.then, row.weight)


def _feel(tests: list[Test | Operators]) -> str:
    if len(tests) == 1:
        return feel_text(tests[0])
    parts = tuple(test for test in tests if not isinstance(test, dict))
    if len(parts) < len(tests):
        raise FormatError("FEEL and JSON conditions on one feature")
    return feel_text(AllOf(parts))


class _Selector:
    """Computes what cells select on their axes; equal cells only once."""

    def __init__(self, draft: TableDraft, axes: dict[str, Axis]) -> None:
        self.draft, self.axes = draft, axes
        self.known: dict[tuple[str, int], Selection | int | FormatError] = {}
        categories = [a.feature for a in axes.values() if isinstance(a.feature, Categorical)]
        # a column without listed values contains text
        self.kinds = {f.name: kinds_of(f) or frozenset({"text"}) for f in categories}
        self.sources = {c.name: c.source for c in draft.inputs if c.source}
        self.possible: dict[str, str] = {}

    def row(self, row: Row) -> dict[str, Sequence[Condition]]:
        """Return the conditions of a row by feature; each is a list of alternatives."""
        selections: dict[str, Selection | int] = {}
        for column, cell in zip(self.draft.inputs, row.cells, strict=True):
            if column.name not in self.axes:
                continue
            selected = self.cell(column.name, cell)
            if isinstance(selected, FormatError):
                advice = self.draft.advice.get((column.name, cell.text))
                self.draft.fail(
                    f"{selected.message}; {advice}" if advice else selected.message,
                    rule=row.number,
                    header=column.name,
                    text=cell.text,
                    line=row.line,
                )
                continue
            previous = selections.get(column.name)
            selections[column.name] = selected if previous is None else _both(previous, selected)
        return {name: self.conditions(name, selection) for name, selection in selections.items()}

    def alternatives(self, name: str, cells: Sequence[Cell]) -> Sequence[Condition] | None:
        """Return the conditions that cells on one feature set together, None for an error."""
        selection: Selection | int | None = None
        for cell in cells:
            selected = self.select(name, cell)  # not kept: each cell comes only once
            if isinstance(selected, FormatError):
                return None
            selection = selected if selection is None else _both(selection, selected)
        assert selection is not None
        return self.conditions(name, selection)

    def cell(self, name: str, cell: Cell) -> Selection | int | FormatError:
        key = (name, id(cell))
        if key not in self.known:
            self.known[key] = self.select(name, cell)
        return self.known[key]

    def select(self, name: str, cell: Cell) -> Selection | int | FormatError:
        try:
            return _selected(self.axes[name], cell.test, self.kinds.get(name))
        except MisfitError as error:
            return FormatError(f"{error.message}{self.declared_kind(name)}")
        except FormatError as error:
            return error
        except ConditionError as error:
            return FormatError(str(error))

    def declared_kind(self, name: str) -> str:
        """Return the declared kind of a column and its source, for errors on other kinds."""
        feature, source = self.axes[name].feature, self.sources.get(name)
        kinds = self.kinds.get(name) or {getattr(feature, "kind", "")}
        if not source or len(kinds) > 1:
            return ""
        plural = _PLURALS.get(min(kinds), "other values")
        hint = "; quote it, or correct the type" if kinds == {"text"} else ""
        if "typeRef" in source:
            example = _IN_FEEL.get(min(kinds))
            hint = f"; write {example}, or correct the type" if example else hint
        return f" (the column contains {plural} according to {source}){hint}"

    def is_unsatisfiable(self, name: str, conditions: Sequence[Condition]) -> bool:
        """Return whether no value satisfies the conditions on one feature."""
        feature = self.axes[name].feature
        if isinstance(feature, Categorical):
            return not conditions
        low, high = feature.lowest, feature.end
        parts = [part for part in conditions if isinstance(part, Interval)]
        if any(max(part.lower, low) < min(part.upper, high) for part in parts):
            return False
        return next(regions(Space([feature]), {name: conditions}), None) is None

    def why_never(self, row: Row, conditions: dict[str, Sequence[Condition]]) -> str:
        """Return why a row can never apply: the first feature with unsatisfiable conditions."""
        name = next((n for n, parts in conditions.items() if self.is_unsatisfiable(n, parts)), None)
        if name is None:
            return "its conditions cannot hold together"
        cells = [c for i, c in zip(self.draft.inputs, row.cells, strict=True) if i.name == name]
        texts = [short(cell.text) for cell in cells if cell.test != ANYTHING]
        if len(texts) > 1:
            return f"columns {name!r} require {' and '.join(texts)}, which cannot hold together"
        if name not in self.possible:
            self.possible[name] = _possible(self.axes[name])
        reason = f"column {name!r} requires {', '.join(texts) or 'anything'}, which"
        is_empty = all(_is_empty_range(cell.test) for cell in cells if cell.test != ANYTHING)
        if (possible := self.possible[name]) and not is_empty:
            return f"{reason} cannot occur (possible: {possible})"
        return f"{reason} no value satisfies"

    def conditions(self, name: str, selected: Selection | int) -> Sequence[Condition]:
        feature = self.axes[name].feature
        if isinstance(feature, Continuous):
            assert isinstance(selected, Selection)
            return intervals(feature, selected)
        return [selected] if isinstance(selected, int) and selected else []


def _selected(axis: Axis, test: Test | Operators, kinds: frozenset[str] | None) -> Selection | int:
    feature = axis.feature
    if isinstance(feature, Categorical):
        if isinstance(test, dict):
            return encode_bits(feature, test)
        return bits(feature, test, kinds) & ~axis.excluded
    if isinstance(test, dict):
        lower, upper, _ = encode_interval(feature, test)
        spans = (((max(lower, LOWEST), False), (upper, False)),) if upper > LOWEST else ()
        return Selection(spans, lower == -math.inf)
    if test == ANYTHING and axis.spans == WHOLE:
        return Selection(WHOLE, True)
    selection = select(feature, test)
    if axis.spans == WHOLE:
        return selection
    return Selection(intersection(selection.spans, axis.spans), selection.missing)


_PLURALS: Final = {
    "number": "numbers",
    "integer": "whole numbers",
    "text": "text",
    "boolean": "booleans",
    "date": "dates",
    "datetime": "dates and times",
    "time": "times of day",
    "duration": "durations of days and shorter",
    "months": "durations of years and months",
}
_IN_FEEL: Final = {
    "date": 'date("2026-01-31")',
    "datetime": 'date and time("2026-01-31T12:30:00")',
    "time": 'time("12:30:00")',
    "duration": 'duration("P1DT12H")',
    "months": 'duration("P1Y2M")',
}
_MOST_SHOWN: Final = 10


def _possible(axis: Axis) -> str:
    """Return the possible values of a feature, abbreviated; "" if they are unlimited."""
    feature = axis.feature
    if isinstance(feature, Categorical):
        # an open category shows the excluded values, a closed one the allowed values
        values = [
            shown(value)
            for value, code in feature.codes.items()
            if bool(axis.excluded >> code & 1) == feature.other
        ]
        more = ["…"] if len(values) > _MOST_SHOWN else []
        listed = ", ".join(values[:_MOST_SHOWN] + more)
        return f"not({listed})" if feature.other and listed else listed
    if axis.spans != WHOLE:
        parts = intervals(feature, Selection(axis.spans, True))
        allowed = regions(Space([feature]), {feature.name: parts[:_MOST_SHOWN]})
        return cell_text([r.conditions().get(feature.name, {}) for r in allowed], words=True)
    low, high = feature.bounds
    orders = {">=": low, "<=": high}
    bounds = {order: bound for order, bound in orders.items() if bound is not None}
    return cell_text([bounds], words=True) if bounds else ""


def _both(a: Selection | int, b: Selection | int) -> Selection | int:
    if isinstance(a, int) or isinstance(b, int):
        assert isinstance(a, int)
        assert isinstance(b, int)
        return a & b
    return Selection(intersection(a.spans, b.spans), bool(a.missing) and bool(b.missing))


def regions(space: Space, conditions: dict[str, Sequence[Condition]]) -> Iterator[Region]:
    """Yield one region per combination of conditions; empty regions are skipped."""
    names = list(conditions)
    for combination in product(*conditions.values()):
        lower = np.full(len(space.continuous), -math.inf)
        upper = np.full(len(space.continuous), math.inf)
        flags = np.zeros(len(space.continuous), dtype=np.uint8)
        masks = space.everything.copy()
        for name, condition in zip(names, combination, strict=True):
            place = space.row(name)
            if isinstance(condition, Interval):
                lower[place], upper[place], flags[place] = condition
            else:
                words = space.sets[place]
                masks[words] = to_words(condition, words.stop - words.start)
        region = Region.from_packed(space, lower, upper, masks, flags)
        if not region.is_empty:
            yield region


def _outside(axes: list[Axis], space: Space) -> list[Region]:
    """Return the parts of the space that the domains exclude, as disjoint regions."""
    outside: list[Region] = []
    allowed: dict[str, Sequence[Condition]] = {}
    for axis in axes:
        name, feature = axis.feature.name, axis.feature
        if isinstance(feature, Continuous):
            if axis.spans == WHOLE:
                continue
            holes: Sequence[Condition] = intervals(
                feature, Selection(complement(axis.spans), False)
            )
            rest: Sequence[Condition] = intervals(feature, Selection(axis.spans, True))
        elif axis.excluded:
            holes, rest = [axis.excluded], [feature.everything & ~axis.excluded]
        else:
            continue
        if math.prod(map(len, (*allowed.values(), holes))) > _MOST_OUTSIDE:
            raise FormatError(
                f"the values that domains exclude must form at most {_MOST_OUTSIDE:,} regions;"
                " split the table"
            )
        outside += regions(space, {**allowed, name: holes})
        allowed[name] = rest
    return outside
