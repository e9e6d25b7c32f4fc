"""Read data files in KEEL format: one table with one nominal output, the class.

The header names the attributes (``@attribute size real [0.1, 9.5]``, ``integer [1, 9]`` or
``{small, large}``), ``@inputs`` and ``@outputs`` (both optional: by default, the last attribute is
the output and the others are inputs). After ``@data`` there is one row per line, with values
separated by commas. Some collections omit the header: then the last value is the class, and a
column is numeric if all of its values are numbers.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

MISSING = ("<null>", "?")
_ATTRIBUTE = re.compile(r"(?P<name>'[^']*'|\"[^\"]*\"|[^\s{\[]+)\s*(?P<kind>.*)")
_NUMBERS = re.compile(r"(?P<kind>real|integer)\s*(?:\[(?P<low>[^,\]]*),(?P<high>[^,\]]*)\])?", re.I)


class KeelError(ValueError):
    """A file that is invalid or not a classification data set."""

    def __init__(self, path: Path, line: int | None, what: str) -> None:
        place = path.name if line is None else f"{path.name}, line {line}"
        super().__init__(f"{place}: {what}")


@dataclass
class _Attribute:
    """A column as declared in the header; ``values`` is None for numbers."""

    name: str
    kind: str = "nominal"
    values: list[str] | None = None
    low: float = -math.inf
    high: float = math.inf

    def number(self, text: str) -> float:
        """Return a value of this attribute; raise ValueError if it is invalid."""
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise ValueError(f"{self.name!r} must be {self.kind}, got {text!r}")
        if self.kind == "integer" and not value.is_integer():
            raise ValueError(f"{self.name!r} must be an integer, got {text}")
        # KEEL's own reader rejects values out of range as well.
        if not self.low <= value <= self.high:
            raise ValueError(f"{self.name!r} must be in [{self.low:g}, {self.high:g}], got {text}")
        return value


@dataclass
class Table:
    """A data set: numbers are floats, nominal values are objects, and None is missing."""

    X: pd.DataFrame
    y: np.ndarray
    nominal: list[str]


def count_rows(path: Path) -> int:
    """Return the number of rows in a file without parsing them."""
    lines = [line for _, line in _lines(path)]
    header = [place for place, line in enumerate(lines) if line.lower() == "@data"]
    return len(lines) - (header[0] + 1 if header else 0)


def read(path: Path) -> Table:
    """Return the inputs and the classes of a file.

    Raises
    ------
    KeelError
        If the file is not a classification data set (the output is a number, there are several
        outputs or only one class), or a line is invalid.
    """
    whole = _lines(path)
    if whole and not any(line.startswith("@") for _, line in whole):
        return _read_bare(path, whole)
    lines = iter(whole)
    header = _Header(path)
    for number, line in lines:
        if line.lower() == "@data":
            break
        header.take(number, line)
    else:
        raise KeelError(path, None, "@data is missing")
    inputs, output = header.roles()
    columns: list[list[float | str | None]] = [[] for _ in header.attributes]
    for number, line in lines:
        _take_row(path, number, line, header.attributes, columns)
    return _table(path, header.attributes, columns, inputs, output)


def _read_bare(path: Path, lines: list[tuple[int, str]]) -> Table:
    """Parse a file without a header."""
    n = len(_split(lines[0][1]))
    if n < 2:
        raise KeelError(
            path, lines[0][0], "a row must have at least an input and the class, got one value"
        )
    attributes = [_Attribute(f"a{i}", "real") for i in range(1, n)] + [_Attribute("class")]
    rows = []
    for number, line in lines:
        values = _split(line)
        if len(values) != n:
            raise KeelError(
                path, number, f"a row must have {n} values like the first one, got {len(values)}"
            )
        rows.append(values)
    for attribute, column in zip(attributes, zip(*rows, strict=True), strict=True):
        known = [value for value in column if value not in MISSING]
        if attribute.name == "class" or not all(map(_is_number, known)):
            attribute.kind, attribute.values = "nominal", sorted(set(known))
    columns: list[list[float | str | None]] = [[] for _ in attributes]
    for number, line in lines:
        _take_row(path, number, line, attributes, columns)
    return _table(path, attributes, columns, list(range(n - 1)), n - 1)


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


class _Header:
    """The header, parsed line by line."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.attributes: list[_Attribute] = []
        # for "inputs" and "outputs": the line and the names in it
        self.named: dict[str, tuple[int, list[str]]] = {}

    def take(self, number: int, line: str) -> None:
        first, *others = line.split(maxsplit=1)
        keyword, rest = first.lower(), "".join(others)
        if keyword == "@attribute":
            self.attributes.append(self._attribute(number, rest))
        elif keyword in ("@inputs", "@input"):
            self._name("inputs", number, rest)
        elif keyword in ("@outputs", "@output"):
            self._name("outputs", number, rest)
        elif not line.startswith("@"):
            shown = line if len(line) <= 40 else line[:40] + "…"
            raise KeelError(
                self.path,
                number,
                f"the header must consist of @relation, @attribute …, @data, got {shown!r}",
            )
        elif keyword != "@relation":
            raise KeelError(self.path, number, f"unknown keyword {keyword!r}")

    def _attribute(self, number: int, text: str) -> _Attribute:
        match = _ATTRIBUTE.fullmatch(text)
        if match is None:
            raise KeelError(self.path, number, "the attribute has no name")
        name, kind = match["name"].strip("'\""), match["kind"].strip()
        if name in (known.name for known in self.attributes):
            raise KeelError(self.path, number, f"attribute {name!r} is declared twice")
        if kind.startswith("{") and kind.endswith("}"):
            values = _split(kind[1:-1])
            if not all(values) or len(set(values)) < len(values):
                raise KeelError(
                    self.path, number, f"attribute {name!r} has an empty or repeated value"
                )
            return _Attribute(name, values=values)
        numbers = _NUMBERS.fullmatch(kind)
        if numbers is None:
            raise KeelError(
                self.path,
                number,
                f"attribute {name!r} must be real, integer or {{values}}, got {kind!r}",
            )
        if numbers["low"] is None:
            return _Attribute(name, numbers["kind"].lower())
        try:
            low, high = float(numbers["low"]), float(numbers["high"])
        except ValueError:
            low, high = 1.0, 0.0
        if not low <= high:
            raise KeelError(self.path, number, f"attribute {name!r} has an invalid range {kind!r}")
        return _Attribute(name, numbers["kind"].lower(), None, low, high)

    def _name(self, role: str, number: int, text: str) -> None:
        if role in self.named:
            raise KeelError(self.path, number, f"@{role} is declared twice")
        self.named[role] = number, [name.strip("'\"") for name in _split(text)]

    def roles(self) -> tuple[list[int], int]:
        """Return the indices of the inputs and of the output."""
        if len(self.attributes) < 2:
            raise KeelError(
                self.path,
                None,
                "the file must have an input and the class",
            )
        last = len(self.attributes) - 1
        line, outputs = self._indices("outputs", [last])
        if len(outputs) != 1:
            raise KeelError(self.path, line, f"there must be one output, got {len(outputs)}")
        output = outputs[0]
        chosen = self.attributes[output]
        if chosen.values is None:
            raise KeelError(
                self.path,
                line,
                f"the output {chosen.name!r} must be nominal, got {chosen.kind}",
            )
        line, inputs = self._indices("inputs", [i for i in range(last + 1) if i != output])
        if output in inputs:
            raise KeelError(self.path, line, f"{chosen.name!r} is both an input and the output")
        return inputs, output

    def _indices(self, role: str, otherwise: list[int]) -> tuple[int | None, list[int]]:
        if role not in self.named:
            return None, otherwise
        line, names = self.named[role]
        known = {attribute.name: i for i, attribute in enumerate(self.attributes)}
        for name in names:
            if name not in known:
                raise KeelError(self.path, line, f"@{role} names an unknown attribute {name!r}")
        if len(set(names)) < len(names):
            raise KeelError(self.path, line, f"@{role} names an attribute twice")
        return line, [known[name] for name in names]


def _lines(path: Path) -> list[tuple[int, str]]:
    """Return the lines that are not empty or comments, with their numbers."""
    content = path.read_bytes()
    try:
        # Not splitlines(): values may contain other Unicode line separators.
        lines = content.decode("utf-8-sig").replace("\r\n", "\n").split("\n")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise KeelError(path, line, "not UTF-8 text") from None
    numbered = ((number, line.strip()) for number, line in enumerate(lines, 1))
    return [(number, line) for number, line in numbered if line and not line.startswith("%")]


def _split(text: str) -> list[str]:
    return [part.strip() for part in text.split(",")]


def _take_row(
    path: Path,
    number: int,
    line: str,
    attributes: list[_Attribute],
    columns: list[list[float | str | None]],
) -> None:
    values = _split(line)
    if len(values) != len(attributes):
        raise KeelError(
            path, number, f"a row must have {len(attributes)} values, got {len(values)}"
        )
    for attribute, column, value in zip(attributes, columns, values, strict=True):
        if value in MISSING:
            column.append(None if attribute.values is not None else math.nan)
        elif attribute.values is None:
            try:
                column.append(attribute.number(value))
            except ValueError as error:
                raise KeelError(path, number, str(error)) from None
        elif value in attribute.values:
            column.append(value)
        else:
            raise KeelError(
                path, number, f"unknown value {value!r} of attribute {attribute.name!r}"
            )


def _table(
    path: Path,
    attributes: list[_Attribute],
    columns: list[list[float | str | None]],
    inputs: list[int],
    output: int,
) -> Table:
    y = np.array(columns[output], dtype=object)
    name = attributes[output].name
    if (missing := sum(label is None for label in y)) > 0:
        raise KeelError(
            path, None, f"the class {name!r} must not be missing; rows without it: {missing}"
        )
    if len(classes := set(y)) < 2:
        what = f"only {classes.pop()!r}" if classes else "no rows"
        raise KeelError(path, None, f"there must be at least two classes, got {what}")
    nominal = [attributes[i].name for i in inputs if attributes[i].values is not None]
    X = pd.DataFrame(
        {
            attributes[i].name: np.array(
                columns[i], dtype=object if attributes[i].values is not None else float
            )
            for i in inputs
        }
    )
    return Table(X, y, nominal)
