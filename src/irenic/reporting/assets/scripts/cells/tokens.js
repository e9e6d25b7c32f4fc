// @ts-check
// The tokens of a cell: values, words by what they mean, signs, and texts in quotes.

import { BLANKS, Doubt, trieOf } from "./language.js";

const ORDERS = ["<=", ">=", "!=", "<", ">", "="];
/** Codes that begin alike, as in Python. */
const PREFIX =
  /(?:[\p{L}\p{N}_][\p{L}\p{N}_./%+-]*|"(?:[^"\\]|\\.)*")\*(?!\*)(?:\s*except\s*\([^()]*\))?(?=\s*(?:$|[,;)\n]))|(?:\p{L}[\p{L}\p{N}_]*\.)+-(?=\s*(?:$|[,;)\n]))/uy;
const IN_WORD = /^[\p{L}\p{N}_]/u;

/**
 * Full-width digits and signs, which people type with some keyboards, as the usual ones.
 * @param {string} text
 */
export const halfWidth = (text) =>
  text.replace(/[\uff01-\uff5e]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) - 0xfee0));

/**
 * Whether a token can be one of some things.
 * @param {CellToken | undefined} token
 * @param {...string} roles
 */
export const can = (token, ...roles) => token !== undefined && roles.some((role) => role in token.roles);

/**
 * The tokens of a cell, ended by one with the role `end`.
 * @param {CellLanguage} language
 * @param {string} text
 * @param {string} decimal the decimal separator, empty if it is not known
 * @param {string[]} names with which a cell may compare
 * @returns {CellToken[]}
 */
export function tokensOf(language, text, decimal, names) {
  const half = halfWidth(text);
  const low = [...half].map((char) => (char.toLowerCase().length === char.length ? char.toLowerCase() : char)).join("");
  const nameTrie = trieOf(names.map((name) => [name, { name: "name" }]));
  let size = low.length;
  while (size > 0 && at(language.blanks, low, size - 1)) size -= 1;
  /** @type {CellToken[]} */
  const tokens = [];
  let inCall = false;

  /** @param {RegExp} pattern @param {string} where @param {number} place */
  function at(pattern, where, place) {
    pattern.lastIndex = place;
    return pattern.exec(where);
  }
  const blank = (/** @type {number} */ place) => at(language.blanks, low, place)?.[0].length ?? 0;
  const isWord = (/** @type {number} */ place) => IN_WORD.test(low.slice(place, place + 2));
  const last = () => tokens[tokens.length - 1];
  const compares = (/** @type {number} */ place) => place < low.length && "<>=!≤≥≠".includes(low[place]);

  /**
   * @param {number} start
   * @param {number} end
   * @param {Record<string, string>} roles
   * @param {Partial<CellToken>} [more]
   * @returns {CellToken}
   */
  function token(start, end, roles, more = {}) {
    const raw = half.slice(start, end);
    const formal = (more.formal ?? true) && raw === text.slice(start, end);
    return { start, end, raw, roles, order: "", kind: "", groups: [], unit: "", scale: 0, ...more, formal };
  }

  /**
   * The end of the longest phrase at a place, and what it means.
   * @param {CellTrie} node
   * @param {number} place
   * @param {...string} roles
   * @returns {[number, Record<string, string>] | null}
   */
  function longest(node, place, ...roles) {
    /** @type {[number, Record<string, string>] | null} */
    let best = null;
    while (place < low.length) {
      const length = blank(place);
      const code = String.fromCodePoint(Number(low.codePointAt(place)));
      const char = length ? " " : code === "’" ? "'" : code;
      const next = node.get(char);
      if (!(next instanceof Map)) break;
      place += length || code.length;
      node = next;
      const entry = /** @type {Record<string, string> | undefined} */ (node.get(""));
      if (!entry || (roles.length && !roles.some((role) => role in entry))) continue;
      if (!(IN_WORD.test(char) && (isWord(place) || low[place] === "²"))) best = [place, entry];
    }
    return best;
  }

  /** @param {number} place */
  const hasBlank = (place) => (place < low.length && !"\n\r".includes(low[place]) && blank(place) ? 1 : 0);

  /**
   * The unit and the power of ten after a number, and where they end.
   * @param {number} end
   * @returns {[string, number, number]}
   */
  function suffix(end) {
    const place = end + hasBlank(end);
    if (low[place] === "%") return ["%", 0, place + 1];
    const money = at(language.money, low, place);
    if (money) return [money[0].toUpperCase(), 0, place + money[0].length];
    const found = longest(language.trie, place, "unit", "scale");
    const longer = longest(language.trie, place);
    if (!found || (longer && longer[0] > found[0])) return ["", 0, end]; // t/m are no tons
    const [after, entry] = found;
    const isM = low.slice(place, after) === "m";
    if ("unit" in entry && (!isM || place > end)) return [entry.unit, 0, after];
    if (!("scale" in entry)) return ["", 0, end];
    const coin = after + hasBlank(after);
    const currency = at(language.money, low, coin);
    if (currency) return [currency[0].toUpperCase(), Number(entry.scale), coin + currency[0].length];
    return [isM ? "m" : "", Number(entry.scale), after];
  }

  /** @param {number} place @param {RegExpExecArray} match */
  function amount(place, match) {
    const end = place + match[0].length;
    let [unit, scale, after] = suffix(end);
    if (isWord(after)) {
      [unit, scale, after] = ["", 0, end];
      if (isWord(after)) return null;
    }
    const [, sign, money, inner, digits, exponent] = match;
    if (money && (!unit || unit === "m")) unit = trimmed(money).toUpperCase();
    return token(
      place,
      after,
      { V: "V" },
      { kind: "amount", groups: [sign, money, inner, digits, exponent], unit, scale },
    );
  }

  /** @param {string} each */
  const trimmed = (each) => each.split(BLANKS).join("");

  /** The patterns of values that may begin with a letter. @param {number} place @returns {string[]} */
  function kindsAfter(place) {
    const start = low.slice(place, place + 3);
    if (start[0] === "p" && "t0123456789".includes(start[1] ?? " ")) return ["duration"];
    if (["eur", "usd", "gbp", "chf"].includes(start)) return ["amount"];
    return language.monthStarts.has(start) ? ["month"] : [];
  }

  /** @param {number} place */
  function value(place) {
    const char = low[place];
    if ("-−".includes(char) && can(last(), "V", ")", "day", "month")) return null;
    if (char === "," && decimal !== ",") return null;
    const isLetter = /^\p{L}/u.test(low.slice(place, place + 2));
    if (!isLetter && !"-−.,$€£¥0123456789".includes(char)) return null;
    for (const kind of isLetter ? kindsAfter(place) : Object.keys(language.values)) {
      const match = at(language.values[kind], low, place);
      if (!match) continue;
      if (kind === "amount") return amount(place, match);
      const end = place + match[0].length;
      if (isWord(end) || (kind === "month" && low[end] === "-" && /^[0-9]/.test(low.slice(end + 1)))) continue;
      if ((kind === "duration" || kind === "iso") && match[0].toUpperCase() !== half.slice(place, end)) continue;
      /** @type {Record<string, string>} */
      const roles = ["month", "day", "fraction"].includes(kind) ? { [kind]: kind } : { V: "V" };
      if (kind === "month" && match[4]) roles.iso_month = "iso_month";
      const groups = match
        .slice(1)
        .map((each) => (each === undefined ? each : String(language.months.get(each) ?? each)));
      const formal = kind === "iso" || kind === "duration" || (kind === "time" && match[1].length === 2);
      return token(place, end, roles, { kind, groups, formal });
    }
    return null;
  }

  /** A constructor or `not` before a parenthesis, or an argument. @param {number} place */
  function call(place) {
    if (inCall && /[0-9]/.test(low[place])) {
      const digits = /^[0-9]+/.exec(low.slice(place))?.[0] ?? "";
      const groups = [undefined, undefined, undefined, digits, undefined];
      return token(place, place + digits.length, { V: "V" }, { kind: "amount", groups });
    }
    const match = at(language.texts.call, low, place);
    if (!match) return null;
    inCall = match[0] !== "not";
    const end = place + match[0].length;
    return token(place, end, inCall ? { call: "call" } : { not_call: "not" }, {
      formal: match[0] === half.slice(place, end),
    });
  }

  /** The name of the column, if the cell compares with it. @param {number} place */
  function name(place) {
    const found = longest(nameTrie, place);
    if (!found) return null;
    const [end] = found;
    const after = end + blank(end);
    const isLast = tokens.length > 0 && can(last(), "sign") && after >= low.length;
    return compares(after) || isLast
      ? token(place, end, { name: "name" }, { formal: half.slice(place, end) === "?" })
      : null;
  }

  /** @param {number} place */
  function phrase(place) {
    const found = longest(language.trie, place);
    if (!found) return null;
    const [end, entry] = found;
    const roles = { ...entry };
    const [raw, after] = [half.slice(place, end), end + blank(end)];
    const stands = after > end && after < size && tokens.length > 0 && (low[place - 1] === "," || blank(place - 1) > 0);
    const isCased = raw !== raw.toLowerCase() && raw !== raw.toUpperCase();
    if ("or" in roles && (isCased || !stands)) delete roles.sep;
    const order = Object.keys(roles).find((role) => role in language.grammar.orders);
    const formal = (raw === "and" || raw === "or") && (compares(after) || low[after] === "?");
    if (language.ordered.has(low.slice(place, end))) roles.ordered = "ordered";
    return token(place, end, roles, { order: order ? language.grammar.orders[order] : "", formal });
  }

  /** @param {number} place */
  function word(place) {
    let end = place;
    while (end < low.length && isWord(end)) end += String.fromCodePoint(Number(low.codePointAt(end))).length;
    const places = language.ordered.get(low.slice(place, end));
    /** @type {Record<string, string>} */
    const roles = places ? { ordered: "ordered" } : {};
    if (places?.some(([noun]) => noun === "quarters")) roles.quarter = "quarter";
    return token(place, end, roles);
  }

  /** @param {number} place */
  function sign(place) {
    for (const length of [3, 2, 1]) {
      const written = half.slice(place, place + length);
      const listed = written.length === length ? language.signs.get(written) : undefined;
      if (!listed) continue;
      inCall &&= written !== ")";
      const end = place + length + blank(place + length);
      if ("<>".includes(written) && end > place + length && low[end] === "=") {
        return token(place, end + 1, { sign: "sign" }, { order: `${written}=`, formal: false });
      }
      const roles = Object.fromEntries(listed.map((role) => [role, role]));
      const order = ORDERS.find((each) => each in roles) ?? "";
      return token(place, place + length, roles, { order, formal: language.formal.has(written) });
    }
    return token(place, place + String.fromCodePoint(Number(low.codePointAt(place))).length, {});
  }

  /** Codes that begin alike. @param {number} place */
  function prefix(place) {
    if (tokens.length && !can(last(), "sep", "sign", "(")) return null;
    const match = at(PREFIX, half, place);
    return match && token(place, place + match[0].length, { prefix: "prefix" }, { kind: "prefix" });
  }

  /** Whether a value may end at a place. @param {number} end */
  function isEnd(end) {
    const place = end + blank(end);
    return (
      place >= size || ",;|)]\n".includes(low[place]) || (place > end && longest(language.trie, place, "or") !== null)
    );
  }

  /** @param {number} place @param {boolean} startsWord */
  function quoted(place, startsWord) {
    if (half[place] === '"') {
      const match = at(language.texts.string, half, place);
      if (!match) throw new Doubt(language, "open_quotes");
      return token(place, place + match[0].length, { string: "string" }, { kind: "string" });
    }
    if (!startsWord || (tokens.length && !can(last(), "sep", "open", "sign", "one_of", "not"))) return null;
    const match = at(language.texts.curly, half, place);
    if (!match || !isEnd(place + match[0].length)) return null;
    return token(
      place,
      place + match[0].length,
      { string: "string" },
      { kind: "curly", groups: [match[1]], formal: false },
    );
  }

  /** Add a separator; several in a row are one, and none follows an operator. @param {CellToken} separator */
  function separate(separator) {
    const before = last();
    if (!before) {
      if (separator.raw !== "\n") tokens.push(separator);
    } else if (can(before, "sep")) before.formal &&= separator.raw === "\n";
    else if (separator.raw !== "\n" || !can(before, "dash", "sign", "open")) tokens.push(separator);
  }

  let place = 0;
  while (place < size) {
    const length = blank(place);
    if (length) {
      if (/[\n\r]/.test(low.slice(place, place + length))) {
        separate({ ...token(place, place + 1, { sep: "sep" }, { formal: false }), raw: "\n" });
      }
      place += length;
      continue;
    }
    const before = low.charCodeAt(place - 1);
    const startsWord = place === 0 || !IN_WORD.test(low.slice(place - (before >= 0xdc00 && before <= 0xdfff ? 2 : 1)));
    let next = prefix(place) ?? quoted(place, startsWord);
    if (!next && startsWord) next = call(place) ?? value(place) ?? name(place) ?? phrase(place);
    next ??= isWord(place) ? word(place) : sign(place);
    if (can(next, "sep")) separate(next);
    else tokens.push(next);
    place = next.end;
  }
  if (can(last(), "sep") && tokens.filter((each) => can(each, "sep")).length > 1) tokens.pop();
  tokens.push(token(text.length, text.length, { end: "end" }));
  return tokens;
}
