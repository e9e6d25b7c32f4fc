// The plane of two features: its cells between the cuts of rules, what covers them, and where they lie on the
// screen. canvas.js draws it; what the map shows is in map.js.

const MOST_CELLS = 1_500_000; // beyond, what no rule covers and what is contradicted is not worked out
const MOST_PAIRS = 40; // beyond, contradictions are outlined together: each for itself would be a tangle

/** The cells of a feature: between two neighbours of them some of the boxes begins or ends, or what can occur. Each
 * has a `value` that stands for all of it; a continuous one reaches from `low` to below `high`. */
function axisCells(boxes, feature) {
  if (feature === null) return [{ value: undefined }];
  if (isCategory(feature)) return categoryOrder(feature).map((code) => ({ value: code }));
  const start = feature.lowest ?? LOWEST;
  const end = feature.end ?? Infinity;
  const found = new Set();
  const note = (box) => (conditionOn(box, feature.name) ?? []).forEach((cut) => found.add(cut));
  boxes.forEach(note);
  outsideBoxes.forEach(note);
  const cuts = [...found].filter((cut) => cut !== null && start < cut && cut < end).sort((a, b) => a - b);
  const bounds = [start, ...cuts, end];
  const cells = bounds.slice(0, -1).map((low, i) => ({ value: low, low, high: bounds[i + 1] }));
  return feature.missing ? [{ value: null }, ...cells] : cells;
}

/** Codes as they are drawn: missing at the edge, then the values, then all others. */
function categoryOrder(feature) {
  const rank = (code) => (code === OTHER_CODE ? Infinity : code);
  return [...feature.admitted].sort((a, b) => rank(a) - rank(b));
}

/** The runs [from, to) of cells in which a box can hold. */
function spansOf(box, feature, cells) {
  const condition = feature === null ? null : conditionOn(box, feature.name);
  if (condition === null) return [[0, cells.length]];
  if (isCategory(feature)) return runsOf(cells, new Set(condition));
  // an open lower side admits what is missing, which is the first cell
  const from = condition[0] === null ? 0 : firstCellFrom(cells, condition[0]);
  const to = condition[1] === null ? cells.length : firstCellFrom(cells, condition[1]);
  return from < to ? [[from, to]] : [];
}

function runsOf(cells, codes) {
  const spans = [];
  cells.forEach((cell, i) => {
    if (!codes.has(cell.value)) return;
    if (spans.at(-1)?.[1] === i) spans.at(-1)[1] = i + 1;
    else spans.push([i, i + 1]);
  });
  return spans;
}

/** The first cell of numbers that begins at a cut or above, found by halving: there may be thousands. */
function firstCellFrom(cells, cut) {
  let [low, high] = [cells[0].value === null ? 1 : 0, cells.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (cells[middle].low >= cut) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The rectangles of cells [x from, x to, y from, y to) in which a box can hold. */
function rectanglesOf(box, plane) {
  const across = spansOf(box, plane.x, plane.xs);
  return spansOf(box, plane.y, plane.ys).flatMap((up) => across.map((span) => [...span, ...up]));
}

/** The plane of two features, y null for a strip. `others` fixes the features that are not on it; with null they
 * are projected: a rule is where it can hold for some values of them. `live` are the rules that can hold here, the
 * first to decide first, and `rectangles` where. `outcomes[j * width + i]` is how many different outcomes rules have
 * in a cell, 2 for two and more: 0 is a gap, 2 a contradiction where rules must agree. `bare` are the cells in which
 * only rules hold that ask for neither feature, and `outside` those that cannot occur. All three are null if
 * there are too many cells. */
function sliceCells(model, x, y, others) {
  const plane = { x, y, others };
  const places = model.order ?? model.rules.map((rule, place) => place);
  plane.live = places.filter((place) => canHold(model.rules[place].box, plane, others));
  const boxes = plane.live.map((place) => model.rules[place].box); // the others cut nothing here
  [plane.xs, plane.ys] = [axisCells(boxes, x), axisCells(boxes, y)];
  plane.rectangles = new Map(plane.live.map((place) => [place, rectanglesOf(model.rules[place].box, plane)]));
  const counted = plane.xs.length * plane.ys.length <= MOST_CELLS;
  Object.assign(plane, counted ? paintCells(plane, model) : { outcomes: null, bare: null });
  plane.outside = counted ? outsideCells(plane) : null;
  return plane;
}

/** Whether a rule asks for neither feature of a plane. */
function asksNeither(box, plane) {
  return ![plane.x, plane.y].some((feature) => feature && Object.hasOwn(box, feature.name));
}

/** Whether a box can hold on the plane, given what the other features are. */
function canHold(box, plane, others) {
  if (others === null) return true;
  return Object.keys(box).every((name) => {
    if (name === plane.x?.name || name === plane.y?.name) return true;
    return holds(featuresByName.get(name), box[name], others[name]);
  });
}

/** Paint all rules at once, row by row, whatever the number of outcomes. In each cell the number of rules n, the sum s
 * of their outcomes and that of the squares q are kept: all outcomes are the same if and only if n q = s s. */
function paintCells(plane, model) {
  const [width, height] = [plane.xs.length, plane.ys.length];
  const found = { outcomes: new Uint8Array(width * height), bare: new Uint8Array(width * height) };
  const everywhere = plane.live.filter((place) => asksNeither(model.rules[place].box, plane)).length;
  const starts = rowEvents(plane, model, height);
  const [n, s, q] = [new Int32Array(width + 1), new Float64Array(width + 1), new Float64Array(width + 1)];
  for (let j = 0; j < height; j++) {
    for (const [[left, right], outcome, sign] of starts[j]) {
      for (const [at, turn] of [[left, sign], [right, -sign]]) {
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

/** For each row what begins and ends there: [rectangle, outcome, 1 or -1]. */
function rowEvents(plane, model, height) {
  const rows = Array.from({ length: height + 1 }, () => []);
  for (const [place, rectangles] of plane.rectangles) {
    for (const rectangle of rectangles) {
      rows[rectangle[2]].push([rectangle, model.rules[place].outcome, 1]);
      rows[rectangle[3]].push([rectangle, model.rules[place].outcome, -1]);
    }
  }
  return rows;
}

/** Which cells cannot occur; where the other features are open, whatever these are. */
function outsideCells(plane) {
  const onPlane = (box) => Object.keys(box).every((name) => name === plane.x?.name || name === plane.y?.name);
  const boxes = outsideBoxes.filter((box) => (plane.others === null ? onPlane(box) : canHold(box, plane, plane.others)));
  return cellsOf(boxes.flatMap((box) => rectanglesOf(box, plane)), plane);
}

/** The cells that rectangles hold, a 1 each. */
function cellsOf(rectangles, plane) {
  const width = plane.xs.length;
  const cells = new Uint8Array(width * plane.ys.length);
  for (const [left, right, bottom, top] of rectangles) {
    for (let j = bottom; j < top; j++) cells.fill(1, j * width + left, j * width + right);
  }
  return cells;
}

/** The rectangles in which two rules of different outcomes meet, of each pair those of its own; null if there
 * are too many. */
function meetingRectangles(plane, model) {
  const found = new Map(); // several pairs may meet in the same place
  const { live, rectangles } = plane;
  if (live.length > 10 * MOST_PAIRS) return null; // even if few of them meet, that takes too long to find out
  for (let a = 0; a < live.length; a++) {
    for (let b = a + 1; b < live.length; b++) {
      if (model.rules[live[a]].outcome === model.rules[live[b]].outcome) continue;
      for (const one of rectangles.get(live[a])) {
        for (const other of rectangles.get(live[b])) {
          const common = commonRectangle(one, other);
          if (common) found.set(common.join(), common);
        }
      }
      if (found.size > MOST_PAIRS) return null;
    }
  }
  return [...found.values()];
}

function commonRectangle(one, other) {
  const [left, right] = [Math.max(one[0], other[0]), Math.min(one[1], other[1])];
  const [bottom, top] = [Math.max(one[2], other[2]), Math.min(one[3], other[3])];
  return left < right && bottom < top ? [left, right, bottom, top] : null;
}

/** The cells for which a test holds, as few rectangles of cells: runs along a row, joined with equal ones above. */
function mergeCells(plane, test) {
  const width = plane.xs.length;
  const done = [];
  let open = new Map();
  for (let j = 0; j < plane.ys.length; j++) {
    const next = new Map();
    for (let i = 0; i < width; i++) {
      if (!test(j * width + i)) continue;
      const from = i;
      while (i < width && test(j * width + i)) i++;
      const key = from * (width + 1) + i;
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

/** The edges between cells for which a test holds and those for which not: [across, line, from, to] in cells. */
function outlineCells(plane, test) {
  const [width, height] = [plane.xs.length, plane.ys.length];
  const inside = (i, j) => i >= 0 && j >= 0 && i < width && j < height && test(j * width + i);
  const edges = [];
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

// --- where cells lie on the screen

const BAND_GAP = 6; // between the band of missing values and the numbers
const FEW_STEPS = 120; // up to here whole numbers are drawn in the middle of their cell

/** A scale of `length` pixels, `band` of them for missing values: `cells` with `from` and `to` in pixels, the
 * place of a value, the value at a place, and the `spans` [from, to] of a condition, which need not end at cells. */
function makeScale(feature, cells, length, band) {
  if (feature === null) return stripScale(length);
  return isCategory(feature) ? bandScale(feature, cells, length) : numberScale(feature, cells, length, band);
}

function stripScale(length) {
  const cells = [{ from: 0, to: length }];
  const spans = () => [[0, length]];
  return { cells, place: () => length / 2, at: () => undefined, spread: () => length * 0.7, spans, ticks: [] };
}

function bandScale(feature, cells, length) {
  const size = length / cells.length;
  const order = new Map(cells.map((cell, i) => [cell.value, i]));
  const laid = cells.map((cell, i) => ({ ...cell, from: i * size, to: (i + 1) * size }));
  const name = (code) => (code === OTHER_CODE ? "other" : feature.values[code]);
  return {
    cells: laid,
    place: (code) => ((order.get(code) ?? 0) + 0.5) * size,
    at: (pixel) => cells[Math.max(0, Math.min(cells.length - 1, Math.floor(pixel / size)))].value,
    spread: () => size * 0.7,
    spans: (condition) => runsOf(cells, new Set(condition ?? feature.admitted)).map((run) => run.map((i) => i * size)),
    ticks: laid.map((cell) => ({ at: (cell.from + cell.to) / 2, text: name(cell.value), room: size })),
  };
}

function numberScale(feature, cells, length, band) {
  const left = feature.missing ? band + BAND_GAP : 0;
  const low = feature.range[0];
  // the last of whole numbers needs room too: it reaches to the next
  const high = Math.min(feature.range[1] + feature.step, Math.max(feature.end ?? Infinity, feature.range[1]));
  const few = feature.step > 0 && (high - low) / feature.step <= FEW_STEPS;
  const shift = few ? feature.step / 2 : 0;
  const pixel = (value) => left + shareBetween(value, low, high) * (length - left);
  const laid = cells.map((cell) => {
    if (cell.value === null) return { ...cell, from: 0, to: band };
    return { ...cell, from: cell.low <= low ? left : pixel(cell.low), to: cell.high >= high ? length : pixel(cell.high) };
  });
  const spans = ([lower, upper]) => [[
    lower === null ? 0 : lower <= low ? left : pixel(lower),
    upper === null || upper >= high ? length : upper <= (feature.lowest ?? LOWEST) ? band : pixel(upper),
  ]];
  const perPixel = high / (length - left) - low / (length - left); // high - low may be beyond all numbers
  const raw = (place) => {
    const share = clamp((place - left) / (length - left), 0, 1);
    return low * (1 - share) + high * share;
  };
  const step = few ? feature.step / perPixel : 0;
  return {
    cells: laid,
    place: (value) => (value === null ? band / 2 : pixel(value + shift)),
    at: (place) => valueAt(feature, laid, place, left, raw(place), perPixel),
    spans: (condition) => spans(condition ?? [null, null]),
    spread: (value) => (value === null ? band * 0.6 : step > 8 ? step * 0.6 : 0),
    ticks: numberTicks(feature, low, high, pixel, shift, length - left, band),
  };
}

const clamp = (value, low, high) => Math.max(low, Math.min(high, value));

function numberTicks(feature, low, high, pixel, shift, length, band) {
  const wide = feature.kind === "date" || feature.kind === "datetime" ? 110 : 64;
  const ticks = niceTicks(feature, low, high, Math.max(3, Math.floor(length / wide)));
  const found = ticks.map((value) => ({ at: pixel(value + shift), text: formatTick(feature, value), room: wide }));
  return feature.missing ? [{ at: band / 2, text: "missing", room: band, missing: true }, ...found] : found;
}

/** A readable value at a place on the screen. Cells too narrow to be hit are met from near. */
function valueAt(feature, cells, place, left, exact, perPixel) {
  const thin = cells.find((cell) => cell.to - cell.from < 4 && Math.abs((cell.from + cell.to) / 2 - place) <= 3);
  if (thin) return thin.value;
  if (place < left - BAND_GAP / 2) return null;
  const most = feature.end === null ? Number.MAX_VALUE : valueBefore(feature, feature.end);
  const admitted = (number) => clamp(number, feature.lowest ?? LOWEST, most);
  const inside = (number) => cells.findIndex((cell) => cell.value !== null && cell.low <= number && number < cell.high);
  const here = inside(admitted(exact));
  const values = roundings(feature, exact, perPixel).map(admitted);
  return values.find((value) => inside(value) === here) ?? values.at(-1); // rounding must not carry it over a cut
}

const CLOCK_UNITS = [86_400e6, 3600e6, 60e6, 1e6, 1e5, 1e4, 1e3, 100, 10];

/** Values near a place, from those that read most easily to the most exact. */
function roundings(feature, exact, perPixel) {
  const floor = (unit) => Math.floor(exact / unit) * unit;
  if (feature.kind === "datetime" || feature.kind === "time" || feature.kind === "duration") {
    return [...CLOCK_UNITS.filter((unit) => unit <= perPixel).map(floor), floor(feature.step)];
  }
  if (feature.step) return [floor(feature.step)];
  const unit = 10 ** Math.floor(Math.log10(perPixel));
  const rounded = Number((Math.round(exact / unit) * unit).toPrecision(12));
  return Number.isFinite(rounded) ? [rounded, exact] : [exact]; // a unit can be too small to be a number
}
