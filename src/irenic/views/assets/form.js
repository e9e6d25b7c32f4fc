// "Which rule decides my case": one field a feature, answered while one types; and the words of that answer,
// which the map uses too.

const MOST_CHOICES = 100; // beyond, a list to type into serves better than one to scroll
const NATIVE_INPUTS = { date: "date", datetime: "datetime-local", time: "time" };
// what the browser's own inputs can hold: no microseconds. Anything else they would refuse with a warning.
const NATIVE_TEXTS = {
  date: /^\d{4}-\d\d-\d\d$/,
  datetime: /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/,
  time: /^\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/,
};
const caseForm = { fields: new Map(), kept: new Map(), started: false };

function startForm(section) {
  show(section,
    h("h2", {}, "Which rule decides my case?"),
    h("p", { class: "lead" },
      "Type in a case. The answer comes while you type and is worked out in this page: nothing is sent anywhere."),
    h("div", { class: "case-columns" },
      h("form", { id: "case-form", autocomplete: "off", novalidate: true, onsubmit: (event) => event.preventDefault() }),
      h("div", { id: "case-answer", "aria-live": "polite", "aria-atomic": "true" })));
  document.getElementById("case-form").addEventListener("input", formTyped);
  drawForm();
  on("model", drawForm);
  on("case", fillForm);
}

// --- the fields

/** Draw the fields: those that rules of the model on show ask for, the others out of the way. What was typed
 * stays when another rule set is shown. */
function drawForm() {
  for (const [name, field] of caseForm.fields) caseForm.kept.set(name, readText(field));
  const asked = askedFeatures(model());
  const further = summary.features.filter((feature) => !asked.includes(feature));
  caseForm.fields.clear();
  show(document.getElementById("case-form"),
    asked.length > 0 && h("div", { class: "case-fields" }, asked.map(formField)),
    further.length > 0 && furtherFields(further, asked.length === 0),
    formButtons());
  answerForm();
}

function furtherFields(features, all) {
  const title = all ? "Features: no rule asks for any of them" : "Further features that no rule asks for";
  return h("details", { class: "case-further" },
    h("summary", {}, `${title} (${features.length})`),
    h("p", { class: "muted small" }, "They change nothing here and can be left empty."),
    h("div", { class: "case-fields" }, features.map(formField)));
}

function formButtons() {
  return h("div", { class: "case-buttons" },
    summary.instances?.shown > 0
      && h("button", { type: "button", id: "case-random", onclick: takeRandom }, "An instance at random"),
    h("button", { type: "button", id: "case-map", hidden: true, onclick: showOnMap }, "Show on the map"),
    h("button", { type: "button", id: "case-clear", onclick: clearForm }, "Clear"));
}

function formField(feature) {
  const id = `case-field-${summary.features.indexOf(feature)}`;
  const problem = h("span", { class: "case-problem", id: `${id}-problem` });
  const field = { feature, problem, input: formInput(feature, id) };
  field.input.setAttribute("aria-describedby", `${id}-hint ${id}-problem`);
  caseForm.fields.set(feature.name, field);
  writeText(field, caseForm.kept.get(feature.name) ?? "");
  return h("div", { class: "case-field" },
    h("label", { for: id }, feature.name, feature.unit && h("span", { class: "muted" }, ` (${feature.unit})`)),
    field.input,
    listOf(feature, id),
    h("span", { class: "muted small", id: `${id}-hint` }, hintOf(feature)),
    problem);
}

function formInput(feature, id) {
  const attributes = { id, "data-feature": feature.name };
  if (isCategory(feature) && feature.admitted.length <= MOST_CHOICES) {
    const option = (code) => h("option", { value: code }, feature.values[code]);
    return h("select", attributes, h("option", { value: "" }, "choose …"), categoryOrder(feature).map(option));
  }
  if (isCategory(feature)) return h("input", { ...attributes, type: "text", list: `${id}-list` });
  const native = NATIVE_INPUTS[feature.kind];
  if (native) return h("input", { ...attributes, type: native, step: native === "date" ? null : 1 });
  // keypads for decimals have no minus sign on some phones
  const digits = ["number", "integer"].includes(feature.kind) && feature.range[0] >= 0;
  return h("input", { ...attributes, type: "text", inputmode: digits ? "decimal" : "text", spellcheck: "false" });
}

/** The values of a category with very many, for the input to offer. */
function listOf(feature, id) {
  if (!isCategory(feature) || feature.admitted.length <= MOST_CHOICES) return null;
  const option = (code) => h("option", { value: feature.values[code] });
  return h("datalist", { id: `${id}-list` }, categoryOrder(feature).map(option));
}

/** What can be typed, in a few words. */
function hintOf(feature) {
  const parts = [];
  if (isCategory(feature)) {
    if (feature.admitted.length > MOST_CHOICES) parts.push(`one of ${countText(feature.admitted.length)} values`);
  } else {
    if (!NATIVE_INPUTS[feature.kind]) parts.push(feature.wanted);
    if (feature.bounded[0]) parts.push(`from ${formatValue(feature, feature.lowest)}`);
    if (feature.bounded[1]) parts.push(`up to ${formatValue(feature, valueBefore(feature, feature.end))}`);
    if (feature.missing) parts.push("empty if missing");
  }
  return parts.join(", ");
}

function readText(field) {
  return field.input.value;
}

/** Put a text into a field. One that the browser's own input cannot hold turns it into plain text. */
function writeText({ input, feature }, text) {
  const native = NATIVE_INPUTS[feature.kind];
  if (native) {
    const fits = text === "" || (NATIVE_TEXTS[feature.kind].test(text) && parseValue(feature, text).error === undefined);
    input.value = ""; // what is there need not fit the other type
    input.type = fits ? native : "text";
  }
  input.value = text;
}

// --- a case from the fields

function fillForm(theCase) {
  for (const [name, field] of caseForm.fields) {
    const value = theCase[name];
    const empty = value === undefined || (value === null && !isCategory(field.feature));
    const chosen = field.input.tagName === "SELECT";
    writeText(field, empty ? "" : chosen ? String(value) : formatValue(field.feature, value));
  }
  caseForm.started = true;
  answerForm();
}

function clearForm() {
  caseForm.kept.clear();
  for (const field of caseForm.fields.values()) writeText(field, "");
  caseForm.started = false;
  answerForm();
}

function takeRandom() {
  tell("case", instanceCase(Math.floor(Math.random() * summary.instances.shown)));
}

function showOnMap() {
  const { theCase } = readForm();
  tell("case", theCase);
  jumpTo("map");
}

function formTyped() {
  caseForm.started = [...caseForm.fields.values()].some((field) => readText(field) !== "");
  answerForm();
}

function readField(field) {
  const text = readText(field);
  if (field.input.validity?.badInput) return { error: `It is not yet ${field.feature.wanted}.` };
  if (field.input.tagName !== "SELECT") return parseValue(field.feature, text);
  if (text !== "") return { value: Number(text) };
  return { error: "Choose a value.", empty: true };
}

/** The case that the fields say: what is wrong, what is still empty, what is taken as missing. */
function readForm() {
  const found = { theCase: emptyCase(), wrong: [], empty: [], missing: [] };
  const asked = new Set(askedFeatures(model()));
  for (const field of caseForm.fields.values()) {
    const { feature } = field;
    const text = readText(field);
    const { value, error } = readField(field);
    const blank = text === "" && !field.input.validity?.badInput;
    field.problem.textContent = error && !blank ? error : "";
    field.input.setAttribute("aria-invalid", Boolean(error && !blank));
    if (error === undefined) found.theCase[feature.name] = value;
    if (error && !blank) found.wrong.push(feature);
    else if (blank && asked.has(feature)) (error ? found.empty : found.missing).push(feature);
    // what no rule asks for decides nothing
    if (error) found.theCase[feature.name] = isCategory(feature) ? feature.admitted[0] : null;
  }
  return found;
}

function answerForm() {
  const holder = document.getElementById("case-answer");
  const asked = new Set(askedFeatures(model()));
  const found = readForm();
  const wrong = found.wrong.filter((feature) => asked.has(feature));
  const idle = asked.size > 0 && !caseForm.started;
  const open = idle || wrong.length > 0 || found.empty.length > 0;
  document.getElementById("case-map").hidden = open;
  if (open) {
    holder.dataset.outcome = "error";
    holder.dataset.rule = "";
    show(holder, stillNeeded(idle ? [...asked] : found.empty, wrong, idle));
    return;
  }
  const answer = decideCase(model(), found.theCase);
  holder.dataset.outcome = outcomeAttribute(answer);
  holder.dataset.rule = answer.rule ?? "";
  show(holder, found.missing.length > 0 && takenAsMissing(found.missing), describeAnswer(found.theCase, answer));
}

function outcomeAttribute(answer) {
  if (answer.contradicted) return "contradicted";
  if (answer.several.length > 1) return "several";
  return answer.outcome ?? "none";
}

const namesText = (features) => features.map((feature) => feature.name).join(", ");

function stillNeeded(empty, wrong, idle) {
  const lines = [];
  if (wrong.length) lines.push(h("p", {}, "Cannot be read yet: ", h("b", {}, namesText(wrong)), "."));
  if (empty.length) lines.push(h("p", {}, idle ? "Fill in: " : "Still needed: ", h("b", {}, namesText(empty)), "."));
  const mayMiss = idle && empty.some((feature) => feature.missing && !isCategory(feature));
  const rest = "Fields that stay empty count as missing once you have begun, where a value may be missing.";
  if (mayMiss) lines.push(h("p", { class: "muted small" }, rest));
  return lines;
}

function takenAsMissing(features) {
  return h("p", { class: "muted small" }, "Taken as missing: ", namesText(features), ".");
}

// --- the answer in words

/** What follows for a case, which rules say so and which do not, and what a new rule could take round it. */
function describeAnswer(theCase, answer) {
  return [answerHead(answer), answerRules(theCase, answer), answerRegion(theCase, answer)];
}

function answerHead(answer) {
  if (answer.contradicted) {
    return h("p", { class: "case-head bad" }, "⚠ Contradicted: rules that hold for this case say different things.");
  }
  if (answer.several.length > 1) {
    const chips = answer.several.map((outcome) => [outcomeChip(outcome), " "]);
    return h("p", { class: "case-head" }, chips, "all rules that hold count");
  }
  if (answer.rule !== null) return h("p", { class: "case-head" }, outcomeChip(answer.outcome), " by ", decidingText(answer));
  if (answer.outcome === null) return h("p", { class: "case-head warn" }, "No rule covers this case, and there is no default.");
  return h("p", { class: "case-head" }, outcomeChip(answer.outcome), " by default: no rule covers this case.");
}

function decidingText(answer) {
  const reasons = {
    first: "the first that holds",
    best: "of those that hold the one of the greatest weight",
    vote: "whose outcome has the most weight",
  };
  const reason = answer.rules.length > 1 && reasons[summary.decides.how];
  return [answerLink(answer.rule), reason ? `, ${reason}` : ""];
}

/** A rule by its name, in the middle of a sentence; it leads to the rule. */
function answerLink(place) {
  const title = ruleTitle(place);
  const inside = title.charAt(0).toLowerCase() + title.slice(1);
  return h("button", { type: "button", class: "link", onclick: () => goToRule(place) }, inside);
}

function answerRules(theCase, answer) {
  const said = (place) => model().rules[place].outcome;
  const several = answer.contradicted || answer.several.length > 1;
  if (several) return answer.rules.slice(0, 20).map((place) => ruleWords(theCase, place, true));
  if (answer.rule === null) return null;
  const others = answer.rules.filter((place) => place !== answer.rule);
  const same = others.filter((place) => said(place) === answer.outcome);
  const rivals = others.filter((place) => said(place) !== answer.outcome);
  return [
    ruleWords(theCase, answer.rule, false),
    same.length > 0 && h("p", {}, "The same say ", linked(same), ", which also cover this case."),
    rivals.length > 0 && h("p", {}, "Also covering this case, but saying something else: ",
      linked(rivals, (place) => [" (", outcomeText(said(place)), ")"]), "."),
  ];
}

function linked(places, after = () => []) {
  const shown = places.slice(0, 12).map((place, i) => [i ? ", " : "", answerLink(place), after(place)]);
  return [shown, places.length > 12 ? ` and ${places.length - 12} more` : ""];
}

/** A rule, each condition with the value that the case has. */
function ruleWords(theCase, place, named) {
  const rule = model().rules[place];
  const features = featuresOf(rule.box);
  const value = (feature) => h("span", { class: "muted" }, ` — here ${formatValue(feature, theCase[feature.name])}`);
  return h("div", { class: "case-rule" },
    named && h("p", {}, answerLink(place), " says ", outcomeChip(rule.outcome)),
    features.length === 0 && h("p", {}, "It holds for every case."),
    h("ul", {}, features.map((feature, i) => h("li", {}, conditionWords(feature, rule.conditions[i]), value(feature)))));
}

/** What a new rule for this case could reach. */
function answerRegion(theCase, answer) {
  if (answer.contradicted) {
    return h("p", { class: "muted" },
      "No new rule can settle this: whatever it says, it contradicts one of these. One of them has to change.");
  }
  const region = regionRound(theCase, answer);
  if (region === null) return null;
  if (!Object.keys(region).length) {
    return h("p", {}, answer.rule === null
      ? "No rule is in the way: a new one could hold for every case."
      : "No rule says otherwise anywhere: a new one that says the same could hold for every case.");
  }
  const free = answer.rule === null
    ? "A new rule for this case could reach this far without meeting any other rule, wherever"
    : ["Rules that say ", outcomeChip(answer.outcome),
      " could reach this far round the case without meeting a rule that says otherwise, wherever"];
  return h("div", { class: "case-region" }, h("p", {}, free), regionWords(region));
}

/** The region that a new rule could take: free of all rules, or of those that say something else; null if none is. */
function regionRound(theCase, answer) {
  if (answer.contradicted || answer.several.length > 1) return null;
  const region = enlarge(model(), theCase, answer.rule === null ? null : answer.outcome);
  return Object.hasOwn(region, "coveredBy") && typeof region.coveredBy === "number" ? null : region;
}
