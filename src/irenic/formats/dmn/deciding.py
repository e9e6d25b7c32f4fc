"""Decide cases with a whole DMN model: its decisions, and the data and knowledge that they require.

Expressions are FEEL. What is undefined there is None, and so is a decision without logic. A table
under UNIQUE of which two rows hold, or under ANY whose rows disagree, has no outcome: None.
"""

from __future__ import annotations

import datetime as dt
import re
from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from decimal import Decimal
from functools import cached_property
from typing import Any, Final

from irenic.errors import FormatError, did_you_mean
from irenic.formats.dmn._languages import as_feel, language_of, names_of
from irenic.formats.dmn._types import Model
from irenic.formats.dmn._xml import Node
from irenic.formats.feel.expressions import (
    Formula,
    Run,
    Scope,
    Tests,
    function,
    parse_expression,
    parse_tests,
)
from irenic.formats.feel.functions import FUNCTIONS, call
from irenic.formats.feel.unary_tests import comparisons
from irenic.formats.feel.values import equal, from_feel, to_feel
from irenic.formats.tables.drafts import POLICIES
from irenic.model.decision_table import HitPolicy, combined
from irenic.model.literals import Months

_EXPRESSIONS: Final = (
    "literalExpression", "decisionTable", "context", "invocation", "functionDefinition",
    "relation", "list", "conditional", "for", "some", "every", "filter",
)  # fmt: skip
_NAMED: Final = ("inputData", "decision", "businessKnowledgeModel", "decisionService")
_READERS: Final = {
    **dict.fromkeys(("number", "integer"), "number"),
    **dict.fromkeys(("duration", "months"), "duration"),
    "date": "date",
    "time": "time",
    "datetime": "date and time",
}


_NAME: Final = re.compile(r"([^\W\d][\w ]*)(?:\.[^\W\d]\w*)*")


def names_in(root: Node) -> frozenset[str]:
    """Return all names that the expressions of a model may use."""
    tags = [*_NAMED, "variable", "parameter", "formalParameter", "itemComponent", "column"]
    tags += ["output", "import"]
    return frozenset(
        " ".join(node.get("name").split())
        for tag in tags
        for node in root.descendants(tag)
        if node.get("name")
    )


def names_of_inputs(root: Node) -> frozenset[str]:
    """Return the names that are input expressions of tables, or begin their paths.

    An input without an expression is named by its label.
    """
    names = set()
    for node in root.descendants("input"):
        written = (node.first("inputExpression") or node).child_text() or node.get("label")
        if match := _NAME.fullmatch(" ".join(written.split())):
            names.add(match[1])
    return frozenset(names)


class Decisions:
    """The decisions of a model, which can be computed from the values of its input data."""

    def __init__(self, model: Model, known: dict[int, Decisions] | None = None) -> None:
        self.model = model
        self.known: dict[int, Decisions] = {} if known is None else known
        self.known[id(model)] = self
        self.nodes = {
            tag: {" ".join(node.get("name").split()): node for node in model.root.all(tag)}
            for tag in _NAMED
        }
        self.compiled: dict[int, Run] = {}
        self._names: frozenset[str] | None = None
        self.evaluates = False
        """Whether outcomes of the table of a decision are expressions."""
        self.hit_policy: HitPolicy | None = None
        """The hit policy of all tables, instead of those in the model."""

    def __getstate__(self) -> dict[str, Any]:
        kept = ("model", "evaluates", "hit_policy")
        return {name: getattr(self, name) for name in kept}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["model"])  # type: ignore[misc]
        self.evaluates, self.hit_policy = state["evaluates"], state["hit_policy"]

    @property
    def names(self) -> frozenset[str]:
        """The names that expressions may use, also those of imported models."""
        if self._names is None:
            self._names = names_in(self.model.root) | names_of_inputs(self.model.root)
            for name in self.model.imports:
                with suppress(FormatError):  # an import of another kind, or of a missing file
                    self._names |= self.imported(name).names
        return self._names

    @cached_property
    def declares_data(self) -> bool:
        """Whether the model declares its data, so that any other name is a mistake.

        Some engines need no declarations: the columns of their tables name variables of a process.
        """
        declared = names_in(self.model.root)
        columns = names_of_inputs(self.model.root)
        return bool(self.nodes["inputData"]) and columns <= declared

    @property
    def decisions(self) -> tuple[str, ...]:
        """The names of the decisions, in the order of the file."""
        return tuple(self.nodes["decision"])

    def required(self, node: Node) -> Iterator[tuple[str, Node | None]]:
        """Yield the ids that a decision or knowledge model requires, each with its element."""
        by_id = {part.get("id"): part for parts in self.nodes.values() for part in parts.values()}
        for tag in ("informationRequirement", "knowledgeRequirement"):
            for requirement in node.all(tag):
                for child in requirement.children:
                    place, _, name = child.get("href").rpartition("#")
                    if not place or place == self.model.namespace:
                        yield name, by_id.get(name)

    @property
    def top(self) -> tuple[str, ...]:
        """The names of the decisions that no other decision requires."""
        decisions = self.nodes["decision"]
        inner = {id(n) for node in decisions.values() for _, n in self.required(node)}
        return tuple(name for name, node in decisions.items() if id(node) not in inner)

    def chosen(self, name: str | None) -> str:
        """Return the name of a decision, given its name or id; None is the only top decision."""
        if name is None:
            if len(self.top) == 1:
                return self.top[0]
            names = ", ".join(map(repr, self.top or self.decisions))
            raise FormatError(
                f"the model has {len(self.top)} decisions that no other one requires ({names});"
                " choose one with table=… (--table …)"
            )
        for known, node in self.nodes["decision"].items():
            if name in (known, node.get("id")):
                return known
        raise FormatError(f"unknown decision {name!r}{did_you_mean(name, self.decisions)}")

    @property
    def is_network(self) -> bool:
        """Whether a decision needs more than one table: other decisions, or expressions."""
        nodes = [*self.nodes["decision"].values()]
        return (
            self.evaluates
            or len(nodes) > 1
            or any(node.first("decisionTable") is None for node in nodes)
        )

    @cached_property
    def declares_requirements(self) -> bool:
        """Whether any decision of the model says what it requires."""
        return any([*self.required(node)] for node in self.nodes["decision"].values())

    def inputs(self, decision: str) -> tuple[str, ...]:
        """Return the names of the input data that a decision requires, also through others."""
        seen: dict[int, Node] = {}
        stack = [self.nodes["decision"][decision]]
        while stack:
            node = stack.pop()
            if id(node) in seen:
                continue
            seen[id(node)] = node
            stack += [part for _, part in self.required(node) if part is not None]
        wanted = {id(node) for node in seen.values()}
        return tuple(name for name, n in self.nodes["inputData"].items() if id(n) in wanted)

    def decide(self, decision: str, case: Mapping[str, Any]) -> Any:
        """Return the outcome of a decision for a case; ``Applicant.Age`` is a component."""
        try:
            return from_feel(self.scope(case)[decision])
        except RecursionError:
            raise FormatError(f"decision {decision!r} is nested too deeply") from None

    def scope(self, case: Mapping[str, Any]) -> Scope:
        """Return everything that expressions can use for a case, computed when it is used."""
        return _Case(self, self.as_input(case))

    def call(self, name: str, arguments: Mapping[str, Any]) -> Any:
        """Return the result of a knowledge model or decision service."""
        scope = _Case(self, {})
        return from_feel(scope[name](**to_feel(dict(arguments))))

    def as_input(self, case: Mapping[str, Any]) -> dict[str, Any]:
        """Return a case as values of FEEL, of the declared types, with components in contexts."""
        values: dict[str, Any] = {}
        known = (*self.nodes["inputData"], *self.nodes["decision"])
        for name, value in case.items():
            if name in known or "." not in name:
                values[name] = to_feel(value)
                continue
            owner, *path, last = name.split(".")
            context = values.setdefault(owner, {})
            for part in path:
                context = context.setdefault(part, {})
            context[last] = to_feel(value)
        for name, node in self.nodes["inputData"].items():
            variable = node.first("variable")
            if name in values and variable is not None and (kind := variable.get("typeRef")):
                values[name] = self.model.converted(values[name], kind, variable, _typed)
        return values

    def imported(self, name: str) -> Decisions:
        """Return the decisions of the model that is imported under a name."""
        model = self.model.imported_as(name)
        other = self.known.get(id(model)) or Decisions(model, self.known)
        other.hit_policy = self.hit_policy
        return other

    # --- elements as functions of a scope

    def run_of(self, node: Node) -> Run:
        """Return the logic of an element as a function, compiled once."""
        run = self.compiled.get(id(node))
        if run is None:
            compile_node = getattr(self, f"_{node.tag}")
            run = self.compiled[id(node)] = compile_node(node)
        return run

    def logic(self, node: Node) -> Run:
        """Return the expression inside an element; None without one."""
        inner = next((child for child in node.children if child.tag in _EXPRESSIONS), None)
        return self.run_of(inner) if inner is not None else lambda scope: None

    def formula(self, text: str, node: Node) -> Formula:
        """Return a parsed expression; an error has the line of the element."""
        try:
            return parse_expression(text, self.names)
        except FormatError as error:
            message = f"the expression {text!r}: {error.message}"
            raise FormatError(message, line=node.line) from None

    def tests(self, text: str, node: Node) -> Tests:
        """Return a parsed cell; an error has the line of the element."""
        try:
            return parse_tests(text, self.names)
        except FormatError as error:
            raise FormatError(f"the cell {text!r}: {error.message}", line=node.line) from None

    def cell(self, node: Node, column: Node) -> Tests:
        """Return the parsed cell of a column, in FEEL or a language of which that can be made."""
        text = _text(node)
        declared = node.get("expressionLanguage") or self.model.root.get("expressionLanguage")
        language = language_of(text, declared)
        same = as_feel(text, language, names_of(column, self.names))
        if language and text not in ("", "-") and same is None:
            message = f"the cell {text!r} must be in FEEL, got {language}"
            raise FormatError(message, line=node.line)
        return self.tests(same or text, node)

    def text(self, node: Node) -> Run:
        """Return the expression that is the text of an element; None without one."""
        text = node.child_text() if node.children else node.text.strip()
        return self.formula(text, node).run if text else lambda scope: None

    def conforming(self, run: Run, reference: str, node: Node) -> Run:
        """Return a function whose result has a type: converted as in FEEL, otherwise None."""
        convert = self.conversion(reference, node) if reference else None
        if convert is None:
            return run
        return lambda scope: convert(run(scope))

    def conversion(self, reference: str, node: Node) -> Callable[[Any], Any] | None:
        """Return the conversion of values to a type, None if the type is any."""
        many = self.model.is_collection(reference, node)
        if many is None:
            return None
        kind = None
        with suppress(FormatError):  # a list, a structure or an unknown type
            kind = self.model.type_of(reference, node).kind

        def converted(value: Any) -> Any:
            if many:
                return [value] if value is not None and not isinstance(value, list) else value
            if isinstance(value, list) and len(value) == 1:
                value = value[0]
            return value if kind is None else _fitting(value, kind)

        return converted

    def named(self, node: Node) -> Run:
        """Return the logic of a decision or a context entry, with the type of its variable."""
        variable = node.first("variable")
        reference = "" if variable is None else variable.get("typeRef")
        return self.conforming(self.logic(node), reference, node)

    def _literalExpression(self, node: Node) -> Run:  # noqa: N802
        language = node.get("expressionLanguage") or self.model.root.get("expressionLanguage")
        if language and "feel" not in language.lower():
            message = f"the expression language must be FEEL, got {language}"
            raise FormatError(message, line=node.line)
        return self.text(node)

    def _context(self, node: Node) -> Run:
        entries = [
            ("" if (variable := entry.first("variable")) is None else variable.get("name"), entry)
            for entry in node.all("contextEntry")
        ]
        runs = [(" ".join(name.split()), self.named(entry)) for name, entry in entries]

        def run(scope: Scope) -> Any:
            values: dict[str, Any] = {}
            inner = ChainMap(values, scope)  # type: ignore[arg-type]
            for name, entry in runs:
                if not name:  # the result
                    return entry(inner)
                values[name] = entry(inner)
            return values

        return run

    def _invocation(self, node: Node) -> Run:
        called = self.logic(node)
        bindings = [
            (parameter.get("name"), self.logic(binding))
            for binding in node.all("binding")
            if (parameter := binding.first("parameter")) is not None
        ]

        def run(scope: Scope) -> Any:
            target = called(scope)
            arguments = {name: value(scope) for name, value in bindings}
            return target(**arguments) if callable(target) else None

        return run

    def _encapsulatedLogic(self, node: Node) -> Run:  # noqa: N802
        return self._functionDefinition(node)

    def _functionDefinition(self, node: Node) -> Run:  # noqa: N802
        if node.get("kind") not in ("", "FEEL"):
            raise FormatError(
                f"functions must be written in FEEL, got {node.get('kind')}", line=node.line
            )
        parameters = [" ".join(p.get("name").split()) for p in node.all("formalParameter")]
        body = self.logic(node)
        types = {
            name: self.conversion(reference, parameter)
            for name, parameter in zip(parameters, node.all("formalParameter"), strict=True)
            if (reference := parameter.get("typeRef"))
        }

        def run(scope: Scope) -> Any:
            values = {name: convert(scope.get(name)) for name, convert in types.items() if convert}
            if any(v is None and scope.get(name) is not None for name, v in values.items()):
                return None
            return body(ChainMap(values, scope))  # type: ignore[arg-type]

        return lambda scope: function(parameters, run if types else body, scope)

    def _relation(self, node: Node) -> Run:
        names = [column.get("name") for column in node.all("column")]
        rows = [
            [self.run_of(cell) for cell in row.children if cell.tag in _EXPRESSIONS]
            for row in node.all("row")
        ]
        return lambda scope: [
            dict(zip(names, (cell(scope) for cell in row), strict=False)) for row in rows
        ]

    def _list(self, node: Node) -> Run:
        parts = [self.run_of(part) for part in node.children if part.tag in _EXPRESSIONS]
        return lambda scope: [part(scope) for part in parts]

    def _part(self, node: Node, tag: str) -> Run:
        part = node.first(tag)
        if part is None:
            raise FormatError(f"<{node.tag}> must contain <{tag}>", line=node.line)
        return self.logic(part)

    def _conditional(self, node: Node) -> Run:
        test, then, otherwise = (self._part(node, tag) for tag in ("if", "then", "else"))
        return lambda scope: then(scope) if test(scope) is True else otherwise(scope)

    def _filter(self, node: Node) -> Run:
        items, test = self._part(node, "in"), self._part(node, "match")

        def run(scope: Scope) -> Any:
            values = items(scope)
            values = values if isinstance(values, list) else [values]
            return [
                value
                for value in values
                if test(
                    ChainMap({"item": value, **(value if isinstance(value, dict) else {})}, scope)  # type: ignore[arg-type]
                )
                is True
            ]

        return run

    def _iterated(self, node: Node, tag: str) -> Callable[[Scope], Iterator[Any]]:
        name = node.get("iteratorVariable")
        items, body = self._part(node, "in"), self._part(node, tag)

        def run(scope: Scope) -> Iterator[Any]:
            values = items(scope)
            for value in values if isinstance(values, list) else [values]:
                yield body(ChainMap({name: value}, scope))  # type: ignore[arg-type]

        return run

    def _for(self, node: Node) -> Run:
        results = self._iterated(node, "return")
        return lambda scope: [*results(scope)]

    def _some(self, node: Node) -> Run:
        results = self._iterated(node, "satisfies")
        return lambda scope: any(result is True for result in results(scope))

    def _every(self, node: Node) -> Run:
        results = self._iterated(node, "satisfies")
        return lambda scope: all(result is True for result in results(scope))

    def _decisionTable(self, node: Node) -> Run:  # noqa: N802
        return _InterpretedTable(self, node).run


_CLASSES: Final = {
    "number": Decimal,
    "integer": Decimal,
    "text": str,
    "boolean": bool,
    "date": dt.date,
    "time": dt.time,
    "datetime": dt.datetime,
    "duration": dt.timedelta | Months,
    "months": dt.timedelta | Months,
}


def _fitting(value: Any, kind: str) -> Any:
    """Return a value of a kind, None for a value of another kind; a date is its midnight in UTC."""
    if kind == "datetime" and type(value) is dt.date:
        return dt.datetime(value.year, value.month, value.day, tzinfo=dt.UTC)
    return value if isinstance(value, _CLASSES[kind]) else None


def _typed(value: Any, kind: str | None) -> Any:
    """Return text of a table of cases as the number, date or time that a type requires."""
    if kind == "text" and isinstance(value, Decimal):
        return format(value, "f")
    if kind == "date" and isinstance(value, dt.datetime):
        return value.date()
    if not isinstance(value, str) or kind in (None, "text"):
        return value
    text = value.strip()
    if kind == "boolean":
        return {"true": True, "false": False}.get(text.lower(), value)
    result = call(FUNCTIONS[_READERS[kind]], [text], {})
    return value if result is None else result


class _InterpretedTable:
    """A decision table that is read cell by cell, as DMN defines it."""

    def __init__(self, decisions: Decisions, node: Node) -> None:
        self.inputs = [
            decisions.text(node.first("inputExpression") or node) for node in node.all("input")
        ]
        allowed = [n.first("inputValues") for n in node.all("input")]
        self.allowed = [None if n is None else decisions.tests(n.child_text(), n) for n in allowed]
        outputs = node.all("output")
        self.names = [" ".join(output.get("name").split()) for output in outputs]
        self.rules = [
            (
                [
                    decisions.cell(entry, column)
                    for entry, column in zip(
                        rule.all("inputEntry"), node.all("input"), strict=False
                    )
                ],
                [decisions.text(entry) for entry in rule.all("outputEntry")],
            )
            for rule in node.all("rule")
        ]
        defaults = [output.first("defaultOutputEntry") for output in outputs]
        self.defaults = [None if n is None else decisions.text(n) for n in defaults]
        self.ranking = [_listed(decisions, output) for output in outputs]
        policy = " ".join(node.get("hitPolicy").upper().replace("_", " ").split()) or "UNIQUE"
        self.policy, aggregation = POLICIES.get(policy, (policy, ""))
        self.aggregation = node.get("aggregation").strip().upper() or aggregation
        self.policy = decisions.hit_policy or self.policy

    def run(self, scope: Scope) -> Any:
        values = [value(scope) for value in self.inputs]
        for value, allowed in zip(values, self.allowed, strict=True):
            if allowed is not None and value is not None and not _allows(allowed, value, scope):
                return None
        thens = [
            [output(scope) for output in outputs]
            for tests, outputs in self.rules
            if all(test.holds(v, scope) for test, v in zip(tests, values, strict=True))
        ]
        if not thens and any(self.defaults):
            return self.named([None if d is None else d(scope) for d in self.defaults])
        if self.policy in ("PRIORITY", "OUTPUT ORDER"):
            thens.sort(key=self.rank)
        if self.policy == "UNIQUE" and len(thens) > 1:
            return None
        if self.policy == "ANY" and any(equal(then, thens[0]) is not True for then in thens):
            return None
        if self.policy == "COLLECT" and self.aggregation not in ("", "COUNT"):
            return self.aggregated(thens)
        outcomes = [self.named(then) for then in thens]
        return to_feel(combined(outcomes, self.policy, self.aggregation))  # type: ignore[arg-type]

    def aggregated(self, thens: list[list[Any]]) -> Any:
        try:
            columns = [
                combined(from_feel([*c]), "COLLECT", self.aggregation)
                for c in zip(*thens, strict=True)
            ]
        except ValueError:
            return None
        return self.named(to_feel(columns)) if columns else None

    def named(self, then: list[Any]) -> Any:
        return then[0] if len(then) == 1 else dict(zip(self.names, then, strict=True))

    def rank(self, then: list[Any]) -> list[int]:
        return [
            next((i for i, value in enumerate(values) if equal(value, part)), len(values))
            for values, part in zip(self.ranking, then, strict=True)
        ]


def _text(node: Node) -> str:
    return node.child_text() if node.children else node.text.strip()


def _allows(allowed: Tests, value: Any, scope: Scope) -> bool:
    values = value if isinstance(value, list) else [value]
    return all(allowed.holds(part, scope) for part in values)


def _listed(decisions: Decisions, output: Node) -> list[Any]:
    """Return the values that an output lists, from the highest priority to the lowest."""
    values = output.first("outputValues")
    text = "" if values is None else values.child_text()
    if text:
        return [item.value.run({}) for item in decisions.tests(text, output).items]
    allowed = None
    if reference := output.get("typeRef") or _variable_type(output):
        with suppress(FormatError):  # a list or a structure
            allowed = decisions.model.type_of(reference, output).allowed
    return [] if allowed is None else [to_feel(c.value) for c in comparisons(allowed)]


def _variable_type(output: Node) -> str:
    """Return the type of the decision whose table has only this output."""
    table = output.parent
    parent = None if table is None else table.parent
    variable = None if parent is None else parent.first("variable")
    only = table is not None and len(table.all("output")) == 1
    return variable.get("typeRef") if only and variable is not None else ""


class _Part(Mapping[str, Any]):
    """A case of which only some names can be seen."""

    def __init__(self, case: _Case, names: frozenset[str]) -> None:
        self.case, self.names = case, names

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def __contains__(self, name: object) -> bool:
        return name in self.names and name in self.case

    def __getitem__(self, name: str) -> Any:
        if name not in self.names:
            raise KeyError(name)
        return self.case[name]


class _Case(Mapping[str, Any]):
    """The values of one case by name: inputs, and everything else when it is needed."""

    def __init__(self, decisions: Decisions, inputs: dict[str, Any]) -> None:
        self.decisions, self.given = decisions, inputs
        self.known: dict[str, Any] = {}
        self.open: set[str] = set()

    def __iter__(self) -> Iterator[str]:
        return iter(self.given)

    def __len__(self) -> int:
        return len(self.given)

    def __contains__(self, name: object) -> bool:
        return (
            name in self.given
            or any(name in p for p in self.decisions.nodes.values())
            or (name in self.decisions.model.imports)
        )

    def get(self, name: str, default: Any = None) -> Any:
        return self[name] if name in self else default  # noqa: SIM401

    def __getitem__(self, name: str) -> Any:
        if name not in self.known:
            imported = name in self.decisions.model.imports
            given = name in self.given and not imported
            self.known[name] = self.given[name] if given else self.computed(name)
        return self.known[name]

    def computed(self, name: str) -> Any:
        decisions, nodes = self.decisions, self.decisions.nodes
        if name in nodes["decision"]:
            if name in self.open:
                raise FormatError(f"decision {name!r} must not require itself")
            self.open.add(name)
            value = decisions.named(nodes["decision"][name])(self.visible(nodes["decision"][name]))
            self.open.discard(name)
            return value
        if name in nodes["businessKnowledgeModel"]:
            node = nodes["businessKnowledgeModel"][name]
            logic = node.first("encapsulatedLogic")
            return None if logic is None else decisions.run_of(logic)(self.visible(node))
        if name in nodes["decisionService"]:
            return self.service(nodes["decisionService"][name])
        if name in decisions.model.imports:
            other, inputs = decisions.imported(name), self.given.get(name)
            return _Case(other, other.as_input(inputs) if isinstance(inputs, dict) else {})
        return None

    def visible(self, node: Node) -> Scope:
        """Return what an element may use: functions, and the data that it requires.

        A model that declares no requirements at all lets everything be used.
        """
        decisions = self.decisions
        if not decisions.declares_requirements:
            return self
        required = {
            " ".join(part.get("name").split()): None
            for _, part in decisions.required(node)
            if part is not None
        }
        functions = ("businessKnowledgeModel", "decisionService")  # may call themselves
        always = [*decisions.model.imports, *(n for tag in functions for n in decisions.nodes[tag])]
        return _Part(self, frozenset([*required, *always]))

    def service(self, node: Node) -> Callable[..., Any]:
        by_id = {
            part.get("id"): name
            for parts in self.decisions.nodes.values()
            for name, part in parts.items()
        }

        def listed(tag: str) -> list[str]:
            ids = [child.get("href").rpartition("#")[2] for child in node.all(tag)]
            return [by_id[place] for place in ids if place in by_id]

        parameters = [*listed("inputData"), *listed("inputDecision")]
        outputs = listed("outputDecision")

        def body(scope: Scope) -> Any:
            case = _Case(self.decisions, {name: scope.get(name) for name in parameters})
            results = {name: case[name] for name in outputs}
            return results[outputs[0]] if len(outputs) == 1 else results

        return function(parameters, body, self)
