// @ts-check
// The scores and sizes of the rule sets to choose from.

import { summary } from "../summary.js";
import { percentText, pluralText, scoreText } from "../words.js";

/**
 * The scores of a rule set: validated, training, and accuracy on the instances; null for none.
 * @param {ModelRecord} one
 */
export function scoresOf(one) {
  const { training_score: training = null, validated_score: validated = null } = one.front ?? {};
  // for sets of labels, the share that is right in all labels is not the score
  const counted = summary.several_labels ? null : (one.results?.accuracy ?? null);
  return { validated, training, counted };
}

/**
 * The scores to draw: the accuracy on the instances only if it differs from the training score.
 * @param {ModelRecord} one
 */
export function distinctScores(one) {
  const scores = scoresOf(one);
  const same = scores.counted !== null && scores.training !== null && Math.abs(scores.counted - scores.training) < 1e-9;
  return same ? { ...scores, counted: null } : scores;
}

/**
 * Whether a rule set has such a score to draw.
 * @param {keyof Scores} which
 */
export function hasScore(which) {
  return summary.models.some((one) => distinctScores(one)[which] !== null);
}

/** @param {ModelRecord} one */
export function mainScore(one) {
  const { validated, training, counted } = scoresOf(one);
  return validated ?? training ?? counted;
}

/** @param {ModelRecord} one */
export function sizeText(one) {
  return `${pluralText(one.size.rules, "rule")} and ${pluralText(one.size.conditions, "condition")}`;
}

/** @param {ModelRecord} one */
export function scoreNames(one) {
  const { validated, training, counted } = distinctScores(one);
  return [
    validated !== null && `validated score ${scoreText(validated)}`,
    training !== null && `training score ${scoreText(training)}`,
    counted !== null && `right for ${percentText(counted)} of the instances`,
  ]
    .filter(Boolean)
    .join(", ");
}
