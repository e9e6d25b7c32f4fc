// @ts-check
// The instances that are wrongly decided: all of them, or those that one cell of the table counts.

import { h, show, within } from "../dom.js";
import { decideAmong } from "../engine/deciding.js";
import { instanceTable, MOST_INSTANCES, noneHeld, rowsTable } from "./instance_table.js";
import { cellWords, groupWords, saidPlace } from "./said.js";
import { model } from "../state.js";
import { featuresOf, givenInstances } from "../summary.js";
import { pluralText } from "../words.js";

const wrongHolder = h("div", { class: "block", id: "wrong" });

export function wrongBlock() {
  drawWrong(null);
  return wrongHolder;
}

/**
 * List the instances that are wrongly decided: all of them, or those that one cell of the table counts.
 * @param {ConfusionCell | null} cell
 */
export function drawWrong(cell) {
  const { results } = model();
  if (!results) return;
  const title = `Wrongly decided: ${pluralText(cell?.count ?? results.wrong ?? 0, "instance")}`;
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
          cellWords(cell.truth, cell.said, groupWords),
          ". ",
          h("button", { type: "button", class: "link screen", onclick: all }, "List all that are wrongly decided"),
        )
      : h("p", { class: "muted" }, "The rules say something wrong about them, or nothing."),
    cell ? cellTable(cell) : rowsTable("wrong", results),
  );
}

/** @param {ConfusionCell} cell */
function cellTable(cell) {
  const places = instancesOfCell(cell);
  if (!places.length) return noneHeld();
  return instanceTable(places.slice(0, MOST_INSTANCES), { held: places.length, total: cell.count }, "wrong");
}

/**
 * The instances that a cell counts, of those in this file; rule by rule along the columns, as that is fast.
 * @param {ConfusionCell} confusionCell
 */
function instancesOfCell({ truth, said, group }) {
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
    const told = saidPlace(decideAmong(model(), covering[at]));
    return group(told) === said && told !== outcomes[place];
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
