// @ts-check
// Small drawings of conditions: an interval over the distribution of values, or a set of values.

import { isCategory, valueBefore } from "../values/features.js";
import { h, nameWords, s } from "../dom.js";
import { greatest, round1, shareBetween } from "../numbers.js";
import { featureNamed, hasCounts } from "../summary.js";
import { formatValue } from "../values/texts.js";
import { formatTick } from "../values/ticks.js";
import { countText } from "../words.js";

const DRAWN = { width: 300, height: 40, left: 4, right: 296, gutter: 30 };

const DRAWN_VALUE_LIMIT = 8;

const TICK_LIMIT = 40; // more would merge into a gray band

/**
 * Draw a condition. Screen readers skip the drawing, because the text next to it says the same.
 * @param {ConditionParts} parts
 * @param {Condition} condition
 */
export function drawCondition(parts, condition) {
  const feature = featureNamed(parts.feature);
  if (isCategory(feature)) return drawValues(feature, condition);
  return parts.values === undefined ? drawInterval(feature, condition, parts) : null;
}

/**
 * The distribution of the values of a feature, if there are any.
 * @param {Continuous} feature
 */
function spreadOf(feature) {
  return hasCounts() ? feature.distribution : null;
}

/**
 * @param {Continuous} feature
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
    drawEnds(endTexts(feature, [lower, upper], parts), from, to, floor, scale.low),
  );
}

/**
 * Whether missing values are drawn: there are some, or the rule admits them.
 * @param {Continuous} feature
 * @param {Value} lower
 */
function drawnMissing(feature, lower) {
  return feature.missing && ((spreadOf(feature)?.missing ?? 0) > 0 || lower === null);
}

/**
 * @param {Continuous} feature
 * @param {boolean} asMissing
 */
function drawingScale(feature, asMissing) {
  const edges = spreadOf(feature)?.edges ?? feature.range;
  const [low, high] = [edges[0], edges[edges.length - 1]];
  // if each whole number has its own bin, a condition "below 4" ends between 3 and 4
  const hasWholeBins = edges.length > 2 && Math.abs(low % 1) === 0.5 && edges[1] - low === 1;
  const left = asMissing ? DRAWN.left + DRAWN.gutter : DRAWN.left;
  /** @param {number} number */
  const scale = (number) => {
    const value = hasWholeBins && Number.isFinite(number) ? Math.ceil(number) - 0.5 : number;
    return round1(left + shareBetween(value, low, high) * (DRAWN.right - left));
  };
  scale.low = left;
  return scale;
}

/**
 * The histogram in pale, and the part where the condition holds in color.
 * @param {NonNullable<Continuous["distribution"]>} distribution
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
 * @param {Continuous} feature
 * @param {(number: number) => number} scale
 * @param {number} floor
 */
function cutTicks(feature, scale, floor) {
  if (feature.cuts.length > TICK_LIMIT) return "";
  return feature.cuts.map((cut) => `M${scale(cut.at)} ${floor - 5}v10`).join("");
}

/**
 * The bar of missing values, on the scale of the others; one that is too high is cut off.
 * @param {Continuous} feature
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
 * Label the ends of an interval, or its middle if it is a single value.
 * @param {{ lower: string, upper: string, single: string }} texts
 * @param {number} from
 * @param {number} to
 * @param {number} floor
 * @param {number} left
 */
function drawEnds({ lower, upper, single }, from, to, floor, left) {
  if (single) return placedLabels([[(from + to) / 2, single]], floor, left);
  /** @type {[number, string][]} */
  const both = [
    [from, lower],
    [to, upper],
  ];
  const ends = both.filter(([, text]) => text);
  return [
    ...ends.map(([x]) => s("path", { class: "end", d: `M${x} 0V${floor + 3}` })),
    ...placedLabels(ends, floor, left),
  ];
}

const LETTER_WIDTH = 7; // at 11 px; rather too wide than too narrow

/**
 * Place one or two labels under their ends, without overlaps and inside the drawing.
 * @param {[number, string][]} texts
 * @param {number} floor
 * @param {number} least
 */
function placedLabels(texts, floor, least) {
  const spans = texts.map(([x, text]) => {
    const width = text.length * LETTER_WIDTH;
    const start = least > DRAWN.left ? least + 12 : 0; // beside the word "missing"
    return { text, width, x: Math.max(start, Math.min(x - width / 2, DRAWN.width - width)) };
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
  return spans.map(({ x, text }) => s("text", { x: round1(x), y: floor + 13 }, text));
}

/**
 * The ends of a condition as they are written: "<= 3" ends at 3, though the cut is above it.
 * @param {Continuous} feature
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
 * @param {Continuous} feature
 * @param {number} value
 */
function shortText(feature, value) {
  if (feature.kind === "number") return formatValue(feature, Number(value.toPrecision(4)));
  return formatTick(feature, value);
}

/**
 * @param {Category} feature
 * @param {Condition} codes
 */
function drawValues(feature, codes) {
  const taken = new Set(codes);
  const { listed, left } = valuesToDraw(feature, taken);
  const counts = hasCounts() ? feature.distribution?.counts : undefined;
  // without missing values, which are often so many that other bars would be invisible
  const highest = counts ? greatest(counts.slice(1), 1) : 1;
  const chips = listed.map((code) =>
    h(
      "span",
      { class: taken.has(code) ? "taken" : null },
      taken.has(code) ? "✓ " : "",
      nameWords(feature.values[code]),
      counts && h("i", { style: { width: `${Math.min(100, (100 * counts[code]) / highest)}%` } }),
    ),
  );
  if (left) chips.push(h("span", { class: "rest" }, `+${countText(left)}`));
  return h("div", { class: "values", "aria-hidden": "true" }, chips);
}

/**
 * The values to draw: if there are many, the most frequent admitted and excluded ones.
 * @param {Category} feature
 * @param {Set<Value>} taken
 */
function valuesToDraw(feature, taken) {
  const counts = feature.distribution?.counts ?? [];
  const codes = feature.admitted;
  if (codes.length <= DRAWN_VALUE_LIMIT) return { listed: codes, left: 0 };
  /** @param {number[]} list */
  const frequent = (list) => list.sort((a, b) => (counts[b] ?? 0) - (counts[a] ?? 0));
  const inside = frequent(codes.filter((code) => taken.has(code)));
  const outside = frequent(codes.filter((code) => !taken.has(code)));
  const share = Math.max(DRAWN_VALUE_LIMIT - 3, DRAWN_VALUE_LIMIT - outside.length);
  const first = inside.slice(0, share);
  const listed = [...first, ...outside.slice(0, DRAWN_VALUE_LIMIT - first.length)];
  return { listed, left: codes.length - listed.length };
}
