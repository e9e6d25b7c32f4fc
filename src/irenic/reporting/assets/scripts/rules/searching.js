// @ts-check
// What a search among the rules asks for, and the words that it looks in.

import { regionText } from "../conditions.js";
import { outcomeText } from "../outcomes.js";
import { ruleTitle } from "./names.js";
import { featuresOf, summary } from "../summary.js";

const RULE_NUMBER = /(?<!\S)(?:rule\s+|#)(\d+),?(?!\S)/g;

/**
 * What a search asks for: "rule 3" and "#3" are the rule of that number, not also rule 30; the rest are words.
 * @param {string} text
 */
export function searchedFor(text) {
  const typed = text.toLowerCase();
  return {
    numbers: [...typed.matchAll(RULE_NUMBER)].map((found) => Number(found[1])),
    words: typed.replace(RULE_NUMBER, " ").split(/\s+/).filter(Boolean),
  };
}

/**
 * The words that a search looks in: as the page writes them, and as files of rules do.
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
 * What rules say; where they say sets of labels, the labels in them.
 * @param {CountedRule[]} rules
 */
export function saidLabels(rules) {
  const said = new Set(rules.flatMap((rule) => summary.outcomes[rule.outcome].labels));
  return [...said].sort((a, b) => a - b);
}
