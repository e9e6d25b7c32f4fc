"""Bundles the scripts of the report page, which are ES modules, into one script without imports.

It does not need Node, so pages can be made wherever irenic is installed. In return it supports only
the few forms that the scripts use, and rejects all others: ``import { a, b } from "./file.js"``,
``import "./file.js"``, and ``export`` before a declaration. Statements at the top level of a module
start at the beginning of a line, which prettier ensures.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from typing import Final

_IMPORT: Final = re.compile(
    r"^import (?:\{(?P<names>(?:\s*[\w$]+\s*,)*\s*[\w$]+,?\s*)\} from )?"
    r'"(?P<path>\.[\w./-]*\.js)";\n',
    re.M,
)
_DECLARED: Final = re.compile(
    r"^(?P<export>export )?(?:(?:async )?function\*?|const|let|var|class) (?P<name>[\w$]+|[\[{])",
    re.M,
)
_UNSUPPORTED: Final = re.compile(r"^(?:import|export)\b.*|\bimport(?:\(|\.meta).*", re.M)
_DOC: Final = re.compile(r"^ *(?:/\*\*(?:(?!\*/).)*\*/|// @ts-check)\n", re.M | re.S)


def bundle(main: str, read: Callable[[str], str]) -> str:
    """Return one script that contains a module and everything that it imports.

    ``read`` returns the text of a module by its path. Modules come after their imports and share
    one function scope, so two of them cannot define the same name.

    >>> modules = {"main.js": 'import { one } from "./one.js";\\nalert(one);\\n',
    ...            "one.js": "export const one = 1;\\n"}
    >>> print(bundle("main.js", modules.__getitem__), end="")
    (() => {
    "use strict";
    const one = 1;
    alert(one);
    })();
    """
    modules: dict[str, _Module] = {}
    _collect(main, read, modules, ())
    owners: dict[str, str] = {}
    for path, module in modules.items():
        for name in module.names:
            if name in owners:
                raise ValueError(
                    f"{path} defines {name}, which {owners[name]} already defines;"
                    " rename one of them"
                )
            owners[name] = path
    bodies = "\n".join(module.body for module in modules.values())
    return f'(() => {{\n"use strict";\n{bodies}}})();\n'


class _Module:
    """A module: its imports by path, the names that it defines and exports, and its body."""

    def __init__(self, path: str, text: str) -> None:
        folder = posixpath.dirname(path)
        self.imports = [
            (
                posixpath.normpath(posixpath.join(folder, match["path"])),
                re.findall(r"[\w$]+", match["names"] or ""),
            )
            for match in _IMPORT.finditer(text)
        ]
        rest = _DOC.sub("", _IMPORT.sub("", text))
        declared = list(_DECLARED.finditer(rest))
        self.names = [match["name"] for match in declared]
        self.exports = {match["name"] for match in declared if match["export"]}
        if not {"[", "{"}.isdisjoint(self.names):
            raise ValueError(f"{path} destructures at its top level; declare one name at a time")
        self.body = re.sub(r"^export (?=async |function|const|let|var|class)", "", rest, flags=re.M)
        if unsupported := _UNSUPPORTED.search(self.body):
            raise ValueError(
                f"{path} has an unsupported import or export: {unsupported[0].strip()!r};"
                ' write import { name } from "./file.js"; and export before a declaration'
            )


def _collect(
    path: str, read: Callable[[str], str], modules: dict[str, _Module], importers: tuple[str, ...]
) -> None:
    """Add a module after everything that it imports."""
    if path in importers:
        circle = " → ".join([*importers[importers.index(path) :], path])
        raise ValueError(f"modules must not import each other in a circle, got {circle}")
    if path in modules:
        return
    module = _Module(path, read(path))
    for imported, names in module.imports:
        _collect(imported, read, modules, (*importers, path))
        for name in names:
            if name not in modules[imported].exports:
                raise ValueError(f"{path} imports {name} from {imported}, which does not export it")
    modules[path] = module
