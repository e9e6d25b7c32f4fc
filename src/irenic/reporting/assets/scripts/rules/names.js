// @ts-check
// The names and addresses of rules, and links to them.

import { h } from "../dom.js";
import { decideCase } from "../engine/deciding.js";
import { canCompute } from "../engine/kernels.js";
import { model } from "../state.js";
import { countText, pluralText } from "../words.js";

/** @type {Map<CountedRule[], Map<number, number[]>>} */
const partsOfModels = new Map();

/**
 * The indices of the rules of each row, by the row's number.
 * @param {CountedRule[]} rules
 */
function partsOf(rules) {
  const known = partsOfModels.get(rules);
  if (known) return known;
  /** @type {Map<number, number[]>} */
  const parts = new Map();
  rules.forEach(({ number }, place) => {
    const places = parts.get(number);
    if (places) places.push(place);
    else parts.set(number, [place]);
  });
  partsOfModels.set(rules, parts);
  return parts;
}

/**
 * The row of a rule, its part of the row, and the number of parts.
 * @param {number} place
 */
function partOf(place) {
  const { rules } = model();
  const { number } = rules[place];
  const places = partsOf(rules).get(number) ?? [place];
  return { number, part: places.indexOf(place) + 1, parts: places.length };
}

/**
 * The name of a rule; a row of a table that consists of several rules has parts.
 * @param {number} place
 */
export function ruleTitle(place) {
  const { number, part, parts } = partOf(place);
  return parts === 1 ? `Rule ${number}` : `Rule ${number}, part ${part} of ${parts}`;
}

/**
 * The number of a rule in a list of them.
 * @param {number} place
 */
export function ruleNumberText(place) {
  const { number, part, parts } = partOf(place);
  return parts === 1 ? String(number) : `${number} (part ${part} of ${parts})`;
}

/**
 * The address of a rule on this page.
 * @param {number} place
 */
export function ruleAnchor(place) {
  const { number, part, parts } = partOf(place);
  return parts === 1 ? `rule-${number}` : `rule-${number}-part-${part}`;
}

/**
 * A link to a rule, with its name or another text.
 * @param {number} place
 * @param {string} [text]
 */
export function ruleLink(place, text = ruleTitle(place)) {
  return h("a", { class: "link", href: `#${ruleAnchor(place)}`, "data-place": place }, text);
}

/**
 * @param {number[]} numbers
 * @param {Case | null} values
 */
export function ruleLinks(numbers, values) {
  const places = numbers.map((number) => placeOf(number, values)).filter((place) => place !== undefined);
  return places.map((place) => ruleLink(place));
}

/**
 * The index of a rule by its number; of a row with several parts, the one that covers the case.
 * @param {number} number
 * @param {Case | null} values
 */
export function placeOf(number, values) {
  const places = partsOf(model().rules).get(number) ?? [];
  if (places.length < 2 || values === null || !canCompute) return places[0];
  const covering = new Set(decideCase(model(), values).rules);
  return places.find((place) => covering.has(place)) ?? places[0];
}

/** The numbers of the rows that never hold, for which there are no rules. */
export function neverHolding() {
  const { size, rules } = model();
  const rows = Array.from({ length: size.rules }, (_, i) => i + 1);
  return rows.filter((number) => !partsOf(rules).has(number));
}

/** Whether a row consists of several rules, which are then called its parts. */
export function hasParts() {
  const { rules } = model();
  return rules.length > partsOf(rules).size;
}

/** The number of rules, with the number of parts and of rows that never hold. */
export function rulesText() {
  const { size, rules } = model();
  const never = neverHolding().length;
  const without = never ? `, of which ${countText(never)} never ${never === 1 ? "holds" : "hold"}` : "";
  const parts = hasParts() ? `${never ? "," : ""} in ${pluralText(rules.length, "part")}` : "";
  return `${pluralText(size.rules, "rule")}${without}${parts}`;
}
