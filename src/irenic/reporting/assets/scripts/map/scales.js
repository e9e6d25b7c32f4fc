// @ts-check
// Scales: the positions of values and cells on the screen.

import { runsOf } from "./plane.js";
import { clamp, shareBetween } from "../numbers.js";
import { isCategory, LOWEST, MISSING_CODE, OTHER_CODE, valueBefore } from "../values/features.js";
import { formatTick, niceTicks } from "../values/ticks.js";

const BAND_GAP = 6; // between the band of missing values and the numbers

const FEW_STEPS = 120; // up to this many whole numbers are drawn in the middle of their cells

/**
 * A scale of `length` pixels, `band` of them for missing values: `cells` with `from` and `to` in pixels, the
 * `place` of a value, the value `at` a pixel, and the `spans` [from, to] of a condition, which may end inside cells.
 * @param {FeatureRecord | null} feature
 * @param {Cell[]} cells
 * @param {number} length
 * @param {number} band
 * @returns {Scale}
 */
export function makeScale(feature, cells, length, band) {
  if (feature === null) return stripScale(length);
  return isCategory(feature) ? bandScale(feature, cells, length) : numberScale(feature, cells, length, band);
}

/**
 * @param {number} length
 * @returns {Scale}
 */
function stripScale(length) {
  /** @type {Scale["cells"]} */
  const cells = [{ value: undefined, from: 0, to: length }];
  /** @returns {[number, number][]} */
  const spans = () => [[0, length]];
  return { cells, place: () => length / 2, at: () => undefined, spread: () => length * 0.7, spans, ticks: [] };
}

/**
 * @param {CategoricalRecord} feature
 * @param {Cell[]} cells
 * @param {number} length
 * @returns {Scale}
 */
function bandScale(feature, cells, length) {
  const size = length / cells.length;
  const order = new Map(cells.map((cell, i) => [cell.value, i]));
  const laid = cells.map((cell, i) => ({ ...cell, from: i * size, to: (i + 1) * size }));
  /** @param {Value | undefined} code */
  const name = (code) => (code === OTHER_CODE ? "other" : feature.values[code ?? MISSING_CODE]);
  return {
    cells: laid,
    place: (code) => ((order.get(code) ?? 0) + 0.5) * size,
    at: (pixel) => cells[Math.max(0, Math.min(cells.length - 1, Math.floor(pixel / size)))].value,
    spread: () => size * 0.7,
    spans: (condition) =>
      runsOf(cells, new Set(condition ?? feature.admitted)).map(([from, to]) => [from * size, to * size]),
    ticks: laid.map((cell) => ({ at: (cell.from + cell.to) / 2, text: name(cell.value), room: size })),
  };
}

/**
 * @param {ContinuousRecord} feature
 * @param {Cell[]} cells
 * @param {number} length
 * @param {number} band
 * @returns {Scale}
 */
function numberScale(feature, cells, length, band) {
  const left = feature.missing ? band + BAND_GAP : 0;
  const low = feature.range[0];
  // the last whole number extends to the next one
  const high = Math.min(feature.range[1] + feature.step, Math.max(feature.end ?? Infinity, feature.range[1]));
  const few = feature.step > 0 && (high - low) / feature.step <= FEW_STEPS;
  const shift = few ? feature.step / 2 : 0;
  /** @param {number} value */
  const pixel = (value) => left + shareBetween(value, low, high) * (length - left);
  const laid = cells.map((cell) => {
    if (cell.low === undefined || cell.high === undefined) return { ...cell, from: 0, to: band };
    return {
      ...cell,
      from: cell.low <= low ? left : pixel(cell.low),
      to: cell.high >= high ? length : pixel(cell.high),
    };
  });
  /**
   * @param {Condition} condition
   * @returns {[number, number][]}
   */
  const spans = ([lower, upper]) => [
    [
      lower === null ? 0 : lower <= low ? left : pixel(lower),
      upper === null || upper >= high ? length : upper <= (feature.lowest ?? LOWEST) ? band : pixel(upper),
    ],
  ];
  const perPixel = high / (length - left) - low / (length - left); // high - low may overflow
  /** @param {number} place */
  const raw = (place) => {
    const share = clamp((place - left) / (length - left), 0, 1);
    return low * (1 - share) + high * share;
  };
  const step = few ? feature.step / perPixel : 0;
  return {
    cells: laid,
    place: (value) => (value === null || value === undefined ? band / 2 : pixel(value + shift)),
    at: (place) => valueAt(feature, laid, place, left, raw(place), perPixel),
    spans: (condition) => spans(condition ?? [null, null]),
    spread: (value) => (value === null ? band * 0.6 : step > 8 ? step * 0.6 : 0),
    ticks: numberTicks(feature, low, high, pixel, shift, length - left, band),
  };
}

/**
 * @param {ContinuousRecord} feature
 * @param {number} low
 * @param {number} high
 * @param {(value: number) => number} pixel
 * @param {number} shift
 * @param {number} length
 * @param {number} band
 */
function numberTicks(feature, low, high, pixel, shift, length, band) {
  const wide = feature.kind === "date" || feature.kind === "datetime" ? 110 : 64;
  const ticks = niceTicks(feature, low, high, Math.max(3, Math.floor(length / wide)));
  const found = ticks.map((value) => ({ at: pixel(value + shift), text: formatTick(feature, value), room: wide }));
  return feature.missing ? [{ at: band / 2, text: "missing", room: band, missing: true }, ...found] : found;
}

/**
 * A short value at a pixel. Cells that are too narrow to be clicked attract nearby clicks.
 * @param {ContinuousRecord} feature
 * @param {Scale["cells"]} cells
 * @param {number} place
 * @param {number} left
 * @param {number} exact
 * @param {number} perPixel
 */
function valueAt(feature, cells, place, left, exact, perPixel) {
  const thin = cells.find((cell) => cell.to - cell.from < 4 && Math.abs((cell.from + cell.to) / 2 - place) <= 3);
  if (thin) return thin.value;
  if (place < left - BAND_GAP / 2) return null;
  const highest = feature.end === null ? Number.MAX_VALUE : valueBefore(feature, feature.end);
  /** @param {number} number */
  const admitted = (number) => clamp(number, feature.lowest ?? LOWEST, highest);
  /** @param {number} number */
  const inside = (number) =>
    cells.findIndex(({ low, high }) => low !== undefined && high !== undefined && low <= number && number < high);
  const here = inside(admitted(exact));
  const values = roundings(feature, exact, perPixel).map(admitted);
  return values.find((value) => inside(value) === here) ?? values.at(-1); // rounding must not cross a cut
}

const CLOCK_UNITS = [86_400e6, 3600e6, 60e6, 1e6, 1e5, 1e4, 1e3, 100, 10];

/**
 * Values near a pixel, from the shortest to the most exact.
 * @param {ContinuousRecord} feature
 * @param {number} exact
 * @param {number} perPixel
 */
function roundings(feature, exact, perPixel) {
  /** @param {number} unit */
  const floor = (unit) => Math.floor(exact / unit) * unit;
  if (feature.kind === "datetime" || feature.kind === "time" || feature.kind === "duration") {
    return [...CLOCK_UNITS.filter((unit) => unit <= perPixel).map(floor), floor(feature.step)];
  }
  if (feature.step) return [floor(feature.step)];
  const unit = 10 ** Math.floor(Math.log10(perPixel));
  const rounded = Number((Math.round(exact / unit) * unit).toPrecision(12));
  return Number.isFinite(rounded) ? [rounded, exact] : [exact]; // the unit may underflow
}
