// @ts-check
// What the map shows at the moment.

import { byId } from "../dom.js";
import { model } from "../state.js";
import { askedFeatures, featuresByName } from "../summary.js";

/** What is missing here at first is there once the map was worked out (renewing.js) and drawn (canvas.js). */
export const mapView = /** @type {MapView} */ (
  /** @type {Partial<MapView>} */ ({
    mode: "projected",
    height: 0,
    onlyUncovered: false,
    ground: null,
    conflicts: null,
    torn: null,
    drawn: [],
    everywhere: [],
    pointsKey: "",
    cross: null,
    hovered: [],
    hovering: false,
    pointer: null,
    picked: null,
    asked: "",
  })
);

// What lies below the rules in a cell.
export const GROUND = { rules: 0, gap: 1, open: 2, outside: 3 };

/** @param {string} name */
export const mapFeature = (name) => featuresByName.get(name) ?? null;

/** The features that the map does not show and that rules ask for. */
export function otherFeatures() {
  return askedFeatures(model()).filter((feature) => feature.name !== mapView.x && feature.name !== mapView.y);
}

/** Whether the features that are not on the map are left open, and rules ask for them. */
export const isOpen = () => mapView.mode === "projected" && otherFeatures().length > 0;

export const mapCanvas = () => /** @type {HTMLCanvasElement} */ (byId("map-canvas"));
