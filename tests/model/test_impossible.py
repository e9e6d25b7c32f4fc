"""What cannot occur, compared with a grid that leaves it out."""

from __future__ import annotations

import pickle
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies as sts
from irenic import (
    Categorical,
    ConditionError,
    ConflictError,
    Continuous,
    Region,
    Rule,
    RuleSet,
    SeedError,
    Space,
    enlarge,
    enlarge_many,
    gaps,
    search,
)
from refusals import refuses

FEATURES = (
    Continuous("age", bounds=(0, 4), kind="integer"),
    Continuous("years", bounds=(0, 4), kind="integer"),
    Categorical("sex", ["m", "f"], missing=True),
)
GRID = [
    {"age": age, "years": years, "sex": sex}
    for age, years, sex in product(range(5), range(5), ("m", "f", None))
]


def conditions(least):
    sides = st.integers(0, 4).flatmap(
        lambda low: st.integers(low + 1, 5).map(lambda high: (low, high))
    )
    return st.fixed_dictionaries(
        {},
        optional={
            "age": sides,
            "years": sides,
            "sex": st.sampled_from([["m"], ["f"], ["m", "f"], [None], ["f", None]]),
        },
    ).filter(lambda found: len(found) >= least)


RULES = st.lists(st.tuples(conditions(0), st.sampled_from("AB")), min_size=1, max_size=5)
IMPOSSIBLE = st.lists(conditions(1), min_size=1, max_size=3)


@st.composite
def rule_sets(draw):
    space = Space(FEATURES, impossible=draw(IMPOSSIBLE))
    rules = RuleSet(space=space)
    for region, then in draw(RULES):
        rules.add(Rule(Region(space, region), then=then), force=True)
    return rules


def cases(space):
    return [point for point in GRID if not any(point in region for region in space.impossible)]


@given(rule_sets(), conditions(0), st.sampled_from(["A", "B", None]), st.booleans())
@sts.examples(2)
def test_conflicts_gaps_and_free_regions_are_those_of_the_cases_that_can_occur(
    rules, conditions, then, maximal
):
    points = cases(rules.space)
    holds = [[point in rule.region for rule in rules] for point in points]
    for kind, same in ((rules.conflicts(), False), (rules.overlaps(), True)):
        expected = {
            (a, b)
            for row in holds
            for a, b in combinations([i for i, held in enumerate(row) if held], 2)
            if (rules[a].then == rules[b].then) == same
        }
        assert {(pair.first, pair.second) for pair in kind} == expected
        for pair in kind:
            assert pair.witness in points
            assert pair.witness in pair.region
    assert rules.is_consistent == (not rules.conflicts())
    assert len(rules.conflicts(limit=1)) == min(1, len(rules.conflicts()))
    uncovered = [point for point, row in zip(points, holds, strict=True) if not any(row)]
    for disjoint in (True, False):
        found = gaps(rules, disjoint=disjoint)
        assert [p for p in GRID if any(p in gap for gap in found)] == uncovered
    assert rules.is_complete == (not uncovered)
    # a search finds all that is free and can occur
    rivals = [i for i, rule in enumerate(rules) if rule.then != then]
    free = [p for p, row in zip(points, holds, strict=True) if not any(row[i] for i in rivals)]
    regions = list(search(rules, consequent=then, maximal=maximal))
    assert [p for p in points if any(p in region for region in regions)] == free
    assert all(any(p in region for p in free) for region in regions)
    # a rule is refused only where a case can occur
    region = Region(rules.space, conditions)
    inside = [row for point, row in zip(points, holds, strict=True) if point in region]
    rivals = [i for i in rivals if any(row[i] for row in inside)]
    assert rules.rivals_of(region, then).tolist() == rivals
    if then is not None and rivals:
        with pytest.raises(ConflictError) as caught:
            rules.add(Rule(region, then=then))
        assert caught.value.conflicts[0].witness in points
    elif then is not None:
        rules.add(Rule(region, then=then))


@given(rule_sets(), st.sampled_from(GRID), st.sampled_from(["A", "B", None]))
def test_regions_grow_through_what_is_impossible(rules, seed, then):
    points = cases(rules.space)
    rivals = [rule.region for rule in rules if rule.then != then]

    def is_free(region):
        return not any(p in region and p in rival for p in points for rival in rivals)

    if seed in points and any(seed in rival for rival in rivals):
        with pytest.raises(SeedError):
            enlarge(rules, seed, consequent=then)
        return
    grown = enlarge(rules, seed, consequent=then)
    assert seed in grown
    assert is_free(grown)
    assert enlarge_many(rules, [seed], consequent=then) == [grown]
    # no bound can be moved, and no value added
    for name, condition in grown.conditions().items():
        others = {k: v for k, v in grown.conditions().items() if k != name}
        for value in ("m", "f", None) if name == "sex" else range(5):
            if name == "sex":
                listed = list(condition.get("in", [])) + ([None] if "missing" in condition else [])
                wider = Region(rules.space, {**others, "sex": [*listed, value]})
            else:
                wider = grown.hull(Region(rules.space, {**grown.conditions(), name: value}))
            assert wider <= grown or not is_free(wider)


def test_a_space_with_impossible_cases_is_a_value():
    plain = Space(FEATURES)
    space = Space(FEATURES, impossible=[{"sex": "m", "years": (3, None)}])
    assert space != plain
    assert space == Space(plain, impossible=space.impossible)
    assert pickle.loads(pickle.dumps(space)) == space
    assert hash(space) == hash(plain)
    for impossible in (space.impossible, [Region(plain, {"sex": "m", "years": (3, None)})]):
        (region,) = Space(FEATURES, impossible=impossible).impossible
        assert region.space == space
        assert region.contains(space.encode([{"age": 1, "years": 4, "sex": "m"}])).all()
    assert "impossible=[" in repr(space)
    assert Region(plain, {"age": 2}).cast(space).space == space


@pytest.mark.parametrize(
    ("impossible", "message"),
    [
        ({}, "what is impossible must have a condition, or no case is possible"),
        ({"sox": "m"}, "unknown feature 'sox'; did you mean 'sex'?"),
        ("sex", r"what is impossible must be a mapping \{feature: condition\} or a Region"),
    ],
)
def test_an_impossible_combination_must_fit(impossible, message):
    refuses(ConditionError, message, Space, FEATURES, impossible=[impossible])
