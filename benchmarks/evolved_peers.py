"""Rule learners that search by evolution: XCS, ExSTraCS and the fuzzy rules of ex-fuzzy.

All of them read categories as codes. A rule counts a category, a fuzzy set, and each bound of an
interval as one condition.
"""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.fitted import Fitted, most_frequent, objects, quiet, stacked

# The default of XCS, and twice the number in the documentation of both. The default of ExSTraCS is
# 100,000, which takes minutes per fit.
ITERATIONS = 10_000
# Their default: a numeric feature with at most so many values is discrete.
DISCRETE = 10


def is_nominal(X: pd.DataFrame) -> list[bool]:
    return [isinstance(kind, pd.CategoricalDtype) for kind in X.dtypes]


def coded(X: pd.DataFrame) -> np.ndarray:
    """Return the table with the codes of categories; missing values are NaN."""
    return np.column_stack(
        [
            X[name].cat.codes.astype(float).where(X[name].notna())
            if nominal
            else X[name].astype(float)
            for name, nominal in zip(X, is_nominal(X), strict=True)
        ]
    )


@contextlib.contextmanager
def kept_generators() -> Iterator[None]:
    """Restore the global random number generators, which the classifier systems seed."""
    numpy_state, python_state = np.random.get_state(), random.getstate()  # noqa: NPY002
    try:
        yield
    finally:
        np.random.set_state(numpy_state)  # noqa: NPY002
        random.setstate(python_state)


# --- learning classifier systems


def xcs(X, y) -> Fitted:
    """Fit XCS; where no rule matches, the most frequent class is predicted.

    XCS also keeps rules for classes that it expects to be wrong. These are rules of the model, but
    they do not predict their class, so they are not part of the covering.
    """
    from skXCS import XCS

    model = XCS(learning_iterations=ITERATIONS, random_state=0, **_attributes(X))
    # The library reads this attribute where it means ``init_fitness``.
    model.init_fit = model.init_fitness
    classes, codes = np.unique(y, return_inverse=True)
    return _classifier_system(model, X, y, classes, codes, default=True)


def exstracs(X, y) -> Fitted:
    """Fit ExSTraCS, which compacts its rules at the end.

    Its default class is the one with the largest code, which is meant to be the most frequent
    class, so the codes increase with the frequency of the classes.
    """
    from skExSTraCS import ExSTraCS

    model = ExSTraCS(learning_iterations=ITERATIONS, random_state=0, **_attributes(X))
    known, numbers, counts = np.unique(y, return_inverse=True, return_counts=True)
    order = np.argsort(counts, kind="stable")
    return _classifier_system(model, X, y, known[order], np.argsort(order)[numbers], default=False)


def _attributes(X: pd.DataFrame) -> dict[str, Any]:
    """Return which features are discrete: by default those with few values, and all categories."""
    discrete = [
        i
        for i, (name, nominal) in enumerate(zip(X, is_nominal(X), strict=True))
        if nominal or X[name].nunique() <= DISCRETE
    ]
    return {"discrete_attribute_limit": "d", "specified_attributes": np.array(discrete, dtype=int)}


def _classifier_system(
    model: Any,
    X: pd.DataFrame,
    y: np.ndarray,
    classes: np.ndarray,
    codes: np.ndarray,
    default: bool,
) -> Fitted:
    table = coded(X)
    with quiet(), kept_generators():
        model.fit(table, codes)
    rules = list(model.population.popSet)
    most = most_frequent(y, y)

    def holding(rules, table):
        """Return which rules hold; a missing value satisfies no condition."""
        columns = []
        for rule in rules:
            column = np.ones(len(table), dtype=bool)
            for c, wanted in zip(rule.specifiedAttList, rule.condition, strict=True):
                if isinstance(wanted, list):
                    column &= (wanted[0] < table[:, c]) & (table[:, c] < wanted[1])
                else:
                    column &= table[:, c] == wanted
            columns.append(column)
        return stacked(columns, len(table))

    def predict(X):
        table = coded(X)
        with kept_generators():
            best = classes[np.asarray(model.predict(table)).astype(int)]
        if not default:
            return best
        return np.where(holding(rules, table).any(axis=1), best, most)

    def covering(X):
        stating = [rule for rule in rules if _states_its_class(rule, model)]
        thens = [int(rule.action if default else rule.phenotype) for rule in stating]
        return holding(stating, coded(X)), objects(classes[thens])

    def size():
        with quiet():
            lowest, highest = np.nanmin(table, axis=0), np.nanmax(table, axis=0)
        conditions = 0
        for rule in rules:
            for c, wanted in zip(rule.specifiedAttList, rule.condition, strict=True):
                # A bound beyond all training values does not count.
                bounds = isinstance(wanted, list) and sum(
                    (wanted[0] >= lowest[c], wanted[1] <= highest[c])
                )
                conditions += max(1, int(bounds))
        return {"rules": len(rules) + 1, "conditions": conditions}

    return Fitted(predict, size, covering=covering)


def _states_its_class(rule: Any, model: Any) -> bool:
    # ExSTraCS only has rules for classes that it has seen to be right.
    return not hasattr(rule, "prediction") or rule.prediction > model.max_payoff / 2


# --- fuzzy rules


def fuzzy_rules(X, y) -> Fitted:
    """Fit fuzzy rules with a genetic algorithm; the rule with the largest degree decides.

    The degree is the product of the memberships, weighted by the rule. A rule counts as holding if
    the product is at least 0.5; this is our reading, because fuzzy rules hold by degrees. Missing
    numbers become the median, and a missing category is one more value. All options but the seed
    are defaults: 30 rules of 4 conditions and 3 fuzzy sets per feature, 70 generations of 30.
    """
    from ex_fuzzy import BaseFuzzyRulesClassifier
    from ex_fuzzy.utils import detect_categorical_mask

    nominal = is_nominal(X)
    medians = np.nan_to_num(
        [0.0 if n else X[name].astype(float).median() for name, n in zip(X, nominal, strict=True)]
    )
    absent = [len(X[name].cat.categories) if n else 0 for name, n in zip(X, nominal, strict=True)]
    fill = np.where(nominal, absent, medians)

    def numbers(X):
        table = coded(X)
        return np.where(np.isnan(table), fill, table)

    table = numbers(X)
    classes, codes = np.unique(y, return_inverse=True)
    values = [len(np.unique(column)) for column in table.T]
    # The library detects numbers that are categories.
    mask = np.where(nominal, values, detect_categorical_mask(table))
    model = BaseFuzzyRulesClassifier(categorical_mask=mask, random_state=0)
    with quiet(), kept_generators():
        model.fit(table, codes)
    rules = model.rule_base
    most = most_frequent(y, y)

    def predict(X):
        with quiet():
            best = np.asarray(model.predict(numbers(X))).astype(int)
        return np.where(best < 0, most, classes[best])

    def covering(X):
        table = numbers(X)
        thens = [int(code) for code in rules.get_consequents()]
        with quiet():
            degrees = np.asarray(rules.compute_firing_strengths(table))
        return degrees.reshape(len(table), len(thens)) >= 0.5, objects(classes[thens])

    def size():
        used = [np.count_nonzero(np.asarray(rule.antecedents) >= 0) for rule in rules.get_rules()]
        return {"rules": len(used), "conditions": int(sum(used))}

    return Fitted(predict, size, covering=covering)
