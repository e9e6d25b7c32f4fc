// @ts-check
// Checks the properties that came with the rules, exactly and over all cases, as irenic.prove does. A part of the space
// in which one row decides is a box without the boxes of earlier rows. Two cases that differ in one feature are one
// point of a space with a second axis for it.

import { newLayout, NODES, packBox, putBox, putRules, sharedBox, startCutting, unpackBox } from "./boxes.js";
import { allocate, memoryAt } from "./kernels.js";
import { LOWEST, valueBefore } from "../values/features.js";

const ELSEWHERE = "checked by irenic prove, not here";

/**
 * The verdict on a property, found in steps; each yield is a chance to stop.
 * @param {Proof} proof
 * @param {AskedSides | null} asked
 * @returns {Generator<undefined, PropertyStatus>}
 */
export function* checkProperty(proof, asked) {
  if (!asked || !proof.policy.single) return unknown(ELSEWHERE);
  if (proof.contradicted) return unknown("unknown while rows contradict each other");
  try {
    return asked.claim === "only" ? yield* checkOutcomes(proof, asked) : yield* checkPairs(proof, asked);
  } catch (error) {
    if (error instanceof Unasked) return unknown(error.message);
    throw error;
  }
}

/** Why a property cannot be asked of the rows. */
class Unasked extends Error {}

/** @param {string} why @returns {PropertyStatus} */
const unknown = (why) => ({ holds: null, why, rows: [], outcomes: [], sides: null });

// --- outcomes

/** @param {Encoded} a @param {Encoded} b */
const areSame = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/** @param {Encoded} outcome @param {Encoded} value */
const equals = (outcome, value) =>
  Array.isArray(outcome) && !Array.isArray(value)
    ? outcome.some((each) => areSame(each, value))
    : areSame(outcome, value);

/**
 * Whether an outcome passes a test; null is none.
 * @param {AskedRecord["test"]} test
 * @param {Encoded} outcome
 */
function passesTest(test, outcome) {
  const tests = Object.entries(test);
  if (outcome !== null) return tests.every(([operator, value]) => passesOne(operator, value, outcome));
  return tests.some(([operator, value]) => {
    if (operator === "missing") return value === true;
    if (operator === "=") return value === null;
    return Array.isArray(value) && value.includes(null) === (operator === "in");
  });
}

/**
 * @param {string} operator
 * @param {Encoded} value
 * @param {Encoded} outcome
 */
function passesOne(operator, value, outcome) {
  if (operator === "missing") return !value;
  if (operator === "=") return equals(outcome, value);
  if (operator === "in" || operator === "not in") {
    const values = Array.isArray(value) ? value : [];
    return values.some((each) => equals(outcome, each)) === (operator === "in");
  }
  if (typeof outcome !== "number" || typeof value !== "number") {
    if (typeof outcome === typeof value) throw new Unasked(ELSEWHERE);
    throw new Unasked(`outcomes must be comparable with ${shown(value)}, got ${shown(outcome)}`);
  }
  if (operator === "<") return outcome < value;
  if (operator === "<=") return outcome <= value;
  return operator === ">" ? outcome > value : outcome >= value;
}

/** @param {Encoded} value */
const shown = (value) => (typeof value === "string" ? value : JSON.stringify(value));

/**
 * A number by which an outcome is compared with others.
 * @param {Encoded} outcome
 * @param {Encoded[]} order
 */
function rankOfOutcome(outcome, order) {
  if (order.length) {
    const place = order.findIndex((each) => areSame(each, outcome));
    if (place < 0)
      throw new Unasked(`ORDER must list every outcome, got ${order.map(shown).join(", ")} without ${shown(outcome)}`);
    return place;
  }
  if (typeof outcome === "number") return outcome;
  if (outcome !== null && typeof outcome === "object" && !Array.isArray(outcome) && !("tuple" in outcome))
    throw new Unasked(ELSEWHERE); // dates
  throw new Unasked(`outcomes must be numbers or dates to increase or decrease, got ${shown(outcome)}`);
}

/**
 * @param {Proof} proof
 * @param {number | null} outcome
 */
const valueOf = ({ values }, outcome) => (outcome === null ? null : values[outcome]);

/**
 * The outcomes that are decided anywhere, and what that needs.
 * @template T
 * @param {Proof} proof
 * @param {(outcome: number | null) => T} compute
 */
function byOutcome({ parts, otherwise }, compute) {
  const outcomes = new Set([otherwise, ...parts.map(({ outcome }) => outcome)]);
  return new Map([...outcomes].map((outcome) => [outcome, compute(outcome)]));
}

// --- one case

/**
 * @param {Proof} proof
 * @param {AskedSides} asked
 * @returns {Generator<undefined, PropertyStatus>}
 */
function* checkOutcomes(proof, asked) {
  const { layout, parts, policy, impossible } = proof;
  const wrong = byOutcome(proof, (outcome) => passesTest(asked.test, valueOf(proof, outcome)) !== asked.passes);
  const roots = asked.where.map((sides) => packBox(layout, sides));
  const excused = [...asked.excused.map((sides) => packBox(layout, sides)), ...impossible];
  /** @type {Packed[]} */
  const earlier = [];
  for (const { box, outcome, row } of parts) {
    if (!wrong.get(outcome)) {
      earlier.push(box);
      continue;
    }
    for (const root of roots) {
      const shared = sharedBox(layout, box, root);
      if (!shared) continue;
      const others = policy.how === "first" && row !== null ? [...excused, ...earlier] : excused;
      const left = yield* partLeft(proof, layout, shared, others, () => true);
      if (left === undefined) return unknown(LATE);
      if (left) return { holds: false, why: "", rows: [row], outcomes: [outcome], sides: unpackBox(layout, left) };
    }
  }
  if (!proof.finished && wrong.get(proof.otherwise)) return unknown(LATE);
  return { holds: true, why: absent(proof, asked), rows: [], outcomes: [], sides: null };
}

const LATE = "not known yet: the search did not end";

/**
 * A remark if no row has an outcome that a property names.
 * @param {Proof} proof
 * @param {AskedSides} asked
 */
function absent(proof, { test }) {
  const named = "=" in test ? [test["="]] : Array.isArray(test.in) ? test.in : [];
  const known = [...byOutcome(proof, (outcome) => valueOf(proof, outcome)).values()];
  const missing = named.find((value) => value !== null && !known.some((each) => equals(each, value)));
  return missing === undefined ? "" : `no row has the outcome ${shown(missing)}`;
}

/**
 * A part of a box that others leave and that is wanted: null if there is none, undefined if the time is up.
 * @param {Proof} proof
 * @param {Layout} layout
 * @param {Packed} box
 * @param {Packed[]} others
 * @param {(part: Packed) => boolean} isWanted
 * @returns {Generator<undefined, Packed | null | undefined>}
 */
function* partLeft({ kernels, until }, layout, box, others, isWanted) {
  const near = others.filter((other) => sharedBox(layout, box, other) !== null);
  if (!near.length) return isWanted(box) ? box : null;
  const before = kernels.top();
  const cutting = startCutting(kernels, layout, box, near);
  let [examined, found] = [0, /** @type {Packed | null | undefined} */ (null)];
  while (!cutting.isDone() && !found && found !== undefined) {
    cutting.step(NODES);
    found = cutting.parts.slice(examined).find(isWanted) ?? null;
    examined = cutting.parts.length;
    if (!found && performance.now() > until) found = undefined;
    yield;
  }
  kernels.drop(before);
  return found;
}

// --- two cases

/**
 * @param {Proof} proof
 * @param {AskedSides} asked
 * @returns {Generator<undefined, PropertyStatus>}
 */
function* checkPairs(proof, asked) {
  const { kernels, layout, parts, policy, impossible, until } = proof;
  const place = asked.feature ?? 0;
  const last = layout.axes.length;
  const paired = newLayout([...layout.axes, layout.axes[place]]);
  const isWrong = pairTest(proof, asked);
  const canDiffer = asked.claim === "same" ? () => true : isBelow(layout.axes[place], paired, place, last);
  /** @param {Sides} sides @param {boolean} second */
  const onPair = (sides, second) =>
    packBox(paired, [...sides.map((side, k) => (second && k === place ? null : side)), second ? sides[place] : null]);
  const roots = rootsOfPairs(proof, asked, paired, onPair);
  const excused = [...asked.excused, ...impossible.map((box) => unpackBox(layout, box))];
  const excusedPairs = [false, true].flatMap((second) => excused.map((sides) => onPair(sides, second)));
  const sides = parts.map(({ box }) => unpackBox(layout, box));
  const [firsts, seconds] = [false, true].map((second) => sides.map((each) => onPair(each, second)));
  const before = kernels.top();
  const rules = putRules(
    paired,
    seconds,
    seconds.map(() => 0),
  );
  for (const [i, first] of firsts.entries()) {
    for (const root of roots) {
      const own = sharedBox(paired, first, root);
      if (!own) continue;
      for (const j of meetingPlaces(kernels, rules, own, seconds.length)) {
        const shared = isWrong(parts[i].outcome, parts[j].outcome) && sharedBox(paired, own, seconds[j]);
        if (!shared || !canDiffer(shared)) continue;
        const others = [...excusedPairs];
        if (policy.how === "first") others.push(...earlierOf(parts, firsts, i), ...earlierOf(parts, seconds, j));
        const left = yield* partLeft(proof, paired, shared, others, canDiffer);
        if (left === undefined) return unknown(LATE);
        if (!left) continue;
        const [rows, outcomes] = [
          [parts[i].row, parts[j].row],
          [parts[i].outcome, parts[j].outcome],
        ];
        return { holds: false, why: "", rows, outcomes, sides: unpackBox(paired, left) };
      }
    }
    if (performance.now() > until) return unknown(LATE);
    yield;
  }
  kernels.drop(before);
  const counts = asked.claim === "same" || proof.otherwise !== null;
  return !proof.finished && counts ? unknown(LATE) : { holds: true, why: "", rows: [], outcomes: [], sides: null };
}

/**
 * Whether two outcomes must not be those of a first and of a second case.
 * @param {Proof} proof
 * @param {AskedSides} asked
 * @returns {(first: number | null, second: number | null) => boolean}
 */
function pairTest(proof, { claim, order }) {
  if (claim === "same") return (first, second) => first !== second;
  const ranks = byOutcome(proof, (outcome) => (outcome === null ? NaN : rankOfOutcome(valueOf(proof, outcome), order)));
  const sign = claim === "rising" ? 1 : -1;
  return (first, second) => sign * (ranks.get(first) ?? NaN) > sign * (ranks.get(second) ?? NaN);
}

/**
 * Whether the value of the first case can be below that of the second.
 * @param {Axis} axis
 * @param {Layout} paired
 * @param {number} first
 * @param {number} second
 * @returns {(box: Packed) => boolean}
 */
function isBelow(axis, paired, first, second) {
  if (axis.category) throw new Unasked(ELSEWHERE);
  const [i, j] = [paired.places[first], paired.places[second]];
  return ({ low, high }) => {
    const greatest = valueBefore({ step: axis.step }, Math.min(high[j], axis.end));
    return Math.max(low[i], axis.lowest) < greatest;
  };
}

/**
 * Where pairs of cases are asked about. Missing values are neither high nor low.
 * @param {Proof} proof
 * @param {AskedSides} asked
 * @param {Layout} paired
 * @param {(sides: Sides, second: boolean) => Packed} onPair
 */
function rootsOfPairs({ layout }, { claim, where, feature }, paired, onPair) {
  const whole = layout.axes.map(() => null);
  const known = where.flatMap((given) => {
    /** @type {Sides} */
    const sides = whole.map((_, k) => given[k] ?? null);
    if (claim === "same") return [sides];
    const [low, high] = sides[feature ?? 0] ?? [null, null];
    if (high !== null && high <= LOWEST) return [];
    return [sides.with(feature ?? 0, [Math.max(low ?? LOWEST, LOWEST), high])];
  });
  return known.flatMap((first) =>
    known.flatMap((second) => sharedBox(paired, onPair(first, false), onPair(second, true)) ?? []),
  );
}

/**
 * The boxes of the rows that come before another.
 * @param {Proof["parts"]} parts
 * @param {Packed[]} boxes
 * @param {number} place
 */
const earlierOf = (parts, boxes, place) =>
  parts[place].row === null ? [] : boxes.slice(0, place).filter((_, k) => parts[k].row !== parts[place].row);

/**
 * The indices of the boxes that a box meets.
 * @param {Kernels} kernels
 * @param {number} rules
 * @param {Packed} box
 * @param {number} n
 */
function meetingPlaces(kernels, rules, box, n) {
  const before = kernels.top();
  const [seed, out] = [putBox(box), allocate(n)];
  kernels.meeting(rules, seed, out);
  const meets = memoryAt(Uint8Array, out, n);
  const found = [];
  for (let k = 0; k < n; k++) if (meets[k]) found.push(k);
  kernels.drop(before);
  return found;
}
