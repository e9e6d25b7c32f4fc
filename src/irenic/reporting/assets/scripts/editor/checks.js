// @ts-check
// The worker that checks the table, and what it knows about the last version.

import { sidesOfTest, testFrom } from "./cells.js";
import { contradictions } from "./outcomes.js";
import { boxesOfRow } from "./table.js";
import { byId } from "../dom.js";
import { summary } from "../summary.js";
import { isCategory, LOWEST } from "../values/features.js";

const NOTHING_FOUND = {
  gaps: { count: 0, list: [], finished: false, known: false, open: [], openFinished: false },
};

/**
 * Start a worker that checks a table after each change.
 * @param {EditedTable} table
 * @param {(status: Status) => void} show
 * @param {() => void} fail called if the browser does not allow a worker, or it fails
 */
export function startChecks(table, show, fail) {
  const source = new Blob([byId("worker").textContent ?? ""], { type: "text/javascript" });
  const address = URL.createObjectURL(source);
  const worker = new Worker(address);
  worker.onerror = () => fail();
  /** @type {Map<number, { resolve: (answer: any) => void, reject: (error: Error) => void }>} */
  const asked = new Map();
  /** @type {Status | null} */
  let status = null;
  /** @type {((status: Status) => void)[]} */
  let waiting = [];
  let [version, growth, asks] = [0, -1, 0];
  /** @type {TableRow[]} */
  let sent = [];
  /** @type {Snapshot | null} */
  let sentSnapshot = null;
  let sentKnown = true;
  worker.onmessage = ({ data }) => {
    if (data.type === "answer") {
      const { resolve, reject } = asked.get(data.ask) ?? {};
      asked.delete(data.ask);
      if (data.error) reject?.(new Error(data.error));
      else resolve?.(data.answer);
      return;
    }
    const gaps = status && { ...status.gaps, known: status.gaps.known && data.status.version === status.version };
    status = /** @type {Status} */ ({ ...NOTHING_FOUND, ...status, ...(gaps && { gaps }), ...data.status });
    show(status);
    if (status.done && status.version === version) {
      for (const resolve of waiting) resolve(status);
      waiting = [];
    }
  };
  /** @param {CheckerMessage} message */
  const post = (message) => worker.postMessage(message);
  const update = () => {
    const known = testsOnlyKnown(table);
    if (growth !== table.growth || sentSnapshot?.policy !== table.now.policy || known !== sentKnown) {
      post(openMessage(table));
      sent = [];
      [growth, sentKnown] = [table.growth, known];
    }
    const { rows } = table.now;
    const [start, end] = commonEnds(sent, rows);
    version += 1;
    const added = rows.slice(start, rows.length - end).map(sentRow);
    const removed = sent.length - end - start;
    post({ type: "rows", version, start, removed, added, otherwise: table.now.otherwise });
    sent = rows;
    sentSnapshot = table.now;
  };
  return {
    update,
    status: () => status,
    isCurrent: () => status !== null && status.version === version,
    /** @returns {Promise<Status>} */
    settled: () =>
      status?.done && status.version === version
        ? Promise.resolve(status)
        : new Promise((resolve) => void waiting.push(resolve)),
    /**
     * @param {string} what
     * @param {any} [given]
     * @returns {Promise<any>}
     */
    ask: (what, given = {}) =>
      new Promise((resolve, reject) => {
        asked.set(++asks, { resolve, reject });
        post({ type: "ask", ask: asks, what, given });
      }),
    stop: () => {
      worker.terminate();
      URL.revokeObjectURL(address);
    },
  };
}

/**
 * How many rows are the same at the beginning and at the end.
 * @param {TableRow[]} before
 * @param {TableRow[]} after
 */
function commonEnds(before, after) {
  const most = Math.min(before.length, after.length);
  let [start, end] = [0, 0];
  while (start < most && before[start] === after[start]) start += 1;
  while (end < most - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  return [start, end];
}

/** @param {TableRow} row @returns {SentRow} */
const sentRow = (row) => ({ id: row.id, boxes: boxesOfRow(row), outcome: row.outcome ?? 0 });

/** @param {EditedTable} table @returns {CheckerMessage} */
function openMessage(table) {
  const { features, opened } = table;
  return {
    type: "open",
    axes: features.map(axisOf),
    impossible: table.impossible.map((box) => sidesOfBox(features, box)),
    policy: table.now.policy,
    contradicts: contradictions(table.outcomes),
    opened: { rows: opened.rows.map(sentRow), policy: opened.policy, otherwise: opened.otherwise },
    instances: instancesOf(table),
    expected: {
      properties: table.asked.map((asked) => asked && askedSides(features, asked)),
      values: table.outcomes.map(({ value }) => value),
    },
    cases: casesOf(table),
  };
}

/**
 * @param {EditedFeature[]} features
 * @param {Box} box
 * @returns {Sides}
 */
function sidesOfBox(features, box) {
  return features.map((feature) => {
    const test = testFrom(feature, Object.hasOwn(box, feature.name) ? box[feature.name] : null);
    return sidesOfTest(test)[0];
  });
}

/**
 * @param {EditedFeature[]} features
 * @param {AskedRecord} asked
 * @returns {AskedSides}
 */
function askedSides(features, asked) {
  const feature = features.findIndex(({ name }) => name === asked.feature);
  return {
    ...asked,
    where: asked.where.map((box) => sidesOfBox(features, box)),
    excused: asked.excused.map((box) => sidesOfBox(features, box)),
    feature: feature < 0 ? null : feature,
  };
}

/** @param {EditedTable} table */
function casesOf({ features }) {
  const { cases } = summary;
  if (!cases.length) return null;
  return { columns: features.map(({ name }) => cases.map((each) => each.case[name])), rows: cases.length };
}

/** @param {EditedFeature} feature @returns {Axis} */
function axisOf(feature) {
  if (isCategory(feature)) return { category: true, admitted: feature.admitted, declared: feature.declared };
  const { lowest, end, missing, step } = feature;
  return { category: false, lowest: lowest ?? LOWEST, end: end ?? Infinity, missing, step };
}

/** @param {EditedTable} table */
function instancesOf(table) {
  const { instances } = summary;
  if (!instances?.shown || !table.now.policy.single || !testsOnlyKnown(table)) return null;
  const columns = table.features.map((feature) => {
    // any value will do where no row tests the feature
    const some = isCategory(feature) ? feature.admitted[0] : feature.range[0];
    return instances.columns[feature.name] ?? new Array(instances.shown).fill(some);
  });
  return { columns, outcomes: instances.outcomes, rows: instances.shown };
}

/**
 * Whether rows test only features whose values the page has: those that were tested when it was made.
 * @param {EditedTable} table
 */
function testsOnlyKnown({ features, now }) {
  const { instances } = summary;
  const unknown = instances ? features.flatMap(({ name }, k) => (instances.columns[name] ? [] : [k])) : [];
  return !now.rows.some((row) => unknown.some((k) => sidesOfTest(row.cells[k].test)[0] !== null));
}
