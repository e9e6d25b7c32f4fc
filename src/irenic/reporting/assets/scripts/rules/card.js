// @ts-check
// One rule as a card, and the card of the default.

import { allValues, conditionWords } from "../condition_words.js";
import { writtenConditions } from "../conditions.js";
import { h, listWords } from "../dom.js";
import { weightOf } from "../engine/packing.js";
import { allConflictsListed, conflictsByPlace } from "../findings/counts.js";
import { outcomeChip, withColor } from "../outcomes.js";
import { drawCondition } from "./drawings.js";
import { drawMix } from "./mixes.js";
import { neverHolding, ruleAnchor, ruleLink, ruleNumberText, ruleTitle } from "./names.js";
import { model } from "../state.js";
import { hasCounts, summary } from "../summary.js";
import { moreOf } from "../tables.js";
import { formatNumber } from "../values/texts.js";
import { countText, percentText, pluralText, sentence } from "../words.js";

/** @param {number} place */
export function ruleCard(place) {
  const rule = model().rules[place];
  const title = `rule-title-${place}`;
  const attributes = {
    class: "card",
    id: ruleAnchor(place),
    "data-rule": place,
    tabindex: 0,
    "aria-labelledby": title,
  };
  const card = h(
    "article",
    attributes,
    h("header", {}, h("h3", { id: title }, ruleTitle(place)), outcomeChip(rule.outcome)),
    ruleConditions(rule),
    place < (model().front?.kept ?? 0) && h("p", { class: "muted" }, "Given by the user, not learned."),
    contradictedBy(place),
    ruleFigures(rule),
  );
  return withColor(card, rule.outcome);
}

/** @param {CountedRule} rule */
function ruleConditions(rule) {
  const conditions = writtenConditions(rule);
  if (!conditions.length) return h("p", {}, "Holds for every case.");
  return h(
    "ul",
    { class: "conditions" },
    conditions.map((condition, place) =>
      h(
        "li",
        { class: "condition" },
        h("p", {}, place > 0 && h("span", { class: "muted" }, "and "), conditionWords(condition)),
        allValues(condition, rule.box),
        drawCondition(condition, rule.box[condition.feature]),
      ),
    ),
  );
}

/**
 * Links to the rules that a rule contradicts.
 * @param {number} place
 */
function contradictedBy(place) {
  const others = [...(conflictsByPlace().get(place) ?? [])].sort((a, b) => a - b);
  if (!others.length) return null;
  const listed = allConflictsListed() ? "." : " among the listed conflicts.";
  return h(
    "p",
    { class: "contradicts" },
    "Contradicts ",
    others.length === 1 ? "rule " : "rules ",
    listWords(others.map((other) => ruleLink(other, ruleNumberText(other)))),
    listed,
  );
}

/**
 * The number of instances that a rule covers, the share it is right for, and their labels.
 * @param {CountedRule} rule
 */
function ruleFigures(rule) {
  const weighs = ["best", "vote"].includes(summary.decides.how);
  const weight = weighs && h("p", {}, `Weight ${formatNumber(weightOf(rule))}`);
  if (rule.support === null || !hasCounts()) return weight && h("div", { class: "figures" }, weight);
  return h(
    "div",
    { class: "figures" },
    h("p", {}, coversText(rule)),
    drawMix(rule.mix, rule.support, rule.outcome),
    weight,
  );
}

/**
 * @param {CountedRule | Otherwise} rule
 * @param {string} [covers]
 */
function coversText(rule, covers = "Covers") {
  const support = rule.support ?? 0;
  const text = `${covers} ${pluralText(support, "instance")}`;
  const estimate = rule.interval ? [rule.confidence ?? 0, ...rule.interval] : rule.expected;
  if (estimate) {
    const [share, low, high] = estimate.map(percentText);
    const expected = `right for about ${share} of new cases (95 % interval ${low} to ${high})`;
    if (rule.interval || rule.confidence === null || summary.several_labels) return `${text}; ${expected}.`;
    const right = countText(Math.round(rule.confidence * support * 10) / 10);
    return `${text}; ${expected}, and for ${right} of these (${percentText(rule.confidence)}).`;
  }
  if (rule.confidence === null || rule.confidence === undefined) return `${text}.`;
  if (summary.several_labels) return `${text}; agreement with their labels (mean F1) ${percentText(rule.confidence)}.`;
  const right = countText(Math.round(rule.confidence * support * 10) / 10);
  return `${text}, right for ${right} of them (${percentText(rule.confidence)}).`;
}

/** Whether the default is never needed. */
function coversAll() {
  return model().verdicts.complete.holds;
}

export function otherwiseText() {
  if (coversAll()) return "Never needed: the rules cover every case.";
  return model().default.outcome === null
    ? "If no rule holds, there is no prediction: there is no default."
    : "The default, if no rule holds.";
}

export function defaultCard() {
  const { default: otherwise } = model();
  const nothing = otherwise.outcome === null;
  const counted = hasCounts() && otherwise.support !== null && (!coversAll() || otherwise.support > 0);
  const card = h(
    "article",
    { class: "card otherwise", "aria-labelledby": "rule-title-otherwise" },
    h("header", {}, h("h3", { id: "rule-title-otherwise" }, "Otherwise"), !nothing && outcomeChip(otherwise.outcome)),
    h("p", {}, otherwiseText()),
    counted &&
      h(
        "div",
        { class: "figures" },
        h(
          "p",
          {},
          nothing ? `Concerns ${pluralText(otherwise.support ?? 0, "instance")}.` : coversText(otherwise, "Concerns"),
        ),
        drawMix(otherwise.mix, otherwise.support, otherwise.outcome),
      ),
  );
  return withColor(card, otherwise.outcome);
}

/** The rows that never hold, with the reasons that the check found. */
export function neverHoldLines() {
  const never = neverHolding();
  if (!never.length) return null;
  const findings = model().findings.filter((finding) => finding.kind === "never_fire");
  /** @param {number} number */
  const line = (number) => {
    const finding = findings.find((each) => each.rules.includes(number));
    return h(
      "li",
      { class: "finding warning" },
      finding?.text ? sentence(finding.text) : `Rule ${number} never holds.`,
    );
  };
  const items = never.map(line);
  return moreOf(h("ul", { class: "findings", id: "never-hold" }, items), items, 10);
}
