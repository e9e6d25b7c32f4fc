"""The types of the document: the one form in which programs get rules, findings and counts.

Each command that takes ``--json`` prints one of the documents at the end of this module, and
:func:`irenic.summarize` returns a :class:`Summary`. They share the types above: a condition, a rule
or a finding looks the same in all of them. Rules and rows have numbers that count from 1; keys that
hold *places* refer to entries of a list and count from 0.

What encodes an object of the library is named after it: a :class:`RuleRecord` is a
:class:`~irenic.Rule`, a :class:`FindingRecord` a :class:`~irenic.checking.Finding`.

``scripts/document-types`` writes the JSON Schema (``document.schema.json``) and the types of the
report page's scripts from here.
"""

from __future__ import annotations

from typing import Any, Final, Literal, NotRequired, TypeAlias, TypedDict

from irenic.budget import StoppedBy
from irenic.checking import Kind, Level

Version: TypeAlias = Literal[3]
"""A change that breaks readers increases it."""
VERSION: Final[Version] = 3

# --- values, conditions and regions

Encoded: TypeAlias = str | int | float | bool | dict[str, Any] | list[Any] | None
"""A value as JSON files of rules write it, such as ``{"date": "2024-01-31"}``."""

Value: TypeAlias = int | float | None
"""A number as irenic compares it, None if missing; or the code of a category.

Dates, times and durations are microseconds (since 1970, since midnight), durations of years and
months are months. Codes are 0 for missing, 1 for any value that is not listed, and from 2 on the
places in ``values`` of the feature.
"""

Condition: TypeAlias = list[Value]
"""``[lower, upper]`` of a continuous feature, upper excluded, None for an open side; or the codes
that a category admits.

If the number may be missing, it is then lower than all others: an open lower side admits it, and a
lower side of -1.7976931348623157e308 excludes nothing else. ``is not missing`` has that lower side
and an open upper one.
"""

Box: TypeAlias = dict[str, Condition]
"""The conditions of a region by the name of the feature."""

Case: TypeAlias = dict[str, Value]
"""The values of an instance by the name of the feature."""


class WrittenValue(TypedDict):
    """A value and how it is written."""

    value: Encoded
    text: str


class End(WrittenValue):
    """An end of an interval."""

    open: bool
    """Whether the value itself is excluded."""


class IntervalParts(TypedDict):
    """A condition on a continuous feature; one without ends only tests for missing values."""

    feature: str
    text: str
    lower: End | None
    upper: End | None
    equal: WrittenValue | None
    """The only value that it admits, instead of ends."""
    missing: bool
    """Whether it holds for a missing value."""


class ValuesParts(TypedDict):
    """A condition on a category; one without values only tests for missing values."""

    feature: str
    text: str
    values: list[WrittenValue]
    negated: bool
    """Whether it holds for all values except those listed."""
    missing: bool
    """Whether it holds for a missing value."""
    other: bool
    """Whether it holds for values that the feature does not list."""


ConditionParts: TypeAlias = IntervalParts | ValuesParts
"""A condition in parts, so that nobody has to parse its text."""


class RegionRecord(TypedDict):
    """A region: its conditions in the order of the features."""

    text: str
    conditions: list[ConditionParts]
    box: Box


class Witness(TypedDict):
    """A case to try: one value per feature."""

    text: str
    values: dict[str, Encoded]
    case: Case


# --- rules


class Counts(TypedDict):
    """Instances that a rule covers; None where nothing was counted."""

    support: int | float | None
    """How many it covers."""
    confidence: float | None
    """The share of them that it is right for, of sets of labels the mean F1; None if it covers
    none. With an interval, it is the share of new cases, as estimated from rows left out."""
    interval: list[float] | None
    """The ends of the 95 % interval of the confidence, if it is an estimate for new cases."""
    expected: list[float] | None
    """If a learned rule was counted on instances: the share of new cases that it is right for, as
    estimated from rows left out of learning, and the ends of the 95 % interval."""
    mix: list[int | float] | None
    """How many of them have each label."""
    probabilities: list[float] | None
    """How likely each label is in a new case that it decides, unless that depends on the region."""


class RuleRecord(TypedDict):
    """A rule."""

    number: int
    """The row it comes from; a row of a decision table can hold several rules."""
    text: str
    conditions: list[ConditionParts]
    box: Box
    then: WrittenValue
    weight: int | float | dict[str, str]
    """An infinite one is ``{"float": "inf"}``."""


class CountedRule(RuleRecord, Counts):
    """A rule of a summary."""

    outcome: int
    """The place of what it predicts in ``outcomes``."""


class Otherwise(Counts):
    """What is predicted where no rule holds, with the counts of instances that no rule covers."""

    then: WrittenValue | None
    outcome: int | None


class Size(TypedDict):
    """How large a set of rules is."""

    features: int
    rules: int
    """Rows; each can hold several rules."""
    conditions: int


# --- findings

FindingKind: TypeAlias = Kind


class VerdictRecord(TypedDict):
    """What is certain about rules."""

    holds: bool | None
    """None if the budget ended the search before it was known."""
    by_design: bool
    """Whether it fails as intended: learned rules leave the rest to their default."""
    head: str
    text: str


class VerdictsRecord(TypedDict):
    """The two verdicts on a set of rules."""

    consistent: VerdictRecord
    complete: VerdictRecord


class FindingRecord(TypedDict):
    """A finding, with the rules concerned and where it applies."""

    kind: FindingKind
    noun: str
    level: Level
    text: str
    rules: list[int]
    """Numbers of the rules concerned."""
    by: list[int]
    """Numbers of the rules that make another redundant."""
    then: list[WrittenValue]
    """What the rules of a conflict or an overlap predict."""
    column: str | None
    columns: list[str]
    """The columns of a finding about several."""
    line: int | None
    """The line of the file, if it is known."""
    place: str
    """Where it is in a spreadsheet, in words; empty if it is about no rows, or in another file."""
    region: RegionRecord | None
    witness: Witness | None
    rows: int | None
    """How many instances lie in a gap, if there are instances."""


class AcceptedRecord(FindingRecord):
    """A finding that is accepted."""

    reason: str
    in_file: bool
    """Whether the checked file accepts it, not a baseline."""


class Checked(TypedDict):
    """The findings of one set of rules."""

    size: Size
    verdicts: VerdictsRecord
    counts: dict[FindingKind, int]
    """How many findings there are per kind; overlaps include conflicts. Of kinds in ``unfinished``
    there are at least as many, and at most 1,000 gaps are counted."""
    findings: list[FindingRecord]
    """The findings listed, each once; there may be fewer than counted."""
    accepted: list[AcceptedRecord]
    """Those that are counted but not among ``findings``, because the file or a baseline accepts
    them."""
    unfinished: list[FindingKind]
    """Kinds that the budget ended the search for."""


# --- how tables were read


class ReadCellsRecord(TypedDict):
    """Cells with one text that are not written as unary tests, and how they were read."""

    text: str
    meaning: str
    count: int
    place: str
    """Where the first of them is."""


class ReadColumnRecord(TypedDict):
    """What a column of a spreadsheet is."""

    name: str
    role: str
    description: str
    interpreted: list[ReadCellsRecord]
    text: str


class ReadCell(TypedDict):
    """How a condition was read."""

    place: str
    header: str
    text: str
    meaning: str


class ReadingRecord(TypedDict):
    """How a table of a spreadsheet was read."""

    table: str
    columns: list[ReadColumnRecord]
    remarks: list[str]
    decimal: str
    """The decimal separator of numbers in text; empty if the table does not settle it."""
    day_first: bool | None
    """Whether 01/02/2026 is in February; None if the table does not settle it."""
    cells: list[ReadCell]
    """Every condition, if this was asked for."""


# --- the summary


class Histogram(TypedDict):
    """How the numbers of instances are distributed."""

    edges: list[float]
    """They grow by a factor if the values are very skewed."""
    counts: list[int]
    missing: int
    least: float | None
    """The least value; None if all are missing."""
    greatest: float | None


class CodeCounts(TypedDict):
    """How the values of instances are distributed."""

    counts: list[int]
    """Instances per code."""


class CategoricalRecord(TypedDict):
    """A feature with unordered values."""

    name: str
    kind: Literal["category"]
    missing: bool
    """Whether a value can be missing."""
    values: list[str]
    """Texts by code."""
    listed: list[Encoded]
    """The values from code 2 on."""
    admitted: list[int]
    """Codes that can occur."""
    declared: bool
    """Whether it is declared, or known from data, that values can occur that are not listed."""
    distribution: CodeCounts | None


class Cut(TypedDict):
    """A number where a rule begins or ends."""

    at: float
    lower: End
    """How it is written as the lower end of a condition."""
    upper: End
    equal: WrittenValue | None
    """The single value between this cut and the next, if there is only one."""


class ContinuousRecord(TypedDict):
    """A feature with ordered values."""

    name: str
    kind: Literal["number", "integer", "date", "datetime", "time", "duration", "months"]
    unit: str
    missing: bool
    """Whether a value can be missing."""
    wanted: str
    """What a value looks like, in words."""
    lowest: float | None
    """The least value that can occur; None if there is none."""
    end: float | None
    """The cut above the greatest value that can occur; None if there is none."""
    bounded: list[bool]
    """Whether the lower and the upper bound were declared."""
    step: float
    """The distance of neighboring values; 0 for numbers."""
    range: list[float]
    """From where to where to draw it."""
    cuts: list[Cut]
    """Where rules of any model begin or end, in order."""
    distribution: Histogram | None


FeatureRecord: TypeAlias = CategoricalRecord | ContinuousRecord


class Label(WrittenValue):
    """What rules or instances say."""

    rows: int | None
    """How many instances have it; None without labeled instances."""


class OutcomeRecord(Label):
    """A label, or a set of labels."""

    labels: list[int]
    """Places in ``labels``."""


class Decides(TypedDict):
    """How one rule is chosen where several hold."""

    how: Literal["agree", "first", "all", "best", "vote"]
    """``agree``: they must predict the same; ``first``: in the ``order`` of the model; ``all``: all
    count; ``best``: the greatest weight; ``vote``: the greatest sum of weights."""
    hit_policy: str
    text: str


class Impossible(TypedDict):
    """A part of the space that cannot occur."""

    text: str
    box: Box


class InstancesRecord(TypedDict):
    """The instances that rules were counted on."""

    rows: int
    """How many were counted."""
    shown: int
    """How many are listed: a random sample if there are very many."""
    row_numbers: list[int] | None
    """Which are listed; None for all."""
    columns: dict[str, list[Value]]
    outcomes: list[int] | None
    """The true outcome of each, as a place in ``outcomes``."""


class LabelResult(TypedDict):
    """How often one of several labels is predicted."""

    both: int
    """Predicted and true."""
    said: int
    """Predicted, not true."""
    had: int
    """True, not predicted."""


class Calibration(TypedDict):
    """How likely a classifier says that its predictions are right, and how often they are."""

    predicted: float
    """The mean probability of the predicted labels."""
    right: float
    """The share of the predictions that are right."""
    error: float
    """The mean distance of the two over the rules and the default, by the instances they decide."""


class GroupRecord(TypedDict):
    """Instances with one value of a feature."""

    text: str
    rows: int
    covered: int
    right: int


class Grouping(TypedDict):
    """How rules do on the instances by the value of a feature."""

    feature: str
    groups: list[GroupRecord]


class Results(TypedDict):
    """How rules do on the instances; rows are listed up to a limit."""

    rows: int
    covered: int
    uncovered: int
    uncovered_rows: list[int]
    contradicted: int
    contradicted_rows: list[int]
    impossible: int
    """Covered by no rule, in a part of the space that cannot occur."""
    impossible_rows: list[int]
    right: NotRequired[int]
    accuracy: NotRequired[float]
    wrong: NotRequired[int]
    wrong_rows: NotRequired[list[int]]
    confusion: NotRequired[list[list[int]]]
    """``[true, predicted, count]`` in places of outcomes, -1 for no prediction, -2 for a
    contradiction."""
    labels: NotRequired[list[LabelResult]]
    """Instead of a confusion, where instances have several labels."""
    calibration: NotRequired[Calibration]
    """Of a classifier, if each instance has one label."""
    groupings: NotRequired[list[Grouping]]
    """By each category that has few values."""


class EstimateRecord(TypedDict):
    """The score of a classifier to expect on new cases, with the ends of its 95 % interval."""

    score: float
    low: float | None
    high: float | None


class ShareRecord(TypedDict):
    """A count of rows among others."""

    count: int
    of: int
    share: float | None
    """None if there are no rows."""
    low: float
    high: float
    """The ends of the 95 % interval."""


class OutcomeFigures(TypedDict):
    """How often one outcome is decided for a group."""

    outcome: WrittenValue
    decided: ShareRecord
    false_positives: ShareRecord | None
    """Of the rows with another label, those that get the outcome; None without labels."""
    false_negatives: ShareRecord | None
    """Of the rows with this label, those that do not get it; None without labels."""


class GroupFiguresRecord(TypedDict):
    """What rules decide for the rows with one value in a column."""

    value: str
    rows: int
    small: bool
    """Whether there are too few rows (below 30) to say much."""
    outcomes: list[OutcomeFigures]
    by_default: ShareRecord
    accuracy: ShareRecord | None
    """None without labels."""


class Groups(TypedDict):
    """What rules decide for groups of rows."""

    column: str
    on: Literal["instances", "training", "left_out"]
    """The rows: of the training rows, the accuracy is too good, unless they were left out."""
    default: WrittenValue | None
    """The outcome where no rule holds."""
    groups: list[GroupFiguresRecord]
    """The largest first."""


class FrontScores(TypedDict):
    """Where a rule set lies on the front of a classifier."""

    training_score: float | None
    validated_score: float | None
    explanation_size: float | None
    kept: int
    """How many rules were given by the user; they come first."""
    proved: list[str]
    """Properties that were asked for and proved."""
    coverage: float | None
    """Share of the training rows that a rule decides."""


class Likely(TypedDict):
    """How likely labels are in a region, as the classifier predicts it."""

    box: Box | None
    """None for a case in none of the regions."""
    probabilities: list[list[float]]
    """By the label that is predicted, and then by label."""


class DefaultRegion(TypedDict):
    """A region in which only the default decides, and the training rows in it."""

    box: Box
    support: int | float
    """How many training rows are in it."""
    confidence: float | None
    """The share of them that the default is right for, of sets of labels the mean F1. With an
    interval, it is the share of new cases, as estimated from rows left out."""
    interval: list[float] | None
    """The ends of the 95 % interval of the confidence, if it is an estimate for new cases."""


class ModelRecord(Checked):
    """A set of rules."""

    rules: list[CountedRule]
    order: list[int] | None
    """Where the first rule decides: the places of rules in the order they are tried."""
    default: Otherwise
    results: Results | None
    front: FrontScores | None
    likely: list[Likely]
    """The regions that probabilities depend on; empty if they depend only on the rule."""
    default_regions: list[DefaultRegion]
    """Reasons of a classifier for decisions by default, those with the fewest conditions first. The
    first one around a case is its reason; a case in none of them has another one."""


class DecidedCase(TypedDict):
    """A case, and what is decided for it."""

    text: str
    values: dict[str, Encoded]
    outcome: WrittenValue | None
    """None if nothing is decided."""
    rules: list[int]
    """Numbers of the rules that decide; none if the default does."""


class ProvedProperty(TypedDict):
    """A property that was proved, refuted, or left open by the budget."""

    property: str
    verdict: Literal["proved", "refuted", "unknown"]
    cases: list[DecidedCase]
    """What refutes it: one case, two that differ in one feature, or one case decided twice."""
    nodes: int
    stopped_by: StoppedBy | None
    text: str


class AskedRecord(TypedDict):
    """What a property asks of the outcomes of cases, in the numbers that irenic compares."""

    claim: Literal["only", "same", "rising", "falling"]
    """``only``: outcomes pass a test; of two cases that differ in one feature, ``same``: the
    outcomes are equal, ``rising`` and ``falling``: the greater value never has the lower, or the
    higher, outcome."""
    where: list[Box]
    """The cases that it is about."""
    excused: list[Box]
    """Of these, cases that need not meet it."""
    test: dict[str, Encoded]
    """The values that outcomes are compared with, by operator; null is having no outcome."""
    passes: bool
    """Whether outcomes must pass the test, or must not."""
    feature: str | None
    """The feature in which two cases differ."""
    order: list[Encoded]
    """The outcomes from the lowest to the highest; empty if they are numbers."""


class AskedProperty(ProvedProperty):
    """A property that came with the rules."""

    asked: AskedRecord | None
    """None if the page cannot check it, so that only ``irenic prove`` does."""


class TestCase(TypedDict):
    """A test case that came with the rules."""

    name: str
    """Its number, or its name in the file."""
    case: Case
    expected: Encoded
    """The expected outcome; None for none."""
    text: str
    """The expected outcome in words."""
    passed: bool | None
    """None if it is not known, because rules contradict each other."""


class Summarized(TypedDict):
    """What summaries hold."""

    version: Version
    name: str
    decides: Decides
    reading: ReadingRecord | None
    """How the table was read, if it comes from a spreadsheet."""
    features: list[FeatureRecord]
    outcomes: list[OutcomeRecord]
    """What rules, the default or instances say."""
    labels: list[Label]
    """What ``mix`` counts: the outcomes, or single labels where outcomes are sets of labels."""
    several_labels: bool
    counted_on: Literal["instances", "training"] | None
    """What supports are counted on."""
    score: str | None
    """What the scores of a front measure."""
    impossible: list[Impossible]
    properties: list[AskedProperty]
    """Properties that came with the rules."""
    cases: list[TestCase]
    """Test cases that came with the rules."""
    impact: ImpactDocument | None
    """What the change from an earlier version does to past cases, if it is compared with one."""
    estimate: EstimateRecord | None
    """What to expect of the model in use on new cases, as estimated from rows left out."""
    instances: InstancesRecord | None
    models: list[ModelRecord]
    """The rule sets, of a classifier its front from small to accurate."""
    chosen: int
    """The place of the model in use."""


class Summary(Summarized):
    """What :func:`irenic.summarize` returns and ``irenic report --json`` prints."""

    format: Literal["irenic summary"]
    groups: NotRequired[Groups]
    """What the rules in use decide for groups of instances."""


# --- what commands print


class TrainingData(TypedDict):
    """The table that rules were learned from."""

    name: str
    rows: int
    features: int
    target: str
    classes: list[Label]
    suspect: dict[str, str]
    """Columns that predict the target by themselves, so that they may know it, and why."""


class LearnerScores(TypedDict):
    """How a learner does on rows left out."""

    name: str
    accuracy: float
    low: float | None
    """The lower end of the 95 % interval; None if there are too few rows, as below."""
    high: float | None
    balanced_accuracy: float | None
    rules: float
    conditions: float


class CrossValidation(TypedDict):
    """How learners do on rows left out; ``folds`` is None if no model was fitted for it."""

    folds: int | None
    sampled: int | None
    """How many rows the baselines were limited to; None if they used all."""
    learners: list[LearnerScores]


class LearnDocument(Summarized):
    """What ``irenic learn --json`` prints: the summary of the classifier and its training data."""

    format: Literal["irenic learn"]
    data: TrainingData
    cross_validation: CrossValidation | None
    groups: Groups | None
    """What the model in use decides by the column of ``--by``; None without it."""


class ProblemRecord(TypedDict):
    """An error or a warning about a file, and where it is in it."""

    message: str
    line: int | None
    column: int | None
    table: str | None
    rule: int | None
    header: str | None
    text: str | None
    """The cell of the table."""
    cell: str | None
    """Its address in a workbook, such as B5."""


class CheckedTable(Checked):
    """A table of a file, with its findings."""

    name: str
    id: str
    hit_policy: str | None
    rules: list[RuleRecord]
    """The first rules."""
    unlisted: int
    """How many more rules there are."""
    default: WrittenValue | None


class CheckedFileRecord(TypedDict):
    """A file that was checked."""

    path: str
    readings: list[ReadingRecord]
    """How the tables of a spreadsheet were read."""
    tables: list[CheckedTable]
    errors: list[ProblemRecord]
    warnings: list[ProblemRecord]


class CheckDocument(TypedDict):
    """What ``irenic check --json`` prints, for one file or many."""

    format: Literal["irenic check"]
    version: Version
    files: list[CheckedFileRecord]


class Gap(RegionRecord):
    """A region that no rule covers."""

    witness: Witness
    example: str
    """The witness without features that can have any value."""


class GapsDocument(TypedDict):
    """What ``irenic gaps --json`` prints."""

    format: Literal["irenic gaps"]
    version: Version
    verdict: VerdictRecord
    count: int
    """How many gaps were found; there may be fewer regions."""
    regions: list[Gap]
    open: FindingRecord | None
    """The columns of other values that no rule covers, though nothing declares their values."""
    finished: bool
    stopped_by: StoppedBy | None


class PathConstraint(TypedDict):
    """The negation of one test of a rule: ``C[rule, test]`` in the paper."""

    rule: int
    """Its number."""
    test: int
    """Number of the test: a continuous feature has two, one per bound; a categorical one has one.
    """
    region: RegionRecord
    """Where the test fails."""


class SearchPath(TypedDict):
    """One constraint of each rule, which hold together in a region."""

    constraints: list[PathConstraint]
    text: str


class SearchDocument(TypedDict):
    """What ``irenic search --json`` prints."""

    format: Literal["irenic search"]
    version: Version
    regions: list[RegionRecord]
    paths: NotRequired[list[SearchPath]]
    """The path of each region; with ``--paths``, if there is any."""
    finished: bool
    stopped_by: StoppedBy | None
    nodes: int


class EnlargeDocument(TypedDict):
    """What ``irenic enlarge --json`` prints."""

    format: Literal["irenic enlarge"]
    version: Version
    seed: dict[str, Encoded]
    region: RegionRecord


class ChangeRecord(TypedDict):
    """A rule that was changed to remove a conflict."""

    kind: str
    rule: int
    """Its number."""
    place: str
    """Where it is in a spreadsheet, in words; empty if it is not in one."""
    against: list[int]
    """Numbers of the rules that it contradicted."""
    before: list[RegionRecord]
    after: list[RegionRecord]
    text: str


class ProposalRecord(TypedDict):
    """A gap, and what a new rule for it would predict."""

    region: RegionRecord
    then: WrittenValue | None
    """None if the gap stays open."""
    share: float
    """The share of the gap in what was looked at."""
    instances: int
    """How many instances lie in the gap."""
    text: str


class MendDocument(TypedDict):
    """What ``irenic repair``, ``complete`` and ``merge`` print with ``--json``."""

    format: Literal["irenic mend"]
    version: Version
    changes: list[ChangeRecord]
    proposals: list[ProposalRecord]
    notes: list[str]
    verdict: str
    """What was done, in a few words."""
    rules: list[RuleRecord]
    default: WrittenValue | None


class DifferenceRecord(TypedDict):
    """A region in which two sets of rules decide differently."""

    region: RegionRecord
    witness: Witness
    before: WrittenValue | None
    after: WrittenValue | None
    rules_before: list[int]
    rules_after: list[int]
    place_before: str
    place_after: str
    """Where these rules are in spreadsheets, in words; empty if they are not in one."""
    text: str


class DiffDocument(TypedDict):
    """What ``irenic diff --json`` prints."""

    format: Literal["irenic diff"]
    version: Version
    same: bool | None
    """None if no difference was found before the budget ended the search."""
    finished: bool
    verdict: str
    differences: list[DifferenceRecord]


class ProveDocument(TypedDict):
    """What ``irenic prove --json`` prints."""

    format: Literal["irenic prove"]
    version: Version
    properties: list[ProvedProperty]


class TriedCase(DecidedCase):
    """A test case."""

    name: str
    """Its number, or its name in the file."""
    passed: bool
    expected: WrittenValue | None


class TrialDocument(TypedDict):
    """What ``irenic test --json`` prints."""

    format: Literal["irenic test"]
    version: Version
    passed: bool
    cases: list[TriedCase]
    covered: dict[str, int]
    """How many rules, conditions and bounds the cases exercise."""
    total: dict[str, int]
    missed: list[str]
    """What no case exercises."""


class ImpactMove(TypedDict):
    """Past cases whose outcome changes in one way."""

    before: WrittenValue | None
    after: WrittenValue | None
    rules_before: list[int]
    rules_after: list[int]
    cases: int
    amount: float
    rows: list[int]
    """Numbers of the first few of the rows, from 1."""
    text: str


class ImpactGroup(TypedDict):
    """The impact on the cases with one value in a column."""

    value: str
    cases: int
    changed: int
    amount: float


class ImpactDocument(TypedDict):
    """What ``irenic impact --json`` prints."""

    format: Literal["irenic impact"]
    version: Version
    cases: int
    changed: int
    amount: float
    amount_changed: float
    amount_of: str | None
    """The column of amounts."""
    grouped_by: str | None
    """The column of groups."""
    moves: list[ImpactMove]
    groups: list[ImpactGroup]


class NearMissRecord(TypedDict):
    """A rule for another outcome that would apply if one condition held."""

    rule: int
    """Its number."""
    outcome: WrittenValue
    condition: RegionRecord
    """The only condition that fails."""
    text: str


class WhyDocument(TypedDict):
    """What ``irenic why --json`` prints."""

    format: Literal["irenic why"]
    version: Version
    case: DecidedCase
    region: RegionRecord
    """Where the outcome is the same for the same reason."""
    text: str
    instead: DecidedCase | None
    """The nearest case with another outcome, None if there is none."""
    instead_text: str
    nearly: list[NearMissRecord]


class ShiftRecord(TypedDict):
    """A share of rows, in training and now."""

    kind: Literal["rule", "default", "missing", "range", "unseen", "confidence"]
    """Rows that a rule covers, that no rule covers, that miss a value, whose value is beyond the
    training range, whose category was not in training, or that a rule is right for."""
    rule: int | None
    """Its number; None for the default."""
    column: str
    before: ShareRecord
    now: ShareRecord
    difference: list[float]
    """The ends of the 95 % interval of the difference."""
    p: float
    """How likely such a difference is if nothing changed, adjusted for all that is compared."""
    changed: bool
    text: str


class Unseen(TypedDict):
    """Values of a category that the training rows do not have."""

    column: str
    values: list[Label]
    """The most frequent ones."""


class Beyond(TypedDict):
    """Values beyond those of the training rows, in words."""

    column: str
    trained: str
    now: str


class MonitorDocument(TypedDict):
    """What ``irenic monitor --json`` prints."""

    format: Literal["irenic monitor"]
    version: Version
    rows: int
    training_rows: int
    changed: bool
    verdict: str
    accuracy: ShareRecord | None
    """None without labels."""
    expected: list[float] | None
    """The accuracy to expect and the ends of its 95 % interval; None if unknown."""
    shifts: list[ShiftRecord]
    unseen: list[Unseen]
    beyond: list[Beyond]
    groups: NotRequired[Groups]


class CardRule(TypedDict):
    """A rule of a model card, or its default."""

    text: str
    support: int | float | None
    """Number of training rows that it covers."""
    confidence: float | None
    interval: list[float] | None
    """The ends of the 95 % interval of the confidence."""


class CardColumn(TypedDict):
    """A column that a rule of the model tests."""

    name: str
    importance: float
    values: str
    """The range of the training values, or the categories, in words."""
    missing: int
    """Number of training rows without a value."""


class CardData(TypedDict):
    """What a model was learned from."""

    name: str
    sha256: str | None
    """The hash of the file, if there is one."""
    rows: int
    features: int
    target: str
    classes: list[Label]


class Card(TypedDict):
    """What ``irenic learn --card`` writes: a model and its limits, for those who answer for it."""

    format: Literal["irenic card"]
    version: Version
    title: str
    created: str
    versions: dict[str, str]
    model: str
    """The class of the model."""
    parameters: dict[str, Encoded]
    """Those that differ from their defaults."""
    data: CardData
    measure: str
    score: list[float] | None
    """The score to expect on new rows, and the ends of its 95 % interval; None if unknown."""
    training_score: float
    verdicts: VerdictsRecord
    proved: list[str]
    """Properties that were asked for and proved, for all cases."""
    rules: list[CardRule]
    default: CardRule | None
    columns: list[CardColumn]
    """The columns that rules test, the most important first."""
    untested: list[str]
    """The columns that no rule tests."""
    decided_by_rule: float
    """The share of training rows that a rule covers."""
    notes: list[str]
    """What to look at before the model is used."""
    groups: NotRequired[Groups]


Document: TypeAlias = (
    Summary
    | LearnDocument
    | CheckDocument
    | GapsDocument
    | SearchDocument
    | EnlargeDocument
    | MendDocument
    | DiffDocument
    | ProveDocument
    | TrialDocument
    | ImpactDocument
    | WhyDocument
    | MonitorDocument
    | Card
)
