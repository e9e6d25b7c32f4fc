"""Hypothesis profiles and shared fixtures.

``HYPOTHESIS_PROFILE`` or ``--hypothesis-profile`` selects a profile. In CI the examples are the
same in every run, so that failures are due to the change; elsewhere they are random.
"""

from __future__ import annotations

import os
import shutil
import sys

import pytest
from hypothesis import HealthCheck, settings

from irenic import cli

# It has no doctests; collected after the one of ``cli``, it would be taken for that.
collect_ignore = ["conftest.py"]

# Compiled anew by each worker and each command under test, modules would take a tenth of the time.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

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


SPARK = {
    "ui.enabled": "false",
    "driver.memory": "1g",
    "driver.bindAddress": "127.0.0.1",
    "driver.host": "127.0.0.1",
    "sql.session.timeZone": "UTC",
    "sql.shuffle.partitions": "1",
    # a session of a few seconds ends before optimized code would pay
    "driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}


@pytest.fixture(scope="session")
def spark():
    """A session of Spark, in one Java process for all tests of a worker."""
    leave = pytest.fail if os.environ.get("IRENIC_NEED_SPARK") else pytest.skip
    if shutil.which("java") is None:
        leave("Java is not installed: nothing run in Spark")
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        leave("pyspark is not installed: nothing run in Spark")
    options = {f"spark.{name}": value for name, value in SPARK.items()}
    session = SparkSession.builder.master("local[1]").appName("irenic").config(map=options)
    session = session.getOrCreate()
    yield session
    session.stop()


def pytest_collection_modifyitems(items):
    """Begin with tests in Spark, so that one worker runs all of them and they do not come last."""
    items.sort(key=lambda item: "spark" not in getattr(item, "fixturenames", ()))


@pytest.hookimpl(wrapper=True)
def pytest_xdist_auto_num_workers():
    """Run one more worker than cores, as some wait for a browser, a database or a command."""
    return (yield) + 1
