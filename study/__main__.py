"""Run the study and write its report: ``python -m study --data FOLDER --out study/results``.

Without ``--data``, the data sets of scikit-learn are used. Synthetic data sets with known rules
are always included. Folds that are already in the results folder are not repeated, so a stopped
run continues where it left off.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
from collections.abc import Iterator
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import datasets, peers
from study import learners, report, synthetic
from study.arms import ARMS
from study.learners import SEVERAL
from study.running import Design, Job, Store, Task, run

# Without --data, the command is a demonstration that takes about a quarter of an hour.
QUICK_ROWS = 500
LIBRARIES = ("irenic", "numpy", "scipy", "scikit-learn", "pandas", "scikit-posthocs")


def main(arguments: list[str] | None = None) -> int:
    """Run the study and write its report; return the exit status."""
    options = _parser().parse_args(arguments)
    if options.max_rows is None:
        options.max_rows = Design.max_rows if options.data else QUICK_ROWS
    design = Design(**{name: getattr(options, name) for name in asdict(Design())})
    least = {"jobs": 1, "folds": 2, "seeds": 1}
    for name, number in least.items():
        if getattr(options, name) < number:
            flag = f"--{name.replace('_', '-')}"
            print(
                f"error: {flag} must be at least {number}, got {getattr(options, name)}",
                file=sys.stderr,
            )
            return 2
    if not options.report_only:
        try:
            sets = list(_sets(options))
            chosen, missing = _learners(options.learners)
        except (OSError, ValueError) as error:
            print(f"error: {error}", file=sys.stderr)
            return 2
        if not sets:
            print("error: no data sets; check --data and --sets", file=sys.stderr)
            return 2
        try:
            _keep_design(options.out, design, sets, missing)
        except ValueError as error:
            print(f"error: {error}", file=sys.stderr)
            return 2
        store = Store(options.out)
        tasks = _tasks(sets, chosen, design, store)
        for name, package in missing.items():
            _tell(f"skipping {name}: {package} is not installed")
        if tasks:
            _tell(f"{sum(len(t.jobs) for t in tasks):,} folds to run, after compiling")
        try:
            run(tasks, design, store, options.jobs, _tell)
        except KeyboardInterrupt:
            _tell("stopped; run the same command to continue")
            return 130
    try:
        path = report.write(options.out, options.doc)
    except (OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(f"report written to {path}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m study", description=__doc__)
    add = parser.add_argument
    add(
        "--data",
        type=Path,
        action="append",
        default=[],
        help="folder with single/*.csv.gz and single/datasets.json, and the same in multi/ for"
        " several labels per row, or with KEEL's *.dat files; can be repeated (default: the data"
        " sets of scikit-learn)",
    )
    add(
        "--out",
        type=Path,
        default=Path("study/results"),
        help="folder of the results (default: %(default)s)",
    )
    add("--doc", type=Path, help="document whose generated tables and plots are updated")
    add("--sets", nargs="+", default=[], help="data sets to use (default: all)")
    add("--learners", nargs="+", default=[], help="arms and peers to run (default: all)")
    add("--jobs", type=int, default=2, help="number of parallel processes (default: %(default)s)")
    add("--report-only", action="store_true", help="only write the report, from existing results")
    texts = {
        "folds": "number of cross-validation folds",
        "seeds": "number of fits of an arm per fold, each with other random numbers",
        "evaluations": "base number of rule sets that an arm evaluates per fit",
        "max_rows": f"maximum rows per data set (default: all, or {QUICK_ROWS} without --data)",
        "cap": "maximum CPU seconds per fold; a longer fold counts as failed",
        "random_state": "seed of the random number generator",
    }
    for name, value in asdict(Design()).items():
        flag, fixed = f"--{name.replace('_', '-')}", name != "max_rows"
        text = f"{texts[name]} (default: %(default)s)" if fixed else texts[name]
        add(flag, type=type(value), default=value if fixed else None, help=text)
    return parser


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _sets(options: argparse.Namespace) -> Iterator[Any]:
    """Yield the data sets; names are unique."""
    seen = set()
    for folder in options.data or [None]:
        if folder is not None and not folder.is_dir():
            raise ValueError(f"--data {folder}: no such folder")
        for data in _from_folder(folder):
            if data.name not in seen and (not options.sets or data.name in options.sets):
                seen.add(data.name)
                yield data
    for configuration in synthetic.grid():
        if not options.sets or configuration.name in options.sets:
            seen.add(configuration.name)
            yield synthetic.make(*configuration)
    unknown = set(options.sets) - seen
    if unknown:
        raise ValueError(f"--sets: unknown data set {', '.join(sorted(unknown))}")


def _from_folder(folder: Path | None) -> Iterator[Any]:
    yield from datasets.single(folder)
    if folder is not None and (folder / "multi").is_dir():
        for data in datasets.multi(folder):
            y = np.empty(len(data.Y), dtype=object)
            y[:] = [frozenset(np.flatnonzero(row).tolist()) for row in data.Y]
            yield datasets.Single(data.name, data.X, y, SEVERAL)


def _learners(names: list[str]) -> tuple[list[str], dict[str, str]]:
    """Return the learners to run, and the missing packages of those to skip."""
    known = [*ARMS, *learners.FITTED]
    unknown = set(names) - set(known)
    if unknown:
        raise ValueError(
            f"--learners: unknown learner {', '.join(sorted(unknown))} (known: {', '.join(known)})"
        )
    missing = {}
    for name in names or known:
        package = None if name in ARMS else peers.package_of(name)
        if package is not None and _version(package) is None:
            missing[name] = package
    return [name for name in names or known if name not in missing], missing


def _tasks(sets: list[Any], chosen: list[str], design: Design, store: Store) -> list[Task]:
    """Return the remaining tasks, the most important ones first, each from small to large sets."""
    done = store.done()
    found: list[tuple[tuple[int, int], Task]] = []
    for data in sets:
        rows = min(len(data.y), design.max_rows)
        for name in chosen:
            for seed in range(design.seeds if name in ARMS else 1):
                stage = learners.stage(name, data.group, rows, seed)
                jobs = tuple(
                    job
                    for fold in range(design.folds)
                    if (data.name, job := Job(name, seed, fold)) not in done
                )
                if jobs and stage is not None:
                    found.append(((stage, rows * data.X.shape[1]), Task(data, jobs)))
    return [task for _, task in sorted(found, key=lambda entry: entry[0])]


def _keep_design(out: Path, design: Design, sets: list[Any], missing: dict[str, str]) -> None:
    """Save the settings and versions; raise an error if the results have other settings."""
    out.mkdir(parents=True, exist_ok=True)
    path = out / "design.json"
    settings = json.loads(path.read_text()) if path.exists() else {"design": asdict(design)}
    if settings["design"] != asdict(design):
        differing = [k for k, v in asdict(design).items() if settings["design"].get(k) != v]
        raise ValueError(
            f"{out} contains results with other settings ({', '.join(differing)}); use the same"
            " settings or another --out"
        )
    packages = [p for p in map(peers.package_of, learners.FITTED) if p is not None]
    versions = {name: _version(name) for name in (*LIBRARIES, *packages)}
    settings["python"] = platform.python_version()
    settings["versions"] = {name: version for name, version in versions.items() if version}
    # a run of fewer learners does not check the others
    settings["not installed"] = settings.get("not installed", {}) | missing
    known = {entry["name"]: entry for entry in settings.get("sets", [])}
    known |= {data.name: _described(data, design) for data in sets}
    settings["sets"] = sorted(known.values(), key=lambda entry: (entry["group"], entry["name"]))
    text = json.dumps(settings, indent=1, ensure_ascii=False)
    part = path.with_suffix(".part")
    part.write_text(text + "\n")
    part.replace(path)


def _described(data: Any, design: Design) -> dict[str, Any]:
    kinds = [str(kind) == "category" for kind in data.X.dtypes]
    return {
        "name": data.name,
        "group": data.group,
        "rows": len(data.y),
        "used": min(len(data.y), design.max_rows),
        "numeric": len(kinds) - sum(kinds),
        "categorical": sum(kinds),
        "classes": len(frozenset().union(*data.y) if data.group == SEVERAL else {*data.y}),
    }


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


if __name__ == "__main__":
    sys.exit(main())
