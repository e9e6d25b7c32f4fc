"""irenic's learner compared with a tree on rows with several or hierarchical labels.

``python -m benchmarks.several_labels --data FOLDER`` prints example and micro F1 in five folds on
``multi/``, and the area under the precision-recall curve on ``hier/``. Single labels are compared
in the study.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import auc, average_precision_score, f1_score, precision_recall_curve
from sklearn.model_selection import KFold

from benchmarks import datasets, peers
from benchmarks.harness import Table, show_seconds

FOLDS = 5
MULTI = ("example F1", "micro F1", "rules", "conditions", "seconds")
HIER = ("AUPRC", "by trapezoids", "rules", "conditions", "seconds")

Record = dict[str, float]


def multi_folds(fit: Any, data: datasets.Multi) -> Iterator[Record]:
    for learn, test in KFold(FOLDS, shuffle=True, random_state=0).split(data.X):
        start = time.perf_counter()
        fitted = fit(data.X.iloc[learn], data.Y[learn])
        taken = time.perf_counter() - start
        predicted = np.asarray(fitted.predict(data.X.iloc[test])).astype(np.int8)
        yield fitted.size() | {
            "example F1": peers.example_f1(data.Y[test], predicted),
            "micro F1": float(f1_score(data.Y[test], predicted, average="micro", zero_division=0)),
            "seconds": taken,
        }


def hier_folds(fit: Any, data: datasets.Hierarchical) -> Iterator[Record]:
    """Yield one record: the area under the pooled curve of all labels but the root.

    ``average_precision_score`` reproduces the reference (.173 .172 .199 .158); the trapezoidal
    rule, ``auc(recall, precision)``, gives about .002 more.
    """
    start = time.perf_counter()
    fitted = fit(data)
    taken = time.perf_counter() - start
    truth, scores = data.closed(data.y_test).ravel(), fitted.predict(data.X_test).ravel()
    precision, recall, _ = precision_recall_curve(truth, scores)
    yield fitted.size() | {
        "AUPRC": float(average_precision_score(truth, scores)),
        "by trapezoids": float(auc(recall, precision)),
        "seconds": taken,
    }


def compared(title: str, sets: Any, learners: dict[str, Any], folds: Any, measures: Any) -> Table:
    table = Table(title, "set", *(f"{name}: {m}" for m in measures for name in learners))
    sums: list[list[float]] = []
    for data in sets:
        means = []
        for name, fit in learners.items():
            records = list(folds(fit, data))
            means.append({m: float(np.mean([r[m] for r in records])) for m in measures})
            print(f"{data.name}, {name}: done", file=sys.stderr, flush=True)
        sums.append([mean[m] for m in measures for mean in means])
        table.add(data.name, *_shown(sums[-1], measures, len(learners)))
    if sums:
        table.add("mean", *_shown(list(np.mean(sums, axis=0)), measures, len(learners)))
    return table


def _shown(values: list[float], measures: Any, n: int) -> list[str]:
    names = [m for m in measures for _ in range(n)]
    shows = {"seconds": show_seconds, "rules": "{:.1f}".format, "conditions": "{:.1f}".format}
    return [
        shows.get(name, "{:.3f}".format)(value) for name, value in zip(names, values, strict=True)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.several_labels", description=__doc__
    )
    parser.add_argument("--data", type=Path, required=True, help="folder with multi/ and hier/")
    parser.add_argument("--sets", nargs="+", default=[], help="data sets to use (default: all)")
    parser.add_argument("--jobs", type=int, default=1, help="threads of irenic (default: 1)")
    parser.add_argument("--json", type=Path, help="file to save the tables to")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    multi = {"irenic": partial(peers.multi_ours, n_jobs=options.jobs), "tree": peers.multi_tree}
    hier = {"irenic": partial(peers.hier_ours, n_jobs=options.jobs), "tree": peers.hier_tree}
    tables = [
        compared(
            "Several labels: example F1 is 0 for a row without true or predicted labels",
            datasets.multi(options.data, options.sets),
            multi,
            multi_folds,
            MULTI,
        ),
        compared(
            "Hierarchies: area under the pooled precision-recall curve, as average precision",
            datasets.hierarchical(options.data, options.sets),
            hier,
            hier_folds,
            HIER,
        ),
    ]
    if options.json:
        text = json.dumps([table.data() for table in tables], indent=2, ensure_ascii=False)
        options.json.write_text(text)


if __name__ == "__main__":
    main()
