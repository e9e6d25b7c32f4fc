// @ts-check
// Why the default decides a case: a region around it, with as few conditions as possible, in which no rule predicts
// anything else. It is that of irenic.searching.reasons, found in the same order. And which of several rules is the
// reason.

import { conditionsOf } from "../conditions.js";
import { checkMemory, NO_MEMORY, putIntegers, withKernels } from "../engine/kernels.js";
import { axisOrder, newBox, packedRules, putPoints, readBox, valueIn } from "../engine/packing.js";
import { conditionOn, summary } from "../summary.js";
import { isCategory, LOWEST } from "../values/features.js";

const STEPS = 20_000; // of the exact search; beyond it, a greedy choice is used

/**
 * The region in which the default decides for the same reason, and what was counted there; null if there is no
 * default. Of regions with as few conditions, one that was counted is preferred.
 * @param {ModelRecord} model
 * @param {Case} theCase
 * @returns {{ region: Box, counts: DefaultRegion | null } | null}
 */
export function reasonOfDefault(model, theCase) {
  const region = grownRegion(model, theCase);
  const counts = model.default_regions.find(({ box }) => !separatingAxes(box, theCase).length);
  if (region === null || !counts) return region && { region, counts: null };
  const longer = Object.keys(counts.box).length > Object.keys(region).length;
  return longer ? { region, counts: null } : { region: counts.box, counts };
}

/**
 * The region of the default that is grown around a case; null if there is no default.
 * @param {ModelRecord} model
 * @param {Case} theCase
 * @returns {Box | null}
 */
function grownRegion(model, theCase) {
  const { outcome } = model.default;
  if (outcome === null) return null;
  const rivals = model.rules.filter((rule) => rule.outcome !== outcome);
  const last = new Set(smallestHittingSet(rivals.map((rule) => separatingAxes(rule.box, theCase))));
  const order = [...axisOrder.filter((axis) => !last.has(axis)), ...axisOrder.filter((axis) => last.has(axis))];
  const rules = packedRules(model.rules);
  const region = withKernels((kernels) => {
    const { values, codes } = putPoints(1, (name) => valueIn(theCase, name));
    const [axes, box] = [putIntegers(order), newBox()];
    const result = kernels.enlarge(rules.address, values, codes, axes, BigInt(outcome), box);
    return Number(checkMemory(result, NO_MEMORY)) >= 0 ? null : readBox(box);
  });
  return region && withoutMissing(region, theCase);
}

/**
 * The rule that is the reason of an answer: if rules agree, each that holds is enough, and it is the one with the
 * fewest conditions, then the highest confidence in learning, then the lowest number. null for the default.
 * @param {ModelRecord} model
 * @param {Answer} answer
 * @returns {number | null}
 */
export function reasonRule(model, answer) {
  if (answer.rule === null || summary.decides.how !== "agree") return answer.rule;
  const { rules } = model;
  /** @param {number} place */
  const size = (place) => conditionsOf(rules[place].box).length;
  /** @param {number} place */
  const confidence = (place) => (model.front ? (rules[place].expected?.[0] ?? rules[place].confidence ?? -1) : 0);
  /**
   * @param {number} a
   * @param {number} b
   */
  const compare = (a, b) => size(a) - size(b) || confidence(b) - confidence(a) || a - b;
  return answer.rules.filter((place) => rules[place].outcome === answer.outcome).sort(compare)[0] ?? answer.rule;
}

/**
 * How likely each label is, null if no classifier predicts that. It depends on the outcome and on the region of the
 * case, or else on the rule.
 * @param {ModelRecord} model
 * @param {Case} theCase
 * @param {Answer} answer
 * @returns {number[] | null}
 */
export function likelyLabels(model, theCase, answer) {
  const { likely, rules, default: rest } = model;
  if (!likely.length || answer.outcome === null)
    return (answer.rule === null ? rest : rules[answer.rule]).probabilities;
  const region = likely.find(({ box }) => box === null || !separatingAxes(box, theCase).length);
  return region?.probabilities[answer.outcome] ?? null;
}

/**
 * Exclude missing values of the numbers that a region tests and the case has: they are no part of the reason.
 * @param {Box} region
 * @param {Case} theCase
 */
function withoutMissing(region, theCase) {
  for (const feature of summary.features) {
    const condition = conditionOn(region, feature.name);
    if (condition === null || isCategory(feature) || !feature.missing || theCase[feature.name] === null) continue;
    if (condition[0] === null && condition[1] !== null) region[feature.name] = [LOWEST, condition[1]];
  }
  return region;
}

/**
 * The features on which a case is outside of a box, as kernels number them, in ascending order.
 * @param {Box} box
 * @param {Case} theCase
 */
function separatingAxes(box, theCase) {
  const axes = summary.features.flatMap((feature, place) => {
    const condition = conditionOn(box, feature.name);
    if (condition === null) return [];
    const value = theCase[feature.name];
    if (isCategory(feature)) return condition.includes(value) ? [] : [axisOrder[place]];
    const number = value ?? -Infinity;
    const outside = number < (condition[0] ?? -Infinity) || number >= (condition[1] ?? Infinity);
    return outside ? [axisOrder[place]] : [];
  });
  return axes.sort((a, b) => a - b);
}

/**
 * As few numbers as possible such that each set contains one of them; after many steps, the greedy choice.
 * @param {number[][]} sets
 */
export function smallestHittingSet(sets) {
  const minimal = minimalSets(sets);
  const often = new Map();
  for (const n of minimal.flat()) often.set(n, (often.get(n) ?? 0) + 1);
  let steps = 0;
  /**
   * @param {number[][]} left
   * @param {number} size
   * @returns {number[] | null}
   */
  const within = (left, size) => {
    if (!left.length) return [];
    steps++;
    if (size === 0 || steps > STEPS || disjointCount(left) > size) return null;
    const shortest = left.reduce((best, one) => (one.length < best.length ? one : best));
    for (const n of [...shortest].sort((a, b) => often.get(b) - often.get(a))) {
      const rest = within(
        left.filter((one) => !one.includes(n)),
        size - 1,
      );
      if (rest) return [n, ...rest];
    }
    return null;
  };
  const best = greedyHittingSet(minimal);
  for (let size = 1; size < best.length && steps <= STEPS; size++) {
    const found = within(minimal, size);
    if (found) return found;
  }
  return best;
}

/**
 * The sets that contain no other one, each once, in the order of their bits.
 * @param {number[][]} sets
 */
function minimalSets(sets) {
  const distinct = [...new Map(sets.filter((one) => one.length).map((one) => [one.join(), one])).values()];
  /**
   * @param {number[]} a
   * @param {number[]} b
   */
  const compare = (a, b) => {
    if (a.length !== b.length) return a.length - b.length;
    for (let i = a.length - 1; i >= 0; i--) if (a[i] !== b[i]) return a[i] - b[i];
    return 0;
  };
  /** @type {number[][]} */
  const minimal = [];
  for (const one of distinct.sort(compare)) {
    if (!minimal.some((other) => other.every((n) => one.includes(n)))) minimal.push(one);
  }
  return minimal;
}

/** @param {number[][]} sets */
function greedyHittingSet(sets) {
  const numbers = [...new Set(sets.flat())].sort((a, b) => a - b);
  const chosen = [];
  for (let left = sets; left.length;) {
    /** @param {number} n */
    const hits = (n) => left.filter((one) => one.includes(n)).length;
    const best = numbers.reduce((a, b) => (hits(b) > hits(a) ? b : a));
    chosen.push(best);
    left = left.filter((one) => !one.includes(best));
  }
  return chosen;
}

/**
 * A number of disjoint sets, each of which needs a number of its own.
 * @param {number[][]} sets
 */
function disjointCount(sets) {
  const seen = new Set();
  let n = 0;
  for (const one of sets) {
    if (one.some((each) => seen.has(each))) continue;
    for (const each of one) seen.add(each);
    n++;
  }
  return n;
}
