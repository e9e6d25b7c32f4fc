// Values of features: read as people type them, written as irenic writes them, exact to the microsecond.

const LOWEST = -Number.MAX_VALUE; // where "not missing" begins
const EXACT = 2 ** 53; // up to here every whole number is a number of its own
const MISSING_CODE = 0;
const OTHER_CODE = 1;

const SECOND = 1_000_000n;
const DAY = 86_400n * SECOND;
const LONGEST = 1_000_000_000n * DAY; // durations end before this

const KEYWORDS = new Set(
  ("if and then default weight in not or is missing other anything nothing true false inf nan").split(" "),
);
const WORD = /^[\p{L}\p{Nl}\p{No}_](?:[\p{L}\p{N}_.%/+-]*[\p{L}\p{N}_%+])?$/u;
const DURATION = /^(-?)P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.(\d{1,6}))?S)?)?$/;
const MONTHS = /^(-?)P(?:(\d+)Y)?(?:(\d+)M)?$/;
const DATE = /^(\d{4})(-?)(\d{2})\2(\d{2})$/; // 2026-01-31 or 20260131
const TIME = /^(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,6}))?)?$/;
const ZONE = /(Z|[+-]\d{2}:\d{2})$/;

const isCategory = (feature) => feature.kind === "category";
const isSpan = (feature) => feature.kind === "duration" || feature.kind === "months";

// --- text to value

/** Read what someone typed: {value} (a number, null for missing, the code of a category), or {error}. */
function parseValue(feature, text) {
  const typed = String(text).trim();
  if (isCategory(feature)) return parseCategory(feature, typed);
  if (typed === "" || typed.toLowerCase() === "missing") {
    return feature.missing ? { value: null } : { error: "It is never missing: give a value." };
  }
  const found = READERS[feature.kind](feature, typed);
  if (found === null) return { error: `“${typed}” is not ${feature.wanted}.` };
  if (typeof found === "string") return { error: found };
  return isAdmitted(feature, found) ? { value: found } : { error: outsideText(feature, typed) };
}

const READERS = {
  number: readNumber,
  integer: readNumber,
  date: readMoment,
  datetime: readMoment,
  time: readTime,
  duration: readDuration,
  months: readMonths,
};

function parseCategory(feature, typed) {
  const codes = feature.admitted;
  // the texts of listed values are quoted only where they would be taken for something else
  let code = codes.find((each) => feature.values[each] === typed);
  code ??= codes.find((each) => each > OTHER_CODE && feature.values[each] === formatWord(typed));
  code ??= codes.find((each) => each > OTHER_CODE && feature.values[each] === unquoted(typed));
  if (code === undefined && typed === "") code = codes.find((each) => each === MISSING_CODE);
  else code ??= codes.find((each) => each === OTHER_CODE);
  if (code !== undefined) return { value: code };
  if (typed === "") return { error: "It is never missing: choose a value." };
  const some = feature.values.slice(2, 10).join(", ") + (feature.values.length > 10 ? ", …" : "");
  return { error: `“${typed}” is not among its values (${some}).` };
}

/** A text without the quotes that it has in notations of rules; null if it has none. */
function unquoted(typed) {
  if (!/^".*"$/s.test(typed)) return null;
  try {
    return JSON.parse(typed);
  } catch {
    return null;
  }
}

/** Whether a number, or null for missing, can occur. */
function isAdmitted(feature, value) {
  if (value === null) return feature.missing;
  return (feature.lowest ?? LOWEST) <= value && value < (feature.end ?? Infinity);
}

function outsideText(feature, typed) {
  const ends = [];
  const shown = (value) => formatValue(feature, value);
  if (feature.lowest !== null) ends.push(`at least ${shown(feature.lowest)}`);
  if (feature.end !== null) ends.push(`at most ${shown(valueBefore(feature, feature.end))}`);
  return `“${typed}” is outside what can occur: ${ends.join(" and ")}.`;
}

/** The greatest value below a cut. */
function valueBefore(feature, cut) {
  const below = nextDown(cut);
  return feature.step ? Math.min(below, cut - feature.step) : below;
}

/** The neighbouring number below. */
function nextDown(value) {
  if (value === 0) return -Number.MIN_VALUE;
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  view.setBigInt64(0, view.getBigInt64(0) + (value > 0 ? -1n : 1n));
  return view.getFloat64(0);
}

/** The number that a text says; null if it says none, a sentence if it says one that cannot be kept. */
function readNumber(feature, typed) {
  const plain = plainNumber(typed);
  if (plain === null) return null;
  if (plain === "?") return `“${typed}” can be read in two ways: write the number without thousands, with a point.`;
  const value = Number(plain);
  const whole = /^[+-]?\d+$/.test(plain);
  // compared as BigInt: 2**53 + 1 would round to 2**53
  const beyond = whole ? bigAbs(BigInt(plain.replace("+", ""))) > BigInt(EXACT) : Math.abs(value) > EXACT;
  if (!Number.isFinite(value)) return `“${typed}” is too large to be kept.`;
  if (beyond && (whole || feature.kind === "integer")) {
    return `“${typed}” is beyond 2**53, where whole numbers can no longer be told apart.`;
  }
  if (feature.kind === "integer" && !Number.isInteger(value)) return `“${typed}” is not a whole number.`;
  return value;
}

/** A number as people type it, with a point and without groups; "?" if 1,234 may be either; or null. */
function plainNumber(typed) {
  let text = typed.replace("−", "-").replace(/(?<=\d)[ \u00a0\u2009\u202f_'’](?=\d{3}(?!\d))/g, "");
  if (/^[+-]?[1-9]\d{0,2},\d{3}$/.test(text)) return "?";
  if (/^[+-]?\d{1,3}(,\d{3})+(\.\d*)?$/.test(text) && !text.startsWith("0,")) text = text.replaceAll(",", "");
  else if (/^[+-]?\d*,\d+$/.test(text)) text = text.replace(",", ".");
  return /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text) ? text : null;
}

const bigAbs = (value) => (value < 0n ? -value : value);

/** Microseconds as a number, if it keeps them exactly. */
function exactMicros(micros, typed) {
  const value = Number(micros);
  if (BigInt(value) === micros) return value;
  return `“${typed}” is too far away to be kept to the microsecond: round it to whole seconds.`;
}

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
  if (feature.unit !== "UTC") return `“${typed}” has a time zone: leave it out.`;
  const shift = zoneMicros(zone);
  return shift === null ? null : exactMicros(days * DAY + clock - shift, typed);
}

function zoneMicros(zone) {
  if (zone === "Z") return 0n;
  const clock = clockMicros(zone.slice(1));
  return zone[0] === "-" && clock !== null ? -clock : clock;
}

function readTime(feature, typed) {
  const clock = clockMicros(typed);
  return clock === null ? null : Number(clock);
}

/** Days from 1970-01-01, null if the calendar has no such day. */
function dayNumber(text) {
  const match = DATE.exec(text);
  if (!match) return null;
  const [year, month, day] = [match[1], match[3], match[4]].map(Number);
  const moment = new Date(0);
  moment.setUTCFullYear(year, month - 1, day); // Date.UTC would take the year 20 for 1920
  const same = moment.getUTCFullYear() === year && moment.getUTCMonth() === month - 1;
  if (year < 1 || !same || moment.getUTCDate() !== day) return null;
  return BigInt(moment.getTime()) / 86_400_000n;
}

/** Microseconds from midnight, null if no clock shows that. */
function clockMicros(text) {
  const match = TIME.exec(text);
  if (!match) return null;
  const [hours, minutes, seconds] = match.slice(1, 4).map((part) => Number(part ?? 0));
  if (hours > 23 || minutes > 59 || seconds > 59) return null;
  return BigInt((hours * 60 + minutes) * 60 + seconds) * SECOND + BigInt((match[4] ?? "").padEnd(6, "0"));
}

function readDuration(feature, typed) {
  const match = /[PT]$/.test(typed) ? null : DURATION.exec(typed);
  if (!match) return null;
  const [days, hours, minutes, seconds] = match.slice(2, 6).map((part) => BigInt(part ?? 0));
  const part = BigInt((match[6] ?? "").padEnd(6, "0"));
  const micros = days * DAY + ((hours * 60n + minutes) * 60n + seconds) * SECOND + part;
  if (micros >= LONGEST) return `“${typed}” is too long.`;
  return exactMicros(match[1] ? -micros : micros, typed);
}

function readMonths(feature, typed) {
  const match = /P$/.test(typed) ? null : MONTHS.exec(typed);
  if (!match) return null;
  const count = 12n * BigInt(match[2] ?? 0) + BigInt(match[3] ?? 0);
  if (count > BigInt(EXACT)) return `“${typed}” is too long.`;
  return Number(match[1] ? -count : count) + 0; // no -0
}

// --- value to text

/** The text of a value: what parseValue reads back as the same value. */
function formatValue(feature, value) {
  if (isCategory(feature)) return feature.values[value];
  if (value === null || value === -Infinity) return "missing";
  if (feature.kind === "number" || feature.kind === "integer" || !Number.isFinite(value)) return formatNumber(value);
  if (feature.kind === "months") return formatMonths(value);
  const micros = BigInt(Math.trunc(value));
  if (feature.kind === "duration") return formatDuration(micros);
  if (feature.kind === "time") return formatClock(micros);
  const days = (micros - ((micros % DAY) + DAY) % DAY) / DAY;
  const date = formatDay(days);
  return feature.kind === "date" ? date : `${date}T${formatClock(micros - days * DAY)}`;
}

/** The shortest text that reads back as the same number, with an exponent where Python has one. */
function formatNumber(value) {
  if (!Number.isFinite(value)) return value < 0 ? "-inf" : "inf";
  if (Object.is(value, -0)) return "-0";
  const [mantissa, power] = value.toExponential().split("e");
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 16) return fixedNumber(mantissa, exponent);
  const size = String(Math.abs(exponent)).padStart(2, "0");
  return `${mantissa}e${exponent < 0 ? "-" : "+"}${size}`;
}

function fixedNumber(mantissa, exponent) {
  const sign = mantissa.startsWith("-") ? "-" : "";
  const digits = mantissa.replace(/[-.]/g, "");
  if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, "0");
  const rest = digits.slice(exponent + 1);
  return `${sign}${whole}${rest ? `.${rest}` : ""}`;
}

const twoDigits = (value) => String(value).padStart(2, "0");

function formatDay(days) {
  const moment = new Date(Number(days) * 86_400_000);
  const year = String(moment.getUTCFullYear()).padStart(4, "0");
  return `${year}-${twoDigits(moment.getUTCMonth() + 1)}-${twoDigits(moment.getUTCDate())}`;
}

function formatClock(micros) {
  const seconds = Number(micros / SECOND);
  const part = Number(micros % SECOND);
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return parts.map(twoDigits).join(":") + (part ? `.${String(part).padStart(6, "0")}` : "");
}

function formatDuration(micros) {
  if (micros < 0n) return `-${formatDuration(-micros)}`;
  const { days, hours, minutes, seconds, part } = durationParts(micros);
  const date = days ? `${days}D` : "";
  let time = (hours ? `${hours}H` : "") + (minutes ? `${minutes}M` : "");
  if (part) time += `${seconds}.${String(part).padStart(6, "0")}S`;
  else if (seconds || !(date || time)) time += `${seconds}S`;
  return `P${date}${time ? `T${time}` : ""}`;
}

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

function formatMonths(count) {
  const [years, months] = [Math.floor(Math.abs(count) / 12), Math.abs(count) % 12];
  const parts = (years ? `${years}Y` : "") + (months || !years ? `${months}M` : "");
  return `${count < 0 ? "-" : ""}P${parts}`;
}

/** A text bare where it reads as one word, else in quotes: how names stand in conditions. */
function formatWord(text) {
  const bare = WORD.test(text) && !KEYWORDS.has(text.toLowerCase()) && !isDuration(text);
  if (bare) return text;
  const escaped = (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(text).replace(/[\x7f-\x9f\u2028\u2029]/g, escaped);
}

function isDuration(text) {
  return !/(^|[PT])$/.test(text) && (DURATION.test(text) || MONTHS.test(text));
}

// --- axes

/** A short text for the axis of a drawing: rounded, and in plain units. */
function formatTick(feature, value) {
  if (isCategory(feature) || value === null) return formatValue(feature, value);
  if (feature.kind === "number" || feature.kind === "integer") return formatShort(value);
  if (feature.kind === "months") return formatParts(value, [[12, "y"], [1, "mo"]]);
  if (feature.kind === "duration") return formatParts(value / 1e6, [[86_400, "d"], [3600, "h"], [60, "min"], [1, "s"]]);
  const text = formatValue(feature, value);
  if (feature.kind === "datetime" && text.endsWith("T00:00:00")) return text.slice(0, 10);
  return text.replace("T", " ").replace(/(:\d\d):00$/, "$1");
}

function formatShort(value) {
  const rounded = Number(value.toPrecision(12)); // 0.1 + 0.2 is 0.3 here
  const text = formatNumber(rounded);
  if (text.includes("e") || Math.abs(rounded) < 10_000) return text.replace("-", "−");
  const [whole, part] = text.replace("-", "−").split(".");
  return whole.replace(/(?<=\d)(?=(\d{3})+$)/g, ",") + (part ? `.${part}` : "");
}

/** A number of units as its two largest parts: 1 d 2 h. */
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
  return (value < 0 ? "−" : "") + (parts.join(" ") || `0 ${units.at(-1)[1]}`);
}

const NICE_SECONDS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200];
const NICE_DAYS = [1, 2, 7, 14];
const NICE_MONTHS = [1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 2400, 6000, 12_000];

/** Some n round values from low to high, for the axis of a drawing. */
function niceTicks(feature, low, high, n = 6) {
  const parts = Math.max(1, n);
  const span = high / parts - low / parts; // high - low may be beyond all numbers
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

const niceOf = (steps, span) => steps.find((step) => step >= span) ?? steps.at(-1);

/** The least of 1, 2, 5, 10, 20, … that is not below a span. */
function niceStep(span) {
  const power = 10 ** Math.floor(Math.log10(span));
  return power * ([1, 2, 5].find((factor) => factor * power >= span * 0.999999) ?? 10);
}

function multiples(step, low, high) {
  if (!(step > 0)) return [low]; // less than the least number
  const ticks = [];
  const first = Math.ceil(low / step);
  for (let k = first; k * step <= high && ticks.length < 100; k++) {
    ticks.push(Number((k * step).toPrecision(15)) + 0);
    if (k + 1 === k) break; // beyond 2**53
  }
  return ticks;
}

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

/** How far a number is from one to another, from 0 to 1. */
function shareBetween(number, low, high) {
  if (number <= low) return 0;
  if (number >= high) return 1;
  // the whole range of numbers is wider than the greatest number, but the least number cannot be halved
  const part = Number.isFinite(high - low) ? 1 : 2;
  return (number / part - low / part) / (high / part - low / part);
}
