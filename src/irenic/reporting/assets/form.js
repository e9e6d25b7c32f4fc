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
// instance: the place of the instance that the fields were filled from, undefined for other cases
const caseForm = { fields: new Map(), kept: new Map(), started: false, instance: undefined, saying: 0 };
const SAY_AFTER = 500; // milliseconds without a key until the answer is read aloud

function startForm(section) {
  show(section,
    h("h2", {}, "Which rule decides my case?"),
    h("p", { class: "lead" },
      "Type in a case. The answer comes while you type and is worked out in this page: nothing is sent anywhere."),
    h("div", { class: "case-columns" },
      h("form", { id: "case-form", autocomplete: "off", novalidate: true, onsubmit: (event) => event.preventDefault() }),
      h("div", { id: "case-answer" })),
    h("p", { class: "unseen", id: "case-said", "aria-live": "polite" }));
  document.getElementById("case-form").addEventListener("input", formTyped);
  drawForm();
  on("model", drawForm);
  on("case", fillForm);
}

// --- the fields

/** Draw the fields: those that rules of the model on show ask for, the others out of the way. What was typed
 * stays when another rule set is shown. */
function drawForm() {
  for (const [name, field] of caseForm.fields) {
    caseForm.kept.set(name, { text: readText(field), missing: isTicked(field) });
  }
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
  field.box = missingBox(field);
  field.input.setAttribute("aria-describedby", `${id}-hint ${id}-problem`);
  caseForm.fields.set(feature.name, field);
  const kept = caseForm.kept.get(feature.name);
  writeText(field, kept?.text ?? "", kept?.missing);
  return h("div", { class: "case-field" },
    h("label", { for: id }, nameWords(feature.name), feature.unit && h("span", { class: "muted" }, ` (${feature.unit})`)),
    h("div", { class: "case-input" }, field.input,
      field.box && h("label", { class: "case-missing" }, field.box, h("span", {}, "missing"))),
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
  const native = nativeInput(feature);
  if (native) return h("input", { ...attributes, type: native, step: native === "date" ? null : 1 });
  // keypads for decimals have no minus sign on some phones
  const digits = ["number", "integer"].includes(feature.kind) && feature.range[0] >= 0;
  return h("input", { ...attributes, type: "text", inputmode: digits ? "decimal" : "text", spellcheck: "false" });
}

/** The browser's own input for a feature. None where rules or instances have fractions of seconds: people could not
 * type them there. */
function nativeInput(feature) {
  return hasFractions(feature) ? undefined : NATIVE_INPUTS[feature.kind];
}

function hasFractions(feature) {
  if (feature.kind !== "time" && feature.kind !== "datetime") return false;
  const fraction = (micros) => ((micros % 1e6) + 1e6) % 1e6;
  // "after 12:30" begins a microsecond later: nobody has to type that
  if (feature.cuts.some((cut) => fraction(cut.at) > 1)) return true;
  return (summary.instances?.columns[feature.name] ?? []).some((value) => value !== null && fraction(value) > 0);
}

/** A box to tick where a value may be missing, unless it is among the choices: an empty field says nothing. */
function missingBox({ feature, input }) {
  const maybe = isCategory(feature) ? feature.admitted.includes(MISSING_CODE) : feature.missing;
  if (!maybe || input.tagName === "SELECT") return null;
  return h("input", { type: "checkbox", "data-missing": feature.name, "aria-label": `${feature.name} is missing` });
}

const isTicked = (field) => field.box?.checked ?? false;

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
    if (!nativeInput(feature)) parts.push(feature.wanted);
    if (feature.bounded[0]) parts.push(`from ${formatValue(feature, feature.lowest)}`);
    if (feature.bounded[1]) parts.push(`up to ${formatValue(feature, valueBefore(feature, feature.end))}`);
  }
  return parts.join(", ");
}

function readText(field) {
  return field.input.value;
}

/** Put a text into a field, or tick that it is missing. One that the browser's own input cannot hold turns it into
 * plain text. */
function writeText({ input, feature, box }, text, missing = false) {
  if (box) box.checked = input.disabled = missing;
  const native = nativeInput(feature);
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
    const { feature, input, box } = field;
    const missing = value === (isCategory(feature) ? MISSING_CODE : null);
    if (value === undefined || missing && (box || !isCategory(feature))) writeText(field, "", missing && box !== null);
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
  tell("case", instanceCase(Math.floor(Math.random() * summary.instances.shown)));
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
  for (const field of turned) writeText(field, "", field.box.checked);
  caseForm.started = fields.some((field) => readText(field) !== "" || isTicked(field));
  caseForm.instance = undefined; // it is another case now
  forgetFormCase();
  answerForm();
}

/** What a field says: {value}, {error}, or {} while it is empty. */
function readField(field) {
  const text = readText(field);
  if (isTicked(field)) return { value: isCategory(field.feature) ? MISSING_CODE : null };
  if (field.input.validity?.badInput) return { error: `It is not yet ${field.feature.wanted}.` };
  if (text.trim() === "") return {};
  return field.input.tagName === "SELECT" ? { value: Number(text) } : parseValue(field.feature, text);
}

/** The case that the fields say: `known` of it, `theCase` with something for the features that no rule asks for and
 * that decide nothing, and which of those that rules ask for are wrong or still empty. */
function readForm() {
  const found = { theCase: emptyCase(), known: emptyCase(), wrong: [], empty: [] };
  const asked = new Set(askedFeatures(model()));
  for (const field of caseForm.fields.values()) {
    const { feature } = field;
    const { value, error } = readField(field);
    field.problem.textContent = error ?? "";
    field.input.setAttribute("aria-invalid", error !== undefined);
    if (value !== undefined) found.known[feature.name] = value;
    else if (asked.has(feature)) (error ? found.wrong : found.empty).push(feature);
    found.theCase[feature.name] = value ?? (isCategory(feature) ? feature.admitted[0] : null);
  }
  return found;
}

function answerForm() {
  showAnswer(document.getElementById("case-answer"));
  sayLater();
}

/** Have the head of the answer read aloud when nobody has typed for a moment: not all of it, and not at each key. */
function sayLater() {
  clearTimeout(caseForm.saying);
  if (!caseForm.started) return void show(document.getElementById("case-said"));
  caseForm.saying = setTimeout(() => {
    const holder = document.getElementById("case-answer");
    const parts = ["h3", "p"].map((each) => holder.querySelector(each)?.textContent);
    show(document.getElementById("case-said"), parts.filter(Boolean).join(": "));
  }, SAY_AFTER);
}

function showAnswer(holder) {
  const asked = askedFeatures(model());
  const { theCase, known, wrong, empty } = readForm();
  const idle = asked.length > 0 && !caseForm.started;
  const open = wrong.length > 0 || empty.length > 0;
  document.getElementById("case-map").hidden = open;
  if (open) {
    holder.dataset.outcome = "error";
    holder.dataset.rule = "";
    const begun = asked.some((feature) => Object.hasOwn(known, feature.name));
    show(holder, stillNeeded(empty, wrong, idle), begun && soFar(known));
    return;
  }
  const answer = decideCase(model(), theCase);
  holder.dataset.outcome = outcomeAttribute(answer);
  holder.dataset.rule = answer.rule ?? "";
  show(holder, caseForm.instance !== undefined && instanceHead(caseForm.instance), describeAnswer(theCase, answer));
}

function outcomeAttribute(answer) {
  if (answer.contradicted) return "contradicted";
  if (answer.several.length > 1) return "several";
  return answer.outcome ?? "none";
}

const namesOf = (features) => joinedBy(", ", features.map((feature) => h("b", {}, nameWords(feature.name))));

function stillNeeded(empty, wrong, idle) {
  const lines = [];
  if (wrong.length) lines.push(h("p", {}, "Cannot be read yet: ", namesOf(wrong), "."));
  if (empty.length) lines.push(h("p", {}, idle ? "Fill in: " : "Still needed: ", namesOf(empty), "."));
  const mayMiss = idle && [...caseForm.fields.values()].some((field) => field.box);
  if (mayMiss) lines.push(h("p", { class: "muted small" }, "Tick “missing” where a value is not known."));
  return lines;
}

/** What is certain already while fields are open, or what can still come. */
function soFar(known) {
  const { possible, sure, settled } = foresee(model(), known);
  if (settled) return settledWords(settled, possible);
  const said = [...new Set(possible.map((place) => model().rules[place].outcome))];
  const many = possible.length > 1;
  const chips = said.slice(0, 6).map((outcome, i) => [i ? " or " : "", outcomeChip(outcome)]);
  const more = said.length > 6 ? ` or ${pluralText(said.length - 6, "other outcome")}` : "";
  const say = said.length > 1 ? "; they say " : many ? "; all of them say " : "; it says ";
  return [
    h("p", {}, "With this, ", linked(possible), " can still hold", say, chips, more, "."),
    sure.length > 0
      ? h("p", {}, "Already certain to hold: ", linked(sure), ".")
      : h("p", { class: "muted" }, many ? "If none of them does, " : "If it does not, ", defaultWords(), "."),
  ];
}

function defaultWords() {
  const { outcome } = model().default;
  return outcome === null ? "nothing is said: there is no default" : ["the default says ", outcomeChip(outcome)];
}

/** What follows whatever is filled into the fields that are still open. */
function settledWords(settled, possible) {
  if (!possible.length) return h("p", {}, "No rule can hold any more: ", defaultWords(), ".");
  if (settled.contradicted) {
    return h("p", {}, "Contradicted already, whatever the rest is: ", linked(settled.rules),
      " hold and say different things.");
  }
  const reason = settled.rule !== null ? [answerLink(settled.rule), " holds already"]
    : [linked(possible), " can still hold, and the default says the same"];
  return h("p", {}, "Already certain, whatever the rest is: ", outcomeChip(settled.outcome), " (", reason, ").");
}

// --- the answer in words

/** What follows for a case, which rules say so and which do not, and what a new rule could take round it. */
function describeAnswer(theCase, answer) {
  if (!answer.rules.length && isOutside(theCase)) return impossibleWords(answer);
  return [answerHead(answer), answerRules(theCase, answer), answerRegion(theCase, answer)];
}

function impossibleWords(answer) {
  return [
    h("p", { class: "case-head" }, "The table says that such a case cannot occur."),
    h("p", { class: "muted" }, answer.outcome === null ? "No rule covers it."
      : ["No rule covers it; the default would say ", outcomeChip(answer.outcome), "."]),
  ];
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
  const priority = summary.decides.hit_policy === "PRIORITY";
  const reasons = {
    first: priority ? "the one of the highest priority" : "the first that holds",
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
      linked(rivals, (place) => [" (", nameWords(outcomeText(said(place))), ")"]), "."),
  ];
}

function linked(places, after = () => []) {
  const more = places.length - 12;
  const between = (i) => (i === 0 ? "" : i === places.length - 1 ? " and " : ", ");
  const shown = places.slice(0, 12).map((place, i) => [between(i), answerLink(place), after(place)]);
  return [shown, more > 0 ? ` and ${countText(more)} more` : ""];
}

/** A rule, each condition with the value that the case has. */
function ruleWords(theCase, place, named) {
  const rule = model().rules[place];
  const features = featuresOf(rule.box);
  const here = (feature) => nameWords(formatValue(feature, theCase[feature.name]));
  const value = (feature) => h("span", { class: "muted" }, " — here ", here(feature));
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
  if (!answer.rules.length && isOutside(theCase)) return null;
  const region = enlarge(model(), theCase, answer.rule === null ? null : answer.outcome);
  return Object.hasOwn(region, "coveredBy") && typeof region.coveredBy === "number" ? null : region;
}
