"""Searches for rule sets: islands that evolve on a sample, and folds that validate what they find.

Tasks are independent of each other, so joblib may run them anywhere with the same result. An island
evolves on all rows; a fold evolves without some rows, and scores each penalty on them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from sklearn.utils.parallel import Parallel, delayed

from irenic.arrays import Bools, Floats, Indices
from irenic.budget import StoppedBy
from irenic.kernels.evolve import CellRows, Limits
from irenic.learn.cells import ROW_LIMIT, Cells
from irenic.learn.evolution import (
    TEST_LIMIT,
    Candidate,
    Settings,
    Watch,
    covering,
    evolve,
    grow_rules,
    predict,
    without_redundant,
)
from irenic.learn.probabilities import Division, with_probabilities
from irenic.learn.sample import Sample
from irenic.learn.tally import Priors
from irenic.learn.target import Consequents, label_sums
from irenic.learn.trees import LabelTree, Ladder, Teacher, leaf_rules, monotone_leaves
from irenic.learn.validation import Holdout, Validation
from irenic.model.space import Instances

if TYPE_CHECKING:
    from irenic.learn._classifier import RuleSetClassifier

# A sample is thin where rules are wrong, under rules with fewer sampled rows than this, and for
# labels with less than this part of an even share.
_THIN: Final = 100
_RARE: Final = 0.1
# Most frequent consequents that are tried as the default.
_DEFAULTS: Final = 3
# Correct predictions that each rule and condition must add while rules are grown, and in the
# candidate to refine.
_GROWN: Final = 0.5
_REFINED: Final = 1.0
# Members of the population without a limit on rules, and the limits of the others: sizes that
# people ask for. Members of one rule have some of the penalties of the first.
_MEMBERS: Final = 6
_SIZES: Final = (3, 7, 15, 31)
_SINGLES: Final = slice(1, 5)
# The fewest correct predictions that a rule or a condition must add.
_LOWEST_PENALTY: Final = 0.05
# Maximum number of rows for a number of validation tasks; with more rows there is one task.
_FOLDS: Final = ((5_000, 5), (15_000, 3))
_MOVES: Final = 4_000
# Share of the moves that rule sets of up to 16 rules try on few rows: as good on 18 sets of 100 to
# 1,200 rows. It was not measured on more rows.
_LEAST: Final = 0.5
# Beyond 64 rules there are at most as many as this number of rows allows; with 15, the accuracy on
# 1,200 rows of 26 labels was eight points lower.
_ROWS_PER_RULE: Final = 5
# With more rows than this, rules are also grown one after another before each generation, until so
# many in a row fail. Fewer rows do not show more rules than random moves find.
_MANY_ROWS: Final = 5_000
_GROWTH: Final = 8


@dataclass(frozen=True)
class Plan(Settings):
    """How to search: how populations evolve, how many of them, and what rule sets are chosen by."""

    init: str = "trees"
    smoothing: float = 0.5
    """The forest's part in the labels."""
    islands: int = 2
    folds: int = 0
    budget: float | None = None
    """Seconds per task."""
    random_state: int = 0
    abstains: bool = False
    """Whether there is a consequent without a prediction, the default."""
    described: int | None = None
    """Code of the label that only rules predict."""
    default: int | None = None
    """Code of the default, if it is known."""
    scoring: Any = "accuracy"
    """What rule sets are chosen by."""
    completes: bool = False
    """Whether rules for one consequent are added where no other rule applies."""
    leads: bool = True
    """Whether the predicted label has the highest probability."""

    def respecting(self, limits: Limits | None, default: int | None) -> Plan:
        """Return a plan for rules with limits, and with a default if it is known."""
        fixed = self.fixed_default or default is not None
        return replace(self, limits=limits, fixed_default=fixed, default=default)

    def in_two_rounds(self) -> list[Plan]:
        """Return a plan for a first island, and one for a search that goes on from its results."""
        budget = self.budget
        if budget is not None:
            budget *= (self.folds + self.islands) / (self.folds + self.islands + 1)
        return [replace(self, budget=budget, folds=0, islands=1), replace(self, budget=budget)]

    def without(self, left: Sample, whole: Sample) -> Plan:
        """Return the plan for what is left of a sample, where penalties and support are less."""
        share = float(left.weight.sum() / whole.weight.sum())
        members = tuple((penalty * share, limit) for penalty, limit in self.members)
        support = self.min_support * float(left.count.sum() / whole.count.sum())
        return replace(self, members=members, min_support=support)

    def defaults(self, gains: Floats) -> list[int]:
        """Return the codes to try as the default; only one if it is settled."""
        totals = gains.sum(axis=0)
        limits = self.limits
        if self.default is not None:
            return [self.default]
        if self.abstains:
            return [len(totals) - 1]
        if self.described is not None:
            totals[self.described] = -np.inf
            return [int(totals.argmax())]
        if limits is not None and (len(limits.walls) or len(limits.signs)):
            return [int(totals.argmax())]
        return [int(code) for code in np.argsort(-totals, kind="stable")[:_DEFAULTS]]


def plan_of(
    clf: RuleSetClassifier, sample: Sample, n_rows: float, n_kept: int, random_state: int
) -> Plan:
    """Return how a classifier searches on a sample.

    ``n_rows`` counts all training rows, also those not sampled, and ``n_kept`` the rules of users.
    """
    sampled = float(sample.count.sum()) / n_rows
    n, n_labels = round(sample.count.sum()), len(sample.target.labels)
    total = float(sample.weight.sum())
    limit = max(64, min(40 * n_labels, n // _ROWS_PER_RULE))
    if sample.target.many:
        limit = 64
    if clf.max_rules is not None:
        limit = min(limit, max(1, clf.max_rules - n_kept))
    penalties = np.geomspace(_LOWEST_PENALTY, max(4.0, total / 200.0), _MEMBERS)
    members = [(float(penalty), 1) for penalty in penalties[_SINGLES]]
    if limit > 1:
        members += [(float(penalty), limit) for penalty in penalties]
    members += [(float(penalties[1]), size) for size in _SIZES if size < limit]
    folds = next((k for rows, k in _FOLDS if n <= rows), 1)
    folds = min(folds, sample.n_groups // 4) if clf.selection != "description" else 0
    moves = clf.moves or _MOVES
    islands = 2
    budget = None
    if clf.budget is not None:
        from joblib import effective_n_jobs

        at_once = min(effective_n_jobs(clf.n_jobs), folds + islands)
        budget = clf.budget * at_once / (folds + islands)
    evolution = clf.evolution_
    return Plan(
        members=tuple(members),
        generations=clf.generations,
        moves=moves,
        least=_LEAST if clf.moves is None and n <= _MANY_ROWS else 1.0,
        conflicts=evolution.conflicts,
        fixed_default=clf.default == "abstain" or clf.knowledge_.describe is not None,
        sow=evolution.init == "seeds",
        max_tests=_max_tests(clf, n_kept),
        min_support=clf.min_support * sampled,
        growth=_GROWTH if n > _MANY_ROWS else 0,
        init=evolution.init,
        smoothing=evolution.smoothing,
        islands=islands,
        folds=folds,
        budget=budget,
        random_state=random_state,
        abstains=clf.default == "abstain",
        described=clf._described(sample.target),
        scoring=clf.scoring,
        completes=clf.complete,
        leads=clf._leads,
    )


def _max_tests(clf: RuleSetClassifier, n_kept: int) -> int:
    """Return how many conditions a learned rule may have.

    Around a rule with some conditions, at least as many rules are needed to fill the gaps.
    """
    limits = [clf.max_conditions_per_rule or TEST_LIMIT]
    if clf.complete and clf.max_rules is not None:
        limits.append(clf.max_rules - n_kept - 1)
    if clf.complete and clf.max_conditions is not None:
        limits.append(clf.max_conditions // 2)
    return max(1, min(limits))


# --- what tasks start from


@dataclass(frozen=True, eq=False)
class Origin:
    """What evolution starts from."""

    consequents: Consequents
    rows: CellRows
    starts: list[Candidate]
    """Rule sets to start from; the first one has no rules."""
    teacher: Teacher
    opinion: Floats
    """What the forest thinks of each row, also of those that fixed rules decide."""

    @property
    def sample(self) -> Sample:
        """The rows that rules are for: those that no fixed rule decides."""
        return self.teacher.sample

    def starting_from(self, earlier: Sequence[Candidate], plan: Plan) -> Origin:
        """Return this with the rule sets of earlier runs, too."""
        starts = [candidate.among(self.consequents) for candidate in earlier]
        if plan.fixed_default:
            starts = [replace(start, default=self.starts[0].default) for start in starts]
        return replace(self, starts=[*self.starts, *starts])

    def sharpened(self, candidates: list[Candidate], plan: Plan) -> Origin | None:
        """Return this with labels that are smoothed less, None if there is no reason to."""
        teacher = self.teacher.sharper(candidates, plan.conflicts)
        if teacher is None:
            return None
        rows = teacher.rows(teacher.gains(self.consequents))
        _allow(rows, plan.limits, self.starts[0].default)
        return replace(self, rows=rows, teacher=teacher)


def prepare(sample: Sample, plan: Plan, random_state: int) -> Origin:
    """Return what evolution starts from: smoothed labels, consequents, and leaves of trees."""
    whole, sample = sample, free if len(free := sample.free()) else sample
    target = sample.target
    ladder = Ladder.from_labels(sample.cells, sample.encoded, target.truth, sample.weight)
    teacher = Teacher.of(sample, ladder.table(sample.encoded), plan.smoothing, random_state)
    tree = None
    if plan.init == "trees" or target.many:
        tree = LabelTree(ladder, teacher, plan.max_rules, random_state)
    regions = [] if tree is None else [mean for leaves in tree.stages for mean in leaves.means]
    consequents = Consequents.from_target(target, sample.weight, regions, abstains=plan.abstains)
    gains = teacher.gains(consequents)
    defaults = plan.defaults(gains)
    if target.many:
        defaults = defaults[:1]
    rows = teacher.rows(gains)
    _allow(rows, plan.limits, defaults[0])
    starts = [Candidate.empty(len(sample.encoded), defaults[0])]
    if tree is not None and plan.init == "trees":
        starts += leaf_rules(tree, consequents, rows, defaults, plan.limits)
        if plan.limits is not None and len(plan.limits.signs) and len(target.labels) > 2:
            starts += monotone_leaves(ladder, teacher, tree.sizes, plan.limits, defaults[0])
        if plan.growth:
            starts += _grown_rules(rows, starts, plan, random_state)
    return Origin(consequents, rows, starts, teacher, teacher.opinion(whole))


def _grown_rules(
    rows: CellRows, starts: list[Candidate], plan: Plan, random_state: int
) -> list[Candidate]:
    """Return rules grown one after another, for each default that is tried."""
    grown = []
    for default in dict.fromkeys(start.default for start in starts):
        # a rule without conditions for the most frequent label would be a gain at once
        weighted = rows if default == starts[0].default else _balanced(rows)
        start = replace(starts[0], default=default)
        grown.append(grow_rules(weighted, start, plan, _GROWN, random_state))
    return grown


def _balanced(rows: CellRows) -> CellRows:
    """Return rows whose gains add up to the same for each consequent that is best for some."""
    sums = np.bincount(rows.best, weights=rows.gains.max(axis=1))
    factors = sums.sum() / (np.count_nonzero(sums) * np.maximum(sums, 1e-300))
    return replace(rows, gains=rows.gains * factors[rows.best][:, None].astype(np.float32))


def _allow(rows: CellRows, limits: Limits | None, default: int) -> None:
    """Make the best consequent of each row one that rules may have there, unless by default."""
    if limits is None or not len(limits.walls):
        return
    banned = covering(limits.walls, rows.cells).T.astype(float) @ limits.banned > 0
    allowed = np.where(banned, -np.inf, rows.gains).argmax(axis=1)
    rows.best[:] = np.where(rows.best == default, default, allowed)


# --- tasks


class Done(NamedTuple):
    """What a task found: one candidate per member, and the one without rules at the end."""

    name: tuple[str, int]
    candidates: list[Candidate]
    validation: Validation | None = None
    """Scores of the candidates on the rows left out."""
    late: bool = False
    """Whether the budget ended it."""


def island(origin: Origin, plan: Plan, number: int, watch: Watch) -> Done:
    """Evolve on all rows."""
    seed = plan.random_state + 7919 * (number + 1)
    return _evolved(origin, plan, seed, watch, ("island", number))


def fold(sample: Sample, plan: Plan, number: int, out: Indices, watch: Watch) -> Done:
    """Evolve without the rows ``out``, and score the rule set of each penalty on them."""
    if watch.stopped.is_set():
        return Done(("fold", number), [])
    inner = sample.take(np.setdiff1d(np.arange(len(sample)), out))
    plan, seed = plan.without(inner, sample), plan.random_state + 101 * (number + 1)
    origin = prepare(inner, plan, seed)
    done = _evolved(origin, plan, seed, watch, ("fold", number))
    candidates = done.candidates
    if plan.completes and plan.abstains:
        filled = best_consequent(origin.consequents, inner.target.truth, inner.weight)
        candidates = [replace(candidate, default=filled) for candidate in candidates]
    validation = _validation(candidates, origin, inner, sample.left_out(out), plan)
    return done._replace(candidates=candidates, validation=validation)


def _evolved(origin: Origin, plan: Plan, seed: int, watch: Watch, name: tuple[str, int]) -> Done:
    """Evolve a population, again with less smoothing if labels are no noise, and tidy it up."""
    watch, sample = watch.timed(plan.budget), origin.sample
    candidates = evolve(origin.rows, origin.starts, plan, seed, watch, name)
    # with few rows, training errors say too little about labels
    sharper = origin.sharpened(candidates, plan) if plan.growth else None
    if sharper is not None:
        starts = [origin.starts[0], *candidates]
        candidates = evolve(sharper.rows, starts, plan, seed, watch, name)
    if plan.min_support > 1.0:
        candidates = [_supported(candidate, sample, plan) for candidate in candidates]
    if plan.conflicts == "avoid" and not sample.target.probabilities:
        # other rules may have to follow a rule that no row needs
        ordered = plan.limits is not None and len(plan.limits.signs) > 0
        candidates = [
            without_redundant(one, sample.encoded, everywhere=ordered) for one in candidates
        ]
    return Done(name, [*candidates, origin.starts[0]], late=watch.late)


def _supported(candidate: Candidate, sample: Sample, plan: Plan) -> Candidate:
    """Return a candidate without the rules that cover too few rows."""
    support = covering(candidate.masks, sample.encoded) @ sample.count
    return candidate.take(support >= plan.min_support)


def best_consequent(consequents: Consequents, truth: Floats, weight: Floats) -> int:
    """Return the code of the consequent with the highest gain over all rows."""
    return int((weight @ consequents.gains(truth))[: len(consequents)].argmax())


# --- rows left out


def _validation(
    candidates: list[Candidate], origin: Origin, inner: Sample, left: Sample, plan: Plan
) -> Validation:
    """Return how candidates that were found on some rows do on others."""
    codes, consequents = left.target.truth.argmax(axis=1), origin.consequents
    scores = [_scores(one, consequents, inner, left, plan.conflicts) for one in candidates]
    tallies, trials = [], []
    if not left.target.many:
        inner_free, left_free = inner.free(), left.free()
        tallies = [_holdouts(one, inner_free, left_free) for one in candidates]
    division = Division.grown(inner, origin.opinion, candidates)
    if division is not None:
        n_codes = len(consequents.values())
        trials = [(trial,) for trial in division.trials(candidates, plan.conflicts, n_codes, left)]
    return Validation(
        np.stack(scores, axis=1), left.weight, left.count, codes, tuple(tallies), tuple(trials)
    )


def _scores(
    candidate: Candidate, consequents: Consequents, inner: Sample, left: Sample, conflicts: str
) -> Floats:
    """Return the score of a candidate on each row left out."""
    if left.target.probabilities:
        candidate, consequents, _ = with_probabilities(
            candidate, consequents, inner.encoded, inner.target, inner.weight, conflicts
        )
    codes = left.decided(predict(candidate, left.encoded, conflicts))
    gains = consequents.gains(left.target.truth)
    return consequents.as_share(gains[np.arange(len(left)), codes])


def _holdouts(candidate: Candidate, inner: Sample, left: Sample) -> tuple[Holdout, Holdout]:
    """Return the labels under the rules of a candidate, and under its default."""
    seen, left_out = (_labels_under(candidate, sample) for sample in (inner, left))
    return Holdout(seen[:-1], left_out[:-1]), Holdout(seen[-1:], left_out[-1:])


def _labels_under(candidate: Candidate, sample: Sample) -> Floats:
    """Return the weight of the labels that each rule covers, and of those that none does."""
    covers = covering(candidate.masks, sample.encoded)
    covers = np.vstack([covers, ~covers.any(axis=0)])
    return np.asarray((covers * sample.unbalanced) @ sample.target.truth)


# --- runs


@dataclass(frozen=True, eq=False)
class Run:
    """A search: what its tasks found on a sample, and how it ended."""

    sample: Sample
    plan: Plan
    origin: Origin
    done: list[Done]
    interrupted: bool

    @classmethod
    def of(
        cls,
        sample: Sample,
        plan: Plan,
        watch: Watch,
        *,
        earlier: Sequence[Candidate] = (),
        validated: Sample | None = None,
    ) -> Run:
        """Run all tasks of a plan.

        ``earlier`` are rule sets over the same cells to start from, in addition to trees.
        Validation uses the rows of ``validated``, if they are not those of the sample.
        """
        watch.best.clear()
        if sample.pool is not None:  # another sample is drawn from all rows
            sample = replace(sample, pool=None)
        origin = prepare(sample, plan, plan.random_state).starting_from(earlier, plan)
        tasks = [delayed(island)(origin, plan, i, watch) for i in range(plan.islands)]
        whole = validated or sample
        folds = enumerate(whole.folds(plan.folds, plan.random_state))
        tasks += [delayed(fold)(whole, plan, i, out, watch) for i, out in folds]
        done = _results(tasks, watch)
        # sorted, because sums of floats must not depend on the order of arrival
        done.sort(key=lambda task: task.name)
        return cls(sample, plan, origin, done, watch.stopped.is_set())

    @property
    def consequents(self) -> Consequents:
        """What rules may predict."""
        return self.origin.consequents

    @property
    def stopped_by(self) -> StoppedBy | None:
        """What ended the run early."""
        if self.interrupted:
            return "interrupt"
        return "seconds" if any(task.late for task in self.done) else None

    @cached_property
    def validation(self) -> Validation | None:
        """The scores of members on all rows left out."""
        folds = [task.validation for task in self.done if task.validation is not None]
        if not folds:
            return None
        scoring, labels = self.plan.scoring, self.sample.target.labels
        whole = Validation.from_folds(folds)
        return whole.judged(scoring, labels, self._overall, lead=self.plan.leads)

    @cached_property
    def candidates(self) -> list[Candidate]:
        """The rule sets of all islands, with what is known of their members."""
        members = self.plan.members
        # the last candidate has no rules, for users who ask for fewer than any other has
        penalties = [*(penalty for penalty, _ in members), float(len(self.sample))]
        scores = np.full(len(penalties), np.nan)
        priors: Sequence[Priors | None] = []
        if self.validation is not None:
            scores, priors = self.validation.means(), self.validation.priors(self._overall)
        limits = [limit for _, limit in members]
        # a single rule comes from a member of one rule, whose folds have one too
        several = {member for member, limit in enumerate(limits) if limit > 1 and 1 in limits}
        values = self.consequents.values()
        return [
            replace(
                candidate,
                values=values,
                member=member,
                penalty=penalties[member],
                validated=float(scores[member]),
                priors=priors[member] if priors else None,
            )
            for task in self.done
            if task.name[0] == "island"
            for member, candidate in enumerate(task.candidates)
            if len(candidate) > 1 or member not in several
        ]

    @cached_property
    def division(self) -> Division | None:
        """Regions of probability."""
        return Division.grown(self.sample, self.origin.opinion, self.candidates)

    @property
    def _overall(self) -> Floats:
        """How frequent labels are."""
        sample = self.sample
        return np.asarray(np.average(sample.target.truth, axis=0, weights=sample.unbalanced))

    def again(self, every: Sample, instances: Instances, plan: Plan, watch: Watch) -> Run:
        """Return a search that goes on from this one, over smaller cells and with other rows.

        ``every`` are all rows, and ``instances`` those that smaller cells are made for.
        """
        cells, earlier, best = self.refined(instances)
        first = every.in_cells(cells).sampled(ROW_LIMIT, plan.random_state)
        sample = sampled_again(first, best, plan.conflicts, plan.random_state)
        first = replace(first.merged(), pool=None)  # which may be large
        return Run.of(sample, plan, watch, earlier=earlier, validated=first)

    def refined(self, instances: Instances) -> tuple[Cells, list[Candidate], Candidate]:
        """Return smaller cells around the bounds of the best candidate, and candidates over them.

        The last is the best one, whose errors show where more rows are needed.
        """
        cells = self.sample.cells
        best = max(self.candidates, key=lambda candidate: candidate.value(_REFINED))
        finer = cells.finer(best.masks, instances)
        over = [
            replace(candidate, masks=finer.translated(candidate.masks, cells))
            for candidate in self.candidates
        ]
        return finer, over, over[self.candidates.index(best)]


def _results(tasks: list[Any], watch: Watch) -> list[Done]:
    """Return the results of tasks, run in parallel, as far as nobody interrupts them."""
    done: list[Done] = []
    # threads are enough, because kernels release the GIL; a backend set by the user takes priority
    work = Parallel(n_jobs=watch.n_jobs, prefer="threads", return_as="generator_unordered")(tasks)
    try:
        for result in work:
            done.append(result)
            watch.count()
    except KeyboardInterrupt:
        watch.stopped.set()
        # the other tasks now end soon with the best so far
        done.extend(work)
        finished = {task.name for task in done}
        done += [
            Done(name, candidates)
            for name, candidates in watch.best.items()
            if name not in finished and name[0] == "island"
        ]
        if not any(task.candidates for task in done if task.name[0] == "island"):
            raise
    return done


def sampled_again(first: Sample, candidate: Candidate, conflicts: str, seed: int) -> Sample:
    """Return another sample with more rows where this one is too thin for a candidate."""
    whole = first.with_pool()
    favored = _thin(whole, candidate, conflicts, len(first) / len(whole))
    return whole.drawn_like(first, favored, seed)


def _thin(whole: Sample, candidate: Candidate, conflicts: str, share: float) -> Bools:
    """Return the rows of which a sample of some share has too few to learn from."""
    codes = whole.target.codes
    sizes = np.bincount(codes, minlength=len(whole.target.labels))
    rare = label_sums(codes, whole.unbalanced, len(sizes))
    rare = rare < _RARE * rare.sum() / len(sizes)
    thin = (predict(candidate, whole.encoded, conflicts) != codes) | rare[codes]
    covers = covering(candidate.masks, whole.encoded)
    few = share * covers.sum(axis=1) < _THIN
    return np.asarray(thin | covers[few].any(axis=0))


@contextmanager
def progress_bar(shown: bool, title: str, hint: str) -> Iterator[Callable[[int, int], None]]:
    """Show on standard error how many tasks are done; the function takes ``done`` and ``of``."""
    if not shown:
        yield lambda done, of: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn(title),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn(hint),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)
        lock = threading.Lock()

        def show(done: int, of: int) -> None:
            with lock:
                bar.update(task, completed=done, total=of)

        yield show
