"""Checks and conversions shared by all readers of models."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

from irenic.errors import FormatError, SpaceError
from irenic.model.literals import plain
from irenic.model.region import Region
from irenic.model.rule import Rule
from irenic.model.space import Space, to_list

Test = dict[str, Any]
"""A condition as operators, as :class:`irenic.Region` takes it."""


def kinds_of(model: Any, package: str) -> set[str]:
    """Return the names of the classes of a package that an object is an instance of.

    Classes are compared by name, so the package need not be installed.
    """
    return {
        kind.__name__
        for kind in type(model).__mro__
        if kind.__module__ == package or kind.__module__.startswith(f"{package}.")
    }


def described(model: Any) -> str:
    """Return a description of an object for a message: "a DecisionTreeRegressor"."""
    name = type(model).__name__
    if isinstance(model, type):
        return f"the class {model.__name__}, not a fitted model of it"
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"


def unfitted(model: Any) -> FormatError:
    """Return the error for a model that is not fitted."""
    return FormatError(f"the {type(model).__name__} is not fitted; call its fit(X, y) first")


def named(feature_names: Any, n: int, known: Any = None) -> list[str]:
    """Return the names of ``n`` features: those of the user, else of the model, else x0, x1, …"""
    if feature_names is None:
        names = [f"x{i}" for i in range(n)] if known is None else to_list(known)
    elif isinstance(feature_names, str) or not isinstance(feature_names, Iterable):
        raise SpaceError(f"feature_names must be a list of names, got {feature_names!r}")
    else:
        names = to_list(feature_names)
    if len(names) != n:
        raise SpaceError(f"feature_names must have {n} names, one per feature, got {len(names)}")
    return [name if isinstance(name, str) else str(name) for name in names]


def labels_of(classes: Any, class_names: Any = None) -> list[Hashable]:
    """Return the classes as Python values, or the names of the user, in the same order."""
    labels = [plain(label) for label in to_list(classes)]
    if class_names is None:
        return labels
    if isinstance(class_names, str) or not (
        isinstance(class_names, Sequence) or hasattr(class_names, "tolist")
    ):
        raise FormatError(f"class_names must be a list of names, got {class_names!r}")
    names = [plain(name) for name in to_list(class_names)]
    if len(names) != len(labels):
        raise FormatError(
            f"class_names must have {len(labels)} names, one per class {labels}, got {len(names)}"
        )
    return names


def rule_of(
    space: Space, tests: Iterable[tuple[str, Test]], then: Hashable, weight: float = 1.0
) -> Rule | None:
    """Return a rule with conditions, several per feature allowed; None if it never holds."""
    grouped: dict[str, list[Test]] = {}
    for name, test in tests:
        grouped.setdefault(name, []).append(test)
    conditions = {name: _all_of(group) for name, group in grouped.items()}
    if None in conditions.values():
        return None
    return Rule(Region(space, conditions), then=then, weight=weight)


def _all_of(tests: list[Test]) -> Test | None:
    """Return the conjunction of tests, None if they exclude each other."""
    condition: Test = {"missing": all(test.get("missing", False) for test in tests)}
    lows = [(test[op], op) for test in tests for op in (">=", ">") if op in test]
    highs = [(test[op], op) for test in tests for op in ("<", "<=") if op in test]
    # for equal bounds, > is tighter than >=, and < than <=
    low = max(lows, key=lambda bound: (bound[0], bound[1] == ">"), default=None)
    high = min(highs, key=lambda bound: (bound[0], bound[1] == "<="), default=None)
    if low and high and (low[0] > high[0] or (low[0] == high[0] and low[1] + high[1] != ">=<=")):
        return None
    for bound in (low, high):
        if bound:
            condition[bound[1]] = bound[0]
    within = [test["in"] for test in tests if "in" in test]
    excluded = [value for test in tests for value in test.get("not in", ())]
    if within:
        allowed = [
            v for v in within[0] if v not in excluded and all(v in values for values in within)
        ]
        return condition | {"in": allowed} if allowed or condition["missing"] else None
    return condition | ({"not in": excluded} if excluded else {})
