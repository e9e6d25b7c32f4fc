"""The summary as a person reads it in a terminal: colour and boxes only where there is one."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from irenic.ruleset import RuleSet, show_point

_MOST = 50


def print_check(summary: dict[str, Any], rules: RuleSet, console: Console) -> None:
    """Print the rules, the conflicts and one sentence of verdict."""
    print_rules(rules, console)
    shown = rules.conflicts()[:_MOST] if summary["conflicts"] else []
    for conflict in shown:
        a, b = conflict.first + 1, conflict.second + 1
        console.print(f"\n[bold red]conflict[/] between rule {a} and rule {b}")
        console.print(f"  both hold where  {escape(str(conflict.overlap))}", soft_wrap=True)
        point = show_point(conflict.witness, conflict.rules)
        thens = [escape(str(rule.then)) for rule in conflict.rules]
        console.print(
            f"  for example      {escape(point)}: rule {a} says {thens[0]}, rule {b} says"
            f" {thens[1]}",
            soft_wrap=True,
        )
    left = len(summary["conflicts"]) - len(shown)
    if left:
        console.print(f"\n… and {left} more conflicts (--json lists all)")
    console.print()
    console.print(verdict(summary), soft_wrap=True)


def print_rules(rules: RuleSet, console: Console) -> None:
    """Print the rules as a table, the first of them where there are many."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("rule", justify="right")
    table.add_column("if", overflow="fold")
    table.add_column("then", overflow="fold")
    for number, rule in enumerate(rules[:_MOST], 1):
        table.add_row(str(number), escape(rule.region.to_text()), escape(str(rule.then)))
    if rules.default is not None:
        table.add_row("", "otherwise", escape(str(rules.default)))
    console.print(table)
    if len(rules) > _MOST:
        console.print(f"… and {len(rules) - _MOST} more rules")


def verdict(summary: dict[str, Any]) -> str:
    """Return the verdict on a rule set in one sentence."""
    n, conflicts = summary["rules"], len(summary["conflicts"])
    noun = "rule" if n == 1 else "rules"
    if not n:
        return "There are no rules, so none contradict each other."
    if n == 1:
        return "[green]Consistent[/]: a single rule contradicts nothing."
    if summary["consistent"]:
        return f"[green]Consistent[/]: no two of the {n} {noun} contradict each other."
    pairs = "pair" if conflicts == 1 else "pairs"
    verb = "contradicts" if conflicts == 1 else "contradict"
    return f"[bold red]Not consistent[/]: {conflicts} {pairs} of the {n} {noun} {verb} each other."
