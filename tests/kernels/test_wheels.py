"""The script that builds wheels for all systems, and what it checks."""

from __future__ import annotations

import platform
import runpy
import shutil
import subprocess
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from irenic.kernels import _library
from refusals import refuses

ROOT = Path(__file__).parents[2]
WHEELS = runpy.run_path(str(ROOT / "scripts" / "wheels"))
HOOK = WHEELS["BUILD"]
NATIVE = f"linux-{platform.machine()}"
linux = pytest.mark.skipif(NATIVE not in HOOK["TARGETS"], reason="not a build for Linux")


def builds():
    return sorted(_library.FOLDER.glob("*.so"))


def test_every_kernel_is_needed_and_an_unknown_target_refused(monkeypatch):
    assert {"cpu_level", "enlarge", "enlarge_many", "find_gaps"} <= WHEELS["needed_symbols"]()
    monkeypatch.setenv("IRENIC_TARGET", "amiga")
    refuses(SystemExit, r"IRENIC_TARGET must be one of linux-x86_64, .*'amiga'", HOOK["target"])


@linux
def test_a_library_says_what_it_exports():
    for build in builds():
        library = WHEELS["read"](build.read_bytes())
        assert (library.platform, library.machine) == ("linux", platform.machine())
        assert library.exports >= WHEELS["needed_symbols"]()
        if shutil.which("nm"):
            lines = subprocess.check_output(["nm", "-D", "--defined-only", build], text=True)
            assert library.exports == {line.split()[-1] for line in lines.splitlines()}


def make_wheel(path, tag, libraries):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("irenic-1.dist-info/WHEEL", f"Wheel-Version: 1.0\nTag: py3-none-{tag}\n")
        for name, data in libraries.items():
            archive.writestr(f"irenic/kernels/lib/{name}", data)
    return path


@linux
def test_a_wrong_wheel_is_refused(tmp_path, monkeypatch):
    target = HOOK["TARGETS"][NATIVE]
    good = {path.name: path.read_bytes() for path in builds()}
    check = WHEELS["check"]
    monkeypatch.setitem(check.__globals__, "audit", lambda *_: None)
    check(make_wheel(tmp_path / "good.whl", target.tag, good), NATIVE)
    wrong = {
        "has the tags": ("linux_x86_64", good),
        "contains": (target.tag, good | {"v9.so": good["base.so"]}),
        "does not export": (
            target.tag,
            {name: data.replace(b"\0enlarge\0", b"\0enlarg3\0") for name, data in good.items()},
        ),
        "is for": (target.tag, good | {"base.so": _for_other(good["base.so"])}),
    }
    for text, (tag, libraries) in wrong.items():
        with pytest.raises(SystemExit, match=rf"wrong\.whl: .*{text}"):
            check(make_wheel(tmp_path / "wrong.whl", tag, libraries), NATIVE)


def _for_other(data):
    other = {62: 183, 183: 62}[int.from_bytes(data[18:20], "little")]
    return data[:18] + other.to_bytes(2, "little") + data[20:]


def test_exports_of_macos_are_a_tree_of_parts_of_names():
    # the root has the edge _gr, whose node has the edges ow and id; both are exported
    tree = b"\x00\x01_gr\0\x07" + b"\x00\x02ow\0\x11id\0\x15" + b"\x02\x00\x10\x00" * 2
    assert set(WHEELS["walk"](tree, 0, b"")) == {"grow", "grid"}
    assert WHEELS["number"](b"\xe5\x8e\x26", 0) == (624_485, 3)


@pytest.mark.slow
@pytest.mark.skipif(find_spec("ziglang") is None, reason="needs ziglang")
@pytest.mark.skipif(find_spec("auditwheel") is None, reason="needs auditwheel")
def test_wheels_are_built_for_all_systems():
    run = subprocess.run(
        [sys.executable, ROOT / "scripts" / "wheels"], capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.count(".whl") == len(HOOK["TARGETS"])
