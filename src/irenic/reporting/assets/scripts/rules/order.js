// @ts-check
// The orders in which rules can be sorted.

import { conflictsByPlace } from "../findings/counts.js";
import { model } from "../state.js";
import { hasCounts, summary } from "../summary.js";

/** @type {Record<Sorting, string>} */
const SORTINGS = {
  number: "number",
  outcome: "outcome",
  support: "instances covered",
  confidence: "confidence",
  conditions: "number of conditions",
  conflicts: "number of conflicts",
};

export const GREATEST_FIRST = ["support", "confidence", "conflicts"]; // sorted in descending order at first

/**
 * The available sort keys, without those that were not counted.
 * @param {CountedRule[]} rules
 */
export function sortingsOf(rules) {
  /** @type {Partial<Record<Sorting, boolean>>} */
  const available = {
    support: hasCounts(),
    confidence: hasCounts() && rules.some((rule) => rule.confidence !== null),
    conflicts: conflictsByPlace().size > 0,
  };
  return /** @type {Sorting[]} */ (Object.keys(SORTINGS)).filter((name) => available[name] ?? true);
}

/** @param {Sorting} name */
export function sortingText(name) {
  if (name !== "number" || !model().order) return SORTINGS[name];
  return summary.decides.hit_policy === "PRIORITY" ? "priority" : "order of evaluation";
}

/**
 * A function that compares the indices of two rules.
 * @param {Sorting} sorting
 * @param {boolean} descending
 */
export function ruleOrder(sorting, descending) {
  const { rules, order } = model();
  const ranks = order && new Map(order.map((place, rank) => [place, rank]));
  /** @param {number} place */
  const number = (place) => ranks?.get(place) ?? place;
  const keys = {
    number,
    /** @param {number} place */
    outcome: (place) => rules[place].outcome,
    /** @param {number} place */
    support: (place) => rules[place].support ?? -1,
    /** @param {number} place */
    confidence: (place) => rules[place].confidence ?? -1,
    /** @param {number} place */
    conditions: (place) => Object.keys(rules[place].box).length,
    /** @param {number} place */
    conflicts: (place) => conflictsByPlace().get(place)?.size ?? 0,
  };
  const key = keys[sorting];
  const sign = descending ? -1 : 1;
  /**
   * @param {number} a
   * @param {number} b
   */
  const compare = (a, b) => sign * (key(a) - key(b)) || number(a) - number(b);
  return compare;
}
