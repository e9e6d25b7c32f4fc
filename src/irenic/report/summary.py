"""What there is to say of a rule set, as plain data that any view can show."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from irenic.budget import Budget, Progress
from irenic.cfsgs import Search
from irenic.formats.json_rules import encode_point, encode_region, encode_value
from irenic.gaps import Gaps, gaps
from irenic.pairs import Conflict
from irenic.region import Region
from irenic.ruleset import RuleSet

# Pairs beyond this many are not even counted: a hundred thousand rules have five billion.
_MOST_COUNTED = 10_000_000


def check(
    rules: RuleSet,
    budget: Budget | float | None = None,
    progress: Progress | None = None,
    most: int | None = None,
) -> dict[str, Any]:
    """Return what ``irenic check`` reports: counts, both verdicts, the conflicts and the gaps.

    Rules are numbered from 1, as people count; regions have the form of "if" in JSON files. At
    most ``most`` conflicts and gaps are listed; "conflict_count" says how many conflicts there
    are, up to ten million. "complete" says whether the rules cover everything, None where the
    budget ended the search before that was known; "gap_count" how many gaps were found, and
    "gaps_complete" whether these are all.

    >>> from irenic import Rule, RuleSet
    >>> found = check(RuleSet(None, [Rule({"age": (0, 30)}, then="low"),
    ...                              Rule({"age": (29, 60)}, then="high")]))
    >>> found["consistent"], found["conflicts"][0]["witness"]
    (False, {'age': 29})
    """
    conflicts = rules.conflicts(limit=_MOST_COUNTED)
    found = gaps(rules, budget=budget, progress=progress)
    return {
        "rules": len(rules),
        "features": len(rules.space),
        "conditions": rules.n_conditions,
        "consistent": not conflicts,
        "complete": found.covered_everything,
        "conflict_count": len(conflicts),
        "conflicts": [_conflict(conflict) for conflict in conflicts[:most]],
        **_gaps(found, most),
    }


def uncovered(found: Gaps, most: int | None = None) -> dict[str, Any]:
    """Return what ``irenic gaps`` reports."""
    gaps = _gaps(found, most)
    return {"complete": found.covered_everything, **gaps, "stopped_by": found.stopped_by}


def search(found: Search, regions: list[Region]) -> dict[str, Any]:
    """Return what ``irenic search`` reports: the regions, and how the search ended."""
    return {
        "regions": [encode_region(region) for region in regions],
        "complete": found.complete,
        "stopped_by": found.stopped_by,
        "nodes": found.nodes,
    }


def enlarged(seed: Mapping[str, Any], region: Region) -> dict[str, Any]:
    """Return what ``irenic enlarge`` reports."""
    return {"seed": encode_point(seed), "region": encode_region(region), "text": str(region)}


def _gaps(found: Gaps, most: int | None) -> dict[str, Any]:
    return {
        "gap_count": len(found),
        "gaps": [encode_region(region) for region in found.regions[:most]],
        "gaps_complete": found.complete,
    }


def _conflict(conflict: Conflict) -> dict[str, Any]:
    return {
        "rules": [conflict.first + 1, conflict.second + 1],
        "then": [encode_value(rule.then) for rule in conflict.rules],
        "overlap": encode_region(conflict.overlap),
        "witness": encode_point(conflict.witness),
    }
