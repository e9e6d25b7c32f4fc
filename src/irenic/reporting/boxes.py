"""Regions and columns in the numbers that irenic compares, as plain data.

A condition on a continuous feature is ``[lower, upper]``, the upper end excluded and None for an
open side; one on a category is the list of the codes that it admits, 0 for missing, 1 for any value
that is not listed, then the values in their order.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from irenic.model.condition import (
    Interval,
    Operators,
    bits_operators,
    bits_text,
    interval_operators,
    interval_text,
)
from irenic.model.features import EXACT, MISSING_CODE, OTHER_CODE, Categorical, Continuous
from irenic.model.literals import display, format_literal
from irenic.model.region import Region
from irenic.model.space import Instances


def encode_box(region: Region) -> dict[str, list[Any]]:
    """Return the conditions of a region in numbers, those that ask for something.

    >>> from irenic import Space
    >>> space = Space([Continuous("age"), Categorical("job", ["nurse", "clerk"], other=True)])
    >>> encode_box(Region(space, {"age": {">=": 18}, "job": {"in": ["clerk"]}}))
    {'age': [18.0, None], 'job': [3]}
    """
    each = region.each("box", _of_interval, _of_bits)
    named = zip(region.space.names, each, strict=True)
    return {name: condition for name, condition in named if condition is not None}


def _of_interval(feature: Continuous, interval: Interval) -> list[float | None] | None:
    if not interval_operators(feature, interval):
        return None
    return [open_end(interval.lower), open_end(interval.upper)]


def _of_bits(feature: Categorical, bits: int) -> list[int] | None:
    return codes_of(bits & feature.everything) if bits_operators(feature, bits) else None


def encode_conditions(region: Region) -> list[dict[str, Any]]:
    """Return the conditions of a region one by one, in their parts and as text.

    Ends are written as somebody wrote them, which the numbers of a box do not tell.

    >>> from irenic import Space
    >>> space = Space([Continuous("age"), Categorical("job", ["nurse", "clerk"], other=True)])
    >>> region = Region(space, {"age": {">": 18}, "job": {"not in": ["clerk"]}})
    >>> age, job = encode_conditions(region)
    >>> age["text"], age["lower"], age["upper"]
    ('age > 18', {'text': '18', 'open': True}, None)
    >>> job["text"], job["negated"], job["values"]
    ('job not in {clerk}', True, ['clerk'])
    """
    each = region.each("conditions", _interval_condition, _bits_condition)
    return [condition for condition in each if condition is not None]


def _interval_condition(feature: Continuous, interval: Interval) -> dict[str, Any] | None:
    operators = interval_operators(feature, interval)
    if not operators:
        return None
    return {
        "feature": feature.name,
        "text": interval_text(feature, interval),
        "lower": encode_end(operators, ">", ">="),
        "upper": encode_end(operators, "<", "<="),
        "equal": format_literal(operators["="]) if "=" in operators else None,
        "missing": bool(operators.get("missing")),
    }


def encode_end(operators: Operators, without: str, including: str) -> dict[str, Any] | None:
    """Return an end of an interval, which one of two operators excludes or includes; or None.

    >>> encode_end({"<=": 5}, "<", "<=")
    {'text': '5', 'open': False}
    """
    operator = next((each for each in (without, including) if each in operators), None)
    if operator is None:
        return None
    return {"text": format_literal(operators[operator]), "open": operator == without}


def _bits_condition(feature: Categorical, bits: int) -> dict[str, Any] | None:
    operators = bits_operators(feature, bits)
    if not operators:
        return None
    negated = "not in" in operators or operators.get("missing") is False
    return {
        "feature": feature.name,
        "text": bits_text(feature, bits),
        "negated": negated,
        "values": [*map(display, operators.get("not in" if negated else "in", []))],
        "missing": bool(bits & feature.everything & 1 << MISSING_CODE),
        "other": bool(bits & feature.everything & 1 << OTHER_CODE),
    }


def codes_of(bits: int) -> list[int]:
    """Return the places of the bits that are set.

    >>> codes_of(0b1101)
    [0, 2, 3]
    """
    return [code for code in range(bits.bit_length()) if bits >> code & 1]


def open_end(cut: float) -> float | None:
    """Return an end of an interval, None if it is open."""
    return None if math.isinf(cut) else cut


def encode_columns(instances: Instances) -> dict[str, list[Any]]:
    """Return the columns of instances: numbers, None for missing ones; codes of categories."""
    space = instances.space
    return {
        feature.name: (
            _numbers(instances.values[space.row(feature.name)])
            if isinstance(feature, Continuous)
            else instances.codes[space.row(feature.name)].tolist()
        )
        for feature in space
    }


def encode_case(instances: Instances) -> dict[str, Any]:
    """Return one instance in numbers, by the names of the features."""
    return {name: column[0] for name, column in encode_columns(instances).items()}


def _numbers(values: npt.NDArray[np.float64]) -> list[float | None]:
    return [None if value == -math.inf else short(value) for value in values.tolist()]


def short(value: float) -> float:
    """Return a whole number as an integer, which is shorter in JSON and the same there.

    >>> short(3.0), short(2.5)
    (3, 2.5)
    """
    return int(value) if value % 1 == 0 and abs(value) <= EXACT else value
