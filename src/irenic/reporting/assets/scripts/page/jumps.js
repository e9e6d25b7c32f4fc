// @ts-check
// Jumps to parts of the page, recorded in the address.

/** @type {{ to: string, from: Element | null }[]} */
export const jumps = []; // the target and the origin of each jump, for going back

/** @type {Set<string>} */
export const ownJumps = new Set(); // addresses that the page itself set, until their hashchange event

/**
 * Go to a part of the page and focus it, so that the keyboard continues there.
 * @param {string} id
 */
export function jumpTo(id) {
  const target = document.getElementById(id);
  if (!target) return;
  setAddress(id);
  if (!target.hasAttribute("tabindex")) target.tabIndex = -1;
  target.scrollIntoView();
  target.focus({ preventScroll: true });
}

/**
 * Record a jump in the address before anything scrolls, so that the browser's back button returns here.
 * @param {string} id
 */
function setAddress(id) {
  if (location.hash === `#${id}`) return;
  const from = document.activeElement;
  try {
    location.hash = id;
  } catch {
    return; // in a frame that cannot change its address, jumps work but going back does not
  }
  jumps.push({ to: location.href, from });
  ownJumps.add(location.href);
}
