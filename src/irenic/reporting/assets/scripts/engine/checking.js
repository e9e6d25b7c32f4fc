// @ts-check
// Checks rows while they are edited: conflicts, redundant rows and gaps, as irenic.check finds them. Only what a change
// can affect is computed again, except gaps, which are searched in short steps until the next change.

import {
  boxKey,
  compareBoxes,
  isInside,
  mergedBoxes,
  mergeSteps,
  namedPart,
  namedValues,
  newLayout,
  NODES,
  packBox,
  putBox,
  putOrder,
  putRules,
  replaceRule,
  sharedBox,
  startCutting,
  takeBox,
  unnamedIn,
  unpackBox,
  wholeBox,
  withOtherValues,
} from "./boxes.js";
import { allocate, keptKernels, memoryAt, putArray, putStruct, withKernels } from "./kernels.js";
import { checkProperty } from "./proving.js";

const LISTED = 1000; // findings of a kind that are listed
const SLICE = 20; // milliseconds until new messages are read
const GAP_SECONDS = 5;
const PROOF_SECONDS = 5; // for all properties
const MOST_GAPS = 100_000;
const MERGED = 20_000; // gaps that are merged if the search did not end
const TRIALS = 12; // covering rows up to which those that are not needed are left out
const CONTRADICTED = -2; // in place of an outcome
const MOST_PARTS = 400; // parts of a row, and regions that changed, that are computed
const MOST_KEPT = 500_000; // overlaps that are kept, so that they are not computed again
const QUICK = 100; // milliseconds in which a check can end without telling what it found in between

/**
 * @param {(reply: CheckerReply) => void} send
 * @returns {(message: CheckerMessage) => void}
 */
export function startChecker(send) {
  const kernels = keptKernels();
  const base = kernels.top();
  /** @type {Layout} */
  let layout = newLayout([]);
  /** @type {Policy} */
  let policy = { how: "agree", unique: false, ranks: null, single: true };
  /** @type {boolean[][]} */
  let contradicts = [];
  /** @type {Packed[]} */
  let impossible = [];
  /** @type {CheckedRow[]} */
  let rows = [];
  /** @type {Packed[]} */
  let boxes = []; // of all rows
  /** @type {CheckedRow[]} */
  let owners = []; // of the boxes
  let rules = 0; // the address of the boxes
  /** @type {number | null} */
  let otherwise = null;
  /** @type {{ rows: CheckedRow[], policy: Policy, otherwise: number | null, answers: Int32Array | null }} */
  let opened = { rows: [], policy, otherwise: null, answers: null };
  /** @type {Extract<CheckerMessage, { type: "open" }>["instances"]} */
  let instances = null;
  let points = { address: 0, n: 0 };
  /** @type {Extract<CheckerMessage, { type: "open" }>["cases"]} */
  let cases = null;
  /** @type {Extract<CheckerMessage, { type: "open" }>["expected"]} */
  let expected = { properties: [], values: [] };
  /** @type {Pick<Status, "properties" | "cases">} */
  let verdicts = { properties: null, cases: null };
  /** @type {Packed[]} */
  let gapBoxes = [];
  let allGaps = false; // whether these are all
  let version = 0;
  let started = 0;
  let running = 0; // the number of the check that runs
  let kept = 0; // overlaps that rows keep
  /** @type {Map<string, Set<CheckedRow>>} */
  const byKey = new Map(); // rows with boxes
  /** @type {Set<string>} */
  const repeated = new Set(); // keys of several rows
  /** @type {Pick<Status, "conflicts" | "overlaps">} */
  let pairs = foundPairs();
  /** @type {Status["gaps"]} */
  let gaps = { count: 0, list: [], finished: false, known: false, open: [], openFinished: false };
  /** @type {EditedResults | null} */
  let results = null;
  /** @type {Partial<Status>} */
  let sent = {};
  let lastSent = 0;

  // --- what rows overlap

  /** @param {number} a @param {number} b */
  const differ = (a, b) => a !== b && (contradicts[a]?.[b] ?? true);

  /**
   * The indices of the boxes that a box overlaps.
   * @param {Packed} box
   */
  function meetingBoxes(box) {
    return withKernels(() => {
      const [seed, out] = [putBox(box), allocate(boxes.length)];
      kernels.meeting(rules, seed, out);
      const meets = memoryAt(Uint8Array, out, boxes.length);
      const found = [];
      for (let k = 0; k < meets.length; k++) if (meets[k]) found.push(k);
      return found;
    });
  }

  /**
   * The boxes of other rows that those of a row overlap where a case can occur, in no order.
   * @param {CheckedRow} row
   * @returns {Overlap[]}
   */
  const nearTo = (row) => row.near ?? foundNear(row);

  /**
   * @param {CheckedRow} row
   * @returns {Overlap[]}
   */
  const foundNear = (row) =>
    row.boxes.flatMap((box, own) =>
      meetingBoxes(box)
        .filter((k) => owners[k] !== row && (!impossible.length || canOccur(box, boxes[k])))
        .map((k) => ({ row: owners[k], own, box: k - owners[k].first })),
    );

  /** @param {Overlap[]} near */
  const boxesOf = (near) => near.map(({ row, box }) => row.boxes[box]);

  /** @param {Packed} a @param {Packed} b */
  function canOccur(a, b) {
    const shared = sharedBox(layout, a, b);
    return shared !== null && !isCovered(shared, impossible);
  }

  /**
   * The parts of a box that others leave, or only the first.
   * @param {Packed} box
   * @param {Packed[]} others
   * @param {{ first?: boolean, most?: number }} [options]
   */
  function partsLeft(box, others, { first = false, most = MOST_GAPS } = {}) {
    const near = others.filter((other) => sharedBox(layout, box, other) !== null);
    if (!near.length) return [box];
    if (near.some((other) => isInside(box, other))) return [];
    return withKernels(() => {
      const cutting = startCutting(kernels, layout, box, near, first ? 1 : 256);
      while (!cutting.isDone() && cutting.parts.length < (first ? 1 : most)) cutting.step(NODES);
      return cutting.parts;
    });
  }

  /**
   * The parts of a box that others leave, as rows for people; an error if there are too many.
   * @param {Packed} box
   * @param {Packed[]} others
   */
  function allParts(box, others) {
    const parts = partsLeft(box, others, { most: MOST_PARTS });
    if (parts.length >= MOST_PARTS) throw new Error(`it would need ${MOST_PARTS} rows or more`);
    return parts;
  }

  /** @param {Packed} box @param {Packed[]} others */
  const isCovered = (box, others) => !partsLeft(box, others, { first: true }).length;

  /** @param {Packed[]} some @param {Packed[]} others */
  const areCoveredBy = (some, others) => some.every((box) => isCovered(box, [...others, ...impossible]));

  // --- changes

  /** @param {SentRow} sent @returns {CheckedRow} */
  function newRow({ id, boxes: sides, outcome }) {
    const packed = sides.map((each) => packBox(layout, each));
    const key = `${packed.map(boxKey).sort().join("/")}>${outcome}`;
    const checked = { conflicts: 0, overlaps: 0, near: null, dirty: true, twins: [], redundant: null };
    return { id, index: 0, first: 0, boxes: packed, outcome, key, ...checked };
  }

  function pack() {
    kernels.drop(base);
    boxes = rows.flatMap((row) => row.boxes);
    owners = rows.flatMap((row) => row.boxes.map(() => row));
    let first = 0;
    for (const [index, row] of rows.entries()) {
      row.index = index;
      row.first = first;
      first += row.boxes.length;
    }
    const codes = owners.map((row) => row.outcome);
    rules = putRules(layout, boxes, codes);
    if (instances) points = putInstances(instances);
  }

  /**
   * Put rows in the place of others with as many boxes.
   * @param {CheckedRow[]} removed
   * @param {CheckedRow[]} added
   */
  function packAgain(removed, added) {
    added.forEach((row, nth) => {
      ({ index: row.index, first: row.first } = removed[nth]);
      row.boxes.forEach((box, place) => {
        const k = row.first + place;
        [boxes[k], owners[k]] = [box, row];
        replaceRule(layout, { rules, n: boxes.length, k }, box, row.outcome);
      });
    });
  }

  /** @param {Extract<CheckerMessage, { type: "rows" }>} message */
  function changeRows(message) {
    started = performance.now();
    version = message.version;
    otherwise = message.otherwise;
    const removed = rows.slice(message.start, message.start + message.removed);
    const gone = new Set(removed);
    for (const row of removed) unlink(row, gone);
    const added = message.added.map(newRow);
    rows.splice(message.start, message.removed, ...added);
    const isAlike =
      removed.length === added.length && removed.every((row, k) => row.boxes.length === added[k].boxes.length);
    if (isAlike) packAgain(removed, added);
    else pack();
    const fresh = new Set(added);
    for (const row of added) link(row, fresh);
    gaps = { ...gaps, known: false };
    verdicts = { properties: null, cases: triedCases() };
    pairs = foundPairs();
    running += 1;
    continueCheck(running, checkSteps());
  }

  /**
   * Count what a row overlaps, for it and for the others.
   * @param {CheckedRow} row
   * @param {Set<CheckedRow>} together rows that are added with it, and are counted by themselves
   */
  function link(row, together) {
    const near = foundNear(row);
    if (kept + near.length <= MOST_KEPT) {
      row.near = near;
      kept += near.length;
    }
    for (const { row: other, own, box } of near) {
      const kind = differ(row.outcome, other.outcome) ? "conflicts" : "overlaps";
      row[kind] += 1;
      other.dirty = true;
      if (together.has(other)) continue;
      other[kind] += 1;
      if (!other.near) continue;
      other.near.push({ row, own: box, box: own });
      kept += 1;
    }
    if (!row.boxes.length) return;
    const alike = byKey.get(row.key);
    if (!alike) return void byKey.set(row.key, new Set([row]));
    alike.add(row);
    repeated.add(row.key);
  }

  /**
   * Undo what link did.
   * @param {CheckedRow} row
   * @param {Set<CheckedRow>} together rows that are removed with it
   */
  function unlink(row, together) {
    const near = nearTo(row);
    if (row.near) kept -= row.near.length;
    for (const { row: other } of near) {
      if (!together.has(other)) other[differ(row.outcome, other.outcome) ? "conflicts" : "overlaps"] -= 1;
    }
    for (const other of new Set(near.map((each) => each.row))) {
      other.dirty = true;
      if (together.has(other)) continue;
      other.twins = other.twins.filter((twin) => twin !== row);
      if (!other.near) continue;
      kept -= other.near.length;
      other.near = other.near.filter((each) => each.row !== row);
      kept += other.near.length;
    }
    const alike = byKey.get(row.key);
    alike?.delete(row);
    if (alike && alike.size < 2) repeated.delete(row.key);
    if (alike && !alike.size) byKey.delete(row.key);
  }

  /** The steps of a check; each yield is a chance to stop. */
  function* checkSteps() {
    sendStatus(false);
    yield;
    yield* findRedundant();
    if (performance.now() - lastSent > QUICK) sendStatus(false);
    yield* findAllGaps();
    results = instances && predictions();
    if (expected.properties.length) {
      if (performance.now() - lastSent > QUICK) sendStatus(false);
      verdicts = { ...verdicts, properties: yield* checkProperties() };
    }
    sendStatus(true);
  }

  /**
   * @param {number} check
   * @param {Generator<undefined, void>} steps
   */
  function continueCheck(check, steps) {
    const end = performance.now() + SLICE;
    while (performance.now() < end) {
      if (steps.next().done) return;
    }
    later(() => {
      if (check === running) continueCheck(check, steps);
    });
  }

  // --- redundant rows

  function* findRedundant() {
    const dirty = rows.filter((row) => row.dirty);
    for (const row of dirty) {
      findTwins(row);
      yield;
    }
    const firsts = firstsOfGroups();
    for (const row of dirty) {
      row.redundant = redundancy(row, firsts);
      row.dirty = false;
      yield;
    }
  }

  /** @param {CheckedRow} row */
  function findTwins(row) {
    row.twins = [];
    if (!row.overlaps) return;
    for (const other of new Set(nearTo(row).map((each) => each.row))) {
      if (other.outcome !== row.outcome || (row.boxes.length === 1 && other.boxes.length === 1)) continue;
      if (other.key === row.key) continue;
      if (areCoveredBy(row.boxes, other.boxes) && areCoveredBy(other.boxes, row.boxes)) row.twins.push(other);
    }
  }

  /** The groups of identical rows, each in order. */
  function duplicateGroups() {
    /** @type {Map<CheckedRow, CheckedRow[]>} */
    const groupOf = new Map();
    for (const key of repeated) {
      const group = [...(byKey.get(key) ?? [])].sort((a, b) => a.index - b.index);
      for (const row of group) groupOf.set(row, group);
    }
    for (const row of rows) {
      for (const twin of row.twins) {
        const [a, b] = [groupOf.get(row) ?? [row], groupOf.get(twin) ?? [twin]];
        if (a === b) continue;
        const joined = [...new Set([...a, ...b])].sort((x, y) => x.index - y.index);
        for (const each of joined) groupOf.set(each, joined);
      }
    }
    return [...new Set(groupOf.values())].sort(([a], [b]) => a.index - b.index);
  }

  /** The first row of the group of each duplicate. */
  function firstsOfGroups() {
    return new Map(duplicateGroups().flatMap((group) => group.map((row) => [row, group[0]])));
  }

  /**
   * @param {CheckedRow} row
   * @param {Map<CheckedRow, CheckedRow>} firsts
   * @returns {CheckedRow["redundant"]}
   */
  function redundancy(row, firsts) {
    if (!row.boxes.length) return null;
    if (impossible.length && row.boxes.every((box) => isCovered(box, impossible)))
      return { kind: "never_fire", by: [] };
    if (policy.how === "first") return maskedBy(row);
    return policy.how === "agree" ? insideOthers(row, firsts) : null;
  }

  /** @param {CheckedRow} row */
  const rankOf = (row) => rankIn(policy, row.outcome) * rows.length + row.index;

  /**
   * @param {CheckedRow} row
   * @returns {CheckedRow["redundant"]}
   */
  function maskedBy(row) {
    if (!row.overlaps && !row.conflicts) return null;
    const earlier = nearTo(row).filter((each) => rankOf(each.row) < rankOf(row));
    const isMasked = row.boxes.every((box, place) => {
      const own = earlier.filter((each) => each.own === place);
      return own.length && areCoveredBy([box], boxesOf(own));
    });
    return isMasked ? { kind: "never_fire", by: neededRows(row, earlier) } : null;
  }

  /**
   * @param {CheckedRow} row
   * @param {Map<CheckedRow, CheckedRow>} firsts
   * @returns {CheckedRow["redundant"]}
   */
  function insideOthers(row, firsts) {
    if (!row.overlaps || (firsts.get(row) ?? row) !== row) return null;
    const same = nearTo(row)
      .filter((each) => each.row.outcome === row.outcome)
      .sort(compareNear);
    if (row.boxes.length === 1) {
      const [own] = row.boxes;
      const container = same.find(({ row: other, box }) => {
        const large = other.boxes[box];
        return isInside(own, large) && !(other.boxes.length === 1 && isInside(large, own));
      });
      if (container) return { kind: "inside", by: [container.row] };
    }
    const others = same.filter((each) => (firsts.get(each.row) ?? each.row) !== row);
    if (!others.length || (others.length === 1 && row.boxes.length === 1)) return null;
    return areCoveredBy(row.boxes, boxesOf(others)) ? { kind: "inside", by: neededRows(row, others) } : null;
  }

  /**
   * Rows that together cover another, without those that are not needed.
   * @param {CheckedRow} row
   * @param {Overlap[]} near
   */
  function neededRows(row, near) {
    const all = [...new Set(near.map((each) => each.row))].sort((a, b) => a.index - b.index);
    if (all.length > TRIALS) return all;
    let needed = near;
    for (const owner of [...all].reverse()) {
      const rest = needed.filter((each) => each.row !== owner);
      if (areCoveredBy(row.boxes, boxesOf(rest))) needed = rest;
    }
    return all.filter((owner) => needed.some((each) => each.row === owner));
  }

  // --- gaps

  function* findAllGaps() {
    const others = [...boxes, ...impossible];
    const named = namedValues(layout, others);
    const [whole, until] = [wholeBox(layout), performance.now() + 1000 * GAP_SECONDS];
    const amongNamed = namedPart(layout, whole, named);
    const { parts, finished } = yield* cutUntil(amongNamed, others, until);
    const merged = finished || parts.length <= MERGED ? yield* mergeSteps(layout, parts) : parts;
    const wide = merged.map((box) => withOtherValues(layout, box, named));
    wide.sort(compareBoxes); // so that gaps stay in their places from change to change
    const list = wide.slice(0, LISTED).map((box) => unpackBox(layout, box));
    const search = { named, known: [...others, amongNamed], until: performance.now() + 1000 * GAP_SECONDS };
    const { open, openFinished } = yield* findOpen(search);
    const count = finished ? wide.length : Math.min(wide.length, LISTED); // as irenic.check counts
    gaps = { count, list, finished, known: true, open, openFinished };
    gapBoxes = merged;
    allGaps = finished;
    if (!expected.properties.length || (!open.length && openFinished)) return;
    const rest = yield* cutUntil(whole, search.known, until); // properties are about all values
    gapBoxes = [...merged, ...rest.parts];
    allGaps = finished && rest.finished;
  }

  /**
   * The parts of a box that others leave, up to a limit.
   * @param {Packed} box
   * @param {Packed[]} others
   * @param {number} until
   */
  function* cutUntil(box, others, until, most = MOST_GAPS) {
    const before = kernels.top();
    const cutting = startCutting(kernels, layout, box, others, 1024);
    while (!cutting.isDone() && performance.now() <= until && cutting.parts.length <= most) {
      cutting.step(NODES);
      yield;
    }
    const finished = cutting.isDone();
    kernels.drop(before);
    return { parts: cutting.parts, finished };
  }

  /**
   * The features of which values that no row names are not covered; see _OpenColumns of irenic.searching.
   * @param {{ named: Map<number, Uint32Array>, known: Packed[], until: number }} search
   */
  function* findOpen({ named, known, until }) {
    let openFinished = true;
    /** @param {number[]} sets */
    function* first(sets) {
      if (!sets.length || !openFinished) return null;
      const fixed = [...named.keys()].filter((j) => !sets.includes(j));
      const box = namedPart(layout, wholeBox(layout), named, fixed);
      const near = known.filter((other) => sharedBox(layout, box, other) !== null);
      const { parts, finished } = yield* cutUntil(box, near, until, 0);
      if (!parts.length && !finished) openFinished = false;
      return parts[0] ?? null;
    }
    /** @type {number[]} */
    const found = [];
    for (const j of named.keys()) if (yield* first([j])) found.push(j);
    for (;;) {
      const gap = yield* first([...named.keys()].filter((j) => !found.includes(j)));
      if (!gap) break;
      let needed = unnamedIn(layout, gap, named);
      for (const j of needed) {
        const fewer = needed.filter((each) => each !== j);
        if (yield* first(fewer)) needed = fewer;
      }
      found.push(...needed);
    }
    return { open: found.map((j) => layout.sets[j]).sort((a, b) => a - b), openFinished };
  }

  // --- what is expected of the rules

  function* checkProperties() {
    const decided = inOrder(rows, policy).flatMap((row) =>
      row.boxes.map((box) => ({ box, outcome: row.outcome, row: row.index })),
    );
    const contradicted = policy.how === "agree" && rows.some((row) => row.conflicts);
    const finished = allGaps;
    const until = performance.now() + 1000 * PROOF_SECONDS;
    const parts = [...decided, ...gapBoxes.map((box) => ({ box, outcome: otherwise, row: null }))];
    const rest = { kernels, layout, policy, impossible, otherwise, values: expected.values };
    /** @type {PropertyStatus[]} */
    const found = [];
    for (const property of expected.properties) {
      found.push(yield* checkProperty({ ...rest, parts, contradicted, finished, until }, property));
    }
    return found;
  }

  /** What is decided for each test case, and by which row. */
  function triedCases() {
    if (!cases || !policy.single) return null;
    return withKernels(() => {
      const given = putInstances(/** @type {NonNullable<typeof cases>} */ (cases));
      const places = decidingPlaces(given);
      const outcomes = outcomesAt(places, given);
      return [...outcomes].map((outcome, k) => ({
        outcome: outcome === -1 ? (otherwise ?? -1) : outcome,
        row: places[k] >= 0 ? owners[places[k]].index : null,
      }));
    });
  }

  // --- the status

  /**
   * Send what is not known to the page yet. It keeps the rest, and takes gaps of an earlier version for outdated.
   * @param {boolean} done
   */
  function sendStatus(done) {
    /** @type {Partial<Status>} */
    const known = { ...pairs, redundant: foundRows(), results, ...verdicts };
    if (gaps.known) known.gaps = gaps;
    const fresh = Object.entries(known).filter(([name, part]) => part !== sent[/** @type {keyof Status} */ (name)]);
    sent = { ...sent, ...known };
    lastSent = performance.now();
    const status = { ...Object.fromEntries(fresh), version, done, milliseconds: lastSent - started };
    send({ type: "status", status });
  }

  /** Conflicts and overlaps, of which the first are listed, sorted by their rows. */
  function foundPairs() {
    const inConflict = policy.how === "agree" ? rows.filter((row) => row.conflicts) : [];
    const found = {
      conflicts: {
        count: count(inConflict, "conflicts"),
        list: /** @type {FoundPair[]} */ ([]),
        rows: new Map(inConflict.map((row) => [row.index, row.conflicts])),
      },
      overlaps: { count: count(policy.how === "agree" ? rows : [], "overlaps"), list: /** @type {FoundPair[]} */ ([]) },
    };
    if (policy.how !== "agree") return found;
    const [conflicts, overlaps] = [found.conflicts.list, found.overlaps.list];
    for (const row of rows) {
      const isWanted = (row.conflicts && conflicts.length < LISTED) || (row.overlaps && overlaps.length < LISTED);
      if (!isWanted) continue;
      const later = nearTo(row).filter((each) => each.row.index > row.index);
      for (const { row: other, own, box } of later.sort((a, b) => a.own - b.own || compareNear(a, b))) {
        const agree = !differ(row.outcome, other.outcome);
        const list = agree ? overlaps : conflicts;
        const shared = list.length < LISTED && sharedBox(layout, row.boxes[own], other.boxes[box]);
        if (shared) list.push({ rows: [row.index, other.index], sides: unpackBox(layout, shared), agree });
      }
    }
    return found;
  }

  /** @returns {FoundRow[]} */
  function foundRows() {
    /** @param {CheckedRow[]} some */
    const indices = (some) => some.map((row) => row.index);
    /** @type {FoundRow[]} */
    const found = duplicateGroups().map((group) => ({ kind: "duplicates", rows: indices(group), by: [] }));
    for (const row of rows) {
      if (!row.redundant) continue;
      found.push({ kind: row.redundant.kind, rows: [row.index], by: indices(row.redundant.by) });
    }
    return found;
  }

  // --- what the guard offers

  /** @param {number} outcome @param {CheckedRow | null} [except] */
  const rivalsOf = (outcome, except = null) =>
    rows.filter((row) => row !== except && row.boxes.length && (policy.unique || differ(row.outcome, outcome)));

  /**
   * The free parts of a row: what no row that contradicts it overlaps.
   * @param {{ row: number }} given
   */
  function freeParts({ row: index }) {
    const row = rows[index];
    const rivals = rivalsOf(row.outcome, row).flatMap((rival) => rival.boxes);
    const parts = row.boxes.flatMap((box) => allParts(box, rivals));
    const grown = mergedBoxes(layout, parts).map((part) => grow(part, rivals, row.boxes));
    const cover = coverOf(grown, parts);
    return { parts: cover.map((box) => unpackBox(layout, box)) };
  }

  /**
   * A box grown as far as rivals and the boxes that contain it allow.
   * @param {Packed} seed
   * @param {Packed[]} rivals
   * @param {Packed[]} limits
   */
  function grow(seed, rivals, limits) {
    const grown = withKernels(() => {
      const packed = putRules(
        layout,
        rivals,
        rivals.map(() => 0),
      );
      const [from, box] = [putBox(seed), putBox(seed)];
      const result = kernels.enlarge_box(packed, from, putOrder(axisOrderOf(layout)), -1n, box);
      return result === -1n ? takeBox(layout, box) : seed;
    });
    const limit = limits.find((each) => isInside(seed, each));
    return (limit && sharedBox(layout, grown, limit)) ?? grown;
  }

  /**
   * Few boxes that together contain all parts, those with the most parts first.
   * @param {Packed[]} candidates
   * @param {Packed[]} parts
   */
  function coverOf(candidates, parts) {
    const chosen = [];
    let left = parts;
    while (left.length) {
      const counted = candidates.map((box) => left.filter((part) => isInside(part, box)).length);
      const most = Math.max(0, ...counted);
      if (!most) return [...chosen, ...left];
      const best = candidates[counted.indexOf(most)];
      chosen.push(best);
      left = left.filter((part) => !isInside(part, best));
    }
    return chosen;
  }

  /**
   * What is left of the rows that contradict a row, without it.
   * @param {{ row: number }} given
   */
  function cutRivals({ row: index }) {
    const row = rows[index];
    const cut = rivalsOf(row.outcome, row).filter((rival) =>
      rival.boxes.some((box) => row.boxes.some((own) => sharedBox(layout, own, box))),
    );
    return cut.map((rival) => {
      const parts = rival.boxes.flatMap((box) => allParts(box, row.boxes));
      return { row: rival.index, parts: mergedBoxes(layout, parts).map((box) => unpackBox(layout, box)) };
    });
  }

  /**
   * The largest region around a part that no row overlaps.
   * @param {{ sides: Sides }} given
   */
  function growGap({ sides }) {
    const seed = packBox(layout, sides);
    return { sides: unpackBox(layout, grow(seed, [...boxes, ...impossible], [])) };
  }

  /**
   * The rows that a case needs if it should have an outcome: for the largest free region around it, null if rows that
   * cover the case say something else; and for the case alone, where these rows are cut around it.
   * @param {{ sides: Sides, outcome: number }} given
   */
  function growCase({ sides, outcome }) {
    const seed = packBox(layout, sides);
    const covering = rows.filter((row) => row.boxes.some((box) => isInside(seed, box)));
    const against = covering.filter((row) => differ(row.outcome, outcome));
    const rivals = rivalsOf(outcome).flatMap((row) => row.boxes);
    return {
      region: against.length ? null : unpackBox(layout, grow(seed, [...rivals, ...impossible], [])),
      point: unpackBox(layout, seed),
      agreeing: covering.filter((row) => !differ(row.outcome, outcome)).map((row) => row.index),
      cut: against.map((row) => {
        const parts = row.boxes.flatMap((box) => allParts(box, [seed]));
        return { row: row.index, parts: mergedBoxes(layout, parts).map((box) => unpackBox(layout, box)) };
      }),
    };
  }

  // --- what changes

  /** The regions where another outcome is predicted than when the table was opened, and whether these are all. */
  function changedRegions() {
    if (!policy.single) return { list: [], finished: false };
    const [before, after] = [inOrder(opened.rows, opened.policy), inOrder(rows, policy)];
    const same = new Set(commonRows(before, after));
    /** @param {typeof before} some */
    const others = (some) => some.filter((row) => !same.has(row.id)).flatMap((row) => row.boxes);
    const whole = opened.otherwise !== otherwise || opened.policy.how !== policy.how;
    const affected = whole ? [wholeBox(layout)] : [...others(before), ...others(after)];
    /** @type {ChangedRegion[]} */
    const list = [];
    const end = performance.now() + 1500;
    for (const [k, region] of affected.entries()) {
      for (const part of partsLeft(region, [...affected.slice(0, k), ...impossible])) {
        for (const old of decidedParts(part, before, opened)) {
          for (const now of decidedParts(old.box, after, { policy, otherwise })) {
            if (old.outcome === now.outcome) continue;
            list.push({ sides: unpackBox(layout, now.box), before: old.outcome, after: now.outcome });
          }
          if (list.length > MOST_PARTS || performance.now() > end)
            return { list: mergedChanges(list), finished: false };
        }
      }
    }
    return { list: mergedChanges(list), finished: true };
  }

  /** @param {ChangedRegion[]} list */
  function mergedChanges(list) {
    const kinds = new Set(list.map(({ before, after }) => `${before}>${after}`));
    return [...kinds].flatMap((kind) => {
      const own = list.filter(({ before, after }) => `${before}>${after}` === kind);
      const merged = mergedBoxes(
        layout,
        own.map(({ sides }) => packBox(layout, sides)),
      );
      return merged.map((box) => ({ ...own[0], sides: unpackBox(layout, box) }));
    });
  }

  /**
   * Rows in the order in which they decide.
   * @template {{ id: number, boxes: Packed[], outcome: number, index: number }} R
   * @param {R[]} some
   * @param {Policy} by
   */
  function inOrder(some, by) {
    if (!by.ranks) return some;
    return [...some].sort((a, b) => rankIn(by, a.outcome) - rankIn(by, b.outcome) || a.index - b.index);
  }

  /**
   * The rows that are in both versions, unchanged, and in the same order.
   * @param {{ id: number }[]} before
   * @param {{ id: number }[]} after
   */
  function commonRows(before, after) {
    const places = new Map(after.map((row, place) => [row.id, place]));
    const common = [];
    let last = -1;
    for (const { id } of before) {
      const place = places.get(id) ?? -1;
      if (place > last) {
        common.push(id);
        last = place;
      }
    }
    return common;
  }

  /**
   * The parts of a box with what the first row that covers each predicts, CONTRADICTED where rows must agree and do
   * not.
   * @param {Packed} box
   * @param {{ boxes: Packed[], outcome: number }[]} ordered
   * @param {{ policy: Policy, otherwise: number | null }} how
   */
  function decidedParts(box, ordered, { policy: { how }, otherwise: rest }) {
    /** @type {{ box: Packed, outcome: number | null }[]} */
    const decided = [];
    /** @type {Packed[]} */
    const earlier = [];
    for (const row of ordered) {
      for (const own of row.boxes) {
        const shared = sharedBox(layout, own, box);
        if (!shared) continue;
        const against = how === "agree" ? ordered.filter((other) => differ(other.outcome, row.outcome)) : [];
        const rivals = against.flatMap((other) => other.boxes);
        for (const part of partsLeft(shared, earlier)) {
          const free = partsLeft(part, rivals);
          for (const each of free) decided.push({ box: each, outcome: row.outcome });
          for (const each of partsLeft(part, free)) decided.push({ box: each, outcome: CONTRADICTED });
        }
        earlier.push(shared);
      }
    }
    for (const part of partsLeft(box, earlier)) decided.push({ box: part, outcome: rest });
    return decided;
  }

  // --- instances

  /** @param {{ columns: (number | null)[][], rows: number }} given */
  function putInstances({ columns, rows: n }) {
    const { intervals, sets } = layout;
    const values = new Float64Array(intervals.length * n);
    const codes = new Int32Array(sets.length * n);
    intervals.forEach((axis, i) => columns[axis].forEach((value, k) => (values[i * n + k] = value ?? -Infinity)));
    sets.forEach((axis, j) => columns[axis].forEach((code, k) => (codes[j * n + k] = code ?? 0)));
    const cells = [putArray(values), intervals.length, n, putArray(codes), sets.length, n];
    return { address: putStruct(...cells), n };
  }

  /**
   * The box that decides each case, -1 if none does.
   * @param {typeof points} given
   */
  function decidingPlaces(given) {
    const order = inOrder(rows, policy).flatMap((row) => row.boxes.map(() => row));
    const starts = new Map();
    owners.forEach((row, k) => starts.has(row) || starts.set(row, k));
    const seen = new Map();
    const places = order.map((row) => {
      const nth = seen.get(row) ?? 0;
      seen.set(row, nth + 1);
      return starts.get(row) + nth;
    });
    return withKernels(() => {
      const out = allocate(8 * given.n);
      const struct = putStruct(putOrder(places), places.length, 1);
      kernels.deciding(rules, given.address, struct, 0n, BigInt(given.n), out);
      const found = memoryAt(Int32Array, out, 2 * given.n);
      return Int32Array.from({ length: given.n }, (_, k) => found[2 * k]);
    });
  }

  /**
   * The outcome of each case, given by the boxes that decide them.
   * @param {Int32Array} places
   * @param {typeof points} given
   */
  function outcomesAt(places, given) {
    const outcomes = places.map((place) => (place >= 0 ? owners[place].outcome : -1));
    if (policy.how === "agree") withKernels(() => markContradicted(outcomes, given));
    return outcomes;
  }

  /** The outcome of each instance, -1 if no row decides it. */
  const decided = () => outcomesAt(decidingPlaces(points), points);

  /**
   * Mark the instances that rows with different outcomes cover, where they must agree.
   * @param {Int32Array} outcomes
   * @param {typeof points} given
   */
  function markContradicted(outcomes, given) {
    for (const row of rows.filter((each) => each.conflicts)) {
      const packed = putRules(
        layout,
        row.boxes,
        row.boxes.map(() => 0),
      );
      const out = allocate(row.boxes.length * given.n);
      kernels.covering(packed, given.address, 0n, BigInt(given.n), out);
      const covers = memoryAt(Uint8Array, out, row.boxes.length * given.n);
      covers.forEach((covered, k) => {
        const place = k % given.n;
        if (covered && differ(outcomes[place], row.outcome)) outcomes[place] = CONTRADICTED;
      });
    }
  }

  /** @returns {EditedResults} */
  function predictions() {
    if (!instances) throw new Error("there are no instances");
    const answers = decided();
    /** @param {number} answer @param {number | null} rest */
    const withDefault = (answer, rest) => (answer === -1 ? (rest ?? -1) : answer);
    const { outcomes } = instances;
    /** @type {Map<string, number>} */
    const confusion = new Map();
    let [covered, right, changed] = [0, 0, 0];
    answers.forEach((answer, k) => {
      const now = withDefault(answer, otherwise);
      if (answer !== -1) covered += 1;
      if (opened.answers && withDefault(opened.answers[k], opened.otherwise) !== now) changed += 1;
      if (!outcomes) return;
      if (outcomes[k] === now) right += 1;
      const key = `${outcomes[k]},${now}`;
      confusion.set(key, (confusion.get(key) ?? 0) + 1);
    });
    return { rows: answers.length, covered, right: outcomes ? right : null, changed, confusion };
  }

  // --- messages

  /** @type {Record<string, (given: any) => any>} */
  const answers = { freeParts, cutRivals, growGap, growCase, changedRegions };

  return (message) => {
    if (message.type === "open") {
      layout = newLayout(message.axes);
      impossible = message.impossible.map((sides) => packBox(layout, sides));
      ({ contradicts, instances, cases, expected } = message);
      policy = message.opened.policy;
      rows = message.opened.rows.map(newRow);
      pack();
      const together = new Set(rows);
      if (instances) for (const row of rows) link(row, together);
      opened = { ...message.opened, rows, answers: instances && decided() };
      for (const row of rows) row.near = null;
      policy = message.policy;
      rows = [];
      kept = 0;
      byKey.clear();
      repeated.clear();
      pack();
    } else if (message.type === "rows") {
      changeRows(message);
    } else {
      try {
        send({ type: "answer", ask: message.ask, answer: answers[message.what](message.given) });
      } catch (error) {
        const text = error instanceof Error ? error.message : String(error);
        send({ type: "answer", ask: message.ask, answer: null, error: text });
      }
    }
  };
}

/**
 * @param {CheckedRow[]} rows
 * @param {"conflicts" | "overlaps"} kind
 */
const count = (rows, kind) => rows.reduce((sum, row) => sum + row[kind], 0) / 2;

/** @param {Overlap} a @param {Overlap} b */
const compareNear = (a, b) => a.row.index - b.row.index || a.box - b.box;

/**
 * The rank of an outcome; the least wins, and outcomes without a rank come last.
 * @param {Policy} policy
 * @param {number} outcome
 */
const rankIn = ({ ranks }, outcome) => (ranks ? (ranks[outcome] ?? ranks.length) : 0);

/** @param {Layout} layout */
const axisOrderOf = (layout) =>
  layout.axes.map((axis, place) => layout.places[place] + (axis.category ? layout.intervals.length : 0));

/**
 * Call a function after messages that wait.
 * @param {() => void} call
 */
function later(call) {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    call();
  };
  port2.postMessage(null);
}
