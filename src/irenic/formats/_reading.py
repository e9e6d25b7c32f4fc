"""Read rules from files, file objects and text in any format."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeGuard

from irenic.errors import ConditionError, FileError, FormatError, did_you_mean
from irenic.formats import text as text_rules
from irenic.formats.json import rules as json_rules
from irenic.formats.parsed import Parsed, no_collections
from irenic.frames.files import (
    MOST_BYTES,
    File,
    as_bytes,
    as_text,
    format_of,
    is_stream,
    name_of,
    read_bytes,
)
from irenic.model.decision_table import HIT_POLICIES, HitPolicy
from irenic.model.rulelist import RuleList
from irenic.model.ruleset import RuleSet
from irenic.model.space import Space

if TYPE_CHECKING:
    from irenic.learn import RuleClassifier

READ: Final = ("csv", "dmn", "json", "md", "ods", "rules", "tsv", "txt", "xlsm", "xlsx", "xml")
"""The formats that can be read, named after the suffixes of their files."""
_SAME: Final = {"txt": "rules", "xml": "dmn"}
_TEXTS: Final = ("csv", "json", "md", "rules", "tsv")
_ZIPPED: Final = ("ods", "xlsm", "xlsx")


def parse(
    source: File | bytes,
    *,
    format: str | None = None,
    target: str | Sequence[str] | None = None,
    ignore: str | Sequence[str] = (),
    hit_policy: HitPolicy | None = None,
    encoding: str | None = None,
    locale: str | None = None,
    sheet: str | None = None,
    cells: str | None = None,
    header_row: int | None = None,
    cross: str | None = None,
    roles: Mapping[str, str] | None = None,
    name: str | None = None,
) -> Parsed:
    """Parse a source of rules without binding it to a space.

    The source is read once. ``errors`` of the result lists everything that is wrong with the
    content, with locations, and ``warnings`` what may have been meant differently.
    ``parse(source).bind()`` returns the decision tables.

    Parameters
    ----------
    source : path, file object, str or bytes
        A str without a line break is a path, one with a line break is the rules themselves. Bytes
        are the content of a file. :func:`loads` takes only content, including a single line.
    format : str, optional
        ``"csv"`` or ``"tsv"``, ``"xlsx"``, ``"xlsm"`` or ``"ods"`` (one decision table per sheet),
        ``"md"`` (the tables of a Markdown text), ``"dmn"`` or ``"xml"`` (a DMN model), ``"json"``,
        ``"rules"`` or ``"txt"`` (one rule per line). Default: the suffix of the file name; required
        if there is no name.
    target : str or sequence of str, optional
        Columns of outcomes in a csv or xlsx source (default: the columns with names such as
        ``Outcome`` or ``Result 1``, else the last column that is not a note).
    ignore : str or sequence of str, optional
        Columns of a csv or xlsx source that are neither conditions nor outcomes, such as row
        numbers and comments.
    hit_policy : str, optional
        What happens if several rows apply, instead of the hit policy in the source.
    encoding : str, optional
        The encoding of a text file, such as ``"cp1252"`` (default: UTF-8).
    locale : str, optional
        Language, such as ``"de"`` or ``"en-US"``, of numbers (``1.000``) and dates (``01/02/2026``)
        in a csv or xlsx source. Default: what its cells show.
    sheet : str, optional
        The only sheet of an xlsx source to read (default: all).
    cells : str, optional
        The part of the sheets of a csv or xlsx source that contains the table, such as
        ``"A3:D20"``; columns of csv have letters, too.
    header_row : int, optional
        The line of a csv or xlsx source that names the columns, counted from 1 (default: the first
        line with several cells).
    cross : str, optional
        Reads csv and xlsx sources as cross tables: the first column is a condition with the name
        above it, the other names in the header are values of the condition ``cross``, and the
        cells are outcomes.
    roles : mapping of str to str, optional
        What columns of a csv or xlsx source are, by name, where its cells do not show it:
        ``"condition"``, ``"outcome"``, ``"note"`` (not read), a bound of a feature such as
        ``"age >="``, ``"from"`` or ``"up to"`` (the bound of a step), or ``"value of zone"`` (a
        column of a cross table). ``target`` and ``ignore`` are short forms.
    name : str, optional
        The name of the source in messages and tables (default: its path).

    Returns
    -------
    Parsed

    Raises
    ------
    FileError
        If the source cannot be read.
    FormatError
        If its format is unknown, or it is too large.
    ConditionError
        If the hit policy is unknown.

    Examples
    --------
    >>> import irenic, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "fares.csv"
    >>> _ = path.write_text('age,fare\\n"< 18, >= 60",reduced\\n[18..60),full\\n')
    >>> parsed = irenic.parse(path)
    >>> parsed.errors, parsed.space().names
    ([], ('age',))
    >>> parsed.bind().tables
    [<DecisionTable 'fares': 2 rows, 1 feature>]
    >>> irenic.parse("IF age < 18 THEN free\\nDEFAULT full\\n", format="rules").bind().table().rules
    <RuleSet: 1 rule, 1 feature>
      1. IF age < 18 THEN free
      DEFAULT full
    """
    content = source if _is_content(source) else None
    if name is None:
        name = "" if content is not None else name_of(source)  # type: ignore[arg-type]
    if content is None and format is None and not is_stream(source):
        _check_path(source)  # type: ignore[arg-type]
    form = format_of(name, format, READ)
    form = _SAME.get(form, form)
    if hit_policy is not None and hit_policy not in HIT_POLICIES:
        hint = did_you_mean(hit_policy, HIT_POLICIES)
        raise ConditionError(f"unknown hit policy {hit_policy!r}{hint}")
    file: Any = source if content is None else io.BytesIO(as_bytes(content))
    raw = read_bytes(file, MOST_BYTES)
    path = None if is_stream(file) else Path(file)
    how = {
        "target": target,
        "ignore": ignore,
        "locale": locale,
        "cells": cells or "",
        "header_row": header_row,
        "cross": cross or "",
        "roles": roles,
    }

    def again(raw: bytes) -> Parsed:
        try:
            with no_collections():
                decoded = _decoded(raw, form, encoding)
                parsed = _parse(decoded, form, path, Path(name).stem, sheet, how)
        except FormatError as error:
            parsed = Parsed(form, failures=[error])
        parsed = replace(parsed, name=name, hit_policy=hit_policy, encoding=encoding or "")
        if parsed.decisions is not None:
            parsed.decisions.hit_policy = hit_policy
        return replace(parsed, content=raw, again=again)

    return again(raw)


def _is_content(source: object) -> TypeGuard[str | bytes]:
    return isinstance(source, bytes) or (isinstance(source, str) and "\n" in source)


def _check_path(path: str | os.PathLike[str]) -> None:
    """Reject a path that has no known suffix and does not exist; it may be meant as rules."""
    # Path.exists raises if a parent folder may not be entered
    if Path(path).suffix[1:].lower() in READ or os.path.exists(path):  # noqa: PTH110
        return
    if isinstance(path, str):
        try:
            read_bytes(path)
        except FileError as error:
            raise FileError(
                f"{error}; a str without a line break is a path, use irenic.loads(text, format=…)"
                " for the rules themselves"
            ) from None
    elif not Path(path).suffix:
        read_bytes(path)  # raises


def _parse(
    raw: bytes,
    form: str,
    path: Path | None,
    stem: str,
    sheet: str | None,
    how: dict[str, Any],
) -> Parsed:
    _check_content(raw, form)
    # readers are imported when they are needed, because most sources need neither openpyxl nor XML
    if form in ("csv", "tsv"):
        from irenic.formats.sheets import rules as sheets

        if form == "tsv":
            from irenic.formats.sheets import converting

            raw = converting.tsv_as_csv(raw)
        parsed = sheets.parse_csv(raw, name=stem, converted=form == "tsv", **how)
        return replace(parsed, format=form)
    if form == "md":
        return _parse_markdown(as_text(raw), stem, how)
    if form in _ZIPPED:
        return _parse_workbook(raw, form, sheet, how)
    if form == "dmn":
        from irenic.formats.dmn import reading as dmn

        return dmn.parse_dmn(raw, path=path)
    text = as_text(raw).replace("\r\n", "\n").replace("\r", "\n")
    return text_rules.parse(text) if form == "rules" else json_rules.parse(text)


def _decoded(raw: bytes, form: str, encoding: str | None) -> bytes:
    """Return a text file as UTF-8 or UTF-16; other files are returned unchanged."""
    if form not in _TEXTS or _is_binary(raw):
        if encoding is not None and form not in _TEXTS:
            raise FormatError(f"encoding is for text files, not for .{form} files")
        return raw
    if encoding is not None:
        try:
            return raw.decode(encoding).removeprefix("\ufeff").encode("utf-8")
        except LookupError:
            raise FormatError(f"unknown encoding {encoding!r}; use utf-8, cp1252, …") from None
        except UnicodeError as error:
            raise FormatError(f"not {encoding} text: {error}") from None
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        return raw
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise FormatError(
            f"not UTF-8 text (byte {error.start}); save it as UTF-8, or name its encoding"
            " (--encoding cp1252)",
            line=raw.count(b"\n", 0, error.start) + 1,
        ) from None
    return raw


def _is_binary(raw: bytes) -> bool:
    return raw.startswith(b"PK\x03\x04")


def _parse_markdown(text: str, stem: str, how: dict[str, Any]) -> Parsed:
    """Return the tables of a Markdown text, named after their headings."""
    from irenic.formats.sheets import converting
    from irenic.formats.sheets import rules as sheets

    found = converting.markdown_as_csv(text)
    if not found:
        raise FormatError("the text contains no table; its header needs a line of dashes below")
    names: list[str] = []
    for heading, _ in found:
        name, number = heading or stem, 1
        while name in names:
            number += 1
            name = f"{heading or stem} {number}"
        names.append(name)
    parts = [
        sheets.parse_csv(raw, name=name, converted=True, **how)
        for name, (_, raw) in zip(names, found, strict=True)
    ]
    drafts = [draft for part in parts for draft in part.drafts]
    notes = [note for part in parts for note in part.notes]
    return replace(parts[0], format="md", drafts=drafts, notes=notes)


def _parse_workbook(raw: bytes, form: str, sheet: str | None, how: dict[str, Any]) -> Parsed:
    from irenic.formats.sheets import converting
    from irenic.formats.sheets import rules as sheets

    convert = converting.ods_as_xlsx if form == "ods" else converting.with_cached_values
    book = convert(raw)
    parsed = sheets.parse_xlsx(book.raw, sheet=sheet, **how)
    notes = [*parsed.notes]
    if book.formulas:
        verb = "formula was" if book.formulas == 1 else "formulas were"
        notes.append(
            FormatError(f"{book.formulas:,} {verb} not computed; its value in the file counts")
        )
    return replace(parsed, format=form, notes=notes)


def _check_content(raw: bytes, form: str) -> None:
    """Reject a file whose content is clearly in another format."""
    if form not in _ZIPPED and raw.startswith(b"PK\x03\x04"):
        raise FormatError(
            f"the content must be {form}, got a zip archive; if it is a workbook, use the suffix"
            ' .xlsx or format="xlsx"'
        )
    begin = raw[:100].lstrip(b"\xef\xbb\xbf \t\r\n")
    if form != "dmn" and begin.startswith((b"<?xml", b"<definitions")):
        raise FormatError(
            f"the content must be {form}, got XML; if it is a DMN model, use the suffix .dmn or"
            ' format="dmn"'
        )


def read(
    source: File | bytes,
    *,
    format: str | None = None,
    space: Space | None = None,
    table: str | None = None,
    target: str | Sequence[str] | None = None,
    ignore: str | Sequence[str] = (),
    hit_policy: HitPolicy | None = None,
    encoding: str | None = None,
    locale: str | None = None,
    sheet: str | None = None,
    cells: str | None = None,
    header_row: int | None = None,
    cross: str | None = None,
    roles: Mapping[str, str] | None = None,
    name: str | None = None,
) -> RuleSet | RuleList:
    """Return the rules of one table: ``parse(source).bind(space).table(table)`` as rules.

    Parameters
    ----------
    source, format, target, ignore, hit_policy, encoding
        As for :func:`parse`.
    locale, sheet, cells, header_row, cross, roles, name
        As for :func:`parse`.
    space : Space, optional
        The space of the rules, instead of the one that the source declares or that is inferred
        from its conditions.
    table : str, optional
        Name or id of the table, if the source contains several.

    Returns
    -------
    RuleSet or RuleList
        A list if the order decides: a table under FIRST or PRIORITY. Use :func:`parse` for the
        table itself, with its hit policy, its name and the row of each rule.

    Raises
    ------
    FileError
        If the source cannot be read.
    FormatError
        If the source has errors; :func:`parse` lists all of them.

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
    parsed = parse(
        source,
        format=format,
        target=target,
        ignore=ignore,
        hit_policy=hit_policy,
        encoding=encoding,
        locale=locale,
        sheet=sheet,
        cells=cells,
        header_row=header_row,
        cross=cross,
        roles=roles,
        name=name,
    )
    return parsed._rules(space, table)


def loads(
    text: str | bytes,
    *,
    format: str,
    space: Space | None = None,
    table: str | None = None,
    target: str | Sequence[str] | None = None,
    ignore: str | Sequence[str] = (),
    hit_policy: HitPolicy | None = None,
    encoding: str | None = None,
    locale: str | None = None,
    sheet: str | None = None,
    cells: str | None = None,
    header_row: int | None = None,
    cross: str | None = None,
    roles: Mapping[str, str] | None = None,
    name: str | None = None,
) -> RuleSet | RuleList:
    """Return the rules in a text, or in the content of a file as bytes.

    Parameters
    ----------
    text : str or bytes
    format, space, table, target, ignore, hit_policy, encoding
        As for :func:`read`.
    locale, sheet, cells, header_row, cross, roles, name
        As for :func:`read`.

    Returns
    -------
    RuleSet or RuleList

    Raises
    ------
    FormatError
        If there is an error in the text.

    Examples
    --------
    >>> import irenic
    >>> irenic.loads("IF age < 10 THEN child", format="rules")
    <RuleSet: 1 rule, 1 feature>
      1. IF age < 10 THEN child
    """
    if not isinstance(text, str | bytes):
        raise FormatError(
            f"text must be str or bytes, got {type(text).__name__}; use irenic.read for paths and"
            " file objects"
        )
    parsed = parse(
        as_bytes(text),
        format=format,
        target=target,
        ignore=ignore,
        hit_policy=hit_policy,
        encoding=encoding,
        locale=locale,
        sheet=sheet,
        cells=cells,
        header_row=header_row,
        cross=cross,
        roles=roles,
        name=name,
    )
    return parsed._rules(space, table)


def read_model(source: File | bytes) -> RuleClassifier:
    """Return the fitted classifier that :func:`write` wrote as JSON.

    It predicts and explains exactly as the original; its certificate is checked again.

    Parameters
    ----------
    source : path, file object, str or bytes
        As for :func:`parse`; the format is JSON.

    Returns
    -------
    RuleSetClassifier, or MichiganClassifier or PittsburghClassifier of irenic.systems
        The class that was written.

    Raises
    ------
    FileError
        If the source cannot be read.
    FormatError
        If the source contains no model, or has errors.

    Examples
    --------
    >>> import irenic, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.json"
    >>> clf = irenic.RuleSetClassifier(generations=1, moves=50, random_state=0)
    >>> X = [[age] for age in range(40)]
    >>> irenic.write(clf.fit(X, [age >= 18 for age in range(40)]), path)
    >>> irenic.read_model(path).predict([[17], [18]])
    array([False,  True])
    >>> irenic.read(path) == clf.rules_
    True
    """
    if _is_content(source) or is_stream(source):
        return parse(source, format="json").model()
    path = Path(source)  # type: ignore[arg-type]
    if path.suffix.lower() != ".json":
        raise FormatError(f"a model must be a .json file, got {path.name!r}", path=str(path))
    return parse(path).model()
