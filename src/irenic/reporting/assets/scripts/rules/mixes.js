// @ts-check
// Bars that show the labels of the instances that a rule covers.

import { h, nameWords } from "../dom.js";
import { color } from "../outcomes.js";
import { labelText, summary } from "../summary.js";
import { countText, nameText, percentText, pluralText } from "../words.js";

const LISTED_OUTCOME_LIMIT = 12;

const DRAWN_LABEL_LIMIT = 5;

/**
 * The labels of the instances that a rule covers: one bar of all outcomes, or one bar per label.
 * @param {number[] | null} mix
 * @param {number | null} support
 * @param {number | null} outcome
 */
export function drawMix(mix, support, outcome) {
  if (!mix || !support) return null;
  return summary.several_labels ? drawLabels(mix, support, outcome) : drawShares(mix, support);
}

/**
 * @param {number[]} mix
 * @param {number} support
 */
function drawShares(mix, support) {
  const places = mixPlaces(mix);
  const shares = places
    .slice(0, 3)
    .map((label, i) => [i ? " · " : "", nameWords(labelText(label)), `: ${countText(mix[label])}`]);
  const more = places.length > 3 ? ` and ${countText(places.length - 3)} more` : "";
  return [mixBar(mix, support), h("p", { class: "small muted" }, shares, more)];
}

/**
 * One bar of all outcomes, with a tooltip.
 * @param {number[]} mix
 * @param {number} support
 */
export function mixBar(mix, support) {
  const places = mixPlaces(mix);
  const shares = places.map((label) =>
    h("i", { style: { width: `${(100 * mix[label]) / support}%`, background: color(label) } }),
  );
  const texts = places
    .slice(0, LISTED_OUTCOME_LIMIT)
    .map((label) => `${nameText(labelText(label))}: ${countText(mix[label])}`);
  const listed = texts.join(", ");
  const left = places.length - texts.length;
  const words = left > 0 ? `${listed} and ${countText(left)} more` : listed;
  return h("div", { class: "mix", role: "img", "aria-label": words, title: words }, shares);
}

/**
 * @param {number[]} mix
 * @param {number} support
 * @param {number | null} outcome
 */
function drawLabels(mix, support, outcome) {
  const predicted = new Set(outcome === null ? [] : summary.outcomes[outcome].labels);
  const places = mixPlaces(mix);
  const rows = places
    .slice(0, DRAWN_LABEL_LIMIT)
    .map((label) =>
      h(
        "div",
        { class: predicted.has(label) ? "said" : null },
        h("span", {}, predicted.has(label) ? "✓ " : "", nameWords(labelText(label))),
        h("span", { class: "bar" }, h("i", { style: { width: `${(100 * mix[label]) / support}%` } })),
        h("span", {}, percentText(mix[label] / support)),
      ),
    );
  const left = places.length - rows.length;
  return [
    h("div", { class: "label-bars" }, rows),
    left > 0 && h("p", { class: "small muted" }, `and ${pluralText(left, "more label")}`),
  ];
}

/** @param {number[]} mix */
function mixPlaces(mix) {
  return mix
    .map((_, place) => place)
    .filter((place) => mix[place] > 0)
    .sort((a, b) => mix[b] - mix[a]);
}
