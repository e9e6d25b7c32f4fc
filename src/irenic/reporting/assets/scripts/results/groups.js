// @ts-check
// How often predictions are right for groups of instances.

import { h, nameWords } from "../dom.js";
import { model } from "../state.js";
import { summary } from "../summary.js";
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

// --- groups that the report compares

const ROWS = {
  instances: "on these instances",
  training: "on the training rows, where rules are right more often than on new rows",
  left_out: "on the rows left out of each fit of the cross-validation",
};

/**
 * A share with its 95 % interval.
 * @param {ShareRecord | null} share
 */
function shareCell(share) {
  if (share === null || share.share === null) return h("td", {}, "–");
  const [low, high] = [share.low, share.high].map((end) => String(Math.round(100 * end)));
  return h("td", {}, percentText(share.share), " ", h("span", { class: "muted small interval" }, `(${low}–${high})`));
}

/** What the rules in use decide for the groups of a column, as irenic.summarize compares them with by. */
export function comparedBlock() {
  const { groups: compared } = summary;
  if (!compared?.groups.length || model() !== summary.models[summary.chosen]) return null;
  const { column, groups } = compared;
  const names = groups[0].outcomes.map(({ outcome }) => outcome.text);
  // of two outcomes, the shares of one follow from those of the other
  const shown = [...names.keys()].filter((k) => names.length !== 2 || names[k] !== compared.default?.text);
  const isLabeled = shown.some((k) => groups[0].outcomes[k].false_positives !== null);
  const decided = shown.map((k) => nameWords(names[k]));
  const errors = shown.flatMap((k) => [
    ["wrongly ", nameWords(names[k])],
    [nameWords(names[k]), " missed"],
  ]);
  const head = ["rows", ...decided, "by default", ...(isLabeled ? ["right", ...errors] : [])];
  const rows = groups.map((group) =>
    h(
      "tr",
      {},
      h("th", { scope: "row", class: "text" }, nameWords(group.value)),
      h("td", {}, countText(group.rows), group.small && h("span", { class: "muted small" }, " few")),
      shown.map((k) => shareCell(group.outcomes[k].decided)),
      shareCell(group.by_default),
      isLabeled && [
        shareCell(group.accuracy),
        shown.map((k) => [group.outcomes[k].false_positives, group.outcomes[k].false_negatives].map(shareCell)),
      ],
    ),
  );
  const few = groups.some(({ small }) => small) ? " Shares of few rows (fewer than 30) say little." : "";
  const table = tableOf(
    {},
    `What is decided by ${column}, ${ROWS[compared.on]}, with 95\u202f% intervals.${few}`,
    h(
      "tr",
      {},
      h("th", { scope: "col", class: "text" }, nameWords(column)),
      head.map((text) => h("th", { scope: "col" }, text)),
    ),
    rows,
  );
  return h(
    "div",
    { class: "block", id: "compared" },
    h("h3", {}, "By ", nameWords(column)),
    moreOf(table, rows, SHOWN_GROUPS),
  );
}
