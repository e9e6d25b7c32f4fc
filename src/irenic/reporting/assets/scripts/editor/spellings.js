// @ts-check
// Cells as people write them: `under 18`, `5 kg`, `> 3 < 5`, `nurse or clerk`. They mean what files with them mean
// (irenic.formats.sheets._spellings); a test compares the two.

import { daysMeant, listedWords, MONTH, monthNumber } from "./sequences.js";
import { summary } from "../summary.js";
import { isCategory } from "../values/features.js";

/** Words that compare, by operator. A test keeps these tables equal to those of Python. @type {Record<string, string>} */
const WORDS = {
  "<":
    "(?:(?:up to|bis) )?(?:under|unter|below)|before|prior to" +
    "|(?:less|fewer|lower|smaller|younger|earlier) than" +
    "|vor(?: dem)?|(?:weniger|kleiner|jünger|niedriger|früher) als|moins de|avant(?: le)?" +
    "|inférieure? à|(?:en|au)[- ]dessous de|unterhalb(?: von)?" +
    "|por debajo de|menos de|menor(?:es)? (?:de|que)|antes del?|inferior a|onder|minder dan" +
    "|jonger dan|kleiner dan|lager dan",
  ">":
    "over|above|after|(?:more|greater|higher|larger|bigger|older|later) than" +
    "|über|nach(?: dem)?|(?:mehr|größer|älter|höher|später) als|plus de|après(?: le)?" +
    "|supérieure? à|au[- ]dessus de|au[- ]delà de|oberhalb(?: von)?" +
    "|por encima de|más de|mayor(?:es)? (?:de|que)|después del?|superior a|boven|meer dan" +
    "|ouder dan|groter dan|hoger dan",
  ">=":
    "at least|from|since|starting (?:at|from)|min(?:imum|\\.)?|(?:not|no) less than" +
    "|(?:on or after|on/after|after or on)|ab(?: dem)?|seit(?: dem)?|mindestens|à partir d[eu]" +
    "|depuis(?: le)?|dès|au moins|(?:a partir|desde) (?:del?|el)|desde|al menos|como mínimo" +
    "|mínimo|vanaf|minstens|minimaal|ten minste",
  "<=":
    "at most|(?:the )?first|up to(?: and including)?|max(?:imum|\\.)?|(?:not|no) more than" +
    "|(?:on or before|on/before|before or on)|höchstens|maximal" +
    "|bis(?: zum?| zur| einschließlich| einschl\\.?| inkl\\.?)?" +
    "|jusqu['’](?:à|au)|au plus|hasta(?: el)?|como máximo|máximo" +
    "|tot en met|t/m|hoogstens|maximaal|ten hoogste",
};

/** @type {Record<string, string>} */
const UNITS = {
  years: "years?(?:\\s+old)?|yrs?\\.?|jahren?|jahr|j\\.|ans?|años?|jaar|jaren",
  months: "months?|monaten?|monat|mois|mes(?:es)?|maand(?:en)?",
  weeks: "weeks?|wks?|wochen?|semaines?|semanas?|week|weken",
  days: "days?|tagen?|tag|jours?|días?|dag|dagen",
  hours: "hours?|hrs?\\.?|h|stunden?|std\\.?|heures?|horas?|uur|uren|o'clock",
  times: "times?|mal|fois|veces",
  minutes: "minutes?|mins?\\.?|minuten?|minutos?",
  "km/h": "km/h|kmh|kph",
  mph: "mph",
  kg: "kg|kilos?",
  g: "g|grams?|gr",
  t: "t(?!/m)|tons?|tonnen?",
  lb: "lbs?|pounds?",
  oz: "oz",
  km: "km",
  m: "(?<=\\s)m|meters?|metres?",
  cm: "cm",
  mm: "mm",
  miles: "mi|miles?",
  "m²": "m²|m2|qm|sqm",
  l: "l|liters?|litres?|liter",
  ml: "ml",
  "°C": "°\\s?c",
  "°F": "°\\s?f",
  kWh: "kwh",
  kW: "kw",
  pieces: "pieces?|pcs?\\.?|items?|units?|stück|stk\\.?|pièces?|piezas?|stuks?",
  persons: "persons?|people|personen?|personnes?|personas?|employees?|mitarbeiter",
  points: "points?|pts?\\.?|punkten?|punkt|puntos?",
};

const MORE =
  "(?:more|over|above|older|up|upwards?|higher|greater|later|after|mehr|älter|darüber|höher|plus" +
  "|más|mayores|superior|meer|ouder|hoger)";

const LESS =
  "(?:less|under|below|younger|lower|fewer|earlier|before|weniger|jünger|darunter|moins|menos" +
  "|menores|inferior|minder|jonger|lager)";

const EXCEPT =
  "(?:not|except|excluding|other than|(?:all|any|anything|everything) (?:but|except)|nicht" +
  "|(?:(?:alle|alles|tous|toutes|tout|todos|todas|todo) )?" +
  "(?:außer|ausser|sauf|excepté|excepto|salvo|menos))\\s+(.+)";

const LETTER = "[\\p{L}\\p{N}_]";
const MONEY = "(?:[$€£¥]|(?:EUR|USD|GBP|CHF|Euro)(?![A-Za-z]))";
const DIGIT_GROUPS = "(?:\\d{1,3}(?:[ \\u00a0\\u202f'’]\\d{3})+(?:[.,]\\d+)?|\\d+(?:[.,]\\d+)*|[.,]\\d+)";
const SCALE = `(?:k|tsd\\.?|mio\\.?|mn|million(?:s|en|es)?|bn|mrd\\.?)(?![\\p{L}\\p{N}_²])`;
const UNIT_WORD = `(?:${Object.values(UNITS).join("|")})(?![\\p{L}\\p{N}_²])`;
const AMOUNT_VALUE =
  `(?:[-−]\\s?)?(?:${MONEY}\\s?)?[-−]?${DIGIT_GROUPS}` +
  `(?:\\s?%|\\s?${MONEY}|\\s?${SCALE}(?:\\s?${MONEY})?|\\s?${UNIT_WORD})?`;
const NAMED_DATE = `\\d{1,2}\\.?[\\s-]?${MONTH}[\\s-]\\d{4}`;
const DATE_VALUE = `(?:\\d{4}-\\d\\d-\\d\\d|\\d{1,2}\\.\\d{1,2}\\.\\d{4}|\\d{1,2}/\\d{1,2}/\\d{4}|${NAMED_DATE})`;
const TIME_VALUE = "(?:\\d{1,2}(?:[:.]\\d\\d)?\\s?(?:[ap]\\.?m\\.?|uhr)|\\d{1,2}:\\d\\d(?::\\d\\d)?)";

/** What values look like, by the kind of their feature. @type {Partial<Record<ContinuousRecord["kind"], string>>} */
const VALUES = {
  number: AMOUNT_VALUE,
  integer: AMOUNT_VALUE,
  date: DATE_VALUE,
  datetime: DATE_VALUE,
  time: TIME_VALUE,
};

/** @type {Record<string, number>} */
const POWERS = { k: 3, tsd: 3, mn: 6, mio: 6, million: 6, bn: 9, mrd: 9 };

/** @type {Record<string, string>} */
const OPERATORS = { "=<": "<=", "≤": "<=", "=>": ">=", "≥": ">=", "<>": "!=", "≠": "!=", "==": "=" };

/** @type {Record<string, string>} */
const FLIPPED = { "<": ">", "<=": ">=", ">": "<", ">=": "<=" };

const CURRENCIES = new Map([
  ["EUR", "€"],
  ["EURO", "€"],
  ["USD", "$"],
  ["GBP", "£"],
]);

const ANY_WORDS = new Set([
  ...["any", "all", "anything", "everything", "whatever", "any value", "all values", "don't care", "alle", "beliebig"],
  ...["egal", "tous", "toutes", "quelconque", "todos", "todas", "cualquiera"],
]);

/**
 * Whether a text accepts any value.
 * @param {string} text
 */
export const meansAny = (text) =>
  /^[-–—*]?$/.test(text) || ANY_WORDS.has(text.toLowerCase().replace("’", "'").split(/\s+/).join(" "));

/** How the file writes numbers and dates; a table that was not read from text has neither. */
const decimal = summary.reading?.decimal ?? "";
const isComma = decimal === ",";
const dayFirst = summary.reading?.day_first ?? null;

/** Why a spelling has no single meaning. */
export class SpellingError extends Error {}

/** @param {string} source */
const whole = (source) => new RegExp(`^(?:${source})$`, "isu");

/**
 * A cell in the notation of decision tables; null if it has no other spelling.
 * @param {EditedFeature} feature
 * @param {string} text
 * @returns {string | null}
 */
export function respelled(feature, text) {
  if (/\s{50}/.test(text)) return null; // patterns would try all ways to split the blanks
  return isCategory(feature) ? respelledValues(feature, text) : respelledNumbers(feature, text);
}

// --- categories

const VALUE_LIST = /\s*(?:,\s*)?(?<=[\s,])(?:or|OR|oder|ODER|ou|OU)\s+|\s*[;|]\s*/u;

/**
 * @param {EditedFeature & CategoricalRecord} feature
 * @param {string} text
 */
function respelledValues(feature, text) {
  const isKnown = isKnownIn(feature);
  if (isKnown(text) || text.includes('"')) return null;
  const curly = /^[“”„«»‘’‚']([^“”„«»‘’‚']*)[“”«»‘’']$/u.exec(text);
  if (curly) return JSON.stringify(curly[1]);
  if (/^![^=]/.test(text)) return `!= ${text.slice(1).trim()}`;
  const [, excluded] = whole(EXCEPT).exec(text) ?? [];
  if (excluded !== undefined && !/^not\s*\(/i.test(text)) {
    if (isKnown(excluded)) return `not(${excluded})`;
    throw new SpellingError(`“${text}” is ambiguous: write not(a, b), or put it in quotes if it is a value.`);
  }
  const words = wordsIn(feature, text);
  if (words !== null) return words;
  const inner = insideLoudNot(text);
  if (inner !== null) return `not(${inner})`;
  const listed = text.replace(/^(?:either|one of)\s+/i, "");
  const parts = listed.split(VALUE_LIST);
  if ((parts.length > 1 || listed !== text) && parts.every(Boolean)) {
    if (!whole(`${MORE}|${LESS}|better|worse`).test(parts[parts.length - 1])) return parts.join(", ");
    throw new SpellingError(`“${text}” is ambiguous: list the values, or put it in quotes if it is one.`);
  }
  const ends = text.split(/\s*[-–—/]\s*|\s+(?:to|bis)\s+/u);
  if (ends.length > 1 && ends.every(isKnown)) {
    throw new SpellingError(`“${text}” is ambiguous: list the values, or put it in quotes if it is one.`);
  }
  return null;
}

/**
 * A list in which ranges and sets of days, months or quarters are written one by one; null if it has none.
 * @param {EditedFeature & CategoricalRecord} feature
 * @param {string} text
 * @returns {string | null}
 */
function wordsIn(feature, text) {
  const isKnown = isKnownIn(feature);
  /** @param {string} message */
  const fail = (message) => new SpellingError(message);
  const inner = /^not\s*\((.*)\)$/is.exec(text);
  if (inner) return prefixed(wordsIn(feature, inner[1]));
  const values = feature.values.slice(2);
  /** @param {string} part */
  const item = (part) => (isKnown(part) ? null : (listedWords(part, fail) ?? daysMeant(part, values, fail)));
  const single = item(text.trim());
  if (single) return single.join(", ");
  const parts = text.split(VALUE_LIST).flatMap((part) => part.split(/\s*,\s*/));
  const lists = parts.map((part) => item(part.trim()));
  return lists.some(Boolean) ? parts.map((part, k) => lists[k]?.join(", ") ?? part).join(", ") : null;
}

/**
 * Whether a text is a value of a category.
 * @param {EditedFeature & CategoricalRecord} feature
 * @returns {(text: string) => boolean}
 */
const isKnownIn = (feature) => {
  const known = new Set([...feature.values.slice(2), ...feature.encoded.map(String)].map((each) => each.toLowerCase()));
  return (text) => known.has(text.trim().toLowerCase());
};

// --- numbers, dates and times

/** An amount in parentheses, which is negative, alone or in a part of a cell; those of not(…) are its own. */
const NEGATIVE = new RegExp(
  `(?:^|(?<=[<>=≤≥\\s(\\[,;|.–—-]))(?<!in\\s)\\(\\s*((?:${MONEY}\\s?)?${DIGIT_GROUPS}(?:\\s?%|\\s?${MONEY})?)\\s*\\)`,
  "giu",
);

/**
 * The text inside NOT(…) or Not(…), which means not(…); null if there is none.
 * @param {string} text
 */
const insideLoudNot = (text) => (/^not/.test(text) ? null : (/^not\s*\((.*)\)$/is.exec(text)?.[1] ?? null));

/** @param {string} text */
const withCall = (text) => text.replace(/^\s*not\s*\((.*)\)\s*$/is, "not($1)");

/**
 * Full-width digits and signs, which people type with some keyboards, as the usual ones.
 * @param {string} text
 */
const halfWidth = (text) =>
  text.replace(/[\uff01-\uff5e]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) - 0xfee0));

/**
 * Whether a cell that can be parsed has another meaning where numbers are written as in the file.
 * @param {string} text
 */
export function needsLocale(text) {
  if (/\d[.,][-–—](?!\d)/.test(text) || halfWidth(text) !== text) return true;
  if (withCall(text).replace(NEGATIVE, "") !== withCall(text)) return true;
  return isComma && /\d[.,]\d|\d[,;]\d|(?<!\d)[.,]\d/.test(text);
}

/**
 * @param {ContinuousRecord} feature
 * @param {string} text
 */
function respelledNumbers(feature, text) {
  const value = VALUES[feature.kind];
  if (!value) return null;
  const plain = withCall(halfWidth(text).trim());
  // with a sign that joins no range, unlike a hyphen: 3 (5) is not 3-5
  const negated = plain.replace(NEGATIVE, "−$1");
  const list = asTest(spellerOf(feature, value), negated) ?? prefixed(insideLoudNot(text));
  const found = negated === plain ? list : (list ?? negated).replaceAll("−", "-");
  if (found === null) return null;
  if (feature.kind === "time") return toTheMinute(feature, found);
  if (!isAmountKind(feature)) return found;
  checkAlike(plain);
  return toTheCent(feature, found);
}

/**
 * @param {ReturnType<typeof spellerOf>} speller
 * @param {string} text
 */
function asTest(speller, text) {
  const plain = text.replace(/([<>])\s+(?==)/g, "$1").replace(/(?<=\d)[.,][-–—](?!\d)/g, "");
  const inner = /^not\s*\((.*)\)$/is.exec(plain);
  if (inner) return prefixed(speller.list(inner[1]));
  const [, excluded] = whole(EXCEPT).exec(plain) ?? [];
  if (excluded === undefined || speller.isOrder(plain)) return speller.list(plain);
  if (/[,;\n|]|(?<![\p{L}\p{N}_])(?:or|oder|nor|and|und)(?![\p{L}\p{N}_])/u.test(excluded)) {
    throw new SpellingError(`“${text}” is ambiguous: write not(a, b) for every value except a and b.`);
  }
  return prefixed(speller.item(excluded.trim()) ?? excluded.trim());
}

/** @param {string | null} list */
const prefixed = (list) => (list === null ? null : `not(${list})`);

/** @type {Map<string, ReturnType<typeof newPatterns>>} */
const PATTERNS = new Map(); // a paste may have thousands of cells

/** @param {string} value the pattern of one value */
function patternsOf(value) {
  const known = PATTERNS.get(value) ?? newPatterns(value);
  PATTERNS.set(value, known);
  return known;
}

/** @param {string} value the pattern of one value */
function newPatterns(value) {
  const order = `(?:<=|>=|=<|=>|<>|!=|==|[<>=≤≥≠]|(?:${Object.values(WORDS).join("|")})(?=\\s))`;
  const sign = "(<=|>=|=<|=>|[<>≤≥])";
  /** A pattern in which V is a value, a blank may be any number of them, and ‹…› are words. @param {string} source */
  const pattern = (source) =>
    whole(
      source
        .replaceAll(" ", "\\s*")
        .replaceAll("‹", `(?<!${LETTER})(?:`)
        .replaceAll("›", `)(?!${LETTER})`)
        .replaceAll("V", `(${value})`),
    );
  const orAnd = "(?:&|or|and|oder|und|ou|et|o|y|of|en)";
  return {
    value: pattern("V"),
    between: pattern(
      "(?:between\\s+V\\s+and|from\\s+V\\s+(?:to|-|–)|zwischen\\s+V\\s+und|von\\s+V\\s+bis|entre\\s+V\\s+(?:et|y)" +
        "|d[eu]l?\\s+V\\s+(?:à|a|au|al)|del\\s+V\\s+al|van\\s+V\\s+(?:t/m|tot en met)|tussen\\s+V\\s+en)\\s+V",
    ),
    range: pattern("V (?:-|–|—|~|‹to|bis|à|a|t/m|tot en met›|\\.\\.\\.?) V"),
    below: pattern("(?:von\\s+|from\\s+)?V (?:-|–|—|‹to|bis›) (?:‹under|unter|below›|<) V"),
    open: pattern("V \\.\\.\\.?|\\.\\.\\.? V"),
    brackets: pattern("([\\[(\\]]) V (?:-|–|—|;|‹to›|\\.\\.\\.?) V ([\\])\\[])"),
    chain: pattern(`V ${sign} (\\S.*?) ${sign} V`),
    twice: pattern(`(${order} V) (,?) (${order} V)`),
    compared: pattern(`(${order}) V`),
    up: pattern(`V (?:(?:${orAnd} )?\\+|${orAnd}\\s+${MORE})(?: ${UNIT_WORD})?`),
    down: pattern(`V ${orAnd}\\s+${LESS}(?: ${UNIT_WORD})?`),
    nameFirst: pattern(`(\\p{L}.*?) (${order}) V`),
    nameLast: pattern(`V ${sign} (\\p{L}.*?)`),
  };
}

const JOINT = new RegExp(
  `\\s*(?:(?<!${LETTER})(?:and|but|und|et|y)(?!${LETTER})|&&?)\\s*(?=[<>=≤≥!]|\\p{L})|(?<=\\d)\\s*(?=[<>≤≥])`,
  "iu",
);

/**
 * What respells the parts of a cell.
 * @param {ContinuousRecord} feature
 * @param {string} value the pattern of one value
 */
function spellerOf(feature, value) {
  const patterns = patternsOf(value);
  const alternative = /(?:,\s*)?(?<=[\s,])(?:or|OR|oder|ODER|ou|OU)\s+|[;|\n\r]+|,\s+|,(?!\d)|,(?=\d{4}-)/u;
  const name = feature.name.toLowerCase().split(/\s+/).join(" ");
  const names = new Set(["x", "value", "it", "?", name, name.replace(/\s*[([].*/, "")]);
  /** @param {string} typed */
  const isColumn = (typed) => names.has(typed.toLowerCase().trim().split(/\s+/).join(" "));
  /** @param {string} typed */
  const read = (typed) => spelledValue(feature, typed.trim());

  /**
   * The operator and the value of a comparison.
   * @param {string} text
   * @returns {[string, string] | null}
   */
  const compared = (text) => {
    let match = patterns.compared.exec(text);
    if (match) return [signOf(match[1]), match[2]];
    if ((match = patterns.up.exec(text))) return [">=", match[1]];
    if ((match = patterns.down.exec(text))) return ["<=", match[1]];
    if ((match = patterns.nameFirst.exec(text)) && isColumn(match[1])) return [signOf(match[2]), match[3]];
    if ((match = patterns.nameLast.exec(text)) && isColumn(match[3])) return [FLIPPED[signOf(match[2])], match[1]];
    return null;
  };

  /** @param {string} opening @param {string} low @param {string} high @param {string} closing */
  const range = (opening, low, high, closing) => {
    if (feature.kind === "time") return timeRange(opening, low.trim(), high.trim(), closing);
    const units = [low, high].map((end) => unitOf(end));
    if (units[0] && units[1] && units[0] !== units[1]) {
      throw new SpellingError(`“${low.trim()}” and “${high.trim()}” have different units: write both in one.`);
    }
    const start = high.includes("%") && !low.includes("%") ? `${low.trim()}%` : low;
    const [a, b] = [read(start), read(high)];
    if (isAmountKind(feature) && Number(a) > Number(b)) {
      throw new SpellingError(`The range is reversed: write ${high.trim()}..${low.trim()}.`);
    }
    return `${opening}${a}..${b}${closing}`;
  };

  /** @param {[string, string] | null} one @param {[string, string] | null} other */
  const both = (one, other) => {
    if (!one || !other) return null;
    const [low, high] = one[0].startsWith("<") ? [other, one] : [one, other];
    if (!low[0].startsWith(">") || !high[0].startsWith("<")) return null;
    return range(low[0] === ">=" ? "[" : "(", low[1], high[1], high[0] === "<=" ? "]" : ")");
  };

  /** @param {string} text @returns {string | null} */
  const item = (text) => {
    let match = patterns.value.exec(text);
    if (match) return read(text);
    if (isAmountKind(feature) && /^\d{1,2}[./-]\d{1,2}[./-]\d{4}$/.test(text)) return null; // looks like a date
    if ((match = patterns.between.exec(text))) {
      const [low, high] = match.slice(1).filter(Boolean);
      return range("[", low, high, "]");
    }
    if ((match = patterns.range.exec(text))) {
      if (scaleOf(match[2]) && !scaleOf(match[1])) {
        throw new SpellingError(`“${text}” is ambiguous: write the numbers in full.`);
      }
      return range("[", match[1], match[2], "]");
    }
    if ((match = patterns.below.exec(text))) return range("[", match[1], match[2], ")");
    if ((match = patterns.open.exec(text))) return match[1] ? `>= ${read(match[1])}` : `<= ${read(match[2])}`;
    if ((match = patterns.brackets.exec(text))) return range(match[1], match[2], match[3], match[4]);
    if ((match = patterns.chain.exec(text)) && isColumn(match[3])) {
      return both([FLIPPED[signOf(match[2])], match[1]], [signOf(match[4]), match[5]]);
    }
    match = patterns.twice.exec(text);
    // a comma between signs means "or", however their values are written
    const isList = match?.[3] && [match[1], match[4]].every((each) => /^[<>=!≤≥≠]/.test(each));
    const parts = match ? [match[1], match[4]] : text.split(JOINT);
    if (isList) return null;
    const joined = parts.length === 2 ? both(compared(parts[0].trim()), compared(parts[1].trim())) : null;
    if (joined !== null) return joined;
    const comparison = compared(text);
    return comparison && `${comparison[0]} ${read(comparison[1])}`;
  };

  /** @param {string} text */
  const list = (text) => {
    const sides = text.split(/\s(?:or|oder|ou|o)\s/i).map((side) => side.trim());
    const comparisons = sides.length === 2 && sides.every((side) => patterns.compared.test(side));
    const single = comparisons ? null : item(text.trim());
    if (single !== null) return single;
    const parts = comparisons ? sides : splitOutside(text, alternative).map((part) => part.trim());
    if (parts.length < 2 || parts.includes("")) return null;
    if (parts.some((part) => whole(EXCEPT).test(part))) return null;
    return parts.map((part) => item(part) ?? part).join(", ");
  };
  return { list, item, isOrder: (/** @type {string} */ text) => patterns.compared.test(text) };
}

/**
 * The parts of a list, none if a separator is in brackets.
 * @param {string} text
 * @param {RegExp} separator
 */
function splitOutside(text, separator) {
  const isInside = (text.match(/[[(][^[\]()]*[\])[]/g) ?? []).some((part) => /[;|]|(?<!\d),|,(?!\d)/.test(part));
  return isInside ? [] : text.replace(/^(?:either|one of)\s+/i, "").split(separator);
}

/** @param {ContinuousRecord} feature */
const isAmountKind = ({ kind }) => kind === "number" || kind === "integer";

/** @param {string} written */
function signOf(written) {
  if (/^[<>=!≤≥≠]/.test(written)) return OPERATORS[written] ?? written;
  const plain = written.trim().split(/\s+/).join(" ");
  return Object.keys(WORDS).find((sign) => whole(WORDS[sign]).test(plain)) ?? "=";
}

/**
 * A number, date or time in the notation of decision tables.
 * @param {ContinuousRecord} feature
 * @param {string} typed
 */
function spelledValue(feature, typed) {
  if (feature.kind === "time") return timeText(typed);
  return isAmountKind(feature) ? plainAmount(feature, typed) : dateText(typed);
}

const PARTS = whole(
  `(?<sign>[-−])?\\s?(?<money>${MONEY}\\s?)?(?<after>[-−])?(?<digits>${DIGIT_GROUPS})` +
    `(?:\\s?(?<unit>%|${MONEY})|\\s?(?<scale>${SCALE})\\s?(?<coin>${MONEY})?|\\s?(?<word>${UNIT_WORD}))?`,
);

/** @param {string} typed */
const scaleOf = (typed) => PARTS.exec(typed.trim())?.groups?.scale ?? "";

/**
 * The unit of an amount, empty for none.
 * @param {string} typed
 */
export function unitOf(typed) {
  const { money, unit, coin, word } = PARTS.exec(typed.trim())?.groups ?? {};
  const symbol = (money ?? coin ?? unit ?? "").trim().toUpperCase();
  return word ? unitNamed(word) : (CURRENCIES.get(symbol) ?? symbol);
}

/**
 * The name of a unit, however it is written.
 * @param {string} word
 */
function unitNamed(word) {
  const plain = word.trim();
  const names = Object.keys(UNITS);
  return names.find((name) => whole(UNITS[name].replace("(?<=\\s)", "")).test(plain)) ?? plain;
}

/**
 * @param {ContinuousRecord} feature
 * @param {string} typed
 * @returns {string}
 */
function plainAmount(feature, typed) {
  const unit = unitOf(typed);
  const percentages = isPercentage(feature);
  if (unit && (unit === "%") !== percentages && (unit === "%" || !feature.unit)) {
    throw new SpellingError(percentageText(feature, typed, unit));
  }
  if (
    unit &&
    unit !== "%" &&
    feature.unit &&
    unit !== (CURRENCIES.get(feature.unit.toUpperCase()) ?? unitNamed(feature.unit))
  ) {
    throw new SpellingError(`“${typed}” is in ${unit}, but ${feature.name} is in ${feature.unit}.`);
  }
  if (unit === "months" && !feature.unit) {
    throw new SpellingError(`“${typed}” is in months, but ${feature.name} has no unit: write the number alone.`);
  }
  return unitlessText(typed);
}

/**
 * A number as people write it, with a decimal point and without a unit: 10% is 0.1.
 * @param {string} typed
 * @param {string} [sign] its decimal separator, empty if it is not known
 */
export function unitlessText(typed, sign = decimal) {
  const { sign: before, after, digits = "", scale, money, unit, coin, word } = PARTS.exec(typed)?.groups ?? {};
  const currency = money ?? coin ?? (unit === "%" ? undefined : unit);
  if (currency && (word || unit === "%" || (money && (coin || unit)))) {
    throw new SpellingError(`“${typed}” has two units: write one.`);
  }
  if (currency && !sign && /^[1-9]\d{0,2}\.\d{3}$/.test(digits)) throw new SpellingError(thousandsText(digits));
  const number = plainDigits(digits, sign);
  const [name] = /^[a-z]+/i.exec(scale ?? "") ?? [""];
  const power = Object.keys(POWERS).find((each) => name.toLowerCase().startsWith(each));
  const shifted = shiftedText(number, (power ? POWERS[power] : 0) - (unit === "%" ? 2 : 0));
  return Boolean(before) === Boolean(after) ? shifted : `-${shifted}`;
}

/**
 * The number of an outcome, with a decimal point and without a unit; null if it is none. An outcome cannot be a list,
 * so that its comma shows how it is written.
 * @param {string} typed
 */
export function outcomeNumber(typed) {
  const text = halfWidth(typed);
  const plain = /^\(.*\)$/s.test(text) ? text.replace(NEGATIVE, "−$1") : text;
  const parts = PARTS.exec(plain)?.groups;
  if (!parts || parts.scale || parts.word) return null;
  const own = /^[-−]?\d+,\d{1,2}$/.test(text) ? "," : [",", "."].find((sign) => SETTLING[sign].test(text));
  checkSigns(text, own);
  const number = unitlessText(plain, decimal || own);
  if (!own) checkPoints(number);
  return number;
}

/**
 * Why a percentage is not accepted, or nothing else is.
 * @param {ContinuousRecord} feature
 * @param {string} typed
 * @param {string} unit
 */
function percentageText(feature, typed, unit) {
  if (unit !== "%") return `“${typed}” is in ${unit}, but ${feature.name} is a percentage.`;
  const share = shiftedText(plainDigits(/[\d.,]+/.exec(typed)?.[0] ?? "0"), -2);
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

/**
 * Digits with a decimal point and without groups, as the file writes numbers.
 * @param {string} digits
 * @param {string} [known] their decimal separator, empty if it is not known
 */
function plainDigits(digits, known = decimal) {
  const joined = digits.replace(/[ \u00a0\u202f'’]/g, "");
  const sign = known || decimalOf(joined, joined !== digits);
  const group = sign === "." ? "," : ".";
  const [integer, ...fraction] = joined.split(sign);
  const isGrouped = new RegExp(`^\\d{1,3}(?:\\${group}\\d{3})+$`).test(integer);
  const isNumber = fraction.length < 2 && !fraction[0]?.includes(group) && (isGrouped || !integer.includes(group));
  if (!isNumber && known) {
    throw new SpellingError(`“${digits}” is not a number with the decimal separator “${sign}”.`);
  }
  if (!isNumber) throw new SpellingError(ambiguousText(digits));
  const number = [integer.replaceAll(group, "") || "0", ...fraction].join(".");
  if (/^0\d/.test(number)) throw new SpellingError(`“${digits}” begins with 0: omit it.`);
  return number;
}

/**
 * The decimal separator that a number shows by itself.
 * @param {string} digits
 * @param {boolean} hasBlanks whether blanks or apostrophes separate its thousands
 */
function decimalOf(digits, hasBlanks) {
  const commas = digits.split(",").length - 1;
  const points = digits.split(".").length - 1;
  if (hasBlanks && commas === 1) return ",";
  if (!commas && points < 2) return ".";
  if (commas && points) return digits.lastIndexOf(",") > digits.lastIndexOf(".") ? "," : ".";
  if (commas !== 1) return commas ? "." : ",";
  throw new SpellingError(ambiguousText(digits));
}

/** @param {string} digits */
const ambiguousText = (digits) =>
  /^\d+,\d{1,2}$/.test(digits)
    ? `“${digits}” is ambiguous: write a decimal point, or a space after the comma of a list.`
    : `“${digits}” is ambiguous: write the number without thousands separators and with a decimal point.`;

/** @param {string} number */
const thousandsText = (number) =>
  `“${number}” is ambiguous: write ${number.replace(".", "")}, or ${number}0 if the point is a decimal point.`;

const SOLE_POINT = /(?:(?<=\.\.)|(?<![\p{L}\p{N}_.:]))\d*\.\d+(?![\p{L}\p{N}_]|[.,]\d)/gu;

/**
 * Reject a cell in the notation of decision tables with a point that may separate thousands, unless another number
 * of the cell or of the file shows that it does not.
 * @param {string} text
 */
export function checkPoints(text) {
  if (!summary.reading || decimal) return;
  const [first, ...others] = text.match(SOLE_POINT) ?? [];
  if (first && [first, ...others].every(mayBeThousands)) throw new SpellingError(thousandsText(first));
}

/**
 * @param {string} number
 * @param {number} power
 */
const shiftedNumber = (number, power) =>
  number.startsWith("-") ? `-${shiftedText(number.slice(1), power)}` : shiftedText(number, power);

/** @param {string} number */
const mayBeThousands = (number) => /^-?[1-9]\d{0,2}\.\d{3}$/.test(number);

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
    const plain = shiftedNumber(mantissa, Number(exponent) + (percent ? 2 : 0));
    return (isComma ? plain.replace(".", ",") : plain) + (percent ? "%" : "");
  }
  return summary.reading && !decimal && mayBeThousands(number) ? `${number}0` : number;
}

/**
 * A decimal number times a power of ten, exactly.
 * @param {string} number
 * @param {number} power
 */
function shiftedText(number, power) {
  if (!power) return number;
  const [integer, fraction = ""] = number.split(".");
  const places = Math.max(fraction.length - power, 0);
  const digits = (integer + fraction.padEnd(power, "0")).padStart(places + 1, "0");
  const text = places ? `${digits.slice(0, -places)}.${digits.slice(-places)}` : digits;
  const plain = text.includes(".") ? text.replace(/\.?0+$/, "") : text;
  return plain.replace(/^0+(?=\d)/, "");
}

/** @param {string} typed */
function dateText(typed) {
  const named = /^(\d{1,2})\.?[\s-]?(\p{L}+\.?)[\s-](\d{4})$/u.exec(typed);
  if (named) return `${named[3]}-${String(monthNumber(named[2])).padStart(2, "0")}-${named[1].padStart(2, "0")}`;
  const written = /^(\d{1,2})([./])(\d{1,2})\2(\d{4})$/.exec(typed);
  if (!written) return typed;
  const [first, second] = [Number(written[1]), Number(written[3])];
  const isDayFirst = written[2] === "." || dayFirst || (dayFirst === null && first > 12);
  if (written[2] === "/" && dayFirst === null && Math.max(first, second) <= 12) {
    throw new SpellingError(`“${typed}” is ambiguous: write a date such as 2026-01-31.`);
  }
  const [day, month] = isDayFirst ? [first, second] : [second, first];
  return `${written[4]}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`;
}

/** @param {string} typed */
function timeText(typed) {
  const clock = /^(\d{1,2})(?:[:.](\d\d))?\s?(?:([ap])\.?m\.?|uhr)$/i.exec(typed);
  if (!clock) return typed.replace(/^\d(?=:)/, "0$&");
  let hour = Number(clock[1]);
  if (clock[3]) {
    if (hour < 1 || hour > 12) throw new SpellingError(`“${typed}” is not a time such as 18:30.`);
    hour = (hour % 12) + (clock[3].toLowerCase() === "p" ? 12 : 0);
  }
  return `${String(hour).padStart(2, "0")}:${clock[2] ?? "00"}`;
}

/**
 * A range of times, which may go over midnight.
 * @param {string} opening
 * @param {string} low
 * @param {string} high
 * @param {string} closing
 */
function timeRange(opening, low, high, closing) {
  const [after, before] = [opening === "[" ? ">=" : ">", closing === "]" ? "<=" : "<"];
  const start = timeText(low);
  if (/^24(?:[:.]00)?(?:\s?uhr)?$/i.test(high)) return `${after} ${start}`;
  const end = timeText(high);
  return start > end ? `${after} ${start}, ${before} ${end}` : `${opening}${start}..${end}${closing}`;
}

const MARKS = /[$€£¥%]|EUR|USD|GBP|CHF/g;
const WITH_UNIT = new RegExp(`\\d\\+?\\s?(${UNIT_WORD})`, "giu");
const ANY_DIGITS = new RegExp(DIGIT_GROUPS, "gu");

/**
 * Reject a cell whose numbers have different units or decimal separators, as files do.
 * @param {string} text
 */
function checkAlike(text) {
  const marks = (text.match(MARKS) ?? []).map((mark) => CURRENCIES.get(mark) ?? mark);
  const units = new Set([...marks, ...[...text.matchAll(WITH_UNIT)].map(([, word]) => unitNamed(word))]);
  if (units.size > 1) {
    throw new SpellingError(`“${text}” mixes ${[...units].sort().join(" and ")}: write all numbers in one unit.`);
  }
  const own = decimal ? undefined : [",", "."].find((sign) => SETTLING[sign].test(text));
  if (own) for (const digits of text.match(ANY_DIGITS) ?? []) plainDigits(digits, own);
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
 * Ranges of numbers up to the next 0.01, if the file is written with two decimals: 10-14.99 ends before 15.
 * @param {ContinuousRecord} feature
 * @param {string} list
 */
function toTheCent(feature, list) {
  if (!isInCents(feature)) return list;
  const finer = /\d*\.\d{2}\d*[1-9]|\de-/.exec(list);
  if (finer) throw new SpellingError(`Numbers of ${feature.name} have two decimals: write at most two in “${list}”.`);
  /** @param {string} number */
  const next = (number) => String(Math.round(Number(number) * 100 + 1) / 100);
  return list
    .replace(/([(\]])(-?[\d.e]+)\.\./g, (_, __, low) => `[${next(low)}..`)
    .replace(/\.\.(-?[\d.e]+)\]/g, (_, high) => `..${next(high)})`)
    .replace(/(?:<=|≤)\s*(-?[\d.e]+)/g, (_, number) => `< ${next(number)}`)
    .replace(/>(?!=)\s*(-?[\d.e]+)/g, (_, number) => `>= ${next(number)}`);
}

/**
 * Ranges of times with all of their last minute, if the file is written to the minute: 08:00-17:59 ends before 18:00.
 * A range that ends at 23:59 goes on to the end of the day in any file.
 * @param {ContinuousRecord} feature
 * @param {string} list
 */
function toTheMinute(feature, list) {
  const isByMinute = summary.reading?.remarks.includes(
    `${feature.name} is written to the minute, so that ranges include all of their last minute`,
  );
  if (/\d:\d\d:/.test(list) || (!isByMinute && !/\.\.23:59\]|<= 23:59/.test(list))) return list;
  if (/<= 23:59/.test(list)) throw new SpellingError("Any time is up to 23:59: write - for any value.");
  if (/(?:[(\]]|> )23:59/.test(list)) throw new SpellingError("No value satisfies this.");
  /** @param {string} time */
  const next = (time) => {
    const minutes = 60 * Number(time.slice(0, 2)) + Number(time.slice(3)) + 1;
    return `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;
  };
  return list
    .replace(/[(\]](\d\d:\d\d)\.\./g, (_, time) => `[${next(time)}..`)
    .replace(/\[(\d\d:\d\d)\.\.23:59\]/g, ">= $1")
    .replace(/\.\.(\d\d:\d\d)\]/g, (_, time) => `..${next(time)})`)
    .replace(/<= (\d\d:\d\d)/g, (_, time) => `< ${next(time)}`)
    .replace(/> (\d\d:\d\d)/g, (_, time) => `>= ${next(time)}`);
}
