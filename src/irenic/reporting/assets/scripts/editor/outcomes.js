// @ts-check
// Outcomes as people type them.

/**
 * The place of an outcome, or a new one to add; null for an empty text.
 * @param {EditedOutcome[]} outcomes
 * @param {string} text
 * @returns {{ place: number, added?: undefined } | { place?: undefined, added: EditedOutcome } | null}
 */
export function parseOutcome(outcomes, text) {
  const typed = text.trim();
  if (!typed) return null;
  const named = outcomes.findIndex((outcome) => outcome.text === typed);
  if (named >= 0) return { place: named };
  // labels such as "1" are text: then other numbers are, too
  const areTexts = outcomes.some(({ value }) => typeof value === "string" && typeof scalarValue(value) === "number");
  const parsed = outcomeValue(typed);
  const value = areTexts && typeof parsed === "number" ? typed : parsed;
  const same = JSON.stringify(value);
  const place = outcomes.findIndex((outcome) => JSON.stringify(outcome.value) === same);
  return place >= 0 ? { place } : { added: { text: typed, value } };
}

/**
 * The value of an outcome as files write it: a number, a boolean, a set {a, b}, a tuple (a, b), or text.
 * @param {string} typed
 * @returns {Encoded}
 */
function outcomeValue(typed) {
  const several = /^([{(])(.*)([})])$/s.exec(typed);
  if (several && (several[1] === "{") === (several[3] === "}")) {
    const parts = several[2].trim() ? several[2].split(",").map((part) => scalarValue(part.trim())) : [];
    return several[1] === "{" ? parts : { tuple: parts };
  }
  return scalarValue(typed);
}

/** @param {string} typed */
function scalarValue(typed) {
  if (/^(true|false)$/i.test(typed)) return typed.toLowerCase() === "true";
  if (/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(typed) && Number.isFinite(Number(typed))) {
    return Number(typed) + 0;
  }
  if (/^".*"$/s.test(typed)) {
    try {
      return String(JSON.parse(typed));
    } catch {
      return typed;
    }
  }
  return typed;
}

/**
 * Whether outcomes contradict each other, if some decide only a part of the labels; empty if all differing ones do.
 * @param {EditedOutcome[]} outcomes
 */
export function contradictions(outcomes) {
  const signs = outcomes.map(({ value }) => labelsOf(value));
  if (!signs.some((each) => each?.partial)) return [];
  return signs.map((a) => signs.map((b) => !a || !b || differ(a, b)));
}

/**
 * @typedef {{ present: Set<string>, absent: Set<string>, partial: boolean }} Signs
 */

/**
 * The labels of an outcome that is a set, or that decides some labels; null for others.
 * @param {Encoded} value
 * @returns {Signs | null}
 */
function labelsOf(value) {
  /** @param {Encoded[]} [labels] */
  const texts = (labels) => new Set((labels ?? []).map((label) => JSON.stringify(label)));
  if (Array.isArray(value)) return { present: texts(value), absent: new Set(), partial: false };
  if (value === null || typeof value !== "object" || !("head" in value)) return null;
  return { present: texts(value.head.present), absent: texts(value.head.absent), partial: true };
}

/**
 * @param {Signs} a
 * @param {Signs} b
 */
function differ(a, b) {
  /** @param {Signs} one @param {Signs} other */
  const denies = (one, other) =>
    [...one.present].some((label) => other.absent.has(label) || (!other.partial && !other.present.has(label)));
  return denies(a, b) || denies(b, a);
}
