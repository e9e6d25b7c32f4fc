// @ts-check
// The edited rules as files: JSON, CSV, text, DMN, and the page itself.

import { isSingle } from "./cells.js";
import { contradictions, isAmount } from "./outcomes.js";
import { isFinished } from "./table.js";
import { cleaned, isLasting, isPlain, twoScripts } from "../values/characters.js";
import { isCategory, LOWEST, MISSING_CODE, OTHER_CODE, valueBefore } from "../values/features.js";
import { prefixTest, termCell, termsOf, termText } from "../values/prefixes.js";
import { formatNumber, formatValue, formatWord, isDuration } from "../values/texts.js";

/** The key of a value in files, by the kind of its feature. @type {Record<string, string>} */
const TAGS = { date: "date", datetime: "datetime", time: "time", duration: "duration", months: "duration" };

// --- JSON

/**
 * The rules as irenic.loads reads them. Rows that are not finished are left out.
 * @param {EditedTable} table
 */
export function rulesData(table) {
  const { features, outcomes, now } = table;
  const rows = orderedRows(table);
  return {
    format: "irenic rules",
    version: 1,
    space: features.map(featureData),
    ...(now.policy.how === "first" ? { ordered: true } : {}),
    rules: rows.flatMap((row) =>
      conditionsOfRow(table, row).map((conditions) => ({
        if: conditions,
        then: outcomes[row.outcome ?? 0].value,
        ...(row.weight === 1 ? {} : { weight: row.weight }),
      })),
    ),
    ...(now.otherwise === null ? {} : { default: outcomes[now.otherwise].value }),
    ...(table.impossible.length ? { impossible: table.impossible.map((box) => boxData(table, box)) } : {}),
  };
}

/**
 * The finished rows; where the outcome decides which row wins, in the order in which they win.
 * @param {EditedTable} table
 */
export function orderedRows({ now }) {
  const rows = now.rows.filter(isFinished);
  const { ranks } = now.policy;
  if (!ranks) return rows;
  /** @param {TableRow} row */
  const rank = ({ outcome }) => ranks[outcome ?? 0] ?? ranks.length;
  return rows.toSorted((a, b) => rank(a) - rank(b));
}

/**
 * The index of the row of each rule of rulesData.
 * @param {EditedTable} table
 */
export function rowsOfRules(table) {
  const places = new Map(table.now.rows.map((row, place) => [row, place]));
  return orderedRows(table).flatMap((row) => conditionsOfRow(table, row).map(() => places.get(row) ?? 0));
}

/** @param {EditedFeature} feature */
function featureData(feature) {
  const missing = feature.missing ? { missing: true } : {};
  if (isCategory(feature)) {
    const undeclared = feature.declared ? {} : { declared: false };
    const other = feature.admitted.includes(OTHER_CODE) ? { other: true, ...undeclared } : {};
    return { name: feature.name, values: feature.encoded, ...other, ...missing };
  }
  const { bounded, lowest, end } = feature;
  const bounds = [
    bounded[0] && lowest !== null ? numberData(feature, lowest) : null,
    bounded[1] && end !== null ? numberData(feature, valueBefore(feature, end)) : null,
  ];
  return {
    name: feature.name,
    ...(feature.kind === "number" ? {} : { kind: feature.kind }),
    ...(bounded.includes(true) ? { bounds } : {}),
    ...(feature.unit ? { unit: feature.unit } : {}),
    ...missing,
  };
}

/**
 * @param {ContinuousRecord} feature
 * @param {number} value
 */
function numberData(feature, value) {
  const tag = TAGS[feature.kind];
  return tag ? { [tag]: formatValue(feature, value) } : value;
}

/**
 * The conditions of each rule of a row.
 * @param {EditedTable} table
 * @param {TableRow} row
 */
function conditionsOfRow({ features }, row) {
  /** @type {Record<string, any>[]} */
  let rules = [Object.create(null)];
  row.cells.forEach(({ test }, place) => {
    if (!test) return;
    const feature = features[place];
    const each = test.codes
      ? [codesData(/** @type {EditedFeature & CategoricalRecord} */ (feature), test.codes)]
      : test.spans.map((span) => spanData(/** @type {ContinuousRecord} */ (feature), span));
    rules = rules.flatMap((rule) => each.map((data) => withEntry(rule, feature.name, data)));
  });
  return rules;
}

/**
 * A copy with one more entry; a feature may be called __proto__.
 * @param {Record<string, any>} entries
 * @param {string} name
 * @param {any} value
 */
function withEntry(entries, name, value) {
  const copy = Object.assign(Object.create(null), entries);
  copy[name] = value;
  return copy;
}

/**
 * @param {EditedTable} table
 * @param {Box} box
 */
function boxData({ features }, box) {
  let data = Object.create(null);
  for (const feature of features) {
    if (!Object.hasOwn(box, feature.name)) continue;
    const side = box[feature.name];
    const [low, high] = side;
    const written = isCategory(feature)
      ? codesData(feature, /** @type {number[]} */ (side))
      : spanData(feature, { lower: low === null ? null : plainEnd(low), upper: high === null ? null : plainEnd(high) });
    data = withEntry(data, feature.name, written);
  }
  return data;
}

/** @param {number} at */
const plainEnd = (at) => ({ at, after: false });

/**
 * @param {ContinuousRecord} feature
 * @param {Span} span
 */
function spanData(feature, { lower, upper }) {
  if (upper?.at === LOWEST) return { missing: true };
  const hasLower = lower !== null && lower.at > LOWEST;
  if (!hasLower && !upper) return { missing: false };
  if (hasLower && upper && isSingle(feature, lower.at, upper.at)) return { "=": numberData(feature, lower.at) };
  /** @param {SpanEnd} end */
  const value = (end) => numberData(feature, end.after ? valueBefore(feature, end.at) : end.at);
  return {
    ...(hasLower ? { [lower.after ? ">" : ">="]: value(lower) } : {}),
    ...(upper ? { [upper.after ? "<=" : "<"]: value(upper) } : {}),
    ...(lower === null && feature.missing ? { missing: true } : {}),
  };
}

/**
 * @param {EditedFeature & CategoricalRecord} feature
 * @param {number[]} codes
 */
function codesData(feature, codes) {
  const held = new Set(codes);
  /** @param {boolean} admitted */
  const listed = (admitted) =>
    termsOf(
      feature.encoded,
      feature.admitted.filter((code) => held.has(code) === admitted),
    );
  const missing = held.has(MISSING_CODE);
  if (held.has(OTHER_CODE)) {
    const rest = listed(false);
    if (!rest.length) return { missing: false };
    return { "not in": rest, ...(feature.missing && !missing ? { missing: false } : {}) };
  }
  const values = listed(true);
  return values.length ? { in: values, ...(missing ? { missing: true } : {}) } : { missing: true };
}

/** @param {EditedTable} table */
export function rulesJson(table) {
  /** @type {Record<string, any>} */
  const data = rulesData(table);
  const parts = Object.entries(data).map(([key, value]) => {
    const isList = ["space", "rules", "impossible"].includes(key) && value.length;
    return `${JSON.stringify(key)}: ${isList ? `[\n    ${value.map((/** @type {any} */ each) => line(each)).join(",\n    ")}\n  ]` : line(value)}`;
  });
  return `{\n  ${parts.join(",\n  ")}\n}\n`;
}

/**
 * A value as json.dumps of Python writes it. The bounds of numbers are floats there.
 * @param {any} value
 * @param {boolean} [floats]
 * @returns {string}
 */
function line(value, floats = false) {
  if (typeof value === "number") return formatNumber(value) + (floats && Number.isInteger(value) ? ".0" : "");
  if (Array.isArray(value)) return `[${value.map((each) => line(each, floats)).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).map(
    ([key, inner]) => `${JSON.stringify(key)}: ${line(inner, key === "bounds" && !("kind" in value))}`,
  );
  return `{${entries.join(", ")}}`;
}

// --- text

/** @param {EditedTable} table */
export function rulesNotation(table) {
  const { features, outcomes, now } = table;
  const lines = ruleLines(table, orderedRows(table));
  if (now.otherwise !== null) lines.push(`DEFAULT ${literalText(outcomes[now.otherwise].value)}`);
  for (const box of table.impossible) {
    lines.push(`IMPOSSIBLE WHERE ${conditionsText(features, boxData(table, box))}`);
  }
  return lines.map((each) => `${each}\n`).join("");
}

/**
 * Rows in the notation of rules.
 * @param {EditedTable} table
 * @param {TableRow[]} rows
 */
const ruleLines = (table, rows) =>
  rows.flatMap((row) =>
    conditionsOfRow(table, row).map((conditions) => {
      const weight = row.weight === 1 ? "" : ` WEIGHT ${weightText(row.weight)}`;
      const outcome = literalText(table.outcomes[row.outcome ?? 0].value);
      return `IF ${conditionsText(table.features, conditions)} THEN ${outcome}${weight}`;
    }),
  );

/**
 * Some rows as text, without weights and without a default, for the learner to keep.
 * @param {EditedTable} table
 * @param {TableRow[]} rows
 */
export const rowsNotation = (table, rows) =>
  ruleLines(
    table,
    rows.map((row) => ({ ...row, weight: 1 })),
  )
    .map((each) => `${each}\n`)
    .join("");

/**
 * That the outcome of a row must not follow where some of its conditions hold, as a property; null without conditions.
 * @param {EditedTable} table
 * @param {TableRow} row
 * @param {number[]} columns
 */
export function neverText(table, row, columns) {
  if (row.outcome === null || !columns.some((column) => row.cells[column]?.test)) return null;
  const cells = row.cells.map((cell, place) => (columns.includes(place) ? cell : { ...cell, test: null }));
  const where = conditionsOfRow(table, { ...row, cells });
  const texts = where.map((conditions) => conditionsText(table.features, conditions));
  return `${literalText(table.outcomes[row.outcome].value)} WHERE ${texts.join(" OR ")}`;
}

/** @param {CountedRule["weight"]} weight */
const weightText = (weight) => (typeof weight === "number" ? formatNumber(weight) : Object.values(weight)[0]);

/**
 * @param {EditedFeature[]} features
 * @param {Record<string, any>} conditions
 */
function conditionsText(features, conditions) {
  const tested = features.filter((feature) => Object.hasOwn(conditions, feature.name));
  return (
    tested.map((feature) => testText(formatWord(feature.name), conditions[feature.name])).join(" AND ") || "anything"
  );
}

/**
 * A condition in the notation of rules.
 * @param {string} name
 * @param {Record<string, any>} data
 */
function testText(name, data) {
  const { missing } = data;
  for (const [key, flag] of [
    ["in", true],
    ["not in", false],
  ]) {
    const values = data[String(key)];
    if (!values) continue;
    const texts = values.map(literalText);
    return `${name} ${key} {${[...texts, ...(missing === flag ? ["missing"] : [])].join(", ")}}`;
  }
  if (Object.keys(data).length === 1 && missing !== undefined) return `${name} is ${missing ? "" : "not "}missing`;
  if ("=" in data) return `${name} = ${literalText(data["="])}`;
  const low = [">", ">="].find((sign) => sign in data);
  const high = ["<", "<="].find((sign) => sign in data);
  const upper = high ? ` ${high} ${literalText(data[high])}` : "";
  const text = low
    ? high
      ? `${literalText(data[low])} ${low === ">" ? "<" : "<="} ${name}${upper}`
      : `${name} ${low} ${literalText(data[low])}`
    : `${name}${upper}`;
  return missing ? `(${text} or missing)` : text;
}

/**
 * A value as rules write it.
 * @param {any} value
 * @returns {string}
 */
function literalText(value) {
  if (typeof value === "string") return formatWord(value);
  if (typeof value === "number") return formatNumber(value);
  if (typeof value === "boolean") return String(value);
  if (Array.isArray(value)) return `{${value.map(literalText).join(", ")}}`;
  if ("prefix" in value) return termText(value, literalText);
  const [[tag, inner]] = Object.entries(value);
  if (tag === "tuple") return `(${inner.map(literalText).join(", ")}${inner.length === 1 ? "," : ""})`;
  if (tag === "head") {
    const labels = [...(inner.present ?? []).map(isTrue), ...(inner.absent ?? []).map(isFalse)];
    return `{${labels.join(", ")}}`;
  }
  return tag === "expression" ? `expression(${JSON.stringify(inner)})` : String(inner);
}

/** @param {any} label */
const isTrue = (label) => `${literalText(label)} = true`;

/** @param {any} label */
const isFalse = (label) => `${literalText(label)} = false`;

/**
 * The names of the columns of outcomes: several, if all outcomes have as many parts; else one, given by its name.
 * @param {EditedTable} table
 * @param {TableRow[]} rows
 * @param {string} only
 */
function outputNames({ outputs, outcomes, now }, rows, only) {
  const values = [...rows.map((row) => row.outcome ?? 0), ...(now.otherwise === null ? [] : [now.otherwise])].map(
    (place) => /** @type {any} */ (outcomes[place].value),
  );
  const n = outputs.length;
  const isSpread = n > 1 && values.length > 0 && values.every((value) => value?.tuple?.length === n);
  return isSpread ? outputs : [only];
}

/**
 * The parts of an outcome, one per column.
 * @param {any} value
 * @param {string[]} outputs
 * @returns {any[]}
 */
const outcomeParts = (value, outputs) => (outputs.length > 1 ? value.tuple : [value]);

// --- CSV

/**
 * The letter of a hit policy in spreadsheets.
 * @type {Record<string, string>}
 */
const LETTERS = { UNIQUE: "U", ANY: "A", FIRST: "F", PRIORITY: "F", "RULE ORDER": "R", COLLECT: "C" };

/**
 * The rules as irenic.write writes them to a CSV file.
 * @param {EditedTable} table
 */
export function rulesCsv(table) {
  const { features, outcomes, now } = table;
  const letter = LETTERS[now.hitPolicy] ?? (now.policy.how === "first" ? "F" : "");
  const rows = orderedRows(table);
  const weighted = rows.some((row) => row.weight !== 1);
  const names = features.map((feature) => feature.name);
  const taken = [...names, "RULE WEIGHT", "IRENIC NOTE"];
  let only = table.outputs.join(", ");
  while (taken.includes(only)) only = `${only} (outcome)`;
  const distinct = new Set(table.outputs.filter((name) => name && !taken.includes(name)));
  const outputs = distinct.size === table.outputs.length ? outputNames(table, rows, only) : [only];
  const header = [...(letter ? [letter] : []), ...names, ...(weighted ? ["RULE WEIGHT"] : []), ...outputs];
  /** @param {number} outcome */
  const outcomeCells = (outcome) => outcomeParts(outcomes[outcome].value, outputs).map(outcomeCell);
  /** @type {string[][]} */
  const lines = [];
  const units = features.map(unitDeclaration);
  const several = outputs.length > 1;
  if (units.some(Boolean) || several) {
    const conditions = several ? units.map((unit) => (unit ? `condition: ${unit}` : "condition")) : units;
    const roles = outputs.map(() => (several ? "outcome" : ""));
    lines.push([...(letter ? [""] : []), ...conditions, ...(weighted ? [""] : []), ...roles]);
  }
  rows.forEach((row, k) => {
    const cells = row.cells.map(({ test }, place) => feelCell(features[place], test, true));
    const weight = weighted ? [weightText(row.weight)] : [];
    const start = letter ? [String(k + 1)] : [];
    lines.push([...start, ...cells, ...weight, ...outcomeCells(row.outcome ?? 0)]);
  });
  table.impossible.forEach((box, k) => {
    const data = boxData(table, box);
    const cells = names.map((name) => (Object.hasOwn(data, name) ? conditionsCell([data[name]], true) : "-"));
    const start = letter ? [String(rows.length + k + 1)] : [];
    lines.push([...start, ...cells, ...(weighted ? [""] : []), ...outputs.map(() => "cannot occur")]);
  });
  if (now.otherwise !== null) {
    const blanks = Array.from({ length: names.length - 1 + (weighted ? 1 : 0) }, () => "");
    lines.push([...(letter ? [""] : []), "DEFAULT", ...blanks, ...outcomeCells(now.otherwise)]);
  }
  // without quotes, these signs in a name would be detected as the separator
  const quotedHeader = header.some((name) => /[;\t\r]/.test(name));
  const first = header.map((name) => (quotedHeader ? inQuotes(name) : csvCell(name)));
  return [first, ...lines.map((cells) => cells.map(csvCell))].map((cells) => `${cells.join(",")}\n`).join("");
}

/** @param {string} text */
const inQuotes = (text) => `"${text.replaceAll('"', '""')}"`;

/** @param {string} text */
const csvCell = (text) => (/[",\r\n]/.test(text) ? inQuotes(text) : text);

/**
 * What declares the unit of a column, empty for none.
 * @param {EditedFeature} feature
 */
function unitDeclaration(feature) {
  if (isCategory(feature) || !feature.unit || !["number", "integer"].includes(feature.kind)) return "";
  const domain = domainCell(feature, true);
  return `${feature.kind} (${feature.unit})${domain && ` ${domain}`}`;
}

/**
 * An outcome as a cell that is read as the same.
 * @param {any} value
 */
const outcomeCell = (value) =>
  typeof value === "string" && !isBareOutcome(value) ? textInFeel(value) : literalCell(value);

/** @param {any} value */
const literalCell = (value) =>
  typeof value === "string" ? value : value?.expression === "null" ? "null" : literalText(value);

/** @param {string} text */
function isBareOutcome(text) {
  if (!text.trim() || text !== text.trim() || /[\p{C}\p{Zl}\p{Zp}]/u.test(text) || /^[=+@"-]|^0\d|^#/.test(text))
    return false;
  if (/^(?:true|false|null)$/i.test(text) || isDuration(text) || isAmount(text)) return false;
  if (/^\d{4}-\d\d-\d\d|^\d\d:\d\d|^expression\(|^[({].*[)}]$/s.test(text)) return false;
  return text.toLowerCase().split(/\s+/).join(" ") !== "cannot occur";
}

/** Words that would not be read as text in a cell. */
const NO_TEXTS = new RegExp(
  "^(?:true|false|null|any|all|anything|everything|whatever|alle|beliebig|egal|tous|toutes|quelconque|todos|todas" +
    "|cualquiera|else|otherwise|sonst|ansonsten|sinon|na|nan|none|blank|empty|missing|fehlt|leer|manquant|vide|vacío" +
    "|default|others?|rest|remaining|andere|übrige|sonstiges?|restliche|autres?|otros?|otras?|resto" +
    "|(?:(?:grand|sub))?totals?|sum|summe|gesamt(?:summe)?|insgesamt|zwischensumme|totaux|suma" +
    "|weekdays?|workdays?|semaine|werkdag(?:en)?|weekdag(?:en)?|doordeweeks|feriali|weekends?|wochenenden?|weekeinden?" +
    "|werktags?|werktage|wochentags?|wochentage|laborables?)$",
  "i",
);

/** @param {string} text */
const isPlainWord = (text) =>
  /^\p{L}[\p{L}\p{N}_]*$/u.test(text) && !NO_TEXTS.test(text) && !isDuration(text) && isPlain(text);

/**
 * A condition in FEEL: with words, as spreadsheets write it, otherwise as DMN does.
 * @param {EditedFeature} feature
 * @param {Test | null} test
 * @param {boolean} words
 */
function feelCell(feature, test, words) {
  if (!test) return "-";
  if (isCategory(feature)) return conditionsCell([codesData(feature, test.codes ?? [])], words);
  return conditionsCell(
    (test.spans ?? []).map((span) => spanData(feature, span)),
    words,
  );
}

/**
 * The cell of alternative conditions.
 * @param {Record<string, any>[]} conditions
 * @param {boolean} words
 */
const conditionsCell = (conditions, words) => conditions.flatMap((data) => feelItems(data, words)).join(", ");

/**
 * @param {Record<string, any>} data
 * @param {boolean} words
 */
function feelItems(data, words) {
  /** @param {any} value */
  const write = (value) => feelLiteral(value, words);
  if (Object.keys(data).length === 1 && "missing" in data) return [data.missing ? "null" : "not(null)"];
  const null_ = data.missing ? ["null"] : [];
  if ("not in" in data) {
    const excluded = [...data["not in"].map(write), ...(data.missing === false ? ["null"] : [])];
    return [`not(${excluded.join(", ")})`];
  }
  if ("in" in data) return [...data.in.map(write), ...null_];
  if ("=" in data) return [write(data["="]), ...null_];
  const low = [">", ">="].find((sign) => sign in data);
  const high = ["<", "<="].find((sign) => sign in data);
  if (low && high) {
    const range = `${low === ">" ? "(" : "["}${write(data[low])}..${write(data[high])}${high === "<" ? ")" : "]"}`;
    return [range, ...null_];
  }
  const only = low ?? high ?? "";
  return [`${only} ${write(data[only])}`, ...null_];
}

/**
 * The bounds of a feature in FEEL, empty for none.
 * @param {ContinuousRecord} feature
 * @param {boolean} words
 */
function domainCell(feature, words) {
  const { bounds } = /** @type {{ bounds?: any[] }} */ (featureData({ ...feature, encoded: [] }));
  if (!bounds) return "";
  const [low, high] = bounds;
  const data = { ...(low === null ? {} : { ">=": low }), ...(high === null ? {} : { "<=": high }) };
  return conditionsCell([data, ...(feature.missing ? [{ missing: true }] : [])], words);
}

/** @type {Record<string, string>} */
const CONSTRUCTORS = { date: "date", datetime: "date and time", time: "time", duration: "duration" };

/**
 * @param {any} value
 * @param {boolean} words
 * @returns {string}
 */
function feelLiteral(value, words) {
  if (typeof value === "string") return words && isPlainWord(value) ? value : textInFeel(value);
  if (typeof value === "number") return words && Math.abs(value) <= 2 ** 53 ? formatNumber(value) : decimalText(value);
  if (typeof value === "boolean") return String(value);
  if (value && "prefix" in value) {
    return words ? termCell(value, (each) => feelLiteral(each, true)) : prefixTest(value, textInFeel);
  }
  const [[tag, inner]] = Object.entries(value ?? { null: "null" });
  if (tag === "expression" && !words) return String(inner);
  if (!CONSTRUCTORS[tag]) throw new Error(`${literalText(value)} cannot be written to a decision table.`);
  return words ? String(inner) : `${CONSTRUCTORS[tag]}("${inner}")`;
}

/**
 * Text in quotes, in which signs are escaped that XML or a line cannot hold, or that readers drop.
 * @param {string} text
 */
function textInFeel(text) {
  /** @param {string} sign */
  const escaped = (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;
  const quoted = JSON.stringify(text).replace(/[\x7f-\x9f\u2028\u2029\ufffe\uffff]/g, escaped);
  const lasting = quoted.replace(/[^\0-\x7f]/gu, (sign) => (isLasting(sign) ? sign : sign.replace(/[^]/g, escaped)));
  const isRead = cleaned(lasting) === lasting && !twoScripts(lasting.replaceAll('"', " "));
  return isRead ? lasting : lasting.replace(/[^\0-\x7f]/g, escaped);
}

/**
 * A number without an exponent, which FEEL does not have.
 * @param {number} value
 */
function decimalText(value) {
  const text = formatNumber(value);
  const match = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (!match) return text;
  const [, sign, whole, part = "", power] = match;
  const digits = whole + part;
  const point = 1 + Number(power);
  if (point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`;
  return `${sign}${digits.padEnd(point, "0")}.0`;
}

// --- DMN

/** @type {Record<string, string>} */
const DMN_TYPES = {
  number: "number",
  integer: "number",
  text: "string",
  boolean: "boolean",
  date: "date",
  time: "time",
  datetime: "date and time",
  duration: "days and time duration",
  months: "years and months duration",
};

/**
 * The rules as irenic.write writes them to a DMN model.
 * @param {EditedTable} table
 * @param {boolean} [disjoint] whether it is known that no rows overlap
 */
export function rulesDmn(table, disjoint = false) {
  const { features, outcomes, now } = table;
  const rows = orderedRows(table);
  const names = feelNames(features.map((feature) => feature.name));
  const types = features.map((feature) => typeRef(dmnKind(feature)));
  const title = table.name || "rules";
  const [name] = feelNames([title]);
  const outputs = outputNames(table, rows, table.outputs[0]);
  const parts = rows.map((row) => outcomeParts(outcomes[row.outcome ?? 0].value, outputs));
  const results = outputs.map((_, k) => typeRef(commonKind(parts.map((values) => values[k]))));
  const data = names.map(
    (each, k) => `  <inputData id="data${k + 1}" name=${quoted(each)}>
    <variable name=${quoted(each)}${types[k]}/>
  </inputData>`,
  );
  const needs = names.map(
    (_, k) =>
      `    <informationRequirement id="needs${k + 1}"><requiredInput href="#data${k + 1}"/></informationRequirement>`,
  );
  const lost = features.map((feature, k) => names[k] !== feature.name || losesFeature(feature, rows, k));
  const inputs = features.map((feature, k) => {
    const label = names[k] === feature.name ? "" : ` label=${quoted(feature.name)}`;
    const own = lost[k] ? ours("feature", featureData(feature)) : "";
    const domain = isCategory(feature) ? valuesCell(feature) : domainCell(feature, false);
    const values = domain && `        <inputValues><text>${escaped(domain)}</text></inputValues>\n`;
    return `      <input id="input${k + 1}"${label}${own}>
        <inputExpression id="expression${k + 1}"${types[k]}><text>${escaped(names[k])}</text></inputExpression>
${values}      </input>`;
  });
  const rules = rows.map((row, n) => {
    const weight = row.weight === 1 ? "" : ours("weight", row.weight);
    const then = parts[n].every(hasFeel) ? "" : ours("then", outcomes[row.outcome ?? 0].value);
    const cells = row.cells.map(
      ({ test }, k) =>
        `        <inputEntry id="test${n + 1}.${k + 1}"><text>${escaped(feelCell(features[k], test, false))}</text></inputEntry>`,
    );
    const thens = parts[n].map((value, k) => {
      const text = escaped(hasFeel(value) ? feelLiteral(value, false) : "null");
      return `        <outputEntry id="then${n + 1}.${k + 1}"><text>${text}</text></outputEntry>`;
    });
    return `      <rule id="rule${n + 1}"${weight}${then}>
${[...cells, ...thens].join("\n")}
      </rule>`;
  });
  const otherwise = now.otherwise === null ? null : outcomes[now.otherwise].value;
  const defaults = otherwise === null ? [] : outcomeParts(otherwise, outputs);
  const isLiteral = otherwise !== null && defaults.every(hasFeel);
  const boxes = table.impossible.map((box) => boxData(table, box));
  const options = [
    name === title ? "" : ours("name", title),
    boxes.length ? ours("impossible", boxes) : "",
    otherwise !== null && !isLiteral ? ours("default", otherwise) : "",
  ].join("");
  const safe = feelNames(outputs);
  const columns = outputs.map((own, k) => {
    const outputName = KEYWORDS_OF_FEEL.has(own) ? own : safe[k];
    const renamed = outputName === own ? "" : ` label=${quoted(own)}${ours("name", own)}`;
    const opening = `      <output id="output${k + 1}" name=${quoted(outputName)}${results[k]}${renamed}`;
    if (!isLiteral) return `${opening}/>`;
    return `${opening}>
        <defaultOutputEntry><text>${escaped(feelLiteral(defaults[k], false))}</text></defaultOutputEntry>
      </output>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" xmlns:irenic="urn:irenic:dmn"
    id="definitions" name=${quoted(title)} namespace="urn:irenic:dmn:model">
${data.map((each) => `${each}\n`).join("")}  <decision id="decision" name=${quoted(name)}>
    <variable name=${quoted(name)}${outputs.length > 1 ? "" : results[0]}/>
${needs.map((each) => `${each}\n`).join("")}    <decisionTable id="table" hitPolicy="${dmnPolicy(table, disjoint)}"${options}>
${[...inputs, ...columns, ...rules].join("\n")}
    </decisionTable>
  </decision>
</definitions>
`;
}

/**
 * @param {EditedTable} table
 * @param {boolean} disjoint
 */
function dmnPolicy({ now, outcomes }, disjoint) {
  if (now.policy.how === "first") return "FIRST";
  if (["UNIQUE", "ANY", "RULE ORDER", "COLLECT"].includes(now.hitPolicy)) return now.hitPolicy;
  if (contradictions(outcomes).length) return "COLLECT";
  return disjoint ? "UNIQUE" : "ANY";
}

/**
 * The kind of the values of a feature, empty if they have several.
 * @param {EditedFeature} feature
 */
const dmnKind = (feature) => (isCategory(feature) ? commonKind(feature.encoded) : feature.kind);

/** @param {any[]} values */
function commonKind(values) {
  const kinds = new Set(values.map(kindOfValue));
  const [kind] = kinds;
  return kinds.size === 1 ? kind : "";
}

/** @param {any} value */
function kindOfValue(value) {
  if (typeof value === "string" || (value && typeof value === "object" && "prefix" in value)) return "text";
  if (typeof value !== "object" || value === null) return typeof value;
  const [tag] = Object.keys(value);
  return tag === "duration" && /^-?P[^T]*[YM]/.test(value.duration) ? "months" : tag;
}

/** @param {string} kind */
const typeRef = (kind) => (DMN_TYPES[kind] ? ` typeRef="${DMN_TYPES[kind]}"` : "");

/**
 * The values of a closed category in FEEL.
 * @param {EditedFeature & CategoricalRecord} feature
 */
function valuesCell(feature) {
  const isBoolean = dmnKind(feature) === "boolean" && feature.encoded.length === 2;
  if (feature.admitted.includes(OTHER_CODE) || isBoolean || !feature.encoded.every(hasFeel)) return "";
  const texts = feature.encoded.map((value) => feelLiteral(value, false));
  return [...texts, ...(feature.missing ? ["null"] : [])].join(", ");
}

/**
 * Whether a model alone would be read as another feature: it does not have whole numbers, units, and missing values
 * that no test names, and an open category has the values of its tests, in their order.
 * @param {EditedFeature} feature
 * @param {TableRow[]} rows
 * @param {number} place
 */
function losesFeature(feature, rows, place) {
  const cells = rows.map((row) => row.cells[place].test).filter((test) => test !== null);
  if (!isCategory(feature)) {
    if (feature.kind === "integer" || feature.unit) return true;
    const domain = domainCell(feature, false);
    const namesMissing = cells.some((test) => feelItemsOf(feature, test).some((item) => /null/.test(item)));
    return feature.missing !== (domain ? feature.missing : namesMissing);
  }
  if (valuesCell(feature)) return false;
  if (dmnKind(feature) === "boolean" && feature.encoded.length === 2) {
    return feature.encoded[0] !== false || feature.missing || feature.admitted.includes(OTHER_CODE);
  }
  /** @type {Record<string, any>[]} */
  const data = cells.map((test) => codesData(feature, test.codes ?? []));
  const named = new Set(data.flatMap((each) => each.in ?? each["not in"] ?? []));
  const missing = data.some((each) => "missing" in each);
  const same = [...named].every((value, k) => value === feature.encoded[k]) && named.size === feature.encoded.length;
  return !same || missing !== feature.missing || !feature.encoded.every((value) => typeof value === "string");
}

/**
 * @param {ContinuousRecord} feature
 * @param {Test} test
 */
const feelItemsOf = (feature, test) => (test.spans ?? []).flatMap((span) => feelItems(spanData(feature, span), false));

/** @param {any} value */
function hasFeel(value) {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null) return value !== null;
  return Object.keys(value).some((tag) => ["expression", "prefix"].includes(tag) || tag in CONSTRUCTORS);
}

/** The signs of names in FEEL, as its grammar lists them. */
const NAME_START =
  "A-Z_a-z\\u00c0-\\u00d6\\u00d8-\\u00f6\\u00f8-\\u02ff\\u0370-\\u037d\\u037f-\\u1fff\\u200c-\\u200d" +
  "\\u2070-\\u218f\\u2c00-\\u2fef\\u3001-\\ud7ff\\uf900-\\ufdcf\\ufdf0-\\ufffd\\u{10000}-\\u{effff}";

// eslint-disable-next-line no-misleading-character-class -- signs that combine are part of names
const NO_NAME = new RegExp(`[^${NAME_START}0-9\\u00b7\\u0300-\\u036f\\u203f-\\u2040./'’+*\\- ]+`, "gu");

const BEGINS_NAME = new RegExp(`^[${NAME_START}]`, "u");

const KEYWORDS_OF_FEEL = new Set([
  ...["if", "then", "else", "for", "in", "return", "some", "every", "satisfies", "and", "or", "between", "instance"],
  ...["of", "function", "external", "true", "false", "null"],
]);

/**
 * Names that FEEL can hold; those that it can hold already are kept.
 * @param {string[]} names
 */
function feelNames(names) {
  const plain = names.map(feelName);
  const used = new Set(names.filter((name, k) => name === plain[k]));
  return names.map((name, k) => {
    let [result, number] = [plain[k], 1];
    while (result !== name && used.has(result)) result = `${plain[k]} ${++number}`;
    used.add(result);
    return result;
  });
}

/** @param {string} name */
function feelName(name) {
  /** @param {string} text */
  const joined = (text) => text.split(/\s+/).filter(Boolean).join(" ");
  const result = joined(joined(name).replace(NO_NAME, "_"));
  return BEGINS_NAME.test(result) && !KEYWORDS_OF_FEEL.has(result.split(" ")[0]) ? result : `_${result}`;
}

/** @param {string} text */
const escaped = (text) =>
  inXml(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("\r", "&#13;");

/**
 * Text as an attribute, in the quotes that need fewer escapes.
 * @param {string} text
 */
function quoted(text) {
  const safe = escaped(text).replaceAll("\n", "&#10;").replaceAll("\t", "&#9;");
  return safe.includes('"') && !safe.includes("'") ? `'${safe}'` : `"${safe.replaceAll('"', "&quot;")}"`;
}

/** @param {string} text */
const asciiText = (text) =>
  text.replace(/[^\p{ASCII}]/gu, (sign) =>
    Array.from({ length: sign.length }, (_, k) => `\\u${sign.charCodeAt(k).toString(16).padStart(4, "0")}`).join(""),
  );

/** @param {string} text */
// eslint-disable-next-line no-control-regex
const inXml = (text) => text.replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, "\ufffd").toWellFormed();

/**
 * @param {string} name
 * @param {any} data
 */
const ours = (name, data) => ` irenic:${name}=${quoted(asciiText(line(data)))}`;

// --- the page

/** The rows of the table as texts, for a page that opens with them. @param {EditedTable} table */
export function tableData({ now, outcomes, neverWhere }) {
  return {
    rows: now.rows.map(({ cells, outcomeText, weight, kept }) => ({
      cells: cells.map(({ text }) => text),
      outcomeText,
      weight,
      kept,
    })),
    otherwise: now.otherwise === null ? "" : outcomes[now.otherwise].text,
    policy: now.policy,
    hitPolicy: now.hitPolicy,
    forbidden: now.forbidden,
    never: now.never,
    neverWhere: [...neverWhere],
    outcomes,
  };
}

/**
 * This page, which opens with the edited rows.
 * @param {EditedTable} table
 */
export function pageText(table) {
  const copy = /** @type {HTMLElement} */ (document.documentElement.cloneNode(true));
  for (const { name } of [...copy.attributes]) if (name !== "lang") copy.removeAttribute(name);
  const body = /** @type {HTMLElement} */ (copy.querySelector("body"));
  for (const { name } of [...body.attributes]) body.removeAttribute(name);
  for (const part of body.querySelectorAll(":scope > header, :scope > nav, main > section, :scope > footer")) {
    part.replaceChildren();
  }
  for (const other of body.querySelectorAll(":scope > dialog, #edited")) other.remove();
  const edited = document.createElement("script");
  edited.id = "edited";
  edited.type = "application/json";
  const json = JSON.stringify(tableData(table));
  edited.textContent = json.replace(/[<>&]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
  body.querySelector("#summary")?.after(edited);
  return `<!doctype html>\n${copy.outerHTML}\n`;
}
