// @ts-check
// The chart of the rule sets by size and score.

import { h, s, within } from "../dom.js";
import { distinctScores, hasScore, mainScore, scoreNames, scoresOf, sizeText } from "./scores.js";
import { greatest, round1 } from "../numbers.js";
import { showModel, state } from "../state.js";
import { summary } from "../summary.js";
import { countText, scoreText } from "../words.js";

const CHART = { height: 280, left: 52, right: 18, top: 16, bottom: 44 };

const REACH = 17; // radius of the touch target of a point

const STRETCHED = "small numbers are spread wider";

/**
 * The measure of size on the axis, and the width of the chart.
 * @type {{ by: "conditions" | "rules", width: number }}
 */
export const frontChart = { by: "conditions", width: 640 };

/** Whether the title of the axis can be long. */
function isWide() {
  return frontChart.width > 400;
}

export function frontDrawing() {
  const scales = frontScales();
  const { x, y, ticks } = scales;
  const { width } = frontChart;
  const floor = CHART.height - CHART.bottom;
  const middle = (CHART.left + width - CHART.right) / 2;
  const label = "Rule sets by size and score; the table below has the same data";
  return s(
    "svg",
    { class: "chart", viewBox: `0 0 ${width} ${CHART.height}`, role: "group", "aria-label": label },
    ticks.y.map((tick) => [
      s("path", { class: "grid", d: `M${CHART.left} ${y(tick)}H${width - CHART.right}` }),
      s("text", { x: CHART.left - 8, y: y(tick) + 4, "text-anchor": "end" }, String(tick)),
    ]),
    ticks.x.map((tick) => s("path", { class: "grid", d: `M${x(tick)} ${floor}v5` })),
    ticks.x.map((tick) =>
      s(
        "text",
        { class: tick === usedSize() ? "name" : null, x: x(tick), y: floor + 18, "text-anchor": "middle" },
        countText(tick),
      ),
    ),
    s(
      "text",
      { class: "name", x: middle, y: CHART.height - 6, "text-anchor": "middle" },
      `number of ${frontChart.by}${isWide() ? ` (${STRETCHED})` : ""}`,
    ),
    s("text", { class: "name", x: 0, y: 11 }, "score"),
    summary.models.map((one, place) => pointNote(one, place, scales)),
    summary.models.map((one, place) => frontPoint(one, place, scales)),
  );
}

/** The scores that define the range of the chart. A rule set without rules is often so much worse than the
 * others that they could not be distinguished; it is then drawn at the bottom, with its score as text. */
function drawnScores() {
  /** @param {ModelRecord[]} models */
  const scores = (models) => models.flatMap((one) => Object.values(scoresOf(one))).filter((score) => score !== null);
  const withRules = scores(summary.models.filter((one) => one.size.rules > 0));
  const all = scores(summary.models);
  const [low, high] = [least(withRules), greatest(withRules, 0)];
  return withRules.length > 1 && low - least(all) > 2 * Math.max(0.02, high - low) ? withRules : all;
}

/** @param {number[]} scores */
function least(scores) {
  return scores.reduce((low, score) => Math.min(low, score), 1);
}

/** The size of the rule set in use, which is a tick of the axis. */
function usedSize() {
  return summary.models[summary.chosen].size[frontChart.by];
}

function frontScales() {
  const sizes = summary.models.map((one) => one.size[frontChart.by]);
  const scores = summary.models.flatMap((one) => Object.values(scoresOf(one))).filter((score) => score !== null);
  const [largest, low, high] = [greatest(sizes, 1), least(drawnScores()), greatest(scores, 0)];
  const room = Math.max(0.02, (high - low) * 0.12);
  const [from, to] = [Math.max(0, low - room), Math.min(1, high + room)];
  const floor = CHART.height - CHART.bottom;
  const wide = frontChart.width - CHART.left - CHART.right - 16;
  return {
    // a square-root scale, because there are more small rule sets than large ones; the axis title mentions it
    /** @param {number} size */
    x: (size) => round1(CHART.left + 8 + Math.sqrt(size / largest) * wide),
    /** @param {number} score */
    y: (score) => round1(floor - Math.max(0, (score - from) / (to - from)) * (floor - CHART.top - 8)),
    /** @param {number} score */
    isBelow: (score) => score < from,
    ticks: { x: sizeTicks(largest, wide), y: scoreTicks(from, to) },
  };
}

/**
 * The size in use, and 0, 1, 2, 5, 10 and so on without ticks that would overlap.
 * @param {number} largest
 * @param {number} wide
 */
function sizeTicks(largest, wide) {
  /** @param {number} tick */
  const at = (tick) => Math.sqrt(tick / largest) * wide;
  const ticks = [usedSize()];
  /** @param {number} tick */
  const free = (tick) => tick <= largest && ticks.every((other) => Math.abs(at(tick) - at(other)) >= 32);
  if (free(0)) ticks.push(0);
  for (let power = 1; power <= largest; power *= 10) {
    for (const tick of [power, 2 * power, 5 * power]) if (free(tick)) ticks.push(tick);
  }
  return ticks.sort((a, b) => a - b);
}

/**
 * About five round numbers between two scores.
 * @param {number} low
 * @param {number} high
 */
function scoreTicks(low, high) {
  const rough = (high - low) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((each) => each * power >= rough) ?? 10);
  const ticks = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9; k += 1)
    ticks.push(Number((k * step).toPrecision(6)));
  return ticks;
}

/**
 * A rule set as a button: its scores above each other, and a touch target.
 * @param {ModelRecord} one
 * @param {number} place
 * @param {ChartScales} chartScales
 */
function frontPoint(one, place, { x, y }) {
  const { validated, training, counted } = distinctScores(one);
  const best = mainScore(one);
  if (best === null) return null;
  const [cx, cy] = [x(one.size[frontChart.by]), y(best)];
  const used = place === summary.chosen;
  const name = `${sizeText(one)}, ${scoreNames(one)}${used ? ", the one in use" : ""}`;
  const heights = [best, training, counted].filter((score) => score !== null).map(y);
  const [top, bottom] = [Math.min(...heights), Math.max(...heights)];
  return s(
    "g",
    {
      role: "button",
      tabindex: 0,
      "data-model": place,
      "aria-label": name,
      "aria-pressed": String(place === state.model),
      onclick: clickOnPoint,
      onkeydown: keyOnPoint,
    },
    s("title", {}, name),
    s("rect", { class: "target", x: cx - REACH, y: top - REACH, width: 2 * REACH, height: bottom - top + 2 * REACH }),
    s("path", { class: "link-up", d: `M${cx} ${top}V${bottom}` }),
    validated !== null && training !== null && s("circle", { class: "training", cx, cy: y(training), r: 4 }),
    counted !== null && s("path", { class: "counted", d: crossPath(cx, y(counted)) }),
    s("circle", { class: "main", cx, cy, r: used ? 7 : 5 }),
    s("circle", { class: "ring", cx, cy, r: 11 }),
  );
}

/**
 * Show the rule set that was clicked: the nearest one if touch targets overlap.
 * @param {MouseEvent & { currentTarget: SVGGElement }} event
 */
function clickOnPoint(event) {
  const own = event.currentTarget;
  const points = /** @type {SVGGElement[]} */ ([...(own.parentElement?.querySelectorAll("g[data-model]") ?? [])]);
  const nearest = points.reduce((best, each) => (distanceTo(each, event) < distanceTo(best, event) ? each : best), own);
  // keys and assistive technologies click without a position
  showModel(Number((event.detail ? nearest : own).dataset.model));
}

/**
 * The distance of a click from the scores of a rule set.
 * @param {Element} point
 * @param {{ clientX: number, clientY: number }} click
 */
function distanceTo(point, { clientX, clientY }) {
  const box = within(point, ".target").getBoundingClientRect();
  const reach = box.width / 2;
  const y = Math.max(box.top + reach, Math.min(clientY, box.bottom - reach));
  return Math.hypot(clientX - box.left - reach, clientY - y);
}

/** @param {KeyboardEvent & { currentTarget: SVGGElement }} event */
function keyOnPoint(event) {
  if (event.key !== "Enter" && event.key !== " ") return;
  event.preventDefault();
  showModel(Number(event.currentTarget.dataset.model));
}

/**
 * Text next to a point: whether it is in use, and its score if it is below the range of the chart.
 * @param {ModelRecord} one
 * @param {number} place
 * @param {ChartScales} chartScales
 */
function pointNote(one, place, { x, y, isBelow }) {
  const best = mainScore(one);
  if (best === null) return null;
  const [cx, cy] = [x(one.size[frontChart.by]), y(best)];
  const anchor = cx > frontChart.width - 60 ? "end" : "middle";
  // below its point, but not on the axis
  const under = cy + 26 < CHART.height - CHART.bottom ? 26 : -16;
  return [
    isBelow(best) && s("text", { x: cx + 14, y: cy + 4 }, `↓ ${scoreText(best)}`),
    place === summary.chosen && s("text", { class: "used", x: cx, y: cy + under, "text-anchor": anchor }, "in use"),
  ];
}

/**
 * @param {number} x
 * @param {number} y
 */
function crossPath(x, y) {
  return `M${x - 4} ${y - 4}l8 8m-8 0l8 -8`;
}

export function frontLegend() {
  /** @param {...Child} shape */
  const sign = (...shape) => s("svg", { class: "chart", viewBox: "0 0 14 14", "aria-hidden": "true" }, shape);
  const dot = sign(s("circle", { class: "main", cx: 7, cy: 7, r: 5 }));
  const hollow = sign(s("circle", { class: "training", cx: 7, cy: 7, r: 4 }));
  const cross = sign(s("path", { class: "counted", d: crossPath(7, 7) }));
  const left =
    hasScore("training") && summary.models.some((one) => scoresOf(one).counted !== distinctScores(one).counted);
  return h(
    "p",
    { class: "legend" },
    h("span", {}, dot, hasScore("validated") ? "validated score" : "training score"),
    hasScore("validated") && hasScore("training") && h("span", {}, hollow, "training score"),
    hasScore("counted") && h("span", {}, cross, "accuracy on the instances"),
    !isWide() && h("span", {}, `On the axis ${STRETCHED}.`),
    left && h("span", {}, "The accuracy on the instances equals the training score and is not drawn again."),
  );
}
