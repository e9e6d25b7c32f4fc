// @ts-check
// Expands collapsed content for printing.

import { emit } from "../state.js";

/** Show everything while printing: parts show hidden rows, and collapsed elements are opened; then restore them. */
export function openOnPaper() {
  /** @type {HTMLDetailsElement[]} */
  let opened = [];
  const open = () => {
    emit("paper", true);
    opened = [...opened, ...[...document.querySelectorAll("details")].filter((details) => !details.open)];
    for (const details of opened) details.open = true;
  };
  const close = () => {
    for (const details of opened) details.open = false;
    opened = [];
    emit("paper", false);
  };
  matchMedia("print").addEventListener("change", (event) => (event.matches ? open() : close()));
  addEventListener("beforeprint", open);
  addEventListener("afterprint", close);
}
