// @ts-check
// One finding, as an item of a list.

import { formatValue } from "../values/texts.js";
import { isMissing, unitText } from "../values/features.js";
import { tryButton } from "../case/trying.js";
import { regionWords } from "../condition_words.js";
import { writtenConditions } from "../conditions.js";
import { h, nameWords } from "../dom.js";
import { FINDING_KINDS } from "./kinds.js";
import { outcomeChip } from "../outcomes.js";
import { placeOf, ruleLink, ruleLinks } from "../rules/names.js";
import { model } from "../state.js";
import { featuresOf } from "../summary.js";
import { pluralText, sentence } from "../words.js";

/**
 * @param {FindingRecord | AcceptedRecord} finding
 * @param {string} id
 */
export function findingItem(finding, id) {
  const { region, rows } = finding;
  const theCase = finding.witness?.case ?? null;
  const pair = ["conflicts", "overlaps"].includes(finding.kind);
  const [one] = FINDING_KINDS[finding.kind];
  const back = {
    id,
    text: `Back to the ${["conflicts", "gaps", "overlaps"].includes(finding.kind) ? one : "finding"}`,
  };
  return h(
    "li",
    { class: `finding ${finding.level}`, id },
    h("p", {}, findingSentence(finding)),
    region && regionWords(region.box, writtenConditions(region)),
    h(
      "div",
      { class: "foot" },
      "reason" in finding && h("b", {}, `Accepted: ${finding.reason}`),
      finding.place && h("span", { class: "muted" }, `In ${finding.place}.`),
      rows !== null && rows > 0 && h("b", {}, `${pluralText(rows, "instance")} here.`),
      region && theCase && h("span", { class: "muted" }, "For example at ", caseWords(region.box, theCase), "."),
      !pair && ruleLinks([...finding.rules, ...finding.by], theCase),
      theCase && tryButton(theCase, back, findingName(finding, id)),
    ),
  );
}

/**
 * A name that distinguishes a finding from others.
 * @param {FindingRecord} finding
 * @param {string} id
 */
function findingName({ kind, rules }, id) {
  const [one] = FINDING_KINDS[kind];
  const pair = ["conflicts", "overlaps"].includes(kind);
  return pair ? `${one} of rules ${rules.join(" and ")}` : `${one}, number ${id.slice(kind.length + 1)}`;
}

/** @param {FindingRecord} finding */
function findingSentence(finding) {
  if (finding.kind === "gaps") return gapSentence();
  if (!["conflicts", "overlaps"].includes(finding.kind)) return sentence(finding.text ?? "");
  const places = finding.rules.map((number) => placeOf(number, finding.witness?.case ?? null));
  const [a, b] = places.map((place) => model().rules[place].outcome);
  const [first, second] = places.map((place) => ruleLink(place));
  if (a === b) return [first, " and ", second, " both say ", outcomeChip(a), " wherever"];
  return [first, " says ", outcomeChip(a), ", ", second, " says ", outcomeChip(b), " wherever"];
}

function gapSentence() {
  const otherwise = model().default.outcome;
  if (otherwise === null) return "No rule holds, and there is no default, wherever";
  return ["No rule holds, and the default says ", outcomeChip(otherwise), ", wherever"];
}

/**
 * A case to try, with the features that the region tests; the others do not matter.
 * @param {Box} box
 * @param {Case} theCase
 */
function caseWords(box, theCase) {
  const features = featuresOf(box);
  const values = features.map((feature) => {
    const value = theCase[feature.name];
    const name = nameWords(feature.name);
    return isMissing(feature, value)
      ? [name, " missing"]
      : [name, " = ", nameWords(formatValue(feature, value)), unitText(feature)];
  });
  return values.length ? values.map((words, i) => [i ? ", " : "", words]) : "any case";
}
