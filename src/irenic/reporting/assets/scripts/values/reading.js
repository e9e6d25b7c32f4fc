// @ts-check
// Parses values as people type them.

import { cleaned } from "./characters.js";
import { isAdmitted, isCategory, MISSING_CODE, OTHER_CODE, valueBefore } from "./features.js";
import { summary } from "../summary.js";
import { classOf, listedValues } from "./prefixes.js";
import { DAY, DURATION, formatValue, formatWord, MONTHS, SECOND } from "./texts.js";

const EXACT = 2 ** 53; // up to here every whole number can be represented

const LONGEST = 1_000_000_000n * DAY; // durations end before this

const DATE = /^(\d{4})(-?)(\d{2})\2(\d{2})$/; // 2026-01-31 or 20260131

const TIME = /^(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,6}))?)?$/;

const ZONE = /(Z|[+-]\d{2}:\d{2})$/;

/**
 * Parse a typed value: {value} (a number, null for missing, the code of a category), or {error}.
 * @param {FeatureRecord} feature
 * @param {string} text
 * @returns {Read}
 */
export function parseValue(feature, text) {
  const typed = cleaned(String(text)).trim();
  if (isCategory(feature)) return parseCategory(feature, typed);
  if (typed === "" || typed.toLowerCase() === "missing") {
    return feature.missing ? { value: null } : { error: "A value is required." };
  }
  const isNumber = feature.kind === "number" || feature.kind === "integer";
  if (hasDecimalComma && isNumber && MAY_BE_THOUSANDS.test(typed)) {
    const digits = typed.replace(".", "");
    return { error: `“${typed}” is ambiguous: write ${digits}, or ${typed}0 if the point is a decimal point.` };
  }
  const found = parseBound(feature, hasDecimalComma && isNumber ? withPoint(typed) : typed);
  if (found.error !== undefined) return found;
  return isAdmitted(feature, found.value) ? found : { error: outsideText(feature, typed) };
}

/**
 * A number with a decimal comma and points that separate thousands, with a decimal point alone.
 * @param {string} typed
 */
const withPoint = (typed) =>
  typed.replace(/^([+\-−]?)([1-9]\d{0,2}(?:\.\d{3})+|\d*)(?:,(\d+))?$/, (_, sign, digits, fraction) => {
    const integer = digits.replaceAll(".", "");
    return `${sign}${integer}${fraction === undefined ? "" : `.${fraction}`}`;
  });

/**
 * Parse a value that may lie outside the bounds of its feature, such as the end of a condition.
 * @param {ContinuousRecord} feature
 * @param {string} typed
 * @returns {{ value: number, error?: undefined } | { value?: undefined, error: string }}
 */
export function parseBound(feature, typed) {
  const found = READERS[feature.kind](feature, typed);
  if (found === null) return { error: `“${typed}” is not ${feature.wanted}.` };
  return typeof found === "string" ? { error: found } : { value: found };
}

/** @type {Record<ContinuousRecord["kind"], (feature: ContinuousRecord, typed: string) => number | string | null>} */
const READERS = {
  number: readNumber,
  integer: readNumber,
  date: readMoment,
  datetime: readMoment,
  time: readTime,
  duration: readDuration,
  months: readMonths,
};

/**
 * @param {CategoricalRecord} feature
 * @param {string} typed
 */
function parseCategory(feature, typed) {
  const codes = feature.admitted;
  // the texts of listed values are quoted only if they would be ambiguous
  let code = codes.find((each) => feature.values[each] === typed);
  code ??= codes.find((each) => each > OTHER_CODE && feature.values[each] === formatWord(typed));
  code ??= codes.find((each) => each > OTHER_CODE && feature.values[each] === unquoted(typed));
  if (code === undefined && typed !== "") {
    const prefix = classOf(listedValues(feature), unquoted(typed) ?? typed);
    if (prefix !== OTHER_CODE && codes.includes(prefix)) code = prefix;
  }
  if (code === undefined && typed === "") code = codes.find((each) => each === MISSING_CODE);
  else code ??= codes.find((each) => each === OTHER_CODE);
  if (code !== undefined) return { value: code };
  if (typed === "") return { error: "A value is required." };
  const known = feature.values.slice(2, 10).join(", ") + (feature.values.length > 10 ? ", …" : "");
  return { error: `“${typed}” is not one of the values (${known}).` };
}

/**
 * A text without the quotes of the rule notation; null if it has none.
 * @param {string} typed
 */
function unquoted(typed) {
  if (!/^".*"$/s.test(typed)) return null;
  try {
    return JSON.parse(typed);
  } catch {
    return null;
  }
}

/**
 * @param {ContinuousRecord} feature
 * @param {string} typed
 */
function outsideText(feature, typed) {
  const ends = [];
  /** @param {Value} value */
  const shown = (value) => formatValue(feature, value);
  if (feature.lowest !== null) ends.push(`at least ${shown(feature.lowest)}`);
  if (feature.end !== null) ends.push(`at most ${shown(valueBefore(feature, feature.end))}`);
  return `“${typed}” is out of range: it must be ${ends.join(" and ")}.`;
}

/**
 * The number in a text; null if it is not a number, an error message if it cannot be represented.
 * @param {ContinuousRecord} feature
 * @param {string} typed
 */
function readNumber(feature, typed) {
  const plain = plainNumber(typed);
  if (plain === null) return null;
  if (plain === "?")
    return `“${typed}” is ambiguous: write the number without thousands separators and with a decimal point.`;
  const value = Number(plain);
  const isWhole = /^[+-]?\d+$/.test(plain);
  // compared as BigInt: 2**53 + 1 would round to 2**53
  const beyond = isWhole ? bigAbs(BigInt(plain.replace("+", ""))) > BigInt(EXACT) : Math.abs(value) > EXACT;
  if (!Number.isFinite(value)) return `“${typed}” is too large.`;
  if (beyond && (isWhole || feature.kind === "integer")) {
    return `“${typed}” is beyond 2**53, where neighboring whole numbers can no longer be distinguished.`;
  }
  if (feature.kind === "integer" && !Number.isInteger(value)) return `“${typed}” is not a whole number.`;
  return value;
}

/**
 * A typed number with a decimal point and without group separators; "?" if it is ambiguous, as 1,234 is; or null.
 * @param {string} typed
 */
function plainNumber(typed) {
  let text = typed.replace("−", "-").replace(/(?<=\d)[ \u00a0\u2009\u202f_'’](?=\d{3}(?!\d))/g, "");
  if (/^[+-]?[1-9]\d{0,2},\d{3}$/.test(text)) return "?";
  if (/^[+-]?\d{1,3}(,\d{3})+(\.\d*)?$/.test(text) && !text.startsWith("0,")) text = text.replaceAll(",", "");
  else if (/^[+-]?\d*,\d+$/.test(text)) text = text.replace(",", ".");
  return /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text) ? text : null;
}

/** Whether numbers in the file have a decimal comma. */
const hasDecimalComma = summary.reading?.decimal === ",";

const MAY_BE_THOUSANDS = /^[+\-−]?[1-9]\d{0,2}\.\d{3}$/;

/**
 * The text of a value for a field, which parseValue reads back as the same value.
 * @param {FeatureRecord} feature
 * @param {Value} value
 */
export function fieldText(feature, value) {
  const text = formatValue(feature, value);
  return hasDecimalComma && MAY_BE_THOUSANDS.test(text) ? `${text}0` : text;
}

/** @param {bigint} value */
const bigAbs = (value) => (value < 0n ? -value : value);

/**
 * Microseconds as a number, or an error message if it is not exact.
 * @param {bigint} micros
 * @param {string} typed
 */
function exactMicros(micros, typed) {
  const value = Number(micros);
  if (BigInt(value) === micros) return value;
  return `“${typed}” is too large to be exact to the microsecond: round it to whole seconds.`;
}

/**
 * @param {ContinuousRecord} feature
 * @param {string} typed
 */
function readMoment(feature, typed) {
  const parts = typed.split(/[T ]/);
  if (parts.length > 2) return null;
  const days = dayNumber(parts[0]);
  if (days === null) return null;
  if (parts.length === 1) return exactMicros(days * DAY, typed);
  const zone = parts[1].match(ZONE)?.[1] ?? "";
  const clock = clockMicros(parts[1].slice(0, parts[1].length - zone.length));
  if (clock === null) return null;
  if (feature.kind === "date") return zone || clock !== 0n ? null : exactMicros(days * DAY, typed);
  if (!zone) return exactMicros(days * DAY + clock, typed);
  if (feature.unit !== "UTC") return `“${typed}” has a time zone: omit it.`;
  const shift = zoneMicros(zone);
  return shift === null ? null : exactMicros(days * DAY + clock - shift, typed);
}

/** @param {string} zone */
function zoneMicros(zone) {
  if (zone === "Z") return 0n;
  const clock = clockMicros(zone.slice(1));
  return zone[0] === "-" && clock !== null ? -clock : clock;
}

/**
 * @param {ContinuousRecord} feature
 * @param {string} typed
 */
function readTime(feature, typed) {
  const clock = clockMicros(typed);
  return clock === null ? null : Number(clock);
}

/**
 * Days from 1970-01-01, null for an invalid date.
 * @param {string} text
 */
function dayNumber(text) {
  const match = DATE.exec(text);
  if (!match) return null;
  const [year, month, day] = [match[1], match[3], match[4]].map(Number);
  const moment = new Date(0);
  moment.setUTCFullYear(year, month - 1, day); // Date.UTC would read the year 20 as 1920
  const same = moment.getUTCFullYear() === year && moment.getUTCMonth() === month - 1;
  if (year < 1 || !same || moment.getUTCDate() !== day) return null;
  return BigInt(moment.getTime()) / 86_400_000n;
}

/**
 * Microseconds from midnight, null for an invalid time.
 * @param {string} text
 */
function clockMicros(text) {
  const match = TIME.exec(text);
  if (!match) return null;
  const [hours, minutes, seconds] = match.slice(1, 4).map((part) => Number(part ?? 0));
  if (hours > 23 || minutes > 59 || seconds > 59) return null;
  return BigInt((hours * 60 + minutes) * 60 + seconds) * SECOND + BigInt((match[4] ?? "").padEnd(6, "0"));
}

/**
 * @param {ContinuousRecord} feature
 * @param {string} typed
 */
function readDuration(feature, typed) {
  const match = /[PT]$/.test(typed) ? null : DURATION.exec(typed);
  if (!match) return null;
  const [days, hours, minutes, seconds] = match.slice(2, 6).map((part) => BigInt(part ?? 0));
  const part = BigInt((match[6] ?? "").padEnd(6, "0"));
  const micros = days * DAY + ((hours * 60n + minutes) * 60n + seconds) * SECOND + part;
  if (micros >= LONGEST) return `“${typed}” is too long.`;
  return exactMicros(match[1] ? -micros : micros, typed);
}

/**
 * @param {ContinuousRecord} feature
 * @param {string} typed
 */
function readMonths(feature, typed) {
  const match = /P$/.test(typed) ? null : MONTHS.exec(typed);
  if (!match) return null;
  const count = 12n * BigInt(match[2] ?? 0) + BigInt(match[3] ?? 0);
  if (count > BigInt(EXACT)) return `“${typed}” is too long.`;
  return Number(match[1] ? -count : count) + 0; // no -0
}
