// @ts-check
// The answer to a case, as text.

import { conditionsOf, writtenConditions } from "../conditions.js";
import { conditionWords, regionWords } from "../condition_words.js";
import { h, nameWords } from "../dom.js";
import { isImpossibleCase } from "../engine/deciding.js";
import { enlarge } from "../engine/enlarging.js";
import { rowNumber } from "../engine/instances.js";
import { outcomeChip, outcomeText } from "../outcomes.js";
import { likelyLabels, reasonOf, reasonRule } from "./reason.js";
import { goToRule } from "../rules/list.js";
import { ruleTitle } from "../rules/names.js";
import { model } from "../state.js";
import { featureNamed, givenInstances, labelText, summary } from "../summary.js";
import { formatValue } from "../values/texts.js";
import { countText, percentText } from "../words.js";

/**
 * The answer to a case, the rules that agree and disagree with it, and the free region around the case.
 * @param {Case} theCase
 * @param {Answer} answer
 */
export function describeAnswer(theCase, answer) {
  if (!answer.rules.length && isImpossibleCase(theCase)) return impossibleWords(answer);
  return [
    answerHead(answer),
    probabilityWords(theCase, answer),
    defaultReason(theCase, answer),
    answerRules(theCase, answer),
    answerRegion(theCase, answer),
  ];
}

const LABEL_LIMIT = 4;

/**
 * How likely the labels are, if a classifier predicts that.
 * @param {Case} theCase
 * @param {Answer} answer
 */
function probabilityWords(theCase, answer) {
  if (answer.contradicted || answer.several.length > 1 || answer.outcome === null) return null;
  const probabilities = likelyLabels(model(), theCase, answer);
  if (!probabilities) return null;
  const labels = [...probabilities.keys()].sort((a, b) => probabilities[b] - probabilities[a]).slice(0, LABEL_LIMIT);
  return h(
    "p",
    { class: "probabilities" },
    h("span", { class: "muted" }, "Probability: "),
    labels.map((label, i) => [i ? ", " : "", nameWords(labelText(label)), ` ${percentText(probabilities[label])}`]),
    probabilities.length > LABEL_LIMIT && h("span", { class: "muted" }, ", others less"),
  );
}

/**
 * Why the default decides, in conditions on the case.
 * @param {Case} theCase
 * @param {Answer} answer
 */
function defaultReason(theCase, answer) {
  const reason = answer.rule === null ? reasonOf(model(), theCase, answer) : null;
  if (!reason) return null;
  const { region, counts } = reason;
  const silent = answer.outcome === null;
  const figures = counts && h("p", { class: "muted" }, regionCounts(counts));
  if (!Object.keys(region).length) return [!silent && h("p", {}, "No rule predicts anything else."), figures];
  return h(
    "div",
    { class: "case-rule" },
    h("p", {}, silent ? "No rule covers any case where" : "Because no rule predicts anything else where"),
    conditionList(theCase, conditionsOf(region)),
    unproved(reason.proved),
    figures,
  );
}

/** @param {boolean} proved */
const unproved = (proved) => !proved && h("p", { class: "muted" }, "Perhaps fewer conditions are enough.");

/**
 * How many training rows are in a region of the default, and how often it is right there.
 * @param {DefaultRegion} counts
 */
function regionCounts({ support, confidence, interval }) {
  const rows = `Training rows there: ${countText(support)}`;
  if (confidence === null) return `${rows}.`;
  if (interval) {
    const [share, low, high] = [confidence, ...interval].map(percentText);
    return `${rows}; the default is right for about ${share} of new cases (95 % interval ${low} to ${high}).`;
  }
  if (summary.several_labels) return `${rows}; agreement with their labels (mean F1) ${percentText(confidence)}.`;
  return `${rows}; the default is right for ${percentText(confidence)} of them.`;
}

/**
 * A condition, with the value of the case.
 * @param {Case} theCase
 * @param {ConditionParts} condition
 */
function conditionHere(theCase, condition) {
  const here = nameWords(formatValue(featureNamed(condition.feature), theCase[condition.feature]));
  return h("li", {}, conditionWords(condition), h("span", { class: "muted" }, " — here ", here));
}

/**
 * @param {Case} theCase
 * @param {ConditionParts[]} conditions
 */
const conditionList = (theCase, conditions) =>
  h(
    "ul",
    {},
    conditions.map((condition) => conditionHere(theCase, condition)),
  );

/** @param {Answer} answer */
function impossibleWords(answer) {
  return [
    h("p", { class: "case-head" }, "The table excludes this case as impossible."),
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
    return h("p", { class: "case-head bad" }, "⚠ Contradicted: the rules that hold for this case disagree.");
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
    best: "the one with the greatest weight",
    vote: "whose outcome has the most weight",
  };
  const reason = answer.rules.length > 1 && reasons[summary.decides.how];
  const place = reasonRule(model(), answer);
  return [place !== null && answerLink(place), reason ? `, ${reason}` : ""];
}

/**
 * The name of a rule within a sentence, as a link to the rule.
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
  const outcomeOf = (place) => model().rules[place].outcome;
  const several = answer.contradicted || answer.several.length > 1;
  if (several) return answer.rules.slice(0, 20).map((place) => ruleWords(theCase, place, true));
  const named = reasonRule(model(), answer);
  if (named === null) return null;
  const others = answer.rules.filter((place) => place !== named);
  const same = others.filter((place) => outcomeOf(place) === answer.outcome);
  const rivals = others.filter((place) => outcomeOf(place) !== answer.outcome);
  return [
    decidingWords(theCase, answer, named),
    same.length > 0 && h("p", {}, "Also covering this case, with the same outcome: ", linked(same), "."),
    rivals.length > 0 &&
      h(
        "p",
        {},
        "Also covering this case, with another outcome: ",
        linked(rivals, (place) => [" (", nameWords(outcomeText(outcomeOf(place))), ")"]),
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
 * A rule, with the value of the case next to each condition.
 * @param {Case} theCase
 * @param {number} place
 * @param {boolean} named
 */
function ruleWords(theCase, place, named) {
  const rule = model().rules[place];
  const conditions = writtenConditions(rule);
  return h(
    "div",
    { class: "case-rule" },
    named && h("p", {}, answerLink(place), " says ", outcomeChip(rule.outcome)),
    conditions.length === 0 && h("p", {}, "It holds for every case."),
    conditionList(theCase, conditions),
  );
}

/**
 * The rule that decides, or the part of it in which no rule that would win predicts anything else.
 * @param {Case} theCase
 * @param {Answer} answer
 * @param {number} place
 */
function decidingWords(theCase, answer, place) {
  const reason = reasonOf(model(), theCase, answer);
  if (!reason || reason.whole) return ruleWords(theCase, place, false);
  return h(
    "div",
    { class: "case-rule" },
    h("p", {}, "It decides where"),
    conditionList(theCase, conditionsOf(reason.region)),
    unproved(reason.proved),
  );
}

/**
 * The free region around a case, as text.
 * @param {Case} theCase
 * @param {Answer} answer
 */
function answerRegion(theCase, answer) {
  if (answer.contradicted) {
    return h(
      "p",
      { class: "muted" },
      "A new rule cannot resolve this, because it would contradict one of these. One of them has to change.",
    );
  }
  const region = regionAround(theCase, answer);
  if (region === null) return null;
  if (!Object.keys(region).length) {
    return h(
      "p",
      {},
      answer.rule === null
        ? "There are no other rules: a new one could hold for every case."
        : "No rule has another outcome: a new one with this outcome could hold for every case.",
    );
  }
  const free =
    answer.rule === null
      ? "A new rule for this case could extend this far without overlapping any other rule, wherever"
      : [
          "A rule for ",
          outcomeChip(answer.outcome),
          " could extend this far around the case without overlapping a rule with another outcome, wherever",
        ];
  return h("div", { class: "case-region" }, h("p", {}, free), regionWords(region));
}

/**
 * The region for a new rule: free of all rules, or of those with another outcome; null if there is none.
 * @param {Case} theCase
 * @param {Answer} answer
 */
export function regionAround(theCase, answer) {
  if (answer.contradicted || answer.several.length > 1) return null;
  if (!answer.rules.length && isImpossibleCase(theCase)) return null;
  const region = enlarge(model(), theCase, answer.rule === null ? null : answer.outcome);
  // a feature may have this name, but its condition is not a number
  return typeof region.coveredBy === "number" ? null : /** @type {Box} */ (region);
}

/** @param {number} place */
export function instanceHead(place) {
  const { outcomes } = givenInstances();
  const truth = outcomes && [", which is ", outcomeChip(outcomes[place])];
  return h("h3", {}, `Instance in row ${countText(rowNumber(place))}`, truth);
}
