// @ts-check
// A case to try in a region, with few digits.

import { isForgotten } from "./table.js";
import { cutAbove, isCategory, LOWEST, MISSING_CODE, OTHER_CODE, valueBefore } from "../values/features.js";
import { formatValue } from "../values/texts.js";

/**
 * An example of a region as text, with the features that it tests.
 * @param {EditedTable} table
 * @param {Sides} sides
 */
export function exampleText(table, sides) {
  const parts = table.features.flatMap((feature, place) => {
    const side = sides[place];
    return side ? [`${feature.name} = ${valueText(table, place, side)}`] : [];
  });
  return parts.join(", ") || "any case";
}

/**
 * @param {EditedTable} table
 * @param {number} place
 * @param {(number | null)[]} side
 */
function valueText(table, place, side) {
  const feature = table.features[place];
  if (!isCategory(feature)) return formatValue(feature, readableValue(feature, side[0], side[1]));
  const known = side.filter((each) => !isForgotten(table, place, each));
  const code = known.find((each) => each !== null && each > OTHER_CODE) ?? known[0] ?? MISSING_CODE;
  return feature.values[code];
}

/**
 * A number with few digits between two cuts, null if only a missing value lies there.
 * @param {ContinuousRecord} feature
 * @param {number | null} low
 * @param {number | null} high
 */
export function readableValue(feature, low, high) {
  if (high === LOWEST) return null;
  const [lowest, end] = [feature.lowest ?? LOWEST, feature.end ?? Infinity];
  let least = Math.max(low ?? LOWEST, feature.bounded[0] ? lowest : LOWEST);
  let most = Math.min(high ?? Infinity, feature.bounded[1] ? end : Infinity);
  if (least === LOWEST && most === Infinity) return Math.max(lowest, 0);
  if (least === LOWEST) least = Math.max(lowest, most - Math.max(1, Math.abs(most), 2 * feature.step));
  else if (most === Infinity) most = Math.min(end, least + Math.max(1, Math.abs(least), 2 * feature.step));
  const middle = least / 2 + most / 2;
  if (feature.step) return steppedValue(feature, least, middle, most);
  for (let digits = 1; digits < 18; digits++) {
    const scale = middle ? 10 ** (Math.floor(Math.log10(Math.abs(middle))) + 1 - digits) : 1;
    for (const near of [middle, Math.floor(middle / scale) * scale, Math.ceil(middle / scale) * scale]) {
      const value = Number(near.toPrecision(digits));
      if (least <= value && value < most) return value;
    }
  }
  return least;
}

/**
 * @param {ContinuousRecord} feature
 * @param {number} low
 * @param {number} middle
 * @param {number} high
 */
function steppedValue(feature, low, middle, high) {
  const snapped = Math.ceil(middle / feature.step) * feature.step;
  return [snapped, low, valueBefore(feature, high)].find((value) => low <= value && value < high) ?? low;
}

/**
 * The conditions that only one case meets, given by its values; undefined for any value.
 * @param {EditedFeature[]} features
 * @param {(Value | undefined)[]} values
 * @returns {Sides}
 */
export function pointSides(features, values) {
  return features.map((feature, place) => {
    const value = values[place];
    if (value === undefined) return null;
    if (isCategory(feature)) return [value ?? MISSING_CODE];
    return value === null ? [null, LOWEST] : [value, cutAbove(feature, value)];
  });
}

/**
 * Two examples of a region, which differ in one feature: its side in the second case comes last. Where the first value
 * must be below the second, it is.
 * @param {EditedTable} table
 * @param {Sides} sides
 * @param {number} place
 * @param {boolean} below
 */
export function pairText(table, sides, place, below) {
  const feature = table.features[place];
  const [first, second] = [sides[place], sides[table.features.length]];
  const own = sides.slice(0, table.features.length);
  if (!below || isCategory(feature)) {
    return [first, second].map((side) => exampleText(table, own.with(place, side ?? wholeSide(feature))));
  }
  const [low, high] = first ?? [LOWEST, null];
  const [from, to] = second ?? [LOWEST, null];
  const end = Math.min(high ?? Infinity, valueBefore(feature, Math.min(to ?? Infinity, feature.end ?? Infinity)));
  const value = readableValue(feature, Math.max(low ?? LOWEST, LOWEST), end === Infinity ? null : end) ?? 0;
  const after = cutAbove(feature, value);
  const points = [
    [value, after],
    [Math.max(from ?? LOWEST, after), to],
  ];
  return points.map((side) => exampleText(table, own.with(place, side)));
}

/** @param {EditedFeature} feature */
const wholeSide = (feature) => (isCategory(feature) ? feature.admitted : [LOWEST, null]);
