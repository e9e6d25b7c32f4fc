// @ts-check
// Creates elements, and text with markup.

import { countText } from "./words.js";

/**
 * Create an element. Strings become text, never markup, so names are shown verbatim.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/**
 * Create an SVG element.
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes]
 * @param {...Child} children
 * @returns {SVGElementTagNameMap[Tag]}
 */
export function s(tag, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

/**
 * @template {HTMLElement | SVGElement} E
 * @param {E} element
 * @param {Attributes} attributes
 * @param {Child[]} children
 */
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") Object.assign(element.style, value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of /** @type {any[]} */ (children).flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return element;
}

/**
 * The element with an id, which must exist.
 * @param {string} id
 */
export function byId(id) {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the page has no element #${id}`);
  return element;
}

/**
 * The first element inside another that matches a selector, which must exist.
 * @param {ParentNode} element
 * @param {string} selector
 */
export function within(element, selector) {
  const found = element.querySelector(selector);
  if (found === null) throw new Error(`the page has no element ${selector}`);
  return /** @type {HTMLElement} */ (found);
}

/**
 * Replace the children of an element.
 * @template {HTMLElement | SVGElement} E
 * @param {E} element
 * @param {...Child} children
 */
export function show(element, ...children) {
  element.replaceChildren();
  return fill(element, {}, children);
}

/**
 * A name or a value of the rules, isolated: right-to-left text does not reverse the text around it.
 * @param {string} text
 */
export function nameWords(text) {
  return h("bdi", {}, text);
}

/**
 * Names separated by commas.
 * @param {string[]} texts
 */
export function nameList(texts) {
  return texts.map((text, i) => [i ? ", " : "", nameWords(text)]);
}

/**
 * A list such as "1, 2 and 5"; if it is long, the first entries and the number of others.
 * @param {Child[]} things
 * @param {number} [limit]
 */
export function listWords(things, limit = 12) {
  const shown = things.slice(0, limit);
  const left = things.length - shown.length;
  const last = left ? ` and ${countText(left)} more` : null;
  /** @param {number} i */
  const before = (i) => (i === 0 ? "" : !last && i === shown.length - 1 ? " and " : ", ");
  return [shown.map((thing, i) => [before(i), thing]), last];
}

/**
 * @param {string} sign
 * @param {Child[]} things
 */
export const joinedBy = (sign, things) => things.map((thing, i) => [i ? sign : "", thing]);
