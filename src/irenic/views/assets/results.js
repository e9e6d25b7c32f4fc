// How the rules do on the instances: what is taken for what, and which instances are left out.

const FIRST_INSTANCES = 10;
const MOST_COLUMNS = 12;

function startResults(section) {
  on("model", () => drawResults(section));
  drawResults(section);
}

function drawResults(section) {
  const { results } = model();
  if (!results) return show(section);
  return show(section,
    h("h2", {}, "On the instances"),
    h("p", { class: "lead" }, resultsLead(results)),
    results.confusion && confusionTable(results.confusion),
    results.labels && labelsTable(results.labels),
    leftOut("uncovered", results),
    leftOut("contradicted", results));
}

function resultsLead(results) {
  const rows = pluralText(results.rows, "instance");
  const covered = `Rules cover ${countText(results.covered)} of ${rows}`;
  const share = results.rows ? ` (${percentText(results.covered / results.rows)}).` : ".";
  return `${covered}${share}${rightText(results)}`;
}

/** How many instances are right, as a sentence; nothing where it is not known what is true. */
function rightText(results) {
  if (results.right === undefined) return "";
  const who = model().default.outcome === null ? "The rules are" : "The rules and the default are";
  const what = summary.several_labels ? `${who} right in all labels` : `${who} right`;
  const share = percentText(results.accuracy);
  return ` ${what} for ${countText(results.right)} of ${pluralText(results.rows, "instance")} (${share}).`;
}

// --- one outcome each

/** The outcomes that are true of some instance or said of one, and the columns that are used. */
function usedOutcomes(confusion) {
  const n = summary.outcomes.length;
  const column = (place) => confusion.reduce((sum, row) => sum + row[place], 0);
  const said = summary.outcomes.map((_, place) => column(place));
  const had = confusion.map((row) => row.reduce((sum, count) => sum + count, 0));
  const outcomes = said.map((_, place) => place).filter((place) => said[place] || had[place]);
  const extra = [n, n + 1].filter(column);
  return { outcomes, extra, said, had };
}

function confusionTable(confusion) {
  const { outcomes, extra, said, had } = usedOutcomes(confusion);
  const n = summary.outcomes.length;
  const names = (place) => (place < n ? outcomeText(place) : place === n ? "no rule" : "contradicted");
  const columns = [...outcomes, ...extra];
  const most = Math.max(1, ...confusion.flat());
  const head = (text) => h("th", { scope: "col" }, text);
  const rows = outcomes.map((truth) =>
    h("tr", {}, h("th", { scope: "row", class: "text" }, names(truth)),
      columns.map((place) => confusionCell(confusion[truth][place], truth === place, most)),
      h("td", { class: "margin" }, shareOf(confusion[truth][truth], had[truth]))));
  return tableOf({ id: "confusion" },
    "What is taken for what. Rows: what is true. Columns: what the rules (or the default) say.",
    h("tr", {}, h("th", { scope: "col", class: "text" }, "true ↓ said →"), columns.map(names).map(head), head("found")),
    rows,
    h("tr", {}, h("th", { scope: "row", class: "text" }, "right when said"),
      columns.map((place) => h("td", { class: "margin" }, place < n && shareOf(confusion[place][place], said[place]))),
      h("td", {})));
}

/** A share in per cent, a dash for a share of nothing. */
function shareOf(part, whole) {
  return whole ? percentText(part / whole) : "–";
}

function confusionCell(count, right, most) {
  // the root, so that a few mistakes among very many instances are still seen
  const opacity = count ? 0.08 + 0.32 * Math.sqrt(count / most) : 0;
  return h("td", { class: `cell ${right ? "right" : "wrong"}` },
    h("i", { style: { opacity } }), count ? countText(count) : h("span", { class: "muted" }, "0"));
}

function tableOf(attributes, caption, head, rows, foot) {
  // named and in the order of the keys, as it can be scrolled sideways
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption },
    h("table", attributes, h("caption", {}, caption), h("thead", {}, head), h("tbody", {}, rows),
      foot && h("tfoot", {}, foot)));
}

// --- several labels each

function labelsTable(labels) {
  const head = ["rightly said", "wrongly said", "missed", "right when said", "found"];
  const rows = labels.map(({ both, said, had }, label) =>
    h("tr", {}, h("th", { scope: "row", class: "text" }, labelText(label)),
      [both, said, had].map((count) => h("td", {}, countText(count))),
      h("td", { class: "margin" }, shareOf(both, both + said)),
      h("td", { class: "margin" }, shareOf(both, both + had))));
  return tableOf({ id: "confusion" }, "How often each label is said, and how often it is true.",
    h("tr", {}, h("th", { scope: "col", class: "text" }, "label"), head.map((text) => h("th", { scope: "col" }, text))),
    rows);
}

// --- instances that are left out

/** Instances that no rule covers, or that rules contradict each other on. */
function leftOut(which, results) {
  if (!results[which]) return null;
  return h("div", { class: "block" },
    h("h3", {}, leftOutTitle(which, results)),
    h("p", { class: "muted" }, leftOutText(which)),
    instanceTable(results[`${which}_rows`], results[which], which));
}

function leftOutTitle(which, results) {
  const instances = pluralText(results[which], "instance");
  return which === "uncovered" ? `No rule covers ${instances}` : `Rules contradict each other on ${instances}`;
}

function leftOutText(which) {
  if (which === "contradicted") return "Rules that say different things hold for them.";
  const otherwise = model().default.outcome;
  return otherwise === null ? "Nothing is said of them." : `Of them the default is said: ${outcomeText(otherwise)}.`;
}

let placesByRow = null;

/** Where instances stand in the sample, by the numbers of their rows. */
function placeOfRow(row) {
  if (!summary.instances.row_numbers) return row - 1;
  placesByRow ??= new Map(summary.instances.row_numbers.map((number, place) => [number, place]));
  return placesByRow.get(row);
}

function instanceTable(rowNumbers, total, which) {
  const places = rowNumbers.map(placeOfRow).filter((place) => place !== undefined);
  if (!places.length) return h("p", { class: "muted" }, "None of them is among the instances that are part of this file.");
  const features = shownFeatures();
  const rows = places.map((place) => instanceRow(place, features));
  const caption = listedInstances(places.length, total, features.length);
  const head = (text, kind) => h("th", { scope: "col", class: kind === "category" && "text" }, text);
  const table = tableOf({ class: which }, caption,
    h("tr", {},
      head("row"),
      h("th", { scope: "col", class: "screen" }, h("span", { class: "unseen" }, "try it")),
      summary.instances.outcomes && h("th", { scope: "col", class: "text" }, "true"),
      features.map((feature) => head(feature.name, feature.kind))),
    rows);
  return moreOf(table, rows, FIRST_INSTANCES);
}

/** The features that the rules ask for, as the others decide nothing; the first of very many. */
function shownFeatures() {
  const { rules } = model();
  const asked = summary.features.filter((feature) => rules.some((rule) => Object.hasOwn(rule.box, feature.name)));
  return (asked.length ? asked : summary.features).slice(0, MOST_COLUMNS);
}

function listedInstances(listed, total, columns) {
  const which = listed < total ? `${countText(listed)} of them` : "All of them";
  const some = columns < summary.features.length ? ", with the features that rules ask for" : "";
  return columns === MOST_COLUMNS ? `${which}${some} (the first ${MOST_COLUMNS})` : `${which}${some}`;
}

function instanceRow(place, features) {
  const outcomes = summary.instances.outcomes;
  const values = instanceCase(place);
  return h("tr", {},
    h("th", { scope: "row" }, countText(rowNumber(place))),
    h("td", { class: "screen" }, tryButton(values)),
    outcomes && h("td", { class: "text" }, outcomeText(outcomes[place])),
    features.map((feature) => valueCell(feature, values[feature.name])));
}

/** A value in a table: long numbers rounded, as pointing at them tells the rest. */
function valueCell(feature, value) {
  if (feature.kind === "category") return h("td", { class: "text" }, valueWords(feature, value));
  const exact = formatValue(feature, value);
  if (feature.kind !== "number" || exact.length <= 9) return h("td", {}, exact);
  return h("td", { title: exact }, formatValue(feature, Number(value.toPrecision(5))));
}
