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
def tables(run):
    def call(*arguments):
        status, out, _ = run("check", *arguments, "--format", "json")
        (found,) = validated(out)["files"]
        return status, found

    return call


# --- tables


def test_a_table_is_checked_row_by_row(run, file):
    path = file(FARES, "fares.csv")
    status, out, err = run("check", path)
    assert (status, err) == (1, "")
    lines = out.splitlines()
    assert lines[0] == f"How {path} was read:"
    assert lines[5] == f"{path}: fares (4 rules, 2 features)"
    assert lines[6] == f"conflict     lines 3 and 5: {CONFLICT}"
    assert not any(line.startswith("rule ") for line in lines)
    lines = run("check", path, "--verbose")[1].splitlines()
    start = next(place for place, line in enumerate(lines) if line.startswith("rule "))
    numbers = [line.split()[0] for line in lines[start + 1 :]]
    assert numbers == ["1", "1", "2", "3", "4"]
    assert lines.index(f"conflict     lines 3 and 5: {CONFLICT}") < start


def test_json_of_a_table_names_rows_and_features_as_in_the_file(tables, file):
    status, found = tables(file(FARES, "fares.csv"))
    assert status == 1
    assert found["errors"] == []
    (table,) = found["tables"]
    assert (table["name"], table["size"]["rules"]) == ("fares", 4)
    assert table["verdicts"]["consistent"]["holds"] is False
    assert table["verdicts"]["complete"]["holds"] is True
    (conflict,) = of_kind(table, "conflicts")
    assert (conflict["rules"], conflict["text"]) == ([2, 4], CONFLICT)
    assert [then["value"] for then in conflict["then"]] == ["reduced", "full"]
    assert [condition["text"] for condition in conflict["region"]["conditions"]] == [
        "30 <= age <= 40",
        "job in {nurse}",
    ]
    assert conflict["witness"]["values"] == {"age": 36, "job": "nurse"}
    assert conflict["line"] == 5


def test_the_outcomes_can_be_in_another_column(tables, file):
    text = "fare,age\nfree,< 10\nfull,>= 10\n"
    status, found = tables(file(text, "fares.csv"), "--target", "fare")
    assert status == 0
    assert found["tables"][0]["verdicts"]["complete"]["holds"] is True


def test_every_table_of_a_model_is_checked(tables, file):
    status, found = tables(file(dmn(), "m.dmn"))
    assert status == 1
    assert [(t["name"], t["hit_policy"]) for t in found["tables"]] == [
        ("Risk", "UNIQUE"),
        ("Fee", "UNIQUE"),
    ]
    assert [t["verdicts"]["consistent"]["holds"] for t in found["tables"]] == [False, True]


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
    tables, file, policy, second, status, conflicts, overlaps
):
    found = tables(file(dmn(policy, second), "m.dmn"))
    assert found[0] == status
    table = found[1]["tables"][0]
    assert (table["counts"]["conflicts"], table["counts"]["overlaps"]) == (conflicts, overlaps)


def test_an_option_overrides_the_hit_policy(run, file):
    path = file(dmn(), "m.dmn")
    assert run("check", path, "--hit-policy", "first")[0] == 0
    status, _, err = run("check", path, "--hit-policy", "FIRTS")
    assert (status, err) == (
        2,
        "irenic: --hit-policy: unknown hit policy 'FIRTS'; did you mean 'FIRST'?\n",
    )


def test_an_invalid_table_does_not_stop_the_others(run, tables, file):
    path = file(dmn(cell="floor(age)"), "m.dmn")
    status, found = tables(path)
    assert status == 2
    assert [t["name"] for t in found["tables"]] == ["Risk"]
    (error,) = found["errors"]
    assert "floor(age)" in error["message"]
    assert "Fee" in error["message"]
    status, out, err = run("check", path)
    assert status == 2
    assert "rule 1 says low, rule 2 says high" in out
    assert err.startswith(f"irenic: {path}, line ")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.csv", "age,fare\n", "table 'a' has no rules"),
        ("a.dmn", "<definitions name='m'/>", "no table of rules in the file"),
    ],
)
def test_a_file_without_rules_does_not_pass(run, file, name, text, message):
    path = file(text, name)
    status, _, err = run("check", path)
    assert (status, err) == (2, f"irenic: {path}: {message}\n")


def test_all_errors_in_a_text_are_reported(run, file):
    path = file("IF a < THEN A\nIF a < 5 THEN B\nIF a ? 5 THEN C\n")
    status, out, err = run("check", path)
    assert (status, out) == (2, "")
    assert [line.split(":")[1].split(",")[1] for line in err.splitlines()] == [" line 1", " line 3"]


# --- several files


def test_a_folder_is_checked_file_by_file(run, tmp_path):
    (tmp_path / "b").mkdir()
    (tmp_path / ".hidden").mkdir()
    (tmp_path / "a.csv").write_text(FARES)
    (tmp_path / "b" / "m.dmn").write_text(dmn("FIRST"))
    (tmp_path / "b" / "bad.json").write_text("{")
    (tmp_path / ".hidden" / "c.rules").write_text("nonsense")
    (tmp_path / "notes.md").write_text("not rules")
    status, out, _ = run("check", str(tmp_path), "--format", "json")
    assert status == 2
    files = validated(out)["files"]
    assert [file["path"] for file in files] == [
        str(tmp_path / "a.csv"),
        str(tmp_path / "b" / "bad.json"),
        str(tmp_path / "b" / "m.dmn"),
    ]
    assert [len(file["tables"]) for file in files] == [1, 0, 2]
    assert [len(file["errors"]) for file in files] == [0, 1, 0]
    again = run("check", str(tmp_path), "--format", "json")[1]
    assert again == out
    status, out, err = run("check", str(tmp_path / "a.csv"), str(tmp_path / "b" / "m.dmn"))
    assert (status, err) == (1, "")
    assert out.count("(wherever 30 <= age <= 40 and job in {nurse})") == 1
    assert "Ordered: of the rules that hold, the first decides." in out


def test_files_in_a_folder_can_be_excluded(run, tmp_path):
    (tmp_path / "a.rules").write_text("IF a < 5 THEN A\n")
    (tmp_path / "README.txt").write_text("What these rules are for\n")
    assert run("check", str(tmp_path))[0] == 2
    assert run("check", str(tmp_path), "--exclude", "README*")[0] == 0


@pytest.mark.parametrize(
    ("name", "raw", "message"),
    [
        ("a.csv", b"PK\x03\x04 and so on", "the content must be csv, got a zip archive; if"),
        (
            "a.txt",
            b"\xef\xbb\xbf<?xml version='1.0'?>",
            "the content must be rules, got XML; if it",
        ),
        ("a", b"IF a < 5 THEN A", "no format for files that end in ''"),
    ],
)
def test_a_file_of_another_format_is_recognized(run, tmp_path, name, raw, message):
    (tmp_path / name).write_bytes(raw)
    status, out, err = run("check", str(tmp_path / name))
    assert (status, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_an_empty_folder_and_a_missing_file_are_errors(run, file, tmp_path):
    empty = tmp_path / "empty"
    empty.mkdir()
    status, _, err = run("check", str(empty))
    assert (status, err) == (
        2,
        f"irenic: {empty}: no files of rules in this folder (.csv, .dmn, .json, .ods, .rules,"
        " .tsv, .txt, .xlsm, .xlsx, .xml)\n",
    )
    assert run("check", "no/such/place")[2] == (
        "irenic: cannot read no/such/place: No such file or directory\n"
    )
    good, none = file("IF a < 5 THEN A\n"), str(tmp_path / "none.rules")
    status, out, err = run("check", good, none)
    assert status == 2
    assert "a single rule contradicts nothing" in out
    assert err == f"irenic: cannot read {none}: No such file or directory\n"


# --- what to fail on


@pytest.mark.parametrize(
    ("kinds", "status"),
    [
        (None, 0),
        ("conflicts", 0),
        ("gaps", 1),
        ("Conflict, gap", 1),
        ("never-fire,inside", 1),
        ("mergeable", 0),
        ("columns", 1),
        ("nothing", 0),
    ],
)
def test_what_to_fail_on_can_be_chosen(run, file, kinds, status):
    text = 'a,b,then\n< 10,-,A\n"[2..3]",-,A\n'
    options = [] if kinds is None else ["--fail-on", kinds]
    assert run("check", file(text, "t.csv"), *options)[0] == status


def test_an_unknown_kind_of_finding_is_rejected(run, file):
    status, _, err = run("check", file("IF a < 5 THEN A\n"), "--fail-on", "holes")
    assert (status, err) == (
        2,
        "irenic: --fail-on: unknown kind of finding 'holes'; use conflicts, overlaps, gaps,"
        " open, never_fire, misleading, outside, outcomes, duplicates, inside, mergeable, columns,"
        " policy, model, acceptances or nothing\n",
    )


def test_other_values_of_text_columns_fail_no_check(run, file):
    rows = "".join(f"{a},{b},A\n" for a in ("low", "high") for b in ("web", "phone"))
    path = file(f"risk,channel,then\n{rows}", "full.csv")
    status, out, _ = run("check", path, "--fail-on", "gaps")
    assert status == 0
    assert out.count("open  ") == 1
    assert out.endswith(
        "Complete for the values that the rules name: other values of risk and channel are not"
        " covered.\n"
    )
    assert run("check", path, "--fail-on", "open")[0] == 1
    lines = run("check", path, "--format", "github")[1].splitlines()
    assert [line.split(" ")[0] for line in lines if "title=irenic%3A open" in line] == ["::notice"]
    sarif = json.loads(run("check", path, "--format", "sarif")[1])
    results = [r for r in sarif["runs"][0]["results"] if r["ruleId"] in ("gaps", "open")]
    assert [(r["ruleId"], r["level"]) for r in results] == [("open", "note")]


# --- formats


def test_formats_for_other_programs(run, file):
    path = file("IF a < 5 THEN A\nIF a < 6 THEN B\n")
    status, out, _ = run("check", path, "--format", "sarif")
    assert status == 1
    (run_,) = json.loads(out)["runs"]
    assert [result["ruleId"] for result in run_["results"]] == ["conflicts", "gaps"]
    status, out, _ = run("check", path, "--format", "github")
    assert status == 1
    first, second = out.splitlines()
    assert first.startswith(f"::error file={path},line=2,title=irenic%3A conflict::a = ")
    assert second.startswith(f"::warning file={path},line=1,title=irenic%3A gap::a = ")


# --- accepted findings

KNOWN = "IF age < 30 THEN low\nIF age >= 20 THEN high\n"


def test_findings_of_a_baseline_do_not_fail_a_check(run, file, tmp_path):
    path, baseline = file(KNOWN), str(tmp_path / "known.json")
    status, _, err = run("check", path, "--write-baseline", baseline, "--reason", "see ticket 7")
    assert (status, err) == (
        1,
        f"irenic: 1 finding written to {baseline}; edit the reasons there\n",
    )
    status, out, _ = run("check", path, "--baseline", baseline)
    assert status == 0
    assert out.startswith("Accepted: 1 finding (see ticket 7)\nNot consistent: ")
    assert run("check", path, "--baseline", baseline, "--fail-on", "conflicts,overlaps")[0] == 0
    found = validated(run("check", path, "--baseline", baseline, "--json")[1])
    (table,) = found["files"][0]["tables"]
    assert (table["findings"], table["counts"]["conflicts"]) == ([], 1)
    assert {entry["reason"] for entry in table["accepted"]} == {"see ticket 7"}


def test_new_findings_fail_a_check_with_a_baseline(run, file, tmp_path):
    path, baseline = file(KNOWN), str(tmp_path / "known.json")
    run("check", path, "--write-baseline", baseline)
    Path(path).write_text("IF age > 90 THEN old\n" + KNOWN)  # the numbers of rules change
    status, out, _ = run("check", path, "--baseline", baseline)
    assert (status, out.count("conflict  ")) == (1, 1)


def test_a_baseline_with_findings_that_no_longer_exist(run, file, tmp_path):
    path, baseline = file(KNOWN), str(tmp_path / "known.json")
    run("check", path, "--write-baseline", baseline)
    assert run("check", path, "--baseline", baseline)[2] == ""
    Path(path).write_text(KNOWN.replace("30", "20"))
    status, _, err = run("check", path, "--baseline", baseline)
    expected = f"irenic: {baseline}: 1 accepted finding of {path} no longer exists\n"
    assert (status, err) == (0, expected)


def test_a_finding_accepted_in_the_file_is_shown_as_such(run, file):
    path = file(KNOWN.replace("low", "low # accept: conflict: ticket 7"))
    status, out, _ = run("check", path)
    assert (status, out.splitlines()[0]) == (0, "Accepted: 1 finding (ticket 7)")
    listed = run("check", path, "--verbose")[1].splitlines()[1]
    assert listed == (
        "  conflict: age = 20: rule 1 says low, rule 2 says high (wherever 20 <= age < 30)"
        " (ticket 7)"
    )
    (table,) = validated(run("check", path, "--json")[1])["files"][0]["tables"]
    (accepted,) = table["accepted"]
    assert (accepted["kind"], accepted["rules"], accepted["in_file"]) == ("conflicts", [1, 2], True)
    (result,) = json.loads(run("check", path, "--format", "sarif")[1])["runs"][0]["results"]
    assert result["suppressions"] == [{"kind": "inSource", "justification": "ticket 7"}]
    assert run("check", path, "--format", "github")[1] == ""


def test_a_baseline_is_an_external_suppression(run, file, tmp_path):
    path, baseline = file(KNOWN), str(tmp_path / "known.json")
    run("check", path, "--write-baseline", baseline, "--reason", "ticket 7")
    text = run("check", path, "--format", "sarif", "--baseline", baseline)[1]
    (result,) = json.loads(text)["runs"][0]["results"]
    assert result["suppressions"] == [{"kind": "external", "justification": "ticket 7"}]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("{", "not JSON"),
        ("{}", 'a baseline must have the "format" "irenic baseline"'),
        (
            '{"format": "irenic baseline", "version": 2}',
            "the version of a baseline must be 1, got 2",
        ),
        ('{"format": "irenic baseline", "version": 1}', 'a baseline must have a list "accepted"'),
        (
            '{"format": "irenic baseline", "version": 1, "accepted": [{}]}',
            "entry 1 must have file, table, kind, rules, where",
        ),
        (
            '{"format": "irenic baseline", "version": 1, "accepted": [{"file": "", "table": "",'
            ' "kind": "gaps", "rules": [], "where": "", "reason": " "}]}',
            "entry 1 must have a reason, got ' '",
        ),
    ],
)
def test_invalid_baselines_are_rejected(run, file, content, reason):
    status, _, err = run("check", file(KNOWN), "--baseline", file(content, "known.json"))
    assert (status, reason in err, "known.json" in err) == (2, True, True)


def test_a_folder_ends_with_a_total(run, file, tmp_path):
    for name, text in (("a.rules", KNOWN), ("b.rules", "IF a < 5 THEN x\n"), ("c.rules", "IF\n")):
        file(text, name)
    out = run("check", str(tmp_path))[1]
    assert out.splitlines()[-1] == (
        "Total of 3 files, 2 tables: 1 conflict, 1 gap, 1 file with errors"
    )


# --- more kinds of findings


def test_a_last_row_for_all_cases_gets_a_hint(run, file):
    path = file("age,fare\n< 18,free\n> 65,half\n-,full\n", "fares.csv")
    out = run("check", path)[1]
    assert "hit policy   rule 3, the last one, applies to every case and contradicts others" in out
    assert "(--hit-policy FIRST)" in out
    assert run("check", path, "--hit-policy", "FIRST")[0] == 0


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


def test_loose_ends_of_a_model_are_findings_with_places(run, file):
    path = file(LOOSE, "m.dmn")
    texts = [
        (3, "input data 'job' is not used"),
        (4, "decision 'Fare' requires 'gone', which the model lacks"),
    ]
    status, out, err = run("check", path)
    assert (status, err) == (0, "")
    for _, text in texts:
        assert f"model        {text}\n" in out
    (checked,) = json.loads(run("check", path, "--json")[1])["files"]
    assert checked["warnings"] == []
    found = [f for f in checked["tables"][0]["findings"] if f["kind"] == "model"]
    assert sorted((f["line"], f["text"]) for f in found) == texts
    assert checked["tables"][0]["counts"]["model"] == 2
    results = json.loads(run("check", path, "--format", "sarif")[1])["runs"][0]["results"]
    places = {
        (r["locations"][0]["physicalLocation"]["region"]["startLine"], r["message"]["text"])
        for r in results
        if r["ruleId"] == "model"
    }
    assert places == {(line, f"Fare: {text}") for line, text in texts}
    assert len({r["partialFingerprints"]["irenic/v1"] for r in results}) == len(results)
    assert run("check", path, "--fail-on", "model")[0] == 1


def test_loose_ends_can_be_accepted_one_by_one(run, file, tmp_path):
    path, baseline = file(LOOSE, "m.dmn"), str(tmp_path / "known.json")
    run("check", path, "--write-baseline", baseline)
    assert run("check", path, "--fail-on", "model", "--baseline", baseline)[0] == 0
    known = json.loads(Path(baseline).read_text())
    known["accepted"] = [e for e in known["accepted"] if "job" not in e["text"]]
    Path(baseline).write_text(json.dumps(known))
    assert run("check", path, "--fail-on", "model", "--baseline", baseline)[0] == 1


# --- places in spreadsheets


def test_findings_name_their_place_in_a_csv_file(run, file):
    path = file("Age,Job,Fare\n< 30,a,low\n>= 20,a,high\n> 200,b,high\n", "fares.csv")
    assert "\nconflict     lines 2 and 3: Age = 25, " in run("check", path)[1]
    assert "::fares: " not in (out := run("check", path, "--format", "github")[1]).splitlines()[0]
    assert ",line=3,title=irenic%3A conflict::lines 2 and 3: Age = 25, " in out


@pytest.fixture
def workbook(tmp_path):
    book = openpyxl.Workbook()
    book.active.title = "Fares"
    lines = [("Our fares",), (None,), ("Age", "Job", "Fare"), ("< 30", "a", "low")]
    lines += [(">= 20", "a", "high"), (">= 30", "b", "high"), ("> 99", "b", "high")]
    for line in lines:
        book.active.append(line)
    columns = book.create_sheet("Columns")
    for line in [("Column", "Kind"), ("Age", "integer [0..98]")]:
        columns.append(line)
    path = tmp_path / "fares.xlsx"
    book.save(path)
    return str(path)


def test_findings_name_their_place_in_a_workbook(run, workbook):
    out = run("check", workbook)[1]
    assert "\nconflict     Fares, rows 4 and 5: Age = 25, " in out
    assert "\nnever fires  Fares, row 7: rule 4 never fires: " in out
    (table,) = validated(run("check", workbook, "--json")[1])["files"][0]["tables"]
    places = {finding["kind"]: finding["place"] for finding in table["findings"]}
    assert places["conflicts"] == "Fares, rows 4 and 5"
    assert places["gaps"] == ""
    results = json.loads(run("check", workbook, "--format", "sarif")[1])["runs"][0]["results"]
    message, location = results[0]["message"]["text"], results[0]["locations"][0]
    assert message.startswith("Fares, rows 4 and 5: Age = 25, ")
    assert location["logicalLocations"][0]["fullyQualifiedName"] == "Fares, rows 4 and 5"
    gap = next(result for result in results if result["ruleId"] == "gaps")
    assert gap["message"]["text"].startswith("Fares: Age = ")


def test_cells_outside_their_domain_name_the_cell(run, file, tmp_path):
    book = openpyxl.Workbook()
    for line in [
        ("Age", "Job", "Fare"),
        ("integer [0..98]",),
        ("< 30", "a", "low"),
        ("> 20", "b", 5),
    ]:
        book.active.append(line)
    book.active.append(("[0..99]", "c", "low"))
    path = str(tmp_path / "fares.xlsx")
    book.save(path)
    out = run("check", path)[1]
    assert "outside      Sheet!A5: rule 3, column Age: " in out
    assert "outcome      Sheet!C4: rule 2: the outcome 5 is a number" in out


def test_sarif_says_how_columns_were_read(run, workbook):
    (sarif,) = json.loads(run("check", workbook, "--format", "sarif")[1])["runs"]
    notes = sarif["invocations"][0]["toolExecutionNotifications"]
    assert [note["message"]["text"] for note in notes if note["level"] == "note"] == [
        "Fares, column 'Age': condition: whole numbers, at least 0, at most 98",
        "Fares, column 'Job': condition: a, b or other values",
        "Fares, column 'Fare': outcome: low, high",
    ]


def test_findings_in_json_files_have_lines(run, file):
    text = (
        '{"version": 1, "rules": [\n {"if": {"age": {"<": 18}}, "then": "é"},\n\n'
        ' {"if": {"age": {">=": 17}},\n  "then": "full"}\n]}\n'
    )
    path = file(text, "fares.json")
    out = run("check", path, "--format", "github")[1]
    assert out.startswith(f"::error file={path},line=4,title=irenic%3A conflict::age = 17: ")
    (run_of,) = json.loads(run("check", path, "--format", "sarif")[1])["runs"]
    (result,) = run_of["results"]
    assert result["locations"][0]["physicalLocation"]["region"] == {"startLine": 4}
    (table,) = json.loads(run("check", path, "--json")[1])["files"][0]["tables"]
    assert table["findings"][0]["line"] == 4
    Path(path).write_bytes(text.encode("cp1252"))  # whose lines are not known
    out = run("check", path, "--format", "github", "--encoding", "cp1252")[1]
    assert out.startswith(f"::error file={path},title=irenic%3A conflict::age = 17: ")


def test_messages_of_documents_name_options(run, file):
    path = file("Rule no,age,fare\n1,< 18,free\n2,>= 17,1.000\n", "fares.csv")
    _, _, err = run("check", path)
    assert "--locale de or en" in err
    assert "locale=" not in err
    (problem,) = json.loads(run("check", path, "--json")[1])["files"][0]["errors"]
    assert err == f"irenic: {path}, line 3: {problem['message']}\n"
    (run_of,) = json.loads(run("check", path, "--format", "sarif")[1])["runs"]
    (told,) = [
        note["message"]["text"]
        for note in run_of["invocations"][0]["toolExecutionNotifications"]
        if note["level"] == "error"
    ]
    assert told == problem["message"]
    assert run("check", path, "--format", "github")[1].endswith("--locale de or en\n")
