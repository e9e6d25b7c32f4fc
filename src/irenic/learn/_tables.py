"""Whole tables: which column to learn, which columns hold labels, and columns of predictions."""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from irenic.errors import DataError, did_you_mean
from irenic.frames.columns import Table, as_column, as_values
from irenic.learn._row_numbers import FEWEST_NUMBERS, NUMBERS, numbers_rows
from irenic.model.columns import take_apart
from irenic.model.deciding import Resolve
from irenic.model.decision_table import DecisionTable
from irenic.model.explanation import Explanation
from irenic.model.head import Head
from irenic.model.literals import display, is_missing, plain, say
from irenic.model.rule import Rule
from irenic.model.rulelist import RuleList
from irenic.model.ruleset import RuleSet
from irenic.model.spaces import names_tested
from irenic.searching.explaining import Deciding, explained

if TYPE_CHECKING:
    from irenic.learn._classifier import RuleSetClassifier

    Rules: TypeAlias = RuleSet | RuleList | DecisionTable | RuleSetClassifier

# Columns that explain predictions.
REASONS = ("rule", "support", "confidence", "probability", "based on")
_SHOWN_NAMES = 8
_SHOWN_LABELS = 5


def split_target(table: Any, target: str) -> tuple[Any, npt.NDArray[Any]]:
    """Return the features and the labels of a table, after checking that the labels are classes.

    Parameters
    ----------
    table : mapping of columns, frame, or list of mappings
        pandas, polars and pyarrow frames are accepted.
    target : str
        Column to predict.

    Returns
    -------
    X : table
        The other columns; a frame of the same library if ``table`` is a frame.
    y : array of shape (n_rows,)
        Booleans, integers or text, as scikit-learn accepts them.

    Raises
    ------
    DataError
        If there is no such column, no other column or no row, if a label is missing, or if the
        column has fewer than two values, fractions, or too many values to be classes.

    Examples
    --------
    >>> from irenic.learn import split_target
    >>> X, y = split_target({"age": [31, 40, 52], "pays": ["no", "yes", "yes"]}, "pays")
    >>> list(X), y.tolist()
    (['age'], ['no', 'yes', 'yes'])
    """
    columns = _columns(table)
    if target not in columns:
        raise DataError(f"unknown column {target!r}{did_you_mean(target, columns)}")
    features = [name for name in columns if name != target]
    if not features:
        raise DataError(f"the table must have a column besides the target {target!r}, got none")
    values = _values(columns[target])
    if not values:
        raise DataError("the table must have at least one row, got none")
    return select_columns(table, features), as_labels(values, target)


def as_labels(values: list[Any], name: str, *, n_rows: int | None = None) -> npt.NDArray[Any]:
    """Return the values of a column as labels, after checking that they are classes.

    ``n_rows`` is the number of rows if these are only the distinct values.
    """
    n_rows = len(values) if n_rows is None else n_rows
    if None in values:
        raise DataError(
            f"column {name!r}, row {values.index(None) + 1}: the label is missing; drop such rows"
            " or choose another target"
        )
    n_classes = len(set(values))
    if n_classes == 1:
        raise DataError(
            f"column {name!r} must hold at least two classes, got one class: {display(values[0])}"
        )
    fraction = next((v for v in values if isinstance(v, float) and not v.is_integer()), None)
    if fraction is not None:
        raise DataError(
            f"column {name!r} must hold classes, got numbers such as {fraction!r}; choose another"
            " target"
        )
    if n_classes > 2 and n_classes > n_rows / 2:
        raise DataError(
            f"column {name!r} must hold classes, got {n_classes} different values in"
            f" {n_rows} rows; choose another target"
        )
    types = {type(value) for value in values}
    if types == {bool}:
        return np.array(values, dtype=bool)
    if types <= {int, float} and all(abs(value) < 2**53 for value in values):
        return np.array([int(value) for value in values], dtype=np.int64)
    labels = np.empty(len(values), dtype=object)
    labels[:] = [value if isinstance(value, str) else str(value) for value in values]
    return labels


def unhelpful_columns(X: Any) -> dict[str, str]:
    """Return the columns that are unlikely to help a learner, each with the reason.

    Parameters
    ----------
    X : mapping of columns, frame, or list of mappings

    Returns
    -------
    dict of str to str
        By column: "constant", "a different text in every row", or "numbers the rows".

    Raises
    ------
    DataError
        If ``X`` is not a table or its columns have no names.

    Examples
    --------
    >>> from irenic.learn import unhelpful_columns
    >>> unhelpful_columns({"id": ["a", "b", "c"], "unit": [1, 1, 1], "age": [31, 40, 52]})
    {'id': 'a different text in every row', 'unit': 'constant'}
    """
    reasons = {}
    for name, column in _columns(X).items():
        first = _values(column[:1_000])
        if 1 < len(set(first)) < len(first):
            continue  # neither constant nor all different
        values = _values(column)
        distinct = set(values)
        if len(distinct) == 1:
            reasons[name] = "constant"
        elif len(distinct) == len(values) and all(isinstance(v, str) for v in distinct):
            reasons[name] = "a different text in every row"
        elif len(values) >= FEWEST_NUMBERS and _counts_rows(values):
            reasons[name] = NUMBERS
    return reasons


def _counts_rows(values: list[Any]) -> bool:
    """Return whether values are integers, each one more than that of the row before.

    Or they are those of rows in another order.
    """
    if not all(type(value) is int for value in values):
        return False
    if values == list(range(values[0], values[0] + len(values))):
        return True
    low, high = min(values), max(values)
    return high < 2**53 and numbers_rows(np.array(values), low, high, len(values))


# --- labels of a table that rules predict


def true_labels(rules: Rules, table: Any, label: str | None = None) -> tuple[Any, Any, str | None]:
    """Return the labeled rows of a table, their labels and the column that holds them.

    Without ``label``, the column is guessed among those that the rules do not test: the last one,
    if any of its values is a label that the rules predict; otherwise the only one all of whose
    values are. Rules that predict sets of labels may also find one 0/1 column per label.

    Parameters
    ----------
    rules : RuleSet, RuleList, DecisionTable or RuleSetClassifier
        A classifier must be fitted.
    table : mapping of columns, frame, or list of mappings
    label : str, optional
        Column with the true labels (default: guessed).

    Returns
    -------
    X : table
        The features that the rules test, without the rows that have no label.
    y : list, mapping of columns, or None
        The labels, as the rules write them; None if no column holds any.
    column : str or None
        The column of the labels; None if there is none, or one column per label.

    Raises
    ------
    DataError
        If a column is missing, or no value of ``label`` is a label that the rules predict.

    Examples
    --------
    >>> from irenic import Rule, RuleSet
    >>> from irenic.learn import true_labels
    >>> rules = RuleSet([Rule({"age": (None, 18)}, then="free")], default="full")
    >>> X, y, column = true_labels(rules, {"age": [3, 40, 50], "pays": ["free", None, "full"]})
    >>> X, y, column
    ({'age': array([3, 50], dtype=object)}, ['free', 'full'], 'pays')
    """
    columns = _columns(table)
    features = _needed(rules, columns)
    _check_columns(features, columns)
    if label is not None and label not in columns:
        raise DataError(f"unknown column {label!r}{did_you_mean(label, columns)}")
    labels = _Labels.from_rules(rules)
    texts = [str(value) for value in labels.values]
    if label is None and labels.many and texts and set(texts) <= set(columns) - set(features):
        return (
            select_columns(table, features),
            {text: _values(columns[text]) for text in texts},
            None,
        )
    if label is None:
        label = labels.guess(columns, features)
    if label is None:
        return select_columns(table, features), None, None
    y = labels.read(_values(columns[label]))
    if not labels.shared(y):
        expected = ", ".join(map(display, labels.values[:_SHOWN_LABELS]))
        shown = ", ".join(map(display, dict.fromkeys(y[:_SHOWN_LABELS])))
        raise DataError(
            f"column {label!r} must hold labels that the rules predict, such as {expected}, got"
            f" {shown}; choose another column"
        )
    rows = [row for row, value in enumerate(y) if value is not None]
    return select_columns(table, features, rows), [y[row] for row in rows], label


@dataclass(frozen=True)
class _Labels:
    """The labels that rules predict, and how to read them in a table."""

    values: tuple[Hashable, ...]
    many: bool
    """Whether rules predict sets of labels."""

    @classmethod
    def from_rules(cls, rules: Rules) -> _Labels:
        if isinstance(rules, RuleList | DecisionTable):
            rules = rules.rules
        if not isinstance(rules, RuleSet):
            return cls(tuple(rules.classes_.tolist()), rules._answers.many)
        consequents = [rules.consequents[code] for code in rules.then_codes]
        consequents += [] if rules.default is None else [rules.default]
        if not any(isinstance(value, frozenset | Head) for value in consequents):
            return cls(tuple(dict.fromkeys(consequents)), many=False)
        sets = [set(v) if isinstance(v, frozenset | Head) else {v} for v in consequents]
        return cls(tuple(sorted(set().union(*sets), key=str)), many=True)

    @cached_property
    def _by_text(self) -> dict[str, Hashable]:
        return {say(value): value for value in self.values}

    def read(self, cells: Iterable[Any]) -> list[Hashable | None]:
        """Return cells as labels; None where a cell is empty.

        A table of text has no types, so "1" in it may be the number 1 that the rules predict. Sets
        of labels are written ``a; b``, as ``irenic predict`` does, or ``{a, b}``.
        """
        return [self._read_set(cell) if self.many else self._read_one(cell) for cell in cells]

    def _read_one(self, cell: Any) -> Hashable | None:
        if cell is None or cell in self.values:
            return cell  # type: ignore[no-any-return]
        return self._by_text.get(say(cell), cell)  # type: ignore[no-any-return]

    def _read_set(self, cell: Any) -> frozenset[Hashable]:
        parts = re.split(r"\s*[;,]\s*", str(cell or "").strip().strip("{}").strip())
        return frozenset(self._by_text.get(part, part) for part in parts if part)

    def guess(self, columns: Mapping[str, Any], features: Sequence[str]) -> str | None:
        """Return the column that probably holds the labels, None if there is none."""
        y = {name: self.read(_values(columns[name])) for name in columns if name not in features}
        last = list(columns)[-1]
        if last in y and self.shared(y[last]):
            return last
        full = [name for name in y if self.shared(y[name]) == self._distinct(y[name]) != set()]
        return full[0] if len(full) == 1 else None

    def shared(self, y: Iterable[Hashable | None]) -> set[Hashable]:
        """Return the labels in a column that the rules predict."""
        return self._distinct(y) & set(self.values)

    def _distinct(self, y: Iterable[Hashable | None]) -> set[Hashable]:
        distinct = {value for value in y if value is not None}
        if not self.many:
            return distinct
        return {label for value in distinct if isinstance(value, frozenset) for label in value}


# --- predictions as columns


def predict_table(
    rules: RuleSet | RuleList | DecisionTable | RuleSetClassifier,
    table: Any,
    *,
    explain: bool = False,
    resolve: Resolve | None = None,
    outputs: Sequence[str] = (),
) -> dict[str, npt.NDArray[Any]]:
    """Return the predictions for a table as columns to add to it.

    Parameters
    ----------
    rules : RuleSet, RuleList, DecisionTable or RuleSetClassifier
        A classifier must be fitted. The hit policy of a decision table applies.
    table : mapping of columns, frame, or list of mappings
        It may have more columns than the rules test.
    explain : bool, default False
        Also return the rule that decides and, for a classifier, its support and confidence, the
        probability of the prediction, and the training rows that it comes from. Where the default
        decides, the rule is one for the default that contradicts no other rule, with its support
        and confidence; if no training row has this reason, they are those of all cases that the
        default decides.
    resolve : {"best", "vote", "first"}, optional
        Which rule decides where rules of a RuleSet contradict each other; in a RuleList, the first
        one always does.
    outputs : sequence of str, optional
        Names of the parts of predictions that are tuples, to make a column of each. Default: those
        of a decision table.

    Returns
    -------
    dict of str to array
        "prediction", with sets of labels joined to "a; b", and if ``explain`` "rule", "support",
        "confidence", "probability" and "based on". The last two are only there if the model has
        regions of probability, and the table the columns that these test. Several outputs are
        columns with their names, or ``"name (prediction)"`` if the table has such a column.

    Raises
    ------
    DataError
        If the table lacks a column that the rules test, has one of the added names, or holds a
        value that does not fit its feature.
    ConflictError
        If rules contradict each other for a row and ``resolve`` is None.

    Examples
    --------
    >>> from irenic import Rule, RuleSet
    >>> from irenic.learn import predict_table
    >>> rules = RuleSet([Rule({"age": (None, 18)}, then="free")], default="full")
    >>> columns = predict_table(rules, {"age": [3, 40], "name": ["Ada", "Ben"]}, explain=True)
    >>> columns["prediction"].tolist(), columns["rule"].tolist()
    (['free', 'full'], ['IF age < 18 THEN free', 'default: IF age >= 18 THEN full'])
    """
    if isinstance(rules, RuleList):
        rules, resolve = rules.rules, "first"
    names = _columns(table)
    labels: list[Any] = []
    if isinstance(rules, DecisionTable):
        outputs = outputs or rules.outputs
        _check_columns([n for n in rules.space.names if n not in rules.computed], names)
        X = rules.encode(table) if rules.space.names else table
        predictions = rules.predict(X).tolist()
    else:
        features = _needed(rules, names)
        _check_columns(features, names)
        # rules without conditions hold for every row, and a table without columns has no rows
        X = select_columns(table, features) if features else table
        how = {"resolve": resolve} if isinstance(rules, RuleSet) else {}
        predictions = rules.predict(X, **how).tolist()
        labels = [] if isinstance(rules, RuleSet) else rules.classes_.tolist()
    columns = _prediction_columns(predictions, outputs, names, labels)
    columns |= _reasons(rules, X, resolve) if explain else {}
    _check_added(columns, names)
    return columns


def _reasons(
    rules: RuleSet | DecisionTable | RuleSetClassifier, X: Any, resolve: Resolve | None
) -> dict[str, npt.NDArray[Any]]:
    """Return explanations as columns: the reason and, for a classifier, its figures."""
    if isinstance(rules, RuleSet):
        reasons, group = explained(Deciding.of(rules, resolve), rules.space.encode(X))
        return {"rule": as_column([_cell(rules, reason) for reason in reasons])[group]}
    if isinstance(rules, DecisionTable):
        reasons, group = explained(Deciding.of_table(rules), rules.encode(X))
        return {"rule": as_column([_row_cell(rules, reason) for reason in reasons])[group]}
    # the table may lack columns that no rule tests
    cases = rules.space_.encode(rules._table(X, reset=False))
    reasons, group = rules._explained(cases, rules._lacking(X))
    columns = {
        "rule": as_column([_cell(rules.rules_, reason) for reason in reasons])[group],
        "support": np.array([reason.support[0] for reason in reasons], dtype=np.int64)[group],
        "confidence": np.array([reason.confidence[0] for reason in reasons])[group],
    }
    likely = [reason.probability for reason in reasons]
    if likely and None not in likely:
        columns["probability"] = np.array([row.probability for row in likely])[group]
        columns["based on"] = as_column([row.basis for row in likely])[group]
    return columns


def _cell(rules: RuleSet, reason: Explanation) -> str:
    """Return the rule that is the reason of a decision, or those that decide together."""
    if not reason.rules and rules.default is None:
        return "no rule"
    if rules.is_partial and reason.rules:
        return "; ".join(str(rules[index]) for index in reason.rules)
    return ("" if reason.rules else "default: ") + str(Rule(reason.region, then=reason.then))


def _row_cell(table: DecisionTable, reason: Explanation) -> str:
    """Return the row that is the reason, or the rows that decide together, or the default."""
    if not reason.rules:
        return _cell(table.rules, reason)
    together = table.collects or table.rules.is_partial
    return ", ".join(f"rule {row + 1}" for row in reason.rules[: None if together else 1])


def _check_added(columns: Collection[str], names: Collection[str]) -> None:
    for name in columns:
        if name in names:
            raise DataError(
                f"the table must not have a column {name!r}, because predictions add one; rename it"
            )


def _prediction_columns(
    values: list[Any], outputs: Sequence[str], names: Collection[str], labels: list[Any]
) -> dict[str, npt.NDArray[Any]]:
    """Return predictions as one column, or as one per output if all of them have several parts."""
    n = len(outputs)
    listed = [value if isinstance(value, list) else [value] for value in values]
    rows = [[then for then in thens if then is not None] for thens in listed]
    if n < 2 or not all(isinstance(t, tuple) and len(t) == n for row in rows for t in row):
        return {"prediction": as_column([_as_cell(value, labels) for value in values])}
    columns, taken = {}, {*names, *REASONS}
    for place, output in enumerate(outputs):
        parts = [[then[place] for then in row] for row in rows]
        cells = [
            _as_cell(part if isinstance(value, list) else next(iter(part), None), labels)
            for value, part in zip(values, parts, strict=True)
        ]
        columns[f"{output} (prediction)" if output in taken else output] = as_column(cells)
    return columns


def _as_cell(value: Any, labels: list[Any]) -> Any:
    """Return a prediction as one cell, with sets of labels joined."""
    if isinstance(value, frozenset):
        return "; ".join(sorted(map(str, value)))
    if isinstance(value, list) and not labels:  # the outcomes of several rules
        return "; ".join(str(_as_cell(part, labels)) for part in value)
    if isinstance(value, list):  # a row of a 0/1 matrix
        return "; ".join(str(label) for label, has in zip(labels, value, strict=True) if has)
    return value if value is None or isinstance(value, str | int | float) else display(value)


# --- columns of any table


def _columns(table: Any) -> dict[str, Any]:
    names, columns, _ = take_apart(table)
    if names is None:
        raise DataError(
            "the columns of the table must have names, got an array or rows without names; use a"
            " frame or a mapping of columns"
        )
    return dict(zip(names, columns, strict=True))


def _values(column: Any) -> list[Any]:
    """Return a column as Python values, None where one is missing."""
    values = as_values(column) if isinstance(column, np.ndarray) else column.to_list()
    return [None if is_missing(value) else plain(value) for value in values]


def select_columns(table: Any, names: Sequence[str], rows: Sequence[int] | None = None) -> Any:
    """Return some columns of a table, and some of its rows unless ``rows`` is None."""
    if isinstance(table, Table) and (rows is None or len(rows) == table.shape[0]):
        return table.select(names)  # with the cells as they were written
    if isinstance(table, Mapping | Sequence):
        columns = dict(zip(names, take_apart(table).select(names), strict=True))
        return Table({n: c if rows is None else c[list(rows)] for n, c in columns.items()})
    import narwhals.stable.v2 as nw

    frame = nw.from_native(table, eager_only=True).select(*names)
    return (frame if rows is None else frame[list(rows)]).to_native()


def _space_names(rules: Any) -> tuple[str, ...]:
    return (rules.space_ if hasattr(rules, "space_") else rules.space).names  # type: ignore[no-any-return]


def _needed(rules: Any, names: Collection[str]) -> tuple[str, ...]:
    """Return the columns to select: of a classifier, only those that rules test must be there."""
    needed = _space_names(rules)
    if isinstance(rules, RuleSet | RuleList | DecisionTable):
        return needed
    tested = names_tested(rules.rules_)
    return tuple(name for name in needed if name in tested or name in names)


def _check_columns(needed: Sequence[str], names: Collection[str]) -> None:
    missing = [name for name in needed if name not in names]
    if len(missing) == 1:
        hint = did_you_mean(missing[0], names)
        raise DataError(f"the table must have a column {missing[0]!r}, which the rules test{hint}")
    if missing:
        shown = ", ".join(map(repr, missing[:_SHOWN_NAMES]))
        more = ", …" if len(missing) > _SHOWN_NAMES else ""
        raise DataError(
            f"the table must have all columns that the rules test; {len(missing)} are missing:"
            f" {shown}{more}"
        )
