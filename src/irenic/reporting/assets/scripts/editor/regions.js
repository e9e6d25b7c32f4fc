// @ts-check
// How findings write outcomes, and regions in the notation of the table: features with their cells.

import { cellText, testFrom } from "./cells.js";
import { h, nameWords } from "../dom.js";

/**
 * @param {EditedTable} table
 * @param {Sides} sides
 */
export function regionCells({ features }, sides) {
  const cells = features.flatMap((feature, place) => {
    const test = testFrom(feature, sides[place] ?? null);
    return test ? [[feature.name, cellText(feature, test)]] : [];
  });
  if (!cells.length) return h("span", { class: "region muted" }, "any case");
  return h(
    "span",
    { class: "region" },
    cells.map(([name, text], k) => [
      k > 0 && " ",
      h("span", { class: "region-cell" }, h("bdi", { class: "muted" }, name), " ", h("bdi", {}, text)),
    ]),
  );
}

/**
 * An outcome; null is none, and -2 a contradiction.
 * @param {EditedTable} table
 * @param {number | null} outcome
 */
export function sayOutcome({ outcomes }, outcome) {
  if (outcome === null || outcome === -1) return "nothing";
  return outcome === -2 ? "a contradiction" : nameWords(outcomes[outcome].text);
}
