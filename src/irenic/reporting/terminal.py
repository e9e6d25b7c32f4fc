"""Findings as text: with colors and tables on a terminal, as plain lines elsewhere."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable
from typing import Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from irenic.checking import KINDS, NOUNS
from irenic.errors import on_one_line
from irenic.model.literals import counted
from irenic.reporting import document
from irenic.reporting.encoding import expected_text, located
from irenic.reporting.groups import outcome_name, shown_outcomes

LIMIT: Final = 50
"""For rules, conflicts and overlaps."""
_LIMIT_OF_OTHERS: Final = 10
_TEXT_LIMIT: Final = 1_000  # characters of a finding


def print_check(
    checked: document.CheckDocument,
    console: Console,
    limit: int | None = None,
    *,
    headed: bool = False,
    verbose: bool = False,
) -> None:
    """Print the findings of each table, at most ``limit`` per kind, and all rules if ``verbose``.

    Tables with a name or a hit policy have a heading, rules only if ``headed``. Several files end
    with a total.
    """
    tables = [(file["path"], table) for file in checked["files"] for table in file["tables"]]
    for file in checked["files"]:
        for reading in file["readings"]:
            named = f": {reading['table']}" if len(file["readings"]) > 1 else ""
            _print_reading(f"{file['path']}{named}", reading, console)
    for number, (path, table) in enumerate(tables):
        if number:
            console.print()
        if headed or table["name"] or table["hit_policy"]:
            console.print(one_line((_heading(path, table), "bold")))
        _print_table(table, console, limit, verbose=verbose)
        if verbose:
            console.print()
            _print_rules(table, console)
    if headed and len(checked["files"]) > 1:
        console.print()
        console.print(one_line((_total(checked["files"]), "bold")))


def _total(files: list[document.CheckedFileRecord]) -> str:
    """Return how many findings there are in all files."""
    tables = [table for file in files for table in file["tables"]]
    counts = {kind: sum(table["counts"][kind] for table in tables) for kind in KINDS}
    unfinished = {kind for table in tables for kind in table["unfinished"]}
    # conflicts are overlaps, too
    counts["overlaps"] = sum(
        max(table["counts"]["overlaps"] - table["counts"]["conflicts"], 0) for table in tables
    )
    parts = []
    for kind, n in counts.items():
        least = "at least " if kind in unfinished else ""
        parts += [f"{least}{n:,} {kind.replace('_', ' ') if n > 1 else NOUNS[kind]}"] if n else []
    unread = sum(bool(file["errors"]) for file in files)
    parts += [f"{counted(unread, 'file')} with errors"] if unread else []
    accepted = sum(len(table["accepted"]) for table in tables)
    parts += [f"{accepted:,} of them accepted"] if accepted else []
    names = f"{counted(len(files), 'file')}, {counted(len(tables), 'table')}"
    return f"Total of {names}: {', '.join(parts) or 'no findings'}"


def _print_reading(source: str, reading: document.ReadingRecord, console: Console) -> None:
    """Print what each column of a spreadsheet is, and how its cells were read."""
    console.print(one_line((f"How {source} was read:", "bold")))
    names = [_in_one_line(column["name"]) for column in reading["columns"]]
    width = max(map(len, names), default=0)
    for name, column in zip(names, reading["columns"], strict=True):
        console.print(one_line(f"  {name:<{width}}  {column['text']}"))
    for remark in reading["remarks"]:
        console.print(one_line(f"  ({_in_one_line(remark)})"))
    for cell in reading["cells"]:
        where = f"{cell['place']}, {cell['header']}"
        console.print(one_line(f"  {where}: {cell['text'] or '(empty)'!r} is {cell['meaning']}"))
    console.print()


def _in_one_line(text: str) -> str:
    """Return a text without the line breaks that headers of spreadsheets may have."""
    return re.sub(r"\s*[\n\r]\s*", " ", text)


def _heading(path: str, table: document.CheckedTable) -> str:
    name = f": {table['name']}" if table["name"] else ""
    size = [
        counted(table["size"]["rules"], "rule"),
        counted(table["size"]["features"], "feature"),
        *filter(None, [table["hit_policy"]]),
    ]
    return f"{path}{name} ({', '.join(size)})"


def _print_table(
    table: document.CheckedTable, console: Console, limit: int | None, *, verbose: bool
) -> None:
    """Print one finding per line, and the verdicts."""
    accepted = Counter(finding["kind"] for finding in table["accepted"])
    for kind in KINDS:
        n = limit or (LIMIT if kind in ("conflicts", "overlaps") else _LIMIT_OF_OTHERS)
        listed = [finding for finding in table["findings"] if finding["kind"] == kind][:n]
        for finding in listed:
            _print_finding(finding, console)
        left = table["counts"][kind] - len(listed) - accepted[kind]
        if kind == "overlaps":  # findings list these as conflicts
            left -= table["counts"]["conflicts"]
        if left > 0:
            more = f"{'at least ' * (kind in table['unfinished'])}{left:,} more"
            console.print(f"{NOUNS[kind]:<{_LABEL}}… and {more} (use --limit to list more)")
    if table["findings"]:
        console.print()
    if table["accepted"]:
        reasons = ", ".join(dict.fromkeys(finding["reason"] for finding in table["accepted"]))
        size = counted(len(table["accepted"]), "finding")
        console.print(one_line(f"Accepted: {size} ({reasons})"))
        for each in table["accepted"] if verbose else ():
            text = f"{each['noun']}: {located(each)} ({each['reason']})"
            console.print(one_line(f"  {text}"), soft_wrap=not console.is_terminal)
    _print_verdicts(table["verdicts"], console)
    for kind in table["unfinished"]:
        if kind != "gaps":  # which the verdict mentions
            what = _SEARCHES[kind]
            console.print(f"[yellow]Unfinished[/]: the budget ended the search for {what}.")


_LABEL: Final = max(map(len, NOUNS.values())) + 2
_COLORS: Final = {"error": "bold red", "warning": "yellow", "note": "cyan"}
_SEARCHES: Final = {
    "open": "values that no rule names",
    "inside": "rules inside others",
    "never_fire": "rules that never fire",
    "columns": "columns that never matter",
}


def _print_rules(table: document.CheckedTable, console: Console) -> None:
    """Print the first rules."""
    grid = _headed("rule", "if", "then", right=["rule"])
    for rule in table["rules"][:LIMIT]:
        grid.add_row(
            str(rule["number"]), one_line(_condition(rule)), one_line(rule["then"]["text"])
        )
    if table["default"] is not None:
        grid.add_row("", "otherwise", one_line(table["default"]["text"]))
    console.print(grid)
    left = len(table["rules"][LIMIT:]) + table["unlisted"]
    if left:
        console.print(f"… and {left} more rules")


def _condition(rule: document.RuleRecord) -> str:
    return " and ".join(condition["text"] for condition in rule["conditions"]) or "anything"


def _print_finding(finding: document.FindingRecord, console: Console) -> None:
    label = f"{finding['noun']:<{_LABEL}}", _COLORS[finding["level"]]
    text = _clipped(located(finding))
    if not console.is_terminal:  # one finding per line, for other programs
        console.print(one_line(label, text))
        return
    grid = Table.grid()
    grid.add_column(width=_LABEL)
    grid.add_column(overflow="fold")
    grid.add_row(one_line(label), one_line(text))
    console.print(grid)


def _clipped(text: str) -> str:
    """Return the beginning of a text that is too long to be read, as in tables of many columns."""
    if len(text) <= _TEXT_LIMIT:
        return text
    return f"{text[:_TEXT_LIMIT].rsplit(' ', 1)[0]} … (see --json)"


def _print_regions(regions: Iterable[document.RegionRecord], console: Console) -> None:
    """Print one region per line."""
    for region in regions:
        console.print(one_line(region["text"]))


def print_gaps(gaps: document.GapsDocument, console: Console) -> None:
    """Print the regions that no rule covers, and how many there are."""
    regions = gaps["regions"]
    if console.is_terminal and regions:
        grid = _headed("gap", "no rule covers", "for example", right=["gap"])
        for number, region in enumerate(regions, 1):
            grid.add_row(str(number), one_line(region["text"]), one_line(region["example"]))
        console.print(grid)
    else:  # plain lines, for other programs
        _print_regions(regions, console)
    left = gaps["count"] - len(regions)
    if left:
        console.print(f"… and {left} more (use --limit {gaps['count']} to list all)")
    if regions and gaps["open"]:
        console.print(Text(f"({gaps['open']['text']})"), soft_wrap=not console.is_terminal)
    if regions:
        console.print()
    _print_verdict(gaps["verdict"], "yellow", console)


def print_search(search: document.SearchDocument, console: Console) -> None:
    """Print the regions or paths that a search yielded, and how it ended."""
    for result in search.get("paths", search["regions"]):
        console.print(one_line(result["text"]))
    if not search["regions"] and search["finished"]:
        console.print("There is no free region: rivals cover every case.")
    elif search["stopped_by"] in ("seconds", "interrupt"):
        console.print(f"\nStopped by {search['stopped_by']}; there may be more.")


def print_mended(mended: document.MendDocument, console: Console, written: str = "") -> None:
    """Print what was changed, proposed and noted, one per line, and the verdict."""
    texts = [f"{c['place']}: {c['text']}" if c["place"] else c["text"] for c in mended["changes"]]
    texts += [proposal["text"] for proposal in mended["proposals"]]
    verdict = mended["verdict"] + (f"; {written}" if written else ".")
    for text in (*texts, *mended["notes"], verdict[0].upper() + verdict[1:]):
        console.print(one_line(text), soft_wrap=not console.is_terminal)


def print_diff(diff: document.DiffDocument, console: Console) -> None:
    """Print the regions in which two sets of rules decide differently, and the verdict."""
    for text in (*map(_difference, diff["differences"]), diff["verdict"]):
        console.print(one_line(text), soft_wrap=True)


def _difference(difference: document.DifferenceRecord) -> str:
    places = {"before": difference["place_before"], "after": difference["place_after"]}
    parts = [f"{when}: {place}" for when, place in places.items() if place]
    return f"{difference['text']} ({'; '.join(parts)})" if parts else difference["text"]


def _headed(*columns: str, right: Collection[str] = ()) -> Table:
    """Return a table without borders; columns in ``right`` are right-aligned and not wrapped."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        if column in right:
            table.add_column(one_line(column), justify="right", no_wrap=True)
        else:
            table.add_column(one_line(column), overflow="fold")
    return table


def one_line(*parts: str | tuple[str, str]) -> Text:
    """Return texts, some of them with a style, as one line: whatever they contain is printed."""
    pairs = [(part, "") if isinstance(part, str) else part for part in parts]
    return Text.assemble(*((on_one_line(text), style) for text, style in pairs))


def _print_verdicts(verdicts: document.VerdictsRecord, console: Console) -> None:
    """Print the verdicts on rules, one per line."""
    _print_verdict(verdicts["consistent"], "bold red", console)
    _print_verdict(verdicts["complete"], "yellow", console)


def _print_verdict(verdict: document.VerdictRecord, bad: str, console: Console) -> None:
    color = "green" if verdict["holds"] else bad
    console.print(one_line((verdict["head"], color), f": {verdict['text']}"))


# --- learned rules


def print_learned(learned: document.LearnDocument, console: Console) -> None:
    """Print learned rules with their counts, the verdicts, the comparison and the front."""
    data, model = learned["data"], learned["models"][learned["chosen"]]
    shares = [f"{label['text']} {label['rows']:,}" for label in data["classes"]]
    classes = f"{len(shares)} classes: {', '.join(shares[:_CLASS_LIMIT])}"
    more = ", …" if len(shares) > _CLASS_LIMIT else ""
    features = counted(data["features"], "feature")
    console.print(one_line(f"{data['rows']:,} rows, {features}, {classes}{more}"))
    console.print()
    _print_learned_rules(model, console)
    console.print()
    size, front = model["size"], model["front"]
    assert front is not None  # of a learner
    for rule in model["rules"][: front["kept"]]:
        console.print(one_line(_kept(rule)))
    console.print(
        f"{counted(size['rules'], 'rule')}, {counted(size['conditions'], 'condition')};"
        f" a prediction takes {_mean(front['explanation_size'])} conditions on average"
    )
    _print_verdicts(model["verdicts"], console)
    for claim in front["proved"]:
        console.print(one_line(f"proved: {claim}"))
    if learned["estimate"] is not None:
        console.print()
        console.print(Text(f"{expected_text(learned['score'] or '', **learned['estimate'])}."))
    if learned["cross_validation"] is not None:
        console.print()
        _print_comparison(learned["cross_validation"], console)
    if learned["groups"] is not None:
        console.print()
        print_groups(learned["groups"], console)
    console.print()
    _print_front(learned, console)


_CLASS_LIMIT: Final = 8


def _print_learned_rules(model: document.ModelRecord, console: Console) -> None:
    columns = ("support", "confidence", "95 % interval")
    grid = _headed("rule", "if", "then", *columns, right=["rule", *columns])
    for rule in model["rules"]:
        then = one_line(rule["then"]["text"])
        grid.add_row(str(rule["number"]), one_line(_condition(rule)), then, *_counts(rule))
    default = model["default"]
    then = one_line("nothing" if default["then"] is None else default["then"]["text"])
    grid.add_row("", "otherwise", then, *_counts(default))
    console.print(grid)


def _kept(rule: document.CountedRule) -> str:
    """Return what the training rows say about a rule of the user."""
    mix = rule["mix"] or [0]
    rows, right = round(math.fsum(mix)), round(mix[rule["outcome"]] if rule["mix"] else 0)
    covered = f"{rows - right:,} of the {counted(rows, 'row')} that it covers"
    return f"Rule {rule['number']} is yours: another label in {covered}"


def _counts(counts: document.Counts) -> tuple[str, str, str]:
    """Return the support and the confidence of a rule with its interval, as text."""
    interval = counts["interval"] or (None, None)
    return f"{counts['support']:,g}", _share(counts["confidence"]), _interval(*interval)


def _print_comparison(scores: document.CrossValidation, console: Console) -> None:
    how = "corrected for choosing among rule sets"
    if scores["folds"] is not None:
        how = f"{scores['folds']}-fold cross-validation"
    if scores["sampled"] is not None:
        how += f"; the others on a sample of {scores['sampled']:,} rows"
    console.print(f"On rows left out ({how}):")
    columns = ("accuracy", "95 % interval", "balanced", "rules", "conditions")
    grid = _headed("", *columns, right=columns)
    for learner in scores["learners"]:
        grid.add_row(
            one_line(learner["name"]),
            _share(learner["accuracy"]),
            _interval(learner["low"], learner["high"]),
            _share(learner["balanced_accuracy"]),
            _mean(learner["rules"]),
            _mean(learner["conditions"]),
        )
    console.print(grid)


def _interval(low: float | None, high: float | None) -> str:
    return "–" if low is None else f"{_share(low)} to {_share(high)}"


def _print_front(learned: document.LearnDocument, console: Console) -> None:
    console.print("Rule sets to choose from, from small to accurate (* is the one above):")
    columns = ("set", "rules", "conditions", "to read", "by rules", "validated", "training")
    grid = _headed("", *columns, right=columns)
    for place, model in enumerate(learned["models"]):
        size, front, chosen = model["size"], model["front"], place == learned["chosen"]
        assert front is not None  # of a learner
        grid.add_row(
            "*" if chosen else "",
            str(place + 1),
            str(size["rules"]),
            str(size["conditions"]),
            _mean(front["explanation_size"]),
            _share(front["coverage"]),
            _share(front["validated_score"]),
            _share(front["training_score"]),
            style="bold" if chosen else None,
        )
    console.print(grid)
    console.print(
        "validated: on rows left out, not corrected for choosing the best; training: on the rows"
        " learned from, too high for new rows"
    )


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _mean(value: float | None) -> str:
    return "–" if value is None else f"{value:.1f}"


# --- groups of rows, and new rows


def print_groups(groups: document.Groups, console: Console) -> None:
    """Print what rules decide for each group."""
    where = "on these rows"
    if groups["on"] == "training":
        where = "on the training rows, where rules are right more often than on new rows"
    if groups["on"] == "left_out":
        where = "on the rows left out of each fit of the cross-validation"
    console.print(one_line(f"By {groups['column']}, {where}:"))
    first = groups["groups"][0]["outcomes"]
    names = [outcome_name(each["outcome"]["text"]) for each in first]
    shown = shown_outcomes(groups)
    labeled = any(first[i]["false_positives"] is not None for i in shown)
    columns = ["rows", *(names[i] for i in shown), "by default"]
    if labeled:
        columns += ["accuracy"]
        columns += [c for i in shown for c in (f"wrongly {names[i]}", f"{names[i]} missed")]
    grid = _headed(groups["column"], *columns, right=columns)
    for group in groups["groups"]:
        cells = [f"{group['rows']:,}{' (few)' if group['small'] else ''}"]
        cells += [_rate(group["outcomes"][i]["decided"]) for i in shown]
        cells += [_rate(group["by_default"])]
        if labeled:
            cells += [_rate(group["accuracy"])]
            for i in shown:
                each = group["outcomes"][i]
                cells += [_rate(each["false_positives"]), _rate(each["false_negatives"])]
        grid.add_row(one_line(group["value"]), *cells)
    console.print(grid)
    if any(group["small"] for group in groups["groups"]):
        console.print("Shares of a few rows (fewer than 30) say little.")


def _rate(share: document.ShareRecord | None) -> str:
    """Return a share with its 95 % interval, as text."""
    if share is None or share["share"] is None:
        return "–"
    return f"{share['share']:.3f} ({share['low']:.3f} to {share['high']:.3f})"


def print_monitored(monitored: document.MonitorDocument, console: Console) -> None:
    """Print how new rows differ from the training rows."""
    rows, trained = counted(monitored["rows"], "new row"), monitored["training_rows"]
    console.print(f"{rows}, compared with {trained:,} training rows")
    if monitored["accuracy"] is not None:
        expected = monitored["expected"]
        text = "" if expected is None else f"; expected {_expected(expected)}"
        console.print(f"accuracy {_rate(monitored['accuracy'])}{text}")
    console.print()
    columns = ("training", "now", "difference", "p")
    grid = _headed("share of rows", *columns, "", right=columns)
    for shift in monitored["shifts"]:
        if shift["kind"] not in ("rule", "default") and not shift["changed"]:
            continue
        low, high = shift["difference"]
        grid.add_row(
            one_line(_shift_name(shift)),
            _percent(shift["before"]),
            _percent(shift["now"]),
            f"{100 * low:+.1f} to {100 * high:+.1f} points",
            f"{shift['p']:.3f}" if shift["p"] >= 0.0005 else "< 0.001",
            one_line(("changed", "yellow")) if shift["changed"] else "",
        )
    console.print(grid)
    for beyond in monitored["beyond"]:
        text = (
            f"{beyond['column']}: {beyond['now']} is beyond {beyond['trained']}, the training range"
        )
        console.print(one_line(text))
    for unseen in monitored["unseen"]:
        values = ", ".join(f"{v['text']} ({v['rows']:,})" for v in unseen["values"])
        console.print(
            one_line(f"{unseen['column']}: values that the training rows do not have: {values}")
        )
    if "groups" in monitored:
        console.print()
        print_groups(monitored["groups"], console)
    console.print()
    color = "yellow" if monitored["changed"] else "green"
    head, _, rest = monitored["verdict"].partition(":")
    console.print(one_line((head, color), f":{rest}"))


def _shift_name(shift: document.ShiftRecord) -> str:
    by = "the default" if shift["rule"] is None else f"rule {shift['rule']}"
    return {
        "rule": f"covered by {by}",
        "default": "covered by no rule",
        "missing": f"{shift['column']} is missing",
        "range": f"{shift['column']} is beyond the training range",
        "unseen": f"{shift['column']} has an unlisted value",
        "confidence": f"{by} is right",
    }[shift["kind"]]


def _percent(share: document.ShareRecord) -> str:
    return "–" if share["share"] is None else f"{100 * share['share']:.1f} %"


def _expected(expected: list[float]) -> str:
    return f"{expected[0]:.3f} ({expected[1]:.3f} to {expected[2]:.3f})"
