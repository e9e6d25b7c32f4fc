"""Rule sets: unordered rules over one space, checked for contradictions."""

from __future__ import annotations

import math
import weakref
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from importlib import import_module
from typing import Any, ClassVar, Final, Literal, Protocol, Self, TypeVar, cast, overload

import numpy as np
import numpy.typing as npt

from irenic.arrays import Bools, Bytes, Codes, Floats, Indices, Ints, Signs, Words, distinct
from irenic.boxes import Boxes
from irenic.boxes.cutting import Cutter
from irenic.budget import Meter
from irenic.errors import ConditionError, ConflictError, DataError
from irenic.model.columns import frame_backend
from irenic.model.condition import infer_features
from irenic.model.decider import Decider
from irenic.model.explanation import Explanation, Statistics, common_type
from irenic.model.head import (
    Head,
    agreements,
    by_precedence,
    by_vote,
    contradicts,
    implies,
    labels_of,
    open_labels,
    signs,
    united,
)
from irenic.model.literals import counted, display
from irenic.model.overlap import Conflict, Overlap, P, Pairs
from irenic.model.packed import PackedRules, as_columns
from irenic.model.region import Region
from irenic.model.rule import Rule, as_consequent, as_default
from irenic.model.shown import Editable
from irenic.model.space import Instances, Space, to_list

R = TypeVar("R", bound="Rules")
Resolve = Literal["first", "best", "vote"]
RESOLVE: Final = ("first", "best", "vote")
_UNLIMITED: Final = 2**62
# Maximum number of conflicts that a ConflictError carries.
_MAX_CONFLICTS: Final = 100
# Instances that are compared with all rules at a time: the matrix may be huge.
_AT_ONCE: Final = 4096


class Rules(Editable):
    """Rules over one space, and what decides where several of them hold.

    What :class:`RuleSet` and :class:`irenic.RuleList` share: they differ in their policy, and only
    a set can change.
    """

    policy: Literal["FIRST"] | None = None
    """The hit policy: FIRST if the first rule that holds decides, None if rules must agree."""
    _kind: ClassVar[type[Rules]]
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
        """Return the current index of a rule, or of several, by id.

        Parameters
        ----------
        ids : int or sequence of int
            Ids of current or former rules; see :attr:`ids`.

        Returns
        -------
        int or array of int
            -1 for a rule that was removed.

        Raises
        ------
        ConditionError
            If an id is not an integer.

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
        """Whether a rule decides only some labels.

        Examples
        --------
        >>> from irenic import Rule, RuleSet
        >>> RuleSet([Rule({"age": (0, 30)}, then={"x": True})]).is_partial
        True
        """
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
        return _unpacked(self._packed, self._thens, i)

    def __contains__(self, rule: object) -> bool:
        return isinstance(rule, Rule) and len(self._indices(rule)) > 0

    def index(self, rule: Rule) -> int:
        """Return the index of the first rule that equals the given rule.

        Parameters
        ----------
        rule : Rule
            The rule to look for.

        Returns
        -------
        int

        Raises
        ------
        ConditionError
            If the set does not contain the rule.

        Examples
        --------
        >>> from irenic import Rule, RuleSet
        >>> rules = RuleSet([Rule({"age": (0, 30)}, then="low")])
        >>> rules.index(Rule({"age": (0, 30)}, then="low"))
        0
        """
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

        Returns
        -------
        RuleSet

        Examples
        --------
        >>> from irenic import Rule, RuleSet
        >>> rules = RuleSet([Rule({"age": (0, 30)}, then="low")])
        >>> rules.copy() == rules
        True
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

        Overlaps in which no case can occur do not count; see :class:`Space`.

        Parameters
        ----------
        region : Region
            The region.
        consequent : hashable, optional
            Rules that agree with this consequent are not rivals (default: every rule is a rival).

        Returns
        -------
        array of int

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

        Parameters
        ----------
        limit : int, optional
            Maximum number of pairs (default: all).

        Returns
        -------
        sequence of Conflict

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
        """Return the pairs of overlapping rules that agree.

        Parameters
        ----------
        limit : int, optional
            Maximum number of pairs (default: all).

        Returns
        -------
        sequence of Overlap

        Examples
        --------
        >>> from irenic import Rule, RuleSet
        >>> rules = RuleSet([Rule({"age": (0, 30)}, then="low"),
        ...                  Rule({"age": (29, 60)}, then="low")])
        >>> rules.overlaps()[0].region
        29 <= age < 30
        """
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

        Examples
        --------
        >>> from irenic import Rule, RuleSet
        >>> RuleSet([Rule({"age": (None, 18)}, then="minor"),
        ...          Rule({"age": (18, None)}, then="adult")]).is_complete
        True
        """
        covered = self.boxes.concat(self.space.impossible_boxes)
        cutter = Cutter(covered, Boxes.whole(self.space), first=True)
        return not any(cutter.bursts(Meter(None)))

    # --- instances

    def covering(self, X: Any) -> Bools:
        """Return which rules cover which instances.

        Parameters
        ----------
        X : table
            The instances.

        Returns
        -------
        array of bool of shape (instances, rules)

        Examples
        --------
        >>> from irenic import Rule, RuleSet
        >>> rules = RuleSet([Rule({"age": (0, 30)}, then="low")])
        >>> rules.covering({"age": [29, 30]})
        array([[ True],
               [False]])
        """
        return self._packed.covering(self.space.encode(X)).T

    def decide(self, X: Any, *, resolve: Resolve | None = None) -> Ints:
        """Return the index of the rule that decides each instance.

        If several rules with the same consequent cover an instance, the first of them decides. If
        rules decide only some labels, several rules decide together; this is then the first of
        those that cover the instance, or with ``resolve="best"`` the one with the greatest weight.

        Parameters
        ----------
        X : table
            The instances.
        resolve : {"first", "best", "vote"}, optional
            How to choose between conflicting rules: the first rule, the rule with the greatest
            weight, or the consequent with the greatest sum of weights.

        Returns
        -------
        array of int
            -1 if no rule covers the instance.

        Raises
        ------
        ConflictError
            If there are conflicts and ``resolve`` is None.

        Examples
        --------
        >>> from irenic import Rule, RuleSet
        >>> rules = RuleSet([Rule({"age": (0, 30)}, then="low")])
        >>> rules.decide({"age": [29, 30]})
        array([ 0, -1])
        """
        resolve = self._resolved(resolve)
        instances = self.space.encode(X)
        if resolve == "vote" and not self.is_partial:
            return self._packed.voting(instances, len(self._thens))
        return self._packed.deciding(instances, self._by_priority(resolve))

    def _by_priority(self, resolve: Resolve | None) -> Ints:
        """Return the rules in the order in which the first that covers a case decides it."""
        if resolve == "best":
            return np.argsort(-self.weights, kind="stable")
        return np.arange(len(self))

    def _resolved(self, resolve: Resolve | None) -> Resolve | None:
        """Return how to choose between conflicting rules; raise an error if it is not known."""
        if self.policy == "FIRST":
            if resolve not in (None, "first"):
                raise ConditionError(
                    'the first rule of a list that holds decides, so resolve must be "first" or'
                    f" None, got {resolve!r}"
                )
            return "first"
        if resolve is None:
            if not self.is_consistent:
                conflict = self.conflicts(limit=1)[0]
                raise ConflictError(
                    f"the rules contradict each other: {conflict}; repair them, or choose one of"
                    ' resolve="first", "best" or "vote"',
                    [conflict],
                )
        elif resolve not in RESOLVE:
            raise ConditionError(f"resolve must be one of {', '.join(RESOLVE)}, got {resolve!r}")
        return resolve

    def predict(
        self, X: Any, *, default: Hashable | None = None, resolve: Resolve | None = None
    ) -> npt.NDArray[Any]:
        """Return the predicted consequent of each instance.

        Parameters
        ----------
        X : table
            The instances.
        default : hashable, optional
            The prediction where no rule holds (default: that of the set; if it has none, None).
        resolve : {"first", "best", "vote"}, optional
            How to choose between conflicting rules: the first rule, the rule with the greatest
            weight, or the consequent with the greatest sum of weights. If rules decide only some
            labels, each label is decided in this way.

        Returns
        -------
        array
            Of numbers or booleans if all consequents and the default are, else of objects. If rules
            decide only some labels, sets of labels, and the default where no rule holds.

        Raises
        ------
        ConflictError
            If there are conflicts and ``resolve`` is None.

        Examples
        --------
        >>> from irenic import Rule, RuleSet
        >>> rules = RuleSet([Rule({"age": (0, 30)}, then="low")])
        >>> rules.predict({"age": [29, 30]}, default="high")
        array(['low', 'high'], dtype=object)
        """
        fallback = self.default if default is None else as_default(default)
        if self.is_partial:
            return self._predict_labels(self.space.encode(X), fallback, resolve)
        decided = self.decide(X, resolve=resolve)
        thens = [*self._thens, fallback]
        codes = np.append(self.then_codes, len(thens) - 1)
        used = distinct(codes)  # consequents of removed rules must not affect the type
        dtype = common_type([thens[code] for code in used])
        table: npt.NDArray[Any] = np.zeros(len(thens), dtype=dtype or object)
        for code in used:
            table[code] = thens[code]
        predictions: npt.NDArray[Any] = table[codes[decided]]
        return predictions

    def _predict_labels(
        self, instances: Instances, default: Hashable | None, resolve: Resolve | None
    ) -> npt.NDArray[Any]:
        labels = labels_of((*self._thens, default))
        states, covered = self.decide_labels(instances, labels, resolve=resolve)
        usual = np.array([label in open_labels(default) for label in labels], dtype=np.bool_)
        present = np.where(states == 0, usual, states > 0)
        rows, group = np.unique(present, axis=0, return_inverse=True)
        sets = np.empty(len(rows) + 1, dtype=object)
        for i, row in enumerate(rows):
            sets[i] = frozenset(labels[k] for k in np.flatnonzero(row))
        sets[-1] = default
        predictions: npt.NDArray[Any] = sets[np.where(covered, group.reshape(-1), -1)]
        return predictions

    def decide_labels(
        self, X: Any, labels: Sequence[Hashable], *, resolve: Resolve | None = None
    ) -> tuple[Signs, Bools]:
        """Return what the rules decide about each label, and which cases they cover.

        1 if a label is present, -1 if it is absent, 0 if no rule decides it; per case and label.
        """
        resolve = self._resolved(resolve)
        for i, then in enumerate(self.thens):
            if not isinstance(then, Head | frozenset):
                raise ConditionError(
                    f"rule {i + 1} must predict a set of labels, because other rules decide only"
                    f" some labels, got {display(then)}"
                )
        instances = self.space.encode(X)
        decided = signs(self.thens, labels)
        states = np.zeros((len(instances), len(labels)), dtype=np.int8)
        covered = np.zeros(len(instances), dtype=np.bool_)
        for start in range(0, len(instances), _AT_ONCE):
            rows = slice(start, start + _AT_ONCE)
            covers = self.covering(instances.take(rows))
            covered[rows] = covers.any(axis=1)
            if resolve is None:  # checked above: the rules do not contradict each other
                states[rows] = united(covers, decided)
            elif resolve == "vote":
                states[rows] = by_vote(covers, decided, self.weights)
            else:
                states[rows] = by_precedence(covers, decided, self._by_priority(resolve).tolist())
        return states, covered

    def decider(self, *, resolve: Resolve | None = None) -> Decider:
        """Return the rules prepared to decide one record after another, with an index.

        A decider takes microseconds per record where :meth:`predict` takes a fraction of a
        millisecond, or several milliseconds for very many rules. It gives the same answers, as
        plain values, and is not affected by later changes of the set.

        Parameters
        ----------
        resolve : {"best", "vote", "first"}, optional
            How to choose where rules contradict each other; see :meth:`predict`.

        Returns
        -------
        Decider
            Callable with one record.

        Raises
        ------
        ConflictError
            If rules contradict each other and ``resolve`` is None.
        ConditionError
            If rules decide only some labels, because several of them then decide together.

        Examples
        --------
        >>> rules = RuleSet([Rule({"age": (0, 30)}, then="low")], default="high")
        >>> decide = rules.decider()
        >>> decide({"age": 29}), decide({"age": 30})
        ('low', 'high')
        """
        self.check_whole("a decider", "predict(X) decides several records")
        resolve = self._resolved(resolve)
        order = None if resolve == "vote" else self._by_priority(resolve)
        return Decider(self._packed, self.thens, default=self.default, order=order)

    def explain(self, X: Any, *, resolve: Resolve | None = None) -> list[Explanation]:
        """Return the reason for the decision on each instance.

        Parameters
        ----------
        X : table
            The instances.
        resolve : {"first", "best", "vote"}, optional
            How to choose between conflicting rules: the first rule, the rule with the greatest
            weight, or the consequent with the greatest sum of weights.

        Returns
        -------
        list of Explanation

        Raises
        ------
        ConflictError
            If there are conflicts and ``resolve`` is None.

        Examples
        --------
        >>> from irenic import Rule, RuleSet
        >>> rules = RuleSet([Rule({"age": (0, 30)}, then="low")], default="high")
        >>> for explanation in rules.explain({"age": [29, 30]}):
        ...     print(explanation)
        low, by rule 1, because 0 <= age < 30
        high, by default, because age >= 30
        """
        resolve = self._resolved(resolve)
        # by name, because searches are above the model
        explaining = import_module("irenic.searching.explaining")
        deciding = explaining.Deciding.of(self, resolve)
        explained: list[Explanation] = explaining.explained(deciding, self.space.encode(X)).each()
        return explained

    def check_whole(self, what: str, instead: str) -> None:
        """Raise an error if a rule decides only some labels."""
        if not self.is_partial:
            return
        i = next(i for i, then in enumerate(self.thens) if isinstance(then, Head))
        raise ConditionError(
            f"{what} cannot represent rules that decide only some labels, such as rule {i + 1}"
            f" ({self._rule(i)}); {instead}"
        )

    def statistics(self, X: Any, y: Any) -> Statistics:
        """Return the support, confidence and label counts of each rule on labeled instances.

        Parameters
        ----------
        X : table
            The instances.
        y : sequence of hashable
            The label of each instance.

        Returns
        -------
        Statistics

        Raises
        ------
        DataError
            If there are more or fewer labels than instances.

        Examples
        --------
        >>> from irenic import Rule, RuleSet
        >>> rules = RuleSet([Rule({"age": (0, 30)}, then="low")])
        >>> stats = rules.statistics({"age": [10, 20, 29, 50]}, ["low", "low", "high", "high"])
        >>> stats.support, stats.confidence.round(2), stats.labels, stats.mix
        (array([3]), array([0.67]), ('low', 'high'), array([[2, 1]]))
        """
        instances = self.space.encode(X)
        labels = to_list(y)
        if len(labels) != len(instances):
            raise DataError(
                f"y must have {len(instances)} labels, one per instance, got {len(labels)}"
            )
        columns: dict[Hashable, int] = {}
        codes = np.array(
            [columns.setdefault(as_consequent(label), len(columns)) for label in labels],
            dtype=np.int64,
        )
        mix, _ = self._packed.counting(instances, codes, max(len(columns), 1))
        if self._has_heads:
            agree = agreements(self._thens, list(columns))[self.then_codes]
            correct = (mix[:, : len(columns)] * agree).sum(axis=1)
        else:
            own = [columns.get(then, -1) for then in self._thens]
            code = np.array(own, np.int64)[self.then_codes]
            correct = np.where(code >= 0, mix[np.arange(len(self)), code], 0)
        support = mix.sum(axis=1)
        nan = np.full(len(self), math.nan)
        confidence = np.divide(correct, support, out=nan, where=support > 0)
        return Statistics(tuple(columns), mix[:, : len(columns)], support, confidence)

    # --- measures

    def conditions_per_rule(self) -> Ints:
        """Return the number of conditions of each rule.

        Returns
        -------
        array of int

        Examples
        --------
        >>> from irenic import Rule, RuleSet
        >>> rules = RuleSet([Rule({"age": (0, 30)}, then="low")])
        >>> rules.conditions_per_rule()
        array([1])
        """
        return self._packed.boxes.n_conditions()

    @property
    def n_conditions(self) -> int:
        """Number of conditions of all rules together."""
        return int(self.conditions_per_rule().sum())

    def explanation_size(self, X: Any) -> float:
        """Return the mean number of conditions to read for a prediction.

        For each instance, this adds up the conditions of all rules that cover it; an instance that
        no rule covers counts as 0.

        Parameters
        ----------
        X : table
            The instances.

        Returns
        -------
        float

        Examples
        --------
        >>> from irenic import Rule, RuleSet
        >>> rules = RuleSet([Rule({"age": (0, 30)}, then="low")])
        >>> rules.explanation_size({"age": [29, 30]})
        0.5
        """
        instances = self.space.encode(X)
        if not len(instances):
            return 0.0
        labels = np.zeros(len(instances), dtype=np.int64)
        _, size = self._packed.counting(instances, labels, 1)
        return float(size.mean())

    # --- other forms

    def simplified(self) -> Self:
        """Return an equivalent set without redundant conditions and rules.

        Conditions that the bounds of the space imply are removed, and so are rules that lie inside
        another rule that decides at least the same (of equal rules, the first is kept). If there
        are conflicts, all rules are kept, since each may affect how conflicts are resolved.

        Returns
        -------
        RuleSet

        Examples
        --------
        >>> from irenic import Continuous, Rule, RuleSet, Space
        >>> space = Space([Continuous("age", bounds=(0, 120))])
        >>> RuleSet([Rule({"age": (0, 30)}, then="low"),
        ...          Rule({"age": (5, 20)}, then="low")], space).simplified()
        <RuleSet: 1 rule, 1 feature>
          1. IF age < 30 THEN low
        """
        kept = self if not self.is_consistent else self[self._not_inside()]
        rules = (Rule(r.region.simplified(), then=r.then, weight=r.weight) for r in kept)
        return cast("Self", self._kind(rules, self.space, default=self.default))

    def _not_inside(self) -> Bools:
        """Return which rules do not lie inside another rule that decides at least the same."""
        first, second = self._find_pairs(same=True).T
        boxes = self.boxes
        keep = np.ones(len(self), dtype=np.bool_)
        later = boxes.inside(second, first) & self._imply(first, second)
        keep[second[later]] = False
        keep[first[boxes.inside(first, second) & self._imply(second, first) & ~later]] = False
        return keep

    def _imply(self, outer: Codes, inner: Codes) -> Bools:
        """Return which rules decide everything that other ones do; both are indices of rules."""
        if not self._has_heads:
            return np.ones(len(outer), dtype=np.bool_)
        thens = self.thens
        pairs = zip(outer.tolist(), inner.tolist(), strict=True)
        return np.array([implies(thens[a], thens[b]) for a, b in pairs], dtype=np.bool_)

    def to_frame(self, backend: str | None = None) -> Any:
        """Return the rules as a data frame with one row per rule.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            The library of the frame (default: the first one that is installed).

        Returns
        -------
        pandas.DataFrame, polars.DataFrame or pyarrow.Table

        Examples
        --------
        >>> from irenic import Rule, RuleSet
        >>> rules = RuleSet([Rule({"age": (0, 30)}, then="low")])
        >>> rules.to_frame("pandas").to_dict("records")
        [{'rule': 1, 'if': '0 <= age < 30', 'then': 'low', 'conditions': 1, 'weight': 1.0}]
        """
        import narwhals.stable.v2 as nw

        columns: dict[str, list[Any]] = {
            "rule": list(range(1, len(self) + 1)),
            "if": [rule.region.to_text() for rule in self],
            "then": [r.then if isinstance(r.then, str) else display(r.then) for r in self],
            "conditions": [int(c) for c in self.conditions_per_rule()],
            "weight": [float(w) for w in self.weights],
        }
        return nw.from_dict(columns, backend=frame_backend(backend)).to_native()


class Listener(Protocol):
    """An object that is notified of every change of a rule set."""

    def rule_added(self, index: int, rule: Rule) -> None:
        """Handle that a rule was added at ``index`` and later rules moved down."""

    def rule_removed(self, index: int, rule: Rule) -> None:
        """Handle that the rule at ``index`` was removed and later rules moved up."""


class RuleSet(Rules):
    """An unordered collection of rules over one space.

    The constructor accepts rules that contradict each other, so that they can be examined;
    :meth:`add` rejects a rule that contradicts another one.

    Two rules contradict each other if they overlap and have different consequents. A rule whose
    consequent is a mapping, such as ``{"x": True, "y": False}``, decides only some labels; such
    rules contradict each other only if a label is decided differently by both. Where they overlap,
    the prediction is what all of them decide together, and the default decides the other labels.

    Parameters
    ----------
    rules : iterable of Rule
        The rules; those of other spaces are moved to this one, with features matched by name.
    space : Space, optional
        The space (default: the one that the rules share, or one inferred from their conditions).
    default : hashable, optional
        The prediction where no rule holds (default: none). If rules decide only some labels, a set:
        the labels in it are present where no rule decides them, and all others are absent.

    Raises
    ------
    ConditionError
        If a rule does not fit the space, or the default decides only some labels.

    Examples
    --------
    >>> from irenic import Continuous, Rule, RuleSet, Space
    >>> space = Space([Continuous("age")])
    >>> rules = RuleSet([Rule({"age": (0, 10)}, then="child"),
    ...                  Rule({"age": (10, 99)}, then="adult")], space)
    >>> rules.is_consistent
    True
    >>> rules.predict({"age": [5, 10, 120]})
    array(['child', 'adult', None], dtype=object)
    >>> rules.add(Rule({"age": (18, None)}, then="senior"))
    Traceback (most recent call last):
    irenic.errors.ConflictError: rule 3 (IF age >= 18 THEN senior) contradicts rule 2 (IF 10 <=
    age < 99 THEN adult): both hold where 18 <= age < 99, for example at age = 60; change one of
    them, or keep both with force=True
    """

    def __eq__(self, other: object) -> bool:
        """Return whether both have the same rules in any order, space and default."""
        if not isinstance(other, RuleSet):
            return NotImplemented
        return (
            self.space == other.space
            and self.default == other.default
            and len(self) == len(other)
            and self._counted() == other._counted()
        )

    def _counted(self) -> Counter[Hashable]:
        """Return how often each rule occurs, without creating Rule objects."""
        rows = zip(self.boxes.keys(), self.thens, self.weights.tolist(), strict=True)
        return Counter((key.tobytes(), then, weight) for key, then, weight in rows)

    __hash__ = None  # type: ignore[assignment]

    # --- changing

    def listen(self, listener: Listener) -> None:
        """Notify an object of every change from now on, for as long as it exists.

        Parameters
        ----------
        listener : object
            Its methods ``rule_added(index, rule)`` and ``rule_removed(index, rule)`` are called.
            The set keeps only a weak reference to it.

        Examples
        --------
        >>> from irenic import Rule, RuleSet
        >>> rules = RuleSet([Rule({"age": (0, 30)}, then="low")])
        >>> class Printer:
        ...     def rule_added(self, index, rule): print("added", rule)
        ...     def rule_removed(self, index, rule): print("removed", rule)
        >>> printer = Printer()
        >>> rules.listen(printer)
        >>> rules.add(Rule({"age": (30, 60)}, then="high"))
        added IF 30 <= age < 60 THEN high
        """
        self.__dict__.setdefault("_listeners", weakref.WeakSet()).add(listener)

    def _followers(self) -> Sequence[Listener]:
        # most sets have none, and iterating over weak references takes longer than a change
        return list(self.__dict__.get("_listeners", ()))

    def add(self, rule: Rule, *, force: bool = False) -> None:
        """Add a rule, unless it contradicts another rule.

        Parameters
        ----------
        rule : Rule
            The rule to add.
        force : bool, default False
            Add the rule even if it contradicts another one.

        Raises
        ------
        ConflictError
            If the rule contradicts another one. The error names the rules, the region in which
            both hold, and a point of it.

        Examples
        --------
        >>> from irenic import Rule, RuleSet
        >>> rules = RuleSet([Rule({"age": (0, 30)}, then="low")])
        >>> rules.add(Rule({"age": (30, 60)}, then="high"))
        >>> len(rules)
        2
        """
        rule = self._cast(rule, len(self) + 1)
        if not force:
            self._check_conflicts(rule, number=len(self) + 1)
        self._append(rule)
        self._consistent = None if force or not self._consistent else True
        for listener in self._followers():
            listener.rule_added(len(self) - 1, rule)

    def remove(self, rule: int | Rule) -> Rule:
        """Remove and return a rule.

        Parameters
        ----------
        rule : int or Rule
            Index of the rule, or a rule that equals it.

        Returns
        -------
        Rule
            The removed rule.

        Examples
        --------
        >>> from irenic import Rule, RuleSet
        >>> rules = RuleSet([Rule({"age": (0, 30)}, then="low")])
        >>> rules.remove(0)
        IF 0 <= age < 30 THEN low
        """
        i = self.index(rule) if isinstance(rule, Rule) else self._index(rule)
        removed = self._rule(i)
        self._packed.remove(i)
        self._consistent = self._consistent or None
        for listener in self._followers():
            listener.rule_removed(i, removed)
        return removed

    def replace(self, i: int, rule: Rule, *, force: bool = False) -> Rule:
        """Replace a rule, unless the new one contradicts another rule.

        Parameters
        ----------
        i : int
            Index of the rule to replace.
        rule : Rule
            The new rule.
        force : bool, default False
            Replace the rule even if the new one contradicts another one.

        Returns
        -------
        Rule
            The replaced rule.

        Raises
        ------
        ConflictError
            If the new rule contradicts another one; the set is left unchanged.

        Examples
        --------
        >>> from irenic import Rule, RuleSet
        >>> rules = RuleSet([Rule({"age": (0, 30)}, then="low")])
        >>> rules.replace(0, Rule({"age": (0, 40)}, then="low"))
        IF 0 <= age < 30 THEN low
        """
        i = self._index(i)
        rule = self._cast(rule, i + 1)
        if not force:
            self._check_conflicts(rule, number=i + 1, replaced=i)
        removed = self._rule(i)
        self._packed.put(i, rule.region, self._code(rule.then), rule.weight)
        self._consistent = None if force or not self._consistent else True
        for listener in self._followers():
            listener.rule_removed(i, removed)
            listener.rule_added(i, rule)
        return removed

    def _check_conflicts(self, rule: Rule, number: int, replaced: int = -1) -> None:
        rivals = self._rivals(rule.region, rule.then)
        if replaced >= 0:
            rivals = rivals[rivals != replaced]
        if not len(rivals):
            return
        # copied, because the set may change before someone reads the error
        packed, thens = self._packed.take(rivals[:_MAX_CONFLICTS]), self._thens

        def describe() -> tuple[str, list[Conflict]]:
            listed = rivals[:_MAX_CONFLICTS].tolist()
            conflicts = [
                Conflict(i, number - 1, (_unpacked(packed, thens, row), rule))
                for row, i in enumerate(listed)
            ]
            first = conflicts[0]
            more = f" (and {len(rivals) - 1} more)" if len(rivals) > 1 else ""
            return (
                f"rule {number} ({rule}) contradicts rule {first.first + 1}"
                f" ({first.rules[0]}){more}: both hold where {first.region}, for example at"
                f" {first.witness_text}; change one of them, or keep both with force=True",
                conflicts,
            )

        raise ConflictError._deferred(describe)


RuleSet._kind = RuleSet


def _unpacked(packed: PackedRules, thens: Sequence[Hashable], i: int) -> Rule:
    then, weight = thens[packed.then[i]], float(packed.weight[i])
    return Rule(packed.region(i), then=then, weight=weight)


def for_growth(
    rules: RuleSet, consequent: Hashable | None
) -> tuple[PackedRules, int, Indices | None]:
    """Return rules to grow regions between, the code of those that are not rivals, and indices.

    Kernels treat every other code as a rival. If a code is not enough, because heads can agree
    without being equal, only the rivals are returned, with their indices in the set. If parts of
    the space are impossible, the possible parts of the rivals are returned.
    """
    then = None if consequent is None else as_consequent(consequent)
    if rules.space.impossible:
        boxes, owners = possible_parts(rules, then)
        return PackedRules.from_boxes(boxes, rules.then_codes[owners]), -1, owners
    if then is None or not (rules._has_heads or isinstance(then, Head)):
        return rules.packed, rules.code_of(then), None
    rivals = np.flatnonzero(rules.rival_mask(then))
    return rules.packed.take(rivals), -1, rivals


def possible_parts(rules: Rules, consequent: Hashable | None) -> tuple[Boxes, Indices]:
    """Return boxes that contain the cases of rivals that can occur, and the rule of each box.

    A region that overlaps none of the boxes overlaps a rival at most where no case can occur.
    """
    rivals = np.flatnonzero(rules.rival_mask(consequent))
    boxes, excluded = rules.boxes.take(rivals), rules.space.impossible_boxes
    if not len(excluded):
        return boxes, rivals
    cut = boxes.meet_any(excluded)
    parts = [boxes.take([row]).subtract(excluded) for row in np.flatnonzero(cut)]
    owners = np.repeat(rivals[cut], [len(part) for part in parts])
    return boxes.take(~cut).concat(*parts), np.concatenate((rivals[~cut], owners))


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


def as_rule_set(rules: object) -> RuleSet:
    """Return a rule set, or the rules of a fitted classifier; raise an error for anything else."""
    rules = learned_rules(rules)
    if not isinstance(rules, RuleSet):
        raise ConditionError(
            f"rules must be a RuleSet, got {type(rules).__name__}; create one with RuleSet(rules)"
        )
    return rules


def learned_rules(rules: Any) -> Any:
    """Return the rules of a fitted classifier, and anything else unchanged.

    >>> class Fitted:
    ...     rules_ = RuleSet([])
    >>> learned_rules(Fitted()) is Fitted.rules_, learned_rules("A")
    (True, 'A')
    """
    learned = getattr(rules, "rules_", None)
    return learned if isinstance(learned, RuleSet) else rules


def _shared_space(rules: Sequence[Rule]) -> Space:
    """Return the space that the rules share, or one inferred from their conditions."""
    spaces = {rule.region.space for rule in rules}
    if len(spaces) == 1:
        return spaces.pop()
    return Space(
        infer_features([item for rule in rules for item in rule.region.conditions().items()])
    )
