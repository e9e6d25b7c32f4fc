// @ts-check
// Which rule set and which rule are on show, and telling all parts of the page of a change.

import { h, show } from "./dom.js";
import { summary } from "./summary.js";

/**
 * model: the place of the rule set on show; rule: the place of the rule in focus, or null.
 * @type {{ model: number, rule: number | null }}
 */
export const state = { model: summary.chosen, rule: null };

export function model() {
  return summary.models[state.model];
}

/**
 * Put another rule set of the front on show.
 * @param {number} place
 */
export function showModel(place) {
  state.model = place;
  state.rule = null;
  tell("model");
}

/**
 * Put a rule into focus, everywhere on the page; null for none.
 * @param {number | null} place
 */
export function focusRule(place) {
  state.rule = place;
  tell("rule");
}

/** @type {Record<string, { listener: (detail: any) => void, section: HTMLElement | null }[]>} */
const listeners = {};

/** @type {HTMLElement | null} */
let startedPart = null; // the section whose part is being started: what listens now belongs to it

/**
 * Call a function whenever something changes: "model", "rule", "case" (with a case), "theme".
 * @param {string} what
 * @param {(detail: any) => void} listener
 */
export function on(what, listener) {
  (listeners[what] ??= []).push({ listener, section: startedPart });
}

/**
 * @param {string} what
 * @param {any} [detail]
 */
export function tell(what, detail) {
  for (const { listener, section } of listeners[what] ?? []) {
    try {
      listener(detail);
    } catch (error) {
      // a part that could not draw another rule set would go on showing the last one
      sayBroken(what === "model" ? section : null, error);
    }
  }
}

/**
 * Start a part of the page. One that fails says so in its place and stops no other.
 * @param {HTMLElement} section
 * @param {(section: HTMLElement) => void} start
 */
export function startPart(section, start) {
  startedPart = section;
  try {
    start(section);
  } catch (error) {
    sayBroken(section, error);
  } finally {
    startedPart = null;
  }
}

/**
 * @param {HTMLElement | null} section
 * @param {unknown} error
 */
function sayBroken(section, error) {
  console.error(error);
  if (!section) return;
  show(
    section,
    h(
      "p",
      { class: "notice broken", role: "alert" },
      `This part could not be drawn: ${error instanceof Error ? error.message : error}`,
    ),
  );
}
