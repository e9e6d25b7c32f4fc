"""Write rules as a DMN 1.3 model with one decision table; read back, they are equal.

What DMN cannot represent (integers, missing values, units, weights, values that FEEL has no
literal for, and names that FEEL cannot hold) is written to attributes of our own namespace, and
only if it is needed: the model is first read back without them to find out what is lost.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final
from xml.sax.saxutils import escape, quoteattr

from irenic.errors import FormatError, IrenicError
from irenic.formats._branches import check_whole
from irenic.formats.dmn import reading as dmn
from irenic.formats.feel.names import KEYWORDS
from irenic.formats.feel.sets import cell_text, literal_text
from irenic.formats.feel.unary_tests import kind_of
from irenic.formats.json import rules as json_rules
from irenic.formats.tables.lines import Line, accepts_of, lines_of, split_thens
from irenic.model.decision_table import DecisionTable
from irenic.model.features import Categorical, Continuous, Feature
from irenic.model.literals import Expression
from irenic.model.rulelist import RuleList
from irenic.model.ruleset import RuleSet

_MODEL: Final = "https://www.omg.org/spec/DMN/20191111/MODEL/"
_TYPES: Final = {
    "number": "number",
    "integer": "number",
    "text": "string",
    "boolean": "boolean",
    "date": "date",
    "time": "time",
    "datetime": "date and time",
    "duration": "days and time duration",
    "months": "years and months duration",
}
# The characters of names in FEEL, as its grammar lists them.
_START: Final = (
    "A-Z_a-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c-\u200d"
    "\u2070-\u218f\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
_INSIDE: Final = rf"{_START}0-9\u00b7\u0300-\u036f\u203f-\u2040./'’+*\- "
_INVALID: Final = re.compile(rf"[^{_INSIDE}]+")
_BEGINS: Final = re.compile(rf"[{_START}]")
_NOT_IN_XML: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def dumps(rules: RuleSet | RuleList | DecisionTable, *, name: str = "") -> str:
    """Return rules as DMN: a list as FIRST, a set as UNIQUE if no rules overlap, else as ANY."""
    table = DecisionTable.from_rules(rules, name=name)
    check_whole(table.rules, "DMN")
    policy = table.hit_policy or _policy(table.rules)
    writer = _ModelWriter(table, policy, table.name or name or "rules")
    text = writer.model()
    if not writer.learn(text):
        return text
    return writer.model()


def _policy(rules: RuleSet) -> str:
    disjoint = not len(rules.conflicts(limit=1)) and not len(rules.overlaps(limit=1))
    return "UNIQUE" if disjoint else "ANY"


def feel_names(names: Sequence[str], taken: Iterable[str] = ()) -> list[str]:
    """Return names that FEEL can hold; those that it can hold already are kept."""
    plain = [_feel_name(name) for name in names]
    used = {name for name, same in zip(names, plain, strict=True) if name == same} | {*taken}
    results = []
    for name, changed in zip(names, plain, strict=True):
        result, number = changed, 1
        while result != name and result in used:
            number += 1
            result = f"{changed} {number}"
        used.add(result)
        results.append(result)
    return results


def _feel_name(name: str) -> str:
    result = " ".join(_INVALID.sub("_", " ".join(name.split())).split())
    if not _BEGINS.match(result) or result.split()[0] in KEYWORDS:
        result = f"_{result}"
    return result


class _ModelWriter:
    """Writes a table as XML, with those of our attributes that are needed to lose nothing."""

    def __init__(self, table: DecisionTable, policy: str, name: str) -> None:
        self.table, self.policy, self.name = table, policy, name
        self.lines = lines_of(table)
        self.accepts = accepts_of(table)
        self.spread = split_thens(table)
        own = [name for name in table.space.names if name not in table.computed]
        used = {n for c in table.computed.values() for n in getattr(c, "names", ())}
        self.data = dict(zip(own, feel_names(own, used), strict=True))
        """Names of input data by feature; those that FEEL cannot hold are replaced."""
        self.renamed = {name for name, data in self.data.items() if data != name} - used
        self.features = {*self.renamed}
        self.keep: set[str] = set()
        annotations = table.provenance.annotations
        self.notes = [(name, _joined(notes)) for name, notes in annotations if name is not None]
        """The names of annotations, and their texts by row."""
        self.described = {
            row: text
            for name, notes in annotations
            if name is None
            for row, text in _joined(notes).items()
        }

    # --- what DMN alone would lose

    def learn(self, text: str) -> bool:
        """Find out which attributes are needed by reading a model without them; True for any."""
        table = self.table
        try:
            tables = dmn.parse_dmn(text.encode("utf-8")).bound(None).tables
            back = tables[0] if tables else None
        except IrenicError:
            back = None
        if back is None:
            self.features = set(table.space.names)
            self.keep = {"row", "ranking", "impossible"}
            return True
        names = back.space.names
        if names != table.space.names:
            self.features = set(table.space.names)
        else:
            pairs = zip(table.space, back.space, strict=True)
            self.features |= {a.name for a, b in pairs if not _same(a, b)}
        if (back.rows, back.n_rows) != (table.rows, table.n_rows):
            self.keep.add("row")
        if back.ranking != table.ranking:
            self.keep.add("ranking")
        impossible = table.space.impossible
        if {*back.space.impossible} != {*impossible} or (self.features and impossible):
            self.keep.add("impossible")
        return bool(self.features or self.keep)

    # --- elements

    def model(self) -> str:
        table = self.table
        title, (short,) = _attribute(self.name), feel_names([self.name])
        name = _attribute(short)
        thens = self.outcome_types()
        parts = [
            '<?xml version="1.0" encoding="UTF-8"?>',
            f'<definitions xmlns="{_MODEL}" xmlns:irenic="{dmn.OURS}"',
            f'    id="definitions" name={title} namespace="{dmn.OURS}:model">',
        ]
        needs = []
        kinds = {self.feel(f.name): _kind(f) for f in table.space if f.name in self.data}
        for computed in table.computed.values():
            kinds = dict.fromkeys(sorted(getattr(computed, "names", ())), "") | kinds
        for number, (data, kind) in enumerate(kinds.items(), 1):
            label = _attribute(data)
            parts += [
                f'  <inputData id="data{number}" name={label}>',
                f"    <variable name={label}{_type(kind)}/>",
                "  </inputData>",
            ]
            needs.append(
                f'    <informationRequirement id="needs{number}"><requiredInput'
                f' href="#data{number}"/></informationRequirement>'
            )
        parts.append(f'  <decision id="decision" name={name}>')
        parts += self.description(None, "    ")
        result = thens[0] if len(thens) == 1 else ""
        parts += [f"    <variable name={name}{_type(result)}/>", *needs]
        parts.append(f"    {self.opening()}")
        parts += [self.input(n, f) for n, f in enumerate(table.space, 1)]
        parts += [self.output(n, kind) for n, kind in enumerate(thens)]
        parts += [f"      <annotation name={_attribute(name)}/>" for name, _ in self.notes]
        parts += [self.rule(n, line) for n, line in enumerate(self.lines, 1)]
        parts += ["    </decisionTable>", "  </decision>", "</definitions>"]
        return "\n".join(parts) + "\n"

    def opening(self) -> str:
        table = self.table
        identifier = _attribute(table.provenance.id or "table")
        text = f'<decisionTable id={identifier} hitPolicy="{self.policy}"'
        text += f' aggregation="{table.aggregation}"' if table.aggregation else ""
        if feel_names([self.name]) != [self.name]:
            text += _ours("name", self.name)
        if "row" in self.keep:
            text += f' irenic:rows="{table.n_rows}"' if table.n_rows else ""
        if "ranking" in self.keep:
            text += _ours("ranking", [json_rules.encode_value(v) for v in table.ranking])
        if "impossible" in self.keep:
            text += _ours(
                "impossible", [json_rules.encode_region(r) for r in table.space.impossible]
            )
        default = table.rules.default
        if default is not None and not self.has_literal(default):
            text += _ours("default", json_rules.encode_value(default))
        return text + ">"

    def input(self, number: int, feature: Feature) -> str:
        ours = ""
        if feature.name in self.features:
            ours = _ours("feature", json_rules.encode_feature(feature))
        domain = _domain(feature)
        computed = self.table.computed.get(feature.name)
        expression = getattr(computed, "text", self.feel(feature.name))
        label = f" label={_attribute(feature.name)}" if feature.name in self.renamed else ""
        text = f'      <input id="input{number}"{label}{ours}>\n'
        text += (
            f'        <inputExpression id="expression{number}"{_type(_kind(feature))}><text>'
            f"{_escaped(expression)}</text></inputExpression>\n"
        )
        if domain:
            text += f"        <inputValues><text>{_escaped(domain)}</text></inputValues>\n"
        return text + "      </input>"

    def feel(self, name: str) -> str:
        """Return the name of a feature in expressions."""
        return self.data[name] if name in self.renamed else name

    def outcome_types(self) -> list[str]:
        """Return the kind of each output column, "" if its values are of several kinds."""
        thens = [line.then for line in self.lines]
        if self.spread == 1:
            columns: list[list[Any]] = [list(thens)]
        else:
            columns = [[then[i] for then in thens] for i in range(self.spread)]  # type: ignore[index]
        kinds = [{kind_of(value) for value in column} for column in columns]
        return [next(iter(k)) if len(k) == 1 and k <= set(_TYPES) else "" for k in kinds]

    def output(self, place: int, kind: str) -> str:
        table = self.table
        names = table.outputs if self.spread > 1 else table.outputs[:1] or ("then",)
        # an output is used only after a dot, where keywords are names
        safe = names[place] if names[place] in KEYWORDS else feel_names(names)[place]
        text = f'      <output id="output{place + 1}" name={_attribute(safe)}{_type(kind)}'
        if safe != names[place]:
            text += f" label={_attribute(names[place])}{_ours('name', names[place])}"
        inner = []
        if table.ranking and self.spread == 1:
            values = [_literal(value) for value in table.ranking]
            if None not in values:
                listed = _escaped(", ".join(v for v in values if v is not None))
                inner.append(f"        <outputValues><text>{listed}</text></outputValues>")
        default = table.rules.default
        if default is not None and self.has_literal(default):
            literal = _escaped(_literal(self.parts(default)[place]) or "")
            inner.append(f"        <defaultOutputEntry><text>{literal}</text></defaultOutputEntry>")
        return "\n".join([text + ">", *inner, "      </output>"]) if inner else f"{text}/>"

    def parts(self, then: Any) -> list[Any]:
        return list(then) if self.spread > 1 else [then]

    def has_literal(self, then: Any) -> bool:
        return all(_literal(part) is not None for part in self.parts(then))

    def rule(self, number: int, line: Line) -> str:
        try:
            return self._rule(number, line)
        except FormatError as error:
            raise FormatError(f"rule {number}: {error.message}") from None

    def tests(self, line: Line) -> Iterator[tuple[str, str]]:
        """Yield the cells of a line, each with the attribute that it needs, "" for none."""
        for text in line.texts:
            yield text, ""
        for conditions in line.cells:
            try:
                yield cell_text(conditions), ""
            except FormatError:  # FEEL has no literal for one of the values
                yield "-", _ours("test", json_rules.encode_operators(conditions[0]))

    def description(self, row: int | None, indent: str) -> Iterator[str]:
        """Yield the description of a row, with its acceptances, or the acceptances of the table."""
        texts = [self.described[row]] if row in self.described else []
        texts += [f"accept: {text}" for text in self.accepts.get(row, ())]
        if texts:
            comment = "\n".join(texts)
            yield f"{indent}<description>{_escaped(comment)}</description>"

    def _rule(self, number: int, line: Line) -> str:
        text = f'      <rule id="rule{number}"'
        if "row" in self.keep:
            text += f' irenic:row="{line.row + 1}"'
        if line.weight != 1.0:
            text += _ours("weight", json_rules.encode_value(line.weight))
        if not self.has_literal(line.then):
            text += _ours("then", json_rules.encode_value(line.then))
        parts = [text + ">", *self.description(line.row, "        ")]
        for place, (test, ours) in enumerate(self.tests(line), 1):
            parts.append(
                f'        <inputEntry id="test{number}.{place}"{ours}><text>{_escaped(test)}</text>'
                "</inputEntry>"
            )
        for place, value in enumerate(self.parts(line.then), 1):
            literal = _escaped(_literal(value) or "null")
            parts.append(
                f'        <outputEntry id="then{number}.{place}"><text>{literal}</text>'
                "</outputEntry>"
            )
        for place, (_, notes) in enumerate(self.notes, 1):
            parts.append(
                f'        <annotationEntry id="note{number}.{place}"><text>'
                f"{_escaped(notes.get(line.row, ''))}</text></annotationEntry>"
            )
        return "\n".join([*parts, "      </rule>"])


def _joined(notes: Iterable[tuple[int, str]]) -> dict[int, str]:
    """Return notes by row; several of one row are lines."""
    texts: dict[int, str] = {}
    for row, text in notes:
        texts[row] = f"{texts[row]}\n{text}" if row in texts else text
    return texts


def _same(a: Feature, b: Feature) -> bool:
    """Return whether two features are equal, including the types of their values."""
    if isinstance(a, Categorical) and isinstance(b, Categorical):
        return a == b and [*map(type, a.values)] == [*map(type, b.values)]
    return a == b


def _kind(feature: Feature) -> str:
    if isinstance(feature, Continuous):
        return feature.kind
    kinds = {kind_of(value) for value in feature.values}
    return next(iter(kinds)) if len(kinds) == 1 and kinds <= set(_TYPES) else ""


def _type(kind: str) -> str:
    return f' typeRef="{_TYPES[kind]}"' if kind else ""


def _domain(feature: Feature) -> str:
    """Return the possible values of a feature in FEEL, "" if unlimited or without literals."""
    try:
        null = ", null" if feature.missing else ""
        if isinstance(feature, Categorical):
            both = _kind(feature) == "boolean" and len(feature.values) == 2
            if feature.other or both:
                return ""
            return ", ".join(map(literal_text, feature.values)) + null
        low, high = feature.bounds
        if low is None and high is None:
            return ""
        if low is not None and high is not None:
            return f"[{literal_text(low)}..{literal_text(high)}]{null}"
        order, bound = (">=", low) if high is None else ("<=", high)
        return f"{order} {literal_text(bound)}{null}"
    except FormatError:
        return ""


def _literal(value: Any) -> str | None:
    """Return a consequent as an output entry that reads back as equal, None if there is none."""
    try:
        text = value.text if isinstance(value, Expression) else literal_text(value)
    except FormatError:
        return None
    back = dmn.as_output(text.strip())
    if type(back) is not type(value) or back != value or _NOT_IN_XML.search(text):
        return None
    return text


def _ours(name: str, data: Any) -> str:
    return f" irenic:{name}={quoteattr(json.dumps(data))}"


def _attribute(text: str) -> str:
    return quoteattr(_NOT_IN_XML.sub("\ufffd", text), {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})


def _escaped(text: str) -> str:
    return escape(_NOT_IN_XML.sub("\ufffd", text), {"\r": "&#13;"})
