// @ts-check
// Opens the editor: the table, its checks, and everything around the grid.

import { newCaseDialog } from "./cases.js";
import { startChecks } from "./checks.js";
import { pageText, rowsOfRules, rulesCsv, rulesData, rulesDmn, rulesJson, rulesNotation } from "./files.js";
import { newGrid } from "./grid.js";
import { isLearned, knowledgeData, knowledgeFile, knowledgePanel, knowledgeTools } from "./knowledge.js";
import { outcomeError } from "./outcomes.js";
import { editChanges, fillPanel, editFindings, guardNotice, verdictParts } from "./panels.js";
import {
  addRow,
  deleteRows,
  duplicateRows,
  isChanged,
  moveRows,
  newTable,
  orderRows,
  replaceRows,
  restoreTable,
  setCells,
  setOtherwise,
  splitRow,
  travel,
} from "./table.js";
import { h, show } from "../dom.js";
import { canCompute } from "../engine/kernels.js";
import { canSave, canSaveOrder, saveEdited } from "../page/saving.js";
import { emit, model, on } from "../state.js";
import { summary } from "../summary.js";
import { pluralText } from "../words.js";

/** @type {[string, string, string, (table: EditedTable, disjoint: boolean) => string][]} */
const FORMATS = [
  ["JSON", "json", "application/json", rulesJson],
  ["CSV for spreadsheets", "csv", "text/csv", (table) => `\ufeff${rulesCsv(table)}`],
  ["Text, one rule per line", "rules", "text/plain", rulesNotation],
  ["DMN", "dmn", "application/xml", rulesDmn],
  ["This page, with the edited rules", "html", "text/html", pageText],
];

/**
 * The part of the page that opens the editor.
 * @param {HTMLElement} section
 */
export function startEditor(section) {
  if (!canCompute) {
    if (document.getElementById("edited")) showUnknown(section);
    return; // nothing could be checked
  }
  /** @type {Editor | null} */
  let editor = null;
  const open = () =>
    void (editor = openEditor(
      section,
      canSave ? { save: saveEdited, canOrder: canSaveOrder } : { close: () => close() },
    ));
  const close = () => {
    editor?.close();
    editor = null;
    show(section, h("button", { type: "button", class: "edit-button", onclick: open }, "Edit the rules"));
  };
  close();
  on("model", () => {
    if (!editor?.hasChanges()) close(); // the editor has the rules of the set that was shown
  });
  if (canSave || document.getElementById("edited")) open();
}

/**
 * Show that the page has edited rules, in a browser that cannot check them.
 * @param {HTMLElement} section
 */
function showUnknown(section) {
  document.body.classList.add("edited");
  emit("edited", { parts: null, results: null, rules: null });
  const why = "This page has edited rules, but the browser cannot show them: it does not allow WebAssembly.";
  show(section, h("p", { class: "notice" }, why));
}

/**
 * Open the editor in a section. Save gets the rules as irenic.loads reads them; without it, files can be downloaded.
 * Only where canOrder is true, it offers to let the first row decide; close adds a button that calls it.
 * @param {HTMLElement} section
 * @param {{ save?: (rules: Record<string, any>) => void | Promise<void>, canOrder?: boolean, close?: () => void }} [options]
 * @returns {Editor}
 */
export function openEditor(section, { save, canOrder = true, close } = {}) {
  const table = newTable(model());
  const edited = document.getElementById("edited");
  if (edited) restoreTable(table, JSON.parse(edited.textContent ?? ""));
  const verdict = h("p", { class: "edit-verdict", role: "status" });
  const guard = h("div", { class: "edit-guard", "aria-live": "polite" });
  const cellLine = h("p", { class: "edit-line" });
  const note = h("p", { class: "edit-note", role: "status" });
  const findings = h("div", {});
  const changes = h("div", {});
  const findingsPanel = h("details", { class: "panel", open: true }, h("summary", {}, "Findings"), findings);
  const changesPanel = h("details", { class: "panel" }, h("summary", {}, "What changes"), changes);
  const learner = h("div", {});
  const learnerPanel = h("details", { class: "panel", open: true }, h("summary", {}, "For the learner"), learner);
  const drawLearner = () => void (isLearned && show(learner, knowledgePanel(table, say)));
  /** @type {EditedResults | null} */
  let openedResults = null;
  let before = table.now.rows;
  let saved = table.now;
  let canCheck = true;
  /** @type {number | null} */
  let watched = null; // the id of the row that was changed last

  const grid = newGrid(table, { selected: showLine, move: (by) => move(by) });
  const checks = startChecks(
    table,
    (status) => {
      if (table.now === table.opened && status.results) openedResults = status.results;
      grid.setStatus(status);
      draw();
      if (status.done) void drawChanges(status);
    },
    () => {
      show(verdict, "The rules cannot be checked here: the browser does not allow it.");
      canCheck = false;
      drawPage();
    },
  );
  /** @param {string} text @param {boolean} [wrong] whether it is an error */
  const say = (text, wrong = false) => {
    note.classList.toggle("wrong-text", wrong);
    show(note, text);
  };
  /** @type {import("./panels.js").Desk} */
  const desk = { table, grid, ask: checks.ask, say, canOrder, items: new Map() };

  // --- drawing

  function draw() {
    const status = checks.status();
    if (!status) return;
    const look = checks.isCurrent() ? "" : " stale";
    const line = verdictParts(table, status).map(([kind, text]) =>
      h("span", { class: `verdict-part ${kind}${look}` }, text),
    );
    show(verdict, line);
    drawPage();
    if (!checks.isCurrent()) return;
    const row = table.now.rows.findIndex((each) => each.id === watched);
    const notice = row >= 0 ? guardNotice(desk, status, row) : null;
    show(guard, notice);
    void fillPanel(findingsPanel, findings, () => editFindings(desk, status));
  }

  /** @param {Status} status */
  async function drawChanges(status) {
    await fillPanel(changesPanel, changes, async () => {
      const regions = table.now === table.opened ? { list: [], finished: true } : await checks.ask("changedRegions");
      return editChanges(table, regions, status.results, openedResults);
    });
  }

  function showLine() {
    const { row: place, column } = grid.state;
    const row = table.now.rows[place];
    if (!row) return void show(cellLine, "No rows yet.");
    const cell = row.cells[column];
    const wrong = cell
      ? cell.error
      : row.outcome === null
        ? outcomeError(table.outcomes, row.outcomeText) || "Type what this rule says."
        : "";
    const name = table.features[column]?.name ?? table.outcomeName;
    show(
      cellLine,
      h("span", { class: "muted" }, `Row ${place + 1}, `, h("bdi", {}, name), ": "),
      h("bdi", {}, cell?.text ?? row.outcomeText),
      wrong && h("span", { class: "wrong-text" }, ` ${wrong}`),
    );
  }

  /** Give the focus back to the grid if a button had it, so that keys such as Ctrl+Z work after a click. */
  function focusGrid() {
    const active = document.activeElement;
    const isFree =
      !active || active === document.body || (active.matches("button, summary") && section.contains(active));
    if (isFree && section.isConnected) grid.element.focus({ preventScroll: true });
  }

  /** While rules are changed, the page says what was found of these, and nothing that was found of the original ones. */
  function drawPage() {
    const edited = isChanged(table);
    const status = checks.isCurrent() && checks.status()?.done ? checks.status() : null;
    const known = { parts: status && verdictParts(table, status), results: status?.results ?? null };
    const rules = canCheck ? new Set(rowsOfRules(table)).size : null;
    document.body.classList.toggle("edited", edited);
    emit("edited", edited ? { ...known, rules } : null);
  }
  drawPage();

  table.listeners.push(() => {
    const old = new Set(before);
    const fresh = table.now.rows.filter((row) => !old.has(row));
    if (fresh.length) watched = fresh[0].id;
    before = table.now.rows;
    show(note);
    checks.update();
    undo.disabled = !table.past.length;
    redo.disabled = !table.future.length;
    otherwise.value = table.now.otherwise === null ? "" : table.outcomes[table.now.otherwise].text;
    drawPage();
    draw();
    drawLearner();
    focusGrid();
  });
  findingsPanel.addEventListener("toggle", draw);
  changesPanel.addEventListener("toggle", () => void checks.settled().then(drawChanges));

  // --- the tools

  /** @param {string} text @param {() => void} onclick @param {string} [title] */
  const tool = (text, onclick, title) => {
    const press = () => {
      onclick();
      focusGrid();
    };
    return h("button", { type: "button", onclick: press, title }, text);
  };
  const undo = tool("Undo", () => travel(table, "past"), "Ctrl+Z");
  const redo = tool("Redo", () => travel(table, "future"), "Ctrl+Y");
  [undo.disabled, redo.disabled] = [!table.past.length, true];

  function add() {
    const { bottom } = grid.bounds();
    const after = table.now.rows.length ? bottom : -1;
    addRow(table, after);
    grid.select(after + 1, [...table.features.keys()].find((place) => !grid.hiddenColumns().includes(place)) ?? 0);
    grid.element.focus();
  }

  /** @param {1 | -1} by */
  function move(by) {
    const { top, bottom } = grid.bounds();
    if (!moveRows(table, top, bottom, by)) return;
    grid.state.row += by;
    grid.state.toRow += by;
    grid.draw();
  }

  function split() {
    const { row, column } = grid.state;
    const feature = table.features[column];
    if (!feature) return say("Select the cell of a condition to split its row.");
    splitField.hidden = false;
    show(
      splitField,
      h("label", {}, `Split row ${row + 1} at `, h("bdi", {}, feature.name), " = ", splitInput),
      tool("Split", endSplit),
    );
    splitInput.value = "";
    splitInput.focus();
  }

  function endSplit() {
    const { row, column } = grid.state;
    const error = splitRow(table, row, column, splitInput.value);
    if (error) return say(error, true);
    splitField.hidden = true;
    grid.element.focus();
  }

  const splitInput = h("input", { size: 10 });
  const splitField = h("p", { class: "split-field", hidden: true });
  splitInput.addEventListener("keydown", (event) => {
    if (event.key === "Enter") endSplit();
    else if (event.key === "Escape") {
      splitField.hidden = true;
      grid.element.focus();
    }
  });
  const otherwise = h("input", { size: 12, "aria-label": "What is decided where no rule holds" });
  otherwise.value = table.now.otherwise === null ? "" : table.outcomes[table.now.otherwise].text;
  otherwise.addEventListener("change", () => say(setOtherwise(table, otherwise.value), true));
  const columns = h("select", { "aria-label": "Show another column" });
  const drawColumns = () => {
    const hidden = grid.hiddenColumns();
    columns.hidden = !hidden.length;
    const options = hidden.map((place) => h("option", { value: place }, table.features[place].name));
    show(columns, h("option", { value: "" }, "Add a column …"), options);
  };
  columns.addEventListener("change", () => {
    if (columns.value) grid.showColumn(Number(columns.value));
    drawColumns();
  });
  drawColumns();

  const menu = h(
    "details",
    { class: "save-menu" },
    h("summary", {}, "Download"),
    h(
      "ul",
      {},
      FORMATS.map(([name, suffix, type, write]) =>
        h(
          "li",
          {},
          h("button", { type: "button", class: "link", onclick: () => download(name, suffix, type, write) }, name),
        ),
      ),
    ),
  );

  /** Whether it is known that no rows overlap. */
  function areDisjoint() {
    const status = checks.isCurrent() ? checks.status() : null;
    return status?.done === true && !status.conflicts.count && !status.overlaps.count;
  }

  /**
   * @param {string} name
   * @param {string} suffix
   * @param {string} type
   * @param {(table: EditedTable, disjoint: boolean) => string} write
   */
  function download(name, suffix, type, write) {
    menu.open = false;
    focusGrid();
    const open = table.now.rows.length - rulesCount();
    try {
      const address = URL.createObjectURL(new Blob([write(table, areDisjoint())], { type }));
      const file = (summary.name || "rules").replace(/\.\w+$/, "").replace(/[^\p{L}\p{N}_-]+/gu, "-") || "rules";
      h("a", { href: address, download: `${file}.${suffix}` }).click();
      setTimeout(() => URL.revokeObjectURL(address), 10_000);
      saved = table.now;
      say(open && suffix !== "html" ? `Saved without ${open} unfinished ${open === 1 ? "row" : "rows"}.` : "");
    } catch (error) {
      say(`${name}: ${error instanceof Error ? error.message : error}`, true);
    }
  }

  async function saveRules() {
    focusGrid();
    const { now } = table;
    const open = isLearned ? 0 : now.rows.length - rulesCount();
    if (open) return say(`Finish or delete ${open === 1 ? "the row" : `the ${open} rows`} marked with … first.`, true);
    try {
      await save?.(isLearned ? knowledgeData(table) : rulesData(table));
      saved = now;
      if (isLearned) return say(`Saved to ${knowledgeFile()}: irenic learn DATA --knowledge ${knowledgeFile()}`);
      const count = checks.status()?.conflicts.count ?? 0;
      say(count && now.policy.how === "agree" ? `Saved. The rules have ${pluralText(count, "conflict")}.` : "Saved.");
    } catch (error) {
      say(`Not saved: ${error instanceof Error ? error.message : error}`, true);
    }
  }

  /** @param {BeforeUnloadEvent} event */
  const keepChanges = (event) => {
    if (table.now !== saved) event.preventDefault();
  };
  window.addEventListener("beforeunload", keepChanges);
  const leave = () => {
    const isSaved = table.now === saved || !isChanged(table);
    if (isSaved || window.confirm("Close the editor and discard the changes?")) close?.();
  };

  const rulesCount = () => new Set(rowsOfRules(table)).size;
  const dialog = newCaseDialog(desk, () => grid.hiddenColumns());

  show(
    section,
    h("h2", { tabindex: -1 }, "Edit the rules"),
    verdict,
    h(
      "div",
      { class: "edit-tools", role: "toolbar", "aria-label": "Edit" },
      save && h("button", { type: "button", class: "primary", onclick: () => void saveRules() }, "Save"),
      undo,
      redo,
      tool("Add row", add),
      tool("Duplicate", () => duplicateRows(table, grid.bounds().top, grid.bounds().bottom)),
      tool("Delete", () => deleteRows(table, grid.bounds().top, grid.bounds().bottom)),
      tool("Split …", split, "Split the row at a value of the selected column"),
      tool("↑", () => move(-1), "Move up (Alt+Up)"),
      tool("↓", () => move(1), "Move down (Alt+Down)"),
      tool("Rule for a case …", dialog.open),
      knowledgeTools(table, grid, say),
      columns,
      menu,
      close && h("button", { type: "button", onclick: leave }, "Close"),
    ),
    splitField,
    note,
    guard,
    grid.element,
    cellLine,
    h("p", { class: "edit-default" }, h("label", {}, "Otherwise: ", otherwise)),
    h("div", { class: "panels" }, isLearned && learnerPanel, findingsPanel, changesPanel),
    dialog.element,
  );
  grid.draw();
  showLine();
  drawLearner();
  checks.update();
  grid.element.focus({ preventScroll: true });

  return {
    currentRules: () => rulesData(table),
    currentTable: () => ({ rows: rowsOfRules(table), hit_policy: table.now.hitPolicy || null }),
    onChange: (listener) => void table.listeners.push(listener),
    status: checks.status,
    settled: checks.settled,
    hasChanges: () => isChanged(table),
    close: () => {
      document.body.classList.remove("edited");
      emit("edited", null);
      checks.stop();
      window.removeEventListener("beforeunload", keepChanges);
    },
    table,
    actions: {
      setCells: (cells) => setCells(table, cells),
      addRow: (after, sides, outcome) => addRow(table, after, sides, outcome),
      duplicateRows: (first, last) => duplicateRows(table, first, last),
      deleteRows: (first, last) => deleteRows(table, first, last),
      moveRows: (first, last, by) => moveRows(table, first, last, by),
      splitRow: (row, column, text) => splitRow(table, row, column, text),
      replaceRows: (replaced, added) => replaceRows(table, replaced, added),
      setOtherwise: (text) => setOtherwise(table, text),
      orderRows: () => orderRows(table),
      knowledge: () => knowledgeData(table),
      undo: () => travel(table, "past"),
      redo: () => travel(table, "future"),
      ask: checks.ask,
      files: () => Object.fromEntries(FORMATS.map(([, suffix, , write]) => [suffix, write(table, areDisjoint())])),
    },
  };
}
