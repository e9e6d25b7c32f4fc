"""Write the report of a study from the records in its folder.

It writes ``records.csv.gz`` (all folds), ``report.md`` with its figures, and ``times.md``, which is
separate because only times differ between two runs. In a document with marks ``<!-- begin: NAME
-->`` and ``<!-- end: NAME -->``, it updates the tables between them.
"""

from __future__ import annotations

import gzip
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from study import plots, statistics, tables
from study.arms import BUDGETS, GIVING_WAY, PLAIN, PRIMARY, VOTE, name_of
from study.running import Store
from study.tables import Results

FIGURES = "figures"
TIMES = "times"
# The columns of the records that are not numbers.
TEXTS = ("group", "set", "learner", "failed")


def write(out: Path, doc: Path | None = None) -> Path:
    """Write the report to the results folder, update a document, and return the report's path."""
    results = read(out)
    blocks = {name: make(results) for name, make in tables.BLOCKS.items()}
    blocks[TIMES] = tables.times(results)
    text = None if doc is None else updated(doc.read_text(), blocks)
    drawn = {name: figure for name, make in FIGURE_MAKERS.items() if (figure := make(results))}
    (out / FIGURES).mkdir(parents=True, exist_ok=True)
    for name, figure in drawn.items():
        plots.save(figure, out / FIGURES / f"{name}.svg")
    path = out / "report.md"
    path.write_text(_report(blocks, list(drawn)))
    (out / "times.md").write_text(f"# CPU seconds per fit\n\n{blocks[TIMES]}\n")
    if doc is not None and text is not None:
        (doc.parent / FIGURES).mkdir(exist_ok=True)
        for name, figure in drawn.items():
            plots.save(figure, doc.parent / FIGURES / f"study_{name}.svg")
        doc.write_text(text)
    return path


def read(out: Path) -> Results:
    """Return the results of a folder: its folds, or the records of an earlier report."""
    design = out / "design.json"
    if not design.exists():
        raise ValueError(f"{out} contains no results: design.json is missing")
    settings = json.loads(design.read_text())
    records = pd.DataFrame(list(Store(out)))
    saved = out / "records.csv.gz"
    if len(records):
        order = ["group", "set", "learner", "seed", "fold"]
        records = records.drop_duplicates(order, keep="last").sort_values(order, ignore_index=True)
        saved.write_bytes(_as_bytes(records))
    elif not saved.exists():
        raise ValueError(f"{out} contains no results: folds/ and records.csv.gz are missing")
    # read the file, so that reports from folds and from the file are equal
    return Results(_table(saved), settings)


def _table(path: Path) -> pd.DataFrame:
    # as text first: a set may be named "1" or "NA", and versions of pandas parse differently
    records = pd.read_csv(path, dtype=str, keep_default_na=False, na_values=[""])
    for name in records.columns.difference(TEXTS):
        records[name] = records[name].astype(int if name in ("seed", "fold") else float)
    return records


def _as_bytes(records: pd.DataFrame) -> bytes:
    text = io.StringIO()
    records.to_csv(text, index=False, lineterminator="\n")
    # without a time stamp, so that equal records give equal bytes
    return gzip.compress(text.getvalue().encode(), mtime=0)


def updated(text: str, blocks: dict[str, str]) -> str:
    """Return a document with the tables between its marks replaced."""
    for name in re.findall(r"<!-- begin: (.*?) -->", text):
        if name not in blocks:
            raise ValueError(f"unknown table {name!r} in the document (known: {', '.join(blocks)})")
        pattern = rf"(<!-- begin: {re.escape(name)} -->\n).*?(<!-- end: {re.escape(name)} -->)"
        text, n = re.subn(
            pattern, lambda m, name=name: f"{m[1]}{blocks[name]}\n{m[2]}", text, flags=re.DOTALL
        )
        if n != 1:
            raise ValueError(f"the document must have one begin and one end of {name!r}")
    return text


TITLES = {
    "primary": "The primary comparison: CFSBE or no avoidance",
    "answers": "Other measures of the primary comparison",
    "budgets": "The same by evaluations and by time",
    "growth": "What more evaluations do",
    "classes": "The number of classes",
    "hosts": "Other hosts",
    "host means": "Results of the other hosts",
    "arms": "Results of the arms",
    "against plain": "Each arm compared with no avoidance and the best rule",
    "folds verdicts": "Data sets whose folds alone show a difference in accuracy to no avoidance",
    "groups": "Results by source of data",
    "pairs": "Arms that differ in one switch",
    "pace": "Evaluations to reach a training accuracy",
    "several": "Several labels per row",
    "several differences": "Several labels per row: CFSBE or no avoidance",
    "made": "Recovery of the true rules",
    "made by size": "Recovery of the true rules by size",
    "made by noise": "Recovery of the true rules by noise",
    "ablated": "RuleSetClassifier without its parts",
    "peers": "Peers, on the data sets that most of them finished",
    "peer differences": "irenic compared with each peer",
    "sizes": "A limited number of rules, compared with trees of as many leaves",
    "conflicts": "Conflicts in learned rules",
    "failures": "Failures",
    "not run": "What was not run",
    "sets": "Data sets",
    "made with": "Settings and versions",
}


def _report(blocks: dict[str, str], figures: list[str]) -> str:
    parts = ["# Report of the study"]
    parts += [f"## {title}\n\n{blocks[name]}" for name, title in TITLES.items()]
    parts += ["## Figures", *(f"![{name}]({FIGURES}/{name}.svg)" for name in figures)]
    return "\n\n".join(parts) + "\n"


# --- figures: None if there are too few results


def _budgets(results: Results) -> Any:
    kinds = (PRIMARY, GIVING_WAY, PLAIN, VOTE)
    names = [name_of(kind, budget) for kind in kinds for budget in BUDGETS]
    measures = {name: results.means(results.arms, name, names) for name in CURVES}
    if any(name not in table for table in measures.values() for name in names):
        return None
    common = [name for name, row in measures["accuracy"].iterrows() if row.notna().all()]
    if not common:
        return None
    curves = {
        kind: pd.DataFrame(
            {
                measure: [table.loc[common, name_of(kind, b)].mean() for b in BUDGETS]
                for measure, table in measures.items()
            }
        )
        for kind in kinds
    }
    return plots.budgets(curves, len(common), "Accuracy and overfitting by budget")


# What the figure of budgets shows.
CURVES = ("evaluations", "seconds", "accuracy", "gap_accuracy")


def _ranks(results: Results, title: str) -> Any:
    means = results.means(tables.everywhere(results), "accuracy")
    if len(means) < 3 or means.shape[1] < 3:
        return None
    return plots.critical_difference(statistics.friedman(means), title)


def _by_set(results: Results) -> Any:
    means = results.means(results.arms, "accuracy", (tables.AVOIDING, tables.WITHOUT))
    if means.shape[1] < 2 or means.dropna().empty:
        return None
    title = "Accuracy with CFSBE, compared with no avoidance, with the same evaluations"
    return plots.by_data_set(means, tables.AVOIDING, tables.WITHOUT, title)


def _trade_off(results: Results) -> Any:
    common = tables.everywhere(results)
    if common.empty:
        return None
    accuracy, size = (results.means(common, name) for name in ("accuracy", "conditions"))
    sized = [name for name in accuracy if name not in size or np.isfinite(size[name]).all()]
    if not any(name in size for name in sized):
        return None
    title = "Accuracy and size on the data sets that all finished"
    return plots.trade_off(accuracy[sized], size, title)


FIGURE_MAKERS: dict[str, Callable[[Results], Any]] = {
    "budgets": _budgets,
    "by_set": _by_set,
    "trade_off": _trade_off,
    "peer_ranks": lambda results: _ranks(results, "Ranks of the learners: accuracy"),
}
