// @ts-check
// Follows addresses and links within the page.

import { jumps, jumpTo, ownJumps } from "./jumps.js";
import { goToRule } from "../rules/list.js";
import { ruleAnchor } from "../rules/names.js";
import { model } from "../state.js";

/** Follow the address when the reader changes it, by going back or by typing. The browser scrolls by itself. */
export function followAddress() {
  addEventListener("hashchange", (event) => {
    if (ownJumps.delete(event.newURL)) return;
    if (jumps.at(-1)?.to === event.oldURL) {
      const from = jumps.pop()?.from;
      if (from instanceof HTMLElement && from.isConnected) from.focus({ preventScroll: true });
      return;
    }
    goToAddress();
  });
}

/** Go to what the address names; a rule may first have to be shown. */
export function goToAddress() {
  const id = location.hash.slice(1);
  if (!id) return;
  const rule = /^rule-\d/.test(id) ? model().rules.findIndex((_, place) => ruleAnchor(place) === id) : -1;
  if (rule >= 0) goToRule(rule);
  else jumpTo(id);
}

/** In the frame of a notebook an address such as #map would lead to the notebook. */
export function keepLinksHere() {
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element && event.target.closest('a[href^="#"]');
    // with a key, a link opens in a tab of its own
    if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const place = link.getAttribute("data-place");
    if (place !== null) goToRule(Number(place));
    else jumpTo((link.getAttribute("href") ?? "").slice(1));
  });
}
