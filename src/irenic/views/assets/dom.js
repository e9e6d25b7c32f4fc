// What every part of the page uses: making elements, and telling the others what changed.

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

// --- what the parts share

const summary = JSON.parse(document.getElementById("summary").textContent);

/** model: the place of the rule set on show; rule: the place of the rule in focus, or null. */
const state = { model: summary.chosen, rule: null };

const listeners = {};

/** Call a function whenever something changes: "model", "rule", "case" (with a case), "theme". */
function on(what, listener) {
  (listeners[what] ??= []).push(listener);
}

function tell(what, detail) {
  for (const listener of listeners[what] ?? []) listener(detail);
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
