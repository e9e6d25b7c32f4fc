// @ts-check
// Cells of a table: parses conditions in the notation of decision tables, and writes them.

import {
  checkEnds,
  checkPoints,
  checkSigns,
  isPercentage,
  meansAny,
  needsLocale,
  canWrite,
  numberInFile,
  respelled,
  SpellingError,
} from "./spellings.js";
import { cleaned, twoScripts } from "../values/characters.js";
import { cutAbove, FIRST_CODE, isCategory, LOWEST, MISSING_CODE, OTHER_CODE, valueBefore } from "../values/features.js";
import { classOf, codesWithin, readPrefix, shownValue, termCell, termsOf } from "../values/prefixes.js";
import { parseBound } from "../values/reading.js";
import { formatValue } from "../values/texts.js";

const SIGNS = new Map([
  ["≤", "<="],
  ["≥", ">="],
  ["≠", "!="],
  ["=<", "<="],
  ["=>", ">="],
  ["<>", "!="],
  ["==", "="],
]);

const OPERATOR = /^(<=|>=|=<|=>|<>|!=|==|[<>=≤≥≠])\s*/;

const CALL = /^(?:date and time|date|time|duration)\s*\(\s*("(?:[^"\\]|\\.)*")\s*\)$|^@("(?:[^"\\]|\\.)*")$/i;

/**
 * Parse the text of a cell: {test} (null for any value) with the values that the feature does not have yet, or
 * {error}.
 * @param {EditedFeature} feature
 * @param {string} text
 * @returns {ParsedCell}
 */
export function parseCell(feature, text) {
  const typed = cleaned(text).trim();
  if (meansAny(typed)) return { test: null };
  const mixed = twoScripts(typed);
  if (mixed) return { error: mixed };
  try {
    if (isCategory(feature)) return parseValues(feature, respelled(feature, typed) ?? typed);
    return parseSpelled(feature, typed);
  } catch (error) {
    if (error instanceof CellError || error instanceof SpellingError) return { error: error.message };
    throw error;
  }
}

/**
 * Parse a condition on a number in the notation of tables, or as people write it.
 * @param {EditedFeature & ContinuousRecord} feature
 * @param {string} typed
 */
function parseSpelled(feature, typed) {
  checkSigns(typed);
  // a range as people write it may include all of its last minute, unlike [08:00..17:59]
  const isSpoken = needsLocale(typed) || (feature.kind === "time" && /^\d.*[-–—]/.test(typed));
  const spoken = isSpoken ? respelled(feature, typed) : null;
  if (spoken !== null) return parseUnitary(feature, spoken, typed);
  try {
    return parseUnitary(feature, typed, typed);
  } catch (error) {
    const other = error instanceof CellError ? respelled(feature, typed) : null;
    if (other === null || other === typed) throw error;
    return parseUnitary(feature, other, typed);
  }
}

/**
 * @param {EditedFeature & ContinuousRecord} feature
 * @param {string} text
 * @param {string} typed
 */
function parseUnitary(feature, text, typed) {
  const parsed = parseNumbers(feature, text);
  if (isPercentage(feature) && !typed.includes("%") && /[1-9]/.test(text)) {
    throw new SpellingError(`${feature.name} is a percentage: write numbers with %.`);
  }
  checkPoints(text);
  if ("test" in parsed && parsed.test) checkEnds(feature, parsed.test);
  return parsed;
}

class CellError extends Error {}

/**
 * The parts of a list, separated by commas or line ends outside quotes and brackets.
 * @param {string} text
 */
function splitList(text) {
  const parts = [];
  let [depth, quoted, part] = [0, false, ""];
  for (let i = 0; i < text.length; i++) {
    const sign = text[i];
    if (quoted && sign === "\\") {
      part += sign + (text[++i] ?? "");
      continue;
    }
    if (sign === '"') quoted = !quoted;
    if (!quoted && sign === "(") depth += 1;
    if (!quoted && sign === ")") depth -= 1;
    if (!quoted && depth <= 0 && (sign === "," || sign === "\n")) {
      if (sign === "\n" && !part.trim()) continue; // a blank line, or a comma at the end of one
      if (sign === "," && /\d$/.test(part) && /^\d/.test(text.slice(i + 1))) {
        throw new CellError(`“${text}” is ambiguous: write a decimal point, or a space after the comma of a list.`);
      }
      parts.push(part.trim());
      part = "";
    } else part += sign;
  }
  if (quoted) throw new CellError("The closing quote is missing.");
  parts.push(part.trim());
  if (parts.some((each) => !each)) throw new CellError("A value is missing next to a comma.");
  return parts;
}

/**
 * The text inside not(…), or null.
 * @param {string} text
 */
function insideNot(text) {
  const match = /^not\s*\(([\s\S]*)\)$/.exec(text);
  return match && match[1].trim();
}

/**
 * A text without quotes.
 * @param {string} text
 */
function unquotedText(text) {
  if (!text.startsWith('"')) return text;
  try {
    return String(JSON.parse(text));
  } catch {
    throw new CellError(`The quotes of ${text} are not closed.`);
  }
}

// --- categories

/**
 * @param {EditedFeature & CategoricalRecord} feature
 * @param {string} typed
 * @returns {ParsedCell}
 */
function parseValues(feature, typed) {
  /** @type {Encoded[]} */
  const added = [];
  /** @param {string} list */
  const codesOf = (list) => splitList(list).flatMap((part) => codesOfPart(part));
  /** @param {string} part @returns {number[]} */
  const codesOfPart = (part) => {
    const inner = insideNot(part);
    if (inner !== null) return exceptCodes(feature, codesOf(inner), added.length);
    const [, sign = "="] = OPERATOR.exec(part) ?? [];
    const operator = SIGNS.get(sign) ?? sign;
    if (!["=", "!="].includes(operator)) {
      throw new CellError(`Values of ${feature.name} have no order: “${operator}” cannot compare them.`);
    }
    const value = part.replace(OPERATOR, "");
    const prefix = readPrefix(value);
    const left = prefix?.except ? codesOf(prefix.except) : [];
    const codes = prefix
      ? prefixCodes(feature, unquotedText(prefix.start), added).filter((code) => !left.includes(code))
      : [codeOf(feature, value, added)];
    return operator === "!=" ? exceptCodes(feature, codes, added.length) : codes;
  };
  codesOf(typed); // adds values, which prefixes before them contain, too
  const codes = [...new Set(codesOf(typed))].sort((a, b) => a - b);
  if (!codes.length) throw new CellError("No value is left.");
  const all = new Set(codes);
  if (!added.length && feature.admitted.every((code) => all.has(code))) return { test: null };
  return { test: { codes }, added };
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
  if (!codes.length) throw new CellError(`No value of ${feature.name} begins with “${prefix}”.`);
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
 * @param {string} part
 * @param {Encoded[]} added
 */
function codeOf(feature, part, added) {
  if (!part) throw new CellError("A value is missing.");
  if (/^(null|missing)$/i.test(part) && !feature.values.slice(2).includes(part)) {
    if (!feature.missing) throw new CellError(`${feature.name} is never missing.`);
    return MISSING_CODE;
  }
  const plain = unquotedText(part);
  const listed = [...feature.values.keys()].slice(2);
  const code =
    listed.find((each) => feature.values[each] === part) ??
    listed.find((each) => feature.encoded[each - 2] === plain) ??
    (part.startsWith('"') ? undefined : listed.find((each) => String(feature.encoded[each - 2]) === part)) ??
    listed.find((each) => feature.values[each].toLowerCase() === part.toLowerCase());
  if (code !== undefined) return code;
  if (!admitsCode(feature, classOf([...feature.encoded, ...added], plain))) {
    const known = listed.slice(0, 8).map((each) => feature.values[each]);
    throw new CellError(`“${plain}” is not one of the values (${known.join(", ")}${listed.length > 8 ? ", …" : ""}).`);
  }
  if (!part.startsWith('"') && /[()[\]{}<>=*]|\.\.|^[\d.+-]/.test(part)) {
    throw new CellError(`“${part}” is not a value; put it in quotes if it is one.`);
  }
  if (!added.includes(plain)) added.push(plain);
  return feature.values.length + added.indexOf(plain);
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
  const selected = anyOf(splitRanges(feature, typed));
  const spans = selected.spans.filter(({ lower, upper }) => isPossible(feature, lower.at, upper.at));
  const holdsMissing = selected.missing === true && feature.missing;
  if (!spans.length && !holdsMissing) {
    const onlyMissing = selected.missing === true && !selected.spans.length;
    throw new SpellingError(onlyMissing ? `${feature.name} is never missing.` : nothingText(feature));
  }
  return { test: testOf(feature, spans, holdsMissing) };
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
 * The tests of a list. A range contains no comma, so the list can be split first.
 * @param {ContinuousRecord} feature
 * @param {string} typed
 */
function splitRanges(feature, typed) {
  if (/^[[(\]]\s*[^,.]+\s*,\s*[^,.]+\s*[\])[]$/.test(typed)) {
    throw new CellError(`“${typed}” is not a range: write ${typed.replace(/\s*,\s*/, "..")}.`);
  }
  return splitList(typed).map((part) => selectedBy(feature, part));
}

/**
 * @param {ContinuousRecord} feature
 * @param {string} part
 * @returns {Selected}
 */
function selectedBy(feature, part) {
  const inner = insideNot(part);
  if (inner !== null) return notOf(anyOf(splitRanges(feature, inner)));
  if (/^(null|missing)$/i.test(part)) return { spans: [], missing: true };
  const either = part.split(/\s+or\s+(?=[<>=!≤≥≠])/);
  if (either.length > 1) return anyOf(either.map((each) => selectedBy(feature, each)));
  const joined = part.split(/\s+and\s+/i);
  if (joined.length > 1 && joined.every((each) => OPERATOR.test(each))) {
    return joined.map((each) => selectedBy(feature, each)).reduce(bothOf);
  }
  if (/\.\.\.|^(?:=<|=>|<>)/.test(part)) throw new CellError(`“${part}” is not ${feature.wanted}.`);
  const range = /^([[(\]])\s*(.+?)\s*\.\.\s*(.+?)\s*([\])[])$/.exec(part);
  if (range) return between(feature, range[2], /[(\]]/.test(range[1]), range[3], /[)[]/.test(range[4]));
  const [, sign = "="] = OPERATOR.exec(part) ?? [];
  return compared(feature, SIGNS.get(sign) ?? sign, boundOf(feature, part.replace(OPERATOR, "")));
}

/**
 * @param {ContinuousRecord} feature
 * @param {string} text
 */
function boundOf(feature, text) {
  const call = CALL.exec(text);
  const typed = call ? unquotedText(call[1] ?? call[2]) : text;
  if (!typed) throw new CellError("A value is missing after the comparison.");
  // other spellings of numbers, and text in quotes, are not those of decision tables
  const isOther = isNumeric(feature) ? !NUMBER.test(typed) : /^(?:"|\d{8})/.test(typed);
  const read = isOther ? { error: `“${typed}” is not ${feature.wanted}.` } : parseBound(feature, typed);
  if (read.error !== undefined) throw new CellError(read.error + numberHint(feature, typed));
  if (!canWrite(feature, read.value)) throw new CellError(`“${typed}” is too large.`);
  return read.value + 0; // no -0
}

/** A number in the notation of decision tables. */
const NUMBER = /^-?(?!0\d)(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?$/i;

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
 * @param {ContinuousRecord} feature
 * @param {string} low
 * @param {boolean} lowOpen
 * @param {string} high
 * @param {boolean} highOpen
 */
function between(feature, low, lowOpen, high, highOpen) {
  const [least, most] = [boundOf(feature, low), boundOf(feature, high)];
  if (least > most) throw new SpellingError(`The range is reversed: write ${high}..${low}.`);
  return bothOf(compared(feature, lowOpen ? ">" : ">=", least), compared(feature, highOpen ? "<" : "<=", most));
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
