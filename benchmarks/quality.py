"""How good models are: irenic, trees, RuleFit, FIGS, and boosted ensembles, on the same folds.

``python -m benchmarks.quality --data FOLDER --out FILE`` fits each learner to four fifths of each
data set, five times, and measures predictions, probabilities, size and CPU time on the fifth left
out. "tree, same size" has as many leaves as irenic has rules, including the default. Each fit is a
line of FILE, and a run that was stopped continues where it was. Without ``--out`` nothing is kept.

A third of the sets was kept for the end: nothing was chosen on them. Learners whose library is not
installed are left out and named.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections.abc import Iterable
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import f1_score, roc_auc_score
from sklearn.model_selection import StratifiedKFold

from benchmarks import datasets, imodels_peers, peers
from benchmarks.fitted import Fitted
from benchmarks.harness import Table

# Nothing was chosen on these sets; `benchmarks.estimates` keeps the same ones for the end.
FINAL = ("car", "heart-c", "hypothyroid", "kr-vs-kp", "pima", "splice", "zoo")
SAME_SIZE = "tree, same size"
LEARNERS: dict[str, Any] = {
    "irenic": peers.ours,
    **{name: fit for name, fit in peers.TREES.items() if name != "tree 4"},
    "pruned": peers.pruned,
    "rulefit": imodels_peers.rulefit,
    "figs": imodels_peers.figs,
    "ebm": peers.ebm,
    "lightgbm": peers.lightgbm,
}
MEASURES = ("accuracy", "macro-F1", "log-loss", "ROC area", "Brier score", "calibration error")
SIZES = ("rules", "conditions", "decided by a rule", "CPU seconds")
_LEAST = 1e-6
_BINS = 10

Record = dict[str, Any]


def measures(truth: np.ndarray, likely: np.ndarray, predicted: np.ndarray) -> dict[str, float]:
    """Return all measures of predictions and probabilities; labels are codes."""
    likely = np.clip(likely, _LEAST, None)
    likely /= likely.sum(axis=1, keepdims=True)
    present = np.eye(likely.shape[1])[truth]
    areas = [
        roc_auc_score(own, scores)
        for own, scores in zip(present.T, likely.T, strict=True)
        if 0 < own.sum() < len(own)
    ]
    values = (
        (predicted == truth).mean(),
        f1_score(truth, predicted, average="macro", zero_division=0),
        -np.log(likely[np.arange(len(truth)), truth]).mean(),
        np.mean(areas),
        ((likely - present) ** 2).sum(axis=1).mean() / 2.0,
        calibration_error(truth, likely),
    )
    return {name: float(value) for name, value in zip(MEASURES, values, strict=True)}


def calibration_error(truth: np.ndarray, likely: np.ndarray) -> float:
    """Return the expected calibration error of the most likely label, in ten bins.

    It is the mean distance between the highest probability and the share of rows for which that
    label is right.
    """
    top, right = likely.max(axis=1), likely.argmax(axis=1) == truth
    bins = np.minimum((top * _BINS).astype(int), _BINS - 1)
    gaps = [
        abs(top[bins == b].mean() - right[bins == b].mean()) * (bins == b).sum()
        for b in np.unique(bins)
    ]
    return float(sum(gaps) / len(truth))


def record(fit: Any, learn: Any, cases: Any, truth: np.ndarray, classes: np.ndarray) -> Record:
    """Fit a learner and measure it; ``truth`` are codes of the sorted ``classes``."""
    started = time.process_time()
    fitted: Fitted = fit(*learn)
    taken = time.process_time() - started
    size = fitted.size()
    assert fitted.likely is not None, "all learners of this benchmark have probabilities"
    predicted = np.searchsorted(classes, fitted.predict(cases))
    found: Record = dict(measures(truth, fitted.likely(cases), predicted))
    found |= {"rules": size.get("rules"), "conditions": size.get("merged")}
    covered = fitted.covering(cases)[0].any(axis=1).mean() if fitted.covering else None
    return found | {"decided by a rule": covered, "CPU seconds": taken}


def run(
    sets: Iterable[datasets.Single], names: Iterable[str], max_rows: int, out: Path | None
) -> list[Record]:
    """Fit all learners to all sets and return the records, those of a run before included."""
    lines = out.read_text().splitlines() if out and out.exists() else ()
    records = [json.loads(line) for line in lines]
    done = {(one["set"], one["fold"], one["learner"]) for one in records}
    for data in sets:
        X, y = data.X, np.asarray(data.y)
        if len(X) > max_rows:
            kept = np.random.default_rng(0).permutation(len(X))[:max_rows]
            X, y = X.iloc[kept].reset_index(drop=True), y[kept]
        classes = np.unique(y)
        for fold, (learn, test) in enumerate(
            StratifiedKFold(5, shuffle=True, random_state=1).split(X, y)
        ):
            for name in names:
                if (data.name, fold, name) in done:
                    continue
                fit = LEARNERS.get(name)
                if name == SAME_SIZE:
                    leaves = next(
                        one["rules"]
                        for one in records
                        if (one["set"], one["fold"], one["learner"]) == (data.name, fold, "irenic")
                    )
                    fit = partial(peers.tree, leaves=max(2, leaves))
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    found = record(
                        fit,
                        (X.iloc[learn], y[learn]),
                        X.iloc[test],
                        np.searchsorted(classes, y[test]),
                        classes,
                    )
                records.append({"set": data.name, "fold": fold, "learner": name} | found)
                if out:
                    with out.open("a") as file:
                        file.write(json.dumps(records[-1]) + "\n")
        print(f"{data.name}: done", file=sys.stderr, flush=True)
    return records


def means(records: list[Record], learners: list[str]) -> dict[tuple[str, str, str], float]:
    """Return the mean over folds of each measure, by set, learner and measure."""
    found: dict[tuple[str, str, str], list[float]] = {}
    for one in records:
        for measure in (*MEASURES, *SIZES):
            if one["learner"] in learners and one[measure] is not None:
                found.setdefault((one["set"], one["learner"], measure), []).append(one[measure])
    return {key: float(np.mean(values)) for key, values in found.items()}


def tables(records: list[Record], learners: list[str]) -> list[Table]:
    """Return the means over sets for each split, then log-loss and ROC area by set."""
    by = means(records, learners)
    whole = {
        name
        for name in dict.fromkeys(one["set"] for one in records)
        if all((name, learner, "accuracy") in by for learner in learners)
    }
    made = []
    for title, sets in (
        ("Sets that played a part in choices", sorted(whole - set(FINAL))),
        ("Sets kept for the end", sorted(whole & set(FINAL))),
    ):
        if not sets:
            continue
        table = Table(f"{title} ({len(sets)})", "learner", *MEASURES, *SIZES)
        for learner in learners:
            row = []
            for measure in (*MEASURES, *SIZES):
                values = [by[s, learner, measure] for s in sets if (s, learner, measure) in by]
                digits = 3 if measure in MEASURES or measure == "decided by a rule" else 1
                row.append(f"{np.mean(values):.{digits}f}" if values else "–")
            table.add(learner, *row)
        made.append(table)
        for measure in ("log-loss", "ROC area"):
            table = Table(f"{title}: {measure}", "set", *learners)
            for name in sets:
                table.add(name, *(f"{by[name, learner, measure]:.3f}" for learner in learners))
            made.append(table)
    return made


def _installed(name: str) -> bool:
    package = peers.package_of("ours" if name == "irenic" else name.replace(",", ""))
    try:
        return package is None or bool(metadata.version(package))
    except metadata.PackageNotFoundError:
        return package == "irenic"


def main(arguments: list[str] | None = None) -> None:
    """Fit what is missing and print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality", description=__doc__)
    parser.add_argument("--data", type=Path, help="folder of data sets (default: scikit-learn's)")
    parser.add_argument("--sets", nargs="*", default=(), help="names of the data sets")
    parser.add_argument("--learners", nargs="*", help=", ".join([*LEARNERS, SAME_SIZE]))
    parser.add_argument("--max-rows", type=int, default=3_000, help="larger sets are sampled")
    parser.add_argument("--out", type=Path, help="file of the records, one line per fit")
    options = parser.parse_args(arguments)
    names = options.learners or [*LEARNERS, SAME_SIZE]
    unknown = [name for name in names if name not in LEARNERS and name != SAME_SIZE]
    if unknown:
        parser.error(f"--learners: unknown learner {', '.join(unknown)}")
    missing = [name for name in names if not _installed(name)]
    if missing:
        print(f"not installed: {', '.join(missing)}", file=sys.stderr)
    names = [name for name in names if name not in missing]
    sets = datasets.single(options.data, options.sets)
    tables(run(sets, names, options.max_rows, options.out), names)


if __name__ == "__main__":
    main()
