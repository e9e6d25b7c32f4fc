"""The picture of regions: its patches, points, words and errors."""

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


def colour(patch):
    return to_hex(patch.get_edgecolor())


def points(ax):
    return {c.get_gid(): c for c in ax.collections if (c.get_gid() or "").startswith("points")}


# --- what is drawn


def test_points_of_two_categories_fill_their_cells_instead_of_the_diagonals():
    space = Space([Categorical("a", ["p", "q"]), Categorical("b", ["r", "s"])])
    rules = RuleSet([Rule({"a": "p", "b": "r"}, then="A")], space)
    ax = plot.regions(rules, data={"a": ["p"] * 200, "b": ["r"] * 200})
    places = points(ax)["points"].get_offsets()
    assert abs(np.corrcoef(places.T)[0, 1]) < 0.2
    assert (np.ptp(places, axis=0) > 0.5).all()
    again = plot.regions(rules, data={"a": ["p"] * 200, "b": ["r"] * 200})
    assert (points(again)["points"].get_offsets() == places).all()


def test_a_rectangle_reaches_as_far_as_the_conditions():
    ax = plot.regions(RULES, x="age", y="income")
    assert extents(ax, "rule 1") == [(0, 40, 0, 30)]
    assert extents(ax, "rule 2") == [(30, 70, 20, 60)]
    assert [colour(*patches(ax, f"rule {i}")) for i in (1, 2, 3)] == [BLUE, ORANGE, GREEN]
    assert texts(ax, "number") == ["1", "2", "3"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("age", "income")


def test_an_open_side_reaches_the_edge_of_the_picture():
    ax = plot.regions(RuleSet([Rule({"a": {">=": 2}, "b": {"<": 5}}, then="x")]), "a", "b")
    ((left, right, bottom, top),) = extents(ax, "rule 1")
    assert (left, top) == (2, 5)
    assert (right, bottom) == (ax.get_xlim()[1], ax.get_ylim()[0])


def test_contradictions_are_outlined_dashed():
    ax = plot.regions(RULES, x="age", y="income")
    assert extents(ax, "conflict") == [(30, 40, 20, 30), (60, 70, 20, 25)]
    assert all(p.get_linestyle() not in ("-", "solid") for p in patches(ax, "conflict"))
    assert not any(p.get_fill() and p.get_facecolor()[3] for p in patches(ax, "conflict"))


def test_what_no_rule_covers_is_hatched():
    ax = plot.regions(RuleSet([Rule({"a": (0, 5)}, then="x")]))
    left, right = ax.get_xlim()
    assert extents(ax, "gap") == [(left, 0, 0, 1), (5, right, 0, 1)]
    assert {p.get_hatch() for p in patches(ax, "gap")} == {"////"}


def test_a_search_that_is_stopped_is_said_to_be():
    ax = plot.regions(RULES, budget=Budget(nodes=0))
    assert "no rule (stopped by nodes)" in legend(ax)


def test_shadows_that_overlap_are_no_contradiction():
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


def test_fixed_features_are_said_and_the_rest_is_projected():
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


def test_the_first_rule_of_a_list_is_on_top_and_nothing_contradicts():
    ax = plot.regions(RuleList(LOANS, default="ask"), "age", "income")
    over = [patches(ax, f"rule {i}")[0].get_zorder() for i in (1, 2, 3)]
    assert over == sorted(over, reverse=True)
    assert {patches(ax, f"rule {i}")[0].get_facecolor()[3] for i in (1, 2, 3)} == {1.0}
    assert patches(ax, "conflict") == []
    assert ax.get_title(loc="left") == "the first rule that holds is on top"
    assert legend(ax) == ["decline", "grant", "ask", "no rule: ask"]


def test_a_list_in_projection_hides_nothing():
    rules = RuleList([Rule({"a": (0, 5), "c": (0, 1)}, then="x"), Rule({"b": 1}, then="y")])
    ax = plot.regions(rules, "a", "b")
    assert patches(ax, "rule 1")[0].get_facecolor()[3] < 1


def test_rows_of_a_table_that_make_several_rules_share_a_number():
    again = Rule({"age": (0, 9), "income": (70, 80)}, then="grant")
    rules = RuleSet([*LOANS[:2], again])
    table = DecisionTable(rules, rows=(1, 2, 2), n_rows=2, hit_policy="COLLECT")
    ax = plot.regions(table, "age", "income")
    assert len(patches(ax, "rule 2")) == 2
    assert patches(ax, "conflict") == []


def test_categories_are_bands_and_neighbours_one_rectangle():
    space = Space([Categorical("c", list("abcd")), Continuous("f")])
    rules = RuleSet([Rule(Region(space, {"c": {"a", "b", "d"}, "f": (0, 1)}), then="x")], space)
    ax = plot.regions(rules, "c", "f")
    assert extents(ax, "rule 1") == [(-0.5, 1.5, 0, 1), (2.5, 3.5, 0, 1)]
    assert [t.get_text() for t in ax.get_xticklabels()] == ["a", "b", "c", "d"]


def test_whole_numbers_are_cells_with_the_number_in_the_middle():
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
    asked = {"t": {"<": dt.time(12)}, "u": {">=": dt.timedelta(days=3)}}
    ax = plot.regions(RuleSet([Rule(Region(space, asked), then="x")], space), "t", "u")
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


def test_a_condition_that_leaves_missing_out_is_not_drawn_in_the_band():
    assert len(extents(plot.regions(missing_rules({"<": 5}), "f", "g"), "rule 1")) == 1


def test_where_nothing_is_missing_there_is_no_band():
    data = {"f": [1.0, 2.0], "g": [0.5, 0.5]}
    without = plot.regions(missing_rules({"<": 5}), "f", "g", data=data)
    asked = plot.regions(missing_rules({"<": 5}), "f", "g", data=data, missing=True)
    some = plot.regions(missing_rules({"<": 5}), "f", "g", data=data | {"f": [1.0, None]})
    hidden = plot.regions(missing_rules({"<": 5, "missing": True}), "f", "g", missing=False)
    widths = [len(ax.get_xticks()) and _has_band(ax) for ax in (without, asked, some, hidden)]
    assert widths == [False, True, True, False]


def _has_band(ax):
    ax.figure.canvas.draw()
    return "missing" in [t.get_text() for t in ax.get_xticklabels()]


# --- instances


def test_instances_have_the_colour_and_the_sign_of_their_label():
    ax = plot.regions(RULES, "age", "income", data=(X, Y))
    drawn = points(ax)
    assert sorted(drawn) == ["points 0", "points 1", "points 3"]
    assert drawn["points 1"].get_offsets().tolist() == [[35, 25], [35, 50]]
    colours = {gid: to_hex(c.get_facecolor()[0]) for gid, c in drawn.items()}
    assert colours == {"points 0": BLUE, "points 1": ORANGE, "points 3": PINK}
    assert len({c.get_paths()[0].vertices.tobytes() for c in drawn.values()}) == 3
    assert legend(ax) == ["decline", "grant", "ask", "refer", "no rule", "contradiction"]


def test_labels_may_be_given_apart_or_not_at_all():
    apart = plot.regions(RULES, "age", "income", data=X, labels=Y)
    assert sorted(points(apart)) == ["points 0", "points 1", "points 3"]
    bare = plot.regions(RULES, "age", "income", data=X)
    assert points(bare)["points"].get_offsets().shape == (4, 2)
    assert "instances" in legend(bare)


def test_a_slice_shows_the_instances_that_rules_cannot_tell_from_it():
    rules = RuleSet([Rule({"a": (0, 5), "c": (2, 4)}, then="x"), Rule({"b": (0, 1)}, then="y")])
    data = {"a": [1.0, 2, 3], "b": [1.0, 1, 1], "c": [3.9, 4.0, 2.0]}
    ax = plot.regions(rules, "a", "b", data=data, at={"c": 3})
    assert points(ax)["points"].get_offsets()[:, 0].tolist() == [1, 3]
    assert "2 of 3 instances lie here" in ax.get_title(loc="left")


def test_a_classifier_keeps_its_colours_whether_there_are_labels_or_not():
    X = {"a": [1.0, 2, 3, 4] * 9, "b": [1.0, 1, 2, 2] * 9}
    y = ["z", "z", "y", "y"] * 9
    model = irenic.RuleSetClassifier(generations=1, moves=20, random_state=0).fit(X, y)
    drawn = [plot.regions(model, "a", "b", data=d) for d in (None, X, (X, y))]
    colours = [{p.get_gid(): colour(p) for p in ax.patches if p.get_gid() != "gap"} for ax in drawn]
    assert colours[0]
    assert colours[0] == colours[1] == colours[2]


def test_of_many_instances_a_part_is_drawn_and_that_is_said():
    rng = np.random.default_rng(0)
    data = {"age": rng.uniform(0, 90, 10_500), "income": rng.uniform(0, 90, 10_500)}
    ax = plot.regions(RULES, "age", "income", data=data)
    assert len(points(ax)["points"].get_offsets()) == 10_000
    assert ax.get_title(loc="left") == "10,000 of 10,500 instances"


# --- the Axes


def test_the_given_axes_is_drawn_on_and_no_other():
    figure, (left, right) = plt.subplots(1, 2)
    other = plt.figure()
    assert plot.regions(RULES, ax=left) is left
    assert plt.gcf() is other
    assert (len(right.patches), len(other.axes), len(figure.axes)) == (0, 0, 2)
    assert len(plt.get_fignums()) == 2


def test_texts_take_their_colour_from_the_style():
    with plt.style.context("dark_background"):
        ax = plot.regions(RULES, "age", "income")
        assert {to_hex(t.get_color()) for t in ax.texts} == {"#ffffff"}
        ax.figure.canvas.draw()


def test_after_seven_colours_comes_that_of_the_text_and_then_grey():
    rules = RuleSet([Rule({"a": (i, i + 1)}, then=f"o{i}") for i in range(10)])
    ax = plot.regions(rules)
    found = [colour(*patches(ax, f"rule {i}")) for i in range(1, 11)]
    assert len(set(found[:8])) == 8
    assert found[7:] == ["#000000", "#999999", "#999999"]


def test_a_long_legend_is_cut():
    rules = RuleSet([Rule({"a": (i, i + 1)}, then=f"o{i}") for i in range(30)])
    assert legend(plot.regions(rules))[-1] == "… and 16 more"
    assert len(legend(plot.regions(rules))) == 16


def test_wild_names_are_drawn_as_they_are():
    name, then = r"$\frac{1}{$ \$", "_$" + "long\n" * 50
    rules = RuleSet([Rule({name: (0, 1), "<script>": "$x$"}, then=then)])
    for ax in (plot.regions(rules), plot.rules(rules)):
        ax.figure.canvas.draw()
    assert len(legend(plot.regions(rules))[0]) < 40


# --- errors


@pytest.mark.parametrize(
    ("keywords", "error", "message"),
    [
        ({"ax": 3}, ConditionError, "ax must be a matplotlib Axes, or None .*, not int"),
        ({"labels": Y}, DataError, "labels need the instances that they belong to"),
        ({"data": (X, Y), "labels": Y}, ConditionError, "data is a pair .* already"),
        ({"data": (X, Y[:2])}, DataError, "X has 4 rows, y has 2"),
        ({"data": {"age": [1.0]}}, DataError, "income"),
        ({"x": "agee"}, ConditionError, "x: unknown feature 'agee', did you mean 'age'?"),
        ({"budget": -1}, ConditionError, "seconds is a number that is not negative"),
    ],
)
def test_bad_input_is_refused_before_a_figure_is_made(keywords, error, message):
    with pytest.raises(error, match=message):
        plot.regions(RULES, **keywords)
    assert plt.get_fignums() == []


def test_several_axes_are_not_one():
    _, axes = plt.subplots(1, 2)
    with pytest.raises(ConditionError, match="not ndarray; take one of them"):
        plot.regions(RULES, ax=axes)


@pytest.mark.parametrize("draw", [plot.regions, plot.rules, plot.coverage, plot.front])
def test_what_are_no_rules_is_refused(draw):
    with pytest.raises(ConditionError, match=r"rules must be a RuleSet, .* got int"):
        draw(3)
    with pytest.raises(ConditionError, match=r"RuleSetClassifier, got .*; fit it first"):
        draw(irenic.RuleSetClassifier())
    with pytest.raises(ConditionError, match="got dict; give the rules themselves, not a document"):
        draw(irenic.summarize(RULES))


def test_a_space_without_features_cannot_be_drawn():
    with pytest.raises(ConditionError, match="there is no feature to draw the rules along"):
        plot.regions(RuleSet(space=Space([])))


# --- nothing raises


@strategies.examples(0.4)
@given(strategies.rule_sets(max_size=5, max_features=3, default="A"), st.booleans(), st.booleans())
def test_any_rules_can_be_drawn(rules, ordered, dark):
    kind = RuleList.of(rules) if ordered else rules
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


# --- what cannot occur


def with_a_hole(**condition):
    space = Space([Continuous("age", bounds=(0, 120)), Continuous("income", bounds=(0, 100))])
    rules = [
        Rule(Region(space, {"age": {"<": 50}}), then="A"),
        Rule(Region(space, {"age": {">=": 60}}), then="B"),
    ]
    hole = Region(space, condition)
    return DecisionTable(RuleSet(rules, space), (1, 2), 2, outside=(hole,))


def test_what_cannot_occur_is_crossed_out_and_no_gap():
    ax = plot.regions(with_a_hole(age=(50, 60)), x="age", y="income")
    assert patches(ax, "gap") == []
    assert [(left, right) for left, right, *_ in extents(ax, "outside")] == [(50, 60)]
    assert "cannot occur" in legend(ax)


def test_what_cannot_occur_for_some_values_beside_the_plane_is_a_gap_there():
    table = with_a_hole(age=(50, 60), income=(0, 10))
    ax = plot.regions(table, x="age")
    assert patches(ax, "outside") != []
    alone = plot.regions(table, x="age", at={"income": 50})
    assert patches(alone, "outside") == []
    assert [(left, right) for left, right, *_ in extents(alone, "gap")] == [(50, 60)]
    inside = plot.regions(table, x="age", at={"income": 5})
    assert patches(inside, "gap") == []


def test_priority_is_not_called_the_first():
    rules = RuleSet([Rule({"a": (0, 5)}, then="low"), Rule({"a": (3, 9)}, then="high")])
    table = DecisionTable(rules, (1, 2), 2, hit_policy="PRIORITY", ranking=("high", "low"))
    ax = plot.regions(table)
    assert ax.get_title(loc="left") == "the rule of the highest priority is on top"
