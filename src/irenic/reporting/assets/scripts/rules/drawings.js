// @ts-check
// Small drawings of conditions: an interval over the distribution of values.

import { isCategory, valueBefore } from "../values/features.js";
import { s } from "../dom.js";
import { greatest, round1, shareBetween } from "../numbers.js";
import { featureNamed, hasCounts } from "../summary.js";
import { formatValue } from "../values/texts.js";
import { formatTick } from "../values/ticks.js";

const DRAWN = { width: 300, height: 40, left: 4, right: 296, gutter: 30 };

const TICK_LIMIT = 40; // more would merge into a gray band

/**
 * Draw a condition on a number. Screen readers skip the drawing, because the text next to it says the same.
 * @param {ConditionParts} parts
 * @param {Condition} condition
 */
export function drawCondition(parts, condition) {
  const feature = featureNamed(parts.feature);
  return isCategory(feature) || parts.values !== undefined ? null : drawInterval(feature, condition, parts);
}

/**
 * The distribution of the values of a feature, if there are any.
 * @param {ContinuousRecord} feature
 */
function spreadOf(feature) {
  return hasCounts() ? feature.distribution : null;
}

/**
 * @param {ContinuousRecord} feature
 * @param {Condition} condition
 * @param {IntervalParts} parts
 */
function drawInterval(feature, [lower, upper], parts) {
  const spread = spreadOf(feature);
  const asMissing = drawnMissing(feature, lower);
  const scale = drawingScale(feature, asMissing);
  const floor = spread ? DRAWN.height : 12;
  const from = scale(lower === null ? -Infinity : lower);
  const to = Math.max(from, scale(upper === null ? Infinity : upper));
  const labels = placedLabels(endLabels(endTexts(feature, [lower, upper], parts), from, to), scale.low);
  const thick = [
    s("path", { class: "axis", d: cutTicks(feature, scale, floor) }),
    s("path", { class: "thick", d: `M${from} ${floor}H${to}` }),
  ];
  return s(
    "svg",
    { class: "drawing", viewBox: `0 0 ${DRAWN.width} ${floor + 16}`, "aria-hidden": "true" },
    spread ? drawSpread(spread, scale, from, to, floor) : thick,
    s("path", { class: "axis", d: `M${scale.low} ${floor}H${DRAWN.right}` }),
    asMissing && drawMissing(feature, lower === null, floor),
    drawEnds(labels, from, to, floor),
    axisEnds(
      feature,
      floor,
      asMissing ? scale.low + 12 : 0,
      labels.map(({ x, width }) => [x, x + width]),
    ),
  );
}

/**
 * Whether missing values are drawn: there are some, or the rule admits them.
 * @param {ContinuousRecord} feature
 * @param {Value} lower
 */
function drawnMissing(feature, lower) {
  return feature.missing && ((spreadOf(feature)?.missing ?? 0) > 0 || lower === null);
}

/**
 * A scale on which all bins are equally wide; between their edges it is linear.
 * @param {ContinuousRecord} feature
 * @param {boolean} asMissing
 */
function drawingScale(feature, asMissing) {
  const edges = spreadOf(feature)?.edges ?? feature.range;
  const bins = edges.length - 1;
  // if each whole number has its own bin, a condition "below 4" ends between 3 and 4
  const hasWholeBins = bins > 1 && Math.abs(edges[0] % 1) === 0.5 && edges[1] - edges[0] === 1;
  const left = asMissing ? DRAWN.left + DRAWN.gutter : DRAWN.left;
  /** @param {number} number */
  const scale = (number) => {
    const value = hasWholeBins && Number.isFinite(number) ? Math.ceil(number) - 0.5 : number;
    const after = edges.findIndex((edge) => edge > value);
    const bin = after < 0 ? bins - 1 : Math.max(0, after - 1);
    const share = (bin + shareBetween(value, edges[bin], edges[bin + 1])) / bins;
    return round1(left + share * (DRAWN.right - left));
  };
  scale.low = left;
  return scale;
}

/**
 * Whether bins grow with the values, because the values are very skewed.
 * @param {number[]} edges
 */
function isStretched(edges) {
  const n = edges.length;
  return n > 2 && edges[n - 1] - edges[n - 2] > 2 * (edges[1] - edges[0]);
}

/**
 * The least and the greatest value, in pale, where the labels of the condition leave room.
 * @param {ContinuousRecord} feature
 * @param {number} floor
 * @param {number} left
 * @param {[number, number][]} taken
 */
function axisEnds(feature, floor, left, taken) {
  const spread = spreadOf(feature);
  if (!spread || spread.least === null || spread.greatest === null) return null;
  const low = shortText(feature, spread.least);
  const high = `${shortText(feature, spread.greatest)}${isStretched(spread.edges) ? " (log)" : ""}`;
  const width = high.length * LETTER_WIDTH;
  /** @type {[string, number, number][]} */
  const ends = [
    [low, left, low.length * LETTER_WIDTH],
    [high, DRAWN.width - width, width],
  ];
  return ends
    .filter(([, x, wide]) => taken.every(([from, to]) => to + 4 < x || from - 4 > x + wide))
    .map(([text, x]) => {
      const atEnd = x === left ? {} : { "text-anchor": "end" };
      return s("text", { class: "pale", x: x === left ? x : DRAWN.width, y: floor + 13, ...atEnd }, text);
    });
}

/**
 * The histogram in pale, and the part where the condition holds in color.
 * @param {NonNullable<ContinuousRecord["distribution"]>} distribution
 * @param {(number: number) => number} scale
 * @param {number} from
 * @param {number} to
 * @param {number} floor
 */
function drawSpread({ edges, counts }, scale, from, to, floor) {
  const highest = greatest(counts, 1);
  let all = "";
  let taken = "";
  counts.forEach((count, bin) => {
    if (!count) return;
    // even the lowest bar is visible
    const top = round1(floor - Math.max(1.5, (count / highest) * (floor - 4)));
    const left = scale(edges[bin]);
    const right = scale(edges[bin + 1]);
    all += `M${left} ${floor}V${top}H${right}V${floor}`;
    const [a, b] = [Math.max(left, from), Math.min(right, to)];
    if (a < b) taken += `M${a} ${floor}V${top}H${b}V${floor}`;
  });
  const band = { class: "band", x: from, y: 0, width: round1(to - from), height: floor };
  return [s("rect", band), s("path", { class: "all", d: all }), s("path", { class: "taken", d: taken })];
}

/**
 * Ticks at the cuts of rules, drawn if there are no instances.
 * @param {ContinuousRecord} feature
 * @param {(number: number) => number} scale
 * @param {number} floor
 */
function cutTicks(feature, scale, floor) {
  if (feature.cuts.length > TICK_LIMIT) return "";
  return feature.cuts.map((cut) => `M${scale(cut.at)} ${floor - 5}v10`).join("");
}

/**
 * The bar of missing values, on the scale of the others; one that is too high is cut off.
 * @param {ContinuousRecord} feature
 * @param {boolean} taken
 * @param {number} floor
 */
function drawMissing(feature, taken, floor) {
  const spread = spreadOf(feature);
  const share = spread ? spread.missing / greatest(spread.counts, 1) : 0;
  const height = spread ? Math.max(2, Math.min(1, share) * (floor - 4)) : 8;
  const look = { x: DRAWN.left + 6, width: 10, y: round1(floor - height), height: round1(height) };
  return [
    s("rect", { class: taken ? "taken" : "all", ...look }),
    share > 1 && s("path", { class: "cut-off", d: `M${look.x - 2} ${floor - height + 9}l14 -5` }),
    s("text", { x: 0, y: floor + 12 }, taken ? "missing" : "miss."),
  ];
}

/**
 * The labels of the ends of an interval, or of its middle if it is a single value, with their positions.
 * @param {{ lower: string, upper: string, single: string }} texts
 * @param {number} from
 * @param {number} to
 * @returns {[number, string][]}
 */
function endLabels({ lower, upper, single }, from, to) {
  if (single) return [[(from + to) / 2, single]];
  /** @type {[number, string][]} */
  const both = [
    [from, lower],
    [to, upper],
  ];
  return both.filter(([, text]) => text);
}

/**
 * Draw the labels of an interval, with lines at the ends that they are at.
 * @param {{ at: number, x: number, text: string }[]} labels
 * @param {number} from
 * @param {number} to
 * @param {number} floor
 */
function drawEnds(labels, from, to, floor) {
  return [
    labels
      .filter(({ at }) => at === from || at === to)
      .map(({ at }) => s("path", { class: "end", d: `M${at} 0V${floor + 3}` })),
    labels.map(({ x, text }) => s("text", { x: round1(x), y: floor + 13 }, text)),
  ];
}

const LETTER_WIDTH = 7; // at 11 px; rather too wide than too narrow

/**
 * Place one or two labels under their ends, without overlaps and inside the drawing.
 * @param {[number, string][]} texts
 * @param {number} least
 */
function placedLabels(texts, least) {
  const spans = texts.map(([x, text]) => {
    const width = text.length * LETTER_WIDTH;
    const start = least > DRAWN.left ? least + 12 : 0; // beside the word "missing"
    return { at: x, text, width, x: Math.max(start, Math.min(x - width / 2, DRAWN.width - width)) };
  });
  if (spans.length === 2) {
    const [a, b] = spans;
    const overlap = a.x + a.width + 8 - b.x;
    if (overlap > 0) {
      const left = Math.min(overlap / 2, a.x);
      a.x -= left;
      b.x += overlap - left;
      const over = b.x + b.width - DRAWN.width;
      if (over > 0) [a.x, b.x] = [Math.max(0, a.x - over), b.x - over];
    }
  }
  return spans;
}

/**
 * The ends of a condition as they are written: "<= 3" ends at 3, though the cut is above it.
 * @param {ContinuousRecord} feature
 * @param {Condition} condition
 * @param {IntervalParts} parts
 */
function endTexts(feature, [from, to], { lower, upper, equal }) {
  /**
   * @param {string} text
   * @param {Value} cut
   * @param {boolean} below
   */
  const short = (text, cut, below) => {
    if (text.length <= 10 || cut === null) return text;
    return shortText(feature, below ? valueBefore(feature, cut) : cut);
  };
  return {
    lower: lower ? short(lower.text, from, lower.open) : "",
    upper: upper ? short(upper.text, to, !upper.open) : "",
    single: equal ? short(equal.text, from, false) : "",
  };
}

/**
 * @param {ContinuousRecord} feature
 * @param {number} value
 */
function shortText(feature, value) {
  if (feature.kind === "number") return formatValue(feature, Number(value.toPrecision(4)));
  return formatTick(feature, value);
}
