"""Parquet files with many rows: read, and written, in blocks."""

from __future__ import annotations

import functools
import json

import numpy as np
import pandas as pd
import pytest

import irenic
from irenic.cli import reading
from irenic.frames import sources
from irenic.learn import _base, _rows, _stored


@pytest.fixture(autouse=True)
def few(monkeypatch):
    """Make fits fast, and 300 rows many."""
    short = {"generations": 1, "moves": 200, "selection": "description"}
    classifier = functools.partial(irenic.RuleSetClassifier, **short)
    monkeypatch.setattr(irenic, "RuleSetClassifier", classifier)
    for module in (_base, _rows, _stored, reading):
        monkeypatch.setattr(module, "MANY_ROWS", 300)
    monkeypatch.setattr(sources, "BLOCK_ROWS", 128)


@pytest.fixture
def run(run, monkeypatch, tmp_path):
    """Run the command in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return run


@pytest.fixture
def frame(tmp_path):
    rng = np.random.default_rng(0)
    age = rng.integers(0, 90, 1000)
    job = rng.choice(["nurse", "clerk", "cook"], 1000)
    frame = pd.DataFrame({"age": age, "job": job, "pays": np.where(age < 18, "free", "full")})
    frame.to_parquet(tmp_path / "people.parquet")
    return frame


def test_learn_counts_all_rows_of_a_large_file(run, frame):
    status, out, err = run("learn", "people.parquet", "--json", "--cv", 0, "-o", "model.json")
    assert status == 0, err
    assert "1,000 rows were read in blocks" in err
    document = json.loads(out)
    counts = frame["pays"].value_counts()
    rows = [each["rows"] for each in document["data"]["classes"]]
    assert rows == [counts["free"], counts["full"]]
    model = irenic.parse("model.json").model()
    assert [str(rule) for rule in model.rules_] == ["IF age < 18 THEN free"]
    assert model.chosen_.n_rows == 1000


def test_learn_from_a_folder(run, frame, tmp_path):
    (tmp_path / "parts").mkdir()
    for i in range(4):
        frame.iloc[i * 250 : (i + 1) * 250].to_parquet(tmp_path / "parts" / f"{i}.parquet")
    status, out, err = run("learn", "parts", "--cv", 0)
    assert status == 0, err
    assert "age < 18" in out
    assert "1,000 rows were read in blocks" in err


def test_predictions_are_written_in_blocks(run, frame):
    run("learn", "people.parquet", "--cv", 0, "-o", "model.json")
    status, out, err = run("predict", "model.json", "people.parquet", "-o", "out.parquet")
    assert (status, out) == (0, "1,000 rows written to out.parquet\n"), err
    assert "columns not used by the rules" in err
    written = pd.read_parquet("out.parquet")
    assert written["prediction"].tolist() == frame["pays"].tolist()
    assert written.drop(columns="prediction").equals(frame)
    run("predict", "model.json", "people.parquet", "-o", "why.parquet", "--explain")
    explained = pd.read_parquet("why.parquet")
    assert explained["rule"].nunique() == 2
    assert explained["support"].sum() > 1000


def test_a_failed_prediction_leaves_no_file(run, frame, tmp_path):
    run("learn", "people.parquet", "--cv", 0, "-o", "model.json")
    frame.assign(age=frame["age"].where(frame["age"] < 89, np.inf)).to_parquet("bad.parquet")
    status, _, err = run("predict", "model.json", "bad.parquet", "-o", "out.parquet")
    assert status == 2
    assert "bad.parquet, rows 1 to 128: column 'age', row" in err
    assert not [path for path in tmp_path.iterdir() if "out" in path.name or ".irenic" in path.name]


def test_groups_are_compared_in_large_files(run, frame):
    run("learn", "people.parquet", "--cv", 0, "-o", "model.json")
    arguments = ("predict", "model.json", "people.parquet", "-o", "out.parquet", "--by", "job")
    status, out, err = run(*arguments)
    assert status == 0, err
    assert all(job in out for job in ("nurse", "clerk", "cook"))
    assert pd.read_parquet("out.parquet")["prediction"].tolist() == frame["pays"].tolist()


RULES = """\
IF age < 18 THEN 0
IF age >= 18 AND age < 30 AND job in {nurse, cook} THEN 2.5
IF age >= 30 AND job in {nurse, clerk} THEN 4
"""


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_rules_by_hand_predict_in_blocks(run, frame, tmp_path, monkeypatch, suffix):
    (tmp_path / "rules.txt").write_text(RULES)
    frame = frame.assign(since=pd.to_datetime("2026-01-01").date(), left=np.nan)
    frame.loc[frame.index >= 600, "left"] = 1.5
    getattr(frame, f"to_{suffix}")(f"cases.{suffix}", index=False)
    command = ("predict", "rules.txt", f"cases.{suffix}", "--explain", "--by", "job", "-o")
    for module_limits in ({"MANY_ROWS": 10**9, "MANY_BYTES": 10**9}, {"MANY_BYTES": 100}):
        monkeypatch.undo()
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sources, "BLOCK_ROWS", 128)
        monkeypatch.setattr(reading, "MANY_ROWS", 300)
        for name, limit in module_limits.items():
            monkeypatch.setattr(reading, name, limit)
        out = "whole.parquet" if len(module_limits) == 2 else "blocks.parquet"
        status, text, err = run(*command, out)
        assert status == 0, err
        if out == "whole.parquet":
            groups = text.partition("\n")[2]
            continue
        assert text == f"1,000 rows written to {out}\n{groups}"
        n = pd.read_parquet(out)["prediction"].isna().sum()
        assert f"cases.{suffix}, rows 1 to 128: " in err
        assert f"in all, {n} of 1,000 cases are undecided" in err
        assert err.count("undecided") == 2
    whole, blocks = pd.read_parquet("whole.parquet"), pd.read_parquet("blocks.parquet")
    pd.testing.assert_frame_equal(whole, blocks)


def test_a_bad_row_of_a_large_csv_file(run, frame, tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "MANY_BYTES", 100)
    (tmp_path / "rules.txt").write_text(RULES)
    frame.to_csv("cases.csv", index=False)
    with (tmp_path / "cases.csv").open("a") as file:
        file.write("1,nurse\n")
    status, _, err = run("predict", "rules.txt", "cases.csv", "-o", "out.parquet")
    assert status == 2
    assert "cases.csv, line 1002: a row must have 3 cells, got 2" in err
    assert not (tmp_path / "out.parquet").exists()


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_check_finds_the_space_of_a_large_file(run, frame, tmp_path, monkeypatch, suffix):
    (tmp_path / "rules.txt").write_text(RULES)
    getattr(frame, f"to_{suffix}")(f"cases.{suffix}", index=False)
    command = ("check", "rules.txt", "--data", f"cases.{suffix}", "--json")
    monkeypatch.setattr(reading, "MANY_BYTES", 100)
    with monkeypatch.context() as whole:
        whole.setattr(reading, "read_data", None)  # must not be called
        found = run(*command)
    for name in ("MANY_ROWS", "MANY_BYTES"):
        monkeypatch.setattr(reading, name, 10**9)
    assert found == run(*command)
    assert "clerk" in found[1]
