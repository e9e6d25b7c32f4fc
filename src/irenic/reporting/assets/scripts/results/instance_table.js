// @ts-check
// Tables of instances.

import { tryButton } from "../case/trying.js";
import { h, show } from "../dom.js";
import { decideInstances } from "../engine/deciding.js";
import { canCompute } from "../engine/kernels.js";
import { instanceCase, rowNumber } from "../engine/instances.js";
import { outcomeWords } from "../outcomes.js";
import { predictedPlace, predictionWords } from "./predictions.js";
import { model } from "../state.js";
import { testedFeatures, givenInstances, summary } from "../summary.js";
import { moreOf, tableOf } from "../tables.js";
import { formatValue } from "../values/texts.js";
import { countText, pluralText } from "../words.js";

const FIRST_INSTANCES = 10;

export const INSTANCE_LIMIT = 200;

const PAPER_INSTANCE_LIMIT = 20;

export const COLUMN_LIMIT = 12;

/** @type {Map<number, number> | null} */
let placesByRow = null;

/**
 * The index of an instance in the sample, by its row number.
 * @param {number} row
 */
function placeOfRow(row) {
  const { row_numbers: numbers } = givenInstances();
  if (!numbers) return row - 1;
  placesByRow ??= new Map(numbers.map((number, place) => [number, place]));
  return placesByRow.get(row);
}

/**
 * A table of instances of a kind. If there are very many, the summary lists some of them, preferably those stored in
 * this file: if all that it lists are stored, there may be more.
 * @param {LeftOut | "wrong"} which
 * @param {Results} results
 */
export function rowsTable(which, results) {
  const rows = results[`${which}_rows`] ?? [];
  const places = rows.map(placeOfRow).filter((place) => place !== undefined);
  if (!places.length) return noneStored();
  const total = results[which] ?? 0;
  const { shown, rows: all } = givenInstances();
  const stored = shown === all ? total : places.length;
  const more = stored < total && places.length >= INSTANCE_LIMIT;
  return instanceTable(places, { stored, total, more }, which);
}

export function noneStored() {
  return h("p", { class: "muted" }, "None of them is among the instances stored in this file.");
}

/**
 * A text on how many instances are stored in this file.
 * @param {Stored} count
 */
function storedText({ stored, total, more }) {
  if (stored === total) return total === 1 ? "It is stored in this file" : "All of them are stored in this file";
  return `${more ? "At least " : ""}${pluralText(stored, "of them is", "of them are")} stored in this file`;
}

/**
 * A text on how many of those are shown, if not all.
 * @param {number} shown
 * @param {Stored} count
 */
function shownText(shown, { stored, more }) {
  return shown < stored || more ? `; the first ${countText(shown)} are shown` : "";
}

/**
 * A table of instances; count is how many are stored in this file, and how many there are in total.
 * @param {number[]} places
 * @param {Stored} count
 * @param {LeftOut | "wrong"} which
 */
export function instanceTable(places, count, which) {
  const features = shownFeatures();
  const withPrediction = which === "wrong" && canCompute;
  const answers = withPrediction ? decideInstances(model(), places) : [];
  const rows = places.map((place, at) => instanceRow(place, features, which, at, answers[at]));
  /**
   * @param {string} text
   * @param {FeatureRecord["kind"]} [kind]
   */
  const head = (text, kind) => h("th", { scope: "col", class: kind === "category" && "text" }, text);
  // printed pages have another number of rows, and their own note
  const shown = h("span", { class: "screen" }, shownText(Math.min(rows.length, FIRST_INSTANCES), count));
  const table = tableOf(
    { class: which },
    [storedText(count), shown, ".", columnsText()],
    h(
      "tr",
      {},
      head("row"),
      h("th", { scope: "col", class: "screen" }, h("span", { class: "unseen" }, "try it")),
      givenInstances().outcomes && h("th", { scope: "col", class: "text" }, "true"),
      withPrediction && h("th", { scope: "col", class: "text" }, "predicted"),
      features.map((feature) => head(feature.name, feature.kind)),
    ),
    rows,
    null,
    "Instances",
  );
  const paper =
    rows.length > PAPER_INSTANCE_LIMIT &&
    h("p", { class: "paper muted" }, `The first ${PAPER_INSTANCE_LIMIT} are printed.`);
  return [moreOf(table, rows, FIRST_INSTANCES, () => show(shown, shownText(rows.length, count))), paper];
}

/** The features to show: the first of those that rules test; the page has no values of others. */
function shownFeatures() {
  return testedFeatures(model()).slice(0, COLUMN_LIMIT);
}

/** A text on which features the columns are, if not all of them. */
function columnsText() {
  const tested = testedFeatures(model()).length;
  const first = tested > COLUMN_LIMIT ? `the first ${COLUMN_LIMIT} of ${countText(tested)}` : "";
  if (tested && tested < summary.features.length) {
    return ` Columns: the features that rules test${first && `, ${first}`}.`;
  }
  return first && ` Columns: ${first} features.`;
}

/**
 * @param {number} place
 * @param {FeatureRecord[]} features
 * @param {LeftOut | "wrong"} which
 * @param {number} at
 * @param {Answer} [answer]
 */
function instanceRow(place, features, which, at, answer) {
  const { outcomes } = givenInstances();
  const values = instanceCase(place);
  const id = `${which}-row-${rowNumber(place)}`;
  const back = { id, text: "Back to the instances" };
  return h(
    "tr",
    { id, class: at >= PAPER_INSTANCE_LIMIT && "off-paper" },
    h("th", { scope: "row" }, countText(rowNumber(place))),
    h("td", { class: "screen" }, tryButton(values, back, `row ${countText(rowNumber(place))}`)),
    outcomes && h("td", { class: "text" }, outcomeWords(outcomes[place])),
    answer && h("td", { class: "text" }, predictionWords(predictedPlace(answer))),
    features.map((feature) => valueCell(feature, values[feature.name])),
  );
}

/**
 * A value in a table; long numbers are rounded and exact in a tooltip.
 * @param {FeatureRecord} feature
 * @param {Value} value
 */
function valueCell(feature, value) {
  if (feature.kind === "category") return h("td", { class: "text" }, formatValue(feature, value));
  const exact = formatValue(feature, value);
  if (value === null || feature.kind !== "number" || exact.length <= 9) return h("td", {}, exact);
  return h("td", { title: exact }, formatValue(feature, Number(value.toPrecision(5))));
}
