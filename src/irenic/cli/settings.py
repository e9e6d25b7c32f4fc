"""Options of commands from files: irenic.toml, or the table [tool.irenic] of pyproject.toml."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import typer

from irenic.errors import FileError, FormatError, did_you_mean
from irenic.frames.files import MOST_BYTES, as_text, check_readable, read_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

NAMES: Final = ("irenic.toml", "pyproject.toml")
READING: Final = ("outcome", "ignore", "locale", "header-row", "hit-policy", "encoding")
"""The keys for all commands that read rules."""
TABLES: Final = "tables"
"""The table with the roles of columns: one table per file of rules."""
KEYS: Final = {
    "check": ("fail-on", "exclude", "baseline", "budget", "limit", "format", "verbose"),
    "prove": ("budget",),
    "test": ("label", "coverage"),
    "diff": ("budget",),
    "report": ("budget", "sample", "open"),
    "lsp": ("budget",),
}
"""The keys of the table of each command; tables of those that read rules also have READING."""
_TYPES: Final = {
    "boolean": (bool, "true or false"),
    "int range": (int, "an integer"),
    "integer range": (int, "an integer"),  # in earlier versions of typer
    "float range": (int | float, "a number"),
}


def defaults(command: Any, words: Sequence[str], parent: Any = None) -> dict[str, Any]:
    """Return the options that a file sets for a command, by the names of its parameters.

    The file is in the folder of the first file that the command names, or above it. ``parent`` is
    the context of the command. Roles of columns are those of all files: FILE::NAME=ROLE.
    """
    context = command.make_context(command.name, [*words], parent, resilient_parsing=True)
    peeked = context.params
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    values = [peeked.get(p.name) for p in arguments if p.type.name == "path"]
    paths = [each for value in values for each in (value if is_list(value) else [value])]
    found = nearest(next((Path(each) for each in paths if each not in (None, "-")), Path()))
    if found is None:
        return {}
    path, document = found
    try:
        _check_keys(document)
        options = _options(command, document, path.parent)
    except FormatError as error:
        raise error.at(path=shown_path(path)) from None
    return options


def is_list(value: object) -> bool:
    """Return whether a value is a list of values."""
    return isinstance(value, list | tuple)


def known_keys(table: str) -> tuple[str, ...]:
    """Return the keys of the table of a command, or for "" those outside of tables."""
    own = KEYS[table] if table else tuple(KEYS)
    return own if table == "lsp" else (*own, *READING)


def nearest(path: Path) -> tuple[Path, dict[str, Any]] | None:
    """Return the nearest file with options for a file or folder, and what it contains."""
    start = Path(os.path.abspath(path))  # noqa: PTH100 (resolve would follow links)
    for folder in (start, *start.parents):
        for file in (folder / name for name in NAMES):
            if not os.path.isfile(file):  # noqa: PTH113 (Path.is_file raises for some folders)
                continue
            try:
                check_readable(file)
            except FileError:  # a server that reads one folder only
                return None
            document = _read(file)
            if document is not None:
                return file, document
    return None


def _read(path: Path) -> dict[str, Any] | None:
    """Return the options in a file; None for a project without any."""
    import tomllib

    try:
        document = tomllib.loads(as_text(read_bytes(path, MOST_BYTES)))
    except FormatError as error:
        raise error.at(path=shown_path(path)) from None
    except (ValueError, RecursionError) as error:
        raise FormatError(f"invalid TOML: {error}", path=shown_path(path)) from None
    if path.name == NAMES[0]:
        return document
    tools = document.get("tool")
    options = tools.get("irenic") if isinstance(tools, dict) else None
    if options is not None and not isinstance(options, dict):
        raise FormatError(f"tool.irenic must be a table, got {options!r}", path=shown_path(path))
    return options


def shown_path(path: Path) -> str:
    """Return a path from the current folder, if this is shorter."""
    try:
        return min(os.path.relpath(path), str(path), key=len)
    except ValueError:  # on another drive of Windows
        return str(path)


def _check_keys(document: Mapping[str, Any]) -> None:
    """Raise an error for the first key that no command knows, and for a table that is none."""
    tables = {"": document} | {name: document[name] for name in KEYS if name in document}
    for name, table in tables.items():
        if not isinstance(table, dict):
            raise FormatError(f"{name} must be a table, got {table!r}")
        for key in table:
            if key not in known_keys(name) and (name or key != TABLES):
                homes = [f"[{other}]" for other in KEYS if not name and key in KEYS[other]]
                hint = f"; write it in {' or '.join(homes)}" if homes else ""
                where = f"{name}.{key}" if name else key
                raise FormatError(
                    f"unknown key {where}{hint or did_you_mean(key, known_keys(name))}"
                )
    _check_roles(document.get(TABLES, {}))


def _check_roles(tables: Any) -> None:
    """Raise an error if the roles of columns are not roles, in a table per file."""
    from irenic.formats.sheets.roles import as_roles

    if not isinstance(tables, dict):
        raise FormatError(f"{TABLES} must be a table, got {tables!r}")
    for path, roles in tables.items():
        where = f"{TABLES}.{json.dumps(path, ensure_ascii=False)}"
        if not isinstance(roles, dict):
            raise FormatError(f"{where} must be a table of columns and roles, got {roles!r}")
        try:
            as_roles(roles=roles)
        except FormatError as error:
            raise FormatError(f"{where}: {error.message}") from None


def table_key(folder: Path, path: Path) -> str:
    """Return the name of a table in a file of options: its path from there, on all systems."""
    return Path(os.path.relpath(path, folder)).as_posix()


def _options(command: Any, document: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    own = document.get(command.name, {})
    options = {}
    for param in command.params:
        key = param.opts[0].removeprefix("--")
        reads = key in READING and param.rich_help_panel  # learn has other options of these names
        if key in own and key in known_keys(command.name):
            options[param.name] = _value(param, own[key], f"{command.name}.{key}", folder)
        elif key in document and reads:
            options[param.name] = _value(param, document[key], key, folder)
        elif param.name == "roles" and document.get(TABLES):
            options[param.name] = [
                f"{shown_path(folder / path)}::{name}={role}"
                for path, roles in document[TABLES].items()
                for name, role in roles.items()
            ]
    return options


def _value(param: Any, value: Any, key: str, folder: Path) -> Any:
    """Return a value of a file as the option takes it."""
    kinds, expected = _TYPES.get(param.type.name, (str, "text"))
    several = param.multiple or param.name == "fail_on"
    values = value if several and is_list(value) else [value]
    fits = all(isinstance(v, kinds) and isinstance(v, bool) == (kinds is bool) for v in values)
    if several != is_list(value) or not fits:
        expected = f"a list of {expected}s" if several else expected
        raise FormatError(f"{key} must be {expected}, got {json.dumps(value, default=str)}")
    if param.type.name == "path":
        value = shown_path(folder / value)
    if several and not param.multiple:
        value = ",".join(value)
    try:
        param.type_cast_value(None, value)
    except typer.BadParameter as error:
        raise FormatError(f"{key}: {error.message}") from None
    _check_names(param.name, value)
    return value


def _check_names(name: str, value: Any) -> None:
    """Raise an error for a kind of finding or a hit policy that does not exist."""
    if name == "fail_on":
        from irenic.cli.checking import kinds_named

        kinds_named(value)
    elif name == "hit_policy":
        from irenic.cli.reading import as_policy

        as_policy(value)
