// @ts-check
// Small calculations that several parts share.

/**
 * The greatest number, or a minimum if all are lower. Spreading a long list into Math.max would fail.
 * @param {Iterable<number>} numbers
 * @param {number} minimum
 */
export function greatest(numbers, minimum) {
  let maximum = minimum;
  for (const number of numbers) if (number > maximum) maximum = number;
  return maximum;
}

/**
 * @param {number} value
 * @param {number} low
 * @param {number} high
 */
export const clamp = (value, low, high) => Math.max(low, Math.min(high, value));

/** @param {number} number */
export function round1(number) {
  return Math.round(number * 10) / 10;
}

/**
 * The position of a number between two others, from 0 to 1.
 * @param {number} number
 * @param {number} low
 * @param {number} high
 */
export function shareBetween(number, low, high) {
  if (number <= low) return 0;
  if (number >= high) return 1;
  // halved only if high - low overflows, because the smallest number cannot be halved
  const part = Number.isFinite(high - low) ? 1 : 2;
  return (number / part - low / part) / (high / part - low / part);
}
