// @ts-check
// The rule set and the rule that are shown, and the events that notify all parts of the page of a change.

import { h, show } from "./dom.js";
import { summary } from "./summary.js";

/**
 * model: the index of the rule set shown; rule: the index of the rule in focus, or null.
 * @type {{ model: number, rule: number | null }}
 */
export const state = { model: summary.chosen, rule: null };

export function model() {
  return summary.models[state.model];
}

/**
 * Show another rule set of the front.
 * @param {number} place
 */
export function showModel(place) {
  state.model = place;
  state.rule = null;
  emit("model");
}

/**
 * Focus a rule everywhere on the page; null for none.
 * @param {number | null} place
 */
export function focusRule(place) {
  state.rule = place;
  emit("rule");
}

/** @type {Record<string, { listener: (detail: any) => void, section: HTMLElement | null }[]>} */
const listeners = {};

/** @type {HTMLElement | null} */
let startedPart = null; // the section whose part is being started, which owns new listeners

/**
 * Call a function on every change of "model", "rule", "case" (with a case), "edited" (with what is known of the edited
 * rules, null without changes), "theme" or "paper".
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
export function emit(what, detail) {
  for (const { listener, section } of listeners[what] ?? []) {
    try {
      listener(detail);
    } catch (error) {
      // a part that failed to draw a rule set must not keep showing the previous one
      reportFailure(what === "model" ? section : null, error);
    }
  }
}

/**
 * Start a part of the page. One that fails shows its error and does not stop the others.
 * @param {HTMLElement} section
 * @param {(section: HTMLElement) => void} start
 */
export function startPart(section, start) {
  startedPart = section;
  try {
    start(section);
  } catch (error) {
    reportFailure(section, error);
  } finally {
    startedPart = null;
  }
}

/**
 * @param {HTMLElement | null} section
 * @param {unknown} error
 */
function reportFailure(section, error) {
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
