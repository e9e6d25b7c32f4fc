"""Groups of rows and new rows as plain data."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final, Literal

from irenic.formats.json.rules import encode_value
from irenic.model.literals import display, say
from irenic.reporting import document
from irenic.reporting.document import VERSION
from irenic.reporting.encoding import encode_then
from irenic.reporting.summarize import score_text

if TYPE_CHECKING:
    from irenic.monitoring import Drift, GroupFigures, Share, Shift

_PAIR: Final = 2


def encode_share(share: Share) -> document.ShareRecord:
    """Return a share with its interval."""
    low, high = share.interval
    known = None if math.isnan(share.share) else share.share
    return {"count": share.count, "of": share.of, "share": known, "low": low, "high": high}


def encode_groups(
    column: str,
    groups: Iterable[GroupFigures],
    default: Any,
    on: Literal["instances", "training", "left_out"],
) -> document.Groups:
    """Return what rules with a default (None for none) decide for groups of rows."""
    return {
        "column": column,
        "on": on,
        "default": None if default is None else encode_then(default),
        "groups": [_group(figures) for figures in groups],
    }


def shown_outcomes(groups: document.Groups) -> list[int]:
    """Return the places of the outcomes to show: of two, only the one that rules give.

    The shares of the other one follow from it.
    """
    names = [each["outcome"]["text"] for each in groups["groups"][0]["outcomes"]]
    default = groups["default"]
    usual = None if default is None else default["text"]
    return [i for i, name in enumerate(names) if len(names) != _PAIR or name != usual]


def outcome_name(text: str) -> str:
    """Return the name of an outcome in a heading, in quotes if it may be taken for the default."""
    return f'"{text}"' if text.casefold() in ("default", "by default") else text


def _group(figures: GroupFigures) -> document.GroupFiguresRecord:
    def rate(rates: Any, outcome: Any) -> document.ShareRecord | None:
        return None if rates is None else encode_share(rates[outcome])

    return {
        "value": "missing" if figures.value is None else say(figures.value),
        "rows": figures.rows,
        "small": figures.is_small,
        "outcomes": [
            {
                "outcome": encode_then(outcome),
                "decided": encode_share(share),
                "false_positives": rate(figures.false_positives, outcome),
                "false_negatives": rate(figures.false_negatives, outcome),
            }
            for outcome, share in figures.decided.items()
        ],
        "by_default": encode_share(figures.by_default),
        "accuracy": None if figures.accuracy is None else encode_share(figures.accuracy),
    }


def monitor_document(
    model: Any, drift: Drift, groups: document.Groups | None = None
) -> document.MonitorDocument:
    """Return how new rows differ from the training rows of a model."""
    n = sum(shift.changed for shift in drift.shifts)
    of = f"{len(drift.shifts):,} shares"
    verdict = (
        f"Changed: {n:,} of {of} differ by more than chance explains."
        if n
        else f"Not changed: none of {of} differs by more than chance explains."
    )
    encoded: document.MonitorDocument = {
        "format": "irenic monitor",
        "version": VERSION,
        "rows": drift.rows,
        "training_rows": model.chosen_.n_rows,
        "changed": drift.changed,
        "verdict": verdict,
        "accuracy": None if drift.accuracy is None else encode_share(drift.accuracy),
        "expected": expected_accuracy(model),
        "shifts": [_shift(shift) for shift in drift.shifts],
        "unseen": [
            {
                "column": name,
                "values": [
                    {"value": encode_value(value), "text": display(value), "rows": rows}
                    for value, rows in values.items()
                ],
            }
            for name, values in drift.unseen.items()
        ],
        "beyond": [
            {"column": name, "trained": trained, "now": now}
            for name, (trained, now) in drift.beyond.items()
        ],
    }
    if groups is not None:
        encoded["groups"] = groups
    return encoded


def expected_accuracy(model: Any) -> list[float] | None:
    """Return the accuracy to expect with its interval, None if it is unknown."""
    estimate = getattr(model, "estimate_", None)
    is_accuracy = score_text(model) == "the accuracy"
    return [float(value) for value in estimate] if estimate is not None and is_accuracy else None


def _shift(shift: Shift) -> document.ShiftRecord:
    return {
        "kind": shift.kind,
        "rule": None if shift.rule is None else shift.rule + 1,
        "column": shift.column,
        "before": encode_share(shift.before),
        "now": encode_share(shift.now),
        "difference": list(shift.interval),
        "p": shift.p,
        "changed": shift.changed,
        "text": str(shift),
    }
