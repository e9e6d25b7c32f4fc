// @ts-check
// The rules as a table, with one row per rule.

import { allValues, conditionWords } from "../condition_words.js";
import { writtenConditions } from "../conditions.js";
import { h } from "../dom.js";
import { outcomeChip, withColor } from "../outcomes.js";
import { otherwiseText } from "./card.js";
import { mixBar } from "./mixes.js";
import { ruleAnchor, ruleNumberText, ruleTitle } from "./names.js";
import { sortingsOf } from "./order.js";
import { model } from "../state.js";
import { hasCounts, summary } from "../summary.js";
import { countText, percentText } from "../words.js";

/**
 * The columns of the table of rules: the sort key or null, the heading, and the class of cells.
 * @returns {[Sorting | null, string, string][]}
 */
function ruleColumns() {
  const sortings = sortingsOf(model().rules);
  const mixed = hasCounts() && !summary.several_labels && model().rules.some((rule) => rule.mix);
  /** @type {[Sorting | null, string, string][]} */
  const columns = [
    ["number", "rule", "text"],
    ["conditions", "conditions", "text words"],
    ["outcome", "outcome", "text"],
  ];
  if (sortings.includes("support")) columns.push(["support", "covers", ""]);
  if (sortings.includes("confidence")) columns.push(["confidence", summary.several_labels ? "mean F1" : "right", ""]);
  if (mixed) columns.push([null, "labels", "text"]);
  return columns;
}

/**
 * The table of rules without its rows; a click on a heading sorts by its column.
 * @param {(name: Sorting) => void} sortBy
 */
export function ruleTable(sortBy) {
  const columns = ruleColumns();
  const heads = columns.map(([name, text, kind]) =>
    h(
      "th",
      { scope: "col", class: kind, "data-sorting": name },
      name && model().rules.length > 1
        ? h(
            "button",
            { type: "button", class: "sort", onclick: () => sortBy(name) },
            text,
            h("span", { "aria-hidden": "true" }),
          )
        : text,
    ),
  );
  const rows = h("tbody", {});
  const foot = h("tfoot", {}, otherwiseRow(columns.slice(1).map(([name]) => name ?? "mix")));
  const label = "The rules as a table";
  const table = h(
    "div",
    { class: "scroll rule-scroll", tabindex: 0, role: "region", "aria-label": label },
    h("table", { class: "rule-table", "aria-label": label }, h("thead", {}, h("tr", {}, heads)), rows, foot),
  );
  return { table, heads, rows, foot };
}

/** @param {number} place */
export function ruleRow(place) {
  const rule = model().rules[place];
  const conditions = writtenConditions(rule);
  const words = conditions.map((condition, i) => [
    i > 0 && h("span", { class: "muted" }, " and "),
    conditionWords(condition),
  ]);
  const support = rule.support ?? 0;
  /** @type {Record<string, () => Child>} */
  const cells = {
    conditions: () => [
      words.length ? words : "every case",
      conditions.map((condition) => allValues(condition, rule.box)),
    ],
    outcome: () => outcomeChip(rule.outcome),
    support: () => countText(support),
    confidence: () => (rule.confidence === null ? "–" : percentText(rule.confidence)),
    mix: () => support > 0 && rule.mix && mixBar(rule.mix, support),
  };
  const row = h(
    "tr",
    { id: ruleAnchor(place), "data-rule": place, tabindex: 0, "aria-label": ruleTitle(place) },
    h("th", { scope: "row", class: "text" }, ruleNumberText(place)),
    ruleColumns()
      .slice(1)
      .map(([name, , kind]) => h("td", { class: kind }, cells[name ?? "mix"]())),
  );
  return withColor(row, rule.outcome);
}

/**
 * The default, with the counts of the instances that no rule covers.
 * @param {string[]} columns
 */
function otherwiseRow(columns) {
  const { outcome, support, confidence, mix } = model().default;
  /** @type {Record<string, () => Child>} */
  const cells = {
    conditions: () => otherwiseText(),
    outcome: () => outcome !== null && outcomeChip(outcome),
    support: () => support !== null && countText(support),
    confidence: () => (confidence === null ? "–" : percentText(confidence)),
    mix: () => mix && support && mixBar(mix, support),
  };
  return h(
    "tr",
    {},
    h("th", { scope: "row", class: "text" }, "otherwise"),
    columns.map((name) => h("td", { class: /^(support|confidence)$/.test(name) ? null : "text" }, cells[name]())),
  );
}
