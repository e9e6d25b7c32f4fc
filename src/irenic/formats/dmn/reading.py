"""Read decision tables from DMN models, versions 1.1 to 1.5.

Every ``decisionTable`` is read, wherever it appears: in decisions, business knowledge models and
contexts. Elements are recognized by their local names, so all versions read alike. The domain of
an input is given by its ``inputValues``, else by its type; otherwise it is unlimited. An invalid
cell or an unknown type is an error of its table and does not affect other tables. Attributes in
the namespace :data:`OURS` contain what DMN cannot represent.
"""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from irenic.errors import FormatError, IrenicError, did_you_mean
from irenic.formats.dmn import _xml as dmn_xml
from irenic.formats.dmn._graph import link, unconnected
from irenic.formats.dmn._languages import as_feel, expression_of, language_of, names_of, variable_of
from irenic.formats.dmn._types import ANY_TYPE, CompoundError, Model, Type
from irenic.formats.dmn._xml import Node
from irenic.formats.dmn.deciding import Decisions
from irenic.formats.feel.sets import feel_text
from irenic.formats.feel.unary_tests import (
    ANYTHING,
    ORDERS,
    AnyOf,
    Compare,
    Test,
    comparisons,
    kind_of,
    parse,
    parse_value,
)
from irenic.formats.json import rules as json_rules
from irenic.formats.parsed import Parsed, Tables
from irenic.formats.tables.assembly import assemble
from irenic.formats.tables.drafts import (
    MOST_COLUMNS,
    POLICIES,
    Cell,
    Input,
    Row,
    TableDraft,
    accepted_in,
    distinct,
    short,
    without_accepted,
)
from irenic.formats.tables.letters import check_letters
from irenic.model.decision_table import HIT_POLICIES, HitPolicy
from irenic.model.literals import Expression, counted, display, say
from irenic.model.notation import ParsedCondition
from irenic.model.space import Space

if TYPE_CHECKING:
    from irenic.formats.feel.interpreter import Tests

OURS: Final = "urn:irenic:dmn"
_POLICIES: Final[dict[str, tuple[HitPolicy, str]]] = {p: (p, "") for p in HIT_POLICIES} | POLICIES
_AGGREGATIONS: Final = ("", "SUM", "COUNT", "MIN", "MAX")
_KINDS: Final = {
    "number": "a number",
    "integer": "a whole number",
    "text": "text",
    "boolean": "true or false",
    "date": "a date",
    "datetime": "a date and time",
    "time": "a time",
    "duration": "a duration",
    "months": "a duration",
}
_KINDS_OF_CELLS: Final = {"number": "numbers", "boolean": "booleans"}
# Arithmetic of names that is more likely text without quotes: n/a, late-night.
_UNCLEAR: Final = re.compile(r"\w[-/]\w")
_LITERALS: Final = {"true", "false", "null"}  # TRUE is a name in FEEL
_STRING: Final = re.compile(r"'[^']*'|\"[^\"]*\"")
# Tools use some names of types for two kinds.
_ALIKE: Final = (("number", "integer"), ("date", "datetime"), ("duration", "months"))
_FITTING: Final = {kind: {kind} for kind in _KINDS} | {
    kind: {*pair} for pair in _ALIKE for kind in pair if kind != "integer"
}


def parse_dmn(raw: bytes, *, path: Path | None = None) -> Parsed:
    """Return the decision tables of a DMN model, and all errors in them.

    Models that it imports must be in the folder of ``path``.
    """
    root = dmn_xml.parse(raw)
    if root.tag == "Definitions":
        raise FormatError(
            "the version must be DMN 1.1 or later, got 1.0; save the model in a newer version",
            line=root.line,
        )
    if root.tag != "definitions":
        raise FormatError(
            f"not DMN: the root element must be <definitions>, got <{root.tag}>", line=root.line
        )
    model = Model(root, path)
    decisions = Decisions(model)
    tables = [*root.descendants("decisionTable")]
    drafts = [_ModelReader(model, node, decisions).draft() for node in tables]
    by_node = dict(zip(tables, drafts, strict=True))
    link(decisions, by_node)
    decisions.evaluates = any(
        isinstance(part, Expression)
        for node, draft in zip(tables, drafts, strict=True)
        if node.parent is not None and node.parent.tag == "decision"
        for row in draft.rows
        for part in (row.then if isinstance(row.then, tuple) else (row.then,))
    )
    notes = unconnected(decisions, by_node)
    imports = model.imported()
    return Parsed("dmn", drafts, _assemble, notes, imports=imports, decisions=decisions)


def _assemble(draft: TableDraft, space: Space | None) -> Tables:
    tables = assemble(draft, space)
    if not draft.computed or not tables.tables:
        return tables
    from irenic.formats.dmn._ordering import possible

    table = replace(tables.tables[0], computed=draft.computed)
    return replace(tables, tables=[possible(table, draft.compared)])


def _name(table: Node) -> str:
    """Return the name of a table: its decision, followed by the context entries that contain it."""
    names: list[str] = []
    for node in table.ancestors():
        if node.tag in ("decision", "businessKnowledgeModel"):
            return ".".join([node.get("name") or node.get("id"), *names])
        if node.tag == "contextEntry":
            variable = node.first("variable")
            names.insert(0, "" if variable is None else variable.get("name"))
            names = [name for name in names if name]
    return ".".join(names) or table.get("label") or table.get("id")


class _ModelReader:
    """Reads one decision table of a model into a draft."""

    def __init__(self, model: Model, node: Node, decisions: Decisions) -> None:
        self.model, self.node, self.decisions = model, node, decisions
        self.inputs = node.all("input")
        self.outputs = node.all("output")
        self.table = TableDraft(_name(node), node.get("id"), node.line)
        self.table.name = self.ours(node, "name", _text) or self.table.name
        self.language = model.root.get("expressionLanguage")
        self.parsed: dict[str, Tests | None] = {}
        self.open: dict[tuple[int, int], tuple[str, Tests]] = {}
        """The cells, by row and column, that name other data or call functions."""
        self.written: dict[tuple[str, int, str], tuple[str, str]] = {}
        """Different cells, with column and declared language: in FEEL, or with their language."""
        self.foreign: dict[tuple[int, int], str] = {}
        """The cells, by row and column, that are in another language, with that language."""
        self.unknown: dict[str, int] = {}
        """Names in cells that the model does not define, and the line of the first such cell."""
        self.compound: dict[str, CompoundError] = {}
        """Why the columns of lists and structures cannot be compared with literals."""

    def draft(self) -> TableDraft:
        table, node = self.table, self.node
        if len(self.inputs) + len(self.outputs) > MOST_COLUMNS:
            table.fail(f"a table must have at most {MOST_COLUMNS:,} columns", line=node.line)
            return table
        self.policy()
        names = self.input_names()
        table.inputs = [self.input(n, name) for n, name in zip(self.inputs, names, strict=True)]
        table.written = tuple(column.name for column in table.inputs)
        table.outputs = tuple(self.output_name(n) for n in self.outputs) or ("then",)
        if not self.outputs:
            table.fail("a table must have an output column", line=node.line)
        for number, rule in enumerate(node.all("rule"), 1):
            self.rule(number, rule)
        self.retype()
        self.note_unknown()
        if self.open or self.compound or self.is_partly_foreign():
            from irenic.formats.dmn._computed import Opener  # most tables have no such cells

            opener = Opener(table, self.decisions, lambda path: self.model.named(path, node))
            opener.open(self.open, self.foreign)
            opener.drop_unused(i for i, c in enumerate(table.inputs) if c.name in self.compound)
        rows = self.ours(node, "rows", _row_number)
        table.n_rows = max([rows or 0, *(row.number for row in table.rows)])
        table.accepts += [((), text) for each in (node.parent, node) for text in _accepted(each)]
        table.default = self.default()
        table.annotations = tuple(self.annotations())
        types = [self.output_type(n) for n in self.outputs]
        table.ranking = self.ranking(types)
        table.unfit = [*self.unfit(types)] if self.outputs else []
        regions = self.ours(node, "impossible", _impossible) or []
        table.impossible = [(None, conditions) for conditions in regions]
        check_letters(table, in_quotes=True)
        return table

    def policy(self) -> None:
        table, node = self.table, self.node
        policy = " ".join(node.get("hitPolicy").upper().replace("_", " ").split()) or "UNIQUE"
        if policy not in _POLICIES:
            hint = did_you_mean(policy, HIT_POLICIES)
            table.fail(f"unknown hit policy {node.get('hitPolicy')!r}{hint}", line=node.line)
        table.hit_policy, aggregation = _POLICIES.get(policy, (None, ""))
        table.aggregation = node.get("aggregation").strip().upper() or aggregation
        if table.aggregation not in _AGGREGATIONS:
            hint = did_you_mean(table.aggregation, _AGGREGATIONS[1:])
            table.fail(f"unknown aggregation {node.get('aggregation')!r}{hint}", line=node.line)

    # --- columns

    def input_names(self) -> list[str]:
        """Return the names of the inputs: their expressions, else their labels, made distinct."""
        texts = [expression_of(node) for node in self.inputs]
        labels = [node.get("label").strip() for node in self.inputs]
        counts = Counter(label for label, text in zip(labels, texts, strict=True) if not text)
        taken, numbers = set(texts), Counter[str]()
        for place, node in enumerate(self.inputs):
            if texts[place]:
                continue
            label = labels[place] or f"input {place + 1}"
            if counts[label] > 1:
                label = variable_of(node) or label
            name = label
            while name in taken:
                numbers[label] += 1
                name = f"{label} {numbers[label] + 1}"
            texts[place] = name
            taken.add(name)
        return texts

    def input(self, node: Node, name: str) -> Input:
        feature = self.ours(node, "feature", json_rules.decode_feature)
        written = node.first("inputExpression")
        if feature is not None:
            self.compute(feature.name, name)
            return Input(feature.name, feature=feature)
        column = Input(name)
        self.compute(name, name)
        try:
            declared = self.type_of(written, name)
            column.kind = declared.kind
            column.source = self.source(written) if declared.kind else ""
            values = node.first("inputValues")
            allowed = self.allowed("" if values is None else values.child_text())
            column.domain = declared.allowed if allowed is None else allowed
        except CompoundError as error:
            self.compound[name] = error
        except FormatError as error:
            self.table.fail(error.message, header=name, line=node.line)
        return column

    def compute(self, name: str, text: str) -> None:
        """Note how an input is computed if its expression is more than a name."""
        if re.fullmatch(r"\w+", text):
            return
        from irenic.formats.dmn._computed import expression
        from irenic.formats.feel.interpreter import parse_expression

        try:
            formula = parse_expression(text, self.decisions.names)
        except FormatError:
            return
        if not formula.path and formula.names and formula.names <= self.decisions.names:
            self.table.computed[name] = expression(self.decisions, text)

    def type_of(self, expression: Node | None, name: str) -> Type:
        reference = "" if expression is None else expression.get("typeRef")
        declared = self.model.type_of(reference, expression or self.node) if reference else ANY_TYPE
        return self.model.named(name, self.node) if declared == ANY_TYPE else declared

    def source(self, expression: Node | None) -> str:
        reference = "" if expression is None else expression.get("typeRef").strip()
        if reference.lower() in ("", "any", "feel:any"):
            return "the typeRef of its data"
        return f"typeRef {reference}"

    def allowed(self, text: str) -> Test | None:
        try:
            test = parse(text)
        except FormatError as error:
            raise FormatError(f"inputValues {text!r}: {error.message}") from None
        return None if test == ANYTHING else test

    def output_name(self, node: Node) -> str:
        label = self.node.get("outputLabel")
        exact = self.ours(node, "name", _text)
        return exact or node.get("name") or node.get("label") or label or self.table.name or "then"

    # --- rows

    def rule(self, number: int, node: Node) -> None:
        table = self.table
        tests, thens = node.all("inputEntry"), node.all("outputEntry")
        for what, entries, columns in (
            ("input", tests, self.inputs),
            ("output", thens, self.outputs),
        ):
            if len(entries) != len(columns):
                table.fail(
                    f"a rule must have one {what} entry per column, {len(columns)} in all, got"
                    f" {len(entries)}",
                    rule=number,
                    line=node.line,
                )
                return
        cells = [
            self.cell(number, entry, place, column.name)
            for place, (entry, column) in enumerate(zip(tests, table.inputs, strict=True))
        ]
        parts = [self.value(entry) for entry in thens]
        weight = self.ours(node, "weight", lambda data: float(json_rules.decode_value(data)))
        row = self.ours(node, "row", _row_number) or number
        then = parts[0] if len(parts) == 1 else tuple(parts)
        exact = self.ours(node, "then", json_rules.decode_value)
        table.accepts += [((row - 1,), text) for text in _accepted(node)]
        table.rows.append(
            Row(
                row,
                node.line,
                cells,
                then if exact is None else exact,
                1.0 if weight is None else weight,
            )
        )

    def cell(self, number: int, node: Node, place: int, header: str) -> Cell:
        exact = self.ours(node, "test", lambda data: json_rules.decode_operators(header, data))
        if exact is not None:
            return Cell(node.get(f"{OURS} test"), exact)
        text = node.written()
        written = (text, place, node.get("expressionLanguage") or self.language)
        if written not in self.written:
            self.written[written] = self.in_feel(*written)
        text, language = self.written[written]
        if language:
            self.foreign[len(self.table.rows), place] = language
            return Cell(text, ANYTHING)
        if header in self.compound and text not in ("", "-"):
            tests = self.expressions(text, literals=True)
            place_of = {"rule": number, "header": header, "text": text, "line": node.line}
            if tests is None:
                self.table.fail(self.compound[header].message, **place_of)
                return Cell(text, ANYTHING)
            if not tests.names:
                self.table.warn(self.compound[header].message, **place_of)
        else:
            tests = self.tests(text) or self.unordered(text, self.table.inputs[place])
        if tests is not None:
            for name in sorted(tests.names - {"?"} - self.decisions.names):
                self.unknown.setdefault(name, node.line)
            self.open[len(self.table.rows), place] = text, tests
            return Cell(text, ANYTHING)
        return self.table.read_cell(text, number, header, node.line)

    def in_feel(self, text: str, place: int, declared: str) -> tuple[str, str]:
        """Return a cell in FEEL and "", or as it is and its language."""
        language = language_of(text, declared)
        if text in ("", "-"):
            return text, ""
        same = as_feel(text, language, names_of(self.inputs[place], self.decisions.names))
        return (text, language) if same is None else (same, "")

    def is_partly_foreign(self) -> bool:
        """Return whether some conditions are in another language; if all are, that is an error."""
        table = self.table
        if not self.foreign:
            return False
        languages = ", ".join(sorted({*self.foreign.values()}))
        (row, place), language = next(iter(self.foreign.items()))
        first = table.rows[row]
        cells = {
            (row, place)
            for row, each in enumerate(table.rows)
            for place, cell in enumerate(each.cells)
            if cell.text not in ("", "-")
        }
        where = {
            "rule": first.number,
            "header": table.inputs[place].name,
            "text": first.cells[place].text,
            "line": first.line,
        }
        if cells <= {*self.foreign}:
            table.fail(f"conditions must be written in FEEL, as in >= 18, got {language}", **where)
            return False
        n = counted(len(self.foreign), "condition")
        table.warn(
            f"{n} in {languages} cannot be evaluated, and can hold or not in every case; write"
            " conditions in FEEL, as in >= 18",
            **where,
        )
        return True

    def note_unknown(self) -> None:
        """Warn of names that the model does not define."""
        if self.unknown:
            names = ", ".join(map(repr, self.unknown))
            self.table.warn(
                f"cells use {names}, which the model does not define, and are conditions on such"
                ' data; put text in quotes, as in "text"',
                line=min(self.unknown.values()),
            )

    def retype(self) -> None:
        """Take the kind of columns of text from their cells if all are numbers, or booleans.

        Tools declare any column as a string at first.
        """
        for place, column in enumerate(self.table.inputs):
            if column.kind != "text" or column.feature:
                continue
            cells = distinct([row.cells[place] for row in self.table.rows]).values()
            tests = [column.domain, *(c.test for c in cells if not isinstance(c.test, dict))]
            literals = [c for test in tests if test is not None for c in comparisons(test)]
            kinds = {kind_of(c.value) for c in literals} - {"null"}
            if kinds not in ({"number"}, {"boolean"}):
                continue
            column.kind = kinds.pop()
            plural = _KINDS_OF_CELLS[column.kind]
            self.table.warn(
                f"the cells are {plural}, although the column is text according to"
                f" {column.source}, and are read as {plural}; correct the typeRef",
                header=column.name,
            )

    def tests(self, text: str) -> Tests | None:
        """Return a cell that names other data or calls functions, None for any other cell."""
        if text not in self.parsed:
            try:
                cell = Cell(text, parse(text))
                self.table.parsed[text] = cell  # so that it is parsed only once
                self.parsed[text] = None
            except FormatError:
                self.parsed[text] = self.expressions(text)
        return self.parsed[text]

    def unordered(self, text: str, column: Input) -> Tests | None:
        """Return a cell that no feature can represent, None for others.

        It orders text of which not all values are listed, or has a time with a time zone.
        """
        if column.kind not in (None, "text", "time"):
            return None
        cell = self.table.parsed.get(text)
        if not isinstance(cell, Cell) or isinstance(cell.test, dict) or column.feature:
            return None
        is_open = column.domain is None
        opaque = (
            (c.order in ORDERS and isinstance(c.value, str) and is_open)
            or (isinstance(c.value, dt.time) and c.value.tzinfo is not None)
            for c in comparisons(cell.test)
        )
        return self.expressions(text, literals=True) if any(opaque) else None

    def expressions(self, text: str, *, literals: bool = False) -> Tests | None:
        from irenic.formats.feel.interpreter import parse_tests

        known = self.decisions.names
        try:
            tests = parse_tests(text, known)
        except FormatError:
            return None
        names = tests.names - {"?"}
        calls = "?" in tests.names and not all(item.order for item in tests.items)
        varies = not all(item.value.constant for item in tests.items)  # today()
        unknown = names - known
        unclear = _UNCLEAR.search(_STRING.sub("", text)) or {n.lower() for n in unknown} & _LITERALS
        if unknown and (self.decisions.declares_data or unclear):
            return None
        return tests if names or calls or varies or literals else None

    def annotations(self) -> Iterator[tuple[str | None, tuple[tuple[int, str], ...]]]:
        """Yield the descriptions of rules, and the columns of annotations."""
        rules = self.node.all("rule")
        columns: list[tuple[str | None, list[list[Node]]]]
        columns = [(None, [rule.all("description") for rule in rules])]
        entries = [rule.all("annotationEntry") for rule in rules]
        names = [node.get("name") for node in self.node.all("annotation")]
        names += [""] * (max(map(len, entries), default=0) - len(names))
        columns += [
            (name, [of_rule[place : place + 1] for of_rule in entries])
            for place, name in enumerate(names)
        ]
        for name, nodes in columns:
            notes: dict[tuple[int, str], None] = {}
            for number, (rule, of_rule) in enumerate(zip(rules, nodes, strict=True), 1):
                for note in of_rule:
                    row = self.ours(rule, "row", _row_number) or number
                    if text := without_accepted(note.child_text() or note.text):
                        notes[row - 1, text] = None
            if notes or name is not None:
                yield name, tuple(notes)

    def value(self, node: Node) -> Hashable:
        """Return an output entry: the value of a literal, or the expression."""
        return as_output(node.written())

    def default(self) -> Hashable | None:
        exact = self.ours(self.node, "default", json_rules.decode_value)
        if exact is not None:
            return exact  # type: ignore[no-any-return]
        entries = [node.first("defaultOutputEntry") for node in self.outputs]
        if not any(entry is not None and entry.child_text() for entry in entries):
            return None
        parts = [as_output("") if entry is None else self.value(entry) for entry in entries]
        return parts[0] if len(parts) == 1 else tuple(parts)

    def ranking(self, types: list[Type]) -> tuple[Hashable, ...]:
        """Return the consequents by descending priority, which is the order of output values."""
        exact = self.ours(self.node, "ranking", _list)
        if exact is not None:
            return tuple(json_rules.decode_value(value) for value in exact)
        listed = [_listed(declared.allowed) for declared in types]
        if len(listed) == 1 or not any(listed):
            return tuple(listed[0]) if listed else ()
        places = [{value: place for place, value in enumerate(values)} for values in listed]

        def rank(then: Any) -> list[int]:
            return [at.get(v, len(at)) for at, v in zip(places, then, strict=True)]

        thens = [row.then for row in self.table.rows if isinstance(row.then, tuple)]
        distinct = dict.fromkeys(then for then in thens if len(then) == len(places))
        return tuple(sorted(distinct, key=rank))

    def output_type(self, node: Node) -> Type:
        """Return the kind and the allowed values of an output."""
        values = node.first("outputValues")
        text = "" if values is None else values.child_text()
        declared = ANY_TYPE
        try:
            with suppress(CompoundError):
                if reference := node.get("typeRef") or self.variable_type():
                    declared = self.model.type_of(reference, node)
            allowed = parse(text) if text else declared.allowed
        except FormatError as error:
            ranks = self.table.hit_policy in ("PRIORITY", "OUTPUT ORDER")
            note = self.table.fail if ranks else self.table.warn
            note(error.message, header=self.output_name(node), text=text, line=node.line)
            return declared
        return Type(declared.kind, None if allowed == ANYTHING else allowed)

    def unfit(self, types: list[Type]) -> Iterator[tuple[int, str, str]]:
        """Yield the rows with an outcome of another kind than declared, or not allowed."""
        columns = [*zip(self.table.outputs, types, strict=True)]
        for row in self.table.rows:
            thens = row.then if len(columns) > 1 else (row.then,)
            if not isinstance(thens, tuple) or len(thens) != len(columns):
                continue  # given by an attribute of ours
            for then, (name, declared) in zip(thens, columns, strict=True):
                if why := _why_unfit(then, declared):
                    yield row.number - 1, name if len(columns) > 1 else "", why

    def variable_type(self) -> str:
        parent = self.node.parent
        variable = None if parent is None else parent.first("variable")
        # all rows that apply count there, so that the type is that of a list or of an aggregation
        collects = self.table.hit_policy in ("RULE ORDER", "COLLECT")
        many = collects or len(self.outputs) > 1
        return "" if variable is None or many else variable.get("typeRef")

    # --- what DMN cannot represent

    def ours(self, node: Node, name: str, decode: Callable[[Any], Any]) -> Any:
        """Return the decoded value of an attribute in our namespace, None if there is none."""
        text = node.get(f"{OURS} {name}")
        if not text:
            return None
        try:
            return decode(json_rules.load_json(text))
        except (ValueError, TypeError, OverflowError, RecursionError, IrenicError) as error:
            reason = error.message if isinstance(error, FormatError) else str(error)
            self.table.fail(f"the attribute 'irenic:{name}': {reason}", text=text, line=node.line)
            return None


def _listed(allowed: Test | None) -> list[Hashable]:
    """Return the values of a test that lists values, none for any other test."""
    tests = allowed.tests if isinstance(allowed, AnyOf) else (allowed,)
    if not all(isinstance(test, Compare) and test.order == "=" for test in tests):
        return []
    values = (test.value for test in tests if isinstance(test, Compare))
    return list(dict.fromkeys(value for value in values if value is not None))


def _why_unfit(then: Hashable, declared: Type) -> str:
    """Return why an outcome does not fit its column, "" if it does or is computed."""
    if isinstance(then, Expression):
        return ""
    kind = kind_of(then)
    if kind == "number" and then % 1 == 0:  # type: ignore[operator]
        kind = "integer"
    if declared.kind is not None and kind not in _FITTING[declared.kind] and kind in _KINDS:
        return f"the outcome {display(then)} must be {_KINDS[declared.kind]} according to its type"
    values = _listed(declared.allowed)
    if declared.allowed is None or _is_allowed(then, declared.allowed, values):
        return ""
    listed = ", ".join(map(say, values)) or feel_text(declared.allowed)
    return f"the outcome {say(then)} is not among the allowed {short(listed)}"


def _is_allowed(then: Hashable, allowed: Test, values: list[Hashable]) -> bool:
    if any(kind_of(value) == kind_of(then) and value == then for value in values):
        return True
    from irenic.formats.feel.interpreter import parse_tests, to_feel

    return parse_tests(feel_text(allowed)).holds(to_feel(then), {})


def _accepted(node: Node | None) -> list[str]:
    """Return the findings that the description and the annotations of an element accept."""
    notes = [] if node is None else [*node.all("description"), *node.all("annotationEntry")]
    return [text for note in notes for text in accepted_in(note.child_text() or note.text)]


def as_output(text: str) -> Hashable:
    """Return the value of an output entry that is a literal, else the expression itself."""
    try:
        value = parse_value(text) if text else None
    except FormatError:
        return Expression(text)
    return Expression("null") if value is None else value


def _row_number(data: Any) -> int:
    if type(data) is not int or not 1 <= data <= 1_000_000:
        raise FormatError(f"a row number must be an integer from 1 to 1,000,000, got {data!r}")
    return data


def _text(data: Any) -> str:
    if not isinstance(data, str):
        raise FormatError(f"the value must be text, got {data!r}")
    return data


def _list(data: Any) -> list[Any]:
    if not isinstance(data, list):
        raise FormatError(f"the value must be a list, got {data!r}")
    return data


def _impossible(data: Any) -> list[list[ParsedCondition]]:
    for region in _list(data):
        if not isinstance(region, dict):
            raise FormatError(f"a region must be an object of conditions, got {region!r}")
    return [json_rules.decode_conditions(region) for region in data]
