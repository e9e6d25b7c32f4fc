// @ts-check
// The verdicts on the rules.

import { h, show } from "../dom.js";
import { countOf } from "../findings/counts.js";
import { rightText } from "../results/results.js";
import { model, on } from "../state.js";
import { overlapsForbidden, summary } from "../summary.js";
import { capitalized, countText, pluralText, sentence } from "../words.js";

/** @param {HTMLElement} section */
export function startVerdicts(section) {
  on("model", () => drawVerdicts(section));
  drawVerdicts(section);
}

/** @param {HTMLElement} section */
function drawVerdicts(section) {
  const { results, verdicts } = model();
  show(
    section,
    h(
      "div",
      { class: "verdicts" },
      verdictCard(verdicts.consistent, "consistent"),
      verdictCard(verdicts.complete, "complete"),
    ),
    h(
      "div",
      { class: "facts" },
      h("p", {}, decidesText()),
      results && results.rows > 0 && [accuracyFact(results), uncoveredFact(results)],
    ),
  );
}

function decidesText() {
  const { text, hit_policy: policy } = summary.decides;
  return `How rules decide: ${text}${policy ? ` (hit policy ${policy})` : ""}.`;
}

/**
 * A verdict as a sign and as text, with a link to the findings if it fails.
 * @param {Verdict} verdict
 * @param {keyof Verdicts} about
 */
function verdictCard(verdict, about) {
  const lacks = verdict.by_design ? ["neutral", "○"] : ["lacks", "!"];
  const fails = about === "consistent" ? ["fails", "✗"] : lacks;
  const [look, icon] = verdict.holds === null ? ["unknown", "?"] : verdict.holds ? ["holds", "✓"] : fails;
  const where = about === "complete" ? "gaps" : countOf("conflicts") ? "conflicts" : "overlaps";
  const linked = countOf(where) > 0 && (where !== "overlaps" || overlapsForbidden());
  return h(
    "div",
    { class: `verdict ${look}` },
    h("span", { class: "icon", "aria-hidden": "true" }, icon),
    h(
      "div",
      {},
      h("h2", {}, verdict.head),
      h("p", {}, capitalized(verdict.text)),
      linked && h("p", { class: "screen" }, h("a", { href: `#${where}` }, `See the ${where}`)),
    ),
  );
}

/** @param {Results} results */
function accuracyFact(results) {
  if (results.right === undefined) return null;
  const seen = summary.models[0].front ? "If these are the training rows, expect less on new cases." : "";
  return h("p", {}, rightText(results).trim(), seen && h("span", { class: "muted" }, ` ${seen}`));
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
