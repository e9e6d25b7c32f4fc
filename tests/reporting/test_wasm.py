"""The kernels of the report page are those of the sources in C."""

from __future__ import annotations

import base64
import re
import runpy
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "wasm"


@pytest.fixture
def script():
    return runpy.run_path(str(SCRIPT))


def module_bytes(text):
    return base64.b64decode(re.search('"(.+)"', text)[1])


def test_a_change_of_a_source_is_noticed(script, tmp_path):
    """Line ends are no change: git may convert them."""
    assert script["is_current"](), "the sources of the page's kernels changed: run scripts/wasm"
    functions = script["digest"].__globals__
    for path in functions["C"].iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    functions["C"] = tmp_path
    for name in ("irenic.h", "cover.c", "gaps.c", "grow.c", "pairs.c", "wasm.c"):
        assert script["is_current"]()
        content = (tmp_path / name).read_bytes()
        (tmp_path / name).write_bytes(content + b"\n")
        assert not script["is_current"](), name
        (tmp_path / name).write_bytes(content)


def test_the_module_is_small_and_imports_nothing(script):
    content = module_bytes(script["MODULE"].read_text("utf-8"))
    assert content.startswith(b"\0asm\1\0\0\0")
    assert len(content) < 15_000
    sections, at = [], 8
    while at < len(content):
        sections.append(content[at])
        size = shift = 0
        while True:
            at += 1
            size |= (content[at] & 127) << shift
            shift += 7
            if content[at] < 128:
                break
        at += size + 1
    assert sections == [1, 3, 5, 6, 7, 10, 11]  # no imports (2), and no names or paths (0)


def test_the_same_sources_make_the_same_bytes(script):
    try:
        installed = version("ziglang")
    except PackageNotFoundError:
        installed = None
    if installed != script["ZIG"]:
        pytest.skip(f"ziglang {script['ZIG']} is not installed")
    assert script["module"]() == script["MODULE"].read_text("utf-8")
