// @ts-check
// Values to read at a glance, beside the map.

import { nameWords } from "../dom.js";
import { formatNumber, formatValue } from "../values/texts.js";

/**
 * A value to read at a glance: long numbers are rounded, and that is said.
 * @param {Feature} feature
 * @param {Value} value
 */
export function shortValue(feature, value) {
  const text = formatValue(feature, value);
  if (feature.kind !== "number" || value === null || text.length <= 8) return text;
  return `≈ ${formatNumber(Number(value.toPrecision(4)))}`;
}

/**
 * "age = 5", or "age ≈ 5.123".
 * @param {Feature} feature
 * @param {Value} value
 */
export function valueWithName(feature, value) {
  const text = shortValue(feature, value);
  return [nameWords(feature.name), text.startsWith("≈") ? " " : " = ", nameWords(text)];
}
