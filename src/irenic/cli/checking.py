"""The command ``check``: findings about rules, for people and for other programs."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import irenic
from irenic.cli.common import (
    GAP_LIMIT,
    Json,
    Limit,
    console,
    is_standard,
    note,
    output,
    print_json,
    progress,
    say_line,
    write_standard,
)
from irenic.cli.reading import (
    Data,
    From,
    SpaceFile,
    all_meant,
    check_inputs,
    check_output,
    files_of,
    given_data,
    is_folder,
    no_rules,
    opened_space,
    parse_file,
    reads_rules,
    say_example,
)
from irenic.cli.watching import watches
from irenic.errors import FormatError, IrenicError
from irenic.model.literals import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from irenic.budget import Progress
    from irenic.checking import Findings, Kind
    from irenic.frames.columns import Table
    from irenic.reporting.documents import CheckedFile


class Form(StrEnum):
    """The formats of findings."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"
    GITHUB = "github"


_LIMITS = {Form.TEXT: 1_000, Form.JSON: 10_000, Form.SARIF: 1_000, Form.GITHUB: 1_000}
"""How many findings per kind are looked for."""

commands = typer.Typer()


@commands.command(
    epilog="""[bold]Examples[/]
irenic check                                check the example rules
irenic check rules.txt                      check your own rules
irenic check loans.dmn fares.xlsx           check decision tables
irenic check policies/ --format github      check a folder in a CI job
irenic check fares.csv --outcome price      name the outcome column
irenic check fares.csv --ignore "Zone id"   skip a column
irenic check fares.xlsx --range B3:F20      read a part of a sheet
irenic check fares.csv --locale de          read 1.000 as one thousand
irenic check rules.json --json              print JSON
irenic check rules.txt --data people.csv    infer the space from a table
irenic check rules.txt --space space.json   read the space from a file
irenic check loans.dmn --fail-on gaps,conflicts
irenic check policies/ --write-baseline accepted.json
irenic check policies/ --baseline accepted.json
irenic check rules.txt --watch              check again after each change

[bold]Exit status[/]
0 the check passed, 1 it failed, 2 invalid input.
By default a check fails on conflicts, and on overlaps if the hit policy
forbids them; --fail-on selects other kinds of findings. A file without
rules is invalid input."""
)
@watches("paths", "data", "space", "baseline", outputs=("write_baseline", "certificate"))
@reads_rules
def check(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="FILE...",
            help="Files (.txt, .json, .csv, .tsv, .xlsx, .ods, .md, .dmn, …), folders, or -"
            " (default: an example).",
            show_default=False,
        ),
    ] = None,
    form: Annotated[
        Form,
        typer.Option(
            "--format", metavar="FORMAT", help="Output format: text, json, sarif or github."
        ),
    ] = Form.TEXT,
    as_json: Json = False,
    fail_on: Annotated[
        str | None,
        typer.Option(
            metavar="KINDS",
            help="Kinds of findings to exit with 1 for: conflicts, overlaps, gaps, open,"
            " never_fire, misleading, outside, outcomes, duplicates, inside, mergeable, columns,"
            " policy, model, acceptances; or nothing.",
        ),
    ] = None,
    explain_reading: Annotated[
        bool,
        typer.Option(
            "--explain-reading", metavar="", help="Show how each cell of a table was read."
        ),
    ] = False,
    exclude: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATTERN",
            help="Files in folders to skip, such as 'README*'; may be repeated.",
        ),
    ] = None,
    data: Data = None,
    space: SpaceFile = None,
    source_form: From = None,
    budget: Annotated[
        float, typer.Option(metavar="SECONDS", help="Maximum seconds per search.", min=0.0)
    ] = 10.0,
    limit: Limit = None,
    verbose: Annotated[
        bool, typer.Option("--verbose", metavar="", help="List the rules after their findings.")
    ] = False,
    baseline: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Accepted findings (.json), which do not fail the check."
        ),
    ] = None,
    write_baseline: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write all findings to a baseline (.json)."),
    ] = None,
    reason: Annotated[
        str, typer.Option(metavar="TEXT", help="Reason to write to the baseline.")
    ] = "known when the baseline was written",
    certificate: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write why the rules are consistent and complete (.json), for irenic verify.",
        ),
    ] = None,
    *,
    reading: dict[str, Any],
) -> None:
    """Find contradictions, gaps, redundant rows and unused columns in rules."""
    form = Form.JSON if as_json else form
    kinds = kinds_named(fail_on)
    arguments = paths or []
    paths = list(files_of(arguments, exclude or []))
    inputs: dict[str, Path | None] = {f"FILE {n}": path for n, path in enumerate(paths, 1)}
    inputs |= {"--data": data, "--space": space}
    check_inputs(inputs, source_form)
    check_output(write_baseline, inputs, "--write-baseline")
    inputs |= {"--baseline": baseline, "--write-baseline": write_baseline}
    check_output(certificate, inputs, "--certificate")
    read = partial(parse_file, form=source_form, **reading)
    given = given_data(data, space, source_form)
    files = _check_files(paths or [None], read, given, data, budget, limit or _LIMITS[form])
    if certificate is not None:
        _write_certificate(certificate, files, budget)
    if write_baseline is not None:
        _write_baseline(write_baseline, files, reason)
    if baseline is not None:
        _accept(files, baseline)
    with output():
        if form is Form.TEXT and not arguments:
            say_example(None)
        several = len(arguments) > 1 or any(map(is_folder, arguments))
        _print(
            files,
            form,
            limit,
            headed=several,
            verbose=verbose,
            explain=explain_reading,
        )
        for file in files if form is Form.TEXT else ():
            for text in _grouped(file.errors):
                note(text)
            for text in _grouped(file.warnings):
                note(f"warning: {text}")
    failed = any(findings.fails(kinds) for file in files for findings in file.tables)
    raise typer.Exit(2 if any(file.errors for file in files) else int(failed))


def _write_certificate(path: Path, files: Sequence[CheckedFile], budget: float) -> None:
    """Write why the rules of a table are consistent and complete, as far as they are."""
    from irenic.frames.files import write_file
    from irenic.proving import certify

    tables = [findings.table for file in files for findings in file.tables]
    if len(tables) != 1:
        raise FormatError(
            f"--certificate is about one table, got {len(tables)}; check one file with one table"
        )
    document = certify(tables[0], ["CONSISTENT", "COMPLETE"], budget=budget)
    write_file(path, json.dumps(document) + "\n")
    claims = [certificate["claim"].lower() for certificate in document["certificates"]]
    note(f"certified in {path}: {' and '.join(claims) or 'nothing'}")


def _grouped(errors: Sequence[FormatError]) -> Iterator[str]:
    """Yield errors as text; many errors of one cause in the cells of a column are one text."""
    from irenic.formats.tables.drafts import TableError

    groups: dict[object, list[FormatError]] = {}
    for error in errors:
        cause: object = id(error)
        if isinstance(error, TableError) and error.place.header and error.place.text:
            pattern = re.sub(r"'[^']*'|\"[^\"]*\"|\d[\d.,/-]*", "", error.reason)
            cause = (error.table, error.place.header, pattern)
        groups.setdefault(cause, []).append(error)
    for first, *others in groups.values():
        if len(others) < _FEW or not isinstance(first, TableError):
            yield from map(str, (first, *others))
            continue
        _, header, text, cell = first.place
        place = f"{first.table}!{cell}" if cell else f"line {first.line}"
        path = f"{first.path}: " if first.path else ""
        yield (
            f"{path}{len(others) + 1} cells like {text!r} in column {header!r}, first"
            f" at {place}: {first.reason}"
        )


_FEW = 3
"""Up to this number, errors of one cause are listed one by one."""


def kinds_named(fail_on: str | None) -> list[Kind] | None:
    """Return the kinds of findings to fail on; None for those that hit policies forbid."""
    from irenic.checking import KINDS, kind_named

    if fail_on is None:
        return None
    names = fail_on.split(",")
    if [name.strip().lower() for name in names] == ["nothing"]:
        return []
    kinds = []
    for name in names:
        kind = kind_named(name)
        if kind is None:
            raise FormatError(
                f"--fail-on: unknown kind of finding {name.strip()!r}; use {', '.join(KINDS)} or"
                " nothing"
            )
        kinds.append(kind)
    return kinds


def _check_files(
    paths: Sequence[Path | None],
    read: Callable[[Path | None], irenic.formats.Parsed],
    given: Table | irenic.Space | None,
    data: Path | None,
    budget: float,
    limit: int,
) -> list[CheckedFile]:
    """Return each file with its findings; one that cannot be read does not stop the others."""
    from irenic.reporting.documents import CheckedFile

    files = []
    for path in paths:
        try:
            parsed = read(path)
            # bound, not bind: warnings are printed with the file
            tables = parsed.bound(opened_space(parsed, all_meant(parsed, given, data), data))
        except IrenicError as error:
            problem = error if isinstance(error, FormatError) else FormatError(str(error))
            files.append(CheckedFile(str(path), [], [problem]))
            continue
        errors = [*tables.errors, *_empty_tables(tables.tables, parsed)]
        if not tables.tables and not errors:
            errors = [FormatError("no table of rules in the file", path=parsed.name)]
        filled = [table for table in tables.tables if table.n_rows]
        with progress("looking for gaps") as show:
            findings = [_with_lines(f, parsed) for f in _findings(filled, budget, limit, show)]
        files.append(CheckedFile(parsed.name, findings, errors, tables.warnings, tables.readings))
    return files


def _with_lines(findings: Findings, parsed: irenic.formats.Parsed) -> Findings:
    """Return findings about rules of a JSON file with their lines, which other tables know."""
    table = findings.table
    if parsed.format != "json" or (not len(findings) and not findings.accepted):
        return findings
    from irenic.formats.places import Places

    try:
        places = Places(parsed)
    except UnicodeDecodeError:  # it was read with --encoding
        return findings
    lines = tuple(places.line_of(places.row(table, row)) for row in range(table.n_rows))
    provenance = replace(table.provenance, lines=lines)
    return replace(findings, table=replace(table, provenance=provenance))


def _empty_tables(
    tables: list[irenic.DecisionTable], parsed: irenic.formats.Parsed
) -> list[FormatError]:
    """Return an error for each table without rules: a truncated file must not pass."""
    empty = [table for table in tables if not table.n_rows]
    if not parsed.holds_several:
        return [no_rules(table.rules, Path(parsed.name)) for table in empty]
    texts = (f"table {table.name!r} has no rules" for table in empty)
    return [FormatError(text, path=parsed.name) for text in texts]


def _findings(
    tables: list[irenic.DecisionTable], budget: float, limit: int, show: Progress | None
) -> list[irenic.checking.Findings]:
    per_search = irenic.Budget(seconds=budget, regions=GAP_LIMIT)
    return [irenic.check(table, budget=per_search, limit=limit, progress=show) for table in tables]


def _write_baseline(path: Path, files: list[CheckedFile], reason: str) -> None:
    from irenic.checking import baseline
    from irenic.frames.files import write_file

    if not reason.strip():
        raise FormatError("--reason must not be empty")
    listed = [
        entry
        for file in files
        for findings in file.tables
        for entry in baseline.entries(_portable(file.path), findings, reason)
    ]
    text = json.dumps(baseline.document(listed), indent=2, ensure_ascii=False)
    write_file(path, text + "\n")
    note(f"{counted(len(listed), 'finding')} written to {path}; edit the reasons there")


def _accept(files: list[CheckedFile], path: Path) -> None:
    """Accept the findings that a baseline lists."""
    from irenic.checking import baseline
    from irenic.formats.json.rules import load_data
    from irenic.frames.files import MOST_BYTES, as_text, read_bytes

    try:
        reasons = baseline.read(load_data(as_text(read_bytes(path, MOST_BYTES))))
    except FormatError as error:
        raise error.at(path=str(path)) from None
    for file in files:
        name = _portable(file.path)
        file.tables[:] = [baseline.accepted(name, findings, reasons) for findings in file.tables]
        if n := 0 if file.errors else baseline.unused(name, file.tables, reasons):
            text = f"{counted(n, 'accepted finding')} of {file.path} no longer"
            note(f"{path}: {text} {'exists' if n == 1 else 'exist'}")


def _portable(path: str) -> str:
    """Return a path as it is written on all systems."""
    return Path(path).as_posix()


def _print(
    files: list[CheckedFile],
    form: Form,
    limit: int | None,
    *,
    headed: bool,
    verbose: bool,
    explain: bool,
) -> None:
    from irenic.reporting import terminal
    from irenic.reporting.documents import check_document
    from irenic.reporting.github import to_annotations
    from irenic.reporting.sarif import to_sarif

    listed = terminal.LIMIT if form is Form.TEXT else _LIMITS[form]
    document = check_document(files, limit or listed, explain=explain)
    if form is Form.GITHUB:
        for line in to_annotations(document):
            say_line(line)
    elif form is Form.SARIF:
        print_json(to_sarif(document, irenic.__version__))
    elif form is Form.JSON:
        print_json(document)
    else:
        terminal.print_check(document, console(), limit, headed=headed, verbose=verbose)


@commands.command(
    epilog="""[bold]Examples[/]
irenic init fares.csv -o declared.csv       add a row under the header
irenic init fares.xlsx -o declared.xlsx     add a sheet named Columns

Edit the declarations (bounds, possible values, allowed outcomes), and
check the new file: gaps and findings follow them."""
)
@reads_rules
def init(
    path: Annotated[Path, typer.Argument(metavar="TABLE", help="Table (.csv or .xlsx).")],
    out: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="File to write, or - for .csv.")
    ],
    *,
    reading: dict[str, Any],
) -> None:
    """Declare the columns of a .csv or .xlsx table, as they were inferred."""
    from irenic.formats.sheets.declaring import with_declarations
    from irenic.frames.files import read_bytes, write_file

    check_output(out, {"TABLE": path})
    parsed = parse_file(path, **reading)
    if parsed.format not in ("csv", "xlsx"):
        raise FormatError(f"{path}: the table must be .csv or .xlsx, got {parsed.format}")
    if not is_standard(out) and out.suffix.lower() != path.suffix.lower():
        raise FormatError(f"--output must be a {path.suffix} file, as TABLE is, got {out}")
    try:
        declared = with_declarations(read_bytes(path), parsed)
    except FormatError as error:
        raise error.at(path=str(path)) from None
    if is_standard(out):
        write_standard(declared)
        return
    write_file(out, declared)
    with output():
        where = "sheet Columns" if parsed.format == "xlsx" else "row under the header"
        say_line(f"Declarations written to {out} (see the {where}); edit them, and check the file")
