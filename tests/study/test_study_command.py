"""Tests of ``python -m study``: its options, the data it reads, and what runs when."""

from __future__ import annotations

import json
import shutil
from argparse import Namespace
from collections import Counter
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import odd_learners
import pandas as pd
import pytest
from study_records import files, record

from study import __main__ as command
from study import arms, learners, running, synthetic

ARM = "CFSBE, 1x"


# --- data


def write_set(place, frame, **entry):
    place.mkdir(parents=True)
    name = f"{place.name} set"
    pd.DataFrame(frame).to_csv(place / f"{name}.csv.gz", index=False)
    listed = {"name": name, "rows": 3, "categorical": ["t"] if "t" in frame else []}
    (place / "datasets.json").write_text(json.dumps([listed | entry]))


@pytest.fixture
def folder(tmp_path):
    """Return a folder with one data set of each kind."""
    data = tmp_path / "data"
    write_set(data / "single", {"n": [1.0, 2.0, 3.0], "class": ["x", "y", "x"]})
    labels = {"p": [1, 0, 1], "q": [1, 0, 0], "r": [0] * 3}
    write_set(data / "multi", {"n": [1.0, 2, 3], "t": ["u", "", "v"]} | labels, labels=3)
    return data


def test_a_folder_may_have_sets_with_several_labels(folder):
    one, several = command._from_folder(folder)
    assert (one.name, one.group, one.y.tolist()) == ("single set", "uci", ["x", "y", "x"])
    assert (several.name, several.group) == ("multi set", command.SEVERAL)
    assert several.y.dtype == object
    # labels are numbered, and a row may have none
    assert several.y.tolist() == [frozenset([0, 1]), frozenset(), frozenset([0])]
    assert list(several.X) == ["n", "t"]
    assert several.X["t"].isna().tolist() == [False, True, False]
    design = running.Design(max_rows=2)
    described = {"name": "multi set", "group": command.SEVERAL, "rows": 3, "used": 2}
    # a label that no row has does not count
    described |= {"numeric": 1, "categorical": 1, "classes": 2}
    assert command._described(several, design) == described
    assert command._described(one, design)["classes"] == 2
    shutil.rmtree(folder / "multi")
    assert [data.name for data in command._from_folder(folder)] == ["single set"]
    assert {data.group for data in command._from_folder(None)} == {"sklearn"}


def test_sets_are_read_once_and_synthetic_ones_are_added(folder):
    made = "made exceptions 5x3, noise 0.2"

    def names(*sets):
        found = list(command._sets(Namespace(data=[folder, folder], sets=list(sets))))
        return [data.name for data in found]

    assert names("multi set", made) == ["multi set", made]
    assert names("single set", "multi set") == ["single set", "multi set"]
    with pytest.raises(ValueError, match="--sets: unknown data set iris"):
        names("single set", "iris")


# --- what runs, and when


def data_of(group, rows=100, columns=2, name="s"):
    y = np.resize(np.array(["p", "q"], dtype=object), rows)
    return odd_learners.Table(name, pd.DataFrame(np.zeros((rows, columns))), y, group)


REAL, LARGE = data_of("uci", 1_000), data_of("keel", 1_001)
MADE, SEVERAL = data_of(synthetic.GROUP), data_of(command.SEVERAL)


def kind_of(name):
    """Return the kind of a learner that decides when and on what it runs."""
    arm = arms.ARMS.get(name)
    if arm is None:
        return "a tree" if name == "pruned" else "peers"
    if arm.host == "annealing":
        return "annealing"
    return f"other hosts, {'16x' if arm.budget == 16 else '1x and 4x'}"


def test_when_learners_run_is_that_of_the_protocol():
    # by seed, and the data besides small real sets
    stages = {
        "annealing": ((0, 3), {"large", "made", "several"}),
        "other hosts, 1x and 4x": ((1, 6), {"several"}),
        "other hosts, 16x": ((4, 9), {"several"}),
        # peers do not predict sets, and only a tree is compared on synthetic data
        "peers": ((2,), {"large"}),
        "a tree": ((2,), {"large", "made"}),
    }
    names = (*arms.ARMS, *learners.FITTED)
    assert {kind_of(name) for name in names} == set(stages)
    for name in names:
        by_seed, others = stages[kind_of(name)]
        for seed, stage in enumerate(by_seed):
            assert learners.stage(name, "uci", 1_000, seed) == stage, (name, seed)
        runs = {
            kind
            for kind, data in {"large": LARGE, "made": MADE, "several": SEVERAL}.items()
            if learners.stage(name, data.group, len(data.y), 0) is not None
        }
        assert runs == others, name


def test_tasks_are_in_order_of_stage_and_size(tmp_path):
    system = "Michigan: none, vote, 16x"
    sets = [
        data_of("uci", 900, 3, "wide"),
        data_of("uci", 40, 2, "small"),
        # as many rows are used as of the first, so that the number of columns counts
        data_of("uci", 5_000, 2, "long"),
        data_of("made", 100, 2, "made"),
    ]
    design = running.Design(folds=3, seeds=2, max_rows=500)
    tasks = command._tasks(sets, ["tree 4", system, ARM], design, running.Store(tmp_path))
    found = [(t.data.name, t.jobs[0].learner, t.jobs[0].seed) for t in tasks]
    by_size = ["small", "made", "long", "wide"]
    assert found == [
        *((name, ARM, 0) for name in by_size),
        *((name, "tree 4", 0) for name in ("small", "long", "wide")),
        *((name, ARM, 1) for name in by_size),
        *((name, system, 0) for name in ("small", "long", "wide")),
        *((name, system, 1) for name in ("small", "long", "wide")),
    ]
    for task, (_, learner, seed) in zip(tasks, found, strict=True):
        assert task.jobs == tuple(running.Job(learner, seed, fold) for fold in range(3))


def test_tasks_leave_out_what_is_done(tmp_path):
    store = running.Store(tmp_path)
    design = running.Design(folds=2, seeds=2)
    for fold in (0, 1):
        store.add(record("s", ARM, 0, fold, accuracy=0.5))
    # what failed is not tried again
    store.add(record("s", ARM, 1, 1, failed="over 3 s"))
    (task,) = command._tasks([REAL], [ARM], design, store)
    assert task.jobs == (running.Job(ARM, 1, 0),)
    assert command._tasks([REAL], [ARM], replace(design, seeds=1), store) == []
    more = command._tasks([REAL], [ARM], replace(design, seeds=3), store)
    assert Counter(job.seed for task in more for job in task.jobs) == {1: 1, 2: 2}


def test_learners_without_their_package_are_skipped(monkeypatch):
    versions = command._version
    monkeypatch.setattr(
        command, "_version", lambda name: None if name == "wittgenstein" else versions(name)
    )
    chosen, missing = command._learners([ARM, "ripper", "tree 4"])
    assert (chosen, missing) == ([ARM, "tree 4"], {"ripper": "wittgenstein"})
    chosen, missing = command._learners([])
    assert set(chosen) | set(missing) == {*arms.ARMS, *learners.FITTED}
    # arms need nothing else, and the rules of one of them are repaired without being asked for
    assert chosen[: len(arms.ARMS)] == list(arms.ARMS)
    assert missing["ripper"] == "wittgenstein"


# --- the command


def run(*given):
    """Return the exit code of a call."""
    try:
        return command.main([*map(str, given)])
    except SystemExit as stopped:
        return stopped.code


@pytest.fixture
def never_run(monkeypatch):
    monkeypatch.setattr(command, "run", lambda *_: pytest.fail("something was run"))


@pytest.fixture
def asked(monkeypatch):
    """Return what is asked for by runs, which take no time, and by reports, which are empty."""
    asked = []

    def fake(tasks, design, store, n_jobs, tell):
        for task in tasks:
            for job in task.jobs:
                asked.append((task.data.name, job))
                store.add(record(task.data.name, job.learner, job.seed, job.fold, accuracy=0.5))

    def write(out, doc):
        asked.append(("report", doc))
        return out / "report.md"

    monkeypatch.setattr(command, "run", fake)
    monkeypatch.setattr(command.report, "write", write)
    return asked


@pytest.mark.usefixtures("never_run")
@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["--jobs", "0"], "error: --jobs must be at least 1, got 0"),
        (["--data", "no/such/folder"], "error: --data no/such/folder: no such folder"),
        (["--sets", "iris", "irsi", "made"], "error: --sets: unknown data set irsi, made"),
        (
            ["--learners", "tree 4", "tree 5", "--sets", "iris"],
            "error: --learners: unknown learner tree 5 (known: CFSBE, 1x, CFSBE, 4x, ",
        ),
        # repaired rules are those of another arm
        (
            ["--learners", "none, repaired, 1x", "--sets", "iris"],
            "error: --learners: unknown learner none, repaired, 1x (known: ",
        ),
        (["--folds", "1"], "error: --folds must be at least 2, got 1"),
        (["--seeds", "0"], "error: --seeds must be at least 1, got 0"),
        (["--folds", "many"], "argument --folds: invalid int value: 'many'"),
        (["--data", "."], "must contain a folder single/ or *.dat files"),
        (["--repeats", "2"], "unrecognized arguments: --repeats 2"),
        (["--report-only"], "contains no results: design.json is missing"),
    ],
)
def test_wrong_options(tmp_path, capsys, monkeypatch, given, message):
    monkeypatch.chdir(tmp_path)
    code = run("--out", tmp_path / "out", *given)
    assert message in capsys.readouterr().err
    assert code == 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("asked")
def test_results_of_another_design_are_not_mixed_in(tmp_path, capsys, monkeypatch):
    given = ["--out", tmp_path, "--sets", "iris", "--learners", "tree 4", "--folds", 2]
    assert run(*given) == 0
    before = files(tmp_path)
    assert "design.json" in before
    monkeypatch.setattr(command, "run", lambda *_: pytest.fail("something was run"))
    assert run(*given, "--seeds", 3, "--cap", 7, "--max-rows", 300) == 2
    assert (
        f"error: {tmp_path} contains results with other settings (seeds, max_rows, cap); use the"
        in capsys.readouterr().err
    )
    assert files(tmp_path) == before


@pytest.mark.usefixtures("never_run")
def test_results_with_repeats_are_not_mixed_in(tmp_path, capsys):
    # as of an earlier version, whose records have no seeds
    old = {name: value for name, value in asdict(running.Design()).items() if name != "seeds"}
    old |= {"repeats": 2, "max_rows": command.QUICK_ROWS}
    (tmp_path / "design.json").write_text(json.dumps({"design": old}))
    assert run("--out", tmp_path, "--sets", "iris", "--learners", "tree 4") == 2
    assert "contains results with other settings (seeds)" in capsys.readouterr().err


def test_a_run_writes_its_design_and_report(tmp_path, capsys, asked):
    sets, system = ["iris", "made boxes 2x2, noise 0"], "Michigan: CFSBE, 16x"
    chosen = [system, "tree 4", ARM, "pruned"]
    given = ["--out", tmp_path, "--sets", *sets, "--learners", *chosen, "--folds", 2]
    assert run(*given, "--doc", "a.md") == 0
    assert asked.pop() == ("report", Path("a.md"))
    assert len(set(asked)) == len(asked)
    # two seeds and two folds of an arm, one seed of a peer
    assert Counter((name, job.learner) for name, job in asked) == {
        ("iris", ARM): 4,
        ("iris", system): 4,
        ("iris", "tree 4"): 2,
        ("iris", "pruned"): 2,
        ("made boxes 2x2, noise 0", ARM): 4,
        ("made boxes 2x2, noise 0", "pruned"): 2,
    }
    said = capsys.readouterr()
    assert "18 folds to run, after compiling" in said.err
    assert f"report written to {tmp_path / 'report.md'}" in said.out
    design = json.loads((tmp_path / "design.json").read_text())
    # without data of one's own, fewer rows
    assert design["design"] == asdict(running.Design(folds=2, max_rows=command.QUICK_ROWS))
    assert design["not installed"] == {}
    assert design["versions"]["scikit-learn"]
    assert design["sets"] == [
        {"name": "made boxes 2x2, noise 0", "group": "made", "rows": 1000, "used": 500}
        | {"numeric": 2, "categorical": 0, "classes": 2},
        {"name": "iris", "group": "sklearn", "rows": 150, "used": 150}
        | {"numeric": 4, "categorical": 0, "classes": 3},
    ]
    # what is done is not done again
    before = files(tmp_path)
    asked.clear()
    assert run(*given) == 0
    assert run("--out", tmp_path, "--report-only") == 0
    assert asked == [("report", None)] * 2
    assert files(tmp_path) == before


@pytest.mark.usefixtures("asked")
def test_all_rows_of_data_of_ones_own(tmp_path, folder):
    out = tmp_path / "out"
    given = ["--data", folder, "--sets", "single set", "multi set", "--learners", ARM, "tree 4"]
    assert run("--out", out, *given) == 0
    design = json.loads((out / "design.json").read_text())
    assert design["design"] == asdict(running.Design())
    assert {entry["name"]: entry["used"] for entry in design["sets"]} == {
        "single set": 3,
        "multi set": 3,
    }
    done = {(r["set"], r["learner"]) for r in running.Store(out)}
    assert done == {("single set", ARM), ("single set", "tree 4"), ("multi set", ARM)}
