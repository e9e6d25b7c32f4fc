// @ts-check
// Prefixes: one that is listed is the class of all texts that begin with it, apart from listed texts and those that
// begin with a longer listed prefix.

import { FIRST_CODE, OTHER_CODE } from "./features.js";
import { formatWord, quotedText } from "./texts.js";

/**
 * The listed values of a category, from the first code on.
 * @param {CategoricalRecord & { encoded?: Encoded[] }} feature
 */
export const listedValues = (feature) => feature.encoded ?? feature.listed ?? feature.values.slice(FIRST_CODE);

/**
 * What a prefix begins with; null for other values.
 * @param {Encoded} value
 * @returns {string | null}
 */
const prefixOf = (value) => {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject && typeof value.prefix === "string" ? value.prefix : null;
};

/**
 * The code that a value, or a prefix, has if it is not listed: that of the longest listed prefix that it begins with.
 * @param {Encoded[]} values
 * @param {Encoded} value
 */
export function classOf(values, value) {
  const start = prefixOf(value);
  const text = start ?? value;
  let [code, length] = [OTHER_CODE, 0];
  if (typeof text !== "string") return code;
  values.forEach((each, place) => {
    const prefix = prefixOf(each);
    if (prefix === null || prefix.length <= length || prefix === start || !text.startsWith(prefix)) return;
    [code, length] = [place + FIRST_CODE, prefix.length];
  });
  return code;
}

/**
 * The codes of the values and prefixes that begin with a prefix.
 * @param {Encoded[]} values
 * @param {string} prefix
 */
export const codesWithin = (values, prefix) =>
  values.flatMap((each, place) => {
    const text = prefixOf(each) ?? each;
    return typeof text === "string" && text.startsWith(prefix) ? [place + FIRST_CODE] : [];
  });

/**
 * The values that a condition lists for some codes: a prefix stands for all that it contains, also where that is
 * listed, apart from its exceptions.
 * @param {Encoded[]} values
 * @param {number[]} codes
 * @returns {Encoded[]}
 */
export function termsOf(values, codes) {
  const listed = codes.filter((code) => code >= FIRST_CODE);
  if (!values.some((value) => prefixOf(value) !== null)) return listed.map((code) => values[code - FIRST_CODE]);
  const held = new Set(listed);
  const around = values.map((value) => classOf(values, value));
  /** @type {Map<number, Encoded[]>} */
  const without = new Map();
  values.forEach((value, place) => {
    let container = around[place];
    if (held.has(place + FIRST_CODE) || !held.has(container)) return;
    while (held.has(around[container - FIRST_CODE])) container = around[container - FIRST_CODE];
    without.set(container, [...(without.get(container) ?? []), value]);
  });
  return listed
    .filter((code) => !held.has(around[code - FIRST_CODE]))
    .map((code) => {
      const [value, exceptions] = [values[code - FIRST_CODE], without.get(code)];
      return exceptions ? { prefix: prefixOf(value), except: inOrder(exceptions) } : value;
    });
}

/**
 * Exceptions in the order of their texts.
 * @param {Encoded[]} values
 */
function inOrder(values) {
  /** @param {Encoded} value */
  const text = (value) => (prefixOf(value) === null ? String(value) : prefixText(value, String, "{}"));
  return values.toSorted((a, b) => (text(a) < text(b) ? -1 : 1));
}

/**
 * A prefix as text, with its exceptions in brackets.
 * @param {Encoded} value
 * @param {(value: Encoded) => string} write
 * @param {string} brackets
 */
export function prefixText(value, write, brackets) {
  const { prefix, except = [] } = /** @type {Record<string, any>} */ (value);
  const start = `${/^[\p{L}\p{N}_][\p{L}\p{N}_.%/+-]*$/u.test(prefix) ? prefix : quotedText(prefix)}*`;
  return except.length ? `${start} except ${brackets[0]}${except.map(write).join(", ")}${brackets[1]}` : start;
}

/**
 * A value that a condition lists, as rules write it; a function writes those that are no prefixes.
 * @param {Encoded} value
 * @param {(value: Encoded) => string} write
 * @returns {string}
 */
export const termText = (value, write) =>
  prefixOf(value) === null ? write(value) : prefixText(value, (each) => termText(each, write), "{}");

/**
 * A value that a condition lists, as a cell of a sheet.
 * @param {Encoded} value
 * @param {(value: Encoded) => string} write
 * @returns {string}
 */
export const termCell = (value, write) =>
  prefixOf(value) === null ? write(value) : prefixText(value, (each) => termCell(each, write), "()");

/**
 * A prefix as a test in FEEL; a function writes texts.
 * @param {Record<string, any>} value
 * @param {(text: string) => string} write
 * @returns {string}
 */
export function prefixTest({ prefix, except = [] }, write) {
  const left = except.map((/** @type {Encoded} */ part) => {
    const start = prefixOf(part);
    return start === null ? `? != ${write(String(part))}` : `not(starts with(?, ${write(start)}))`;
  });
  return [`starts with(?, ${write(prefix)})`, ...left].join(" and ");
}

/**
 * A typed prefix with its exceptions, as in `I2* except (I21, I23*)` or `C50.-`; null for another text.
 * @param {string} text
 * @returns {{ start: string, except: string } | null}
 */
export function readPrefix(text) {
  const match = TYPED_PREFIX.exec(text) ?? SUBDIVIDED.exec(text);
  return match && { start: match[1], except: match[2] ?? "" };
}

const TYPED_PREFIX = /^([\p{L}\p{N}_][\p{L}\p{N}_.%/+-]*|"(?:[^"\\]|\\.)*")\*(?!\*)(?:\s*except\s*\(([\s\S]*)\))?$/u;

const SUBDIVIDED = /^((?:[\p{L}_][\p{L}\p{N}_]*\.)+)-(?:\s*except\s*\(([\s\S]*)\))?$/u;

/**
 * The text of a listed value or prefix, as a category shows it.
 * @param {Encoded} value
 */
export const shownValue = (value) => termText(value, (each) => formatWord(String(each)));
