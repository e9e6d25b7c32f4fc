// @ts-check
// Tables, and long lists whose end is unfolded on request.

import { h } from "./dom.js";
import { countText } from "./words.js";

/**
 * @param {Attributes} attributes
 * @param {Child} caption
 * @param {Child} head
 * @param {Child} rows
 * @param {Child} [foot]
 * @param {any} [label]
 */
export function tableOf(attributes, caption, head, rows, foot = null, label = caption) {
  // named and in the order of the keys, as it can be scrolled sideways
  return h(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": label },
    h(
      "table",
      attributes,
      h("caption", {}, h("span", {}, caption)),
      h("thead", {}, head),
      h("tbody", {}, rows),
      foot && h("tfoot", {}, foot),
    ),
  );
}

/**
 * Hide what comes after the first of many items, with a button that shows them; keys go on from the first of
 * them, as the button is gone.
 * @param {Child} holder
 * @param {HTMLElement[]} items
 * @param {number} first
 * @param {() => void} [told]
 */
export function moreOf(holder, items, first, told = () => {}) {
  if (items.length <= first) return holder;
  for (const item of items.slice(first)) item.hidden = true;
  const button = h("button", { type: "button", class: "more" }, `Show all ${countText(items.length)}`);
  button.addEventListener("click", () => {
    for (const item of items) item.hidden = false;
    button.remove();
    told();
    items[first].tabIndex = -1;
    items[first].focus({ preventScroll: true });
  });
  return [holder, button];
}
