"""Edit the rules of a decision table in a DMN model, and keep all other bytes.

Changed and added rules are explained in their ``description``, which modeling tools show beside a
rule; an XML comment replaces a dropped rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from irenic.errors import FormatError
from irenic.formats.dmn import reading as dmn
from irenic.formats.feel.sets import cell_text, literal_text
from irenic.formats.spans import Element, Patch, elements, encoded, escaped, patched
from irenic.formats.tables.edits import Edits, NewLine
from irenic.model.decision_table import DecisionTable
from irenic.model.literals import Expression

_LEFT_OUT: Final = ("DMNDI", "extensionElements")
_ID: Final = re.compile(rb"""(\sid\s*=\s*)(["'])([^"']*)\2""")


def edit_dmn(
    raw: bytes,
    table: DecisionTable,
    edits: Edits,
    command: str,
    *,
    index: int,
    inputs: Sequence[str],
) -> bytes:
    """Return a model with some rules of a table changed, and all other bytes as they were.

    ``index`` is the place of the table among the decision tables of the model, and ``inputs``
    names the feature of each input column.
    """
    node = tables_in(raw)[index]
    return patched(raw, _EditedTable(raw, node, table, inputs, command).patches(edits))


def tables_in(raw: bytes) -> list[Element]:
    """Return the decision tables of a model as elements, in the order of the file."""
    found = elements(raw, lambda tag, _: tag == "decisionTable", _LEFT_OUT)
    return [table for outer in found for table in _nested(outer)]


def _nested(element: Element) -> Iterator[Element]:
    """Yield an element that is a decision table, and those inside it, in the order of the file."""
    if element.tag == "decisionTable":
        yield element
    for child in element.children:
        yield from _nested(child)


class _EditedTable:
    """A decision table in a model."""

    def __init__(
        self, raw: bytes, node: Element, table: DecisionTable, inputs: Sequence[str], command: str
    ) -> None:
        self.raw, self.node, self.table, self.inputs = raw, node, table, inputs
        self.command = command
        self.rules = node.all("rule")
        if any(key.endswith(":row") or key.endswith(":rows") for key in self._attributes()):
            raise FormatError("rows of the table are spread over several rules")
        self.ids = {match.group(3) for match in _ID.finditer(raw)}

    def _attributes(self) -> Iterator[str]:
        for element in (self.node, *self.rules):
            yield from element.attributes

    def patches(self, edits: Edits) -> Iterator[Patch]:
        for row, lines in edits.changed.items():
            rule = self.rules[row]
            if not lines and not self.command:
                yield Patch(rule.start - len(self.indent(rule)), rule.end, b"")
            elif not lines:
                text = edits.notes[row] or f"rule {row + 1} is dropped"
                yield Patch(rule.start, rule.end, self.comment(f"{self.command}: {text}"))
            for place, line in enumerate(lines):
                body = self.changed(rule, line, self.table.rules[self.table.places(row)[0]].then)
                if not place:
                    yield from body
                else:
                    copy = self.distinct(_within(self.raw, rule, body))
                    yield Patch(rule.end, rule.end, self.indent(rule) + copy)
        at, indent = self.end()
        for line in edits.added:
            yield Patch(at, at, indent + self.added(line))

    def comment(self, text: str) -> bytes:
        safe = re.sub("-(?=-|$)", "- ", text)
        return encoded(f"<!-- {safe} -->", self.raw)

    def changed(self, rule: Element, line: NewLine, then: Any) -> list[Patch]:
        """Return the patches that turn a rule, with its outcome, into a line."""
        self.check_columns(line)
        patches = []
        written: set[str] = set()
        for entry, name in zip(rule.all("inputEntry"), self.inputs, strict=True):
            if name not in line.cells:
                continue
            # further columns with the same name are left without a condition
            text = "-" if name in written else cell_text(line.cells[name])
            written.add(name)
            if any(key.endswith(":test") for key in entry.attributes):
                raise FormatError(f"FEEL has no literal for a value of {name!r}")
            patches.append(self.text(entry, text))
        if line.then != then:
            olds, news = self.parts(then), self.parts(line.then)
            for entry, old, new in zip(rule.all("outputEntry"), olds, news, strict=True):
                if old != new:
                    patches.append(self.text(entry, self.outcome(new)))
        return [*(self.note(rule, line.note or "changed") if self.command else ()), *patches]

    def check_columns(self, line: NewLine) -> None:
        """Raise an error if a line has a condition that is computed from other columns."""
        for name, conditions in line.cells.items():
            if name not in self.inputs and any(conditions):
                raise FormatError(f"the condition {name!r} is not a column of the file")

    def parts(self, then: Any) -> Any:
        """Return the outcome of each output column."""
        return then if len(self.node.all("output")) > 1 else [then]

    def outcome(self, then: Any) -> str:
        """Return an outcome as FEEL."""
        text = then.text if isinstance(then, Expression) else literal_text(then)
        if dmn.as_output(text.strip()) != then:
            raise FormatError(f"FEEL has no literal for the outcome {then!r}")
        return text

    def text(self, entry: Element, text: str) -> Patch:
        new = escaped(text)
        inner = entry.all("text")
        if inner and not inner[0].is_empty_tag:
            return Patch(inner[0].opened, inner[0].closing, encoded(new, self.raw))
        tag = entry.name("text")
        whole = f"<{tag}>{new}</{tag}>"
        if inner:
            return Patch(inner[0].start, inner[0].end, encoded(whole, self.raw))
        if not entry.is_empty_tag:
            # some tools write the text without an element of its own
            return Patch(entry.opened, entry.closing, encoded(whole, self.raw))
        head = self.raw[entry.start : entry.opened].rstrip(b"/> \t\r\n")
        close = f"</{entry.name(entry.tag)}>"
        return Patch(entry.start, entry.end, head + encoded(f">{whole}{close}", self.raw))

    def note(self, rule: Element, text: str) -> list[Patch]:
        note = escaped(f"{self.command}: {text}")
        old = rule.all("description")
        if old and not old[0].is_empty_tag:
            at = old[0].closing
            filled = self.raw[old[0].opened : at].strip()
            return [Patch(at, at, encoded(f"; {note}" if filled else note, self.raw))]
        tag = rule.name("description")
        new = encoded(f"<{tag}>{note}</{tag}>", self.raw)
        if old:
            return [Patch(old[0].start, old[0].end, new)]
        first = rule.children[0].start if rule.children else rule.opened
        return [Patch(rule.opened, rule.opened, self.raw[rule.opened : first] + new)]

    def distinct(self, rule: bytes) -> bytes:
        """Return a copy of a rule with new ids."""

        def new_id(match: re.Match[bytes]) -> bytes:
            number = 2
            while (name := match.group(3) + b"_%d" % number) in self.ids:
                number += 1
            self.ids.add(name)
            return match.group(1) + match.group(2) + name + match.group(2)

        return _ID.sub(new_id, rule)

    def indent(self, element: Element) -> bytes:
        """Return the line break and blanks before an element, if nothing else is before it."""
        before = self.raw[: element.start]
        blanks = before[len(before.rstrip()) :]
        return blanks[max(blanks.rfind(b"\n") - blanks.endswith(b"\r\n"), 0) :]

    def end(self) -> tuple[int, bytes]:
        """Return where to add rules, and what to write before each."""
        if self.rules:
            return self.rules[-1].end, self.indent(self.rules[-1])
        if self.node.children:
            return self.node.children[-1].end, self.indent(self.node.children[-1])
        raise FormatError("the table has neither columns nor rules")

    def added(self, line: NewLine) -> bytes:
        self.check_columns(line)
        prefix = f"{self.node.prefix}:" if self.node.prefix else ""
        break_ = self.end()[1].decode("ascii", "replace")
        inner = f"{break_}  " if break_ else ""
        parts = [f"<{prefix}rule{self.new_id('rule')}>"]
        if self.command:
            note = escaped(f"{self.command}: {line.note or 'added'}")
            parts.append(f"{inner}<{prefix}description>{note}</{prefix}description>")
        written: set[str] = set()
        for name in self.inputs:
            text = "-" if name in written else cell_text(line.cells.get(name, [{}]))
            written.add(name)
            parts.append(inner + self.entry(prefix, "inputEntry", text))
        parts += [
            inner + self.entry(prefix, "outputEntry", self.outcome(then))
            for then in self.parts(line.then)
        ]
        if any(rule.all("annotationEntry") for rule in self.rules):
            notes = max(len(rule.all("annotationEntry")) for rule in self.rules)
            parts += [inner + self.entry(prefix, "annotationEntry", "") for _ in range(notes)]
        return encoded("".join([*parts, f"{break_}</{prefix}rule>"]), self.raw)

    def entry(self, prefix: str, tag: str, text: str) -> str:
        body = f"<{prefix}text>{escaped(text)}</{prefix}text>"
        return f"<{prefix}{tag}{self.new_id(tag)}>{body}</{prefix}{tag}>"

    def new_id(self, tag: str) -> str:
        number = 1
        while (name := f"{tag}_irenic_{number}".encode()) in self.ids:
            number += 1
        self.ids.add(name)
        return f' id="{name.decode()}"'


def _within(raw: bytes, element: Element, patches: list[Patch]) -> bytes:
    """Return an element with patches inside it."""
    moved = [Patch(p.start - element.start, p.end - element.start, p.new) for p in patches]
    return patched(raw[element.start : element.end], moved)
