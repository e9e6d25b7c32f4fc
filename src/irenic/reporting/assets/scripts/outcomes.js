// @ts-check
// The outcomes of rules as text and as colors.

import { h, nameList, nameWords } from "./dom.js";
import { labelText, summary } from "./summary.js";

/**
 * The color of an outcome, as a variable of the style sheet: eight colors that color-blind people can
 * distinguish; further outcomes share a gray.
 * @param {number | null} outcome
 */
export function color(outcome) {
  return outcome === null || outcome < 0 ? "var(--none)" : `var(--outcome-${Math.min(outcome, 8)})`;
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
