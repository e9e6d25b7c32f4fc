"""A scikit-learn classifier whose model is a consistent rule set."""

from __future__ import annotations

import copy
import math
import os
import warnings
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from numbers import Integral, Real
from types import MappingProxyType
from typing import Any, ClassVar, Final

import numpy as np
import numpy.typing as npt
from sklearn.base import _fit_context
from sklearn.callback import CallbackSupportMixin, with_callbacks
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import (
    Interval,
    StrOptions,
)
from sklearn.utils.validation import check_is_fitted

from irenic.arrays import Floats
from irenic.errors import ConditionError, DataError, did_you_mean
from irenic.learn._base import RuleClassifier
from irenic.learn._knowledge import (
    BoundKnowledge,
    check_possible,
    cost_of,
    forbids_nothing,
    known_space,
    named_columns,
    orders_of,
    possible_rows,
    proved,
    tested_columns,
    training_cells,
)
from irenic.learn._row_numbers import row_columns
from irenic.learn._texts import doubtful_texts, spelled_alike
from irenic.learn.cells import ROW_LIMIT, Cells
from irenic.learn.evolution import Candidate, Watch
from irenic.learn.front import Front, FrontPoint, choose, small_enough, without_coverage
from irenic.learn.inputs import given_rows
from irenic.learn.parameters import Evolution, Knowledge, Parameters, forbidden_columns
from irenic.learn.points import Drafter, FrontMaker
from irenic.learn.probabilities import LABEL_LIMIT
from irenic.learn.run import Plan, Run, plan_of, progress_bar
from irenic.learn.sample import InCells, Sample
from irenic.learn.target import Target, class_weights
from irenic.learn.validation import ROW_SCORES, Estimate, Validation
from irenic.model.literals import counted, display, plain, told_apart
from irenic.model.ruleset import RuleSet
from irenic.model.space import Space
from irenic.model.spaces import names_tested

# A label is rare if its share is below this part of an even share; with fewer rows than the second
# number, there is nothing to learn.
_RARE: Final = 0.1
_FEW_ROWS: Final = 5


_CONSTRAINTS: Final[dict[type[Parameters], dict[str, Any]]] = {
    Knowledge: {
        "rules": "no_validation",
        "never": "no_validation",
        "always": "no_validation",
        "monotonic_cst": [Mapping, "array-like", None],
        "cost": [Mapping, "array-like", None],
        "describe": "no_validation",
        "forbidden": [str, "array-like", None],
        "ordered": [str, Mapping, "array-like", None],
        "max_values": [Interval(Integral, 1, None, closed="left"), None],
        "space": [Space, None],
    },
    Evolution: {
        "init": [StrOptions({"trees", "seeds"})],
        "conflicts": [StrOptions({"avoid", "vote", "best"})],
        "smoothing": [Interval(Real, 0, 1, closed="both")],
    },
}


class RuleSetClassifier(CallbackSupportMixin, RuleClassifier):  # type: ignore[misc]
    """Classifier that learns a set of rules that never contradict each other.

    A population of rule sets evolves towards correct predictions, few rules and few conditions.
    Every step keeps the rules consistent on the whole space, not only on the training data. The
    result is a front of rule sets from small to accurate. The one with the best validation score
    is used; :meth:`select` switches to another one without a new fit.

    Parameters
    ----------
    max_rules, max_conditions : int, optional
        Maximum numbers of rules and of conditions, with those that users keep and those that
        ``complete`` adds; the default does not count as a rule.
    max_conditions_per_rule : int, optional
        Maximum number of conditions of each rule (at most 24), except for the rules that
        ``complete`` adds.
    min_support : int, default 1
        Minimum number of training rows that each rule covers, except for the rules that
        ``complete`` adds. If it leaves no rule to learn, a warning says so.
    selection : {"validation", "one_se", "description"}, default "validation"
        How to choose a rule set from the front: by the score of similar rule sets on rows left
        out; the smallest one whose score is at most one standard error below the best; or by
        description length, which needs no validation and is several times faster. Of equally good
        rule sets, the smallest is chosen; two of the same penalty share their validation, and the
        training score chooses between these.
    complete : bool, default False
        Add rules for the default until every case is covered by a rule. They may overlap each
        other, so that few are enough; rule sets that need more than 100 are left out. With
        ``default="abstain"``, rules evolve for all labels, and few have to be added. Numbers that
        no training row lacks go with the lowest ones if they are missing; with rules,
        properties, directions, costs, ``max_values`` or impossible cases in ``knowledge``, added
        rules decide such cases. If only one rule without conditions remains, because no
        other set is small enough, a warning says so.
    default : {"majority", "abstain"}, default "majority"
        Prediction where no rule applies: the most frequent label there, or None.
    knowledge : Knowledge, dict or path, optional
        What users know: rules to keep, properties to prove, costs, and what columns mean, as a
        :class:`~irenic.learn.Knowledge`, as a dict of its parameters, or as a file of JSON.
    hierarchy : Hierarchy, list of paths, list of edges, or graph, optional
        Which labels imply others: "1/2/3" implies "1/2" and "1"; edges are (parent, child). Each
        row then has a set of labels, and predictions are closed.
    consequents : {"labels", "probabilities"}, default "labels"
        What a rule predicts if rows have several labels: a set of labels, or one probability per
        label, a child's never above its parents'. Rules with different probabilities never
        overlap. :meth:`predict` then returns the labels whose probability is at least a threshold,
        which is the one with the highest F1, over all labels of all training rows.
    class_weight : dict or "balanced", optional
        Weight of each class, multiplied by ``sample_weight``. Weights affect the rules, scores and
        probabilities, but not support and confidence.
    scoring : {"accuracy", "balanced_accuracy", "log_loss", "roc_auc"}, str or callable
        What to maximize (default: "accuracy"). With "balanced_accuracy", all labels count alike,
        however rare, also in evolution; probabilities stay those of the rows, so that the predicted
        label need not have the highest one. The others choose the rule set by its probabilities or
        predictions on rows left out: "log_loss" the least log-loss (scores are minus it), "roc_auc"
        the area under the curve (with more than two labels, the mean of one label against the
        rest), or another scorer of scikit-learn, by name or as ``scorer(estimator, X, y)``. Scorers
        with a parameter ``sample_weight`` get the weights of rows; others get rows in proportion.
    generations : int, default 8
        Number of generations. A run may end after half of them, when one improves nothing.
    moves : int, optional
        Number of changes that each rule set tries per generation, and more in proportion to its
        rules beyond 64 (default: 4,000; with at most 5,000 rows, half of it for up to 16 rules).
    evolution : Evolution or dict, optional
        How rule sets evolve, for those who compare learners: an
        :class:`~irenic.learn.Evolution`, or a dict of its parameters.
    budget : float, optional
        Seconds after which the best rule sets so far are used. The result of a fit that runs out
        of budget depends on the speed of the machine.
    warm_start : bool, default False
        Start from the rule sets of the previous fit if that had ``warm_start`` too and the data
        have the same columns, except with ``forbidden`` or ``ordered`` in ``knowledge``.
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
    pareto_front_ : Front
        The rule sets to choose from, smallest first.
    chosen_ : FrontPoint
        The rule set in use.
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

    evolution_ = Evolution()
    _groups = MappingProxyType({"knowledge": Knowledge, "evolution": Evolution})
    _group_constraints = _CONSTRAINTS
    _cells: Cells | None = None
    _validation: Validation | None = None
    _ranks: npt.NDArray[np.int64] | None = None
    _orders: Mapping[str, Sequence[Hashable]] | None = None
    _kept_text: str | None = None
    _unfilled: bool = False
    """Whether filling the gaps of every learned rule set takes too many rules."""
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "max_rules": [Interval(Integral, 1, None, closed="left"), None],
        "max_conditions": [Interval(Integral, 1, None, closed="left"), None],
        "max_conditions_per_rule": [Interval(Integral, 1, None, closed="left"), None],
        "min_support": [Interval(Integral, 1, None, closed="left")],
        "selection": [StrOptions({"validation", "one_se", "description"})],
        "complete": ["boolean"],
        "default": [StrOptions({"majority", "abstain"})],
        "knowledge": [Knowledge, Mapping, str, os.PathLike, None],
        "hierarchy": "no_validation",  # type: ignore[dict-item]
        "consequents": [StrOptions({"labels", "probabilities"})],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "scoring": [str, callable],
        "generations": [Interval(Integral, 1, None, closed="left")],
        "moves": [Interval(Integral, 1, None, closed="left"), None],
        "evolution": [Evolution, Mapping, None],
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
        max_conditions_per_rule: int | None = None,
        min_support: int = 1,
        selection: str = "validation",
        complete: bool = False,
        default: str = "majority",
        knowledge: Knowledge | Mapping[str, Any] | str | os.PathLike[str] | None = None,
        hierarchy: Any = None,
        consequents: str = "labels",
        class_weight: Mapping[Hashable, float] | str | None = None,
        scoring: Any = "accuracy",
        generations: int = 8,
        moves: int | None = None,
        evolution: Evolution | Mapping[str, Any] | None = None,
        budget: float | None = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: bool = False,
    ) -> None:
        self.max_rules = max_rules
        self.max_conditions = max_conditions
        self.max_conditions_per_rule = max_conditions_per_rule
        self.min_support = min_support
        self.selection = selection
        self.complete = complete
        self.default = default
        self.knowledge = knowledge
        self.hierarchy = hierarchy
        self.consequents = consequents
        self.class_weight = class_weight
        self.scoring = scoring
        self.generations = generations
        self.moves = moves
        self.evolution = evolution
        self.budget = budget
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if hasattr(self, "chosen_"):  # some serializers keep only the items of a list
            self.pareto_front_ = Front(self.pareto_front_, chosen=self.chosen_)

    # --- parameters

    @property
    def conflicts(self) -> str:  # type: ignore[override]
        """What ``evolution`` said about conflicts between rules at the last fit."""
        return self.evolution_.conflicts

    # --- fitting

    @with_callbacks  # type: ignore[untyped-decorator]
    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, target: Any = None
    ) -> RuleSetClassifier:
        """Learn rules from labeled rows.

        Parameters
        ----------
        X : table
            A pandas, polars or pyarrow frame, an array, a mapping of columns, or a list of rows,
            which may name their values. Columns may hold numbers, dates, booleans, text and
            categories, and missing values. With ``target``, also rows that are not in memory: the
            path of a Parquet file or a folder of them, a pyarrow dataset, a polars LazyFrame, a
            DuckDB relation, or a DataFrame of Dask or Spark. They are read in blocks.
        y : column of labels, 0/1 matrix, or list of sets of labels
            Matrices and sets are for rows with several labels.
        sample_weight : array or str, optional
            Weight of each row; a weight of 2 is equivalent to repeating the row. With ``target``,
            it may be the name of a column.
        target : str, optional
            The column of ``X`` that holds the labels, instead of ``y``.

        Returns
        -------
        RuleSetClassifier
            The classifier itself.

        Raises
        ------
        DataError
            If ``X`` or ``y`` is empty, of different lengths, or holds values that cannot be used,
            if there is only one class, or if all weights are 0; or if rules and properties do not
            fit the data or exclude each other.
        ConflictError
            If rules to keep contradict each other.
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
        X, y, sample_weight = given_rows(X, y, sample_weight, target)
        self._read_groups()
        known = self.knowledge_
        state = int(check_random_state(self.random_state).randint(2**31 - 1))
        every = possible_rows(self._read(X, y, sample_weight, self.class_weight, state)).in_order()
        untested = self._warn_of_columns(every, X)
        every = self._weighed(every)
        data = every.typical()
        orders = orders_of(known.ordered, X, data.instances.space, known.space or ())
        knowledge = self._bound(data, y, orders)
        earlier = self._earlier(data)
        cells = self._cells if earlier else None
        cells = cells or training_cells(known, data, orders, knowledge, untested)
        sample = self._drawn(every, cells, knowledge, state)
        rounds = self._rounds(sample, every.n_rows, knowledge, state)
        with self._watch(rounds, X, y) as watch:
            run = Run.of(sample, rounds[0], watch, earlier=earlier)
            del sample  # with the rows that it was not drawn from
            if len(rounds) > 1 and not watch.stopped.is_set():
                run = run.again(every, data.instances, rounds[1], watch)
            self._offer(self._front(run, data, knowledge))
            self._keep(run, data, y, knowledge)
            self._use_best(self.max_rules, self.max_conditions)
            self._warn_of_results(every)
        return self

    def _warn_of_columns(self, rows: Sample, X: Any) -> list[str]:
        """Warn of doubtful columns and labels; return the columns that rules do not test."""
        known, named = self.knowledge_, named_columns(self.knowledge_)
        for text in doubtful_texts(rows.instances.space, X, named):
            warnings.warn(text, stacklevel=5)
        untested = {} if forbids_nothing(known) else row_columns(rows, X, named)
        for name, what in untested.items():
            warnings.warn(
                f"column {name!r} {what}, so learned rules do not test it; Knowledge(forbidden=[])"
                " lets them test every column",
                stacklevel=5,
            )
        if same := spelled_alike(rows.target.labels):
            warnings.warn(f"labels: {same}", stacklevel=5)
        return list(untested)

    def _weighed(self, rows: Sample) -> Sample:
        """Return rows with the costs of labels and the factors by which they are balanced."""
        # any penalty would outweigh weights that are below 1 on average; up to rounding
        if (scale := rows.n_rows / rows.label_weights.sum()) > 1.0 + 1e-9:
            rows = rows.weighted(scale)
        factors = self._balance(rows)
        cost = cost_of(self.knowledge_.cost, rows.target)
        if cost is None:
            return replace(rows, factors=factors)
        # relative to an average error, so that a rule has to be worth the same as without cost
        scale = (len(cost) - 1) * len(cost) / cost.sum()
        factors = scale * (np.ones(len(cost)) if factors is None else factors)
        return replace(rows, factors=factors, target=replace(rows.target, cost=cost))

    def _bound(
        self, data: Sample, y: Any, orders: Mapping[str, Sequence[Hashable]]
    ) -> BoundKnowledge | None:
        """Return what learned rules must respect, None if there is nothing."""
        known, abstains = self.knowledge_, self.default == "abstain"
        described = self._described(data.target)
        check_possible(known, data, self.conflicts)
        bound = BoundKnowledge.of(known, data, y, orders, abstains=abstains)
        if bound is None:
            return None
        self._check_sizes(bound.rules)
        return bound.with_default(data, described)

    def _check_sizes(self, kept: RuleSet) -> None:
        """Refuse more rules to keep than a rule set may have."""
        sizes = {"max_rules": len(kept), "max_conditions": kept.n_conditions}
        for name, size in sizes.items():
            if (most := getattr(self, name)) is not None and size > most:
                raise DataError(
                    f"{name} must be at least {size}, which the rules to keep have, got {most}"
                )

    def _drawn(
        self, every: Sample, cells: Cells, knowledge: BoundKnowledge | None, state: int
    ) -> Sample:
        """Return the rows to learn from, in cells."""
        sample = every.in_cells(cells)
        if knowledge is not None and len(knowledge.rules):
            sample = replace(sample, fixed=knowledge.fixed_codes(every.instances))
        return sample.sampled(ROW_LIMIT, state).merged()

    def _rounds(
        self, sample: Sample, n_rows: float, knowledge: BoundKnowledge | None, state: int
    ) -> list[Plan]:
        """Return the plans of the search: a second one refines cells, if there are many rows."""
        if knowledge is not None:
            # rules and properties need the cells that were made for them
            plan = plan_of(self, sample, n_rows, knowledge.n_kept, state)
            return [plan.respecting(knowledge.limits(sample.cells), knowledge.default)]
        plan = plan_of(self, sample, n_rows, 0, state)
        refines = sample.pool is not None and not sample.divided
        return plan.in_two_rounds() if refines else [plan]

    @contextmanager
    def _watch(self, rounds: Sequence[Plan], X: Any, y: Any) -> Iterator[Watch]:
        """Show the progress of a search, and tell callbacks about it."""
        n_tasks = sum(plan.folds + plan.islands for plan in rounds)
        context = self._init_callback_context(max_subtasks=n_tasks)
        context.call_on_fit_task_begin(estimator=self, X=X, y=y)
        title, hint = "learning rules", "Ctrl-C keeps the best so far"
        with progress_bar(bool(self.verbose), title, hint) as show:

            def tell(n_done: int) -> bool:
                show(n_done, n_tasks)
                part = context.subcontext(task_name="task")
                part.call_on_fit_task_begin(estimator=self, X=X, y=y)
                return bool(part.call_on_fit_task_end(estimator=self, X=X, y=y))

            yield Watch(self.n_jobs, tell)
        context.call_on_fit_task_end(estimator=self, X=X, y=y)

    def _front(self, run: Run, data: Sample, knowledge: BoundKnowledge | None) -> Front:
        """Return the rule sets to choose from."""
        cells = run.sample.cells
        encoded = InCells(cells, cells.encode(data.instances))
        drafter = Drafter(data, encoded, run.consequents, self.conflicts, knowledge)
        maker = FrontMaker(drafter, self._balance(data), run.division, leads=self._leads)
        front, self._unfilled = maker.front(run.candidates, complete=self.complete)
        if not front:
            raise DataError(
                "complete must be False: rules for one label cannot fill the gaps, because of the"
                ' rules and properties; default="majority" may help'
            )
        if self.scoring in ("accuracy", "balanced_accuracy"):
            return front
        return maker.judged(front, self.scoring)

    def _keep(self, run: Run, data: Sample, y: Any, knowledge: BoundKnowledge | None) -> None:
        """Set the attributes of a fit that do not depend on the rule set in use."""
        known = self.knowledge_
        self._learned(data, y)
        self._ranks = None if knowledge is None else knowledge.ranks
        self._orders = None if knowledge is None else knowledge.orders
        self._kept_text = None if known.rules is None or not knowledge else knowledge.kept_text()
        self.stopped_by_ = run.stopped_by
        # cells hold values of all columns, so they are kept only for the next fit
        # cells of forbidden or ordered columns would not suit a fit without these options
        keeps = self.warm_start and known.forbidden is None and known.ordered is None
        self._cells = run.sample.cells if keeps else None
        n_rows, n_labels = round(run.sample.count.sum()), len(data.target.labels)
        self._shape = n_rows, n_labels, len(data.instances.space)
        self._validation = run.validation

    def _warn_of_results(self, every: Sample) -> None:
        self._warn_of_rare_labels(every)
        self._warn_of_large_support(every.n_rows)
        self._warn_of_trivial_sets(self.max_rules, self.max_conditions, stacklevel=6)

    # --- what users know

    def _untested(self, sets: Sequence[RuleSet]) -> Collection[Any]:
        known = self.knowledge_
        if not (forbidden := forbidden_columns(known.forbidden)):
            return ()
        # what users say may be in a file, which only a fit reads
        tested = names_tested(*sets) if sets else tested_columns(known)
        named = named_columns(replace(known, forbidden=None)) | tested
        return [given for given in forbidden if str(given) not in named]

    def _space(self, table: Any) -> Space:
        return known_space(super()._space(table), self.knowledge_)

    def _proved(self, rules: RuleSet) -> tuple[str, ...]:
        labels = self.classes_.tolist()
        return proved(rules, self.knowledge_, labels, self._ranks, self._orders or {})

    def _described(self, target: Target) -> int | None:
        """Return the code of the label that only rules predict, None if there is none."""
        describe = self.knowledge_.describe
        if describe is None:
            return None
        labels = target.labels.tolist()
        if target.many or self.default == "abstain":
            why = "rows have several labels" if target.many else 'default="abstain"'
            raise DataError(f"describe must be None if {why}, got {describe!r}")
        if plain(describe) not in labels:
            hint = did_you_mean(str(describe), map(str, labels))
            raise DataError(
                f"describe must be one of the {len(labels):,} labels, got {describe!r}{hint}"
            )
        return int(labels.index(plain(describe)))

    def _balance(self, rows: Sample) -> Floats | None:
        """Return the factor of each label by which scores are balanced, None if they are not."""
        target = rows.target
        if self.scoring == "accuracy":
            return None
        if target.many:
            raise DataError(
                f"scoring must be 'accuracy' if rows have several labels, got {self.scoring!r}"
            )
        if self.scoring != "balanced_accuracy":
            self._check_scoring(target)
            return None
        weights = rows.label_weights
        return np.where(weights > 0, class_weights(target, "balanced", weights), 1.0)

    def _check_scoring(self, target: Target) -> None:
        """Reject a ``scoring`` by probabilities that is unknown or cannot be used."""
        scoring = self.scoring
        if isinstance(scoring, str):
            from sklearn.metrics import get_scorer_names

            names = {*ROW_SCORES, *get_scorer_names()}
            if scoring not in names:
                raise DataError(
                    "scoring must be 'accuracy', 'balanced_accuracy', 'log_loss', 'roc_auc' or"
                    f" another scorer of scikit-learn, got {scoring!r}"
                    f"{did_you_mean(scoring, sorted(names))}"
                )
        if self.selection != "validation":
            raise DataError(
                f"selection must be 'validation' if scoring is {scoring!r}, got {self.selection!r}"
            )
        if len(target.labels) > LABEL_LIMIT:
            raise DataError(
                "scoring must be 'accuracy' or 'balanced_accuracy' if there are more than"
                f" {LABEL_LIMIT} labels, got {scoring!r}"
            )

    def _warn_of_rare_labels(self, rows: Sample) -> None:
        if rows.target.many or self.scoring != "accuracy":
            return
        if self.class_weight is not None or self.knowledge_.cost is not None:
            return
        counts = rows.label_rows
        for label, count in zip(rows.target.labels.tolist(), counts.tolist(), strict=True):
            share = count / counts.sum()
            if count < _FEW_ROWS or share >= _RARE / len(counts):
                continue
            if label not in {*self.rules_.thens, self.rules_.default}:
                warnings.warn(
                    f"no rule predicts {display(label)} ({share:.1%} of the rows), because accuracy"
                    " hardly depends on it; use scoring='balanced_accuracy', or predict_proba"
                    f"{self._predicting(label)}",
                    stacklevel=6,
                )

    def _warn_of_large_support(self, n_rows: float) -> None:
        learned = any(len(point.candidate or ()) for point in self.pareto_front_)
        if self.min_support == 1 or learned:
            return
        why = f"no rule that covers {self.min_support:,} rows predicts better than the default"
        if self.min_support > n_rows:
            why = f"a rule can cover at most {counted(round(n_rows), 'row')}"
        warnings.warn(
            f"no rules were learned with min_support={self.min_support:,}, because {why}; use a"
            " smaller min_support",
            stacklevel=6,
        )

    def _warn_of_trivial_sets(
        self, max_rules: int | None, max_conditions: int | None, *, stacklevel: int
    ) -> None:
        """Warn if a complete rule set has no conditions because others are too large."""
        if not self.complete or self.chosen_.n_conditions:
            return
        others = [point for point in self.pareto_front_ if point.n_conditions]
        sizes = {"max_rules": max_rules, "max_conditions": max_conditions}
        given = " and ".join(f"{name}={size}" for name, size in sizes.items() if size is not None)
        if self._unfilled:
            why = "the gaps of other rule sets need more than 100 rules"
            hint = "max_conditions_per_rule=3 or default='abstain' may help"
        elif others and given:
            fits = len(small_enough([self.chosen_, *others], max_rules, max_conditions)) > 1
            why, hint = _why_trivial(self.chosen_, others, fits=fits)
        else:
            return  # the data do not show more
        then = display(self.rules_.thens[0] if len(self.rules_) else self.rules_.default)
        limit = f" with {given}" if given else ""
        warnings.warn(
            f"the complete rule set{limit} predicts {then} for every case, because {why}; {hint}",
            stacklevel=stacklevel,
        )

    def _predicting(self, label: Hashable) -> str:
        """Return how to select the best rule set of the front that predicts a label."""
        able = [point for point in self.pareto_front_ if label in point.rule_set.thens]
        if not able:
            return ""
        best = max(able, key=lambda point: (point.validated_score, point.training_score))
        score = "validated {}, not {}".format(
            *told_apart(best.validated_score, self.chosen_.validated_score, 3)
        )
        if best.validated_score == self.chosen_.validated_score:
            score = f"validated {best.validated_score:.3f}, too"
        if math.isnan(best.validated_score):
            score = f"training score {best.training_score:.3f}"
        index = self.pareto_front_.index(best)
        return f", or select(index={index}), whose rules predict it ({score})"

    def _earlier(self, data: Sample) -> list[Candidate]:
        """Return the rule sets of the previous fit, if this one can start from them."""
        cells, instances, target = self._cells, data.instances, data.target
        if not self.warm_start or cells is None or cells.space != instances.space:
            return []
        known = self.knowledge_
        if known.forbidden is not None or known.ordered is not None:
            return []  # the cells may be those of a fit without them
        if target.labels.tolist() != self.classes_.tolist() or not cells.hold(instances):
            return []
        return [point.candidate for point in self.pareto_front_ if point.candidate is not None]

    # --- choosing

    def _use_best(
        self, max_rules: int | None, max_conditions: int | None, min_coverage: float = 0.0
    ) -> None:
        small = small_enough(self.pareto_front_, max_rules, max_conditions, min_coverage)
        if self.scoring in ("accuracy", "balanced_accuracy"):
            small = without_coverage(small)
        self._use(choose(small, selection=self.selection, shape=self._shape), small)

    def _use(self, point: FrontPoint, among: Sequence[FrontPoint] = ()) -> None:
        """Use a rule set of the front, which validation scores chose among others."""
        sizes = {
            p.member: (p.n_rules, p.n_conditions) for p in among or [point] if p.member is not None
        }
        self._members = sizes if self.selection == "one_se" else list(sizes)
        self.__dict__.pop("estimate_", None)
        self.pareto_front_ = Front(self.pareto_front_, chosen=point)
        self._use_point(point)

    @cached_property
    def estimate_(self) -> Estimate | None:
        """The score to expect on new rows, with a 95 % interval.

        It is that of rows left out, corrected for the choice among the rule sets of the front, and
        computed when it is first used. None if no rows were left out.
        """
        check_is_fitted(self)
        if self._validation is None or not self._members:
            return None
        return self._validation.expected(self._members)

    def select(
        self,
        *,
        max_rules: int | None = None,
        max_conditions: int | None = None,
        min_coverage: float = 0.0,
        index: int | None = None,
    ) -> RuleSetClassifier:
        """Return a classifier that uses another rule set of the front, without a new fit.

        ``max_rules=1`` gives the rule of a fit with ``max_rules=1``. For other sizes, a fit with
        ``max_rules`` spends all moves on small rule sets, so it may find a slightly better one.

        Parameters
        ----------
        max_rules, max_conditions : int, optional
            Maximum size; among the rule sets that are small enough, ``selection`` decides.
        min_coverage : float, default 0
            Minimum share of the training rows that a rule decides, and not the default.
        index : int, optional
            Index of the rule set in ``pareto_front_``, instead of a size.

        Returns
        -------
        RuleSetClassifier
            A copy with the same parameters and the same front.

        Raises
        ------
        ConditionError
            If a size is negative or smaller than all rule sets, if rules of none decide that many
            rows, if ``index`` is out of range, or if it is given with anything else.
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
        if not isinstance(min_coverage, Real) or not 0 <= float(min_coverage) <= 1:
            raise ConditionError(f"min_coverage must be from 0 to 1, got {min_coverage!r}")
        other = copy.copy(self)
        if index is None:
            other._use_best(max_rules, max_conditions, float(min_coverage))
            other._warn_of_trivial_sets(max_rules, max_conditions, stacklevel=3)
            return other
        if min_coverage or any(size is not None for size in sizes.values()):
            raise ConditionError(
                "index must not be combined with max_rules, max_conditions or min_coverage"
            )
        if index >= len(self.pareto_front_):
            last = len(self.pareto_front_) - 1
            raise ConditionError(f"index must be at most {last}, got {index}")
        other._use(self.pareto_front_[index])
        return other

    def recount(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, target: Any = None
    ) -> RuleSetClassifier:
        """Return a classifier with the same rules and the statistics of other rows.

        All rule sets of the front are counted in one pass. Support, confidence, training scores
        and probabilities are then those of the rows; validated scores and ``estimate_`` stay.

        Parameters
        ----------
        X : table
            Anything that :meth:`fit` accepts; columns that no rule and no region tests may be left
            out.
        y : column of labels
            Labels that the model knows.
        sample_weight : array or str, optional
            Weight of each row.
        target : str, optional
            The column of ``X`` that holds the labels, instead of ``y``.

        Returns
        -------
        RuleSetClassifier
            A copy with the same parameters.

        Raises
        ------
        DataError
            If rows have several labels, a label is unknown, or a value does not fit its feature.
        NotFittedError
            If the classifier is not fitted.

        Examples
        --------
        >>> from irenic import RuleSetClassifier
        >>> X, y = {"age": range(40)}, ["free"] * 18 + ["full"] * 22
        >>> clf = RuleSetClassifier(generations=1, moves=50, random_state=0).fit(X, y)
        >>> new = {"age": [3, 9, 17, 30, 50], "pays": ["free", "free", "full", "full", "full"]}
        >>> other = clf.recount(new, target="pays")
        >>> other.chosen_.counts.support.tolist(), other.chosen_.training_score
        ([3.0, 2.0], 0.8)
        """
        from irenic.learn._recount import recounted

        check_is_fitted(self)
        other = copy.copy(self)
        other.pareto_front_ = recounted(self, X, y, sample_weight, target)
        other.chosen_ = other.pareto_front_.chosen or other.pareto_front_[0]
        return other


def _why_trivial(
    chosen: FrontPoint, others: Sequence[FrontPoint], *, fits: bool
) -> tuple[str, str]:
    """Return why a rule set without conditions is chosen instead of others, and what may help.

    ``fits`` says whether any of the others is small enough.
    """
    better = [p for p in others if not p.validated_score <= chosen.validated_score]
    if fits and not better:
        return "no other one is better on rows left out", "use complete=False"
    what, listed = ("better", better) if fits else ("other", others)
    least = min(listed, key=lambda point: (point.n_rules, point.n_conditions))
    size = f"{counted(least.n_rules, 'rule')} and {counted(least.n_conditions, 'condition')}"
    return (
        f"rules that fill gaps count, and the smallest {what} one has {size}",
        "use a greater maximum, or complete=False",
    )
