"""Outputs are those that are kept; ``python -m golden.outputs`` in tests/ keeps new ones."""

from __future__ import annotations

import difflib

import pytest

from golden.outputs import KEPT, outputs

OUTPUTS = dict(outputs())


@pytest.mark.parametrize("name", OUTPUTS)
def test_an_output_is_as_kept(name):
    kept = (KEPT / name).read_text("utf-8").splitlines()
    made = OUTPUTS[name]().splitlines()
    changes = [*difflib.unified_diff(kept, made, "kept", "now", n=2, lineterm="")]
    way_out = "if the change is meant: cd tests && python -m golden.outputs"
    assert not changes, "\n".join([f"{name} differs; {way_out}", *changes[:60]])


def test_no_other_output_is_kept():
    assert sorted(path.name for path in KEPT.iterdir()) == sorted(OUTPUTS)
