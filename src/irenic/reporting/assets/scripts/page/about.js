// @ts-check
// The end of the page: sampling and version.

import { h, show, within } from "../dom.js";
import { summary } from "../summary.js";
import { countText, pluralText } from "../words.js";

/** @param {HTMLElement} footer */
export function startAbout(footer) {
  const { instances } = summary;
  const sampled =
    instances &&
    instances.shown < instances.rows &&
    `${countText(instances.shown)} of ${pluralText(instances.rows, "instance")}, chosen at random, ` +
      "are stored in this file; all were counted.";
  const version = within(document, 'meta[name="generator"]').getAttribute("content");
  show(
    footer,
    sampled && h("p", {}, sampled),
    h("p", {}, `Made by ${version}. This file is self-contained and makes no network requests.`),
  );
}
