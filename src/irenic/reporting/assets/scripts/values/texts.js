// @ts-check
// The texts of values, as irenic writes them, exact to the microsecond.

import { isPlain } from "./characters.js";
import { isCategory, MISSING_CODE } from "./features.js";

export const SECOND = 1_000_000n;

export const DAY = 86_400n * SECOND;

const KEYWORDS = new Set(
  "if and then default weight in not or is missing other anything nothing true false inf nan".split(" "),
);

const WORD = /^[\p{L}\p{Nl}\p{No}_](?:[\p{L}\p{N}_.%/+-]*[\p{L}\p{N}_%+])?$/u;

export const DURATION = /^(-?)P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.(\d{1,6}))?S)?)?$/;

export const MONTHS = /^(-?)P(?:(\d+)Y)?(?:(\d+)M)?$/;

/**
 * The text of a value, which parseValue reads back as the same value.
 * @param {FeatureRecord} feature
 * @param {Value} value
 */
export function formatValue(feature, value) {
  if (isCategory(feature)) return feature.values[value ?? MISSING_CODE];
  if (value === null || value === -Infinity) return "missing";
  if (feature.kind === "number" || feature.kind === "integer" || !Number.isFinite(value)) return formatNumber(value);
  if (feature.kind === "months") return formatMonths(value);
  const micros = BigInt(Math.trunc(value));
  if (feature.kind === "duration") return formatDuration(micros);
  if (feature.kind === "time") return formatClock(micros);
  const days = (micros - (((micros % DAY) + DAY) % DAY)) / DAY;
  const date = formatDay(days);
  return feature.kind === "date" ? date : `${date}T${formatClock(micros - days * DAY)}`;
}

/**
 * The shortest text that reads back as the same number, with an exponent if Python writes one.
 * @param {number} value
 */
export function formatNumber(value) {
  if (!Number.isFinite(value)) return value < 0 ? "-inf" : "inf";
  if (Object.is(value, -0)) return "-0";
  const [mantissa, power] = value.toExponential().split("e");
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 16) return fixedNumber(mantissa, exponent);
  const size = String(Math.abs(exponent)).padStart(2, "0");
  return `${mantissa}e${exponent < 0 ? "-" : "+"}${size}`;
}

/**
 * @param {string} mantissa
 * @param {number} exponent
 */
function fixedNumber(mantissa, exponent) {
  const sign = mantissa.startsWith("-") ? "-" : "";
  const digits = mantissa.replace(/[-.]/g, "");
  if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, "0");
  const rest = digits.slice(exponent + 1);
  return `${sign}${whole}${rest ? `.${rest}` : ""}`;
}

/** @param {number} value */
const twoDigits = (value) => String(value).padStart(2, "0");

/** @param {bigint} days */
function formatDay(days) {
  const moment = new Date(Number(days) * 86_400_000);
  const year = String(moment.getUTCFullYear()).padStart(4, "0");
  return `${year}-${twoDigits(moment.getUTCMonth() + 1)}-${twoDigits(moment.getUTCDate())}`;
}

/** @param {bigint} micros */
function formatClock(micros) {
  const seconds = Number(micros / SECOND);
  const part = Number(micros % SECOND);
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return parts.map(twoDigits).join(":") + (part ? `.${String(part).padStart(6, "0")}` : "");
}

/**
 * @param {bigint} micros
 * @returns {string}
 */
function formatDuration(micros) {
  if (micros < 0n) return `-${formatDuration(-micros)}`;
  const { days, hours, minutes, seconds, part } = durationParts(micros);
  const date = days ? `${days}D` : "";
  let time = (hours ? `${hours}H` : "") + (minutes ? `${minutes}M` : "");
  if (part) time += `${seconds}.${String(part).padStart(6, "0")}S`;
  else if (seconds || !(date || time)) time += `${seconds}S`;
  return `P${date}${time ? `T${time}` : ""}`;
}

/** @param {bigint} micros */
function durationParts(micros) {
  const rest = Number((micros % DAY) / SECOND);
  return {
    days: micros / DAY,
    hours: Math.floor(rest / 3600),
    minutes: Math.floor(rest / 60) % 60,
    seconds: rest % 60,
    part: Number(micros % SECOND),
  };
}

/** @param {number} count */
function formatMonths(count) {
  const [years, months] = [Math.floor(Math.abs(count) / 12), Math.abs(count) % 12];
  const parts = (years ? `${years}Y` : "") + (months || !years ? `${months}M` : "");
  return `${count < 0 ? "-" : ""}P${parts}`;
}

/**
 * A name as written in conditions: quotedText unless it is a single word.
 * @param {string} text
 */
export function formatWord(text) {
  const bare = WORD.test(text) && !KEYWORDS.has(text.toLowerCase()) && !isDuration(text) && isPlain(text);
  return bare ? text : quotedText(text);
}

/**
 * A text in quotes.
 * @param {string} text
 */
export function quotedText(text) {
  /** @param {string} sign */
  const escaped = (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(text).replace(/[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, escaped);
}

/** @param {string} text */
export function isDuration(text) {
  return !/(^|[PT])$/.test(text) && (DURATION.test(text) || MONTHS.test(text));
}

/**
 * The values of a case as text.
 * @param {FeatureRecord[]} features
 * @param {Case} theCase
 */
export function formatCase(features, theCase) {
  return features
    .map((feature) => `${feature.name} = ${formatValueOf(feature, theCase[feature.name] ?? null)}`)
    .join(", ");
}

/** @param {FeatureRecord} feature @param {Value} value */
function formatValueOf(feature, value) {
  if (feature.kind === "category") return feature.values[value ?? 0];
  return value === null ? "missing" : formatValue(feature, value);
}
