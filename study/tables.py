"""The tables of the report, each a piece of Markdown made from the records of folds.

Means are over data sets, each the mean of its folds. Shares are shown in percent, and differences
between shares in points; what is made with it is said in each table's head.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from study import statistics
from study.arms import ARMS, LEVEL_LEAVES, NAMES
from study.learners import OURS, PEERS, SELECTED, TREES
from study.statistics import Difference, Ratio

PLAIN = "none, best rule"
AVOIDING = "avoid: start + mutation"
GIVING_WAY = "avoid, rivals give way"
CFSGS = "avoid, CFSGS start"
MUTATION_ONLY = "avoid: mutation only"
# Differences of less than a point of accuracy are of no account in practice.
MARGIN = 0.01
ALPHA = 0.05
MADE = "made"
BY_CONSTRUCTION = ("conflict_points", "conflict_space")


@dataclass(frozen=True)
class Measure:
    """How a column of the records is shown and compared."""

    name: str
    title: str
    kind: str = "share"
    """"share", "count" (compared as a ratio) or "mean" (of counts, compared as a difference)."""
    higher: bool = True

    def show(self, value: float) -> str:
        """Return a mean of it."""
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
        Measure("loose_accuracy", "accuracy, least penalty"),
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


PACE = ("reached", "evaluations_to_level", "seconds", "seconds_to_level")


# What is read for a point that a rule covers: the mean over all points by the share covered.
BY_COVERAGE = {"rules_covered": "rules_per_prediction", "explanation_covered": "explanation_size"}


class Results:
    """The records of folds, and the parts of them that are compared."""

    def __init__(self, records: pd.DataFrame, kept: dict[str, Any]) -> None:
        self.kept = kept
        for name in ("failed", *PACE, *MEASURES):
            # folds that failed, or never reached the level, say nothing of these
            if name not in records:
                records[name] = np.nan
        # whoever checks that no rule covers a point reads all of them
        silent = (1.0 - records["coverage"]) * records["conditions"]
        records["explanation_default"] = records["explanation_size"] + silent
        self.records = records
        made = records["group"] == MADE
        arms = records["learner"].isin(NAMES)
        self.arms = records[~made & arms]
        self.made = records[made & arms]
        # peers have fewer repeats, which is what all are compared on
        peers = records[~made & records["learner"].isin(PEERS)]
        self.peers = peers[peers["repeat"] < kept["design"]["other_repeats"]]

    def means(
        self, records: pd.DataFrame, measure: str, learners: Iterable[str] | None = None
    ) -> pd.DataFrame:
        """Return sets x learners; learners that have no figure at all are left out."""
        wanted = records if learners is None else records[records["learner"].isin([*learners])]
        if measure in BY_COVERAGE:
            # of means, since a fold may have no point that is covered
            found = statistics.by_set(wanted, BY_COVERAGE[measure])
            found = found / statistics.by_set(wanted, "coverage").replace(0.0, np.nan)
        else:
            found = statistics.by_set(wanted, measure)
        order = [name for name in (*NAMES, *PEERS) if name in found]
        found = found[order].dropna(axis=1, how="all")
        found.attrs["measure"] = measure
        return found


def markdown(head: Sequence[str], rows: Iterable[Sequence[Any]], texts: int = 1) -> str:
    """Return a table; the first columns, which are texts, to the left, the rest to the right."""
    lines = [f"| {' | '.join(map(str, row))} |" for row in rows]
    if not lines:
        return "There is nothing to compare in these results."
    rule = f"|{'---|' * texts}{'--:|' * (len(head) - texts)}"
    return "\n".join([f"| {' | '.join(head)} |", rule, *lines])


# --- how figures are shown


def signed(value: float, digits: int = 1) -> str:
    """Return a number with its sign, a minus as it is printed."""
    text = f"{value:+.{digits}f}"
    return text[1:] if float(text) == 0 else text.replace("-", "−")


def with_interval(value: float, interval: tuple[float, float] | None, show: Any) -> str:
    """Return a value and its 95 % interval."""
    return show(value) + (f" [{show(interval[0])}, {show(interval[1])}]" if interval else " [–]")


def p_value(p: float) -> str:
    """Return a p-value: no more digits than tell anything."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def verdict(found: Difference | Ratio, measure: Measure, p: float) -> str:
    """Return in words what an interval says, where the adjusted p-value ``p`` lets it."""
    if found.interval is None:
        return "unknown"
    low, high = found.interval
    zero = 1.0 if isinstance(found, Ratio) else 0.0
    clear = p < ALPHA and not low <= zero <= high
    small = (
        isinstance(found, Difference)
        and measure.kind == "share"
        and statistics.equivalent(found, MARGIN)
    )
    if not clear:
        return "mean within a point" if small else "undecided"
    words = ("better", "worse") if measure.higher else ("more", "less")
    return words[int(high < zero)] + (", but within a point" if small else "")


def compared(
    results: Results, records: pd.DataFrame, measure: Measure, learner: str, reference: str
) -> Difference | Ratio | None:
    """Return the comparison of two learners; None where one of them has no figures."""
    means = results.means(records, measure.name, (learner, reference))
    if learner not in means or reference not in means or means.dropna().empty:
        return None
    if measure.kind == "count":
        return statistics.ratio(means, learner, reference)
    return statistics.paired(means, learner, reference, higher_is_better=measure.higher)


def comparison_cells(found: Difference | Ratio, measure: Measure) -> list[str]:
    """Return what was found, its interval, and how often it was better; p is not adjusted."""
    if isinstance(found, Ratio):
        return [with_interval(found.mean, found.interval, lambda v: f"{v:.2f}") + " times"]
    scale = 100.0 if measure.kind == "share" else 1.0
    digits = 2 if measure.kind == "share" else 1
    return [with_interval(found.mean, found.interval, lambda v: signed(scale * v, digits))]


def effect(found: Difference | Ratio) -> str:
    """Return the matched-pairs rank-biserial correlation: above zero where there is more."""
    return signed(found.rank_biserial, 2)


def tally(found: Difference | Ratio) -> str:
    """Return on how many sets it was better, equal and worse."""
    return f"{found.wins} / {found.ties} / {found.losses}"


COMPARISON = (
    "sets",
    "difference or ratio [95 % interval]",
    "p (Holm)",
    "effect size",
    "better / equal / worse",
    "so it is",
)


def compared_rows(
    asked: Iterable[tuple[list[str], Measure, Difference | Ratio | None]],
) -> list[list[Any]]:
    """Return rows with the columns of ``COMPARISON``, Holm over all of them.

    Each is given by its first cells, its measure and what was found; nothing found is left out.
    What is 0 by construction is shown, but not tested.
    """
    known = [(cells, measure, found) for cells, measure, found in asked if found is not None]
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
    """Return one row a learner: means over the sets that all of the learners shown have."""
    finished = results.means(records, "accuracy", learners).dropna().index
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
    """Return what each arm reaches."""
    return means_table(results, results.arms, ARM_COLUMNS, NAMES)


QUESTIONS = (
    ("1. predictive power", ("accuracy", "balanced_accuracy", "macro_f1")),
    (
        "2. interpretability",
        (
            "rules",
            "conditions",
            "rules_per_prediction",
            "rules_covered",
            "explanation_size",
            "explanation_covered",
            "explanation_default",
            "coverage",
            "conflict_points",
            "conflict_space",
        ),
    ),
    ("3. overfitting", ("gap_accuracy", "loose_gap")),
)


def answers(results: Results, learner: str = AVOIDING) -> str:
    """Return the paper's three questions, answered by one contrast; Holm over all its rows."""
    rows = compared_rows(
        ([question, m.title], m, compared(results, results.arms, m, learner, PLAIN))
        for question, names in QUESTIONS
        for m in map(MEASURES.__getitem__, names)
    )
    return markdown(["question", "measure", *COMPARISON], rows, 2)


def arm_differences(results: Results, measure: str) -> list[Difference]:
    """Return every arm against the one without avoidance."""
    found = [
        compared(results, results.arms, MEASURES[measure], arm, PLAIN)
        for arm in NAMES
        if arm != PLAIN
    ]
    return [f for f in found if isinstance(f, Difference)]


def against_plain(results: Results) -> str:
    """Return every arm against the one without avoidance; Holm within each measure."""
    names = ("accuracy", "macro_f1", "gap_accuracy", "conditions", "explanation_covered")
    rows: list[list[Any]] = []
    for measure in map(MEASURES.__getitem__, names):
        rows += compared_rows(
            ([measure.title, arm], measure, compared(results, results.arms, measure, arm, PLAIN))
            for arm in NAMES
            if arm != PLAIN
        )
    return markdown(["measure", "arm", *COMPARISON], rows, 2)


def folds_verdicts(results: Results) -> str:
    """Return on how many sets the folds alone tell an arm from the one without avoidance."""
    rows = []
    for arm in NAMES:
        if arm == PLAIN or not compared(results, results.arms, MEASURES["accuracy"], arm, PLAIN):
            continue
        both = results.arms[results.arms["learner"].isin((arm, PLAIN))]
        found = statistics.verdicts(both, "accuracy", arm, PLAIN)
        rows.append([arm, found.better, found.undecided, found.worse])
    return markdown(["arm", "better on", "undecided on", "worse on"], rows)


def groups(results: Results) -> str:
    """Return the main contrasts for each source of data apart."""
    rows = []
    for group, records in results.arms.groupby("group"):
        for arm in (AVOIDING, GIVING_WAY):
            for name in ("accuracy", "gap_accuracy", "conditions"):
                found = compared(results, records, MEASURES[name], arm, PLAIN)
                if found is not None:
                    cells = [*comparison_cells(found, MEASURES[name]), tally(found)]
                    rows.append([group, found.n, arm, MEASURES[name].title, *cells])
    head = ["data", "sets", "arm", "measure", "difference or ratio [95 % interval]"]
    return markdown([*head, "better / equal / worse"], rows, 4)


PAIRS = (
    (CFSGS, AVOIDING, "CFSGS or CFSBE for the first rules"),
    (GIVING_WAY, AVOIDING, "rivals give way or not"),
    (AVOIDING, MUTATION_ONLY, "avoidance at the start as well or not"),
)


def pairs(results: Results) -> str:
    """Return arms that differ in one switch; Holm within each pair."""
    names = ("accuracy", "macro_f1", "gap_accuracy", "rules", "conditions", "coverage")
    rows: list[list[Any]] = []
    for learner, reference, what in PAIRS:
        rows += compared_rows(
            ([what, m.title], m, compared(results, results.arms, m, learner, reference))
            for m in map(MEASURES.__getitem__, names)
        )
    return markdown(["switch", "measure", *COMPARISON], rows, 2)


def pace(results: Results) -> str:
    """Return how soon each arm reaches the training accuracy of a small tree."""
    rows = []
    for arm in ARMS:  # what is repaired took as long as what it is made of
        records = results.arms[results.arms["learner"] == arm]
        records = records[records["failed"].isna()]
        if records.empty:
            continue
        spent = records["evaluations_to_level"].fillna(np.inf).to_numpy()
        middle = [float(np.quantile(spent, q, method="lower")) for q in (0.25, 0.5, 0.75)]
        shown = [f"{v:,.0f}" if math.isfinite(v) else "not reached" for v in middle]
        rows.append([arm, f"{100 * records['reached'].mean():.1f}", *shown])
    head = ["arm", f"folds that reach a tree of {LEVEL_LEAVES} leaves, %"]
    return markdown([*head, "evaluations: first quartile", "median", "third quartile"], rows)


MADE_COLUMNS = ("truth_agreement", "rules_found", "irrelevant_conditions", "rules")


def made(results: Results) -> str:
    """Return how far each arm finds the rules behind data that was made, by truth.

    Sets that differ in noise alone share their truth and their rows, so they are averaged: there
    are as many observations as truths, too few for a test.
    """
    return _made_by(results, r"made (\S+),", "features x classes", str)


def made_by_noise(results: Results) -> str:
    """Return the same by noise, over all truths."""
    return _made_by(
        results, r"noise ([\d.]+)", "noise", lambda level: f"{100 * float(level):.0f} %"
    )


def _made_by(results: Results, pattern: str, head: str, show: Callable[[str], str]) -> str:
    part = results.made["set"].str.extract(pattern)[0]
    rows = []
    for level in sorted(part.dropna().unique(), key=_as_number):
        records = results.made[part == level]
        for arm in NAMES:
            tables = [results.means(records, name, [arm]) for name in MADE_COLUMNS]
            if arm not in tables[0]:
                continue
            cells = [
                MEASURES[name].show(float(table[arm].mean())) if arm in table else "–"
                for name, table in zip(MADE_COLUMNS, tables, strict=True)
            ]
            rows.append([show(level), arm, *cells])
    return markdown([head, "arm", *(MEASURES[name].title for name in MADE_COLUMNS)], rows, 2)


def _as_number(text: str) -> float:
    return float(text.split("x")[0].rstrip(","))


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


def everywhere(results: Results) -> list[str]:
    """Return the data sets that every peer finished."""
    table = results.means(results.peers, "accuracy")
    return list(table.dropna().index)


def peers(results: Results) -> str:
    """Return what each peer reaches on the sets that all of them finished."""
    common = results.peers[results.peers["set"].isin(everywhere(results))]
    shown = [name for name in PEERS if name in set(common["learner"])]
    return means_table(results, common, PEER_COLUMNS, shown)


def without_categories(results: Results) -> pd.DataFrame:
    """Return the records of sets on which conditions are counted alike.

    A test of three categories is one condition of ours, and three of a tree on one-hot columns.
    """
    names = {entry["name"] for entry in results.kept["sets"] if not entry["categorical"]}
    return results.peers[results.peers["set"].isin(names)]


def peer_differences(results: Results) -> str:
    """Return ours less each peer, on the sets that both finished; those of fresh data apart."""
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
    head = ["peer", "sets", "accuracy of irenic less the peer's [95 % interval]", "p (Holm)"]
    head += ["effect size", "better / equal / worse", "on fresh sets only"]
    return markdown([*head, "conditions of irenic by the peer's, sets without categories"], rows)


def _fresh(results: Results, peer: str) -> str:
    records = results.peers[results.peers["group"] == "keel"]
    if records.empty:
        return "–"
    found = compared(results, records, MEASURES["accuracy"], OURS, peer)
    return comparison_cells(found, MEASURES["accuracy"])[0] if found else "–"


def sizes(results: Results) -> str:
    """Return ours with at most so many rules, less a tree of as many leaves."""
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
    head = ["rules at most", "sets", "irenic", "tree", "difference [95 % interval]"]
    head += ["better / equal / worse", "on fresh sets only"]
    head += ["conditions, ratio, sets without categories"]
    return markdown(head, rows)


def _fresh_pair(results: Results, mine: str, tree: str) -> str:
    records = results.peers[results.peers["group"] == "keel"]
    found = compared(results, records, MEASURES["accuracy"], mine, tree) if len(records) else None
    return comparison_cells(found, MEASURES["accuracy"])[0] if found else "–"


def conflicts(results: Results) -> str:
    """Return how much of the test points each learner leaves to rules that contradict each other.

    Every set that a learner finished counts, so the sets differ between rows.
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
    return markdown(["learner", "sets", "test points in conflict, %", "greatest of a set, %"], rows)


def failures(results: Results) -> str:
    """Return what did not work, and how often; nothing is left out of this list."""
    failed = results.records[results.records["failed"].notna()]
    rows = []
    for (learner, name), folds in failed.groupby(["learner", "set"], sort=True):
        untried = folds["failed"].str.startswith("not tried")
        first = folds["failed"].iloc[0]
        rows.append([learner, name, len(folds) - untried.sum(), untried.sum(), _escaped(first)])
    rows += [
        [learner, "all", "–", "–", f"{package} is not installed"]
        for learner, package in sorted(results.kept.get("not installed", {}).items())
    ]
    if not rows:
        return "None."
    head = ["learner", "data set", "folds that failed", "not tried then"]
    return markdown([*head, "what happened in the first"], rows, 2)


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


# --- what it was made with


def sets(results: Results) -> str:
    """Return the data sets."""
    used = set(results.records["set"])
    columns = ("name", "group", "rows", "used", "numeric", "categorical", "classes")
    rows = [
        [f"{e[column]:,}" if isinstance(e[column], int) else e[column] for column in columns]
        for e in results.kept["sets"]
        if e["name"] in used
    ]
    head = ["set", "source", "rows", "rows used", "numeric", "categorical", "classes"]
    return markdown(head, rows, 2)


def made_with(results: Results) -> str:
    """Return settings and versions."""
    design = [[name.replace("_", " "), f"{v:g}"] for name, v in results.kept["design"].items()]
    versions = [[name, version] for name, version in results.kept["versions"].items()]
    return "\n\n".join(
        [
            markdown(["setting", "value"], design),
            markdown(["package", "version"], [["Python", results.kept["python"]], *versions]),
        ]
    )


def times(results: Results) -> str:
    """Return the CPU seconds of a fit: the one table that differs between runs and machines."""
    rows = []
    for name, records in ((n, results.records) for n in (*ARMS, *PEERS)):
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
    return markdown(["learner", "median", "greatest", "to the level, where reached"], rows)


BLOCKS: dict[str, Callable[[Results], str]] = {
    "sets": sets,
    "made with": made_with,
    "answers": answers,
    "answers, rivals give way": lambda results: answers(results, GIVING_WAY),
    "arms": arms,
    "against plain": against_plain,
    "folds verdicts": folds_verdicts,
    "groups": groups,
    "pairs": pairs,
    "pace": pace,
    "made": made,
    "made by noise": made_by_noise,
    "peers": peers,
    "peer differences": peer_differences,
    "sizes": sizes,
    "conflicts": conflicts,
    "failures": failures,
}
