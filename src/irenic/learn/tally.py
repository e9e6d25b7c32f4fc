"""Counts of rule sets on labeled rows, and what follows from them: confidence and its interval.

Tallies of blocks can be added in any order, so blocks may be read one after another from a file, or
counted where they are stored. Only the rows of one block are in memory at a time.

With one label per row, rules that do not contradict each other, and weights that depend on nothing
but the label, a rule is counted as a bitmap of the rows that it covers: rows are sorted by label,
so the number of rows per label is the number of bits per segment. Everything else is counted row by
row.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial, reduce
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from irenic.arrays import Bools, Floats, Indices, Words, packed
from irenic.learn.target import Consequents, Target, label_sums, row_f1
from irenic.model.deciding import Resolve
from irenic.model.head import open_labels, signs
from irenic.model.ruleset import RuleSet
from irenic.model.space import Instances

if TYPE_CHECKING:
    from irenic.learn.evolution import Candidate
    from irenic.learn.sample import Sample

# Rows of a block of bitmaps: so many that calls cost little.
BLOCK: Final = 1 << 17
# Rows times rules that are counted at a time row by row: 128 MB.
_PRODUCTS: Final = 1 << 24
# Categories with at most so many values in a block have one bitmap per value, which are joined.
_FEW_VALUES: Final = 100
_INTERVAL: Final = (0.025, 0.975)
# From a tenth of the rows of a rule, added rows make its share as uncertain as its own rows do.
_SCATTER: Final = 10.0
# Rows that the opinion of a forest counts for in a region if no rows were left out.
OPINION: Final = 20.0
# Labels that no row has are not impossible.
LEAST: Final = 1e-9


def _nothing() -> Floats:
    return np.zeros((0, 0))


def resolve_by(conflicts: str) -> Resolve | None:
    """Return how a rule set decides conflicts, for the ``conflicts`` of a classifier."""
    return None if conflicts == "avoid" else "vote" if conflicts == "vote" else "best"


@dataclass(frozen=True, eq=False)
class ColumnSums:
    """What is in the columns of rows; those of two parts can be added."""

    low: Floats
    """Least number of each continuous feature, infinite if there is none."""
    high: Floats
    """Greatest number of each continuous feature, infinite if there is none."""
    missing: Floats
    """Number of rows without a number, by continuous feature."""
    fractions: Floats
    """Number of rows whose number is not whole, by continuous feature."""
    counts: tuple[Floats, ...]
    """Number of rows per code, by categorical feature."""

    @classmethod
    def of(cls, instances: Instances) -> ColumnSums:
        """Return what is in the columns of instances.

        >>> from irenic import Continuous, Space
        >>> rows = Space([Continuous("age", missing=True)]).encode({"age": [3, None, 7.5]})
        >>> sums = ColumnSums.of(rows) + ColumnSums.of(rows)
        >>> sums.low.tolist(), sums.high.tolist(), sums.missing.tolist(), sums.fractions.tolist()
        ([3.0], [7.5], [2.0], [2.0])
        """
        n, sizes = len(instances.values), instances.space.n_codes
        low, high, missing, fractions = np.zeros((4, n))
        for i, column in enumerate(instances.values):
            present = column[column > -np.inf]
            low[i], high[i] = present.min(initial=np.inf), present.max(initial=-np.inf)
            missing[i] = len(column) - len(present)
            fractions[i] = np.count_nonzero(present != np.floor(present))
        counts = [
            np.bincount(codes, minlength=int(size)).astype(float)
            for codes, size in zip(instances.codes, sizes, strict=True)
        ]
        return cls(low, high, missing, fractions, tuple(counts))

    def __add__(self, other: ColumnSums) -> ColumnSums:
        return ColumnSums(
            np.minimum(self.low, other.low),
            np.maximum(self.high, other.high),
            self.missing + other.missing,
            self.fractions + other.fractions,
            tuple(a + b for a, b in zip(self.counts, other.counts, strict=True)),
        )


class Priors(NamedTuple):
    """How many average rows to add to those of each rule, and to those of the default."""

    rule: float
    default: float
    opinion: float = OPINION
    """How many rows the opinion of a forest counts for in each region of probability."""

    def each(self, n_rules: int) -> Floats:
        """Return the number for each rule, followed by that for the default."""
        return np.append(np.full(n_rules, self.rule), self.default)


class Confidences(NamedTuple):
    """How often rules are right: estimated, with a 95 % interval, and on the rows themselves."""

    share: Floats
    intervals: Floats
    trained: Floats

    @classmethod
    def of(cls, right: Floats, n: Floats, mean: Any, added: Floats | None) -> Confidences:
        """Return the shares of ``n`` rows that are right; without added rows, of these alone.

        ``mean`` is the share of added rows that are right.
        """
        trained = np.divide(right, n, out=np.full(len(n), np.nan), where=n > 0)
        if added is None:
            return cls(trained, np.full((len(n), 2), np.nan), trained)
        return cls(*likely(right, n, added * mean, added), trained)


@dataclass(frozen=True, eq=False)
class Tally:
    """Counts of rows, and of one rule set on them; the last rule stands for uncovered rows."""

    rows: float
    """Number of rows."""
    row_weight: float
    """Sum of their weights."""
    labels: Floats
    """Weight per label."""
    label_rows: Floats
    """Number of rows per label."""
    columns: ColumnSums | None = None
    """What is in the columns, if they were counted."""
    weight: float = 0.0
    """Sum of the weights of rows, as scores have them."""
    mix: Floats = field(default_factory=_nothing)
    """Number of rows per label; ``[rule, label]``."""
    weighted: Floats = field(default_factory=_nothing)
    """Weight of the rows per label; ``[rule, label]``."""
    support: Floats = field(default_factory=_nothing)
    """Number of rows of each rule."""
    own_weight: Floats = field(default_factory=_nothing)
    """Weight of the rows of each rule."""
    right: Floats = field(default_factory=_nothing)
    """Agreement of the rows of each rule with its consequent."""
    agreement: Floats = field(default_factory=_nothing)
    """Agreement of all rows with the consequent of each rule."""
    gain: float = 0.0
    """Gain of the predictions; the other part is in ``decided`` if gains are distances."""
    decided: Floats = field(default_factory=_nothing)
    """Weight of the rows that a rule decides: ``[rule, label]``, and then that of all labels."""
    undecided: Floats = field(default_factory=_nothing)
    """Weight of rows per label that no rule decides: those with the label, and all."""
    regions: Floats = field(default_factory=_nothing)
    """Weight of rows by prediction, region and label."""
    region_rows: Floats = field(default_factory=_nothing)
    """Number of rows by prediction and region."""
    reasons: Floats = field(default_factory=_nothing)
    """Number of rows in each region that only the default decides, and its agreement there."""

    @classmethod
    def of(cls, block: Sample) -> Tally:
        """Return the counts of labels and columns."""
        target, weight = block.target, block.weight
        return cls(
            rows=float(len(block)),
            row_weight=float(weight.sum()),
            labels=weight @ target.truth
            if target.many
            else label_sums(target.codes, weight, len(target.labels)),
            label_rows=target.truth.sum(axis=0),
            columns=ColumnSums.of(block.instances),
        )

    def __add__(self, other: Tally) -> Tally:
        columns = None
        if self.columns is not None and other.columns is not None:
            columns = self.columns + other.columns
        names = [field.name for field in fields(self) if field.name != "columns"]
        sums = {name: getattr(self, name) + getattr(other, name) for name in names}
        return Tally(columns=columns, **sums)

    def scaled(self, factor: float) -> Tally:
        """Return the counts of labels with all weights multiplied by a factor."""
        return replace(self, row_weight=self.row_weight * factor, labels=self.labels * factor)

    def take(self, order: Indices) -> Tally:
        """Return the counts with the rules in another order."""
        places = np.append(order, len(self.support) - 1)
        names = ("mix", "weighted", "support", "own_weight", "right", "agreement", "decided")
        return replace(self, **{name: getattr(self, name)[places] for name in names})

    @property
    def covered(self) -> float:
        """Number of rows that a rule covers."""
        return self.rows - float(self.support[-1])

    @property
    def decided_share(self) -> float:
        """Share of the weight of all rows that rules decide, up to rounding.

        A weight of 2 must count as much as two rows where rule sets are chosen.
        """
        return round(1.0 - float(self.own_weight[-1]) / self.row_weight, 12)

    @property
    def overall(self) -> Floats:
        """Share of each label in the weight of all rows."""
        return self.labels / self.row_weight

    def score(self, consequents: Consequents, frequencies: Floats) -> float:
        """Return the mean gain of the predictions, given the frequencies of each rule."""
        gain = self.gain
        if by_own_frequencies(consequents.target):
            gain += consequents.gain_of(self.decided, frequencies)
        return consequents.as_share(gain / self.weight)

    def frequencies(self, rules: RuleSet, consequents: Consequents, added: Floats) -> Floats:
        """Return the label frequencies of each rule after adding average rows.

        If rules decide only some labels, the last frequencies are those of the rows in which no
        rule decides the label.
        """
        overall = self.overall
        pairs = zip(self.weighted, added, strict=True)
        frequencies = np.array([smoothed(labels, prior, overall) for labels, prior in pairs])
        if consequents.target.probabilities:
            codes = consequent_codes(rules, consequents)
            known = codes < len(consequents)
            frequencies[known] = consequents.frequencies[codes[known]]
        if consequents.heads:
            frequencies[-1] = (self.undecided[0] + overall) / (self.undecided[1] + 1.0)
        return frequencies

    def confidences(self, added: Floats | None) -> Confidences:
        """Return how often each rule is right, after adding average rows if a number is known."""
        mean = self.agreement / self.rows
        return Confidences.of(self.right, self.support, mean, added)

    def reason_confidences(self, order: Indices, added: Floats | None) -> Confidences:
        """Return how often the default is right in regions that only it decides.

        They are estimated as those of rules: rules were chosen for the labels of the rows that
        they cover, and so for those of the rows that they leave.
        """
        support, right = self.reasons[order].T
        return Confidences.of(right, support, self.agreement[-1] / self.rows, added)


@dataclass(frozen=True, eq=False)
class Uncounted:
    """A rule set that is to be counted, and what is known of it already."""

    rules: RuleSet
    consequents: Consequents
    reasons: RuleSet | None = None
    """Regions that only its default decides."""
    n_kept: int = 0
    """Number of rules of the user; they come first."""
    candidate: Candidate | None = None
    member: int | None = None
    penalty: float = math.nan
    validated: float = math.nan
    priors: Priors | None = None
    """How many average rows left-out rows advise to add to those of each rule."""
    threshold: float | None = None
    filled: Hashable | None = None
    """What added rules predict where the candidate predicts nothing, if rules were added."""


@dataclass(frozen=True, eq=False)
class Counting:
    """How rule sets are counted."""

    conflicts: str = "avoid"
    factors: Floats | None = None
    """Factor of each label in the weights of scores; None if all count alike."""
    regions: RuleSet | None = None
    """Regions of probability, whose consequents are their indices."""
    by_bits: bool = True
    """Whether bitmaps may be used; the result does not depend on it."""

    def on(self, sample: Sample, drafts: Sequence[Uncounted]) -> list[Tally]:
        """Return the tally of each rule set on all rows, in one pass."""
        if not drafts:
            return []
        return total_of_each(sample.run(partial(self.tallies, drafts), self.names(drafts)))

    def names(self, drafts: Sequence[Uncounted]) -> list[str]:
        """Return the names of the features that rules and regions test."""
        sets = [draft.rules for draft in drafts]
        sets += [] if self.regions is None else [self.regions]
        axes = np.any([rules.packed.boxes.tests().any(axis=0) for rules in sets], axis=0)
        space = sets[0].space
        pairs = zip(space.names, space.axes.tolist(), strict=True)
        return [name for name, axis in pairs if axes[axis]]

    def tallies(self, drafts: Sequence[Uncounted], block: Sample) -> list[Tally]:
        """Return the tally of each rule set on the rows of a block."""
        return total_of_each(
            self._by_bits(drafts, part) or self._by_rows(drafts, part)
            for part in block.parts(BLOCK)
        )

    def _by_bits(self, drafts: Sequence[Uncounted], block: Sample) -> list[Tally] | None:
        """Return the tallies by bitmaps, None if these rows cannot be counted like this."""
        if not self.by_bits or block.target.many or self.conflicts != "avoid" or not len(block):
            return None
        labels, n_labels = block.target.codes, len(block.target.labels)
        weights = _label_weights(labels, block.weight, n_labels)
        if weights is None:
            return None
        maps = _Maps(block.instances, labels, n_labels)
        places = None if self.regions is None else maps.partition(self.regions)
        return [self._of_maps(draft, maps, places, weights) for draft in drafts]

    def _of_maps(
        self, draft: Uncounted, maps: _Maps, places: Words | None, weights: Floats
    ) -> Tally:
        consequents, n_labels = draft.consequents, len(weights)
        covers = maps.partition(draft.rules)
        codes, total = consequent_codes(draft.rules, consequents), maps.count(maps.full[None])[0]
        # rules of one consequent may overlap
        predicted = np.zeros((len(consequents.values()), len(maps.full)), dtype=np.uint64)
        for code, cover in zip(codes.tolist(), covers, strict=True):
            predicted[code] |= cover
        mix, by_code = maps.count(covers), maps.count(predicted)
        is_right = np.eye(len(predicted), n_labels)
        gains = consequents.gains(np.eye(n_labels))
        scored = weights if self.factors is None else weights * self.factors
        regions, region_rows = np.zeros((0, 0, n_labels)), np.zeros((0, 0))
        if places is not None:
            counted = np.stack([maps.count(places & rows) for rows in predicted])
            regions, region_rows = counted * weights, counted.sum(axis=2)
        by_default = np.zeros((0, 2))
        if draft.reasons is not None:
            inside = maps.count(maps.covering(draft.reasons))
            by_default = np.stack([inside.sum(axis=1), inside @ is_right[codes[-1]]], axis=1)
        return Tally(
            rows=float(total.sum()),
            row_weight=float(total @ weights),
            labels=total * weights,
            label_rows=total,
            weight=float(total @ scored),
            mix=mix,
            weighted=mix * weights,
            support=mix.sum(axis=1),
            own_weight=mix @ weights,
            right=(mix * is_right[codes]).sum(axis=1),
            agreement=is_right[codes] @ total,
            gain=float((by_code * gains.T * scored).sum()),
            decided=np.zeros((len(codes), 0)),
            undecided=np.zeros((2, 0)),
            regions=regions,
            region_rows=region_rows,
            reasons=by_default,
        )

    def _by_rows(self, drafts: Sequence[Uncounted], block: Sample) -> list[Tally]:
        """Return the tallies row by row."""
        sets = [rules for draft in drafts for rules in (draft.rules, draft.reasons) if rules]
        most = max(map(len, sets), default=0) + 1
        return total_of_each(
            [self._of_rows(draft, part) for draft in drafts]
            for part in block.parts(max(1, _PRODUCTS // most))
        )

    def _of_rows(self, draft: Uncounted, block: Sample) -> Tally:
        rules, truth, weight = draft.rules, block.target.truth, block.weight
        scored = weight if self.factors is None else weight * self.factors[block.target.codes]
        covered = rules.covering(block.instances)
        covers = np.column_stack([covered, ~covered.any(axis=1)]).astype(float)
        agreement = _agreement(rules, draft.consequents, truth)
        by_default = np.zeros((0, 2))
        if draft.reasons is not None:
            inside = draft.reasons.covering(block.instances)
            by_default = np.stack([inside.sum(axis=0), agreement[:, -1] @ inside], axis=1)
        tally = Tally(
            rows=float(len(block)),
            row_weight=float(weight.sum()),
            labels=weight @ truth,
            label_rows=truth.sum(axis=0),
            weight=float(scored.sum()),
            mix=covers.T @ truth,
            weighted=(covers * weight[:, None]).T @ truth,
            support=covers.sum(axis=0),
            own_weight=weight @ covers,
            right=(agreement * covers).sum(axis=0),
            agreement=agreement.sum(axis=0),
            decided=np.zeros((len(rules) + 1, 0)),
            undecided=np.zeros((2, 0)),
            regions=np.zeros((0, 0, len(truth.T))),
            reasons=by_default,
        )
        if draft.consequents.heads:
            return self._with_heads(tally, draft, block, scored, covers)
        return self._with_predictions(tally, draft, block, scored)

    def _with_heads(
        self, tally: Tally, draft: Uncounted, block: Sample, scored: Floats, covers: Floats
    ) -> Tally:
        """Return a tally with what rules that decide only some labels predict."""
        rules, truth, labels = draft.rules, block.target.truth, block.target.labels.tolist()
        resolve = resolve_by(self.conflicts)
        states, _ = rules.decide_labels(block.instances, labels, resolve=resolve)
        right = row_f1(truth, np.where(states == 0, _usual(rules, labels), states > 0))
        is_open = (covers[:, :-1] @ (signs(rules.thens, labels) != 0)) == 0
        weight = is_open * block.weight[:, None]
        undecided = np.stack([(weight * truth).sum(axis=0), weight.sum(axis=0)])
        return replace(tally, gain=float(scored @ right), undecided=undecided)

    def _with_predictions(
        self, tally: Tally, draft: Uncounted, block: Sample, scored: Floats
    ) -> Tally:
        """Return a tally with what rules predict, also by region of probability."""
        rules, truth, consequents = draft.rules, block.target.truth, draft.consequents
        by = rules.decide(block.instances, resolve=resolve_by(self.conflicts))
        codes, gains = consequent_codes(rules, consequents), consequents.gains(truth)
        if by_own_frequencies(block.target):
            # rules of equal sets may have different frequencies, which are known at the end
            known = np.ones(len(by), bool) if rules.default is not None else by >= 0
            decided = np.zeros((len(rules) + 1, len(truth.T) + 1))
            with_all = np.column_stack([truth, np.ones(len(truth))]) * scored[:, None]
            np.add.at(decided, by[known], with_all[known])
            gain = float(scored[~known] @ gains[~known, -1])
            tally = replace(tally, gain=gain, decided=decided)
        else:
            gain = float(scored @ gains[np.arange(len(by)), codes[by]])
            tally = replace(tally, gain=gain)
        if self.regions is None:
            return tally
        places, shape = (
            self.regions.decide(block.instances),
            (len(consequents.values()), len(self.regions)),
        )
        regions = region_sums(codes[by], places, truth, block.weight, shape)
        rows = region_sums(codes[by], places, np.ones((len(by), 1)), np.ones(len(by)), shape)
        return replace(tally, regions=regions, region_rows=rows[:, :, 0])


def region_sums(
    codes: Indices, places: Indices, values: Floats, weight: Floats, shape: tuple[int, int]
) -> Floats:
    """Return sums of the values of rows by prediction and region: ``[code, region, column]``.

    Rows in no region, which have the place -1, count for the last region, which is one more.

    >>> codes, places = np.array([0, 0, 1]), np.array([0, 0, -1])
    >>> region_sums(codes, places, np.array([[1.0], [2.0], [4.0]]), np.ones(3), (2, 1)).tolist()
    [[[3.0], [0.0]], [[0.0], [4.0]]]
    """
    n_codes, n_regions = shape
    flat = codes * (n_regions + 1) + np.where(places < 0, n_regions, places)
    size = n_codes * (n_regions + 1)
    sums = [np.bincount(flat, weights=weight * column, minlength=size) for column in values.T]
    return np.stack(sums, axis=1).astype(float).reshape(n_codes, n_regions + 1, -1)


def total_of_each(results: Iterable[list[Tally]]) -> list[Tally]:
    """Return the tally of each rule set over several parts."""
    return reduce(lambda a, b: [x + y for x, y in zip(a, b, strict=True)], results)


def by_own_frequencies(target: Target) -> bool:
    """Return whether rules are scored by their own label frequencies, which come from all rows."""
    return target.by_distance and not target.probabilities


def consequent_codes(rules: RuleSet, consequents: Consequents) -> Indices:
    """Return the code of the consequent of each rule, followed by that of the default.

    The default has the code -1 if it is none of the consequents: heads decide only some labels.
    """
    code_of = {value: code for code, value in enumerate(consequents.values())}
    codes = [code_of[then] for then in rules.thens]
    return np.array([*codes, code_of.get(rules.default, -1)], dtype=np.intp)


def _usual(rules: RuleSet, labels: list[Any]) -> Bools:
    """Return which labels the default predicts."""
    usual = open_labels(rules.default)
    return np.array([label in usual for label in labels])


def _agreement(rules: RuleSet, consequents: Consequents, truth: Floats) -> Floats:
    """Return the agreement of each row with each rule and the default: ``[row, rule]``."""
    agreement = consequents.agreement(truth)
    if not consequents.heads:
        return np.asarray(agreement[:, consequent_codes(rules, consequents)])
    usual = _usual(rules, consequents.target.labels.tolist())
    by_default = row_f1(truth, np.tile(usual, (len(truth), 1)))
    return np.column_stack((agreement[:, consequent_codes(rules, consequents)[:-1]], by_default))


def _label_weights(labels: Indices, weight: Floats, n_labels: int) -> Floats | None:
    """Return the weight of the rows of each label, None if rows of one label differ in it."""
    weights = np.zeros(n_labels)
    weights[labels] = weight  # that of the last row of each label
    return weights if (weights[labels] == weight).all() else None


class _Maps:
    """Rows sorted by label, and bitmaps of those that meet a condition."""

    def __init__(self, instances: Instances, labels: Indices, n_labels: int) -> None:
        counts = np.bincount(labels, minlength=n_labels)
        self.present = np.flatnonzero(counts)
        self.n_labels = n_labels
        # the rows of each label begin with a new word
        words = (counts[self.present] + 63) // 64
        self.starts = np.concatenate([[0], np.cumsum(words)[:-1]])
        order = np.argsort(labels.astype(np.int16), kind="stable")
        begin = np.concatenate([[0], np.cumsum(counts[self.present])[:-1]])
        shift = np.repeat(self.starts * 64 - begin, counts[self.present])
        self._slots = np.zeros(int(words.sum()) * 64, dtype=np.intp)
        filled = np.zeros(len(self._slots), dtype=bool)
        self._slots[np.arange(len(order)) + shift] = order
        filled[np.arange(len(order)) + shift] = True
        self.full = packed(filled)
        self._instances = instances
        self._columns: dict[int, npt.NDArray[Any]] = {}
        self._below: dict[tuple[int, float], Words] = {}
        self._among: dict[tuple[int, bytes], Words] = {}
        self._of_value: dict[int, tuple[Indices, Words | None]] = {}

    def _column(self, axis: int) -> npt.NDArray[Any]:
        if axis not in self._columns:
            instances, d = self._instances, len(self._instances.space.continuous)
            column = instances.values[axis] if axis < d else instances.codes[axis - d]
            self._columns[axis] = column[self._slots]
        return self._columns[axis]

    def _less(self, axis: int, bound: float) -> Words:
        if (axis, bound) not in self._below:
            self._below[axis, bound] = packed(self._column(axis) < bound)
        return self._below[axis, bound]

    def _in(self, axis: int, words: Words) -> Words:
        key = axis, words.tobytes()
        if key not in self._among:
            bits = np.unpackbits(np.frombuffer(key[1], np.uint8), bitorder="little").astype(bool)
            codes, of_code = self._values(axis)
            if of_code is None:
                self._among[key] = packed(bits[self._column(axis)])
            else:  # the smaller one of the set and its complement
                inside = bits[codes]
                less = 2 * int(inside.sum()) <= len(codes)
                rows = np.bitwise_or.reduce(of_code[inside if less else ~inside], axis=0)
                self._among[key] = rows if less else ~rows
        return self._among[key]

    def _values(self, axis: int) -> tuple[Indices, Words | None]:
        """Return the values of a category, and the bitmap of each if there are few."""
        if axis not in self._of_value:
            column = self._column(axis)
            codes = np.flatnonzero(np.bincount(column))
            maps = None
            if len(codes) <= _FEW_VALUES:
                maps = np.stack([packed(column == code) for code in codes.tolist()])
            self._of_value[axis] = codes, maps
        return self._of_value[axis]

    def covering(self, rules: RuleSet) -> Words:
        """Return the bitmap of the rows that each rule covers."""
        boxes, space = rules.packed.boxes, rules.space
        d, tests = len(space.continuous), rules.packed.boxes.tests()
        covers = np.repeat(self.full[None], len(rules), axis=0)
        for rule, axis in np.argwhere(tests).tolist():
            if axis >= d:
                covers[rule] &= self._in(axis, boxes.masks[rule, space.sets[axis - d]])
                continue
            lower, upper = float(boxes.lower[rule, axis]), float(boxes.upper[rule, axis])
            if lower > -np.inf:
                covers[rule] &= ~self._less(axis, lower)
            if upper < np.inf:
                covers[rule] &= self._less(axis, upper)
        return covers

    def partition(self, rules: RuleSet) -> Words:
        """Return the bitmap of the rows that each rule covers, and then of those that none does."""
        covers = self.covering(rules)
        left = self.full & ~np.bitwise_or.reduce(covers, axis=0)
        return np.concatenate([covers, left[None]])

    def count(self, maps: Words) -> Floats:
        """Return the number of rows per label of each bitmap."""
        counts = np.zeros((len(maps), self.n_labels))
        if len(maps) and len(self.present):
            bits = np.bitwise_count(maps)
            counts[:, self.present] = np.add.reduceat(bits, self.starts, axis=1, dtype=np.int64)
        return counts


def smoothed(counts: Floats, prior: float | Floats, overall: Floats) -> Floats:
    """Return label frequencies after adding a number of average rows to those of each rule.

    >>> smoothed(np.array([[8.0, 0.0]]), 2.0, np.array([0.5, 0.5]))
    array([[0.9, 0.1]])
    """
    total = counts.sum(axis=-1, keepdims=True)
    return np.asarray((counts + prior * np.maximum(overall, LEAST)) / (total + prior))


def likely(right: Floats, n: Floats, prior_right: Floats, prior: Floats) -> tuple[Floats, Floats]:
    """Return the share of new rows that each rule is right for, and its 95 % interval.

    Average rows are added to those of each rule: ``prior``, of which it is right for
    ``prior_right``. The interval has quantiles of a beta distribution around the share. It counts
    half of the rows, because both the rows of a rule and the correction scatter, and up to all of
    them if few rows are added, because then only the rows do.

    >>> one, two, eight, ten = np.array([[1.0], [2.0], [8.0], [10.0]])
    >>> share, interval = likely(eight, ten, one, two)
    >>> share, interval.round(2)
    (array([0.75]), array([[0.37, 0.98]]))
    """
    from scipy.stats import beta

    share = (right + prior_right) / (n + prior)
    rows = n / (1.0 + np.minimum(_SCATTER * prior / np.maximum(n, 1.0), 1.0)) + 1.0
    good, bad = np.maximum(share * rows, LEAST), np.maximum((1.0 - share) * rows, LEAST)
    return share, beta.ppf(_INTERVAL, good[:, None], bad[:, None])
