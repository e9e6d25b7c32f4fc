"""Our learner beside its peers in one run: accuracy, size, conflicts, several labels and time.

``python -m benchmarks.learners --data FOLDER``; without a folder, on the sets that come with
scikit-learn. Every learner fits in a process of its own that is stopped when one fold takes longer
than ``--cap``; what fails is listed. With ``--json FILE --resume`` what the file holds already is
not run again.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import resource
import sys
import time
import warnings
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import make_classification
from sklearn.metrics import (
    accuracy_score,
    auc,
    average_precision_score,
    balanced_accuracy_score,
    f1_score,
    precision_recall_curve,
)
from sklearn.model_selection import KFold, StratifiedKFold

from benchmarks import datasets, peers
from benchmarks.harness import Table, seconds, show_seconds

TABLES = ("sizes", "free", "conflicts", "multi", "hier", "time")
FOLDS = 5
FREE_MEASURES = ("accuracy", "balanced accuracy", "macro-F1", "rules", "conditions", "seconds")
# Rows, features, classes; the first of a kind is shared by the three growths.
GROWTH = {
    "rows": [(n, 20, 2) for n in (1_000, 10_000, 100_000, 1_000_000)],
    "features": [(10_000, d, 2) for d in (10, 20, 50, 100)],
    "classes": [(10_000, 20, c) for c in (2, 5, 10, 20)],
}
TIME_JOBS = 2
TIME_CAP = 3600.0

Record = dict[str, Any]


# --- the work of one process


def learner_of(table: str, name: str, jobs: int) -> Any:
    if table == "sizes":
        return peers.TREES[name]
    if table == "time":
        timed = {
            "ours": partial(peers.ours, n_jobs=TIME_JOBS),
            "tree": partial(peers.tree, leaves=None),
            "lightgbm": partial(peers.lightgbm, n_jobs=TIME_JOBS),
            # Its threads wait by spinning: with a core taken by others, one thread is faster.
            "lightgbm, 1 thread": partial(peers.lightgbm, n_jobs=1),
        }
        return timed[name]
    if table == "multi":
        return partial(peers.multi_ours, n_jobs=jobs) if name == "ours" else peers.multi_tree
    if table == "hier":
        return partial(peers.hier_ours, n_jobs=jobs) if name == "ours" else peers.hier_tree
    return partial(peers.ours, n_jobs=jobs) if name == "ours" else peers.PEERS[name]


def warm_up(table: str, name: str, jobs: int) -> None:
    """Import, compile and start what the learner needs, so that it is not timed."""
    if table in ("multi", "hier"):
        table, name = "free", "ours" if name == "ours" else "pruned"
    rng = np.random.default_rng(0)
    number = rng.random(80)
    X = pd.DataFrame({"a": number, "b": rng.random(80)})
    X["c"] = pd.Categorical(rng.choice(["x", "y", "z"], 80))
    learner_of(table, name, jobs)(X, np.where(number < 0.4, "low", "high").astype(object))


def work(send: Any, table: str, name: str, data: Any, folds: list[int], jobs: int) -> None:
    warnings.simplefilter("ignore")
    try:
        warm_up(table, name, jobs)
    except ImportError as error:
        send.send({"not run": str(error)})
        return
    except Exception as error:
        send.send({"not run": f"{type(error).__name__}: {error}"})
        return
    send.send({})
    fit = learner_of(table, name, jobs)
    measure = {"multi": one_multi, "hier": one_hier, "time": one_time}.get(table, one_single)
    for fold in folds:
        try:
            send.send(measure(fit, data, fold))
        except Exception as error:
            # The first line: some peers put the whole table into their messages.
            text = f"{type(error).__name__}: {error}".splitlines()[0][:200]
            send.send({"failed": text})


def one_single(fit: Any, data: datasets.Single, fold: int) -> Record:
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    learn, test = list(folds.split(data.X, data.y))[fold]
    X, y = data.X.iloc[learn], data.y[learn]
    start = time.perf_counter()
    fitted = fit(X, y)
    taken = time.perf_counter() - start
    X_test, truth = data.X.iloc[test], data.y[test].astype(str)
    record = measured(fitted, X_test, truth) | {"seconds": taken}
    if fitted.selected is not None:
        for k in peers.SIZES:
            record[f"at most {k}"] = measured(fitted.selected(k), X_test, truth)
    return record


def measured(fitted: peers.Fitted, X: pd.DataFrame, truth: np.ndarray) -> Record:
    found = np.asarray(fitted.predict(X), dtype=object).astype(str)
    return fitted.size() | {
        "accuracy": float(accuracy_score(truth, found)),
        "balanced accuracy": float(balanced_accuracy_score(truth, found)),
        "macro-F1": float(f1_score(truth, found, average="macro", zero_division=0)),
    }


def one_multi(fit: Any, data: datasets.Multi, fold: int) -> Record:
    learn, test = list(KFold(FOLDS, shuffle=True, random_state=0).split(data.X))[fold]
    start = time.perf_counter()
    fitted = fit(data.X.iloc[learn], data.Y[learn])
    taken = time.perf_counter() - start
    found = np.asarray(fitted.predict(data.X.iloc[test])).astype(np.int8)
    return fitted.size() | {
        "example F1": peers.example_f1(data.Y[test], found),
        "micro F1": float(f1_score(data.Y[test], found, average="micro", zero_division=0)),
        "seconds": taken,
    }


def one_hier(fit: Any, data: datasets.Hierarchical, fold: int) -> Record:
    start = time.perf_counter()
    fitted = fit(data)
    taken = time.perf_counter() - start
    truth, scores = data.closed(data.y_test), fitted.predict(data.X_test)
    truth, scores = truth.ravel(), scores.ravel()
    precision, recall, _ = precision_recall_curve(truth, scores)
    return fitted.size() | {
        "AUPRC": float(average_precision_score(truth, scores)),
        "by trapezoids": float(auc(recall, precision)),
        "seconds": taken,
    }


def one_time(fit: Any, data: datasets.Single | tuple[int, int, int], fold: int) -> Record:
    if isinstance(data, tuple):
        X, y = made(*data)
    else:
        X, y = data.X, data.y
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    fitted = fit(X, y)
    taken = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    if taken < 5.0:
        taken = min(taken, seconds(lambda: fit(X, y), repeat=3))
    return fitted.size() | {
        "seconds": taken,
        "predict": seconds(lambda: fitted.predict(X), repeat=3),
        "peak GB": peak / 1e6,
        "before GB": before / 1e6,
    }


def made(rows: int, features: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    return make_classification(
        rows,
        features,
        n_informative=min(10, features - 2),
        n_redundant=2,
        n_classes=classes,
        n_clusters_per_class=1,
        flip_y=0.05,
        random_state=0,
    )


# --- running and keeping


# What a record has instead of figures.
BAD = ("failed", "not run")


class Runs:
    """Results by table, set, learner and fold; kept in a file as they come."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.file, self.cap, self.jobs = arguments.json, arguments.cap, arguments.jobs
        self.records: dict[tuple[str, str, str, int], Record] = {}
        self.tables: list[Table] = []
        if arguments.resume and self.file.exists():
            for record in json.loads(self.file.read_text())["results"]:
                if record["learner"].split()[0].rstrip(",") not in arguments.again:
                    self._put(record)

    def _put(self, record: Record) -> None:
        key = (record["table"], record["set"], record["learner"], record["fold"])
        self.records[key] = record

    def save(self) -> None:
        if self.file is None:
            return
        kept = [r for r in self.records.values() if "not run" not in r]
        text = {"results": kept, "tables": [table.data() for table in self.tables]}
        # Replaced as a whole: a run that is stopped leaves a file that can be read.
        part = self.file.with_suffix(".part")
        part.write_text(json.dumps(text, indent=1, ensure_ascii=False))
        part.replace(self.file)

    def run(self, table: str, data: Any, name: str, learner: str, n_folds: int = FOLDS) -> None:
        folds = [i for i in range(n_folds) if (table, name, learner, i) not in self.records]
        if not folds:
            return
        start = time.perf_counter()
        cap = TIME_CAP if table == "time" else self.cap
        for fold, record in zip(folds, self._capped(table, data, learner, folds, cap), strict=True):
            self._put({"table": table, "set": name, "learner": learner, "fold": fold} | record)
        self.save()
        taken = show_seconds(time.perf_counter() - start)
        state = self.failure(table, name, learner) or "done"
        print(f"{table}, {name}, {learner}: {state} in {taken}", file=sys.stderr, flush=True)

    def _capped(
        self, table: str, data: Any, learner: str, folds: list[int], cap: float
    ) -> Iterator[Record]:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["benchmarks.peers"])
        receive, send = context.Pipe(duplex=False)
        given = (send, table, learner, data, folds, self.jobs)
        child = context.Process(target=work, args=given)
        child.start()
        send.close()
        left = len(folds)
        try:
            first = receive.recv() if receive.poll(max(cap, 120.0)) else {"not run": "no start"}
            if first:
                yield from [first] * left
                return
            while left:
                record = receive.recv() if receive.poll(cap) else {"failed": f"over {cap:g} s"}
                left -= 1
                yield record
                if record.get("failed", "").startswith("over "):
                    yield from [{"failed": f"not tried after a fold {record['failed']}"}] * left
                    return
        except EOFError:
            child.join()
            yield from [{"failed": f"died with exit code {child.exitcode}"}] * left
        finally:
            child.kill()
            child.join()

    def share_sizes(self, name: str) -> None:
        """Take from the fits of free size what their smaller rule sets reach."""
        for record in self.folds("free", name, "ours"):
            for k in peers.SIZES:
                found = record.get(
                    f"at most {k}", {key: record[key] for key in BAD if key in record}
                )
                key = {"table": "sizes", "set": name, "learner": f"ours {k}"}
                self._put(key | {"fold": record["fold"]} | found)

    def folds(self, table: str, name: str, learner: str) -> list[Record]:
        found = [
            r for (t, s, p, _), r in self.records.items() if (t, s, p) == (table, name, learner)
        ]
        return sorted(found, key=lambda record: record["fold"])

    def failure(self, table: str, name: str, learner: str) -> str:
        """Return what went wrong in the first fold that failed, and in how many; "" for nothing."""
        folds = self.folds(table, name, learner)
        bad = [r for r in folds if any(key in r for key in BAD)]
        if not bad:
            return ""
        if "not run" in bad[0]:
            return f"not run: {bad[0]['not run']}"
        return f"{len(bad)} of {len(folds)} folds failed: {bad[0]['failed']}"

    def mean(self, table: str, name: str, learner: str, measure: str) -> float | None:
        """Return the mean over folds, None if a fold is not there or has no such figure."""
        folds = self.folds(table, name, learner)
        if not folds or any(measure not in record for record in folds):
            return None
        return float(np.mean([record[measure] for record in folds]))

    def means(self, table: str, sets: list[str], learner: str, measure: str) -> float | None:
        found = [self.mean(table, name, learner, measure) for name in sets]
        known = [value for value in found if value is not None]
        return float(np.mean(known)) if known and len(known) == len(found) else None

    def table(self, title: str, *columns: str) -> Table:
        table = Table(title, *columns)
        self.tables.append(table)
        return table


def show(value: float | None, measure: str = "accuracy") -> str:
    if value is None:
        return "–"
    if measure == "seconds":
        return show_seconds(value)
    return f"{value:.1f}" if measure in ("rules", "conditions", "merged") else f"{value:.3f}"


# --- the tables


def sizes(runs: Runs, arguments: argparse.Namespace) -> None:
    """At most k rules, the default of ours as one of them, beside trees of k leaves.

    Ours are points of the front of one fit, the one of the table of free sizes.
    """
    mine = [] if arguments.without_ours else ["ours"]
    kinds = mine + (["tree"] if "tree" in arguments.peers else [])
    sets = []
    for data in datasets.single(arguments.data, arguments.sets, arguments.max_rows):
        sets.append(data.name)
        if mine:
            runs.run("free", data, data.name, "ours")
            runs.share_sizes(data.name)
        for k in peers.SIZES if "tree" in kinds else ():
            runs.run("sizes", data, data.name, f"tree {k}")
    columns = [f"{kind} {k}" for k in peers.SIZES for kind in kinds]
    table = runs.table("Accuracy with at most k rules; the default is one of them", "set", *columns)
    for name in sets:
        table.add(name, *(show(runs.mean("sizes", name, c, "accuracy")) for c in columns))
    table.add("mean", *(show(runs.means("sizes", sets, c, "accuracy")) for c in columns))
    if len(kinds) == 2:
        for k in peers.SIZES:
            pairs = [
                [runs.mean("sizes", name, f"{kind} {k}", "accuracy") for kind in kinds]
                for name in sets
            ]
            known = [(a, b) for a, b in pairs if a is not None and b is not None]
            more, less = sum(a > b for a, b in known), sum(a < b for a, b in known)
            print(
                f"\nk = {k}: better on {more}, equal on {len(known) - more - less}, worse on {less}"
            )
    measures = ("rules", "conditions")
    table = runs.table("Rules / conditions with at most k rules", "set", *columns)
    for name in [*sets, "mean"]:
        within = sets if name == "mean" else [name]
        cells = [
            " / ".join(show(runs.means("sizes", within, c, m), m) for m in measures)
            for c in columns
        ]
        table.add(name, *cells)
    failures(runs, "sizes", sets, columns)


def free(runs: Runs, arguments: argparse.Namespace) -> None:
    """Each learner chooses its size itself."""
    learners = ([] if arguments.without_ours else ["ours"]) + [
        name for name in peers.PEERS if name in arguments.peers
    ]
    sets = []
    for data in datasets.single(arguments.data, arguments.sets, arguments.max_rows):
        sets.append(data.name)
        for learner in learners:
            runs.run("free", data, data.name, learner)
    for measure in FREE_MEASURES:
        table = runs.table(f"Free choice of size: {measure}", "set", *learners)
        for name in sets:
            cells = [show(runs.mean("free", name, p, measure), measure) for p in learners]
            table.add(name, *cells)

    def finished(learner: str) -> list[str]:
        return [s for s in sets if runs.mean("free", s, learner, "accuracy") is not None]

    # A learner that is not there at all must not empty the sets that all have finished.
    present = [p for p in learners if finished(p)]
    common = [s for s in sets if all(s in finished(p) for p in present)]
    table = runs.table(
        f"Free choice of size: means over the {len(common)} sets that all have finished",
        *("learner", *FREE_MEASURES, "sets finished"),
    )
    for p in learners:
        cells = [show(runs.means("free", common, p, m), m) for m in FREE_MEASURES]
        table.add(p, *cells, len(finished(p)))
    if "ours" in present:
        pairwise(runs, present, finished)
    failures(runs, "free", sets, learners)


def pairwise(runs: Runs, learners: list[str], finished: Any) -> None:
    table = runs.table(
        "Free choice of size: ours / the peer, means over the sets that the peer has finished",
        *("peer", "sets", *FREE_MEASURES, "conditions, geometric mean of ratios, times"),
    )
    for p in learners:
        sets = [s for s in finished(p) if s in finished("ours")]
        if p == "ours" or not sets:
            continue
        cells = [
            " / ".join(show(runs.means("free", sets, q, m), m) for q in ("ours", p))
            for m in FREE_MEASURES
        ]
        table.add(p, len(sets), *cells, ratio(runs, sets, p, "conditions"))
    if "pruned" in learners:
        sets = [s for s in finished("pruned") if s in finished("ours")]
        merged = ratio(runs, sets, "pruned", "merged")
        if isinstance(merged, float):
            print(f"\nWith all tests of a categorical feature in a leaf as one: {merged:.3g}×")


def ratio(runs: Runs, sets: list[str], peer: str, measure: str) -> float | str:
    """Return the geometric mean of ours / peer; no conditions at all count as one."""
    logs = []
    for name in sets:
        a, b = (runs.mean("free", name, p, measure) for p in ("ours", peer))
        if a is None or b is None:
            return "–"
        logs.append(math.log(max(a, 1.0) / max(b, 1.0)))
    return math.exp(sum(logs) / len(logs)) if logs else "–"


def conflicts(runs: Runs, arguments: argparse.Namespace) -> None:
    """Pairs of our rules that contradict each other, in the runs of the table before."""
    if arguments.without_ours:
        return
    columns = [f"fold {i}" for i in range(FOLDS)]
    table = runs.table("Conflicting pairs of our rules", "set", *columns)
    counts: list[int] = []
    for data in datasets.single(arguments.data, arguments.sets, arguments.max_rows):
        runs.run("free", data, data.name, "ours")
        found = [record.get("conflicts", "–") for record in runs.folds("free", data.name, "ours")]
        counts += [n for n in found if n != "–"]
        table.add(data.name, *found)
    table.add("sum", sum(counts) if counts else "–", *[""] * (FOLDS - 1))


def multi(runs: Runs, arguments: argparse.Namespace) -> None:
    measures = ("example F1", "micro F1", "rules", "conditions", "seconds")
    several_labels(runs, arguments, "multi", datasets.multi, measures, FOLDS)


def hier(runs: Runs, arguments: argparse.Namespace) -> None:
    """Area under the precision-recall curve of all labels but the root, pooled.

    ``average_precision_score``, which repeats the reference (.173 .172 .199 .158); by trapezoids,
    ``auc(recall, precision)``, it is some .002 more.
    """

    def read(folder: Path | None, names: list[str], max_rows: int | None):
        return datasets.hierarchical(folder, names)

    measures = ("AUPRC", "by trapezoids", "rules", "conditions", "seconds")
    several_labels(runs, arguments, "hier", read, measures, 1)


def several_labels(
    runs: Runs,
    arguments: argparse.Namespace,
    kind: str,
    read: Any,
    measures: tuple[str, ...],
    n_folds: int,
) -> None:
    learners = ([] if arguments.without_ours else ["ours"]) + (
        ["tree"] if "tree" in arguments.peers else []
    )
    sets = []
    for data in read(arguments.data, arguments.sets, arguments.max_rows):
        sets.append(data.name)
        for learner in learners:
            runs.run(kind, data, data.name, learner, n_folds)
    if not sets:
        return
    title = {
        "multi": "Several labels: a row without labels, given none, has an example F1 of 0",
        "hier": "Hierarchies: area under the pooled precision-recall curve, as average precision",
    }[kind]
    table = runs.table(title, "set", *(f"{p}: {m}" for m in measures for p in learners))
    for name in [*sets, "mean"]:
        within = sets if name == "mean" else [name]
        cells = [show(runs.means(kind, within, p, m), m) for m in measures for p in learners]
        table.add(name, *cells)
    failures(runs, kind, sets, learners)


def failures(runs: Runs, kind: str, sets: list[str], learners: list[str]) -> None:
    found = [(s, p, runs.failure(kind, s, p)) for p in learners for s in sets]
    if any(text for *_, text in found):
        table = runs.table(f"What did not finish: {kind}", "set", "learner", "why")
        for name, learner, text in found:
            if text:
                table.add(name, learner, text)


# --- time


def timing(runs: Runs, arguments: argparse.Namespace) -> None:
    learners = ([] if arguments.without_ours else ["ours"]) + [
        name
        for name in ("tree", "lightgbm", "lightgbm, 1 thread")
        if name.split(",")[0] in arguments.peers
    ]
    sets: dict[str, Any] = {}
    for shapes in GROWTH.values():
        sets |= {shape_name(shape): shape for shape in shapes}
    for data in datasets.single(arguments.data, ["adult"]):
        sets["adult"] = data
    if arguments.max_rows:
        sets = {n: d for n, d in sets.items() if rows_of(d) <= arguments.max_rows}
    for name, data in sets.items():
        for learner in learners:
            runs.run("time", data, name, learner, 1)
    columns = ("set", "learner", "fit", "predict", "peak GB", "before the fit, GB")
    table = runs.table(f"Time, {TIME_JOBS} threads: rows x features x classes", *columns)
    for name in sets:
        for p in learners:
            fit, predict, peak, before = (
                runs.mean("time", name, p, m)
                for m in ("seconds", "predict", "peak GB", "before GB")
            )
            times = [show(value, "seconds") for value in (fit, predict)]
            table.add(name, p, *times, show(peak), show(before))
    if "ours" in learners and len(learners) > 1:
        others = learners[1:]
        columns = [f"{what}, times {p}" for p in others for what in ("fit", "predict")]
        table = runs.table("Time: ours as a multiple of the peer's", "set", *columns)
        for name in sets:
            cells: list[float | str] = []
            for p in others:
                for measure in ("seconds", "predict"):
                    a, b = (runs.mean("time", name, q, measure) for q in ("ours", p))
                    cells.append("–" if a is None or b is None else a / b)
            table.add(name, *cells)
    failures(runs, "time", list(sets), learners)
    if arguments.plot:
        plot(runs, learners, arguments.plot)


def shape_name(shape: tuple[int, int, int]) -> str:
    return " x ".join(f"{n:,}" for n in shape)


def rows_of(data: Any) -> int:
    return data[0] if isinstance(data, tuple) else len(data.y)


def plot(runs: Runs, learners: list[str], file: Path) -> None:
    """Write how the time of a fit grows, one panel each for rows, features and classes."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(1, 3, figsize=(12, 3.6), sharey=True, layout="constrained")
    for place, (panel, (kind, shapes)) in enumerate(zip(panels, GROWTH.items(), strict=True)):
        for learner in learners:
            points = [
                (shape[place], runs.mean("time", shape_name(shape), learner, "seconds"))
                for shape in shapes
            ]
            known = [(x, y) for x, y in points if y is not None]
            if known:
                panel.loglog(*zip(*known, strict=True), marker="o", label=learner)
        fixed = [f"{shapes[0][i]:,} {other}" for i, other in enumerate(GROWTH) if i != place]
        panel.set(xlabel=kind, title=", ".join(fixed))
        values = [shape[place] for shape in shapes]
        panel.set_xticks(values, [f"{value:,}" for value in values])
        panel.tick_params(axis="x", which="minor", labelbottom=False)
        panel.grid(alpha=0.3)
    panels[0].set_ylabel("seconds for a fit")
    panels[0].legend()
    figure.savefig(file, dpi=150)


# --- the command


def parse(given: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.learners", description=__doc__)
    add = parser.add_argument
    known = ["tree", *peers.PEERS]
    add("--data", type=Path, help="folder with single/, multi/ and hier/")
    add("--tables", nargs="+", choices=TABLES, default=list(TABLES), help="which; all if none")
    add("--sets", nargs="+", default=[], help="names of the sets; all if none")
    add("--max-rows", type=int, help="leave out sets with more rows")
    add("--peers", nargs="*", choices=known, default=known, help="which; all if not given")
    add("--without-ours", action="store_true", help="run the peers only")
    add("--cap", type=float, default=120.0, help="seconds that one fold may take")
    add("--jobs", type=int, default=1, help=f"threads of ours; the time table has {TIME_JOBS}")
    add("--json", type=Path, help="also write the figures of every fold to this file")
    add("--resume", action="store_true", help="take what the file holds already")
    add("--again", nargs="+", default=[], help="but not that of these learners, such as ours")
    add("--plot", type=Path, help="draw the growth of the time table into this file")
    arguments = parser.parse_args(given)
    if arguments.resume and arguments.json is None:
        parser.error("--resume needs --json FILE, the file to take results from")
    return arguments


def main(arguments: argparse.Namespace) -> list[Table]:
    runs = Runs(arguments)
    run = {"sizes": sizes, "free": free, "conflicts": conflicts, "multi": multi, "hier": hier}
    for name in TABLES:
        if name in arguments.tables:
            (run | {"time": timing})[name](runs, arguments)
            runs.save()
    return runs.tables


if __name__ == "__main__":
    main(parse())
