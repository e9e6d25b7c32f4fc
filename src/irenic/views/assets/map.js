// The map: two features, the rules as rectangles, the instances as points, what is left out and what is
// contradicted; and what is decided at the place one points to.

const mapView = {
  x: null, // names of features; y is "" for a strip
  y: null,
  mode: "projected",
  fixed: null, // the case that the sliders stand at
  onlyUncovered: false,
  plane: null, // cells and rules on them, of plane.js
  conflicts: null, // which cells are contradicted
  scales: null,
  box: null, // the drawing area in pixels of the page
  base: null, // canvases that are drawn once: rules, and points
  points: null,
  pointsKey: "", // what the points were drawn for
  at: null, // points on the screen
  cross: null, // the place that the arrow keys move
  hovered: [], // rules under the pointer
  hovering: false, // whether the pointer is on the map
  pointer: null,
  picked: null, // {theCase, region}
  asked: "", // what has to be drawn anew
  colours: null,
};

const MAP_FONT = 12;
const POINT_REACH = 9; // how near a click has to be to mean an instance
const SHAPES = ["circle", "square", "triangle", "diamond", "plus", "cross", "down", "ring", "bar"];

function startMap(section) {
  if (!summary.features.length) return;
  chooseAxes();
  mapView.fixed = typicalCase();
  show(section,
    h("h2", {}, "Map of two features"),
    h("p", { class: "lead", id: "map-note" }),
    h("div", { class: "map-tools" }),
    h("div", { class: "map-frame", id: "map-frame" }, mapCanvas()),
    h("p", { class: "unseen", id: "map-help" },
      "Arrow keys move a cross over the map, Enter says which rule decides there."),
    h("div", { id: "map-legend", class: "map-legend" }),
    h("div", { id: "map-hover", "aria-live": "polite" }),
    h("div", { id: "map-fixed" }),
    h("div", { id: "map-answer", "aria-live": "polite" }));
  drawTools();
  listenToMap();
  renewMap();
}

function mapCanvas() {
  return h("canvas", {
    id: "map-canvas",
    tabindex: 0,
    role: "application", // arrow keys are the map's own
    "aria-roledescription": "map",
    "aria-describedby": "map-help map-hover",
  });
}

function listenToMap() {
  const canvas = document.getElementById("map-canvas");
  canvas.addEventListener("pointermove", (event) => pointAt(event));
  canvas.addEventListener("pointerleave", () => pointAt(null));
  canvas.addEventListener("click", clickMap);
  canvas.addEventListener("keydown", keyOnMap);
  canvas.addEventListener("blur", () => { mapView.cross = null; askFrame("overlay"); });
  new ResizeObserver(() => askFrame("base")).observe(document.getElementById("map-frame"));
  // paper is light, and another width
  matchMedia("print").addEventListener("change", () => drawFrame("base"));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => askFrame("base"));
  on("theme", () => askFrame("base"));
  on("rule", () => askFrame("base"));
  on("model", changeModel);
  on("case", showCase);
}

function changeModel() {
  mapView.picked = null;
  mapView.hovered = [];
  show(document.getElementById("map-answer"));
  drawTools();
  renewMap();
}

// --- what is on the map

/** Take the two features that most rules ask for. */
function chooseAxes() {
  const asked = (feature) => model().rules.filter((rule) => Object.hasOwn(rule.box, feature.name)).length;
  const ranked = summary.features.map((feature) => [feature.name, asked(feature)]).sort((a, b) => b[1] - a[1]);
  mapView.x = ranked[0][0];
  mapView.y = ranked[1]?.[0] ?? "";
}

const mapFeature = (name) => featuresByName.get(name) ?? null;

/** The features that the map does not show and that rules ask for. */
function otherFeatures() {
  return askedFeatures(model()).filter((feature) => feature.name !== mapView.x && feature.name !== mapView.y);
}

/** A case to begin with: the instance nearest to the middle of all, else a case of a finding, else the middle. */
function typicalCase() {
  const middle = emptyCase();
  for (const feature of summary.features) middle[feature.name] = middleOf(feature);
  if (!summary.instances?.shown) return model().findings.find((finding) => finding.case)?.case ?? middle;
  let [best, least] = [0, Infinity];
  const features = askedFeatures(model());
  for (let i = 0; i < summary.instances.shown; i++) {
    let far = 0;
    for (const feature of features) {
      far += distanceOn(feature, summary.instances.columns[feature.name][i], middle[feature.name]);
    }
    if (far < least) [best, least] = [i, far];
  }
  return instanceCase(best);
}

function distanceOn(feature, a, b) {
  if (a === b) return 0;
  if (isCategory(feature) || a === null || b === null) return 1;
  return Math.abs(a - b) / (feature.range[1] - feature.range[0] || 1);
}

/** The median or the most frequent value of the instances, or the middle of what is drawn. */
function middleOf(feature) {
  const column = summary.instances?.columns[feature.name];
  if (isCategory(feature)) {
    const counts = feature.distribution?.counts;
    const first = feature.admitted.find((code) => code > OTHER_CODE) ?? feature.admitted[0];
    return counts ? counts.indexOf(Math.max(...counts)) : first;
  }
  const numbers = column?.filter((value) => value !== null).sort((a, b) => a - b);
  if (numbers?.length) return numbers[Math.floor(numbers.length / 2)];
  const [low, high] = feature.range;
  const middle = low / 2 + high / 2;
  return feature.step ? Math.floor(middle / feature.step) * feature.step : Number(middle.toPrecision(3));
}

/** Whether a rule asks for neither feature of the map while the others are left open: it may hold anywhere, and
 * drawing it would hide the rest. */
function isEverywhere(place) {
  const { box } = model().rules[place];
  const open = mapView.mode === "projected" && otherFeatures().length > 0;
  return open && !Object.hasOwn(box, mapView.x) && !Object.hasOwn(box, mapView.y);
}

/** Work out the plane anew: other axes, another mode, another rule set. */
function renewMap() {
  const others = mapView.mode === "fixed" ? mapView.fixed : null;
  mapView.plane = sliceCells(model(), mapFeature(mapView.x), mapFeature(mapView.y), others);
  mapView.conflicts = contradictedCells(mapView.plane);
  mapView.hovered = [];
  mapView.hovering = false;
  sayHovered(false);
  sayMap();
  askFrame("base");
}

/** Which cells are contradicted: exactly, where the other features are fixed; else as far as found and listed. */
function contradictedCells(plane) {
  const none = new Uint8Array(plane.outcomes.length);
  if (["first", "all"].includes(summary.decides.how)) return none;
  if (mapView.mode === "fixed" || otherFeatures().length === 0) return plane.outcomes.map((count) => count > 1);
  const boxes = model().findings.filter((finding) => finding.kind === "conflicts" && finding.box);
  const rectangles = boxes.flatMap((finding) => rectanglesOf(finding.box, plane));
  return countBoxes(rectangles, plane.xs.length, plane.ys.length).map((count) => count > 0);
}

// --- tools

function drawTools() {
  const tools = document.querySelector("#map .map-tools");
  const several = summary.features.length > 1;
  const names = summary.features.map((feature) => feature.name);
  show(tools,
    axisChoice("map-x", "across", mapView.x, names, (name) => changeAxis("x", name)),
    several && axisChoice("map-y", "upwards", mapView.y, ["", ...names], (name) => changeAxis("y", name)),
    modeChoice(),
    summary.instances !== null && uncoveredChoice());
  drawSliders();
}

function axisChoice(id, label, chosen, names, change) {
  const option = (name) => h("option", { value: name, selected: name === chosen }, name || "nothing: a strip");
  return h("label", { class: "field" }, h("span", {}, label),
    h("select", { id, onchange: (event) => change(event.target.value) }, names.map(option)));
}

function modeChoice() {
  const option = (value, text) => h("option", { value, selected: mapView.mode === value }, text);
  return h("label", { class: "field", hidden: otherFeatures().length === 0 }, h("span", {}, "the other features"),
    h("select", { id: "map-mode", onchange: (event) => changeMode(event.target.value) },
      option("projected", "are left open"), option("fixed", "are fixed")));
}

function uncoveredChoice() {
  const change = (event) => {
    mapView.onlyUncovered = event.target.checked;
    askFrame("base");
    sayMap();
  };
  return h("label", { class: "map-check" },
    h("input", { type: "checkbox", id: "map-uncovered", checked: mapView.onlyUncovered, onchange: change }),
    h("span", {}, "only instances that no rule covers"));
}

function changeAxis(axis, name) {
  const other = axis === "x" ? "y" : "x";
  if (mapView[other] === name) mapView[other] = mapView[axis]; // they change places
  mapView[axis] = name;
  drawTools();
  renewMap();
}

function changeMode(mode) {
  mapView.mode = mode;
  drawSliders();
  renewMap();
}

/** A slider or a list for each feature that is fixed. */
function drawSliders() {
  const holder = document.getElementById("map-fixed");
  const others = otherFeatures();
  if (mapView.mode !== "fixed" || !others.length) return void show(holder);
  show(holder, h("div", { class: "map-sliders" }, others.map(fixedField)));
}

function fixedField(feature) {
  const id = `map-fixed-${summary.features.indexOf(feature)}`;
  const label = h("label", { for: id }, feature.name, feature.unit && ` (${feature.unit})`);
  if (isCategory(feature)) {
    const chosen = mapView.fixed[feature.name];
    const option = (code) => h("option", { value: code, selected: code === chosen }, feature.values[code]);
    const change = (event) => fixAt(feature, Number(event.target.value));
    const attributes = { id, "data-feature": feature.name, onchange: change };
    return h("div", {}, label, h("select", attributes, categoryOrder(feature).map(option)));
  }
  const stops = slidingStops(feature);
  const said = h("output", { for: id }, shortValue(feature, mapView.fixed[feature.name]));
  const slide = (event) => {
    const value = stops[Number(event.target.value)];
    said.textContent = shortValue(feature, value);
    event.target.setAttribute("aria-valuetext", said.textContent);
    fixAt(feature, value);
  };
  const place = stops.indexOf(mapView.fixed[feature.name]);
  const range = { type: "range", min: 0, max: stops.length - 1, step: 1, value: place };
  const input = h("input", { id, "data-feature": feature.name, ...range, "aria-valuetext": said.textContent, oninput: slide });
  return h("div", {}, h("span", { class: "map-slider-head" }, label, said), input);
}

/** A value to read at a glance: long numbers are rounded, and that is said. */
function shortValue(feature, value) {
  const text = formatValue(feature, value);
  if (feature.kind !== "number" || value === null || text.length <= 8) return text;
  return `≈ ${formatNumber(Number(value.toPrecision(4)))}`;
}

/** "age = 5", or "age ≈ 5.123". */
function valueText(feature, value) {
  const text = shortValue(feature, value);
  return `${feature.name} ${text.startsWith("≈") ? "" : "= "}${text}`;
}

/** Where a slider can stand: round values over the range, and one in every cell between cuts, so that none
 * is passed over; missing first. */
function slidingStops(feature) {
  const cells = axisCells(model(), feature);
  const [low, high] = feature.range;
  const stops = new Set(niceTicks(feature, low, high, 80).filter((value) => isAdmitted(feature, value)));
  for (const cell of cells) if (cell.value !== null && cell.value > LOWEST && cell.value >= low) stops.add(cell.value);
  if (mapView.fixed[feature.name] !== null) stops.add(mapView.fixed[feature.name]);
  const sorted = [...stops].sort((a, b) => a - b);
  return feature.missing ? [null, ...sorted] : sorted;
}

function fixAt(feature, value) {
  const changed = Object.assign(emptyCase(), mapView.fixed);
  changed[feature.name] = value;
  mapView.fixed = changed;
  renewMap();
}

// --- what the page says of the map

function sayMap() {
  const parts = [mapView.mode === "fixed" && otherFeatures().length ? fixedText() : projectedText(), instancesText()];
  show(document.getElementById("map-note"), parts.filter(Boolean).join(" "));
  const label = `Map of ${mapView.x}${mapView.y ? ` and ${mapView.y}` : ""}`;
  document.getElementById("map-canvas").setAttribute("aria-label", label);
}

function projectedText() {
  if (!model().rules.length) return "There are no rules: nothing is covered.";
  if (!otherFeatures().length) {
    return "Exact: the rules ask for no other feature. Hatched is what no rule covers.";
  }
  const everywhere = mapView.plane.live.filter(isEverywhere).length;
  const listed = model().counts.conflicts > 0 && !["first", "all"].includes(summary.decides.how);
  const asking = pluralText(everywhere, "rule that asks", "rules that ask");
  return "The other features are left open: a rule is drawn where it can hold for some values of them, so rules that"
    + " seem to overlap here may be apart elsewhere. Hatched is only what no rule covers, whatever the others are."
    + (everywhere ? ` Not drawn: ${asking} for neither feature and can hold anywhere.` : "")
    + (listed ? " Contradictions are drawn as far as they are listed below." : "");
}

function fixedText() {
  const values = otherFeatures().map((feature) => valueText(feature, mapView.fixed[feature.name]));
  const live = `${pluralText(mapView.plane.live.length, "rule")} of ${countText(model().rules.length)}`;
  return `An exact slice, at ${values.join(", ")}: ${live} can hold here, and hatched is what none covers.`;
}

function instancesText() {
  const { instances } = summary;
  if (!instances?.shown) return "";
  const texts = [];
  if (mapView.mode === "fixed" && otherFeatures().length) {
    texts.push("The points are all instances, whatever their other values are, and therefore faint.");
  }
  if (mapView.onlyUncovered) {
    const free = uncoveredInstances(model()).reduce((sum, each) => sum + each, 0);
    const drawn = `${pluralText(free, "instance is", "instances are")} drawn that no rule covers.`;
    texts.push(free ? drawn : "A rule covers every instance that would be drawn here.");
  }
  if (instances.shown < instances.rows) {
    texts.push(`A random ${countText(instances.shown)} of ${countText(instances.rows)} instances are drawn.`);
  }
  return texts.join(" ");
}

// --- what moves

function drawOverlay(pen) {
  const { box, colours, hovered, picked, cross } = mapView;
  pen.save();
  pen.beginPath();
  pen.rect(box.left, box.top, box.width, box.height);
  pen.clip();
  pen.strokeStyle = colours.ink;
  pen.lineWidth = 2;
  for (const place of hovered.slice(0, 12)) {
    for (const rectangle of mapView.plane.rectangles.get(place) ?? []) pen.strokeRect(...screenRectangle(rectangle));
  }
  if (picked?.region && isRegionOnMap(picked.region)) outlineRegion(pen, picked.region);
  if (picked) drawMarker(pen, picked.theCase, picked.place);
  if (cross) drawCross(pen, cross);
  pen.restore();
}

/** The outline of the region that a new rule could take: white below, so that it is seen on any colour. */
function outlineRegion(pen, region) {
  for (const rectangle of rectanglesOf(region, mapView.plane)) {
    const [left, top, width, height] = screenRectangle(rectangle);
    const inner = [left + 2, top + 2, Math.max(width - 4, 1), Math.max(height - 4, 1)];
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

// --- pointing

/** The values at a place of the canvas. */
function valuesAt({ x, y }) {
  const { box, scales } = mapView;
  const across = clamp(x - box.left, 0, box.width);
  const up = clamp(box.top + box.height - y, 0, box.height);
  return { x: scales.x.at(across), y: scales.y.at(up) };
}

function placeOfEvent(event) {
  const outer = event.target.getBoundingClientRect();
  return { x: event.clientX - outer.left, y: event.clientY - outer.top };
}

function isOnMap({ x, y }) {
  const { box } = mapView;
  return x >= box.left && x <= box.left + box.width && y >= box.top && y <= box.top + box.height;
}

/** Note where the pointer is; what lies there is looked up once a frame. */
function pointAt(event) {
  const waiting = mapView.pointer !== null;
  mapView.pointer = { place: event && placeOfEvent(event) };
  if (waiting) return;
  requestAnimationFrame(() => {
    const { place } = mapView.pointer;
    mapView.pointer = null;
    if (mapView.box) hoverAt(place && isOnMap(place) ? place : null);
  });
}

function hoverAt(place) {
  const rules = place === null ? [] : rulesAt(valuesAt(place));
  const canvas = document.getElementById("map-canvas");
  canvas.classList.toggle("pointing", place !== null);
  const changed = rules.join() !== mapView.hovered.join() || mapView.hovering !== (place !== null);
  if (!changed) return;
  mapView.hovered = rules;
  mapView.hovering = place !== null;
  sayHovered(place !== null);
  askFrame("overlay");
}

/** The rules on the plane that can hold at two values. */
function rulesAt(values) {
  const { plane } = mapView;
  return plane.live.filter((place) => {
    const { box } = model().rules[place];
    return [[plane.x, values.x], [plane.y, values.y]].every(([feature, value]) => {
      const condition = feature && conditionOn(box, feature.name);
      return condition === null || holds(feature, condition, value);
    });
  });
}

function sayHovered(inside) {
  const holder = document.getElementById("map-hover");
  const help = "Point at the map to see which rules are there; click or tap for what is decided.";
  if (!inside) return void show(holder, h("p", { class: "muted" }, help));
  const rules = mapView.hovered;
  const open = mapView.mode === "projected" && otherFeatures().length > 0;
  const none = `No rule covers this place${open ? ", whatever the other features are" : ""}.`;
  if (!rules.length) return void show(holder, h("p", {}, none));
  const line = (place) => h("li", {}, h("b", {}, ruleTitle(place)), " ", outcomeChip(model().rules[place].outcome), " ",
    h("span", { class: "muted" }, ruleInWords(model().rules[place])));
  show(holder, h("ul", {}, rules.slice(0, 6).map(line)),
    rules.length > 6 && h("p", { class: "muted" }, `and ${pluralText(rules.length - 6, "more rule")}`));
}

function ruleInWords(rule) {
  const words = featuresOf(rule.box).map((feature, i) => [i ? " and " : "", conditionWords(feature, rule.conditions[i])]);
  return words.length ? words : "always";
}

function clickMap(event) {
  const place = placeOfEvent(event);
  if (mapView.box && isOnMap(place)) answerAt(place);
}

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

function keyOnMap(event) {
  const { box } = mapView;
  if (!box) return undefined; // nothing is drawn yet
  if (event.key === "Escape") {
    mapView.cross = null;
    mapView.picked = null;
    show(document.getElementById("map-answer"));
    return askFrame("overlay");
  }
  if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    return answerAt(mapView.cross ?? { x: box.left + box.width / 2, y: box.top + box.height / 2 });
  }
  const arrow = ARROWS[event.key];
  if (!arrow || event.ctrlKey || event.altKey || event.metaKey) return undefined;
  event.preventDefault();
  const step = event.shiftKey ? 1 : 10;
  mapView.cross ??= { x: box.left + box.width / 2, y: box.top + box.height / 2 };
  mapView.cross.x = clamp(mapView.cross.x + arrow[0] * step, box.left, box.left + box.width);
  mapView.cross.y = clamp(mapView.cross.y + arrow[1] * step, box.top, box.top + box.height);
  hoverAt(mapView.cross);
  return askFrame("overlay");
}

// --- what is decided at a place

function answerAt(place) {
  const near = nearestInstance(place);
  const hit = near !== null && near.far <= POINT_REACH;
  const found = hit ? { theCase: instanceCase(near.place), place: near.place } : { theCase: caseAt(place, near) };
  pickCase(found.theCase, found.place);
  show(document.getElementById("map-answer"), hit ? instanceHead(near.place) : placeHead(found.theCase, near),
    describeAnswer(found.theCase, mapView.picked.answer),
    mapView.picked.region && h("p", { class: "muted small" }, isRegionOnMap(mapView.picked.region)
      ? "This region is outlined on the map with dots."
      : "The map does not show this region: the sliders stand elsewhere."),
    h("button", { type: "button", onclick: () => takeIntoForm(found.theCase) }, "Put this case into the form"));
}

function takeIntoForm(theCase) {
  tell("case", theCase);
  jumpTo("case");
}

function pickCase(theCase, place) {
  const answer = decideCase(model(), theCase);
  mapView.picked = { theCase, place, answer, region: regionRound(theCase, answer) };
  askFrame("overlay");
}

function nearestInstance({ x, y }) {
  const { at } = mapView;
  let [best, least] = [-1, Infinity];
  for (let i = 0; i < at.n; i++) {
    if (!isPointDrawn(i)) continue;
    const far = (at.x[i] - x) ** 2 + (at.y[i] - y) ** 2;
    if (far < least) [best, least] = [i, far];
  }
  return best < 0 ? null : { place: best, far: Math.sqrt(least) };
}

/** The case at a place: the other features from the sliders, else from the nearest instance, else the middle. */
function caseAt(place, near) {
  const from = mapView.mode === "fixed" ? mapView.fixed : near ? instanceCase(near.place) : mapView.fixed;
  const found = Object.assign(emptyCase(), from);
  const values = valuesAt(place);
  found[mapView.x] = values.x;
  if (mapView.y) found[mapView.y] = values.y;
  return found;
}

function instanceHead(place) {
  const { outcomes } = summary.instances;
  const truth = outcomes && [", which is ", outcomeChip(outcomes[place])];
  return h("h3", {}, `Instance in row ${countText(rowNumber(place))}`, truth);
}

function placeHead(theCase, near) {
  const shown = [mapView.x, mapView.y].filter(Boolean).map(mapFeature);
  const said = shown.map((feature) => `${feature.name} = ${formatValue(feature, theCase[feature.name])}`);
  const others = otherFeatures().map((feature) => valueText(feature, theCase[feature.name]));
  const example = near ? `as in the nearest instance, row ${countText(rowNumber(near.place))}` : "taken as an example";
  const source = mapView.mode === "fixed" ? "from the sliders" : example;
  return [
    h("h3", {}, `At ${said.join(", ")}`),
    others.length > 0 && h("p", { class: "muted small" }, `The other features: ${others.join(", ")} (${source}).`),
  ];
}

/** A case from elsewhere on the page: mark it, and lay the slice through it. */
function showCase(theCase) {
  const whole = Object.assign(emptyCase(), mapView.fixed, theCase);
  const known = mapView.picked?.theCase === theCase ? mapView.picked.place : undefined;
  pickCase(whole, known);
  mapView.picked.theCase = theCase;
  if (mapView.mode !== "fixed") return;
  mapView.fixed = whole;
  drawSliders();
  renewMap();
}

// --- legend

function drawLegend() {
  const { conflicts, plane } = mapView;
  const used = new Set(model().rules.map((rule) => rule.outcome));
  const labelled = Boolean(summary.instances?.outcomes);
  if (labelled) summary.outcomes.forEach((outcome, place) => outcome.rows && used.add(place));
  const outcomes = [...used].sort((a, b) => a - b);
  const swatch = (outcome) => legendSwatch((pen) => swatchOutcome(pen, outcome, labelled));
  const entries = outcomes.slice(0, 9).map((outcome) => [swatch(outcome), outcomeText(outcome)]);
  if (outcomes.length > 9) entries.push([null, `and ${pluralText(outcomes.length - 9, "more outcome")} in grey`]);
  if (plane.outcomes.includes(0)) entries.push([legendSwatch(swatchGap), "no rule covers it"]);
  if (conflicts.includes(1)) entries.push([legendSwatch(swatchConflict), "rules contradict each other"]);
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

function swatchGap(pen) {
  pen.fillStyle = hatching(pen, mapView.colours.none, false);
  pen.fillRect(1, 1, 28, 16);
}

function swatchConflict(pen) {
  pen.fillStyle = hatching(pen, mapView.colours.bad, true);
  pen.fillRect(2, 2, 26, 14);
  pen.strokeStyle = mapView.colours.bad;
  pen.lineWidth = 2.5;
  pen.setLineDash([7, 4]);
  pen.strokeRect(2, 2, 26, 14);
}

function swatchPoint(pen) {
  pen.beginPath();
  traceShape(pen, null, 15, 9, 4);
  paintShape(pen, null, mapView.colours.ink, 4);
}
