// @ts-check
// The predictions for instances, including none.

import { outcomeText, outcomeWords } from "../outcomes.js";

// codes of the summary for predictions that are not an outcome; and the code of outcomes without their own row
export const NO_PREDICTION = -1;

export const CONTRADICTED = -2;

export const OTHERS = -3;

/** @param {number} place */
export function groupName(place) {
  if (place >= 0) return outcomeText(place);
  if (place === OTHERS) return "others";
  return place === CONTRADICTED ? "contradicted" : "no rule";
}

/**
 * The name of a group as elements, for use in sentences.
 * @param {number} place
 */
export function groupWords(place) {
  return place >= 0 ? outcomeWords(place) : groupName(place);
}

/**
 * A description of a cell, with names as text or as elements.
 * @param {number} truth
 * @param {number} predicted
 * @param {(place: number) => any} name
 */
export function cellWords(truth, predicted, name) {
  if (predicted === NO_PREDICTION) return [name(truth), " without a prediction"];
  if (predicted === CONTRADICTED) return [name(truth), " with contradicting rules"];
  return [name(truth), " predicted as ", name(predicted)];
}

/**
 * The prediction of an answer, as the summary counts it.
 * @param {Answer} answer
 */
export function predictedPlace(answer) {
  return answer.contradicted ? CONTRADICTED : (answer.outcome ?? NO_PREDICTION);
}

/** @param {number} place */
export function predictionWords(place) {
  if (place === CONTRADICTED) return "contradicted";
  return place === NO_PREDICTION ? "nothing" : outcomeWords(place);
}
