"""The summary as a person reads it in a terminal: colour and boxes only where there is one."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from irenic.checking import KINDS, NOUNS, Finding, Findings, case_in
from irenic.formats.json.rules import decode_region, decode_value
from irenic.model.literals import counted, say
from irenic.model.region import Region
from irenic.model.ruleset import RuleSet
from irenic.reporting._verdicts import Verdict, completeness, verdicts
from irenic.reporting.checked import CheckedFile

_MOST = 50
_MOST_OTHERS = 10


def print_file(
    file: CheckedFile, console: Console, most: int | None = None, *, headed: bool = False
) -> None:
    """Print what was found in a file, table by table."""
    for number, found in enumerate(file.tables):
        if number:
            console.print()
        if headed:
            console.print(Text(_heading(file, found), style="bold"))
        print_check(found, console, most)


def _heading(file: CheckedFile, found: Findings) -> str:
    table = found.table
    policy = f", {table.hit_policy}" if table.hit_policy else ""
    name = f": {table.name}" if table.name else ""
    features = counted(len(table.space), "feature")
    return f"{file.path}{name} ({counted(table.n_rows, 'rule')}, {features}{policy})"


def print_check(found: Findings, console: Console, most: int | None = None) -> None:
    """Print the rules, one line a finding, and the verdicts."""
    print_rules(found.table.rules, console, found.table.rows)
    shown = False
    for kind in KINDS:
        listed = [finding for finding in found if finding.kind == kind]
        limit = most or (_MOST if kind in ("conflicts", "overlaps") else _MOST_OTHERS)
        if listed and not shown:
            console.print()
            shown = True
        for finding in listed[:limit]:
            _print_finding(finding, console)
        left = found.count(kind) - len(listed[:limit])
        if kind == "overlaps":  # those that are conflicts were shown as such
            left -= found.count("conflicts")
        if left > 0:
            console.print(f"{NOUNS[kind]:<{_LABEL}}… and {left:,} more (--most lists more)")
    console.print()
    for verdict in verdicts(found):
        print_verdict(verdict, console)
    for kind in found.unfinished:
        if kind != "gaps":
            what = _SEARCHES[kind]
            console.print(f"[yellow]Unfinished[/]: the budget ended the search for {what}.")


_LABEL = max(map(len, NOUNS.values())) + 2
_COLOURS: Final = {"error": "bold red", "warning": "yellow", "note": "cyan"}
_SEARCHES: Final = {
    "inside": "rules inside others",
    "never_fire": "rules that never fire",
    "columns": "columns that never matter",
}


def _print_finding(finding: Finding, console: Console) -> None:
    label = Text(f"{NOUNS[finding.kind]:<{_LABEL}}", style=_COLOURS[finding.level])
    if not console.is_terminal:  # one line a finding, which other programs read
        console.print(Text.assemble(label, finding.text))
        return
    grid = Table.grid()
    grid.add_column(width=_LABEL)
    grid.add_column(overflow="fold")
    grid.add_row(label, Text(finding.text))
    console.print(grid)


def print_regions(regions: Iterable[Region], console: Console, indent: int = 0) -> None:
    """Print regions, one a line."""
    if not console.is_terminal:  # plain lines, which other programs read
        for region in regions:
            console.print(Text(" " * indent + str(region)))
        return
    grid = Table.grid()
    grid.add_column(width=indent)
    grid.add_column(overflow="fold")
    for region in regions:
        grid.add_row("", Text(str(region)))
    console.print(grid)


def print_gaps(summary: dict[str, Any], rules: RuleSet, console: Console) -> None:
    """Print the regions that no rule covers, and one sentence on how many there are."""
    regions = [decode_region(region, rules.space) for region in summary["gaps"]]
    if console.is_terminal and regions:
        table = _headed("gap", "no rule covers", "for example", right=["gap"])
        for number, region in enumerate(regions, 1):
            table.add_row(str(number), Text(str(region)), Text(case_in(region)))
        console.print(table)
    else:  # plain lines, which other programs read
        print_regions(regions, console)
    left = summary["gap_count"] - len(regions)
    if left:
        console.print(f"… and {left} more (--most {summary['gap_count']} lists them)")
    if regions:
        console.print()
    verdict = completeness(
        summary["complete"],
        summary["gap_count"],
        all_known=summary["gaps_finished"],
        has_default=rules.default is not None,
    )
    print_verdict(verdict, console)


def print_search(summary: dict[str, Any], rules: RuleSet, console: Console) -> None:
    """Print the regions of a search; if there are none, say whether there can be any."""
    regions = [decode_region(region, rules.space) for region in summary["regions"]]
    print_regions(regions, console)
    if not regions and summary["finished"]:
        console.print("There is no free region: every case is covered by a rule, or by a rival.")
    elif summary["stopped_by"] in ("seconds", "interrupt"):
        console.print(f"\nStopped by {summary['stopped_by']}; there may be more.")


def _headed(*columns: str, right: Collection[str] = ()) -> Table:
    """Return a table without lines; numbers stand to the right, and are not broken."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        if column in right:
            table.add_column(column, justify="right", no_wrap=True)
        else:
            table.add_column(column, overflow="fold")
    return table


def print_rules(rules: RuleSet, console: Console, rows: Sequence[int] | None = None) -> None:
    """Print the rules as a table, the first of them where there are many."""
    table = _headed("rule", "if", "then", right=["rule"])
    for row, rule in zip(rows or range(len(rules)), rules[:_MOST], strict=False):
        table.add_row(str(row + 1), Text(rule.region.to_text()), Text(say(rule.then)))
    if rules.default is not None:
        table.add_row("", "otherwise", Text(say(rules.default)))
    console.print(table)
    if len(rules) > _MOST:
        console.print(f"… and {len(rules) - _MOST} more rules")


def print_verdict(verdict: Verdict, console: Console) -> None:
    """Print a verdict, its head in colour."""
    console.print(Text.assemble((verdict.head, _colour(verdict)), f": {verdict.text}"))


def _colour(verdict: Verdict) -> str:
    if verdict.holds:
        return "green"
    return "bold red" if verdict.about == "consistent" else "yellow"


# --- what was learned


def print_learned(summary: dict[str, Any], model_rules: RuleSet, console: Console) -> None:
    """Print the rules with how they did, the certificate, the comparison and the front."""
    data = summary["data"]
    shares = [f"{_label(entry['label'])} {entry['rows']:,}" for entry in data["classes"]]
    classes = f"{len(shares)} classes: {', '.join(shares[:_MOST_CLASSES])}"
    more = ", …" if len(shares) > _MOST_CLASSES else ""
    console.print(
        Text(f"{data['rows']:,} rows, {counted(data['features'], 'feature')}, {classes}{more}")
    )
    console.print()
    _print_learned_rules(summary, model_rules, console)
    console.print()
    size = summary["size"]
    console.print(
        f"{counted(size['rules'], 'rule')}, {counted(size['conditions'], 'condition')};"
        f" {size['explanation_size']:.1f} conditions to read for a prediction, on average"
    )
    text = summary["certificate"]["text"]
    colour = "green" if summary["certificate"]["consistent"] else "bold red"
    word, rest = text.split(":", 1)
    console.print(Text.assemble((word.capitalize(), colour), f":{rest}"))
    if summary["cross_validation"] is not None:
        console.print()
        _print_comparison(summary["cross_validation"], console)
    console.print()
    _print_front(summary["front"], console)


_MOST_CLASSES = 8


def _print_learned_rules(summary: dict[str, Any], rules: RuleSet, console: Console) -> None:
    counts = ("support", "confidence")
    table = _headed("rule", "if", "then", *counts, right=["rule", *counts])
    for number, (rule, entry) in enumerate(zip(rules, summary["rules"], strict=True), 1):
        words = Text(rule.region.to_text())
        table.add_row(str(number), words, Text(say(rule.then)), *_held(entry))
    default = summary["default"]
    then = "nothing" if rules.default is None else say(rules.default)
    table.add_row("", "otherwise", Text(then), *_held(default))
    console.print(table)


def _held(entry: dict[str, Any]) -> tuple[str, str]:
    return f"{entry['support']:,g}", _share(entry["confidence"])


def _print_comparison(found: dict[str, Any], console: Console) -> None:
    console.print(f"On rows left out ({found['folds']}-fold cross-validation):")
    columns = ("accuracy", "balanced", "rules", "conditions")
    table = _headed("", *columns, right=columns)
    for learner in found["learners"]:
        table.add_row(
            learner["name"],
            f"{_share(learner['accuracy'])} ± {learner['accuracy_sd']:.3f}",
            _share(learner["balanced_accuracy"]),
            f"{learner['rules']:.1f}",
            f"{learner['conditions']:.1f}",
        )
    console.print(table)


def _print_front(front: list[dict[str, Any]], console: Console) -> None:
    console.print("Rule sets to choose from, from small to accurate (* is the one above):")
    columns = ("rules", "conditions", "to read", "training", "validated")
    table = _headed("", *columns, right=columns)
    for point in front:
        table.add_row(
            "*" if point["chosen"] else "",
            str(point["rules"]),
            str(point["conditions"]),
            f"{point['explanation_size']:.1f}",
            _share(point["training_score"]),
            _share(point["validated_score"]),
            style="bold" if point["chosen"] else None,
        )
    console.print(table)


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _label(encoded: Any) -> str:
    return say(decode_value(encoded))
