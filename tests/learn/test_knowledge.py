"""What users know: rules to keep, properties, orders, costs, and what cannot occur."""

from __future__ import annotations

import json
import pickle
import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from fitting import check_consistent, people, quick
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

import irenic
from irenic import Categorical, Continuous, Rule, RuleSet, RuleSetClassifier, Space
from irenic.errors import ConflictError, DataError, FileError, FormatError
from irenic.learn._knowledge import BoundKnowledge
from irenic.learn.cells import Cells
from irenic.proving import prove
from strategies import examples


def applicants(n=300, seed=0):
    """Return credit-like rows: yes depends on income and debt, and age on neither."""
    rng = np.random.default_rng(seed)
    X = {
        "age": rng.integers(16, 80, n),
        "income": rng.integers(5, 120, n).astype(float),
        "debt": rng.integers(0, 60, n).astype(float),
        "job": rng.choice(["cook", "clerk", "nurse", "none"], n),
    }
    good = X["income"] - X["debt"] + rng.normal(0, 12, n) > 20
    return X, np.where(good, "yes", "no")


X, Y = applicants()
RICH = X["income"] >= 60
LACKING = X | {"income": np.where(np.arange(300) % 7, X["income"], np.nan)}
THREE = np.where(X["age"] > 60, "c", np.where(Y == "yes", "a", "b"))
EDGE = {"age": [50] * 3, "income": [5.0] * 3, "debt": [50.0] * 3}


def fitted(X=X, y=Y, **options):
    return quick(**options).fit(X, y)


def texts(rules):
    return [str(rule) for rule in rules]


def proved(clf):
    """Assert that each rule set of a front keeps what was asked for, as ``prove`` sees it."""
    check_consistent(clf)
    assert clf.certificate_.proved
    for index in range(len(clf.pareto_front_)):
        verdicts = prove(clf.select(index=index), clf.certificate_.proved)
        assert [verdict.holds for verdict in verdicts] == [True] * len(verdicts)


@pytest.fixture(scope="module")
def plain():
    return fitted()


# --- probabilities


@pytest.mark.parametrize(
    "options",
    [
        {"rules": "IF income >= 60 THEN no", "selection": "validation"},
        {"never": "yes WHERE income >= 60", "selection": "description"},
        {"always": "no WHERE income >= 60", "selection": "validation"},
    ],
    ids=lambda options: next(iter(options)),
)
def test_probabilities_are_those_of_rows_that_contradict_what_users_know(options):
    clf = fitted(moves=300, **options)
    new, labels = applicants(4000, seed=1)
    rich = new["income"] >= 60
    share = (labels[rich] == "no").mean()
    assert (clf.predict(new)[rich] == "no").all()
    likely = clf.predict_proba(new)[:, 0]
    assert likely[rich].mean() == pytest.approx(share, abs=0.08)
    again = irenic.read_model(irenic.dumps(clf, format="json"))
    assert again.predict_proba(new)[:, 0].tolist() == likely.tolist()
    counted = again.recount(new, labels)
    assert counted.predict_proba(new)[rich, 0].mean() == pytest.approx(share, abs=0.02)
    for model in (clf, counted):
        assert model.chosen_.probabilities.raised_from is None
    decision = clf.explain({name: column[rich][:1] for name, column in new.items()})[0]
    assert decision.probability.probability == pytest.approx(likely[rich][0])
    assert "raised" not in decision.text
    # frequencies without regions are those of the rows, too
    clf.chosen_ = replace(clf.chosen_, probabilities=None)
    if "rules" in options:
        share = (Y[RICH] == "no").mean()
        assert clf.predict_proba(X)[RICH, 0] == pytest.approx(share, abs=0.05)


def test_probabilities_are_those_of_rows_that_contradict_a_sign():
    clf = fitted(moves=300, monotonic_cst={"income": -1})
    predicted, likely = clf.predict(X), clf.predict_proba(X)
    for code, label in enumerate(clf.classes_):
        share = (Y[predicted == label] == label).mean()
        assert likely[predicted == label, code].mean() == pytest.approx(share, abs=0.05)
    assert (clf.classes_[likely.argmax(axis=1)] != predicted).any()
    assert clf.chosen_.probabilities.raised_from is None
    # so are scores by probabilities
    options = {"rules": "IF income >= 60 THEN no", "moves": 300, "selection": "validation"}
    clf = fitted(scoring="log_loss", **options)
    likely = clf.predict_proba(X)[np.arange(len(Y)), np.searchsorted(clf.classes_, Y)]
    assert clf.chosen_.training_score == pytest.approx(np.log(likely).mean())
    # a prediction that leads would have a log-loss of 0.7 where the rule is wrong
    assert clf.estimate_.score > -0.5


# --- rules to keep

KEPT = """IF age < 21 THEN no
IF age >= 21 AND income >= 100 AND job = nurse THEN yes"""


@pytest.fixture(scope="module")
def kept():
    return RuleSetClassifier(
        knowledge={"rules": KEPT}, generations=2, moves=500, random_state=0
    ).fit(X, Y)


def test_kept_rules_are_the_first_and_decide_their_rows(kept):
    check_consistent(kept)
    assert len(kept.pareto_front_) > 1
    for point in kept.pareto_front_:
        assert texts(point.rule_set)[:2] == [
            "IF age < 21 THEN no",
            "IF age >= 21 AND income >= 100 AND job in {nurse} THEN yes",
        ]
        assert point.n_kept == 2
        covers = point.rule_set.covering(X)  # every learned rule decides a row of its own
        free = ~covers[:, :2].any(axis=1)
        assert covers[free, 2:].any(axis=0).all()
    case = {"age": [20, 50], "income": [119.0] * 2, "debt": [0.0, 59.0], "job": ["cook", "nurse"]}
    assert kept.predict(case).tolist() == ["no", "yes"]
    minor, nurse = kept.explain(case)
    assert (minor.rules[0], nurse.rules[0]) == (0, 1)
    young = X["age"] < 21
    wrong, rows = int((Y[young] == "yes").sum()), int(young.sum())
    assert wrong > 0
    assert f"your rule: {wrong} of {rows} training rows have another label" in minor.text
    share = np.mean(Y[young] == "no")
    assert kept.chosen_.counts.training_confidence[0] == pytest.approx(share, abs=0.02)
    assert len(kept.select(max_rules=3).rules_) <= 3
    with pytest.raises(irenic.errors.ConditionError, match="the smallest has 2 rules"):
        kept.select(max_rules=1)


def test_validated_scores_count_the_rows_of_kept_rules():
    old = X["age"] >= 48
    options = {"rules": "IF age >= 48 THEN no", "selection": "validation", "moves": 100}
    wrong = fitted(y=np.where(old, "yes", Y), **options)
    assert wrong.estimate_.score < 1.05 - old.mean()
    assert all(point.validated_score < 1.05 - old.mean() for point in wrong.pareto_front_)


def test_rules_of_any_form_are_the_same_and_can_be_edited(plain, tmp_path):
    path = tmp_path / "mine.rules"
    path.write_text(KEPT)
    rules = irenic.loads(KEPT, format="rules")
    forms = [texts(fitted(rules=r).rules_) for r in (KEPT, path, rules, RuleSet(list(rules)))]
    assert forms == [forms[0]] * 4
    n, own = len(plain.rules_), texts(plain.rules_)
    again = fitted(rules="\n".join([*own, f"DEFAULT {plain.rules_.default}"]))
    for point in again.pareto_front_:
        assert texts(point.rule_set)[:n] == own
        assert point.rule_set.default == plain.rules_.default
    second = fitted(rules="\n".join(own[1:]))
    assert texts(second.rules_)[: n - 1] == own[1:]
    assert fitted(rules=plain).chosen_.n_kept == n


def test_rules_may_decide_every_row_or_test_values_that_no_row_has():
    clf = fitted(rules="IF age >= 0 THEN no", selection="validation")
    assert texts(clf.rules_) == ["IF age >= 0 THEN no"]
    assert clf.predict(X).tolist() == ["no"] * len(Y)
    clf = fitted(rules="IF job = pilot THEN yes\nIF job not in {cook, pilot, nurse} THEN no")
    check_consistent(clf)
    assert clf.predict(EDGE | {"job": ["pilot", "king", "none"]}).tolist() == ["yes", "no", "no"]


def test_kept_rules_must_not_be_too_many():
    for name, most, text in [
        ("max_rules", 1, "max_rules must be at least 2, which the rules to keep have, got 1"),
        ("max_conditions", 3, "max_conditions must be at least 4, which the rules to keep have"),
    ]:
        with pytest.raises(DataError, match=text):
            fitted(rules=KEPT, **{name: most})
        assert len(fitted(rules=KEPT, **{name: most + 1}).rules_) == 2


@st.composite
def consistent_rules(draw):
    """Draw rules that never overlap: slices of income, each cut further."""
    cuts = sorted(draw(st.sets(st.integers(5, 120), min_size=2, max_size=4)))
    rules = []
    for low, high in pairwise(cuts):
        conditions = {"income": (low, high)}
        if draw(st.booleans()):
            conditions["job"] = draw(st.sets(st.sampled_from(["cook", "king", "none"]), min_size=1))
        if draw(st.booleans()):
            conditions["debt"] = (draw(st.integers(0, 30)), draw(st.sampled_from([None, 40, 55])))
        rules.append(Rule(conditions, then=draw(st.sampled_from(["yes", "no"]))))
    return RuleSet(rules)


@given(consistent_rules())
@examples(0.2)
def test_any_rules_are_kept_and_not_contradicted(rules):
    clf = fitted(rules=rules)
    check_consistent(clf)
    for point in clf.pareto_front_:
        assert point.rule_set.thens[: len(rules)] == rules.thens
        for before, after in zip(rules, point.rule_set, strict=False):
            assert before.region.cast(after.region.space) == after.region
    predicted = clf.predict(X)
    covers = rules.covering({name: X[name] for name in rules.space.names})
    for rows, then in zip(covers.T, rules.thens, strict=True):
        assert set(predicted[rows]) <= {then}


# --- properties


@st.composite
def properties(draw):
    """Draw conditions and an outcome: what is never, or always."""
    parts = [f"income < {draw(st.integers(10, 110))}"]
    if draw(st.booleans()):
        parts.append(f"debt >= {draw(st.integers(5, 55))}")
    if draw(st.booleans()):
        parts.append(f"job in {{{draw(st.sampled_from(['cook', 'cook, nurse', 'king']))}}}")
    where = draw(st.sampled_from([" AND ", " OR "])).join(parts)
    label = draw(st.sampled_from("abc"))
    return draw(st.sampled_from(["never", "always"])), f"{label} WHERE {where}"


@given(properties())
@examples(0.2)
def test_what_must_hold_is_proved(given_property):
    word, text = given_property
    clf = fitted(y=THREE, **{word: text})
    proved(clf)
    assert clf.certificate_.proved == (f"{word.upper()} {text}",)


def test_several_properties_share_a_region(plain):
    never = ["a WHERE income < 50", "NEVER b WHERE debt > 20"]
    proved(fitted(y=THREE, never=never, always="b OR c WHERE age >= 70"))
    text = r"no label is allowed where age >= 70 and income < 50 and debt > 20, because of"
    with pytest.raises(DataError, match=text):
        fitted(y=THREE, never=[*never, "c WHERE age >= 70"])
    # where no rule is needed, none is added
    clf = fitted(always=f"{plain.pareto_front_[0].rule_set.default} WHERE age >= 78")
    assert len(clf.pareto_front_[0].rule_set) == 0
    proved(clf)


def test_abstaining_and_completed_models_keep_everything():
    clf = fitted(default="abstain", always="no WHERE age < 18", never="NOTHING WHERE debt > 50")
    proved(clf)
    assert clf.pareto_front_[0].rule_set.default is None
    clf = fitted(
        rules="IF age < 21 THEN no",
        monotonic_cst={"income": 1},
        never="yes WHERE debt > 50",
        complete=True,
        moves=50,
    )
    assert len(clf.certificate_.proved) == 2
    assert clf.certificate_.is_consistent
    assert clf.certificate_.is_complete
    assert all(verdict.holds for verdict in prove(clf, clf.certificate_.proved))


# --- proofs

FIELDS = [
    Continuous("x", missing=True),
    Continuous("n", kind="integer", bounds=(0, 4)),
    Categorical("job", ["cook", "nurse"], missing=True, other=True),
]


@st.composite
def regions(draw):
    """Draw conditions, as plain data."""
    conditions = {}
    for name in ("x", "n"):
        if draw(st.booleans()):
            low = draw(st.one_of(st.none(), st.integers(0, 3)))
            above = 1 if low is None else low + 1
            conditions[name] = (low, draw(st.one_of(st.none(), st.integers(above, 5))))
    if draw(st.booleans()):
        conditions["job"] = {draw(st.sampled_from(["cook", "nurse"]))}
    return conditions


# --- increasing predictions


@given(st.integers(0, 50), st.sampled_from([{"income": 1}, {"income": 1, "debt": -1}, {"age": 1}]))
@examples(0.2)
def test_predictions_increase_everywhere(seed, signs):
    clf = fitted(LACKING, monotonic_cst=signs, moves=500, random_state=seed)
    proved(clf)
    assert len(clf.certificate_.proved) == len(signs)


def test_ordered_labels_increase_everywhere():
    y = np.digitize(X["income"] - X["debt"], [0, 40])
    clf = fitted(y=y, monotonic_cst={"income": 1, "debt": -1}, moves=1_000)
    proved(clf)
    assert {*clf.rules_.thens, clf.rules_.default} == {0, 1, 2}


def test_five_ordered_labels_are_learned():
    """Rules for labels in the middle are followed by several others, and few are lost to that."""
    rng = np.random.default_rng(2)
    X = pd.DataFrame(rng.uniform(size=(5_000, 3)).round(3), columns=list("abc"))
    total = X.a + 0.8 * X.b + 0.5 * X.c
    total += rng.normal(0, 0.3 * total.std(), len(X))
    y = np.searchsorted(np.quantile(total, [0.2, 0.4, 0.6, 0.8]), total)
    learn, test = slice(1_000), slice(1_000, None)
    few = {"generations": 2, "moves": 2000, "random_state": 0}
    clf = RuleSetClassifier(knowledge={"monotonic_cst": dict.fromkeys("abc", 1)}, **few).fit(
        X[learn], y[learn]
    )
    assert len(clf.certificate_.proved) == 3
    assert {*clf.rules_.thens, clf.rules_.default} == {0, 1, 2, 3, 4}
    assert clf.score(X[test], y[test]) > 0.56


def test_orders_of_columns_and_labels():
    order = pd.Series(pd.Categorical(Y, categories=["yes", "no"], ordered=True))
    by_name = fitted(y=order, monotonic_cst={"income": -1})
    by_place = fitted(y=order, monotonic_cst=[-1 if n == "income" else 0 for n in X])
    assert list(by_name.rules_) == list(by_place.rules_)
    assert by_name.certificate_.proved == ("outcome DECREASES WITH income ORDER yes, no",)
    proved(by_name)
    # missing values are neither high nor low
    rules = "IF income is missing THEN yes\nDEFAULT no"
    proved(fitted(LACKING, rules=rules, monotonic_cst={"income": 1}))
    # names that need quotes are quoted in claims
    quoted = {f"the {name}": column for name, column in X.items()}
    y = np.where(Y == "yes", ">50K", "<=50K")
    clf = fitted(quoted, y, monotonic_cst={"the income": 1})
    assert clf.certificate_.proved == ('outcome INCREASES WITH "the income" ORDER "<=50K", ">50K"',)
    proved(clf)


# --- conditions

GRADES = ["low", "fair", "good", "top"]


def test_ordered_categories_make_ranges():
    code = np.random.default_rng(0).integers(0, 4, 200)
    X = pd.DataFrame({"grade": pd.Categorical.from_codes(code, GRADES, ordered=True)})
    y = np.isin(code, [0, 2])  # not a range, so that sets would be better
    sets = fitted(X.astype(str), y, ordered=None).rules_
    assert len(sets) == 1 or "grade in {good, low}" in [str(rule.region) for rule in sets]
    listed = fitted(X.astype(str), y, ordered={"grade": GRADES})
    space = Space([Categorical("grade", GRADES)])
    declared = fitted(X.astype(str), y, ordered="grade", space=space)
    for clf in (fitted(X, y), fitted(X, y, ordered="grade"), listed, declared):
        assert len(clf.rules_)
        for point in clf.pareto_front_:
            for rule in point.rule_set:
                places = np.flatnonzero(rule.region.contains({"grade": GRADES}))
                assert len(places) == places[-1] - places[0] + 1


@pytest.mark.parametrize("value", ["is missing", "in {top}", "not in {low, fair, good, top}"])
@pytest.mark.parametrize("way", ["pandas", "mapping"])
def test_properties_of_ordered_values_without_rows_lose_no_rule_sets(way, value):
    rng = np.random.default_rng(0)
    code, size = rng.integers(0, 3, 300), rng.normal(size=300)
    X = pd.DataFrame({"grade": pd.Categorical.from_codes(code, GRADES, ordered=True), "size": size})
    options = {}
    if way == "mapping":
        X, options = X.astype({"grade": str}), {"ordered": {"grade": GRADES}}
    y = np.where((size > 0.6) & (code > 0), "yes", "no")
    clf = fitted(X, y, never=f"yes WHERE grade {value}", **options)
    proved(clf)
    assert clf.score(X, y) > 0.99
    kept = fitted(X, y, rules=f"IF grade {value} THEN no", **options)
    check_consistent(kept)
    assert kept.score(X, y) > 0.99


@given(st.data())
@examples(0.3)
def test_no_rule_set_is_lost_to_values_without_rows(data):
    """Whatever the order and the property, what evolution finds is proved to keep it."""
    rng = np.random.default_rng(data.draw(st.integers(0, 9)))
    rows = data.draw(st.sets(st.sampled_from(range(4)), min_size=2))
    code, size = rng.choice(sorted(rows), 200), rng.normal(size=200)
    grade = pd.Series([GRADES[c] for c in code])
    if data.draw(st.booleans()):
        grade[::9] = None
    y = np.where((size > 0.5) | (code == max(rows)) & (size > -0.5), "yes", "no")
    tests = ["is missing", "in {top}", "in {low, king}", "not in {fair, good}"]
    test = data.draw(st.sampled_from(tests))
    order = [*GRADES, "king"] if "king" in test else GRADES
    word = data.draw(st.sampled_from(["never", "always"]))
    label = data.draw(st.sampled_from(["yes", "no"]))
    X = pd.DataFrame({"grade": grade, "size": size})
    lost, objection = [], BoundKnowledge.objection
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            BoundKnowledge, "objection", lambda *a: lost.append(objection(*a)) or lost[-1]
        )
        clf = fitted(X, y, **{word: f"{label} WHERE grade {test}"}, ordered={"grade": order})
    proved(clf)
    assert len(lost) > 5
    assert not any(lost)


def test_forbidden_columns_are_not_tested():
    forbidden = {"income", "job"}
    rules = "IF income < 10 THEN no"
    clf = fitted(forbidden=list(forbidden), rules=rules, describe="no", moves=500)
    check_consistent(clf)
    tested = set()
    for point in clf.pareto_front_:
        tested.update(*(rule.region.conditions() for rule in point.rule_set[1:]))
    assert not forbidden & tested
    assert "debt" in tested
    # a fit without forbidden columns may test them again
    table = {"a": np.arange(60) % 7, "b": np.arange(60) % 5}
    y = np.where(table["a"] > 3, "yes", "no")
    clf = quick(warm_start=True, forbidden="a").fit(table, y)
    assert clf.set_params(knowledge__forbidden=None).fit(table, y).score(table, y) == 1.0


@pytest.mark.parametrize("n_values", [12, 100])
def test_sets_list_few_values(n_values):
    rng = np.random.default_rng(0)
    code = rng.integers(0, n_values, 1_500)
    X = {"town": np.array([f"t{c:03}" for c in code]), "size": rng.integers(0, 9, 1_500)}
    most = 0
    for point in fitted(X, code % 2 == 0, max_values=3, moves=1_000).pareto_front_:
        for rule in point.rule_set:
            test = rule.region.conditions().get("town", {})
            most = max([most, *(len(values) for values in test.values())])
    assert most == 3


# --- costs


def test_costs_move_the_decision():
    X, y = applicants(600, seed=1)
    dear = {"no": {"yes": 5}, "yes": {"no": 1}}
    plain, costly, short, table = (
        quick(cost=cost, moves=500).fit(X, y)
        for cost in (None, dear, {"no": {"yes": 5}}, [[0, 5], [1, 0]])
    )
    new, labels = applicants(1_000, seed=9)

    def cost(clf, X, y):
        predicted = clf.predict(X)
        dear = 5 * ((y == "no") & (predicted == "yes"))
        return (dear + ((y == "yes") & (predicted == "no"))).mean()

    assert cost(costly, new, labels) < 0.8 * cost(plain, new, labels)
    assert costly.chosen_.training_score == pytest.approx(1 - cost(costly, X, y) / 5)
    for other in (table, short):  # an error that is not listed costs 1
        assert costly.rules_ == other.rules_
    back = irenic.read_model(irenic.dumps(short, format="json"))
    assert back.knowledge.cost == [[0, 5], [1, 0]]
    members = [point.member for point in short.pareto_front_]
    assert [point.member for point in back.pareto_front_] == members


def test_equal_costs_are_the_accuracy(plain):
    equal = fitted(cost={"no": {"yes": 2}, "yes": {"no": 2}})
    assert list(equal.rules_) == list(plain.rules_)
    costs = (None, [[0, 1], [1, 0]])
    one, other = (fitted(scoring="balanced_accuracy", cost=c) for c in costs)
    assert one.rules_ == other.rules_
    assert np.allclose(one.chosen_.counts.frequencies, other.chosen_.counts.frequencies)


# --- what cannot occur


def test_impossible_cases_need_no_rule_and_rules_may_overlap_there():
    a, b = np.random.default_rng(0).integers(0, 10, (2, 400))
    both = (a >= 5) & (b >= 5)
    a[both] = b[both] = 2
    y = np.where(a >= 5, "x", np.where(b >= 5, "y", "z"))
    space = Space([Continuous("a"), Continuous("b")], [{"a": (5, None), "b": (5, None)}])
    clf = fitted({"a": a, "b": b}, y, space=space, moves=3_000)
    assert clf.space_.impossible
    assert {str(rule) for rule in clf.rules_} == {"IF a >= 5 THEN x", "IF b >= 5 THEN y"}
    assert clf.rules_.is_consistent
    assert not clf.rules_.conflicts()
    whole = fitted({"a": a, "b": b}, y, space=space, moves=3_000, complete=True)
    assert whole.certificate_.is_complete
    assert len(whole.rules_) == 3
    with pytest.warns(UserWarning, match="1 row of X cannot occur"):
        fitted({"a": [9, *a], "b": [9, *b]}, ["x", *y], space=space)
    assert irenic.loads(irenic.dumps(clf.rules_, format="rules"), format="rules").space.impossible


# --- cells

FRAME, LOW = people(80)
JOBS = ["nurse", "clerk", "cook", "smith", "king"]
SPACE = Space([Continuous("age", missing=True), Categorical("job", JOBS, missing=True, other=True)])


@given(st.data())
def test_words_of_boxes_hold_what_boxes_hold(data):
    """A case in a box has its cell in the outer words; a cell of inner words is in the box."""
    instances = SPACE.encode(FRAME[["age", "job"]])
    conditions = {}
    if data.draw(st.booleans()):
        low = data.draw(st.integers(10, 60))
        conditions["age"] = (low, data.draw(st.integers(low + 1, 90)))
    if data.draw(st.booleans()):
        jobs = st.sets(st.sampled_from(["nurse", "cook", "king"]), min_size=1)
        conditions["job"] = data.draw(jobs)
    region = irenic.Region(SPACE, conditions)
    around = region.box if data.draw(st.booleans()) else None
    limit = data.draw(st.sampled_from([4, 64]))
    truth = np.eye(2)[(LOW == "low").astype(int)]
    cells = Cells.from_instances(instances, truth, np.ones(80), limit, around=around)
    outer, inner = cells.words(region.box)[0], cells.words(region.box, inside=True)[0]

    def holds(words, row):
        return all(int(word) >> int(cell) & 1 for word, cell in zip(words, row, strict=True))

    for case, row in zip(region.contains(instances), cells.encode(instances).T, strict=True):
        assert not case or holds(outer, row)
        assert case or not holds(inner, row)
    if around is not None and limit == 64:
        assert (outer == inner).all()


# --- the estimator


def test_parameters_survive_cloning_pickling_and_a_warm_start():
    clf = quick(
        rules=RuleSet([Rule({"age": (None, 21)}, then="no")]),
        never=["yes WHERE debt > 55"],
        monotonic_cst={"income": 1},
        cost=[[0, 2], [1, 0]],
        max_values=2,
        forbidden=["job"],
    )
    copied = clone(clf)
    assert copied.get_params()["knowledge__never"] == ["yes WHERE debt > 55"]
    restored = pickle.loads(pickle.dumps(clf.fit(X, Y)))
    assert list(restored.rules_) == list(copied.fit(X, Y).rules_) == list(clf.rules_)
    assert restored.chosen_.n_kept == 1
    assert restored.certificate_.proved == clf.certificate_.proved
    clf = quick(warm_start=True).fit(X, Y)
    clf.set_params(knowledge__rules="IF age < 21 THEN no", knowledge__never="yes WHERE debt > 50")
    clf.fit(X, Y)
    proved(clf)
    assert str(clf.rules_[0]) == "IF age < 21 THEN no"


MISTAKES = {
    "rules": [
        (3, "rules must be a RuleSet, a fitted classifier, text or a Path, got int"),
        (
            "IF age < 21 THEN nope",
            "rules must predict one of the 2 labels of y, got nope in rule 1",
        ),
        (
            "IF ages < 21 THEN no",
            "rules and properties must test columns of X, got 'ages'; did you mean 'age'",
        ),
        ("IF job < 3 THEN no", "rules, rule 1: "),
        ("IF age < 3 THEN no\nDEFAULT maybe", "got maybe in the default"),
        (
            "mine.rules",
            r"rules must be text with one rule per line, got 'mine.rules'; if that is a file, use"
            r" irenic.read\('mine.rules'\)",
        ),
        ("a folder/model.json", r"use irenic.read\('a folder/model.json'\)"),
        (
            Path("model.json"),
            r"rules must be a file of text, one rule per line, got 'model.json'; irenic.read\(",
        ),
        (Path("nowhere.rules"), "nowhere.rules"),
    ],
    "never": [
        ("yess WHERE debt > 50", "^never: 'NEVER yess .*': no row has the label yess"),
        (3, "never must be text or a list of texts, got 3"),
        ("yes IF age < 3", "never: 'NEVER yes IF age < 3': "),
        ("", "never: 'NEVER '"),
        (
            "yes OR no WHERE age < 18",
            "no label is allowed where age < 18, because of NEVER yes OR no WHERE age < 18",
        ),
    ],
    "always": [
        ("yess WHERE debt > 50", "^always: 'ALWAYS yess .*': no row has the label yess"),
        (
            "maybe WHERE age < 18",
            "always: 'ALWAYS maybe WHERE age < 18': no row has the label maybe",
        ),
        (
            "age < 18",
            "always: 'ALWAYS age < 18': 'age' is a feature, not an outcome; a property has its"
            " conditions after WHERE: OUTCOME WHERE age < 18",
        ),
        ("job in {cook}", "'job' is a feature, .*: OUTCOME WHERE job …"),
    ],
    "monotonic_cst": [
        ([1, 0], r"monotonic_cst must have one number per column of X \(4\), got 2"),
        ({"incom": 1}, "monotonic_cst must name columns of X, got 'incom'; did you mean 'income'"),
        ({"income": 2}, "monotonic_cst must hold 1, -1 or 0, got 2 for 'income'"),
        ({"job": 1}, "monotonic_cst must be 0 for categories without an order, got 1 for 'job'"),
    ],
    "cost": [
        ([[0, 1]], r"cost must have one row and one column per label \(2\), got shape \(1, 2\)"),
        ({"yes": {"maybe": 1}}, "cost must name labels of y, got 'maybe'"),
        ({"yes": 3}, "cost must be {true: {predicted: cost}}, got 3"),
        ({"yes": {"no": -1}}, "cost must hold finite non-negative numbers, got -1"),
        ({"yes": {"yes": 1}}, "cost must be 0 where the prediction is the true label"),
        ([[0, 0], [0, 0]], "cost must be positive somewhere, got only 0"),
    ],
    "forbidden": [(["incomes"], "forbidden must name columns of X, got 'incomes'")],
    "ordered": [
        (["income"], "ordered must name categories, got 'income'"),
        (
            ["job"],
            r"ordered must list the values of 'job', lowest first, because they have no order:"
            r" {'job': \['clerk', 'cook', 'none', 'nurse'\]}",
        ),
        (
            {"job": ["cook"]},
            r"ordered must list each value of 'job' once \(clerk, cook, none, nurse\), got cook",
        ),
    ],
    "space": [(Space([Continuous("ages")]), "space must only have columns of X, got 'ages'")],
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_named(name):
    for value, text in MISTAKES[name]:
        with pytest.raises((DataError, irenic.errors.FormatError, FileError), match=text):
            fitted(**{name: value})


EXCLUDED = [
    (
        {"rules": "IF age < 21 THEN no\nIF age < 20 THEN yes"},
        "rules to keep must not contradict each other",
    ),
    (
        {"rules": "IF age < 21 THEN no\nDEFAULT yes", "always": "yes WHERE age < 18"},
        r"exclude each other; refuted: ALWAYS yes WHERE age < 18: no \(rule 1\) at age = 9, ",
    ),
    (
        {"rules": "IF 20 <= income < 30 THEN yes\nDEFAULT no", "monotonic_cst": {"income": 1}},
        r"refuted: outcome INCREASES WITH income ORDER no, yes: yes \(rule 1\) at ",
    ),
    (
        {"rules": "IF 20 <= debt < 30 THEN yes\nDEFAULT no", "monotonic_cst": {"debt": -1}},
        "refuted: outcome DECREASES WITH debt ORDER no, yes: ",
    ),
    (
        {"rules": "IF 20 <= income < 30 THEN no\nDEFAULT yes", "monotonic_cst": {"income": 1}},
        r"refuted: outcome INCREASES WITH income ORDER no, yes: yes \(by default\) at ",
    ),
    (
        {"monotonic_cst": {"income": 1}, "default": "abstain"},
        'monotonic_cst must be None if default="abstain"',
    ),
    (
        {"monotonic_cst": {"income": 1}, "y": X["job"]},
        "needs two labels, numbers, or an ordered category as y",
    ),
    (
        {"never": "yes WHERE age < 18", "conflicts": "vote"},
        "never must be None if conflicts='vote'",
    ),
    (
        {
            "default": "abstain",
            "complete": True,
            "never": ["yes WHERE age < 30", "no WHERE age >= 30 AND age < 40"],
            "rules": "IF age < 20 THEN no",
            "forbidden": list(X),
        },
        "complete must be False: rules for one label cannot fill",
    ),
    (
        {"rules": KEPT, "y": [{label} for label in Y]},
        "rules must be None if rows have several labels",
    ),
    (
        {"rules": "IF age < 21 THEN no\nDEFAULT no", "describe": "no"},
        "rules must have no default if describe says otherwise",
    ),
    (
        {
            "rules": "IF job in {none, clerk} THEN no\nDEFAULT yes",
            "monotonic_cst": {"job": 1},
            "ordered": {"job": ["none", "cook", "clerk", "nurse"]},
        },
        "refuted: outcome INCREASES WITH job FROM none, cook, clerk, nurse ORDER no, yes: yes ",
    ),
    (
        {"default": "abstain", "scoring": "f1_macro", "selection": "validation"},
        'scoring must rate probabilities if default="abstain"',
    ),
]


@pytest.mark.parametrize(("options", "text"), EXCLUDED, ids=[text for _, text in EXCLUDED])
def test_what_excludes_each_other_is_an_error(options, text):
    with pytest.raises((DataError, ConflictError), match=text):
        fitted(**options)


# --- directions of ordered categories

SIZES = ["none", "cook", "clerk", "nurse"]


def sized(n=400, seed=2):
    """Return rows of which the later jobs, with missing ones in between, are more often granted."""
    X, _ = applicants(n, seed)
    rng = np.random.default_rng(seed)
    places = np.array([SIZES.index(job) for job in X["job"]])
    y = np.where(places * 15 + X["income"] + rng.normal(0, 15, n) > 75, "yes", "no")
    X["job"] = np.where(rng.random(n) < 0.1, None, X["job"])
    return X, y


SIZED = sized()
BY_PANDAS = pd.DataFrame(SIZED[0]).assign(job=lambda t: pd.Categorical(t.job, SIZES, ordered=True))
ORDER = "WITH job FROM none, cook, clerk, nurse ORDER no, yes"


@pytest.mark.parametrize("sign", [1, -1])
def test_predictions_follow_the_order_of_a_category(sign):
    asked = {"monotonic_cst": {"job": sign}, "moves": 500}
    listed = fitted(*SIZED, ordered={"job": SIZES}, **asked)
    given = fitted(BY_PANDAS, SIZED[1], **asked)
    for clf in (listed, given):
        proved(clf)
        word = "INCREASES" if sign > 0 else "DECREASES"
        assert clf.certificate_.proved == (f"outcome {word} {ORDER}",)
        for point in clf.pareto_front_:
            for income in (10, 40, 70, 100):
                cases = {**dict.fromkeys(("age", "debt"), [30] * 4), "income": [income] * 4}
                granted = point.rule_set.predict({**cases, "job": SIZES}) == "yes"
                assert granted.tolist() == sorted(granted, reverse=sign < 0)
    if sign > 0:
        assert any("job" in rule.region.conditions() for rule in listed.rules_)


def test_an_order_of_a_category_stays_in_a_file():
    clf = fitted(BY_PANDAS, SIZED[1], monotonic_cst={"job": 1})
    text = irenic.dumps(clf, format="json")
    again = irenic.read_model(text)
    assert again.certificate_.proved == clf.certificate_.proved
    assert irenic.dumps(again, format="json") == text
    for orders, message in {
        '"orders": {"income": ["none"]': '"orders" must name categories of the space',
        '"orders": {"job": ["none", "none"]': "\"orders\" must list values of 'job' once",
        '"orders": {"job": 3': '"orders" must be lists of values by name',
    }.items():
        broken = re.sub(r'"orders": \{"job": \[[^]]*\]', orders, text)
        with pytest.raises(FormatError, match=message):
            irenic.read_model(broken.encode())


def test_directions_in_a_knowledge_file(run, tmp_path):
    pd.DataFrame(SIZED[0]).assign(y=SIZED[1]).to_csv(tmp_path / "rows.csv", index=False)
    path, model = tmp_path / "known.json", tmp_path / "model.json"
    known = {"monotonic_cst": {"job": 1, "income": 1}, "ordered": {"job": SIZES}}
    path.write_text(json.dumps(known))
    options = ["--cv", 0, "--budget", 0.5, "-o", model]
    assert run("learn", tmp_path / "rows.csv", "--knowledge", path, *options)[0] == 0
    assert irenic.read_model(model).certificate_.proved == (
        f"outcome INCREASES {ORDER}",
        "outcome INCREASES WITH income ORDER no, yes",
    )
    for known, message in {
        '{"monotonic_cst": {"job": "+"}}': "'monotonic_cst' must be an object of 1, -1 or 0 by col",
        '{"ordered": {"job": "none"}}': "'ordered' must be an object of lists by column",
    }.items():
        path.write_text(known)
        with pytest.raises(FormatError, match=message):
            irenic.learn.Knowledge.load(path)
