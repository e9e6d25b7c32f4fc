// @ts-check
// A rule from a case: the largest region around it that contradicts no other row, or the case alone.

import { pointSides } from "./examples.js";
import { outcomeError, parseOutcome } from "./outcomes.js";
import { regionCells } from "./regions.js";
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
  const preview = h("div", { class: "case-preview", role: "status" });
  const outcome = h("input", { required: true, list: "case-outcomes" });
  const outcomes = h("datalist", { id: "case-outcomes" });
  const element = h(
    "dialog",
    { class: "case-dialog", "aria-label": "Rule for a case" },
    h("h3", {}, "This case should be …"),
    fields,
    h("label", {}, h("span", {}, "Outcome"), outcome),
    outcomes,
    preview,
    problem,
    h(
      "div",
      { class: "actions" },
      h("button", { type: "button", class: "primary", onclick: () => void add() }, "Add the rule"),
      h("button", { type: "button", onclick: () => element.close() }, "Cancel"),
    ),
  );
  element.addEventListener("input", (event) => {
    if (/** @type {HTMLInputElement} */ (event.target).type !== "radio") void showPreview();
  });
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
    void showPreview();
  }

  let previews = 0;
  let alone = false; // whether the rule holds for the case only

  /** Show the rule that would be added, and its alternative. */
  async function showPreview() {
    previews += 1;
    const own = previews;
    const [found, named] = [values(), parseOutcome(table.outcomes, outcome.value)];
    const isReady = typeof found !== "string" && named && named.error === undefined;
    if (!isReady) return void show(preview, h("p", { class: "muted small" }, "Fill in the case to see its rule."));
    const sides = pointSides(table.features, found);
    const grown = await ask("growCase", { sides, outcome: named.place ?? table.outcomes.length }).catch(() => null);
    if (own !== previews) return; // the case was changed meanwhile
    show(problem);
    show(preview, grown && previewOf(grown));
  }

  /** @param {{ region: Sides | null, point: Sides, agreeing: number[], cut: { row: number }[] }} grown */
  function previewOf({ region, point, agreeing, cut }) {
    if (agreeing.length && !cut.length) return h("p", {}, `Row ${agreeing[0] + 1} says so already.`);
    alone = region === null;
    const rows = cut.map((each) => each.row + 1).join(", ");
    const several = cut.length > 1;
    return h(
      "fieldset",
      {},
      h("legend", {}, "The rule"),
      region && choice(false, "The largest free region", region),
      choice(true, "Only this case", point),
      region === null &&
        h(
          "p",
          { class: "muted small" },
          `${several ? "Rows" : "Row"} ${rows} ${several ? "say" : "says"} something else for this case, and ` +
            `${several ? "are" : "is"} cut around it.`,
        ),
    );
  }

  /**
   * @param {boolean} isAlone
   * @param {string} text
   * @param {Sides} sides
   */
  function choice(isAlone, text, sides) {
    const input = h("input", { type: "radio", name: "case-rule", checked: isAlone === alone });
    input.addEventListener("change", () => (alone = isAlone));
    return h("label", {}, input, h("span", {}, h("b", {}, text), " ", regionCells(table, sides)));
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
    const isAlone = alone || grown.region === null;
    replaceRows(table, grown.cut, { sides: isAlone ? grown.point : grown.region, outcome: place });
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
