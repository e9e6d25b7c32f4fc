// @ts-check
// Rectangles, lines and text on the canvas.

import { mapView } from "./view.js";

/**
 * The drawing context of a canvas.
 * @param {HTMLCanvasElement} canvas
 */
export const penOf = (canvas) => /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));

const MAP_FONT = 12;

export function mapFont(size = MAP_FONT, weight = "") {
  return `${weight} ${size}px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif`;
}

/** @param {number} place */
export const onX = (place) => mapView.box.left + place;

/** @param {number} place */
export const onY = (place) => mapView.box.top + mapView.box.height - place;

/**
 * The screen rectangle of a rectangle of cells.
 * @param {CellRectangle} cellRectangle
 */
export function screenRectangle([left, right, bottom, top]) {
  const { x, y } = mapView.scales;
  const [from, to] = [onX(x.cells[left].from), onX(x.cells[right - 1].to)];
  const [low, high] = [onY(y.cells[bottom].from), onY(y.cells[top - 1].to)];
  return widened(from, high, to - from, low - high);
}

/**
 * A rectangle that is at least two pixels wide and high, so that it is visible.
 * @param {number} left
 * @param {number} top
 * @param {number} width
 * @param {number} height
 * @returns {ScreenRectangle}
 */
export function widened(left, top, width, height) {
  const [w, t] = [Math.max(width, 2), Math.max(height, 2)];
  return [left - (w - width) / 2, top - (t - height) / 2, w, t];
}

/**
 * @param {ScreenRectangle} screenRectangle
 * @param {number} by
 * @returns {ScreenRectangle}
 */
export function inset([left, top, width, height], by) {
  return [left + by, top + by, Math.max(width - 2 * by, 0.5), Math.max(height - 2 * by, 0.5)];
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {number} x0
 * @param {number} y0
 * @param {number} x1
 * @param {number} y1
 */
export function drawGuide(pen, x0, y0, x1, y1) {
  pen.beginPath();
  pen.moveTo(x0, y0);
  pen.lineTo(x1, y1);
  pen.stroke();
}

/**
 * A text, truncated to a maximum width.
 * @param {CanvasRenderingContext2D} pen
 * @param {string} text
 * @param {number} room
 */
export function fitted(pen, text, room) {
  if (pen.measureText(text).width <= room) return text;
  let [low, high] = [0, Math.min(text.length, 200)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (pen.measureText(`${text.slice(0, middle)}…`).width <= room) low = middle;
    else high = middle - 1;
  }
  return `${text.slice(0, low)}…`;
}
