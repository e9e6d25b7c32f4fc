"""Tests of the runner of the study: folds, kept results, and processes that fail."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import numpy as np
import odd_learners
import pytest
from hypothesis import given
from hypothesis import strategies as st
from study_records import files, record

from benchmarks.fitted import objects
from study import __main__ as command
from study import running

ARM = "none, best rule, 1x"
TIMED = ("seconds", "seconds_to_level")


# --- which rows


@st.composite
def labels(draw):
    """Draw labels of which each class has a row for each fold at least."""
    counts = draw(st.lists(st.integers(5, 30), min_size=2, max_size=4))
    y = np.repeat([f"c{i}" for i in range(len(counts))], counts).astype(object)
    return np.random.default_rng(draw(st.integers(0, 99))).permutation(y)


@given(labels(), st.integers(2, 5), st.integers(20, 130))
def test_splits(y, folds, most):
    design = running.Design(folds=folds, max_rows=most)
    splits = design.splits(y)
    assert len(splits) == folds
    used = check_folds(splits, min(len(y), most))
    for label in set(y):
        counts = [(y[test] == label).sum() for _, test in splits]
        assert max(counts) - min(counts) <= 1
    # of fewer rows than classes that are left out, no draw leaves out some of each class
    near = 1 if len(y) - len(used) >= len(set(y)) else len(set(y))
    for label in set(y):
        assert abs((y[used] == label).mean() - (y == label).mean()) <= near / len(used)


def check_folds(splits, n):
    """Assert that each fold has the same n rows, each of which is tested once; return them."""
    used = np.sort(np.concatenate(splits[0]))
    assert len(set(used)) == len(used) == n
    for learn, test in splits:
        assert np.sort(np.concatenate([learn, test])).tolist() == used.tolist()
    tests = [test for _, test in splits]
    assert np.sort(np.concatenate(tests)).tolist() == used.tolist()
    assert max(map(len, tests)) - min(map(len, tests)) <= 1
    return used


@given(st.integers(5, 60), st.integers(2, 5), st.integers(5, 80), st.integers(0, 99))
def test_splits_of_sets_of_labels(n, folds, most, seed):
    rng = np.random.default_rng(seed)
    # most sets occur once, so that they could not be stratified
    y = objects(frozenset(np.flatnonzero(rng.random(6) < 0.5).tolist()) for _ in range(n))
    design = running.Design(folds=folds, max_rows=most, random_state=seed)
    splits = design.splits(y)
    assert len(splits) == folds
    check_folds(splits, min(n, most))
    # which labels rows have does not matter, even if there are enough of each to stratify
    other = objects(frozenset([0] if i % 2 else []) for i in range(n))
    for one, two in zip(splits, design.splits(other), strict=True):
        assert all((a == b).all() for a, b in zip(one, two, strict=True))


def test_splits_are_the_same_for_the_same_state():
    y = odd_learners.table("t", 200).y
    design = running.Design(folds=4, max_rows=100)
    # seeds are fits on the same folds, and splits do not depend on other settings either
    designs = (design, replace(design, seeds=7, cap=1.0, evaluations=5))
    one, same, other = (
        [test.tolist() for _, test in d.splits(y)]
        for d in (*designs, replace(design, random_state=1))
    )
    assert one == same
    assert one != other


def test_classes_of_few_rows_do_not_stop_a_draw():
    # in the second, a row too many, of two classes
    for text in ("a" * 30 + "bbc", "a" * 11 + "b" * 10):
        splits = running.Design(folds=5, max_rows=20).splits(np.array([*text], dtype=object))
        assert [len(test) for _, test in splits] == [4] * 5


# --- what is kept


def test_what_is_added_is_read_back(tmp_path):
    records = [
        record(fold=0, accuracy=0.1 + 0.2, rules=3),
        record(fold=1, failed="ValueError: 5 > 3 | “odd” \u2028 text\x85\x1c"),
        record(learner="none, best rule, 1x", seed=1, accuracy=1 / 3),
        record("another: set/of (odd) ‘names’ \\ ä\u2028.. ", accuracy=0.0),
        record("a_b"),
        record("a b"),
    ]
    store = running.Store(tmp_path / "new" / "folder")
    assert list(store) == []
    for one in records:
        store.add(one)
    again = running.Store(tmp_path / "new" / "folder")
    assert sorted(map(str, again)) == sorted(map(str, records))
    assert again.done() == {
        (r["set"], running.Job(r["learner"], r["seed"], r["fold"])) for r in records
    }
    # nothing is written outside, whatever a set is called
    assert {p.parent.parent for p in tmp_path.rglob("*.jsonl")} == {store.folder}


@given(st.data())
def test_half_a_line_is_ignored_and_the_next_does_not_merge_with_it(tmp_path_factory, data):
    store = running.Store(tmp_path_factory.mktemp("store"))
    first, lost, last = (record("sät", fold=fold, failed="“ä”: ü") for fold in range(3))
    store.add(first)
    store.add(lost)
    (path,) = store.folder.rglob("*.jsonl")
    whole = path.read_bytes()
    begins = whole.index(b"\n") + 1
    # cut anywhere within the second line, also within a letter
    cut = data.draw(st.integers(begins, len(whole) - 2))
    path.write_bytes(whole[:cut])
    assert list(store) == [first]
    store.add(last)
    assert list(store) == [first, last]
    assert path.read_bytes()[:cut] == whole[:cut]
    # a line that lacks only its end is all there
    path.write_bytes(whole[:-1])
    store.add(last)
    assert list(store) == [first, lost, last]


# --- runs, in processes of their own


def tasks_of(names, sets, design, store):
    return [
        running.Task(data, jobs)
        for data in sets
        if (
            jobs := tuple(
                job
                for name in names
                for fold in range(design.folds)
                if (data.name, job := running.Job(name, 0, fold)) not in store.done()
            )
        )
    ]


def without_times(store):
    return sorted(
        json.dumps({k: v for k, v in r.items() if k not in TIMED}, sort_keys=True) for r in store
    )


def test_results_do_not_depend_on_processes_and_are_not_made_twice(tmp_path):
    design = running.Design(folds=2, seeds=1, evaluations=1_280, cap=120.0)
    sets = [odd_learners.table("one"), odd_learners.table("two", seed=1)]
    names = ["tree 4", ARM]
    stores, said = {}, []
    for n_jobs in (1, 2):
        store = stores[n_jobs] = running.Store(tmp_path / str(n_jobs))
        running.run(tasks_of(names, sets, design, store), design, store, n_jobs, said.append)
    folds = Counter((r["set"], r["learner"]) for r in stores[1])
    assert folds == {(s.name, name): 2 for s in sets for name in (*names, "none, repaired, 1x")}
    assert not any("failed" in r for r in stores[1])
    assert {r["group"] for r in stores[1]} == {"odd"}
    assert all(0.4 < r["accuracy"] <= 1 for r in stores[1])
    assert all(r["seconds"] > 0 for r in stores[1])
    assert all(r["evaluations"] == 1_280 for r in stores[1] if r["learner"] != "tree 4")
    assert without_times(stores[1]) == without_times(stores[2])
    # where compiling takes long, there is word in between, too
    assert sum(text.startswith("8 of 8 folds, about 0 min left") for text in said) == 2

    # what is there is known by its folds, and done no more
    left = command._tasks(sets, names, design, stores[1])
    assert left == []
    before = files(tmp_path)
    running.run(left, design, stores[1], 2, said.append)
    assert files(tmp_path) == before
    # a fold that was lost is done again, alone and with the same result
    (path,) = stores[1].folder.glob("one/tree_4.jsonl")
    first, second = path.read_text().splitlines()
    path.write_text(second + "\n" + first[:50])
    (task,) = command._tasks(sets, names, design, stores[1])
    assert task.jobs == (running.Job("tree 4", 0, 0),)
    running.run([task], design, stores[1], 1, said.append)
    assert without_times(stores[1]) == without_times(stores[2])


class FakePipe:
    """Takes what a process sends, and gives it one task."""

    def __init__(self, data, jobs):
        self.tasks, self.sent = [(data, jobs)], []

    def recv(self):
        if not self.tasks:
            raise EOFError
        return self.tasks.pop()

    def send(self, what):
        self.sent.append(what)


def test_each_seed_and_fold_has_random_numbers_of_its_own():
    design = running.Design(folds=3, seeds=2, evaluations=77, random_state=5)
    asked = []

    class Learners:
        def warm_up(self, learner):
            asked.append(learner)

        def fold(self, learner, data, learn_on, test_on, state, budget):
            asked.append((test_on.tolist(), state, budget))
            return {learner: {}}

    data = odd_learners.table("s")
    jobs = [running.Job("a", seed, fold) for seed in (0, 1) for fold in (0, 1, 2)]
    pipe = FakePipe(data, jobs)
    with pytest.raises(EOFError):
        running._serve(pipe, design, Learners())
    tests = [test.tolist() for _, test in design.splits(data.y)]
    # the same folds for both seeds, and a learner is warmed up once
    states = [5, 1005, 2005, 3005, 4005, 5005]
    assert asked == ["a", *((*pair, 77) for pair in zip(tests * 2, states, strict=True))]
    assert pipe.sent == ["", {"a": {}}] * 6


def test_what_fails_is_recorded_and_the_others_go_on(tmp_path, monkeypatch):
    # long enough for a tree on a slow machine: what does not end in it takes minutes
    design = running.Design(folds=2, cap=0.5)
    monkeypatch.setattr(running, "PATIENCE", 8)
    store = running.Store(tmp_path)
    names = ["unready", "raises", "killed", "tree 8", "slow", "waiting", "tree 4"]
    said = []
    tasks = tasks_of(names, [odd_learners.table("one")], design, store)
    running.run(tasks, design, store, 1, said.append)
    found = {(r["learner"], r["fold"]): r for r in store}
    failed = {place: r["failed"] for place, r in found.items() if "failed" in r}
    assert failed == {
        ("unready", 0): "not run: ImportError: no such library",
        ("unready", 1): "not tried: not run: ImportError: no such library",
        # each fold for itself, and the first line of what was said
        ("raises", 0): "RuntimeError: no rules for today",
        ("raises", 1): "RuntimeError: no rules for today",
        ("killed", 0): "died with exit code -9",
        ("killed", 1): "not tried: died with exit code -9",
        ("slow", 0): "over 0.5 s",
        ("slow", 1): "not tried: over 0.5 s",
        ("waiting", 0): "over 0.5 s",
        ("waiting", 1): "not tried: over 0.5 s",
    }
    assert sorted(found.keys() - failed.keys()) == [
        (name, fold) for name in ("tree 4", "tree 8") for fold in (0, 1)
    ]
    assert len(list(store)) == 14
    assert said[-1].startswith("14 of 14 folds, about 0 min left")
    assert tasks_of(names, [odd_learners.table("one")], design, store) == []


class FakeWorker:
    """Gives results as a worker does, from a script: what each call yields."""

    def __init__(self, *calls):
        self.calls, self.asked = list(calls), []

    def results(self, data, jobs):
        self.asked.append([(job.learner, job.fold) for job in jobs])
        yield from self.calls.pop(0)


def run_task(tmp_path, jobs, *calls):
    """Return the store of a task whose worker gives these results, and the worker."""
    store, worker = running.Store(tmp_path), FakeWorker(*calls)
    task = running.Task(odd_learners.table("s"), tuple(jobs))
    running._run_task(task, worker, store, running._Counter(len(jobs), lambda _: None))
    return store, worker


def test_a_fold_gives_records_of_all_names_that_it_stands_for(tmp_path):
    jobs = [running.Job("a", 1, fold) for fold in (0, 1)]
    calls = [{"a": {"accuracy": 1.0}, "b": {"accuracy": 0.5}}, {"a": {"failed": "x"}}]
    store, _ = run_task(tmp_path, jobs, calls)
    expected = [
        record("s", "a", 1, 0, "odd", accuracy=1.0),
        record("s", "a", 1, 1, "odd", failed="x"),
        record("s", "b", 1, 0, "odd", accuracy=0.5),
    ]
    assert sorted(store, key=lambda r: (r["learner"], r["fold"])) == expected


def test_after_a_process_ended_another_goes_on_with_the_rest(tmp_path):
    jobs = [running.Job(name, 0, fold) for name in "abc" for fold in (0, 1)]
    good = {"accuracy": 1.0}
    store, worker = run_task(
        tmp_path,
        jobs,
        [{"a": good}, {"a": {"failed": "over 3 s"}}],
        [{"b": {"failed": "died with exit code 1"}}],
        [{"c": {"failed": "ValueError: over 3 s"}}, {"c": good}],
    )
    places = [(job.learner, job.fold) for job in jobs]
    assert worker.asked == [places, places[2:], places[4:]]
    assert {(r["learner"], r["fold"]): r.get("failed") for r in store} == {
        ("a", 0): None,
        ("a", 1): "over 3 s",
        ("b", 0): "died with exit code 1",
        ("b", 1): "not tried: died with exit code 1",
        ("c", 0): "ValueError: over 3 s",
        ("c", 1): None,
    }


def test_progress_is_told_at_the_end_and_not_at_every_fold(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(running.time, "monotonic", lambda: now[0])
    said = []
    counter = running._Counter(1_000, said.append)
    for fold in range(1_000):
        now[0] += 0.25
        counter.count(f"fold {fold}")
    assert len(said) == 25
    assert said[0] == "40 of 1,000 folds, about 4 min left; last: fold 39"
    assert said[-1] == "1,000 of 1,000 folds, about 0 min left; last: fold 999"


def test_first_line():
    for error, text in (
        (ValueError("one\ntwo"), "ValueError: one"),
        (KeyError("a"), "KeyError: 'a'"),
        (RuntimeError(), "RuntimeError: "),
        (RuntimeError("x" * 500), "RuntimeError: " + "x" * 186),
    ):
        assert running._first_line(error) == text
