// Small drawings of what a condition selects: an interval on how values spread, or some values.

const DRAWN = { width: 300, height: 40, left: 4, right: 296, gutter: 30 };
const MOST_VALUES_DRAWN = 8;
const MOST_TICKS = 40; // more are a grey band that says nothing

/** Draw a condition; the words beside it say the same, so readers of screens do not hear it. */
function drawCondition(feature, condition, text) {
  return feature.kind === "category"
    ? drawValues(feature, condition)
    : drawInterval(feature, condition, text);
}

// --- continuous features

/** How the values of a feature spread, if there are any. */
function spreadOf(feature) {
  return hasCounts() ? feature.distribution : null;
}

function drawInterval(feature, [lower, upper], text) {
  const spread = spreadOf(feature);
  const asMissing = drawnMissing(feature, lower);
  const scale = drawingScale(feature, asMissing);
  const floor = spread ? DRAWN.height : 12;
  const from = scale(lower === null ? -Infinity : lower);
  const to = Math.max(from, scale(upper === null ? Infinity : upper));
  const parts = spread
    ? drawSpread(feature, scale, from, to, floor)
    : [s("path", { class: "axis", d: cutTicks(feature, scale, floor) })];
  if (!spread) parts.push(s("path", { class: "thick", d: `M${from} ${floor}H${to}` }));
  parts.push(s("path", { class: "axis", d: `M${scale.low} ${floor}H${DRAWN.right}` }));
  if (asMissing) parts.push(...drawMissing(feature, lower === null, floor));
  parts.push(...drawEnds(feature, endTexts(feature, text), from, to, floor, scale.low));
  const box = `0 0 ${DRAWN.width} ${floor + 16}`;
  return s("svg", { class: "drawing", viewBox: box, "aria-hidden": "true" }, parts);
}

/** Whether missing values have something to show here: there are some, or the rule takes them. */
function drawnMissing(feature, lower) {
  return feature.missing && (spreadOf(feature)?.missing > 0 || lower === null);
}

function drawingScale(feature, asMissing) {
  const edges = spreadOf(feature)?.edges ?? feature.range;
  const [low, high] = [edges[0], edges.at(-1)];
  // where each whole number has a bin round it, what is below 4 ends between 3 and 4
  const whole = edges.length > 2 && Math.abs(low % 1) === 0.5 && edges[1] - low === 1;
  const left = asMissing ? DRAWN.left + DRAWN.gutter : DRAWN.left;
  const scale = (number) => {
    const value = whole && Number.isFinite(number) ? Math.ceil(number) - 0.5 : number;
    return round1(left + shareBetween(value, low, high) * (DRAWN.right - left));
  };
  scale.low = left;
  return scale;
}

function round1(number) {
  return Math.round(number * 10) / 10;
}

/** The histogram, pale, and once more in colour where the condition holds: two paths. */
function drawSpread(feature, scale, from, to, floor) {
  const { edges, counts } = feature.distribution;
  const most = greatest(counts, 1);
  let all = "";
  let taken = "";
  counts.forEach((count, bin) => {
    if (!count) return;
    // what is there is seen, however little it is beside the most
    const top = round1(floor - Math.max(1.5, (count / most) * (floor - 4)));
    const left = scale(edges[bin]);
    const right = scale(edges[bin + 1]);
    all += `M${left} ${floor}V${top}H${right}V${floor}`;
    const [a, b] = [Math.max(left, from), Math.min(right, to)];
    if (a < b) taken += `M${a} ${floor}V${top}H${b}V${floor}`;
  });
  const band = { class: "band", x: from, y: 0, width: round1(to - from), height: floor };
  return [
    s("rect", band),
    s("path", { class: "all", d: all }),
    s("path", { class: "taken", d: taken }),
  ];
}

/** Where rules cut this feature: all there is to show of it without instances. */
function cutTicks(feature, scale, floor) {
  if (feature.cuts.length > MOST_TICKS) return "";
  return feature.cuts.map((cut) => `M${scale(cut.at)} ${floor - 5}v10`).join("");
}

/** The missing values, beside the others and on their scale; a bar that would leave it is cut off. */
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

/** Mark the ends of an interval with what they are; one label in the middle if it is one value. */
function drawEnds(feature, { lower, upper, single }, from, to, floor, left) {
  if (single) return placedLabels([[(from + to) / 2, single]], floor, left);
  const ends = [[from, lower], [to, upper]].filter(([, text]) => text);
  return [
    ...ends.map(([x]) => s("path", { class: "end", d: `M${x} 0V${floor + 3}` })),
    ...placedLabels(ends, floor, left),
  ];
}

const WIDE_OF_A_LETTER = 7; // at 11 px; a guess that errs on the wide side

/** Put one or two labels under their ends, moved so that they neither leave nor touch. */
function placedLabels(texts, floor, least) {
  const spans = texts.map(([x, text]) => {
    const width = text.length * WIDE_OF_A_LETTER;
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

/** The ends of a condition as its words have them: "<= 3" ends at 3, though the cut is above it. */
function endTexts(feature, text) {
  const [before, after] = splitAtName(feature.name, text.replace(/^\((.*)\)$/, "$1")) ?? ["", ""];
  const lower = /^(\S+) <=? $/.exec(before)?.[1] ?? /^ >=? (\S+)/.exec(after)?.[1];
  const upper = /^ <=? (\S+)/.exec(after)?.[1];
  const single = /^ = (\S+)/.exec(after)?.[1];
  const short = (end) => end && (end.length > 10 ? shorterEnd(feature, end) : end);
  return { lower: short(lower), upper: short(upper), single: short(single) };
}

function shorterEnd(feature, text) {
  const { value } = parseValue(feature, text);
  if (value === undefined || value === null) return `${text.slice(0, 10)}…`;
  if (feature.kind === "number") return formatValue(feature, Number(value.toPrecision(4)));
  return formatTick(feature, value);
}

// --- categories

function drawValues(feature, codes) {
  const taken = new Set(codes);
  const { listed, left } = valuesToDraw(feature, taken);
  const counts = spreadOf(feature)?.counts;
  // without those that are missing: often so many that nothing else would be seen
  const most = counts ? greatest(counts.slice(1), 1) : 1;
  const chips = listed.map((code) =>
    h("span", { class: taken.has(code) ? "taken" : null },
      taken.has(code) ? "✓ " : "", nameWords(barePart(feature.values[code])),
      counts && h("i", { style: { width: `${Math.min(100, (100 * counts[code]) / most)}%` } })),
  );
  if (left) chips.push(h("span", { class: "rest" }, `+${countText(left)}`));
  return h("div", { class: "values", "aria-hidden": "true" }, chips);
}

/** Of many values the most frequent of those that are taken, and of those that are not. */
function valuesToDraw(feature, taken) {
  const counts = feature.distribution?.counts ?? [];
  const codes = feature.admitted;
  if (codes.length <= MOST_VALUES_DRAWN) return { listed: codes, left: 0 };
  const frequent = (list) => list.sort((a, b) => (counts[b] ?? 0) - (counts[a] ?? 0));
  const inside = frequent(codes.filter((code) => taken.has(code)));
  const outside = frequent(codes.filter((code) => !taken.has(code)));
  const share = Math.max(MOST_VALUES_DRAWN - 3, MOST_VALUES_DRAWN - outside.length);
  const first = inside.slice(0, share);
  const listed = [...first, ...outside.slice(0, MOST_VALUES_DRAWN - first.length)];
  return { listed, left: codes.length - listed.length };
}

/** A value or name without the quotes that it needs in the text of a rule. */
function barePart(text) {
  if (!text.startsWith('"')) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

// --- labels

/** What the instances under a rule are: one bar of all outcomes, or a bar for each label. */
function drawMix(mix, support, outcome) {
  if (!mix || !support) return null;
  return summary.several_labels ? drawLabels(mix, support, outcome) : drawShares(mix, support);
}

function drawShares(mix, support) {
  const places = mixPlaces(mix);
  const shares = places.slice(0, 3).map((label, i) =>
    [i ? " · " : "", nameWords(labelText(label)), `: ${countText(mix[label])}`]);
  const more = places.length > 3 ? ` and ${countText(places.length - 3)} more` : "";
  return [mixBar(mix, support), h("p", { class: "small muted" }, shares, more)];
}

/** One bar of all outcomes; pointing at it tells them. */
function mixBar(mix, support) {
  const places = mixPlaces(mix);
  const shares = places.map((label) =>
    h("i", { style: { width: `${(100 * mix[label]) / support}%`, background: colour(label) } }),
  );
  const texts = places.slice(0, MOST_OUTCOMES_SAID).map((label) =>
    `${nameText(labelText(label))}: ${countText(mix[label])}`);
  const said = texts.join(", ");
  const left = places.length - texts.length;
  const words = left > 0 ? `${said} and ${countText(left)} more` : said;
  return h("div", { class: "mix", role: "img", "aria-label": words, title: words }, shares);
}

const MOST_OUTCOMES_SAID = 12;
const MOST_LABELS_DRAWN = 5;

function drawLabels(mix, support, outcome) {
  const said = new Set(outcome === null ? [] : summary.outcomes[outcome].labels);
  const places = mixPlaces(mix);
  const rows = places.slice(0, MOST_LABELS_DRAWN).map((label) =>
    h("div", { class: said.has(label) ? "said" : null },
      h("span", {}, said.has(label) ? "✓ " : "", nameWords(labelText(label))),
      h("span", { class: "bar" }, h("i", { style: { width: `${(100 * mix[label]) / support}%` } })),
      h("span", {}, percentText(mix[label] / support))),
  );
  const left = places.length - rows.length;
  return [
    h("div", { class: "label-bars" }, rows),
    left > 0 && h("p", { class: "small muted" }, `and ${pluralText(left, "more label")}`),
  ];
}

function mixPlaces(mix) {
  return mix.map((_, place) => place).filter((place) => mix[place] > 0).sort((a, b) => mix[b] - mix[a]);
}

function labelText(label) {
  return summary.labels[label].text;
}
