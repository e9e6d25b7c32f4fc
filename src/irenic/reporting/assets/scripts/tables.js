// @ts-check
// Tables, and long lists that can be expanded.

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
  // labeled and focusable, because it can be scrolled horizontally
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
 * Hide all but the first items behind a button. Once pressed, the button is removed and the first new item gets the
 * focus.
 * @param {Child} holder
 * @param {HTMLElement[]} items
 * @param {number} first
 * @param {() => void} [onShown]
 */
export function moreOf(holder, items, first, onShown = () => {}) {
  if (items.length <= first) return holder;
  for (const item of items.slice(first)) item.hidden = true;
  const button = h("button", { type: "button", class: "more" }, `Show all ${countText(items.length)}`);
  button.addEventListener("click", () => {
    for (const item of items) item.hidden = false;
    button.remove();
    onShown();
    items[first].tabIndex = -1;
    items[first].focus({ preventScroll: true });
  });
  return [holder, button];
}
