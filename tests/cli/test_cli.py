from __future__ import annotations

import importlib
import os
import subprocess
import sys

import pytest
from typer.main import get_group
from typer.testing import CliRunner

import irenic
from documents import of_kind, only_table, region_of, validated
from irenic import cli
from irenic.formats.json import rules as json_rules

CONSISTENT = "IF age < 10 THEN child\nIF age >= 10 THEN adult\n"
CONTRADICTING = "IF age < 30 AND job in {nurse} THEN low\nIF age >= 29 THEN high\nDEFAULT none\n"


def shell(*arguments, **environment):
    return subprocess.run(
        [sys.executable, "-m", "irenic", *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, **environment},
        check=False,
    )


# --- the verdict


def test_consistent_rules_exit_with_0(run, file):
    status, out, err = run("check", file(CONSISTENT))
    assert (status, err) == (0, "")
    verdicts = (
        "Consistent: no two of the 2 rules contradict each other.\n"
        "Complete: every case is covered by a rule.\n"
    )
    assert out == verdicts
    assert run("check", file(CONSISTENT), "--verbose")[1] == (
        f"{verdicts}\nrule  if         then \n   1  age < 10   child\n   2  age >= 10  adult\n"
    )


def test_contradicting_rules_exit_with_1_and_list_the_conflicts(run, file):
    status, out, err = run("check", file(CONTRADICTING), "--verbose")
    assert (status, err) == (1, "")
    assert [line.rstrip() for line in out.splitlines()] == [
        "conflict     age = 29, job = nurse: rule 1 says low, rule 2 says high"
        " (wherever 29 <= age < 30 and job in {nurse})",
        "open         values of job that no rule names are not covered,"
        ' such as age = 10, job = "other"',
        "",
        "Not consistent: 1 contradiction among the 2 rules.",
        "Complete for the values that the rules name: other values of job are not covered; the"
        " default holds there.",
        "",
        "rule  if                           then",
        "   1  age < 30 and job in {nurse}  low",
        "   2  age >= 29                    high",
        "      otherwise                    none",
    ]


def test_several_conflicts_are_counted(run, file):
    status, out, _ = run("check", file("IF a < 5 THEN A\nIF a < 6 THEN B\nIF a < 7 THEN C\n"))
    assert status == 1
    assert out.count("conflict  ") == 3
    assert "\nNot consistent: 3 contradictions among the 3 rules.\n" in out


def test_a_single_rule_has_a_verdict(run, file):
    status, out, _ = run("check", file("IF a < 5 THEN A"))
    assert status == 0
    assert "\nConsistent: a single rule contradicts nothing.\n" in out


def test_long_lists_of_rules_and_conflicts_are_truncated(run, file):
    rules = "".join(f"IF a < {i} THEN L{i}\n" for i in range(1, 61))
    status, out, _ = run("check", file(rules), "--verbose")
    assert status == 1
    assert "… and 10 more rules" in out
    assert "conflict     … and 1,720 more (use --limit to list more)" in out
    assert "Not consistent: 1,770 contradictions among the 60 rules." in out


def test_the_example_is_checked_when_no_file_is_given(run):
    status, out, _ = run("check")
    assert status == 0
    assert out.startswith("No file given: using the example rules of irenic.\n\ngap")
    assert "\nConsistent: no two of the 4 rules contradict each other.\n" in out


# --- JSON


def test_json_has_the_documented_shape(run, file):
    status, out, _ = run("check", file(CONTRADICTING), "--json")
    assert status == 1
    table = only_table(out)
    assert table["size"] == {"features": 2, "rules": 2, "conditions": 3}
    assert table["verdicts"]["consistent"] == {
        "holds": False,
        "by_design": False,
        "head": "Not consistent",
        "text": "1 contradiction among the 2 rules.",
    }
    assert table["unfinished"] == []
    assert {kind: n for kind, n in table["counts"].items() if n} == {
        "conflicts": 1,
        "overlaps": 1,
        "open": 1,
    }
    conflict, other = table["findings"]
    assert conflict == {
        "kind": "conflicts",
        "noun": "conflict",
        "level": "error",
        "text": "age = 29, job = nurse: rule 1 says low, rule 2 says high"
        " (wherever 29 <= age < 30 and job in {nurse})",
        "rules": [1, 2],
        "by": [],
        "then": [{"value": "low", "text": "low"}, {"value": "high", "text": "high"}],
        "column": None,
        "columns": [],
        "line": 2,
        "place": "",
        "region": {
            "text": "29 <= age < 30 and job in {nurse}",
            "conditions": [
                {
                    "feature": "age",
                    "text": "29 <= age < 30",
                    "lower": {"value": 29, "text": "29", "open": False},
                    "upper": {"value": 30, "text": "30", "open": True},
                    "equal": None,
                    "missing": False,
                },
                {
                    "feature": "job",
                    "text": "job in {nurse}",
                    "values": [{"value": "nurse", "text": "nurse"}],
                    "negated": False,
                    "missing": False,
                    "other": False,
                },
            ],
            "box": {"age": [29.0, 30.0], "job": [2]},
        },
        "witness": {
            "text": "age = 29, job = nurse",
            "values": {"age": 29, "job": "nurse"},
            "case": {"age": 29, "job": 2},
        },
        "rows": None,
    }
    assert other["region"]["text"] == "age < 29 and job not in {nurse}"
    assert other["columns"] == ["job"]


def test_the_region_of_a_conflict_can_be_read_from_json(run, file):
    text = (
        "IF born <= 2000-01-31 AND c in {(1, x)} THEN A\nIF born > 1999-12-31 AND v > 0.1 THEN B\n"
    )
    status, out, _ = run("check", file(text), "--json")
    assert status == 1
    (conflict,) = of_kind(only_table(out), "conflicts")
    rules = irenic.read(file(text))
    assert region_of(conflict["region"], rules.space) == rules.conflicts()[0].region
    values = conflict["witness"]["values"]
    witness = {name: json_rules.decode_value(value) for name, value in values.items()}
    assert witness in rules.conflicts()[0].region


def test_json_has_one_shape_for_one_file_and_for_many(run, file, tmp_path):
    one, bad = file(CONTRADICTING, "one.rules"), file("IF", "bad.rules")
    alone = validated(run("check", one, "--json")[1])
    both = validated(run("check", one, bad, "--json")[1])
    assert [entry["path"] for entry in both["files"]] == [one, bad]
    assert both["files"][0] == alone["files"][0]
    assert validated(run("check", bad, "--json")[1])["files"] == both["files"][1:]
    assert both["files"][1]["tables"] == []
    (error,) = both["files"][1]["errors"]
    assert (error["line"], error["table"]) == (1, None)


def test_json_of_consistent_rules_lists_no_conflict(run, file):
    status, out, err = run("check", file(CONSISTENT), "--json")
    assert (status, err) == (0, "")
    table = only_table(out)
    assert (table["size"]["rules"], table["counts"]["conflicts"]) == (2, 0)
    assert table["verdicts"]["consistent"]["holds"] is True
    assert of_kind(table, "conflicts") == []


def test_json_of_the_example_contains_only_json(run):
    status, out, _ = run("check", "--json")
    assert status == 0
    assert only_table(out)["size"]["rules"] == 4


def test_json_lists_every_conflict(run, file):
    rules = "".join(f"IF a < {i} THEN L{i}\n" for i in range(1, 61))
    _, out, _ = run("check", file(rules), "--json")
    assert len(of_kind(only_table(out), "conflicts")) == 1770


# --- the space


def test_json_lists_at_most_limit_findings_and_counts_all(run, file):
    rules = "".join(f"IF a < {i} THEN L{i}\n" for i in range(1, 11))
    _, out, _ = run("check", file(rules), "--json", "--limit", "3")
    table = only_table(out)
    assert (len(of_kind(table, "conflicts")), table["counts"]["conflicts"]) == (3, 45)


def test_a_table_defines_the_kinds_of_features(run, file):
    rules = file("IF n <= 5 THEN A\nIF n > 5.5 AND n < 6 THEN B\n")
    assert run("check", rules)[0] == 0
    data = file("n,job\n1,nurse\n7,clerk\n", "people.csv")
    status, out, err = run("check", rules, "--data", data)
    assert (status, out) == (2, "")
    assert err == f"irenic: {rules}, line 2, column 16: the conditions on 'n' exclude each other\n"


def test_a_space_defines_the_values_of_features(run, file):
    rules = file("IF job in {nurs} THEN A\n")
    assert run("check", rules)[0] == 0
    space = file('{"version": 1, "space": [{"name": "job", "values": ["nurse"]}]}', "space.json")
    assert run("check", rules, "--space", space) == (
        2,
        "",
        f"irenic: {rules}, line 1, column 4: feature 'job': unknown value 'nurs'; did you mean"
        " 'nurse'?\n",
    )


def test_a_space_can_make_rules_consistent(run, file):
    rules = file("IF n < 2.5 THEN A\nIF n > 2.2 THEN B\n")
    assert run("check", rules)[0] == 1
    space = file('{"version": 1, "space": [{"name": "n", "kind": "integer"}]}', "space.json")
    assert run("check", rules, "--space", space)[0] == 0


# --- invalid input


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "a.rules",
            "IF a < 5 THEN A\n\nIF a <\n",
            ", line 3, column 7: expected a value, found the end of the line",
        ),
        (
            "a.json",
            '{"version": 1, "rules": [',
            ", line 1, column 26: not JSON: Expecting value (is the",
        ),
        ("a.json", '{"version": 7}', ': "version" must be 1, got 7; read the file'),
        (
            "a.pdf",
            "",
            ": no format for files that end in '.pdf' (known: '.csv', '.dmn', '.json', '.md',",
        ),
    ],
)
def test_an_invalid_file_exits_with_2_and_one_line(run, file, name, text, message):
    path = file(text, name)
    status, out, err = run("check", path)
    assert (status, out) == (2, "")
    assert err.startswith(f"irenic: {path}{message}")
    assert err.count("\n") == 1


def test_other_invalid_input_exits_with_2(run, file, tmp_path):
    rules = file(CONSISTENT)
    none = str(tmp_path / "none.rules")
    assert run("check", none) == (2, "", f"irenic: cannot read {none}: No such file or directory\n")
    empty = file('{"version": 1, "rules": []}', "empty.json")
    assert run("check", rules, "--space", empty) == (
        2,
        "",
        f'irenic: {empty}: no "space" in the file\n',
    )
    twice = file('{"version": 1, "space": [{"name": "a"}, {"name": "a"}]}', "twice.json")
    assert run("check", rules, "--space", twice) == (
        2,
        "",
        f"irenic: {twice}: two features are named 'a'; names must be unique\n",
    )
    data = file("age\n1\n", "people.csv")
    assert run("check", rules, "--data", data, "--space", empty) == (
        2,
        "",
        "irenic: --data and --space both define the space; use one of them\n",
    )
    assert run("check", rules, "--data", rules)[0] == 2


def test_an_unknown_option_exits_with_2():
    result = CliRunner().invoke(cli.app, ["check", "--jsn"])
    assert result.exit_code == 2
    assert "--jsn" in result.output


# --- help


def test_the_version_is_printed():
    result = CliRunner().invoke(cli.app, ["--version"])
    assert (result.exit_code, result.output) == (0, f"irenic {irenic.__version__}\n")


def test_help_contains_one_example_per_line():
    for arguments in (["--help"], ["check", "--help"], ["check", "-h"]):
        result = CliRunner().invoke(cli.app, arguments, env={"COLUMNS": "80"})
        assert result.exit_code == 0
        lines = [line.strip() for line in result.output.splitlines()]
        assert lines.index("Examples") > 0
        assert [line for line in lines if line.startswith("irenic check rules.txt ")]
        assert max(map(len, result.output.splitlines())) <= 80
    assert [line.split("  ")[0] for line in lines if line.startswith("irenic ")] == [
        "irenic check",
        "irenic check rules.txt",
        "irenic check loans.dmn fares.xlsx",
        "irenic check policies/ --format github",
        "irenic check fares.csv --outcome price",
        'irenic check fares.csv --ignore "Zone id"',
        "irenic check fares.xlsx --range B3:F20",
        "irenic check fares.csv --locale de",
        "irenic check rules.json --json",
        "irenic check rules.txt --data people.csv",
        "irenic check rules.txt --space space.json",
        "irenic check loans.dmn --fail-on gaps,conflicts",
        "irenic check policies/ --write-baseline accepted.json",
        "irenic check policies/ --baseline accepted.json",
        "irenic check rules.txt --watch",
    ]
    assert "0 the check passed, 1 it failed, 2 invalid input." in lines


def test_the_command_without_arguments_prints_its_help():
    result = CliRunner().invoke(cli.app, [])
    assert "Usage:" in result.output


# --- text output


def test_names_and_labels_are_printed_verbatim(run, file):
    text = (
        'IF "[red]x[/]" < 5 AND c in {"[bold]", ":smile:"} THEN "[green]yes[/] :smile: \\\\"\n'
        'IF "[red]x[/]" < 7 THEN "[/]"\n'
        'DEFAULT "[link=x]"\n'
    )
    status, out, _ = run("check", file(text), "--verbose")
    assert status == 1
    assert '"[red]x[/]" < 5 and c in {"[bold]", ":smile:"}' in out
    assert "[green]yes[/] :smile: \\" in out
    assert "rule 2 says [/]" in out
    assert "[link=x]" in out


def test_control_characters_in_labels_are_escaped(run, file):
    status, out, _ = run("check", file(r'IF a < 5 THEN "x\u001b[31my\nz"'), "--verbose")
    assert status == 0
    assert r'"x\u001b[31my\nz"' in out
    assert "\x1b" not in out


def test_a_set_of_labels_is_printed_in_the_notation_of_rules(run, file):
    _, out, _ = run("check", file("IF a < 5 THEN {b, a}"), "--verbose")
    assert "{a, b}" in out
    assert "frozenset" not in out


def test_long_rules_are_not_wrapped_in_a_pipe(run, file):
    names = [f"a_feature_of_a_long_name_{i}" for i in range(12)]
    condition = " and ".join(f"{name} <= 1.25" for name in names)
    text = f"IF {condition} THEN A\nIF {condition} THEN B"
    _, out, _ = run("check", file(text), "--verbose")
    assert out.count(condition) == 3


# --- as a process


def test_the_command_prints_plain_text_into_a_pipe(file):
    result = shell("check", file(CONTRADICTING))
    assert result.returncode == 1
    assert "\x1b" not in result.stdout
    assert result.stderr == ""
    assert "29 <= age < 30" in result.stdout


def test_no_color_overrides_force_color(file):
    path = file(CONTRADICTING)
    assert "\x1b[1;31m" in shell("check", path, FORCE_COLOR="1", NO_COLOR="").stdout
    assert "31m" not in shell("check", path, FORCE_COLOR="1", NO_COLOR="1").stdout


def test_gaps_are_a_table_on_a_terminal_and_plain_lines_in_a_pipe(file):
    path = file("IF 0 <= age < 10 THEN child\n")
    plain = shell("gaps", path).stdout
    assert plain.splitlines()[:2] == ["age < 0", "age >= 10"]
    assert "\x1b" not in plain
    terminal = shell("gaps", path, FORCE_COLOR="1", NO_COLOR="").stdout
    assert "\x1b[33mNot complete\x1b[0m" in terminal
    uncolored = shell("gaps", path, FORCE_COLOR="1", NO_COLOR="1").stdout
    assert "33m" not in uncolored
    for text in (terminal, uncolored):
        assert "no rule covers" in text
        assert "age = 10" in text  # a case to try


def test_characters_that_the_output_cannot_encode_are_escaped(file):
    path = file('IF a < 5 THEN "été"\nIF a < 6 THEN B')
    plain = shell("check", path, PYTHONIOENCODING="ascii")
    assert plain.returncode == 1
    assert r"\xe9t\xe9" in plain.stdout
    found = shell("check", path, "--json", PYTHONIOENCODING="ascii")
    (conflict,) = of_kind(only_table(found.stdout), "conflicts")
    assert [then["value"] for then in conflict["then"]] == ["été", "B"]


def test_the_command_exits_quietly_when_its_reader_goes_away(file):
    path = file("".join(f"IF a < {i} THEN L{i}\n" for i in range(1, 200)))
    process = subprocess.Popen(
        [sys.executable, "-m", "irenic", "check", path, "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    process.stdout.read(10)
    process.stdout.close()
    errors = process.stderr.read()
    process.stderr.close()
    assert (process.wait(60), errors) == (141, b"")


def test_the_help_lists_every_command_with_its_own_summary():
    modules = {module for module, _ in cli.COMMANDS.values()}
    listed = {
        name
        for module in modules
        for name in get_group(importlib.import_module(f"irenic.cli.{module}").commands).commands
    }
    assert listed == set(cli.COMMANDS)
    for name, (_, summary) in cli.COMMANDS.items():
        assert cli.load(name).help.splitlines()[0] == summary


def test_the_help_is_printed_without_numpy():
    code = "import sys; from irenic import cli; cli.app(['--help'], standalone_mode=False)\n"
    code += "sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == 0
