"""The one summary of rules: all that the page, the plots and other programs show, as plain data."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from irenic.boxes.arrays import Ints
from irenic.budget import Budget
from irenic.checking import KINDS, NOUNS, Finding, Findings, check
from irenic.errors import ConditionError
from irenic.formats.json.rules import encode_point, encode_region, encode_value
from irenic.model.decision_table import DecisionTable
from irenic.model.features import is_unicode
from irenic.model.literals import show_point
from irenic.model.rule import Rule
from irenic.model.rulelist import RuleList
from irenic.model.ruleset import RuleSet
from irenic.model.sampling import RandomState, as_generator
from irenic.reporting._counted import NOT_COUNTED, Counted, of_instances, of_training
from irenic.reporting._described import features
from irenic.reporting._labelled import Labelled, labelled, texts_of
from irenic.reporting._verdicts import encode_verdict, verdicts
from irenic.reporting.boxes import encode_box, encode_case, encode_columns, encode_conditions
from irenic.reporting.results import NO_RULE, How, decisions, results
from irenic.reporting.summary import numbers

if TYPE_CHECKING:
    from irenic.learn import FrontPoint, RuleSetClassifier

NAME: Final = "irenic summary"
VERSION: Final = 2
SECONDS: Final = 10.0
# Nodes bound the search for gaps of learned rule sets, so that they are the same on any machine.
_MOST_NODES: Final = 200_000
_MOST_GAPS: Final = 10_000
_MOST_CELLS: Final = 500_000
"""More cells than this are not handed on: a page of tens of megabytes is not mailed."""
# Of a front all rule sets are summarised; of those that were not chosen a few findings will do.
_MOST_OF_OTHERS: Final = 20


def summarise(
    rules: RuleSet | RuleList | DecisionTable | RuleSetClassifier,
    X: Any = None,
    y: Any = None,
    *,
    name: str = "",
    budget: Budget | float | None = SECONDS,
    most: int = 100,
    sample: int = 10_000,
    random_state: RandomState = 0,
) -> dict[str, Any]:
    """Return all that there is to show of rules, as plain data that JSON can hold.

    The report page and the plots show this and count nothing themselves; the documentation
    describes every key (docs/reference/summary.md).

    Parameters
    ----------
    rules : RuleSet, RuleList, DecisionTable or fitted RuleSetClassifier
        Of a classifier all rule sets of the front are summarised.
    X : table, optional
        Instances to count on.
    y : labels, optional
        What is true of the instances. A classifier without either tells what it counted in
        training.
    name : str
        What the rules are called.
    budget : Budget or float (seconds), optional
        For each of the searches that can take long, as in :func:`irenic.check`.
    most : int
        How many findings of a kind to list at most; all are counted.
    sample : int
        How many instances to hand on at most, 0 for none; all are counted. A random part of them
        if there are more, fewer where there are very many features.
    random_state : int, numpy generator or None
        Fixes which instances are handed on.

    Examples
    --------
    >>> import irenic
    >>> rules = irenic.RuleSet([irenic.Rule({"age": (0, 30)}, then="low"),
    ...                         irenic.Rule({"age": (29, 60)}, then="high")])
    >>> found = irenic.summarise(rules, {"age": [10, 29, 50, 70]}, ["low", "low", "high", "high"])
    >>> model = found["models"][found["chosen"]]
    >>> [verdict["text"] for verdict in model["verdicts"]]
    ['1 pair of the 2 rules contradicts each other.', 'no rule covers 2 regions.']
    >>> model["rules"][0]["support"], model["results"]["contradicted"]
    (2, 1)
    """
    _check_options(name, most, sample)
    rng = as_generator(random_state)
    whole = _Summary(rules, X, y, Budget.of(budget), int(most))
    data, table = whole.data, whole.tables[whole.chosen]
    shown = _shown(data, int(sample), rng)
    return {
        "format": NAME,
        "version": VERSION,
        "name": name or table.name,
        "decides": _decides(whole),
        "features": features([table.rules for table in whole.tables], data.instances),
        "outcomes": [
            entry | {"labels": np.flatnonzero(parts).tolist()}
            for entry, parts in zip(_named(data.outcomes, data.counts), data.parts, strict=True)
        ],
        "labels": _named(data.labels, None if data.counts is None else data.counts @ data.parts),
        "several_labels": data.many,
        "counted_on": whole.counted_on,
        "score": _score(whole.model_),
        "outside": [{"where": str(r), "box": encode_box(r)} for r in table.outside],
        "instances": _instances(data, shown),
        "models": [whole.model(place, shown) for place in range(len(whole.tables))],
        "chosen": whole.chosen,
    }


def check_summary(summary: Any) -> None:
    """Refuse what is no summary, or one of another version."""
    if not isinstance(summary, Mapping) or summary.get("format") != NAME:
        raise ConditionError("this is no summary; make one with irenic.summarise(rules)")
    if summary.get("version") != VERSION:
        raise ConditionError(
            f"the summary is of version {summary.get('version')!r}, this irenic reads {VERSION};"
            " make it again with irenic.summarise(rules)"
        )


def _check_options(name: Any, most: Any, sample: Any) -> None:
    if not isinstance(name, str) or not is_unicode(name):
        raise ConditionError(f"name is a text that can be written, not {name!r}")
    for option, number in (("most", most), ("sample", sample)):
        whole = isinstance(number, int | np.integer) and not isinstance(number, bool)
        if not whole or number < 0:
            raise ConditionError(f"{option} is a whole number from 0 on, not {number!r}")


def _named(values: tuple[Hashable, ...], rows: Any) -> list[dict[str, Any]]:
    """Return outcomes or labels with their texts, and how many instances have them."""
    counts = [None] * len(values) if rows is None else rows.tolist()
    return [
        {"value": encode_value(value), "text": text, "rows": n}
        for value, text, n in zip(values, texts_of(values), counts, strict=True)
    ]


class _Summary:
    """A summary in the making: the rule sets, and what they are counted on."""

    def __init__(self, rules: Any, X: Any, y: Any, budget: Budget, most: int) -> None:
        self.points: list[FrontPoint] = []
        self.chosen, self.most = 0, most
        self.how: How = "agree"
        if isinstance(rules, RuleSet | RuleList | DecisionTable):
            table = DecisionTable.of(rules)
            self.tables, self.model_ = [table], None
            self.how = "first" if table.is_ordered else "all" if table.collects else "agree"
        else:
            self._take_classifier(rules)
            budget = replace(
                budget,
                nodes=min(budget.nodes or _MOST_NODES, _MOST_NODES),
                regions=min(budget.regions or _MOST_GAPS, _MOST_GAPS),
            )
        self.budget = budget
        self.data = labelled([table.rules for table in self.tables], X, y, self.model_)

    def _take_classifier(self, model: Any) -> None:
        if not hasattr(model, "pareto_front_"):
            kind = type(model).__name__
            raise ConditionError(
                "rules must be a RuleSet, a RuleList, a DecisionTable or a fitted"
                f" RuleSetClassifier, not {kind}{_way_out(model)}"
            )
        self.model_ = model
        self.points = list(model.pareto_front_)
        self.tables = [DecisionTable.of(point.rule_set) for point in self.points]
        self.chosen = next(i for i, p in enumerate(self.points) if p is model.chosen_)
        if model.conflicts != "avoid":
            self.how = model.conflicts

    @property
    def counted_on(self) -> str | None:
        """What supports and confidences are counted on."""
        if self.data.instances is not None:
            return "instances"
        return "training" if self.points else None

    def model(self, place: int, shown: Ints) -> dict[str, Any]:
        """Return what there is to say of one rule set; ``shown`` are the rows handed on."""
        table, data = self.tables[place], self.data
        found = check(table, budget=self.budget, most=self.most)
        decided = counts = None
        if data.instances is not None:
            decided = decisions(table, self.how, data.instances)
            counts = of_instances(table, data, decided)
        elif self.points:
            counts = of_training(self.points[place])
        most = self.most if place == self.chosen else min(self.most, _MOST_OF_OTHERS)
        return {
            "rules": _rules(table, data, counts),
            "order": table.winning if self.how == "first" else None,
            "default": _default(table, data, counts),
            "size": {"rules": table.n_rows, "conditions": table.rules.n_conditions},
            "verdicts": [
                encode_verdict(verdict) for verdict in verdicts(found, learned=bool(self.points))
            ],
            "counts": {kind: found.count(kind) for kind in KINDS},
            "findings": _findings(found, most, data, decided),
            "unfinished": list(found.unfinished),
            "results": self._results(place, decided, shown),
            "front": _front(self.points[place]) if self.points else None,
        }

    def _results(self, place: int, decided: Ints | None, shown: Ints) -> dict[str, Any] | None:
        if decided is None:
            return None
        return results(self.tables[place], self.how, self.data, decided, shown)


def _score(model: RuleSetClassifier | None) -> str | None:
    """Return what the scores of a front are, in words; see :class:`irenic.learn.FrontPoint`."""
    if model is None:
        return None
    if model.hierarchy_ is not None:
        return "how much of what the labels vary by is explained"
    return "the mean F1 of a row's labels" if model._answers.many else "the share that is right"


def _way_out(given: Any) -> str:
    """Return what to do with something that is no rules."""
    if isinstance(given, str | PurePath):
        return "; irenic.read(path) reads a file"
    if type(given).__name__ == "RuleSetClassifier":
        return "; fit it first"
    return (
        "; irenic.formats.from_sklearn makes rules of a fitted tree"
        if hasattr(given, "fit")
        else ""
    )


def _decides(whole: _Summary) -> dict[str, str]:
    """Return how one rule is chosen where several hold."""
    table = whole.tables[whole.chosen]
    texts = {
        "agree": "where several rules hold for a case, they must say the same",
        "first": "of the rules that hold, the first decides",
        "all": "all rules that hold count",
        "best": "of the rules that hold, the one of the greatest weight decides",
        "vote": "rules that hold vote with their weights",
    }
    text = texts[whole.how]
    if table.hit_policy == "PRIORITY":
        text = "of the rules that hold, the one of the highest priority decides"
    if table.hit_policy == "UNIQUE":
        text = "no two rules may hold for the same case"
    return {"how": whole.how, "hit_policy": table.hit_policy or "", "text": text}


def _rules(table: DecisionTable, data: Labelled, counts: Counted | None) -> list[dict[str, Any]]:
    return [
        {
            "number": table.rows[place] + 1,
            "if": encode_region(rule.region),
            "then": encode_value(rule.then),
            "text": str(rule),
            "conditions": encode_conditions(rule.region),
            "box": encode_box(rule.region),
            "outcome": data.places[rule.then],
            "weight": encode_value(rule.weight),
            **(NOT_COUNTED if counts is None else counts.at(place)),
        }
        for place, rule in enumerate(table.rules)
    ]


def _default(table: DecisionTable, data: Labelled, counts: Counted | None) -> dict[str, Any]:
    """Return what holds where no rule does, and how many instances that is."""
    then: Hashable | None = table.rules.default
    return {
        "then": None if then is None else encode_value(then),
        "outcome": None if then is None else data.places[then],
        **(NOT_COUNTED if counts is None else counts.at(len(table.rules))),
    }


def _front(point: FrontPoint) -> dict[str, float | None]:
    scores = {
        "training_score": point.training_score,
        "validated_score": point.validated_score,
        "explanation_size": point.explanation_size,
    }
    return {score: None if value != value else value for score, value in scores.items()}


# --- findings


def _findings(
    found: Findings, most: int, data: Labelled, decided: Ints | None
) -> list[dict[str, Any]]:
    """Return the findings, at most some of a kind; gaps that hold the most instances first."""
    listed = []
    for kind in KINDS:
        if kind == "gaps":
            listed += _gaps(found, most, data, decided)
        else:
            of_kind = [finding for finding in found if finding.kind == kind]
            listed += [_finding(finding) for finding in of_kind[:most]]
    return listed


def _gaps(found: Findings, most: int, data: Labelled, decided: Ints | None) -> list[dict[str, Any]]:
    level = found.of("gaps")[0].level if found.of("gaps") else "note"
    gaps = [Finding("gaps", level, (), region) for region in found.gaps.regions]
    if data.instances is None or decided is None:
        return [_finding(gap) for gap in gaps[:most]]
    left = data.instances.take(decided == NO_RULE)
    boxes = RuleSet((Rule(gap, then="gap") for gap in found.gaps.regions), found.table.space)
    held = boxes.decide(left, resolve="first")
    rows = np.bincount(held[held >= 0], minlength=len(gaps))
    first = np.argsort(-rows, kind="stable")[:most]
    return [_finding(gaps[place]) | {"rows": int(rows[place])} for place in first]


def _finding(finding: Finding) -> dict[str, Any]:
    region, witness = finding.region, finding.witness
    return {
        "kind": finding.kind,
        "noun": NOUNS[finding.kind],
        "level": finding.level,
        "text": finding.text,
        "rules": numbers(finding.rules),
        "by": numbers(finding.by),
        "column": finding.column,
        "where": None if region is None else region.to_text(),
        "conditions": [] if region is None else encode_conditions(region),
        "if": None if region is None else encode_region(region),
        "box": None if region is None else encode_box(region),
        "witness": None if witness is None else encode_point(witness),
        "witness_text": None if witness is None else show_point(witness),
        "case": None if region is None else encode_case(region.space.encode_point(witness)),
    }


# --- instances


def _shown(data: Labelled, sample: int, rng: np.random.Generator) -> Ints:
    """Return which instances are handed on: a random part of them if there are too many."""
    n = 0 if data.instances is None else len(data.instances)
    width = 1 if data.instances is None else max(1, len(data.instances.space))
    most = min(sample, max(1, _MOST_CELLS // width))
    return np.arange(n) if n <= most else np.sort(rng.choice(n, most, replace=False))


def _instances(data: Labelled, rows: Ints) -> dict[str, Any] | None:
    """Return the instances that are handed on."""
    if data.instances is None:
        return None
    n = len(data.instances)
    return {
        "rows": n,
        "shown": len(rows),
        "row_numbers": None if len(rows) == n else (rows + 1).tolist(),
        "columns": encode_columns(data.instances.take(rows)),
        "outcomes": None if data.truth is None else data.truth[rows].tolist(),
    }
