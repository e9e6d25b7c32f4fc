// What every part of the page uses: making elements, words, and telling the others what changed.

/** Make an element. Strings become text, never markup: whatever a feature is called is shown as it is. */
function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** Make an element of SVG. */
function s(tag, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") Object.assign(element.style, value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return element;
}

/** Replace what an element holds. */
function show(element, ...children) {
  element.replaceChildren();
  return fill(element, {}, children);
}

// --- words

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
  if (score === null || score === undefined) return "–";
  return score < 1 && score.toFixed(3) === "1.000" ? "over 0.999" : score.toFixed(3);
}

function sentence(text) {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** Some things, one after the other: "1, 2 and 5"; of very many the first ones and how many more. */
function listWords(things, most = 12) {
  const shown = things.slice(0, things.length > most ? most : things.length);
  const left = things.length - shown.length;
  const last = left ? ` and ${countText(left)} more` : null;
  const before = (i) => (i === 0 ? "" : !last && i === shown.length - 1 ? " and " : ", ");
  return [shown.map((thing, i) => [before(i), thing]), last];
}

/** A name or a value out of the rules. One that is written from right to left stays in its place: it does
 * not turn round the words and signs beside it. */
function nameWords(text) {
  return h("bdi", {}, text);
}

/** The same where there can only be text, as in what is told when one points at something. */
function nameText(text) {
  return `\u2068${text}\u2069`;
}

/** Several names, with commas between them. */
function nameList(texts) {
  return texts.map((text, i) => [i ? ", " : "", nameWords(text)]);
}

// --- what the parts share

const summary = JSON.parse(document.getElementById("summary").textContent);

/** model: the place of the rule set on show; rule: the place of the rule in focus, or null. */
const state = { model: summary.chosen, rule: null };

const listeners = {};
let startedPart = null; // the section whose part is being started: what listens now belongs to it

/** Call a function whenever something changes: "model", "rule", "case" (with a case), "theme". */
function on(what, listener) {
  (listeners[what] ??= []).push({ listener, section: startedPart });
}

function tell(what, detail) {
  for (const { listener, section } of listeners[what] ?? []) {
    try {
      listener(detail);
    } catch (error) {
      // a part that could not draw another rule set would go on showing the last one
      sayBroken(what === "model" ? section : null, error);
    }
  }
}

/** Start a part of the page. One that fails says so in its place and stops no other. */
function startPart(section, start) {
  startedPart = section;
  try {
    start(section);
  } catch (error) {
    sayBroken(section, error);
  } finally {
    startedPart = null;
  }
}

function sayBroken(section, error) {
  console.error(error);
  if (!section) return;
  show(section, h("p", { class: "notice broken", role: "alert" },
    `This part could not be drawn: ${error instanceof Error ? error.message : error}`));
}

/** The greatest of some numbers, at least a least one. Spreading a long list into Math.max would fail. */
function greatest(numbers, least) {
  let most = least;
  for (const number of numbers) if (number > most) most = number;
  return most;
}

function model() {
  return summary.models[state.model];
}

/** Put another rule set of the front on show. */
function showModel(place) {
  state.model = place;
  state.rule = null;
  tell("model");
}

/** Put a rule into focus, everywhere on the page; null for none. */
function focusRule(place) {
  state.rule = place;
  tell("rule");
}

/** The colour of an outcome, as a variable of the style sheet: eight that colour-blind people tell
 * apart; further outcomes share the last, a grey. */
function colour(outcome) {
  return outcome === null || outcome < 0 ? "var(--none)" : `var(--outcome-${Math.min(outcome, 8)})`;
}
