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


def test_imports_are_relative_to_a_module_and_can_span_lines():
    modules = {
        "main.js": 'import { shown } from "./map/map.js";\nshown();\n',
        "map/map.js": 'import {\n  one,\n  two,\n} from "../dom.js";\n\nexport function shown() {\n'
        "  return one + two;\n}\n",
        "dom.js": "export const one = 1;\nexport let two = 2;\n",
    }
    script = bundle("main.js", modules.__getitem__)
    assert script.index("const one") < script.index("function shown") < script.index("shown();\n")
    assert "import" not in script
    assert "export" not in script


def test_a_module_can_be_imported_for_its_side_effects():
    assert "alert(1);" in bundled(main='import "./a.js";\n', a="alert(1);\n")


def test_comments_for_the_type_checker_are_removed_but_strings_are_kept():
    script = bundled(
        main='// @ts-check\n/** @type {Map<string, number>} */\nconst a = "/** a */";\n'
    )
    assert "@ts-check" not in script
    assert "@type" not in script
    assert 'const a = "/** a */";' in script


def test_indented_comments_on_types_are_removed_but_casts_are_kept():
    body = "  const a = /** @type {any} */ (1);\n  /** @type {any} */ (a).b();\n"
    script = bundled(main=f"function f() {{\n  /** @param {{number}} b */\n{body}}}\n")
    assert script == f'(() => {{\n"use strict";\nfunction f() {{\n{body}}}\n}})();\n'


def test_the_script_is_strict_and_leaves_no_globals():
    assert bundled(main="alert(1);\n") == '(() => {\n"use strict";\nalert(1);\n})();\n'


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


def test_two_modules_cannot_define_the_same_name():
    with pytest.raises(ValueError, match="rename one") as caught:
        bundled(
            main='import "./a.js";\nimport "./b.js";\n',
            a="function draw() {}\n",
            b="export const draw = 1;\n",
        )
    assert str(caught.value) == "b.js defines draw, which a.js already defines; rename one of them"


def test_imported_names_must_be_exported():
    with pytest.raises(ValueError, match="does not export it") as caught:
        bundled(main='import { a } from "./a.js";\n', a="const a = 1;\n")
    assert str(caught.value) == "main.js imports a from a.js, which does not export it"


def test_circular_imports_are_rejected():
    with pytest.raises(ValueError, match="circle") as caught:
        bundled(
            main='import { a } from "./a.js";\n',
            a='import { b } from "./b.js";\nexport const a = 1;\n',
            b='import { a } from "./a.js";\nexport const b = 1;\n',
        )
    assert str(caught.value) == (
        "modules must not import each other in a circle, got a.js → b.js → a.js"
    )


@pytest.mark.parametrize("statement", ["const [a, b] = [1, 2];", "export const { a } = window;"])
def test_destructuring_at_the_top_level_is_rejected(statement):
    with pytest.raises(ValueError, match="destructures") as caught:
        bundled(main=f"{statement}\n")
    assert str(caught.value) == "main.js destructures at its top level; declare one name at a time"


def test_the_page_has_every_script_and_bundles_them_once():
    assert _script("main.js") is _script("main.js")
    script = _script("main.js") + _script("engine/worker.js")
    paths = list(SCRIPTS.rglob("*.js"))
    assert len(paths) > 40
    for path in paths:
        name = re.findall(r"^(?:export )?(?:function|const) (\w+)", path.read_text("utf-8"), re.M)
        for each in name or ["window.irenic"]:
            assert each in script, path


def test_every_script_is_checked():
    for path in SCRIPTS.rglob("*.js"):
        assert path.read_text("utf-8").startswith("// @ts-check\n// "), path
