// @ts-check
// What the editor of a learned model hands back to the learner: rules to keep, and what is forbidden.

import { neverText, rowsNotation } from "./files.js";
import { boxesOfRow, isFinished, keepRows, toggleForbidden, toggleNever } from "./table.js";
import { h, nameWords, show } from "../dom.js";
import { summary } from "../summary.js";
import { isCategory } from "../values/features.js";
import { pluralText } from "../words.js";

/** Whether the rules were learned, so that the learner can take something back. */
export const isLearned = summary.models.some(({ front }) => front !== null);

/**
 * What irenic.learn.Knowledge reads.
 * @param {EditedTable} table
 * @returns {{ rules?: string, never?: string[], forbidden?: string[] }}
 */
export function knowledgeData(table) {
  const { rows, never, forbidden } = table.now;
  const rules = rowsNotation(
    table,
    rows.filter((row) => row.kept && isFinished(row)),
  );
  return {
    ...(rules && { rules }),
    ...(never.length && { never }),
    ...(forbidden.length && { forbidden }),
  };
}

/** @param {string} name */
const fileStem = (name) => name.replace(/\.\w+$/, "").replace(/[^\p{L}\p{N}_-]+/gu, "-") || "model";

/** The name of the file that the learner reads. */
export const knowledgeFile = () => `${fileStem(summary.name || "model")}.knowledge.json`;

/**
 * The tools that mark rows, columns and conditions; empty for rules that were not learned.
 * @param {EditedTable} table
 * @param {ReturnType<typeof import("./grid.js").newGrid>} grid
 * @param {(text: string) => void} say
 * @returns {Child[]}
 */
export function knowledgeTools(table, grid, say) {
  if (!isLearned) return [];
  const keep = () => {
    const { top, bottom } = grid.bounds();
    const kept = keepRows(table, top, bottom);
    const which = top === bottom ? `Row ${top + 1}` : `Rows ${top + 1} to ${bottom + 1}`;
    say(`${which} ${kept ? "will be kept" : "may be learned anew"}.`);
    grid.element.focus({ preventScroll: true });
  };
  const list = h("ul", {});
  const menu = h("details", { class: "save-menu" }, h("summary", {}, "Forbid"), list);
  menu.addEventListener("toggle", () => {
    if (menu.open) show(list, forbidItems(table, grid, close));
  });
  menu.addEventListener("keydown", (event) => event.key === "Escape" && close());
  const close = () => {
    menu.open = false;
    grid.element.focus({ preventScroll: true });
  };
  return [h("button", { type: "button", onclick: keep, title: "Keep the selected rules" }, "Keep"), menu];
}

/**
 * What can be forbidden at the selected cell.
 * @param {EditedTable} table
 * @param {ReturnType<typeof import("./grid.js").newGrid>} grid
 * @param {() => void} close
 */
function forbidItems(table, grid, close) {
  const { row: place, column } = grid.state;
  const feature = table.features[column];
  const row = table.now.rows[place];
  if (!feature || !row) return h("li", { class: "muted" }, "Select the cell of a condition.");
  const { forbidden, never } = table.now;
  const choices = new Map(
    [[column], [...row.cells.keys()]].map((columns) => [neverText(table, row, columns), columns]),
  );
  /** @param {Child[]} words @param {() => void} onclick */
  const item = (words, onclick) => {
    const press = () => {
      onclick();
      close();
    };
    return h("li", {}, h("button", { type: "button", class: "link", onclick: press }, words));
  };
  const isForbidden = forbidden.includes(feature.name);
  return [
    item([isForbidden ? "Allow rules to test " : "No rule may test ", nameWords(feature.name)], () =>
      toggleForbidden(table, feature.name),
    ),
    [...choices].map(
      ([text, columns]) =>
        text !== null &&
        item([never.includes(text) ? "Allow " : "Never ", nameWords(text)], () => {
          const cells = row.cells.map((cell, k) => (columns.includes(k) ? cell : { ...cell, test: null }));
          table.neverWhere.set(text, { outcome: Number(row.outcome), boxes: boxesOfRow({ ...row, cells }) });
          toggleNever(table, text);
        }),
    ),
  ];
}

/**
 * Whether two boxes have cases in common.
 * @param {EditedTable} table
 * @param {Sides} a
 * @param {Sides} b
 */
const haveCommon = ({ features }, a, b) =>
  features.every((feature, k) => {
    const [one, other] = [a[k], b[k]];
    if (!one || !other) return true;
    if (isCategory(feature)) return one.some((code) => other.includes(code));
    const low = Math.max(one[0] ?? -Infinity, other[0] ?? -Infinity);
    return low < Math.min(one[1] ?? Infinity, other[1] ?? Infinity);
  });

/**
 * The kept rows that say what they must not say, with the marks that forbid it.
 * @param {EditedTable} table
 * @returns {{ place: number, text: string }[]}
 */
function contradictedMarks(table) {
  const { rows, never } = table.now;
  return never.flatMap((text) => {
    const where = table.neverWhere.get(text);
    if (!where) return []; // it came with the model, which respects it
    return [...rows.keys()]
      .filter((place) => rows[place].kept && rows[place].outcome === where.outcome)
      .filter((place) => boxesOfRow(rows[place]).some((own) => where.boxes.some((box) => haveCommon(table, own, box))))
      .map((place) => ({ place, text }));
  });
}

/**
 * What the learner gets, and how.
 * @param {EditedTable} table
 * @param {(text: string, wrong?: boolean) => void} say
 */
export function knowledgePanel(table, say) {
  const { rows, forbidden, never } = table.now;
  const kept = [...rows.keys()].filter((place) => rows[place].kept);
  const data = knowledgeData(table);
  if (!Object.keys(data).length) {
    return h("p", { class: "muted" }, "Mark rules with Keep, and columns or conditions with Forbid, then learn again.");
  }
  /** @param {Child} text @param {() => void} onclick */
  const removable = (text, onclick) =>
    h("li", {}, text, " ", h("button", { type: "button", class: "link", onclick }, "Remove"));
  const file = knowledgeFile();
  const copy = () => copyText(JSON.stringify(data, null, 2), say);
  return [
    h(
      "ul",
      { class: "changed" },
      kept.length > 0 &&
        h("li", {}, `Kept: ${pluralText(kept.length, "rule")} (row ${kept.map((k) => k + 1).join(", ")})`),
      forbidden.map((name) => removable(["Not tested: ", nameWords(name)], () => toggleForbidden(table, name))),
      never.map((text) => removable(["Never ", nameWords(text)], () => toggleNever(table, text))),
    ),
    contradictedMarks(table).map(({ place, text }) =>
      h("p", { class: "wrong-text" }, `Row ${place + 1} is kept, but contradicts: Never `, nameWords(text), "."),
    ),
    h(
      "div",
      { class: "actions" },
      h(
        "button",
        { type: "button", onclick: () => downloadText(file, JSON.stringify(data, null, 2)) },
        `Download ${file}`,
      ),
      h("button", { type: "button", onclick: () => void copy() }, "Copy"),
    ),
    h("p", { class: "small muted" }, "Then learn again, in Python or on the command line:"),
    h("pre", { class: "code" }, `RuleSetClassifier(knowledge="${file}").fit(X, y)`),
    h("pre", { class: "code" }, `irenic learn DATA --knowledge ${file}`),
  ];
}

/** @param {string} name @param {string} text */
function downloadText(name, text) {
  const address = URL.createObjectURL(new Blob([`${text}\n`], { type: "application/json" }));
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** @param {string} text @param {(text: string, wrong?: boolean) => void} say */
async function copyText(text, say) {
  try {
    await navigator.clipboard.writeText(text);
    say("Copied.");
  } catch {
    say("The browser does not allow it: download the file instead.", true);
  }
}
