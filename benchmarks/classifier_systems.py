"""The learning classifier systems compared with RuleSetClassifier and a pruned tree.

``python -m benchmarks.classifier_systems --data FOLDER`` fits each learner with its defaults to
four fifths of each data set, five times, and prints the mean accuracy on the fifth left out and the
mean number of rules. The tree is pruned by cross-validation inside the training rows; its rules are
its leaves. The default of a rule set counts as a rule.

With ``--several``, it compares rules that decide the whole set of labels with rules that decide
only some labels, on the sets with several labels per row; ``--generations`` and ``--steps`` limit
the time.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

from benchmarks import datasets, peers, several_labels
from benchmarks.fitted import Fitted
from benchmarks.harness import Table
from irenic import RuleSetClassifier
from irenic.systems import MichiganClassifier, PittsburghClassifier


def ours(kind: Callable[..., Any]) -> Callable[..., Fitted]:
    def fit(X: Any, y: Any, random_state: int) -> Fitted:
        model = kind(random_state=random_state).fit(X, y)
        assert model.rules_.is_consistent
        return Fitted(model.predict, lambda: peers.our_size(model.rules_))

    return fit


LEARNERS = {
    "Pittsburgh": ours(PittsburghClassifier),
    "Michigan": ours(MichiganClassifier),
    "RuleSetClassifier": ours(RuleSetClassifier),
    "pruned tree": lambda X, y, random_state: peers.pruned(X, y),
}


def measured(data: datasets.Single) -> np.ndarray:
    """Return the mean accuracy, rules and CPU seconds of each learner: ``[learner, measure]``."""
    rows = []
    folds = StratifiedKFold(5, shuffle=True, random_state=1).split(data.X, data.y)
    for fold, (learn, test) in enumerate(folds):
        results = []
        for fit in LEARNERS.values():
            start = time.process_time()
            model = fit(data.X.iloc[learn], data.y[learn], fold)
            seconds = time.process_time() - start
            accuracy = np.mean(np.asarray(model.predict(data.X.iloc[test])) == data.y[test])
            results.append((accuracy, model.size()["rules"], seconds))
        rows.append(results)
    return np.mean(rows, axis=0)


def compared(sets: list[datasets.Single]) -> Table:
    table = Table("Accuracy (rules)", "set", "rows x features", *LEARNERS)
    results = []
    for data in sets:
        results.append(measured(data))
        print(f"{data.name}: done", file=sys.stderr, flush=True)
        cells = [f"{accuracy:.3f} ({rules:.0f})" for accuracy, rules, _ in results[-1]]
        table.add(data.name, f"{len(data.y)} x {data.X.shape[1]}", *cells)
    mean = np.mean(results, axis=0)
    table.add("mean", "", *(f"{accuracy:.3f} ({rules:.0f})" for accuracy, rules, _ in mean))
    table.add("CPU seconds per fit", "", *(f"{seconds:.1f}" for _, _, seconds in mean))
    return table


def several(sets: Iterable[datasets.Multi], generations: int, steps: int) -> Table:
    """Compare whole and partial heads of both systems on rows with several labels."""

    def learner(kind: Callable[..., Any], **options: Any) -> Callable[..., Fitted]:
        return ours(lambda random_state: kind(random_state=random_state, **options))

    def with_seed(fit: Callable[..., Fitted]) -> Callable[..., Fitted]:
        return lambda X, y: fit(X, y, 0)

    learners = {
        f"{name}, {heads}": with_seed(learner(kind, heads=heads, **options))
        for name, kind, options in (
            ("Pittsburgh", PittsburghClassifier, {"generations": generations}),
            ("Michigan", MichiganClassifier, {"steps": steps}),
        )
        for heads in ("whole", "partial")
    }
    title = "Several labels: whole and partial heads"
    return several_labels.compared(
        title, sets, learners, several_labels.multi_folds, several_labels.MULTI
    )


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.classifier_systems", description=__doc__
    )
    parser.add_argument("--data", type=Path, help="folder of data sets (default: scikit-learn's)")
    parser.add_argument("--sets", nargs="*", default=(), help="names of the data sets")
    parser.add_argument("--max-rows", type=int, default=1_000, help="larger sets are left out")
    parser.add_argument("--several", action="store_true", help="compare heads on several labels")
    parser.add_argument("--generations", type=int, default=150, help="of Pittsburgh in --several")
    parser.add_argument("--steps", type=int, default=15_000, help="of Michigan in --several")
    options = parser.parse_args(arguments)
    if options.several:
        sets = datasets.multi(options.data, options.sets, options.max_rows)
        several(sets, options.generations, options.steps)
        return
    compared(list(datasets.single(options.data, options.sets, options.max_rows)))


if __name__ == "__main__":
    main()
