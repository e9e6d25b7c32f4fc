"""The types of a DMN model, resolved through item definitions and imports."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import unquote, urlsplit

from irenic.errors import FileError, FormatError, did_you_mean
from irenic.formats.dmn import _xml as dmn_xml
from irenic.formats.dmn._xml import Node
from irenic.formats.feel.unary_tests import Test, parse
from irenic.frames.files import MOST_BYTES, read_bytes

# Type names of FEEL, of XML Schema and of common tools, as kinds of features.
_INTEGERS: Final = (
    "byte", "int", "integer", "long", "short", "negativeInteger", "nonNegativeInteger",
    "nonPositiveInteger", "positiveInteger", "unsignedByte", "unsignedInt", "unsignedLong",
    "unsignedShort",
)  # fmt: skip
KINDS: Final[dict[str, str | None]] = {
    **dict.fromkeys(("number", "decimal", "double", "float"), "number"),
    **dict.fromkeys(_INTEGERS, "integer"),
    **dict.fromkeys(("string", "text"), "text"),
    "boolean": "boolean",
    "date": "date",
    "time": "time",
    **dict.fromkeys(("date and time", "dateTime", "datetime"), "datetime"),
    **dict.fromkeys(("days and time duration", "dayTimeDuration", "duration"), "duration"),
    **dict.fromkeys(("years and months duration", "yearMonthDuration"), "months"),
    **dict.fromkeys(("Any", "any"), None),
}
# Lists in FEEL, and in the tools that have no item definitions.
_LISTS: Final = ("list", "collection")
_KINDS: Final = {name.lower(): kind for name, kind in KINDS.items()}
_LANGUAGES: Final = ("/FEEL", "/XMLSchema", "www.w3.org")
_MOST_STEPS: Final = 50
_MOST_MODELS: Final = 100


class Type(NamedTuple):
    """A type: its kind (None for any), and the allowed values (None for all)."""

    kind: str | None
    allowed: Test | None = None


ANY_TYPE: Final = Type(None)


class CompoundError(FormatError):
    """A type whose values are lists or structures, which a cell cannot be compared with."""


class Model:
    """A model, and the models that it imports, which are read when they are needed."""

    def __init__(self, root: Node, path: Path | None, known: dict[Path, Model] | None = None):
        self.root, self.path = root, path
        self.known: dict[Path, Model] = {} if known is None else known
        self.namespace = root.get("namespace")
        self.items = {n.get("name"): n for n in root.all("itemDefinition")}
        self.imports = {n.get("name"): n for n in root.all("import")}

    # --- types by name

    def type_of(self, reference: str, node: Node) -> Type:
        """Return the type that a reference in a node resolves to."""
        return self._resolved(reference.strip(), node, _MOST_STEPS)

    def _resolved(self, reference: str, node: Node, steps: int) -> Type:
        model, name = self._home(reference, node)
        item = None if model is None else model._item(name)
        if model is not None and item is not None:
            return model._defined(item, steps)
        if name.lower() in _KINDS:
            return Type(_KINDS[name.lower()])
        if _is_list(name):
            raise CompoundError(f"type {reference!r} must be a single value, got a collection")
        known = [*self.items, *KINDS] if model is None else model.items
        raise FormatError(f"unknown type {reference!r}{did_you_mean(name, known)}")

    def _item(self, name: str) -> Node | None:
        """Return the item definition with a name, else the only one that differs just in case."""
        if name in self.items or name.lower() in _KINDS:
            return self.items.get(name)
        alike = [item for known, item in self.items.items() if known.lower() == name.lower()]
        return alike[0] if len(alike) == 1 else None

    def _here(self, name: str) -> bool:
        return self._item(name) is not None or name.lower() in _KINDS

    def _home(self, reference: str, node: Node) -> tuple[Model | None, str]:
        """Return the model that defines a type, None for a type of FEEL, and its local name."""
        if reference.startswith("{") and "}" in reference:
            namespace, _, name = reference[1:].partition("}")
            return self._by_namespace(namespace, name), name
        prefix, colon, local = reference.partition(":")
        if colon:
            bound = node.prefix(prefix)
            if bound is not None:
                return self._by_namespace(bound, local), local
            if prefix in self.imports:
                return self._imported(prefix), local
            if prefix in ("feel", "xsd", "xs"):
                return None, local
            if self._here(local):
                return self, local  # some tools drop the import but keep its prefix
            raise FormatError(
                f"unknown prefix {prefix!r} of type {reference!r}; declare its namespace or import"
                " its model"
            )
        if self._here(reference):
            return self, reference
        for name in sorted(self.imports, key=len, reverse=True):
            if name and reference.startswith(f"{name}."):
                return self._imported(name), reference[len(name) + 1 :]
        local = reference.rpartition(".")[2]
        return (self, local) if self._here(local) else (None, reference)

    def _defined(self, item: Node, steps: int) -> Type:
        if steps <= 0:
            raise FormatError(f"type {item.get('name')!r} must not be defined by itself")
        name = item.get("name")
        if item.get("isCollection").strip() in ("true", "1"):
            raise CompoundError(f"type {name!r} must be a single value, got a collection")
        if item.all("itemComponent"):
            raise CompoundError(
                f"type {name!r} must be a single value, got components; test one of them instead"
            )
        tags = ("typeConstraint", "allowedValues")
        allowed = next((c.child_text() for tag in tags for c in item.all(tag)), "")
        reference = item.get("typeRef") or item.child_text("typeRef")
        base = self._resolved(reference, item, steps - 1) if reference else ANY_TYPE
        if allowed in ("", "-"):
            return base
        try:
            return Type(base.kind, parse(allowed))
        except FormatError as error:
            message = f"type {name!r}, allowed values {allowed!r}: {error.message}"
            raise FormatError(message) from None

    # --- names of data

    def named(self, path: str, near: Node) -> Type:
        """Return the type of named data, such as the component ``Applicant.Age``.

        Data without a declared type can have any value.
        """
        for variable in self._variables(near):
            name = variable.get("name")
            reference = variable.get("typeRef")
            if not name or not reference:
                continue
            if path == name:
                return self.type_of(reference, variable)
            if path.startswith(f"{name}."):
                return self._component(reference, variable, path[len(name) + 1 :])
        for name in self.imports:
            if name and path.startswith(f"{name}."):
                other = self._imported(name)
                return other.named(path[len(name) + 1 :], other.root)
        return ANY_TYPE

    def _variables(self, near: Node) -> Iterator[Node]:
        for node in near.ancestors():
            yield from node.all("formalParameter")
            if node.tag == "context":
                for entry in node.all("contextEntry"):
                    yield from entry.all("variable")
        for tag in ("inputData", "decision", "businessKnowledgeModel"):
            for node in self.root.all(tag):
                for variable in node.all("variable"):
                    if not variable.get("name"):
                        variable.attributes["name"] = node.get("name")
                    yield variable

    def is_collection(self, reference: str, node: Node) -> bool | None:
        """Return whether a type is a list of values, None if any value has the type."""
        for _ in range(_MOST_STEPS):
            try:
                home, name = self._home(reference.strip(), node)
            except FormatError:
                return None
            item = None if home is None else home._item(name)
            if home is None or item is None:
                return None if name.lower() == "any" else _is_list(name)
            if item.get("isCollection").strip() in ("true", "1"):
                return True
            if item.all("itemComponent"):
                return False
            reference, node = item.get("typeRef") or item.child_text("typeRef"), item
            if not reference:
                return None
        return None

    def converted(
        self, value: Any, reference: str, node: Node, convert: Callable[[Any, str | None], Any]
    ) -> Any:
        """Return a value with its parts converted according to their kinds in a type."""
        item: Node | None = None
        for _ in range(_MOST_STEPS):
            if isinstance(value, list):
                return [self.converted(part, reference, node, convert) for part in value]
            try:
                home, name = self._home(reference.strip(), node)
            except FormatError:
                return value
            item = None if home is None else home._item(name)
            if home is None or item is None:
                return convert(value, _KINDS.get(name.lower()))
            if item.all("itemComponent") and isinstance(value, dict):
                return home._with_components(value, item, convert)
            reference, node = item.get("typeRef") or item.child_text("typeRef"), item
            if not reference:
                return value
        return value

    def _with_components(
        self, value: dict[str, Any], item: Node, convert: Callable[[Any, str | None], Any]
    ) -> dict[str, Any]:
        parts = {part.get("name"): part for part in item.all("itemComponent")}
        result = {}
        for name, entry in value.items():
            part = parts.get(name)
            reference = "" if part is None else part.get("typeRef") or part.child_text("typeRef")
            if part is not None and reference:
                entry = self.converted(entry, reference, part, convert)
            elif part is not None and isinstance(entry, dict):
                entry = self._with_components(entry, part, convert)
            result[name] = entry
        return result

    def imported_as(self, name: str) -> Model:
        """Return the model that is imported under a name."""
        return self._imported(name)

    def _component(self, reference: str, node: Node, path: str) -> Type:
        """Return the type of a component at a path within a type."""
        model: Model = self
        item: Node | None = None
        for _ in range(_MOST_STEPS):
            if item is None or not item.all("itemComponent"):
                home, name = model._home(reference, node)
                definition = None if home is None else home._item(name)
                if home is None or definition is None:
                    return ANY_TYPE
                model, item = home, definition
            else:
                part, path = _part(item, path)
                if part is None:
                    return ANY_TYPE
                if not path:
                    return model._defined(part, _MOST_STEPS)
                item = part
            reference, node = item.get("typeRef") or item.child_text("typeRef"), item
        return ANY_TYPE

    # --- other models

    def _by_namespace(self, namespace: str, name: str) -> Model | None:
        if namespace == self.namespace:
            return self
        if any(part in namespace for part in _LANGUAGES):
            return None
        for name, node in self.imports.items():
            if node.get("namespace") == namespace:
                return self._imported(name)
        if namespace == self.root.namespace:
            return None
        if self._here(name):
            return self
        raise FormatError(f"unknown namespace {namespace!r}; import its model")

    def _imported(self, name: str) -> Model:
        node = self.imports[name]
        namespace, location = node.get("namespace"), node.get("locationURI")
        label = repr(name or namespace)
        if self.path is None:
            raise FormatError(
                f"the import {label} needs the folder of the model; read the model from a file"
            )
        folder = self.path.resolve().parent
        if location:
            model = self._read(_inside(folder, location, label), label)
            if model.namespace == namespace or not namespace:
                return model
            raise FormatError(
                f"the import {label}: the namespace of {location} must be {namespace!r}, got"
                f" {model.namespace!r}"
            )
        for path in sorted(folder.glob("*.dmn"))[:_MOST_MODELS]:
            if not _real_path(path).is_relative_to(folder):
                continue
            try:
                model = self._read(path, label)
            except FormatError:
                continue
            if model.namespace == namespace:
                return model
        raise FormatError(
            f"the import {label}: no .dmn file in the folder of the model has the namespace"
            f" {namespace!r}"
        )

    def imported(self) -> list[Path]:
        """Return the files of the models that any model has imported so far."""
        models = list(self.known.values())
        namespaces = {node.get("namespace") for model in models for node in model.imports.values()}
        others = [model for model in models if model is not self and model.namespace in namespaces]
        return [model.path for model in others if model.path is not None]

    def _read(self, path: Path, label: str) -> Model:
        if self.path is not None:
            self.known.setdefault(self.path.resolve(), self)
        if path not in self.known:
            if len(self.known) > _MOST_MODELS:
                raise FormatError(
                    f"the import {label}: a model must import at most {_MOST_MODELS} others"
                )
            try:
                if not path.is_file():  # reading a pipe may never end
                    raise FileError
                root = dmn_xml.parse(read_bytes(path, MOST_BYTES))
            except FormatError as error:
                raise FormatError(f"the import {label}: {path.name}: {error}") from None
            except (FileError, OSError):
                raise FormatError(f"the import {label}: cannot read {path.name}") from None
            self.known[path] = Model(root, path, self.known)
        return self.known[path]


def _is_list(name: str) -> bool:
    """Return whether a type that the model does not define is one of lists."""
    return name.partition("<")[0].strip().lower() in _LISTS


def _part(item: Node, path: str) -> tuple[Node | None, str]:
    """Return the component that a path begins with, and the rest of the path."""
    for part in item.all("itemComponent"):
        name = part.get("name")
        if path == name:
            return part, ""
        if path.startswith(f"{name}."):
            return part, path[len(name) + 1 :]
    return None, path


def _inside(folder: Path, location: str, label: str) -> Path:
    """Return the path of an import, which must be in the folder of the model."""
    outside = FormatError(
        f"the import {label} must be a file in the folder of the model, got {location!r}"
    )
    try:
        parts = urlsplit(location)
    except ValueError:
        raise outside from None
    path = Path(unquote(parts.path))
    if parts.scheme or parts.netloc or path.is_absolute() or "\\" in location or not parts.path:
        raise outside
    if "\0" in str(path):
        raise FormatError(f"the import {label}: cannot read {str(path)!r}")
    target = _real_path(folder / path)
    if not target.is_relative_to(folder):
        raise FormatError(
            f"the import {label} must be a file in the folder of the model, got {location!r}; move"
            " it there"
        )
    return target


def _real_path(path: Path) -> Path:
    # Path.resolve fails for circular links, which are rejected later because they are not files
    return Path(os.path.realpath(path))
