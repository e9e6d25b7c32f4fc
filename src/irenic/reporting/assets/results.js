// How the rules do on the instances: what is taken for what, and which instances go wrong or are left out.

const FIRST_INSTANCES = 10;
const MOST_INSTANCES = 200;
const MOST_INSTANCES_ON_PAPER = 20;
const MOST_COLUMNS = 12;
const MANY_ON_PAPER = 8; // columns that are as wide as their heads would leave the paper
const MOST_OUTCOMES = 30; // a table of more is no longer read
// what is said where it is no outcome, as the summary has it; and the outcomes that have no row of their own
const [SAID_NOTHING, SAID_CONTRADICTED, SAID_OTHERS] = [-1, -2, -3];

function startResults(section) {
  on("model", () => drawResults(section));
  drawResults(section);
}

function drawResults(section) {
  const { results } = model();
  if (!results?.rows) return show(section);
  return show(section,
    h("h2", {}, "On the instances"),
    h("p", { class: "lead" }, resultsLead(results)),
    results.confusion && confusionBlock(results.confusion),
    results.labels && labelsTable(results.labels),
    ["uncovered", "contradicted", "outside"].map((which) => leftOut(which, results)),
    results.wrong > 0 && wrongBlock(results));
}

function resultsLead(results) {
  const rows = pluralText(results.rows, "instance");
  const share = percentText(results.covered / results.rows);
  return `Rules cover ${countText(results.covered)} of ${rows} (${share}).${rightText(results)}`;
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

/** Add to a number in a map. */
function addTo(map, key, number) {
  map.set(key, (map.get(key) ?? 0) + number);
}

/** The outcomes with a row of their own: those that rules say first, then the most frequent. */
function chosenOutcomes(had, said) {
  const used = [...new Set([...had.keys(), ...said.keys()])].filter((place) => place >= 0);
  const byRules = new Set(model().rules.map((rule) => rule.outcome));
  const frequency = (place) => (had.get(place) ?? 0) + (said.get(place) ?? 0);
  used.sort((a, b) => byRules.has(b) - byRules.has(a) || frequency(b) - frequency(a) || a - b);
  const own = used.slice(0, used.length > MOST_OUTCOMES ? MOST_OUTCOMES : used.length).sort((a, b) => a - b);
  return { own, left: used.length - own.length };
}

/** What is taken for what, summed: by pairs of rows and columns of the table, and in its margins. */
function sumConfusion(confusion) {
  const [had, said] = [new Map(), new Map()];
  for (const [truth, told, count] of confusion) {
    addTo(had, truth, count);
    addTo(said, told, count);
  }
  const { own, left } = chosenOutcomes(had, said);
  const kept = new Set(own);
  const group = (place) => (place < 0 || kept.has(place) ? place : SAID_OTHERS);
  const sums = { cells: new Map(), had: new Map(), said: new Map(), right: new Map() };
  for (const [truth, told, count] of confusion) {
    const [row, column] = [group(truth), group(told)];
    addTo(sums.cells, `${row} ${column}`, count);
    addTo(sums.had, row, count);
    addTo(sums.said, column, count);
    if (truth === told) addTo(sums.right, row, count);
  }
  const others = left ? [SAID_OTHERS] : [];
  const extra = [SAID_NOTHING, SAID_CONTRADICTED].filter((place) => said.has(place));
  // of very many outcomes, columns of those that nothing says would only be noughts
  const told = own.length > MOST_COLUMNS ? own.filter((place) => said.has(place)) : own;
  const columns = [...told, ...others.filter((place) => sums.said.has(place)), ...extra];
  return { ...sums, left, group, rows: [...own, ...others], columns };
}

function groupName(place) {
  if (place >= 0) return outcomeText(place);
  return { [SAID_NOTHING]: "no rule", [SAID_CONTRADICTED]: "contradicted", [SAID_OTHERS]: "others" }[place];
}

/** The same as elements, where it stands beside other words. */
function groupWords(place) {
  return place >= 0 ? outcomeWords(place) : groupName(place);
}

function confusionBlock(confusion) {
  const sums = sumConfusion(confusion);
  return [sums.left > 0 && h("p", { class: "lead", id: "others" }, othersText(sums)), confusionTable(sums)];
}

function confusionTable(sums) {
  const most = greatest(sums.cells.values(), 1);
  const head = (words) => h("th", { scope: "col" }, h("span", {}, words));
  const share = (place, of) => shareText(sums.right.get(place) ?? 0, of.get(place) ?? 0);
  const rows = sums.rows.map((truth) =>
    h("tr", {}, h("th", { scope: "row", class: "text" }, groupWords(truth)),
      sums.columns.map((said) => confusionCell(sums, truth, said, most)),
      h("td", { class: "margin" }, share(truth, sums.had))));
  return tableOf({ id: "confusion", class: sums.columns.length > MANY_ON_PAPER && "dense" },
    "What is taken for what. Rows: what is true. Columns: what the rules (or the default) say.",
    h("tr", {}, h("th", { scope: "col", class: "text" }, "true ↓ said →"),
      sums.columns.map((place) => head(groupWords(place))), head("found")),
    rows,
    h("tr", {}, h("th", { scope: "row", class: "text" }, "right when said"),
      sums.columns.map((place) =>
        h("td", { class: "margin" }, (place >= 0 || place === SAID_OTHERS) && share(place, sums.said))),
      h("td", {})));
}

function othersText({ rows, left }) {
  return `${countText(rows.length - 1)} of ${countText(rows.length - 1 + left)} outcomes are shown: those that rules`
    + ` say first, then the most frequent; the other ${countText(left)} are summed as “others”.`;
}

/** A share in per cent, a dash for a share of nothing. */
function shareText(part, whole) {
  return whole ? percentText(part / whole) : "–";
}

function confusionCell(sums, truth, said, most) {
  const count = sums.cells.get(`${truth} ${said}`) ?? 0;
  // the root, so that a few mistakes among very many instances are still seen
  const opacity = count ? 0.08 + 0.32 * Math.sqrt(count / most) : 0;
  // among the others some are right and some are not
  const look = truth !== said ? "wrong" : truth === SAID_OTHERS ? "mixed" : "right";
  return h("td", { class: `cell ${look}` },
    h("i", { style: { opacity } }),
    !count ? h("span", { class: "muted" }, "0")
      : look === "wrong" && summary.instances.shown > 0 ? wrongButton(sums, truth, said, count) : countWords(count));
}

/** A count that may be broken at its commas: on paper a column can be too narrow for it. */
function countWords(count) {
  return countText(count).split(/(?<=,)/).map((part, i) => [i > 0 && h("wbr"), part]);
}

/** The number in a cell, which lists the instances that it counts. */
function wrongButton(sums, truth, said, count) {
  const choose = () => {
    drawWrong({ truth, said, count, group: sums.group });
    jumpTo("wrong");
  };
  const label = (name) => [`${countText(count)}: list those that are `, ...cellWords(truth, said, name)].join("");
  const title = label((place) => nameText(groupName(place)));
  const attributes = { type: "button", class: "count", "aria-label": label(groupName), title, onclick: choose };
  return h("button", attributes, countWords(count));
}

/** What a cell counts, with names as text or as elements. */
function cellWords(truth, said, name) {
  if (said === SAID_NOTHING) return [name(truth), ", where nothing is said"];
  if (said === SAID_CONTRADICTED) return [name(truth), ", where rules contradict each other"];
  return [name(truth), ", taken for ", name(said)];
}

function tableOf(attributes, caption, head, rows, foot = null, label = caption) {
  // named and in the order of the keys, as it can be scrolled sideways
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label },
    h("table", attributes, h("caption", {}, h("span", {}, caption)), h("thead", {}, head), h("tbody", {}, rows),
      foot && h("tfoot", {}, foot)));
}

// --- several labels each

function labelsTable(labels) {
  const head = ["rightly said", "wrongly said", "missed", "right when said", "found"];
  const rows = labels.map(({ both, said, had }, label) =>
    h("tr", {}, h("th", { scope: "row", class: "text" }, labelText(label)),
      [both, said, had].map((count) => h("td", {}, countText(count))),
      h("td", { class: "margin" }, shareText(both, both + said)),
      h("td", { class: "margin" }, shareText(both, both + had))));
  return tableOf({ id: "confusion" }, "How often each label is said, and how often it is true.",
    h("tr", {}, h("th", { scope: "col", class: "text" }, "label"), head.map((text) => h("th", { scope: "col" }, text))),
    rows);
}

// --- instances that are wrongly decided

let wrongHolder = null;

function wrongBlock(results) {
  wrongHolder = h("div", { class: "block", id: "wrong" });
  drawWrong(null, results);
  return wrongHolder;
}

/** List the instances that are wrongly decided: all of them, or those that one cell of the table counts. */
function drawWrong(cell, results = model().results) {
  const title = `Wrongly decided: ${pluralText(cell?.count ?? results.wrong, "instance")}`;
  const all = () => {
    drawWrong(null);
    wrongHolder.querySelector("h3").focus({ preventScroll: true });
  };
  show(wrongHolder,
    h("h3", { tabindex: -1 }, title),
    cell
      ? h("p", {}, "Those that are ", cellWords(cell.truth, cell.said, groupWords), ". ",
        h("button", { type: "button", class: "link screen", onclick: all }, "List all that are wrongly decided"))
      : h("p", { class: "muted" }, "Something else is said of them than is true, or nothing."),
    cell ? cellTable(cell) : rowsTable("wrong", results));
}

function cellTable(cell) {
  const places = instancesOfCell(cell);
  if (!places.length) return noneHeld();
  return instanceTable(places.slice(0, MOST_INSTANCES), { held: places.length, total: cell.count }, "wrong");
}

/** The instances that a cell counts, of those in this file; rule by rule along the columns, as that is fast. */
function instancesOfCell({ truth, said, group }) {
  const { outcomes } = summary.instances;
  const places = outcomes.map((_, place) => place).filter((place) => group(outcomes[place]) === truth);
  const covering = places.map(() => []);
  model().rules.forEach((rule, number) => {
    const features = featuresOf(rule.box);
    const tests = features.map(({ name, kind }) => columnTest(kind, rule.box[name], summary.instances.columns[name]));
    places.forEach((place, at) => {
      if (tests.every((test) => test(place))) covering[at].push(number);
    });
  });
  return places.filter((place, at) => {
    const told = saidPlace(decideAmong(model(), covering[at]));
    return group(told) === said && told !== outcomes[place];
  });
}

function columnTest(kind, condition, column) {
  if (kind === "category") {
    const codes = new Set(condition);
    return (place) => codes.has(column[place]);
  }
  const [low, high] = [condition[0] ?? -Infinity, condition[1] ?? Infinity];
  return (place) => low <= (column[place] ?? -Infinity) && (column[place] ?? -Infinity) < high;
}

/** What is said of a case, as the summary counts it. */
function saidPlace(answer) {
  return answer.contradicted ? SAID_CONTRADICTED : (answer.outcome ?? SAID_NOTHING);
}

function saidWords(place) {
  if (place === SAID_CONTRADICTED) return "contradicted";
  return place === SAID_NOTHING ? "nothing" : outcomeWords(place);
}

// --- instances that are left out

/** Instances that no rule covers, that rules contradict each other on, or that should not occur. */
function leftOut(which, results) {
  if (!results[which]) return null;
  return h("div", { class: "block", id: which },
    h("h3", {}, leftOutTitle(which, results)),
    h("p", { class: "muted" }, leftOutText(which)),
    rowsTable(which, results));
}

function leftOutTitle(which, results) {
  const instances = pluralText(results[which], "instance");
  const titles = {
    uncovered: `No rule covers ${instances}`,
    contradicted: `Rules contradict each other on ${instances}`,
    outside: `${instances} that cannot occur, says the table`,
  };
  return titles[which];
}

function leftOutText(which) {
  if (which === "contradicted") return "Rules that say different things hold for them.";
  if (which === "outside") return "No rule holds for them, and none is missing: the table leaves such cases out.";
  const otherwise = model().default.outcome;
  return otherwise === null
    ? "Nothing follows for them: there is no default."
    : ["The default says ", outcomeWords(otherwise), " of them."];
}

let placesByRow = null;

/** Where instances stand in the sample, by the numbers of their rows. */
function placeOfRow(row) {
  if (!summary.instances.row_numbers) return row - 1;
  placesByRow ??= new Map(summary.instances.row_numbers.map((number, place) => [number, place]));
  return placesByRow.get(row);
}

/** The instances of a kind. Of very many rows the summary names some, and those that the file holds first: only
 * if all that it names are held, there may be more. */
function rowsTable(which, results) {
  const rows = results[`${which}_rows`];
  const places = rows.map(placeOfRow).filter((place) => place !== undefined);
  if (!places.length) return noneHeld();
  const total = results[which];
  const held = summary.instances.shown === summary.instances.rows ? total : places.length;
  const more = held < total && places.length >= MOST_INSTANCES;
  return instanceTable(places, { held, total, more }, which);
}

function noneHeld() {
  return h("p", { class: "muted" }, "None of them is among the instances that are part of this file.");
}

/** How many of some instances the file holds. */
function heldText({ held, total, more }) {
  if (held === total) return total === 1 ? "It is part of this file" : "All of them are part of this file";
  return `${more ? "At least " : ""}${pluralText(held, "of them is", "of them are")} part of this file`;
}

/** How many of those are shown, if not all. */
function shownText(shown, { held, more }) {
  return shown < held || more ? `; the first ${countText(shown)} are shown` : "";
}

/** A table of some instances; count says how many the file holds, and how many there are in all. */
function instanceTable(places, count, which) {
  const features = shownFeatures();
  const said = which === "wrong";
  const rows = places.map((place, at) => instanceRow(place, features, which, at));
  const head = (text, kind) => h("th", { scope: "col", class: kind === "category" && "text" }, text);
  // on paper other rows are shown, as is said there
  const shown = h("span", { class: "screen" }, shownText(Math.min(rows.length, FIRST_INSTANCES), count));
  const table = tableOf({ class: which }, [heldText(count), shown, ".", columnsText()],
    h("tr", {},
      head("row"),
      h("th", { scope: "col", class: "screen" }, h("span", { class: "unseen" }, "try it")),
      summary.instances.outcomes && h("th", { scope: "col", class: "text" }, "true"),
      said && h("th", { scope: "col", class: "text" }, "said"),
      features.map((feature) => head(feature.name, feature.kind))),
    rows, null, "Instances");
  const paper = rows.length > MOST_INSTANCES_ON_PAPER
    && h("p", { class: "paper muted" }, `The first ${MOST_INSTANCES_ON_PAPER} are printed.`);
  return [moreOf(table, rows, FIRST_INSTANCES, () => show(shown, shownText(rows.length, count))), paper];
}

/** The features that the rules ask for, as the others decide nothing; the first of very many. */
function shownFeatures() {
  const asked = askedFeatures(model());
  return (asked.length ? asked : summary.features).slice(0, MOST_COLUMNS);
}

/** Which features the columns are, if not all of them. */
function columnsText() {
  const asked = askedFeatures(model()).length;
  const of = asked || summary.features.length;
  const some = of > MOST_COLUMNS ? `the first ${MOST_COLUMNS} of ${countText(of)}` : "";
  if (asked && asked < summary.features.length) {
    return ` Columns: the features that rules ask for${some && `, ${some}`}.`;
  }
  return some && ` Columns: ${some} features.`;
}

function instanceRow(place, features, which, at) {
  const outcomes = summary.instances.outcomes;
  const values = instanceCase(place);
  const id = `${which}-row-${rowNumber(place)}`;
  const back = { id, text: "Back to the instances" };
  return h("tr", { id, class: at >= MOST_INSTANCES_ON_PAPER && "off-paper" },
    h("th", { scope: "row" }, countText(rowNumber(place))),
    h("td", { class: "screen" }, tryButton(values, back, `row ${countText(rowNumber(place))}`)),
    outcomes && h("td", { class: "text" }, outcomeWords(outcomes[place])),
    which === "wrong" && h("td", { class: "text" }, saidWords(saidPlace(decideCase(model(), values)))),
    features.map((feature) => valueCell(feature, values[feature.name])));
}

/** A value in a table: long numbers rounded, as pointing at them tells the rest. */
function valueCell(feature, value) {
  if (feature.kind === "category") return h("td", { class: "text" }, valueWords(feature, value));
  const exact = formatValue(feature, value);
  if (feature.kind !== "number" || exact.length <= 9) return h("td", {}, exact);
  return h("td", { title: exact }, formatValue(feature, Number(value.toPrecision(5))));
}
