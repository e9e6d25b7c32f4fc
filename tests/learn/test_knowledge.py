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
from irenic.learn._cells import Cells
from irenic.learn._knowledge import Knowledge, Property
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


def proved(clf):
    """Assert that each rule set of a front keeps what was asked for, as ``prove`` sees it."""
    check_consistent(clf)
    assert clf.certificate_.proved
    for index in range(len(clf.pareto_front_)):
        verdicts = prove(clf.select(index=index), clf.certificate_.proved)
        assert [verdict.holds for verdict in verdicts] == [True] * len(verdicts)


# --- probabilities

CONTRADICTED = [
    {"rules": "IF income >= 60 THEN no"},
    {"never": "yes WHERE income >= 60"},
    {"always": "no WHERE income >= 60"},
]


@pytest.mark.parametrize("options", CONTRADICTED, ids=lambda options: next(iter(options)))
@pytest.mark.parametrize("selection", ["validation", "description"])
def test_probabilities_are_those_of_rows_that_contradict_what_users_know(options, selection):
    clf = quick(moves=300, selection=selection, **options).fit(*applicants())
    new, labels = applicants(4000, seed=1)
    rich = new["income"] >= 60
    assert (clf.predict(new)[rich] == "no").all()
    likely = clf.predict_proba(new)[:, 0]
    assert likely[rich].mean() == pytest.approx((labels[rich] == "no").mean(), abs=0.08)
    assert clf.chosen_.probabilities.raised_from is None
    again = irenic.read_model(irenic.dumps(clf, format="json"))
    assert again.predict_proba(new)[:, 0].tolist() == likely.tolist()
    counted = again.recount(new, labels)
    assert counted.predict_proba(new)[rich, 0].mean() == pytest.approx(
        (labels[rich] == "no").mean(), abs=0.02
    )
    assert counted.chosen_.probabilities.raised_from is None
    decision = clf.explain({name: column[rich][:1] for name, column in new.items()})[0]
    assert decision.probability.probability == pytest.approx(likely[rich][0])
    assert "raised" not in decision.text


def test_probabilities_are_those_of_rows_that_contradict_a_sign():
    X, y = applicants()
    clf = quick(moves=300, monotonic_cst={"income": -1}).fit(X, y)
    said, likely = clf.predict(X), clf.predict_proba(X)
    for code, label in enumerate(clf.classes_):
        share = (y[said == label] == label).mean()
        assert likely[said == label, code].mean() == pytest.approx(share, abs=0.05)
    assert (clf.classes_[likely.argmax(axis=1)] != said).any()
    assert clf.chosen_.probabilities.raised_from is None


def test_frequencies_without_regions_are_those_of_the_rows_too():
    X, y = applicants()
    clf = quick(rules="IF income >= 60 THEN no").fit(X, y)
    clf.chosen_ = replace(clf.chosen_, probabilities=None)
    rich = X["income"] >= 60
    assert clf.predict_proba(X)[rich, 0] == pytest.approx((y[rich] == "no").mean(), abs=0.01)


def test_scores_by_probabilities_are_those_of_the_rows_that_contradict_rules():
    X, y = applicants()
    options = {"rules": "IF income >= 60 THEN no", "moves": 300, "selection": "validation"}
    clf = quick(scoring="log_loss", **options).fit(X, y)
    likely = clf.predict_proba(X)[np.arange(len(y)), np.searchsorted(clf.classes_, y)]
    assert clf.chosen_.training_score == pytest.approx(np.log(likely).mean())
    # a prediction that leads would have a log-loss of 0.7 where the rule is wrong
    assert clf.estimate_.score > -0.5


# --- rules to keep

KEPT = """IF age < 21 THEN no
IF age >= 21 AND income >= 100 AND job = nurse THEN yes"""


@pytest.fixture(scope="module")
def kept():
    return RuleSetClassifier(rules=KEPT, generations=2, moves=500, random_state=0).fit(
        *applicants()
    )


def test_kept_rules_are_the_first_of_every_rule_set(kept):
    check_consistent(kept)
    for point in kept.pareto_front_:
        assert [str(rule) for rule in point.rule_set][:2] == [
            "IF age < 21 THEN no",
            "IF age >= 21 AND income >= 100 AND job in {nurse} THEN yes",
        ]
        assert point.n_kept == 2
    assert len(kept.pareto_front_) > 1


def test_rows_of_kept_rules_are_predicted_by_them(kept):
    case = {
        "age": [20, 50],
        "income": [119.0, 119.0],
        "debt": [0.0, 59.0],
        "job": ["cook", "nurse"],
    }
    assert kept.predict(case).tolist() == ["no", "yes"]
    minor, nurse = kept.explain(case)
    assert (minor.rules[0], nurse.rules[0]) == (0, 1)
    X, y = applicants()
    young = X["age"] < 21
    wrong, rows = int((y[young] == "yes").sum()), int(young.sum())
    assert wrong > 0
    assert f"your rule: {wrong} of {rows} training rows have another label" in minor.text


def test_every_learned_rule_decides_a_row_of_its_own(kept):
    X, _ = applicants()
    for point in kept.pareto_front_:
        covers = point.rule_set.covering(X)
        free = ~covers[:, :2].any(axis=1)
        assert covers[free, 2:].any(axis=0).all()


def test_validated_scores_count_the_rows_of_kept_rules():
    X, y = applicants()
    wrong = RuleSetClassifier(
        rules="IF age >= 48 THEN no", generations=1, moves=100, random_state=0
    ).fit(X, np.where(X["age"] >= 48, "yes", y))
    share = (X["age"] >= 48).mean()
    assert wrong.estimate_.score < 1 - share + 0.05
    assert all(point.validated_score < 1 - share + 0.05 for point in wrong.pareto_front_)


def test_rules_of_any_form_are_the_same(kept, tmp_path):
    X, y = applicants()
    path = tmp_path / "mine.rules"
    path.write_text(KEPT)
    rules = irenic.loads(KEPT, format="rules")
    texts = [
        [str(rule) for rule in quick(rules=form).fit(X, y).rules_]
        for form in (KEPT, path, rules, RuleSet(list(rules)))
    ]
    assert texts == [texts[0]] * 4


def test_rules_of_a_model_are_edited_and_handed_back():
    X, y = applicants()
    first = quick().fit(X, y)
    text = "\n".join(map(str, first.rules_))
    text += f"\nDEFAULT {first.rules_.default}"
    again = quick(rules=text).fit(X, y)
    for point in again.pareto_front_:
        assert [str(r) for r in point.rule_set][: len(first.rules_)] == [
            str(r) for r in first.rules_
        ]
        assert point.rule_set.default == first.rules_.default
    edited = text.splitlines()[1:]
    second = quick(rules="\n".join(edited)).fit(X, y)
    assert [str(rule) for rule in second.rules_][: len(edited) - 1] == edited[:-1]
    assert quick(rules=first).fit(X, y).chosen_.n_kept == len(first.rules_)


def test_rules_may_decide_every_row():
    X, y = applicants()
    clf = quick(rules="IF age >= 0 THEN no", selection="validation").fit(X, y)
    assert [str(rule) for rule in clf.rules_] == ["IF age >= 0 THEN no"]
    assert clf.predict(X).tolist() == ["no"] * len(y)


def test_values_that_no_row_has():
    X, y = applicants()
    clf = quick(rules="IF job = pilot THEN yes\nIF job not in {cook, pilot, nurse} THEN no").fit(
        X, y
    )
    check_consistent(clf)
    case = {
        "age": [50] * 3,
        "income": [5.0] * 3,
        "debt": [50.0] * 3,
        "job": ["pilot", "king", "none"],
    }
    assert clf.predict(case).tolist() == ["yes", "no", "no"]


def test_max_rules_counts_kept_rules(kept):
    assert len(kept.select(max_rules=3).rules_) <= 3
    with pytest.raises(irenic.errors.ConditionError, match="the smallest has 2 rules"):
        kept.select(max_rules=1)


@pytest.mark.parametrize(
    ("name", "most", "text"),
    [
        ("max_rules", 1, "max_rules must be at least 2, which the rules to keep have, got 1"),
        ("max_conditions", 3, "max_conditions must be at least 4, which the rules to keep have"),
    ],
)
def test_kept_rules_must_not_be_too_many(name, most, text):
    with pytest.raises(DataError, match=text):
        quick(rules=KEPT, **{name: most}).fit(*applicants())
    assert len(quick(rules=KEPT, **{name: most + 1}).fit(*applicants()).rules_) == 2


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


@given(consistent_rules(), st.integers(0, 5))
@examples(0.3)
def test_any_rules_are_kept_and_not_contradicted(rules, seed):
    X, y = applicants(seed=seed)
    clf = quick(rules=rules, moves=500).fit(X, y)
    check_consistent(clf)
    for point in clf.pareto_front_:
        assert point.rule_set.thens[: len(rules)] == rules.thens
        for before, after in zip(rules, point.rule_set, strict=False):
            assert before.region.cast(after.region.space) == after.region
    covers = rules.covering({name: X[name] for name in rules.space.names})
    for row, then in zip(covers.T, rules.thens, strict=True):
        assert set(clf.predict({name: X[name][row] for name in X})) <= {then} if row.any() else True


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
    return draw(
        st.sampled_from(["never", "always"])
    ), f"{draw(st.sampled_from(['a', 'b', 'c']))} WHERE {where}"


@given(properties(), st.integers(0, 5))
@examples(0.3)
def test_what_must_hold_is_proved(given_property, seed):
    X, y = applicants(seed=seed)
    labels = np.where(X["age"] > 60, "c", np.where(y == "yes", "a", "b"))
    word, text = given_property
    clf = quick(**{word: text}, moves=500).fit(X, labels)
    proved(clf)
    assert clf.certificate_.proved == (f"{word.upper()} {text}",)


def test_several_properties_share_a_region():
    X, y = applicants()
    labels = np.where(X["age"] > 60, "c", np.where(y == "yes", "a", "b"))
    clf = quick(
        never=["a WHERE income < 50", "NEVER b WHERE debt > 20"], always="b OR c WHERE age >= 70"
    ).fit(X, labels)
    proved(clf)
    with pytest.raises(
        DataError,
        match=r"no label is allowed where age >= 70 and income < 50 and debt > 20, because of",
    ):
        quick(never=["a WHERE income < 50", "b WHERE debt > 20", "c WHERE age >= 70"]).fit(
            X, labels
        )


def test_where_no_rule_is_needed_none_is_added():
    X, y = applicants()
    default = quick().fit(X, y).pareto_front_[0].rule_set.default
    clf = quick(always=f"{default} WHERE age >= 78").fit(X, y)
    assert len(clf.pareto_front_[0].rule_set) == 0
    proved(clf)


def test_abstaining_models_keep_properties_too():
    X, y = applicants()
    clf = quick(default="abstain", always="no WHERE age < 18", never="NOTHING WHERE debt > 50").fit(
        X, y
    )
    proved(clf)
    assert clf.pareto_front_[0].rule_set.default is None


# --- proofs

FIELDS = Space(
    [
        Continuous("x", missing=True),
        Continuous("n", kind="integer", bounds=(0, 4)),
        Categorical("job", ["cook", "nurse"], missing=True, other=True),
    ],
)


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
        conditions["job"] = draw(
            st.sets(st.sampled_from(["cook", "nurse"]), min_size=1, max_size=1)
        )
    return conditions


@given(st.data())
@examples(4)
def test_objections_are_those_of_prove(data):
    """What is accepted and refused of any rules is what the prover of properties says."""
    impossible = data.draw(st.lists(regions().filter(bool), max_size=1))
    space = Space(FIELDS, impossible)
    labels = data.draw(st.sampled_from([("a", "b"), ("a", "b", "c")]))
    rules = RuleSet([], space, default=data.draw(st.sampled_from(labels)))
    for conditions in data.draw(st.lists(regions(), max_size=5)):
        rule = Rule(irenic.Region(space, conditions), then=data.draw(st.sampled_from(labels)))
        if not len(rules.rivals_of(rule.region, rule.then)):
            rules.add(rule)
    word, label = (
        data.draw(st.sampled_from(["never", "always"])),
        data.draw(st.sampled_from(labels)),
    )
    region = irenic.Region(space, data.draw(regions()))
    where = f" WHERE {region}" if region.n_conditions else ""
    known = Knowledge(
        space,
        (*labels, None),
        RuleSet([], space),
        properties=tuple(Property.read(word, f"{label}{where}"))
        if data.draw(st.booleans())
        else (),
        signs=data.draw(
            st.dictionaries(st.sampled_from("xn"), st.sampled_from([1, -1]), max_size=2)
        ),
        ranks=np.array(data.draw(st.permutations(range(len(labels))))),
    )
    table = replace(irenic.DecisionTable.from_rules(rules), ranking=labels)
    verdicts = prove(table, known.claims()) if known.claims() else []
    assert (known.objection(rules) == "") == all(verdict.holds for verdict in verdicts)


# --- increasing predictions


@given(st.integers(0, 50), st.sampled_from([{"income": 1}, {"income": 1, "debt": -1}, {"age": 1}]))
@examples(0.3)
def test_predictions_increase_everywhere(seed, signs):
    X, y = applicants(seed=seed)
    X["income"][::7] = np.nan
    clf = quick(monotonic_cst=signs, moves=800).fit(X, y)
    proved(clf)
    assert len(clf.certificate_.proved) == len(signs)


@given(st.integers(0, 20))
@examples(0.2)
def test_ordered_labels_increase_everywhere(seed):
    X, _ = applicants(seed=seed)
    y = np.digitize(
        X["income"] - X["debt"] + np.random.default_rng(seed).normal(0, 9, 300), [0, 40]
    )
    clf = quick(monotonic_cst={"income": 1, "debt": -1}, moves=2_000).fit(X, y)
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
    clf = RuleSetClassifier(monotonic_cst=dict.fromkeys("abc", 1), random_state=0)
    clf.fit(X[learn], y[learn])
    assert len(clf.certificate_.proved) == 3
    assert {*clf.rules_.thens, clf.rules_.default} == {0, 1, 2, 3, 4}
    assert clf.score(X[test], y[test]) > 0.56


def test_columns_by_position_and_labels_of_pandas():
    X, y = applicants()
    names = list(X)
    order = pd.Series(pd.Categorical(y, categories=["yes", "no"], ordered=True))
    by_name = quick(monotonic_cst={"income": -1}).fit(X, order)
    by_place = quick(monotonic_cst=[-1 if n == "income" else 0 for n in names]).fit(X, order)
    assert list(by_name.rules_) == list(by_place.rules_)
    assert by_name.certificate_.proved == ("outcome DECREASES WITH income ORDER yes, no",)
    proved(by_name)


def test_missing_values_are_neither_high_nor_low():
    X, y = applicants()
    X["income"][::7] = np.nan
    clf = quick(rules="IF income is missing THEN yes\nDEFAULT no", monotonic_cst={"income": 1})
    proved(clf.fit(X, y))


def test_names_that_need_quotes_are_quoted_in_claims():
    X, y = applicants()
    X = {f"the {name}": column for name, column in X.items()}
    clf = quick(monotonic_cst={"the income": 1}).fit(X, np.where(y == "yes", ">50K", "<=50K"))
    assert clf.certificate_.proved == ('outcome INCREASES WITH "the income" ORDER "<=50K", ">50K"',)
    proved(clf)


def test_completed_models_keep_everything():
    X, y = applicants()
    clf = quick(
        rules="IF age < 21 THEN no",
        monotonic_cst={"income": 1},
        never="yes WHERE debt > 50",
        complete=True,
        moves=50,
    ).fit(X, y)
    assert len(clf.certificate_.proved) == 2
    assert clf.certificate_.is_consistent
    assert clf.certificate_.is_complete
    assert all(verdict.holds for verdict in prove(clf, clf.certificate_.proved))


# --- conditions


def test_ordered_categories_make_ranges():
    rng = np.random.default_rng(0)
    grades = ["low", "fair", "good", "top"]
    code = rng.integers(0, 4, 200)
    X = pd.DataFrame({"grade": pd.Categorical.from_codes(code, grades, ordered=True)})
    y = np.isin(code, [0, 2])  # not a range, so that sets would be better
    sets = quick(ordered=None).fit(X.astype(str), y).rules_
    assert [str(rule.region) for rule in sets if rule.then] == ["grade in {good, low}"] or len(
        sets
    ) == 1
    for clf in (
        quick().fit(X, y),
        quick(ordered={"grade": grades}).fit(X.astype(str), y),
        quick(ordered="grade", space=Space([Categorical("grade", grades)])).fit(X.astype(str), y),
    ):
        for point in clf.pareto_front_:
            for rule in point.rule_set:
                inside = rule.region.contains({"grade": grades})
                assert np.abs(np.diff(inside.astype(int))).sum() <= 1 or inside.sum() <= 2
                ends = np.flatnonzero(inside)
                assert len(ends) == ends[-1] - ends[0] + 1
        assert clf.score(X.astype(str), y) == 1.0 or len(clf.rules_) >= 1


@pytest.mark.parametrize("value", ["is missing", "in {top}", "not in {low, fair, good, top}"])
@pytest.mark.parametrize("way", ["pandas", "mapping"])
def test_properties_of_ordered_values_without_rows_lose_no_rule_sets(way, value):
    rng = np.random.default_rng(0)
    grades, code, size = (
        ["low", "fair", "good", "top"],
        rng.integers(0, 3, 300),
        rng.normal(size=300),
    )
    X = pd.DataFrame({"grade": pd.Categorical.from_codes(code, grades, ordered=True), "size": size})
    options = {}
    if way == "mapping":
        X, options = X.astype({"grade": str}), {"ordered": {"grade": grades}}
    y = np.where((size > 0.6) & (code > 0), "yes", "no")
    clf = quick(never=f"yes WHERE grade {value}", **options).fit(X, y)
    proved(clf)
    assert clf.score(X, y) > 0.99
    kept = quick(rules=f"IF grade {value} THEN no", **options).fit(X, y)
    check_consistent(kept)
    assert kept.score(X, y) > 0.99


@given(st.data())
@examples(0.3)
def test_no_rule_set_is_lost_to_values_without_rows(data):
    """Whatever the order and the property, what evolution finds is proved to keep it."""
    rng = np.random.default_rng(data.draw(st.integers(0, 9)))
    grades = ["low", "fair", "good", "top"]
    rows = data.draw(st.sets(st.sampled_from(range(4)), min_size=2))
    code, size = rng.choice(sorted(rows), 200), rng.normal(size=200)
    grade = pd.Series([grades[c] for c in code])
    if data.draw(st.booleans()):
        grade[::9] = None
    y = np.where((size > 0.5) | (code == max(rows)) & (size > -0.5), "yes", "no")
    test = data.draw(
        st.sampled_from(["is missing", "in {top}", "in {low, king}", "not in {fair, good}"])
    )
    order = [*grades, "king"] if "king" in test else grades
    word, label = (
        data.draw(st.sampled_from(["never", "always"])),
        data.draw(st.sampled_from(["yes", "no"])),
    )
    X = pd.DataFrame({"grade": grade, "size": size})
    lost = []
    objection = Knowledge.objection
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Knowledge, "objection", lambda *a: lost.append(objection(*a)) or lost[-1])
        clf = quick(**{word: f"{label} WHERE grade {test}"}, ordered={"grade": order}).fit(X, y)
    proved(clf)
    assert len(lost) > 5
    assert not any(lost)


def test_columns_of_pandas_may_be_named_as_ordered():
    rng = np.random.default_rng(0)
    grade = pd.Categorical.from_codes(rng.integers(0, 3, 60), ["low", "fair", "good"], ordered=True)
    X = pd.DataFrame({"grade": grade})
    y = grade.codes > 0
    assert list(quick(ordered="grade").fit(X, y).rules_) == list(quick().fit(X, y).rules_)


def test_forbidden_columns_are_not_tested():
    X, y = applicants()
    clf = quick(
        forbidden=["income", "job"], rules="IF income < 10 THEN no", describe="no", moves=500
    ).fit(X, y)
    check_consistent(clf)
    for point in clf.pareto_front_:
        assert not any(
            {"income", "job"} & set(rule.region.conditions()) for rule in point.rule_set[1:]
        )
    assert "debt" in {
        name for rule in clf.pareto_front_[-1].rule_set for name in rule.region.conditions()
    }


@pytest.mark.parametrize("n_values", [12, 100])
def test_sets_list_few_values(n_values):
    rng = np.random.default_rng(0)
    code = rng.integers(0, n_values, 1_500)
    X = {"town": np.array([f"t{c:03}" for c in code]), "size": rng.integers(0, 9, 1_500)}
    y = code % 2 == 0
    most = 0
    for point in quick(max_values=3, moves=2_000).fit(X, y).pareto_front_:
        for rule in point.rule_set:
            test = rule.region.conditions().get("town", {})
            most = max([most, *(len(values) for values in test.values())])
    assert most == 3


def test_costs_move_the_decision():
    X, y = applicants(600, seed=1)
    dear = {"no": {"yes": 5}, "yes": {"no": 1}}
    plain = RuleSetClassifier(generations=2, moves=500, random_state=0)
    costly = clone(plain).set_params(cost=dear)
    table = clone(plain).set_params(cost=[[0, 5], [1, 0]])
    plain.fit(X, y), costly.fit(X, y), table.fit(X, y)
    new, labels = applicants(1_000, seed=9)

    def cost(clf):
        predicted = clf.predict(new)
        return (
            5 * ((labels == "no") & (predicted == "yes")).sum()
            + ((labels == "yes") & (predicted == "no")).sum()
        )

    assert cost(costly) < 0.8 * cost(plain)
    assert list(costly.rules_) == list(table.rules_)
    predicted = costly.predict(X)
    paid = 5 * ((y == "no") & (predicted == "yes")) + ((y == "yes") & (predicted == "no"))
    assert costly.chosen_.training_score == pytest.approx(1 - paid.mean() / 5)


def test_equal_costs_are_the_accuracy():
    X, y = applicants()
    equal = quick(cost={"no": {"yes": 2}, "yes": {"no": 2}}).fit(X, y)
    assert list(equal.rules_) == list(quick().fit(X, y).rules_)


def test_impossible_cases_need_no_rule_and_rules_may_overlap_there():
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 10, (2, 400))
    both = (a >= 5) & (b >= 5)
    a[both] = b[both] = 2
    y = np.where(a >= 5, "x", np.where(b >= 5, "y", "z"))
    space = Space([Continuous("a"), Continuous("b")], [{"a": (5, None), "b": (5, None)}])
    clf = quick(space=space, moves=3_000).fit({"a": a, "b": b}, y)
    assert clf.space_.impossible
    assert {str(rule) for rule in clf.rules_} == {"IF a >= 5 THEN x", "IF b >= 5 THEN y"}
    assert clf.rules_.is_consistent
    assert not clf.rules_.conflicts()
    whole = quick(space=space, moves=3_000, complete=True).fit({"a": a, "b": b}, y)
    assert whole.certificate_.is_complete
    assert len(whole.rules_) == 3
    with pytest.warns(UserWarning, match="1 row of X cannot occur"):
        quick(space=space).fit({"a": [9, *a], "b": [9, *b]}, ["x", *y])
    assert irenic.loads(irenic.dumps(clf.rules_, format="rules"), format="rules").space.impossible


# --- cells


@given(st.data())
@examples(1)
def test_words_of_boxes_hold_what_boxes_hold(data):
    """A case in a box has its cell in the outer words; a cell of inner words is in the box."""
    X, y = people(80, seed=data.draw(st.integers(0, 3)))
    space = Space(
        [
            Continuous("age", missing=True),
            Categorical(
                "job", ["nurse", "clerk", "cook", "smith", "king"], missing=True, other=True
            ),
        ]
    )
    instances = space.encode(X[["age", "job"]])
    truth = np.eye(2)[(y == "low").astype(int)]
    conditions = {}
    if data.draw(st.booleans()):
        low = data.draw(st.integers(10, 60))
        conditions["age"] = (low, data.draw(st.integers(low + 1, 90)))
    if data.draw(st.booleans()):
        conditions["job"] = data.draw(
            st.sets(st.sampled_from(["nurse", "cook", "king"]), min_size=1)
        )
    box = irenic.Region(space, conditions).box
    around = box if data.draw(st.booleans()) else None
    limit = data.draw(st.sampled_from([4, 64]))
    cells = Cells.from_instances(instances, truth, np.ones(80), limit, around=around)
    outer, inner = cells.words(box)[0], cells.words(box, inside=True)[0]
    for case, row in zip(
        irenic.Region(space, conditions).contains(instances), cells.encode(instances).T, strict=True
    ):
        at = [int(word) >> int(cell) & 1 for word, cell in zip(outer, row, strict=True)]
        assert not case or all(at)
        within = [int(word) >> int(cell) & 1 for word, cell in zip(inner, row, strict=True)]
        assert case or not all(within)
    if around is not None and limit == 64:
        assert (outer == inner).all()


# --- the estimator


def test_parameters_survive_cloning_and_pickling(kept):
    X, y = applicants()
    clf = quick(
        rules=RuleSet([Rule({"age": (None, 21)}, then="no")]),
        never=["yes WHERE debt > 55"],
        monotonic_cst={"income": 1},
        cost=[[0, 2], [1, 0]],
        max_values=2,
        forbidden=["job"],
    )
    copied = clone(clf)
    assert copied.get_params()["never"] == ["yes WHERE debt > 55"]
    fitted = clf.fit(X, y)
    restored = pickle.loads(pickle.dumps(fitted))
    assert list(restored.rules_) == list(copied.fit(X, y).rules_) == list(fitted.rules_)
    assert restored.chosen_.n_kept == 1
    assert restored.certificate_.proved == fitted.certificate_.proved


def test_a_warm_start_keeps_the_rules():
    X, y = applicants()
    clf = quick(warm_start=True).fit(X, y)
    clf.set_params(rules="IF age < 21 THEN no", never="yes WHERE debt > 50").fit(X, y)
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
        (3, "never must be text or a list of texts, got 3"),
        ("yes IF age < 3", "never: 'NEVER yes IF age < 3': "),
        ("", "never: 'NEVER '"),
        (
            "yes OR no WHERE age < 18",
            "no label is allowed where age < 18, because of NEVER yes OR no WHERE age < 18",
        ),
    ],
    "always": [
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


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [(name, value, text) for name, cases in MISTAKES.items() for value, text in cases],
)
def test_mistakes_are_named(name, value, text):
    with pytest.raises((DataError, irenic.errors.FormatError, FileError), match=text):
        quick(**{name: value}).fit(*applicants())


def test_what_excludes_each_other_is_an_error():
    X, y = applicants()
    with pytest.raises(ConflictError, match="rules to keep must not contradict each other"):
        quick(rules="IF age < 21 THEN no\nIF age < 20 THEN yes").fit(X, y)
    with pytest.raises(
        DataError,
        match="exclude each other: IF age < 21 THEN no contradicts ALWAYS yes WHERE age < 18",
    ):
        quick(rules="IF age < 21 THEN no\nDEFAULT yes", always="yes WHERE age < 18").fit(X, y)
    with pytest.raises(
        DataError,
        match="predictions must increase with income, but not above IF 20 <= income < 30 THEN yes",
    ):
        quick(rules="IF 20 <= income < 30 THEN yes\nDEFAULT no", monotonic_cst={"income": 1}).fit(
            X, y
        )
    with pytest.raises(
        DataError,
        match="predictions must decrease with debt, but not below IF 20 <= debt < 30 THEN yes",
    ):
        quick(rules="IF 20 <= debt < 30 THEN yes\nDEFAULT no", monotonic_cst={"debt": -1}).fit(X, y)
    with pytest.raises(DataError, match="but not below IF 20 <= income < 30 THEN no"):
        quick(rules="IF 20 <= income < 30 THEN no\nDEFAULT yes", monotonic_cst={"income": 1}).fit(
            X, y
        )
    with pytest.raises(DataError, match='monotonic_cst must be None if default="abstain"'):
        quick(monotonic_cst={"income": 1}, default="abstain").fit(X, y)
    with pytest.raises(DataError, match="needs two labels, numbers, or an ordered category as y"):
        quick(monotonic_cst={"income": 1}).fit(X, X["job"])
    with pytest.raises(DataError, match="never must be None if conflicts='vote'"):
        quick(never="yes WHERE age < 18", conflicts="vote").fit(X, y)
    with pytest.raises(DataError, match="complete must be False: rules for one label cannot fill"):
        quick(
            default="abstain",
            complete=True,
            never=["yes WHERE age < 30", "no WHERE age >= 30 AND age < 40"],
            rules="IF age < 20 THEN no",
            forbidden=["age", "income", "debt", "job"],
        ).fit(X, y)
    with pytest.raises(DataError, match="rules must be None if rows have several labels"):
        quick(rules=KEPT).fit(X, [{label} for label in y])
    with pytest.raises(DataError, match="rules must have no default if describe says otherwise"):
        quick(rules="IF age < 21 THEN no\nDEFAULT no", describe="no").fit(X, y)


# --- what is probably a mistake


@pytest.mark.parametrize("word", ["never", "always"])
def test_a_label_that_no_row_has_is_refused(word):
    X, y = applicants()
    message = f"^{word}: '{word.upper()} yess .*': no row has the label yess"
    with pytest.raises(DataError, match=message):
        quick(**{word: "yess WHERE debt > 50"}).fit(X, y)


def test_errors_that_a_cost_does_not_list_cost_1():
    X, y = applicants()
    short = quick(cost={"no": {"yes": 5}}).fit(X, y)
    whole = quick(cost={"no": {"yes": 5}, "yes": {"no": 1}}).fit(X, y)
    assert short.rules_ == whole.rules_
    assert short.estimate_ == whole.estimate_


def test_the_confidence_of_a_kept_rule_is_that_of_its_rows():
    X, y = applicants()
    clf = quick(rules="IF age < 30 THEN no").fit(X, y)
    share = np.mean(y[np.asarray(X["age"]) < 30] == "no")
    assert clf.chosen_.counts.confidence[0] == pytest.approx(share, abs=0.02)


# --- with other options


def test_a_fit_without_forbidden_columns_may_test_them_again():
    X = {"a": np.arange(60) % 7, "b": np.arange(60) % 5}
    y = np.where(X["a"] > 3, "yes", "no")
    clf = quick(warm_start=True, forbidden="a").fit(X, y)
    assert clf.set_params(forbidden=None).fit(X, y).score(X, y) == 1.0


def test_costs_do_not_undo_balanced_scores():
    X, y = applicants()
    even = [[0, 1], [1, 0]]
    plain, costly = (quick(scoring="balanced_accuracy", cost=c).fit(X, y) for c in (None, even))
    assert plain.rules_ == costly.rules_
    assert np.allclose(plain.chosen_.counts.frequencies, costly.chosen_.counts.frequencies)


def test_labels_cannot_be_rated_where_nothing_is_predicted():
    X, y = applicants()
    clf = quick(default="abstain", scoring="f1_macro", selection="validation")
    with pytest.raises(DataError, match='scoring must rate probabilities if default="abstain"'):
        clf.fit(X, y)


def test_costs_of_a_model_that_was_read_are_the_same():
    X, y = applicants()
    clf = quick(cost={"no": {"yes": 5}}).fit(X, y)
    back = irenic.read_model(irenic.dumps(clf, format="json"))
    assert back.cost == [[0, 5], [1, 0]]
    assert [point.member for point in back.pareto_front_] == [
        point.member for point in clf.pareto_front_
    ]


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


@pytest.mark.parametrize("sign", [1, -1])
def test_predictions_follow_the_order_of_a_category(sign):
    X, y = sized()
    asked = {"monotonic_cst": {"job": sign}}
    by_pandas = pd.DataFrame(X).assign(job=pd.Categorical(X["job"], SIZES, ordered=True))
    listed = quick(**asked, ordered={"job": SIZES}, moves=800).fit(X, y)
    given = quick(**asked, moves=800).fit(by_pandas, y)
    for clf in (listed, given):
        proved(clf)
        word = "INCREASES" if sign > 0 else "DECREASES"
        assert clf.certificate_.proved == (
            f"outcome {word} WITH job FROM none, cook, clerk, nurse ORDER no, yes",
        )
        for point in clf.pareto_front_:
            for income in (10, 40, 70, 100):
                cases = {**dict.fromkeys(("age", "debt"), [30] * 4), "income": [income] * 4}
                granted = point.rule_set.predict({**cases, "job": SIZES}) == "yes"
                assert granted.tolist() == sorted(granted, reverse=sign < 0)
    if sign > 0:
        assert any("job" in rule.region.conditions() for rule in listed.rules_)


def test_an_order_of_a_category_stays_in_a_file(tmp_path):
    X, y = sized()
    by_pandas = pd.DataFrame(X).assign(job=pd.Categorical(X["job"], SIZES, ordered=True))
    clf = quick(monotonic_cst={"job": 1}, moves=800).fit(by_pandas, y)
    irenic.write(clf, tmp_path / "model.json")
    again = irenic.read_model(tmp_path / "model.json")
    assert again.certificate_.proved == clf.certificate_.proved
    assert irenic.dumps(again, format="json") == irenic.dumps(clf, format="json")
    text = (tmp_path / "model.json").read_text()
    for orders, message in {
        '"orders": {"income": ["none"]': '"orders" must name categories of the space',
        '"orders": {"job": ["none", "none"]': "\"orders\" must list values of 'job' once",
        '"orders": {"job": 3': '"orders" must be lists of values by name',
    }.items():
        broken = re.sub(r'"orders": \{"job": \[[^]]*\]', orders, text)
        with pytest.raises(FormatError, match=message):
            irenic.read_model(broken.encode())


def test_a_rule_with_a_hole_in_the_order_is_refused():
    X, y = sized()
    message = "predictions must increase with job, but not below IF job in {clerk, none} THEN no"
    with pytest.raises(DataError, match=message):
        quick(
            rules="IF job in {none, clerk} THEN no\nDEFAULT yes",
            monotonic_cst={"job": 1},
            ordered={"job": SIZES},
        ).fit(X, y)


def test_directions_in_a_knowledge_file(run, tmp_path):
    X, y = sized()
    pd.DataFrame({**X, "y": y}).to_csv(tmp_path / "rows.csv", index=False)
    known = {"monotonic_cst": {"job": 1, "income": 1}, "ordered": {"job": SIZES}}
    (tmp_path / "known.json").write_text(json.dumps(known))
    model = tmp_path / "model.json"
    options = ["--cv", 0, "--budget", 2, "-o", model]
    assert (
        run("learn", tmp_path / "rows.csv", "--knowledge", tmp_path / "known.json", *options)[0]
        == 0
    )
    assert irenic.read_model(model).certificate_.proved == (
        "outcome INCREASES WITH job FROM none, cook, clerk, nurse ORDER no, yes",
        "outcome INCREASES WITH income ORDER no, yes",
    )
    (tmp_path / "known.json").write_text('{"monotonic_cst": {"job": "+"}}')
    with pytest.raises(FormatError, match="'monotonic_cst' must be an object of 1, -1 or 0 by col"):
        irenic.learn.load_knowledge(tmp_path / "known.json")
    (tmp_path / "known.json").write_text('{"ordered": {"job": "none"}}')
    with pytest.raises(FormatError, match="'ordered' must be an object of lists by column"):
        irenic.learn.load_knowledge(tmp_path / "known.json")
