// @ts-check
// The confusion matrix.

import { h } from "../dom.js";
import { greatest } from "../numbers.js";
import { jumpTo } from "../page/jumps.js";
import { COLUMN_LIMIT } from "./instance_table.js";
import { cellWords, groupName, groupWords, CONTRADICTED, NO_PREDICTION, OTHERS } from "./predictions.js";
import { drawWrong } from "./wrong.js";
import { model } from "../state.js";
import { givenInstances } from "../summary.js";
import { tableOf } from "../tables.js";
import { countText, nameText, shareText } from "../words.js";

const MANY_ON_PAPER = 8; // more columns get narrow headings when printed

const OUTCOME_LIMIT = 30; // larger tables are unreadable

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
 * The outcomes with their own row: first those that rules predict, then the most frequent.
 * @param {Map<number, number>} actual
 * @param {Map<number, number>} predicted
 */
function chosenOutcomes(actual, predicted) {
  const used = [...new Set([...actual.keys(), ...predicted.keys()])].filter((place) => place >= 0);
  const byRules = new Set(model().rules.map((rule) => rule.outcome));
  /** @param {number} place */
  const frequency = (place) => (actual.get(place) ?? 0) + (predicted.get(place) ?? 0);
  used.sort((a, b) => Number(byRules.has(b)) - Number(byRules.has(a)) || frequency(b) - frequency(a) || a - b);
  const own = used.slice(0, used.length > OUTCOME_LIMIT ? OUTCOME_LIMIT : used.length).sort((a, b) => a - b);
  return { own, left: used.length - own.length };
}

/**
 * The sums of the cells of the table, and of its rows and columns.
 * @param {number[][]} confusion
 */
function sumConfusion(confusion) {
  const [actual, predicted] = [new Map(), new Map()];
  for (const [truth, prediction, count] of confusion) {
    addTo(actual, truth, count);
    addTo(predicted, prediction, count);
  }
  const { own, left } = chosenOutcomes(actual, predicted);
  const kept = new Set(own);
  /** @param {number} place */
  const group = (place) => (place < 0 || kept.has(place) ? place : OTHERS);
  const sums = { cells: new Map(), actual: new Map(), predicted: new Map(), right: new Map() };
  for (const [truth, prediction, count] of confusion) {
    const [row, column] = [group(truth), group(prediction)];
    addTo(sums.cells, `${row} ${column}`, count);
    addTo(sums.actual, row, count);
    addTo(sums.predicted, column, count);
    if (truth === prediction) addTo(sums.right, row, count);
  }
  const others = left ? [OTHERS] : [];
  const extra = [NO_PREDICTION, CONTRADICTED].filter((place) => predicted.has(place));
  // if there are very many outcomes, columns that contain only zeros are omitted
  const ownColumns = own.length > COLUMN_LIMIT ? own.filter((place) => predicted.has(place)) : own;
  const columns = [...ownColumns, ...others.filter((place) => sums.predicted.has(place)), ...extra];
  return { ...sums, left, group, rows: [...own, ...others], columns };
}

/** @param {number[][]} confusion */
export function confusionBlock(confusion) {
  const sums = sumConfusion(confusion);
  return [sums.left > 0 && h("p", { class: "lead", id: "others" }, othersText(sums)), confusionTable(sums)];
}

/** @param {Confusion} sums */
function confusionTable(sums) {
  const highest = greatest(sums.cells.values(), 1);
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
      sums.columns.map((predicted) => confusionCell(sums, truth, predicted, highest)),
      h("td", { class: "margin" }, share(truth, sums.actual)),
    ),
  );
  return tableOf(
    { id: "confusion", class: sums.columns.length > MANY_ON_PAPER && "dense" },
    "True outcomes (rows) and predicted outcomes (columns).",
    h(
      "tr",
      {},
      h("th", { scope: "col", class: "text" }, "true ↓ predicted →"),
      sums.columns.map((place) => head(groupWords(place))),
      head("recall"),
    ),
    rows,
    h(
      "tr",
      {},
      h("th", { scope: "row", class: "text" }, "precision"),
      sums.columns.map((place) =>
        h("td", { class: "margin" }, (place >= 0 || place === OTHERS) && share(place, sums.predicted)),
      ),
      h("td", {}),
    ),
  );
}

/** @param {Confusion} confusion */
function othersText({ rows, left }) {
  return (
    `${countText(rows.length - 1)} of ${countText(rows.length - 1 + left)} outcomes are shown: first those that` +
    ` rules predict, then the most frequent; the other ${countText(left)} are summed as “others”.`
  );
}

/**
 * @param {Confusion} sums
 * @param {number} truth
 * @param {number} predicted
 * @param {number} highest
 */
function confusionCell(sums, truth, predicted, highest) {
  const count = sums.cells.get(`${truth} ${predicted}`) ?? 0;
  // the square root keeps a few mistakes among very many instances visible
  const opacity = count ? 0.08 + 0.32 * Math.sqrt(count / highest) : 0;
  // the sum of other outcomes contains right and wrong predictions
  const look = truth !== predicted ? "wrong" : truth === OTHERS ? "mixed" : "right";
  return h(
    "td",
    { class: `cell ${look}` },
    h("i", { style: { opacity } }),
    !count
      ? h("span", { class: "muted" }, "0")
      : look === "wrong" && givenInstances().shown > 0
        ? wrongButton(sums, truth, predicted, count)
        : countWords(count),
  );
}

/**
 * A count that can be wrapped at its commas, for narrow columns on paper.
 * @param {number} count
 */
function countWords(count) {
  return countText(count)
    .split(/(?<=,)/)
    .map((part, i) => [i > 0 && h("wbr"), part]);
}

/**
 * The number in a cell, as a button that lists the instances.
 * @param {Confusion} sums
 * @param {number} truth
 * @param {number} predicted
 * @param {number} count
 */
function wrongButton(sums, truth, predicted, count) {
  const choose = () => {
    drawWrong({ truth, predicted, count, group: sums.group });
    jumpTo("wrong");
  };
  /** @param {(place: number) => string} name */
  const label = (name) => [`${countText(count)}: list those that are `, ...cellWords(truth, predicted, name)].join("");
  const title = label((place) => nameText(groupName(place)));
  const attributes = { type: "button", class: "count", "aria-label": label(groupName), title, onclick: choose };
  return h("button", attributes, countWords(count));
}
