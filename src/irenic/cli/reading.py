"""How the commands read rules: files, folders, and the space from another file."""

from __future__ import annotations

import os
import sys
import warnings
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import irenic
from irenic.errors import FileError, FormatError, FormatWarning, IrenicError, did_you_mean
from irenic.model.literals import display

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from irenic.formats import ReadTables

# Arguments and options that several commands share.
_RULES = typer.Argument(
    metavar="RULES",
    help="A .txt, .rules, .json, .csv, .xlsx or .dmn file; an example if left out.",
)
_DATA = typer.Option(
    metavar="FILE", help="A table of instances that tells the kinds and values of features."
)
_SPACE = typer.Option(metavar="FILE", help="A .json file whose space the rules are held against.")

_IGNORE = typer.Option(
    metavar="COLUMN",
    help="Column of a .csv or .xlsx table to leave out, such as numbers of rows; may be repeated.",
)

Ignore = Annotated[list[str] | None, _IGNORE]
Rules = Annotated[Path | None, _RULES]
Data = Annotated[Path | None, _DATA]
SpaceFile = Annotated[Path | None, _SPACE]


def read_rules(
    path: Path | None,
    data: Path | None = None,
    space_file: Path | None = None,
    ignore: list[str] | None = None,
) -> irenic.RuleSet:
    """Return the rule set of a file, or of the example."""
    space = space_for(path, data, space_file, ignore or ())
    if path is not None:
        return as_set(irenic.read(path, space=space, ignore=ignore or ()))
    return read_example(space).tables[0].rules


def as_set(rules: irenic.RuleSet | irenic.RuleList) -> irenic.RuleSet:
    """Return rules as a set; the order of a list is left to the caller."""
    return rules.rules if isinstance(rules, irenic.RuleList) else rules


def read_example(space: irenic.Space | None) -> ReadTables:
    """Return the rules that come with irenic."""
    with as_file(files("irenic") / "data" / "example.rules") as example:
        return irenic.read_tables(example, space=space)


def say_example(rules: Path | None) -> None:
    """Say that the rules are those of the example, where no file was given."""
    if rules is None:
        print("No file given: these are the rules of the example of irenic.\n")


def space_for(
    path: Path | None, data: Path | None, space_file: Path | None, ignore: Sequence[str] = ()
) -> irenic.Space | None:
    """Return the space that a table of instances or a file of rules tells, None for neither."""
    from irenic.formats.json import rules as json_rules
    from irenic.frames.files import read_text
    from irenic.frames.table import read_table

    if data is not None and space_file is not None:
        raise FormatError("--data and --space both give the space; leave one of them out")
    if data is not None:
        return open_to_rules(irenic.Space.infer(read_table(data)), path, data, ignore)
    if space_file is None:
        return None
    try:
        space = json_rules.space_of(json_rules.parse(read_text(space_file)))
    except FormatError as error:
        raise error.at(path=str(space_file)) from None
    except irenic.SpaceError as error:
        raise FormatError(str(error), path=str(space_file)) from None
    if space is None:
        raise FormatError('there is no "space" in it', path=str(space_file))
    return space


def open_to_rules(
    space: irenic.Space, path: Path | None, data: Path, ignore: Sequence[str] = ()
) -> irenic.Space:
    """Return the space of a table with the values that rules name and no row has; say which."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FormatWarning)  # shown when it is read with the space
            named = irenic.Space([]) if path is None else irenic.read(path, ignore=ignore).space
    except IrenicError:
        return space  # said with its place when the file is read with the space
    features: list[irenic.Continuous | irenic.Categorical] = []
    for feature in space:
        other = next((f for f in named if f.name == feature.name), None)
        if isinstance(feature, irenic.Categorical) and isinstance(other, irenic.Categorical):
            unseen = [value for value in other.values if value not in feature.codes]
            if unseen and feature.other:
                shown = ", ".join(map(display, unseen))
                print(
                    f"irenic: no row of {data} has {display(feature.name)} = {shown}",
                    file=sys.stderr,
                )
                feature = irenic.Categorical(
                    feature.name, [*feature.values, *unseen], missing=feature.missing, other=True
                )
        features.append(feature)
    return irenic.Space(features)


def tells_space(path: Path) -> bool:
    """Return whether a file of rules declares the features that they are about."""
    from irenic.formats.json import rules as json_rules
    from irenic.frames.files import read_text

    suffix = path.suffix.lower()
    return suffix in (".dmn", ".xml") or (
        suffix == ".json" and "space" in json_rules.parse(read_text(path))
    )


def is_model(path: Path) -> bool:
    """Return whether a file holds a model of ``irenic learn`` rather than rules alone."""
    from irenic.formats.json import rules as json_rules
    from irenic.frames.files import read_text

    if path.suffix.lower() != ".json":
        return False
    try:
        return "model" in json_rules.parse(read_text(path))
    except FormatError as error:
        raise error.at(path=str(path)) from None


def check_rules_in(table: irenic.DecisionTable, path: Path) -> None:
    """Refuse a file that holds neither rules nor a default."""
    if not table.n_rows and table.rules.default is None:
        raise no_rules(table.rules, path)


def no_rules(rules: irenic.RuleSet, path: Path) -> FormatError:
    """Return the error for a file that holds no rules, perhaps because it was cut off."""
    rest = "" if rules.default is None else ", only a default"
    return FormatError(f"no rules in the file{rest}; was it cut off?", path=str(path))


def check_output(
    out: Path | None, inputs: Mapping[str, Path | None], option: str = "--output"
) -> None:
    """Refuse an output that is an input or cannot be written, before any work is done.

    ``inputs`` are by the arguments and options that name them, as ``option`` names the output.
    """
    from irenic.frames.files import check_target

    if out is None:
        return
    for name, path in inputs.items():
        if path is not None and _is_same(out, path):
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
    from irenic.formats import SUFFIXES

    for path in paths:
        if not is_folder(path):
            yield path
            continue
        inside = [p for p in sorted(path.rglob("*")) if p.suffix.lower() in SUFFIXES]
        held = [p for p in inside if _may_be_file(p) and not _is_hidden(p.relative_to(path))]
        held = [p for p in held if not any(p.match(pattern) for pattern in exclude)]
        if not held:
            known = ", ".join(SUFFIXES)
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
