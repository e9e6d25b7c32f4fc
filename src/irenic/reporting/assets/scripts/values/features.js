// @ts-check
// The values of features, as the numbers that irenic compares.

export const LOWEST = -Number.MAX_VALUE; // the lowest value that is not missing

export const MISSING_CODE = 0;

export const OTHER_CODE = 1;

export const FIRST_CODE = 2; // of the listed values

/**
 * @param {FeatureRecord} feature
 * @returns {feature is CategoricalRecord}
 */
export const isCategory = (feature) => feature.kind === "category";

/**
 * @param {FeatureRecord} feature
 * @param {Value} value
 */
export const isMissing = (feature, value) => value === (isCategory(feature) ? MISSING_CODE : null);

/**
 * The unit of a feature after a number, unless its name contains it.
 * @param {FeatureRecord} feature
 */
export function unitText(feature) {
  if (isCategory(feature) || !feature.unit || feature.unit === "UTC") return "";
  return feature.name.includes(feature.unit) ? "" : ` ${feature.unit}`;
}

/**
 * The unit of a feature in brackets after its name, unless the name contains it.
 * @param {FeatureRecord} feature
 */
export const unitLabel = ({ name, unit }) => (unit && !name.includes(`(${unit})`) ? ` (${unit})` : "");

/**
 * Whether a number, or null for missing, can occur.
 * @param {ContinuousRecord} feature
 * @param {Value} value
 */
export function isAdmitted(feature, value) {
  if (value === null) return feature.missing;
  return (feature.lowest ?? LOWEST) <= value && value < (feature.end ?? Infinity);
}

/**
 * The greatest value below a cut.
 * @param {{ step: number }} feature
 * @param {number} cut
 */
export function valueBefore(feature, cut) {
  const below = nextDown(cut);
  return feature.step ? Math.min(below, cut - feature.step) : below;
}

/**
 * The cut just above a value: no value lies between them.
 * @param {ContinuousRecord} feature
 * @param {number} value
 */
export function cutAbove(feature, value) {
  const above = nextUp(value);
  return feature.step ? Math.max(above, value + feature.step) : above;
}

/**
 * The neighboring number above.
 * @param {number} value
 */
export const nextUp = (value) => -nextDown(-value);

/**
 * The neighboring number below.
 * @param {number} value
 */
function nextDown(value) {
  if (value === 0) return -Number.MIN_VALUE;
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  view.setBigInt64(0, view.getBigInt64(0) + (value > 0 ? -1n : 1n));
  return view.getFloat64(0);
}

/**
 * Codes in drawing order: missing first, then the listed values, then all others.
 * @param {CategoricalRecord} feature
 */
export function categoryOrder(feature) {
  /** @param {number} code */
  const rank = (code) => (code === OTHER_CODE ? Infinity : code);
  return [...feature.admitted].sort((a, b) => rank(a) - rank(b));
}
