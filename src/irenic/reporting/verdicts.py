"""The two verdicts on rules: whether they contradict each other, and whether they cover all."""

from __future__ import annotations

from typing import Final

from irenic.checking import CERTAIN, Findings, listed
from irenic.model.decision_table import DecisionTable
from irenic.model.literals import counted, display
from irenic.reporting.document import VerdictRecord, VerdictsRecord
from irenic.searching import Gaps


def verdicts_on(findings: Findings, *, learned: bool = False) -> VerdictsRecord:
    """Return the verdicts on a table that was checked.

    Rules that were learned together with a default are not meant to cover everything.
    """
    conflicts, overlaps = findings.count("conflicts"), findings.count("overlaps")
    return {
        "consistent": consistency(findings.table, conflicts, overlaps),
        "complete": completeness(findings.table, findings.gaps, learned=learned),
    }


def _verdict(holds: bool | None, head: str, text: str, *, by_design: bool = False) -> VerdictRecord:
    return {"holds": holds, "by_design": by_design, "head": head, "text": text}


_NAMED: Final = "Complete for the values that the rules name"


def consistency(table: DecisionTable, conflicts: int, overlaps: int = 0) -> VerdictRecord:
    """Return whether the rules of a table contradict each other under its hit policy."""
    n, policy = table.n_rows, table.hit_policy
    if not n:
        return _consistent("there are no rules, so none contradict each other.")
    if n == 1:
        return _consistent("a single rule contradicts nothing.")
    if table.is_ordered:
        first = "the first" if policy == "FIRST" else "the one with the highest priority"
        if policy == "PRIORITY" and not table.ranking:
            first += " (no output values define priorities, so the first in the table)"
        return _verdict(True, "Ordered", f"of the rules that hold, {first} decides.")
    if table.collects:
        return _verdict(True, "Overlaps are intended", f"under {policy} all rules that hold count.")
    if conflicts:
        text = f"{counted(conflicts, 'contradiction')} among the {n:,} rules."
        return _verdict(False, "Not consistent", text)
    if policy == "UNIQUE" and overlaps:
        text = f"{counted(overlaps, 'overlap')} among the {n:,} rules, which UNIQUE forbids."
        return _verdict(False, "Not unique", text)
    return _consistent(f"no two of the {n:,} rules contradict each other.")


def _consistent(text: str) -> VerdictRecord:
    return _verdict(True, "Consistent", text)


def completeness(table: DecisionTable, gaps: Gaps, *, learned: bool = False) -> VerdictRecord:
    """Return whether the rules of a table cover every case, or how many regions they do not.

    >>> import irenic
    >>> named = irenic.check(irenic.RuleSet([irenic.Rule({"job": {"in": ["nurse"]}}, then="A")]))
    >>> completeness(named.table, named.gaps)["text"]
    'other values of job are not covered.'
    """
    if gaps.is_complete:
        case = "case that can occur" if table.space.impossible else "case"
        return _verdict(True, "Complete", f"every {case} is covered by a rule.")
    default = table.rules.default
    rest = "" if default is None else "; the default holds there"
    if not gaps.regions and not gaps.finished:
        text = "unknown, the budget ended the search for gaps."
        return _verdict(None, "Complete or not", text)
    if not gaps.regions and gaps.open_columns:
        columns = listed([display(name) for name in gaps.open_columns])
        return _verdict(False, _NAMED, f"other values of {columns} are not covered{rest}.")
    if not gaps.regions:
        text = "unknown for other values, the budget ended the search."
        return _verdict(None, _NAMED, text)
    if learned and default is not None:  # how many regions these are says nothing to a reader
        text = f"by design, cases that no rule covers get the default, {display(default)}."
        return _verdict(False, "Not complete", text, by_design=True)
    if gaps.finished:
        text = f"no rule covers {counted(len(gaps), 'region')}{rest}."
        return _verdict(False, "Not complete", text)
    regions = counted(min(len(gaps), CERTAIN), "region")
    text = f"at least {regions} that no rule covers; the budget ended the search{rest}."
    return _verdict(False, "Not complete", text)
