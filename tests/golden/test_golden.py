"""Outputs are those that are kept; ``python -m golden.outputs`` in tests/ keeps new ones."""

from __future__ import annotations

import pytest

from golden.outputs import KEPT, changes, outputs

OUTPUTS = dict(outputs())


@pytest.mark.parametrize("name", OUTPUTS)
def test_an_output_is_as_kept(name):
    difference = changes(name, OUTPUTS[name]())
    way_out = "if the change is meant: cd tests && python -m golden.outputs"
    assert not difference, "\n".join([f"{name} differs; {way_out}", *difference[:60]])


def test_no_other_output_is_kept():
    assert sorted(path.name for path in KEPT.iterdir()) == sorted(OUTPUTS)
