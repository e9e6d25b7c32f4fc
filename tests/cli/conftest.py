"""What the tests of commands share: an empty folder, and command lines typed in it."""

from __future__ import annotations

import functools
import io
import shlex
import sys

import pytest

import irenic
from documents import validated


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Work in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(run, here):
    """Run a line, and more words that need no quotes: exit status, output and errors."""
    return lambda line, *words: run(*shlex.split(line), *words)


@pytest.fixture
def refused(run):
    """Run an invalid command: it prints nothing but one line of error, which is returned."""

    def call(line, *words):
        status, out, err = run(line, *words)
        assert (status, out, err[:8], err.count("\n")) == (2, "", "irenic: ", 1), (line, out, err)
        return err[8:-1]

    return call


@pytest.fixture
def document(run):
    """Run a command with --json: its document, which has to match the schema."""
    return lambda line, *words: validated(run(line, *words, "--json")[1])


@pytest.fixture
def feed(run, monkeypatch):
    """Run a command with data on standard input."""

    def call(raw, line, *words):
        raw = raw.encode() if isinstance(raw, str) else raw
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
        return run(line, *words)

    return call


@pytest.fixture
def quick(monkeypatch):
    """Make fits fast; the fixture returns a function that sets other options of theirs."""
    classifier = irenic.RuleSetClassifier

    def with_options(**options):
        monkeypatch.setattr(irenic, "RuleSetClassifier", functools.partial(classifier, **options))

    with_options(generations=1, moves=100, selection="description")
    return with_options
