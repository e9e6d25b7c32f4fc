// @ts-check
// The vocabulary and the grammar of cells, which Python reads, too (irenic/formats/cells/*.json).

/** @typedef {{ roles: Set<string>, means: Record<string, string> }} Phrase */

/** Why a cell has no single meaning: a key of the messages of the grammar, and what fills them. */
export class Doubt extends Error {
  /**
   * @param {CellLanguage} language
   * @param {string} key
   * @param {...string} parts
   */
  constructor(language, key, ...parts) {
    super(filled(language, language.grammar.messages[key], parts));
    this.key = key;
  }
}

/**
 * A message with its parts: as they are, in marks (!r), in straight quotes (!q), or their digits (d).
 * @param {CellLanguage} language
 * @param {string} template
 * @param {(string | undefined)[]} parts
 */
export function filled(language, template, parts) {
  return template.replace("{settle}", language.grammar.settle).replace(/\{(\d)(!r|!q|d|)\}/g, (_, place, form) => {
    const part = String(parts[place]);
    if (form === "d") return part.replace(/[^0-9]/g, "");
    return form === "!r" ? `“${part}”` : form === "!q" ? JSON.stringify(part) : part;
  });
}

/**
 * A text in lower case with single blanks and straight apostrophes.
 * @param {string} text
 */
export const plainText = (text) => text.toLowerCase().replaceAll("’", "'").split(BLANKS).filter(Boolean).join(" ");

/** Blanks, which are those of Python. */
// eslint-disable-next-line no-control-regex
export const BLANKS = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/u;

/**
 * A trie of phrases, one level per character; the entry at "" says what a phrase means.
 * @param {Iterable<[string, Record<string, string>]>} phrases
 * @returns {CellTrie}
 */
export function trieOf(phrases) {
  /** @type {CellTrie} */
  const root = new Map();
  for (const [phrase, entry] of phrases) {
    let node = root;
    for (const char of phrase) {
      if (!node.has(char)) node.set(char, new Map());
      node = /** @type {CellTrie} */ (node.get(char));
    }
    node.set("", entry);
  }
  return root;
}

/**
 * The words and the grammar of cells, ready for use.
 * @param {Record<string, Record<string, any>>} vocabulary
 * @param {any} grammar
 * @returns {CellLanguage}
 */
export function languageOf(vocabulary, grammar) {
  /** @type {Map<string, Record<string, string>>} */
  const phrases = new Map();
  /** @type {Record<string, string[][]>} */
  const sequences = { days: [], months: [] };
  /** @type {Map<string, number>} */
  const months = new Map();
  const say = (/** @type {string} */ phrase, /** @type {string} */ role, /** @type {string} */ meaning) =>
    void phrases.set(phrase, { ...phrases.get(phrase), [role]: meaning });
  for (const [role, value] of Object.values(vocabulary).flatMap((words) => Object.entries(words))) {
    if (role === "days" || role === "months") {
      const lists = value.map((/** @type {string} */ names) => names.split(" "));
      sequences[role].push(...lists);
      if (role === "months")
        for (const names of lists)
          names.forEach((/** @type {string} */ name, /** @type {number} */ k) => months.set(name, k + 1));
    } else if (role === "more_months") {
      for (const [name, number] of Object.entries(value)) months.set(name, number);
    } else if (role === "units" || role === "scales") {
      for (const [name, words] of Object.entries(value))
        for (const word of words.split("|")) say(word, role.slice(0, -1), name);
    } else if (role !== "yes") {
      for (const phrase of value.split("|")) say(phrase, role, role);
    }
  }
  for (const word of grammar.keywords.split(" ")) say(word, word, word);
  for (const [role, names] of Object.entries(grammar.classes)) {
    for (const entry of phrases.values()) {
      for (const name of names.split(" ")) if (name in entry) entry[role] ??= entry[name];
    }
  }
  for (const [name, words] of Object.entries(grammar.sequences)) sequences[name] = [words.split(" ")];
  /** @type {Map<string, [string, number, number][]>} */
  const ordered = new Map();
  for (const [noun, lists] of Object.entries(sequences)) {
    lists.forEach((words, number) =>
      words.forEach((word, place) => ordered.set(word, [...(ordered.get(word) ?? []), [noun, number, place]])),
    );
  }
  const anyOf = (/** @type {Iterable<string>} */ words) =>
    [...words]
      .sort((a, b) => b.length - a.length)
      .map((word) => word.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&"))
      .join("|");
  const fragments = {
    ...grammar.fragments,
    w: "[\\p{L}\\p{N}_]",
    n: "(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?",
    month: anyOf(months.keys()),
    clock: anyOf([...phrases].filter(([, entry]) => "clock" in entry).map(([word]) => word)),
  };
  const source = (/** @type {string} */ pattern) => {
    for (let k = 0; k < 2; k++) pattern = pattern.replace(/\{([a-z]+)\}/g, (_, name) => fragments[name]);
    return pattern;
  };
  const sticky = (/** @type {Record<string, string>} */ patterns) =>
    Object.fromEntries(Object.entries(patterns).map(([key, pattern]) => [key, new RegExp(source(pattern), "uy")]));
  return {
    grammar,
    phrases,
    sequences,
    months,
    ordered,
    trie: trieOf(phrases),
    units: new Set([...phrases.values()].flatMap(({ unit }) => unit ?? [])),
    monthStarts: new Set([...months.keys()].map((name) => name.slice(0, 3))),
    values: sticky(grammar.values),
    texts: sticky(grammar.texts),
    blanks: new RegExp(source("{b}+"), "uy"),
    money: new RegExp(source("{money}"), "uy"),
    hints: grammar.hints.map((/** @type {[string, string]} */ [pattern, hint]) => [
      new RegExp(`^(?:${source(pattern)})$`, "u"),
      hint,
    ]),
    signs: new Map(Object.entries(grammar.signs).map(([sign, roles]) => [sign, roles.split(" ")])),
    formal: new Set(grammar["formal signs"].split(" ")),
    textEnds: grammar["text ends"].split(" "),
    rules: Object.fromEntries(
      Object.entries(grammar.rules).map(([name, productions]) => [
        name,
        productions.map((/** @type {[string, string]} */ [symbols, action]) => ({
          symbols: symbols.split(" "),
          formal: action.startsWith("! "),
          action: action.replace("! ", "").split(" "),
        })),
      ]),
    ),
  };
}
