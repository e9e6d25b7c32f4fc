"""Decision tables: rules in rows, with a policy for cases in which several of them hold."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal, NamedTuple, get_args

import numpy as np

from irenic.boxes import Boxes
from irenic.errors import ConditionError, did_you_mean
from irenic.model import markup
from irenic.model.decider import Decider
from irenic.model.literals import counted, say
from irenic.model.overlap import Conflict
from irenic.model.region import Region
from irenic.model.rule import Rule
from irenic.model.rulelist import RuleList
from irenic.model.ruleset import RuleSet, check_rules
from irenic.model.space import Space

HitPolicy = Literal["UNIQUE", "ANY", "FIRST", "PRIORITY", "RULE ORDER", "OUTPUT ORDER", "COLLECT"]
HIT_POLICIES: Final[tuple[HitPolicy, ...]] = get_args(HitPolicy)
# How many rules a notebook shows.
_MOST_SHOWN: Final = 100


class UnsatisfiableRow(NamedTuple):
    """A row that can never hold, as it is written back: it makes no rule."""

    row: int
    cells: tuple[str, ...]
    """What it asks of each feature, in FEEL."""
    then: Hashable
    weight: float = 1.0


@dataclass(frozen=True, eq=False)
class DecisionTable:
    """A table whose rows are rules, as spreadsheets and DMN files hold them.

    A row whose cells say more than one interval (``< 18, >= 60``) makes more than one rule;
    ``rows`` gives the index of the row that each rule comes from. A row that can never hold, since
    it asks for what cannot occur, makes none.

    Parameters
    ----------
    rules : RuleSet
        The consequent of a table with several output columns is a tuple.
    rows : tuple of int
        The index of the row of each rule.
    n_rows : int
        How many rows there are.
    hit_policy : str, optional
        What the table means where several rows hold, as in DMN: UNIQUE (they never do), ANY (they
        agree), FIRST or PRIORITY (one of them wins), RULE ORDER, OUTPUT ORDER or COLLECT (all of
        them count). None is a set of rules: they may overlap and must agree.
    outputs : tuple of str
        The names of the output columns.
    name, id : str
        How the table is called in its file.
    ranking : tuple of hashable
        Consequents from the highest priority to the lowest, where the policy is PRIORITY.
    outside : tuple of Region
        Parts of the space that cannot occur, disjoint: no rule needs to cover them.
    aggregation : str
        What COLLECT makes of what it collects: SUM, MIN, MAX or COUNT; empty for all of it.
    lines : tuple of int
        The line (or row of the sheet) in which each row stands; empty if that is not known.
    reasons : tuple of (int, str)
        Why rows make no rule, as far as the file tells: the row, and what it asks for that cannot
        occur.
    unsatisfiable : tuple of UnsatisfiableRow
        The cells of rows that make no rule, so that they can be written back.
    left_out : tuple of str
        What else the file holds, such as annotations, that is not read and not written back.

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
    id: str = ""
    ranking: tuple[Hashable, ...] = ()
    outside: tuple[Region, ...] = ()
    aggregation: str = ""
    lines: tuple[int, ...] = ()
    reasons: tuple[tuple[int, str], ...] = ()
    unsatisfiable: tuple[UnsatisfiableRow, ...] = ()
    left_out: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_rules(self.rules)
        if type(self.n_rows) is not int or self.n_rows < 0:
            raise ConditionError(f"n_rows is how many rows there are, not {self.n_rows!r}")
        if len(self.rows) != len(self.rules):
            raise ConditionError(f"{len(self.rules)} rules, but rows of {len(self.rows)}")
        if any(type(row) is not int or not 0 <= row < self.n_rows for row in self.rows):
            raise ConditionError(f"rows must be indices below {self.n_rows}, got {self.rows}")
        if self.lines and len(self.lines) != self.n_rows:
            raise ConditionError(f"{self.n_rows} rows, but {len(self.lines)} lines")
        said: dict[int, int] = {}
        for row, code in zip(self.rows, self.rules.then_codes.tolist(), strict=True):
            if said.setdefault(row, code) != code:
                raise ConditionError(f"row {row + 1} must have one consequent, got two")
        if self.hit_policy is not None and self.hit_policy not in HIT_POLICIES:
            hint = did_you_mean(self.hit_policy, HIT_POLICIES)
            raise ConditionError(f"unknown hit policy {self.hit_policy!r}{hint}")

    @classmethod
    def of(cls, rules: RuleSet | RuleList | DecisionTable, *, name: str = "") -> DecisionTable:
        """Return rules in any form as a table.

        Parameters
        ----------
        rules : RuleSet, RuleList or DecisionTable
            A set and a list make one row per rule; of a list the first row that holds wins. A
            table is returned as it is.
        name : str
            What to call the table of a set or a list.

        Raises
        ------
        ConditionError
            If it is anything else.

        Examples
        --------
        >>> from irenic import Rule, RuleList
        >>> DecisionTable.of(RuleList([Rule({"age": (0, 9)}, then="child")])).hit_policy
        'FIRST'
        """
        if isinstance(rules, DecisionTable):
            return rules
        if not isinstance(rules, RuleSet | RuleList):
            raise ConditionError(
                "rules must be a RuleSet, a RuleList or a DecisionTable, got"
                f" {type(rules).__name__}; irenic.read(path) reads the rules of a file"
            )
        policy: HitPolicy | None = "FIRST" if isinstance(rules, RuleList) else None
        held = rules.rules if isinstance(rules, RuleList) else rules
        n = len(held)
        return cls(held, tuple(range(n)), n, hit_policy=policy, name=name)

    @property
    def space(self) -> Space:
        """The space of the rules: a feature an input column."""
        return self.rules.space

    def __len__(self) -> int:
        return self.n_rows

    def __repr__(self) -> str:
        rows, features = counted(self.n_rows, "row"), counted(len(self.space), "feature")
        policy = f", {self.hit_policy}" if self.hit_policy else ""
        return f"<DecisionTable {self.name!r}: {rows}, {features}{policy}>"

    def _repr_html_(self) -> str:
        parts = [counted(self.n_rows, "row"), counted(len(self.space), "feature")]
        parts += [f"hit policy {self.hit_policy}"] if self.hit_policy else []
        title = "Decision table" + (f" {markup.clip(say(self.name))}" if self.name else "")
        lines = sorted([*enumerate(self.rows), *((None, row) for row in self.never_hold)], key=_row)
        shown = [(row, None if i is None else self.rules[i]) for i, row in lines[:_MOST_SHOWN]]
        colours = markup.colours([r.then for _, r in shown if r] + [self.rules.default])
        made = self._html_rows(shown, colours)
        if self.rules.default is not None:
            made.append(["", "otherwise", markup.consequent(self.rules.default, colours)])
        then = ", ".join(self.outputs) or "then"
        columns = [markup.Column("row", True), markup.Column("if"), markup.Column(then)]
        return markup.block(
            markup.head(title, *parts),
            markup.table(columns, made),
            markup.left_out(len(lines) - len(shown)),
        )

    def _html_rows(
        self, shown: list[tuple[int, Rule | None]], colours: dict[Hashable, str]
    ) -> list[list[str]]:
        why, made, last = dict(self.reasons), [], -1
        for row, rule in shown:
            number = "" if row == last else str(row + 1)
            if rule is None:
                asked: str = f"never holds: {why.get(row) or 'it asks for what cannot occur'}"
                made.append([number, markup.clip(asked), ""])
            else:
                asked = markup.code(rule.region.to_text())
                made.append([number, asked, markup.consequent(rule.then, colours)])
            last = row
        return made

    def places(self, row: int) -> list[int]:
        """Return the places of the rules that a row makes; none if it can never hold."""
        return [place for place, of in enumerate(self.rows) if of == row]

    @property
    def never_hold(self) -> tuple[int, ...]:
        """The rows that ask for what cannot occur, so that they make no rule."""
        made = set(self.rows)
        return tuple(row for row in range(self.n_rows) if row not in made)

    def with_rules(self, rules: RuleSet) -> DecisionTable:
        """Return a table of the same name, outputs and policy with other rules, one per row.

        What was ordered no longer is: a set is held to no policy. Rows that can never hold follow
        the rules.
        """
        n = len(rules)
        policy = None if self.is_ordered else self.hit_policy
        numbers = {row: n + place for place, row in enumerate(self.never_hold)}
        made = replace(self, rules=rules, rows=tuple(range(n)), n_rows=n + len(numbers), lines=())
        return replace(made, hit_policy=policy, ranking=()).renumbered(numbers)

    def renumbered(self, numbers: Mapping[int, int]) -> DecisionTable:
        """Return the table with new numbers for rows that make no rule; others are gone."""
        reasons = tuple((numbers[row], why) for row, why in self.reasons if row in numbers)
        unsatisfiable = tuple(
            b._replace(row=numbers[b.row]) for b in self.unsatisfiable if b.row in numbers
        )
        return replace(self, reasons=reasons, unsatisfiable=unsatisfiable)

    def without_unsatisfiable(self) -> DecisionTable:
        """Return the table without the rows that can never hold, the others numbered anew."""
        numbers = {row: number for number, row in enumerate(dict.fromkeys(sorted(self.rows)))}
        lines = tuple(self.lines[row] for row in numbers) if self.lines else ()
        rows = tuple(numbers[row] for row in self.rows)
        made = replace(self, rows=rows, n_rows=len(numbers), lines=lines)
        return replace(made, reasons=(), unsatisfiable=())

    def say_never(self, row: int) -> str:
        """Return the sentence that a row can never hold and is left out, and why."""
        why = dict(self.reasons).get(row, "")
        return f"rule {row + 1} can never hold and is left out" + (f": {why}" if why else "")

    def under(self, hit_policy: HitPolicy | None) -> DecisionTable:
        """Return the same rows under another policy."""
        return replace(self, hit_policy=hit_policy)

    @property
    def is_ordered(self) -> bool:
        """Whether one of several rows that hold wins: FIRST and PRIORITY."""
        return self.hit_policy in ("FIRST", "PRIORITY")

    @property
    def collects(self) -> bool:
        """Whether all rows that hold count: RULE ORDER, OUTPUT ORDER and COLLECT."""
        return self.hit_policy in ("RULE ORDER", "OUTPUT ORDER", "COLLECT")

    @property
    def outside_boxes(self) -> Boxes:
        """What cannot occur, as boxes; it needs no rule and contradicts none."""
        boxes = (region.box.simplified() for region in self.outside if not region.is_empty)
        return Boxes.none(self.space).concat(*boxes)

    def first_conflict(self) -> Conflict | None:
        """Return a conflict of two rows, by their indices; None if there is none."""
        for pair in self.rules.conflicts(limit=1):
            return Conflict(self.rows[pair.first], self.rows[pair.second], pair.rules)
        return None

    @property
    def winning(self) -> list[int]:
        """The places of the rules in the order in which they win, where the table is ordered."""
        if self.hit_policy != "PRIORITY":
            return list(range(len(self.rules)))
        ranks = {then: rank for rank, then in enumerate(self.ranking)}
        thens = self.rules.thens
        return sorted(range(len(thens)), key=lambda i: ranks.get(thens[i], len(ranks)))

    def as_rules(self) -> RuleSet | RuleList:
        """Return what the table says as rules: a list where it is ordered, else a set."""
        if not self.is_ordered:
            return self.rules.copy()
        return RuleList.of(self.rules[self.winning])

    def decider(self) -> Decider:
        """Return the table prepared to decide one record after another; see :class:`Decider`.

        Returns
        -------
        Decider
            Callable with one record. Its method ``rule`` returns the index of a rule; ``rows``
            gives the row that the rule comes from.

        Raises
        ------
        ConditionError
            If all rows that hold count (RULE ORDER, OUTPUT ORDER and COLLECT).
        ConflictError
            If rows contradict each other and the policy does not say which one wins.

        Examples
        --------
        >>> from irenic import DecisionTable, Rule, RuleSet
        >>> rules = RuleSet([Rule({"age": (None, 18)}, then="reduced"),
        ...                  Rule({"age": (None, 60)}, then="full")])
        >>> table = DecisionTable(rules, rows=(0, 1), n_rows=2, hit_policy="FIRST")
        >>> decide = table.decider()
        >>> decide({"age": 15}), table.rows[decide.rule({"age": 15})]
        ('reduced', 0)
        """
        if self.collects:
            raise ConditionError(
                f"under {self.hit_policy} all rules that hold count, so none of them decides alone;"
                " rules.covering(X) lists those that hold"
            )
        if not self.is_ordered:
            return self.rules.decider()
        order = np.array(self.winning, dtype=np.int64)
        rules = self.rules
        return Decider(rules.packed, rules.thens, default=rules.default, order=order)


def unordered(rules: RuleSet | DecisionTable) -> DecisionTable:
    """Return rules as a table, where their order must not matter; refuse those in an order."""
    table = DecisionTable.of(rules)
    if table.is_ordered:
        raise ConditionError(
            "rules must be unordered, got a list: the first of them that holds decides;"
            " irenic.to_set (irenic convert --as-set) turns it into a set that says the same"
        )
    return table


def _row(line: tuple[int | None, int]) -> int:
    return line[1]
