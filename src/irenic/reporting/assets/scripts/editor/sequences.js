// @ts-check
// Words in an order: `Mon-Fri`, `Q3+`, `weekend` beside days, and names of months in dates. They mean what files with
// them mean (irenic.formats.sheets._sequences); tests compare the two.

const NAMES_OF_DAYS = [
  "mon tue wed thu fri sat sun",
  "monday tuesday wednesday thursday friday saturday sunday",
  "mo di mi do fr sa so",
  "montag dienstag mittwoch donnerstag freitag samstag sonntag",
  "lun mar mer jeu ven sam dim",
  "lundi mardi mercredi jeudi vendredi samedi dimanche",
  "lun mar mié jue vie sáb dom",
  "lunes martes miércoles jueves viernes sábado domingo",
  "ma di wo do vr za zo",
  "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
  "lun mar mer gio ven sab dom",
  "lunedì martedì mercoledì giovedì venerdì sabato domenica",
];

const NAMES_OF_MONTHS = [
  "jan feb mar apr may jun jul aug sep oct nov dec",
  "january february march april may june july august september october november december",
  "jan feb mär apr mai jun jul aug sep okt nov dez",
  "januar februar märz april mai juni juli august september oktober november dezember",
  "janv févr mars avr mai juin juil août sept oct nov déc",
  "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
  "ene feb mar abr may jun jul ago sep oct nov dic",
  "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
  "jan feb mrt apr mei jun jul aug sep okt nov dec",
  "januari februari maart april mei juni juli augustus september oktober november december",
  "gen feb mar apr mag giu lug ago set ott nov dic",
  "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
];

const QUARTERS = ["q1", "q2", "q3", "q4"];
const SIZES = ["xxs", "xs", "s", "m", "l", "xl", "xxl", "xxxl"];
const ROMAN = ["i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii"];
const ALPHABET = [..."abcdefghijklmnopqrstuvwxyz"];
const DAY_NAMES = NAMES_OF_DAYS.map((names) => names.split(" "));
const MONTH_NAMES = NAMES_OF_MONTHS.map((names) => names.split(" "));

const SPAN =
  /^(?:(?:from|von|de|du|van)\s+)?(\p{L}+\d?)\.?(?:\s*[-–—]\s*|\s+(?:to|through|thru|bis|à|au?|al|t\/m|tot en met)\s+)(\p{L}+\d?)\.?$/iu;

const NUMBERED = /^(\p{L}[\p{L}\p{N}_ ]*?[\p{L}_]\s*|\p{L}\s*)(\d{1,3})\s*[-–—]\s*(.*?)(\d{1,3})$/u;

/** Words that mean the first five days, and the last two. */
const WEEKDAYS =
  "weekdays?|work(?:ing )?days?|business days?|unter der woche|(?:en )?semaine|jours? ouvrés?|entre semana|werkdag(?:en)?|weekdag(?:en)?|doordeweeks|feriali";
const WEEKEND = "week-?ends?|wochenenden?|fin(?:es)? de semana|weekeinden?|fine settimana";
/** Words that mean five or six days. */
const UNCLEAR_DAYS = "werktags?|werktage|wochentags?|wochentage|jours? ouvrables?|(?:días )?laborables?";

/** @param {string} text */
const listInstead = (text) => `“${text}” is ambiguous: list the values, or put it in quotes if it is one.`;

/**
 * Days, months or quarters one by one, null for other texts.
 * @param {string} text
 * @param {(message: string) => Error} fail makes the error for a text that may be a range of words, or a name
 * @returns {string[] | null}
 */
export function listedWords(text, fail) {
  if (text.length > 80) return null;
  const later = /^(q[1-4])(?:\s*\+|\s+(?:and|or)\s+(?:later|after))$/i.exec(text);
  if (later) return styledLike(later[1], QUARTERS.slice(QUARTERS.indexOf(later[1].toLowerCase())));
  const span = SPAN.exec(text);
  const between = span && wordsBetween(text, span[1], span[2], fail);
  if (between) return between;
  const parts = text.split(/\s*(?:[&+/]|(?<=\s)(?:and|und|et|y)(?=\s))\s*/i);
  if (parts.length > 1 && areOfOneFamily(parts)) return parts;
  const [, prefix, low, again, high] = NUMBERED.exec(text) ?? [];
  const isRange = prefix !== undefined && (again === "" || again === prefix);
  if (isRange && Number(low) < Number(high) && Number(high) <= Number(low) + 50) throw fail(listInstead(text));
  return null;
}

/**
 * @param {string} text
 * @param {string} first
 * @param {string} last
 * @param {(message: string) => Error} fail
 */
function wordsBetween(text, first, last, fail) {
  const [a, b] = [first.toLowerCase(), last.toLowerCase()];
  for (const family of [DAY_NAMES, MONTH_NAMES]) {
    if (![a, b].every((word) => family.some((names) => names.includes(word))) || a === b) continue;
    const names = family.find((each) => each.includes(a) && each.includes(b));
    if (!names) throw fail(`“${text}” mixes short and long names, or two languages: list the values.`);
    const [start, end] = [names.indexOf(a), names.indexOf(b)];
    const count = end - start + 1 + (end < start ? names.length : 0); // it may go on after the end of the week or year
    return styledLike(
      first,
      Array.from({ length: count }, (_, k) => names[(start + k) % names.length]),
    );
  }
  const isSameCase = isUpper(first) === isUpper(last);
  for (const names of [QUARTERS, SIZES, ROMAN, ALPHABET]) {
    const [start, end] = [names.indexOf(a), names.indexOf(b)];
    if (start < 0 || end <= start || !isSameCase) continue;
    if (names !== QUARTERS) throw fail(listInstead(text));
    return styledLike(first, names.slice(start, end + 1));
  }
  return null;
}

/** @param {string[]} parts */
function areOfOneFamily(parts) {
  const words = parts.map((part) => part.trim().replace(/\.$/, "").toLowerCase());
  return [QUARTERS, ...DAY_NAMES, ...MONTH_NAMES].some((names) => words.every((word) => names.includes(word)));
}

/** @param {string} word */
const isUpper = (word) => word === word.toUpperCase() && word !== word.toLowerCase();

/**
 * Words in upper or lower case like an example.
 * @param {string} example
 * @param {string[]} words
 */
function styledLike(example, words) {
  if (isUpper(example)) return words.map((word) => word.toUpperCase());
  if (example === example.toLowerCase()) return words;
  return words.map((word) => word[0].toUpperCase() + word.slice(1));
}

/**
 * The days that a word such as `weekend` means, in the language of the days beside it; null for other words.
 * @param {string} text
 * @param {string[]} known the values of the column
 * @param {(message: string) => Error} fail makes the error for a word that means five or six days
 */
export function daysMeant(text, known, fail) {
  const word = text.trim().toLowerCase();
  /** @param {string} pattern */
  const matches = (pattern) => new RegExp(`^(?:${pattern})$`, "iu").test(word);
  const isUnclear = matches(UNCLEAR_DAYS);
  if (!isUnclear && !matches(WEEKDAYS) && !matches(WEEKEND)) return null;
  const plain = known.map((value) => value.trim().toLowerCase());
  const days = plain.filter((value) => DAY_NAMES.some((names) => names.includes(value)));
  const names = days.length ? DAY_NAMES.find((each) => days.every((day) => each.includes(day))) : undefined;
  if (!names) return null;
  if (isUnclear) throw fail(`“${text}” may mean five or six days: list them, or put it in quotes if it is a value.`);
  const example = known[plain.findIndex((value) => names.includes(value))].trim();
  return styledLike(example, matches(WEEKEND) ? names.slice(5) : names.slice(0, 5));
}

/** @type {Map<string, number>} */
const MONTH_NUMBERS = new Map([
  ...MONTH_NAMES.flatMap((names) => names.map((name, k) => /** @type {const} */ ([name, k + 1]))),
  ["sept", 9],
  ["mrz", 3],
]);

/** What names of months look like. */
export const MONTH = `(?:${[...MONTH_NUMBERS.keys()].sort((a, b) => b.length - a.length).join("|")})\\.?`;

/**
 * The number of a month, by its name.
 * @param {string} name
 */
export const monthNumber = (name) => MONTH_NUMBERS.get(name.replace(/\.$/, "").toLowerCase()) ?? 0;
