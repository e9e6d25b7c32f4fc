// @ts-check
// Why a case is decided as it is: a region around it in which the decision is always the same, with as few conditions
// as possible. It is that of irenic.searching.explaining, found in the same order.

import { conditionsOf } from "../conditions.js";
import { decidingOrder } from "../engine/deciding.js";
import { checkMemory, NO_MEMORY, putIntegers, withKernels } from "../engine/kernels.js";
import { axisOrder, newBox, packRules, putPoints, readBox, valueIn } from "../engine/packing.js";
import { conditionOn, featuresOf, impossibleRegions, summary } from "../summary.js";
import { isCategory, LOWEST } from "../values/features.js";

const STEPS = 20_000; // of the exact search; beyond it, a greedy choice is used

/**
 * The region of the reason of an answer, null if rules contradict each other. whole: whether it is that of the deciding
 * rule; counts: what was counted there; proved: whether no region has fewer conditions. Of regions of the default with
 * as few conditions, one that was counted is preferred.
 * @param {ModelRecord} model
 * @param {Case} theCase
 * @param {Answer} answer
 * @returns {{ region: Box, whole: boolean, counts: DefaultRegion | null, proved: boolean } | null}
 */
export function reasonOf(model, theCase, answer) {
  if (answer.contradicted) return null;
  const { limit, rivals } = scopeOf(model, answer);
  const parts = rivals.flatMap(({ box }) => possibleParts(box));
  const clipped = parts.map((box) => sharedBox(box, limit)).filter((box) => box !== null);
  if (answer.rules.length && !clipped.length) {
    return { region: simplified(limit), whole: true, counts: null, proved: true };
  }
  const { region, proved } = reasonRegion(theCase, limit, clipped);
  const counts = answer.rules.length
    ? undefined
    : model.default_regions.find(({ box }) => !separatingAxes(box, theCase).length);
  const longer = !counts || Object.keys(counts.box).length > Object.keys(region).length;
  return longer ? { region, whole: false, counts: null, proved } : { region: counts.box, whole: false, counts, proved };
}

/**
 * The box that the reason of an answer lies in, and the rules that must not overlap it.
 * @param {ModelRecord} model
 * @param {Answer} answer
 * @returns {{ limit: Box, rivals: Ruled[] }}
 */
function scopeOf(model, answer) {
  const { rules } = model;
  const { how } = summary.decides;
  const holding = new Set(answer.rules);
  if (!holding.size) {
    const rest = how === "all" ? null : model.default.outcome;
    return { limit: {}, rivals: rest === null ? rules : rules.filter((rule) => rule.outcome !== rest) };
  }
  if (how === "all" || (how === "vote" && !isConsistent(model))) {
    const limit = answer.rules.reduce((/** @type {Box} */ box, place) => sharedBox(box, rules[place].box) ?? box, {});
    return { limit, rivals: rules.filter((_, place) => !holding.has(place)) };
  }
  const place = reasonRule(model, answer) ?? answer.rules[0];
  const order = how === "first" || how === "best" ? decidingOrder(model) : null;
  const stronger = order ? order.slice(0, order.indexOf(place)).map((earlier) => rules[earlier]) : rules;
  return { limit: rules[place].box, rivals: stronger.filter(({ outcome }) => outcome !== rules[place].outcome) };
}

/** @type {WeakMap<ModelRecord, boolean>} */
const consistent = new WeakMap();

/**
 * Whether no two rules contradict each other where a case can occur.
 * @param {ModelRecord} model
 */
function isConsistent(model) {
  let known = consistent.get(model);
  if (known === undefined) {
    const { rules } = model;
    known = !rules.some((a, i) =>
      rules.slice(0, i).some((b) => {
        const shared = a.outcome === b.outcome ? null : sharedBox(a.box, b.box);
        return shared !== null && possibleParts(shared).length > 0;
      }),
    );
    consistent.set(model, known);
  }
  return known;
}

/**
 * The region around a case with the fewest conditions that lies in a box and overlaps none of the rivals within it.
 * @param {Case} theCase
 * @param {Box} limit
 * @param {Box[]} rivals
 */
function reasonRegion(theCase, limit, rivals) {
  const given = new Set(featuresOf(simplified(limit)).map((feature) => axisOrder[summary.features.indexOf(feature)]));
  const sets = rivals.map((box) => separatingAxes(box, theCase)).filter((axes) => !axes.some((n) => given.has(n)));
  const { numbers, proved } = smallestHittingSet(sets);
  const last = new Set([...numbers, ...given]);
  const order = [...axisOrder.filter((axis) => !last.has(axis)), ...axisOrder.filter((axis) => last.has(axis))];
  const grown = withKernels((kernels) => {
    const rules = packRules(rivals.map((box) => ({ box })));
    const { values, codes } = putPoints(1, (name) => valueIn(theCase, name));
    const [axes, box] = [putIntegers(order), newBox()];
    checkMemory(kernels.enlarge(rules.address, values, codes, axes, -1n, box), NO_MEMORY);
    return readBox(box);
  });
  const region = simplified(sharedBox(grown, limit) ?? grown);
  return { region: withoutMissing(region, theCase, limit), proved };
}

// --- boxes

/**
 * What two boxes have in common, null for nothing.
 * @param {Box} a
 * @param {Box} b
 * @returns {Box | null}
 */
function sharedBox(a, b) {
  let shared = a;
  for (const feature of featuresOf(b)) {
    const own = conditionOn(a, feature.name);
    const condition = own === null ? b[feature.name] : sharedCondition(feature, own, b[feature.name]);
    if (condition === null) return null;
    shared = withCondition(shared, feature.name, condition);
  }
  return shared;
}

/**
 * @param {FeatureRecord} feature
 * @param {Condition} a
 * @param {Condition} b
 * @returns {Condition | null}
 */
function sharedCondition(feature, a, b) {
  if (isCategory(feature)) {
    const codes = a.filter((code) => b.includes(code));
    return codes.length ? codes : null;
  }
  const low = Math.max(a[0] ?? -Infinity, b[0] ?? -Infinity);
  const high = Math.min(a[1] ?? Infinity, b[1] ?? Infinity);
  return low < high ? interval(low, high) : null;
}

/**
 * @param {number} low
 * @param {number} high
 * @returns {Condition}
 */
const interval = (low, high) => [low === -Infinity ? null : low, high === Infinity ? null : high];

/**
 * @param {Box} box
 * @param {string} name
 * @param {Condition} condition
 * @returns {Box}
 */
function withCondition(box, name, condition) {
  /** @type {Box} */
  const copy = Object.create(null); // a feature may be called "__proto__"
  for (const [key, value] of Object.entries(box)) copy[key] = value;
  copy[name] = condition;
  return copy;
}

/**
 * The parts of a box in which cases can occur.
 * @param {Box} box
 */
function possibleParts(box) {
  return impossibleRegions.reduce((parts, { box: excluded }) => parts.flatMap((part) => cutOut(part, excluded)), [box]);
}

/**
 * The parts of a box that another leaves.
 * @param {Box} box
 * @param {Box} excluded
 */
function cutOut(box, excluded) {
  if (sharedBox(box, excluded) === null) return [box];
  const parts = [];
  let rest = box;
  for (const feature of featuresOf(excluded)) {
    const condition = excluded[feature.name];
    for (const outside of complements(feature, condition)) {
      const part = sharedBox(rest, withCondition({}, feature.name, outside));
      if (part !== null && canOccur(feature, part[feature.name])) parts.push(part);
    }
    rest = sharedBox(rest, withCondition({}, feature.name, condition)) ?? rest;
  }
  return parts;
}

/**
 * The conditions that hold where one does not.
 * @param {FeatureRecord} feature
 * @param {Condition} condition
 * @returns {Condition[]}
 */
function complements(feature, condition) {
  if (isCategory(feature)) return [feature.admitted.filter((code) => !condition.includes(code))];
  const [low, high] = condition;
  return [...(low === null ? [] : [interval(-Infinity, low)]), ...(high === null ? [] : [interval(high, Infinity)])];
}

/**
 * Whether a value can occur for which a condition holds.
 * @param {FeatureRecord} feature
 * @param {Condition} condition
 */
function canOccur(feature, condition) {
  if (isCategory(feature)) return condition.length > 0;
  const [low, high] = [condition[0] ?? -Infinity, condition[1] ?? Infinity];
  const isMissing = feature.missing && low === -Infinity;
  return isMissing || Math.max(low, feature.lowest ?? LOWEST) < Math.min(high, feature.end ?? Infinity);
}

/**
 * A box without the bounds that the features imply.
 * @param {Box} box
 */
function simplified(box) {
  /** @type {Box} */
  const simple = Object.create(null);
  for (const feature of featuresOf(box)) {
    const condition = box[feature.name];
    if (isCategory(feature)) {
      if (!feature.admitted.every((code) => condition.includes(code))) simple[feature.name] = condition;
      continue;
    }
    let [low, high] = [condition[0] ?? -Infinity, condition[1] ?? Infinity];
    if (low > -Infinity && low <= (feature.lowest ?? LOWEST)) low = feature.missing ? LOWEST : -Infinity;
    if (high >= (feature.end ?? Infinity)) high = Infinity;
    if (low > -Infinity || high < Infinity) simple[feature.name] = interval(low, high);
  }
  return simple;
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
 * Exclude missing values of the numbers that a region tests, beyond its limit, and the case has: they are no part of
 * the reason.
 * @param {Box} region
 * @param {Case} theCase
 * @param {Box} limit
 */
function withoutMissing(region, theCase, limit) {
  const given = simplified(limit);
  for (const feature of summary.features) {
    const condition = conditionOn(region, feature.name);
    if (condition === null || isCategory(feature) || !feature.missing || theCase[feature.name] === null) continue;
    if (conditionOn(given, feature.name) !== null) continue;
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
 * As few numbers as possible such that each set contains one of them, and whether that is proved; after many steps, the
 * greedy choice.
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
    if (found) return { numbers: found, proved: true };
  }
  return { numbers: best, proved: steps <= STEPS };
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
