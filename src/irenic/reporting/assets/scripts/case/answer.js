// @ts-check
// What follows for a case, in words.

import { writtenConditions } from "../conditions.js";
import { conditionWords, regionWords } from "../condition_words.js";
import { h, nameWords } from "../dom.js";
import { isOutside } from "../engine/deciding.js";
import { enlarge } from "../engine/enlarging.js";
import { rowNumber } from "../engine/instances.js";
import { outcomeChip, outcomeText } from "../outcomes.js";
import { goToRule } from "../rules/list.js";
import { ruleTitle } from "../rules/names.js";
import { model } from "../state.js";
import { featureNamed, givenInstances, summary } from "../summary.js";
import { formatValue } from "../values/texts.js";
import { countText } from "../words.js";

/**
 * What follows for a case, which rules say so and which do not, and what a new rule could take round it.
 * @param {Case} theCase
 * @param {Answer} answer
 */
export function describeAnswer(theCase, answer) {
  if (!answer.rules.length && isOutside(theCase)) return impossibleWords(answer);
  return [answerHead(answer), answerRules(theCase, answer), answerRegion(theCase, answer)];
}

/** @param {Answer} answer */
function impossibleWords(answer) {
  return [
    h("p", { class: "case-head" }, "The table rules out such a case."),
    h(
      "p",
      { class: "muted" },
      answer.outcome === null
        ? "No rule covers it."
        : ["No rule covers it; the default would say ", outcomeChip(answer.outcome), "."],
    ),
  ];
}

/** @param {Answer} answer */
function answerHead(answer) {
  if (answer.contradicted) {
    return h("p", { class: "case-head bad" }, "⚠ Contradicted: rules that hold for this case say different things.");
  }
  if (answer.several.length > 1) {
    const chips = answer.several.map((outcome) => [outcomeChip(outcome), " "]);
    return h("p", { class: "case-head" }, chips, "all rules that hold count");
  }
  if (answer.rule !== null)
    return h("p", { class: "case-head" }, outcomeChip(answer.outcome), " by ", decidingText(answer));
  if (answer.outcome === null)
    return h("p", { class: "case-head warn" }, "No rule covers this case, and there is no default.");
  return h("p", { class: "case-head" }, outcomeChip(answer.outcome), " by default: no rule covers this case.");
}

/** @param {Answer} answer */
function decidingText(answer) {
  const priority = summary.decides.hit_policy === "PRIORITY";
  /** @type {Partial<Record<Summary["decides"]["how"], string>>} */
  const reasons = {
    first: priority ? "the one with the highest priority" : "the first that holds",
    best: "of those that hold the one of the greatest weight",
    vote: "whose outcome has the most weight",
  };
  const reason = answer.rules.length > 1 && reasons[summary.decides.how];
  return [answer.rule !== null && answerLink(answer.rule), reason ? `, ${reason}` : ""];
}

/**
 * A rule by its name, in the middle of a sentence; it leads to the rule.
 * @param {number} place
 */
export function answerLink(place) {
  const title = ruleTitle(place);
  const inside = title.charAt(0).toLowerCase() + title.slice(1);
  return h("button", { type: "button", class: "link", onclick: () => goToRule(place) }, inside);
}

/**
 * @param {Case} theCase
 * @param {Answer} answer
 */
function answerRules(theCase, answer) {
  /** @param {number} place */
  const said = (place) => model().rules[place].outcome;
  const several = answer.contradicted || answer.several.length > 1;
  if (several) return answer.rules.slice(0, 20).map((place) => ruleWords(theCase, place, true));
  if (answer.rule === null) return null;
  const others = answer.rules.filter((place) => place !== answer.rule);
  const same = others.filter((place) => said(place) === answer.outcome);
  const rivals = others.filter((place) => said(place) !== answer.outcome);
  return [
    ruleWords(theCase, answer.rule, false),
    same.length > 0 && h("p", {}, "The same say ", linked(same), ", which also cover this case."),
    rivals.length > 0 &&
      h(
        "p",
        {},
        "Also covering this case, but saying something else: ",
        linked(rivals, (place) => [" (", nameWords(outcomeText(said(place))), ")"]),
        ".",
      ),
  ];
}

/**
 * @param {number[]} places
 * @param {(place: number) => Child} [after]
 */
export function linked(places, after = () => []) {
  const more = places.length - 12;
  /** @param {number} i */
  const between = (i) => (i === 0 ? "" : i === places.length - 1 ? " and " : ", ");
  const shown = places.slice(0, 12).map((place, i) => [between(i), answerLink(place), after(place)]);
  return [shown, more > 0 ? ` and ${countText(more)} more` : ""];
}

/**
 * A rule, each condition with the value that the case has.
 * @param {Case} theCase
 * @param {number} place
 * @param {boolean} named
 */
function ruleWords(theCase, place, named) {
  const rule = model().rules[place];
  /** @param {string} name */
  const here = (name) => nameWords(formatValue(featureNamed(name), theCase[name]));
  /** @param {string} name */
  const value = (name) => h("span", { class: "muted" }, " — here ", here(name));
  const conditions = writtenConditions(rule);
  return h(
    "div",
    { class: "case-rule" },
    named && h("p", {}, answerLink(place), " says ", outcomeChip(rule.outcome)),
    conditions.length === 0 && h("p", {}, "It holds for every case."),
    h(
      "ul",
      {},
      conditions.map((condition) => h("li", {}, conditionWords(condition), value(condition.feature))),
    ),
  );
}

/**
 * What a new rule for this case could reach.
 * @param {Case} theCase
 * @param {Answer} answer
 */
function answerRegion(theCase, answer) {
  if (answer.contradicted) {
    return h(
      "p",
      { class: "muted" },
      "No new rule can settle this: whatever it says, it contradicts one of these. One of them has to change.",
    );
  }
  const region = regionRound(theCase, answer);
  if (region === null) return null;
  if (!Object.keys(region).length) {
    return h(
      "p",
      {},
      answer.rule === null
        ? "No rule is in the way: a new one could hold for every case."
        : "No rule says otherwise anywhere: a new one that says the same could hold for every case.",
    );
  }
  const free =
    answer.rule === null
      ? "A new rule for this case could reach this far without meeting any other rule, wherever"
      : [
          "Rules that say ",
          outcomeChip(answer.outcome),
          " could reach this far around the case without meeting a rule that says otherwise, wherever",
        ];
  return h("div", { class: "case-region" }, h("p", {}, free), regionWords(region));
}

/**
 * The region that a new rule could take: free of all rules, or of those that say something else; null if none is.
 * @param {Case} theCase
 * @param {Answer} answer
 */
export function regionRound(theCase, answer) {
  if (answer.contradicted || answer.several.length > 1) return null;
  if (!answer.rules.length && isOutside(theCase)) return null;
  const region = enlarge(model(), theCase, answer.rule === null ? null : answer.outcome);
  // a feature may be called like that, but its condition is no number
  return typeof region.coveredBy === "number" ? null : /** @type {Box} */ (region);
}

/** @param {number} place */
export function instanceHead(place) {
  const { outcomes } = givenInstances();
  const truth = outcomes && [", which is ", outcomeChip(outcomes[place])];
  return h("h3", {}, `Instance in row ${countText(rowNumber(place))}`, truth);
}
