// @ts-check
// Notices about which rule set is shown, and whether it is the one in use.

import { h } from "../dom.js";
import { mainScore, scoreNames, sizeText } from "./scores.js";
import { model, showModel, state } from "../state.js";
import { summary } from "../summary.js";

export function shownNotice() {
  const [shown, used] = [model(), summary.models[summary.chosen]];
  /** @param {ModelRecord} one */
  const what = (one) => `${sizeText(one)}; ${scoreNames(one)}`;
  if (shown === used)
    return h("p", { class: "notice", role: "status" }, `Shown here: the rule set in use, with ${what(used)}.`);
  return h(
    "div",
    { class: "notice", role: "status" },
    h("p", {}, `Shown here: another rule set than the one in use, with ${what(shown)}.`),
    h("p", {}, `The one in use has ${what(used)}. ${scoreDifference(shown, used)}`),
    h(
      "p",
      { class: "actions" },
      backToUsed(() => document.querySelector(`#front [data-model="${summary.chosen}"]`)),
    ),
  );
}

/**
 * A button that shows the rule set in use again. It disappears when pressed, so another element gets the focus.
 * @param {() => HTMLElement | null} next
 */
function backToUsed(next) {
  const back = () => {
    showModel(summary.chosen);
    next()?.focus({ preventScroll: true });
  };
  return h("button", { type: "button", onclick: back }, "Back to the one in use");
}

/** A notice at the top of the page, also on paper, if the rule set shown is not the one in use. */
export function otherNotice() {
  if (state.model === summary.chosen) return null;
  return h(
    "div",
    { class: "notice", id: "not-in-use", role: "status" },
    h(
      "p",
      {},
      `This is not the rule set in use, which has ${sizeText(summary.models[summary.chosen])}: ` +
        `all of this page is about another one, with ${sizeText(model())}.`,
    ),
    h(
      "p",
      { class: "actions" },
      backToUsed(() => document.querySelector("#top h1")),
    ),
  );
}

/**
 * @param {ModelRecord} shown
 * @param {ModelRecord} used
 */
function scoreDifference(shown, used) {
  const [a, b] = [mainScore(shown), mainScore(used)];
  if (a === null || b === null) return "";
  const difference = Math.abs(a - b).toFixed(3);
  if (difference === "0.000") return "They score the same.";
  return `The rule set shown scores ${difference} ${a > b ? "more" : "less"}.`;
}
