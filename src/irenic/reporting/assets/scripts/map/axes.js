// @ts-check
// The axes of the map.

import { drawGuide, fitted, mapFont, onX, onY } from "./screen.js";
import { mapView } from "./view.js";
import { clamp } from "../numbers.js";
import { isCategory, unitLabel } from "../values/features.js";
import { nameText } from "../words.js";

/** @param {CanvasRenderingContext2D} pen */
export function drawAxes(pen) {
  const { box, colors, scales, plane } = mapView;
  pen.font = mapFont();
  pen.fillStyle = colors.muted;
  pen.strokeStyle = colors.line;
  pen.lineWidth = 1;
  if (plane.x) drawTicksAcross(pen, scales.x.ticks, plane.x);
  if (plane.y) drawTicksUp(pen, scales.y.ticks, plane.y);
  pen.fillStyle = colors.ink;
  pen.font = mapFont(13, "600");
  pen.textAlign = "center";
  pen.textBaseline = "alphabetic";
  const across = plane.x ? axisTitle(plane.x) : "";
  pen.fillText(fitted(pen, across, box.width), box.left + box.width / 2, box.top + box.height + 38);
  if (!plane.y) return;
  pen.save();
  pen.translate(14, box.top + box.height / 2);
  pen.rotate(-Math.PI / 2);
  pen.fillText(fitted(pen, axisTitle(plane.y), box.height), 0, 0);
  pen.restore();
}

/** @param {FeatureRecord} feature */
const axisTitle = (feature) => (unitLabel(feature) ? nameText(feature.name) + unitLabel(feature) : feature.name);

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {Tick[]} ticks
 * @param {FeatureRecord} feature
 */
function drawTicksAcross(pen, ticks, feature) {
  const { box } = mapView;
  pen.textAlign = "center";
  pen.textBaseline = "top";
  let free = -Infinity; // where the last text ended
  for (const tick of ticks) {
    const text = fitted(pen, tick.text, isCategory(feature) ? Math.max(tick.room - 6, 56) : 120);
    const half = pen.measureText(text).width / 2;
    const at = clamp(onX(tick.at), box.left + half - 12, box.left + box.width - half + 10);
    if (!isCategory(feature) && !tick.missing)
      drawGuide(pen, onX(tick.at), box.top, onX(tick.at), box.top + box.height + 4);
    if (at - half < free + 6) continue;
    pen.fillText(text, at, box.top + box.height + 7);
    free = at + half;
  }
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {Tick[]} ticks
 * @param {FeatureRecord} feature
 */
function drawTicksUp(pen, ticks, feature) {
  const { box } = mapView;
  pen.textAlign = "right";
  pen.textBaseline = "middle";
  let free = Infinity;
  for (const tick of ticks) {
    const at = onY(tick.at);
    if (!isCategory(feature) && !tick.missing) drawGuide(pen, box.left - 4, at, box.left + box.width, at);
    if (at + 8 > free) continue;
    pen.fillText(fitted(pen, tick.text, box.left - 34), box.left - 8, at);
    free = at - 6;
  }
}
