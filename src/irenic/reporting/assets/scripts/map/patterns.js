// @ts-check
// Fill patterns for areas of the map.

import { penOf } from "./screen.js";

/**
 * A solid ground that is neither white nor the color of an outcome.
 * @param {Colors} colors
 */
export const impossibleGround = (colors) => colors.faint;

/**
 * Diagonal lines, or lighter crossed ones, which leave the rules below visible.
 * @param {CanvasRenderingContext2D} pen
 * @param {string} color
 * @param {boolean} [crossed]
 */
export function hatching(pen, color, crossed = false) {
  const size = crossed ? 12 : 8;
  return tiled(pen, size, (brush) => {
    brush.strokeStyle = color;
    brush.globalAlpha = crossed ? 0.4 : 0.5;
    brush.beginPath();
    for (const shift of [-size, 0, size]) {
      brush.moveTo(shift - 1, size + 1);
      brush.lineTo(shift + size + 1, -1);
      if (crossed) brush.moveTo(shift - 1, -1);
      if (crossed) brush.lineTo(shift + size + 1, size + 1);
    }
    brush.stroke();
  });
}

/**
 * Sparse dots.
 * @param {CanvasRenderingContext2D} pen
 * @param {string} color
 */
export function dotting(pen, color) {
  return tiled(pen, 8, (brush) => {
    brush.fillStyle = color;
    brush.globalAlpha = 0.45;
    for (const [x, y] of [
      [2, 2],
      [6, 6],
    ])
      brush.fillRect(x - 0.6, y - 0.6, 1.2, 1.2);
  });
}

/**
 * Small separate crosses.
 * @param {CanvasRenderingContext2D} pen
 * @param {string} color
 */
export function crossing(pen, color) {
  return tiled(pen, 16, (brush) => {
    brush.strokeStyle = color;
    brush.globalAlpha = 0.8;
    brush.beginPath();
    for (const [x0, y0, x1, y1] of [
      [5, 5, 11, 11],
      [5, 11, 11, 5],
    ]) {
      brush.moveTo(x0, y0);
      brush.lineTo(x1, y1);
    }
    brush.stroke();
  });
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {number} size
 * @param {(brush: CanvasRenderingContext2D) => void} draw
 */
function tiled(pen, size, draw) {
  const ratio = window.devicePixelRatio || 1;
  const tile = document.createElement("canvas");
  tile.width = tile.height = Math.round(size * ratio);
  const brush = penOf(tile);
  brush.scale(tile.width / size, tile.width / size);
  draw(brush);
  const pattern = /** @type {CanvasPattern} */ (pen.createPattern(tile, "repeat"));
  pattern.setTransform(new DOMMatrix().scale(size / tile.width));
  return pattern;
}
