"""plot.regions: its patches, points, texts and errors."""

from __future__ import annotations

import datetime as dt

import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.colors import to_hex

import irenic
import strategies
from irenic import (
    Budget,
    Categorical,
    ConditionError,
    Continuous,
    DataError,
    DecisionTable,
    Region,
    Rule,
    RuleList,
    RuleSet,
    Space,
    plot,
)
from pictures import extents, legend, patches, texts

LOANS = [
    Rule({"age": (0, 40), "income": (0, 30)}, then="decline"),
    Rule({"age": (30, 70), "income": (20, 60)}, then="grant"),
    Rule({"age": (60, 80), "income": (0, 25)}, then="ask"),
]
RULES = RuleSet(LOANS)
X = {"age": [10.0, 35, 35, 90], "income": [10.0, 25, 50, 90]}
Y = ["decline", "grant", "grant", "refer"]
BLUE, ORANGE, GREEN, PINK = "#0072b2", "#e69f00", "#009e73", "#cc79a7"


def color(patch):
    return to_hex(patch.get_edgecolor())


def points(ax):
    return {c.get_gid(): c for c in ax.collections if (c.get_gid() or "").startswith("points")}


# --- rules


def test_points_of_two_categories_fill_their_cells_instead_of_the_diagonals():
    space = Space([Categorical("a", ["p", "q"]), Categorical("b", ["r", "s"])])
    rules = RuleSet([Rule({"a": "p", "b": "r"}, then="A")], space)
    ax = plot.regions(rules, data={"a": ["p"] * 200, "b": ["r"] * 200})
    offsets = points(ax)["points"].get_offsets()
    assert abs(np.corrcoef(offsets.T)[0, 1]) < 0.2
    assert (np.ptp(offsets, axis=0) > 0.5).all()
    again = plot.regions(rules, data={"a": ["p"] * 200, "b": ["r"] * 200})
    assert (points(again)["points"].get_offsets() == offsets).all()


def test_a_rectangle_spans_the_conditions():
    ax = plot.regions(RULES, x="age", y="income")
    assert extents(ax, "rule 1") == [(0, 40, 0, 30)]
    assert extents(ax, "rule 2") == [(30, 70, 20, 60)]
    assert [color(*patches(ax, f"rule {i}")) for i in (1, 2, 3)] == [ORANGE, GREEN, BLUE]
    assert texts(ax, "number") == ["1", "2", "3"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("age", "income")


def test_an_open_side_extends_to_the_edge_of_the_plot():
    ax = plot.regions(RuleSet([Rule({"a": {">=": 2}, "b": {"<": 5}}, then="x")]), "a", "b")
    ((left, right, bottom, top),) = extents(ax, "rule 1")
    assert (left, top) == (2, 5)
    assert (right, bottom) == (ax.get_xlim()[1], ax.get_ylim()[0])


def test_contradictions_have_a_dashed_outline():
    ax = plot.regions(RULES, x="age", y="income")
    assert extents(ax, "conflict") == [(30, 40, 20, 30), (60, 70, 20, 25)]
    assert all(p.get_linestyle() not in ("-", "solid") for p in patches(ax, "conflict"))
    assert not any(p.get_fill() and p.get_facecolor()[3] for p in patches(ax, "conflict"))


def test_gaps_are_hatched():
    ax = plot.regions(RuleSet([Rule({"a": (0, 5)}, then="x")]))
    left, right = ax.get_xlim()
    assert extents(ax, "gap") == [(left, 0, 0, 1), (5, right, 0, 1)]
    assert {p.get_hatch() for p in patches(ax, "gap")} == {"////"}


def test_the_legend_says_that_the_search_was_stopped():
    ax = plot.regions(RULES, budget=Budget(nodes=0))
    assert "no rule (stopped by nodes)" in legend(ax)


def test_overlapping_projections_are_no_contradiction():
    apart = RuleSet(
        [
            Rule({"a": (0, 5), "b": (0, 5), "c": (0, 1)}, then="x"),
            Rule({"a": (2, 7), "b": (2, 7), "c": (1, 2)}, then="y"),
        ],
    )
    ax = plot.regions(apart, "a", "b")
    assert patches(ax, "conflict") == []
    assert ax.get_title(loc="left") == "projected: c"
    assert len(patches(plot.regions(apart, "a", "c"), "conflict")) == 0


def test_the_caption_names_fixed_and_projected_features():
    three = RuleSet(
        [
            Rule({"a": (0, 5), "b": (0, 5), "c": (0, 1), "d": (0, 1)}, then="x"),
            Rule({"a": (2, 7), "b": (2, 7), "c": (1, 2)}, then="y"),
        ],
    )
    ax = plot.regions(three, "a", "b", at={"c": 0.5})
    assert ax.get_title(loc="left") == "at c = 0.5; projected: d"
    assert patches(ax, "rule 2") == []
    assert extents(ax, "rule 1") == [(0, 5, 0, 5)]


def test_the_first_rule_of_a_list_is_on_top_and_there_are_no_contradictions():
    ax = plot.regions(RuleList(LOANS, default="ask"), "age", "income")
    over = [patches(ax, f"rule {i}")[0].get_zorder() for i in (1, 2, 3)]
    assert over == sorted(over, reverse=True)
    assert {patches(ax, f"rule {i}")[0].get_facecolor()[3] for i in (1, 2, 3)} == {1.0}
    assert patches(ax, "conflict") == []
    assert ax.get_title(loc="left") == "the first matching rule is on top"
    assert legend(ax) == ["decline", "grant", "ask", "no rule: ask"]


def test_the_rules_of_a_projected_list_are_translucent():
    rules = RuleList([Rule({"a": (0, 5), "c": (0, 1)}, then="x"), Rule({"b": 1}, then="y")])
    ax = plot.regions(rules, "a", "b")
    assert patches(ax, "rule 1")[0].get_facecolor()[3] < 1


def test_rows_of_a_table_that_make_several_rules_share_a_number():
    again = Rule({"age": (0, 9), "income": (70, 80)}, then="grant")
    rules = RuleSet([*LOANS[:2], again])
    table = DecisionTable(rules, rows=(0, 1, 1), n_rows=2, hit_policy="COLLECT")
    ax = plot.regions(table, "age", "income")
    assert len(patches(ax, "rule 2")) == 2
    assert patches(ax, "conflict") == []


def test_adjacent_categories_share_a_rectangle():
    space = Space([Categorical("c", list("abcd")), Continuous("f")])
    rules = RuleSet([Rule(Region(space, {"c": {"a", "b", "d"}, "f": (0, 1)}), then="x")], space)
    ax = plot.regions(rules, "c", "f")
    assert extents(ax, "rule 1") == [(-0.5, 1.5, 0, 1), (2.5, 3.5, 0, 1)]
    assert [t.get_text() for t in ax.get_xticklabels()] == ["a", "b", "c", "d"]


def test_integers_are_cells_centered_at_their_values():
    space = Space([Continuous("n", kind="integer", bounds=(0, 9))])
    ax = plot.regions(RuleSet([Rule(Region(space, {"n": {">=": 3, "<=": 5}}), then="x")], space))
    assert extents(ax, "rule 1") == [(2.5, 5.5, 0, 1)]
    assert ax.get_xlim() == (-0.5, 9.5)


def test_dates_are_readable():
    space = Space([Continuous("day", kind="date")])
    days = {">=": dt.date(2020, 3, 1), "<": dt.date(2020, 11, 1)}
    ax = plot.regions(RuleSet([Rule(Region(space, {"day": days}), then="x")], space))
    ax.figure.canvas.draw()
    shown = [t.get_text() for t in ax.get_xticklabels()]
    assert {"Mar", "May", "Jul", "Sep"} <= set(shown)
    ((left, right, *_),) = extents(ax, "rule 1")
    first = (dt.date(2020, 3, 1) - dt.date(1970, 1, 1)).days
    assert (left, right) == (first - 0.5, first + 245 - 0.5)


def test_times_and_durations_have_units():
    space = Space([Continuous("t", kind="time"), Continuous("u", kind="duration")])
    conditions = {"t": {"<": dt.time(12)}, "u": {">=": dt.timedelta(days=3)}}
    ax = plot.regions(RuleSet([Rule(Region(space, conditions), then="x")], space), "t", "u")
    ax.figure.canvas.draw()
    assert ax.get_ylabel() == "u (days)"
    assert "12:00" in [t.get_text() for t in ax.get_xticklabels()]
    assert extents(ax, "rule 1")[0][1:3] == (12, 3)


# --- missing values


def missing_rules(condition):
    space = Space([Continuous("f", missing=True), Continuous("g")])
    return RuleSet([Rule(Region(space, {"f": condition, "g": (0, 1)}), then="x")], space)


def test_missing_values_have_a_band():
    ax = plot.regions(missing_rules({"<": 5, "missing": True}), "f", "g")
    (band, main) = extents(ax, "rule 1")
    assert band[0] == ax.get_xlim()[0]
    assert band[1] < main[0]
    assert main[1] == 5
    ax.figure.canvas.draw()
    assert ax.get_xticklabels()[0].get_text() == "missing"
    assert band[0] < ax.get_xticks()[0] < band[1]


def test_a_condition_that_excludes_missing_values_is_not_drawn_in_the_band():
    assert len(extents(plot.regions(missing_rules({"<": 5}), "f", "g"), "rule 1")) == 1


def test_without_missing_values_there_is_no_band():
    data = {"f": [1.0, 2.0], "g": [0.5, 0.5]}
    without = plot.regions(missing_rules({"<": 5}), "f", "g", data=data)
    forced = plot.regions(missing_rules({"<": 5}), "f", "g", data=data, missing=True)
    with_missing = plot.regions(missing_rules({"<": 5}), "f", "g", data=data | {"f": [1.0, None]})
    hidden = plot.regions(missing_rules({"<": 5, "missing": True}), "f", "g", missing=False)
    bands = [_has_band(ax) for ax in (without, forced, with_missing, hidden)]
    assert bands == [False, True, True, False]


def _has_band(ax):
    ax.figure.canvas.draw()
    return "missing" in [t.get_text() for t in ax.get_xticklabels()]


# --- instances


def test_instances_have_the_color_and_the_marker_of_their_label():
    ax = plot.regions(RULES, "age", "income", data=(X, Y))
    drawn = points(ax)
    assert sorted(drawn) == ["points 0", "points 1", "points 3"]
    assert drawn["points 1"].get_offsets().tolist() == [[35, 25], [35, 50]]
    colors = {gid: to_hex(c.get_facecolor()[0]) for gid, c in drawn.items()}
    assert colors == {"points 0": ORANGE, "points 1": GREEN, "points 3": PINK}
    assert len({c.get_paths()[0].vertices.tobytes() for c in drawn.values()}) == 3
    assert legend(ax) == ["decline", "grant", "ask", "refer", "no rule", "contradiction"]


def test_labels_can_be_passed_separately_or_left_out():
    separate = plot.regions(RULES, "age", "income", data=X, labels=Y)
    assert sorted(points(separate)) == ["points 0", "points 1", "points 3"]
    bare = plot.regions(RULES, "age", "income", data=X)
    assert points(bare)["points"].get_offsets().shape == (4, 2)
    assert "instances" in legend(bare)


def test_a_slice_shows_the_instances_that_no_rule_distinguishes_from_it():
    rules = RuleSet([Rule({"a": (0, 5), "c": (2, 4)}, then="x"), Rule({"b": (0, 1)}, then="y")])
    data = {"a": [1.0, 2, 3], "b": [1.0, 1, 1], "c": [3.9, 4.0, 2.0]}
    ax = plot.regions(rules, "a", "b", data=data, at={"c": 3})
    assert points(ax)["points"].get_offsets()[:, 0].tolist() == [1, 3]
    assert "2 of 3 instances are in this slice" in ax.get_title(loc="left")


def test_colors_do_not_depend_on_whether_labels_are_passed():
    X = {"a": [1.0, 2, 3, 4] * 9, "b": [1.0, 1, 2, 2] * 9}
    y = ["z", "z", "y", "y"] * 9
    model = irenic.RuleSetClassifier(generations=1, moves=20, random_state=0).fit(X, y)
    drawn = [plot.regions(model, "a", "b", data=d) for d in (None, X, (X, y))]
    colors = [{p.get_gid(): color(p) for p in ax.patches if p.get_gid() != "gap"} for ax in drawn]
    assert colors[0]
    assert colors[0] == colors[1] == colors[2]


def test_only_some_of_many_instances_are_drawn_and_the_caption_says_so():
    rng = np.random.default_rng(0)
    data = {"age": rng.uniform(0, 90, 10_500), "income": rng.uniform(0, 90, 10_500)}
    ax = plot.regions(RULES, "age", "income", data=data)
    assert len(points(ax)["points"].get_offsets()) == 10_000
    assert ax.get_title(loc="left") == "10,000 of 10,500 instances"


# --- the Axes


def test_only_the_given_axes_is_drawn_on():
    figure, (left, right) = plt.subplots(1, 2)
    other = plt.figure()
    assert plot.regions(RULES, ax=left) is left
    assert plt.gcf() is other
    assert (len(right.patches), len(other.axes), len(figure.axes)) == (0, 0, 2)
    assert len(plt.get_fignums()) == 2


def test_texts_take_their_color_from_the_style():
    with plt.style.context("dark_background"):
        ax = plot.regions(RULES, "age", "income")
        assert {to_hex(t.get_color()) for t in ax.texts} == {"#ffffff"}
        ax.figure.canvas.draw()


def test_after_seven_colors_the_text_color_and_gray_are_used():
    rules = RuleSet([Rule({"a": (i, i + 1)}, then=f"o{i}") for i in range(10)])
    ax = plot.regions(rules)
    colors = [color(*patches(ax, f"rule {i}")) for i in range(1, 11)]
    assert len(set(colors[:8])) == 8
    assert colors[7:] == ["#000000", "#999999", "#999999"]


def test_a_long_legend_is_shortened():
    rules = RuleSet([Rule({"a": (i, i + 1)}, then=f"o{i}") for i in range(30)])
    assert legend(plot.regions(rules))[-1] == "… and 16 more"
    assert len(legend(plot.regions(rules))) == 16


def test_unusual_names_are_drawn_literally():
    name, then = r"$\frac{1}{$ \$", "_$" + "long\n" * 50
    rules = RuleSet([Rule({name: (0, 1), "<script>": "$x$"}, then=then)])
    for ax in (plot.regions(rules), plot.rules(rules)):
        ax.figure.canvas.draw()
    assert len(legend(plot.regions(rules))[0]) < 40


# --- errors


@pytest.mark.parametrize(
    ("keywords", "error", "message"),
    [
        ({"ax": 3}, ConditionError, "ax must be a matplotlib Axes, or None .*, got int"),
        ({"labels": Y}, DataError, "labels need the instances that they belong to"),
        ({"data": (X, Y), "labels": Y}, ConditionError, "data already contains labels"),
        ({"data": (X, Y[:2])}, DataError, "X and y must have the same number of rows, got 4 and 2"),
        ({"data": {"age": [1.0]}}, DataError, "income"),
        ({"x": "agee"}, ConditionError, "x: unknown feature 'agee'; did you mean 'age'?"),
        ({"budget": -1}, ConditionError, r"budget\.seconds must be a non-negative number"),
    ],
)
def test_invalid_arguments_are_rejected_before_a_figure_is_created(keywords, error, message):
    with pytest.raises(error, match=message):
        plot.regions(RULES, **keywords)
    assert plt.get_fignums() == []


def test_an_array_of_axes_is_rejected():
    _, axes = plt.subplots(1, 2)
    with pytest.raises(ConditionError, match="got ndarray; pass one of its Axes"):
        plot.regions(RULES, ax=axes)


@pytest.mark.parametrize("draw", [plot.regions, plot.rules, plot.coverage, plot.front])
def test_objects_that_are_not_rules_are_rejected(draw):
    with pytest.raises(ConditionError, match=r"rules must be a RuleSet, .* got int"):
        draw(3)
    with pytest.raises(ConditionError, match=r"RuleSetClassifier, got .*; fit it first"):
        draw(irenic.RuleSetClassifier())
    with pytest.raises(ConditionError, match="got dict; pass the rules, not a document"):
        draw(irenic.summarize(RULES))


def test_a_space_without_features_cannot_be_drawn():
    with pytest.raises(ConditionError, match="there is no feature to draw the rules along"):
        plot.regions(RuleSet(space=Space([])))


# --- nothing raises


@strategies.examples(0.4)
@given(strategies.rule_sets(max_size=5, max_features=3, default="A"), st.booleans(), st.booleans())
def test_any_rules_can_be_drawn(rules, ordered, dark):
    kind = RuleList.from_rules(rules) if ordered else rules
    X = Region(rules.space).sample(5, random_state=0)
    with plt.style.context("dark_background" if dark else "default"):
        drawn = [
            plot.regions(kind, data=X, labels=list("ABCDA")),
            plot.rules(kind),
            plot.coverage(kind, X, list("ABCDA")),
        ]
        for ax in drawn:
            ax.figure.canvas.draw()
            plt.close(ax.figure)


@pytest.mark.parametrize("low", [-1.7e308, -1e200, 0.0, 1e16, 1e300])
def test_far_numbers_can_be_drawn(low):
    rules = RuleSet([Rule({"a": {">=": low}, "b": {"<=": low}}, then="x")])
    for ax in (plot.regions(rules, "a", "b"), plot.rules(rules)):
        ax.figure.canvas.draw()


@pytest.mark.parametrize("day", [dt.date(1, 1, 1), dt.date(9999, 12, 31), dt.date(2020, 1, 1)])
@pytest.mark.parametrize("missing", [True, False])
def test_far_dates_can_be_drawn(day, missing):
    space = Space([Continuous("d", kind="date", missing=missing)])
    ax = plot.regions(RuleSet([Rule(Region(space, {"d": {"=": day}}), then="x")], space))
    ax.figure.canvas.draw()


# --- regions that cannot occur


def with_a_hole(**condition):
    features = [Continuous("age", bounds=(0, 120)), Continuous("income", bounds=(0, 100))]
    rules = [Rule({"age": {"<": 50}}, then="A"), Rule({"age": {">=": 60}}, then="B")]
    return DecisionTable.from_rules(RuleSet(rules, Space(features, impossible=[condition])))


def test_a_region_that_cannot_occur_is_crosshatched_and_is_no_gap():
    ax = plot.regions(with_a_hole(age=(50, 60)), x="age", y="income")
    assert patches(ax, "gap") == []
    assert [(left, right) for left, right, *_ in extents(ax, "outside")] == [(50, 60)]
    assert "cannot occur" in legend(ax)


def test_a_region_that_cannot_occur_for_some_projected_values_is_a_gap():
    table = with_a_hole(age=(50, 60), income=(0, 10))
    ax = plot.regions(table, x="age")
    assert patches(ax, "outside") != []
    alone = plot.regions(table, x="age", at={"income": 50})
    assert patches(alone, "outside") == []
    assert [(left, right) for left, right, *_ in extents(alone, "gap")] == [(50, 60)]
    inside = plot.regions(table, x="age", at={"income": 5})
    assert patches(inside, "gap") == []


def test_the_caption_names_the_priority():
    rules = RuleSet([Rule({"a": (0, 5)}, then="low"), Rule({"a": (3, 9)}, then="high")])
    table = DecisionTable(rules, (0, 1), 2, hit_policy="PRIORITY", ranking=("high", "low"))
    ax = plot.regions(table)
    assert ax.get_title(loc="left") == "the rule of highest priority is on top"
