"""The editor finds what irenic.check finds, and its files read back as the rules that it shows."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from importlib.resources import files

import numpy as np
import pytest

import irenic
from irenic import Categorical, Continuous, DecisionTable, Region, Rule, RuleList, RuleSet, Space
from irenic.checking import check
from irenic.reporting._bundle import bundle
from irenic.reporting.edited_file import EditedFile
from irenic.reporting.summarize import summarize
from tests.reporting.browser.steps import ask

SPACE = Space(
    [
        Continuous("age", bounds=(0, 120), kind="integer"),
        Continuous("income", missing=True),
        Categorical("job", ["nurse", "clerk", "fire fighter"], other=True, missing=True),
        Categorical("vip", [True, False]),
        Continuous("due", kind="date"),
    ]
)
IMPOSSIBLE = [Region(SPACE, {"age": {"<": 16}, "job": {"in": ["fire fighter"]}})]
CELLS = {
    "age": ["-", "< 18", ">= 18", "[18..65)", "(30..40]", "18", "< 10, > 90", "not(50)", "> 64"],
    "income": ["-", "< 10.5", ">= 10.5", "null", "null, < 3", "[0..20)", "not(null)", "!= 7"],
    "job": ["-", "nurse", "nurse, clerk", "not(clerk)", "null", "pilot", "not(pilot, null)"],
    "vip": ["-", "true", "false"],
    "due": ["-", "< 2026-01-31", '>= date("2026-01-31")', "[2025-01-01..2026-06-30]"],
}
OUTCOMES = ["low", "high", "mid"]
RANKING = ("mid", "low", "high")


def random_rules(rng, n, space=SPACE):
    """Return rules with the conditions of a few cells."""

    def condition(name):
        return {
            "age": [{"<": 18}, {">=": 18, "<": 65}, {">": 64}],
            "income": [{"<": 10.5}, {">=": 10.5}, {"missing": True}],
            "job": [{"in": ["nurse"]}, {"not in": ["clerk"]}, {"in": ["nurse", "clerk"]}],
            "vip": [{"in": [True]}, {"in": [False]}],
            "due": [{">=": "2026-01-31"}],
        }[name][rng.integers({"vip": 2, "due": 1}.get(name, 3))]

    rules = []
    for _ in range(n):
        names = rng.choice(space.names, rng.integers(1, 4), replace=False)
        rules.append(
            Rule(Region(space, {x: condition(x) for x in names}), then=str(rng.choice(OUTCOMES)))
        )
    return rules


FINDINGS = """(async () => {
  const status = await editor.settled();
  const { features, now } = editor.table;
  const sides = (each) => each.map((side, k) => side && [features[k].name, side]).filter(Boolean);
  const isOpen = (row) => row.outcome === null || row.cells.some((cell) => cell.error);
  return {
    rules: editor.currentRules(),
    table: editor.currentTable(),
    conflicts: status.conflicts.list.map(({ rows, sides: s }) => [rows, sides(s)]),
    conflictCount: status.conflicts.count,
    conflictRows: [...status.conflicts.rows.keys()],
    overlaps: status.overlaps.list.map(({ rows, sides: s }) => [rows, sides(s)]),
    gaps: status.gaps.list.map(sides),
    finished: status.gaps.finished && status.gaps.openFinished,
    open: status.gaps.open.map((k) => features[k].name),
    redundant: status.redundant,
    unfinished: [...now.rows.keys()].filter((k) => isOpen(now.rows[k])),
  };
})()"""


def open_editor(page_of, rules):
    """Open an editor outside the document; window.editor is what the page gets."""
    page = page_of(summarize(rules, budget=0.5))
    page.evaluate("() => { window.editor = irenic.openEditor(document.createElement('div')); }")
    return page


def set_cells(page, *cells):
    """Change cells, given as (row, column, text)."""
    cells = [dict(zip(("row", "column", "text"), cell, strict=True)) for cell in cells]
    page.evaluate("(cells) => editor.actions.setCells(cells)", cells)


def key_of(region):
    """Return what is equal for regions with the same cases, however they are written."""
    return region.box.simplified().keys().tobytes()


def region_key(sides, space):
    """Return the key of a region of the page."""
    return key_of(region_of(sides, space))


def region_of(sides, space):
    """Return a region of the page, whose conditions are numbers."""
    box = Region(space).box.copy()
    for name, side in sides:
        feature = space[name]
        row = space.row(name)
        if isinstance(feature, Continuous):
            low, high = side
            box.lower[0, row] = -np.inf if low is None else low
            box.upper[0, row] = np.inf if high is None else high
        else:
            words = space.sets[row]
            for word in range(words.start, words.stop):
                bits = sum(1 << (c & 63) for c in side if c >> 6 == word - words.start)
                box.masks[0, word] = bits
    return Region.from_box(box)


def n_rows(found):
    return max([*found["table"]["rows"], *found["unfinished"]], default=-1) + 1


def as_table(found):
    """Return the edited rules as a table with the rows and the hit policy of the page."""
    rules = irenic.loads(json.dumps(found["rules"]), format="json")
    if isinstance(rules, RuleList):
        rules = rules.rules
    rows, policy = found["table"]["rows"], found["table"]["hit_policy"]
    ranking = RANKING if policy == "PRIORITY" else ()
    return DecisionTable(
        rules, rows=tuple(rows), n_rows=n_rows(found), hit_policy=policy, ranking=ranking
    )


def expect_same_findings(found):
    """Compare the findings of the page with those of irenic.check."""
    table = as_table(found)
    space, checked = table.space, check(table, limit=None)
    assert found["finished"]
    assert "gaps" not in checked.unfinished

    def pairs(kind):
        return sorted((f.rules, key_of(f.region)) for f in checked.of(kind) if f.shown_as == kind)

    def page_pairs(kind):
        return sorted((tuple(rows), region_key(sides, space)) for rows, sides in found[kind])

    assert page_pairs("conflicts") == pairs("conflicts")
    assert found["conflictCount"] == checked.count("conflicts")
    assert found["conflictRows"] == sorted({r for f in checked.of("conflicts") for r in f.rules})
    assert page_pairs("overlaps") == pairs("overlaps")
    gaps = sorted(region_key(sides, space) for sides in found["gaps"])
    assert gaps == sorted(key_of(f.region) for f in checked.of("gaps"))
    assert found["open"] == [*checked.gaps.open_columns]
    # rows that are not finished make no rule, so that they never fire
    open_rows = set(found["unfinished"])
    for kind in ("duplicates", "inside", "never_fire"):
        expected = [(f.rules, f.by) for f in checked.of(kind) if not open_rows & {*f.rules}]
        listed = [
            (tuple(f["rows"]), tuple(f["by"])) for f in found["redundant"] if f["kind"] == kind
        ]
        assert sorted(listed) == sorted(expected), kind
    return checked


def random_edit(rng, n_rows):
    """Return a random change as a script of the editor's actions."""
    row = int(rng.integers(n_rows))
    column = int(rng.integers(len(SPACE)))
    name = SPACE.names[column]
    others = ["outcome", "add", "copy", "delete", "move", "split", "undo", "redo", "bad"]
    kind = rng.choice([*["cell"] * 4, *others])
    cell = str(rng.choice(CELLS[name]))
    outcome = str(rng.choice([*OUTCOMES, "new", "", "5"]))
    return {
        "cell": f"setCells([{{row: {row}, column: {column}, text: {json.dumps(cell)}}}])",
        "bad": f"setCells([{{row: {row}, column: {column}, text: '[1..'}}])",
        "outcome": f"setCells([{{row: {row}, column: {len(SPACE)}, text: {json.dumps(outcome)}}}])",
        "add": f"addRow({row})",
        "copy": f"duplicateRows({row}, {min(row + 1, n_rows - 1)})",
        "delete": f"deleteRows({row}, {row})",
        "move": f"moveRows({row}, {row}, {rng.choice([-1, 1])})",
        "split": f"splitRow({row}, 0, '30')",
        "undo": "undo()",
        "redo": "redo()",
    }[str(kind)]


def set_of_rules(rng):
    return RuleSet(random_rules(rng, 8), SPACE, default="low")


def list_of_rules(rng):
    return RuleList(RuleSet(random_rules(rng, 8), SPACE))


def table_of_rules(rng, **options):
    rules = RuleSet(random_rules(rng, 8), SPACE)
    return DecisionTable(rules, rows=tuple(range(8)), n_rows=8, **options)


def unique_table(rng):
    return table_of_rules(rng, hit_policy="UNIQUE")


def priority_table(rng):
    return table_of_rules(rng, hit_policy="PRIORITY", ranking=RANKING)


def with_impossible(rng):
    space = Space(SPACE.features, impossible=IMPOSSIBLE)
    return RuleSet(random_rules(rng, 8, space), space)


def with_open_columns(rng):
    """Return rules over columns of which nothing declares the values."""
    flags = {"other": True, "declared": False}
    space = Space(
        replace(feature, **flags) if isinstance(feature, Categorical) else feature
        for feature in SPACE
    )
    rules = [rule for rule in random_rules(rng, 12, space) if "not in" not in str(rule)]
    return RuleSet(rules, space)


MAKES = [set_of_rules, list_of_rules, unique_table, priority_table]


@pytest.mark.parametrize("make", [*MAKES, with_impossible, with_open_columns])
def test_findings_are_those_of_irenic_after_every_random_edit(page_of, make):
    rng = np.random.default_rng(7)
    page = open_editor(page_of, make(rng))
    found, seen = ask(page, FINDINGS), set()
    expect_same_findings(found)
    for _ in range(25):
        rows = n_rows(found)
        edit = random_edit(rng, rows) if rows else "addRow(-1)"
        found = ask(page, f"(editor.actions.{edit}, {FINDINGS})")
        try:
            checked = expect_same_findings(found)
        except Exception as error:
            error.add_note(f"after {edit}")
            raise
        seen |= {f.kind for f in checked}
    assert {"gaps", "duplicates"} <= seen
    assert ("open" in seen) is (make is with_open_columns)


def test_gaps_are_sorted_so_that_they_keep_their_places(page_of):
    rng = np.random.default_rng(11)
    page = open_editor(page_of, RuleSet(random_rules(rng, 8), SPACE))
    numbers = [place for place, each in enumerate(SPACE) if isinstance(each, Continuous)]

    def bounds(sides):
        ends = [sides[place] or [None, None] for place in numbers]
        infinite = (-np.inf, np.inf)
        return [bound for pair in ends for bound in map(known, pair, infinite)]

    def known(bound, infinite):
        return infinite if bound is None else bound

    for edit in ("moveRows(0, 4, 1)", "duplicateRows(3, 3)", "deleteRows(0, 0)"):
        gaps = ask(page, f"(editor.actions.{edit}, editor.settled().then((s) => s.gaps.list))")
        assert len(gaps) > 1
        keys = [bounds(sides) for sides in gaps]
        assert keys == sorted(keys)


# --- cells

NUMBERS = """
-|–|18|= 18
== 18|>= 18|≥ 18|< 30|≤ 30|> 18 and < 30|[18..30)|[18..30[|]18..30]|(18..30]|[ 18 .. 30 ]
< 18, >= 60|not(18)|!= 18|≠ 18|not(< 18, 65)|not([18..30))|18, 19, 20|18-25|18 to 25|65+|1, 2
< 5, < 7|> 5, < 10|not(> 5)|0|120|18..25
"""
MISSING = "null|not(null)|null, < 5|not(null, 5)|not(5)|not(< 5)|2.5|-3|< 1e3|[-2.5..0)"
DATES = '2026-01-31|date("2026-01-31")|@"2026-01-31"|< 2026-01-31|[2025-01-01..2026-01-01)'
VALUES = """
nurse|"nurse"|nurse, clerk|not(clerk)|!= clerk|not("clerk", nurse)|fire fighter
null|not(null)|nurse, null|not(nurse, null)|-
"""
COLUMNS = {
    "age": NUMBERS,
    "income": NUMBERS + MISSING,
    "due": DATES,
    "job": VALUES,
    "vip": "true|false|not(true)",
}


@pytest.mark.filterwarnings("ignore::irenic.FormatWarning")
@pytest.mark.parametrize("name", COLUMNS)
def test_cells_mean_what_they_mean_in_spreadsheets(page_of, tmp_path, name):
    """Each cell makes the rules that irenic.parse makes of it, and is written so that it stays."""
    cells = re.split(r"[|\n]", COLUMNS[name].strip())
    file = tmp_path / "cells.csv"
    space = Space([SPACE[name]])
    expected = irenic.parse(spelled_file(file, name, cells)).bind(space=space).tables[0].rules
    page = open_editor(page_of, RuleSet([Rule({}, then="r0")], space))
    page.evaluate(
        """(cells) => cells.forEach((text, row) => {
          editor.actions.addRow(row);
          const outcome = { row, column: 1, text: `r${row}` };
          editor.actions.setCells([{ row, column: 0, text }, outcome]);
        })""",
        cells,
    )
    errors = ask(page, "editor.table.now.rows.slice(0, -1).map((row) => row.cells[0].error)")
    assert errors == [""] * len(cells)

    def regions(rules):
        return sorted((rule.then, key_of(rule.region)) for rule in rules)

    found = irenic.loads(json.dumps(ask(page, "editor.currentRules()")), format="json")
    assert regions(found) == regions(expected)
    # typing what a cell shows changes nothing
    shown = ask(page, "editor.table.now.rows.map((row) => row.cells[0].text)")
    again = "editor.table.now.rows.map((row, k) => ({row: k, column: 0, text: row.cells[0].text}))"
    page.evaluate(f"() => editor.actions.setCells({again})")
    assert ask(page, "editor.table.now.rows.map((row) => row.cells[0].text)") == shown


ERRORS = [
    ("age", "[18..", "Expected a value, got the end."),
    ("age", "< ", "Expected a value, got the end."),
    ("age", "18,", "Expected a value, got the end."),
    ("age", "> 130", "No value satisfies this: age is at least 0 and at most 120."),
    ("age", "18.5", "“18.5” is not a whole number."),
    ("age", "null", "age is never missing."),
    (
        "age",
        "etwa 6 kg",
        "“etwa 6 kg” is not a whole number. Write 6, < 6 or >= 6, without words and units.",
    ),
    (
        "age",
        ">5 <3",
        "The range ends before it begins: 5 to 3; write the smaller value first.",
    ),
    ("job", '"nurse', "The quotes around a text are not closed."),
    ("job", "< nurse", "Values of job have no order: “<” cannot compare them."),
    ("job", "18-25", "Values of job have no order: list them."),
    ("vip", "maybe", "“maybe” is not one of the values (true, false)."),
    ("vip", "null", "vip is never missing."),
    ("due", "5", "“5” is not a date such as 2026-01-31."),
]


def test_errors_of_cells_say_what_is_wrong(page_of):
    page = open_editor(page_of, RuleSet([Rule({}, then="A")], SPACE))
    for name, cell, error in ERRORS:
        column = SPACE.names.index(name)
        set_cells(page, (0, column, cell))
        assert ask(page, f"editor.table.now.rows[0].cells[{column}].error") == error
        assert ask(page, "editor.currentRules().rules") == []
        set_cells(page, (0, column, "-"))
        assert len(ask(page, "editor.currentRules().rules")) == 1


# --- cells as people write them

SPELLED = {
    # the column, cells of its file, cells that both accept, and cells that both reject
    "age": (
        ["< 10", ">= 10"],
        "under 18|over 65|up to 5|at least 65|at most 7|from 65|65 or more|65 and over"
        "|5 or less|65..|..5|between 18 and 25|from 18 to 25|18 to under 65"
        "|over 18 and under 65|>18 <65|> 18, < 65|>= 18 <= 65|over 2 up to 10"
        "|über 2 bis 10|10 <= age < 20|age < 18|18 <= age|x > 5|> = 65|18-25, 40-50"
        "|unter 18|18 bis unter 65|moins de 18|de 18 a 64|18 t/m 64|plus de 3|más de 3"
        "|meer dan 3|ab 18|mindestens 18|höchstens 18|5 oder mehr|5 ou moins|18 or 19"
        "|18; 19; 20|18 \\| 20|under 5 or over 9|not 5|not(18-25)|not(under 5)|1 000|20k"
        "|(500)|$100|100 EUR|100,- €|18-25 years|under 18 years|18+ years"
        "|6 years or older|less than 3|more than 1'000|[18-25]|(18 to 25]|18 – 25"
        "|18 ... 25|<> 5|starting from 9|no less than 5|not more than 5|1,234,567|any|*"
        "|anything",
        "25-18|until 18|30-|5 apples|>5 <3|10-20k|job < 5|5 better|1/2|tot 18|roughly 5"
        "|18-25 months",
    ),
    "Weight (kg)": (
        ["< 10 kg", ">= 10.5 kg"],
        "5 kg|under 5 kg|5.5 kg - 7 kg|5-7 kg|unter 6 kilos|18+ kg|5 kg or more|7"
        "|weight < 5|5 < Weight (kg) < 6 kg",
        "500 g|5 km|€ 5|5 years",
    ),
    "fee": (
        ["< € 10", ">= € 10"],
        "€ 5|5 €|€ 1 200.50|< € 1,200.50|under 5k €",
        "£ 5|10%|5 kg",
    ),
    "share": (
        ["< 10%", ">= 10%"],
        "5%|12.5 %|10-20%|under 7%|5% - 10%|0.5 %|150%",
        "5 kg|$5",
    ),
    "due": (
        ["< 2026-01-31", ">= 2026-01-31"],
        "before 2026-01-31|on or after 2026-01-31|after 2026-01-31|31.12.2026|31/12/2026"
        "|12/31/2026|2026-01-01 to 2026-02-01|vor dem 31.12.2026"
        "|between 2026-01-01 and 2026-03-31|1 Jan 2026|1. Januar 2026|before 31-Dec-2026"
        "|5 août 2026|1 Feb 2026 to 28 Feb. 2026",
        "32 Jan 2026|5 Foo 2026|Jan-Mar 2026|01/02/2026|before Jan 2026|2026-01|1/2/26|32.01.2026",
    ),
    "at": (
        ["< 12:30", ">= 12:30"],
        "9:00|6am|6:30 pm|6am-10pm|22:00-06:00|18:00-24:00|before 9:00|08:00 to 17:30"
        "|6.30 Uhr|12am|after 6 p.m.",
        "13pm|25:00",
    ),
    "open": (
        ["08:00-17:59", "18:00-23:59"],
        "06:00-07:59|[08:00..17:59]|<= 17:59|up to 17:59|after 17:59|22:00-05:59|20:00-23:59"
        "|6am-7:59am, 18:00-19:59|from 08:00 to 11:59|over 08:00 and under 9:00|12:30",
        "18:60",
    ),
    "day": (
        ["Mon", "Tue"],
        "Mon-Fri|Mon - Wed|Mon to Wed|Sat-Mon|Sat & Sun|Sat and Sun|Mon-Wed, Sat|Sat or Mon-Tue"
        "|not(Mon-Fri)|weekend|weekdays|weekdays, Sat|Wed|Mon/Tue|from Mon to Thu",
        "Mon-Friday|werktags|A-C|Zone 1-3|Mon-Dienstag",
    ),
    "month": (
        ["january", "Q1"],
        "january-march|november to december|Q2-Q4|Q3+|Q3 and later|july & august|mai-juli",
        "jan-march|s-xl|i-iv",
    ),
    "job": (
        ["nurse", "clerk"],
        "nurse or clerk|nurse; clerk|nurse \\| clerk|either nurse or clerk"
        "|one of nurse, clerk|not nurse|all but nurse|except clerk|!nurse|!pilot|'nurse'"
        "|“pilot”|nurse, clerk or pilot|nurse OR clerk|T-shirt|anyone|Rock and Roll"
        "|nicht nurse",
        "not farmer|nurse-clerk|nurse/clerk|nurse or better|not nurse or clerk",
    ),
}


def spelled_file(path, name, cells):
    quoted = [cell.replace('"', '""') for cell in cells]
    path.write_text(
        f"{name},then\n" + "".join(f'"{c}",r{i}\n' for i, c in enumerate(quoted)), "utf-8"
    )
    return path


def spelled_cells(text):
    return [cell.replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", text)]


@pytest.mark.filterwarnings("ignore::irenic.FormatWarning")
@pytest.mark.parametrize("name", SPELLED)
def test_cells_as_people_write_them_mean_what_they_mean_in_files(page_of, tmp_path, name):
    base, accepted, rejected = SPELLED[name]
    table = irenic.parse(spelled_file(tmp_path / "base.csv", name, base)).bind().tables[0]
    page = open_editor(page_of, table)
    # a file may list new values
    space = table.space if isinstance(table.space.features[0], Continuous) else None

    def in_a_file(cell):
        """Return the regions of a cell, None if the file is rejected."""
        path = spelled_file(tmp_path / "cell.csv", name, [*base, cell])
        try:
            rules = irenic.parse(path).bind(space=space).tables[0].rules
        except (irenic.errors.FormatError, IndexError):  # no table could be read
            return None
        last = [rule.region for rule in rules if rule.then == f"r{len(base)}"]
        return sorted(map(str, last))

    def regions(answer):
        """Return the regions of a cell on the page, None if it is rejected."""
        error, data = answer
        if error:
            return None
        rules = irenic.loads(json.dumps(data), format="json")
        return sorted(str(rule.region) for rule in rules if rule.then == "typed")

    accepted, rejected = spelled_cells(accepted), spelled_cells(rejected)
    script = """given.cells.map((text) => {
      const outcome = { row: 0, column: 1, text: "typed" };
      editor.actions.setCells([{ row: 0, column: 0, text }, outcome]);
      const found = [editor.table.now.rows[0].cells[0].error, editor.currentRules()];
      editor.actions.undo();
      return found;
    })"""
    for cell, answer in zip(
        [*accepted, *rejected], ask(page, script, cells=[*accepted, *rejected]), strict=True
    ):
        expected = in_a_file(cell)
        assert (expected is None) == (cell in rejected), cell
        assert regions(answer) == expected, cell


# --- numbers, dates and times, in files that write them in different ways

READ_CELLS = """import { cellText, parseCell, sidesOfTest } from "./editor/cells.js";
import { newTable } from "./editor/table.js";
import { model } from "./state.js";

const feature = newTable(model()).features[0];

window.readCells = (texts) =>
  texts.map((text) => {
    const { test, error } = parseCell(feature, text);
    if (error !== undefined) return null;
    const again = parseCell(feature, cellText(feature, test)).test;
    return [test, again].map((each) => each === undefined ? null : sidesOfTest(each));
  });
"""
TABLES = {
    "commas": ("income", ";", ["< 1.200,50", ">= 1.200,50"]),
    "commas, whole": ("income", ";", ["< 1.000.000", ">= 1.000.000"]),
    "points": ("income", ",", ["< 1,200.50", ">= 1,200.50"]),
    "points, two decimals": ("score", ",", ["0-9.99", "10-19.99", "20+"]),
    "commas, two decimals": ("score", ";", ["0-9,99", "10-19,99", "20+"]),
    "open": ("age", ",", ["< 10", ">= 10"]),
    "open, semicolons": ("age", ";", ["< 10", ">= 10"]),
    "money": ("fee", ";", ["< € 10,50", ">= € 10,50"]),
    "percentages": ("share", ";", ["< 10,5%", ">= 10,5%"]),
    "dates": ("due", ",", ["< 2026-01-31", ">= 2026-01-31"]),
    "dates, days first": ("due", ",", ["< 31/12/2026", ">= 31/12/2026"]),
    "times": ("at", ",", ["< 12:30", ">= 12:30"]),
    "times, to the minute": ("open", ",", ["08:00-17:59", "18:00-23:59"]),
}
SHAPES = spelled_cells(
    "{a}|< {a}|≥ {a}|!= {a}|<> {a}|not({a})|not {a}|[{a}..{b}]|({a} - {b}]|{a}-{b}|{a} to {b}"
    "|{a}+|under {a}|bis {a}|{a}, {b}|{a},{b}|{a}; {b}|< {a} or > {b}|< {a}, > {b}|not({a}, {b})"
    "|> {a} < {b}|{a} <= x < {b}|< ({a})|{a}...{b}|]{a}..{b}[|<= {a} or >= {b}|> {a} and < {b}"
    "|NOT({a})|NOT({a}), {b}|{a}; not ({b})|{a} EUR, {b} kg|{a} € - {b} EUR|up to {a}"
)
NUMBERS_WRITTEN = spelled_cells(
    "2.5|2,5|2.500|2,500|1.125|1,125|-1.125|1.200,50|1,200.50|1.200.000|1 200,5|1'200|,5|0.125|007"
    "|5,|100,-|(500)|−5|+5|1.5e3|5k|€ 1.200|€ 2,50|$1,200|10%|10,5%|5 kg|12.34,5|\uff11\uff12|1.0"
)
DATES_WRITTEN = spelled_cells(
    "2026-01-31|31.01.2026|01/02/2026|13/01/2026|01/13/2026|1/2/2026|1.2.26|31/13/2026|20260131"
    '|1 Jan 2026|Jan 2026|2026-01|date("2026-03-01")|"2026-03-01"|5|28.12.2028|14/02/2029'
)
TIMES_WRITTEN = spelled_cells(
    "9:00|09:30|6am|6:30 pm|18.30 Uhr|25:00|12:30:15|0:00|9|6 a.m.|24:00|23:59|22:00|07:05"
)


@pytest.mark.filterwarnings("ignore::irenic.FormatWarning")
@pytest.mark.parametrize("part", [5, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", TABLES)
def test_values_mean_what_they_mean_in_the_file_or_are_refused(page_of, name, part):
    """Every shape, with a part of the values, of which every one has several shapes."""
    column, sign, base = TABLES[name]

    def read(cells, space=None):
        quoted = ['"' + cell.replace('"', '""') + '"' for cell in cells]
        lines = [f"{column}{sign}then", *(f"{c}{sign}r{i}" for i, c in enumerate(quoted))]
        return irenic.parse("\n".join(lines).encode(), format="csv").bind(space=space).tables

    (table,) = read(base)

    def in_the_file(cell):
        """Return the region of a cell, None if a file with it cannot be read."""
        try:
            (with_cell,) = read([*base, cell], table.space)
        except (irenic.errors.FormatError, ValueError):
            return None
        return merged(rule.region for rule in with_cell.rules if rule.then == f"r{len(base)}")

    def merged(regions):
        """Return the spans of values, which may touch in texts such as not(5)."""
        ends = sorted((float(r.box.lower[0, 0]), float(r.box.upper[0, 0])) for r in regions)
        spans = []
        for low, high in ends:
            if spans and low <= spans[-1][1]:
                spans[-1] = (spans[-1][0], max(high, spans[-1][1]))
            else:
                spans.append((low, high))
        return spans

    def on_the_page(sides):
        regions = [region_of([(column, side)] if side else [], table.space) for side in sides]
        return merged(Region(table.space, r.conditions()) for r in regions)

    modules = (files("irenic") / "reporting" / "assets" / "scripts").joinpath
    script = bundle(
        "read.js", lambda p: READ_CELLS if p == "read.js" else modules(p).read_text("utf-8")
    )
    page = page_of(summarize(table, budget=0.5))
    page.evaluate(script)
    written = {"dates": DATES_WRITTEN, "times": TIMES_WRITTEN}.get(name[:5], NUMBERS_WRITTEN)
    if written is NUMBERS_WRITTEN:
        ends = ["9000", *(number.replace("1", "3").replace("2", "4") for number in written[1:])]
    else:
        ends = [written[-1 - place % 4] for place in range(len(written))]
    pairs = [*zip(written, ends, strict=True)]
    combined = [shape.format(a=a, b=b) for shape in SHAPES for a, b in pairs]
    cells = [*dict.fromkeys(combined[::part])]
    answers = page.evaluate("(cells) => window.readCells(cells)", cells)
    accepted = {cell: answer for cell, answer in zip(cells, answers, strict=True) if answer}
    wrong = [cell for cell in accepted if in_the_file(cell) != on_the_page(accepted[cell][0])]
    assert wrong == []
    assert [cell for cell, (sides, again) in accepted.items() if sides != again] == []
    assert len(accepted) > 30 / part


def test_a_typed_number_is_saved_as_the_number_that_it_is_in_the_file(page_of, tmp_path):
    path = tmp_path / "loans.csv"
    path.write_text("income;grade\n< 1.200,50;low\n>= 1.200,50;high\n")
    file = EditedFile(path)
    page = open_editor(page_of, file.table)
    for text in ("< 2.500", "< 2.500,5", "not(2,5; 4,5)", "!= -1.125"):
        set_cells(page, (0, 0, text))
        file.save(json.dumps(ask(page, "editor.currentRules()")))
        typed = path.with_name("typed.csv")
        typed.write_text(f'income;grade\n"{text}";low\n>= 1.200,50;high\n')
        assert file.table.rules == irenic.parse(typed).bind(file.table.space).table().rules


def test_a_row_is_split_at_a_number_of_the_file(page_of):
    content = b"income;grade\n< 1.200,50;low\n>= 1.200,50;high\n"
    page = open_editor(page_of, irenic.parse(content, format="csv").bind().table())
    assert ask(page, "editor.actions.splitRow(0, 0, '1.100,5')") == ""
    shown = ask(page, "editor.table.now.rows.map((row) => row.cells[0].text)")
    assert shown == ["< 1100,5", "[1100,5..1200,5)", ">= 1200,5"]
    assert ask(page, "editor.actions.splitRow(0, 0, '> 5')") == ""
    assert ask(page, "editor.table.now.rows[0].cells[0].text") == "<= 5"
    error = "“[1..2]” is not a number."
    assert ask(page, "editor.actions.splitRow(0, 0, '[1..2]')") == error
    # a case is typed as the file writes numbers, too
    read = "((text) => irenic.parseValue(irenic.summary.features[0], text))"
    for text, value in {"2,5": 2.5, "1.200,5": 1200.5, "2.000.000": 2e6, "1,125": 1.125}.items():
        assert ask(page, f"{read}({json.dumps(text)})") == {"value": value}
    error = "“2.500” is ambiguous: write 2500, or 2.5000 if the point is a decimal point."
    assert ask(page, f"{read}('2.500')") == {"error": error}


# --- outcomes

AMOUNTS = {"3,75": 3.75, "1,200.50": 1200.5, "€ 99,50": 99.5, "-5": -5, '"13%"': "13%", "3.5": 3.5}


def test_an_amount_or_a_percentage_is_the_number_that_files_are_read_as(page_of):
    rules = RuleSet([Rule({"age": (i, i + 1)}, then=3.5) for i in range(6)], Space([SPACE["age"]]))
    page = open_editor(page_of, rules)
    set_cells(page, *((row, 1, text) for row, text in enumerate(AMOUNTS)))
    outcomes = [rule["then"] for rule in ask(page, "editor.currentRules().rules")]
    assert outcomes == [*AMOUNTS.values()]
    content = b"age,fee\n< 9,12%\n>= 9,5%\n"
    page = open_editor(page_of, irenic.parse(content, format="csv").bind().table())
    set_cells(page, (0, 1, "13%"), (1, 1, "7,1 %"))
    assert [rule["then"] for rule in ask(page, "editor.currentRules().rules")] == [0.13, 0.071]
    assert ask(page, "editor.table.now.rows[0].outcomeText") == "13%"


def test_text_among_numbers_and_ambiguous_numbers_are_rejected(page_of):
    page = open_editor(page_of, RuleSet([Rule({}, then=3.5)], Space([SPACE["age"]])))
    for text, error in {
        "refuse": "“refuse” is not a number such as 3.5; put it in quotes if it is text.",
        "1,234": "“1,234” is ambiguous; write 1234 or 1.2340.",
    }.items():
        set_cells(page, (0, 1, text))
        assert ask(page, "editor.currentRules().rules") == []
        assert ask(page, "editor.table.now.rows[0].outcomeText") == text
        assert ask(page, f"editor.actions.setOtherwise({json.dumps(text)})") == error
    assert ask(page, "editor.table.now.otherwise") is None


@pytest.mark.filterwarnings("ignore::irenic.FormatWarning")
def test_where_numbers_have_a_decimal_comma_a_point_separates_thousands(page_of):
    content = b"zone;fee\nA;3,50\nB;7,50\n"
    page = open_editor(page_of, irenic.parse(content, format="csv").bind().table())
    outcomes = ["3,75", "3.75", "1.200"]
    found = [ask(page, f"editor.actions.setOtherwise('{text}')") for text in outcomes]
    assert found == ["", "The file has a decimal comma: write “3.75” so, too.", ""]
    assert ask(page, "editor.currentRules().default") == 1200
