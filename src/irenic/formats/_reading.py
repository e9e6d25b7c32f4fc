"""Rules from files, file objects and texts of any format."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeGuard

from irenic.errors import ConditionError, FileError, FormatError, did_you_mean
from irenic.formats import text as text_rules
from irenic.formats.json import rules as json_rules
from irenic.formats.parsed import Parsed
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
    from irenic.learn import RuleSetClassifier

READ: Final = ("csv", "dmn", "json", "rules", "txt", "xlsx", "xml")
"""The formats that rules are read from, named after the suffixes of their files."""
_SAME: Final = {"txt": "rules", "xml": "dmn"}
_LIMITED: Final = ("csv", "dmn", "xlsx")


def parse(
    source: File | bytes,
    *,
    format: str | None = None,
    target: str | None = None,
    ignore: str | Sequence[str] = (),
    hit_policy: HitPolicy | None = None,
    name: str | None = None,
) -> Parsed:
    """Return what a source of rules says, before it is held against a space.

    The source is read once. Everything wrong with its content is in ``errors`` of the result, with
    its location; what may be misread is in ``warnings``. ``parse(source).bind()`` makes decision
    tables.

    Parameters
    ----------
    source : path, file object, str or bytes
        A path object is a path. So is a str without a line break; a str with a line break is rules
        as text, since no path has one. Bytes are the content of a file. :func:`loads` takes content
        only, of one line too.
    format : str, optional
        ``"csv"``, ``"xlsx"`` (one decision table per sheet), ``"dmn"`` or ``"xml"`` (a DMN model),
        ``"json"``, ``"rules"`` or ``"txt"`` (one rule per line). By default what the suffix of the
        file name says; required where there is no name.
    target : str, optional
        Column of outcomes in a csv or xlsx source (default: the last).
    ignore : str or sequence of str, optional
        Columns of a csv or xlsx source that are neither conditions nor outcomes, such as row
        numbers and comments.
    hit_policy : str, optional
        What the tables mean where several rows hold, instead of what the source says.
    name : str, optional
        What messages and tables are named after, instead of the path.

    Returns
    -------
    Parsed

    Raises
    ------
    FileError
        If the source cannot be read.
    FormatError
        If its format is not known, or it is too large.

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
    raw = read_bytes(file, MOST_BYTES if form in _LIMITED else None)
    path = None if is_stream(file) else Path(file)
    try:
        parsed = _parse(raw, form, path, Path(name).stem, target, ignore)
    except FormatError as error:
        parsed = Parsed(form, failures=[error])
    return replace(parsed, name=name, hit_policy=hit_policy)


def _is_content(source: object) -> TypeGuard[str | bytes]:
    return isinstance(source, bytes) or (isinstance(source, str) and "\n" in source)


def _check_path(path: str | os.PathLike[str]) -> None:
    """Refuse a path of no format and no file: perhaps a folder was meant, or rules as text."""
    # Path.exists raises where a folder above may not be entered
    if Path(path).suffix[1:].lower() in READ or os.path.exists(path):  # noqa: PTH110
        return
    if isinstance(path, str):
        try:
            read_bytes(path)
        except FileError as error:
            raise FileError(
                f"{error}; a str without a line break is a path, and irenic.loads(text, format=…)"
                " reads rules as text"
            ) from None
    elif not Path(path).suffix:
        read_bytes(path)  # raises


def _parse(
    raw: bytes,
    form: str,
    path: Path | None,
    stem: str,
    target: str | None,
    ignore: str | Sequence[str],
) -> Parsed:
    _check_content(raw, form)
    # each reader is imported when it is needed: openpyxl and XML are for few
    if form == "csv":
        from irenic.formats.sheets import rules as sheets

        return sheets.parse_csv(raw, target=target, ignore=ignore, name=stem)
    if form == "xlsx":
        from irenic.formats.sheets import rules as sheets

        return sheets.parse_xlsx(raw, target=target, ignore=ignore)
    if form == "dmn":
        from irenic.formats.dmn import reading as dmn

        return dmn.parse_dmn(raw, path=path)
    text = as_text(raw).replace("\r\n", "\n").replace("\r", "\n")
    return text_rules.parse(text) if form == "rules" else json_rules.parse(text)


def _check_content(raw: bytes, form: str) -> None:
    """Refuse a file that is plainly of another kind than its name says."""
    if form != "xlsx" and raw.startswith(b"PK\x03\x04"):
        raise FormatError("this is a workbook, or another zip archive; workbooks end in .xlsx")
    begin = raw[:100].lstrip(b"\xef\xbb\xbf \t\r\n")
    if form != "dmn" and begin.startswith((b"<?xml", b"<definitions")):
        raise FormatError("this is XML; models of DMN end in .dmn")


def read(
    source: File | bytes,
    *,
    format: str | None = None,
    space: Space | None = None,
    table: str | None = None,
    target: str | None = None,
    ignore: str | Sequence[str] = (),
    hit_policy: HitPolicy | None = None,
) -> RuleSet | RuleList:
    """Return the rules of one table: ``parse(source).bind(space).table(table)`` as rules.

    Parameters
    ----------
    source, format, target, ignore, hit_policy
        As for :func:`parse`.
    space : Space, optional
        The space of the rules, instead of the one that the source declares or that is inferred
        from its tests.
    table : str, optional
        Which table, by its name or id, where the source holds several.

    Returns
    -------
    RuleSet or RuleList
        A list where the order decides: a table under FIRST or PRIORITY. A table says more: its
        hit policy, its name, and which row each rule comes from.

    Raises
    ------
    FileError
        If the source cannot be read.
    FormatError
        If there is an error in it; :func:`parse` gives all of them.

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
    parsed = parse(source, format=format, target=target, ignore=ignore, hit_policy=hit_policy)
    return parsed._rules(space, table)


def loads(
    text: str | bytes,
    *,
    format: str,
    space: Space | None = None,
    table: str | None = None,
    target: str | None = None,
    ignore: str | Sequence[str] = (),
    hit_policy: HitPolicy | None = None,
) -> RuleSet | RuleList:
    """Return the rules that a text holds, or the content of a file as bytes.

    Parameters
    ----------
    text : str or bytes
    format, space, table, target, ignore, hit_policy
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
            f"text must be str or bytes, got {type(text).__name__}; irenic.read takes paths and"
            " file objects"
        )
    parsed = parse(
        as_bytes(text), format=format, target=target, ignore=ignore, hit_policy=hit_policy
    )
    return parsed._rules(space, table)


def read_model(source: File | bytes) -> RuleSetClassifier:
    """Return the fitted classifier that :func:`write` wrote as JSON.

    It predicts, explains and selects exactly as the one that was written did; its certificate is
    checked anew.

    Parameters
    ----------
    source : path, file object, str or bytes
        As for :func:`parse`; the format is JSON.

    Returns
    -------
    RuleSetClassifier

    Raises
    ------
    FileError
        If the source cannot be read.
    FormatError
        If it holds no model.

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
        raise FormatError("a model is read from a .json file", path=str(path))
    return parse(path).model()
