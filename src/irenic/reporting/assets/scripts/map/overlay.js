// @ts-check
// The moving parts above the map: outlines of rules, the marked case, the cross.

import { knownBeside } from "./plane.js";
import { drawGuide, inset, onX, onY, screenRectangle, widened } from "./screen.js";
import { mapView } from "./view.js";
import { canHold } from "../engine/deciding.js";
import { conditionOn } from "../summary.js";
import { isCategory } from "../values/features.js";

/** @param {CanvasRenderingContext2D} pen */
export function drawOverlay(pen) {
  const { box, colors, hovered, picked, cross } = mapView;
  pen.save();
  pen.beginPath();
  pen.rect(box.left, box.top, box.width, box.height);
  pen.clip();
  pen.strokeStyle = colors.ink;
  pen.lineWidth = 2;
  // rules that may hold anywhere come last and have no outline
  for (const place of hovered.slice(0, Math.min(12, hovered.length - mapView.everywhere.length))) {
    for (const rectangle of mapView.plane.rectangles.get(place) ?? []) pen.strokeRect(...screenRectangle(rectangle));
  }
  if (picked?.region && isRegionOnMap(picked.region)) outlineRegion(pen, picked.region);
  if (picked) drawMarker(pen, picked.theCase, picked.place);
  if (cross) drawCross(pen, cross);
  pen.restore();
}

/**
 * The outline of the region for a new rule, with a white border that makes it visible on any color.
 * @param {CanvasRenderingContext2D} pen
 * @param {Box} region
 */
function outlineRegion(pen, region) {
  const { plane, scales } = mapView;
  /**
   * @param {Scale} scale
   * @param {FeatureRecord | null} feature
   */
  const spans = (scale, feature) => scale.spans(feature && conditionOn(region, feature.name));
  const across = spans(scales.x, plane.x);
  const drawn = spans(scales.y, plane.y).flatMap(([low, high]) =>
    across.map(([from, to]) => widened(onX(from), onY(high), to - from, high - low)),
  );
  for (const rectangle of drawn) {
    const inner = inset(rectangle, 2);
    pen.strokeStyle = mapView.colors.raised;
    pen.lineWidth = 5;
    pen.strokeRect(...inner);
    pen.strokeStyle = mapView.colors.focus;
    pen.lineWidth = 2.5;
    pen.setLineDash([2, 4]);
    pen.strokeRect(...inner);
    pen.setLineDash([]);
  }
}

/**
 * Whether the current slice overlaps a region: an instance may have other values than the sliders.
 * @param {Box} region
 */
export function isRegionOnMap(region) {
  return canHold(region, knownBeside(mapView.plane, mapView.mode === "fixed" ? mapView.fixed : null));
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {Case} theCase
 * @param {number | undefined} instance
 */
function drawMarker(pen, theCase, instance) {
  const [x, y] = instance !== undefined ? [mapView.at.x[instance], mapView.at.y[instance]] : casePlace(theCase);
  for (const [color, width] of /** @type {[string, number][]} */ ([
    [mapView.colors.raised, 5],
    [mapView.colors.ink, 2.5],
  ])) {
    pen.strokeStyle = color;
    pen.lineWidth = width;
    pen.beginPath();
    pen.arc(x, y, 8, 0, 7);
    for (const [dx, dy] of [
      [1, 0],
      [-1, 0],
      [0, 1],
      [0, -1],
    ]) {
      pen.moveTo(x + dx * 4, y + dy * 4);
      pen.lineTo(x + dx * 13, y + dy * 13);
    }
    pen.stroke();
  }
}

/** @param {Case} theCase */
function casePlace(theCase) {
  const { scales, plane } = mapView;
  /** @param {FeatureRecord | null} feature */
  const value = (feature) => {
    if (feature === null) return undefined;
    return theCase[feature.name] ?? (isCategory(feature) ? feature.admitted[0] : null);
  };
  return [onX(scales.x.place(value(plane.x))), onY(scales.y.place(value(plane.y)))];
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {Point} point
 */
function drawCross(pen, { x, y }) {
  const { box, colors } = mapView;
  pen.strokeStyle = colors.focus;
  pen.lineWidth = 1.5;
  drawGuide(pen, x, box.top, x, box.top + box.height);
  drawGuide(pen, box.left, y, box.left + box.width, y);
}
