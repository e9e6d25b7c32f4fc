// @ts-check
// Round values for axes, and their short texts.

import { isCategory } from "./features.js";
import { DAY, formatNumber, formatValue } from "./texts.js";

/**
 * A short text for the axis of a drawing: rounded, and in plain units.
 * @param {FeatureRecord} feature
 * @param {Value} value
 */
export function formatTick(feature, value) {
  if (isCategory(feature) || value === null) return formatValue(feature, value);
  if (feature.kind === "number" || feature.kind === "integer") return formatShort(value);
  if (feature.kind === "months")
    return formatParts(value, [
      [12, "y"],
      [1, "mo"],
    ]);
  if (feature.kind === "duration")
    return formatParts(value / 1e6, [
      [86_400, "d"],
      [3600, "h"],
      [60, "min"],
      [1, "s"],
    ]);
  const text = formatValue(feature, value);
  if (feature.kind === "datetime" && text.endsWith("T00:00:00")) return text.slice(0, 10);
  return text.replace("T", " ").replace(/(:\d\d):00$/, "$1");
}

/** @param {number} value */
function formatShort(value) {
  const rounded = Number(value.toPrecision(12)); // 0.1 + 0.2 is 0.3 here
  const text = formatNumber(rounded);
  if (text.includes("e") || Math.abs(rounded) < 10_000) return text.replace("-", "−");
  const [whole, part] = text.replace("-", "−").split(".");
  return whole.replace(/(?<=\d)(?=(\d{3})+$)/g, ",") + (part ? `.${part}` : "");
}

/**
 * A number of units as its two largest parts: 1 d 2 h.
 * @param {number} value
 * @param {[number, string][]} units
 */
function formatParts(value, units) {
  let rest = Math.abs(value);
  const parts = [];
  for (const [size, unit] of units) {
    const last = size === 1;
    const count = last ? Number(rest.toPrecision(6)) : Math.floor(rest / size);
    rest -= count * size;
    if (count) parts.push(`${count} ${unit}`);
    if (parts.length === 2) break;
  }
  return (value < 0 ? "−" : "") + (parts.join(" ") || `0 ${units[units.length - 1][1]}`);
}

const NICE_SECONDS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200];

const NICE_DAYS = [1, 2, 7, 14];

const NICE_MONTHS = [1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 2400, 6000, 12_000];

/**
 * About n round values from low to high, for the axis of a drawing.
 * @param {ContinuousRecord} feature
 * @param {number} low
 * @param {number} high
 * @param {number} [n]
 */
export function niceTicks(feature, low, high, n = 6) {
  const parts = Math.max(1, n);
  const span = high / parts - low / parts; // high - low may overflow
  if (!(span > 0) || !Number.isFinite(span)) return [low];
  if (feature.kind === "number") return multiples(niceStep(span), low, high);
  if (feature.kind === "integer") return multiples(Math.max(1, niceStep(span)), low, high);
  if (feature.kind === "months") return multiples(niceOf(NICE_MONTHS, span), low, high);
  const day = Number(DAY);
  const dated = feature.kind === "date" || feature.kind === "datetime";
  if (dated && span > 20 * day) return monthTicks(niceOf(NICE_MONTHS, span / (30.4 * day)), low, high);
  if (span > day / 2) {
    const days = dated ? niceOf(NICE_DAYS, span / day) : Math.max(1, niceStep(span / day));
    return multiples(days * day, low, high);
  }
  if (feature.kind === "date") return multiples(day, low, high);
  const step = span < 1e6 ? Math.max(1, niceStep(span)) : niceOf(NICE_SECONDS, span / 1e6) * 1e6;
  return multiples(step, low, high);
}

/**
 * @param {number[]} steps
 * @param {number} span
 */
const niceOf = (steps, span) => steps.find((step) => step >= span) ?? steps[steps.length - 1];

/**
 * The least of 1, 2, 5, 10, 20, … that is not below a span.
 * @param {number} span
 */
function niceStep(span) {
  const power = 10 ** Math.floor(Math.log10(span));
  return power * ([1, 2, 5].find((factor) => factor * power >= span * 0.999999) ?? 10);
}

/**
 * @param {number} step
 * @param {number} low
 * @param {number} high
 */
function multiples(step, low, high) {
  if (!(step > 0)) return [low]; // the step underflowed
  const ticks = [];
  const first = Math.ceil(low / step);
  for (let k = first; k * step <= high && ticks.length < 100; k++) {
    ticks.push(Number((k * step).toPrecision(15)) + 0);
    if (k + 1 === k) break; // beyond 2**53
  }
  return ticks;
}

/**
 * @param {number} months
 * @param {number} low
 * @param {number} high
 */
function monthTicks(months, low, high) {
  const ticks = [];
  const begin = new Date(low / 1000);
  let count = begin.getUTCFullYear() * 12 + begin.getUTCMonth();
  count = Math.floor(count / months) * months;
  for (; ticks.length < 100; count += months) {
    const moment = new Date(0);
    moment.setUTCFullYear(Math.floor(count / 12), count % 12, 1);
    const at = moment.getTime() * 1000;
    if (!(at <= high)) break;
    if (at >= low) ticks.push(at);
  }
  return ticks;
}
