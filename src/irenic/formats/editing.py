"""Change the rows of a table in the file that contains it, and keep everything else."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import product
from typing import Final, TypeAlias

from irenic.errors import FormatError, IrenicError
from irenic.formats.parsed import Parsed, Tables
from irenic.formats.tables.drafts import TableDraft
from irenic.formats.tables.edits import Edits, NewLine, edits_between, edits_in_order
from irenic.formats.text import dumps
from irenic.model.condition import Operators
from irenic.model.decision_table import DecisionTable
from irenic.model.literals import format_literal
from irenic.model.notation import Written, comment_of, tokenize, written_rule
from irenic.model.region import Region
from irenic.model.rule import Rule
from irenic.model.ruleset import RuleSet

MARKS: Final = {
    **dict.fromkeys(("csv", "tsv", "xlsm", "xlsx"), "the column IRENIC NOTE"),
    "dmn": "the descriptions of rules",
    "rules": "the comments",
}
"""Where changed rows are explained, by the formats of files that can be edited."""
EDITED: Final = tuple(MARKS)
_BREAK: Final = re.compile(r"\r\n|\r|\n")


def edited(
    parsed: Parsed,
    before: DecisionTable,
    after: DecisionTable,
    notes: Mapping[int | Hashable, str] | None = None,
    *,
    command: str | None = "irenic",
) -> bytes:
    """Return the content of a file in which one table was changed.

    Only the cells that differ are written; all other bytes of the file (in workbooks: all other
    parts, and all other cells of the sheet) stay as they are. Changed rows are explained where
    :data:`MARKS` says. The result is read again, and refused if it does not mean what it should.

    Parameters
    ----------
    parsed : Parsed
        The source.
    before, after : DecisionTable
        A table of the source, and what it shall be.
    notes : mapping, optional
        The reasons for the changes, by the indices of old rows and the regions of added rules.
    command : str or None
        What begins each explanation. None for edits by hand, which are not explained: rows keep
        the order of ``after``, outcomes can change, and dropped rows are removed.

    Returns
    -------
    bytes

    Raises
    ------
    FormatError
        If the file cannot be edited.

    Examples
    --------
    >>> import irenic
    >>> from irenic.formats import edited
    >>> parsed = irenic.parse("IF age < 20 THEN A # young\\nIF age > 9 THEN B\\n", format="rules")
    >>> old = parsed.bind().table()
    >>> print(edited(parsed, old, irenic.repair(old).table).decode("utf-8-sig"))
    IF age < 20 THEN A # young
    # irenic: dropped: IF age > 9 THEN B
    <BLANKLINE>
    """
    if parsed.format not in EDITED or parsed.again is None:
        raise FormatError(f"a .{parsed.format} file cannot be edited", path=parsed.name)
    if after.hit_policy != before.hit_policy:
        raise FormatError(
            f"the table would need another hit policy than {before.hit_policy}", path=parsed.name
        )
    by_hand = command is None
    edits = edits_in_order(before, after) if by_hand else edits_between(before, after, notes)
    if not edits:
        return parsed.content
    try:
        content = _edited(parsed, before, edits, command or "")
        again, table = _read_again(parsed, content, before, after)
        lost = _content(after).keys() - _content(table).keys()
        if lost:
            # cells can mean something else without others: 0%-2% above 3%-9% ends below 3 %
            content = _edited(parsed, before, edits.restating(before, lost), command or "")
            again, table = _read_again(parsed, content, before, after)
        in_order = by_hand and after.hit_policy in ("FIRST", "RULE ORDER")
        position = index_of(parsed, before)
        _check(parsed.drafts[position], again.drafts[position], table, after, in_order=in_order)
        if parsed.format not in ("dmn", "rules"):
            _check_roles(parsed.drafts[position], again.drafts[position])
    except FormatError as error:
        raise FormatError(f"the file cannot be edited: {error.message}", path=parsed.name) from None
    return content


def _edited(parsed: Parsed, table: DecisionTable, edits: Edits, command: str) -> bytes:
    raw = parsed.content
    if parsed.encoding:
        text = raw.decode(parsed.encoding)
        plain = replace(parsed, content=text.encode("utf-8"), encoding="")
        try:
            return _edited(plain, table, edits, command).decode("utf-8").encode(parsed.encoding)
        except UnicodeEncodeError as error:
            raise FormatError(f"{parsed.encoding} has no {error.object[error.start]!r}") from None
    if parsed.format == "rules":
        return _edit_text(raw, table, edits, command)
    if parsed.format == "dmn":
        from irenic.formats.dmn.editing import edit_dmn

        index = index_of(parsed, table)
        inputs = [column.name for column in parsed.drafts[index].inputs]
        return edit_dmn(raw, table, edits, command, index=index, inputs=inputs)
    from irenic.formats.sheets.editing import edit_csv, edit_xlsx

    draft = parsed.drafts[index_of(parsed, table)]
    if parsed.format in ("csv", "tsv"):
        delimiter = "\t" if parsed.format == "tsv" else ""
        return edit_csv(raw, table, draft, edits, command, delimiter=delimiter)
    return edit_xlsx(raw, table, draft, edits, command)


def index_of(parsed: Parsed, table: DecisionTable) -> int:
    """Return the place of a table among those of the source."""
    if len(parsed.drafts) == 1:
        return 0
    names = [(draft.name, draft.id) for draft in parsed.drafts]
    if names.count((table.name, table.provenance.id)) != 1:
        raise FormatError(f"several tables have the name {table.name!r}")
    return names.index((table.name, table.provenance.id))


def _read_again(
    parsed: Parsed, content: bytes, before: DecisionTable, after: DecisionTable
) -> tuple[Parsed, DecisionTable]:
    """Return an edited file, and the table of it that was edited, as they are read."""
    assert parsed.again is not None
    again, position = parsed.again(content), index_of(parsed, before)
    for space in (None, after.space):
        part = again.assemble(again.drafts[position], space) if not again.failures else Tables()
        errors = [*again.failures, *part.errors]
        if part.tables and (part.tables[0].space == after.space):
            break
    if not part.tables:
        reason = f" ({errors[0].message})" if errors else ""
        raise FormatError(f"it would not be read as intended{reason}")
    return again, part.tables[0]


def _check(
    before: TableDraft,
    again: TableDraft,
    table: DecisionTable,
    after: DecisionTable,
    *,
    in_order: bool,
) -> None:
    """Raise an error if an edited file does not contain the rules that it should."""
    policies = [getattr(draft, "hit_policy", None) for draft in (before, again)]
    same = table.rules.default == after.rules.default and policies[0] == policies[1]
    if not same or _content(table) != _content(after):
        raise FormatError("it would not be read as intended")
    if in_order and [*map(_rule_key, table.rules)] != [*map(_rule_key, after.rules)]:
        raise FormatError(
            "its rows would not be in the intended order, which decides; rows can be changed here,"
            " but not be inserted or moved"
        )


def _check_roles(before: TableDraft, after: TableDraft) -> None:
    """Raise an error if a column of an edited sheet would be read as something else."""
    roles = [{c.name: c.bound for c in draft.inputs} for draft in (before, after)]
    for name, role in roles[0].items():
        if roles[1].get(name) != role:
            raise FormatError(f"column {name!r} would no longer be read as it was")
    if before.outputs != after.outputs or dict(before.declared) != dict(after.declared):
        raise FormatError("its outcomes or declarations would no longer be read as they were")


def _content(table: DecisionTable) -> dict[tuple[Region, Hashable, float], int]:
    content: dict[tuple[Region, Hashable, float], int] = {}
    for key in map(_rule_key, table.rules):
        content[key] = content.get(key, 0) + 1
    return content


def _rule_key(rule: Rule) -> tuple[Region, Hashable, float]:
    return rule.region, rule.then, rule.weight


# --- text


def _edit_text(raw: bytes, table: DecisionTable, edits: Edits, command: str) -> bytes:
    """Return a text file in which some rules were changed; its comments stay."""
    text = raw.decode("utf-8")
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    text = text.removeprefix(mark)
    breaks = [match.span() for match in _BREAK.finditer(text)]
    starts = [0, *(end for _, end in breaks)]
    stops = [*(start for start, _ in breaks), len(text)]
    end = "\r\n" if "\r\n" in text else "\n"
    rows: dict[int, list[int]] = {}
    for row, number in enumerate(table.provenance.lines):
        rows.setdefault(number, []).append(row)
    new, at = "", 0
    for number in sorted({table.provenance.lines[row] for row in edits.changed}):
        start, stop = starts[number - 1], stops[number - 1]
        lines = _text_lines(text[start:stop], rows[number], table, edits, command)
        new += text[at:start] + end.join(lines)
        at = stop if lines else starts[number] if number < len(starts) else stop
    new += text[at:]
    if edits.added:
        new += "" if not new or new.endswith(("\n", "\r")) else end
        added = [line for new in edits.added for line in _rule_lines(table, None, new, command)]
        new += "".join(line + end for line in added)
    return (mark + new).encode("utf-8")


def _text_lines(
    old: str, rows: list[int], table: DecisionTable, edits: Edits, command: str
) -> list[str]:
    """Return the lines that replace one; with OR, it can contain several rules."""
    if not command and not any(edits.changed.get(row, True) for row in rows):
        return []
    if command and len(rows) == 1 and not edits.changed[rows[0]]:
        why = f" ({_one_line(edits.notes[rows[0]])})" if edits.notes[rows[0]] else ""
        return [f"# {command}: dropped: {old}{why}"]
    if not command and len(rows) == 1:
        return _lines_by_hand(old, rows[0], table, edits.changed[rows[0]])
    lines = [f"# {command}: was: {old}"] if command and len(rows) > 1 else []
    comment = comment_of(old)
    for row in rows:
        if row not in edits.changed:
            lines.append(_rule_text(table.rules[table.places(row)[0]]))
        for line in edits.changed.get(row, ()):
            lines += _rule_lines(table, row, line, command)
        if len(rows) == 1 and comment:
            lines[-1] += f"  {comment}"
    return lines


def _lines_by_hand(old: str, row: int, table: DecisionTable, new_lines: list[NewLine]) -> list[str]:
    """Return the lines that replace a rule; one of them is the old one with its changes."""
    before = table.rules[table.places(row)[0]]
    texts = [list(_rule_lines(table, row, line, "")) for line in new_lines]
    rules = [Rule.parse(each[0], table.space) if len(each) == 1 else None for each in texts]
    kept = rules.index(before) if before in rules else 0
    rule = rules[kept]
    texts[kept] = [
        (rule and _changed_line(old, before, rule))
        or texts[kept][0] + (f"  {comment}" if (comment := comment_of(old)) else ""),
        *texts[kept][1:],
    ]
    return [text for each in texts for text in each]


def _changed_line(old: str, before: Rule, after: Rule) -> str | None:
    """Return a line in which only the conditions that differ are changed, None if that fails."""
    if before == after:
        return old
    written = written_rule(old)
    if written is None:
        return None
    old_tests, tests = dict(before.region.conditions()), dict(after.region.conditions())
    names = [name for name in after.region.space.names if old_tests.get(name) != tests.get(name)]
    then = []
    if before.then != after.then:
        then = [(*written.then, format_literal(after.then))]
    for changes in (
        _changed_values(old, written, names, old_tests, tests),
        _changed_conditions(old, written, names, after.region),
    ):
        if changes is None:
            continue
        text = old
        for start, end, new in sorted([*changes, *then], reverse=True):
            text = text[:start] + new + text[end:]
        with suppress(IrenicError):
            if Rule.parse(text, after.region.space) == after:
                return text
    return None


_Change: TypeAlias = tuple[int, int, str]


def _changed_values(
    old: str,
    written: Written,
    names: list[str],
    before: Mapping[str, Operators],
    after: Mapping[str, Operators],
) -> list[_Change] | None:
    """Return new bounds in the places of the old ones, None if it is unclear where they are."""
    changes: list[_Change] = []
    for name in names:
        tests = before.get(name, {}), after.get(name, {})
        if tests[0].keys() != tests[1].keys() or not tests[0].keys() <= {"<", "<=", ">", ">=", "="}:
            return None
        spans = [(start, end) for other, start, end in written.conditions if other == name]
        for sign in (sign for sign in tests[0] if tests[0][sign] != tests[1][sign]):
            bound = format_literal(tests[0][sign])
            places = [
                token.column - 1
                for token in tokenize(old)
                if token.text == bound
                and token.kind in ("number", "temporal")
                and any(start <= token.column - 1 < end for start, end in spans)
            ]
            if len(places) != 1:
                return None
            changes.append((places[0], places[0] + len(bound), format_literal(tests[1][sign])))
    return changes


def _changed_conditions(
    old: str, written: Written, names: list[str], region: Region
) -> list[_Change]:
    """Return new conditions in the places of the old ones; what is new follows the last one."""
    after = region.conditions()
    texts = {name: Region(region.space, {name: after.get(name, {})}) for name in names}
    conditions, at = "", 0
    for name, start, end in written.conditions:
        joint = old[at:start] if conditions else ""
        at = end
        if not name:
            continue  # anything
        if name not in names:
            conditions += joint + old[start:end]
        elif name in texts and name in after:
            conditions += joint + texts.pop(name).to_text("AND")
    for name, text in texts.items():
        if name in after and all(name != other for other, _, _ in written.conditions):
            conditions += (" AND " if conditions else "") + text.to_text("AND")
    return [(written.conditions[0][1], at, conditions or "anything")]


def _rule_lines(
    table: DecisionTable, row: int | None, line: NewLine, command: str
) -> Iterator[str]:
    """Yield the rules of a line as text, one per combination of alternative conditions."""
    same: dict[str, Operators] = {}
    if row is not None:
        same = dict(table.rules[table.places(row)[0]].region.conditions())
    note = f"  # {command}: {_one_line(line.note)}" if line.note else f"  # {command}"
    note = note if command else ""
    for combination in product(*line.cells.values()):
        conditions = same | dict(zip(line.cells, combination, strict=True))
        region = Region(table.space, conditions)
        yield _rule_text(Rule(region, then=line.then, weight=line.weight)) + note


def _rule_text(rule: Rule) -> str:
    return dumps(RuleSet([rule], rule.region.space)).rstrip("\n")


def _one_line(text: str) -> str:
    return " ".join(text.split())
