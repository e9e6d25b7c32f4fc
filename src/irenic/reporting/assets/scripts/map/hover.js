// @ts-check
// The rules at the pointer.

import { conditionWords } from "../condition_words.js";
import { writtenConditions } from "../conditions.js";
import { byId, h, joinedBy, nameWords, show } from "../dom.js";
import { emptyCase, possibleRules } from "../engine/deciding.js";
import { requestFrame } from "./canvas.js";
import { isOpen, mapCanvas, mapView } from "./view.js";
import { clamp } from "../numbers.js";
import { outcomeChip, outcomeText } from "../outcomes.js";
import { ruleTitle } from "../rules/names.js";
import { model } from "../state.js";
import { impossibleRegions } from "../summary.js";
import { isCategory } from "../values/features.js";
import { pluralText } from "../words.js";

const LISTED = 4; // the maximum number of rules listed next to the pointer

/**
 * The values at a point of the canvas.
 * @param {Point} point
 */
export function valuesAt({ x, y }) {
  const { box, scales } = mapView;
  const across = clamp(x - box.left, 0, box.width);
  const up = clamp(box.top + box.height - y, 0, box.height);
  return { x: scales.x.at(across), y: scales.y.at(up) };
}

/** @param {MouseEvent} event */
export function placeOfEvent(event) {
  const outer = mapCanvas().getBoundingClientRect();
  return { x: event.clientX - outer.left, y: event.clientY - outer.top };
}

/** @param {Point} point */
export function isOnMap({ x, y }) {
  const { box } = mapView;
  return x >= box.left && x <= box.left + box.width && y >= box.top && y <= box.top + box.height;
}

/**
 * Record the position of the pointer; the rules there are looked up once per frame. They are announced to screen
 * readers only if the keyboard is used.
 * @param {PointerEvent | null} event
 */
export function pointAt(event) {
  byId("map-hover").setAttribute("aria-live", "off");
  const waiting = mapView.pointer !== null;
  mapView.pointer = { place: event && placeOfEvent(event) };
  if (waiting) return;
  requestAnimationFrame(() => {
    const place = mapView.pointer?.place;
    mapView.pointer = null;
    if (mapView.box) hoverAt(place && isOnMap(place) ? place : null);
  });
}

/** @param {Point | null} place */
export function hoverAt(place) {
  const values = place && valuesAt(place);
  const rules = values ? rulesAt(values) : [];
  mapCanvas().classList.toggle("pointing", place !== null);
  const changed = rules.join() !== mapView.hovered.join() || mapView.hovering !== (place !== null);
  mapView.hovered = rules;
  mapView.hovering = place !== null;
  if (changed || impossibleRegions.length) showHovered(values);
  placeTip(place);
  if (changed) requestFrame("overlay");
}

/**
 * The rules that can hold at two values, in the order of decisions; those that may hold anywhere come last.
 * @param {Values} values
 */
function rulesAt(values) {
  const { plane, everywhere } = mapView;
  const known = emptyCase();
  if (plane.x) known[plane.x.name] = values.x ?? null;
  if (plane.y) known[plane.y.name] = values.y ?? null;
  const possible = new Set(possibleRules(model().rules, known));
  for (const place of everywhere) possible.delete(place);
  return [...plane.live.filter((place) => possible.has(place)), ...everywhere];
}

/**
 * Show the rules at two values, null for none: in detail next to the pointer, and in a line below the map.
 * @param {Values | null} values
 */
export function showHovered(values) {
  const [line, tip] = [byId("map-hover"), byId("map-tip")];
  if (values === null) {
    show(line);
    return void show(tip);
  }
  const rules = mapView.hovered;
  const none = isImpossible(values)
    ? "The table excludes this as impossible."
    : `No rule covers this point${isOpen() ? ", whatever the other features are" : ""}.`;
  if (!rules.length) {
    show(line, none);
    return void show(tip, h("p", {}, none));
  }
  /** @param {number} place */
  const short = (place) => [`${ruleTitle(place)} (`, nameWords(outcomeText(model().rules[place].outcome)), ")"];
  /** @param {number} n */
  const more = (n) => (rules.length > n ? ` and ${pluralText(rules.length - n, "more rule")}` : "");
  show(line, joinedBy(", ", rules.slice(0, 12).map(short)), more(12));
  show(
    tip,
    h("ul", {}, rules.slice(0, LISTED).map(ruleLine)),
    rules.length > LISTED && h("p", { class: "muted" }, more(LISTED).trim()),
  );
  return undefined;
}

/** @param {number} place */
function ruleLine(place) {
  const rule = model().rules[place];
  return h(
    "li",
    {},
    h("b", {}, ruleTitle(place)),
    " ",
    outcomeChip(rule.outcome),
    " ",
    h("span", { class: "muted" }, ruleConditionWords(rule)),
  );
}

/**
 * Whether the cell at two values is impossible.
 * @param {Values} values
 */
function isImpossible(values) {
  const { plane } = mapView;
  if (!impossibleRegions.length || plane.impossible === null) return false;
  /**
   * @param {FeatureRecord | null} feature
   * @param {Cell[]} cells
   * @param {Value | undefined} value
   */
  const place = (feature, cells, value) =>
    cells.findIndex((cell) => {
      if (feature === null || isCategory(feature) || value === null || value === undefined) return cell.value === value;
      const { low, high } = cell;
      return low !== undefined && high !== undefined && low <= value && value < high;
    });
  const [i, j] = [place(plane.x, plane.xs, values.x), place(plane.y, plane.ys, values.y)];
  return plane.impossible[j * plane.xs.length + i] === 1;
}

/**
 * Place the tooltip next to a point of the canvas, inside the frame and not below the pointer.
 * @param {Point | null} place
 */
export function placeTip(place) {
  const tip = byId("map-tip");
  tip.classList.toggle("shown", place !== null);
  if (place === null) return;
  const frame = byId("map-frame");
  const [width, height] = [tip.offsetWidth, tip.offsetHeight];
  const right = place.x + 14 + width <= frame.clientWidth;
  const left = clamp(right ? place.x + 14 : place.x - 14 - width, 0, Math.max(0, frame.clientWidth - width));
  const below = place.y + 18 + height <= frame.clientHeight;
  const top = below ? place.y + 18 : Math.max(place.y - 14 - height, 0);
  Object.assign(tip.style, { left: `${left}px`, top: `${top}px` });
}

/** @param {CountedRule} rule */
function ruleConditionWords(rule) {
  const words = writtenConditions(rule).map((condition, i) => [i ? " and " : "", conditionWords(condition)]);
  return words.length ? words : "always";
}
