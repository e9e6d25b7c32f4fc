// @ts-check
// The part of the page about conflicts, gaps and other findings, in groups.

import { removeBackLink } from "../case/trying.js";
import { h, listWords, show } from "../dom.js";
import { allConflictsListed, countOf, listedOf } from "./counts.js";
import { findingItem } from "./item.js";
import { FINDING_KINDS } from "./kinds.js";
import { placeOf, ruleLink } from "../rules/names.js";
import { model, on } from "../state.js";
import { overlapsForbidden, summary } from "../summary.js";
import { moreOf } from "../tables.js";
import { capitalized, countText, pluralText, sentence } from "../words.js";

const FIRST_FINDINGS = 10;

const FEW_FINDINGS = 3;

/** @param {HTMLElement} section */
export function startFindings(section) {
  on("model", () => drawFindings(section));
  on("model", removeBackLink);
  on("case", removeBackLink);
  drawFindings(section);
}

/** @param {HTMLElement} section */
function drawFindings(section) {
  /** @type {FindingKind[]} */
  const main = overlapsForbidden() && countOf("overlaps") ? ["conflicts", "overlaps", "gaps"] : ["conflicts", "gaps"];
  const kinds = /** @type {FindingKind[]} */ (Object.keys(FINDING_KINDS));
  const others = kinds.filter((kind) => !main.includes(kind) && countOf(kind));
  show(
    section,
    h("h2", {}, "Conflicts and gaps"),
    h("p", { class: "lead" }, "The search covers the whole space of cases, not only the instances."),
    main.map(mainGroup),
    others.length > 0 && otherGroups(others),
  );
}

/** @param {FindingKind} kind */
function mainGroup(kind) {
  const [, many, what] = FINDING_KINDS[kind];
  const about = kind === "overlaps" ? `${what} UNIQUE forbids that.` : what;
  const unfinished = model().unfinished.includes(kind);
  if (!countOf(kind)) {
    return h(
      "div",
      { class: "group", id: kind },
      h("h3", {}, `No ${many}${unfinished ? " found so far" : ""}`),
      noneFound(kind, unfinished),
    );
  }
  return h(
    "div",
    { class: "group", id: kind },
    h("h3", {}, capitalized(groupTitle(kind))),
    h("p", { class: "muted" }, about, " ", listedText(kind)),
    kind === "conflicts" && conflictingRules(),
    findingList(kind),
  );
}

/** The one or two rules that are in most conflicts, if any: they are the best start for a repair. */
function conflictingRules() {
  const pairs = listedOf("conflicts").map((finding) => finding.rules);
  const [one, two] = mostFrequent(pairs);
  // listed conflicts are those of the first rules, so an incomplete list would be misleading
  if (pairs.length < 3 || two === undefined || !allConflictsListed()) return null;
  /** @param {number[]} numbers */
  const without = (numbers) => pairs.filter((pair) => !numbers.some((number) => pair.includes(number)));
  const alone = 2 * without([one]).length < pairs.length && countIn(pairs, one) > countIn(pairs, two);
  const [next] = mostFrequent(without([one]));
  const rules = alone || next === undefined ? [one] : [one, next];
  const left = without(rules).length;
  // if there are few conflicts, any two rules are in most of them
  if (2 * left >= pairs.length || (!alone && pairs.length < 6)) return null;
  const links = rules.map((number) => ruleLink(placeOf(number, null), String(number)));
  return h(
    "p",
    { class: "most-conflicts" },
    links.length === 1 ? "Rule " : "Rules ",
    listWords(links),
    links.length === 1 ? " is in " : " are in ",
    `${countText(pairs.length - left)} of the ${countText(pairs.length)} conflicts.`,
  );
}

/**
 * @param {number[][]} pairs
 * @param {number} number
 */
function countIn(pairs, number) {
  return pairs.filter((pair) => pair.includes(number)).length;
}

/**
 * The numbers of the rules in pairs, the most frequent first.
 * @param {number[][]} pairs
 */
function mostFrequent(pairs) {
  const counts = new Map();
  for (const number of pairs.flat()) counts.set(number, (counts.get(number) ?? 0) + 1);
  return [...counts.keys()].sort((a, b) => counts.get(b) - counts.get(a) || a - b);
}

/**
 * @param {FindingKind} kind
 * @param {boolean} unfinished
 */
function noneFound(kind, unfinished) {
  if (unfinished) {
    return h("p", {}, "The budget ended the search, so there may be some.");
  }
  return h("p", { class: "none-found" }, kind === "gaps" ? noGapsText() : noConflictsText());
}

function noGapsText() {
  const isOpen = countOf("open") > 0 || model().unfinished.includes("open");
  const cases = isOpen ? "Every case with values that rules name" : "Every case";
  return `${cases} is covered by a rule: this was proved for the whole space of cases, not only for the instances.`;
}

function noConflictsText() {
  const { how, text } = summary.decides;
  if (["first", "all"].includes(how)) return `${sentence(text)} So none contradict each other.`;
  return (
    "No two rules contradict each other, anywhere: this was proved for the whole space of cases, " +
    "not only for the instances."
  );
}

/** @param {FindingKind} kind */
function groupTitle(kind) {
  const [one, many] = FINDING_KINDS[kind];
  const least = model().unfinished.includes(kind) ? "at least " : "";
  return `${least}${pluralText(countOf(kind), one, many)}`;
}

/**
 * The number of findings that are listed if not all are, and their order.
 * @param {FindingKind} kind
 */
function listedText(kind) {
  const listed = listedOf(kind);
  const parts = [];
  if (listed.length < countOf(kind)) {
    const first = listed.length === 1 ? "One is listed" : `${countText(listed.length)} are listed`;
    parts.push(listed.length ? first : "They are counted, not listed");
  }
  if (kind === "gaps" && listed.length > 1 && (listed[0].rows ?? 0) > 0) {
    parts.push(parts.length ? "those with the most instances first" : "Those with the most instances come first");
  }
  const text = parts.length ? `${parts.join(", ")}.` : "";
  return model().unfinished.includes(kind) ? `${text} The budget ended the search.` : text;
}

/** @param {FindingKind[]} kinds */
function otherGroups(kinds) {
  const total = kinds.reduce((sum, kind) => sum + countOf(kind), 0);
  return h(
    "details",
    { class: "group", open: total <= 5 },
    h(
      "summary",
      {},
      h("h3", {}, "Other findings"),
      h("span", { class: "muted" }, ` (${kinds.map(groupTitle).join(", ")})`),
    ),
    kinds.map((kind) =>
      h(
        "div",
        { class: "group" },
        h("h4", {}, capitalized(groupTitle(kind))),
        h("p", { class: "muted" }, `${FINDING_KINDS[kind][2]} ${listedText(kind)}`),
        findingList(kind),
      ),
    ),
  );
}

/**
 * The findings of a kind: the first ten, and a button for all.
 * @param {FindingKind} kind
 */
function findingList(kind) {
  const listed = listedOf(kind);
  if (kind === "columns") return columnList(listed);
  const items = listed.map((finding, place) => findingItem(finding, `${kind}-${place + 1}`));
  const byDefault = kind === "gaps" && model().default.outcome !== null; // then they are no fault
  const first = byDefault ? FEW_FINDINGS : FIRST_FINDINGS;
  return moreOf(h("ul", { class: "findings", "data-kind": kind }, items), items, first);
}

/**
 * The features that do not matter, by name only, as they can be very many.
 * @param {FindingRecord[]} listed
 */
function columnList(listed) {
  const [untested, needless] = [
    listed.filter((each) => !each.rules.length),
    listed.filter((each) => each.rules.length),
  ];
  /**
   * @param {FindingRecord[]} findings
   * @param {string} text
   */
  const named = (findings, text) =>
    findings.length > 0 &&
    h(
      "li",
      { class: "finding note" },
      h("p", {}, text),
      h(
        "ul",
        { class: "where" },
        findings.map((each) => h("li", {}, each.column)),
      ),
    );
  return h(
    "ul",
    { class: "findings" },
    named(untested, "No rule tests"),
    named(needless, "Rules would decide the same without"),
  );
}
