// @ts-check
// Works out what is on the map after a change of axes, mode or rule set.

import { sayRegion } from "./answers.js";
import { askFrame } from "./canvas.js";
import { placeTip, sayHovered } from "./hover.js";
import { sayMap } from "./note.js";
import { asksNeither, cellsOf, meetingRectangles, MOST_PAIRS, rectanglesOf, sliceCells } from "./plane.js";
import { GROUND, isOpen, mapFeature, mapView } from "./view.js";
import { model } from "../state.js";
import { isCounted, mustAgree } from "../summary.js";

const MOST_DRAWN = 1000; // rules; more take too long to draw, and nobody could distinguish them

/** Work out the plane anew: other axes, another mode, another rule set. */
export function renewMap() {
  const others = mapView.mode === "fixed" ? mapView.fixed : null;
  const plane = sliceCells(model(), mapFeature(mapView.x), mapFeature(mapView.y), others);
  mapView.plane = plane;
  mapView.everywhere = isOpen() ? plane.live.filter((place) => asksNeither(model().rules[place].box, plane)) : [];
  mapView.ground = groundOf(plane);
  mapView.drawn = chooseDrawn(plane);
  findConflicts(plane);
  mapView.hovered = [];
  mapView.hovering = false;
  sayHovered(null);
  placeTip(null);
  sayMap();
  sayRegion();
  askFrame("base");
}

/** @param {Plane} plane */
function groundOf({ outcomes, bare, outside }) {
  if (outcomes === null) return null;
  const dotted = mapView.everywhere.length > 0;
  return outcomes.map((count, cell) => {
    if (outside?.[cell]) return GROUND.outside;
    return count === 0 ? GROUND.gap : dotted && bare?.[cell] ? GROUND.open : GROUND.rules;
  });
}

/**
 * The rules to draw. Those that ask for neither feature while the others are open may hold anywhere: drawn, they
 * would hide the rest. Of very many, those with the most instances, or the first.
 * @param {Plane} plane
 */
function chooseDrawn(plane) {
  const left = new Set(mapView.everywhere);
  const places = plane.live.filter((place) => !left.has(place));
  if (places.length <= MOST_DRAWN) return places;
  if (!isCounted()) return places.slice(0, MOST_DRAWN);
  /** @param {number} place */
  const support = (place) => model().rules[place].support ?? 0;
  const chosen = new Set([...places].sort((a, b) => support(b) - support(a)).slice(0, MOST_DRAWN));
  return places.filter((place) => chosen.has(place));
}

/**
 * Find what is contradicted: exactly, where the other features are fixed; else as far as found and listed.
 * @param {Plane} plane
 */
function findConflicts(plane) {
  [mapView.conflicts, mapView.torn] = [null, null];
  if (plane.outcomes === null || !mustAgree()) return;
  if (isOpen()) {
    const boxes = model().findings.flatMap(({ kind, region }) => (kind === "conflicts" && region ? [region.box] : []));
    const found = boxes.flatMap((box) => rectanglesOf(box, plane));
    mapView.conflicts = cellsOf(found, plane);
    mapView.torn = found.length <= MOST_PAIRS ? found : null;
    return;
  }
  // what cannot occur is no contradiction
  mapView.conflicts = plane.outcomes.map((count, cell) => (count > 1 && !plane.outside?.[cell] ? 1 : 0));
  const simple = mapView.conflicts.includes(1) && !plane.outside?.includes(1);
  mapView.torn = simple ? meetingRectangles(plane, model()) : null;
}
