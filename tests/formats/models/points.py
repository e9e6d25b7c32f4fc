"""Tables with values at the bounds of rules, next to them, far away and missing."""

from __future__ import annotations

import numpy as np

from irenic import Categorical, RuleList


def around(rules, n, seed, *, missing=0.0, others=(), far=1e300):
    """Return n values per feature; a share of them is missing, and some of them are others."""
    rng = np.random.default_rng(seed)
    bounds = rules.rules if isinstance(rules, RuleList) else rules
    columns = {}
    for feature in rules.space:
        if isinstance(feature, Categorical):
            unseen = ["unseen"] if feature.other else []
            column = rng.choice(np.array([*feature.values, *unseen], dtype=object), n)
        else:
            row = rules.space.row(feature.name)
            at = np.unique(np.concatenate([bounds.lower[row], bounds.upper[row], [0.0], others]))
            at = at[np.isfinite(at) & (np.abs(at) < 1e300)]
            near = [
                at,
                np.nextafter(at, np.inf),
                np.nextafter(at, -np.inf),
                rng.normal(size=30) * 5,
            ]
            column = rng.choice(np.concatenate([*near, [far, -far]]), n)
        gone = None if isinstance(feature, Categorical) else np.nan
        columns[feature.name] = np.where(rng.random(n) < missing, gone, column)
    return columns


def is_partition(rules):
    """Return whether exactly one rule holds for each case."""
    from irenic import gaps

    found = gaps(rules)
    return len(rules.conflicts()) == 0 and found.finished and len(found) == 0
