"""The summary that a plot is drawn from: the one that is given, or one that is made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from irenic.budget import Budget
from irenic.errors import DataError
from irenic.plot._figure import label
from irenic.reporting.summarise import check_summary, summarise

_NONE: Final = Budget(seconds=0, nodes=0, regions=0)


def summary_of(rules: Any, X: Any = None, y: Any = None) -> Mapping[str, Any]:
    """Return the summary of rules; what ``irenic.summarise`` made is taken as it is.

    Findings are left out of one that is made here: no plot shows those of the whole space.
    """
    if isinstance(rules, Mapping):
        check_summary(rules)
        if X is not None or y is not None:
            raise DataError(
                "a summary has the instances that it was counted on;"
                " give them to irenic.summarise(rules, X, y)"
            )
        return rules
    if X is None and y is not None:
        raise DataError("labels need the instances that they belong to")
    return summarise(rules, X, y, budget=_NONE, most=0)


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
