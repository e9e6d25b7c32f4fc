// @ts-check
// Instances as cases, and which of them no rule covers.

import { compared, emptyCase } from "./deciding.js";
import { featureNamed, givenInstances, summary } from "../summary.js";
import { isCategory } from "../values/features.js";

/** @type {WeakMap<Case, number>} */
const placesOfCases = new WeakMap();

/**
 * The instance with an index, as a case.
 * @param {number} place
 */
export function instanceCase(place) {
  const found = emptyCase();
  const { columns } = givenInstances();
  for (const { name } of summary.features) found[name] = columns[name][place];
  placesOfCases.set(found, place);
  return found;
}

/**
 * The index of the instance that a case was made from, undefined for others.
 * @param {Case} theCase
 */
export function instanceOf(theCase) {
  return placesOfCases.get(theCase);
}

/**
 * The row number of an instance in its table.
 * @param {number} place
 */
export function rowNumber(place) {
  return givenInstances().row_numbers?.[place] ?? place + 1;
}

/** @type {Map<string, Float64Array>} */
const comparedColumns = new Map();

/**
 * A column of the instances, for comparisons.
 * @param {string} name
 */
function comparedColumn(name) {
  let column = comparedColumns.get(name);
  if (column === undefined) {
    column = Float64Array.from(givenInstances().columns[name], compared);
    comparedColumns.set(name, column);
  }
  return column;
}

/** @type {WeakMap<Model, Uint8Array>} */
const uncoveredOf = new WeakMap();

/**
 * A mask of the instances that no rule of a model covers, computed once per model.
 * @param {Model} model
 */
export function uncoveredInstances(model) {
  let free = uncoveredOf.get(model);
  if (free === undefined) {
    const left = Int32Array.from({ length: givenInstances().shown }, (_, i) => i);
    let n = left.length;
    for (const rule of model.rules) n = dropCovered(rule.box, left, n);
    free = new Uint8Array(left.length);
    for (let i = 0; i < n; i++) free[left[i]] = 1;
    uncoveredOf.set(model, free);
  }
  return free;
}

/**
 * Remove the instances that a box covers from the first n that are left; return how many remain. Plain loops over
 * columns are fast enough for thousands of rules and instances.
 * @param {Box} box
 * @param {Int32Array} left
 * @param {number} n
 */
function dropCovered(box, left, n) {
  const names = Object.keys(box);
  const columns = names.map(comparedColumn);
  const codes = names.map((name) => (isCategory(featureNamed(name)) ? new Set(box[name]) : null));
  const lows = names.map((name) => box[name][0] ?? -Infinity);
  const highs = names.map((name) => box[name][1] ?? Infinity);
  let kept = 0;
  for (let i = 0; i < n; i++) {
    let k = 0;
    for (; k < names.length; k++) {
      const value = columns[k][left[i]];
      const taken = codes[k];
      if (taken === null ? !(lows[k] <= value && value < highs[k]) : !taken.has(value)) break;
    }
    if (k < names.length) left[kept++] = left[i];
  }
  return kept;
}
