from __future__ import annotations

import copy
import datetime as dt
import decimal
import gc
import math
import pickle
from collections import OrderedDict, defaultdict
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
import strategies
from irenic import (
    MISSING,
    OTHER,
    Categorical,
    ConditionError,
    ConflictError,
    Continuous,
    DataError,
    DecisionTable,
    Rule,
    RuleList,
    RuleSet,
    Space,
)
from irenic.arrays import LOWEST
from irenic.model import Decider, Months
from refusals import refuses, rejects
from strategies import examples

pytestmark = pytest.mark.kernels

COPIES = 4  # of c/decide.c
RESOLVE = ("first", "best", "vote")


def cells_that_show(rules, most=25):
    axes = naive.grid(rules.space, [rule.region for rule in rules])
    pairs = zip(rules.space, axes, strict=True)
    cells = naive.cells_of([[v for v in axis if is_value(f, v)] for f, axis in pairs])
    return cells[:: max(1, len(cells) // most)]


def is_value(feature, value):
    return naive.shows(feature, value) and feature.admits(value)


def record_of(space, cell):
    return {f.name: naive.decode(f, v) for f, v in zip(space, cell, strict=True)}


# --- against a scan of all rules


@given(rules=strategies.rule_sets(max_size=8, max_features=3, default="else"))
@examples(0.8)
def test_a_decider_finds_the_rule_that_a_scan_finds(rules):
    for resolve in RESOLVE:
        decide = rules.decider(resolve=resolve)
        for cell in cells_that_show(rules):
            record = record_of(rules.space, cell)
            index = naive.decide(rules, cell, resolve)
            assert decide.rule(record) == decide.rule(list(record.values())) == index
            assert decide(record) == naive.predict(rules, cell, resolve, "else")


@given(rules=strategies.consistent_rule_sets(max_size=6))
@examples(0.6)
def test_consistent_rules_need_no_resolution(rules):
    decide = rules.decider()
    for cell in cells_that_show(rules):
        assert decide(record_of(rules.space, cell)) == naive.predict(rules, cell)


def many_rules(rng, n, *, continuous, sizes, spread):
    """Return a set of many rules on a small grid of values, of which many touch and nest."""
    numbers = [Continuous(f"x{i}", missing=bool(rng.integers(2))) for i in range(continuous)]
    categories = [
        Categorical(
            f"c{j}", range(size), missing=bool(rng.integers(2)), other=bool(rng.integers(2))
        )
        for j, size in enumerate(sizes)
    ]
    space = Space([*categories, *numbers])
    lower = rng.integers(0, 20, (continuous, n)).astype(float)
    upper = lower + rng.integers(1, 1 + spread, (continuous, n))
    lower[rng.random(lower.shape) < 0.2] = -np.inf
    lower[rng.random(lower.shape) < 0.1] = LOWEST
    upper[rng.random(upper.shape) < 0.2] = np.inf
    masks = np.zeros((space.n_words, n), dtype=np.uint64)
    for part, feature in zip(space.sets, space.categorical, strict=True):
        codes = rng.integers(0, len(feature.values) + 2, (n, 1 + spread))
        for code in codes.T:  # at least one value that can occur
            np.bitwise_or.at(masks, (part.start + code // 64, np.arange(n)), _bit(code))
        masks[part.start] |= np.uint64(4)
        open_ = rng.random(n) < 0.3
        masks[part, :] = np.where(open_, space.everything[part, None], masks[part])
    return RuleSet.from_arrays(
        space,
        lower=lower,
        upper=upper,
        masks=masks,
        then=rng.integers(0, 4, n).tolist(),
        weights=rng.choice([0.25, 0.5, 1.0, 1.0, 3.0, 0.1], n),
        default=-1,
    )


def check_against_scan(rules, decide, records, resolve):
    """Assert that a decider finds the rule that a scan of all rules finds; return these."""
    scanned = rules.decide(records, resolve=resolve).tolist()
    assert [decide.rule(record) for record in records] == scanned
    return scanned


def _bit(code):
    return np.uint64(1) << (code % 64).astype(np.uint64)


def many_records(rng, space, n):
    columns = []
    for feature in space:
        if isinstance(feature, Continuous):
            column = rng.integers(-1, 25, n).astype(float)
            column += rng.choice([0.0, 0.0, 0.5], n)
            below = np.nextafter(column, -math.inf)
            column = np.where(rng.random(n) < 0.2, below, column).tolist()
        else:
            column = rng.integers(0, len(feature.values) + 2 * feature.other, n).tolist()
        if feature.missing:
            column = [None if rng.random() < 0.1 else value for value in column]
        columns.append(column)
    return [dict(zip(space.names, row, strict=True)) for row in zip(*columns, strict=True)]


@examples(0.8)
@given(
    seed=st.integers(0, 2**32),
    n=st.integers(1, 400),
    continuous=st.integers(0, 4),
    sizes=st.lists(st.sampled_from([1, 3, 20, 63, 130]), max_size=3),
    spread=st.sampled_from([1, 3, 12]),
)
def test_cut_trees_find_what_a_scan_finds(seed, n, continuous, sizes, spread):
    rng = np.random.default_rng(seed)
    sizes = sizes or ([] if continuous else [3])
    rules = many_rules(rng, n, continuous=continuous, sizes=sizes, spread=spread)
    records = many_records(rng, rules.space, 60)
    for resolve in RESOLVE:
        decide = rules.decider(resolve=resolve)
        check_against_scan(rules, decide, records, resolve)
        *_, entries, _ = decide._index.sizes()
        assert entries <= COPIES * n


@pytest.mark.parametrize("n", [3_700, pytest.param(100_000, marks=pytest.mark.slow)])
def test_many_rules(n):
    rng = np.random.default_rng(n)
    rules = many_rules(rng, n, continuous=4, sizes=[70, 3], spread=3)
    records = many_records(rng, rules.space, 300)
    for resolve in RESOLVE:
        scanned = check_against_scan(rules, rules.decider(resolve=resolve), records, resolve)
        assert len(set(scanned)) > 20


def test_rules_with_a_common_part_stay_within_the_bound():
    n, d = 600, 6
    rng = np.random.default_rng(0)
    space = Space([Continuous(f"x{i}") for i in range(d)])
    lower, upper = -rng.random((d, n)), rng.random((d, n))
    rules = RuleSet.from_arrays(space, lower=lower, upper=upper, then=list(range(n)))
    for resolve in RESOLVE:
        decide = rules.decider(resolve=resolve)
        nodes, leaves, entries, _ = decide._index.sizes()
        assert entries <= COPIES * n
        assert leaves <= nodes <= 3 * COPIES * n
        X = rng.random((100, d)) * 2 - 1
        check_against_scan(rules, decide, X, resolve)


def test_rules_about_different_features_are_parted():
    n, d = 2_000, 8
    rng = np.random.default_rng(0)
    space = Space([Continuous(f"x{i}", missing=True) for i in range(d)])
    lower, upper = np.full((d, n), -np.inf), np.full((d, n), np.inf)
    places = rng.integers(d, size=n), np.arange(n)
    lower[places] = rng.integers(0, 500, n)
    upper[places] = lower[places] + 1
    weights, then = rng.random(n), rng.integers(0, 90, n).tolist()
    rules = RuleSet.from_arrays(space, lower=lower, upper=upper, then=then, weights=weights)
    X = rng.integers(0, 500, (200, d)).astype(float)
    X[rng.random(X.shape) < 0.1] = np.nan
    for resolve in RESOLVE:
        decide = rules.decider(resolve=resolve)
        *_, entries, longest = decide._index.sizes()
        assert entries <= COPIES * n
        assert longest < 50
        check_against_scan(rules, decide, X, resolve)


def test_nested_rules():
    n = 500
    space = Space([Continuous("x"), Continuous("y")])
    reach = np.arange(n, 0, -1.0)
    rules = RuleSet.from_arrays(
        space,
        lower=np.array([-reach, -reach]),
        upper=np.array([reach, reach]),
        then=list(range(n)),
        weights=np.arange(n, dtype=float),
    )
    X = [[x, 0.5 * x] for x in np.linspace(-n - 1, n + 1, 333)]
    for resolve in RESOLVE:
        check_against_scan(rules, rules.decider(resolve=resolve), X, resolve)


def test_rules_behind_one_that_always_holds_are_dropped():
    thens = {"a": {"x": (0, 9)}, "b": {}, "c": {"x": (3, 5)}}
    rules = RuleSet([Rule(region, then=then) for then, region in thens.items()])
    assert rules.decider(resolve="first")._index.sizes()[2] == 2
    assert rules.decider(resolve="vote")._index.sizes()[2] == 3


# --- what decides


def test_votes_of_more_rules_than_are_counted_on_the_stack():
    rng = np.random.default_rng(1)
    n = 300
    for n_thens in (3, 300):
        rules = RuleSet.from_arrays(
            Space([Continuous("x")]),
            lower=rng.integers(0, 3, (1, n)),
            upper=rng.integers(4, 9, (1, n)),
            then=rng.integers(0, n_thens, n).tolist(),
            weights=rng.random(n),
        )
        X = [[x] for x in range(-1, 10)]
        check_against_scan(rules, rules.decider(resolve="vote"), X, "vote")


def conflicting():
    return RuleSet(
        [Rule({"x": (0, 9)}, then="a"), Rule({"x": (5, 9)}, then="b", weight=2.0)], default="c"
    )


def test_rules_that_contradict_each_other_need_a_resolution():
    rules = conflicting()
    with pytest.raises(ConflictError) as refused:
        rules.predict([{"x": 1}])
    rejects(ConflictError, str(refused.value), rules.decider)
    assert rules.decider(resolve="first")([6]) == "a"
    assert rules.decider(resolve="best")([6]) == "b"
    refuses(ConditionError, "most", rules.decider, resolve="most")
    ages = RuleList([Rule({"x": (0, 9)}, then="a"), Rule({"x": (0, 20)}, then="b")], default="c")
    decide = ages.decider()
    assert [decide([x]) for x in (0, 9, 20)] == ["a", "b", "c"]
    assert [decide.rule([x]) for x in (0, 9, 20)] == [0, 1, -1]


def table_of(rules, **settings):
    return DecisionTable(rules, tuple(range(len(rules))), len(rules), **settings)


def test_ordered_tables_are_decided_by_the_rule_that_wins():
    rules = conflicting()
    first = table_of(rules, hit_policy="FIRST").decider()
    assert (first([6]), first.rule([6]), first([-1])) == ("a", 0, "c")
    table = table_of(rules, hit_policy="PRIORITY", ranking=("b", "a"))
    decide = table.decider()
    assert (decide([6]), decide.rule([6]), decide([1]), decide.rule([1])) == ("b", 1, "a", 0)
    X = [{"x": x} for x in range(-1, 11)]
    assert [decide(x) for x in X] == table.as_rules().predict(X).tolist()
    rules = RuleSet([Rule({"x": (0, 9)}, then="a"), Rule({"x": (5, 12)}, then="a")])
    for policy in (None, "UNIQUE", "ANY"):
        with pytest.raises(ConflictError, match="contradict each other"):
            table_of(conflicting(), hit_policy=policy).decider()
        decide = table_of(rules, hit_policy=policy).decider()
        assert [decide([x]) for x in (-1, 6, 10)] == [None, "a", "a"]
    for policy in ("RULE ORDER", "OUTPUT ORDER", "COLLECT"):  # no single rule decides
        with pytest.raises(ConditionError, match=f"under {policy} all rules that hold count"):
            table_of(conflicting(), hit_policy=policy).decider()


def test_empty_sets_and_spaces_without_features():
    nothing = RuleSet(space=Space([Continuous("x")]), default=7)
    always = RuleSet([Rule({}, then="always")], Space([]))
    for resolve in (None, *RESOLVE):
        decide = nothing.decider(resolve=resolve)
        assert (decide([1]), decide.rule([1])) == (7, -1)
        with pytest.raises(DataError):
            decide(["text"])
        assert RuleSet(space=Space([])).decider(resolve=resolve)({}) is None
        decide = always.decider(resolve=resolve)
        assert decide({}) == decide(()) == decide({"other": 1}) == "always"


def test_consequents_are_returned_as_they_are():
    rules = RuleSet([Rule({"x": (0, 1)}, then=("a", 1)), Rule({"x": (1, 2)}, then=True)])
    decide = rules.decider()
    assert decide([0]) == ("a", 1)
    assert decide([1]) is True
    assert decide([2]) is None
    rules = RuleSet([Rule({"x": (0, 9)}, then="a")], default="c")
    decide = rules.decider()
    rules.remove(0)
    rules.add(Rule({"x": (0, 9)}, then="b"), force=True)
    rules.default = "d"
    assert (decide([1]), decide([10])) == ("a", "c")
    decide = RuleSet([Rule({"x": (0, 5)}, then="a")]).decider()
    assert isinstance(decide, Decider)
    assert repr(decide) == "<Decider: 1 rule, 1 feature>"


# --- records

KINDS = {
    "number": Continuous("f"),
    "bounded number": Continuous("f", bounds=(0, 100), missing=True),
    "integer": Continuous("f", kind="integer", missing=True),
    "bounded integer": Continuous("f", kind="integer", bounds=(0, 100)),
    "date": Continuous("f", kind="date", missing=True),
    "datetime": Continuous("f", kind="datetime"),
    "UTC": Continuous("f", kind="datetime", unit="UTC", missing=True),
    "time": Continuous("f", kind="time", missing=True),
    "duration": Continuous("f", kind="duration"),
    "months": Continuous("f", kind="months"),
    "closed": Categorical("f", ["a", 5, 2.5, True, dt.date(2020, 1, 1)]),
    "open": Categorical("f", ["a", 5, 2.5], missing=True, other=True),
}
ODD_VALUES = [
    *(None, math.nan, -math.nan, math.inf, -math.inf, 0, -0.0, 5, 5.0, 2.5, 100, 101, -1),
    *(2**53 - 1, 2**53, 2**53 + 1, -(2**53), -(2**53) - 1, 2.0**53, 2.0**60, 1e308, 10**400),
    *(True, False, "a", "b", "5", "", "2020-01-01", "2020-01-01T12:00:00", "12:30:00", "P1D"),
    *("P1Y", b"a", [1], (1, 2), {"a": 1}, {1}, 1j, object, MISSING, OTHER),
    *(dt.date(2020, 1, 1), dt.date.max, dt.date.min, dt.datetime(2020, 1, 1), dt.datetime.max),
    *(dt.datetime(2020, 1, 1, 12, 30), dt.datetime(2020, 1, 1, tzinfo=dt.UTC), dt.datetime.min),
    *(dt.time(12, 30), dt.time(12, tzinfo=dt.UTC), dt.timedelta(days=1), dt.timedelta.max),
    *(dt.timedelta(microseconds=2**53 + 1), Months(12), Months(2**53 + 1)),
    *(decimal.Decimal(5), decimal.Decimal("2.5"), decimal.Decimal("NaN"), decimal.Decimal("Inf")),
    *(np.float64(5), np.float64("nan"), np.float64("-inf"), np.float32(2.5), np.int64(5)),
    *(np.int64(2**53 + 1), np.int8(5), np.uint64(2**63), np.bool_(True), np.str_("a")),
    *(np.datetime64("2020-01-01"), np.datetime64("NaT"), np.timedelta64(1, "D"), np.longdouble(5)),
]


def outcome(call, *arguments):
    try:
        return call(*arguments)
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("with_other", [False, True])
def test_values_are_read_and_refused_as_in_a_table(kind, with_other):
    feature = KINDS[kind]
    space = Space([feature, *([Categorical("also", ["x"])] if with_other else [])])
    if isinstance(feature, Categorical):
        rules = RuleSet([Rule({"f": {value}}, then=str(value)) for value in feature.values], space)
    else:
        cuts = [LOWEST, 0.0, 5.0, 6.0, 2.0**53, 1.5768e15, 1.5779e15]
        lower = [c for c in map(feature.snap, cuts) if max(c, feature.lowest) < feature.end]
        upper = [math.inf] * len(lower)
        if feature.missing:
            lower, upper = [*lower, -math.inf], [*upper, LOWEST]
        n = len(lower)
        settings = {"lower": [lower], "upper": [upper], "weights": range(n), "then": range(n)}
        rules = RuleSet.from_arrays(space, **settings)
    decide = rules.decider(resolve="best")
    more = {"also": "x"} if with_other else {}
    for value in ODD_VALUES:
        record = {"f": value, **more}
        scanned = outcome(lambda r: int(rules.decide([r], resolve="best")[0]), record)
        assert outcome(decide.rule, record) == scanned, value
        assert outcome(decide.rule, {**record, "unknown": 1}) == scanned, value
        in_order = outcome(lambda r: int(rules.decide([r], resolve="best")[0]), [*record.values()])
        assert outcome(decide.rule, [*record.values()]) == in_order, value


class Point(NamedTuple):
    y: float
    x: float


def test_forms_of_a_record():
    rules = RuleSet([Rule({"x": (0, 5), "y": (8, 12)}, then="a")])
    assert rules.space.names == ("x", "y")
    numbers = {"y": 10.0, "x": 3.0}
    mappings = [numbers, {"y": 10, "x": 3, "z": "ignored"}, OrderedDict(numbers)]
    rows = [[3.0, 10.0], (3, 10), range(3, 11, 7), rules.space.encode([[3, 10]])]
    arrays = [np.array([3, 10], dtype=dtype) for dtype in (float, int, np.float32, object)]
    for record in [*mappings, defaultdict(float, numbers), Point(**numbers), *rows, *arrays]:
        assert rules.decider()(record) == "a", record


def test_what_is_no_record_is_refused_as_in_a_table():
    rules = RuleSet([Rule({"x": (0, 5), "y": (8, 12)}, then="a")])
    decide = rules.decider()
    wrong = [{}, {"x": 1}, [1], [1, 2, 3], (), "xy", 5, None, {"x": [1], "y": [2]}, [[1, 2]]]
    for record in [*wrong, {"x", "y"}]:
        refused = outcome(rules.decide, [record])
        assert refused[0] is DataError
        assert outcome(decide, record) == refused
    refuses(DataError, "must be one instance, got 2", decide, rules.space.encode([[1, 1], [2, 2]]))
    record = defaultdict(float, x=1.0)
    refuses(DataError, "no column 'y'", decide, record)
    assert list(record) == ["x"]  # a missing key is not added


# --- as an object


def test_threads_can_share_a_decider():
    rng = np.random.default_rng(5)
    rules = many_rules(rng, 1_000, continuous=3, sizes=[5], spread=3)
    records = many_records(rng, rules.space, 1_000)
    for resolve in RESOLVE:
        decide = rules.decider(resolve=resolve)
        scanned = rules.decide(records, resolve=resolve).tolist()

        def decide_all(_, records=records, decide=decide):
            return [decide.rule(record) for record in records]

        with ThreadPoolExecutor(8) as pool:
            assert all(run == scanned for run in pool.map(decide_all, range(12)))


def test_copies_decide_alike():
    rng = np.random.default_rng(6)
    rules = many_rules(rng, 50, continuous=2, sizes=[3], spread=3)
    records = many_records(rng, rules.space, 50)
    decides = {resolve: rules.decider(resolve=resolve) for resolve in RESOLVE}
    answers = {r: [decide(x) for x in records] for r, decide in decides.items()}
    ways = (copy.copy, copy.deepcopy, lambda d: pickle.loads(pickle.dumps(d)))
    copies = [{r: way(decide) for r, decide in decides.items()} for way in ways]
    del decides
    gc.collect()
    for others in copies:
        assert {r: [other(x) for x in records] for r, other in others.items()} == answers


def test_a_value_that_is_never_missing_is_not_another_value():
    space = Space([Categorical("c", ["a", "b"], other=True)])
    rules = RuleSet([Rule({"c": {"a"}}, then="yes")], space, default="no")
    decide = rules.decider()
    assert decide({"c": "z"}) == "no"
    for value in (None, MISSING, math.nan):
        refuses(DataError, "missing", rules.predict, [{"c": value}])
        refuses(DataError, "missing", decide, {"c": value})
