"""The commands on regions: gaps, search and enlarge."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

import irenic
from irenic.cli.common import MOST_GAPS, Json, Most, console, output, print_json, progress
from irenic.cli.reading import Data, From, Ignore, Rules, SpaceFile, read_rules, say_example
from irenic.errors import did_you_mean
from irenic.model.literals import display

if TYPE_CHECKING:
    from collections.abc import Hashable

_BUDGET = typer.Option(metavar="SECONDS", help="How long to search for regions.", min=0.0)
_CONSEQUENT = typer.Option(
    metavar="VALUE", help="What the new rule will predict: rules that say the same are no rivals."
)
Seconds = Annotated[float, _BUDGET]
Consequent = Annotated[str | None, _CONSEQUENT]

commands = typer.Typer()


@commands.command(
    epilog="""[bold]Examples[/]
irenic gaps rules.txt
irenic gaps rules.json --json --budget 60

[bold]Exit status[/]
0 every case is covered, 1 not, or not known, 2 bad input"""
)
def gaps(
    rules: Rules = None,
    as_json: Json = False,
    data: Data = None,
    space: SpaceFile = None,
    ignore: Ignore = None,
    form: From = None,
    budget: Seconds = 60.0,
    most: Most = None,
) -> None:
    """List the regions that no rule covers."""
    from irenic.reporting import terminal
    from irenic.reporting.commands import gaps_document

    found = read_rules(rules, data, space, ignore, form)
    with progress("looking for gaps") as shown:
        uncovered = irenic.gaps(
            found, budget=irenic.Budget(seconds=budget, regions=MOST_GAPS), progress=shown
        )
    table = irenic.DecisionTable.of(found)
    with output():
        if as_json:
            print_json(gaps_document(table, uncovered, most))
        else:
            say_example(rules)
            terminal.print_gaps(table, uncovered, console(), most or 1_000)
    raise typer.Exit(0 if uncovered.is_complete else 1)


@commands.command(
    epilog="""[bold]Examples[/]
irenic search rules.txt                   the first free region
irenic search rules.txt --all --maximal   all that cannot be enlarged
irenic search rules.txt --order random    any, not the lowest

[bold]Exit status[/]
0 a region was found, 1 none, 2 bad input"""
)
def search(
    rules: Rules = None,
    first: Annotated[
        bool, typer.Option("--first/--all", metavar="", help="Stop at the first, or find all.")
    ] = True,
    maximal: Annotated[
        bool, typer.Option("--maximal", metavar="", help="Only regions that cannot be enlarged.")
    ] = False,
    order: Annotated[
        str, typer.Option(metavar="ORDER", help="lexicographic, as in the paper, or random.")
    ] = "lexicographic",
    random_state: Annotated[
        int | None, typer.Option(metavar="N", help="Repeats the same random order.")
    ] = None,
    consequent: Consequent = None,
    as_json: Json = False,
    data: Data = None,
    space: SpaceFile = None,
    ignore: Ignore = None,
    form: From = None,
    budget: Seconds = 60.0,
) -> None:
    """Find regions in which a new rule contradicts none (the paper's CFSGS)."""
    from irenic.reporting import terminal
    from irenic.reporting.commands import search_document

    rule_set = read_rules(rules, data, space, ignore, form)
    with progress("searching") as shown:
        found = irenic.search(
            rule_set,
            consequent=_consequent(rule_set, consequent),
            order=order,  # type: ignore[arg-type]
            random_state=random_state,
            maximal=maximal,
            budget=irenic.Budget(seconds=budget, regions=1 if first else None),
            progress=shown,
        )
        regions = list(found)
    with output():
        if as_json:
            print_json(search_document(found, regions))
        else:
            say_example(rules)
            terminal.print_search(found, regions, console())
    raise typer.Exit(0 if regions else 1)


@commands.command(
    epilog="""[bold]Examples[/]
irenic enlarge rules.txt --seed "f1=5.5, f2=6"
irenic enlarge rules.txt --seed "f1=5.5, f2=6" --order f2,f1 --consequent A

[bold]Exit status[/]
0 a region was found, 2 bad input, or a rival covers the seed"""
)
def enlarge(
    rules: Rules = None,
    seed: Annotated[
        str, typer.Option(metavar="POINT", help='A point that no rival covers: "f1=5.5, f2=6".')
    ] = "",
    order: Annotated[
        str | None,
        typer.Option(metavar="NAMES", help="The features to enlarge first: f2,f1; or random."),
    ] = None,
    random_state: Annotated[
        int | None, typer.Option(metavar="N", help="Repeats the same random order.")
    ] = None,
    consequent: Consequent = None,
    as_json: Json = False,
    data: Data = None,
    space: SpaceFile = None,
    ignore: Ignore = None,
    form: From = None,
) -> None:
    """Grow the region round a point in which a new rule contradicts none (the paper's CFSBE)."""
    from irenic.model.notation import parse_names, parse_point
    from irenic.reporting.commands import enlarge_document

    rule_set = read_rules(rules, data, space, ignore, form)
    if not seed:
        shape = ", ".join(f"{name}=…" for name in rule_set.space.names)
        raise irenic.SeedError(f'say where to begin: --seed "{shape}"')
    point = _at_option("--seed", parse_point, seed)
    names: Any = order
    if order is not None and order != "random":
        names = _at_option("--order", parse_names, order)
    region = irenic.enlarge(
        rule_set,
        point,
        order=names,
        consequent=_consequent(rule_set, consequent),
        random_state=random_state,
    )
    with output():
        if as_json:
            print_json(enlarge_document(point, region))
        else:
            say_example(rules)
            print(region)


def _at_option(option: str, parse: Any, text: str) -> Any:
    try:
        return parse(text)
    except irenic.FormatError as error:
        raise error.at(path=option) from None


def _consequent(rules: irenic.RuleSet, text: str | None) -> Hashable | None:
    """Return the consequent that is written as ``text``, one of the rules' where one matches."""
    if text is None:
        return None
    for known in rules.consequents:
        if text in (str(known), display(known)):
            return known
    hint = did_you_mean(text, map(str, rules.consequents))
    print(f"irenic: no rule predicts {text!r}{hint}; every rule is a rival", file=sys.stderr)
    return None
