"""The part of the document that the report page embeds: only what its scripts need."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, Final

from irenic.model.features import FIRST_CODE, LOWEST, MISSING_CODE, OTHER_CODE
from irenic.reporting.document import (
    Condition,
    CountedRule,
    Cut,
    FeatureRecord,
    FindingRecord,
    Groups,
    LearnDocument,
    ModelRecord,
    OutcomeRecord,
    RegionRecord,
    Summary,
)

OMITTED: Final[Mapping[str, tuple[str, ...]]] = {
    "WrittenValue": ("value",),
    "End": ("value",),
    "IntervalParts": ("text",),
    "ValuesParts": ("text",),
    "RegionRecord": ("text",),
    "Witness": ("text", "values"),
    "CountedRule": ("text", "then"),
    "Otherwise": ("then",),
    "FindingRecord": ("noun", "then", "line"),
    "Label": ("value",),
    "Impossible": ("text",),
    "AskedProperty": ("cases", "nodes", "stopped_by"),
}
"""Keys of the document that the page does not embed, by type."""

OPTIONAL: Final[Mapping[str, tuple[str, ...]]] = {
    "IntervalParts": ("lower", "upper", "equal", "missing"),
    "ValuesParts": ("negated", "missing", "other"),
    "RegionRecord": ("conditions",),
    "CountedRule": ("conditions",),
    "FindingRecord": ("text",),
    "Cut": ("lower", "upper", "equal"),
    "CategoricalRecord": ("listed",),
    "OutcomeRecord": ("value",),
}
"""Keys that the page embeds only if its scripts cannot derive them."""


def embedded(document: Summary | LearnDocument) -> dict[str, Any]:
    """Return the part of a summary that the page embeds: pages with many rules must stay small.

    The scripts write conditions from their numbers; those written differently are embedded.
    """
    features = {feature["name"]: _Feature(feature) for feature in document["features"]}
    entries: Mapping[str, Any] = document
    shown = [key for key in Summary.__annotations__ if key != "groups"]
    groups: Groups | None = entries.get("groups")
    own = {} if groups is None else {"groups": _groups(groups)}
    return (
        {key: entries[key] for key in shown}
        | own
        | {
            "features": [feature.embedded() for feature in features.values()],
            "outcomes": [_outcome(outcome) for outcome in document["outcomes"]],
            "labels": [_without("Label", label) for label in document["labels"]],
            "impossible": [_without("Impossible", r) for r in document["impossible"]],
            "properties": [_without("AskedProperty", each) for each in document["properties"]],
            "models": [_model(model, features) for model in document["models"]],
        }
    )


def _outcome(outcome: OutcomeRecord) -> dict[str, Any]:
    """Return an outcome, without its value if that is the text."""
    return _without(
        "OutcomeRecord", outcome, *(["value"] if outcome["value"] == outcome["text"] else [])
    )


def _groups(groups: Groups) -> dict[str, Any]:
    """Return figures of groups, with outcomes as text."""
    default = groups["default"]
    return {
        **groups,
        "default": None if default is None else _without("WrittenValue", default),
        "groups": [
            {
                **group,
                "outcomes": [
                    {**each, "outcome": _without("WrittenValue", each["outcome"])}
                    for each in group["outcomes"]
                ],
            }
            for group in groups["groups"]
        ],
    }


def _without(kind: str, entry: Mapping[str, Any], *others: str) -> dict[str, Any]:
    omitted = (*OMITTED.get(kind, ()), *others)
    return {key: value for key, value in entry.items() if key not in omitted}


class _Feature:
    """A feature, and how the page's scripts write conditions on it."""

    def __init__(self, feature: FeatureRecord) -> None:
        self.feature = feature
        self.cuts: dict[float, Cut] = {}
        self.after: dict[float, float] = {}
        if feature["kind"] != "category":
            self.cuts = {cut["at"]: cut for cut in feature["cuts"]}
            self.after = dict(pairwise(self.cuts))

    def embedded(self) -> dict[str, Any]:
        if self.feature["kind"] == "category":
            plain = self.feature["listed"] == self.feature["values"][FIRST_CODE:]
            return _without("CategoricalRecord", self.feature, *(["listed"] if plain else []))
        return {**self.feature, "cuts": [self._cut(cut) for cut in self.cuts.values()]}

    def _cut(self, cut: Cut) -> dict[str, Any]:
        """Return a cut, without its ends if they are written as the number itself."""
        entry: dict[str, Any] = {"at": cut["at"]}
        lower, upper, single = cut["lower"], cut["upper"], cut["equal"]
        text = repr(cut["at"]).removesuffix(".0")
        plain = lower["text"] == upper["text"] == text and upper["open"] and not lower["open"]
        if not plain or self.feature["kind"] not in ("number", "integer"):
            entry |= {"lower": _without("End", lower), "upper": _without("End", upper)}
        return entry if single is None else entry | {"equal": _without("WrittenValue", single)}

    def writes(self, condition: Mapping[str, Any], numbers: Condition) -> bool:
        """Return whether the scripts, given only its numbers, write a condition as it is."""
        if self.feature["kind"] == "category":
            if any(
                isinstance(value, dict) and "prefix" in value for value in self.feature["listed"]
            ):
                return False
            admitted, negated = set(numbers), OTHER_CODE in numbers
            codes = (code for code in self.feature["admitted"] if code >= FIRST_CODE)
            listed = [self.feature["values"][c] for c in codes if (c in admitted) != negated]
            return (
                [written["text"] for written in condition["values"]] == listed
                and (condition["negated"], condition["other"]) == (negated, negated)
                and condition["missing"] == (MISSING_CODE in admitted)
            )
        return self._writes_interval(condition, *numbers)

    def _writes_interval(
        self, condition: Mapping[str, Any], low: float | None, high: float | None
    ) -> bool:
        if high == LOWEST:  # it tests for a missing value
            return True
        lower = None if low is None or low == LOWEST else self.cuts.get(low)
        upper = None if high is None else self.cuts.get(high)
        if lower and lower["equal"] is not None and self.after.get(lower["at"]) == high:
            return bool(condition["equal"] == lower["equal"])
        return (
            condition["equal"] is None
            and condition["lower"] == (lower and lower["lower"])
            and condition["upper"] == (upper and upper["upper"])
            and condition["missing"] == (low is None and self.feature["missing"])
        )


def _model(model: ModelRecord, features: Mapping[str, _Feature]) -> dict[str, Any]:
    return {
        **model,
        "rules": [
            _without("CountedRule", rule, "conditions") | _written(rule, features)
            for rule in model["rules"]
        ],
        "default": _without("Otherwise", model["default"]),
        "findings": [_finding(finding, features) for finding in model["findings"]],
        "accepted": [_finding(accepted, features) for accepted in model["accepted"]],
    }


def _finding(finding: FindingRecord, features: Mapping[str, _Feature]) -> dict[str, Any]:
    region, witness = finding["region"], finding["witness"]
    composed = finding["kind"] in ("conflicts", "overlaps", "gaps")  # the page writes the text
    return _without("FindingRecord", finding, *(("text",) if composed else ())) | {
        "region": region and {"box": region["box"], **_written(region, features)},
        "witness": witness and _without("Witness", witness),
    }


def _written(entry: RegionRecord | CountedRule, features: Mapping[str, _Feature]) -> dict[str, Any]:
    """Return the conditions that are written differently from how the page would write them."""
    written = [
        _parts(condition)
        for condition, (name, numbers) in zip(
            entry["conditions"], entry["box"].items(), strict=True
        )
        if not features[name].writes(condition, numbers)
    ]
    return {"conditions": written} if written else {}


def _parts(condition: Mapping[str, Any]) -> dict[str, Any]:
    """Return a condition without its text and its values."""
    if "values" in condition:
        values = [_without("WrittenValue", value) for value in condition["values"]]
        return _sparse(_without("ValuesParts", condition) | {"values": values})
    ends = {key: condition[key] and _without("End", condition[key]) for key in _ENDS}
    return _sparse(_without("IntervalParts", condition) | ends)


_ENDS: Final = ("lower", "upper", "equal")


def _sparse(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entries that are neither None nor false."""
    return {key: part for key, part in entry.items() if part is not None and part is not False}
