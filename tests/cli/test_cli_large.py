"""Parquet files with many rows: read, and written, in blocks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import irenic
from irenic.cli import reading
from irenic.frames import sources
from irenic.learn import _base, _rows, _stored, inputs


@pytest.fixture(autouse=True)
def few(monkeypatch, quick):
    """Make fits fast, and 300 rows many."""
    quick(generations=1, moves=200, selection="description")
    for module in (_base, _rows, _stored, inputs, reading):
        monkeypatch.setattr(module, "MANY_ROWS", 300)
    monkeypatch.setattr(sources, "BLOCK_ROWS", 128)


@pytest.fixture
def frame(here):
    rng = np.random.default_rng(0)
    age = rng.integers(0, 90, 1000)
    job = rng.choice(["nurse", "clerk", "cook"], 1000)
    frame = pd.DataFrame({"age": age, "job": job, "pays": np.where(age < 18, "free", "full")})
    frame.to_parquet("people.parquet")
    return frame


def test_learn_counts_all_rows_of_a_large_file_or_folder(run, document, frame):
    found = document("learn people.parquet --cv 0 -o model.json")
    counts = frame["pays"].value_counts()
    rows = [each["rows"] for each in found["data"]["classes"]]
    assert rows == [counts["free"], counts["full"]]
    model = irenic.parse("model.json").model()
    assert [str(rule) for rule in model.rules_] == ["IF age < 18 THEN free"]
    assert model.chosen_.n_rows == 1000
    Path("parts").mkdir()
    for i in range(4):
        frame.iloc[i * 250 : (i + 1) * 250].to_parquet(f"parts/{i}.parquet")
    for data in ("people.parquet", "parts"):
        status, out, err = run(f"learn {data} --cv 0")
        assert (status, "age < 18" in out) == (0, True), err
        assert "1,000 rows were read in blocks" in err


def test_predictions_are_written_in_blocks(run, frame, here):
    run("learn people.parquet --cv 0 -o model.json")
    status, out, err = run("predict model.json people.parquet -o out.parquet")
    assert (status, out) == (0, "1,000 rows written to out.parquet\n"), err
    assert "columns not used by the rules" in err
    written = pd.read_parquet("out.parquet")
    assert written["prediction"].tolist() == frame["pays"].tolist()
    assert written.drop(columns="prediction").equals(frame)
    run("predict model.json people.parquet -o why.parquet --explain")
    explained = pd.read_parquet("why.parquet")
    assert explained["rule"].nunique() == 2
    assert explained["support"].sum() > 1000
    # compared by group
    status, out, err = run("predict model.json people.parquet -o by.parquet --by job")
    assert status == 0, err
    assert all(job in out for job in ("nurse", "clerk", "cook"))
    assert pd.read_parquet("by.parquet")["prediction"].tolist() == frame["pays"].tolist()
    # a failure leaves no file
    frame.assign(age=frame["age"].where(frame["age"] < 89, np.inf)).to_parquet("bad.parquet")
    status, _, err = run("predict model.json bad.parquet -o none.parquet")
    assert status == 2
    assert "bad.parquet, rows 1 to 128: column 'age', row" in err
    names = [path.name for path in here.iterdir()]
    assert not [name for name in names if "none" in name or ".irenic" in name]


RULES = """\
IF age < 18 THEN 0
IF age >= 18 AND age < 30 AND job in {nurse, cook} THEN 2.5
IF age >= 30 AND job in {nurse, clerk} THEN 4
"""


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_rules_by_hand_predict_in_blocks(run, file, frame, monkeypatch, suffix):
    file(RULES, "rules.txt")
    frame = frame.assign(since=pd.to_datetime("2026-01-01").date(), left=np.nan)
    frame.loc[frame.index >= 600, "left"] = 1.5
    getattr(frame, f"to_{suffix}")(f"cases.{suffix}", index=False)
    line = f"predict rules.txt cases.{suffix} --explain --by job -o"
    with monkeypatch.context() as patch:
        for name in ("MANY_ROWS", "MANY_BYTES"):
            patch.setattr(reading, name, 10**9)
        status, out, err = run(f"{line} whole.parquet")
        assert status == 0, err
    groups = out.partition("\n")[2]
    monkeypatch.setattr(reading, "MANY_BYTES", 100)
    status, out, err = run(f"{line} blocks.parquet")
    assert (status, out) == (0, f"1,000 rows written to blocks.parquet\n{groups}"), err
    whole, blocks = pd.read_parquet("whole.parquet"), pd.read_parquet("blocks.parquet")
    n = blocks["prediction"].isna().sum()
    assert f"cases.{suffix}, rows 1 to 128: " in err
    assert f"in all, {n} of 1,000 cases are undecided" in err
    assert err.count("undecided") == 2
    pd.testing.assert_frame_equal(whole, blocks)


def test_a_bad_row_of_a_large_csv_file(run, file, frame, monkeypatch):
    monkeypatch.setattr(reading, "MANY_BYTES", 100)
    file(RULES, "rules.txt")
    file(frame.to_csv(index=False) + "1,nurse\n", "cases.csv")
    status, _, err = run("predict rules.txt cases.csv -o out.parquet")
    assert status == 2
    assert "cases.csv, line 1002: a row must have 3 cells, got 2" in err
    assert not Path("out.parquet").exists()


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_check_finds_the_space_of_a_large_file(run, file, frame, monkeypatch, suffix):
    file(RULES, "rules.txt")
    getattr(frame, f"to_{suffix}")(f"cases.{suffix}", index=False)
    line = f"check rules.txt --data cases.{suffix} --json"
    monkeypatch.setattr(reading, "MANY_BYTES", 100)
    with monkeypatch.context() as whole:
        whole.setattr(reading, "read_data", None)  # must not be called
        found = run(line)
    for name in ("MANY_ROWS", "MANY_BYTES"):
        monkeypatch.setattr(reading, name, 10**9)
    assert found == run(line)
    assert "clerk" in found[1]
