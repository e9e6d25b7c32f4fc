// @ts-check
// Links to the parts of the page.

import { byId, h, show } from "../dom.js";

/** @type {Record<string, string>} */
const SECTIONS = {
  verdicts: "Verdict",
  impact: "Past cases",
  reading: "Reading",
  rules: "Rules",
  front: "Rule sets",
  case: "Try a case",
  map: "Map",
  findings: "Findings",
  expectations: "Properties",
  results: "Results",
};

/** @param {HTMLElement} nav */
export function startContents(nav) {
  const present = Object.keys(SECTIONS).filter((id) => byId(id).hasChildNodes());
  show(
    nav,
    h(
      "ul",
      {},
      present.map((id) => h("li", {}, h("a", { href: `#${id}` }, SECTIONS[id]))),
    ),
  );
}
