// The rules as cards, which can be sorted, searched and filtered.

const FIRST_CARDS = 48; // what is shown of very many before one asks for all
const SORTINGS = {
  number: "number",
  outcome: "outcome",
  support: "instances covered",
  confidence: "how often right",
  conditions: "number of conditions",
};

// --- words that all parts of the page use

function countText(number) {
  return number.toLocaleString("en-US", { maximumFractionDigits: 1 });
}

function pluralText(number, one, many = `${one}s`) {
  return `${countText(number)} ${number === 1 ? one : many}`;
}

/** A share in per cent. Only what is whole is called 100 % or 0 %. */
function percentText(share) {
  const rounded = Math.round(share * 1000) / 10;
  if (rounded === 100 && share < 1) return "over 99.9\u202f%";
  if (rounded === 0 && share > 0) return "under 0.1\u202f%";
  return `${rounded}\u202f%`;
}

function scoreText(score) {
  return score === null || score === undefined ? "–" : score.toFixed(3);
}

/** What a rule says, in words: an outcome, or the labels of a set of them. */
function outcomeText(outcome) {
  if (outcome === null) return "nothing";
  const { text, labels } = summary.outcomes[outcome];
  if (!summary.several_labels) return text;
  return labels.map(labelText).join(", ") || "no label";
}

/** A value to read, without the quotes that it needs in the text of a rule. */
function valueWords(feature, value) {
  const text = formatValue(feature, value);
  return feature.kind === "category" ? barePart(text) : text;
}

function withColour(element, outcome) {
  element.style.setProperty("--colour", colour(outcome));
  return element;
}

/** What a rule says: its name, and a dot in its colour. */
function outcomeChip(outcome) {
  return withColour(h("span", { class: "outcome" }, outcomeText(outcome)), outcome);
}

const partsOfModels = new Map();

/** The places of the rules that each row makes, by the row's number. */
function partsOf(rules) {
  if (!partsOfModels.has(rules)) {
    const parts = new Map();
    rules.forEach((rule, place) => parts.set(rule.number, [...(parts.get(rule.number) ?? []), place]));
    partsOfModels.set(rules, parts);
  }
  return partsOfModels.get(rules);
}

/** What a rule is called: a row of a table that makes several rules has parts. */
function ruleTitle(place) {
  const { rules } = model();
  const parts = partsOf(rules).get(rules[place].number);
  const title = `Rule ${rules[place].number}`;
  return parts.length === 1
    ? title
    : `${title}, part ${parts.indexOf(place) + 1} of ${parts.length}`;
}

/** The features of a box, in the order of the features: names such as "1" change places in it. */
function featuresOf(box) {
  return summary.features.filter((feature) => Object.hasOwn(box, feature.name));
}

const SIGNS = { "<=": "≤", ">=": "≥" };

/** A condition to read: the name of the feature stands out, without quotes; on a line of its own it
 * needs no brackets. */
function conditionWords(feature, condition) {
  const text = condition.replace(/^\((.*)\)$/, "$1");
  const found = splitAtName(feature.name, text);
  const typeset = (part) => part.replace(/(?<![^ ])[<>]=(?![^ ])/, (sign) => SIGNS[sign]);
  if (!found) return [text];
  const [before, after] = found;
  return [typeset(before), h("b", {}, feature.name), typeset(after)];
}

/** Split the text of a condition where the feature is named; null if that is not certain. */
function splitAtName(name, text) {
  for (const word of [JSON.stringify(name), name]) {
    if (text.startsWith(`${word} `)) return ["", text.slice(word.length)];
    for (const sign of [" <= ", " < "]) {
      const at = text.indexOf(`${sign}${word} `);
      if (at >= 0) return [text.slice(0, at + sign.length), text.slice(at + sign.length + word.length)];
    }
  }
  return null;
}

// --- cards

function ruleCard(rule, place) {
  const id = `rule-title-${place}`;
  const attributes = { class: "card", "data-rule": place, tabindex: 0, "aria-labelledby": id };
  const card = h("article", attributes,
    h("header", {}, h("h3", { id }, ruleTitle(place)), outcomeChip(rule.outcome)),
    ruleConditions(rule),
    ruleFigures(rule));
  return withColour(card, rule.outcome);
}

function ruleConditions(rule) {
  const features = featuresOf(rule.box);
  if (!features.length) return h("p", {}, "Holds for every case.");
  return h("ul", { class: "conditions" },
    features.map((feature, place) =>
      h("li", { class: "condition" },
        h("p", {}, place > 0 && h("span", { class: "muted" }, "and "),
          conditionWords(feature, rule.conditions[place])),
        drawCondition(feature, rule.box[feature.name], rule.conditions[place]))));
}

/** How many instances a rule covers, how often it is right, and what they are. */
function ruleFigures(rule) {
  const weighs = ["best", "vote"].includes(summary.decides.how);
  const weight = weighs && h("p", {}, `Weight ${rule.weight.toLocaleString?.("en-US") ?? rule.weight}`);
  if (rule.support === null) return weight && h("div", { class: "figures" }, weight);
  return h("div", { class: "figures" },
    h("p", {}, coversText(rule)),
    drawMix(rule.mix, rule.support, rule.outcome),
    weight);
}

function coversText(rule, covers = "Covers") {
  const text = `${covers} ${pluralText(rule.support, "instance")}`;
  if (rule.confidence === null || rule.confidence === undefined) return `${text}.`;
  if (summary.several_labels) return `${text}; agreement with their labels ${percentText(rule.confidence)}.`;
  const right = countText(Math.round(rule.confidence * rule.support * 10) / 10);
  return `${text}, right for ${right} of them (${percentText(rule.confidence)}).`;
}

function defaultCard() {
  const { default: otherwise, verdicts } = model();
  const complete = verdicts.some((verdict) => verdict.about === "complete" && verdict.holds);
  const nothing = otherwise.outcome === null;
  const counted = otherwise.support !== null && (!complete || otherwise.support > 0);
  const card = h("article", { class: "card otherwise", "aria-labelledby": "rule-title-otherwise" },
    h("header", {}, h("h3", { id: "rule-title-otherwise" }, "Otherwise"),
      !nothing && outcomeChip(otherwise.outcome)),
    h("p", {},
      complete ? "Never needed: the rules cover every case."
        : nothing ? "Where no rule holds, nothing is said." : "Where no rule holds, this is said."),
    counted && h("div", { class: "figures" },
      h("p", {}, nothing
        ? `Concerns ${pluralText(otherwise.support, "instance")}.`
        : coversText(otherwise, "Concerns")),
      drawMix(otherwise.mix, otherwise.support, otherwise.outcome)));
  return withColour(card, otherwise.outcome);
}

// --- the part of the page

/** What is chosen above the cards, and the cards of the model on show. */
const ruleList = { descending: false, all: false, cards: [], texts: [] };

function startRules(section) {
  section.addEventListener("click", clickOnCard);
  section.addEventListener("keydown", keyOnCard);
  on("model", () => drawRules(section));
  on("rule", () => highlightCard());
  drawRules(section);
}

function drawRules(section) {
  const { rules } = model();
  ruleList.all = false;
  ruleList.descending = false;
  ruleList.cards = rules.map(ruleCard);
  ruleList.texts = rules.map(searchText);
  ruleList.otherwise = defaultCard();
  ruleList.holder = h("div", { class: "cards" });
  ruleList.count = h("p", { id: "rule-count", role: "status" });
  ruleList.reset = h("button", { type: "button", onclick: resetRules }, "Show all rules");
  ruleList.more = h("button", { type: "button", class: "more", onclick: showAllCards });
  show(section,
    h("h2", {}, "The rules"),
    h("p", { class: "lead" }, rulesLead()),
    rules.length > 1 && ruleTools(rules),
    h("div", { class: "found" }, ruleList.count, ruleList.reset),
    ruleList.holder,
    ruleList.more);
  listRules();
}

function rulesLead() {
  const asked = model().order ? " They are asked in this order, and the first that holds decides." : "";
  const counted = {
    instances: summary.instances && ` Counts are of the ${pluralText(summary.instances.rows, "instance")} given.`,
    training: " Counts are of the rows that the rules were learned from.",
  }[summary.counted_on] ?? " Nothing was counted: no instances were given.";
  return `A rule holds for a case if all its conditions do.${asked}${counted}`;
}

/** The words that a search looks in: as the page writes them, and as files of rules do. */
function searchText(rule, place) {
  const names = featuresOf(rule.box).map((feature) => feature.name);
  const typeset = rule.conditions.join(" ").replaceAll("<=", "≤").replaceAll(">=", "≥");
  return [ruleTitle(place), rule.text, typeset, outcomeText(rule.outcome), ...names].join(" ").toLowerCase();
}

function ruleTools(rules) {
  const used = summary.features.filter((feature) => rules.some((rule) => Object.hasOwn(rule.box, feature.name)));
  ruleList.search = h("input", { id: "rule-search", type: "search", autocomplete: "off", oninput: listRules });
  ruleList.feature = h("select", { id: "rule-feature", onchange: listRules },
    h("option", { value: "" }, "all features"),
    used.map((feature) => h("option", { value: feature.name }, feature.name)));
  ruleList.outcome = h("select", { id: "rule-outcome", onchange: listRules },
    h("option", { value: "" }, summary.several_labels ? "all labels" : "all outcomes"),
    saidLabels(rules).map((label) => h("option", { value: label }, labelText(label))));
  ruleList.sort = h("select", { id: "rule-sort", onchange: sortingChosen },
    Object.keys(SORTINGS).map((name) => h("option", { value: name }, sortingText(name))));
  ruleList.direction = h("button", { id: "rule-direction", type: "button", onclick: turnSorting });
  const labelled = (text, control, wide) => h("label", { class: wide && "wide" }, h("span", {}, text), control);
  return h("div", { class: "tools", role: "search", "aria-label": "Rules" },
    labelled("Search the rules", ruleList.search, true),
    labelled("that ask for", ruleList.feature),
    labelled("that say", ruleList.outcome),
    labelled("sorted by", ruleList.sort),
    ruleList.direction);
}

/** What rules say; where they say sets of labels, the labels in them. */
function saidLabels(rules) {
  const said = new Set(rules.flatMap((rule) => summary.outcomes[rule.outcome].labels));
  return [...said].sort((a, b) => a - b);
}

function sortingText(name) {
  return name === "number" && model().order ? "order asked" : SORTINGS[name];
}

function sortingChosen() {
  // of these people look for the greatest first
  ruleList.descending = ["support", "confidence"].includes(ruleList.sort.value);
  listRules();
}

function turnSorting() {
  ruleList.descending = !ruleList.descending;
  listRules();
}

function resetRules() {
  ruleList.search.value = ruleList.feature.value = ruleList.outcome.value = "";
  listRules();
}

function showAllCards() {
  ruleList.all = true;
  listRules();
}

/** Put the cards that are asked for in order; the others leave the page. */
function listRules() {
  const { rules } = model();
  const places = rules.map((_, place) => place).filter(isWanted);
  places.sort(ruleOrder());
  places.forEach((place, at) => {
    ruleList.cards[place].classList.toggle("beyond", !ruleList.all && at >= FIRST_CARDS);
  });
  const whole = places.length === rules.length;
  const cards = places.map((place) => ruleList.cards[place]);
  ruleList.holder.replaceChildren(...cards, ...(whole ? [ruleList.otherwise] : []));
  sayFound(places.length, rules.length);
}

function sayFound(found, of) {
  const all = found === of;
  // rows of a table may make several rules each, which are cards of their own
  const { size } = model();
  const what = size.rules === of ? "rule" : "part";
  const whole = size.rules === of ? pluralText(of, what) : `${pluralText(size.rules, "rule")} in ${pluralText(of, what)}`;
  const text = all ? whole : `${countText(found)} of ${pluralText(of, what)}`;
  show(ruleList.count, found || !of ? text : `${text}: none has all that you ask for.`);
  ruleList.reset.hidden = all;
  ruleList.more.hidden = ruleList.all || found <= FIRST_CARDS;
  show(ruleList.more, `Show all ${countText(found)}`);
  if (!ruleList.direction) return;
  show(ruleList.direction, ruleList.descending ? "↓ descending" : "↑ ascending");
  ruleList.direction.setAttribute("aria-label",
    ruleList.descending ? "Descending; turn round" : "Ascending; turn round");
}

function isWanted(place) {
  if (model().rules.length < 2) return true;
  const rule = model().rules[place];
  const words = ruleList.search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const { feature, outcome } = ruleList;
  return words.every((word) => ruleList.texts[place].includes(word))
    && (feature.value === "" || Object.hasOwn(rule.box, feature.value))
    && (outcome.value === "" || summary.outcomes[rule.outcome].labels.includes(Number(outcome.value)));
}

function ruleOrder() {
  const { rules, order } = model();
  const asked = order && new Map(order.map((place, at) => [place, at]));
  const number = (place) => asked?.get(place) ?? place;
  const keys = {
    number,
    outcome: (place) => rules[place].outcome,
    support: (place) => rules[place].support ?? -1,
    confidence: (place) => rules[place].confidence ?? -1,
    conditions: (place) => rules[place].conditions.length,
  };
  const key = keys[ruleList.sort?.value ?? "number"] ?? number;
  const sign = ruleList.descending ? -1 : 1;
  return (a, b) => sign * (key(a) - key(b)) || number(a) - number(b);
}

// --- the rule in focus

function cardOf(event) {
  if (event.target.closest("button, a, input, select")) return null;
  return event.target.closest("[data-rule]");
}

function clickOnCard(event) {
  const card = cardOf(event);
  // who marks text to copy it does not mean the card
  if (!card || !getSelection().isCollapsed) return;
  pressCard(card);
}

function keyOnCard(event) {
  if (event.key !== "Enter" && event.key !== " ") return;
  const card = cardOf(event);
  if (!card) return;
  event.preventDefault();
  pressCard(card);
}

function pressCard(card) {
  const place = Number(card.dataset.rule);
  focusRule(state.rule === place ? null : place);
}

function highlightCard() {
  for (const card of ruleList.cards) {
    if (!card.hasAttribute("aria-current")) continue;
    card.removeAttribute("aria-current");
    card.querySelector(".actions")?.remove();
  }
  const card = ruleList.cards[state.rule];
  if (!card) return;
  card.setAttribute("aria-current", "true");
  card.append(h("div", { class: "actions" },
    h("button", { type: "button", onclick: () => jumpTo("map") }, "Show on the map"),
    h("button", { type: "button", onclick: () => focusRule(null) }, "Unmark")));
}

/** Go to a rule, whatever is filtered. */
function goToRule(place) {
  if (!ruleList.cards[place].isConnected) resetRules();
  if (ruleList.cards[place].classList.contains("beyond")) showAllCards();
  focusRule(place);
  ruleList.cards[place].scrollIntoView({ block: "center" });
  ruleList.cards[place].focus({ preventScroll: true });
}
