// The map: two features, the rules as rectangles, the instances as points, what is left out and what is
// contradicted; and what is decided at the place one points to.

const mapView = {
  x: null, // names of features; y is "" for a strip
  y: null,
  mode: "projected",
  fixed: null, // the case that the sliders stand at
  height: 0, // of the canvas, in pixels of the page
  onlyUncovered: false,
  plane: null, // cells and rules on them, of plane.js
  ground: null, // what lies below the rules, of GROUND, a cell each; null if there are too many cells
  conflicts: null, // which cells are contradicted
  torn: null, // the rectangles of single contradictions, null if there are too many
  drawn: [], // the rules that are drawn, the first to decide first
  everywhere: [], // the rules that are not, because they may hold anywhere
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
const MOST_DRAWN = 1000; // rules; more take too long to draw, and nobody could tell them apart
const LISTED = 4; // rules that are named beside the pointer
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
    h("div", { class: "map-columns" },
      h("div", { id: "map-fixed" }),
      h("div", { class: "map-main" },
        h("div", { class: "map-frame", id: "map-frame" }, mapCanvas(), h("div", { id: "map-tip", "aria-hidden": "true" })),
        h("div", { id: "map-hover", class: "muted small", "aria-live": "polite" }),
        h("div", { id: "map-legend", class: "map-legend" })),
      h("div", { class: "map-aside" },
        h("div", { id: "map-answer", "aria-live": "polite" }),
        h("p", { class: "map-invite muted" },
          "Point at the map to see which rules are there. Click or tap it, and what is decided there is said here."))),
    h("p", { class: "unseen", id: "map-help" },
      "Arrow keys move a cross over the map, Enter says which rule decides there."));
  drawTools();
  renewTools();
  listenToMap();
  renewMap();
}

function mapCanvas() {
  return h("canvas", {
    id: "map-canvas",
    tabindex: 0,
    role: "application", // arrow keys are the map's own
    "aria-label": "Map of two features", // sayMap says which
    "aria-roledescription": "map",
    "aria-describedby": "map-help",
  });
}

function listenToMap() {
  const canvas = document.getElementById("map-canvas");
  canvas.addEventListener("pointermove", (event) => pointAt(event));
  canvas.addEventListener("pointerleave", () => pointAt(null));
  canvas.addEventListener("click", clickMap);
  canvas.addEventListener("keydown", keyOnMap);
  canvas.addEventListener("blur", leaveCross);
  new ResizeObserver(() => askFrame("base")).observe(document.getElementById("map-frame"));
  // a lower window has a lower map
  addEventListener("resize", () => {
    if (mapView.box && mapHeight(document.getElementById("map-frame").clientWidth) !== mapView.height) askFrame("base");
  });
  // paper is light, and another width
  matchMedia("print").addEventListener("change", () => drawFrame("base"));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => askFrame("base"));
  on("theme", () => askFrame("base"));
  on("rule", showRule);
  on("model", changeModel);
  on("case", showCase);
}

/** A rule came into focus: if it asks for neither feature of the map, show it on its own. */
function showRule() {
  const names = state.rule === null ? [] : featuresOf(model().rules[state.rule].box).map((feature) => feature.name);
  if (!names.length || names.includes(mapView.x) || names.includes(mapView.y)) {
    sayMap();
    return askFrame("base");
  }
  const [x, y] = names;
  [mapView.x, mapView.y] = [x, y ?? (mapView.y && mapView.x)]; // with a single condition, what was across goes upwards
  renewTools();
  return renewMap();
}

function changeModel() {
  mapView.picked = null;
  const asked = askedFeatures(model()).map((feature) => feature.name);
  if (!asked.includes(mapView.x) && !asked.includes(mapView.y)) chooseAxes();
  mapView.hovered = [];
  show(document.getElementById("map-answer"));
  renewTools();
  renewMap();
}

// --- what is on the map

/** Take the two features that the most rules ask for both of; of equal pairs those that are asked for most. */
function chooseAxes() {
  const boxes = model().rules.map((rule) => rule.box);
  const asked = new Map(summary.features.map((feature) => [feature.name, 0]));
  for (const box of boxes) for (const name of Object.keys(box)) asked.set(name, asked.get(name) + 1);
  const ranked = [...asked.keys()].sort((a, b) => asked.get(b) - asked.get(a));
  [mapView.x, mapView.y] = [ranked[0], ranked[1] ?? ""];
  let most = 0;
  // far down the ranking no pair can be asked for more often
  for (let a = 0; a < ranked.length && asked.get(ranked[a]) > most; a++) {
    for (let b = a + 1; b < ranked.length && asked.get(ranked[b]) > most; b++) {
      const both = boxes.filter((box) => Object.hasOwn(box, ranked[a]) && Object.hasOwn(box, ranked[b])).length;
      if (both > most) [most, mapView.x, mapView.y] = [both, ranked[a], ranked[b]];
    }
  }
}

const mapFeature = (name) => featuresByName.get(name) ?? null;

/** The features that the map does not show and that rules ask for. */
function otherFeatures() {
  return askedFeatures(model()).filter((feature) => feature.name !== mapView.x && feature.name !== mapView.y);
}

/** A case to begin with: of the instances nearest to the middle of all one that a rule covers, without missing
 * values if there is one; else a case of a contradiction, or one inside the first rule. */
function typicalCase() {
  const middle = emptyCase();
  for (const feature of summary.features) middle[feature.name] = middleOf(feature);
  if (!summary.instances?.shown) {
    return model().findings.find((finding) => finding.kind === "conflicts" && finding.case)?.case ?? caseInside(middle);
  }
  const features = askedFeatures(model());
  const columns = features.map((feature) => summary.instances.columns[feature.name]);
  const isMissing = (feature, value) => value === (isCategory(feature) ? MISSING_CODE : null);
  const far = Float64Array.from({ length: summary.instances.shown }, (_, i) => features.reduce((sum, feature, k) => {
    const value = columns[k][i];
    return sum + distanceOn(feature, value, middle[feature.name]) + (isMissing(feature, value) ? 1000 : 0);
  }, 0));
  const nearest = [...far.keys()].sort((a, b) => far[a] - far[b]);
  const isCovered = (place) => {
    const theCase = instanceCase(place);
    return model().rules.some((rule) => covers(rule.box, theCase));
  };
  return instanceCase(nearest.slice(0, 100).find(isCovered) ?? nearest[0]);
}

/** A case inside the first rule, elsewhere as given. */
function caseInside(middle) {
  const found = Object.assign(emptyCase(), middle);
  const box = model().rules[0]?.box ?? {};
  for (const feature of featuresOf(box)) {
    const condition = box[feature.name];
    if (!holds(feature, condition, found[feature.name])) found[feature.name] = insideOf(feature, condition);
  }
  return found;
}

/** A value for which a condition holds, in the middle of what is drawn of it if possible. */
function insideOf(feature, condition) {
  if (isCategory(feature)) return condition.find((code) => code > OTHER_CODE) ?? condition[0];
  const [low, high] = [condition[0] ?? -Infinity, condition[1] ?? Infinity];
  const [from, to] = [Math.max(low, feature.range[0]), Math.min(high, feature.range[1])];
  const values = [roundMiddle(feature, from, to), low, feature.lowest ?? LOWEST, valueBefore(feature, high)];
  return values.find((value) => isAdmitted(feature, value) && holds(feature, condition, value)) ?? null;
}

/** A value in the middle of a range that reads easily. */
function roundMiddle(feature, low, high) {
  const middle = low / 2 + high / 2;
  const rounded = feature.step ? Math.floor(middle / feature.step) * feature.step : Number(middle.toPrecision(3));
  return low <= rounded && rounded <= high ? rounded : middle;
}

function distanceOn(feature, a, b) {
  if (a === b) return 0;
  if (isCategory(feature) || a === null || b === null) return 1;
  return Math.abs(shareBetween(a, ...feature.range) - shareBetween(b, ...feature.range));
}

/** The median or the most frequent value of the instances, or the middle of what is drawn. */
function middleOf(feature) {
  const column = summary.instances?.columns[feature.name];
  if (isCategory(feature)) {
    const counts = feature.distribution?.counts;
    const first = feature.admitted.find((code) => code > OTHER_CODE) ?? feature.admitted[0];
    return counts ? counts.reduce((best, count, code) => (count > counts[best] ? code : best), 0) : first;
  }
  const numbers = column?.filter((value) => value !== null).sort((a, b) => a - b);
  if (numbers?.length) return numbers[Math.floor(numbers.length / 2)];
  return roundMiddle(feature, ...feature.range);
}

/** Whether the features that are not on the map are left open, and rules ask for them. */
const isOpen = () => mapView.mode === "projected" && otherFeatures().length > 0;

/** Whether rules that hold for one case must not say different things. */
const mustAgree = () => !["first", "all"].includes(summary.decides.how);

/** Work out the plane anew: other axes, another mode, another rule set. */
function renewMap() {
  const others = mapView.mode === "fixed" ? mapView.fixed : null;
  const plane = sliceCells(model(), mapFeature(mapView.x), mapFeature(mapView.y), others);
  mapView.plane = plane;
  mapView.everywhere = isOpen() ? plane.live.filter((place) => asksNeither(model().rules[place].box, plane)) : [];
  mapView.ground = plane.outcomes && groundOf(plane);
  mapView.drawn = chooseDrawn(plane);
  findConflicts(plane);
  mapView.hovered = [];
  mapView.hovering = false;
  sayHovered(null);
  placeTip(null);
  sayMap();
  sayRegion();
  askFrame("base");
}

function groundOf(plane) {
  const { gap, open, outside, rules } = GROUND;
  const bare = mapView.everywhere.length ? plane.bare : new Uint8Array(plane.bare.length);
  return plane.outcomes.map((count, cell) => {
    if (plane.outside[cell]) return outside;
    return count === 0 ? gap : bare[cell] ? open : rules;
  });
}

/** The rules to draw. Those that ask for neither feature while the others are open may hold anywhere: drawn, they
 * would hide the rest. Of very many, those with the most instances, or the first. */
function chooseDrawn(plane) {
  const left = new Set(mapView.everywhere);
  const places = plane.live.filter((place) => !left.has(place));
  if (places.length <= MOST_DRAWN) return places;
  if (!isCounted()) return places.slice(0, MOST_DRAWN);
  const support = (place) => model().rules[place].support ?? 0;
  const chosen = new Set([...places].sort((a, b) => support(b) - support(a)).slice(0, MOST_DRAWN));
  return places.filter((place) => chosen.has(place));
}

const isCounted = () => summary.counted_on !== null;

/** Find what is contradicted: exactly, where the other features are fixed; else as far as found and listed. */
function findConflicts(plane) {
  [mapView.conflicts, mapView.torn] = [null, null];
  if (plane.outcomes === null || !mustAgree()) return;
  if (isOpen()) {
    const boxes = model().findings.filter((finding) => finding.kind === "conflicts" && finding.box);
    const found = boxes.flatMap((finding) => rectanglesOf(finding.box, plane));
    mapView.conflicts = cellsOf(found, plane);
    mapView.torn = found.length <= MOST_PAIRS ? found : null;
    return;
  }
  // what cannot occur is no contradiction
  mapView.conflicts = plane.outcomes.map((count, cell) => (count > 1 && !plane.outside[cell] ? 1 : 0));
  const simple = mapView.conflicts.includes(1) && !plane.outside.includes(1);
  mapView.torn = simple ? meetingRectangles(plane, model()) : null;
}

// --- tools

/** Draw the controls, once: whoever changes them with the keys must not lose the one that has the focus. */
function drawTools() {
  const tools = document.querySelector("#map .map-tools");
  const several = summary.features.length > 1;
  const names = summary.features.map((feature) => feature.name);
  show(tools,
    axisChoice("map-x", "across", names, (name) => changeAxis("x", name)),
    several && axisChoice("map-y", "upwards", ["", ...names], (name) => changeAxis("y", name)),
    modeChoice(),
    summary.instances !== null && uncoveredChoice());
}

/** Let the controls say what is on show. */
function renewTools() {
  for (const what of ["x", "y", "mode"]) {
    const select = document.getElementById(`map-${what}`);
    if (select) select.value = mapView[what];
  }
  document.getElementById("map-mode").closest(".field").hidden = otherFeatures().length === 0;
  drawSliders();
}

function axisChoice(id, label, names, change) {
  const option = (name) => h("option", { value: name }, name || "nothing: a strip");
  return h("label", { class: "field" }, h("span", {}, label),
    h("select", { id, onchange: (event) => change(event.target.value) }, names.map(option)));
}

function modeChoice() {
  const option = (value, text) => h("option", { value }, text);
  return h("label", { class: "field" }, h("span", {}, "the other features"),
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
  if (mapView[other] === name) mapView[other] = mapView[axis] || nextBest(name); // they change places
  mapView[axis] = name;
  renewTools();
  renewMap();
}

/** Another feature than the given one, if possible one that rules ask for. */
function nextBest(name) {
  return [...askedFeatures(model()), ...summary.features].find((feature) => feature.name !== name).name;
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
  const label = h("label", { for: id }, nameWords(feature.name), feature.unit && ` (${feature.unit})`);
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
function valueWithName(feature, value) {
  const text = shortValue(feature, value);
  return [nameWords(feature.name), text.startsWith("≈") ? " " : " = ", nameWords(text)];
}

const joinedBy = (sign, things) => things.map((thing, i) => [i ? sign : "", thing]);

/** Where a slider can stand: round values over the range, and one in every cell between cuts, so that none
 * is passed over; missing first. */
function slidingStops(feature) {
  const cells = axisCells(model().rules.map((rule) => rule.box), feature);
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
  const text = isOpen() || !otherFeatures().length ? projectedText() : fixedText();
  const parts = [text, limitText(), focusText(), instancesText()];
  show(document.getElementById("map-note"), joinedBy(" ", parts.filter((part) => part !== "")));
  const label = `Map of ${mapView.x}${mapView.y ? ` and ${mapView.y}` : ""}`;
  document.getElementById("map-canvas").setAttribute("aria-label", label);
}

function projectedText() {
  if (!model().rules.length) return "There are no rules: nothing is covered.";
  if (!otherFeatures().length) {
    return "Exact: the rules ask for no other feature. Hatched is what no rule covers.";
  }
  const everywhere = mapView.everywhere.length;
  const listed = mapView.conflicts !== null && model().counts.conflicts > 0;
  const asking = pluralText(everywhere, "rule that asks", "rules that ask");
  const ground = everywhere ? "" : " Hatched is only what no rule covers, whatever the others are.";
  return "The other features are left open: a rule is drawn where it can hold for some values of them, so rules that"
    + ` seem to overlap here may be apart elsewhere.${ground}`
    + (everywhere ? ` Not drawn: ${asking} for neither feature and may hold anywhere: the dotted ground.` : "")
    + (listed ? " Contradictions are drawn as far as they are listed below." : "");
}

function fixedText() {
  const values = otherFeatures().map((feature) => valueWithName(feature, mapView.fixed[feature.name]));
  const more = values.length > 6 ? ` and ${values.length - 6} more` : "";
  const live = `${pluralText(mapView.plane.live.length, "rule")} of ${countText(model().rules.length)}`;
  return ["An exact slice, at ", joinedBy(", ", values.slice(0, 6)), more,
    `: ${live} can hold here, and hatched is what none covers.`];
}

/** What is left out because it would take too long. */
function limitText() {
  const texts = [];
  const all = mapView.plane.live.length - mapView.everywhere.length;
  const some = countText(mapView.drawn.length);
  if (mapView.drawn.length < all) {
    texts.push(isCounted() ? `The ${some} rules with the most instances, of ${countText(all)}, are drawn.`
      : `The first ${some} of ${countText(all)} rules are drawn.`);
  }
  if (mapView.ground === null) {
    const marked = mustAgree() ? "Gaps and conflicts are" : "Gaps are";
    texts.push(`${marked} not hatched: there are too many rules for that. A click still asks all of them.`);
  }
  return texts.join(" ");
}

function focusText() {
  if (state.rule === null || mapView.plane.rectangles.has(state.rule)) return "";
  return `${ruleTitle(state.rule)} holds nowhere on this slice: move the sliders, or leave the other features open.`;
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

/** Note where the pointer is; what lies there is looked up once a frame. Whoever points sees it: it is read aloud only
 * to those who use the keys. */
function pointAt(event) {
  document.getElementById("map-hover").setAttribute("aria-live", "off");
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
  const values = place && valuesAt(place);
  const rules = values ? rulesAt(values) : [];
  document.getElementById("map-canvas").classList.toggle("pointing", place !== null);
  const changed = rules.join() !== mapView.hovered.join() || mapView.hovering !== (place !== null);
  mapView.hovered = rules;
  mapView.hovering = place !== null;
  if (changed || outsideBoxes.length) sayHovered(values);
  placeTip(place);
  if (changed) askFrame("overlay");
}

/** The rules on the plane that can hold at two values, the first to decide first; last those that may hold anywhere. */
function rulesAt(values) {
  const { plane, everywhere } = mapView;
  const sides = [[plane.x, values.x], [plane.y, values.y]].filter(([feature]) => feature);
  const found = plane.live.filter((place) => {
    const { box } = model().rules[place];
    const asked = sides.filter(([feature]) => Object.hasOwn(box, feature.name));
    if (!asked.length && everywhere.length) return false;
    return asked.every(([feature, value]) => holds(feature, box[feature.name], value));
  });
  return everywhere.length ? [...found, ...everywhere] : found;
}

/** Say what lies at two values, null for none: beside the pointer in words, and below the map in a line. */
function sayHovered(values) {
  const [line, tip] = [document.getElementById("map-hover"), document.getElementById("map-tip")];
  if (values === null) {
    show(line);
    return void show(tip);
  }
  const rules = mapView.hovered;
  const none = isImpossible(values) ? "This cannot occur, says the table."
    : `No rule covers this place${isOpen() ? ", whatever the other features are" : ""}.`;
  if (!rules.length) {
    show(line, none);
    return void show(tip, h("p", {}, none));
  }
  const short = (place) => [`${ruleTitle(place)} (`, nameWords(outcomeText(model().rules[place].outcome)), ")"];
  const more = (n) => (rules.length > n ? ` and ${pluralText(rules.length - n, "more rule")}` : "");
  show(line, joinedBy(", ", rules.slice(0, 12).map(short)), more(12));
  show(tip,
    h("ul", {}, rules.slice(0, LISTED).map(ruleLine)),
    rules.length > LISTED && h("p", { class: "muted" }, more(LISTED).trim()));
  return undefined;
}

function ruleLine(place) {
  const rule = model().rules[place];
  return h("li", {}, h("b", {}, ruleTitle(place)), " ", outcomeChip(rule.outcome), " ",
    h("span", { class: "muted" }, ruleInWords(rule)));
}

/** Whether the cell at two values cannot occur. */
function isImpossible(values) {
  const { plane } = mapView;
  if (!outsideBoxes.length || plane.outside === null) return false;
  const place = (feature, cells, value) => cells.findIndex((cell) => {
    if (feature === null || isCategory(feature) || value === null) return cell.value === value;
    return cell.value !== null && cell.low <= value && value < cell.high;
  });
  const [i, j] = [place(plane.x, plane.xs, values.x), place(plane.y, plane.ys, values.y)];
  return plane.outside[j * plane.xs.length + i] === 1;
}

/** Put the box with the words beside a place of the canvas, inside the frame and not below the pointer. */
function placeTip(place) {
  const tip = document.getElementById("map-tip");
  tip.classList.toggle("shown", place !== null);
  if (place === null) return;
  const frame = document.getElementById("map-frame");
  const [width, height] = [tip.offsetWidth, tip.offsetHeight];
  const right = place.x + 14 + width <= frame.clientWidth;
  const left = clamp(right ? place.x + 14 : place.x - 14 - width, 0, Math.max(0, frame.clientWidth - width));
  const below = place.y + 18 + height <= frame.clientHeight;
  const top = below ? place.y + 18 : Math.max(place.y - 14 - height, 0);
  Object.assign(tip.style, { left: `${left}px`, top: `${top}px` });
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
    hoverAt(null);
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
  document.getElementById("map-hover").setAttribute("aria-live", "polite");
  hoverAt(mapView.cross);
  return askFrame("overlay");
}

function leaveCross() {
  if (mapView.cross === null) return;
  mapView.cross = null;
  hoverAt(null);
  askFrame("overlay");
}

// --- what is decided at a place

function answerAt(place) {
  const near = nearestInstance(place);
  const hit = near !== null && near.far <= POINT_REACH;
  const theCase = hit ? instanceCase(near.place) : caseAt(place, near);
  sayAnswer(theCase, hit ? instanceHead(near.place) : placeHead(theCase, near));
  bringIntoSight(document.getElementById("map-answer"));
}

/** Mark a case and say what is decided there. Without a head it is the case in the form, where the answer is read
 * aloud already. */
function sayAnswer(theCase, head = null) {
  pickCase(theCase, head === null);
  const { whole, answer, region } = mapView.picked;
  const holder = document.getElementById("map-answer");
  holder.setAttribute("aria-live", head === null ? "off" : "polite");
  show(holder, head ?? formHead(theCase), describeAnswer(whole, answer),
    region && h("p", { class: "muted small", id: "map-region" }),
    h("button", { type: "button", onclick: () => takeIntoForm(theCase) }, "Put this case into the form"));
  holder.scrollTop = 0;
  sayRegion();
}

function formHead(theCase) {
  const place = instanceOf(theCase);
  return place === undefined ? h("h3", {}, "The case in the form") : instanceHead(place);
}

/** Say whether the region of the answer is on the map: the sliders move, the answer stays. */
function sayRegion() {
  const line = document.getElementById("map-region");
  if (!line || !mapView.picked?.region) return;
  line.textContent = isRegionOnMap(mapView.picked.region)
    ? "This region is outlined on the map with dots."
    : "The map does not show this region: the sliders stand elsewhere.";
}

/** Scroll to an answer that nobody would see; beside the map it is always seen. */
function bringIntoSight(holder) {
  const { top } = holder.getBoundingClientRect();
  if (top >= 0 && top < window.innerHeight - 80) return;
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  holder.scrollIntoView({ block: "nearest", behavior: calm ? "auto" : "smooth" });
}

function takeIntoForm(theCase) {
  tell("case", theCase);
  jumpTo("case");
}

/** Mark a case on the map. What it says nothing of is as the sliders stand. */
function pickCase(theCase, fromForm) {
  const whole = Object.assign(emptyCase(), mapView.fixed, theCase);
  const answer = decideCase(model(), whole);
  const region = regionRound(whole, answer);
  mapView.picked = { theCase, whole, place: instanceOf(theCase), answer, region, fromForm };
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
  const exactly = (feature) => [nameWords(feature.name), " = ", nameWords(formatValue(feature, theCase[feature.name]))];
  const others = otherFeatures().map((feature) => valueWithName(feature, theCase[feature.name]));
  const example = near ? `as in the nearest instance, row ${countText(rowNumber(near.place))}` : "taken as an example";
  const source = mapView.mode === "fixed" ? "from the sliders" : example;
  return [
    h("h3", {}, "At ", joinedBy(", ", shown.map(exactly))),
    others.length > 0
      && h("p", { class: "muted small" }, "The other features: ", joinedBy(", ", others), ` (${source}).`),
  ];
}

/** A case from elsewhere on the page: mark it, lay the slice through it, and say what is decided. */
function showCase(theCase) {
  const own = mapView.picked?.theCase === theCase;
  if (mapView.mode === "fixed") {
    mapView.fixed = Object.assign(emptyCase(), mapView.fixed, theCase);
    drawSliders();
    renewMap();
  }
  if (!own) sayAnswer(theCase);
}

/** The form has another case now: what the map says of the last one is no longer about the form. */
function forgetFormCase() {
  if (!mapView.picked?.fromForm) return;
  mapView.picked = null;
  show(document.getElementById("map-answer"));
  askFrame("overlay");
}

/** Show a case on the map exactly: the slice through it, and what is decided there. */
function fixMapAt(theCase) {
  mapView.mode = "fixed";
  mapView.fixed = Object.assign(emptyCase(), mapView.fixed, theCase);
  renewTools();
  renewMap();
  sayAnswer(theCase);
  bringIntoSight(document.getElementById("map-answer"));
}
