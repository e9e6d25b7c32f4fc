"""Rules as PMML 4.4: a RuleSetModel, of which the first rule that applies decides.

A missing value meets no predicate but ``isMissing``, and values of a category that no rule names
are compared as they are, so that a scoring engine decides as ``predict`` does.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Hashable, Iterable
from math import isfinite
from typing import TYPE_CHECKING, Any, Final
from xml.sax.saxutils import quoteattr

from irenic.errors import FormatError
from irenic.formats._branches import Branches, as_branches, is_null
from irenic.formats.spans import escaped
from irenic.model.condition import Operators
from irenic.model.decision_table import DecisionTable
from irenic.model.features import Categorical, Continuous, Feature
from irenic.model.literals import Prefix, check_writable, display

if TYPE_CHECKING:
    from irenic.model.rule import Rule
    from irenic.model.rulelist import RuleList
    from irenic.model.ruleset import RuleSet

_COMPARED: Final = {
    "<": "lessThan",
    "<=": "lessOrEqual",
    ">": "greaterThan",
    ">=": "greaterOrEqual",
    "=": "equal",
}
_KINDS: Final = {
    "number": "double",
    "integer": "double",
    "months": "double",
    "date": "date",
    "datetime": "dateTime",
    "time": "time",
}
_TYPES: Final[list[tuple[type, str]]] = [
    (bool, "boolean"),
    (str, "string"),
    (int, "integer"),
    (float, "double"),
    (dt.datetime, "dateTime"),
    (dt.date, "date"),
    (dt.time, "time"),
]
_NAME: Final = "prediction"
_SPECIAL: Final = re.compile(r'["\\]|[^\S ]')


def dumps(
    rules: RuleSet | RuleList | DecisionTable,
    *,
    counts: Iterable[tuple[float, float, float]] = (),
) -> str:
    """Return rules as a PMML document.

    ``counts`` are the training rows of each rule, how many it predicts correctly, and its
    confidence; at last those of the default.
    """
    branches = as_branches(rules, default=None, resolve=None)
    if branches.outputs:
        names = ", ".join(map(display, branches.outputs))
        raise FormatError(
            f"a rule set of PMML must have one outcome, got {len(branches.outputs)} ({names});"
            " write one table per outcome"
        )
    if branches.compared:
        name = display(next(iter(branches.compared)))
        raise FormatError(
            f"PMML cannot compare two fields, as {name} does; write .sql, .py or .dmn"
        )
    name = _NAME
    if isinstance(rules, DecisionTable) and rules.outputs != ("then",):
        name = rules.outputs[0]
    while name in branches.space:
        name = f"predicted {name}"
    return "\n".join(_document(branches, name, list(counts))) + "\n"


def _document(
    branches: Branches, name: str, counts: list[tuple[float, float, float]]
) -> Iterable[str]:
    thens = [rule.then for rule in branches.rules]
    thens += [] if branches.default is None else [branches.default]
    kind = _kind_of(thens)
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield '<PMML xmlns="http://www.dmg.org/PMML-4_4" version="4.4">'
    yield f"  <Header description={_attribute(branches.note)}>"
    yield '    <Application name="irenic"/>'
    yield "  </Header>"
    yield "  <DataDictionary>"
    tested = {name for rule in branches.rules for name in rule.region.conditions()}
    features = [feature for feature in branches.space if feature.name in tested]
    for feature in features:
        yield from _field(feature)
    target = _attributes(name=name, optype="categorical", dataType=kind)
    yield f"    <DataField {target}>"
    for then in dict.fromkeys(thens):
        yield f"      <Value value={_attribute(_text(then, kind))}/>"
    yield "    </DataField>"
    yield "  </DataDictionary>"
    yield '  <RuleSetModel functionName="classification">'
    yield "    <MiningSchema>"
    for feature in features:
        # without missingValueTreatment="returnInvalid", by which some engines reject all cases
        yield f"      <MiningField {_attributes(name=feature.name)}/>"
    yield f"      <MiningField {_attributes(name=name, usageType='target')}/>"
    yield "    </MiningSchema>"
    yield from _rules(branches, kind, counts)
    yield "  </RuleSetModel>"
    yield "</PMML>"


def _rules(
    branches: Branches, kind: str, counts: list[tuple[float, float, float]]
) -> Iterable[str]:
    head = ""
    if branches.default is not None:
        confidence = counts[-1][2] if len(counts) > len(branches.rules) else 1.0
        parts = {"defaultScore": _text(branches.default, kind)}
        # some engines need the confidence of a default score; that of a rule is 1 if it has none
        parts["defaultConfidence"] = repr(confidence if isfinite(confidence) else 1.0)
        head = f" {_attributes(**parts)}"
    yield f"    <RuleSet{head}>"
    yield '      <RuleSelectionMethod criterion="firstHit"/>'
    for place, rule in enumerate(branches.rules):
        parts = {"id": str(place + 1), "score": _text(rule.then, kind)}
        if place < len(counts):
            numbers = zip(("recordCount", "nbCorrect", "confidence"), counts[place], strict=True)
            parts |= {key: repr(number) for key, number in numbers if isfinite(number)}
        if rule.weight != 1:
            parts["weight"] = repr(float(rule.weight))
        yield f"      <SimpleRule {_attributes(**parts)}>"
        try:
            yield from (f"        {line}" for line in _predicate(branches, rule))
        except FormatError as error:
            raise FormatError(f"rule {place + 1}: {error.message}") from None
        yield "      </SimpleRule>"
    yield "    </RuleSet>"


# --- fields


def _field(feature: Feature) -> Iterable[str]:
    parts = {"name": feature.name}
    if isinstance(feature, Categorical):
        kind = _values_kind(feature)
        lines = [f"<Value value={_attribute(_text(value, kind))}/>" for value in feature.values]
        lines = [] if feature.other else lines  # all others would be invalid
        parts |= {"optype": "categorical", "dataType": kind}
    else:
        kind = _KINDS.get(feature.kind, "")
        if not kind:
            raise FormatError(
                f"feature {feature.name!r}: PMML has no type for a {feature.kind}; write .sql, .py"
                " or .dmn, or make it a number"
            )
        parts |= {"optype": "continuous", "dataType": kind}
        lines = [] if kind != "double" else _bounds(feature)
    yield f"    <DataField {_attributes(**parts)}{'' if lines else '/'}>"
    if lines:
        yield from (f"      {line}" for line in lines)
        yield "    </DataField>"


def _bounds(feature: Continuous) -> list[str]:
    low, high = (None if bound is None else _bound(bound) for bound in feature.bounds)
    if low is None and high is None:
        return []
    closure = f"{'open' if low is None else 'closed'}{'Open' if high is None else 'Closed'}"
    parts = {"closure": closure}
    parts |= {} if low is None else {"leftMargin": low}
    parts |= {} if high is None else {"rightMargin": high}
    return [f"<Interval {_attributes(**parts)}/>"]


# --- predicates


def _predicate(branches: Branches, rule: Rule) -> list[str]:
    """Return the lines of a predicate that all conditions of a rule meet."""
    each = [
        test
        for name, operators in rule.region.conditions().items()
        for test in _tests(branches.space[name], operators)
    ]
    return _compound("and", each) if each else ["<True/>"]


def _compound(operator: str, predicates: list[list[str]]) -> list[str]:
    if len(predicates) == 1:
        return predicates[0]
    inner = [f"  {line}" for lines in predicates for line in lines]
    opening = f"<CompoundPredicate booleanOperator={_attribute(operator)}>"
    return [opening, *inner, "</CompoundPredicate>"]


def _tests(feature: Feature, operators: Operators) -> list[list[str]]:
    """Return predicates, all of which must be true; a missing value makes them unknown."""
    if set(operators) == {"missing"}:
        return [_missing(feature, present=not operators["missing"])]
    if isinstance(feature, Continuous):
        tests = [
            [_simple(feature, _COMPARED[operator], _bound(value))]
            for operator, value in operators.items()
            if operator != "missing"
        ]
        passes = False
    else:
        tests, passes = [_membership(feature, operators)], "not in" in operators
    if feature.missing and operators.get("missing", passes):
        return [_compound("or", [_compound("and", tests), _missing(feature)])]
    return tests


def _missing(feature: Feature, *, present: bool = False) -> list[str]:
    operator = "isNotMissing" if present else "isMissing"
    return [f"<SimplePredicate {_attributes(field=feature.name, operator=operator)}/>"]


def _simple(feature: Feature, operator: str, value: str) -> str:
    return f"<SimplePredicate {_attributes(field=feature.name, operator=operator, value=value)}/>"


def _membership(feature: Categorical, operators: Operators) -> list[str]:
    negated = "not in" in operators or "in" not in operators
    values = operators.get("not in" if negated else "in", ())
    if not negated and operators.get("other"):
        # some values, or any that is not listed: none of the others
        negated, values = True, [v for v in feature.values if v not in values]
    kind = _values_kind(feature)
    texts = [_text(value, kind) for value in values]
    if kind in ("double", "integer"):
        return _set(feature, texts, {"double": "real", "integer": "int"}[kind], negated=negated)
    if kind == "string" and len(texts) > 1 and not _SPECIAL.search("".join(texts)):
        quoted = [f'"{text}"' for text in texts]
        return _set(feature, quoted, "string", negated=negated)
    # engines read quotes in arrays differently, and arrays have no booleans and no dates
    operator = "notEqual" if negated else "equal"
    return _compound("and" if negated else "or", [[_simple(feature, operator, t)] for t in texts])


def _set(feature: Categorical, texts: list[str], kind: str, *, negated: bool) -> list[str]:
    head = _attributes(field=feature.name, booleanOperator="isNotIn" if negated else "isIn")
    array = _attributes(type=kind, n=str(len(texts)))
    content = escaped(" ".join(texts))
    return [f"<SimpleSetPredicate {head}><Array {array}>{content}</Array></SimpleSetPredicate>"]


# --- values


def _values_kind(feature: Categorical) -> str:
    try:
        return _kind_of(feature.values)
    except FormatError as error:
        raise FormatError(f"feature {feature.name!r}: {error.message}") from None


def _kind_of(values: Iterable[Hashable]) -> str:
    """Return the type of a field with some values."""
    kinds: dict[str, Hashable] = {}
    for value in values:
        if isinstance(value, Prefix):
            raise FormatError(
                f"PMML cannot test whether a text is in {value}; write .sql, .py, .dmn or .json"
            )
        kind = next((name for type_, name in _TYPES if isinstance(value, type_)), "")
        if is_null(value) or not kind:
            raise FormatError(
                f"{value!r} of type {type(value).__name__} cannot be written as PMML; use text,"
                " numbers, booleans, dates or times"
            )
        kinds.setdefault(kind, value)
    if {*kinds} == {"integer", "double"}:
        return "double"
    if len(kinds) > 1:
        first, second = list(kinds.values())[:2]
        raise FormatError(
            f"a field of PMML must have values of one type, got {first!r} and {second!r}; make all"
            " of them text"
        )
    return next(iter(kinds), "string")


def _text(value: Any, kind: str) -> str:
    check_writable(value)
    if kind == "boolean":
        return "true" if value else "false"
    if kind == "double":
        return repr(float(value))
    if kind == "string":
        return str.__str__(value)
    return repr(int(value)) if kind == "integer" else str(value.isoformat())


def _bound(value: Any) -> str:
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    number = getattr(value, "count", value)  # of months
    return repr(number) if isinstance(number, int) else repr(float(number))


def _attribute(text: str) -> str:
    if escaped(text).count("\ufffd") != text.count("\ufffd"):
        raise FormatError(f"XML cannot contain the control characters of {text!r}; rename it")
    return quoteattr(text, {'"': "&quot;"})


def _attributes(**parts: str) -> str:
    return " ".join(f"{key}={_attribute(text)}" for key, text in parts.items())


def counts_of(model: Any) -> list[tuple[float, float, float]]:
    """Return training rows, correct ones and confidence of the rules of a fitted classifier."""
    counts = model.chosen_.counts
    shares = zip(counts.support, counts.training_confidence, counts.confidence, strict=True)
    return [(float(n), float(n * right), float(share)) for n, right, share in shares]
