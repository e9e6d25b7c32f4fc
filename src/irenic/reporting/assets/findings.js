// Where rules contradict each other, what they leave out, and what else there is to say of them.

const FIRST_FINDINGS = 10;
const FINDING_KINDS = {
  conflicts: ["conflict", "conflicts", "Two rules that say different things hold for the same case."],
  gaps: ["gap", "gaps", "Regions of cases that no rule covers."],
  overlaps: ["overlap", "overlaps", "Two rules that say the same hold for the same case."],
  never_fire: ["rule that never decides", "rules that never decide", "They can be left out, or they are mistaken."],
  duplicates: ["duplicate", "duplicates", "Rules that are the same."],
  inside: ["rule that adds nothing", "rules that add nothing", "Others say the same wherever it holds."],
  mergeable: ["pair that could be one rule", "groups that could be one rule", "Together they are one region."],
  columns: ["feature that never matters", "features that never matter", "The rules say the same without it."],
};

function startFindings(section) {
  on("model", () => drawFindings(section));
  on("model", forgetWayBack);
  on("case", forgetWayBack);
  drawFindings(section);
}

/** How many findings there are of a kind; the overlaps without those that are conflicts. */
function countOf(kind) {
  const { counts } = model();
  return kind === "overlaps" ? counts.overlaps - counts.conflicts : counts[kind];
}

/** Whether rules may not overlap even where they say the same. */
function overlapsForbidden() {
  return summary.decides.hit_policy === "UNIQUE";
}

function drawFindings(section) {
  const main = overlapsForbidden() && countOf("overlaps") ? ["conflicts", "overlaps", "gaps"] : ["conflicts", "gaps"];
  const others = Object.keys(FINDING_KINDS).filter((kind) => !main.includes(kind) && countOf(kind));
  show(section,
    h("h2", {}, "Conflicts and gaps"),
    h("p", { class: "lead" }, "Searched for in the whole space of cases, not only among instances."),
    main.map(mainGroup),
    others.length > 0 && otherGroups(others));
}

// --- groups

function mainGroup(kind) {
  const [, many, what] = FINDING_KINDS[kind];
  const about = kind === "overlaps" ? what.replace(".", ", which UNIQUE rules out.") : what;
  const unfinished = model().unfinished.includes(kind);
  if (!countOf(kind)) {
    return h("div", { class: "group", id: kind },
      h("h3", {}, `No ${many}${unfinished ? " found so far" : ""}`),
      noneFound(kind, unfinished));
  }
  return h("div", { class: "group", id: kind },
    h("h3", {}, groupTitle(kind)),
    h("p", { class: "muted" }, about, " ", listedText(kind)),
    kind === "conflicts" && mostInConflicts(),
    findingList(kind));
}

/** Which one or two rules most of the conflicts are about, if any are: there one begins to mend. */
function mostInConflicts() {
  const pairs = listedOf("conflicts").map((finding) => finding.rules);
  const [one, two] = mostFrequent(pairs);
  // those listed are the first, so of a part of them the first rules would be in most
  if (pairs.length < 3 || two === undefined || !allConflictsListed()) return null;
  const without = (numbers) => pairs.filter((pair) => !numbers.some((number) => pair.includes(number)));
  const alone = 2 * without([one]).length < pairs.length && countIn(pairs, one) > countIn(pairs, two);
  const [next] = mostFrequent(without([one]));
  const rules = alone || next === undefined ? [one] : [one, next];
  const left = without(rules).length;
  // of few conflicts any two rules are in most
  if (2 * left >= pairs.length || (!alone && pairs.length < 6)) return null;
  const links = rules.map((number) => ruleLink(placeOf(number, null), String(number)));
  return h("p", { class: "most-conflicts" }, links.length === 1 ? "Rule " : "Rules ", listWords(links),
    links.length === 1 ? " is in " : " are in ",
    `${countText(pairs.length - left)} of the ${countText(pairs.length)} conflicts.`);
}

function countIn(pairs, number) {
  return pairs.filter((pair) => pair.includes(number)).length;
}

/** The numbers of the rules in some pairs, those in the most pairs first. */
function mostFrequent(pairs) {
  const counts = new Map();
  for (const number of pairs.flat()) counts.set(number, (counts.get(number) ?? 0) + 1);
  return [...counts.keys()].sort((a, b) => counts.get(b) - counts.get(a) || a - b);
}

function noneFound(kind, unfinished) {
  if (unfinished) {
    return h("p", {}, "The search was ended before it was through, so there may be some.");
  }
  return h("p", { class: "none-found" }, kind === "gaps" ? noGapsText() : noConflictsText());
}

function noGapsText() {
  return "Every case is covered by a rule: this was proved for the whole space of cases, not only for the instances.";
}

function noConflictsText() {
  const { how, text } = summary.decides;
  if (["first", "all"].includes(how)) return `${sentence(text)} So none contradict each other.`;
  return "No two rules contradict each other, anywhere: this was proved for the whole space of cases, "
    + "not only for the instances.";
}

function groupTitle(kind) {
  const [one, many] = FINDING_KINDS[kind];
  const perhaps = model().unfinished.includes(kind) ? " and perhaps more" : "";
  return `${pluralText(countOf(kind), one, many)}${perhaps}`;
}

function listedOf(kind) {
  return model().findings.filter((finding) => finding.kind === kind);
}

/** Which of them are listed, where that is not all, and in what order. */
function listedText(kind) {
  const listed = listedOf(kind);
  const parts = [];
  if (listed.length < countOf(kind)) {
    const first = listed.length === 1 ? "One is listed" : `${countText(listed.length)} are listed`;
    parts.push(listed.length ? first : "They are counted, not listed");
  }
  if (kind === "gaps" && listed.length > 1 && listed[0].rows > 0) {
    parts.push(parts.length ? "those with the most instances first" : "Those with the most instances come first");
  }
  const text = parts.length ? `${parts.join(", ")}.` : "";
  return model().unfinished.includes(kind) ? `${text} The search was ended before it was through.` : text;
}

function otherGroups(kinds) {
  const total = kinds.reduce((sum, kind) => sum + countOf(kind), 0);
  return h("details", { class: "group", open: total <= 5 },
    h("summary", {}, h("h3", {}, "Also worth knowing"),
      h("span", { class: "muted" }, ` (${kinds.map(groupTitle).join(", ")})`)),
    kinds.map((kind) => h("div", { class: "group" },
      h("h4", {}, groupTitle(kind)),
      h("p", { class: "muted" }, `${FINDING_KINDS[kind][2]} ${listedText(kind)}`),
      findingList(kind))));
}

/** The findings of a kind: the first ten, and all when asked for. */
function findingList(kind) {
  const listed = listedOf(kind);
  if (kind === "columns") return columnList(listed);
  const items = listed.map((finding, place) => findingItem(finding, `${kind}-${place + 1}`));
  return moreOf(h("ul", { class: "findings", "data-kind": kind }, items), items, FIRST_FINDINGS);
}

/** Features that do not matter: often very many, of which the names say it all. */
function columnList(listed) {
  const [unasked, needless] = [listed.filter((each) => !each.rules.length), listed.filter((each) => each.rules.length)];
  const named = (found, text) => found.length > 0 && h("li", { class: "finding note" },
    h("p", {}, text),
    h("ul", { class: "where" }, found.map((each) => h("li", {}, each.column))));
  return h("ul", { class: "findings" },
    named(unasked, "No rule asks for"),
    named(needless, "Rules ask for it, but would say the same everywhere without"));
}

/** Hide what comes after the first of many items, with a button that shows them; keys go on from the first of
 * them, as the button is gone. */
function moreOf(holder, items, first, told = () => {}) {
  if (items.length <= first) return holder;
  for (const item of items.slice(first)) item.hidden = true;
  const button = h("button", { type: "button", class: "more" }, `Show all ${countText(items.length)}`);
  button.addEventListener("click", () => {
    for (const item of items) item.hidden = false;
    button.remove();
    told();
    items[first].tabIndex = -1;
    items[first].focus({ preventScroll: true });
  });
  return [holder, button];
}

// --- one finding

function findingItem(finding, id) {
  const pair = ["conflicts", "overlaps"].includes(finding.kind);
  const [one] = FINDING_KINDS[finding.kind];
  const back = { id, text: `Back to the ${["conflicts", "gaps", "overlaps"].includes(finding.kind) ? one : "finding"}` };
  return h("li", { class: `finding ${finding.level}`, id },
    h("p", {}, findingSentence(finding)),
    finding.box && regionWords(finding.box, finding.conditions),
    h("div", { class: "foot" },
      finding.rows > 0 && h("b", {}, `${pluralText(finding.rows, "instance")} here.`),
      finding.case && h("span", { class: "muted" }, "For example at ", caseWords(finding), "."),
      !pair && ruleLinks([...finding.rules, ...finding.by], finding.case),
      finding.case && tryButton(finding.case, back, findingName(finding, id))));
}

/** What a finding is called, to tell it from the others. */
function findingName({ kind, rules }, id) {
  const [one] = FINDING_KINDS[kind];
  const pair = ["conflicts", "overlaps"].includes(kind);
  return pair ? `${one} of rules ${rules.join(" and ")}` : `${one}, number ${id.slice(kind.length + 1)}`;
}

function findingSentence(finding) {
  if (finding.kind === "gaps") return gapSentence(finding);
  if (!["conflicts", "overlaps"].includes(finding.kind)) return sentence(finding.text);
  const places = finding.rules.map((number) => placeOf(number, finding.case));
  const [a, b] = places.map((place) => model().rules[place].outcome);
  const [first, second] = places.map((place) => ruleLink(place));
  if (a === b) return [first, " and ", second, " both say ", outcomeChip(a), " wherever"];
  return [first, " says ", outcomeChip(a), ", ", second, " says ", outcomeChip(b), " wherever"];
}

function gapSentence(finding) {
  const otherwise = model().default.outcome;
  if (otherwise === null) return "No rule holds, and there is no default, wherever";
  return ["No rule holds, and the default says ", outcomeChip(otherwise), ", wherever"];
}

/** A region, a condition at a time; in the words of the rules where they are known. */
function regionWords(box, words = null) {
  const features = featuresOf(box);
  if (!features.length) return h("p", {}, "(everywhere).");
  const texts = words?.length === features.length ? words : conditionTexts(box);
  return h("ul", { class: "where" },
    features.map((feature, place) =>
      h("li", {}, conditionWords(feature, texts[place]), allValues(feature, texts[place]))));
}

/** A case that one can try: what the region asks for, as the other features do not matter. */
function caseWords(finding) {
  const features = featuresOf(finding.box);
  const said = features.map((feature) => {
    const words = valueWords(feature, finding.case[feature.name]);
    const name = nameWords(feature.name);
    return words === "missing" ? [name, " missing"] : [name, " = ", nameWords(words)];
  });
  return said.length ? said.map((words, i) => [i ? ", " : "", words]) : "any case";
}

/** A button that puts a case into the form; from there a link leads back to where the case is from. Who hears
 * it alone is told which case it is. */
function tryButton(values, back, which) {
  const tryIt = () => {
    tell("case", values);
    offerWayBack(back);
    jumpTo("case");
  };
  const label = `Try this case: ${which}`;
  return h("button", { type: "button", class: "screen", "aria-label": label, onclick: tryIt }, "Try this case");
}

function offerWayBack({ id, text }) {
  document.querySelector("#case h2").after(
    h("p", { id: "came-from", class: "screen" }, h("a", { class: "link", href: `#${id}` }, `← ${text}`)));
}

/** Another case, or another rule set: what led here is no longer on show. */
function forgetWayBack() {
  document.getElementById("came-from")?.remove();
}

// --- rules and their conflicts

/** The place of a rule by its number; of a row with several parts the one that covers the case. */
function placeOf(number, values) {
  const places = partsOf(model().rules).get(number) ?? [];
  const covering = values ? places.find((place) => covers(model().rules[place].box, values)) : undefined;
  return covering ?? places[0];
}

/** A link to a rule, by its name or another text. */
function ruleLink(place, text = ruleTitle(place)) {
  return h("a", { class: "link", href: `#${ruleAnchor(place)}`, "data-place": place }, text);
}

function ruleLinks(numbers, values) {
  const places = numbers.map((number) => placeOf(number, values)).filter((place) => place !== undefined);
  return places.map((place) => ruleLink(place));
}

const conflictsOfModels = new WeakMap();

/** The places of the rules that each rule contradicts, by its place; of the conflicts that are listed. */
function conflictsByPlace() {
  if (!conflictsOfModels.has(model())) {
    const found = new Map();
    for (const finding of listedOf("conflicts")) {
      const places = finding.rules.map((number) => placeOf(number, finding.case));
      if (places.includes(undefined)) continue;
      for (const [place, other] of [places, [places[1], places[0]]]) {
        if (!found.has(place)) found.set(place, new Set());
        found.get(place).add(other);
      }
    }
    conflictsOfModels.set(model(), found);
  }
  return conflictsOfModels.get(model());
}

function allConflictsListed() {
  return listedOf("conflicts").length === countOf("conflicts") && !model().unfinished.includes("conflicts");
}
