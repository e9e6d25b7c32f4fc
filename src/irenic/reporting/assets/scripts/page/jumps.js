// @ts-check
// Jumps to parts of the page, noted in the address.

/** @type {{ to: string, from: Element | null }[]} */
export const jumps = []; // where each jump led to and where it began, for the way back

/** @type {Set<string>} */
export const ownJumps = new Set(); // addresses that the page itself went to and was not yet told of

/**
 * Go to a part of the page, with the focus, so that keys go on from there.
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
 * Note a jump in the address, before anything scrolls: so the browser's way back leads here again.
 * @param {string} id
 */
function setAddress(id) {
  if (location.hash === `#${id}`) return;
  const from = document.activeElement;
  try {
    location.hash = id;
  } catch {
    return; // in a frame that may not change its address there is no way back, but the jump works
  }
  jumps.push({ to: location.href, from });
  ownJumps.add(location.href);
}
