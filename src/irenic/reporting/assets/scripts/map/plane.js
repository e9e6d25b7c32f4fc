// @ts-check
// The plane of two features: the cells between the cuts of rules, and the rules that cover them.

import { emptyCase, possibleRules } from "../engine/deciding.js";
import { conditionOn, impossibleRegions } from "../summary.js";
import { categoryOrder, isCategory, LOWEST } from "../values/features.js";

const CELL_LIMIT = 1_500_000; // gaps and conflicts of larger planes are not computed

export const PAIR_LIMIT = 40; // more conflicts are outlined together, because separate outlines would be a tangle

/**
 * The cells of a feature, bounded by the ends of boxes and of possible values. Each has a `value` that represents
 * it; cells of numbers extend from `low` to below `high`.
 * @param {Box[]} boxes
 * @param {FeatureRecord | null} feature
 * @returns {Cell[]}
 */
export function axisCells(boxes, feature) {
  if (feature === null) return [{ value: undefined }];
  if (isCategory(feature)) return categoryOrder(feature).map((code) => ({ value: code }));
  const start = feature.lowest ?? LOWEST;
  const end = feature.end ?? Infinity;
  /** @type {Set<Value>} */
  const ends = new Set();
  for (const box of [...boxes, ...impossibleRegions.map((region) => region.box)]) {
    for (const cut of conditionOn(box, feature.name) ?? []) ends.add(cut);
  }
  const cuts = [...ends]
    .filter((cut) => cut !== null)
    .filter((cut) => start < cut && cut < end)
    .sort((a, b) => a - b);
  const bounds = [start, ...cuts, end];
  const cells = bounds.slice(0, -1).map((low, i) => ({ value: low, low, high: bounds[i + 1] }));
  return feature.missing ? [{ value: null }, ...cells] : cells;
}

/**
 * The runs [from, to) of cells in which a box can hold.
 * @param {Box} box
 * @param {FeatureRecord | null} feature
 * @param {Cell[]} cells
 * @returns {[number, number][]}
 */
function spansOf(box, feature, cells) {
  const condition = feature && conditionOn(box, feature.name);
  if (feature === null || condition === null) return [[0, cells.length]];
  if (isCategory(feature)) return runsOf(cells, new Set(condition));
  // an open lower side admits missing values, which are the first cell
  const from = condition[0] === null ? 0 : firstCellFrom(cells, condition[0]);
  const to = condition[1] === null ? cells.length : firstCellFrom(cells, condition[1]);
  return from < to ? [[from, to]] : [];
}

/**
 * @param {Cell[]} cells
 * @param {Set<Value | undefined>} codes
 */
export function runsOf(cells, codes) {
  /** @type {[number, number][]} */
  const spans = [];
  cells.forEach((cell, i) => {
    if (!codes.has(cell.value)) return;
    const last = spans.at(-1);
    if (last?.[1] === i) last[1] = i + 1;
    else spans.push([i, i + 1]);
  });
  return spans;
}

/**
 * The first cell of numbers that begins at a cut or above, by binary search: there may be thousands.
 * @param {Cell[]} cells
 * @param {number} cut
 */
function firstCellFrom(cells, cut) {
  let [low, high] = [cells[0].value === null ? 1 : 0, cells.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((cells[middle].low ?? -Infinity) >= cut) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * The rectangles of cells [x from, x to, y from, y to) in which a box can hold.
 * @param {Box} box
 * @param {Axes} plane
 * @returns {CellRectangle[]}
 */
export function rectanglesOf(box, plane) {
  const across = spansOf(box, plane.x, plane.xs);
  return spansOf(box, plane.y, plane.ys).flatMap((up) =>
    across.map((span) => /** @type {CellRectangle} */ ([...span, ...up])),
  );
}

/**
 * The plane of two features; y is null for a strip. `others` fixes the other features; null projects them: rules
 * cover the cells where they can hold for some values of them. `live` are the rules that can hold here, in the order
 * of decisions, and `rectangles` their cells. `outcomes[j * width + i]` is the number of different outcomes in a
 * cell, 2 for two or more: 0 is a gap, 2 a conflict if rules must agree. `bare` are the cells in which only rules
 * hold that test neither feature, and `impossible` the impossible ones. All three are null if there are too many cells.
 * @param {ModelRecord} model
 * @param {FeatureRecord | null} x
 * @param {FeatureRecord | null} y
 * @param {Case | null} others
 * @returns {Plane}
 */
export function sliceCells(model, x, y, others) {
  const possible = new Set(possibleRules(model.rules, knownBeside({ x, y }, others)));
  const places = model.order ?? model.rules.map((_, place) => place);
  const live = places.filter((place) => possible.has(place));
  const boxes = live.map((place) => model.rules[place].box); // other rules have no cuts here
  const axes = { x, y, xs: axisCells(boxes, x), ys: axisCells(boxes, y) };
  const rectangles = new Map(live.map((place) => [place, rectanglesOf(model.rules[place].box, axes)]));
  const plane = { ...axes, others, live, rectangles, outcomes: null, bare: null, impossible: null };
  if (axes.xs.length * axes.ys.length > CELL_LIMIT) return plane;
  return { ...plane, ...paintCells(plane, model), impossible: impossibleCells(plane) };
}

/**
 * Whether a rule tests neither feature of a plane.
 * @param {Box} box
 * @param {Plane} plane
 */
export function testsNeither(box, plane) {
  return ![plane.x, plane.y].some((feature) => feature && Object.hasOwn(box, feature.name));
}

/**
 * The values that are the same on the whole plane: those of the other features, if they are fixed.
 * @param {Pick<Plane, "x" | "y">} plane
 * @param {Case | null} others
 */
export function knownBeside({ x, y }, others) {
  const known = Object.assign(emptyCase(), others);
  for (const feature of [x, y]) if (feature) delete known[feature.name];
  return known;
}

/**
 * Paint all rules at once, row by row, for any number of outcomes. Each cell has the number n of rules, the sum s of
 * their outcomes and the sum q of their squares: all outcomes are equal if and only if n q = s s.
 * @param {Plane} plane
 * @param {ModelRecord} model
 */
function paintCells(plane, model) {
  const [width, height] = [plane.xs.length, plane.ys.length];
  const found = { outcomes: new Uint8Array(width * height), bare: new Uint8Array(width * height) };
  const everywhere = plane.live.filter((place) => testsNeither(model.rules[place].box, plane)).length;
  const starts = rowEvents(plane, model, height);
  const [n, s, q] = [new Int32Array(width + 1), new Float64Array(width + 1), new Float64Array(width + 1)];
  for (let j = 0; j < height; j++) {
    for (const [[left, right], outcome, sign] of starts[j]) {
      for (const [at, turn] of [
        [left, sign],
        [right, -sign],
      ]) {
        n[at] += turn;
        s[at] += turn * outcome;
        q[at] += turn * outcome * outcome;
      }
    }
    let [count, sum, squares] = [0, 0, 0];
    for (let i = 0; i < width; i++) {
      count += n[i];
      sum += s[i];
      squares += q[i];
      const cell = j * width + i;
      found.outcomes[cell] = count === 0 ? 0 : count * squares === sum * sum ? 1 : 2;
      found.bare[cell] = count === everywhere ? 1 : 0;
    }
  }
  return found;
}

/**
 * The rectangles that begin and end in each row: [rectangle, outcome, 1 or -1].
 * @param {Plane} plane
 * @param {ModelRecord} model
 * @param {number} height
 */
function rowEvents(plane, model, height) {
  /** @type {[CellRectangle, number, number][][]} */
  const rows = Array.from({ length: height + 1 }, () => []);
  for (const [place, rectangles] of plane.rectangles) {
    for (const rectangle of rectangles) {
      rows[rectangle[2]].push([rectangle, model.rules[place].outcome, 1]);
      rows[rectangle[3]].push([rectangle, model.rules[place].outcome, -1]);
    }
  }
  return rows;
}

/**
 * A mask of the impossible cells; if other features are projected, of those that are impossible for all their values.
 * @param {Plane} plane
 */
function impossibleCells(plane) {
  /** @param {Box} box */
  const onPlane = (box) => Object.keys(box).every((name) => name === plane.x?.name || name === plane.y?.name);
  const possible = new Set(possibleRules(impossibleRegions, knownBeside(plane, plane.others)));
  const regions = impossibleRegions.filter(({ box }, place) =>
    plane.others === null ? onPlane(box) : possible.has(place),
  );
  return cellsOf(
    regions.flatMap(({ box }) => rectanglesOf(box, plane)),
    plane,
  );
}

/**
 * A mask of the cells in rectangles.
 * @param {CellRectangle[]} rectangles
 * @param {Plane} plane
 */
export function cellsOf(rectangles, plane) {
  const width = plane.xs.length;
  const cells = new Uint8Array(width * plane.ys.length);
  for (const [left, right, bottom, top] of rectangles) {
    for (let j = bottom; j < top; j++) cells.fill(1, j * width + left, j * width + right);
  }
  return cells;
}

/**
 * The rectangles in which two rules with different outcomes overlap, for each pair; null if there are too many.
 * @param {Plane} plane
 * @param {ModelRecord} model
 */
export function meetingRectangles(plane, model) {
  /** @type {Map<string, CellRectangle>} */
  const found = new Map(); // several pairs may overlap in the same cells
  const { live, rectangles } = plane;
  if (live.length > 10 * PAIR_LIMIT) return null; // comparing all pairs would take too long
  for (let a = 0; a < live.length; a++) {
    for (let b = a + 1; b < live.length; b++) {
      if (model.rules[live[a]].outcome === model.rules[live[b]].outcome) continue;
      for (const one of rectangles.get(live[a]) ?? []) {
        for (const other of rectangles.get(live[b]) ?? []) {
          const common = commonRectangle(one, other);
          if (common) found.set(common.join(), common);
        }
      }
      if (found.size > PAIR_LIMIT) return null;
    }
  }
  return [...found.values()];
}

/**
 * @param {CellRectangle} one
 * @param {CellRectangle} other
 * @returns {CellRectangle | null}
 */
function commonRectangle(one, other) {
  const [left, right] = [Math.max(one[0], other[0]), Math.min(one[1], other[1])];
  const [bottom, top] = [Math.max(one[2], other[2]), Math.min(one[3], other[3])];
  return left < right && bottom < top ? [left, right, bottom, top] : null;
}

/**
 * The cells for which a test holds, as few rectangles: runs along a row, merged with equal runs in the next row.
 * @param {Plane} plane
 * @param {(cell: number) => boolean} test
 */
export function mergeCells(plane, test) {
  const width = plane.xs.length;
  /** @type {CellRectangle[]} */
  const done = [];
  /** @type {Map<number, CellRectangle>} */
  let open = new Map();
  for (let j = 0; j < plane.ys.length; j++) {
    /** @type {typeof open} */
    const next = new Map();
    for (let i = 0; i < width; i++) {
      if (!test(j * width + i)) continue;
      const from = i;
      while (i < width && test(j * width + i)) i++;
      const key = from * (width + 1) + i;
      /** @type {CellRectangle} */
      const rectangle = open.get(key) ?? [from, i, j, j];
      rectangle[3] = j + 1;
      open.delete(key);
      next.set(key, rectangle);
    }
    for (const rectangle of open.values()) done.push(rectangle);
    open = next;
  }
  for (const rectangle of open.values()) done.push(rectangle);
  return done;
}

/**
 * The edges between cells for which a test holds and other cells: [horizontal, line, from, to] in cells.
 * @param {Plane} plane
 * @param {(cell: number) => boolean} test
 */
export function outlineCells(plane, test) {
  const [width, height] = [plane.xs.length, plane.ys.length];
  /**
   * @param {number} i
   * @param {number} j
   */
  const inside = (i, j) => i >= 0 && j >= 0 && i < width && j < height && test(j * width + i);
  /** @type {Edge[]} */
  const edges = [];
  /**
   * @param {boolean} across
   * @param {number} line
   * @param {number} length
   * @param {(k: number) => boolean} differs
   */
  const follow = (across, line, length, differs) => {
    for (let k = 0; k < length; k++) {
      if (!differs(k)) continue;
      const from = k;
      while (k < length && differs(k)) k++;
      edges.push([across, line, from, k]);
    }
  };
  for (let i = 0; i <= width; i++) follow(false, i, height, (j) => inside(i - 1, j) !== inside(i, j));
  for (let j = 0; j <= height; j++) follow(true, j, width, (i) => inside(i, j - 1) !== inside(i, j));
  return edges;
}
