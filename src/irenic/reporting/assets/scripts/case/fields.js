// @ts-check
// The fields of the form, one per feature.

import { h } from "../dom.js";
import { summary } from "../summary.js";
import { categoryOrder, isCategory, MISSING_CODE, valueBefore } from "../values/features.js";
import { parseValue } from "../values/reading.js";
import { formatValue } from "../values/texts.js";
import { countText } from "../words.js";

const CHOICE_LIMIT = 100; // more values are easier to type than to find in a list

/** @type {Partial<Record<FeatureRecord["kind"], string>>} */
const NATIVE_INPUTS = { date: "date", datetime: "datetime-local", time: "time" };

// texts that the browser's own inputs accept; they reject others, such as microseconds, with a warning
/** @type {Partial<Record<FeatureRecord["kind"], RegExp>>} */
const NATIVE_TEXTS = {
  date: /^\d{4}-\d\d-\d\d$/,
  datetime: /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/,
  time: /^\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/,
};

/**
 * @param {FeatureRecord} feature
 * @param {string} id
 */
export function formInput(feature, id) {
  const attributes = { id, "data-feature": feature.name };
  if (isCategory(feature) && feature.admitted.length <= CHOICE_LIMIT) {
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
 * The browser's own input type for a feature; undefined if rules or instances have fractions of seconds, which cannot
 * be typed there.
 * @param {FeatureRecord} feature
 */
function nativeInput(feature) {
  return hasFractions(feature) ? undefined : NATIVE_INPUTS[feature.kind];
}

/** @param {FeatureRecord} feature */
function hasFractions(feature) {
  if (feature.kind !== "time" && feature.kind !== "datetime") return false;
  /** @param {number} micros */
  const fraction = (micros) => ((micros % 1e6) + 1e6) % 1e6;
  // "after 12:30" begins a microsecond later, which nobody has to type
  if (feature.cuts.some((cut) => fraction(cut.at) > 1)) return true;
  return (summary.instances?.columns[feature.name] ?? []).some((value) => value !== null && fraction(value) > 0);
}

/**
 * A checkbox for missing values, unless they are among the choices: an empty field is not yet filled in.
 * @param {FeatureRecord} feature
 * @param {Field["input"]} input
 */
export function missingBox(feature, input) {
  const maybe = isCategory(feature) ? feature.admitted.includes(MISSING_CODE) : feature.missing;
  if (!maybe || input.tagName === "SELECT") return null;
  return h("input", { type: "checkbox", "data-missing": feature.name, "aria-label": `${feature.name} is missing` });
}

/** @param {Field} field */
export const isMarkedMissing = (field) => field.box?.checked ?? false;

/**
 * The suggestions for a category with very many values.
 * @param {FeatureRecord} feature
 * @param {string} id
 */
export function listOf(feature, id) {
  if (!isCategory(feature) || feature.admitted.length <= CHOICE_LIMIT) return null;
  /** @param {number} code */
  const option = (code) => h("option", { value: feature.values[code] });
  return h("datalist", { id: `${id}-list` }, categoryOrder(feature).map(option));
}

/**
 * A short hint on what can be typed.
 * @param {FeatureRecord} feature
 */
export function hintOf(feature) {
  const parts = [];
  if (isCategory(feature)) {
    if (feature.admitted.length > CHOICE_LIMIT) parts.push(`one of ${countText(feature.admitted.length)} values`);
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
 * Set the text of a field, or mark it as missing. If the browser's own input rejects the text, the field becomes a
 * plain text input.
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
    input.value = ""; // the old text may be invalid for the new type
    input.type = fits ? native : "text";
  }
  input.value = text;
}

/**
 * The content of a field: {value}, {error}, or {} while it is empty.
 * @param {Field} field
 * @returns {Read}
 */
export function readField(field) {
  const text = readText(field);
  if (isMarkedMissing(field)) return { value: isCategory(field.feature) ? MISSING_CODE : null };
  if (field.input.validity?.badInput && !isCategory(field.feature))
    return { error: `The value must be ${field.feature.wanted}.` };
  if (text.trim() === "") return {};
  return field.input.tagName === "SELECT" ? { value: Number(text) } : parseValue(field.feature, text);
}
