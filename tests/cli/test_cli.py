"""``irenic check`` on rules in words, and the help of all commands."""

from __future__ import annotations

import importlib

import pytest
from typer.main import get_group
from typer.testing import CliRunner

import irenic
from documents import of_kind, only_table, region_of
from irenic import cli
from irenic.formats.json import rules as json_rules

CONSISTENT = "IF age < 10 THEN child\nIF age >= 10 THEN adult\n"
CONTRADICTING = "IF age < 30 AND job in {nurse} THEN low\nIF age >= 29 THEN high\nDEFAULT none\n"


def nested(n):
    """Return rules of which each two contradict each other."""
    return "".join(f"IF a < {i} THEN L{i}\n" for i in range(1, n + 1))


# --- verdicts


def test_consistent_rules_exit_with_0(run, file):
    file(CONSISTENT)
    verdicts = (
        "Consistent: no two of the 2 rules contradict each other.\n"
        "Complete: every case is covered by a rule.\n"
    )
    assert run("check my.rules") == (0, verdicts, "")
    assert run("check my.rules --verbose")[1] == (
        f"{verdicts}\nrule  if         then \n   1  age < 10   child\n   2  age >= 10  adult\n"
    )


def test_contradicting_rules_exit_with_1_and_list_the_conflicts(run, file):
    file(CONTRADICTING)
    status, out, err = run("check my.rules --verbose")
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


def test_numbers_of_rules_and_conflicts_are_in_the_verdict(run, file):
    status, out, _ = run("check", file("IF a < 5 THEN A\nIF a < 6 THEN B\nIF a < 7 THEN C\n"))
    assert (status, out.count("conflict  ")) == (1, 3)
    assert "\nNot consistent: 3 contradictions among the 3 rules.\n" in out
    status, out, _ = run("check", file("IF a < 5 THEN A"))
    assert status == 0
    assert "\nConsistent: a single rule contradicts nothing.\n" in out


def test_long_lists_are_cut_off_but_in_json(run, document, file):
    file(nested(60))
    status, out, _ = run("check my.rules --verbose")
    assert status == 1
    assert "… and 10 more rules" in out
    assert "conflict     … and 1,720 more (use --limit to list more)" in out
    assert "Not consistent: 1,770 contradictions among the 60 rules." in out
    file(nested(20))
    assert len(of_kind(only_table(document("check my.rules")), "conflicts")) == 190
    table = only_table(document("check my.rules --limit 3"))
    assert (len(of_kind(table, "conflicts")), table["counts"]["conflicts"]) == (3, 190)


def test_the_example_is_checked_when_no_file_is_given(run, document):
    status, out, _ = run("check")
    assert status == 0
    assert out.startswith("No file given: using the example rules of irenic.\n\ngap")
    assert "\nConsistent: no two of the 4 rules contradict each other.\n" in out
    assert only_table(document("check"))["size"]["rules"] == 4


# --- JSON


def test_json_has_the_documented_shape(run, file):
    file(CONTRADICTING)
    status, out, _ = run("check my.rules --json")
    assert status == 1
    table = only_table(out)
    assert table["size"] == {"features": 2, "rules": 2, "conditions": 3}
    verdict = {"holds": False, "by_design": False, "head": "Not consistent"}
    text = "1 contradiction among the 2 rules."
    assert table["verdicts"]["consistent"] == verdict | {"text": text}
    assert table["unfinished"] == []
    counts = {kind: n for kind, n in table["counts"].items() if n}
    assert counts == {"conflicts": 1, "overlaps": 1, "open": 1}
    conflict, other = table["findings"]
    assert (conflict["kind"], conflict["level"]) == ("conflicts", "error")
    assert conflict["text"] == (
        "age = 29, job = nurse: rule 1 says low, rule 2 says high"
        " (wherever 29 <= age < 30 and job in {nurse})"
    )
    assert (conflict["rules"], conflict["line"], conflict["place"]) == ([1, 2], 2, "")
    assert [then["value"] for then in conflict["then"]] == ["low", "high"]
    assert conflict["region"]["box"] == {"age": [29.0, 30.0], "job": [2]}
    assert conflict["witness"]["values"] == {"age": 29, "job": "nurse"}
    age, job = conflict["region"]["conditions"]
    assert age["lower"] == {"value": 29, "text": "29", "open": False}
    assert age["upper"] == {"value": 30, "text": "30", "open": True}
    assert job["values"] == [{"value": "nurse", "text": "nurse"}]
    assert other["region"]["text"] == "age < 29 and job not in {nurse}"
    assert other["columns"] == ["job"]


def test_the_region_of_a_conflict_can_be_read_from_json(document, file):
    path = file(
        "IF born <= 2000-01-31 AND c in {(1, x)} THEN A\nIF born > 1999-12-31 AND v > 0.1 THEN B\n"
    )
    (conflict,) = of_kind(only_table(document("check my.rules")), "conflicts")
    rules = irenic.read(path)
    assert region_of(conflict["region"], rules.space) == rules.conflicts()[0].region
    values = conflict["witness"]["values"]
    witness = {name: json_rules.decode_value(value) for name, value in values.items()}
    assert witness in rules.conflicts()[0].region


def test_json_has_one_shape_for_one_file_and_for_many(document, file):
    file(CONTRADICTING, "one.rules")
    file("IF", "bad.rules")
    both = document("check one.rules bad.rules")["files"]
    assert [entry["path"] for entry in both] == ["one.rules", "bad.rules"]
    assert both[:1] == document("check one.rules")["files"]
    assert both[1:] == document("check bad.rules")["files"]
    assert both[1]["tables"] == []
    (error,) = both[1]["errors"]
    assert (error["line"], error["table"]) == (1, None)


def test_json_of_consistent_rules_lists_no_conflict(run, file):
    file(CONSISTENT)
    status, out, err = run("check my.rules --json")
    assert (status, err) == (0, "")
    table = only_table(out)
    assert (table["size"]["rules"], table["counts"]["conflicts"]) == (2, 0)
    assert table["verdicts"]["consistent"]["holds"] is True
    assert of_kind(table, "conflicts") == []


# --- the space


def space(file, feature):
    return file(f'{{"version": 1, "space": [{feature}]}}', "space.json")


def test_a_table_or_a_space_defines_kinds_and_values_of_features(run, refused, file):
    file("IF n <= 5 THEN A\nIF n > 5.5 AND n < 6 THEN B\n")
    file("n,job\n1,nurse\n7,clerk\n", "people.csv")
    assert run("check my.rules")[0] == 0
    assert refused("check my.rules --data people.csv") == (
        "my.rules, line 2, column 16: the conditions on 'n' exclude each other"
    )
    file("IF job in {nurs} THEN A\n")
    space(file, '{"name": "job", "values": ["nurse"]}')
    assert run("check my.rules")[0] == 0
    assert refused("check my.rules --space space.json") == (
        "my.rules, line 1, column 4: feature 'job': unknown value 'nurs'; did you mean 'nurse'?"
    )
    file("IF n < 2.5 THEN A\nIF n > 2.2 THEN B\n")
    space(file, '{"name": "n", "kind": "integer"}')
    assert run("check my.rules")[0] == 1
    assert run("check my.rules --space space.json")[0] == 0


# --- invalid input


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "a.rules",
            "IF a < 5 THEN A\n\nIF a <\n",
            ", line 3, column 7: expected a value, found the end of the line",
        ),
        ("a.json", '{"version": 1, "rules": [', ", line 1, column 26: not JSON: Expecting value"),
        ("a.json", '{"version": 7}', ': "version" must be 1, got 7; read the file'),
        ("a.pdf", "", ": no format for files that end in '.pdf' (known: '.csv', '.dmn', '.json',"),
    ],
)
def test_an_invalid_file_exits_with_2_and_one_line(refused, file, name, text, message):
    file(text, name)
    assert refused(f"check {name}").startswith(name + message)


def test_other_invalid_input_exits_with_2(run, refused, file):
    file(CONSISTENT)
    file("age\n1\n", "people.csv")
    twice = '{"version": 1, "space": [{"name": "a"}, {"name": "a"}]}'
    for name, text in {"empty": '{"version": 1, "rules": []}', "twice": twice}.items():
        file(text, f"{name}.json")
    for line, message in {
        "check none.rules": "cannot read none.rules: No such file or directory",
        "check my.rules --space empty.json": 'empty.json: no "space" in the file',
        "check my.rules --space twice.json": (
            "twice.json: two features are named 'a'; names must be unique"
        ),
        "check my.rules --data people.csv --space empty.json": (
            "--data and --space both define the space; use one of them"
        ),
    }.items():
        assert refused(line) == message
    assert run("check my.rules --data my.rules")[0] == 2
    result = CliRunner().invoke(cli.app, ["check", "--jsn"])
    assert result.exit_code == 2
    assert "--jsn" in result.output


# --- help


def test_the_version_and_the_help_are_printed():
    result = CliRunner().invoke(cli.app, ["--version"])
    assert (result.exit_code, result.output) == (0, f"irenic {irenic.__version__}\n")
    assert "Usage:" in CliRunner().invoke(cli.app, []).output


@pytest.mark.parametrize("line", ["--help", "check --help", "check -h", "learn -h", "predict -h"])
def test_help_fits_a_narrow_terminal_and_has_one_example_per_line(line):
    result = CliRunner().invoke(cli.app, line.split(), env={"COLUMNS": "80"})
    assert result.exit_code == 0
    lines = [line.strip() for line in result.output.splitlines()]
    assert lines.index("Examples") > 0
    assert max(map(len, result.output.splitlines())) <= 80
    command = line.split()[0].replace("--help", "check")
    assert any(line.startswith(f"irenic {command} ") for line in lines)


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


# --- text output


def test_names_and_labels_are_printed_verbatim(run, file):
    file(
        'IF "[red]x[/]" < 5 AND c in {"[bold]", ":smile:"} THEN "[green]yes[/] :smile: \\\\"\n'
        'IF "[red]x[/]" < 7 THEN "[/]"\n'
        'DEFAULT "[link=x]"\n'
    )
    status, out, _ = run("check my.rules --verbose")
    assert status == 1
    assert '"[red]x[/]" < 5 and c in {"[bold]", ":smile:"}' in out
    assert "[green]yes[/] :smile: \\" in out
    assert "rule 2 says [/]" in out
    assert "[link=x]" in out


def test_labels_and_long_rules_are_printed_on_one_line(run, file):
    file(r'IF a < 5 THEN "x\u001b[31my\nz"')
    status, out, _ = run("check my.rules --verbose")
    assert (status, r'"x\u001b[31my\nz"' in out, "\x1b" in out) == (0, True, False)
    file("IF a < 5 THEN {b, a}")
    out = run("check my.rules --verbose")[1]
    assert "{a, b}" in out
    assert "frozenset" not in out
    condition = " and ".join(f"a_feature_of_a_long_name_{i} <= 1.25" for i in range(12))
    file(f"IF {condition} THEN A\nIF {condition} THEN B")
    assert run("check my.rules --verbose")[1].count(condition) == 3
