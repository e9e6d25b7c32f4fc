"""Strategies for cells of decision tables: a text, and independently a predicate.

The predicate takes one value (None: missing) and returns True, False or, like a FEEL comparison
with null, None. Nothing here parses a text or uses intervals.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable
from typing import Any, NamedTuple

from hypothesis import strategies as st

from irenic.model.literals import Months


class Said(NamedTuple):
    """A cell: its text, and the predicate that it means."""

    text: str
    holds: Callable[[Any], bool | None]


# --- the values that cells mention, with their FEEL texts

NAMED = {
    "number": {-1: "-1", 0: "0", 2.5: "2.5", 5: "5.0", 7: "7", 1e6: "1000000"},
    "date": {dt.date(2020, 1, d): f'date("2020-01-{d:02}")' for d in (1, 2, 15, 31)},
    "datetime": {
        dt.datetime(2020, 1, 1, h): f'date and time("2020-01-01T{h:02}:00:00")' for h in (0, 6, 7)
    },
    "time": {dt.time(h, 30): f'time("{h:02}:30:00")' for h in (0, 6, 7, 23)},
    "duration": {dt.timedelta(hours=h): f'duration("PT{h}H")' for h in (0, 6, 36)},
    "months": {Months(m): f'duration("P{m}M")' for m in (0, 1, 14, 24)},
    "text": {word: f'"{word}"' for word in ("nurse", "clerk", "fire fighter", "")},
    "boolean": {True: "true", False: "false"},
}
ORDERED = [kind for kind in NAMED if kind not in ("text", "boolean")]


def grid(kind):
    """Return representative values: the mentioned ones, their neighbors, and some in between."""
    named = list(NAMED[kind])
    if kind == "boolean":
        return named
    if kind == "text":
        return [*named, "unheard of"]
    steps = {
        "date": dt.timedelta(days=1),
        "datetime": dt.timedelta(microseconds=1),
        "duration": dt.timedelta(microseconds=1),
    }
    if kind == "number":
        near = [math.nextafter(v, s) for v in named for s in (-math.inf, math.inf)]
        far = [(a + b) / 2 for a in named for b in named]
        return sorted({*map(float, named), *near, *far, -1e9, 1e9})
    if kind == "months":
        return [Months(m) for m in range(-2, 27)]
    if kind == "time":
        micros = [(t.hour * 60 + t.minute) * 60_000_000 + k for t in named for k in (-1, 0, 1)]
        start = dt.datetime(2000, 1, 1)
        return [(start + dt.timedelta(microseconds=m)).time() for m in [0, *micros]]
    step = steps[kind]
    around = {v + k * step for v in named for k in (-1, 0, 1)}
    return sorted(around | {v + 7000 * s * step for v in named for s in (-1, 1)})


# --- tests


def _order(sign, bound):
    compare = {
        "<": lambda v: v < bound,
        "<=": lambda v: v <= bound,
        ">": lambda v: v > bound,
        ">=": lambda v: v >= bound,
    }[sign]
    return lambda v: None if v is None else compare(v)


def _equal(value):
    return lambda v: v is not None and v == value


def _or(parts):
    def holds(v):
        results = [part(v) for part in parts]
        return True if True in results else None if None in results else False

    return holds


def _and(parts):
    def holds(v):
        results = [part(v) for part in parts]
        return False if False in results else None if None in results else True

    return holds


def _not(part):
    def holds(v):
        result = part(v)
        return None if result is None else not result

    return holds


@st.composite
def items(draw, kind, *, null=True):
    """Draw one test: a value, a comparison, a range or null."""
    value = draw(st.sampled_from(list(NAMED[kind])))
    text = NAMED[kind][value]
    forms = ["value", "value", "equal", "unequal"] + ["null"] * null
    if kind in ORDERED:
        forms += ["order", "order", "range", "range", "range", "between", "asked", "flipped"]
    form = draw(st.sampled_from(forms))
    if form == "null":
        return Said("null", lambda v: v is None)
    if form == "value":
        return Said(draw(st.sampled_from([text, f"({text})"])), _equal(value))
    if form == "equal":
        return Said(f"= {text}", _equal(value))
    if form == "unequal":
        return Said(f"!= {text}", _not(_equal(value)))
    sign = draw(st.sampled_from(["<", "<=", ">", ">="]))
    if form == "order":
        return Said(f"{sign}{draw(st.sampled_from(['', ' ']))}{text}", _order(sign, value))
    if form == "asked":
        return Said(f"? {sign} {text}", _order(sign, value))
    if form == "flipped":
        turned = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}[sign]
        return Said(f"{text} {sign} ?", _order(turned, value))
    other = draw(st.sampled_from(list(NAMED[kind])))
    if form == "between":
        both = _and([_order(">=", value), _order("<=", other)])
        return Said(f"? between {text} and {NAMED[kind][other]}", both)
    opening, closing = draw(st.sampled_from("[(]")), draw(st.sampled_from("])["))
    low = _order(">=" if opening == "[" else ">", value)
    high = _order("<=" if closing == "]" else "<", other)
    return Said(f"{opening}{text}..{NAMED[kind][other]}{closing}", _and([low, high]))


@st.composite
def cells(draw, kind, *, null=True):
    """Draw a cell: any value, a list of tests, or a negated list of tests."""
    form = draw(st.sampled_from(["any", "list", "list", "list", "not", "joined"]))
    if form == "any":
        return Said(draw(st.sampled_from(["-", "", " - "])), lambda v: True)
    chosen = draw(st.lists(items(kind, null=null), min_size=1, max_size=3))
    listed = ", ".join(item.text for item in chosen)
    either = _or([item.holds for item in chosen])
    if form == "not":
        return Said(f"not({listed})", _not(either))
    if form == "joined" and kind in ORDERED:
        signs = draw(st.lists(st.sampled_from(["<", "<=", ">", ">="]), min_size=2, max_size=2))
        values = [draw(st.sampled_from(list(NAMED[kind]))) for _ in signs]
        word, join = draw(st.sampled_from([("and", _and), ("or", _or)]))
        parts = [f"? {s} {NAMED[kind][v]}" for s, v in zip(signs, values, strict=True)]
        tests = [_order(s, v) for s, v in zip(signs, values, strict=True)]
        return Said(f" {word} ".join(parts), join(tests))
    return Said(listed, either)


@st.composite
def domains(draw, kind):
    """Draw the allowed values of an input, or None for all values."""
    if draw(st.booleans()):
        return None
    form = draw(st.sampled_from(["listed"] + ["ranges"] * 2 * (kind in ORDERED)))
    named = sorted(NAMED[kind])
    if form == "listed":
        chosen = draw(st.lists(st.sampled_from(named), min_size=1, unique=True))
        text = ", ".join(NAMED[kind][v] for v in chosen)
        return Said(text, _or([_equal(v) for v in chosen]))
    pieces = []
    for _ in range(draw(st.integers(1, 2))):
        low, high = sorted(draw(st.lists(st.sampled_from(named), min_size=2, max_size=2)))
        if low == high:
            pieces.append(Said(f">= {NAMED[kind][low]}", _order(">=", low)))
        else:
            text = f"[{NAMED[kind][low]}..{NAMED[kind][high]})"
            pieces.append(Said(text, _and([_order(">=", low), _order("<", high)])))
    return Said(", ".join(p.text for p in pieces), _or([p.holds for p in pieces]))
