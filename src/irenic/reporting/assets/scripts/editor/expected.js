// @ts-check
// The properties and test cases that came with the rules: which hold for the edited rows, and a case that breaks one.

import { exampleText, pairText } from "./examples.js";
import { regionCells, sayOutcome } from "./regions.js";
import { h, nameWords } from "../dom.js";
import { formatCase } from "../values/texts.js";
import { summary } from "../summary.js";
import { capitalized, pluralText } from "../words.js";

/**
 * @typedef {import("./panels.js").Desk} Desk
 */

/**
 * Whether an outcome is the expected one; -1 is none, and -2 a contradiction.
 * @param {EditedTable} table
 * @param {TestCase} wanted
 * @param {number} place
 */
function isExpected({ outcomes }, { expected, text }, place) {
  if (expected === null || place < 0) return expected === null && place === -1;
  const { value, text: shown } = outcomes[place];
  if (JSON.stringify(value) === JSON.stringify(expected)) return true;
  if (typeof value === "boolean" || typeof expected === "boolean")
    return String(value).toLowerCase() === String(expected).toLowerCase();
  return text === shown || String(expected) === String(value);
}

/**
 * The test cases that fail, by their places; null if they are not checked here.
 * @param {EditedTable} table
 * @param {Status} status
 */
export function failingCases(table, { cases }) {
  if (!cases) return null;
  return summary.cases.flatMap((each, k) => (isExpected(table, each, cases[k].outcome) ? [] : [k]));
}

/**
 * The properties and cases in the line of verdicts.
 * @param {EditedTable} table
 * @param {Status} status
 * @returns {[kind: string, text: string][]}
 */
export function expectedVerdicts(table, status) {
  /** @type {[string, string][]} */
  const parts = [];
  const { properties } = status;
  if (summary.properties.length) {
    /** @param {(found: PropertyStatus) => boolean} test */
    const count = (test) => properties?.filter(test).length ?? 0;
    const [broken, known] = [count(({ holds }) => holds === false), count(({ holds }) => holds !== null)];
    const open = summary.properties.length - known;
    if (!properties) parts.push(["", "properties: checking …"]);
    else if (broken) parts.push(["bad", `${pluralText(broken, "property", "properties")} broken`]);
    else if (known) parts.push(["good", pluralText(known, "property holds", "properties hold")]);
    if (properties && open) {
      parts.push(["", `${pluralText(open, "property", "properties")} unknown here: run irenic prove`]);
    }
  }
  if (summary.cases.length) {
    const failing = failingCases(table, status);
    if (!failing) parts.push(["warn", "test cases: not checked here"]);
    else if (failing.length) parts.push(["bad", `${pluralText(failing.length, "test case fails", "test cases fail")}`]);
    else parts.push(["good", `${pluralText(summary.cases.length, "test case passes", "test cases pass")}`]);
  }
  return parts;
}

// --- items

/**
 * What to do with the rows of a finding.
 * @param {Desk} desk
 * @param {(number | null)[]} rows
 * @param {Sides | null} sides
 * @param {string} label
 */
function showButton({ table, grid }, rows, sides, label) {
  const known = rows.flatMap((row) => row ?? []);
  if (!known.length) return null;
  const press = () => {
    grid.select(known[0], table.features.length);
    grid.mark(known, sides);
    grid.element.focus();
  };
  return h("button", { type: "button", onclick: press, "aria-label": label }, "Show");
}

/**
 * What is decided, and by which row.
 * @param {EditedTable} table
 * @param {number | null} outcome
 * @param {number | null} row
 */
function decidedWords(table, outcome, row) {
  const isNone = outcome === null || outcome === -1;
  const by = row !== null ? ` (row ${row + 1})` : isNone ? " (no rule)" : " (by default)";
  return [h("b", {}, sayOutcome(table, outcome)), by];
}

/**
 * The properties that do not hold, with a case that breaks each, and those that are not known.
 * @param {Desk} desk
 * @param {Status} status
 */
export function propertyItems(desk, { properties }) {
  const { table } = desk;
  const [first] = properties ?? [];
  if (first?.why && properties?.length && properties.every(({ why, holds }) => holds === null && why === first.why)) {
    return [h("li", {}, h("p", { class: "muted" }, capitalized(first.why), "."))];
  }
  return (properties ?? []).flatMap(({ holds, why, rows, outcomes, sides }, k) => {
    const { property } = summary.properties[k];
    if (holds && !why) return [];
    const name = h("p", {}, h("b", {}, property));
    if (holds !== false || !sides) return [h("li", {}, name, h("p", { class: "muted small" }, why))];
    const place = table.features.findIndex((feature) => feature.name === table.asked[k]?.feature);
    const own = sides.slice(0, table.features.length);
    const texts = rows.length > 1 ? pairText(table, sides, place, table.asked[k]?.claim !== "same") : null;
    return [
      h(
        "li",
        {},
        name,
        h(
          "p",
          {},
          decidedWords(table, outcomes[0], rows[0]),
          ` for ${texts ? texts[0] : exampleText(table, own)}`,
          texts && [", but ", decidedWords(table, outcomes[1], rows[1]), ` for ${texts[1]}`],
          ".",
        ),
        !texts && h("p", { class: "muted small" }, regionCells(table, own)),
        h(
          "div",
          { class: "actions" },
          showButton(desk, rows, own.with(Math.max(place, 0), own[place] ?? []), `Show what breaks ${property}`),
        ),
      ),
    ];
  });
}

/**
 * The test cases that fail.
 * @param {Desk} desk
 * @param {Status} status
 * @param {number} most
 */
export function caseItems(desk, status, most) {
  const { table } = desk;
  return (failingCases(table, status) ?? []).slice(0, most).map((k) => {
    const wanted = summary.cases[k];
    const { outcome, row } = status.cases?.[k] ?? { outcome: -1, row: null };
    return h(
      "li",
      {},
      h(
        "p",
        {},
        `Case ${wanted.name}: `,
        decidedWords(table, outcome, row),
        " instead of ",
        h("b", {}, nameWords(wanted.text)),
        ".",
      ),
      h("p", { class: "muted small" }, formatCase(table.features, wanted.case)),
      h("div", { class: "actions" }, showButton(desk, [row], null, `Show the row that decides case ${wanted.name}`)),
    );
  });
}
