// @ts-check
// Draws the map in layers, when it changed.

import { byId } from "../dom.js";
import { drawAreas } from "./areas.js";
import { drawLegend } from "./legend.js";
import { drawOverlay } from "./overlay.js";
import { drawPointsLayer, placePoints } from "./points.js";
import { makeScale } from "./scales.js";
import { mapFont, penOf } from "./screen.js";
import { mapCanvas, mapView } from "./view.js";
import { clamp } from "../numbers.js";
import { colorPlace } from "../outcomes.js";
import { state } from "../state.js";

/**
 * Request a frame: "overlay" for moving parts, "base" for everything. Several requests make one frame.
 * @param {Frame} what
 */
export function requestFrame(what) {
  const first = mapView.requested === "";
  if (mapView.requested !== "base") mapView.requested = what;
  if (first) requestAnimationFrame(() => drawFrame(mapView.requested || what));
}

/** @param {Frame} what */
export function drawFrame(what) {
  mapView.requested = "";
  const canvas = mapCanvas();
  const width = Math.floor(byId("map-frame").clientWidth);
  if (width < 40) return;
  if (what === "base" || !mapView.base) drawBase(canvas, width);
  const ratio = window.devicePixelRatio || 1;
  const pen = penOf(canvas);
  pen.setTransform(1, 0, 0, 1, 0, 0);
  pen.clearRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(mapView.base, 0, 0);
  pen.drawImage(mapView.points, 0, 0);
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  drawOverlay(pen);
}

/**
 * The colors of the current theme.
 * @returns {Colors}
 */
function mapColors() {
  const style = getComputedStyle(document.documentElement);
  /** @param {string} name */
  const of = (name) => style.getPropertyValue(`--${name}`).trim();
  const outcomes = Array.from({ length: 9 }, (_, i) => of(`outcome-${i}`));
  const none = of("none");
  return {
    ink: of("ink"),
    muted: of("muted"),
    faint: of("faint"),
    line: of("line"),
    raised: of("raised"),
    bad: of("bad"),
    focus: of("focus"),
    none,
    outcomes,
    outcome: (place) => (place === null || place < 0 ? none : outcomes[colorPlace(place)]),
    point: (place) => mixedColor(place < 0 ? none : outcomes[Math.min(place, 8)], of("ink")),
  };
}

/**
 * A color between two others, given as #rrggbb: points stay visible on regions of their own color.
 * @param {string} a
 * @param {string} b
 */
function mixedColor(a, b) {
  const parts = [1, 3, 5].map((i) => 0.55 * parseInt(a.slice(i, i + 2), 16) + 0.45 * parseInt(b.slice(i, i + 2), 16));
  return `rgb(${parts.map(Math.round).join(" ")})`;
}

/**
 * The height of the map, which leaves space in the window for the answer.
 * @param {number} width
 */
export function mapHeight(width) {
  if (!mapView.y) return 170;
  return Math.round(clamp(width * 0.62, 240, clamp(window.innerHeight * 0.6, 240, 560)));
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {number} width
 */
function drawBase(canvas, width) {
  const height = mapHeight(width);
  mapView.height = height;
  const ratio = window.devicePixelRatio || 1;
  mapView.colors = mapColors();
  layOutMap(canvas, width, height);
  Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
  [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
  mapView.base = layer(canvas, ratio, drawAreas);
  updatePoints(canvas, ratio);
  drawLegend();
}

/**
 * Draw the points only if they changed: ten thousand take longer than a frame.
 * @param {HTMLCanvasElement} canvas
 * @param {number} ratio
 */
function updatePoints(canvas, ratio) {
  const { x, y, mode, onlyUncovered, colors, box } = mapView;
  const key = JSON.stringify([x, y, mode, onlyUncovered, colors, box, ratio, canvas.width, canvas.height, state.model]);
  if (key === mapView.pointsKey) return;
  mapView.pointsKey = key;
  mapView.at = placePoints();
  mapView.points = layer(canvas, ratio, drawPointsLayer);
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {number} ratio
 * @param {(pen: CanvasRenderingContext2D) => void} draw
 */
function layer(canvas, ratio, draw) {
  const copy = document.createElement("canvas");
  [copy.width, copy.height] = [canvas.width, canvas.height];
  const pen = penOf(copy);
  pen.scale(ratio, ratio);
  draw(pen);
  return copy;
}

/**
 * Compute the drawing area, with a left margin for the labels of the axis.
 * @param {HTMLCanvasElement} canvas
 * @param {number} width
 * @param {number} height
 */
function layOutMap(canvas, width, height) {
  const pen = penOf(canvas);
  pen.font = mapFont();
  const { plane } = mapView;
  const [top, bottom, right] = [10, 46, 12];
  const up = makeScale(plane.y, plane.ys, height - top - bottom, 22);
  const widest = up.ticks.reduce((widest, tick) => Math.max(widest, pen.measureText(tick.text).width), 0);
  const left = mapView.y ? Math.min(widest, width * 0.25, 150) + 34 : 14;
  mapView.box = { left, top, width: width - left - right, height: height - top - bottom };
  mapView.scales = { x: makeScale(plane.x, plane.xs, mapView.box.width, 50), y: up };
}
