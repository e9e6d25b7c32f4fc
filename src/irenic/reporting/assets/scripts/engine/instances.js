// @ts-check
// Instances as cases, and which of them no rule covers.

import { areCovered, emptyCase } from "./deciding.js";
import { givenInstances, summary } from "../summary.js";

/** @type {WeakMap<Case, number>} */
const placesOfCases = new WeakMap();

/**
 * The instance with an index, as a case.
 * @param {number} place
 */
export function instanceCase(place) {
  const found = emptyCase();
  const { columns } = givenInstances();
  for (const { name } of summary.features) {
    if (Object.hasOwn(columns, name)) found[name] = columns[name][place]; // the page has only columns that rules test
  }
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

/** @type {WeakMap<ModelRecord, Uint8Array>} */
const uncoveredOf = new WeakMap();

/**
 * A mask of the instances that no rule of a model covers, computed once per model.
 * @param {ModelRecord} model
 */
export function uncoveredInstances(model) {
  let free = uncoveredOf.get(model);
  if (free === undefined) {
    const places = Array.from({ length: givenInstances().shown }, (_, place) => place);
    free = Uint8Array.from(areCovered(model, places), (covered) => (covered ? 0 : 1));
    uncoveredOf.set(model, free);
  }
  return free;
}
