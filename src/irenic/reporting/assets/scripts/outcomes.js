// @ts-check
// The outcomes of rules as text and as colors.

import { h, nameList, nameWords } from "./dom.js";
import { labelText, summary } from "./summary.js";

const colorPlaces = orderOfColors();

/**
 * The places of the outcomes among the colors: as classifiers and notebooks sort them, and plots (outcome_colors in
 * irenic.plot), so that an outcome has one color in all views. Outcomes that only instances have come last.
 */
function orderOfColors() {
  const { outcomes, models, several_labels: several } = summary;
  const values = outcomes.map(({ text, value = text }) => value);
  const kinds = new Set(values.map((value) => typeof value));
  const places = [...values.keys()];
  if (several || kinds.size !== 1 || kinds.has("object")) return places;
  const decided = new Set(models.flatMap((each) => [each.default, ...each.rules].map(({ outcome }) => outcome)));
  /** @param {number} k */
  const isOther = (k) => Number(!decided.has(k));
  const sorted = [...places].sort((a, b) => isOther(a) - isOther(b) || Number(values[a] > values[b]) - 0.5);
  return places.map((k) => sorted.indexOf(k));
}

/**
 * The place of the color of an outcome: eight colors that color-blind people can distinguish; further outcomes share
 * a gray.
 * @param {number} outcome
 */
export const colorPlace = (outcome) => Math.min(colorPlaces[outcome] ?? outcome, 8);

/**
 * The color of an outcome, as a variable of the style sheet.
 * @param {number | null} outcome
 */
export function color(outcome) {
  return outcome === null || outcome < 0 ? "var(--none)" : `var(--outcome-${colorPlace(outcome)})`;
}

/**
 * @template {HTMLElement} E
 * @param {E} element
 * @param {number | null} outcome
 */
export function withColor(element, outcome) {
  element.style.setProperty("--color", color(outcome));
  return element;
}

/**
 * The text of an outcome, or of the labels in it if it is a set.
 * @param {number | null} outcome
 */
export function outcomeText(outcome) {
  if (outcome === null) return "nothing";
  const { text, labels } = summary.outcomes[outcome];
  if (!summary.several_labels) return text;
  return labels.map(labelText).join(", ") || "no label";
}

/**
 * The text of an outcome as elements, for use in sentences.
 * @param {number | null} outcome
 */
export function outcomeWords(outcome) {
  const labels = outcome !== null && summary.several_labels ? summary.outcomes[outcome].labels : [];
  return labels.length ? nameList(labels.map(labelText)) : nameWords(outcomeText(outcome));
}

/**
 * The name of an outcome, and a dot in its color.
 * @param {number | null} outcome
 */
export function outcomeChip(outcome) {
  return withColor(h("span", { class: "outcome" }, h("span", {}, outcomeWords(outcome))), outcome);
}
