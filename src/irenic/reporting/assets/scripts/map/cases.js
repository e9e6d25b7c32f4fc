// @ts-check
// Cases from elsewhere on the page, shown on the map.

import { byId, show } from "../dom.js";
import { emptyCase } from "../engine/deciding.js";
import { scrollIntoSight, answerCase } from "./answers.js";
import { requestFrame } from "./canvas.js";
import { updateMap } from "./updating.js";
import { drawSliders, updateTools } from "./tools.js";
import { mapView } from "./view.js";

/**
 * Show a case from elsewhere on the page: mark it, move the slice to it, and show its answer.
 * @param {Case} theCase
 */
export function showCase(theCase) {
  const own = mapView.picked?.theCase === theCase;
  if (mapView.mode === "fixed") {
    mapView.fixed = Object.assign(emptyCase(), mapView.fixed, theCase);
    drawSliders();
    updateMap();
  }
  if (!own) answerCase(theCase);
}

/** Remove the answer to the case of the form, because the form has another case. */
export function forgetFormCase() {
  if (!mapView.picked?.fromForm) return;
  mapView.picked = null;
  show(byId("map-answer"));
  requestFrame("overlay");
}

/**
 * Show a case on the map exactly: the slice through it, and its answer.
 * @param {Case} theCase
 */
export function fixMapAt(theCase) {
  mapView.mode = "fixed";
  mapView.fixed = Object.assign(emptyCase(), mapView.fixed, theCase);
  updateTools();
  updateMap();
  answerCase(theCase);
  scrollIntoSight(byId("map-answer"));
}
