"""A safe XML reader: no document types, no entities, no external resources, limited sizes."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import Any, Final
from xml.parsers import expat

from irenic.errors import FormatError
from irenic.formats.tables.drafts import MOST_CELLS, MOST_COLUMNS
from irenic.frames.files import MOST_BYTES, too_large
from irenic.model.characters import cleaned

_CELL: Final = re.compile(rb"</(?:[\w.-]+:)?(?:in|out)putEntry\s*>|putEntry\b[^<>]*/>")
MOST_DEPTH: Final = 200
_MOST_ELEMENTS: Final = 2_500_000
# Diagrams and extensions, which do not contain rules.
_LEFT_OUT: Final = ("DMNDI", "extensionElements")


# The parts of decision tables, in which characters that nobody sees carry no meaning.
_OF_TABLES: Final = frozenset(
    ("inputEntry", "outputEntry", "inputExpression", "inputValues", "outputValues", "allowedValues")
)

_NO_CHILDREN: Final[list[Any]] = []
_NO_PREFIXES: Final[dict[str, str]] = {}


class Node:
    """An element: its local name, attributes, children, text and line."""

    __slots__ = ("attributes", "children", "line", "namespace", "parent", "prefixes", "tag", "text")

    def __init__(self, name: str, attributes: dict[str, str], line: int, parent: Any) -> None:
        self.namespace, _, self.tag = name.rpartition(" ")
        self.attributes = attributes
        self.line = line
        self.parent: Node | None = parent
        self.children: list[Node] = _NO_CHILDREN  # most elements have none: a list when needed
        self.text = ""
        self.prefixes: dict[str, str] = _NO_PREFIXES

    def get(self, name: str, default: str = "") -> str:
        """Return an attribute; use ``"namespace name"`` for one in another namespace."""
        return self.attributes.get(name, default)

    def all(self, tag: str) -> list[Node]:
        """Return the children with a local name."""
        return [child for child in self.children if child.tag == tag]

    def first(self, tag: str) -> Node | None:
        """Return the first child with a local name, None if there is none."""
        return next((child for child in self.children if child.tag == tag), None)

    def child_text(self, tag: str = "text") -> str:
        """Return the text of the first child with a local name, ``""`` if there is none."""
        child = self.first(tag)
        return "" if child is None else child.text.strip()

    def written(self) -> str:
        """Return the text of an expression or cell; some tools write it without <text>."""
        return self.child_text() if self.children else self.text.strip()

    def ancestors(self) -> Iterator[Node]:
        """Yield the elements that contain this one, innermost first."""
        node = self.parent
        while node is not None:
            yield node
            node = node.parent

    def descendants(self, *tags: str) -> Iterator[Node]:
        """Yield all elements inside this one with some local names, in the order of the file."""
        stack = self.children[::-1]
        while stack:
            node = stack.pop()
            if node.tag in tags:
                yield node
            if node.children:
                stack += node.children[::-1]

    def prefix(self, name: str) -> str | None:
        """Return the namespace that a prefix is bound to here, None if it is not bound."""
        for node in (self, *self.ancestors()):
            if name in node.prefixes:
                return node.prefixes[name]
        return None


def parse(raw: bytes) -> Node:
    """Return the root element of an XML document."""
    if len(raw) > MOST_BYTES:
        raise too_large(f"{len(raw) / 2**20:.0f} MB")
    # counted first, because that is much faster than building elements
    if raw.count(b"</") + raw.count(b"/>") > _MOST_ELEMENTS:
        raise FormatError(f"a model must have at most {_MOST_ELEMENTS:,} elements; split it")
    if sum(1 for _ in _CELL.finditer(raw)) > MOST_CELLS:
        raise FormatError(f"a model must have at most {MOST_CELLS:,} cells; split it")
    # the byte order mark takes precedence over the declared encoding
    builder = _Builder("utf-8" if raw.startswith(codecs.BOM_UTF8) else None)
    try:
        builder.parser.Parse(raw, True)
    except expat.ExpatError as error:
        reason = expat.ErrorString(error.code)
        raise FormatError(
            f"not XML: {reason}", line=error.lineno, column=error.offset + 1
        ) from None
    except (LookupError, ValueError, UnicodeError) as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(f"not XML: {error}", line=builder.line) from None
    assert builder.root is not None
    return builder.root


class _Builder:
    """Builds elements from the events of expat."""

    def __init__(self, encoding: str | None) -> None:
        self.parser = parser = expat.ParserCreate(encoding, " ")
        parser.buffer_text = True
        parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
        parser.StartDoctypeDeclHandler = self.refuse
        parser.EntityDeclHandler = self.refuse
        parser.ExternalEntityRefHandler = self.refuse
        parser.StartNamespaceDeclHandler = self.bind
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        parser.CharacterDataHandler = self.characters
        self.root: Node | None = None
        self.node: Node | None = None
        self.pieces: list[list[str]] = []
        self.prefixes: dict[str, str] = {}
        self.skipping = 0
        self.depth = self.elements = self.cells = 0

    @property
    def line(self) -> int:
        return self.parser.CurrentLineNumber

    def refuse(self, *_: Any) -> Any:
        raise FormatError(
            "document types and entities are not allowed; remove the <!DOCTYPE …>",
            line=self.line,
        )

    def bind(self, prefix: str | None, uri: str) -> None:
        self.prefixes[prefix or ""] = uri

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self.elements += 1
        self.depth += 1
        if self.depth > MOST_DEPTH:
            raise FormatError(f"elements must be nested at most {MOST_DEPTH} deep", line=self.line)
        if self.elements > _MOST_ELEMENTS:
            raise FormatError(
                f"a model must have at most {_MOST_ELEMENTS:,} elements; split it", line=self.line
            )
        tag = name.rpartition(" ")[2]
        if self.skipping or tag in _LEFT_OUT:
            self.skipping += 1
            return
        for key in ("name", "label"):
            if key in attributes:
                attributes[key] = cleaned(attributes[key])
        node = Node(name, attributes, self.line, self.node)
        if self.prefixes:
            node.prefixes, self.prefixes = self.prefixes, {}
        if self.node is None:
            self.root = node
        else:
            if self.node.children is _NO_CHILDREN:
                self.node.children = []
            self.node.children.append(node)
            self.count(tag, self.node)
        self.node = node
        self.pieces.append([])

    def count(self, tag: str, table: Node) -> None:
        """Stop reading as soon as a table is too large."""
        if tag in ("inputEntry", "outputEntry"):
            self.cells += 1
            if self.cells > MOST_CELLS:
                raise FormatError(
                    f"a model must have at most {MOST_CELLS:,} cells; split it", line=self.line
                )
        elif tag in ("input", "output") and len(table.children) > 2 * MOST_COLUMNS:
            raise FormatError(f"a table must have at most {MOST_COLUMNS:,} columns", line=self.line)

    def end(self, _: str) -> None:
        self.depth -= 1
        if self.skipping:
            self.skipping -= 1
        elif self.node is not None:
            if pieces := self.pieces.pop():
                text = "".join(pieces)
                parent = self.node.parent
                is_cell = parent is not None and parent.tag in _OF_TABLES
                self.node.text = cleaned(text) if is_cell else text
            self.node = self.node.parent

    def characters(self, text: str) -> None:
        if self.pieces and not self.skipping:
            self.pieces[-1].append(text)
