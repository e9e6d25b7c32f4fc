// @ts-check
// The controls of the map: axes, mode and sliders.

import { byId, h, nameWords, show, within } from "../dom.js";
import { emptyCase } from "../engine/deciding.js";
import { askFrame } from "./canvas.js";
import { sayMap } from "./note.js";
import { axisCells } from "./plane.js";
import { renewMap } from "./renewing.js";
import { shortValue } from "./values.js";
import { mapView, otherFeatures } from "./view.js";
import { model } from "../state.js";
import { askedFeatures, summary } from "../summary.js";
import { categoryOrder, isAdmitted, isCategory, LOWEST } from "../values/features.js";
import { niceTicks } from "../values/ticks.js";

/** Draw the controls, once: whoever changes them with the keys must not lose the one that has the focus. */
export function drawTools() {
  const tools = within(document, "#map .map-tools");
  const several = summary.features.length > 1;
  const names = summary.features.map((feature) => feature.name);
  show(
    tools,
    axisChoice("map-x", "across", names, (name) => changeAxis("x", name)),
    several && axisChoice("map-y", "upwards", ["", ...names], (name) => changeAxis("y", name)),
    modeChoice(),
    summary.instances !== null && uncoveredChoice(),
  );
}

/** Let the controls say what is on show. */
export function renewTools() {
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
  const option = (name) => h("option", { value: name }, name || "nothing: a strip");
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
    h("span", {}, "the other features"),
    h(
      "select",
      { id: "map-mode", onchange: choose },
      option("projected", "are left open"),
      option("fixed", "are fixed"),
    ),
  );
}

function uncoveredChoice() {
  /** @param {{ target: HTMLInputElement }} event */
  const change = (event) => {
    mapView.onlyUncovered = event.target.checked;
    askFrame("base");
    sayMap();
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
  if (mapView[other] === name) mapView[other] = mapView[axis] || nextBest(name); // they change places
  mapView[axis] = name;
  renewTools();
  renewMap();
}

/**
 * Another feature than the given one, if possible one that rules ask for.
 * @param {string} name
 */
function nextBest(name) {
  return [...askedFeatures(model()), ...summary.features].find((feature) => feature.name !== name)?.name ?? "";
}

/** @param {MapView["mode"]} mode */
function changeMode(mode) {
  mapView.mode = mode;
  drawSliders();
  renewMap();
}

/** A slider or a list for each feature that is fixed. */
export function drawSliders() {
  const holder = byId("map-fixed");
  const others = otherFeatures();
  if (mapView.mode !== "fixed" || !others.length) return void show(holder);
  show(holder, h("div", { class: "map-sliders" }, others.map(fixedField)));
}

/** @param {Feature} feature */
function fixedField(feature) {
  const id = `map-fixed-${summary.features.indexOf(feature)}`;
  const label = h("label", { for: id }, nameWords(feature.name), feature.unit && ` (${feature.unit})`);
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
  const said = h("output", { for: id }, shortValue(feature, mapView.fixed[feature.name]));
  /** @param {Changed} event */
  const slide = (event) => {
    const value = stops[Number(event.target.value)];
    said.textContent = shortValue(feature, value);
    event.target.setAttribute("aria-valuetext", said.textContent);
    fixAt(feature, value);
  };
  const place = stops.indexOf(mapView.fixed[feature.name]);
  const range = { type: "range", min: 0, max: stops.length - 1, step: 1, value: place };
  const input = h("input", {
    id,
    "data-feature": feature.name,
    ...range,
    "aria-valuetext": said.textContent,
    oninput: slide,
  });
  return h("div", {}, h("span", { class: "map-slider-head" }, label, said), input);
}

/**
 * Where a slider can stand: round values over the range, and one in every cell between cuts, so that none
 * is passed over; missing first.
 * @param {Continuous} feature
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
 * @param {Feature} feature
 * @param {Value} value
 */
function fixAt(feature, value) {
  const changed = Object.assign(emptyCase(), mapView.fixed);
  changed[feature.name] = value;
  mapView.fixed = changed;
  renewMap();
}
