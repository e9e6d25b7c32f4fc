// @ts-check
// How often predictions are right for groups of instances.

import { h, nameWords } from "../dom.js";
import { moreOf, tableOf } from "../tables.js";
import { countText, percentText, pluralText } from "../words.js";

const LEAST_ROWS = 30; // shares of fewer instances are mostly chance

const SHOWN_GROUPS = 8;

/**
 * The upper end of the 95 % interval of a share (Wilson): of small groups, a low share may be chance.
 * @param {number} share
 * @param {number} n
 */
function upperEnd(share, n) {
  const z = 1.96;
  const spread = z * Math.sqrt((share * (1 - share)) / n + (z * z) / (4 * n * n));
  return (share + (z * z) / (2 * n) + spread) / (1 + (z * z) / n);
}

/**
 * The groups that are large enough to compare. Those that are surely right least often come first.
 * @param {Results} results
 */
export function groupsOf(results) {
  return (results.groupings ?? [])
    .flatMap(({ feature, groups }) => groups.map((group) => ({ ...group, feature, share: group.right / group.rows })))
    .filter(({ rows }) => rows >= LEAST_ROWS)
    .map((group) => ({ ...group, atMost: upperEnd(group.share, group.rows) }))
    .sort((a, b) => a.atMost - b.atMost);
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
      h("td", { class: "margin" }, percentText(group.atMost)),
    ),
  );
  const head = ["instances", "covered", "right", "at most"];
  const table = tableOf(
    {},
    `Groups of at least ${pluralText(LEAST_ROWS, "instance")}, those first whose 95\u202f% interval ends lowest.`,
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
