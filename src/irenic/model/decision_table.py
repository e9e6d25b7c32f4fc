"""Decision tables: rules in rows, with a hit policy for cases in which several rows hold."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property
from importlib import import_module
from typing import Any, Final, Literal, get_args

import numpy as np
import numpy.typing as npt

from irenic.arrays import distinct
from irenic.errors import ConditionError, ConflictError, did_you_mean
from irenic.model.columns import as_records, take_apart
from irenic.model.decider import Decider
from irenic.model.explanation import Explanation, common_type
from irenic.model.features import EXACT
from irenic.model.literals import counted
from irenic.model.overlap import Conflict
from irenic.model.provenance import Provenance
from irenic.model.rule import as_default
from irenic.model.rulelist import RuleList
from irenic.model.ruleset import RuleSet, as_rule_set, learned_rules
from irenic.model.shown import Editable
from irenic.model.space import Instances, Space

HitPolicy = Literal["UNIQUE", "ANY", "FIRST", "PRIORITY", "RULE ORDER", "OUTPUT ORDER", "COLLECT"]
HIT_POLICIES: Final[tuple[HitPolicy, ...]] = get_args(HitPolicy)
# Instances that are compared with all rules at once.
_MOST_AT_ONCE: Final = 10_000


@dataclass(frozen=True, eq=False)
class DecisionTable(Editable):
    """A table whose rows are rules, as in spreadsheets and DMN files.

    A row with more than one interval in a cell (``< 18, >= 60``) makes several rules; ``rows``
    contains the row of each rule. A row that can never hold, because it requires values that
    cannot occur, makes none.

    Parameters
    ----------
    rules : RuleSet
        The rules. If there are several output columns, consequents are tuples.
    rows : tuple of int
        Index of the row of each rule.
    n_rows : int
        Number of rows.
    hit_policy : str, optional
        What happens if several rows hold, as in DMN: UNIQUE (they never do), ANY (they must
        agree), FIRST or PRIORITY (one of them wins), RULE ORDER, OUTPUT ORDER or COLLECT (all of
        them count). None is a set of rules, which may overlap and must agree.
    outputs : tuple of str
        Names of the output columns.
    name : str
        Name of the table.
    ranking : tuple of hashable
        Consequents from the highest priority to the lowest, for PRIORITY and OUTPUT ORDER.
    aggregation : str
        How COLLECT aggregates consequents: SUM, MIN, MAX or COUNT; empty for a list of all.
    computed : mapping of str to callable
        Features that need not be columns of the data, such as ``"limit compared with amount"``.
        Each is computed from an instance, a mapping from the names of columns to values.
    provenance : Provenance, optional
        Where the rows come from, and what their file says beyond the rules.

    Raises
    ------
    ConditionError
        If the rows, lines or consequents do not fit the rules, the hit policy is unknown, or rules
        decide only some labels under a policy by which one row wins or all rows count.

    Examples
    --------
    >>> from irenic import DecisionTable, Rule, RuleSet
    >>> rules = RuleSet([Rule({"age": (None, 18)}, then="reduced"),
    ...                  Rule({"age": (60, None)}, then="reduced"),
    ...                  Rule({"age": (18, 60)}, then="full")])
    >>> table = DecisionTable(rules, rows=(0, 0, 1), n_rows=2, name="fares")
    >>> table.places(0)
    [0, 1]
    >>> table
    <DecisionTable 'fares': 2 rows, 1 feature>
    """

    rules: RuleSet
    rows: tuple[int, ...]
    n_rows: int
    hit_policy: HitPolicy | None = None
    outputs: tuple[str, ...] = ("then",)
    name: str = ""
    ranking: tuple[Hashable, ...] = ()
    aggregation: str = ""
    computed: Mapping[str, Callable[[Mapping[str, Any]], Any]] = field(default_factory=dict)
    provenance: Provenance = field(default_factory=Provenance)

    def __post_init__(self) -> None:
        as_rule_set(self.rules)
        if type(self.n_rows) is not int or self.n_rows < 0:
            raise ConditionError(f"n_rows must be a non-negative integer, got {self.n_rows!r}")
        if len(self.rows) != len(self.rules):
            raise ConditionError(
                f"rows must have {len(self.rules)} indices, one per rule, got {len(self.rows)}"
            )
        if any(type(row) is not int or not 0 <= row < self.n_rows for row in self.rows):
            raise ConditionError(f"rows must be indices below {self.n_rows}, got {self.rows}")
        if (lines := self.provenance.lines) and len(lines) != self.n_rows:
            raise ConditionError(
                f"lines must have {self.n_rows} numbers, one per row, got {len(lines)}"
            )
        codes: dict[int, int] = {}
        for row, code in zip(self.rows, self.rules.then_codes.tolist(), strict=True):
            if codes.setdefault(row, code) != code:
                raise ConditionError(f"row {row + 1} must have one consequent, got two")
        if self.hit_policy is not None and self.hit_policy not in HIT_POLICIES:
            hint = did_you_mean(self.hit_policy, HIT_POLICIES)
            raise ConditionError(f"unknown hit policy {self.hit_policy!r}{hint}")
        if self.is_ordered or self.collects:
            instead = "use a table without a hit policy, in which such rules decide together"
            self.rules.check_whole(f"the hit policy {self.hit_policy}", instead)

    @classmethod
    def from_rules(
        cls, rules: RuleSet | RuleList | DecisionTable, *, name: str = ""
    ) -> DecisionTable:
        """Return a rule set, rule list or decision table as a decision table.

        Sets and lists make one row per rule; the table of a list has the hit policy FIRST. A table
        is returned unchanged, with its own name.
        """
        if isinstance(rules, DecisionTable):
            return rules
        rules = learned_rules(rules)
        if not isinstance(rules, RuleSet | RuleList):
            raise ConditionError(
                "rules must be a RuleSet, a RuleList or a DecisionTable, got"
                f" {type(rules).__name__}; irenic.read(path) reads the rules of a file"
            )
        policy: HitPolicy | None = "FIRST" if isinstance(rules, RuleList) else None
        rule_set = rules.rules if isinstance(rules, RuleList) else rules
        n = len(rule_set)
        return cls(rule_set, tuple(range(n)), n, hit_policy=policy, name=name)

    @property
    def space(self) -> Space:
        """The space of the rules, with one feature per input column."""
        return self.rules.space

    def __len__(self) -> int:
        return self.n_rows

    def __repr__(self) -> str:
        rows, features = counted(self.n_rows, "row"), counted(len(self.space), "feature")
        policy = f", {self.hit_policy}" if self.hit_policy else ""
        return f"<DecisionTable {self.name!r}: {rows}, {features}{policy}>"

    def places(self, row: int) -> list[int]:
        """Return the indices of the rules of a row; none if the row can never hold."""
        return list(self._places.get(row, ()))

    @cached_property
    def _places(self) -> dict[int, list[int]]:
        places: dict[int, list[int]] = {}
        for index, row in enumerate(self.rows):
            places.setdefault(row, []).append(index)
        return places

    @property
    def never_hold(self) -> tuple[int, ...]:
        """Indices of the rows that can never hold, so that they make no rule."""
        rows = set(self.rows)
        return tuple(row for row in range(self.n_rows) if row not in rows)

    def with_rules(self, rules: RuleSet) -> DecisionTable:
        """Return the table with other rules, one per row.

        Name, outputs and hit policy are kept, except that an ordered table becomes one without a
        hit policy. Rows that can never hold follow the rules.
        """
        n = len(rules)
        policy = None if self.is_ordered else self.hit_policy
        never = {row: n + i for i, row in enumerate(self.never_hold)}
        provenance = self.provenance.renumbered(never, n + len(never))
        ranked = replace(self, hit_policy=policy, ranking=())
        rows = tuple(range(n))
        return replace(ranked, rules=rules, rows=rows, n_rows=n + len(never), provenance=provenance)

    def without_unsatisfiable(self) -> DecisionTable:
        """Return the table without the rows that can never hold."""
        numbers = {row: number for number, row in enumerate(dict.fromkeys(sorted(self.rows)))}
        rows = tuple(numbers[row] for row in self.rows)
        provenance = self.provenance.renumbered(numbers, len(numbers))
        return replace(self, rows=rows, n_rows=len(numbers), provenance=provenance)

    def place(self, rows: Iterable[int], column: str = "") -> str:
        """Return where rows or a cell are in the spreadsheet from which the table was read.

        In words, such as "lines 2 and 5" or "Fares!B5"; empty if it is not known.
        """
        return self.provenance.place(rows, column)

    def say_conflict(self, conflict: Conflict) -> str:
        """Return a conflict of two rows in words, with their place if it is known."""
        place = self.place((conflict.first, conflict.second))
        return f"{place}: {conflict}" if place else str(conflict)

    def say_never(self, row: int) -> str:
        """Return a warning that a row is left out because it can never hold."""
        reason = self.provenance.why_never.get(row, "")
        return f"rule {row + 1} can never hold and is left out" + (f": {reason}" if reason else "")

    def under(self, hit_policy: HitPolicy | None) -> DecisionTable:
        """Return the table with another hit policy."""
        return replace(self, hit_policy=hit_policy)

    @property
    def is_ordered(self) -> bool:
        """Whether one of several rows that hold wins: FIRST or PRIORITY."""
        return self.hit_policy in ("FIRST", "PRIORITY")

    @property
    def collects(self) -> bool:
        """Whether all rows that hold count: RULE ORDER, OUTPUT ORDER or COLLECT."""
        return self.hit_policy in ("RULE ORDER", "OUTPUT ORDER", "COLLECT")

    def first_conflict(self) -> Conflict | None:
        """Return a conflict, with the indices of its two rows; None if there is none."""
        for pair in self.rules.conflicts(limit=1):
            return Conflict(self.rows[pair.first], self.rows[pair.second], pair.rules)
        return None

    @property
    def winning(self) -> list[int]:
        """Indices of the rules from the highest priority to the lowest, else as they are."""
        if self.hit_policy not in ("PRIORITY", "OUTPUT ORDER"):
            return list(range(len(self.rules)))
        ranks = {then: rank for rank, then in enumerate(self.ranking)}
        thens = self.rules.thens
        return sorted(range(len(thens)), key=lambda i: ranks.get(thens[i], len(ranks)))

    def as_rules(self) -> RuleSet | RuleList:
        """Return the rules of the table.

        A list if the table is ordered, else a set.
        """
        if not self.is_ordered:
            return self.rules.copy()
        return RuleList.from_rules(self.rules[self.winning])

    def explain(self, X: Any) -> list[Explanation]:
        """Return the reason for the decision on each instance, with the indices of rows."""
        decides = self.is_ordered or self.collects
        if not decides and (conflict := self.first_conflict()) is not None:
            raise self._conflict_error(conflict)
        # by name, because searches are above the model
        explaining = import_module("irenic.searching.explaining")
        deciding = explaining.Deciding.of_table(self)
        explained: list[Explanation] = explaining.explained(deciding, self.encode(X)).each()
        return explained

    def explanation_size(self, X: Any) -> float:
        """Return the mean number of conditions to read for a prediction.

        If the table is ordered (FIRST and PRIORITY), all rules down to the one that decides count,
        from the highest priority; see :meth:`RuleList.explanation_size`. Otherwise, all rules that
        cover an instance count; see :meth:`RuleSet.explanation_size`.
        """
        return self.as_rules().explanation_size(X)

    def encode(self, X: Any) -> Instances:
        """Return a table of instances as numbers, with the features that are computed from it."""
        if not self.computed or isinstance(X, Instances):
            return self.space.encode(X)
        cases = as_records(X)
        if not cases:
            return self.space.encode([])
        names, columns, length = take_apart(X)
        table = dict(zip(names or (), columns, strict=True))
        for name, compute in self.computed.items():
            if name in table or name not in self.space:
                continue
            column = np.empty(length, dtype=object)
            column[:] = [compute(case) for case in cases]
            table[name] = column
        return self.space.encode(table)

    def decide(self, X: Any) -> list[tuple[int, ...]]:
        """Return the indices of the rows that decide each instance.

        One row per instance, none if no row holds. Under RULE ORDER and COLLECT, and for rules that
        decide some labels, all rows that hold; under OUTPUT ORDER these in the order of
        ``ranking``. Contradictions that the hit policy does not resolve are errors.

        Examples
        --------
        >>> from irenic import DecisionTable, Rule, RuleSet
        >>> rules = RuleSet([Rule({"years": (2, None)}, then=100),
        ...                  Rule({"years": (5, None)}, then=500)])
        >>> DecisionTable.from_rules(rules).under("COLLECT").decide({"years": [1, 3, 9]})
        [(), (0,), (0, 1)]
        """
        instances = self.encode(X)
        if self.collects or self.rules.is_partial:
            return list(self._holding(instances))
        if not self.is_ordered and (conflict := self.first_conflict()) is not None:
            raise self._conflict_error(conflict)
        order = np.array(self.winning, dtype=np.int64)
        decided = self.rules.packed.deciding(instances, order).tolist()
        return [() if index < 0 else (self.rows[index],) for index in decided]

    def _conflict_error(self, conflict: Conflict) -> ConflictError:
        return ConflictError(
            f"the rules contradict each other: {conflict}; repair them, or use a hit policy that"
            " says which of them wins, such as FIRST",
            [conflict],
        )

    def _holding(self, instances: Instances) -> Iterator[tuple[int, ...]]:
        """Yield the rows that hold for each instance, in the order of their outcomes."""
        ranks = {then: rank for rank, then in enumerate(self.ranking)}
        thens = dict(zip(self.rows, self.rules.thens, strict=True))

        def rank(row: int) -> int:
            return ranks.get(thens[row], len(ranks))

        owners = np.array(self.rows, dtype=np.int64)
        for start in range(0, len(instances), _MOST_AT_ONCE):
            part = instances.take(slice(start, start + _MOST_AT_ONCE))
            for covering in self.rules.packed.covering(part).T:
                rows = distinct(owners[covering]).tolist()
                yield tuple(sorted(rows, key=rank) if self.hit_policy == "OUTPUT ORDER" else rows)

    def predict(self, X: Any, *, default: Hashable | None = None) -> npt.NDArray[Any]:
        """Return the outcome of each instance under the hit policy.

        Parameters
        ----------
        X : table
            The instances.
        default : hashable, optional
            The outcome where no row holds (default: that of the rules).

        Returns
        -------
        array
            Of outcomes. RULE ORDER, OUTPUT ORDER and COLLECT return lists of outcomes, and COLLECT
            with an aggregation a number (with several outputs, a tuple of numbers, but one COUNT).
            Where no row holds and there is no default, it is None; under COLLECT an empty list,
            and with COUNT 0.

        Raises
        ------
        ConflictError
            If rows contradict each other and the hit policy does not say which one wins.
        ConditionError
            If outcomes cannot be aggregated.

        Examples
        --------
        >>> from irenic import DecisionTable, Rule, RuleSet
        >>> rules = RuleSet([Rule({"years": (2, None)}, then=100),
        ...                  Rule({"years": (5, None)}, then=500)])
        >>> table = DecisionTable(rules, rows=(0, 1), n_rows=2, hit_policy="COLLECT")
        >>> table.predict({"years": [1, 3, 9]}).tolist()
        [[], [100], [100, 500]]
        >>> from dataclasses import replace
        >>> replace(table, aggregation="SUM").predict({"years": [3, 9]}, default=0)
        array([100, 600])
        """
        if self.rules.is_partial:
            return self.rules.predict(self.encode(X), default=default)
        fallback = self.rules.default if default is None else as_default(default)
        thens = dict(zip(self.rows, self.rules.thens, strict=True))
        outcomes = []
        for rows in self.decide(X):
            if not rows and fallback is not None:
                outcomes.append(fallback)
            else:
                holding = [thens[row] for row in rows]
                outcomes.append(combined(holding, self.hit_policy, self.aggregation))
        dtype = common_type(outcomes) if outcomes else None
        predictions: npt.NDArray[Any] = np.empty(len(outcomes), dtype=dtype or object)
        for i, outcome in enumerate(outcomes):
            predictions[i] = outcome
        return predictions

    def decider(self) -> Decider:
        """Return the table prepared to decide one record after another; see :class:`Decider`.

        Its method ``rule`` returns the index of a rule; ``rows`` gives the row that the rule comes
        from. A policy under which all rows that hold count (RULE ORDER, OUTPUT ORDER and COLLECT)
        is an error, and so is one that does not resolve a contradiction.
        """
        if self.collects:
            raise ConditionError(
                f"under {self.hit_policy} all rules that hold count, so none of them decides alone;"
                " use predict(X)"
            )
        if not self.is_ordered:
            return self.rules.decider()
        order = np.array(self.winning, dtype=np.int64)
        rules = self.rules
        return Decider(rules.packed, rules.thens, default=rules.default, order=order)


def combined(thens: Sequence[Any], hit_policy: HitPolicy | None, aggregation: str = "") -> Any:
    """Return the outcome of a table, given those of the rows that decide; None if there is none.

    >>> combined(["b", "a"], "RULE ORDER"), combined([], "COLLECT"), combined([3, 5], "FIRST")
    (['b', 'a'], [], 3)
    """
    if hit_policy == "COLLECT" and aggregation:
        return _aggregated(thens, aggregation)
    if hit_policy in ("RULE ORDER", "OUTPUT ORDER", "COLLECT"):
        return list(thens) if thens or hit_policy == "COLLECT" else None
    return thens[0] if thens else None


def _aggregated(thens: Sequence[Any], aggregation: str) -> Any:
    if aggregation == "COUNT":
        return len(thens)
    if not thens:
        return None
    if all(isinstance(then, tuple) for then in thens):
        return tuple(_aggregated(column, aggregation) for column in zip(*thens, strict=True))
    try:
        if aggregation == "SUM":
            return _sum(thens)
        return min(thens) if aggregation == "MIN" else max(thens)
    except TypeError:
        shown = ", ".join(map(repr, thens))
        what = "numbers" if aggregation == "SUM" else "values of one ordered kind"
        raise ConditionError(f"{aggregation} needs {what}, got {shown}") from None


def _sum(numbers: Sequence[Any]) -> int | float:
    """Return a sum of decimals, as in DMN, so that 0.1 + 0.2 is 0.3."""
    if any(isinstance(n, bool) or not isinstance(n, int | float) for n in numbers):
        raise TypeError
    if all(isinstance(n, int) for n in numbers):
        return int(sum(numbers))
    total = sum((Decimal(repr(n)) for n in numbers), Decimal(0))
    whole = total == int(total) and abs(total) <= EXACT if total.is_finite() else False
    return int(total) if whole else float(total)


def unordered(rules: RuleSet | DecisionTable) -> DecisionTable:
    """Return unordered rules as a table; raise an error if they are ordered."""
    table = DecisionTable.from_rules(rules)
    if table.is_ordered:
        raise ConditionError(
            "rules must be unordered, got a list: the first rule that holds decides;"
            " irenic.to_set (irenic convert --as-set) converts it to an equivalent set"
        )
    return table
