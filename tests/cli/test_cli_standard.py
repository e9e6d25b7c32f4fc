"""``-``: standard input and standard output in place of files."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import irenic
from irenic.cli import app
from irenic.frames.table import read_table

RULES = "IF age < 10 THEN child\nIF age >= 10 THEN adult\n"
CONTRADICTING = "IF age < 20 THEN child\nIF age >= 10 THEN adult\n"
DATA = "age,group\n5,child\n40,adult\n"
MANY = "age,group\n" + "".join(f"{age},{'child' if age < 10 else 'adult'}\n" for age in range(40))


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Work in a folder with rules in every format, their space, and a table."""
    monkeypatch.chdir(tmp_path)
    rules = irenic.loads(RULES, format="rules")
    for name in ("rules.txt", "rules.json", "rules.csv", "rules.xlsx", "rules.dmn", "space.json"):
        irenic.write(rules, name)
    Path("clash.txt").write_text(CONTRADICTING)
    Path("data.csv").write_text(DATA)
    return tmp_path


@pytest.fixture
def feed(run, monkeypatch):
    """Run the command with data on standard input."""

    def call(raw, *arguments):
        raw = raw.encode() if isinstance(raw, str) else raw
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
        return run(*arguments)

    return call


# --- input


@pytest.mark.parametrize("suffix", ["txt", "json", "csv", "xlsx", "dmn"])
@pytest.mark.parametrize(
    "command",
    [
        "check FILE",
        "check FILE --json",
        "gaps FILE",
        "search FILE",
        "enlarge FILE --seed age=5 --consequent child",
        "repair FILE",
        "complete FILE",
        "merge FILE",
        "convert FILE out.json",
        "diff FILE rules.txt",
        "diff rules.txt FILE",
        "report FILE --json --title T",
        "predict FILE data.csv",
    ],
)
def test_rules_can_be_read_from_standard_input(run, feed, here, command, suffix):
    path = Path(f"rules.{suffix}")
    status, out, err = run(*command.replace("FILE", str(path)).split())
    assert status in (0, 1), err
    arguments = [*command.replace("FILE", "-").split(), "--from", suffix]
    again = feed(path.read_bytes(), *arguments)

    assert (again[0], again[2].replace("<stdin>", str(path))) == (status, err)
    if suffix != "csv":
        assert again[1].replace("<stdin>", str(path)) == out


@pytest.mark.parametrize(
    "command",
    [
        "check rules.txt --data FILE",
        "gaps rules.txt --data FILE",
        "repair rules.txt --data FILE",
        "complete rules.txt --data FILE",
        "predict rules.txt FILE",
        "report rules.txt FILE --json",
    ],
)
def test_data_can_be_read_from_standard_input(run, feed, here, command):
    expected = run(*command.replace("FILE", "data.csv").split())
    assert expected[0] in (0, 1)
    found = feed(DATA, *command.replace("FILE", "-").split(), "--from", "csv")
    assert tuple(str(part).replace("data.csv", "-") for part in expected) == tuple(map(str, found))


def test_learn_reads_a_table_from_standard_input(feed, here):
    options = ("--cv", "0", "--budget", "0.2")
    status, out, _ = feed(MANY, "learn", "-", "--from", "csv", *options, "--json")
    assert (status, json.loads(out)["data"]["target"]) == (0, "group")


def test_a_space_can_be_read_from_standard_input(feed, here):
    raw = Path("space.json").read_bytes()
    assert feed(raw, "check", "rules.txt", "--space", "-")[0] == 0
    status, _, err = feed('{"version": 1, "rules": []}', "check", "rules.txt", "--space", "-")
    assert (status, err) == (2, 'irenic: <stdin>: no "space" in the file\n')


def test_errors_in_standard_input_have_a_location(feed, here):
    status, _, err = feed("IF age < THEN x", "merge", "-", "--from", "rules")
    assert status == 2
    assert err.startswith("irenic: <stdin>, line 1, column 10: expected")
    assert feed("", "merge", "-", "--from", "rules")[2] == (
        "irenic: <stdin>: no rules in the file; was it truncated?\n"
    )


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("check -", "standard input needs a format: --from csv|dmn|json|"),
        ("predict rules.txt -", "standard input needs a format: --from csv|csv.gz|"),
        ("check - --from cvs", "--from must be one of csv, dmn, "),
        ("check rules.txt --from csv", "--from is the format of standard input, but no input"),
        ("learn data.csv --from csv", "--from is the format of standard input, but no input"),
        (
            "diff - - --from txt",
            "A and B are both -, but standard input can be read only once;",
        ),
        ("predict - - --from csv", "RULES and DATA are both -, but"),
        ("report - - --from csv", "RULES and DATA are both -, but"),
        ("check - - --from csv", "FILE 1 and FILE 2 are both -, but"),
        ("check - --data - --from csv", "FILE 1 and --data are both -, but"),
        ("gaps - --space - --from csv", "RULES and --space are both -, but"),
        ("merge rules.txt --space - --from csv", "--space must be JSON, got --from csv"),
        ("repair - --data - --from csv", "IN and --data are both -, but"),
        ("convert - out.json --space - --from csv", "IN and --space are both -, but"),
    ],
)
def test_invalid_uses_of_standard_input_are_rejected(feed, here, command, message):
    status, out, err = feed(RULES, *command.split())
    assert (status, out) == (2, "")
    assert err.startswith(f"irenic: {message}")
    assert err.count("\n") == 1


# --- output


@pytest.mark.parametrize("form", ["csv", "dmn", "json", "py", "rules", "sql", "txt", "xlsx"])
def test_convert_writes_only_the_rules(here, form):
    done = CliRunner().invoke(app, ["convert", "rules.txt", "-", "--to", form])
    assert done.exit_code == 0
    assert done.stderr == "2 rules written to standard output\n"
    assert CliRunner().invoke(app, ["convert", "rules.txt", f"out.{form}"]).exit_code == 0
    if form == "xlsx":  # which contains the current time
        assert irenic.loads(done.stdout_bytes, format=form) == irenic.read("out.xlsx")
    else:
        name = "out" if form == "dmn" else ""
        expected = Path(f"out.{form}").read_bytes().replace(f'name="{name}"'.encode(), b"")
        assert done.stdout_bytes.replace(b'name="rules"', b"") == expected


@pytest.mark.parametrize("command", ["repair clash.txt", "complete rules.txt", "merge rules.txt"])
@pytest.mark.parametrize("to", [[], ["--to", "json"], ["--to", "csv"]])
@pytest.mark.parametrize("out", [[], ["-o", "-"]])
def test_only_the_changed_rules_are_written(run, here, command, out, to):
    status, text, err = run(*command.split(), *out, *to)
    assert status == 0
    form = to[-1] if to else "rules"
    assert len(irenic.loads(text, format=form)) in (1, 2)
    assert "written" not in err
    assert err.strip()


def test_only_the_page_is_written(run, here):
    status, page, err = run("report", "rules.txt", "-o", "-")
    assert (status, err) == (0, "")
    assert page.startswith("<!")
    assert page.rstrip().endswith("</html>")


@pytest.mark.parametrize("form", ["csv", "csv.gz", "parquet", "xlsx"])
def test_only_the_predictions_are_written(here, form):
    done = CliRunner().invoke(app, ["predict", "rules.txt", "data.csv", "-o", "-", "--to", form])
    assert done.exit_code == 0
    table = read_table(io.BytesIO(done.stdout_bytes), format=form)
    assert list(table["prediction"]) == ["child", "adult"]
    assert done.stderr == "irenic: columns not used by the rules: group\n"


@pytest.mark.parametrize("to", ["json", "rules"])
def test_only_the_learned_model_is_written(run, here, to):
    Path("many.csv").write_text(MANY)
    options = ("--cv", "0", "--budget", "0.2")
    status, out, err = run("learn", "many.csv", *options, "-o", "-", "--to", to)
    assert status == 0
    assert "Predicting the last column, 'group'" in err
    if to == "json":
        model = irenic.read_model(io.StringIO(out))
        assert list(model.rules_.predict({"age": [5, 20]})) == ["child", "adult"]
    else:
        assert irenic.loads(out, format="rules").space.names == ("age",)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("convert rules.txt -", "standard output needs a format: --to csv|dmn|"),
        ("convert rules.txt - --to jsn", "--to must be one of csv, dmn, json, "),
        ("convert rules.txt x.json --to json", "--to is the format of standard output, but the"),
        ("predict rules.txt data.csv --to json", "--to must be one of csv, csv.gz, parquet, xlsx"),
        ("learn data.csv -o -", "standard output needs a format: --to json|rules|txt"),
        ("merge rules.txt --json -o -", "--json and the output - both write to standard output"),
        ("report rules.txt --json -o -", "--json and the output - both write to standard output"),
        (
            "learn data.csv --json --to json",
            "--json and the output - both write to standard output",
        ),
    ],
)
def test_invalid_uses_of_standard_output_are_rejected(run, here, command, message):
    status, out, err = run(*command.split())
    assert (status, out) == (2, "")
    assert err.startswith(f"irenic: {message}")
    assert err.count("\n") == 1
    assert not Path("-").exists()


def test_commands_work_in_a_pipe(feed, here):
    status, mended, _ = feed(
        CONTRADICTING, *["repair", "-", "--from", "txt", "--to", "json", "--how", "trim"]
    )
    assert status == 0
    status, out, err = feed(mended, *["convert", "-", "-", "--from", "json", "--to", "csv"])
    assert (status, out.splitlines()[0]) == (0, "age,then")
    assert err == "2 rules written to standard output\n"
