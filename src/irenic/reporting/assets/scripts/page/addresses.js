// @ts-check
// Follows addresses and links within the page.

import { jumps, jumpTo, ownJumps } from "./jumps.js";
import { goToRule } from "../rules/list.js";
import { ruleAnchor } from "../rules/names.js";
import { model } from "../state.js";

/** Follow changes of the address, by going back or by typing. The browser scrolls by itself. */
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

/** Go to the target of the address; a rule may have to be shown first. */
export function goToAddress() {
  const id = location.hash.slice(1);
  if (!id) return;
  const rule = /^rule-\d/.test(id) ? model().rules.findIndex((_, place) => ruleAnchor(place) === id) : -1;
  if (rule >= 0) goToRule(rule);
  else jumpTo(id);
}

/** Follow links by script: in the frame of a notebook, an address such as #map would lead to the notebook. */
export function keepLinksHere() {
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element && event.target.closest('a[href^="#"]');
    // modifier keys open a link in another tab
    if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const place = link.getAttribute("data-place");
    if (place !== null) goToRule(Number(place));
    else jumpTo((link.getAttribute("href") ?? "").slice(1));
  });
}
