// @ts-check
// The part of the page about the properties and test cases that came with the rules.

import { h, nameWords, show } from "../dom.js";
import { summary } from "../summary.js";
import { formatCase } from "../values/texts.js";
import { pluralText } from "../words.js";

const MOST_FAILING = 20;

/** @param {HTMLElement} section */
export function startExpectations(section) {
  const { properties, cases } = summary;
  if (!properties.length && !cases.length) return;
  const proved = properties.filter(({ verdict }) => verdict === "proved").length;
  const failing = cases.filter(({ passed }) => passed === false);
  const known = cases.every(({ passed }) => passed !== null);
  show(
    section,
    h("h2", {}, "Properties and test cases"),
    h(
      "p",
      { class: "lead" },
      properties.length > 0 && `${proved} of ${pluralText(properties.length, "property", "properties")} proved. `,
      cases.length > 0 && known && `${cases.length - failing.length} of ${pluralText(cases.length, "test case")} pass.`,
      cases.length > 0 && !known && "Test cases have no outcome while rules contradict each other.",
    ),
    h(
      "ul",
      { class: "expectations" },
      properties.map(({ verdict, property, text }) =>
        h(
          "li",
          { class: verdict },
          h("b", {}, verdict),
          " ",
          verdict === "proved" ? property : text.replace(/^refuted: /, ""),
        ),
      ),
      failing
        .slice(0, MOST_FAILING)
        .map(({ name, text, ...each }) =>
          h(
            "li",
            { class: "refuted" },
            h("b", {}, "fails"),
            ` case ${name}: `,
            formatCase(summary.features, each.case),
            ": not ",
            h("b", {}, nameWords(text)),
          ),
        ),
    ),
    failing.length > MOST_FAILING && h("p", { class: "muted small" }, `… and ${failing.length - MOST_FAILING} more`),
  );
}
