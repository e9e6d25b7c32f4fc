// @ts-check
// The part of the page about the results on the instances.

import { h, show } from "../dom.js";
import { outcomeWords } from "../outcomes.js";
import { confusionBlock } from "./confusion.js";
import { comparedBlock, groupsBlock } from "./groups.js";
import { rowsTable } from "./instance_table.js";
import { wrongBlock } from "./wrong.js";
import { model, on } from "../state.js";
import { labelText, summary } from "../summary.js";
import { tableOf } from "../tables.js";
import { countText, percentText, pluralText, shareText } from "../words.js";

/** @param {HTMLElement} section */
export function startResults(section) {
  on("model", () => drawResults(section));
  drawResults(section);
}

/** @param {HTMLElement} section */
function drawResults(section) {
  const { results } = model();
  if (!results?.rows) return show(section);
  return show(
    section,
    h("h2", {}, "Results on the instances"),
    h("p", { class: "lead" }, resultsLead(results)),
    results.confusion && confusionBlock(results.confusion),
    results.labels && labelsTable(results.labels),
    comparedBlock(),
    /** @type {LeftOut[]} */ (["uncovered", "contradicted", "impossible"]).map((which) => leftOut(which, results)),
    groupsBlock(results),
    (results.wrong ?? 0) > 0 && wrongBlock(),
  );
}

/** @param {Results} results */
function resultsLead(results) {
  const rows = pluralText(results.rows, "instance");
  const share = percentText(results.covered / results.rows);
  return `Rules cover ${countText(results.covered)} of ${rows} (${share}).${rightText(results)}`;
}

/**
 * A sentence on how many predictions are right; empty without true labels.
 * @param {Results} results
 */
export function rightText(results) {
  if (results.right === undefined) return "";
  const who = model().default.outcome === null ? "The rules are" : "The rules and the default are";
  const what = summary.several_labels ? `${who} right in all labels` : `${who} right`;
  const share = percentText(results.accuracy ?? 0);
  return ` ${what} for ${countText(results.right)} of ${pluralText(results.rows, "instance")} (${share}).`;
}

/** @param {NonNullable<Results["labels"]>} labels */
function labelsTable(labels) {
  const head = ["rightly predicted", "wrongly predicted", "missed", "precision", "recall"];
  const rows = labels.map(({ both, said, had }, label) =>
    h(
      "tr",
      {},
      h("th", { scope: "row", class: "text" }, labelText(label)),
      [both, said, had].map((count) => h("td", {}, countText(count))),
      h("td", { class: "margin" }, shareText(both, both + said)),
      h("td", { class: "margin" }, shareText(both, both + had)),
    ),
  );
  return tableOf(
    { id: "confusion" },
    "How often each label is predicted, and how often it is true.",
    h(
      "tr",
      {},
      h("th", { scope: "col", class: "text" }, "label"),
      head.map((text) => h("th", { scope: "col" }, text)),
    ),
    rows,
  );
}

/**
 * Instances that no rule covers, that rules contradict each other on, or that are impossible.
 * @param {LeftOut} which
 * @param {Results} results
 */
function leftOut(which, results) {
  if (!results[which]) return null;
  return h(
    "div",
    { class: "block", id: which },
    h("h3", {}, leftOutTitle(which, results)),
    h("p", { class: "muted" }, leftOutText(which)),
    rowsTable(which, results),
  );
}

/**
 * @param {LeftOut} which
 * @param {Results} results
 */
function leftOutTitle(which, results) {
  const instances = pluralText(results[which], "instance");
  const titles = {
    uncovered: `No rule covers ${instances}`,
    contradicted: `Rules contradict each other on ${instances}`,
    impossible: `${instances} excluded by the table as impossible`,
  };
  return titles[which];
}

/** @param {LeftOut} which */
function leftOutText(which) {
  if (which === "contradicted") return "Rules with different outcomes hold for them.";
  if (which === "impossible") return "No rule holds for them, and none is needed: the table excludes such cases.";
  const otherwise = model().default.outcome;
  return otherwise === null
    ? "There is no prediction for them, because there is no default."
    : ["The default predicts ", outcomeWords(otherwise), " for them."];
}
