// @ts-check
// Values of cells in the notation of decision tables: numbers with a decimal point, dates and times.

import { Doubt } from "./language.js";
import { DURATION, isDuration, MONTHS } from "../values/texts.js";

/** @param {number | string} number @param {number} [width] */
const padded = (number, width = 2) => String(number).padStart(width, "0");

/** @param {number} year @param {number} month @param {number} day */
function dayText(year, month, day) {
  const moment = new Date(0);
  moment.setUTCFullYear(year, month - 1, day); // Date.UTC would read the year 20 as 1920
  const isDay = year > 0 && moment.getUTCFullYear() === year && moment.getUTCMonth() === month - 1;
  return isDay && moment.getUTCDate() === day ? `${padded(year, 4)}-${padded(month)}-${padded(day)}` : "";
}

const TEMPORAL =
  /^(?:(\d{4})-(\d\d)-(\d\d))?(T(?=\d)|^)?(?:(\d\d):(\d\d)(?::(\d\d)(?:\.(\d+?)0*)?)?(Z|[+-]\d\d:\d\d)?)?$/;

/**
 * The kind of a date, a time or a duration in ISO 8601; empty if it is none.
 * @param {string} text
 */
export function kindOfIso(text) {
  if (isDuration(text)) return "duration";
  const [, year, month, day, , hour, minute, second = "0", fraction = "", zone = "Z"] = TEMPORAL.exec(text) ?? [];
  if (year !== undefined && !dayText(Number(year), Number(month), Number(day))) return "";
  if (hour === undefined) return year === undefined || text.endsWith("T") ? "" : "date";
  const isTime = Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60 && fraction.length <= 6;
  const isZone = zone === "Z" || (Number(zone.slice(1, 3)) < 24 && Number(zone.slice(4)) < 60);
  return isTime && isZone ? (year === undefined ? "time" : "datetime") : "";
}

/**
 * The unit of a duration, and how long it is: months, or seconds.
 * @param {string} text
 * @returns {[string, number]}
 */
export function durationOf(text) {
  const months = MONTHS.exec(text);
  const [sign, ...parts] = (months ?? DURATION.exec(text))?.slice(1).map((part) => part ?? "0") ?? ["0"];
  const factors = months ? [12, 1] : [86_400, 3_600, 60, 1];
  const total = factors.reduce((sum, factor, k) => sum + factor * Number(parts[k]), 0);
  const exact = months ? total : total + Number(`0.${parts[4] ?? 0}`);
  return [months ? "months" : "seconds", sign === "-" ? -exact : exact];
}

const ESCAPES = new Map(
  Object.entries({ n: "\n", t: "\t", r: "\r", b: "\b", f: "\f", '"': '"', "'": "'", "\\": "\\", "/": "/" }),
);

/**
 * The text in quotes; null if it has an unknown escape.
 * @param {string} raw
 */
export function textInQuotes(raw) {
  let isText = true;
  const text = raw.slice(1, -1).replace(/\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{6})|([\s\S]))/g, (_, four, six, one) => {
    const code = four ?? six;
    if (code === undefined) isText &&= ESCAPES.has(one);
    else if (parseInt(code, 16) > 0x10ffff) isText = false;
    else return String.fromCodePoint(parseInt(code, 16));
    return ESCAPES.get(one) ?? "";
  });
  return isText && text.isWellFormed() ? text : null;
}

/**
 * The value of a token, as numbers and dates are written in a file.
 * @param {CellLanguage} language
 * @param {CellToken} token
 * @param {CellLocale} locale
 * @returns {CellLiteral}
 */
export function literalOf(language, token, locale) {
  const { kind, raw, groups } = token;
  /** @param {string} key @param {...string} parts */
  const doubt = (key, ...parts) => new Doubt(language, key, raw, ...parts);
  if (kind === "iso" || kind === "duration") {
    const found = kindOfIso(raw);
    if (!found) throw doubt("no_date");
    return { kind: found, text: raw };
  }
  if (kind === "short") throw doubt("short_year");
  if (kind === "written") return { kind: "date", text: writtenDate(doubt, groups.map(String), locale.dayFirst) };
  if (kind === "named") {
    const text = dayText(Number(groups[2]), Number(groups[1]), Number(groups[0]));
    if (!text) throw doubt("no_date");
    return { kind: "date", text };
  }
  if (kind === "clock") {
    const [hour, minute] = [Number(groups[0]), Number(groups[1] ?? 0)];
    if (hour > 23 || minute > 59 || (groups[2] && (hour < 1 || hour > 12))) throw doubt("no_clock");
    const shifted = groups[2] ? (hour % 12) + (groups[2] === "p" ? 12 : 0) : hour;
    return { kind: "time", text: `${padded(shifted)}:${padded(minute)}` };
  }
  if (kind === "time") {
    const text = raw.padStart(raw.length + 2 - String(groups[0]).length, "0");
    if (groups[0] === "24") throw doubt("no_time");
    if (kindOfIso(text) !== "time") throw doubt("no_clock");
    return { kind: "time", text };
  }
  return { kind: "number", text: numberOfAmount(language, token, locale) };
}

/**
 * @param {(key: string, ...parts: string[]) => Error} doubt
 * @param {string[]} groups
 * @param {boolean | null} known whether the day comes first
 */
function writtenDate(doubt, [first, sign, second, other, year], known) {
  if (sign !== other) throw doubt("not_number");
  const [a, b] = [Number(first), Number(second)];
  const dayFirst = sign === "." ? true : (known ?? (Math.max(a, b) > 12 ? a > 12 : null));
  if (dayFirst === null)
    throw doubt("date_order", `${year}-${padded(b)}-${padded(a)}`, `${year}-${padded(a)}-${padded(b)}`);
  const text = dayFirst ? dayText(Number(year), b, a) : dayText(Number(year), a, b);
  if (!text) throw doubt("no_date_read", ...(dayFirst ? ["day", "month"] : ["month", "day"]));
  return text;
}

/**
 * @param {CellLanguage} language
 * @param {CellToken} token
 * @param {CellLocale} locale
 */
function numberOfAmount(language, token, { decimal }) {
  const [sign, , inner, digits = "", exponent = ""] = token.groups;
  const isMoney = /^(?:[€$£¥]|EURO?$|USD$|GBP$|CHF$)/.test(token.unit);
  if (isMoney && !decimal && mayBeThousands(digits)) {
    throw new Doubt(language, "money", digits, digits.replace(".", ""), `${digits}0`);
  }
  let number = numberOfDigits(language, digits, decimal);
  if (token.unit === "%") number = shifted(number, -2);
  if (token.scale && token.unit === "m") {
    throw new Doubt(language, "meters", token.raw, shifted(numberOfDigits(language, digits, "."), 6), digits);
  }
  if (token.scale) number = shifted(number, token.scale);
  const text = `${Boolean(sign) === Boolean(inner) ? "" : "-"}${number}${exponent}`;
  if (!Number.isFinite(Number(text))) throw new Doubt(language, "not_number", token.raw);
  return text;
}

/** @param {string} number */
export const mayBeThousands = (number) => /^-?[1-9]\d{0,2}\.\d{3}$/.test(number);

/**
 * A decimal number times a power of ten, exactly.
 * @param {string} number
 * @param {number} power
 */
export function shifted(number, power) {
  if (!power) return number;
  const [integer, fraction = ""] = number.split(".");
  const places = Math.max(fraction.length - power, 0);
  const digits = (integer + fraction.padEnd(power, "0")).padStart(places + 1, "0");
  const text = places ? `${digits.slice(0, -places)}.${digits.slice(-places)}` : digits;
  const plain = text.includes(".") ? text.replace(/\.?0+$/, "") : text;
  return plain.replace(/^0+(?=\d)/, "");
}

/**
 * Digits with a decimal point and without groups.
 * @param {CellLanguage} language
 * @param {string} written
 * @param {string} known the decimal separator, empty if it is not known
 */
export function numberOfDigits(language, written, known) {
  const digits = written.replace(/[ \u00a0\u202f'’]/g, "");
  const [commas, points] = [digits.split(",").length - 1, digits.split(".").length - 1];
  if (!commas && !points) return checked(language, digits, written);
  let decimal = known || (digits !== written && commas === 1 ? "," : "");
  if (!decimal && !commas && points === 1) return checked(language, digits, written); // points are checked later
  decimal ||= ownDecimal(language, digits, commas, points);
  const group = decimal === "." ? "," : ".";
  const [whole, ...fraction] = digits.split(decimal);
  const isGrouped = new RegExp(`^\\d{1,3}(?:\\${group}\\d{3})+$`).test(whole);
  const groups = digits.split(group).length - 1;
  if (groups > 1 && (!isGrouped || fraction.length > 1)) throw new Doubt(language, "lists", digits);
  if (fraction.length > 1 || fraction[0]?.includes(group)) throw new Doubt(language, "no_number", digits, decimal);
  if (whole.includes(group) && !isGrouped) {
    throw new Doubt(language, "no_number_here", digits, decimal, digits.replaceAll(group, decimal));
  }
  return checked(language, [whole.replaceAll(group, "") || "0", ...fraction].join("."), written);
}

/**
 * The decimal separator that a number alone shows.
 * @param {CellLanguage} language
 * @param {string} digits
 * @param {number} commas
 * @param {number} points
 */
function ownDecimal(language, digits, commas, points) {
  if (commas && points) return digits.lastIndexOf(",") > digits.lastIndexOf(".") ? "," : ".";
  if (commas !== 1) return commas ? "." : ",";
  const [whole, part] = digits.split(",");
  const either = part.length === 3 ? `${whole}${part} or ${whole}.${part}0` : `${whole}.${part}`;
  const listed =
    part.length === whole.length && part.length > 1 ? `, or ${whole}, ${part} with a space for two values` : "";
  throw new Doubt(language, "comma", digits, either + listed);
}

/** @param {CellLanguage} language @param {string} number @param {string} written */
function checked(language, number, written) {
  if (/^0\d/.test(number)) throw new Doubt(language, "zero", written);
  return number;
}
