"""What the commands make of tables whose cells are ambiguous, and what they say about it."""

from __future__ import annotations

import functools
import json
import re
from pathlib import Path

import pytest

import irenic
from irenic.frames.table import read_table

SHORT = {"generations": 1, "moves": 100, "selection": "description"}


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Make fits fast."""
    classifier = functools.partial(irenic.RuleSetClassifier, **SHORT)
    monkeypatch.setattr(irenic, "RuleSetClassifier", classifier)


@pytest.fixture
def run(run, monkeypatch, tmp_path):
    """Run the command in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return run


@pytest.fixture
def write(tmp_path):
    """Write a table of rows that repeat."""

    def save(name, header, rows, times=1):
        (tmp_path / name).write_text("\n".join([header, *rows * times]) + "\n")
        return name

    return save


# --- codes


def test_codes_are_learned_as_text_and_read_so_by_every_command(run, write):
    data = write("data.csv", "code,x,y", ["007,1,bad", "7,1,good", "12,1,good"], 20)
    status, out, err = run("learn", data, "--cv", 0, "-o", "model.json")
    assert (status, err) == (0, "irenic: code: read as text because of '007'\n")
    assert '"007"' in out
    # no code with a zero in these rows
    new = write("new.csv", "code,x,y", ["7,1,good", "12,2,bad"])
    assert run("predict", "model.json", new, "-o", "out.csv")[0] == 0
    assert read_table("out.csv")["prediction"].tolist() == ["good", "good"]
    assert read_table("out.csv").cells["code"] == ("7", "12")
    assert "good" in run("why", "model.json", new, "--row", 1)[1]
    assert run("monitor", "model.json", new)[0] in (0, 1)
    assert run("report", "model.json", new, "-o", "page.html")[0] == 0


def test_labels_that_differ_in_zeros_stay_apart(run, write):
    data = write("data.csv", "x,y", ["1,01", "2,1", "3,1"], 20)
    status, out, err = run("learn", data, "--cv", 0)
    assert (status, err) == (0, "irenic: y: read as text because of '01'\n")
    assert "2 classes: 01 20, 1 40" in out


def test_codes_are_numbers_where_rules_compare_numbers(run, write, tmp_path):
    (tmp_path / "rules.txt").write_text("IF month < 7 THEN a\nDEFAULT b\n")
    data = write("data.csv", "month", ["01", "12"])
    assert run("predict", "rules.txt", data) == (
        0,
        "month,prediction\n01,a\n12,b\n",
        "irenic: month: '01' is read as a number, because the rules compare numbers\n",
    )


# --- exports


def test_a_model_is_converted_to_pmml_with_its_counts_and_the_fields_that_rules_test(run, write):
    data = write("data.csv", "age,name,y", [f"{i},N{i % 2},{'ab'[i > 18]}" for i in range(40)])
    assert run("learn", data, "--cv", 0, "--forbid", "name", "-o", "model.json")[0] == 0
    assert run("convert", "model.json", "model.pmml")[0] == 0
    text = Path("model.pmml").read_text()
    assert text == irenic.dumps(irenic.read_model("model.json"), format="pmml")
    assert "recordCount=" in text
    assert '<MiningField name="age"/>' in text
    assert '"name"' not in text


# --- forbidden columns


def test_the_comparison_and_the_card_leave_forbidden_columns_out(run, write):
    rows = [f"{i % 7},{'ab'[i % 3 == 0]},{'ab'[i % 3 == 0]}" for i in range(60)]
    data = write("data.csv", "x,later,y", rows)
    status, out, _ = run("learn", data, "--cv", 2, "--json")
    assert json.loads(out)["cross_validation"]["learners"][1]["accuracy"] == 1.0
    status, out, err = run(
        "learn", data, "--forbid", "later", "--cv", 2, "--json", "--card", "card.md"
    )
    assert (status, err) == (0, "")
    assert json.loads(out)["cross_validation"]["learners"][1]["accuracy"] < 0.9
    card = Path("card.md").read_text()
    assert "make sure that it is known" not in card
    assert "forbidden=['later']" in card
    assert "may know the answer" not in run("learn", data, "--forbid", "later", "--cv", 0)[1]


# --- options, notes and headings


def test_columns_are_ignored_and_rows_weighed(run, write):
    rows = [f"{i % 7},{'ab'[i % 3 == 0]},{1 + i % 2},{'ab'[i % 3 == 0]}" for i in range(60)]
    data = write("data.csv", "x,later,n,y", rows)
    options = ("--ignore", "later", "--weight", "n", "--by", "later")
    status, out, _ = run("learn", data, *options, "-o", "model.json")
    assert status == 0
    model = irenic.read_model("model.json")
    assert model.space_.names == ("x",)
    assert "60 rows, 1 feature, 2 classes" in out
    table = read_table(data)
    same = irenic.RuleSetClassifier(random_state=0, n_jobs=-1)
    same.fit({"x": table["x"]}, table["y"], sample_weight=table["n"])
    assert str(model.rules_) == str(same.rules_)
    for arguments, message in (
        (("--ignore", "latr"), "data.csv: --ignore: unknown column 'latr'; did you mean 'later'?"),
        (("--weight", "y"), "--weight names the column to predict, 'y'"),
        (("--weight", "n", "--cv", 2), "--weight cannot be combined with --cv, which counts rows"),
    ):
        status, _, err = run("learn", data, *arguments)
        assert status == 2
        assert message in err


def test_why_names_features_that_count_as_missing(run, write):
    rows = [f"{i},{'fm'[i % 2]},{'free' if i < 18 else 'full'}" for i in range(60)]
    assert run("learn", write("data.csv", "age,sex,y", rows), "--cv", 0, "-o", "model.json")[0] == 0
    note = "irenic: age is not given, and counts as missing\n"
    assert run("why", "model.json", "sex = f")[2] == note
    assert run("why", "model.json", "age = 17")[2] == ""


def test_a_label_named_default_is_quoted_beside_what_the_default_decides(run, write):
    rows = [f"{i},{'fm'[i % 2]},{'default' if i < 18 else 'paid'}" for i in range(60)]
    data = write("data.csv", "age,sex,y", rows)
    out = run("learn", data, "--cv", 0, "--by", "sex", "--card", "card.md")[1]
    assert re.search(r'sex +rows +"default" +by default', out)
    assert '| sex | rows | "default" | by default |' in Path("card.md").read_text()


def test_a_column_that_numbers_the_rows_is_named(run, write):
    rows = [f"{1000 + i},{i % 7},{'ab'[i % 3 == 0]}" for i in range(120)]
    data = write("data.csv", "customer,x,y", rows)
    out = run("learn", data, "--cv", 0)[1]
    assert "Columns unlikely to help: customer (numbers the rows)" in out


def test_one_row_as_values_is_an_error_that_says_what_to_pass():
    clf = irenic.RuleSetClassifier(random_state=0).fit({"a": range(20)}, [0] * 10 + [1] * 10)
    message = r"column 'a' must be a list with one value per row, got 5; .* pass {'a': \[5\]}"
    with pytest.raises(irenic.DataError, match=message):
        clf.predict({"a": 5})


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_name_that_is_too_long_is_reported(run, write, suffix):
    rules, name = write("fares.csv", "age,fare", ["< 18,free"]), "x" * 300 + suffix
    for arguments in (("check", rules, "--data", name), ("learn", name), ("predict", rules, name)):
        assert run(*arguments)[::2] == (2, f"irenic: cannot read {name}: File name too long\n")
