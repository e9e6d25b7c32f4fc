// @ts-check
// Making elements, and words that are elements.

import { countText } from "./words.js";

/**
 * Make an element. Strings become text, never markup: whatever a feature is called is shown as it is.
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
 * Make an element of SVG.
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
 * The element of an id, which has to be there.
 * @param {string} id
 */
export function byId(id) {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the page has no element #${id}`);
  return element;
}

/**
 * The first element inside another that a selector finds, which has to be there.
 * @param {ParentNode} element
 * @param {string} selector
 */
export function within(element, selector) {
  const found = element.querySelector(selector);
  if (found === null) throw new Error(`the page has no element ${selector}`);
  return /** @type {HTMLElement} */ (found);
}

/**
 * Replace what an element holds.
 * @template {HTMLElement | SVGElement} E
 * @param {E} element
 * @param {...Child} children
 */
export function show(element, ...children) {
  element.replaceChildren();
  return fill(element, {}, children);
}

/**
 * A name or a value out of the rules. One that is written from right to left stays in its place: it does
 * not turn round the words and signs beside it.
 * @param {string} text
 */
export function nameWords(text) {
  return h("bdi", {}, text);
}

/**
 * Several names, with commas between them.
 * @param {string[]} texts
 */
export function nameList(texts) {
  return texts.map((text, i) => [i ? ", " : "", nameWords(text)]);
}

/**
 * Some things, one after the other: "1, 2 and 5"; of very many the first ones and how many more.
 * @param {Child[]} things
 * @param {number} [most]
 */
export function listWords(things, most = 12) {
  const shown = things.slice(0, things.length > most ? most : things.length);
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
