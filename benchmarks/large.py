"""Time and memory of fits and predictions on many rows, in memory and in Parquet files.

``python -m benchmarks.large --rows 1000000 10000000`` measures this code; ``--before PATH`` adds
the code of another checkout, as a ratio in the same run. Each fit runs in a process of its own, so
that its peak memory is its own; that of the data is subtracted.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.harness import Table

_COLUMNS = 20
_BLOCK = 1_000_000


def made(first: int, n: int, labels: int = 2) -> dict[str, np.ndarray]:
    """Return made rows: 16 numbers, 4 texts, and labels that 30 rules decide, with 2 % noise."""
    rng = np.random.default_rng([7, first])
    columns = {f"x{i}": rng.random(n).round(4) for i in range(_COLUMNS - 4)}
    words = np.array([f"v{i}" for i in range(30)], dtype=object)
    codes = {f"c{i}": rng.integers(0, 30, n) for i in range(4)}
    y = np.zeros(n, dtype=np.int64)
    rules = np.random.default_rng(3)
    for rule in range(30):
        x, c = rules.integers(0, 6, 2), int(rules.integers(0, 4))
        low = rules.random(2) * 0.7
        inside = codes[f"c{c}"] < int(rules.integers(8, 25))
        for feature, bound in zip(x.tolist(), low.tolist(), strict=True):
            inside &= (columns[f"x{feature}"] >= bound) & (columns[f"x{feature}"] < bound + 0.3)
        y[inside] = 1 + rule % (labels - 1)
    noise = rng.random(n) < 0.02
    y[noise] = rng.integers(0, labels, int(noise.sum()))
    # a label of half a percent, which two columns decide
    y[(columns["x7"] < 0.05) & (codes["c1"] < 3)] = labels
    texts = {name: words[values] for name, values in codes.items()}
    return {**columns, **texts, "y": np.array([f"L{i}" for i in range(labels + 1)], object)[y]}


def write(path: Path, rows: int, labels: int) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    writer = None
    for first in range(0, rows, _BLOCK):
        table = pa.table(made(first, min(_BLOCK, rows - first), labels))
        writer = writer or parquet.ParquetWriter(path, table.schema)
        writer.write_table(table, row_group_size=1 << 17)
    assert writer is not None
    writer.close()


def measure(path: Path, kind: str, moves: int | None, jobs: int) -> dict[str, float]:
    """Fit in this process; return seconds, and memory beyond that of the data."""
    import pandas as pd
    import pyarrow.dataset as ds

    from irenic import RuleSetClassifier

    clf = RuleSetClassifier(random_state=0, moves=moves, scoring="balanced_accuracy", n_jobs=jobs)
    given: tuple[object, ...] = (path,)
    options: dict[str, object] = {"target": "y"}
    if kind == "memory":
        frame = pd.read_parquet(path)
        given, options = (frame.drop(columns="y"), frame["y"]), {}
        del frame
    before = _resident()
    start, cpu = time.perf_counter(), time.process_time()
    clf.fit(*given, **options)
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6 - before
    tail = next(iter(ds.dataset(path).to_batches(batch_size=100_000))).to_pandas()
    predicted = clf.predict(tail.drop(columns="y"))
    recalls = [(predicted[tail["y"] == c] == c).mean() for c in clf.classes_]
    accuracy = float((predicted == tail["y"]).mean())
    return {
        "seconds": seconds,
        "cpu": cpu,
        "memory": max(peak, 0.0),
        "accuracy": accuracy,
        "balanced": float(np.mean(recalls)),
    }


def _resident() -> float:
    """Return the memory of this process in GB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e9


def in_process(
    path: Path, kind: str, moves: int | None, jobs: int, source: Path
) -> dict[str, float]:
    code = "from benchmarks.large import measure; from pathlib import Path; import json; "
    code += f"print(json.dumps(measure(Path({str(path)!r}), {kind!r}, {moves}, {jobs})))"
    here = Path(__file__).parents[1]
    environment = {**os.environ, "PYTHONPATH": f"{source / 'src'}{os.pathsep}{here}"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[300_000, 1_000_000])
    parser.add_argument("--labels", type=int, default=2)
    parser.add_argument("--moves", type=int, help="as in RuleSetClassifier")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="where the data are made and kept")
    parser.add_argument("--kinds", nargs="+", default=["memory", "parquet"])
    parser.add_argument("--before", type=Path, help="another checkout, to compare with")
    options = parser.parse_args(arguments)
    here = Path(__file__).parents[1]
    table = Table("Fits of many rows", "rows", "data", "seconds", "CPU", "GB", "accuracy",
                  "balanced", "times seconds before", "times memory before")  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        for rows in options.rows:
            path = (options.folder or Path(folder)) / f"{rows}.parquet"
            if not path.exists():
                write(path, rows, options.labels)
            for kind in options.kinds:
                now = in_process(path, kind, options.moves, options.jobs, here)
                ratios: list[object] = ["", ""]
                if options.before is not None and kind == "memory":
                    old = in_process(path, kind, options.moves, options.jobs, options.before)
                    ratios = [old["cpu"] / now["cpu"], old["memory"] / max(now["memory"], 0.01)]
                table.add(
                    rows,
                    kind,
                    now["seconds"],
                    now["cpu"],
                    f"{now['memory']:.2f}",
                    f"{now['accuracy']:.4f}",
                    f"{now['balanced']:.4f}",
                    *ratios,
                )
            if options.folder is None:
                path.unlink()


if __name__ == "__main__":
    main()
