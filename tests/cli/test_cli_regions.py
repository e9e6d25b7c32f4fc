"""The commands that find regions: gaps, search and enlarge, and the gaps of check."""

from __future__ import annotations

import json
from functools import partial

import pytest

import irenic
from documents import of_kind, only_table
from irenic.searching import paths

PAPER = """\
IF 2 <= f1 < 5 AND 5 <= f2 < 9 THEN A
IF 6.5 <= f1 < 8.5 AND 5 <= f2 < 7 THEN B
IF 1 <= f1 < 9 AND 1 <= f2 < 3 THEN C
"""
COMPLETE = "IF age < 10 THEN child\nIF age >= 10 THEN adult\n"
GAP = "IF age < 10 THEN child\nIF age >= 12 THEN adult\n"
OPEN = "IF job in {nurse} THEN a\nIF job in {clerk} THEN b\n"
COVERED = (1, "There is no free region: rivals cover every case.\n")


@pytest.fixture(autouse=True)
def files(file):
    for name, text in {"paper": PAPER, "complete": COMPLETE, "gap": GAP, "open": OPEN}.items():
        file(text, f"{name}.txt")


def test_check_reports_gaps(run, document, file):
    status, out, _ = run("check gap.txt")
    assert status == 0
    assert "gap          age = 10: no rule applies (wherever 10 <= age < 12)\n" in out
    assert out.endswith("Not complete: no rule covers 1 region.\n")
    table = only_table(document("check gap.txt"))
    assert (table["verdicts"]["complete"]["holds"], table["unfinished"]) == (False, [])
    assert [gap["region"]["text"] for gap in of_kind(table, "gaps")] == ["10 <= age < 12"]
    file("IF age < 10 THEN child\nDEFAULT adult\n")
    assert "no rule covers 1 region; the default holds there." in run("check my.rules")[1]
    file("".join(f"IF {2 * i} <= x < {2 * i + 1} THEN A\n" for i in range(20)))
    note = "gap          … and 11 more (use --limit to list more)\n"
    assert note in run("check my.rules")[1]


def test_check_reports_that_a_set_is_complete(run, document):
    status, out, _ = run("check complete.txt")
    assert status == 0
    assert out.endswith("Complete: every case is covered by a rule.\n")
    table = only_table(document("check complete.txt"))
    assert table["verdicts"]["complete"]["holds"] is True
    assert (table["counts"]["gaps"], table["unfinished"]) == (0, [])


def test_completeness_can_be_unknown_with_a_budget_of_0(document, file):
    table = only_table(document("check paper.txt --budget 0"))
    assert table["verdicts"]["complete"]["holds"] in (None, False)
    file("".join(f"IF a{i} < 1 AND b{i} < 1 THEN A\n" for i in range(14)))
    assert "gaps" in only_table(document("check my.rules --budget 0 --limit 1"))["unfinished"]


def test_other_values_of_a_category_are_gaps_only_if_they_are_declared(run, document, file):
    verdict = "Complete for the values that the rules name: other values of job are not covered.\n"
    assert run("gaps open.txt")[:2] == (0, verdict)
    found = document("gaps open.txt")
    assert (found["count"], found["open"]["columns"]) == (0, ["job"])
    job = {"name": "job", "values": ["nurse", "clerk"], "other": True}
    file(json.dumps({"space": [job], "rules": [], "version": 1}), "space.json")
    assert run("gaps open.txt --space space.json")[:2] == (
        1,
        "job not in {nurse, clerk}\n\nNot complete: no rule covers 1 region.\n",
    )


def test_gaps_of_a_complete_set_exit_with_0(run, document):
    assert run("gaps complete.txt")[:2] == (0, "Complete: every case is covered by a rule.\n")
    verdict = {"holds": True, "by_design": False, "head": "Complete"}
    assert document("gaps complete.txt") == {
        "format": "irenic gaps",
        "version": 3,
        "verdict": verdict | {"text": "every case is covered by a rule."},
        "count": 0,
        "regions": [],
        "open": None,
        "finished": True,
        "stopped_by": None,
    }


def test_a_long_list_of_gaps_is_truncated(run, document, file):
    found = document("gaps paper.txt --limit 2")
    assert (len(found["regions"]), found["count"] > 2) == (2, True)
    file("".join(f"IF a{i} < 1 AND b{i} < 1 THEN x\n" for i in range(6)))
    out = run("gaps my.rules --limit 5")[1]
    assert len(out.splitlines()) == 8
    assert "… and 59 more (use --limit 64 to list all)" in out
    assert out.endswith("Not complete: no rule covers 64 regions.\n")


def test_search_prints_the_regions_of_the_paper(run, document):
    assert run("search paper.txt") == (0, "f1 < 1\n", "")
    status, out, _ = run("search paper.txt --all --maximal")
    assert status == 0
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
    found = document("search paper.txt")
    assert [region["text"] for region in found["regions"]] == ["f1 < 1"]
    assert (found["finished"], found["stopped_by"], "paths" in found) == (False, "regions", False)


def test_random_state_makes_a_random_search_repeatable(run, refused):
    search = partial(run, "search paper.txt --order random --random-state")
    assert search("3") == search("3")
    assert len({search(str(i)) for i in range(9)}) > 2
    message = "random_state must be None, a non-negative integer or a numpy generator, got -3"
    assert message in refused("search paper.txt --order random --random-state -3")


def test_search_prints_the_paths_of_the_paper(run, document):
    rules = irenic.loads(PAPER, format="rules")
    assert run("search paper.txt --paths") == (0, "{C[1,1], C[2,1], C[3,1]}: f1 < 1\n", "")
    status, out, _ = run("search paper.txt --paths --all")
    assert (status, out.splitlines()) == (0, [str(path) for path in paths(rules)])
    assert len(out.splitlines()) == 35
    drawn = run("search paper.txt --paths --order random --random-state 3")[1]
    assert drawn == f"{next(paths(rules, order='random', random_state=3))}\n"
    found = document("search paper.txt --paths --all")
    assert len(found["paths"]) == len(found["regions"]) == 35
    first = found["paths"][0]
    assert first["text"] == "{C[1,1], C[2,1], C[3,1]}: f1 < 1"
    assert [(c["rule"], c["test"], c["region"]["text"]) for c in first["constraints"]] == [
        (1, 1, "f1 < 2"),
        (2, 1, "f1 < 6.5"),
        (3, 1, "f1 < 1"),
    ]


def test_a_covered_space_has_no_free_region(run):
    assert run("search complete.txt --all")[:2] == COVERED
    assert run("search complete.txt --paths --all")[:2] == COVERED


def test_enlarge_prints_the_region_of_each_order(run, document):
    assert run("enlarge paper.txt --seed", "f1=5.5, f2=8")[1] == "f1 >= 5 and f2 >= 7\n"
    assert run("enlarge paper.txt --order f2,f1 --seed", "f1=5.5, f2=8")[:2] == (
        0,
        "5 <= f1 < 6.5 and f2 >= 3\n",
    )
    found = document("enlarge paper.txt --seed", "f1=5.5, f2=8")
    assert found["seed"] == {"f1": 5.5, "f2": 8}
    assert found["region"]["text"] == "f1 >= 5 and f2 >= 7"
    assert found["region"]["box"] == {"f1": [5.0, None], "f2": [7.0, None]}


def test_a_region_with_a_consequent_may_overlap_rules_that_agree(run, file):
    assert run("search complete.txt --consequent child")[1] == "age < 10\n"
    enlarged = run("enlarge paper.txt --consequent A --seed", "f1=3, f2=6")[1]
    assert enlarged == "f1 < 6.5 and f2 >= 3\n"
    assert run("enlarge paper.txt --consequent D --seed", "f1=5.5, f2=8") == (
        0,
        "f1 >= 5 and f2 >= 7\n",
        "irenic: no rule predicts 'D' (known: 'A', 'B', 'C'); every rule is a rival\n",
    )
    file("IF age < 10 THEN {x = true}\nIF age >= 50 THEN {y = true}\n")
    assert run("enlarge my.rules --seed age=5 --consequent", "{y = false}")[1] == "age < 50\n"
    assert run("search my.rules --consequent", "{x = true, z = true}")[1] == "anything\n"


def test_invalid_arguments_are_one_line(refused):
    for line, message in {
        "enlarge paper.txt": 'a seed is required: --seed "f1=…, f2=…"',
        "enlarge paper.txt --seed f1=5.5": "the point has no value for 'f2', which is never miss",
        "enlarge paper.txt --seed 'f1=5.5, f3=1'": "unknown feature 'f3'",
        "enlarge paper.txt --seed 'f1=5.5, f1=6'": (
            "--seed, column 9: 'f1' appears twice in the point"
        ),
        "enlarge paper.txt --seed f1:5": "--seed, column 3: unexpected character ':'",
        "enlarge paper.txt --seed 'f1=x, f2=1'": "feature 'f1': 'x' is not a number",
        "enlarge paper.txt --seed f1=5,f2=8 --order f2,,": "--order, column 4: expected",
        "enlarge paper.txt --seed f1=5,f2=8 --order f9": "unknown feature 'f9'",
        "enlarge paper.txt --seed 'f1=3, f2=6'": (
            "the seed (f1 = 3, f2 = 6) is covered by rule 1 (IF 2 <= f1 < 5"
        ),
        "search paper.txt --order sideways": (
            "order must be lexicographic or random, got 'sideways'"
        ),
        "search paper.txt --paths --maximal": (
            "--paths and --maximal cannot be combined: the regions of paths are not"
        ),
    }.items():
        assert message in refused(line)


def test_values_of_rules_that_no_row_has_are_reported(run, file):
    file("age;job\n31;clerk\nNA;cook\n", "people.csv")
    file("IF job in {nurse} AND age < 30 THEN a\n")
    status, out, err = run("check my.rules --data people.csv")
    assert (status, err) == (0, "irenic: no row of people.csv has job = nurse\n")
    assert "age is missing" in out
