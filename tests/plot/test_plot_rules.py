"""plot.rules, plot.coverage and plot.front."""

from __future__ import annotations

import builtins
import math
import subprocess
import sys
from copy import copy
from dataclasses import replace
from functools import cache

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_hex

import irenic
from irenic import (
    Categorical,
    ConditionError,
    Continuous,
    DataError,
    Region,
    Rule,
    RuleList,
    RuleSet,
    RuleSetClassifier,
    Space,
    plot,
)
from irenic.learn import Evolution
from irenic.plot._figure import label, percent
from irenic.plot._rules import condition_text, values_text
from pictures import extents, legend, patches, texts

AGES = RuleSet(
    [
        Rule({"age": (0, 30), "job": {"in": ["clerk", "nurse"]}}, then="low"),
        Rule({"age": (29, 60)}, then="high"),
    ],
)
X = {"age": [10.0, 29, 50, 70, 20], "job": ["clerk", "nurse", "clerk", "clerk", "nurse"]}
Y = ["low", "low", "high", "high", "high"]


@cache
def classifier(**keywords):
    rng = np.random.default_rng(0)
    table = {"a": rng.normal(size=40), "b": rng.normal(size=40)}
    labels = np.where(table["a"] + table["b"] > 0.5, "yes", "no")
    return RuleSetClassifier(generations=1, moves=20, random_state=0, **keywords).fit(table, labels)


def one_rule(feature, condition):
    space = Space([feature])
    return RuleSet([Rule(Region(space, {feature.name: condition}), then="x")], space)


def rows(ax):
    return [text.get_text() for text in ax.get_yticklabels()]


def ticks(ax):
    return [text.get_text() for text in ax.get_xticklabels()]


# --- rules


def test_there_is_one_row_per_rule_and_one_column_per_feature():
    ax = plot.rules(AGES)
    assert rows(ax) == ["1 → low", "2 → high"]
    assert texts(ax, "head") == ["age", "job"]
    assert texts(ax, "condition") == ["≥ 0, < 30", "clerk, nurse", "≥ 29, < 60"]
    assert texts(ax, "counts") == []
    ordered = RuleList(list(AGES), AGES.space, default="low")
    assert rows(plot.rules(ordered)) == ["1 → low", "2 → high", "otherwise → low"]
    without_conditions = RuleSet([Rule(Region(AGES.space), then="x")], AGES.space)
    assert rows(plot.rules(without_conditions)) == ["1 → x"]
    assert rows(plot.rules(RuleSet(space=AGES.space))) == []


def test_a_bar_is_the_admitted_part_of_the_range():
    ax = plot.rules(one_rule(Continuous("f", bounds=(0, 10)), (2.5, 5)))
    ((left, right, *_),) = extents(ax, "rule 0")
    low, high = ax.get_xticks()
    assert (left - low) / (high - low) == pytest.approx(0.25, abs=1e-9)
    assert (right - low) / (high - low) == pytest.approx(0.5, abs=1e-9)
    assert ticks(ax) == ["0", "10"]


def test_admitted_values_are_filled_squares_or_bars_if_there_are_many():
    ax = plot.rules(one_rule(Categorical("c", list("abcde")), {"a", "d"}))
    assert len(patches(ax, "rule 0")) == 2
    assert len(patches(ax, "not admitted")) == 3
    assert {to_hex(p.get_facecolor()) for p in patches(ax, "rule 0")} == {"#0072b2"}
    names = [f"v{i:02d}" for i in range(40)]
    ax = plot.rules(one_rule(Categorical("c", names), {*names[:10], "v39"}))
    assert [round((b - a) / 0.88 * 40) for a, b, *_ in extents(ax, "rule 0")] == [10, 1]


def test_counts_are_on_the_right():
    ax = plot.rules(AGES, X, Y)
    assert texts(ax, "head")[-1] == "covered · correct"
    assert texts(ax, "counts") == ["3 · 67%", "2 · 50%"]
    assert texts(plot.rules(AGES, X), "counts") == ["3", "2"]
    # of a classifier, those of new rows if rows were left out
    assert texts(plot.rules(classifier()), "head")[-1] == "covered · correct (new rows)"


def test_without_instances_columns_end_where_the_training_values_end():
    y = np.repeat(["a", "b"], [25, 75])
    clf = RuleSetClassifier(generations=1, moves=50, selection="description", random_state=0)
    clf.fit({"amount": np.linspace(250, 15945, 100)}, y)
    ax = plot.rules(clf)
    assert ticks(ax) == ["250", "15945"]
    assert texts(ax, "head")[-1] == "covered · correct (training)"
    assert ticks(plot.rules(clf, {"amount": [3000.0, 9000.0]}, ["a", "b"])) != ["250", "15945"]


def test_at_most_limit_rules_are_drawn_and_the_plot_says_so():
    many = RuleSet([Rule({"a": (i, i + 1)}, then="x") for i in range(35)])
    ax = plot.rules(many)
    assert (len(rows(ax)), ax.get_xlabel()) == (30, "the first 30 of 35 rules")
    assert len(rows(plot.rules(many, limit=2))) == 2
    ax = plot.coverage(many, {"a": [0.0, 1.0]}, limit=3)
    assert rows(ax) == ["1 → x", "2 → x", "3 → x"]
    assert ax.get_title(loc="left") == "the first 3 of 35 rules"
    for limit in (-1, 2.5, True, None):
        for draw in (plot.rules, plot.coverage):
            with pytest.raises(ConditionError, match="limit must be a non-negative integer, got"):
                draw(AGES, X, limit=limit)


def test_conditions_have_short_texts():
    for condition, text in (
        ({">": 18, "<=": 64.123456789}, "> 18, ≤ 64.123"),
        ({"=": 3}, "= 3"),
        ({"<": 5, "missing": True}, "< 5 or missing"),
        ({"missing": True}, "missing"),
        ({"missing": False}, "not missing"),
        ({"<": 5}, "< 5"),
    ):
        summary = irenic.summarize(one_rule(Continuous("f", missing=True), condition))
        box = summary["models"][0]["rules"][0]["box"]
        assert condition_text(summary["features"][0], box["f"]) == text
    feature = {"values": ["missing", "any other value", "a", "b", "c"], "admitted": [0, 1, 2, 3, 4]}
    assert values_text(feature, [0, 1]) == "missing, other"
    assert values_text(feature, [0, 1, 3, 4]) == "not a"


# --- coverage


def widths(ax, row):
    return {p.get_gid(): p.get_width() for p in ax.patches if round(p.get_y() + 0.34) == row}


def test_bars_are_stacked_by_label_and_misclassified_instances_are_hatched():
    ax = plot.coverage(AGES, X, Y)
    assert rows(ax) == ["1 → low", "2 → high", "no rule", "contradicted"]
    assert [widths(ax, row) for row in range(4)] == [
        {"label 0": 2, "wrong 1": 1},
        {"label 1": 1, "wrong 0": 1},
        {"label 1": 1},
        {"label 0": 1},
    ]
    assert all(bool(p.get_hatch()) == p.get_gid().startswith("wrong") for p in ax.patches)
    assert texts(ax, "counts") == ["3 · 67%", "2 · 50%", "1", "1"]
    assert legend(ax) == ["low", "high", "misclassified"]
    model = irenic.summarize(AGES, X, Y)["models"][0]
    assert [sum(widths(ax, row).values()) for row in (0, 1, 3)] == [
        *(rule["support"] for rule in model["rules"]),
        model["results"]["contradicted"],
    ]


def test_without_labels_bars_are_not_stacked():
    ax = plot.coverage(AGES, X)
    assert (widths(ax, 0), widths(ax, 3)) == ({"1 → low": 3}, {"contradicted": 1})
    assert ax.get_legend() is None
    rules = RuleSet([Rule({"a": (0, 5)}, then=frozenset({"x", "y"}))])
    ax = plot.coverage(rules, {"a": [1.0, 2.0]}, [["x"], ["x", "y"]])  # sets of labels
    assert [p.get_width() for p in ax.patches] == [2]
    with pytest.raises(DataError, match="coverage needs instances to count; pass X, and y"):
        plot.coverage(AGES)


def test_a_classifier_counts_instances_without_labels():
    model, table = classifier(), {"a": [0.0, 9.0], "b": [0.0, 9.0]}
    ax = plot.coverage(model, table)
    assert sum(p.get_width() for p in ax.patches) >= 2
    assert max(p.get_width() for p in ax.patches) <= 2
    assert ax.get_xlabel() == "instances covered"
    support = model.rules_.covering(table).sum(axis=0)
    assert texts(plot.rules(model, table), "counts")[:-1] == [f"{n}" for n in support]
    assert plot.coverage(model).get_xlabel() == "training instances covered"


# --- the front


def line(ax, gid):
    (match,) = [line for line in ax.lines if line.get_gid() == gid]
    return match


def size_of(point, size):
    return getattr(point, size if size == "explanation_size" else f"n_{size}")


@pytest.mark.parametrize("size", ["conditions", "rules", "explanation_size"])
def test_scores_are_drawn_against_sizes(size):
    model = classifier()
    ax = plot.front(model, size=size)
    for gid, score in (("validated", "validated_score"), ("training", "training_score")):
        points = sorted((size_of(p, size), getattr(p, score)) for p in model.pareto_front_)
        assert line(ax, gid).get_xydata().tolist() == [list(map(float, p)) for p in points]
    assert line(ax, "training").get_markerfacecolor() == "none"
    assert line(ax, "validated").get_markerfacecolor() != "none"
    chosen = (size_of(model.chosen_, size), model.chosen_.validated_score)
    assert line(ax, "chosen").get_xydata().tolist() == [list(map(float, chosen))]
    assert legend(ax) == ["validated", "training", "in use"]
    (name,) = texts(ax, "chosen name")
    assert name.startswith(f"{model.chosen_.n_rules} rule")


def test_missing_validation_scores_are_left_out():
    model = copy(classifier())
    place = model.pareto_front_.index(model.chosen_)
    model.pareto_front_ = [replace(p, validated_score=math.nan) for p in model.pareto_front_]
    model.chosen_ = model.pareto_front_[place]
    assert legend(plot.front(model)) == ["training", "in use"]


def test_a_front_needs_a_classifier_and_a_known_size():
    with pytest.raises(ConditionError, match="rules must be a fitted RuleSetClassifier"):
        plot.front(AGES)
    with pytest.raises(ConditionError, match=r"unknown size 'rule'; did you mean 'rules'\?"):
        plot.front(classifier(), size="rule")


# --- all plots

PLOTS = {
    "regions": lambda ax=None: plot.regions(AGES, ax=ax),
    "rules": lambda ax=None: plot.rules(AGES, ax=ax),
    "coverage": lambda ax=None: plot.coverage(AGES, X, Y, ax=ax),
    "front": lambda ax=None: plot.front(classifier(), ax=ax),
}


@pytest.mark.parametrize("name", PLOTS)
def test_only_the_given_axes_is_drawn_on(name):
    figure, (left, right) = plt.subplots(1, 2)
    other = plt.figure()
    assert PLOTS[name](left) is left
    assert plt.gcf() is other
    assert (len(right.patches) + len(right.lines), len(other.axes), len(figure.axes)) == (0, 0, 2)
    assert len(plt.get_fignums()) == 2
    with pytest.raises(ConditionError, match="ax must be a matplotlib Axes"):
        PLOTS[name](figure)


@pytest.mark.parametrize("conflicts", ["vote", "best"])
def test_rules_that_vote_are_drawn(conflicts):
    model = classifier(evolution=Evolution(conflicts=conflicts), selection="description")
    for draw in (plot.regions, plot.rules, plot.coverage, plot.front):
        draw(model).figure.draw_without_rendering()


def test_without_matplotlib_an_error_says_how_to_install_it(monkeypatch):
    real = builtins.__import__
    classifier()

    def without(name, *rest, **named):
        if name.split(".")[0] == "matplotlib":
            raise ImportError(name)
        return real(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    for draw in PLOTS.values():
        with pytest.raises(ConditionError, match=r"pip install 'irenic\[plot\]'"):
            draw()


def test_matplotlib_is_not_imported_with_irenic():
    code = "import irenic, sys; irenic.plot.regions; print('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


@pytest.mark.parametrize("draw", [plot.regions, plot.rules, plot.coverage, plot.front])
def test_objects_that_are_not_rules_are_rejected(draw):
    for wrong, message in (
        (3, r"rules must be a RuleSet, .* got int"),
        (RuleSetClassifier(), r"RuleSetClassifier, got .*; fit it first"),
        (irenic.summarize(AGES), "got dict; pass the rules, not a document"),
    ):
        with pytest.raises(ConditionError, match=message):
            draw(wrong)


def test_labels_are_short_and_on_one_line():
    assert label("a\nb\tc\x00d") == "a b c d"
    assert label("x" * 50, 10) == "x" * 9 + "…"
    assert label("$a$") == r"\$a\$"


def test_only_all_is_100_percent_and_only_none_is_0_percent():
    shares = [percent(share) for share in (1.0, 0.9995, 0.123, 0.001, 0.0)]
    assert shares == ["100%", "over 99%", "12%", "under 1%", "0%"]
