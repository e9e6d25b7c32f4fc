"""Work grows in proportion to the input: calls of functions are counted, not time, so that a busy
machine cannot fail a test. ``benchmarks/growth.py`` measures the same in seconds.
"""

from __future__ import annotations

import math
import re
import sys

import numpy as np
import pytest

import irenic
from irenic import Continuous, Region, Rule, RuleSet, Space
from irenic.formats.cells import _doubts, _tokens, reading, values
from irenic.formats.cells._language import Language, language
from irenic.frames import csv
from irenic.model import patterns
from irenic.model.space import from_words, to_words
from irenic.proving import prove
from learn.fitting import people, quick

LIMIT = 1.3


def calls(work):
    """Return how many functions of Python and of C are called."""
    count = 0

    def counting(frame, event, argument):
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(counting)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def exponent(make, n):
    """Return by which power of n the calls of ``make(n)()`` grow, without what is constant."""
    one, two, four = (calls(make(size)) for size in (n, 2 * n, 4 * n))
    return math.log2(max(four - two, 1) / max(two - one, 1))


def checked(text, **options):
    raw = text.encode()

    def work():
        [table] = irenic.parse(raw, format="csv", **options).bound(None).tables
        irenic.check(table)

    return work


def numbers(n):
    return checked("amount,fare\n" + "".join(f"[{i}..{i + 1}),{i % 7}\n" for i in range(n)))


def texts(n):
    rows = "".join(f"SKU {i} large,{i % 7}\n" for i in range(n))
    return checked(f"article,price\n{rows}")


def lists(n):
    rows = "".join(f'"north {i}, south {i}",>= {i % 9},{i % 7}\n' for i in range(n))
    return checked(f"region,size,price\n{rows}", roles={"region": "condition"})


def days(n):
    rows = "".join(f"2020-{i // 28 % 12 + 1:02}-{i % 28 + 1:02},{i},{i % 7}\n" for i in range(n))
    return checked(f"day,number,price\n{rows}", ignore=["number"], roles={"day": "condition"})


def columns(n):
    names = ",".join(f"f{i}" for i in range(n))
    rows = "".join(
        ",".join(f"< {row + i % 3}" if i % 20 == row else "-" for i in range(n)) + f",{row}\n"
        for row in range(20)
    )
    raw = f"{names},then\n{rows}".encode()
    return lambda: irenic.parse(raw, format="csv").bound(None)


def boxes(n):
    """Return n intervals side by side, each with a consequent of its own."""
    space = Space([Continuous("x"), Continuous("y")])
    rules = [
        Rule(Region(space, {"x": (float(i), float(i + 1))}), then="abcde"[i % 5]) for i in range(n)
    ]
    return RuleSet(rules, space)


def written(form):
    def make(n):
        rules = boxes(n)
        return lambda: irenic.loads(irenic.dumps(rules, format=form), format=form)

    return make


def semicolons(n):
    raw = ("age;size;pay\n" + "".join(f"{i}.5;{i}.{i:03};{i}\n" for i in range(n))).encode()
    return lambda: csv.loads(raw)


def added(n):
    rules = RuleSet(space=Space([Continuous("x"), Continuous("y")]))
    new = [Rule({"x": (i, i + 1)}, then=i % 3) for i in range(n)]  # each in a space of its own

    def work():
        for rule in new:
            rules.add(rule)

    return work


def proved(n):
    rules = boxes(200)
    properties = [f"NEVER b WHERE x < {i + 0.5} AND y < {i}" for i in range(n)]
    return lambda: prove(rules, properties)


def predicted(n):
    rules, table = boxes(50), {"x": np.arange(n) % 60.0, "y": np.zeros(n)}
    return lambda: rules.predict(table)


def explained(n):
    rules, table = boxes(50), {"x": np.arange(n) % 50.0, "y": np.zeros(n)}
    return lambda: rules.explain(table)


def explained_in_order(n):
    rules, table = clashing(50), {"x": np.arange(n) % 51.0, "y": np.zeros(n)}
    return lambda: rules.explain(table, resolve="first")


def clashing(n):
    """Return n rules, each of which contradicts the next."""
    space = Space([Continuous("x"), Continuous("y")])
    regions = (Region(space, {"x": (float(i), i + 1.5)}) for i in range(n))
    return RuleSet([Rule(region, then=str(i % 2)) for i, region in enumerate(regions)], space)


def mended(how):
    def make(n):
        rules = clashing(n)
        return lambda: irenic.repair(rules, how)

    return make


def compared(n):
    before, after = boxes(n), boxes(n)
    after.remove(n // 2)
    return lambda: irenic.diff(before, after)


def completed(n):
    rules = boxes(n)
    for i in range(n - 2, 0, -2):
        rules.remove(i)
    return lambda: irenic.complete(rules)


def summarized(n):
    rules = clashing(n)
    return lambda: irenic.summarize(rules)


def rows_fitted(n):
    X, y = people(n, seed=1)
    return lambda: quick().fit(X, y)


def columns_fitted(n):
    rng = np.random.default_rng(0)
    X = {f"f{i}": rng.normal(size=60) for i in range(n)}
    return lambda: quick().fit(X, X["f0"] > 0)


GROWING = {
    "rows of numbers": (numbers, 100),
    "rows of texts": (texts, 100),
    "rows of lists": (lists, 100),
    "rows of days": (days, 84),
    "columns": (columns, 20),
    "rules as text": (written("rules"), 100),
    "rules as JSON": (written("json"), 100),
    "rules as DMN": (written("dmn"), 100),
    "rules as CSV": (written("csv"), 100),
    "cells between semicolons": (semicolons, 200),
    "rules added": (added, 60),
    "properties": (proved, 8),
    "rows predicted": (predicted, 500),
    "rows explained": (explained, 100),
    "rows explained in order": (explained_in_order, 100),
    "rules to drop": (mended("drop"), 60),
    "rules to trim": (mended("trim"), 60),
    "rules to split": (mended("split"), 60),
    "rules compared": (compared, 60),
    "rules completed": (completed, 60),
    "rules summarized": (summarized, 60),
    "rows fitted": (rows_fitted, 160),
    "columns fitted": (columns_fitted, 8),
}


def test_ordinary_texts_compile_no_pattern_of_values(monkeypatch):
    compiled = []

    def compiling(pattern, flags=0):
        compiled.append(pattern)
        return original(pattern, flags)

    original = re.compile
    monkeypatch.setattr(patterns.re, "compile", compiling)
    fresh = Language(language().vocabulary, language().grammar)
    for module in (_tokens, reading, values, _doubts):
        monkeypatch.setattr(module, "language", lambda: fresh, raising=False)
    checked("region,income,grade\nnorth,-,A\nsouth,< 1000,B\n-,>= 1000,B\n")()
    values_of = {pattern.pattern for pattern in fresh.values.values()}
    assert values_of.isdisjoint(compiled)  # they take as long as importing numpy
    checked("region,income,grade\nnorth,between 5 and 9,A\n")()
    assert not values_of.isdisjoint(compiled)


def test_words_of_sets_are_written_and_read_at_once():
    # 200,000 values: shifting them word by word takes seconds
    bits = (1 << 200_000) - 1
    assert calls(lambda: to_words(bits, 3125)) < 20
    assert calls(lambda: from_words([1] * 3125)) < 20


def test_adding_a_rule_encodes_it_once():
    rules = boxes(20)
    rules.add(Rule({"x": (90, 92)}, then="b"))  # what is made once
    same = Rule(Region(rules.space, {"x": (30.0, 32.0)}), then="b")
    added = calls(lambda: rules.add(same))
    other = Rule({"x": (40, 42)}, then="b")
    moved = calls(lambda: other.cast(rules.space))
    assert calls(lambda: rules.add(other)) < added + 1.1 * moved < 250


@pytest.mark.parametrize("name", GROWING)
def test_work_grows_in_proportion(name):
    make, n = GROWING[name]
    make(max(2, n // 8))()  # imports and caches
    assert exponent(make, n) <= LIMIT
