"""Columns that number or name the rows: they say nothing about new rows, and are not tested."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from irenic.learn._texts import column_types, kind_of_texts
from irenic.model.features import FIRST_CODE, MISSING_CODE

if TYPE_CHECKING:
    from irenic.learn.sample import Sample

NUMBERS: Final = "numbers the rows"
TEXTS: Final = "has a different text in every row"
# Among fewer rows, whole numbers or texts may well be different by chance.
FEWEST_NUMBERS: Final = 100
_FEWEST_TEXTS: Final = 20
# Numbers of rows go up to this times the number of rows: half of a numbered table has such numbers.
_PART: Final = 2


def numbers_rows(values: npt.NDArray[Any], low: float, high: float, n_rows: float) -> bool:
    """Return whether whole numbers are those of rows, in any order, or of a part of the rows.

    They are all different, and between 0 and twice the number of rows, also where ``values`` are a
    sample. Hundreds of measured whole numbers in such a range are never all different.

    >>> rows = np.random.default_rng(0).permutation(200)
    >>> numbers_rows(rows, 0, 199, 200), numbers_rows(rows // 2, 0, 99, 200)
    (True, False)
    """
    if n_rows < FEWEST_NUMBERS or low < 0 or high > _PART * n_rows:
        return False
    return len(np.unique(values)) == len(values)


def row_columns(data: Sample, X: Any, meant: Collection[str]) -> dict[str, str]:
    """Return the columns that number or name the rows, each with what it does.

    ``meant`` are columns that users say something about, and categories of pandas are meant, too.
    If it were all columns, none is returned.
    """
    instances, n_rows = data.instances, data.n_rows
    sums = data.tally.columns
    assert sums is not None
    types = column_types(X)
    found = {}
    for row, feature in enumerate(instances.space.continuous):
        whole = not sums.missing[row] and not sums.fractions[row]
        if not whole or feature.name in meant or feature.kind not in ("number", "integer"):
            continue
        if numbers_rows(instances.values[row], sums.low[row], sums.high[row], n_rows):
            found[feature.name] = NUMBERS
    for row, category in enumerate(instances.space.categorical):
        counts = sums.counts[row]
        if category.name in meant or hasattr(types.get(category.name), "categories"):
            continue
        named = counts[FIRST_CODE:]
        different = not counts[MISSING_CODE] and named.sum() >= _FEWEST_TEXTS and named.max() <= 1
        if different and not kind_of_texts(category.values):
            found[category.name] = TEXTS
    return {} if len(found) == len(instances.space) else found
