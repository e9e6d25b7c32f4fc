// The summary that the page shows, as docs/reference/summary.md describes it. Keys that the page does not use are left out.

/** A number as irenic compares it, null for missing; or the code of a category. */
type Value = number | null;

/** [lower, upper] of a continuous feature, null for an open side; or the codes that a category admits. */
type Condition = Value[];

/** The conditions of a region by the name of the feature. */
type Box = Record<string, Condition>;

/** The values of an instance by the name of the feature. */
type Case = Record<string, Value>;

type Summary = {
  name: string;
  decides: {
    how: "agree" | "first" | "all" | "best" | "vote";
    hit_policy: string | null;
    text: string;
  };
  features: Feature[];
  outcomes: (Label & { labels: number[] })[];
  labels: Label[];
  several_labels: boolean;
  counted_on: "instances" | "training" | null;
  score: string | null;
  outside: { where: string; box: Box }[];
  instances: Instances | null;
  models: Model[];
  chosen: number;
};

type Label = { text: string; rows: number | null };

type Instances = {
  rows: number;
  shown: number;
  row_numbers: number[] | null;
  columns: Record<string, Value[]>;
  outcomes: number[] | null;
};

type Feature = Category | Continuous;

type Category = {
  name: string;
  kind: "category";
  missing: boolean;
  /** Texts by code. */
  values: string[];
  /** Codes that can occur. */
  admitted: number[];
  distribution: { counts: number[] } | null;
  unit?: undefined;
};

type Continuous = {
  name: string;
  kind: "number" | "integer" | "date" | "datetime" | "time" | "duration" | "months";
  unit: string;
  missing: boolean;
  /** What a value looks like, in words. */
  wanted: string;
  lowest: number | null;
  end: number | null;
  bounded: [boolean, boolean];
  step: number;
  range: [number, number];
  cuts: Cut[];
  distribution: { edges: number[]; counts: number[]; missing: number } | null;
};

/** A place where rules begin or end, and how it is written there. */
type Cut = { at: number; lower: End; upper: End; equal: string | null };

/** An end of an interval, as it is written; open: without the value itself. */
type End = { text: string; open: boolean };

/** A condition in its parts; what is null or false in the summary is left out of the page. */
type ConditionParts = IntervalParts | ValuesParts;

type IntervalParts = {
  feature: string;
  lower?: End;
  upper?: End;
  /** The text of the only value. */
  equal?: string;
  /** Whether it holds for a missing value. */
  missing?: boolean;
  values?: undefined;
};

type ValuesParts = {
  feature: string;
  /** Whether it holds for all values but those listed. */
  negated?: boolean;
  /** The texts of the values that are listed. */
  values: string[];
  missing?: boolean;
  /** Whether it holds for values that the feature does not list. */
  other?: boolean;
};

type Model = {
  rules: Rule[];
  order: number[] | null;
  default: Otherwise;
  size: { rules: number; conditions: number };
  verdicts: Verdict[];
  counts: Record<FindingKind, number>;
  findings: Finding[];
  unfinished: FindingKind[];
  results: Results | null;
  front: {
    training_score: number | null;
    validated_score: number | null;
    explanation_size: number | null;
  } | null;
};

/** What was counted of a rule; null where nothing was. */
type Counted = { support: number | null; confidence: number | null; mix: number[] | null };

type Rule = Counted & {
  number: number;
  conditions: ConditionParts[];
  box: Box;
  outcome: number;
  weight: number | { float: string };
};

type Otherwise = Counted & { outcome: number | null };

type Verdict = {
  about: "consistent" | "complete";
  /** null: unknown */
  holds: boolean | null;
  /** Whether it fails as intended. */
  by_design: boolean;
  head: string;
  text: string;
};

type FindingKind = "conflicts" | "gaps" | "overlaps" | "never_fire" | "duplicates" | "inside" | "mergeable" | "columns";

type Finding = {
  kind: FindingKind;
  level: "error" | "warning" | "note";
  text: string;
  rules: number[];
  by: number[];
  column: string | null;
  conditions: ConditionParts[];
  box: Box | null;
  case: Case | null;
  rows?: number;
};

/** How the rules do on the instances. */
type Results = {
  rows: number;
  covered: number;
  uncovered: number;
  uncovered_rows: number[];
  contradicted: number;
  contradicted_rows: number[];
  outside: number;
  outside_rows: number[];
  right?: number;
  accuracy?: number;
  wrong?: number;
  wrong_rows?: number[];
  /** [true, said, how often] */
  confusion?: [number, number, number][];
  labels?: { both: number; said: number; had: number }[];
};
