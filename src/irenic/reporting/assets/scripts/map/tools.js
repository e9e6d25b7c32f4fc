// @ts-check
// The controls of the map: axes, mode and sliders.

import { byId, h, nameWords, show, within } from "../dom.js";
import { emptyCase } from "../engine/deciding.js";
import { requestFrame } from "./canvas.js";
import { updateMapNote } from "./note.js";
import { axisCells } from "./plane.js";
import { updateMap } from "./updating.js";
import { shortValue } from "./values.js";
import { mapView, otherFeatures } from "./view.js";
import { model } from "../state.js";
import { drawnFeatures, testedFeatures, summary } from "../summary.js";
import { categoryOrder, isAdmitted, isCategory, LOWEST, unitLabel } from "../values/features.js";
import { niceTicks } from "../values/ticks.js";

/** Draw the controls, only once, because redrawing would lose the keyboard focus. */
export function drawTools() {
  const tools = within(document, "#map .map-tools");
  const names = drawnFeatures().map((feature) => feature.name);
  const several = names.length > 1;
  show(
    tools,
    axisChoice("map-x", "horizontal axis", names, (name) => changeAxis("x", name)),
    several && axisChoice("map-y", "vertical axis", ["", ...names], (name) => changeAxis("y", name)),
    modeChoice(),
    summary.instances !== null && uncoveredChoice(),
  );
}

/** Update the controls to the current view. */
export function updateTools() {
  for (const what of /** @type {const} */ (["x", "y", "mode"])) {
    const select = document.getElementById(`map-${what}`);
    if (select instanceof HTMLSelectElement) select.value = mapView[what];
  }
  const field = byId("map-mode").closest("label");
  if (field) field.hidden = otherFeatures().length === 0;
  drawSliders();
}

/**
 * @param {string} id
 * @param {string} label
 * @param {string[]} names
 * @param {(name: string) => void} change
 */
function axisChoice(id, label, names, change) {
  /** @param {string} name */
  const option = (name) => h("option", { value: name }, name || "none");
  /** @param {Changed} event */
  const choose = (event) => change(event.target.value);
  return h("label", { class: "field" }, h("span", {}, label), h("select", { id, onchange: choose }, names.map(option)));
}

function modeChoice() {
  /**
   * @param {MapView["mode"]} value
   * @param {string} text
   */
  const option = (value, text) => h("option", { value }, text);
  /** @param {{ target: { value: MapView["mode"] } }} event */
  const choose = (event) => changeMode(event.target.value);
  return h(
    "label",
    { class: "field" },
    h("span", {}, "other features"),
    h(
      "select",
      { id: "map-mode", onchange: choose },
      option("projected", "any value"),
      option("fixed", "fixed values"),
    ),
  );
}

function uncoveredChoice() {
  /** @param {{ target: HTMLInputElement }} event */
  const change = (event) => {
    mapView.onlyUncovered = event.target.checked;
    requestFrame("base");
    updateMapNote();
  };
  return h(
    "label",
    { class: "map-check" },
    h("input", { type: "checkbox", id: "map-uncovered", checked: mapView.onlyUncovered, onchange: change }),
    h("span", {}, "only instances that no rule covers"),
  );
}

/**
 * @param {"x" | "y"} axis
 * @param {string} name
 */
function changeAxis(axis, name) {
  const other = axis === "x" ? "y" : "x";
  if (mapView[other] === name) mapView[other] = mapView[axis] || nextBest(name); // swap the axes
  mapView[axis] = name;
  updateTools();
  updateMap();
}

/**
 * Another feature, preferably one that rules test.
 * @param {string} name
 */
function nextBest(name) {
  return [...testedFeatures(model()), ...drawnFeatures()].find((feature) => feature.name !== name)?.name ?? "";
}

/** @param {MapView["mode"]} mode */
function changeMode(mode) {
  mapView.mode = mode;
  drawSliders();
  updateMap();
}

/** Draw a slider or a list for each fixed feature. */
export function drawSliders() {
  const holder = byId("map-fixed");
  const others = otherFeatures();
  if (mapView.mode !== "fixed" || !others.length) return void show(holder);
  show(holder, h("div", { class: "map-sliders" }, others.map(fixedField)));
}

/** @param {FeatureRecord} feature */
function fixedField(feature) {
  const id = `map-fixed-${summary.features.indexOf(feature)}`;
  const label = h("label", { for: id }, nameWords(feature.name), unitLabel(feature));
  if (isCategory(feature)) {
    const chosen = mapView.fixed[feature.name];
    /** @param {number} code */
    const option = (code) => h("option", { value: code, selected: code === chosen }, feature.values[code]);
    /** @param {Changed} event */
    const change = (event) => fixAt(feature, Number(event.target.value));
    const attributes = { id, "data-feature": feature.name, onchange: change };
    return h("div", {}, label, h("select", attributes, categoryOrder(feature).map(option)));
  }
  const stops = slidingStops(feature);
  const output = h("output", { for: id }, shortValue(feature, mapView.fixed[feature.name]));
  /** @param {Changed} event */
  const slide = (event) => {
    const value = stops[Number(event.target.value)];
    output.textContent = shortValue(feature, value);
    event.target.setAttribute("aria-valuetext", output.textContent);
    fixAt(feature, value);
  };
  const place = stops.indexOf(mapView.fixed[feature.name]);
  const range = { type: "range", min: 0, max: stops.length - 1, step: 1, value: place };
  const input = h("input", {
    id,
    "data-feature": feature.name,
    ...range,
    "aria-valuetext": output.textContent,
    oninput: slide,
  });
  return h("div", {}, h("span", { class: "map-slider-head" }, label, output), input);
}

/**
 * The stops of a slider: missing, round values over the range, and one value in every cell between cuts, so that
 * no cell is skipped.
 * @param {ContinuousRecord} feature
 */
function slidingStops(feature) {
  const cells = axisCells(
    model().rules.map((rule) => rule.box),
    feature,
  );
  const [low, high] = feature.range;
  const stops = new Set(niceTicks(feature, low, high, 80).filter((value) => isAdmitted(feature, value)));
  for (const cell of cells) if (cell.low !== undefined && cell.low > LOWEST && cell.low >= low) stops.add(cell.low);
  const now = mapView.fixed[feature.name];
  if (now !== null) stops.add(now);
  const sorted = [...stops].sort((a, b) => a - b);
  return feature.missing ? [null, ...sorted] : sorted;
}

/**
 * @param {FeatureRecord} feature
 * @param {Value} value
 */
function fixAt(feature, value) {
  const changed = Object.assign(emptyCase(), mapView.fixed);
  changed[feature.name] = value;
  mapView.fixed = changed;
  updateMap();
}
