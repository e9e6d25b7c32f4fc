"""The types of a DMN model: what a column may hold, through item definitions and imports."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import unquote, urlsplit

from irenic.errors import FileError, FormatError, did_you_mean
from irenic.formats.dmn import _xml as dmn_xml
from irenic.formats.dmn._xml import Node
from irenic.formats.feel.unary_tests import Test, parse
from irenic.frames.files import MOST_BYTES, read_bytes

# Types of FEEL, of XML Schema and of the tools that use their own names, as kinds of features.
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
_KINDS: Final = {name.lower(): kind for name, kind in KINDS.items()}
_LANGUAGES: Final = ("/FEEL", "/XMLSchema", "www.w3.org")
_MOST_STEPS: Final = 50
_MOST_MODELS: Final = 100


class Type(NamedTuple):
    """A type: its kind (None: any), and the values that it allows (None: all of them)."""

    kind: str | None
    allowed: Test | None = None


ANY_TYPE: Final = Type(None)


class Model:
    """A model, and those that it imports, read when they are asked for."""

    def __init__(self, root: Node, path: Path | None, known: dict[Path, Model] | None = None):
        self.root, self.path = root, path
        self.known: dict[Path, Model] = {} if known is None else known
        self.namespace = root.get("namespace")
        self.items = {n.get("name"): n for n in root.all("itemDefinition")}
        self.imports = {n.get("name"): n for n in root.all("import")}

    # --- types by name

    def type_of(self, reference: str, node: Node) -> Type:
        """Return the type that a reference stands for where it stands."""
        return self._resolved(reference.strip(), node, _MOST_STEPS)

    def _resolved(self, reference: str, node: Node, steps: int) -> Type:
        model, name = self._home(reference, node)
        item = None if model is None else model._item(name)
        if model is not None and item is not None:
            return model._defined(item, steps)
        if name.lower() in _KINDS:
            return Type(_KINDS[name.lower()])
        known = [*self.items, *KINDS] if model is None else model.items
        raise FormatError(f"unknown type {reference!r}{did_you_mean(name, known)}")

    def _item(self, name: str) -> Node | None:
        """Return the item definition of a name, else the only one that differs from it in case."""
        if name in self.items or name.lower() in _KINDS:
            return self.items.get(name)
        alike = [item for known, item in self.items.items() if known.lower() == name.lower()]
        return alike[0] if len(alike) == 1 else None

    def _here(self, name: str) -> bool:
        return self._item(name) is not None or name.lower() in _KINDS

    def _home(self, reference: str, node: Node) -> tuple[Model | None, str]:
        """Return the model that a type is defined in, None for a type of FEEL, and its name."""
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
                return self, local  # as tools leave it that dropped the import
            raise FormatError(f"type {reference!r}: nothing says what the prefix {prefix!r} is")
        if self._here(reference):
            return self, reference
        for name in sorted(self.imports, key=len, reverse=True):
            if name and reference.startswith(f"{name}."):
                return self._imported(name), reference[len(name) + 1 :]
        local = reference.rpartition(".")[2]
        return (self, local) if self._here(local) else (None, reference)

    def _defined(self, item: Node, steps: int) -> Type:
        if steps <= 0:
            raise FormatError(f"type {item.get('name')!r} is defined by itself")
        name = item.get("name")
        if item.get("isCollection").strip() in ("true", "1"):
            raise FormatError(f"type {name!r} is a collection; a cell tests a single value")
        if item.all("itemComponent"):
            raise FormatError(f"type {name!r} has components; a cell tests a single value")
        own = next(
            (c.said() for tag in ("typeConstraint", "allowedValues") for c in item.all(tag)), ""
        )
        reference = item.get("typeRef") or item.said("typeRef")
        found = self._resolved(reference, item, steps - 1) if reference else ANY_TYPE
        if own in ("", "-"):
            return found
        try:
            return Type(found.kind, parse(own))
        except FormatError as error:
            raise FormatError(f"type {name!r}, allowed values {own!r}: {error.message}") from None

    # --- names of data

    def named(self, path: str, near: Node) -> Type:
        """Return the type of the data of a name, or of a part of it; any where that is not said.

        ``Applicant.Age`` is the component Age of what is called Applicant.
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

    def _component(self, reference: str, node: Node, path: str) -> Type:
        """Return the type of a part of what has a type: its components, and theirs."""
        model: Model = self
        item: Node | None = None
        for _ in range(_MOST_STEPS):
            if item is None or not item.all("itemComponent"):
                home, name = model._home(reference, node)
                found = None if home is None else home._item(name)
                if home is None or found is None:
                    return ANY_TYPE
                model, item = home, found
            else:
                part, path = _part(item, path)
                if part is None:
                    return ANY_TYPE
                if not path:
                    return model._defined(part, _MOST_STEPS)
                item = part
            reference, node = item.get("typeRef") or item.said("typeRef"), item
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
        raise FormatError(f"nothing is imported from the namespace {namespace!r}")

    def _imported(self, name: str) -> Model:
        node = self.imports[name]
        namespace, location = node.get("namespace"), node.get("locationURI")
        called = repr(name or namespace)
        if self.path is None:
            raise FormatError(f"the import {called} cannot be followed: no folder is known")
        folder = self.path.resolve().parent
        if location:
            found = self._read(_inside(folder, location, called), called)
            if found.namespace == namespace or not namespace:
                return found
            raise FormatError(
                f"the import {called}: {location} has the namespace {found.namespace!r}"
            )
        for path in sorted(folder.glob("*.dmn"))[:_MOST_MODELS]:
            if not _real_path(path).is_relative_to(folder):
                continue
            try:
                found = self._read(path, called)
            except FormatError:
                continue
            if found.namespace == namespace:
                return found
        raise FormatError(
            f"the import {called}: no .dmn file beside this one has the namespace {namespace!r}"
        )

    def imported(self) -> list[Path]:
        """Return the files of the models that were imported so far, by any model."""
        models = list(self.known.values())
        wanted = {node.get("namespace") for model in models for node in model.imports.values()}
        others = [model for model in models if model is not self and model.namespace in wanted]
        return [model.path for model in others if model.path is not None]

    def _read(self, path: Path, called: str) -> Model:
        if self.path is not None:
            self.known.setdefault(self.path.resolve(), self)
        if path not in self.known:
            if len(self.known) > _MOST_MODELS:
                raise FormatError(f"the import {called}: more than {_MOST_MODELS} models")
            try:
                if not path.is_file():  # a pipe would never end
                    raise FileError
                root = dmn_xml.parse(read_bytes(path, MOST_BYTES))
            except FormatError as error:
                raise FormatError(f"the import {called}: {path.name}: {error}") from None
            except (FileError, OSError):
                raise FormatError(f"the import {called}: {path.name} cannot be read") from None
            self.known[path] = Model(root, path, self.known)
        return self.known[path]


def _part(item: Node, path: str) -> tuple[Node | None, str]:
    """Return the component that a path begins with, and the rest of the path."""
    for part in item.all("itemComponent"):
        name = part.get("name")
        if path == name:
            return part, ""
        if path.startswith(f"{name}."):
            return part, path[len(name) + 1 :]
    return None, path


def _inside(folder: Path, location: str, called: str) -> Path:
    """Return the file that an import names, if it lies in the folder of the model."""
    outside = FormatError(
        f"the import {called} is from {location!r}; only files in the folder of the model are read"
    )
    try:
        parts = urlsplit(location)
    except ValueError:
        raise outside from None
    path = Path(unquote(parts.path))
    if parts.scheme or parts.netloc or path.is_absolute() or "\\" in location or not parts.path:
        raise outside
    if "\0" in str(path):
        raise FormatError(f"the import {called}: {str(path)!r} cannot be read")
    target = _real_path(folder / path)
    if not target.is_relative_to(folder):
        raise FormatError(
            f"the import {called} is from {location!r}, outside the folder of the model; move it"
            " there"
        )
    return target


def _real_path(path: Path) -> Path:
    # Path.resolve fails for links in a circle, which are no file and are refused as such
    return Path(os.path.realpath(path))
