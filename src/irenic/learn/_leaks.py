"""Columns that may know the answer: copies of the target, and what is filled in after it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from irenic.errors import DataError
from irenic.model.columns import take_apart
from irenic.model.literals import is_missing, plain
from irenic.model.space import to_list

# A column is suspect if it predicts at least this share of the rows by itself, and leaves at most
# this part of the errors of the most frequent label.
_SHARE: Final = 0.98
_PART: Final = 0.1
# It is also suspect if it leaves at most these parts of the errors of the most frequent label and
# of a forest that knows all other columns. On 21 data sets without leaks, no column does: the best
# ones, of iris and credit-a, leave 0.5 and 0.75 of the errors of the others.
_PART_ALONE: Final = 0.3
_PART_OF_OTHERS: Final = 0.4
_FEWEST_ROWS: Final = 100
_ROW_LIMIT: Final = 20_000
_FOREST_ROWS: Final = 3_000
_TREES: Final = 30


def suspect_columns(X: Any, y: Any) -> dict[str, str]:
    """Return columns that predict nearly every label by themselves, and why they are suspect.

    Such a column is often a copy of the target, or filled in once the outcome is known, and is not
    there when a new case has to be decided.

    Parameters
    ----------
    X : mapping of columns, frame, or list of mappings
        The features.
    y : sequence
        The label of each row.

    Returns
    -------
    dict of str to str
        The reason by column: "another name for the target", or the share of rows that it predicts,
        and that of all other columns together if these predict far fewer. Empty if there are fewer
        than 100 rows.

    Raises
    ------
    DataError
        If ``X`` is not a table or its columns have no names.

    Examples
    --------
    >>> from irenic.learn import suspect_columns
    >>> paid = ["yes", "no"] * 50
    >>> suspect_columns({"age": range(100), "closed": [1, 0] * 50}, paid)
    {'closed': 'another name for the target'}
    """
    labels = [plain(label) for label in to_list(y)]
    names, columns, _ = take_apart(X)
    if names is None:
        raise DataError("the columns of X must have names; use a frame or a mapping of columns")
    if len(labels) < _FEWEST_ROWS:
        return {}
    rows = np.linspace(0, len(labels) - 1, min(len(labels), _ROW_LIMIT)).astype(np.intp)
    known = [labels[row] for row in rows.tolist()]
    most = max(Counter(known).values()) / len(known)
    reasons, doubtful, table = {}, {}, {}
    for name, column in zip(names, columns, strict=True):
        drawn = column if len(rows) == len(labels) else column[rows.tolist()]
        values = table[name] = [
            None if is_missing(cell) else plain(cell) for cell in to_list(drawn)
        ]
        if _is_copy(values, known):
            reasons[name] = "another name for the target"
            continue
        share = _predicted(values, known)
        if share >= _SHARE and 1.0 - share <= _PART * (1.0 - most):
            reasons[name] = f"predicts {share:.1%} of the rows by itself"
        elif 1.0 - share <= _PART_ALONE * (1.0 - most):
            doubtful[name] = share
    for name, share in doubtful.items():
        others = {other: table[other] for other in table if other not in (name, *reasons)}
        predicted = _predicted_by_forest(others, known, most)
        if _stands_out(share, predicted, len(known)):
            reasons[name] = (
                f"predicts {share:.1%} of the rows by itself, and all other columns together only"
                f" {predicted:.1%}"
            )
    return {name: reasons[name] for name in names if name in reasons}


def _stands_out(share: float, others: float, n_rows: int) -> bool:
    """Return whether a column leaves far fewer errors than the others, more than by chance.

    >>> _stands_out(0.97, 0.75, 300), _stands_out(0.97, 0.92, 300), _stands_out(0.97, 0.9, 100)
    (True, False, False)
    """
    own, rest = 1.0 - share, 1.0 - others
    chance = 3.0 * np.sqrt((own + rest) / min(n_rows, _FOREST_ROWS))
    return bool(own <= _PART_OF_OTHERS * rest and rest - own >= chance)


def _predicted_by_forest(table: dict[str, list[Any]], labels: list[Hashable], most: float) -> float:
    """Return the share of rows that columns predict together, each row by trees without it."""
    from sklearn.ensemble import RandomForestClassifier

    from irenic.learn.cross_validation import as_matrix

    if not table:
        return most
    step = -(-len(labels) // _FOREST_ROWS)
    matrix, _ = as_matrix({name: values[::step] for name, values in table.items()})
    codes = np.unique([str(label) for label in labels[::step]], return_inverse=True)[1]
    forest = RandomForestClassifier(_TREES, oob_score=True, min_samples_leaf=2, random_state=0)
    return max(most, float(forest.fit(matrix, codes).oob_score_))


def _is_copy(values: list[Any], labels: list[Hashable]) -> bool:
    """Return whether each value goes with one label and each label with one value."""
    pairs = set(zip(values, labels, strict=True))
    return len(pairs) == len(set(values)) == len(set(labels)) > 1


def _predicted(values: list[Any], labels: list[Hashable]) -> float:
    """Return the share of rows that a column predicts, each row by the others."""
    numbers = [value for value in values if value is not None]
    if numbers and all(isinstance(v, int | float) and not isinstance(v, bool) for v in numbers):
        return _predicted_by_number(np.array([np.nan if v is None else v for v in values]), labels)
    counts: defaultdict[Any, Counter[Hashable]] = defaultdict(Counter)
    for value, label in zip(values, labels, strict=True):
        counts[value][label] += 1
    right = 0
    for own in counts.values():
        for label, n in own.items():
            rival = max((m for other, m in own.items() if other != label), default=0)
            right += n if n - 1 > rival else 0
    return right / len(labels)


def _predicted_by_number(values: npt.NDArray[Any], labels: list[Hashable]) -> float:
    """Return the share of rows that a tree with one leaf per label predicts from one number."""
    from sklearn.tree import DecisionTreeClassifier

    codes = np.unique(np.array([str(label) for label in labels]), return_inverse=True)[1]
    tree = DecisionTreeClassifier(max_leaf_nodes=max(2, int(codes.max()) + 1), random_state=0)
    column = values.astype(np.float64)[:, None]
    return float(tree.fit(column, codes).score(column, codes))
