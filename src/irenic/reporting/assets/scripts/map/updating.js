// @ts-check
// Computes the content of the map after a change of axes, mode or rule set.

import { updateRegionNote } from "./answers.js";
import { requestFrame } from "./canvas.js";
import { placeTip, showHovered } from "./hover.js";
import { updateMapNote } from "./note.js";
import { testsNeither, cellsOf, meetingRectangles, PAIR_LIMIT, rectanglesOf, sliceCells } from "./plane.js";
import { GROUND, isOpen, mapFeature, mapView } from "./view.js";
import { model } from "../state.js";
import { isCounted, mustAgree } from "../summary.js";

const RULE_LIMIT = 1000; // more rules take too long to draw and cannot be distinguished

/** Compute the plane after a change of axes, mode or rule set. */
export function updateMap() {
  const others = mapView.mode === "fixed" ? mapView.fixed : null;
  const plane = sliceCells(model(), mapFeature(mapView.x), mapFeature(mapView.y), others);
  mapView.plane = plane;
  mapView.everywhere = isOpen() ? plane.live.filter((place) => testsNeither(model().rules[place].box, plane)) : [];
  mapView.ground = groundOf(plane);
  mapView.drawn = chooseDrawn(plane);
  findConflicts(plane);
  mapView.hovered = [];
  mapView.hovering = false;
  showHovered(null);
  placeTip(null);
  updateMapNote();
  updateRegionNote();
  requestFrame("base");
}

/** @param {Plane} plane */
function groundOf({ outcomes, bare, impossible }) {
  if (outcomes === null) return null;
  const dotted = mapView.everywhere.length > 0;
  return outcomes.map((count, cell) => {
    if (impossible?.[cell]) return GROUND.impossible;
    return count === 0 ? GROUND.gap : dotted && bare?.[cell] ? GROUND.open : GROUND.rules;
  });
}

/**
 * The rules to draw. Rules that may hold anywhere, because they test only projected features, would hide the rest.
 * If there are very many, those with the most instances, or the first ones.
 * @param {Plane} plane
 */
function chooseDrawn(plane) {
  const left = new Set(mapView.everywhere);
  const places = plane.live.filter((place) => !left.has(place));
  if (places.length <= RULE_LIMIT) return places;
  if (!isCounted()) return places.slice(0, RULE_LIMIT);
  /** @param {number} place */
  const support = (place) => model().rules[place].support ?? 0;
  const chosen = new Set([...places].sort((a, b) => support(b) - support(a)).slice(0, RULE_LIMIT));
  return places.filter((place) => chosen.has(place));
}

/**
 * Find conflicts: exactly if the other features are fixed, else only those that are listed.
 * @param {Plane} plane
 */
function findConflicts(plane) {
  [mapView.conflicts, mapView.torn] = [null, null];
  if (plane.outcomes === null || !mustAgree()) return;
  if (isOpen()) {
    const boxes = model().findings.flatMap(({ kind, region }) => (kind === "conflicts" && region ? [region.box] : []));
    const found = boxes.flatMap((box) => rectanglesOf(box, plane));
    mapView.conflicts = cellsOf(found, plane);
    mapView.torn = found.length <= PAIR_LIMIT ? found : null;
    return;
  }
  // impossible cases are not conflicts
  mapView.conflicts = plane.outcomes.map((count, cell) => (count > 1 && !plane.impossible?.[cell] ? 1 : 0));
  const simple = mapView.conflicts.includes(1) && !plane.impossible?.includes(1);
  mapView.torn = simple ? meetingRectangles(plane, model()) : null;
}
