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
    findingList(kind));
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
  const how = summary.decides.how;
  if (how === "first") return "Where several rules hold, the first of them decides, so none contradict each other.";
  if (how === "all") return "Where several rules hold, all of them count, so none contradict each other.";
  return "No two rules contradict each other, anywhere: this was proved for the whole space of cases, "
    + "not only for the instances.";
}

function groupTitle(kind) {
  const [one, many] = FINDING_KINDS[kind];
  const perhaps = model().unfinished.includes(kind) ? " and perhaps more" : "";
  return `${pluralText(countOf(kind), one, many)}${perhaps}`;
}

/** Which of them are listed, where that is not all, and in what order. */
function listedText(kind) {
  const listed = model().findings.filter((finding) => finding.kind === kind);
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
  const listed = model().findings.filter((finding) => finding.kind === kind);
  if (kind === "columns") return columnList(listed);
  const items = listed.map(findingItem);
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

/** Hide what comes after the first of many items, with a button that shows them. */
function moreOf(holder, items, first) {
  if (items.length <= first) return holder;
  for (const item of items.slice(first)) item.hidden = true;
  const button = h("button", { type: "button", class: "more" }, `Show all ${countText(items.length)}`);
  button.addEventListener("click", () => {
    for (const item of items) item.hidden = false;
    button.remove();
  });
  return [holder, button];
}

// --- one finding

function findingItem(finding) {
  const pair = ["conflicts", "overlaps"].includes(finding.kind);
  return h("li", { class: `finding ${finding.level}` },
    h("p", {}, findingSentence(finding)),
    finding.box && regionWords(finding.box),
    h("div", { class: "foot" },
      finding.rows > 0 && h("b", {}, `${pluralText(finding.rows, "instance")} here.`),
      finding.case && h("span", { class: "muted" }, `For example at ${caseWords(finding)}.`),
      !pair && ruleLinks([...finding.rules, ...finding.by], finding.case),
      finding.case && tryButton(finding.case)));
}

function findingSentence(finding) {
  if (finding.kind === "gaps") return gapSentence(finding);
  if (!["conflicts", "overlaps"].includes(finding.kind)) return sentence(finding.text);
  const places = finding.rules.map((number) => placeOf(number, finding.case));
  const [a, b] = places.map((place) => model().rules[place].outcome);
  const [first, second] = places.map(ruleLink);
  if (a === b) return [first, " and ", second, " both say ", outcomeChip(a), " wherever"];
  return [first, " says ", outcomeChip(a), ", ", second, " says ", outcomeChip(b), " wherever"];
}

function gapSentence(finding) {
  const otherwise = model().default.outcome;
  if (otherwise === null) return "No rule holds, and nothing is said, wherever";
  return ["No rule holds, and by default ", outcomeChip(otherwise), " is said, wherever"];
}

function sentence(text) {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** A region, a condition at a time. */
function regionWords(box) {
  const features = featuresOf(box);
  if (!features.length) return h("p", {}, "(everywhere).");
  const texts = conditionTexts(box);
  return h("ul", { class: "where" },
    features.map((feature, place) => h("li", {}, conditionWords(feature, texts[place]))));
}

/** A case that one can try: what the region asks for, as the other features do not matter. */
function caseWords(finding) {
  const features = featuresOf(finding.box);
  const said = features.map((feature) => {
    const words = valueWords(feature, finding.case[feature.name]);
    return words === "missing" ? `${feature.name} missing` : `${feature.name} = ${words}`;
  });
  return said.join(", ") || "any case";
}

function tryButton(values) {
  const tryIt = () => {
    tell("case", values);
    jumpTo("case");
  };
  return h("button", { type: "button", class: "screen", onclick: tryIt }, "Try this case");
}

// --- links to rules

/** The place of a rule by its number; of a row with several parts the one that covers the case. */
function placeOf(number, values) {
  const places = partsOf(model().rules).get(number) ?? [];
  const covering = values ? places.find((place) => covers(model().rules[place].box, values)) : undefined;
  return covering ?? places[0];
}

function ruleLink(place) {
  const title = ruleTitle(place);
  return h("button", { type: "button", class: "link", onclick: () => goToRule(place) }, title);
}

function ruleLinks(numbers, values) {
  const places = numbers.map((number) => placeOf(number, values)).filter((place) => place !== undefined);
  return places.map(ruleLink);
}
