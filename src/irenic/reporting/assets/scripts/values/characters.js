// @ts-check
// Characters that look alike or cannot be seen: what they mean, as in irenic.model.characters.

// Soft hyphens, marks of direction, zero-width spaces and byte order marks; no-break and other spaces; hyphens.
const MEANINGLESS =
  /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]|([\u00a0\u2000-\u200a\u202f\u205f\u3000])|([\u2010\u2011])/g;

// Next to Latin letters; in other scripts, they are spelling.
const JOINERS = /(?<![^\0-\u036f\u1e00-\u1eff])[\u200c\u200d]+|[\u200c\u200d]+(?![^\0-\u036f\u1e00-\u1eff])/gu;

const WHOLE_WORDS = /[\p{L}\p{Nl}\p{No}]{2,}/gu;
const LATIN = /[A-Za-z\u00aa-\u024f\u1e00-\u1eff]/;
const CYRILLIC = /[\u0400-\u052f]/;

// Letters that look like those of the Latin script below them.
const FOREIGN = "АВСЕНІЈКМОРЅТХУԚԜҮаеіјорѕсхуһԁԛԝүΑΒΕΖΗΙΚΜΝΟΡΤΥΧο";
const ALIKE = "ABCEHIJKMOPSTXYQWYaeijopscxyhdqwyABEZHIKMNOPTYXo";

/**
 * A text in NFC, without characters that carry no meaning.
 * @param {string} text
 */
export function cleaned(text) {
  /** @type {(all: string, space?: string, hyphen?: string) => string} */
  const replacement = (_, space, hyphen) => (space ? " " : hyphen ? "-" : "");
  return text.replace(MEANINGLESS, replacement).replace(JOINERS, "").normalize("NFC");
}

/**
 * Whether a character is kept, whatever is next to it.
 * @param {string} letter
 */
export const isLasting = (letter) => cleaned(letter) === letter && !/\p{M}/u.test(letter);

/**
 * Whether a text without quotes is read as it is, and without a doubt.
 * @param {string} text
 */
export const isPlain = (text) => cleaned(text) === text && !twoScripts(text) && !looksLatin(text);

/**
 * What is wrong with a word of letters of two scripts; empty if there is none. Text in quotes is meant as it is.
 * @param {string} text
 */
export function twoScripts(text) {
  for (const [word] of text.replace(/"(?:[^"\\]|\\.)*"/gs, " ").matchAll(WHOLE_WORDS)) {
    /** @type {Map<string, string>} */
    const scripts = new Map();
    for (const letter of word) {
      const script = scriptOf(letter);
      if (script && !scripts.has(script)) scripts.set(script, letter);
    }
    if (scripts.size > 1) {
      const [one, other] = [...scripts].map(([script, letter]) => `${script} “${letter}” (${codePoint(letter)})`);
      const alike = [...word].map(likeLatin).join("");
      const instead = isAscii(alike) ? `type “${alike}”` : "type it in one of them";
      return `“${word}” has letters of two scripts: ${one} and ${other}; ${instead}, or put it in quotes if it is meant.`;
    }
  }
  return "";
}

/**
 * Whether a text looks like a Latin one, because all of its letters do.
 * @param {string} text
 */
const looksLatin = (text) => !isAscii(text) && isAscii([...text].map(likeLatin).join(""));

/** @param {string} text */
const isAscii = (text) => /^[\0-\x7f]*$/.test(text);

/** @param {string} letter */
const likeLatin = (letter) => ALIKE[FOREIGN.indexOf(letter)] ?? letter;

/** @param {string} letter */
function scriptOf(letter) {
  if (CYRILLIC.test(letter)) return "Cyrillic";
  if (FOREIGN.includes(letter)) return "Greek"; // others, as in kΩ and μg, are symbols
  return LATIN.test(letter) ? "Latin" : "";
}

/** @param {string} letter */
const codePoint = (letter) => `U+${letter.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
