// @ts-check
// The search for rules: its query, and the texts that it searches.

import { regionText } from "../conditions.js";
import { outcomeText } from "../outcomes.js";
import { ruleTitle } from "./names.js";
import { featuresOf, summary } from "../summary.js";

const RULE_NUMBER = /(?<!\S)(?:rule\s+|#)(\d+),?(?!\S)/g;

/**
 * Parse a query: "rule 3" and "#3" match only the rule with that number, not rule 30; the rest are words.
 * @param {string} text
 */
export function searchedFor(text) {
  const typed = text.toLowerCase();
  return {
    numbers: [...typed.matchAll(RULE_NUMBER)].map((match) => Number(match[1])),
    words: typed.replace(RULE_NUMBER, " ").split(/\s+/).filter(Boolean),
  };
}

/**
 * The text of a rule that the search matches: as written on the page and in files of rules.
 * @param {CountedRule} rule
 * @param {number} place
 */
export function searchText(rule, place) {
  const names = featuresOf(rule.box).map((feature) => feature.name);
  const text = regionText(rule);
  const typeset = text.replaceAll("<=", "≤").replaceAll(">=", "≥").replaceAll('"', "");
  return [ruleTitle(place), text, typeset, outcomeText(rule.outcome), ...names].join(" ").toLowerCase();
}

/**
 * The labels that rules predict, alone or in sets.
 * @param {CountedRule[]} rules
 */
export function predictedLabels(rules) {
  const labels = new Set(rules.flatMap((rule) => summary.outcomes[rule.outcome].labels));
  return [...labels].sort((a, b) => a - b);
}
