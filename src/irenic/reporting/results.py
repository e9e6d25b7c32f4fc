"""How rules do on instances: which rule decides, what is right, and what is left out."""

from __future__ import annotations

from typing import Any, Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from irenic.boxes.arrays import Ints
from irenic.model.decision_table import DecisionTable
from irenic.model.space import Instances
from irenic.reporting._labelled import Labelled

How: TypeAlias = Literal["agree", "first", "all", "best", "vote"]

NO_RULE: Final = -1
CONTRADICTED: Final = -2
OUTSIDE: Final = -3
"""No rule holds, and the table says that such a case cannot occur."""
# A matrix of all instances and rules may be huge.
_ROWS: Final = 4096
_MOST_LISTED: Final = 200


def decisions(table: DecisionTable, how: How, instances: Instances) -> Ints:
    """Return the place of the rule that decides each instance; NO_RULE, CONTRADICTED or OUTSIDE.

    Where rules are to agree, an instance for which they do not is contradicted; where all of them
    count, the first is told.

    >>> from irenic import Rule, RuleSet
    >>> rules = RuleSet([Rule({"age": (0, 30)}, then="low"),
    ...                  Rule({"age": (29, 60)}, then="high")])
    >>> ages = rules.space.encode({"age": [10, 29, 50, 70]})
    >>> decisions(DecisionTable.of(rules), "agree", ages).tolist()
    [0, -2, 1, -1]
    """
    rules = table.rules
    if how in ("best", "vote"):
        return rules.decide(instances, resolve="best" if how == "best" else "vote")
    order = np.array(table.winning, dtype=np.int64)
    decided = rules[order].decide(instances, resolve="first")
    decided = np.where(decided < 0, NO_RULE, order[decided] if len(order) else NO_RULE)
    if how == "agree" and not rules.is_consistent:
        _mark_contradicted(table, instances, decided)
    for region in table.outside:
        decided[(decided == NO_RULE) & region.contains(instances)] = OUTSIDE
    return decided


def _mark_contradicted(table: DecisionTable, instances: Instances, decided: Ints) -> None:
    then = table.rules.then_codes
    for start in range(0, len(instances), _ROWS):
        rows = slice(start, start + _ROWS)
        covers = table.rules.covering(instances.take(rows))
        other = then[None, :] != then[np.maximum(decided[rows], 0)][:, None]
        decided[rows][(covers & other).any(axis=1)] = CONTRADICTED


def results(
    table: DecisionTable, how: How, data: Labelled, decided: Ints, shown: Ints
) -> dict[str, Any]:
    """Return how many instances are covered, how many right, and what is taken for what.

    ``shown`` are the rows that are handed on: of rows that are listed, these come first.
    """
    is_shown = np.zeros(len(decided), dtype=np.bool_)
    is_shown[shown] = True

    def listed(rows: npt.NDArray[np.intp]) -> list[int]:
        first = np.argsort(~is_shown[rows], kind="stable")[:_MOST_LISTED]
        return list((np.sort(rows[first]) + 1).tolist())

    found: dict[str, Any] = {"rows": len(decided), "covered": 0}
    kinds = (("uncovered", NO_RULE), ("contradicted", CONTRADICTED), ("outside", OUTSIDE))
    for kind, code in kinds:
        rows = np.flatnonzero(decided == code)
        found[kind] = len(rows)
        found[f"{kind}_rows"] = listed(rows)
    found["covered"] = len(decided) - found["uncovered"] - found["outside"]
    if data.truth is None or how == "all" or not len(decided):
        return found
    said = predicted(table, data, decided)
    wrong = np.flatnonzero(said != data.truth)
    found["right"] = len(said) - len(wrong)
    found["accuracy"] = found["right"] / len(said)
    found["wrong"], found["wrong_rows"] = len(wrong), listed(wrong)
    if data.many:
        return found | {"labels": _per_label(data, said)}
    return found | {"confusion": _confusion(data, said)}


def predicted(table: DecisionTable, data: Labelled, decided: Ints) -> Ints:
    """Return the place of the outcome that is predicted for each instance; NO_RULE for none."""
    rules = table.rules
    thens = [data.places[then] for then in rules.thens]
    default = NO_RULE if rules.default is None else data.places[rules.default]
    answers = np.array([*thens, default, CONTRADICTED, default], dtype=np.int64)  # from the end
    return np.asarray(answers[decided])


def _confusion(data: Labelled, said: Ints) -> list[list[int]]:
    """Return how often an outcome is taken for another: what is true, what is said, how often."""
    assert data.truth is not None
    pairs, counts = np.unique(np.stack([data.truth, said]), axis=1, return_counts=True)
    return [[*pair, n] for pair, n in zip(pairs.T.tolist(), counts.tolist(), strict=True)]


def _per_label(data: Labelled, said: Ints) -> list[dict[str, int]]:
    """Return for each label how often it is rightly and wrongly said, and not said."""
    assert data.truth is not None
    has = data.parts[data.truth]
    says = data.parts[np.maximum(said, 0)] & (said >= 0)[:, None]  # else nothing is said
    counts = ((says & has).sum(axis=0), (says & ~has).sum(axis=0), (~says & has).sum(axis=0))
    names = ("both", "said", "had")
    return [dict(zip(names, map(int, row), strict=True)) for row in zip(*counts, strict=True)]
