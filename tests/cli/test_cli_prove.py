"""``irenic prove`` and ``irenic verify``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import z3

import irenic
import irenic.proving
from documents import validated

LOANS = """IF age < 18 THEN refuse
IF age >= 18 AND debt > 0 THEN refuse
IF age >= 18 AND debt <= 0 THEN accept
"""


def test_properties_are_proved_or_refuted(run, file):
    path = file(LOANS, "loans.txt")
    found = run("prove", path, "NEVER accept WHERE age < 18", "refuse ONLY IF age < 20")
    assert found == (
        1,
        "proved: NEVER accept WHERE age < 18\n"
        "refuted: refuse ONLY IF age < 20: refuse (rule 2) at age = 30, debt = 0.5\n"
        "1 of 2 proved.\n",
        "",
    )
    assert run("prove", path, "NEVER nothing")[:2] == (0, "proved: NEVER nothing\n")


def test_properties_stand_beside_the_rules(run, file):
    path = file(LOANS, "loans.txt")
    assert "no properties given, and there is no file" in run("prove", path)[2]
    file("# minors\nNEVER accept WHERE age < 18  # by law\n", "loans.properties")
    assert run("prove", path)[:2] == (0, "proved: NEVER accept WHERE age < 18  # by law\n")
    other = file("NEVER acept\n", "other.txt")
    assert run("prove", path, "--properties", other) == (
        2,
        "",
        "irenic: NEVER acept: no rule has the outcome acept; did you mean 'accept'? to ask about"
        " it, write outcome in {acept}\n",
    )


def test_json_matches_the_schema(run, file):
    old = file(LOANS.replace("18", "21"), "old.txt")
    path = file(LOANS, "loans.txt")
    status, out, _ = run("prove", path, "SAME AS old.txt", "NEVER nothing", "--json")
    assert status == 1
    first, second = validated(out)["properties"]
    assert [case["rules"] for case in first["cases"]] == [[3], [1]]
    assert [case["outcome"]["text"] for case in first["cases"]] == ["accept", "refuse"]
    assert (second["verdict"], second["cases"]) == ("proved", [])
    assert Path(old).exists()


def test_a_budget_can_run_out(run, file):
    path = file("".join(f"IF f{i} > 0 THEN A\n" for i in range(9)))
    status, out, _ = run("prove", path, "outcome DOES NOT DEPEND ON f1", "--budget", "0")
    assert status == 1
    assert out.startswith("unknown: outcome DOES NOT DEPEND ON f1: stopped by seconds after")


def test_certificates_are_verified(run, file, tmp_path):
    path, proof = file(LOANS, "loans.txt"), str(tmp_path / "proof.json")
    run("prove", path, "NEVER accept WHERE age < 18", "NEVER refuse", "--certificate", proof)
    assert run("verify", proof, path)[:2] == (
        0,
        "proved: NEVER accept WHERE age < 18\n1 claim verified.\n",
    )
    status, _, err = run("check", path, "--certificate", proof)
    assert (status, err) == (0, f"irenic: certified in {proof}: consistent and complete\n")
    assert run("verify", proof, path)[1].endswith("2 claims verified.\n")
    other = file(LOANS.replace("debt <= 0", "debt <= 1"), "other.txt")
    status, out, _ = run("verify", proof, other)
    assert (status, out) == (
        1,
        "Rejected: CONSISTENT: node 0: rules 2 and 3 are not shown to be apart\n",
    )
    assert run("verify", path, path)[0] == 2


def test_comments_of_a_certificate_are_not_printed(run, file):
    path = file("IF age < 18 THEN free\nIF age >= 20 THEN full\n", "gap.txt")
    document = irenic.proving.certify(irenic.read(path), ["NEVER full WHERE age < 18"])
    document["certificates"][0]["claim"] += "  # \x1b[2K" + " " * 80 + "\nproved: COMPLETE"
    proof = file(json.dumps(document), "proof.json")
    assert run("verify", proof, path)[:2] == (
        0,
        "proved: NEVER full WHERE age < 18\n1 claim verified.\n",
    )


@pytest.mark.parametrize("certificates", [[], None, {}, "", 10**400], ids=lambda it: repr(it)[:9])
def test_a_certificate_without_claims_verifies_nothing(run, file, certificates):
    document = {"format": "irenic certificate", "version": 1, "certificates": certificates}
    status, out, err = run("verify", file(json.dumps(document), "proof.json"), file(LOANS))
    assert (status, out) == (2, "")
    assert '"certificates" must be a list of at least one claim, got' in err
    assert len(err) < 200


def test_a_certificate_is_about_one_table(run, file, tmp_path):
    paths = file(LOANS, "a.txt"), file(LOANS, "b.txt")
    err = run("check", *paths, "--certificate", str(tmp_path / "proof.json"))[2]
    assert "--certificate is about one table, got 2" in err


def test_questions_are_exported_for_solvers(run, file, tmp_path):
    path = file(LOANS, "loans.txt")
    out = tmp_path / "loans.smt2"
    run("prove", path, "NEVER accept WHERE age < 18", "NEVER refuse", "--smtlib", str(out))
    answers = []
    for number in (1, 2):
        solver = z3.Solver()
        solver.from_string((tmp_path / f"loans-{number}.smt2").read_text())
        answers.append(str(solver.check()))
    assert answers == ["unsat", "sat"]


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("NEVER", "column 6: expected a value, found the end of the line"),
        ("NEVER accept WHERE agee < 3", "unknown feature 'agee'; did you mean 'age'?"),
        ("SAME AS nowhere.txt", "cannot read nowhere.txt: No such file or directory"),
    ],
)
def test_invalid_properties_exit_with_2(run, file, argument, message):
    status, _, err = run("prove", file(LOANS, "loans.txt"), argument)
    assert status == 2
    assert message in err


def test_a_policy_holds_for_the_reference_too(run, file):
    file(LOANS.replace("debt <= 0", "debt <= 1"), "old.txt")
    path = file(LOANS, "loans.txt")
    assert run("prove", path, "SAME AS old.txt")[0] == 2
    assert run("prove", path, "SAME AS old.txt", "--hit-policy", "FIRST")[0] == 0


def test_errors_name_the_property(run, file):
    path = file(LOANS, "loans.txt")
    for text, message in [
        ("NEVER accept WHERE agee < 5", "NEVER accept WHERE agee < 5: unknown feature 'agee'; did"),
        (
            "NEVER accept WHERE age < 5 min",
            "unexpected 'min' after a number; write numbers without",
        ),
        ("days off INCREASES WITH age", "put names of more than one word in quotes"),
    ]:
        status, out, err = run("prove", path, "NEVER nothing", text)
        assert (status, out) == (2, "")
        assert message in err


def test_an_earlier_version_is_read_with_the_same_options(run, file):
    text = "age,fee,why\n< 18,1,young\n>= 18,2,old\n"
    new, options = file(text, "new.csv"), ("--outcome", "fee", "--outcome", "why")
    old = file(text.replace("2", "3"), "old.csv")
    status, out, _ = run(
        "prove", new, *options, f'SAME AS "{old}"', f'SAME AS "{old}" WHERE age < 9'
    )
    assert status == 1
    assert "(2, old) (rule 2), but there (3, old) (rule 2) at age" in out
    assert out.endswith("1 of 2 proved.\n")
