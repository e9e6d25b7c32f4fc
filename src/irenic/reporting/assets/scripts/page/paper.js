// @ts-check
// Opens on paper what is folded on the screen.

import { tell } from "../state.js";

/** Paper shows everything: parts that hold something back show it, what is folded is opened; and afterwards
 * as before. */
export function openOnPaper() {
  /** @type {HTMLDetailsElement[]} */
  let opened = [];
  const open = () => {
    tell("paper", true);
    opened = [...opened, ...[...document.querySelectorAll("details")].filter((details) => !details.open)];
    for (const details of opened) details.open = true;
  };
  const close = () => {
    for (const details of opened) details.open = false;
    opened = [];
    tell("paper", false);
  };
  matchMedia("print").addEventListener("change", (event) => (event.matches ? open() : close()));
  addEventListener("beforeprint", open);
  addEventListener("afterprint", close);
}
