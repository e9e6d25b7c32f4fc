// @ts-check
// The legend of the map.

import { penOf } from "./screen.js";
import { byId, h, nameWords, show } from "../dom.js";
import { crossing, dotting, hatching, impossibleGround } from "./patterns.js";
import { paintShape, traceShape } from "./shapes.js";
import { GROUND, mapView } from "./view.js";
import { outcomeText } from "../outcomes.js";
import { model } from "../state.js";
import { summary } from "../summary.js";
import { pluralText } from "../words.js";

export function drawLegend() {
  const { conflicts, ground, everywhere } = mapView;
  const used = new Set(model().rules.map((rule) => rule.outcome));
  const labeled = Boolean(summary.instances?.outcomes);
  if (labeled) summary.outcomes.forEach((outcome, place) => outcome.rows && used.add(place));
  const outcomes = [...used].sort((a, b) => a - b);
  /** @param {number} outcome */
  const swatch = (outcome) => legendSwatch((pen) => swatchOutcome(pen, outcome, labeled));
  /** @type {Child[][]} */
  const entries = outcomes.slice(0, 9).map((outcome) => [swatch(outcome), nameWords(outcomeText(outcome))]);
  if (outcomes.length > 9) entries.push([null, `and ${pluralText(outcomes.length - 9, "more outcome")} in gray`]);
  if (ground?.includes(GROUND.gap)) entries.push([groundSwatch(hatching, "none"), "no rule covers it"]);
  if (ground ? ground.includes(GROUND.open) : everywhere.length) {
    entries.push([groundSwatch(dotting, "muted"), "a rule that tests neither feature may hold"]);
  }
  if (ground?.includes(GROUND.impossible)) entries.push([groundSwatch(crossing, "muted", true), "impossible"]);
  if (conflicts?.includes(1)) entries.push([legendSwatch(swatchConflict), "rules contradict each other"]);
  if (summary.instances && !labeled) entries.push([legendSwatch(swatchPoint), "an instance"]);
  /** @param {Child[]} entry */
  const item = ([sign, text]) => h("li", {}, sign, h("span", {}, text));
  show(byId("map-legend"), h("ul", {}, entries.map(item)));
}

/** @param {(pen: CanvasRenderingContext2D) => void} draw */
function legendSwatch(draw) {
  const ratio = window.devicePixelRatio || 1;
  const canvas = h("canvas", { "aria-hidden": "true", width: Math.round(30 * ratio), height: Math.round(18 * ratio) });
  const pen = penOf(canvas);
  pen.scale(ratio, ratio);
  draw(pen);
  return canvas;
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {number} outcome
 * @param {boolean} pointed
 */
function swatchOutcome(pen, outcome, pointed) {
  const color = mapView.colors.outcome(outcome);
  pen.fillStyle = pen.strokeStyle = color;
  pen.globalAlpha = 0.25;
  pen.fillRect(1, 1, 28, 16);
  pen.globalAlpha = 1;
  pen.strokeRect(1, 1, 28, 16);
  if (!pointed) return;
  pen.beginPath();
  traceShape(pen, outcome, 15, 9, 4.5);
  paintShape(pen, outcome, mapView.colors.point(outcome), 4.5);
}

/**
 * @param {(pen: CanvasRenderingContext2D, color: string) => CanvasPattern} pattern
 * @param {"none" | "muted"} color
 * @param {boolean} [filled]
 */
function groundSwatch(pattern, color, filled = false) {
  return legendSwatch((pen) => {
    pen.fillStyle = filled ? impossibleGround(mapView.colors) : mapView.colors.raised;
    pen.fillRect(1, 1, 28, 16);
    pen.fillStyle = pattern(pen, mapView.colors[color]);
    pen.fillRect(1, 1, 28, 16);
    pen.strokeStyle = mapView.colors.line;
    pen.strokeRect(1, 1, 28, 16);
  });
}

/** @param {CanvasRenderingContext2D} pen */
function swatchConflict(pen) {
  pen.fillStyle = hatching(pen, mapView.colors.bad, true);
  pen.fillRect(2, 2, 26, 14);
  pen.strokeStyle = mapView.colors.bad;
  pen.lineWidth = 2;
  pen.setLineDash([7, 4]);
  pen.strokeRect(2, 2, 26, 14);
}

/** @param {CanvasRenderingContext2D} pen */
function swatchPoint(pen) {
  pen.beginPath();
  traceShape(pen, null, 15, 9, 4);
  paintShape(pen, null, mapView.colors.ink, 4);
}
