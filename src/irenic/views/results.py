"""How rules do on instances: which rule decides, what is right, and what is left out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from irenic.decision_table import DecisionTable
from irenic.space import Instances
from irenic.views.labelled import Labelled

How: TypeAlias = Literal["agree", "first", "all", "best", "vote"]

NO_RULE: Final = -1
CONTRADICTED: Final = -2
# A matrix of all instances and rules may be huge.
_ROWS: Final = 4096
_MOST_LISTED: Final = 200

Ints: TypeAlias = npt.NDArray[np.int64]


def decisions(table: DecisionTable, how: How, instances: Instances) -> Ints:
    """Return the place of the rule that decides each instance, NO_RULE or CONTRADICTED.

    Where rules are to agree, an instance for which they do not is contradicted; where all of them
    count, the first is told.

    >>> from irenic import Rule, RuleSet
    >>> rules = RuleSet(None, [Rule({"age": (0, 30)}, then="low"),
    ...                        Rule({"age": (29, 60)}, then="high")])
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
    if how != "agree" or rules.is_consistent:
        return decided
    then = rules.then_codes
    for rows, covers in covering(table, instances):
        other = then[None, :] != then[np.maximum(decided[rows], 0)][:, None]
        decided[rows][(covers & other).any(axis=1)] = CONTRADICTED
    return decided


def covering(
    table: DecisionTable, instances: Instances
) -> Iterator[tuple[slice, npt.NDArray[np.bool_]]]:
    """Yield parts of the instances, and which rules cover them: ``[instance, rule]``."""
    for start in range(0, len(instances), _ROWS):
        rows = slice(start, start + _ROWS)
        yield rows, table.rules.covering(instances.take(rows))


def results(table: DecisionTable, how: How, data: Labelled, decided: Ints) -> dict[str, Any]:
    """Return how many instances are covered, how many right, and what is taken for what."""
    nothing = decided == NO_RULE
    contradicted = decided == CONTRADICTED
    found: dict[str, Any] = {
        "rows": len(decided),
        "covered": int((~nothing).sum()),
        "uncovered": int(nothing.sum()),
        "contradicted": int(contradicted.sum()),
        "uncovered_rows": (np.flatnonzero(nothing)[:_MOST_LISTED] + 1).tolist(),
        "contradicted_rows": (np.flatnonzero(contradicted)[:_MOST_LISTED] + 1).tolist(),
    }
    if data.truth is None or data.has is None or how == "all":
        return found
    said = predicted(table, data, decided)
    found["right"] = int((said == data.truth).sum())
    found["accuracy"] = found["right"] / max(1, len(said))
    if data.many:
        return found | {"labels": _per_label(data, said)}
    return found | {"confusion": _confusion(data, said)}


def predicted(table: DecisionTable, data: Labelled, decided: Ints) -> Ints:
    """Return the place of the outcome that is predicted for each instance; NO_RULE for none."""
    rules = table.rules
    thens = [data.places[rules.consequents[code]] for code in rules.then_codes]
    default = NO_RULE if rules.default is None else data.places[rules.default]
    answers = np.array([*thens, CONTRADICTED, default], dtype=np.int64)  # -2 and -1 from the end
    return np.asarray(answers[decided])


def _confusion(data: Labelled, said: Ints) -> list[list[int]]:
    """Return how often an outcome (row) is taken for another; then for none, or contradicted."""
    assert data.truth is not None
    n = len(data.outcomes)
    column = np.where(said == NO_RULE, n, np.where(said == CONTRADICTED, n + 1, said))
    matrix = np.zeros((n, n + 2), dtype=np.int64)
    np.add.at(matrix, (data.truth, column), 1)
    return matrix.tolist()


def _per_label(data: Labelled, said: Ints) -> list[dict[str, int]]:
    """Return for each label how often it is rightly and wrongly said, and not said."""
    assert data.has is not None
    held = np.zeros((len(data.outcomes) + 2, len(data.labels)), dtype=np.bool_)
    for place, outcome in enumerate(data.outcomes):
        held[place, data.label_places(outcome)] = True
    says, has = held[said], data.has  # nothing is said where no rule decides
    return [
        {"both": int(b), "said": int(s), "had": int(h)}
        for b, s, h in zip(
            (says & has).sum(axis=0),
            (says & ~has).sum(axis=0),
            (~says & has).sum(axis=0),
            strict=True,
        )
    ]
