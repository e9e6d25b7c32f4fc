// @ts-check
// Boxes as numbers, and their parts that other boxes leave, for the worker of the editor. Unlike packing.js it knows
// nothing of the page.

import { allocate, checkMemory, memoryAt, NO_MEMORY, putArray, putIntegers, putStruct } from "./kernels.js";
import { LOWEST, MISSING_CODE, OTHER_CODE } from "../values/features.js";

export const NODES = 2000; // steps of a search between two looks at the clock

/**
 * @param {Axis[]} axes
 * @returns {Layout}
 */
export function newLayout(axes) {
  const [intervals, sets] = [false, true].map((category) =>
    [...axes.keys()].filter((axis) => axes[axis].category === category),
  );
  const places = axes.map((axis, place) => (axis.category ? sets : intervals).indexOf(place));
  const wordStarts = [0];
  for (const axis of sets) wordStarts.push(wordStarts[wordStarts.length - 1] + wordsFor(admittedBy(axes[axis])));
  const words = wordStarts[sets.length];
  const layout = { axes, intervals, sets, places, wordStarts, words, everything: new Uint32Array(2 * words) };
  sets.forEach((axis, j) => setCodes(layout.everything, wordStarts[j], admittedBy(axes[axis])));
  const lowest = Float64Array.from(intervals, (axis) => boundsOf(axes[axis]).lowest);
  return { ...layout, lowest };
}

/** @param {Axis} axis */
const admittedBy = (axis) => (axis.category ? axis.admitted : []);

/** @param {Axis} axis */
function boundsOf(axis) {
  if (axis.category) throw new Error("a category has no bounds");
  return axis;
}

/** @param {number[]} codes */
const wordsFor = (codes) => (Math.max(0, ...codes) >> 6) + 1;

/**
 * @param {Uint32Array} bits
 * @param {number} start
 * @param {(number | null)[]} codes
 */
function setCodes(bits, start, codes) {
  for (const code of codes) if (code !== null) bits[2 * start + (code >> 5)] |= 1 << (code & 31);
}

/**
 * A box without the bounds that the space implies, so that equal boxes have equal numbers.
 * @param {Layout} layout
 * @param {Sides} sides
 * @returns {Packed}
 */
export function packBox(layout, sides) {
  const { axes, intervals, sets, wordStarts } = layout;
  const low = new Float64Array(intervals.length).fill(-Infinity);
  const high = new Float64Array(intervals.length).fill(Infinity);
  const bits = layout.everything.slice();
  intervals.forEach((axis, i) => {
    const side = sides[axis];
    if (!side) return;
    const { lowest, end, missing } = boundsOf(axes[axis]);
    const lower = side[0] ?? -Infinity;
    const upper = side[1] ?? Infinity;
    low[i] = lower > -Infinity && lower <= lowest ? (missing ? LOWEST : -Infinity) : lower + 0;
    high[i] = upper >= end ? Infinity : upper > LOWEST && upper <= lowest ? LOWEST : upper + 0;
  });
  sets.forEach((axis, j) => {
    const side = sides[axis];
    if (!side) return;
    bits.fill(0, 2 * wordStarts[j], 2 * wordStarts[j + 1]);
    setCodes(bits, wordStarts[j], side);
  });
  return { low, high, bits };
}

/**
 * The conditions of a box.
 * @param {Layout} layout
 * @param {Packed} box
 * @returns {Sides}
 */
export function unpackBox(layout, box) {
  return layout.axes.map((axis, place) => {
    const k = layout.places[place];
    if (!axis.category) {
      if (box.low[k] === -Infinity && box.high[k] === Infinity) return null;
      return [box.low[k] === -Infinity ? null : box.low[k], box.high[k] === Infinity ? null : box.high[k]];
    }
    const codes = axis.admitted.filter((code) => hasCode(layout, box, k, code));
    return codes.length === axis.admitted.length ? null : codes;
  });
}

/**
 * @param {Layout} layout
 * @param {Packed} box
 * @param {number} j
 * @param {number} code
 */
const hasCode = (layout, box, j, code) =>
  ((box.bits[2 * layout.wordStarts[j] + (code >> 5)] >>> (code & 31)) & 1) === 1;

/** @param {Packed} box */
export const copyBox = ({ low, high, bits }) => ({ low: low.slice(), high: high.slice(), bits: bits.slice() });

/** @param {Layout} layout */
export const wholeBox = (layout) => packBox(layout, []);

/**
 * The values that boxes name in open features, as bits, by the place of the feature among the sets: features with other
 * values, though nothing declares it, unless boxes distinguish these from some that they name. See named_values of
 * irenic.searching.
 * @param {Layout} layout
 * @param {Packed[]} boxes
 * @returns {Map<number, Uint32Array>}
 */
export function namedValues(layout, boxes) {
  const named = new Map();
  layout.sets.forEach((place, j) => {
    const axis = layout.axes[place];
    if (!axis.category || axis.declared || !axis.admitted.includes(OTHER_CODE)) return;
    const everything = wordsOf(layout, layout.everything, j);
    const union = new Uint32Array(everything.length);
    for (const { bits } of boxes) {
      const words = wordsOf(layout, bits, j);
      if (words.some((word, w) => word !== everything[w])) words.forEach((word, w) => (union[w] |= word));
    }
    const hasOther = union[0] & (1 << OTHER_CODE);
    union[0] |= everything[0] & (1 << MISSING_CODE);
    const hasValues = union[0] >>> (OTHER_CODE + 1) || union.subarray(1).some((word) => word !== 0);
    if (!hasOther && hasValues) named.set(j, union);
  });
  return named;
}

/**
 * @param {Layout} layout
 * @param {Uint32Array} bits
 * @param {number} j
 */
const wordsOf = (layout, bits, j) => bits.subarray(2 * layout.wordStarts[j], 2 * layout.wordStarts[j + 1]);

/**
 * A box without the values of some features that no box names.
 * @param {Layout} layout
 * @param {Packed} box
 * @param {Map<number, Uint32Array>} named
 * @param {Iterable<number>} [sets]
 */
export function namedPart(layout, box, named, sets = named.keys()) {
  const part = copyBox(box);
  for (const j of sets) {
    const values = named.get(j) ?? [];
    wordsOf(layout, part.bits, j).forEach((_, w, words) => (words[w] &= values[w]));
  }
  return part;
}

/**
 * A box that no other meets, with all values of the open features that it leaves free.
 * @param {Layout} layout
 * @param {Packed} box
 * @param {Map<number, Uint32Array>} named
 */
export function withOtherValues(layout, box, named) {
  const wide = copyBox(box);
  for (const [j, values] of named) {
    const words = wordsOf(layout, wide.bits, j);
    if (words.every((word, w) => word === values[w])) words.set(wordsOf(layout, layout.everything, j));
  }
  return wide;
}

/**
 * The open features of which a box has only values that no box names.
 * @param {Layout} layout
 * @param {Packed} box
 * @param {Map<number, Uint32Array>} named
 */
export const unnamedIn = (layout, box, named) =>
  [...named.keys()].filter((j) => {
    const values = named.get(j) ?? [];
    return !wordsOf(layout, box.bits, j).some((word, w) => word & values[w]);
  });

/**
 * What two boxes have in common, null for nothing.
 * @param {Layout} layout
 * @param {Packed} a
 * @param {Packed} b
 */
export function sharedBox(layout, a, b) {
  const shared = copyBox(a);
  for (let i = 0; i < shared.low.length; i++) {
    shared.low[i] = Math.max(a.low[i], b.low[i]);
    shared.high[i] = Math.min(a.high[i], b.high[i]);
    if (shared.low[i] >= shared.high[i]) return null;
  }
  for (let w = 0; w < shared.bits.length; w++) shared.bits[w] &= b.bits[w];
  for (let j = 0; j < layout.sets.length; j++) {
    const words = shared.bits.subarray(2 * layout.wordStarts[j], 2 * layout.wordStarts[j + 1]);
    if (!words.some((word) => word !== 0)) return null;
  }
  return shared;
}

/**
 * Whether a box lies inside another.
 * @param {Packed} small
 * @param {Packed} large
 */
export function isInside(small, large) {
  for (let i = 0; i < small.low.length; i++) {
    if (small.low[i] < large.low[i] || small.high[i] > large.high[i]) return false;
  }
  for (let w = 0; w < small.bits.length; w++) if (small.bits[w] & ~large.bits[w]) return false;
  return true;
}

/** @param {Packed} box */
export const boxKey = ({ low, high, bits }) => `${low.join()}|${high.join()}|${bits.join()}`;

/**
 * Copy boxes with one column each, as kernels read rules, and return their address.
 * @param {Layout} layout
 * @param {Packed[]} boxes
 * @param {ArrayLike<number>} codes
 */
export function putRules(layout, boxes, codes) {
  const [d, n] = [layout.intervals.length, boxes.length];
  const [lower, upper] = [new Float64Array(d * n), new Float64Array(d * n)];
  const masks = new Uint32Array(2 * layout.words * n);
  boxes.forEach(({ low, high, bits }, r) => {
    for (let i = 0; i < d; i++) {
      lower[i * n + r] = low[i];
      upper[i * n + r] = high[i];
    }
    for (let w = 0; w < layout.words; w++) {
      masks[2 * (w * n + r)] = bits[2 * w];
      masks[2 * (w * n + r) + 1] = bits[2 * w + 1];
    }
  });
  return putStruct(
    [lower, d, n],
    [upper, d, n],
    [masks, layout.words, n],
    [Int32Array.from(codes), n, 1],
    [new Float64Array(n).fill(1), n, 1],
    n,
    putIntegers(layout.wordStarts),
    layout.wordStarts.length,
    1,
    [layout.everything, layout.words, 1],
    [layout.lowest, d, 1],
  );
}

/**
 * Put a box in the place of another among rules.
 * @param {Layout} layout
 * @param {{ rules: number, n: number, k: number }} at
 * @param {Packed} box
 * @param {number} code
 */
export function replaceRule(layout, { rules, n, k }, { low, high, bits }, code) {
  const arrays = memoryAt(Uint32Array, rules, 2 * 12); // an array is three cells of two halves: address, rows, columns
  const [lower, upper, masks, codes] = [arrays[0], arrays[6], arrays[12], arrays[18]];
  const d = layout.intervals.length;
  const [lows, highs] = [memoryAt(Float64Array, lower, d * n), memoryAt(Float64Array, upper, d * n)];
  const words = memoryAt(Uint32Array, masks, 2 * layout.words * n);
  for (let i = 0; i < d; i++) [lows[i * n + k], highs[i * n + k]] = [low[i], high[i]];
  for (let w = 0; w < layout.words; w++) words.set(bits.subarray(2 * w, 2 * w + 2), 2 * (w * n + k));
  memoryAt(Int32Array, codes, n)[k] = code;
}

/**
 * Copy a box as one row of cells, and return its address.
 * @param {Packed} box
 */
export function putBox({ low, high, bits }) {
  const address = allocate(8 * (low.length + high.length) + 4 * bits.length);
  memoryAt(Float64Array, address, low.length).set(low);
  memoryAt(Float64Array, address + 8 * low.length, high.length).set(high);
  memoryAt(Uint32Array, address + 16 * low.length, bits.length).set(bits);
  return address;
}

/**
 * The box in a row of cells.
 * @param {Layout} layout
 * @param {number} address
 * @returns {Packed}
 */
export function takeBox(layout, address) {
  const d = layout.intervals.length;
  return {
    low: memoryAt(Float64Array, address, d).slice(),
    high: memoryAt(Float64Array, address + 8 * d, d).slice(),
    bits: memoryAt(Uint32Array, address + 16 * d, 2 * layout.words).slice(),
  };
}

/**
 * Cut a box, step by step, into the parts that none of the others meets. It keeps memory of the kernels until that is
 * dropped.
 * @param {Kernels} kernels
 * @param {Layout} layout
 * @param {Packed} box
 * @param {Packed[]} others
 * @param {number} [room]
 * @returns {Cutting}
 */
export function startCutting(kernels, layout, box, others, room = 256) {
  const [d, n, words] = [layout.intervals.length, others.length, layout.words];
  const starts = putIntegers(layout.wordStarts);
  const boxes = putRows(layout, others, starts);
  const counts = allocate(24);
  const most = room + 2 * d + layout.sets.length + 1;
  const out = newRows(layout, most, starts);
  let stack = newStack(layout, 64, 4 * n + 64);
  memoryAt(Int32Array, stack.items, n).set(Int32Array.from(others.keys()));
  memoryAt(Uint32Array, stack.begin, 2).set([0, 0]);
  memoryAt(Uint32Array, stack.end, 2).set([n, 0]);
  memoryAt(Float64Array, stack.lower, d).set(box.low);
  memoryAt(Float64Array, stack.upper, d).set(box.high);
  memoryAt(Uint32Array, stack.masks, 2 * words).set(box.bits);
  let depth = 1;
  /** @type {Packed[]} */
  const parts = [];
  /** @param {number} nodes */
  const step = (nodes) => {
    memoryAt(Uint32Array, counts, 2).set([depth, 0]);
    checkMemory(kernels.find_gaps(boxes, stack.address, BigInt(nodes), out.address, counts), NO_MEMORY);
    const [left, , found, , examined] = memoryAt(Uint32Array, counts, 6);
    depth = left;
    for (let k = 0; k < found; k++) parts.push(takeRow(layout, out, k));
    if (!found && !examined && depth) stack = grownStack(layout, stack);
  };
  return { step, isDone: () => depth === 0, parts };
}

/**
 * Boxes with one row each, as a struct.
 * @param {Layout} layout
 * @param {Packed[]} boxes
 * @param {number} starts
 */
function putRows(layout, boxes, starts) {
  const [d, n, words] = [layout.intervals.length, boxes.length, layout.words];
  const [lower, upper] = [new Float64Array(n * d), new Float64Array(n * d)];
  const masks = new Uint32Array(2 * n * words);
  boxes.forEach(({ low, high, bits }, row) => {
    lower.set(low, row * d);
    upper.set(high, row * d);
    masks.set(bits, 2 * row * words);
  });
  return putStruct([lower, n, d], [upper, n, d], [masks, n, words], starts, layout.wordStarts.length, 1);
}

/**
 * Room for boxes that a kernel writes.
 * @param {Layout} layout
 * @param {number} n
 * @param {number} starts
 */
function newRows(layout, n, starts) {
  const [d, words] = [layout.intervals.length, layout.words];
  const [lower, upper, masks] = [allocate(8 * n * d), allocate(8 * n * d), allocate(8 * n * words)];
  const address = putStruct(lower, n, d, upper, n, d, masks, n, words, starts, layout.wordStarts.length, 1);
  return { lower, upper, masks, address };
}

/**
 * @param {Layout} layout
 * @param {{ lower: number, upper: number, masks: number }} rows
 * @param {number} k
 * @returns {Packed}
 */
function takeRow(layout, rows, k) {
  const [d, words] = [layout.intervals.length, layout.words];
  return {
    low: memoryAt(Float64Array, rows.lower + 8 * k * d, d).slice(),
    high: memoryAt(Float64Array, rows.upper + 8 * k * d, d).slice(),
    bits: memoryAt(Uint32Array, rows.masks + 8 * k * words, 2 * words).slice(),
  };
}

/**
 * @param {Layout} layout
 * @param {number} depth
 * @param {number} room
 */
function newStack(layout, depth, room) {
  const [d, words] = [layout.intervals.length, layout.words];
  const items = allocate(4 * room);
  const [begin, end] = [allocate(8 * depth), allocate(8 * depth)];
  const [lower, upper, masks] = [allocate(8 * depth * d), allocate(8 * depth * d), allocate(8 * depth * words)];
  const rows = [begin, depth, 1, end, depth, 1, lower, depth, d, upper, depth, d, masks, depth, words];
  return { items, begin, end, lower, upper, masks, depth, room, address: putStruct(items, room, 1, ...rows) };
}

/**
 * A stack of twice the size with the same contents.
 * @param {Layout} layout
 * @param {ReturnType<typeof newStack>} stack
 */
function grownStack(layout, stack) {
  const grown = newStack(layout, 2 * stack.depth, 2 * stack.room);
  const [d, words] = [layout.intervals.length, layout.words];
  /** @type {[number, number, number][]} */
  const copies = [
    [stack.items, grown.items, 4 * stack.room],
    [stack.begin, grown.begin, 8 * stack.depth],
    [stack.end, grown.end, 8 * stack.depth],
    [stack.lower, grown.lower, 8 * stack.depth * d],
    [stack.upper, grown.upper, 8 * stack.depth * d],
    [stack.masks, grown.masks, 8 * stack.depth * words],
  ];
  for (const [from, to, size] of copies) memoryAt(Uint8Array, to, size).set(memoryAt(Uint8Array, from, size));
  return grown;
}

/**
 * Disjoint boxes, with those joined whose union is a box: the boxes that irenic.gaps lists.
 * @param {Layout} layout
 * @param {Packed[]} boxes
 */
export function mergedBoxes(layout, boxes) {
  const steps = mergeSteps(layout, boxes);
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}

/**
 * The same in steps of one axis each.
 * @param {Layout} layout
 * @param {Packed[]} boxes
 * @returns {Generator<undefined, Packed[]>}
 */
export function* mergeSteps(layout, boxes) {
  const sides = newSides(layout);
  const axes = layout.intervals.length + layout.sets.length;
  let merged = boxes.map(sides.numbered);
  let unchanged = 0; // axes since the last one on which boxes were joined
  for (let axis = 0; unchanged < axes; axis = (axis + 1) % axes) {
    const joined =
      axis < sides.first ? joinedIntervals(merged, axis, sides) : joinedSets(merged, axis - sides.first, layout, sides);
    unchanged = joined.length < merged.length ? 1 : unchanged + 1;
    merged = joined;
    yield;
  }
  return merged.map(({ box }) => box);
}

/**
 * A box with the number of its side on each axis, so that boxes can be compared without their bounds.
 * @typedef {{ box: Packed, sides: Int32Array }} Numbered
 */

/**
 * Numbers of sides: the same on an axis if the sides are.
 * @param {Layout} layout
 */
function newSides(layout) {
  const [d, sets] = [layout.intervals.length, layout.sets.length];
  /** @type {Map<number, Map<number, number>>[]} */
  const ends = Array.from({ length: d }, () => new Map());
  /** @type {Map<string, number>[]} */
  const masks = Array.from({ length: sets }, () => new Map());
  let last = 0;
  /**
   * @template K
   * @param {Map<K, number>} numbers
   * @param {K} key
   */
  const numberOf = (numbers, key) => {
    const known = numbers.get(key);
    if (known !== undefined) return known;
    numbers.set(key, ++last);
    return last;
  };
  /** @param {Packed} box @param {number} i */
  const interval = (box, i) => {
    const low = box.low[i];
    let highs = ends[i].get(low);
    if (!highs) ends[i].set(low, (highs = new Map()));
    return numberOf(highs, box.high[i]);
  };
  /** @param {Packed} box @param {number} j */
  const set = (box, j) =>
    numberOf(masks[j], box.bits.subarray(2 * layout.wordStarts[j], 2 * layout.wordStarts[j + 1]).join());
  return {
    interval,
    set,
    first: d,
    /** @param {Packed} box @returns {Numbered} */
    numbered: (box) => {
      const numbers = new Int32Array(d + sets);
      for (let i = 0; i < d; i++) numbers[i] = interval(box, i);
      for (let j = 0; j < sets; j++) numbers[d + j] = set(box, j);
      return { box, sides: numbers };
    },
  };
}

/**
 * Boxes in groups that are equal on all axes but one, in the order of their first boxes: the places of these, and for
 * each box the place of the next in its group, -1 at the end. Most groups have one box, so that no lists are made.
 * @param {Numbered[]} boxes
 * @param {number} axis
 */
function groupedWithout(boxes, axis) {
  const n = boxes.length;
  const size = 2 ** Math.ceil(Math.log2(2 * n + 2));
  const slots = new Int32Array(size).fill(-1); // first boxes, by hash
  const [next, last] = [new Int32Array(n).fill(-1), new Int32Array(n)];
  const firsts = [];
  for (let k = 0; k < n; k++) {
    const { sides } = boxes[k];
    let slot = hashWithout(sides, axis) & (size - 1);
    while (slots[slot] >= 0 && !areEqualWithout(boxes[slots[slot]].sides, sides, axis)) slot = (slot + 1) & (size - 1);
    const first = slots[slot];
    if (first < 0) {
      slots[slot] = last[k] = k;
      firsts.push(k);
    } else {
      next[last[first]] = k;
      last[first] = k;
    }
  }
  return { firsts, next };
}

/**
 * The boxes of a group.
 * @param {Numbered[]} boxes
 * @param {Int32Array} next
 * @param {number} first
 */
function boxesFrom(boxes, next, first) {
  const group = [];
  for (let k = first; k >= 0; k = next[k]) group.push(boxes[k]);
  return group;
}

/**
 * A number, which is the same for boxes that are equal on all axes but one.
 * @param {Int32Array} sides
 * @param {number} axis
 */
function hashWithout(sides, axis) {
  let hash = 0;
  for (let k = 0; k < sides.length; k++) {
    if (k !== axis) hash = Math.imul(hash ^ sides[k], 0x9e3779b1) ^ (hash >>> 15);
  }
  return hash ^ (hash >>> 16);
}

/**
 * @param {Int32Array} a
 * @param {Int32Array} b
 * @param {number} axis
 */
function areEqualWithout(a, b, axis) {
  for (let k = 0; k < a.length; k++) if (k !== axis && a[k] !== b[k]) return false;
  return true;
}

/**
 * @param {Numbered[]} boxes
 * @param {number} i
 * @param {ReturnType<typeof newSides>} sides
 */
function joinedIntervals(boxes, i, sides) {
  const joined = [];
  const { firsts, next } = groupedWithout(boxes, i);
  for (const first of firsts) {
    if (next[first] < 0) {
      joined.push(boxes[first]);
      continue;
    }
    const group = boxesFrom(boxes, next, first).sort((a, b) => (a.box.low[i] < b.box.low[i] ? -1 : 1));
    let last = group[0];
    for (const each of group.slice(1)) {
      if (last.box.high[i] === each.box.low[i]) {
        const box = copyBox(last.box);
        box.high[i] = each.box.high[i];
        last = { box, sides: last.sides.with(i, sides.interval(box, i)) };
      } else {
        joined.push(last);
        last = each;
      }
    }
    joined.push(last);
  }
  return joined;
}

/**
 * @param {Numbered[]} boxes
 * @param {number} j
 * @param {Layout} layout
 * @param {ReturnType<typeof newSides>} sides
 */
function joinedSets(boxes, j, layout, sides) {
  const [start, stop] = [2 * layout.wordStarts[j], 2 * layout.wordStarts[j + 1]];
  const axis = sides.first + j;
  const { firsts, next } = groupedWithout(boxes, axis);
  return firsts.map((first) => {
    if (next[first] < 0) return boxes[first];
    const group = boxesFrom(boxes, next, first);
    const union = copyBox(group[0].box);
    for (const { box } of group) for (let w = start; w < stop; w++) union.bits[w] |= box.bits[w];
    return { box: union, sides: group[0].sides.with(axis, sides.set(union, j)) };
  });
}

/**
 * The order of boxes by their sides, axis by axis.
 * @param {Packed} a
 * @param {Packed} b
 */
export function compareBoxes(a, b) {
  for (let i = 0; i < a.low.length; i++) {
    if (a.low[i] !== b.low[i]) return a.low[i] < b.low[i] ? -1 : 1;
    if (a.high[i] !== b.high[i]) return a.high[i] < b.high[i] ? -1 : 1;
  }
  for (let w = 0; w < a.bits.length; w++) if (a.bits[w] !== b.bits[w]) return a.bits[w] - b.bits[w];
  return 0;
}

/** @param {number[]} order */
export const putOrder = (order) => putArray(BigInt64Array.from(order, BigInt));
