"""What the commands make of tables whose cells are ambiguous, and what they say about it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import irenic
from irenic.frames.table import read_table

pytestmark = pytest.mark.usefixtures("quick")


@pytest.fixture
def write(file):
    """Write a table of rows that repeat."""
    return lambda name, header, rows, n=1: file("\n".join([header, *rows * n]) + "\n", name)


# --- codes


def test_codes_are_learned_as_text_and_read_so_by_every_command(run, write):
    write("data.csv", "code,x,y", ["007,1,bad", "7,1,good", "12,1,good"], 20)
    status, out, err = run("learn data.csv --cv 0 -o model.json")
    assert (status, err) == (0, "irenic: code: read as text because of '007'\n")
    assert '"007"' in out
    # no code with a zero in these rows
    write("new.csv", "code,x,y", ["7,1,good", "12,2,bad"])
    assert run("predict model.json new.csv -o out.csv")[0] == 0
    assert read_table("out.csv")["prediction"].tolist() == ["good", "good"]
    assert read_table("out.csv").cells["code"] == ("7", "12")
    assert "good" in run("why model.json new.csv --row 1")[1]
    assert run("monitor model.json new.csv")[0] in (0, 1)
    assert run("report model.json new.csv -o page.html")[0] == 0


def test_labels_that_differ_in_zeros_stay_apart(run, write):
    write("data.csv", "x,y", ["1,01", "2,1", "3,1"], 20)
    status, out, err = run("learn data.csv --cv 0")
    assert (status, err) == (0, "irenic: y: read as text because of '01'\n")
    assert "2 classes: 01 20, 1 40" in out


def test_codes_are_numbers_where_rules_compare_numbers(run, write, file):
    file("IF month < 7 THEN a\nDEFAULT b\n")
    write("data.csv", "month", ["01", "12"])
    assert run("predict my.rules data.csv") == (
        0,
        "month,prediction\n01,a\n12,b\n",
        "irenic: month: '01' is read as a number, because the rules compare numbers\n",
    )


# --- exports, forbidden columns, options, notes and headings


def test_a_model_is_converted_to_pmml_with_its_counts_and_the_fields_that_rules_test(run, write):
    write("data.csv", "age,name,y", [f"{i},N{i % 2},{'ab'[i > 18]}" for i in range(40)])
    assert run("learn data.csv --cv 0 --forbid name -o model.json")[0] == 0
    assert run("convert model.json model.pmml")[0] == 0
    text = Path("model.pmml").read_text()
    assert text == irenic.dumps(irenic.read_model("model.json"), format="pmml")
    assert "recordCount=" in text
    assert '<MiningField name="age"/>' in text
    assert '"name"' not in text


def test_the_comparison_and_the_card_leave_forbidden_columns_out(run, write):
    rows = [f"{i % 7},{'ab'[i % 3 == 0]},{'ab'[i % 3 == 0]}" for i in range(60)]
    write("data.csv", "x,later,y", rows)
    out = run("learn data.csv --cv 2 --json")[1]
    assert json.loads(out)["cross_validation"]["learners"][1]["accuracy"] == 1.0
    status, out, err = run("learn data.csv --forbid later --cv 2 --json --card card.md")
    assert (status, err) == (0, "")
    assert json.loads(out)["cross_validation"]["learners"][1]["accuracy"] < 0.9
    card = Path("card.md").read_text()
    assert "make sure that it is known" not in card
    assert "forbidden=['later']" in card
    assert "may know the answer" not in run("learn data.csv --forbid later --cv 0")[1]


def test_columns_are_ignored_and_rows_weighed(run, write):
    rows = [f"{i % 7},{'ab'[i % 3 == 0]},{1 + i % 2},{'ab'[i % 3 == 0]}" for i in range(60)]
    write("data.csv", "x,later,n,y", rows)
    status, out, _ = run("learn data.csv --ignore later --weight n --by later -o model.json")
    assert (status, "60 rows, 1 feature, 2 classes" in out) == (0, True)
    model, table = irenic.read_model("model.json"), read_table("data.csv")
    assert model.space_.names == ("x",)
    same = irenic.RuleSetClassifier(random_state=0, n_jobs=-1)
    same.fit({"x": table["x"]}, table["y"], sample_weight=table["n"])
    assert str(model.rules_) == str(same.rules_)
    for options, message in {
        "--ignore latr": "data.csv: --ignore: unknown column 'latr'; did you mean 'later'?",
        "--weight y": "--weight names the column to predict, 'y'",
        "--weight n --cv 2": "--weight cannot be combined with --cv, which counts rows",
    }.items():
        status, _, err = run(f"learn data.csv {options}")
        assert (status, message in err) == (2, True), err


def test_why_names_features_that_count_as_missing(run, write):
    rows = [f"{i},{'fm'[i % 2]},{'free' if i < 18 else 'full'}" for i in range(60)]
    write("data.csv", "age,sex,y", rows)
    assert run("learn data.csv --cv 0 -o model.json")[0] == 0
    note = "irenic: age is not given, and counts as missing\n"
    assert run("why model.json", "sex = f")[2] == note
    assert run("why model.json", "age = 17")[2] == ""


def test_a_label_named_default_is_quoted_beside_what_the_default_decides(run, write):
    rows = [f"{i},{'fm'[i % 2]},{'default' if i < 18 else 'paid'}" for i in range(60)]
    write("data.csv", "age,sex,y", rows)
    out = run("learn data.csv --cv 0 --by sex --card card.md")[1]
    assert re.search(r'sex +rows +"default" +by default', out)
    assert '| sex | rows | "default" | by default |' in Path("card.md").read_text()


def test_one_row_as_values_is_an_error_that_says_what_to_pass():
    clf = irenic.RuleSetClassifier(random_state=0).fit({"a": range(20)}, [0] * 10 + [1] * 10)
    message = r"column 'a' must be a list with one value per row, got 5; .* pass {'a': \[5\]}"
    with pytest.raises(irenic.DataError, match=message):
        clf.predict({"a": 5})
