"""What the commands share: options, and how they print."""

from __future__ import annotations

import errno
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
    from collections.abc import Callable, Iterator, Mapping

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


def print_json(data: Mapping[str, Any]) -> None:
    """Print plain data, with escapes where the output cannot hold a character."""
    encode = json.JSONEncoder(ensure_ascii=not _speaks_unicode()).encode
    levels = 6 if "files" in data else 4 if "models" in data or "runs" in data else 2
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
    errors = console(stderr=True)
    if not errors.is_terminal:
        yield None
        return
    with errors.status(f"{what} …") as status:

        def show(nodes: int, regions: int) -> None:
            status.update(f"{what} … {nodes:,} steps, {regions:,} regions (Ctrl-C to stop)")

        yield show


class _Console(Console):
    def on_broken_pipe(self) -> None:
        # rich would end with status 1, which says that something is wrong with the rules
        raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))


def console(*, stderr: bool = False) -> Console:
    """Return where to print for people."""
    made = _Console(highlight=False, emoji=False, stderr=stderr)
    if not made.is_terminal:
        made.width = _UNWRAPPED
    return made


_UNWRAPPED = 1_000_000
"""In a file or a pipe a rule stays on one line, however long."""


def _speaks_unicode() -> bool:
    return (sys.stdout.encoding or "").lower().startswith("utf")


@contextmanager
def output() -> Iterator[None]:
    """Print what is printed here; end quietly if its reader has gone (``| head``)."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        drop_output()
        raise typer.Exit(_NO_READER) from None
    except OSError as error:
        drop_output()
        closed = error.errno == errno.EBADF
        reason = "standard output is closed" if closed else error.strerror or error
        raise irenic.FileError(f"cannot write the output: {reason}") from None


_NO_READER = 128 + 13
"""The exit status that shells show for a program that SIGPIPE (13) ended."""


def drop_output() -> None:
    """Throw away what is left to print: Python flushes at exit, which must not fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def open_closed_streams() -> None:
    """Stand in for standard streams that were closed: Python has None for them.

    Without this, the next file that is opened would become the standard output. Printing to an
    output that was closed has to fail, so its stand-in can only be read.
    """
    if sys.stdin is None:
        sys.stdin = os.fdopen(os.open(os.devnull, os.O_RDONLY), "r")
    if sys.stdout is None:
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY), "w")
    if sys.stderr is None:
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")


def warn_of_compiling(module: str = "packed", how_long: str = "some seconds") -> None:
    """Say on a terminal that the first run compiles: a person waits for it."""
    here = Path(irenic.__file__).parent / "kernels" / "__pycache__"
    kept = Path(os.environ.get("NUMBA_CACHE_DIR") or here)
    if sys.stderr.isatty() and not any(kept.rglob(f"{module}.*.nbi")):
        print(f"compiling (once, {how_long}) …", file=sys.stderr)
