// @ts-check
// Conditions as elements to read.

import { conditionsOf, listedCodes, namesMissing, onlyMissing, valueTexts } from "./conditions.js";
import { h, nameList, nameWords } from "./dom.js";
import { featureNamed } from "./summary.js";
import { isCategory, unitText } from "./values/features.js";
import { countText } from "./words.js";

const VALUE_LIMIT = 8;

/**
 * A condition as elements: the name of the feature is bold, without quotes or brackets.
 * @param {ConditionParts} condition
 * @returns {Child}
 */
export function conditionWords(condition) {
  const name = h("b", {}, nameWords(condition.feature));
  const missing = onlyMissing(condition);
  if (missing !== undefined) return [name, missing ? " is missing" : " is not missing"];
  if (condition.values !== undefined) return [name, setWords(condition)];
  const { lower, upper, equal } = condition;
  const unit = unitText(featureNamed(condition.feature));
  if (equal) return [name, ` = ${equal.text}${unit}`];
  const below = upper && ` ${upper.open ? "<" : "≤"} ${upper.text}${unit}`;
  if (lower && upper) return [`${lower.text} ${lower.open ? "<" : "≤"} `, name, below];
  if (lower) return [name, ` ${lower.open ? ">" : "≥"} ${lower.text}${unit}`];
  return [name, below, condition.missing && " or missing"];
}

/**
 * " in {a, b}", or " in {a, b, c, … and 197 more}" for very many values.
 * @param {ValuesParts} condition
 */
function setWords(condition) {
  const values = valueTexts(condition);
  const many = values.length > VALUE_LIMIT;
  return [
    condition.negated ? " not in {" : " in {",
    nameList(many ? values.slice(0, 3) : values),
    many && `, … and ${countText(values.length - 3)} more`,
    "}",
  ];
}

/**
 * All values of a shortened condition, in an element that can be expanded.
 * @param {ConditionParts} condition
 * @param {Box} box
 */
export function allValues(condition, box) {
  const feature = featureNamed(condition.feature);
  if (!isCategory(feature) || condition.values === undefined) return null;
  const values = listedCodes(feature, box[feature.name]).map((code) => feature.values[code]);
  if (namesMissing(condition)) values.push("missing");
  return (
    values.length > VALUE_LIMIT &&
    h(
      "details",
      { class: "all-values" },
      h("summary", {}, `All ${countText(values.length)} values`),
      h("p", { class: "small" }, nameList(values)),
    )
  );
}

/**
 * A region as a list of conditions, with bounds as rules write them if known.
 * @param {Box} box
 * @param {ConditionParts[]} [conditions]
 */
export function regionWords(box, conditions = conditionsOf(box)) {
  if (!conditions.length) return h("p", {}, "(everywhere).");
  return h(
    "ul",
    { class: "where" },
    conditions.map((condition) => h("li", {}, conditionWords(condition), allValues(condition, box))),
  );
}
