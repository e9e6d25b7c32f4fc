"""Tests of the command that measures speed, and of small comparisons of learners."""

from __future__ import annotations

import json
import sys
from functools import partial

import numpy as np
import pandas as pd
import pytest

from benchmarks import __main__ as command
from benchmarks import classifier_systems, datasets, growth, harness
from irenic.systems import MichiganClassifier, PittsburghClassifier


def kept(*rows):
    return {"tables": [{"title": "speed", "rows": list(rows)}]}


def test_a_run_is_compared_row_by_row(capsys):
    now = kept({"rules": 100, "irenic": 0.5, "times faster": 8.0, "memory": "1 GB"})
    before = kept({"rules": 100, "irenic": 2.0, "times faster": 4.0, "memory": "2 GB"})
    command.compare(now, before)
    shown = capsys.readouterr().out.splitlines()
    assert shown[-2:] == [
        "| speed | 100 | irenic | 0.25× |",
        "| speed | 100 | times faster | 2× |",
    ]
    # rows that are about something else are not compared
    now = kept({"rules": 100, "irenic": 0.5}, {"rules": 200, "irenic": 1.0})
    command.compare(now, kept({"rules": 100, "irenic": 0.5}, {"rules": 150, "irenic": 9.0}))
    assert "200" not in capsys.readouterr().out


def test_figures_are_kept_with_what_they_were_made_with(tmp_path, monkeypatch, capsys):
    class Made:
        @staticmethod
        def main():
            table = harness.Table("made", "what", "irenic")
            table.add("this", 0.25)
            return [table]

    monkeypatch.setattr(command.importlib, "import_module", lambda _: Made)
    file = tmp_path / "figures.json"
    monkeypatch.setattr(sys, "argv", ["benchmarks", "core", "--json", str(file)])
    assert command.main() == 0
    found = json.loads(file.read_text())
    assert found["tables"] == [{"title": "made", "rows": [{"what": "this", "irenic": 0.25}]}]
    assert {"machine", "cores", "Python", "numpy"} <= found["environment"].keys()
    monkeypatch.setattr(sys, "argv", ["benchmarks", "core", "--compare", str(file)])
    assert command.main() == 0
    assert "| made | this | irenic | 1× |" in capsys.readouterr().out


def test_a_growth_exponent_that_is_too_high_makes_the_run_fail(monkeypatch, capsys):
    spent = iter([1, 4, 16, 1, 2, 4])
    monkeypatch.setattr(growth, "best", lambda work, data: float(next(spent)))
    cases = [growth.Case(name, 1, str, len) for name in ("squares", "rows")]
    monkeypatch.setattr(growth, "CASES", cases)
    monkeypatch.setattr(sys, "argv", ["benchmarks", "growth"])
    assert command.main() == 1
    shown = capsys.readouterr().out.splitlines()
    assert "| rows | 1 | 1 s | 2 s | 4 s | 1.00 |" in shown
    assert shown[-1] == "squares: exponent 2.00 is above 1.3"


def test_classifier_systems_are_compared_fold_by_fold(monkeypatch, capsys):
    few = {
        "Pittsburgh": partial(PittsburghClassifier, population_size=10, generations=2),
        "Michigan": partial(MichiganClassifier, steps=200),
    }
    learners = {name: classifier_systems.ours(kind) for name, kind in few.items()}
    learners["pruned tree"] = classifier_systems.LEARNERS["pruned tree"]
    monkeypatch.setattr(classifier_systems, "LEARNERS", learners)
    rng = np.random.default_rng(0)
    jobs = pd.Categorical.from_codes(rng.integers(0, 2, 120), pd.Index(["a", "b"], dtype=object))
    X = pd.DataFrame({"age": rng.integers(0, 90, 120), "job": jobs})
    y = np.where(X["age"] < 18, "free", np.where(X["job"] == "a", "half", "full"))
    table = classifier_systems.compared([datasets.Single("made", X, y)])
    made, mean, seconds = table.rows
    assert made["rows x features"] == "120 x 2"
    for name in learners:
        accuracy, rules = made[name].rstrip(")").split(" (")
        assert float(accuracy) > 0.6
        assert int(rules) >= 2
        assert mean[name] == made[name]
        assert float(seconds[name]) >= 0
    assert "made: done" in capsys.readouterr().err
    others = classifier_systems.measured(datasets.Single("made", X, y[::-1]))
    assert others.shape == (3, 3)
    assert others[:, 0].max() < 0.6  # labels of other rows cannot be learned


def test_tables_of_a_page_are_replaced_under_their_headings(tmp_path, capsys):
    page = tmp_path / "speed.md"
    old = "| what | irenic |\n|---|---|\n| that | 9 s |\n"
    page.write_text(f"# Speed\n\n### made\n\nWhat it means:\n\n- this\n\n{old}\n### other\n\n{old}")
    table = harness.Table("made", "rules", "irenic")
    table.add(5, 0.25)
    command.write([table, harness.Table("absent", "what")], page)
    new = "| rules | irenic |\n|---|---|\n| 5 | 250 ms |\n"
    assert page.read_text() == (
        f"# Speed\n\n### made\n\nWhat it means:\n\n- this\n\n{new}\n### other\n\n{old}"
    )
    assert "absent: no such table" in capsys.readouterr().out


def test_wrong_options(monkeypatch, capsys):
    known = (
        "gaps, core, cfsbe, building, checking, mending, deciding, learning, page, starting,"
        " proving, growth"
    )
    for given, message in (
        (["cores"], f"unknown benchmark cores (known: {known})"),
        (["--compare", "no/such/file"], "--compare no/such/file: "),
    ):
        monkeypatch.setattr(sys, "argv", ["benchmarks", *given])
        with pytest.raises(SystemExit) as ended:
            command.main()
        assert ended.value.code == 2
        assert message in capsys.readouterr().err
