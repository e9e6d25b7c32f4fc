// @ts-check
// The wrongly predicted instances: all of them, or those of one cell of the confusion matrix.

import { h, show, within } from "../dom.js";
import { decideInstances } from "../engine/deciding.js";
import { canCompute, cannotCompute } from "../engine/kernels.js";
import { instanceTable, INSTANCE_LIMIT, noneStored, rowsTable } from "./instance_table.js";
import { cellWords, groupWords, predictedPlace } from "./predictions.js";
import { model } from "../state.js";
import { givenInstances } from "../summary.js";
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
  if (!canCompute) return cannotCompute();
  const places = instancesOfCell(cell);
  if (!places.length) return noneStored();
  return instanceTable(places.slice(0, INSTANCE_LIMIT), { stored: places.length, total: cell.count }, "wrong");
}

/**
 * The instances of a cell that are stored in this file.
 * @param {ConfusionCell} confusionCell
 */
function instancesOfCell({ truth, predicted, group }) {
  const { outcomes } = givenInstances();
  if (outcomes === null) return [];
  const places = outcomes.map((_, place) => place).filter((place) => group(outcomes[place]) === truth);
  const answers = decideInstances(model(), places);
  return places.filter((place, at) => {
    const prediction = predictedPlace(answers[at]);
    return group(prediction) === predicted && prediction !== outcomes[place];
  });
}
