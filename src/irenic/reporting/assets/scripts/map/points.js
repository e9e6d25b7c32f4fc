// @ts-check
// The instances on the map.

import { uncoveredInstances } from "../engine/instances.js";
import { onX, onY } from "./screen.js";
import { paintShape, traceShape } from "./shapes.js";
import { mapView, otherFeatures } from "./view.js";
import { model } from "../state.js";
import { summary } from "../summary.js";

/** The positions of instances on the screen. Equal values are scattered over their band, reproducibly. */
export function placePoints() {
  const { instances } = summary;
  const n = instances?.shown ?? 0;
  const found = { x: new Float32Array(n), y: new Float32Array(n), n };
  const { scales, plane } = mapView;
  const columns = [plane.x, plane.y].map((feature) => feature && instances?.columns[feature.name]);
  for (let i = 0; i < n; i++) {
    const [a, b] = [columns[0]?.[i], columns[1]?.[i]];
    found.x[i] = onX(scales.x.place(a) + scales.x.spread(a) * scatter(i, 1));
    found.y[i] = onY(scales.y.place(b) + scales.y.spread(b) * scatter(i, 2));
  }
  return found;
}

/**
 * A pseudorandom number from -1/2 to 1/2 that depends only on the instance.
 * @param {number} i
 * @param {number} salt
 */
function scatter(i, salt) {
  const mixed = Math.imul(i + 1, salt === 1 ? 2654435761 : 1597334677) >>> 0;
  return mixed / 2 ** 32 - 0.5;
}

/** @param {number} i */
function isPointDrawn(i) {
  return !mapView.onlyUncovered || uncoveredInstances(model())[i] === 1;
}

/** @param {CanvasRenderingContext2D} pen */
export function drawPointsLayer(pen) {
  const { at, colors } = mapView;
  const outcomes = summary.instances?.outcomes;
  const size = at.n > 3000 ? 2.2 : at.n > 500 ? 3 : 4;
  const faint = mapView.mode === "fixed" && otherFeatures().length > 0;
  pen.globalAlpha = (at.n > 3000 ? 0.45 : at.n > 500 ? 0.65 : 0.9) * (faint ? 0.4 : 1);
  const groups = new Map();
  for (let i = 0; i < at.n; i++) {
    if (!isPointDrawn(i)) continue;
    const outcome = outcomes ? outcomes[i] : null;
    if (!groups.has(outcome)) groups.set(outcome, []);
    groups.get(outcome).push(i);
  }
  for (const [outcome, places] of groups) {
    pen.beginPath();
    for (const i of places) traceShape(pen, outcome, at.x[i], at.y[i], size);
    paintShape(pen, outcome, outcome === null ? colors.ink : colors.point(outcome), size);
  }
  pen.globalAlpha = 1;
}

/** @param {Point} point */
export function nearestInstance({ x, y }) {
  const { at } = mapView;
  let [best, least] = [-1, Infinity];
  for (let i = 0; i < at.n; i++) {
    if (!isPointDrawn(i)) continue;
    const far = (at.x[i] - x) ** 2 + (at.y[i] - y) ** 2;
    if (far < least) [best, least] = [i, far];
  }
  return best < 0 ? null : { place: best, far: Math.sqrt(least) };
}
