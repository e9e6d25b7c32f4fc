"""``irenic repair``, ``complete``, ``merge``, ``convert`` and ``diff``."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import openpyxl
import pytest

import irenic

CONTRADICTING = "IF age < 30 AND job in {nurse} THEN low\nIF age >= 29 THEN high\n"
OVERLAPPING = "IF age < 30 THEN low\nIF age >= 20 THEN high\n"
TOUCHING = "IF a < 5 THEN A\nIF 5 <= a < 9 THEN A\n"
GAPS = "".join(f"IF {2 * i} <= a < {2 * i + 1} THEN A\n" for i in range(5))
TABLE = "age,fare\n< 20,free\n[10..30],full\n> 30,full\n"
SHEET = "age,zone,fare\n< 20,a,low\n[10..30],a,high\n> 40,= b,high\n"
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
COLLECT = LIST.replace('"FIRST"', '"COLLECT"')
SPACE = '{{"version": 1, "rules": [], "space": [{}]}}'


def text(name):
    return Path(name).read_text("utf-8")


# --- repair


@pytest.mark.parametrize("how", ["drop", "trim", "split"])
def test_repaired_rules_are_written_to_a_new_file_or_in_place(run, file, how):
    file(CONTRADICTING)
    status, said, err = run(f"repair my.rules --how {how} -o mended.rules")
    assert (status, err) == (0, "")
    assert "rule 1 says low where 29 <= age < 30" in said or "rule 2 says high where" in said
    assert "written to mended.rules\n" in said
    assert irenic.read("mended.rules").is_consistent
    assert text("my.rules") == CONTRADICTING
    file(TABLE, "fares.csv")
    status, said, err = run(f"repair fares.csv --how {how} --in-place")
    assert (status, err) == (0, "")
    assert "changed rows are explained in the column IRENIC NOTE of fares.csv\n" in said
    assert irenic.read("fares.csv").is_consistent
    assert "> 30,full\n" in text("fares.csv")
    again = run("repair fares.csv --in-place")
    assert again == (0, "No contradictions; fares.csv is unchanged\n", "")


def test_without_an_output_the_rules_are_printed(run, file):
    file(CONTRADICTING)
    status, out, err = run("repair my.rules --how split")
    assert (status, err.splitlines()[1:]) == (0, ["1 change."])
    assert out.splitlines() == [
        "IF age < 30 AND job in {nurse} THEN low",
        "IF 29 <= age < 30 AND job not in {nurse} THEN high",
        "IF age >= 30 THEN high",
    ]
    file("IF a < 5 THEN A\n")
    assert run("repair my.rules") == (0, "IF a < 5 THEN A\n", "No contradictions.\n")


def test_data_decides_which_rule_is_kept(run, refused, file):
    file(OVERLAPPING)
    file("age,risk\n25,low\n26,low\n27,low\n28,low\n", "young.csv")
    file("risk,age\nhigh,25\nhigh,26\nhigh,40\n", "old.csv")
    said = run("repair my.rules --data young.csv")[2]
    assert "rule 2 (IF age >= 20 THEN high) is dropped" in said
    said = run("repair my.rules --data old.csv --label risk")[2]
    assert "rule 1 (IF age < 30 THEN low) is dropped" in said
    file("age,risk\n25,low\n26,\n", "gap.csv")
    for options, message in {
        "--data gap.csv": (
            "gap.csv: column 'risk' must have an outcome in every row, got none in row 2"
        ),
        "--data gap.csv --label rsk": "gap.csv: unknown column 'rsk'; did you mean 'risk'?",
        "--label risk": "--label names a column of --data, so it needs --data FILE",
    }.items():
        assert refused(f"repair my.rules {options}") == message


def test_a_table_stays_a_table_and_keeps_its_names(run, file):
    file(TABLE, "fares.csv")
    status, said, _ = run("repair fares.csv -o mended.csv")
    assert (status, "is dropped" in said) == (0, True)
    (table,) = irenic.parse("mended.csv").bind().tables
    assert (table.n_rows, table.rules.is_consistent) == (2, True)
    file("age,fare\n< 10,5\n[10..20],5\n", "fares.csv")
    for command in ("merge", "complete", "repair"):
        assert run(f"{command} fares.csv -o out.csv")[0] == 0
        assert text("out.csv").startswith("age,fare")


def test_changes_and_proposals_as_json(document, file):
    file(CONTRADICTING)
    found = document("repair my.rules")
    (change,) = found["changes"]
    assert (change["kind"], {change["rule"], *change["against"]}) == ("dropped", {1, 2})
    assert (len(change["before"]), change["after"]) == (1, [])
    assert [rule["then"]["value"] for rule in found["rules"]] in (["low"], ["high"])
    (gap,) = found["notes"]
    assert gap.startswith("the repair opens gaps: no rule applies where 29 <= age < 30 and")
    assert (found["proposals"], found["default"]) == ([], None)
    file("IF age < 30 THEN low\nDEFAULT high\n")
    found = document("complete my.rules")
    (proposal,) = found["proposals"]
    assert proposal["region"]["text"] == "age >= 30"
    assert proposal["then"] == found["rules"][-1]["then"]
    assert [rule["number"] for rule in found["rules"]] == [1, 2]
    assert (found["changes"], found["default"]["value"]) == ([], "high")


def test_under_unique_repair_removes_overlaps_of_agreeing_rules(run, file):
    file("age,fare\n< 10,5\n[5..20],5\n", "fares.csv")
    said = run("repair fares.csv --hit-policy UNIQUE --how split")[2]
    assert "rule 1 says 5 where 5 <= age < 10" in said or "rule 2 says 5 where 5 <= age" in said


def test_a_repair_says_which_gaps_it_opens(run, file):
    file(OVERLAPPING)
    said = run("repair my.rules")[2]
    assert "the repair opens gaps: no rule applies where age >= 30 (irenic complete" in said
    file(f"{OVERLAPPING}DEFAULT none\n")
    assert "only the default (none) now applies where age >= 30\n" in run("repair my.rules")[2]
    assert "opens" not in run("repair my.rules --how split")[2]


# --- complete and merge


def test_gaps_are_filled_and_every_rule_is_listed(run, file):
    file("IF age < 10 THEN child\nIF age >= 12 THEN adult\n")
    status, said, _ = run("complete my.rules -o whole.rules")
    assert status == 0
    assert said.startswith("IF 10 <= age < 12 THEN ")
    assert "1 rule added; every case is covered; 3 rules written to whole.rules\n" in said
    assert irenic.read("whole.rules").is_complete
    file(GAPS)
    assert run("complete my.rules --limit 1")[0] == 1


def test_new_rules_stay_inside_the_space(run, file):
    file("x,fare\n[0..10),5\n", "fares.csv")
    file(SPACE.format('{"name": "x", "bounds": [0, 20]}'), "s.json")
    assert run("complete fares.csv --space s.json")[1].count("\n") == 2
    assert run("complete fares.csv")[1].count("\n") == 3


def test_neighboring_rules_are_merged(run, file):
    file(TOUCHING)
    assert run("merge my.rules") == (0, "IF a < 9 THEN A\n", "2 rules became 1.\n")


def test_a_used_up_budget_is_reported(run, document, file, monkeypatch):
    file(TOUCHING)
    note = "merging was stopped by seconds; a longer --budget may merge more rules"
    assert run("merge my.rules --budget 0") == (0, TOUCHING, f"{note}\n2 rules became 2.\n")
    assert document("merge my.rules --budget 0")["notes"] == [note]
    file(CONTRADICTING)
    status, _, err = run("repair my.rules --how trim --budget 0")
    note = "trimmed rules may not keep their largest regions; a longer --budget may keep more"
    assert (status, note in err.splitlines()) == (0, True)
    monkeypatch.setattr("irenic.boxes.cutting._BURST", 1)
    file(GAPS)
    status, _, err = run("complete my.rules --budget 0")
    note = "looking for gaps was stopped by seconds; a longer --budget may find more"
    assert (status, note in err.splitlines()) == (1, True)


def test_a_merged_unique_table_has_no_overlap(run, file):
    rows = "U,a,b,out\n1,< 10,>= 2,x\n2,-,< 2,x\n"
    file(rows, "u.csv")
    assert run("merge u.csv -o merged.csv")[0] == 0
    assert text("merged.csv") == rows
    assert run("check merged.csv --fail-on overlaps")[0] == 0


def test_an_ordered_table_is_merged_as_a_set_into_a_new_file_only(run, refused, file):
    for policy in ("F", "P"):
        file(f"{policy},a,out\n1,< 5,x\n2,< 9,x\n3,-,y\n", "f.csv")
        assert run("merge f.csv -o merged.csv")[0] == 0
        assert run("diff f.csv merged.csv")[0] == 0
        assert "< 9,x" in text("merged.csv")
    file(LIST, "list.dmn")
    note = "would need another hit policy than FIRST;"
    message = refused("merge list.dmn --in-place")
    assert f"{note} write to a new file with --output" in message
    status, _, err = run("merge list.dmn -o new.dmn")
    assert (status, f"{note} new.dmn contains only the rules" in err) == (0, True)


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
    "desk.dmn": """<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" namespace="d">
<decision name="Desk"><decisionTable><input><inputExpression typeRef="string"><text>country</text>
</inputExpression></input><output name="desk"/>
<rule><inputEntry><text>not("DE", "AT")</text></inputEntry><outputEntry><text>"foreign"</text>
</outputEntry></rule>
<rule><inputEntry><text>"DE", "AT"</text></inputEntry><outputEntry><text>"home"</text></outputEntry>
</rule></decisionTable></decision></definitions>""",
}
CASES = [("DE", 17, True), ("AT", 5, False), ("FR", 18, True), (None, None, None)]


def predict_of(source):
    """Return the function that a module of Python defines."""
    namespace: dict = {}
    exec(text(source), namespace)
    return namespace["predict"]


def in_sqlite(query, columns, rows, table="cases"):
    """Run a query on a table: the rows of the result."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.row_factory = sqlite3.Row
        connection.execute(f"CREATE TABLE {table} ({columns})")
        marks = ", ".join("?" * (columns.count(",") + 1))
        connection.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)
        return connection.execute(text(query)).fetchall()


@pytest.mark.parametrize("name", EXPORTED)
def test_exports_treat_missing_values_as_predict_does(run, file, name):
    file(EXPORTED[name], name)
    file("country,age,flag\nDE,17,true\nAT,5,false\nFR,18,true\n,,\n", "cases.csv")
    status, out, err = run(f"predict {name} cases.csv")
    assert status == 0, err
    expected = [line.rsplit(",", 1)[1] for line in out.splitlines()[1:]]
    assert run(f"convert {name} exported.py")[0] == 0
    names = ("country", "age", "flag")
    predict = predict_of("exported.py")
    assert [predict(dict(zip(names, case, strict=True))) or "" for case in CASES] == expected
    assert run(f"convert {name} exported.sql --dialect sqlite")[0] == 0
    found = in_sqlite("exported.sql", "country, age, flag", CASES)
    assert [row[-1] or "" for row in found] == expected


def test_rules_that_conflict_only_for_missing_values_are_exported(run, file):
    file("flag,out\nnot(true),x\nnot(false),y\n", "flag.csv")
    file("flag\ntrue\nfalse\n", "a.csv")
    file("flag,k\ntrue,1\n,2\n", "b.csv")
    assert run("predict flag.csv a.csv")[0] == 0
    assert run("predict flag.csv b.csv")[0] == 2
    assert run("convert flag.csv exported.py")[0] == 0
    predict = predict_of("exported.py")
    assert [predict({"flag": flag}) for flag in (True, False)] == ["y", "x"]
    with pytest.raises(ValueError, match="'flag' must not be missing"):
        predict({"flag": None})


def test_a_space_declares_whether_exported_rules_accept_missing_values(run, file):
    file("IF age < 18 THEN minor\n")
    file(SPACE.format('{"name": "age", "kind": "number"}'), "s.json")
    assert run("convert my.rules exported.py --space s.json")[0] == 0
    assert "_number(case, 'age')" in text("exported.py")


@pytest.mark.parametrize("suffix", ["json", "rules", "csv", "xlsx", "dmn"])
def test_converted_rules_are_the_same(run, file, suffix):
    file(CONTRADICTING)
    converted = (0, f"2 rules written to out.{suffix}\n", "")
    assert run(f"convert my.rules out.{suffix}") == converted
    rules = irenic.read("my.rules")
    assert irenic.read(f"out.{suffix}", space=None if suffix == "dmn" else rules.space) == rules


def test_a_list_is_kept_as_a_list_or_becomes_a_set(run, refused, file):
    file(LIST, "list.dmn")
    assert run("convert list.dmn out.json")[0] == 0
    rules = irenic.read("list.dmn")
    assert irenic.read("out.json") == rules
    assert isinstance(rules, irenic.RuleList)
    message = "a text file must contain a rule set, got a rule list"
    assert message in refused("convert list.dmn out.txt")
    assert not Path("out.txt").exists()
    status, said, _ = run("convert list.dmn out.txt --as-set")
    assert status == 0
    assert said.startswith("3 ordered rules became ")
    made = irenic.read("out.txt")
    assert made.is_consistent
    assert irenic.diff(rules, made).same


def test_sql_decides_like_the_rules(run, file):
    file("age,Outcome 1,Outcome 2\n< 10,child,5\n>= 10,adult,9\n", "t.csv")
    assert run("convert t.csv q.sql --dialect sqlite --sql-table people")[0] == 0
    found = in_sqlite("q.sql", "age REAL", [(5,), (10,)], table="people")
    assert found[0].keys() == ["age", "Outcome 1", "Outcome 2"]
    assert [tuple(row) for row in found] == [(5.0, "child", 5), (10.0, "adult", 9)]


def test_sql_has_the_rule_the_probabilities_and_the_form_that_are_asked_for(run, file):
    clf = irenic.RuleSetClassifier(generations=1, moves=50, random_state=0)
    irenic.write(clf.fit({"age": range(40)}, ["free"] * 18 + ["full"] * 22), "m.json")
    file("IF age < 10 THEN child\n", "r.txt")
    asked = "convert m.json q.sql --dialect sqlite --sql-table people --sql-rule why"
    assert run(f"{asked} --probabilities")[0] == 0
    [row] = in_sqlite("q.sql", "age REAL", [(3,)], table="people")
    assert row["why"] == 1
    labels = [row[f"probability of {label}"] for label in ("free", "full")]
    assert labels == clf.predict_proba({"age": [3]})[0].tolist()
    assert run("convert m.json q.sql --sql-form tree")[0] == 0
    assert run("convert m.json q.sql --sql-form arrays")[0] == 0
    assert "Arrays of nodes" in text("q.sql")
    for line, message in {
        f"{asked} --sql-form arrays": (
            "needs one of the dialects duckdb, postgres, spark, got 'sqlite'"
        ),
        "convert r.txt q.sql --probabilities": "needs a model of irenic learn as it is",
        "convert m.json m.py --sql-rule why": "is only for SQL, not py",
    }.items():
        status, _, err = run(line)
        assert (status, message in err) == (2, True), err


@pytest.mark.parametrize("conflicts", ["best", "vote"])
def test_sql_of_a_model_whose_rules_contradict_each_other(run, refused, conflicts):
    rng = np.random.default_rng(0)
    X = {"a": rng.random(300), "b": rng.random(300)}
    y = np.where(X["a"] < 0.3, "x", np.where(X["b"] < 0.4, "y", "z"))
    clf = irenic.RuleSetClassifier(
        evolution={"conflicts": conflicts}, generations=2, moves=400, random_state=0
    )
    assert not clf.fit(X, y).rules_.is_consistent
    irenic.write(clf, "m.json")
    if conflicts == "vote":
        message = "only one of them decides; use 'first' or 'best', or learn rules with confl"
        assert message in refused("convert m.json q.sql --dialect sqlite")
        return
    assert run("convert m.json q.sql --dialect sqlite")[0] == 0
    rows = list(zip(*(X[name].tolist() for name in "ab"), strict=True))
    assert [row[-1] for row in in_sqlite("q.sql", "a, b", rows)] == clf.predict(X).tolist()


def test_a_table_must_be_named_if_there_are_several(run, refused, file):
    file(
        LIST.replace("</definitions>", "") + LIST.split("\n", 1)[1].replace('"Fare"', '"Fee"'),
        "two.dmn",
    )
    message = "the source contains 2 tables ('Fare', 'Fee'); choose one"
    assert message in refused("convert two.dmn a.json")
    ignored = "irenic: ignored 1 other table of two.dmn\n"
    assert run("convert two.dmn a.json --table Fee")[::2] == (0, ignored)
    message = "two.dmn: unknown table 'Fe'; did you mean 'Fee'?"
    assert refused("convert two.dmn a.json --table Fe") == message


def test_tables_in_which_all_rows_count_are_not_changed(run, refused, file):
    file(COLLECT, "sum.dmn")
    file(COLLECT.replace('"COLLECT"', '"RULE ORDER"'), "rule.dmn")
    for line in ("repair sum.dmn", "merge sum.dmn", "diff sum.dmn sum.dmn"):
        message = refused(line)
        assert "under COLLECT" in message
        assert "all rules that apply count" in message
    message = "all rules that apply count, so merging them would change the result"
    assert message in refused("merge rule.dmn")
    assert ".json files cannot represent the hit policy" in refused("convert sum.dmn a.json")
    message = refused("convert sum.dmn a.sql")
    assert "cannot represent the hit policy" in message
    assert "collects the outcomes of all rules that apply; write .dmn, .csv or .xlsx" in message
    assert not Path("a.sql").exists()
    assert run("convert sum.dmn a.dmn")[0] == 0
    assert irenic.parse("a.dmn").bind().tables[0].hit_policy == "COLLECT"


# --- diff


def test_diff_lists_the_differences(run, document, file):
    file("IF age < 18 THEN free\nDEFAULT pays\n", "a.rules")
    file("IF age < 16 THEN free\nDEFAULT pays\n", "b.rules")
    assert run("diff a.rules b.rules")[:2] == (
        1,
        "where 16 <= age < 18: free (rule 1) becomes pays (by default), for example at age = 17\n"
        "They decide differently in 1 region.\n",
    )
    assert run("diff a.rules a.rules") == (0, "They decide the same everywhere.\n", "")
    found = document("diff a.rules b.rules")
    assert (found["same"], found["finished"]) == (False, True)
    (difference,) = found["differences"]
    assert difference["region"]["text"] == "16 <= age < 18"
    assert (difference["before"]["value"], difference["after"]["value"]) == ("free", "pays")
    assert (difference["rules_before"], difference["rules_after"]) == ([1], [])
    assert difference["witness"]["values"] == {"age": 17}
    file("IF Age < 18 THEN free\nDEFAULT pays\n", "b.rules")
    assert run("diff a.rules b.rules")[2] == (
        "irenic: only a.rules tests age\nirenic: only b.rules tests Age\n"
    )


def test_rules_that_contradict_each_other_cannot_be_compared_or_exported(run, refused, file):
    file(CONTRADICTING, "a.rules")
    file("IF age < 5 AND job in {cook} THEN low\n", "b.rules")
    err = refused("diff a.rules b.rules")
    assert "the first rule set contradicts itself: rule 1 says low" in err
    assert "let the first rule win with --hit-policy FIRST" in err
    assert run("diff a.rules a.rules --hit-policy first")[0] == 0
    # rows are numbered, though one of them is two rules
    file('age,fare\n"< 5, > 90",free\n[80..95],half\n', "t.csv")
    conflict = "rule 1 says free, rule 2 says half where 90 < age <= 95"
    assert conflict in refused("convert t.csv a.sql")
    assert "rule 1 says free, rule 2 says half" in refused("diff t.csv t.csv")


# --- in place


def test_in_place_excludes_an_output_and_standard_input(refused, file):
    file(TABLE, "fares.csv")
    message = "--in-place changes IN itself, so it excludes --output and --to"
    assert refused("repair fares.csv --in-place -o x.csv") == message
    message = "--in-place needs a file; write standard input to --output"
    assert refused("merge - --in-place --from csv") == message


def test_complete_says_in_the_file_what_it_guessed(run, file):
    file("age,fare\n< 20,free\n>= 30,full\n", "fares.csv")
    status, said, _ = run("complete fares.csv --in-place")
    assert status == 0
    assert "1 outcome is a guess from neighboring rules or cases, for the reasons above" in said
    assert text("fares.csv") == (
        "age,fare,IRENIC NOTE\n< 20,free\n>= 30,full\n"
        '[20..30),free,"irenic complete: IF 20 <= age < 30 THEN free, like rule 1, which covers it'
        ' if its condition on age is widened"\n'
    )


def test_merge_explains_rows_by_their_outcomes_and_rewrites_nothing_else(run, file):
    file("age,fare\n< 10,a\n[10..20),a\n[20..30),b\n[30..40],b\n", "fares.csv")
    assert run("merge fares.csv --in-place")[0] == 0
    lines = text("fares.csv").splitlines()
    assert lines[1] == (
        '< 20,a,"irenic merge: rule 1 (IF age < 10 THEN a) is changed: rules 1, 2 are merged"'
    )
    assert lines[4].endswith('THEN b) is dropped: rules 3, 4 are merged"')
    rows = 'age,fare\n"< 18, >= 60",reduced\n[18..60),full\n'
    file(rows, "fares.csv")
    said = "3 rules became 3; fares.csv is unchanged\n"
    assert run("merge fares.csv --in-place")[:2] == (0, said)
    assert text("fares.csv") == rows


def test_json_is_rewritten_in_place(run, file):
    file(irenic.dumps(irenic.loads(CONTRADICTING, format="rules"), format="json"), "rules.json")
    assert run("repair rules.json --in-place")[0] == 0
    assert irenic.read("rules.json").is_consistent


# --- tables of several files


@pytest.fixture
def book(here):
    """Write a workbook of two versions of a table."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, age in {"old": 18, "new": 21}.items():
        sheet = book.create_sheet(name)
        for row in (["age", "fare"], [f"< {age}", "free"], [f">= {age}", "full"]):
            sheet.append(row)
    book.save("book.xlsx")


def test_two_sheets_of_a_workbook_or_a_csv_file_are_compared(run, refused, book, file):
    diff = "diff book.xlsx book.xlsx --table old"
    status, out, _ = run(f"{diff} --table new")
    assert (status, "18 <= age < 21" in out) == (1, True)
    assert run(diff)[0] == 0
    message = "--table can be given once or twice, got 3 names"
    assert refused(f"{diff} --table old --table old") == message
    file("age,fare\n< 18,free\n>= 18,full\n", "fares.csv")
    assert run("diff fares.csv book.xlsx --table old")[0] == 0
    assert run("diff fares.csv book.xlsx --table new")[0] == 1


def test_commands_that_ask_for_a_table_take_one(run, refused, book, file):
    file("age\n20\n", "data.csv")
    for line in ("gaps book.xlsx", "search book.xlsx", "predict book.xlsx data.csv"):
        assert "choose one with --table …" in refused(line)
        assert run(f"{line} --table new")[0] in (0, 1)
    for name, fare in {"old": "full", "new": "free"}.items():
        predicted = run(f"predict book.xlsx data.csv --table {name}")[1]
        assert predicted == f"age,prediction\n20,{fare}\n"


def test_an_encoding_can_be_named(run):
    path = Path("fares.csv")
    path.write_bytes("age,fare\n< 20,frei für\n> 9,full\n".encode("cp1252"))
    assert run("repair fares.csv")[0] == 2
    assert run("check fares.csv --encoding cp1252")[0] == 1
    assert run("repair fares.csv --encoding cp1252 --in-place")[0] == 0
    assert "frei für" in path.read_text(encoding="cp1252")


def test_changes_conflicts_and_differences_name_their_lines(run, refused, document, file):
    file(SHEET, "a.csv")
    assert run("repair a.csv")[2].startswith("line 3: rule 2 (IF 10 <= age <= 30 ")
    (change,) = document("repair a.csv")["changes"]
    assert change["place"] == "line 3"
    expected = "the rules contradict each other: lines 2 and 3: rule 1 says low, "
    for command in ("merge", "complete"):
        assert refused(f"{command} a.csv").startswith(expected)
    file(SHEET.replace("> 40,= b,high\n", "> 40,= b,low\n"), "b.csv")
    assert run("diff a.csv b.csv --hit-policy F")[1].splitlines()[0] == (
        "where age >= 41 and zone in {b}: high (rule 3) becomes low (rule 3), for example at age ="
        " 62, zone = b (before: line 4; after: line 4)"
    )
    (difference,) = document("diff a.csv b.csv --hit-policy F")["differences"]
    assert (difference["place_before"], difference["place_after"]) == ("line 4", "line 4")
