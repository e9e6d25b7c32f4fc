"""A file of rules that is open in an editor: its findings, the edits that mend them, and words."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal, TypeAlias

import irenic
from irenic.budget import Budget
from irenic.checking import NOUNS, Finding, Findings, case_in
from irenic.errors import FormatError, FormatWarning, IrenicError
from irenic.formats import Parsed, edited, parse
from irenic.formats.json.editing import edit_json
from irenic.formats.places import LOCATED, Places, Span
from irenic.frames.files import as_bytes
from irenic.model.decision_table import DecisionTable
from irenic.model.literals import say
from irenic.model.rule import Rule
from irenic.model.ruleset import RuleSet
from irenic.reporting.document import ProblemRecord
from irenic.reporting.documents import problem
from irenic.reporting.encoding import encode_finding, located
from irenic.testing import try_rule

SECONDS: Final = 1.0
"""The default budget of each search, which should end before the reader looks up."""
_LIMIT: Final = 100
How: TypeAlias = Literal["drop", "trim", "split"]
_REPAIRS: Final[dict[How, str]] = {
    "split": "cut the overlaps out of rules",
    "trim": "cut rules back to their largest free regions",
    "drop": "remove the fewest rules",
}


@dataclass(frozen=True)
class Note:
    """A message about a part of the text, with others that it refers to."""

    span: Span
    level: str
    kind: str
    text: str
    others: list[tuple[Span, str]] = field(default_factory=list)


@dataclass(frozen=True)
class Action:
    """An edit that mends findings: its title, their kinds, and what makes the new text."""

    title: str
    kinds: frozenset[str]
    edit: Callable[[], str | None]
    """Returns the new text of the file; None if it cannot be edited so."""


class OpenedFile:
    """The text of a file of rules, checked; it may differ from what is on disk.

    The suffix of ``path`` is the format, ``seconds`` is the budget of each search, and ``reading``
    are options of :func:`irenic.parse`. Formats that are not text raise a :class:`FormatError`.
    """

    def __init__(
        self,
        text: str,
        path: Path,
        seconds: float = SECONDS,
        reading: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        self.text, self.seconds = text, seconds
        self.parsed = _parse(text, path, reading)
        if self.parsed.format not in LOCATED:
            raise FormatError(f"a .{self.parsed.format} file is not text", path=str(path))
        self.places = Places(self.parsed)
        self.bound = self.parsed.bound(None)
        budget = Budget(seconds=seconds, regions=1_000)
        self.tables: list[Findings] = [
            irenic.check(table, budget=budget, limit=_LIMIT)
            for table in self.bound.tables
            if table.n_rows
        ]

    # --- findings

    def notes(self) -> list[Note]:
        """Return the errors, warnings and findings, each with its place."""
        return [
            *(self._problem(problem(each), "error") for each in self.bound.errors),
            *(self._problem(problem(each), "warning") for each in self.bound.warnings),
            *(self._note(each, findings) for findings in self.tables for each in findings),
            *(self._unfinished(findings) for findings in self.tables if findings.unfinished),
        ]

    def _problem(self, problem: ProblemRecord, level: str) -> Note:
        line, header = problem["line"], problem["header"]
        span = self.places.field(line, header) if header else None
        kind = "cannot be read" if level == "error" else "may be misread"
        column = problem["column"]
        return Note(span or self.places.line(line, column), level, kind, problem["message"])

    def _note(self, finding: Finding, findings: Findings) -> Note:
        table, encoded = findings.table, encode_finding(finding, findings.table)
        others: list[tuple[Span, str]] = []
        last = max(finding.rules, default=None)
        for row in (*finding.rules, *finding.by):
            if row != last:
                others += [(self._row(table, row), _said(table, row))]
        text = located(encoded, table.name if len(self.tables) > 1 else "")
        return Note(self._span(finding, table), finding.level, finding.kind, text, others)

    def _span(self, finding: Finding, table: DecisionTable) -> Span:
        """Return the cell that a finding is about, else its row or line, as other views have it."""
        line = encode_finding(finding, table)["line"]
        about_table = finding.kind in ("columns", "policy") or not finding.rules
        row = None if about_table else max(finding.rules)
        column = finding.column
        if finding.kind == "outcomes" and not column and len(table.outputs) == 1:
            column = table.outputs[0]
        try:
            cell = self.places.cell(table, row, column) if column else None
        except FormatError:  # several tables have the same name
            cell = None
        if cell is not None:
            return cell
        return self.places.line(line) if row is None else self._row(table, row)

    def _row(self, table: DecisionTable, row: int) -> Span:
        try:
            return self.places.row(table, row)
        except FormatError:
            lines = table.provenance.lines
            return self.places.line(lines[row] if lines else 1)

    def _unfinished(self, findings: Findings) -> Note:
        kinds = ", ".join(NOUNS[kind] for kind in findings.unfinished)
        text = f"not finished within {self.seconds:g} s: {kinds}; irenic check searches longer"
        first = findings.table.provenance.first_line
        return Note(self.places.line(first), "note", "unfinished", text)

    # --- edits

    def actions(self, start: int, end: int) -> list[Action]:
        """Return the edits that mend findings about rows in a part of the text."""
        actions: dict[str, Action] = {}
        for findings in self.tables:
            table = findings.table
            for finding in findings:
                rows = [row for row in finding.rules if self._meets(table, row, start, end)]
                if not rows:
                    continue
                for title, mend in self._mending(finding, table, rows):
                    known = actions.get(title)
                    if known is not None:
                        kinds = known.kinds | {finding.kind}
                        actions[title] = replace(known, kinds=kinds)
                    else:
                        edit = partial(self._edited, table, mend)
                        actions[title] = Action(title, frozenset({finding.kind}), edit)
        return list(actions.values())

    def _meets(self, table: DecisionTable, row: int, start: int, end: int) -> bool:
        begin, stop = self._row(table, row)
        return begin <= end and start <= stop

    def _mending(
        self, finding: Finding, table: DecisionTable, rows: Sequence[int]
    ) -> Iterator[tuple[str, Callable[[], DecisionTable | None]]]:
        """Yield the titles of edits that mend a finding, and what makes the mended tables."""
        forbidden = finding.kind == "overlaps" and finding.level == "error"
        if finding.kind == "conflicts" or forbidden:
            for row in rows:
                yield f"Cut rule {row + 1} back to its free part", partial(self._free, table, row)
            for row in rows:
                yield f"Remove rule {row + 1}", partial(_replaced, table, {row: ()})
            for how, what in _REPAIRS.items():
                yield f"Repair all contradictions: {what}", partial(self._repaired, table, how)
        elif finding.kind in ("inside", "never_fire", "duplicates"):
            which = "which never fires" if finding.kind == "never_fire" else "which is redundant"
            for row in rows:
                yield f"Remove rule {row + 1}, {which}", partial(_replaced, table, {row: ()})
        elif finding.kind == "mergeable" and finding.region is not None:
            numbers = " and ".join(str(row + 1) for row in finding.rules)
            yield f"Merge rules {numbers} into one", partial(_merged, table, finding)

    def _free(self, table: DecisionTable, row: int) -> DecisionTable | None:
        """Return a table in which a row is reduced to what contradicts no other row."""
        others = _replaced(table, {row: ()})
        parts = [try_rule(others, table.rules[i], budget=self.seconds) for i in table.places(row)]
        return _replaced(table, {row: [rule for part in parts for rule in part.free]})

    def _repaired(self, table: DecisionTable, how: How) -> DecisionTable | None:
        return irenic.repair(table, how, budget=self.seconds).table

    def _edited(self, table: DecisionTable, mend: Callable[[], DecisionTable | None]) -> str | None:
        """Return the text of the file with a mended table; None if it cannot be edited so."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", FormatWarning)
                after = mend()
                if after is None:
                    return None
                if self.parsed.format == "json":
                    content = edit_json(self.parsed, table, after)
                else:
                    content = edited(self.parsed, table, after, command=None)
        except IrenicError:
            return None
        text = content.decode("utf-8-sig")
        return None if text == self.text else text

    # --- words

    def words(self, offset: int) -> tuple[Span, str] | None:
        """Return the row at a place of the text, and what it says, with a case (Markdown)."""
        for findings in self.tables:
            table = findings.table
            for row in range(table.n_rows):
                if self._meets(table, row, offset, offset) and table.places(row):
                    rules = [table.rules[place] for place in table.places(row)]
                    return self._row(table, row), _words(row, rules)
        return None


def _parse(text: str, path: Path, reading: Mapping[str, Any]) -> Parsed:
    raw = as_bytes(text)
    options = {name: value for name, value in reading.items() if name != "encoding"}  # it is text
    if path.suffix.lower() in (".dmn", ".xml") and path.is_file():
        parsed = parse(
            path, **options
        )  # a model can import others, whose places are relative to it
        assert parsed.again is not None
        return parsed.again(raw)
    return parse(raw, name=str(path), **options)


def _replaced(table: DecisionTable, rows: Mapping[int, Sequence[Rule]]) -> DecisionTable:
    """Return a table in which some rows have other rules; none if they are dropped."""
    rules: list[Rule] = []
    numbers: list[int] = []
    seen: set[int] = set()
    for rule, row in zip(table.rules, table.rows, strict=True):
        new = [rule] if row not in rows else [] if row in seen else rows[row]
        seen.add(row)
        rules += new
        numbers += [row] * len(new)
    new_set = RuleSet(rules, table.space, default=table.rules.default)
    provenance = table.provenance.of_other_rules()
    return replace(table, rules=new_set, rows=tuple(numbers), provenance=provenance)


def _merged(table: DecisionTable, finding: Finding) -> DecisionTable:
    first, *others = finding.rules
    assert finding.region is not None
    old = table.rules[table.places(first)[0]]
    rule = Rule(finding.region, then=old.then, weight=old.weight)
    return _replaced(table, {first: [rule], **dict.fromkeys(others, ())})


def _said(table: DecisionTable, row: int) -> str:
    texts = [str(table.rules[place]) for place in table.places(row)[:1]]
    return f"rule {row + 1}: {texts[0]}" if texts else f"rule {row + 1}"


def _words(row: int, rules: Sequence[Rule]) -> str:
    """Return what a row says, and cases, as Markdown."""
    head = f"**Rule {row + 1}** says {_plain(say(rules[0].then))}"
    parts = [
        f"where {_code(rule.region.to_text())}, for example at {_code(case_in(rule.region))}"
        if rule.region.conditions()
        else "in every case"
        for rule in rules
    ]
    if len(parts) == 1:
        return f"{head} {parts[0]}."
    return "\n".join([f"{head}", "", *(f"- {part}" for part in parts)])


def _code(text: str) -> str:
    """Return text as code of Markdown, whatever it contains."""
    fence = "`" * (max(map(len, re.findall("`+", text)), default=0) + 1)
    blank = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{blank}{' '.join(text.split())}{blank}{fence}"


def _plain(text: str) -> str:
    """Return text without the meaning that Markdown gives to its signs."""
    return "".join(f"\\{sign}" if sign in "\\`*_{}[]<>()#+-.!|~" else sign for sign in text)
