"""Run the study and write its report: ``python -m study --data FOLDER --out study/results``.

Without ``--data`` the sets are those that come with scikit-learn. Sets that are made, with known
rules behind them, are always among them. What the folder of results holds already is not done
again, so a run that was stopped goes on where it was.
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

from benchmarks import datasets, peers
from study import learners, report, synthetic
from study.arms import ARMS
from study.running import Design, Job, Store, Task, run

# Without data of one's own the command shows how it works, in about a quarter of an hour.
QUICK_ROWS = 500
LIBRARIES = ("irenic", "numpy", "numba", "scipy", "scikit-learn", "pandas", "scikit-posthocs")


def main(given: list[str] | None = None) -> int:
    """Parse, run, report."""
    options = _parser().parse_args(given)
    if options.max_rows is None:
        options.max_rows = Design.max_rows if options.data else QUICK_ROWS
    design = Design(**{name: getattr(options, name) for name in asdict(Design())})
    least = {"jobs": 1, "folds": 2, "repeats": 1, "other_repeats": 1}
    for name, number in least.items():
        if getattr(options, name) < number:
            flag = f"--{name.replace('_', '-')}"
            print(f"error: {flag} is a number of at least {number}", file=sys.stderr)
            return 2
    if not options.report_only:
        try:
            sets = list(_sets(options))
            chosen, missing = _learners(options.learners)
        except (OSError, ValueError) as error:
            print(f"error: {error}", file=sys.stderr)
            return 2
        if not sets:
            print("error: no data sets; look at --data and --sets", file=sys.stderr)
            return 2
        try:
            _keep_design(options.out, design, sets, missing)
        except ValueError as error:
            print(f"error: {error}", file=sys.stderr)
            return 2
        store = Store(options.out)
        tasks = _tasks(sets, chosen, design, store)
        for name, package in missing.items():
            _tell(f"{name} is left out: {package} is not installed")
        if tasks:
            _tell(f"{sum(len(t.jobs) for t in tasks):,} folds to do; compiling comes first")
        try:
            run(tasks, design, store, options.jobs, _tell)
        except KeyboardInterrupt:
            _tell("stopped; the same command goes on where it was")
            return 130
    try:
        written = report.write(options.out, options.doc)
    except (OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(f"the report is {written}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m study", description=__doc__)
    add = parser.add_argument
    add(
        "--data",
        type=Path,
        action="append",
        default=[],
        help="a folder with single/*.csv.gz and single/datasets.json, or with KEEL's *.dat files;"
        " may be given more than once",
    )
    add("--out", type=Path, default=Path("study/results"), help="where results are kept")
    add("--doc", type=Path, help="a document whose generated tables and plots are renewed")
    add("--sets", nargs="+", default=[], help="only these data sets")
    add("--learners", nargs="+", default=[], help="only these arms and peers")
    add("--jobs", type=int, default=2, help="processes at the same time (%(default)s)")
    add("--report-only", action="store_true", help="run nothing, write the report again")
    texts = {
        "folds": "parts of a cross-validation",
        "repeats": "cross-validations of the arms, each on other parts",
        "other_repeats": "cross-validations of peers, and of all on made sets: the first ones",
        "evaluations": "rule sets that an arm may evaluate in a fit",
        "max_rows": f"rows of a larger set that are drawn (1000; without --data {QUICK_ROWS})",
        "cap": "seconds after which a fit is stopped and counts as failed",
        "random_state": "where all random numbers come from",
    }
    for name, value in asdict(Design()).items():
        flag, given = f"--{name.replace('_', '-')}", name != "max_rows"
        text = f"{texts[name]} (%(default)s)" if given else texts[name]
        add(flag, type=type(value), default=value if given else None, help=text)
    return parser


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _sets(options: argparse.Namespace) -> Iterator[Any]:
    """Yield the data sets, each name once."""
    seen = set()
    for folder in options.data or [None]:
        if folder is not None and not folder.is_dir():
            raise ValueError(f"--data {folder}: there is no such folder")
        for data in datasets.single(folder):
            if data.name not in seen and (not options.sets or data.name in options.sets):
                seen.add(data.name)
                yield data
    for configuration in synthetic.grid():
        if not options.sets or configuration.name in options.sets:
            seen.add(configuration.name)
            yield synthetic.make(*configuration)
    unknown = set(options.sets) - seen
    if unknown:
        raise ValueError(f"--sets: there is no {', '.join(sorted(unknown))}")


def _learners(names: list[str]) -> tuple[list[str], dict[str, str]]:
    """Return what to run, and of what is left out which package is not installed."""
    known = [*ARMS, *learners.FITTED]
    unknown = set(names) - set(known)
    if unknown:
        raise ValueError(
            f"--learners: there is no {', '.join(sorted(unknown))}; there are: {', '.join(known)}"
        )
    missing = {}
    for name in names or known:
        package = None if name in ARMS else peers.package_of(name)
        if package is not None and _version(package) is None:
            missing[name] = package
    return [name for name in names or known if name not in missing], missing


def _tasks(sets: list[Any], chosen: list[str], design: Design, store: Store) -> list[Task]:
    """Return what is left to do: first the arms, then the peers, in each the smallest sets first.

    Peers learn sets that are taken from somewhere; of those that are made, it is the arms that are
    asked whether they find the rules again, and a tree for comparison.
    """
    done = store.done()
    tasks = []
    for group in (ARMS, learners.FITTED):
        for data in sorted(sets, key=lambda d: min(len(d.y), design.max_rows) * d.X.shape[1]):
            made = data.group == "made"
            several = group is ARMS and not made
            for name in chosen:
                if name not in group or (made and name not in ARMS and name != learners.PRUNED):
                    continue
                jobs = tuple(
                    job
                    for repeat in range(design.repeats if several else design.other_repeats)
                    for fold in range(design.folds)
                    if (data.name, job := Job(name, repeat, fold)) not in done
                )
                if jobs:
                    tasks.append(Task(data, jobs))
    return tasks


def _keep_design(out: Path, design: Design, sets: list[Any], missing: dict[str, str]) -> None:
    """Write what the results are made with; refuse to mix them with others."""
    out.mkdir(parents=True, exist_ok=True)
    path = out / "design.json"
    kept = json.loads(path.read_text()) if path.exists() else {"design": asdict(design)}
    if kept["design"] != asdict(design):
        differing = [k for k, v in asdict(design).items() if kept["design"].get(k) != v]
        raise ValueError(
            f"{out} holds results of other settings ({', '.join(differing)}): take the same ones,"
            " or another --out"
        )
    packages = [p for p in map(peers.package_of, learners.FITTED) if p is not None]
    versions = {name: _version(name) for name in (*LIBRARIES, *packages)}
    kept["python"] = platform.python_version()
    kept["versions"] = {name: version for name, version in versions.items() if version}
    # of a run with fewer learners nothing is known of the others
    kept["not installed"] = kept.get("not installed", {}) | missing
    known = {entry["name"]: entry for entry in kept.get("sets", [])}
    known |= {data.name: _described(data, design) for data in sets}
    kept["sets"] = sorted(known.values(), key=lambda entry: (entry["group"], entry["name"]))
    text = json.dumps(kept, indent=1, ensure_ascii=False)
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
        "classes": len(set(data.y.tolist())),
    }


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


if __name__ == "__main__":
    sys.exit(main())
