"""Statistics of rule sets on rows, as sums over blocks: all rule sets are counted in one pass.

Sums of blocks can be added in any order, so blocks may be read one after another from a file, or
counted where they are stored. Only the rows of one block are in memory at a time.

With one label per row, rules that do not contradict each other, and weights that depend on nothing
but the label, a rule is counted as a bitmap of the rows that it covers: rows are sorted by label,
so the number of rows per label is the number of bits per segment. Everything else is counted row by
row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import reduce
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from irenic.arrays import Bools, Floats, Indices, Words
from irenic.learn.target import Consequents, Target, label_sums, row_f1
from irenic.model.head import open_labels, signs
from irenic.model.ruleset import Resolve, RuleSet
from irenic.model.space import Instances

# Rows of a block of bitmaps: so many that calls cost little.
BLOCK: Final = 1 << 17
# Rows times rules that are counted at a time row by row: 128 MB.
_PRODUCTS: Final = 1 << 24
# Categories with at most so many values in a block have one bitmap per value, which are joined.
_FEW_VALUES: Final = 100


@dataclass(frozen=True, eq=False)
class Block:
    """Labeled rows that are in memory together."""

    instances: Instances
    target: Target
    weight: Floats

    def __len__(self) -> int:
        return len(self.weight)

    def parts(self, n_rows: int) -> Iterator[Block]:
        """Yield parts of at most so many rows; one of them, if there are no rows."""
        if len(self) <= n_rows:
            yield self
            return
        for first in range(0, len(self), n_rows):
            yield self.take(slice(first, first + n_rows))

    def take(self, rows: slice | Indices) -> Block:
        """Return the given rows."""
        return Block(self.instances.take(rows), self.target.take(rows), self.weight[rows])


@dataclass(frozen=True, eq=False)
class Sums:
    """Sums of one rule set over rows; the last entry is for the rows that no rule covers."""

    rows: float
    """Number of rows."""
    weight: float
    """Sum of their weights, as scores have them."""
    row_weight: float
    """Sum of their weights."""
    labels: Floats
    """Weight per label."""
    mix: Floats
    """Number of rows per label; ``[rule, label]``."""
    weighted: Floats
    """Weight of the rows per label; ``[rule, label]``."""
    support: Floats
    """Number of rows of each rule."""
    own_weight: Floats
    """Weight of the rows of each rule."""
    right: Floats
    """Agreement of the rows of each rule with its consequent."""
    agreement: Floats
    """Agreement of all rows with the consequent of each rule."""
    gain: float
    """Gain of the predictions; the other part is in ``decided`` if gains are distances."""
    decided: Floats
    """Weight of the rows that a rule decides: ``[rule, label]``, and then that of all labels."""
    undecided: Floats
    """Weight of rows per label that no rule decides: those with the label, and all."""
    regions: Floats
    """Weight of rows by prediction, region and label."""
    region_rows: Floats
    """Number of rows by prediction and region."""
    reasons: Floats
    """Number of rows in each region that only the default decides, and its agreement there."""

    def __add__(self, other: Sums) -> Sums:
        return Sums(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))

    def take(self, order: Indices) -> Sums:
        """Return the sums with the rules in another order."""
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


@dataclass(frozen=True, eq=False)
class Counting:
    """What to count on each block: rule sets, and regions of probability."""

    rule_sets: Sequence[RuleSet]
    consequents: Sequence[Consequents]
    """Those of each rule set."""
    resolve: Resolve | None = None
    factors: Floats | None = None
    """Factor of each label in the weights of scores; None if all count alike."""
    regions: RuleSet | None = None
    """Regions of probability, whose consequents are their indices."""
    reasons: Sequence[RuleSet | None] = ()
    """Regions that only the default of each rule set decides; without any, none are counted."""
    by_bits: bool = True
    """Whether bitmaps may be used; the result does not depend on it."""

    @property
    def names(self) -> list[str]:
        """Names of the features that rules and regions test."""
        sets = [*self.rule_sets, *([] if self.regions is None else [self.regions])]
        axes = np.any([rules.packed.boxes.tests().any(axis=0) for rules in sets], axis=0)
        space = sets[0].space
        pairs = zip(space.names, space.axes.tolist(), strict=True)
        return [name for name, axis in pairs if axes[axis]]

    def __call__(self, block: Block) -> list[Sums]:
        """Return the sums of each rule set over the rows of a block."""
        parts = block.parts(BLOCK)
        return total_of_each(self._by_bits(part) or self._by_rows(part) for part in parts)

    # --- as bitmaps

    def _by_bits(self, block: Block) -> list[Sums] | None:
        """Return the sums by bitmaps, None if these rows cannot be counted like this."""
        if not self.by_bits or block.target.many or self.resolve is not None or not len(block):
            return None
        labels = block.target.codes
        weights = _label_weights(labels, block.weight, len(block.target.labels))
        if weights is None:
            return None
        maps = _Maps(block.instances, labels, len(block.target.labels))
        places = None if self.regions is None else maps.covering(self.regions)
        if places is not None:
            outside = maps.full & ~np.bitwise_or.reduce(places, axis=0)
            places = np.concatenate([places, outside[None]])
        return [self._sums(*each, maps, places, weights) for each in self._each()]

    def _each(self) -> Iterator[tuple[RuleSet, Consequents, RuleSet | None]]:
        """Yield each rule set with its consequents and the regions of its default."""
        reasons = self.reasons or [None] * len(self.rule_sets)
        yield from zip(self.rule_sets, self.consequents, reasons, strict=True)

    def _sums(
        self,
        rules: RuleSet,
        consequents: Consequents,
        reasons: RuleSet | None,
        maps: _Maps,
        places: Words | None,
        weights: Floats,
    ) -> Sums:
        covers = maps.covering(rules)
        n_labels, n_codes = len(weights), len(consequents.values())
        codes = codes_of(rules, consequents)
        left = maps.full.copy()
        for cover in covers:
            left &= ~cover
        mix = maps.count(np.concatenate([covers, left[None]]))
        # rules of one consequent may overlap
        predicted = np.zeros((n_codes, len(left)), dtype=np.uint64)
        for code, cover in zip(codes.tolist(), [*covers, left], strict=True):
            predicted[code] |= cover
        total = maps.count(maps.full[None])[0]
        by_code = maps.count(predicted)
        right_label = np.zeros((n_codes, n_labels))
        np.fill_diagonal(right_label, 1.0)
        scored = weights if self.factors is None else weights * self.factors
        regions, region_rows = np.zeros((0, 0, n_labels)), np.zeros((0, 0))
        if places is not None:
            counted = np.stack([maps.count(places & code) for code in predicted])
            regions, region_rows = counted * weights, counted.sum(axis=2)
        by_default = np.zeros((0, 2))
        if reasons is not None:
            inside = maps.count(maps.covering(reasons))
            by_default = np.stack([inside.sum(axis=1), inside @ right_label[codes[-1]]], axis=1)
        return Sums(
            rows=float(total.sum()),
            weight=float(total @ scored),
            row_weight=float(total @ weights),
            labels=total * weights,
            mix=mix,
            weighted=mix * weights,
            support=mix.sum(axis=1),
            own_weight=mix @ weights,
            right=(mix * right_label[codes]).sum(axis=1),
            agreement=right_label[codes] @ total,
            gain=float((by_code * self._gains(consequents).T * scored).sum()),
            decided=np.zeros((len(codes), 0)),
            undecided=np.zeros((2, 0)),
            regions=regions,
            region_rows=region_rows,
            reasons=by_default,
        )

    def _gains(self, consequents: Consequents) -> Floats:
        """Return the gain of each consequent for a row with each label."""
        return consequents.gains(np.eye(len(consequents.target.labels)))

    # --- row by row

    def _by_rows(self, block: Block) -> list[Sums]:
        """Return the sums row by row."""
        sets = [*self.rule_sets, *(one for one in self.reasons if one is not None)]
        most = max(map(len, sets), default=0) + 1
        return total_of_each(
            [self._row_sums(*each, part) for each in self._each()]
            for part in block.parts(max(1, _PRODUCTS // most))
        )

    def _row_sums(
        self, rules: RuleSet, consequents: Consequents, reasons: RuleSet | None, block: Block
    ) -> Sums:
        target, truth, weight = block.target, block.target.truth, block.weight
        covers = rules.covering(block.instances)
        covers = np.column_stack([covers, ~covers.any(axis=1)]).astype(float)
        agreement = _agreement(rules, consequents, truth)
        scored = weight if self.factors is None else weight * self.factors[target.codes]
        gain, decided = 0.0, np.zeros((len(rules) + 1, 0))
        undecided = np.zeros((2, 0))
        regions: Floats = np.zeros((0, 0, len(target.labels)))
        region_rows: Floats = np.zeros((0, 0))
        if consequents.heads:
            labels = target.labels.tolist()
            states, _ = rules.decide_labels(block.instances, labels, resolve=self.resolve)
            usual = _usual(rules, labels)
            right = row_f1(truth, np.where(states == 0, usual, states > 0))
            gain = float(scored @ right)
            open_weight = ((covers[:, :-1] @ (signs(rules.thens, labels) != 0)) == 0) * (
                weight[:, None]
            )
            undecided = np.stack([(open_weight * truth).sum(axis=0), open_weight.sum(axis=0)])
        else:
            by = rules.decide(block.instances, resolve=self.resolve)
            codes, gains = codes_of(rules, consequents), consequents.gains(truth)
            if by_own_frequencies(target):
                # rules of equal sets may have different frequencies, which are known at the end
                known = np.ones(len(by), bool) if rules.default is not None else by >= 0
                gain = float(scored[~known] @ gains[~known, -1])
                sums = np.zeros((len(rules) + 1, len(target.labels) + 1))
                with_all = np.column_stack([truth, np.ones(len(truth))]) * scored[:, None]
                np.add.at(sums, by[known], with_all[known])
                decided = sums
            else:
                gain = float(scored @ gains[np.arange(len(by)), codes[by]])
            if self.regions is not None:
                places = self.regions.decide(block.instances)
                shape = len(consequents.values()), len(self.regions) + 1
                flat = codes[by] * shape[1] + np.where(places < 0, shape[1] - 1, places)
                size = shape[0] * shape[1]
                region_rows = np.bincount(flat, minlength=size).astype(float).reshape(shape)
                each = [label_sums(flat, weight * t, size) for t in truth.T]
                regions = np.stack(each, axis=1).reshape(*shape, -1)
        by_default = np.zeros((0, 2))
        if reasons is not None:
            inside = reasons.covering(block.instances)
            by_default = np.stack([inside.sum(axis=0), agreement[:, -1] @ inside], axis=1)
        return Sums(
            rows=float(len(block)),
            weight=float(scored.sum()),
            row_weight=float(weight.sum()),
            labels=weight @ truth,
            mix=covers.T @ truth,
            weighted=(covers * weight[:, None]).T @ truth,
            support=covers.sum(axis=0),
            own_weight=weight @ covers,
            right=(agreement * covers).sum(axis=0),
            agreement=agreement.sum(axis=0),
            gain=gain,
            decided=decided,
            undecided=undecided,
            regions=regions,
            region_rows=region_rows,
            reasons=by_default,
        )


def total_of_each(results: Iterable[list[Sums]]) -> list[Sums]:
    """Return the sums of each rule set over several parts."""
    return reduce(lambda a, b: [x + y for x, y in zip(a, b, strict=True)], results)


def by_own_frequencies(target: Target) -> bool:
    """Return whether rules are scored by their own label frequencies, which come from all rows."""
    return target.by_distance and not target.probabilities


def codes_of(rules: RuleSet, consequents: Consequents) -> Indices:
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
        return np.asarray(agreement[:, codes_of(rules, consequents)])
    usual = _usual(rules, consequents.target.labels.tolist())
    by_default = row_f1(truth, np.tile(usual, (len(truth), 1)))
    return np.column_stack((agreement[:, codes_of(rules, consequents)[:-1]], by_default))


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
        self.full = _packed(filled)
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
            self._below[axis, bound] = _packed(self._column(axis) < bound)
        return self._below[axis, bound]

    def _in(self, axis: int, words: Words) -> Words:
        key = axis, words.tobytes()
        if key not in self._among:
            bits = np.unpackbits(np.frombuffer(key[1], np.uint8), bitorder="little").astype(bool)
            codes, of_code = self._values(axis)
            if of_code is None:
                self._among[key] = _packed(bits[self._column(axis)])
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
                maps = np.stack([_packed(column == code) for code in codes.tolist()])
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

    def count(self, maps: Words) -> Floats:
        """Return the number of rows per label of each bitmap."""
        counts = np.zeros((len(maps), self.n_labels))
        if len(maps) and len(self.present):
            bits = np.bitwise_count(maps)
            counts[:, self.present] = np.add.reduceat(bits, self.starts, axis=1, dtype=np.int64)
        return counts


def _packed(rows: Bools) -> Words:
    return np.packbits(rows, bitorder="little").view(np.uint64)
