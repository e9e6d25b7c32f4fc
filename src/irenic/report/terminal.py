"""The summary as a person reads it in a terminal: colour and boxes only where there is one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from irenic.literals import display
from irenic.pairs import show_point

if TYPE_CHECKING:
    from collections.abc import Hashable

    from rich.console import Console

    from irenic.ruleset import RuleSet

_MOST = 50


def print_check(summary: dict[str, Any], rules: RuleSet, console: Console) -> None:
    """Print the rules, the conflicts and one sentence of verdict."""
    print_rules(rules, console)
    shown = rules.conflicts()[:_MOST] if summary["conflicts"] else []
    for conflict in shown:
        a, b = conflict.first + 1, conflict.second + 1
        thens = [_show_then(rule.then) for rule in conflict.rules]
        point = show_point(conflict.witness, conflict.rules)
        console.print()
        console.print(Text.assemble(("conflict", "bold red"), f" between rule {a} and rule {b}"))
        for label, text in (
            ("both hold where", str(conflict.overlap)),
            ("for example", f"{point}: rule {a} says {thens[0]}, rule {b} says {thens[1]}"),
        ):
            line = Table.grid(padding=(0, 2))
            line.add_column(width=17)
            line.add_column(overflow="fold")
            line.add_row(f"  {label}", Text(text))
            console.print(line)
    left = len(summary["conflicts"]) - len(shown)
    if left:
        noun = "conflict" if left == 1 else "conflicts"
        console.print(f"\n… and {left} more {noun} (--json lists all)")
    console.print()
    console.print(verdict(summary))


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
    n, conflicts = summary["rules"], len(summary["conflicts"])
    if not n:
        return "[green]Consistent[/]: there are no rules, so none contradict each other."
    if n == 1:
        return "[green]Consistent[/]: a single rule contradicts nothing."
    if summary["consistent"]:
        return f"[green]Consistent[/]: no two of the {n} rules contradict each other."
    pairs = "pair" if conflicts == 1 else "pairs"
    verb = "contradicts" if conflicts == 1 else "contradict"
    return f"[bold red]Not consistent[/]: {conflicts} {pairs} of the {n} rules {verb} each other."
