// Written by scripts/document-types: what the page embeds of the document.

/** A change that breaks readers increases it. */
type Version = 3;

/** A value as JSON files of rules write it, such as `{"date": "2024-01-31"}`. */
type Encoded = string | number | boolean | Record<string, any> | any[] | null;

/** A number as irenic compares it, null if missing; or the code of a category. Dates, times and durations are microseconds (since 1970, since midnight), durations of years and months are months. Codes are 0 for missing, 1 for any value that is not listed, and from 2 on the places in `values` of the feature. */
type Value = number | null;

/** `[lower, upper]` of a continuous feature, upper excluded, null for an open side; or the codes that a category admits. If the number may be missing, it is then lower than all others: an open lower side admits it, and a lower side of -1.7976931348623157e308 excludes nothing else. `is not missing` has that lower side and an open upper one. */
type Condition = (number | null)[];

/** The conditions of a region by the name of the feature. */
type Box = Record<string, (number | null)[]>;

/** The values of an instance by the name of the feature. */
type Case = Record<string, number | null>;

/** A condition in parts, so that nobody has to parse its text. */
type ConditionParts = IntervalParts | ValuesParts;

type FindingKind =
  | "conflicts"
  | "overlaps"
  | "gaps"
  | "open"
  | "never_fire"
  | "misleading"
  | "outside"
  | "outcomes"
  | "duplicates"
  | "inside"
  | "mergeable"
  | "columns"
  | "policy"
  | "model"
  | "acceptances";

type FeatureRecord = CategoricalRecord | ContinuousRecord;

/** How one rule is chosen where several hold. */
type Decides = {
  /** `agree`: they must predict the same; `first`: in the `order` of the model; `all`: all count; `best`: the greatest weight; `vote`: the greatest sum of weights. */
  how: "agree" | "first" | "all" | "best" | "vote";
  hit_policy: string;
  text: string;
};

/** Cells with one text that are not written as unary tests, and how they were read. */
type ReadCellsRecord = {
  text: string;
  meaning: string;
  count: number;
  /** Where the first of them is. */
  place: string;
};

/** What a column of a spreadsheet is. */
type ReadColumnRecord = {
  name: string;
  role: string;
  description: string;
  interpreted: ReadCellsRecord[];
  text: string;
};

/** How a condition was read. */
type ReadCell = {
  place: string;
  header: string;
  text: string;
  meaning: string;
};

/** How a table of a spreadsheet was read. */
type ReadingRecord = {
  table: string;
  columns: ReadColumnRecord[];
  remarks: string[];
  /** The decimal separator of numbers in text; empty if the table does not settle it. */
  decimal: string;
  /** Whether 01/02/2026 is in February; null if the table does not settle it. */
  day_first: boolean | null;
  /** Every condition, if this was asked for. */
  cells: ReadCell[];
};

/** How the values of instances are distributed. */
type CodeCounts = {
  /** Instances per code. */
  counts: number[];
};

/** A feature with unordered values. */
type CategoricalRecord = {
  name: string;
  kind: "category";
  /** Whether a value can be missing. */
  missing: boolean;
  /** Texts by code. */
  values: string[];
  /** The values from code 2 on. */
  listed?: Encoded[];
  /** Codes that can occur. */
  admitted: number[];
  /** Whether it is declared, or known from data, that values can occur that are not listed. */
  declared: boolean;
  distribution: CodeCounts | null;
  bounded?: undefined;
  cuts?: undefined;
  end?: undefined;
  lowest?: undefined;
  range?: undefined;
  step?: undefined;
  unit?: undefined;
  wanted?: undefined;
};

/** An end of an interval. */
type End = {
  text: string;
  /** Whether the value itself is excluded. */
  open: boolean;
};

/** A value and how it is written. */
type WrittenValue = {
  text: string;
};

/** A number where a rule begins or ends. */
type Cut = {
  at: number;
  /** How it is written as the lower end of a condition. */
  lower?: End;
  upper?: End;
  /** The single value between this cut and the next, if there is only one. */
  equal?: WrittenValue;
};

/** How the numbers of instances are distributed. */
type Histogram = {
  /** They grow by a factor if the values are very skewed. */
  edges: number[];
  counts: number[];
  missing: number;
  /** The least value; null if all are missing. */
  least: number | null;
  greatest: number | null;
};

/** A feature with ordered values. */
type ContinuousRecord = {
  name: string;
  kind: "number" | "integer" | "date" | "datetime" | "time" | "duration" | "months";
  unit: string;
  /** Whether a value can be missing. */
  missing: boolean;
  /** What a value looks like, in words. */
  wanted: string;
  /** The least value that can occur; null if there is none. */
  lowest: number | null;
  /** The cut above the greatest value that can occur; null if there is none. */
  end: number | null;
  /** Whether the lower and the upper bound were declared. */
  bounded: boolean[];
  /** The distance of neighboring values; 0 for numbers. */
  step: number;
  /** From where to where to draw it. */
  range: number[];
  /** Where rules of any model begin or end, in order. */
  cuts: Cut[];
  distribution: Histogram | null;
  admitted?: undefined;
  declared?: undefined;
  listed?: undefined;
  values?: undefined;
};

/** A label, or a set of labels. */
type OutcomeRecord = {
  value?: string | number | boolean | Record<string, any> | any[];
  text: string;
  /** How many instances have it; null without labeled instances. */
  rows: number | null;
  /** Places in `labels`. */
  labels: number[];
};

/** What rules or instances say. */
type Label = {
  text: string;
  /** How many instances have it; null without labeled instances. */
  rows: number | null;
};

/** A part of the space that cannot occur. */
type Impossible = {
  box: Record<string, (number | null)[]>;
};

/** What a property asks of the outcomes of cases, in the numbers that irenic compares. */
type AskedRecord = {
  /** `only`: outcomes pass a test; of two cases that differ in one feature, `same`: the outcomes are equal, `rising` and `falling`: the greater value never has the lower, or the higher, outcome. */
  claim: "only" | "same" | "rising" | "falling";
  /** The cases that it is about. */
  where: Record<string, (number | null)[]>[];
  /** Of these, cases that need not meet it. */
  excused: Record<string, (number | null)[]>[];
  /** The values that outcomes are compared with, by operator; null is having no outcome. */
  test: Record<string, Encoded>;
  /** Whether outcomes must pass the test, or must not. */
  passes: boolean;
  /** The feature in which two cases differ. */
  feature: string | null;
  /** The outcomes from the lowest to the highest; empty if they are numbers. */
  order: Encoded[];
};

/** A property that came with the rules. */
type AskedProperty = {
  property: string;
  verdict: "proved" | "refuted" | "unknown";
  text: string;
  /** null if the page cannot check it, so that only `irenic prove` does. */
  asked: AskedRecord | null;
};

/** A test case that came with the rules. */
type TestCase = {
  /** Its number, or its name in the file. */
  name: string;
  case: Record<string, number | null>;
  /** The expected outcome; null for none. */
  expected: Encoded;
  /** The expected outcome in words. */
  text: string;
  /** null if it is not known, because rules contradict each other. */
  passed: boolean | null;
};

/** Past cases whose outcome changes in one way. */
type ImpactMove = {
  before: WrittenValue | null;
  after: WrittenValue | null;
  rules_before: number[];
  rules_after: number[];
  cases: number;
  amount: number;
  /** Numbers of the first few of the rows, from 1. */
  rows: number[];
  text: string;
};

/** The impact on the cases with one value in a column. */
type ImpactGroup = {
  value: string;
  cases: number;
  changed: number;
  amount: number;
};

/** What `irenic impact --json` prints. */
type ImpactDocument = {
  format: "irenic impact";
  version: Version;
  cases: number;
  changed: number;
  amount: number;
  amount_changed: number;
  /** The column of amounts. */
  amount_of: string | null;
  /** The column of groups. */
  grouped_by: string | null;
  moves: ImpactMove[];
  groups: ImpactGroup[];
};

/** The score of a classifier to expect on new cases, with the ends of its 95 % interval. */
type EstimateRecord = {
  score: number;
  low: number | null;
  high: number | null;
};

/** The instances that rules were counted on. */
type InstancesRecord = {
  /** How many were counted. */
  rows: number;
  /** How many are listed: a random sample if there are very many. */
  shown: number;
  /** Which are listed; null for all. */
  row_numbers: number[] | null;
  columns: Record<string, (number | null)[]>;
  /** The true outcome of each, as a place in `outcomes`. */
  outcomes: number[] | null;
};

/** How large a set of rules is. */
type Size = {
  features: number;
  /** Rows; each can hold several rules. */
  rules: number;
  conditions: number;
};

/** What is certain about rules. */
type VerdictRecord = {
  /** null if the budget ended the search before it was known. */
  holds: boolean | null;
  /** Whether it fails as intended: learned rules leave the rest to their default. */
  by_design: boolean;
  head: string;
  text: string;
};

/** The two verdicts on a set of rules. */
type VerdictsRecord = {
  consistent: VerdictRecord;
  complete: VerdictRecord;
};

/** A condition on a continuous feature; one without ends only tests for missing values. */
type IntervalParts = {
  feature: string;
  lower?: End;
  upper?: End;
  /** The only value that it admits, instead of ends. */
  equal?: WrittenValue;
  /** Whether it holds for a missing value. */
  missing?: boolean;
  negated?: undefined;
  other?: undefined;
  values?: undefined;
};

/** A condition on a category; one without values only tests for missing values. */
type ValuesParts = {
  feature: string;
  values: WrittenValue[];
  /** Whether it holds for all values except those listed. */
  negated?: boolean;
  /** Whether it holds for a missing value. */
  missing?: boolean;
  /** Whether it holds for values that the feature does not list. */
  other?: boolean;
  equal?: undefined;
  lower?: undefined;
  upper?: undefined;
};

/** A region: its conditions in the order of the features. */
type RegionRecord = {
  conditions?: ConditionParts[];
  box: Record<string, (number | null)[]>;
};

/** A case to try: one value per feature. */
type Witness = {
  case: Record<string, number | null>;
};

/** A finding, with the rules concerned and where it applies. */
type FindingRecord = {
  kind: FindingKind;
  level: "error" | "warning" | "note";
  text?: string;
  /** Numbers of the rules concerned. */
  rules: number[];
  /** Numbers of the rules that make another redundant. */
  by: number[];
  column: string | null;
  /** The columns of a finding about several. */
  columns: string[];
  /** Where it is in a spreadsheet, in words; empty if it is about no rows, or in another file. */
  place: string;
  region: RegionRecord | null;
  witness: Witness | null;
  /** How many instances lie in a gap, if there are instances. */
  rows: number | null;
};

/** A finding that is accepted. */
type AcceptedRecord = {
  kind: FindingKind;
  noun: string;
  level: "error" | "warning" | "note";
  text: string;
  /** Numbers of the rules concerned. */
  rules: number[];
  /** Numbers of the rules that make another redundant. */
  by: number[];
  /** What the rules of a conflict or an overlap predict. */
  then: WrittenValue[];
  column: string | null;
  /** The columns of a finding about several. */
  columns: string[];
  /** The line of the file, if it is known. */
  line: number | null;
  /** Where it is in a spreadsheet, in words; empty if it is about no rows, or in another file. */
  place: string;
  region: RegionRecord | null;
  witness: Witness | null;
  /** How many instances lie in a gap, if there are instances. */
  rows: number | null;
  reason: string;
  /** Whether the checked file accepts it, not a baseline. */
  in_file: boolean;
};

/** A rule of a summary. */
type CountedRule = {
  /** The row it comes from; a row of a decision table can hold several rules. */
  number: number;
  conditions?: ConditionParts[];
  box: Record<string, (number | null)[]>;
  /** An infinite one is `{"float": "inf"}`. */
  weight: number | Record<string, string>;
  /** How many it covers. */
  support: number | null;
  /** The share of them that it is right for, of sets of labels the mean F1; null if it covers none. With an interval, it is the share of new cases, as estimated from rows left out. */
  confidence: number | null;
  /** The ends of the 95 % interval of the confidence, if it is an estimate for new cases. */
  interval: number[] | null;
  /** If a learned rule was counted on instances: the share of new cases that it is right for, as estimated from rows left out of learning, and the ends of the 95 % interval. */
  expected: number[] | null;
  /** How many of them have each label. */
  mix: number[] | null;
  /** How likely each label is in a new case that it decides, unless that depends on the region. */
  probabilities: number[] | null;
  /** The place of what it predicts in `outcomes`. */
  outcome: number;
};

/** What is predicted where no rule holds, with the counts of instances that no rule covers. */
type Otherwise = {
  /** How many it covers. */
  support: number | null;
  /** The share of them that it is right for, of sets of labels the mean F1; null if it covers none. With an interval, it is the share of new cases, as estimated from rows left out. */
  confidence: number | null;
  /** The ends of the 95 % interval of the confidence, if it is an estimate for new cases. */
  interval: number[] | null;
  /** If a learned rule was counted on instances: the share of new cases that it is right for, as estimated from rows left out of learning, and the ends of the 95 % interval. */
  expected: number[] | null;
  /** How many of them have each label. */
  mix: number[] | null;
  /** How likely each label is in a new case that it decides, unless that depends on the region. */
  probabilities: number[] | null;
  outcome: number | null;
};

/** How often one of several labels is predicted. */
type LabelResult = {
  /** Predicted and true. */
  both: number;
  /** Predicted, not true. */
  said: number;
  /** True, not predicted. */
  had: number;
};

/** How likely a classifier says that its predictions are right, and how often they are. */
type Calibration = {
  /** The mean probability of the predicted labels. */
  predicted: number;
  /** The share of the predictions that are right. */
  right: number;
  /** The mean distance of the two over the rules and the default, by the instances they decide. */
  error: number;
};

/** Instances with one value of a feature. */
type GroupRecord = {
  text: string;
  rows: number;
  covered: number;
  right: number;
};

/** How rules do on the instances by the value of a feature. */
type Grouping = {
  feature: string;
  groups: GroupRecord[];
};

/** How rules do on the instances; rows are listed up to a limit. */
type Results = {
  rows: number;
  covered: number;
  uncovered: number;
  uncovered_rows: number[];
  contradicted: number;
  contradicted_rows: number[];
  /** Covered by no rule, in a part of the space that cannot occur. */
  impossible: number;
  impossible_rows: number[];
  right?: number;
  accuracy?: number;
  wrong?: number;
  wrong_rows?: number[];
  /** `[true, predicted, count]` in places of outcomes, -1 for no prediction, -2 for a contradiction. */
  confusion?: number[][];
  /** Instead of a confusion, where instances have several labels. */
  labels?: LabelResult[];
  /** Of a classifier, if each instance has one label. */
  calibration?: Calibration;
  /** By each category that has few values. */
  groupings?: Grouping[];
};

/** Where a rule set lies on the front of a classifier. */
type FrontScores = {
  training_score: number | null;
  validated_score: number | null;
  explanation_size: number | null;
  /** How many rules were given by the user; they come first. */
  kept: number;
  /** Properties that were asked for and proved. */
  proved: string[];
  /** Share of the training rows that a rule decides. */
  coverage: number | null;
};

/** How likely labels are in a region, as the classifier predicts it. */
type Likely = {
  /** null for a case in none of the regions. */
  box: Record<string, (number | null)[]> | null;
  /** By the label that is predicted, and then by label. */
  probabilities: number[][];
};

/** A region in which only the default decides, and the training rows in it. */
type DefaultRegion = {
  box: Record<string, (number | null)[]>;
  /** How many training rows are in it. */
  support: number;
  /** The share of them that the default is right for, of sets of labels the mean F1. With an interval, it is the share of new cases, as estimated from rows left out. */
  confidence: number | null;
  /** The ends of the 95 % interval of the confidence, if it is an estimate for new cases. */
  interval: number[] | null;
};

/** A set of rules. */
type ModelRecord = {
  size: Size;
  verdicts: VerdictsRecord;
  /** How many findings there are per kind; overlaps include conflicts. Of kinds in `unfinished` there are at least as many, and at most 1,000 gaps are counted. */
  counts: Record<FindingKind, number>;
  /** The findings listed, each once; there may be fewer than counted. */
  findings: FindingRecord[];
  /** Those that are counted but not among `findings`, because the file or a baseline accepts them. */
  accepted: AcceptedRecord[];
  /** Kinds that the budget ended the search for. */
  unfinished: FindingKind[];
  rules: CountedRule[];
  /** Where the first rule decides: the places of rules in the order they are tried. */
  order: number[] | null;
  default: Otherwise;
  results: Results | null;
  front: FrontScores | null;
  /** The regions that probabilities depend on; empty if they depend only on the rule. */
  likely: Likely[];
  /** Reasons of a classifier for decisions by default, those with the fewest conditions first. The first one around a case is its reason; a case in none of them has another one. */
  default_regions: DefaultRegion[];
};

/** A count of rows among others. */
type ShareRecord = {
  count: number;
  of: number;
  /** null if there are no rows. */
  share: number | null;
  low: number;
  /** The ends of the 95 % interval. */
  high: number;
};

/** How often one outcome is decided for a group. */
type OutcomeFigures = {
  outcome: WrittenValue;
  decided: ShareRecord;
  /** Of the rows with another label, those that get the outcome; null without labels. */
  false_positives: ShareRecord | null;
  /** Of the rows with this label, those that do not get it; null without labels. */
  false_negatives: ShareRecord | null;
};

/** What rules decide for the rows with one value in a column. */
type GroupFiguresRecord = {
  value: string;
  rows: number;
  /** Whether there are too few rows (below 30) to say much. */
  small: boolean;
  outcomes: OutcomeFigures[];
  by_default: ShareRecord;
  /** null without labels. */
  accuracy: ShareRecord | null;
};

/** What rules decide for groups of rows. */
type Groups = {
  column: string;
  /** The rows: of the training rows, the accuracy is too good, unless they were left out. */
  on: "instances" | "training" | "left_out";
  /** The outcome where no rule holds. */
  default: WrittenValue | null;
  /** The largest first. */
  groups: GroupFiguresRecord[];
};

/** What `irenic.summarize` returns and `irenic report --json` prints. */
type Summary = {
  version: Version;
  name: string;
  decides: Decides;
  /** How the table was read, if it comes from a spreadsheet. */
  reading: ReadingRecord | null;
  features: FeatureRecord[];
  /** What rules, the default or instances say. */
  outcomes: OutcomeRecord[];
  /** What `mix` counts: the outcomes, or single labels where outcomes are sets of labels. */
  labels: Label[];
  several_labels: boolean;
  /** What supports are counted on. */
  counted_on: "instances" | "training" | null;
  /** What the scores of a front measure. */
  score: string | null;
  impossible: Impossible[];
  /** Properties that came with the rules. */
  properties: AskedProperty[];
  /** Test cases that came with the rules. */
  cases: TestCase[];
  /** What the change from an earlier version does to past cases, if it is compared with one. */
  impact: ImpactDocument | null;
  /** What to expect of the model in use on new cases, as estimated from rows left out. */
  estimate: EstimateRecord | null;
  instances: InstancesRecord | null;
  /** The rule sets, of a classifier its front from small to accurate. */
  models: ModelRecord[];
  /** The place of the model in use. */
  chosen: number;
  format: "irenic summary";
  /** What the rules in use decide for groups of instances. */
  groups?: Groups;
};
