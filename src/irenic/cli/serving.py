"""The commands that serve other programs on standard input and output: lsp and mcp."""

from __future__ import annotations

import io
import os
import threading
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Annotated, Any

import typer

from irenic.errors import FileError, FormatError, IrenicError, with_options

commands = typer.Typer()


@commands.command(
    epilog="""[bold]Examples[/]
irenic lsp                 started by an editor, see the documentation
irenic lsp --budget 5      search longer for gaps

[bold]Exit status[/]
0 the editor ended it, 2 pygls is not installed"""
)
def lsp(
    context: typer.Context,
    budget: Annotated[
        float, typer.Option(metavar="SECONDS", help="Maximum seconds per search.", min=0.0)
    ] = 1.0,
) -> None:
    """Serve editors: findings while typing, repairs, and rules in words (LSP)."""
    try:
        from irenic.serving.editors import make_server
    except ImportError as error:
        if (error.name or "").partition(".")[0] not in ("lsprotocol", "pygls"):
            raise
        raise ImportError("irenic lsp needs pygls: pip install 'irenic[lsp]'") from None
    isolated = context.parent is not None and context.parent.params["isolated"]
    make_server(budget, (lambda _: {}) if isolated else options_of).start_io()


def options_of(path: Path) -> dict[str, Any]:
    """Return how a file is read, as irenic.toml or pyproject.toml say."""
    from irenic.cli import load
    from irenic.cli.reading import reading_of, reading_options
    from irenic.cli.settings import defaults

    return reading_of(path, reading_options(defaults(load("check"), ["--", str(path)])))


@commands.command(
    epilog="""[bold]Examples[/]
irenic mcp policies/       verify the rules in a folder

[bold]Tools[/]
check, prove, diff, enlarge, decide, explain

Only files inside FOLDER are read, and none is written.

[bold]Exit status[/]
0 the agent ended it, 2 mcp is not installed or FOLDER is not a folder"""
)
def mcp(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="Folder of the rules.", show_default="here")
    ] = Path(),
) -> None:
    """Serve agents: check, prove, compare and explain the rules in a folder (MCP)."""
    if not folder.is_dir():
        raise FileError(f"FOLDER must be a folder, got {folder}")
    try:
        from irenic.serving.agents import make_server
    except ImportError as error:
        if (error.name or "").partition(".")[0] not in ("mcp", "pydantic"):
            raise
        raise ImportError("irenic mcp needs mcp: pip install 'irenic[mcp]'") from None
    os.chdir(folder)
    make_server(Path.cwd(), _run).run()


_RUNNING = threading.Lock()


def _run(words: Sequence[str]) -> tuple[str, str]:
    """Run a command in this process; return what it prints to standard output and error."""
    from irenic.cli import app

    with _RUNNING, redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as notes:
        try:
            app([*words], standalone_mode=False)
        except Exception as error:
            explain = getattr(error, "format_message", None)  # of typer: an invalid value
            if explain is not None:
                raise FormatError(explain()) from None
            if not isinstance(error, IrenicError):
                raise
            texts = (str(error), *getattr(error, "__notes__", ()))
            raise FormatError("\n".join(map(with_options, texts))) from None
    return out.getvalue(), notes.getvalue()
