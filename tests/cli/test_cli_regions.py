"""The commands that find regions: gaps, search and enlarge, and the gaps of check."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import irenic
from documents import of_kind, only_table, validated
from irenic import cli
from irenic.searching import paths

PAPER = """\
IF 2 <= f1 < 5 AND 5 <= f2 < 9 THEN A
IF 6.5 <= f1 < 8.5 AND 5 <= f2 < 7 THEN B
IF 1 <= f1 < 9 AND 1 <= f2 < 3 THEN C
"""
COMPLETE = "IF age < 10 THEN child\nIF age >= 10 THEN adult\n"
OPEN = "IF job in {nurse} THEN a\nIF job in {clerk} THEN b\n"


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    """Run the command on rules given as text: exit status, output, errors."""

    def call(command, rules, *arguments):
        path = tmp_path / "my.rules"
        path.write_text(rules, encoding="utf-8")
        monkeypatch.setattr(sys, "argv", ["irenic", command, str(path), *arguments])
        with pytest.raises(SystemExit) as caught:
            cli.main()
        out, err = capsys.readouterr()
        return caught.value.code, out, err

    return call


def test_check_reports_gaps(run):
    code, out, _ = run("check", "IF age < 10 THEN child\nIF age >= 12 THEN adult\n")
    assert code == 0
    assert "gap          age = 10: no rule applies (wherever 10 <= age < 12)\n" in out
    assert out.endswith("Not complete: no rule covers 1 region.\n")


def test_check_reports_that_a_set_is_complete(run):
    code, out, _ = run("check", COMPLETE)
    assert code == 0
    assert out.endswith("Complete: every case is covered by a rule.\n")


def test_check_reports_that_the_default_holds_in_gaps(run):
    _, out, _ = run("check", "IF age < 10 THEN child\nDEFAULT adult\n")
    assert "no rule covers 1 region; the default holds there." in out


def test_check_lists_a_few_gaps_and_counts_all(run):
    rules = "".join(f"IF {2 * i} <= x < {2 * i + 1} THEN A\n" for i in range(20))
    _, out, _ = run("check", rules)
    assert "gap          … and 11 more (use --limit to list more)\n" in out


def test_check_in_json_has_gaps(run):
    code, out, _ = run("check", "IF age < 10 THEN child\nIF age >= 12 THEN adult\n", "--json")
    table = only_table(out)
    assert code == 0
    assert table["verdicts"]["complete"]["holds"] is False
    assert [gap["region"]["text"] for gap in of_kind(table, "gaps")] == ["10 <= age < 12"]
    assert table["unfinished"] == []


def test_check_in_json_of_a_complete_set(run):
    table = only_table(run("check", COMPLETE, "--json")[1])
    assert table["verdicts"]["complete"]["holds"] is True
    assert (table["counts"]["gaps"], table["unfinished"]) == (0, [])


def test_completeness_can_be_unknown_with_a_budget_of_0(run):
    code, out, _ = run("check", PAPER, "--json", "--budget", "0")
    assert code == 0
    assert only_table(out)["verdicts"]["complete"]["holds"] in (None, False)
    wide = "".join(f"IF a{i} < 1 AND b{i} < 1 THEN A\n" for i in range(14))
    assert "gaps" in only_table(run("check", wide, "--json", "--budget", "0")[1])["unfinished"]


def test_other_values_of_a_category_are_gaps_only_if_they_are_declared(run, tmp_path):
    verdict = "Complete for the values that the rules name: other values of job are not covered.\n"
    assert run("gaps", OPEN)[:2] == (0, verdict)
    found = validated(run("gaps", OPEN, "--json")[1])
    assert (found["count"], found["open"]["columns"]) == (0, ["job"])
    job = {"name": "job", "values": ["nurse", "clerk"], "other": True}
    space = tmp_path / "space.json"
    space.write_text(json.dumps({"space": [job], "rules": [], "version": 1}), encoding="utf-8")
    code, out, _ = run("gaps", OPEN, "--space", str(space))
    assert code == 1
    assert out == "job not in {nurse, clerk}\n\nNot complete: no rule covers 1 region.\n"


def test_gaps_of_a_complete_set_exit_with_0(run):
    assert run("gaps", COMPLETE)[:2] == (0, "Complete: every case is covered by a rule.\n")


def test_gaps_in_json(run):
    code, out, _ = run("gaps", COMPLETE, "--json")
    assert code == 0
    assert validated(out) == {
        "format": "irenic gaps",
        "version": 3,
        "verdict": {
            "holds": True,
            "by_design": False,
            "head": "Complete",
            "text": "every case is covered by a rule.",
        },
        "count": 0,
        "regions": [],
        "open": None,
        "finished": True,
        "stopped_by": None,
    }
    found = validated(run("gaps", PAPER, "--json", "--limit", "2")[1])
    assert (len(found["regions"]), found["count"] > 2) == (2, True)


def test_search_prints_the_papers_first_region(run):
    assert run("search", PAPER) == (0, "f1 < 1\n", "")


def test_search_finds_all_maximal_regions(run):
    code, out, _ = run("search", PAPER, "--all", "--maximal")
    assert code == 0
    assert set(out.splitlines()) == {
        "f1 < 1",
        "f1 >= 9",
        "f2 < 1",
        "f2 >= 9",
        "3 <= f2 < 5",
        "f1 < 2 and f2 >= 3",
        "5 <= f1 < 6.5 and f2 >= 3",
        "f1 >= 8.5 and f2 >= 3",
        "f1 >= 5 and f2 >= 7",
    }


def test_random_state_makes_a_random_search_repeatable(run):
    first = run("search", PAPER, "--order", "random", "--random-state", "3")
    assert first == run("search", PAPER, "--order", "random", "--random-state", "3")
    others = {run("search", PAPER, "--order", "random", "--random-state", str(i)) for i in range(9)}
    assert len(others) > 2


def test_search_of_a_covered_space_exits_with_1(run):
    code, out, _ = run("search", COMPLETE, "--all")
    assert (code, out) == (
        1,
        "There is no free region: rivals cover every case.\n",
    )


def test_search_with_a_consequent_may_overlap_rules_that_agree(run):
    assert run("search", COMPLETE, "--consequent", "child")[1] == "age < 10\n"


def test_search_prints_the_paths_of_the_paper(run):
    assert run("search", PAPER, "--paths") == (0, "{C[1,1], C[2,1], C[3,1]}: f1 < 1\n", "")
    code, out, _ = run("search", PAPER, "--paths", "--all")
    assert code == 0
    assert out.splitlines() == [str(path) for path in paths(irenic.loads(PAPER, format="rules"))]
    assert len(out.splitlines()) == 35
    drawn = run("search", PAPER, "--paths", "--order", "random", "--random-state", "3")[1]
    rules = irenic.loads(PAPER, format="rules")
    assert drawn == f"{next(paths(rules, order='random', random_state=3))}\n"


def test_search_in_json_lists_paths_with_their_constraints(run):
    found = validated(run("search", PAPER, "--paths", "--all", "--json")[1])
    assert len(found["paths"]) == len(found["regions"]) == 35
    first = found["paths"][0]
    assert first["text"] == "{C[1,1], C[2,1], C[3,1]}: f1 < 1"
    assert [(c["rule"], c["test"], c["region"]["text"]) for c in first["constraints"]] == [
        (1, 1, "f1 < 2"),
        (2, 1, "f1 < 6.5"),
        (3, 1, "f1 < 1"),
    ]
    assert "paths" not in validated(run("search", PAPER, "--json")[1])


def test_paths_of_a_covered_space_and_maximal_paths(run):
    code, out, _ = run("search", COMPLETE, "--paths", "--all")
    assert (code, out) == (1, "There is no free region: rivals cover every case.\n")
    code, _, err = run("search", PAPER, "--paths", "--maximal")
    assert code == 2
    assert "--paths and --maximal cannot be combined: the regions of paths are not" in err


def test_search_in_json(run):
    found = validated(run("search", PAPER, "--json")[1])
    assert [region["text"] for region in found["regions"]] == ["f1 < 1"]
    assert (found["finished"], found["stopped_by"]) == (False, "regions")


def test_enlarge_prints_the_region_of_each_order(run):
    assert run("enlarge", PAPER, "--seed", "f1=5.5, f2=8")[1] == "f1 >= 5 and f2 >= 7\n"
    code, out, _ = run("enlarge", PAPER, "--seed", "f1=5.5, f2=8", "--order", "f2,f1")
    assert (code, out) == (0, "5 <= f1 < 6.5 and f2 >= 3\n")


def test_enlarge_in_json(run):
    out = run("enlarge", PAPER, "--seed", "f1=5.5, f2=8", "--json")[1]
    found = validated(out)
    assert found["seed"] == {"f1": 5.5, "f2": 8}
    assert found["region"]["text"] == "f1 >= 5 and f2 >= 7"
    assert found["region"]["box"] == {"f1": [5.0, None], "f2": [7.0, None]}


def test_a_consequent_can_decide_some_labels(run):
    heads = "IF age < 10 THEN {x = true}\nIF age >= 50 THEN {y = true}\n"
    out = run("enlarge", heads, "--seed", "age=5", "--consequent", "{y = false}")[1]
    assert out == "age < 50\n"
    assert run("search", heads, "--consequent", "{x = true, z = true}")[1] == "anything\n"


def test_enlarge_with_a_consequent_may_overlap_rules_that_agree(run):
    out = run("enlarge", PAPER, "--seed", "f1=3, f2=6", "--consequent", "A")[1]
    assert out == "f1 < 6.5 and f2 >= 3\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], 'a seed is required: --seed "f1=…, f2=…"'),
        (["--seed", "f1=5.5"], "the point has no value for 'f2', which is never missing"),
        (["--seed", "f1=5.5, f3=1"], "unknown feature 'f3'"),
        (["--seed", "f1=5.5, f1=6"], "--seed, column 9: 'f1' appears twice in the point"),
        (["--seed", "f1:5"], "--seed, column 3: unexpected character ':'"),
        (["--seed", "f1=x, f2=1"], "feature 'f1': 'x' is not a number"),
        (["--seed", "f1=5.5, f2=8", "--order", "f2,,"], "--order, column 4: expected"),
        (["--seed", "f1=5.5, f2=8", "--order", "f9"], "unknown feature 'f9'"),
        (
            ["--seed", "f1=3, f2=6"],
            "the seed (f1 = 3, f2 = 6) is covered by rule 1 (IF 2 <= f1 < 5",
        ),
    ],
)
def test_invalid_input_of_enlarge_exits_with_2_and_one_line(run, arguments, message):
    code, out, err = run("enlarge", PAPER, *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_an_unknown_order_of_search_is_rejected(run):
    code, _, err = run("search", PAPER, "--order", "sideways")
    assert (code, err) == (2, "irenic: order must be lexicographic or random, got 'sideways'\n")


def test_a_consequent_that_no_rule_has_makes_every_rule_a_rival(run):
    code, out, err = run("enlarge", PAPER, "--seed", "f1=5.5, f2=8", "--consequent", "D")
    assert (code, out) == (0, "f1 >= 5 and f2 >= 7\n")
    assert err == "irenic: no rule predicts 'D' (known: 'A', 'B', 'C'); every rule is a rival\n"


def test_a_long_list_of_gaps_is_truncated(run):
    rules = "".join(f"IF a{i} < 1 AND b{i} < 1 THEN x\n" for i in range(6))
    _, out, _ = run("gaps", rules, "--limit", "5")
    assert len(out.splitlines()) == 8
    assert "… and 59 more (use --limit 64 to list all)" in out
    assert out.endswith("Not complete: no rule covers 64 regions.\n")


def test_a_negative_random_state_is_rejected(run):
    code, _, err = run("search", PAPER, "--order", "random", "--random-state", "-3")
    assert code == 2
    assert "random_state must be None, a non-negative integer or a numpy generator, got -3" in err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
def test_an_output_that_cannot_be_written_exits_with_2(tmp_path):
    path = tmp_path / "my.rules"
    path.write_text(COMPLETE)
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "irenic", "check", str(path)],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr == "irenic: cannot write the output: No space left on device\n"


def test_values_of_rules_that_no_row_has_are_reported(run, tmp_path):
    table = tmp_path / "people.csv"
    table.write_text("age;job\n31;clerk\nNA;cook\n")
    rules = "IF job in {nurse} AND age < 30 THEN a\n"
    code, out, err = run("check", rules, "--data", str(table))
    assert code == 0
    assert err == f"irenic: no row of {table} has job = nurse\n"
    assert "age is missing" in out
