"""From a sample to a front of rule sets: validation runs and islands, each of them one task.

Tasks are independent of each other, so joblib may run them anywhere with the same result. A
validation task leaves rows out and scores each penalty on them; an island evolves on all rows.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from irenic.arrays import Bools, Floats, Indices, Words, as_scalars
from irenic.kernels.evolve import CellRows, Limits
from irenic.learn._evolution import (
    Candidate,
    Settings,
    Watch,
    covering,
    evolve,
    grow_rules,
    predict,
    without_redundant,
)
from irenic.learn._left_out import Holdout, Trial, Validation
from irenic.learn._probabilities import Division, settle
from irenic.learn._trees import Forest, Ladder, node_means
from irenic.learn.sample import Sample
from irenic.learn.target import Consequents, Target, label_sums

# Error rate of a forest from which labels count as pure noise.
_NOISY: Final = 0.1
# A sample is thin where rules are wrong, under rules with fewer sampled rows than this, and for
# labels with less than this part of an even share.
_THIN: Final = 100
_RARE: Final = 0.1
# Labels are smoothed less if the forest's part falls below this share of what it was.
_SHARPER: Final = 0.5
# Most frequent consequents that are tried as the default.
_DEFAULTS: Final = 3
# Correct predictions that each rule and condition must add while rules are grown.
_GROWN: Final = 0.5


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


@dataclass(frozen=True, eq=False)
class Prepared:
    """The input of evolution."""

    consequents: Consequents
    rows: CellRows
    starts: list[Candidate]
    sample: Sample
    opinion: Floats
    """What the forest thinks of each row, also of those that fixed rules decide and that are not in
    the sample; the label where there is no opinion."""
    forest: Forest | None = None
    share: float = 0.0
    """The forest's part in the gains of rows."""
    errors: float = 1.0
    """Share of rows for which the forest is wrong."""

    def sharpened(self, candidates: list[Candidate], settings: Settings) -> Prepared | None:
        """Return the input with labels that are smoothed less, None if there is no reason to.

        Where rules are right and the forest is wrong, labels are not noise, and rules that make
        half of its errors have nothing to learn from it. Each rule and each condition counts as an
        error, because rules were chosen for their training rows.
        """
        sample, truth = self.sample, self.sample.target.truth
        if self.forest is None or not self.share or not _single(sample.target):
            return None
        errors = min(
            _errors(truth, predict(one, sample.encoded, settings.conflicts), sample.weight)
            + (len(one) + one.cost) / sample.count.sum()
            for one in candidates
        )
        share = self.share * min(1.0, max(0.0, 2.0 * errors / self.errors - 1.0))
        if share > _SHARPER * self.share:
            return None
        gains = _gains(self.consequents, sample, self.forest, share)
        rows = _distinct_rows(sample, gains, _shares(self.forest, len(sample.encoded)))
        if settings.limits is not None:
            _allow(rows, settings.limits, self.starts[0].default)
        return replace(self, rows=rows, share=share)


def prepare(
    sample: Sample,
    max_rules: int,
    init: str,
    soft: float,
    random_state: int,
    *,
    abstains: bool = False,
    described: int | None = None,
    default: int | None = None,
    limits: Limits | None = None,
) -> Prepared:
    """Return the input of evolution: consequents, smoothed gains, and leaves of trees.

    ``described`` is the code of a label that only rules predict, never the default; ``default`` is
    the code of the default, if it is known. Rows that fixed rules decide are left out, and rules
    are tried for the best consequent that ``limits`` allow.
    """
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    whole = sample
    sample = free if len(free := sample.free()) else sample
    target = sample.target
    ladder = Ladder.from_labels(sample.cells, sample.encoded, target.truth, sample.weight)
    table = ladder.table(sample.encoded)
    forest, share, errors = None, 0.0, 1.0
    if soft > 0 and len(sample) > 1:
        forest, share = Forest(table, target, sample.weight, sample.groups, random_state), soft
        if _single(target):
            errors = _errors(target.truth, forest.unseen.argmax(axis=1), sample.weight)
            share *= noise(errors)
    mixed = _mixed(target, forest, share)
    sizes = [size for size in (4, 8, 16, 32, 64, 128, 256, 512, 1024) if size <= max_rules]
    sizes = sizes or [max(2, max_rules)]
    grown: list[tuple[Any, Floats]] = []
    if init == "trees" or target.many:
        wide = np.ascontiguousarray(table.T, dtype=np.float32)
        if target.many:
            tree: Any = DecisionTreeRegressor(max_leaf_nodes=sizes[-1], random_state=random_state)
            tree.fit(wide, mixed * np.sqrt(target.label_weights), sample.weight)
        else:
            tree = DecisionTreeClassifier(max_leaf_nodes=sizes[-1], random_state=random_state)
            tree.fit(wide, target.truth.argmax(axis=1), sample.weight)
        means = node_means(tree, wide, mixed, sample.weight)
        for size in sizes:
            masks, nodes = ladder.leaves(tree, size)
            grown.append((masks, means[nodes]))
            if len(nodes) < size:
                break
    regions = [mean for _, means in grown for mean in means]
    consequents = Consequents.from_target(target, sample.weight, regions, abstains=abstains)
    gains = _gains(consequents, sample, forest, share)
    rows = _distinct_rows(sample, gains, _shares(forest, len(table)))
    totals = gains.sum(axis=0)
    if described is not None:
        totals[described] = -np.inf
    settled = abstains or target.many or default is not None or described is not None
    settled |= limits is not None and (len(limits.walls) > 0 or len(limits.signs) > 0)
    if default is None:
        default = len(gains[0]) - 1 if abstains else int(totals.argmax())
    defaults = [default]
    if not settled:
        defaults = np.argsort(-totals, kind="stable")[:_DEFAULTS].tolist()
    if limits is not None:
        _allow(rows, limits, default)
    starts = [Candidate(_no_masks(sample), np.zeros(0, dtype=np.int16), default)]
    if init == "trees":
        masks, nodes = ladder.leaves(tree, 2)  # for members of one rule
        then = consequents.gains(means[nodes]).argmax(axis=1).astype(np.int16)
        starts += [
            Candidate(masks[[r]], then[[r]], other) for other in defaults for r in range(len(then))
        ]
        for masks, means in grown:
            then = consequents.gains(means).argmax(axis=1).astype(np.int16)
            if limits is not None and len(limits.signs):
                # rules that lose a bound may overlap others: those that say more come first
                order = np.argsort(then == default, kind="stable")
                masks, then = masks[order], then[order]
            if settled:
                starts.append(Candidate(masks, then, default))
            else:
                starts += _by_default(masks, then, [*defaults, _longest(masks, then, rows)])
        if limits is not None and len(limits.signs) and len(target.labels) > 2:
            starts += _monotone_starts(ladder, wide, mixed, sample.weight, sizes, limits, default)
    opinion = whole.target.truth
    if forest is not None:
        opinion = opinion.copy()
        fixed = None if sample is whole else whole.fixed
        opinion[... if fixed is None else fixed < 0] = forest.unseen
    return Prepared(consequents, rows, starts, sample, opinion, forest, share, errors)


def _by_default(
    masks: Words, then: npt.NDArray[np.int16], defaults: Iterable[int]
) -> list[Candidate]:
    """Return leaves as rules, once per default, without the leaves that predict the default.

    The shortest is the best one, and its default need not be the most frequent consequent. Single
    rules are left out: members of one rule start from the same ones in every fit.
    """
    kept = {default: then != default for default in defaults}
    return [
        Candidate(masks[leaves], then[leaves], default)
        for default, leaves in kept.items()
        if leaves.sum() > 1
    ]


def _longest(masks: Words, then: npt.NDArray[np.int16], rows: CellRows) -> int:
    """Return the consequent whose rules have the most tests, which a default would save."""
    return int(np.bincount(then, weights=(masks != rows.everything).sum(axis=1)).argmax())


def _monotone_starts(
    ladder: Ladder,
    wide: Any,
    mixed: Floats,
    weight: Floats,
    sizes: list[int],
    limits: Limits,
    default: int,
) -> list[Candidate]:
    """Return the leaves of a tree whose predictions increase and decrease as they should.

    It predicts the places of labels in their order; leaves of the default are not rules.
    """
    from sklearn.tree import DecisionTreeRegressor

    order = np.argsort(limits.ranks[: mixed.shape[1]])
    places = np.argsort(order).astype(float)
    tree = DecisionTreeRegressor(
        max_leaf_nodes=sizes[-1], monotonic_cst=limits.signs, random_state=0
    )
    tree.fit(wide, mixed @ places, weight)
    candidates = []
    for size in sizes:
        masks, nodes = ladder.leaves(tree, size)
        place = np.rint(tree.tree_.value[nodes].ravel()).astype(np.intp)
        then = order[np.clip(place, 0, len(order) - 1)].astype(np.int16)
        candidates.append(Candidate(masks[then != default], then[then != default], default))
        if len(nodes) < size:
            break
    return candidates


def _mixed(target: Target, forest: Forest | None, share: float) -> Floats:
    """Return the labels of rows, smoothed by a share of the forest's predictions."""
    if forest is None:
        return target.truth
    return np.asarray((1.0 - share) * target.truth + share * forest.unseen)


def _gains(consequents: Consequents, sample: Sample, forest: Forest | None, share: float) -> Floats:
    """Return the weighted gain of each consequent per row."""
    gains = consequents.gains(_mixed(sample.target, forest, share))
    return np.asarray(gains * sample.weight[:, None])


def _distinct_rows(sample: Sample, gains: Floats, shares: Floats) -> CellRows:
    """Return the rows for evolution; rows with the same cells are merged and their gains added."""
    _, first, group = np.unique(
        as_scalars(sample.encoded.T), return_index=True, return_inverse=True
    )
    sums = np.zeros((len(first), gains.shape[1]))
    np.add.at(sums, group.ravel(), gains)
    cells = np.ascontiguousarray(sample.encoded[:, first])
    return sample.cells.rows(cells, sums.astype(np.float32), shares)


def _balanced(rows: CellRows) -> CellRows:
    """Return rows whose gains add up to the same for each consequent that is best for some."""
    sums = np.bincount(rows.best, weights=rows.gains.max(axis=1))
    factors = sums.sum() / (np.count_nonzero(sums) * np.maximum(sums, 1e-300))
    return replace(rows, gains=rows.gains * factors[rows.best][:, None].astype(np.float32))


def _allow(rows: CellRows, limits: Limits, default: int) -> None:
    """Make the best consequent of each row one that rules may have there, unless by default."""
    if not len(limits.walls):
        return
    banned = covering(limits.walls, rows.cells).T.astype(float) @ limits.banned > 0
    allowed = np.where(banned, -np.inf, rows.gains).argmax(axis=1)
    rows.best[:] = np.where(rows.best == default, default, allowed)


def _shares(forest: Forest | None, n_features: int) -> Floats:
    """Return how often each feature is tried: half evenly, half by importance in the forest."""
    even = np.full(n_features, 1.0 / n_features)
    if forest is None or not forest.importance.sum() > 0:
        return even
    return np.asarray((even + forest.importance / forest.importance.sum()) / 2.0)


def noise(errors: float) -> float:
    """Return the noise of labels, from 0 to 1, by the share of errors that a forest makes.

    Where the forest is hardly ever wrong, its errors are exceptions to be learned.
    """
    return min(1.0, errors / _NOISY)


def _single(target: Target) -> bool:
    """Return whether every row has exactly one label."""
    return bool((target.truth.sum(axis=1) == 1.0).all())


def _errors(truth: Floats, codes: Any, weight: Floats) -> float:
    """Return the share of rows whose label is not the predicted one."""
    return float(np.average(truth.argmax(axis=1) != codes, weights=weight))


def _no_masks(sample: Sample) -> npt.NDArray[np.uint64]:
    """Return the words of no rules."""
    return np.zeros((0, len(sample.encoded)), dtype=np.uint64)


@dataclass(frozen=True)
class Plan:
    """How a front is searched."""

    settings: Settings
    init: str
    soft: float
    islands: int
    folds: int
    random_state: int
    abstains: bool = False
    described: int | None = None
    """Code of the label that only rules predict."""
    default: int | None = None
    """Code of the default, if it is known."""
    scoring: Any = "accuracy"
    """What rule sets are chosen by."""
    completes: bool = False
    """Whether rules for one consequent are added where no other rule applies."""

    def respecting(self, limits: Limits | None, default: int | None) -> Plan:
        """Return a plan for rules with limits, and with a default if it is known."""
        fixed = self.settings.fixed_default or default is not None
        settings = replace(self.settings, limits=limits, fixed_default=fixed)
        return replace(self, settings=settings, default=default)

    def in_two_rounds(self) -> list[Plan]:
        """Return a plan for a first island, and one for a search that goes on from its results."""
        settings = self.settings
        if settings.budget is not None:
            share = (self.folds + self.islands) / (self.folds + self.islands + 1)
            settings = replace(settings, budget=settings.budget * share)
        both = replace(self, settings=settings)
        return [replace(both, folds=0, islands=1), both]

    def prepare(self, sample: Sample, random_state: int) -> Prepared:
        """Return the input of evolution."""
        prepared = prepare(
            sample,
            self.settings.max_rules,
            self.init,
            self.soft,
            random_state,
            abstains=self.abstains,
            described=self.described,
            default=self.default,
            limits=self.settings.limits,
        )
        if self.init != "trees" or not self.settings.growth:
            return prepared
        first, starts = prepared.starts[0], []
        for default in dict.fromkeys(start.default for start in prepared.starts):
            # a rule without conditions for the most frequent label would be a gain at once
            rows = prepared.rows if default == first.default else _balanced(prepared.rows)
            start = replace(first, default=default)
            starts.append(grow_rules(rows, start, self.settings, _GROWN, random_state))
        return replace(prepared, starts=[*prepared.starts, *starts])


@dataclass(frozen=True, eq=False)
class Outcome:
    """The result of one task: one candidate per member, and the one without rules at the end."""

    name: tuple[str, int]
    candidates: list[Candidate]
    validation: Validation | None = None
    """Scores of the candidates on the rows left out."""
    late: bool = False
    """Whether the budget ended it."""


def validate(
    sample: Sample, plan: Plan, fold: int, out: Indices, watch: Watch | None = None
) -> Outcome:
    """Evolve without the rows ``out``, and score the rule set of each penalty on them."""
    name = ("fold", fold)
    if watch is not None and watch.stopped.is_set():
        return Outcome(name, [])
    inner = sample.take(np.setdiff1d(np.arange(len(sample)), out))
    share = float(inner.weight.sum() / sample.weight.sum())
    members = tuple((penalty * share, limit) for penalty, limit in plan.settings.members)
    support = plan.settings.min_support * float(inner.count.sum() / sample.count.sum())
    settings = replace(plan.settings, members=members, min_support=support)
    seed = plan.random_state + 101 * (fold + 1)
    prepared = plan.prepare(inner, seed)
    outcome = _evolve(prepared, settings, seed, watch, name)
    if plan.completes and plan.abstains:
        filled = best_consequent(prepared.consequents, inner.target.truth, inner.weight)
        candidates = [replace(one, default=filled) for one in outcome.candidates]
        outcome = replace(outcome, candidates=candidates)
    left = sample.left_out(out)
    scores = np.stack(list(_left_out_scores(outcome, prepared, inner, left, settings)), axis=1)
    codes = left.target.truth.argmax(axis=1)
    tallies = () if left.target.many else tuple(_tallies(outcome, inner.free(), left.free()))
    trials = tuple(_trials(outcome, prepared, inner, left, settings))
    validation = Validation(scores, left.weight, left.count, codes, tallies, trials)
    return replace(outcome, validation=validation)


def best_consequent(consequents: Consequents, truth: Floats, weight: Floats) -> int:
    """Return the code of the consequent with the highest gain over all rows."""
    return int((weight @ consequents.gains(truth))[: len(consequents)].argmax())


def _left_out_scores(
    outcome: Outcome, prepared: Prepared, inner: Sample, left: Sample, settings: Settings
) -> Iterator[Floats]:
    """Yield the score of each candidate on each row left out."""
    consequents = prepared.consequents
    gains = consequents.gains(left.target.truth)
    row = np.arange(len(left))
    for candidate in outcome.candidates:
        if left.target.probabilities:
            candidate, consequents, _ = settle(
                candidate,
                prepared.consequents,
                inner.encoded,
                inner.target,
                inner.weight,
                settings.conflicts,
            )
            gains = consequents.gains(left.target.truth)
        codes = left.decided(predict(candidate, left.encoded, settings.conflicts))
        yield consequents.as_share(gains[row, codes])


def _tallies(outcome: Outcome, inner: Sample, left: Sample) -> Iterator[tuple[Holdout, Holdout]]:
    """Yield the labels under the rules and the default of each candidate."""
    for candidate in outcome.candidates:
        seen, left_out = (_labels_under(candidate, sample) for sample in (inner, left))
        yield Holdout(seen[:-1], left_out[:-1]), Holdout(seen[-1:], left_out[-1:])


def _labels_under(candidate: Candidate, sample: Sample) -> Floats:
    """Return the weight of the labels that each rule covers, and of those that none does."""
    covers = covering(candidate.masks, sample.encoded)
    covers = np.vstack([covers, ~covers.any(axis=0)])
    return np.asarray((covers * sample.unbalanced) @ sample.target.truth)


def _trials(
    outcome: Outcome, prepared: Prepared, inner: Sample, left: Sample, settings: Settings
) -> Iterator[tuple[Trial]]:
    """Yield what is needed to predict probabilities of rows left out with each candidate."""
    division = Division.grown(inner, prepared.opinion, outcome.candidates)
    if division is None:
        return
    n_codes = len(prepared.consequents.values())
    for trial in division.trials(outcome.candidates, settings.conflicts, n_codes, left):
        yield (trial,)


def island(prepared: Prepared, plan: Plan, number: int, watch: Watch | None = None) -> Outcome:
    """Evolve on all rows."""
    seed = plan.random_state + 7919 * (number + 1)
    return _evolve(prepared, plan.settings, seed, watch, ("island", number))


def _evolve(
    prepared: Prepared, settings: Settings, seed: int, watch: Watch | None, name: tuple[str, int]
) -> Outcome:
    started = time.monotonic()
    candidates = evolve(prepared.rows, prepared.starts, settings, seed, watch, name)
    # with few rows, training errors say too little about labels
    sharper = prepared.sharpened(candidates, settings) if settings.growth else None
    if sharper is not None:
        budget = settings.budget
        if budget is not None:
            budget = max(0.0, budget - (time.monotonic() - started))
        again = replace(settings, budget=budget)
        starts = [prepared.starts[0], *candidates]
        candidates = evolve(sharper.rows, starts, again, seed, watch, name)
    if settings.min_support > 1.0:
        candidates = [_supported(one, prepared.sample, settings) for one in candidates]
    if settings.conflicts == "avoid" and not prepared.sample.target.probabilities:
        # other rules may have to follow a rule that no row needs
        ordered = settings.limits is not None and len(settings.limits.signs) > 0
        encoded = prepared.sample.encoded
        candidates = [without_redundant(one, encoded, everywhere=ordered) for one in candidates]
    late = settings.budget is not None and time.monotonic() - started > settings.budget
    return Outcome(name, [*candidates, prepared.starts[0]], late=late)


def _supported(candidate: Candidate, sample: Sample, settings: Settings) -> Candidate:
    """Return a candidate without the rules that cover too few rows."""
    support = covering(candidate.masks, sample.encoded) @ sample.count
    return candidate.take(support >= settings.min_support)
