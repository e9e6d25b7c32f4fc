// @ts-check
// The state of the map.

import { byId } from "../dom.js";
import { model } from "../state.js";
import { testedFeatures, featuresByName } from "../summary.js";

/** Properties without a value here are set when the map is computed (updating.js) and drawn (canvas.js). */
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
    requested: "",
  })
);

// The background of a cell.
export const GROUND = { rules: 0, gap: 1, open: 2, impossible: 3 };

/** @param {string} name */
export const mapFeature = (name) => featuresByName.get(name) ?? null;

/** The features that rules test and that are not axes of the map. */
export function otherFeatures() {
  return testedFeatures(model()).filter((feature) => feature.name !== mapView.x && feature.name !== mapView.y);
}

/** Whether rules test features that are not on the map and can have any value. */
export const isOpen = () => mapView.mode === "projected" && otherFeatures().length > 0;

export const mapCanvas = () => /** @type {HTMLCanvasElement} */ (byId("map-canvas"));
