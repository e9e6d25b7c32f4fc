"""``irenic monitor``, and ``irenic learn`` with ``--by`` and ``--card``."""

import json
from pathlib import Path

import pytest

from documents import validated
from tests.learn.fitting import people


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    folder = tmp_path_factory.mktemp("monitor")
    X, y = people(n=200)
    table = X.assign(risk=y)
    paths = {}
    for name, rows in {"train": table, "moved": table.assign(age=table.age + 60)}.items():
        paths[name] = str(folder / f"{name}.csv")
        rows.to_csv(paths[name], index=False)
    gap = table.copy()
    gap.loc[3, "risk"] = None
    paths["gap"] = str(folder / "gap.csv")
    gap.to_csv(paths["gap"], index=False)
    paths["model"], paths["card"] = str(folder / "model.json"), str(folder / "card.md")
    return paths


def learn(tables, *more):
    """Return the arguments of a quick fit."""
    options = ["--budget", "5", "--max-rules", "3", "--jobs", "1", *more]
    return ["learn", tables["train"], "-o", tables["model"], *options]


@pytest.fixture
def model(tables, run):
    if not Path(tables["model"]).exists():
        status, out, _ = run(*learn(tables, "--by", "married", "--card", tables["card"]))
        assert status == 0
        tables["out"] = out
    return tables["model"]


def test_learn_compares_groups(model, tables):
    out = tables["out"]
    assert "By married, on the training rows, where rules are right more often than on" in out
    assert "rows" in out
    assert "\nfalse " in out
    assert "\ntrue " in out


def test_cross_validated_groups_are_those_of_rows_left_out(tables, run, tmp_path):
    card = tmp_path / "card.json"
    options = ("--cv", "2", "--by", "married", "--json", "--card", str(card))
    status, out, _ = run("learn", tables["train"], "--budget", "3", "--jobs", "1", *options)
    assert status == 0
    groups = validated(out)["groups"]
    assert groups["on"] == "left_out"
    assert sum(group["rows"] for group in groups["groups"]) == 200
    right = sum(group["accuracy"]["count"] for group in groups["groups"])
    (own,) = [x for x in json.loads(out)["cross_validation"]["learners"] if x["name"] == "irenic"]
    assert own["accuracy"] == pytest.approx(right / 200)
    assert json.loads(card.read_text())["groups"] == groups


def test_predictions_are_compared_by_group(model, tables, run, tmp_path):
    out = str(tmp_path / "out.csv")
    status, text, err = run("predict", model, tables["train"], "-o", out, "--by", "married")
    assert status == 0
    assert "By married, on these rows:" in text
    assert "accuracy" not in text
    status, csv, err = run("predict", model, tables["train"], "--by", "married")
    assert status == 0
    assert "By married, on these rows:" in err
    assert len(csv.splitlines()) == 201
    rules = tmp_path / "mine.rules"
    rules.write_text("IF age < 40 THEN low\nDEFAULT high\n")
    status, _, err = run("predict", str(rules), tables["train"], "--by", "job")
    assert status == 0
    assert "By job, on these rows:" in err
    status, _, err = run("predict", model, tables["train"], "--by", "marred")
    assert status == 2
    assert "--by: unknown column 'marred'; did you mean 'married'?" in err
    status, _, err = run("predict", str(rules), tables["train"], "--by", "job", "--resolve", "vote")
    assert status == 2
    assert "--by needs rules that need no --resolve" in err


def test_learn_writes_a_card(model, tables):
    text = Path(tables["card"]).read_text()
    assert text.startswith("# RuleSetClassifier for risk\n")
    assert "train.csv (SHA-256 `" in text
    assert "## By married" in text


def test_new_rows_of_the_same_kind_have_not_changed(model, tables, run):
    status, out, err = run("monitor", model, tables["train"], "--by", "job")
    assert status == 0
    assert out.startswith("200 new rows, compared with 200 training rows\naccuracy 0.")
    assert "By job, on these rows:" in out
    assert "missing" in out
    assert "Not changed: none of" in out
    assert "using column 'risk' as true labels" in err


def test_drift_is_reported_and_sets_the_status(model, tables, run):
    status, out, _ = run("monitor", model, tables["moved"], "--label", "risk")
    assert status == 1
    assert "Changed: " in out
    document = validated(run("monitor", model, tables["moved"], "--json")[1])
    assert document["changed"]
    assert document["rows"] == document["training_rows"] == 200
    changed = [shift for shift in document["shifts"] if shift["changed"]]
    assert changed
    for shift in changed:
        assert shift["p"] < 0.05
        assert shift["difference"][0] * shift["difference"][1] > 0 or shift["kind"] == "confidence"


def test_learn_has_groups_in_json(tables, run):
    arguments = [a for a in learn(tables, "--by", "married", "--json") if a != "-o"]
    arguments.remove(tables["model"])
    document = validated(run(*arguments)[1])
    assert [group["value"] for group in document["groups"]["groups"]] in (
        ["true", "false"],
        ["false", "true"],
    )
    assert document["groups"]["on"] == "training"


def test_learn_names_columns_that_may_know_the_answer(tables, run, tmp_path):
    rows = Path(tables["train"]).read_text().splitlines()
    copied = [f"{row.split(',')[-1].upper()},{row}" for row in rows]
    path = tmp_path / "copied.csv"
    path.write_text("\n".join(copied).replace("RISK,", "closed,", 1) + "\n")
    options = ["--budget", "5", "--max-rules", "2", "--jobs", "1"]
    out = run("learn", str(path), *options)[1]
    assert "Column that may know the answer: closed (another name for the target); is it" in out
    document = validated(run("learn", str(path), *options, "--json")[1])
    assert document["data"]["suspect"] == {"closed": "another name for the target"}


def test_cards_are_written_as_json_too(tables, run, tmp_path):
    path = tmp_path / "card.json"
    assert run(*learn(tables, "--cv", "0", "--card", str(path)))[0] == 0
    card = validated(path.read_text())
    assert card == json.loads(path.read_text())
    assert card["data"]["target"] == "risk"


def test_invalid_input_exits_with_2(model, tables, run, file):
    rules = file("IF age < 18 THEN free\n", "rules.txt")
    status, _, err = run("monitor", rules, tables["train"])
    assert status == 2
    assert "MODEL must be a model of irenic learn (.json), got rules without counts" in err
    err = run("monitor", model, tables["train"], "--by", "jop")[2]
    assert "--by: unknown column 'jop'; did you mean 'job'?" in err
    err = run("monitor", model, tables["gap"], "--label", "risk")[2]
    assert "column 'risk' must have a label in every row, got 1 rows without one" in err
    err = run(*learn(tables, "--by", "income"))[2]
    assert "by must have at most 50 different values" in err
    err = run(*learn(tables, "--card", "card.txt"))[2]
    assert "card.txt: --card must be a .md or .json file" in err
    err = run(*learn(tables, "--card", tables["train"]))[2]
    assert "are the same file, but inputs are never overwritten" in err
