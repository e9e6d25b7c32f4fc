// The page as a whole: its top, the verdicts, and all other parts in their order.

const THEMES = ["auto", "light", "dark"];
const SECTIONS = {
  verdicts: "Verdict",
  front: "Rule sets",
  rules: "Rules",
  case: "Which rule decides my case",
  map: "Map",
  findings: "Conflicts and gaps",
  results: "On the instances",
};

// --- top

function startTop(header) {
  show(header,
    h("div", {}, h("h1", {}, summary.name || "Rules"), h("p", { class: "lead" })),
    h("button", { id: "theme", type: "button", onclick: nextTheme }));
  sayTheme("auto");
  const lead = header.querySelector(".lead");
  on("model", () => show(lead, topText()));
  show(lead, topText());
}

function topText() {
  const { size, rules } = model();
  const said = new Set(rules.map((rule) => rule.outcome));
  if (model().default.outcome !== null) said.add(model().default.outcome);
  const over = `${pluralText(size.rules, "rule")} over ${pluralText(summary.features.length, "feature")}`;
  const outcomes = summary.several_labels
    ? `for ${pluralText(summary.labels.length, "label")}`
    : `for ${pluralText(said.size, "outcome")}`;
  const counted = {
    instances: summary.instances && `; counted on ${pluralText(summary.instances.rows, "instance")}`,
    training: "; counted on the rows that they were learned from",
  }[summary.counted_on] ?? "";
  return `${over} ${outcomes}${counted}.`;
}

// --- light and dark

/** From what the reader's system says to light to dark; kept only while the page is open. */
function nextTheme() {
  const now = document.documentElement.dataset.theme ?? "auto";
  const next = THEMES[(THEMES.indexOf(now) + 1) % THEMES.length];
  if (next === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = next;
  sayTheme(next);
  tell("theme");
}

function sayTheme(theme) {
  const button = document.getElementById("theme");
  show(button, `Theme: ${theme}`);
}

function followSystem() {
  for (const query of ["(prefers-color-scheme: dark)", "print"]) {
    matchMedia(query).addEventListener("change", () => tell("theme"));
  }
}

/** Paper shows everything: open what is folded, and fold it again afterwards. */
function openOnPaper() {
  let opened = [];
  const open = () => {
    opened = [...opened, ...document.querySelectorAll("details:not([open])")];
    for (const details of opened) details.open = true;
  };
  const close = () => {
    for (const details of opened) details.open = false;
    opened = [];
  };
  matchMedia("print").addEventListener("change", (event) => (event.matches ? open() : close()));
  addEventListener("beforeprint", open);
  addEventListener("afterprint", close);
}

// --- moving about

/** Go to a part of the page, with the focus, so that keys go on from there. */
function jumpTo(id) {
  const target = document.getElementById(id);
  target.tabIndex = -1;
  target.scrollIntoView();
  target.focus({ preventScroll: true });
}

/** In the frame of a notebook an address such as #map would lead to the notebook. */
function keepLinksHere() {
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.('a[href^="#"]');
    if (!link) return;
    event.preventDefault();
    jumpTo(link.getAttribute("href").slice(1));
  });
}

function startContents(nav) {
  const there = Object.keys(SECTIONS).filter((id) => document.getElementById(id).hasChildNodes());
  show(nav, h("ul", {}, there.map((id) => h("li", {}, h("a", { href: `#${id}` }, SECTIONS[id])))));
}

// --- verdicts

function startVerdicts(section) {
  on("model", () => drawVerdicts(section));
  drawVerdicts(section);
}

function drawVerdicts(section) {
  const { results, verdicts } = model();
  const how = summary.decides.text;
  const said = verdicts.some((verdict) => verdict.text.includes(how));
  show(section,
    h("div", { class: "verdicts" }, verdicts.map(verdictCard)),
    h("div", { class: "facts" },
      !said && h("p", {}, sentence(how)),
      results && accuracyFact(results),
      results && leftOutFact(results)));
}

/** What is certain, as a sign and in words, with a link to where it is not so. */
function verdictCard(verdict) {
  const fails = verdict.about === "consistent" ? ["fails", "✗"] : ["lacks", "!"];
  const looks = { true: ["holds", "✓"], false: fails, null: ["unknown", "?"] };
  const [look, icon] = looks[verdict.holds];
  const where = verdict.about === "complete" ? "gaps" : countOf("conflicts") ? "conflicts" : "overlaps";
  const linked = countOf(where) > 0 && (where !== "overlaps" || overlapsForbidden());
  return h("div", { class: `verdict ${look}` },
    h("span", { class: "icon", "aria-hidden": "true" }, icon),
    h("div", {},
      h("h2", {}, verdict.head),
      h("p", {}, sentence(verdict.text.replace(/\.$/, ""))),
      linked && h("p", { class: "screen" }, h("a", { href: `#${where}` }, `See the ${where}`))));
}

function accuracyFact(results) {
  if (results.right === undefined) return null;
  const seen = summary.models[0].front
    ? "These may be the rows that the rules were learned from; then new cases will do less well." : "";
  return h("p", {}, rightText(results).trim(), seen && h("span", { class: "muted" }, ` ${seen}`));
}

function leftOutFact(results) {
  const parts = [];
  const all = pluralText(results.rows, "instance");
  if (results.uncovered) parts.push(`no rule covers ${countText(results.uncovered)} of ${all}`);
  if (results.contradicted) parts.push(`rules contradict each other on ${countText(results.contradicted)}`);
  if (!parts.length) return h("p", {}, `Every one of the ${all} is covered by a rule.`);
  return h("p", {}, sentence(parts.join(", and ")), " ", h("a", { class: "screen", href: "#results" }, "See which"));
}

// --- bottom

function startAbout(footer) {
  const { instances } = summary;
  const sampled = instances && instances.shown < instances.rows
    && `${countText(instances.shown)} of ${pluralText(instances.rows, "instance")}, chosen at random, `
      + "are part of this file; all were counted.";
  const version = document.querySelector('meta[name="generator"]').content;
  show(footer,
    sampled && h("p", {}, sampled),
    h("p", {}, `Made by ${version}. This file holds everything it shows and asks the network for nothing.`));
}

// --- all of it

function startPage() {
  const part = (id) => document.getElementById(id);
  keepLinksHere();
  followSystem();
  openOnPaper();
  startTop(part("top"));
  startVerdicts(part("verdicts"));
  startFront(part("front"));
  startRules(part("rules"));
  startForm(part("case"));
  startMap(part("map"));
  startFindings(part("findings"));
  startResults(part("results"));
  startAbout(part("about"));
  startContents(part("contents"));
}

startPage();
