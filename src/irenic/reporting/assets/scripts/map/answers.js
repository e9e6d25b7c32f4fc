// @ts-check
// What is decided at a place of the map.

import { featureNamed } from "../summary.js";
import { describeAnswer, instanceHead, regionRound } from "../case/answer.js";
import { byId, h, joinedBy, nameWords, show } from "../dom.js";
import { decideCase, emptyCase } from "../engine/deciding.js";
import { instanceCase, instanceOf, rowNumber } from "../engine/instances.js";
import { askFrame } from "./canvas.js";
import { valuesAt } from "./hover.js";
import { isRegionOnMap } from "./overlay.js";
import { nearestInstance } from "./points.js";
import { valueWithName } from "./values.js";
import { mapView, otherFeatures } from "./view.js";
import { jumpTo } from "../page/jumps.js";
import { model, tell } from "../state.js";
import { formatValue } from "../values/texts.js";
import { countText } from "../words.js";

const POINT_REACH = 9; // how near a click has to be to mean an instance

/** @param {Point} place */
export function answerAt(place) {
  const near = nearestInstance(place);
  const hit = near !== null && near.far <= POINT_REACH;
  const theCase = hit ? instanceCase(near.place) : caseAt(place, near);
  sayAnswer(theCase, hit ? instanceHead(near.place) : placeHead(theCase, near));
  bringIntoSight(byId("map-answer"));
}

/**
 * Mark a case and say what is decided there. Without a head it is the case in the form, where the answer is read
 * aloud already.
 * @param {Case} theCase
 * @param {Child} [head]
 */
export function sayAnswer(theCase, head = null) {
  const { whole, answer, region } = pickCase(theCase, head === null);
  const holder = byId("map-answer");
  holder.setAttribute("aria-live", head === null ? "off" : "polite");
  show(
    holder,
    head ?? formHead(theCase),
    describeAnswer(whole, answer),
    region && h("p", { class: "muted small", id: "map-region" }),
    h("button", { type: "button", onclick: () => takeIntoForm(theCase) }, "Put this case into the form"),
  );
  holder.scrollTop = 0;
  sayRegion();
}

/** @param {Case} theCase */
function formHead(theCase) {
  const place = instanceOf(theCase);
  return place === undefined ? h("h3", {}, "The case in the form") : instanceHead(place);
}

/** Say whether the region of the answer is on the map: the sliders move, the answer stays. */
export function sayRegion() {
  const line = document.getElementById("map-region");
  if (!line || !mapView.picked?.region) return;
  line.textContent = isRegionOnMap(mapView.picked.region)
    ? "This region is outlined on the map with dots."
    : "The map does not show this region: the sliders stand elsewhere.";
}

/**
 * Scroll to an answer that nobody would see; beside the map it is always seen.
 * @param {HTMLElement} holder
 */
export function bringIntoSight(holder) {
  const { top } = holder.getBoundingClientRect();
  if (top >= 0 && top < window.innerHeight - 80) return;
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  holder.scrollIntoView({ block: "nearest", behavior: calm ? "auto" : "smooth" });
}

/** @param {Case} theCase */
function takeIntoForm(theCase) {
  tell("case", theCase);
  jumpTo("case");
}

/**
 * Mark a case on the map. What it says nothing of is as the sliders stand.
 * @param {Case} theCase
 * @param {boolean} fromForm
 */
function pickCase(theCase, fromForm) {
  const whole = Object.assign(emptyCase(), mapView.fixed, theCase);
  const answer = decideCase(model(), whole);
  const region = regionRound(whole, answer);
  const picked = { theCase, whole, place: instanceOf(theCase), answer, region, fromForm };
  mapView.picked = picked;
  askFrame("overlay");
  return picked;
}

/**
 * The case at a place: the other features from the sliders, else from the nearest instance, else the middle.
 * @param {Point} place
 * @param {Near | null} near
 */
function caseAt(place, near) {
  const from = mapView.mode === "fixed" ? mapView.fixed : near ? instanceCase(near.place) : mapView.fixed;
  const found = Object.assign(emptyCase(), from);
  const values = valuesAt(place);
  found[mapView.x] = values.x ?? null;
  if (mapView.y) found[mapView.y] = values.y ?? null;
  return found;
}

/**
 * @param {Case} theCase
 * @param {Near | null} near
 */
function placeHead(theCase, near) {
  const shown = [mapView.x, mapView.y].filter(Boolean).map(featureNamed);
  /** @param {Feature} feature */
  const exactly = (feature) => [nameWords(feature.name), " = ", nameWords(formatValue(feature, theCase[feature.name]))];
  const others = otherFeatures().map((feature) => valueWithName(feature, theCase[feature.name]));
  const example = near ? `as in the nearest instance, row ${countText(rowNumber(near.place))}` : "taken as an example";
  const source = mapView.mode === "fixed" ? "from the sliders" : example;
  return [
    h("h3", {}, "At ", joinedBy(", ", shown.map(exactly))),
    others.length > 0 &&
      h("p", { class: "muted small" }, "The other features: ", joinedBy(", ", others), ` (${source}).`),
  ];
}
