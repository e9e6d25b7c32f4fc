// @ts-check
// A rule from a case: the largest region around it that contradicts no other row.

import { pointSides } from "./examples.js";
import { outcomeError } from "./outcomes.js";
import { outcomeNamed, replaceRows } from "./table.js";
import { h, show } from "../dom.js";
import { isCategory } from "../values/features.js";
import { parseValue } from "../values/reading.js";

/**
 * @param {{ table: EditedTable, grid: { select: (row: number, column: number) => void, element: HTMLElement },
 *   ask: (what: string, given?: any) => Promise<any>, say: (text: string) => void }} desk
 * @param {() => number[]} hidden
 */
export function newCaseDialog({ table, grid, ask, say }, hidden) {
  const fields = h("div", { class: "case-fields" });
  const problem = h("p", { class: "wrong-text", role: "alert" });
  const outcome = h("input", { required: true, list: "case-outcomes" });
  const outcomes = h("datalist", { id: "case-outcomes" });
  const element = h(
    "dialog",
    { class: "case-dialog", "aria-label": "Rule for a case" },
    h("h3", {}, "This case should be …"),
    fields,
    h("label", {}, h("span", {}, "Outcome"), outcome),
    outcomes,
    problem,
    h(
      "div",
      { class: "actions" },
      h("button", { type: "button", class: "primary", onclick: () => void add() }, "Add the rule"),
      h("button", { type: "button", onclick: () => element.close() }, "Cancel"),
    ),
  );
  element.addEventListener("close", () => grid.element.focus({ preventScroll: true }));
  /** @type {(HTMLInputElement | HTMLSelectElement | null)[]} */
  let inputs = [];

  /** @param {EditedFeature} feature */
  function fieldFor(feature) {
    if (!isCategory(feature)) return h("input", { placeholder: feature.wanted });
    return h(
      "select",
      {},
      feature.admitted.map((code) => h("option", { value: code }, feature.values[code])),
    );
  }

  function open() {
    const out = new Set(hidden());
    inputs = table.features.map((feature, place) => (out.has(place) ? null : fieldFor(feature)));
    show(
      fields,
      inputs.map(
        (input, place) => input && h("label", {}, h("span", {}, h("bdi", {}, table.features[place].name)), input),
      ),
    );
    show(
      outcomes,
      table.outcomes.map(({ text }) => h("option", { value: text })),
    );
    show(problem);
    element.showModal();
  }

  /** The values of the case, or an error. */
  function values() {
    /** @type {(Value | undefined)[]} */
    const found = [];
    for (const [place, input] of inputs.entries()) {
      const feature = table.features[place];
      if (!input) found.push(undefined);
      else if (isCategory(feature)) found.push(Number(input.value));
      else {
        const read = parseValue(feature, input.value);
        if (read.error !== undefined) return `${feature.name}: ${read.error}`;
        found.push(read.value);
      }
    }
    return found;
  }

  async function add() {
    const found = values();
    if (typeof found === "string") return void show(problem, found);
    const place = outcomeNamed(table, outcome.value);
    if (place === null) {
      return void show(problem, outcomeError(table.outcomes, outcome.value) || "Type the outcome.");
    }
    const sides = pointSides(table.features, found);
    const grown = await ask("growCase", { sides, outcome: place }).catch((/** @type {Error} */ error) => {
      show(problem, `This cannot be done: ${error.message}.`);
    });
    if (!grown) return;
    element.close();
    if (grown.agreeing.length && !grown.cut.length) {
      grid.select(grown.agreeing[0], table.features.length);
      return say(`Row ${grown.agreeing[0] + 1} says so already.`);
    }
    replaceRows(table, grown.cut, { sides: grown.sides, outcome: place });
    grid.select(table.now.rows.length - 1, table.features.length);
    grid.element.focus();
    const cut = grown.cut.map((/** @type {{ row: number }} */ each) => each.row + 1);
    say(
      cut.length
        ? `A row was added for this case alone, and row ${cut.join(", ")} was cut around it. All other cases stay as they were.`
        : "A row was added.",
    );
  }

  return { element, open };
}
