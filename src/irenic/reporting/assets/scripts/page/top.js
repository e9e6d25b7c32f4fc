// @ts-check
// The title of the page, and its size.

import { h, show, within } from "../dom.js";
import { otherNotice } from "../front/notices.js";
import { nextTheme, showTheme } from "./theme.js";
import { neverHolding, rulesText } from "../rules/names.js";
import { model, on } from "../state.js";
import { countedOn, summary } from "../summary.js";
import { pluralText } from "../words.js";

/** @param {HTMLElement} header */
export function startTop(header) {
  show(
    header,
    h(
      "div",
      {},
      h("h1", { tabindex: -1 }, summary.name || "Rules"),
      h("p", { class: "lead" }),
      h("div", { class: "other" }),
    ),
    h("button", { id: "theme", type: "button", onclick: nextTheme }),
  );
  showTheme("auto");
  /** @param {EditedVerdict | null} [edited] */
  const draw = (edited = null) => {
    show(within(header, ".lead"), edited ? editedText(edited) : topText());
    show(within(header, ".other"), edited ? null : otherNotice());
  };
  on("model", () => draw());
  on("edited", draw);
  draw();
}

/** @param {EditedVerdict} edited */
const editedText = ({ rules }) =>
  `Edited: ${rules === null ? "rules" : pluralText(rules, "rule")} over ${pluralText(summary.features.length, "feature")}.`;

function topText() {
  const { outcome } = model().default;
  const predicted = new Set(model().rules.map((rule) => rule.outcome));
  if (outcome !== null) predicted.add(outcome);
  const over = `${rulesText()}${neverHolding().length ? "," : ""} over ${pluralText(summary.features.length, "feature")}`;
  const outcomes = summary.several_labels
    ? `for ${pluralText(summary.labels.length, "label")}`
    : `for ${pluralText(predicted.size, "outcome")}`;
  const counted = countedOn((rows) => `; counted on ${rows}`, "; counted on their training rows");
  return `${over} ${outcomes}${counted}.`;
}
