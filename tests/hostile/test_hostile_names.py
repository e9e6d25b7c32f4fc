"""Damaged files, and names and values that try to run in what irenic writes.

``IRENIC_HOSTILE=nightly pytest tests/hostile`` reads many more damaged files.
"""

from __future__ import annotations

import io
import random
import sqlite3
import warnings

import bombs
import numpy as np
import pytest
from profiles import nightly

import irenic
from irenic import Categorical, Continuous, Rule, RuleSet, Space
from irenic.errors import IrenicError
from irenic.frames.table import dumps_table, read_table

FILES = nightly(3_000, otherwise=40)
"""The number of damaged files of each format."""
PIECES = [b"", b"\0", b'"', b"'", b"\xff", b"<", b">", b"]]>", b"&#0;", b"1e999", b"nan", b",",
          b";", b"\r", b"\n" * 3, b"{", b"[" * 50, b"PK\x03\x04", b"0" * 400,
          "\u202e\ufeff".encode(), b"IF", b"=1+1", b"9" * 30, b"-", b"..", b"\x1b[31m"]  # fmt: skip


def damaged(raw, chance):
    """Return a copy of a file with a few bytes changed, cut out, repeated or put in."""
    raw = bytearray(raw)
    for _ in range(chance.choice([1, 1, 2, 5])):
        at = chance.randrange(len(raw) + 1)
        end = min(len(raw), at + chance.choice([0, 1, 1, 4, 30]))
        kind = chance.randrange(4)
        if kind == 0 and at < len(raw):
            raw[at] = chance.randrange(256)
        elif kind == 1:
            raw[at:end] = chance.choice(PIECES)
        elif kind == 2:
            raw[at:at] = raw[at:end] * chance.choice([1, 3])
        else:
            del raw[at : len(raw) if chance.random() < 0.2 else end]
    return bytes(raw)


def rules_files():
    rules = irenic.loads("IF x < 5 AND kind in {red} THEN a\nIF x >= 5 THEN b\nDEFAULT c\n",
                         format="rules")  # fmt: skip
    files = {form: irenic.dumps(rules, format=form) for form in
             ("csv", "dmn", "json", "rules", "xlsx")}  # fmt: skip
    files = {form: raw.encode() if isinstance(raw, str) else raw for form, raw in files.items()}
    files["md"] = b"# Fares\n\n| age | fare |\n|---|---|\n| < 18 | free |\n| >= 18 | full |\n"
    files["tsv"] = b"age\tfare\n< 18\tfree\n>= 18\tfull\n"
    row = f"<table:table-row>{bombs.CELL.format('')}{bombs.CELL.format('')}</table:table-row>"
    files["ods"] = bombs.as_bytes(bombs.spreadsheet, (row.encode(), 3))
    return files


@pytest.mark.parametrize("form", ["csv", "dmn", "json", "md", "ods", "rules", "tsv", "xlsx"])
def test_a_damaged_file_of_rules_is_read_or_refused(form):
    raw = rules_files()[form]
    refused = 0
    for seed in range(FILES):
        copy = damaged(raw, random.Random(f"{form} {seed}"))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                tables = irenic.parse(copy, format=form).bind()
                refused += bool(tables.errors)
                for table in tables.tables if not tables.errors else ():
                    irenic.check(table, budget=0.2)
            except IrenicError:
                refused += 1
    assert refused > FILES / 20


@pytest.mark.parametrize("form", ["csv", "csv.gz", "parquet", "xlsx"])
def test_a_damaged_table_is_read_or_refused(form):
    pytest.importorskip("pyarrow")
    table = {"age": np.array([31.5, None, 4.0], dtype=object), "job": np.array(["a", "b, c", "ü"])}
    raw = dumps_table(table, form)
    raw = raw.encode() if isinstance(raw, str) else raw
    refused = 0
    for seed in range(FILES):
        try:
            read_table(io.BytesIO(damaged(raw, random.Random(f"{form} {seed}"))), format=form)
        except IrenicError:
            refused += 1
    assert refused > FILES / 20


# --- injection

NAMES = [
    "'; DROP TABLE cases; --",
    '"; DROP TABLE cases; --',
    "a`b",
    "]]; --",
    "\\",
    "\\'",
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "]]>",
    "<!--",
    "{{7*7}}",
    "${x}",
    "%s%n",
    '"""',
    "'''",
    "x\n::error::y",
    "x\r\n::set-output name=a::b",
    "\x1b[31mred",
    "\u202eabc",
    "__import__('os').abort()",
    "`id`",
    "$(id)",
    "#",
    "--",
    "/*",
    "a\tb",
]


def injected(text):
    space = Space([Continuous(f"n{text}"), Categorical(f"c{text}", [text, "b"])])
    return RuleSet([
        Rule({f"n{text}": (None, 5), f"c{text}": [text]}, then=text),
        Rule({f"n{text}": (5, None)}, then=f"{text}2"),
    ], space)  # fmt: skip


@pytest.mark.parametrize("text", NAMES)
def test_names_and_values_do_not_run(text):
    rules = injected(text)
    cases = [{f"n{text}": n, f"c{text}": c} for n in (1, 9) for c in (text, "b")]
    wanted = [text, None, f"{text}2", f"{text}2"]
    run = {}
    exec(irenic.to_python(rules), run)
    assert [run["predict"](case) for case in cases] == wanted
    with sqlite3.connect(":memory:") as base:
        columns = ", ".join('"' + name.replace('"', '""') + '"' for name in cases[0])
        base.execute(f"CREATE TABLE cases ({columns})")
        base.executemany("INSERT INTO cases VALUES (?, ?)", [[*case.values()] for case in cases])
        query = irenic.to_sql(rules, "cases", dialect="sqlite", column="out", keep=[])
        assert [out for (out,) in base.execute(query)] == wanted
        assert base.execute("SELECT count(*) FROM cases").fetchone() == (4,)


@pytest.mark.parametrize("text", NAMES)
def test_names_and_values_are_only_text_on_the_page_and_in_the_terminal(run, tmp_path, text):
    rules = injected(text)
    page = irenic.report(rules, name=text, budget=1).html
    harmless = irenic.report(injected("x"), budget=1).html
    assert page.lower().count("<script") == harmless.lower().count("<script")
    assert "<img src=x" not in page
    assert rules._repr_html_().count("<script") + rules._repr_html_().count("<img") == 0
    path = tmp_path / "rules.json"
    irenic.write(rules, path)
    _, out, err = run("check", str(path), "--format", "github")
    assert all(line.startswith(("::error file", "::warning file")) for line in out.splitlines())
    _, out, err = run("check", str(path), "--verbose")
    assert "\x1b[31m" not in out + err
    assert "\u202e" not in out + err
