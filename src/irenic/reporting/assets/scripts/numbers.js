// @ts-check
// Small calculations that several parts share.

/**
 * The greatest of some numbers, at least a least one. Spreading a long list into Math.max would fail.
 * @param {Iterable<number>} numbers
 * @param {number} least
 */
export function greatest(numbers, least) {
  let most = least;
  for (const number of numbers) if (number > most) most = number;
  return most;
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
 * How far a number is from one to another, from 0 to 1.
 * @param {number} number
 * @param {number} low
 * @param {number} high
 */
export function shareBetween(number, low, high) {
  if (number <= low) return 0;
  if (number >= high) return 1;
  // the whole range of numbers is wider than the greatest number, but the least number cannot be halved
  const part = Number.isFinite(high - low) ? 1 : 2;
  return (number / part - low / part) / (high / part - low / part);
}
