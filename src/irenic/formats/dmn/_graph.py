"""The decision requirements graph of a model: what tables pass to each other, and loose ends."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from irenic.errors import FormatError
from irenic.formats.dmn._xml import Node
from irenic.formats.dmn.deciding import Decisions
from irenic.formats.feel.names import known_names
from irenic.formats.feel.unary_tests import AnyOf, Compare, kind_of
from irenic.formats.tables.drafts import TableDraft
from irenic.model.literals import Expression

_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*"')
# Expressions, and cells as some tools write them.
_TEXTS: Final = ("text", "inputEntry", "outputEntry")
_KINDS: Final = {
    "inputData": "input data",
    "decision": "decision",
    "businessKnowledgeModel": "business knowledge model",
}
# More outcomes than this are not listed as the domain of an input.
_MOST_VALUES: Final = 1_000


def link(decisions: Decisions, drafts: Mapping[Node, TableDraft]) -> None:
    """Limit inputs that are decided by other tables of the model to the outcomes of those."""
    outcomes: dict[str, list[object]] = {}
    for name, node in decisions.nodes["decision"].items():
        draft = drafts.get(node.first("decisionTable") or node)
        if draft is not None and (values := _outcomes(draft)):
            outcomes[name] = values
    for node, draft in drafts.items():
        hidden = {name for part in node.ancestors() for name in _defined(part)}
        compared = (column for pair in draft.compared for column in pair.inputs)
        for column in (*draft.inputs, *compared):
            values = outcomes.get(column.name, [])
            declared = column.feature is not None or column.domain is not None
            if values and not declared and column.name not in hidden:
                column.domain = AnyOf(tuple(Compare("=", value) for value in values))


def _outcomes(draft: TableDraft) -> list[object]:
    """Return all outcomes of a table; none if they are not a list of values of one kind."""
    if draft.hit_policy in ("RULE ORDER", "OUTPUT ORDER", "COLLECT", None):
        return []
    values = [row.then for row in draft.rows]
    values += [] if draft.default is None else [draft.default]
    if any(isinstance(value, Expression | tuple) for value in values):
        return []
    distinct = list(dict.fromkeys(values))
    same = len({kind_of(value) for value in distinct}) == 1
    return [*distinct] if same and len(distinct) <= _MOST_VALUES else []


def _defined(node: Node) -> Iterator[str]:
    """Yield the names that an element defines for the expressions inside it."""
    for part in node.all("formalParameter"):
        yield part.get("name")
    for entry in node.all("contextEntry"):
        for variable in entry.all("variable"):
            yield variable.get("name")


def unconnected(decisions: Decisions, drafts: Mapping[Node, TableDraft]) -> list[FormatError]:
    """Note the loose ends of a model: requirements of nothing, and what nothing requires.

    Each is a finding on the table of its decision, otherwise on the first table. They are returned
    if there is none.
    """
    read = {node: draft for node, draft in drafts.items() if draft.rows and not draft.errors}
    left = []
    for element, message in _loose(decisions):
        own = (draft for node, draft in read.items() if element in node.ancestors())
        draft = next(own, None) or next(iter(read.values()), None)
        if draft is None:
            left.append(FormatError(message, line=element.line))
        else:
            draft.loose_ends.append((element.line, message))
    return left


def _loose(decisions: Decisions) -> Iterator[tuple[Node, str]]:
    root = decisions.model.root
    elements = {
        id(node): (tag, name, node) for tag in _KINDS for name, node in decisions.nodes[tag].items()
    }
    names = frozenset(name for _, name, _ in elements.values())
    used: set[int] = set()
    any_required = False
    for tag, name, node in elements.values():
        if tag == "inputData":
            continue
        required: set[int] = set()
        for place, part in decisions.required(node):
            any_required = True
            if part is None:
                yield node, f"{_KINDS[tag]} {name!r} requires {place!r}, which the model lacks"
            else:
                required.add(id(part))
        mentioned = _mentioned(node, names)
        named = {
            key
            for key, (_, other, part) in elements.items()
            if other in mentioned and part is not node
        }
        for key in required - named:
            if key in elements and _has_logic(node):
                other_tag, other, _ = elements[key]
                text = f"requires {_KINDS[other_tag]} {other!r}, but does not use it"
                yield node, f"{_KINDS[tag]} {name!r} {text}"
        for key in named - required:
            if required:
                other_tag, other, _ = elements[key]
                text = f"uses {_KINDS[other_tag]} {other!r}, but does not require it"
                yield node, f"{_KINDS[tag]} {name!r} {text}"
        used |= required | named
        if tag == "decision" and not _has_logic(node):
            yield node, f"decision {name!r} has no logic, so that its outcome is null"
    services = {
        child.get("href").rpartition("#")[2]
        for service in root.all("decisionService")
        for child in service.children
    }
    for key, (tag, name, node) in elements.items():
        alone = key not in used and tag != "decision" and node.get("id") not in services
        if alone and any_required:
            yield node, f"{_KINDS[tag]} {name!r} is not used"
    for name in _circular(decisions):
        yield decisions.nodes["decision"][name], f"decision {name!r} requires itself"


def _has_logic(node: Node) -> bool:
    texts = (part for tag in _TEXTS for part in node.descendants(tag))
    return any(part.text.strip() for part in texts)


def _texts(node: Node) -> set[str]:
    """Return the different texts of the expressions and cells inside an element."""
    texts: set[str] = set()
    stack = [node]
    while stack:
        part = stack.pop()
        if part.tag in _TEXTS and part.text:
            texts.add(part.text)
        stack += part.children
    return texts


def _mentioned(node: Node, names: frozenset[str]) -> set[str]:
    """Return the names that expressions inside an element use and it does not define itself."""
    parts = [node]
    for tag in ("context", "functionDefinition", "encapsulatedLogic"):
        parts += node.descendants(tag)
    own = {name for part in parts for name in _defined(part)}
    text = _STRING.sub('""', "\n;".join(_texts(node)))  # a separator that ends every name
    found = known_names(names, components=False).findall(text)
    return {" ".join(name.split()) for name in set(found)} - own


def _circular(decisions: Decisions) -> Iterator[str]:
    """Yield the decisions that require themselves, also through others."""
    after = {
        id(node): {id(part) for _, part in decisions.required(node) if part is not None}
        for node in decisions.nodes["decision"].values()
    }
    for name, node in decisions.nodes["decision"].items():
        seen: set[int] = set()
        stack = [*after[id(node)]]
        while stack:
            key = stack.pop()
            if key not in seen:
                seen.add(key)
                stack += after.get(key, ())
        if id(node) in seen:
            yield name
