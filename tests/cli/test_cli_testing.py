"""``irenic test``, ``cases``, ``why``, ``impact`` and ``add``."""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import Path

import pytest

import irenic
from documents import NETWORK

LOANS = """IF age < 18 THEN refuse
IF age >= 18 AND debt > 0 THEN refuse
IF age >= 18 AND debt <= 0 THEN accept
"""
FREE = "IF age < 18 THEN free\nDEFAULT full\n"
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
CASE = """<testCase id="{id}">
  <inputNode name="Age"><value xsi:type="xsd:decimal">{age}</value></inputNode>
  <resultNode name="Fare"><expected><value xsi:type="xsd:string">half</value></expected>
  </resultNode></testCase>"""


def kit(**ages):
    """Return cases of the DMN kit that expect half fares."""
    cases = "".join(CASE.format(id=number[1:], age=age) for number, age in ages.items())
    return f"""<testCases xmlns="http://www.omg.org/spec/DMN/20160719/testcase"
      xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
      xmlns:xsd="http://www.w3.org/2001/XMLSchema"><modelName>m.dmn</modelName>{cases}
      </testCases>"""


@pytest.fixture(autouse=True)
def loans(file):
    file(LOANS, "loans.txt")
    file(FREE, "free.txt")


@pytest.fixture
def why(run):
    """Ask why: the lines of the answer."""
    return lambda words, case, *more: run(f"why {words}", case, *more)[1].splitlines()


# --- test and cases


def test_cases_pass_or_fail_with_the_deciding_rule(run, document, file):
    file("age,debt,expected\n17,0,refuse\n18,0,refuse\n", "cases.csv")
    status, out, _ = run("test loans.txt cases.csv")
    lines = out.splitlines()
    assert status == 1
    assert lines[0] == "case 2 fails: expected refuse, got accept by rule 3, at age = 18, debt = 0"
    assert lines[1] == "no case is decided by rule 2"
    assert lines[-1] == (
        "1 of 2 cases pass; they exercise 2 of 3 rules, 6 of 10 conditions, 6 of 15 bounds."
    )
    rows = '[{"age": 17, "debt": 0, "x": "refuse"}, {"age": 40, "debt": 3, "x": "a"}]'
    file(rows, "cases.json")
    found = document("test loans.txt cases.json")
    assert [case["passed"] for case in found["cases"]] == [True, False]
    assert found["cases"][1]["rules"] == [2]
    assert (found["passed"], found["total"]["bounds"]) == (False, 15)


@pytest.mark.parametrize("suffix", ["csv", "json", "xlsx", "parquet"])
def test_generated_cases_pass_and_exercise_everything(run, file, suffix):
    cases = f"cases.{suffix}"
    assert run(f"cases loans.txt -o {cases}")[:2] == (0, f"6 cases written to {cases}\n")
    assert run(f"test loans.txt {cases} --coverage")[:2] == (
        0,
        "6 of 6 cases pass; they exercise 3 of 3 rules, 10 of 10 conditions, 15 of 15 bounds.\n",
    )
    file(LOANS.replace("debt <= 0", "debt < 0"), "other.txt")
    assert run(f"test other.txt {cases}")[0] == 1


@pytest.mark.parametrize(
    ("outputs", "one", "none", "option"),
    [("f", "x", "", "--label f"), ("Outcome a,Outcome b", "x,y", ",", "")],
)
def test_cases_that_expect_no_outcome_are_counted(run, file, outputs, one, none, option):
    row = "outcome," * len(outputs.split(","))
    file(f"age,{outputs}\n,{row[:-1]}\n[18..60),{one}\n", "t.csv")
    run("cases t.csv -o cases.csv")
    assert run("test t.csv cases.csv")[1] == (
        "6 of 6 cases pass (3 expect no outcome); they exercise 1 of 1 rules, 2 of 2 conditions, 6"
        " of 6 bounds.\n"
    )
    file(f"age,{outputs}\n17,{none}\n30,{one}\n", "few.csv")
    last = run(f"test t.csv few.csv {option}")[1].splitlines()[-1]
    assert last.startswith("2 of 2 cases pass (1 expects no outcome); ")


def test_a_blank_outcome_expects_no_decision(run, file):
    file("age,fare\n< 18,free\n", "fares.csv")
    for blank in ("", "  ", "\t"):
        file(f'age,fare\n17,free\n18,"{blank}"\n', "cases.csv")
        out = run("test fares.csv cases.csv")[1]
        assert "2 of 2 cases pass (1 expects no outcome)" in out


def test_cases_are_printed_as_csv_and_coverage_can_be_required(run, file):
    assert run("cases free.txt")[:2] == (0, "age,outcome\n18,full\n17.99,free\n19,full\n")
    file("age,outcome\n5,free\n", "cases.csv")
    assert run("test free.txt cases.csv")[0] == 0
    assert run("test free.txt cases.csv --coverage")[0] == 1


def test_cases_of_the_kit(run, refused, document, file):
    file(MODEL, "m.dmn")
    file(kit(n001=17, n002=18), "cases.xml")
    file(kit(n001=17, n002=16), "right.xml")
    assert run("test m.dmn cases.xml")[:2] == (
        1,
        "case 002 fails: Fare: expected 'half', got 'full'\n"
        "no case is just above 18 in Age < 18 of rule 1\n"
        "no case is just above 18 in Age >= 18 of rule 2\n"
        "1 of 2 cases pass; they exercise 2 of 2 rules, 4 of 4 conditions, 4 of 6 bounds.\n",
    )
    found = document("test m.dmn cases.xml")
    assert [(case["name"], case["passed"]) for case in found["cases"]] == [
        ("001", True),
        ("002", False),
    ]
    assert found["cases"][1]["values"] == {"Age": 18}
    assert found["covered"] == {"rules": 2, "conditions": 4, "bounds": 4}
    assert run("test m.dmn right.xml")[0] == 0
    assert run("test m.dmn right.xml --coverage")[0] == 1
    assert run("test m.dmn right.xml --table Fare")[0] == 0
    assert refused("test m.dmn right.xml --table Fair") == (
        "right.xml: no case expects a result of 'Fair'; did you mean 'Fare'?"
    )
    file("<a/>", "a.xml")
    assert "<testCases>" in refused("test m.dmn a.xml")


def test_invalid_cases_exit_with_2(refused, file):
    for text, name, message in [
        ("age\n", "c.csv", "no cases in the file"),
        ("{}", "c.json", 'cases must be a list such as [{"age": 17, …}]'),
        ("[", "c.json", "not JSON"),
        ("age,x\n5,free\n", "c.csv", "c.csv: the table has no column 'debt'"),
        ("age,debt,x\n5,0,free\n", "c.csv --label y", "unknown column 'y'"),
    ]:
        file(text, name.split()[0])
        assert message in refused(f"test loans.txt {name}")


def test_cases_may_be_written_as_the_rules_are(run, file):
    for name, text in {
        "rules.csv": "Age,Weight,Discount\n<18,-,50%\n>=18,<= 2.5,10%\n>=18,> 2.5,0\n",
        "cases.csv": "Age,Weight,Discount\n10,1.0,50%\n20,1.0,10%\n20,3.0,0\n",
        "preise.csv": "Gewicht;Preis\n<= 1,5;3,50\n> 1,5;5\n",
        "past.csv": "Gewicht;Ort;Betrag\n1,5;Kiel;100,50\n2;Ulm;7,25\n",
        "faelle.csv": "Gewicht;Preis\n1,5;3,50\n2;5\n",
    }.items():
        file(text, name)
    status, out, _ = run("test rules.csv cases.csv")
    assert (status, "3 of 3 cases pass" in out) == (0, True), out
    assert run("impact preise.csv preise.csv past.csv")[0] == 0
    status, out, _ = run("test preise.csv faelle.csv")
    assert (status, "2 of 2 cases pass" in out) == (0, True), out


# --- why


def test_a_decision_is_explained_with_the_smallest_change(why, document):
    assert why("loans.txt", "age = 17, debt = 0") == [
        "refuse, by rule 1, because age < 18",
        "It would be accept (rule 3) if age = 18 instead of 17.",
    ]
    fixed = why("loans.txt --fixed age", "age = 17, debt = 0")
    assert fixed[-1] == "No change of features leads elsewhere."
    found = document("why loans.txt --instead accept", "age = 30, debt = 5")
    assert found["instead"]["values"] == {"age": 30, "debt": 0}
    assert found["region"]["text"] == "age >= 18 and debt > 0"
    assert why("free.txt", "age = 40")[0] == "full, by default, because age >= 18"


def test_rules_that_nearly_apply_are_named(why, document, file):
    file("IF age < 18 THEN free\nIF age >= 60 AND card in {true} THEN half\nDEFAULT full\n")
    case = "age = 70, card = false"
    assert why("my.rules", case) == [
        "full, by default, because age >= 18 and card in {false}",
        "It would be half (rule 2) if card = true instead of false.",
        "One condition away: free (rule 1) needs age < 18, but age = 70.",
    ]
    assert len(why("my.rules --fixed age", case)) == 2
    assert len(why("my.rules --instead half", case)) == 2
    nearly = document("why my.rules", case)["nearly"]
    assert [miss["rule"] for miss in nearly] == [1, 2]
    assert nearly[0]["condition"]["text"] == "age < 18"


def test_a_case_can_be_a_row_of_a_table(run, refused, why, file):
    file("name,age,debt\nAda,17,0\nBen,40,5\n", "people.csv")
    answer = "refuse, by rule 2, because age >= 18 and debt > 0"
    assert why("loans.txt people.csv --row 2", "--fixed", "age")[0] == answer
    message = "people.csv: --row must be at most 2, got 3"
    assert message in refused("why loans.txt people.csv --row 3")
    for table in ("people.csv", "-"):
        message = f"CASE is a table, {table}; choose one of its rows with --row N"
        assert refused(f"why loans.txt {table}") == message
    case = ", ".join(["age = 17"] * 500)  # too long for a name of a file
    assert run("why loans.txt", case)[0] == 2


def test_no_change_is_needed_for_an_outcome_that_a_case_has(why, document, file):
    file("IF age < 18 THEN free\nIF age >= 60 THEN half\nDEFAULT full\n")
    instead = partial(why, "my.rules --instead full")
    assert instead("age = 40")[1:] == ["It is already decided so: full needs no change."]
    assert instead("age = 9", "--fixed", "age")[1:] == ["No change of features leads to full."]
    found = document("why my.rules --instead full", "age = 40")
    assert found["instead"]["values"] == found["case"]["values"] == {"age": 40}
    assert found["nearly"] == []


def test_values_may_rise_or_fall_or_go_missing_only_as_asked(why, file):
    up, down = (why(f"loans.txt --only-{way} age", "age = 17, debt = 0") for way in ("up", "down"))
    assert "if age = 18 instead of 17" in up[1]
    assert "No change of features" in down[1]
    file("IF derog is missing THEN yes\nIF derog < 1 THEN yes\nDEFAULT no\n")
    assert "derog = 0.99 instead of 7" in why("my.rules", "derog = 7")[1]
    asked = why("my.rules --allow-missing", "derog = 7")
    assert "derog = missing instead of 7" in asked[1]


def test_undisputed_cases_of_rules_that_contradict_each_other_are_explained(run, refused, file):
    file("IF age < 18 THEN free\nIF age >= 17 AND age < 60 THEN half\nDEFAULT full\n")
    assert run("why my.rules", "age = 40") == (
        0,
        "half, by rule 2, because 18 <= age < 60\n"
        "It would be full (by default) if age = 60 instead of 40.\n"
        "One condition away: free (rule 1) needs age < 18, but age = 40.\n",
        "",
    )
    assert refused("why my.rules", "age = 17").startswith(
        "the rules contradict each other for this case: rule 1 says free, rule 2 says half;"
        " repair them, or let the first rule win with --hit-policy FIRST"
    )


def test_a_reason_in_a_model_of_several_tables_is_about_one_of_them(run, refused, file):
    file(NETWORK, "net.dmn")
    assert refused("why net.dmn", "age = 20") == (
        "net.dmn: a reason is about one table, but the model has 2 ('risk', 'answer');"
        " choose one with --table … and give the values of its own inputs, or decide cases through"
        " the whole model with irenic predict"
    )
    assert run("why net.dmn --table answer", "age = 20") == (
        2,
        "",
        "irenic: unknown feature 'age' (known: 'risk')\n"
        "irenic: give the values of the inputs of 'answer', not of the whole model\n",
    )
    assert run("why net.dmn --table answer", "risk = low")[1].startswith("yes, by rule 1")


def test_invalid_questions_exit_with_2(refused):
    assert "unknown feature 'agee'" in refused("why loans.txt", "agee = 17, debt = 0")
    assert "CASE, column" in refused("why loans.txt", "age 17")
    err = refused("why loans.txt --instead acept", "age = 17, debt = 0")
    assert "no rule has the outcome acept; did you mean 'accept'?" in err


# --- impact


def test_the_impact_on_past_cases(run, refused, document, file):
    file(LOANS.replace("18", "21"), "new.txt")
    rows = "17,0,10,north\n19,0,20,north\n20,0,40,south\n30,0,80,south\n"
    file(f"age,debt,sum,region\n{rows}", "past.csv")
    line = "impact loans.txt new.txt past.csv"
    status, out, _ = run(f"{line} --amount sum --by region")
    assert (status, out.splitlines()) == (
        1,
        [
            "2 cases, amount 60: accept (rule 3) becomes refuse (rule 1) (for example rows 2, 3)",
            "region = south: 1 of 2 cases, sum 40.00",
            "region = north: 1 of 2 cases, sum 20.00",
            "2 of 4 cases change (50.00%), sum 60.00 of 150.00.",
        ],
    )
    found = document(line)
    assert (found["changed"], found["moves"][0]["rows"]) == (2, [2, 3])
    assert (found["amount_of"], found["grouped_by"]) == (None, None)
    same = run("impact loans.txt loans.txt past.csv")
    assert same[:2] == (0, "0 of 4 cases change (0.00%).\n")
    assert "--by: unknown column 'regio'" in refused(f"{line} --by regio")
    # as a page
    status, out, _ = run(f"{line} --amount sum --html impact.html")
    assert status == 1
    assert out.splitlines()[-1] == "Written to impact.html; open it in a browser."
    text = Path("impact.html").read_text("utf-8")
    assert "<title>new.txt, compared with loans.txt</title>" in text
    embedded = re.search(r'<script type="application/json" id="summary">(.*?)</script>', text)
    impact = json.loads(embedded[1])["impact"]
    assert (impact["changed"], impact["amount_of"], len(impact["moves"])) == (2, "sum", 1)
    assert "are the same file" in refused(f"{line} --html past.csv")


# --- add


def test_a_rule_that_contradicts_others_is_refused(run):
    status, out, _ = run("add loans.txt --in-place", "IF age > 60 THEN accept")
    assert (status, out.splitlines()) == (
        1,
        [
            "contradiction: rule 2 says refuse, rule 4 says accept where age > 60 and debt > 0,"
            " for example at age = 90, debt = 0.5",
            "free part: IF age > 60 AND debt <= 0 THEN accept",
            "The rule was refused; --free adds the free part.",
        ],
    )
    assert Path("loans.txt").read_text() == LOANS
    assert run("add loans.txt --in-place --free", "IF age > 60 THEN accept")[0] == 0
    rules = irenic.read("loans.txt")
    assert rules[3] == irenic.Rule.parse("IF age > 60 AND debt <= 0 THEN accept", rules.space)


def test_a_rule_without_contradictions_is_added(run, refused, document, file):
    file("age,fare\n< 18,free\n", "fares.csv")
    status, out, _ = run("add fares.csv -o new.csv", "IF age >= 60 THEN half")
    assert (status, out.splitlines()[-1]) == (0, "1 rule added; 2 rules written to new.csv")
    assert irenic.read("new.csv").thens == ["free", "half"]
    assert document("add fares.csv", "IF age > 9 THEN free")["verdict"] == "1 rule added"
    # it can name new values of an open feature, but no new feature
    file("IF job = cook THEN free\n", "jobs.txt")
    assert run("add jobs.txt --in-place", "IF job = nurse THEN half")[0] == 0
    added = Path("jobs.txt").read_text().splitlines()[1]
    assert added.startswith("IF job in {nurse} THEN half")
    message = "RULE, column 4: unknown feature 'agee'"
    assert message in refused("add loans.txt", "IF agee > 6 THEN x")
