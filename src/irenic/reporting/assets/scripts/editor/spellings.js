// @ts-check
// Cells as files write them: their numbers and dates mean what they mean in the file, or are refused.

import { Doubt, languageOf } from "../cells/language.js";
import { readCell } from "../cells/reading.js";
import { can, halfWidth, tokensOf } from "../cells/tokens.js";
import { literalOf, mayBeThousands, shifted } from "../cells/values.js";
import { summary } from "../summary.js";

/** How the file writes numbers and dates; a table that was not read from text has neither. */
const decimal = summary.reading?.decimal ?? "";
const isComma = decimal === ",";
const dayFirst = summary.reading?.day_first ?? null;

/** Why a spelling has no single meaning. */
export class SpellingError extends Error {}

/** @type {CellLanguage | null} */
let words = null;

/** The words and the grammar of cells, which the page contains as data. */
export function language() {
  if (!words) {
    const { vocabulary, grammar } = JSON.parse(document.getElementById("cells")?.textContent ?? "{}");
    words = languageOf(vocabulary, grammar);
  }
  return words;
}

/**
 * What a doubt says, as a asSentence.
 * @param {Doubt} doubt
 */
const asSentence = ({ message }) => {
  const text = message.replace(/, or settle the [\s\S]*$/, ""); // which needs the file
  return `${text[0].toUpperCase()}${text.slice(1)}.`;
};

/**
 * What a cell means where numbers and dates are written as in the file, or as the cell itself shows.
 * @param {string} typed
 * @param {string} name of its column
 * @param {Set<string>} [known] values that are always texts, in lower case
 */
export function readAsInFile(typed, name, known) {
  const own = decimal || ([",", "."].find((sign) => SETTLING[sign].test(halfWidth(typed))) ?? "");
  return spelled(() => readCell(language(), typed, { decimal: own, dayFirst }, name, known));
}

/**
 * The result of a reader, whose doubts become errors of spelling.
 * @template T
 * @param {() => T} read
 */
function spelled(read) {
  try {
    return read();
  } catch (error) {
    throw error instanceof Doubt ? new SpellingError(asSentence(error)) : error;
  }
}

/** @param {ContinuousRecord} feature */
const isAmountKind = ({ kind }) => kind === "number" || kind === "integer";

/**
 * A unit, with one sign per currency.
 * @param {string} unit
 */
const sameUnit = (unit) => language().grammar.money[unit.toUpperCase()] ?? unit;

/**
 * The name of a unit, however it is written.
 * @param {string} word
 */
const unitNamed = (word) => language().phrases.get(word.toLowerCase())?.unit ?? sameUnit(word);

/**
 * Reject numbers in a unit that is not that of their column.
 * @param {ContinuousRecord} feature
 * @param {CellAmount[]} amounts
 */
export function checkUnits(feature, amounts) {
  if (!isAmountKind(feature)) return;
  const own = feature.unit ? unitNamed(feature.unit) : "";
  const units = new Set(amounts.flatMap(({ unit }) => (unit ? [sameUnit(unit)] : [])));
  if (units.size > 1)
    throw new SpellingError(`The cell mixes ${[...units].sort().join(" and ")}: write all numbers in one unit.`);
  for (const { raw, unit } of amounts.filter((amount) => amount.unit)) {
    const written = sameUnit(unit);
    if ((written === "%") !== isPercentage(feature) && (written === "%" || !own)) {
      throw new SpellingError(percentageText(feature, raw, written));
    }
    if (written !== "%" && own && written !== own) {
      throw new SpellingError(`“${raw}” is in ${written}, but ${feature.name} is in ${feature.unit}.`);
    }
    if (written === "months" && !own) {
      throw new SpellingError(`“${raw}” is in months, but ${feature.name} has no unit: write the number alone.`);
    }
  }
  if (isPercentage(feature) && amounts.some(({ text, unit }) => Number(text) && unit !== "%")) {
    throw new SpellingError(`${feature.name} is a percentage: write numbers with %.`);
  }
}

/**
 * The amount that is all of a text, and whether parentheses make it negative; null if it is something else.
 * @param {string} typed
 */
function amountIn(typed) {
  if (!/[0-9\uff10-\uff19]/.test(typed)) return null;
  try {
    const tokens = tokensOf(language(), typed, decimal, []).slice(0, -1);
    const isNegative = tokens.length === 3 && can(tokens[0], "(") && can(tokens[2], ")");
    const [token, more] = isNegative ? [tokens[1]] : tokens;
    return token?.kind === "amount" && !more && !token.groups[4] ? { token, isNegative } : null;
  } catch (error) {
    if (error instanceof Doubt) return null;
    throw error;
  }
}

/**
 * The unit of an amount, empty for none.
 * @param {string} typed
 */
export const unitOf = (typed) => sameUnit(amountIn(typed)?.token.unit ?? "");

/**
 * The number of an outcome, with a decimal point and without a unit; null if it is none. An outcome cannot be a list,
 * so that its comma shows how it is written.
 * @param {string} typed
 */
export function outcomeNumber(typed) {
  const amount = amountIn(typed);
  if (!amount || amount.token.scale || language().units.has(amount.token.unit)) return null;
  const text = halfWidth(typed);
  const own = /^[-−]?\d+,\d{1,2}$/.test(text) ? "," : [",", "."].find((sign) => SETTLING[sign].test(text));
  checkSigns(text, own);
  const found = spelled(() => literalOf(language(), amount.token, { decimal: decimal || (own ?? ""), dayFirst }).text);
  if (!own) checkPoints([found]);
  return amount.isNegative ? `-${found}` : found;
}

/**
 * Why a percentage is not accepted, or nothing else is.
 * @param {ContinuousRecord} feature
 * @param {string} typed
 * @param {string} unit
 */
function percentageText(feature, typed, unit) {
  if (unit !== "%") return `“${typed}” is in ${unit}, but ${feature.name} is a percentage.`;
  const share = outcomeNumber(typed) ?? "0";
  return `“${typed}” is a percentage, but ${feature.name} has none: write ${share}.`;
}

/**
 * The cells of the file in the column of a feature that were respelled.
 * @param {{ name: string }} feature
 */
const writtenIn = (feature) => summary.reading?.columns.find(({ name }) => name === feature.name)?.interpreted ?? [];

/**
 * Whether the numbers of a feature have percent signs in the file.
 * @param {ContinuousRecord} feature
 */
export const isPercentage = (feature) => writtenIn(feature).some(({ text }) => text.includes("%"));

const BEFORE = "(?<![\\p{L}\\p{N}_.,:/])";
const AFTER = "(?![\\d.,]*\\d)";

/** What settles the decimal separator of a table, by the separator. @type {Record<string, RegExp>} */
const SETTLING = {
  ",": new RegExp(
    `${BEFORE}\\d{1,3}(?:\\.\\d{3})+,\\d+(?![\\d.,])|${BEFORE}\\d{1,3}(?:\\.\\d{3}){2,}${AFTER}` +
      `|\\d,[-–—](?!\\d)|[€$£¥]\\s*\\d+,\\d{1,2}(?!\\d)|${BEFORE}\\d+,\\d{1,2}\\s*[€%]`,
    "u",
  ),
  ".": new RegExp(
    `${BEFORE}\\d{1,3}(?:,\\d{3})+\\.\\d+${AFTER}|[$£]\\s?\\d{1,3},\\d{3}${AFTER}|${BEFORE}\\d{1,3}(?:,\\d{3}){2,}${AFTER}` +
      `|(?:(?<=\\.\\.)|${BEFORE})(?:(?:0?|\\d{1,3}|\\d{4,})\\.(?:\\d{1,2}|\\d{4,})|(?:0|\\d{4,})\\.\\d+)(?!\\d|[.,]\\d)`,
    "u",
  ),
};

/** Numbers that may have thousands or decimals, by the decimal separator. @type {Record<string, RegExp>} */
const ROUND = {
  ",": new RegExp(`${BEFORE}[1-9]\\d{0,2},\\d\\d0(?![\\p{L}\\p{N}_]|[.,]\\d)`, "u"),
  ".": new RegExp(`${BEFORE}[1-9]\\d{0,2}\\.\\d\\d0(?![\\p{L}\\p{N}_]|[.,]\\d)`, "u"),
};

const SLASHED = /(?<![\d/-])(\d{1,2})([/-])(\d{1,2})\2\d{4}(?![\d/-])/g;

/**
 * Reject a cell whose numbers or dates are not written as those of the file, which then could not be read.
 * @param {string} typed
 * @param {string} [shown] the decimal separator that the cell shows, if that is known
 */
export function checkSigns(typed, shown) {
  const text = halfWidth(typed);
  const orders = [...text.matchAll(SLASHED)].flatMap(([, first, , second]) =>
    Number(first) > 12 ? true : Number(second) > 12 ? false : [],
  );
  const order = dayFirst ?? orders[0];
  if (orders.some((each) => each !== order)) {
    throw new SpellingError(
      dayFirst === null
        ? `“${typed}” writes dates in two ways.`
        : `Dates of the file begin with the ${dayFirst ? "day" : "month"}: write “${typed}” so, too.`,
    );
  }
  const [own = decimal, other] = [",", "."].filter((sign) => sign === shown || SETTLING[sign].test(text));
  if (other || (decimal && own !== decimal)) {
    const sign = decimal === "," ? "comma" : "point";
    throw new SpellingError(
      decimal ? `The file has a decimal ${sign}: write “${text}” so, too.` : `“${text}” writes numbers in two ways.`,
    );
  }
  const round = summary.reading && own && ROUND[own].exec(text);
  if (round) {
    const [integer, fraction] = round[0].split(own);
    const short = `${integer}${own}${fraction}`.replace(/[.,]?0+$/, "");
    throw new SpellingError(`“${round[0]}” is ambiguous: write ${short} or ${integer}${fraction}.`);
  }
}

/** @param {string} number */
const thousandsText = (number) =>
  `“${number}” is ambiguous: write ${number.replace(".", "")}, or ${number}0 if the point is a decimal point.`;

/**
 * Reject numbers whose points may separate thousands, unless another one or the file shows that they do not.
 * @param {string[]} numbers
 */
export function checkPoints(numbers) {
  if (!summary.reading || decimal) return;
  const points = numbers.filter((number) => number.includes("."));
  if (points.length && points.every(mayBeThousands)) throw new SpellingError(thousandsText(points[0].replace("-", "")));
}

/**
 * Whether the cells of the file can write a number: it has no exponent where the decimal separator is a comma.
 * @param {ContinuousRecord} feature
 * @param {number} value
 */
export const canWrite = (feature, value) =>
  !isAmountKind(feature) || (!isComma && !isPercentage(feature)) || Math.abs(value) <= 2 ** 53;

/**
 * A number as the cells of the file write it, so that it is read as the same.
 * @param {string} number
 * @param {boolean} [percent] whether it has a percent sign there
 */
export function numberInFile(number, percent = false) {
  const [mantissa, exponent = "0"] = number.split("e");
  if (percent || isComma) {
    const sign = mantissa.startsWith("-") ? "-" : "";
    const plain = sign + shifted(mantissa.replace("-", ""), Number(exponent) + (percent ? 2 : 0));
    return (isComma ? plain.replace(".", ",") : plain) + (percent ? "%" : "");
  }
  return summary.reading && !decimal && mayBeThousands(number) ? `${number}0` : number;
}

/** @param {ContinuousRecord} feature */
const isInCents = (feature) =>
  summary.reading?.remarks.includes(
    `${feature.name} is written with two decimals, so that there is nothing between ranges 0.01 apart`,
  ) ?? false;

/**
 * Reject ranges that the file would read up to the next 0.01 if they were written there.
 * @param {ContinuousRecord} feature
 * @param {Test | null} test
 */
export function checkEnds(feature, test) {
  if (!isComma || !isInCents(feature)) return;
  for (const { lower, upper } of test?.spans ?? []) {
    if (lower?.at === upper?.at) continue;
    const end = [lower, upper].find((each) => each?.after && !Number.isInteger(each.at));
    if (end) throw new SpellingError(`Numbers of ${feature.name} have two decimals: no range can end at ${end.at}.`);
  }
}

/**
 * A test with other comparisons.
 * @param {CellTest} test
 * @param {(test: CellCompare) => CellTest} change
 * @returns {CellTest}
 */
function changed(test, change) {
  if ("not" in test) return { not: changed(test.not, change) };
  if ("all" in test) return { all: test.all.map((part) => changed(part, change)) };
  return "any" in test ? { any: test.any.map((part) => changed(part, change)) } : change(test);
}

/**
 * Ranges of numbers up to the next 0.01, if the file is written with two decimals: 10-14.99 ends before 15.
 * @param {ContinuousRecord} feature
 * @param {CellTest} test
 */
export function toTheCent(feature, test) {
  if (!isAmountKind(feature) || !isInCents(feature)) return test;
  return changed(test, ({ order, value }) => {
    if (/\.\d{2}\d*[1-9]|e-/.test(value.text)) {
      throw new SpellingError(`Numbers of ${feature.name} have two decimals: write at most two in “${value.text}”.`);
    }
    const next = { ...value, text: String(Math.round(Number(value.text) * 100 + 1) / 100) };
    if (order === "<=" || order === ">") return { order: order === "<=" ? "<" : ">=", value: next };
    return { order, value };
  });
}

/**
 * A test without the ends of ranges at 23:59.
 * @param {CellTest} test
 * @returns {CellTest}
 */
function untilMidnight(test) {
  if ("not" in test) return { not: untilMidnight(test.not) };
  if ("any" in test) return { any: test.any.map(untilMidnight) };
  if (!("all" in test)) return test;
  const [first, last] = test.all;
  return "value" in last && last.order === "<=" && last.value.text === "23:59" ? first : test;
}

/**
 * Ranges of times with all of their last minute, if the file is written to the minute: 08:00-17:59 ends before 18:00.
 * A range that ends at 23:59 goes on to the end of the day in any file.
 * @param {ContinuousRecord} feature
 * @param {CellTest} test
 */
export function toTheMinute(feature, test) {
  const isByMinute = summary.reading?.remarks.includes(
    `${feature.name} is written to the minute, so that ranges include all of their last minute`,
  );
  /** @type {CellCompare[]} */
  const parts = [];
  changed(test, (part) => (parts.push(part), part));
  const untilLast = parts.some(({ order, value }) => order === "<=" && value.text === "23:59");
  if (parts.some(({ value }) => /:\d\d:/.test(value.text)) || (!isByMinute && !untilLast)) return test;
  const isRange = "all" in test || ("any" in test && test.any.some((part) => "all" in part));
  if (untilLast && !isRange) throw new SpellingError("Any time is up to 23:59: write - for any value.");
  if (parts.some(({ order, value }) => order === ">" && value.text === "23:59")) {
    throw new SpellingError("No value satisfies this.");
  }
  /** @param {CellLiteral} value */
  const next = (value) => {
    const minutes = 60 * Number(value.text.slice(0, 2)) + Number(value.text.slice(3)) + 1;
    const clock = [Math.floor(minutes / 60), minutes % 60];
    return { ...value, text: clock.map((each) => String(each).padStart(2, "0")).join(":") };
  };
  return changed(untilMidnight(test), ({ order, value }) => {
    if (order === "<=" || order === ">") return { order: order === "<=" ? "<" : ">=", value: next(value) };
    return { order, value };
  });
}
