// @ts-check
// What can be said of an instance, including nothing.

import { outcomeText, outcomeWords } from "../outcomes.js";

// what is said where it is no outcome, as the summary has it; and the outcomes that have no row of their own
export const SAID_NOTHING = -1;

export const SAID_CONTRADICTED = -2;

export const SAID_OTHERS = -3;

/** @param {number} place */
export function groupName(place) {
  if (place >= 0) return outcomeText(place);
  if (place === SAID_OTHERS) return "others";
  return place === SAID_CONTRADICTED ? "contradicted" : "no rule";
}

/**
 * The same as elements, where it stands beside other words.
 * @param {number} place
 */
export function groupWords(place) {
  return place >= 0 ? outcomeWords(place) : groupName(place);
}

/**
 * What a cell counts, with names as text or as elements.
 * @param {number} truth
 * @param {number} said
 * @param {(place: number) => any} name
 */
export function cellWords(truth, said, name) {
  if (said === SAID_NOTHING) return [name(truth), ", where nothing is said"];
  if (said === SAID_CONTRADICTED) return [name(truth), ", where rules contradict each other"];
  return [name(truth), ", taken for ", name(said)];
}

/**
 * What is said of a case, as the summary counts it.
 * @param {Answer} answer
 */
export function saidPlace(answer) {
  return answer.contradicted ? SAID_CONTRADICTED : (answer.outcome ?? SAID_NOTHING);
}

/** @param {number} place */
export function saidWords(place) {
  if (place === SAID_CONTRADICTED) return "contradicted";
  return place === SAID_NOTHING ? "nothing" : outcomeWords(place);
}
