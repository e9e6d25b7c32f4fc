// @ts-check
// Numbers and names as text.

const counts = new Intl.NumberFormat("en-US", { maximumFractionDigits: 1 });

/** @param {number} number */
export const countText = (number) => counts.format(number);

/**
 * @param {number} number
 * @param {string} one
 * @param {string} [many]
 */
export function pluralText(number, one, many = `${one}s`) {
  return `${countText(number)} ${number === 1 ? one : many}`;
}

/**
 * A share in percent. Only exact shares are written as 100 % or 0 %.
 * @param {number} share
 */
export function percentText(share) {
  const rounded = Math.round(thousandths(share) * 1000) / 10;
  if (rounded === 100 && share < 1) return "over 99.9\u202f%";
  if (rounded === 0 && share > 0) return "under 0.1\u202f%";
  return `${rounded}\u202f%`;
}

/**
 * A share in percent, or a dash if the whole is 0.
 * @param {number} part
 * @param {number} whole
 */
export function shareText(part, whole) {
  return whole ? percentText(part / whole) : "–";
}

/** @param {number | null | undefined} score */
export function scoreText(score) {
  if (score === null || score === undefined) return "–";
  const text = thousandths(score).toFixed(3);
  return score < 1 && text === "1.000" ? "over 0.999" : text;
}

/**
 * A number rounded to three digits as Python rounds it, so that the page and the commands show the same figures: exact
 * ties, which only odd sixteenths are, to the even digit.
 * @param {number} share
 */
function thousandths(share) {
  const isTie = Number.isInteger(share * 16) && !Number.isInteger(share * 8);
  return isTie ? (2 * Math.round(share * 500)) / 1000 : Number(share.toFixed(3));
}

/** @param {string} text */
export function sentence(text) {
  return `${capitalized(text)}.`;
}

/** @param {string} text */
export function capitalized(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/**
 * A name isolated from the direction of surrounding text, for attributes such as titles.
 * @param {string} text
 */
export function nameText(text) {
  return `\u2068${text}\u2069`;
}
