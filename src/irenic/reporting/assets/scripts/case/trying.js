// @ts-check
// Buttons that put a case into the form, and the way back.

import { h, within } from "../dom.js";
import { jumpTo } from "../page/jumps.js";
import { tell } from "../state.js";

/**
 * A button that puts a case into the form; from there a link leads back to where the case is from. Who hears
 * it alone is told which case it is.
 * @param {Case} values
 * @param {Back} back
 * @param {string} which
 */
export function tryButton(values, back, which) {
  const tryIt = () => {
    tell("case", values);
    offerWayBack(back);
    jumpTo("case");
  };
  const label = `Try this case: ${which}`;
  return h("button", { type: "button", class: "screen", "aria-label": label, onclick: tryIt }, "Try this case");
}

/** @param {Back} back */
function offerWayBack({ id, text }) {
  within(document, "#case h2").after(
    h("p", { id: "came-from", class: "screen" }, h("a", { class: "link", href: `#${id}` }, `← ${text}`)),
  );
}

/** Another case, or another rule set: what led here is no longer on show. */
export function forgetWayBack() {
  document.getElementById("came-from")?.remove();
}
