"""The summary as a person reads it in a terminal: colour and boxes only where there is one."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from irenic.formats.json_rules import decode_point, decode_region
from irenic.literals import display
from irenic.pairs import show_asked
from irenic.region import Region
from irenic.ruleset import RuleSet

_MOST = 50
_MOST_GAPS = 10


def print_check(summary: dict[str, Any], rules: RuleSet, console: Console) -> None:
    """Print the rules, the conflicts and one sentence of verdict."""
    print_rules(rules, console)
    shown = summary["conflicts"][:_MOST]
    for conflict in shown:
        a, b = conflict["rules"]
        both = rules[a - 1], rules[b - 1]
        thens = [_show_then(rule.then) for rule in both]
        point = show_asked(decode_point(conflict["witness"]), both)
        overlap = decode_region(conflict["overlap"], rules.space)
        console.print()
        console.print(Text.assemble(("conflict", "bold red"), f" between rule {a} and rule {b}"))
        for label, text in (
            ("both hold where", str(overlap)),
            ("for example", f"{point}: rule {a} says {thens[0]}, rule {b} says {thens[1]}"),
        ):
            line = Table.grid(padding=(0, 2))
            line.add_column(width=17)
            line.add_column(overflow="fold")
            line.add_row(f"  {label}", Text(text))
            console.print(line)
    left = summary["conflict_count"] - len(shown)
    if left:
        noun = "conflict" if left == 1 else "conflicts"
        console.print(f"\n… and {left} more {noun} (--json lists more)")
    regions = [decode_region(region, rules.space) for region in summary["gaps"][:_MOST_GAPS]]
    if regions:
        console.print()
        console.print("no rule covers")
        print_regions(regions, console, indent=2)
        left = summary["gap_count"] - len(regions)
        if left:
            console.print(f"  … and {left} more (irenic gaps lists them)")
    console.print()
    console.print(verdict(summary))
    console.print(completeness(summary, has_default=rules.default is not None))


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
    print_regions(regions, console)
    left = summary["gap_count"] - len(regions)
    if left:
        console.print(f"… and {left} more (--most {summary['gap_count']} lists them)")
    if regions:
        console.print()
    console.print(completeness(summary, has_default=rules.default is not None))


def print_search(summary: dict[str, Any], rules: RuleSet, console: Console) -> None:
    """Print the regions of a search; if there are none, say whether there can be any."""
    regions = [decode_region(region, rules.space) for region in summary["regions"]]
    print_regions(regions, console)
    if not regions and summary["complete"]:
        console.print("There is no free region: every case is covered by a rule, or by a rival.")
    elif summary["stopped_by"] in ("seconds", "interrupt"):
        console.print(f"\nStopped by {summary['stopped_by']}; there may be more.")


def print_rules(rules: RuleSet, console: Console) -> None:
    """Print the rules as a table, the first of them where there are many."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("rule", justify="right")
    table.add_column("if", overflow="fold")
    table.add_column("then", overflow="fold")
    for number, rule in enumerate(rules[:_MOST], 1):
        table.add_row(str(number), Text(rule.region.to_text()), Text(_show_then(rule.then)))
    if rules.default is not None:
        table.add_row("", "otherwise", Text(_show_then(rules.default)))
    console.print(table)
    if len(rules) > _MOST:
        console.print(f"… and {len(rules) - _MOST} more rules")


def _show_then(then: Hashable) -> str:
    """Return a label without quotes, unless it holds what would disturb a terminal."""
    return then if isinstance(then, str) and then.isprintable() else display(then)


def verdict(summary: dict[str, Any]) -> str:
    """Return the verdict on a rule set in one sentence, in the markup of rich."""
    n, conflicts = summary["rules"], summary["conflict_count"]
    if not n:
        return "[green]Consistent[/]: there are no rules, so none contradict each other."
    if n == 1:
        return "[green]Consistent[/]: a single rule contradicts nothing."
    if summary["consistent"]:
        return f"[green]Consistent[/]: no two of the {n} rules contradict each other."
    pairs = "pair" if conflicts == 1 else "pairs"
    verb = "contradicts" if conflicts == 1 else "contradict"
    return f"[bold red]Not consistent[/]: {conflicts} {pairs} of the {n} rules {verb} each other."


def completeness(summary: dict[str, Any], *, has_default: bool = False) -> str:
    """Return in one sentence whether the rules cover everything, in the markup of rich."""
    if summary["complete"] is None:
        return "[yellow]Complete or not[/]: unknown, the budget ended the search for a gap."
    if summary["complete"]:
        return "[green]Complete[/]: every case is covered by a rule."
    n = summary["gap_count"]
    number = f"{n} region" if n == 1 else f"{n} regions"
    known = number if summary["gaps_complete"] else f"{number} and perhaps more"
    rest = "; the default holds there" if has_default else ""
    return f"[yellow]Not complete[/]: no rule covers {known}{rest}."
