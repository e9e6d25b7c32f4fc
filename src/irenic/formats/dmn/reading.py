"""Decision tables of DMN models, versions 1.1 to 1.5.

Every ``decisionTable`` is read, wherever it stands: in decisions, business knowledge models and
contexts. Elements count by their local names, whatever the version. The domain of an input is what
its ``inputValues`` say, else what its type allows, else both booleans, else the whole axis. A cell
that is no unary test, or a type that is not known, is a mistake of its table; other tables are read
all the same. Attributes of the namespace of :data:`OURS` hold what DMN cannot say.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any, Final

from irenic.errors import FormatError, IrenicError, did_you_mean
from irenic.formats.dmn import _xml as dmn_xml
from irenic.formats.dmn._types import ANY_TYPE, Model, Type
from irenic.formats.dmn._xml import Node
from irenic.formats.feel.unary_tests import ANYTHING, Test, comparisons, parse, parse_value
from irenic.formats.json import rules as json_rules
from irenic.formats.parsed import Parsed
from irenic.formats.tables.assembly import assemble
from irenic.formats.tables.drafts import MOST_COLUMNS, POLICIES, Cell, Draft, Input, Row
from irenic.model.decision_table import HIT_POLICIES, HitPolicy
from irenic.model.literals import Expression, counted
from irenic.model.region import Region
from irenic.model.space import Space

OURS: Final = "urn:irenic:dmn"
_POLICIES: Final[dict[str, tuple[HitPolicy, str]]] = {p: (p, "") for p in HIT_POLICIES} | POLICIES
_AGGREGATIONS: Final = ("", "SUM", "COUNT", "MIN", "MAX")


def parse_dmn(raw: bytes, *, path: Path | None = None) -> Parsed:
    """Return the decision tables of a DMN model, and what is wrong with those that are not.

    Parameters
    ----------
    raw : bytes
    path : Path, optional
        Where the model is: models that it imports are looked for beside it.
    """
    root = dmn_xml.parse(raw)
    if root.tag == "Definitions":
        raise FormatError(
            "DMN 1.0, which is not read; save the model as DMN 1.1 or later", line=root.line
        )
    if root.tag != "definitions":
        raise FormatError(
            f"not DMN: the file holds <{root.tag}>, not <definitions>", line=root.line
        )
    model = Model(root, path)
    drafts = [_Reader(model, node).draft() for node in root.descendants("decisionTable")]
    return Parsed("dmn", drafts, assemble, imports=model.imported())


def _name(table: Node) -> str:
    """Return what a table is called: its decision, and within that its entries of contexts."""
    names: list[str] = []
    for node in table.ancestors():
        if node.tag in ("decision", "businessKnowledgeModel"):
            return ".".join([node.get("name") or node.get("id"), *names])
        if node.tag == "contextEntry":
            variable = node.first("variable")
            names.insert(0, "" if variable is None else variable.get("name"))
            names = [name for name in names if name]
    return ".".join(names) or table.get("label") or table.get("id")


class _Reader:
    """One decision table of a model, read into a draft."""

    def __init__(self, model: Model, node: Node) -> None:
        self.model, self.node = model, node
        self.inputs = node.all("input")
        self.outputs = node.all("output")
        self.made = Draft(_name(node), node.get("id"), node.line)
        self.language = model.root.get("expressionLanguage")

    def draft(self) -> Draft:
        made, node = self.made, self.node
        if len(self.inputs) + len(self.outputs) > MOST_COLUMNS:
            made.fail(f"a table of more than {MOST_COLUMNS:,} columns", line=node.line)
            return made
        self.policy()
        names = self.input_names()
        made.inputs = [self.input(n, name) for n, name in zip(self.inputs, names, strict=True)]
        made.outputs = tuple(self.output_name(n) for n in self.outputs) or ("then",)
        if not self.outputs:
            made.fail("the table has no output column", line=node.line)
        for number, rule in enumerate(node.all("rule"), 1):
            self.rule(number, rule)
        rows = self.ours(node, "rows", _whole)
        made.n_rows = max([rows or 0, *(row.number for row in made.rows)])
        made.default = self.default()
        notes = [n for rule in node.all("rule") for n in rule.all("annotationEntry") if n.said()]
        made.left_out = (counted(len(notes), "annotation"),) if notes else ()
        made.ranking = self.ranking()
        regions = self.ours(node, "outside", _list)
        if regions is not None:
            made.outside = lambda space: [_region(data, space) for data in regions]
        return made

    def policy(self) -> None:
        made, node = self.made, self.node
        said = " ".join(node.get("hitPolicy").upper().replace("_", " ").split()) or "UNIQUE"
        if said not in _POLICIES:
            hint = did_you_mean(said, HIT_POLICIES)
            made.fail(f"unknown hit policy {node.get('hitPolicy')!r}{hint}", line=node.line)
        made.hit_policy, collected = _POLICIES.get(said, (None, ""))
        made.aggregation = node.get("aggregation").strip().upper() or collected
        if made.aggregation not in _AGGREGATIONS:
            made.fail(f"unknown aggregation {node.get('aggregation')!r}", line=node.line)

    # --- columns

    def input_names(self) -> list[str]:
        """Return what the inputs are called: by expression, else by label, no two labels alike."""
        texts = [_expression(node) for node in self.inputs]
        labels = [node.get("label").strip() for node in self.inputs]
        alike = Counter(label for label, text in zip(labels, texts, strict=True) if not text)
        taken, numbers = set(texts), Counter[str]()
        for place, node in enumerate(self.inputs):
            if texts[place]:
                continue
            label = labels[place] or f"input {place + 1}"
            if alike[label] > 1:
                label = _variable(node) or label
            name = label
            while name in taken:
                numbers[label] += 1
                name = f"{label} {numbers[label] + 1}"
            texts[place] = name
            taken.add(name)
        return texts

    def input(self, node: Node, name: str) -> Input:
        feature = self.ours(node, "feature", json_rules.decode_feature)
        expression = node.first("inputExpression")
        if feature is not None:
            return Input(feature.name, feature=feature)
        found = Input(name)
        try:
            kind = self.type_of(expression, name)
            found.kind = kind.kind
            found.source = self.source(expression) if kind.kind else ""
            values = node.first("inputValues")
            said = "" if values is None else values.said()
            own = self.allowed(said)
            found.domain = kind.allowed if own is None else own
        except FormatError as error:
            self.made.fail(error.message, header=name, line=node.line)
        return found

    def type_of(self, expression: Node | None, name: str) -> Type:
        reference = "" if expression is None else expression.get("typeRef")
        found = self.model.type_of(reference, expression or self.node) if reference else ANY_TYPE
        return self.model.named(name, self.node) if found == ANY_TYPE else found

    def source(self, expression: Node | None) -> str:
        reference = "" if expression is None else expression.get("typeRef").strip()
        if reference.lower() in ("", "any", "feel:any"):
            return "the typeRef of its data"
        return f"typeRef {reference}"

    def allowed(self, text: str) -> Test | None:
        try:
            found = parse(text)
        except FormatError as error:
            raise FormatError(f"the input values {text!r}: {error.message}") from None
        return None if found == ANYTHING else found

    def output_name(self, node: Node) -> str:
        label = self.node.get("outputLabel")
        return node.get("name") or node.get("label") or label or self.made.name or "then"

    # --- rows

    def rule(self, number: int, node: Node) -> None:
        made = self.made
        tests, thens = node.all("inputEntry"), node.all("outputEntry")
        for what, entries, columns in (
            ("input", tests, self.inputs),
            ("output", thens, self.outputs),
        ):
            if len(entries) != len(columns):
                made.fail(
                    f"{len(entries)} {what} entries for {len(columns)} {what} columns",
                    rule=number,
                    line=node.line,
                )
                return
        cells = [
            self.cell(number, entry, column.name)
            for entry, column in zip(tests, made.inputs, strict=True)
        ]
        parts = [self.value(entry) for entry in thens]
        weight = self.ours(node, "weight", lambda data: float(json_rules.decode_value(data)))
        row = self.ours(node, "row", _whole) or number
        then = parts[0] if len(parts) == 1 else tuple(parts)
        whole = self.ours(node, "then", json_rules.decode_value)
        made.rows.append(
            Row(
                row,
                node.line,
                cells,
                then if whole is None else whole,
                1.0 if weight is None else weight,
            )
        )

    def cell(self, number: int, node: Node, header: str) -> Cell:
        said = self.ours(node, "test", lambda data: json_rules.decode_operators(header, data))
        if said is not None:
            return Cell(node.get(f"{OURS} test"), said)
        text = node.said() if node.children else node.text.strip()
        language = node.get("expressionLanguage") or self.language
        if language and "feel" not in language.lower() and text not in ("", "-"):
            self.made.fail(
                f"written in {language}; only FEEL is read",
                rule=number,
                header=header,
                text=text,
                line=node.line,
            )
            return Cell("", ANYTHING)
        return self.made.read_cell(text, number, header, node.line)

    def value(self, node: Node) -> Hashable:
        """Return an output entry: a literal as what it is, all else as its text."""
        return as_output(node.said() if node.children else node.text.strip())

    def default(self) -> Hashable | None:
        whole = self.ours(self.node, "default", json_rules.decode_value)
        if whole is not None:
            return whole  # type: ignore[no-any-return]
        entries = [node.first("defaultOutputEntry") for node in self.outputs]
        if not any(entry is not None and entry.said() for entry in entries):
            return None
        parts = [as_output("") if entry is None else self.value(entry) for entry in entries]
        return parts[0] if len(parts) == 1 else tuple(parts)

    def ranking(self) -> tuple[Hashable, ...]:
        """Return the consequents from the highest priority on, as the output values tell."""
        whole = self.ours(self.node, "ranking", _list)
        if whole is not None:
            return tuple(json_rules.decode_value(value) for value in whole)
        if self.made.hit_policy not in ("PRIORITY", "OUTPUT ORDER"):
            return ()
        listed = [self.output_values(node) for node in self.outputs]
        if len(listed) == 1:
            return tuple(listed[0])
        places = [{value: place for place, value in enumerate(values)} for values in listed]

        def rank(then: Any) -> list[int]:
            return [at.get(v, len(at)) for at, v in zip(places, then, strict=True)]

        spread = [t for t in (row.then for row in self.made.rows) if isinstance(t, tuple)]
        distinct = dict.fromkeys(t for t in spread if len(t) == len(places))
        return tuple(sorted(distinct, key=rank))

    def output_values(self, node: Node) -> list[Hashable]:
        values = node.first("outputValues")
        text = "" if values is None else values.said()
        try:
            if text:
                allowed: Test | None = parse(text)
            else:
                reference = node.get("typeRef") or self.variable_type()
                allowed = self.model.type_of(reference, node).allowed if reference else None
        except FormatError as error:
            self.made.fail(error.message, header=self.output_name(node), text=text, line=node.line)
            return []
        if allowed is None:
            return []
        return list(dict.fromkeys(c.value for c in comparisons(allowed) if c.value is not None))

    def variable_type(self) -> str:
        parent = self.node.parent
        variable = None if parent is None else parent.first("variable")
        return "" if variable is None or len(self.outputs) > 1 else variable.get("typeRef")

    # --- what DMN cannot say

    def ours(self, node: Node, name: str, decode: Callable[[Any], Any]) -> Any:
        """Return what an attribute of our namespace holds, None if it is not there."""
        text = node.get(f"{OURS} {name}")
        if not text:
            return None
        try:
            return decode(json_rules.load_json(text))
        except (ValueError, TypeError, OverflowError, RecursionError, IrenicError) as error:
            reason = error.message if isinstance(error, FormatError) else str(error)
            self.made.fail(f"the attribute {name!r}: {reason}", text=text, line=node.line)
            return None


def _expression(node: Node) -> str:
    return " ".join((node.first("inputExpression") or node).said().split())


def _variable(node: Node) -> str:
    """Return what Camunda calls the value of an input."""
    named = (v for k, v in node.attributes.items() if k.rpartition(" ")[2] == "inputVariable")
    return next(named, "").strip()


def as_output(text: str) -> Hashable:
    """Return what an output entry says: a literal, or an expression that is kept as it is.

    >>> as_output('"low"'), as_output("30"), as_output("price * 2"), as_output("")
    ('low', 30, Expression('price * 2'), Expression('null'))
    """
    try:
        value = parse_value(text) if text else None
    except FormatError:
        return Expression(text)
    return Expression("null") if value is None else value


def _whole(data: Any) -> int:
    if type(data) is not int or not 1 <= data <= 1_000_000:
        raise FormatError(f"{data!r} is not the number of a row")
    return data


def _list(data: Any) -> list[Any]:
    if not isinstance(data, list):
        raise FormatError(f"{data!r} is not a list")
    return data


def _region(data: Any, space: Space) -> Region:
    if not isinstance(data, dict):
        raise FormatError(f"{data!r} is not a region")
    return json_rules.decode_region(data, space)
