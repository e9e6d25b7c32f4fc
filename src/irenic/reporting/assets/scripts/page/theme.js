// @ts-check
// The light and the dark theme.

import { byId, show } from "../dom.js";
import { emit } from "../state.js";

const THEMES = ["auto", "light", "dark"];

/** Cycle from the system's theme to light to dark; the choice lasts until the page is closed. */
export function nextTheme() {
  const now = document.documentElement.dataset.theme ?? "auto";
  const next = THEMES[(THEMES.indexOf(now) + 1) % THEMES.length];
  if (next === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = next;
  showTheme(next);
  emit("theme");
}

/** @param {string} theme */
export function showTheme(theme) {
  const button = byId("theme");
  show(button, `Theme: ${theme}`);
}

export function followSystem() {
  for (const query of ["(prefers-color-scheme: dark)", "print"]) {
    matchMedia(query).addEventListener("change", () => emit("theme"));
  }
}
