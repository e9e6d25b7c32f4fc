"""``irenic test``, ``cases``, ``why``, ``impact`` and ``add``."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import irenic
from documents import NETWORK, validated

LOANS = """IF age < 18 THEN refuse
IF age >= 18 AND debt > 0 THEN refuse
IF age >= 18 AND debt <= 0 THEN accept
"""
MODEL = """<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" namespace="urn:m">
  <inputData id="i" name="Age"><variable name="Age" typeRef="number"/></inputData>
  <decision id="d" name="Fare"><variable name="Fare" typeRef="string"/>
    <informationRequirement><requiredInput href="#i"/></informationRequirement>
    <decisionTable hitPolicy="UNIQUE">
      <input><inputExpression typeRef="number"><text>Age</text></inputExpression></input>
      <output name="Fare"/>
      <rule><inputEntry><text>&lt; 18</text></inputEntry>
        <outputEntry><text>"half"</text></outputEntry></rule>
      <rule><inputEntry><text>&gt;= 18</text></inputEntry>
        <outputEntry><text>"full"</text></outputEntry></rule>
    </decisionTable>
  </decision>
</definitions>"""
KIT = """<testCases xmlns="http://www.omg.org/spec/DMN/20160719/testcase"
    xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
    xmlns:xsd="http://www.w3.org/2001/XMLSchema">
  <modelName>m.dmn</modelName>
  <testCase id="001">
    <inputNode name="Age"><value xsi:type="xsd:decimal">17</value></inputNode>
    <resultNode name="Fare"><expected><value xsi:type="xsd:string">half</value></expected>
    </resultNode>
  </testCase>
  <testCase id="002">
    <inputNode name="Age"><value xsi:type="xsd:decimal">18</value></inputNode>
    <resultNode name="Fare"><expected><value xsi:type="xsd:string">half</value></expected>
    </resultNode>
  </testCase>
</testCases>"""


# --- test and cases


def test_cases_pass_or_fail_with_the_deciding_rule(run, file):
    path = file(LOANS, "loans.txt")
    cases = file("age,debt,expected\n17,0,refuse\n18,0,refuse\n", "cases.csv")
    status, out, _ = run("test", path, cases)
    assert status == 1
    lines = out.splitlines()
    assert lines[0] == "case 2 fails: expected refuse, got accept by rule 3, at age = 18, debt = 0"
    assert lines[1] == "no case is decided by rule 2"
    assert lines[-1] == (
        "1 of 2 cases pass; they exercise 2 of 3 rules, 6 of 10 conditions, 6 of 15 bounds."
    )


@pytest.mark.parametrize("suffix", ["csv", "json", "xlsx", "parquet"])
def test_generated_cases_pass_and_exercise_everything(run, file, tmp_path, suffix):
    path, cases = file(LOANS, "loans.txt"), str(tmp_path / f"cases.{suffix}")
    assert run("cases", path, "-o", cases)[:2] == (0, f"6 cases written to {cases}\n")
    assert run("test", path, cases, "--coverage")[:2] == (
        0,
        "6 of 6 cases pass; they exercise 3 of 3 rules, 10 of 10 conditions, 15 of 15 bounds.\n",
    )
    other = file(LOANS.replace("debt <= 0", "debt < 0"), "other.txt")
    assert run("test", other, cases)[0] == 1


@pytest.mark.parametrize("outputs", ["f", "Outcome a,Outcome b"])
def test_cases_that_expect_no_outcome_are_counted(run, file, tmp_path, outputs):
    one = "x" if outputs == "f" else "x,y"
    path, cases = file(f"age,{outputs}\n[18..60),{one}\n", "t.csv"), str(tmp_path / "cases.csv")
    run("cases", path, "-o", cases)
    assert run("test", path, cases)[1] == (
        "6 of 6 cases pass (3 expect no outcome); they exercise 1 of 1 rules, 2 of 2 conditions, 6"
        " of 6 bounds.\n"
    )
    column = outputs.partition(",")[0]
    few = file(f"age,{outputs}\n17,{'' if outputs == 'f' else ','}\n30,{one}\n", "few.csv")
    out = run("test", path, few, *(("--label", column) if outputs == "f" else ()))[1]
    assert out.splitlines()[-1].startswith("2 of 2 cases pass (1 expects no outcome); ")


def test_cases_are_printed_as_csv(run, file):
    status, out, _ = run("cases", file("IF age < 18 THEN free\nDEFAULT full\n"))
    assert (status, out) == (0, "age,outcome\n18,full\n17.99,free\n19,full\n")


def test_coverage_can_be_required(run, file):
    path = file("IF age < 18 THEN free\nDEFAULT full\n")
    cases = file("age,outcome\n5,free\n", "cases.csv")
    assert run("test", path, cases)[0] == 0
    assert run("test", path, cases, "--coverage")[0] == 1


def test_the_results_of_cases_as_json(run, file):
    cases = file(
        '[{"age": 17, "debt": 0, "x": "refuse"}, {"age": 40, "debt": 3, "x": "a"}]', "c.json"
    )
    document = validated(run("test", file(LOANS, "l.txt"), cases, "--json")[1])
    assert [case["passed"] for case in document["cases"]] == [True, False]
    assert document["cases"][1]["rules"] == [2]
    assert (document["passed"], document["total"]["bounds"]) == (False, 15)


def test_cases_of_the_kit(run, file):
    path, cases = file(MODEL, "m.dmn"), file(KIT, "m-test-01.xml")
    assert run("test", path, cases)[:2] == (
        1,
        "case 002 fails: Fare: expected 'half', got 'full'\n"
        "no case is just above 18 in Age < 18 of rule 1\n"
        "no case is just above 18 in Age >= 18 of rule 2\n"
        "1 of 2 cases pass; they exercise 2 of 2 rules, 4 of 4 conditions, 4 of 6 bounds.\n",
    )
    document = validated(run("test", path, cases, "--json")[1])
    assert [(case["name"], case["passed"]) for case in document["cases"]] == [
        ("001", True),
        ("002", False),
    ]
    assert document["cases"][1]["values"] == {"Age": 18}
    assert document["covered"] == {"rules": 2, "conditions": 4, "bounds": 4}
    right = file(KIT.replace("18</value>", "16</value>"), "right.xml")
    assert run("test", path, right)[0] == 0
    assert run("test", path, right, "--coverage")[0] == 1
    assert run("test", path, right, "--table", "Fare")[0] == 0
    assert run("test", path, right, "--table", "Fair")[2] == (
        f"irenic: {right}: no case expects a result of 'Fair'; did you mean 'Fare'?\n"
    )
    assert "<testCases>" in run("test", path, file("<a/>", "a.xml"))[2]


@pytest.mark.parametrize(
    ("text", "name", "message"),
    [
        ("age\n", "c.csv", "no cases in the file"),
        ("{}", "c.json", 'cases must be a list such as [{"age": 17, …}]'),
        ("[", "c.json", "not JSON"),
        ("age,x\n5,free\n", "c.csv", "c.csv: the table has no column 'debt'"),
    ],
)
def test_invalid_cases_exit_with_2(run, file, text, name, message):
    status, _, err = run("test", file(LOANS, "loans.txt"), file(text, name))
    assert status == 2
    assert message in err


def test_an_unknown_label_is_named(run, file):
    cases = file("age,debt,x\n5,0,free\n", "c.csv")
    err = run("test", file(LOANS, "loans.txt"), cases, "--label", "y")[2]
    assert "unknown column 'y'" in err


# --- why


def test_a_decision_is_explained_with_the_smallest_change(run, file):
    path = file(LOANS, "loans.txt")
    assert run("why", path, "age = 17, debt = 0")[:2] == (
        0,
        "refuse, by rule 1, because age < 18\n"
        "It would be accept (rule 3) if age = 18 instead of 17.\n",
    )
    assert run("why", path, "age = 17, debt = 0", "--fixed", "age")[1].endswith(
        "No change of features leads elsewhere.\n"
    )
    document = validated(run("why", path, "age = 30, debt = 5", "--instead", "accept", "--json")[1])
    assert document["instead"]["values"] == {"age": 30, "debt": 0}
    assert document["region"]["text"] == "age >= 18 and debt > 0"


def test_rules_that_nearly_apply_are_named(run, file):
    path = file("IF age < 18 THEN free\nIF age >= 60 AND card in {true} THEN half\nDEFAULT full\n")
    lines = run("why", path, "age = 70, card = false")[1].splitlines()
    assert lines == [
        "full, by default, because age >= 18 and card in {false}",
        "It would be half (rule 2) if card = true instead of false.",
        "One condition away: free (rule 1) needs age < 18, but age = 70.",
    ]
    assert len(run("why", path, "age = 70, card = false", "--fixed", "age")[1].splitlines()) == 2
    lines = run("why", path, "age = 70, card = false", "--instead", "half")[1].splitlines()
    assert len(lines) == 2
    document = validated(run("why", path, "age = 70, card = false", "--json")[1])
    assert [miss["rule"] for miss in document["nearly"]] == [1, 2]
    assert document["nearly"][0]["condition"]["text"] == "age < 18"


def test_a_case_can_be_a_row_of_a_table(run, file):
    path = file(LOANS, "loans.txt")
    rows = file("name,age,debt\nAda,17,0\nBen,40,5\n", "people.csv")
    assert run("why", path, rows, "--row", "2")[1].splitlines()[0] == (
        "refuse, by rule 2, because age >= 18 and debt > 0"
    )
    status, _, err = run("why", path, rows, "--row", "3")
    assert status == 2
    assert "people.csv: --row must be at most 2, got 3" in err
    for table in (rows, "-"):
        message = f"irenic: CASE is a table, {table}; choose one of its rows with --row N\n"
        assert run("why", path, table) == (2, "", message)
    assert run("why", path, ", ".join(["age = 17"] * 500))[0] == 2  # too long for a name of a file


def test_no_change_is_needed_for_an_outcome_that_a_case_has(run, file):
    path = file("IF age < 18 THEN free\nIF age >= 60 THEN half\nDEFAULT full\n")
    assert run("why", path, "age = 40", "--instead", "full")[1].splitlines()[1:] == [
        "It is already decided so: full needs no change."
    ]
    assert run("why", path, "age = 9", "--instead", "full", "--fixed", "age")[1].splitlines()[
        1:
    ] == ["No change of features leads to full."]
    document = validated(run("why", path, "age = 40", "--instead", "full", "--json")[1])
    assert document["instead"]["values"] == document["case"]["values"] == {"age": 40}
    assert document["nearly"] == []


def test_values_may_rise_or_fall_only(run, file):
    path = file(LOANS, "loans.txt")
    case = "age = 17, debt = 0"
    assert "if age = 18 instead of 17" in run("why", path, case, "--only-up", "age")[1]
    assert "No change of features" in run("why", path, case, "--only-down", "age")[1]


def test_the_default_has_a_reason_too(run, file):
    path = file("IF age < 18 THEN free\nDEFAULT full\n")
    assert run("why", path, "age = 40")[1].splitlines()[0] == (
        "full, by default, because age >= 18"
    )


def test_invalid_questions_exit_with_2(run, file):
    path = file(LOANS, "loans.txt")
    assert "unknown feature 'agee'" in run("why", path, "agee = 17, debt = 0")[2]
    assert "CASE, column" in run("why", path, "age 17")[2]
    err = run("why", path, "age = 17, debt = 0", "--instead", "acept")[2]
    assert "no rule has the outcome acept; did you mean 'accept'?" in err


# --- impact


def test_the_impact_as_a_page(run, file, tmp_path):
    old, new = file(LOANS, "old.txt"), file(LOANS.replace("18", "21"), "new.txt")
    data, page = file("age,debt,sum\n17,0,10\n19,0,20\n", "past.csv"), tmp_path / "impact.html"
    status, out, _ = run("impact", old, new, data, "--amount", "sum", "--html", str(page))
    assert status == 1
    assert out.splitlines()[-1] == f"Written to {page}; open it in a browser."
    text = page.read_text("utf-8")
    assert "<title>new.txt, compared with old.txt</title>" in text
    embedded = re.search(r'<script type="application/json" id="summary">(.*?)</script>', text)
    impact = json.loads(embedded[1])["impact"]
    assert (impact["changed"], impact["amount_of"], len(impact["moves"])) == (1, "sum", 1)
    assert "are the same file" in run("impact", old, new, data, "--html", data)[2]


def test_the_impact_on_past_cases(run, file):
    old, new = file(LOANS, "old.txt"), file(LOANS.replace("18", "21"), "new.txt")
    data = file(
        "age,debt,sum,region\n17,0,10,north\n19,0,20,north\n20,0,40,south\n30,0,80,south\n",
        "past.csv",
    )
    status, out, _ = run("impact", old, new, data, "--amount", "sum", "--by", "region")
    assert (status, out.splitlines()) == (
        1,
        [
            "2 cases, amount 60: accept (rule 3) becomes refuse (rule 1) (for example rows 2, 3)",
            "region = south: 1 of 2 cases, sum 40.00",
            "region = north: 1 of 2 cases, sum 20.00",
            "2 of 4 cases change (50.00%), sum 60.00 of 150.00.",
        ],
    )
    document = validated(run("impact", old, new, data, "--json")[1])
    assert (document["changed"], document["moves"][0]["rows"]) == (2, [2, 3])
    assert (document["amount_of"], document["grouped_by"]) == (None, None)
    assert run("impact", old, old, data)[:2] == (0, "0 of 4 cases change (0.00%).\n")
    assert "--by: unknown column 'regio'" in run("impact", old, new, data, "--by", "regio")[2]


# --- add


def test_a_rule_that_contradicts_others_is_refused(run, file):
    path = file(LOANS, "loans.txt")
    status, out, _ = run("add", path, "IF age > 60 THEN accept", "--in-place")
    assert (status, out.splitlines()) == (
        1,
        [
            "contradiction: rule 2 says refuse, rule 4 says accept where age > 60 and debt > 0,"
            " for example at age = 90, debt = 0.5",
            "free part: IF age > 60 AND debt <= 0 THEN accept",
            "The rule was refused; --free adds the free part.",
        ],
    )
    assert Path(path).read_text() == LOANS
    status, out, _ = run("add", path, "IF age > 60 THEN accept", "--in-place", "--free")
    assert status == 0
    assert irenic.read(path)[3] == irenic.Rule.parse(
        "IF age > 60 AND debt <= 0 THEN accept", irenic.read(path).space
    )


def test_a_rule_without_contradictions_is_added(run, file, tmp_path):
    path = file("age,fare\n< 18,free\n", "fares.csv")
    out = tmp_path / "new.csv"
    status, said, _ = run("add", path, "IF age >= 60 THEN half", "-o", str(out))
    assert (status, said.splitlines()[-1]) == (0, f"1 rule added; 2 rules written to {out}")
    assert irenic.read(out).thens == ["free", "half"]
    document = validated(run("add", path, "IF age > 9 THEN free", "--json")[1])
    assert document["verdict"] == "1 rule added"


def test_a_rule_can_name_new_values_of_an_open_feature(run, file):
    path = file("IF job = cook THEN free\n", "jobs.txt")
    assert run("add", path, "IF job = nurse THEN half", "--in-place")[0] == 0
    assert Path(path).read_text().splitlines()[1].startswith("IF job in {nurse} THEN half")


def test_a_rule_must_fit_the_rules(run, file):
    path = file(LOANS, "loans.txt")
    assert "RULE, column 4: unknown feature 'agee'" in run("add", path, "IF agee > 6 THEN x")[2]


def test_cases_may_be_written_as_the_rules_are(run, file):
    rules = file("Age,Weight,Discount\n<18,-,50%\n>=18,<= 2.5,10%\n>=18,> 2.5,0\n", "rules.csv")
    cases = file("Age,Weight,Discount\n10,1.0,50%\n20,1.0,10%\n20,3.0,0\n", "cases.csv")
    status, out, _ = run("test", rules, cases)
    assert status == 0, out
    assert "3 of 3 cases pass" in out
    german = file("Gewicht;Preis\n<= 1,5;3,50\n> 1,5;5\n", "preise.csv")
    past = file("Gewicht;Ort;Betrag\n1,5;Kiel;100,50\n2;Ulm;7,25\n", "past.csv")
    assert run("impact", german, german, past)[0] == 0
    expected = file("Gewicht;Preis\n1,5;3,50\n2;5\n", "faelle.csv")
    status, out, _ = run("test", german, expected)
    assert (status, "2 of 2 cases pass" in out) == (0, True), out


def test_a_reason_in_a_model_of_several_tables_is_about_one_of_them(run, file):
    path = file(NETWORK, "net.dmn")
    assert run("why", path, "age = 20") == (
        2,
        "",
        f"irenic: {path}: a reason is about one table, but the model has 2 ('risk', 'answer');"
        " choose one with --table … and give the values of its own inputs, or decide cases through"
        " the whole model with irenic predict\n",
    )
    assert run("why", path, "age = 20", "--table", "answer") == (
        2,
        "",
        "irenic: unknown feature 'age' (known: 'risk')\n"
        "irenic: give the values of the inputs of 'answer', not of the whole model\n",
    )
    assert run("why", path, "risk = low", "--table", "answer")[1].startswith("yes, by rule 1")


def test_undisputed_cases_of_rules_that_contradict_each_other_are_explained(run, file):
    path = file("IF age < 18 THEN free\nIF age >= 17 AND age < 60 THEN half\nDEFAULT full\n")
    assert run("why", path, "age = 40") == (
        0,
        "half, by rule 2, because 18 <= age < 60\n"
        "It would be full (by default) if age = 60 instead of 40.\n"
        "One condition away: free (rule 1) needs age < 18, but age = 40.\n",
        "",
    )
    status, out, err = run("why", path, "age = 17")
    assert (status, out) == (2, "")
    assert err.startswith(
        "irenic: the rules contradict each other for this case: rule 1 says free, rule 2 says half;"
        " repair them, or let the first rule win with --hit-policy FIRST"
    )


def test_missing_values_are_proposed_only_on_request(run, file):
    path = file("IF derog is missing THEN yes\nIF derog < 1 THEN yes\nDEFAULT no\n")
    assert "derog = 0.99 instead of 7" in run("why", path, "derog = 7")[1]
    assert "derog = missing instead of 7" in run("why", path, "derog = 7", "--allow-missing")[1]


@pytest.mark.parametrize("blank", ["", "  ", "\t"])
def test_a_blank_outcome_expects_no_decision(run, file, blank):
    rules = file("age,fare\n< 18,free\n", "fares.csv")
    cases = file(f'age,fare\n17,free\n18,"{blank}"\n', "cases.csv")
    assert "2 of 2 cases pass (1 expects no outcome)" in run("test", rules, cases)[1]
