"""Encodes values, conditions, regions, rules and findings as parts of the document."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from irenic.checking import KINDS, NOUNS, Finding, Findings
from irenic.formats.json.rules import encode_point, encode_value
from irenic.formats.tables.reading import Reading
from irenic.model.condition import (
    Interval,
    Operators,
    bits_operators,
    bits_text,
    codes_of,
    interval_operators,
    interval_text,
)
from irenic.model.decision_table import DecisionTable
from irenic.model.features import (
    EXACT,
    LOWEST,
    MISSING_CODE,
    OTHER_CODE,
    Categorical,
    Continuous,
)
from irenic.model.literals import display, format_literal, say, show_point
from irenic.model.region import Region, witness_among, witness_in
from irenic.model.space import Instances
from irenic.reporting import document
from irenic.reporting.verdicts import verdicts_on

if TYPE_CHECKING:
    from irenic.proving import Verdict


def numbers(rules: Iterable[int]) -> list[int]:
    """Return the numbers of rules in documents, which count from 1, for their indices."""
    return [int(rule) + 1 for rule in rules]


def encode_then(then: Hashable) -> document.WrittenValue:
    """Return the prediction of a rule."""
    return {"value": encode_value(then), "text": say(then)}


def encode_outcome(outcome: Any) -> document.WrittenValue | None:
    """Return what is decided, None for nothing."""
    if outcome is None:
        return None
    return encode_then(tuple(outcome) if isinstance(outcome, list) else outcome)


def decided_case(
    case: Mapping[str, Any], outcome: Any, rules: Iterable[int]
) -> document.DecidedCase:
    """Return a case and what is decided for it."""
    return {
        "text": show_point(case),
        "values": encode_point(case),
        "outcome": encode_outcome(outcome),
        "rules": [rule + 1 for rule in rules],
    }


def encode_verdict(verdict: Verdict) -> document.ProvedProperty:
    """Return whether a property holds, and what refutes it."""
    return {
        "property": verdict.claim,
        "verdict": verdict.verdict,
        "cases": [
            decided_case(*each)
            for each in zip(  # one case can be decided twice
                (*verdict.cases, *verdict.cases), verdict.outcomes, verdict.rules, strict=False
            )
        ],
        "nodes": verdict.nodes,
        "stopped_by": verdict.stopped_by,
        "text": verdict.text,
    }


# --- regions


def encode_region(region: Region) -> document.RegionRecord:
    """Return a region as text, as conditions in parts, and as numbers."""
    return {
        "text": region.to_text(),
        "conditions": [parts for parts, _ in _conditions(region)],
        "box": encode_box(region),
    }


def encode_box(region: Region) -> document.Box:
    """Return the conditions of a region as the numbers that irenic compares."""
    return {parts["feature"]: numbers for parts, numbers in _conditions(region)}


def _conditions(region: Region) -> list[tuple[document.ConditionParts, document.Condition]]:
    """Return each condition in parts and as numbers."""
    return list(filter(None, region.each("document", _encode_interval, _encode_bits)))


def _encode_interval(
    feature: Continuous, interval: Interval
) -> tuple[document.IntervalParts, document.Condition] | None:
    operators = interval_operators(feature, interval)
    if not operators:
        return None
    parts: document.IntervalParts = {
        "feature": feature.name,
        "text": interval_text(feature, interval),
        "lower": encode_end(operators, ">", ">="),
        "upper": encode_end(operators, "<", "<="),
        "equal": encode_equal(operators),
        "missing": bool(operators.get("missing")),
    }
    upper = finite(interval.upper)
    # Where a value can be missing, the lower end says whether missing values are included, and
    # ``is not missing`` is a condition everywhere.
    is_open = interval.lower == LOWEST and not feature.missing and upper is not None
    return parts, [None if is_open else finite(interval.lower), upper]


def encode_end(operators: Operators, excluding: str, including: str) -> document.End | None:
    """Return the end of an interval that one of two operators defines, or None."""
    operator = next((each for each in (excluding, including) if each in operators), None)
    if operator is None:
        return None
    value = operators[operator]
    text = format_literal(value)
    return {"value": encode_value(value), "text": text, "open": operator == excluding}


def encode_equal(operators: Operators) -> document.WrittenValue | None:
    """Return the only value that a condition admits, or None."""
    if "=" not in operators:
        return None
    return {"value": encode_value(operators["="]), "text": format_literal(operators["="])}


def _encode_bits(
    feature: Categorical, bits: int
) -> tuple[document.ValuesParts, document.Condition] | None:
    operators = bits_operators(feature, bits)
    if not operators:
        return None
    negated = "not in" in operators or operators.get("missing") is False
    values = operators.get("not in" if negated else "in", [])
    parts: document.ValuesParts = {
        "feature": feature.name,
        "text": bits_text(feature, bits),
        "values": [{"value": encode_value(value), "text": display(value)} for value in values],
        "negated": negated,
        "missing": bool(bits & feature.everything & 1 << MISSING_CODE),
        "other": bool(bits & feature.everything & 1 << OTHER_CODE),
    }
    return parts, [*codes_of(bits & feature.everything)]


def finite(cut: float) -> float | None:
    """Return the end of an interval, None if it is infinite."""
    return None if math.isinf(cut) else cut


# --- instances


def encode_columns(instances: Instances) -> dict[str, list[document.Value]]:
    """Return the columns of instances: numbers (None if missing), or codes of categories."""
    space = instances.space
    return {
        feature.name: (
            [_number(value) for value in instances.values[space.row(feature.name)].tolist()]
            if isinstance(feature, Continuous)
            else instances.codes[space.row(feature.name)].tolist()
        )
        for feature in space
    }


def encode_witness(region: Region) -> document.Witness:
    """Return the witness of a region as text, as values and as numbers."""
    points = region.each("encoded witness", _witness_in, _witness_among)
    names = region.space.names
    return {
        "text": ", ".join(text for text, _, _ in points),
        "values": {name: value for name, (_, value, _) in zip(names, points, strict=True)},
        "case": {name: number for name, (_, _, number) in zip(names, points, strict=True)},
    }


def _witness_in(
    feature: Continuous, interval: Interval
) -> tuple[str, document.Encoded, document.Value]:
    return _encode_point(feature, witness_in(feature, interval))


def _witness_among(feature: Categorical, bits: int) -> tuple[str, document.Encoded, document.Value]:
    return _encode_point(feature, witness_among(feature, bits))


def _encode_point(
    feature: Continuous | Categorical, value: Any
) -> tuple[str, document.Encoded, document.Value]:
    text, number = show_point({feature.name: value}), _number(feature.encode_value(value))
    return text, encode_value(value), number


def _number(value: float) -> document.Value:
    return None if value == -math.inf else short(value)


def short(value: float) -> float:
    """Return a whole number as an integer, which is shorter in JSON and equal to it."""
    return int(value) if value % 1 == 0 and abs(value) <= EXACT else value


# --- rules and findings


def encode_rules(table: DecisionTable, limit: int | None = None) -> list[document.RuleRecord]:
    """Return the rules of a table, or the first ones."""
    return [
        {
            "number": number,
            "text": str(rule),
            "conditions": [parts for parts, _ in _conditions(rule.region)],
            "box": encode_box(rule.region),
            "then": encode_then(rule.then),
            "weight": encode_value(rule.weight),
        }
        for number, rule in zip(numbers(table.rows[:limit]), table.rules[:limit], strict=True)
    ]


def encode_finding(
    finding: Finding, table: DecisionTable, rows: int | None = None
) -> document.FindingRecord:
    """Return a finding about a table; ``rows`` is the number of instances in a gap."""
    region = finding.region
    return {
        "kind": finding.kind,
        "noun": NOUNS[finding.kind],
        "level": finding.level,
        "text": finding.text,
        "rules": numbers(finding.rules),
        "by": numbers(finding.by),
        "then": [encode_then(then) for then in finding.thens],
        "column": finding.column or None,
        "columns": [*finding.columns],
        "line": _line_of(finding, table),
        "place": _place_of(finding, table),
        "region": None if region is None else encode_region(region),
        "witness": None if region is None else encode_witness(region),
        "rows": rows,
    }


def _line_of(finding: Finding, table: DecisionTable) -> int | None:
    """Return the line of the file that a finding is about, None if it is unknown.

    Of several rules it is the last one, which was probably added last. Findings about the whole
    table get the line where its rules begin.
    """
    if finding.line is not None or not table.provenance.lines:
        return finding.line
    if finding.kind == "columns" or not finding.rules:
        return table.provenance.first_line
    return table.provenance.lines[max(finding.rules)]


def _place_of(finding: Finding, table: DecisionTable) -> str:
    """Return where a finding is in a spreadsheet, "" if it is about no part of one."""
    column = finding.column
    if finding.kind == "outcomes" and len(table.outputs) == 1:
        column = table.outputs[0]
    return table.place(() if finding.kind in ("columns", "policy") else finding.rules, column)


def located(finding: document.FindingRecord, name: str = "") -> str:
    """Return the text of a finding after its place, or after the name of its table."""
    where = finding["place"] or name
    return f"{where}: {finding['text']}" if where else finding["text"]


def expected_text(measure: str, score: float, low: float | None, high: float | None) -> str:
    """Return the score to expect of a classifier, in words."""
    interval = "" if low is None else f" (95 % interval {low:.3f} to {high:.3f})"
    return f"{measure[:1].upper()}{measure[1:]} to expect is {score:.3f} on new rows{interval}"


def encode_reading(reading: Reading, *, explain: bool = False) -> document.ReadingRecord:
    """Return how a table was read; with ``explain``, every condition is listed."""
    columns: list[document.ReadColumnRecord] = [
        {
            "name": column.name,
            "role": column.role,
            "description": column.description,
            "interpreted": [
                {"text": c.text, "meaning": c.meaning, "count": c.times, "place": c.place}
                for c in column.interpreted
            ],
            "text": str(column),
        }
        for column in reading.columns
    ]
    cells: list[document.ReadCell] = [
        {"place": place, "header": header, "text": text, "meaning": meaning}
        for place, header, text, meaning in (reading.cells() if explain else ())
    ]
    return {
        "table": reading.table,
        "columns": columns,
        "remarks": [*reading.remarks],
        "decimal": reading.decimal,
        "day_first": reading.day_first,
        "cells": cells,
    }


def encode_checked(
    findings: Findings, listed: list[document.FindingRecord] | None = None, *, learned: bool = False
) -> document.Checked:
    """Return the findings of a table; ``listed`` replaces those to list."""
    table = findings.table
    return {
        "size": {
            "features": len(table.space),
            "rules": table.n_rows,
            "conditions": table.rules.n_conditions,
        },
        "verdicts": verdicts_on(findings, learned=learned),
        "counts": {kind: findings.count(kind) for kind in KINDS},
        "findings": [encode_finding(f, table) for f in findings] if listed is None else listed,
        "accepted": [
            {**encode_finding(finding, table), "reason": reason, "in_file": in_file}
            for finding, reason, in_file in findings.accepted
            if finding.shown_as == finding.kind
        ],
        "unfinished": list(findings.unfinished),
    }
