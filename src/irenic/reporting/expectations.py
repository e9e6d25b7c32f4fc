"""The properties and the test cases that come with rules, as parts of the document.

The page checks both again after every change, so it gets properties as regions and tests of
outcomes. Properties that it cannot check are left to ``irenic prove``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Final, Literal, NamedTuple

from irenic.boxes import Boxes
from irenic.budget import Budget
from irenic.errors import ConditionError, ConflictError, FormatError
from irenic.formats.json.rules import encode_value
from irenic.model.decision_table import DecisionTable
from irenic.model.features import MISSING
from irenic.model.literals import say
from irenic.model.notation import ParsedProperty
from irenic.model.properties import boxes_of
from irenic.model.region import Region
from irenic.model.space import Space
from irenic.model.spaces import in_space, opened
from irenic.reporting import document
from irenic.reporting.encoding import encode_box, encode_columns, encode_verdict

_OF_FILES: Final = ("same as", "nothing new")
"""Properties that compare with another file."""


class Expectations(NamedTuple):
    """What is expected of rules: properties, and test cases with their outcomes."""

    properties: list[tuple[str, ParsedProperty]]
    X: Any
    outcomes: Sequence[Any]

    @classmethod
    def from_values(
        cls, properties: str | Iterable[str], cases: tuple[Any, Sequence[Any]] | None
    ) -> Expectations:
        """Return properties given as lines, and cases given as a table and their outcomes."""
        text = properties if isinstance(properties, str) else "\n".join(properties)
        parsed: list[tuple[str, ParsedProperty]] = []
        if text:
            from irenic.proving import parse_properties

            parsed = parse_properties(text)
        if cases is None:
            return cls(parsed, None, ())
        if not isinstance(cases, tuple) or len(cases) != 2:
            raise ConditionError(
                "cases must be a pair of a table and the expected outcomes, got"
                f" {type(cases).__name__}"
            )
        return cls(parsed, cases[0], list(cases[1]))

    def open(self, table: DecisionTable) -> DecisionTable:
        """Return a table that lists all values that properties and cases name."""
        space = table.space
        for _, parsed in self.properties:
            space = opened(space, parsed.conditions)
        if self.X is not None:
            space = space.opened_to(Space.infer(self.X))
        return table if space == table.space else replace(table, rules=in_space(table.rules, space))

    def encode_properties(
        self, rules: Any, table: DecisionTable, budget: Budget
    ) -> list[document.AskedProperty]:
        """Return all properties, with what they ask and their verdicts."""
        return [
            {**_proved(rules, text, parsed, budget), "asked": _asked(parsed, table)}
            for text, parsed in self.properties
        ]

    def encode_cases(self, rules: Any, table: DecisionTable) -> list[document.TestCase]:
        """Return all cases, and whether they pass."""
        if self.X is None:
            return []
        from irenic.testing import try_cases

        passed: list[bool | None]
        try:
            trial = try_cases(rules, self.X, self.outcomes, coverage=False)
            passed = [outcome.passed for outcome in trial.outcomes]
        except ConflictError:
            passed = [None] * len(self.outcomes)
        columns = encode_columns(table.encode(self.X))
        return [
            {
                "name": str(place + 1),
                "case": {name: column[place] for name, column in columns.items()},
                "expected": None if outcome is None else encode_value(outcome),
                "text": "nothing" if outcome is None else say(outcome),
                "passed": passed[place],
            }
            for place, outcome in enumerate(self.outcomes)
        ]


NOTHING: Final = Expectations([], None, ())


def _proved(
    rules: Any, text: str, parsed: ParsedProperty, budget: Budget
) -> document.ProvedProperty:
    """Return the verdict on a property; unknown if it cannot be asked."""
    from irenic.proving import prove

    if parsed.kind in _OF_FILES:
        return _unknown(text, f"{text}: checked by irenic prove, not here")
    try:
        return encode_verdict(prove(rules, [text], budget=budget)[0])
    except ConflictError:
        return _unknown(text, f"{text}: unknown while rules contradict each other")
    except (ConditionError, FormatError) as error:  # it begins with the property
        return _unknown(text, str(error))


def _unknown(text: str, why: str) -> document.ProvedProperty:
    return {
        "property": text,
        "verdict": "unknown",
        "cases": [],
        "nodes": 0,
        "stopped_by": None,
        "text": why,
    }


_CLAIMS: Final[dict[str, Literal["only", "same", "rising", "falling"]]] = {
    "never": "only",
    "always": "only",
    "only if": "only",
    "increases": "rising",
    "decreases": "falling",
    "independent": "same",
}


def _asked(parsed: ParsedProperty, table: DecisionTable) -> document.AskedRecord | None:
    """Return what a property asks; None if the page cannot check it."""
    if parsed.kind in _OF_FILES or parsed.outcome is None or len(table.outputs) > 1:
        return None
    is_pair = _CLAIMS[parsed.kind] != "only"
    name = parsed.outcome.name or (say(parsed.outcome.operators.get("=")) if is_pair else "")
    is_general = table.outputs == ("then",) or name.lower() in ("", "outcome", "decision")
    if not is_general and name not in table.outputs:
        return None
    space = table.space
    if is_pair and parsed.target not in space:
        return None
    if parsed.kind in ("increases", "decreases") and parsed.target not in _numbers(space):
        return None
    try:
        regions = boxes_of(parsed.conditions, space)
        test = {} if is_pair else _encoded_test(parsed.outcome.operators)
        order = [encode_value(value) for value in parsed.order]
    except (ConditionError, FormatError):
        return None  # the verdict says why
    only_if = parsed.kind == "only if"
    return {
        "claim": _CLAIMS[parsed.kind],
        "where": [{}] if only_if else _boxes(regions),
        "excused": _boxes(regions) if only_if else [],
        "test": test,
        "passes": parsed.kind == "always",
        "feature": parsed.target if is_pair else None,
        "order": order,
    }


def _numbers(space: Space) -> list[str]:
    return [feature.name for feature in space.continuous]


def _boxes(boxes: Boxes) -> list[document.Box]:
    return [encode_box(Region.from_box(box)) for box in boxes]


def _encoded_test(operators: Any) -> dict[str, document.Encoded]:
    return {operator: _encoded(value) for operator, value in operators.items()}


def _encoded(value: Any) -> document.Encoded:
    if isinstance(value, list | tuple) and not isinstance(value, str):
        return [_encoded(each) for each in value]
    return None if value is MISSING else encode_value(value)
