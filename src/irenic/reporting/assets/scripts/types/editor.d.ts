// The types of the editor and of the worker that checks its rules.

/** What the worker knows about a feature. */
type Axis =
  | { category: true; admitted: number[]; declared: boolean }
  | { category: false; lowest: number; end: number; missing: boolean; step: number };

/** The conditions of a box in the order of the features: null for none, an interval, or codes. */
type Sides = ((number | null)[] | null)[];

/** How boxes are stored in the memory of the kernels. */
type Layout = {
  axes: Axis[];
  /** The features that are intervals, and those that are sets of values. */
  intervals: number[];
  sets: number[];
  /** The place of each feature among those of its kind. */
  places: number[];
  wordStarts: number[];
  words: number;
  everything: Uint32Array;
  lowest: Float64Array;
};

/** A box in numbers; words are two halves each. */
type Packed = { low: Float64Array; high: Float64Array; bits: Uint32Array };

/** A search for the parts of a box that others leave. */
type Cutting = { step: (nodes: number) => void; isDone: () => boolean; parts: Packed[] };

/** A row as the worker gets it. A row that is not finished has no boxes. */
type SentRow = { id: number; boxes: Sides[]; outcome: number };

/** A box of another row that a box of a row overlaps: the other row, and the places of both boxes in their rows. */
type Overlap = { row: CheckedRow; own: number; box: number };

/** A row in the worker. */
type CheckedRow = {
  id: number;
  index: number;
  /** The place of its first box among those of all rows. */
  first: number;
  boxes: Packed[];
  outcome: number;
  key: string;
  /** How many boxes of other rows contradict it, and how many overlap it and agree. */
  conflicts: number;
  overlaps: number;
  /** What it overlaps, in no order; null if that is computed again when it is needed. */
  near: Overlap[] | null;
  dirty: boolean;
  /** Rows that are the same region, cut into boxes in other ways. */
  twins: CheckedRow[];
  redundant: { kind: "inside" | "never_fire"; by: CheckedRow[] } | null;
};

/** How rows decide together. */
type Policy = {
  /** Whether rows must agree, one of them wins, or all count. */
  how: "agree" | "first" | "all";
  /** Whether rows must not overlap even if they agree. */
  unique: boolean;
  /** Ranks of the outcomes, if the outcome decides which row wins. */
  ranks: number[] | null;
  /** Whether one row decides each case. It does not if weights or several rows do: then the page does not say what
   *  changes. */
  single: boolean;
};

/** A pair of rows that overlap, by their indices. */
type FoundPair = { rows: [number, number]; sides: Sides; agree: boolean };

/** A row that could go, by indices. */
type FoundRow = { kind: "inside" | "never_fire" | "duplicates"; rows: number[]; by: number[] };

/** What is wrong with the rows. Lists have a limit, counts do not. */
type Status = {
  version: number;
  /** Whether all searches ended; `gaps.finished` is whether they found everything. */
  done: boolean;
  conflicts: { count: number; list: FoundPair[]; rows: Map<number, number> };
  overlaps: { count: number; list: FoundPair[] };
  redundant: FoundRow[];
  /** Among the values that rows name. `open` are the features of other values that no row covers, though nothing declares
   *  their values, by their places; and whether these are all. */
  gaps: { count: number; list: Sides[]; finished: boolean; known: boolean; open: number[]; openFinished: boolean };
  results: EditedResults | null;
  /** The verdicts on the properties, null until they are known. */
  properties: PropertyStatus[] | null;
  /** What is decided for each test case, and by which row: -1 for nothing, -2 for a contradiction; null if several rows
   *  count. */
  cases: { outcome: number; row: number | null }[] | null;
  milliseconds: number;
};

/** The verdict on a property. If it is refuted, by one case, or by two that differ in a feature: the rows that decide,
 *  null for the default; the outcomes; and where, with a second side of that feature at the end. */
type PropertyStatus = {
  holds: boolean | null;
  /** Why it is not known, or a remark. */
  why: string;
  rows: (number | null)[];
  outcomes: (number | null)[];
  sides: Sides | null;
};

/** What a property asks, with its regions as the worker reads them; the feature by its place. */
type AskedSides = Omit<AskedRecord, "where" | "excused" | "feature"> & {
  where: Sides[];
  excused: Sides[];
  feature: number | null;
};

/** What a property is checked against. */
type Proof = {
  kernels: Kernels;
  layout: Layout;
  policy: Policy;
  impossible: Packed[];
  /** Boxes with what they decide, in the order in which they do; the gaps come last, without a row. */
  parts: { box: Packed; outcome: number | null; row: number | null }[];
  otherwise: number | null;
  /** The outcomes as files write them. */
  values: Encoded[];
  contradicted: boolean;
  /** Whether all gaps were found. */
  finished: boolean;
  /** When to give up. */
  until: number;
};

/** How rules do on the instances. Confusion: `true outcome,predicted outcome` to a count, -1 for none, -2 for a
 *  contradiction. */
type EditedResults = {
  rows: number;
  covered: number;
  right: number | null;
  changed: number;
  confusion: Map<string, number>;
};

/** What is known of edited rules: the counts of findings, each with its look, null while they are checked; how many
 *  instances are right; and the number of rules, null if they cannot be checked. */
type EditedVerdict = { parts: [string, string][] | null; results: EditedResults | null; rules: number | null };

/** A part of the space where another outcome is predicted than before; null for none, -2 for a contradiction. */
type ChangedRegion = { sides: Sides; before: number | null; after: number | null };

type CheckerMessage =
  | {
      type: "open";
      axes: Axis[];
      impossible: Sides[];
      policy: Policy;
      contradicts: boolean[][];
      /** The version that changes are compared with. */
      opened: { rows: SentRow[]; policy: Policy; otherwise: number | null };
      instances: { columns: (number | null)[][]; outcomes: number[] | null; rows: number } | null;
      expected: { properties: (AskedSides | null)[]; values: Encoded[] };
      /** The test cases. */
      cases: { columns: (number | null)[][]; rows: number } | null;
    }
  | { type: "rows"; version: number; start: number; removed: number; added: SentRow[]; otherwise: number | null }
  | { type: "ask"; ask: number; what: string; given: any };

/** A status has only what changed since the last one. */
type CheckerReply =
  | { type: "status"; status: Partial<Status> & Pick<Status, "version" | "done" | "milliseconds"> }
  | { type: "answer"; ask: number; answer: any; error?: string };

// --- the table that is edited

/** One end of an interval: the cut, and whether it is written as the value before it (`> 5`, `<= 5`). */
type SpanEnd = { at: number; after: boolean };

/** A condition on a number: lower null admits missing values, too; upper null is open. */
type Span = { lower: SpanEnd | null; upper: SpanEnd | null };

/** The condition of a cell: spans of a number, or codes of a category. */
type Test = { spans: Span[]; codes?: undefined } | { codes: number[]; spans?: undefined };

/** A cell; test is null for any value, and for a text that is not a condition. */
type TableCell = { text: string; test: Test | null; error: string };

type TableRow = {
  id: number;
  cells: TableCell[];
  /** The place of the outcome; null if it is missing. */
  outcome: number | null;
  outcomeText: string;
  weight: CountedRule["weight"];
  /** Whether the learner must keep it. */
  kept?: boolean;
};

/** A feature of the editor, with all values as files write them. */
type EditedFeature = FeatureRecord & { encoded: Encoded[] };

/** What undo restores. */
type Snapshot = {
  rows: TableRow[];
  otherwise: number | null;
  policy: Policy;
  hitPolicy: string;
  /** Features that the learner must not test. */
  forbidden: string[];
  /** What no case may have, such as `grant WHERE age < 18`. */
  never: string[];
};

/** A cell that was parsed: the test, values that the feature does not have yet, or an error. */
type ParsedCell = { test: Test | null; added?: Encoded[]; error?: undefined } | { error: string };

/** The outcomes of the editor, as texts and as files write them. */
type EditedOutcome = { text: string; value: Encoded };

/** The table with its history. Features and outcomes only gain values. */
type EditedTable = {
  name: string;
  /** The name of the column of outcomes. */
  outcomeName: string;
  /** The names of the columns of outcomes in the file; several if outcomes are tuples. */
  outputs: string[];
  features: EditedFeature[];
  outcomes: EditedOutcome[];
  impossible: Box[];
  /** Where outcomes were forbidden on this page, by the texts of the marks. */
  neverWhere: Map<string, { outcome: number; boxes: Sides[] }>;
  /** What the properties ask, null for those that are not checked here. */
  asked: (AskedRecord | null)[];
  opened: Snapshot;
  now: Snapshot;
  past: Snapshot[];
  future: Snapshot[];
  /** It grows when features or outcomes do, so that the worker starts again. */
  growth: number;
  listeners: (() => void)[];
};

/** The editor for the rest of the page. */
type Editor = {
  currentRules: () => Record<string, any>;
  /** The row of each rule, and the hit policy, which files of rules cannot hold. */
  currentTable: () => { rows: number[]; hit_policy: string | null };
  onChange: (listener: () => void) => void;
  status: () => Status | null;
  /** The findings of the current rows, when all searches ended. */
  settled: () => Promise<Status>;
  hasChanges: () => boolean;
  close: () => void;
  table: EditedTable;
  actions: Record<string, (...given: any[]) => any>;
};

// --- what cells mean

type CellTrie = Map<string, CellTrie | Record<string, string>>;

type CellProduction = { symbols: string[]; action: string[]; formal: boolean };

/** The words and the grammar of cells. */
type CellLanguage = {
  grammar: any;
  phrases: Map<string, Record<string, string>>;
  sequences: Record<string, string[][]>;
  months: Map<string, number>;
  ordered: Map<string, [string, number, number][]>;
  trie: CellTrie;
  units: Set<string>;
  monthStarts: Set<string>;
  values: Record<string, RegExp>;
  texts: Record<string, RegExp>;
  blanks: RegExp;
  money: RegExp;
  hints: [RegExp, string][];
  signs: Map<string, string[]>;
  formal: Set<string>;
  textEnds: string[];
  rules: Record<string, CellProduction[]>;
};

/** How numbers and dates are written: the decimal separator, empty if it is not known, and the order in dates. */
type CellLocale = { decimal: string; dayFirst: boolean | null };

/** A part of a cell: what it can be, and for values how they are written. */
type CellToken = {
  start: number;
  end: number;
  raw: string;
  roles: Record<string, string>;
  order: string;
  formal: boolean;
  kind: string;
  groups: (string | undefined)[];
  unit: string;
  scale: number;
};

/** A number of a cell, and its value as text. */
type CellAmount = CellToken & { text: string };

type CellLiteral = { kind: string; text: string; bare?: boolean };

type CellCompare = { order: string; value: CellLiteral };

type CellTest = CellCompare | { not: CellTest } | { all: CellTest[] } | { any: CellTest[] };

/** What a cell means, whether it is in the notation of decision tables, and its numbers. */
type CellReading = { test: CellTest; formal: boolean; amounts: CellAmount[] };
