// @ts-check
// The table of what is taken for what.

import { h } from "../dom.js";
import { greatest } from "../numbers.js";
import { jumpTo } from "../page/jumps.js";
import { MOST_COLUMNS } from "./instance_table.js";
import { cellWords, groupName, groupWords, SAID_CONTRADICTED, SAID_NOTHING, SAID_OTHERS } from "./said.js";
import { drawWrong } from "./wrong.js";
import { model } from "../state.js";
import { givenInstances } from "../summary.js";
import { tableOf } from "../tables.js";
import { countText, nameText, shareText } from "../words.js";

const MANY_ON_PAPER = 8; // columns that are as wide as their heads would leave the paper

const MOST_OUTCOMES = 30; // a table of more is no longer read

/**
 * Add to a number in a map.
 * @param {Map<any, number>} map
 * @param {string | number} key
 * @param {number} number
 */
function addTo(map, key, number) {
  map.set(key, (map.get(key) ?? 0) + number);
}

/**
 * The outcomes with a row of their own: those that rules say first, then the most frequent.
 * @param {Map<number, number>} had
 * @param {Map<number, number>} said
 */
function chosenOutcomes(had, said) {
  const used = [...new Set([...had.keys(), ...said.keys()])].filter((place) => place >= 0);
  const byRules = new Set(model().rules.map((rule) => rule.outcome));
  /** @param {number} place */
  const frequency = (place) => (had.get(place) ?? 0) + (said.get(place) ?? 0);
  used.sort((a, b) => Number(byRules.has(b)) - Number(byRules.has(a)) || frequency(b) - frequency(a) || a - b);
  const own = used.slice(0, used.length > MOST_OUTCOMES ? MOST_OUTCOMES : used.length).sort((a, b) => a - b);
  return { own, left: used.length - own.length };
}

/**
 * What is taken for what, summed: by pairs of rows and columns of the table, and in its margins.
 * @param {number[][]} confusion
 */
function sumConfusion(confusion) {
  const [had, said] = [new Map(), new Map()];
  for (const [truth, told, count] of confusion) {
    addTo(had, truth, count);
    addTo(said, told, count);
  }
  const { own, left } = chosenOutcomes(had, said);
  const kept = new Set(own);
  /** @param {number} place */
  const group = (place) => (place < 0 || kept.has(place) ? place : SAID_OTHERS);
  const sums = { cells: new Map(), had: new Map(), said: new Map(), right: new Map() };
  for (const [truth, told, count] of confusion) {
    const [row, column] = [group(truth), group(told)];
    addTo(sums.cells, `${row} ${column}`, count);
    addTo(sums.had, row, count);
    addTo(sums.said, column, count);
    if (truth === told) addTo(sums.right, row, count);
  }
  const others = left ? [SAID_OTHERS] : [];
  const extra = [SAID_NOTHING, SAID_CONTRADICTED].filter((place) => said.has(place));
  // of very many outcomes, columns of those that nothing says would only be noughts
  const told = own.length > MOST_COLUMNS ? own.filter((place) => said.has(place)) : own;
  const columns = [...told, ...others.filter((place) => sums.said.has(place)), ...extra];
  return { ...sums, left, group, rows: [...own, ...others], columns };
}

/** @param {number[][]} confusion */
export function confusionBlock(confusion) {
  const sums = sumConfusion(confusion);
  return [sums.left > 0 && h("p", { class: "lead", id: "others" }, othersText(sums)), confusionTable(sums)];
}

/** @param {Confusion} sums */
function confusionTable(sums) {
  const most = greatest(sums.cells.values(), 1);
  /** @param {Child} words */
  const head = (words) => h("th", { scope: "col" }, h("span", {}, words));
  /**
   * @param {number} place
   * @param {Map<number, number>} of
   */
  const share = (place, of) => shareText(sums.right.get(place) ?? 0, of.get(place) ?? 0);
  const rows = sums.rows.map((truth) =>
    h(
      "tr",
      {},
      h("th", { scope: "row", class: "text" }, groupWords(truth)),
      sums.columns.map((said) => confusionCell(sums, truth, said, most)),
      h("td", { class: "margin" }, share(truth, sums.had)),
    ),
  );
  return tableOf(
    { id: "confusion", class: sums.columns.length > MANY_ON_PAPER && "dense" },
    "True outcomes (rows) and what the rules or the default say (columns).",
    h(
      "tr",
      {},
      h("th", { scope: "col", class: "text" }, "true ↓ said →"),
      sums.columns.map((place) => head(groupWords(place))),
      head("found"),
    ),
    rows,
    h(
      "tr",
      {},
      h("th", { scope: "row", class: "text" }, "right when said"),
      sums.columns.map((place) =>
        h("td", { class: "margin" }, (place >= 0 || place === SAID_OTHERS) && share(place, sums.said)),
      ),
      h("td", {}),
    ),
  );
}

/** @param {Confusion} confusion */
function othersText({ rows, left }) {
  return (
    `${countText(rows.length - 1)} of ${countText(rows.length - 1 + left)} outcomes are shown: those that rules` +
    ` say first, then the most frequent; the other ${countText(left)} are summed as “others”.`
  );
}

/**
 * @param {Confusion} sums
 * @param {number} truth
 * @param {number} said
 * @param {number} most
 */
function confusionCell(sums, truth, said, most) {
  const count = sums.cells.get(`${truth} ${said}`) ?? 0;
  // the root, so that a few mistakes among very many instances are still seen
  const opacity = count ? 0.08 + 0.32 * Math.sqrt(count / most) : 0;
  // among the others some are right and some are not
  const look = truth !== said ? "wrong" : truth === SAID_OTHERS ? "mixed" : "right";
  return h(
    "td",
    { class: `cell ${look}` },
    h("i", { style: { opacity } }),
    !count
      ? h("span", { class: "muted" }, "0")
      : look === "wrong" && givenInstances().shown > 0
        ? wrongButton(sums, truth, said, count)
        : countWords(count),
  );
}

/**
 * A count that may be broken at its commas: on paper a column can be too narrow for it.
 * @param {number} count
 */
function countWords(count) {
  return countText(count)
    .split(/(?<=,)/)
    .map((part, i) => [i > 0 && h("wbr"), part]);
}

/**
 * The number in a cell, which lists the instances that it counts.
 * @param {Confusion} sums
 * @param {number} truth
 * @param {number} said
 * @param {number} count
 */
function wrongButton(sums, truth, said, count) {
  const choose = () => {
    drawWrong({ truth, said, count, group: sums.group });
    jumpTo("wrong");
  };
  /** @param {(place: number) => string} name */
  const label = (name) => [`${countText(count)}: list those that are `, ...cellWords(truth, said, name)].join("");
  const title = label((place) => nameText(groupName(place)));
  const attributes = { type: "button", class: "count", "aria-label": label(groupName), title, onclick: choose };
  return h("button", attributes, countWords(count));
}
