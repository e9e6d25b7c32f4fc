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

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from irenic.budget import Progress

Json = Annotated[bool, typer.Option("--json", metavar="", help="Print JSON instead of text.")]
_MOST = typer.Option(
    metavar="N",
    help="How many findings of a kind to list at most.",
    min=1,
    show_default=False,
)
Most = Annotated[int | None, _MOST]

MOST_GAPS = 100_000
"""A budget of regions bounds the memory: there can be more gaps than anyone reads."""


def print_json(data: dict[str, Any]) -> None:
    """Print plain data, with escapes where the output cannot hold a character."""
    encode = json.JSONEncoder(ensure_ascii=not _speaks_unicode()).encode
    levels = 6 if "files" in data else 4 if "tables" in data or "runs" in data else 2
    print(_laid_out(data, encode, levels))


def _laid_out(data: Any, encode: Callable[[Any], str], levels: int, indent: str = "") -> str:
    """Return JSON with one entry a line down to some levels, so that a finding is a line.

    What lies below is encoded at once, which is many times faster than indenting all of it.
    """
    parts = data.values() if isinstance(data, dict) else data
    if not levels or not any(isinstance(part, dict | list) for part in parts):
        return encode(data)
    deeper = indent + "  "
    texts = [
        _laid_out(p, encode, levels - 1, deeper) if isinstance(p, dict | list) else encode(p)
        for p in parts
    ]
    if isinstance(data, dict):
        texts = [f"{encode(key)}: {text}" for key, text in zip(data, texts, strict=True)]
    opening, closing = "{}" if isinstance(data, dict) else "[]"
    return f"{opening}\n{deeper}" + f",\n{deeper}".join(texts) + f"\n{indent}{closing}"


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


def warn_of_compiling(module: str = "_kernels", how_long: str = "some seconds") -> None:
    """Say on a terminal that the first run compiles: a person waits for it."""
    here = Path(irenic.__file__).parent / "__pycache__"
    kept = Path(os.environ.get("NUMBA_CACHE_DIR") or here)
    if sys.stderr.isatty() and not any(kept.rglob(f"{module}.*.nbi")):
        print(f"compiling (once, {how_long}) …", file=sys.stderr)
