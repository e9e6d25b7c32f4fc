"""What messages advise exists: commands, their options, and the arguments of these."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from typer.main import get_command

import irenic
from irenic.cli import COMMANDS, app, load

SOURCES = sorted(Path(irenic.__file__).parent.rglob("*.py"))
PARAMS = {name: load(name).params for name in COMMANDS}
OPTIONS = {
    name: {o for p in params for o in (*p.opts, *p.secondary_opts)} | {"--help"}
    for name, params in PARAMS.items()
}
EVERY = set().union(*OPTIONS.values(), *(p.opts for p in get_command(app).params))
NAMED = {(p.name, o) for params in PARAMS.values() for p in params for o in p.opts}
FORMATS = ("baseline", "card", "certificate", "mend", "rules", "summary")
"""Formats of files, such as "irenic rules"."""
PROSE = ("again", "are", "in", "must", "needs", "on", "ran", "that")
"""Words that follow the name of the program in sentences."""


def texts_of(source):
    """Yield the texts of a program with their lines, without docstrings; … is computed."""
    nodes = [*ast.walk(ast.parse(source))]
    parts = {part for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
    docs = {node.value for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        if isinstance(node, ast.JoinedStr):
            values = [getattr(value, "value", "…") for value in node.values]
            yield node.lineno, "".join(v if isinstance(v, str) else "…" for v in values)
        elif isinstance(getattr(node, "value", None), str) and node not in parts | docs:
            yield node.lineno, node.value


def wrong_advice(text):
    """Return commands and options in a text that do not exist, or not together."""
    wrong = []
    for verb, rest in re.findall(r"(?<![\w.])irenic ([a-z]+)\b((?:(?! irenic )[^;()\n|])*)", text):
        if verb not in (*COMMANDS, *FORMATS, *PROSE):
            wrong.append(f"irenic {verb}")
        known = OPTIONS.get(verb, EVERY)
        wrong += [f"irenic {verb} {o}" for o in options_in(rest) if o not in known]
    return wrong + [option for option in options_in(text) if option not in EVERY]


def options_in(text):
    return re.findall(r"(?<![\w-])--[a-z][\w-]*", text)


def wrong_pairs(text):
    """Return options that are said to stand for arguments of other names."""
    pairs = re.findall(r"(\w+)=(?:…|\d+|'[^']*'|\"[^\"]*\"|\[[^\]]*\]) \((--[\w-]+)", text)
    return [pair for pair in pairs if pair not in NAMED and pair != ("table", "--table")]


def test_advice_names_what_exists():
    wrong = [
        (str(path), line, found)
        for path in SOURCES
        for line, text in texts_of(path.read_text(encoding="utf-8"))
        if "irenic" in text or "--" in text
        for found in wrong_advice(text) + wrong_pairs(text)
    ]
    assert wrong == []


def test_wrong_advice_is_found():
    source = '"""irenic docs"""\nf"irenic chek {x} --json, or irenic learn --no-such --cv 0"\n'
    ((line, text),) = texts_of(source)
    assert (line, text) == (2, "irenic chek … --json, or irenic learn --no-such --cv 0")
    assert wrong_advice(text) == ["irenic chek", "irenic learn --no-such", "--no-such"]
    assert wrong_advice("irenic gaps --cv 5; rules --cv") == ["irenic gaps --cv"]
    assert wrong_pairs("choose one with cells='A1' (--range) or ignore=… (--target)") == [
        ("ignore", "--target")
    ]
