"""``irenic prove`` and ``irenic verify``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import z3

import irenic
import irenic.proving

LOANS = """IF age < 18 THEN refuse
IF age >= 18 AND debt > 0 THEN refuse
IF age >= 18 AND debt <= 0 THEN accept
"""
MINORS = "NEVER accept WHERE age < 18"
PROVED = f"proved: {MINORS}\n"


@pytest.fixture(autouse=True)
def loans(file):
    file(LOANS, "loans.txt")


def test_properties_are_proved_or_refuted(run):
    assert run("prove loans.txt", MINORS, "refuse ONLY IF age < 20") == (
        1,
        f"{PROVED}refuted: refuse ONLY IF age < 20: refuse (rule 2) at age = 30, debt = 0.5\n"
        "1 of 2 proved.\n",
        "",
    )
    assert run("prove loans.txt", "NEVER nothing")[:2] == (0, "proved: NEVER nothing\n")


def test_properties_stand_beside_the_rules(run, refused, file):
    assert "no properties given, and there is no file" in refused("prove loans.txt")
    file(f"# minors\n{MINORS}  # by law\n", "loans.properties")
    assert run("prove loans.txt")[:2] == (0, f"proved: {MINORS}  # by law\n")
    file("NEVER acept\n", "other.txt")
    assert refused("prove loans.txt --properties other.txt") == (
        "NEVER acept: no rule has the outcome acept; did you mean 'accept'? to ask about"
        " it, write outcome in {acept}"
    )


def test_json_matches_the_schema(document, file):
    file(LOANS.replace("18", "21"), "old.txt")
    found = document("prove loans.txt 'SAME AS old.txt' 'NEVER nothing'")
    first, second = found["properties"]
    assert [(case["rules"], case["outcome"]["text"]) for case in first["cases"]] == [
        ([3], "accept"),
        ([1], "refuse"),
    ]
    assert (second["verdict"], second["cases"]) == ("proved", [])


def test_a_budget_can_run_out(run, file):
    file("".join(f"IF f{i} > 0 THEN A\n" for i in range(9)))
    status, out, _ = run("prove my.rules --budget 0", "outcome DOES NOT DEPEND ON f1")
    assert status == 1
    assert out.startswith("unknown: outcome DOES NOT DEPEND ON f1: stopped by seconds after")


def test_certificates_are_verified(run, refused, file):
    run("prove loans.txt --certificate proof.json", MINORS, "NEVER refuse")
    assert run("verify proof.json loans.txt")[:2] == (0, f"{PROVED}1 claim verified.\n")
    assert run("check loans.txt --certificate proof.json")[::2] == (
        0,
        "irenic: certified in proof.json: consistent and complete\n",
    )
    assert run("verify proof.json loans.txt")[1].endswith("2 claims verified.\n")
    file(LOANS.replace("debt <= 0", "debt <= 1"), "other.txt")
    rejected = "Rejected: CONSISTENT: node 0: rules 2 and 3 are not shown to be apart\n"
    assert run("verify proof.json other.txt")[:2] == (1, rejected)
    assert run("verify loans.txt loans.txt")[0] == 2
    message = "--certificate is about one table, got 2"
    assert message in run("check loans.txt other.txt --certificate two.json")[2]


def test_comments_of_a_certificate_are_not_printed(run, file):
    path = file("IF age < 18 THEN free\nIF age >= 20 THEN full\n", "gap.txt")
    document = irenic.proving.certify(irenic.read(path), ["NEVER full WHERE age < 18"])
    document["certificates"][0]["claim"] += "  # \x1b[2K" + " " * 80 + "\nproved: COMPLETE"
    file(json.dumps(document), "proof.json")
    printed = "proved: NEVER full WHERE age < 18\n1 claim verified.\n"
    assert run("verify proof.json gap.txt")[:2] == (0, printed)


def test_a_certificate_without_claims_verifies_nothing(refused, file):
    for certificates in ([], None, {}, "", 10**400):
        document = {"format": "irenic certificate", "version": 1, "certificates": certificates}
        file(json.dumps(document), "proof.json")
        err = refused("verify proof.json loans.txt")
        assert '"certificates" must be a list of at least one claim, got' in err
        assert len(err) < 190


def test_questions_are_exported_for_solvers(run):
    run("prove loans.txt --smtlib loans.smt2", MINORS, "NEVER refuse")
    answers = []
    for number in (1, 2):
        solver = z3.Solver()
        solver.from_string(Path(f"loans-{number}.smt2").read_text())
        answers.append(str(solver.check()))
    assert answers == ["unsat", "sat"]


def test_errors_name_the_property(refused):
    for text, message in {
        "NEVER": "column 6: expected a value, found the end of the line",
        "NEVER accept WHERE agee < 5": (
            "NEVER accept WHERE agee < 5: unknown feature 'agee'; did you mean 'age'?"
        ),
        "SAME AS nowhere.txt": "cannot read nowhere.txt: No such file or directory",
        "NEVER accept WHERE age < 5 min": (
            "unexpected 'min' after a number; write numbers without"
        ),
        "days off INCREASES WITH age": "put names of more than one word in quotes",
    }.items():
        assert message in refused("prove loans.txt", "NEVER nothing", text)


def test_an_earlier_version_is_read_with_the_same_options(run, file):
    file(LOANS.replace("debt <= 0", "debt <= 1"), "old.txt")
    assert run("prove loans.txt 'SAME AS old.txt'")[0] == 2
    assert run("prove loans.txt 'SAME AS old.txt' --hit-policy FIRST")[0] == 0
    text = "age,fee,why\n< 18,1,young\n>= 18,2,old\n"
    file(text, "new.csv")
    file(text.replace("2", "3"), "old.csv")
    line = "prove new.csv --outcome fee --outcome why"
    status, out, _ = run(line, "SAME AS old.csv", "SAME AS old.csv WHERE age < 9")
    assert status == 1
    assert "(2, old) (rule 2), but there (3, old) (rule 2) at age" in out
    assert out.endswith("1 of 2 proved.\n")
