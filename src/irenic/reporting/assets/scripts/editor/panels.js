// @ts-check
// What the editor shows beside the grid: findings with a way out of each, and what changes.

import { exampleText } from "./examples.js";
import { caseItems, expectedVerdicts, failingCases, propertyItems } from "./expected.js";
import { regionCells, sayOutcome } from "./regions.js";
import { addRow, deleteRows, isFinished, isForgotten, orderRows, replaceRows } from "./table.js";
import { h, listWords, nameWords, show } from "../dom.js";
import { isCategory, OTHER_CODE } from "../values/features.js";
import { countText, percentText, pluralText } from "../words.js";

const MOST_DRAWN = 30; // findings of a kind that are drawn

/**
 * @typedef {{ table: EditedTable, grid: ReturnType<typeof import("./grid.js").newGrid>,
 *   ask: (what: string, given?: any) => Promise<any>, say: (text: string, wrong?: boolean) => void, canOrder: boolean,
 *   items: Map<string, HTMLElement> }} Desk The items of findings are kept, as most are the same after a change.
 */

/**
 * @param {string} text
 * @param {() => void} onclick
 * @param {string} [label]
 */
const action = (text, onclick, label) => h("button", { type: "button", onclick, "aria-label": label }, text);

/**
 * A link to a row.
 * @param {Desk} desk
 * @param {number} row
 * @param {boolean} [first] whether it begins a sentence
 */
function rowLink({ grid, table }, row, first = false) {
  const go = () => {
    grid.select(row, table.features.length);
    grid.element.focus();
  };
  return h("button", { type: "button", class: "link", onclick: go }, `${first ? "Row" : "row"} ${row + 1}`);
}

/** @param {Desk} desk @param {number[]} rows @param {boolean} [first] */
const rowLinks = (desk, rows, first = false) =>
  rows.slice(0, 6).map((row, k, shown) => {
    const joint = k === 0 ? "" : k < shown.length - 1 || shown.length < rows.length ? ", " : " and ";
    return [joint, rowLink(desk, row, first && k === 0)];
  });

// --- verdicts

/**
 * The counts of findings, each with its look.
 * @param {EditedTable} table
 * @param {Status} status
 */
export function verdictParts(table, status) {
  const open = table.now.rows.filter((row) => !isFinished(row)).length;
  const { conflicts, gaps, overlaps } = status;
  const { policy } = table.now;
  const gapText = !gaps.known
    ? "gaps: checking …"
    : gaps.count
      ? `${gaps.finished ? "" : "at least "}${pluralText(gaps.count, "gap")}`
      : !gaps.finished
        ? "no gaps found yet"
        : gaps.open.length || !gaps.openFinished
          ? "no gaps among the values named"
          : "no gaps";
  const hasDefault = table.now.otherwise !== null;
  /** @type {[string, Child][]} */
  const parts = [];
  if (policy.how === "agree") {
    parts.push(conflicts.count ? ["bad", pluralText(conflicts.count, "conflict")] : ["good", "no conflicts"]);
    if (policy.unique && overlaps.count) parts.push(["bad", pluralText(overlaps.count, "overlap")]);
  } else parts.push(["good", policy.how === "first" ? "the first row decides" : "all rows count"]);
  const isOpen = gaps.count > 0 || !gaps.finished;
  parts.push([!gaps.known || (isOpen && hasDefault) ? "" : isOpen ? "warn" : "good", gapText]);
  const names = gaps.open.map((place) => nameWords(table.features[place].name));
  if (gaps.known && names.length) parts.push(["note", ["other values of ", listWords(names, 3), " are not covered"]]);
  else if (gaps.known && !gaps.openFinished) parts.push(["", "other values: unknown"]);
  parts.push(...expectedVerdicts(table, status));
  const spare = status.redundant.length;
  if (spare) parts.push(["note", pluralText(spare, "redundant row")]);
  if (open) parts.push(["warn", `${pluralText(open, "row")} not finished`]);
  return parts;
}

// --- the guard

/**
 * What to do about a row that contradicts others.
 * @param {Desk} desk
 * @param {Status} status
 * @param {number} row
 */
export function guardNotice(desk, status, row) {
  const { table } = desk;
  const found = status.conflicts.list.find((pair) => pair.rows.includes(row));
  if (!found) return null;
  const other = found.rows[0] === row ? found.rows[1] : found.rows[0];
  const rivals = status.conflicts.rows.get(row) ?? 1;
  const name = `row ${row + 1}`;
  return h(
    "div",
    { class: "guard" },
    h(
      "p",
      {},
      rowLink(desk, row, true),
      " says ",
      h("b", {}, sayOutcome(table, table.now.rows[row].outcome)),
      ", ",
      rowLink(desk, other),
      " says ",
      h("b", {}, sayOutcome(table, table.now.rows[other].outcome)),
      ` for ${exampleText(table, found.sides)}.`,
    ),
    h(
      "p",
      { class: "muted small" },
      "Wherever ",
      regionCells(table, found.sides),
      rivals > 1 && `; and ${pluralText(rivals - 1, "more conflict")}`,
    ),
    h(
      "div",
      { class: "actions" },
      action(`Keep the free part of ${name}`, () => void keepFree(desk, row)),
      action(rivals > 1 ? `Cut the other rows` : `Cut row ${other + 1}`, () => void cutOthers(desk, row)),
      desk.canOrder && table.now.policy.how === "agree" && action("Let the first row decide", () => orderRows(table)),
    ),
  );
}

/**
 * Ask the worker, and say why if it cannot answer.
 * @param {Desk} desk
 * @param {string} what
 * @param {any} given
 */
async function askOr({ ask, say }, what, given) {
  try {
    return await ask(what, given);
  } catch (error) {
    say(`This cannot be done: ${error instanceof Error ? error.message : error}.`, true);
    return null;
  }
}

/** @param {Desk} desk @param {number} row */
async function keepFree(desk, row) {
  const { table, say } = desk;
  const found = await askOr(desk, "freeParts", { row });
  if (!found) return;
  const { parts } = found;
  if (!parts.length) return say(`Nothing of row ${row + 1} is free: other rows cover all of it.`);
  replaceRows(table, [{ row, parts }]);
  say(`Row ${row + 1} keeps its free part${parts.length > 1 ? `, in ${parts.length} rows` : ""}.`);
}

/** @param {Desk} desk @param {number} row */
async function cutOthers(desk, row) {
  const { table, say } = desk;
  const cut = await askOr(desk, "cutRivals", { row });
  if (!cut) return;
  replaceRows(table, cut);
  say(`${pluralText(cut.length, "row")} cut, so that row ${row + 1} stands.`);
}

// --- findings

/**
 * All findings, each with its rows, an example and a way out.
 * @param {Desk} desk
 * @param {Status} status
 */
export function editFindings(desk, status) {
  const { table } = desk;
  const { conflicts, overlaps, gaps, redundant } = status;
  const pairs = [...conflicts.list, ...(table.now.policy.unique ? overlaps.list : [])];
  const properties = propertyItems(desk, status);
  const broken = status.properties?.filter(({ holds }) => holds === false).length ?? 0;
  const before = desk.items;
  desk.items = new Map();
  /**
   * @param {string} kind
   * @param {any} found all that the item shows, apart from features
   * @param {() => HTMLElement} draw
   */
  const item = (kind, found, draw) => {
    const key = JSON.stringify([kind, table.growth, found]);
    const element = before.get(key) ?? draw();
    desk.items.set(key, element);
    return element;
  };
  const blocks = [
    block(
      "Conflicts",
      conflicts.count + (table.now.policy.unique ? overlaps.count : 0),
      pairs.slice(0, MOST_DRAWN).map((pair) => item("pair", pair, () => pairItem(desk, pair))),
    ),
    block("Properties", broken || null, properties.slice(0, MOST_DRAWN)),
    block("Test cases", failingCases(table, status)?.length ?? 0, caseItems(desk, status, MOST_DRAWN)),
    block(
      "Gaps",
      gaps.count,
      gaps.list
        .slice(0, MOST_DRAWN)
        .map((sides) => item("gap", [sides, exampleText(table, sides)], () => gapItem(desk, sides))),
      table.now.otherwise === null ? "" : "The default decides there.",
    ),
    block(
      "Redundant rows",
      redundant.length,
      redundant.slice(0, MOST_DRAWN).map((found) => redundantItem(desk, found)),
    ),
  ].filter(Boolean);
  return blocks.length ? blocks : h("p", { class: "muted" }, "Nothing to mend.");
}

/**
 * @param {string} title
 * @param {number | null} count
 * @param {Child[]} items
 * @param {string} [remark]
 */
function block(title, count, items, remark = "") {
  if (!items.length) return null;
  const more = (count ?? 0) - items.length;
  return h(
    "div",
    { class: "edit-found" },
    h("h3", {}, `${title} `, count !== null && h("span", { class: "muted" }, countText(count))),
    remark && h("p", { class: "muted small" }, remark),
    h("ul", {}, items),
    more > 0 && h("p", { class: "muted small" }, `… and ${countText(more)} more`),
  );
}

/** @param {Desk} desk @param {FoundPair} pair */
function pairItem(desk, { rows, sides, agree }) {
  const { table, grid } = desk;
  const [a, b] = rows;
  const showIt = () => {
    grid.select(b, table.features.length);
    grid.mark(rows, sides);
    grid.element.focus();
  };
  return h(
    "li",
    {},
    h(
      "p",
      {},
      rowLink(desk, a, true),
      agree ? " and " : " against ",
      rowLink(desk, b),
      ": ",
      exampleText(table, sides),
    ),
    h("p", { class: "muted small" }, regionCells(table, sides)),
    h(
      "div",
      { class: "actions" },
      action("Show", showIt, `Show the conflict of rows ${a + 1} and ${b + 1}`),
      action(`Cut row ${b + 1}`, () => void keepFree(desk, b)),
      action(`Cut row ${a + 1}`, () => void keepFree(desk, a)),
    ),
  );
}

/**
 * A region without the values that no rule names, where it has others: a rule for B is not one for unknown values, too.
 * @param {EditedTable} table
 * @param {Sides} sides
 * @returns {Sides}
 */
function knownValues(table, sides) {
  return sides.map((side, place) => {
    if (!side || !isCategory(table.features[place])) return side;
    const known = side.filter((code) => code !== OTHER_CODE && !isForgotten(table, place, code));
    return known.some((code) => Number(code) > OTHER_CODE) ? known : side;
  });
}

/** @param {Desk} desk @param {Sides} sides */
function gapItem(desk, sides) {
  const { table, grid, ask } = desk;
  const fill = async () => {
    const grown = await ask("growGap", { sides });
    addRow(table, table.now.rows.length - 1, knownValues(table, grown.sides));
    grid.select(table.now.rows.length - 1, table.features.length);
    grid.edit("");
  };
  const example = exampleText(table, sides);
  return h(
    "li",
    {},
    h("p", {}, "No rule for ", example),
    h("p", { class: "muted small" }, regionCells(table, sides)),
    h(
      "div",
      { class: "actions" },
      action("Add a rule", () => void fill(), `Add a rule for ${example}`),
    ),
  );
}

/** @param {Desk} desk @param {FoundRow} found */
function redundantItem(desk, { kind, rows, by }) {
  const { table } = desk;
  const row = kind === "duplicates" ? rows[rows.length - 1] : rows[0];
  const words = {
    duplicates: () => [rowLinks(desk, rows, true), rows.length > 6 ? " and more" : "", " are identical."],
    inside: () => [
      rowLink(desk, row, true),
      " says what ",
      rowLinks(desk, by),
      by.length > 1 ? " say anyway." : " says anyway.",
    ],
    never_fire: () =>
      by.length
        ? [
            rowLink(desk, row, true),
            " never decides: ",
            rowLinks(desk, by),
            by.length > 1 ? " come first." : " comes first.",
          ]
        : [rowLink(desk, row, true), " never decides: no such case can occur."],
  };
  return h(
    "li",
    {},
    h("p", {}, words[kind]()),
    h(
      "div",
      { class: "actions" },
      action(`Delete row ${row + 1}`, () => deleteRows(table, row, row)),
    ),
  );
}

// --- what changes

/**
 * @param {EditedTable} table
 * @param {{ list: ChangedRegion[], finished: boolean }} changes
 * @param {EditedResults | null} results
 * @param {EditedResults | null} before
 */
export function editChanges(table, changes, results, before) {
  if (table.now === table.opened) return h("p", { class: "muted" }, "Nothing has changed yet.");
  const { list, finished } = changes;
  const count = `${finished ? "" : "at least "}${pluralText(list.length, "region")}`;
  return [
    results && editedResults(results, before),
    h(
      "p",
      {},
      list.length
        ? `Other decisions in ${count}:`
        : finished
          ? "All cases are decided as before."
          : "The regions that change could not be computed.",
    ),
    h(
      "ul",
      { class: "changed" },
      list
        .slice(0, MOST_DRAWN)
        .map(({ sides, before: old, after }) =>
          h(
            "li",
            {},
            h(
              "p",
              {},
              h("b", {}, sayOutcome(table, old)),
              " → ",
              h("b", {}, sayOutcome(table, after)),
              " for ",
              exampleText(table, sides),
            ),
            h("p", { class: "muted small" }, regionCells(table, sides)),
          ),
        ),
    ),
    list.length > MOST_DRAWN && h("p", { class: "muted small" }, `… and ${countText(list.length - MOST_DRAWN)} more`),
    results && editedConfusion(table, results),
  ];
}

/**
 * @param {EditedResults} results
 * @param {EditedResults | null} before
 */
function editedResults(results, before) {
  /** @param {string} name @param {(of: EditedResults) => number | null} value */
  const line = (name, value) => {
    const [old, now] = [before && value(before), value(results)];
    if (now === null) return null;
    /** @param {number | null} part */
    const share = (part) => (part === null ? "–" : percentText(results.rows ? part / results.rows : 0));
    return h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, share(old)), h("td", {}, share(now)));
  };
  return [
    h(
      "p",
      {},
      h("b", {}, countText(results.changed)),
      ` of ${pluralText(results.rows, "instance")} are decided otherwise.`,
    ),
    h(
      "table",
      { class: "before-after" },
      h("thead", {}, h("tr", {}, h("td", {}), h("th", { scope: "col" }, "opened"), h("th", { scope: "col" }, "now"))),
      h(
        "tbody",
        {},
        line("right", (of) => of.right),
        line("covered by rules", (of) => of.covered),
      ),
    ),
  ];
}

/** @param {EditedTable} table @param {EditedResults} results */
function editedConfusion(table, { confusion, right }) {
  if (right === null) return null;
  const places = [...new Set([...confusion.keys()].flatMap((key) => key.split(",").map(Number)))].sort((a, b) => a - b);
  if (places.length > 12) return null;
  const truths = places.filter((place) => place >= 0);
  return h(
    "details",
    {},
    h("summary", {}, "Confusion matrix"),
    h(
      "div",
      { class: "scroll" },
      h(
        "table",
        { class: "before-after" },
        h("caption", { class: "small muted" }, "rows: true outcome; columns: decided now"),
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            h("td", {}),
            places.map((place) => h("th", { scope: "col" }, sayOutcome(table, place))),
          ),
        ),
        h(
          "tbody",
          {},
          truths.map((truth) =>
            h(
              "tr",
              {},
              h("th", { scope: "row" }, sayOutcome(table, truth)),
              places.map((place) =>
                h("td", { class: place === truth ? "same" : "" }, countText(confusion.get(`${truth},${place}`) ?? 0)),
              ),
            ),
          ),
        ),
      ),
    ),
  );
}

/**
 * Fill an element only if it is in view, so that a closed panel costs nothing.
 * @param {HTMLDetailsElement} panel
 * @param {HTMLElement} content
 * @param {() => Child | Promise<Child>} draw
 */
export async function fillPanel(panel, content, draw) {
  if (panel.open) show(content, await draw());
}
