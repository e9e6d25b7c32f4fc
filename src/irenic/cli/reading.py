"""Input that the commands share: rules, spaces and tables of instances; each file is read once."""

from __future__ import annotations

import os
import sys
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import irenic
from irenic.cli.common import STANDARD, adds_options, completing, is_standard, note
from irenic.errors import DataError, FileError, FormatError, did_you_mean
from irenic.formats import READ
from irenic.frames import table as tables
from irenic.model.literals import display

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from irenic.frames.columns import Table
    from irenic.frames.sources import Source

# Arguments and options that several commands share.
_RULES = typer.Argument(
    metavar="RULES",
    help="Rules (.txt, .json, .csv, .tsv, .xlsx, .ods, .md, .dmn, …), or - (default: an example).",
)
_DATA = typer.Option(
    metavar="FILE",
    help="Table (.csv, .parquet or .xlsx) to infer the features from, or -.",
)
_SPACE = typer.Option(
    metavar="FILE", help="File (.json) that declares the space of the rules, or -."
)
_FROM = typer.Option(
    "--from",
    metavar="FORMAT",
    help="Format of standard input, if a file is -: csv, json, …",
    autocompletion=completing("formats", "READ"),
)
_TABLE = typer.Option(metavar="NAME", help="Table to use, if the file contains several.")

TableName = Annotated[str | None, _TABLE]
Rules = Annotated[Path | None, _RULES]
Data = Annotated[Path | None, _DATA]
SpaceFile = Annotated[Path | None, _SPACE]
From = Annotated[str | None, _FROM]


# --- how rules are read


def _option(*names: str, **settings: Any) -> Any:
    return typer.Option(*names, rich_help_panel="Reading tables of rules", **settings)


_READING = {
    "target": Annotated[
        list[str] | None,
        _option(
            "--outcome",
            "--target",
            metavar="COLUMN",
            help="Outcome column of a .csv or .xlsx table (default: the last one); may be"
            " repeated.",
        ),
    ],
    "ignore": Annotated[
        list[str] | None,
        _option(
            metavar="COLUMN",
            help="Column of a .csv or .xlsx table to skip, such as row numbers; may be repeated.",
        ),
    ],
    "locale": Annotated[
        str | None,
        _option(
            metavar="LANGUAGE",
            help="Language of numbers and dates in a .csv or .xlsx table, such as de or en-US.",
        ),
    ],
    "sheet": Annotated[
        str | None, _option(metavar="NAME", help="The only sheet of an .xlsx file to read.")
    ],
    "cells": Annotated[
        str | None,
        _option("--range", metavar="CELLS", help="Cells of a .csv or .xlsx table, such as A3:D20."),
    ],
    "header_row": Annotated[
        int | None,
        _option(metavar="N", help="Line of a .csv or .xlsx table that names the columns.", min=1),
    ],
    "cross": Annotated[
        str | None,
        _option(
            metavar="NAME",
            help="Read a .csv or .xlsx file as a cross table; NAME is the condition in its header.",
        ),
    ],
    "roles": Annotated[
        list[str] | None,
        _option(
            "--role",
            metavar="NAME=ROLE",
            help="What a column of a .csv or .xlsx table is: condition, outcome, note, 'Age >=', up"
            " to, from, 'value of Zone'; may be repeated.",
        ),
    ],
    "hit_policy": Annotated[
        str | None,
        _option(
            metavar="POLICY",
            help="Hit policy instead of the one in the file, as a word or letter: UNIQUE, F, …",
            autocompletion=completing("model.decision_table", "HIT_POLICIES"),
        ),
    ],
    "encoding": Annotated[
        str | None,
        _option(
            metavar="NAME",
            help="Encoding of a text file of rules, such as cp1252 (default: UTF-8).",
        ),
    ],
}
"""The options of all commands that read rules, by the arguments of :func:`irenic.parse`."""


def reading_options(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options among arguments that say how rules are read, for :func:`parse_file`."""
    reading = {name: arguments.get(name) for name in _READING}
    reading["ignore"] = reading["ignore"] or ()
    reading["hit_policy"] = as_policy(reading["hit_policy"])
    reading["roles"] = _roles(reading["roles"] or [])
    return reading


def _roles(texts: Sequence[str]) -> dict[tuple[str, str], str]:
    """Return the roles in options such as ``Age low=Age >=``, by file and column.

    Without ``FILE::`` before the name, the file is "", and the role is that of all files.
    """
    from irenic.formats.sheets.roles import role_of

    roles = {}
    for text in texts:
        before, sign, after = text.partition("::")
        path, pair = (before, after) if sign else ("", text)
        # names and roles may contain signs of equality, too
        ends = [place for place, sign in enumerate(pair) if sign == "="]
        pairs = [(pair[:end].strip(), pair[end + 1 :].strip()) for end in ends]
        found = next((each for each in pairs if each[0] and role_of(each[1])), None)
        if found is None:
            raise FormatError(f"--role must be NAME=ROLE, such as 'Fee=outcome', got {text!r}")
        roles[path, found[0]] = found[1]
    return roles


def reading_of(path: Path | None, reading: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that say how a file is read, with the roles of its own columns."""
    roles = {
        name: role
        for (file, name), role in (reading.get("roles") or {}).items()
        if not file or (path is not None and _is_same(Path(file), path))
    }
    return {**reading, "roles": roles}


reads_rules = adds_options(
    {name: (kind, None) for name, kind in _READING.items()}, "reading", reading_options
)
"""Adds the options to a command, which takes them as ``reading``, for :func:`parse_file`."""


# --- files and standard input


def check_inputs(inputs: Mapping[str, Path | None], form: str | None) -> None:
    """Reject two inputs from standard input, and a format without one.

    ``inputs`` maps the names of arguments and options to their files.
    """
    standard = [name for name, path in inputs.items() if is_standard(path)]
    if len(standard) > 1:
        raise FormatError(
            f"{standard[0]} and {standard[1]} are both -, but standard input can be read only once;"
            " use a file for one of them"
        )
    if form is not None and not standard:
        raise FormatError("--from is the format of standard input, but no input is -")


def parse_file(path: Path | None, form: str | None = None, **options: Any) -> irenic.formats.Parsed:
    """Parse a file of rules; ``-`` is standard input and None the example.

    In a terminal, questions about the columns of a table are asked.
    """
    if path is None:
        example = (files("irenic") / "data" / "example.rules").read_bytes()
        return irenic.parse(example, format="rules", name="example.rules")
    options = reading_of(path, options)
    if is_standard(path):
        form = _input_format(form, READ)
        return irenic.parse(sys.stdin.buffer, format=form, name=STANDARD, **options)
    parsed = irenic.parse(path, **options)
    if not any(getattr(draft, "doubts", ()) for draft in parsed.drafts):
        return parsed
    from irenic.cli.asking import settled

    return settled(
        parsed,
        path,
        options["roles"],
        lambda roles: irenic.parse(path, **{**options, "roles": roles}),
    )


def read_data(
    path: Path, form: str | None = None, *, as_written: bool = False, model: Any = None
) -> Table:
    """Return the table of instances in a file or on standard input.

    For a classifier, codes are text where it has learned them as text.
    """
    if not is_standard(path):
        table = tables.read_table(path, as_written=as_written)
    else:
        form = _input_format(form, tables.FORMATS)
        table = tables.read_table(
            sys.stdin.buffer, format=form, name=STANDARD, as_written=as_written
        )
    return _in_terms_of(table, model.space_) if hasattr(model, "space_") else table


def _in_terms_of(table: Table, space: irenic.Space) -> Table:
    read = table.in_terms_of(space)
    for name, code in table.codes.items():
        if name not in read.codes:
            note(
                f"{display(name)}: {code!r} is read as a number, because the rules compare numbers"
            )
    return read


MANY_ROWS = 200_000
"""Parquet files with more rows than this are read in blocks."""
MANY_BYTES = 64 * 2**20
"""CSV files that are larger than this are read in blocks, where only their rows matter."""


def many_rows(path: Path) -> Source | None:
    """Return the source of a Parquet file or folder with many rows, None for any other input."""
    is_file = path.suffix.lower() == ".parquet" and _is_file(path)
    if is_standard(path) or not (is_file or is_folder(path)):
        return None
    if find_spec("pyarrow") is None:  # polars reads whole files
        return None
    from irenic.frames.sources import open_source

    source = open_source(path)
    if source is None or not source.schema.names:  # a folder without Parquet files
        return None
    return source if is_folder(path) or len(source) > MANY_ROWS else None


def many_cells(path: Path) -> Source | None:
    """Return the source of a large Parquet or CSV file, None for any other input.

    If the cells of a CSV file are not separated by commas, how its numbers are written depends on
    all of them.
    """
    if path.suffix.lower() != ".csv" or is_standard(path) or not _is_file(path):
        return many_rows(path)
    if path.stat().st_size <= MANY_BYTES or find_spec("pyarrow") is None:
        return None
    from irenic.frames.csv import delimiter_of
    from irenic.frames.files import check_readable
    from irenic.frames.sources import open_csv

    check_readable(path)
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        delimiter = delimiter_of(file.read(2**20))
    return open_csv(path) if delimiter == "," else None


def draft_of(parsed: irenic.formats.Parsed, table: str | None) -> Any:
    """Return the draft of a table in a spreadsheet, None if the rules are from another file."""
    from irenic.formats.tables.drafts import TableDraft

    drafts = [draft for draft in parsed.drafts if isinstance(draft, TableDraft)]
    return next((draft for draft in drafts if table in (None, draft.name, draft.id)), None)


def as_meant(
    cases: Table,
    parsed: irenic.formats.Parsed,
    space: irenic.Space,
    table: str | None,
    path: Path,
    tell: Callable[[str], None] = note,
) -> Table:
    """Return cases with the values that their cells mean in the notation of the rules."""
    from irenic.formats.sheets.cases import read_cases

    cases = _in_terms_of(cases, irenic.Space(space.continuous))
    try:
        read = read_cases(cases, space, draft_of(parsed, table))
    except DataError as error:
        raise DataError(f"{path}: {error}") from None
    for text in read.notes:
        tell(f"warning: {path}: {text}")
    return read.table


def as_typed(text: str, parsed: irenic.formats.Parsed, model: Any, table: str | None) -> str:
    """Return a case, rule or property in the notation, with names and values as the rules have."""
    from irenic.formats.sheets.cases import in_notation

    if not isinstance(model, irenic.DecisionTable):
        return text
    return in_notation(text, model.space, draft_of(parsed, table))


def split_outcomes(
    cases: Table, outputs: Sequence[str], label: str | None, draft: Any, path: Path
) -> tuple[Table, list[Any]]:
    """Return cases without the columns of their outcomes, and the outcomes.

    These are in the columns that the table of rules names, else in the last one, or in ``label``.
    """
    from irenic.formats.sheets.cases import read_outcomes

    if label is None and all(name in cases for name in outputs):
        names = list(outputs)
    else:
        names = [list(cases)[-1] if label is None else label]
    for name in names:
        if name not in cases:
            raise DataError(f"{path}: unknown column {name!r}{did_you_mean(name, cases)}")
    try:
        columns = [read_outcomes(cases, name, draft) for name in names]
    except FormatError as error:
        raise DataError(f"{path}: {error.message}") from None
    outcomes = columns[0]
    if len(columns) > 1:
        rows = zip(*columns, strict=True)
        outcomes = [None if all(part is None for part in row) else row for row in rows]
    return cases.select([name for name in cases if name not in names]), outcomes


def _input_format(form: str | None, known: tuple[str, ...]) -> str:
    if form is None:
        raise FormatError(f"standard input needs a format: --from {'|'.join(known)}")
    if form not in known:
        raise FormatError(
            f"--from must be one of {', '.join(known)}, got {form!r}{did_you_mean(form, known)}"
        )
    return form


# --- the space


def given_data(
    data: Path | None, space_file: Path | None, form: str | None
) -> Table | irenic.Space | None:
    """Return what defines the space: instances, or the space of a .json file; None for neither."""
    if data is not None and space_file is not None:
        raise FormatError("--data and --space both define the space; use one of them")
    if data is None:
        return given_space(space_file, form)
    source = many_cells(data)
    if source is None:
        return read_data(data, form, as_written=True)
    from irenic.frames.sources import distinct_table

    return distinct_table(source)


def given_space(space_file: Path | None, form: str | None = None) -> irenic.Space | None:
    """Return the space of a .json file, None without one."""
    if space_file is None:
        return None
    standard = is_standard(space_file)
    if standard and form not in (None, "json"):
        raise FormatError(f"--space must be JSON, got --from {form}")
    source: Any = sys.stdin.buffer if standard else space_file
    name = STANDARD if standard else str(space_file)
    parsed = irenic.parse(source, format="json", name=name)
    if parsed.declared is None:
        invalid = parsed.document is None or parsed.document.get("space") is not None
        raise parsed.errors[0] if invalid else FormatError('no "space" in the file', path=name)
    return parsed.declared


def all_meant(
    parsed: irenic.formats.Parsed, given: Table | irenic.Space | None, data: Path | None
) -> Table | irenic.Space | None:
    """Return what defines the space: instances as the rules read them, without their outcomes."""
    if data is None or given is None or isinstance(given, irenic.Space):
        return given
    for table in parsed.bound(None).tables:
        given = as_meant(given, parsed, table.space, table.name, data)
        outcomes = [name for name in table.outputs if name not in table.space]
        given = given.select([name for name in given if name not in outcomes])
    return given


def opened_space(
    parsed: irenic.formats.Parsed, given: Table | irenic.Space | None, data: Path | None
) -> irenic.Space | None:
    """Return the space to bind rules to, with values of the rules that no row of the data has."""
    if given is None or isinstance(given, irenic.Space):
        return given
    space = irenic.Space.infer(given)
    opened = parsed.open(space)
    for before, after in zip(space.categorical, opened.categorical, strict=True):
        unseen = after.values[len(before.values) :]
        if unseen:
            values = ", ".join(map(display, unseen))
            note(f"no row of {data} has {display(after.name)} = {values}")
    return opened


# --- rules


def read_rules(
    path: Path | None,
    data: Path | None,
    space_file: Path | None,
    form: str | None,
    table: str | None,
    reading: dict[str, Any],
) -> irenic.RuleSet:
    """Return the rule set in a file, or the example."""
    check_inputs({"RULES": path, "--data": data, "--space": space_file}, form)
    given = given_data(data, space_file, form)
    parsed = parse_file(path, form, **reading)
    given = all_meant(parsed, given, data)
    return as_set(parsed.rules(opened_space(parsed, given, data), table=table))


def as_set(rules: irenic.RuleSet | irenic.RuleList) -> irenic.RuleSet:
    """Return rules as a set, without the order of a list."""
    return rules.rules if isinstance(rules, irenic.RuleList) else rules


def say_example(rules: Path | None) -> None:
    """Print that the example is used, if no file was given."""
    if rules is None:
        print("No file given: using the example rules of irenic.\n")


def check_rules_in(table: irenic.DecisionTable, path: Path) -> None:
    """Reject a file that contains neither rules nor a default."""
    if not table.n_rows and table.rules.default is None:
        raise no_rules(table.rules, path)


def no_rules(rules: irenic.RuleSet, path: Path) -> FormatError:
    """Return the error for a file without rules."""
    rest = "" if rules.default is None else ", only a default"
    name = STANDARD if is_standard(path) else str(path)
    return FormatError(f"no rules in the file{rest}; was it truncated?", path=name)


def check_output(
    out: Path | None, inputs: Mapping[str, Path | None], option: str = "--output"
) -> None:
    """Reject an output that is also an input or cannot be written, before any work is done.

    ``inputs`` maps the names of arguments and options to their files; ``option`` is the name of the
    output.
    """
    from irenic.frames.files import check_target

    if out is None or is_standard(out):
        return
    for name, path in inputs.items():
        if path is not None and not is_standard(path) and _is_same(out, path):
            raise FileError(
                f"{option} {out} and {name} {path} are the same file, but inputs are never"
                " overwritten; write to a new file"
            )
    check_target(out)


def _is_same(a: Path, b: Path) -> bool:
    try:
        return a.samefile(b)
    except (OSError, ValueError):  # one of them does not exist, or is not a valid path
        return False


def as_policy(text: str | None) -> Any:
    """Return the hit policy that an option names, as a word or by its letter, in any case."""
    from irenic.formats.tables.drafts import POLICIES
    from irenic.model.decision_table import HIT_POLICIES

    if text is not None and len(text) == 1 and text.upper() in POLICIES:
        return POLICIES[text.upper()][0]
    if text is None or text.upper() in HIT_POLICIES:
        return text and text.upper()
    hint = did_you_mean(text.upper(), HIT_POLICIES)
    raise FormatError(f"--hit-policy: unknown hit policy {text!r}{hint}")


def files_of(paths: list[Path], exclude: list[str]) -> Iterator[Path]:
    """Yield the files to read: the given ones, and in folders all that may contain rules."""
    # most Markdown texts in a folder contain no rules
    suffixes = tuple(f".{form}" for form in READ if form != "md")
    for path in paths:
        if not is_folder(path):
            yield path
            continue
        rule_files = [
            p
            for p in sorted(path.rglob("*"))
            if p.suffix.lower() in suffixes
            and _may_be_file(p)
            and not _is_hidden(p.relative_to(path))
            and not any(p.match(pattern) for pattern in exclude)
        ]
        if not rule_files:
            raise FileError(f"{path}: no files of rules in this folder ({', '.join(suffixes)})")
        yield from rule_files


def is_folder(path: Path) -> bool:
    """Return whether a path is a folder that can be accessed."""
    # Path.is_dir raises if a parent folder may not be entered
    return os.path.isdir(path)  # noqa: PTH112


def _is_file(path: Path) -> bool:
    """Return whether a path is a file that can be accessed, no pipe or device."""
    # Path.is_file raises for names that are too long
    return os.path.isfile(path)  # noqa: PTH113


def _may_be_file(path: Path) -> bool:
    # a broken link is not skipped silently: reading it reports the error
    return os.path.isfile(path) or not os.path.exists(path)  # noqa: PTH110, PTH113


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def column_of(rows: Table, name: str | None, option: str, path: Path | str) -> Any:
    """Return the column that an option names, None if it names none."""
    if name is None:
        return None
    if name not in rows:
        raise DataError(f"{path}: {option}: unknown column {name!r}{did_you_mean(name, rows)}")
    return rows[name]
