// @ts-check
// Tables of instances.

import { tryButton } from "../case/trying.js";
import { h, show } from "../dom.js";
import { decideCase } from "../engine/deciding.js";
import { instanceCase, rowNumber } from "../engine/instances.js";
import { outcomeWords } from "../outcomes.js";
import { saidPlace, saidWords } from "./said.js";
import { model } from "../state.js";
import { askedFeatures, givenInstances, summary } from "../summary.js";
import { moreOf, tableOf } from "../tables.js";
import { formatValue } from "../values/texts.js";
import { countText, pluralText } from "../words.js";

const FIRST_INSTANCES = 10;

export const MOST_INSTANCES = 200;

const MOST_INSTANCES_ON_PAPER = 20;

export const MOST_COLUMNS = 12;

/** @type {Map<number, number> | null} */
let placesByRow = null;

/**
 * Where instances stand in the sample, by the numbers of their rows.
 * @param {number} row
 */
function placeOfRow(row) {
  const { row_numbers: numbers } = givenInstances();
  if (!numbers) return row - 1;
  placesByRow ??= new Map(numbers.map((number, place) => [number, place]));
  return placesByRow.get(row);
}

/**
 * The instances of a kind. Of very many rows the summary names some, and those that the file holds first: only
 * if all that it names are held, there may be more.
 * @param {LeftOut | "wrong"} which
 * @param {Results} results
 */
export function rowsTable(which, results) {
  const rows = results[`${which}_rows`] ?? [];
  const places = rows.map(placeOfRow).filter((place) => place !== undefined);
  if (!places.length) return noneHeld();
  const total = results[which] ?? 0;
  const { shown, rows: all } = givenInstances();
  const held = shown === all ? total : places.length;
  const more = held < total && places.length >= MOST_INSTANCES;
  return instanceTable(places, { held, total, more }, which);
}

export function noneHeld() {
  return h("p", { class: "muted" }, "None of them is among the instances stored in this file.");
}

/**
 * How many of some instances the file holds.
 * @param {Held} held
 */
function heldText({ held, total, more }) {
  if (held === total) return total === 1 ? "It is stored in this file" : "All of them are stored in this file";
  return `${more ? "At least " : ""}${pluralText(held, "of them is", "of them are")} stored in this file`;
}

/**
 * How many of those are shown, if not all.
 * @param {number} shown
 * @param {Held} held
 */
function shownText(shown, { held, more }) {
  return shown < held || more ? `; the first ${countText(shown)} are shown` : "";
}

/**
 * A table of some instances; count says how many the file holds, and how many there are in all.
 * @param {number[]} places
 * @param {Held} count
 * @param {LeftOut | "wrong"} which
 */
export function instanceTable(places, count, which) {
  const features = shownFeatures();
  const said = which === "wrong";
  const rows = places.map((place, at) => instanceRow(place, features, which, at));
  /**
   * @param {string} text
   * @param {Feature["kind"]} [kind]
   */
  const head = (text, kind) => h("th", { scope: "col", class: kind === "category" && "text" }, text);
  // on paper other rows are shown, as is said there
  const shown = h("span", { class: "screen" }, shownText(Math.min(rows.length, FIRST_INSTANCES), count));
  const table = tableOf(
    { class: which },
    [heldText(count), shown, ".", columnsText()],
    h(
      "tr",
      {},
      head("row"),
      h("th", { scope: "col", class: "screen" }, h("span", { class: "unseen" }, "try it")),
      givenInstances().outcomes && h("th", { scope: "col", class: "text" }, "true"),
      said && h("th", { scope: "col", class: "text" }, "said"),
      features.map((feature) => head(feature.name, feature.kind)),
    ),
    rows,
    null,
    "Instances",
  );
  const paper =
    rows.length > MOST_INSTANCES_ON_PAPER &&
    h("p", { class: "paper muted" }, `The first ${MOST_INSTANCES_ON_PAPER} are printed.`);
  return [moreOf(table, rows, FIRST_INSTANCES, () => show(shown, shownText(rows.length, count))), paper];
}

/** The features that the rules ask for, as the others decide nothing; the first of very many. */
function shownFeatures() {
  const asked = askedFeatures(model());
  return (asked.length ? asked : summary.features).slice(0, MOST_COLUMNS);
}

/** Which features the columns are, if not all of them. */
function columnsText() {
  const asked = askedFeatures(model()).length;
  const of = asked || summary.features.length;
  const some = of > MOST_COLUMNS ? `the first ${MOST_COLUMNS} of ${countText(of)}` : "";
  if (asked && asked < summary.features.length) {
    return ` Columns: the features that rules ask for${some && `, ${some}`}.`;
  }
  return some && ` Columns: ${some} features.`;
}

/**
 * @param {number} place
 * @param {Feature[]} features
 * @param {LeftOut | "wrong"} which
 * @param {number} at
 */
function instanceRow(place, features, which, at) {
  const { outcomes } = givenInstances();
  const values = instanceCase(place);
  const id = `${which}-row-${rowNumber(place)}`;
  const back = { id, text: "Back to the instances" };
  return h(
    "tr",
    { id, class: at >= MOST_INSTANCES_ON_PAPER && "off-paper" },
    h("th", { scope: "row" }, countText(rowNumber(place))),
    h("td", { class: "screen" }, tryButton(values, back, `row ${countText(rowNumber(place))}`)),
    outcomes && h("td", { class: "text" }, outcomeWords(outcomes[place])),
    which === "wrong" && h("td", { class: "text" }, saidWords(saidPlace(decideCase(model(), values)))),
    features.map((feature) => valueCell(feature, values[feature.name])),
  );
}

/**
 * A value in a table: long numbers rounded, as pointing at them tells the rest.
 * @param {Feature} feature
 * @param {Value} value
 */
function valueCell(feature, value) {
  if (feature.kind === "category") return h("td", { class: "text" }, formatValue(feature, value));
  const exact = formatValue(feature, value);
  if (value === null || feature.kind !== "number" || exact.length <= 9) return h("td", {}, exact);
  return h("td", { title: exact }, formatValue(feature, Number(value.toPrecision(5))));
}
