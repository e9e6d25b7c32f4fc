"""``irenic monitor``, and ``irenic learn`` with ``--by`` and ``--card``."""

import json
import re
from pathlib import Path

import pytest

from documents import validated
from tests.learn.fitting import people

RULES = "IF age < 40 THEN low\nDEFAULT high\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Write training rows, rows that moved, and rows of which one has no label."""
    folder = tmp_path_factory.mktemp("monitor")
    X, y = people(n=200)
    train = X.assign(risk=y)
    gap = train.copy()
    gap.loc[3, "risk"] = None
    for name, rows in {
        "train": train,
        "moved": train.assign(age=train.age + 60, income=train.income + 60),
        "gap": gap,
        "copied": train.assign(closed=train.risk.str.upper())[["closed", *train]],
    }.items():
        rows.to_csv(folder / f"{name}.csv", index=False)
    (folder / "mine.rules").write_text(RULES)
    return folder


@pytest.fixture
def run(run, folder, monkeypatch, quick):
    monkeypatch.chdir(folder)
    quick(generations=1, moves=400, selection="description")  # rules on age, job and income
    return run


LEARN = "learn train.csv --max-rules 3 --jobs 1"


@pytest.fixture
def model(run, folder):
    """Learn once; return what was printed."""
    printed = folder / "printed.txt"
    if not printed.exists():
        status, out, _ = run(f"{LEARN} -o model.json --by married --card card.md")
        assert status == 0
        printed.write_text(out)
    return printed.read_text()


def test_learn_compares_groups_and_writes_a_card(model):
    assert "By married, on the training rows, where rules are right more often than on" in model
    assert "rows" in model
    assert "\nfalse " in model
    assert "\ntrue " in model
    text = Path("card.md").read_text()
    assert text.startswith("# RuleSetClassifier for risk\n")
    assert "train.csv (SHA-256 `" in text
    assert "## By married" in text
    assert re.search(r"\| job \|.*clerk, cook, nurse, smith", text)


def test_cross_validated_groups_are_those_of_rows_left_out(run):
    status, out, _ = run(f"{LEARN} --cv 2 --by married --json --card card.json")
    assert status == 0
    found = validated(out)
    groups = found["groups"]
    assert groups["on"] == "left_out"
    assert sum(group["rows"] for group in groups["groups"]) == 200
    right = sum(group["accuracy"]["count"] for group in groups["groups"])
    (own,) = [x for x in found["cross_validation"]["learners"] if x["name"] == "irenic"]
    assert own["accuracy"] == pytest.approx(right / 200)
    card = validated(text := Path("card.json").read_text())
    assert card == json.loads(text)
    assert (card["groups"], card["data"]["target"]) == (groups, "risk")


def test_predictions_are_compared_by_group(model, run):
    status, text, _ = run("predict model.json train.csv --by married -o out.csv")
    assert status == 0
    assert "By married, on these rows:" in text
    assert "accuracy" not in text
    status, csv, err = run("predict model.json train.csv --by married")
    assert (status, len(csv.splitlines())) == (0, 201)
    assert "By married, on these rows:" in err
    status, _, err = run("predict mine.rules train.csv --by job")
    assert (status, "By job, on these rows:" in err) == (0, True)


def test_new_rows_of_the_same_kind_have_not_changed(model, run):
    status, out, err = run("monitor model.json train.csv --by job")
    assert status == 0
    assert out.startswith("200 new rows, compared with 200 training rows\naccuracy 0.")
    assert "By job, on these rows:" in out
    assert "missing" in out
    assert "Not changed: none of" in out
    assert "using column 'risk' as true labels" in err


def test_drift_is_reported_and_sets_the_status(model, run, document):
    status, out, _ = run("monitor model.json moved.csv --label risk")
    assert (status, "Changed: " in out) == (1, True)
    found = document("monitor model.json moved.csv")
    assert found["changed"]
    assert found["rows"] == found["training_rows"] == 200
    changed = [shift for shift in found["shifts"] if shift["changed"]]
    assert changed
    for shift in changed:
        assert shift["p"] < 0.05
        assert shift["difference"][0] * shift["difference"][1] > 0 or shift["kind"] == "confidence"


def test_learn_has_groups_in_json(document):
    groups = document(f"{LEARN} --by married")["groups"]
    assert sorted(group["value"] for group in groups["groups"]) == ["false", "true"]
    assert groups["on"] == "training"


def test_learn_names_columns_that_may_know_the_answer(run, document):
    line = LEARN.replace("train", "copied")
    note = "Column that may know the answer: closed (another name for the target); is it"
    assert note in run(f"{line} --card copied.md")[1]
    note = "Column closed is another name for the target; make sure that it is known when a case is"
    assert note in Path("copied.md").read_text()
    assert document(line)["data"]["suspect"] == {"closed": "another name for the target"}


def test_invalid_input_exits_with_2(model, run):
    for line, message in {
        "predict model.json train.csv --by marred": (
            "--by: unknown column 'marred'; did you mean 'married'?"
        ),
        "predict mine.rules train.csv --by job --resolve vote": (
            "--by needs rules that need no --resolve"
        ),
        "monitor mine.rules train.csv": (
            "MODEL must be a model of irenic learn (.json), got rules without counts"
        ),
        "monitor model.json train.csv --by jop": "--by: unknown column 'jop'; did you mean 'job'?",
        "monitor model.json gap.csv --label risk": (
            "column 'risk' must have a label in every row, got 1 rows without one"
        ),
        f"{LEARN} --by income": "by must have at most 50 different values",
        f"{LEARN} --card card.txt": "card.txt: --card must be a .md or .json file",
        f"{LEARN} --card train.csv": "are the same file, but inputs are never overwritten",
    }.items():
        status, _, err = run(line)
        assert (status, message in err) == (2, True), err
