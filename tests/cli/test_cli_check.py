"""``irenic check`` on tables, folders and several files, in every format."""

from __future__ import annotations

import json
from pathlib import Path

import openpyxl
import pytest

from documents import of_kind, validated

FARES = """age,job,fare
"< 18, >= 60",-,reduced
[18..60),"nurse, clerk",reduced
[18..60),"not(nurse, clerk)",full
[30..40],nurse,full
"""
CONFLICT = (
    "age = 36, job = nurse: rule 2 says reduced, rule 4 says full"
    " (wherever 30 <= age <= 40 and job in {nurse})"
)
DMN = """<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" name="m" namespace="n">
  <decision name="Risk" id="risk"><decisionTable id="t1"{policy}>
    <input><inputExpression typeRef="number"><text>age</text></inputExpression></input>
    <output name="risk"/>
    <rule><inputEntry><text>&lt; 30</text></inputEntry>
      <outputEntry><text>"low"</text></outputEntry></rule>
    <rule><inputEntry><text>&gt;= 29</text></inputEntry>
      <outputEntry><text>{second}</text></outputEntry></rule>
  </decisionTable></decision>
  <decision name="Fee" id="fee"><decisionTable id="t2">
    <input><inputExpression typeRef="number"><text>age</text></inputExpression></input>
    <output name="fee"/>
    <rule><inputEntry><text>{cell}</text></inputEntry>
      <outputEntry><text>5</text></outputEntry></rule>
  </decisionTable></decision>
</definitions>
"""


def dmn(policy="", second='"high"', cell="-"):
    policy = f' hitPolicy="{policy}"' if policy else ""
    return DMN.format(policy=policy, second=second, cell=cell)


@pytest.fixture
def checked(run):
    """Check one file: its entry in the document, and the exit status."""

    def call(line):
        status, out, _ = run(f"check {line} --json")
        (entry,) = validated(out)["files"]
        return entry, status

    return call


@pytest.fixture
def sarif(run):
    """Check files: the run in the log of SARIF."""

    def call(line):
        (log,) = json.loads(run(f"check {line} --format sarif")[1])["runs"]
        return log

    return call


# --- tables


def test_a_table_is_checked_row_by_row(run, checked, file):
    file(FARES, "fares.csv")
    status, out, err = run("check fares.csv")
    assert (status, err) == (1, "")
    lines = out.splitlines()
    assert lines[0] == "How fares.csv was read:"
    assert lines[5] == "fares.csv: fares (4 rules, 2 features)"
    assert lines[6] == f"conflict     lines 3 and 5: {CONFLICT}"
    assert not any(line.startswith("rule ") for line in lines)
    lines = run("check fares.csv --verbose")[1].splitlines()
    start = next(place for place, line in enumerate(lines) if line.startswith("rule "))
    assert [line.split()[0] for line in lines[start + 1 :]] == ["1", "1", "2", "3", "4"]
    assert lines.index(f"conflict     lines 3 and 5: {CONFLICT}") < start

    entry, status = checked("fares.csv")
    assert (status, entry["errors"]) == (1, [])
    (table,) = entry["tables"]
    assert (table["name"], table["size"]["rules"]) == ("fares", 4)
    verdicts = table["verdicts"]
    assert (verdicts["consistent"]["holds"], verdicts["complete"]["holds"]) == (False, True)
    (conflict,) = of_kind(table, "conflicts")
    assert (conflict["rules"], conflict["text"], conflict["line"]) == ([2, 4], CONFLICT, 5)
    assert [then["value"] for then in conflict["then"]] == ["reduced", "full"]
    texts = [condition["text"] for condition in conflict["region"]["conditions"]]
    assert texts == ["30 <= age <= 40", "job in {nurse}"]
    assert conflict["witness"]["values"] == {"age": 36, "job": "nurse"}


def test_the_outcomes_can_be_in_another_column(checked, file):
    file("fare,age\nfree,< 10\nfull,>= 10\n", "fares.csv")
    entry, status = checked("fares.csv --target fare")
    assert (status, entry["tables"][0]["verdicts"]["complete"]["holds"]) == (0, True)


def test_every_table_of_a_model_is_checked(checked, file):
    file(dmn(), "m.dmn")
    entry, status = checked("m.dmn")
    assert status == 1
    assert [
        (t["name"], t["hit_policy"], t["verdicts"]["consistent"]["holds"]) for t in entry["tables"]
    ] == [("Risk", "UNIQUE", False), ("Fee", "UNIQUE", True)]


@pytest.mark.parametrize(
    ("policy", "second", "status", "conflicts", "overlaps"),
    [
        ("", '"high"', 1, 1, 1),
        ("UNIQUE", '"low"', 1, 0, 1),
        ("ANY", '"low"', 0, 0, 0),
        ("ANY", '"high"', 1, 1, 1),
        ("FIRST", '"high"', 0, 0, 0),
        ("COLLECT", '"high"', 0, 0, 0),
        ("RULE ORDER", '"high"', 0, 0, 0),
    ],
)
def test_findings_depend_on_the_hit_policy(
    checked, file, policy, second, status, conflicts, overlaps
):
    file(dmn(policy, second), "m.dmn")
    entry, found = checked("m.dmn")
    counts = entry["tables"][0]["counts"]
    assert (found, counts["conflicts"], counts["overlaps"]) == (status, conflicts, overlaps)


def test_an_option_overrides_the_hit_policy(run, file):
    file(dmn(), "m.dmn")
    assert run("check m.dmn --hit-policy first")[0] == 0
    file("IF age < 20 THEN a\nIF age > 9 THEN b\n")
    assert run("check my.rules")[0] == 1
    assert run("check my.rules --hit-policy f")[0] == 0


def test_an_invalid_table_does_not_stop_the_others(run, checked, file):
    file(dmn(cell="[18..x"), "m.dmn")
    entry, status = checked("m.dmn")
    assert (status, [t["name"] for t in entry["tables"]]) == (2, ["Risk"])
    (error,) = entry["errors"]
    assert "[18..x" in error["message"]
    assert "Fee" in error["message"]
    status, out, err = run("check m.dmn")
    assert (status, err.count("\n")) == (2, 1)
    assert "rule 1 says low, rule 2 says high" in out
    assert err.startswith("irenic: m.dmn, line ")


def test_all_errors_in_a_text_are_reported(run, file):
    file("IF a < THEN A\nIF a < 5 THEN B\nIF a ? 5 THEN C\n")
    status, out, err = run("check my.rules")
    assert (status, out) == (2, "")
    assert [line.split(":")[1].split(",")[1] for line in err.splitlines()] == [" line 1", " line 3"]


# --- several files


def test_a_folder_is_checked_file_by_file(run, file, here):
    for folder in ("b", ".hidden"):
        (here / folder).mkdir()
    for name, text in {
        "a.csv": FARES,
        "b/m.dmn": dmn("FIRST"),
        "b/bad.json": "{",
        ".hidden/c.rules": "nonsense",
        "notes.md": "not rules",
    }.items():
        file(text, name)
    status, out, _ = run("check . --json")
    files = validated(out)["files"]
    assert status == 2
    assert [(f["path"], len(f["tables"]), len(f["errors"])) for f in files] == [
        ("a.csv", 1, 0),
        ("b/bad.json", 0, 1),
        ("b/m.dmn", 2, 0),
    ]
    assert run("check . --json")[1] == out
    status, out, err = run("check a.csv b/m.dmn")
    assert (status, err) == (1, "")
    assert out.count("(wherever 30 <= age <= 40 and job in {nurse})") == 1
    assert "Ordered: of the rules that hold, the first decides." in out


def test_files_in_a_folder_can_be_excluded(run, file):
    file("IF a < 5 THEN A\n", "a.rules")
    file("What these rules are for\n", "README.txt")
    assert run("check .")[0] == 2
    assert run("check . --exclude README*")[0] == 0


def test_a_folder_ends_with_a_total(run, file):
    for name, text in (("a.rules", KNOWN), ("b.rules", "IF a < 5 THEN x\n"), ("c.rules", "IF\n")):
        file(text, name)
    assert run("check .")[1].splitlines()[-1] == (
        "Total of 3 files, 2 tables: 1 conflict, 1 gap, 1 file with errors"
    )


def test_files_without_rules_in_their_format_do_not_pass(run, refused, file, here):
    (here / "empty").mkdir()
    for name, raw, message in [
        ("zip.csv", b"PK\x03\x04 and so on", "the content must be csv, got a zip archive; if"),
        ("xml.txt", b"\xef\xbb\xbf<?xml version='1.0'?>", "the content must be rules, got XML; if"),
        ("a", b"IF a < 5 THEN A", "no format for files that end in ''"),
        ("a.dmn", b"<definitions name='m'/>", "a.dmn: no table of rules in the file"),
    ]:
        (here / name).write_bytes(raw)
        assert message in refused(f"check {name}")
    assert refused("check empty") == (
        "empty: no files of rules in this folder (.csv, .dmn, .json, .ods, .rules,"
        " .tsv, .txt, .xlsm, .xlsx, .xml)"
    )
    message = "cannot read no/place.txt: No such file or directory"
    assert refused("check no/place.txt") == message
    file("IF a < 5 THEN A\n")
    status, out, err = run("check my.rules no/place.txt")
    assert (status, err) == (2, f"irenic: {message}\n")
    assert "a single rule contradicts nothing" in out


# --- what to fail on


def test_what_to_fail_on_can_be_chosen(run, refused, file):
    file('a,b,then\n< 10,-,A\n"[2..3]",-,A\n', "t.csv")
    assert run("check t.csv")[0] == 0
    for kinds, status in {
        "conflicts": 0,
        "gaps": 1,
        "Conflict, gap": 1,
        "never-fire,inside": 1,
        "mergeable": 0,
        "columns": 1,
        "nothing": 0,
    }.items():
        assert run("check t.csv --fail-on", kinds)[0] == status, kinds
    assert refused("check t.csv --fail-on holes") == (
        "--fail-on: unknown kind of finding 'holes'; use conflicts, overlaps, gaps,"
        " open, never_fire, misleading, outside, outcomes, duplicates, inside, mergeable, columns,"
        " policy, model, acceptances or nothing"
    )


def test_other_values_of_text_columns_fail_no_check(run, sarif, file):
    rows = "".join(f"{a},{b},A\n" for a in ("low", "high") for b in ("web", "phone"))
    file(f"risk,channel,then\n{rows}", "full.csv")
    status, out, _ = run("check full.csv --fail-on gaps")
    assert (status, out.count("open  ")) == (0, 1)
    assert out.endswith(
        "Complete for the values that the rules name: other values of risk and channel are not"
        " covered.\n"
    )
    assert run("check full.csv --fail-on open")[0] == 1
    lines = run("check full.csv --format github")[1].splitlines()
    assert [line.split(" ")[0] for line in lines if "title=irenic%3A open" in line] == ["::notice"]
    results = [r for r in sarif("full.csv")["results"] if r["ruleId"] in ("gaps", "open")]
    assert [(r["ruleId"], r["level"]) for r in results] == [("open", "note")]


def test_formats_for_other_programs(run, sarif, file):
    file("IF a < 5 THEN A\nIF a < 6 THEN B\n")
    assert [result["ruleId"] for result in sarif("my.rules")["results"]] == ["conflicts", "gaps"]
    assert run("check my.rules --format sarif")[0] == 1
    status, out, _ = run("check my.rules --format github")
    first, second = out.splitlines()
    assert status == 1
    assert first.startswith("::error file=my.rules,line=2,title=irenic%3A conflict::a = ")
    assert second.startswith("::warning file=my.rules,line=1,title=irenic%3A gap::a = ")


# --- accepted findings

KNOWN = "IF age < 30 THEN low\nIF age >= 20 THEN high\n"


def test_findings_of_a_baseline_do_not_fail_a_check(run, checked, sarif, file):
    file(KNOWN)
    assert run("check my.rules --write-baseline known.json --reason", "see ticket 7")[::2] == (
        1,
        "irenic: 1 finding written to known.json; edit the reasons there\n",
    )
    status, out, err = run("check my.rules --baseline known.json")
    assert (status, err) == (0, "")
    assert out.startswith("Accepted: 1 finding (see ticket 7)\nNot consistent: ")
    assert run("check my.rules --baseline known.json --fail-on conflicts,overlaps")[0] == 0
    (table,) = checked("my.rules --baseline known.json")[0]["tables"]
    assert (table["findings"], table["counts"]["conflicts"]) == ([], 1)
    assert {entry["reason"] for entry in table["accepted"]} == {"see ticket 7"}
    (result,) = sarif("my.rules --baseline known.json")["results"]
    assert result["suppressions"] == [{"kind": "external", "justification": "see ticket 7"}]
    file("IF age > 90 THEN old\n" + KNOWN)  # the numbers of rules change
    status, out, _ = run("check my.rules --baseline known.json")
    assert (status, out.count("conflict  ")) == (1, 1)
    file(KNOWN.replace("30", "20"))
    assert run("check my.rules --baseline known.json")[::2] == (
        0,
        "irenic: known.json: 1 accepted finding of my.rules no longer exists\n",
    )


def test_a_finding_accepted_in_the_file_is_shown_as_such(run, checked, sarif, file):
    file(KNOWN.replace("low", "low # accept: conflict: ticket 7"))
    status, out, _ = run("check my.rules")
    assert (status, out.splitlines()[0]) == (0, "Accepted: 1 finding (ticket 7)")
    assert run("check my.rules --verbose")[1].splitlines()[1] == (
        "  conflict: age = 20: rule 1 says low, rule 2 says high (wherever 20 <= age < 30)"
        " (ticket 7)"
    )
    (accepted,) = checked("my.rules")[0]["tables"][0]["accepted"]
    assert (accepted["kind"], accepted["rules"], accepted["in_file"]) == ("conflicts", [1, 2], True)
    (result,) = sarif("my.rules")["results"]
    assert result["suppressions"] == [{"kind": "inSource", "justification": "ticket 7"}]
    assert run("check my.rules --format github")[1] == ""


def test_invalid_baselines_are_rejected(refused, file):
    file(KNOWN)
    begin = '{"format": "irenic baseline", "version": 1'
    entry = '{"file": "", "table": "", "kind": "gaps", "rules": [], "where": "", "reason": " "}'
    for content, reason in {
        "{": "not JSON",
        "{}": 'a baseline must have the "format" "irenic baseline"',
        begin.replace("1", "2") + "}": "the version of a baseline must be 1, got 2",
        begin + "}": 'a baseline must have a list "accepted"',
        begin + ', "accepted": [{}]}': "entry 1 must have file, table, kind, rules, where",
        f'{begin}, "accepted": [{entry}]}}': "entry 1 must have a reason, got ' '",
    }.items():
        file(content, "known.json")
        error = refused("check my.rules --baseline known.json")
        assert (reason in error, "known.json" in error) == (True, True), error


# --- more kinds of findings


def test_a_last_row_for_all_cases_gets_a_hint(run, file):
    file("age,fare\n< 18,free\n> 65,half\n-,full\n", "fares.csv")
    out = run("check fares.csv")[1]
    assert "hit policy   rule 3, the last one, applies to every case and contradicts others" in out
    assert "(--hit-policy FIRST)" in out
    assert run("check fares.csv --hit-policy FIRST")[0] == 0


LOOSE = """<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" namespace="n" name="m">
<inputData id="i" name="age"><variable name="age" typeRef="number"/></inputData>
<inputData id="j" name="job"><variable name="job" typeRef="string"/></inputData>
<decision id="d" name="Fare"><variable name="Fare"/>
<informationRequirement><requiredInput href="#i"/></informationRequirement>
<informationRequirement><requiredInput href="#gone"/></informationRequirement>
<decisionTable><input><inputExpression><text>age</text></inputExpression></input>
<output name="fare"/>
<rule><inputEntry><text>-</text></inputEntry><outputEntry><text>1</text></outputEntry></rule>
</decisionTable></decision></definitions>"""


def test_loose_ends_of_a_model_are_findings_with_places(run, checked, sarif, file):
    file(LOOSE, "m.dmn")
    texts = [
        (3, "input data 'job' is not used"),
        (4, "decision 'Fare' requires 'gone', which the model lacks"),
    ]
    status, out, err = run("check m.dmn")
    assert (status, err) == (0, "")
    assert all(f"model        {text}\n" in out for _, text in texts)
    entry, _ = checked("m.dmn")
    assert (entry["warnings"], entry["tables"][0]["counts"]["model"]) == ([], 2)
    found = of_kind(entry["tables"][0], "model")
    assert sorted((f["line"], f["text"]) for f in found) == texts
    results = sarif("m.dmn")["results"]
    places = {
        (r["locations"][0]["physicalLocation"]["region"]["startLine"], r["message"]["text"])
        for r in results
        if r["ruleId"] == "model"
    }
    assert places == {(line, f"Fare: {text}") for line, text in texts}
    assert len({r["partialFingerprints"]["irenic/v1"] for r in results}) == len(results)
    assert run("check m.dmn --fail-on model")[0] == 1


def test_loose_ends_can_be_accepted_one_by_one(run, file):
    file(LOOSE, "m.dmn")
    run("check m.dmn --write-baseline known.json")
    assert run("check m.dmn --fail-on model --baseline known.json")[0] == 0
    known = json.loads(Path("known.json").read_text())
    known["accepted"] = [e for e in known["accepted"] if "job" not in e["text"]]
    file(json.dumps(known), "known.json")
    assert run("check m.dmn --fail-on model --baseline known.json")[0] == 1


# --- places in spreadsheets and JSON


def workbook(name, *rows, title="Sheet", **sheets):
    book = openpyxl.Workbook()
    book.active.title = title
    for row in rows:
        book.active.append(row)
    for sheet, lines in sheets.items():
        more = book.create_sheet(sheet)
        for line in lines:
            more.append(line)
    book.save(name)


def test_findings_name_their_place_in_a_csv_file(run, file):
    file("Age,Job,Fare\n< 30,a,low\n>= 20,a,high\n> 200,not(a),high\n", "fares.csv")
    assert "\nconflict     lines 2 and 3: Age = 25, " in run("check fares.csv")[1]
    out = run("check fares.csv --format github")[1]
    assert "::fares: " not in out.splitlines()[0]
    assert ",line=3,title=irenic%3A conflict::lines 2 and 3: Age = 25, " in out


def test_findings_name_their_place_in_a_workbook(run, checked, sarif):
    rows = [("Our fares",), (None,), ("Age", "Job", "Fare"), ("< 30", "a", "low")]
    rows += [(">= 20", "a", "high"), (">= 30", "b", "high"), ("> 99", "not(a)", "high")]
    columns = [("Column", "Kind"), ("Age", "integer [0..98]")]
    workbook("fares.xlsx", *rows, title="Fares", Columns=columns)
    out = run("check fares.xlsx")[1]
    assert "\nconflict     Fares, rows 4 and 5: Age = 25, " in out
    assert "\nnever fires  Fares, row 7: rule 4 never fires: " in out
    (table,) = checked("fares.xlsx")[0]["tables"]
    places = {finding["kind"]: finding["place"] for finding in table["findings"]}
    assert (places["conflicts"], places["gaps"]) == ("Fares, rows 4 and 5", "")
    log = sarif("fares.xlsx")
    message, location = (log["results"][0][key] for key in ("message", "locations"))
    assert message["text"].startswith("Fares, rows 4 and 5: Age = 25, ")
    name = location[0]["logicalLocations"][0]["fullyQualifiedName"]
    assert name == "Fares, rows 4 and 5"
    gap = next(result for result in log["results"] if result["ruleId"] == "gaps")
    assert gap["message"]["text"].startswith("Fares: Age = ")
    notes = log["invocations"][0]["toolExecutionNotifications"]
    assert [note["message"]["text"] for note in notes if note["level"] == "note"] == [
        "Fares, column 'Age': condition: whole numbers, at least 0, at most 98",
        "Fares, column 'Job': condition: a, b or other values",
        "Fares, column 'Fare': outcome: low, high",
    ]


def test_cells_outside_their_domain_name_the_cell(run):
    rows = [
        ("Age", "Job", "Fare"),
        ("integer [0..98]",),
        ("< 30", "a", "low"),
        ("> 20", "not(a)", 5),
    ]
    workbook("fares.xlsx", *rows, ("[0..99]", "c", "low"))
    out = run("check fares.xlsx")[1]
    assert "outside      Sheet!A5: rule 3, column Age: " in out
    assert "outcome      Sheet!C4: rule 2: the outcome 5 is a number" in out


def test_findings_in_json_files_have_lines(run, checked, sarif, file):
    text = (
        '{"version": 1, "rules": [\n {"if": {"age": {"<": 18}}, "then": "é"},\n\n'
        ' {"if": {"age": {">=": 17}},\n  "then": "full"}\n]}\n'
    )
    file(text, "fares.json")
    out = run("check fares.json --format github")[1]
    assert out.startswith("::error file=fares.json,line=4,title=irenic%3A conflict::age = 17: ")
    (result,) = sarif("fares.json")["results"]
    assert result["locations"][0]["physicalLocation"]["region"] == {"startLine": 4}
    assert checked("fares.json")[0]["tables"][0]["findings"][0]["line"] == 4
    Path("fares.json").write_bytes(text.encode("cp1252"))  # whose lines are not known
    out = run("check fares.json --format github --encoding cp1252")[1]
    assert out.startswith("::error file=fares.json,title=irenic%3A conflict::age = 17: ")


def test_messages_of_documents_name_options(run, checked, sarif, file):
    file("age,fare\n< 18,free\n>= 17,1.000\n", "fares.csv")
    err = run("check fares.csv")[2]
    assert "--locale de or en" in err
    assert "locale=" not in err
    (problem,) = checked("fares.csv")[0]["errors"]
    assert err == f"irenic: fares.csv, line 3: {problem['message']}\n"
    notes = sarif("fares.csv")["invocations"][0]["toolExecutionNotifications"]
    (told,) = [note["message"]["text"] for note in notes if note["level"] == "error"]
    assert told == problem["message"]
    assert run("check fares.csv --format github")[1].endswith("--locale de or en\n")
