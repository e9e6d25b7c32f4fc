"""The two verdicts on rules, a sentence each: do they contradict each other, do they cover all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from irenic.checking import Findings
from irenic.model.decision_table import DecisionTable
from irenic.model.literals import counted
from irenic.reporting import document
from irenic.searching import Gaps

if TYPE_CHECKING:
    from irenic.learn import RuleSetClassifier


@dataclass(frozen=True)
class Verdict:
    """What is certain about rules: in a word or two, and in the rest of a sentence.

    >>> print(Verdict(True, "Consistent", "a single rule contradicts nothing."))
    Consistent: a single rule contradicts nothing.
    """

    holds: bool | None
    """None if the budget ended the search before it was known."""
    head: str
    text: str
    by_design: bool = False
    """Whether it fails as intended: learned rules leave the rest to their default."""

    def __str__(self) -> str:
        return f"{self.head}: {self.text}"

    def to_json(self) -> document.Verdict:
        """Return the verdict as a part of the document."""
        return {
            "holds": self.holds,
            "by_design": self.by_design,
            "head": self.head,
            "text": self.text,
        }


@dataclass(frozen=True)
class Verdicts:
    """Whether rules contradict each other, and whether they cover every case."""

    consistent: Verdict
    complete: Verdict

    def to_json(self) -> document.Verdicts:
        """Return the verdicts as a part of the document."""
        return {"consistent": self.consistent.to_json(), "complete": self.complete.to_json()}


def verdicts_on(found: Findings, *, learned: bool = False) -> Verdicts:
    """Return the verdicts on a table that was checked.

    Rules that were learned together with a default are not meant to cover everything.

    >>> import irenic
    >>> found = irenic.check(irenic.RuleSet([irenic.Rule({"age": (0, 9)}, then="child")]))
    >>> print(verdicts_on(found).consistent, verdicts_on(found).complete, sep="\\n")
    Consistent: a single rule contradicts nothing.
    Not complete: no rule covers 2 regions.
    """
    conflicts, overlaps = found.count("conflicts"), found.count("overlaps")
    return Verdicts(
        consistency(found.table, conflicts, overlaps),
        completeness(found.table, found.gaps, learned=learned),
    )


def verdicts_on_model(model: RuleSetClassifier) -> Verdicts:
    """Return the verdicts on the rules of a fitted classifier, which its certificate proves."""
    table, certificate = DecisionTable.of(model.rules_), model.certificate_
    return Verdicts(
        consistency(table, certificate.n_conflicts),
        completeness(table, certificate.gaps, learned=True),
    )


def consistency(table: DecisionTable, conflicts: int, overlaps: int = 0) -> Verdict:
    """Return whether the rules of a table contradict each other under its hit policy."""
    n, policy = table.n_rows, table.hit_policy
    if not n:
        return _consistent("there are no rules, so none contradict each other.")
    if n == 1:
        return _consistent("a single rule contradicts nothing.")
    if table.is_ordered:
        first = "the first" if policy == "FIRST" else "the one of the highest priority"
        if policy == "PRIORITY" and not table.ranking:
            first += " (there are no output values to tell, so the first in the table)"
        return Verdict(True, "Ordered", f"of the rules that hold, {first} decides.")
    if table.collects:
        return Verdict(True, "Overlaps are intended", f"under {policy} all rules that hold count.")
    if conflicts:
        verb = "contradicts" if conflicts == 1 else "contradict"
        text = f"{counted(conflicts, 'pair')} of {_rules(table)} {verb} each other."
        return Verdict(False, "Not consistent", text)
    if policy == "UNIQUE" and overlaps:
        pairs = counted(overlaps, "pair")
        text = f"{pairs} of {_rules(table)} overlap, which UNIQUE rules out, though they agree."
        return Verdict(False, "Not unique", text)
    return _consistent(f"no two of the {n:,} rules contradict each other.")


def _rules(table: DecisionTable) -> str:
    """Return what pairs are taken from: rules, or the parts of rows that hold several."""
    n, parts = table.n_rows, len(table.rules)
    whole = n - len(table.never_hold)  # rows that never hold have no part
    return f"the {parts:,} parts of {whole:,} rules" if parts > whole else f"the {n:,} rules"


def _consistent(text: str) -> Verdict:
    return Verdict(True, "Consistent", text)


def completeness(table: DecisionTable, gaps: Gaps, *, learned: bool = False) -> Verdict:
    """Return whether the rules of a table cover everything, or how many regions they leave out."""
    if gaps.is_complete is None:
        text = "unknown, the budget ended the search for a gap."
        return Verdict(None, "Complete or not", text)
    if gaps.is_complete:
        case = "case that can occur" if table.outside else "case"
        return Verdict(True, "Complete", f"every {case} is covered by a rule.")
    number = counted(len(gaps), "region")
    known = number if gaps.finished else f"{number} and perhaps more"
    has_default = table.rules.default is not None
    by_design = learned and has_default
    rest = "; by design the default answers there" if by_design else "; the default holds there"
    text = f"no rule covers {known}{rest if has_default else ''}."
    return Verdict(False, "Not complete", text, by_design)
