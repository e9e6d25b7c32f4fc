// @ts-check
// The first part of the page: whether the rules contradict each other, what to expect of them, and what they leave open.

import { h, nameWords, show } from "../dom.js";
import { countOf } from "../findings/counts.js";
import { outcomeChip } from "../outcomes.js";
import { groupsOf } from "../results/groups.js";
import { rightText } from "../results/results.js";
import { model, on, state } from "../state.js";
import { overlapsForbidden, summary } from "../summary.js";
import { capitalized, countText, percentText, pluralText, scoreText, sentence } from "../words.js";

/** @param {HTMLElement} section */
export function startVerdicts(section) {
  on("model", () => drawVerdicts(section));
  on("edited", (/** @type {EditedVerdict | null} */ edited) =>
    edited ? void show(section, h("div", { class: "verdicts" }, editedCard(edited))) : drawVerdicts(section),
  );
  drawVerdicts(section);
}

/**
 * What the page found of edited rules; what is known of the original ones does not apply to them.
 * @param {EditedVerdict} edited
 */
function editedCard({ parts, results, rules }) {
  if (!parts) {
    const why = rules === null ? "cannot be checked in this browser" : "are being checked";
    return card("unknown", "?", "Edited rules", `The rules were changed in the editor, and ${why}.`);
  }
  const kinds = new Set(parts.map(([kind]) => kind));
  const [look, icon] = kinds.has("bad") ? ["fails", "✗"] : kinds.has("warn") ? ["lacks", "!"] : ["holds", "✓"];
  const head = `Edited rules: ${parts.map(([, text]) => text).join(", ")}`;
  return card(look, icon, head, `The rules were changed in the editor.${editedRightText(results)}`);
}

/** @param {EditedResults | null} results */
function editedRightText(results) {
  const share = results && results.right !== null && results.rows ? percentText(results.right / results.rows) : "";
  const right =
    share &&
    ` They are right for ${countText(results?.right ?? 0)} of ${pluralText(results?.rows ?? 0, "instance")} (${share}).`;
  const hasScore = scoreCard() !== null || model().results?.right !== undefined;
  return right || (hasScore ? " How often they are right is not known." : "");
}

/** @param {HTMLElement} section */
function drawVerdicts(section) {
  const { results, verdicts } = model();
  const expected = scoreCard();
  show(
    section,
    h(
      "div",
      { class: "verdicts" },
      verdictCard(verdicts.consistent, "consistent"),
      expected ?? completeCard(verdicts.complete),
    ),
    h(
      "div",
      { class: "facts" },
      expected && restFact(verdicts.complete),
      results && results.rows > 0 && [accuracyFact(results), uncoveredFact(results), groupFact(results)],
      h("p", {}, decidesText()),
    ),
  );
}

function decidesText() {
  const { text, hit_policy: policy } = summary.decides;
  return `How rules decide: ${text}${policy ? ` (hit policy ${policy})` : ""}.`;
}

/**
 * A verdict as a sign and as text, with a link to the findings if it fails.
 * @param {VerdictRecord} verdict
 * @param {keyof VerdictsRecord} about
 */
function verdictCard(verdict, about) {
  const fails = about === "consistent" ? ["fails", "✗"] : ["lacks", "!"];
  const [look, icon] = verdict.holds === null ? ["unknown", "?"] : verdict.holds ? ["holds", "✓"] : fails;
  return card(look, icon, verdict.head, capitalized(verdict.text), findingsLink(about));
}

/**
 * Whether the rules cover every case. It is no fault if they leave some to a default.
 * @param {VerdictRecord} verdict
 */
function completeCard(verdict) {
  if (verdict.holds !== false || model().default.outcome === null) return verdictCard(verdict, "complete");
  return card("neutral", "○", "The default answers the rest", restWords(verdict), findingsLink("complete"));
}

/**
 * @param {string} look
 * @param {string} icon
 * @param {Child} head
 * @param {Child} text
 * @param {Child} [link]
 */
function card(look, icon, head, text, link = null) {
  return h(
    "div",
    { class: `verdict ${look}` },
    h("span", { class: "icon", "aria-hidden": "true" }, icon),
    h("div", {}, h("h2", {}, head), h("p", {}, text, link)),
  );
}

/** @param {keyof VerdictsRecord} about */
function findingsLink(about) {
  const where = about === "complete" ? "gaps" : countOf("conflicts") ? "conflicts" : "overlaps";
  if (!countOf(where) || (where === "overlaps" && !overlapsForbidden())) return null;
  return [" ", h("a", { class: "screen", href: `#${where}` }, `See the ${where}`)];
}

/**
 * What the default says, and where.
 * @param {VerdictRecord} verdict
 */
function restWords(verdict) {
  const isNamed = !countOf("gaps"); // only values that no rule names are left
  const least = model().unfinished.includes("gaps") ? "at least " : "";
  const count = `${least}${pluralText(countOf("gaps"), "such region")}`;
  const regions = verdict.holds === null || isNamed ? "" : ` There are ${count}.`;
  return ["Where no rule holds, it is ", outcomeChip(model().default.outcome), `.${regions}`];
}

/**
 * The score to expect on new cases: an estimate for the rule set in use, for others the validated score.
 */
function scoreCard() {
  const inUse = state.model === summary.chosen;
  const estimate = inUse ? summary.estimate : null;
  const score = estimate?.score ?? model().front?.validated_score ?? null;
  if (score === null) return null;
  const isAccuracy = summary.score === "the accuracy";
  const written = isAccuracy ? percentText : scoreText;
  const where = estimate ? "new cases" : "rows left out";
  const head = isAccuracy ? `${written(score)} right on ${where}` : `Score ${written(score)} on ${where}`;
  const interval =
    estimate && estimate.low !== null && estimate.high !== null
      ? `, 95\u202f% interval ${written(estimate.low)} to ${written(estimate.high)}`
      : "";
  const meaning = isAccuracy ? "" : ` It is ${summary.score}; 1 is best.`;
  const how = estimate
    ? `Estimated from rows left out of learning${interval}.`
    : "Not corrected for choosing the best of several rule sets: expect less on new cases.";
  return card("expected", "≈", head, `${how}${meaning}`);
}

/** @param {VerdictRecord} verdict */
function restFact(verdict) {
  if (verdict.holds) return h("p", {}, `${verdict.head}: ${verdict.text}`);
  if (model().default.outcome === null) return h("p", {}, `${verdict.head}: ${verdict.text}`, findingsLink("complete"));
  return h("p", {}, restWords(verdict), findingsLink("complete"));
}

/** @param {Results} results */
function accuracyFact(results) {
  if (results.right === undefined) return null;
  const { calibration } = results;
  const claimed = calibration
    ? ` The classifier is ${percentText(calibration.predicted)} sure on average.`
    : summary.models[0].front
      ? " If these are the training rows, expect less on new cases."
      : "";
  return h("p", {}, rightText(results).trim(), claimed && h("span", { class: "muted" }, claimed));
}

/** @param {Results} results */
function uncoveredFact(results) {
  const parts = [];
  const all = pluralText(results.rows, "instance");
  const impossible = results.impossible ?? 0;
  if (results.uncovered) parts.push(`no rule covers ${countText(results.uncovered)} of ${all}`);
  if (results.contradicted) parts.push(`rules contradict each other on ${countText(results.contradicted)}`);
  if (impossible) parts.push(`the table excludes ${countText(impossible)} as impossible`);
  if (!parts.length) return h("p", {}, `Every one of the ${all} is covered by a rule.`);
  return h("p", {}, sentence(parts.join(", and ")), " ", h("a", { class: "screen", href: "#results" }, "See which"));
}

/**
 * The group of instances for which predictions are right least often.
 * @param {Results} results
 */
function groupFact(results) {
  const [worst] = groupsOf(results);
  if (!worst || results.accuracy === undefined || worst.atMost >= results.accuracy) return null;
  return h(
    "p",
    {},
    "Right least often where ",
    h("b", {}, nameWords(worst.feature)),
    " is ",
    nameWords(worst.text),
    `: ${percentText(worst.share)} of ${pluralText(worst.rows, "instance")}. `,
    h("a", { class: "screen", href: "#groups" }, "See all groups"),
  );
}
