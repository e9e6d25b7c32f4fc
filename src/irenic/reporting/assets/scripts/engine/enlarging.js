// @ts-check
// The region that a new rule could take around a case.

import { compared, holds } from "./deciding.js";
import { featureNamed, summary } from "../summary.js";
import { isCategory, LOWEST } from "../values/features.js";

/**
 * The maximal region around a case that no rival overlaps, as irenic.enlarge grows it, feature by feature in
 * order. Rules with the outcome are not rivals; for null, all rules are. {coveredBy} if a rival covers the case.
 * @param {Model} model
 * @param {Case} theCase
 * @param {number | null} [outcome]
 * @returns {Box | { coveredBy: number }}
 */
export function enlarge(model, theCase, outcome = null) {
  const rivals = model.rules.filter((rule) => outcome === null || rule.outcome !== outcome);
  const apart = rivals.map((rule) => outsideOf(rule.box, theCase)); // features on which each rival excludes the case
  const covered = apart.findIndex((names) => names.size === 0);
  if (covered >= 0) return { coveredBy: model.rules.indexOf(rivals[covered]) };
  /** @type {Box} */
  const box = Object.create(null);
  for (const feature of summary.features) {
    const { name } = feature;
    const stops = rivals.filter((rule, i) => apart[i].size === 1 && apart[i].has(name)).map((rule) => rule.box[name]);
    const condition = isCategory(feature) ? growValues(feature, stops) : growInterval(feature, theCase[name], stops);
    if (condition !== null) box[name] = condition;
    rivals.forEach((rule, i) => {
      if (apart[i].has(name) && meets(feature, condition, rule.box[name])) apart[i].delete(name);
    });
  }
  return box;
}

/**
 * @param {Box} box
 * @param {Case} theCase
 */
function outsideOf(box, theCase) {
  /** @param {string} name */
  const out = (name) => !holds(featureNamed(name), box[name], theCase[name]);
  return new Set(Object.keys(box).filter(out));
}

/**
 * The largest interval around a value that meets no rival; null for no condition.
 * @param {Continuous} feature
 * @param {Value} value
 * @param {Condition[]} stops
 */
function growInterval(feature, value, stops) {
  const number = compared(value);
  let [low, high] = [-Infinity, Infinity];
  for (const [lower, upper] of stops) {
    if (lower !== null && number < lower) high = Math.min(high, lower);
    else low = Math.max(low, upper ?? Infinity);
  }
  // nothing lies between "missing" and the lowest value
  if (number === -Infinity && high <= (feature.lowest ?? LOWEST)) high = LOWEST;
  if (low === -Infinity && high === Infinity) return null;
  return [low === -Infinity ? null : low, high === Infinity ? null : high];
}

/**
 * The largest set of values that meets no rival; null for no condition.
 * @param {Category} feature
 * @param {Condition[]} stops
 */
function growValues(feature, stops) {
  const taken = new Set(stops.flat());
  const codes = feature.admitted.filter((code) => !taken.has(code));
  return codes.length === feature.admitted.length ? null : codes;
}

/**
 * Whether a condition (null: none) and another have a value in common.
 * @param {Feature} feature
 * @param {Condition | null} condition
 * @param {Condition} other
 */
function meets(feature, condition, other) {
  if (condition === null) return true;
  if (isCategory(feature)) return condition.some((code) => other.includes(code));
  const [low, high] = [condition[0] ?? -Infinity, condition[1] ?? Infinity];
  return (other[0] ?? -Infinity) < high && low < (other[1] ?? Infinity);
}
