// @ts-check
// What can be said while fields are still empty.

import { answerLink, linked } from "./answer.js";
import { h, joinedBy, nameWords } from "../dom.js";
import { foresee } from "../engine/foreseeing.js";
import { outcomeChip } from "../outcomes.js";
import { model } from "../state.js";
import { pluralText } from "../words.js";

/** @param {Feature[]} features */
const namesOf = (features) =>
  joinedBy(
    ", ",
    features.map((feature) => h("b", {}, nameWords(feature.name))),
  );

/**
 * @param {Feature[]} empty
 * @param {Feature[]} wrong
 * @param {boolean} idle
 * @param {boolean} mayMiss
 */
export function stillNeeded(empty, wrong, idle, mayMiss) {
  const lines = [];
  if (wrong.length) lines.push(h("p", {}, "Not readable yet: ", namesOf(wrong), "."));
  if (empty.length) lines.push(h("p", {}, idle ? "Fill in: " : "Still needed: ", namesOf(empty), "."));
  if (idle && mayMiss) lines.push(h("p", { class: "muted small" }, "Tick “missing” where a value is not known."));
  return lines;
}

/**
 * What is certain already while fields are open, or what can still come.
 * @param {Case} known
 */
export function soFar(known) {
  const { possible, sure, settled } = foresee(model(), known);
  if (settled) return settledWords(settled, possible);
  const said = [...new Set(possible.map((place) => model().rules[place].outcome))];
  const many = possible.length > 1;
  const chips = said.slice(0, 6).map((outcome, i) => [i ? " or " : "", outcomeChip(outcome)]);
  const more = said.length > 6 ? ` or ${pluralText(said.length - 6, "other outcome")}` : "";
  const say = said.length > 1 ? "; they say " : many ? "; all of them say " : "; it says ";
  return [
    h("p", {}, "With this, ", linked(possible), " can still hold", say, chips, more, "."),
    sure.length > 0
      ? h("p", {}, "Already certain to hold: ", linked(sure), ".")
      : h("p", { class: "muted" }, many ? "If none of them does, " : "If it does not, ", defaultWords(), "."),
  ];
}

function defaultWords() {
  const { outcome } = model().default;
  return outcome === null ? "nothing is said: there is no default" : ["the default says ", outcomeChip(outcome)];
}

/**
 * What follows whatever is filled into the fields that are still open.
 * @param {Answer} settled
 * @param {number[]} possible
 */
function settledWords(settled, possible) {
  if (!possible.length) return h("p", {}, "No rule can hold any more: ", defaultWords(), ".");
  if (settled.contradicted) {
    return h(
      "p",
      {},
      "Contradicted already, whatever the rest is: ",
      linked(settled.rules),
      " hold and say different things.",
    );
  }
  const reason =
    settled.rule !== null
      ? [answerLink(settled.rule), " holds already"]
      : [linked(possible), " can still hold, and the default says the same"];
  return h("p", {}, "Already certain, whatever the rest is: ", outcomeChip(settled.outcome), " (", reason, ").");
}
