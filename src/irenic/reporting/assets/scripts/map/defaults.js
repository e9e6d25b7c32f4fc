// @ts-check
// The features and the case that the map starts with.

import { areCovered, canHold, emptyCase } from "../engine/deciding.js";
import { instanceCase } from "../engine/instances.js";
import { mapView } from "./view.js";
import { shareBetween } from "../numbers.js";
import { model } from "../state.js";
import { drawnFeatures, testedFeatures, featuresOf, summary } from "../summary.js";
import { isAdmitted, isCategory, isMissing, LOWEST, OTHER_CODE, valueBefore } from "../values/features.js";

/** Choose the two features that most rules test together; of equal pairs, those that are tested most often. */
export function chooseAxes() {
  const boxes = model().rules.map((rule) => rule.box);
  const counts = new Map(drawnFeatures().map((feature) => [feature.name, 0]));
  /** @param {string} name */
  const testCount = (name) => counts.get(name) ?? 0;
  for (const box of boxes) for (const name of Object.keys(box)) counts.set(name, testCount(name) + 1);
  const ranked = [...counts.keys()].sort((a, b) => testCount(b) - testCount(a));
  [mapView.x, mapView.y] = [ranked[0], ranked[1] ?? ""];
  let highest = 0;
  // a pair cannot be tested more often than either of its features
  for (let a = 0; a < ranked.length && testCount(ranked[a]) > highest; a++) {
    for (let b = a + 1; b < ranked.length && testCount(ranked[b]) > highest; b++) {
      const both = boxes.filter((box) => Object.hasOwn(box, ranked[a]) && Object.hasOwn(box, ranked[b])).length;
      if (both > highest) [highest, mapView.x, mapView.y] = [both, ranked[a], ranked[b]];
    }
  }
}

/** The case to start with: a covered instance near the median of all, preferably without missing values; without
 * instances, a case of a conflict, or one inside the first rule. */
export function typicalCase() {
  const middle = emptyCase();
  for (const feature of summary.features) middle[feature.name] = middleOf(feature);
  const { instances } = summary;
  if (!instances?.shown) {
    const conflict = model().findings.find((finding) => finding.kind === "conflicts");
    return conflict?.witness?.case ?? caseInside(middle);
  }
  const features = testedFeatures(model());
  const columns = features.map((feature) => instances.columns[feature.name]);
  const far = Float64Array.from({ length: instances.shown }, (_, i) =>
    features.reduce((sum, feature, k) => {
      const value = columns[k][i];
      return sum + distanceOn(feature, value, middle[feature.name]) + (isMissing(feature, value) ? 1000 : 0);
    }, 0),
  );
  const nearest = [...far.keys()].sort((a, b) => far[a] - far[b]);
  const covered = areCovered(model(), nearest.slice(0, 100)).indexOf(true);
  return instanceCase(nearest[Math.max(covered, 0)]);
}

/**
 * A case inside the first rule; other features keep their values.
 * @param {Case} middle
 */
function caseInside(middle) {
  const found = Object.assign(emptyCase(), middle);
  const box = model().rules[0]?.box ?? {};
  for (const feature of featuresOf(box)) {
    const condition = box[feature.name];
    if (!holdsFor(feature, condition, found[feature.name])) found[feature.name] = insideOf(feature, condition);
  }
  return found;
}

/**
 * Whether a condition holds for a value.
 * @param {FeatureRecord} feature
 * @param {Condition} condition
 * @param {Value} value
 */
function holdsFor({ name }, condition, value) {
  const [box, known] = [Object.create(null), emptyCase()];
  [box[name], known[name]] = [condition, value];
  return canHold(box, known);
}

/**
 * A value for which a condition holds, if possible in the middle of its drawn range.
 * @param {FeatureRecord} feature
 * @param {Condition} condition
 */
function insideOf(feature, condition) {
  if (isCategory(feature)) return condition.find((code) => code !== null && code > OTHER_CODE) ?? condition[0];
  const [low, high] = [condition[0] ?? -Infinity, condition[1] ?? Infinity];
  const [from, to] = [Math.max(low, feature.range[0]), Math.min(high, feature.range[1])];
  const values = [roundMiddle(feature, from, to), low, feature.lowest ?? LOWEST, valueBefore(feature, high)];
  return values.find((value) => isAdmitted(feature, value) && holdsFor(feature, condition, value)) ?? null;
}

/**
 * A short value near the middle of a range.
 * @param {ContinuousRecord} feature
 * @param {number} low
 * @param {number} high
 */
function roundMiddle(feature, low, high) {
  const middle = low / 2 + high / 2;
  const rounded = feature.step ? Math.floor(middle / feature.step) * feature.step : Number(middle.toPrecision(3));
  return low <= rounded && rounded <= high ? rounded : middle;
}

/**
 * @param {FeatureRecord} feature
 * @param {Value} a
 * @param {Value} b
 */
function distanceOn(feature, a, b) {
  if (a === b) return 0;
  if (isCategory(feature) || a === null || b === null) return 1;
  const [low, high] = feature.range;
  return Math.abs(shareBetween(a, low, high) - shareBetween(b, low, high));
}

/**
 * The median or the most frequent value of the instances, or the middle of the drawn range.
 * @param {FeatureRecord} feature
 */
function middleOf(feature) {
  const column = summary.instances?.columns[feature.name];
  if (isCategory(feature)) {
    const counts = feature.distribution?.counts;
    const first = feature.admitted.find((code) => code > OTHER_CODE) ?? feature.admitted[0];
    return counts ? counts.reduce((best, count, code) => (count > counts[best] ? code : best), 0) : first;
  }
  const numbers = column?.filter((value) => value !== null).sort((a, b) => a - b);
  if (numbers?.length) return numbers[Math.floor(numbers.length / 2)];
  return roundMiddle(feature, feature.range[0], feature.range[1]);
}
