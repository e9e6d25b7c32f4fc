"""Rules from files of any format; the suffix says in which."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from irenic.errors import FormatError, FormatWarning, did_you_mean
from irenic.formats import text as text_rules
from irenic.formats.json import rules as json_rules
from irenic.formats.tables.read_tables import ReadTables
from irenic.frames.files import MOST_BYTES, as_text, read_bytes
from irenic.model.decision_table import DecisionTable, HitPolicy
from irenic.model.rulelist import RuleList
from irenic.model.ruleset import RuleSet
from irenic.model.space import Space

_TEXT: Final = (".rules", ".txt")
_DMN: Final = (".dmn", ".xml")
SUFFIXES: Final = (".csv", ".dmn", ".json", ".rules", ".txt", ".xlsx", ".xml")
"""What files of rules end in."""


def read_tables(
    path: str | os.PathLike[str],
    *,
    space: Space | None = None,
    target: str | None = None,
    ignore: str | Sequence[str] = (),
    hit_policy: HitPolicy | None = None,
) -> ReadTables:
    """Return every table of rules that a file holds, and what could not be read of it.

    A mistake in one table does not keep the others from being read: ``tables`` are those that
    are whole, ``errors`` says what is wrong with the rest and where. ``warnings`` says what was
    read but may mean something else; each is a :class:`FormatWarning`, too.

    Parameters
    ----------
    path : path
        A decision table (``.csv``; ``.xlsx``, a table a sheet), a DMN model (``.dmn`` or
        ``.xml``), or rules as ``.json``, ``.txt`` or ``.rules``.
    space : Space, optional
        The space of the rules, instead of the one that the file tells of.
    target : str, optional
        The column of outcomes of a ``.csv`` or ``.xlsx`` file; the last by default.
    ignore : str or sequence of str, optional
        Columns of a ``.csv`` or ``.xlsx`` file to leave out: neither conditions nor outcomes, such
        as numbers of rows and comments.
    hit_policy : str, optional
        What the tables mean where several rows hold, instead of what the file says.

    Examples
    --------
    >>> import irenic, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "fares.csv"
    >>> _ = path.write_text('age,fare\\n"< 18, >= 60",reduced\\n[18..60),full\\n')
    >>> found = irenic.read_tables(path)
    >>> found.tables, found.errors
    ([<DecisionTable 'fares': 2 rows, 1 feature>], [])
    >>> found.tables[0].rules
    <RuleSet: 3 rules, 1 feature>
      1. IF age < 18 THEN reduced
      2. IF age >= 60 THEN reduced
      3. IF 18 <= age < 60 THEN full
    """
    found = _read_tables(Path(path), space, target, ignore, hit_policy)
    _warn(found)
    return found


def _warn(found: ReadTables) -> None:
    for told in found.warnings:
        warnings.warn(str(told), FormatWarning, stacklevel=3)


def _read_tables(
    path: Path,
    space: Space | None,
    target: str | None,
    ignore: str | Sequence[str],
    hit_policy: HitPolicy | None,
) -> ReadTables:
    suffix = path.suffix.lower()
    # perhaps a folder was meant; Path.exists raises where a folder above may not be entered
    if not suffix and not os.path.exists(path):  # noqa: PTH110
        read_bytes(path)  # raises
    if suffix not in SUFFIXES:
        hint = did_you_mean(suffix, SUFFIXES)
        raise FormatError(f"no format for files that end in {suffix!r}{hint}", path=str(path))
    raw = read_bytes(path, MOST_BYTES if holds_several(path) else None)
    try:
        found = _loads(raw, path, suffix, space, target, ignore)
    except FormatError as error:
        raise error.at(path=str(path)) from None
    tables = found.tables
    if hit_policy is not None:
        tables = [table.under(hit_policy) for table in tables]
    errors, told = (
        [one.at(path=str(path)) for one in some] for some in (found.errors, found.warnings)
    )
    return ReadTables(tables, errors, told, found.imports)


def _loads(
    raw: bytes,
    path: Path,
    suffix: str,
    space: Space | None,
    target: str | None,
    ignore: str | Sequence[str],
) -> ReadTables:
    _check_content(raw, suffix)
    # each reader is imported when it is needed: openpyxl and XML are for few
    if suffix == ".csv":
        from irenic.formats.sheets import rules as table_rules

        return table_rules.loads_csv(raw, target=target, ignore=ignore, space=space, name=path.stem)
    if suffix == ".xlsx":
        from irenic.formats.sheets import rules as table_rules

        return table_rules.loads_xlsx(raw, target=target, ignore=ignore, space=space)
    if suffix in _DMN:
        from irenic.formats.dmn import reading as dmn

        return dmn.loads(raw, path=path, space=space)
    text = as_text(raw).replace("\r\n", "\n").replace("\r", "\n")
    if suffix in _TEXT:
        parsed = text_rules.parse(text, space)
        if parsed.rules is None:
            return ReadTables([], parsed.errors)
        n = len(parsed.rules)
        return ReadTables([DecisionTable(parsed.rules, tuple(range(n)), n, lines=parsed.lines)], [])
    return ReadTables([DecisionTable.of(json_rules.loads(text, space))], [])


def _check_content(raw: bytes, suffix: str) -> None:
    """Refuse a file that is plainly of another kind than its name says."""
    if suffix != ".xlsx" and raw.startswith(b"PK\x03\x04"):
        raise FormatError("this is a workbook, or another zip archive; workbooks end in .xlsx")
    begin = raw[:100].lstrip(b"\xef\xbb\xbf \t\r\n")
    if suffix not in _DMN and begin.startswith((b"<?xml", b"<definitions")):
        raise FormatError("this is XML; models of DMN end in .dmn")


def holds_several(path: str | os.PathLike[str]) -> bool:
    """Return whether files of this kind can hold several decision tables.

    >>> holds_several("fares.xlsx"), holds_several("fares.json")
    (True, False)
    """
    return Path(path).suffix.lower() not in (".json", *_TEXT)


def read(
    path: str | os.PathLike[str],
    *,
    space: Space | None = None,
    table: str | None = None,
    target: str | None = None,
    ignore: str | Sequence[str] = (),
    hit_policy: HitPolicy | None = None,
) -> RuleSet | RuleList:
    """Return the rules that a file holds; the suffix says in which format.

    Parameters
    ----------
    path : path
        ``.json``, ``.txt`` or ``.rules`` for text, one rule a line, ``.csv`` or ``.xlsx`` for a
        decision table, ``.dmn`` or ``.xml`` for DMN.
    space : Space, optional
        The space of the rules, instead of the one that the file holds or that is inferred from
        its tests.
    table : str, optional
        Which table, by its name or id, where the file holds several.
    target, ignore, hit_policy : optional
        As for :func:`read_tables`.

    Returns
    -------
    RuleSet or RuleList
        A list where the order decides: a table under FIRST or PRIORITY. :func:`read_tables` tells
        more: hit policies, names, and which row each rule comes from.

    Examples
    --------
    >>> import irenic, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "ages.rules"
    >>> _ = path.write_text("IF age < 10 THEN child\\nIF age >= 10 THEN adult\\n")
    >>> irenic.read(path)
    <RuleSet: 2 rules, 1 feature>
      1. IF age < 10 THEN child
      2. IF age >= 10 THEN adult
    """
    found = _read_tables(Path(path), space, target, ignore, hit_policy)
    _warn(found)
    chosen = the_table(found, path, table)
    for row in chosen.never_hold:
        warnings.warn(f"{path}: {chosen.say_never(row)}", FormatWarning, stacklevel=2)
    return chosen.as_rules()


def the_table(
    found: ReadTables, path: str | os.PathLike[str], name: str | None = None
) -> DecisionTable:
    """Return the only table of a file, or the one with a given name; refuse a file with errors.

    >>> the_table(ReadTables([DecisionTable.of(RuleSet([]))], []), "empty.json")
    <DecisionTable '': 0 rows, 0 features>
    """
    tables = found.tables
    if name is not None:
        tables = [table for table in tables if name in (table.name, table.id)]
        if not tables and not found.errors:
            named = [table.name for table in found.tables if table.name]
            hint = did_you_mean(name, named) if named else "; its one table has no name"
            raise FormatError(f"there is no table {name!r}{hint}", path=str(path))
    if found.errors and (name is None or not tables):
        raise found.errors[0]
    if len(tables) == 1:
        return tables[0]
    if not tables:
        raise FormatError("there is no table of rules in it", path=str(path))
    names = ", ".join(repr(table.name) for table in tables[:8])
    raise FormatError(
        f"there are {len(tables)} tables in it ({names}{', …' if len(tables) > 8 else ''});"
        " say which (table=…, --table …), or read them all with irenic.read_tables",
        path=str(path),
    )
