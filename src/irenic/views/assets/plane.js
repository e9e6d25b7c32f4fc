// The plane of two features: its cells between the cuts of rules, what covers them, where they lie on the
// screen, and how they are drawn. What the map shows is in map.js.

/** The cells of a feature: between two neighbours of them some rule of the model begins or ends. Each has a
 * `value` that stands for all of it; a continuous one reaches from `low` to below `high`. */
function axisCells(model, feature) {
  if (feature === null) return [{ value: undefined }];
  if (isCategory(feature)) return categoryOrder(feature).map((code) => ({ value: code }));
  const start = feature.lowest ?? LOWEST;
  const end = feature.end ?? Infinity;
  const found = new Set();
  for (const rule of model.rules) for (const cut of conditionOn(rule.box, feature.name) ?? []) found.add(cut);
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
  const spans = [];
  cells.forEach((cell, i) => {
    if (!holds(feature, condition, cell.value)) return;
    if (spans.at(-1)?.[1] === i) spans.at(-1)[1] = i + 1;
    else spans.push([i, i + 1]);
  });
  return spans;
}

/** The rectangles of cells [x from, x to, y from, y to) in which a box can hold. */
function rectanglesOf(box, plane) {
  const across = spansOf(box, plane.x, plane.xs);
  return spansOf(box, plane.y, plane.ys).flatMap((up) => across.map((span) => [...span, ...up]));
}

/** How many of the boxes can hold in each cell. Their corners are noted and then summed, so that the work
 * does not grow with the area of the boxes. */
function countBoxes(rectangles, width, height) {
  const sums = new Int32Array((width + 1) * (height + 1));
  for (const [left, right, bottom, top] of rectangles) {
    sums[bottom * (width + 1) + left] += 1;
    sums[bottom * (width + 1) + right] -= 1;
    sums[top * (width + 1) + left] -= 1;
    sums[top * (width + 1) + right] += 1;
  }
  const counts = new Int32Array(width * height);
  for (let j = 0; j < height; j++) {
    let row = 0;
    for (let i = 0; i < width; i++) {
      row += sums[j * (width + 1) + i];
      counts[j * width + i] = row + (j ? counts[(j - 1) * width + i] : 0);
    }
  }
  return counts;
}

/** The plane of two features, y null for a strip. `others` fixes the features that are not on it; with null they
 * are projected: a rule is where it can hold for some values of them. `outcomes[j * width + i]` is how many
 * different outcomes rules have in a cell: 0 is a gap, 2 and more a contradiction where rules must agree. */
function sliceCells(model, x, y, others) {
  const plane = { x, y, xs: axisCells(model, x), ys: axisCells(model, y) };
  const [width, height] = [plane.xs.length, plane.ys.length];
  plane.live = model.rules.map((rule, place) => place).filter((place) => canHold(model.rules[place].box, plane, others));
  plane.rectangles = new Map(plane.live.map((place) => [place, rectanglesOf(model.rules[place].box, plane)]));
  plane.outcomes = new Uint16Array(width * height);
  for (const outcome of new Set(plane.live.map((place) => model.rules[place].outcome))) {
    const same = plane.live.filter((place) => model.rules[place].outcome === outcome);
    const counts = countBoxes(same.flatMap((place) => plane.rectangles.get(place)), width, height);
    counts.forEach((count, cell) => (plane.outcomes[cell] += count > 0));
  }
  return plane;
}

/** Whether a box can hold on the plane, given what the other features are. */
function canHold(box, plane, others) {
  if (others === null) return true;
  return Object.keys(box).every((name) => {
    if (name === plane.x?.name || name === plane.y?.name) return true;
    return holds(featuresByName.get(name), box[name], others[name]);
  });
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
    done.push(...open.values());
    open = next;
  }
  return [...done, ...open.values()];
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
 * place of a value, and the value at a place. */
function makeScale(feature, cells, length, band) {
  if (feature === null) return stripScale(length);
  return isCategory(feature) ? bandScale(feature, cells, length) : numberScale(feature, cells, length, band);
}

function stripScale(length) {
  const cells = [{ from: 0, to: length }];
  return { cells, place: () => length / 2, at: () => undefined, spread: () => length * 0.7, ticks: [] };
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
  const pixel = (value) => left + clamp((value / 2 - low / 2) / (high / 2 - low / 2), 0, 1) * (length - left);
  const laid = cells.map((cell) => {
    if (cell.value === null) return { ...cell, from: 0, to: band };
    return { ...cell, from: cell.low <= low ? left : pixel(cell.low), to: cell.high >= high ? length : pixel(cell.high) };
  });
  const perPixel = (high - low) / (length - left);
  const step = few ? feature.step / perPixel : 0;
  return {
    cells: laid,
    place: (value) => (value === null ? band / 2 : pixel(value + shift)),
    at: (place) => valueAt(feature, laid, place, left, low + (place - left) * perPixel, perPixel),
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
function valueAt(feature, cells, place, left, raw, perPixel) {
  const thin = cells.find((cell) => cell.to - cell.from < 4 && Math.abs((cell.from + cell.to) / 2 - place) <= 3);
  if (thin) return thin.value;
  if (place < left - BAND_GAP / 2) return null;
  const greatest = feature.end === null ? Number.MAX_VALUE : valueBefore(feature, feature.end);
  const value = clamp(roundTo(feature, raw, perPixel), feature.lowest ?? LOWEST, greatest);
  const inside = (number) => cells.findIndex((cell) => cell.value !== null && cell.low <= number && number < cell.high);
  // rounding must not carry it over a cut
  return inside(value) === inside(raw) || feature.step ? value : raw;
}

function roundTo(feature, raw, perPixel) {
  if (feature.kind === "datetime" || feature.kind === "time" || feature.kind === "duration") {
    const unit = [86_400e6, 3600e6, 60e6, 1e6].find((size) => size <= perPixel) ?? 1e6;
    return Math.floor(raw / unit) * unit;
  }
  if (feature.step) return Math.floor(raw / feature.step) * feature.step;
  const unit = 10 ** Math.floor(Math.log10(perPixel));
  return Number((Math.round(raw / unit) * unit).toPrecision(12));
}

// --- drawing

/** Ask for a frame: "overlay" for what moves, "base" for everything. Many wishes make one frame. */
function askFrame(what) {
  const first = mapView.asked === "";
  if (mapView.asked !== "base") mapView.asked = what;
  if (first) requestAnimationFrame(() => drawFrame(mapView.asked));
}

function drawFrame(what) {
  mapView.asked = "";
  const canvas = document.getElementById("map-canvas");
  const width = Math.floor(document.getElementById("map-frame").clientWidth);
  if (width < 40) return;
  if (what === "base" || mapView.base === null) drawBase(canvas, width);
  const ratio = window.devicePixelRatio || 1;
  const pen = canvas.getContext("2d");
  pen.setTransform(1, 0, 0, 1, 0, 0);
  pen.clearRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(mapView.base, 0, 0);
  pen.drawImage(mapView.points, 0, 0);
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  drawOverlay(pen);
}

/** The colours of the page as they are now. */
function mapColours() {
  const style = getComputedStyle(document.documentElement);
  const of = (name) => style.getPropertyValue(`--${name}`).trim();
  const names = ["ink", "muted", "faint", "line", "raised", "bad", "none", "focus"];
  const found = Object.fromEntries(names.map((name) => [name, of(name)]));
  found.outcomes = Array.from({ length: 9 }, (_, i) => of(`outcome-${i}`));
  found.outcome = (place) => (place === null || place < 0 ? found.none : found.outcomes[Math.min(place, 8)]);
  return found;
}

function drawBase(canvas, width) {
  const height = mapView.y ? Math.round(clamp(width * 0.62, 300, 560)) : 170;
  const ratio = window.devicePixelRatio || 1;
  mapView.colours = mapColours();
  layOutMap(canvas, width, height);
  Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
  [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
  mapView.base = layer(canvas, ratio, drawRulesLayer);
  renewPoints(canvas, ratio);
  drawLegend();
}

/** Draw the points anew only if something about them changed: ten thousand take longer than a frame. */
function renewPoints(canvas, ratio) {
  const { x, y, mode, onlyUncovered, colours, box } = mapView;
  const key = JSON.stringify([x, y, mode, onlyUncovered, colours, box, ratio, canvas.width, canvas.height, state.model]);
  if (key === mapView.pointsKey) return;
  mapView.pointsKey = key;
  mapView.at = placePoints();
  mapView.points = layer(canvas, ratio, drawPointsLayer);
}

function layer(canvas, ratio, draw) {
  const made = document.createElement("canvas");
  [made.width, made.height] = [canvas.width, canvas.height];
  const pen = made.getContext("2d");
  pen.scale(ratio, ratio);
  draw(pen);
  return made;
}

function mapFont(size = MAP_FONT, weight = "") {
  return `${weight} ${size}px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif`;
}

/** Where the drawing area lies: as much room at the left as the texts there need. */
function layOutMap(canvas, width, height) {
  const pen = canvas.getContext("2d");
  pen.font = mapFont();
  const { plane } = mapView;
  const [top, bottom, right] = [10, 46, 12];
  const up = makeScale(plane.y, plane.ys, height - top - bottom, 22);
  const widest = Math.max(0, ...up.ticks.map((tick) => pen.measureText(tick.text).width));
  const left = mapView.y ? Math.min(widest, width * 0.25, 150) + 34 : 14;
  mapView.box = { left, top, width: width - left - right, height: height - top - bottom };
  mapView.scales = { x: makeScale(plane.x, plane.xs, mapView.box.width, 50), y: up };
}

const onX = (place) => mapView.box.left + place;
const onY = (place) => mapView.box.top + mapView.box.height - place;

/** The rectangle on the screen of a rectangle of cells. */
function screenRectangle([left, right, bottom, top]) {
  const { x, y } = mapView.scales;
  const [from, to] = [onX(x.cells[left].from), onX(x.cells[right - 1].to)];
  const [low, high] = [onY(y.cells[bottom].from), onY(y.cells[top - 1].to)];
  return widened(from, high, to - from, low - high);
}

/** What is too narrow to be seen is drawn two pixels wide: it is there. */
function widened(left, top, width, height) {
  const [w, t] = [Math.max(width, 2), Math.max(height, 2)];
  return [left - (w - width) / 2, top - (t - height) / 2, w, t];
}

function drawRulesLayer(pen) {
  const { box, plane, colours, conflicts } = mapView;
  pen.fillStyle = colours.raised;
  pen.fillRect(box.left, box.top, box.width, box.height);
  drawAxes(pen);
  pen.save();
  pen.beginPath();
  pen.rect(box.left, box.top, box.width, box.height);
  pen.clip();
  fillCells(pen, mergeCells(plane, (cell) => plane.outcomes[cell] === 0), hatching(pen, colours.none, false));
  // later rules below: where the first decides it is on top
  const drawn = plane.live.filter((place) => !isEverywhere(place));
  for (const place of drawn.reverse()) drawRule(pen, place, false, drawn.length);
  if (plane.rectangles.has(state.rule)) drawRule(pen, state.rule, true, 1);
  drawConflicts(pen, (cell) => conflicts[cell] > 0);
  pen.restore();
  pen.strokeStyle = colours.muted;
  pen.lineWidth = 1;
  pen.strokeRect(box.left, box.top, box.width, box.height);
}

function drawRule(pen, place, focused, crowd) {
  const colour = mapView.colours.outcome(model().rules[place].outcome);
  pen.fillStyle = colour;
  pen.strokeStyle = focused ? mapView.colours.ink : colour;
  pen.lineWidth = focused ? 3 : 1;
  for (const rectangle of mapView.plane.rectangles.get(place)) {
    const drawn = screenRectangle(rectangle);
    pen.globalAlpha = focused ? 0.35 : clamp(3 / crowd, 0.03, 0.2); // many overlap
    pen.fillRect(...drawn);
    pen.globalAlpha = focused ? 1 : crowd > 60 ? 0.4 : 0.8;
    pen.strokeRect(...drawn);
  }
  pen.globalAlpha = 1;
}

function drawConflicts(pen, test) {
  const { plane, colours, scales } = mapView;
  const merged = mergeCells(plane, test);
  if (!merged.length) return;
  fillCells(pen, merged, hatching(pen, colours.bad, true));
  const line = (cells, i) => (i < cells.length ? cells[i].from : cells.at(-1).to);
  const [xs, ys] = [scales.x.cells, scales.y.cells];
  pen.beginPath();
  for (const [across, at, from, to] of outlineCells(plane, test)) {
    if (across) {
      pen.moveTo(onX(line(xs, from)), onY(line(ys, at)));
      pen.lineTo(onX(xs[to - 1].to), onY(line(ys, at)));
    } else {
      pen.moveTo(onX(line(xs, at)), onY(line(ys, from)));
      pen.lineTo(onX(line(xs, at)), onY(ys[to - 1].to));
    }
  }
  pen.strokeStyle = colours.bad;
  pen.lineWidth = 2.5;
  pen.setLineDash([7, 4]);
  pen.stroke();
  pen.setLineDash([]);
}

function fillCells(pen, rectangles, style) {
  pen.fillStyle = style;
  pen.beginPath();
  for (const rectangle of rectangles) pen.rect(...screenRectangle(rectangle));
  pen.fill();
}

/** Lines at a slant, or crossing ones. */
function hatching(pen, colour, crossed) {
  const size = 8;
  const ratio = window.devicePixelRatio || 1;
  const tile = document.createElement("canvas");
  tile.width = tile.height = Math.round(size * ratio);
  const brush = tile.getContext("2d");
  brush.scale(tile.width / size, tile.width / size);
  brush.strokeStyle = colour;
  brush.globalAlpha = crossed ? 0.75 : 0.5;
  brush.lineWidth = 1;
  brush.beginPath();
  for (const shift of [-size, 0, size]) {
    brush.moveTo(shift - 1, size + 1);
    brush.lineTo(shift + size + 1, -1);
    if (crossed) brush.moveTo(shift - 1, -1);
    if (crossed) brush.lineTo(shift + size + 1, size + 1);
  }
  brush.stroke();
  const pattern = pen.createPattern(tile, "repeat");
  pattern.setTransform(new DOMMatrix().scale(size / tile.width));
  return pattern;
}

// --- axes

function drawAxes(pen) {
  const { box, colours, scales, plane } = mapView;
  pen.font = mapFont();
  pen.fillStyle = colours.muted;
  pen.strokeStyle = colours.line;
  pen.lineWidth = 1;
  drawTicksAcross(pen, scales.x.ticks, plane.x);
  if (plane.y) drawTicksUp(pen, scales.y.ticks, plane.y);
  pen.fillStyle = colours.ink;
  pen.font = mapFont(13, "600");
  pen.textAlign = "center";
  pen.textBaseline = "alphabetic";
  pen.fillText(fitted(pen, axisTitle(plane.x), box.width), box.left + box.width / 2, box.top + box.height + 38);
  if (!plane.y) return;
  pen.save();
  pen.translate(14, box.top + box.height / 2);
  pen.rotate(-Math.PI / 2);
  pen.fillText(fitted(pen, axisTitle(plane.y), box.height), 0, 0);
  pen.restore();
}

const axisTitle = (feature) => (feature.unit ? `${feature.name} (${feature.unit})` : feature.name);

function drawTicksAcross(pen, ticks, feature) {
  const { box } = mapView;
  pen.textAlign = "center";
  pen.textBaseline = "top";
  let free = -Infinity; // where the last text ended
  for (const tick of ticks) {
    const text = fitted(pen, tick.text, isCategory(feature) ? Math.max(tick.room - 6, 56) : 120);
    const half = pen.measureText(text).width / 2;
    const at = clamp(onX(tick.at), box.left + half - 12, box.left + box.width - half + 10);
    if (!isCategory(feature) && !tick.missing) drawGuide(pen, onX(tick.at), box.top, onX(tick.at), box.top + box.height + 4);
    if (at - half < free + 6) continue;
    pen.fillText(text, at, box.top + box.height + 7);
    free = at + half;
  }
}

function drawTicksUp(pen, ticks, feature) {
  const { box } = mapView;
  pen.textAlign = "right";
  pen.textBaseline = "middle";
  let free = Infinity;
  for (const tick of ticks) {
    const at = onY(tick.at);
    if (!isCategory(feature) && !tick.missing) drawGuide(pen, box.left - 4, at, box.left + box.width, at);
    if (at + 8 > free) continue;
    pen.fillText(fitted(pen, tick.text, box.left - 34), box.left - 8, at);
    free = at - 6;
  }
}

function drawGuide(pen, x0, y0, x1, y1) {
  pen.beginPath();
  pen.moveTo(x0, y0);
  pen.lineTo(x1, y1);
  pen.stroke();
}

/** A text that is cut where there is no room for all of it. */
function fitted(pen, text, room) {
  if (pen.measureText(text).width <= room) return text;
  let [low, high] = [0, Math.min(text.length, 200)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (pen.measureText(`${text.slice(0, middle)}…`).width <= room) low = middle;
    else high = middle - 1;
  }
  return `${text.slice(0, low)}…`;
}

// --- points

/** Where the instances lie on the screen. Those of one value are spread over its band, always the same way. */
function placePoints() {
  const { instances } = summary;
  const n = instances?.shown ?? 0;
  const found = { x: new Float32Array(n), y: new Float32Array(n), n };
  const { scales, plane } = mapView;
  const columns = [plane.x, plane.y].map((feature) => feature && instances?.columns[feature.name]);
  for (let i = 0; i < n; i++) {
    const [a, b] = [columns[0][i], columns[1]?.[i]];
    found.x[i] = onX(scales.x.place(a) + scales.x.spread(a) * scatter(i, 1));
    found.y[i] = onY(scales.y.place(b) + scales.y.spread(b) * scatter(i, 2));
  }
  return found;
}

/** A number from -1/2 to 1/2 that depends on nothing but the instance. */
function scatter(i, salt) {
  const mixed = Math.imul(i + 1, salt === 1 ? 2654435761 : 1597334677) >>> 0;
  return mixed / 2 ** 32 - 0.5;
}

function isPointDrawn(i) {
  return !mapView.onlyUncovered || uncoveredInstances(model())[i] === 1;
}

function drawPointsLayer(pen) {
  const { at, colours } = mapView;
  const outcomes = summary.instances?.outcomes;
  const size = at.n > 3000 ? 2.2 : at.n > 500 ? 3 : 4;
  const faint = mapView.mode === "fixed" && otherFeatures().length > 0;
  pen.globalAlpha = (at.n > 3000 ? 0.45 : at.n > 500 ? 0.65 : 0.9) * (faint ? 0.4 : 1);
  const groups = new Map();
  for (let i = 0; i < at.n; i++) {
    if (!isPointDrawn(i)) continue;
    const outcome = outcomes ? outcomes[i] : null;
    if (!groups.has(outcome)) groups.set(outcome, []);
    groups.get(outcome).push(i);
  }
  for (const [outcome, places] of groups) {
    pen.beginPath();
    for (const i of places) traceShape(pen, outcome, at.x[i], at.y[i], size);
    paintShape(pen, outcome, outcome === null ? colours.ink : colours.outcome(outcome), size);
  }
  pen.globalAlpha = 1;
}

const shapeOf = (outcome) => (outcome === null ? "circle" : SHAPES[Math.min(outcome, SHAPES.length - 1)]);

/** Add the shape of an outcome to the path: colour is not the only sign. */
function traceShape(pen, outcome, x, y, r) {
  const polygon = (...corners) => {
    corners.forEach(([dx, dy], i) => (i ? pen.lineTo(x + dx * r, y + dy * r) : pen.moveTo(x + dx * r, y + dy * r)));
    pen.closePath();
  };
  const line = (x0, y0, x1, y1) => {
    pen.moveTo(x + x0 * r, y + y0 * r);
    pen.lineTo(x + x1 * r, y + y1 * r);
  };
  const shapes = {
    circle: () => { pen.moveTo(x + r, y); pen.arc(x, y, r, 0, 7); },
    ring: () => { pen.moveTo(x + r, y); pen.arc(x, y, r, 0, 7); },
    square: () => pen.rect(x - r * 0.9, y - r * 0.9, r * 1.8, r * 1.8),
    triangle: () => polygon([0, -1.2], [1.1, 0.8], [-1.1, 0.8]),
    down: () => polygon([0, 1.2], [1.1, -0.8], [-1.1, -0.8]),
    diamond: () => polygon([0, -1.3], [1.1, 0], [0, 1.3], [-1.1, 0]),
    plus: () => { line(-1.2, 0, 1.2, 0); line(0, -1.2, 0, 1.2); },
    cross: () => { line(-1, -1, 1, 1); line(-1, 1, 1, -1); },
    bar: () => line(-1.2, 0, 1.2, 0),
  };
  shapes[shapeOf(outcome)]();
}

function paintShape(pen, outcome, colour, size) {
  const open = ["plus", "cross", "bar", "ring"].includes(shapeOf(outcome));
  pen.fillStyle = pen.strokeStyle = colour;
  pen.lineWidth = open ? Math.max(1.4, size * 0.5) : 0.5;
  if (open) return pen.stroke();
  pen.fill();
  pen.strokeStyle = mapView.colours.raised; // points that touch stay apart
  return size > 2.5 && pen.stroke();
}
