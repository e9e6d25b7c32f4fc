// The rule sets to choose from: how large they are, and how well they do.

const CHART = { height: 280, left: 52, right: 18, top: 16, bottom: 44 };

/** By which size the chart is drawn. */
const frontChart = { by: "conditions", width: 640 };

function startFront(section) {
  if (summary.models.length < 2) return;
  on("model", () => drawFront(section));
  drawFront(section);
  // drawn anew for the width there is, so that its letters stay as large as the others
  new ResizeObserver(() => {
    const width = chartWidth(section);
    if (Math.abs(width - frontChart.width) > 20) drawFront(section);
  }).observe(section);
}

function chartWidth(section) {
  const whole = section.clientWidth || 620;
  return Math.max(300, Math.min(620, whole < 872 ? whole : whole / 2 - 20));
}

function drawFront(section) {
  frontChart.width = chartWidth(section);
  const focused = document.activeElement?.getAttribute?.("data-model");
  const within = section.contains(document.activeElement);
  show(section,
    h("h2", {}, "Smaller or more accurate"),
    h("p", { class: "lead" }, frontLead()),
    h("p", { class: "choice" },
      h("span", { class: "muted" }, "Size by number of"), sizeButton("conditions"), sizeButton("rules")),
    shownNotice(),
    h("div", { class: "front" },
      h("div", {}, frontDrawing(), frontLegend()),
      frontTable()));
  if (within && focused) section.querySelector(`[data-model="${focused}"]`)?.focus();
}

function frontLead() {
  const n = summary.models.length;
  return `${countText(n)} rule sets were kept: no other was found that is both smaller and better on `
    + "the rows learned from. Choose one, and the whole page shows it. The score is 1 if everything is right"
    + (summary.models.some((one) => one.front?.validated_score !== null)
      ? "; the validated one is from rows that the rules were not learned from, so trust that one." : ".");
}

function sizeButton(by) {
  const choose = (event) => {
    frontChart.by = by;
    const section = event.target.closest("section");
    drawFront(section);
    section.querySelector(`[data-size="${by}"]`).focus();
  };
  const pressed = String(frontChart.by === by);
  return h("button", { type: "button", "data-size": by, "aria-pressed": pressed, onclick: choose }, by);
}

// --- the scores

/** The scores of a rule set: validated, of training, and counted on the instances; null for none. */
function scoresOf(one) {
  const { training_score: training = null, validated_score: validated = null } = one.front ?? {};
  // of sets of labels, how many are right in all labels is another thing than the score
  const counted = summary.several_labels ? null : (one.results?.accuracy ?? null);
  return { validated, training, counted };
}

function mainScore(one) {
  const { validated, training, counted } = scoresOf(one);
  return validated ?? training ?? counted;
}

function sizeText(one) {
  return `${pluralText(one.size.rules, "rule")} with ${pluralText(one.size.conditions, "condition")}`;
}

// --- the chart

function frontDrawing() {
  const scales = frontScales();
  const { x, y, ticks } = scales;
  const { width } = frontChart;
  const floor = CHART.height - CHART.bottom;
  const middle = (CHART.left + width - CHART.right) / 2;
  const label = "Rule sets by size and score; the table below says the same";
  return s("svg", { class: "chart", viewBox: `0 0 ${width} ${CHART.height}`, role: "group", "aria-label": label },
    ticks.y.map((tick) => [
      s("path", { class: "grid", d: `M${CHART.left} ${y(tick)}H${width - CHART.right}` }),
      s("text", { x: CHART.left - 8, y: y(tick) + 4, "text-anchor": "end" }, String(tick))]),
    ticks.x.map((tick) => s("text", { x: x(tick), y: floor + 18, "text-anchor": "middle" }, countText(tick))),
    s("text", { class: "name", x: middle, y: CHART.height - 6, "text-anchor": "middle" }, `number of ${frontChart.by}`),
    s("text", { class: "name", x: 0, y: 11 }, "score"),
    summary.models.map((one, place) => pointNote(one, place, scales)),
    summary.models.map((one, place) => frontPoint(one, place, scales)));
}

/** The scores that the chart has room for. A rule set without rules is often so much worse than all
 * others that they could not be told apart; it is then put at the floor, with its score. */
function drawnScores() {
  const scores = (models) => models.flatMap((one) => Object.values(scoresOf(one))).filter((score) => score !== null);
  const withRules = scores(summary.models.filter((one) => one.size.rules > 0));
  const all = scores(summary.models);
  const [low, high] = [Math.min(...withRules), Math.max(...withRules)];
  return withRules.length > 1 && low - Math.min(...all) > 2 * Math.max(0.02, high - low) ? withRules : all;
}

function frontScales() {
  const sizes = summary.models.map((one) => one.size[frontChart.by]);
  const scores = summary.models.flatMap((one) => Object.values(scoresOf(one))).filter((score) => score !== null);
  const [most, low, high] = [Math.max(1, ...sizes), Math.min(...drawnScores(), 1), Math.max(...scores, 0)];
  const room = Math.max(0.02, (high - low) * 0.12);
  const [from, to] = [Math.max(0, low - room), Math.min(1, high + room)];
  const floor = CHART.height - CHART.bottom;
  const wide = frontChart.width - CHART.left - CHART.right - 16;
  return {
    // by the root: there are more small rule sets than large ones
    x: (size) => round1(CHART.left + 8 + Math.sqrt(size / most) * wide),
    y: (score) => round1(floor - Math.max(0, (score - from) / (to - from)) * (floor - CHART.top - 8)),
    isBelow: (score) => score < from,
    ticks: { x: sizeTicks(most, wide), y: scoreTicks(from, to) },
  };
}

/** 0, 1, 2, 5, 10 and so on, without those that would touch. */
function sizeTicks(most, wide) {
  const ticks = [0];
  let last = 0;
  for (let power = 1; power <= most; power *= 10) {
    for (const tick of [power, 2 * power, 5 * power]) {
      const at = Math.sqrt(tick / most) * wide;
      if (tick > most || at - last < 32) continue;
      ticks.push(tick);
      last = at;
    }
  }
  return ticks;
}

/** Round numbers between two scores, about five. */
function scoreTicks(low, high) {
  const rough = (high - low) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((each) => each * power >= rough);
  const ticks = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9; k += 1) ticks.push(Number((k * step).toPrecision(6)));
  return ticks;
}

/** A rule set as a button: its scores above each other, and room to hit them. */
function frontPoint(one, place, { x, y }) {
  const { validated, training, counted } = scoresOf(one);
  const best = mainScore(one);
  if (best === null) return null;
  const [cx, cy] = [x(one.size[frontChart.by]), y(best)];
  const used = place === summary.chosen;
  const name = `${sizeText(one)}, ${scoreNames(one)}${used ? ", the one in use" : ""}`;
  const heights = [best, training, counted].filter((score) => score !== null).map(y);
  const [top, bottom] = [Math.min(...heights), Math.max(...heights)];
  return s("g", { role: "button", tabindex: 0, "data-model": place, "aria-label": name,
    "aria-pressed": String(place === state.model), onclick: () => showModel(place), onkeydown: keyOnPoint },
    s("title", {}, name),
    s("rect", { class: "target", x: cx - 12, y: top - 12, width: 24, height: bottom - top + 24 }),
    s("path", { class: "link-up", d: `M${cx} ${top}V${bottom}` }),
    validated !== null && training !== null && s("circle", { class: "training", cx, cy: y(training), r: 4 }),
    counted !== null && s("path", { class: "counted", d: crossPath(cx, y(counted)) }),
    s("circle", { class: "main", cx, cy, r: used ? 7 : 5 }),
    s("circle", { class: "ring", cx, cy, r: 11 }));
}

function keyOnPoint(event) {
  if (event.key !== "Enter" && event.key !== " ") return;
  event.preventDefault();
  showModel(Number(event.currentTarget.dataset.model));
}

/** Words beside a point: which is in use, and the score of one that lies below the chart. */
function pointNote(one, place, { x, y, isBelow }) {
  const best = mainScore(one);
  if (best === null) return null;
  const [cx, cy] = [x(one.size[frontChart.by]), y(best)];
  const anchor = cx > frontChart.width - 60 ? "end" : "middle";
  return [
    isBelow(best) && s("text", { x: cx + 14, y: cy + 4 }, `↓ ${scoreText(best)}`),
    place === summary.chosen && s("text", { class: "used", x: cx, y: cy + 26, "text-anchor": anchor }, "in use"),
  ];
}

function crossPath(x, y) {
  return `M${x - 4} ${y - 4}l8 8m-8 0l8 -8`;
}

function scoreNames(one) {
  const { validated, training, counted } = scoresOf(one);
  return [
    validated !== null && `validated score ${scoreText(validated)}`,
    training !== null && `training score ${scoreText(training)}`,
    counted !== null && `right for ${percentText(counted)} of the instances`,
  ].filter(Boolean).join(", ");
}

function frontLegend() {
  const has = (which) => summary.models.some((one) => scoresOf(one)[which] !== null);
  const sign = (...shape) => s("svg", { class: "chart", viewBox: "0 0 14 14", "aria-hidden": "true" }, shape);
  const dot = sign(s("circle", { class: "main", cx: 7, cy: 7, r: 5 }));
  const hollow = sign(s("circle", { class: "training", cx: 7, cy: 7, r: 4 }));
  const cross = sign(s("path", { class: "counted", d: crossPath(7, 7) }));
  return h("p", { class: "legend" },
    h("span", {}, dot, has("validated") ? "validated score" : "training score"),
    has("validated") && has("training") && h("span", {}, hollow, "training score"),
    has("counted") && h("span", {}, cross, "share of the instances that is right"));
}

// --- which one is on show

function shownNotice() {
  const [shown, used] = [model(), summary.models[summary.chosen]];
  const what = (one) => `${sizeText(one)}, ${scoreNames(one)}`;
  if (shown === used) return h("p", { class: "notice", role: "status" }, `On show is the one in use: ${what(used)}.`);
  return h("div", { class: "notice", role: "status" },
    h("p", {}, `On show is another one: ${what(shown)}.`),
    h("p", {}, `The one in use has ${what(used)}. ${scoreDifference(shown, used)}`),
    h("p", { class: "actions" },
      h("button", { type: "button", onclick: () => showModel(summary.chosen) }, "Back to the one in use")));
}

function scoreDifference(shown, used) {
  const [a, b] = [mainScore(shown), mainScore(used)];
  if (a === null || b === null) return "";
  const difference = Math.abs(a - b).toFixed(3);
  if (difference === "0.000") return "They score the same.";
  return `What is shown scores ${difference} ${a > b ? "more" : "less"}.`;
}

function frontTable() {
  const has = (which) => summary.models.some((one) => scoresOf(one)[which] !== null);
  const columns = { validated: "validated score", training: "training score", counted: "on the instances" };
  const used = Object.keys(columns).filter(has);
  const rows = summary.models.map((one, place) =>
    h("tr", { "aria-current": place === state.model ? "true" : null },
      h("td", {}, countText(one.size.rules)),
      h("td", {}, countText(one.size.conditions)),
      used.map((which) => h("td", {}, frontScore(which, scoresOf(one)[which]))),
      h("td", { class: "text status" }, frontStatus(place))));
  const head = ["rules", "conditions", ...used.map((which) => columns[which]), ""];
  return tableOf({}, "The same as a table, from small to accurate.",
    h("tr", {}, head.map((text) => h("th", { scope: "col" }, text))), rows);
}

function frontStatus(place) {
  const used = place === summary.chosen && "in use";
  if (place === state.model) return [used, "on show"].filter(Boolean).join(", ");
  const button = h("button", { type: "button", class: "link screen", onclick: () => showModel(place) }, "show");
  return [used, " ", button];
}

function frontScore(which, score) {
  if (score === null) return "–";
  return which === "counted" ? percentText(score) : scoreText(score);
}
