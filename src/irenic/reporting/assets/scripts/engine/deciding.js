// @ts-check
// Decides which rules hold for a case and what they predict.

import { allocate, checkMemory, memoryAt, NO_MEMORY, putIntegers, putStruct, withKernels } from "./kernels.js";
import { packedRules, packRules, putKnown, putPoints, valueIn, weightOf } from "./packing.js";
import { givenInstances, impossibleRegions, summary } from "../summary.js";

const BATCH = 512; // instances that are decided together: the table of rules that cover them stays small

/**
 * A case without values. It inherits no properties, so that features can have any name.
 * @returns {Case}
 */
export function emptyCase() {
  return Object.create(null);
}

/**
 * The answer to a case. outcome: its index, null for none; rule: the index of the deciding rule, null
 * for none; rules: all that cover the case; contradicted: whether rules that must agree do not;
 * several: the outcomes if all rules count. If values are unknown, only rules that do not test them count.
 * @param {ModelRecord} model
 * @param {Case} theCase
 */
export function decideCase(model, theCase) {
  return decideBatch(model, 1, (name) => valueIn(theCase, name))[0];
}

/**
 * The answers to instances, given by their indices.
 * @param {ModelRecord} model
 * @param {number[]} places
 */
export function decideInstances(model, places) {
  /** @type {Answer[]} */
  const answers = [];
  for (let first = 0; first < places.length; first += BATCH) {
    const batch = places.slice(first, first + BATCH);
    answers.push(...decideBatch(model, batch.length, valuesOfInstances(batch)));
  }
  return answers;
}

/**
 * Whether a rule covers each instance, given by their indices.
 * @param {ModelRecord} model
 * @param {number[]} places
 */
export function areCovered(model, places) {
  const n = places.length;
  const rules = packedRules(model.rules);
  return withKernels((kernels) => {
    const points = putPoints(n, valuesOfInstances(places));
    return decidingRules(kernels, model, rules, points.address, n).map((rule) => rule >= 0);
  });
}

/** @param {number[]} places */
function valuesOfInstances(places) {
  const { columns } = givenInstances();
  /**
   * @param {string} name
   * @param {number} k
   */
  return (name, k) => (Object.hasOwn(columns, name) ? columns[name][places[k]] : undefined); // no rule tests others
}

/**
 * @param {ModelRecord} model
 * @param {number} n
 * @param {(name: string, column: number) => Value | undefined} valueOf
 */
function decideBatch(model, n, valueOf) {
  const rules = packedRules(model.rules);
  return withKernels((kernels) => {
    const points = putPoints(n, valueOf);
    const deciding = decidingRules(kernels, model, rules, points.address, n);
    const covering = coveringRules(kernels, rules, points.address, n);
    return covering.map((places, k) => answerOf(model, places, deciding[k]));
  });
}

/**
 * The indices of the rules that cover each case, in order.
 * @param {Kernels} kernels
 * @param {PackedRules} rules
 * @param {number} points
 * @param {number} n
 */
function coveringRules(kernels, rules, points, n) {
  const out = allocate(rules.n * n);
  kernels.covering(rules.address, points, 0n, BigInt(n), out);
  const covers = memoryAt(Uint8Array, out, rules.n * n);
  /** @type {number[][]} */
  const found = Array.from({ length: n }, () => []);
  for (let rule = 0; rule < rules.n; rule++) {
    for (let k = 0; k < n; k++) if (covers[rule * n + k]) found[k].push(rule);
  }
  return found;
}

/**
 * The rule that decides each case, -1 for none.
 * @param {Kernels} kernels
 * @param {ModelRecord} model
 * @param {PackedRules} rules
 * @param {number} points
 * @param {number} n
 */
function decidingRules(kernels, model, rules, points, n) {
  const out = allocate(8 * n);
  if (summary.decides.how === "vote") {
    checkMemory(kernels.voting(rules.address, points, BigInt(rules.outcomes), 0n, BigInt(n), out), NO_MEMORY);
  } else {
    const order = putStruct(putIntegers(decidingOrder(model)), rules.n, 1);
    kernels.deciding(rules.address, points, order, 0n, BigInt(n), out);
  }
  const halves = memoryAt(Int32Array, out, 2 * n); // of 64-bit numbers; the lower ones are enough
  return Array.from({ length: n }, (_, k) => halves[2 * k]);
}

/**
 * The rules in the order in which they decide, where the first that holds does.
 * @param {ModelRecord} model
 */
export function decidingOrder(model) {
  const places = model.order ?? model.rules.map((_, place) => place);
  if (summary.decides.how !== "best") return places;
  const weights = model.rules.map(weightOf);
  return [...places].sort((a, b) => (weights[a] === weights[b] ? 0 : weights[a] > weights[b] ? -1 : 1));
}

/**
 * @param {ModelRecord} model
 * @param {number[]} rules
 * @param {number} rule
 * @returns {Answer}
 */
function answerOf(model, rules, rule) {
  /** @type {Answer} */
  const answer = { outcome: null, rule: null, rules, contradicted: false, several: [] };
  if (!rules.length) return { ...answer, outcome: model.default.outcome };
  const { how } = summary.decides;
  const outcomes = [...new Set(rules.map((place) => model.rules[place].outcome))];
  if (how === "agree" && outcomes.length > 1) return { ...answer, contradicted: true };
  const outcome = how === "all" && outcomes.length > 1 ? null : model.rules[rule].outcome;
  return { ...answer, rule, outcome, several: how === "all" ? outcomes : [] };
}

/**
 * Whether a case is impossible.
 * @param {Case} theCase
 */
export function isImpossibleCase(theCase) {
  if (!impossibleRegions.length) return false;
  const regions = packedRules(impossibleRegions);
  return withKernels((kernels) => {
    const points = putPoints(1, (name) => valueIn(theCase, name));
    return coveringRules(kernels, regions, points.address, 1)[0].length > 0;
  });
}

/**
 * The indices of the rules or regions that can hold if some values are known, in order.
 * @param {Ruled[]} rules
 * @param {Case} known
 */
export function possibleRules(rules, known) {
  const packed = packedRules(rules);
  return withKernels((kernels) => meetingRules(kernels, packed, known));
}

/**
 * Whether a box contains a case with the known values.
 * @param {Box} box
 * @param {Case} known
 */
export function canHold(box, known) {
  return withKernels((kernels) => meetingRules(kernels, packRules([{ box }]), known).length > 0);
}

/**
 * @param {Kernels} kernels
 * @param {PackedRules} rules
 * @param {Case} known
 */
function meetingRules(kernels, rules, known) {
  const [box, out] = [putKnown(known), allocate(rules.n)];
  kernels.meeting(rules.address, box, out);
  const meets = memoryAt(Uint8Array, out, rules.n);
  return [...meets.keys()].filter((place) => meets[place]);
}
