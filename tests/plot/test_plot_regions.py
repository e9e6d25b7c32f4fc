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


def caption(ax):
    return ax.get_title(loc="left")


def ticks(ax):
    ax.figure.draw_without_rendering()
    return [text.get_text() for text in ax.get_xticklabels()]


def one_rule(*features, **conditions):
    space = Space(features)
    return RuleSet([Rule(Region(space, conditions), then="x")], space)


# --- rules


def test_a_rectangle_spans_the_conditions():
    ax = plot.regions(RULES, x="age", y="income")
    assert extents(ax, "rule 1") == [(0, 40, 0, 30)]
    assert extents(ax, "rule 2") == [(30, 70, 20, 60)]
    assert [color(*patches(ax, f"rule {i}")) for i in (1, 2, 3)] == [ORANGE, GREEN, BLUE]
    assert texts(ax, "number") == ["1", "2", "3"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("age", "income")
    # contradictions have a dashed outline
    assert extents(ax, "conflict") == [(30, 40, 20, 30), (60, 70, 20, 25)]
    for patch in patches(ax, "conflict"):
        assert patch.get_linestyle() not in ("-", "solid")
        assert not patch.get_fill() or patch.get_facecolor()[3] == 0
    # an open side extends to the edge of the plot
    ax = plot.regions(RuleSet([Rule({"a": {">=": 2}, "b": {"<": 5}}, then="x")]), "a", "b")
    assert extents(ax, "rule 1") == [(2, ax.get_xlim()[1], ax.get_ylim()[0], 5)]


def test_gaps_are_hatched():
    ax = plot.regions(RuleSet([Rule({"a": (0, 5)}, then="x")]))
    left, right = ax.get_xlim()
    assert extents(ax, "gap") == [(left, 0, 0, 1), (5, right, 0, 1)]
    assert {p.get_hatch() for p in patches(ax, "gap")} == {"////"}
    assert "no rule (stopped by nodes)" in legend(plot.regions(RULES, budget=Budget(nodes=0)))


def test_the_caption_names_fixed_and_projected_features():
    rules = RuleSet(
        [
            Rule({"a": (0, 5), "b": (0, 5), "c": (0, 1), "d": (0, 1)}, then="x"),
            Rule({"a": (2, 7), "b": (2, 7), "c": (1, 2)}, then="y"),
        ],
    )
    ax = plot.regions(rules, "a", "b", at={"c": 0.5})
    assert caption(ax) == "at c = 0.5; projected: d"
    assert (extents(ax, "rule 1"), patches(ax, "rule 2")) == ([(0, 5, 0, 5)], [])
    # overlapping projections are no contradiction
    ax = plot.regions(rules, "a", "b")
    assert (caption(ax), patches(ax, "conflict")) == ("projected: c, d", [])
    assert patches(plot.regions(rules, "a", "c"), "conflict") == []


def test_the_first_rule_of_a_list_is_on_top_and_there_are_no_contradictions():
    ax = plot.regions(RuleList(LOANS, default="ask"), "age", "income")
    drawn = [patches(ax, f"rule {i}")[0] for i in (1, 2, 3)]
    over = [patch.get_zorder() for patch in drawn]
    assert over == sorted(over, reverse=True)
    assert {patch.get_facecolor()[3] for patch in drawn} == {1.0}
    assert patches(ax, "conflict") == []
    assert caption(ax) == "the first matching rule is on top"
    assert legend(ax) == ["decline", "grant", "ask", "no rule: ask"]
    # rules of a projected list are translucent
    rules = RuleList([Rule({"a": (0, 5), "c": (0, 1)}, then="x"), Rule({"b": 1}, then="y")])
    assert patches(plot.regions(rules, "a", "b"), "rule 1")[0].get_facecolor()[3] < 1


def test_rules_of_a_table_have_the_numbers_of_its_rows():
    again = Rule({"age": (0, 9), "income": (70, 80)}, then="grant")
    rules = RuleSet([*LOANS[:2], again])
    table = DecisionTable(rules, rows=(0, 1, 1), n_rows=2, hit_policy="COLLECT")
    ax = plot.regions(table, "age", "income")
    assert (len(patches(ax, "rule 2")), patches(ax, "conflict")) == (2, [])
    ranked = DecisionTable(rules, (0, 1, 2), 3, hit_policy="PRIORITY", ranking=("grant", "decline"))
    assert caption(plot.regions(ranked)) == "the rule of highest priority is on top"


# --- scales


def test_adjacent_categories_share_a_rectangle():
    feature = Categorical("c", list("abcd"))
    ax = plot.regions(one_rule(feature, Continuous("f"), c={"a", "b", "d"}, f=(0, 1)), "c", "f")
    assert extents(ax, "rule 1") == [(-0.5, 1.5, 0, 1), (2.5, 3.5, 0, 1)]
    assert ticks(ax) == ["a", "b", "c", "d"]


def test_integers_are_cells_centered_at_their_values():
    feature = Continuous("n", kind="integer", bounds=(0, 9))
    ax = plot.regions(one_rule(feature, n={">=": 3, "<=": 5}))
    assert extents(ax, "rule 1") == [(2.5, 5.5, 0, 1)]
    assert ax.get_xlim() == (-0.5, 9.5)


def test_dates_times_and_durations_are_readable():
    days = {">=": dt.date(2020, 3, 1), "<": dt.date(2020, 11, 1)}
    ax = plot.regions(one_rule(Continuous("day", kind="date"), day=days))
    assert {"Mar", "May", "Jul", "Sep"} <= set(ticks(ax))
    ((left, right, *_),) = extents(ax, "rule 1")
    first = (dt.date(2020, 3, 1) - dt.date(1970, 1, 1)).days
    assert (left, right) == (first - 0.5, first + 245 - 0.5)
    features = Continuous("t", kind="time"), Continuous("u", kind="duration")
    rules = one_rule(*features, t={"<": dt.time(12)}, u={">=": dt.timedelta(days=3)})
    ax = plot.regions(rules, "t", "u")
    assert "12:00" in ticks(ax)
    assert ax.get_ylabel() == "u (days)"
    assert extents(ax, "rule 1")[0][1:3] == (12, 3)


def test_missing_values_have_a_band():
    features = Continuous("f", missing=True), Continuous("g")
    missing = one_rule(*features, f={"<": 5, "missing": True}, g=(0, 1))
    known = one_rule(*features, f={"<": 5}, g=(0, 1))
    ax = plot.regions(missing, "f", "g")
    (band, main) = extents(ax, "rule 1")
    assert band[0] == ax.get_xlim()[0]
    assert band[1] < main[0]
    assert main[1] == 5
    assert ticks(ax)[0] == "missing"
    assert band[0] < ax.get_xticks()[0] < band[1]
    assert len(extents(plot.regions(known, "f", "g"), "rule 1")) == 1
    data = {"f": [1.0, 2.0], "g": [0.5, 0.5]}
    for rules, options, has_band in (
        (known, {"data": data}, False),
        (known, {"data": data, "missing": True}, True),
        (known, {"data": data | {"f": [1.0, None]}}, True),
        (missing, {"missing": False}, False),
    ):
        assert ("missing" in ticks(plot.regions(rules, "f", "g", **options))) == has_band
    # even if rules test only one value
    ax = plot.regions(one_rule(Continuous("f", missing=True), f={"=": 3}))
    assert extents(ax, "rule 1") == [(3, np.nextafter(3, 4), 0, 1)]
    assert ax.get_xlim()[0] < ax.get_xticks()[0] < 2.9


# --- instances


def test_instances_have_the_color_and_the_marker_of_their_label():
    ax = plot.regions(RULES, "age", "income", data=(X, Y))
    drawn = points(ax)
    assert drawn["points 1"].get_offsets().tolist() == [[35, 25], [35, 50]]
    colors = {gid: to_hex(c.get_facecolor()[0]) for gid, c in drawn.items()}
    assert colors == {"points 0": ORANGE, "points 1": GREEN, "points 3": PINK}
    assert len({c.get_paths()[0].vertices.tobytes() for c in drawn.values()}) == 3
    assert legend(ax) == ["decline", "grant", "ask", "refer", "no rule", "contradiction"]
    separate = plot.regions(RULES, "age", "income", data=X, labels=Y)
    assert sorted(points(separate)) == sorted(drawn)
    bare = plot.regions(RULES, "age", "income", data=X)
    assert points(bare)["points"].get_offsets().shape == (4, 2)
    assert "instances" in legend(bare)


def test_points_of_two_categories_fill_their_cells_instead_of_the_diagonals():
    rules = one_rule(Categorical("a", ["p", "q"]), Categorical("b", ["r", "s"]), a="p", b="r")
    drawn = [plot.regions(rules, data={"a": ["p"] * 200, "b": ["r"] * 200}) for _ in range(2)]
    offsets, again = (points(ax)["points"].get_offsets() for ax in drawn)
    assert abs(np.corrcoef(offsets.T)[0, 1]) < 0.2
    assert (np.ptp(offsets, axis=0) > 0.5).all()
    assert (again == offsets).all()


def test_a_slice_shows_the_instances_that_no_rule_distinguishes_from_it():
    rules = RuleSet([Rule({"a": (0, 5), "c": (2, 4)}, then="x"), Rule({"b": (0, 1)}, then="y")])
    data = {"a": [1.0, 2, 3], "b": [1.0, 1, 1], "c": [3.9, 4.0, 2.0]}
    ax = plot.regions(rules, "a", "b", data=data, at={"c": 3})
    assert points(ax)["points"].get_offsets()[:, 0].tolist() == [1, 3]
    assert "2 of 3 instances are in this slice" in caption(ax)


def test_colors_do_not_depend_on_whether_labels_are_passed():
    X = {"a": [1.0, 2, 3, 4] * 9, "b": [1.0, 1, 2, 2] * 9}
    y = ["z", "z", "y", "y"] * 9
    model = irenic.RuleSetClassifier(
        generations=1, moves=20, selection="description", random_state=0
    ).fit(X, y)
    drawn = [plot.regions(model, "a", "b", data=d) for d in (None, X, (X, y))]
    colors = [{p.get_gid(): color(p) for p in ax.patches if p.get_gid() != "gap"} for ax in drawn]
    assert colors[0]
    assert colors[0] == colors[1] == colors[2]


def test_only_some_of_many_instances_are_drawn_and_the_caption_says_so():
    rng = np.random.default_rng(0)
    data = {"age": rng.uniform(0, 90, 10_500), "income": rng.uniform(0, 90, 10_500)}
    ax = plot.regions(RULES, "age", "income", data=data)
    assert len(points(ax)["points"].get_offsets()) == 10_000
    assert caption(ax) == "10,000 of 10,500 instances"


# --- texts


def test_texts_take_their_color_from_the_style():
    with plt.style.context("dark_background"):
        ax = plot.regions(RULES, "age", "income")
        assert {to_hex(t.get_color()) for t in ax.texts} == {"#ffffff"}


def test_many_outcomes_have_few_colors_and_a_short_legend():
    ax = plot.regions(RuleSet([Rule({"a": (i, i + 1)}, then=f"o{i:02}") for i in range(30)]))
    colors = [color(*patches(ax, f"rule {i}")) for i in range(1, 11)]
    assert len(set(colors[:8])) == 8
    assert colors[7:] == ["#000000", "#999999", "#999999"]
    assert (len(legend(ax)), legend(ax)[-1]) == (16, "… and 16 more")


def test_unusual_names_are_drawn_literally():
    name, then = r"$\frac{1}{$ \$", "_$" + "long\n" * 50
    rules = RuleSet([Rule({name: (0, 1), "<script>": "$x$"}, then=then)])
    drawn = [plot.regions(rules), plot.rules(rules)]
    for ax in drawn:
        ax.figure.draw_without_rendering()
    assert len(legend(drawn[0])[0]) < 40


# --- errors


def test_invalid_arguments_are_rejected_before_a_figure_is_created():
    for keywords, error, message in (
        ({"ax": 3}, ConditionError, "ax must be a matplotlib Axes, or None .*, got int"),
        ({"labels": Y}, DataError, "labels need the instances that they belong to"),
        ({"data": (X, Y), "labels": Y}, ConditionError, "data already contains labels"),
        ({"data": (X, Y[:2])}, DataError, "X and y must have the same number of rows, got 4 and 2"),
        ({"data": {"age": [1.0]}}, DataError, "income"),
        ({"x": "agee"}, ConditionError, "x: unknown feature 'agee'; did you mean 'age'?"),
        ({"budget": -1}, ConditionError, r"budget\.seconds must be a non-negative number"),
    ):
        with pytest.raises(error, match=message):
            plot.regions(RULES, **keywords)
    with pytest.raises(ConditionError, match="there is no feature to draw the rules along"):
        plot.regions(RuleSet(space=Space([])))
    assert plt.get_fignums() == []
    with pytest.raises(ConditionError, match="got ndarray; pass one of its Axes"):
        plot.regions(RULES, ax=plt.subplots(1, 2)[1])


# --- nothing raises


@strategies.examples(0.16)
@given(strategies.rule_sets(max_size=5, max_features=3, default="A"), st.booleans(), st.booleans())
def test_any_rules_can_be_drawn(rules, ordered, dark):
    kind = RuleList.from_rules(rules) if ordered else rules
    X = Region(rules.space).sample(5, random_state=0)
    with plt.style.context("dark_background" if dark else "default"):
        drawn = [
            plot.rules(kind),
            plot.regions(kind, data=X, labels=list("ABCDA")),
            plot.coverage(kind, X, list("ABCDA")),
        ]
        for ax in drawn:
            ax.figure.draw_without_rendering()
            plt.close(ax.figure)
    conditions = [rule.region.conditions() for rule in rules]
    assert len(texts(drawn[0], "condition")) == sum(map(len, conditions))


def test_far_numbers_and_dates_can_be_drawn():
    drawn = []
    for low in (-1.7e308, -1e200, 0.0, 1e16, 1e300):
        rules = RuleSet([Rule({"a": {">=": low}, "b": {"<=": low}}, then="x")])
        drawn.append(plot.regions(rules, "a", "b"))
    drawn.append(plot.rules(rules))
    days = ((dt.date(1, 1, 1), True), (dt.date(9999, 12, 31), True), (dt.date(2020, 1, 1), False))
    for day, missing in days:
        feature = Continuous("d", kind="date", missing=missing)
        drawn.append(plot.regions(one_rule(feature, d={"=": day})))
    for ax in drawn:
        ax.figure.draw_without_rendering()


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
    # unless it can occur for some projected values
    table = with_a_hole(age=(50, 60), income=(0, 10))
    assert patches(plot.regions(table, x="age"), "outside") != []
    alone = plot.regions(table, x="age", at={"income": 50})
    assert patches(alone, "outside") == []
    assert [(left, right) for left, right, *_ in extents(alone, "gap")] == [(50, 60)]
    assert patches(plot.regions(table, x="age", at={"income": 5}), "gap") == []
