"""Labeled instances, from which changes of rules take values and outcomes."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from irenic.arrays import Floats
from irenic.errors import DataError
from irenic.model.head import agreements
from irenic.model.rule import as_consequent
from irenic.model.space import Instances, Space, to_list


@dataclass(frozen=True, eq=False)
class LabeledCases:
    """Instances and their labels."""

    instances: Instances
    labels: list[Hashable]

    @classmethod
    def from_table(cls, space: Space, X: Any, y: Any) -> Self | None:
        """Return a table with labels; None if neither is given."""
        if X is None and y is None:
            return None
        if X is None or y is None:
            raise DataError("X and y must be given together")
        instances = space.encode(X)
        labels = [as_consequent(label) for label in to_list(y)]
        if len(labels) != len(instances):
            raise DataError(
                f"y must have {len(instances)} labels, one per row of X, got {len(labels)}"
            )
        return cls(instances, labels)

    def of_class(self, then: Hashable) -> Instances:
        """Return the instances whose labels agree with a consequent."""
        return self.instances.take(agreements([then], self.labels)[0])

    @cached_property
    def scale(self) -> Floats:
        """A quarter of the range of each continuous feature, which counts as a distance of 1."""
        scale = np.ones(len(self.instances.values))
        for row, values in enumerate(self.instances.values):
            known = values[np.isfinite(values)]
            if len(known):
                # Quarters, because twice the largest float64 is infinite.
                scale[row] = known.max() / 4 - known.min() / 4 or 1.0
        return scale
