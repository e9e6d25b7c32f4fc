"""Rule learners of the comparison: RIPPER, CN2, RuleKit and BOOMER."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.fitted import MISSING, Fitted, most_frequent, objects, positives, quiet, stacked


def ripper(X, y) -> Fitted:
    """Fit RIPPER for the rarer of two classes, or one model per class.

    If rules of several classes hold, the most probable class is predicted; if none holds, the most
    frequent class of uncovered training rows.
    """
    import wittgenstein
    from wittgenstein import preprocess
    from wittgenstein.utils import weighted_avg_freqs

    medians = X.median(numeric_only=True)

    def filled(X):
        X = X.copy()
        for name in X:
            if name in medians:
                X[name] = X[name].astype(float).fillna(medians[name])
            else:
                X[name] = X[name].astype(object).fillna(MISSING)
        # Reset the index, because wittgenstein adds columns by position.
        return X.reset_index(drop=True)

    classes, positive = positives(y)
    table = filled(X)
    models = []
    for label in positive:
        model = wittgenstein.RIPPER(random_state=0)
        with quiet():
            model.fit(table, y=pd.Series(y == label, name="the class"), pos_class=True)
        models.append(model)

    def holding(model, table):
        """Return which rules of one class hold, with the same bins as ``predict``."""
        arguments = {
            "X": table,
            "class_feat": model.class_feat,
            "pos_class": model.pos_class,
            "bin_transformer_": model.bin_transformer_,
            "user_requested_feature_names": None,
            "selected_features_": model.selected_features_,
            "trainset_features_": model.trainset_features_,
            "verbosity": model.verbosity,
        }
        with quiet():
            binned = preprocess.preprocess_prediction_data(arguments)
        columns = []
        for rule in model.ruleset_.rules:
            column = np.zeros(len(table), dtype=bool)
            column[rule.covers(binned).index] = True
            columns.append(column)
        return stacked(columns, len(table))

    def scores(table):
        """Return the probability of each class, or -1 if none of its rules holds.

        The same as ``predict_proba``, which needs quadratic time.
        """
        columns = []
        for model in models:
            holds = holding(model, table)
            patterns, place = np.unique(holds, axis=0, return_inverse=True)
            known = np.full(len(patterns), -1.0)
            for i, pattern in enumerate(patterns):
                if pattern.any():
                    rules = [model.ruleset_.rules[k] for k in np.flatnonzero(pattern)]
                    freqs = weighted_avg_freqs([rule.smoothed_class_freqs_ for rule in rules])
                    known[i] = freqs[-1]
            columns.append(known[place.ravel()])
        return np.column_stack(columns)

    if len(classes) == 2:
        default = classes[classes != positive[0]][0]
    else:
        default = most_frequent(np.asarray(y)[scores(table).max(axis=1) < 0], y)

    def predict(X):
        probabilities = scores(filled(X))
        best = positive[probabilities.argmax(axis=1)]
        return np.where(probabilities.max(axis=1) < 0, default, best)

    def covering(X):
        table = filled(X)
        thens = [label for label, m in zip(positive, models, strict=True) for _ in m.ruleset_.rules]
        return np.hstack([holding(model, table) for model in models]), objects(thens)

    def size():
        rules = [rule for model in models for rule in model.ruleset_.rules]
        # "2.5-7" is a bin of a numeric feature, with two bounds.
        between = re.compile(r"^-?\d[\d.]*(e[+-]?\d+)?-+\d")
        conditions = sum(
            1 + bool(cond.feature in medians and between.match(str(cond.val)))
            for rule in rules
            for cond in rule.conds
        )
        return {"rules": len(rules) + 1, "conditions": conditions}

    return Fitted(predict, size, covering=covering)


def cn2(X, y, ordered: bool) -> Fitted:
    """Fit CN2 of Orange, which imputes missing values: the mean or the most frequent value."""
    from Orange.classification.rules import CN2Learner, CN2UnorderedLearner
    from Orange.data import ContinuousVariable, DiscreteVariable, Domain, Table

    classes = np.unique(y)
    variables = [
        DiscreteVariable(str(name), list(map(str, X[name].cat.categories)))
        if isinstance(X[name].dtype, pd.CategoricalDtype)
        else ContinuousVariable(str(name))
        for name in X
    ]
    domain = Domain(variables, DiscreteVariable("the class", list(map(str, classes))))

    def as_table(X, codes):
        columns = []
        for name in X:
            if isinstance(X[name].dtype, pd.CategoricalDtype):
                column = X[name].cat.codes.to_numpy(dtype=float)
                column[column < 0] = np.nan
            else:
                column = X[name].to_numpy(dtype=float)
            columns.append(column)
        return Table.from_numpy(domain, np.column_stack(columns), codes)

    learner = CN2Learner() if ordered else CN2UnorderedLearner()
    with quiet():
        model = learner(as_table(X, np.searchsorted(classes, y).astype(float)))
    # The first rule without conditions is the default; later rules are never used.
    rules = [rule for rule in model.rule_list if rule.length > 0]

    def predict(X):
        return classes[np.asarray(model(as_table(X, np.full(len(X), np.nan)))).astype(int)]

    def covering(X):
        # The domain of the model does the imputation.
        table = as_table(X, np.full(len(X), np.nan)).transform(model.domain).X
        # A list predicts the most likely class of its rule; ``rule.prediction`` breaks ties at
        # random. A rule of a set predicts the class for which it was learned.
        codes = [int(np.argmax(r.probabilities) if ordered else r.prediction) for r in rules]
        return stacked([r.evaluate_data(table) for r in rules], len(X)), objects(classes[codes])

    def size():
        conditions = 0
        for rule in model.rule_list:
            # A second bound on the same side makes the first redundant.
            bounds = {(s.column, s.op) for s in rule.selectors if s.op in ("<=", ">=")}
            conditions += len(bounds) + sum(s.op in ("==", "!=") for s in rule.selectors)
        return {"rules": len(model.rule_list), "conditions": conditions}

    return Fitted(predict, size, covering=covering)


def rulekit(X, y) -> Fitted:
    from rulekit.classification import RuleClassifier

    # RuleKit 2.1.24 predicts wrongly for string columns with two values, so these become numbers,
    # and if a string column does not contain all values of the fit, so rows of the fit that have
    # all values are put before the rows to predict.
    nominal = [n for n in X if isinstance(X[n].dtype, pd.CategoricalDtype)]
    strings = {name for name in nominal if X[name].nunique() > 2}
    first = [X[name].dropna().drop_duplicates().index for name in nominal]
    seen = X.loc[X.index[X.index.isin(np.concatenate([[], *first]))]]

    def plain(X):
        columns = {}
        for i, name in enumerate(X):
            column = X[name]
            if name in strings:
                columns[f"f{i}"] = column.astype(object).where(column.notna(), None)
            elif name in nominal:
                columns[f"f{i}"] = column.cat.codes.astype(float).where(column.notna())
            else:
                columns[f"f{i}"] = column.astype(float)
        return pd.DataFrame(columns)

    def after(X):
        return plain(pd.concat([seen, X], ignore_index=True))

    # Use codes as names, because RuleKit reads some labels as numbers and returns those.
    classes = np.unique(y)
    names = np.array([f"c{i}" for i in range(len(classes))], dtype=object)
    codes = dict(zip(names, classes, strict=True))
    model = RuleClassifier()
    with quiet():
        model.fit(plain(X), pd.Series(names[np.searchsorted(classes, y)], name="label"))

    def predict(X):
        return objects(codes[name] for name in model.predict(after(X))[len(seen) :])

    def covering(X):
        # A missing value satisfies no condition.
        thens = objects(codes[str(rule.decision_class)] for rule in model.model.rules)
        holds = np.asarray(model.get_coverage_matrix(after(X)), dtype=bool)
        return holds.reshape(-1, len(thens))[len(seen) :], thens

    def size():
        texts = [str(rule).split(" THEN ")[0] for rule in model.model.rules]
        both = re.compile(r"= [<(](?!-inf)[^,{}]+, (?!inf)[^,{}]+[)>]")
        conditions = sum(text.count(" = ") + len(both.findall(text)) for text in texts)
        return {"rules": len(texts) + 1, "conditions": conditions}

    return Fitted(predict, size, covering=covering)


def boomer(X, y) -> Fitted:
    """Fit BOOMER, boosted rules whose heads add to the score of each class.

    It supports several labels, not several classes: two classes are one label, more classes are
    one label each, and the class with the highest score is predicted. A rule counts as a rule for
    the class that it adds most to. All options but the seed and the single thread are defaults.
    """
    from mlrl.boosting import BoomerClassifier

    known, codes = np.unique(y, return_inverse=True)
    two = len(known) == 2
    labels = codes[:, None] if two else np.eye(len(known))[codes]
    nominal = [i for i, n in enumerate(X) if isinstance(X[n].dtype, pd.CategoricalDtype)]

    def numbers(X):
        """Return float32, as in the library; a missing category is one more value."""
        columns = []
        for name in X:
            column = X[name]
            if isinstance(column.dtype, pd.CategoricalDtype):
                column = column.cat.codes.where(column.notna(), len(column.cat.categories))
            columns.append(column.to_numpy(dtype=np.float32))
        return np.column_stack(columns)

    one_thread = {f"parallel_{what}": "false" for what in BOOMER_THREADS}
    model = BoomerClassifier(random_state=1, **one_thread)
    with quiet():
        model.fit(numbers(X), labels.astype(np.uint8), nominal_feature_indices=nominal)
    bodies, heads = _boomer_rules(model.model_, labels.shape[1])

    def scores(X):
        with quiet():
            return np.asarray(model.predict(numbers(X), predict_scores=True))

    def classes(scores):
        return known[(scores[:, 0] > 0).astype(int) if two else scores.argmax(axis=1)]

    def predict(X):
        return classes(scores(X))

    def covering(X):
        table = numbers(X)
        indices = [i for i, body in enumerate(bodies) if body]
        columns = [
            np.logical_and.reduce([holds(table[:, c], bound) for holds, c, bound in bodies[i]])
            for i in indices
        ]
        return stacked(columns, len(table)), objects(classes(heads[indices]))

    def size():
        # A second bound on the same side makes the first redundant.
        bounds = (_not_above, np.greater)
        conditions = sum(
            len({(holds, c) if holds in bounds else (holds, c, v) for holds, c, v in body})
            for body in bodies
        )
        return {"rules": len(bodies), "conditions": conditions}

    return Fitted(predict, size, covering=covering)


BOOMER_THREADS = ("rule_refinement", "statistic_update", "prediction")


def _not_above(values: np.ndarray, bound: Any) -> np.ndarray:
    """Return where ``<=`` holds in BOOMER, where it includes missing numbers."""
    return ~(values > bound)


BOOMER_TESTS = {
    "numerical_leq": _not_above,
    "numerical_gr": np.greater,
    "nominal_eq": np.equal,
    "nominal_neq": np.not_equal,
}


def _boomer_rules(model: Any, n_labels: int) -> tuple[list[list[tuple]], np.ndarray]:
    """Return the conditions of each rule (none for the default) and the scores it adds."""
    from mlrl.common.cython.rule_model import RuleModelVisitor

    bodies: list[list[tuple]] = []
    heads: list[np.ndarray] = []

    class Visitor(RuleModelVisitor):
        def visit_empty_body(self, body):
            bodies.append([])

        def visit_conjunctive_body(self, body):
            tests = []
            for kind, holds in BOOMER_TESTS.items():
                columns = getattr(body, f"{kind}_indices")
                if columns is not None:
                    bounds = getattr(body, f"{kind}_thresholds")
                    tests += [(holds, int(c), b) for c, b in zip(columns, bounds, strict=True)]
            bodies.append(tests)

        def visit_complete_head(self, head):
            heads.append(np.asarray(head.scores, dtype=float))

        def visit_partial_head(self, head):
            scores = np.zeros(n_labels)
            scores[head.indices] = head.scores
            heads.append(scores)

    model.visit_used(Visitor())
    return bodies, np.array(heads).reshape(len(bodies), n_labels)
