"""irenic's learner compared with a tree on rows with several or hierarchical labels.

``python -m benchmarks.several_labels --data FOLDER`` prints example and micro F1 in five folds on
``multi/``, and the area under the precision-recall curve on ``hier/``: with as many rules as a tree
of fixed size has leaves, and with rules that predict labels or probabilities. ``--tables`` selects
among these. Single labels are compared in the study.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections.abc import Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.metrics import auc, average_precision_score, f1_score, precision_recall_curve
from sklearn.model_selection import KFold
from sklearn.preprocessing import OrdinalEncoder
from sklearn.tree import DecisionTreeRegressor

from benchmarks import datasets, peers
from benchmarks.harness import Table, show_seconds
from irenic import RuleSetClassifier
from irenic.learn import Hierarchy
from irenic.learn.target import Target

FOLDS = 5
MULTI = ("example F1", "micro F1", "rules", "conditions", "seconds")
HIER = ("AUPRC", "by trapezoids", "rules", "conditions", "seconds")
TABLES = ("multi", "hier", "kinds")
KINDS = ("AUPRC", "rules", "seconds")
LEAVES = (2, 4, 8, 16, 32, 64)
# The tops of the three ontologies of GO, which every row has; published figures leave them out.
TOPS = ("GO0003674", "GO0005575", "GO0008150")

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


def kind_folds(fit: Any, data: datasets.Hierarchical) -> Iterator[Record]:
    """Yield one record: the area under the pooled curve, and the processor time of a fit."""
    hierarchy = Hierarchy(data.hierarchy)
    start = time.process_time()
    predict, rules = fit(data, hierarchy)
    taken = time.process_time() - start
    area = pooled_area(hierarchy, data.y_test, predict(data.X_test))
    yield {"AUPRC": area, "rules": rules, "seconds": taken}


def pooled_area(hierarchy: Hierarchy, y: list[list[str]], scores: np.ndarray) -> float:
    """Return the area under the precision-recall curve of all pairs of a row and a label.

    It is the micro average of Vens et al. (2008); labels at the top of GO do not count.
    """
    counted = np.array([label not in TOPS for label in hierarchy.labels])
    truth = Target.sets(y, hierarchy).truth
    return float(average_precision_score(truth[:, counted].ravel(), scores[:, counted].ravel()))


def fit_rules(data: Any, hierarchy: Hierarchy, consequents: str, n_jobs: int = 1) -> Any:
    """Fit our learner; its own validation chooses the number of rules, which has the default."""
    model = RuleSetClassifier(
        hierarchy=hierarchy, consequents=consequents, random_state=0, n_jobs=n_jobs
    )
    model.fit(data.X, data.y)
    return model.predict_proba, len(model.rules_) + 1


def fit_tree(data: Any, hierarchy: Hierarchy) -> Any:
    """Fit a least-squares tree, as Clus-HMC does: validation rows choose the number of leaves."""
    encode = make_column_transformer(
        (
            OrdinalEncoder(encoded_missing_value=np.nan),
            make_column_selector(dtype_include="category"),
        ),
        remainder="passthrough",
    )
    table = encode.fit_transform(pd.concat([data.X, data.X_test]))[: len(data.X)]
    truth = Target.sets(data.y, hierarchy).truth
    weights = np.sqrt(hierarchy.weights())
    n = data.n_train

    def grow(rows: Any, leaves: int) -> Any:
        tree = DecisionTreeRegressor(max_leaf_nodes=leaves, random_state=0)
        return tree.fit(table[rows], truth[rows] * weights)

    areas = [
        pooled_area(hierarchy, data.y[n:], grow(slice(n), leaves).predict(table[n:]) / weights)
        for leaves in LEAVES
    ]
    chosen = grow(slice(None), LEAVES[int(np.argmax(areas))])
    return lambda X: chosen.predict(encode.transform(X)) / weights, chosen.get_n_leaves()


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
    parser.add_argument(
        "--tables", nargs="+", choices=TABLES, default=TABLES, help="tables (default: all)"
    )
    parser.add_argument("--jobs", type=int, default=1, help="threads of irenic (default: 1)")
    parser.add_argument("--json", type=Path, help="file to save the tables to")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    jobs = options.jobs
    makers = {
        "multi": lambda: compared(
            "Several labels: example F1 is 0 for a row without true or predicted labels",
            datasets.multi(options.data, options.sets),
            {"irenic": partial(peers.multi_ours, n_jobs=jobs), "tree": peers.multi_tree},
            multi_folds,
            MULTI,
        ),
        "hier": lambda: compared(
            "Hierarchies: area under the pooled precision-recall curve, as average precision",
            datasets.hierarchical(options.data, options.sets),
            {"irenic": partial(peers.hier_ours, n_jobs=jobs), "tree": peers.hier_tree},
            hier_folds,
            HIER,
        ),
        "kinds": lambda: compared(
            "Hierarchies: rules that predict labels or probabilities, and a tree",
            chain(
                datasets.hierarchical(options.data, options.sets),
                datasets.gene_ontology(options.data, options.sets),
            ),
            {
                "labels": partial(fit_rules, consequents="labels", n_jobs=jobs),
                "probabilities": partial(fit_rules, consequents="probabilities", n_jobs=jobs),
                "tree": fit_tree,
            },
            kind_folds,
            KINDS,
        ),
    }
    tables = [makers[name]() for name in options.tables]
    if options.json:
        text = json.dumps([table.data() for table in tables], indent=2, ensure_ascii=False)
        options.json.write_text(text)


if __name__ == "__main__":
    main()
