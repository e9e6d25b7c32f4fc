"""The rules that a plot is drawn from, and the document that counts them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from irenic.budget import Budget
from irenic.errors import DataError
from irenic.plot._figure import label
from irenic.reporting.summarize import Subject

_NONE: Final = Budget(seconds=0, nodes=0, regions=0)


def source_of(rules: Any, X: Any = None, y: Any = None) -> Subject:
    """Return rules and instances; findings are left out, as no plot shows those of a summary."""
    if X is None and y is not None:
        raise DataError("labels need the instances that they belong to")
    return Subject(rules, X, y, _NONE, limit=None)


def summary_of(rules: Any, X: Any = None, y: Any = None) -> Mapping[str, Any]:
    """Return the summary of rules and instances, without findings."""
    return source_of(rules, X, y).summary()


def drawn_summary(source: Subject) -> Mapping[str, Any]:
    """Return the summary of a source; without instances, ranges are those of the training rows."""
    summary = source.summary()
    columns = source.points[source.chosen].columns if source.points else None
    if source.data.instances is not None or columns is None:
        return summary
    features = [_trained(feature, columns.get(feature["name"])) for feature in summary["features"]]
    return {**summary, "features": features}


def _trained(feature: Any, figures: Any) -> Mapping[str, Any]:
    """Return a feature that is drawn from its least to its greatest training value."""
    if figures is None or figures.low is None:
        return dict(feature)
    cuts = [cut["at"] for cut in feature["cuts"]]
    ends = [min([figures.low, *cuts]), max([figures.high, *cuts])]
    return {**feature, "range": ends if ends[0] < ends[1] else feature["range"]}


def chosen(summary: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the model in use: of a classifier the one that predicts."""
    model: Mapping[str, Any] = summary["models"][summary["chosen"]]
    return model


def asked_order(model: Mapping[str, Any]) -> list[int]:
    """Return the places of rules in the order in which people read them."""
    return list(range(len(model["rules"])) if model["order"] is None else model["order"])


def rule_label(summary: Mapping[str, Any], rule: Mapping[str, Any]) -> str:
    """Return a rule's number and what it says."""
    return f"{rule['number']} → {label(summary['outcomes'][rule['outcome']]['text'], 24)}"
