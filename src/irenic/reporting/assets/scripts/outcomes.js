// @ts-check
// What rules say, in words and in colors.

import { h, nameList, nameWords } from "./dom.js";
import { labelText, summary } from "./summary.js";

/**
 * The color of an outcome, as a variable of the style sheet: eight that color-blind people tell
 * apart; further outcomes share the last, a gray.
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
 * What a rule says, in words: an outcome, or the labels of a set of them.
 * @param {number | null} outcome
 */
export function outcomeText(outcome) {
  if (outcome === null) return "nothing";
  const { text, labels } = summary.outcomes[outcome];
  if (!summary.several_labels) return text;
  return labels.map(labelText).join(", ") || "no label";
}

/**
 * The same as elements, where it stands beside other words.
 * @param {number | null} outcome
 */
export function outcomeWords(outcome) {
  const labels = outcome !== null && summary.several_labels ? summary.outcomes[outcome].labels : [];
  return labels.length ? nameList(labels.map(labelText)) : nameWords(outcomeText(outcome));
}

/**
 * What a rule says: its name, and a dot in its color.
 * @param {number | null} outcome
 */
export function outcomeChip(outcome) {
  return withColor(h("span", { class: "outcome" }, h("span", {}, outcomeWords(outcome))), outcome);
}
