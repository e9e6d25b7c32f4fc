// The rules as cards or as a table, which can be sorted, searched and filtered.

const AT_ONCE = { cards: 48, table: 200 }; // what is shown of very many before one asks for more
const MOST_AS_CARDS = 60; // more are easier to look through as a table, until one asks for cards
const MOST_ON_PAPER = 300;
const MOST_VALUES_SAID = 8;
const SORTINGS = {
  number: "number",
  outcome: "outcome",
  support: "instances covered",
  confidence: "how often right",
  conditions: "number of conditions",
  conflicts: "number of conflicts",
};
const GREATEST_FIRST = ["support", "confidence", "conflicts"]; // what people look for in these

// --- words for rules

/** What a rule says, in words: an outcome, or the labels of a set of them. */
function outcomeText(outcome) {
  if (outcome === null) return "nothing";
  const { text, labels } = summary.outcomes[outcome];
  if (!summary.several_labels) return text;
  return labels.map(labelText).join(", ") || "no label";
}

/** The same as elements, where it stands beside other words. */
function outcomeWords(outcome) {
  const labels = outcome !== null && summary.several_labels ? summary.outcomes[outcome].labels : [];
  return labels.length ? nameList(labels.map(labelText)) : nameWords(outcomeText(outcome));
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
  return withColour(h("span", { class: "outcome" }, h("span", {}, outcomeWords(outcome))), outcome);
}

const partsOfModels = new Map();

/** The places of the rules that each row makes, by the row's number. */
function partsOf(rules) {
  if (!partsOfModels.has(rules)) {
    const parts = new Map();
    rules.forEach((rule, place) => {
      if (!parts.has(rule.number)) parts.set(rule.number, []);
      parts.get(rule.number).push(place);
    });
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

/** The rows of a table that no case can ever fulfil: they make no rule. */
function neverHolding() {
  const { size, rules } = model();
  const rows = Array.from({ length: size.rules }, (_, i) => i + 1);
  return rows.filter((number) => !partsOf(rules).has(number));
}

/** Whether some row makes more than one rule, so that rules are called its parts. */
function hasParts() {
  const { rules } = model();
  return rules.length > partsOf(rules).size;
}

/** How many rules there are: rows of a table can be of several parts, and some never hold. */
function rulesText() {
  const { size, rules } = model();
  const never = neverHolding().length;
  const some = never ? `, of which ${countText(never)} never ${never === 1 ? "holds" : "hold"}` : "";
  const parts = hasParts() ? `${never ? "," : ""} in ${pluralText(rules.length, "part")}` : "";
  return `${pluralText(size.rules, "rule")}${some}${parts}`;
}

/** Whether there is anything that supports were counted on. */
function hasCounts() {
  return summary.counted_on !== null && summary.instances?.rows !== 0;
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
  return [typeset(before), h("b", {}, nameWords(feature.name)), setWords(after) ?? typeset(after)];
}

const SET = /^( (?:not )?in \{)(.*)(\}.*)$/s;
const VALUES = /"(?:[^"\\]|\\.)*"|[^,\s][^,]*/g;

/** The values that a condition lists. */
function listedValues(after) {
  return SET.exec(after)?.[2].match(VALUES) ?? [];
}

/** " in {a, b}", or " in {a, b, c, … and 197 more}" for very many values; null for another condition. */
function setWords(after) {
  const set = SET.exec(after);
  if (!set) return null;
  const [, start, , end] = set;
  const values = listedValues(after);
  const many = values.length > MOST_VALUES_SAID;
  return [start, nameList(many ? values.slice(0, 3) : values),
    many && `, … and ${countText(values.length - 3)} more`, end];
}

/** All values of a condition that was shortened, to unfold. */
function allValues(feature, condition) {
  const values = listedValues(splitAtName(feature.name, condition)?.[1] ?? "");
  return values.length > MOST_VALUES_SAID && h("details", { class: "all-values" },
    h("summary", {}, `All ${countText(values.length)} values`),
    h("p", { class: "small" }, nameList(values.map(barePart))));
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

/** The address of a rule on this page. */
function ruleAnchor(place) {
  const { rules } = model();
  const { number } = rules[place];
  const parts = partsOf(rules).get(number);
  return parts.length === 1 ? `rule-${number}` : `rule-${number}-part-${parts.indexOf(place) + 1}`;
}

function ruleCard(place) {
  const rule = model().rules[place];
  const title = `rule-title-${place}`;
  const attributes = { class: "card", id: ruleAnchor(place), "data-rule": place, tabindex: 0, "aria-labelledby": title };
  const card = h("article", attributes,
    h("header", {}, h("h3", { id: title }, ruleTitle(place)), outcomeChip(rule.outcome)),
    ruleConditions(rule),
    contradictedBy(place),
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
        allValues(feature, rule.conditions[place]),
        drawCondition(feature, rule.box[feature.name], rule.conditions[place]))));
}

/** Which rules a rule contradicts, each a link. */
function contradictedBy(place) {
  const others = [...(conflictsByPlace().get(place) ?? [])].sort((a, b) => a - b);
  if (!others.length) return null;
  const listed = allConflictsListed() ? "." : ", as far as conflicts are listed.";
  return h("p", { class: "contradicts" },
    "Contradicts ", others.length === 1 ? "rule " : "rules ",
    listWords(others.map((other) => ruleLink(other, ruleNumberText(other)))), listed);
}

/** The number of a rule in a list of them. */
function ruleNumberText(place) {
  return ruleTitle(place).replace(/^Rule /, "").replace(/, (part.*)$/, " ($1)");
}

/** How many instances a rule covers, how often it is right, and what they are. */
function ruleFigures(rule) {
  const weighs = ["best", "vote"].includes(summary.decides.how);
  const weight = weighs && h("p", {}, `Weight ${formatNumber(weightOf(rule))}`);
  if (rule.support === null || !hasCounts()) return weight && h("div", { class: "figures" }, weight);
  return h("div", { class: "figures" },
    h("p", {}, coversText(rule)),
    drawMix(rule.mix, rule.support, rule.outcome),
    weight);
}

function coversText(rule, covers = "Covers") {
  const text = `${covers} ${pluralText(rule.support, "instance")}`;
  if (rule.confidence === null || rule.confidence === undefined) return `${text}.`;
  if (summary.several_labels) return `${text}; agreement with their labels (mean F1) ${percentText(rule.confidence)}.`;
  const right = countText(Math.round(rule.confidence * rule.support * 10) / 10);
  return `${text}, right for ${right} of them (${percentText(rule.confidence)}).`;
}

/** Whether the default, if there is one, is never needed. */
function coversAll() {
  return model().verdicts.some((verdict) => verdict.about === "complete" && verdict.holds);
}

function otherwiseText() {
  if (coversAll()) return "Never needed: the rules cover every case.";
  return model().default.outcome === null
    ? "Where no rule holds, nothing follows: there is no default."
    : "Where no rule holds, the default says this.";
}

function defaultCard() {
  const { default: otherwise } = model();
  const nothing = otherwise.outcome === null;
  const counted = hasCounts() && otherwise.support !== null && (!coversAll() || otherwise.support > 0);
  const card = h("article", { class: "card otherwise", "aria-labelledby": "rule-title-otherwise" },
    h("header", {}, h("h3", { id: "rule-title-otherwise" }, "Otherwise"),
      !nothing && outcomeChip(otherwise.outcome)),
    h("p", {}, otherwiseText()),
    counted && h("div", { class: "figures" },
      h("p", {}, nothing
        ? `Concerns ${pluralText(otherwise.support, "instance")}.`
        : coversText(otherwise, "Concerns")),
      drawMix(otherwise.mix, otherwise.support, otherwise.outcome)));
  return withColour(card, otherwise.outcome);
}

/** Rows that make no rule, as no case fulfils them; a checker knows why. */
function neverHoldLines() {
  const never = neverHolding();
  if (!never.length) return null;
  const found = model().findings.filter((finding) => finding.kind === "never_fire");
  const line = (number) => {
    const finding = found.find((each) => each.rules.includes(number));
    return h("li", { class: "finding warning" }, finding ? sentence(finding.text) : `Rule ${number} never holds.`);
  };
  const items = never.map(line);
  return moreOf(h("ul", { class: "findings", id: "never-hold" }, items), items, 10);
}

// --- the part of the page

/** What is chosen above the rules, and what is built of them: only what was ever shown. */
const ruleList = { view: null, sorting: "number", descending: false, limit: 0, places: [], onPaper: false };

function startRules(section) {
  section.addEventListener("click", clickOnCard);
  section.addEventListener("keydown", keyOnCard);
  on("model", () => drawRules(section));
  on("rule", () => highlightCard());
  on("paper", (begins) => {
    ruleList.onPaper = begins;
    showListed();
  });
  drawRules(section);
}

function ruleView() {
  return ruleList.view ?? (model().rules.length > MOST_AS_CARDS ? "table" : "cards");
}

function drawRules(section) {
  const { rules } = model();
  Object.assign(ruleList, { sorting: "number", descending: false, limit: 0, pinned: null, marked: null, texts: null });
  ruleList.built = { cards: new Map(), table: new Map() };
  ruleList.otherwise = defaultCard();
  ruleList.table = ruleTable();
  ruleList.cards = h("div", { class: "cards" });
  ruleList.holder = h("div", {});
  ruleList.count = h("p", { id: "rule-count", role: "status" });
  ruleList.reset = h("button", { type: "button", onclick: showAllRules }, "Show all rules");
  ruleList.more = h("p", { class: "more actions" });
  ruleList.tools = rules.length > 1 ? ruleTools(rules) : null;
  show(section,
    h("h2", {}, "The rules"),
    h("p", { class: "lead" }, rulesLead()),
    ruleList.tools,
    h("div", { class: "found" }, ruleList.count, ruleList.reset),
    ruleList.holder,
    ruleList.more,
    neverHoldLines());
  listRules();
}

function rulesLead() {
  const priority = summary.decides.hit_policy === "PRIORITY";
  const asked = !model().order ? ""
    : priority ? ` ${sentence(summary.decides.text)}`
      : " They are asked in this order, and the first that holds decides.";
  const counted = {
    instances: summary.instances && ` Counts are of the ${pluralText(summary.instances.rows, "instance")} given.`,
    training: " Counts are of the rows that the rules were learned from.",
  }[summary.counted_on];
  return `A rule holds for a case if all its conditions do.${asked}`
    + ((hasCounts() && counted) || " Nothing was counted: no instances were given.");
}

/** The words that a search looks in: as the page writes them, and as files of rules do. */
function searchText(rule, place) {
  const names = featuresOf(rule.box).map((feature) => feature.name);
  const text = rule.conditions.join(" and ");
  const typeset = text.replaceAll("<=", "≤").replaceAll(">=", "≥").replaceAll('"', "");
  return [ruleTitle(place), text, typeset, outcomeText(rule.outcome), ...names].join(" ").toLowerCase();
}

function ruleTools(rules) {
  const used = askedFeatures(model());
  const inConflict = conflictsByPlace().size > 0;
  ruleList.search = h("input", { id: "rule-search", type: "search", autocomplete: "off", oninput: listRules });
  ruleList.feature = h("select", { id: "rule-feature", onchange: listRules },
    h("option", { value: "" }, "all features"),
    used.map((feature) => h("option", { value: feature.name }, feature.name)));
  ruleList.outcome = h("select", { id: "rule-outcome", onchange: listRules },
    h("option", { value: "" }, summary.several_labels ? "all labels" : "all outcomes"),
    saidLabels(rules).map((label) => h("option", { value: label }, labelText(label))));
  ruleList.conflict = h("input", { id: "rule-conflict", type: "checkbox", onchange: listRules });
  ruleList.sort = h("select", { id: "rule-sort", onchange: () => sortBy(ruleList.sort.value) },
    sortingsOf(rules).map((name) => h("option", { value: name }, sortingText(name))));
  ruleList.direction = h("button", { id: "rule-direction", type: "button", onclick: turnSorting });
  const labelled = (text, control, wide) => h("label", { class: wide && "wide" }, h("span", {}, text), control);
  return h("div", { class: "tools", role: "search", "aria-label": "Rules" },
    labelled("Search the rules", ruleList.search, true),
    labelled("that ask for", ruleList.feature),
    labelled("that say", ruleList.outcome),
    inConflict && h("label", { class: "check" }, ruleList.conflict, " in a conflict"),
    labelled("sorted by", ruleList.sort),
    ruleList.direction,
    h("div", { id: "rule-view", class: "switch", role: "group", "aria-label": "Show the rules as" },
      ["cards", "table"].map((view) =>
        h("button", { type: "button", "data-view": view, onclick: () => chooseView(view) }, view))));
}

/** What rules say; where they say sets of labels, the labels in them. */
function saidLabels(rules) {
  const said = new Set(rules.flatMap((rule) => summary.outcomes[rule.outcome].labels));
  return [...said].sort((a, b) => a - b);
}

/** By what rules can be sorted: not by what was not counted. */
function sortingsOf(rules) {
  const wanted = {
    support: hasCounts(),
    confidence: hasCounts() && rules.some((rule) => rule.confidence !== null),
    conflicts: conflictsByPlace().size > 0,
  };
  return Object.keys(SORTINGS).filter((name) => wanted[name] ?? true);
}

function sortingText(name) {
  if (name !== "number" || !model().order) return SORTINGS[name];
  return summary.decides.hit_policy === "PRIORITY" ? "priority" : "order asked";
}

/** Sort by something; if it is sorted by that already, the other way round. */
function sortBy(name) {
  const same = ruleList.sorting === name;
  ruleList.descending = same ? !ruleList.descending : GREATEST_FIRST.includes(name);
  ruleList.sorting = ruleList.sort.value = name;
  listRules();
}

function turnSorting() {
  sortBy(ruleList.sorting);
}

function chooseView(view) {
  ruleList.view = view;
  ruleList.limit = 0;
  showListed();
}

function resetRules() {
  if (ruleList.tools) {
    ruleList.search.value = ruleList.feature.value = ruleList.outcome.value = "";
    ruleList.conflict.checked = false;
  }
  listRules();
}

/** Ask for all rules again; the button goes away by that, so the search gets the focus. */
function showAllRules() {
  resetRules();
  ruleList.search.focus({ preventScroll: true });
}

/** Find the rules that are asked for, in their order, and show the first of them. */
function listRules() {
  const { rules } = model();
  ruleList.places = rules.map((_, place) => place).filter(ruleFilter()).sort(ruleOrder());
  // who asked for thousands does not wait for all of them at every letter
  ruleList.limit = Math.min(ruleList.limit, MOST_ON_PAPER);
  ruleList.pinned = null;
  showListed();
}

/** The rules to show now: the first ones, and one that a link led to. */
function shownPlaces() {
  const { places, pinned, onPaper } = ruleList;
  const limit = Math.max(ruleList.limit, AT_ONCE[ruleView()], onPaper ? MOST_ON_PAPER : 0);
  const shown = places.slice(0, limit);
  if (pinned !== null && places.includes(pinned) && !shown.includes(pinned)) shown.push(pinned);
  return shown;
}

/** The card or the row of a rule, made when it is first shown. */
function builtRule(place) {
  const view = ruleView();
  const built = ruleList.built[view];
  if (!built.has(place)) built.set(place, view === "table" ? ruleRow(place) : ruleCard(place));
  return built.get(place);
}

function showListed() {
  const { places } = ruleList;
  const whole = places.length === model().rules.length;
  const shown = shownPlaces();
  const asTable = ruleView() === "table";
  show(asTable ? ruleList.rows : ruleList.cards, shown.map(builtRule), whole && !asTable && ruleList.otherwise);
  ruleList.foot.hidden = !whole;
  const holder = asTable ? ruleList.table : ruleList.cards;
  if (ruleList.holder.firstChild !== holder) show(ruleList.holder, holder);
  sayFound(places.length, shown.length);
  saySorting();
  highlightCard();
}

function sayFound(found, shown) {
  const of = model().rules.length;
  const all = found === of;
  const text = all ? rulesText() : `${countText(found)} of ${pluralText(of, hasParts() ? "part" : "rule")}`;
  const some = shown < found ? `; ${countText(shown)} of them are shown` : "";
  show(ruleList.count, found || !of ? `${text}${some}` : `${text}: none has all that you ask for.`);
  ruleList.reset.hidden = all;
  ruleList.more.hidden = shown >= found;
  const step = AT_ONCE[ruleView()];
  const more = (text, limit) => h("button", { type: "button", onclick: () => showMore(limit) }, text);
  show(ruleList.more,
    found - shown > step && more(`Show ${countText(step)} more`, Math.max(ruleList.limit, step) + step),
    more(`Show all ${countText(found)}`, found));
}

/** Show more rules, and go on from the first of them with the keys. */
function showMore(limit) {
  const before = Math.max(ruleList.limit, AT_ONCE[ruleView()]);
  ruleList.limit = limit;
  showListed();
  builtRule(ruleList.places[before]).focus({ preventScroll: true });
}

/** Say how rules are sorted and shown, at all the controls that choose it. */
function saySorting() {
  const { sorting, descending } = ruleList;
  for (const head of ruleList.heads) {
    const button = head.querySelector("button");
    if (!button) continue;
    const sorted = head.dataset.sorting === sorting;
    head.setAttribute("aria-sort", !sorted ? "none" : descending ? "descending" : "ascending");
    show(button.lastChild, !sorted ? "" : descending ? " ↓" : " ↑");
  }
  if (!ruleList.tools) return;
  show(ruleList.direction, descending ? "↓ descending" : "↑ ascending");
  ruleList.direction.setAttribute("aria-label", descending ? "Descending; turn round" : "Ascending; turn round");
  for (const button of ruleList.tools.querySelectorAll("[data-view]")) {
    button.setAttribute("aria-pressed", String(button.dataset.view === ruleView()));
  }
}

const RULE_NUMBER = /(?<!\S)(?:rule\s+|#)(\d+),?(?!\S)/g;

/** What a search asks for: "rule 3" and "#3" are the rule of that number, not also rule 30; the rest are words. */
function searchedFor(text) {
  const typed = text.toLowerCase();
  return {
    numbers: [...typed.matchAll(RULE_NUMBER)].map((found) => Number(found[1])),
    words: typed.replace(RULE_NUMBER, " ").split(/\s+/).filter(Boolean),
  };
}

/** Whether a rule is asked for, by all that is chosen above. */
function ruleFilter() {
  if (!ruleList.tools) return () => true;
  const { rules } = model();
  const { numbers, words } = searchedFor(ruleList.search.value);
  const [feature, outcome] = [ruleList.feature.value, ruleList.outcome.value];
  const conflicts = ruleList.conflict.checked && conflictsByPlace();
  if (words.length) ruleList.texts ??= rules.map(searchText);
  return (place) => numbers.every((number) => rules[place].number === number)
    && words.every((word) => ruleList.texts[place].includes(word))
    && (feature === "" || Object.hasOwn(rules[place].box, feature))
    && (outcome === "" || summary.outcomes[rules[place].outcome].labels.includes(Number(outcome)))
    && (!conflicts || conflicts.has(place));
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
    conflicts: (place) => conflictsByPlace().get(place)?.size ?? 0,
  };
  const key = keys[ruleList.sorting];
  const sign = ruleList.descending ? -1 : 1;
  return (a, b) => sign * (key(a) - key(b)) || number(a) - number(b);
}

// --- the rule in focus

function cardOf(event) {
  if (event.target.closest("button, a, input, select, details")) return null;
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
  const card = state.rule === null ? undefined : ruleList.built[ruleView()].get(state.rule);
  if (card === ruleList.marked) return;
  ruleList.marked?.removeAttribute("aria-current");
  ruleList.marked?.querySelector(".actions")?.remove();
  ruleList.marked = card;
  if (!card) return;
  card.setAttribute("aria-current", "true");
  (card.querySelector(".words") ?? card).append(h("div", { class: "actions" },
    h("button", { type: "button", onclick: () => jumpTo("map") }, "Show on the map"),
    h("button", { type: "button", onclick: () => unmark(card) }, "Unmark")));
}

function unmark(card) {
  focusRule(null);
  card.focus({ preventScroll: true }); // the button that had the focus is gone
}

/** Go to a rule, whatever is filtered. */
function goToRule(place) {
  if (!ruleList.places.includes(place)) resetRules();
  if (!builtRule(place).isConnected) {
    ruleList.pinned = place;
    showListed();
  }
  focusRule(place);
  jumpTo(builtRule(place).id);
}
