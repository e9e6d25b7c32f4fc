// @ts-check
// The areas of the map: rules, gaps, conflicts and impossible cases.

import { drawAxes } from "./axes.js";
import { crossing, dotting, hatching, impossibleGround } from "./patterns.js";
import { mergeCells, outlineCells } from "./plane.js";
import { inset, onX, onY, screenRectangle } from "./screen.js";
import { GROUND, mapView } from "./view.js";
import { clamp } from "../numbers.js";
import { model, state } from "../state.js";

/** @param {CanvasRenderingContext2D} pen */
export function drawAreas(pen) {
  const { box, plane, colors } = mapView;
  pen.fillStyle = colors.raised;
  pen.fillRect(box.left, box.top, box.width, box.height);
  drawAxes(pen);
  pen.save();
  pen.beginPath();
  pen.rect(box.left, box.top, box.width, box.height);
  pen.clip();
  drawGround(pen);
  // the rule that decides first is on top
  for (let i = mapView.drawn.length - 1; i >= 0; i--) drawRule(pen, mapView.drawn[i], false, mapView.drawn.length);
  if (state.rule !== null && plane.rectangles.has(state.rule)) drawRule(pen, state.rule, true, 1);
  drawConflicts(pen);
  pen.restore();
  pen.strokeStyle = colors.muted;
  pen.lineWidth = 1;
  pen.strokeRect(box.left, box.top, box.width, box.height);
}

/**
 * Draw the background: gaps, impossible cases, and cells where only rules hold that are not drawn.
 * @param {CanvasRenderingContext2D} pen
 */
function drawGround(pen) {
  const { box, plane, ground, colors, everywhere } = mapView;
  if (ground === null) {
    pen.fillStyle = everywhere.length ? dotting(pen, colors.muted) : colors.raised;
    return pen.fillRect(box.left, box.top, box.width, box.height);
  }
  /**
   * @param {number} kind
   * @param {string | CanvasPattern} style
   */
  const paint = (kind, style) =>
    fillCells(
      pen,
      mergeCells(plane, (cell) => ground[cell] === kind),
      style,
    );
  paint(GROUND.gap, hatching(pen, colors.none));
  paint(GROUND.open, dotting(pen, colors.muted));
  if (!ground.includes(GROUND.impossible)) return undefined;
  paint(GROUND.impossible, impossibleGround(colors));
  return paint(GROUND.impossible, crossing(pen, colors.muted));
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {number} place
 * @param {boolean} focused
 * @param {number} crowd
 */
function drawRule(pen, place, focused, crowd) {
  const color = mapView.colors.outcome(model().rules[place].outcome);
  pen.fillStyle = color;
  pen.strokeStyle = focused ? mapView.colors.ink : color;
  pen.lineWidth = focused ? 3 : 1;
  for (const rectangle of mapView.plane.rectangles.get(place) ?? []) {
    const drawn = screenRectangle(rectangle);
    pen.globalAlpha = focused ? 0.35 : clamp(3 / crowd, 0.03, 0.2); // many overlap
    pen.fillRect(...drawn);
    pen.globalAlpha = focused ? 1 : crowd > 60 ? 0.4 : 0.8;
    pen.strokeRect(...drawn);
  }
  pen.globalAlpha = 1;
}

/** @param {CanvasRenderingContext2D} pen */
function drawConflicts(pen) {
  const { plane, colors, conflicts, torn } = mapView;
  if (conflicts === null || !conflicts.includes(1)) return;
  fillCells(
    pen,
    mergeCells(plane, (cell) => conflicts[cell] > 0),
    hatching(pen, colors.bad, true),
  );
  pen.strokeStyle = colors.bad;
  pen.lineWidth = 2;
  pen.setLineDash([7, 4]);
  pen.beginPath();
  // slightly inside, so that lines along the frame are visible
  if (torn) for (const rectangle of torn) pen.rect(...inset(screenRectangle(rectangle), 1.5));
  else
    traceOutline(
      pen,
      outlineCells(plane, (cell) => conflicts[cell] > 0),
    );
  pen.stroke();
  pen.setLineDash([]);
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {Edge[]} edges
 */
function traceOutline(pen, edges) {
  const { box, scales } = mapView;
  /**
   * @param {Scale} scale
   * @param {number} i
   */
  const line = ({ cells }, i) => (i < cells.length ? cells[i].from : cells[cells.length - 1].to);
  /** @param {number} place */
  const atX = (place) => clamp(onX(place), box.left + 1.5, box.left + box.width - 1.5);
  /** @param {number} place */
  const atY = (place) => clamp(onY(place), box.top + 1.5, box.top + box.height - 1.5);
  for (const [across, at, from, to] of edges) {
    const { x, y } = scales;
    if (across) {
      pen.moveTo(atX(line(x, from)), atY(line(y, at)));
      pen.lineTo(atX(x.cells[to - 1].to), atY(line(y, at)));
    } else {
      pen.moveTo(atX(line(x, at)), atY(line(y, from)));
      pen.lineTo(atX(line(x, at)), atY(y.cells[to - 1].to));
    }
  }
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {CellRectangle[]} rectangles
 * @param {string | CanvasPattern} style
 */
function fillCells(pen, rectangles, style) {
  pen.fillStyle = style;
  pen.beginPath();
  for (const rectangle of rectangles) pen.rect(...screenRectangle(rectangle));
  pen.fill();
}
