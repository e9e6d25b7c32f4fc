"""irenic on the DMN Technology Compatibility Kit: which results of its test cases are reproduced.

``python -m benchmarks.tck --data FOLDER`` takes a folder of the kit (``TestCases``, or one with the
same layout: ``LEVEL/TEST/TEST.dmn`` with ``TEST-test-NN.xml``). It reads every decision table,
decides every case, and writes one line per case to ``tck_results.csv``, in the kit's format:
folder, file, case, SUCCESS or ERROR, remark. It prints what was not read or not reproduced.
"""

from __future__ import annotations

import argparse
import csv
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import irenic
from irenic.formats.dmn.kit import read_kit


class Result(NamedTuple):
    """The result of one test case, as in the results of the kit."""

    folder: str
    file: str
    case: str
    result: str
    remark: str


def run(folder: Path) -> Iterator[tuple[Path, irenic.formats.Tables, list[Result]]]:
    """Yield the tables of each model of the kit, and the results of its cases."""
    for path in sorted(folder.rglob("*.dmn")):
        parsed = irenic.parse(path)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tables = parsed.bind()
        results = []
        for file in sorted(path.parent.glob("*.xml")):
            model, cases = read_kit(file.read_bytes())
            for case in cases if model == path.name else ():
                remark = "; ".join(case.differences(parsed))
                name = path.parent.relative_to(folder).as_posix()
                result = "ERROR" if remark else "SUCCESS"
                results.append(Result(name, file.stem, case.id, result, remark))
        yield path, tables, results


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tck", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the kit's test cases")
    parser.add_argument("--out", type=Path, default=Path("tck_results.csv"), help="results (CSV)")
    options = parser.parse_args(arguments)
    read = unread = 0
    results: list[Result] = []
    for path, tables, of_model in run(options.data):
        read += len(tables.tables)
        failed = {getattr(error, "table", "") for error in tables.errors}
        unread += len(failed)
        for error in tables.errors:
            print(f"not read: {path.name}: {error}")
        results += of_model
    for result in results:
        if result.remark:
            print(f"not reproduced: {result.file} {result.case}: {result.remark}")
    with options.out.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(results)
    good = sum(result.result == "SUCCESS" for result in results)
    print(f"{read} of {read + unread} decision tables read")
    print(f"{good} of {len(results)} test cases reproduced")
    return 0 if good == len(results) and not unread else 1


if __name__ == "__main__":
    sys.exit(main())
