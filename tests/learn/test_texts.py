"""Dates and amounts as text are named, and never read in silence."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from fitting import quick

from irenic import Categorical, Space

DAYS = pd.date_range("2024-01-03", periods=40)
LABELS = ["free"] * 18 + ["full"] * 22
COLUMNS = {
    "2024-01-03": ("dates", DAYS.strftime("%Y-%m-%d")),
    "2024-01-03 10:30": ("dates", DAYS.strftime("%Y-%m-%d 10:30")),
    "03.01.2024": ("dates", DAYS.strftime("%d.%m.%Y")),
    "1/3/24": ("dates", [f"{d.month}/{d.day}/{d:%y}" for d in DAYS]),
    "0,50 €": ("amounts", [f"{i},50 €" for i in range(40)]),
    "$1,200.50": ("amounts", [f"${i},200.50" for i in range(1, 41)]),
    "EUR 1.200": ("amounts", [f"EUR {i}.200" for i in range(1, 41)]),
    "0%": ("amounts", [f"{i}%" for i in range(40)]),
    "-3.5": ("amounts", [f"{i - 3.5}" for i in range(40)]),
}


@pytest.mark.parametrize("first", COLUMNS)
def test_a_column_of_dates_or_amounts_is_named(first):
    kind, texts = COLUMNS[first]
    X = pd.DataFrame({"when": list(texts), "n": range(40)})
    message = (
        f"column 'when' holds {kind} as text, such as .*; convert it first .see pandas.to_"
        f"{'datetime' if kind == 'dates' else 'numeric'}."
    )
    for table in (X, X.assign(when=[*X.when[:-1], "n/a"]), X.to_dict("list")):
        with pytest.warns(UserWarning, match=message) as caught:
            quick().fit(table, LABELS)
        assert caught[0].filename == __file__


@pytest.mark.parametrize(
    "texts",
    [
        ["10115", "20095", "50667", "80331"] * 10,
        [f"{10115 + i}" for i in range(40)],
        [f"{i:04}" for i in range(40)],
        ["007", "12", "5", "90", "1234", "77"] * 6 + ["1"] * 4,
        [f"A{i}" for i in range(40)],
        ["18-25", "26-40", "41-65", "66+", "0-17"] * 8,
        ["2024-01-03", "2024-01-04"] * 20,
        [*DAYS.strftime("%Y-%m-%d")[:20], *(f"week {i}" for i in range(20))],
        ["1.2.3", "1.2.4", "1.10.0", "2.0.1", "0.9.9"] * 8,
        [f"room {i}" for i in range(40)],
    ],
)
def test_other_texts_are_not(texts):
    quick(forbidden=[]).fit({"code": texts, "n": range(40)}, LABELS)


def test_columns_that_users_say_something_about_are_as_they_want():
    days = list(DAYS.strftime("%Y-%m-%d"))
    X = pd.DataFrame({"when": np.array(days, dtype=object), "n": range(40)})
    declared = Space([Categorical("when", days, other=True, missing=True)])
    quick().fit(X.astype({"when": "category"}), LABELS)
    for options in ({"ordered": {"when": days}}, {"forbidden": ["when"]}, {"space": declared}):
        quick(**options).fit(X, LABELS)


@pytest.mark.parametrize(
    ("values", "bad"),
    [
        ([*np.arange(38.0), "unknown", 3.5], "'unknown' in row 39"),
        ([*map(str, np.arange(38.0)), "inf", "3.5"], "'inf' in row 39"),
        ([f"({i}.5)" if i % 2 else f"{i}.5" for i in range(40)], r"'\(1.5\)' in row 2"),
        ([*range(39), "n/a"], "'n/a' in row 40"),
    ],
)
def test_the_text_among_numbers_is_named_with_its_row(values, bad):
    X = pd.DataFrame({"when": pd.Series(values, dtype=object), "n": range(40)})
    for table in (X, X.to_dict("list")):
        with pytest.warns(UserWarning, match=f"column 'when' holds numbers, but {bad} is text, so"):
            quick().fit(table, LABELS)


def test_spellings_that_may_mean_the_same_are_named():
    numbers = {"n": range(40)}
    for X, y, message in [
        (
            {"job": ["cook", "Nurse", "nurse", "nurse "] * 10} | numbers,
            LABELS,
            "column 'job': 'Nurse', 'nurse' and 'nurse ' differ only in case or spaces, and count",
        ),
        (
            {"job": ["cook ", "nurse"] * 20} | numbers,
            LABELS,
            "column 'job': 'cook ' begins or ends with a space",
        ),
        (
            numbers,
            ["FREE", *LABELS[1:]],
            "labels: 'FREE' and 'free' differ only in case or spaces",
        ),
        (
            {"when": [str(i + 0.5) if i % 3 else i + 0.5 for i in range(40)]} | numbers,
            LABELS,
            "column 'when' holds amounts as text, such as '1.5'",
        ),
    ]:
        with pytest.warns(UserWarning, match=message):
            quick().fit(X, y)
