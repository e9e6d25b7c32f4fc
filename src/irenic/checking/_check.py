"""All findings of a table, in the order in which a person should see them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

import numpy as np

from irenic.boxes.arrays import Codes
from irenic.budget import Budget, Meter, Progress
from irenic.checking import _columns as columns
from irenic.checking import _merging as merging
from irenic.checking import _nesting as nesting
from irenic.checking._finding import KINDS, LEVELS, NOUNS, Finding, Kind, Level
from irenic.checking._rows import Rows
from irenic.errors import BudgetError, ConditionError, did_you_mean
from irenic.mend import to_set
from irenic.model import markup
from irenic.model.decision_table import DecisionTable
from irenic.model.region import Region
from irenic.model.rule import Rule
from irenic.model.rulelist import RuleList
from irenic.model.ruleset import RuleSet
from irenic.searching import Gaps, gaps

_SECONDS: Final = 10.0
_MOST_GAPS: Final = 100_000
_MOST_SHOWN: Final = 20
_MOST_IN_NOTEBOOKS: Final = 50
_COLOURS: Final[dict[Level, str]] = {
    "error": markup.VERMILION,
    "warning": markup.ORANGE,
    "note": markup.SKY,
}
# An ordered table of more rules is not turned into a set only to see which columns matter.
_MOST_ORDERED: Final = 300


@dataclass(frozen=True, eq=False, repr=False)
class Findings:
    """What a check found, and how far it came.

    >>> from irenic import Rule, RuleSet, check
    >>> found = check(RuleSet([Rule({"age": (0, None)}, then="A")]))
    >>> found.is_consistent, found.is_complete, len(found.of("gaps"))
    (True, False, 1)
    """

    table: DecisionTable
    gaps: Gaps
    most: int | None
    unfinished: tuple[Kind, ...]
    """Kinds of findings that the budget ended the search for: there may be more."""
    _counts: dict[Kind, int]
    _listed: dict[Kind, list[Finding]]

    @property
    def is_consistent(self) -> bool:
        """Whether no two rows say different things of the same case, where they should not."""
        return not self._counts["conflicts"]

    @property
    def is_complete(self) -> bool | None:
        """Whether a row holds for every case; None if the budget ended the search."""
        return self.gaps.is_complete

    def count(self, kind: Kind) -> int:
        """Return how many findings of a kind there are, listed or not."""
        return self._counts[_known(kind)]

    def of(self, kind: Kind) -> list[Finding]:
        """Return the findings of a kind, at most as many as were asked for."""
        return self._listed[_known(kind)]

    def __iter__(self) -> Iterator[Finding]:
        return (finding for kind in KINDS for finding in self._unlike(kind))

    def _unlike(self, kind: Kind) -> list[Finding]:
        """Return the findings of a kind; overlaps without those that are conflicts."""
        listed = self._listed[kind]
        if kind != "overlaps":
            return listed
        return [finding for finding in listed if finding.thens[0] == finding.thens[1]]

    def __len__(self) -> int:
        return sum(len(self._unlike(kind)) for kind in KINDS)

    def __repr__(self) -> str:
        head = f"<Findings: {', '.join(self._counted()) or 'nothing'}"
        shown = "".join(f"\n  {NOUNS[f.kind]}: {f}" for f in islice(self, _MOST_SHOWN))
        more = f"\n  … and {len(self) - _MOST_SHOWN} more" if len(self) > _MOST_SHOWN else ""
        return f"{head}{shown}{more}>"

    def _counted(self) -> list[str]:
        return [f"{self._counts[kind]:,} {kind}" for kind in KINDS if self._counts[kind]]

    def _repr_html_(self) -> str:
        parts = [markup.head("Findings", *(self._counted() or ["nothing"]))]
        if self.unfinished:
            kinds = ", ".join(self.unfinished)
            parts.append(markup.remark(f"the budget ended the search for {kinds}: perhaps more"))
        rows = [
            (markup.chip(NOUNS[f.kind], _COLOURS[f.level], f.level), markup.clip(f.text))
            for f in islice(self, _MOST_IN_NOTEBOOKS)
        ]
        if rows:
            parts.append(markup.table([markup.Column("kind"), markup.Column("what")], rows))
        return markup.block(*parts, markup.left_out(len(self) - _MOST_IN_NOTEBOOKS))

    def fails(self, kinds: Iterable[Kind] | None = None) -> bool:
        """Return whether there is a finding of certain kinds; None: any that is an error.

        A kind that the budget ended the search for counts as found: nobody knows.
        """
        if kinds is None:
            unique = self.table.hit_policy == "UNIQUE"
            return bool(self._counts["overlaps" if unique else "conflicts"])
        return any(self._counts[_known(kind)] or kind in self.unfinished for kind in kinds)


def _known(kind: str) -> Kind:
    if kind not in KINDS:
        raise ConditionError(f"unknown kind of finding {kind!r}{did_you_mean(kind, KINDS)}")
    return kind


def check(
    rules: RuleSet | RuleList | DecisionTable,
    *,
    budget: Budget | float | None = _SECONDS,
    most: int | None = 1_000,
    progress: Progress | None = None,
) -> Findings:
    """Return what there is to say of rules: contradictions, gaps, and rules that could go.

    What counts as a contradiction is decided by the hit policy of a table: under UNIQUE no two
    rows may overlap, under ANY they may where they agree; under FIRST and PRIORITY one wins, so
    what matters is which rows never fire; under RULE ORDER, OUTPUT ORDER and COLLECT overlaps are
    intended. A rule set is held to ANY, and its overlaps are noted; a rule list is FIRST.

    Parameters
    ----------
    rules : RuleSet, RuleList or DecisionTable
    budget : Budget or float (seconds), optional
        For each of the searches that can take long; ``unfinished`` says which were ended by it.
    most : int, optional
        How many findings of a kind to list at most; all are counted, up to ten million pairs
        and a hundred thousand gaps.
    progress : callable, optional
        Called now and then while gaps are searched, with the nodes and the regions so far.

    Examples
    --------
    >>> from irenic import Rule, RuleSet, check
    >>> rules = RuleSet([Rule({"age": (None, 18)}, then="free"),
    ...                  Rule({"age": (18, 60)}, then="full"),
    ...                  Rule({"age": (59, 99)}, then="free"),
    ...                  Rule({"age": (70, 80)}, then="free")])
    >>> for finding in check(rules):
    ...     print(finding.kind, "|", finding)
    conflicts | age = 59: rule 2 says full, rule 3 says free (wherever 59 <= age < 60)
    overlaps | age = 70: rules 3 and 4 both say free (wherever 70 <= age < 80)
    gaps | age = 100: no rule holds (wherever age >= 99)
    inside | rule 4 adds nothing: rule 3 says the same wherever it holds
    """
    table = DecisionTable.of(rules)
    if most is not None and (isinstance(most, bool) or not isinstance(most, int) or most < 0):
        raise ConditionError(f"most is a number of findings, not {most!r}")
    return _Check(table, Budget.of(budget), most).run(progress)


class _Check:
    """A check under way."""

    def __init__(self, table: DecisionTable, budget: Budget, most: int | None) -> None:
        self.table, self.budget, self.most = table, budget, most
        self.rows = Rows(table)
        self.region: dict[int, Region] = {}
        self.overlap: dict[tuple[int, int], Region] = {}
        self.unfinished: list[Kind] = []
        self.counts: dict[Kind, int] = dict.fromkeys(KINDS, 0)
        self.listed: dict[Kind, list[Finding]] = {kind: [] for kind in KINDS}

    def run(self, progress: Progress | None) -> Findings:
        self._pairs()
        found = self._gaps(progress)
        self._could_go()
        self._columns()
        return Findings(
            self.table, found, self.most, tuple(self.unfinished), self.counts, self.listed
        )

    def _meter(self) -> Meter:
        return Meter(Budget(seconds=self.budget.seconds, nodes=self.budget.nodes))

    def _ended(self, kind: Kind, meter: Meter) -> None:
        if meter.stopped_by is not None:
            self.unfinished.append(kind)

    def _add(self, kind: Kind, findings: Iterable[Finding]) -> None:
        for finding in findings:
            self.counts[kind] += 1
            if self.most is None or len(self.listed[kind]) < self.most:
                self.listed[kind].append(finding)

    # --- rows that hold for the same case

    def _pairs(self) -> None:
        policy = self.table.hit_policy
        if policy not in (None, "UNIQUE", "ANY"):
            return
        differing = self._sorted(self.rows.differing)
        self._list_pairs("conflicts", differing, LEVELS["conflicts"])
        if policy == "ANY":
            self._list_pairs("overlaps", differing, "error")
            return
        both = self._sorted(np.vstack((self.rows.differing, self.rows.agreeing)))
        self._list_pairs("overlaps", both, "error" if policy == "UNIQUE" else "note")

    def _sorted(self, pairs: Codes) -> Codes:
        """Return pairs of boxes in the order of their rows, the lower row first."""
        rows = self.rows.row_of[pairs]
        pairs = np.where((rows[:, 0] > rows[:, 1])[:, None], pairs[:, ::-1], pairs)
        rows = np.sort(rows, axis=1)
        return pairs[np.lexsort((pairs[:, 1], pairs[:, 0], rows[:, 1], rows[:, 0]))]

    def _list_pairs(self, kind: Kind, pairs: Codes, level: Level) -> None:
        self.counts[kind] = len(pairs)
        self.listed[kind] = [self._pair(kind, a, b, level) for a, b in pairs[: self.most].tolist()]

    def _pair(self, kind: Kind, a: int, b: int, level: Level) -> Finding:
        rules = self.table.rules
        if (a, b) not in self.overlap:  # a conflict is among the overlaps, too
            for place in (a, b):
                if place not in self.region:
                    self.region[place] = rules.packed.region(place)
            self.overlap[a, b] = self.region[a] & self.region[b]
        both = (self.table.rows[a], self.table.rows[b])
        thens = (rules.consequents[rules.then_codes[a]], rules.consequents[rules.then_codes[b]])
        return Finding(kind, level, both, self.overlap[a, b], thens)

    # --- cases that no row holds for

    def _gaps(self, progress: Progress | None) -> Gaps:
        rules = self.table.rules
        if self.table.outside:
            rules = rules.copy()
            for region in self.table.outside:  # what cannot occur needs no rule
                rules.add(Rule(region, then="cannot occur"), force=True)
        # regions too, or the gaps of a table that leaves open much would fill the memory
        most = _MOST_GAPS if self.budget.regions is None else self.budget.regions
        found = gaps(rules, budget=replace(self.budget, regions=most), progress=progress)
        if not found.finished:
            self.unfinished.append("gaps")
        self.counts["gaps"] = len(found)
        # where a default holds, a gap is no more than good to know
        level: Level = "note" if rules.default is not None else LEVELS["gaps"]
        self.listed["gaps"] = [Finding("gaps", level, (), r) for r in found.regions[: self.most]]
        return found

    def _finding(
        self, kind: Kind, rules: Iterable[int], region: Region | None = None, by: Iterable[int] = ()
    ) -> Finding:
        return Finding(kind, LEVELS[kind], tuple(map(int, rules)), region, by=tuple(map(int, by)))

    # --- rows that could go, or could be one

    def _could_go(self) -> None:
        why = dict(self.table.reasons)
        self._add(
            "never_fire",
            [
                Finding("never_fire", LEVELS["never_fire"], (row,), why=why.get(row, ""))
                for row in self.table.never_hold
            ],
        )
        same = nesting.duplicates(self.rows)
        self._add(
            "duplicates",
            [self._finding("duplicates", group, self._first(group[0])) for group in same],
        )
        meter = self._meter()
        if self.table.is_ordered:
            masked = nesting.never_fire(self.rows, meter)
            self._add(
                "never_fire",
                (self._finding("never_fire", [r], self._first(r), by) for r, by in masked),
            )
            self.listed["never_fire"].sort(key=lambda finding: finding.rules)
            self._ended("never_fire", meter)
        elif self.table.hit_policy in (None, "UNIQUE", "ANY"):
            inside = nesting.inside(self.rows, same, meter)
            self._add(
                "inside", (self._finding("inside", [r], self._first(r), by) for r, by in inside)
            )
            self._ended("inside", meter)
        groups = merging.mergeable(self.rows)
        self._add("mergeable", (self._finding("mergeable", rows, box) for rows, box in groups))

    def _first(self, row: int) -> Region:
        """Return the region of a row, the first of them if it has several."""
        return self.table.rules[int(self.rows.places[row][0])].region

    # --- columns

    def _deciding(self) -> Rows | None:
        """Return rules of which any that holds decides; None where all count, or if too many."""
        table = self.table
        if table.collects:
            return None
        if not table.is_ordered:
            return self.rows
        try:
            if len(table.rules) > _MOST_ORDERED:
                raise BudgetError
            decided = to_set(table, budget=self._meter().budget)
        except BudgetError:
            self.unfinished.append("columns")
            return None
        return Rows(replace(DecisionTable.of(decided), outside=table.outside))

    def _columns(self) -> None:
        names = dict.fromkeys(columns.unasked(self.rows), False)
        rows = self._deciding()
        if rows is not None:
            meter = self._meter()
            vain = [*columns.unasked(rows), *columns.without_effect(rows, meter)]
            names |= dict.fromkeys([name for name in vain if name not in names], True)
            self._ended("columns", meter)
        all_rows = tuple(range(self.table.n_rows))
        self._add(
            "columns",
            (
                Finding("columns", LEVELS["columns"], all_rows if names[n] else (), column=n)
                for n in self.table.space.names
                if n in names and self.table.n_rows
            ),
        )
