"""Search for all findings, in the order in which to show them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final, NamedTuple

import numpy as np

from irenic.arrays import Codes
from irenic.budget import Budget, Meter, Progress
from irenic.checking import _columns as columns
from irenic.checking import _merging as merging
from irenic.checking import _nesting as nesting
from irenic.checking import _outcomes as outcomes
from irenic.checking._acceptance import Acceptance, parse_acceptance
from irenic.checking._finding import KINDS, LEVELS, NOUNS, Finding, Kind, Level
from irenic.checking._rows import Rows
from irenic.errors import BudgetError, ConditionError, FormatError, did_you_mean
from irenic.mend import to_set
from irenic.model.decision_table import DecisionTable
from irenic.model.region import Region
from irenic.model.rulelist import RuleList
from irenic.model.ruleset import RuleSet
from irenic.model.shown import Shown
from irenic.searching import Gaps, named_gaps

_SECONDS: Final = 10.0
_GAP_LIMIT: Final = 100_000
_CELL_LIMIT: Final = 5_000_000  # conditions of all gaps, in tables of very many columns
CERTAIN: Final = 1_000
"""Gaps that are counted if the search did not finish; then there are at least as many."""
_REPR_LIMIT: Final = 20
# A longer ordered table is not turned into a set just to find columns that never matter.
_ORDERED_LIMIT: Final = 300


class Accepted(NamedTuple):
    """A finding that was accepted, and why."""

    finding: Finding
    reason: str
    in_file: bool = False
    """Whether the file itself accepts it, not a baseline or a caller."""


@dataclass(frozen=True, eq=False, repr=False)
class Findings(Shown):
    """The findings of a check, and which searches were not finished.

    Iterating yields all listed findings; overlaps that are also conflicts appear once.

    Parameters
    ----------
    table : DecisionTable
        The rules that were checked.
    gaps : Gaps
        The regions that no rule covers, among the values that rules name; and the columns of other
        values that no rule covers, though nothing declares the values of the column.
    limit : int or None
        Maximum number of listed findings per kind.
    unfinished : tuple of str
        Kinds of findings whose search was stopped by the budget, so that there may be more.
    accepted : tuple of (Finding, str, bool)
        Findings that were accepted, with the reasons, and whether the file itself accepts them.
        They are counted, but not listed, and do not make a check fail.

    Examples
    --------
    >>> from irenic import Rule, RuleSet, check
    >>> findings = check(RuleSet([Rule({"age": (0, None)}, then="A")]))
    >>> findings.is_consistent, findings.is_complete, len(findings)
    (True, False, 1)
    """

    table: DecisionTable
    gaps: Gaps
    limit: int | None
    unfinished: tuple[Kind, ...]
    _counts: dict[Kind, int]
    _listed: dict[Kind, list[Finding]]
    accepted: tuple[Accepted, ...] = ()

    @property
    def is_consistent(self) -> bool:
        """Whether no two rules contradict each other under the hit policy."""
        return not self._counts["conflicts"]

    @property
    def is_complete(self) -> bool | None:
        """Whether rules cover every case; None if the search was stopped before it knew."""
        return self.gaps.is_complete

    def count(self, kind: Kind) -> int:
        """Return the number of findings of a kind, including those that are not listed."""
        return self._counts[_known(kind)]

    def of(self, kind: Kind) -> list[Finding]:
        """Return the listed findings of one of ``KINDS``."""
        return self._listed[_known(kind)]

    def __iter__(self) -> Iterator[Finding]:
        return (finding for kind in KINDS for finding in self._without_repeats(kind))

    def _without_repeats(self, kind: Kind) -> list[Finding]:
        """Return the findings of a kind, without overlaps that are also conflicts."""
        listed = self._listed[kind]
        return listed if kind != "overlaps" else [f for f in listed if f.shown_as == kind]

    def __len__(self) -> int:
        return sum(len(self._without_repeats(kind)) for kind in KINDS)

    def __repr__(self) -> str:
        head = f"<Findings: {', '.join(self._counted()) or 'none'}"
        shown = "".join(f"\n  {NOUNS[f.kind]}: {f}" for f in islice(self, _REPR_LIMIT))
        more = f"\n  … and {len(self) - _REPR_LIMIT} more" if len(self) > _REPR_LIMIT else ""
        return f"{head}{shown}{more}>"

    def _counted(self) -> list[str]:
        return [f"{self._counts[kind]:,} {kind}" for kind in KINDS if self._counts[kind]]

    def fails(self, kinds: Iterable[Kind] | None = None) -> bool:
        """Return whether there are findings of some kinds that are not accepted (default: errors).

        A kind whose search was not finished counts as found.
        """
        accepted = Counter(each.finding.kind for each in self.accepted)
        if kinds is None:
            kind: Kind = "overlaps" if self.table.hit_policy == "UNIQUE" else "conflicts"
            return self._counts[kind] > accepted[kind]
        return any(
            self._counts[_known(kind)] > accepted[kind] or kind in self.unfinished for kind in kinds
        )

    def accepting(self, reason: Callable[[Finding], str]) -> Findings:
        """Return the findings, some accepted: those for which ``reason`` returns a text."""
        return self._accepting(reason)

    def _accepting(self, reason: Callable[[Finding], str], *, in_file: bool = False) -> Findings:
        listed: dict[Kind, list[Finding]] = {kind: [] for kind in KINDS}
        accepted = list(self.accepted)
        for kind, findings in self._listed.items():
            for finding in findings:
                if why := reason(finding):
                    accepted.append(Accepted(finding, why, in_file))
                else:
                    listed[kind].append(finding)
        return replace(self, _listed=listed, accepted=tuple(accepted))


def _known(kind: str) -> Kind:
    if kind not in KINDS:
        raise ConditionError(f"unknown kind of finding {kind!r}{did_you_mean(kind, KINDS)}")
    return kind


def check(
    rules: RuleSet | RuleList | DecisionTable,
    *,
    budget: Budget | float | None = _SECONDS,
    limit: int | None = 1_000,
    progress: Progress | None = None,
) -> Findings:
    """Check rules for contradictions, gaps, redundant rules and columns without effect.

    The hit policy of a table determines what is an error. Under UNIQUE, no two rows may overlap;
    under ANY, they may if they agree. Under FIRST and PRIORITY, one row wins, so the check looks
    for rows that never fire. Under RULE ORDER, OUTPUT ORDER and COLLECT, overlaps are intended. A
    rule set is checked like ANY, with overlaps as notes, and a rule list like FIRST.

    If nothing declares the values of a column of texts, any other text can occur in it, too. Gaps
    are then searched for among the values that rules name, and one note of the kind ``open`` lists
    the columns whose other values are not covered.

    Parameters
    ----------
    rules : RuleSet, RuleList or DecisionTable
        The rules to check.
    budget : Budget or float (seconds), default 10 seconds
        Limits of each search that can take long; ``unfinished`` lists the searches it stopped.
    limit : int, default 1000
        Maximum number of findings to list per kind; None is unlimited. All findings are counted,
        up to ten million pairs and a hundred thousand gaps; if the search for gaps does not finish,
        up to a thousand.
    progress : callable, optional
        Called regularly during the search for gaps, with the nodes and regions so far.

    Returns
    -------
    Findings

    Raises
    ------
    ConditionError
        If ``limit`` is not a non-negative integer.

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
    gaps | age = 100: no rule applies (wherever age >= 99)
    inside | rule 4 is redundant: rule 3 says the same wherever rule 4 applies
    """
    table = DecisionTable.from_rules(rules)
    if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or limit < 0):
        raise ConditionError(f"limit must be a non-negative integer or None, got {limit!r}")
    return _Check(table, Budget.from_value(budget), limit).run(progress)


def open_finding(gaps: Gaps) -> Finding | None:
    """Return the finding about values that no rule names.

    Parameters
    ----------
    gaps : Gaps
        The gaps among the values that rules name.

    Returns
    -------
    Finding or None
        None if all other values are covered, or if the search for them did not finish.

    Examples
    --------
    >>> from irenic import Rule, RuleSet, check
    >>> findings = check(RuleSet([Rule({"job": {"in": ["nurse"]}}, then="A")]))
    >>> print(open_finding(findings.gaps))
    values of job that no rule names are not covered, such as job = "other"
    """
    if not gaps.open_columns:
        return None
    return Finding("open", LEVELS["open"], (), gaps.example, columns=gaps.open_columns)


class _Check:
    """A running check."""

    def __init__(self, table: DecisionTable, budget: Budget, limit: int | None) -> None:
        self.table, self.budget, self.limit = table, budget, limit
        self.rows = Rows(table)
        self.region: dict[int, Region] = {}
        self.overlap: dict[tuple[int, int], Region] = {}
        self.unfinished: list[Kind] = []
        self.counts: dict[Kind, int] = dict.fromkeys(KINDS, 0)
        self.listed: dict[Kind, list[Finding]] = {kind: [] for kind in KINDS}

    def run(self, progress: Progress | None) -> Findings:
        self._pairs()
        gaps_found = self._gaps(progress)
        self._redundant_rows()
        self._cells()
        self._columns()
        self._policy()
        findings = Findings(
            self.table, gaps_found, self.limit, tuple(self.unfinished), self.counts, self.listed
        )
        return self._accept(findings) if self.table.provenance.accepts else findings

    def _accept(self, findings: Findings) -> Findings:
        """Accept what the file accepts, and add invalid and unused acceptances as findings."""
        acceptances, problems = [], []
        for rows, text in self.table.provenance.accepts:
            try:
                acceptances.append(parse_acceptance(rows, text, self.table.space))
            except FormatError as error:
                problems.append((rows, f"{f'accept: {text}'!r}: {error.message}"))
        used: set[tuple[Acceptance, Kind]] = set()

        def reason(finding: Finding) -> str:
            accepting = [
                (a, kind) for a in acceptances for kind in a.kinds if a.accepts(finding, kind)
            ]
            used.update(accepting)
            return accepting[0][0].reason if accepting else ""

        findings = findings._accepting(reason, in_file=True)
        for acceptance in acceptances:
            for kind in acceptance.kinds:
                if (acceptance, kind) in used or not self._is_known(kind):
                    continue
                text = f"accept: {acceptance.text}"
                problem = f"{text!r} accepts no finding of the kind {NOUNS[kind]}; remove it"
                problems.append((acceptance.rows, problem))
        self._add(
            "acceptances",
            (
                Finding("acceptances", LEVELS["acceptances"], rows, why=text)
                for rows, text in sorted(problems)
            ),
        )
        listed = findings._listed | {"acceptances": self.listed["acceptances"]}
        return replace(findings, _listed=listed)

    def _is_known(self, kind: Kind) -> bool:
        """Return whether all findings of a kind are listed."""
        return kind not in self.unfinished and self.counts[kind] == len(self.listed[kind])

    def _meter(self) -> Meter:
        return Meter(Budget(seconds=self.budget.seconds, nodes=self.budget.nodes))

    def _note_unfinished(self, kind: Kind, meter: Meter) -> None:
        if meter.stopped_by is not None:
            self.unfinished.append(kind)

    def _add(self, kind: Kind, findings: Iterable[Finding]) -> None:
        for finding in findings:
            self.counts[kind] += 1
            if self.limit is None or len(self.listed[kind]) < self.limit:
                self.listed[kind].append(finding)

    # --- overlapping rows

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
        """Return pairs of boxes sorted by their rows, with the lower row first in each pair."""
        rows = self.rows.row_of[pairs]
        pairs = np.where((rows[:, 0] > rows[:, 1])[:, None], pairs[:, ::-1], pairs)
        rows = np.sort(rows, axis=1)
        return pairs[np.lexsort((pairs[:, 1], pairs[:, 0], rows[:, 1], rows[:, 0]))]

    def _list_pairs(self, kind: Kind, pairs: Codes, level: Level) -> None:
        self.counts[kind] = len(pairs)
        self.listed[kind] = [self._pair(kind, a, b, level) for a, b in pairs[: self.limit].tolist()]

    def _pair(self, kind: Kind, a: int, b: int, level: Level) -> Finding:
        rules = self.table.rules
        if (a, b) not in self.overlap:  # each conflict is also listed as an overlap
            for rule in (a, b):
                if rule not in self.region:
                    self.region[rule] = rules.packed.region(rule)
            self.overlap[a, b] = self.region[a] & self.region[b]
        rows = (self.table.rows[a], self.table.rows[b])
        thens = (rules.consequents[rules.then_codes[a]], rules.consequents[rules.then_codes[b]])
        return Finding(kind, level, rows, self.overlap[a, b], thens)

    # --- gaps

    def _gaps(self, progress: Progress | None) -> Gaps:
        rules = self.table.rules
        # Limited even without a budget, because many gaps could fill the memory.
        region_limit = _GAP_LIMIT if self.budget.regions is None else self.budget.regions
        most = max(CERTAIN, _CELL_LIMIT // max(1, len(rules.space)))
        region_limit = min(region_limit, most)
        budget = replace(self.budget, regions=region_limit)
        result = named_gaps(rules, budget=budget, progress=progress)
        if not result.finished:
            self.unfinished.append("gaps")
        if not result.open_finished:
            self.unfinished.append("open")
        # How many more were found before the budget ended the search differs from view to view.
        self.counts["gaps"] = len(result) if result.finished else min(len(result), CERTAIN)
        level: Level = "note" if rules.default is not None else LEVELS["gaps"]
        self.listed["gaps"] = [Finding("gaps", level, (), r) for r in result.regions[: self.limit]]
        self._add("open", filter(None, [open_finding(result)]))
        return result

    def _finding(
        self, kind: Kind, rules: Iterable[int], region: Region | None = None, by: Iterable[int] = ()
    ) -> Finding:
        return Finding(kind, LEVELS[kind], tuple(map(int, rules)), region, by=tuple(map(int, by)))

    # --- redundant and mergeable rows

    def _redundant_rows(self) -> None:
        why = self.table.provenance.why_never
        excluded = nesting.impossible(self.rows)
        why |= dict.fromkeys(excluded, "no case that meets its conditions can occur")
        self._add(
            "never_fire",
            [
                Finding("never_fire", LEVELS["never_fire"], (row,), why=why.get(row, ""))
                for row in sorted((*self.table.never_hold, *excluded))
            ],
        )
        duplicates = nesting.duplicates(self.rows)
        self._add(
            "duplicates",
            [self._finding("duplicates", group, self._first(group[0])) for group in duplicates],
        )
        meter = self._meter()
        if self.table.is_ordered:
            masked = nesting.never_fire(self.rows, meter)
            self._add(
                "never_fire",
                (self._finding("never_fire", [r], self._first(r), by) for r, by in masked),
            )
            self.listed["never_fire"].sort(key=lambda finding: finding.rules)
            self._note_unfinished("never_fire", meter)
        elif self.table.hit_policy in (None, "UNIQUE", "ANY"):
            inside = nesting.inside(self.rows, duplicates, meter)
            self._add(
                "inside", (self._finding("inside", [r], self._first(r), by) for r, by in inside)
            )
            self._note_unfinished("inside", meter)
        groups = merging.mergeable(self.rows)
        self._add("mergeable", (self._finding("mergeable", rows, box) for rows, box in groups))

    # --- cells and hit policy

    def _cells(self) -> None:
        """Add values that cannot occur, outcomes that do not fit, and misleading rows."""
        self._add(
            "outside",
            (
                Finding("outside", LEVELS["outside"], (row,), column=column, why=why)
                for row, column, why in sorted(self.table.provenance.beyond)
            ),
        )
        self._add(
            "outcomes",
            (
                Finding("outcomes", LEVELS["outcomes"], (row,), column=column, why=why)
                for row, column, why in sorted(outcomes.misfits(self.table))
            ),
        )
        self._add(
            "model",
            (
                Finding("model", LEVELS["model"], (), why=text, line=line)
                for line, text in self.table.provenance.loose_ends
            ),
        )
        if self.table.hit_policy == "PRIORITY":
            self._misleading()

    def _misleading(self) -> None:
        """Add pairs of rows of which the later one wins."""
        pairs = self._sorted(self.rows.differing)
        rank = np.empty(len(self.rows.row_of), dtype=np.int64)
        rank[self.table.winning] = np.arange(len(rank))
        later = rank[pairs[:, 1]] < rank[pairs[:, 0]]
        self._list_pairs("misleading", pairs[later], LEVELS["misleading"])

    def _policy(self) -> None:
        better = outcomes.better_policy(self.rows)
        if better is not None:
            rules, why = better
            self._add("policy", [Finding("policy", LEVELS["policy"], rules, why=why)])

    def _first(self, row: int) -> Region:
        """Return the first region of a row."""
        return self.table.rules.packed.region(int(self.rows.places(row)[0]))

    # --- columns

    def _deciding(self) -> Rows | None:
        """Return unordered rules that decide the same; None if all rows count, or if too long."""
        table = self.table
        if table.collects:
            return None
        if not table.is_ordered:
            return self.rows
        try:
            if len(table.rules) > _ORDERED_LIMIT:
                raise BudgetError
            rules = to_set(table, budget=self._meter().budget)
        except BudgetError:
            self.unfinished.append("columns")
            return None
        return Rows(DecisionTable.from_rules(rules))

    def _columns(self) -> None:
        is_tested = dict.fromkeys(columns.untested(self.rows), False)
        rows = self._deciding()
        if rows is not None:
            meter = self._meter()
            for name in [*columns.untested(rows), *columns.without_effect(rows, meter)]:
                is_tested.setdefault(name, True)
            self._note_unfinished("columns", meter)
        all_rows = tuple(range(self.table.n_rows))
        self._add(
            "columns",
            (
                Finding("columns", LEVELS["columns"], all_rows if is_tested[n] else (), column=n)
                for n in self.table.space.names
                if n in is_tested and self.table.n_rows
            ),
        )
