// @ts-check
// The table that is edited: its rows, what can be done with them, and undo.

import { cellText, isSingle, parseCell, sidesOfTest, testFrom } from "./cells.js";
import { contradictions, outcomeError, parseOutcome } from "./outcomes.js";
import { numberInFile } from "./spellings.js";
import { writtenConditions } from "../conditions.js";
import { featureNamed, summary } from "../summary.js";
import { FIRST_CODE, isCategory, LOWEST, OTHER_CODE } from "../values/features.js";
import { classOf, shownValue } from "../values/prefixes.js";

const MOST_STEPS = 300; // that can be undone

let lastId = 0;

/** @type {TableCell} */
export const ANY_CELL = Object.freeze({ text: "-", test: null, error: "" });

/** @type {WeakMap<Snapshot, Map<number, Set<number>>>} */
const named = new WeakMap();

/**
 * The codes of the values of a category that rows tell from other values.
 * @param {EditedFeature} feature
 * @param {number} place
 * @param {Snapshot} snapshot
 */
function namedCodes(feature, place, snapshot) {
  const places = named.get(snapshot) ?? new Map();
  named.set(snapshot, places);
  if (!places.has(place)) {
    const tests = snapshot.rows.flatMap(({ cells }) => {
      const codes = cells[place].test?.codes;
      return codes ? [new Set(codes)] : [];
    });
    const values = isCategory(feature) ? feature.encoded : [];
    /** @param {number} code */
    const around = (code) => (code < FIRST_CODE ? OTHER_CODE : classOf(values, values[code - FIRST_CODE]));
    /** @param {number} code */
    const differs = (code) => tests.some((held) => held.has(code) !== held.has(around(code)));
    places.set(place, new Set((feature.admitted ?? []).filter(differs)));
  }
  return /** @type {Set<number>} */ (places.get(place));
}

/**
 * Whether a value of a category is known only from cells that were changed since: a corrected typing mistake, say.
 * @param {EditedTable} table
 * @param {number} place
 * @param {number | null} code
 */
export function isForgotten({ features, opened, now }, place, code) {
  const feature = features[place];
  if (!isCategory(feature) || code === null || code <= OTHER_CODE || !feature.admitted.includes(OTHER_CODE))
    return false;
  if (namedCodes(feature, place, now).has(code)) return false;
  return namedCodes(feature, place, opened).has(code) || code >= (featureNamed(feature.name).values?.length ?? 0);
}

/**
 * The table of a model.
 * @param {ModelRecord} model
 * @returns {EditedTable}
 */
export function newTable(model) {
  const features = summary.features.map((feature) => ({
    ...feature,
    encoded: isCategory(feature) ? (feature.listed ?? feature.values.slice(2)) : [],
  }));
  const outcomes = summary.outcomes.map(({ text, value }) => ({
    text: typeof value === "number" ? writtenOutcome(text) : text,
    value: value ?? text,
  }));
  const { how, hit_policy: hitPolicy } = summary.decides;
  const ranks = hitPolicy === "PRIORITY" ? ranksOf(model, outcomes.length) : null;
  /** @type {Policy} */
  const policy = {
    how: how === "first" || how === "all" ? how : "agree",
    unique: hitPolicy === "UNIQUE",
    ranks,
    single: (how === "agree" || how === "first") && !contradictions(outcomes).length,
  };
  const never = (model.front?.proved ?? []).flatMap((text) => /^NEVER (.*)/s.exec(text)?.[1] ?? []);
  const marks = { forbidden: [], never };
  const rows = rowsOf(model, features, outcomes);
  const opened = { rows, otherwise: model.default.outcome, policy, hitPolicy, ...marks };
  const impossible = summary.impossible.map(({ box }) => box);
  const history = { opened, now: opened, past: [], future: [], growth: 0, listeners: [], neverWhere: new Map() };
  const outputs = summary.reading?.columns.filter(({ role }) => role === "outcome").map(({ name }) => name) ?? [];
  const outcomeName = outputs.join(", ") || "then";
  const asked = summary.properties.map((property) => property.asked);
  return {
    name: summary.name,
    outcomeName,
    outputs: outputs.length ? outputs : ["then"],
    features,
    outcomes,
    impossible,
    asked,
    ...history,
  };
}

/**
 * A number as its file writes it: 12% instead of 0.12, if it is the only such spelling.
 * @param {string} text
 */
function writtenOutcome(text) {
  const column = summary.reading?.columns.find(({ role }) => role === "outcome");
  const spellings = column?.interpreted.filter(({ meaning }) => isSameNumber(meaning, text)) ?? [];
  return spellings.length === 1 ? spellings[0].text : numberInFile(text);
}

/**
 * @param {string} a
 * @param {string} b
 */
const isSameNumber = (a, b) => a.trim() !== "" && b.trim() !== "" && Number(a) === Number(b);

/**
 * @param {ModelRecord} model
 * @param {number} n
 */
function ranksOf(model, n) {
  const best = [...new Set((model.order ?? []).map((place) => model.rules[place].outcome))];
  return Array.from({ length: n }, (_, outcome) => (best.includes(outcome) ? best.indexOf(outcome) : best.length));
}

/**
 * The rows of a model: rules of one row are one again, if its cells can say so.
 * @param {ModelRecord} model
 * @param {EditedFeature[]} features
 * @param {EditedOutcome[]} outcomes
 */
function rowsOf(model, features, outcomes) {
  /** @type {Map<number, CountedRule[]>} */
  const groups = new Map();
  for (const rule of model.rules) groups.set(rule.number, [...(groups.get(rule.number) ?? []), rule]);
  return [...groups.values()].flatMap((group) => {
    const joined = group.length > 1 ? joinedTests(group, features) : null;
    const each = joined ? [joined] : group.map((rule) => testsOf(rule, features));
    return each.map((tests, k) => {
      const { outcome, weight, number } = group[joined ? 0 : k];
      const kept = number <= (model.front?.kept ?? 0);
      return { ...newRow(features, tests), outcome, outcomeText: outcomes[outcome].text, weight, kept };
    });
  });
}

/**
 * The tests of a rule, with bounds as they were written.
 * @param {CountedRule} rule
 * @param {EditedFeature[]} features
 */
function testsOf(rule, features) {
  const written = new Map(writtenConditions(rule).map((parts) => [parts.feature, parts]));
  return features.map((feature) => {
    const parts = written.get(feature.name);
    const test = testFrom(feature, Object.hasOwn(rule.box, feature.name) ? rule.box[feature.name] : null);
    if (!test?.spans || !parts || parts.values !== undefined) return test;
    const [{ lower, upper }] = test.spans;
    const span = {
      lower: lower && lower.at > LOWEST ? { at: lower.at, after: Boolean(parts.lower?.open) } : lower,
      upper: upper && upper.at > LOWEST ? { at: upper.at, after: !(parts.upper?.open ?? false) } : upper,
    };
    return { spans: [span] };
  });
}

/**
 * One test per feature for several rules, null if their union is not a product of tests.
 * @param {CountedRule[]} rules
 * @param {EditedFeature[]} features
 */
function joinedTests(rules, features) {
  const each = rules.map((rule) => testsOf(rule, features));
  let product = 1;
  const joined = features.map((_, place) => {
    const distinct = new Map(each.map((tests) => [JSON.stringify(tests[place]), tests[place]]));
    product *= distinct.size;
    if (distinct.size === 1) return each[0][place];
    const spans = [...distinct.values()].flatMap((test) => test?.spans ?? []);
    if (spans.length !== distinct.size) product = NaN;
    return { spans: spans.sort((a, b) => (a.lower?.at ?? -Infinity) - (b.lower?.at ?? -Infinity)) };
  });
  return product === rules.length ? joined : null;
}

/**
 * A row without an outcome.
 * @param {EditedFeature[]} features
 * @param {(Test | null)[]} [tests]
 * @returns {TableRow}
 */
function newRow(features, tests = []) {
  const cells = features.map((feature, place) => {
    const test = tests[place] ?? null;
    return test ? { text: cellText(feature, test), test, error: "" } : ANY_CELL;
  });
  return { id: ++lastId, cells, outcome: null, outcomeText: "", weight: 1 };
}

/** @param {TableRow} row */
export const isFinished = (row) => row.outcome !== null && row.cells.every((cell) => !cell.error);

/**
 * The boxes of a row; none if it is not finished.
 * @param {TableRow} row
 * @returns {Sides[]}
 */
export function boxesOfRow(row) {
  if (!isFinished(row)) return [];
  /** @type {Sides[]} */
  let boxes = [[]];
  for (const cell of row.cells) {
    const sides = sidesOfTest(cell.test);
    boxes = boxes.flatMap((box) => sides.map((side) => [...box, side]));
  }
  return boxes;
}

// --- history

/**
 * @param {EditedTable} table
 * @param {Partial<Snapshot>} next
 */
function change(table, next) {
  table.past = [...table.past.slice(-MOST_STEPS + 1), table.now];
  table.future = [];
  table.now = { ...table.now, ...next };
  announce(table);
}

/**
 * Whether the table differs from the one that was opened. New values of categories alone are no difference, nor are
 * marks for the learner.
 * @param {EditedTable} table
 */
export function isChanged({ now, opened }) {
  const { rows, otherwise, policy } = opened;
  const same = now.rows.length === rows.length && rows.every(({ id }, place) => id === now.rows[place].id);
  return !same || now.otherwise !== otherwise || now.policy !== policy;
}

/** @param {EditedTable} table */
function announce(table) {
  for (const listener of table.listeners) listener();
}

/**
 * @param {EditedTable} table
 * @param {"past" | "future"} from
 */
export function travel(table, from) {
  const to = from === "past" ? "future" : "past";
  const snapshot = table[from].pop();
  if (!snapshot) return;
  table[to] = [...table[to], table.now];
  table.now = snapshot;
  announce(table);
}

/**
 * Change each row, as one step.
 * @param {EditedTable} table
 * @param {(row: TableRow, place: number) => TableRow} changed
 */
const changeRowsTo = (table, changed) => change(table, { rows: table.now.rows.map(changed) });

// --- cells

/**
 * Set the texts of cells, as one step. The column after the features is the outcome.
 * @param {EditedTable} table
 * @param {{ row: number, column: number, text: string }[]} cells
 */
export function setCells(table, cells) {
  /** @type {Map<number, TableRow>} */
  const changed = new Map();
  for (const { row, column, text } of cells) {
    if (row >= table.now.rows.length || column > table.features.length) continue;
    const cell = column < table.features.length ? newCell(table, column, text, changed) : null;
    const before = changed.get(row) ?? table.now.rows[row];
    const after = cell ? withCell(before, column, cell) : withOutcome(table, before, text);
    if (after !== before) changed.set(row, after);
  }
  if (changed.size) changeRowsTo(table, (row, place) => changed.get(place) ?? row);
}

/**
 * @param {TableRow} row
 * @param {number} column
 * @param {TableCell} cell
 * @returns {TableRow}
 */
function withCell(row, column, cell) {
  const before = row.cells[column];
  if (cell.text === before.text && cell.error === before.error) return row;
  return { ...row, id: ++lastId, cells: row.cells.map((each, place) => (place === column ? cell : each)) };
}

/**
 * @param {EditedTable} table
 * @param {TableRow} row
 * @param {string} text
 * @returns {TableRow}
 */
function withOutcome(table, row, text) {
  const outcome = outcomeNamed(table, text);
  const outcomeText = outcome === null ? text.trim() : table.outcomes[outcome].text;
  const unchanged = outcome === row.outcome && outcomeText === row.outcomeText;
  return unchanged ? row : { ...row, id: ++lastId, outcome, outcomeText };
}

/**
 * The place of an outcome, which is added if it is new; null for an empty or invalid text.
 * @param {EditedTable} table
 * @param {string} text
 */
export function outcomeNamed(table, text) {
  const found = parseOutcome(table.outcomes, text);
  if (!found?.added) return found?.place ?? null;
  table.outcomes = [...table.outcomes, found.added];
  table.growth += 1;
  return table.outcomes.length - 1;
}

/**
 * The cell with a text; values that the feature does not have yet are added to it.
 * @param {EditedTable} table
 * @param {number} column
 * @param {string} text
 * @param {Map<number, TableRow>} changed rows that are not yet in the table
 * @returns {TableCell}
 */
function newCell(table, column, text, changed) {
  const parsed = parseCell(table.features[column], text);
  if (parsed.error !== undefined) return { text: text.trim(), test: null, error: parsed.error };
  if (parsed.added?.length) {
    const extended = addValues(table, column, parsed.added);
    for (const [place, row] of changed) changed.set(place, extended(row));
  }
  if (!parsed.test) return ANY_CELL;
  return { text: cellText(table.features[column], parsed.test), test: parsed.test, error: "" };
}

/**
 * Add values to a category that is open to them. Conditions that hold for any other value, or for the prefix that they
 * begin with, hold for the new ones, in all rows of the history, too. Returns a function that changes further rows.
 * @param {EditedTable} table
 * @param {number} place
 * @param {Encoded[]} added
 */
function addValues(table, place, added) {
  const feature = table.features[place];
  if (!isCategory(feature)) throw new Error(`${feature.name} is not a category`);
  const fresh = added.map((value, k) => ({ code: feature.values.length + k, like: classOf(feature.encoded, value) }));
  const grown = {
    ...feature,
    values: [...feature.values, ...added.map(shownValue)],
    encoded: [...feature.encoded, ...added],
    admitted: [...feature.admitted, ...fresh.map(({ code }) => code)],
  };
  table.features = table.features.map((each, k) => (k === place ? grown : each));
  table.growth += 1;
  /** @param {Box} box @returns {Box} */
  const extendedBox = (box) =>
    Object.hasOwn(box, feature.name) ? { ...box, [feature.name]: withFresh(box[feature.name], fresh) } : box;
  table.impossible = table.impossible.map(extendedBox);
  table.asked = table.asked.map(
    (each) => each && { ...each, where: each.where.map(extendedBox), excused: each.excused.map(extendedBox) },
  );
  /** @type {Map<TableRow, TableRow>} */
  const kept = new Map();
  /** @param {TableRow} row */
  const extended = (row) => {
    const known = kept.get(row) ?? extendedRow(row, place, fresh);
    kept.set(row, known);
    return known;
  };
  /** @param {Snapshot} snapshot */
  const all = (snapshot) => ({ ...snapshot, rows: snapshot.rows.map(extended) });
  table.opened = all(table.opened);
  table.now = all(table.now);
  table.past = table.past.map(all);
  table.future = table.future.map(all);
  return extended;
}

/**
 * The codes of a condition, and those of new values that it held for already.
 * @template {(number | null)[]} T
 * @param {T} codes
 * @param {{ code: number, like: number }[]} fresh
 */
const withFresh = (codes, fresh) => [
  ...codes,
  ...fresh.filter(({ like }) => codes.includes(like)).map(({ code }) => code),
];

/**
 * @param {TableRow} row
 * @param {number} place
 * @param {{ code: number, like: number }[]} fresh
 * @returns {TableRow}
 */
function extendedRow(row, place, fresh) {
  const codes = row.cells[place].test?.codes;
  if (!codes || !fresh.some(({ like }) => codes.includes(like))) return row;
  const cell = { ...row.cells[place], test: { codes: withFresh(codes, fresh) } };
  return { ...row, cells: row.cells.map((each, k) => (k === place ? cell : each)) };
}

// --- paste

/**
 * Paste the cells of a spreadsheet, as one step; rows beyond the last are added. A single cell fills the selection.
 * Returns how many rows and columns were pasted, null for none.
 * @param {EditedTable} table
 * @param {string} text
 * @param {{ row: number, rows: number, columns: number[], selected: number }} to
 */
export function pasteCells(table, text, { row, rows, columns, selected }) {
  let lines = parseTsv(text);
  /** @param {number} k */
  const nameAt = (k) => table.features[columns[k]]?.name;
  if (lines.length > 1 && lines[0].length > 1 && lines[0].every((each, k) => (nameAt(k) ?? each) === each)) {
    lines = lines.slice(1); // the header was copied, too
  }
  if (!lines.length) return null;
  if (lines.length === 1 && lines[0].length === 1) {
    lines = Array.from({ length: rows }, () => Array.from({ length: selected }, () => lines[0][0]));
  }
  const missing = Math.max(0, row + lines.length - table.now.rows.length);
  const before = table.now;
  const added = Array.from({ length: missing }, () => newRow(table.features));
  table.now = { ...before, rows: [...before.rows, ...added] };
  const { length } = table.past;
  setCells(
    table,
    lines.flatMap((cells, k) =>
      cells.slice(0, columns.length).map((each, n) => ({ row: row + k, column: columns[n], text: each })),
    ),
  );
  if (table.past.length > length) table.past[table.past.length - 1] = withoutRows(table, missing);
  else table.now = before; // nothing changed
  const wide = Math.max(...lines.map((cells) => cells.length));
  return { rows: lines.length, columns: Math.min(wide, columns.length) };
}

/**
 * The last step of the history without the rows that were added for a paste.
 * @param {EditedTable} table
 * @param {number} added
 */
function withoutRows({ past }, added) {
  const last = past[past.length - 1];
  return { ...last, rows: last.rows.slice(0, last.rows.length - added) };
}

/**
 * Cells as spreadsheets copy them: tabs between them, quotes around those with tabs, quotes or line ends.
 * @param {string} text
 */
export function parseTsv(text) {
  const lines = [[""]];
  let quoted = false;
  const signs = text.replace(/\r\n?/g, "\n").replace(/\n$/, "");
  for (let i = 0; i < signs.length; i++) {
    const cells = lines[lines.length - 1];
    const last = cells.length - 1;
    const sign = signs[i];
    if (sign === '"' && quoted && signs[i + 1] === '"') cells[last] += signs[++i];
    else if (sign === '"' && (quoted ? /[\t\n]|^$/.test(signs[i + 1] ?? "") : isQuotedCell(signs, i, cells[last]))) {
      quoted = !quoted;
    } else if (sign === "\t" && !quoted) cells.push("");
    else if (sign === "\n" && !quoted) lines.push([""]);
    else cells[last] += sign;
  }
  return lines;
}

/**
 * Whether a quote begins a cell that a spreadsheet quoted: the cell contains a tab, a line end or doubled quotes.
 * "nurse" in a cell is just text in quotes.
 * @param {string} signs
 * @param {number} at
 * @param {string} before
 */
function isQuotedCell(signs, at, before) {
  if (before) return false;
  const cell = /^"((?:[^"]|"")*)"(?=\t|\n|$)/.exec(signs.slice(at));
  return cell !== null && /[\t\n]|""/.test(cell[1]);
}

// --- rows

/**
 * Add a row below another, -1 for the first place. Its conditions are those of a box.
 * @param {EditedTable} table
 * @param {number} after
 * @param {Sides} [sides]
 * @param {number | null} [outcome]
 */
export function addRow(table, after, sides = [], outcome = null) {
  const row = rowFrom(table, sides, outcome);
  change(table, { rows: table.now.rows.toSpliced(after + 1, 0, row) });
}

/**
 * @param {EditedTable} table
 * @param {Sides} sides
 * @param {number | null} outcome
 * @param {CountedRule["weight"]} [weight]
 */
function rowFrom(table, sides, outcome, weight = 1) {
  const tests = table.features.map((feature, place) => testFrom(feature, sides[place] ?? null));
  const outcomeText = outcome === null ? "" : table.outcomes[outcome].text;
  return { ...newRow(table.features, tests), outcome, outcomeText, weight };
}

/**
 * Put copies of rows below them.
 * @param {EditedTable} table
 * @param {number} first
 * @param {number} last
 */
export function duplicateRows(table, first, last) {
  const copies = table.now.rows.slice(first, last + 1).map((row) => ({ ...row, id: ++lastId }));
  change(table, { rows: table.now.rows.toSpliced(last + 1, 0, ...copies) });
}

/**
 * @param {EditedTable} table
 * @param {number} first
 * @param {number} last
 */
export function deleteRows(table, first, last) {
  change(table, { rows: table.now.rows.toSpliced(first, last - first + 1) });
}

/**
 * Move rows up (-1) or down (1).
 * @param {EditedTable} table
 * @param {number} first
 * @param {number} last
 * @param {1 | -1} by
 */
export function moveRows(table, first, last, by) {
  const { rows } = table.now;
  if (first + by < 0 || last + by >= rows.length) return false;
  const moved = rows.slice(first, last + 1);
  change(table, { rows: rows.toSpliced(first, moved.length).toSpliced(first + by, 0, ...moved) });
  return true;
}

/**
 * Replace rows by others with the same outcome, as one step, and add a row at the end if one is given.
 * @param {EditedTable} table
 * @param {{ row: number, parts: Sides[] }[]} replaced
 * @param {{ sides: Sides, outcome: number } | null} [added]
 */
export function replaceRows(table, replaced, added = null) {
  const parts = new Map(replaced.map((each) => [each.row, each.parts]));
  const rows = table.now.rows.flatMap((row, place) => {
    const own = parts.get(place);
    return own ? own.map((sides) => ({ ...rowFrom(table, sides, row.outcome, row.weight), kept: row.kept })) : [row];
  });
  if (added) rows.push(rowFrom(table, added.sides, added.outcome));
  change(table, { rows });
}

/**
 * Split a row in two at a value of a column: below it and from it on, or the value and all others. Returns an error,
 * empty if there is none.
 * @param {EditedTable} table
 * @param {number} place
 * @param {number} column
 * @param {string} text
 */
export function splitRow(table, place, column, text) {
  const feature = table.features[column];
  const row = table.now.rows[place];
  const { test } = row.cells[column];
  const tests = isCategory(feature) ? splitValues(feature, test, text) : splitSpans(feature, test, text);
  if (typeof tests === "string") return tests;
  const parts = tests.map((part) => {
    const cell = part ? { text: cellText(feature, part), test: part, error: "" } : ANY_CELL;
    return withCell(row, column, cell);
  });
  change(table, { rows: table.now.rows.toSpliced(place, 1, ...parts) });
  return "";
}

/**
 * @param {EditedFeature & CategoricalRecord} feature
 * @param {Test | null} test
 * @param {string} text
 */
function splitValues(feature, test, text) {
  const parsed = parseCell(feature, text);
  if (parsed.error !== undefined) return parsed.error;
  const codes = test?.codes ?? feature.admitted;
  const chosen = new Set(parsed.test?.codes ?? feature.admitted);
  const [inside, rest] = [codes.filter((code) => chosen.has(code)), codes.filter((code) => !chosen.has(code))];
  if (!inside.length || !rest.length) return `“${text}” does not split this row: choose a part of its values.`;
  return [{ codes: inside }, { codes: rest }];
}

/**
 * @param {EditedFeature & ContinuousRecord} feature
 * @param {Test | null} test
 * @param {string} text
 */
function splitSpans(feature, test, text) {
  const closed = /^\s*(<=|>|≤)/.test(text);
  const parsed = parseCell(feature, text.replace(/^[\s<>=≤≥]+/, ""));
  if (parsed.error !== undefined) return parsed.error;
  const [single, other] = parsed.test?.spans ?? [];
  const [low, high] = [single?.lower?.at ?? LOWEST, single?.upper?.at ?? Infinity];
  if (other || !isSingle(feature, low, high)) return `“${text.trim()}” is not ${feature.wanted}.`;
  const cut = { at: closed ? high : low, after: closed };
  const bottom = feature.missing ? null : { at: LOWEST, after: false };
  const spans = test?.spans ?? [{ lower: bottom, upper: null }];
  const below = spans
    .filter(({ lower }) => (lower?.at ?? -Infinity) < cut.at)
    .map(({ lower, upper }) => ({ lower, upper: upper && upper.at <= cut.at ? upper : cut }));
  const above = spans
    .filter(({ upper }) => (upper?.at ?? Infinity) > cut.at)
    .map(({ lower, upper }) => ({ lower: lower && lower.at >= cut.at ? lower : cut, upper }));
  if (!below.length || !above.length)
    return `“${text.trim()}” does not split this row: choose a value inside its range.`;
  return [{ spans: below }, { spans: above }];
}

/**
 * Set what is decided where no rule holds; empty for nothing. Returns an error, empty if there is none.
 * @param {EditedTable} table
 * @param {string} text
 */
export function setOtherwise(table, text) {
  const error = outcomeError(table.outcomes, text);
  if (error) return error;
  const otherwise = outcomeNamed(table, text);
  if (otherwise !== table.now.otherwise) change(table, { otherwise });
  return "";
}

/**
 * Mark rows that the learner must keep, or no longer if all of them are. Returns whether they are.
 * @param {EditedTable} table
 * @param {number} first
 * @param {number} last
 */
export function keepRows(table, first, last) {
  const kept = !table.now.rows.slice(first, last + 1).every((row) => row.kept);
  changeRowsTo(table, (row, place) => (place >= first && place <= last ? { ...row, kept } : row));
  return kept;
}

/** @param {string[]} texts @param {string} text */
const toggled = (texts, text) => (texts.includes(text) ? texts.filter((each) => each !== text) : [...texts, text]);

/**
 * Forbid the learner to test a feature, or allow it again.
 * @param {EditedTable} table
 * @param {string} name
 */
export const toggleForbidden = (table, name) => change(table, { forbidden: toggled(table.now.forbidden, name) });

/**
 * Forbid an outcome where a condition holds, or allow it again.
 * @param {EditedTable} table
 * @param {string} text
 */
export const toggleNever = (table, text) => change(table, { never: toggled(table.now.never, text) });

/**
 * Let the first row that holds decide, instead of requiring that rows agree.
 * @param {EditedTable} table
 */
export function orderRows(table) {
  change(table, { policy: { how: "first", unique: false, ranks: null, single: true }, hitPolicy: "FIRST" });
}

/**
 * Restore the rows of a page that was saved with them, as one step.
 * @param {EditedTable} table
 * @param {{ rows: { cells: string[], outcomeText: string, weight: CountedRule["weight"], kept?: boolean }[],
 *   otherwise: string, policy: Policy, hitPolicy: string, outcomes: EditedOutcome[], forbidden?: string[],
 *   never?: string[], neverWhere?: [string, { outcome: number, boxes: Sides[] }][] }} saved
 */
export function restoreTable(table, saved) {
  table.outcomes = saved.outcomes;
  table.neverWhere = new Map(saved.neverWhere);
  table.growth += 1;
  /** @type {Map<number, TableRow>} */
  const rows = new Map();
  saved.rows.forEach(({ cells, outcomeText, weight, kept }, place) => {
    rows.set(place, { ...newRow(table.features), weight, kept });
    cells.forEach((text, column) => {
      if (text === "-") return;
      const cell = newCell(table, column, text, rows);
      rows.set(place, withCell(/** @type {TableRow} */ (rows.get(place)), column, cell));
    });
    rows.set(place, withOutcome(table, /** @type {TableRow} */ (rows.get(place)), outcomeText));
  });
  const otherwise = outcomeNamed(table, saved.otherwise);
  const { policy, hitPolicy, forbidden = [], never = [] } = saved;
  change(table, { rows: [...rows.values()], otherwise, policy, hitPolicy, forbidden, never });
}
