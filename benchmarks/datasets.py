"""Data sets to compare learners on: from a folder of files, or those of scikit-learn.

A folder contains ``single/*.csv.gz`` (the class is the last column), ``multi/*.csv.gz`` (0/1 labels
are the last columns) and ``hier/*.arff.gz`` (Clus format); a ``datasets.json`` next to the tables
describes the columns. A folder without ``single/`` may contain ``*.dat`` files in KEEL format.
"""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks import keel

FUNCAT = ("cellcycle", "church", "eisen", "pheno")
GO = ("cellcycle",)


@dataclass
class Single:
    """A data set with one class per row."""

    name: str
    X: pd.DataFrame
    y: np.ndarray
    group: str = ""
    """The source: "uci", "keel" or "sklearn"."""


@dataclass
class Multi:
    """A data set with several 0/1 labels per row."""

    name: str
    X: pd.DataFrame
    Y: np.ndarray


@dataclass
class Hierarchical:
    """A data set with sets of labels, split into training and test rows.

    The hierarchy is a list of paths (FunCat) or of pairs of parent and child (GO).
    """

    name: str
    hierarchy: list[Any]
    X: pd.DataFrame
    y: list[list[str]]
    X_test: pd.DataFrame
    y_test: list[list[str]]
    n_train: int = 0
    """Number of training rows that are not validation rows; they come first."""

    def closed(self, y: list[list[str]]) -> np.ndarray:
        """Return 0/1 labels in the order of the paths; a label implies its ancestors."""
        place = {path: i for i, path in enumerate(self.hierarchy)}
        indicators = np.zeros((len(y), len(place)), dtype=np.int8)
        for row, labels in zip(indicators, y, strict=True):
            for label in labels:
                steps = label.split("/")
                for end in range(1, len(steps) + 1):
                    row[place["/".join(steps[:end])]] = 1
        return indicators


def single(folder: Path | None, names: Iterable[str] = (), max_rows: int | None = None):
    """Yield the single-label sets of at most ``max_rows`` rows, smallest first."""
    if folder is None:
        yield from _filtered(_from_sklearn(), names, max_rows)
        return
    if not (folder / "single").is_dir():
        yield from _from_keel(folder, names, max_rows)
        return
    for known in _listed(folder / "single", names, max_rows):
        table = _read_table(folder / "single" / f"{known['name']}.csv.gz", known["categorical"])
        y = table.pop("class").astype(str).to_numpy(dtype=object)
        yield Single(known["name"], table, y, "uci")


def multi(folder: Path | None, names: Iterable[str] = (), max_rows: int | None = None):
    """Yield the multi-label sets of a folder, smallest first."""
    if folder is None:
        return
    for known in _listed(folder / "multi", names, max_rows):
        table = _read_table(folder / "multi" / f"{known['name']}.csv.gz", known["categorical"])
        n = known["labels"]
        Y = table.iloc[:, -n:].to_numpy(dtype=np.int8)
        yield Multi(known["name"], table.iloc[:, :-n].copy(), Y)


def hierarchical(folder: Path | None, names: Iterable[str] = ()) -> Iterator[Hierarchical]:
    """Yield the FunCat sets of a folder; validation rows are used for training."""
    for name in FUNCAT:
        if folder is not None and (not names or name in names):
            yield _clus(folder, name, "FUN")


def gene_ontology(folder: Path | None, names: Iterable[str] = ()) -> Iterator[Hierarchical]:
    """Yield the Gene Ontology sets of a folder; validation rows are used for training."""
    for name in GO:
        if folder is not None and (not names or f"{name} GO" in names):
            data = _clus(folder, name, "GO")
            data.name, data.hierarchy = f"{name} GO", [tuple(e.split("/")) for e in data.hierarchy]
            yield data


def _clus(folder: Path, name: str, kind: str) -> Hierarchical:
    paths = {p: folder / "hier" / f"{name}_{kind}.{p}.arff.gz" for p in ("train", "valid", "test")}
    tables, labels, hierarchy = {}, {}, []
    for part, path in paths.items():
        tables[part], labels[part], hierarchy = read_clus(path)
    learned = pd.concat([tables["train"], tables["valid"]], ignore_index=True)
    both = labels["train"] + labels["valid"]
    n_train = len(labels["train"])
    return Hierarchical(name, hierarchy, learned, both, tables["test"], labels["test"], n_train)


def read_clus(path: Path) -> tuple[pd.DataFrame, list[list[str]], list[str]]:
    """Return the table, the labels of each row and the hierarchy of a gzipped Clus file."""
    attributes: list[tuple[str, Any]] = []
    hierarchy: list[str] = []
    rows: list[list[str]] = []
    with gzip.open(path, "rt") as lines:
        for line in map(str.strip, lines):
            if not line or line.startswith(("%", "@RELATION", "@DATA")):
                continue
            if not line.startswith("@ATTRIBUTE"):
                rows.append(next(csv.reader([line])))
                continue
            _, name, kind = line.split(maxsplit=2)
            if kind.startswith("hierarchical"):
                hierarchy = kind.split(maxsplit=1)[1].split(",")
            elif kind.startswith("{"):
                attributes.append((name, [v.strip() for v in kind.strip("{}").split(",")]))
            else:
                attributes.append((name, None))
    columns = list(zip(*rows, strict=True))
    table = {
        name: pd.Categorical(column, categories=values)
        if values
        else pd.to_numeric(pd.Series(column).replace("?", None)).astype(float)
        for (name, values), column in zip(attributes, columns, strict=False)
    }
    return pd.DataFrame(table), [cell.split("@") for cell in columns[-1]], hierarchy


def _read_table(path: Path, categorical: list[str]) -> pd.DataFrame:
    # Only an empty cell is missing: "NA" and "none" are values in some of these tables.
    text = dict.fromkeys(categorical, "str")
    table = pd.read_csv(path, dtype=text, keep_default_na=False, na_values=[""])
    return _with_categories(table, [column for column in table if column in text])


def _with_categories(table: pd.DataFrame, columns: Iterable[str]) -> pd.DataFrame:
    for column in columns:
        values = sorted(table[column].dropna().unique())
        # Plain objects, because some peers do not support other string types of pandas.
        table[column] = pd.Categorical(
            table[column].astype(object), categories=pd.Index(values, dtype=object)
        )
    return table


def _from_keel(folder: Path, names: Iterable[str], max_rows: int | None) -> Iterator[Single]:
    paths = sorted(folder.glob("*.dat"))
    if not paths:
        raise FileNotFoundError(f"{folder} must contain a folder single/ or *.dat files")
    counted = [(keel.count_rows(path), path) for path in paths if not names or path.stem in names]
    for rows, path in sorted(counted):
        if rows <= (max_rows or rows):
            read = keel.read(path)
            yield Single(path.stem, _with_categories(read.X, read.nominal), read.y, "keel")


def _listed(folder: Path, names: Iterable[str], max_rows: int | None) -> list[dict[str, Any]]:
    known = json.loads((folder / "datasets.json").read_text())
    return [
        entry
        for entry in sorted(known, key=lambda entry: entry["rows"])
        if (not names or entry["name"] in names) and entry["rows"] <= (max_rows or entry["rows"])
    ]


def _filtered(sets: Iterable[Single], names: Iterable[str], max_rows: int | None):
    for data in sets:
        if (not names or data.name in names) and len(data.y) <= (max_rows or len(data.y)):
            yield data


def _from_sklearn() -> Iterator[Single]:
    from sklearn import datasets

    for name in ("iris", "wine", "breast_cancer", "digits"):
        read = getattr(datasets, f"load_{name}")(as_frame=True)
        y = read.target.astype(str).to_numpy(dtype=object)
        yield Single(name, read.data.astype(float), y, "sklearn")
