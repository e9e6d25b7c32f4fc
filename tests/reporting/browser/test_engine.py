"""The page decides, grows regions, reads and writes values exactly as Python does."""

from __future__ import annotations

import datetime as dt
import itertools
import math
import re
from functools import cache

import numpy as np
import pytest

import irenic
from irenic import (
    Categorical,
    Continuous,
    DecisionTable,
    Region,
    Rule,
    RuleList,
    RuleSet,
    Space,
)
from irenic.errors import ConditionError, DataError, SeedError
from irenic.model.features import LOWEST
from irenic.model.literals import Months, Prefix
from irenic.model.space import Instances
from irenic.reporting.encoding import encode_box, encode_columns
from irenic.reporting.summarize import summarize
from irenic.searching.explaining import Deciding, explained
from tests.learn.fitting import people, quick
from tests.reporting.browser import steps
from tests.reporting.browser.steps import drawn, fill_form, rule_set

N = 120
# Names that need quotes, and names of properties that every JavaScript object has.
SPACE = Space(
    [
        Continuous("f1", missing=True),
        Categorical("color", ["a", "b c", "missing", 5, "5", True], missing=True, other=True),
        Continuous("constructor", bounds=(0, 10)),
        Continuous("in", kind="integer", bounds=(-3, 9), missing=True),
        Continuous('say "hi"', kind="date"),
        Categorical("__proto__", [f"v{i}" for i in range(70)], missing=True),
        Continuous("größe", kind="duration", missing=True),
        Continuous("P1D", kind="months", bounds=(Months(0), None)),
        Categorical("low risk", ["x", Prefix("xy"), "xyz", Prefix("x"), Prefix("a b")], other=True),
    ]
)
GRID = {
    "f1": [-1, 0, 0.1, 2.5, 5, 1e300],
    "constructor": [0, 2.5, 5, 7, 10],
    "in": [-3, -1, 0, 2, 3, 9],
    'say "hi"': [dt.date(2020, 1, d) for d in (1, 2, 15, 30)],
    "größe": [dt.timedelta(hours=h) for h in (-1, 0, 1, 30)],
    "P1D": [Months(m) for m in (0, 1, 12, 26)],
}


# --- random rules and cases


def random_condition(feature, rng):
    if isinstance(feature, Categorical):
        values = [feature.values[i] for i in rng.permutation(len(feature.values))]
        named = values[: rng.integers(1, len(values) + 1)]
        return {str(rng.choice(["in", "not in"])): named} | (
            {"missing": bool(rng.random() < 0.5)} if rng.random() < 0.4 else {}
        )
    kind = rng.integers(8)
    if kind == 0:
        return {"missing": bool(rng.random() < 0.5)}
    bounds = sorted(rng.choice(len(GRID[feature.name]), 2, replace=False))
    low, high = (GRID[feature.name][i] for i in bounds)
    lower, upper = str(rng.choice([">", ">="])), str(rng.choice(["<", "<="]))
    if kind == 1:
        return {"=": low}
    if kind == 2:
        return {upper: high, "missing": True}
    return [{lower: low}, {upper: high}, {lower: low, upper: high}][kind % 3]


def random_region(rng, least, limit):
    names = rng.choice(len(SPACE), rng.integers(least, limit + 1), replace=False)
    found = {}
    for place in names:
        feature = SPACE.features[place]
        condition = random_condition(feature, rng)
        try:
            Region(SPACE, {feature.name: condition})
        except ConditionError:
            continue  # it can never hold
        found[feature.name] = condition
    return Region(SPACE, found)


def random_rules(rng, n=14, conditions=(1, 3)):
    # weights with ties, and with sums that depend on the order of addition
    rules = []
    for _ in range(n):
        region, then = random_region(rng, *conditions), str(rng.choice(list("CAB")))
        rules.append(Rule(region, then=then, weight=float(rng.choice([0.1, 0.2, 0.3, 1, 1]))))
    return RuleSet(rules, SPACE, default="D" if rng.random() < 0.5 else None)


def random_instances(rng, rules, n=N):
    """Return cases, many of them exactly at a cut or just below."""
    sampled = Region(SPACE).sample(n, random_state=int(rng.integers(1000)))
    values, codes = sampled.values.copy(), sampled.codes.copy()
    for row, feature in enumerate(SPACE.continuous):
        cuts = [c for c in (*rules.lower[row], *rules.upper[row]) if math.isfinite(c)]
        near = [c for c in cuts if c != LOWEST]
        near += [feature.before(c) for c in near] + ([-math.inf] if feature.missing else [])
        near = [v for v in near if feature.admits(v)]
        chosen = rng.random(n) < 0.7
        if near:
            values[row, chosen] = rng.choice(near, chosen.sum())
    return Instances(SPACE, values, codes)


def cases_of(instances):
    columns = encode_columns(instances)
    return [{name: columns[name][i] for name in columns} for i in range(len(instances))]


@cache
def drawn_rules(seed, n=14, conditions=(1, 3), **options):
    """Return rules at random, cases near their cuts, and the summary of the rules."""
    rng = np.random.default_rng(seed)
    rules = random_rules(rng, n, conditions)
    if options:
        rules = RuleSet(rules, SPACE, **options)
    return rules, random_instances(rng, rules), summarize(rules, budget=0.1)


@cache
def of_space():
    """Return the summary of no rules over the features of random rules."""
    return summarize(RuleSet(space=SPACE))


GIVEN = """const { summary } = irenic; const model = given.model ?? summary.models[0];
    summary.decides.how = given.how ?? summary.decides.how;"""


def ask(page, script, summary=None, **given):
    """Run a script on data, with the rules of another summary over the same features."""
    if summary is not None:
        given = {"model": summary["models"][0], "how": summary["decides"]["how"]} | given
    return steps.ask(page, script, GIVEN, **given)


# --- deciding


def decided(page, cases, summary=None, **given):
    script = "given.cases.map((each) => irenic.decideCase(model, each))"
    return ask(page, script, summary, cases=cases, **given)


def expect_decisions(found, summary, covering, places, predicted):
    """Compare answers with the deciding rule (-1: none) and the prediction."""
    texts = [outcome["value"] for outcome in summary["outcomes"]]
    held = [np.flatnonzero(row).tolist() for row in covering]
    assert [answer["rules"] for answer in found] == held
    assert [answer["rule"] for answer in found] == [None if p < 0 else p for p in places]
    said = [None if a["outcome"] is None else texts[a["outcome"]] for a in found]
    assert said == list(predicted)


@pytest.mark.parametrize("how", ["best", "vote"])
def test_weighted_rules_decide_as_in_python(page_of, how):
    rules, instances, summary = drawn_rules(0)
    page = page_of(of_space(), keep=True)
    found = decided(page, cases_of(instances), summary, how=how)
    places = rules.decide(instances, resolve=how).tolist()
    predicted = rules.predict(instances, resolve=how)
    expect_decisions(found, summary, rules.covering(instances), places, predicted)
    assert len({p for p in places if p >= 0}) > 3


@pytest.mark.parametrize("policy", ["FIRST", "PRIORITY"])
def test_ordered_rules_decide_as_in_python(page_of, policy):
    rules, instances, _ = drawn_rules(2)
    table = DecisionTable(rules, tuple(range(14)), 14, hit_policy=policy, ranking=("B", "C", "A"))
    summary = summarize(table, budget=0.1)
    found = decided(page_of(of_space(), keep=True), cases_of(instances), summary)
    ordered, winning = table.as_rules(), [*table.winning, -1]
    assert isinstance(ordered, RuleList)
    places = [winning[place] for place in ordered.decide(instances)]
    predicted = ordered.predict(instances)
    expect_decisions(found, summary, rules.covering(instances), places, predicted)
    assert (policy == "PRIORITY") == (table.winning != list(range(14)))


def test_rules_that_must_agree_decide_as_in_python(page_of):
    rules, instances, summary = drawn_rules(3, 8)
    found = decided(page_of(of_space(), keep=True), cases_of(instances), summary)
    covering = rules.covering(instances)
    torn = [len({rules[int(i)].then for i in np.flatnonzero(row)}) > 1 for row in covering]
    assert [answer["contradicted"] for answer in found] == torn
    assert set(torn) == {True, False}
    places, predicted = (way(instances, resolve="first") for way in (rules.decide, rules.predict))
    places = np.where(torn, -1, places).tolist()
    predicted = [None if t else p for t, p in zip(torn, predicted, strict=True)]
    expect_decisions(found, summary, covering, places, predicted)


def test_all_rules_that_hold_count(page_of):
    rules, instances, _ = drawn_rules(5)
    table = DecisionTable(rules, tuple(range(14)), 14, hit_policy="COLLECT")
    summary = summarize(table, budget=0.1)
    found = decided(page_of(of_space(), keep=True), cases_of(instances), summary)
    for answer, row in zip(found, rules.covering(instances), strict=True):
        thens = [rules[int(i)].then for i in np.flatnonzero(row)]
        said = [summary["outcomes"][place]["value"] for place in answer["several"]]
        assert said == list(dict.fromkeys(thens))
        single = thens[0] if len(set(thens)) == 1 else rules.default if not thens else None
        place = answer["outcome"]
        assert (None if place is None else summary["outcomes"][place]["value"]) == single


def test_answers_to_partial_cases_hold_for_all_completions(page_of):
    rng = np.random.default_rng(11)
    rules, instances, summary = drawn_rules(11, 6, (2, 3))
    page, cases = page_of(of_space(), keep=True), cases_of(instances)
    known = [{n: v for n, v in case.items() if rng.random() < 0.7} for case in cases]
    names = [set(rule.region.conditions()) for rule in rules]
    script = """given.cases.map((each, i) =>
        [irenic.foresee(model, given.known[i]), irenic.decideCase(model, each)])"""
    for how in ("agree", "first", "all", "best", "vote"):
        found = ask(page, script, summary, cases=cases, known=known, how=how)
        for (foreseen, answer), part in zip(found, known, strict=True):
            sure = {i for i in answer["rules"] if names[i] <= set(part)}
            assert set(foreseen["sure"]) == sure
            assert set(answer["rules"]) <= set(foreseen["possible"])
            if foreseen["settled"] is not None:
                for key in ("outcome", "contradicted"):
                    assert foreseen["settled"][key] == answer[key]
        settled = sum(foreseen["settled"] is not None for foreseen, _ in found)
        assert 10 < settled < N - 10


def test_undecided_partial_cases_have_several_outcomes(page_of):
    pairs = ({"x": {"<": 1}}, "A"), ({"x": {"<": 5}, "y": {"<": 1}}, "B")
    summary = summarize(rule_set("xy", *pairs, default="B"))
    script = "given.known.map((each) => irenic.foresee(model, each))"
    known = [{}, {"x": 0}, {"x": 3}, {"x": 9}, {"y": 9}]
    found = ask(page_of(summary), script, known=known)
    assert [answer["possible"] for answer in found] == [[0, 1], [0, 1], [1], [], [0]]
    assert [answer["sure"] for answer in found] == [[], [0], [], [], []]
    texts = [outcome["value"] for outcome in summary["outcomes"]]
    settled = [answer["settled"] and texts[answer["settled"]["outcome"]] for answer in found]
    assert settled == [None, None, "B", "B", None]


LIMITS = Space(
    [
        Categorical("word", [f"v{i}" for i in range(62)], missing=True, other=True),  # 64 bits
        Continuous("x", missing=True),
        Categorical("many", [f"w{i}" for i in range(130)], missing=True),
    ]
)


def test_extreme_numbers_weights_and_codes_are_exact(page_of):
    """Numbers at the ends of their range, infinite weights, first and last bits of words."""
    high = 1.7976931348623157e308
    numbers = [None, LOWEST, -5e-324, -0.0, 0.0, 5e-324, math.nextafter(high, 0), high]
    ends = [None, *numbers[1:]]
    boxes = [{"x": {">=": a, "<": b}} for a, b in itertools.combinations(numbers[2:], 2) if a < b]
    boxes += [{"x": {">=": a}} for a in numbers[1:]] + [{"x": {"<=": a}} for a in numbers[1:]]
    boxes += [{"x": {"missing": True}}, {"x": {"missing": False}}]
    boxes += [{"word": {"in": [f"v{i}"]}} for i in (0, 29, 30, 61)]
    boxes += [{"word": {"not in": [f"v{i}"]}} for i in (0, 29, 30, 61)]
    boxes += [{"many": {"in": [f"w{i}"]}} for i in (0, 29, 30, 61, 62, 93, 94, 125, 126, 129)]
    weights = itertools.cycle([math.inf, 1.0, 0.1, -math.inf, 1e308, 1e308, 5e-324])
    rules = [
        Rule(Region(LIMITS, box), then="ABC"[i % 3], weight=next(weights))
        for i, box in enumerate(boxes)
    ]
    rules = RuleSet(rules, LIMITS)
    codes = [0, 1, 2, 31, 32, 63], [0, 2, 31, 32, 63, 64, 95, 96, 127, 128, 131]
    points = itertools.product(codes[0], ends, codes[1])
    cases = [dict(zip(("word", "x", "many"), point, strict=True)) for point in points]
    columns = [[case[name] for case in cases] for name in ("x", "word", "many")]
    values = np.array([[-math.inf if x is None else x for x in columns[0]]])
    instances = Instances(LIMITS, values, np.array(columns[1:], dtype=np.int32))
    summary = summarize(rules, budget=0.1, limit=1)
    page = page_of(summary)
    for how in ("first", "best", "vote"):
        found = decided(page, cases, summary, how=how)
        places = rules.decide(instances, resolve=how).tolist()
        predicted = rules.predict(instances, resolve=how)
        expect_decisions(found, summary, rules.covering(instances), places, predicted)
    # a known value alone: all rules that it does not exclude can hold, and none with other features
    script = "given.known.map((each) => irenic.foresee(model, each))"
    tests = [set(rule.region.conditions()) for rule in rules]
    for name in ("word", "x", "many"):
        found = ask(page, script, known=[{name: case[name]} for case in cases])
        others = {i for i, tested in enumerate(tests) if tested != {name}}
        for answer, row in zip(found, rules.covering(instances), strict=True):
            sure = {*np.flatnonzero(row).tolist()} - others
            assert answer["sure"] == sorted(sure)
            assert answer["possible"] == sorted(others | sure)


KERNELS = """const Instance = WebAssembly.Instance;
WebAssembly.Instance = function (module) {
    const { exports } = new Instance(module);
    const malloc = (size) => window.limit-- > 0 ? exports.malloc(size) : 0;
    Object.assign(window, { kernels: exports, limit: Infinity });
    return { exports: { ...exports, malloc } };
};"""


def test_nothing_that_was_computed_stays_in_memory(page_of):
    """Only rules stay there; what calls use is dropped, even if there is not enough of it."""
    rules, instances, _ = drawn_rules(15)
    page = page_of(summarize(rules, list(instances), budget=0.1), script=KERNELS)
    script = """(() => {
        const before = kernels.top();
        const compute = () => {
            for (const each of given.cases) {
                irenic.decideCase(model, each);
                irenic.enlarge(model, each);
                irenic.foresee(model, { f1: each.f1 });
            }
        };
        compute();
        const once = kernels.top();
        compute();
        window.limit = 3;
        try { compute(); } catch (error) { return [before, once, kernels.top(), error.message]; }
    })()"""
    before, once, after, message = ask(page, script, cases=cases_of(instances))
    assert 0 < before == once == after
    assert message == "There is not enough memory to compute this."


def test_uncovered_instances_are_the_same_as_in_python(page_of):
    rules, instances, _ = drawn_rules(12, 6, (2, 3))
    page = page_of(summarize(rules, list(instances), budget=0.1))
    found = ask(page, "[...irenic.uncoveredInstances(model)]")
    assert found == (~rules.covering(instances).any(axis=1)).astype(int).tolist()
    assert 0 < sum(found) < N


# --- regions


def test_regions_are_the_same_as_those_of_enlarge(page_of):
    rules, seeds, summary = drawn_rules(6, 20, (3, 6))
    wanted = [[None, "A", "B", "C"][i % 4] for i in range(N)]
    outcomes = [outcome["value"] for outcome in summary["outcomes"]]
    script = """given.cases.map((each, i) => {
        const box = irenic.enlarge(model, each, given.wanted[i]);
        return { box, text: typeof box.coveredBy === "number" ? null : irenic.boxText(box) };
    })"""
    places = [None if then is None else outcomes.index(then) for then in wanted]
    found = ask(page_of(summary), script, cases=cases_of(seeds), wanted=places)
    grown = 0
    for i, answer in enumerate(found):
        try:
            region = irenic.enlarge(rules, seeds.take([i]), consequent=wanted[i])
        except SeedError as error:
            number = int(re.search(r"covered by rule (\d+)", str(error))[1])
            assert answer["box"] == {"coveredBy": number - 1}
            continue
        grown += 1
        assert answer["box"] == encode_box(region)
        assert bare(answer["text"]) == bare(str(region))
    assert N / 10 < grown < N


REASONS = """given.cases.map((each) => {
    const reason = irenic.reasonOf(model, each, irenic.decideCase(model, each));
    return reason && [reason.region, reason.proved];
})"""


@pytest.mark.parametrize("how", ["agree", "first", "best", "vote"])
@pytest.mark.parametrize("conditions", [(1, 3), (3, 6)])
def test_reasons_are_those_of_explain(page_of, how, conditions):
    # of many rules, some contradict each other in nearly all cases
    rules, cases, summary = drawn_rules(9, 8 if how == "agree" else 20, conditions, default="D")
    page = page_of(of_space(), keep=True)
    if how == "agree":
        held = (np.flatnonzero(row).tolist() for row in rules.covering(cases))
        torn = [len({rules[i].then for i in places}) > 1 for places in held]
        found = ask(page, REASONS, summary, cases=cases_of(cases.take(torn)), how=how)
        assert set(map(str, found)) <= {"None"}
        cases = cases.take(~np.array(torn))
    found = ask(page, REASONS, summary, cases=cases_of(cases), how=how)
    reasons = explained(Deciding.of(rules, None if how == "agree" else how), cases).each()
    assert found == [[encode_box(reason.region), reason.is_proved] for reason in reasons]
    assert any(reason.rules for reason in reasons)


@pytest.mark.parametrize("default", ["D", None])
def test_reasons_leave_out_where_no_case_can_occur(page_of, default):
    rng = np.random.default_rng(11)
    space = Space(SPACE, impossible=[random_region(rng, 1, 2) for _ in range(6)])
    rules, drawn_cases, _ = drawn_rules(9, 20, (1, 3), default="D")
    cases = Instances(space, drawn_cases.values, drawn_cases.codes)
    listed = RuleList(rules, space, default=default)
    found = ask(page_of(summarize(listed, budget=0.1)), REASONS, cases=cases_of(cases))
    reasons = listed.explain(cases)
    assert found == [[encode_box(reason.region), reason.is_proved] for reason in reasons]
    alone = RuleList(rules, SPACE, default=default).explain(drawn_cases)
    assert [str(r.region) for r in alone] != [str(r.region) for r in reasons]


def test_the_reasons_of_a_model_have_the_counts_of_explain(page_of):
    X, y = people(300)
    clf = quick(moves=1000).fit(X[:200], y[:200])
    decisions = clf.explain(X)
    rows = [row for row, decision in enumerate(decisions) if not decision.rules]
    instances = clf.space_.encode(X.iloc[rows])
    chosen = "summary.models[summary.chosen]"
    script = f"""given.cases.map((each) =>
        irenic.reasonOf({chosen}, each, irenic.decideCase({chosen}, each)))"""
    found = ask(page_of(summarize(clf, budget=0.1)), script, cases=cases_of(instances))
    assert found
    for row, reason in zip(rows, found, strict=True):
        assert reason["region"] == encode_box(decisions[row].region)
        assert (reason["counts"] is not None) == decisions[row].counted
        if reason["counts"] is not None:
            assert reason["counts"]["support"] == decisions[row].support[0]
            assert reason["counts"]["confidence"] == decisions[row].confidence[0]


def test_the_rules_that_are_reasons_are_those_of_explain(page_of):
    rng = np.random.default_rng(10)
    same = [Rule(rule.region, then="A") for rule in random_rules(rng, n=20, conditions=(1, 3))]
    rules = RuleSet(same, SPACE, default="D")
    cases = random_instances(rng, rules)
    script = "given.cases.map((each) => irenic.reasonRule(model, irenic.decideCase(model, each)))"
    reasons = np.array([(each.rules or (-1,))[0] for each in rules.explain(cases)])
    assert (reasons != rules.decide(cases)).any()
    labels = rng.choice(["A", "D"], len(cases))
    for counted in [(), (cases, labels)]:  # rules are not chosen by the instances shown
        page = page_of(summarize(rules, *counted, budget=0.1))
        found = ask(page, script, cases=cases_of(cases))
        assert found == [None if place < 0 else place for place in reasons.tolist()]


def test_conditions_are_written_as_in_python_whether_embedded_or_not(page_of):
    rules, _, summary = drawn_rules(8, 60, (1, 4))
    page = page_of(summary)
    assert ask(page, "model.rules.map(irenic.regionText)") == [str(r.region) for r in rules]
    texts = "model.findings.map(({ region }) => region && irenic.regionText(region))"
    found = [finding["region"] for finding in summary["models"][0]["findings"]]
    assert ask(page, texts) == [region and region["text"] for region in found]
    embedded = ask(page, "model.rules.map((rule) => rule.conditions !== undefined)")
    assert 0 < sum(embedded) < len(rules)


def bare(text):
    """Return the text of a region without quotes, which the page omits."""
    return re.sub(r'[\\"]', "", text)


def test_texts_of_single_and_missing_values(page_of):
    rules = rule_set(
        [Continuous("x", missing=True), Continuous("n", kind="integer")],
        *(({"x": {sign: 3}}, "A") for sign in "<>"),
        *(({"n": {sign: 7}, "x": {">=": 3}}, "B") for sign in "<>"),
    )
    page = page_of(summarize(rules))
    script = "given.cases.map((each) => irenic.boxText(irenic.enlarge(model, each, null)))"
    cases = [{"x": 3, "n": 7}, {"x": None, "n": 7}]
    expected = [str(irenic.enlarge(rules, case)) for case in cases]
    assert ask(page, script, cases=cases) == expected == ["x = 3 and n = 7", "x is missing"]
    assert page.evaluate("irenic.boxText({})") == "anything"


# --- values

KINDS = [
    Continuous("number"),
    Continuous("bounded", bounds=(-2.5, 10), missing=True),
    Continuous("integer", kind="integer"),
    Continuous("few", kind="integer", bounds=(0, 9), missing=True),
    Continuous("date", kind="date", missing=True),
    Continuous("datetime", kind="datetime"),
    Continuous("utc", kind="datetime", unit="UTC"),
    Continuous("time", kind="time"),
    Continuous("duration", kind="duration"),
    Continuous("months", kind="months", bounds=(None, Months(120))),
]
TYPED = {
    "number": """0 -0 5 +5 5. .5 -0.5 1e5 1E-5 1e400 1e-400 0.1 9007199254740992 9007199254740993
        1e300 abc 5x 1..2 inf nan 0x10 1e 12345678901234567890 -9007199254740993.5 e5 --5""",
    "date": """2020-01-31 2020-02-30 2020-02-29 2019-02-29 1900-02-29 0001-01-01 9999-12-31
        0000-01-01 2020-13-01 2020-00-10 2020-1-1 20-01-01 2020-01-31T00:00 2020-01-31T00:00:01
        2020-01-31T12:30 2020-01-31T12:30:15.5 2020-01-31T12:30:15.123456 0050-06-07
        1500-03-01T00:00:00.000001 9999-12-31T23:59:59 9999-12-31T23:59:58
        2020-01-31T24:00:01 2020-01-31T12:60 12:30 31.01.2020 tomorrow 2020-01-31T12:30Z
        2020-01-31T12:30+02:00 2020-01-31T00:30:00-11:30 2020-01-31Tx 20200131 20200230 2020-0131
        202001-31 20200131T12:30 2020013""",
    "time": """00:00 12:30 23:59:59.999999 24:01 12:60 12:30:60 9:30 12:30:15.5 noon 2020-01-01
        12:30Z""",
    "span": """P1D PT0S P0D PT1H -PT1H P1DT2H30M PT0.000001S PT1.5S P T PT P1DT P1Y P2M P1Y2M P10Y
        P10Y1M -P1M P-1M P1W 5 P999999999D P1000000000D PT99999999999H P99999DT0.000001S -P0M P0Y
        P9007199254740992M P750599937895083Y""",
}


def typed_for(feature):
    same = {"integer": "number", "datetime": "date", "duration": "span", "months": "span"}
    return [*TYPED[same.get(feature.kind, feature.kind)].split(), "", " ", "missing"]


def read(feature, text):
    """Return a text as Python reads it: a number, None for missing, or "error"."""
    value = text.strip()
    if value in ("", "missing"):
        return None if feature.missing else "error"
    if feature.kind in ("number", "integer"):
        if re.fullmatch(r"[+-]?\d+", value):
            value = int(value)
        elif re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", value):
            value = float(value)
    try:
        number = feature.encode_value(value)
    except DataError:
        return "error"
    return number if feature.admits(number) else "error"


@cache
def of_kinds():
    return summarize(RuleSet(space=Space(KINDS)))


def parsed(page, texts):
    """Return texts as the page reads them, given as [name of a feature, text]."""
    script = """given.texts.map(([name, text]) =>
        irenic.parseValue(summary.features.find((each) => each.name === name), text))"""
    return ask(page, script, texts=texts)


def test_values_are_read_as_in_python(page_of):
    pairs = [(feature, text) for feature in KINDS for text in typed_for(feature)]
    texts = [[feature.name, text] for feature, text in pairs]
    found = parsed(page_of(of_kinds(), keep=True), texts)
    said = [answer.get("value", "error") for answer in found]
    assert all(("value" in answer) != ("error" in answer) for answer in found)
    answered = list(zip(pairs, said, strict=True))
    wrong = [(f.name, text, got) for (f, text), got in answered if read(f, text) != got]
    assert wrong == []
    for feature in KINDS:
        mine = [got for (other, _), got in answered if other is feature]
        assert mine.count("error") < len(mine) - 3


def test_numbers_are_read_as_people_type_them_and_errors_explain_others(page_of):
    given = {"1 234.5": 1234.5, "1\u202f234\u202f567": 1234567, "1'000": 1000, "1,5": 1.5}
    given |= {"0,125": 0.125, "−3": -3, "1,234.5": 1234.5, "1,234,567": 1234567, " 7 ": 7}
    page = page_of(of_kinds(), keep=True)
    found = parsed(page, [["number", text] for text in given])
    assert found == [{"value": value} for value in given.values()]
    given = {
        ("number", "1,234"): "“1,234” is ambiguous: write the number without thousands separators"
        " and with a decimal point.",
        ("number", "abc"): "“abc” is not a number.",
        ("number", ""): "A value is required.",
        ("number", "1e999"): "“1e999” is too large.",
        ("integer", "2.5"): "“2.5” is not a whole number.",
        ("integer", "9007199254740993"): "“9007199254740993” is beyond 2**53, where"
        " neighboring whole numbers can no longer be distinguished.",
        ("few", "10"): "“10” is out of range: it must be at least 0 and at most 9.",
        ("bounded", "10.5"): "“10.5” is out of range: it must be at least -2.5 and at most 10.",
        ("date", "2020-02-30"): "“2020-02-30” is not a date such as 2026-01-31.",
        ("datetime", "2020-01-31T12:30Z"): "“2020-01-31T12:30Z” has a time zone: omit it.",
        ("datetime", "1500-03-01T00:00:00.000001"): "“1500-03-01T00:00:00.000001” is too large"
        " to be exact to the microsecond: round it to whole seconds.",
        ("duration", "P1000000000D"): "“P1000000000D” is too long.",
    }
    found = parsed(page, [list(pair) for pair in given])
    assert found == [{"error": text} for text in given.values()]


def test_values_of_categories_are_read_with_and_without_quotes(page_of):
    texts = ["a", "b c", '"b c"', '"missing"', "missing", "", "5", '"5"', "true", "purple"]
    codes = [2, 3, 3, 4, 0, 0, 5, 6, 7, 1]
    page = page_of(of_space(), keep=True)
    found = parsed(page, [*(["color", text] for text in texts), ["__proto__", "v69"]])
    assert found == [{"value": code} for code in [*codes, 71]]
    prefixed = ["x", "xy", "xyz", "xyzz", "xa", "xy*", "a b", '"a bc"', "a", "X"]
    found = parsed(page, [["low risk", text] for text in prefixed])
    expected = [SPACE["low risk"].encode_value(text.strip('"')) for text in prefixed]
    expected[5] = 3  # as the page shows the prefix
    assert found == [{"value": code} for code in expected]
    errors = parsed(page, [["__proto__", "w"], ["low risk", ""]])
    values = ", ".join(f"v{i}" for i in range(8))
    assert errors[0] == {"error": f"“w” is not one of the values ({values}, …)."}
    assert errors[1] == {"error": "A value is required."}


def numbers_for(feature, rng):
    low, high = max(feature.lowest, -1e17), min(feature.end, 1e17)
    numbers = [*rng.uniform(low, high, 100), *rng.normal(size=50), *10 ** rng.uniform(-9, 18, 100)]
    numbers += [feature.lowest, feature.before(feature.end), 0.0, 5e-324, 0.3, 1e16, 1e-5, 123e20]
    if step := feature.step:
        numbers = [math.floor(v / step) * step for v in numbers if math.isfinite(v)]
    found = sorted({float(v) for v in numbers if feature.admits(float(v)) and feature.shows(v)})
    return found + ([None] if feature.missing else [])


def test_values_are_written_as_in_python_and_read_back(page_of):
    rng = np.random.default_rng(8)
    given = [(feature, value) for feature in KINDS for value in numbers_for(feature, rng)]
    script = """given.values.map(([name, value]) => {
        const feature = summary.features.find((each) => each.name === name);
        const text = irenic.formatValue(feature, value);
        return [text, irenic.parseValue(feature, text)];
    })"""
    values = [[feature.name, value] for feature, value in given]
    found = ask(page_of(of_kinds(), keep=True), script, values=values)
    expected = [f.format_value(-math.inf if v is None else v) for f, v in given]
    assert [text for text, _ in found] == expected
    # whole numbers beyond 2**53 are shown but not accepted
    back = [answer.get("value", "error") for _, answer in found]
    wrong = [
        (f.name, v, b)
        for (f, v), b in zip(given, back, strict=True)
        if b != v and not (b == "error" and f.kind == "number" and 2**53 < abs(v) < 1e16)
    ]
    assert wrong == []
    assert len(given) > 500


def test_ticks_are_round_values_inside_the_range(page_of):
    page = page_of(of_kinds(), keep=True)
    day = 86_400_000_000
    ranges = {
        "number": [(0, 1), (-3.2, 7.9), (1e-9, 2e-9), (0, 1e300)],
        "integer": [(0, 3), (-500, 12_345)],
        "date": [(0, 5 * day), (0, 400 * day), (-7000 * day, 9000 * day)],
        "datetime": [(0, 5e6), (0, day), (0, 900 * day)],
        "time": [(0, day)],
        "duration": [(0, 90e6), (-day, 5 * day)],
        "months": [(0, 30), (-100, 2000)],
    }
    given = [[name, low, high] for name, pairs in ranges.items() for low, high in pairs]
    script = """given.ranges.map(([name, low, high]) => {
        const feature = summary.features.find((each) => each.name === name);
        const ticks = irenic.niceTicks(feature, low, high, 6);
        return [ticks, ticks.map((tick) => irenic.formatTick(feature, tick))];
    })"""
    found = ask(page, script, ranges=given)
    for (name, low, high), (ticks, texts) in zip(given, found, strict=True):
        assert 2 <= len(ticks) <= 14, (name, low, high, texts)
        assert low <= ticks[0] < ticks[-1] <= high
        assert len(set(texts)) == len(texts), (name, texts)
        assert all(len(text) <= 19 for text in texts)


# --- the map's cells


def cell_of(feature, cells, value):
    """Return the index of the cell that contains a value."""
    if isinstance(feature, Categorical) or value is None:
        return next(i for i, cell in enumerate(cells) if cell["value"] == value)
    below = (i for i, c in enumerate(cells) if c["value"] is not None and c["low"] <= value)
    last = max(below)
    assert cells[last]["high"] is None or value < cells[last]["high"]
    return last


def sliced(page, x, y, others, summary=None):
    script = """(() => {
        const find = (name) => summary.features.find((each) => each.name === name) ?? null;
        const plane = irenic.sliceCells(model, find(given.x), find(given.y), given.others);
        const cells = (kind) => plane[kind] && [...plane[kind]];
        const [outcomes, bare, impossible] = ["outcomes", "bare", "impossible"].map(cells);
        return { xs: plane.xs, ys: plane.ys, live: plane.live, outcomes, bare, impossible };
    })()"""
    return ask(page, script, summary, x=x, y=y, others=others)


def test_slices_are_exact(page_of):
    """Check that cells are hatched iff no rule covers them, and torn iff rules disagree."""
    rng = np.random.default_rng(9)
    rules, instances, summary = drawn_rules(9, 20, (2, 4))
    page, seen = page_of(of_space(), keep=True), set()
    pairs = [("f1", "in"), ("color", "constructor"), ("größe", "__proto__")] * 6
    for (x, y), case in zip(pairs, cases_of(instances), strict=False):
        plane = sliced(page, x, y, case, summary)
        points = random_instances(rng, rules)
        values, codes = points.values.copy(), points.codes.copy()
        for feature in SPACE:
            if feature.name not in (x, y):
                row, value = SPACE.row(feature.name), case[feature.name]
                if isinstance(feature, Categorical):
                    codes[row] = value
                else:
                    values[row] = -math.inf if value is None else value
        covering = rules.covering(Instances(SPACE, values, codes))
        for point, row in zip(cases_of(points), covering, strict=True):
            thens = {rules[int(i)].then for i in np.flatnonzero(row)}
            i, j = (cell_of(SPACE[n], plane[f"{k}s"], point[n]) for n, k in ((x, "x"), (y, "y")))
            assert plane["outcomes"][j * len(plane["xs"]) + i] == min(len(thens), 2)
            seen.add(min(len(thens), 2))
    assert seen == {0, 1, 2}


def test_projected_cells_list_all_rules_that_can_hold_there(page_of):
    rules, _, summary = drawn_rules(10, 10)
    plane = sliced(page_of(of_space(), keep=True), "f1", "color", None, summary)
    row = SPACE.row("f1")
    for j, up in enumerate(plane["ys"]):
        for i, across in enumerate(plane["xs"]):
            value = -math.inf if across["value"] is None else across["value"]
            inside = (rules.lower[row] <= value) & (value < rules.upper[row])
            holding = [rules[int(k)] for k in np.flatnonzero(inside)]
            holding = [r for r in holding if r.region.bits("color") >> up["value"] & 1]
            thens = {rule.then for rule in holding}
            asking = [r for r in holding if {"f1", "color"} & set(r.region.conditions())]
            assert plane["bare"][j * len(plane["xs"]) + i] == (not asking)
            assert plane["outcomes"][j * len(plane["xs"]) + i] == min(len(thens), 2)


def test_a_single_feature_makes_a_strip(page_of):
    rules = rule_set(["age"], ({"age": (0, 10)}, "A"), ({"age": (9, 20)}, "B"))
    plane = sliced(page_of(summarize(rules)), "age", None, None)
    assert [cell["low"] for cell in plane["xs"]] == [LOWEST, 0, 9, 10, 20]
    assert plane["outcomes"] == [0, 1, 2, 1, 0]


def with_holes():
    """Return a table with impossible cases."""
    features = [Continuous("age", bounds=(0, 100)), Categorical("job", ["clerk", "nurse"])]
    space = Space(features, impossible=[{"age": (70, 80)}, {"age": (10, 15), "job": "nurse"}])
    ask, grant = {"age": {"<": 30}}, {"age": (20, 60), "job": {"clerk"}}
    rules = RuleSet([Rule(ask, then="ask"), Rule(grant, then="grant")], space)
    return DecisionTable(rules, (0, 1), 2, hit_policy="PRIORITY", ranking=("grant", "ask"))


def test_impossible_cases_are_not_gaps_and_the_form_reports_them(page_of):
    table = with_holes()
    page = page_of(summarize(table))
    cases = [{"age": age, "job": job} for age in (5, 12, 40, 69, 75, 80) for job in (2, 3)]
    found = ask(page, "given.cases.map(irenic.isImpossibleCase)", cases=cases)
    words = [case | {"job": "clerk" if case["job"] == 2 else "nurse"} for case in cases]
    assert found == [any(case in hole for hole in table.space.impossible) for case in words]
    assert True in found
    plane = sliced(page, "age", "job", None)
    width = len(plane["xs"])
    for case, impossible in zip(cases, found, strict=True):
        i = cell_of(table.rules.space["age"], plane["xs"], case["age"])
        j = cell_of(table.rules.space["job"], plane["ys"], case["job"])
        assert plane["impossible"][j * width + i] == impossible
    # with an open job, only cases that are impossible for every job
    strip = sliced(page, "age", None, None)
    assert [c["low"] for c, o in zip(strip["xs"], strip["impossible"], strict=True) if o] == [70]
    assert "impossible" in page.locator("#map-legend").inner_text()
    # the form reports them
    fill_form(page, age=75, job="2")
    answer = page.locator("#case-answer")
    assert answer.get_attribute("data-outcome") == "none"
    assert "The table excludes this case as impossible." in answer.inner_text()
    assert "new rule" not in answer.inner_text()
    fill_form(page, age=12, job="3")  # a rule covers it all the same
    assert "by rule 1" in answer.inner_text()
    fill_form(page, age=90, job="3")
    assert "A new rule for this case" in answer.inner_text()
    # the rule of the highest priority is not called the first
    fill_form(page, age=25, job="2")
    assert "by rule 2, the one with the highest priority" in answer.inner_text()
    assert "first" not in answer.inner_text()
    assert sliced(page, "age", "job", None)["live"] == [1, 0]


# --- the form and the map


def test_an_empty_field_is_not_a_missing_value(page_of):
    features = [Continuous("a", missing=True), Continuous("b", missing=True), "c"]
    pairs = [
        ({"a": {"<": 1}, "b": {"<": 1}}, "low"),
        ({"a": {"<": 2}, "b": {">": 5}}, "low"),
        ({"a": {">": 3}, "b": {">": 5}}, "high"),
    ]
    rules = rule_set(features, *pairs, default="none")
    page = page_of(summarize(rules))
    answer = page.locator("#case-answer")
    assert "Fill in: a, b." in answer.inner_text()
    fill_form(page, a=0.5)
    assert answer.get_attribute("data-outcome") == "error"
    text = answer.text_content()
    assert "Still needed: b." in text
    assert "So far, rule 1 and rule 2 can still hold; all of them say low." in text
    assert "If none of them does, the default says none." in text
    fill_form(page, a=2.5)
    text = answer.text_content()
    assert "No rule can hold anymore: the default says none." in text
    fill_form(page, a=None)
    field = page.locator('#case-form [data-feature="a"]')
    assert field.is_disabled()
    assert field.input_value() == ""
    fill_form(page, b=None)
    names = [outcome["value"] for outcome in summarize(rules)["outcomes"]]
    said = names[int(answer.get_attribute("data-outcome"))]
    assert said == rules.predict([{"a": None, "b": None, "c": 1}])[0] == "none"
    page.locator('#case-form [data-missing="a"]').uncheck()
    assert answer.get_attribute("data-outcome") == "error"
    assert field.is_enabled()


def test_a_case_from_an_instance_shows_missing_values_and_its_row(page_of):
    features = [Continuous("a", missing=True), Continuous("b", missing=True)]
    rules = rule_set(features, ({"a": {"<": 1}, "b": {">": 1}}, "low"))
    page = page_of(summarize(rules, {"a": [None], "b": [3.5]}, ["high"]))
    page.locator("#case-random").click()
    assert page.locator('#case-form [data-missing="a"]').is_checked()
    assert not page.locator('#case-form [data-missing="b"]').is_checked()
    assert page.locator('#case-form [data-feature="b"]').input_value() == "3.5"
    text = page.locator("#case-answer").text_content()
    assert text.startswith("Instance in row 1, which is high")
    fill_form(page, b=4)
    assert "Instance" not in page.locator("#case-answer").inner_text()


def four_features():
    tested = enumerate(["rs", "rs", "pq", "p", "p", "q"])
    return rule_set(
        "pqrs", *((dict.fromkeys(names, (i, i + 2)), "AB"[i % 2]) for i, names in tested)
    )


def axes_of(page):
    return [page.locator(f"#map-{axis}").input_value() for axis in "xy"]


def test_the_map_starts_with_the_most_tested_features_and_follows_rules_and_cases(page_of):
    page = page_of(summarize(four_features()))
    assert axes_of(page) == ["r", "s"]
    for rule, axes in [(0, "rs"), (2, "pq"), (3, "pq")]:
        page.locator(f'#rules [data-rule="{rule}"]').click()
        assert axes_of(page) == [*axes]
    # a case is shown on the slice through it
    page = page_of(summarize(four_features()))
    fill_form(page, p=3.5, q=3.25, r=7, s=8)
    page.locator("#case-map").click()
    assert page.locator("#map-mode").input_value() == "fixed"
    note = page.locator("#map-note").inner_text()
    assert "p = 3.5" in note
    assert "q = 3.25" in note
    assert "The case in the form" in page.locator("#map-answer").inner_text()


def test_the_slice_starts_where_a_rule_holds(page_of):
    """It is in the first rule, or with instances at a complete one that a rule covers."""
    rules = four_features()
    table = {name: [5.0, 5.1, 4.9, 1.0] for name in "pqrs"}
    for shown, points, expected in [
        ([0], None, "1 rule of 1 can hold here"),
        ([0, 2], table, "at r = 1, s = 1: 2 rules of 2 can hold"),
    ]:
        page = page_of(summarize(RuleSet([rules[i] for i in shown], rules.space), points))
        page.locator("#map-x").select_option("p")
        page.locator("#map-y").select_option("q")
        page.locator("#map-mode").select_option("fixed")
        assert expected in page.locator("#map-note").inner_text()


def test_rules_are_shown_next_to_the_pointer(page_of):
    page = page_of(summarize(four_features()), viewport={"width": 1366, "height": 700})
    canvas = page.locator("#map-canvas")
    canvas.scroll_into_view_if_needed()
    size = canvas.bounding_box()
    assert size["height"] <= 0.6 * 700 + 1
    middle = {"x": size["width"] * 0.5, "y": size["height"] * 0.5}
    canvas.hover(position=middle)
    drawn(page)
    tip = page.locator("#map-tip")
    assert tip.is_visible()
    assert tip.inner_text().strip()
    assert page.locator("#map-hover").get_attribute("aria-live") == "off"
    inner, outer = tip.bounding_box(), page.locator("#map-frame").bounding_box()
    assert inner["x"] >= outer["x"] - 1
    assert inner["x"] + inner["width"] <= outer["x"] + outer["width"] + 1
    canvas.click(position=middle)
    answer, frame = page.locator("#map-answer").bounding_box(), canvas.bounding_box()
    assert answer["x"] >= frame["x"] + frame["width"]
    assert answer["width"] < frame["width"]


def test_long_names_do_not_widen_a_phone(page_of):
    long = "a_very_long_name_of_a_feature_" * 6
    features = [Continuous(long + x, missing=True) for x in "abc"]
    rules = rule_set(features, ({long + x: (0, 1) for x in "abc"}, "A" * 90))
    page = page_of(summarize(rules), viewport={"width": 360, "height": 740})
    page.locator("#map-mode").select_option("fixed")
    page.locator("#map-canvas").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_only_some_of_very_many_rules_are_drawn_but_all_decide(page_of):
    rng = np.random.default_rng(13)
    lows = rng.normal(size=(1100, 3)).round(4).tolist()
    sides = [{n: (low, low + 1) for n, low in zip("xyz", row, strict=True)} for row in lows]
    rules = rule_set("xyz", *zip(sides, rng.choice(list("AB"), 1100).tolist(), strict=True))
    page = page_of(summarize(rules, budget=0.1, limit=5))
    note = page.locator("#map-note").inner_text()
    assert "The first 1,000 of 1,100 rules are drawn." in note
    assert "Gaps and conflicts are not hatched" in note
    case = {"x": 1.0, "y": 1.0, "z": 1.0}
    (found,) = decided(page, [case])
    assert found["rules"] == np.flatnonzero(rules.covering([case])[0]).tolist()
    assert max(found["rules"]) >= 1000
    page.locator("#map-mode").select_option("fixed")  # few hold on a slice: it is exact
    note = page.locator("#map-note").inner_text()
    assert "not hatched" not in note
    assert "rules are drawn" not in note
