// @ts-check
// Cases from elsewhere on the page, shown on the map.

import { byId, show } from "../dom.js";
import { emptyCase } from "../engine/deciding.js";
import { bringIntoSight, sayAnswer } from "./answers.js";
import { askFrame } from "./canvas.js";
import { renewMap } from "./renewing.js";
import { drawSliders, renewTools } from "./tools.js";
import { mapView } from "./view.js";

/**
 * A case from elsewhere on the page: mark it, lay the slice through it, and say what is decided.
 * @param {Case} theCase
 */
export function showCase(theCase) {
  const own = mapView.picked?.theCase === theCase;
  if (mapView.mode === "fixed") {
    mapView.fixed = Object.assign(emptyCase(), mapView.fixed, theCase);
    drawSliders();
    renewMap();
  }
  if (!own) sayAnswer(theCase);
}

/** The form has another case now: what the map says of the last one is no longer about the form. */
export function forgetFormCase() {
  if (!mapView.picked?.fromForm) return;
  mapView.picked = null;
  show(byId("map-answer"));
  askFrame("overlay");
}

/**
 * Show a case on the map exactly: the slice through it, and what is decided there.
 * @param {Case} theCase
 */
export function fixMapAt(theCase) {
  mapView.mode = "fixed";
  mapView.fixed = Object.assign(emptyCase(), mapView.fixed, theCase);
  renewTools();
  renewMap();
  sayAnswer(theCase);
  bringIntoSight(byId("map-answer"));
}
