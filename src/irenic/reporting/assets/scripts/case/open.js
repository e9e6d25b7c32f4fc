// @ts-check
// The answer so far, while fields are still empty.

import { answerLink, linked } from "./answer.js";
import { h, joinedBy, nameWords } from "../dom.js";
import { foresee } from "../engine/foreseeing.js";
import { outcomeChip } from "../outcomes.js";
import { reasonRule } from "./reason.js";
import { model } from "../state.js";
import { pluralText } from "../words.js";

/** @param {FeatureRecord[]} features */
const namesOf = (features) =>
  joinedBy(
    ", ",
    features.map((feature) => h("b", {}, nameWords(feature.name))),
  );

/**
 * @param {FeatureRecord[]} empty
 * @param {FeatureRecord[]} wrong
 * @param {boolean} idle
 * @param {boolean} mayMiss
 */
export function stillNeeded(empty, wrong, idle, mayMiss) {
  const lines = [];
  if (wrong.length) lines.push(h("p", {}, "Invalid: ", namesOf(wrong), "."));
  if (empty.length) lines.push(h("p", {}, idle ? "Fill in: " : "Still needed: ", namesOf(empty), "."));
  if (idle && mayMiss) lines.push(h("p", { class: "muted small" }, "Check “missing” if a value is unknown."));
  return lines;
}

/**
 * The outcome if it is already certain, or the outcomes that are still possible.
 * @param {Case} known
 */
export function soFar(known) {
  const { possible, sure, settled } = foresee(model(), known);
  if (settled) return settledWords(settled, possible);
  const outcomes = [...new Set(possible.map((place) => model().rules[place].outcome))];
  const many = possible.length > 1;
  const chips = outcomes.slice(0, 6).map((outcome, i) => [i ? " or " : "", outcomeChip(outcome)]);
  const more = outcomes.length > 6 ? ` or ${pluralText(outcomes.length - 6, "other outcome")}` : "";
  const say = outcomes.length > 1 ? "; they say " : many ? "; all of them say " : "; it says ";
  return [
    h("p", {}, "So far, ", linked(possible), " can still hold", say, chips, more, "."),
    sure.length > 0
      ? h("p", {}, "Already certain to hold: ", linked(sure), ".")
      : h("p", { class: "muted" }, many ? "If none of them does, " : "If it does not, ", defaultWords(), "."),
  ];
}

function defaultWords() {
  const { outcome } = model().default;
  return outcome === null ? "there is no prediction: there is no default" : ["the default says ", outcomeChip(outcome)];
}

/**
 * The answer that does not depend on the empty fields.
 * @param {Answer} settled
 * @param {number[]} possible
 */
function settledWords(settled, possible) {
  if (!possible.length) return h("p", {}, "No rule can hold anymore: ", defaultWords(), ".");
  if (settled.contradicted) {
    return h(
      "p",
      {},
      "Already contradicted, whatever the other values are: ",
      linked(settled.rules),
      " hold and disagree.",
    );
  }
  const named = reasonRule(model(), settled);
  const reason =
    named !== null
      ? [answerLink(named), " already holds"]
      : [linked(possible), " can still hold, and the default says the same"];
  return h(
    "p",
    {},
    "Already certain, whatever the other values are: ",
    outcomeChip(settled.outcome),
    " (",
    reason,
    ").",
  );
}
