// @ts-check
// The edited rules as files: JSON, CSV, text, DMN, and the page itself.

import { codesText, isSingle, spanText } from "./cells.js";
import { contradictions } from "./outcomes.js";
import { isFinished } from "./table.js";
import { isCategory, LOWEST, MISSING_CODE, OTHER_CODE, valueBefore } from "../values/features.js";
import { formatNumber, formatValue, formatWord } from "../values/texts.js";

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
    const other = feature.admitted.includes(OTHER_CODE) ? { other: true } : {};
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
 * @param {Continuous} feature
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
      ? [codesData(/** @type {EditedFeature & Category} */ (feature), test.codes)]
      : test.spans.map((span) => spanData(/** @type {Continuous} */ (feature), span));
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
 * @param {Continuous} feature
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
 * @param {EditedFeature & Category} feature
 * @param {number[]} codes
 */
function codesData(feature, codes) {
  const held = new Set(codes);
  /** @param {boolean} admitted */
  const listed = (admitted) =>
    feature.admitted
      .filter((code) => code > OTHER_CODE && held.has(code) === admitted)
      .map((c) => feature.encoded[c - 2]);
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
    return `${JSON.stringify(key)}: ${isList ? `[\n    ${value.map(line).join(",\n    ")}\n  ]` : line(value)}`;
  });
  return `{\n  ${parts.join(",\n  ")}\n}\n`;
}

/** @param {any} value */
const line = (value) => JSON.stringify(value);

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

// --- CSV

/**
 * The letter of a hit policy in spreadsheets.
 * @type {Record<string, string>}
 */
const LETTERS = { UNIQUE: "U", ANY: "A", FIRST: "F", PRIORITY: "F", "RULE ORDER": "R", COLLECT: "C" };

/** @param {EditedTable} table */
export function rulesCsv(table) {
  const { features, outcomes, now } = table;
  const letter = LETTERS[now.hitPolicy] ?? (now.policy.how === "first" ? "F" : "");
  const rows = orderedRows(table);
  const weighted = rows.some((row) => row.weight !== 1);
  const names = features.map((feature) => feature.name);
  const last = names.includes(table.outcomeName) ? "then (outcome)" : table.outcomeName;
  const lines = [[...(letter ? [letter] : []), ...names, ...(weighted ? ["RULE WEIGHT"] : []), last]];
  rows.forEach((row, k) => {
    const cells = row.cells.map(({ test }, place) => feelCell(features[place], test, true));
    const weight = weighted ? [weightText(row.weight)] : [];
    const start = letter ? [String(k + 1)] : [];
    lines.push([...start, ...cells, ...weight, outcomeCell(outcomes[row.outcome ?? 0].value)]);
  });
  table.impossible.forEach((box, k) => {
    const cells = features.map((feature) => {
      const side = Object.hasOwn(box, feature.name) ? box[feature.name] : null;
      if (!side) return "-";
      if (isCategory(feature)) return feelCell(feature, { codes: /** @type {number[]} */ (side) }, true);
      const [lower, upper] = side.map((at) => (at === null ? null : plainEnd(at)));
      return feelCell(feature, { spans: [{ lower, upper }] }, true);
    });
    lines.push([...(letter ? [String(rows.length + k + 1)] : []), ...cells, ...(weighted ? [""] : []), "cannot occur"]);
  });
  if (now.otherwise !== null) {
    const blanks = Array.from({ length: names.length - 1 + (weighted ? 1 : 0) }, () => "");
    lines.push([...(letter ? [""] : []), "DEFAULT", ...blanks, outcomeCell(outcomes[now.otherwise].value)]);
  }
  return lines.map((cells) => `${cells.map(csvCell).join(",")}\n`).join("");
}

/** @param {string} text */
const csvCell = (text) => (/[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** @param {any} value */
const outcomeCell = (value) =>
  typeof value === "string" && !isPlainWord(value) ? JSON.stringify(value) : literalText(value);

/** @param {string} text */
const isPlainWord = (text) =>
  /^\p{L}[\p{L}\p{N}_]+$/u.test(text) &&
  !/^(null|true|false|not|any|all|else|otherwise|default|na|none|other)$/i.test(text);

/**
 * A condition in FEEL: with words, as spreadsheets write it, otherwise as DMN does.
 * @param {EditedFeature} feature
 * @param {Test | null} test
 * @param {boolean} words
 */
function feelCell(feature, test, words) {
  if (!test) return "-";
  if (isCategory(feature)) {
    return codesText(feature, test.codes ?? [], (code) =>
      code === MISSING_CODE ? "null" : feelLiteral(feature.encoded[code - 2], words),
    );
  }
  /** @param {number} value */
  const write = (value) => feelLiteral(numberData(feature, value), words);
  return (test.spans ?? []).map((span) => spanText(feature, span, write)).join(", ");
}

/** @type {Record<string, string>} */
const CONSTRUCTORS = { date: "date", datetime: "date and time", time: "time", duration: "duration" };

/**
 * @param {any} value
 * @param {boolean} words
 * @returns {string}
 */
function feelLiteral(value, words) {
  if (typeof value === "string") return words && isPlainWord(value) ? value : JSON.stringify(value);
  if (typeof value === "number") return decimalText(value);
  if (typeof value === "boolean") return String(value);
  const [[tag, inner]] = Object.entries(value ?? { null: "null" });
  if (!CONSTRUCTORS[tag]) throw new Error(`${literalText(value)} cannot be written to a decision table.`);
  return words ? String(inner) : `${CONSTRUCTORS[tag]}("${inner}")`;
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

const DMN_TYPES = {
  number: "number",
  integer: "number",
  date: "date",
  time: "time",
  datetime: "date and time",
  duration: "days and time duration",
  months: "years and months duration",
  category: "",
};

/** @param {EditedTable} table */
export function rulesDmn(table) {
  const { features, outcomes, now } = table;
  const rows = orderedRows(table);
  const names = feelNames(features.map((feature) => feature.name));
  const types = features.map(dmnType);
  const title = table.name || "rules";
  const [name] = feelNames([title]);
  const data = names.map(
    (each, k) => `  <inputData id="data${k + 1}" name=${quoted(each)}>
    <variable name=${quoted(each)}${types[k]}/>
  </inputData>`,
  );
  const needs = names.map(
    (_, k) =>
      `    <informationRequirement id="needs${k + 1}"><requiredInput href="#data${k + 1}"/></informationRequirement>`,
  );
  const inputs = features.map(
    (
      feature,
      k,
    ) => `      <input id="input${k + 1}" label=${quoted(feature.name)}${ours("feature", featureData(feature))}>
        <inputExpression id="expression${k + 1}"${types[k]}><text>${escaped(names[k])}</text></inputExpression>
      </input>`,
  );
  const rules = rows.map((row, n) => {
    const value = outcomes[row.outcome ?? 0].value;
    const weight = row.weight === 1 ? "" : ours("weight", row.weight);
    const then = hasFeel(value) ? "" : ours("then", value);
    const cells = row.cells.map(
      ({ test }, k) =>
        `        <inputEntry id="test${n + 1}.${k + 1}"><text>${escaped(feelCell(features[k], test, false))}</text></inputEntry>`,
    );
    const text = escaped(hasFeel(value) ? feelLiteral(value, false) : "null");
    return `      <rule id="rule${n + 1}"${weight}${then}>
${cells.map((cell) => `${cell}\n`).join("")}        <outputEntry id="then${n + 1}.1"><text>${text}</text></outputEntry>
      </rule>`;
  });
  const otherwise = now.otherwise === null ? null : outcomes[now.otherwise].value;
  const isLiteral = otherwise !== null && hasFeel(otherwise);
  const impossible = table.impossible.length
    ? ours(
        "impossible",
        table.impossible.map((box) => boxData(table, box)),
      )
    : "";
  const rest = otherwise !== null && !isLiteral ? ours("default", otherwise) : "";
  const output = isLiteral
    ? `      <output id="output1" name="then">
        <defaultOutputEntry><text>${escaped(feelLiteral(otherwise, false))}</text></defaultOutputEntry>
      </output>`
    : '      <output id="output1" name="then"/>';
  return `<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" xmlns:irenic="urn:irenic:dmn"
    id="definitions" name=${quoted(title)} namespace="urn:irenic:dmn:model">
${[...data].map((each) => `${each}\n`).join("")}  <decision id="decision" name=${quoted(name)}>
    <variable name=${quoted(name)}/>
${needs.map((each) => `${each}\n`).join("")}    <decisionTable id="table" hitPolicy="${dmnPolicy(table)}"${impossible}${rest}>
${[...inputs, output, ...rules].join("\n")}
    </decisionTable>
  </decision>
</definitions>
`;
}

/** @param {EditedTable} table */
function dmnPolicy({ now, outcomes }) {
  if (now.policy.how === "first") return "FIRST";
  if (["UNIQUE", "ANY", "RULE ORDER", "COLLECT"].includes(now.hitPolicy)) return now.hitPolicy;
  return contradictions(outcomes).length ? "COLLECT" : "ANY";
}

/** @param {EditedFeature} feature */
function dmnType(feature) {
  const allTexts = isCategory(feature) && feature.encoded.every((value) => typeof value === "string");
  const type = allTexts ? "string" : DMN_TYPES[feature.kind];
  return type ? ` typeRef="${type}"` : "";
}

/** @param {any} value */
function hasFeel(value) {
  return (
    typeof value === "string" || typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value))
  );
}

/**
 * Names that FEEL can hold.
 * @param {string[]} names
 */
function feelNames(names) {
  const used = new Set(names);
  return names.map((name) => {
    if (
      /^[A-Z_a-z][\w ]*\w$|^[A-Z_a-z]$/.test(name) &&
      !/^(if|not|in|and|or|null|true|false|for|some|every)\b/.test(name)
    ) {
      return name;
    }
    const plain = `_${name.replace(/\W+/g, "_")}`;
    let [unique, number] = [plain, 1];
    while (used.has(unique)) unique = `${plain} ${++number}`;
    used.add(unique);
    return unique;
  });
}

/** @param {string} text */
const escaped = (text) =>
  inXml(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("\r", "&#13;");

/** @param {string} text */
const quoted = (text) =>
  `"${escaped(text).replaceAll('"', "&quot;").replaceAll("\n", "&#10;").replaceAll("\t", "&#9;")}"`;

/** @param {string} text */
// eslint-disable-next-line no-control-regex
const inXml = (text) => text.replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, "\ufffd").toWellFormed();

/**
 * @param {string} name
 * @param {any} data
 */
const ours = (name, data) => ` irenic:${name}=${quoted(JSON.stringify(data))}`;

// --- the page

/** The rows of the table as texts, for a page that opens with them. @param {EditedTable} table */
export function tableData({ now, outcomes }) {
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
