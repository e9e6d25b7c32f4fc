"""The reader of cells: languages are data, and its work grows with the length of a cell."""

from __future__ import annotations

import sys
from contextlib import suppress

import pytest

from irenic import FormatError
from irenic.formats.cells._language import Language, language
from irenic.formats.cells.locales import Locale
from irenic.formats.cells.reading import read
from irenic.formats.feel.sets import feel_text

# a language that nobody speaks
INVENTED = {
    "below": "zub|pri zub",
    "least": "vern",
    "between": "mez",
    "from": "od",
    "to": "ad",
    "and": "kaj",
    "or": "nau",
    "not": "krom",
    "any": "cio",
    "else": "alie",
    "more": "pli",
    "days": ["lin mad mek jod ven sab dim"],
    "months": ["una dua tria kvara kvina sesa sepa oka nava deka unua lasta"],
    "clock": "hor",
    "scales": {"3": "mil"},
    "units": {"years": "jar|jaroj", "kg": "kilogramoj"},
}


def meaning(text, words=None, locale=Locale(".")):  # noqa: B008
    return feel_text(read(text, locale, words=words).test, words=True)


@pytest.mark.parametrize(("cell", "meant"), [
    ("zub 18 jaroj", "< 18"), ("pri  zub 5", "< 5"), ("vern 18", ">= 18"), ("od 5 ad 7", "[5..7]"),
    ("mez 5 kaj 7", "[5..7]"), ("5 nau 7", "5, 7"), ("krom 5", "not(5)"), ("cio", "-"),
    ("18 nau pli", ">= 18"), ("5 mil", "5000"), ("7 hor - 9 hor", "[07:00..09:00]"),
    ("1 una 2026", "2026-01-01"), ("mad-jod", "mad, mek, jod"), ("Blua NAU Ruga", "Blua, Ruga"),
    ("5-10 kilogramoj", "[5..10]"), ("vern 5 kaj zub 9", "[5..9)"),
])  # fmt: skip
def test_a_language_is_data(cell, meant):
    invented = Language(language().vocabulary | {"xx": INVENTED}, language().grammar)
    assert meaning(cell, invented) == meant
    assert meaning("under 18", invented) == "< 18"
    with pytest.raises(FormatError, match="'alie' is ambiguous; write DEFAULT"):
        read("alie", words=invented)
    with suppress(FormatError):
        assert meaning(cell) != meant


LONG = {
    "list": lambda n: "; ".join(f"item {k}" for k in range(n)),
    "ranges": lambda n: " or ".join(f"{k}-{k + 1} kg" for k in range(n)),
    "words": lambda n: "under " * n + "18",
    "blanks": lambda n: "18" + " " * n + "-" + " " * n + "25",
    "comparisons": lambda n: "> 5 and " * n + "> 5",
    "brackets": lambda n: "(" * min(n, 40) + "5, 6" + ")" * min(n, 40) + ", 7" * n,
    "digits": lambda n: "1 000" * n,
    "commas": lambda n: "1,2" * n,
    "quotes": lambda n: '"a" or ' * n + '"b"',
    "days": lambda n: " & ".join(["Mon"] * n),
    "dashes": lambda n: "A-" * n + "B",
    "dots": lambda n: "1.." * n + "2",
    "negation": lambda n: "not " + "a" * n,
    "names": lambda n: "age " * n + "> 5",
    "open": lambda n: "'" * n,
    "separators": lambda n: "a" + ",;|\n" * n + "b",
}


def work(cell):
    """Return how many lines and calls run while a cell is read."""
    steps = 0

    def count(frame, event, argument):
        nonlocal steps
        steps += 1
        return count

    read("a; b", Locale("."))
    before = sys.gettrace()
    sys.settrace(count)
    try:
        read(cell, Locale("."), "age")
    except FormatError:
        pass
    finally:
        sys.settrace(before)
    return steps


@pytest.mark.parametrize("kind", LONG)
def test_work_is_linear_in_the_length_of_a_cell(kind):
    small, large = (work(LONG[kind](n)) for n in (60, 240))
    assert large <= 4.6 * small, (small, large)


def test_patterns_take_no_time_for_long_cells():
    for cell in (
        " " * 90_000 + "x",
        "1 " * 45_000,
        "a-" * 45_000,
        "(" * 90_000,
        "1" * 90_000,
        "-" * 90_000,
    ):
        with suppress(FormatError):
            read(cell)


@pytest.mark.parametrize(
    "cell", ["a\x00", '"a\x00" or "b"', "\x00", "ﬀ", "İ or ı", "ǅ-ǆ", "５－７"]
)
def test_odd_characters_are_read_or_refused(cell):
    with suppress(FormatError):
        read(cell)
