// @ts-check
// How often predictions are right for groups of instances.

import { h, nameWords } from "../dom.js";
import { moreOf, tableOf } from "../tables.js";
import { countText, percentText, pluralText } from "../words.js";

const LEAST_ROWS = 30; // shares of fewer instances are mostly chance

const SHOWN_GROUPS = 8;

/**
 * The groups that are large enough to compare, those with the lowest share of right predictions first.
 * @param {Results} results
 */
export function groupsOf(results) {
  return (results.groupings ?? [])
    .flatMap(({ feature, groups }) => groups.map((group) => ({ ...group, feature, share: group.right / group.rows })))
    .filter(({ rows }) => rows >= LEAST_ROWS)
    .sort((a, b) => a.share - b.share);
}

/** @param {Results} results */
export function groupsBlock(results) {
  const groups = groupsOf(results);
  if (groups.length < 2 || results.accuracy === undefined) return null;
  const rows = groups.map((group) =>
    h(
      "tr",
      {},
      h("th", { scope: "row", class: "text" }, nameWords(group.feature), " = ", nameWords(group.text)),
      h("td", {}, countText(group.rows)),
      h("td", {}, percentText(group.covered / group.rows)),
      h("td", {}, percentText(group.share)),
    ),
  );
  const head = ["instances", "covered", "right"];
  const table = tableOf(
    {},
    `Groups of at least ${pluralText(LEAST_ROWS, "instance")}, by the values of categories.`,
    h(
      "tr",
      {},
      h("th", { scope: "col", class: "text" }, "group"),
      head.map((text) => h("th", { scope: "col" }, text)),
    ),
    rows,
  );
  return h(
    "div",
    { class: "block", id: "groups" },
    h("h3", {}, "Right least often"),
    moreOf(table, rows, SHOWN_GROUPS),
  );
}
