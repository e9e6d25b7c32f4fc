// @ts-check
// Buttons that copy a case to the form, and the link back.

import { h, within } from "../dom.js";
import { jumpTo } from "../page/jumps.js";
import { emit } from "../state.js";

/**
 * A button that copies a case to the form, which then has a link back. Its label names the case for screen
 * readers.
 * @param {Case} values
 * @param {Back} back
 * @param {string} which
 */
export function tryButton(values, back, which) {
  const tryIt = () => {
    emit("case", values);
    addBackLink(back);
    jumpTo("case");
  };
  const label = `Try this case: ${which}`;
  return h("button", { type: "button", class: "screen", "aria-label": label, onclick: tryIt }, "Try this case");
}

/** @param {Back} back */
function addBackLink({ id, text }) {
  within(document, "#case h2").after(
    h("p", { id: "came-from", class: "screen" }, h("a", { class: "link", href: `#${id}` }, `← ${text}`)),
  );
}

/** Remove the link back: the form has another case, or the page another rule set. */
export function removeBackLink() {
  document.getElementById("came-from")?.remove();
}
