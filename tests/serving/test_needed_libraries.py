"""What the servers say if their libraries are not installed."""

from __future__ import annotations

import sys

import pytest


@pytest.mark.parametrize(
    ("command", "module", "library"), [("lsp", "lsprotocol", "pygls"), ("mcp", "mcp", "mcp")]
)
def test_the_extra_is_named(run, monkeypatch, command, module, library):
    for name in [*sys.modules]:
        if name.startswith("irenic.serving.") or name.partition(".")[0] == module:
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, module, None)
    status, out, err = run(command)
    assert (status, out) == (2, "")
    assert err == f"irenic: irenic {command} needs {library}: pip install 'irenic[{command}]'\n"
