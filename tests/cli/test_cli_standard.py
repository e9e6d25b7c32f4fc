"""``-``: standard input and standard output in place of files."""

from __future__ import annotations

import io
import json
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
SUFFIXES = ["txt", "json", "csv", "xlsx", "dmn"]
COMMANDS = [
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
]


@pytest.fixture(autouse=True)
def files(file, here):
    """Work in a folder with rules in every format, their space, and a table."""
    for name in (*(f"rules.{suffix}" for suffix in SUFFIXES), "space.json"):
        irenic.write(irenic.loads(RULES, format="rules"), name)
    for name, text in {"clash.txt": CONTRADICTING, "data.csv": DATA, "many.csv": MANY}.items():
        file(text, name)


# --- input


@pytest.mark.parametrize(
    ("command", "suffix"),
    [
        *(("check FILE", suffix) for suffix in SUFFIXES),
        *((command, SUFFIXES[place % 5]) for place, command in enumerate(COMMANDS)),
    ],
)
def test_rules_can_be_read_from_standard_input(run, feed, command, suffix):
    path = Path(f"rules.{suffix}")
    expected = run(command.replace("FILE", str(path)))
    assert expected[0] in (0, 1), expected
    found = feed(path.read_bytes(), f"{command.replace('FILE', '-')} --from {suffix}")
    found = [str(part).replace("<stdin>", str(path)) for part in found]
    # the name of a CSV file is that of its table, too
    parts = (0, 2) if suffix == "csv" else (0, 1, 2)
    assert [found[part] for part in parts] == [str(expected[part]) for part in parts]


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
def test_data_can_be_read_from_standard_input(run, feed, command):
    expected = run(command.replace("FILE", "data.csv"))
    assert expected[0] in (0, 1)
    found = feed(DATA, f"{command.replace('FILE', '-')} --from csv")
    assert tuple(str(part).replace("data.csv", "-") for part in expected) == tuple(map(str, found))


def test_learn_and_a_space_can_be_read_from_standard_input(feed):
    status, out, _ = feed(MANY, "learn - --from csv --cv 0 --budget 0.2 --json")
    assert (status, json.loads(out)["data"]["target"]) == (0, "group")
    assert feed(Path("space.json").read_bytes(), "check rules.txt --space -")[0] == 0


def test_errors_in_standard_input_have_a_location(feed):
    for raw, line, message in [
        ("IF age < THEN x", "merge - --from rules", "<stdin>, line 1, column 10: expected"),
        ("", "merge - --from rules", "<stdin>: no rules in the file; was it truncated?\n"),
        ('{"version": 1, "rules": []}', "check rules.txt --space -", '<stdin>: no "space" in the'),
    ]:
        status, _, err = feed(raw, line)
        assert status == 2
        assert err.startswith(f"irenic: {message}")


def test_invalid_uses_of_standard_input_and_output_are_rejected(feed):
    both = "--json and the output - both write to standard output"
    for line, message in {
        "check -": "standard input needs a format: --from csv|dmn|json|",
        "predict rules.txt -": "standard input needs a format: --from csv|csv.gz|",
        "check - --from cvs": "--from must be one of csv, dmn, ",
        "check rules.txt --from csv": "--from is the format of standard input, but no input",
        "learn data.csv --from csv": "--from is the format of standard input, but no input",
        "diff - - --from txt": "A and B are both -, but standard input can be read only once;",
        "predict - - --from csv": "RULES and DATA are both -, but",
        "report - - --from csv": "RULES and DATA are both -, but",
        "check - - --from csv": "FILE 1 and FILE 2 are both -, but",
        "check - --data - --from csv": "FILE 1 and --data are both -, but",
        "gaps - --space - --from csv": "RULES and --space are both -, but",
        "merge rules.txt --space - --from csv": "--space must be JSON, got --from csv",
        "repair - --data - --from csv": "IN and --data are both -, but",
        "convert - out.json --space - --from csv": "IN and --space are both -, but",
        "convert rules.txt -": "standard output needs a format: --to csv|dmn|",
        "convert rules.txt - --to jsn": "--to must be one of csv, dmn, json, ",
        "convert rules.txt x.json --to json": "--to is the format of standard output, but the",
        "predict rules.txt data.csv --to json": "--to must be one of csv, csv.gz, parquet, xlsx",
        "learn data.csv -o -": "standard output needs a format: --to json|rules|txt",
        "merge rules.txt --json -o -": both,
        "report rules.txt --json -o -": both,
        "learn data.csv --json --to json": both,
    }.items():
        status, out, err = feed(RULES, line)
        assert (status, out, err.count("\n")) == (2, "", 1), line
        assert err.startswith(f"irenic: {message}")
        assert not Path("-").exists()


# --- output


def invoke(line):
    """Run a command that writes bytes to standard output."""
    done = CliRunner().invoke(app, line.split())
    assert done.exit_code == 0
    return done


@pytest.mark.parametrize("form", ["csv", "dmn", "json", "py", "rules", "sql", "txt", "xlsx"])
def test_convert_writes_only_the_rules(form):
    done = invoke(f"convert rules.txt - --to {form}")
    assert done.stderr == "2 rules written to standard output\n"
    invoke(f"convert rules.txt out.{form}")
    if form == "xlsx":  # which contains the current time
        assert irenic.loads(done.stdout_bytes, format=form) == irenic.read("out.xlsx")
    else:
        name = "out" if form == "dmn" else ""
        expected = Path(f"out.{form}").read_bytes().replace(f'name="{name}"'.encode(), b"")
        assert done.stdout_bytes.replace(b'name="rules"', b"") == expected


@pytest.mark.parametrize("command", ["repair clash.txt", "complete rules.txt", "merge rules.txt"])
def test_only_the_changed_rules_are_written(run, command):
    for options in ("", "-o -", "--to json", "-o - --to json", "--to csv", "-o - --to csv"):
        status, text, err = run(f"{command} {options}")
        form = options.split()[-1] if "--to" in options else "rules"
        assert status == 0
        assert len(irenic.loads(text, format=form)) in (1, 2)
        assert err.strip()
        assert "written" not in err


def test_only_the_page_is_written(run):
    status, page, err = run("report rules.txt -o -")
    assert (status, err, page[:2], page.rstrip()[-7:]) == (0, "", "<!", "</html>")


@pytest.mark.parametrize("form", ["csv", "csv.gz", "parquet", "xlsx"])
def test_only_the_predictions_are_written(form):
    done = invoke(f"predict rules.txt data.csv -o - --to {form}")
    table = read_table(io.BytesIO(done.stdout_bytes), format=form)
    assert list(table["prediction"]) == ["child", "adult"]
    assert done.stderr == "irenic: columns not used by the rules: group\n"


@pytest.mark.parametrize("to", ["json", "rules"])
def test_only_the_learned_model_is_written(run, quick, to):
    status, out, err = run(f"learn many.csv --cv 0 -o - --to {to}")
    assert status == 0
    assert "Predicting the last column, 'group'" in err
    if to == "json":
        model = irenic.read_model(io.StringIO(out))
        assert list(model.rules_.predict({"age": [5, 20]})) == ["child", "adult"]
    else:
        assert irenic.loads(out, format="rules").space.names == ("age",)


def test_commands_work_in_a_pipe(feed):
    status, mended, _ = feed(CONTRADICTING, "repair - --from txt --to json --how trim")
    assert status == 0
    status, out, err = feed(mended, "convert - - --from json --to csv")
    assert (status, out.splitlines()[0]) == (0, "age,then")
    assert err == "2 rules written to standard output\n"
