"""The commands learn and predict."""

from __future__ import annotations

import json
import os
import re
import signal
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import irenic
from documents import validated
from irenic.frames.table import read_table, write_table

ROWS = 60
JOBS = ["nurse", "clerk", "cook"]
PEOPLE = [f"{i},{JOBS[i % 3]},{'free' if i < 18 else 'full'}" for i in range(ROWS)]
CSV = "people.csv"


@pytest.fixture(autouse=True)
def people(quick, file):
    """Write a table of people, and make fits fast."""

    def write(*lines, name=CSV):
        file("\n".join(lines) + "\n", name)

    write("age,job,pays", *PEOPLE)
    return write


@pytest.fixture
def model(run):
    assert run("learn people.csv --cv 0 -o model.json")[0] == 0


@pytest.fixture
def learned(run):
    """Learn from the people: the status, the output and the errors, and the model."""

    def call(options, table=CSV):
        status, out, err = run(f"learn {table} --cv 0 -o model.json {options}")
        assert status == 0, err
        return irenic.read_model("model.json"), out, err

    return call


# --- learn


def test_learn_prints_rules_certificate_comparison_and_front(run):
    status, out, err = run("learn people.csv --cv 3")
    assert (status, err) == (0, "")
    lines = [line.rstrip() for line in out.splitlines()]
    assert lines[:7] == [
        "Predicting the last column, 'pays' (override with --target).",
        "60 rows, 2 features, 2 classes: free 18, full 42",
        "",
        "rule  if         then  support  confidence  95 % interval",
        "   1  age < 18   free       18       1.000              –",
        "      otherwise  full       42       1.000              –",
        "",
    ]
    assert "\nConsistent: a single rule contradicts nothing.\n" in out
    assert "\nNot complete: by design, cases that no rule covers get the default, full.\n" in out
    assert "On rows left out (3-fold cross-validation):" in lines
    names = [line.split("  ")[0] for line in lines]
    assert names.index("irenic") < names.index("pruned tree") < names.index("majority class")
    assert [line for line in lines if line.startswith("*    2      1           1")]
    assert lines[-3:] == [
        "Save the model with -o model.json, then:",
        "  irenic predict model.json new.csv -o out.csv",
        "  irenic report model.json people.csv -o report.html",
    ]


def test_learn_in_json_prints_nothing_else(run):
    status, out, err = run("learn people.csv --cv 2 --json")
    assert (status, err) == (0, "")
    found = validated(out)
    classes = [("free", 18), ("full", 42)]
    assert found["data"] == {
        "name": CSV,
        "rows": 60,
        "features": 2,
        "target": "pays",
        "classes": [{"value": name, "text": name, "rows": rows} for name, rows in classes],
        "suspect": {},
    }
    rule = found["models"][found["chosen"]]["rules"][0]
    assert [condition["text"] for condition in rule["conditions"]] == ["age < 18"]
    assert (rule["support"], rule["confidence"]) == (18, 1)
    learners = [learner["name"] for learner in found["cross_validation"]["learners"]]
    assert learners == ["irenic", "pruned tree", "majority class"]


def test_learn_without_a_table_uses_the_example(run):
    status, out, _ = run("learn --cv 0 --max-rules 2")
    assert status == 0
    assert out.startswith(
        "No table given: using the wine data of scikit-learn.\n"
        "178 rows, 13 features, 3 classes: Barbera 48, Barolo 59, Grignolino 71\n"
    )
    assert "cross-validation" not in out


def test_learn_is_repeatable(run):
    first = run("learn people.csv --cv 2 --jobs 1")
    assert run("learn people.csv --cv 2 --jobs 2") == first


def test_the_target_can_be_any_column(run):
    out = run("learn people.csv --target job --cv 0 --budget 5")[1]
    assert out.startswith("60 rows, 2 features, 3 classes: clerk 20, cook 20, nurse 20\n")


@pytest.mark.parametrize("suffix", [".parquet", ".xlsx", ".csv.gz"])
def test_tables_are_read_and_written_in_other_formats(run, suffix):
    write_table(read_table(CSV), f"in{suffix}")
    status, out, _ = run(f"learn in{suffix} --cv 0 -o model.json")
    assert status == 0
    assert "   1  age < 18   free       18       1.000" in out
    assert run(f"predict model.json in{suffix} -o out{suffix}")[0] == 0
    found = read_table(f"out{suffix}")
    assert list(found) == ["age", "job", "pays", "prediction"]
    assert found["prediction"].tolist() == found["pays"].tolist()


def test_learn_writes_a_model_or_text(run, learned):
    assert run("learn people.csv --cv 0 -o rules.txt")[0] == 0
    assert irenic.read("rules.txt")[0].then == "free"
    model, out, _ = learned("")
    assert "Written to model.json. Next:\n  irenic predict model.json new.csv" in out
    table = read_table(CSV).select(["age", "job"])
    assert model.predict(table).tolist() == ["free"] * 18 + ["full"] * 42
    assert run("check model.json")[0] == 0


def test_unhelpful_columns_are_listed(run, people):
    people("id,unit,age,job,pays", *(f"p{i},m,{row}" for i, row in enumerate(PEOPLE)))
    line = "Columns unlikely to help: id (a different text in every row), unit (constant)\n"
    assert line in run("learn people.csv --cv 0")[1]
    people("customer,x,y", *(f"{1000 + i},{i % 7},{'ab'[i % 3 == 0]}" for i in range(120)))
    line = "Columns unlikely to help: customer (numbers the rows)"
    assert line in run("learn people.csv --cv 0")[1]


def test_a_small_class_reduces_the_number_of_folds(run, people):
    people("age,job,pays", *PEOPLE[:3], *PEOPLE[19:])
    status, out, err = run("learn people.csv --cv 5")
    assert status == 0
    assert err == "irenic: using 3 folds instead of 5, because class free has 3 rows\n"
    assert "(3-fold cross-validation)" in out


def test_missing_and_new_values_in_a_fold_are_accepted(run, people):
    people("age,job,pays", *PEOPLE, ",poet,free", "20.5,,full")
    assert run("learn people.csv --cv 3")[0] == 0


def test_ctrl_c_skips_cross_validation(run, monkeypatch):
    def stop(*_, **__):
        os.kill(os.getpid(), signal.SIGINT)
        raise AssertionError("not reached")

    monkeypatch.setattr(irenic.learn.cross_validation, "cross_validated", stop)
    # processes in the background inherit that the signal is ignored
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        status, out, err = run("learn people.csv --cv 3")
    finally:
        signal.signal(signal.SIGINT, before)
    assert status == 0
    assert err == (
        "irenic: cross-validation was interrupted; the rules below were learned from all rows\n"
    )
    assert "cross-validation" not in out


def test_invalid_arguments_of_learn_are_one_line(refused, people, here):
    people("a,b", name="few.csv")
    people("n,label", *(f"{i},{['a', 'b', 'a:b', 'b:b'][i % 4]}" for i in range(8)), name="l.csv")
    before = {path.name for path in here.iterdir()}
    for arguments, message in {
        "none.csv": "cannot read none.csv: No such file or directory",
        "t.txt": "t.txt: tables are read from .csv, .csv.gz, .parquet and .xlsx files",
        "few.csv": "few.csv: the table must have at least one row, got none",
        "people.csv --target pay": "people.csv: unknown column 'pay'; did you mean 'pays'?",
        "people.csv --target age": (
            "people.csv: column 'age' must hold classes, got 60 different values in 60 rows; choose"
            " another target"
        ),
        "--target pays": "--target needs a table: irenic learn DATA --target COLUMN",
        "people.csv -o model.pdf": (
            "model.pdf: --output must be a .json file for the model, or a .txt or .rules file for"
            " its rules alone"
        ),
        "people.csv -o no/model.json": "cannot write no/model.json: No such file or directory",
        "people.csv -o .": "cannot write .: Is a directory",
        "people.csv --cv 1": "--cv must be 0 or at least 2, got 1",
        "people.csv --jobs 0": "--jobs must be at least 1, or -1 for one per core, got 0",
        "people.csv --budget 0": "--budget must be positive, got 0",
        "people.csv --monotonic age": "--monotonic must have a name, = and a value, got 'age'",
        "people.csv --monotonic age=up": "--monotonic age= must be followed by + or -, got 'up'",
        "people.csv --ordered job": "--ordered must be COLUMN=VALUES, got 'job'",
        "people.csv --ordered jobs=cook,clerk,nurse": (
            "--ordered: unknown column 'jobs'; did you mean 'job'?"
        ),
        "people.csv --cost free=5": "--cost must be TRUE:PREDICTED=N, got free=5",
        "people.csv --cost free:full=inf": "--cost must be TRUE:PREDICTED=N, got free:full=inf",
        "l.csv --cost a:b:b=5": "--cost a:b:b can be read in 2 ways; rename a label",
        "people.csv --selection one-se": (
            "--selection must be one of validation, one_se, description, got 'one-se'; did you mean"
            " 'one_se'?"
        ),
        "people.csv --scoring balanced": (
            "--scoring must be one of accuracy, balanced_accuracy, log_loss, roc_auc, got"
            " 'balanced'; did you mean 'balanced_accuracy'?"
        ),
        "people.csv --class-weight free": (
            "--class-weight must be LABEL=N or balanced, got 'free'"
        ),
        "people.csv --class-weight free=-1": (
            "--class-weight must be LABEL=N or balanced, got 'free=-1'"
        ),
        "people.csv --class-weight fre=2": (
            "--class-weight: unknown label 'fre'; did you mean 'free'?"
        ),
        "people.csv --class-weight free=2 --class-weight balanced": (
            "--class-weight balanced sets all weights; use it alone"
        ),
        "people.csv --rules none.rules": "cannot read none.rules: No such file or directory",
        "people.csv --front 1 --cv 3": (
            "--front cannot be combined with --cv, which fits other fronts"
        ),
    }.items():
        assert refused(f"learn {arguments}") == message
        assert {path.name for path in here.iterdir()} == before


def test_errors_of_fits_are_one_line(run):
    for options, message in {
        "--describe ful": "describe must be one of the 2 labels, got 'ful'; did you mean 'full'?",
        "--front 9": "--front must be at most 2, the number of rule sets, got 9",
    }.items():
        assert run(f"learn people.csv {options}")[::2] == (2, f"irenic: {message}\n")


def test_invalid_rows_are_one_line(refused, people):
    for row, message in {
        "5,cook,half": (
            ": column 'pays': class half must have at least two rows, one to learn from and one to"
            " test, got 1; drop the row or skip cross-validation with --cv 0"
        ),
        "5,cook,": (
            ": column 'pays', row 61: the label is missing; drop such rows or choose another target"
        ),
        "5,cook": ", line 62: a row must have 3 cells, got 2",
    }.items():
        people("age,job,pays", *PEOPLE, row)
        assert refused("learn people.csv -o model.json --cv 5") == f"people.csv{message}"
        assert not Path("model.json").exists()


@pytest.mark.parametrize("options", ["", "--cv 0"])
def test_a_class_of_one_row_can_be_learned_without_cross_validation(run, people, options):
    people("age,job,pays", *PEOPLE, "5,cook,half")
    assert run(f"learn people.csv {options}")[0] == 0


def test_learn_balances_labels_and_notes_rare_ones(run, people):
    rows = [f"{i % 97},{'bad' if i % 97 == 5 and i % 3 == 0 else 'ok'}" for i in range(1940)]
    people("n,outcome", *rows)
    status, out, err = run("learn people.csv --cv 0")
    assert status == 0
    assert err == (
        "irenic: no rule predicts bad (0.4% of the rows), because accuracy hardly depends on it;"
        " use scoring='balanced_accuracy', or predict_proba\n"
    )
    status, out, err = run("learn people.csv --cv 0 --scoring balanced_accuracy --describe bad")
    assert (status, err) == (0, "")
    assert "5 <= n < 6  bad" in out


def test_ordered_rules_to_keep_are_made_unordered_as_advised(run, refused, file):
    file("F,age,fare\n1,< 10,free\n2,< 12,full\n", "list.csv")
    advice = "make them with irenic convert list.csv set.json --as-set"
    assert advice in refused("learn people.csv --cv 0 --rules list.csv")
    assert run("convert list.csv set.json --as-set")[0] == 0
    assert run("learn people.csv --cv 0 --rules set.json")[0] == 0


def test_learn_keeps_rules_and_proves_properties(run, refused, learned, document, file):
    file("IF age >= 16 AND job = nurse THEN full\n", "mine.rules")
    options = "--rules mine.rules --never 'free WHERE age >= 30' --monotonic age=+"
    model, out, err = learned(options)
    assert err == ""
    assert "   1  age >= 16 and job in {nurse}  full" in out
    assert "Rule 1 is yours: another label in 0 of the 14 rows that it covers\n" in out
    assert "proved: NEVER free WHERE age >= 30\n" in out
    assert "proved: outcome INCREASES WITH age ORDER free, full\n" in out
    assert refused("learn people.csv --rules mine.rules -o mine.rules") == (
        "--output mine.rules and --rules mine.rules are the same file, but inputs are never"
        " overwritten; write to a new file"
    )
    assert model.chosen_.n_kept == 1
    assert model.get_params()["knowledge__rules"] == "IF age >= 16 AND job in {nurse} THEN full"
    found = document(f"learn people.csv --cv 0 {options}")
    front = found["models"][found["chosen"]]["front"]
    assert (front["kept"], len(front["proved"])) == (1, 2)
    properties = ["NEVER free WHERE age >= 30", "pays INCREASES WITH age ORDER free, full"]
    status, out, err = run("prove model.json", *properties)
    assert (status, err, out.splitlines()[-1]) == (0, "", "2 of 2 proved.")


def test_learn_limits_conditions_and_weighs_errors(run, learned):
    options = "--forbid age --max-values 1 --ordered job=cook,clerk,nurse"
    _, out, err = learned(f"{options} --always 'full WHERE job = cook'")
    assert err == ""
    assert "age" not in out.split("otherwise")[0]
    status, out, err = run("learn people.csv --cost free:full=5")
    assert status == 0
    assert err == (
        "irenic: scores are 1 minus the share of the highest cost; --cv 5 compares accuracies\n"
    )
    assert "pruned tree" not in out
    assert "pruned tree" in run("learn people.csv --cost free:full=5 --cv 2")[1]


def test_names_and_values_of_options_may_have_the_signs_that_separate_them(learned, people):
    savings = ("<100", "100<=X<500", ">=500", "none, or unknown")
    rows = [f'"{savings[i % 4]}",{i % 3},{"a:b" if i % 4 < 2 else "b=c"}' for i in range(ROWS)]
    people("a=<1,a=<1>,class", *rows)
    order = """<100,100<=X<500, >=500,"none, or unknown\""""
    model, _, err = learned(
        f"--ordered 'a=<1={order}' --monotonic a=<1>=+ --cost a:b:b=c=5 --class-weight b=c=2"
    )
    assert len(err.splitlines()) == 2
    assert model.knowledge.ordered == {"a=<1": list(savings)}
    assert model.knowledge.monotonic_cst == {"a=<1>": 1}
    assert model.knowledge.cost == [[0.0, 5.0], [1.0, 0.0]]
    assert model.class_weight == {"b=c": 2.0}


def decided_otherwise(out):
    return next(line.split() for line in out.splitlines() if "otherwise" in line)[1]


def test_learn_describes_a_label_covers_every_case_or_abstains(learned):
    model, out, err = learned("--describe full")
    assert (decided_otherwise(out), err) == ("free", "")
    assert "Complete: every case is covered" not in learned("")[1]
    assert "Complete: every case is covered" in learned("--complete")[1]
    model, out, _ = learned("--abstain")
    assert (decided_otherwise(out), model.default) == ("nothing", "abstain")


def test_learn_chooses_in_another_way(run):
    assert "On rows left out" not in run("learn people.csv")[1]  # by description length
    status, out, _ = run("learn people.csv --selection one_se -o model.json")
    assert (status, "On rows left out" in out) == (0, True)
    assert irenic.read_model("model.json").selection == "one_se"


def test_learn_limits_all_conditions_together(learned, people):
    people("age,job,pays", *(row.replace("cook,full", "cook,half") for row in PEOPLE))
    whole, limited = (learned(each)[0].chosen_ for each in ("", "--max-conditions 1"))
    assert whole.n_conditions > 1 == limited.n_conditions


def test_learn_weighs_labels(learned):
    note = "scores of rule sets count rows by --class-weight; accuracies count every row once"
    for options, weights in {
        "--class-weight free=3": {"free": 3.0},
        "--class-weight free=3 --class-weight full=0.5": {"free": 3.0, "full": 0.5},
        "--class-weight balanced": "balanced",
    }.items():
        model, _, err = learned(options)
        assert (err, model.class_weight) == (f"irenic: {note}\n", weights)


def test_learn_uses_another_rule_set_of_the_front(run):
    status, out, err = run("learn people.csv --front 1 -o model.json")
    assert (status, err) == (0, "")
    assert [line for line in out.splitlines() if line.startswith("*    1      0           0")]
    assert len(irenic.read("model.json")) == 0


# --- predict


def test_predict_adds_a_column(run, model, file):
    file("job,age,id\ncook,017,a\npoet,18,b\n,,c\n", "new.csv")
    assert run("predict model.json new.csv") == (
        0,
        "job,age,id,prediction\ncook,017,a,free\npoet,18,b,full\n,,c,full\n",
        "irenic: age: '017' is read as a number, because the rules compare numbers\n"
        "irenic: columns not used by the rules: id\n",
    )


def test_predict_explains(run, model):
    assert run("predict model.json people.csv -o out.csv --explain") == (
        0,
        "60 rows written to out.csv\n",
        "irenic: columns not used by the rules: pays\n",
    )
    cells = read_table("out.csv").cells
    assert [cells[name][17:19] for name in ("rule", "support", "confidence")] == [
        ("IF age < 18 THEN free", "default: IF age >= 18 THEN full"),
        ("18", "42"),
        ("1.0", "1.0"),
    ]


def test_predict_accepts_rules_without_a_model(run, file):
    file("IF age < 18 THEN {a, b}\nIF age >= 65 THEN 7\n")
    file("age\n3\n\n30\nNA\n70\n", "new.csv")
    assert run("predict my.rules new.csv --explain") == (
        0,
        "age,prediction,rule\n"
        '3,a; b,"IF age < 18 THEN {a, b}"\n'
        "30,,no rule\n"
        "NA,,no rule\n"
        "70,7,IF age >= 65 THEN 7\n",
        "irenic: 2 of 4 cases are undecided: row 2 (no rule applies); row 3 (age is missing)\n",
    )


@pytest.mark.parametrize("form", ["matrix", "sets"])
def test_several_labels_are_joined(run, form):
    table = read_table(CSV)
    has = np.stack([table["age"] < 18, table["job"] == "cook"], axis=1)
    y = has.astype(int)
    if form == "sets":
        y = [frozenset(n for n, h in zip(("young", "cook"), row, strict=True) if h) for row in has]
    model = irenic.RuleSetClassifier(random_state=0).fit(table.select(["age", "job"]), y)
    irenic.write(model, "model.json")
    joined = "0; 1" if form == "matrix" else "cook; young"
    assert f"2,cook,free,{joined}\n" in run("predict model.json people.csv")[1]


def test_a_model_fitted_to_a_frame_predicts_without_a_warning(run):
    frame = pd.read_csv(CSV)
    irenic.write(irenic.RuleSetClassifier().fit(frame[["age", "job"]], frame["pays"]), "model.json")
    status, _, err = run("predict model.json people.csv")
    assert (status, err) == (0, "irenic: columns not used by the rules: pays\n")


def test_contradicting_rules_need_resolve(run, refused, file):
    file("IF age < 18 THEN a\nIF age > 16 THEN b\n")
    file("age\n17\n", "new.csv")
    assert refused("predict my.rules new.csv -o out.csv") == (
        "my.rules: the rules contradict each other: rule 1 says a, rule 2 says b where"
        " age = 17, for example at age = 17; fix them (irenic check my.rules lists all conflicts),"
        " or use --resolve best, vote or first"
    )
    assert not Path("out.csv").exists()
    resolved = run("predict my.rules new.csv --resolve first")
    assert resolved[:2] == (0, "age,prediction\n17,a\n")
    assert refused("predict my.rules new.csv --resolve frist") == (
        "--resolve must be best, vote or first, got 'frist'; did you mean 'first'?"
    )


def test_invalid_arguments_of_predict_are_one_line(refused, model, file):
    column = "the table must have a column 'age', which the rules test; did you mean 'agee'?"
    taken = "the table must not have a column 'prediction', because predictions add one; rename it"
    for text, message in {
        "agee,job\n1,cook\n": column,
        "age,job\nx,cook\n": "column 'age', row 1: ",
        "age,job,prediction\n1,cook,x\n": taken,
    }.items():
        file(text, "new.csv")
        file("old", "out.csv")
        error = refused("predict model.json new.csv -o out.csv")
        assert error.startswith(f"new.csv: {message}")
        assert Path("out.csv").read_text() == "old"
    file("{", "bad.json")
    file('{"version": 1, "rules": [], "model": {}}', "cut.json")
    for arguments, message in {
        "none.json people.csv": "cannot read none.json: No such file or directory",
        "model.json none.csv": "cannot read none.csv: No such file or directory",
        "model.json people.csv -o no/x.csv": "cannot write no/x.csv: No such file",
        "model.json people.csv -o x.pdf": "x.pdf: tables are written to .csv, ",
        "bad.json people.csv": "bad.json, line 1, column 2: not JSON: ",
        "cut.json people.csv": 'cut.json: "model": "version" must be 1, got None; read',
    }.items():
        assert refused(f"predict {arguments}").startswith(message)


# --- decision tables and DMN models


def dmn(*elements):
    head = '<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" namespace="urn:m">'
    return f"{head}{''.join(elements)}</definitions>"


YEARS = '<inputData id="i" name="Years"><variable name="Years" typeRef="number"/></inputData>'
BONUS = """<decision id="b" name="Bonus"><informationRequirement><requiredInput href="#i"/>
</informationRequirement><decisionTable hitPolicy="COLLECT"><input>
<inputExpression typeRef="number"><text>Years</text></inputExpression></input><output name="bonus"/>
<rule><inputEntry><text>[2..9]</text></inputEntry><outputEntry><text>1</text></outputEntry></rule>
<rule><inputEntry><text>[5..9]</text></inputEntry><outputEntry><text>2</text></outputEntry></rule>
</decisionTable></decision>"""
TOTAL = """<decision id="t" name="Total"><informationRequirement><requiredDecision href="#b"/>
</informationRequirement><literalExpression><text>{sum: sum(Bonus), of: Bonus}</text>
</literalExpression></decision>"""


def test_predict_applies_the_hit_policy(run, file):
    file(dmn(YEARS, BONUS), "bonus.dmn")
    file("Years\n1\n3\n7\n", "new.csv")
    assert run("predict bonus.dmn new.csv --explain") == (
        0,
        'Years,prediction,rule\n1,,no rule\n3,1,rule 1\n7,1; 2,"rule 1, rule 2"\n',
        "irenic: 1 of 3 cases is undecided: row 1 (no rule applies)\n",
    )
    file("C+,Years,bonus\n1,>= 2,1\n2,>= 5,2\n", "bonus.csv")
    assert run("predict bonus.csv new.csv")[:2] == (0, "Years,prediction\n1,\n3,1\n7,3\n")


def test_predict_decides_a_whole_model(run, refused, file):
    file(dmn(YEARS, BONUS, TOTAL), "total.dmn")
    file("Years,Name\n3,Ada\n7,Ben\n", "new.csv")
    assert run("predict total.dmn new.csv") == (
        0,
        "Years,Name,sum,of\n3,Ada,1,1\n7,Ben,3,1; 2\n",
        "irenic: columns not used by the rules: Name\n",
    )
    out = run("predict total.dmn new.csv --table Bonus")[1]
    assert out == "Years,Name,prediction\n3,Ada,1\n7,Ben,1; 2\n"
    message = "total.dmn: --explain needs a model of one decision table"
    assert refused("predict total.dmn new.csv --explain") == message
    file("Year\n3\n", "bad.csv")
    assert refused("predict total.dmn bad.csv") == (
        "bad.csv: the table must have a column 'Years', which decision 'Total' requires;"
        " did you mean 'Year'?"
    )
    file("Years,sum\n3,1\n", "past.csv")
    assert run("predict total.dmn past.csv")[1] == "Years,sum,sum (prediction),of\n3,1,1,1\n"
    file("Years,prediction\n3,1\n", "bad.csv")
    assert refused("predict total.dmn bad.csv --table Bonus") == (
        "bad.csv: the table must not have a column 'prediction', because predictions add"
        " one; rename it"
    )


def test_several_outcomes_are_columns_everywhere(run, file):
    text = "age,result,reason\n,outcome,outcome\n< 18,refuse,minor\n[18..60),grant,ok\n"
    file(text, "two.csv")
    file("age\n10\n30\n70\n", "new.csv")
    for form in ("csv", "json", "dmn", "xlsx"):
        assert run(f"convert two.csv copy.{form}")[0] == 0
        assert run(f"predict copy.{form} new.csv") == (
            0,
            "age,result,reason\n10,refuse,minor\n30,grant,ok\n70,,\n",
            "irenic: 1 of 3 cases is undecided: row 3 (no rule applies)\n",
        )
        assert run(f"cases copy.{form} -o cases-{form}.csv")[0] == 0
        assert run(f"test copy.{form} cases-{form}.csv")[0] == 0
    assert Path("copy.csv").read_text() == text.replace("\n,outcome", "\ncondition,outcome")
    explained = run("predict two.csv new.csv --explain")[1].splitlines()
    assert explained[1] == '10,refuse,minor,"IF age < 18 THEN (refuse, minor)"'
    file("age,result\n10,grant\n", "past.csv")
    out = run("predict two.csv past.csv")[1]
    assert out == "age,result,result (prediction),reason\n10,grant,refuse,minor\n"
    file("C,age,fee,why\n,,outcome,outcome\n1,< 18,1,young\n2,< 60,2,not old\n", "all.csv")
    out = run("predict all.csv new.csv")[1]
    assert out == "age,fee,why\n10,1; 2,young; not old\n30,2,not old\n70,,\n"


# --- one estimate everywhere


def figures(pattern, text):
    """Return the figures that a pattern finds in a text, which has it once."""
    (match,) = re.findall(pattern, text)
    return tuple(map(float, match))


@pytest.mark.parametrize(
    "options",
    ["", "--weight n", "--class-weight balanced", "--scoring balanced_accuracy", "--cv 2"],
)
def test_all_views_show_the_same_score_to_expect(run, people, quick, document, options):
    rng = np.random.default_rng(5)
    columns = rng.integers(0, 80, 90), rng.uniform(0.1, 5, 90), rng.normal(size=90)
    people(
        "age,n,pays",
        *(
            f"{age},{round(n, 2)},{'free' if age + 12 * noise < 30 else 'full'}"
            for age, n, noise in zip(*columns, strict=True)
        ),
    )
    quick(generations=1, moves=20, random_state=0)
    options += " --random-state 0 --jobs 1"
    status, out, _ = run(f"learn people.csv {options} -o model.json --card card.md")
    assert status == 0
    number = r"(\d\.\d{3})"
    sentence = rf"to expect is {number} on new rows \(95 % interval {number} to {number}\)"
    shown = figures(sentence, out)
    assert figures(sentence, Path("card.md").read_text(encoding="utf-8")) == shown
    stored = json.loads(Path("model.json").read_text(encoding="utf-8"))["model"]["estimate"]
    summary = document("report model.json")
    learned = document(f"learn people.csv {options}")
    assert [*summary["estimate"].values()] == stored == [*learned["estimate"].values()]
    assert tuple(float(f"{value:.3f}") for value in stored) == shown
    if options.startswith((" ", "--weight")):
        assert figures(rf"\nirenic +{number} +{number} to {number}", out) == shown
    if "--scoring" in options:
        assert figures(rf"\nirenic +{number} .*? to .*?  +{number} ", out)[1] == shown[0]
    assert ("by class weight" in summary["score"]) is ("--class-weight" in options)
