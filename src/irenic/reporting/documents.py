"""The documents that commands print with ``--json``."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from irenic import mend
from irenic.checking import KINDS, Findings, case_in, open_finding
from irenic.errors import FormatError, with_options
from irenic.formats.json.rules import encode_point
from irenic.formats.tables.drafts import TableError
from irenic.formats.tables.reading import Reading
from irenic.model.decision_table import DecisionTable
from irenic.model.explanation import Explanation
from irenic.model.literals import counted, say
from irenic.model.region import Region
from irenic.reporting import document
from irenic.reporting.document import VERSION
from irenic.reporting.encoding import (
    decided_case,
    encode_checked,
    encode_finding,
    encode_outcome,
    encode_reading,
    encode_region,
    encode_rules,
    encode_then,
    encode_verdict,
    encode_witness,
    numbers,
)
from irenic.reporting.summarize import summarize
from irenic.reporting.verdicts import completeness
from irenic.searching import Gaps, Path, Search

if TYPE_CHECKING:
    from irenic.learn import RuleClassifier
    from irenic.monitoring import Impact
    from irenic.proving import Verdict
    from irenic.testing import Alternative, NearMiss, Trial


@dataclass(frozen=True)
class CheckedFile:
    """A file that was checked: the findings of its tables, and its errors."""

    path: str
    tables: list[Findings]
    errors: list[FormatError] = field(default_factory=list)
    warnings: list[FormatError] = field(default_factory=list)
    """Passages that were read but may mean something else."""
    readings: list[Reading] = field(default_factory=list)


def check_document(
    files: Iterable[CheckedFile], limit: int | None = None, *, explain: bool = False
) -> document.CheckDocument:
    """Return the findings of files; at most ``limit`` findings per kind and rules are listed.

    With ``explain``, the readings of spreadsheets list every condition.
    """
    return {
        "format": "irenic check",
        "version": VERSION,
        "files": [
            {
                "path": file.path,
                "readings": [encode_reading(each, explain=explain) for each in file.readings],
                "tables": [_table(findings, limit) for findings in file.tables],
                "errors": [problem(error) for error in file.errors],
                "warnings": [problem(warning) for warning in file.warnings],
            }
            for file in files
        ],
    }


def _table(findings: Findings, limit: int | None) -> document.CheckedTable:
    table = findings.table
    rules, default = encode_rules(table, limit), table.rules.default
    listed = [
        encode_finding(finding, table)
        for kind in KINDS
        for finding in [each for each in findings if each.kind == kind][:limit]
    ]
    return {
        "name": table.name,
        "id": table.provenance.id,
        "hit_policy": table.hit_policy,
        "rules": rules,
        "unlisted": len(table.rules) - len(rules),
        "default": None if default is None else encode_then(default),
        **encode_checked(findings, listed),
    }


def problem(error: FormatError) -> document.ProblemRecord:
    """Return an error or a warning about a file, and where it is in it."""
    in_table = error if isinstance(error, TableError) else TableError("")
    rule, header, text, cell = in_table.place
    return {
        "message": with_options(error.message),
        "line": error.line,
        "column": error.column,
        "table": in_table.table or None,
        "rule": rule,
        "header": header or None,
        "text": text or None,
        "cell": cell or None,
    }


def gaps_document(
    table: DecisionTable, gaps: Gaps, limit: int | None = None
) -> document.GapsDocument:
    """Return the gaps of rules; at most ``limit`` of them are listed."""
    other = open_finding(gaps)
    return {
        "format": "irenic gaps",
        "version": VERSION,
        "verdict": completeness(table, gaps),
        "count": len(gaps),
        "regions": [_gap(region) for region in gaps.regions[:limit]],
        "open": None if other is None else encode_finding(other, table),
        "finished": gaps.finished,
        "stopped_by": gaps.stopped_by,
    }


def _gap(region: Region) -> document.Gap:
    return {
        **encode_region(region),
        "witness": encode_witness(region),
        "example": case_in(region),
    }


def search_document(
    search: Search[Any], results: Sequence[Region | Path]
) -> document.SearchDocument:
    """Return the regions or paths that a search yielded, and how it ended."""
    regions = [result.region if isinstance(result, Path) else result for result in results]
    encoded: document.SearchDocument = {
        "format": "irenic search",
        "version": VERSION,
        "regions": [encode_region(region) for region in regions],
        "finished": search.finished,
        "stopped_by": search.stopped_by,
        "nodes": search.nodes,
    }
    if paths := [result for result in results if isinstance(result, Path)]:
        encoded["paths"] = [_encode_path(path) for path in paths]
    return encoded


def _encode_path(path: Path) -> document.SearchPath:
    return {
        "constraints": [
            {"rule": c.rule + 1, "test": c.index + 1, "region": encode_region(c.region)}
            for c in path.constraints
        ],
        "text": str(path),
    }


def enlarge_document(seed: Mapping[str, Any], region: Region) -> document.EnlargeDocument:
    """Return the region grown around a seed."""
    return {
        "format": "irenic enlarge",
        "version": VERSION,
        "seed": encode_point(seed),
        "region": encode_region(region),
    }


def mend_document(
    before: DecisionTable,
    table: DecisionTable,
    steps: Sequence[mend.Change | mend.Proposal | str],
    verdict: str,
) -> document.MendDocument:
    """Return mended rules, and the steps that led to them from those before; strings are notes."""
    default = table.rules.default
    return {
        "format": "irenic mend",
        "version": VERSION,
        "changes": [_change(step, before) for step in steps if isinstance(step, mend.Change)],
        "proposals": [_proposal(step) for step in steps if isinstance(step, mend.Proposal)],
        "notes": [step for step in steps if isinstance(step, str)],
        "verdict": verdict,
        "rules": encode_rules(table),
        "default": None if default is None else encode_then(default),
    }


def _change(change: mend.Change, table: DecisionTable) -> document.ChangeRecord:
    return {
        "kind": change.kind,
        "rule": numbers([change.rule])[0],
        "place": table.place([change.rule]),
        "against": numbers(change.against),
        "before": [encode_region(rule.region) for rule in change.before],
        "after": [encode_region(rule.region) for rule in change.after],
        "text": change.text,
    }


def _proposal(proposal: mend.Proposal) -> document.ProposalRecord:
    return {
        "region": encode_region(proposal.region),
        "then": None if proposal.rule is None else encode_then(proposal.rule.then),
        "share": float(proposal.share),
        "instances": int(proposal.instances),
        "text": str(proposal),
    }


def diff_document(
    differences: mend.Differences, before: DecisionTable, after: DecisionTable
) -> document.DiffDocument:
    """Return the regions in which two sets of rules decide differently."""
    return {
        "format": "irenic diff",
        "version": VERSION,
        "same": differences.same,
        "finished": differences.finished,
        "verdict": _verdict(differences),
        "differences": [_difference(each, before, after) for each in differences],
    }


def _verdict(differences: mend.Differences) -> str:
    if differences.same:
        return "They decide the same everywhere."
    if differences.same is None:
        return "No difference was found before the budget ended the search."
    more = "" if differences.finished else ", and perhaps in more: the budget ended the search"
    return f"They decide differently in {counted(len(differences), 'region')}{more}."


def _difference(
    difference: mend.Difference, old: DecisionTable, new: DecisionTable
) -> document.DifferenceRecord:
    before, after = difference.before, difference.after
    return {
        "region": encode_region(difference.region),
        "witness": encode_witness(difference.region),
        "before": None if before is None else encode_then(before),
        "after": None if after is None else encode_then(after),
        "rules_before": numbers(difference.rules_before),
        "rules_after": numbers(difference.rules_after),
        "place_before": old.place(difference.rules_before),
        "place_after": new.place(difference.rules_after),
        "text": difference.text,
    }


def prove_document(verdicts: Iterable[Verdict]) -> document.ProveDocument:
    """Return what was proved and refuted."""
    return {
        "format": "irenic prove",
        "version": VERSION,
        "properties": [encode_verdict(verdict) for verdict in verdicts],
    }


def trial_document(
    trial: Trial, cases: Sequence[Mapping[str, Any]], names: Sequence[str]
) -> document.TrialDocument:
    """Return which test cases pass, and what none of them exercises."""
    return {
        "format": "irenic test",
        "version": VERSION,
        "passed": trial.passed,
        "cases": [
            {
                **decided_case(case, outcome.actual, outcome.rules),
                "name": name,
                "passed": outcome.passed,
                "expected": encode_outcome(outcome.expected),
            }
            for case, outcome, name in zip(cases, trial.outcomes, names, strict=True)
        ],
        "covered": dict(trial.covered),
        "total": dict(trial.total),
        "missed": list(trial.missed),
    }


def impact_document(
    impact: Impact, amount: str | None = None, by: str | None = None
) -> document.ImpactDocument:
    """Return how many past cases a change affects, with the names of columns."""
    return {
        "format": "irenic impact",
        "version": VERSION,
        "cases": impact.cases,
        "changed": impact.changed,
        "amount": impact.amount,
        "amount_changed": impact.amount_changed,
        "amount_of": amount,
        "grouped_by": by,
        "moves": [
            {
                "before": encode_outcome(move.before),
                "after": encode_outcome(move.after),
                "rules_before": numbers(move.rules_before),
                "rules_after": numbers(move.rules_after),
                "cases": move.cases,
                "amount": move.amount,
                "rows": [row + 1 for row in move.rows],
                "text": str(move),
            }
            for move in impact.moves
        ],
        "groups": [
            {"value": say(g.value), "cases": g.cases, "changed": g.changed, "amount": g.amount}
            for g in impact.groups
        ],
    }


def why_document(
    case: Mapping[str, Any],
    reason: Explanation,
    instead: Alternative | None,
    instead_text: str,
    misses: Iterable[NearMiss] = (),
) -> document.WhyDocument:
    """Return why a case has its outcome, the nearest case with another one, and near misses."""
    other = None
    if instead is not None:
        changed = {**case, **{name: new for name, (_, new) in instead.changes.items()}}
        other = decided_case(changed, instead.outcome, instead.rules)
    return {
        "format": "irenic why",
        "version": VERSION,
        "case": decided_case(case, reason.then, reason.rules),
        "region": encode_region(reason.region),
        "text": reason.text,
        "instead": other,
        "instead_text": instead_text,
        "nearly": [
            {
                "rule": miss.rule + 1,
                "outcome": encode_then(miss.outcome),
                "condition": encode_region(miss.condition),
                "text": str(miss),
            }
            for miss in misses
        ],
    }


def learn_document(
    model: RuleClassifier,
    *,
    data: str,
    target: str,
    counts: Mapping[Hashable, int],
    cross_validation: Mapping[str, Any] | None,
    suspect: Mapping[str, str] | None = None,
) -> document.LearnDocument:
    """Return the summary of a classifier and its training data.

    ``counts`` are rows per class, ``cross_validation`` is what
    :func:`irenic.learn.cross_validate` returns, and ``suspect`` what
    :func:`irenic.learn.suspect_columns` does.
    """
    summary = summarize(model)
    return {
        **summary,
        "format": "irenic learn",
        "name": data,
        "data": {
            "name": data,
            "rows": sum(counts.values()),
            "features": len(summary["features"]),
            "target": target,
            "classes": [{**encode_then(label), "rows": rows} for label, rows in counts.items()],
            "suspect": dict(suspect or {}),
        },
        "cross_validation": None if cross_validation is None else _scores(cross_validation),
        "groups": None,
    }


def _scores(cross_validation: Mapping[str, Any]) -> document.CrossValidation:
    """Return the scores of learners with None for NaN, which JSON does not have."""
    learners: Any = [
        {key: None if value != value else value for key, value in learner.items()}
        for learner in cross_validation["learners"]
    ]
    return {
        "folds": cross_validation["folds"],
        "sampled": cross_validation["sampled"],
        "learners": learners,
    }
