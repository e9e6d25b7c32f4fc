// @ts-check
// The answer at a point of the map.

import { featureNamed } from "../summary.js";
import { describeAnswer, instanceHead, regionAround } from "../case/answer.js";
import { byId, h, joinedBy, nameWords, show } from "../dom.js";
import { decideCase, emptyCase } from "../engine/deciding.js";
import { instanceCase, instanceOf, rowNumber } from "../engine/instances.js";
import { requestFrame } from "./canvas.js";
import { valuesAt } from "./hover.js";
import { isRegionOnMap } from "./overlay.js";
import { nearestInstance } from "./points.js";
import { valueWithName } from "./values.js";
import { mapView, otherFeatures } from "./view.js";
import { jumpTo } from "../page/jumps.js";
import { model, emit } from "../state.js";
import { formatValue } from "../values/texts.js";
import { countText } from "../words.js";

const POINT_REACH = 9; // the maximum distance of a click on an instance, in pixels

/** @param {Point} place */
export function answerAt(place) {
  const near = nearestInstance(place);
  const hit = near !== null && near.far <= POINT_REACH;
  const theCase = hit ? instanceCase(near.place) : caseAt(place, near);
  answerCase(theCase, hit ? instanceHead(near.place) : placeHead(theCase, near));
  scrollIntoSight(byId("map-answer"));
}

/**
 * Mark a case and show its answer. Without a heading it is the case in the form, which already announces the
 * answer.
 * @param {Case} theCase
 * @param {Child} [head]
 */
export function answerCase(theCase, head = null) {
  const { completed, answer, region } = pickCase(theCase, head === null);
  const holder = byId("map-answer");
  holder.setAttribute("aria-live", head === null ? "off" : "polite");
  show(
    holder,
    head ?? formHead(theCase),
    describeAnswer(completed, answer),
    region && h("p", { class: "muted small", id: "map-region" }),
    h("button", { type: "button", onclick: () => takeIntoForm(theCase) }, "Copy this case to the form"),
  );
  holder.scrollTop = 0;
  updateRegionNote();
}

/** @param {Case} theCase */
function formHead(theCase) {
  const place = instanceOf(theCase);
  return place === undefined ? h("h3", {}, "The case in the form") : instanceHead(place);
}

/** Update the note on whether the map shows the region of the answer, which depends on the sliders. */
export function updateRegionNote() {
  const line = document.getElementById("map-region");
  if (!line || !mapView.picked?.region) return;
  line.textContent = isRegionOnMap(mapView.picked.region)
    ? "The dotted outline on the map shows this region."
    : "The map does not show this region at the current values of the sliders.";
}

/**
 * Scroll to an answer that is outside the window.
 * @param {HTMLElement} holder
 */
export function scrollIntoSight(holder) {
  const { top } = holder.getBoundingClientRect();
  if (top >= 0 && top < window.innerHeight - 80) return;
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  holder.scrollIntoView({ block: "nearest", behavior: calm ? "auto" : "smooth" });
}

/** @param {Case} theCase */
function takeIntoForm(theCase) {
  emit("case", theCase);
  jumpTo("case");
}

/**
 * Mark a case on the map. The sliders provide values that it does not have.
 * @param {Case} theCase
 * @param {boolean} fromForm
 */
function pickCase(theCase, fromForm) {
  const completed = Object.assign(emptyCase(), mapView.fixed, theCase);
  const answer = decideCase(model(), completed);
  const region = regionAround(completed, answer);
  const picked = { theCase, completed, place: instanceOf(theCase), answer, region, fromForm };
  mapView.picked = picked;
  requestFrame("overlay");
  return picked;
}

/**
 * The case at a point; other features are from the sliders, the nearest instance, or a typical case.
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
  /** @param {FeatureRecord} feature */
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
