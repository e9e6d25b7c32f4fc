"""Questions about columns: asked in a terminal, answered in irenic.toml."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rich.markup import escape

from irenic.cli.common import console, note, say_line
from irenic.cli.settings import NAMES, nearest, shown_path, table_key
from irenic.errors import FormatError, IrenicError, on_one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from irenic.formats import Parsed
    from irenic.formats.tables.drafts import Doubt

MOST_ROWS: Final = 2_000
"""The consequences of answers are counted for tables of up to so many rows."""
_MEANINGS: Final = {
    "outcome": "the rows decide it",
    "condition": "a row applies only to cases with its value",
    "note": "it is not read",
    "from": "a row applies from its value up to the next one",
    "up to": "a row applies up to its value, and above the one before",
    "names": "it names the rows of a table that is turned on its side",
    "heading": "it heads the rows below",
}


def settled(
    parsed: Parsed, path: Path, roles: Mapping[str, str], again: Callable[[dict[str, str]], Parsed]
) -> Parsed:
    """Return a file whose questions are answered: asked in a terminal, else listed.

    ``again`` reads the file with other roles.
    """
    given = dict(roles)
    answered: dict[str, str] = {}
    while doubts := _doubts(parsed):
        if not is_asked():
            _list(doubts, path)
            return parsed
        new = _ask(doubts, path, given, again)
        if new.items() <= given.items():  # an answer that settles nothing is not asked again
            return parsed
        given |= new
        answered |= new
        parsed = again(given)
    if answered and _confirmed(path):
        keep(path, answered)
    return parsed


def is_asked() -> bool:
    """Return whether somebody sits at a terminal who can answer."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def _doubts(parsed: Parsed) -> list[Doubt]:
    return [doubt for draft in parsed.drafts for doubt in getattr(draft, "doubts", ())]


# --- without a terminal


def _list(doubts: Sequence[Doubt], path: Path) -> None:
    """Print the lines of irenic.toml that answer all questions as suggested."""
    home, lines = _lines(path, doubts)
    note(f"{path}: to answer, add these lines to {home}, or others of the same form:")
    for line in lines:
        say_line(line, file=sys.stderr)


def _lines(path: Path, doubts: Sequence[Doubt]) -> tuple[str, list[str]]:
    """Return the file of options for a table, and the lines in it that answer as suggested."""
    home = home_of(path)
    lines = [header_of(home, path)]
    for doubt in doubts:
        first, *others = doubt.answers()
        for name, role in first.items():
            rest = dict.fromkeys(each[name] for each in others if each[name] != role)
            remark = f"  # or {', '.join(rest)}" if rest else ""
            lines.append(f"{_quoted(name)} = {_quoted(role)}{on_one_line(remark)}")
    return shown_path(home), list(dict.fromkeys(lines))


# --- in a terminal


def _ask(
    doubts: Sequence[Doubt],
    path: Path,
    given: Mapping[str, str],
    again: Callable[[dict[str, str]], Parsed],
) -> dict[str, str]:
    """Ask all questions of a file, and return the answers by column."""
    screen = console(stderr=True)
    n = len(doubts)
    what = "a question" if n == 1 else f"{n} questions"
    screen.print(f"{escape(str(path))} has {what} that its cells do not settle.")
    suggested = {**given, **{c: r for doubt in doubts for c, r in doubt.answers()[0].items()}}
    roles: dict[str, str] = {}
    for number, doubt in enumerate(doubts, 1):
        names = ", ".join(map(_quoted, doubt.columns))
        title = f"{number}. {names}: {on_one_line(doubt.reason)}"
        screen.print(f"\n[bold]{escape(title)}[/]")
        answers = doubt.answers()
        keys = _keys(doubt)
        for key, answer in zip(keys, answers, strict=True):
            effect = _effect(again, suggested | roles | answer)
            first = " (suggested)" if answer is answers[0] else ""
            screen.print(f"   [bold]{key}[/]  {escape(_meaning(answer))}{first}{escape(effect)}")
        roles |= answers[keys.index(_choice(screen, keys))]
    return roles


def _keys(doubt: Doubt) -> list[str]:
    """Return the letters of the answers: those that the roles begin with, if these differ."""
    initials = [role[0] for role in doubt.roles]
    plain = len(doubt.columns) == 1 and len(set(initials)) == len(initials)
    return (
        initials
        if plain and all(map(str.isalpha, initials))
        else list("abcdefghij")[: len(doubt.ways)]
    )


def _meaning(answer: Mapping[str, str]) -> str:
    if len(answer) == 1:
        (role,) = answer.values()
        meaning = _MEANINGS.get(role, "")
        return f"{role}: {meaning}" if meaning else role
    return ", ".join(f"{name} = {role}" for name, role in answer.items())


def _effect(again: Callable[[dict[str, str]], Parsed], roles: dict[str, str]) -> str:
    """Return what is found in a table if its columns have the given roles, in brackets."""
    from irenic.budget import Budget
    from irenic.checking import check

    try:
        tables = again(roles).bound(None)
    except IrenicError:
        return ""
    if tables.errors or any(table.n_rows > MOST_ROWS for table in tables.tables):
        return ""
    found = [check(table, budget=Budget(seconds=1.0)) for table in tables.tables]
    counts = {
        kind: sum(finding.kind == kind for each in found for finding in each)
        for kind in ("conflicts", "gaps")
    }
    texts = [f"{n} {kind if n != 1 else kind[:-1]}" for kind, n in counts.items() if n]
    return f" [{', '.join(texts) or 'no conflict, no gap'}]"


def _choice(screen: Any, keys: Sequence[str]) -> str:
    """Return the letter that somebody types; an empty line is the first one."""
    listed = f"{', '.join(keys[:-1])} or {keys[-1]}"
    while True:
        screen.print(f"   {listed} [default {keys[0]}]: ", end="", markup=False)
        line = sys.stdin.readline()
        if not line:
            raise FormatError("the questions were not answered; nothing was read")
        answer = line.strip().lower() or keys[0]
        if answer in keys:
            return answer


def _confirmed(path: Path) -> bool:
    screen = console(stderr=True)
    screen.print(
        f"\nKeep the answers in {escape(shown_path(home_of(path)))}? [Y/n] ", end="", markup=False
    )
    return sys.stdin.readline().strip().lower() in ("", "y", "yes")


# --- irenic.toml


def home_of(path: Path) -> Path:
    """Return the file of options that holds for a table: the nearest one, or a new one."""
    found = nearest(path)
    return found[0] if found else Path(os.path.abspath(path)).parent / NAMES[0]  # noqa: PTH100


def header_of(home: Path, path: Path) -> str:
    """Return the line that begins the roles of a table's columns."""
    prefix = "" if home.name == NAMES[0] else "tool.irenic."
    return f"[{prefix}tables.{_quoted(table_key(home.parent, path))}]"


def keep(path: Path, roles: Mapping[str, str]) -> None:
    """Write the roles of a table's columns to the file of options that holds for it."""
    import tomllib

    from irenic.frames.files import MOST_BYTES, as_text, read_bytes, write_file

    home = home_of(path)
    found = nearest(path)
    before = as_text(read_bytes(home, MOST_BYTES)) if found else ""
    document = dict(found[1]) if found else {}
    tables = dict(document.get("tables", {}))
    key = table_key(home.parent, path)
    wanted = {**tables.get(key, {}), **roles}
    lines = [f"{_quoted(name)} = {_quoted(role)}" for name, role in roles.items()]
    header = header_of(home, path)
    text = "\n".join([header, *lines]) + "\n"
    if key in tables:
        # new answers follow the line that begins the table
        at = before.find(header)
        after = before[:at] + text + before[at + len(header) :].removeprefix("\n")
    else:
        after = f"{before.rstrip()}\n\n{text}" if before.strip() else text
    try:
        new = tomllib.loads(after)
        options = new if home.name == NAMES[0] else new["tool"]["irenic"]
        is_kept = options == {**document, "tables": {**tables, key: wanted}}
    except (ValueError, KeyError):
        is_kept = False
    if not is_kept:
        raise FormatError(
            f"the answers cannot be added to {shown_path(home)} without changing other lines; write"
            f" them under {header}: {'; '.join(lines)}"
        )
    write_file(home, after)
    note(f"the answers are in {shown_path(home)}")


def _quoted(text: str) -> str:
    """Return a text as a string of TOML, which is also one of JSON."""
    import json

    return json.dumps(text, ensure_ascii=False)
