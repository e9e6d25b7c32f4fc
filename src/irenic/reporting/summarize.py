"""The summary of rules: plain data for the report page and the plots."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from irenic.arrays import Floats, Ints
from irenic.budget import Budget
from irenic.checking import KINDS, Finding, Findings, check
from irenic.errors import ConditionError
from irenic.formats.json.rules import encode_value
from irenic.model.decision_table import DecisionTable
from irenic.model.features import is_unicode
from irenic.model.rule import Rule
from irenic.model.rulelist import RuleList
from irenic.model.ruleset import RuleSet
from irenic.model.sampling import RandomState, as_generator
from irenic.model.space import Space
from irenic.model.spaces import in_space
from irenic.reporting import document
from irenic.reporting.document import VERSION
from irenic.reporting.encoding import (
    encode_box,
    encode_checked,
    encode_columns,
    encode_finding,
    encode_reading,
    encode_rules,
    encode_then,
    short,
)
from irenic.reporting.expectations import NOTHING, Expectations
from irenic.reporting.features import encode_features
from irenic.reporting.instances import (
    NO_RULE,
    NOT_COUNTED,
    PROBABILITY_DIGITS,
    How,
    InstanceCounts,
    LabeledInstances,
    decisions,
    groupings,
    labeled,
    of_instances,
    of_training,
    predicted,
    results,
    row_numbers,
    texts_of,
)

if TYPE_CHECKING:
    from irenic.learn import FrontPoint, RuleClassifier

SECONDS: Final = 10.0
SAMPLE: Final = 10_000
# A limit of nodes makes the gaps of learned rule sets the same on every machine.
_NODE_LIMIT: Final = 200_000
_GAP_LIMIT: Final = 10_000
# Keeps pages small enough to be mailed.
_CELL_LIMIT: Final = 500_000
# Every rule set of a front is summarized; a few findings are enough for those not chosen.
_LIMIT_OF_OTHERS: Final = 20


def summarize(
    rules: RuleSet | RuleList | DecisionTable | RuleClassifier,
    X: Any = None,
    y: Any = None,
    *,
    by: tuple[str, Any] | None = None,
    name: str = "",
    budget: Budget | float | None = SECONDS,
    limit: int = 100,
    sample: int = SAMPLE,
    random_state: RandomState = 0,
    properties: str | Iterable[str] = (),
    cases: tuple[Any, Sequence[Any]] | None = None,
) -> document.Summary:
    """Return rules, findings and counts as plain data that JSON can represent.

    The report page displays this data and counts nothing itself. The keys are typed and described
    in ``irenic.reporting.document``.

    Parameters
    ----------
    rules : RuleSet, RuleList, DecisionTable or fitted classifier of irenic
        All rule sets on the front of a classifier are summarized.
    X : table, optional
        Instances to count on.
    y : labels, optional
        True labels of the instances. Without instances, the summary of a classifier has the counts
        of its training rows.
    by : (str, sequence), optional
        Name and values of a column by which instances are grouped, to compare what is decided for
        them; the rules need not know it.
    name : str
        Title of the rules.
    budget : Budget or float (seconds), optional
        Budget per search, as in :func:`irenic.check`.
    limit : int
        Maximum number of findings listed per kind; all are counted.
    sample : int
        Maximum number of instances listed; all are counted. If there are more, a random sample is
        listed, which is smaller if there are very many features.
    random_state : int, numpy generator or None
        Seed of the sample.
    properties : str or iterable of str
        Properties that the page checks after every change, as :func:`irenic.proving.prove` takes
        them.
    cases : tuple of (table, sequence of hashable), optional
        Test cases and their expected outcomes, which the page checks, too.

    Returns
    -------
    dict
        The summary, see :class:`irenic.reporting.document.Summary`.

    Raises
    ------
    ConditionError
        If ``rules`` or an option is invalid.
    DataError
        If the instances, labels or cases do not match the rules.
    FormatError
        If a text is not a property.

    Examples
    --------
    >>> import irenic
    >>> rules = irenic.RuleSet([irenic.Rule({"age": (0, 30)}, then="low"),
    ...                         irenic.Rule({"age": (29, 60)}, then="high")])
    >>> ages = {"age": [10, 29, 50, 70]}
    >>> summary = irenic.summarize(rules, ages, ["low", "low", "high", "high"])
    >>> model = summary["models"][summary["chosen"]]
    >>> model["verdicts"]["consistent"]["text"]
    '1 contradiction among the 2 rules.'
    >>> model["rules"][0]["support"], model["results"]["contradicted"]
    (2, 1)
    """
    _check_options(name, limit, sample)
    if by is not None and X is None:
        raise ConditionError("by must be None without instances, got a column to group them by")
    expected = Expectations.from_values(properties, cases)
    source = Subject(rules, X, y, Budget.from_value(budget), int(limit), expected)
    summary = source.summary(name, int(sample), random_state)
    if by is not None:
        from irenic.monitoring import compare_groups
        from irenic.reporting.groups import encode_groups

        figures = compare_groups(rules, X, by[1], y)
        summary["groups"] = encode_groups(by[0], figures, source.table.rules.default, "instances")
    return summary


def check_summary(summary: Any) -> None:
    """Reject anything but a summary of this version."""
    if not isinstance(summary, Mapping) or summary.get("format") not in _FORMATS:
        raise ConditionError(
            f"the document must be a summary, got {_named_kind(summary)};"
            " make one with irenic.summarize(rules)"
        )
    if summary.get("version") != VERSION:
        raise ConditionError(
            f"the version of the summary must be {VERSION}, got {summary.get('version')!r};"
            " make it again with irenic.summarize(rules)"
        )


_FORMATS: Final = ("irenic summary", "irenic learn")


def _named_kind(document: Any) -> str:
    form = document.get("format") if isinstance(document, Mapping) else None
    return repr(form) if isinstance(form, str) else type(document).__name__


def _check_options(name: Any, limit: Any, sample: Any) -> None:
    if not isinstance(name, str) or not is_unicode(name):
        raise ConditionError(f"name must be a string of Unicode characters, got {name!r}")
    for option, number in (("limit", limit), ("sample", sample)):
        is_whole = isinstance(number, int | np.integer) and not isinstance(number, bool)
        if not is_whole or number < 0:
            raise ConditionError(f"{option} must be a non-negative whole number, got {number!r}")


class Subject:
    """The rule sets of a summary, and the instances they are counted on.

    Without a limit of findings they are for a plot, which shows none, and features that no rule
    tests.
    """

    def __init__(
        self,
        rules: Any,
        X: Any,
        y: Any,
        budget: Budget,
        limit: int | None,
        expected: Expectations = NOTHING,
    ) -> None:
        self.rules, self.expected = rules, expected
        self.points: list[FrontPoint] = []
        self.regions: list[RuleSet] = []  # those of probabilities, if there are any
        self.proved: Sequence[str] = ()
        self.chosen, self.limit = 0, limit or 0
        self.for_plot = limit is None
        self.how: How = "agree"
        if isinstance(rules, RuleSet | RuleList | DecisionTable):
            table = rules if isinstance(rules, DecisionTable) else DecisionTable.from_rules(rules)
            self.tables, self.classifier = [table], None
            self.how = "first" if table.is_ordered else "all" if table.collects else "agree"
        else:
            self._take_classifier(rules)
            budget = replace(
                budget,
                nodes=min(budget.nodes or _NODE_LIMIT, _NODE_LIMIT),
                regions=min(budget.regions or _GAP_LIMIT, _GAP_LIMIT),
            )
        self.tables = [*map(expected.open, self.tables)]
        for table in self.tables:
            table.rules.check_whole("a report or a plot", "irenic.check(rules) checks them")
        self.budget = budget
        self.data = labeled([table.rules for table in self.tables], X, y, self.classifier)

    def _take_classifier(self, model: Any) -> None:
        if not hasattr(model, "pareto_front_"):
            kind = type(model).__name__
            raise ConditionError(
                "rules must be a RuleSet, a RuleList, a DecisionTable or a fitted"
                f" RuleSetClassifier, got {kind}{_hint(model)}"
            )
        self.classifier = model
        self.points = list(model.pareto_front_)
        self.proved = model.certificate_.proved
        regions = [t.regions for p in self.points[:1] if (t := p.probabilities) is not None]
        sets = [*(point.rule_set for point in self.points), *regions]
        n = len(self.points)
        self.tables, self.regions = [*map(DecisionTable.from_rules, sets[:n])], sets[n:]
        self.chosen = next(i for i, p in enumerate(self.points) if p is model.chosen_)
        if model.conflicts != "avoid":
            self.how = model.conflicts

    @cached_property
    def shown_features(self) -> set[str]:
        """The features whose values are shown: those that a rule tests, or all.

        A redundant condition, such as ``is not missing`` where no value is missing, is a test, too.
        """
        space = self.table.space
        if self.for_plot:
            return set(space.names)
        sets = [*(table.rules for table in self.tables), *self.regions]
        tests = [rules.packed.boxes.tests().any(axis=0) for rules in sets]
        tests.append(space.impossible_boxes.tests().any(axis=0))
        axes = np.any(tests, axis=0)
        return {n for n, axis in zip(space.names, space.axes.tolist(), strict=True) if axes[axis]}

    @property
    def table(self) -> DecisionTable:
        """The rules in use."""
        return self.tables[self.chosen]

    @property
    def counted_on(self) -> Literal["instances", "training"] | None:
        """The rows that supports and confidences are counted on."""
        if self.data.instances is not None:
            return "instances"
        return "training" if self.points else None

    def summary(
        self, name: str = "", sample: int = SAMPLE, random_state: RandomState = 0
    ) -> document.Summary:
        """Return the summary; at most ``sample`` instances are listed."""
        data, table, reading = self.data, self.table, self.table.provenance.reading
        shown = _shown(data, sample, as_generator(random_state))
        rows = None if data.counts is None else data.counts @ data.parts
        return {
            "format": "irenic summary",
            "version": VERSION,
            "name": name or table.name,
            "decides": self.decides(),
            "reading": None if reading is None else encode_reading(reading),
            "features": encode_features(
                [table.rules for table in self.tables], data.instances, self.shown_features
            ),
            "outcomes": [
                {**label, "labels": np.flatnonzero(parts).tolist()}
                for label, parts in zip(
                    _labels(data.outcomes, data.counts), data.parts, strict=True
                )
            ],
            "labels": _labels(data.labels, rows),
            "several_labels": data.many,
            "counted_on": self.counted_on,
            "score": score_text(self.classifier),
            "estimate": _estimate(self.classifier),
            "impossible": [
                {"text": r.to_text(), "box": encode_box(r)} for r in table.space.impossible
            ],
            "properties": self.expected.encode_properties(self.rules, table, self.budget),
            "cases": self.expected.encode_cases(self.rules, table),
            "impact": None,
            "instances": _instances(data, shown, self.shown_features),
            "models": [self.model(index, shown) for index in range(len(self.tables))],
            "chosen": self.chosen,
        }

    def model(self, index: int, shown: Ints) -> document.ModelRecord:
        """Return one rule set with its findings; ``shown`` are the rows of instances to list."""
        table, data = self.tables[index], self.data
        findings = check(table, budget=self.budget, limit=self.limit)
        decided = counts = probabilities = None
        if self.points and not self.regions:
            probabilities = self._probabilities(self.points[index])
        if data.instances is not None:
            decided = decisions(table, self.how, data.instances)
            counts = of_instances(table, data, decided, probabilities)
            if self.points and (own := self.points[index].counts).intervals is not None:
                counts = replace(counts, expected=np.column_stack([own.confidence, own.intervals]))
        elif self.points:
            counts = of_training(self.points[index], probabilities)
        limit = self.limit if index == self.chosen else min(self.limit, _LIMIT_OF_OTHERS)
        listed = _listed(findings, limit, data, decided)
        return {
            "rules": _rules(table, data, counts),
            "order": table.winning if self.how == "first" else None,
            "default": _default(table, data, counts),
            "results": None if decided is None else self._results(index, decided, shown),
            "front": _front(self.points[index], self.proved) if self.points else None,
            "likely": self._likely_regions(index) if self.regions else [],
            "default_regions": _default_regions(self.points[index], table.space)
            if self.points
            else [],
            **encode_checked(findings, listed, learned=bool(self.points)),
        }

    def _results(self, index: int, decided: Ints, shown: Ints) -> document.Results:
        table, data = self.tables[index], self.data
        likely = self._likely(index, decided)
        counts = results(table, self.how, data, decided, shown, likely)
        if "right" in counts:
            counts["groupings"] = groupings(table, data, decided, self.shown_features)
        return counts

    def _probabilities(self, point: FrontPoint) -> Floats:
        """Return how likely each label is under each rule, and last under the default."""
        assert self.classifier is not None
        known = self.classifier._frequencies(point)
        unknown = np.zeros((len(known), len(self.data.labels) - known.shape[1]))
        return np.hstack([known, unknown])  # the labels of the classifier come first

    def _likely(self, index: int, decided: Ints) -> Floats | None:
        """Return how likely each label of each instance is, None if no classifier says so."""
        data = self.data
        if not self.points or data.many or data.instances is None:
            return None
        if not self.regions:
            return np.asarray(self._probabilities(self.points[index])[np.maximum(decided, -1)])
        likely, predictions = self._by_region(index), predicted(self.tables[index], data, decided)
        return np.asarray(likely[predictions, self.regions[0].decide(data.instances)])

    def _by_region(self, index: int) -> Floats:
        """Return how likely labels are: ``[prediction, region, label]``.

        The last region is that of cases in no region, and the last prediction is none.
        """
        table = self.points[index].probabilities
        assert table is not None
        known, n = table.probabilities, len(self.data.labels)
        likely = np.zeros((n + 1, known.shape[1], n))  # the labels of the classifier come first
        n_known = known.shape[2]
        likely[:n_known, :, :n_known] = known[:n_known]
        if len(known) > n_known:
            likely[-1, :, :n_known] = known[n_known]
        return likely

    def _likely_regions(self, index: int) -> list[document.Likely]:
        likely = self._by_region(index).round(PROBABILITY_DIGITS)
        boxes = [encode_box(rule.region) for rule in self.regions[0]]
        return [
            {"box": box, "probabilities": likely[:-1, place].tolist()}
            for place, box in enumerate([*boxes, None])
        ]

    def decides(self) -> document.Decides:
        """Return how one rule is chosen if several hold."""
        policy = self.table.hit_policy
        text = _DECIDES[self.how]
        if policy == "PRIORITY":
            text = "of the rules that hold, the one with the highest priority decides"
        if policy == "UNIQUE":
            text = "no two rules may hold for the same case"
        return {"how": self.how, "hit_policy": policy or "", "text": text}


_DECIDES: Final[dict[How, str]] = {
    "agree": "if several rules hold for a case, they must predict the same",
    "first": "of the rules that hold, the first decides",
    "all": "all rules that hold count",
    "best": "of the rules that hold, the one with the greatest weight decides",
    "vote": "the rules that hold vote with their weights",
}


def _labels(values: tuple[Hashable, ...], rows: Any) -> list[document.Label]:
    """Return outcomes or labels with their texts, and how many instances have them."""
    counts = [None] * len(values) if rows is None else rows.tolist()
    return [
        {"value": encode_value(value), "text": text, "rows": n}
        for value, text, n in zip(values, texts_of(values), counts, strict=True)
    ]


def score_text(model: RuleClassifier | None) -> str | None:
    """Describe the scores of a front; see :class:`irenic.learn.FrontPoint`."""
    if model is None:
        return None
    if model.hierarchy_ is not None:
        return "the explained share of the label variance"
    if model._answers.many:
        return "the mean F1 of a row's labels"
    if model.knowledge_.cost is not None:
        return "1 minus the share of the highest cost"
    scoring = model.scoring
    measure = _SCORES.get(scoring, f"the score {getattr(scoring, '__name__', scoring)}")
    by_class = getattr(model, "class_weight", None) is not None
    return f"{measure} by class weight" if by_class else measure


_SCORES: Final = {
    "accuracy": "the accuracy",
    "balanced_accuracy": "the balanced accuracy",
    "log_loss": "minus the log-loss",
    "roc_auc": "the area under the ROC curve",
}


def _estimate(model: RuleClassifier | None) -> document.EstimateRecord | None:
    estimate = getattr(model, "estimate_", None)
    if estimate is None or math.isnan(estimate.score):
        return None
    return {
        "score": float(estimate.score),
        "low": _known(estimate.low),
        "high": _known(estimate.high),
    }


def _known(score: float) -> float | None:
    return None if math.isnan(score) else float(score)


def _hint(value: Any) -> str:
    """Return how to get rules from a value that is not rules."""
    if isinstance(value, Mapping):
        return "; pass the rules, not a document about them"
    if isinstance(value, str | PurePath):
        return "; read a file with irenic.read(path)"
    if hasattr(value, "fit"):
        is_ours = type(value).__module__.startswith("irenic.")
        tree = "; convert a fitted tree with irenic.formats.from_sklearn"
        return "; fit it first" if is_ours else tree
    return ""


def _rules(
    table: DecisionTable, data: LabeledInstances, counts: InstanceCounts | None
) -> list[document.CountedRule]:
    return [
        {
            **encoded,
            "outcome": data.places[rule.then],
            **(NOT_COUNTED if counts is None else counts.at(index)),
        }
        for index, (rule, encoded) in enumerate(zip(table.rules, encode_rules(table), strict=True))
    ]


def _default_regions(point: FrontPoint, space: Space) -> list[document.DefaultRegion]:
    """Return the regions in which only the default decides."""
    known = point.default_regions
    if known is None:
        return []
    counts = (known.support.tolist(), known.confidence.tolist(), known.intervals.tolist())
    figures = zip(in_space(known.rules, space), *counts, strict=True)
    return [
        {
            "box": encode_box(rule.region),
            "support": short(support),
            "confidence": None if math.isnan(confidence) else confidence,
            "interval": None if math.isnan(ends[0]) else ends,
        }
        for rule, support, confidence, ends in figures
    ]


def _default(
    table: DecisionTable, data: LabeledInstances, counts: InstanceCounts | None
) -> document.Otherwise:
    """Return the default, with the counts of instances that no rule covers."""
    default = table.rules.default
    return {
        "then": None if default is None else encode_then(default),
        "outcome": None if default is None else data.places[default],
        **(NOT_COUNTED if counts is None else counts.at(len(table.rules))),
    }


def _front(point: FrontPoint, proved: Sequence[str]) -> document.FrontScores:
    return {
        "training_score": _known(point.training_score),
        "validated_score": _known(point.validated_score),
        "explanation_size": _known(point.explanation_size),
        "kept": point.n_kept,
        "proved": list(proved),
        "coverage": _known(point.coverage),
    }


# --- findings


def _listed(
    findings: Findings, limit: int, data: LabeledInstances, decided: Ints | None
) -> list[document.FindingRecord]:
    """Return at most ``limit`` findings per kind; gaps with the most instances come first."""
    listed = []
    for kind in KINDS:
        if kind == "gaps":
            listed += _gaps(findings, limit, data, decided)
        else:
            of_kind = [finding for finding in findings if finding.kind == kind]
            listed += [encode_finding(finding, findings.table) for finding in of_kind[:limit]]
    return listed


def _gaps(
    findings: Findings, limit: int, data: LabeledInstances, decided: Ints | None
) -> list[document.FindingRecord]:
    table = findings.table
    accepted = {each.finding.region for each in findings.accepted if each.finding.kind == "gaps"}
    regions = [region for region in findings.gaps.regions if region not in accepted]
    level = findings.of("gaps")[0].level if findings.of("gaps") else "note"
    gaps = [Finding("gaps", level, (), region) for region in regions]
    if data.instances is None or decided is None:
        return [encode_finding(gap, table) for gap in gaps[:limit]]
    uncovered = data.instances.take(decided == NO_RULE)
    boxes = RuleSet((Rule(region, then="gap") for region in regions), table.space)
    gap_of = boxes.decide(uncovered, resolve="first")
    rows = np.bincount(gap_of[gap_of >= 0], minlength=len(gaps))
    first = np.argsort(-rows, kind="stable")[:limit]
    return [encode_finding(gaps[index], table, int(rows[index])) for index in first]


# --- instances


def _shown(data: LabeledInstances, sample: int, rng: np.random.Generator) -> Ints:
    """Return the rows of the instances to list: a random sample if there are too many."""
    n = 0 if data.instances is None else len(data.instances)
    width = 1 if data.instances is None else max(1, len(data.instances.space))
    limit = min(sample, max(1, _CELL_LIMIT // width))
    return np.arange(n) if n <= limit else np.sort(rng.choice(n, limit, replace=False))


def _instances(
    data: LabeledInstances, rows: Ints, tested: Collection[str]
) -> document.InstancesRecord | None:
    """Return the instances of the given rows, with the features that a rule tests."""
    if data.instances is None:
        return None
    n = len(data.instances)
    return {
        "rows": n,
        "shown": len(rows),
        "row_numbers": None if len(rows) == n else row_numbers(rows),
        "columns": {
            n: c for n, c in encode_columns(data.instances.take(rows)).items() if n in tested
        },
        "outcomes": None if data.truth is None else data.truth[rows].tolist(),
    }
