"""Time and memory that irenic's learner and its peers need to fit and to predict.

``python -m benchmarks.learning --plot FILE`` also plots how the time of a fit grows. Every fit
runs in its own process, because peak memory is measured per process.
"""

from __future__ import annotations

import argparse
import importlib.util
import multiprocessing
import resource
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import make_classification

from benchmarks import peers
from benchmarks.harness import Table, seconds

JOBS = 2
# Rows, features, classes; the first shape is shared by the three series.
GROWTH = {
    "rows": [(n, 20, 2) for n in (1_000, 10_000, 100_000, 1_000_000)],
    "features": [(10_000, d, 2) for d in (10, 20, 50, 100)],
    "classes": [(10_000, 20, c) for c in (2, 5, 10, 20)],
}
SHAPES = tuple(dict.fromkeys(shape for shapes in GROWTH.values() for shape in shapes))
LEARNERS = {
    "irenic": partial(peers.ours, n_jobs=JOBS),
    "tree": partial(peers.tree, leaves=None),
    "lightgbm": partial(peers.lightgbm, n_jobs=JOBS),
    # Its threads busy-wait, so on a shared machine one thread is faster.
    "lightgbm, 1 thread": partial(peers.lightgbm, n_jobs=1),
}
OURS = "irenic"

Shape = tuple[int, int, int]
Times = dict[tuple[Shape, str], dict[str, float]]


def main() -> list[Table]:
    return tables(measure())


def measure() -> Times:
    """Measure each learner on data of each shape."""
    names = [
        name
        for name in LEARNERS
        if not name.startswith("lightgbm") or importlib.util.find_spec("lightgbm")
    ]
    return {(shape, name): _apart(name, shape) for shape in SHAPES for name in names}


def _apart(name: str, shape: Shape) -> dict[str, float]:
    context = multiprocessing.get_context("forkserver")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        return pool.submit(_timed, name, shape).result()


def _timed(name: str, shape: Shape) -> dict[str, float]:
    warnings.simplefilter("ignore")
    fit = LEARNERS[name]
    fit(*_small())  # imports and compiles
    X, y = generate(*shape)
    before = _memory()
    start = time.perf_counter()
    fitted = fit(X, y)
    taken = time.perf_counter() - start
    peak = _memory()
    if taken < 5.0:
        taken = min(taken, seconds(lambda: fit(X, y), repeat=3))
    predicting = seconds(lambda: fitted.predict(X), repeat=3)
    return {"fit": taken, "predict": predicting, "peak": peak, "before": before}


def _memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def _small() -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(0)
    number = rng.random(80)
    X = pd.DataFrame({"a": number, "b": rng.random(80)})
    return X, np.where(number < 0.4, "low", "high").astype(object)


def generate(rows: int, features: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
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


def tables(times: Times) -> list[Table]:
    """Return tables of times and memory, and of the ratios between learners."""
    names = list(dict.fromkeys(name for _, name in times))
    whole = Table(
        f"Learning, {JOBS} threads: rows x features x classes",
        *("data", "learner", "fit", "predict", "peak", "before fit"),
    )
    for (shape, name), figures in times.items():
        memory = [f"{figures[when]:.2f} GB" for when in ("peak", "before")]
        whole.add(_shape_name(shape), name, figures["fit"], figures["predict"], *memory)
    others = [name for name in names if name != OURS]
    columns = [f"{what}, times {name}" for name in others for what in ("fit", "predict")]
    ratios = Table("Learning: irenic as a multiple of the peer", "data", *columns)
    for shape in SHAPES:
        mine = times[shape, OURS]
        cells = [mine[w] / times[shape, name][w] for name in others for w in ("fit", "predict")]
        ratios.add(_shape_name(shape), *cells)
    return [whole, ratios]


def _shape_name(shape: Shape) -> str:
    return " x ".join(f"{n:,}" for n in shape)


def plot(times: Times, file: Path) -> None:
    """Plot how the time of a fit grows with the number of rows, features and classes."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12, 3.6), layout="constrained")
    panels: Any = figure.subplots(1, 3, sharey=True)
    for place, (panel, (kind, shapes)) in enumerate(zip(panels, GROWTH.items(), strict=True)):
        values = [shape[place] for shape in shapes]
        for name in dict.fromkeys(name for _, name in times):
            fits = [times[shape, name]["fit"] for shape in shapes]
            panel.loglog(values, fits, marker="o", label=name)
        fixed = [f"{shapes[0][i]:,} {other}" for i, other in enumerate(GROWTH) if i != place]
        panel.set(xlabel=kind, title=", ".join(fixed))
        panel.set_xticks(values, [f"{value:,}" for value in values])
        panel.tick_params(axis="x", which="minor", labelbottom=False)
        panel.grid(alpha=0.3)
    panels[0].set_ylabel("seconds per fit")
    panels[0].legend()
    figure.savefig(file, dpi=150)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.learning", description=__doc__)
    parser.add_argument("--plot", type=Path, help="file to write the plot to")
    arguments = parser.parse_args()
    measured = measure()
    tables(measured)
    if arguments.plot:
        plot(measured, arguments.plot)
