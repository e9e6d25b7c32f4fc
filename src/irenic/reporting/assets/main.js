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
    h("div", {},
      h("h1", { tabindex: -1 }, summary.name || "Rules"), h("p", { class: "lead" }), h("div", { class: "other" })),
    h("button", { id: "theme", type: "button", onclick: nextTheme }));
  sayTheme("auto");
  const draw = () => {
    show(header.querySelector(".lead"), topText());
    show(header.querySelector(".other"), otherNotice());
  };
  on("model", draw);
  draw();
}

function topText() {
  const said = new Set(model().rules.map((rule) => rule.outcome));
  if (model().default.outcome !== null) said.add(model().default.outcome);
  const over = `${rulesText()}${neverHolding().length ? "," : ""} over ${pluralText(summary.features.length, "feature")}`;
  const outcomes = summary.several_labels
    ? `for ${pluralText(summary.labels.length, "label")}`
    : `for ${pluralText(said.size, "outcome")}`;
  const counted = {
    instances: summary.instances && `; counted on ${pluralText(summary.instances.rows, "instance")}`,
    training: "; counted on the rows that they were learned from",
  }[summary.counted_on] ?? "";
  return `${over} ${outcomes}${hasCounts() ? counted : ""}.`;
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

/** Paper shows everything: parts that hold something back show it, what is folded is opened; and afterwards
 * as before. */
function openOnPaper() {
  let opened = [];
  const open = () => {
    tell("paper", true);
    opened = [...opened, ...document.querySelectorAll("details:not([open])")];
    for (const details of opened) details.open = true;
  };
  const close = () => {
    for (const details of opened) details.open = false;
    opened = [];
    tell("paper", false);
  };
  matchMedia("print").addEventListener("change", (event) => (event.matches ? open() : close()));
  addEventListener("beforeprint", open);
  addEventListener("afterprint", close);
}

// --- moving about

const jumps = []; // where each jump led to and where it began, for the way back
const ownJumps = new Set(); // addresses that the page itself went to and was not yet told of

/** Go to a part of the page, with the focus, so that keys go on from there. */
function jumpTo(id) {
  const target = document.getElementById(id);
  if (!target) return;
  setAddress(id);
  if (!target.hasAttribute("tabindex")) target.tabIndex = -1;
  target.scrollIntoView();
  target.focus({ preventScroll: true });
}

/** Note a jump in the address, before anything scrolls: so the browser's way back leads here again. */
function setAddress(id) {
  if (location.hash === `#${id}`) return;
  const from = document.activeElement;
  try {
    location.hash = id;
  } catch {
    return; // in a frame that may not change its address there is no way back, but the jump works
  }
  jumps.push({ to: location.href, from });
  ownJumps.add(location.href);
}

/** Follow the address when the reader changes it, by going back or by typing. The browser scrolls by itself. */
function followAddress() {
  addEventListener("hashchange", (event) => {
    if (ownJumps.delete(event.newURL)) return;
    if (jumps.at(-1)?.to === event.oldURL) {
      const { from } = jumps.pop();
      if (from?.isConnected) from.focus({ preventScroll: true });
      return;
    }
    goToAddress();
  });
}

/** Go to what the address names; a rule may first have to be shown. */
function goToAddress() {
  const id = location.hash.slice(1);
  if (!id) return;
  const rule = /^rule-\d/.test(id) ? model().rules.findIndex((_, place) => ruleAnchor(place) === id) : -1;
  if (rule >= 0) goToRule(rule);
  else jumpTo(id);
}

/** In the frame of a notebook an address such as #map would lead to the notebook. */
function keepLinksHere() {
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.('a[href^="#"]');
    // with a key, a link opens in a tab of its own
    if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    if (link.dataset.place !== undefined) goToRule(Number(link.dataset.place));
    else jumpTo(link.getAttribute("href").slice(1));
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
  show(section,
    h("div", { class: "verdicts" }, verdicts.map(verdictCard)),
    h("div", { class: "facts" },
      h("p", {}, decidesText()),
      results?.rows > 0 && [accuracyFact(results), leftOutFact(results)]));
}

function decidesText() {
  const { text, hit_policy: policy } = summary.decides;
  return `How rules decide: ${text}${policy ? ` (hit policy ${policy})` : ""}.`;
}

/** Whether rules were learned with a default, so that they never were to cover everything. */
function isByDesign(verdict) {
  return verdict.about === "complete" && verdict.holds === false && model().front && model().default.outcome !== null;
}

/** What is certain, as a sign and in words, with a link to where it is not so. */
function verdictCard(verdict) {
  const byDesign = isByDesign(verdict);
  const fails = verdict.about === "consistent" ? ["fails", "✗"] : byDesign ? ["neutral", "○"] : ["lacks", "!"];
  const text = byDesign
    ? verdict.text.replace("the default holds there", "by design the default answers there") : verdict.text;
  const looks = { true: ["holds", "✓"], false: fails, null: ["unknown", "?"] };
  const [look, icon] = looks[verdict.holds];
  const where = verdict.about === "complete" ? "gaps" : countOf("conflicts") ? "conflicts" : "overlaps";
  const linked = countOf(where) > 0 && (where !== "overlaps" || overlapsForbidden());
  return h("div", { class: `verdict ${look}` },
    h("span", { class: "icon", "aria-hidden": "true" }, icon),
    h("div", {},
      h("h2", {}, verdict.head),
      h("p", {}, sentence(text.replace(/\.$/, ""))),
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
  const outside = results.outside ?? 0;
  if (results.uncovered) parts.push(`no rule covers ${countText(results.uncovered)} of ${all}`);
  if (results.contradicted) parts.push(`rules contradict each other on ${countText(results.contradicted)}`);
  if (outside) parts.push(`${countText(outside)} cannot occur, says the table`);
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
  const parts = {
    top: startTop,
    verdicts: startVerdicts,
    front: startFront,
    rules: startRules,
    case: startForm,
    map: startMap,
    findings: startFindings,
    results: startResults,
    about: startAbout,
    contents: startContents,
  };
  keepLinksHere();
  followSystem();
  openOnPaper();
  for (const [id, start] of Object.entries(parts)) startPart(document.getElementById(id), start);
  followAddress();
  goToAddress();
}

startPage();
