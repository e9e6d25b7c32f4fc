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
from typing import Any, NamedTuple
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import irenic
from irenic.errors import IrenicError
from irenic.formats.feel.functions import FUNCTIONS, text_of
from irenic.formats.feel.values import to_feel

_INSTANCE = "{http://www.w3.org/2001/XMLSchema-instance}"
_CONSTRUCTORS = {
    "date": "date",
    "time": "time",
    "dateTime": "date and time",
    "duration": "duration",
}
# Expected numbers are rounded, some to eight digits.
_TOLERANCE = 1e-8


class Result(NamedTuple):
    """The result of one test case, as in the results of the kit."""

    folder: str
    file: str
    case: str
    result: str
    remark: str


class Untyped(str):
    """A value of a test case without a declared type."""


def value_of(node: Element) -> Any:
    """Return the value, list or components that an element of a test case contains."""
    if node.get(f"{_INSTANCE}nil") == "true":
        return None
    if (items := node.find("{*}list")) is not None:
        return [value_of(item) for item in items.findall("{*}item")]
    if components := node.findall("{*}component"):
        return {component.get("name"): value_of(component) for component in components}
    value = node.find("{*}value")
    if value is None or value.get(f"{_INSTANCE}nil") == "true":
        return None
    text, kind = value.text or "", value.get(f"{_INSTANCE}type", "").rpartition(":")[2]
    if kind in ("decimal", "double", "float", "integer", "int", "long"):
        number = float(text)
        return int(number) if number.is_integer() else number
    if kind == "boolean":
        return text.strip() == "true"
    if kind in _CONSTRUCTORS:
        return FUNCTIONS[_CONSTRUCTORS[kind]](text.strip())
    return text if kind else Untyped(text)


def same(value: Any, expected: Any) -> bool:
    """Return whether a result is the expected one; numbers may differ by rounding."""
    if isinstance(expected, Untyped):
        return (text_of(to_feel(value)) or "") == expected
    if isinstance(expected, dict):
        return (
            isinstance(value, dict)
            and expected.keys() <= value.keys()
            and all(same(value[name], part) for name, part in expected.items())
        )
    if isinstance(expected, list):
        return (
            isinstance(value, list)
            and len(value) == len(expected)
            and all(same(a, b) for a, b in zip(value, expected, strict=True))
        )
    if isinstance(expected, int | float) and not isinstance(expected, bool):
        number = isinstance(value, int | float) and not isinstance(value, bool)
        return number and abs(value - expected) <= _TOLERANCE * max(1, abs(expected))
    return type(value) is type(expected) and bool(value == expected)


def differences(parsed: irenic.formats.Parsed, case: Element) -> Iterator[str]:
    """Yield how the outcomes of a case differ from the expected ones."""
    if parsed.decisions is None:
        yield str(parsed.errors[0])
        return
    inputs = {node.get("name", ""): value_of(node) for node in case.findall("{*}inputNode")}
    for node in case.findall("{*}resultNode"):
        name, element = node.get("name", ""), node.find("{*}expected")
        expected = None if element is None else value_of(element)
        try:
            if case.get("type") in ("decisionService", "bkm"):
                actual = parsed.decisions.call(case.get("invocableName"), inputs)
            else:
                actual = parsed.decisions.decide(name, inputs)
        except IrenicError as error:
            if node.get("errorResult") != "true":
                yield f"{name}: {error}"
            continue
        if not same(actual, expected):
            yield f"{name}: expected {expected!r}, got {actual!r}"


def run(folder: Path) -> Iterator[tuple[Path, irenic.formats.Tables, list[Result]]]:
    """Yield the tables of each model of the kit, and the results of its cases."""
    for path in sorted(folder.rglob("*.dmn")):
        parsed = irenic.parse(path)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tables = parsed.bind()
        results = []
        for file in sorted(path.parent.glob("*.xml")):
            root = ElementTree.parse(file).getroot()
            if (root.findtext("{*}modelName") or "").strip() != path.name:
                continue
            for case in root.findall("{*}testCase"):
                remark = "; ".join(differences(parsed, case))
                name = path.parent.relative_to(folder).as_posix()
                result = "ERROR" if remark else "SUCCESS"
                results.append(Result(name, file.stem, case.get("id", ""), result, remark))
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
