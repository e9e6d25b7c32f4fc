from __future__ import annotations

import itertools
import os
import subprocess
import sys
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


def each(k, spread=0.02):
    accuracy, size = made(k, spread=spread)
    one, *others = accuracy
    return {
        "ranks": plots.critical_difference(statistics.friedman(accuracy), "Ranks"),
        "intervals": plots.intervals(
            [statistics.paired(accuracy, c, one) for c in others], "Intervals", "accuracy"
        ),
        "pairs": plots.intervals(
            [statistics.paired(accuracy, a, b) for a, b in itertools.pairwise(accuracy)],
            "Pairs",
            "accuracy",
            margin=None,
        ),
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


@pytest.mark.parametrize("k", [2, 8, 20])
@pytest.mark.parametrize("spread", [0.0, 0.02])
def test_no_text_overlaps_another_or_leaves_the_figure(k, spread):
    for kind, figure in each(k, spread).items():
        places = texts(figure)
        width, height = figure.canvas.get_width_height()
        for (_, text), box in places.items():
            assert box.x0 >= 0, (kind, text)
            assert box.y0 >= 0, (kind, text)
            assert box.x1 <= width, (kind, text)
            assert box.y1 <= height, (kind, text)
        for (one, a), (other, b) in itertools.combinations(places.items(), 2):
            # boxes of two lines of text touch by the room for accents
            assert not a.padded(-1).overlaps(b.padded(-1)), (kind, one, other)


@pytest.mark.parametrize("kind", ["ranks", "intervals", "sets", "trade"])
def test_a_plot_is_saved_as_the_same_bytes(kind, tmp_path):
    for name in ("one", "two"):
        plots.save(each(8)[kind], tmp_path / name)
    one = (tmp_path / "one").read_bytes()
    assert one == (tmp_path / "two").read_bytes()
    assert one.startswith(b"<?xml")
    assert b"<dc:date>" not in one


def test_a_plot_is_the_same_in_every_process(tmp_path):
    # the cliques are sets of names, whose order is of the process
    code = "import sys, test_plots as t; t.plots.save(t.each(8)['ranks'], sys.argv[1])"
    root = Path(plots.__file__).parents[1]
    path = os.pathsep.join([str(root), str(Path(__file__).parent)])
    found = set()
    for seed in "12":
        subprocess.run(
            [sys.executable, "-c", code, str(tmp_path / seed)],
            env={**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": seed},
            check=True,
        )
        found.add((tmp_path / seed).read_bytes())
    assert len(found) == 1


def test_the_style_is_not_left_behind(tmp_path):
    before = dict(rcParams)
    plots.save(each(3)["trade"], tmp_path / "a.svg")
    assert dict(rcParams) == before


def test_bars_join_what_is_not_told_apart():
    n = 30
    rng = np.random.default_rng(0)
    base = rng.random(n)
    means = pd.DataFrame(
        {
            "good": base + 0.5,
            "as good": base + 0.5 + rng.normal(0, 0.01, n),
            "bad": base,
        }
    )
    ranks = statistics.friedman(means)
    (axes,) = plots.critical_difference(ranks, "Ranks").axes
    bars = [line for line in axes.lines if line.get_marker() == "o"]
    assert [list(bar.get_xdata()) for bar in bars] == [ranks.average.iloc[:2].tolist()]
    shown = [text.get_text() for text in axes.texts]
    assert " 3.00  bad" in shown


def test_one_learner_may_be_as_good_as_another_in_every_set():
    same = pd.DataFrame({"a": [0.5] * 3, "b": [0.5] * 3})
    (axes,) = plots.critical_difference(statistics.friedman(same), "Ranks").axes
    low, high = axes.get_xlim()
    assert low < 1.5 < high


def test_a_forest_plot_shows_means_intervals_and_adjusted_p():
    accuracy, _ = made(3)
    accuracy[NAMES[2]] = accuracy[NAMES[0]] - 0.1
    found = [statistics.paired(accuracy, c, NAMES[0]) for c in NAMES[1:3]]
    (axes,) = plots.intervals(found, "Title", "accuracy", margin=0.02).axes
    dots = [line for line in axes.lines if line.get_marker() == "o"]
    assert [dot.get_xdata()[0] for dot in dots] == [d.mean for d in found]
    drawn = [tuple(line.get_xdata()) for line in axes.lines]
    assert all(d.interval in drawn for d in found)
    p = statistics.holm([d.p for d in found])
    assert f"{p[0]:.3f}" in axes.texts[0].get_text()
    assert "< 0.001" in axes.texts[1].get_text()
    (band,) = axes.patches
    assert (band.get_x(), band.get_width()) == pytest.approx((-0.02, 0.04))
    assert "± 0.02" in axes.get_xlabel()


def test_one_set_is_drawn_hollow_without_an_interval():
    accuracy, _ = made(2, n=1)
    found = statistics.paired(accuracy, NAMES[1], NAMES[0])
    (axes,) = plots.intervals([found], "Title", "accuracy").axes
    (dot,) = [line for line in axes.lines if line.get_marker() == "o"]
    assert dot.get_markerfacecolor() == "white"
    assert len(axes.lines) == 2  # the dot and the line of zero
    with pytest.raises(ValueError, match="no differences to draw in 'Title'"):
        plots.intervals([], "Title", "accuracy")


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
    k = 20
    accuracy = pd.DataFrame([[0.8] * k], columns=NAMES[:k])
    figure = plots.trade_off(accuracy, accuracy * 10, "Trade")
    (axes,) = figure.axes
    figure.canvas.draw()
    boxes = [t.get_window_extent() for t in axes.texts if t.get_text()]
    assert len(boxes) == k
    assert not any(a.overlaps(b) for a, b in itertools.combinations(boxes, 2))
