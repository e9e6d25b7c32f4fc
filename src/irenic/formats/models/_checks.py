"""What all readers of models ask first: is it one that they know, and what are its features?"""

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
    """Return the names of the classes of a package that an object is of.

    By name, so that the package need not be imported to say that an object is not of it.
    """
    return {
        kind.__name__
        for kind in type(model).__mro__
        if kind.__module__ == package or kind.__module__.startswith(f"{package}.")
    }


def described(model: Any) -> str:
    """Return what an object is, for a message: "a DecisionTreeRegressor"."""
    name = type(model).__name__
    if isinstance(model, type):
        return f"the class {model.__name__}, not a fitted model of it"
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"


def unfitted(model: Any) -> FormatError:
    """Return the error for a model without rules."""
    return FormatError(f"the {type(model).__name__} is not fitted; call its fit(X, y) first")


def named(given: Any, n: int, known: Any = None) -> list[str]:
    """Return the names of ``n`` features: those given, else those known, else x0, x1, …"""
    if given is None:
        names = [f"x{i}" for i in range(n)] if known is None else to_list(known)
    elif isinstance(given, str) or not isinstance(given, Iterable):
        raise SpaceError(f"feature_names is a list of names, not {given!r}")
    else:
        names = to_list(given)
    if len(names) != n:
        raise SpaceError(f"{len(names)} feature names for a model of {n} features")
    return [name if isinstance(name, str) else str(name) for name in names]


def labels_of(classes: Any, given: Any = None) -> list[Hashable]:
    """Return the classes as Python values, or the names given for them, in the same order."""
    found = [plain(label) for label in to_list(classes)]
    if given is None:
        return found
    if isinstance(given, str) or not (isinstance(given, Sequence) or hasattr(given, "tolist")):
        raise FormatError(f"class_names is a list of names, not {given!r}")
    names = [plain(name) for name in to_list(given)]
    if len(names) != len(found):
        raise FormatError(f"{len(names)} class names for the {len(found)} classes {found}")
    return names


def rule_of(
    space: Space, tests: Iterable[tuple[str, Test]], then: Hashable, weight: float = 1.0
) -> Rule | None:
    """Return the rule of some conditions, also several on one feature; None if it never holds."""
    grouped: dict[str, list[Test]] = {}
    for name, test in tests:
        grouped.setdefault(name, []).append(test)
    conditions = {name: _all_of(several) for name, several in grouped.items()}
    if None in conditions.values():
        return None
    return Rule(Region(space, conditions), then=then, weight=weight)


def _all_of(tests: list[Test]) -> Test | None:
    """Return the condition that all the tests hold, None where they exclude each other."""
    found: Test = {"missing": all(test.get("missing", False) for test in tests)}
    lows = [(test[op], op) for test in tests for op in (">=", ">") if op in test]
    highs = [(test[op], op) for test in tests for op in ("<", "<=") if op in test]
    # the tighter bound; of equal ones, > is tighter than >= and < than <=
    low = max(lows, key=lambda bound: (bound[0], bound[1] == ">"), default=None)
    high = min(highs, key=lambda bound: (bound[0], bound[1] == "<="), default=None)
    if low and high and (low[0] > high[0] or (low[0] == high[0] and low[1] + high[1] != ">=<=")):
        return None
    for bound in (low, high):
        if bound:
            found[bound[1]] = bound[0]
    within = [test["in"] for test in tests if "in" in test]
    out = [value for test in tests for value in test.get("not in", ())]
    if within:
        left = [v for v in within[0] if v not in out and all(v in some for some in within)]
        return found | {"in": left} if left or found["missing"] else None
    return found | ({"not in": out} if out else {})
