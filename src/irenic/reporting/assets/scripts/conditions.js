// @ts-check
// Conditions in parts, for regions that the page computes itself, and as text.

import { featureNamed, featuresOf } from "./summary.js";
import { FIRST_CODE, isCategory, LOWEST, MISSING_CODE, OTHER_CODE } from "./values/features.js";
import { listedValues, termsOf, termText } from "./values/prefixes.js";
import { formatValue, formatWord } from "./values/texts.js";

/**
 * A region as text, as irenic writes it except for quotes around values. All its bounds must be bounds of rules.
 * @param {Box} box
 */
export function boxText(box) {
  return regionText({ box });
}

/**
 * The region of a rule or a finding as text, as irenic writes it.
 * @param {{ box: Box, conditions?: ConditionParts[] }} region
 */
export function regionText(region) {
  return writtenConditions(region).map(conditionText).join(" and ") || "anything";
}

/**
 * The conditions of a computed region. Rules have their own, with bounds as they were written.
 * @param {Box} box
 */
export function conditionsOf(box) {
  return featuresOf(box)
    .filter((feature) => !isTrivial(feature, box[feature.name]))
    .map((feature) =>
      isCategory(feature) ? valuesParts(feature, box[feature.name]) : intervalParts(feature, box[feature.name]),
    );
}

/**
 * The conditions of a rule or a finding as they were written. The page embeds those that it would write differently.
 * @param {{ box: Box, conditions?: ConditionParts[] }} region
 */
export function writtenConditions({ box, conditions = [] }) {
  const written = new Map(conditions.map((condition) => [condition.feature, condition]));
  return conditionsOf(box).map((condition) => written.get(condition.feature) ?? condition);
}

/**
 * Whether a condition holds for every value of its feature.
 * @param {FeatureRecord} feature
 * @param {Condition} condition
 */
function isTrivial(feature, condition) {
  const admitted = new Set(condition);
  return isCategory(feature)
    ? feature.admitted.every((code) => admitted.has(code))
    : admitted.size === 1 && admitted.has(null);
}

/**
 * @param {ContinuousRecord} feature
 * @param {Condition} condition
 * @returns {IntervalParts}
 */
function intervalParts(feature, [low, high]) {
  const name = feature.name;
  if (high === LOWEST) return { feature: name, missing: true };
  const lower = low === null || low <= LOWEST ? null : cutAt(feature, low);
  const upper = high === null ? null : cutAt(feature, high);
  if (lower?.equal && cutAfter(feature, lower.at) === high) return { feature: name, equal: lower.equal };
  const missing = low === null && feature.missing;
  return { feature: name, lower: lower?.lower, upper: upper?.upper, missing };
}

/** @type {Map<string, Map<number, FullCut>>} */
const cutsOf = new Map();

/**
 * A cut, with its text at the lower and at the upper end of a condition.
 * @param {ContinuousRecord} feature
 * @param {number} at
 * @returns {FullCut}
 */
function cutAt(feature, at) {
  let cuts = cutsOf.get(feature.name);
  if (cuts === undefined) {
    cuts = new Map(feature.cuts.map((cut) => [cut.at, fullCut(feature, cut)]));
    cutsOf.set(feature.name, cuts);
  }
  return cuts.get(at) ?? fullCut(feature, { at });
}

/**
 * A cut with its ends, which are the number itself if the page embeds none.
 * @param {ContinuousRecord} feature
 * @param {Cut} cut
 * @returns {FullCut}
 */
function fullCut(feature, cut) {
  const text = formatValue(feature, cut.at);
  return { lower: { text, open: false }, upper: { text, open: true }, ...cut };
}

/**
 * @param {ContinuousRecord} feature
 * @param {number} at
 */
function cutAfter(feature, at) {
  const place = feature.cuts.findIndex((cut) => cut.at === at);
  return feature.cuts[place + 1]?.at;
}

/**
 * @param {CategoricalRecord} feature
 * @param {Condition} codes
 * @returns {ValuesParts}
 */
function valuesParts(feature, codes) {
  const negated = codes.includes(OTHER_CODE);
  return {
    feature: feature.name,
    negated,
    values: listedTexts(feature, codes).map((text) => ({ text })),
    missing: codes.includes(MISSING_CODE),
    other: negated,
  };
}

/**
 * The texts of the values that a condition lists: the admitted ones, or, if it admits unlisted values, the excluded
 * ones.
 * @param {CategoricalRecord} feature
 * @param {Condition} codes
 */
export function listedTexts(feature, codes) {
  const admitted = new Set(codes);
  const negated = admitted.has(OTHER_CODE);
  const values = listedValues(feature);
  const terms = termsOf(
    values,
    feature.admitted.filter((code) => admitted.has(code) !== negated),
  );
  const texts = new Map(values.map((value, place) => [value, feature.values[place + FIRST_CODE]]));
  return terms.map((term) => termText(term, (value) => texts.get(value) ?? String(value)));
}

/**
 * Whether a condition names missing values in addition to those that it lists.
 * @param {ValuesParts} condition
 */
export function namesMissing({ feature, negated, missing }) {
  return negated ? !missing && featureNamed(feature).missing : missing;
}

/**
 * The texts of the values that a condition names.
 * @param {ValuesParts} condition
 */
export function valueTexts(condition) {
  const texts = condition.values.map(({ text }) => text);
  return namesMissing(condition) ? [...texts, "missing"] : texts;
}

/**
 * Whether a condition only tests that a value is missing (true) or is not missing (false); undefined for others.
 * @param {ConditionParts} condition
 */
export function onlyMissing(condition) {
  if (condition.values !== undefined) return condition.values.length ? undefined : Boolean(condition.missing);
  const { lower, upper, equal, missing } = condition;
  return lower || upper || equal ? undefined : Boolean(missing);
}

/**
 * A condition as written in files of rules.
 * @param {ConditionParts} condition
 */
export function conditionText(condition) {
  const name = formatWord(condition.feature);
  const missing = onlyMissing(condition);
  if (missing !== undefined) return `${name} is ${missing ? "" : "not "}missing`;
  if (condition.values !== undefined)
    return `${name} ${condition.negated ? "not in" : "in"} {${valueTexts(condition).join(", ")}}`;
  const { lower, upper, equal } = condition;
  if (equal) return `${name} = ${equal.text}`;
  const below = upper ? ` ${upper.open ? "<" : "<="} ${upper.text}` : "";
  if (lower && upper) return `${lower.text} ${lower.open ? "<" : "<="} ${name}${below}`;
  if (lower) return `${name} ${lower.open ? ">" : ">="} ${lower.text}`;
  return condition.missing ? `(${name}${below} or missing)` : `${name}${below}`;
}
