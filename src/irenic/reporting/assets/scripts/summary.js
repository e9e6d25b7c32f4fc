// @ts-check
// The summary that this page shows, and what can be looked up in it.

import { pluralText } from "./words.js";
import { byId } from "./dom.js";

/** @type {Summary} */
export const summary = JSON.parse(byId("summary").textContent ?? "");

export const featuresByName = new Map(summary.features.map((feature) => [feature.name, feature]));

/**
 * The feature of a name that the summary itself uses.
 * @param {string} name
 */
export const featureNamed = (name) => /** @type {Feature} */ (featuresByName.get(name));

/** The instances, where there are some. */
export function givenInstances() {
  if (summary.instances === null) throw new Error("the summary has no instances");
  return summary.instances;
}

/**
 * The features of a box, in the order of the features: names such as "1" change places in it.
 * @param {Box} box
 */
export function featuresOf(box) {
  return summary.features.filter((feature) => Object.hasOwn(box, feature.name));
}

/**
 * The condition of a box on a feature, or null. A feature may be called "constructor": only what the
 * box itself holds counts.
 * @param {Box} box
 * @param {string} name
 */
export function conditionOn(box, name) {
  return Object.hasOwn(box, name) ? box[name] : null;
}

/** The parts of the space that cannot occur: holes in what a table says of its columns. */
export const outsideBoxes = (summary.outside ?? []).map((part) => part.box);

/** @type {WeakMap<Model, Feature[]>} */
const askedOf = new WeakMap();

/**
 * The features that some rule of a model asks for, in their order.
 * @param {Model} model
 */
export function askedFeatures(model) {
  let asked = askedOf.get(model);
  if (asked === undefined) {
    const names = new Set(model.rules.flatMap((rule) => Object.keys(rule.box)));
    asked = summary.features.filter((feature) => names.has(feature.name));
    askedOf.set(model, asked);
  }
  return asked;
}

/** Whether there is anything that supports were counted on. */
export function hasCounts() {
  return summary.counted_on !== null && summary.instances?.rows !== 0;
}

/**
 * Words about what supports were counted on, if on anything.
 * @param {(rows: string) => string} onInstances
 * @param {string} onTraining
 */
export function countedOn(onInstances, onTraining) {
  if (!hasCounts()) return "";
  return summary.instances ? onInstances(pluralText(summary.instances.rows, "instance")) : onTraining;
}

export const isCounted = () => summary.counted_on !== null;

/** Whether rules that hold for one case must not say different things. */
export const mustAgree = () => !["first", "all"].includes(summary.decides.how);

/** Whether rules may not overlap even where they say the same. */
export function overlapsForbidden() {
  return summary.decides.hit_policy === "UNIQUE";
}

/** @param {number} label */
export function labelText(label) {
  return summary.labels[label].text;
}
