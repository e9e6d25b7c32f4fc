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

from irenic.model.condition import Interval, bits_operators, interval_operators
from irenic.model.features import EXACT, Categorical, Continuous
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
