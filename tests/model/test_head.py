"""Heads decide some labels: rules contradict each other label by label, and decide together."""

from __future__ import annotations

import copy
import pickle
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import naive
import naive_heads as slow
import strategies as sts
from irenic import (
    Budget,
    ConditionError,
    ConflictError,
    DataError,
    DecisionTable,
    FormatError,
    Overlap,
    Region,
    Rule,
    RuleList,
    RuleSet,
    SeedError,
    best_region,
    check,
    complete,
    diff,
    dumps,
    enlarge,
    enlarge_many,
    loads,
    merge,
    repair,
    report,
    search,
    to_python,
)
from irenic.learn import predict_table
from irenic.model import CoverageMap, Head
from irenic.model.head import contradicts, implies
from irenic.searching import paths
from refusals import refuses, rejects

LABELS = "xyz"
THENS = [
    *(frozenset(s) for s in ("", "x", "xy", "yz")),
    *(
        Head({label: sign for label, sign in zip(LABELS, signs, strict=True) if sign is not None})
        for signs in product((True, False, None), repeat=3)
        if any(sign is not None for sign in signs)
    ),
]
THEN = st.sampled_from(THENS)
DEFAULT = st.sampled_from([None, frozenset(), frozenset("x"), frozenset("yz")])


@st.composite
def rule_sets(draw, *, consistent=False, max_size=6):
    space = draw(sts.spaces(2))
    rules: list[Rule] = []
    for _ in range(draw(st.integers(1, max_size))):
        weight = draw(st.sampled_from([1.0, 1.0, 2.0, 0.5]))
        rule = Rule(draw(sts.regions(space)), then=draw(THEN), weight=weight)
        if not consistent or not slow.conflicts([*rules, rule]):
            rules.append(rule)
    return RuleSet(rules, space, default=draw(DEFAULT))


def cells_of(rules, most=40):
    cells = naive.cells_of(naive.grid(rules.space, [rule.region for rule in rules]))
    return cells[:: max(1, len(cells) // most)]


# --- heads


def test_a_mapping_becomes_a_head():
    rule = Rule({"f1": (0, 5)}, then={"x": True, "y": np.False_})
    assert rule.then == Head({"x": True, "y": False}) == {"y": False, "x": True}
    assert rule.then != Head({"x": True}) != {"x": False}
    assert rule.then.present == {"x"}
    assert rule.then.absent == {"y"}
    assert dict(rule.then) == {"x": True, "y": False}
    assert list(rule.then) == ["x", "y"]
    assert "z" not in rule.then
    assert repr(rule) == "IF 0 <= f1 < 5 THEN {x = true, y = false}"
    assert hash(rule) == hash(Rule({"f1": (0, 5)}, then={"y": False, "x": True}))
    assert pickle.loads(pickle.dumps(rule)) == copy.deepcopy(rule) == rule
    with pytest.raises(KeyError, match="z"):
        rule.then["z"]
    with pytest.raises(AttributeError, match="a Head is immutable; create a new one"):
        rule.then.present = frozenset()


def test_invalid_heads_and_defaults_are_rejected():
    default = r"default must decide all labels, got \{x = true\}; use a set of the labels"
    rules = RuleSet([], Region.parse("f1 < 5").space)
    for message, make in {
        r"a head must decide at least one label, got none; use set\(\) for no labels at all": (
            lambda: Rule({}, then={})
        ),
        "a head must map labels to True or False, got None for 'x'": (
            lambda: Rule({}, then={"x": None})
        ),
        "a consequent must not be None": lambda: Rule({}, then={None: True}),
        default: lambda: RuleSet([], rules.space, default={"x": True}),
        f"^{default}": lambda: rules.predict([], default={"x": True}),
    }.items():
        refuses(ConditionError, message, make)


def test_consequents_are_compared_label_by_label():
    for a, b in product(THENS, THENS):
        assert contradicts(a, b) == contradicts(b, a) == slow.clash(a, b, LABELS), (a, b)
        pairs = [(slow.decision(a, name), slow.decision(b, name)) for name in [*LABELS, "other"]]
        assert implies(a, b) == all(second in (None, first) for first, second in pairs), (a, b)


def test_a_head_contradicts_a_label_that_is_no_set():
    assert contradicts(Head({"x": True}), "x")
    assert contradicts("x", Head({"x": True}))
    rules = RuleSet([Rule({"f1": (0, 5)}, then={"x": True}), Rule({"f1": (5, 9)}, then="x")])
    message = "rule 2 must predict a set of labels, because other rules decide only some labels"
    refuses(ConditionError, f"{message}, got x", rules.predict, {"f1": [1]})
    rules = RuleSet([Rule({"f1": (0, 5)}, then={"x": True})], default="x")
    with pytest.raises(ConditionError, match=r"default must be a set of labels .* got 'x'"):
        rules.predict({"f1": [1]})


@given(rule_sets(), THEN, st.data())
def test_conflicts_overlaps_and_rivals_are_those_of_the_cells(rules, then, data):
    expected = slow.conflicts(rules)
    assert [tuple(pair) for pair in rules.conflicts().pairs.tolist()] == expected
    assert [tuple(pair) for pair in rules.overlaps().pairs.tolist()] == slow.overlaps(rules)
    assert rules.is_consistent == rules.copy().is_consistent == (not expected)
    assert len(rules.conflicts(limit=1)) == min(1, len(expected))
    for a, b in expected:
        assert not rules[a].agrees_with(rules[b])
    if expected:
        with pytest.raises(ConflictError, match="the rules contradict each other"):
            rules.predict(naive.instances(rules.space, cells_of(rules)))
    region = data.draw(sts.regions(rules.space))
    rule = Rule(region, then=then)
    clashing = {i for i, j in slow.conflicts([*rules, rule]) if j == len(rules)}
    assert set(rules.rivals_of(region, then).tolist()) == clashing
    taken = rules[list(range(len(rules)))]
    assert (taken.rival_mask(then) == rules.rival_mask(then)).all()
    if clashing:
        with pytest.raises(ConflictError) as caught:
            rules.add(rule)
        assert {conflict.first for conflict in caught.value.conflicts} == clashing
    else:
        rules.add(rule)
        assert len(slow.conflicts(rules)) == len(slow.conflicts(taken))


def test_the_error_names_the_heads():
    rules = RuleSet([Rule({"f1": (0, 5)}, then={"x": True})])
    rules.add(Rule({"f1": (0, 9)}, then={"y": True}))
    message = (
        r"rule 3 \(IF 4 <= f1 < 9 THEN \{x = false\}\) contradicts rule 1"
        r" \(IF 0 <= f1 < 5 THEN \{x = true\}\): both hold where 4 <= f1 < 5"
    )
    refuses(ConflictError, message, rules.add, Rule({"f1": (4, 9)}, then={"x": False}))
    with pytest.raises(SeedError, match=r"covered by rule 1 .*, a rival of \{x = false\}"):
        enlarge(rules, {"f1": 1}, consequent={"x": False})
    assert str(Overlap(0, 1, (rules[0], rules[1]))) == (
        "rules 1 and 2 say {x = true} and {y = true}, which agree, where 0 <= f1 < 5, for example"
        " at f1 = 2"
    )


# --- free regions


@given(rule_sets(), THEN, st.data())
@sts.examples(0.6)
def test_a_region_grown_for_a_head_is_free_and_maximal(rules, then, data):
    cells = cells_of(rules)
    rivals = [rule for rule in rules if slow.clash(rule.then, then, LABELS)]
    free = [cell for cell in cells if not naive.covering(rivals, cell)]
    taken = [c for c in cells if naive.covering(rivals, c) and is_readable(rules.space, c)]
    assume(free)
    cell = data.draw(st.sampled_from(free))
    seed = naive.instances(rules.space, [cell])
    region = enlarge(rules, seed, consequent=then)
    assert naive.holds(region, cell)
    last = len(rules)
    assert not [pair for pair in slow.conflicts([*rules, Rule(region, then=then)]) if last in pair]
    # the same as with the rivals alone, for which growth is compared with an oracle elsewhere
    alone = RuleSet(rivals, rules.space)
    assert region == enlarge(alone, seed)
    assert enlarge_many(rules, seed, consequent=then) == [region]
    assert enlarge(rules, Rule(region, then=then)) == region
    assert best_region(rules, seed, seed, consequent=then).region == (
        best_region(alone, seed, seed).region
    )
    assert list(search(rules, consequent=then)) == list(search(alone))
    assert [p.region for p in paths(rules, consequent=then)] == [p.region for p in paths(alone)]
    if taken:
        wrong = naive.instances(rules.space, [taken[0]])
        with pytest.raises(SeedError) as one:
            enlarge(rules, wrong, consequent=then)
        rejects(SeedError, f"row 1: {one.value}", enlarge_many, rules, wrong, consequent=then)
        with pytest.raises(SeedError):
            best_region(rules, wrong, wrong, consequent=then)


def is_readable(space, cell):
    """Return whether an error can show a cell: dates beyond the calendar cannot be shown."""
    try:
        return bool(naive.instances(space, [cell])[0])
    except DataError:
        return False


@given(rule_sets(), st.data())
def test_seeds_with_several_heads_grow_between_their_own_rivals(rules, data):
    cells = cells_of(rules)
    seeds, thens = [], []
    for cell in data.draw(st.lists(st.sampled_from(cells), min_size=1, max_size=4)):
        then = data.draw(st.sampled_from([None, *THENS]))
        near = [rules[i].then for i in naive.covering(rules, cell)]
        if not any(then is None or slow.clash(other, then, LABELS) for other in near):
            seeds.append(cell)
            thens.append(then)
    assume(seeds)
    points = naive.instances(rules.space, seeds)
    expected = [
        enlarge(rules, points.take([row]), consequent=then) for row, then in enumerate(thens)
    ]
    assert enlarge_many(rules, points, consequents=thens) == expected


@given(rule_sets(), st.lists(THEN, max_size=3), st.data())
def test_a_coverage_map_follows_heads(rules, thens, data):
    cells = cells_of(rules)
    rules = rules.copy()
    coverage = CoverageMap(rules, naive.instances(rules.space, cells))
    for then in thens:
        coverage.free(then)
    rules.add(Rule(data.draw(sts.regions(rules.space)), then=data.draw(THEN)), force=True)
    rules.remove(0)
    for then in thens:
        rivals = [rule for rule in rules if slow.clash(rule.then, then, LABELS)]
        free = [i for i, cell in enumerate(cells) if not naive.covering(rivals, cell)]
        assert coverage.free(then).tolist() == free


# --- predictions


@given(rule_sets(), st.sampled_from(["first", "best", "vote"]), st.data())
def test_each_label_is_decided_as_at_the_cells(rules, resolve, data):
    cells = cells_of(rules)
    X = naive.instances(rules.space, cells)
    # without heads whole sets win, not labels
    predict = slow.predict if rules.is_partial else naive.predict
    expected = [predict(rules, cell, resolve, rules.default) for cell in cells]
    assert rules.predict(X, resolve=resolve).tolist() == expected
    assert [e.then for e in rules.explain(X, resolve=resolve)] == expected
    covered = [bool(naive.covering(rules, cell)) for cell in cells]
    assert (rules.decide(X, resolve=resolve) >= 0).tolist() == covered
    # confidence is the share of sets that agree
    sets = st.lists(st.sampled_from(THENS[:4]), min_size=4, max_size=4)
    y = (data.draw(sets) * len(cells))[: len(cells)]
    stats = rules.statistics(X, y)
    for rule, support, confidence in zip(rules, stats.support, stats.confidence, strict=True):
        own = [s for s, cell in zip(y, cells, strict=True) if naive.holds(rule.region, cell)]
        agree = [not slow.clash(rule.then, s, LABELS) for s in own]
        assert support == len(own)
        assert confidence == pytest.approx(np.mean(agree)) if own else np.isnan(confidence)


@given(rule_sets(consistent=True))
def test_consistent_rules_decide_together_in_any_order(rules):
    cells = cells_of(rules)
    X = naive.instances(rules.space, cells)
    expected = rules.predict(X).tolist()
    assert expected == [slow.predict(rules, cell, default=rules.default) for cell in cells]
    for resolve in ("first", "best", "vote") if rules.is_partial else ():
        assert rules.predict(X, resolve=resolve).tolist() == expected
    for same in (rules[::-1], rules.simplified(), merge(rules).rules):
        assert same.predict(X).tolist() == expected
    completed = complete(rules).rules
    assert completed.is_consistent
    assert all(naive.covering(completed, cell) for cell in cells)
    findings = check(rules)
    for finding in findings.of("inside"):
        rest = rules[[i for i in range(len(rules)) if i not in finding.rules]]
        assert rest.predict(X).tolist() == expected
    for finding in findings.of("columns"):
        place = rules.space.index(finding.column)
        by_rest: dict = {}
        for cell, then in zip(cells, expected, strict=True):
            by_rest.setdefault((*cell[:place], *cell[place + 1 :]), set()).add(then)
        assert all(len(thens) == 1 for thens in by_rest.values())


def test_an_explanation_lists_all_rules_that_decide():
    rules = RuleSet(
        [Rule({"f1": (0, 5)}, then={"x": True}), Rule({"f1": (3, 9)}, then={"y": False})],
        default={"y", "z"},
    )
    one, both, other, none = rules.explain({"f1": [1, 4, 8, 20]})
    assert (one.then, one.rules) == (frozenset("xyz"), (0,))
    assert (both.then, both.rules) == (frozenset("xz"), (0, 1))
    assert (other.then, other.rules) == (frozenset("z"), (1,))
    assert (none.then, none.rules) == (frozenset("yz"), ())
    assert both.text == ("{x, z}, by rules 1, 2, because 3 <= f1 < 5; other labels by default")
    columns = predict_table(rules, {"f1": [4, 20]}, explain=True)
    assert columns["prediction"].tolist() == ["x; z", "y; z"]
    assert columns["rule"].tolist() == [
        f"{rules[0]}; {rules[1]}",
        f"default: {Rule({'f1': (9, None)}, then={'y', 'z'})}",
    ]
    rules = RuleSet([rules[0], Rule({"f1": (3, 9)}, then={"x": False})])
    (reason,) = rules.explain({"f1": [4]}, resolve="first")
    assert (reason.then, reason.rules) == (frozenset("x"), (0,))
    assert reason.text == "{x}, by rule 1, because 3 <= f1 < 5 (against rule 2)"


# --- mending and checking


@given(rule_sets(), st.sampled_from(["drop", "trim", "split"]), st.booleans())
def test_repaired_rules_decide_no_label_differently(rules, how, with_data):
    cells = cells_of(rules)
    X = naive.instances(rules.space, cells)
    data = {"X": X, "y": [frozenset("x")] * len(cells)} if with_data else {}
    mended, changes = repair(rules, how, **data)
    assert not slow.conflicts(mended)
    if not slow.conflicts(rules):
        assert not changes
    for rule in mended:  # nothing is added
        old = [r for r in rules if r.then == rule.then]
        assert all(naive.covering(old, c) for c in cells if naive.holds(rule.region, c))


@given(rule_sets(consistent=True, max_size=4), rule_sets(consistent=True, max_size=4))
def test_differences_are_the_cells_with_other_predictions(a, b):
    b = RuleSet([Rule({}, then=rule.then).cast(a.space) for rule in b[:1]] + list(a[1:]), a.space)
    assume(b.is_consistent)
    found = diff(a, b)
    assert found.finished
    for cell in cells_of(a):
        before, after = (slow.predict(r, cell, default=r.default) for r in (a, b))
        near = [d for d in found if naive.holds(d.region, cell)]
        assert len(near) == (before != after)
        for difference in near:
            assert (difference.before, difference.after) == (before, after)
            assert set(naive.covering(a, cell)) <= set(difference.rules_before)


def test_a_difference_lists_the_rules_that_decide_together():
    old = RuleSet([Rule({"f1": (0, 5)}, then={"x": True}), Rule({"f1": (3, 9)}, then={"y": True})])
    new = RuleSet([Rule({"f1": (0, 5)}, then={"x"})])
    assert [d.text for d in diff(old, new)] == [
        "where 3 <= f1 < 5: {x, y} (rules 1, 2) becomes {x} (rule 1), for example at f1 = 4",
        "where 5 <= f1 < 9: {y} (rule 2) becomes nothing, for example at f1 = 7",
    ]
    stopped = diff(old, new, budget=Budget(nodes=0))
    assert (len(stopped), stopped.same) == (0, None)


def test_a_check_lists_agreeing_heads_as_overlaps():
    rules = RuleSet(
        [
            Rule({"f1": (0, 5)}, then={"x": True}),
            Rule({"f1": (3, 9)}, then={"y": True}),
            Rule({"f1": (4, None)}, then={"x": False}),
            Rule({"f1": (1, 2)}, then={"x": True}),
        ]
    )
    findings = [(f.kind, str(f)) for f in check(rules) if f.kind != "gaps"]
    assert findings == [
        (
            "conflicts",
            "f1 = 4: rule 1 says {x = true}, rule 3 says {x = false} (wherever 4 <= f1 < 5)",
        ),
        (
            "overlaps",
            "f1 = 4: rules 1 and 2 say {x = true} and {y = true}, which agree"
            " (wherever 3 <= f1 < 5)",
        ),
        ("overlaps", "f1 = 1: rules 1 and 4 both say {x = true} (wherever 1 <= f1 < 2)"),
        (
            "overlaps",
            "f1 = 6: rules 2 and 3 say {y = true} and {x = false}, which agree"
            " (wherever 4 <= f1 < 9)",
        ),
        ("inside", "rule 4 is redundant: rule 1 says the same wherever rule 4 applies"),
    ]


# --- files


@given(rule_sets())
@sts.examples(0.4)
def test_rules_read_back_are_equal(rules):
    for form in ("json", "rules", "csv", "xlsx"):
        back = loads(dumps(rules, format=form), format=form, space=rules.space)
        assert back == rules
    assert loads(dumps(rules, format="json"), format="json") == rules


def test_labels_of_any_kind_read_back_as_equal():
    for head in (
        {"x y": True, "=": False, "true": True},
        {1: True, "1": False, 2.5: True},
        {("a", 1): True, frozenset("b"): False},
        {True: False},
    ):
        rules = RuleSet([Rule({"f1": (0, 5)}, then=head)])
        for form in ("json", "rules", "csv"):
            back = loads(dumps(rules, format=form), format=form, space=rules.space)
            assert back == rules, (head, form)
            assert sorted(map(repr, back[0].then)) == sorted(map(repr, rules[0].then))


def json_of(then):
    return f'{{"version": 1, "rules": [{{"if": {{"a": {{"<": 1}}}}, "then": {then}}}]}}'


@pytest.mark.parametrize(
    ("form", "text", "message"),
    [
        ("rules", "IF a < 1 THEN {x = true, x = false}", "line 1, column 26: x appears twice"),
        ("rules", "IF a < 1 THEN {x = 1}", "column 20: expected true or false, found '1'"),
        ("rules", "IF a < 1 THEN {x = true, y}",
         "expected '= true' or '= false' after y, found '}'"),
        ("rules", "IF a < 1 THEN {x = true", "expected ',' or '}', found the end of the line"),
        ("rules", "IF a < 1 THEN ({x = true})", "expected ',' or '}', found '='"),
        ("rules", "IF a = {x = true} THEN b", "expected ',' or '}', found '='"),
        ("rules", "DEFAULT {x = true}", r"default must decide all labels, got {x = true}"),
        ("json", json_of('{"head": {}}'), "a head must decide at least one label"),
        ("json", json_of('{"head": ["x"]}'),
         'a head must be {"head": {"present": […], "absent": […]}}, got'),
        ("json", json_of('{"head": {"present": "x"}}'), "a head must be"),
        ("json", json_of('{"head": {"there": ["x"]}}'), "a head must be"),
        ("json", json_of('{"head": {"present": ["x"], "absent": ["x"]}}'),
         "x appears twice in a head"),
        ("json", json_of('{"tuple": [{"head": {"present": ["x"]}}]}'), "is not a value"),
        ("json", '{"version": 1, "rules": [], "default": {"head": {"present": ["x"]}}}', ""),
        ("csv", "f1,then\n< 5,{x = true}\nDEFAULT,{y = true}\n",
         "the DEFAULT row must decide all"),
        ("csv", "F,f1,then\n1,< 5,{x = true}\n", "the hit policy FIRST cannot represent rules"),
        ("csv", "C,f1,then\n1,< 5,{x = true}\n", "the hit policy COLLECT cannot represent rules"),
    ],
)  # fmt: skip
def test_errors_in_the_file_of_a_head(form, text, message):
    with pytest.raises(FormatError) as caught:
        loads(text, format=form)
    assert message in str(caught.value)


def test_heads_are_written_and_shown_with_absent_labels():
    rules = RuleSet([Rule({"f1": (0, 5)}, then={"x": True, "y": False})])
    assert '"then": {"head": {"present": ["x"], "absent": ["y"]}}' in dumps(rules, format="json")
    ordered = dumps(rules, format="json").replace('"rules":', '"ordered": true, "rules":')
    with pytest.raises(FormatError, match="a rule list cannot represent rules that decide only"):
        loads(ordered, format="json")
    rules = RuleSet([Rule({"f1": (0, 5)}, then={"x": True, "y": False})])
    assert "not <span" in rules._repr_html_()
    assert "not <span" in rules[0]._repr_html_()
    assert rules.to_frame("pandas")["then"].tolist() == ["{x = true, y = false}"]
    rules = RuleSet([Rule({"f1": (0, 5)}, then={"x": True}), Rule({"f1": (6, 7)}, then="a")])
    assert rules.is_partial
    rules.remove(0)
    assert not rules.is_partial
    assert rules.predict({"f1": [6]}).tolist() == ["a"]
    assert rules.decider()({"f1": 6}) == "a"


def test_forms_in_which_one_rule_decides_refuse_heads():
    rules = RuleSet([Rule({"f1": (0, 5)}, then={"x": True})], default=set())
    refused = "cannot represent rules that decide only some labels, such as rule 1"
    message = (
        r"a decider cannot represent rules that decide only some labels, such as rule 1"
        r" \(IF 0 <= f1 < 5 THEN \{x = true\}\); predict\(X\) decides several records"
    )
    refuses(ConditionError, message, rules.decider)
    for form in ("dmn", "py"):
        refuses(FormatError, refused, dumps, rules, format=form)
    refuses(FormatError, refused, to_python, rules, resolve="first")
    for make in (
        RuleList.from_rules,
        RuleList,
        report,
        lambda rules: DecisionTable.from_rules(rules).under("FIRST"),
        lambda rules: DecisionTable.from_rules(rules).under("COLLECT"),
    ):
        refuses(ConditionError, refused, make, rules)
