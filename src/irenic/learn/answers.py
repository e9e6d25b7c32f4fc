"""Predictions in the form of the training labels: labels, a 0/1 matrix, or sets."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from irenic.learn.hierarchy import Hierarchy
from irenic.learn.labels import as_indicator
from irenic.model.literals import Probabilities

Form: TypeAlias = Literal["labels", "matrix", "sets"]


@dataclass(frozen=True, eq=False)
class Answers:
    """How ``predict`` returns consequents."""

    labels: npt.NDArray[Any]
    form: Form
    hierarchy: Hierarchy | None = None
    threshold: float = 0.5
    """Probability from which a label is predicted, if consequents are probabilities."""

    @property
    def many(self) -> bool:
        """Whether a row may have several labels."""
        return self.form != "labels"

    def take(
        self, thens: Sequence[Hashable | None], decided: npt.NDArray[np.int64]
    ) -> npt.NDArray[Any]:
        """Return the consequents at the given indices; of probabilities, the predicted labels."""
        thens = [
            then.at_least(self.threshold) if isinstance(then, Probabilities) else then
            for then in thens
        ]
        if self.form == "matrix":
            rows = np.array(
                [[label in (then or ()) for label in self.labels.tolist()] for then in thens],  # type: ignore[operator]
                dtype=np.int64,
            )
            return np.asarray(rows[decided])
        if self.form == "sets":
            sets = np.empty(len(thens), dtype=object)
            sets[:] = [frozenset() if then is None else then for then in thens]
            return np.asarray(sets[decided])
        if None in thens:
            answers = np.empty(len(thens), dtype=object)
            answers[:] = thens
            return np.asarray(answers[decided])
        code_of = {label: code for code, label in enumerate(self.labels.tolist())}
        codes = np.array([code_of[then] for then in thens], dtype=np.intp)
        return np.asarray(self.labels[codes[decided]])

    def equal(self, predictions: npt.NDArray[Any], y: Any) -> npt.NDArray[np.bool_]:
        """Return for each row whether the predicted set of labels is exactly right."""
        truth, _ = as_indicator(y, self.labels.tolist())
        if self.hierarchy is not None:
            truth = self.hierarchy.close_indicator(truth)
        if self.form == "matrix":
            return np.asarray((predictions.astype(bool) == truth).all(axis=1))
        indicator, _ = as_indicator(list(predictions), self.labels.tolist())
        return np.asarray((indicator == truth).all(axis=1))
