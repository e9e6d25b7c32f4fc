// @ts-check
// What is certain about a case while some of its features are unknown.

import { decideAmong, firstInOrder, holds } from "./deciding.js";
import { featureNamed, summary } from "../summary.js";

/**
 * What is known about a partial case. possible: the rules that can still hold; sure: those that already hold;
 * settled: the answer of decideCase if it does not depend on the unknown features, or null.
 * @param {Model} model
 * @param {Case} known
 */
export function foresee(model, known) {
  /** @param {string} name */
  const isKnown = (name) => Object.hasOwn(known, name);
  /**
   * @param {Box} box
   * @param {string} name
   */
  const admits = (box, name) => !isKnown(name) || holds(featureNamed(name), box[name], known[name]);
  /** @param {Box} box */
  const fits = (box) => Object.keys(box).every((name) => admits(box, name));
  const possible = [...model.rules.keys()].filter((place) => fits(model.rules[place].box));
  const sure = possible.filter((place) => Object.keys(model.rules[place].box).every(isKnown));
  return { possible, sure, settled: settledAnswer(model, possible, sure) };
}

/**
 * @param {Model} model
 * @param {number[]} possible
 * @param {number[]} sure
 */
function settledAnswer(model, possible, sure) {
  if (!possible.length) return decideAmong(model, []);
  const now = decideAmong(model, sure);
  if (now.contradicted) return now; // further rules cannot resolve it
  const outcomes = new Set(possible.map((place) => model.rules[place].outcome));
  const { how } = summary.decides;
  if (how === "first" && sure.length && firstInOrder(model, possible) === now.rule) return now;
  if (outcomes.size > 1) return null;
  return sure.length || (model.default.outcome !== null && outcomes.has(model.default.outcome))
    ? { ...now, outcome: [...outcomes][0] }
    : null;
}
