// What the modules of the page hand each other.

interface Window {
  irenic: object;
}

/** What can stand inside an element; what is empty leaves no trace. */
type Child = Node | string | number | boolean | null | undefined | Child[];

type Attributes = Record<string, any>;

/** A change of an input or of a choice. */
type Changed = { target: HTMLInputElement | HTMLSelectElement };

/** What follows for a case. */
type Answer = {
  outcome: number | null;
  /** The place of the rule that decides. */
  rule: number | null;
  /** All rules that cover the case. */
  rules: number[];
  contradicted: boolean;
  /** The outcomes, where all rules count. */
  several: number[];
};

/** What someone typed, read. */
type Read = { value?: Value; error?: undefined } | { value?: undefined; error: string };

/** A field of the form. */
type Field = {
  feature: Feature;
  input: HTMLInputElement | HTMLSelectElement;
  problem: HTMLElement;
  /** To tick where the value is missing. */
  box: HTMLInputElement | null;
};

/** Where a link leads back to. */
type Back = { id: string; text: string };

/** A cut with all that the page does not embed of it. */
type FullCut = Cut & { lower: End; upper: End };

// --- the map

type Point = { x: number; y: number };

/** The values at a place of the map; undefined across a strip. */
type Values = { x: Value | undefined; y: Value | undefined };

/** A cell of a feature: one value stands for all of it; one of numbers reaches from low to below high. */
type Cell = { value: Value | undefined; low?: number; high?: number };

/** [left, right, bottom, top] in cells, right and top excluded. */
type CellRectangle = [number, number, number, number];

/** [left, top, width, height] in pixels. */
type ScreenRectangle = [number, number, number, number];

/** [whether it runs across, at which line, from, to] in cells. */
type Edge = [boolean, number, number, number];

/** Two features and their cells; y is null for a strip. */
type Axes = { x: Feature | null; y: Feature | null; xs: Cell[]; ys: Cell[] };

/** The plane of two features; sliceCells says what it holds. */
type Plane = Axes & {
  others: Case | null;
  live: number[];
  rectangles: Map<number, CellRectangle[]>;
  outcomes: Uint8Array | null;
  bare: Uint8Array | null;
  outside: Uint8Array | null;
};

type Tick = { at: number; text: string; room: number; missing?: boolean };

/** Where values lie along an axis; makeScale says what it holds. */
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
};

/** The case that is marked on the map, and what is decided there. */
type Picked = {
  theCase: Case;
  /** The same, with values from the sliders where it says nothing. */
  whole: Case;
  /** The place of the instance that it is. */
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
  /** The case that the sliders stand at. */
  fixed: Case;
  /** Of the canvas, in pixels of the page. */
  height: number;
  onlyUncovered: boolean;
  plane: Plane;
  /** What lies below the rules in each cell, of GROUND; null if there are too many cells. */
  ground: Uint8Array | null;
  /** Which cells are contradicted. */
  conflicts: Uint8Array | null;
  /** The rectangles of single contradictions, null if there are too many. */
  torn: CellRectangle[] | null;
  /** The rules that are drawn, the first to decide first. */
  drawn: number[];
  /** The rules that are not, because they may hold anywhere. */
  everywhere: number[];
  scales: { x: Scale; y: Scale };
  /** The drawing area in pixels of the page. Nothing is drawn while it is missing. */
  box: { left: number; top: number; width: number; height: number };
  /** Canvases that are drawn once: rules, and points. */
  base: HTMLCanvasElement;
  points: HTMLCanvasElement;
  /** What the points were drawn for. */
  pointsKey: string;
  /** The points on the screen. */
  at: { x: Float32Array; y: Float32Array; n: number };
  /** The place that the arrow keys move. */
  cross: Point | null;
  /** Rules under the pointer. */
  hovered: number[];
  /** Whether the pointer is on the map. */
  hovering: boolean;
  pointer: { place: Point | null } | null;
  picked: Picked | null;
  /** What has to be drawn anew. */
  asked: Frame | "";
  colors: Colors;
};

/** "overlay" for what moves, "base" for everything. */
type Frame = "overlay" | "base";

type Near = { place: number; far: number };

// --- the list of rules

type Sorting = "number" | "outcome" | "support" | "confidence" | "conditions" | "conflicts";

type RuleView = "cards" | "table";

type RuleList = {
  /** What the reader chose; null as long as nothing was. */
  view: RuleView | null;
  sorting: Sorting;
  descending: boolean;
  limit: number;
  /** The rules that are asked for, in their order. */
  places: number[];
  onPaper: boolean;
  /** A rule that a link led to. */
  pinned: number | null;
  marked: HTMLElement | undefined;
  /** The words of each rule that a search looks in. */
  texts: string[] | null;
  /** The elements of rules, made when they are first shown. */
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

/** Which instances a table is about. */
type LeftOut = "uncovered" | "contradicted" | "outside";

/** How many instances the file holds, of how many in all; more: perhaps further ones. */
type Held = { held: number; total: number; more?: boolean };

/** A cell of the table of what is taken for what. */
type ConfusionCell = { truth: number; said: number; count: number; group: (place: number) => number };

type Confusion = {
  cells: Map<string, number>;
  had: Map<number, number>;
  said: Map<number, number>;
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
