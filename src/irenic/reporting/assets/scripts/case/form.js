// @ts-check
// The form for a case, with the rule that decides it.

import { describeAnswer, instanceHead } from "./answer.js";
import { formInput, hintOf, isMarkedMissing, listOf, missingBox, readField, readText, writeText } from "./fields.js";
import { soFar, stillNeeded } from "./open.js";
import { byId, h, nameWords, show } from "../dom.js";
import { decideCase, emptyCase } from "../engine/deciding.js";
import { instanceCase, instanceOf } from "../engine/instances.js";
import { canCompute, cannotCompute } from "../engine/kernels.js";
import { fixMapAt, forgetFormCase } from "../map/cases.js";
import { jumpTo } from "../page/jumps.js";
import { model, on, emit } from "../state.js";
import { testedFeatures, givenInstances, summary } from "../summary.js";
import { isCategory, isMissing, unitLabel } from "../values/features.js";
import { fieldText } from "../values/reading.js";

/**
 * instance: the index of the instance that the fields were filled from, undefined for other cases.
 * @type {{
 *   fields: Map<string, Field>,
 *   kept: Map<string, { text: string, missing: boolean }>,
 *   started: boolean,
 *   instance: number | undefined,
 *   saying: number,
 * }}
 */
const caseForm = { fields: new Map(), kept: new Map(), started: false, instance: undefined, saying: 0 };

const ANNOUNCE_DELAY = 500; // milliseconds after the last key until the answer is announced

/** @param {HTMLElement} section */
export function startForm(section) {
  show(
    section,
    h("h2", {}, "Which rule decides my case?"),
    h(
      "p",
      { class: "lead" },
      "Type in a case. The answer appears as you type. It is computed in this page; nothing is sent anywhere.",
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
    h("p", { class: "unseen", id: "case-announcement", "aria-live": "polite" }),
  );
  byId("case-form").addEventListener("input", formTyped);
  drawForm();
  on("model", drawForm);
  on("case", fillForm);
}

/** Draw the fields of features that the rules test; the others are collapsed. Typed values are kept when another
 * rule set is shown. */
function drawForm() {
  for (const [name, field] of caseForm.fields) {
    caseForm.kept.set(name, { text: readText(field), missing: isMarkedMissing(field) });
  }
  const tested = testedFeatures(model());
  const further = summary.features.filter((feature) => !tested.includes(feature));
  caseForm.fields.clear();
  show(
    byId("case-form"),
    tested.length > 0 && h("div", { class: "case-fields" }, tested.map(formField)),
    further.length > 0 && furtherFields(further, tested.length === 0),
    formButtons(),
  );
  answerForm();
}

/**
 * @param {FeatureRecord[]} features
 * @param {boolean} all
 */
function furtherFields(features, all) {
  const title = all ? "Features, which no rule tests" : "Other features, which no rule tests";
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
      h("button", { type: "button", id: "case-random", onclick: takeRandom }, "Random instance"),
    h("button", { type: "button", id: "case-map", hidden: true, onclick: showOnMap }, "Show on the map"),
    h("button", { type: "button", id: "case-clear", onclick: clearForm }, "Clear"),
  );
}

/** @param {FeatureRecord} feature */
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
      unitLabel(feature) && h("span", { class: "muted" }, unitLabel(feature)),
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
    else writeText(field, input.tagName === "SELECT" ? String(value) : fieldText(feature, value));
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
  emit("case", instanceCase(Math.floor(Math.random() * givenInstances().shown)));
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
  for (const field of turned) writeText(field, "", isMarkedMissing(field));
  caseForm.started = fields.some((field) => readText(field) !== "" || isMarkedMissing(field));
  caseForm.instance = undefined; // the case was edited
  forgetFormCase();
  answerForm();
}

/** Read the fields: the `known` values, `theCase` with placeholders for unknown values, and the features that rules
 * test whose fields are wrong or still empty. */
function readForm() {
  /** @type {{ theCase: Case, known: Case, wrong: FeatureRecord[], empty: FeatureRecord[] }} */
  const found = { theCase: emptyCase(), known: emptyCase(), wrong: [], empty: [] };
  const tested = new Set(testedFeatures(model()));
  for (const field of caseForm.fields.values()) {
    const { feature } = field;
    const { value, error } = readField(field);
    field.problem.textContent = error ?? "";
    field.input.setAttribute("aria-invalid", String(error !== undefined));
    if (value !== undefined) found.known[feature.name] = value;
    else if (tested.has(feature)) (error ? found.wrong : found.empty).push(feature);
    found.theCase[feature.name] = value ?? (isCategory(feature) ? feature.admitted[0] : null);
  }
  return found;
}

function answerForm() {
  showAnswer(byId("case-answer"));
  announceLater();
}

/** Announce the heading of the answer to screen readers after a pause in typing, not after each key. */
function announceLater() {
  clearTimeout(caseForm.saying);
  if (!caseForm.started) return void show(byId("case-announcement"));
  caseForm.saying = setTimeout(() => {
    const holder = byId("case-answer");
    const parts = ["h3", "p"].map((each) => holder.querySelector(each)?.textContent);
    show(byId("case-announcement"), parts.filter(Boolean).join(": "));
  }, ANNOUNCE_DELAY);
}

/** @param {HTMLElement} holder */
function showAnswer(holder) {
  const tested = testedFeatures(model());
  const { theCase, known, wrong, empty } = readForm();
  const idle = tested.length > 0 && !caseForm.started;
  const open = wrong.length > 0 || empty.length > 0;
  byId("case-map").hidden = open || !canCompute;
  if (!canCompute) return void show(holder, cannotCompute());
  if (open) {
    holder.dataset.outcome = "error";
    holder.dataset.rule = "";
    const mayMiss = [...caseForm.fields.values()].some((field) => field.box !== null);
    const begun = tested.some((feature) => Object.hasOwn(known, feature.name));
    return void show(holder, stillNeeded(empty, wrong, idle, mayMiss), begun && soFar(known));
  }
  const answer = decideCase(model(), theCase);
  holder.dataset.outcome = outcomeAttribute(answer);
  holder.dataset.rule = String(answer.rule ?? "");
  show(holder, caseForm.instance !== undefined && instanceHead(caseForm.instance), describeAnswer(theCase, answer));
  return undefined;
}

/** @param {Answer} answer */
function outcomeAttribute(answer) {
  if (answer.contradicted) return "contradicted";
  if (answer.several.length > 1) return "several";
  return String(answer.outcome ?? "none");
}
