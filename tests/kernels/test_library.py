"""Which build of the kernels is loaded, and what is said if there is none."""

from __future__ import annotations

import os
import runpy
import shutil
from pathlib import Path

import pytest

from irenic.kernels import _library
from irenic.kernels._library import library
from refusals import refuses

HOOK = runpy.run_path(str(Path(__file__).parents[2] / "hatch_build.py"))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return a folder for builds beside a folder of sources."""
    monkeypatch.delenv("IRENIC_LIBRARY", raising=False)
    monkeypatch.setattr(_library, "FOLDER", tmp_path / "lib")
    (tmp_path / "lib").mkdir()
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "cover.c").write_text("")
    os.utime(tmp_path / "c" / "cover.c", (1, 1))
    return tmp_path / "lib"


load = library.__wrapped__


def test_missing_and_broken_builds_say_why(folder):
    refuses(ImportError, r"kernels of irenic are missing in .*; install irenic", load)
    (folder / "base.so").write_text("not a library")
    refuses(ImportError, r"cannot be loaded \(.*base.so.*\) in .*; install", load)


def test_a_build_is_loaded_unless_it_is_older_than_its_sources(folder):
    for build in (Path(_library.__file__).parent / "lib").iterdir():
        shutil.copy(build, folder)
    assert Path(load()._name).parent == folder
    for build in folder.iterdir():
        os.utime(build, (0, 0))
    refuses(ImportError, "before their sources changed; run python hatch_build", load)


def test_the_compiler_may_have_options_and_must_be_there(monkeypatch):
    monkeypatch.setenv("CC", "python3 -m ziglang cc")
    assert HOOK["compiler"]() == ["python3", "-m", "ziglang", "cc"]
    monkeypatch.setenv("CC", "no-such-compiler -O2")
    refuses(SystemExit, "CC names 'no-such-compiler', which is not on the PATH", HOOK["compiler"])


def test_a_source_that_cannot_be_compiled_leaves_no_build(tmp_path):
    if not HOOK["compiler"]():
        pytest.skip("there is no C compiler")
    sources = tmp_path / "src/irenic/kernels/c"
    sources.mkdir(parents=True)
    (sources / "cover.c").write_text("int f(void) { return missing; }")
    with pytest.raises(SystemExit, match=r"could not compile the kernels:\n(.*\n)*.*missing"):
        HOOK["build"](tmp_path)
    assert not list((tmp_path / "src/irenic/kernels/lib").iterdir())
