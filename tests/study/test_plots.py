"""Tests of the figures of the study: their bytes, their texts, and what they show."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib import rcParams
from matplotlib.colors import to_hex

from study import plots, statistics

NAMES = [
    "none, resolved by the best rule",
    "none, resolved by voting of rules",
    "cutting",
    "cutting, best order",
    "gaps filled, nearest rule",
    "a $ and an _ and 5 % of {it}",
    *(f"another learner, of a long name {i}" for i in range(14)),
]
KINDS = ("ranks", "budgets", "sets", "trade")


def made(k, n=30, spread=0.02):
    rng = np.random.default_rng(k)
    sets = [f"made {i}" for i in range(n)]
    base, effect = rng.uniform(0.6, 0.9, (n, 1)), rng.normal(0, spread, k)
    accuracy = base + effect + rng.normal(0, 0.02, (n, k))
    size = np.exp(2 + rng.normal(0, 0.5, k) + rng.normal(0, 0.3, (n, k)))
    tables = [pd.DataFrame(t.round(3), index=sets, columns=NAMES[:k]) for t in (accuracy, size)]
    for table, measure in zip(tables, ("accuracy", "rules"), strict=True):
        table.attrs["measure"] = measure
    return tables


def curves(k):
    """Return a curve of three budgets for each of at most four arms."""
    rng = np.random.default_rng(k)
    return {
        f"arm {i}": pd.DataFrame(
            {
                "evaluations": [8_000, 32_000, 128_000],
                "seconds": np.sort(rng.uniform(0.05, 2.0, 3)),
                "accuracy": np.sort(rng.uniform(0.7, 0.8, 3)),
                "gap_accuracy": np.sort(rng.uniform(0.03, 0.06, 3)),
            }
        )
        for i in range(min(k, 4))
    }


@cache
def each(k, spread=0.02):
    """Return a figure of each kind, of k learners; to be read, not to be changed."""
    accuracy, size = made(k, spread=spread)
    one, *others = accuracy
    return {
        "ranks": plots.critical_difference(statistics.friedman(accuracy), "Ranks"),
        "budgets": plots.budgets(curves(k), 30, "Budgets"),
        "sets": plots.by_data_set(accuracy, others[0], one, "Sets"),
        "trade": plots.trade_off(accuracy, size, "Trade"),
    }


def texts(figure):
    """Return what is written in a figure, with the place of each."""
    figure.canvas.draw()
    written = [*figure.texts]
    for axes in figure.axes:
        written += [*axes.texts, axes.xaxis.label, axes.yaxis.label]
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            written += [
                tick.label1 if tick.label1.get_visible() else tick.label2
                for tick in axis.get_major_ticks()
                if axis.get_visible() and low <= tick.get_loc() <= high
            ]
        if axes.get_legend():
            written += axes.get_legend().get_texts()
    return {(i, t.get_text()): t.get_window_extent() for i, t in enumerate(written) if t.get_text()}


@pytest.mark.parametrize(("k", "spread"), [(2, 0.0), (8, 0.02), (20, 0.0), (20, 0.02)])
def test_no_text_overlaps_another_or_leaves_the_figure(k, spread):
    for kind, figure in each(k, spread).items():
        places = texts(figure)
        width, height = figure.canvas.get_width_height()
        for (_, text), box in places.items():
            assert min(box.x0, box.y0) >= 0, (kind, text)
            assert box.x1 <= width, (kind, text)
            assert box.y1 <= height, (kind, text)
        for (one, a), (other, b) in itertools.combinations(places.items(), 2):
            # boxes of two lines of text touch by the room for accents
            assert not a.padded(-1).overlaps(b.padded(-1)), (kind, one, other)


def save(folder):
    """Save a figure of each kind."""
    for kind in KINDS:
        plots.save(each(8)[kind], folder / kind)


def test_a_plot_is_the_same_in_every_process(tmp_path):
    before = dict(rcParams)
    # sets of names have an order of the process, and the cliques of ranks are such sets
    seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    code = "import sys, pathlib, test_plots; test_plots.save(pathlib.Path(sys.argv[1]))"
    root = Path(plots.__file__).parents[1]
    path = os.pathsep.join([str(root), str(Path(__file__).parent)])
    one, other = tmp_path / "one", tmp_path / "other"
    one.mkdir()
    other.mkdir()
    save(one)
    subprocess.run(
        [sys.executable, "-c", code, str(other)],
        env={**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": seed},
        check=True,
    )
    for kind in KINDS:
        written = (one / kind).read_bytes()
        assert written == (other / kind).read_bytes(), kind
        assert written.startswith(b"<?xml")
        assert b"<dc:date>" not in written
    # nor is the style left behind
    assert dict(rcParams) == before


def test_bars_join_what_is_not_told_apart():
    n = 30
    rng = np.random.default_rng(0)
    base = rng.random(n)
    good = base + 0.5
    means = pd.DataFrame({"good": good, "as good": good + rng.normal(0, 0.01, n), "bad": base})
    ranks = statistics.friedman(means)
    (axes,) = plots.critical_difference(ranks, "Ranks").axes
    bars = [line for line in axes.lines if line.get_marker() == "o"]
    assert [list(bar.get_xdata()) for bar in bars] == [ranks.average.iloc[:2].tolist()]
    shown = [text.get_text() for text in axes.texts]
    assert " 3.00  bad" in shown
    # one learner may be as good as another in every set
    same = pd.DataFrame({"a": [0.5] * 3, "b": [0.5] * 3})
    (axes,) = plots.critical_difference(statistics.friedman(same), "Ranks").axes
    low, high = axes.get_xlim()
    assert low < 1.5 < high


def test_budgets_are_drawn_by_evaluations_and_by_time():
    given = curves(3)
    figure = plots.budgets(given, 12, "Budgets")
    for axes, x, y in zip(
        figure.axes,
        ("evaluations", "seconds", "evaluations"),
        ("accuracy", "accuracy", "gap_accuracy"),
        strict=True,
    ):
        assert axes.get_xscale() == "log"
        for line, (name, curve) in zip(axes.lines, given.items(), strict=True):
            assert line.get_label() == name
            assert line.get_xdata().tolist() == curve[x].tolist()
            assert line.get_ydata().tolist() == curve[y].tolist()
    assert [t.get_text() for t in figure.legends[0].get_texts()] == list(given)
    assert [t.get_text() for t in figure.axes[0].get_xticklabels()] == ["8k", "32k", "128k"]
    assert "Means of 12 sets." in [t.get_text() for t in figure.texts]


def test_sets_are_sorted_and_coloured_by_who_is_better():
    means = pd.DataFrame({"a": [1.0, 3.0, 2.0, 2.0], "b": [2.0] * 3 + [np.nan]}, index=list("wxyz"))
    for higher, x, w in ((True, plots.BLUE, plots.VERMILION), (False, plots.VERMILION, plots.BLUE)):
        (axes,) = plots.by_data_set(means, "a", "b", "Sets", higher_is_better=higher).axes
        assert [label.get_text() for label in axes.get_yticklabels()] == ["x", "y", "w"]
        colours = {
            line.get_ydata()[0]: to_hex(line.get_color()).upper()
            for line in axes.lines
            if line.get_marker() in ("o", "|", "D")
        }
        assert colours == {0: x, 1: plots.BLACK, 2: w}
    with pytest.raises(ValueError, match="no set has"):
        plots.by_data_set(means.loc[["z"]], "a", "b", "Sets")


def test_a_trade_off_is_over_the_sets_of_all():
    nan = np.nan
    accuracy = pd.DataFrame({"a": [0.8, 0.6, 0.1], "b": [0.7, 0.7, nan], "c": [0.9, 0.9, 0.9],
                             "d": [0.5, 0.5, 0.5]})  # fmt: skip
    size = pd.DataFrame({"a": [2, 8, 9], "b": [8, 8, 8], "c": [nan] * 3, "d": [0, 0, 0]})
    figure = plots.trade_off(accuracy, size.astype(float), "Trade")
    (axes,) = figure.axes
    dots = {
        (round(float(line.get_xdata()[0]), 6), round(float(line.get_ydata()[0]), 6)): (
            line.get_markerfacecolor() == plots.BLUE
        )
        for line in axes.lines
    }
    # b is as accurate as a and larger; d, of no rules at all, is drawn at a half
    assert dots == {(4.0, 0.7): True, (8.0, 0.7): False, (0.5, 0.5): True}
    assert {t.get_text() for t in axes.texts} - {""} == {"a", "b", "d"}
    assert "no size: c." in figure.texts[-1].get_text()
    with pytest.raises(ValueError, match="no set has"):
        plots.trade_off(accuracy[["c"]], size[["c"]], "Trade")


def test_names_of_points_that_coincide_are_apart():
    k = 12
    accuracy = pd.DataFrame([[0.8] * k], columns=NAMES[:k])
    figure = plots.trade_off(accuracy, accuracy * 10, "Trade")
    (axes,) = figure.axes
    figure.canvas.draw()
    boxes = [t.get_window_extent() for t in axes.texts if t.get_text()]
    assert len(boxes) == k
    assert not any(a.overlaps(b) for a, b in itertools.combinations(boxes, 2))
