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
from hypothesis import given
from matplotlib.colors import to_hex

import irenic
import strategies
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
from irenic.plot._figure import label
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


def rows(ax):
    return [text.get_text() for text in ax.get_yticklabels()]


# --- rules


def test_there_is_one_row_per_rule_and_one_column_per_feature():
    ax = plot.rules(AGES)
    assert rows(ax) == ["1 → low", "2 → high"]
    assert texts(ax, "head") == ["age", "job"]
    assert texts(ax, "condition") == ["≥ 0, < 30", "clerk, nurse", "≥ 29, < 60"]
    assert texts(ax, "counts") == []


def test_a_bar_is_the_admitted_part_of_the_range():
    space = Space([Continuous("f", bounds=(0, 10))])
    ax = plot.rules(RuleSet([Rule(Region(space, {"f": (2.5, 5)}), then="x")], space))
    ((left, right, *_),) = extents(ax, "rule 0")
    low, high = ax.get_xticks()
    assert (left - low) / (high - low) == pytest.approx(0.25, abs=1e-9)
    assert (right - low) / (high - low) == pytest.approx(0.5, abs=1e-9)
    assert [t.get_text() for t in ax.get_xticklabels()] == ["0", "10"]


def test_admitted_values_are_filled_squares():
    space = Space([Categorical("c", list("abcde"))])
    ax = plot.rules(RuleSet([Rule(Region(space, {"c": {"a", "d"}}), then="x")], space))
    assert len(patches(ax, "rule 0")) == 2
    assert len(patches(ax, "not admitted")) == 3
    assert {to_hex(p.get_facecolor()) for p in patches(ax, "rule 0")} == {"#0072b2"}


def test_many_values_are_bars():
    space = Space([Categorical("c", [f"v{i:02d}" for i in range(40)])])
    values = {f"v{i:02d}" for i in (*range(10), 39)}
    ax = plot.rules(RuleSet([Rule(Region(space, {"c": values}), then="x")], space))
    widths = [round((b - a) / 0.88 * 40) for a, b, *_ in extents(ax, "rule 0")]
    assert widths == [10, 1]


def test_counts_are_on_the_right():
    ax = plot.rules(AGES, X, Y)
    assert texts(ax, "head")[-1] == "covered · correct"
    assert texts(ax, "counts") == ["3 · 67%", "2 · 50%"]
    assert texts(plot.rules(AGES, X), "counts") == ["3", "2"]


def test_the_default_is_the_last_row_and_lists_keep_their_order():
    rules = RuleList(list(AGES), AGES.space, default="low")
    assert rows(plot.rules(rules)) == ["1 → low", "2 → high", "otherwise → low"]


def test_the_confidence_of_a_classifier_is_that_of_new_rows_if_rows_were_left_out():
    ax = plot.rules(classifier())
    assert texts(ax, "head")[-1] == "covered · correct (new rows)"
    clf = RuleSetClassifier(generations=1, moves=50, selection="description", random_state=0)
    clf.fit({"x": range(40)}, np.repeat(["a", "b"], 20))
    assert texts(plot.rules(clf), "head")[-1] == "covered · correct (training)"


def test_without_instances_columns_end_where_the_training_values_end():
    y = np.repeat(["a", "b"], [25, 75])
    clf = RuleSetClassifier(generations=1, moves=50, selection="description", random_state=0)
    clf.fit({"amount": np.linspace(250, 15945, 100)}, y)
    assert [text.get_text() for text in plot.rules(clf).get_xticklabels()] == ["250", "15945"]
    other = plot.rules(clf, {"amount": [3000.0, 9000.0]}, ["a", "b"])
    assert [text.get_text() for text in other.get_xticklabels()] != ["250", "15945"]


def test_at_most_limit_rules_are_drawn_and_the_plot_says_so():
    many = RuleSet([Rule({"a": (i, i + 1)}, then="x") for i in range(35)])
    ax = plot.rules(many)
    assert len(rows(ax)) == 30
    assert ax.get_xlabel() == "the first 30 of 35 rules"
    assert len(rows(plot.rules(many, limit=2))) == 2
    ax = plot.coverage(many, {"a": [0.0, 1.0]}, limit=3)
    assert rows(ax) == ["1 → x", "2 → x", "3 → x"]
    assert ax.get_title(loc="left") == "the first 3 of 35 rules"


@pytest.mark.parametrize("limit", [-1, 2.5, True, None])
def test_an_invalid_limit_is_rejected(limit):
    with pytest.raises(ConditionError, match="limit must be a non-negative integer, got"):
        plot.rules(AGES, limit=limit)
    with pytest.raises(ConditionError, match="limit must be a non-negative integer, got"):
        plot.coverage(AGES, X, limit=limit)


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        ({">": 18, "<=": 64.123456789}, "> 18, ≤ 64.123"),
        ({"=": 3}, "= 3"),
        ({"<": 5, "missing": True}, "< 5 or missing"),
        ({"missing": True}, "missing"),
        ({"missing": False}, "not missing"),
        ({"<": 5}, "< 5"),
    ],
)
def test_conditions_have_short_texts(condition, text):
    space = Space([Continuous("f", missing=True)])
    summary = irenic.summarize(RuleSet([Rule(Region(space, {"f": condition}), then="x")], space))
    box = summary["models"][0]["rules"][0]["box"]
    assert condition_text(summary["features"][0], box["f"]) == text


def test_sets_of_values_have_short_texts():
    feature = {"values": ["missing", "any other value", "a", "b", "c"], "admitted": [0, 1, 2, 3, 4]}
    assert values_text(feature, [0, 1]) == "missing, other"
    assert values_text(feature, [0, 1, 3, 4]) == "not a"


def test_rules_without_conditions_have_a_row():
    ax = plot.rules(RuleSet([Rule(Region(AGES.space), then="x")], AGES.space))
    assert rows(ax) == ["1 → x"]
    assert plot.rules(RuleSet(space=AGES.space)).get_yticklabels() == []


@strategies.examples(0.25)
@given(strategies.rule_sets(max_size=4, max_features=3))
def test_every_condition_has_a_text(rules):
    ax = plot.rules(rules)
    n_conditions = sum(len(rule.region.conditions()) for rule in rules)
    assert len(texts(ax, "condition")) == n_conditions
    plt.close(ax.figure)


# --- coverage


def widths(ax, row):
    return {p.get_gid(): p.get_width() for p in ax.patches if round(p.get_y() + 0.34) == row}


def test_bars_are_stacked_by_label_and_misclassified_instances_are_hatched():
    ax = plot.coverage(AGES, X, Y)
    assert rows(ax) == ["1 → low", "2 → high", "no rule", "contradicted"]
    assert widths(ax, 0) == {"label 0": 2, "wrong 1": 1}
    assert widths(ax, 1) == {"label 1": 1, "wrong 0": 1}
    assert widths(ax, 2) == {"label 1": 1}
    assert widths(ax, 3) == {"label 0": 1}
    hatched = {bool(p.get_hatch()) for p in ax.patches if p.get_gid().startswith("wrong")}
    assert hatched == {True}
    assert not any(p.get_hatch() for p in ax.patches if p.get_gid().startswith("label"))
    assert texts(ax, "counts") == ["3 · 67%", "2 · 50%", "1", "1"]
    assert legend(ax) == ["low", "high", "misclassified"]


def test_the_counts_are_those_of_the_summary():
    summary = irenic.summarize(AGES, X, Y)
    ax = plot.coverage(AGES, X, Y)
    model = summary["models"][0]
    for row, rule in enumerate(model["rules"]):
        assert sum(widths(ax, row).values()) == rule["support"]
    assert sum(widths(ax, 3).values()) == model["results"]["contradicted"]


def test_without_labels_bars_are_not_stacked():
    ax = plot.coverage(AGES, X)
    assert widths(ax, 0) == {"1 → low": 3}
    assert widths(ax, 3) == {"contradicted": 1}
    assert ax.get_legend() is None


def test_a_classifier_counts_instances_without_labels():
    model = classifier()
    ax = plot.coverage(model, {"a": [0.0, 9.0], "b": [0.0, 9.0]})
    assert sum(p.get_width() for p in ax.patches) >= 2
    assert ax.get_xlabel() == "instances covered"
    assert max(p.get_width() for p in ax.patches) <= 2
    support = model.rules_.covering({"a": [0.0, 9.0], "b": [0.0, 9.0]}).sum(axis=0)
    assert texts(plot.rules(model, {"a": [0.0, 9.0], "b": [0.0, 9.0]}), "counts")[:-1] == [
        f"{n}" for n in support
    ]
    assert plot.coverage(model).get_xlabel() == "training instances covered"


def test_sets_of_labels_are_not_stacked():
    rules = RuleSet([Rule({"a": (0, 5)}, then=frozenset({"x", "y"}))])
    ax = plot.coverage(rules, {"a": [1.0, 2.0]}, [["x"], ["x", "y"]])
    assert [p.get_width() for p in ax.patches] == [2]


def test_coverage_needs_instances():
    with pytest.raises(DataError, match="coverage needs instances to count; pass X, and y"):
        plot.coverage(AGES)


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


def test_the_rule_set_in_use_is_named():
    model = classifier()
    (name,) = texts(plot.front(model), "chosen name")
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


@pytest.mark.parametrize(
    "draw",
    [
        lambda ax: plot.rules(AGES, ax=ax),
        lambda ax: plot.coverage(AGES, X, Y, ax=ax),
        lambda ax: plot.front(classifier(), ax=ax),
    ],
)
def test_only_the_given_axes_is_drawn_on(draw):
    figure, (left, right) = plt.subplots(1, 2)
    other = plt.figure()
    assert draw(left) is left
    assert plt.gcf() is other
    assert (len(right.patches) + len(right.lines), len(other.axes), len(figure.axes)) == (0, 0, 2)
    with pytest.raises(ConditionError, match="ax must be a matplotlib Axes"):
        draw(figure)


@pytest.mark.parametrize("conflicts", ["vote", "best"])
def test_rules_that_vote_are_drawn(conflicts):
    model = classifier(conflicts=conflicts)
    for ax in (plot.regions(model), plot.rules(model), plot.coverage(model), plot.front(model)):
        ax.figure.canvas.draw()


def test_without_matplotlib_an_error_says_how_to_install_it(monkeypatch):
    real = builtins.__import__

    def without(name, *rest, **named):
        if name.split(".")[0] == "matplotlib":
            raise ImportError(name)
        return real(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    for draw in (plot.regions, plot.rules):
        with pytest.raises(ConditionError, match=r"pip install 'irenic\[plot\]'"):
            draw(AGES)
    with pytest.raises(ConditionError, match=r"pip install 'irenic\[plot\]'"):
        plot.coverage(AGES, X, Y)
    with pytest.raises(ConditionError, match=r"pip install 'irenic\[plot\]'"):
        plot.front(classifier())


def test_matplotlib_is_not_imported_with_irenic():
    code = "import irenic, sys; irenic.plot.regions; print('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_labels_are_short_and_on_one_line():
    assert label("a\nb\tc\x00d") == "a b c d"
    assert label("x" * 50, 10) == "x" * 9 + "…"
    assert label("$a$") == r"\$a\$"
