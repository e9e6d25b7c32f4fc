// @ts-check
// The list of rules, as cards or as a table, which can be sorted, searched and filtered.

import { h, show, within } from "../dom.js";
import { conflictsByPlace } from "../findings/counts.js";
import { jumpTo } from "../page/jumps.js";
import { defaultCard, neverHoldLines, ruleCard } from "./card.js";
import { hasParts, rulesText } from "./names.js";
import { GREATEST_FIRST, ruleOrder, sortingsOf, sortingText } from "./order.js";
import { clickOnCard, keyOnCard } from "./pressing.js";
import { predictedLabels, searchedFor, searchText } from "./searching.js";
import { ruleRow, ruleTable } from "./table.js";
import { focusRule, model, on, state } from "../state.js";
import { testedFeatures, countedOn, labelText, summary } from "../summary.js";
import { countText, pluralText, sentence } from "../words.js";

const AT_ONCE = { cards: 48, table: 200 }; // rules that are shown at first

const CARD_LIMIT = 60; // more are shown as a table by default

const PAPER_LIMIT = 300;

/** The settings of the list, and its elements, which are created when first shown. */
const ruleList = /** @type {RuleList} */ (
  /** @type {Partial<RuleList>} */ ({
    view: null,
    sorting: "number",
    descending: false,
    limit: 0,
    places: [],
    onPaper: false,
  })
);

/** @param {HTMLElement} section */
export function startRules(section) {
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
  return ruleList.view ?? (model().rules.length > CARD_LIMIT ? "table" : "cards");
}

/** @param {HTMLElement} section */
function drawRules(section) {
  const { rules } = model();
  Object.assign(ruleList, {
    sorting: "number",
    descending: false,
    limit: 0,
    pinned: null,
    marked: undefined,
    texts: null,
  });
  ruleList.built = { cards: new Map(), table: new Map() };
  ruleList.otherwise = defaultCard();
  Object.assign(ruleList, ruleTable(sortBy));
  ruleList.cards = h("div", { class: "cards" });
  ruleList.holder = h("div", {});
  ruleList.count = h("p", { id: "rule-count", role: "status" });
  ruleList.reset = h("button", { type: "button", onclick: showAllRules }, "Show all rules");
  ruleList.more = h("p", { class: "more actions" });
  ruleList.tools = rules.length > 1 ? ruleTools(rules) : null;
  show(
    section,
    h("h2", {}, "The rules"),
    h("p", { class: "lead" }, rulesLead()),
    ruleList.tools,
    h("div", { class: "found" }, ruleList.count, ruleList.reset),
    ruleList.holder,
    ruleList.more,
    neverHoldLines(),
  );
  listRules();
}

function rulesLead() {
  const priority = summary.decides.hit_policy === "PRIORITY";
  const order = !model().order
    ? ""
    : priority
      ? ` ${sentence(summary.decides.text)}`
      : " They are tried in this order, and the first that holds decides.";
  const counted = countedOn((rows) => ` Counts are based on ${rows}.`, " Counts are based on the training rows.");
  return (
    `A rule holds for a case if all its conditions do.${order}` +
    (counted || " There are no counts, because no instances were given.")
  );
}

/** @param {CountedRule[]} rules */
function ruleTools(rules) {
  const used = testedFeatures(model());
  const inConflict = conflictsByPlace().size > 0;
  ruleList.search = h("input", { id: "rule-search", type: "search", autocomplete: "off", oninput: listRules });
  ruleList.feature = h(
    "select",
    { id: "rule-feature", onchange: listRules },
    h("option", { value: "" }, "all features"),
    used.map((feature) => h("option", { value: feature.name }, feature.name)),
  );
  ruleList.outcome = h(
    "select",
    { id: "rule-outcome", onchange: listRules },
    h("option", { value: "" }, summary.several_labels ? "all labels" : "all outcomes"),
    predictedLabels(rules).map((label) => h("option", { value: label }, labelText(label))),
  );
  ruleList.conflict = h("input", { id: "rule-conflict", type: "checkbox", onchange: listRules });
  ruleList.sort = h(
    "select",
    { id: "rule-sort", onchange: () => sortBy(/** @type {Sorting} */ (ruleList.sort.value)) },
    sortingsOf(rules).map((name) => h("option", { value: name }, sortingText(name))),
  );
  ruleList.direction = h("button", { id: "rule-direction", type: "button", onclick: turnSorting });
  /**
   * @param {string} text
   * @param {HTMLElement} control
   * @param {boolean} [wide]
   */
  const labeled = (text, control, wide) => h("label", { class: wide && "wide" }, h("span", {}, text), control);
  return h(
    "div",
    { class: "tools", role: "search", "aria-label": "Rules" },
    labeled("Search the rules", ruleList.search, true),
    labeled("testing", ruleList.feature),
    labeled("predicting", ruleList.outcome),
    inConflict && h("label", { class: "check" }, ruleList.conflict, " in a conflict"),
    labeled("sorted by", ruleList.sort),
    ruleList.direction,
    h(
      "div",
      { id: "rule-view", class: "switch", role: "group", "aria-label": "Show the rules as" },
      /** @type {RuleView[]} */ (["cards", "table"]).map((view) =>
        h("button", { type: "button", "data-view": view, onclick: () => chooseView(view) }, view),
      ),
    ),
  );
}

/**
 * Sort by a key; if it is the current one, reverse the order.
 * @param {Sorting} name
 */
function sortBy(name) {
  const same = ruleList.sorting === name;
  ruleList.descending = same ? !ruleList.descending : GREATEST_FIRST.includes(name);
  ruleList.sorting = ruleList.sort.value = name;
  listRules();
}

function turnSorting() {
  sortBy(ruleList.sorting);
}

/** @param {RuleView} view */
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

/** Show all rules again. The button disappears, so the search gets the focus. */
function showAllRules() {
  resetRules();
  ruleList.search.focus({ preventScroll: true });
}

/** Find the matching rules, sort them, and show the first of them. */
function listRules() {
  const { rules } = model();
  ruleList.places = rules
    .map((_, place) => place)
    .filter(ruleFilter())
    .sort(ruleOrder(ruleList.sorting, ruleList.descending));
  // typing in the search must not draw thousands of rules at every key
  ruleList.limit = Math.min(ruleList.limit, PAPER_LIMIT);
  ruleList.pinned = null;
  showListed();
}

/** The rules to show: the first ones, and the target of a link. */
function shownPlaces() {
  const { places, pinned, onPaper } = ruleList;
  const limit = Math.max(ruleList.limit, AT_ONCE[ruleView()], onPaper ? PAPER_LIMIT : 0);
  const shown = places.slice(0, limit);
  if (pinned !== null && places.includes(pinned) && !shown.includes(pinned)) shown.push(pinned);
  return shown;
}

/**
 * The card or the row of a rule, created when first shown.
 * @param {number} place
 */
function builtRule(place) {
  const view = ruleView();
  const built = ruleList.built[view];
  const known = built.get(place);
  if (known) return known;
  const element = view === "table" ? ruleRow(place) : ruleCard(place);
  built.set(place, element);
  return element;
}

function showListed() {
  const { places } = ruleList;
  const complete = places.length === model().rules.length;
  const shown = shownPlaces();
  const asTable = ruleView() === "table";
  show(asTable ? ruleList.rows : ruleList.cards, shown.map(builtRule), complete && !asTable && ruleList.otherwise);
  ruleList.foot.hidden = !complete;
  const holder = asTable ? ruleList.table : ruleList.cards;
  if (ruleList.holder.firstChild !== holder) show(ruleList.holder, holder);
  showCounts(places.length, shown.length);
  updateSorting();
  highlightCard();
}

/**
 * @param {number} found
 * @param {number} shown
 */
function showCounts(found, shown) {
  const of = model().rules.length;
  const all = found === of;
  const text = all ? rulesText() : `${countText(found)} of ${pluralText(of, hasParts() ? "part" : "rule")}`;
  const part = shown < found ? `; ${countText(shown)} of them are shown` : "";
  show(ruleList.count, found || !of ? `${text}${part}` : `${text}: none matches.`);
  ruleList.reset.hidden = all;
  ruleList.more.hidden = shown >= found;
  const step = AT_ONCE[ruleView()];
  /**
   * @param {string} text
   * @param {number} limit
   */
  const more = (text, limit) => h("button", { type: "button", onclick: () => showMore(limit) }, text);
  show(
    ruleList.more,
    found - shown > step && more(`Show ${countText(step)} more`, Math.max(ruleList.limit, step) + step),
    more(`Show all ${countText(found)}`, found),
  );
}

/**
 * Show more rules, and focus the first new one.
 * @param {number} limit
 */
function showMore(limit) {
  const before = Math.max(ruleList.limit, AT_ONCE[ruleView()]);
  ruleList.limit = limit;
  showListed();
  builtRule(ruleList.places[before]).focus({ preventScroll: true });
}

/** Update the controls for the sorting and the view. */
function updateSorting() {
  const { sorting, descending } = ruleList;
  for (const head of ruleList.heads) {
    const button = head.querySelector("button");
    if (!button) continue;
    const sorted = head.dataset.sorting === sorting;
    head.setAttribute("aria-sort", !sorted ? "none" : descending ? "descending" : "ascending");
    show(within(button, "span"), !sorted ? "" : descending ? " ↓" : " ↑");
  }
  if (!ruleList.tools) return;
  show(ruleList.direction, descending ? "↓ descending" : "↑ ascending");
  ruleList.direction.setAttribute(
    "aria-label",
    descending ? "Descending; reverse the order" : "Ascending; reverse the order",
  );
  for (const button of ruleList.tools.querySelectorAll("button[data-view]")) {
    button.setAttribute("aria-pressed", String(button.getAttribute("data-view") === ruleView()));
  }
}

/** A test of whether a rule matches the search and the filters. */
function ruleFilter() {
  if (!ruleList.tools) return () => true;
  const { rules } = model();
  const { numbers, words } = searchedFor(ruleList.search.value);
  const [feature, outcome] = [ruleList.feature.value, ruleList.outcome.value];
  const conflicts = ruleList.conflict.checked && conflictsByPlace();
  const texts = words.length ? (ruleList.texts ??= rules.map(searchText)) : [];
  /** @param {number} place */
  const matches = (place) =>
    numbers.every((number) => rules[place].number === number) &&
    words.every((word) => texts[place].includes(word)) &&
    (feature === "" || Object.hasOwn(rules[place].box, feature)) &&
    (outcome === "" || summary.outcomes[rules[place].outcome].labels.includes(Number(outcome))) &&
    (!conflicts || conflicts.has(place));
  return matches;
}

function highlightCard() {
  const card = state.rule === null ? undefined : ruleList.built[ruleView()].get(state.rule);
  if (card === ruleList.marked) return;
  ruleList.marked?.removeAttribute("aria-current");
  ruleList.marked?.querySelector(".actions")?.remove();
  ruleList.marked = card;
  if (!card) return;
  card.setAttribute("aria-current", "true");
  (card.querySelector(".words") ?? card).append(
    h(
      "div",
      { class: "actions" },
      h("button", { type: "button", onclick: () => jumpTo("map") }, "Show on the map"),
      h("button", { type: "button", onclick: () => unmark(card) }, "Unmark"),
    ),
  );
}

/** @param {HTMLElement} card */
function unmark(card) {
  focusRule(null);
  card.focus({ preventScroll: true }); // the button that had the focus was removed
}

/**
 * Go to a rule, resetting filters that hide it.
 * @param {number} place
 */
export function goToRule(place) {
  if (!ruleList.places.includes(place)) resetRules();
  if (!builtRule(place).isConnected) {
    ruleList.pinned = place;
    showListed();
  }
  focusRule(place);
  jumpTo(builtRule(place).id);
}
