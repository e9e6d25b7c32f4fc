// @ts-check
// The part of the page with the rule sets to choose from.

import { byId, h, show, within } from "../dom.js";
import { frontChart, frontDrawing, frontLegend } from "./chart.js";
import { shownNotice } from "./notices.js";
import { hasScore, scoresOf, sizeText } from "./scores.js";
import { on, showModel, state } from "../state.js";
import { summary } from "../summary.js";
import { tableOf } from "../tables.js";
import { countText, percentText, scoreText } from "../words.js";

/** @param {HTMLElement} section */
export function startFront(section) {
  if (summary.models.length < 2) return;
  on("model", () => drawFront(section));
  drawFront(section);
  let drawn = section.clientWidth;
  new ResizeObserver(() => {
    if (Math.abs(section.clientWidth - drawn) <= 20) return;
    drawn = section.clientWidth;
    drawFront(section);
  }).observe(section);
}

/** @param {HTMLElement} section */
function chartWidth(section) {
  const width = section.clientWidth || 620;
  return Math.max(300, Math.min(620, width < 872 ? width : width / 2 - 20));
}

/** @param {HTMLElement} section */
function drawFront(section) {
  frontChart.width = chartWidth(section);
  const focused = frontControl(section);
  show(
    section,
    h("h2", {}, "Smaller or more accurate"),
    h("p", { class: "lead" }, frontLead()),
    h(
      "p",
      { class: "choice" },
      h("span", { class: "muted" }, "Size by number of"),
      sizeButton("conditions"),
      sizeButton("rules"),
    ),
    shownNotice(),
    h("div", { class: "front" }, h("div", {}, frontDrawing(), frontLegend()), frontTable()),
  );
  // if the table leaves another width than expected, draw again so that letters are not scaled
  const chart = within(section, ".chart");
  const width = Math.max(300, chart.clientWidth);
  if (Math.abs(width - frontChart.width) > 20) {
    frontChart.width = width;
    chart.parentElement?.replaceChildren(frontDrawing(), frontLegend());
  }
  if (focused) /** @type {HTMLElement | null} */ (section.querySelector(focused))?.focus({ preventScroll: true });
}

/**
 * A selector of the control that has the focus, to restore it after drawing; null for none.
 * @param {HTMLElement} section
 */
function frontControl(section) {
  const active = document.activeElement;
  if (active === null || !section.contains(active)) return null;
  const name = ["data-model", "data-show", "data-size"].find((each) => active.hasAttribute(each));
  return name ? `[${name}="${active.getAttribute(name)}"]` : null;
}

function frontLead() {
  const validated = summary.models.some((one) => (one.front?.validated_score ?? null) !== null);
  return (
    `${countText(summary.models.length)} rule sets, each better on the training rows than all that are smaller. ` +
    `Choose one to show it on the whole page. ${scoreMeaning()}` +
    (validated ? " Validated scores are of rows left out of learning, not corrected for choosing the best." : "")
  );
}

/** A sentence that explains the score. */
function scoreMeaning() {
  return `The score is ${summary.score}; 1 is best.`;
}

/** @param {"conditions" | "rules"} by */
function sizeButton(by) {
  const choose = () => {
    frontChart.by = by;
    drawFront(byId("front"));
  };
  const pressed = String(frontChart.by === by);
  return h("button", { type: "button", "data-size": by, "aria-pressed": pressed, onclick: choose }, by);
}

function frontTable() {
  /** @type {Record<keyof Scores, string>} */
  const columns = { validated: "validated", training: "training", counted: "instances" };
  const used = /** @type {(keyof Scores)[]} */ (Object.keys(columns)).filter(hasScore);
  const rows = summary.models.map((one, place) =>
    h(
      "tr",
      { "aria-current": place === state.model ? "true" : null },
      h("td", { class: "text status" }, frontStatus(place)),
      h("td", {}, countText(one.size.rules)),
      h("td", {}, countText(one.size.conditions)),
      used.map((which) => h("td", {}, frontScore(which, scoresOf(one)[which]))),
    ),
  );
  const head = ["rules", "conditions", ...used.map((which) => columns[which])];
  return tableOf(
    {},
    "The rule sets, from small to accurate, with their scores.",
    h(
      "tr",
      {},
      h("th", { scope: "col" }, h("span", { class: "unseen" }, "choose")),
      head.map((text) => h("th", { scope: "col" }, text)),
    ),
    rows,
  );
}

/**
 * The status of a rule set, with a button that stays in place and keeps the focus when pressed.
 * @param {number} place
 */
function frontStatus(place) {
  const shown = place === state.model;
  const text = shown ? "shown" : "show";
  const label = `${text}: the rule set with ${sizeText(summary.models[place])}`;
  const button = h(
    "button",
    {
      type: "button",
      class: "link screen",
      "data-show": place,
      "aria-label": label,
      "aria-pressed": String(shown),
      onclick: () => showModel(place),
    },
    text,
  );
  const used = place === summary.chosen && ["in use", h("span", { class: shown ? null : "screen" }, " · ")];
  return [used, button, shown && h("span", { class: "paper" }, "shown")];
}

/**
 * @param {keyof Scores} which
 * @param {number | null} score
 */
function frontScore(which, score) {
  if (score === null) return "–";
  return which === "counted" ? percentText(score) : scoreText(score);
}
