"""``irenic repair``, ``complete``, ``merge``, ``convert`` and ``diff``."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import numpy as np
import pytest

import irenic
from documents import validated

CONTRADICTING = "IF age < 30 AND job in {nurse} THEN low\nIF age >= 29 THEN high\n"
TABLE = """age,fare
< 20,free
[10..30],full
> 30,full
"""
LIST = """<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" name="m" namespace="n">
  <decision name="Fare" id="fare"><decisionTable hitPolicy="FIRST">
    <input><inputExpression typeRef="number"><text>age</text></inputExpression></input>
    <output name="fare"/>
    <rule><inputEntry><text>&lt; 10</text></inputEntry>
      <outputEntry><text>"free"</text></outputEntry></rule>
    <rule><inputEntry><text>&lt; 20</text></inputEntry>
      <outputEntry><text>"half"</text></outputEntry></rule>
    <rule><inputEntry><text>-</text></inputEntry>
      <outputEntry><text>"full"</text></outputEntry></rule>
  </decisionTable></decision>
</definitions>
"""


# --- repair


@pytest.mark.parametrize("how", ["drop", "trim", "split"])
def test_repaired_rules_are_written_to_a_new_file(run, file, tmp_path, how):
    path, out = file(CONTRADICTING), tmp_path / "mended.rules"
    status, said, err = run("repair", path, "--how", how, "-o", str(out))
    assert (status, err) == (0, "")
    assert "rule 1 says low where 29 <= age < 30" in said or "rule 2 says high where" in said
    assert f"written to {out}\n" in said
    assert irenic.read(out).is_consistent
    assert Path(path).read_text() == CONTRADICTING


def test_without_an_output_the_rules_are_printed(run, file):
    status, out, err = run("repair", file(CONTRADICTING), "--how", "split")
    assert status == 0
    assert err.splitlines()[1:] == ["1 change."]
    assert out.splitlines() == [
        "IF age < 30 AND job in {nurse} THEN low",
        "IF 29 <= age < 30 AND job not in {nurse} THEN high",
        "IF age >= 30 THEN high",
    ]


def test_rules_that_agree_need_no_repair(run, file):
    found = run("repair", file("IF a < 5 THEN A\n"))
    assert found == (0, "IF a < 5 THEN A\n", "No contradictions.\n")


def test_data_decides_which_rule_is_kept(run, file):
    path = file("IF age < 30 THEN low\nIF age >= 20 THEN high\n")
    young = file("age,risk\n25,low\n26,low\n27,low\n28,low\n", "young.csv")
    assert "rule 2 (IF age >= 20 THEN high) is dropped" in run("repair", path, "--data", young)[2]
    old = file("risk,age\nhigh,25\nhigh,26\nhigh,40\n", "old.csv")
    said = run("repair", path, "--data", old, "--label", "risk")[2]
    assert "rule 1 (IF age < 30 THEN low) is dropped" in said


def test_data_without_outcomes_is_rejected(run, file):
    path, data = file(CONTRADICTING), file("age,risk\n25,low\n26,\n", "young.csv")
    status, _, err = run("repair", path, "--data", data)
    assert (status, err) == (
        2,
        f"irenic: {data}: column 'risk' must have an outcome in every row, got none in row 2\n",
    )
    status, _, err = run("repair", path, "--data", data, "--label", "rsk")
    assert (status, err) == (2, f"irenic: {data}: unknown column 'rsk'; did you mean 'risk'?\n")


def test_a_table_stays_a_table(run, file, tmp_path):
    path, out = file(TABLE, "fares.csv"), tmp_path / "mended.csv"
    status, said, _ = run("repair", path, "-o", str(out))
    assert status == 0
    assert "is dropped" in said
    (table,) = irenic.parse(out).bind().tables
    assert table.n_rows == 2
    assert table.rules.is_consistent


def test_an_input_is_never_overwritten(run, file, tmp_path):
    path = file(CONTRADICTING)
    link = tmp_path / "link.rules"
    link.symlink_to(path)
    for command in (["repair", path, "-o", path], ["convert", path, str(link)]):
        status, out, err = run(*command)
        assert (status, out) == (2, "")
        option = "OUT" if command[0] == "convert" else "--output"
        assert err == (
            f"irenic: {option} {command[-1]} and IN {path} are the same file, but inputs are never"
            " overwritten; write to a new file\n"
        )
    assert Path(path).read_text() == CONTRADICTING
    data = file("age,risk\n25,low\n", "d.csv")
    assert run("repair", path, "--data", data, "-o", data)[0] == 2
    assert Path(data).read_text() == "age,risk\n25,low\n"


def test_changes_as_json(run, file):
    status, out, _ = run("repair", file(CONTRADICTING), "--json")
    assert status == 0
    found = validated(out)
    (change,) = found["changes"]
    assert (change["kind"], {change["rule"], *change["against"]}) == ("dropped", {1, 2})
    assert (len(change["before"]), change["after"]) == (1, [])
    assert [rule["then"]["value"] for rule in found["rules"]] in (["low"], ["high"])
    (gap,) = found["notes"]
    assert gap.startswith("the repair opens gaps: no rule applies where 29 <= age < 30 and")
    assert (found["proposals"], found["default"]) == ([], None)


def test_proposals_as_json(run, file):
    status, out, _ = run("complete", file("IF age < 30 THEN low\nDEFAULT high\n"), "--json")
    assert status == 0
    found = validated(out)
    (proposal,) = found["proposals"]
    assert proposal["region"]["text"] == "age >= 30"
    assert proposal["then"] == found["rules"][-1]["then"]
    assert [rule["number"] for rule in found["rules"]] == [1, 2]
    assert found["changes"] == []
    assert found["default"]["value"] == "high"


def test_a_label_needs_data(run, file):
    status, _, err = run("repair", file(CONTRADICTING), "--label", "risk")
    assert (status, err) == (
        2,
        "irenic: --label names a column of --data, so it needs --data FILE\n",
    )


# --- complete and merge


def test_gaps_are_filled_and_every_rule_is_listed(run, file, tmp_path):
    path, out = file("IF age < 10 THEN child\nIF age >= 12 THEN adult\n"), tmp_path / "whole.rules"
    status, said, _ = run("complete", path, "-o", str(out))
    assert status == 0
    assert said.startswith("IF 10 <= age < 12 THEN ")
    assert f"1 rule added; every case is covered; 3 rules written to {out}\n" in said
    assert irenic.read(out).is_complete
    gaps = "".join(f"IF {2 * i} <= a < {2 * i + 1} THEN A\n" for i in range(5))
    assert run("complete", file(gaps, "g.rules"), "--limit", "1")[0] == 1


def test_neighboring_rules_are_merged(run, file):
    found = run("merge", file("IF a < 5 THEN A\nIF 5 <= a < 9 THEN A\n"))
    assert found == (0, "IF a < 9 THEN A\n", "2 rules became 1.\n")


def test_merge_reports_that_the_budget_ended_it(run, file):
    path = file("IF a < 5 THEN A\nIF 5 <= a < 9 THEN A\n")
    note = "merging was stopped by seconds; a longer --budget may merge more rules"
    status, out, err = run("merge", path, "--budget", "0")
    assert (status, out) == (0, "IF a < 5 THEN A\nIF 5 <= a < 9 THEN A\n")
    assert err == f"{note}\n2 rules became 2.\n"
    assert validated(run("merge", path, "--budget", "0", "--json")[1])["notes"] == [note]


def test_complete_reports_that_the_budget_ended_it(run, file, monkeypatch):
    monkeypatch.setattr("irenic.boxes.cutting._BURST", 1)
    gaps = "".join(f"IF {2 * i} <= a < {2 * i + 1} THEN A\n" for i in range(5))
    status, _, err = run("complete", file(gaps), "--budget", "0")
    note = "looking for gaps was stopped by seconds; a longer --budget may find more"
    assert (status, note in err.splitlines()) == (1, True)


def test_trim_reports_that_the_result_may_not_be_optimal(run, file):
    status, _, err = run("repair", file(CONTRADICTING), "--how", "trim", "--budget", "0")
    note = "trimmed rules may not keep their largest regions; a longer --budget may keep more"
    assert (status, note in err.splitlines()) == (0, True)


def test_a_merged_unique_table_has_no_overlap(run, file, tmp_path):
    path = file("U,a,b,out\n1,< 10,>= 2,x\n2,-,< 2,x\n", "u.csv")
    out = tmp_path / "merged.csv"
    assert run("merge", path, "-o", str(out))[0] == 0
    assert out.read_text() == "U,a,b,out\n1,< 10,>= 2,x\n2,-,< 2,x\n"
    assert run("check", str(out), "--fail-on", "overlaps")[0] == 0


@pytest.mark.parametrize("policy", ["F", "P"])
def test_an_ordered_table_is_merged_as_a_set(run, file, tmp_path, policy):
    path = file(f"{policy},a,out\n1,< 5,x\n2,< 9,x\n3,-,y\n", "f.csv")
    out = tmp_path / "merged.csv"
    assert run("merge", path, "-o", str(out))[0] == 0
    assert run("diff", path, str(out))[0] == 0
    assert "< 9,x" in out.read_text()


@pytest.mark.parametrize("policy", ["C", "R"])
def test_a_table_in_which_all_rows_count_is_not_merged(run, file, policy):
    status, _, err = run("merge", file(f"{policy},a,out\n1,< 5,x\n2,< 9,x\n", "c.csv"))
    assert status == 2
    assert "all rules that apply count, so merging them would change the result" in err


def test_tables_keep_their_names(run, file, tmp_path):
    path, out = file("age,fare\n< 10,5\n[10..20],5\n", "fares.csv"), tmp_path / "o.csv"
    for command in ("merge", "complete", "repair"):
        assert run(command, path, "-o", str(out))[0] == 0
        assert out.read_text().startswith("age,fare")


def test_under_unique_repair_removes_overlaps_of_agreeing_rules(run, file):
    path = file("age,fare\n< 10,5\n[5..20],5\n", "fares.csv")
    said = run("repair", path, "--hit-policy", "UNIQUE", "--how", "split")[2]
    assert "rule 1 says 5 where 5 <= age < 10" in said or "rule 2 says 5 where 5 <= age" in said


def test_new_rules_stay_inside_the_space(run, file):
    path = file("x,fare\n[0..10),5\n", "fares.csv")
    space = file(
        '{"version": 1, "space": [{"name": "x", "bounds": [0, 20]}], "rules": []}', "s.json"
    )
    assert run("complete", path, "--space", space)[1].count("\n") == 2
    assert run("complete", path)[1].count("\n") == 3


# --- convert


EXPORTED = {
    "not.csv": 'U,country,out\n1,"not(DE, AT)",foreign\n2,"DE, AT",home\n',
    "first.csv": 'F,country,out\n1,"DE, AT",home\n2,-,foreign\n',
    "priority.csv": "P,country,out\n1,DE,home\n2,not(AT),foreign\n3,-,near\n",
    "age.csv": "age,country,out\n< 18,-,minor\n>= 18,DE,adult\nDEFAULT,,unknown\n",
    "number.csv": "age,out\nnot(5),x\n5,y\n",
    "flag.csv": "flag,out\nnot(true),x\ntrue,y\n",
    "rules.txt": "IF country not in {DE, AT} THEN foreign\nIF country in {DE} THEN home\n",
    "other.txt": "IF country in {other} THEN foreign\nIF country in {DE} THEN home\n",
    "bare.json": '{"version": 1, "rules": [{"if": {"country": {"not in": ["DE"]}}, "then": "x"}]}',
}
CASES = """country,age,flag
DE,17,true
AT,5,false
FR,18,true
,,
"""


@pytest.mark.parametrize("name", EXPORTED)
def test_exports_treat_missing_values_as_predict_does(run, file, tmp_path, name):
    path, data = file(EXPORTED[name], name), file(CASES, "cases.csv")
    status, out, err = run("predict", path, data)
    assert status == 0, err
    expected = [line.rsplit(",", 1)[1] for line in out.splitlines()[1:]]
    cases = [
        {"country": c, "age": a, "flag": f}
        for c, a, f in [("DE", 17, True), ("AT", 5, False), ("FR", 18, True), (None, None, None)]
    ]
    source = tmp_path / "exported.py"
    assert run("convert", path, str(source))[0] == 0
    namespace: dict = {}
    exec(source.read_text(), namespace)
    assert [namespace["predict"](case) or "" for case in cases] == expected
    query = tmp_path / "exported.sql"
    assert run("convert", path, str(query), "--dialect", "sqlite")[0] == 0
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE cases (country, age, flag)")
    connection.executemany(
        "INSERT INTO cases VALUES (?, ?, ?)", [tuple(case.values()) for case in cases]
    )
    got = [row[-1] or "" for row in connection.execute(query.read_text())]
    connection.close()
    assert got == expected


def test_rules_that_conflict_only_for_missing_values_are_exported(run, file, tmp_path):
    path = file("flag,out\nnot(true),x\nnot(false),y\n", "flag.csv")
    assert run("predict", path, file("flag\ntrue\nfalse\n", "a.csv"))[0] == 0
    assert run("predict", path, file("flag,k\ntrue,1\n,2\n", "b.csv"))[0] == 2
    source = tmp_path / "exported.py"
    assert run("convert", path, str(source))[0] == 0
    namespace: dict = {}
    exec(source.read_text(), namespace)
    assert [namespace["predict"]({"flag": flag}) for flag in (True, False)] == ["y", "x"]
    with pytest.raises(ValueError, match="'flag' must not be missing"):
        namespace["predict"]({"flag": None})


def test_a_space_declares_whether_exported_rules_accept_missing_values(run, file, tmp_path):
    space = '{"version": 1, "rules": [], "space": [{"name": "age", "kind": "number"}]}'
    path, source = file("IF age < 18 THEN minor\n"), tmp_path / "exported.py"
    assert run("convert", path, str(source), "--space", file(space, "s.json"))[0] == 0
    assert "_number(case, 'age')" in source.read_text()


@pytest.mark.parametrize("suffix", ["json", "rules", "csv", "xlsx", "dmn"])
def test_converted_rules_are_the_same(run, file, tmp_path, suffix):
    path, out = file(CONTRADICTING), tmp_path / f"out.{suffix}"
    status, said, _ = run("convert", path, str(out))
    assert (status, said) == (0, f"2 rules written to {out}\n")
    rules = irenic.read(path)
    assert irenic.read(out, space=None if suffix == "dmn" else rules.space) == rules


def test_a_list_is_kept_as_a_list_or_becomes_a_set(run, file, tmp_path):
    path = file(LIST, "list.dmn")
    out = tmp_path / "out.json"
    assert run("convert", path, str(out))[0] == 0
    assert irenic.read(out) == irenic.read(path)
    assert isinstance(irenic.read(out), irenic.RuleList)
    text = tmp_path / "out.txt"
    status, _, err = run("convert", path, str(text))
    assert status == 2
    assert "a text file must contain a rule set, got a rule list" in err
    assert not text.exists()
    status, said, _ = run("convert", path, str(text), "--as-set")
    assert status == 0
    assert said.startswith("3 ordered rules became ")
    made = irenic.read(text)
    assert made.is_consistent
    assert irenic.diff(irenic.read(path), made).same


def test_sql_decides_like_the_rules(run, file, tmp_path):
    path, out = file("IF age < 10 THEN child\nIF age >= 10 THEN adult\n"), tmp_path / "q.sql"
    status, _, _ = run("convert", path, str(out), "--dialect", "sqlite", "--sql-table", "people")
    assert status == 0
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE people (age REAL)")
    connection.executemany("INSERT INTO people VALUES (?)", [(5,), (10,)])
    assert connection.execute(out.read_text()).fetchall() == [(5.0, "child"), (10.0, "adult")]
    connection.close()


def test_sql_has_the_rule_the_probabilities_and_the_form_that_are_asked_for(run, file, tmp_path):
    model, out = tmp_path / "m.json", tmp_path / "q.sql"
    clf = irenic.RuleSetClassifier(generations=1, moves=50, random_state=0)
    irenic.write(clf.fit({"age": range(40)}, ["free"] * 18 + ["full"] * 22), model)
    asked = ["--dialect", "sqlite", "--sql-table", "people", "--sql-rule", "why"]
    assert run("convert", str(model), str(out), *asked, "--probabilities")[0] == 0
    connection = sqlite3.connect(":memory:")
    connection.row_factory = sqlite3.Row
    connection.execute("CREATE TABLE people (age REAL)")
    connection.execute("INSERT INTO people VALUES (3)")
    [row] = connection.execute(out.read_text())
    connection.close()
    assert row["why"] == 1
    labels = [row[f"probability of {label}"] for label in ("free", "full")]
    assert labels == clf.predict_proba({"age": [3]})[0].tolist()
    assert run("convert", str(model), str(out), "--sql-form", "tree")[0] == 0
    assert run("convert", str(model), str(out), "--sql-form", "arrays")[0] == 0
    assert "Arrays of nodes" in out.read_text()
    status, _, err = run("convert", str(model), str(out), *asked, "--sql-form", "arrays")
    assert status == 2
    assert "needs one of the dialects duckdb, postgres, spark, got 'sqlite'" in err
    rules = file("IF age < 10 THEN child\n", "r.txt")
    status, _, err = run("convert", rules, str(out), "--probabilities")
    assert status == 2
    assert "needs a model of irenic learn as it is" in err
    status, _, err = run("convert", str(model), str(tmp_path / "m.py"), "--sql-rule", "why")
    assert status == 2
    assert "is only for SQL, not py" in err


@pytest.mark.parametrize("conflicts", ["best", "vote"])
def test_sql_of_a_model_whose_rules_contradict_each_other(run, tmp_path, conflicts):
    model, out = tmp_path / "m.json", tmp_path / "q.sql"
    rng = np.random.default_rng(0)
    X = {"a": rng.random(300), "b": rng.random(300)}
    y = np.where(X["a"] < 0.3, "x", np.where(X["b"] < 0.4, "y", "z"))
    clf = irenic.RuleSetClassifier(conflicts=conflicts, generations=2, moves=400, random_state=0)
    clf.fit(X, y)
    assert not clf.rules_.is_consistent
    irenic.write(clf, model)
    status, _, err = run("convert", str(model), str(out), "--dialect", "sqlite")
    if conflicts == "vote":
        assert status == 2
        assert "only one of them decides; use 'first' or 'best', or learn rules with confl" in err
        return
    assert status == 0
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE cases (a, b)")
    rows = list(zip(*(X[name].tolist() for name in "ab"), strict=True))
    connection.executemany("INSERT INTO cases VALUES (?, ?)", rows)
    found = [row[-1] for row in connection.execute(out.read_text())]
    connection.close()
    assert found == clf.predict(X).tolist()


def test_sets_of_which_several_rules_decide_are_not_written_as_sql(run, file, tmp_path):
    path, out = file(LIST.replace('"FIRST"', '"COLLECT"'), "sum.dmn"), tmp_path / "q.sql"
    status, _, err = run("convert", path, str(out))
    assert status == 2
    assert "cannot represent the hit policy" in err
    assert "collects the outcomes of all rules that apply; write .dmn, .csv or .xlsx" in err
    assert not out.exists()


def test_several_outcomes_become_columns_of_sql(run, file, tmp_path):
    path = file("age,Outcome 1,Outcome 2\n< 10,child,5\n>= 10,adult,9\n", "t.csv")
    out = tmp_path / "q.sql"
    assert run("convert", path, str(out), "--dialect", "sqlite")[0] == 0
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE cases (age REAL)")
    connection.executemany("INSERT INTO cases VALUES (?)", [(5,), (10,)])
    found = connection.execute(out.read_text())
    assert [column[0] for column in found.description] == ["age", "Outcome 1", "Outcome 2"]
    assert found.fetchall() == [(5.0, "child", 5), (10.0, "adult", 9)]
    connection.close()


def test_an_unknown_format_is_rejected(run, file, tmp_path):
    status, _, err = run("convert", file(CONTRADICTING), str(tmp_path / "a.docx"))
    assert status == 2
    assert "a.docx: no format for files that end in '.docx'" in err
    assert [p.name for p in tmp_path.iterdir()] == ["my.rules"]


def test_a_table_must_be_named_if_there_are_several(run, file, tmp_path):
    two = LIST.replace("</definitions>", "") + LIST.split("\n", 1)[1].replace('"Fare"', '"Fee"')
    path = file(two, "two.dmn")
    status, _, err = run("convert", path, str(tmp_path / "a.json"))
    assert status == 2
    assert "the source contains 2 tables ('Fare', 'Fee'); choose one" in err
    status, _, err = run("convert", path, str(tmp_path / "a.json"), "--table", "Fee")
    assert (status, err) == (0, f"irenic: ignored 1 other table of {path}\n")
    status, _, err = run("convert", path, str(tmp_path / "a.json"), "--table", "Fe")
    assert (status, err) == (2, f"irenic: {path}: unknown table 'Fe'; did you mean 'Fee'?\n")


# --- diff


def test_diff_lists_the_differences(run, file):
    a = file("IF age < 18 THEN free\nDEFAULT pays\n", "a.rules")
    b = file("IF age < 16 THEN free\nDEFAULT pays\n", "b.rules")
    status, out, _ = run("diff", a, b)
    assert status == 1
    assert out == (
        "where 16 <= age < 18: free (rule 1) becomes pays (by default), for example at age = 17\n"
        "They decide differently in 1 region.\n"
    )
    assert run("diff", a, a) == (0, "They decide the same everywhere.\n", "")
    status, out, _ = run("diff", a, b, "--json")
    found = validated(out)
    assert (status, found["same"], found["finished"]) == (1, False, True)
    (difference,) = found["differences"]
    assert difference["region"]["text"] == "16 <= age < 18"
    assert (difference["before"]["value"], difference["after"]["value"]) == ("free", "pays")
    assert (difference["rules_before"], difference["rules_after"]) == ([1], [])
    assert difference["witness"]["values"] == {"age": 17}


def test_tables_that_collect_are_not_changed(run, file, tmp_path):
    path = file(LIST.replace('"FIRST"', '"COLLECT"'), "sum.dmn")
    for command in (["repair", path], ["merge", path], ["diff", path, path]):
        status, out, err = run(*command)
        assert (status, out) == (2, "")
        assert "under COLLECT" in err
        assert "all rules that apply count" in err
    status, _, err = run("convert", path, str(tmp_path / "a.json"))
    assert status == 2
    assert ".json files cannot represent the hit policy" in err
    assert run("convert", path, str(tmp_path / "a.dmn"))[0] == 0
    assert irenic.parse(tmp_path / "a.dmn").bind().tables[0].hit_policy == "COLLECT"


def test_errors_about_conflicts_number_the_rows(run, file, tmp_path):
    text = 'age,fare\n"< 5, > 90",free\n[80..95],half\n'
    status, _, err = run("convert", file(text, "t.csv"), str(tmp_path / "a.sql"))
    assert status == 2
    assert "rule 1 says free, rule 2 says half where 90 < age <= 95" in err
    assert "rule 1 says free, rule 2 says half" in run("diff", *[file(text, "t.csv")] * 2)[2]


def test_features_of_only_one_side_are_reported(run, file):
    a, b = file("IF age < 5 THEN A\n", "a.rules"), file("IF Age < 5 THEN A\n", "b.rules")
    assert run("diff", a, b)[2] == (f"irenic: only {a} tests age\nirenic: only {b} tests Age\n")


def test_rules_that_contradict_each_other_cannot_be_compared(run, file):
    a, b = file(CONTRADICTING, "a.rules"), file("IF age < 5 THEN low\n", "b.rules")
    status, out, err = run("diff", a, b)
    assert (status, out) == (2, "")
    assert "the first rule set contradicts itself: rule 1 says low" in err
    assert "let the first rule win with --hit-policy FIRST" in err
    assert run("diff", a, a, "--hit-policy", "first")[0] == 0


DESK = """<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" namespace="urn:d">
<decision name="Desk"><decisionTable><input><inputExpression typeRef="string"><text>country</text>
</inputExpression></input><output name="desk"/>
<rule><inputEntry><text>not("DE", "AT")</text></inputEntry><outputEntry><text>"foreign"</text>
</outputEntry></rule>
<rule><inputEntry><text>"DE", "AT"</text></inputEntry><outputEntry><text>"home"</text></outputEntry>
</rule></decisionTable></decision></definitions>"""


def test_a_dmn_model_is_exported_as_it_predicts(run, file, tmp_path):
    path, data = file(DESK, "desk.dmn"), file("country,n\nDE,1\n,2\nFR,3\n", "cases.csv")
    status, out, _ = run("predict", path, data)
    assert (status, out) == (0, "country,n,prediction\nDE,1,home\n,2,foreign\nFR,3,foreign\n")
    source = tmp_path / "exported.py"
    assert run("convert", path, str(source))[0] == 0
    namespace: dict = {}
    exec(source.read_text(), namespace)
    assert [namespace["predict"]({"country": c}) for c in ("DE", None, "FR")] == [
        "home", "foreign", "foreign"
    ]  # fmt: skip


# --- in place


@pytest.mark.parametrize("how", ["drop", "trim", "split"])
def test_a_file_is_changed_in_place_only_if_asked(run, file, how):
    path = file(TABLE, "fares.csv")
    assert run("repair", path, "-o", path)[0] == 2
    assert Path(path).read_text() == TABLE
    status, said, err = run("repair", path, "--how", how, "--in-place")
    assert (status, err) == (0, "")
    assert f"changed rows are explained in the column IRENIC NOTE of {path}\n" in said
    assert irenic.read(path).is_consistent
    assert "> 30,full\n" in Path(path).read_text()
    again = run("repair", path, "--in-place")
    assert again == (0, f"No contradictions; {path} is unchanged\n", "")


def test_in_place_excludes_an_output_and_standard_input(run, file):
    path = file(TABLE, "fares.csv")
    status, _, err = run("repair", path, "--in-place", "-o", "x.csv")
    assert (status, err) == (
        2,
        "irenic: --in-place changes IN itself, so it excludes --output and --to\n",
    )
    status, _, err = run("merge", "-", "--in-place", "--from", "csv")
    assert (status, err) == (
        2,
        "irenic: --in-place needs a file; write standard input to --output\n",
    )


def test_complete_says_in_the_file_what_it_guessed(run, file):
    path = file("age,fare\n< 20,free\n>= 30,full\n", "fares.csv")
    status, said, _ = run("complete", path, "--in-place")
    assert status == 0
    assert "1 outcome is a guess from neighboring rules or cases, for the reasons above" in said
    assert Path(path).read_text() == (
        "age,fare,IRENIC NOTE\n< 20,free\n>= 30,full\n"
        '[20..30),free,"irenic complete: IF 20 <= age < 30 THEN free, like rule 1, which covers it'
        ' if its condition on age is widened"\n'
    )


def test_merge_rewrites_nothing_if_nothing_shrinks(run, file):
    text = 'age,fare\n"< 18, >= 60",reduced\n[18..60),full\n'
    path = file(text, "fares.csv")
    status, said, _ = run("merge", path, "--in-place")
    assert (status, said) == (0, f"3 rules became 3; {path} is unchanged\n")
    assert Path(path).read_text() == text


def test_merge_explains_rows_by_their_outcomes(run, file):
    path = file("age,fare\n< 10,a\n[10..20),a\n[20..30),b\n[30..40],b\n", "fares.csv")
    assert run("merge", path, "--in-place")[0] == 0
    lines = Path(path).read_text().splitlines()
    assert lines[1] == (
        '< 20,a,"irenic merge: rule 1 (IF age < 10 THEN a) is changed: rules 1, 2 are merged"'
    )
    assert lines[4].endswith('THEN b) is dropped: rules 3, 4 are merged"')


def test_ordered_rules_are_merged_into_a_new_file_only(run, file, tmp_path):
    path = file(LIST, "list.dmn")
    status, _, err = run("merge", path, "--in-place")
    assert status == 2
    assert "would need another hit policy than FIRST; write to a new file with --output" in err
    out = tmp_path / "new.dmn"
    status, _, err = run("merge", path, "-o", str(out))
    assert status == 0
    assert f"would need another hit policy than FIRST; {out} contains only the rules" in err


def test_a_repair_says_which_gaps_it_opens(run, file):
    path = file("IF age < 30 THEN low\nIF age >= 20 THEN high\n")
    said = run("repair", path)[2]
    assert "the repair opens gaps: no rule applies where age >= 30 (irenic complete" in said
    path = file("IF age < 30 THEN low\nIF age >= 20 THEN high\nDEFAULT none\n")
    assert "only the default (none) now applies where age >= 30\n" in run("repair", path)[2]
    assert "opens" not in run("repair", path, "--how", "split")[2]


def test_json_is_rewritten_in_place(run, file):
    rules = irenic.loads(CONTRADICTING, format="rules")
    path = file(irenic.dumps(rules, format="json"), "rules.json")
    assert run("repair", path, "--in-place")[0] == 0
    assert irenic.read(path).is_consistent


# --- tables of several files


def workbook(path, **sheets):
    import openpyxl

    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return str(path)


OLD = [["age", "fare"], ["< 18", "free"], [">= 18", "full"]]
NEW = [["age", "fare"], ["< 21", "free"], [">= 21", "full"]]


def test_two_sheets_of_a_workbook_are_compared(run, tmp_path):
    book = workbook(tmp_path / "fares.xlsx", old=OLD, new=NEW)
    status, out, _ = run("diff", book, book, "--table", "old", "--table", "new")
    assert (status, "18 <= age < 21" in out) == (1, True)
    assert run("diff", book, book, "--table", "old")[0] == 0
    status, _, err = run("diff", book, book, *["--table", "old"] * 3)
    assert (status, err) == (2, "irenic: --table can be given once or twice, got 3 names\n")


def test_a_sheet_is_compared_with_a_csv_file(run, file, tmp_path):
    book = workbook(tmp_path / "fares.xlsx", old=OLD, new=NEW)
    path = file("age,fare\n< 18,free\n>= 18,full\n", "fares.csv")
    assert run("diff", path, book, "--table", "old")[0] == 0
    assert run("diff", path, book, "--table", "new")[0] == 1


def test_commands_that_ask_for_a_table_take_one(run, file, tmp_path):
    book = workbook(tmp_path / "fares.xlsx", old=OLD, new=NEW)
    data = file("age\n20\n", "data.csv")
    for arguments in (["gaps", book], ["search", book], ["predict", book, data]):
        status, _, err = run(*arguments)
        assert (status, "choose one with --table …" in err) == (2, True)
        assert run(*arguments, "--table", "new")[0] in (0, 1)
    assert run("predict", book, data, "--table", "old")[1] == "age,prediction\n20,full\n"
    assert run("predict", book, data, "--table", "new")[1] == "age,prediction\n20,free\n"


def test_an_encoding_can_be_named(run, file, tmp_path):
    path = tmp_path / "fares.csv"
    path.write_bytes("age,fare\n< 20,frei für\n> 9,full\n".encode("cp1252"))
    assert run("repair", str(path))[0] == 2
    assert run("check", str(path), "--encoding", "cp1252")[0] == 1
    assert run("repair", str(path), "--encoding", "cp1252", "--in-place")[0] == 0
    assert "frei für" in path.read_text(encoding="cp1252")


def test_a_hit_policy_can_be_named_by_its_letter(run, file):
    path = file("IF age < 20 THEN a\nIF age > 9 THEN b\n")
    assert run("check", path)[0] == 1
    assert run("check", path, "--hit-policy", "f")[0] == 0


# --- places in spreadsheets

SHEET = "age,zone,fare\n< 20,a,low\n[10..30],a,high\n> 40,b,high\n"


def test_changes_and_conflicts_name_their_lines(run, file):
    path = file(SHEET, "fares.csv")
    err = run("repair", path)[2]
    assert err.startswith("line 3: rule 2 (IF 10 <= age <= 30 ")
    (change,) = json.loads(run("repair", path, "--json")[1])["changes"]
    assert change["place"] == "line 3"
    expected = "irenic: the rules contradict each other: lines 2 and 3: rule 1 says low, "
    assert run("merge", path)[2].startswith(expected)
    assert run("complete", path)[2].startswith(expected)


def test_differences_name_their_lines(run, file):
    a, b = file(SHEET, "a.csv"), file(SHEET.replace("> 40,b,high\n", "") + "> 40,b,low\n", "b.csv")
    out = run("diff", a, b, "--hit-policy", "F")[1]
    assert out.splitlines()[0] == (
        "where age >= 41 and zone in {b}: high (rule 3) becomes low (rule 3), for example at age ="
        " 62, zone = b (before: line 4; after: line 4)"
    )
    (difference,) = json.loads(run("diff", a, b, "--hit-policy", "F", "--json")[1])["differences"]
    assert (difference["place_before"], difference["place_after"]) == ("line 4", "line 4")
