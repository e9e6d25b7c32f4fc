// @ts-check
// The shapes of instances, one per outcome.

import { mapView } from "./view.js";

/**
 * @typedef {"circle" | "square" | "triangle" | "diamond" | "plus" | "cross" | "down" | "ring" | "bar"} Shape
 */

/** @type {Shape[]} */
const SHAPES = ["circle", "square", "triangle", "diamond", "plus", "cross", "down", "ring", "bar"];

/** @param {number | null} outcome */
const shapeOf = (outcome) => (outcome === null ? "circle" : SHAPES[Math.min(outcome, SHAPES.length - 1)]);

/**
 * Add the shape of an outcome to the path, because colors alone are not accessible.
 * @param {CanvasRenderingContext2D} pen
 * @param {number | null} outcome
 * @param {number} x
 * @param {number} y
 * @param {number} r
 */
export function traceShape(pen, outcome, x, y, r) {
  /** @param {...[number, number]} corners */
  const polygon = (...corners) => {
    corners.forEach(([dx, dy], i) => (i ? pen.lineTo(x + dx * r, y + dy * r) : pen.moveTo(x + dx * r, y + dy * r)));
    pen.closePath();
  };
  /**
   * @param {number} x0
   * @param {number} y0
   * @param {number} x1
   * @param {number} y1
   */
  const line = (x0, y0, x1, y1) => {
    pen.moveTo(x + x0 * r, y + y0 * r);
    pen.lineTo(x + x1 * r, y + y1 * r);
  };
  /** @type {Record<Shape, () => void>} */
  const shapes = {
    circle: () => {
      pen.moveTo(x + r, y);
      pen.arc(x, y, r, 0, 7);
    },
    ring: () => {
      pen.moveTo(x + r, y);
      pen.arc(x, y, r, 0, 7);
    },
    square: () => pen.rect(x - r * 0.9, y - r * 0.9, r * 1.8, r * 1.8),
    triangle: () => polygon([0, -1.2], [1.1, 0.8], [-1.1, 0.8]),
    down: () => polygon([0, 1.2], [1.1, -0.8], [-1.1, -0.8]),
    diamond: () => polygon([0, -1.3], [1.1, 0], [0, 1.3], [-1.1, 0]),
    plus: () => {
      line(-1.2, 0, 1.2, 0);
      line(0, -1.2, 0, 1.2);
    },
    cross: () => {
      line(-1, -1, 1, 1);
      line(-1, 1, 1, -1);
    },
    bar: () => line(-1.2, 0, 1.2, 0),
  };
  shapes[shapeOf(outcome)]();
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {number | null} outcome
 * @param {string} color
 * @param {number} size
 */
export function paintShape(pen, outcome, color, size) {
  const open = ["plus", "cross", "bar", "ring"].includes(shapeOf(outcome));
  pen.fillStyle = pen.strokeStyle = color;
  pen.lineWidth = open ? Math.max(1.4, size * 0.5) : 1;
  if (open) return pen.stroke();
  pen.strokeStyle = mapView.colors.raised; // separates points from each other and from their region
  if (size > 2.5) pen.stroke();
  return pen.fill();
}
