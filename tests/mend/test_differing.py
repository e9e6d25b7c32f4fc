"""Differences: exactly the cells that two rule sets decide differently, whatever their spaces."""

from __future__ import annotations

import datetime as dt

import pytest
from grid_cells import cells_of, decisions, n_containing
from hypothesis import given
from hypothesis import strategies as st

import naive
import strategies as sts
from irenic import (
    Budget,
    Categorical,
    ConditionError,
    ConflictError,
    Continuous,
    DecisionTable,
    Region,
    Rule,
    RuleList,
    RuleSet,
    Space,
    SpaceError,
)
from irenic.mend import diff
from irenic.model.spaces import common_space, in_space

DEFAULTS = st.sampled_from([None, "A", "Z"])


@st.composite
def ruled(draw, space):
    """Draw a list, or a set without rules that contradict an earlier one."""
    rules, default = draw(st.lists(sts.rules(space), max_size=4)), draw(DEFAULTS)
    if draw(st.booleans()):
        return RuleList(rules, space, default=default)
    kept: list[Rule] = []
    for rule in rules:
        if all(rule.agrees_with(other) for other in kept):
            kept.append(rule)
    return RuleSet(kept, space, default=default)


@given(st.data())
def test_the_differences_are_the_cells_that_are_decided_differently(data):
    space = data.draw(sts.spaces(2))
    a, b = data.draw(ruled(space)), data.draw(ruled(space))
    within = data.draw(sts.regions(space))
    differences = diff(a, b, within=within)
    assert differences.finished
    regions = [d.region for d in differences]
    cells = cells_of(space, a, b, [Rule(r, then="D") for r in [within, *regions]])
    before, after = decisions(a, cells, a.default), decisions(b, cells, b.default)
    counts = n_containing(regions, cells)
    for cell, old, new, count in zip(cells, before, after, counts, strict=True):
        assert count == (old != new and naive.holds(within, cell))
    for d in differences:
        inside = [i for i, cell in enumerate(cells) if naive.holds(d.region, cell)]
        assert {(before[i], after[i]) for i in inside} == {(d.before, d.after)}
        assert d.witness in d.region
        for rules, indices in ((a, d.rules_before), (b, d.rules_after)):
            assert set(indices) == deciding(rules, [cells[i] for i in inside])
    assert differences.same is (before == after or not regions)


def deciding(rules, cells):
    """Return the indices of the rules that decide at least one cell."""
    rules, is_list = list(rules), isinstance(rules, RuleList)
    differences = (naive.covering(rules, cell) for cell in cells)
    return {i for places in differences for i in (places[:1] if is_list else places)}


def test_the_text_of_a_difference():
    space = Space([Continuous("age"), Categorical("job", ["cook", "nurse"])])
    a = RuleSet([Rule({"age": (0, 30)}, then="low")], space)
    b = RuleList(
        [Rule({"age": (0, 10), "job": "cook"}, then="low risk"), Rule({}, then="low")],
        space,
    )
    assert [str(d) for d in diff(a, b)] == [
        'where 0 <= age < 10 and job in {cook}: low (rule 1) becomes "low risk" (rule 1), for'
        " example at age = 5, job = cook",
        "where age < 0: nothing becomes low (rule 2), for example at age = -0.5",
        "where age >= 30: nothing becomes low (rule 2), for example at age = 40",
    ]
    assert str(diff(RuleSet(space=space, default="A"), RuleSet(space=space))[0]) == (
        "where anything: A (by default) becomes nothing"
    )
    # decisions by rules and by default are distinguished
    space = Space([Continuous("x")])
    a = RuleSet([Rule({"x": (0, 5)}, then="A")], space, default="A")
    b = RuleSet([], space, default="B")
    assert sorted((str(d.region), d.rules_before) for d in diff(a, b)) == [
        ("0 <= x < 5", (0,)),
        ("x < 0", ()),
        ("x >= 5", ()),
    ]


def test_texts_number_the_rows_of_a_table():
    rules = RuleSet([Rule({"x": (0, 5)}, then="A"), Rule({"x": (3, 9)}, then="B")])
    first = DecisionTable(rules, (1, 4), 5, hit_policy="FIRST")
    ranked = DecisionTable(rules, (1, 4), 5, hit_policy="PRIORITY", ranking=("B", "A"))
    differences = diff(first, ranked)
    assert [str(d) for d in differences] == [
        "where 3 <= x < 5: A (rule 2) becomes B (rule 5), for example at x = 4"
    ]
    assert differences[0:1] == [differences[0]]


def test_equal_outcomes_are_shown_as_each_version_writes_them():
    a, b = RuleSet([Rule({"x": (0, 5)}, then=1)]), RuleSet([Rule({"x": (5, 9)}, then=True)])
    assert [str(d) for d in diff(a, b)] == [
        "where 0 <= x < 5: 1 (rule 1) becomes nothing, for example at x = 2",
        "where 5 <= x < 9: nothing becomes true (rule 1), for example at x = 7",
    ]


def test_the_result_reports_a_used_up_budget_and_that_nothing_differs():
    a = RuleSet([Rule({"x": (0, 5), "y": (i, i + 1)}, then="A") for i in range(9)])
    differences = diff(a, RuleSet(space=a.space), budget=Budget(nodes=2))
    assert (differences.finished, differences.stopped_by) == (False, "nodes")
    assert "and possibly more (stopped by nodes)" in repr(differences)
    nothing = diff(a, a, budget=Budget(nodes=2))
    assert nothing.same is None
    halves = RuleSet([Rule({"x": (0, 5)}, then="A"), Rule({"x": (5, 9)}, then="A")])
    equal = diff(halves, RuleSet([Rule({"x": (0, 9)}, then="A")]))
    assert equal.same
    assert repr(equal) == "<Differences: no difference>"


def test_impossible_cases_are_not_differences():
    hole = {"n": {">": 10, "<": 20}}
    space = Space([Continuous("n", bounds=(0, 30))], impossible=[hole])
    rules = RuleSet([Rule({"n": {"<=": 10}}, then="x")], space)
    rest = RuleSet([*rules, Rule({"n": {">=": 20}}, then="y")], space)
    a = DecisionTable(RuleSet(rules, space, default="y"), (0,), 1)
    b = DecisionTable(rest, (0, 1), 2)
    assert diff(a, b).same
    # what only one of them excludes may be a difference
    everywhere = RuleSet(a.rules, Space(space.features), default="y")
    assert [str(d.region) for d in diff(everywhere, b)] == ["10 < n < 20"]
    narrower = Space(space.features, impossible=[{"n": (15, 20)}])
    some = RuleSet(a.rules, narrower, default="y")
    assert [str(d.region) for d in diff(some, b)] == ["10 < n < 15"]


def test_rules_that_contradict_themselves_are_rejected():
    clash = RuleSet([Rule({"x": (0, 5)}, then="A"), Rule({"x": (3, 9)}, then="B")])
    text = r"the second rule set contradicts itself: rule 1 says A.* win with RuleList.from_rules"
    with pytest.raises(ConflictError, match=text):
        diff(RuleList.from_rules(clash), clash)
    with pytest.raises(ConditionError, match=r"must be a RuleSet, .* DecisionTable, got list"):
        diff([], clash)


# --- different spaces


@st.composite
def wider(draw, space):
    """Draw a space with the features of another, perhaps with more values, and perhaps one more."""
    features = []
    for f in space:
        missing = f.missing or draw(st.booleans())
        if isinstance(f, Continuous):
            low, high = (b if draw(st.booleans()) else None for b in f.bounds)
            features.append(Continuous(f.name, kind=f.kind, bounds=(low, high), missing=missing))
        else:
            more = [v for v in ["new", "newer"] if draw(st.booleans())]
            values = draw(st.permutations([*f.values, *more]))
            other = f.other or draw(st.booleans())
            features.append(Categorical(f.name, values, missing=missing, other=other))
    extra = [Continuous("extra", missing=True)] if draw(st.booleans()) else []
    return Space(draw(st.permutations([*features, *extra])))


def is_valid(feature, value):
    whole = getattr(feature, "kind", "") == "integer" and value != float("-inf")
    return naive.shows(feature, value) and not (whole and abs(value) > 2**53)


@given(st.data())
def test_rules_of_two_spaces_differ_where_they_predict_differently(data):
    narrow = data.draw(sts.spaces(2))
    wide = data.draw(wider(narrow))
    a, b = data.draw(ruled(narrow)), data.draw(ruled(wide))
    differences = diff(a, b)
    space = common_space(RuleSet(space=narrow), RuleSet(space=wide))
    assert all(d.region.space == space for d in differences)
    # every point of the narrow space is one of the wide space
    for cell in cells_of(narrow, a):
        pairs = list(zip(narrow, cell, strict=True))
        if not all(is_valid(feature, value) for feature, value in pairs):
            continue
        values = {feature.name: naive.decode(feature, value) for feature, value in pairs}
        point = space.encode_point(values)
        old = a.predict(narrow.encode_point(values))[0]
        new = b.predict(wide.encode_point(values))[0]
        assert sum(bool(d.region.contains(point)[0]) for d in differences) == (old != new)
    # and rules that are moved to a wider space do not differ
    rules = in_space(a.rules if isinstance(a, RuleList) else a, wide)
    assert diff(a, RuleList.from_rules(rules) if isinstance(a, RuleList) else rules).same


def test_values_that_only_one_space_lists():
    small = Space([Categorical("c", ["u", "v"], other=True)])
    large = Space([Categorical("c", ["u", "v", "w"])])
    # w is one of the "other" values of the small space
    a = RuleSet([Rule({"c": {"not in": ["u"]}}, then="A")], small)
    b = RuleSet([Rule({"c": {"not in": ["u"]}}, then="A")], large)
    assert [str(d) for d in diff(a, b)] == [
        'where c not in {u, v, w}: A (rule 1) becomes nothing, for example at c = "other"'
    ]
    closed = RuleSet([Rule({"c": {"v"}}, then="A")], Space([Categorical("c", ["u", "v"])]))
    assert [str(d.region) for d in diff(closed, b)] == ["c in {w}"]
    every = RuleSet([Rule({"c": {"u", "v"}}, then="A")], Space([Categorical("c", ["u", "v"])]))
    assert [str(d.region) for d in diff(every, b)] == ["c in {u}"]


def test_the_common_space_has_the_hull_of_bounds_and_missing_values_of_either():
    a = Space([Continuous("x", bounds=(0, 10), unit="cm")])
    b = Space([Continuous("x", bounds=(5, 20), missing=True), Continuous("y")])
    both = Space([Continuous("x", bounds=(0, 20), unit="cm", missing=True), Continuous("y")])
    assert common_space(RuleSet(space=a), RuleSet(space=b)) == both
    first, second, third = (dt.date(year, 1, 1) for year in (2019, 2020, 2021))
    dates = [Continuous("d", kind="date", bounds=ends) for ends in ((second, None), (first, third))]
    hull = common_space(*(RuleSet(space=Space([feature])) for feature in dates))
    assert hull["d"].bounds == (first, None)
    old = RuleSet([Rule({"x": {"<": 8}}, then="A")], a)
    new = RuleSet([Rule({"x": {"<": 8, "missing": True}}, then="A")], b)
    assert [str(d.region) for d in diff(old, new)] == ["x is missing"]
    new = RuleSet([Rule({"x": {"<": 8}, "y": (0, 1)}, then="A")], b)
    assert [str(d.region) for d in diff(old, new)] == ["x < 8 and y < 0", "x < 8 and y >= 1"]


CENTIMETERS, METERS = (Continuous("f", unit=unit) for unit in ("cm", "m"))
IN_UTC = Continuous("f", kind="datetime", unit="UTC")


@pytest.mark.parametrize(
    ("a", "b", "text"),
    [
        (Continuous("f"), Categorical("f", ["a", "b"]), "'f' is continuous in one set"),
        (Categorical("f", ["a", "b"]), Continuous("f"), "'f' is continuous in one set"),
        (Continuous("f"), Continuous("f", kind="date"), "of kind 'number' in one set and 'date'"),
        (CENTIMETERS, METERS, "has the unit 'cm' in one set and 'm' in the other; convert one of"),
        (IN_UTC, Continuous("f", kind="datetime"), "has the unit 'UTC' in one set and ''"),
    ],
)
def test_features_that_do_not_match_are_rejected(a, b, text):
    asking = [asked(feature) for feature in (a, b)]
    with pytest.raises(SpaceError, match=text):
        diff(*asking)
    for feature, other in zip(
        (b, a), asking, strict=True
    ):  # the kind of an untested one is a guess
        assert diff(RuleSet([Rule({}, then="A")], Space([feature])), other).same is False


def asked(feature):
    test = {"in": ["a"]}
    if isinstance(feature, Continuous):
        test = {"<": {"number": 5, "date": "2020-01-01"}.get(feature.kind, "2020-01-01T00:00")}
    return RuleSet([Rule(Region(Space([feature]), {feature.name: test}), then="A")])


def test_an_empty_column_takes_its_values_from_the_other_table():
    known = Space([Continuous("x"), Categorical("member", [False, True])])
    guessed = Space([Continuous("x"), Categorical("member", [], other=True)])
    both = [Rule({"x": (0, 9), "member": {flag}}, then="A") for flag in (False, True)]
    whole = [Rule({"x": (0, 9)}, then="A")]
    assert diff(RuleSet(both, known), RuleSet(whole, guessed)).same
    assert diff(RuleSet(whole, guessed), RuleSet(both, known)).same
    missing = RuleSet([Rule({"x": (0, 9), "member": {"missing": False}}, then="A")], guessed)
    assert diff(missing, missing).same


def test_within_can_be_a_region_of_another_space():
    a = RuleSet([Rule({"x": (0, 5)}, then="A")], Space([Continuous("x")]))
    within = Region(Space([Continuous("x")]), {"x": (0, 2)})
    other = RuleSet(space=Space([Continuous("x"), Continuous("y")]))
    assert [str(d.region) for d in diff(a, other, within=within)] == ["0 <= x < 2"]


def test_integers_are_compared_with_numbers():
    def rules(kind, **conditions):
        space = Space([Continuous("age", kind=kind)])
        pairs = conditions.items()
        return RuleSet([Rule({"age": operators}, then=then) for then, operators in pairs], space)

    whole = rules("integer", a={"<=": 17}, b={">=": 18})
    same = rules("number", a={"<": 18}, b={">": 17.0})
    for numbers in (rules("number", a={"<=": 17}, b={">": 17}), rules("number", a={"<": 18})):
        assert common_space(whole, numbers)["age"] == Continuous("age", kind="integer")
        assert common_space(numbers, whole)["age"] == Continuous("age", kind="integer")
    assert diff(whole, rules("number", a={"<=": 17}, b={">": 17})).same
    assert not diff(whole, rules("number", a={"<": 17}, b={">=": 17})).same
    assert common_space(whole, same)["age"].kind == "integer"
    halves = rules("number", a={"<": 18.5}, b={">=": 18.5})
    assert common_space(whole, halves)["age"] == Continuous("age")
    [difference] = diff(whole, halves)
    assert str(difference.region) == "18 <= age < 18.5"
