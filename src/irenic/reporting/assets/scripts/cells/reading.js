// @ts-check
// Reads cells as people write them, in one pass: tokens, the productions of the grammar, a test. Files are read by the
// same grammar (irenic.formats.cells.reading); a test compares the two.

import { BLANKS, Doubt, filled, plainText } from "./language.js";
import { can, tokensOf } from "./tokens.js";
import { durationOf, kindOfIso, literalOf, mayBeThousands, textInQuotes } from "./values.js";

/** @type {Record<string, string>} */
const FLIPPED = { "<": ">", "<=": ">=", ">": "<", ">=": "<=" };
const BOUND = ["sep", "close", "end"];
const FOLLOW = [...BOUND, "joint", "sign", "or_between_conditions"];
const DASHES = ["", "-", "–", "—", "−"];
const DEEPEST = 50;
const LONGEST_CELL = 100_000;
const LONGEST_BARE = 1_000;
const LONGEST_WORDS = 80;

/**
 * What a cell means, and how its numbers are written.
 * @param {CellLanguage} language
 * @param {string} text
 * @param {CellLocale} locale
 * @param {string} [header] the name of the column, with which a cell may compare
 * @param {Set<string>} [known] values of the column in lower case, which are always texts
 * @returns {CellReading}
 */
export function readCell(language, text, locale, header = "", known = new Set()) {
  if (DASHES.includes(text.split(BLANKS).filter(Boolean).join(" ")))
    return { test: { all: [] }, formal: true, amounts: [] };
  if (text.length > LONGEST_CELL) throw new Doubt(language, "cell_long", text.length.toLocaleString("en"));
  const plain = header.toLowerCase().split(BLANKS).filter(Boolean).join(" ");
  const names = [plain, plain.replace(/\s*[([].*/, ""), ...language.grammar.names.split(" "), "?"].filter(Boolean);
  return new Reader(language, text, locale, names, known).read();
}

/** Runs the productions of the grammar over the tokens of one cell. */
class Reader {
  /**
   * @param {CellLanguage} language
   * @param {string} text
   * @param {CellLocale} locale
   * @param {string[]} names
   * @param {Set<string>} known
   */
  constructor(language, text, locale, names, known) {
    this.language = language;
    this.text = text;
    this.locale = locale;
    this.known = known;
    this.tokens = tokensOf(language, text, locale.decimal, names);
    /** @type {Map<string, [any, number] | null>} */
    this.memo = new Map();
    this.depth = 0;
    /** @type {CellAmount[]} */
    this.amounts = [];
  }

  /** @returns {CellReading} */
  read() {
    const found = this.rule("cell", 0);
    if (!found) throw this.refused();
    const { test, formal } = this.resolved(found[0].tree);
    return { test, formal: formal && found[0].formal, amounts: this.amounts };
  }

  /** @param {string} key @param {...string} parts */
  doubt(key, ...parts) {
    return new Doubt(this.language, key, ...parts);
  }

  // --- productions

  /** @param {string} name @param {number} at @returns {[any, number] | null} */
  rule(name, at) {
    const key = `${name} ${at}`;
    if (!this.memo.has(key)) {
      this.depth += Number(name === "tests");
      if (this.depth > DEEPEST) throw this.doubt("deep");
      this.memo.set(key, this.first(this.language.rules[name], at));
      this.depth -= Number(name === "tests");
    }
    return this.memo.get(key) ?? null;
  }

  /** @param {CellProduction[]} productions @param {number} at @returns {[any, number] | null} */
  first(productions, at) {
    for (const { symbols, action, formal } of productions) {
      const found = this.sequence(symbols, at);
      if (!found) continue;
      const [children, end] = found;
      const [name, ...args] = action;
      const node = ACTIONS[name](this, children, args, at, end);
      if (node === null) continue;
      if ("raw" in node) return [node, end];
      if ("tree" in node) return [{ tree: node.tree, formal: formal && node.formal }, end];
      return [{ tree: node, formal: formal && areFormal(children) }, end];
    }
    return null;
  }

  /** @param {string[]} symbols @param {number} at @returns {[any[], number] | null} */
  sequence(symbols, at) {
    const children = [];
    for (const symbol of symbols) {
      if (symbol === "$" || symbol === "+") {
        if (!can(this.tokens[at], ...(symbol === "$" ? BOUND : FOLLOW))) return null;
        continue;
      }
      const isOptional = symbol.endsWith("?") && symbol.length > 1;
      const [each, joint] = symbol.split("%");
      const found = joint ? this.several(each, joint, at) : this.symbol(isOptional ? symbol.slice(0, -1) : symbol, at);
      if (!found && !isOptional) return null;
      children.push(found?.[0] ?? null);
      at = found?.[1] ?? at;
    }
    return [children, at];
  }

  /** @param {string} symbol @param {number} at @returns {[any, number] | null} */
  symbol(symbol, at) {
    if (symbol in this.language.rules) return this.rule(symbol, at);
    if (symbol in TEXTS) return TEXTS[symbol](this, at);
    return can(this.tokens[at], symbol) ? [this.tokens[at], at + 1] : null;
  }

  /** @param {string} symbol @param {string} joint @param {number} at @returns {[any[], number] | null} */
  several(symbol, joint, at) {
    let found = this.symbol(symbol, at);
    if (!found) return null;
    const children = [found[0]];
    let end = found[1];
    for (;;) {
      const separator = this.symbol(joint, end);
      found = separator && this.symbol(symbol, separator[1]);
      if (!separator || !found) return [children, end];
      children.push(separator[0], found[0]);
      end = found[1];
    }
  }

  // --- texts

  /** The token at which a text without quotes ends. @param {number} at */
  run(at) {
    while (!can(this.tokens[at], ...this.language.textEnds)) at += 1;
    return at;
  }

  /** @param {number} at @param {number} end */
  raw(at, end) {
    return this.text.slice(this.tokens[at].start, this.tokens[end - 1].end);
  }

  /** Why a text without quotes cannot be a value; null if it can. @param {string} text @param {number} at @param {number} end */
  refusal(text, at, end) {
    const { texts, grammar } = this.language;
    const first = this.tokens[at];
    const rest = end > at + 1 ? this.raw(at + 1, end) : "";
    if (DASHES.includes(text)) return this.doubt("dash", text);
    if (text.length > LONGEST_BARE) return this.doubt("long", text, text.length.toLocaleString("en"));
    if (grammar["spreadsheet errors"].split(" ").includes(text)) return this.doubt("spreadsheet", text);
    if (begins(texts.no_text, text) && !isAll(texts.name, text.toLowerCase())) {
      return this.doubt("not_condition", text, this.hint(text));
    }
    if (/^['‘’‚“”„«»][\s\S]*['‘’‚“”„«»]$/.test(text)) return this.doubt("quotes", text, text.slice(1, -1));
    if (text === "DEFAULT") return this.doubt("default", text);
    for (const role of ["any", "else"]) if (this.means(text, role)) return this.doubt(role, text);
    const value = rest && first.order ? begins(texts.first_word, rest.toLowerCase()) : null;
    if (value) return this.doubt("comparison", text, first.order, rest.slice(0, value[0].length));
    if (rest && can(first, "not")) return this.doubt("negation", text, rest);
    if (rest && can(first, "or")) return this.doubt("several", text, rest);
    if (text.includes("*")) return this.doubt("pattern", text);
    if (text.includes(",")) return this.doubt("several", text, text.replace(/,\s*/g, ", "));
    if (this.tokens.slice(at + 1, end - 1).some((token) => can(token, "but"))) return this.doubt("listed", text);
    return this.numbered(text);
  }

  /** @param {string} text @param {...string} roles */
  means(text, ...roles) {
    const entry = this.language.phrases.get(plainText(text));
    return entry !== undefined && roles.some((role) => role in entry);
  }

  /** @param {string} text */
  hint(text) {
    for (const [pattern, hint] of this.language.hints) {
      const match = pattern.exec(text);
      if (match) return filled(this.language, hint, match.slice(1));
    }
    return "";
  }

  /** The error for a cell that has no meaning: about its first item that has none. */
  refused() {
    let at = 0;
    for (let found = this.rule("item", at); found; found = this.rule("item", at)) {
      at = found[1];
      if (!can(this.tokens[at], "sep")) break;
      at += 1;
    }
    while (can(this.tokens[at], "sign", "(", "[", "string")) at += 1;
    const end = this.run(at);
    const token = this.tokens[end];
    const text = end > at ? this.raw(at, end) : "";
    const reason = text && this.refusal(text, at, end);
    if (reason) return reason;
    if (token.raw === "(" && this.language.grammar.functions.split("|").includes(text.toLowerCase())) {
      return this.doubt("function", text);
    }
    if (!can(token, "end")) return this.doubt("unexpected", token.raw);
    return text ? this.doubt("not_condition", text, "") : this.doubt("end");
  }

  // --- words in an order

  /** The words from one to another; null if they are in no order. @param {string} text @param {CellToken} first @param {CellToken} last */
  between(text, first, last) {
    const [starts, ends] = [first, last].map(({ raw }) => this.language.ordered.get(raw.toLowerCase()) ?? []);
    for (const [noun, number, start] of starts) {
      const isCycle = noun === "days" || noun === "months";
      for (const [other, its, end] of ends) {
        if (noun !== other || number !== its || start === end) continue;
        if (!isCycle && (end < start || isUpper(first.raw) !== isUpper(last.raw))) continue;
        const words = this.language.sequences[noun][number];
        const count = end - start + 1 + (end < start ? words.length : 0); // it may go on after the end of the week
        const listed = Array.from({ length: count }, (_, k) => words[(start + k) % words.length]);
        const found = styled(first.raw, listed);
        if (isCycle || noun === "quarters") return found;
        throw this.doubt("span", text, ...shownEnds(found));
      }
    }
    const share = (/** @type {string} */ noun) =>
      [starts, ends].every((places) => places.some((place) => place[0] === noun));
    if (first.raw.toLowerCase() !== last.raw.toLowerCase() && (share("days") || share("months"))) {
      throw this.doubt("languages", text);
    }
    return null;
  }

  /** The doubt about a text such as P1-P3; null for others. @param {string} text */
  numbered(text) {
    const match = text.length <= LONGEST_WORDS ? isAll(this.language.texts.numbered, text) : null;
    if (!match) return null;
    const [, prefix, low, again, high] = match;
    const isRange = Number(low) < Number(high) && Number(high) <= Number(low) + 50;
    if ((again !== "" && again !== prefix) || !isRange) return null;
    const values = Array.from(
      { length: Number(high) - Number(low) + 1 },
      (_, k) => `${prefix}${String(Number(low) + k).padStart(low.length, "0")}`,
    );
    return this.doubt("span", text, ...shownEnds(values));
  }

  // --- ranges

  /** The range between two comparisons; null if they are not its bounds. @param {CellCompare} one @param {CellCompare} other */
  both(one, other) {
    if (!one.order || !other.order) return null;
    const [low, high] = one.order[0] === "<" ? [other, one] : [one, other];
    return low.order[0] === ">" && high.order[0] === "<"
      ? this.bounded(low.order, low.value, high.value, high.order)
      : null;
  }

  /** @param {string} above @param {any} low @param {any} high @param {string} below */
  bounded(above, low, high, below) {
    if (low.start !== undefined && high.start !== undefined && low.kind !== "bare" && high.kind !== "bare") {
      this.checkEnds(low, high);
      const byClock = high.kind === "clock" && !/m\.?$/i.test(high.raw);
      const isNumber = low.kind === "amount" && !low.unit && !low.scale;
      if (isNumber && high.unit === "%") low = { ...low, unit: "%" };
      const clock = isNumber && byClock ? /^(\d{1,2})(?:\.(\d\d))?$/.exec(low.raw) : null;
      if (clock) low = { ...low, kind: "clock", groups: [clock[1], clock[2], undefined] };
      if (/^24(?:[:.]00)?(?!\d)/.test(high.raw) && (byClock || high.raw === "24:00"))
        return { order: above, value: low };
    }
    const [a, b] = [this.literal(low), this.literal(high)];
    const [least, most] = [
      { order: above, value: a },
      { order: below, value: b },
    ];
    if (a.kind === "time" && b.kind === "time" && a.text > b.text) return { any: [least, most] }; // over midnight
    if (isAfter(a, b)) {
      const digits = b.text.replace(".", "");
      if (mayBeThousands(b.text) && !isAfter(a, { ...b, text: digits }))
        throw this.doubt("thousands", "", a.text, b.text, digits);
      throw this.doubt("reversed", "", a.text, b.text);
    }
    return { all: [least, most] };
  }

  /** Reject a range whose ends may not have the same unit. @param {CellToken} low @param {CellToken} high */
  checkEnds(low, high) {
    const [a, b] = [low.raw.trim(), high.raw.trim()];
    if (high.scale && !low.scale) {
      const after = b.slice(b.search(/\d[^\d]*$/) + 1).trim();
      throw this.doubt("scale", `${a}-${b}`, a, after.split(/[\s$€£¥]|eur|usd|gbp|chf/i)[0], b);
    }
    if (high.kind === "clock" && high.groups[2] && /^\d+$/.test(low.raw)) throw this.doubt("half", `${a} - ${b}`, a, b);
    const { money, spans } = this.language.grammar;
    const [one, other] = [low, high].map(({ unit }) => money[unit] ?? unit);
    if (!one || !other || one === other) return;
    const [[base, times], [its, many]] = [one, other].map((unit) => spans[unit] ?? [unit, 1]);
    const numbers = [a, b].map((text) => /^\d+(?=\D|$)(?![.,]\d)/.exec(text));
    const scale = Math.min(times, many);
    const inOne =
      base === its && numbers.every(Boolean)
        ? `write ${(Number(numbers[0]) * times) / scale}-${(Number(numbers[1]) * many) / scale} ${times <= many ? one : other}`
        : "write both in one unit";
    throw this.doubt("units", `${a} - ${b}`, one, other, inOne);
  }

  // --- values

  /** @param {any} operand @returns {CellLiteral} */
  literal(operand) {
    if (operand.minus) {
      const found = this.literal(operand.minus);
      return { ...found, text: `-${found.text}` };
    }
    if (operand.raw === undefined) return operand;
    if (operand.kind === "curly") return { kind: "text", text: operand.groups[0] };
    if (operand.kind === "string") {
      const text = textInQuotes(operand.raw);
      if (text === null) throw this.doubt("escape", operand.raw);
      return { kind: "text", text };
    }
    const found = literalOf(this.language, operand, this.locale);
    if (found.kind === "number") this.amounts.push({ ...operand, text: found.text });
    return found;
  }

  /** A test with the values of its operands, and whether they are written formally. @param {any} tree @returns {any} */
  resolved(tree) {
    if (tree.not) {
      const { test, formal } = this.resolved(tree.not);
      return { test: { not: test }, formal };
    }
    for (const key of ["all", "any"]) {
      if (!tree[key]) continue;
      const parts = tree[key].map((/** @type {any} */ part) => this.resolved(part));
      const tests = parts.map((/** @type {any} */ part) => part.test);
      if (key === "all" && tests.length === 2) this.checkKinds(tests);
      return { test: { [key]: tests }, formal: parts.every((/** @type {any} */ part) => part.formal) };
    }
    const { order, value } = tree;
    const literal = this.literal(value);
    const isToken = value.raw !== undefined;
    const formal = !isToken || (value.formal && (value.kind !== "amount" || value.raw.toLowerCase() === literal.text));
    if (literal.kind === "null" && order in FLIPPED) throw this.doubt("order", "", order);
    return { test: { order, value: literal }, formal };
  }

  /** Reject a range between two kinds of values. @param {any[]} tests */
  checkKinds([low, high]) {
    if (!low.order || !high.order || low.order[0] !== ">" || high.order[0] !== "<") return;
    if (low.value.kind !== high.value.kind) throw this.doubt("kinds", "", low.value.text, high.value.text);
    if (low.value.kind === "boolean") throw this.doubt("booleans");
  }
}

/** @param {CellLiteral} a @param {CellLiteral} b */
function isAfter(a, b) {
  if (a.kind !== b.kind) return a.kind > b.kind;
  if (a.kind === "number") return Number(a.text) > Number(b.text);
  if (a.kind === "duration") {
    const [[one, low], [other, high]] = [durationOf(a.text), durationOf(b.text)];
    return one === other && low > high;
  }
  return a.text > b.text && ![a, b].some(({ text }) => /T.*(?:Z|[+-]\d\d:\d\d)$/.test(text));
}

/** @param {any[]} children @returns {boolean} */
const areFormal = (children) =>
  children.every((child) =>
    Array.isArray(child) ? areFormal(child) : !child || can(child.roles ? child : undefined, "V") || child.formal,
  );

/** @param {RegExp} pattern @param {string} text */
function begins(pattern, text) {
  pattern.lastIndex = 0;
  return pattern.exec(text);
}

/** @param {RegExp} pattern @param {string} text */
const isAll = (pattern, text) => new RegExp(`^(?:${pattern.source})$`, "u").exec(text);

/** @param {string} word */
const isUpper = (word) => word === word.toUpperCase() && word !== word.toLowerCase();

/** Words in upper or lower case like an example. @param {string} example @param {string[]} words */
export function styled(example, words) {
  if (isUpper(example)) return words.map((word) => word.toUpperCase());
  if (example === example.toLowerCase()) return words;
  return words.map((word) => word[0].toUpperCase() + word.slice(1));
}

/** @param {string[]} values */
function shownEnds(values) {
  const more = values.length > 6 ? [...values.slice(0, 4), "…", values[values.length - 1]] : values;
  return [more.join(", "), values[0], values[values.length - 1]];
}

/** @param {any} child */
const operand = (child) => (child.tree === undefined ? child : child.tree);

/** @param {string[] | null} words */
const anyText = (words) =>
  words && { any: words.map((text) => ({ order: "=", value: { kind: "text", text, bare: true } })) };

/** @param {any} token */
const monthDays = ({ groups }) => {
  const [month, year] = [Number(groups[0] ?? groups[3]), Number(groups[1] ?? groups[2])];
  const text = (/** @type {number} */ y, /** @type {number} */ m) =>
    `${String(y).padStart(4, "0")}-${String(m).padStart(2, "0")}-01`;
  return [text(year, month), month < 12 ? text(year, month + 1) : text(year + 1, 1)];
};

/** The parts of messages that are computed; null if there is no doubt. @type {Record<string, (parts: any[]) => string[] | null>} */
const PARTS = {
  compared_month: ([{ order }, month]) => {
    const [first, after] = monthDays(month);
    const bounds = { "<": `< ${first}`, "<=": `< ${after}`, ">": `>= ${after}`, ">=": `>= ${first}` };
    return order in bounds ? [bounds[/** @type {"<"} */ (order)]] : null;
  },
  months: ([first, last]) => [monthDays(first)[0], monthDays(last)[1]],
  month: ([month]) => monthDays(month),
  days(parts) {
    const matches = parts.flatMap(({ raw }) => [...(/^(\d{1,2})\.(\d{1,2})\.?$/.exec(raw)?.slice(1) ?? [])]);
    const [a, b, c, d] = matches.map((part) => part.padStart(2, "0"));
    return d === undefined ? null : [`2026-${b}-${a}`, `2026-${d}-${c}`];
  },
  fraction: ([{ groups }]) => [String(Number((Number(groups[0]) / Number(groups[1])).toPrecision(6)))],
  left: () => null,
};

/** @type {Record<string, (reader: Reader, at: number) => [any, number] | null>} */
const TEXTS = {
  text(reader, at) {
    const end = reader.run(at);
    if (end === at || can(reader.tokens[at], "@")) return null;
    const text = reader.raw(at, end);
    return reader.refusal(text, at, end) ? null : [{ tree: { kind: "text", text, bare: true }, formal: true }, end];
  },
  known(reader, at) {
    const end = reader.run(at);
    const text = end > at ? reader.raw(at, end) : "";
    return text && reader.known.has(text.toLowerCase())
      ? [{ tree: { kind: "text", text, bare: true }, formal: true }, end]
      : null;
  },
  constant(reader, at) {
    const end = reader.run(at);
    const text = end === at + 1 ? reader.raw(at, end).toLowerCase() : "";
    if (!["true", "false", "null"].includes(text)) return null;
    return [{ tree: { kind: text === "null" ? "null" : "boolean", text }, formal: true }, end];
  },
  other_column(reader, at) {
    const end = reader.run(at);
    if (end === at || can(reader.tokens[at], "name") || !can(reader.tokens[end], "sign")) return null;
    const text = reader.raw(at, end);
    return /^[\p{L}\p{N}_]+$/u.test(text.split(BLANKS).join("")) && !/^\p{N}/u.test(text)
      ? [{ tree: text, formal: false }, end]
      : null;
  },
};

/** What a call such as date("2026-01-31") means; null if it means nothing. @param {string} name @param {any[]} parts */
function called(name, parts) {
  const kind = name.replace(/\s+/g, " ") === "date and time" ? "datetime" : name;
  const texts = parts.map((part) =>
    part.kind === "string" ? textInQuotes(part.raw) : part.kind === "amount" ? part.raw : (part.text ?? null),
  );
  if (texts.includes(null)) return null;
  const two = (/** @type {string | null} */ text) =>
    String(text)
      .replace(/^0+(?=\d)/, "")
      .padStart(2, "0");
  let text = texts[0] ?? "";
  if (kind === "datetime" && parts[0].kind === "date" && parts[1]?.kind === "time" && parts.length === 2) {
    return { kind, text: `${parts[0].text}T${parts[1].text}` };
  }
  if (parts.length === 3 && parts.every((part) => part.kind === "amount")) {
    text =
      name === "date"
        ? `${two(texts[0]).padStart(4, "0")}-${two(texts[1])}-${two(texts[2])}`
        : texts.map(two).join(":");
  } else if (parts.length !== 1 || parts[0].kind !== "string") return null;
  const found = kindOfIso(text);
  if (kind === "datetime" && found === "date") return { kind, text: `${text}T00:00:00` };
  return found === kind ? { kind, text } : null;
}

/** @type {Record<string, (reader: Reader, children: any[], args: string[], at: number, end: number) => any>} */
const ACTIONS = {
  pass: (_, children, [place]) => children[Number(place)],
  any: () => ({ all: [] }),
  is: (_, [child]) => ({ order: "=", value: operand(child) }),
  test: (_, children, [order, place]) => ({ order, value: children[Number(place)] }),
  compare(_, children, [sign, place]) {
    const { order, raw } = children[Number(sign)];
    const value = operand(children[Number(place)]);
    return order === "!=" && raw !== "!=" && value.bare ? { not: { order: "=", value } } : { order, value };
  },
  flip(_, children, [sign, place]) {
    const order = FLIPPED[children[Number(sign)].order];
    return order ? { order, value: children[Number(place)] } : null;
  },
  chain(reader, [low, first, , second, high]) {
    const order = FLIPPED[first.order];
    return order ? reader.both({ order, value: low }, { order: second.order, value: high }) : null;
  },
  both: (reader, children, [one, other]) => reader.both(children[Number(one)].tree, children[Number(other)].tree),
  either: (_, children, places) => ({ any: places.map((place) => children[Number(place)].tree) }),
  join(reader, [parts]) {
    const units = parts.filter((/** @type {any} */ _, /** @type {number} */ k) => k % 2 === 0);
    if (units.length === 1) return units[0];
    const trees = units.map((/** @type {any} */ { tree }) => tree);
    if (areFormal(parts)) return { all: trees };
    return trees.length === 2 && trees.every((/** @type {any} */ tree) => tree.order)
      ? reader.both(trees[0], trees[1])
      : null;
  },
  list(reader, [parts], _, at, end) {
    const items = parts.filter((/** @type {any} */ _, /** @type {number} */ k) => k % 2 === 0);
    if (items.length === 1) return items[0];
    const last = items[items.length - 1].tree;
    if (last.value?.bare && reader.means(last.value.text, "more", "less", "better")) {
      throw reader.doubt("listed", reader.raw(at, end));
    }
    return {
      tree: { any: items.flatMap((/** @type {any} */ { tree }) => tree.any ?? [tree]) },
      formal: areFormal(parts),
    };
  },
  not: (_, children, [place]) => ({
    tree: { not: children[Number(place)].tree },
    formal: areFormal([children[0], children[2]]),
  }),
  some: (_, children, [place]) => (children[Number(place)].tree.any ? children[Number(place)].tree : null),
  except(reader, children, [place], at, end) {
    const { tree } = children[Number(place)];
    const joined = reader.tokens.slice(at + 1, end).some((token) => can(token, "and", "or", "or_between_conditions"));
    if (tree.value?.bare && joined) throw reader.doubt("excluded");
    return { not: tree };
  },
  group(reader, children, [place], at, end) {
    const { order, value } = children[Number(place)].tree;
    const isBare = order === "=" && value.bare;
    if (isBare || (order === "=" && value.unit && end - at <= 3))
      throw reader.doubt("not_condition", reader.raw(at, end), "");
    return children[Number(place)];
  },
  negative(reader, children, args, at, end) {
    const found = ACTIONS.minus(reader, children, args, at, end);
    return found && { order: "=", value: found.tree };
  },
  minus(reader, children, [place]) {
    const token = children[Number(place)];
    const isUnit = reader.language.units.has(token.unit);
    if (token.kind !== "amount" || token.groups[0] || token.groups[2] || token.scale || isUnit) return null;
    return { tree: { minus: token }, formal: false };
  },
  range: (reader, children, [opening, low, high, closing]) =>
    reader.bounded(
      opening === "[" ? ">=" : ">",
      operand(children[Number(low)]),
      operand(children[Number(high)]),
      closing === "]" ? "<=" : "<",
    ),
  bracket(reader, children, places) {
    const [opening, low, high, closing] = places.map((place) => children[Number(place)]);
    const [above, below] = [opening.raw === "[" ? ">=" : ">", closing.raw === "]" ? "<=" : "<"];
    const [a, b] = [operand(low), operand(high)];
    const isFormal = areFormal(children) && can(children[2], "dots");
    return isFormal
      ? {
          all: [
            { order: above, value: a },
            { order: below, value: b },
          ],
        }
      : reader.bounded(above, a, b, below);
  },
  prefix: (_, [{ raw }]) => ({ tree: { kind: "prefix", text: raw }, formal: true }),
  at(reader, [, token]) {
    const text = textInQuotes(token.raw) ?? "";
    const kind = kindOfIso(text);
    if (!kind) throw reader.doubt("no_date", text);
    return { tree: { kind, text }, formal: true };
  },
  call(reader, [{ raw }, , parts], _, at, end) {
    const operands = parts.filter((/** @type {any} */ _, /** @type {number} */ k) => k % 2 === 0).map(operand);
    const value = called(raw, operands);
    if (!value) throw reader.doubt("no_date", reader.raw(at, end));
    return { tree: value, formal: true };
  },
  span: (reader, children, [first, last], at, end) =>
    anyText(reader.between(reader.raw(at, end), children[Number(first)], children[Number(last)])),
  rest(reader, [quarter]) {
    const [words] = reader.language.sequences.quarters;
    return anyText(styled(quarter.raw, words.slice(words.indexOf(quarter.raw.toLowerCase()))));
  },
  family(reader, [parts]) {
    const words = parts
      .filter((/** @type {any} */ _, /** @type {number} */ k) => k % 2 === 0)
      .map((/** @type {any} */ { raw }) => raw);
    const lists = words.map(
      (/** @type {string} */ word) =>
        new Set(
          (reader.language.ordered.get(word.toLowerCase()) ?? [])
            .filter(([noun]) => ["days", "months", "quarters"].includes(noun))
            .map(([noun, number]) => `${noun} ${number}`),
        ),
    );
    const isOne = [...lists[0]].some((list) => lists.every((/** @type {Set<string>} */ each) => each.has(list)));
    return words.length > 1 && isOne ? anyText(words) : null;
  },
  doubt(reader, children, [key, ...places], at, end) {
    const parts = places.map((place) => children[Number(place)]);
    const more = PARTS[key] ? PARTS[key](parts) : parts.map((part) => part.raw ?? part.tree);
    if (more === null) return null;
    throw reader.doubt(key, reader.raw(at, end), ...more);
  },
};
