// The types that modules of the page share.

interface Window {
  irenic: object;
}

/** A child of an element; null, undefined and false are skipped. */
type Child = Node | string | number | boolean | null | undefined | Child[];

type Attributes = Record<string, any>;

/** A change event of an input or a select element. */
type Changed = { target: HTMLInputElement | HTMLSelectElement };

/** The kernels in C: pointers are numbers, 64-bit integers are bigints. */
type Kernels = {
  memory: { buffer: ArrayBuffer };
  malloc(size: number): number;
  top(): number;
  drop(before: number): void;
  covering(rules: number, points: number, first: bigint, last: bigint, out: number): void;
  deciding(rules: number, points: number, order: number, first: bigint, last: bigint, out: number): void;
  voting(rules: number, points: number, outcomes: bigint, first: bigint, last: bigint, out: number): bigint;
  meeting(rules: number, box: number, out: number): void;
  enlarge(rules: number, values: number, codes: number, order: number, outcome: bigint, box: number): bigint;
  enlarge_box(rules: number, seed: number, order: number, outcome: bigint, box: number): bigint;
  find_gaps(boxes: number, stack: number, nodes: bigint, out: number, counts: number): bigint;
};

/** What kernels need of a rule; of a region, only the box. */
type Ruled = { box: Box; outcome?: number; weight?: CountedRule["weight"] };

/** Rules in the memory of the kernels: their address, their number, and the number of outcomes. */
type PackedRules = { address: number; n: number; outcomes: number };

/** The answer to a case. */
type Answer = {
  outcome: number | null;
  /** The index of the rule that decides. */
  rule: number | null;
  /** All rules that cover the case. */
  rules: number[];
  contradicted: boolean;
  /** The outcomes, if all rules count. */
  several: number[];
};

/** A typed value, or an error. */
type Read = { value?: Value; error?: undefined } | { value?: undefined; error: string };

/** A field of the form. */
type Field = {
  feature: FeatureRecord;
  input: HTMLInputElement | HTMLSelectElement;
  problem: HTMLElement;
  /** The checkbox for missing values. */
  box: HTMLInputElement | null;
};

/** The target and the text of a link back. */
type Back = { id: string; text: string };

/** A cut with the ends that the page may not embed. */
type FullCut = Cut & { lower: End; upper: End };

// --- the map

type Point = { x: number; y: number };

/** The values at a point of the map; y is undefined for a strip. */
type Values = { x: Value | undefined; y: Value | undefined };

/** A cell of a feature, represented by one value; cells of numbers extend from low to below high. */
type Cell = { value: Value | undefined; low?: number; high?: number };

/** [left, right, bottom, top] in cells, right and top excluded. */
type CellRectangle = [number, number, number, number];

/** [left, top, width, height] in pixels. */
type ScreenRectangle = [number, number, number, number];

/** [whether it is horizontal, at which line, from, to] in cells. */
type Edge = [boolean, number, number, number];

/** Two features and their cells; y is null for a strip. */
type Axes = { x: FeatureRecord | null; y: FeatureRecord | null; xs: Cell[]; ys: Cell[] };

/** The plane of two features; see sliceCells. */
type Plane = Axes & {
  others: Case | null;
  live: number[];
  rectangles: Map<number, CellRectangle[]>;
  outcomes: Uint8Array | null;
  bare: Uint8Array | null;
  impossible: Uint8Array | null;
};

type Tick = { at: number; text: string; room: number; missing?: boolean };

/** The positions of values along an axis; see makeScale. */
type Scale = {
  cells: (Cell & { from: number; to: number })[];
  place: (value: Value | undefined) => number;
  at: (pixel: number) => Value | undefined;
  spread: (value: Value | undefined) => number;
  spans: (condition: Condition | null) => [number, number][];
  ticks: Tick[];
};

type Colors = Record<"ink" | "muted" | "faint" | "line" | "raised" | "bad" | "none" | "focus", string> & {
  outcomes: string[];
  outcome: (place: number | null) => string;
  /** The color of instances with an outcome. */
  point: (place: number) => string;
};

/** The case that is marked on the map, and its answer. */
type Picked = {
  theCase: Case;
  /** The case, completed with values from the sliders. */
  completed: Case;
  /** The index of the instance, if it is one. */
  place: number | undefined;
  answer: Answer;
  region: Box | null;
  fromForm: boolean;
};

type MapView = {
  /** Names of features; y is "" for a strip. */
  x: string;
  y: string;
  mode: "projected" | "fixed";
  /** The values of the sliders. */
  fixed: Case;
  /** The height of the canvas, in pixels of the page. */
  height: number;
  onlyUncovered: boolean;
  plane: Plane;
  /** The background of each cell, one of GROUND; null if there are too many cells. */
  ground: Uint8Array | null;
  /** Which cells are contradicted. */
  conflicts: Uint8Array | null;
  /** The rectangles of single contradictions, null if there are too many. */
  torn: CellRectangle[] | null;
  /** The rules that are drawn, in the order of decisions. */
  drawn: number[];
  /** The rules that are not drawn, because they may hold anywhere. */
  everywhere: number[];
  scales: { x: Scale; y: Scale };
  /** The drawing area in pixels of the page; undefined before the first drawing. */
  box: { left: number; top: number; width: number; height: number };
  /** Canvases that are drawn once: rules, and points. */
  base: HTMLCanvasElement;
  points: HTMLCanvasElement;
  /** The state that the points were drawn for. */
  pointsKey: string;
  /** The points on the screen. */
  at: { x: Float32Array; y: Float32Array; n: number };
  /** The point that the arrow keys move. */
  cross: Point | null;
  /** Rules under the pointer. */
  hovered: number[];
  /** Whether the pointer is on the map. */
  hovering: boolean;
  pointer: { place: Point | null } | null;
  picked: Picked | null;
  /** The frame that was requested. */
  requested: Frame | "";
  colors: Colors;
};

/** "overlay" for moving parts, "base" for everything. */
type Frame = "overlay" | "base";

type Near = { place: number; far: number };

// --- the list of rules

type Sorting = "number" | "outcome" | "support" | "confidence" | "conditions" | "conflicts";

type RuleView = "cards" | "table";

type RuleList = {
  /** The view that the reader chose, or null. */
  view: RuleView | null;
  sorting: Sorting;
  descending: boolean;
  limit: number;
  /** The matching rules, sorted. */
  places: number[];
  onPaper: boolean;
  /** The target of a link. */
  pinned: number | null;
  marked: HTMLElement | undefined;
  /** The texts of rules that the search matches. */
  texts: string[] | null;
  /** The elements of rules, created when first shown. */
  built: Record<RuleView, Map<number, HTMLElement>>;
  otherwise: HTMLElement;
  table: HTMLElement;
  heads: HTMLElement[];
  rows: HTMLElement;
  foot: HTMLElement;
  cards: HTMLElement;
  holder: HTMLElement;
  count: HTMLElement;
  reset: HTMLElement;
  more: HTMLElement;
  tools: HTMLElement | null;
  search: HTMLInputElement;
  feature: HTMLSelectElement;
  outcome: HTMLSelectElement;
  conflict: HTMLInputElement;
  sort: HTMLSelectElement;
  direction: HTMLElement;
};

// --- results

/** The kinds of instances without a prediction by rules. */
type LeftOut = "uncovered" | "contradicted" | "impossible";

/** How many instances are stored in this file, of how many in total; more: perhaps more are stored. */
type Stored = { stored: number; total: number; more?: boolean };

/** A cell of the confusion matrix. */
type ConfusionCell = { truth: number; predicted: number; count: number; group: (place: number) => number };

type Confusion = {
  cells: Map<string, number>;
  actual: Map<number, number>;
  predicted: Map<number, number>;
  right: Map<number, number>;
  left: number;
  group: (place: number) => number;
  rows: number[];
  columns: number[];
};

// --- the front

type Scores = { validated: number | null; training: number | null; counted: number | null };

type ChartScales = {
  x: (size: number) => number;
  y: (score: number) => number;
  isBelow: (score: number) => boolean;
  ticks: { x: number[]; y: number[] };
};
