"""What the commands share: options, and how they print."""

from __future__ import annotations

import io
import json
import os
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

import irenic
from irenic.errors import IrenicError
from irenic.literals import display

if TYPE_CHECKING:
    from collections.abc import Iterator

    from irenic.budget import Progress

Json = Annotated[bool, typer.Option("--json", metavar="", help="Print JSON instead of text.")]


def print_json(data: dict[str, Any]) -> None:
    """Print plain data, with escapes where the output cannot hold a character."""
    print(json.dumps(data, ensure_ascii=not _speaks_unicode(), indent=2))


@contextmanager
def progress(what: str) -> Iterator[Progress | None]:
    """Show on a terminal how far a search is; Ctrl-C ends it with what was found."""
    warn_of_compiling()
    errors = Console(stderr=True, highlight=False)
    if not errors.is_terminal:
        yield None
        return
    with errors.status(f"{what} …") as status:

        def show(nodes: int, regions: int) -> None:
            status.update(f"{what} … {nodes:,} steps, {regions:,} regions (Ctrl-C to stop)")

        yield show


def console() -> Console:
    """Return where to print for people."""
    made = Console(highlight=False, emoji=False)
    if not made.is_terminal:
        made.width = _UNWRAPPED
    return made


_UNWRAPPED = 1_000_000
"""In a file or a pipe a rule stays on one line, however long."""


def _speaks_unicode() -> bool:
    return (sys.stdout.encoding or "").lower().startswith("utf")


@contextmanager
def output() -> Iterator[None]:
    """Print what is printed here; a reader that has gone (``| head``) is no error."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        # Python flushes once more at exit, which must not fail either
        _close_output()
    except OSError as error:
        _close_output()
        raise irenic.FileError(f"cannot write the output: {error.strerror or error}") from None


def _close_output() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def open_to_rules(space: irenic.Space, path: Path | None, data: Path) -> irenic.Space:
    """Return the space of a table with the values that rules name and no row has; say which."""
    try:
        named = irenic.read(path).space if path is not None else irenic.Space([])
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


def warn_of_compiling(module: str = "_kernels", how_long: str = "some seconds") -> None:
    """Say on a terminal that the first run compiles: a person waits for it."""
    here = Path(irenic.__file__).parent / "__pycache__"
    kept = Path(os.environ.get("NUMBA_CACHE_DIR") or here)
    if sys.stderr.isatty() and not any(kept.rglob(f"{module}.*.nbi")):
        print(f"compiling (once, {how_long}) …", file=sys.stderr)
