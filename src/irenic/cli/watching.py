"""The option ``--watch``: run a command again whenever one of its files changes."""

from __future__ import annotations

import functools
import inspect
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, NoReturn, TypeAlias

import typer

from irenic.cli.common import is_standard, note
from irenic.errors import FormatError, IrenicError
from irenic.model.literals import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_PAUSE: Final = 0.25
"""Seconds between two looks at the files."""
_WATCH = typer.Option(
    "--watch", metavar="", help="Run again whenever a file changes, until Ctrl-C."
)
Snapshot: TypeAlias = dict[str, tuple[int, int, int] | None]


def watches(
    *inputs: str, outputs: Sequence[str] = (), beside: str = ""
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Add the option ``--watch`` to a command.

    ``inputs`` and ``outputs`` are its parameters that are files; ``beside`` is the suffix of a file
    that it reads beside the first one.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(command, eval_str=True)
        option = inspect.Parameter(
            "watch",
            inspect.Parameter.KEYWORD_ONLY,
            default=False,
            annotation=Annotated[bool, _WATCH],
        )

        @functools.wraps(command)
        def with_option(*, watch: bool, **arguments: Any) -> None:
            if not watch:
                command(**arguments)
                return
            written = next((name for name in outputs if arguments[name] is not None), None)
            if written is not None:
                raise FormatError(
                    f"--watch runs a command many times, so it cannot be used with"
                    f" --{written.replace('_', '-')}"
                )
            values = (arguments[name] for name in inputs)
            lists = (value if isinstance(value, list) else [value] for value in values)
            paths = [path for listed in lists for path in listed if path is not None]
            if not paths or any(map(is_standard, paths)):
                raise FormatError("--watch needs files to watch, got standard input or none")
            paths += [paths[0].with_suffix(beside)] if beside else []
            _repeat(functools.partial(command, **arguments), paths)

        own = signature.parameters.values()
        with_option.__signature__ = signature.replace(  # type: ignore[attr-defined]
            parameters=[*own, option]
        )
        return with_option

    return decorate


def _repeat(run: Callable[[], None], paths: Sequence[Path]) -> NoReturn:
    """Run a command whenever files change; Ctrl-C exits with its last status."""
    status = 130  # what shells report for a program that Ctrl-C ended
    try:
        while True:
            before = _snapshot(paths)
            status = _status(run)
            note(
                f"{time.strftime('%H:%M:%S')} exit status {status}, watching"
                f" {counted(len(before), 'file')} (Ctrl-C to stop)"
            )
            _wait(paths, before)
    except KeyboardInterrupt:
        raise typer.Exit(status) from None


def _status(run: Callable[[], None]) -> int:
    """Run a command once; errors are printed, as they are without ``--watch``."""
    try:
        run()
    except typer.Exit as end:
        return end.exit_code
    except IrenicError as error:
        for text in (str(error), *getattr(error, "__notes__", ())):
            note(text)
        return 2
    return 0


def _wait(paths: Sequence[Path], before: Snapshot) -> None:
    """Return when files have changed and no longer change: editors write in several steps."""
    last, now = before, before
    while now == before or now != last:
        time.sleep(_PAUSE)
        last, now = now, _snapshot(paths)


def _snapshot(paths: Sequence[Path]) -> Snapshot:
    """Return when each file was written, and its size and number; None if it does not exist."""
    snapshot: Snapshot = {}
    for file in _files(paths):
        try:
            status = os.stat(file)  # noqa: PTH116
        except OSError:
            snapshot[file] = None
        else:
            snapshot[file] = status.st_mtime_ns, status.st_size, status.st_ino
    return snapshot


def _files(paths: Sequence[Path]) -> Iterator[str]:
    for path in paths:
        if not os.path.isdir(path):  # noqa: PTH112 (Path.is_dir raises for some folders)
            yield str(path)
        for folder, inner, names in os.walk(path):
            inner[:] = [name for name in inner if not name.startswith(".")]
            yield from (os.path.join(folder, name) for name in names)  # noqa: PTH118
