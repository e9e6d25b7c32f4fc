// How the map is drawn: rules, gaps, conflicts, axes and points on a canvas, what moves above them, and the legend.

// What lies below the rules in a cell.
const GROUND = { rules: 0, gap: 1, open: 2, outside: 3 };

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

/** No higher than what is seen at once together with what is said of it. */
function mapHeight(width) {
  if (!mapView.y) return 170;
  return Math.round(clamp(width * 0.62, 240, clamp(window.innerHeight * 0.6, 240, 560)));
}

function drawBase(canvas, width) {
  const height = mapHeight(width);
  mapView.height = height;
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
  const widest = up.ticks.reduce((most, tick) => Math.max(most, pen.measureText(tick.text).width), 0);
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
  const { box, plane, colours } = mapView;
  pen.fillStyle = colours.raised;
  pen.fillRect(box.left, box.top, box.width, box.height);
  drawAxes(pen);
  pen.save();
  pen.beginPath();
  pen.rect(box.left, box.top, box.width, box.height);
  pen.clip();
  drawGround(pen);
  // the first to decide is on top
  for (let i = mapView.drawn.length - 1; i >= 0; i--) drawRule(pen, mapView.drawn[i], false, mapView.drawn.length);
  if (plane.rectangles.has(state.rule)) drawRule(pen, state.rule, true, 1);
  drawConflicts(pen);
  pen.restore();
  pen.strokeStyle = colours.muted;
  pen.lineWidth = 1;
  pen.strokeRect(box.left, box.top, box.width, box.height);
}

/** What lies below the rules: gaps, what cannot occur, and where only rules hold that are not drawn. */
function drawGround(pen) {
  const { box, plane, ground, colours, everywhere } = mapView;
  if (ground === null) {
    pen.fillStyle = everywhere.length ? dotting(pen, colours.muted) : colours.raised;
    return pen.fillRect(box.left, box.top, box.width, box.height);
  }
  const paint = (kind, style) => fillCells(pen, mergeCells(plane, (cell) => ground[cell] === kind), style);
  paint(GROUND.gap, hatching(pen, colours.none));
  paint(GROUND.open, dotting(pen, colours.muted));
  if (!ground.includes(GROUND.outside)) return undefined;
  paint(GROUND.outside, outsideGround(colours));
  return paint(GROUND.outside, crossing(pen, colours.muted));
}

/** A solid ground that is neither white nor the colour of an outcome. */
const outsideGround = (colours) => colours.faint;

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

function drawConflicts(pen) {
  const { plane, colours, conflicts, torn } = mapView;
  if (conflicts === null || !conflicts.includes(1)) return;
  fillCells(pen, mergeCells(plane, (cell) => conflicts[cell] > 0), hatching(pen, colours.bad, true));
  pen.strokeStyle = colours.bad;
  pen.lineWidth = 2;
  pen.setLineDash([7, 4]);
  pen.beginPath();
  // a little inside, so that lines along the frame are seen
  if (torn) for (const rectangle of torn) pen.rect(...inset(screenRectangle(rectangle), 1.5));
  else traceOutline(pen, outlineCells(plane, (cell) => conflicts[cell] > 0));
  pen.stroke();
  pen.setLineDash([]);
}

function inset([left, top, width, height], by) {
  return [left + by, top + by, Math.max(width - 2 * by, 0.5), Math.max(height - 2 * by, 0.5)];
}

function traceOutline(pen, edges) {
  const { box, scales } = mapView;
  const line = ({ cells }, i) => (i < cells.length ? cells[i].from : cells.at(-1).to);
  const atX = (place) => clamp(onX(place), box.left + 1.5, box.left + box.width - 1.5);
  const atY = (place) => clamp(onY(place), box.top + 1.5, box.top + box.height - 1.5);
  for (const [across, at, from, to] of edges) {
    const { x, y } = scales;
    if (across) {
      pen.moveTo(atX(line(x, from)), atY(line(y, at)));
      pen.lineTo(atX(x.cells[to - 1].to), atY(line(y, at)));
    } else {
      pen.moveTo(atX(line(x, at)), atY(line(y, from)));
      pen.lineTo(atX(line(x, at)), atY(y.cells[to - 1].to));
    }
  }
}

function fillCells(pen, rectangles, style) {
  pen.fillStyle = style;
  pen.beginPath();
  for (const rectangle of rectangles) pen.rect(...screenRectangle(rectangle));
  pen.fill();
}

/** Lines at a slant, or wider ones that cross: lighter, for the rules beneath are to be seen. */
function hatching(pen, colour, crossed = false) {
  const size = crossed ? 12 : 8;
  return tiled(pen, size, (brush) => {
    brush.strokeStyle = colour;
    brush.globalAlpha = crossed ? 0.4 : 0.5;
    brush.beginPath();
    for (const shift of [-size, 0, size]) {
      brush.moveTo(shift - 1, size + 1);
      brush.lineTo(shift + size + 1, -1);
      if (crossed) brush.moveTo(shift - 1, -1);
      if (crossed) brush.lineTo(shift + size + 1, size + 1);
    }
    brush.stroke();
  });
}

/** Dots, far from each other. */
function dotting(pen, colour) {
  return tiled(pen, 8, (brush) => {
    brush.fillStyle = colour;
    brush.globalAlpha = 0.45;
    for (const [x, y] of [[2, 2], [6, 6]]) brush.fillRect(x - 0.6, y - 0.6, 1.2, 1.2);
  });
}

/** Small crosses, each for itself. */
function crossing(pen, colour) {
  return tiled(pen, 16, (brush) => {
    brush.strokeStyle = colour;
    brush.globalAlpha = 0.8;
    brush.beginPath();
    for (const [x0, y0, x1, y1] of [[5, 5, 11, 11], [5, 11, 11, 5]]) {
      brush.moveTo(x0, y0);
      brush.lineTo(x1, y1);
    }
    brush.stroke();
  });
}

function tiled(pen, size, draw) {
  const ratio = window.devicePixelRatio || 1;
  const tile = document.createElement("canvas");
  tile.width = tile.height = Math.round(size * ratio);
  const brush = tile.getContext("2d");
  brush.scale(tile.width / size, tile.width / size);
  draw(brush);
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

const axisTitle = (feature) => (feature.unit ? `${nameText(feature.name)} (${feature.unit})` : feature.name);

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

// --- what moves above them

function drawOverlay(pen) {
  const { box, colours, hovered, picked, cross } = mapView;
  pen.save();
  pen.beginPath();
  pen.rect(box.left, box.top, box.width, box.height);
  pen.clip();
  pen.strokeStyle = colours.ink;
  pen.lineWidth = 2;
  // those that may hold anywhere come last, and have no outline of their own
  for (const place of hovered.slice(0, Math.min(12, hovered.length - mapView.everywhere.length))) {
    for (const rectangle of mapView.plane.rectangles.get(place) ?? []) pen.strokeRect(...screenRectangle(rectangle));
  }
  if (picked?.region && isRegionOnMap(picked.region)) outlineRegion(pen, picked.region);
  if (picked) drawMarker(pen, picked.theCase, picked.place);
  if (cross) drawCross(pen, cross);
  pen.restore();
}

/** The outline of the region that a new rule could take: white below, so that it is seen on any colour. */
function outlineRegion(pen, region) {
  const { plane, scales } = mapView;
  const spans = (scale, feature) => scale.spans(feature && conditionOn(region, feature.name));
  const across = spans(scales.x, plane.x);
  const drawn = spans(scales.y, plane.y).flatMap(([low, high]) => across.map(
    ([from, to]) => widened(onX(from), onY(high), to - from, high - low)));
  for (const rectangle of drawn) {
    const inner = inset(rectangle, 2);
    pen.strokeStyle = mapView.colours.raised;
    pen.lineWidth = 5;
    pen.strokeRect(...inner);
    pen.strokeStyle = mapView.colours.focus;
    pen.lineWidth = 2.5;
    pen.setLineDash([2, 4]);
    pen.strokeRect(...inner);
    pen.setLineDash([]);
  }
}

/** Whether the slice on show meets a region: an instance may have other values than the sliders. */
function isRegionOnMap(region) {
  return canHold(region, mapView.plane, mapView.mode === "fixed" ? mapView.fixed : null);
}

function drawMarker(pen, theCase, instance) {
  const [x, y] = instance !== undefined ? [mapView.at.x[instance], mapView.at.y[instance]] : casePlace(theCase);
  for (const [colour, width] of [[mapView.colours.raised, 5], [mapView.colours.ink, 2.5]]) {
    pen.strokeStyle = colour;
    pen.lineWidth = width;
    pen.beginPath();
    pen.arc(x, y, 8, 0, 7);
    for (const [dx, dy] of [[1, 0], [-1, 0], [0, 1], [0, -1]]) {
      pen.moveTo(x + dx * 4, y + dy * 4);
      pen.lineTo(x + dx * 13, y + dy * 13);
    }
    pen.stroke();
  }
}

function casePlace(theCase) {
  const { scales, plane } = mapView;
  const value = (feature) => {
    if (feature === null) return undefined;
    return theCase[feature.name] ?? (isCategory(feature) ? feature.admitted[0] : null);
  };
  return [onX(scales.x.place(value(plane.x))), onY(scales.y.place(value(plane.y)))];
}

function drawCross(pen, { x, y }) {
  const { box, colours } = mapView;
  pen.strokeStyle = colours.focus;
  pen.lineWidth = 1.5;
  drawGuide(pen, x, box.top, x, box.top + box.height);
  drawGuide(pen, box.left, y, box.left + box.width, y);
}

// --- legend

function drawLegend() {
  const { conflicts, ground, everywhere } = mapView;
  const used = new Set(model().rules.map((rule) => rule.outcome));
  const labelled = Boolean(summary.instances?.outcomes);
  if (labelled) summary.outcomes.forEach((outcome, place) => outcome.rows && used.add(place));
  const outcomes = [...used].sort((a, b) => a - b);
  const swatch = (outcome) => legendSwatch((pen) => swatchOutcome(pen, outcome, labelled));
  const entries = outcomes.slice(0, 9).map((outcome) => [swatch(outcome), nameWords(outcomeText(outcome))]);
  if (outcomes.length > 9) entries.push([null, `and ${pluralText(outcomes.length - 9, "more outcome")} in grey`]);
  if (ground?.includes(GROUND.gap)) entries.push([groundSwatch(hatching, "none"), "no rule covers it"]);
  if (ground ? ground.includes(GROUND.open) : everywhere.length) {
    entries.push([groundSwatch(dotting, "muted"), "a rule that asks for neither feature may hold"]);
  }
  if (ground?.includes(GROUND.outside)) entries.push([groundSwatch(crossing, "muted", true), "cannot occur"]);
  if (conflicts?.includes(1)) entries.push([legendSwatch(swatchConflict), "rules contradict each other"]);
  if (summary.instances && !labelled) entries.push([legendSwatch(swatchPoint), "an instance"]);
  const item = ([sign, text]) => h("li", {}, sign, h("span", {}, text));
  show(document.getElementById("map-legend"), h("ul", {}, entries.map(item)));
}

function legendSwatch(draw) {
  const ratio = window.devicePixelRatio || 1;
  const canvas = h("canvas", { "aria-hidden": "true", width: Math.round(30 * ratio), height: Math.round(18 * ratio) });
  const pen = canvas.getContext("2d");
  pen.scale(ratio, ratio);
  draw(pen);
  return canvas;
}

function swatchOutcome(pen, outcome, pointed) {
  const colour = mapView.colours.outcome(outcome);
  pen.fillStyle = pen.strokeStyle = colour;
  pen.globalAlpha = 0.25;
  pen.fillRect(1, 1, 28, 16);
  pen.globalAlpha = 1;
  pen.strokeRect(1, 1, 28, 16);
  if (!pointed) return;
  pen.beginPath();
  traceShape(pen, outcome, 15, 9, 4.5);
  paintShape(pen, outcome, colour, 4.5);
}

function groundSwatch(pattern, colour, filled = false) {
  return legendSwatch((pen) => {
    pen.fillStyle = filled ? outsideGround(mapView.colours) : mapView.colours.raised;
    pen.fillRect(1, 1, 28, 16);
    pen.fillStyle = pattern(pen, mapView.colours[colour]);
    pen.fillRect(1, 1, 28, 16);
    pen.strokeStyle = mapView.colours.line;
    pen.strokeRect(1, 1, 28, 16);
  });
}

function swatchConflict(pen) {
  pen.fillStyle = hatching(pen, mapView.colours.bad, true);
  pen.fillRect(2, 2, 26, 14);
  pen.strokeStyle = mapView.colours.bad;
  pen.lineWidth = 2;
  pen.setLineDash([7, 4]);
  pen.strokeRect(2, 2, 26, 14);
}

function swatchPoint(pen) {
  pen.beginPath();
  traceShape(pen, null, 15, 9, 4);
  paintShape(pen, null, mapView.colours.ink, 4);
}
