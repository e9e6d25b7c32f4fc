"""The commands on rules: check, gaps, search and enlarge."""

from __future__ import annotations

import sys
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import irenic
from irenic.cli.common import Json, console, open_to_rules, output, print_json, progress
from irenic.errors import did_you_mean
from irenic.literals import display

if TYPE_CHECKING:
    from collections.abc import Hashable

# Arguments and options that several commands share.
_RULES = typer.Argument(
    metavar="RULES", help="A .json, .txt or .rules file; an example if left out."
)
_DATA = typer.Option(
    metavar="FILE", help="A table of instances that tells the kinds and values of features."
)
_SPACE = typer.Option(metavar="FILE", help="A .json file whose space the rules are held against.")
_BUDGET = typer.Option(metavar="SECONDS", help="How long to search for regions.", min=0.0)
_MOST = typer.Option(
    metavar="N",
    help="How many conflicts and gaps to list at most: 1,000, in JSON 100,000.",
    min=1,
    show_default=False,
)
_CONSEQUENT = typer.Option(
    metavar="VALUE", help="What the new rule will predict: rules that say the same are no rivals."
)

Rules = Annotated[Path | None, _RULES]
Data = Annotated[Path | None, _DATA]
SpaceFile = Annotated[Path | None, _SPACE]
Seconds = Annotated[float, _BUDGET]
Most = Annotated[int | None, _MOST]
Consequent = Annotated[str | None, _CONSEQUENT]


commands = typer.Typer()


@commands.command(
    epilog="""[bold]Examples[/]
irenic check                                the example of irenic
irenic check rules.txt                      rules of your own
irenic check rules.json --json              for other programs
irenic check rules.txt --data people.csv    the space from a table
irenic check rules.txt --space space.json   the space from a file
irenic check rules.txt --budget 60          up to a minute for gaps

[bold]Exit status[/]
0 consistent, 1 not consistent, 2 bad input"""
)
def check(
    rules: Rules = None,
    as_json: Json = False,
    data: Data = None,
    space: SpaceFile = None,
    budget: Seconds = 10.0,
    most: Most = None,
) -> None:
    """Say whether any two rules contradict each other and where, and what no rule covers."""
    from irenic.report import summary, terminal

    found = _read(rules, data, space)
    with progress("looking for gaps") as shown:
        result = summary.check(found, _gap_budget(budget), shown, _listed(most, as_json))
    with output():
        if as_json:
            print_json(result)
        else:
            _say_example(rules)
            terminal.print_check(result, found, console())
    raise typer.Exit(0 if result["consistent"] else 1)


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
    budget: Seconds = 60.0,
    most: Most = None,
) -> None:
    """List the regions that no rule covers."""
    from irenic.report import summary, terminal

    found = _read(rules, data, space)
    with progress("looking for gaps") as shown:
        uncovered = irenic.gaps(found, budget=_gap_budget(budget), progress=shown)
        result = summary.uncovered(uncovered, _listed(most, as_json))
    with output():
        if as_json:
            print_json(result)
        else:
            _say_example(rules)
            terminal.print_gaps(result, found, console())
    raise typer.Exit(0 if result["complete"] else 1)


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
    budget: Seconds = 60.0,
) -> None:
    """Find regions in which a new rule contradicts none (the paper's CFSGS)."""
    from irenic.report import summary, terminal

    rule_set = _read(rules, data, space)
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
        result = summary.search(found, list(found))
    with output():
        if as_json:
            print_json(result)
        else:
            _say_example(rules)
            terminal.print_search(result, rule_set, console())
    raise typer.Exit(0 if result["regions"] else 1)


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
) -> None:
    """Grow the region round a point in which a new rule contradicts none (the paper's CFSBE)."""
    from irenic.notation import parse_names, parse_point
    from irenic.report import summary

    rule_set = _read(rules, data, space)
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
            print_json(summary.enlarged(point, region))
        else:
            _say_example(rules)
            print(region)


def _gap_budget(seconds: float) -> irenic.Budget:
    """Return a budget that bounds the memory too: there can be more gaps than anyone reads."""
    return irenic.Budget(seconds=seconds, regions=_MOST_GAPS)


_MOST_GAPS = 100_000


def _listed(most: int | None, as_json: bool) -> int:
    """Return how many findings to list: for people as many as they read, for programs all."""
    return most or (_MOST_GAPS if as_json else 1_000)


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


def _say_example(rules: Path | None) -> None:
    if rules is None:
        print("No file given: these are the rules of the example of irenic.\n")


def _read(path: Path | None, data: Path | None, space_file: Path | None) -> irenic.RuleSet:
    from irenic.formats import json_rules
    from irenic.formats.files import read_text
    from irenic.formats.table import read_table

    if data is not None and space_file is not None:
        raise irenic.FormatError("--data and --space both give the space; leave one of them out")
    space = None
    if data is not None:
        space = open_to_rules(irenic.Space.infer(read_table(data)), path, data)
    if space_file is not None:
        try:
            space = json_rules.space_of(json_rules.parse(read_text(space_file)))
        except irenic.FormatError as error:
            raise error.at(path=str(space_file)) from None
        except irenic.SpaceError as error:
            raise irenic.FormatError(str(error), path=str(space_file)) from None
        if space is None:
            raise irenic.FormatError('there is no "space" in it', path=str(space_file))
    if path is not None:
        return irenic.read(path, space=space)
    with as_file(files("irenic") / "data" / "example.rules") as example:
        return irenic.read(example, space=space)
