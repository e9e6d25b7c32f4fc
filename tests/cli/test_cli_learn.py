"""The commands learn and predict."""

from __future__ import annotations

import functools
import json
import os
import re
import signal

import numpy as np
import pytest

import irenic
from documents import validated
from irenic import cli
from irenic.frames.table import read_table, write_table

ROWS = 60
_Classifier = irenic.RuleSetClassifier  # the fixture replaces it


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Make fits fast."""
    short = {"generations": 1, "moves": 200, "selection": "description"}
    classifier = functools.partial(irenic.RuleSetClassifier, **short)
    monkeypatch.setattr(irenic, "RuleSetClassifier", classifier)


@pytest.fixture
def run(run, monkeypatch, tmp_path):
    """Run the command in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return run


@pytest.fixture
def people(tmp_path):
    jobs = ["nurse", "clerk", "cook"]
    lines = ["age,job,pays"]
    lines += [f"{i},{jobs[i % 3]},{'free' if i < 18 else 'full'}" for i in range(ROWS)]
    (tmp_path / "people.csv").write_text("\n".join(lines) + "\n")
    return "people.csv"


@pytest.fixture
def model(run, people):
    assert run("learn", people, "--cv", 0, "-o", "model.json")[0] == 0
    return "model.json"


def edit(path, change):
    with open(path, encoding="utf-8") as file:  # noqa: PTH123
        lines = file.read().splitlines()
    with open(path, "w", encoding="utf-8") as file:  # noqa: PTH123
        file.write("\n".join(change(lines)) + "\n")


# --- learn


def test_learn_prints_rules_certificate_comparison_and_front(run, people):
    status, out, err = run("learn", people, "--cv", 3)
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
        f"  irenic report model.json {people} -o report.html",
    ]


def test_learn_in_json_prints_nothing_else(run, people):
    status, out, err = run("learn", people, "--cv", 2, "--json")
    assert (status, err) == (0, "")
    found = validated(out)
    assert found["data"] == {
        "name": people,
        "rows": 60,
        "features": 2,
        "target": "pays",
        "classes": [
            {"value": "free", "text": "free", "rows": 18},
            {"value": "full", "text": "full", "rows": 42},
        ],
        "suspect": {},
    }
    rule = found["models"][found["chosen"]]["rules"][0]
    assert [condition["text"] for condition in rule["conditions"]] == ["age < 18"]
    assert (rule["support"], rule["confidence"]) == (18, 1)
    learners = [learner["name"] for learner in found["cross_validation"]["learners"]]
    assert learners == ["irenic", "pruned tree", "majority class"]


def test_learn_without_a_table_uses_the_example(run):
    status, out, _ = run("learn", "--cv", 0, "--max-rules", 2)
    assert status == 0
    assert out.startswith(
        "No table given: using the wine data of scikit-learn.\n"
        "178 rows, 13 features, 3 classes: Barbera 48, Barolo 59, Grignolino 71\n"
    )
    assert "cross-validation" not in out


def test_learn_is_repeatable(run, people):
    first = run("learn", people, "--cv", 2, "--jobs", 1)
    assert run("learn", people, "--cv", 2, "--jobs", 2) == first


def test_the_target_can_be_any_column(run, people):
    status, out, _ = run("learn", people, "--target", "job", "--cv", 0, "--budget", 5)
    assert status == 0
    assert out.startswith("60 rows, 2 features, 3 classes: clerk 20, cook 20, nurse 20\n")


@pytest.mark.parametrize("suffix", [".parquet", ".xlsx", ".csv.gz"])
def test_learn_reads_tables_in_other_formats(run, people, suffix):
    write_table(read_table(people), f"people{suffix}")
    status, out, _ = run("learn", f"people{suffix}", "--cv", 0)
    assert status == 0
    assert "   1  age < 18   free       18       1.000" in out


def test_learn_writes_a_model_or_text(run, people):
    assert run("learn", people, "--cv", 0, "-o", "rules.txt")[0] == 0
    assert irenic.read("rules.txt")[0].then == "free"
    status, out, _ = run("learn", people, "--cv", 0, "--output", "model.json")
    assert status == 0
    assert "Written to model.json. Next:\n  irenic predict model.json new.csv" in out
    table = read_table(people).select(["age", "job"])
    assert irenic.read_model("model.json").predict(table).tolist() == ["free"] * 18 + ["full"] * 42
    assert run("check", "model.json")[0] == 0


def test_unhelpful_columns_are_listed(run, people):
    edit(
        people,
        lambda lines: [f"id,unit,{lines[0]}", *(f"p{i},m,{x}" for i, x in enumerate(lines[1:]))],
    )
    status, out, _ = run("learn", people, "--cv", 2)
    assert status == 0
    assert "Columns unlikely to help: id (a different text in every row), unit (constant)\n" in out


def test_a_small_class_reduces_the_number_of_folds(run, people):
    edit(people, lambda lines: [*lines[:4], *lines[20:]])
    status, out, err = run("learn", people, "--cv", 5)
    assert status == 0
    assert err == "irenic: using 3 folds instead of 5, because class free has 3 rows\n"
    assert "(3-fold cross-validation)" in out


def test_missing_and_new_values_in_a_fold_are_accepted(run, people):
    edit(people, lambda lines: [*lines[:5], ",poet,free", "20.5,,full", *lines[5:]])
    assert run("learn", people, "--cv", 3)[0] == 0


def test_ctrl_c_skips_cross_validation(run, people, monkeypatch):
    def stop(*_, **__):
        os.kill(os.getpid(), signal.SIGINT)
        raise AssertionError("not reached")

    monkeypatch.setattr(irenic.learn.cross_validation, "cross_validated", stop)
    # processes in the background inherit that the signal is ignored
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        status, out, err = run("learn", people, "--cv", 3)
    finally:
        signal.signal(signal.SIGINT, before)
    assert status == 0
    assert (
        err
        == "irenic: cross-validation was interrupted; the rules below were learned from all rows\n"
    )
    assert "cross-validation" not in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.csv"], "cannot read none.csv: No such file or directory"),
        (
            ["people.txt"],
            "people.txt: tables are read from .csv, .csv.gz, .parquet and .xlsx files",
        ),
        (
            ["people.csv", "--target", "pay"],
            "people.csv: unknown column 'pay'; did you mean 'pays'?",
        ),
        (
            ["people.csv", "--target", "age"],
            "people.csv: column 'age' must hold classes, got 60 different values in 60 rows; choose"
            " another target",
        ),
        (
            ["--target", "pays"],
            "--target needs a table: irenic learn DATA --target COLUMN",
        ),
        (
            ["people.csv", "-o", "model.pdf"],
            "model.pdf: --output must be a .json file for the model, or a .txt or .rules file for"
            " its rules alone",
        ),
        (
            ["people.csv", "-o", "none/model.json"],
            "cannot write none/model.json: No such file or directory",
        ),
        (
            ["people.csv", "-o", "."],
            "cannot write .: Is a directory",
        ),
        (
            ["people.csv", "--cv", "1"],
            "--cv must be 0 or at least 2, got 1",
        ),
        (
            ["people.csv", "--jobs", "0"],
            "--jobs must be at least 1, or -1 for one per core, got 0",
        ),
        (["people.csv", "--budget", "0"], "--budget must be positive, got 0"),
        (
            ["people.csv", "--monotonic", "age"],
            "--monotonic must have a name, = and a value, got 'age'",
        ),
        (
            ["people.csv", "--monotonic", "age=up"],
            "--monotonic age= must be followed by + or -, got 'up'",
        ),
        (
            ["people.csv", "--ordered", "job"],
            "--ordered must be COLUMN=VALUES, got 'job'",
        ),
        (
            ["people.csv", "--ordered", "jobs=cook,clerk,nurse"],
            "--ordered: unknown column 'jobs'; did you mean 'job'?",
        ),
        (
            ["people.csv", "--cost", "free=5"],
            "--cost must be TRUE:PREDICTED=N, got free=5",
        ),
        (
            ["people.csv", "--cost", "free:full=inf"],
            "--cost must be TRUE:PREDICTED=N, got free:full=inf",
        ),
        (
            ["people.csv", "--selection", "one-se"],
            "--selection must be one of validation, one_se, description, got 'one-se'; did you mean"
            " 'one_se'?",
        ),
        (
            ["people.csv", "--class-weight", "free"],
            "--class-weight must be LABEL=N or balanced, got 'free'",
        ),
        (
            ["people.csv", "--class-weight", "free=-1"],
            "--class-weight must be LABEL=N or balanced, got 'free=-1'",
        ),
        (
            ["people.csv", "--class-weight", "fre=2"],
            "--class-weight: unknown label 'fre'; did you mean 'free'?",
        ),
        (
            ["people.csv", "--class-weight", "free=2", "--class-weight", "balanced"],
            "--class-weight balanced sets all weights; use it alone",
        ),
        (
            ["people.csv", "--rules", "none.rules"],
            "cannot read none.rules: No such file or directory",
        ),
    ],
)
def test_invalid_arguments_of_learn_are_one_line(run, people, tmp_path, arguments, message):
    assert run("learn", *arguments) == (2, "", f"irenic: {message}\n")
    assert [path.name for path in tmp_path.iterdir()] == [people]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            "5,cook,half",
            "column 'pays': class half must have at least two rows, one to learn from and one to"
            " test, got 1; drop the row or skip cross-validation with --cv 0",
        ),
        (
            "5,cook,",
            "column 'pays', row 61: the label is missing; drop such rows or choose another target",
        ),
        ("5,cook", None),
    ],
)
def test_invalid_rows_are_one_line(run, people, row, message):
    edit(people, lambda lines: [*lines, row])
    status, out, err = run("learn", people, "-o", "model.json", "--cv", 5)
    assert (status, out) == (2, "")
    if message is None:
        assert err == "irenic: people.csv, line 62: a row must have 3 cells, got 2\n"
    else:
        assert err == f"irenic: people.csv: {message}\n"
    assert not os.path.exists("model.json")  # noqa: PTH110


@pytest.mark.parametrize("options", [[], ["--cv", 0]])
def test_a_class_of_one_row_can_be_learned_without_cross_validation(run, people, options):
    edit(people, lambda lines: [*lines, "5,cook,half"])
    assert run("learn", people, *options)[0] == 0


def test_a_table_without_rows_is_rejected(run, tmp_path):
    (tmp_path / "few.csv").write_text("a,b\n")
    message = "irenic: few.csv: the table must have at least one row, got none\n"
    assert run("learn", "few.csv") == (2, "", message)


BALANCED = ("--scoring", "balanced_accuracy", "--describe", "bad")


def test_learn_balances_labels_and_notes_rare_ones(run):
    rows = "".join(
        f"{i % 97},{'bad' if i % 97 == 5 and i % 3 == 0 else 'ok'}\n" for i in range(1940)
    )
    with open("rare.csv", "w", encoding="utf-8") as file:  # noqa: PTH123
        file.write("n,outcome\n" + rows)
    status, out, err = run("learn", "rare.csv", "--cv", 0)
    assert status == 0
    assert err == (
        "irenic: no rule predicts bad (0.4% of the rows), because accuracy hardly depends on it;"
        " use scoring='balanced_accuracy', or predict_proba\n"
    )
    status, out, err = run("learn", "rare.csv", "--cv", 0, *BALANCED)
    assert (status, err) == (0, "")
    assert "5 <= n < 6  bad" in out
    status, out, err = run("learn", "rare.csv", "--scoring", "balanced")
    assert status == 2
    assert err == (
        "irenic: --scoring must be one of accuracy, balanced_accuracy, log_loss, roc_auc, got"
        " 'balanced'; did you mean 'balanced_accuracy'?\n"
    )


def test_learn_describes_a_label(run, people):
    status, out, err = run("learn", people, "--describe", "full")
    assert (status, err) == (0, "")
    assert next(line.split() for line in out.splitlines() if "otherwise" in line)[1] == "free"
    status, out, err = run("learn", people, "--describe", "ful")
    assert status == 2
    assert err == (
        "irenic: describe must be one of the 2 labels, got 'ful'; did you mean 'full'?\n"
    )


def test_ordered_rules_to_keep_are_made_unordered_as_advised(run, people, tmp_path):
    (tmp_path / "list.csv").write_text("F,age,fare\n1,< 10,free\n2,< 12,full\n")
    status, _, err = run("learn", people, "--cv", 0, "--rules", "list.csv")
    assert status == 2
    assert "make them with irenic convert list.csv set.json --as-set" in err
    assert run("convert", "list.csv", "set.json", "--as-set")[0] == 0
    assert run("learn", people, "--cv", 0, "--rules", "set.json")[0] == 0


def test_learn_keeps_rules_and_proves_properties(run, people, tmp_path):
    (tmp_path / "mine.rules").write_text("IF age >= 16 AND job = nurse THEN full\n")
    options = ("--rules", "mine.rules", "--never", "free WHERE age >= 30", "--monotonic", "age=+")
    status, out, err = run("learn", people, "--cv", 0, *options, "-o", "model.json")
    assert (status, err) == (0, "")
    assert "   1  age >= 16 and job in {nurse}  full" in out
    assert "Rule 1 is yours: another label in 0 of the 14 rows that it covers\n" in out
    assert "proved: NEVER free WHERE age >= 30\n" in out
    assert "proved: outcome INCREASES WITH age ORDER free, full\n" in out
    assert run("learn", people, "--rules", "mine.rules", "-o", "mine.rules") == (
        2,
        "",
        "irenic: --output mine.rules and --rules mine.rules are the same file, but inputs are never"
        " overwritten; write to a new file\n",
    )
    model = irenic.read_model("model.json")
    assert model.chosen_.n_kept == 1
    assert model.get_params()["rules"] == "IF age >= 16 AND job in {nurse} THEN full"
    status, out, _ = run("learn", people, "--cv", 0, *options, "--json")
    learned = validated(out)
    front = learned["models"][learned["chosen"]]["front"]
    assert (front["kept"], len(front["proved"])) == (1, 2)
    status, out, err = run(
        "prove",
        "model.json",
        "NEVER free WHERE age >= 30",
        "pays INCREASES WITH age ORDER free, full",
    )
    assert (status, err, out.splitlines()[-1]) == (0, "", "2 of 2 proved.")


def test_learn_limits_conditions_and_weighs_errors(run, people):
    options = ("--forbid", "age", "--max-values", 1, "--ordered", "job=cook,clerk,nurse")
    status, out, err = run(
        "learn", people, "--cv", 0, *options, "--always", "full WHERE job = cook"
    )
    assert (status, err) == (0, "")
    assert "age" not in out.split("otherwise")[0]
    status, out, err = run("learn", people, "--cost", "free:full=5")
    assert status == 0
    assert err == (
        "irenic: scores are 1 minus the share of the highest cost; --cv 5 compares accuracies\n"
    )
    assert "pruned tree" not in out
    assert "pruned tree" in run("learn", people, "--cost", "free:full=5", "--cv", 2)[1]


def test_names_and_values_of_options_may_have_the_signs_that_separate_them(run, tmp_path):
    savings = ("<100", "100<=X<500", ">=500", "none, or unknown")
    rows = [f'"{savings[i % 4]}",{i % 3},{"a:b" if i % 4 < 2 else "b=c"}' for i in range(ROWS)]
    (tmp_path / "bank.csv").write_text("\n".join(["a=<1,a=<1>,class", *rows]) + "\n")
    order = """<100,100<=X<500, >=500,"none, or unknown\""""
    options = ("--ordered", f"a=<1={order}", "--monotonic", "a=<1>=+")
    costs = ("--cost", "a:b:b=c=5", "--class-weight", "b=c=2")
    status, _, err = run("learn", "bank.csv", "--cv", 0, *options, *costs, "-o", "model.json")
    assert (status, len(err.splitlines())) == (0, 2), err
    model = irenic.read_model("model.json")
    assert model.ordered == {"a=<1": list(savings)}
    assert model.monotonic_cst == {"a=<1>": 1}
    assert model.cost == [[0.0, 5.0], [1.0, 0.0]]
    assert model.class_weight == {"b=c": 2.0}


def test_costs_that_can_be_read_in_two_ways_are_refused(run, tmp_path):
    rows = [f"{i},{['a', 'b', 'a:b', 'b:b'][i % 4]}" for i in range(ROWS)]
    (tmp_path / "labels.csv").write_text("\n".join(["n,label", *rows]) + "\n")
    message = "irenic: --cost a:b:b can be read in 2 ways; rename a label\n"
    assert run("learn", "labels.csv", "--cost", "a:b:b=5") == (2, "", message)


def test_learn_covers_every_case_or_abstains(run, people):
    status, out, _ = run("learn", people, "--cv", 0)
    assert (status, "Complete: every case is covered" in out) == (0, False)
    status, out, _ = run("learn", people, "--cv", 0, "--complete")
    assert (status, "Complete: every case is covered" in out) == (0, True)
    status, out, _ = run("learn", people, "--cv", 0, "--abstain", "-o", "model.json")
    assert status == 0
    assert next(line.split() for line in out.splitlines() if "otherwise" in line)[1] == "nothing"
    assert irenic.read_model("model.json").default == "abstain"


def test_learn_chooses_in_another_way(run, people):
    assert "On rows left out" not in run("learn", people)[1]  # by description length
    status, out, _ = run("learn", people, "--selection", "one_se", "-o", "model.json")
    assert (status, "On rows left out" in out) == (0, True)
    assert irenic.read_model("model.json").selection == "one_se"


def test_learn_limits_all_conditions_together(run, people):
    edit(people, lambda lines: [line.replace("cook,full", "cook,half") for line in lines])
    sizes = []
    for options in ([], ["--max-conditions", 1]):
        assert run("learn", people, "--cv", 0, *options, "-o", "model.json")[0] == 0
        sizes.append(irenic.read_model("model.json").chosen_.n_conditions)
    assert sizes[0] > 1 == sizes[1]


def test_learn_weighs_labels(run, people):
    note = "scores of rule sets count rows by --class-weight; accuracies count every row once"
    for given, weights in (
        (["free=3"], {"free": 3.0}),
        (["free=3", "full=0.5"], {"free": 3.0, "full": 0.5}),
        (["balanced"], "balanced"),
    ):
        options = [word for text in given for word in ("--class-weight", text)]
        status, _, err = run("learn", people, "--cv", 0, *options, "-o", "model.json")
        assert (status, err) == (0, f"irenic: {note}\n")
        assert irenic.read_model("model.json").class_weight == weights


def test_learn_uses_another_rule_set_of_the_front(run, people):
    status, out, err = run("learn", people, "--front", 1, "-o", "model.json")
    assert (status, err) == (0, "")
    assert [line for line in out.splitlines() if line.startswith("*    1      0           0")]
    assert len(irenic.read("model.json")) == 0
    status, out, err = run("learn", people, "--front", 9)
    assert status == 2
    assert err == "irenic: --front must be at most 2, the number of rule sets, got 9\n"
    status, out, err = run("learn", people, "--front", 1, "--cv", 3)
    assert status == 2
    assert err == "irenic: --front cannot be combined with --cv, which fits other fronts\n"


# --- predict


def test_predict_adds_a_column(run, model, tmp_path):
    (tmp_path / "new.csv").write_text("job,age,id\ncook,017,a\npoet,18,b\n,,c\n")
    status, out, err = run("predict", model, "new.csv")
    assert status == 0
    assert out == "job,age,id,prediction\ncook,017,a,free\npoet,18,b,full\n,,c,full\n"
    assert err == (
        "irenic: age: '017' is read as a number, because the rules compare numbers\n"
        "irenic: columns not used by the rules: id\n"
    )


def test_predict_explains(run, model, people):
    status, out, err = run("predict", model, people, "-o", "out.csv", "--explain")
    assert (status, out) == (0, "60 rows written to out.csv\n")
    assert err == "irenic: columns not used by the rules: pays\n"
    lines = (read_table("out.csv").cells[name][17:19] for name in ("rule", "support", "confidence"))
    assert list(lines) == [
        ("IF age < 18 THEN free", "default: IF age >= 18 THEN full"),
        ("18", "42"),
        ("1.0", "1.0"),
    ]


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".xlsx"])
def test_predictions_are_written_in_any_format(run, model, people, suffix):
    assert run("predict", model, people, "-o", f"out{suffix}")[0] == 0
    found = read_table(f"out{suffix}")
    assert list(found) == ["age", "job", "pays", "prediction"]
    assert found["prediction"].tolist() == found["pays"].tolist()


def test_predict_accepts_rules_without_a_model(run, tmp_path):
    (tmp_path / "my.txt").write_text("IF age < 18 THEN {a, b}\nIF age >= 65 THEN 7\n")
    (tmp_path / "new.csv").write_text("age\n3\n\n30\nNA\n70\n")
    status, out, err = run("predict", "my.txt", "new.csv", "--explain")
    assert (status, err) == (
        0,
        "irenic: 2 of 4 cases are undecided: row 2 (no rule applies); row 3 (age is missing)\n",
    )
    assert out == (
        "age,prediction,rule\n"
        '3,a; b,"IF age < 18 THEN {a, b}"\n'
        "30,,no rule\n"
        "NA,,no rule\n"
        "70,7,IF age >= 65 THEN 7\n"
    )


@pytest.mark.parametrize("form", ["matrix", "sets"])
def test_several_labels_are_joined(run, people, form):
    table = read_table(people)
    has = np.stack([table["age"] < 18, table["job"] == "cook"], axis=1)
    y = has.astype(int)
    if form == "sets":
        y = [frozenset(n for n, h in zip(("young", "cook"), row, strict=True) if h) for row in has]
    X = table.select(["age", "job"])
    irenic.write(irenic.RuleSetClassifier(random_state=0).fit(X, y), "model.json")
    status, out, _ = run("predict", "model.json", people)
    assert status == 0
    joined = "0; 1" if form == "matrix" else "cook; young"
    assert f"2,cook,free,{joined}\n" in out


def test_a_model_fitted_to_a_frame_predicts_without_a_warning(run, people):
    import pandas as pd

    frame = pd.read_csv(people)
    irenic.write(irenic.RuleSetClassifier().fit(frame[["age", "job"]], frame["pays"]), "model.json")
    status, _, err = run("predict", "model.json", people)
    assert (status, err) == (0, "irenic: columns not used by the rules: pays\n")


def test_contradicting_rules_need_resolve(run, tmp_path):
    (tmp_path / "my.txt").write_text("IF age < 18 THEN a\nIF age > 16 THEN b\n")
    (tmp_path / "new.csv").write_text("age\n17\n")
    assert run("predict", "my.txt", "new.csv", "-o", "out.csv") == (
        2,
        "",
        "irenic: my.txt: the rules contradict each other: rule 1 says a, rule 2 says b where"
        " age = 17, for example at age = 17; fix them (irenic check my.txt lists all conflicts), or"
        " use --resolve best, vote or first\n",
    )
    assert not (tmp_path / "out.csv").exists()
    status, out, _ = run("predict", "my.txt", "new.csv", "--resolve", "first")
    assert (status, out) == (0, "age,prediction\n17,a\n")
    assert run("predict", "my.txt", "new.csv", "--resolve", "frist") == (
        2,
        "",
        "irenic: --resolve must be best, vote or first, got 'frist'; did you mean 'first'?\n",
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "agee,job\n1,cook\n",
            "the table must have a column 'age', which the rules test; did you mean 'agee'?",
        ),
        ("age,job\nx,cook\n", "column 'age', row 1: "),
        (
            "age,job,prediction\n1,cook,x\n",
            "the table must not have a column 'prediction', because predictions add one; rename it",
        ),
    ],
)
def test_tables_that_do_not_match_the_model_are_rejected(run, model, tmp_path, text, message):
    (tmp_path / "new.csv").write_text(text)
    (tmp_path / "out.csv").write_text("old")
    status, out, err = run("predict", model, "new.csv", "-o", "out.csv")
    assert (status, out) == (2, "")
    assert err.startswith(f"irenic: new.csv: {message}")
    assert err.count("\n") == 1
    assert (tmp_path / "out.csv").read_text() == "old"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.json", "people.csv"], "cannot read none.json: No such file or directory"),
        (["model.json", "none.csv"], "cannot read none.csv: No such file or directory"),
        (["model.json", "people.csv", "-o", "no/x.csv"], "cannot write no/x.csv: No such file"),
        (["model.json", "people.csv", "-o", "x.pdf"], "x.pdf: tables are written to .csv, "),
        (["bad.json", "people.csv"], "bad.json, line 1, column 2: not JSON: "),
        (["cut.json", "people.csv"], 'cut.json: "model": "version" must be 1, got None; read'),
    ],
)
def test_invalid_arguments_of_predict_are_one_line(run, model, tmp_path, arguments, message):
    (tmp_path / "bad.json").write_text("{")
    (tmp_path / "cut.json").write_text('{"version": 1, "rules": [], "model": {}}')
    status, out, err = run("predict", *arguments)
    assert (status, out) == (2, "")
    assert err.startswith(f"irenic: {message}")
    assert err.count("\n") == 1


# --- help


@pytest.mark.parametrize("command", ["learn", "predict"])
def test_help_fits_a_narrow_terminal(command):
    from typer.testing import CliRunner

    result = CliRunner().invoke(cli.app, [command, "--help"], env={"COLUMNS": "80"})
    assert result.exit_code == 0
    assert max(map(len, result.output.splitlines())) <= 80
    assert f"irenic {command} " in result.output


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


def test_predict_applies_the_hit_policy(run, tmp_path):
    (tmp_path / "bonus.dmn").write_text(dmn(YEARS, BONUS))
    (tmp_path / "new.csv").write_text("Years\n1\n3\n7\n")
    assert run("predict", "bonus.dmn", "new.csv", "--explain") == (
        0,
        "Years,prediction,rule\n1,,no rule\n3,1,rule 1\n7,1; 2,\"rule 1, rule 2\"\n",
        "irenic: 1 of 3 cases is undecided: row 1 (no rule applies)\n",
    )  # fmt: skip
    (tmp_path / "bonus.csv").write_text("C+,Years,bonus\n1,>= 2,1\n2,>= 5,2\n")
    assert run("predict", "bonus.csv", "new.csv")[:2] == (0, "Years,prediction\n1,\n3,1\n7,3\n")


def test_predict_decides_a_whole_model(run, tmp_path):
    (tmp_path / "total.dmn").write_text(dmn(YEARS, BONUS, TOTAL))
    (tmp_path / "new.csv").write_text("Years,Name\n3,Ada\n7,Ben\n")
    assert run("predict", "total.dmn", "new.csv") == (
        0,
        "Years,Name,sum,of\n3,Ada,1,1\n7,Ben,3,1; 2\n",
        "irenic: columns not used by the rules: Name\n",
    )
    status, out, _ = run("predict", "total.dmn", "new.csv", "--table", "Bonus")
    assert (status, out) == (0, "Years,Name,prediction\n3,Ada,1\n7,Ben,1; 2\n")
    assert run("predict", "total.dmn", "new.csv", "--explain") == (
        2, "", "irenic: total.dmn: --explain needs a model of one decision table\n"
    )  # fmt: skip
    (tmp_path / "bad.csv").write_text("Year\n3\n")
    assert run("predict", "total.dmn", "bad.csv") == (
        2,
        "",
        "irenic: bad.csv: the table must have a column 'Years', which decision 'Total' requires;"
        " did you mean 'Year'?\n",
    )
    (tmp_path / "past.csv").write_text("Years,sum\n3,1\n")
    assert run("predict", "total.dmn", "past.csv")[1] == "Years,sum,sum (prediction),of\n3,1,1,1\n"
    (tmp_path / "bad.csv").write_text("Years,prediction\n3,1\n")
    assert run("predict", "total.dmn", "bad.csv", "--table", "Bonus")[2] == (
        "irenic: bad.csv: the table must not have a column 'prediction', because predictions add"
        " one; rename it\n"
    )


TWO = "age,result,reason\n,outcome,outcome\n< 18,refuse,minor\n[18..60),grant,ok\n"


def test_several_outcomes_are_columns_everywhere(run, tmp_path):
    (tmp_path / "two.csv").write_text(TWO)
    (tmp_path / "new.csv").write_text("age\n10\n30\n70\n")
    expected = "age,result,reason\n10,refuse,minor\n30,grant,ok\n70,,\n"
    for form in ("csv", "json", "dmn", "xlsx"):
        assert run("convert", "two.csv", f"copy.{form}")[0] == 0
        status, out, told = run("predict", f"copy.{form}", "new.csv")
        assert (status, out) == (0, expected)
        assert told == "irenic: 1 of 3 cases is undecided: row 3 (no rule applies)\n"
        assert run("cases", f"copy.{form}", "-o", f"cases-{form}.csv")[0] == 0
        assert run("test", f"copy.{form}", f"cases-{form}.csv")[0] == 0
    assert (tmp_path / "copy.csv").read_text() == TWO
    out = run("predict", "two.csv", "new.csv", "--explain")[1].splitlines()
    assert out[1] == '10,refuse,minor,"IF age < 18 THEN (refuse, minor)"'
    (tmp_path / "past.csv").write_text("age,result\n10,grant\n")
    out = run("predict", "two.csv", "past.csv")[1]
    assert out == "age,result,result (prediction),reason\n10,grant,refuse,minor\n"


def test_several_outcomes_of_several_rules(run, tmp_path):
    (tmp_path / "all.csv").write_text(
        "C,age,fee,why\n,,outcome,outcome\n1,< 18,1,young\n2,< 60,2,not old\n"
    )
    (tmp_path / "new.csv").write_text("age\n10\n30\n70\n")
    status, out, _ = run("predict", "all.csv", "new.csv")
    assert (status, out) == (0, "age,fee,why\n10,1; 2,young; not old\n30,2,not old\n70,,\n")


# --- one estimate everywhere


def figures(pattern, text):
    """Return the figures that a pattern finds in a text, which has it once."""
    (match,) = re.findall(pattern, text)
    return tuple(map(float, match))


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--weight", "n"],
        ["--class-weight", "balanced"],
        ["--scoring", "balanced_accuracy"],
        ["--cv", 2],
    ],
)
def test_all_views_show_the_same_score_to_expect(run, monkeypatch, tmp_path, options):
    rng = np.random.default_rng(5)
    lines = [
        f"{age},{round(n, 2)},{'free' if age + 12 * noise < 30 else 'full'}"
        for age, n, noise in zip(
            rng.integers(0, 80, 150), rng.uniform(0.1, 5, 150), rng.normal(size=150), strict=True
        )
    ]
    (tmp_path / "noisy.csv").write_text("\n".join(["age,n,pays", *lines]) + "\n")
    short = {"generations": 1, "moves": 60, "random_state": 0}
    monkeypatch.setattr(irenic, "RuleSetClassifier", functools.partial(_Classifier, **short))
    status, out, _ = run(
        "learn", "noisy.csv", *options, "-o", "model.json", "--card", "card.md", "--random-state", 0
    )
    assert status == 0
    number = r"(\d\.\d{3})"
    sentence = rf"to expect is {number} on new rows \(95 % interval {number} to {number}\)"
    shown = figures(sentence, out)
    assert figures(sentence, (tmp_path / "card.md").read_text(encoding="utf-8")) == shown
    stored = json.loads((tmp_path / "model.json").read_text(encoding="utf-8"))["model"]["estimate"]
    summary = json.loads(run("report", "model.json", "--json")[1])
    as_json = validated(run("learn", "noisy.csv", *options, "--json", "--random-state", 0)[1])[
        "estimate"
    ]
    assert [*summary["estimate"].values()] == stored == [*as_json.values()]
    assert tuple(float(f"{value:.3f}") for value in stored) == shown
    if not options or "--weight" in options:
        assert figures(rf"\nirenic +{number} +{number} to {number}", out) == shown
    if "--scoring" in options:
        assert figures(rf"\nirenic +{number} .*? to .*?  +{number} ", out)[1] == shown[0]
    assert ("by class weight" in summary["score"]) is ("--class-weight" in options)
