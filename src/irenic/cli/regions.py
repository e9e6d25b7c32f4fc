"""The commands that find regions: gaps, search and enlarge."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any

import typer

import irenic
from irenic.cli.common import (
    GAP_LIMIT,
    Json,
    Limit,
    console,
    note,
    output,
    print_json,
    progress,
    say_line,
)
from irenic.cli.reading import (
    Data,
    From,
    Rules,
    SpaceFile,
    TableName,
    read_rules,
    reads_rules,
    say_example,
)
from irenic.errors import did_you_mean
from irenic.model.head import Head
from irenic.model.literals import display

if TYPE_CHECKING:
    from collections.abc import Hashable

    from irenic.searching import Search

_BUDGET = typer.Option(metavar="SECONDS", help="Maximum seconds for the search.", min=0.0)
_CONSEQUENT = typer.Option(
    metavar="VALUE",
    help="Prediction of the new rule, which may overlap rules that agree with it.",
)
_RANDOM_STATE = typer.Option(metavar="N", help="Seed of the random number generator.")
Budget = Annotated[float, _BUDGET]
Consequent = Annotated[str | None, _CONSEQUENT]
RandomState = Annotated[int | None, _RANDOM_STATE]

commands = typer.Typer()


@commands.command(
    epilog="""[bold]Examples[/]
irenic gaps rules.txt
irenic gaps rules.json --json --budget 60

[bold]Exit status[/]
0 every case with values that rules name is covered, 1 not every one is
covered or it is unknown, 2 invalid input"""
)
@reads_rules
def gaps(
    rules: Rules = None,
    as_json: Json = False,
    data: Data = None,
    space: SpaceFile = None,
    table: TableName = None,
    form: From = None,
    budget: Budget = 60.0,
    limit: Limit = None,
    *,
    reading: dict[str, Any],
) -> None:
    """List the regions that no rule covers."""
    from irenic.reporting import terminal
    from irenic.reporting.documents import gaps_document

    rule_set = read_rules(rules, data, space, form, table, reading)
    with progress("looking for gaps") as show:
        per_search = irenic.Budget(seconds=budget, regions=GAP_LIMIT)
        found = irenic.searching.named_gaps(rule_set, budget=per_search, progress=show)
    whole = irenic.DecisionTable.from_rules(rule_set)
    document = gaps_document(whole, found, limit or (None if as_json else 1_000))
    with output():
        if as_json:
            print_json(document)
        else:
            say_example(rules)
            terminal.print_gaps(document, console())
    has_none = found.finished and not found.regions
    raise typer.Exit(0 if has_none else 1)


@commands.command(
    epilog="""[bold]Examples[/]
irenic search rules.txt                   print the first free region
irenic search rules.txt --all --maximal   print all maximal ones
irenic search rules.txt --order random    print a random one
irenic search rules.txt --all --paths     print all paths of the paper

[bold]Exit status[/]
0 a region was found, 1 none was found, 2 invalid input"""
)
@reads_rules
def search(
    rules: Rules = None,
    first: Annotated[
        bool,
        typer.Option("--first/--all", metavar="", help="Print the first region, or all of them."),
    ] = True,
    maximal: Annotated[
        bool,
        typer.Option("--maximal", metavar="", help="Print only regions that cannot be enlarged."),
    ] = False,
    paths: Annotated[
        bool,
        typer.Option(
            "--paths", metavar="", help="Print the paths of the paper, with their constraints."
        ),
    ] = False,
    order: Annotated[
        str,
        typer.Option(
            metavar="ORDER", help="Order of the search: lexicographic, as in the paper, or random."
        ),
    ] = "lexicographic",
    random_state: RandomState = None,
    consequent: Consequent = None,
    as_json: Json = False,
    data: Data = None,
    space: SpaceFile = None,
    table: TableName = None,
    form: From = None,
    budget: Budget = 60.0,
    *,
    reading: dict[str, Any],
) -> None:
    """Find regions where a new rule contradicts no other (CFSGS in the paper)."""
    from irenic.reporting import terminal
    from irenic.reporting.documents import search_document

    if paths and maximal:
        raise irenic.ConditionError(
            "--paths and --maximal cannot be combined: the regions of paths are not maximal"
        )
    rule_set = read_rules(rules, data, space, form, table, reading)
    with progress("searching") as show:
        options: dict[str, Any] = {
            "consequent": _consequent(rule_set, consequent),
            "order": order,
            "random_state": random_state,
            "budget": irenic.Budget(seconds=budget, regions=1 if first else None),
            "progress": show,
        }
        if paths:
            result: Search[Any] = irenic.searching.paths(rule_set, **options)
        else:
            result = irenic.search(rule_set, maximal=maximal, **options)
        results = list(result)
    document = search_document(result, results)
    with output():
        if as_json:
            print_json(document)
        else:
            say_example(rules)
            terminal.print_search(document, console())
    raise typer.Exit(0 if results else 1)


@commands.command(
    epilog="""[bold]Examples[/]
irenic enlarge rules.txt --seed "f1=5.5, f2=6"
irenic enlarge rules.txt --seed "f1=5.5, f2=6" --order f2,f1 --consequent A

[bold]Exit status[/]
0 a region was found, 2 invalid input, or a rival covers the seed"""
)
@reads_rules
def enlarge(
    rules: Rules = None,
    seed: Annotated[
        str,
        typer.Option(metavar="POINT", help='Point that no rival covers, such as "f1=5.5, f2=6".'),
    ] = "",
    order: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Features in the order to enlarge, such as f2,f1; random; or fewest (conditions).",
        ),
    ] = None,
    random_state: RandomState = None,
    consequent: Consequent = None,
    as_json: Json = False,
    data: Data = None,
    space: SpaceFile = None,
    table: TableName = None,
    form: From = None,
    *,
    reading: dict[str, Any],
) -> None:
    """Grow a region around a point where a new rule contradicts no other (CFSBE in the paper)."""
    from irenic.model.notation import parse_names, parse_point
    from irenic.reporting.documents import enlarge_document

    rule_set = read_rules(rules, data, space, form, table, reading)
    if not seed:
        shape = ", ".join(f"{name}=…" for name in rule_set.space.names)
        raise irenic.SeedError(f'a seed is required: --seed "{shape}"')
    point = _parse_option("--seed", parse_point, seed)
    names: Any = order
    if order not in (None, "random", "fewest"):
        names = _parse_option("--order", parse_names, order)
    region = irenic.enlarge(
        rule_set,
        point,
        order=names,
        consequent=_consequent(rule_set, consequent),
        random_state=random_state,
    )
    document = enlarge_document(point, region)
    with output():
        if as_json:
            print_json(document)
        else:
            say_example(rules)
            say_line(document["region"]["text"])


def _parse_option(option: str, parse: Any, text: str) -> Any:
    try:
        return parse(text)
    except irenic.FormatError as error:
        raise error.at(path=option) from None


def _consequent(rules: irenic.RuleSet, text: str | None) -> Hashable | None:
    """Return the consequent of the rules that is written as ``text``; None if there is none."""
    if text is None:
        return None
    for known in rules.consequents:
        if text in (str(known), display(known)):
            return known
    with suppress(irenic.FormatError):
        then = irenic.Rule.parse(f"IF anything THEN {text}").then
        if isinstance(then, Head):  # rules can agree with it without being equal
            return then
    hint = did_you_mean(text, map(str, rules.consequents))
    note(f"no rule predicts {text!r}{hint}; every rule is a rival")
    return None
