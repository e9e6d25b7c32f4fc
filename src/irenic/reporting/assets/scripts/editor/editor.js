// @ts-check
// Opens the editor: the table, its checks and what the rest of the page may use.

import { startChecks } from "./checks.js";
import { rowsOfRules, rulesCsv, rulesData, rulesDmn, rulesJson, rulesNotation, pageText } from "./files.js";
import {
  addRow,
  deleteRows,
  duplicateRows,
  moveRows,
  newTable,
  orderRows,
  replaceRows,
  setCells,
  setOtherwise,
  splitRow,
  travel,
} from "./table.js";
import { model } from "../state.js";

/**
 * Open the editor in a section.
 * @param {HTMLElement} section
 * @param {{ save?: (rules: Record<string, any>) => void }} [options]
 * @returns {Editor}
 */
export function openEditor(section, { save } = {}) {
  const table = newTable(model());
  const checks = startChecks(table, () => {});
  table.listeners.push(checks.update);
  checks.update();
  void section;
  void save;
  return {
    currentRules: () => rulesData(table),
    currentTable: () => ({ rows: rowsOfRules(table), hit_policy: table.now.hitPolicy || null }),
    onChange: (listener) => void table.listeners.push(listener),
    status: checks.status,
    settled: checks.settled,
    table,
    actions: {
      setCells: (cells) => setCells(table, cells),
      addRow: (...given) => addRow(table, given[0], given[1], given[2]),
      duplicateRows: (first, last) => duplicateRows(table, first, last),
      deleteRows: (first, last) => deleteRows(table, first, last),
      moveRows: (first, last, by) => moveRows(table, first, last, by),
      splitRow: (row, column, text) => splitRow(table, row, column, text),
      replaceRows: (replaced, added) => replaceRows(table, replaced, added),
      setOtherwise: (text) => setOtherwise(table, text),
      orderRows: () => orderRows(table),
      undo: () => travel(table, "past"),
      redo: () => travel(table, "future"),
      ask: checks.ask,
      json: () => rulesJson(table),
      text: () => rulesNotation(table),
      csv: () => rulesCsv(table),
      dmn: () => rulesDmn(table),
      page: () => pageText(table),
    },
  };
}
