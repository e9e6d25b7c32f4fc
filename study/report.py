"""Write the report of a study from the records in its folder.

What is written: ``records.csv.gz`` (every fold), ``report.md`` with its figures, and ``times.md``,
which is apart because it is the only thing that differs between two runs. A document with marks of
the form ``<!-- begin: NAME -->`` and ``<!-- end: NAME -->`` gets the tables between them renewed.
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
from study.running import Store
from study.tables import Results

FIGURES = "figures"
TIMES = "times"
# The columns of the records that are no numbers.
TEXTS = ("group", "set", "learner", "failed")


def write(out: Path, doc: Path | None = None) -> Path:
    """Write the report into the folder of results, and renew a document; return its path."""
    results = read(out)
    blocks = {name: make(results) for name, make in tables.BLOCKS.items()}
    blocks[TIMES] = tables.times(results)
    text = None if doc is None else renewed(doc.read_text(), blocks)
    drawn = {name: figure for name, make in FIGURE_MAKERS.items() if (figure := make(results))}
    (out / FIGURES).mkdir(parents=True, exist_ok=True)
    for name, figure in drawn.items():
        plots.save(figure, out / FIGURES / f"{name}.svg")
    path = out / "report.md"
    path.write_text(_report(blocks, list(drawn)))
    (out / "times.md").write_text(f"# CPU seconds of a fit\n\n{blocks[TIMES]}\n")
    if doc is not None and text is not None:
        (doc.parent / FIGURES).mkdir(exist_ok=True)
        for name, figure in drawn.items():
            plots.save(figure, doc.parent / FIGURES / f"study_{name}.svg")
        doc.write_text(text)
    return path


def read(out: Path) -> Results:
    """Return the results of a folder: its folds, or what an earlier report made of them."""
    design = out / "design.json"
    if not design.exists():
        raise ValueError(f"{out} holds no results: there is no design.json in it")
    kept = json.loads(design.read_text())
    records = pd.DataFrame(list(Store(out)))
    kept_records = out / "records.csv.gz"
    if len(records):
        order = ["group", "set", "learner", "repeat", "fold"]
        records = records.drop_duplicates(order, keep="last").sort_values(order, ignore_index=True)
        kept_records.write_bytes(_as_bytes(records))
    elif not kept_records.exists():
        raise ValueError(f"{out} holds no results: neither folds/ nor records.csv.gz")
    # read again, so that a report made of the folds is the one that is made of the file
    return Results(_table(kept_records), kept)


def _table(path: Path) -> pd.DataFrame:
    # as texts first: a set may be called "1" or "NA", and pandas differ in how exactly they read
    records = pd.read_csv(path, dtype=str, keep_default_na=False, na_values=[""])
    for name in records.columns.difference(TEXTS):
        records[name] = records[name].astype(int if name in ("repeat", "fold") else float)
    return records


def _as_bytes(records: pd.DataFrame) -> bytes:
    text = io.StringIO()
    records.to_csv(text, index=False, lineterminator="\n")
    # without a time in it: the same records give the same bytes
    return gzip.compress(text.getvalue().encode(), mtime=0)


def renewed(text: str, blocks: dict[str, str]) -> str:
    """Return a document with what stands between its marks made anew."""
    for name in re.findall(r"<!-- begin: (.*?) -->", text):
        if name not in blocks:
            raise ValueError(f"the document asks for {name!r}; there are: {', '.join(blocks)}")
        pattern = rf"(<!-- begin: {re.escape(name)} -->\n).*?(<!-- end: {re.escape(name)} -->)"
        text, n = re.subn(
            pattern, lambda m, name=name: f"{m[1]}{blocks[name]}\n{m[2]}", text, flags=re.DOTALL
        )
        if n != 1:
            raise ValueError(f"the document has no end for {name!r}, or two of it")
    return text


TITLES = {
    "answers": "The three questions: avoidance in start and mutation against none",
    "answers, rivals give way": "The same, where rivals may give way",
    "arms": "What the arms reach",
    "against plain": "Every arm against none with the best rule",
    "folds verdicts": "Sets on which the folds alone tell the accuracy of an arm from that of none",
    "groups": "Each source of data apart",
    "pairs": "Arms that differ in one switch",
    "pace": "How soon a training accuracy is reached",
    "made": "Is the truth found again?",
    "made by noise": "The same by noise",
    "peers": "Peers, on the sets that all finished",
    "peer differences": "irenic against each peer",
    "sizes": "At most so many rules, against trees of as many leaves",
    "conflicts": "Conflicts in what learners produce",
    "failures": "Failures",
    "sets": "Data sets",
    "made with": "Settings and versions",
}


def _report(blocks: dict[str, str], figures: list[str]) -> str:
    parts = ["# Report of the study"]
    parts += [f"## {title}\n\n{blocks[name]}" for name, title in TITLES.items()]
    parts += ["## Figures", *(f"![{name}]({FIGURES}/{name}.svg)" for name in figures)]
    return "\n\n".join(parts) + "\n"


# --- figures: None where there is too little to draw


def _intervals(results: Results, measure: str, title: str) -> Any:
    found = tables.arm_differences(results, measure)
    if not found:
        return None
    return plots.intervals(found, title, "share of the rows", margin=tables.MARGIN)


def _ranks(results: Results, records: pd.DataFrame, title: str, least: float) -> Any:
    means = results.means(records, "accuracy")
    # a learner that failed on many sets would leave few for all
    means = means.loc[:, means.notna().mean() >= least].dropna()
    if len(means) < 3 or means.shape[1] < 3:
        return None
    return plots.critical_difference(statistics.friedman(means), title)


def _by_set(results: Results) -> Any:
    means = results.means(results.arms, "accuracy", (tables.AVOIDING, tables.PLAIN))
    if means.shape[1] < 2 or means.dropna().empty:
        return None
    title = "Accuracy with avoidance in start and mutation, less that without"
    return plots.by_data_set(means, tables.AVOIDING, tables.PLAIN, title)


def _trade_off(results: Results) -> Any:
    common = results.peers[results.peers["set"].isin(tables.everywhere(results))]
    if common.empty:
        return None
    accuracy, size = (results.means(common, name) for name in ("accuracy", "conditions"))
    sized = [name for name in accuracy if name not in size or np.isfinite(size[name]).all()]
    if not any(name in size for name in sized):
        return None
    title = "Accuracy and size on the sets that all finished"
    return plots.trade_off(accuracy[sized], size, title)


FIGURE_MAKERS: dict[str, Callable[[Results], Any]] = {
    "accuracy": lambda results: _intervals(
        results, "accuracy", "Accuracy of each arm, less that of none with the best rule"
    ),
    "overfitting": lambda results: _intervals(
        results, "gap_accuracy", "Training less test accuracy, less that of none with the best rule"
    ),
    "arm_ranks": lambda results: _ranks(results, results.arms, "Ranks of the arms: accuracy", 1.0),
    "peer_ranks": lambda results: _ranks(
        results, results.peers, "Ranks of the learners: accuracy", 0.8
    ),
    "by_set": _by_set,
    "trade_off": _trade_off,
}
