// @ts-check
// What is certain about a case while some of its features are unknown.

import { decideCase, decidingOrder, possibleRules } from "./deciding.js";
import { summary } from "../summary.js";

/**
 * What is known about a partial case. possible: the rules that can still hold; sure: those that already hold;
 * settled: the answer of decideCase if it does not depend on the unknown features, or null.
 * @param {ModelRecord} model
 * @param {Case} known
 */
export function foresee(model, known) {
  const possible = possibleRules(model.rules, known);
  const now = decideCase(model, known);
  return { possible, sure: now.rules, settled: settledAnswer(model, possible, now) };
}

/**
 * @param {ModelRecord} model
 * @param {number[]} possible
 * @param {Answer} now
 */
function settledAnswer(model, possible, now) {
  if (!possible.length || now.contradicted) return now; // further rules cannot resolve it
  const outcomes = new Set(possible.map((place) => model.rules[place].outcome));
  const open = new Set(possible);
  const isFirst = now.rule !== null && decidingOrder(model).find((place) => open.has(place)) === now.rule;
  if (summary.decides.how === "first" && isFirst) return now;
  if (outcomes.size > 1) return null;
  return now.rules.length || (model.default.outcome !== null && outcomes.has(model.default.outcome))
    ? { ...now, outcome: [...outcomes][0] }
    : null;
}
