// Which rules hold for a case and what follows, and how far a new rule could reach: the same answers as
// irenic gives in Python, from the numbers that it compares.

const featuresByName = new Map(summary.features.map((feature) => [feature.name, feature]));

/** The condition of a box on a feature, or null. A feature may be called "constructor": only what the
 * box itself holds counts. */
function conditionOn(box, name) {
  return Object.hasOwn(box, name) ? box[name] : null;
}

/** A case to fill in: it inherits nothing, so that every name of a feature is safe in it. */
function emptyCase() {
  return Object.create(null);
}

/** A value as it is compared: missing numbers are below all others. */
const compared = (value) => (value === null || value === undefined ? -Infinity : value);

/** Whether one condition of a box holds for a value of its feature. */
function holds(feature, condition, value) {
  if (isCategory(feature)) return condition.includes(value);
  const number = compared(value);
  return (condition[0] ?? -Infinity) <= number && number < (condition[1] ?? Infinity);
}

/** Whether a box holds a case. */
function covers(box, theCase) {
  return Object.keys(box).every((name) => holds(featuresByName.get(name), box[name], theCase[name]));
}

/** The places of the rules that cover a case, in their order. */
function coveringRules(model, theCase) {
  const places = [];
  model.rules.forEach((rule, place) => {
    if (covers(rule.box, theCase)) places.push(place);
  });
  return places;
}

const askedOf = new WeakMap();

/** The features that some rule of a model asks for, in their order. */
function askedFeatures(model) {
  if (!askedOf.has(model)) {
    const names = new Set(model.rules.flatMap((rule) => Object.keys(rule.box)));
    askedOf.set(model, summary.features.filter((feature) => names.has(feature.name)));
  }
  return askedOf.get(model);
}

/** The parts of the space that cannot occur: holes in what a table says of its columns. */
const outsideBoxes = (summary.outside ?? []).map((part) => part.box);

/** Whether a case lies where none can occur. */
function isOutside(theCase) {
  return outsideBoxes.some((box) => covers(box, theCase));
}

// --- deciding

/** What follows for a case. outcome: its place, null for none; rule: the place of the rule that decides,
 * null where none does; rules: all that cover the case; contradicted: rules that must agree do not;
 * several: the outcomes where all rules count. */
function decideCase(model, theCase) {
  return decideAmong(model, coveringRules(model, theCase));
}

function decideAmong(model, rules) {
  const answer = { outcome: null, rule: null, rules, contradicted: false, several: [] };
  if (!rules.length) return { ...answer, outcome: model.default.outcome };
  const how = summary.decides.how;
  const outcomes = [...new Set(rules.map((place) => model.rules[place].outcome))];
  if (how === "agree" && outcomes.length > 1) return { ...answer, contradicted: true };
  const rule = CHOICES[how](model, rules);
  const outcome = how === "all" && outcomes.length > 1 ? null : model.rules[rule].outcome;
  return { ...answer, rule, outcome, several: how === "all" ? outcomes : [] };
}

const CHOICES = {
  agree: (model, rules) => rules[0],
  all: (model, rules) => rules[0],
  first: firstInOrder,
  best: heaviest,
  vote: mostVoted,
};

function firstInOrder(model, rules) {
  if (!model.order) return rules[0];
  const holding = new Set(rules);
  return model.order.find((place) => holding.has(place));
}

/** A weight; those that JSON has no number for come as {"float": "inf"}. */
function weightOf(rule) {
  if (typeof rule.weight === "number") return rule.weight;
  return String(Object.values(rule.weight)[0]).startsWith("-") ? -Infinity : Infinity;
}

/** Of the greatest weight; of equal ones the first. */
function heaviest(model, rules) {
  return rules.reduce((best, place) => (weightOf(model.rules[place]) > weightOf(model.rules[best]) ? place : best));
}

/** The first rule of the outcome with the greatest sum of weights; of equal sums the outcome whose rule
 * comes first. Weights are added in the order of the rules: another order might round differently. */
function mostVoted(model, rules) {
  const sums = new Map(); // in the order of each outcome's first rule
  for (const place of rules) {
    const { outcome } = model.rules[place];
    const entry = sums.get(outcome) ?? { first: place, sum: 0 };
    entry.sum += weightOf(model.rules[place]);
    sums.set(outcome, entry);
  }
  let best = null;
  for (const entry of sums.values()) if (best === null || entry.sum > best.sum) best = entry;
  return best.first;
}

// --- what is certain while some features are not known yet

/** What a case that is known in part leaves open. possible: the rules that can still hold, by what is known; sure:
 * those that hold already; settled: what will follow whatever the rest is, as decideCase says it, or null. */
function foresee(model, known) {
  const isKnown = (name) => Object.hasOwn(known, name);
  const admits = (box, name) => !isKnown(name) || holds(featuresByName.get(name), box[name], known[name]);
  const fits = (box) => Object.keys(box).every((name) => admits(box, name));
  const possible = [...model.rules.keys()].filter((place) => fits(model.rules[place].box));
  const sure = possible.filter((place) => Object.keys(model.rules[place].box).every(isKnown));
  return { possible, sure, settled: settledAnswer(model, possible, sure) };
}

function settledAnswer(model, possible, sure) {
  if (!possible.length) return decideAmong(model, []);
  const now = decideAmong(model, sure);
  if (now.contradicted) return now; // further rules settle nothing
  const said = new Set(possible.map((place) => model.rules[place].outcome));
  const { how } = summary.decides;
  if (how === "first" && sure.length && firstInOrder(model, possible) === now.rule) return now;
  if (said.size > 1) return null;
  return sure.length || said.has(model.default.outcome) ? { ...now, outcome: [...said][0] } : null;
}

// --- instances

const placesOfCases = new WeakMap();

/** The instance at a place as a case. */
function instanceCase(place) {
  const found = emptyCase();
  for (const { name } of summary.features) found[name] = summary.instances.columns[name][place];
  placesOfCases.set(found, place);
  return found;
}

/** The place of the instance that a case was made of, undefined for others. */
function instanceOf(theCase) {
  return placesOfCases.get(theCase);
}

/** The number of an instance's row in the table that was given. */
function rowNumber(place) {
  return summary.instances.row_numbers?.[place] ?? place + 1;
}

const comparedColumns = new Map();

/** A column of the instances as it is compared. */
function comparedColumn(name) {
  if (!comparedColumns.has(name)) {
    comparedColumns.set(name, Float64Array.from(summary.instances.columns[name], compared));
  }
  return comparedColumns.get(name);
}

const uncoveredOf = new WeakMap();

/** Which instances no rule of a model covers, a 1 each; counted once a model. */
function uncoveredInstances(model) {
  if (!uncoveredOf.has(model)) {
    const left = Int32Array.from({ length: summary.instances.shown }, (_, i) => i);
    let n = left.length;
    for (const rule of model.rules) n = dropCovered(rule.box, left, n);
    const free = new Uint8Array(left.length);
    for (let i = 0; i < n; i++) free[left[i]] = 1;
    uncoveredOf.set(model, free);
  }
  return uncoveredOf.get(model);
}

/** Drop the instances that a box covers from the first n that are left; return how many stay. Plain loops over
 * columns: thousands of rules meet thousands of instances here. */
function dropCovered(box, left, n) {
  const names = Object.keys(box);
  const columns = names.map(comparedColumn);
  const codes = names.map((name) => (isCategory(featuresByName.get(name)) ? new Set(box[name]) : null));
  const lows = names.map((name) => box[name][0] ?? -Infinity);
  const highs = names.map((name) => box[name][1] ?? Infinity);
  let kept = 0;
  for (let i = 0; i < n; i++) {
    let k = 0;
    for (; k < names.length; k++) {
      const value = columns[k][left[i]];
      if (codes[k] === null ? !(lows[k] <= value && value < highs[k]) : !codes[k].has(value)) break;
    }
    if (k < names.length) left[kept++] = left[i];
  }
  return kept;
}

// --- the region that a new rule could take

/** The region round a case that no rival overlaps and that cannot be enlarged: irenic.enlarge, feature by
 * feature in their order. Rules of the outcome are no rivals; of null, all are. {coveredBy} if a rival
 * covers the case. */
function enlarge(model, theCase, outcome = null) {
  const rivals = model.rules.filter((rule) => outcome === null || rule.outcome !== outcome);
  const apart = rivals.map((rule) => outsideOf(rule.box, theCase)); // features on which each leaves the case out
  const covered = apart.findIndex((names) => names.size === 0);
  if (covered >= 0) return { coveredBy: model.rules.indexOf(rivals[covered]) };
  const box = emptyCase();
  for (const feature of summary.features) {
    const { name } = feature;
    const stops = rivals.filter((rule, i) => apart[i].size === 1 && apart[i].has(name)).map((rule) => rule.box[name]);
    const grow = isCategory(feature) ? growValues : growInterval;
    const condition = grow(feature, theCase[name], stops);
    if (condition !== null) box[name] = condition;
    rivals.forEach((rule, i) => {
      if (apart[i].has(name) && meets(feature, condition, rule.box[name])) apart[i].delete(name);
    });
  }
  return box;
}

function outsideOf(box, theCase) {
  const out = (name) => !holds(featuresByName.get(name), box[name], theCase[name]);
  return new Set(Object.keys(box).filter(out));
}

/** How far an interval can grow round a value between those that stop it; null for no condition. */
function growInterval(feature, value, stops) {
  const number = compared(value);
  let [low, high] = [-Infinity, Infinity];
  for (const [lower, upper] of stops) {
    if (number < (lower ?? -Infinity)) high = Math.min(high, lower);
    else low = Math.max(low, upper);
  }
  // nothing lies between "missing" and the lowest value
  if (number === -Infinity && high <= (feature.lowest ?? LOWEST)) high = LOWEST;
  if (low === -Infinity && high === Infinity) return null;
  return [low === -Infinity ? null : low, high === Infinity ? null : high];
}

/** The values that a set can take among those that stop it; null for no condition. */
function growValues(feature, value, stops) {
  const taken = new Set(stops.flat());
  const codes = feature.admitted.filter((code) => !taken.has(code));
  return codes.length === feature.admitted.length ? null : codes;
}

/** Whether a condition (null: none) and another have a value in common. */
function meets(feature, condition, other) {
  if (condition === null) return true;
  if (isCategory(feature)) return condition.some((code) => other.includes(code));
  const [low, high] = [condition[0] ?? -Infinity, condition[1] ?? Infinity];
  return (other[0] ?? -Infinity) < high && low < (other[1] ?? Infinity);
}

// --- regions in words

/** A region in words, as irenic writes it, but for the quotes of values. Bounds that rules do not have cannot
 * occur here. */
function boxText(box) {
  return conditionTexts(box).join(" and ") || "anything";
}

/** The words of each condition of a region that was found. Rules come with their own `conditions`, which
 * say bounds as somebody wrote them. */
function conditionTexts(box) {
  return summary.features
    .filter((feature) => Object.hasOwn(box, feature.name))
    .map((feature) => (isCategory(feature) ? setText(feature, box[feature.name]) : intervalText(feature, box[feature.name])))
    .filter((text) => text);
}

function intervalText(feature, [low, high]) {
  const name = formatWord(feature.name);
  if (high === LOWEST) return `${name} is missing`;
  const [from, to] = [low !== null && low > LOWEST, high !== null];
  if (!from && !to) return low === LOWEST ? `${name} is not missing` : "";
  const lower = from ? cutAt(feature, low) : null;
  const upper = to ? cutAt(feature, high) : null;
  if (from && to) {
    if (lower.equal !== null && cutAfter(feature, low) === high) return `${name} = ${lower.equal}`;
    const [sign, value] = splitSign(lower.lower);
    return `${value} ${sign === ">" ? "<" : "<="} ${name} ${upper.upper}`;
  }
  if (from) return `${name} ${lower.lower}`;
  return low === null && feature.missing ? `(${name} ${upper.upper} or missing)` : `${name} ${upper.upper}`;
}

function splitSign(text) {
  const space = text.indexOf(" ");
  return [text.slice(0, space), text.slice(space + 1)];
}

const cutsOf = new Map();

/** The entry of a cut: its texts at the lower and at the upper end of a condition. */
function cutAt(feature, at) {
  if (!cutsOf.has(feature.name)) cutsOf.set(feature.name, new Map(feature.cuts.map((cut) => [cut.at, cut])));
  const shown = formatValue(feature, at);
  return cutsOf.get(feature.name).get(at) ?? { at, lower: `>= ${shown}`, upper: `< ${shown}`, equal: null };
}

function cutAfter(feature, at) {
  const place = feature.cuts.findIndex((cut) => cut.at === at);
  return feature.cuts[place + 1]?.at;
}

function setText(feature, codes) {
  const name = formatWord(feature.name);
  const held = new Set(codes);
  const listed = feature.admitted.filter((code) => code > OTHER_CODE);
  if (feature.admitted.every((code) => held.has(code))) return "";
  if (held.has(OTHER_CODE)) {
    const rest = listed.filter((code) => !held.has(code)).map((code) => feature.values[code]);
    if (!rest.length) return `${name} is not missing`;
    if (feature.missing && !held.has(MISSING_CODE)) rest.push("missing");
    return `${name} not in {${rest.join(", ")}}`;
  }
  const values = listed.filter((code) => held.has(code)).map((code) => feature.values[code]);
  if (!values.length) return `${name} is missing`;
  if (held.has(MISSING_CODE)) values.push("missing");
  return `${name} in {${values.join(", ")}}`;
}

// For people at the console, and for tests: what the page decides by. Models are in summary.models, features
// in summary.features; a case is {name: number, null for missing, or the code of a category}.
window.irenic = Object.freeze({
  summary,
  decideCase,
  foresee,
  isOutside,
  uncoveredInstances,
  enlarge,
  covers,
  boxText,
  parseValue,
  formatValue,
  niceTicks,
  formatTick,
  sliceCells,
});
