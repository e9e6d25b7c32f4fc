// @ts-check
// The field in a cell that is edited, and what it offers to complete.

import { ANY_CELL } from "./table.js";
import { h, show } from "../dom.js";
import { isCategory, OTHER_CODE } from "../values/features.js";

const OFFERED = 8;
const ITEM_HEIGHT = 27; // pixels, about

/**
 * What can be typed in a column: values of a category, outcomes, or conditions that other rows have.
 * @param {EditedTable} table
 * @param {number} column
 * @returns {{ texts: string[], inList: boolean }}
 */
export function completionsFor(table, column) {
  const feature = table.features[column];
  if (!feature) return { texts: table.outcomes.map(({ text }) => text), inList: false };
  if (isCategory(feature)) {
    const codes = feature.admitted.filter((code) => code > OTHER_CODE);
    const null_ = feature.missing ? ["null"] : [];
    return { texts: [...codes.map((code) => feature.values[code]), ...null_, "not("], inList: true };
  }
  const cells = table.now.rows.map((row) => row.cells[column]).filter((cell) => cell !== ANY_CELL && !cell.error);
  return { texts: [...new Set(cells.map(({ text }) => text))].sort(), inList: false };
}

/**
 * Put a field into a cell. The end gets the text, null if it was given up, and where to go.
 * @param {HTMLElement} cell
 * @param {{ text: string, label: string, completions: { texts: string[], inList: boolean },
 *   end: (text: string | null, go: "down" | "left" | "right" | null) => void }} options
 */
export function startTyping(cell, { text, label, completions, end }) {
  const list = h("ul", { class: "completions", role: "listbox", id: "completions", hidden: true });
  const input = h("input", {
    class: "grid-input",
    "aria-label": label,
    role: "combobox",
    "aria-expanded": "false",
    "aria-controls": "completions",
    "aria-autocomplete": "list",
    autocomplete: "off",
    spellcheck: "false",
  });
  input.value = text;
  let chosen = -1;
  let ended = false;
  /** @type {string[]} */
  let offered = [];

  /** The part of the text that is completed. */
  const part = () => (completions.inList ? (input.value.split(/[,(]\s*/).pop() ?? "") : input.value);

  /** @param {string} typed */
  function offer(typed) {
    offered = completions.texts.filter((each) => each.toLowerCase().includes(typed) && each.toLowerCase() !== typed);
    offered.sort((a, b) => Number(b.toLowerCase().startsWith(typed)) - Number(a.toLowerCase().startsWith(typed)));
    offered = offered.slice(0, OFFERED);
    chosen = -1;
    draw();
  }

  function draw() {
    list.hidden = !offered.length;
    placeList();
    input.setAttribute("aria-expanded", String(!list.hidden));
    if (chosen >= 0) input.setAttribute("aria-activedescendant", `completion-${chosen}`);
    else input.removeAttribute("aria-activedescendant");
    show(
      list,
      offered.map((each, k) =>
        h(
          "li",
          { role: "option", id: `completion-${k}`, "aria-selected": String(k === chosen), "data-k": k },
          h("bdi", {}, each),
        ),
      ),
    );
  }

  /** Put the list below the cell, or above it if there is no room. */
  function placeList() {
    const { left, top, bottom, width } = cell.getBoundingClientRect();
    const height = offered.length * ITEM_HEIGHT;
    const above = bottom + height > window.innerHeight && top > height;
    Object.assign(list.style, {
      left: `${left}px`,
      top: above ? "" : `${bottom}px`,
      bottom: above ? `${window.innerHeight - top}px` : "",
      minWidth: `${width}px`,
    });
  }

  function hideList() {
    offered = [];
    draw();
  }

  /** @param {number} k */
  function take(k) {
    input.value = input.value.slice(0, input.value.length - part().length) + offered[k];
    chosen = -1;
    hideList();
  }

  /** @param {string | null} typed @param {"down" | "left" | "right" | null} go */
  function finish(typed, go) {
    if (ended) return;
    ended = true;
    window.removeEventListener("scroll", placeList, true);
    end(typed, go);
  }

  input.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.isComposing) return;
    if ((event.key === "ArrowDown" || event.key === "ArrowUp") && offered.length) {
      chosen = (chosen + (event.key === "ArrowDown" ? 1 : -1) + offered.length + 1) % (offered.length + 1);
      if (chosen === offered.length) chosen = -1;
      draw();
    } else if (event.key === "Enter" || event.key === "Tab") {
      if (chosen >= 0) take(chosen);
      finish(input.value, event.key === "Enter" ? "down" : event.shiftKey ? "left" : "right");
    } else if (event.key === "Escape") finish(null, null);
    else return;
    event.preventDefault();
  });
  input.addEventListener("input", () => offer(part().trim().toLowerCase()));
  input.addEventListener("blur", () => finish(input.value, null));
  list.addEventListener("pointerdown", (event) => {
    event.preventDefault(); // keeps the focus in the field
    event.stopPropagation();
    const item = /** @type {HTMLElement} */ (event.target).closest("li");
    if (!item) return;
    take(Number(item.dataset.k));
    input.focus();
  });
  window.addEventListener("scroll", placeList, true);
  cell.classList.add("typing");
  show(cell, input, list);
  input.focus();
  input.select();
  if (text.length === 1) input.setSelectionRange(1, 1); // the first sign of what is typed
  offer(text.length === 1 ? text.toLowerCase() : "");
  return () => finish(input.value, null);
}
