"""The bundler, which joins the scripts of the page and rejects unsupported syntax."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

from irenic.reporting._bundle import bundle
from irenic.reporting.page import _script

SCRIPTS = files("irenic.reporting") / "assets" / "scripts"


def bundled(**modules):
    return bundle("main.js", {f"{name}.js": text for name, text in modules.items()}.__getitem__)


def test_modules_come_once_and_after_their_imports():
    script = bundled(
        main='import { a } from "./a.js";\nimport { b } from "./b.js";\nalert(a, b);\n',
        a='import { b } from "./b.js";\n\nexport const a = b + 1;\n',
        b="export const b = 1;\n",
    )
    assert re.findall(r"^\w.*", script, re.M) == [
        "const b = 1;",
        "const a = b + 1;",
        "alert(a, b);",
    ]


def test_imports_are_relative_can_span_lines_and_need_no_names():
    modules = {
        "main.js": 'import { shown } from "./map/map.js";\nimport "./a.js";\nshown();\n',
        "map/map.js": 'import {\n  one,\n  two,\n} from "../dom.js";\n\nexport function shown() {\n'
        "  return one + two;\n}\n",
        "dom.js": "export const one = 1;\nexport let two = 2;\n",
        "a.js": "alert(1);\n",
    }
    script = bundle("main.js", modules.__getitem__)
    assert script.index("const one") < script.index("function shown") < script.index("shown();\n")
    assert "alert(1);" in script
    assert "import" not in script
    assert "export" not in script


def test_comments_for_the_type_checker_are_removed_but_strings_and_casts_are_kept():
    script = bundled(
        main='// @ts-check\n/** @type {Map<string, number>} */\nconst a = "/** a */";\n'
    )
    assert "@ts-check" not in script
    assert "@type" not in script
    assert 'const a = "/** a */";' in script
    body = "  const a = /** @type {any} */ (1);\n  /** @type {any} */ (a).b();\n"
    script = bundled(main=f"function f() {{\n  /** @param {{number}} b */\n{body}}}\n")
    # the script is strict and leaves no globals
    assert script == f'(() => {{\n"use strict";\nfunction f() {{\n{body}}}\n}})();\n'


@pytest.mark.parametrize(
    "statement",
    [
        'import a from "./a.js";',
        'import { a as b } from "./a.js";',
        'import * as a from "./a.js";',
        "import { a } from './a.js';",
        'import { a } from "package";',
        "export default 5;",
        "export default function a() {}",
        'export * from "./a.js";',
        "export { a };",
        'const b = await import("./a.js");',
        "const here = import.meta.url;",
    ],
)
def test_unsupported_imports_and_exports_are_rejected(statement):
    with pytest.raises(ValueError, match="unsupported import or export") as caught:
        bundled(main=f"{statement}\n", a="export const a = 1;\n")
    assert str(caught.value).startswith("main.js has an unsupported import or export: ")
    assert str(caught.value).endswith(
        '; write import { name } from "./file.js"; and export before a declaration'
    )


IMPORT_A = 'import { a } from "./a.js";\n'
DESTRUCTURES = "main.js destructures at its top level; declare one name at a time"


@pytest.mark.parametrize(
    ("modules", "error"),
    [
        (
            {
                "main": 'import "./a.js";\nimport "./b.js";\n',
                "a": "function draw() {}\n",
                "b": "export const draw = 1;\n",
            },
            "b.js defines draw, which a.js already defines; rename one of them",
        ),
        (
            {"main": IMPORT_A, "a": "const a = 1;\n"},
            "main.js imports a from a.js, which does not export it",
        ),
        (
            {
                "main": IMPORT_A,
                "a": 'import { b } from "./b.js";\nexport const a = 1;\n',
                "b": f"{IMPORT_A}export const b = 1;\n",
            },
            "modules must not import each other in a circle, got a.js → b.js → a.js",
        ),
        ({"main": "const [a, b] = [1, 2];\n"}, DESTRUCTURES),
        ({"main": "export const { a } = window;\n"}, DESTRUCTURES),
    ],
)
def test_modules_that_cannot_be_joined_are_rejected(modules, error):
    with pytest.raises(ValueError, match=re.escape(error)) as caught:
        bundled(**modules)
    assert str(caught.value) == error


def test_the_page_has_every_script_checked_and_bundles_them_once():
    assert _script("main.js") is _script("main.js")
    script = _script("main.js") + _script("engine/worker.js")
    paths = list(SCRIPTS.rglob("*.js"))
    assert len(paths) > 40
    for path in paths:
        text = path.read_text("utf-8")
        assert text.startswith("// @ts-check\n// "), path
        names = re.findall(r"^(?:export )?(?:function|const) (\w+)", text, re.M)
        assert all(name in script for name in names or ["window.irenic"]), path
