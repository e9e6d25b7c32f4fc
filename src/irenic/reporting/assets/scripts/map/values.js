// @ts-check
// Short values for the map.

import { nameWords } from "../dom.js";
import { formatNumber, formatValue } from "../values/texts.js";

/**
 * A short value; rounded numbers are marked with ≈.
 * @param {FeatureRecord} feature
 * @param {Value} value
 */
export function shortValue(feature, value) {
  const text = formatValue(feature, value);
  if (feature.kind !== "number" || value === null || text.length <= 8) return text;
  return `≈ ${formatNumber(Number(value.toPrecision(4)))}`;
}

/**
 * "age = 5", or "age ≈ 5.123".
 * @param {FeatureRecord} feature
 * @param {Value} value
 */
export function valueWithName(feature, value) {
  const text = shortValue(feature, value);
  return [nameWords(feature.name), text.startsWith("≈") ? " " : " = ", nameWords(text)];
}
