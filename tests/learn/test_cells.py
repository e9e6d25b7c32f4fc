"""Rows as cells: what a condition in words means is what it means in the space."""

from __future__ import annotations

import datetime as dt
import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irenic import Space
from irenic.learn.cells import CELL_LIMIT, ROW_LIMIT, Cells
from irenic.learn.evolution import covering
from irenic.model.features import LOWEST

NUMBERS = st.one_of(
    st.sampled_from([None, -0.0, 0.0, 1.0, 1.5, 2.0, 1e-300, -1e300, 1e300]),
    st.floats(allow_nan=False, allow_infinity=False),
)
DAYS = st.one_of(st.none(), st.dates(dt.date(1990, 1, 1), dt.date(2030, 1, 1)))
TEXTS = st.one_of(st.none(), st.sampled_from(["a", "b", "c", "d e", ""]))
SEEDS = st.integers(0, 2**32 - 1)


def divided(table, y=None, weight=None, limit=CELL_LIMIT):
    """Return instances of a table and their cells, as a fit makes them."""
    space = Space([replace(feature, missing=True) for feature in Space.infer(table)])
    instances = space.encode(table)
    n = len(instances)
    if y is None:
        y = np.arange(n) % 2
    truth = np.eye(2)[np.asarray(y).astype(int)]
    weight = np.ones(n) if weight is None else np.asarray(weight, dtype=float)
    return instances, Cells.from_instances(instances, truth, weight, limit)


@st.composite
def tables(draw, max_rows=25):
    n = draw(st.integers(1, max_rows))

    def column(values):
        return draw(st.lists(values, min_size=n, max_size=n))

    kinds = {
        "number": NUMBERS,
        "integer": st.one_of(st.none(), st.integers(-5, 5)),
        "date": DAYS,
        "text": TEXTS,
        "flag": st.booleans(),
        "nothing": st.none(),
        "constant": st.just(7),
    }
    chosen = draw(st.lists(st.sampled_from(sorted(kinds)), min_size=1, max_size=4, unique=True))
    return {name: column(kinds[name]) for name in chosen}


def random_masks(cells, n_rules, rng):
    """Return words of random conditions: intervals where cells have an order, else sets."""
    masks = np.zeros((n_rules, len(cells.space)), dtype=np.uint64)
    for f, (n, ordered) in enumerate(zip(cells.n_cells.tolist(), cells.ordered, strict=True)):
        for r in range(n_rules):
            everything = (1 << n) - 1
            word = int(rng.integers(1, 2**63)) * 2 + int(rng.integers(0, 2)) & everything
            if ordered:
                low = int(rng.integers(0, n))
                word = (1 << int(rng.integers(low + 1, n + 1))) - (1 << low)
            masks[r, f] = everything if rng.random() < 0.3 else word or 1
    return masks


def everything(cells):
    return np.array([(1 << int(n)) - 1 for n in cells.n_cells], dtype=np.uint64)


def check_covers(cells, instances, masks):
    """Assert that words hold for the rows that rules hold for, and return the rules."""
    rules = cells.rule_set(masks, list(range(len(masks))))
    assert rules.covering(instances).T.tolist() == covering(masks, cells.encode(instances)).tolist()
    return rules


def rules_of(cells, *words):
    """Return a rule per word, named A, B, … in their order; all are about one feature."""
    return cells.rule_set(np.array(words, dtype=np.uint64)[:, None], "ABCDEFGH"[: len(words)])


# --- cells and rules


@given(tables(), SEEDS)
def test_words_and_rules_are_the_same(table, seed):
    instances, cells = divided(table)
    masks = random_masks(cells, 8, np.random.default_rng(seed))
    assert (cells.encode(instances) < cells.n_cells[:, None]).all()
    rules = check_covers(cells, instances, masks)
    assert rules.conditions_per_rule().tolist() == (masks != everything(cells)).sum(axis=1).tolist()
    for a, b in itertools.combinations(range(8), 2):
        if not (masks[a] & masks[b] != 0).all():
            assert not rules[a].region.overlaps(rules[b].region)


@given(tables(), tables(), SEEDS)
def test_they_do_for_other_rows_whose_values_are_known(table, others, seed):
    _, cells = divided(table)
    others = {name: others.get(name, [None] * 3)[:3] for name in table}
    n = min(len(column) for column in others.values())
    others = cells.space.encode({name: column[:n] for name, column in others.items()})
    if not cells.hold(others):
        return
    masks = random_masks(cells, 8, np.random.default_rng(seed))
    rules = cells.rule_set(masks, list("ABCDEFGH"))
    in_words = covering(masks, cells.encode(others)).T
    in_space = rules.covering(others)
    # a value that was never missing before has no cell: only "no condition" holds for it
    new = np.zeros((n, len(table)), dtype=bool)
    for row, cuts in enumerate(cells.cuts):
        apart = len(cuts) and cuts[0] == LOWEST
        new[:, row] = (others.values[row] < LOWEST) & (not apart)
    refused = (new[:, None, :] & (masks != everything(cells))[None, :, :]).any(axis=2)
    assert (in_space == (in_words & ~refused)).all()


def test_what_a_rule_set_is_given():
    _, cells = divided({"age": [1, 2, 3], "job": ["x", "y", "x"]})
    masks = np.array([[0b011, 0b11], [0b111, 0b10]], dtype=np.uint64)
    weights = np.array([0.5, 0.25])
    rules = cells.rule_set(masks, ["A", "B"], weights=weights, default="C")
    assert (rules.thens, rules.default) == (["A", "B"], "C")
    assert rules.weights.tolist() == [0.5, 0.25]
    assert [str(rule.region) for rule in rules] == ["age < 3", "job in {y}"]


# --- cuts


@given(tables())
def test_cuts_lie_between_data_values(table):
    instances, cells = divided(table)
    for row, cuts in enumerate(cells.cuts):
        values = np.unique(instances.values[row])
        known = values[values >= LOWEST]
        assert cuts.tolist() == sorted(set(cuts.tolist()))
        # at most 64 distinct values: every two of them are told apart
        assert len(cuts) == max(0, len(known) - 1) + (0 < len(known) < len(values))
        for cut in cuts:
            assert (values < cut).any()
            assert (values >= cut).any()


@given(SEEDS, st.integers(2, CELL_LIMIT), st.booleans())
def test_many_values_are_cut_into_few_cells(seed, limit, holes):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=300).round(2)
    if holes:
        x[rng.random(300) < 0.2] = np.nan
    instances, cells = divided({"x": x}, y=x > 1, limit=limit)
    (cuts,) = cells.cuts
    assert len(cuts) + 1 <= max(4, limit)
    assert (np.diff(cuts) > 0).all()
    counts = np.bincount(cells.encode(instances)[0], minlength=len(cuts) + 1)
    assert (counts > 0).all()
    if holes:
        assert cuts[0] == LOWEST
        assert counts[0] == np.isnan(x).sum()


def test_a_cut_that_tells_much_is_found_where_few_rows_are():
    x = np.arange(5000.0)
    _, cells = divided({"x": x}, y=x >= 4990, limit=16)
    assert any(4989 < cut <= 4990 for cut in cells.cuts[0])


def test_cells_do_not_depend_on_the_order_of_rows_nor_on_how_weights_are_given():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=200), rng.integers(0, 2, 200)
    order, twice = rng.permutation(200), rng.integers(1, 3, 200)
    _, first = divided({"x": x}, y=y, weight=twice)
    _, second = divided({"x": x[order]}, y=y[order], weight=twice[order])
    _, third = divided({"x": np.repeat(x, twice)}, y=np.repeat(y, twice))
    assert first.cuts[0].tolist() == second.cuts[0].tolist() == third.cuts[0].tolist()


@given(SEEDS)
def test_rounding_of_weights_does_not_matter(seed):
    # trees find many cuts that are equally good, and sums of thirds depend on their order
    rng = np.random.default_rng(seed)
    x, y = {name: rng.integers(0, 90, 300) for name in "ab"}, rng.integers(0, 2, 300)
    third, order = np.array([1 / 3, 7 / 9])[y], rng.permutation(300)
    rows = np.repeat(order, 2)
    _, first = divided(x, y=y, weight=2 * third)
    _, second = divided({k: v[rows] for k, v in x.items()}, y=y[rows], weight=third[rows])
    for a, b in zip(first.cuts, second.cuts, strict=True):
        assert a.tolist() == b.tolist()


@pytest.mark.parametrize("column", [[None, None, None], [7, 7, 7], ["a", "a", "a"], [True] * 3])
def test_a_column_that_says_nothing_has_one_cell(column):
    instances, cells = divided({"x": column, "y": [1, 2, 3]})
    f = [feature.name for feature in (*cells.space.continuous, *cells.space.categorical)].index("x")
    assert cells.n_cells[f] == 1
    masks = np.ones((1, 2), dtype=np.uint64)
    masks[0, 1 - f] = 0b111
    (rule,) = cells.rule_set(masks, ["A"])
    assert rule.n_conditions == 0
    assert covering(masks, cells.encode(instances)).all()


def test_numbers_that_are_missing_at_times_or_later():
    _, cells = divided({"x": [1.0, None, 3.0]})
    assert cells.cuts[0].tolist() == [LOWEST, 2.0]
    rules = rules_of(cells, 0b001, 0b010, 0b110, 0b011, 0b111, 0b100)
    texts = [str(rule.region) for rule in rules]
    assert texts[:4] == ["x is missing", "x < 2", "x is not missing", "(x < 2 or missing)"]
    assert texts[5] == "x >= 2"
    # one that is missing only later is under no condition
    rules = rules_of(divided({"x": [1.0, 3.0]})[1], 0b01, 0b10, 0b11)
    assert rules.covering({"x": [None]}).tolist() == [[False, False, True]]


def test_cuts_have_few_digits():
    for values, text in [
        ([0.1, 0.9], "x >= 0.5"),
        ([1, 2], "x >= 2"),
        ([dt.date(2024, 1, 1), dt.date(2024, 1, 2)], "x >= 2024-01-02"),
        ([1.234567, 1.31], "x >= 1.3"),
    ]:
        assert str(rules_of(divided({"x": values})[1], 0b10)[0].region) == text
    # nor do times have a fraction of a second
    hours = [dt.datetime(2024, 1, 1, hour) for hour in range(4)]
    rules = rules_of(divided({"x": hours})[1], 0b1110, 0b1100, 0b1000)
    assert not any("." in str(rule.region) for rule in rules)


# --- categories


def test_of_many_values_the_frequent_have_cells_of_their_own():
    rng = np.random.default_rng(1)
    frequent = np.repeat([f"often {i}" for i in range(10)], 20)
    column = rng.permutation([*frequent, *(f"once {i}" for i in range(100))])
    instances, cells = divided({"name": column.tolist()})
    assert cells.n_cells[0] == 11
    encoded = cells.encode(instances)[0]
    assert set(encoded[np.char.startswith(column, "once")]) == {10}
    assert set(encoded[np.char.startswith(column, "often")]) == set(range(10))
    # a value that was not seen is one more that is rare
    rules = rules_of(cells, 1 << 10, (1 << 10) - 1)
    assert rules.predict({"name": ["once 7", "often 3", "never"]}).tolist() == ["A", "B", "A"]
    check_covers(cells, instances, random_masks(cells, 20, rng))


@pytest.mark.parametrize("n", [64, 65, 200, 10_000])
def test_categories_of_any_number(n):
    instances, cells = divided({"c": [f"v{i}" for i in range(n)]})
    assert cells.n_cells[0] == (n if n <= CELL_LIMIT else 1) <= CELL_LIMIT
    check_covers(cells, instances, random_masks(cells, 4, np.random.default_rng(0)))


def test_unseen_values_go_with_more_than_half_of_the_cells():
    _, cells = divided({"c": ["a", "b", "c", "d"]})
    rules = rules_of(cells, 0b0001, 0b0011, 0b1100, 0b0111, 0b1111)
    for value in ("new", None):
        assert rules.covering({"c": [value]}).tolist() == [[False, False, False, True, True]]


def test_a_value_that_only_the_space_knows_is_unseen():
    space = Space.infer({"c": ["a", "b", "c"]})
    instances = space.encode({"c": ["a", "b"]})
    cells = Cells.from_instances(instances, np.eye(2), np.ones(2))
    assert cells.hold(instances)
    assert not cells.hold(space.encode({"c": ["c"]}))
    assert not cells.hold(space.encode({"c": ["new"]}))
    rules = rules_of(cells, 0b01, 0b10, 0b11)
    assert rules.covering({"c": ["c"]}).tolist() == [[False, False, True]]


@given(st.lists(st.sampled_from("abcdefg"), min_size=1, max_size=20), SEEDS)
def test_of_sets_without_a_common_cell_at_most_one_holds_unseen_values(column, seed):
    _, cells = divided({"c": column})
    n = int(cells.n_cells[0])
    part = np.random.default_rng(seed).integers(0, 3, n)
    words = [sum(1 << c for c in range(n) if part[c] == k) for k in range(3)]
    rules = rules_of(cells, *filter(None, words))
    assert rules.is_consistent
    assert (rules.covering({"c": ["new", None]}).sum(axis=1) <= 1).all()


# --- for evolution


@given(tables(), SEEDS)
def test_bitmaps_of_rows(table, seed):
    instances, cells = divided(table)
    encoded, n = cells.encode(instances), len(instances)
    gains = np.random.default_rng(seed).random((n, 3)).astype(np.float32)
    rows = cells.rows(encoded, gains)
    assert rows.cells.tolist() == encoded.tolist()
    assert rows.pick[-1] == 1.0
    assert rows.best.tolist() == gains.argmax(axis=1).tolist()
    for f, ordered in enumerate(cells.ordered):
        for c in range(int(cells.n_cells[f])):
            expected = encoded[f] < c if ordered else encoded[f] == c
            assert bits(rows.maps[rows.begin[f] + c], n) == expected.tolist()
    assert bits(rows.full, n) == [True] * n
    assert sum(int(word).bit_count() for word in rows.full) == n


def bits(words, n):
    return [bool(int(words[i // 64]) >> i % 64 & 1) for i in range(n)]


def test_more_rows_do_not_make_cells_coarser(monkeypatch):
    # bitmaps are made of the rows that evolve, so a table of many more has as many cells
    monkeypatch.setattr("irenic.learn.cells._BYTE_LIMIT", 8 * (ROW_LIMIT // 64 + 1) * 2 * 60)
    rng = np.random.default_rng(0)
    found = []
    for n in (ROW_LIMIT, 5 * ROW_LIMIT):
        names = np.array([f"v{k:02}" for k in range(60)])[rng.permutation(n) % 60]
        instances, cells = divided({"x": rng.random(n), "name": names})
        found.append(cells.n_cells.tolist())
        assert len(np.unique(cells.encode(instances)[1])) == 60
    assert found == [[60, 60], [60, 60]]


# --- finer cells


@given(SEEDS, st.integers(4, 64))
def test_finer_cells_keep_what_rules_cover(seed, limit):
    rng = np.random.default_rng(seed)
    n = 400
    table = {
        "number": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n)),
        "whole": rng.integers(0, 200, n),
        "text": rng.choice(["a", "b", "c"], n),
    }
    instances, cells = divided(table, rng.integers(0, 2, n), limit=limit)
    masks = random_masks(cells, 2, rng)
    finer = cells.finer(masks, instances, limit)
    assert (finer.n_cells <= limit).all()
    assert all((np.diff(cuts) > 0).all() for cuts in finer.cuts)
    before = covering(masks, cells.encode(instances))
    after = covering(finer.translated(masks, cells), finer.encode(instances))
    used = finer.n_cells[:2] < limit  # otherwise there may be no room for all cuts in use
    if used.all():
        assert (after == before).all()
    # rules that are apart stay apart, also if their cuts are not kept
    other = random_masks(cells, 5, rng)
    apart = ((other[:, None] & other[None]) == 0).any(axis=2)
    words = finer.translated(other, cells)
    assert (((words[:, None] & words[None]) == 0).any(axis=2) >= apart).all()


def test_finer_cells_are_next_to_the_bounds_of_rules():
    values = np.random.default_rng(0).random(5000)
    instances, cells = divided({"a": values, "b": values[::-1]}, values > 0.5)
    place = int(np.searchsorted(cells.cuts[0], 0.3))
    masks = np.array([[(1 << place) - 1, (1 << int(cells.n_cells[1])) - 1]], dtype=np.uint64)
    finer = cells.finer(masks, instances)
    near = np.abs(finer.cuts[0] - cells.cuts[0][place - 1]) < 0.02
    assert near.sum() > 3 * (np.abs(cells.cuts[0] - cells.cuts[0][place - 1]) < 0.02).sum()
    assert finer.cuts[1].tolist() == cells.cuts[1].tolist()
