// @ts-check
// The part of the page about past cases that a change of the rules decides differently.

import { h, show } from "../dom.js";
import { summary } from "../summary.js";
import { moreOf, tableOf } from "../tables.js";
import { countText, percentText, pluralText } from "../words.js";

const SHOWN = 20;

/** @param {HTMLElement} section */
export function startImpact(section) {
  const { impact } = summary;
  if (!impact) return show(section);
  const share = impact.cases ? ` (${percentText(impact.changed / impact.cases)})` : "";
  return show(
    section,
    h("h2", {}, "What the change does to past cases"),
    h(
      "p",
      { class: "lead" },
      `${countText(impact.changed)} of ${pluralText(impact.cases, "past case")} are decided differently${share}`,
      impact.amount_of !== null && `, with ${amountText(impact.amount_changed)} of ${amountText(impact.amount)}`,
      impact.amount_of !== null && ` in ${impact.amount_of}`,
      ". The rules below are the new ones.",
    ),
    impact.moves.length > 0 && movesTable(impact),
    impact.groups.length > 0 && groupsTable(impact),
  );
}

/** @param {ImpactDocument} impact */
function movesTable(impact) {
  const rows = impact.moves.map((move) =>
    h(
      "tr",
      {},
      h("td", {}, decidedText(move.before, move.rules_before)),
      h("td", {}, decidedText(move.after, move.rules_after)),
      h("td", {}, countText(move.cases)),
      impact.amount_of !== null && h("td", {}, amountText(move.amount)),
      h("td", {}, move.rows.map(countText).join(", ")),
    ),
  );
  const head = ["before", "after", "cases", ...amountHead(impact), "rows, for example"];
  return moreOf(tableOf({}, "From what to what", headRow(head), rows), rows, SHOWN);
}

/** @param {ImpactDocument} impact */
function groupsTable(impact) {
  const rows = impact.groups.map((group) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, group.value),
      h("td", {}, countText(group.changed)),
      h("td", {}, countText(group.cases)),
      impact.amount_of !== null && h("td", {}, amountText(group.amount)),
    ),
  );
  const name = impact.grouped_by ?? "group";
  const head = [name, "cases that change", "cases", ...amountHead(impact)];
  return moreOf(tableOf({}, `By ${name}`, headRow(head), rows), rows, SHOWN);
}

/** @param {ImpactDocument} impact */
const amountHead = (impact) => (impact.amount_of === null ? [] : [`${impact.amount_of} that changes`]);

/** @param {string[]} names */
function headRow(names) {
  return h(
    "tr",
    {},
    names.map((name) => h("th", { scope: "col" }, name)),
  );
}

/**
 * @param {WrittenValue | null} outcome
 * @param {number[]} rules
 */
function decidedText(outcome, rules) {
  if (outcome === null) return "nothing";
  if (!rules.length) return `${outcome.text} (by default)`;
  return `${outcome.text} (${rules.length > 1 ? "rules" : "rule"} ${rules.join(", ")})`;
}

/** @param {number} amount */
const amountText = (amount) => amount.toLocaleString("en", { maximumFractionDigits: 2 });
