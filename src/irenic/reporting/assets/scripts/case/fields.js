// @ts-check
// The fields of the form, one per feature.

import { h } from "../dom.js";
import { summary } from "../summary.js";
import { categoryOrder, isCategory, MISSING_CODE, valueBefore } from "../values/features.js";
import { parseValue } from "../values/reading.js";
import { formatValue } from "../values/texts.js";
import { countText } from "../words.js";

const MOST_CHOICES = 100; // beyond, a list to type into serves better than one to scroll

/** @type {Partial<Record<Feature["kind"], string>>} */
const NATIVE_INPUTS = { date: "date", datetime: "datetime-local", time: "time" };

// what the browser's own inputs can hold: no microseconds. Anything else they would refuse with a warning.
/** @type {Partial<Record<Feature["kind"], RegExp>>} */
const NATIVE_TEXTS = {
  date: /^\d{4}-\d\d-\d\d$/,
  datetime: /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/,
  time: /^\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/,
};

/**
 * @param {Feature} feature
 * @param {string} id
 */
export function formInput(feature, id) {
  const attributes = { id, "data-feature": feature.name };
  if (isCategory(feature) && feature.admitted.length <= MOST_CHOICES) {
    /** @param {number} code */
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

/**
 * The browser's own input for a feature. None where rules or instances have fractions of seconds: people could not
 * type them there.
 * @param {Feature} feature
 */
function nativeInput(feature) {
  return hasFractions(feature) ? undefined : NATIVE_INPUTS[feature.kind];
}

/** @param {Feature} feature */
function hasFractions(feature) {
  if (feature.kind !== "time" && feature.kind !== "datetime") return false;
  /** @param {number} micros */
  const fraction = (micros) => ((micros % 1e6) + 1e6) % 1e6;
  // "after 12:30" begins a microsecond later: nobody has to type that
  if (feature.cuts.some((cut) => fraction(cut.at) > 1)) return true;
  return (summary.instances?.columns[feature.name] ?? []).some((value) => value !== null && fraction(value) > 0);
}

/**
 * A box to tick where a value may be missing, unless it is among the choices: an empty field says nothing.
 * @param {Feature} feature
 * @param {Field["input"]} input
 */
export function missingBox(feature, input) {
  const maybe = isCategory(feature) ? feature.admitted.includes(MISSING_CODE) : feature.missing;
  if (!maybe || input.tagName === "SELECT") return null;
  return h("input", { type: "checkbox", "data-missing": feature.name, "aria-label": `${feature.name} is missing` });
}

/** @param {Field} field */
export const isTicked = (field) => field.box?.checked ?? false;

/**
 * The values of a category with very many, for the input to offer.
 * @param {Feature} feature
 * @param {string} id
 */
export function listOf(feature, id) {
  if (!isCategory(feature) || feature.admitted.length <= MOST_CHOICES) return null;
  /** @param {number} code */
  const option = (code) => h("option", { value: feature.values[code] });
  return h("datalist", { id: `${id}-list` }, categoryOrder(feature).map(option));
}

/**
 * What can be typed, in a few words.
 * @param {Feature} feature
 */
export function hintOf(feature) {
  const parts = [];
  if (isCategory(feature)) {
    if (feature.admitted.length > MOST_CHOICES) parts.push(`one of ${countText(feature.admitted.length)} values`);
  } else {
    if (!nativeInput(feature)) parts.push(feature.wanted);
    if (feature.bounded[0]) parts.push(`from ${formatValue(feature, feature.lowest)}`);
    if (feature.bounded[1] && feature.end !== null)
      parts.push(`up to ${formatValue(feature, valueBefore(feature, feature.end))}`);
  }
  return parts.join(", ");
}

/** @param {Field} field */
export function readText(field) {
  return field.input.value;
}

/**
 * Put a text into a field, or tick that it is missing. One that the browser's own input cannot hold turns it into
 * plain text.
 * @param {Field} field
 * @param {string} text
 * @param {boolean} [missing]
 */
export function writeText({ input, feature, box }, text, missing = false) {
  if (box) box.checked = input.disabled = missing;
  const native = nativeInput(feature);
  if (native && input instanceof HTMLInputElement) {
    const fits =
      text === "" || (NATIVE_TEXTS[feature.kind]?.test(text) && parseValue(feature, text).error === undefined);
    input.value = ""; // what is there need not fit the other type
    input.type = fits ? native : "text";
  }
  input.value = text;
}

/**
 * What a field says: {value}, {error}, or {} while it is empty.
 * @param {Field} field
 * @returns {Read}
 */
export function readField(field) {
  const text = readText(field);
  if (isTicked(field)) return { value: isCategory(field.feature) ? MISSING_CODE : null };
  if (field.input.validity?.badInput && !isCategory(field.feature))
    return { error: `It is not yet ${field.feature.wanted}.` };
  if (text.trim() === "") return {};
  return field.input.tagName === "SELECT" ? { value: Number(text) } : parseValue(field.feature, text);
}
