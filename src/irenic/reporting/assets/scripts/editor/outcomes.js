// @ts-check
// Outcomes as people type them.

import { numberInFile, outcomeNumber, SpellingError, unitOf } from "./spellings.js";
import { cleaned, twoScripts } from "../values/characters.js";
import { formatNumber } from "../values/texts.js";

/**
 * The place of an outcome, a new one to add, or an error; null for an empty text.
 * @param {EditedOutcome[]} outcomes
 * @param {string} text
 * @returns {{ place: number, added?: undefined, error?: undefined } |
 *   { place?: undefined, added: EditedOutcome, error?: undefined } |
 *   { place?: undefined, added?: undefined, error: string } | null}
 */
export function parseOutcome(outcomes, text) {
  const typed = cleaned(text).trim();
  if (!typed) return null;
  const named = outcomes.findIndex((outcome) => outcome.text === typed);
  if (named >= 0) return { place: named };
  const mixed = twoScripts(typed);
  if (mixed) return { error: mixed };
  // labels such as "1" are text: then other numbers are, too
  const areTexts = outcomes.some(({ value }) => typeof value === "string" && isAmount(value));
  const read = areTexts ? { amount: null } : readAmount(typed);
  if (read.error !== undefined) return { error: read.error };
  const { amount } = read;
  const unlike = amount === null ? "" : mixedUnits(outcomes, typed, amount);
  if (unlike) return { error: unlike };
  const parsed = amount ?? outcomeValue(typed);
  const value = areTexts && typeof parsed === "number" ? typed : parsed;
  const areNumbers = outcomes.length > 0 && outcomes.every((outcome) => typeof outcome.value === "number");
  if (areNumbers && typeof value === "string" && !typed.startsWith('"')) {
    return { error: `“${typed}” is not a number such as ${outcomes[0].text}; put it in quotes if it is text.` };
  }
  const same = JSON.stringify(value);
  const place = outcomes.findIndex((outcome) => JSON.stringify(outcome.value) === same);
  return place >= 0
    ? { place }
    : {
        added: {
          text: amount === null || isSpelledLike(typed, outcomes) ? typed : numberInFile(formatNumber(amount)),
          value,
        },
      };
}

/**
 * Why an amount does not go with the other outcomes; empty if it does.
 * @param {EditedOutcome[]} outcomes
 * @param {string} typed
 * @param {number} amount
 */
function mixedUnits(outcomes, typed, amount) {
  const unit = unitOf(typed);
  const numbers = outcomes.filter(({ value }) => typeof value === "number");
  const units = new Set(numbers.map(({ text }) => unitOf(text)));
  if (!numbers.length || units.has(unit)) return "";
  if (units.has("%") && amount !== 0) {
    return `“${typed}” is not a percentage, but the other outcomes are: write it with %.`;
  }
  if (!unit) return "";
  const [other = ""] = [...units].filter(Boolean);
  if (unit === "%" && !other)
    return `“${typed}” is a percentage, but the other outcomes are not: write ${formatNumber(amount)}.`;
  return other ? `“${typed}” is in ${unit}, but the other outcomes are in ${other}.` : "";
}

/**
 * Whether other outcomes are written like a text, so that it is kept: 13% next to 12%, or 3,75 next to 3,50.
 * @param {string} typed
 * @param {EditedOutcome[]} outcomes
 */
function isSpelledLike(typed, outcomes) {
  /** @param {string} text */
  const shape = (text) => text.replace(/\d+/g, "0");
  return outcomes.some(({ text, value }) => typeof value === "number" && shape(text) === shape(typed));
}

/**
 * Why a text is not an outcome; empty if it is one, or if there is no text.
 * @param {EditedOutcome[]} outcomes
 * @param {string} text
 */
export const outcomeError = (outcomes, text) => parseOutcome(outcomes, text)?.error ?? "";

/**
 * Whether a text would be read as a number.
 * @param {string} text
 */
export const isAmount = (text) => readAmount(text).amount !== null;

/**
 * The number of an outcome as files are read: 13% is 0.13, and 3,75 is 3.75. An error if it is ambiguous, as 1,234
 * is; null for other texts.
 * @param {string} typed
 * @returns {{ amount: number | null, error?: undefined } | { amount?: undefined, error: string }}
 */
function readAmount(typed) {
  try {
    const number = outcomeNumber(typed);
    return { amount: number === null ? null : Number(number) + 0 }; // no -0
  } catch (error) {
    if (!(error instanceof SpellingError)) throw error;
    return /[.,]/.test(typed) ? { error: error.message } : { amount: null }; // a code such as 007
  }
}

/**
 * The value of an outcome as files write it: a number, a boolean, a set {a, b}, a tuple (a, b), or text.
 * @param {string} typed
 * @returns {Encoded}
 */
function outcomeValue(typed) {
  const several = /^([{(])(.*)([})])$/s.exec(typed);
  if (several && (several[1] === "{") === (several[3] === "}")) {
    const parts = several[2].trim() ? several[2].split(",").map((part) => scalarValue(part.trim())) : [];
    return several[1] === "{" ? parts : { tuple: parts };
  }
  return scalarValue(typed);
}

/** @param {string} typed */
function scalarValue(typed) {
  if (/^(true|false)$/i.test(typed)) return typed.toLowerCase() === "true";
  if (/^-?(?!0\d)(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?$/i.test(typed) && Number.isFinite(Number(typed))) {
    return Number(typed) + 0;
  }
  if (/^".*"$/s.test(typed)) {
    try {
      return String(JSON.parse(typed));
    } catch {
      return typed;
    }
  }
  return typed;
}

/**
 * Whether outcomes contradict each other, if some decide only a part of the labels; empty if all differing ones do.
 * @param {EditedOutcome[]} outcomes
 */
export function contradictions(outcomes) {
  const signs = outcomes.map(({ value }) => labelsOf(value));
  if (!signs.some((each) => each?.partial)) return [];
  return signs.map((a) => signs.map((b) => !a || !b || differ(a, b)));
}

/**
 * @typedef {{ present: Set<string>, absent: Set<string>, partial: boolean }} Signs
 */

/**
 * The labels of an outcome that is a set, or that decides some labels; null for others.
 * @param {Encoded} value
 * @returns {Signs | null}
 */
function labelsOf(value) {
  /** @param {Encoded[]} [labels] */
  const texts = (labels) => new Set((labels ?? []).map((label) => JSON.stringify(label)));
  if (Array.isArray(value)) return { present: texts(value), absent: new Set(), partial: false };
  if (value === null || typeof value !== "object" || !("head" in value)) return null;
  return { present: texts(value.head.present), absent: texts(value.head.absent), partial: true };
}

/**
 * @param {Signs} a
 * @param {Signs} b
 */
function differ(a, b) {
  /** @param {Signs} one @param {Signs} other */
  const denies = (one, other) =>
    [...one.present].some((label) => other.absent.has(label) || (!other.partial && !other.present.has(label)));
  return denies(a, b) || denies(b, a);
}
