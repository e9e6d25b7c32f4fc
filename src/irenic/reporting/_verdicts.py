"""The two verdicts on rules, a sentence each: do they contradict each other, do they cover all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from irenic.checking import Findings
from irenic.model.literals import counted

About = Literal["consistent", "complete"]


@dataclass(frozen=True)
class Verdict:
    """What is certain of rules: in a word or two, and in the rest of a sentence.

    >>> print(Verdict("consistent", True, "Consistent", "a single rule contradicts nothing."))
    Consistent: a single rule contradicts nothing.
    """

    about: About
    holds: bool | None
    """None: it was not known in time."""
    head: str
    text: str
    by_design: bool = False
    """Whether it fails as intended: learned rules leave to their default what they do not cover."""

    def __str__(self) -> str:
        return f"{self.head}: {self.text}"


def verdicts(found: Findings, *, learned: bool = False) -> tuple[Verdict, Verdict]:
    """Return whether the rules of a table contradict each other, and whether they cover all.

    Rules that were learned together with a default are not meant to cover all.

    >>> import irenic
    >>> found = irenic.check(irenic.RuleSet([irenic.Rule({"age": (0, 9)}, then="child")]))
    >>> print(*verdicts(found), sep="\\n")
    Consistent: a single rule contradicts nothing.
    Not complete: no rule covers 2 regions.
    """
    whole = completeness(
        found.is_complete,
        found.count("gaps"),
        all_known=found.gaps.finished,
        has_default=found.table.rules.default is not None,
        learned=learned,
        has_outside=bool(found.table.outside),
    )
    return consistency(found), whole


def consistency(found: Findings) -> Verdict:
    """Return whether the rules of a table contradict each other, as its hit policy has it."""
    n, policy = found.table.n_rows, found.table.hit_policy
    if not n:
        return _consistent("there are no rules, so none contradict each other.")
    if n == 1:
        return _consistent("a single rule contradicts nothing.")
    if found.table.is_ordered:
        first = "the first" if policy == "FIRST" else "the one of the highest priority"
        if policy == "PRIORITY" and not found.table.ranking:
            first += " (there are no output values to tell, so the first in the table)"
        return Verdict("consistent", True, "Ordered", f"of the rules that hold, {first} decides.")
    if found.table.collects:
        text = f"under {policy} all rules that hold count."
        return Verdict("consistent", True, "Overlaps are intended", text)
    conflicts, overlaps = found.count("conflicts"), found.count("overlaps")
    if conflicts:
        verb = "contradicts" if conflicts == 1 else "contradict"
        text = f"{counted(conflicts, 'pair')} of {_rules(found)} {verb} each other."
        return Verdict("consistent", False, "Not consistent", text)
    if policy == "UNIQUE" and overlaps:
        pairs = counted(overlaps, "pair")
        text = f"{pairs} of {_rules(found)} overlap, which UNIQUE rules out, though they agree."
        return Verdict("consistent", False, "Not unique", text)
    return _consistent(f"no two of the {n:,} rules contradict each other.")


def _rules(found: Findings) -> str:
    """Return what pairs are taken from: rules, or the parts of those that are of several."""
    n, parts = found.table.n_rows, len(found.table.rules)
    whole = n - len(found.table.never_hold)  # rows that never hold have no part
    return f"the {parts:,} parts of {whole:,} rules" if parts > whole else f"the {n:,} rules"


def _consistent(text: str) -> Verdict:
    return Verdict("consistent", True, "Consistent", text)


def completeness(
    complete: bool | None,
    n_gaps: int,
    *,
    all_known: bool,
    has_default: bool = False,
    learned: bool = False,
    has_outside: bool = False,
) -> Verdict:
    """Return whether rules cover everything, or how many regions they leave out."""
    if complete is None:
        text = "unknown, the budget ended the search for a gap."
        return Verdict("complete", None, "Complete or not", text)
    if complete:
        case = "case that can occur" if has_outside else "case"
        return Verdict("complete", True, "Complete", f"every {case} is covered by a rule.")
    number = counted(n_gaps, "region")
    known = number if all_known else f"{number} and perhaps more"
    by_design = learned and has_default
    rest = "; by design the default answers there" if by_design else "; the default holds there"
    text = f"no rule covers {known}{rest if has_default else ''}."
    return Verdict("complete", False, "Not complete", text, by_design)


def encode_verdict(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict as plain data."""
    return {
        "about": verdict.about,
        "holds": verdict.holds,
        "by_design": verdict.by_design,
        "head": verdict.head,
        "text": verdict.text,
    }
