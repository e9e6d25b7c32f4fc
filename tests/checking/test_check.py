"""Findings against the cells of the grid: every kind, every hit policy."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
import strategies as sts
from irenic import (
    Budget,
    Categorical,
    ConditionError,
    Continuous,
    DecisionTable,
    Rule,
    RuleList,
    RuleSet,
    Space,
    check,
    parse,
    summarize,
)
from irenic.model import Provenance

AGE = Space([Continuous("age")])


def ages(*rules, **options):
    return RuleSet([Rule({"age": bounds}, then=then) for bounds, then in rules], AGE, **options)


def texts(findings, kind):
    return [finding.text for finding in findings.of(kind)]


class Grid:
    """A table as sets of cells, one per row."""

    def __init__(self, table):
        regions = [rule.region for rule in table.rules]
        self.axes = naive.grid(table.space, [*regions, *table.space.impossible])
        self.cells = set(naive.cells_of(self.axes))
        for region in table.space.impossible:
            self.cells -= naive.cells(region, self.axes)
        self.rows = {row: set() for row in range(table.n_rows)}
        self.then = {}
        self.boxes = dict.fromkeys(self.rows, 0)
        for rule, row in zip(table.rules, table.rows, strict=True):
            self.rows[row] |= naive.cells(rule.region, self.axes) & self.cells
            self.then[row] = rule.then
            self.boxes[row] += 1
        self.live = [row for row in self.rows if self.boxes[row]]

    def of(self, regions):
        findings = set()
        for region in regions:
            findings |= naive.cells(region, self.axes) & self.cells
        return findings

    def outcomes(self, cell, order=None):
        """Return the outcomes for a cell; in an ordered table, only that of the first row."""
        outcomes = [self.then[row] for row in order or self.live if cell in self.rows[row]]
        return frozenset(outcomes if order is None else outcomes[:1])


@st.composite
def tables(draw, policies=(None, "UNIQUE", "ANY", "FIRST", "PRIORITY", "COLLECT")):
    rules = draw(sts.rule_sets(max_size=6, max_features=2))
    rows = list(range(len(rules)))
    same = [  # rules of one row have the same outcome and do not overlap
        i
        for i in range(1, len(rules))
        if rules[i].then == rules[i - 1].then and not rules[i].region.overlaps(rules[i - 1].region)
    ]
    if same and draw(st.booleans()):
        joined = same[0]
        rows = [r - (place >= joined) for place, r in enumerate(rows)]
    policy = draw(st.sampled_from(policies))
    ranking = tuple(draw(st.permutations("ABC"))) if policy == "PRIORITY" else ()
    never = draw(st.integers(0, 1))
    return DecisionTable(
        rules, tuple(rows), max(rows, default=-1) + 1 + never, hit_policy=policy, ranking=ranking
    )


# --- every kind against the cells


@given(tables(policies=(None, "UNIQUE", "ANY")))
def test_conflicts_and_overlaps_are_where_rows_share_a_cell(table):
    grid, findings = Grid(table), check(table)
    conflicts, overlaps = findings.of("conflicts"), findings.of("overlaps")
    for a, b in combinations(grid.live, 2):
        shared = grid.rows[a] & grid.rows[b]
        differ = grid.then[a] != grid.then[b]
        mine = [f.region for f in conflicts if f.rules == (a, b)]
        assert grid.of(mine) == (shared if differ else set())
        mine = [f.region for f in overlaps if f.rules == (a, b)]
        assert grid.of(mine) == (shared if differ or table.hit_policy != "ANY" else set())
    assert findings.is_consistent is (not conflicts)
    assert findings.count("conflicts") == len(conflicts)
    assert {f.level for f in overlaps} <= {"note" if table.hit_policy is None else "error"}
    assert findings.fails() is bool(overlaps if table.hit_policy == "UNIQUE" else conflicts)


@given(tables())
def test_gaps_and_duplicates_are_those_of_the_cells_and_all_findings_are_in_order(table):
    grid, findings = Grid(table), check(table)
    assert grid.of(f.region for f in findings.of("gaps")) == grid.cells - grid.of(
        rule.region for rule in table.rules
    )
    assert findings.is_complete is (not findings.of("gaps"))
    named = {pair for f in findings.of("duplicates") for pair in combinations(f.rules, 2)}
    alike = {pair for pair in combinations(grid.live, 2) if same(grid, *pair)}
    assert named <= alike
    lone = {row for row in grid.live if grid.boxes[row] == 1}
    assert {pair for pair in alike if set(pair) <= lone} <= named
    again = check(table)
    assert [f.text for f in findings] == [f.text for f in again]
    assert len(findings) == len([*findings])
    for finding in findings:  # their witnesses are in their regions
        assert finding.region is None or finding.witness in finding.region
        assert "\n" not in finding.text
    for kind in ("conflicts", "overlaps", "duplicates", "inside", "never_fire", "mergeable"):
        numbers = [f.rules for f in findings.of(kind)]
        assert numbers == sorted(numbers)


@st.composite
def open_sets(draw):
    """Return rules over columns of which nothing declares the values, beside others."""
    flags = {"missing": st.booleans(), "declared": st.sampled_from([False, False, True])}
    texts = [
        Categorical(name, ["a", "b"], other=True, **draw(st.fixed_dictionaries(flags)))
        for name in "cde"[: draw(st.integers(1, 3))]
    ]
    named = st.sets(st.sampled_from("ab"), min_size=1)
    test = st.one_of(named, named, named, named.map(lambda values: {"not in": sorted(values)}))
    optional = {**{feature.name: test for feature in texts}, "x": st.just((0, 1))}
    boxes = st.fixed_dictionaries({}, optional=optional)
    impossible = [box for box in draw(st.lists(boxes, max_size=1)) if box]
    space = Space([*texts, Continuous("x", bounds=(0, 2))], impossible)
    return RuleSet([Rule(box, then="A") for box in draw(st.lists(boxes, max_size=8))], space)


class OpenGrid:
    """What no rule covers, cell by cell, and which values of open columns rules name."""

    def __init__(self, rules):
        regions = [*(rule.region for rule in rules), *rules.space.impossible]
        self.axes = naive.grid(rules.space, regions)
        cells = set(naive.cells_of(self.axes))
        self.uncovered = {c for c in cells if not any(naive.holds(r, c) for r in regions)}
        self.named = {}
        for place, (feature, axis) in enumerate(zip(rules.space, self.axes, strict=True)):
            if isinstance(feature, Continuous) or feature.declared:
                continue
            sets = [{v for v in axis if naive.allows(r, feature, v)} for r in regions]
            named = set().union(*(each for each in sets if each != {*axis}))
            if 1 not in named and named - {0}:
                self.named[place] = named | {0}

    def unnamed(self, cell):
        """Return the open columns of which a cell has a value that no rule names."""
        return frozenset(p for p, named in self.named.items() if cell[p] not in named)

    def least(self):
        """Return the least sets of columns whose unnamed values leave a case uncovered."""
        sets = {self.unnamed(cell) for cell in self.uncovered} - {frozenset()}
        return {each for each in sets if not any(other < each for other in sets)}


@given(open_sets())
def test_gaps_are_among_the_values_that_rules_name_where_nothing_declares_others(rules):
    grid, findings = OpenGrid(rules), check(rules)
    regions = [finding.region for finding in findings.of("gaps")]
    cells = [naive.cells(region, grid.axes) for region in regions]
    covered = set().union(*cells)
    impossible = {c for r in rules.space.impossible for c in naive.cells(r, grid.axes)}
    assert covered - impossible <= grid.uncovered
    assert not covered & impossible
    assert sum(map(len, cells)) == len(covered)  # none twice
    named = {cell for cell in grid.uncovered if not grid.unnamed(cell)}
    assert {cell for cell in covered if not grid.unnamed(cell)} == named
    for region in regions:
        assert any(not grid.unnamed(cell) for cell in naive.cells(region, grid.axes))
    assert findings.is_complete is (not grid.uncovered)
    # open columns are those whose other values leave cases uncovered
    least = grid.least()
    columns = {rules.space.names.index(n) for f in findings.of("open") for n in f.columns}
    assert all(each & columns for each in least)
    assert columns <= set().union(*least)
    assert {place for each in least if len(each) == 1 for place in each} <= columns
    assert findings.count("open") == len(findings.of("open")) == bool(least)
    for finding in findings.of("open"):
        cells = naive.cells(finding.region, grid.axes)
        assert cells <= grid.uncovered
        assert any(grid.unnamed(cell) for cell in cells)


def table_of(*lines):
    (table,) = parse("\n".join(lines), format="csv").bind().tables
    return table


def product_rows():
    """Return rows for all combinations of values, as published tables list them."""
    return [f"{a},{b},{c},A" for a in ("low", "high") for b in "uvw" for c in ("yes", "no")]


def test_a_table_of_all_named_combinations_is_complete_for_the_values_that_it_names():
    findings = check(table_of("a,b,c,then", *product_rows()))
    assert (findings.count("gaps"), findings.is_complete) == (0, False)
    assert texts(findings, "open") == [
        'values of a and b that no rule names are not covered, such as a = "other"'
    ]
    assert [finding.level for finding in findings.of("open")] == ["note"]
    assert not findings.fails(["gaps"])
    assert findings.fails(["open"])
    # a missing combination is one gap beside the note on other values
    rows = [",,condition,outcome", *product_rows()[1:]]
    findings = check(table_of("a,b,c,then", *rows))
    assert texts(findings, "gaps") == [
        "a = low, b = u, c = yes: no rule applies (wherever a in {low} and b in {u} and c in {yes})"
    ]
    assert findings.count("open") == 1


@pytest.mark.parametrize(
    "declared", ["one of low or others,text,yes/no,text", "text not(x),text,yes/no,text"]
)
def test_other_values_of_a_column_that_is_declared_open_are_gaps(declared):
    findings = check(table_of("a,b,c,then", declared, *product_rows()))
    assert findings.fails(["gaps"])
    assert [finding.columns for finding in findings.of("open")] == [("b",)]


def test_other_values_are_gaps_where_a_rule_says_what_holds_for_them():
    findings = check(table_of("job,age,then", "nurse,-,A", "not(nurse),< 18,B", "clerk,[18..30),C"))
    assert texts(findings, "gaps") == [
        'job = "other", age = 24: no rule applies'
        " (wherever job not in {nurse, clerk} and 18 <= age < 30)",
        "job = clerk, age = 45: no rule applies (wherever job not in {nurse} and age >= 30)",
    ]
    assert not findings.count("open")


def test_open_values_beside_values_that_only_together_lead_to_a_case():
    rules = RuleSet([Rule(box, then="A") for box in ({"a": ["x", "y"]}, {"b": ["u"]})])
    (finding,) = check(rules).of("open")
    assert finding.columns == ("a", "b")
    assert (str(finding.region), check(rules).count("gaps")) == (
        "a not in {x, y} and b not in {u}",
        0,
    )


def test_the_number_of_gaps_does_not_depend_on_where_the_search_was_stopped():
    rng = np.random.default_rng(0)
    names = [f"f{k}" for k in range(12)]
    rules = RuleSet(
        Rule({str(n): (0, int(rng.integers(1, 9))) for n in rng.choice(names, 5, False)}, then="A")
        for _ in range(40)
    )
    text = "at least 1,000 regions that no rule covers; the budget ended the search."
    for nodes in (10_000, 20_000):
        findings = check(rules, budget=Budget(nodes=nodes))
        assert len(findings.gaps) > 1_000
        assert (findings.count("gaps"), findings.unfinished) == (1_000, ("gaps",))
        summary = summarize(rules, budget=Budget(nodes=nodes))["models"][0]
        assert summary["verdicts"]["complete"]["text"] == text
        assert summary["counts"]["gaps"] == 1_000


def test_gaps_of_very_many_columns_do_not_fill_the_memory():
    rng = np.random.default_rng(0)
    space = Space(Continuous(f"f{k}") for k in range(500))
    tested = (rng.choice(500, 4, False) for _ in range(30))
    rules = RuleSet(
        [Rule({space.names[k]: (0, 5) for k in places}, then="A") for places in tested], space
    )
    findings = check(rules, budget=None)
    assert 10_000 >= len(findings.gaps) > 1_000
    assert (findings.count("gaps"), "gaps" in findings.unfinished) == (1_000, True)


def test_a_search_for_other_values_that_does_not_finish_says_so():
    rules = RuleSet([Rule({"a": {"x"}, "b": {"u"}}, then="A"), Rule({"b": {"v"}}, then="A")])
    findings = check(rules, budget=Budget(nodes=1))
    assert "open" in findings.unfinished
    assert findings.fails(["open"])


@given(tables(policies=(None, "UNIQUE", "ANY")))
def test_rows_inside_others_are_redundant(table):
    grid, findings = Grid(table), check(table)
    equal = {row: [s for s in grid.live if same(grid, row, s)] for row in grid.live}
    for row in grid.live:
        others = [s for s in grid.live if grid.then[s] == grid.then[row] and s not in equal[row]]
        union = set().union(*(grid.rows[s] for s in others))
        named = [f for f in findings.of("inside") if f.rules == (row,)]
        assert bool(named) is (grid.rows[row] <= union and row == equal[row][0]), row
        for finding in named:
            others = [grid.rows[s] for s in finding.by]
            assert grid.rows[row] <= set().union(*others)
            assert {grid.then[s] for s in finding.by} == {grid.then[row]}
            for i in range(len(others)):  # all of them are needed
                assert not grid.rows[row] <= set().union(*(others[:i] + others[i + 1 :]))


def same(grid, a, b):
    return grid.rows[a] == grid.rows[b] and grid.then[a] == grid.then[b]


@given(tables(policies=("FIRST", "PRIORITY", "UNIQUE")))
def test_rows_never_fire_if_earlier_rows_cover_them_or_they_are_impossible(table):
    grid, findings = Grid(table), check(table)
    named = {f.rules[0]: f for f in findings.of("never_fire")}
    assert all(len(f.rules) == 1 for f in named.values())
    order = [table.rows[place] for place in table.winning]
    for row in grid.rows:
        hidden = not grid.boxes[row]
        if table.is_ordered and not hidden:
            before = order[: order.index(row)]
            hidden = grid.rows[row] <= set().union(*(grid.rows[s] for s in before))
        assert (row in named) is hidden
        if hidden:
            by = named[row].by
            assert bool(by) is bool(grid.boxes[row])
            assert grid.rows[row] <= set().union(*(grid.rows[s] for s in by))


@sts.examples(0.8)
@given(tables(policies=(None, "UNIQUE", "ANY", "COLLECT")))
def test_mergeable_rows_form_one_box(table):
    grid, findings = Grid(table), check(table)
    groups = findings.of("mergeable")
    for finding in groups:
        assert len(finding.rules) > 1
        assert len({grid.then[row] for row in finding.rules}) == 1
        union = set().union(*(grid.rows[row] for row in finding.rules))
        assert grid.of([finding.region]) == union
        if table.hit_policy == "COLLECT":
            assert sum(len(grid.rows[row]) for row in finding.rules) == len(union)
    if table.hit_policy == "COLLECT":
        return
    for a, b in combinations([row for row in grid.live if grid.boxes[row] == 1], 2):
        if grid.then[a] != grid.then[b]:
            continue
        mine, other = grid.rows[a], grid.rows[b]
        if mine <= other or other <= mine or not is_box(grid, mine | other):
            continue
        larger = [f for f in groups if mine | other <= grid.of([f.region])]
        assert larger or any(  # a third row may hold one of them and take its place
            mine < grid.rows[c] or other < grid.rows[c]
            for c in grid.live
            if grid.then[c] == grid.then[a]
        )


def is_box(grid, cells):
    """Return whether cells are a product of one run or set per axis."""
    sides = [sorted({cell[i] for cell in cells}) for i in range(len(grid.axes))]
    size = 1
    for side, axis in zip(sides, grid.axes, strict=True):
        size *= len(side)
        places = [list(axis).index(value) for value in side]
        is_run = places == list(range(places[0], places[0] + len(places)))
        if isinstance(side[0], float) and not is_run:
            return False
    return size == len(cells)


@given(tables(policies=(None, "UNIQUE", "ANY", "FIRST", "PRIORITY")))
def test_columns_that_never_matter_change_no_cell(table):
    grid, findings = Grid(table), check(table)
    named = {finding.column for finding in findings.of("columns")}
    if not table.n_rows:
        assert not named
        return
    order = [table.rows[place] for place in table.winning] if table.is_ordered else None
    for i, feature in enumerate(table.space):
        beside = {}
        for cell in grid.cells:
            beside.setdefault(cell[:i] + cell[i + 1 :], set()).add(grid.outcomes(cell, order))
        matters = any(len(outcomes) > 1 for outcomes in beside.values())
        assert (feature.name in named) is (not matters)


# --- texts


def test_the_text_of_a_conflict_starts_with_a_case():
    space = Space([Continuous("age"), Categorical("job", ["nurse", "clerk"])])
    low = Rule({"age": (28, 30), "job": "clerk"}, then="low")
    rules = RuleSet([low, Rule({"age": (29, 60)}, then="high")], space)
    assert texts(check(rules), "conflicts") == [
        "age = 29, job = clerk: rule 1 says low, rule 2 says high"
        " (wherever 29 <= age < 30 and job in {clerk})"
    ]


def test_an_overlap_is_a_note_in_a_set_and_an_error_in_a_unique_table():
    rules = ages(((0, 10), "A"), ((5, 20), "A"))
    table = DecisionTable.from_rules(rules)
    notes, errors = check(table), check(table.under("UNIQUE"))
    line = "age = 8: rules 1 and 2 both say A (wherever 5 <= age < 10)"
    assert texts(notes, "overlaps") == texts(errors, "overlaps") == [line]
    assert (notes.fails(), errors.fails()) == (False, True)
    assert notes.is_consistent
    assert errors.is_consistent  # they agree, so there is no contradiction
    assert not check(table.under("ANY")).of("overlaps")
    assert not check(table.under("COLLECT")).of("overlaps")


def test_texts_number_rows_rather_than_rules():
    rules = ages(((None, 18), "A"), ((60, None), "A"), ((50, 70), "B"))
    findings = check(DecisionTable(rules, rows=(0, 0, 1), n_rows=2))
    assert texts(findings, "conflicts") == [
        "age = 60: rule 1 says A, rule 2 says B (wherever 60 <= age < 70)"
    ]


def test_the_texts_of_redundant_rules():
    spans = [(0, 10), (0, 10), (2, 3), (8, 20), (5, 15)]
    findings = check(ages(*((span, "A") for span in spans)))
    assert texts(findings, "duplicates") == ["rules 1 and 2 are identical"]
    assert texts(findings, "inside") == [
        "rule 3 is redundant: rule 1 says the same wherever rule 3 applies",
        "rule 5 is redundant: rules 1 and 4 together say the same wherever rule 5 applies",
    ]
    assert texts(findings, "mergeable") == ["rules 1 and 4 can be merged into one: 0 <= age < 20"]
    # of two values of a category, and without an upper bound, too
    space = Space([Categorical("c", ["u", "v", "w"])])
    pair = RuleSet([Rule({"c": {value}}, then="A") for value in "uv"], space)
    assert texts(check(pair), "mergeable") == ["rules 1 and 2 can be merged into one: c in {u, v}"]
    rules = ages(((10, None), "A"), ((5, 12), "A"), ((0, 5), "A"), ((-9, -5), "A"))
    assert texts(check(rules), "mergeable") == ["rules 1, 2 and 3 can be merged into one: age >= 0"]


def test_the_texts_of_rules_that_never_fire():
    rules = RuleList.from_rules(
        ages(((0, 10), "A"), ((10, 20), "B"), ((5, 15), "C"), ((5, 25), "A"))
    )
    findings = check(rules)
    assert texts(findings, "never_fire") == [
        "rule 3 never fires: wherever it applies, rules 1 and 2 take precedence"
    ]
    assert not findings.of("conflicts")
    assert not findings.fails()
    assert findings.fails(["never_fire"])
    table = DecisionTable(ages(((0, 10), "A")), rows=(1,), n_rows=2, hit_policy="UNIQUE")
    assert texts(check(table), "never_fire") == [
        "rule 1 never fires: its conditions can never be met"
    ]
    table = DecisionTable(
        ages(((0, 10), "A")),
        (1,),
        2,
        provenance=Provenance(reasons=((0, "column 'age' asks for -1"),)),
    )
    assert texts(check(table), "never_fire") == ["rule 1 never fires: column 'age' asks for -1"]
    table = DecisionTable.from_rules(ages(((0, 10), "low"), ((0, 20), "high"))).under("PRIORITY")
    ranked = replace(table, ranking=("high", "low"))
    assert texts(check(ranked), "never_fire") == [
        "rule 1 never fires: wherever it applies, rule 2 takes precedence"
    ]


def test_a_row_with_several_intervals_is_inside_another():
    rules = ages(((None, 1), "y"), ((5, None), "y"), ((None, None), "y"))
    findings = check(DecisionTable(rules, (0, 0, 1), 2))
    assert [(f.rules, f.by) for f in findings.of("inside")] == [((0,), (1,))]


def test_under_rule_order_only_neighbors_are_mergeable():
    rules = ages(((0, 1), "X"), ((0, 2), "Y"), ((1, 2), "X"), ((2, 3), "X"))
    table = DecisionTable.from_rules(rules)
    assert texts(check(table.under("RULE ORDER")), "mergeable") == [
        "rules 3 and 4 can be merged into one: 1 <= age < 3"
    ]
    assert check(table.under("COLLECT")).count("mergeable") > 1


def test_columns_of_a_long_ordered_table_are_unfinished():
    rules = ages(*(((i, i + 1), "A") for i in range(400)))
    findings = check(RuleList.from_rules(rules))
    assert findings.unfinished == ("columns",)
    assert check(RuleList.from_rules(rules[:20])).unfinished == ()


def test_a_column_that_excludes_only_impossible_cases_never_matters():
    hole = {"n": {">": 10, "<": 20}}
    space = Space([Continuous("n", bounds=(0, 30)), Continuous("m")], impossible=[hole])
    parts = [{"n": {"<=": 10}}, {"n": {">=": 20}}]
    rules = RuleSet([Rule(p | {"m": (0, 1)}, then="A") for p in parts], space)
    findings = check(DecisionTable(rules, (0, 0), 1))
    assert [f.column for f in findings.of("columns")] == ["n"]


def test_the_texts_of_columns_that_never_matter():
    space = Space([Continuous("age"), Categorical("job", ["nurse", "clerk"]), Continuous("pay")])
    jobs = ("clerk", "nurse")
    rules = RuleSet([Rule({"age": (0, 30), "job": job}, then="low") for job in jobs], space)
    assert texts(check(rules), "columns") == [
        "job never matters: removing it changes no decision",
        "pay never matters: no rule depends on it",
    ]


def test_with_a_default_gaps_are_notes_and_columns_can_be_without_effect():
    space = Space([Continuous("age", bounds=(0, 100)), Categorical("job", ["nurse", "clerk"])])
    half = [Rule({"age": (0, 30), "job": "clerk"}, then="low")]
    findings = check(RuleSet(half, space, default="low"))
    assert {f.level for f in findings.of("gaps")} == {"note"}
    assert [f.column for f in findings.of("columns")] == ["age", "job"]
    both = [*half, Rule({"age": (50, 60)}, then="high")]
    assert [f.column for f in check(RuleSet(both, space, default="low")).of("columns")] == ["job"]


def test_impossible_cases_are_not_gaps():
    space = Space([Continuous("n", bounds=(0, 30))])
    rules = RuleSet([Rule({"n": {"<=": 10}}, then="A"), Rule({"n": {">=": 20}}, then="B")], space)
    hole = {"n": {">": 10, "<": 20}}
    assert not check(rules).is_complete
    holed = RuleSet(rules, Space(space, impossible=[hole]))
    assert check(holed).is_complete
    assert not check(holed).of("gaps")


def test_the_text_of_many_rules_is_cut_off_and_all_findings_are_counted():
    rules = ages(*(((0, 10), "A") for _ in range(12)))
    assert texts(check(rules), "duplicates") == [
        "rules 1, 2, 3, 4, 5, 6, 7, 8 and 4 more are identical"
    ]
    rules = ages(*(((0, 10), label) for label in "ABCDEFGH"))
    findings = check(rules, limit=3)
    assert (findings.count("conflicts"), len(findings.of("conflicts"))) == (28, 3)
    assert check(rules, limit=0).fails()


# --- limits and errors


def test_searches_stopped_by_the_budget_are_unfinished():
    cells = [
        Rule({"x": (i, i + 1), "y": (j, j + 1)}, then="A") for i in range(20) for j in range(20)
    ]
    rules = RuleSet([*cells, Rule({"x": (0, 20), "y": (0, 20)}, then="A")])
    findings = check(rules, budget=Budget(nodes=5))
    assert findings.is_complete is None or findings.of("gaps")
    assert {"gaps", "inside"} <= set(findings.unfinished)
    assert findings.fails(["inside"])
    assert set(check(rules).unfinished) == set()


def test_invalid_arguments_are_rejected():
    rules = ages(((0, 10), "A"))
    for call, text in [
        (lambda: check([1, 2]), "must be a RuleSet, a RuleList or a DecisionTable"),
        (lambda: check(rules, limit=-1), "limit must be a non-negative integer or None, got -1"),
        (lambda: check(rules).of("gap"), "unknown kind of finding 'gap'; did you mean 'gaps'"),
        (lambda: check(rules).fails(["conflict"]), "unknown kind of finding 'conflict'"),
    ]:
        with pytest.raises(ConditionError, match=text):
            call()


def test_an_empty_table_has_one_gap_and_rows_of_several_parts_nothing_to_merge():
    assert [f.text for f in check(RuleSet([], AGE))] == ["any case: no rule applies"]
    rules = ages(((0, 10), "A"), ((20, 30), "A"))
    table = DecisionTable(rules, (0, 0), 1, hit_policy="FIRST")
    assert check(table).of("mergeable") == []
