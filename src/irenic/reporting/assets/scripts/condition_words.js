// @ts-check
// Conditions as elements to read.

import { conditionsOf, listedTexts, namesMissing, onlyMissing } from "./conditions.js";
import { h, nameList, nameWords } from "./dom.js";
import { greatest } from "./numbers.js";
import { featureNamed, hasCounts } from "./summary.js";
import { isCategory, MISSING_CODE, OTHER_CODE, unitText } from "./values/features.js";
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
 * "in" and the values, or the first three of very many. Brackets, commas and quotes are for screen readers and copies.
 * @param {ValuesParts} condition
 */
function setWords(condition) {
  const feature = /** @type {CategoricalRecord} */ (featureNamed(condition.feature));
  const values = condition.values.map(({ text }) => valueChip(feature, text));
  if (namesMissing(condition)) values.push(valueChip(feature, feature.values[MISSING_CODE], true));
  const many = values.length > VALUE_LIMIT;
  return [
    condition.negated ? " not in " : " in ",
    sign("{"),
    (many ? values.slice(0, 3) : values).map((value, i) => [i ? [sign(","), " "] : "", value]),
    many && `, … and ${countText(values.length - 3)} more`,
    sign("}"),
  ];
}

/**
 * A sign of rule files that frames replace on the page.
 * @param {string} text
 */
const sign = (text) => h("span", { class: "sign" }, text);

/**
 * A value in a frame, with a bar for how frequent it is in cards. Quotes are shown if they distinguish it from another.
 * @param {CategoricalRecord} feature
 * @param {string} text
 * @param {boolean} [special]
 */
function valueChip(feature, text, special = false) {
  const unquoted = !special && /^".*"$/s.test(text) ? String(JSON.parse(text)) : text;
  const plain = feature.values.indexOf(unquoted) > OTHER_CODE ? unquoted : text;
  const quote = plain === text ? null : sign('"');
  const counts = hasCounts() ? feature.distribution?.counts : undefined;
  // without missing values, which are often so many that other bars would be invisible
  const highest = counts ? greatest(counts.slice(1), 1) : 1;
  const count = counts?.[feature.values.indexOf(plain)] ?? 0;
  return h(
    "span",
    { class: special ? "value special" : "value" },
    quote,
    nameWords(plain),
    quote?.cloneNode(true),
    counts && h("i", { style: { width: `${Math.min(100, (100 * count) / highest)}%` } }),
  );
}

/**
 * All values of a shortened condition, in an element that can be expanded.
 * @param {ConditionParts} condition
 * @param {Box} box
 */
export function allValues(condition, box) {
  const feature = featureNamed(condition.feature);
  if (!isCategory(feature) || condition.values === undefined) return null;
  const values = listedTexts(feature, box[feature.name]);
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
