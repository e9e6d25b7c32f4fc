"""The glossary: its names exist, and classes use its words as it says."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import re
from functools import cache
from pathlib import Path

import irenic
from irenic import cli

TEXT = (Path(__file__).parent.parent / "docs" / "glossary.md").read_text(encoding="utf-8")
ROWS = [line.strip("|").split("|") for line in TEXT.splitlines() if line.startswith("| ")][1:]
NAMES = [name for row in ROWS for name in re.findall(r"`([^`]+)`", row[2])]
PACKAGES = ["boxes", "checking", "formats", "learn", "mend", "model", "reporting", "searching"]
PUBLIC = {
    name: getattr(package, name)
    for package in [irenic, *(importlib.import_module(f"irenic.{name}") for name in PACKAGES)]
    for name in package.__all__
}
CLASSES = [
    value
    for value in PUBLIC.values()
    if inspect.isclass(value) and not issubclass(value, BaseException)
]


@cache
def members(value):
    """Return the public names that objects of a class have."""
    found = {name for name in dir(value) if not name.startswith("_")}
    found |= {name for one in value.__mro__ for name in getattr(one, "__annotations__", {})}
    if dataclasses.is_dataclass(value):
        found |= {field.name for field in dataclasses.fields(value)}
    # attributes that __init__ sets
    source = inspect.getsource(value) if value.__module__.startswith("irenic") else ""
    return found | set(re.findall(r"self\.([a-z]\w*) = ", source))


def test_the_names_of_the_glossary_exist():
    for name in NAMES:
        first, *rest = name.split(".")
        assert not rest or rest[0] in members(PUBLIC[first]), name


def test_classes_use_the_words_of_the_glossary():
    for value in CLASSES:
        found = members(value)
        # the classifier's parameter asks for complete rule sets
        allowed = {"complete"} if value is irenic.RuleSetClassifier else set()
        assert not (found & {"complete", "consistent", "covered_everything"}) - allowed, value
        assert ("stopped_by" in found) <= ("finished" in found), f"{value}: is it finished?"


CALLABLES = [value for value in PUBLIC.values() if callable(value)] + [
    method
    for value in CLASSES
    for name, method in inspect.getmembers(value, inspect.isfunction)
    if not name.startswith("_") and method.__module__.startswith("irenic")
]


def parameters_of(value):
    try:
        return set(inspect.signature(value).parameters)
    except ValueError:
        return set()


def test_maximum_numbers_are_limits_and_seconds_are_budgets():
    for value in CALLABLES:
        forbidden = {"most", "time_budget", "seconds"}
        forbidden -= {"seconds"} if value is irenic.Budget else set()
        assert not parameters_of(value) & forbidden, value.__qualname__
    for name in cli.COMMANDS:
        options = {option: param for param in cli.load(name).params for option in param.opts}
        assert not {"--most", "--seconds", "--time-budget"} & set(options), name
        assert "--budget" not in options or options["--budget"].metavar == "SECONDS", name


def test_whether_rules_are_consistent_and_complete_is_a_property():
    for name in ("is_complete", "is_consistent"):
        having = [value for value in CLASSES if name in members(value)]
        assert irenic.RuleSet in having
        for value in having:
            assert not callable(inspect.getattr_static(value, name, None)), (value, name)


def test_indices_start_at_0_and_numbers_in_texts_at_1():
    rules = irenic.RuleSet(
        [irenic.Rule({"age": (0, 30)}, then="low"), irenic.Rule({"age": (29, 60)}, then="high")]
    )
    conflict, finding = rules.conflicts()[0], irenic.check(rules).of("conflicts")[0]
    assert (conflict.first, conflict.second) == finding.rules == (0, 1)
    change = irenic.repair(rules, "split").changes[0]
    assert (change.rule, change.against) == (1, (0,))
    difference = irenic.diff(rules[:1], rules[1:], within=conflict.region)[0]
    assert difference.rules_before == difference.rules_after == (0,)
    first = irenic.searching.constraints(rules)[0]
    assert (first.rule, first.index) == (0, 0)
    assert irenic.DecisionTable.from_rules(rules).rows == (0, 1)
    for described in (conflict, finding, change):
        assert "rule 1 says low" in str(described)
