// @ts-check
// The part of the page that asks for a case and says which rule decides it.

import { describeAnswer, instanceHead } from "./answer.js";
import { formInput, hintOf, isTicked, listOf, missingBox, readField, readText, writeText } from "./fields.js";
import { soFar, stillNeeded } from "./open.js";
import { byId, h, nameWords, show } from "../dom.js";
import { decideCase, emptyCase } from "../engine/deciding.js";
import { instanceCase, instanceOf } from "../engine/instances.js";
import { fixMapAt, forgetFormCase } from "../map/cases.js";
import { jumpTo } from "../page/jumps.js";
import { model, on, tell } from "../state.js";
import { askedFeatures, givenInstances, summary } from "../summary.js";
import { isCategory, isMissing } from "../values/features.js";
import { formatValue } from "../values/texts.js";

/**
 * instance: the place of the instance that the fields were filled from, undefined for other cases.
 * @type {{
 *   fields: Map<string, Field>,
 *   kept: Map<string, { text: string, missing: boolean }>,
 *   started: boolean,
 *   instance: number | undefined,
 *   saying: number,
 * }}
 */
const caseForm = { fields: new Map(), kept: new Map(), started: false, instance: undefined, saying: 0 };

const SAY_AFTER = 500; // milliseconds without a key until the answer is read aloud

/** @param {HTMLElement} section */
export function startForm(section) {
  show(
    section,
    h("h2", {}, "Which rule decides my case?"),
    h(
      "p",
      { class: "lead" },
      "Type in a case. The answer appears as you type and is worked out in this page: nothing is sent anywhere.",
    ),
    h(
      "div",
      { class: "case-columns" },
      h("form", {
        id: "case-form",
        autocomplete: "off",
        novalidate: true,
        /** @param {Event} event */
        onsubmit: (event) => event.preventDefault(),
      }),
      h("div", { id: "case-answer" }),
    ),
    h("p", { class: "unseen", id: "case-said", "aria-live": "polite" }),
  );
  byId("case-form").addEventListener("input", formTyped);
  drawForm();
  on("model", drawForm);
  on("case", fillForm);
}

/** Draw the fields: those that rules of the model on show ask for, the others out of the way. What was typed
 * stays when another rule set is shown. */
function drawForm() {
  for (const [name, field] of caseForm.fields) {
    caseForm.kept.set(name, { text: readText(field), missing: isTicked(field) });
  }
  const asked = askedFeatures(model());
  const further = summary.features.filter((feature) => !asked.includes(feature));
  caseForm.fields.clear();
  show(
    byId("case-form"),
    asked.length > 0 && h("div", { class: "case-fields" }, asked.map(formField)),
    further.length > 0 && furtherFields(further, asked.length === 0),
    formButtons(),
  );
  answerForm();
}

/**
 * @param {Feature[]} features
 * @param {boolean} all
 */
function furtherFields(features, all) {
  const title = all ? "Features: no rule asks for any of them" : "Further features that no rule asks for";
  return h(
    "details",
    { class: "case-further" },
    h("summary", {}, `${title} (${features.length})`),
    h("p", { class: "muted small" }, "They have no effect here and can be left empty."),
    h("div", { class: "case-fields" }, features.map(formField)),
  );
}

function formButtons() {
  return h(
    "div",
    { class: "case-buttons" },
    (summary.instances?.shown ?? 0) > 0 &&
      h("button", { type: "button", id: "case-random", onclick: takeRandom }, "An instance at random"),
    h("button", { type: "button", id: "case-map", hidden: true, onclick: showOnMap }, "Show on the map"),
    h("button", { type: "button", id: "case-clear", onclick: clearForm }, "Clear"),
  );
}

/** @param {Feature} feature */
function formField(feature) {
  const id = `case-field-${summary.features.indexOf(feature)}`;
  const problem = h("span", { class: "case-problem", id: `${id}-problem` });
  const input = formInput(feature, id);
  const field = { feature, problem, input, box: missingBox(feature, input) };
  input.setAttribute("aria-describedby", `${id}-hint ${id}-problem`);
  caseForm.fields.set(feature.name, field);
  const kept = caseForm.kept.get(feature.name);
  writeText(field, kept?.text ?? "", kept?.missing);
  return h(
    "div",
    { class: "case-field" },
    h(
      "label",
      { for: id },
      nameWords(feature.name),
      feature.unit && h("span", { class: "muted" }, ` (${feature.unit})`),
    ),
    h(
      "div",
      { class: "case-input" },
      field.input,
      field.box && h("label", { class: "case-missing" }, field.box, h("span", {}, "missing")),
    ),
    listOf(feature, id),
    h("span", { class: "muted small", id: `${id}-hint` }, hintOf(feature)),
    problem,
  );
}

/** @param {Case} theCase */
function fillForm(theCase) {
  for (const [name, field] of caseForm.fields) {
    const value = theCase[name];
    const { feature, input, box } = field;
    const missing = isMissing(feature, value);
    if (value === undefined || (missing && (box || !isCategory(feature))))
      writeText(field, "", missing && box !== null);
    else writeText(field, input.tagName === "SELECT" ? String(value) : formatValue(feature, value));
  }
  caseForm.started = true;
  caseForm.instance = instanceOf(theCase);
  answerForm();
}

function clearForm() {
  caseForm.kept.clear();
  for (const field of caseForm.fields.values()) writeText(field, "");
  caseForm.started = false;
  caseForm.instance = undefined;
  forgetFormCase();
  answerForm();
}

function takeRandom() {
  tell("case", instanceCase(Math.floor(Math.random() * givenInstances().shown)));
}

/** Show the case on the map, on the exact slice through it. */
function showOnMap() {
  const place = caseForm.instance;
  const theCase = place === undefined ? readForm().theCase : instanceCase(place);
  fixMapAt(theCase);
  jumpTo("map");
}

function formTyped() {
  const fields = [...caseForm.fields.values()];
  const turned = fields.filter((field) => field.box && field.box.checked !== field.input.disabled);
  for (const field of turned) writeText(field, "", isTicked(field));
  caseForm.started = fields.some((field) => readText(field) !== "" || isTicked(field));
  caseForm.instance = undefined; // it is another case now
  forgetFormCase();
  answerForm();
}

/** The case that the fields say: `known` of it, `theCase` with something for the features that no rule asks for and
 * that decide nothing, and which of those that rules ask for are wrong or still empty. */
function readForm() {
  /** @type {{ theCase: Case, known: Case, wrong: Feature[], empty: Feature[] }} */
  const found = { theCase: emptyCase(), known: emptyCase(), wrong: [], empty: [] };
  const asked = new Set(askedFeatures(model()));
  for (const field of caseForm.fields.values()) {
    const { feature } = field;
    const { value, error } = readField(field);
    field.problem.textContent = error ?? "";
    field.input.setAttribute("aria-invalid", String(error !== undefined));
    if (value !== undefined) found.known[feature.name] = value;
    else if (asked.has(feature)) (error ? found.wrong : found.empty).push(feature);
    found.theCase[feature.name] = value ?? (isCategory(feature) ? feature.admitted[0] : null);
  }
  return found;
}

function answerForm() {
  showAnswer(byId("case-answer"));
  sayLater();
}

/** Have the head of the answer read aloud when nobody has typed for a moment: not all of it, and not at each key. */
function sayLater() {
  clearTimeout(caseForm.saying);
  if (!caseForm.started) return void show(byId("case-said"));
  caseForm.saying = setTimeout(() => {
    const holder = byId("case-answer");
    const parts = ["h3", "p"].map((each) => holder.querySelector(each)?.textContent);
    show(byId("case-said"), parts.filter(Boolean).join(": "));
  }, SAY_AFTER);
}

/** @param {HTMLElement} holder */
function showAnswer(holder) {
  const asked = askedFeatures(model());
  const { theCase, known, wrong, empty } = readForm();
  const idle = asked.length > 0 && !caseForm.started;
  const open = wrong.length > 0 || empty.length > 0;
  byId("case-map").hidden = open;
  if (open) {
    holder.dataset.outcome = "error";
    holder.dataset.rule = "";
    const mayMiss = [...caseForm.fields.values()].some((field) => field.box !== null);
    const begun = asked.some((feature) => Object.hasOwn(known, feature.name));
    show(holder, stillNeeded(empty, wrong, idle, mayMiss), begun && soFar(known));
    return;
  }
  const answer = decideCase(model(), theCase);
  holder.dataset.outcome = outcomeAttribute(answer);
  holder.dataset.rule = String(answer.rule ?? "");
  show(holder, caseForm.instance !== undefined && instanceHead(caseForm.instance), describeAnswer(theCase, answer));
}

/** @param {Answer} answer */
function outcomeAttribute(answer) {
  if (answer.contradicted) return "contradicted";
  if (answer.several.length > 1) return "several";
  return String(answer.outcome ?? "none");
}
