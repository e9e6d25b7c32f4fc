"""Prefixes are sets of texts: compared with a matcher that tries all short texts."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from irenic import (
    MISSING,
    OTHER,
    Categorical,
    ConditionError,
    DataError,
    FormatError,
    Region,
    Rule,
    RuleSet,
    Space,
    SpaceError,
    dumps,
    gaps,
    loads,
)
from irenic.model import Prefix
from irenic.model.condition import bits_operators, bits_text, encode, recode
from irenic.model.features import MISSING_CODE
from irenic.model.notation import parse_conditions
from irenic.model.region import witness_among
from irenic.model.spaces import common_space, in_space
from refusals import refuses, rejects

TEXTS = ["".join(signs) for n in range(1, 5) for signs in product("abc", repeat=n)]
"""All texts of at most four of three letters; features name at most three of two letters."""
NAMED = [text for text in TEXTS if len(text) < 4 and "c" not in text]


def is_among(text, terms):
    """Return whether a text is one of some texts, or begins with one of some prefixes."""
    return any(
        text.startswith(term.text) and not is_among(text, term.without)
        if isinstance(term, Prefix)
        else text == term
        for term in terms
    )


def satisfies(text, operators):
    inside = [term for op in ("in", "=") if op in operators for term in listed(operators[op])]
    if ("in" in operators or "=" in operators) and not is_among(text, inside):
        return False
    return not is_among(text, operators.get("not in", []))


def listed(operand):
    return operand if isinstance(operand, list) else [operand]


def terms(texts):
    return st.lists(
        st.one_of(st.sampled_from(texts), st.sampled_from(texts).map(Prefix)),
        min_size=1,
        max_size=6,
        unique=True,
    )


def features(name="icd"):
    return st.builds(
        lambda values, missing, other: Categorical(name, values, missing=missing, other=other),
        terms(NAMED),
        st.booleans(),
        st.booleans(),
    )


@st.composite
def sets(draw):
    """Draw a feature, and bits of some of its values."""
    feature = draw(features())
    bits = draw(st.integers(1, 2 ** (len(feature.values) + 2) - 1)) & feature.everything
    return feature, bits or feature.everything


# --- encoding


@given(features())
def test_text_belongs_to_longest_prefix_that_it_begins_with(feature):
    for text in TEXTS:
        code = feature.encode_value(text)
        if text in feature.values:
            assert feature.decode_value(code) == text
            continue
        begins = [p for p in feature.values if isinstance(p, Prefix) and text.startswith(p.text)]
        longest = max(begins, key=lambda p: len(p.text), default=OTHER)
        assert feature.decode_value(code) == longest


@given(features())
def test_columns_records_and_single_values_have_same_codes(feature):
    space = Space([Categorical(feature.name, feature.values, missing=True, other=True)])
    (category,) = space.features
    codes = [category.encode_value(text) for text in TEXTS]
    assert space.encode({"icd": TEXTS}).codes[0].tolist() == codes
    assert [space.records.numbers({"icd": text})[0] for text in TEXTS] == codes
    assert [space.encode_point({"icd": text}).codes[0, 0] for text in TEXTS] == codes
    many = TEXTS * 20  # distinct texts are looked up once
    pytest.importorskip("pyarrow")
    import polars as pl

    assert space.encode(pl.DataFrame({"icd": many})).codes[0].tolist() == codes * 20


@given(features())
def test_examples_have_their_codes(feature):
    for code in range(len(feature.values) + 2):
        example = feature.example(code)
        assert feature.encode_value(example) == code
        assert not isinstance(example, Prefix)


def test_example_of_prefix_reads_like_its_texts():
    feature = Categorical("icd", ["I20", Prefix("I2"), Prefix("80"), Prefix("other")], other=True)
    assert [feature.example(code) for code in range(1, 6)] == ["0", "I20", "I21", "800", "other0"]
    crowded = Categorical("x", [Prefix("a"), *(Prefix(f"a{chr(i)}") for i in range(33, 300))])
    assert crowded.encode_value(crowded.example(2)) == 2


# --- conditions


@given(st.data())
def test_condition_holds_for_texts_that_match(data):
    feature = data.draw(features())
    chosen = st.lists(st.sampled_from(feature.values), min_size=1, max_size=4)
    shapes = st.fixed_dictionaries({}, optional={"in": chosen, "not in": chosen})
    operators = data.draw(shapes.filter(bool))
    texts = [text for text in TEXTS if feature.admits(feature.encode_value(text))]
    holds = {text for text in texts if satisfies(text, operators)}
    if not holds and not feature.admits(MISSING_CODE) and not feature.other:
        return
    try:
        bits = encode(feature, operators)
    except Exception:
        assert not holds
        return
    assert {text for text in texts if bits >> feature.encode_value(text) & 1} == holds


@given(sets())
def test_written_condition_names_same_texts(pair):
    feature, bits = pair
    operators = bits_operators(feature, bits)
    for text in TEXTS:
        code = feature.encode_value(text)
        if feature.admits(code) and "missing" not in operators:
            assert satisfies(text, operators) == bool(bits >> code & 1)


@given(sets())
def test_text_of_condition_reads_back_as_same_condition(pair):
    feature, bits = pair
    text = bits_text(feature, bits)
    if text:
        (parsed,) = parse_conditions(text)
        assert encode(feature, parsed.operators) == bits
    space = Space([feature])
    region = Region.from_parsed(parse_conditions(text), space) if text else Region(space)
    assert Region.parse(region.to_text(), space) == region


@given(st.lists(sets(), min_size=1, max_size=1), st.sampled_from(["json", "rules"]))
def test_rules_read_back_equal(pairs, kind):
    ((feature, bits),) = pairs
    space = Space([feature])
    region = Region(space, {"icd": bits_operators(feature, bits)} if bits_text(*pairs[0]) else {})
    rules = RuleSet([Rule(region, then="A")], space)
    read = loads(dumps(rules, format=kind), format=kind, space=None if kind == "json" else space)
    assert read == rules


@given(sets())
def test_witness_satisfies_condition(pair):
    feature, bits = pair
    witness = witness_among(feature, bits)
    assert bits >> feature.encode_value(witness) & 1


@given(features(), features())
def test_condition_keeps_its_texts_in_a_finer_space(first, second):
    both = Categorical("icd", dict.fromkeys([*first.values, *second.values]), other=True)
    for code in range(2, len(first.values) + 2):
        bits = recode(first, 1 << code, both)
        for text in TEXTS:
            expected = first.encode_value(text) == code
            assert bool(bits >> both.encode_value(text) & 1) == expected


@given(sets(), sets())
def test_rules_of_two_spaces_mean_the_same_in_their_common_space(mine, theirs):
    sets_ = []
    for feature, bits in (mine, theirs):
        space = Space([feature])
        masks = {"icd": bits_operators(feature, bits)} if bits_text(feature, bits) else {}
        sets_.append(RuleSet([Rule(Region(space, masks), then="A")], space))
    space = common_space(*sets_)
    for rules in sets_:
        (own,), (rule,) = rules.space.features, in_space(rules, space)
        for text in TEXTS:
            if own.admits(own.encode_value(text)):
                expected = rules[0].region.contains({"icd": [text]})[0]
                assert rule.region.contains({"icd": [text]})[0] == expected


# --- rules


@given(st.data())
def test_decisions_conflicts_and_gaps_are_those_of_texts(data):
    parts = data.draw(st.lists(terms(NAMED), min_size=1, max_size=4))
    thens = data.draw(st.lists(st.sampled_from("AB"), min_size=len(parts), max_size=len(parts)))
    rules = RuleSet(
        [Rule({"icd": set(part)}, then=t) for part, t in zip(parts, thens, strict=True)]
    )
    decided = [
        {then for part, then in zip(parts, thens, strict=True) if is_among(text, part)}
        for text in TEXTS
    ]
    assert bool(rules.conflicts()) == any(len(each) > 1 for each in decided)
    for conflict in rules.conflicts():
        text = conflict.witness["icd"]
        places = conflict.first, conflict.second
        assert all(is_among(text, parts[place]) for place in places)
    found = gaps(rules)
    for region in found.regions:
        assert not any(is_among(region.witness()["icd"], part) for part in parts)
    uncovered = [text for text, each in zip(TEXTS, decided, strict=True) if not each]
    assert all(any(region.contains({"icd": [t]})[0] for region in found.regions) for t in uncovered)
    if not rules.conflicts():
        expected = [next(iter(each), None) for each in decided]
        assert [*rules.predict({"icd": TEXTS})] == expected
        decide = rules.decider()
        assert [decide({"icd": text}) for text in TEXTS] == expected


def test_values_are_added_to_open_prefixes():
    space = Space([Categorical("icd", [Prefix("I2")])])
    wider = space.opened_to(Space([Categorical("icd", ["I21", "K5", Prefix("I23"), Prefix("I")])]))
    assert wider["icd"].values == (Prefix("I2"), "I21", Prefix("I23"))


def test_prefix_of_closed_feature_stands_for_its_values():
    space = Space([Categorical("icd", ["I20", "I21", "K5"])])
    assert str(Region(space, {"icd": {Prefix("I2")}})) == "icd in {I20, I21}"
    assert str(Region.parse("icd not in {I2*}", space)) == "icd in {K5}"


# --- notation


@pytest.mark.parametrize(
    ("text", "members"),
    [
        ("icd in {I2*}", [Prefix("I2")]),
        ("icd in {80*, C50.*, 2.1*, a-b/c%*}", [*map(Prefix, ("80", "C50.", "2.1", "a-b/c%"))]),
        ('icd in {"a b"*, "*"*}', [Prefix("a b"), Prefix("*")]),
        ('icd in {"I2*"}', ["I2*"]),
        ("icd in {I2* except {I21, I23*}}", [Prefix("I2", ("I21", Prefix("I23")))]),
        ("icd in {2026-01*}", [Prefix("2026-01")]),
    ],
)
def test_prefixes_are_parsed(text, members):
    (condition,) = parse_conditions(text)
    assert condition.operators == {"in": members}
    space = Space([Categorical("icd", ["x"], other=True)]).opened_to(
        RuleSet([Rule({"icd": members}, then="A")]).space
    )
    assert str(Region.parse(text, space)) == text


def test_prefix_can_be_compared_for_equality():
    assert parse_conditions("icd = I2*")[0].operators == {"=": Prefix("I2")}
    assert parse_conditions("icd != I2*")[0].operators == {"not in": [Prefix("I2")]}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("IF icd in {I2*} THEN B*", r"B\* stands for many texts; put it in quotes if it is one"),
        ("IF age < 8* THEN B", r"8\* stands for many texts"),
        ("IF icd in {I2* except {K5}} THEN B", r"I2\* can leave out texts and prefixes that begin"),
        ("IF icd in {I2* except {I2*}} THEN B", r"I2\* can leave out texts and prefixes"),
        ("IF icd in {I2* except {missing}} THEN B", r"I2\* can leave out texts"),
    ],
)
def test_wrong_prefixes_are_refused(text, message):
    refuses(FormatError, message, Rule.parse, text)


def test_prefix_is_no_consequent_and_no_bound():
    refuses(ConditionError, r"must be one value, got I2\*", Rule, {}, then=Prefix("I2"))
    refuses(FormatError, r"I2\* stands for many texts", parse_conditions, "icd >= I2*")


def test_prefix_needs_text():
    rejects(FormatError, "a prefix must be a non-empty text, got ''", Prefix, "")
    rejects(FormatError, "what a prefix leaves out must be a list, got 'I21'", Prefix, "I2", "I21")
    listed = [Prefix("I", ["I2"])]
    refuses(SpaceError, "must be a prefix without exceptions", Categorical, "icd", listed)


def test_prefix_is_refused_where_the_space_does_not_distinguish_it():
    space = Space([Categorical("icd", ["I21"], other=True)])
    message = r"unknown value I2\*; did you mean 'I21'\?"
    refuses(ConditionError, message, Region, space, {"icd": {Prefix("I2")}})


def test_numbers_in_a_column_of_codes_are_refused():
    space = Space([Categorical("zip", [Prefix("80")], other=True, missing=True)])
    message = "no value is known, because 80331 is a number, and '80\\*' among the values"
    refuses(DataError, message, space.encode, {"zip": [80331, None]})


def test_repr_and_members():
    prefix = Prefix("I2", ["I23", Prefix("I21")])
    assert repr(prefix) == "Prefix('I2', without=[Prefix('I21'), 'I23'])"
    assert eval(repr(prefix)) == prefix
    assert [x in prefix for x in ("I2", "I210", "I23", "K", Prefix("I21"), Prefix("I24"))] == (
        [True, False, False, False, False, True]
    )
    assert Prefix("I") not in prefix
    assert Prefix("I2") not in prefix
    assert MISSING not in prefix
