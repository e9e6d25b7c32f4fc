"""The summary as a person reads it in a terminal: colour and boxes only where there is one."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from irenic.formats.json_rules import decode_point, decode_region, decode_value
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


# --- what was learned


def print_learned(summary: dict[str, Any], model_rules: RuleSet, console: Console) -> None:
    """Print the rules with how they did, the certificate, the comparison and the front."""
    data = summary["data"]
    shares = [f"{_label(entry['label'])} {entry['rows']:,}" for entry in data["classes"]]
    classes = f"{len(shares)} classes: {', '.join(shares[:_MOST_CLASSES])}"
    more = ", …" if len(shares) > _MOST_CLASSES else ""
    console.print(
        Text(f"{data['rows']:,} rows, {_number_of(data['features'], 'feature')}, {classes}{more}")
    )
    console.print()
    _print_learned_rules(summary, model_rules, console)
    console.print()
    size = summary["size"]
    console.print(
        f"{_number_of(size['rules'], 'rule')}, {_number_of(size['conditions'], 'condition')};"
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
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("rule", justify="right")
    table.add_column("if", overflow="fold")
    table.add_column("then", overflow="fold")
    table.add_column("support", justify="right", no_wrap=True)
    table.add_column("confidence", justify="right", no_wrap=True)
    for number, (rule, entry) in enumerate(zip(rules, summary["rules"], strict=True), 1):
        words = Text(rule.region.to_text())
        table.add_row(str(number), words, Text(_show_then(rule.then)), *_held(entry))
    default = summary["default"]
    then = "nothing" if rules.default is None else _show_then(rules.default)
    table.add_row("", "otherwise", Text(then), *_held(default))
    console.print(table)


def _held(entry: dict[str, Any]) -> tuple[str, str]:
    return f"{entry['support']:,g}", _share(entry["confidence"])


def _print_comparison(found: dict[str, Any], console: Console) -> None:
    console.print(f"On rows left out ({found['folds']}-fold cross-validation):")
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("")
    for column in ("accuracy", "balanced", "rules", "conditions"):
        table.add_column(column, justify="right", no_wrap=True)
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
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("")
    for column in ("rules", "conditions", "to read", "training", "validated"):
        table.add_column(column, justify="right", no_wrap=True)
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
    return _show_then(decode_value(encoded))


def _number_of(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"
