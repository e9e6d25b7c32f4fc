"""A server for agents: an assistant that writes rules can verify them (Model Context Protocol).

Each tool runs the command of irenic with ``--json``, and returns the document that it prints. Only
files inside the folder are read, and none is written.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from pathlib import Path, PurePath
from typing import Annotated, Any, Final, TypeAlias

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, TextContent, ToolAnnotations
from pydantic import Field

import irenic
from irenic.errors import FileError, IrenicError
from irenic.frames.files import check_readable, reading_only

Run: TypeAlias = Callable[[Sequence[str]], tuple[str, str]]
"""Runs a command, and returns what it prints to standard output and standard error."""

_INSTRUCTIONS: Final = """Verify decision rules exactly instead of guessing: check finds
contradictions and gaps, prove decides properties over all cases, diff compares two versions. Paths
are relative to the folder of the server. After every change of a rule file, run check; before
replacing a version, run diff."""
_READ_ONLY: Final = ToolAnnotations(read_only_hint=True, open_world_hint=False)

Rules: TypeAlias = Annotated[
    str, Field(description="File of rules in the folder: .rules, .txt, .csv, .xlsx, .dmn, .json, …")
]
Table: TypeAlias = Annotated[
    str | None, Field(description="Table to use, if the file contains several.")
]
Policy: TypeAlias = Annotated[
    str | None, Field(description="Hit policy instead of the one in the file: UNIQUE, FIRST, …")
]
Outcome: TypeAlias = Annotated[
    list[str] | None, Field(description="Outcome columns of a spreadsheet (default: the last).")
]
Case: TypeAlias = Annotated[str, Field(description='Values, such as "age = 17, debt = 0".')]
Seconds: TypeAlias = Annotated[float, Field(description="Maximum seconds of the search.", ge=0)]


def make_server(folder: Path, run: Run) -> MCPServer:
    """Return a server whose tools run commands of irenic on the rules in a folder.

    The folder must be the current one, so that documents have relative paths.
    """
    server = MCPServer(
        "irenic",
        version=irenic.__version__,
        instructions=_INSTRUCTIONS,
        log_level="ERROR",  # errors of the caller are answers
    )

    async def answer(
        command: str, files: Sequence[str], arguments: Sequence[str], **options: Any
    ) -> CallToolResult:
        words = [command, "--json", *_options(options), "--", *files, *arguments]
        try:
            with reading_only(folder):
                for file in files:
                    _check_path(file)
                document, notes = await asyncio.to_thread(run, words)
        except IrenicError as error:
            raise ToolError("\n".join([str(error), *getattr(error, "__notes__", ())])) from None
        content = [TextContent(type="text", text=document)]
        content += [TextContent(type="text", text=notes)] if notes else []
        return CallToolResult(content=content, structured_content=json.loads(document))

    async def check(
        files: Annotated[list[str], Field(description="Files of rules in the folder.")],
        outcome: Outcome = None,
        hit_policy: Policy = None,
        budget: Seconds = 10.0,
        limit: Annotated[int, Field(description="Maximum findings per kind.", ge=1)] = 20,
    ) -> CallToolResult:
        """Find contradictions, gaps, redundant rows and unused columns, each with a case."""
        read = {"outcome": outcome, "hit_policy": hit_policy}
        if not files:
            raise ToolError("files must not be empty; name files, or '.' for all in the folder")
        return await answer("check", files, [], **read, budget=budget, limit=limit)

    async def prove(
        rules: Rules,
        properties: Annotated[
            list[str],
            Field(
                description="Such as 'NEVER refuse WHERE debt = 0', 'ALWAYS free WHERE age < 18',"
                " 'refuse ONLY IF debt > 0', 'price INCREASES WITH age', 'outcome DOES NOT DEPEND"
                " ON sex', 'SAME AS old.csv', 'NO NEW permit AGAINST old.csv'."
            ),
        ],
        table: Table = None,
        outcome: Outcome = None,
        hit_policy: Policy = None,
        budget: Seconds = 60.0,
    ) -> CallToolResult:
        """Prove or refute properties of rules over all cases; refuted ones have a case."""
        read = {"table": table, "outcome": outcome, "hit_policy": hit_policy}
        if not properties:
            raise ToolError("properties must not be empty; try 'NEVER outcome WHERE …'")
        return await answer("prove", [rules], properties, **read, budget=budget)

    async def diff(
        before: Rules,
        after: Rules,
        table: Table = None,
        outcome: Outcome = None,
        hit_policy: Policy = None,
        budget: Seconds = 60.0,
    ) -> CallToolResult:
        """List the regions in which two files of rules decide differently, each with a case."""
        read = {"table": table, "outcome": outcome, "hit_policy": hit_policy}
        return await answer("diff", [before, after], [], **read, budget=budget)

    async def enlarge(
        rules: Rules,
        seed: Annotated[str, Field(description='Point that no rival covers, such as "age = 17".')],
        consequent: Annotated[
            str | None, Field(description="Outcome of the new rule (default: all are rivals).")
        ] = None,
        table: Table = None,
        outcome: Outcome = None,
    ) -> CallToolResult:
        """Grow a region around a point in which a new rule contradicts no other."""
        read = {"table": table, "outcome": outcome}
        return await answer("enlarge", [rules], [], seed=seed, consequent=consequent, **read)

    async def decide(
        rules: Rules,
        case: Case,
        table: Table = None,
        outcome: Outcome = None,
        hit_policy: Policy = None,
    ) -> CallToolResult:
        """Decide one case, and say why; explain also finds what would change the decision."""
        read = {"table": table, "outcome": outcome, "hit_policy": hit_policy}
        return await answer("why", [rules], [case], **read, budget=0.0)

    async def explain(
        rules: Rules,
        case: Case,
        instead: Annotated[
            str | None, Field(description="Outcome to reach by a change (default: any other).")
        ] = None,
        fixed: Annotated[
            list[str] | None, Field(description="Features that may not change.")
        ] = None,
        table: Table = None,
        outcome: Outcome = None,
        hit_policy: Policy = None,
        budget: Seconds = 10.0,
    ) -> CallToolResult:
        """Explain one decision, and find the smallest change that leads elsewhere."""
        read = {"table": table, "outcome": outcome, "hit_policy": hit_policy}
        options = {"instead": instead, "fixed": fixed, "budget": budget}
        return await answer("why", [rules], [case], **options, **read)

    for tool in (check, prove, diff, enlarge, decide, explain):
        server.add_tool(tool, annotations=_READ_ONLY)
    return server


def _options(options: dict[str, Any]) -> list[str]:
    """Return options of a command, each in one word, so that no value is taken for an option."""
    words = []
    for name, value in options.items():
        values = value if isinstance(value, list) else [] if value is None else [value]
        words += [f"--{name.replace('_', '-')}={each}" for each in values]
    return words


def _check_path(name: str) -> None:
    """Raise an error if a path does not lead from the folder to a file inside it."""
    path = PurePath(name)
    if path.is_absolute() or ".." in path.parts:
        raise FileError(
            f"cannot read {name}: a path must be relative to the folder of the server, without '..'"
        )
    if name in ("", "-"):
        raise FileError(f"a path must name a file in the folder of the server, got {name!r}")
    check_readable(Path(name))
