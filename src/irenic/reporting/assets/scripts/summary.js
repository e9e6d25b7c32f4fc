// @ts-check
// The summary that the page shows, and lookups in it.

import { pluralText } from "./words.js";
import { byId } from "./dom.js";

/** @type {Summary} */
export const summary = JSON.parse(byId("summary").textContent ?? "");

// looked up by name: a feature may be called "constructor", and the page has only the columns that rules test
if (summary.instances) Object.setPrototypeOf(summary.instances.columns, null);

export const featuresByName = new Map(summary.features.map((feature) => [feature.name, feature]));

/**
 * The feature with a name, which must exist.
 * @param {string} name
 */
export const featureNamed = (name) => /** @type {FeatureRecord} */ (featuresByName.get(name));

/** The instances; an error if there are none. */
export function givenInstances() {
  if (summary.instances === null) throw new Error("the summary has no instances");
  return summary.instances;
}

/**
 * The features of a box, in the order of the summary: an object moves names such as "1" to the front.
 * @param {Box} box
 */
export function featuresOf(box) {
  return summary.features.filter((feature) => Object.hasOwn(box, feature.name));
}

/**
 * The condition of a box on a feature, or null. Only own properties count, as a feature may be called
 * "constructor".
 * @param {Box} box
 * @param {string} name
 */
export function conditionOn(box, name) {
  return Object.hasOwn(box, name) ? box[name] : null;
}

/** The regions that the table excludes as impossible. */
export const impossibleRegions = summary.impossible ?? [];

/** @type {WeakMap<ModelRecord, FeatureRecord[]>} */
const testedOf = new WeakMap();

/**
 * The features that the rules of a model test, in the order of the summary.
 * @param {ModelRecord} model
 */
export function testedFeatures(model) {
  let tested = testedOf.get(model);
  if (tested === undefined) {
    const names = new Set(model.rules.flatMap((rule) => Object.keys(rule.box)));
    tested = summary.features.filter((feature) => names.has(feature.name));
    testedOf.set(model, tested);
  }
  return tested;
}

/** The features that can be drawn: with instances, those whose values the page has, unless it has none. */
export function drawnFeatures() {
  const columns = summary.instances?.columns ?? {};
  const known = summary.features.filter(({ name }) => Object.hasOwn(columns, name));
  return known.length ? known : summary.features;
}

/** Whether there are rows that supports were counted on. */
export function hasCounts() {
  return summary.counted_on !== null && summary.instances?.rows !== 0;
}

/**
 * A text about the rows that supports were counted on, empty if there are none.
 * @param {(rows: string) => string} onInstances
 * @param {string} onTraining
 */
export function countedOn(onInstances, onTraining) {
  if (!hasCounts()) return "";
  return summary.instances ? onInstances(pluralText(summary.instances.rows, "instance")) : onTraining;
}

export const isCounted = () => summary.counted_on !== null;

/** Whether rules that hold for the same case must agree. */
export const mustAgree = () => !["first", "all"].includes(summary.decides.how);

/** Whether rules must not overlap even if they agree. */
export function overlapsForbidden() {
  return summary.decides.hit_policy === "UNIQUE";
}

/** @param {number} label */
export function labelText(label) {
  return summary.labels[label].text;
}
