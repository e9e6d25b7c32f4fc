"""What properties are about: regions of cases, and tests of outcomes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from irenic.boxes import Boxes
from irenic.errors import ConditionError
from irenic.model.features import MISSING
from irenic.model.literals import Prefix, display
from irenic.model.notation import Alternatives, ParsedCondition
from irenic.model.region import Region
from irenic.model.space import Space

OUTCOME: Final = ("outcome", "decision")
"""What a property can call the outcome, whatever its name is."""
_SIGNS: Final = ("<", "<=", ">", ">=", "=")


def boxes_of(conditions: Alternatives | None, space: Space) -> Boxes:
    """Return the boxes of alternatives; None is the whole space."""
    if conditions is None:
        return Boxes.whole(space)
    regions = [Region.from_parsed(one, space) for one in conditions]
    boxes = [region.box.simplified() for region in regions if not region.is_empty]
    return Boxes.none(space).concat(*boxes)


def check_outcome(test: ParsedCondition, space: Space) -> None:
    """Reject a test of a feature where a property has its outcome.

    >>> from irenic import Continuous
    >>> check_outcome(ParsedCondition("age", {"<": 18}, 1), Space([Continuous("age")]))
    Traceback (most recent call last):
    irenic.errors.ConditionError: 'age' is a feature, not an outcome; a property has its conditions
    after WHERE: OUTCOME WHERE age < 18
    """
    if test.name not in space or test.name.lower() in OUTCOME:
        return
    name = display(test.name)
    sign, value = next(iter(test.operators.items()))
    condition = f"{name} {sign} {display(value)}" if sign in _SIGNS else f"{name} …"
    raise ConditionError(
        f"{test.name!r} is a feature, not an outcome; a property has its conditions after WHERE:"
        f" OUTCOME WHERE {condition}"
    )


def matches(operators: Mapping[str, Any], outcome: Any) -> bool:
    """Return whether an outcome passes a test; of a list or a set, whether any member does.

    >>> matches({"=": "a"}, frozenset("ab")), matches({">": 3}, 5), matches({">": 3}, None)
    (True, True, False)
    """
    if outcome is None:
        return any(
            (operator == "missing" and bool(value))
            or (operator == "=" and value is MISSING)
            or (operator in ("in", "not in") and (MISSING in value) == (operator == "in"))
            for operator, value in operators.items()
        )
    if isinstance(outcome, list):
        return any(matches(operators, each) for each in outcome)
    return all(_passes(operator, value, outcome) for operator, value in operators.items())


def _passes(operator: str, value: Any, outcome: Any) -> bool:
    if operator == "missing":
        return not value
    if operator in ("=", "in", "not in"):
        values = [value] if operator == "=" else value
        return any(_equals(outcome, each) for each in values) == (operator != "not in")
    try:
        below = bool(outcome < value)
        above = bool(outcome > value)
    except TypeError:
        raise ConditionError(
            f"outcomes must be comparable with {display(value)}, got {display(outcome)}"
        ) from None
    return {"<": below, "<=": not above, ">": above, ">=": not below}[operator]


def _equals(outcome: Any, value: Any) -> bool:
    if isinstance(outcome, frozenset) and not isinstance(value, frozenset):
        return value in outcome
    if isinstance(value, Prefix):
        return outcome in value
    return bool(outcome == value) and isinstance(outcome, bool) == isinstance(value, bool)
