// @ts-check
// Cells of a table: conditions on its features, as they are typed and as they are written.

import {
  canWrite,
  checkEnds,
  checkPoints,
  checkSigns,
  checkUnits,
  isPercentage,
  language,
  numberInFile,
  readAsInFile,
  SpellingError,
  toTheCent,
  toTheMinute,
} from "./spellings.js";
import { plainText } from "../cells/language.js";
import { styled } from "../cells/reading.js";
import { textInQuotes } from "../cells/values.js";
import { cleaned, twoScripts } from "../values/characters.js";
import { cutAbove, FIRST_CODE, isCategory, LOWEST, MISSING_CODE, OTHER_CODE, valueBefore } from "../values/features.js";
import { classOf, codesWithin, readPrefix, shownValue, termCell, termsOf } from "../values/prefixes.js";
import { parseBound } from "../values/reading.js";
import { formatValue } from "../values/texts.js";

/**
 * Parse the text of a cell: {test} (null for any value) with the values that the feature does not have yet, or
 * {error}.
 * @param {EditedFeature} feature
 * @param {string} text
 * @returns {ParsedCell}
 */
export function parseCell(feature, text) {
  const typed = cleaned(text).trim();
  const mixed = twoScripts(typed);
  if (mixed) return { error: mixed };
  try {
    return isCategory(feature) ? parseValues(feature, typed) : parseNumbers(feature, typed);
  } catch (error) {
    if (error instanceof SpellingError) return { error: error.message };
    throw error;
  }
}

/** @param {CellTest} test */
const isAny = (test) => "all" in test && !test.all.length;

// --- categories

/**
 * @param {EditedFeature & CategoricalRecord} feature
 * @param {string} typed
 * @returns {ParsedCell}
 */
function parseValues(feature, typed) {
  const known = new Set([...feature.values.slice(2), ...feature.encoded.map(String)].map((each) => each.toLowerCase()));
  const isKnown = known.has(typed.toLowerCase());
  const text = /** @type {CellTest} */ ({ order: "=", value: { kind: "text", text: typed, bare: true } });
  const test = isKnown ? text : readAsInFile(typed, feature.name, known).test;
  if (isAny(test)) return { test: null };
  /** @type {Encoded[]} */
  const added = [];
  /** @param {CellTest} part @returns {number[]} */
  const codesOf = (part) => {
    if ("not" in part) return exceptCodes(feature, codesOf(part.not), added.length);
    if ("any" in part) return part.any.flatMap(codesOf);
    if ("all" in part) throw new SpellingError(`Values of ${feature.name} have no order: list them.`);
    const { order, value } = part;
    if (order !== "=" && order !== "!=") {
      throw new SpellingError(`Values of ${feature.name} have no order: “${order}” cannot compare them.`);
    }
    if (value.kind === "prefix") {
      const prefix = readPrefix(value.text);
      const left = prefix?.except ? codesOf(readAsInFile(prefix.except, feature.name, known).test) : [];
      const within = prefixCodes(
        feature,
        prefix?.start.startsWith('"') ? (textInQuotes(prefix.start) ?? "") : (prefix?.start ?? ""),
        added,
      ).filter((code) => !left.includes(code));
      return order === "!=" ? exceptCodes(feature, within, added.length) : within;
    }
    const codes = daysMeant(feature, value) ?? [codeOf(feature, value, added)];
    return order === "!=" ? exceptCodes(feature, codes, added.length) : codes;
  };
  codesOf(test); // adds values, which prefixes before them contain, too
  const codes = [...new Set(codesOf(test))].sort((a, b) => a - b);
  if (!codes.length) throw new SpellingError("No value is left.");
  const all = new Set(codes);
  if (!added.length && feature.admitted.every((code) => all.has(code))) return { test: null };
  checkNegation(feature, typed, test, added);
  return { test: { codes }, added };
}

/**
 * Reject `not x` in words if x is no value: “not specified” is a value itself.
 * @param {EditedFeature & CategoricalRecord} feature
 * @param {string} typed
 * @param {CellTest} test
 * @param {Encoded[]} added
 */
function checkNegation(feature, typed, test, added) {
  if ("not" in test && added.length && !/\(|^\s*[!<≠]/.test(typed)) {
    throw new SpellingError(`“${typed}” is ambiguous: write not(a, b), or put it in quotes if it is a value.`);
  }
}

/**
 * The days that a word such as `weekend` means, in the language of the days of a column; null for other words.
 * @param {EditedFeature & CategoricalRecord} feature
 * @param {CellLiteral} value
 */
function daysMeant(feature, { text, bare }) {
  const values = feature.values.slice(2);
  const entry = bare ? language().phrases.get(plainText(text)) : undefined;
  if (!entry || values.some((value) => value.toLowerCase() === text.toLowerCase())) return null;
  if (!["weekdays", "weekend", "workdays"].some((role) => role in entry)) return null;
  const lists = language().sequences.days;
  const days = values.filter((value) => lists.some((names) => names.includes(value.toLowerCase())));
  const names = days.length ? lists.find((each) => days.every((day) => each.includes(day.toLowerCase()))) : undefined;
  if (!names) return null;
  if ("workdays" in entry) {
    throw new SpellingError(`“${text}” may mean five or six days: list them, or put it in quotes if it is a value.`);
  }
  const meant = styled(days[0], "weekend" in entry ? names.slice(5) : names.slice(0, 5));
  return meant.map((day) => codeOf(feature, { kind: "text", text: day }, []));
}

/**
 * All codes but some, including those that are added.
 * @param {EditedFeature & CategoricalRecord} feature
 * @param {number[]} codes
 * @param {number} added
 */
function exceptCodes(feature, codes, added) {
  const fresh = Array.from({ length: added }, (_, k) => feature.values.length + k);
  return [...feature.admitted, ...fresh].filter((code) => !codes.includes(code));
}

/**
 * The codes of all texts that begin with a prefix. It is added if the feature is open to such texts.
 * @param {EditedFeature & CategoricalRecord} feature
 * @param {string} prefix
 * @param {Encoded[]} added
 */
function prefixCodes(feature, prefix, added) {
  const values = [...feature.encoded, ...added];
  const isListed = values.some((each) => shownValue(each) === shownValue({ prefix }));
  if (!isListed && admitsCode(feature, classOf(values, { prefix }))) added.push({ prefix });
  const codes = codesWithin([...feature.encoded, ...added], prefix);
  if (!codes.length) throw new SpellingError(`No value of ${feature.name} begins with “${prefix}”.`);
  return codes;
}

/**
 * Whether a feature can have values with a code, which may be one that is added.
 * @param {CategoricalRecord} feature
 * @param {number} code
 */
const admitsCode = (feature, code) => feature.admitted.includes(code) || code >= feature.values.length;

/**
 * The code of a value. If the feature is open to other values, a new one is added to it.
 * @param {EditedFeature & CategoricalRecord} feature
 * @param {CellLiteral} value
 * @param {Encoded[]} added
 */
function codeOf(feature, { kind, text, bare }, added) {
  const listed = [...feature.values.keys()].slice(2);
  if (kind === "null" || (bare && text.toLowerCase() === "missing" && !feature.values.includes(text))) {
    if (!feature.missing) throw new SpellingError(`${feature.name} is never missing.`);
    return MISSING_CODE;
  }
  const plain = kind === "number" ? Number(text) : kind === "boolean" ? text === "true" : text;
  const isBare = bare || kind !== "text";
  const code =
    (isBare ? listed.find((each) => feature.values[each] === text) : undefined) ??
    listed.find((each) => feature.encoded[each - 2] === plain) ??
    (isBare ? listed.find((each) => String(feature.encoded[each - 2]) === text) : undefined) ??
    (isBare ? listed.find((each) => feature.values[each].toLowerCase() === text.toLowerCase()) : undefined);
  if (code !== undefined) return code;
  const ends = bare ? text.split(/\s*[-–—/]\s*|\s+(?:to|bis)\s+/u) : [];
  const isValue = (/** @type {string} */ end) =>
    feature.values.some((each) => each.toLowerCase() === end.toLowerCase());
  if (ends.length > 1 && ends.every(isValue)) {
    throw new SpellingError(`“${text}” is ambiguous: list the values, or put it in quotes if it is one.`);
  }
  if (!admitsCode(feature, classOf([...feature.encoded, ...added], plain))) {
    const known = listed.slice(0, 8).map((each) => feature.values[each]);
    throw new SpellingError(
      `“${text}” is not one of the values (${known.join(", ")}${listed.length > 8 ? ", …" : ""}).`,
    );
  }
  if (kind !== "text") throw new SpellingError(`“${text}” is not a value; put it in quotes if it is one.`);
  if (!added.includes(text)) added.push(text);
  return feature.values.length + added.indexOf(text);
}

// --- numbers

/**
 * Where a test holds: disjoint spans of values that are not missing, and whether it holds for a missing value; null
 * if it holds for neither that nor its opposite.
 * @typedef {{ spans: { lower: SpanEnd, upper: SpanEnd }[], missing: boolean | null }} Selected
 */

/** @type {SpanEnd} */
const BOTTOM = { at: LOWEST, after: false };

/** @type {SpanEnd} */
const TOP = { at: Infinity, after: false };

/**
 * @param {EditedFeature & ContinuousRecord} feature
 * @param {string} typed
 * @returns {ParsedCell}
 */
function parseNumbers(feature, typed) {
  checkSigns(typed);
  const reading = readAsInFile(typed, feature.name);
  if (isAny(reading.test)) return { test: null };
  checkUnits(feature, reading.amounts);
  const asSpoken = feature.kind === "time" ? toTheMinute : toTheCent;
  // a range as people write it may include all of its last minute, unlike [08:00..17:59]
  const selected = selectedBy(feature, reading.formal ? reading.test : asSpoken(feature, reading.test));
  const spans = selected.spans.filter(({ lower, upper }) => isPossible(feature, lower.at, upper.at));
  const holdsMissing = selected.missing === true && feature.missing;
  if (!spans.length && !holdsMissing) {
    const onlyMissing = selected.missing === true && !selected.spans.length;
    throw new SpellingError(onlyMissing ? `${feature.name} is never missing.` : nothingText(feature));
  }
  checkPoints(reading.amounts.map(({ text }) => text));
  const test = testOf(feature, spans, holdsMissing);
  checkEnds(feature, test);
  return { test };
}

/**
 * @param {ContinuousRecord} feature
 * @param {number} low
 * @param {number} high
 */
const isPossible = (feature, low, high) =>
  Math.max(low, feature.lowest ?? LOWEST) < Math.min(high, feature.end ?? Infinity);

/** @param {ContinuousRecord} feature */
function nothingText(feature) {
  const least =
    feature.lowest === null || !feature.bounded[0] ? "" : ` at least ${formatValue(feature, feature.lowest)}`;
  const most =
    feature.end === null || !feature.bounded[1]
      ? ""
      : ` at most ${formatValue(feature, valueBefore(feature, feature.end))}`;
  const bounds = [least, most].filter(Boolean).join(" and");
  return bounds ? `No value satisfies this: ${feature.name} is${bounds}.` : "No value satisfies this.";
}

/**
 * A test of spans; null for any value.
 * @param {ContinuousRecord} feature
 * @param {{ lower: SpanEnd, upper: SpanEnd }[]} selected
 * @param {boolean} holdsMissing
 * @returns {Test | null}
 */
function testOf(feature, selected, holdsMissing) {
  /** @type {Span[]} */
  const spans = selected.map(({ lower, upper }) => ({
    lower: lower.at === LOWEST ? BOTTOM : lower,
    upper: upper.at === Infinity ? null : upper,
  }));
  if (holdsMissing) {
    if (spans[0]?.lower?.at === LOWEST) spans[0] = { ...spans[0], lower: null };
    else spans.unshift({ lower: null, upper: BOTTOM });
  }
  const [first] = spans;
  const admitsCode = spans.length === 1 && first.upper === null && (first.lower === null || first.lower.at === LOWEST);
  return admitsCode && (first.lower === null || !feature.missing) ? null : { spans };
}

/**
 * @param {ContinuousRecord} feature
 * @param {CellTest} test
 * @returns {Selected}
 */
function selectedBy(feature, test) {
  if ("not" in test) return notOf(selectedBy(feature, test.not));
  if ("any" in test) return anyOf(test.any.map((part) => selectedBy(feature, part)));
  if ("all" in test) {
    const [least, most] = test.all.flatMap((part) => ("value" in part ? [part.value] : []));
    if (most && test.all.length === 2 && boundOf(feature, least) > boundOf(feature, most)) {
      throw new SpellingError(`The range is reversed: write ${most.text}..${least.text}.`);
    }
    return test.all.map((part) => selectedBy(feature, part)).reduce(bothOf);
  }
  const { order, value } = test;
  if (value.kind === "null" || (value.bare && value.text.toLowerCase() === "missing")) {
    return order === "!=" ? notOf({ spans: [], missing: true }) : { spans: [], missing: true };
  }
  return compared(feature, order, boundOf(feature, value));
}

/** The kinds of values that a feature can be compared with. @type {Record<ContinuousRecord["kind"], string[]>} */
const FITTING = {
  number: ["number"],
  integer: ["number"],
  date: ["date"],
  datetime: ["date", "datetime"],
  time: ["time"],
  duration: ["duration"],
  months: ["duration"],
};

/**
 * @param {ContinuousRecord} feature
 * @param {CellLiteral} value
 */
function boundOf(feature, { kind, text }) {
  const fits = FITTING[feature.kind].includes(kind);
  const read = fits ? parseBound(feature, text) : { error: `“${text}” is not ${feature.wanted}.` };
  if (read.error !== undefined) throw new SpellingError(read.error + numberHint(feature, text));
  if (!canWrite(feature, read.value)) throw new SpellingError(`“${text}” is too large.`);
  return read.value + 0; // no -0
}

/** @param {ContinuousRecord} feature */
const isNumeric = ({ kind }) => kind === "number" || kind === "integer";

/**
 * How to write a number that was typed with words, a unit or a second comparison.
 * @param {ContinuousRecord} feature
 * @param {string} typed
 */
function numberHint(feature, typed) {
  const [digits] = /\d+(\.\d+)?/.exec(typed) ?? [];
  if (!digits || !isNumeric(feature)) return "";
  if (/[<>≤≥]/.test(typed)) return " Write “and” between two comparisons.";
  return /\p{L}/u.test(typed) ? ` Write ${digits}, < ${digits} or >= ${digits}, without words and units.` : "";
}

/**
 * @param {ContinuousRecord} feature
 * @param {string} operator
 * @param {number} value
 * @returns {Selected}
 */
function compared(feature, operator, value) {
  const at = { at: value, after: false };
  const above = { at: cutAbove(feature, value), after: true };
  switch (operator) {
    case "<":
      return { spans: [{ lower: BOTTOM, upper: at }], missing: null };
    case "<=":
      return { spans: [{ lower: BOTTOM, upper: above }], missing: null };
    case ">":
      return { spans: [{ lower: above, upper: TOP }], missing: null };
    case ">=":
      return { spans: [{ lower: at, upper: TOP }], missing: null };
    case "!=":
      return notOf({ spans: [{ lower: at, upper: above }], missing: false });
    default:
      return { spans: [{ lower: at, upper: above }], missing: false };
  }
}

/**
 * @param {Selected[]} parts
 * @returns {Selected}
 */
function anyOf(parts) {
  const spans = parts.flatMap((part) => part.spans).sort((a, b) => a.lower.at - b.lower.at);
  /** @type {Selected["spans"]} */
  const joined = [];
  for (const span of spans) {
    if (span.lower.at >= span.upper.at) continue;
    const last = joined[joined.length - 1];
    if (last && span.lower.at <= last.upper.at) {
      if (span.upper.at > last.upper.at) joined[joined.length - 1] = { lower: last.lower, upper: span.upper };
    } else joined.push(span);
  }
  const flags = parts.map((part) => part.missing);
  return { spans: joined, missing: flags.includes(true) ? true : flags.includes(null) ? null : false };
}

/**
 * @param {Selected} a
 * @param {Selected} b
 * @returns {Selected}
 */
function bothOf(a, b) {
  const spans = a.spans.flatMap((one) =>
    b.spans.map((other) => ({
      lower: one.lower.at >= other.lower.at ? one.lower : other.lower,
      upper: one.upper.at <= other.upper.at ? one.upper : other.upper,
    })),
  );
  const flags = [a.missing, b.missing];
  return anyOf([{ spans, missing: flags.includes(false) ? false : flags.includes(null) ? null : true }]);
}

/**
 * @param {Selected} selected
 * @returns {Selected}
 */
function notOf({ spans, missing }) {
  const ends = [BOTTOM, ...spans.flatMap(({ lower, upper }) => [lower, upper]), TOP];
  const rest = [];
  for (let i = 0; i < ends.length; i += 2) rest.push({ lower: ends[i], upper: ends[i + 1] });
  return anyOf([{ spans: rest, missing: missing === null ? null : !missing }]);
}

// --- writing

/**
 * The text of a condition, which parseCell reads back as the same condition.
 * @param {EditedFeature} feature
 * @param {Test | null} test
 */
export function cellText(feature, test) {
  if (!test) return "-";
  if (isCategory(feature)) return codesText(feature, test.codes ?? []);
  /** @param {number} value */
  const write = (value) => {
    const text = formatValue(feature, value);
    return isNumeric(feature) ? numberInFile(text, isPercentage(feature)) : text;
  };
  return (test.spans ?? []).map((span) => spanText(feature, span, write)).join(", ");
}

/**
 * A condition on a category as text.
 * @param {EditedFeature & CategoricalRecord} feature
 * @param {number[]} codes
 */
function codesText(feature, codes) {
  /** @param {number[]} listed */
  const write = (listed) => {
    const null_ = listed.includes(MISSING_CODE) ? ["null"] : [];
    const terms = termsOf(feature.encoded, listed);
    return [...null_, ...terms.map((term) => termCell(term, (value) => bareText(feature, value)))].join(", ");
  };
  const held = new Set(codes);
  if (!held.has(OTHER_CODE)) return write(codes);
  return `not(${write(feature.admitted.filter((code) => !held.has(code)))})`;
}

/**
 * A value of a category, in quotes if it would be read as something else.
 * @param {EditedFeature & CategoricalRecord} feature
 * @param {Encoded} value
 */
function bareText(feature, value) {
  if (typeof value !== "string") return feature.values[feature.encoded.indexOf(value) + FIRST_CODE];
  return readsBare(value) ? value : JSON.stringify(value);
}

/** @param {string} text */
const readsBare = (text) =>
  /^[\p{L}_][\p{L}\p{N}_ .%/+-]*$/u.test(text) && !/\.\.|\s$|^(null|missing|not|any|all|true|false)$/i.test(text);

/**
 * An interval as text.
 * @param {ContinuousRecord} feature
 * @param {Span} span
 * @param {(value: number) => string} write
 */
export function spanText(feature, { lower, upper }, write) {
  const open = upper === null;
  if (upper?.at === LOWEST) return "null";
  const hasLower = lower !== null && lower.at > LOWEST;
  if (!hasLower && open) return lower === null ? "-" : "not(null)";
  /** @param {SpanEnd} end */
  const shown = (end) => write(end.after ? valueBefore(feature, end.at) : end.at);
  if (hasLower && upper && isSingle(feature, lower.at, upper.at)) return write(lower.at);
  if (hasLower && upper) return `${lower.after ? "(" : "["}${shown(lower)}..${shown(upper)}${upper.after ? "]" : ")"}`;
  if (hasLower) return `${lower.after ? ">" : ">="} ${shown(lower)}`;
  const below = `${upper?.after ? "<=" : "<"} ${upper ? shown(upper) : ""}`;
  return lower === null && feature.missing ? `null, ${below}` : below;
}

/**
 * Whether only one value lies between two cuts.
 * @param {ContinuousRecord} feature
 * @param {number} low
 * @param {number} high
 */
export const isSingle = (feature, low, high) => cutAbove(feature, low) === high;

/**
 * The condition between cuts that were computed, written in the shorter way; null for none.
 * @param {EditedFeature} feature
 * @param {Condition | null} side
 * @returns {Test | null}
 */
export function testFrom(feature, side) {
  if (side === null) return null;
  if (isCategory(feature)) {
    const held = new Set(side);
    const codes = feature.admitted.filter((code) => held.has(code));
    return codes.length === feature.admitted.length ? null : { codes };
  }
  const [low, high] = side;
  const lower = low === null ? (feature.missing ? null : BOTTOM) : computedEnd(feature, low);
  const upper = high === null ? null : computedEnd(feature, high);
  if (upper === null && (lower === null || (lower.at === LOWEST && !feature.missing))) return null;
  return { spans: [{ lower, upper }] };
}

/**
 * @param {ContinuousRecord} feature
 * @param {number} at
 * @returns {SpanEnd}
 */
function computedEnd(feature, at) {
  if (at === LOWEST) return BOTTOM;
  const before = valueBefore(feature, at);
  return { at, after: !feature.step && String(before).length < String(at).length };
}

/**
 * The conditions of boxes on a feature, as the worker reads them: one per interval, or the codes.
 * @param {Test | null} test
 * @returns {Sides}
 */
export function sidesOfTest(test) {
  if (!test) return [null];
  if (test.codes) return [test.codes];
  return test.spans.map(({ lower, upper }) => [lower?.at ?? null, upper?.at ?? null]);
}
