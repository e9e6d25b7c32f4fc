"""Rules of one space in columns: a collection that finds overlaps and contradictions."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any, ClassVar, Final, Literal, Self, TypeVar, cast, overload

import numpy as np
import numpy.typing as npt

from irenic.arrays import Bools, Bytes, Codes, Floats, Indices, Ints, Words, distinct
from irenic.boxes import Boxes
from irenic.boxes.cutting import Cutter
from irenic.budget import Meter
from irenic.errors import ConditionError
from irenic.model.condition import infer_features
from irenic.model.head import Head, contradicts
from irenic.model.literals import counted, display
from irenic.model.overlap import Conflict, Overlap, P, Pairs
from irenic.model.packed import PackedRules, as_columns
from irenic.model.region import Region
from irenic.model.rule import Rule, as_consequent, as_default
from irenic.model.shown import Editable
from irenic.model.space import Space

R = TypeVar("R", bound="Collection")
_UNLIMITED: Final = 2**62


class Collection(Editable):
    """Rules of one space in columns, with ids and a policy."""

    policy: Literal["FIRST"] | None = None
    """The hit policy: FIRST if the first rule that holds decides, None if rules must agree."""
    _kind: ClassVar[type[Collection]]
    """The type of parts; subclasses may have constructors of their own."""

    def __init__(
        self,
        rules: Iterable[Rule] = (),
        space: Space | None = None,
        *,
        default: Hashable | None = None,
    ) -> None:
        if isinstance(rules, Space):
            kind = self._kind.__name__
            raise ConditionError(f"rules must come before the space: {kind}(rules, space)")
        rules = list(rules)
        if space is None:
            space = _shared_space(rules)
        elif not isinstance(space, Space):
            raise ConditionError(f"space must be a Space or None, got {space!r}")
        self.space = space
        self.default = None if default is None else as_default(default)
        self._thens: list[Hashable] = []
        self._codes: dict[Hashable, int] = {}
        self._has_heads = False  # or had, like the consequents
        self._packed = PackedRules(space, len(rules))
        self._consistent: bool | None = None
        for number, rule in enumerate(rules, 1):
            self._append(self._cast(rule, number))
        self._check_policy()

    @classmethod
    def from_arrays(
        cls,
        space: Space,
        *,
        lower: npt.ArrayLike,
        upper: npt.ArrayLike,
        then: Sequence[Hashable],
        masks: npt.ArrayLike | None = None,
        weights: npt.ArrayLike | None = None,
        default: Hashable | None = None,
    ) -> Self:
        """Create a rule set from arrays with one column per rule.

        Parameters
        ----------
        space : Space
            The space of the rules.
        lower, upper : array of shape (continuous features, rules)
            Bounds of ``lower <= f < upper``; ``-inf`` and ``inf`` for none.
        then : sequence of hashable
            The consequent of each rule.
        masks : array of uint64 of shape (``space.n_words``, rules), optional
            Bits of the sets of values: 0 is missing, 1 is any other value, then come the listed
            ones (default: no conditions on categorical features).
        weights : array of shape (rules,), optional
            The weight of each rule (default: 1).
        default : hashable, optional
            The prediction where no rule holds (default: none).

        Returns
        -------
        RuleSet

        Raises
        ------
        ConditionError
            If an array has the wrong type or shape or contains NaN, or a region is empty.

        Examples
        --------
        >>> import numpy as np
        >>> from irenic import Continuous, RuleSet, Space
        >>> space = Space([Continuous("f1"), Continuous("f2")])
        >>> RuleSet.from_arrays(space, lower=[[2.0], [-np.inf]], upper=[[5.0], [9.0]], then=["A"])
        <RuleSet: 1 rule, 2 features>
          1. IF 2 <= f1 < 5 AND f2 < 9 THEN A
        """
        n, d, words = len(then), len(space.continuous), space.n_words
        low = as_columns("lower", lower, np.float64, (d, n))
        high = as_columns("upper", upper, np.float64, (d, n))
        if masks is None:
            sets = np.repeat(space.everything[:, None], n, axis=1)
        else:
            sets = as_columns("masks", masks, np.uint64, (words, n)) & space.everything[:, None]
        weight = np.ones(n) if weights is None else as_columns("weights", weights, float, (n,))
        if np.isnan(low).any() or np.isnan(high).any() or np.isnan(weight).any():
            raise ConditionError("bounds and weights must not be NaN")
        for row, feature in enumerate(space.continuous):
            if feature.step:
                low[row] = [feature.snap(v) for v in low[row]]
                high[row] = [feature.snap(v) for v in high[row]]
        boxes = Boxes(space, low.T, high.T, sets.T)
        if (empty := boxes.are_empty()).any():
            raise ConditionError(
                f"rule {int(empty.argmax()) + 1}: region must not be empty: the rule would never"
                " fire"
            )
        written = np.broadcast_to(space.unwritten, (n, d))
        return cls.from_boxes(
            boxes.settled(), written=written, then=then, weights=weight, default=default
        )

    @classmethod
    def from_boxes(
        cls,
        boxes: Boxes,
        *,
        written: Bytes,
        then: Sequence[Hashable],
        weights: npt.ArrayLike,
        default: Hashable | None = None,
    ) -> Self:
        """Create a rule set from valid boxes, which are not checked."""
        rules = cls(space=boxes.space, default=default)
        thens = list(then)
        distinct = dict(zip(map(id, thens), thens, strict=True))
        known = {key: rules._code(as_consequent(value)) for key, value in distinct.items()}
        codes = np.fromiter(map(known.__getitem__, map(id, thens)), np.int32, len(thens))
        rules._packed.extend(boxes, written.T, codes, np.asarray(weights, dtype=np.float64))
        rules._check_policy()
        return rules

    def _check_policy(self) -> None:
        if self.policy == "FIRST":
            self.check_whole("a rule list", "in a rule set, such rules decide together")

    # --- packed columns

    @property
    def packed(self) -> PackedRules:
        """The columns of the rules, for implementing algorithms; must not be modified."""
        return self._packed

    @property
    def lower(self) -> Floats:
        """Inclusive lower bounds, ``[continuous feature, rule]``; must not be modified."""
        return self._packed.lower[:, : len(self)]

    @property
    def upper(self) -> Floats:
        """Exclusive upper bounds, ``[continuous feature, rule]``; must not be modified."""
        return self._packed.upper[:, : len(self)]

    @property
    def masks(self) -> Words:
        """Bits of the sets of values, ``[word, rule]``; must not be modified."""
        return self._packed.masks[:, : len(self)]

    @property
    def then_codes(self) -> Codes:
        """Index of the consequent of each rule among ``consequents``."""
        return self._packed.then[: len(self)]

    @property
    def weights(self) -> Floats:
        """Weight of each rule."""
        return self._packed.weight[: len(self)]

    @property
    def ids(self) -> Ints:
        """Id of each rule, in ascending order; must not be modified.

        A rule keeps its id until it is removed, whereas its index changes when an earlier rule is
        removed. Ids are counted from 0 as rules are added, and never used again; a rule that
        replaces another one takes over its id. A copy has the ids of the original, and a selection
        such as ``rules[:10]`` has new ones. To keep data per rule, such as its fitness, use ids as
        keys of a dictionary or as indices of an array; :meth:`indices` finds the rules again.

        Examples
        --------
        >>> from irenic import Rule, RuleSet
        >>> rules = RuleSet([Rule({"age": (0, 30)}, then="low"),
        ...                  Rule({"age": (30, 60)}, then="high")])
        >>> removed = rules.remove(0)
        >>> rules.ids
        array([1])
        """
        return self._packed.ids[: len(self)]

    @overload
    def indices(self, ids: int) -> int: ...
    @overload
    def indices(self, ids: Sequence[int] | npt.NDArray[Any]) -> Ints: ...
    def indices(self, ids: int | Sequence[int] | npt.NDArray[Any]) -> int | Ints:
        """Return the current index of a rule, or of several, by id; -1 for a rule that was removed.

        Examples
        --------
        >>> from irenic import Rule, RuleSet
        >>> rules = RuleSet([Rule({"age": (0, 30)}, then="low"),
        ...                  Rule({"age": (30, 60)}, then="high")])
        >>> removed = rules.remove(0)
        >>> rules.indices(1), rules.indices([0, 1])
        (0, array([-1,  0]))
        """
        array = np.asarray(ids)
        if array.dtype.kind not in "iu" and array.size:
            raise ConditionError(f"ids must be integers, got {ids!r}")
        indices = self._packed.indices(array)
        return indices if array.ndim else int(indices)

    @property
    def boxes(self) -> Boxes:
        """Regions of the rules, simplified; the arrays are read-only."""
        return self._packed.simplified

    @property
    def thens(self) -> list[Hashable]:
        """Consequent of each rule."""
        return [self._thens[code] for code in self.then_codes.tolist()]

    @property
    def consequents(self) -> tuple[Hashable, ...]:
        """Distinct consequents of current and former rules, in order of appearance."""
        return tuple(self._thens)

    def code_of(self, consequent: Hashable | None) -> int:
        """Return the index of a consequent among ``consequents``, -1 if it is unknown or None."""
        return -1 if consequent is None else self._codes.get(as_consequent(consequent), -1)

    @property
    def is_partial(self) -> bool:
        """Whether a rule decides only some labels."""
        if not self._has_heads:
            return False
        return any(isinstance(self._thens[code], Head) for code in distinct(self.then_codes))

    def _code(self, then: Hashable) -> int:
        code = self._codes.get(then)
        if code is None:
            code = self._codes[then] = len(self._thens)
            self._thens.append(then)
            self._has_heads |= isinstance(then, Head)
        return code

    def _cast(self, rule: Rule, number: int) -> Rule:
        if not isinstance(rule, Rule):
            raise ConditionError(f"rule {number} must be a Rule, got {rule!r}")
        try:
            return rule.cast(self.space)
        except ConditionError as error:
            raise ConditionError(f"rule {number}: {error}") from None

    def _append(self, rule: Rule) -> None:
        self._packed.append(rule.region, self._code(rule.then), rule.weight)

    # --- as a collection

    def __len__(self) -> int:
        return self._packed.n

    def __iter__(self) -> Iterator[Rule]:
        return (self[i] for i in range(len(self)))

    @overload
    def __getitem__(self, i: int) -> Rule: ...
    @overload
    def __getitem__(self, i: slice | Sequence[int] | npt.NDArray[Any]) -> Self: ...
    def __getitem__(self, i: int | slice | Sequence[int] | npt.NDArray[Any]) -> Rule | Self:
        """Return the rule at an index, or rules of the same kind at several indices."""
        if isinstance(i, int | np.integer):
            return self._rule(self._index(i))
        taken = self._kind(space=self.space, default=self.default)
        taken._packed = self._packed.take(np.arange(len(self))[i])
        taken._thens, taken._codes = list(self._thens), dict(self._codes)
        taken._has_heads = self._has_heads
        taken._consistent = self._consistent or None  # any part of a consistent set is consistent
        return cast("Self", taken)

    def _index(self, i: int) -> int:
        if not isinstance(i, int | np.integer) or isinstance(i, bool):
            raise ConditionError(f"the index of a rule must be an integer, got {i!r}")
        if not -len(self) <= i < len(self):
            raise IndexError(f"index {i} is out of range for {counted(len(self), 'rule')}")
        return int(i) % len(self)

    def _rule(self, i: int) -> Rule:
        return rule_at(self._packed, self._thens, i)

    def __contains__(self, rule: object) -> bool:
        return isinstance(rule, Rule) and len(self._indices(rule)) > 0

    def index(self, rule: Rule) -> int:
        """Return the index of the first rule that equals a rule; an error if there is none."""
        indices = self._indices(self._cast(rule, 1))
        if not len(indices):
            raise ConditionError(f"the rule set does not contain {rule}")
        return int(indices[0])

    def _indices(self, rule: Rule) -> Indices:
        if rule.region.space != self.space:
            return np.empty(0, dtype=np.intp)
        same = (self.then_codes == self.code_of(rule.then)) & (self.weights == rule.weight)
        key = rule.region.box.simplified().keys()
        return np.flatnonzero(same & (self.boxes.keys() == key).all(axis=1))

    def copy(self) -> Self:
        """Return an independent copy of the rule set, without listeners.

        The copy has the same type, ids and further attributes, and is known to be consistent if
        this set is.
        """
        return self._as(type(self))

    __copy__ = copy

    def _as(self, kind: type[R]) -> R:
        """Return a copy as rules of another kind."""
        copied = kind.__new__(kind)
        copied.__dict__.update(self.__dict__)
        copied.__dict__.pop("_listeners", None)
        copied._packed = self._packed.copy()
        copied._thens, copied._codes = list(self._thens), dict(self._codes)
        return copied

    def __getstate__(self) -> dict[str, Any]:
        # listeners belong to this process, and codes are rebuilt since some formats restrict keys
        return {k: v for k, v in self.__dict__.items() if k not in ("_listeners", "_codes")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._codes = {then: code for code, then in enumerate(self._thens)}
        self._has_heads = any(isinstance(then, Head) for then in self._thens)

    def __repr__(self) -> str:
        size = f"{counted(len(self), 'rule')}, {counted(len(self.space), 'feature')}"
        lines = [f"<{self._kind.__name__}: {size}>"]
        lines += [f"  {i}. {rule}" for i, rule in enumerate(self[:20], 1)]
        lines += [f"  … and {len(self) - 20} more"] if len(self) > 20 else []
        lines += [f"  DEFAULT {display(self.default)}"] if self.default is not None else []
        times = [f.name for f in self.space.continuous if f.in_utc]
        lines += [f"  times of {', '.join(map(display, times))} are in UTC"] if times else []
        return "\n".join(lines)

    def rivals_of(self, region: Region, consequent: Hashable | None = None) -> Indices:
        """Return the indices of the rules that overlap a region and contradict a consequent.

        Without a consequent, every rule is a rival. Overlaps in which no case can occur do not
        count; see :class:`Space`.

        Examples
        --------
        >>> from irenic import Rule, RuleSet
        >>> rules = RuleSet([Rule({"age": (0, 30)}, then="low")])
        >>> rules.rivals_of(Rule({"age": (20, 40)}, then="high").region, "high")
        array([0])
        """
        then = None if consequent is None else as_consequent(consequent)
        return self._rivals(region.cast(self.space), then)

    def _rivals(self, region: Region, then: Hashable | None) -> Indices:
        rivals = np.flatnonzero(self._packed.meeting(region) & self._against(then))
        if self.space.impossible:
            rivals = rivals[_meet(self.boxes.take(rivals), region.box.simplified())]
        return rivals

    def rival_mask(self, consequent: Hashable | None = None) -> Bools:
        """Return which rules contradict a consequent wherever they hold."""
        return self._against(None if consequent is None else as_consequent(consequent))

    def _against(self, then: Hashable | None) -> Bools:
        if then is None:
            return np.ones(len(self), dtype=np.bool_)
        if not self._has_heads and not isinstance(then, Head):
            return np.not_equal(self.then_codes, self._codes.get(then, -1))
        against = [contradicts(known, then) for known in self._thens]
        return np.array(against, dtype=np.bool_)[self.then_codes]

    # --- contradictions

    def conflicts(self, *, limit: int | None = None) -> Pairs[Conflict]:
        """Return the pairs of overlapping rules that contradict each other.

        Overlaps in which no case can occur do not count; see :class:`Space`.

        Examples
        --------
        >>> from irenic import Rule, RuleSet
        >>> rules = RuleSet([Rule({"age": (0, 30)}, then="low"),
        ...                  Rule({"age": (29, 60)}, then="high")])
        >>> rules.conflicts()[0].region
        29 <= age < 30
        """
        return self._pairs(Conflict, limit)

    def overlaps(self, *, limit: int | None = None) -> Pairs[Overlap]:
        """Return the pairs of overlapping rules that agree."""
        return self._pairs(Overlap, limit)

    def _pairs(self, kind: type[P], limit: int | None) -> Pairs[P]:
        if limit is not None and (not isinstance(limit, int | np.integer) or limit < 1):
            raise ConditionError(f"limit must be a positive integer, got {limit!r}")
        pairs = self._find_pairs(same=kind is Overlap, limit=limit or _UNLIMITED)
        # a copy, so that the pairs stay valid if this set changes
        return Pairs(kind, self.copy(), pairs)

    def _find_pairs(self, *, same: bool, limit: int = _UNLIMITED) -> Codes:
        pairs = self.overlapping_pairs(same=same, limit=limit)
        if not same:
            self._consistent = not len(pairs)
        return pairs

    def overlapping_pairs(self, *, same: bool, limit: int = _UNLIMITED) -> Codes:
        """Return the indices of overlapping rules that agree, or that contradict each other."""
        if self.space.impossible:
            return self._possible_pairs(same=same, limit=limit)
        return self._overlapping_pairs(same=same, limit=limit)

    def _possible_pairs(self, *, same: bool, limit: int) -> Codes:
        """Return the overlapping pairs in which a case can occur."""
        sought = limit
        while True:
            pairs = self._overlapping_pairs(same=same, limit=sought)
            boxes = self.boxes.take(pairs[:, 0]), self.boxes.take(pairs[:, 1])
            possible = pairs[_meet(*boxes)][:limit]
            if len(possible) == limit or len(pairs) < sought:
                return possible
            sought = max(8 * sought, 64)

    def _overlapping_pairs(self, *, same: bool, limit: int) -> Codes:
        """Return the overlapping pairs, with those in which no case can occur."""
        if not self._has_heads:
            return self._packed.overlapping_pairs(same=same, limit=limit)
        # the kernel only distinguishes codes, so all pairs are needed to find those that agree
        pairs = self._packed.overlapping_pairs(same=False, limit=_UNLIMITED)
        kinds, kind = np.unique(self.then_codes[pairs], axis=0, return_inverse=True)
        against = np.array(
            [contradicts(self._thens[a], self._thens[b]) for a, b in kinds.tolist()], dtype=np.bool_
        )[kind.reshape(-1)]
        if same:
            equal = self._packed.overlapping_pairs(same=True, limit=limit)
            pairs = np.vstack((equal, pairs[~against]))
            return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))][:limit]
        return pairs[against][:limit]

    @property
    def is_consistent(self) -> bool:
        """Whether there are no conflicts."""
        if self._consistent is None:
            self._find_pairs(same=False, limit=1)
        return bool(self._consistent)

    @property
    def is_complete(self) -> bool:
        """Whether a rule covers every case that can occur.

        The search stops at the first gap and can take long if many rules overlap;
        :func:`irenic.gaps` accepts a budget and finds all gaps.
        """
        covered = self.boxes.concat(self.space.impossible_boxes)
        cutter = Cutter(covered, Boxes.whole(self.space), first=True)
        return not any(cutter.bursts(Meter(None)))

    def check_whole(self, what: str, instead: str) -> None:
        """Raise an error if a rule decides only some labels."""
        if not self.is_partial:
            return
        i = next(i for i, then in enumerate(self.thens) if isinstance(then, Head))
        raise ConditionError(
            f"{what} cannot represent rules that decide only some labels, such as rule {i + 1}"
            f" ({self._rule(i)}); {instead}"
        )


def rule_at(packed: PackedRules, thens: Sequence[Hashable], i: int) -> Rule:
    """Return the rule at an index of packed rules."""
    then, weight = thens[packed.then[i]], float(packed.weight[i])
    return Rule(packed.region(i), then=then, weight=weight)


def _shared_space(rules: Sequence[Rule]) -> Space:
    """Return the space that the rules share, or one inferred from their conditions."""
    spaces = {rule.region.space for rule in rules}
    if len(spaces) == 1:
        return spaces.pop()
    return Space(
        infer_features([item for rule in rules for item in rule.region.conditions().items()])
    )


def _meet(boxes: Boxes, others: Boxes) -> Bools:
    """Return whether a case can occur in the overlap of each of two lists of boxes."""
    both = boxes.like(
        np.maximum(boxes.lower, others.lower),
        np.minimum(boxes.upper, others.upper),
        boxes.masks & others.masks,
    )
    excluded = both.space.impossible_boxes
    possible = ~both.held_by_one(excluded)
    for row in np.flatnonzero(possible & both.meet_any(excluded)):
        possible[row] = not both.take([row]).is_covered(excluded)
    return possible
