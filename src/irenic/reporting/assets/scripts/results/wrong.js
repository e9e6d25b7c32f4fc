// @ts-check
// The wrongly predicted instances: all of them, or those of one cell of the confusion matrix.

import { h, show, within } from "../dom.js";
import { decideAmong } from "../engine/deciding.js";
import { instanceTable, INSTANCE_LIMIT, noneStored, rowsTable } from "./instance_table.js";
import { cellWords, groupWords, predictedPlace } from "./predictions.js";
import { model } from "../state.js";
import { featuresOf, givenInstances } from "../summary.js";
import { pluralText } from "../words.js";

const wrongHolder = h("div", { class: "block", id: "wrong" });

export function wrongBlock() {
  drawWrong(null);
  return wrongHolder;
}

/**
 * List the wrongly predicted instances: all of them, or those of one cell of the confusion matrix.
 * @param {ConfusionCell | null} cell
 */
export function drawWrong(cell) {
  const { results } = model();
  if (!results) return;
  const title = `Wrongly predicted: ${pluralText(cell?.count ?? results.wrong ?? 0, "instance")}`;
  const all = () => {
    drawWrong(null);
    within(wrongHolder, "h3").focus({ preventScroll: true });
  };
  show(
    wrongHolder,
    h("h3", { tabindex: -1 }, title),
    cell
      ? h(
          "p",
          {},
          "Those that are ",
          cellWords(cell.truth, cell.predicted, groupWords),
          ". ",
          h("button", { type: "button", class: "link screen", onclick: all }, "List all wrong predictions"),
        )
      : h("p", { class: "muted" }, "Their prediction is wrong or missing."),
    cell ? cellTable(cell) : rowsTable("wrong", results),
  );
}

/** @param {ConfusionCell} cell */
function cellTable(cell) {
  const places = instancesOfCell(cell);
  if (!places.length) return noneStored();
  return instanceTable(places.slice(0, INSTANCE_LIMIT), { stored: places.length, total: cell.count }, "wrong");
}

/**
 * The instances of a cell that are stored in this file, computed rule by rule along the columns, which is fast.
 * @param {ConfusionCell} confusionCell
 */
function instancesOfCell({ truth, predicted, group }) {
  const { outcomes, columns } = givenInstances();
  if (outcomes === null) return [];
  const places = outcomes.map((_, place) => place).filter((place) => group(outcomes[place]) === truth);
  /** @type {number[][]} */
  const covering = places.map(() => []);
  model().rules.forEach((rule, number) => {
    const features = featuresOf(rule.box);
    const tests = features.map(({ name, kind }) => columnTest(kind, rule.box[name], columns[name]));
    places.forEach((place, at) => {
      if (tests.every((test) => test(place))) covering[at].push(number);
    });
  });
  return places.filter((place, at) => {
    const prediction = predictedPlace(decideAmong(model(), covering[at]));
    return group(prediction) === predicted && prediction !== outcomes[place];
  });
}

/**
 * @param {Feature["kind"]} kind
 * @param {Condition} condition
 * @param {Value[]} column
 * @returns {(place: number) => boolean}
 */
function columnTest(kind, condition, column) {
  if (kind === "category") {
    const codes = new Set(condition);
    return (place) => codes.has(column[place]);
  }
  const [low, high] = [condition[0] ?? -Infinity, condition[1] ?? Infinity];
  return (place) => low <= (column[place] ?? -Infinity) && (column[place] ?? -Infinity) < high;
}
