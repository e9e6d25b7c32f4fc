// The rules as a table: a row for each, for looking through many.

/** The columns of the table of rules: by what they are sorted, or null; the head; the class of cells. */
function ruleColumns() {
  const sortings = sortingsOf(model().rules);
  const mixed = hasCounts() && !summary.several_labels && model().rules.some((rule) => rule.mix);
  return [
    ["number", "rule", "text"],
    ["conditions", "conditions", "text words"],
    ["outcome", "outcome", "text"],
    sortings.includes("support") && ["support", "covers", ""],
    sortings.includes("confidence") && ["confidence", summary.several_labels ? "mean F1" : "right", ""],
    mixed && [null, "what they are", "text"],
  ].filter(Boolean);
}

function ruleTable() {
  const columns = ruleColumns();
  ruleList.heads = columns.map(([name, text, kind]) => h("th", { scope: "col", class: kind, "data-sorting": name },
    name && model().rules.length > 1
      ? h("button", { type: "button", class: "sort", onclick: () => sortBy(name) },
        text, h("span", { "aria-hidden": "true" }))
      : text));
  ruleList.rows = h("tbody", {});
  ruleList.foot = h("tfoot", {}, otherwiseRow(columns.length));
  const label = "The rules as a table";
  return h("div", { class: "scroll rule-scroll", tabindex: 0, role: "region", "aria-label": label },
    h("table", { class: "rule-table", "aria-label": label },
      h("thead", {}, h("tr", {}, ruleList.heads)), ruleList.rows, ruleList.foot));
}

function ruleRow(place) {
  const rule = model().rules[place];
  const features = featuresOf(rule.box);
  const words = features.map((feature, i) =>
    [i > 0 && h("span", { class: "muted" }, " and "), conditionWords(feature, rule.conditions[i])]);
  const cells = {
    conditions: () => [
      words.length ? words : "every case",
      features.map((feature, i) => allValues(feature, rule.conditions[i])),
    ],
    outcome: () => outcomeChip(rule.outcome),
    support: () => countText(rule.support),
    confidence: () => (rule.confidence === null ? "–" : percentText(rule.confidence)),
    null: () => rule.support > 0 && rule.mix && mixBar(rule.mix, rule.support),
  };
  const row = h("tr", { id: ruleAnchor(place), "data-rule": place, tabindex: 0, "aria-label": ruleTitle(place) },
    h("th", { scope: "row", class: "text" }, ruleNumberText(place)),
    ruleColumns().slice(1).map(([name, , kind]) => h("td", { class: kind }, cells[name]())));
  return withColour(row, rule.outcome);
}

function otherwiseRow(width) {
  const { outcome } = model().default;
  return h("tr", {}, h("th", { scope: "row", class: "text" }, "otherwise"),
    h("td", { class: "text", colspan: width - 1 }, outcome !== null && [outcomeChip(outcome), " "], otherwiseText()));
}
