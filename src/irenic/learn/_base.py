"""What classifiers whose model is a rule set share: reading data, predicting and explaining."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from importlib import import_module
from types import MappingProxyType
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils._param_validation import validate_parameter_constraints
from sklearn.utils.validation import check_is_fitted, validate_data

from irenic.arrays import Bools, Floats, Indices
from irenic.errors import DataError
from irenic.learn._certificate import Certificate
from irenic.learn._lazy import lazy_predictions, lazy_score
from irenic.learn._rows import MANY_ROWS, TableRows, sampled
from irenic.learn._stored import Stored, survey
from irenic.learn.answers import Answers
from irenic.learn.front import (
    DefaultRegions,
    Front,
    FrontPoint,
    ProbabilityRow,
    RuleCounts,
    in_lean_space,
    kept_text,
)
from irenic.learn.hierarchy import Hierarchy
from irenic.learn.inputs import (
    by_columns,
    check_labels,
    column_names,
    form_of,
    given_rows,
    length_of,
    open_feature,
    own_names,
    read_labels,
)
from irenic.learn.parameters import Knowledge, Parameters
from irenic.learn.probabilities import leading
from irenic.learn.sample import Sample
from irenic.learn.tally import resolve_by
from irenic.learn.target import Target, class_weights, label_sums, row_counts, row_weights
from irenic.learn.validation import confidence_text
from irenic.model.columns import as_names, take_apart
from irenic.model.explanation import Explanation
from irenic.model.head import signs
from irenic.model.ruleset import RuleSet
from irenic.model.space import Instances, Space
from irenic.model.spaces import names_tested, without_unreadable
from irenic.searching.explaining import Deciding, Explained, explained


class RuleClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Base of the classifiers whose model is a rule set: what can be done with a fitted one.

    Use it for annotations and ``isinstance``. A learner of one's own starts from
    :class:`RuleLearner`.

    Examples
    --------
    >>> from irenic import RuleSetClassifier
    >>> isinstance(RuleSetClassifier(), RuleClassifier)
    True
    """

    conflicts: str
    default: str = "majority"
    hierarchy: Any = None
    consequents: str = "labels"
    scoring: Any = "accuracy"
    rules_: RuleSet
    pareto_front_: Front
    chosen_: FrontPoint
    classes_: npt.NDArray[Any]
    space_: Space
    hierarchy_: Hierarchy | None = None
    knowledge_ = Knowledge()
    """What users knew at the last fit."""
    _groups: Mapping[str, type[Parameters]] = MappingProxyType({})
    """Parameters that are groups of others."""
    _group_constraints: Mapping[type[Parameters], dict[str, Any]] = MappingProxyType({})
    stopped_by_: str | None = None
    _answers: Answers
    _certified: tuple[RuleSet, tuple[str, ...]]
    _by_name: bool = False
    """Whether only the columns of the space count in tables with names, in any order."""

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name, also those of a group, such as ``knowledge__never``.

        Examples
        --------
        >>> from irenic import RuleSetClassifier
        >>> RuleSetClassifier().set_params(evolution__smoothing=0.0)
        RuleSetClassifier(evolution=Evolution(smoothing=0.0))
        """
        for name, group in self._groups.items():
            if any(key.startswith(f"{name}__") for key in params):
                params = {name: group.of(params.get(name, getattr(self, name))), **params}
        changed: Self = super().set_params(**params)
        return changed

    def _read_groups(self) -> None:
        """Read groups of parameters, which may be in files, so that the fitted model keeps them."""
        for name, kind in self._groups.items():
            group = kind.of(getattr(self, name))
            validate_parameter_constraints(
                self._group_constraints[kind], group.get_params(), caller_name=kind.__name__
            )
            setattr(self, f"{name}_", group)

    def _read(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        class_weight: Any = None,
        state: int | None = None,
    ) -> Sample:
        """Return the training data encoded and checked, without the rows of weight 0.

        With a ``state``, they are a sample if there are many rows.
        """
        if isinstance(X, Stored):
            return self._read_stored(X, class_weight, state or 0)
        table = self._table(X, reset=True)
        target, codes = self._labels(y)
        n_rows = len(target) if codes is None else len(codes)
        weight = row_weights(n_rows, sample_weight)
        count = row_counts(weight)
        if n_rows != length_of(table):
            raise DataError(
                f"X and y must have the same number of rows, got {length_of(table)} and {n_rows}"
            )
        weights = np.ones(1) if codes is None else label_sums(codes, weight, len(target.labels))
        factors = class_weights(target, class_weight, weights)
        if not (weight > 0).any() or not (weights * factors).any():
            raise DataError("sample_weight must be positive for at least one row, got only 0")
        if codes is not None:
            check_labels(target.labels[weights * factors > 0])
        space = self._space(table)
        if state is None or n_rows <= MANY_ROWS:
            weight = weight if codes is None else weight * factors[codes]
            counted = np.flatnonzero(weight > 0)
            target = target if codes is None else Target.single(target.labels, codes)
            instances = space.encode(table).take(counted)
            return Sample(instances, target.take(counted), weight[counted], count[counted])
        columns = dict(zip(space.names, take_apart(table).select(space.names), strict=True))
        each = None if sample_weight is None else weight
        factors = np.ones(1) if codes is None else factors
        return sampled(TableRows(space, columns, target, codes, each, factors), state)

    def _read_stored(self, stored: Stored, class_weight: Any, state: int) -> Sample:
        """Return a sample of rows that are not in memory."""
        for name in ("hierarchy", "consequents"):
            if getattr(self, name) not in (None, "labels"):
                raise DataError(
                    f"{name} must not be set if the rows are not in memory, which have one label"
                    f" each, got {getattr(self, name)!r}"
                )
        self.n_features_in_ = len(stored.features)
        self.feature_names_in_ = np.array(stored.features, dtype=object)
        target = Target.single(stored.classes, np.zeros(0, dtype=np.intp))
        factors = class_weights(target, class_weight, stored.weights)
        check_labels(stored.classes[stored.weights * factors > 0])
        return survey(stored, state, self._space, factors)

    def _space(self, table: Any) -> Space:
        """Return the features of a table, open to values of rows to predict."""
        features = table if isinstance(table, Space) else Space.infer(table)
        return Space([open_feature(feature) for feature in features])

    def _learned(self, data: Sample, y: Any) -> None:
        """Set the fitted attributes that only depend on the training data."""
        target = data.target
        self.classes_ = target.labels
        self.hierarchy_ = target.hierarchy
        self._answers = Answers(target.labels, form_of(y, target), target.hierarchy)
        self._by_name = False

    def _offer(self, points: Sequence[FrontPoint]) -> None:
        """Offer the rule sets of a front, without the values of columns that none of them tests."""
        self.pareto_front_ = Front(in_lean_space(points))
        self.space_ = self.pareto_front_[0].rule_set.space

    def _use_point(self, point: FrontPoint) -> None:
        """Use a rule set, given with its statistics."""
        self.chosen_ = point
        if point.threshold is not None:
            self._answers = replace(self._answers, threshold=point.threshold)
        self.rules_ = point.rule_set
        self._certified = self.rules_.copy(), self._proved(self.rules_)
        self.__dict__.pop("certificate_", None)

    def _proved(self, rules: RuleSet) -> tuple[str, ...]:
        """Return properties that were asked for and hold for rules."""
        return ()

    @cached_property
    def certificate_(self) -> Certificate:
        """Whether the rules are consistent and complete, with all gaps.

        Gaps are searched for when the certificate is first used.
        """
        check_is_fitted(self)
        return Certificate.of(*self._certified)

    @property
    def feature_importances_(self) -> Floats:
        """How much the predictions depend on each feature; the sum is 1.

        The importance of a feature is the share of training rows whose prediction would change if
        they had the value of another row, drawn at random: what permutation importance estimates,
        without its randomness. It comes from at most 2,000 rows, evenly spaced. If the prediction
        depends on no feature, all are 0. A model from a file that an older version wrote has none.
        """
        check_is_fitted(self)
        if self.chosen_.columns is None:
            raise AttributeError(
                "feature_importances_ is unknown, because an older version wrote the model"
            )
        figures = self.chosen_.columns
        names = self.space_.names
        shares = np.array([figures[n].importance if n in figures else 0.0 for n in names])
        return np.asarray(shares / (shares.sum() or 1.0))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.classifier_tags.multi_label = True
        tags.target_tags.multi_output = False
        return tags

    # --- in notebooks

    def _html_repr(self) -> str:
        """Return the HTML for notebooks, with that of scikit-learn at the end."""
        usual = str(super()._html_repr())
        if not hasattr(self, "chosen_"):
            return usual
        # by name, because views are above the models
        return str(import_module("irenic.reporting.notebook").classifier(self, usual))

    # --- reading data

    def _table(self, X: Any, *, reset: bool, tested: Sequence[RuleSet] = ()) -> Any:
        """Return a table of columns unchanged, and any other as an array; check its columns.

        It may lack columns that neither the rules nor those of ``tested`` test. Untested columns
        that cannot be encoded are missing.
        """
        table = self._checked_table(X, reset=reset, tested=tested)
        sets = () if reset else (self.rules_, *tested)
        return without_unreadable(table, self._untested(sets), None if reset else self.space_)

    def _untested(self, sets: Sequence[RuleSet]) -> Collection[Any]:
        """Return the columns that no rule of fitted sets, or of later ones, tests, as given."""
        return ()

    def _checked_table(self, X: Any, *, reset: bool, tested: Sequence[RuleSet]) -> Any:
        X = by_columns(X)
        if not reset and self._has_fitted_columns(X):
            return X
        if not reset:
            X = self._with_untested_columns(self._own_columns(X), tested)
        names = own_names(X)
        if names is not None or hasattr(X, "columns"):
            if hasattr(X, "collect"):
                raise DataError("X must be an eager frame, got a lazy one; use X.collect()")
            if not length_of(X):
                raise DataError("X must have at least one row, got none")
            if not (len(X.columns) if names is None else len(names)):
                raise DataError("X must have at least one column, got none")
            if names is None:
                as_names(X.columns)
                self._check_names(X, reset=reset, tested=tested)
            elif reset:
                self.n_features_in_ = len(names)
                self.feature_names_in_ = np.array(names, dtype=object)
            return X
        return validate_data(
            self, X, reset=reset, dtype=None, ensure_all_finite="allow-nan", accept_sparse=False
        )

    def _has_fitted_columns(self, X: Any) -> bool:
        """Return whether a table has rows, and the names of the fitted columns in their order."""
        names: Any = own_names(X)
        if names is None:
            names = getattr(X, "columns", None)
            names = names.tolist() if hasattr(names, "tolist") else names
        if not isinstance(names, list) or hasattr(X, "collect"):
            return False
        fitted = getattr(self, "feature_names_in_", None)
        return fitted is not None and names == fitted.tolist() and length_of(X) > 0

    def _own_columns(self, X: Any) -> Any:
        """Return a table without columns that the space lacks, if these do not count."""
        if not self._by_name or not column_names(X):
            return X
        taken = take_apart(X)
        columns = dict(zip(taken.names or (), taken.columns, strict=True))
        own = {name: columns[name] for name in self.space_.names if name in columns}
        return own or columns  # a table without columns would have no rows

    def _with_untested_columns(self, X: Any, tested: Sequence[RuleSet]) -> Any:
        """Return a table with missing values in columns that it lacks and that no rule tests."""
        lacking = self._lacking(X)
        needed = names_tested(self.rules_, *tested) & lacking if lacking else lacking
        if not lacking or (needed and own_names(X) is None):  # scikit-learn rejects the frame
            return X
        taken = take_apart(X)
        taken.select([name for name in self.space_.names if name in needed])  # raises, if any
        columns = dict(zip(taken.names or (), taken.columns, strict=True))
        nothing = np.full(taken.length, None, dtype=object)
        return {name: columns.get(name, nothing) for name in self.space_.names}

    def _check_names(self, X: Any, *, reset: bool, tested: Sequence[RuleSet]) -> None:
        """Let scikit-learn check the names of a frame; say which of those it misses are needed."""
        try:
            validate_data(self, X, skip_check_array=True, reset=reset)
        except ValueError as error:
            lacking = set() if reset else self._lacking(X)
            needed = names_tested(self.rules_, *tested) & lacking if lacking else lacking
            if needed == lacking:
                raise
            names = "".join(f"- {name}\n" for name in self.space_.names if name in needed)
            raise DataError(
                f"{error}Of the missing ones, rules test only these:\n{names}"
            ) from None

    def _lacking(self, X: Any) -> set[str]:
        """Return the names of the columns that a table with names lacks."""
        names = column_names(by_columns(X))
        return set(self.space_.names) - set(names) if names else set()

    def _target(self, y: Any) -> Target:
        """Return the labels of rows."""
        target, codes = self._labels(y)
        return target if codes is None else Target.single(target.labels, codes)

    def _labels(self, y: Any) -> tuple[Target, Indices | None]:
        """Return the labels of rows; with one per row, a target without rows, and their codes."""
        return read_labels(y, type(self).__name__, self.hierarchy, self.consequents)

    # --- predicting

    def _decided(self, X: Any) -> npt.NDArray[np.int64]:
        """Return the index of the rule that decides each row, -1 for the default."""
        check_is_fitted(self)
        table = self._table(X, reset=False)
        return self.rules_.decide(table, resolve=resolve_by(self.conflicts))

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the prediction for each row.

        Parameters
        ----------
        X : table
            With the columns of :meth:`fit`; named columns that no rule tests may be left out. Rows
            that are not in memory are read in blocks when the result is.

        Returns
        -------
        array of shape (n_rows,) or (n_rows, n_labels)
            Labels, a 0/1 matrix or sets of labels, in the form of ``y`` in :meth:`fit`. Where no
            rule applies and ``default="abstain"``, None or no labels. With
            ``consequents="probabilities"``, the labels whose probability is at least
            ``chosen_.threshold``.

            For a polars LazyFrame, a DuckDB relation and a Spark DataFrame, the same with a column
            ``prediction``; for a pyarrow dataset and the path of Parquet files, a reader of batches
            with that column; for a Dask DataFrame, a Dask Series.

        Raises
        ------
        DataError
            If a value does not fit its feature.
        NotFittedError
            If the classifier is not fitted.

        Examples
        --------
        >>> from irenic import RuleSetClassifier
        >>> clf = RuleSetClassifier(generations=1, moves=50, random_state=0)
        >>> clf.fit({"age": range(40)}, ["free"] * 18 + ["full"] * 22).predict({"age": [3, 35]})
        array(['free', 'full'], dtype='<U4')
        """
        check_is_fitted(self)
        if (lazy := lazy_predictions(self, X)) is not None:
            return lazy  # type: ignore[no-any-return]
        if self.rules_.is_partial:
            table = self._table(X, reset=False)
            sets = self.rules_.predict(table, resolve=resolve_by(self.conflicts)).tolist()
            index = {then: i for i, then in enumerate(dict.fromkeys(sets))}
            return self._answers.take(list(index), np.array([index[then] for then in sets]))
        decided = self._decided(X)
        return self._answers.take(self._thens(), decided)

    def _thens(self) -> list[Hashable | None]:
        """Return the consequent of each rule, followed by the default."""
        rules = self.rules_
        return [*rules.thens, rules.default]

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each label for each row.

        With one label per row, they are those of ``chosen_.probabilities``: the label frequencies
        among the training rows with the same prediction in the same region, mixed with the opinion
        of a forest as far as rows left out advise, and adjusted so that the predicted label has the
        highest probability. They are not adjusted with ``rules``, ``never``, ``always``,
        ``monotonic_cst`` or a ``cost``, and if ``scoring`` is the balanced accuracy: what
        :meth:`predict` returns then need not be the most likely label. Probabilities need not be
        monotonic where ``monotonic_cst`` makes predictions so.

        Without regions, and with several labels per row, they are the label frequencies among the
        training rows that the deciding rule covers, smoothed towards those of all rows. If several
        rules decide a label together, it is their mean. With ``consequents="probabilities"``, they
        are the consequent of the deciding rule.

        Parameters
        ----------
        X : table
            With the columns of :meth:`fit`; named columns that neither a rule nor a region tests
            may be left out.

        Returns
        -------
        array of shape (n_rows, n_labels)
            One column for each of ``classes_``. If the rows are not in memory, the same kind of
            data as :meth:`predict` returns, with a column ``probability of …`` per label.

        Raises
        ------
        DataError
            If a value does not fit its feature.
        NotFittedError
            If the classifier is not fitted.

        Examples
        --------
        >>> from irenic import RuleSetClassifier
        >>> clf = RuleSetClassifier(generations=1, moves=50, random_state=0)
        >>> clf = clf.fit({"age": range(40)}, ["free"] * 18 + ["full"] * 22)
        >>> clf.predict_proba({"age": [3, 35]}).round(2)
        array([[0.99, 0.01],
               [0.01, 0.99]])
        """
        check_is_fitted(self)
        if (lazy := lazy_predictions(self, X, probabilities=True)) is not None:
            return lazy  # type: ignore[no-any-return]
        if self.rules_.is_partial:
            return self._label_frequencies(self._table(X, reset=False))
        table = self.chosen_.probabilities
        if table is None:
            return np.asarray(self._frequencies()[self._decided(X)])
        instances = self.space_.encode(self._table(X, reset=False, tested=(table.regions,)))
        codes = self._predicted_codes(instances)
        return np.asarray(table.probabilities[codes, table.places(instances)])

    def _predicted_codes(self, instances: Instances) -> npt.NDArray[np.intp]:
        """Return the index of the predicted label of each case, that after the last for none."""
        decided = self.rules_.decide(instances, resolve=resolve_by(self.conflicts))
        return np.asarray(self._then_codes(self.rules_)[decided])

    def _then_codes(self, rules: RuleSet) -> npt.NDArray[np.intp]:
        """Return the index of the label of each rule and of the default."""
        code_of = {label: code for code, label in enumerate([*self.classes_.tolist(), None])}
        return np.array([code_of[then] for then in [*rules.thens, rules.default]], dtype=np.intp)

    def _label_frequencies(self, table: Any) -> Floats:
        """Return the mean label frequencies of the rules that decide each label of each row."""
        frequencies = self._frequencies()
        covers = self.rules_.covering(table).astype(float)
        decides = signs(self.rules_.thens, self.classes_.tolist()) != 0
        n = covers @ decides
        total = covers @ (decides * frequencies[:-1])
        return np.asarray(np.where(n > 0, total / np.maximum(n, 1.0), frequencies[-1]))

    def _frequencies(self, point: FrontPoint | None = None) -> Floats:
        """Return the smoothed label frequencies of each rule, followed by those of the default.

        They are those of the rules in use, or of another point of the front.
        """
        point = self.chosen_ if point is None else point
        frequencies = point.counts.frequencies.copy()
        if self.hierarchy_ is not None:
            return self.hierarchy_.cap(frequencies)
        if self._answers.many:
            return frequencies
        if not self._leads:
            return frequencies
        return leading(frequencies, self._then_codes(point.rule_set))

    @property
    def _leads(self) -> bool:
        """Whether the predicted label has the highest probability.

        Otherwise, probabilities are those of the rows, which may contradict what users know.
        """
        return not self.knowledge_.decides() and self.scoring != "balanced_accuracy"

    def explain(self, X: Any) -> list[Explanation]:
        """Return the reason for each prediction.

        Parameters
        ----------
        X : table
            With the columns of :meth:`fit`; named columns that no rule tests may be left out.

        Returns
        -------
        list of Explanation
            One per row, with the support and the confidence of the rules that decide, or if none
            does, of the default in the region of the reason; and with the probability of the
            prediction and the training rows that it comes from.

        Raises
        ------
        DataError
            If a value does not fit its feature.
        NotFittedError
            If the classifier is not fitted.

        Examples
        --------
        >>> from irenic import RuleSetClassifier
        >>> clf = RuleSetClassifier(generations=1, moves=50, random_state=0)
        >>> clf = clf.fit({"age": range(40)}, ["free"] * 18 + ["full"] * 22)
        >>> reason = clf.explain({"age": [3]})[0]
        >>> reason.rules, reason.support, round(reason.confidence[0], 2)
        ((0,), (18,), 0.97)
        >>> print(clf.explain({"age": [35]})[0])
        full, by default, because age >= 18
        (support 22, confidence 0.98, 95 % interval 0.88 to 1.00);
        probability 0.99, from 11 training rows with this prediction where age >= 29
        >>> print(reason.probability)
        free predicted where age < 19: free 0.99, full 0.01 (18 rows)
        """
        check_is_fitted(self)
        instances = self.space_.encode(self._table(X, reset=False))
        return self._explained(instances, self._lacking(X)).each()

    def _explained(self, instances: Instances, lacking: Collection[str] = ()) -> Explained:
        """Return explanations with their figures; ``lacking`` are columns without values."""
        point, rules = self.chosen_, self.rules_
        confidence = point.counts.confidence[:-1]
        deciding = Deciding.of(rules, resolve_by(self.conflicts), confidence)
        known = None if point.default_regions is None else point.default_regions.rules
        deciding = replace(deciding, counted=known, narrowed=_added_for_missing(point))
        reasons, group = explained(deciding, instances)
        table = point.probabilities
        if table is None or not names_tested(table.regions).isdisjoint(lacking):
            return Explained([self._with_figures(reason, None) for reason in reasons], group)
        codes, places = self._predicted_codes(instances), table.places(instances)
        keys = np.column_stack((group, codes, places))
        few, group = np.unique(keys, axis=0, return_inverse=True)
        distinct = [
            self._with_figures(reasons[reason], table.row(code, place))
            for reason, code, place in few.tolist()
        ]
        return Explained(distinct, group.ravel())

    def _with_figures(self, reason: Explanation, likely: ProbabilityRow | None) -> Explanation:
        """Return an explanation with what the training rows say about it."""
        point, text = self.chosen_, reason.text
        figures: RuleCounts | DefaultRegions = point.counts
        places = reason.rules or (len(self.rules_),)
        known = point.default_regions
        place = -1 if known is None or reason.rules else known.place_of(reason.region)
        if known is not None and place >= 0:
            figures, places = known, (place,)
        support = tuple(int(figures.support[place]) for place in places)
        confidence = tuple(float(figures.confidence[place]) for place in places)
        ends = [(low, high) for low, high in figures.intervals[list(places)].tolist()]
        intervals = () if np.isnan(ends[0][0]) else tuple(ends)
        # a region that was not counted may be only a part of what the default decides
        counted = place >= 0 or bool(reason.rules) or not reason.region.n_conditions
        if support[0] > 0:
            whose = "" if counted else "all cases by default: "
            text += f" ({whose}support {support[0]}, confidence {confidence[0]:.2f}"
            text += f", {confidence_text(*ends[0])})" if intervals else ")"
        elif reason.rules and places[0] >= point.n_kept:
            text += " (support 0: no training row)"
        if likely is not None and reason.then is not None:
            text += f"; probability {likely.probability:.2f}, from {likely.basis}"
        if reason.rules and places[0] < point.n_kept:
            text += f"; {kept_text(point, places[0], self.classes_.tolist())}"
        return replace(
            reason,
            text=text,
            support=support,
            confidence=confidence,
            intervals=intervals,
            probability=likely,
            counted=counted,
        )

    def score(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, target: Any = None
    ) -> float:
        """Return the accuracy.

        Parameters
        ----------
        X : table
            With the columns of :meth:`fit`; named columns that no rule tests may be left out. Rows
            that are not in memory are read in blocks.
        y : column of labels, 0/1 matrix, or list of sets of labels
            The true labels.
        sample_weight : array or str, optional
            Weight of each row, or with ``target`` the name of a column.
        target : str, optional
            The column of ``X`` that holds the labels, instead of ``y``.

        Returns
        -------
        float
            Share of correct predictions; a set of labels must match exactly.

        Raises
        ------
        DataError
            If a value does not fit its feature or a label is unknown.
        NotFittedError
            If the classifier is not fitted.

        Examples
        --------
        >>> from irenic import RuleSetClassifier
        >>> X, y = {"age": range(40)}, ["free"] * 18 + ["full"] * 22
        >>> RuleSetClassifier(generations=1, moves=50, random_state=0).fit(X, y).score(X, y)
        1.0
        """
        from sklearn.metrics import accuracy_score

        check_is_fitted(self)
        if (lazy := lazy_score(self, X, y, sample_weight, target)) is not None:
            return lazy
        X, y, sample_weight = given_rows(X, y, sample_weight, target)
        predictions = self.predict(X)
        if self._answers.many:
            right = self._answers.equal(predictions, y)
        elif self.default == "abstain":
            right = np.array([a == b for a, b in zip(predictions, y, strict=True)], dtype=bool)
        else:
            return float(accuracy_score(y, predictions, sample_weight=sample_weight))
        return float(np.average(right, weights=sample_weight))


def _added_for_missing(point: FrontPoint) -> Bools | None:
    """Return which numbers of rules may be missing only so that every case is decided.

    Learned conditions do not hold for missing values of a column that has none in the training
    rows. Those of rules that complete the others do. Rules of users stay as they are.
    """
    rules, figures = point.rule_set, point.columns or {}
    names = [feature.name for feature in rules.space.continuous]
    is_full = np.array([n in figures and not figures[n].missing for n in names], dtype=np.bool_)
    added = (rules.boxes.lower == -np.inf) & (rules.boxes.upper < np.inf) & is_full
    added[: point.n_kept] = False
    return added if added.any() else None
