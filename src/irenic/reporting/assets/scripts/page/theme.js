// @ts-check
// Light and dark.

import { byId, show } from "../dom.js";
import { tell } from "../state.js";

const THEMES = ["auto", "light", "dark"];

/** From what the reader's system says to light to dark; kept only while the page is open. */
export function nextTheme() {
  const now = document.documentElement.dataset.theme ?? "auto";
  const next = THEMES[(THEMES.indexOf(now) + 1) % THEMES.length];
  if (next === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = next;
  sayTheme(next);
  tell("theme");
}

/** @param {string} theme */
export function sayTheme(theme) {
  const button = byId("theme");
  show(button, `Theme: ${theme}`);
}

export function followSystem() {
  for (const query of ["(prefers-color-scheme: dark)", "print"]) {
    matchMedia(query).addEventListener("change", () => tell("theme"));
  }
}
