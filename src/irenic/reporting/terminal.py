"""Findings as text: with colors and tables on a terminal, as plain lines elsewhere."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from irenic.checking import KINDS, NOUNS, Finding, Findings, case_in
from irenic.model.decision_table import DecisionTable
from irenic.model.literals import counted, say
from irenic.model.region import Region
from irenic.model.ruleset import RuleSet
from irenic.reporting.document import CrossValidation
from irenic.reporting.documents import CheckedFile
from irenic.reporting.instances import RuleCounts, of_training
from irenic.reporting.verdicts import (
    Verdict,
    Verdicts,
    completeness,
    verdicts_on,
    verdicts_on_model,
)
from irenic.searching import Gaps, Search

if TYPE_CHECKING:
    from irenic.learn import FrontPoint, RuleSetClassifier

_LIMIT: Final = 50
_LIMIT_OF_OTHERS: Final = 10
"""For findings other than conflicts and overlaps."""


def print_file(
    file: CheckedFile, console: Console, limit: int | None = None, *, headed: bool = False
) -> None:
    """Print the findings of a file, table by table."""
    for number, findings in enumerate(file.tables):
        if number:
            console.print()
        if headed:
            console.print(Text(_heading(file, findings.table), style="bold"))
        print_check(findings, console, limit)


def _heading(file: CheckedFile, table: DecisionTable) -> str:
    policy = f", {table.hit_policy}" if table.hit_policy else ""
    name = f": {table.name}" if table.name else ""
    features = counted(len(table.space), "feature")
    return f"{file.path}{name} ({counted(table.n_rows, 'rule')}, {features}{policy})"


def print_check(findings: Findings, console: Console, limit: int | None = None) -> None:
    """Print the rules, one finding per line, and the verdicts."""
    print_rules(findings.table.rules, console, findings.table.rows)
    if len(findings):
        console.print()
    for kind in KINDS:
        n = limit or (_LIMIT if kind in ("conflicts", "overlaps") else _LIMIT_OF_OTHERS)
        listed = [finding for finding in findings if finding.kind == kind][:n]
        for finding in listed:
            _print_finding(finding, console)
        left = findings.count(kind) - len(listed)
        if kind == "overlaps":  # findings list these as conflicts
            left -= findings.count("conflicts")
        if left > 0:
            console.print(f"{NOUNS[kind]:<{_LABEL}}… and {left:,} more (use --limit to list more)")
    console.print()
    print_verdicts(verdicts_on(findings), console)
    for kind in findings.unfinished:
        if kind != "gaps":  # which the verdict mentions
            what = _SEARCHES[kind]
            console.print(f"[yellow]Unfinished[/]: the budget ended the search for {what}.")


_LABEL: Final = max(map(len, NOUNS.values())) + 2
_COLORS: Final = {"error": "bold red", "warning": "yellow", "note": "cyan"}
_SEARCHES: Final = {
    "inside": "rules inside others",
    "never_fire": "rules that never fire",
    "columns": "columns that never matter",
}


def _print_finding(finding: Finding, console: Console) -> None:
    label = Text(f"{NOUNS[finding.kind]:<{_LABEL}}", style=_COLORS[finding.level])
    if not console.is_terminal:  # one finding per line, for other programs
        console.print(Text.assemble(label, finding.text))
        return
    grid = Table.grid()
    grid.add_column(width=_LABEL)
    grid.add_column(overflow="fold")
    grid.add_row(label, Text(finding.text))
    console.print(grid)


def print_regions(regions: Iterable[Region], console: Console, indent: int = 0) -> None:
    """Print one region per line."""
    if not console.is_terminal:  # plain lines, for other programs
        for region in regions:
            console.print(Text(" " * indent + str(region)))
        return
    grid = Table.grid()
    grid.add_column(width=indent)
    grid.add_column(overflow="fold")
    for region in regions:
        grid.add_row("", Text(str(region)))
    console.print(grid)


def print_gaps(table: DecisionTable, gaps: Gaps, console: Console, limit: int) -> None:
    """Print at most ``limit`` regions that no rule covers, and how many there are."""
    regions = gaps.regions[:limit]
    if console.is_terminal and regions:
        grid = _headed("gap", "no rule covers", "for example", right=["gap"])
        for number, region in enumerate(regions, 1):
            grid.add_row(str(number), Text(str(region)), Text(case_in(region)))
        console.print(grid)
    else:  # plain lines, for other programs
        print_regions(regions, console)
    left = len(gaps) - len(regions)
    if left:
        console.print(f"… and {left} more (use --limit {len(gaps)} to list all)")
    if regions:
        console.print()
    _print_verdict(completeness(table, gaps), "yellow", console)


def print_search(search: Search, regions: list[Region], console: Console) -> None:
    """Print the regions that a search yielded, and how it ended."""
    print_regions(regions, console)
    if not regions and search.finished:
        console.print("There is no free region: rivals cover every case.")
    elif search.stopped_by in ("seconds", "interrupt"):
        console.print(f"\nStopped by {search.stopped_by}; there may be more.")


def _headed(*columns: str, right: Collection[str] = ()) -> Table:
    """Return a table without borders; columns in ``right`` are right-aligned and not wrapped."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        if column in right:
            table.add_column(column, justify="right", no_wrap=True)
        else:
            table.add_column(column, overflow="fold")
    return table


def print_rules(rules: RuleSet, console: Console, rows: Sequence[int] | None = None) -> None:
    """Print the first rules as a table."""
    table = _headed("rule", "if", "then", right=["rule"])
    for row, rule in zip(rows or range(len(rules)), rules[:_LIMIT], strict=False):
        table.add_row(str(row + 1), Text(rule.region.to_text()), Text(say(rule.then)))
    if rules.default is not None:
        table.add_row("", "otherwise", Text(say(rules.default)))
    console.print(table)
    if len(rules) > _LIMIT:
        console.print(f"… and {len(rules) - _LIMIT} more rules")


def print_verdicts(verdicts: Verdicts, console: Console) -> None:
    """Print the verdicts on rules, one per line."""
    _print_verdict(verdicts.consistent, "bold red", console)
    _print_verdict(verdicts.complete, "yellow", console)


def _print_verdict(verdict: Verdict, bad: str, console: Console) -> None:
    color = "green" if verdict.holds else bad
    console.print(Text.assemble((verdict.head, color), f": {verdict.text}"))


# --- learned rules


def print_learned(
    model: RuleSetClassifier,
    counts: Mapping[Hashable, int],
    cross_validation: CrossValidation | None,
    console: Console,
) -> None:
    """Print learned rules with their counts, the verdicts, the comparison and the front.

    ``counts`` are the training rows per class.
    """
    features = counted(len(model.rules_.space), "feature")
    shares = [f"{say(label)} {rows:,}" for label, rows in counts.items()]
    classes = f"{len(shares)} classes: {', '.join(shares[:_CLASS_LIMIT])}"
    more = ", …" if len(shares) > _CLASS_LIMIT else ""
    console.print(Text(f"{sum(counts.values()):,} rows, {features}, {classes}{more}"))
    console.print()
    _print_learned_rules(model.chosen_, console)
    console.print()
    chosen = model.chosen_
    console.print(
        f"{counted(chosen.n_rules, 'rule')}, {counted(chosen.n_conditions, 'condition')};"
        f" a prediction takes {chosen.explanation_size:.1f} conditions on average"
    )
    print_verdicts(verdicts_on_model(model), console)
    if cross_validation is not None:
        console.print()
        _print_comparison(cross_validation, console)
    console.print()
    _print_front(model.pareto_front_, model.chosen_, console)


_CLASS_LIMIT: Final = 8


def _print_learned_rules(point: FrontPoint, console: Console) -> None:
    counts, rules = of_training(point), point.rule_set
    columns = ("support", "confidence")
    table = _headed("rule", "if", "then", *columns, right=["rule", *columns])
    for index, rule in enumerate(rules):
        condition = Text(rule.region.to_text())
        table.add_row(str(index + 1), condition, Text(say(rule.then)), *_shares(counts, index))
    then = "nothing" if rules.default is None else say(rules.default)
    table.add_row("", "otherwise", Text(then), *_shares(counts, len(rules)))
    console.print(table)


def _shares(counts: RuleCounts, index: int) -> tuple[str, str]:
    """Return the support and the confidence of a rule, as text."""
    entry = counts.at(index)
    return f"{entry['support']:,g}", _share(entry["confidence"])


def _print_comparison(scores: CrossValidation, console: Console) -> None:
    how = "corrected for choosing among rule sets"
    if scores["folds"] is not None:
        how = f"{scores['folds']}-fold cross-validation"
    console.print(f"On rows left out ({how}):")
    columns = ("accuracy", "95 % interval", "balanced", "rules", "conditions")
    table = _headed("", *columns, right=columns)
    for learner in scores["learners"]:
        table.add_row(
            learner["name"],
            _share(learner["accuracy"]),
            _interval(learner["low"], learner["high"]),
            _share(learner["balanced_accuracy"]),
            f"{learner['rules']:.1f}",
            f"{learner['conditions']:.1f}",
        )
    console.print(table)


def _interval(low: float, high: float) -> str:
    return "–" if math.isnan(low) else f"{_share(low)} to {_share(high)}"


def _print_front(front: Iterable[FrontPoint], chosen: FrontPoint, console: Console) -> None:
    console.print("Rule sets to choose from, from small to accurate (* is the one above):")
    columns = ("rules", "conditions", "to read", "training", "validated")
    table = _headed("", *columns, right=columns)
    for point in front:
        table.add_row(
            "*" if point is chosen else "",
            str(point.n_rules),
            str(point.n_conditions),
            f"{point.explanation_size:.1f}",
            _share(point.training_score),
            _share(point.validated_score),
            style="bold" if point is chosen else None,
        )
    console.print(table)


def _share(value: float | None) -> str:
    return "–" if value is None or math.isnan(value) else f"{value:.3f}"
