// @ts-check
// The part of the page with the map of two features.

import { byId, h, show } from "../dom.js";
import { askFrame, drawFrame, mapHeight } from "./canvas.js";
import { showCase } from "./cases.js";
import { chooseAxes, typicalCase } from "./defaults.js";
import { pointAt } from "./hover.js";
import { clickMap, keyOnMap, leaveCross } from "./keys.js";
import { sayMap } from "./note.js";
import { renewMap } from "./renewing.js";
import { drawTools, renewTools } from "./tools.js";
import { mapCanvas, mapView } from "./view.js";
import { model, on, state } from "../state.js";
import { askedFeatures, featuresOf, summary } from "../summary.js";

/** @param {HTMLElement} section */
export function startMap(section) {
  if (!summary.features.length) return;
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
          "Point at the map to see which rules apply there. Click or tap it to see what is decided at that place.",
        ),
      ),
    ),
    h(
      "p",
      { class: "unseen", id: "map-help" },
      "Arrow keys move a cross over the map; Enter tells which rule decides there.",
    ),
  );
  drawTools();
  renewTools();
  listenToMap();
  renewMap();
}

function newCanvas() {
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
  const canvas = mapCanvas();
  canvas.addEventListener("pointermove", (event) => pointAt(event));
  canvas.addEventListener("pointerleave", () => pointAt(null));
  canvas.addEventListener("click", clickMap);
  canvas.addEventListener("keydown", keyOnMap);
  canvas.addEventListener("blur", leaveCross);
  new ResizeObserver(() => askFrame("base")).observe(byId("map-frame"));
  // a lower window has a lower map
  addEventListener("resize", () => {
    if (mapView.box && mapHeight(byId("map-frame").clientWidth) !== mapView.height) askFrame("base");
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
  show(byId("map-answer"));
  renewTools();
  renewMap();
}
