// The rule sets to choose from: how large they are, and how well they do.

const CHART = { height: 280, left: 52, right: 18, top: 16, bottom: 44 };

const REACH = 17; // round a point, for a finger

const STRETCHED = "small numbers are spread wider";

/** By which size the chart is drawn. */
const frontChart = { by: "conditions", width: 640 };

function startFront(section) {
  if (summary.models.length < 2) return;
  on("model", () => drawFront(section));
  drawFront(section);
  let drawn = section.clientWidth;
  new ResizeObserver(() => {
    if (Math.abs(section.clientWidth - drawn) <= 20) return;
    drawn = section.clientWidth;
    drawFront(section);
  }).observe(section);
}

function chartWidth(section) {
  const whole = section.clientWidth || 620;
  return Math.max(300, Math.min(620, whole < 872 ? whole : whole / 2 - 20));
}

function drawFront(section) {
  frontChart.width = chartWidth(section);
  const focused = frontControl(section);
  show(section,
    h("h2", {}, "Smaller or more accurate"),
    h("p", { class: "lead" }, frontLead()),
    h("p", { class: "choice" },
      h("span", { class: "muted" }, "Size by number of"), sizeButton("conditions"), sizeButton("rules")),
    shownNotice(),
    h("div", { class: "front" },
      h("div", {}, frontDrawing(), frontLegend()),
      frontTable()));
  // the table leaves it another width than was guessed: drawn once more, so that its letters are not scaled
  const chart = section.querySelector(".chart");
  const width = Math.max(300, chart.clientWidth);
  if (Math.abs(width - frontChart.width) > 20) {
    frontChart.width = width;
    chart.parentElement.replaceChildren(frontDrawing(), frontLegend());
  }
  if (focused) section.querySelector(focused)?.focus({ preventScroll: true });
}

/** Which control has the focus, to give it back when all is drawn anew; null for none. */
function frontControl(section) {
  const active = document.activeElement;
  if (!section.contains(active)) return null;
  const name = ["data-model", "data-show", "data-size"].find((each) => active.hasAttribute(each));
  return name ? `[${name}="${active.getAttribute(name)}"]` : null;
}

function frontLead() {
  const n = summary.models.length;
  return `${countText(n)} rule sets were kept: no other was found that is both smaller and better on `
    + `the rows learned from. Choose one, and the whole page shows it. ${scoreMeaning()}`
    + (summary.models.some((one) => (one.front?.validated_score ?? null) !== null)
      ? " “Validated” is the score on rows that were left out of learning, of rule sets found in the same way"
        + " from the other rows: expect about that of new cases." : "");
}

/** What a score is, in a sentence. */
function scoreMeaning() {
  return `The score is ${summary.score}: 1 at best.`;
}

/** Whether the axis has room for more than its name. */
function isWide() {
  return frontChart.width > 400;
}

function sizeButton(by) {
  const choose = (event) => {
    frontChart.by = by;
    const section = event.target.closest("section");
    drawFront(section);
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

/** The scores to draw: what is right on the instances only where that is not the training score again. */
function distinctScores(one) {
  const scores = scoresOf(one);
  const same = scores.counted !== null && scores.training !== null && Math.abs(scores.counted - scores.training) < 1e-9;
  return same ? { ...scores, counted: null } : scores;
}

/** Whether some rule set has such a score to draw. */
function hasScore(which) {
  return summary.models.some((one) => distinctScores(one)[which] !== null);
}

function mainScore(one) {
  const { validated, training, counted } = scoresOf(one);
  return validated ?? training ?? counted;
}

function sizeText(one) {
  return `${pluralText(one.size.rules, "rule")} and ${pluralText(one.size.conditions, "condition")}`;
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
    ticks.x.map((tick) => s("path", { class: "grid", d: `M${x(tick)} ${floor}v5` })),
    ticks.x.map((tick) => s("text", { class: tick === usedSize() ? "name" : null, x: x(tick), y: floor + 18,
      "text-anchor": "middle" }, countText(tick))),
    s("text", { class: "name", x: middle, y: CHART.height - 6, "text-anchor": "middle" },
      `number of ${frontChart.by}${isWide() ? ` (${STRETCHED})` : ""}`),
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
  const [low, high] = [least(withRules), greatest(withRules, 0)];
  return withRules.length > 1 && low - least(all) > 2 * Math.max(0.02, high - low) ? withRules : all;
}

function least(scores) {
  return scores.reduce((low, score) => Math.min(low, score), 1);
}

/** The size of the rule set in use, which the axis names. */
function usedSize() {
  return summary.models[summary.chosen].size[frontChart.by];
}

function frontScales() {
  const sizes = summary.models.map((one) => one.size[frontChart.by]);
  const scores = summary.models.flatMap((one) => Object.values(scoresOf(one))).filter((score) => score !== null);
  const [most, low, high] = [greatest(sizes, 1), least(drawnScores()), greatest(scores, 0)];
  const room = Math.max(0.02, (high - low) * 0.12);
  const [from, to] = [Math.max(0, low - room), Math.min(1, high + room)];
  const floor = CHART.height - CHART.bottom;
  const wide = frontChart.width - CHART.left - CHART.right - 16;
  return {
    // by the root: there are more small rule sets than large ones; the axis says so
    x: (size) => round1(CHART.left + 8 + Math.sqrt(size / most) * wide),
    y: (score) => round1(floor - Math.max(0, (score - from) / (to - from)) * (floor - CHART.top - 8)),
    isBelow: (score) => score < from,
    ticks: { x: sizeTicks(most, wide), y: scoreTicks(from, to) },
  };
}

/** The size in use, and 0, 1, 2, 5, 10 and so on without those that would touch it or each other. */
function sizeTicks(most, wide) {
  const at = (tick) => Math.sqrt(tick / most) * wide;
  const ticks = [usedSize()];
  const free = (tick) => tick <= most && ticks.every((other) => Math.abs(at(tick) - at(other)) >= 32);
  if (free(0)) ticks.push(0);
  for (let power = 1; power <= most; power *= 10) {
    for (const tick of [power, 2 * power, 5 * power]) if (free(tick)) ticks.push(tick);
  }
  return ticks.sort((a, b) => a - b);
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
  const { validated, training, counted } = distinctScores(one);
  const best = mainScore(one);
  if (best === null) return null;
  const [cx, cy] = [x(one.size[frontChart.by]), y(best)];
  const used = place === summary.chosen;
  const name = `${sizeText(one)}, ${scoreNames(one)}${used ? ", the one in use" : ""}`;
  const heights = [best, training, counted].filter((score) => score !== null).map(y);
  const [top, bottom] = [Math.min(...heights), Math.max(...heights)];
  return s("g", { role: "button", tabindex: 0, "data-model": place, "aria-label": name,
    "aria-pressed": String(place === state.model), onclick: clickOnPoint, onkeydown: keyOnPoint },
    s("title", {}, name),
    s("rect", { class: "target", x: cx - REACH, y: top - REACH, width: 2 * REACH, height: bottom - top + 2 * REACH }),
    s("path", { class: "link-up", d: `M${cx} ${top}V${bottom}` }),
    validated !== null && training !== null && s("circle", { class: "training", cx, cy: y(training), r: 4 }),
    counted !== null && s("path", { class: "counted", d: crossPath(cx, y(counted)) }),
    s("circle", { class: "main", cx, cy, r: used ? 7 : 5 }),
    s("circle", { class: "ring", cx, cy, r: 11 }));
}

/** Show the rule set that was meant: where the room round points overlaps, the nearest one. */
function clickOnPoint(event) {
  const own = event.currentTarget;
  const points = [...own.parentElement.querySelectorAll("[data-model]")];
  const meant = points.reduce((best, each) => (farFrom(each, event) < farFrom(best, event) ? each : best), own);
  // a press of a key or of a reading aid has no place
  showModel(Number((event.detail ? meant : own).dataset.model));
}

/** How far a click is from the scores of a rule set. */
function farFrom(point, { clientX, clientY }) {
  const box = point.querySelector(".target").getBoundingClientRect();
  const reach = box.width / 2;
  const y = Math.max(box.top + reach, Math.min(clientY, box.bottom - reach));
  return Math.hypot(clientX - box.left - reach, clientY - y);
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
  // below its point, but not on the axis
  const under = cy + 26 < CHART.height - CHART.bottom ? 26 : -16;
  return [
    isBelow(best) && s("text", { x: cx + 14, y: cy + 4 }, `↓ ${scoreText(best)}`),
    place === summary.chosen && s("text", { class: "used", x: cx, y: cy + under, "text-anchor": anchor }, "in use"),
  ];
}

function crossPath(x, y) {
  return `M${x - 4} ${y - 4}l8 8m-8 0l8 -8`;
}

function scoreNames(one) {
  const { validated, training, counted } = distinctScores(one);
  return [
    validated !== null && `validated score ${scoreText(validated)}`,
    training !== null && `training score ${scoreText(training)}`,
    counted !== null && `right for ${percentText(counted)} of the instances`,
  ].filter(Boolean).join(", ");
}

function frontLegend() {
  const sign = (...shape) => s("svg", { class: "chart", viewBox: "0 0 14 14", "aria-hidden": "true" }, shape);
  const dot = sign(s("circle", { class: "main", cx: 7, cy: 7, r: 5 }));
  const hollow = sign(s("circle", { class: "training", cx: 7, cy: 7, r: 4 }));
  const cross = sign(s("path", { class: "counted", d: crossPath(7, 7) }));
  const left = hasScore("training") && summary.models.some((one) => scoresOf(one).counted !== distinctScores(one).counted);
  return h("p", { class: "legend" },
    h("span", {}, dot, hasScore("validated") ? "validated score" : "training score"),
    hasScore("validated") && hasScore("training") && h("span", {}, hollow, "training score"),
    hasScore("counted") && h("span", {}, cross, "share of the instances that is right"),
    !isWide() && h("span", {}, `On the axis ${STRETCHED}.`),
    left && h("span", {}, "What is right on the instances equals the training score and is not drawn again."));
}

// --- which one is on show

function shownNotice() {
  const [shown, used] = [model(), summary.models[summary.chosen]];
  const what = (one) => `${sizeText(one)}; ${scoreNames(one)}`;
  if (shown === used) return h("p", { class: "notice", role: "status" }, `Shown here: the rule set in use, with ${what(used)}.`);
  return h("div", { class: "notice", role: "status" },
    h("p", {}, `Shown here: another rule set than the one in use, with ${what(shown)}.`),
    h("p", {}, `The one in use has ${what(used)}. ${scoreDifference(shown, used)}`),
    h("p", { class: "actions" },
      backToUsed(() => document.querySelector(`#front [data-model="${summary.chosen}"]`))));
}

/** A button that shows the rule set in use again. It goes away by that, so something else gets the focus. */
function backToUsed(next) {
  const back = () => {
    showModel(summary.chosen);
    next()?.focus({ preventScroll: true });
  };
  return h("button", { type: "button", onclick: back }, "Back to the one in use");
}

/** At the top of the page, also on paper: that this is not the rule set in use. */
function otherNotice() {
  if (state.model === summary.chosen) return null;
  return h("div", { class: "notice", id: "not-in-use", role: "status" },
    h("p", {}, `This is not the rule set in use, which has ${sizeText(summary.models[summary.chosen])}: `
      + `all of this page is about another one, with ${sizeText(model())}.`),
    h("p", { class: "actions" }, backToUsed(() => document.querySelector("#top h1"))));
}

function scoreDifference(shown, used) {
  const [a, b] = [mainScore(shown), mainScore(used)];
  if (a === null || b === null) return "";
  const difference = Math.abs(a - b).toFixed(3);
  if (difference === "0.000") return "They score the same.";
  return `What is shown scores ${difference} ${a > b ? "more" : "less"}.`;
}

function frontTable() {
  const columns = { validated: "validated score", training: "training score", counted: "on the instances" };
  const used = Object.keys(columns).filter(hasScore);
  const rows = summary.models.map((one, place) =>
    h("tr", { "aria-current": place === state.model ? "true" : null },
      h("td", { class: "text status" }, frontStatus(place)),
      h("td", {}, countText(one.size.rules)),
      h("td", {}, countText(one.size.conditions)),
      used.map((which) => h("td", {}, frontScore(which, scoresOf(one)[which])))));
  const head = ["rules", "conditions", ...used.map((which) => columns[which])];
  return tableOf({}, "The same as a table, from small to accurate.",
    h("tr", {}, h("th", { scope: "col" }, h("span", { class: "unseen" }, "choose")),
      head.map((text) => h("th", { scope: "col" }, text))),
    rows);
}

/** The button stays where it is when its rule set is shown, and keeps the focus. */
function frontStatus(place) {
  const shown = place === state.model;
  const text = shown ? "shown" : "show";
  const label = `${text}: the rule set with ${sizeText(summary.models[place])}`;
  const button = h("button", { type: "button", class: "link screen", "data-show": place, "aria-label": label,
    "aria-pressed": String(shown), onclick: () => showModel(place) }, text);
  const used = place === summary.chosen && ["in use", h("span", { class: shown ? null : "screen" }, " · ")];
  return [used, button, shown && h("span", { class: "paper" }, "shown")];
}

function frontScore(which, score) {
  if (score === null) return "–";
  return which === "counted" ? percentText(score) : scoreText(score);
}
