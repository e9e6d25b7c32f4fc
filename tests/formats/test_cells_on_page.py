"""The page reads cells as files are read: cells grown from the grammar and mutated.

IRENIC_CELLS=20000 tries that many cells per locale instead of 500.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path

import pytest

from irenic import FormatError
from irenic.formats.cells._doubts import CellError
from irenic.formats.cells._language import language
from irenic.formats.cells.locales import Locale
from irenic.formats.cells.reading import read
from irenic.formats.cells.values import Literal
from irenic.formats.feel.unary_tests import AllOf, AnyOf, Compare, Not

LOCALES = [("", None), (".", False), (",", True), (".", True)]
EACH = int(os.environ.get("IRENIC_CELLS", "500"))
HEADER = "Age (years)"
SAMPLES = {
    "V": [
        "5",
        "18",
        "-5",
        "2.5",
        "2,5",
        "1.000",
        "1,000",
        "1.200,50",
        "1,200.50",
        "1 000",
        "1'000",
        ".5",
        "007",
        "5 kg",
        "€ 5",
        "5 EUR",
        "$1,200",
        "10%",
        "5k",
        "5m",
        "5 m",
        "3 Mio",
        "3 Mio €",
        "-€5",
        "500,-",
        "1e3",
        "2026-01-31",
        "31.12.2026",
        "01/02/2026",
        "13/01/2026",
        "1.2.26",
        "6am",
        "18.30 Uhr",
        "9:00",
        "12:30:15",
        "24:00",
        "1 Jan 2026",
        "P1D",
        "PT2H",
        "5 years",
        "18 jahre",
        "7 ans",
        "24 months",
        "2026-01-31T12:30",
        "2026-02-30",
        "25:00",
        "5 t",
        "5 l",
        "6 p.m.",
        "1.2.3",
        "1,2,3",
    ],
    "month": ["Jan 2026", "2026-01", "mai 2026"],
    "iso_month": ["2026-01"],
    "day": ["1.1.", "31.12."],
    "fraction": ["1/2", "24/7"],
    "string": ['"nurse"', '"a; b"', "“ja”", "'x'", '"\\u00e9"', '"a \\"b\\""'],
    "text": [
        "nurse",
        "fire fighter",
        "Zone 1",
        "T-shirt",
        "A+",
        "New York",
        "yes",
        "x",
        "Rock and Roll",
        "1st class",
        "P1-P3",
    ],
    "known": ["nurse"],
    "constant": ["true", "NULL", "false"],
    "other_column": ["weight", "job name"],
    "ordered": [
        "Mon",
        "fri",
        "Sonntag",
        "Q1",
        "Q3",
        "S",
        "XL",
        "ii",
        "A",
        "c",
        "january",
        "mars",
        "Mo",
    ],
    "quarter": ["Q1", "q3"],
    "name": ["age", "Age (years)", "x", "?"],
    "call": ["date", "time", "duration", "date and time"],
    "not_call": ["not", "NOT", "Not"],
    "end": [""],
}


class Grower:
    """Grows cells from the productions of the grammar."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.words = language()
        self.by_role = {}
        for phrase, entry in self.words.phrases.items():
            for role in entry:
                self.by_role.setdefault(role, []).append(phrase)
        for sign, roles in self.words.signs.items():
            for role in roles:
                self.by_role.setdefault(role, []).append(sign)

    def grow(self, symbol, depth=0):
        if symbol in ("$", "+"):
            return ""
        if symbol.endswith("?") and len(symbol) > 1:
            return self.grow(symbol[:-1], depth) if self.random.random() < 0.4 else ""
        if "%" in symbol and len(symbol) > 1:
            each, joint = symbol.split("%")
            parts = [self.grow(each, depth)]
            while self.random.random() < 0.35 and len(parts) < 9:
                parts += [self.grow(joint, depth), self.grow(each, depth)]
            return self.joined(parts)
        if symbol in SAMPLES:
            return self.random.choice(SAMPLES[symbol])
        if symbol in self.words.rules and depth < 9:
            production = self.random.choice(self.words.rules[symbol])
            return self.joined([self.grow(each, depth + 1) for each in production.symbols])
        if symbol in self.by_role:
            phrase = self.random.choice(self.by_role[symbol])
            return self.random.choice([phrase, phrase, phrase.upper(), phrase.capitalize()])
        return symbol if symbol not in self.words.rules else self.random.choice(SAMPLES["V"])

    def joined(self, parts):
        blank = self.random.choice([" ", " ", " ", "", "  ", "\u00a0"])
        return blank.join(part for part in parts if part)

    def mutated(self, cell):
        at = self.random.randrange(len(cell) + 1)
        kind = self.random.randrange(5)
        if kind == 0:
            return cell[:at] + cell[at + 1 :]
        if kind == 1:
            return (
                cell[:at]
                + self.random.choice("-–−.,;:/()[]<>=!%€ 0159aAoy'\"|&+*?\n\u00b2")
                + cell[at:]
            )
        if kind == 2:
            return cell[:at] + cell[: max(at - 3, 0)] + cell[at:]
        if kind == 3:
            other = self.grow("item")
            return f"{cell}{self.random.choice([', ', ' or ', ' and ', ' ', '; ', '-'])}{other}"
        return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in cell)

    def cells(self, number):
        grown = {}
        while len(grown) < number:
            cell = self.grow("cell")
            for _ in range(self.random.choice([0, 0, 1, 1, 2, 3])):
                cell = self.mutated(cell)
            if cell and len(cell) < 300 and "@" not in cell:
                grown[cell] = None
        return list(grown)


def as_test(answer):
    """Return a test as the page has it."""
    if "not" in answer:
        return Not(as_test(answer["not"]))
    for key, kind in (("all", AllOf), ("any", AnyOf)):
        if key in answer:
            return kind(tuple(map(as_test, answer[key])))
    value = answer["value"]
    return Compare(answer["order"], Literal(value["kind"], value["text"]).value())


def meant(cell, decimal, day_first):
    """Return what files mean by a cell: a test and whether it is formal, or the key of a doubt."""
    try:
        reading = read(cell, Locale(decimal, day_first), HEADER)
    except CellError as doubt:
        return doubt.key
    except FormatError:
        return "other"
    return repr(reading.test), reading.formal


def on_page(answer):
    """Return what the page means by a cell."""
    assert "crash" not in answer, answer
    if "key" in answer:
        return answer["key"]
    try:
        return repr(as_test(answer["test"])), answer["formal"]
    except FormatError:
        return "other"


VALUES = {"no_date", "no_clock", "escape", "not_number", "other"}
"""Doubts about a value, which Python finds later and words in other ways."""


@pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed")
@pytest.mark.parametrize(("decimal", "day_first"), LOCALES)
def test_the_page_and_files_read_every_cell_alike(decimal, day_first, tmp_path):
    cells = Grower(f"{decimal}{day_first}").cells(EACH)
    jobs = tmp_path / "cells.json"
    jobs.write_text(json.dumps([[cell, decimal, day_first, HEADER] for cell in cells]))
    script = Path(__file__).with_name("read_cells.js")
    command = ["node", script, str(files("irenic")), jobs]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
    differences = []
    n_read = 0
    for cell, answer in zip(cells, json.loads(found.stdout), strict=True):
        file, page = meant(cell, decimal, day_first), on_page(answer)
        n_read += isinstance(file, tuple)
        are_refused = isinstance(file, str) and isinstance(page, str)
        if file != page and not (are_refused and {file, page} & VALUES):
            differences.append((cell, file, page))
    assert differences == []
    assert 0.2 * EACH < n_read < 0.9 * EACH
