"""A scikit-learn classifier whose model is a consistent rule set."""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from numbers import Integral, Number, Real
from typing import Any, ClassVar, Final

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context
from sklearn.callback import CallbackSupportMixin, with_callbacks
from sklearn.utils import assert_all_finite, check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from irenic.errors import ConditionError, DataError
from irenic.learn._cells import ROW_LIMIT, Cells
from irenic.learn._certificate import certify
from irenic.learn._evolution import Settings, Watch
from irenic.learn._left_out import Estimate, Validation
from irenic.learn._running import Named, progress_bar, run
from irenic.learn._tasks import SOFT, Plan, Problem
from irenic.learn._training import Training
from irenic.learn.answers import Answers, Form
from irenic.learn.front import (
    Front,
    FrontPoint,
    choose,
    front_of,
    head_of,
    small_enough,
    table_of,
)
from irenic.learn.labels import is_multilabel
from irenic.learn.target import Target, class_weights, row_counts, row_weights
from irenic.model import markup
from irenic.model.columns import take_apart
from irenic.model.explanation import Explanation
from irenic.model.features import Continuous, Feature
from irenic.model.literals import display, is_missing, plain
from irenic.model.space import Instances, Space

Floats = npt.NDArray[np.float64]

# Members of the population without a limit on rules, and the limits of the others: sizes that
# people ask for.
_MEMBERS: Final = 6
_SIZES: Final = (1, 3, 7, 15, 31)
# The fewest correct predictions that a rule or a condition must add.
_LOWEST_PENALTY: Final = 0.05
# Maximum number of rows for a number of validation tasks; with more rows there is one task.
_FOLDS: Final = ((5_000, 5), (15_000, 3))
_MOVES: Final = 4_000
# Codes of labels are 16 bits wide.
_LABEL_LIMIT: Final = 32_000
_INDICATOR: Final = "multilabel-indicator"


@dataclass(frozen=True)
class Decision(Explanation):
    """Why a learned model predicts what it does for one case.

    Parameters
    ----------
    then : hashable or None
        The prediction.
    rules : tuple of int
        Indices of the deciding rule and of other rules that cover the case; empty if none does.
    text : str
        The reason in words, with rules numbered from 1.
    support : tuple of int
        Number of training rows that each of ``rules`` covers, whatever their weights; if ``rules``
        is empty, one entry for the rows that no rule covers.
    confidence : tuple of float
        Share of these rows for which the prediction is correct.

    Examples
    --------
    >>> print(Decision("low", (0,), "low, by rule 1 (support 9, confidence 1.00)", (9,), (1.0,)))
    low, by rule 1 (support 9, confidence 1.00)
    """

    support: tuple[int, ...] = ()
    confidence: tuple[float, ...] = ()


class RuleSetClassifier(CallbackSupportMixin, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Classifier that learns a set of rules that never contradict each other.

    A population of rule sets evolves towards correct predictions, few rules and few conditions.
    Every step keeps the rules consistent on the whole space, not only on the training data. The
    result is a front of rule sets from small to accurate. The one with the best validation score
    is used; :meth:`select` switches to another one without a new fit.

    Parameters
    ----------
    max_rules, max_conditions : int, optional
        Maximum numbers of rules and of conditions; the default does not count as a rule.
    selection : {"validation", "description"}, default "validation"
        How to choose a rule set from the front: by the score of similar rule sets on rows left
        out, or by description length, which needs no validation and is several times faster.
    init : {"trees", "seeds"}, default "trees"
        Start from the leaves of decision trees, or from random rules around uncovered rows, cut
        until they overlap no rival.
    conflicts : {"avoid", "vote", "best"}, default "avoid"
        "avoid" keeps every rule set consistent. The others allow conflicts, and decide by majority
        vote or by the best rule; they exist for comparison.
    complete : bool, default False
        Add rules until every case is covered by a rule.
    default : {"majority", "abstain"}, default "majority"
        Prediction where no rule applies: the most frequent label there, or None.
    hierarchy : Hierarchy, list of paths, list of edges, or graph, optional
        Which labels imply others: "1/2/3" implies "1/2" and "1"; edges are (parent, child). Each
        row then has a set of labels, and predictions are closed.
    class_weight : dict or "balanced", optional
        Weight of each class, multiplied by ``sample_weight``. Weights affect the rules, scores and
        probabilities, but not support and confidence.
    smoothing : float, default 0.5
        Weight, between 0 and 1, of the out-of-bag predictions of a random forest relative to the
        labels themselves. More smoothing means less noise and fewer rules.
    generations : int, default 8
        Number of generations.
    moves : int, optional
        Number of changes that each rule set tries per generation (default: 4,000); more if it has
        over 64 rules.
    budget : float, optional
        Seconds after which the best rule sets so far are used. The result of a fit that runs out
        of budget depends on the speed of the machine.
    warm_start : bool, default False
        Start from the rule sets of the previous fit if the data have the same columns.
    n_jobs : int, optional
        Number of parallel tasks; the result does not depend on it.
    random_state : int, RandomState or None
        Seed of the random number generator.
    verbose : bool, default False
        Show a progress bar.

    Attributes
    ----------
    rules_ : RuleSet
        The rules in use.
    certificate_ : Certificate
        Whether the rules are consistent and complete, with all gaps.
    pareto_front_ : Front
        The rule sets to choose from, smallest first.
    chosen_ : FrontPoint
        The rule set in use.
    estimate_ : Estimate or None
        The score to expect on new rows, with a 95 % interval: that of rows left out, corrected for
        the choice among the rule sets of the front. None if no rows were left out.
    classes_ : array
        The labels.
    space_ : Space
        The features.
    stopped_by_ : {"seconds", "interrupt"} or None
        What ended the fit early: the budget, or Ctrl-C or a callback. None if it finished.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : array
        Names of the features, if the training data have names.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from irenic import RuleSetClassifier
    >>> X, y = load_iris(as_frame=True, return_X_y=True)
    >>> clf = RuleSetClassifier(max_rules=3, generations=1, moves=50, random_state=0).fit(X, y)
    >>> clf.rules_.is_consistent, len(clf.rules_) <= 3, clf.score(X, y) > 0.9
    (True, True, True)
    """

    _cells: Cells
    pareto_front_: Front
    chosen_: FrontPoint
    estimate_: Estimate | None
    _validation: Validation | None = None
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "max_rules": [Interval(Integral, 1, None, closed="left"), None],
        "max_conditions": [Interval(Integral, 1, None, closed="left"), None],
        "selection": [StrOptions({"validation", "description"})],
        "init": [StrOptions({"trees", "seeds"})],
        "conflicts": [StrOptions({"avoid", "vote", "best"})],
        "complete": ["boolean"],
        "default": [StrOptions({"majority", "abstain"})],
        "hierarchy": "no_validation",  # type: ignore[dict-item]
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "smoothing": [Interval(Real, 0, 1, closed="both")],
        "generations": [Interval(Integral, 1, None, closed="left")],
        "moves": [Interval(Integral, 1, None, closed="left"), None],
        "budget": [Interval(Real, 0, None, closed="neither"), None],
        "warm_start": ["boolean"],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        *,
        max_rules: int | None = None,
        max_conditions: int | None = None,
        selection: str = "validation",
        init: str = "trees",
        conflicts: str = "avoid",
        complete: bool = False,
        default: str = "majority",
        hierarchy: Any = None,
        class_weight: Mapping[Hashable, float] | str | None = None,
        smoothing: float = SOFT,
        generations: int = 8,
        moves: int | None = None,
        budget: float | None = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: bool = False,
    ) -> None:
        self.max_rules = max_rules
        self.max_conditions = max_conditions
        self.selection = selection
        self.init = init
        self.conflicts = conflicts
        self.complete = complete
        self.default = default
        self.hierarchy = hierarchy
        self.class_weight = class_weight
        self.smoothing = smoothing
        self.generations = generations
        self.moves = moves
        self.budget = budget
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.classifier_tags.multi_label = True
        tags.target_tags.multi_output = False
        return tags

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if hasattr(self, "chosen_"):  # some serializers keep only the items of a list
            self.pareto_front_ = Front(self.pareto_front_, chosen=self.chosen_)

    # --- in notebooks

    def _html_repr(self) -> str:
        """Return the HTML for notebooks, with that of scikit-learn at the end."""
        usual = markup.Html(super()._html_repr())
        if not hasattr(self, "chosen_"):
            return usual
        parts = [
            head_of(self.chosen_, type(self).__name__),
            table_of(self.chosen_, self.classes_.tolist(), many=self._answers.many),
            self._legend(),
            self.certificate_._repr_html_(),
        ]
        if self.stopped_by_ is not None:
            parts.append(markup.remark("the fit did not finish: more time may find better rules"))
        summary = markup.element("summary", "parameters, as shown by scikit-learn")
        return markup.block(*parts, markup.element("details", summary, usual))

    def _legend(self) -> markup.Html:
        """Return the color of each label, or a hint if there are too many to distinguish."""
        labels = self.classes_.tolist()
        if len(labels) > len(markup.PALETTE):
            return markup.remark(f"{len(labels):,} labels; hover over a bar to see its numbers")
        colors = markup.palette(labels)
        chips = [markup.join(" ", markup.label_chip(label, colors)) for label in labels]
        return markup.remark("labels:", *chips)

    # --- fitting

    @with_callbacks  # type: ignore[untyped-decorator]
    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> RuleSetClassifier:
        """Learn rules from labeled rows.

        Parameters
        ----------
        X : table
            A pandas, polars or pyarrow frame, an array, a mapping of columns, or a list of rows,
            which may name their values. Columns may hold numbers, dates, booleans, text and
            categories, and missing values.
        y : column of labels, 0/1 matrix, or list of sets of labels
            Matrices and sets are for rows with several labels.
        sample_weight : array, optional
            Weight of each row; a weight of 2 is equivalent to repeating the row.

        Returns
        -------
        RuleSetClassifier
            The classifier itself.

        Raises
        ------
        DataError
            If ``X`` or ``y`` is empty, of different lengths, or holds values that cannot be used,
            if there is only one class, or if all weights are 0.
        InvalidParameterError
            If a parameter of the classifier is invalid.

        Examples
        --------
        >>> from irenic import RuleSetClassifier
        >>> X = {"age": range(40), "job": ["cook", None] * 20}
        >>> y = ["free"] * 18 + ["full"] * 22
        >>> clf = RuleSetClassifier(generations=1, moves=50, random_state=0).fit(X, y)
        >>> clf.classes_.tolist(), clf.n_features_in_
        (['free', 'full'], 2)
        """
        table = self._table(X, reset=True)
        target = self._target(y)
        weight = row_weights(target, sample_weight)
        count = row_counts(weight)
        weight = weight * class_weights(target, self.class_weight, weight)
        counted = weight > 0
        if not counted.any():
            raise DataError("sample_weight must be positive for at least one row, got only 0")
        if len(target) != _length(table):
            raise DataError(
                f"X and y must have the same number of rows, got {_length(table)} and {len(target)}"
            )
        _check_labels(target.take(counted))
        state = int(check_random_state(self.random_state).randint(2**31 - 1))
        space = Space([_opened(feature) for feature in Space.infer(table)])
        instances = space.encode(table).take(counted)
        target, weight, count = target.take(counted), weight[counted], count[counted]
        # any penalty would outweigh weights that are below 1 on average; up to rounding
        if (scale := count.sum() / weight.sum()) > 1.0 + 1e-9:
            weight = weight * scale
        earlier = self._earlier(instances, target)
        cells = self._cells if earlier else Cells.from_instances(instances, target.truth, weight)
        encoded = cells.encode(instances)
        problem = Problem(cells, encoded, target, weight, count)
        problem = problem.sampled(ROW_LIMIT, state).in_order()
        plan = self._plan(problem, state)
        context = self._init_callback_context(max_subtasks=plan.folds + plan.islands)
        context.call_on_fit_task_begin(estimator=self, X=X, y=y)
        with progress_bar(
            bool(self.verbose), "learning rules", "Ctrl-C keeps the best so far"
        ) as show:

            def tell(done: int, of: int) -> bool:
                show(done, of)
                part = context.subcontext(task_name="task")
                part.call_on_fit_task_begin(estimator=self, X=X, y=y)
                return bool(part.call_on_fit_task_end(estimator=self, X=X, y=y))

            result = run(
                problem, plan, earlier=earlier, n_jobs=self.n_jobs, tell=tell, watch=Watch()
            )
        training = Training(
            cells,
            instances,
            encoded,
            target,
            weight,
            result.consequents,
            self.conflicts,
            self.complete,
        )
        points = [training.point(evolved) for evolved in result.candidates]
        self.space_, self.classes_ = space, target.labels
        self.hierarchy_ = target.hierarchy
        self.stopped_by_ = result.stopped_by
        self._answers = Answers(target.labels, _form(y, target), target.hierarchy)
        self.pareto_front_ = front_of(points)
        self._cells, self._values = cells, result.consequents.values()
        self._shape = round(problem.count.sum()), len(target.labels), len(space)
        self._validation = result.validation
        self._use_best(self.max_rules, self.max_conditions)
        context.call_on_fit_task_end(estimator=self, X=X, y=y)
        return self

    def _table(self, X: Any, *, reset: bool) -> Any:
        """Return a table of columns unchanged, and any other as an array; check its columns."""
        X = _by_columns(X)
        names = _own_names(X)
        if names is not None or hasattr(X, "columns"):
            if hasattr(X, "collect"):
                raise DataError("X must be an eager frame, got a lazy one; use X.collect()")
            if not _length(X):
                raise DataError("X must have at least one row, got none")
            if not (len(X.columns) if names is None else len(names)):
                raise DataError("X must have at least one column, got none")
            if names is None:
                validate_data(self, X, skip_check_array=True, reset=reset)
            elif reset:
                self.n_features_in_ = len(names)
                self.feature_names_in_ = np.array(names, dtype=object)
            return X
        return validate_data(
            self, X, reset=reset, dtype=None, ensure_all_finite="allow-nan", accept_sparse=False
        )

    def _target(self, y: Any) -> Target:
        if y is None:
            raise ValueError(
                "This RuleSetClassifier estimator requires y to be passed, but the target y is None"
            )
        if self.hierarchy is None and _is_nested(y) and type_of_target(y) == _INDICATOR:
            y = np.asarray(y)  # scikit-learn reads lists of 0 and 1 as a matrix
        if self.hierarchy is not None or is_multilabel(y):
            return Target.sets(y, self.hierarchy)
        if isinstance(y, list | tuple) and len(set(map(type, y))) > 1:
            _check_alike(y)  # numpy would turn 1 next to "a" into text
        y = column_or_1d(y, warn=True)
        if y.dtype == object:
            _check_alike(y)
        elif y.dtype.kind == "f":
            assert_all_finite(y, input_name="y")
        try:
            classes, codes = np.unique(y, return_inverse=True)
        except TypeError:
            kind = type(y[0]).__name__
            raise DataError(
                f"labels in y must be sortable, got type {kind}; use text or numbers"
            ) from None
        check_classification_targets(y)
        if len(classes) > _LABEL_LIMIT:
            raise DataError(f"y must have at most {_LABEL_LIMIT:,} classes, got {len(classes):,}")
        return Target.single(classes, codes)

    def _plan(self, problem: Problem, state: int) -> Plan:
        n, n_labels = round(problem.count.sum()), len(problem.target.labels)
        total = float(problem.weight.sum())
        limit = max(64, min(40 * n_labels, n // 15))
        if problem.target.many:
            limit = 64
        if self.max_rules is not None:
            limit = min(limit, self.max_rules)
        penalties = np.geomspace(_LOWEST_PENALTY, max(4.0, total / 200.0), _MEMBERS)
        members = [(float(penalty), limit) for penalty in penalties]
        members += [(float(penalties[1]), size) for size in _SIZES if size < limit]
        folds = next((k for rows, k in _FOLDS if n <= rows), 1)
        folds = min(folds, problem.n_groups // 4) if self.selection == "validation" else 0
        moves = self.moves or _MOVES
        islands = 2
        budget = None
        if self.budget is not None:
            from joblib import effective_n_jobs

            at_once = min(effective_n_jobs(self.n_jobs), folds + islands)
            budget = self.budget * at_once / (folds + islands)
        settings = Settings(
            members=tuple(members),
            generations=self.generations,
            moves=moves,
            conflicts=self.conflicts,
            budget=budget,
            fixed_default=self.default == "abstain",
            sow=self.init == "seeds",
        )
        return Plan(settings, self.init, self.smoothing, islands, folds, state)

    def _earlier(self, instances: Instances, target: Target) -> list[Named]:
        """Return the rule sets of the previous fit, if this one can start from them."""
        if not self.warm_start or not hasattr(self, "pareto_front_"):
            return []
        same = self.space_ == instances.space and target.labels.tolist() == self.classes_.tolist()
        if not same or not self._cells.hold(instances):
            return []
        return [
            Named(point.candidate, self._values)
            for point in self.pareto_front_
            if point.candidate is not None
        ]

    # --- choosing

    def _use_best(self, max_rules: int | None, max_conditions: int | None) -> None:
        small = small_enough(self.pareto_front_, max_rules, max_conditions)
        self._use(choose(small, selection=self.selection, shape=self._shape), small)

    def _use(self, point: FrontPoint, among: Sequence[FrontPoint] = ()) -> None:
        """Use a rule set of the front, which validation scores chose among others."""
        self._members = [p.member for p in among or [point] if p.member is not None]
        validation = self._validation if self._members else None
        self.estimate_ = validation.estimate(self._members) if validation else None
        self.chosen_ = point
        self.pareto_front_ = Front(self.pareto_front_, chosen=point)
        self.rules_ = point.rule_set
        self.certificate_ = certify(self.rules_)

    def select(
        self,
        *,
        max_rules: int | None = None,
        max_conditions: int | None = None,
        index: int | None = None,
    ) -> RuleSetClassifier:
        """Return a classifier that uses another rule set of the front, without a new fit.

        Parameters
        ----------
        max_rules, max_conditions : int, optional
            Maximum size; among the rule sets that are small enough, ``selection`` decides.
        index : int, optional
            Index of the rule set in ``pareto_front_``, instead of a size.

        Returns
        -------
        RuleSetClassifier
            A copy with the same parameters and the same front.

        Raises
        ------
        ConditionError
            If a size is negative or smaller than all rule sets, if ``index`` is out of range, or
            if both are given.
        NotFittedError
            If the classifier is not fitted.

        Examples
        --------
        >>> from irenic import RuleSetClassifier
        >>> X, y = {"age": range(40)}, ["free"] * 18 + ["full"] * 22
        >>> clf = RuleSetClassifier(generations=1, moves=50, random_state=0).fit(X, y)
        >>> len(clf.rules_), len(clf.select(max_rules=0).rules_)
        (1, 0)
        >>> clf.select(index=0).chosen_ is clf.pareto_front_[0]
        True
        """
        check_is_fitted(self)
        sizes = {"max_rules": max_rules, "max_conditions": max_conditions}
        for name, size in {**sizes, "index": index}.items():
            whole = isinstance(size, Integral) and not isinstance(size, bool)
            if size is not None and (not whole or size < 0):
                raise ConditionError(f"{name} must be a non-negative whole number, got {size!r}")
        other = copy.copy(self)
        if index is None:
            other._use_best(max_rules, max_conditions)
            return other
        if any(size is not None for size in sizes.values()):
            raise ConditionError("index must not be combined with max_rules or max_conditions")
        if index >= len(self.pareto_front_):
            last = len(self.pareto_front_) - 1
            raise ConditionError(f"index must be at most {last}, got {index}")
        other._use(self.pareto_front_[index])
        return other

    # --- predicting

    def _decided(self, X: Any) -> npt.NDArray[np.int64]:
        """Return the index of the rule that decides each row, -1 for the default."""
        check_is_fitted(self)
        table = self._table(X, reset=False)
        resolve: Any = None if self.conflicts == "avoid" else self.conflicts
        return self.rules_.decide(table, resolve=resolve)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the prediction for each row.

        Parameters
        ----------
        X : table
            With the same columns as in :meth:`fit`.

        Returns
        -------
        array of shape (n_rows,) or (n_rows, n_labels)
            Labels, a 0/1 matrix or sets of labels, in the form of ``y`` in :meth:`fit`. Where no
            rule applies and ``default="abstain"``, None or no labels.

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
        decided = self._decided(X)
        return self._answers.take(self._thens(), decided)

    def _thens(self) -> list[Hashable | None]:
        """Return the consequent of each rule, followed by the default."""
        rules = self.rules_
        return [*rules.thens, rules.default]

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each label for each row.

        They are the label frequencies among the training rows that the deciding rule covers,
        slightly smoothed towards those of all rows, and adjusted so that the predicted label has
        the highest probability.

        Parameters
        ----------
        X : table
            With the same columns as in :meth:`fit`.

        Returns
        -------
        array of shape (n_rows, n_labels)
            One column for each of ``classes_``.

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
        array([[0.97, 0.03],
               [0.02, 0.98]])
        """
        decided = self._decided(X)
        return np.asarray(self._frequencies()[decided])

    def _frequencies(self) -> Floats:
        """Return the smoothed label frequencies of each rule, followed by those of the default."""
        frequencies = self.chosen_.counts.frequencies.copy()
        if self.hierarchy_ is not None:
            return self.hierarchy_.cap(frequencies)
        if self._answers.many:
            return frequencies
        code_of = {label: code for code, label in enumerate(self.classes_.tolist())}
        for row, then in zip(frequencies, self._thens(), strict=True):
            if then is not None:
                _lead(row, code_of[then])
        return frequencies

    def explain(self, X: Any) -> list[Decision]:
        """Return the reason for each prediction.

        Parameters
        ----------
        X : table
            With the same columns as in :meth:`fit`.

        Returns
        -------
        list of Decision
            One per row, with the deciding rules, their support and their confidence.

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
        >>> decision = clf.explain({"age": [3]})[0]
        >>> decision.rules, decision.support, decision.confidence
        ((0,), (18,), (1.0,))
        """
        check_is_fitted(self)
        table = self._table(X, reset=False)
        resolve: Any = None if self.conflicts == "avoid" else self.conflicts
        counts = self.chosen_.counts
        decisions = []
        for reason in self.rules_.explain(table, resolve=resolve):
            indices = reason.rules or (len(self.rules_),)
            support = tuple(int(counts.support[index]) for index in indices)
            confidence = tuple(float(counts.confidence[index]) for index in indices)
            text = reason.text
            if support[0] > 0:
                text += f" (support {support[0]}, confidence {confidence[0]:.2f})"
            decisions.append(Decision(reason.then, reason.rules, text, support, confidence))
        return decisions

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy.

        Parameters
        ----------
        X : table
            With the same columns as in :meth:`fit`.
        y : column of labels, 0/1 matrix, or list of sets of labels
            The true labels.
        sample_weight : array, optional
            Weight of each row.

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

        predictions = self.predict(X)
        if self._answers.many:
            right = self._answers.equal(predictions, y)
        elif self.default == "abstain":
            right = np.array([a == b for a, b in zip(predictions, y, strict=True)], dtype=bool)
        else:
            return float(accuracy_score(y, predictions, sample_weight=sample_weight))
        return float(np.average(right, weights=sample_weight))


def _opened(feature: Feature) -> Feature:
    """Return a feature that accepts values of rows to predict.

    They may be missing even if no training value is, and numbers need not be whole.
    """
    if isinstance(feature, Continuous) and feature.kind == "integer":
        return replace(feature, missing=True, kind="number")
    return replace(feature, missing=True)


def _lead(row: Floats, code: int) -> None:
    """Make the entry at ``code`` the highest of a row of probabilities, if it is not.

    A rule is chosen for the whole set, so its label need not be the most frequent among its rows;
    the two labels then get nearly the same probability.
    """
    top = int(row.argmax())
    if top != code:
        middle = (row[code] + row[top]) / 2.0
        row[top] = middle * (1.0 - 1e-9)
        row[code] = middle * (1.0 + 1e-9)


def _check_labels(target: Target) -> None:
    if not target.many and np.count_nonzero(target.truth.any(axis=0)) < 2:
        only = target.labels[target.truth.any(axis=0)].tolist()
        raise DataError(
            f"y must have at least two classes, got one class: {', '.join(map(display, only))}"
        )


def _form(y: Any, target: Target) -> Form:
    """Return the form of a target, which is also that of predictions."""
    if not target.many:
        return "labels"
    return "matrix" if _is_matrix(y) else "sets"


def _by_columns(X: Any) -> Any:
    """Return a list of rows as an array of objects, or as columns if they name their values.

    Each column keeps its type; numpy would turn numbers next to text into text. Anything else is
    left to scikit-learn.
    """
    if not isinstance(X, Sequence | deque) or isinstance(X, str | bytes) or not X:
        return X
    if not all(isinstance(row, list | tuple | Mapping) or _is_vector(row) for row in X):
        return X
    X = list(X)
    if _is_plain(X):
        return np.asarray(X, dtype=float)
    names, columns, length = take_apart(X)
    if names is not None:
        return dict(zip(names, columns, strict=True))
    cells = np.empty((length, len(columns)), dtype=object)
    for index, column in enumerate(columns):
        cells[:, index] = column
    return cells


def _is_plain(rows: list[Any]) -> bool:
    """Return whether rows hold only floats, so that an array keeps their values."""
    if not all(type(row) in (list, tuple) and len(row) == len(rows[0]) for row in rows):
        return False
    return set(map(type, chain.from_iterable(rows))) == {float}


def _is_vector(row: Any) -> bool:
    return isinstance(row, np.ndarray) and row.ndim == 1


def _own_names(X: Any) -> list[str] | None:
    """Return the column names of a mapping or a pyarrow table, which scikit-learn cannot read."""
    if isinstance(X, dict) and not hasattr(X, "tocsr"):  # a sparse matrix may also be a dict
        return [str(name) for name in X]
    return list(X.column_names) if hasattr(X, "column_names") else None


def _is_matrix(y: Any) -> bool:
    """Return whether a target with several labels per row is a 0/1 matrix rather than sets."""
    if _is_nested(y):
        return bool(type_of_target(y) == _INDICATOR)
    return getattr(y, "ndim", 1) == 2 or hasattr(y, "columns")


def _is_nested(y: Any) -> bool:
    """Return whether a target is a list of equally long lists of 0 and 1."""
    if not isinstance(y, list) or not all(isinstance(row, list | np.ndarray) for row in y):
        return False
    equally_long = bool(y) and {len(row) for row in y} == {len(y[0])}
    return equally_long and all(value in (0, 1) for row in y for value in row)


def _length(table: Any) -> int:
    if isinstance(table, dict):
        return max((len(column) for column in table.values()), default=0)
    return len(table) if not hasattr(table, "shape") else int(table.shape[0])


def _check_alike(labels: Iterable[Any]) -> None:
    """Reject missing labels and labels of several types, such as 1 and True."""
    kinds: set[type] = set()
    for row, label in enumerate(labels, start=1):
        if is_missing(label):
            raise DataError(f"y, row {row}: the label is missing; drop such rows from X and y")
        kinds.add(type(plain(label)))
    numbers = {kind for kind in kinds - {bool} if issubclass(kind, Number)}
    if len(kinds - numbers) + bool(numbers) > 1:
        shown = ", ".join(sorted(kind.__name__ for kind in kinds))
        raise DataError(f"labels in y must be of one type, got {shown}")
