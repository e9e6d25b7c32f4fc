"""Rules in JSON and in text: written, read back, with mistakes, and in files."""

from __future__ import annotations

import datetime as dt
import json
import math
import os
import re
import sys
import zoneinfo
from contextlib import suppress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import irenic
from irenic import (
    Categorical,
    Continuous,
    FileError,
    FormatError,
    IrenicError,
    Region,
    Rule,
    RuleSet,
    Space,
)
from irenic.formats import text as text_rules
from irenic.formats.json import rules as json_rules
from irenic.model import Provenance
from irenic.model.literals import Expression, Months


def loads_json(text, space=None):
    return irenic.loads(text, format="json", space=space)


def loads_text(text, space=None):
    return irenic.loads(text, format="rules", space=space)


# --- arbitrary spaces, regions and rule sets

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
names = texts.filter(bool) | st.sampled_from(["in", "1st", "a b", "#", 'say "hi"', "P1D", "inf.x"])
scalars = st.one_of(
    *(texts, st.integers(-5, 5), st.integers(), st.booleans(), st.floats(allow_nan=False)),
    *(st.dates(), st.datetimes(), st.times(), st.timedeltas()),
    st.integers(-30, 30).map(Months),
)
values = st.recursive(
    scalars,
    lambda v: st.frozensets(v, max_size=3) | st.lists(v, max_size=3).map(tuple),
    max_leaves=4,
)
SPECIAL = [0.1, math.nextafter(0.1, 1), math.nextafter(5.0, 0), 5.0, 5e-324, 2.0**53 + 2]
numbers = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from(
    [*SPECIAL, sys.float_info.max]
)
VALUES_OF = {
    "number": numbers, "integer": st.integers(-(2**53), 2**53) | st.integers(-3, 3),
    "date": st.dates(), "datetime": st.datetimes(dt.datetime(1900, 1, 1), dt.datetime(2100, 1, 1)),
    "time": st.times(), "duration": st.timedeltas(dt.timedelta(-9999), dt.timedelta(9999)),
    "months": st.integers(-(2**53), 2**53).map(Months) | st.integers(-13, 13).map(Months),
}  # fmt: skip


@st.composite
def features(draw, name):
    missing = draw(st.booleans())
    if draw(st.booleans()):
        listed = draw(st.lists(values, max_size=4, unique=True))
        other = draw(st.booleans()) or not listed
        return Categorical(name, listed, missing=missing, other=other)
    kind = draw(st.sampled_from(sorted(VALUES_OF)))
    bounds = (None, None)
    if draw(st.booleans()):
        bounds = tuple(sorted([draw(VALUES_OF[kind]), draw(VALUES_OF[kind])]))
    return Continuous(name, kind=kind, missing=missing, bounds=bounds, unit=draw(texts))


@st.composite
def conditions(draw, feature):
    if isinstance(feature, Categorical):
        codes = [code for code in range(len(feature.values) + 2) if feature.admits(code)]
        chosen = draw(st.sets(st.sampled_from(codes), min_size=1))
        listed = [feature.values[code - 2] for code in sorted(chosen) if code > 1]
        return {"in": listed, "missing": 0 in chosen, "other": 1 in chosen}
    number = VALUES_OF[feature.kind]
    test = {}
    if draw(st.booleans()):
        test[draw(st.sampled_from(["<", "<="]))] = draw(number)
    if draw(st.booleans()):
        test[draw(st.sampled_from([">", ">="]))] = draw(number)
    elif draw(st.booleans()):
        test["missing"] = draw(st.booleans())
    return test


@st.composite
def regions(draw, space):
    found = {}
    for feature in space:
        if draw(st.booleans()):
            test = draw(conditions(feature))
            with suppress(irenic.ConditionError):  # empty, or outside the bounds
                Region(space, {feature.name: test})
                found[feature.name] = test
    return Region(space, found)


@st.composite
def rule_sets(draw, consequents=values):
    space = Space([draw(features(n)) for n in draw(st.lists(names, max_size=3, unique=True))])
    weights = st.sampled_from([1.0, 0.5, -2.0, math.inf, 1e300])
    rules = [
        Rule(draw(regions(space)), then=draw(consequents), weight=draw(weights))
        for _ in range(draw(st.integers(0, 3)))
    ]
    return RuleSet(rules, space, default=draw(st.none() | consequents))


def exactly(rules):
    """Return all that can be told of a rule set, types and the way of writing included."""
    entries = [(str(r), type(r.then), r.region.conditions(), r.weight) for r in rules]
    return repr(rules.space), entries, (type(rules.default), rules.default)


# --- read(write(x)) == x


@given(rule_sets(), st.sampled_from([".json", ".rules", ".txt", ".JSON"]))
def test_rules_read_back_exactly_as_written(tmp_path_factory, rules, suffix):
    again = loads_json(json_rules.dumps(rules))
    assert again == rules
    assert exactly(again)[1:] == exactly(rules)[1:]
    assert again.space == rules.space
    again = loads_text(text_rules.dumps(rules), rules.space)
    assert again == rules
    assert exactly(again) == exactly(rules)
    path = tmp_path_factory.getbasetemp() / f"rules{suffix}"
    irenic.write(rules, path)
    assert irenic.read(path, space=None if "json" in suffix.lower() else rules.space) == rules


@given(rule_sets(), st.data())
def test_text_without_a_space_predicts_the_same(rules, data):
    again = loads_text(text_rules.dumps(rules))
    assert len(again) == len(rules)
    points = [*Region(rules.space).sample(3, random_state=0)]
    for rule in rules:
        points += rule.region.sample(3, random_state=data.draw(st.integers(0, 99)))
    for point in points:
        named = {name: point[name] for name in again.space.names}
        if all(admits(feature, named[feature.name]) for feature in again.space):
            assert again.covering([named]).tolist() == rules.covering([point]).tolist()


def admits(feature, value):
    """Whether an inferred feature takes a value.

    A text says nothing of missing values where no rule asks for them, nor of values beside true
    and false where rules ask for those only.
    """
    if value is None or isinstance(feature, Continuous):
        return value is not None or feature.missing
    return feature.admits(feature.encode_value(value))


def test_json_keeps_zones_that_have_a_fixed_offset():
    zone = dt.timezone(dt.timedelta(hours=2))
    rules = RuleSet([Rule({}, then=dt.datetime(2026, 1, 1, tzinfo=zone))])
    assert loads_json(json_rules.dumps(rules)) == rules
    vienna = zoneinfo.ZoneInfo("Europe/Vienna")
    twice_that_night = dt.datetime(2026, 10, 25, 2, 30, tzinfo=vienna)
    rules = RuleSet([Rule({}, then=twice_that_night)])
    with pytest.raises(FormatError, match=r"^rule 1: .* has a time zone without a fixed offset"):
        json_rules.dumps(rules)


def test_json_is_written_as_people_would_write_it():
    age = Continuous("age", bounds=(0, 120), unit="years", missing=True)
    job = Categorical("job", ["nurse", "clerk"], other=True)
    rules = [
        Rule({"age": (18, 30), "job": {"nurse"}}, then="low"),
        Rule({"born": {"<=": dt.date(2000, 1, 1)}}, then=frozenset({"b", "a"}), weight=2),
    ]
    space = Space([age, Continuous("born", kind="date"), job])
    assert json_rules.dumps(RuleSet(rules, space, default="high")) == (
        """{
  "format": "irenic rules",
  "version": 1,
  "space": [
    {"name": "age", "bounds": [0.0, 120.0], "unit": "years", "missing": true},
    {"name": "born", "kind": "date"},
    {"name": "job", "values": ["nurse", "clerk"], "other": true}
  ],
  "rules": [
    {"if": {"age": {">=": 18, "<": 30}, "job": {"in": ["nurse"]}}, "then": "low"},
    {"if": {"born": {"<=": {"date": "2000-01-01"}}}, "then": ["a", "b"], "weight": 2.0}
  ],
  "default": "high"
}
"""
    )


def test_text_has_one_rule_per_line():
    rules = RuleSet([Rule({"f 1": {"<=": 5}}, then="A", weight=2)], default="low risk")
    assert text_rules.dumps(rules) == 'IF "f 1" <= 5 THEN A WEIGHT 2\nDEFAULT "low risk"\n'
    rules = loads_text(
        "# who pays what\r\n\r\nif age < 18 then free   # children\r\n   \t # indented\r\n"
        'IF 18 <= age AND job in {nurse, "fire fighter"} THEN reduced\r\ndefault full'
    )
    assert text_rules.dumps(rules) == (
        "IF age < 18 THEN free\n"
        'IF age >= 18 AND job in {nurse, "fire fighter"} THEN reduced\nDEFAULT full\n'
    )
    assert str(loads_text('IF "#" < 5 THEN A')[0]) == 'IF "#" < 5 THEN A'
    assert len(loads_text("# nothing\n")) == len(loads_json('{"version": 1, "rules": []}')) == 0


# --- by hand


def test_json_written_by_hand_is_read():
    rules = loads_json(
        """{"version": 1,
            "rules": [{"if": {"age": {">=": 18, "<": 30}, "job": {"in": ["nurse"]}}, "then": "low"},
                      {"then": "high"}]}"""
    )
    assert [str(r) for r in rules] == [
        "IF 18 <= age < 30 AND job in {nurse} THEN low",
        "IF anything THEN high",
    ]
    assert rules.space == Space([Continuous("age"), Categorical("job", ["nurse"], other=True)])
    born = {"if": {"born": {"<": "2000-01-01"}}, "then": 1}
    text = with_rule(born, space=[{"name": "born", "kind": "date"}])
    assert str(loads_json(text)[0]) == "IF born < 2000-01-01 THEN 1"
    given_one = Space([Continuous("born", kind="date"), Continuous("more")])
    assert loads_json(text, given_one).space is given_one


def test_whether_other_values_are_declared_survives_json():
    inferred = RuleSet([Rule({"job": {"in": ["nurse"]}}, then="low")])
    assert repr(inferred.space["job"]) == (
        "Categorical('job', ['nurse'], other=True, declared=False)"
    )
    assert not loads_json(json_rules.dumps(inferred)).space["job"].declared
    declared = RuleSet(inferred, Space([Categorical("job", ["nurse"], other=True)]))
    assert loads_json(json_rules.dumps(declared)).space["job"].declared
    both = irenic.merge(RuleSet(inferred, declared.space))
    assert both.rules.space["job"].declared


# --- mistakes in JSON


def json_error(text):
    with pytest.raises(FormatError) as caught:
        loads_json(text)
    return str(caught.value)


def with_rule(rule, **more):
    return json.dumps({"version": 1, "rules": [rule], **more})


def test_truncated_json_is_told_from_other_mistakes():
    text = json_rules.dumps(RuleSet([Rule({"age": (0, 10)}, then="child")]))
    for cut in range(1, len(text) - 2):
        message = json_error(text[:cut])
        assert "not JSON" in message
        assert message.startswith("line ")
    cut = text.index("[")
    assert json_error(text[: cut + 1]) == (
        "line 4, column 13: not JSON: Expecting value (is the file cut off?)"
    )
    assert json_error('{"version": 1,}').startswith("line 1, column ")


VERSION = "; read the file with the version of irenic that wrote it, or a newer one"
NOT_FLOAT64 = "is not a value: the number is too large for float64"
NAMELESS = '"rules" must be a list of rules {"if": …, "then": …}'
TOO_DEEP = "lists and objects must be nested at most 120 deep"
FILES = {
    '{"version": 2, "rules": []}': f'"version" must be 1, got 2{VERSION}',
    '{"version": true, "rules": []}': f'"version" must be 1, got True{VERSION}',
    '{"rules": []}': '"version" is missing; add "version": 1 to the file',
    '{"version": 1, "format": "x"}': "\"format\" must be 'irenic rules', got 'x'",
    "[]": 'the file must contain one object: {"version": 1, "rules": […]}',
    '{"version": 1}': NAMELESS, '{"version": 1, "rules": {}}': NAMELESS,
    '{"version": 1, "ruels": []}': "the file: unknown key 'ruels'; did you mean 'rules'?",
    '{"version": 1, "version": 1}': "the key 'version' appears twice in one object",
    '{"version": 1, "rules": [{"then": NaN}]}': "line 1, column 35: NaN is not JSON; write null for"
                                                " a missing value",
    '{"version": 1, "default": "-Infinity",\n "rules": [{"then": -Infinity}]}':
        'line 2, column 21: -Infinity is not JSON; write {"float": "-inf"} for infinity',
    '{"version": 1, "default": "a\\"1e999",\n\n "rules": [{"then": 1e999}]}':
        'line 3, column 21: 1e999 is too large for float64; write {"float": "inf"} for infinity',
    '{"version": 1, "rules": [{"if": {"a": {">": -1e999}}, "then": 1}]}':
        'line 1, column 45: -1e999 is too large for float64; write {"float": "-inf"} for infinity',
    f'{{"version": 1, "rules": [{{"then": {"9" * 5000}}}]}}':
        f"line 1, column 35: a number must have fewer than 5,000 digits, got {'9' * 56}…",
    "[" * 200 + "]" * 200: TOO_DEEP, "[" * 100_000 + "]" * 100_000: TOO_DEEP,
    with_rule(5): 'rule 1: a rule must be an object {"if": …, "then": …}, got 5',
    with_rule({"if": {}}): 'rule 1: "then" is missing; write {"if": …, "then": …}',
    with_rule({"iff": {}, "then": 1}): "rule 1: unknown key 'iff'; did you mean 'if'?",
    with_rule({"if": [], "then": 1}): 'rule 1: "if" must be an object of conditions, got []',
    with_rule({"then": 1, "weight": "x"}): "rule 1: \"weight\" must be a number, got 'x'",
    with_rule({"then": 1, "weight": 10**400}): f'rule 1: "weight" must fit into float64, got'
                                               f' 1{"0" * 55}…',
    with_rule({"if": {"agee": {"<": 5}}, "then": 1}, space=[{"name": "age"}]):
        "rule 1: unknown feature 'agee'; did you mean 'age'?",
    with_rule({"if": {"c": {"in": ["a"]}}, "then": 1}, space=[{"name": "c", "values": ["aa"]}]):
        "rule 1: feature 'c': unknown value 'a'; did you mean 'aa'?",
    with_rule({"then": 1}, default={"float": "-1e999"}):
        f"\"default\": {{'float': '-1e999'}} {NOT_FLOAT64}",
    with_rule({"then": 1}, default={"date": 5}): '"default": {\'date\': 5} is not a value: "date"'
                                                 ' must be text, got 5',
    with_rule({"then": 1}, space={}): '"space" must be a list of features {"name": …}',
    with_rule({"then": 1}, space=[{}]): 'feature 1 of the space must be an object with a "name",'
                                        ' got {}',
    with_rule({"then": 1}, space=[{"name": "a"}, {"name": "a"}]):
        "two features are named 'a'; names must be unique",
}  # fmt: skip
THENS = [
    (None, "a consequent must not be None, which means 'no prediction'"),
    ("\ud800", r"'\ud800' is not valid Unicode (a lone surrogate)"),
    ({"float": "1e999"}, f"{{'float': '1e999'}} {NOT_FLOAT64}"),
    ({"tuple": 10**400}, f"{{'tuple': 1{'0' * 45}… is not a value: \"tuple\" must be a list, got"
                         f" 1{'0' * 55}…"),
    ({"tuple": "x"}, "{'tuple': 'x'} is not a value: \"tuple\" must be a list, got 'x'"),
    ({"dat": "2026-01-01"}, "{'dat': '2026-01-01'} is not a value: an object must have one key, its"
                            " type; did you mean 'date'?"),
    ({"date": "2026-02-30"},
     "{'date': '2026-02-30'} is not a value: day is out of range for month"),
]  # fmt: skip
CONDITIONS = [
    (5, 'a condition must be an object such as {">=": 18, "<": 30} or {"in": ["nurse"]}, got 5'),
    ({"=<": 5}, "unknown operator '=<'; did you mean '='?"),
    ({"<": None}, 'a bound must not be null; write {"missing": true} for a missing value'),
    ({"in": "x"}, "\"in\" must be a list, got 'x'"),
    ({"missing": 1}, '"missing" must be true or false, got 1'),
    ({"<": 5, ">": 7}, "the lower bound is above the upper bound in a < 5 and a > 7"),
    ({"<": {"float": "nan"}}, "NaN cannot be a bound"),
    ({"<": 2**53 + 1}, "9007199254740993 is beyond 2**53, where float64 cannot represent every"
                       " integer; use a categorical feature, or subtract an offset"),
]  # fmt: skip
FEATURES = [
    ({"bounds": [{"float": "1e999"}, None]}, f" of the space: {{'float': '1e999'}} {NOT_FLOAT64}"),
    ({"values": [{"float": "1e999"}]}, f" of the space: {{'float': '1e999'}} {NOT_FLOAT64}"),
    ({"bounds": 5}, ' of the space: "bounds" must be a list [low, high], got 5'),
    ({"knd": "date"}, " of the space: unknown key 'knd'; did you mean 'kind'?"),
    ({"values": ["x"], "unit": "cm"}, ' of the space: a feature with "values" cannot have "unit"'),
    ({"other": True}, ' of the space: a feature without "values" cannot have "other"'),
    ({"declared": False}, ' of the space: a feature without "values" cannot have "declared"'),
    ({"missing": "no"}, " of the space: \"missing\" must be true or false, got 'no'"),
    ({"bounds": [5, 2]}, "feature 'a': the lower bound 5 is above the upper bound 2"),
    ({"unit": 5}, "feature 'a': unit must be a string, got 5"),
]  # fmt: skip


def test_mistakes_in_json_are_named():
    expected = dict(FILES)
    for then, message in THENS:
        expected[with_rule({"then": then})] = f"rule 1: {message}"
    for test, message in CONDITIONS:
        expected[with_rule({"if": {"a": test}, "then": 1})] = f"rule 1: feature 'a': {message}"
    for entry, message in FEATURES:
        place = "feature 1" if message.startswith(" ") else ""
        expected[with_rule({"then": 1}, space=[{"name": "a", **entry}])] = place + message
    assert {text: json_error(text) for text in expected} == expected


# --- mistakes in text


def test_mistakes_in_text_have_a_line_and_a_column(tmp_path):
    text = "# ages\nIF age < 10 THEN child\nIF age => 10 THEN adult\n"
    message = "line 3, column 9: expected a value, found '>'"
    with pytest.raises(FormatError) as caught:
        loads_text(text)
    assert str(caught.value) == message
    assert (caught.value.line, caught.value.column) == (3, 9)
    path = tmp_path / "ages.rules"
    path.write_text(text)
    with pytest.raises(FormatError) as caught:
        irenic.read(path)
    assert str(caught.value) == f"{path}, {message}"
    for text, message in (
        ("\n\nIF age < 5 THEN @", "line 3, column 17: unexpected character '@'; put names and"),
        ("\n\nIF agee < 5 THEN A", "line 3, column 4: unknown feature 'agee'; did you mean 'age'?"),
        ("\n\nIF age < 5 AND age > 7 THEN A", "line 3, column 16: the conditions on 'age' exclude"),
        ("DEFAULT a\n\nDEFAULT b", "line 3, column 1: a second DEFAULT; keep only one"),
        ("\n\nDEFAULT", "line 3, column 8: expected a value, found the end of the line"),
    ):
        with pytest.raises(FormatError, match=f"^{re.escape(message)}"):
            loads_text(text, Space([Continuous("age")]))


def test_a_feature_that_is_used_in_two_ways_is_rejected_with_its_line():
    text = "IF b < 3 THEN x\n\nIF a = red THEN x\nIF b < 4 THEN x\nIF a < 5 THEN x\nIF a < 6 THEN x"
    with pytest.raises(FormatError, match=r"^line 5: feature 'a'"):
        loads_text(text)
    with pytest.raises(FormatError, match="is compared with values of different kinds"):
        loads_text("IF a < 5 THEN A\nIF a < 2026-01-31 THEN B")


def test_the_space_of_a_text_is_inferred_and_open_to_any_other_value():
    rules = loads_text("IF color in {red} AND age < 5 THEN A\nIF color in {blue} THEN B")
    color = Categorical("color", ["red", "blue"], other=True)
    assert rules.space == Space([color, Continuous("age")])
    cases = [{"color": "green", "age": 1}, {"color": "red", "age": 1}]
    assert rules.predict(cases).tolist() == [None, "A"]


# --- files


def names_in(directory):
    return [path.name for path in directory.iterdir()]


@pytest.fixture
def rules():
    return RuleSet([Rule({"age": (0, 10)}, then="child")])


class Strange:
    """A consequent that no file can hold."""

    def __repr__(self):
        return "<strange>"


@pytest.mark.parametrize("suffix", [".json", ".rules"])
def test_a_consequent_that_cannot_be_written_leaves_the_old_file_whole(tmp_path, rules, suffix):
    path = tmp_path / f"ages{suffix}"
    irenic.write(rules, path)
    before = path.read_bytes()
    for then, message in (
        (Strange(), "rule 2: <strange> of type Strange "),
        (("a", "\ud800"), r"rule 2: '\ud800' is not valid Unicode (a lone surrogate)"),
        ((math.nan,), "rule 2: NaN does not equal itself, so it would not read back the same"),
    ):
        changed = RuleSet([*rules, Rule({"age": (10, 20)}, then=then)])
        with pytest.raises(FormatError, match=f"^{re.escape(f'{path}: {message}')}"):
            irenic.write(changed, path)
        assert path.read_bytes() == before
        assert names_in(tmp_path) == [path.name]


@pytest.mark.parametrize("form", [json_rules, text_rules])
def test_a_default_or_a_value_that_cannot_be_written_is_named(form):
    with pytest.raises(FormatError, match=r"^the default: <strange> of type Strange"):
        form.dumps(RuleSet([], default=Strange()))
    space = Space([Categorical("c", [Strange(), "a"], other=True)])
    used = RuleSet([Rule(Region(space, {"c": {"not in": [space["c"].values[0]]}}), then=1)], space)
    subject = "feature 'c'" if form is json_rules else "rule 1"
    with pytest.raises(FormatError, match=rf"^{subject}: <strange> of type Strange"):
        form.dumps(used)


def test_invalid_paths_are_rejected(tmp_path, rules):
    (tmp_path / "folder.json").mkdir()
    for name, failure in (
        ("none/ages.json", "No such file or directory"),
        ("folder.json", "Is a directory"),
    ):
        path = tmp_path / name
        with pytest.raises(FileError, match=f"^cannot write {path}: {failure}$"):
            irenic.write(rules, path)
        with pytest.raises(FileError, match=f"^cannot read {path}: {failure}$"):
            irenic.read(path)
    path = tmp_path / "ages.jsn"
    message = f"^{path}: no format for files that end in '.jsn'; did you mean '.json'\\?$"
    for call in (irenic.read, lambda p: irenic.write(rules, p)):
        with pytest.raises(FormatError, match=message):
            call(path)
    assert names_in(tmp_path) == ["folder.json"]


def raising(error):
    def call(*_):
        raise error

    return call


@pytest.mark.parametrize(("name", "call", "error", "message"), [
    ("fsync", raising(OSError(28, "No space left on device")), FileError,
     "cannot write {}: No space left on device"),
    ("fsync", raising(KeyboardInterrupt), KeyboardInterrupt, ""),
    # as for a file that is read-only; an administrator may write everywhere
    ("access", lambda path, mode: mode != os.W_OK, FileError, "cannot write {}: Permission denied"),
])  # fmt: skip
def test_writing_that_fails_leaves_the_old_file_whole(
    tmp_path, rules, monkeypatch, name, call, error, message
):
    path = tmp_path / "ages.json"
    path.write_text("old")
    monkeypatch.setattr(os, name, call)
    with pytest.raises(error) as caught:
        irenic.write(rules, path)
    assert str(caught.value) == message.format(path)
    assert path.read_text() == "old"
    assert names_in(tmp_path) == ["ages.json"]


def test_a_file_keeps_its_mode_and_a_link_stays_a_link(tmp_path, rules):
    path, link = tmp_path / "ages.json", tmp_path / "link.json"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to(path)
    irenic.write(rules, link)
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o640
    assert irenic.read(path) == rules


# --- only errors of ours come out

SPACE = Space(
    [
        Continuous("f1"),
        Continuous("t", kind="datetime", unit="UTC"),
        Continuous("n", kind="integer", missing=True),
        Categorical("color", ["yellow", "blue"], missing=True),
    ]
)
VALID_TEXT = (
    "# rules\nIF 2 <= f1 < 5 AND color in {yellow, missing} THEN {A, (1, 2026-01-31)} WEIGHT 2\n"
    'IF (n <= 5 or missing) AND t > 2026-01-31T12:00 THEN "low \\"risk\\"" # so\nDEFAULT P1DT2H\n'
)
VALID_JSON = json_rules.dumps(loads_text(VALID_TEXT, SPACE))

# fmt: off
WORDS = [
    "IF", "if", "AND", "THEN", "in", "not", "or", "is", "missing", "other", "anything",
    "DEFAULT", "WEIGHT", "f1", "t", "n", "color", "<", "<=", ">", ">=", "=", "==", "!=",
    "(", ")", "{", "}", ",", "5", "-5", "1e999", "1e308", "inf", "-inf", "nan",
    "2026-01-31", "2026-13-01", "12:30", "24:00", "P1D", "P99999999999D", "PT", '"x"',
    "'y'", '"', "\\", "#", "true", "9007199254740993", "0.1", "yellow", "blue",
]
# fmt: on
words = st.sampled_from(WORDS)


def loads_or_refuses(load, text):
    for space in (None, SPACE):
        with suppress(IrenicError):
            load(text, space)


def mutations(valid):
    @st.composite
    def mutate(draw):
        text = valid
        for _ in range(draw(st.integers(1, 4))):
            at = draw(st.integers(0, len(text)))
            cut = draw(st.integers(0, 5))
            text = text[:at] + draw(st.text(max_size=3) | words) + text[at + cut :]
        return text

    return mutate()


@given(st.text() | st.lists(words).map(" ".join) | mutations(VALID_TEXT))
@example("IF f1 < " + "9" * 400 + " THEN A")
@example("IF t < 9999-12-31T23:59:59.999999 THEN A")
@example("IF t > 9999-12-31 THEN A")
@example("IF anything THEN A WEIGHT " + "9" * 400)
@example("IF n < 1e308 THEN A")
def test_only_errors_of_ours_come_out_of_the_text_parser(text):
    loads_or_refuses(loads_text, text)


json_scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers().map(lambda i: i * 10**400)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=3)
    | st.sampled_from(["f1", "color", "yellow", "date", "2026-01-31", "inf", "nan", "P9999999999D"])
)
# fmt: off
KEYS = [
    "version", "rules", "space", "default", "format", "if", "then", "weight", "name",
    "kind", "bounds", "unit", "values", "missing", "other", "in", "<", "<=", ">", ">=",
    "=", "f1", "t", "n", "color", "date", "datetime", "time", "duration", "float", "tuple",
]
# fmt: on
keys = st.text(max_size=3) | st.sampled_from(KEYS)
json_values = st.recursive(
    json_scalars,
    lambda v: st.lists(v, max_size=3) | st.dictionaries(keys, v, max_size=3),
    max_leaves=8,
)


@given(st.text() | mutations(VALID_JSON))
def test_only_errors_of_ours_come_out_of_the_json_parser(text):
    loads_or_refuses(loads_json, text)


@given(json_values, json_values, json_values, json_values)
@example({"datetime": "0001-01-01T00:00:00+05:00"}, 1, None, None)
@example(10**400, 1, None, None)
@example({"duration": "P" + "9" * 5000 + "D"}, 1, None, None)
def test_only_errors_of_ours_come_out_of_any_json_value(bound, then, test, space):
    for condition in ({"<": bound}, {"in": [bound]}, {"=": bound}, test):
        for name in ("f1", "t", "n", "color"):
            rule = {"if": {name: condition}, "then": then, "weight": bound}
            file = {"version": 1, "rules": [rule, {"then": then}], "default": bound}
            loads_or_refuses(loads_json, json.dumps(file))
    feature = {"name": "f1", "bounds": bound, "kind": then, "unit": test}
    for listed in (space, [space], [feature], [{"name": "f1", "values": space}]):
        loads_or_refuses(loads_json, json.dumps({"version": 1, "space": listed, "rules": []}))
    loads_or_refuses(loads_json, json.dumps(test))


def test_an_expression_is_kept_in_json_and_has_no_text_form():
    rules = RuleSet([Rule({"age": (0, 9)}, then=(Expression("price * 2"), Months(14)))])
    text = json_rules.dumps(rules)
    assert '{"tuple": [{"expression": "price * 2"}, {"duration": "P1Y2M"}]}' in text
    assert loads_json(text) == rules
    with pytest.raises(FormatError, match=r"Expression\('price \* 2'\) of type Expression has no"):
        text_rules.dumps(rules)
    broken = text.replace("price * 2", "\\ud800")
    with pytest.raises(FormatError, match=r"not valid Unicode"):
        loads_json(broken)


@pytest.mark.parametrize("form", ["dmn", "json", "rules"])
def test_accepted_findings_are_kept(form):
    accepts = {((0,), "overlap: agreed"), ((), "gap: known")}
    rules = RuleSet([Rule({"age": (0, 9)}, then="A")])
    provenance = Provenance(accepts=tuple(accepts))
    table = irenic.DecisionTable(rules, rows=(0,), n_rows=1, provenance=provenance)
    text = irenic.dumps(table, format=form).encode()
    assert {*irenic.parse(text, format=form).bind().table().provenance.accepts} == accepts
