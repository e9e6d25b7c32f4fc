"""The classifier: a scikit-learn estimator whose model is a consistent rule set."""

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
from irenic.learn._cells import MOST_ROWS, Cells
from irenic.learn._certificate import certify
from irenic.learn._evolution import Settings, Watch
from irenic.learn._running import Named, progress_bar, run
from irenic.learn._tasks import SOFT, Plan, Problem
from irenic.learn._training import Training
from irenic.learn.answers import Answers, Form
from irenic.learn.front import Front, FrontPoint, choose, front_of, head_of, table_of
from irenic.learn.labels import is_multilabel
from irenic.learn.target import Target, class_weights, row_counts, row_weights
from irenic.model import markup
from irenic.model.columns import take_apart
from irenic.model.explanation import Explanation
from irenic.model.features import Continuous, Feature
from irenic.model.literals import display, is_missing, plain
from irenic.model.space import Instances, Space

Floats = npt.NDArray[np.float64]

# Members of a population with no limit, and the limits of others: sizes that people ask for.
_MEMBERS: Final = 6
_SIZES: Final = (1, 3, 7, 15, 31)
# How many right predictions a rule or a condition must be worth, at the least.
_LOWEST_PENALTY: Final = 0.05
# Up to so many rows so many validation tasks; beyond, one.
_FOLDS: Final = ((5_000, 5), (15_000, 3))
_MOVES: Final = 4_000
# Codes of labels are 16 bits wide.
_MOST_LABELS: Final = 32_000
_INDICATOR: Final = "multilabel-indicator"


@dataclass(frozen=True)
class Decision(Explanation):
    """Why a learned model decides a case as it does: rules, and how they did in training.

    ``support`` (how many training rows a rule covers) and ``confidence`` (the share of them that it
    is right for) have one entry for each of ``rules``; where no rule covers the case, one entry for
    the rows of the default. Rows count as one each, whatever their weights.

    >>> print(Decision("low", (0,), "low, by rule 1 (support 9, confidence 1.00)", (9,), (1.0,)))
    low, by rule 1 (support 9, confidence 1.00)
    """

    support: tuple[int, ...] = ()
    confidence: tuple[float, ...] = ()


class RuleSetClassifier(CallbackSupportMixin, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that is a set of rules of which no two ever disagree.

    A population of rule sets evolves towards right predictions, few rules and few conditions;
    every step keeps them consistent on the whole space of cases, not only on the data. What is
    found is a front of rule sets, from small to accurate; the one that is validated best is used,
    and :meth:`select` takes another one without fitting again.

    Parameters
    ----------
    max_rules, max_conditions : int, optional
        The most that the rule set may have; the default is not counted as a rule.
    selection : {"validation", "description"}
        How one rule set of the front is chosen: by what sets like it are worth on rows that were
        left out, or by the bits that rules and mistakes take, which needs no validation and is
        some times faster.
    init : {"trees", "seeds"}
        What evolution starts from: leaves of trees of several sizes, or nothing, so that the first
        rules are grown round uncovered rows as in the paper.
    conflicts : {"avoid", "vote", "best"}
        "avoid" keeps every rule set consistent. The others let rules disagree, and decide at
        prediction by the number of rules or by the best one: for comparison.
    complete : bool
        Add rules until no case is left to the default.
    default : {"majority", "abstain"}
        What is predicted where no rule holds: the most frequent label there, or None.
    hierarchy : list of paths, list of edges, or graph, optional
        Labels that imply others: "1/2/3" implies "1/2" and "1"; edges are (parent, child). Rows
        have sets of labels then, and predictions are closed.
    class_weight : dict or "balanced", optional
        How much rows of each class count, times their ``sample_weight``. Weights change what is
        learned, scores and probabilities; support and confidence are those of rows.
    smoothing : float
        How much of what a row counts for is what a random forest says of it that has not seen it,
        instead of its own label; from 0 to 1. Less noise, fewer rules.
    generations : int
        How long rule sets evolve.
    moves : int, optional
        How many changes a rule set tries in a generation, more if it has over 64 rules; None
        is 4,000.
    time_budget : float, optional
        Seconds after which the best rule sets found so far are used. A fit that it ends depends on
        how fast the machine is.
    warm_start : bool
        Let a further fit on data of the same columns start from the rule sets of the last.
    n_jobs : int, optional
        How many tasks run at once, through joblib; the result does not depend on it.
    random_state : int, RandomState or None
        Fixes what is random.
    verbose : bool
        Show a progress bar.

    Attributes
    ----------
    rules_ : RuleSet
        The rules.
    certificate_ : Certificate
        That they are consistent, and whether they are complete, and where not.
    pareto_front_ : Front
        The rule sets to choose from, a list of FrontPoint, the smallest first.
    chosen_ : FrontPoint
        The one that was chosen.
    classes_ : array
        The labels.
    space_ : Space
        The features.
    interrupted_ : bool
        Whether Ctrl-C ended the fit.
    n_features_in_ : int
    feature_names_in_ : array
        Where the training data has names.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from irenic import RuleSetClassifier
    >>> X, y = load_iris(as_frame=True, return_X_y=True)
    >>> clf = RuleSetClassifier(max_rules=3, random_state=0).fit(X, y)
    >>> clf.rules_.is_consistent, len(clf.rules_) <= 3, clf.score(X, y) > 0.9
    (True, True, True)
    """

    _cells: Cells
    pareto_front_: Front
    chosen_: FrontPoint
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
        "time_budget": [Interval(Real, 0, None, closed="neither"), None],
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
        time_budget: float | None = None,
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
        self.time_budget = time_budget
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
        if hasattr(self, "chosen_"):  # some formats keep no more than the items of a list
            self.pareto_front_ = Front(self.pareto_front_, chosen=self.chosen_)

    # --- in notebooks

    def _html_repr(self) -> str:
        """Return what notebooks show; scikit-learn asks for it in all ways that they have."""
        usual = markup.Html(super()._html_repr())
        if not hasattr(self, "chosen_"):
            return usual
        parts = [
            head_of(self.chosen_, type(self).__name__),
            table_of(self.chosen_, self.classes_.tolist(), many=self._answers.many),
            self._legend(),
            self.certificate_._repr_html_(),
        ]
        if self.interrupted_:
            parts.append(markup.remark("the fit was interrupted: more time may find better rules"))
        summary = markup.element("summary", "parameters, as scikit-learn shows them")
        return markup.block(*parts, markup.element("details", summary, usual))

    def _legend(self) -> markup.Html:
        """Return which colour is which label, where they are few enough to be told apart."""
        labels = self.classes_.tolist()
        if len(labels) > len(markup.PALETTE):
            return markup.remark(f"{len(labels):,} labels; point at a bar to read its numbers")
        colours = markup.palette(labels)
        chips = [markup.join(" ", markup.label_chip(label, colours)) for label in labels]
        return markup.remark("labels:", *chips)

    # --- fitting

    @with_callbacks  # type: ignore[untyped-decorator]
    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> RuleSetClassifier:
        """Learn rules from labelled instances.

        Parameters
        ----------
        X : table
            pandas, polars, pyarrow, an array, or a list of rows; columns of numbers, dates,
            booleans, text and categories, with missing values. Rows are tuples, lists or mappings;
            mappings, named tuples and Spark rows name the features.
        y : column of labels, 0/1 matrix, or list of sets of labels
            Sets and matrices are for rows that have several labels.
        sample_weight : array, optional
            How much each row counts; a weight of 2 is equivalent to repeating the row.
        """
        table = self._table(X, reset=True)
        target = self._target(y)
        weight = row_weights(target, sample_weight)
        count = row_counts(weight)
        weight = weight * class_weights(target, self.class_weight, weight)
        counted = weight > 0
        if not counted.any():
            raise DataError("all weights are 0; at least one row must count")
        if len(target) != _length(table):
            raise DataError(f"X has {_length(table)} rows, y has {len(target)}")
        _check_labels(target.take(counted))
        state = int(check_random_state(self.random_state).randint(2**31 - 1))
        space = Space([_opened(feature) for feature in Space.infer(table)])
        instances = space.encode(table).take(counted)
        target, weight, count = target.take(counted), weight[counted], count[counted]
        # weights below one per row would all be outweighed by any penalty; up to rounding
        if (scale := count.sum() / weight.sum()) > 1.0 + 1e-9:
            weight = weight * scale
        earlier = self._earlier(instances, target)
        cells = self._cells if earlier else Cells.divide(instances, target.truth, weight)
        encoded = cells.encode(instances)
        problem = Problem(cells, encoded, target, weight, count)
        problem = problem.sampled(MOST_ROWS, state).in_order()
        plan = self._plan(problem, state)
        context = self._init_callback_context(max_subtasks=plan.folds + plan.islands)
        context.call_on_fit_task_begin(estimator=self, X=X, y=y)
        with progress_bar(bool(self.verbose)) as show:

            def tell(done: int, of: int) -> bool:
                show(done, of)
                part = context.subcontext(task_name="task")
                part.call_on_fit_task_begin(estimator=self, X=X, y=y)
                return bool(part.call_on_fit_task_end(estimator=self, X=X, y=y))

            found = run(
                problem, plan, earlier=earlier, n_jobs=self.n_jobs, tell=tell, watch=Watch()
            )
        training = Training(
            cells,
            instances,
            encoded,
            target,
            weight,
            found.consequents,
            self.conflicts,
            self.complete,
        )
        points = [training.point(*candidate) for candidate in found.candidates]
        self.space_, self.classes_ = space, target.labels
        self.hierarchy_ = target.hierarchy
        self.interrupted_ = found.interrupted
        self._answers = Answers(target.labels, _form(y, target), target.hierarchy)
        self.pareto_front_ = front_of(points)
        self._cells, self._values = cells, found.consequents.values()
        self._shape = round(problem.count.sum()), len(target.labels), len(space)
        self._use(self._choose(self.max_rules, self.max_conditions))
        context.call_on_fit_task_end(estimator=self, X=X, y=y)
        return self

    def _table(self, X: Any, *, reset: bool) -> Any:
        """Return a table as it is, if it is one of columns, else as an array; check its columns."""
        X = _by_columns(X)
        names = _own_names(X)
        if names is not None or hasattr(X, "columns"):
            if hasattr(X, "collect"):
                raise DataError("X is a lazy frame; give X.collect()")
            if not _length(X):
                raise DataError("X has no rows")
            if not (len(X.columns) if names is None else len(names)):
                raise DataError("X has no columns; rules need features to test")
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
            y = np.asarray(y)  # rows of 0 and 1 in lists, as scikit-learn reads them
        if self.hierarchy is not None or is_multilabel(y):
            return Target.sets(y, self.hierarchy)
        if isinstance(y, list | tuple) and len(set(map(type, y))) > 1:
            _check_alike(y)  # numpy would make text of 1 beside "a"
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
                f"y: labels of type {kind} have no order; use text or numbers"
            ) from None
        check_classification_targets(y)
        if len(classes) > _MOST_LABELS:
            raise DataError(f"y has {len(classes):,} classes; {_MOST_LABELS:,} are the most")
        return Target.single(classes, codes)

    def _plan(self, problem: Problem, state: int) -> Plan:
        n, n_labels = round(problem.count.sum()), len(problem.target.labels)
        total = float(problem.weight.sum())
        most = max(64, min(40 * n_labels, n // 15))
        if problem.target.many:
            most = 64
        if self.max_rules is not None:
            most = min(most, self.max_rules)
        penalties = np.geomspace(_LOWEST_PENALTY, max(4.0, total / 200.0), _MEMBERS)
        members = [(float(penalty), most) for penalty in penalties]
        members += [(float(penalties[1]), size) for size in _SIZES if size < most]
        folds = next((k for rows, k in _FOLDS if n <= rows), 1)
        folds = min(folds, problem.n_groups // 4) if self.selection == "validation" else 0
        moves = self.moves or _MOVES
        islands = 2
        seconds = None
        if self.time_budget is not None:
            from joblib import effective_n_jobs

            at_once = min(effective_n_jobs(self.n_jobs), folds + islands)
            seconds = self.time_budget * at_once / (folds + islands)
        settings = Settings(
            members=tuple(members),
            generations=self.generations,
            moves=moves,
            conflicts=self.conflicts,
            seconds=seconds,
            fixed_default=self.default == "abstain",
            sow=self.init == "seeds",
        )
        return Plan(settings, self.init, self.smoothing, islands, folds, state)

    def _earlier(self, instances: Instances, target: Target) -> list[Named]:
        """Return the rule sets of the last fit, where a further one can go on from them."""
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

    def _choose(self, max_rules: int | None, max_conditions: int | None) -> FrontPoint:
        return choose(
            self.pareto_front_,
            selection=self.selection,
            max_rules=max_rules,
            max_conditions=max_conditions,
            shape=self._shape,
        )

    def _use(self, point: FrontPoint) -> None:
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
        """Return a classifier with another rule set of the front, without fitting again.

        Parameters
        ----------
        max_rules, max_conditions : int, optional
            The largest size: of the rule sets that are small enough, the best one is taken, in
            the way that ``selection`` names.
        index : int, optional
            The place of the rule set in ``pareto_front_``, instead of a size.

        Returns
        -------
        RuleSetClassifier
            A copy with the same parameters and the same front.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from irenic import RuleSetClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> clf = RuleSetClassifier(max_rules=3, random_state=0).fit(X, y)
        >>> len(clf.select(max_rules=1).rules_)
        1
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
            other._use(other._choose(max_rules, max_conditions))
            return other
        if any(size is not None for size in sizes.values()):
            raise ConditionError("index must be given without max_rules and max_conditions")
        if index >= len(self.pareto_front_):
            last = len(self.pareto_front_) - 1
            raise ConditionError(
                f"index must be at most {last}, the last of the front, got {index}"
            )
        other._use(self.pareto_front_[index])
        return other

    # --- predicting

    def _decided(self, X: Any) -> npt.NDArray[np.int64]:
        """Return the place of the rule that decides each row, -1 for the default."""
        check_is_fitted(self)
        table = self._table(X, reset=False)
        resolve: Any = None if self.conflicts == "avoid" else self.conflicts
        return self.rules_.decide(table, resolve=resolve)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return what the rules say of each row.

        Labels, or a 0/1 matrix or sets of labels, as ``y`` was given to :meth:`fit`. Where no rule
        holds and ``default="abstain"``: None, or no label.
        """
        decided = self._decided(X)
        return self._answers.take(self._thens(), decided)

    def _thens(self) -> list[Hashable | None]:
        """Return the consequent of each rule, and at the end that of the default."""
        rules = self.rules_
        return [*rules.thens, rules.default]

    def predict_proba(self, X: Any) -> Floats:
        """Return for each row how likely each of ``classes_`` is.

        The frequencies among the training rows that the deciding rule covers, moved a little
        towards those of all rows; never such that another label than the predicted one leads.
        """
        decided = self._decided(X)
        return np.asarray(self._frequencies()[decided])

    def _frequencies(self) -> Floats:
        """Return the smoothed frequencies of labels under each rule, and at the end the default."""
        frequencies = self.chosen_.counts.frequencies.copy()
        if self.hierarchy_ is not None:
            return self.hierarchy_.cap(frequencies)
        if self._answers.many:
            return frequencies
        places = {label: k for k, label in enumerate(self.classes_.tolist())}
        for row, then in zip(frequencies, self._thens(), strict=True):
            if then is not None:
                _lead(row, places[then])
        return frequencies

    def explain(self, X: Any) -> list[Decision]:
        """Return for each row which rules decided it, in words, with their support and confidence.

        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> clf = RuleSetClassifier(max_rules=2, random_state=0).fit(X, y)
        >>> len(clf.explain(X[:3]))
        3
        """
        check_is_fitted(self)
        table = self._table(X, reset=False)
        resolve: Any = None if self.conflicts == "avoid" else self.conflicts
        found = self.rules_.explain(table, resolve=resolve)
        support, confidence = self.chosen_.counts.support, self.chosen_.counts.confidence
        told = []
        for one in found:
            places = one.rules or (len(self.rules_),)
            held = tuple(int(support[r]) for r in places)
            right = tuple(float(confidence[r]) for r in places)
            words = one.text
            if held[0] > 0:
                words += f" (support {held[0]}, confidence {right[0]:.2f})"
            told.append(Decision(one.then, one.rules, words, held, right))
        return told

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy; for sets of labels, the share of rows whose set is exactly right."""
        from sklearn.metrics import accuracy_score

        said = self.predict(X)
        if not self._answers.many:
            if self.default == "abstain":
                right = np.array([a == b for a, b in zip(said, y, strict=True)], dtype=float)
                return float(np.average(right, weights=sample_weight))
            return float(accuracy_score(y, said, sample_weight=sample_weight))
        right = self._answers.equal(said, y)
        return float(np.average(right, weights=sample_weight))


def _opened(feature: Feature) -> Feature:
    """Return a feature that takes what may come when something is to be predicted.

    A value that is never missing in training may be so then, and whole numbers need not stay whole.
    """
    if isinstance(feature, Continuous) and feature.kind == "integer":
        return replace(feature, missing=True, kind="number")
    return replace(feature, missing=True)


def _lead(row: Floats, place: int) -> None:
    """Let the entry at a place lead a row of probabilities, if another one does so far.

    Rules are chosen for a whole set, so the label of one need not be the most frequent of its rows;
    such a row is as uncertain as can be.
    """
    top = int(row.argmax())
    if top != place:
        middle = (row[place] + row[top]) / 2.0
        row[top] = middle * (1.0 - 1e-9)
        row[place] = middle * (1.0 + 1e-9)


def _check_labels(target: Target) -> None:
    if not target.many and np.count_nonzero(target.truth.any(axis=0)) < 2:
        only = target.labels[target.truth.any(axis=0)].tolist()
        raise DataError(f"y has one class only ({', '.join(map(display, only))}); two are needed")


def _form(y: Any, target: Target) -> Form:
    """Return the form in which a target was given, in which predictions are given back."""
    if not target.many:
        return "labels"
    return "matrix" if _is_matrix(y) else "sets"


def _by_columns(X: Any) -> Any:
    """Return rows in a list as an array of objects, or as columns if they name their values.

    Each column keeps its type; numpy would make text of numbers that stand beside text. What is
    not a list of rows is left to scikit-learn.
    """
    if not isinstance(X, Sequence | deque) or isinstance(X, str | bytes) or not X:
        return X
    if not all(isinstance(row, list | tuple | Mapping) or _is_vector(row) for row in X):
        return X
    X = list(X)
    if _is_plain(X):
        return np.asarray(X, dtype=float)
    taken = take_apart(X)
    if taken.names is not None:
        return dict(zip(taken.names, taken.columns, strict=True))
    cells = np.empty((taken.length, len(taken.columns)), dtype=object)
    for place, column in enumerate(taken.columns):
        cells[:, place] = column
    return cells


def _is_plain(rows: list[Any]) -> bool:
    """Return whether rows hold nothing but floats, in which case an array loses nothing."""
    if not all(type(row) in (list, tuple) and len(row) == len(rows[0]) for row in rows):
        return False
    return set(map(type, chain.from_iterable(rows))) == {float}


def _is_vector(row: Any) -> bool:
    return isinstance(row, np.ndarray) and row.ndim == 1


def _own_names(X: Any) -> list[str] | None:
    """Return the columns of a table that scikit-learn does not know: a mapping, or of pyarrow."""
    if isinstance(X, dict) and not hasattr(X, "tocsr"):  # a sparse matrix may be a dict, too
        return [str(name) for name in X]
    return list(X.column_names) if hasattr(X, "column_names") else None


def _is_matrix(y: Any) -> bool:
    """Return whether a target with several labels a row is a 0/1 matrix rather than sets."""
    if _is_nested(y):
        return bool(type_of_target(y) == _INDICATOR)
    return getattr(y, "ndim", 1) == 2 or hasattr(y, "columns")


def _is_nested(y: Any) -> bool:
    """Return whether a target is a list of lists of one length, which may be a matrix."""
    if not isinstance(y, list) or not all(isinstance(row, list | np.ndarray) for row in y):
        return False
    same = bool(y) and {len(row) for row in y} == {len(y[0])}
    return same and all(value in (0, 1) for row in y for value in row)


def _length(table: Any) -> int:
    if isinstance(table, dict):
        return max((len(column) for column in table.values()), default=0)
    return len(table) if not hasattr(table, "shape") else int(table.shape[0])


def _check_alike(labels: Iterable[Any]) -> None:
    """Refuse labels that are missing, and labels of several types, such as 1 and True."""
    kinds: set[type] = set()
    for row, label in enumerate(labels, start=1):
        if is_missing(label):
            raise DataError(f"y: row {row} has no label; leave such rows out of X and y")
        kinds.add(type(plain(label)))
    numbers = {kind for kind in kinds - {bool} if issubclass(kind, Number)}
    if len(kinds - numbers) + bool(numbers) > 1:
        shown = ", ".join(sorted(kind.__name__ for kind in kinds))
        raise DataError(f"y: labels of several types ({shown}); use one type")
