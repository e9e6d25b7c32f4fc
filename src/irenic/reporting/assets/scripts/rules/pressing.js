// @ts-check
// Focuses a rule that is clicked or activated with a key.

import { focusRule, state } from "../state.js";

/** @param {Event} event */
function cardOf(event) {
  const target = /** @type {Element} */ (event.target);
  if (target.closest("button, a, input, select, details")) return null;
  return /** @type {HTMLElement | null} */ (target.closest("[data-rule]"));
}

/** @param {Event} event */
export function clickOnCard(event) {
  const card = cardOf(event);
  // selecting text is not a click on the card
  if (!card || !(getSelection()?.isCollapsed ?? true)) return;
  pressCard(card);
}

/** @param {KeyboardEvent} event */
export function keyOnCard(event) {
  if (event.key !== "Enter" && event.key !== " ") return;
  const card = cardOf(event);
  if (!card) return;
  event.preventDefault();
  pressCard(card);
}

/** @param {HTMLElement} card */
function pressCard(card) {
  const place = Number(card.dataset.rule);
  focusRule(state.rule === place ? null : place);
}
