"""Rule sets: rules over one space, packed in columns, checked for contradictions."""

from __future__ import annotations

import math
import weakref
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal, Protocol, overload

import numpy as np
import numpy.typing as npt

from irenic.boxes import Boxes
from irenic.boxes.arrays import Bools, Codes, Floats, Ints, Words
from irenic.boxes.cutting import Cutter
from irenic.budget import Meter
from irenic.errors import ConditionError, ConflictError, DataError
from irenic.model import markup
from irenic.model.columns import frame_backend
from irenic.model.condition import infer_features
from irenic.model.decider import Decider
from irenic.model.explanation import Explanation, Statistics, common_type
from irenic.model.literals import counted, display
from irenic.model.overlap import Conflict, Overlap, P, Pairs
from irenic.model.packed import PackedRules, as_columns
from irenic.model.region import Region
from irenic.model.rule import Rule, as_consequent
from irenic.model.space import Space, to_list

Resolve = Literal["first", "best", "vote"]
RESOLVE: Final = ("first", "best", "vote")
_UNLIMITED: Final = 2**62
# How many conflicts a ConflictError carries at most.
_MOST_TOLD: Final = 100
_ROWS_EXPLAINED: Final = 4096
# How many rules a notebook shows.
_MOST_SHOWN: Final = 100


class Listener(Protocol):
    """What is told of every change of a rule set."""

    def rule_added(self, index: int, rule: Rule) -> None:
        """Note that a rule was added at ``index``; later ones moved down."""

    def rule_removed(self, index: int, rule: Rule) -> None:
        """Note that the rule at ``index`` was removed; later ones moved up."""


class RuleSet:
    """An unordered collection of rules over one space.

    A set takes the rules that it is made with as they are, contradictions and all, so that they
    can be looked at; :meth:`add` refuses a rule that contradicts another.

    Parameters
    ----------
    rules : iterable of Rule
        Rules of other spaces are moved to this one, features matched by name.
    space : Space, optional
        By default the space that the rules share, or one inferred from their conditions.
    default : hashable, optional
        What to predict where no rule holds; None for nothing.

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

    def __init__(
        self,
        rules: Iterable[Rule] = (),
        space: Space | None = None,
        *,
        default: Hashable | None = None,
    ) -> None:
        if isinstance(rules, Space):
            raise ConditionError("rules must come before the space: RuleSet(rules, space)")
        rules = list(rules)
        if space is None:
            space = _shared_space(rules)
        elif not isinstance(space, Space):
            raise ConditionError(f"space must be a Space or None, got {space!r}")
        self.space = space
        self.default = None if default is None else as_consequent(default)
        self._listeners: weakref.WeakSet[Listener] = weakref.WeakSet()
        self._thens: list[Hashable] = []
        self._codes: dict[Hashable, int] = {}
        self._packed = PackedRules(space, len(rules))
        self._consistent: bool | None = None
        for number, rule in enumerate(rules, 1):
            self._append(self._cast(rule, number))

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
    ) -> RuleSet:
        """Return the rule set of packed columns, as rule learners make them.

        Parameters
        ----------
        lower, upper : array of shape (continuous features, rules)
            ``lower <= f < upper``; ``-inf`` and ``inf`` for none.
        then : sequence of hashable
            One consequent a rule.
        masks : array of uint64 of shape (``space.n_words``, rules), optional
            The bits of each set of values: 0 missing, 1 other, then the values. None: no
            condition on any categorical feature.
        weights : array of shape (rules,), optional
            The weight of each rule, 1 by default.

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
            raise ConditionError("NaN cannot be a bound or a weight")
        for row, feature in enumerate(space.continuous):
            if feature.step:
                low[row] = [feature.snap(v) for v in low[row]]
                high[row] = [feature.snap(v) for v in high[row]]
        boxes = Boxes(space, low.T, high.T, sets.T)
        if (empty := boxes.are_empty()).any():
            raise ConditionError(
                f"rule {int(empty.argmax()) + 1}: its region is empty, it could never fire"
            )
        rules = cls(space=space, default=default)
        codes = np.array([rules._code(as_consequent(t)) for t in then], dtype=np.int32)
        written = np.repeat(space.unwritten[:, None], n, axis=1)
        rules._packed.extend(boxes.settled(), written, codes, weight)
        return rules

    # --- packed columns

    @property
    def packed(self) -> PackedRules:
        """The columns that kernels run on; for those who write algorithms. Do not change them."""
        return self._packed

    @property
    def lower(self) -> Floats:
        """The inclusive lower bounds, ``[continuous feature, rule]``; do not write to them."""
        return self._packed.lower[:, : len(self)]

    @property
    def upper(self) -> Floats:
        """The exclusive upper bounds, ``[continuous feature, rule]``; do not write to them."""
        return self._packed.upper[:, : len(self)]

    @property
    def masks(self) -> Words:
        """The bits of the sets of values, ``[word, rule]``; do not write to them."""
        return self._packed.masks[:, : len(self)]

    @property
    def then_codes(self) -> Codes:
        """Which of ``consequents`` each rule has."""
        return self._packed.then[: len(self)]

    @property
    def weights(self) -> Floats:
        """The weight of each rule."""
        return self._packed.weight[: len(self)]

    @property
    def boxes(self) -> Boxes:
        """The regions of the rules, with bounds that the space implies left open."""
        return self._packed.boxes.simplified()

    @property
    def thens(self) -> list[Hashable]:
        """The consequent of each rule."""
        return [self._thens[code] for code in self.then_codes.tolist()]

    @property
    def consequents(self) -> tuple[Hashable, ...]:
        """The consequents that rules of this set have or had, in order of appearance."""
        return tuple(self._thens)

    def code_of(self, consequent: Hashable | None) -> int:
        """Return the place of a consequent among ``consequents``, -1 if no rule has it."""
        return -1 if consequent is None else self._codes.get(as_consequent(consequent), -1)

    def _code(self, then: Hashable) -> int:
        code = self._codes.get(then)
        if code is None:
            code = self._codes[then] = len(self._thens)
            self._thens.append(then)
        return code

    def _cast(self, rule: Rule, number: int) -> Rule:
        if not isinstance(rule, Rule):
            raise ConditionError(f"rule {number}: {rule!r} is not a Rule")
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
    def __getitem__(self, i: slice | Sequence[int] | npt.NDArray[Any]) -> RuleSet: ...
    def __getitem__(self, i: int | slice | Sequence[int] | npt.NDArray[Any]) -> Rule | RuleSet:
        """Return one rule, or the set of the rules at several places."""
        if isinstance(i, int | np.integer):
            return self._rule(self._index(i))
        taken = RuleSet(space=self.space, default=self.default)
        taken._packed = self._packed.take(np.arange(len(self))[i])
        taken._thens, taken._codes = list(self._thens), dict(self._codes)
        return taken

    def _index(self, i: int) -> int:
        if not isinstance(i, int | np.integer) or isinstance(i, bool):
            raise ConditionError(f"a rule is named by its place or by itself, not by {i!r}")
        if not -len(self) <= i < len(self):
            raise IndexError(f"rule {i} of a set of {len(self)}")
        return int(i) % len(self)

    def _rule(self, i: int) -> Rule:
        packed = self._packed
        then, weight = self._thens[packed.then[i]], float(packed.weight[i])
        return Rule(packed.region(i), then=then, weight=weight)

    def __contains__(self, rule: object) -> bool:
        return isinstance(rule, Rule) and len(self._places(rule)) > 0

    def index(self, rule: Rule) -> int:
        """Return the place of the first rule that equals ``rule``."""
        places = self._places(self._cast(rule, 1))
        if not len(places):
            raise ConditionError(f"the set holds no rule {rule}")
        return int(places[0])

    def _places(self, rule: Rule) -> npt.NDArray[np.intp]:
        if rule.region.space != self.space:
            return np.empty(0, dtype=np.intp)
        same = (self.then_codes == self.code_of(rule.then)) & (self.weights == rule.weight)
        key = rule.region.box.simplified().keys()
        return np.flatnonzero(same & (self.boxes.keys() == key).all(axis=1))

    def __eq__(self, other: object) -> bool:
        """Return whether both hold the same rules (in any order), space and default."""
        if not isinstance(other, RuleSet):
            return NotImplemented
        return (
            self.space == other.space
            and self.default == other.default
            and len(self) == len(other)
            and self._counted() == other._counted()
        )

    def _counted(self) -> Counter[Hashable]:
        """Return how often each rule occurs, without making rules."""
        each = zip(self.boxes.keys(), self.thens, self.weights.tolist(), strict=True)
        return Counter((key.tobytes(), then, weight) for key, then, weight in each)

    __hash__ = None  # type: ignore[assignment]

    def copy(self) -> RuleSet:
        """Return a set (a plain RuleSet) with the same rules, which changes on its own."""
        return self[:]

    __copy__ = copy

    def __getstate__(self) -> dict[str, Any]:
        # listeners belong to this process; not every format has keys of any type
        return {k: v for k, v in self.__dict__.items() if k not in ("_listeners", "_codes")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._codes = {then: code for code, then in enumerate(self._thens)}
        self._listeners = weakref.WeakSet()

    def __repr__(self) -> str:
        lines = [f"<RuleSet: {counted(len(self), 'rule')}, {counted(len(self.space), 'feature')}>"]
        lines += [f"  {i}. {rule}" for i, rule in enumerate(self[:20], 1)]
        lines += [f"  … and {len(self) - 20} more"] if len(self) > 20 else []
        lines += [f"  DEFAULT {display(self.default)}"] if self.default is not None else []
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        # nothing is searched for: what is shown must be there at once
        known: list[str] = []
        if self._consistent is not None:
            known = [markup.yes_or_no(self._consistent, "consistent", "not consistent")]
        return markup.block(
            markup.head("Rule set", *head_parts(self), *known),
            rules_table(self, otherwise=self.default is not None),
        )

    # --- changing

    def listen(self, listener: Listener) -> None:
        """Tell ``listener`` of every change from now on, for as long as it lives."""
        self._listeners.add(listener)

    def add(self, rule: Rule, *, force: bool = False) -> None:
        """Add a rule, unless it contradicts one that is there.

        Raises
        ------
        ConflictError
            Says which rule it contradicts, where, and gives a point; ``force=True`` adds it all
            the same.
        """
        rule = self._cast(rule, len(self) + 1)
        if not force:
            self._refuse_conflict(rule, number=len(self) + 1)
        self._append(rule)
        self._consistent = None if force or not self._consistent else True
        for listener in list(self._listeners):
            listener.rule_added(len(self) - 1, rule)

    def remove(self, rule: int | Rule) -> Rule:
        """Remove and return the rule at a place, or one that equals the given rule."""
        i = self.index(rule) if isinstance(rule, Rule) else self._index(rule)
        removed = self._rule(i)
        self._packed.remove(i)
        self._consistent = self._consistent or None
        for listener in list(self._listeners):
            listener.rule_removed(i, removed)
        return removed

    def replace(self, i: int, rule: Rule, *, force: bool = False) -> Rule:
        """Put ``rule`` in the place of the rule at ``i``, which is returned.

        The set stays as it was if the new rule contradicts another one; ``force=True`` puts it
        there all the same.
        """
        i = self._index(i)
        rule = self._cast(rule, i + 1)
        if not force:
            self._refuse_conflict(rule, number=i + 1, but=i)
        removed = self._rule(i)
        self._packed.put(i, rule.region, self._code(rule.then), rule.weight)
        self._consistent = None if force or not self._consistent else True
        for listener in list(self._listeners):
            listener.rule_removed(i, removed)
            listener.rule_added(i, rule)
        return removed

    def _refuse_conflict(self, rule: Rule, number: int, but: int = -1) -> None:
        rivals = self.rivals_of(rule.region, rule.then)
        rivals = rivals[rivals != but]
        if not len(rivals):
            return
        found = [
            Conflict(int(i), number - 1, (self._rule(int(i)), rule)) for i in rivals[:_MOST_TOLD]
        ]
        first = found[0]
        more = f" (and {len(rivals) - 1} more)" if len(rivals) > 1 else ""
        raise ConflictError(
            f"rule {number} ({rule}) contradicts rule {first.first + 1} ({first.rules[0]}){more}:"
            f" both hold where {first.region}, for example at {first.witness_text};"
            " change one of them, or keep both with force=True",
            found,
        )

    def rivals_of(self, region: Region, consequent: Hashable | None = None) -> npt.NDArray[np.intp]:
        """Return the places of the rules that overlap a region and have another consequent.

        With no consequent given, every rule is a rival.
        """
        meets = self._packed.meeting(region.cast(self.space))
        return np.flatnonzero(meets & self.rival_mask(consequent))

    def rival_mask(self, consequent: Hashable | None = None) -> Bools:
        """Return which rules have another consequent; all of them if none is given."""
        if consequent is None:
            return np.ones(len(self), dtype=np.bool_)
        return np.not_equal(self.then_codes, self.code_of(consequent))

    # --- contradictions

    def conflicts(self, *, limit: int | None = None) -> Pairs[Conflict]:
        """Return every pair of rules that overlap and predict different things.

        Parameters
        ----------
        limit : int, optional
            Stop after this many pairs.

        Examples
        --------
        >>> rules = RuleSet([Rule({"age": (0, 30)}, then="low"),
        ...                  Rule({"age": (29, 60)}, then="high")])
        >>> rules.conflicts()[0].region
        29 <= age < 30
        """
        return self._pairs(Conflict, limit)

    def overlaps(self, *, limit: int | None = None) -> Pairs[Overlap]:
        """Return every pair of rules that overlap and predict the same thing.

        Parameters
        ----------
        limit : int, optional
            Stop after this many pairs.
        """
        return self._pairs(Overlap, limit)

    def _pairs(self, kind: type[P], limit: int | None) -> Pairs[P]:
        if limit is not None and (not isinstance(limit, int | np.integer) or limit < 1):
            raise ConditionError(f"limit must be a number of pairs, at least 1, got {limit!r}")
        found = self._find_pairs(same=kind is Overlap, limit=limit or _UNLIMITED)
        # what is found stays true of the rules as they are now
        return Pairs(kind, self.copy(), found)

    def _find_pairs(self, *, same: bool, limit: int = _UNLIMITED) -> Codes:
        pairs = self._packed.overlapping_pairs(same=same, limit=limit)
        if not same:
            self._consistent = not len(pairs)
        return pairs

    @property
    def is_consistent(self) -> bool:
        """Whether no two rules predict different things for the same case."""
        if self._consistent is None:
            self._find_pairs(same=False, limit=1)
        return bool(self._consistent)

    @property
    def is_complete(self) -> bool:
        """Whether every case is covered by a rule.

        The search stops at the first gap, and can take long for many rules that overlap:
        :func:`irenic.gaps` takes a budget, and finds all gaps.

        >>> RuleSet([Rule({"age": (None, 18)}, then="minor"),
        ...          Rule({"age": (18, None)}, then="adult")]).is_complete
        True
        """
        cutter = Cutter(self.boxes, Boxes.whole(self.space), first=True)
        return not any(found for found in cutter.bursts(Meter(None)))

    # --- on instances

    def covering(self, X: Any) -> Bools:
        """Return which rules cover which instances: ``[instance, rule]``.

        >>> rules = RuleSet([Rule({"age": (0, 30)}, then="low")])
        >>> rules.covering({"age": [29, 30]})
        array([[ True],
               [False]])
        """
        return self._packed.covering(self.space.encode(X)).T

    def decide(self, X: Any, *, resolve: Resolve | None = None) -> Ints:
        """Return the place of the rule that decides each instance, -1 where none covers it.

        Where several rules of one consequent cover an instance, it is the first of them.
        """
        self._check_resolve(resolve)
        instances = self.space.encode(X)
        if resolve == "vote":
            return self._packed.voting(instances, len(self._thens))
        return self._packed.deciding(instances, self._by_priority(resolve))

    def _by_priority(self, resolve: Resolve | None) -> Ints:
        """Return the rules in the order in which the first that covers a case decides it."""
        if resolve == "best":
            return np.argsort(-self.weights, kind="stable")
        return np.arange(len(self))

    def _check_resolve(self, resolve: Resolve | None) -> None:
        if resolve is None:
            if not self.is_consistent:
                conflict = self.conflicts(limit=1)[0]
                raise ConflictError(
                    f"the rules contradict each other: {conflict}; mend them, or say how to"
                    ' choose with resolve="best", "vote" or "first"',
                    [conflict],
                )
        elif resolve not in RESOLVE:
            raise ConditionError(f"resolve is one of {', '.join(RESOLVE)}, not {resolve!r}")

    def predict(
        self, X: Any, *, default: Hashable | None = None, resolve: Resolve | None = None
    ) -> npt.NDArray[Any]:
        """Return the consequent for each instance.

        Parameters
        ----------
        X : table
        default : hashable, optional
            What to predict where no rule holds, instead of the set's own default; with neither,
            None is predicted there.
        resolve : {"best", "vote", "first"}, optional
            How to choose where rules contradict each other: the rule of the greatest weight, the
            consequent with the greatest sum of weights, or the first rule. A set with conflicts
            refuses to predict without it.

        Returns
        -------
        array
            Of numbers or booleans where all consequents and the default are such, else of objects.
        """
        fallback = self.default if default is None else as_consequent(default)
        decided = self.decide(X, resolve=resolve)
        answers = [*self._thens, fallback]
        used = np.append(np.unique(self.then_codes), len(answers) - 1)
        kind = common_type([answers[code] for code in used])
        table: npt.NDArray[Any] = np.zeros(len(answers), dtype=kind or object)
        for code in used:
            table[code] = answers[code]
        codes = np.append(self.then_codes, len(answers) - 1)
        answer: npt.NDArray[Any] = table[codes[decided]]
        return answer

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

        Examples
        --------
        >>> rules = RuleSet([Rule({"age": (0, 30)}, then="low")], default="high")
        >>> decide = rules.decider()
        >>> decide({"age": 29}), decide({"age": 30})
        ('low', 'high')
        """
        self._check_resolve(resolve)
        order = None if resolve == "vote" else self._by_priority(resolve)
        return Decider(self._packed, self.thens, default=self.default, order=order)

    def explain(self, X: Any, *, resolve: Resolve | None = None) -> list[Explanation]:
        """Return for each instance which rules cover it and what follows, in words.

        >>> rules = RuleSet([Rule({"age": (0, 30)}, then="low")], default="high")
        >>> for explanation in rules.explain({"age": [29, 30]}):
        ...     print(explanation)
        low, by rule 1: IF 0 <= age < 30 THEN low
        high, by default: no rule covers this case
        """
        instances = self.space.encode(X)
        decided = self.decide(instances, resolve=resolve)
        found: list[Explanation] = []
        for start in range(0, len(instances), _ROWS_EXPLAINED):  # a matrix of all rows may be huge
            rows = slice(start, start + _ROWS_EXPLAINED)
            covering = self.covering(instances.take(rows))
            found += [
                self._explain(int(rule), np.flatnonzero(covers))
                for rule, covers in zip(decided[rows], covering, strict=True)
            ]
        return found

    def _explain(self, decided: int, covering: npt.NDArray[np.intp]) -> Explanation:
        if decided < 0:
            if self.default is None:
                return Explanation(None, (), "nothing: no rule covers this case")
            text = f"{display(self.default)}, by default: no rule covers this case"
            return Explanation(self.default, (), text)
        rule = self._rule(decided)
        text = f"{display(rule.then)}, by rule {decided + 1}: {rule}"
        then = self.then_codes
        same = [int(i) for i in covering if then[i] == then[decided]]
        also = [f"{i + 1}" for i in same if i != decided]
        against = [f"{i + 1}" for i in covering if then[i] != then[decided]]
        text += f" (and by rule {', '.join(also)})" if also else ""
        text += f" (against rule {', '.join(against)})" if against else ""
        return Explanation(rule.then, (decided, *(i for i in same if i != decided)), text)

    def statistics(self, X: Any, y: Any) -> Statistics:
        """Return the support, confidence and class mix of each rule on labelled instances.

        >>> rules = RuleSet([Rule({"age": (0, 30)}, then="low")])
        >>> stats = rules.statistics({"age": [10, 20, 29, 50]}, ["low", "low", "high", "high"])
        >>> stats.support, stats.confidence.round(2), stats.labels, stats.mix
        (array([3]), array([0.67]), ('low', 'high'), array([[2, 1]]))
        """
        instances = self.space.encode(X)
        given = to_list(y)
        if len(given) != len(instances):
            raise DataError(f"{len(instances)} instances, but {len(given)} labels")
        found: dict[Hashable, int] = {}
        labels = np.array(
            [found.setdefault(as_consequent(label), len(found)) for label in given], dtype=np.int64
        )
        mix, _ = self._packed.counting(instances, labels, max(len(found), 1))
        column = [found.get(then, -1) for then in self._thens]
        own = np.array(column, dtype=np.int64)[self.then_codes]
        right = np.where(own >= 0, mix[np.arange(len(self)), own], 0)
        support = mix.sum(axis=1)
        confidence = np.divide(right, support, out=np.full(len(self), math.nan), where=support > 0)
        return Statistics(tuple(found), mix[:, : len(found)], support, confidence)

    # --- measures

    def conditions_per_rule(self) -> Ints:
        """Return on how many features each rule has a condition."""
        return self._packed.boxes.n_conditions()

    @property
    def n_conditions(self) -> int:
        """How many conditions all rules have together."""
        return int(self.conditions_per_rule().sum())

    def explanation_size(self, X: Any) -> float:
        """Return the prediction-explanation size: how much a person reads for one prediction.

        It is the mean over instances of the summed number of conditions of all rules that cover
        the instance; one that is left to the default adds 0.

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

    def simplified(self) -> RuleSet:
        """Return an equivalent set without what says nothing.

        Conditions that the space's bounds imply are dropped, and rules that lie inside another
        of the same consequent (of equal rules the first stays). In a set with conflicts no rule
        is dropped: each counts where they are resolved.

        >>> from irenic import Continuous, Space
        >>> space = Space([Continuous("age", bounds=(0, 120))])
        >>> RuleSet([Rule({"age": (0, 30)}, then="low"),
        ...          Rule({"age": (5, 20)}, then="low")], space).simplified()
        <RuleSet: 1 rule, 1 feature>
          1. IF age < 30 THEN low
        """
        kept = self if not self.is_consistent else self[self._not_inside()]
        rules = (Rule(r.region.simplified(), then=r.then, weight=r.weight) for r in kept)
        return RuleSet(rules, self.space, default=self.default)

    def _not_inside(self) -> Bools:
        """Return which rules lie in no other rule of the same consequent."""
        first, second = self._find_pairs(same=True).T
        boxes = self.boxes
        keep = np.ones(len(self), dtype=np.bool_)
        later = boxes.inside(second, first)
        keep[second[later]] = False
        keep[first[boxes.inside(first, second) & ~later]] = False
        return keep

    def to_frame(self, backend: str | None = None) -> Any:
        """Return the rules as a table: one row a rule, in words and in numbers.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            Which kind of table; None takes the first that is installed.
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


def head_parts(rules: RuleSet) -> list[str]:
    """Return what a notebook says above a table of rules."""
    parts = [counted(len(rules), "rule"), counted(len(rules.space), "feature")]
    if rules.default is not None:
        parts.append(markup.join("default ", markup.consequent(rules.default, _colours(rules))))
    return parts


def _colours(rules: RuleSet) -> dict[Hashable, str]:
    """Return the colours of what the rules that are shown say."""
    thens = rules.consequents
    codes = np.unique(rules.then_codes[:_MOST_SHOWN])
    return markup.colours([*(thens[code] for code in codes), rules.default])


def rules_table(
    rules: RuleSet,
    *,
    otherwise: bool,
    more: Mapping[markup.Column, Callable[[int], str]] | None = None,
    colours: Mapping[Hashable, str] | None = None,
) -> markup.Html:
    """Return rules as a table for a notebook.

    ``otherwise`` adds a row for where no rule holds; ``more`` are further columns, each a function
    of the place of a rule, to which the row for no rule is one more place at the end.
    """
    more = more or {}
    colours = _colours(rules) if colours is None else colours
    weighted = bool((rules.weights != 1.0).any())

    def row(number: str, asked: str, then: Hashable | None, weight: str, place: int) -> list[str]:
        cells = [number, asked, markup.consequent(then, colours), *([weight] if weighted else [])]
        return [*cells, *(column(place) for column in more.values())]

    rows = [
        row(str(i + 1), markup.code(r.region.to_text()), r.then, f"{r.weight:g}", i)
        for i, r in enumerate(rules[:_MOST_SHOWN])
    ]
    hidden = len(rules) - len(rows)
    if otherwise:
        rows.append(row("", "otherwise", rules.default, "", len(rules)))
    column = markup.Column
    columns = [column("rule", True), column("if"), column("then")]
    columns += [column("weight", True)] if weighted else []
    return markup.join(markup.table([*columns, *more], rows), markup.left_out(hidden))


def check_rules(rules: object) -> None:
    """Refuse what is not a rule set, where one is asked for."""
    if not isinstance(rules, RuleSet):
        raise ConditionError(
            f"rules must be a RuleSet, not {type(rules).__name__}; make one with"
            " RuleSet(space, rules)"
        )


def _shared_space(rules: Sequence[Rule]) -> Space:
    """Return the space that the rules share, else one that their conditions tell of."""
    spaces = {rule.region.space for rule in rules}
    if len(spaces) == 1:
        return spaces.pop()
    return Space(
        infer_features([item for rule in rules for item in rule.region.conditions().items()])
    )
