"""What there is to say of a learned model, as plain data that any view can show."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any

from irenic.formats.json.rules import encode_region, encode_value

if TYPE_CHECKING:
    from irenic.learn import FrontPoint, RuleSetClassifier


def summary(
    model: RuleSetClassifier,
    *,
    data: str,
    target: str,
    counts: Mapping[Hashable, int],
    cross_validation: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Return what ``irenic learn`` reports.

    Rules have the form that they have in JSON files, with "text" in words, and how many training
    rows each covers ("support") and the share of these that it is right for ("confidence", null
    where it covers none).
    """
    rules, held = model.rules_, model.chosen_.counts
    certificate = model.certificate_
    return {
        "data": {
            "name": data,
            "rows": sum(counts.values()),
            "features": len(rules.space),
            "target": target,
            "classes": [{"label": encode_value(k), "rows": n} for k, n in counts.items()],
        },
        "rules": [
            {
                "if": encode_region(rule.region),
                "then": encode_value(rule.then),
                "text": str(rule),
                **_held(held, place),
            }
            for place, rule in enumerate(rules)
        ],
        "default": {
            "then": None if rules.default is None else encode_value(rules.default),
            **_held(held, len(rules)),
        },
        "certificate": {
            "consistent": certificate.is_consistent,
            "complete": certificate.is_complete,
            "gap_count": len(certificate.gaps),
            "text": str(certificate),
        },
        "size": _size(model.chosen_),
        "front": [
            {
                **_size(point),
                "training_score": _number(point.training_score),
                "validated_score": _number(point.validated_score),
                "chosen": point is model.chosen_,
            }
            for point in model.pareto_front_
        ],
        "cross_validation": cross_validation,
    }


def _held(counts: Any, place: int) -> dict[str, float | None]:
    return {
        "support": float(counts.support[place]),
        "confidence": _number(float(counts.confidence[place])),
    }


def _size(point: FrontPoint) -> dict[str, float]:
    return {
        "rules": point.rules,
        "conditions": point.conditions,
        "explanation_size": point.explanation_size,
    }


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value
