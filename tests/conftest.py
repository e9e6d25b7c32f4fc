"""Hypothesis profiles, with fewer examples where the kernels run as plain Python; fixtures.

In CI the examples are the same in every run, so that a change is judged by itself; elsewhere they
are new each time, and ``--hypothesis-profile=thorough`` looks longer.
"""

from __future__ import annotations

import os
import sys

import pytest
from hypothesis import HealthCheck, settings

from irenic import cli

_SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]
settings.register_profile(
    "default",
    max_examples=100,
    deadline=None,
    suppress_health_check=_SLOW,
    print_blob=True,
    derandomize=bool(os.environ.get("CI")),
)
settings.register_profile("interpreted", settings.get_profile("default"), max_examples=15)
settings.register_profile("thorough", settings.get_profile("default"), max_examples=1500)
settings.load_profile("interpreted" if os.environ.get("NUMBA_DISABLE_JIT") == "1" else "default")


@pytest.fixture
def file(tmp_path):
    def write(text, name="my.rules"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write


@pytest.fixture
def run(monkeypatch, capsys):
    """Run the command as a shell would: exit status, output, errors."""

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["irenic", *arguments])
        with pytest.raises(SystemExit) as caught:
            cli.main()
        out, err = capsys.readouterr()
        return caught.value.code, out, err

    return call
