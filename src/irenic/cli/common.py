"""Options and output that the commands share."""

from __future__ import annotations

import errno
import functools
import inspect
import io
import json
import os
import sys
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer
from rich.console import Console

import irenic
from irenic.errors import (
    FormatError,
    did_you_mean,
    escape_unsafe,
    on_one_line,
    with_options,
)
from irenic.frames.files import format_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from irenic.budget import Progress
    from irenic.learn import RuleClassifier

Json = Annotated[bool, typer.Option("--json", metavar="", help="Print JSON instead of text.")]
_LIMIT = typer.Option(
    metavar="N",
    help="Maximum number of findings to list per kind.",
    min=1,
    show_default=False,
)
Limit = Annotated[int | None, _LIMIT]


def completing(module: str, name: str) -> Callable[[str], list[str]]:
    """Return a function that completes one of the values of a constant for a shell.

    The module is imported only if a shell asks.
    """

    def complete(incomplete: str) -> list[str]:
        values = getattr(import_module(f"irenic.{module}"), name)
        return [value for value in values if value.startswith(incomplete)]

    return complete


_TO = typer.Option(
    "--to",
    metavar="FORMAT",
    help="Format of standard output, if the output is -.",
    autocompletion=completing("formats.writing", "WRITTEN"),
)
To = Annotated[str | None, _TO]

STANDARD = "<stdin>"
"""The name of standard input in messages."""

GAP_LIMIT = 100_000
"""Bounds the memory for gaps, of which there can be more than anyone reads."""


def adds_options(
    table: Mapping[str, tuple[Any, Any]],
    argument: str,
    read: Callable[[dict[str, Any]], dict[str, Any]] = dict,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator that adds options to a command, which takes them as one argument.

    ``table`` has the annotation and the default of each, and ``read`` makes the argument of them.
    """
    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
        for name, (kind, default) in table.items()
    ]

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(command, eval_str=True)
        own = [p for p in signature.parameters.values() if p.name != argument]

        @functools.wraps(command)
        def with_options(**arguments: Any) -> None:
            options = {name: arguments.pop(name) for name in table}
            command(**arguments, **{argument: read(options)})

        # typer makes the options from the signature
        with_options.__signature__ = signature.replace(parameters=[*own, *added])  # type: ignore[attr-defined]
        return with_options

    return decorate


def print_json(data: Mapping[str, Any]) -> None:
    """Print data as JSON; characters that the output cannot encode are escaped."""
    is_unicode = (sys.stdout.encoding or "").lower().startswith("utf")
    encode = json.JSONEncoder(ensure_ascii=not is_unicode).encode
    levels = 6 if "files" in data else 4 if "models" in data or "runs" in data else 2
    print(escape_unsafe(_indented(data, encode, levels)))


def say_line(text: str, file: TextIO | None = None) -> None:
    """Print a line of text; whatever names and values in it contain, it stays one line."""
    print(on_one_line(text), file=file)


def _indented(data: Any, encode: Callable[[Any], str], levels: int, indent: str = "") -> str:
    """Return JSON with the outer levels indented, so that each finding is on one line.

    Inner levels are encoded at once, which is many times faster than indenting everything.
    """
    parts = data.values() if isinstance(data, dict) else data
    if not levels or not any(isinstance(part, dict | list) for part in parts):
        return encode(data)
    deeper = indent + "  "
    texts = [
        _indented(p, encode, levels - 1, deeper) if isinstance(p, dict | list) else encode(p)
        for p in parts
    ]
    if isinstance(data, dict):
        texts = [f"{encode(key)}: {text}" for key, text in zip(data, texts, strict=True)]
    opening, closing = "{}" if isinstance(data, dict) else "[]"
    return f"{opening}\n{deeper}" + f",\n{deeper}".join(texts) + f"\n{indent}{closing}"


@contextmanager
def progress(what: str) -> Iterator[Progress | None]:
    """Show the progress of a search on a terminal; Ctrl-C keeps the results so far."""
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
        # rich would exit with 1, the status of rules with findings
        raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))


def console(*, stderr: bool = False) -> Console:
    """Return a console for output that people read."""
    console = _Console(highlight=False, emoji=False, stderr=stderr)
    if not console.is_terminal:
        console.width = _UNWRAPPED
    return console


_UNWRAPPED = 1_000_000
"""In files and pipes every rule stays on one line."""


@contextmanager
def output() -> Iterator[None]:
    """Print the output of a command; exit quietly if its reader is gone (``| head``)."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        discard_output()
        raise typer.Exit(_NO_READER) from None
    except OSError as error:
        discard_output()
        closed = error.errno == errno.EBADF
        reason = "standard output is closed" if closed else error.strerror or error
        raise irenic.FileError(f"cannot write the output: {reason}") from None


def as_cell(outcome: Any) -> Any:
    """Return a value of a decision model, such as a list or context, as one cell."""
    if isinstance(outcome, list):
        return "; ".join(str(as_cell(part)) for part in outcome)
    if isinstance(outcome, dict):
        return ", ".join(f"{name}: {as_cell(part)}" for name, part in outcome.items())
    if outcome is None or isinstance(outcome, str | int | float):
        return outcome
    from irenic.model.literals import display  # imports numpy

    return display(outcome)


def note(text: str) -> None:
    """Print a note to standard error; it names options instead of arguments of Python."""
    say_line(f"irenic: {with_options(text)}", file=sys.stderr)


def open_in_browser(url: str) -> None:
    """Open a page in the browser; if there is none, say so."""
    import webbrowser

    if not webbrowser.open(url):
        note("no browser could be opened; open the address above in one")


def is_standard(path: Path | None) -> bool:
    """Return whether an argument is ``-``: standard input or standard output."""
    return path is not None and str(path) == "-"


def output_format(
    out: Path | None, to: str | None, known: tuple[str, ...], default: str = ""
) -> str:
    """Return the format of an output: its suffix, or ``--to`` for standard output."""
    if out is not None and not is_standard(out):
        if to is not None:
            raise FormatError(
                f"--to is the format of standard output, but the output is the file {out}"
            )
        return format_of(str(out), None, known)
    if to is None and not default:
        raise FormatError(f"standard output needs a format: --to {'|'.join(known)}")
    if to is not None and to not in known:
        raise FormatError(
            f"--to must be one of {', '.join(known)}, got {to!r}{did_you_mean(to, known)}"
        )
    return to or default


def check_one_output(out: Path | None, to: str | None, *, as_json: bool) -> None:
    """Reject options that would both write to standard output."""
    if as_json and (is_standard(out) or to is not None):
        raise FormatError("--json and the output - both write to standard output; use one of them")


def write_rules(
    rules: irenic.RuleSet | irenic.DecisionTable | RuleClassifier, out: Path | None, form: str
) -> None:
    """Write rules to a file, or to standard output if there is none."""
    if out is None or is_standard(out):
        write_standard(irenic.dumps(rules, format=form))
    else:
        irenic.write(rules, out)


def write_standard(data: str | bytes) -> None:
    """Write data to standard output; text is encoded as UTF-8, as in files."""
    with output():
        sys.stdout.flush()
        sys.stdout.buffer.write(data.encode("utf-8") if isinstance(data, str) else data)
        sys.stdout.buffer.flush()


_NO_READER = 128 + 13
"""The exit status that shells report for a program ended by SIGPIPE (13)."""


def discard_output() -> None:
    """Discard unprinted output: Python flushes it at exit, which must not fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def open_closed_streams() -> None:
    """Replace closed standard streams, for which Python has None.

    Otherwise, the next file to be opened would become standard output. Printing to a closed output
    must fail, so its replacement is read-only.
    """
    if sys.stdin is None:
        sys.stdin = os.fdopen(os.open(os.devnull, os.O_RDONLY), "r")
    if sys.stdout is None:
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY), "w")
    if sys.stderr is None:
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
