"""Run folds in parallel, save each result immediately, and never repeat one.

A task is a data set with a learner; joblib runs tasks in parallel, each in a process that is
reused, because compiling and importing takes longer than many fits. A process is stopped when a
fold exceeds the time limit, and a new one continues. The result of a fold is one line of a file,
written when the fold is finished: a run that is killed only loses the current folds.
"""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import queue
import re
import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.model_selection import KFold, StratifiedKFold, train_test_split

Record = dict[str, Any]
# Maximum seconds for a process to import, compile and warm up.
STARTING = 300.0
# The cap is on CPU seconds, so that other programs do not change the results. A fold that waits or
# works in a process of its own, such as Java, is stopped after this many times the cap.
PATIENCE = 5
# The exit code of a process whose fold took too many CPU seconds.
OVER_CAP = 100


@dataclass(frozen=True)
class Job:
    """One fold of one learner."""

    learner: str
    seed: int
    fold: int


@dataclass(frozen=True)
class Design:
    """The settings of a study, shared by all folds; results of other settings are not mixed in."""

    folds: int = 5
    seeds: int = 2
    """Fits of an arm per fold, each with other random numbers."""
    evaluations: int = 8_000
    max_rows: int = 1_000_000
    cap: float = 60.0
    """The maximum CPU seconds of a fold."""
    random_state: int = 0

    def splits(self, y: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
        """Return the training and test rows of each fold, stratified by class.

        At most ``max_rows`` rows are drawn, the same ones for all learners. Sets of labels are
        not stratified.
        """
        rows = np.arange(len(y))
        several = isinstance(y[0], frozenset)
        if len(rows) > self.max_rows:
            alike = None
            if not several:
                # a stratified split would also require all classes among the rows left out
                counts = np.unique(y, return_counts=True)[1]
                spread = counts.min() > 1 and len(rows) - self.max_rows >= len(counts)
                alike = y if spread else None
            rows, _ = train_test_split(
                rows, train_size=self.max_rows, stratify=alike, random_state=self.random_state
            )
            rows = np.sort(rows)
        kind = KFold if several else StratifiedKFold
        folds = kind(self.folds, shuffle=True, random_state=self.random_state)
        with warnings.catch_warnings():
            # some folds have no rows of classes with fewer rows than folds
            warnings.simplefilter("ignore", UserWarning)
            return [(rows[learn], rows[test]) for learn, test in folds.split(rows, y[rows])]


class Store:
    """The results in a folder: one file per data set and learner, one line per fold."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "folds"

    def _path(self, name: str, learner: str) -> Path:
        return self.folder / _as_file(name) / f"{_as_file(learner)}.jsonl"

    def add(self, record: Record) -> None:
        """Save a record with a single write, so that a truncated line can be detected."""
        path = self._path(record["set"], record["learner"])
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a+b") as file:
            if file.tell() and not _ends_with_line(path):
                file.write(b"\n")
            file.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())

    def __iter__(self) -> Iterator[Record]:
        for path in sorted(self.folder.glob("*/*.jsonl")):
            # bytes, because a line may be cut inside a character, and texts may contain U+2028
            for line in path.read_bytes().split(b"\n"):
                try:
                    yield json.loads(line)
                except ValueError:
                    continue  # the run was killed during this fold, which is repeated

    def done(self) -> set[tuple[str, Job]]:
        """Return the finished folds of all data sets."""
        return {(r["set"], Job(r["learner"], r["seed"], r["fold"])) for r in self}


def _ends_with_line(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"


def _as_file(name: str) -> str:
    return re.sub(r"[^\w.+-]+", "_", name)


@dataclass(frozen=True)
class Task:
    """A data set and its remaining folds."""

    data: Any
    jobs: tuple[Job, ...]


def run(
    tasks: list[Task], design: Design, store: Store, n_jobs: int, tell: Callable[[str], None]
) -> None:
    """Run all tasks."""
    counter = _Counter(sum(len(task.jobs) for task in tasks), tell)
    workers: queue.SimpleQueue[_Worker] = queue.SimpleQueue()
    everyone = [_Worker(design) for _ in range(n_jobs)]
    for worker in everyone:
        workers.put(worker)

    def one(task: Task) -> None:
        worker = workers.get()
        try:
            _run_task(task, worker, store, counter)
        finally:
            workers.put(worker)

    try:
        # threads only wait here: the worker processes do the work
        Parallel(n_jobs=n_jobs, backend="threading", batch_size=1)(
            delayed(one)(task) for task in tasks
        )
    finally:
        for worker in everyone:
            worker.stop()


class _Counter:
    """Reports progress from time to time, because folds finish every second."""

    EVERY = 10.0

    def __init__(self, total: int, tell: Callable[[str], None]) -> None:
        self._total, self._tell = total, tell
        self._done, self._begun = 0, time.monotonic()
        self._said = self._begun
        self._lock = threading.Lock()

    def count(self, what: str) -> None:
        with self._lock:
            self._done += 1
            now = time.monotonic()
            if self._done == self._total or now - self._said >= self.EVERY:
                self._said = now
                left = (now - self._begun) / self._done * (self._total - self._done)
                self._tell(
                    f"{self._done:,} of {self._total:,} folds, about {left / 60:.0f} min left;"
                    f" last: {what}"
                )


def _run_task(task: Task, worker: _Worker, store: Store, counter: _Counter) -> None:
    jobs = list(task.jobs)
    while jobs:
        for records in worker.results(task.data, jobs):
            job = jobs.pop(0)
            for learner, record in records.items():
                store.add(_heading(task.data, job, learner) | record)
            counter.count(f"{job.learner} on {task.data.name}")
            failure = records.get(job.learner, {}).get("failed", "")
            if failure.startswith(("over ", "not run", "died")):
                # the other folds of this set would probably fail as well
                for other in [j for j in jobs if j.learner == job.learner]:
                    text = f"not tried: {failure}"
                    store.add(_heading(task.data, other, job.learner) | {"failed": text})
                    counter.count(f"{job.learner} on {task.data.name}")
                    jobs.remove(other)
                break


def _heading(data: Any, job: Job, learner: str) -> Record:
    return {
        "set": data.name,
        "group": data.group,
        "learner": learner,
        "seed": job.seed,
        "fold": job.fold,
    }


class _Worker:
    """A process that runs one fold after another, and is replaced when it is stopped."""

    def __init__(self, design: Design) -> None:
        self.design = design
        self._process: Any = None
        self._pipe: Any = None

    def _start(self) -> None:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["study.learners"])
        self._pipe, other = context.Pipe()
        self._process = context.Process(target=_work, args=(other, self.design), daemon=True)
        self._process.start()
        other.close()

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._pipe.close()
            self._process = None

    @property
    def _over_cap(self) -> str:
        return f"over {self.design.cap:g} s"

    def results(self, data: Any, jobs: list[Job]) -> Iterator[dict[str, Record]]:
        """Yield the result of each job; end after a job that the process did not survive."""
        if self._process is None:
            self._start()
        job = jobs[0]
        well = False
        try:
            self._pipe.send((data, list(jobs)))
            for job in list(jobs):
                # importing and compiling before the first fold is not timed
                starting = self._pipe.recv() if self._pipe.poll(STARTING) else "does not start"
                if starting:
                    yield {job.learner: {"failed": f"not run: {starting}"}}
                    return
                if not self._pipe.poll(PATIENCE * self.design.cap):
                    yield {job.learner: {"failed": self._over_cap}}
                    return
                yield self._pipe.recv()
            well = True
        except (EOFError, OSError):
            self._process.join()
            died = f"died with exit code {self._process.exitcode}"
            over = self._process.exitcode == OVER_CAP
            yield {job.learner: {"failed": self._over_cap if over else died}}
        finally:
            if not well:
                self.stop()


def _work(pipe: Any, design: Design) -> None:
    from study import learners

    warnings.simplefilter("ignore")
    # Ctrl-C is handled by the main process, which stops this one
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(EOFError, OSError):  # the main process is gone
        _serve(pipe, design, learners)


def _serve(pipe: Any, design: Design, learners: Any) -> None:
    warm: set[str] = set()
    while True:
        data, jobs = pipe.recv()
        splits = design.splits(data.y)
        for job in jobs:
            if job.learner not in warm:
                try:
                    learners.warm_up(job.learner)
                except Exception as error:
                    pipe.send(_first_line(error))
                    break
                warm.add(job.learner)
            pipe.send("")
            state = design.random_state + 1000 * (job.seed * design.folds + job.fold)
            try:
                with _ended_after(design.cap):
                    records = learners.fold(
                        job.learner, data, *splits[job.fold], state, design.evaluations
                    )
            except Exception as error:
                records = {job.learner: {"failed": _first_line(error)}}
            pipe.send(records)


@contextlib.contextmanager
def _ended_after(cap: float) -> Iterator[None]:
    """End this process if the work takes more CPU seconds.

    A thread looks from time to time: while a CPU timer of the system is set, the CPU clock would
    only advance in ticks of milliseconds.
    """
    end = time.process_time() + cap
    finished = threading.Event()

    def watch() -> None:
        while not finished.wait(0.2):
            if time.process_time() > end:
                os._exit(OVER_CAP)

    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    finally:
        finished.set()


def _first_line(error: Exception) -> str:
    # some peers include whole tables in their messages
    return f"{type(error).__name__}: {error}".splitlines()[0][:200]
