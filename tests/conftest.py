"""Hypothesis profiles and shared fixtures.

``HYPOTHESIS_PROFILE`` or ``--hypothesis-profile`` selects a profile. In CI the examples are the
same in every run, so that failures are due to the change; elsewhere they are random.
"""

from __future__ import annotations

import os
import sys

import pytest
from hypothesis import HealthCheck, settings

from irenic import cli

# It has no doctests; collected after the one of ``cli``, it would be taken for that.
collect_ignore = ["conftest.py"]

settings.register_profile(
    "default",
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    print_blob=True,
    derandomize=bool(os.environ.get("CI")),
)
EXAMPLES = {"thorough": 50, "exhaustive": 400}  # in CI, and in its nightly run
for _name, _examples in EXAMPLES.items():
    settings.register_profile(_name, settings.get_profile("default"), max_examples=_examples)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


@pytest.fixture
def file(tmp_path):
    def write(text, name="my.rules"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write


@pytest.fixture
def run(monkeypatch, capsys):
    """Run the command like a shell, and return its exit status, output and errors."""

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["irenic", *map(str, arguments)])
        with pytest.raises(SystemExit) as caught:
            cli.main()
        out, err = capsys.readouterr()
        return caught.value.code, out, err

    return call
