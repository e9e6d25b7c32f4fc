// @ts-check
// The part of the page with the map of two features.

import { byId, h, show } from "../dom.js";
import { requestFrame, drawFrame, mapHeight } from "./canvas.js";
import { showCase } from "./cases.js";
import { chooseAxes, typicalCase } from "./defaults.js";
import { canCompute, cannotCompute } from "../engine/kernels.js";
import { pointAt } from "./hover.js";
import { clickMap, keyOnMap, leaveCross } from "./keys.js";
import { updateMapNote } from "./note.js";
import { updateMap } from "./updating.js";
import { drawTools, updateTools } from "./tools.js";
import { mapCanvas, mapView } from "./view.js";
import { model, on, state } from "../state.js";
import { testedFeatures, featuresOf, summary } from "../summary.js";

/** @param {HTMLElement} section */
export function startMap(section) {
  if (!summary.features.length) return;
  if (!canCompute) return void show(section, h("h2", {}, "Map of two features"), cannotCompute());
  chooseAxes();
  mapView.fixed = typicalCase();
  show(
    section,
    h("h2", {}, "Map of two features"),
    h("p", { class: "lead", id: "map-note" }),
    h("div", { class: "map-tools" }),
    h(
      "div",
      { class: "map-columns" },
      h("div", { id: "map-fixed" }),
      h(
        "div",
        { class: "map-main" },
        h(
          "div",
          { class: "map-frame", id: "map-frame" },
          newCanvas(),
          h("div", { id: "map-tip", "aria-hidden": "true" }),
        ),
        h("div", { id: "map-hover", class: "muted small", "aria-live": "polite" }),
        h("div", { id: "map-legend", class: "map-legend" }),
      ),
      h(
        "div",
        { class: "map-aside" },
        h("div", { id: "map-answer", "aria-live": "polite" }),
        h(
          "p",
          { class: "map-invite muted" },
          "Point at the map to see which rules apply there. Click or tap it to see what is decided at that point.",
        ),
      ),
    ),
    h(
      "p",
      { class: "unseen", id: "map-help" },
      "Arrow keys move a cross over the map; Enter shows which rule decides there.",
    ),
  );
  drawTools();
  updateTools();
  listenToMap();
  updateMap();
}

function newCanvas() {
  return h("canvas", {
    id: "map-canvas",
    tabindex: 0,
    role: "application", // the map handles arrow keys
    "aria-label": "Map of two features", // updateMapNote names them
    "aria-roledescription": "map",
    "aria-describedby": "map-help",
  });
}

function listenToMap() {
  const canvas = mapCanvas();
  canvas.addEventListener("pointermove", (event) => pointAt(event));
  canvas.addEventListener("pointerleave", () => pointAt(null));
  canvas.addEventListener("click", clickMap);
  canvas.addEventListener("keydown", keyOnMap);
  canvas.addEventListener("blur", leaveCross);
  new ResizeObserver(() => requestFrame("base")).observe(byId("map-frame"));
  // the height of the map depends on that of the window
  addEventListener("resize", () => {
    if (mapView.box && mapHeight(byId("map-frame").clientWidth) !== mapView.height) requestFrame("base");
  });
  // printed pages are light and have another width
  matchMedia("print").addEventListener("change", () => drawFrame("base"));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => requestFrame("base"));
  on("theme", () => requestFrame("base"));
  on("rule", showRule);
  on("model", changeModel);
  on("case", showCase);
}

/** Show the rule in focus: if it tests neither feature of the map, choose features that it tests. */
function showRule() {
  const names = state.rule === null ? [] : featuresOf(model().rules[state.rule].box).map((feature) => feature.name);
  if (!names.length || names.includes(mapView.x) || names.includes(mapView.y)) {
    updateMapNote();
    return requestFrame("base");
  }
  const [x, y] = names;
  [mapView.x, mapView.y] = [x, y ?? (mapView.y && mapView.x)]; // with a single condition, the old x becomes y
  updateTools();
  return updateMap();
}

function changeModel() {
  mapView.picked = null;
  const tested = testedFeatures(model()).map((feature) => feature.name);
  if (!tested.includes(mapView.x) && !tested.includes(mapView.y)) chooseAxes();
  mapView.hovered = [];
  show(byId("map-answer"));
  updateTools();
  updateMap();
}
