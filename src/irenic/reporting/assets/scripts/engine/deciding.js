// @ts-check
// Decides which rules hold for a case and what they predict, exactly as irenic does in Python.

import { featureNamed, outsideBoxes, summary } from "../summary.js";
import { isCategory } from "../values/features.js";

/**
 * A case without values. It inherits no properties, so that features can have any name.
 * @returns {Case}
 */
export function emptyCase() {
  return Object.create(null);
}

/**
 * A value for comparisons: missing numbers are below all others.
 * @param {Value | undefined} value
 */
export const compared = (value) => (value === null || value === undefined ? -Infinity : value);

/**
 * Whether a condition holds for a value of its feature.
 * @param {Feature} feature
 * @param {Condition} condition
 * @param {Value | undefined} value
 */
export function holds(feature, condition, value) {
  if (isCategory(feature)) return value !== undefined && condition.includes(value);
  const number = compared(value);
  return (condition[0] ?? -Infinity) <= number && number < (condition[1] ?? Infinity);
}

/**
 * Whether a box contains a case.
 * @param {Box} box
 * @param {Case} theCase
 */
export function covers(box, theCase) {
  return Object.keys(box).every((name) => holds(featureNamed(name), box[name], theCase[name]));
}

/**
 * The indices of the rules that cover a case, in order.
 * @param {Model} model
 * @param {Case} theCase
 */
function coveringRules(model, theCase) {
  /** @type {number[]} */
  const places = [];
  model.rules.forEach((rule, place) => {
    if (covers(rule.box, theCase)) places.push(place);
  });
  return places;
}

/**
 * Whether a case is impossible.
 * @param {Case} theCase
 */
export function isOutside(theCase) {
  return outsideBoxes.some((box) => covers(box, theCase));
}

/**
 * The answer to a case. outcome: its index, null for none; rule: the index of the deciding rule, null
 * for none; rules: all that cover the case; contradicted: whether rules that must agree do not;
 * several: the outcomes if all rules count.
 * @param {Model} model
 * @param {Case} theCase
 */
export function decideCase(model, theCase) {
  return decideAmong(model, coveringRules(model, theCase));
}

/**
 * @param {Model} model
 * @param {number[]} rules
 * @returns {Answer}
 */
export function decideAmong(model, rules) {
  /** @type {Answer} */
  const answer = { outcome: null, rule: null, rules, contradicted: false, several: [] };
  if (!rules.length) return { ...answer, outcome: model.default.outcome };
  const how = summary.decides.how;
  const outcomes = [...new Set(rules.map((place) => model.rules[place].outcome))];
  if (how === "agree" && outcomes.length > 1) return { ...answer, contradicted: true };
  const rule = CHOICES[how](model, rules);
  const outcome = how === "all" && outcomes.length > 1 ? null : model.rules[rule].outcome;
  return { ...answer, rule, outcome, several: how === "all" ? outcomes : [] };
}

/** @type {Record<Summary["decides"]["how"], (model: Model, rules: number[]) => number>} */
const CHOICES = {
  agree: (model, rules) => rules[0],
  all: (model, rules) => rules[0],
  first: firstInOrder,
  best: heaviest,
  vote: mostVoted,
};

/**
 * @param {Model} model
 * @param {number[]} rules
 */
export function firstInOrder(model, rules) {
  if (!model.order) return rules[0];
  const holding = new Set(rules);
  return model.order.find((place) => holding.has(place)) ?? rules[0];
}

/**
 * The weight of a rule; infinite ones are {"float": "inf"} in JSON.
 * @param {CountedRule} rule
 */
export function weightOf(rule) {
  if (typeof rule.weight === "number") return rule.weight;
  return String(Object.values(rule.weight)[0]).startsWith("-") ? -Infinity : Infinity;
}

/**
 * The rule with the greatest weight; the first of equal ones.
 * @param {Model} model
 * @param {number[]} rules
 */
function heaviest(model, rules) {
  return rules.reduce((best, place) => (weightOf(model.rules[place]) > weightOf(model.rules[best]) ? place : best));
}

/**
 * The first rule of the outcome with the greatest sum of weights; if sums are equal, the outcome whose rule
 * comes first. Weights are added in the order of the rules, because another order might round differently.
 * @param {Model} model
 * @param {number[]} rules
 */
function mostVoted(model, rules) {
  /** @type {Map<number, { first: number, sum: number }>} */
  const sums = new Map(); // in the order of each outcome's first rule
  for (const place of rules) {
    const { outcome } = model.rules[place];
    const entry = sums.get(outcome) ?? { first: place, sum: 0 };
    entry.sum += weightOf(model.rules[place]);
    sums.set(outcome, entry);
  }
  const entries = [...sums.values()];
  return entries.reduce((best, entry) => (entry.sum > best.sum ? entry : best)).first;
}
