"""Decide cases with a whole DMN model: its elements as functions, made by the interpreter of FEEL.

What is undefined in FEEL is None, and so is a decision without logic. A table under UNIQUE of which
two rows hold, or under ANY whose rows disagree, has no outcome: None.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from irenic.errors import FormatError
from irenic.formats.dmn._languages import as_feel, language_of, names_of
from irenic.formats.dmn._xml import Node
from irenic.formats.feel.interpreter import (
    FUNCTIONS,
    Formula,
    Run,
    Scope,
    Tests,
    call,
    condition,
    context,
    equal,
    filtered,
    from_feel,
    function,
    inside,
    listed,
    loop,
    parse_expression,
    parse_tests,
    quantified,
    to_feel,
)
from irenic.formats.feel.unary_tests import comparisons
from irenic.formats.tables.drafts import POLICIES
from irenic.model.decision_table import combined
from irenic.model.literals import Months

if TYPE_CHECKING:
    from irenic.formats.dmn.deciding import Decisions

_EXPRESSIONS: Final = (
    "literalExpression", "decisionTable", "context", "invocation", "functionDefinition",
    "relation", "list", "conditional", "for", "some", "every", "filter",
)  # fmt: skip
_READERS: Final = {
    **dict.fromkeys(("number", "integer"), "number"),
    **dict.fromkeys(("duration", "months"), "duration"),
    "date": "date",
    "time": "time",
    "datetime": "date and time",
}


class Logic:
    """The elements of a model as functions of a scope, each compiled once."""

    def __init__(self, decisions: Decisions) -> None:
        self.decisions, self.model = decisions, decisions.model
        self.compiled: dict[int, Run] = {}

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
        return from_feel(_Case(self, {})[name](**to_feel(dict(arguments))))

    def as_input(self, case: Mapping[str, Any]) -> dict[str, Any]:
        """Return a case as values of FEEL, of the declared types, with components in contexts."""
        values: dict[str, Any] = {}
        nodes = self.decisions.nodes
        known = (*nodes["inputData"], *nodes["decision"])
        for name, value in case.items():
            if name in known or "." not in name:
                values[name] = to_feel(value)
                continue
            owner, *path, last = name.split(".")
            context = values.setdefault(owner, {})
            for part in path:
                context = context.setdefault(part, {})
            context[last] = to_feel(value)
        for name, node in nodes["inputData"].items():
            variable = node.first("variable")
            if name in values and variable is not None and (kind := variable.get("typeRef")):
                values[name] = self.model.converted(values[name], kind, variable, _typed)
        return values

    # --- elements as functions of a scope

    def run_of(self, node: Node) -> Run:
        """Return the logic of an element as a function, compiled once."""
        run = self.compiled.get(id(node))
        if run is None:
            compile_node = getattr(self, f"_{node.tag}")
            run = self.compiled[id(node)] = compile_node(node)
        return run

    def inner(self, node: Node) -> Run:
        """Return the expression inside an element; None without one."""
        inner = next((child for child in node.children if child.tag in _EXPRESSIONS), None)
        return self.run_of(inner) if inner is not None else lambda scope: None

    def formula(self, text: str, node: Node) -> Formula:
        """Return a parsed expression; an error has the line of the element."""
        try:
            return parse_expression(text, self.decisions.names)
        except FormatError as error:
            message = f"the expression {text!r}: {error.message}"
            raise FormatError(message, line=node.line) from None

    def tests(self, text: str, node: Node) -> Tests:
        """Return a parsed cell; an error has the line of the element."""
        try:
            return parse_tests(text, self.decisions.names)
        except FormatError as error:
            raise FormatError(f"the cell {text!r}: {error.message}", line=node.line) from None

    def cell(self, node: Node, column: Node) -> Tests:
        """Return the parsed cell of a column, in FEEL or a language of which that can be made."""
        text = node.written()
        declared = node.get("expressionLanguage") or self.model.root.get("expressionLanguage")
        language = language_of(text, declared)
        same = as_feel(text, language, names_of(column, self.decisions.names))
        if language and text not in ("", "-") and same is None:
            message = f"the cell {text!r} must be in FEEL, got {language}"
            raise FormatError(message, line=node.line)
        return self.tests(same or text, node)

    def text(self, node: Node) -> Run:
        """Return the expression that is the text of an element; None without one."""
        text = node.written()
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
        return self.conforming(self.inner(node), reference, node)

    def _literalExpression(self, node: Node) -> Run:  # noqa: N802
        language = node.get("expressionLanguage") or self.model.root.get("expressionLanguage")
        if language and "feel" not in language.lower():
            message = f"the expression language must be FEEL, got {language}"
            raise FormatError(message, line=node.line)
        return self.text(node)

    def _context(self, node: Node) -> Run:
        entries = []
        for entry in node.all("contextEntry"):
            variable = entry.first("variable")
            name = "" if variable is None else " ".join(variable.get("name").split())
            entries.append((name or None, self.named(entry)))
        return context(entries)

    def _invocation(self, node: Node) -> Run:
        called = self.inner(node)
        bindings = [
            (parameter.get("name"), self.inner(binding))
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
        body = self.inner(node)
        types = {
            name: self.conversion(reference, parameter)
            for name, parameter in zip(parameters, node.all("formalParameter"), strict=True)
            if (reference := parameter.get("typeRef"))
        }

        def run(scope: Scope) -> Any:
            values = {name: convert(scope.get(name)) for name, convert in types.items() if convert}
            if any(v is None and scope.get(name) is not None for name, v in values.items()):
                return None
            return body(inside(scope, values))

        return lambda scope: function(parameters, run if types else body, scope)

    def _relation(self, node: Node) -> Run:
        names = [column.get("name") for column in node.all("column")]
        rows = [self._list(row) for row in node.all("row")]
        return lambda scope: [dict(zip(names, row(scope), strict=False)) for row in rows]

    def _list(self, node: Node) -> Run:
        return listed([self.run_of(part) for part in node.children if part.tag in _EXPRESSIONS])

    def part(self, node: Node, tag: str) -> Run:
        """Return the expression in a part of an element."""
        part = node.first(tag)
        if part is None:
            raise FormatError(f"<{node.tag}> must contain <{tag}>", line=node.line)
        return self.inner(part)

    def _conditional(self, node: Node) -> Run:
        return condition(*(self.part(node, tag) for tag in ("if", "then", "else")))

    def _filter(self, node: Node) -> Run:
        return filtered(self.part(node, "in"), self.part(node, "match"))

    def source(self, node: Node) -> list[tuple[str, Run]]:
        """Return the variable of a loop, with what it iterates over."""
        return [(node.get("iteratorVariable"), self.part(node, "in"))]

    def _for(self, node: Node) -> Run:
        return loop(self.source(node), self.part(node, "return"))

    def _some(self, node: Node) -> Run:
        return quantified(True, self.source(node), self.part(node, "satisfies"))

    def _every(self, node: Node) -> Run:
        return quantified(False, self.source(node), self.part(node, "satisfies"))

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

    def __init__(self, logic: Logic, node: Node) -> None:
        columns = node.all("input")
        self.inputs = [logic.text(column.first("inputExpression") or column) for column in columns]
        allowed = [column.first("inputValues") for column in columns]
        self.allowed = [None if n is None else logic.tests(n.child_text(), n) for n in allowed]
        outputs = node.all("output")
        self.names = [" ".join(output.get("name").split()) for output in outputs]
        self.rules = [
            (
                [*map(logic.cell, rule.all("inputEntry"), columns)],
                [logic.text(entry) for entry in rule.all("outputEntry")],
            )
            for rule in node.all("rule")
        ]
        defaults = [output.first("defaultOutputEntry") for output in outputs]
        self.defaults = [None if n is None else logic.text(n) for n in defaults]
        self.ranking = [_listed(logic, output) for output in outputs]
        policy = " ".join(node.get("hitPolicy").upper().replace("_", " ").split()) or "UNIQUE"
        self.policy, aggregation = POLICIES.get(policy, (policy, ""))
        self.aggregation = node.get("aggregation").strip().upper() or aggregation
        self.policy = logic.decisions.hit_policy or self.policy

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


def _allows(allowed: Tests, value: Any, scope: Scope) -> bool:
    values = value if isinstance(value, list) else [value]
    return all(allowed.holds(part, scope) for part in values)


def _listed(logic: Logic, output: Node) -> list[Any]:
    """Return the values that an output lists, from the highest priority to the lowest."""
    values = output.first("outputValues")
    text = "" if values is None else values.child_text()
    if text:
        return [item.value.run({}) for item in logic.tests(text, output).items]
    allowed = None
    if reference := output.get("typeRef") or _variable_type(output):
        with suppress(FormatError):  # a list or a structure
            allowed = logic.model.type_of(reference, output).allowed
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

    def __init__(self, logic: Logic, inputs: dict[str, Any]) -> None:
        self.logic, self.decisions, self.given = logic, logic.decisions, inputs
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
            value = self.logic.named(nodes["decision"][name])(self.visible(nodes["decision"][name]))
            self.open.discard(name)
            return value
        if name in nodes["businessKnowledgeModel"]:
            node = nodes["businessKnowledgeModel"][name]
            logic = node.first("encapsulatedLogic")
            return None if logic is None else self.logic.run_of(logic)(self.visible(node))
        if name in nodes["decisionService"]:
            return self.service(nodes["decisionService"][name])
        if name in decisions.model.imports:
            other, inputs = decisions.imported(name).logic, self.given.get(name)
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
            case = _Case(self.logic, {name: scope.get(name) for name in parameters})
            results = {name: case[name] for name in outputs}
            return results[outputs[0]] if len(outputs) == 1 else results

        return function(parameters, body, self)
