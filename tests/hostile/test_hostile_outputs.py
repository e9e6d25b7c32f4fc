"""Real commands that are killed while they write, outputs that are inputs, and injected names.

``IRENIC_HOSTILE=nightly pytest tests/hostile`` kills many more.
"""

from __future__ import annotations

import csv
import io
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from profiles import nightly

import irenic
from irenic import FormatError, FormatWarning, Rule, RuleSet
from irenic.frames.files import write_file
from irenic.frames.table import dumps_table, read_table, write_table

fcntl = pytest.importorskip("fcntl", reason="needs signals and locks of Unix")

KILLS = nightly(400, otherwise=6)
RULES = "IF age < 18 THEN free\nIF age >= 18 THEN full\n"


# --- kills

# Writes files of 40 MB in turn, so that a kill is likely to hit a write.
WRITER = """
import sys
from irenic.frames.files import write_file
data = [bytes([sign]) * 40_000_000 for sign in b"ab"]
print("ready", flush=True)
for n in range(10_000):
    write_file(sys.argv[1], data[n % 2])
"""


def leftovers(folder):
    return sorted(path.name for path in folder.glob(".irenic-*"))


def start(*arguments, cwd):
    return subprocess.Popen(
        [sys.executable, *arguments],
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )


def test_a_killed_writer_leaves_a_whole_file_and_the_next_run_clears_the_rest(tmp_path):
    target = tmp_path / "out.bin"
    write_file(target, b"a" * 40_000_000)
    left = 0
    for seed in range(KILLS):
        process = start("-c", WRITER, str(target), cwd=tmp_path)
        assert process.stdout.readline() == b"ready\n"
        time.sleep(random.Random(seed).uniform(0, 0.3))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        content = target.read_bytes()
        assert content in (b"a" * 40_000_000, b"b" * 40_000_000)
        left += len(leftovers(tmp_path))
        write_file(tmp_path / "other.txt", "x")
        assert leftovers(tmp_path) == []
    assert left or KILLS < 100


COMMANDS = [
    ["convert", "rules.txt", "out.json"],
    ["repair", "rules.txt", "--in-place"],
    ["predict", "rules.txt", "data.csv", "-o", "out.csv"],
    ["report", "rules.txt", "-o", "out.html"],
    ["cases", "rules.txt", "-o", "out.csv"],
    ["convert", "rules.txt", "out.xlsx"],
    ["learn", "data.csv", "--seconds", "1", "-o", "out.json"],
    ["init", "table.csv", "-o", "out.csv"],
]


def test_a_killed_command_leaves_the_old_file_or_the_new_one(tmp_path):
    inputs = {
        "rules.txt": RULES.replace(">= 18", ">= 17"),
        "data.csv": "age,fare\n" + "5,free\n40,full\n" * 20_000,
        "table.csv": "age,fare\n< 18,free\n>= 18,full\n",
    }
    for seed in range(KILLS):
        chance = random.Random(seed)
        for name, text in inputs.items():
            (tmp_path / name).write_text(text)
        command = COMMANDS[seed % len(COMMANDS)]
        name = command[-1] if "." in command[-1] else command[1]
        target = tmp_path / name
        old = target.read_bytes() if target.exists() else None
        process = start("-m", "irenic", *command, cwd=tmp_path)
        try:
            process.communicate(timeout=chance.uniform(0.2, nightly(3, otherwise=1.5)))
        except subprocess.TimeoutExpired:
            process.send_signal(chance.choice([signal.SIGKILL, signal.SIGTERM]))
            process.communicate()
        for other, text in inputs.items():
            assert other == name or (tmp_path / other).read_text() == text
        new = target.read_bytes() if target.exists() else None
        if new != old:
            check_whole(target)
        write_file(tmp_path / "other.txt", "x")
        assert leftovers(tmp_path) == []


def check_whole(path):
    if path.suffix in (".txt", ".json", ".xlsx") and path.stem != "data":
        assert len(irenic.read(path))
    elif path.suffix == ".csv":
        lengths = {len(row) for row in csv.reader(io.StringIO(path.read_text()))}
        assert len(lengths) == 1
        assert path.read_text().endswith("\n")
    else:
        assert path.read_text().rstrip().endswith("</html>")


def test_leftovers_are_cleared_unless_they_are_in_use(tmp_path):
    old, used = tmp_path / f".irenic-{'0' * 16}", tmp_path / f".irenic-{'f' * 16}"
    others = [tmp_path / name for name in (".irenic-notes", ".irenic-00ff", "irenic.txt")]
    folder, link = tmp_path / f".irenic-{'1' * 16}", tmp_path / f".irenic-{'2' * 16}"
    folder.mkdir()
    link.symlink_to("irenic.txt")
    for path in (old, used, *others):
        path.write_text("x")
    with used.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        write_file(tmp_path / "out.txt", "y")
        assert not old.exists()
        assert used.exists()
    assert all(path.exists() for path in (*others, folder))
    assert link.is_symlink()
    write_file(tmp_path / "out.txt", "z")
    assert not used.exists()
    assert (tmp_path / "out.txt").read_text() == "z"


def test_a_file_is_locked_while_it_is_written(tmp_path, monkeypatch):
    real = os.fsync
    seen = []

    def fsync(number):
        seen.append(leftovers(tmp_path))
        write_file(tmp_path / "second.txt", "2") if len(seen) == 1 else None
        seen.append(leftovers(tmp_path))
        return real(number)

    monkeypatch.setattr(os, "fsync", fsync)
    write_file(tmp_path / "first.txt", "1")
    assert (tmp_path / "first.txt").read_text() == "1"
    assert (tmp_path / "second.txt").read_text() == "2"
    assert leftovers(tmp_path) == []
    assert len(seen) == 4


def test_a_file_system_without_locks_is_written_to(tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(fcntl, "flock", refuse)
    (tmp_path / f".irenic-{'0' * 16}").write_text("x")
    write_file(tmp_path / "out.txt", "y")
    assert (tmp_path / "out.txt").read_text() == "y"
    assert leftovers(tmp_path) == [f".irenic-{'0' * 16}"]  # it may be in use


# --- outputs that are inputs


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("rules.txt").write_text(RULES)
    Path("rules.properties").write_text("NEVER free WHERE age > 60\nNEVER full WHERE age < 6\n")
    Path("table.csv").write_text("age,fare\n< 18,free\n>= 18,full\n")
    Path("data.csv").write_text("age,fare\n5,free\n40,full\n")
    Path("baseline.json").write_text('{"version": 1, "accepted": []}')
    irenic.write(irenic.read("rules.txt"), "space.json")
    return tmp_path


@pytest.mark.parametrize(
    "command",
    [
        "init table.csv -o table.csv",
        "cases rules.txt --space space.json -o space.json",
        "prove rules.txt NEVER|free --certificate rules.txt",
        "prove rules.txt --certificate rules.properties",
        "prove rules.txt NEVER|free --smtlib rules.txt",
        "prove rules.txt NEVER|free --smtlib x.smt2 --certificate x.smt2",
        "check rules.txt --certificate rules.txt",
        "check rules.txt --write-baseline rules.txt --reason known",
        "check rules.txt --data data.csv --write-baseline data.csv --reason known",
        "check rules.txt --space space.json --write-baseline space.json --reason known",
        "impact rules.txt rules.txt data.csv --html data.csv",
        "learn data.csv -o data.csv",
        "learn data.csv --card data.csv",
        "report rules.txt data.csv -o data.csv",
    ],
)
def test_no_command_overwrites_its_input(run, here, command):
    before = {path.name: path.read_bytes() for path in here.iterdir()}
    status, _, err = run(*(part.replace("|", " ") for part in command.split()))
    assert status == 2, err
    assert {path.name: path.read_bytes() for path in here.iterdir()} == before
    assert err.count("\n") == 1


def test_init_writes_whole_files_only(run, here, monkeypatch):
    Path("out.csv").write_text("old")
    monkeypatch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError(28, "No space left")))
    status, _, err = run("init", "table.csv", "-o", "out.csv")
    assert (status, err) == (2, "irenic: cannot write out.csv: No space left\n")
    assert Path("out.csv").read_text() == "old"


# --- names and texts that other programs would run

FORMULAS = ["=1+1", "@SUM(A1)", "+x", "-x", '=HYPERLINK("http://a")', "=cmd|' /C calc'!A0"]


@pytest.mark.parametrize("name", FORMULAS)
def test_a_header_is_no_formula(name):
    rules = RuleSet([Rule({name: (0, 10)}, then="child")])
    with pytest.raises(FormatError, match=r"takes the name .* for a formula; rename it, or write"):
        irenic.dumps(rules, format="csv")
    book = openpyxl.load_workbook(io.BytesIO(irenic.dumps(rules, format="xlsx")))
    assert book.active["A1"].data_type == "s"
    for form in ("xlsx", "json", "dmn", "rules"):
        raw = irenic.dumps(rules, format=form)
        assert irenic.loads(raw, format=form, space=rules.space) == rules


@pytest.mark.parametrize("text", FORMULAS)
def test_no_cell_of_rules_is_a_formula(text):
    space = irenic.Space([irenic.Categorical("kind", [text, "b"])])
    rules = RuleSet([Rule({"kind": [text]}, then=text), Rule({"kind": ["b"]}, then="b")], space)
    written = irenic.dumps(rules, format="csv")
    cells = [cell for row in csv.reader(io.StringIO(written)) for cell in row]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "@", "-x"))]
    assert irenic.loads(written, format="csv", space=space) == rules


SIGNS = ("=", "+", "-", "@")


def cells_of(path):
    with path.open(encoding="utf-8", newline="") as file:
        return [cell for row in csv.reader(file) for cell in row]


@pytest.mark.parametrize("text", [*FORMULAS, "\t=1+1", "\r=1+1"])
def test_predictions_are_no_formulas(run, here, text):
    rules = RuleSet([Rule({"age": (None, 18)}, then=text)], default="full")
    irenic.write(rules, "evil.json")
    Path("cases.csv").write_text("age,=a\n5,b\n40,@x\n")
    status, _, err = run("predict", "evil.json", "cases.csv", "-o", "out.csv")
    assert status == 0
    assert f"column 'prediction': a spreadsheet takes {text!r} for a formula, so it is" in err
    assert not [
        cell for cell in cells_of(Path("out.csv")) if cell.lstrip()[:1] in ("=", "+", "-", "@")
    ]
    again = read_table("out.csv")
    assert again["prediction"].tolist() == [text, "full"]
    assert again["=a"].tolist() == ["b", "@x"]
    if text.isprintable():
        status, _, err = run("predict", "evil.json", "cases.csv", "-o", "out.xlsx")
        assert (status, "formula" in err) == (0, False)


@given(st.lists(st.text('=+-@"\t\r\n \\a1(,;', min_size=1), min_size=1, max_size=4))
@pytest.mark.filterwarnings("ignore::irenic.FormatWarning")
def test_texts_in_csv_read_back_and_never_run(texts):
    table = {"a": np.array(texts, dtype=object), "b": np.array(["x"] * len(texts))}
    raw = dumps_table(table, "csv")
    read = read_table(io.BytesIO(raw.encode()), format="csv")
    assert list(read.cells["a"]) == texts
    rows = list(csv.reader(io.StringIO(raw, newline="")))
    assert not [row for row in rows[1:] if re.match(r"\s*(?:[=@]|[+-].*[a(])", row[0], re.DOTALL)]
    assert dumps_table(read, "csv") == raw


def test_cells_that_cannot_run_are_as_they_were(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('=1,b,phone\n"""=1""",-5,-\n"""x""",-7.5e3,+49 301-5\n')
    with pytest.warns(FormatWarning, match="column '=1'"):
        write_table(read_table(path), tmp_path / "b.csv")
    assert (tmp_path / "b.csv").read_text() == path.read_text().replace("=1,b", '"""=1""",b')
    write_table({"x": np.array([-1.5, 1e-300, -np.inf]), "y": np.array(["a", "-2", "+3e5"])}, path)
    with pytest.warns(FormatWarning, match="takes '-a' for a formula"):
        write_table({"y": np.array(["-a"])}, path)


def test_a_name_with_and_without_quotes_is_one_name():
    with pytest.raises(FormatError, match="two columns are named '=a'"):
        read_table(io.BytesIO(b'=a,"""=a"""\n1,2\n'), format="csv")


def test_cases_with_outcomes_like_formulas_pass(run, here):
    Path("evil.csv").write_text('age,fare\n< 18,"""=1+1"""\n>= 18,full\n')
    assert run("cases", "evil.csv", "-o", "cases.csv")[0] == 0
    assert not [cell for cell in cells_of(Path("cases.csv")) if cell.startswith("=")]
    assert run("test", "evil.csv", "cases.csv")[0] == 0


@pytest.mark.parametrize("name", ["a\rb", "a\r\nb", "a\r"])
def test_a_carriage_return_in_a_name(tmp_path, name):
    table = {name: np.array([1, 2], dtype=object)}
    with pytest.raises(FormatError, match=r"contains a carriage return, which .xlsx does not keep"):
        write_table(table, tmp_path / "a.xlsx")
    write_table(table, tmp_path / "a.csv")
    assert list(read_table(tmp_path / "a.csv")) == [name]
    rules = RuleSet([Rule({name: (0, 10)}, then="child")])
    with pytest.raises(FormatError, match=r"carriage return|cannot be the name of a column"):
        irenic.dumps(rules, format="xlsx")


@pytest.mark.parametrize("text", ["a\rb", "\r", "a\r\nb", "a;b", "a\tb", 'a"b', "a\nb"])
def test_a_table_comes_back_from_csv(tmp_path, text):
    table = {text.strip() or "x": np.array([text, "y"], dtype=object)}
    write_table(table, tmp_path / "a.csv")
    again = read_table(tmp_path / "a.csv")
    assert {name: column.tolist() for name, column in again.items()} == {
        name: column.tolist() for name, column in table.items()
    }
