"""What there is to say of a rule set, as plain data that any view can show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from irenic.formats.json_rules import encode_point, encode_region, encode_value

if TYPE_CHECKING:
    from irenic.pairs import Conflict
from irenic.ruleset import RuleSet


def check(rules: RuleSet) -> dict[str, Any]:
    """Return what ``irenic check`` reports: counts, the verdict and every conflict.

    Rules are numbered from 1, as people count; regions have the form of "if" in JSON files.

    >>> from irenic import Rule, RuleSet
    >>> found = check(RuleSet(None, [Rule({"age": (0, 30)}, then="low"),
    ...                              Rule({"age": (29, 60)}, then="high")]))
    >>> found["consistent"], found["conflicts"][0]["witness"]
    (False, {'age': 29})
    """
    conflicts = rules.conflicts()
    return {
        "rules": len(rules),
        "features": len(rules.space),
        "conditions": rules.n_conditions,
        "consistent": not conflicts,
        "conflicts": [_conflict(conflict) for conflict in conflicts],
    }


def _conflict(conflict: Conflict) -> dict[str, Any]:
    return {
        "rules": [conflict.first + 1, conflict.second + 1],
        "then": [encode_value(rule.then) for rule in conflict.rules],
        "overlap": encode_region(conflict.overlap),
        "witness": encode_point(conflict.witness),
    }
