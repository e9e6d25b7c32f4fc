// @ts-check
// Clicks and keys on the map.

import { byId, show } from "../dom.js";
import { answerAt } from "./answers.js";
import { requestFrame } from "./canvas.js";
import { hoverAt, isOnMap, placeOfEvent } from "./hover.js";
import { mapView } from "./view.js";
import { clamp } from "../numbers.js";

/** @param {MouseEvent} event */
export function clickMap(event) {
  const place = placeOfEvent(event);
  if (mapView.box && isOnMap(place)) answerAt(place);
}

/** @type {Record<string, [number, number]>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** @param {KeyboardEvent} event */
export function keyOnMap(event) {
  const { box } = mapView;
  if (!box) return undefined; // nothing is drawn yet
  if (event.key === "Escape") {
    mapView.cross = null;
    mapView.picked = null;
    show(byId("map-answer"));
    hoverAt(null);
    return requestFrame("overlay");
  }
  if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    return answerAt(mapView.cross ?? { x: box.left + box.width / 2, y: box.top + box.height / 2 });
  }
  const arrow = ARROWS[event.key];
  if (!arrow || event.ctrlKey || event.altKey || event.metaKey) return undefined;
  event.preventDefault();
  const step = event.shiftKey ? 1 : 10;
  mapView.cross ??= { x: box.left + box.width / 2, y: box.top + box.height / 2 };
  mapView.cross.x = clamp(mapView.cross.x + arrow[0] * step, box.left, box.left + box.width);
  mapView.cross.y = clamp(mapView.cross.y + arrow[1] * step, box.top, box.top + box.height);
  byId("map-hover").setAttribute("aria-live", "polite");
  hoverAt(mapView.cross);
  return requestFrame("overlay");
}

export function leaveCross() {
  if (mapView.cross === null) return;
  mapView.cross = null;
  hoverAt(null);
  requestFrame("overlay");
}
