// @ts-check
// Links to the parts of the page.

import { byId, h, show } from "../dom.js";

/** @type {Record<string, string>} */
const SECTIONS = {
  verdicts: "Verdict",
  impact: "Past cases",
  reading: "How the table was read",
  front: "Rule sets",
  rules: "Rules",
  case: "Which rule decides my case",
  map: "Map",
  findings: "Conflicts and gaps",
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
