// @ts-check
// Rules, cases and boxes in the memory of the kernels, as c/irenic.h describes them: continuous features first, the
// values of a category as bits.

import { allocate, memoryAt, putArray, putIntegers, putStruct } from "./kernels.js";
import { greatest } from "../numbers.js";
import { featureNamed, summary } from "../summary.js";
import { isCategory, LOWEST, nextUp } from "../values/features.js";

const continuous = summary.features.filter((feature) => !isCategory(feature));

const categories = summary.features.filter(isCategory);

/** Where the words of each category start. There is one more bit than values, for a value that is unknown. */
const wordStarts = [0];
for (const { values } of categories) wordStarts.push(wordStarts[wordStarts.length - 1] + (values.length >> 6) + 1);

const wordCount = wordStarts[categories.length];

/** The row of each feature among those of its kind. */
const rowsOfFeatures = new Map(
  [...continuous.entries(), ...categories.entries()].map(([row, { name }]) => [name, row]),
);

/** @param {string} name */
const rowNamed = (name) => /** @type {number} */ (rowsOfFeatures.get(name));

/** The features as kernels number them, in their order on the page. */
export const axisOrder = summary.features.map(
  (feature) => rowNamed(feature.name) + (isCategory(feature) ? continuous.length : 0),
);

/**
 * Set the bits of values in words that are stored as two numbers each.
 * @param {Uint32Array} halves
 * @param {string} name
 * @param {Condition} codes
 * @param {number} [column]
 * @param {number} [columns]
 */
function setBits(halves, name, codes, column = 0, columns = 1) {
  const start = wordStarts[rowNamed(name)];
  for (const code of codes) {
    if (code === null) continue;
    halves[2 * ((start + (code >> 6)) * columns + column) + ((code >> 5) & 1)] |= 1 << (code & 31);
  }
}

const allBits = new Uint32Array(2 * wordCount);
for (const { name, admitted } of categories) setBits(allBits, name, admitted);

/** @type {WeakMap<Ruled[], PackedRules>} */
const keptRules = new WeakMap();

/**
 * Rules in the memory of the kernels, copied there once. Not to be called inside withKernels, which would drop them.
 * @param {Ruled[]} rules
 */
export function packedRules(rules) {
  let packed = keptRules.get(rules);
  if (packed === undefined) {
    packed = packRules(rules);
    keptRules.set(rules, packed);
  }
  return packed;
}

/**
 * @param {Ruled[]} rules
 * @returns {PackedRules}
 */
export function packRules(rules) {
  const n = rules.length;
  const [lower, upper] = [new Float64Array(continuous.length * n), new Float64Array(continuous.length * n)];
  lower.fill(-Infinity);
  upper.fill(Infinity);
  const masks = new Uint32Array(2 * wordCount * n);
  rules.forEach(({ box }, place) => {
    for (const feature of categories) {
      const condition = Object.hasOwn(box, feature.name) ? box[feature.name] : feature.admitted;
      setBits(masks, feature.name, condition, place, n);
    }
    for (const [name, condition] of Object.entries(box)) {
      if (isCategory(featureNamed(name))) continue;
      const cell = rowNamed(name) * n + place;
      [lower[cell], upper[cell]] = [condition[0] ?? -Infinity, condition[1] ?? Infinity];
    }
  });
  const outcomes = Int32Array.from(rules, ({ outcome }) => outcome ?? 0);
  const weights = Float64Array.from(rules, weightOf);
  const lowest = Float64Array.from(continuous, (feature) => feature.lowest ?? LOWEST);
  const address = putStruct(
    [lower, continuous.length, n],
    [upper, continuous.length, n],
    [masks, wordCount, n],
    [outcomes, n, 1],
    [weights, n, 1],
    n,
    putIntegers(wordStarts),
    wordStarts.length,
    1,
    [allBits, wordCount, 1],
    [lowest, continuous.length, 1],
  );
  return { address, n, outcomes: greatest(outcomes, -1) + 1 };
}

/**
 * The weight of a rule; infinite ones are {"float": "inf"} in JSON.
 * @param {Ruled} rule
 */
export function weightOf({ weight = 1 }) {
  if (typeof weight === "number") return weight;
  return String(Object.values(weight)[0]).startsWith("-") ? -Infinity : Infinity;
}

/**
 * Cases, one column each, given by a function that returns a value or undefined. No condition holds for an unknown
 * value: so the rules that cover a case with unknown values are those that hold whatever the values are.
 * @param {number} n
 * @param {(name: string, column: number) => Value | undefined} valueOf
 */
export function putPoints(n, valueOf) {
  const values = new Float64Array(continuous.length * n);
  const codes = new Int32Array(categories.length * n);
  continuous.forEach(({ name }, row) => {
    for (let k = 0; k < n; k++) values[row * n + k] = numberOf(valueOf(name, k));
  });
  categories.forEach((feature, row) => {
    for (let k = 0; k < n; k++) codes[row * n + k] = valueOf(feature.name, k) ?? feature.values.length;
  });
  const at = { values: putArray(values), codes: putArray(codes) };
  return { ...at, address: putStruct(at.values, continuous.length, n, at.codes, categories.length, n) };
}

/**
 * A number as kernels compare it: missing ones are below all others.
 * @param {Value | undefined} value
 */
function numberOf(value) {
  return value === undefined ? NaN : (value ?? -Infinity);
}

/**
 * The value of a case, undefined if it is unknown.
 * @param {Case} theCase
 * @param {string} name
 */
export function valueIn(theCase, name) {
  return Object.hasOwn(theCase, name) ? theCase[name] : undefined;
}

/** The bytes of a box: the lower bounds, the upper bounds and the words of all features. */
const BOX_SIZE = 8 * (2 * continuous.length + wordCount);

/** The address of a box for a kernel to fill. */
export function newBox() {
  return allocate(BOX_SIZE);
}

/**
 * The address of the box of all cases with the known values.
 * @param {Case} known
 */
export function putKnown(known) {
  const box = newBox();
  const { lower, upper, halves } = sidesOf(box);
  continuous.forEach(({ name }, row) => {
    const value = numberOf(valueIn(known, name));
    lower[row] = Number.isNaN(value) ? -Infinity : value;
    upper[row] = Number.isNaN(value) ? Infinity : value === -Infinity ? LOWEST : nextUp(value);
  });
  halves.fill(0);
  for (const { name, admitted } of categories) {
    const code = valueIn(known, name);
    setBits(halves, name, code === undefined ? admitted : [code]);
  }
  return box;
}

/**
 * The conditions of a box that exclude something.
 * @param {number} address
 */
export function readBox(address) {
  const { lower, upper, halves } = sidesOf(address);
  /** @type {Box} */
  const box = Object.create(null);
  for (const feature of summary.features) {
    const row = rowNamed(feature.name);
    const condition = isCategory(feature) ? readValues(feature, halves) : readInterval(lower[row], upper[row]);
    if (condition !== null) box[feature.name] = condition;
  }
  return box;
}

/**
 * @param {number} low
 * @param {number} high
 */
function readInterval(low, high) {
  if (low === -Infinity && high === Infinity) return null;
  return [low === -Infinity ? null : low, high === Infinity ? null : high];
}

/**
 * @param {CategoricalRecord} feature
 * @param {Uint32Array} halves
 */
function readValues(feature, halves) {
  const start = 2 * wordStarts[rowNamed(feature.name)];
  const codes = feature.admitted.filter((code) => (halves[start + (code >> 5)] >>> (code & 31)) & 1);
  return codes.length === feature.admitted.length ? null : codes;
}

/** @param {number} address */
function sidesOf(address) {
  const d = continuous.length;
  return {
    lower: memoryAt(Float64Array, address, d),
    upper: memoryAt(Float64Array, address + 8 * d, d),
    halves: memoryAt(Uint32Array, address + 16 * d, 2 * wordCount),
  };
}
