"""The decisions of a whole DMN model, and the data and knowledge that they require."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from irenic.errors import FormatError, did_you_mean
from irenic.formats.dmn._types import Model
from irenic.formats.dmn._xml import Node
from irenic.model.decision_table import HitPolicy

if TYPE_CHECKING:
    from irenic.formats.dmn._logic import Logic

_NAMED: Final = ("inputData", "decision", "businessKnowledgeModel", "decisionService")
_NAME: Final = re.compile(r"([^\W\d][\w ]*)(?:\.[^\W\d]\w*)*")


def names_in(root: Node) -> frozenset[str]:
    """Return all names that the expressions of a model may use."""
    tags = [*_NAMED, "variable", "parameter", "formalParameter", "itemComponent", "column"]
    tags += ["output", "import"]
    return frozenset(
        " ".join(node.get("name").split()) for node in root.descendants(*tags) if node.get("name")
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

    @cached_property
    def logic(self) -> Logic:
        """The elements of the model as functions, which are compiled when they are needed."""
        from irenic.formats.dmn._logic import Logic  # most models are read to be checked

        return Logic(self)

    def decide(self, decision: str, case: Mapping[str, Any]) -> Any:
        """Return the outcome of a decision for a case; ``Applicant.Age`` is a component."""
        return self.logic.decide(decision, case)

    def call(self, name: str, arguments: Mapping[str, Any]) -> Any:
        """Return the result of a knowledge model or decision service."""
        return self.logic.call(name, arguments)

    def imported(self, name: str) -> Decisions:
        """Return the decisions of the model that is imported under a name."""
        model = self.model.imported_as(name)
        other = self.known.get(id(model)) or Decisions(model, self.known)
        other.hit_policy = self.hit_policy
        return other
