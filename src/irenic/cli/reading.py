"""How the commands read: rules, spaces and tables of instances, each file once."""

from __future__ import annotations

import os
import sys
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import irenic
from irenic.cli.common import STANDARD, is_standard
from irenic.errors import FileError, FormatError, did_you_mean
from irenic.formats import READ
from irenic.frames import table as tables
from irenic.model.literals import display

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from irenic.frames.columns import Table

# Arguments and options that several commands share.
_RULES = typer.Argument(
    metavar="RULES",
    help="A .txt, .rules, .json, .csv, .xlsx or .dmn file, or - (default: an example).",
)
_DATA = typer.Option(
    metavar="FILE", help="A table of instances that tells the kinds and values of features, or -."
)
_SPACE = typer.Option(
    metavar="FILE", help="A .json file whose space the rules are held against, or -."
)
_IGNORE = typer.Option(
    metavar="COLUMN",
    help="Column of a .csv or .xlsx table to leave out, such as numbers of rows; may be repeated.",
)
_FROM = typer.Option(
    "--from", metavar="FORMAT", help="Format of standard input, where a file is -: csv, json, …"
)

Ignore = Annotated[list[str] | None, _IGNORE]
Rules = Annotated[Path | None, _RULES]
Data = Annotated[Path | None, _DATA]
SpaceFile = Annotated[Path | None, _SPACE]
From = Annotated[str | None, _FROM]


# --- files and standard input


def check_inputs(inputs: Mapping[str, Path | None], form: str | None) -> None:
    """Refuse standard input for two inputs, which are by their names, and a format for none."""
    standard = [name for name, path in inputs.items() if is_standard(path)]
    if len(standard) > 1:
        raise FormatError(
            f"{standard[0]} and {standard[1]} are both -, and standard input can be read once;"
            " give one of them as a file"
        )
    if form is not None and not standard:
        raise FormatError("--from gives the format of standard input, and no input is -")


def parse_file(path: Path | None, form: str | None = None, **options: Any) -> irenic.formats.Parsed:
    """Return what a file of rules says, standard input for ``-`` and the example for None."""
    if path is None:
        example = (files("irenic") / "data" / "example.rules").read_bytes()
        return irenic.parse(example, format="rules", name="example.rules")
    if not is_standard(path):
        return irenic.parse(path, **options)
    form = _given(form, READ)
    return irenic.parse(sys.stdin.buffer, format=form, name=STANDARD, **options)


def read_data(path: Path, form: str | None = None) -> Table:
    """Return the table of instances of a file, or of standard input."""
    if not is_standard(path):
        return tables.read_table(path)
    form = _given(form, tables.FORMATS)
    return tables.read_table(sys.stdin.buffer, format=form, name=STANDARD)


def _given(form: str | None, known: tuple[str, ...]) -> str:
    if form is None:
        raise FormatError(f"the format of standard input must be given: --from {'|'.join(known)}")
    if form not in known:
        raise FormatError(
            f"--from must be one of {', '.join(known)}, got {form!r}{did_you_mean(form, known)}"
        )
    return form


# --- the space


def given_space(
    data: Path | None, space_file: Path | None, form: str | None = None
) -> irenic.Space | None:
    """Return the space of a table of instances or of a .json file, None for neither."""
    if data is not None and space_file is not None:
        raise FormatError("--data and --space both give the space; leave one of them out")
    if data is not None:
        return irenic.Space.infer(read_data(data, form))
    if space_file is None:
        return None
    standard = is_standard(space_file)
    if standard and form not in (None, "json"):
        raise FormatError(f"--space is read as json, got --from {form}")
    source: Any = sys.stdin.buffer if standard else space_file
    name = STANDARD if standard else str(space_file)
    parsed = irenic.parse(source, format="json", name=name)
    if parsed.declared is None:
        broken = parsed.document is None or parsed.document.get("space") is not None
        raise parsed.errors[0] if broken else FormatError('there is no "space" in it', path=name)
    return parsed.declared


def opened_space(
    parsed: irenic.formats.Parsed, given: irenic.Space | None, data: Path | None
) -> irenic.Space | None:
    """Return the space to bind rules to; values that no row of the data has are added and told."""
    if given is None or data is None:
        return given
    opened = parsed.open(given)
    for before, after in zip(given.categorical, opened.categorical, strict=True):
        unseen = after.values[len(before.values) :]
        if unseen:
            shown = ", ".join(map(display, unseen))
            name = display(after.name)
            print(f"irenic: no row of {data} has {name} = {shown}", file=sys.stderr)
    return opened


# --- rules


def read_rules(
    path: Path | None,
    data: Path | None,
    space_file: Path | None,
    ignore: list[str] | None,
    form: str | None,
) -> irenic.RuleSet:
    """Return the rule set of a file, or of the example."""
    check_inputs({"RULES": path, "--data": data, "--space": space_file}, form)
    given = given_space(data, space_file, form)
    parsed = parse_file(path, form, ignore=ignore or ())
    return as_set(parsed.rules(opened_space(parsed, given, data)))


def as_set(rules: irenic.RuleSet | irenic.RuleList) -> irenic.RuleSet:
    """Return rules as a set; the order of a list is left to the caller."""
    return rules.rules if isinstance(rules, irenic.RuleList) else rules


def say_example(rules: Path | None) -> None:
    """Say that the rules are those of the example, where no file was given."""
    if rules is None:
        print("No file given: these are the rules of the example of irenic.\n")


def check_rules_in(table: irenic.DecisionTable, path: Path) -> None:
    """Refuse a file that holds neither rules nor a default."""
    if not table.n_rows and table.rules.default is None:
        raise no_rules(table.rules, path)


def no_rules(rules: irenic.RuleSet, path: Path) -> FormatError:
    """Return the error for a file that holds no rules, perhaps because it was cut off."""
    rest = "" if rules.default is None else ", only a default"
    name = STANDARD if is_standard(path) else str(path)
    return FormatError(f"no rules in the file{rest}; was it cut off?", path=name)


def check_output(
    out: Path | None, inputs: Mapping[str, Path | None], option: str = "--output"
) -> None:
    """Refuse an output that is an input or cannot be written, before any work is done.

    ``inputs`` are by the arguments and options that name them, as ``option`` names the output.
    """
    from irenic.frames.files import check_target

    if out is None or is_standard(out):
        return
    for name, path in inputs.items():
        if path is not None and not is_standard(path) and _is_same(out, path):
            raise FileError(
                f"{option} {out} and {name} {path} are the same file, and an input is never"
                " overwritten; write to a new file"
            )
    check_target(out)


def _is_same(a: Path, b: Path) -> bool:
    try:
        return a.samefile(b)
    except (OSError, ValueError):  # one of them does not exist, or cannot
        return False


def as_policy(text: str | None) -> Any:
    """Return a hit policy as an option names it, in any case."""
    from irenic.model.decision_table import HIT_POLICIES

    if text is None or text.upper() in HIT_POLICIES:
        return text and text.upper()
    hint = did_you_mean(text.upper(), HIT_POLICIES)
    raise FormatError(f"--hit-policy: {text!r} is no hit policy{hint}")


def files_of(paths: list[Path], exclude: list[str]) -> Iterator[Path]:
    """Yield the files to read: those given, and of folders all that may hold rules, sorted."""
    suffixes = tuple(f".{form}" for form in READ)
    for path in paths:
        if not is_folder(path):
            yield path
            continue
        inside = [p for p in sorted(path.rglob("*")) if p.suffix.lower() in suffixes]
        held = [p for p in inside if _may_be_file(p) and not _is_hidden(p.relative_to(path))]
        held = [p for p in held if not any(p.match(pattern) for pattern in exclude)]
        if not held:
            known = ", ".join(suffixes)
            raise FileError(f"{path}: no file in this folder may hold rules ({known})")
        yield from held


def is_folder(path: Path) -> bool:
    """Return whether a path is a folder; one that cannot be looked at is not."""
    # Path.is_dir raises where a folder above may not be entered
    return os.path.isdir(path)  # noqa: PTH112


def _may_be_file(path: Path) -> bool:
    # a link that leads nowhere is not passed over in silence: reading it says what is wrong
    return os.path.isfile(path) or not os.path.exists(path)  # noqa: PTH110, PTH113


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)
