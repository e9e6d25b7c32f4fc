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
from irenic.errors import FormatError, did_you_mean
from irenic.frames.files import format_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from irenic.budget import Progress
    from irenic.learn import RuleSetClassifier

Json = Annotated[bool, typer.Option("--json", metavar="", help="Print JSON instead of text.")]
_MOST = typer.Option(
    metavar="N",
    help="How many findings of a kind to list at most.",
    min=1,
    show_default=False,
)
Most = Annotated[int | None, _MOST]

_TO = typer.Option(
    "--to", metavar="FORMAT", help="Format of standard output, where the output is -."
)
To = Annotated[str | None, _TO]

STANDARD = "<stdin>"
"""What messages call standard input."""

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


def note(text: str) -> None:
    """Print a note to standard error."""
    print(f"irenic: {text}", file=sys.stderr)


def is_standard(path: Path | None) -> bool:
    """Return whether an argument is ``-``: standard input or standard output."""
    return path is not None and str(path) == "-"


def output_format(
    out: Path | None, to: str | None, known: tuple[str, ...], default: str = ""
) -> str:
    """Return the format of an output: by its suffix, or as ``--to`` says for standard output."""
    if out is not None and not is_standard(out):
        if to is not None:
            raise FormatError(
                f"--to gives the format of standard output, and the output is the file {out}"
            )
        return format_of(str(out), None, known)
    if to is None and not default:
        raise FormatError(f"the format of standard output must be given: --to {'|'.join(known)}")
    if to is not None and to not in known:
        raise FormatError(
            f"--to must be one of {', '.join(known)}, got {to!r}{did_you_mean(to, known)}"
        )
    return to or default


def check_one_output(out: Path | None, to: str | None, *, as_json: bool) -> None:
    """Refuse two things on standard output."""
    if as_json and (is_standard(out) or to is not None):
        raise FormatError(
            "--json and the output - are both for standard output; leave one of them out"
        )


def write_rules(
    rules: irenic.RuleSet | irenic.DecisionTable | RuleSetClassifier, out: Path | None, form: str
) -> None:
    """Write rules to a file, or to standard output where there is none."""
    if out is None or is_standard(out):
        write_standard(irenic.dumps(rules, format=form))
    else:
        irenic.write(rules, out)


def write_standard(data: str | bytes) -> None:
    """Write data to standard output; text as UTF-8, as it would be in a file."""
    with output():
        sys.stdout.flush()
        sys.stdout.buffer.write(data.encode("utf-8") if isinstance(data, str) else data)
        sys.stdout.buffer.flush()


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
