"""The tables of the report as Markdown, computed from the records of folds.

Means are over data sets, each the mean of its folds. Shares are shown in percent, and differences
between shares in percentage points.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from study import statistics
from study.arms import (
    ANNEALING,
    ARMS,
    BUDGETS,
    CFSGS,
    GIVING_WAY,
    HOSTS,
    KINDS,
    LEVEL_LEAVES,
    MUTATION_ONLY,
    NAMES,
    PLAIN,
    PRIMARY,
    REPAIRED,
    RIVAL_BY_RIVAL,
    START_ONLY,
    VOTE,
    name_of,
)
from study.learners import ABLATED, FITTED, OURS, PEERS, SELECTED, SEVERAL, TREES, stage
from study.statistics import Difference, Ratio
from study.synthetic import GROUP as MADE

# The primary comparison of the protocol, and its margins.
BUDGET = 4
AVOIDING, WITHOUT = name_of(PRIMARY, BUDGET), name_of(PLAIN, BUDGET)
MARGIN = 0.01
FACTOR = 1.25
ALPHA = 0.05
BY_CONSTRUCTION = ("conflict_points", "conflict_space")
# The number of classes as a factor: the least number of each level.
CLASSES = {"2": 2, "3 to 5": 3, "6 and more": 6}


@dataclass(frozen=True)
class Measure:
    """How a column of the records is displayed and compared."""

    name: str
    title: str
    kind: str = "share"
    """"share", "count" (compared as a ratio) or "mean" (of counts, compared as a difference)."""
    higher: bool = True

    def show(self, value: float) -> str:
        """Format a mean of the measure."""
        if math.isnan(value):
            return "–"
        return f"{100 * value:.1f}" if self.kind == "share" else f"{value:.1f}"


MEASURES = {
    measure.name: measure
    for measure in (
        Measure("accuracy", "accuracy"),
        Measure("balanced_accuracy", "balanced accuracy"),
        Measure("macro_f1", "macro-F1"),
        Measure("train_accuracy", "training accuracy"),
        Measure("gap_accuracy", "overfitting", higher=False),
        Measure("example_f1", "mean F1 of rows"),
        Measure("gap_example_f1", "overfitting of mean F1", higher=False),
        Measure("subset_accuracy", "sets that are right"),
        Measure("loose_gap", "overfitting, least penalty", higher=False),
        Measure("rules", "rules", "count", higher=False),
        Measure("conditions", "conditions", "count", higher=False),
        Measure("rules_per_prediction", "rules per prediction", "mean", higher=False),
        Measure("explanation_size", "explanation size", "mean", higher=False),
        Measure("rules_covered", "rules per covered point", "mean", higher=False),
        Measure("explanation_covered", "explanation size, covered points", "mean", higher=False),
        Measure("explanation_default", "explanation size, default read", "mean", higher=False),
        Measure("conflict_points", "test points in conflict", higher=False),
        Measure("conflict_space", "space in conflict", higher=False),
        Measure("coverage", "test points covered"),
        Measure("coverage_space", "space covered"),
        Measure("truth_agreement", "agreement with the truth"),
        Measure("rules_found", "true rules found"),
        Measure("irrelevant_conditions", "conditions on irrelevant features", higher=False),
    )
}


PACE = ("reached", "evaluations", "evaluations_to_level", "seconds", "seconds_to_level")


# Measures per covered point: the mean over all points divided by the share covered.
BY_COVERAGE = {"rules_covered": "rules_per_prediction", "explanation_covered": "explanation_size"}


class Results:
    """The records of folds, divided into the parts that are compared."""

    def __init__(self, records: pd.DataFrame, settings: dict[str, Any]) -> None:
        self.settings = settings
        for name in ("failed", *PACE, *MEASURES):
            # missing if all folds failed or never reached the level
            if name not in records:
                records[name] = np.nan
        # to verify that no rule covers a point, all rules must be read
        uncovered = (1.0 - records["coverage"]) * records["conditions"]
        records["explanation_default"] = records["explanation_size"] + uncovered
        self.records = records
        synthetic, several = records["group"] == MADE, records["group"] == SEVERAL
        arms = records["learner"].isin(NAMES)
        self.arms = records[~synthetic & ~several & arms]
        self.several = records[several & arms]
        self.made = records[synthetic]
        self.peers = records[~synthetic & ~several & ~arms]
        self.classes = {entry["name"]: entry["classes"] for entry in settings["sets"]}

    def means(
        self, records: pd.DataFrame, measure: str, learners: Iterable[str] | None = None
    ) -> pd.DataFrame:
        """Return sets x learners, without learners that have no values."""
        wanted = records if learners is None else records[records["learner"].isin([*learners])]
        if measure in BY_COVERAGE:
            # a ratio of means, because a fold may have no covered point
            table = statistics.by_set(wanted, BY_COVERAGE[measure])
            table = table / statistics.by_set(wanted, "coverage").replace(0.0, np.nan)
        else:
            table = statistics.by_set(wanted, measure)
        order = [name for name in (*NAMES, *PEERS, *ABLATED) if name in table]
        table = table[order].dropna(axis=1, how="all")
        table.attrs["measure"] = measure
        return table


def markdown(head: Sequence[str], rows: Iterable[Sequence[Any]], texts: int = 1) -> str:
    """Return a table whose first ``texts`` columns are left-aligned and the rest right-aligned."""
    lines = [f"| {' | '.join(map(str, row))} |" for row in rows]
    if not lines:
        return "These results contain nothing to compare."
    rule = f"|{'---|' * texts}{'--:|' * (len(head) - texts)}"
    return "\n".join([f"| {' | '.join(head)} |", rule, *lines])


# --- formatting


def signed(value: float, digits: int = 1) -> str:
    """Format a number with its sign, using the typographic minus."""
    text = f"{value:+.{digits}f}"
    return text[1:] if float(text) == 0 else text.replace("-", "−")


def with_interval(value: float, interval: tuple[float, float] | None, show: Any) -> str:
    """Format a value and its 95% interval."""
    return show(value) + (f" [{show(interval[0])}, {show(interval[1])}]" if interval else " [–]")


def p_value(p: float) -> str:
    """Format a p-value with its significant digits."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def verdict(found: Difference | Ratio, measure: Measure, p: float) -> str:
    """Describe a comparison in words, by its interval and its adjusted p-value ``p``."""
    if found.interval is None:
        return "unknown"
    low, high = found.interval
    zero = 1.0 if isinstance(found, Ratio) else 0.0
    clear = p < ALPHA and not low <= zero <= high
    if isinstance(found, Ratio):
        small, within = low > 1 / FACTOR and high < FACTOR, f"within a factor of {FACTOR:g}"
    else:
        small, within = statistics.equivalent(found, MARGIN), "within a point"
        small &= measure.kind == "share"
    if not clear:
        return f"mean {within}" if small else "undecided"
    words = ("better", "worse") if measure.higher else ("more", "less")
    return words[int(high < zero)] + (f", but {within}" if small else "")


def compared(
    results: Results, records: pd.DataFrame, measure: Measure, learner: str, reference: str
) -> Difference | Ratio | None:
    """Compare two learners; return None if one of them has no values."""
    if not {learner, reference} <= set(records["learner"].unique()):
        return None
    means = results.means(records, measure.name, (learner, reference))
    if learner not in means or reference not in means or means.dropna().empty:
        return None
    if measure.kind == "count":
        return statistics.ratio(means, learner, reference)
    return statistics.paired(means, learner, reference, higher_is_better=measure.higher)


def comparison_cells(found: Difference | Ratio, measure: Measure) -> list[str]:
    """Return the cell with the difference or ratio and its interval."""
    if isinstance(found, Ratio):
        return [with_interval(found.mean, found.interval, lambda v: f"{v:.2f}") + " times"]
    scale = 100.0 if measure.kind == "share" else 1.0
    digits = 2 if measure.kind == "share" else 1
    return [with_interval(found.mean, found.interval, lambda v: signed(scale * v, digits))]


def effect(found: Difference | Ratio) -> str:
    """Format the matched-pairs rank-biserial correlation: positive if there is more."""
    return signed(found.rank_biserial, 2)


def tally(found: Difference | Ratio) -> str:
    """Format the number of sets that are better, equal and worse."""
    return f"{found.wins} / {found.ties} / {found.losses}"


COMPARISON = (
    "sets",
    "difference or ratio [95% interval]",
    "p (Holm)",
    "effect size",
    "better / equal / worse",
    "verdict",
)


def compared_rows(
    comparisons: Iterable[tuple[list[str], Measure, Difference | Ratio | None]],
) -> list[list[Any]]:
    """Return rows with the columns of ``COMPARISON``, with Holm's adjustment over all of them.

    A row is given by its first cells, the measure and the comparison; None is left out. Measures
    that are 0 by construction are shown but not tested.
    """
    known = [(cells, measure, found) for cells, measure, found in comparisons if found is not None]
    tested = [found.p for _, measure, found in known if measure.name not in BY_CONSTRUCTION]
    adjusted = iter(statistics.holm(tested))
    rows: list[list[Any]] = []
    for cells, measure, found in known:
        shown = [*cells, found.n, *comparison_cells(found, measure)]
        if measure.name in BY_CONSTRUCTION:
            rows.append([*shown, "–", effect(found), tally(found), "by construction"])
        else:
            p = float(next(adjusted))
            last = [p_value(p), effect(found), tally(found), verdict(found, measure, p)]
            rows.append([*shown, *last])
    return rows


# --- the arms


ARM_COLUMNS = (
    "accuracy",
    "balanced_accuracy",
    "macro_f1",
    "train_accuracy",
    "gap_accuracy",
    "rules",
    "conditions",
    "rules_per_prediction",
    "explanation_size",
    "conflict_points",
    "conflict_space",
    "coverage",
)


def means_table(
    results: Results, records: pd.DataFrame, columns: Sequence[str], learners: Sequence[str]
) -> str:
    """Return one row per learner: means over the sets that all of them finished.

    A set is finished if there is a value of the first column.
    """
    finished = results.means(records, columns[0], learners).dropna().index
    records = records[records["set"].isin(finished)]
    tables = {name: results.means(records, name, learners) for name in columns}
    rows = []
    for learner in learners:
        cells = [
            MEASURES[name].show(float(table[learner].mean())) if learner in table else "–"
            for name, table in tables.items()
        ]
        if any(cell != "–" for cell in cells):
            rows.append([learner, *cells])
    return markdown(["", *(MEASURES[name].title for name in columns)], rows)


def arms(results: Results) -> str:
    """Return the results of each arm of the annealing host at each budget."""
    names = [name_of(kind, budget) for budget in BUDGETS for kind in KINDS]
    return means_table(results, results.arms, ARM_COLUMNS, names)


def primary(results: Results) -> str:
    """Return the primary comparison of the protocol; Holm over its three measures."""
    questions = ("1. accuracy", "2. size", "3. overfitting")
    measures = map(MEASURES.__getitem__, ("accuracy", "conditions", "gap_accuracy"))
    rows = compared_rows(
        ([question, m.title], m, compared(results, results.arms, m, AVOIDING, WITHOUT))
        for question, m in zip(questions, measures, strict=True)
    )
    return markdown(["question", "measure", *COMPARISON], rows, 2)


ANSWERS = (
    "balanced_accuracy",
    "macro_f1",
    "rules",
    "rules_per_prediction",
    "rules_covered",
    "explanation_size",
    "explanation_covered",
    "explanation_default",
    "coverage",
    "conflict_points",
    "conflict_space",
    "loose_gap",
)


def answers(results: Results) -> str:
    """Return the other measures of the primary comparison; Holm over all rows."""
    rows = compared_rows(
        ([m.title], m, compared(results, results.arms, m, AVOIDING, WITHOUT))
        for m in map(MEASURES.__getitem__, ANSWERS)
    )
    return markdown(["measure", *COMPARISON], rows)


HEADLINES = ("accuracy", "gap_accuracy", "conditions")
# Budgets to compare: of the arm with avoidance and of the one without.
EQUAL = tuple((budget, budget) for budget in BUDGETS)
UNEQUAL = ((4, 1), (16, 4))


def budgets(results: Results) -> str:
    """Compare CFSBE and none by evaluations and by time; Holm within each measure."""
    rows: list[list[Any]] = []
    for measure in map(MEASURES.__getitem__, HEADLINES):
        rows += compared_rows(
            (
                [measure.title, f"CFSBE {mine}x, none {theirs}x", time_ratio(results, *pair)],
                measure,
                compared(results, results.arms, measure, *pair),
            )
            for mine, theirs in (*EQUAL, *UNEQUAL)
            for pair in [(name_of(PRIMARY, mine), name_of(PLAIN, theirs))]
        )
    return markdown(["measure", "budgets", "CPU seconds", *COMPARISON], rows, 2)


def time_ratio(results: Results, learner: str, reference: str) -> str:
    """Return how many times the CPU seconds of the reference a learner takes."""
    means = results.means(results.arms, "seconds", (learner, reference))
    if learner not in means or reference not in means or means.dropna().empty:
        return "–"
    return f"{statistics.ratio(means, learner, reference, smoothing=None).mean:.2f} times"


def growth(results: Results) -> str:
    """Return what more evaluations do to an arm; Holm within each measure."""
    rows: list[list[Any]] = []
    for measure in map(MEASURES.__getitem__, HEADLINES):
        rows += compared_rows(
            (
                [measure.title, kind, f"{more}x, {less}x"],
                measure,
                compared(results, results.arms, measure, name_of(kind, more), name_of(kind, less)),
            )
            for kind in (PRIMARY, PLAIN, VOTE)
            for more, less in UNEQUAL
        )
    return markdown(["measure", "arm", "budgets", *COMPARISON], rows, 3)


def classes(results: Results) -> str:
    """Compare CFSBE and none by the number of classes; Holm within each measure."""
    number = results.arms["set"].map(results.classes)
    rows: list[list[Any]] = []
    for measure in map(MEASURES.__getitem__, HEADLINES):
        comparisons = []
        for (level, least), end in zip(
            CLASSES.items(), [*list(CLASSES.values())[1:], math.inf], strict=True
        ):
            records = results.arms[(number >= least) & (number < end)]
            for budget in BUDGETS:
                pair = name_of(PRIMARY, budget), name_of(PLAIN, budget)
                found = compared(results, records, measure, *pair) if len(records) else None
                comparisons.append(([measure.title, level, f"{budget}x"], measure, found))
        rows += compared_rows(comparisons)
    return markdown(["measure", "classes", "budget", *COMPARISON], rows, 3)


def hosts(results: Results) -> str:
    """Compare CFSBE and none in each host, on the sets that are run in all of them."""
    systems = results.arms[results.arms["learner"].str.startswith(HOSTS[1:])]
    records = results.arms[results.arms["set"].isin(set(systems["set"]))]
    rows: list[list[Any]] = []
    for measure in map(MEASURES.__getitem__, HEADLINES):
        rows += compared_rows(
            (
                [measure.title, host, other, f"{budget}x"],
                measure,
                compared(
                    results,
                    records,
                    measure,
                    name_of(PRIMARY, budget, host),
                    name_of(other, budget, host),
                ),
            )
            for host in HOSTS
            for other in (PLAIN, VOTE)
            for budget in BUDGETS
        )
    head = ["measure", "host", "CFSBE compared with", "budget"]
    return markdown([*head, *COMPARISON], rows, 4)


def host_means(results: Results) -> str:
    """Return the results of the other hosts, on the sets that all of their arms finished."""
    rows = []
    for budget in BUDGETS:
        names = [
            name_of(kind, budget, host) for host in HOSTS[1:] for kind in (PRIMARY, PLAIN, VOTE)
        ]
        table = means_table(results, results.arms, ARM_COLUMNS, names)
        rows += table.splitlines()[0 if not rows else 2 :] if "|" in table else []
    return "\n".join(rows) or markdown([], [])


def against_plain(results: Results) -> str:
    """Compare each arm with the one without avoidance; Holm within each measure."""
    names = (*HEADLINES, "explanation_covered")
    rows: list[list[Any]] = []
    for measure in map(MEASURES.__getitem__, names):
        rows += compared_rows(
            (
                [measure.title, kind],
                measure,
                compared(results, results.arms, measure, name_of(kind, BUDGET), WITHOUT),
            )
            for kind in KINDS
            if kind != PLAIN
        )
    return markdown(["measure", "arm", *COMPARISON], rows, 2)


def folds_verdicts(results: Results) -> str:
    """Return the number of sets whose folds alone show a difference to no avoidance."""
    rows = []
    for kind in KINDS:
        arm = name_of(kind, BUDGET)
        if kind == PLAIN or not compared(results, results.arms, MEASURES["accuracy"], arm, WITHOUT):
            continue
        both = results.arms[results.arms["learner"].isin((arm, WITHOUT))]
        found = statistics.verdicts(both, "accuracy", arm, WITHOUT)
        rows.append([kind, found.better, found.undecided, found.worse])
    return markdown(["arm", "better on", "undecided on", "worse on"], rows)


def groups(results: Results) -> str:
    """Return the main comparisons for each source of data."""
    rows = []
    for group, records in results.arms.groupby("group"):
        for budget in BUDGETS:
            for name in HEADLINES:
                pair = name_of(PRIMARY, budget), name_of(PLAIN, budget)
                found = compared(results, records, MEASURES[name], *pair)
                if found is not None:
                    cells = [*comparison_cells(found, MEASURES[name]), tally(found)]
                    rows.append([group, found.n, f"{budget}x", MEASURES[name].title, *cells])
    head = ["data", "sets", "budget", "measure", "difference or ratio [95% interval]"]
    return markdown([*head, "better / equal / worse"], rows, 4)


PAIRS = (
    (PRIMARY, RIVAL_BY_RIVAL, "CFSBE or rival by rival in mutations"),
    (PRIMARY, GIVING_WAY, "rivals stay or give way"),
    (PRIMARY, CFSGS, "CFSBE or CFSGS for the first rules"),
    (PRIMARY, MUTATION_ONLY, "avoidance at the start as well, or only in mutations"),
    (START_ONLY, PLAIN, "avoidance at the start, or not at all"),
    (PRIMARY, REPAIRED, "avoidance, or repair afterwards"),
)


def pairs(results: Results) -> str:
    """Compare arms that differ in one switch; Holm within each pair."""
    names = ("accuracy", "gap_accuracy", "rules", "conditions", "coverage")
    rows: list[list[Any]] = []
    for learner, reference, what in PAIRS:
        pair = name_of(learner, BUDGET), name_of(reference, BUDGET)
        rows += compared_rows(
            ([what, m.title], m, compared(results, results.arms, m, *pair))
            for m in map(MEASURES.__getitem__, names)
        )
    return markdown(["switch", "measure", *COMPARISON], rows, 2)


SEVERAL_COLUMNS = (
    "example_f1",
    "subset_accuracy",
    "gap_example_f1",
    "rules",
    "conditions",
    "conflict_points",
    "coverage",
)


def several(results: Results) -> str:
    """Return the results of the arms on data with several labels, at the primary budget."""
    return means_table(
        results, results.several, SEVERAL_COLUMNS, [name_of(kind, BUDGET) for kind in KINDS]
    )


def several_differences(results: Results) -> str:
    """Compare CFSBE and none on data with several labels; too few sets for a test."""
    rows = []
    for name in ("example_f1", "gap_example_f1", "conditions"):
        for budget in BUDGETS:
            pair = name_of(PRIMARY, budget), name_of(PLAIN, budget)
            found = compared(results, results.several, MEASURES[name], *pair)
            if found is not None:
                cells = [*comparison_cells(found, MEASURES[name]), tally(found)]
                rows.append([MEASURES[name].title, f"{budget}x", found.n, *cells])
    head = ["measure", "budget", "sets", "difference or ratio [95% interval]"]
    return markdown([*head, "better / equal / worse"], rows, 2)


def pace(results: Results) -> str:
    """Return the evaluations until each arm reaches the training accuracy of a small tree."""
    rows = []
    for arm in (name for name, arm in ARMS.items() if arm.host == ANNEALING):
        records = results.arms[results.arms["learner"] == arm]
        records = records[records["failed"].isna()]
        if records.empty:
            continue
        spent = records["evaluations_to_level"].fillna(np.inf).to_numpy()
        middle = [float(np.quantile(spent, q, method="lower")) for q in (0.25, 0.5, 0.75)]
        shown = [f"{v:,.0f}" if math.isfinite(v) else "not reached" for v in middle]
        rows.append([arm, f"{100 * records['reached'].mean():.1f}", *shown])
    head = ["arm", f"folds that reach the accuracy of a tree with {LEVEL_LEAVES} leaves, %"]
    return markdown([*head, "evaluations: first quartile", "median", "third quartile"], rows)


MADE_COLUMNS = ("truth_agreement", "rules_found", "irrelevant_conditions", "rules")


def made(results: Results) -> str:
    """Return how well each arm recovers the rules of made data, by kind of truth.

    Sets that differ only in noise share their truth and rows: there are four truths of each kind,
    which are too few for a test.
    """
    return _made_by(results, r"made (\S+) ", "truth", str, [BUDGET])


def made_by_size(results: Results) -> str:
    """Return how well arms recover the rules of made data, by size and kind of truth."""
    return _made_by(results, r"made (\S+ \S+),", "truth", str, BUDGETS)


def made_by_noise(results: Results) -> str:
    """Return how well arms recover the rules of made data, by noise and kind of truth."""
    return _made_by(results, r"made (\S+ .*noise [\d.]+)", "noise", _noise, [BUDGET])


def _noise(text: str) -> str:
    return f"{text.split()[0]}, {100 * float(text.split()[-1]):.0f}%"


def _made_by(
    results: Results, pattern: str, head: str, show: Callable[[str], str], multiples: Sequence[int]
) -> str:
    # levels that are shown alike are one level
    part = results.made["set"].str.extract(pattern)[0].map(show, na_action="ignore")
    # by arm, so that only its own folds count
    folds = results.made.assign(level=part).groupby(["level", "learner", "set", "fold"], sort=False)
    means = folds[list(MADE_COLUMNS)].mean()
    means = means.groupby(level=["level", "learner", "set"], sort=False).mean()
    of_arms = dict(list(means.groupby(level=["level", "learner"])))
    rows = []
    for level in sorted(means.index.unique("level"), key=_by_numbers):
        for arm in (name_of(kind, n) for n in multiples for kind in KINDS):
            own = of_arms.get((level, arm))
            if own is not None and own[MADE_COLUMNS[0]].notna().any():
                cells = [MEASURES[name].show(float(own[name].mean())) for name in MADE_COLUMNS]
                rows.append([level, arm, *cells])
    return markdown([head, "arm", *(MEASURES[name].title for name in MADE_COLUMNS)], rows, 2)


def _by_numbers(text: str) -> list[Any]:
    """Sort "boxes 10x5" after "boxes 5x3"."""
    parts = re.split(r"(\d+)", text)
    return [int(part) if part.isdigit() else part for part in parts]


# --- the peers


PEER_COLUMNS = (
    "accuracy",
    "balanced_accuracy",
    "macro_f1",
    "gap_accuracy",
    "rules",
    "conditions",
    "rules_per_prediction",
    "conflict_points",
    "coverage",
)


# A peer that finished less than this share of the sets is not part of common means and ranks.
ENOUGH = 0.8


def everywhere(results: Results) -> pd.DataFrame:
    """Return the records of peers that finished most sets, on the sets that they all finished."""
    table = results.means(results.peers, "accuracy", PEERS)
    table = table.loc[:, table.notna().mean() >= ENOUGH].dropna()
    records = results.peers
    return records[records["set"].isin(table.index) & records["learner"].isin(table.columns)]


def peers(results: Results) -> str:
    """Return the results of peers on the sets that all of them finished."""
    common = everywhere(results)
    shown = [name for name in PEERS if name in set(common["learner"])]
    return means_table(results, common, PEER_COLUMNS, shown)


def without_categories(results: Results) -> pd.DataFrame:
    """Return the records of sets on which conditions are counted in the same way.

    A test of three categories is one condition of irenic, but three of a tree on one-hot columns.
    """
    names = {entry["name"] for entry in results.settings["sets"] if not entry["categorical"]}
    return results.peers[results.peers["set"].isin(names)]


def peer_differences(results: Results) -> str:
    """Compare irenic with each peer on the sets that both finished, and on fresh data."""
    rows, known = [], []
    numeric = without_categories(results)
    for peer in PEERS:
        if peer == OURS or peer in SELECTED:
            continue
        found = compared(results, results.peers, MEASURES["accuracy"], OURS, peer)
        if isinstance(found, Difference):
            size = compared(results, numeric, MEASURES["conditions"], OURS, peer)
            known.append((peer, found, size))
    adjusted = statistics.holm([found.p for _, found, _ in known])
    for (peer, found, size), p in zip(known, adjusted, strict=True):
        fresh = _fresh(results, peer)
        rows.append(
            [
                peer,
                found.n,
                *comparison_cells(found, MEASURES["accuracy"]),
                p_value(p),
                effect(found),
                tally(found),
                fresh,
                comparison_cells(size, MEASURES["conditions"])[0] if size else "–",
            ]
        )
    head = ["peer", "sets", "accuracy: irenic − peer [95% interval]", "p (Holm)"]
    head += ["effect size", "better / equal / worse", "on fresh sets only"]
    return markdown([*head, "conditions: irenic / peer, sets without categories"], rows)


def _fresh(results: Results, peer: str) -> str:
    records = results.peers[results.peers["group"] == "keel"]
    if records.empty:
        return "–"
    found = compared(results, records, MEASURES["accuracy"], OURS, peer)
    return comparison_cells(found, MEASURES["accuracy"])[0] if found else "–"


def ablated(results: Results) -> str:
    """Compare RuleSetClassifier with itself without a part; Holm within each measure."""
    rows: list[list[Any]] = []
    for measure in map(MEASURES.__getitem__, HEADLINES):
        rows += compared_rows(
            ([measure.title, name], measure, compared(results, results.peers, measure, name, OURS))
            for name in ABLATED
        )
    return markdown(["measure", "compared with irenic", *COMPARISON], rows, 2)


def sizes(results: Results) -> str:
    """Compare irenic with a limited number of rules and trees of as many leaves."""
    rows = []
    for mine, tree in zip(SELECTED, TREES, strict=True):
        found = compared(results, results.peers, MEASURES["accuracy"], mine, tree)
        if not isinstance(found, Difference):
            continue
        means = results.means(results.peers, "accuracy", (mine, tree)).dropna()
        size = compared(results, without_categories(results), MEASURES["conditions"], mine, tree)
        rows.append(
            [
                SELECTED[mine],
                found.n,
                MEASURES["accuracy"].show(float(means[mine].mean())),
                MEASURES["accuracy"].show(float(means[tree].mean())),
                *comparison_cells(found, MEASURES["accuracy"]),
                tally(found),
                _fresh_pair(results, mine, tree),
                comparison_cells(size, MEASURES["conditions"])[0] if size else "–",
            ]
        )
    head = ["maximum rules", "sets", "irenic", "tree", "difference [95% interval]"]
    head += ["better / equal / worse", "on fresh sets only"]
    head += ["conditions, ratio, sets without categories"]
    return markdown(head, rows)


def _fresh_pair(results: Results, mine: str, tree: str) -> str:
    records = results.peers[results.peers["group"] == "keel"]
    found = compared(results, records, MEASURES["accuracy"], mine, tree) if len(records) else None
    return comparison_cells(found, MEASURES["accuracy"])[0] if found else "–"


def conflicts(results: Results) -> str:
    """Return the share of test points on which the rules of each learner contradict each other.

    All sets that a learner finished count, so the sets differ between rows.
    """
    rows = []
    for name in PEERS:
        if name in SELECTED:
            continue
        table = results.means(results.peers[results.peers["learner"] == name], "conflict_points")
        if name not in table:
            continue
        values = 100 * table[name].dropna()
        rows.append([name, len(values), f"{values.mean():.1f}", f"{values.max():.1f}"])
    return markdown(["learner", "sets", "test points in conflict, %", "maximum over sets, %"], rows)


def failures(results: Results) -> str:
    """Return all failures."""
    failed = results.records[results.records["failed"].notna()]
    rows = []
    for (learner, name), folds in failed.groupby(["learner", "set"], sort=True):
        skipped = folds["failed"].str.startswith("not tried")
        first = folds["failed"].iloc[0]
        rows.append([learner, name, len(folds) - skipped.sum(), skipped.sum(), _escaped(first)])
    rows += [
        [learner, "all", "–", "–", f"{package} is not installed"]
        for learner, package in sorted(results.settings.get("not installed", {}).items())
    ]
    if not rows:
        return "None."
    head = ["learner", "data set", "failed folds", "skipped folds"]
    return markdown([*head, "first error"], rows, 2)


def not_run(results: Results) -> str:
    """Return how much of the plan was run: the fewest sets that a learner of a kind finished."""
    finished = _finished(results)
    sets = results.settings["sets"]
    rows: dict[tuple[str, int], list[int]] = {}
    for name in (*ARMS, *FITTED):
        kind = ARMS[name].host if name in ARMS else "peers and ablations"
        kind += f", {ARMS[name].budget}x" if name in ARMS else ""
        for seed in range(results.settings["design"]["seeds"] if name in ARMS else 1):
            if name in results.settings.get("not installed", {}):
                continue
            planned = sum(stage(name, e["group"], e["used"], seed) is not None for e in sets)
            done = min(int(finished.get((name, seed), 0)), planned)
            if done < planned:
                row = rows.setdefault((kind, seed), [0, planned, done])
                rows[kind, seed] = [row[0] + 1, max(row[1], planned), min(row[2], done)]
    if not rows:
        return "Everything was run."
    cells = [[kind, seed + 1, *row] for (kind, seed), row in rows.items()]
    head = ["learners", "seed", "learners concerned", "sets planned", "sets run by all of them"]
    return markdown(head, cells)


def _finished(results: Results) -> pd.Series:
    """Return the number of sets of which all folds were run, by learner and seed."""
    folds = results.records.groupby(["learner", "seed", "set"])["fold"].nunique()
    whole = folds[folds == results.settings["design"]["folds"]]
    return whole.groupby(["learner", "seed"]).size()


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


# --- data sets, settings and versions


def sets(results: Results) -> str:
    """Return the data sets."""
    used = set(results.records["set"])
    columns = ("name", "group", "rows", "used", "numeric", "categorical", "classes")
    rows = [
        [f"{e[column]:,}" if isinstance(e[column], int) else e[column] for column in columns]
        for e in results.settings["sets"]
        if e["name"] in used
    ]
    head = ["set", "source", "rows", "rows used", "numeric", "categorical", "classes"]
    return markdown(head, rows, 2)


def made_with(results: Results) -> str:
    """Return settings and versions."""
    design = [[name.replace("_", " "), f"{v:g}"] for name, v in results.settings["design"].items()]
    versions = [[name, version] for name, version in results.settings["versions"].items()]
    return "\n\n".join(
        [
            markdown(["setting", "value"], design),
            markdown(["package", "version"], [["Python", results.settings["python"]], *versions]),
        ]
    )


def times(results: Results) -> str:
    """Return the CPU seconds per fit, the only table that differs between runs."""
    rows = []
    for name, records in ((n, results.records) for n in (*ARMS, *PEERS, *ABLATED)):
        own = records[(records["learner"] == name) & records["seconds"].notna()]
        if own.empty:
            continue
        real = own[own["group"] != MADE]
        reached = own["seconds_to_level"].median() if name in NAMES else float("nan")
        figures = (
            (real["seconds"].median(), ".2f"),
            (real["seconds"].max(), ".1f"),
            (reached, ".3f"),
        )
        rows.append([name, *("–" if math.isnan(v) else f"{v:{form}}" for v, form in figures)])
    return markdown(["learner", "median", "maximum", "until the level, if reached"], rows)


BLOCKS: dict[str, Callable[[Results], str]] = {
    "primary": primary,
    "answers": answers,
    "budgets": budgets,
    "growth": growth,
    "classes": classes,
    "hosts": hosts,
    "host means": host_means,
    "arms": arms,
    "against plain": against_plain,
    "folds verdicts": folds_verdicts,
    "groups": groups,
    "pairs": pairs,
    "pace": pace,
    "several": several,
    "several differences": several_differences,
    "made": made,
    "made by size": made_by_size,
    "made by noise": made_by_noise,
    "ablated": ablated,
    "peers": peers,
    "peer differences": peer_differences,
    "sizes": sizes,
    "conflicts": conflicts,
    "failures": failures,
    "not run": not_run,
    "sets": sets,
    "made with": made_with,
}
