// @ts-check
// The rows as a grid like that of a spreadsheet: keyboard, selection, copy and paste. Only rows in view are drawn.

import { neverText } from "./files.js";
import { outcomeError } from "./outcomes.js";
import { completionsFor, startTyping } from "./typing.js";
import { ANY_CELL, isFinished, pasteCells, setCells, travel } from "./table.js";
import { h, show } from "../dom.js";
import { isCategory } from "../values/features.js";

const ROW_HEIGHT = 32; // pixels, as in editor.css
const EXTRA = 12; // rows that are drawn beyond the view

/**
 * @param {EditedTable} table
 * @param {{ selected: () => void, move: (by: 1 | -1) => void }} options
 */
export function newGrid(table, options) {
  const state = { row: 0, column: 0, toRow: 0, toColumn: 0 };
  /** @type {Set<number>} */
  let shownColumns = new Set(initialColumns(table));
  /** @type {Status | null} */
  let status = null;
  /** @type {Map<number, Set<number>>} */
  let concerned = new Map(); // columns by row
  /** @type {(() => void) | null} */
  let stopTyping = null;

  const head = h("div", { role: "row", class: "grid-head", "aria-rowindex": 1 });
  const body = h("div", { class: "grid-body", role: "rowgroup" });
  const grid = h(
    "div",
    { class: "edit-grid", role: "grid", tabindex: 0, "aria-label": "Rules", "aria-multiselectable": "true" },
    h("div", { role: "rowgroup", class: "grid-heads" }, head),
    body,
  );

  // --- columns

  /** The columns that are shown: some features, then the outcome. */
  const columns = () => [...[...shownColumns].sort((a, b) => a - b), table.features.length];

  /** @param {number} column */
  const columnName = (column) => table.features[column]?.name ?? table.outcomeName;

  let headed = table.now.forbidden; // what the head shows as forbidden

  function drawHead() {
    headed = table.now.forbidden;
    const widths = columns().map(widthOf);
    grid.style.setProperty("--columns", `3.25rem ${widths.map((width) => `minmax(${width}rem, 1fr)`).join(" ")}`);
    grid.style.setProperty("--width", `${widths.reduce((sum, width) => sum + width, 3.25)}rem`);
    grid.setAttribute("aria-colcount", String(columns().length + 1));
    show(
      head,
      h(
        "span",
        { role: "columnheader", class: "grid-number", "aria-colindex": 1 },
        h("span", { class: "unseen" }, "row"),
      ),
      columns().map((column, k) =>
        h(
          "span",
          {
            role: "columnheader",
            class: isForbidden(column) ? "forbidden" : null,
            "aria-colindex": k + 2,
            title: columnTitle(column),
          },
          h("bdi", {}, columnName(column)),
          isForbidden(column) && h("span", { class: "unseen" }, " not to be tested"),
        ),
      ),
    );
  }

  /** @param {number} column */
  const isForbidden = (column) => table.now.forbidden.includes(table.features[column]?.name);

  /** @param {number} column */
  function columnTitle(column) {
    const feature = table.features[column];
    if (isForbidden(column)) return `${feature.name}: the learner must not test it`;
    if (!feature) return "What the rule says";
    return isCategory(feature) ? `${feature.name}: values` : `${feature.name}: ${feature.wanted}`;
  }

  /** @param {number} column */
  function widthOf(column) {
    const texts = table.now.rows.slice(0, 200).map((row) => textAt(row, column).length);
    return 0.5 * Math.min(26, Math.max(9, columnName(column).length + 3, ...texts.map((length) => length + 3)));
  }

  /** @param {TableRow} row @param {number} column */
  const textAt = (row, column) => row.cells[column]?.text ?? row.outcomeText;

  /**
   * Why the text of a cell cannot be read; empty if it can, or if there is none.
   * @param {TableRow} row
   * @param {number} column
   */
  const wrongAt = (row, column) =>
    row.cells[column]?.error ?? (row.outcome === null ? outcomeError(table.outcomes, row.outcomeText) : "");

  // --- rows

  let drawn = { first: -1, last: -1 };
  /** @type {Map<number, { element: HTMLElement, look: unknown[] }>} */
  let elements = new Map(); // of the rows that are drawn
  /** @type {Map<number, FoundRow>} */
  let redundant = new Map();

  /** Draw the rows in view. Rows that look as before are left as they are. */
  function drawRows() {
    const n = table.now.rows.length;
    body.style.height = `${n * ROW_HEIGHT}px`;
    grid.setAttribute("aria-rowcount", String(n + 1));
    const top = Math.max(0, grid.scrollTop);
    const first = Math.max(0, Math.floor(top / ROW_HEIGHT) - EXTRA);
    const last = Math.min(n - 1, Math.ceil((top + grid.clientHeight) / ROW_HEIGHT) + EXTRA);
    const before = elements;
    const [shown, selected] = [columns(), bounds()];
    elements = new Map();
    for (let place = first; place <= last; place++) {
      const [old, look] = [before.get(place), lookOf(place, selected)];
      const isSame = old?.look.every((part, k) => part === look[k]);
      elements.set(place, old && isSame ? old : { element: rowElement(place, shown, selected), look });
    }
    for (const [place, { element }] of before) if (elements.get(place)?.element !== element) element.remove();
    let next = body.firstChild;
    for (const { element } of elements.values()) {
      if (element === next) next = next.nextSibling;
      else body.insertBefore(element, next);
    }
    drawn = { first, last };
    markActive();
  }

  /**
   * Everything that the drawing of a row depends on.
   * @param {number} place
   * @param {ReturnType<typeof bounds>} selected
   */
  function lookOf(place, selected) {
    const isSelected = place >= selected.top && place <= selected.bottom;
    return [
      table.now.rows[place],
      status?.conflicts.rows.get(place),
      redundant.has(place),
      concerned.get(place),
      isSelected ? selected.columns.join() : "",
      shownColumns,
      table.now.never,
      table.growth,
    ];
  }

  /** @param {FoundRow} found */
  const redundantRows = (found) => (found.kind === "duplicates" ? found.rows.slice(1) : found.rows);

  /**
   * @param {number} place
   * @param {number[]} shown
   * @param {ReturnType<typeof bounds>} selected
   */
  function rowElement(place, shown, selected) {
    const row = table.now.rows[place];
    const isSpare = redundant.has(place);
    const conflicts = status?.conflicts.rows.get(place) ?? 0;
    const mark = !isFinished(row) ? "…" : conflicts ? "!" : isSpare ? "≡" : "";
    const why = !isFinished(row)
      ? "not finished"
      : conflicts
        ? `contradicts ${conflicts === 1 ? "another row" : `${conflicts} others`}`
        : isSpare
          ? "redundant"
          : row.kept
            ? "kept"
            : "";
    const marked = conflicts ? "bad" : isSpare ? "spare" : isFinished(row) ? "" : "open";
    const element = h(
      "div",
      {
        role: "row",
        class: `grid-row ${marked} ${row.kept ? "kept" : ""}`,
        "aria-rowindex": place + 2,
        "data-row": place,
      },
      h(
        "span",
        { role: "rowheader", class: "grid-number", "aria-colindex": 1, title: why },
        h("span", { class: "grid-mark", "aria-hidden": "true" }, mark),
        String(place + 1),
        why && h("span", { class: "unseen" }, ` ${why}`),
      ),
      shown.map((column, k) => cellElement(row, place, column, k, isInBounds(selected, place, column))),
    );
    element.style.top = `${place * ROW_HEIGHT}px`;
    return element;
  }

  /**
   * @param {TableRow} row
   * @param {number} place
   * @param {number} column
   * @param {number} k
   * @param {boolean} isSelected
   */
  function cellElement(row, place, column, k, isSelected) {
    const cell = row.cells[column];
    const missing = !cell && row.outcome === null ? "An outcome is missing." : "";
    const wrong = wrongAt(row, column) || missing;
    const text = textAt(row, column);
    const classes = [
      "grid-cell",
      wrong && "wrong",
      cell === ANY_CELL && "any",
      isNever(row, column) && "forbidden",
      !cell && "then",
      concerned.get(place)?.has(column) && "concerned",
      isSelected && "selected",
    ];
    return h(
      "span",
      {
        role: "gridcell",
        id: `cell-${place}-${column}`,
        class: classes.filter(Boolean).join(" "),
        "aria-colindex": k + 2,
        "aria-selected": isSelected ? "true" : "false",
        "aria-invalid": wrong ? "true" : null,
        title: wrong || (text.length > 12 ? text : null),
        "data-column": column,
      },
      h("bdi", {}, text),
    );
  }

  /** @param {TableRow} row @param {number} column */
  function isNever(row, column) {
    const { never } = table.now;
    return never.length > 0 && never.includes(neverText(table, row, [column]) ?? "");
  }

  // --- the selection

  function bounds() {
    const shown = columns();
    const [a, b] = [shown.indexOf(state.column), shown.indexOf(state.toColumn)];
    return {
      top: Math.min(state.row, state.toRow),
      bottom: Math.max(state.row, state.toRow),
      columns: shown.slice(Math.min(a, b), Math.max(a, b) + 1),
    };
  }

  /** @param {ReturnType<typeof bounds>} selected @param {number} row @param {number} column */
  const isInBounds = ({ top, bottom, columns: own }, row, column) =>
    row >= top && row <= bottom && own.includes(column);

  function markActive() {
    for (const cell of body.querySelectorAll(".active")) cell.classList.remove("active");
    const active = document.getElementById(`cell-${state.row}-${state.column}`);
    active?.classList.add("active");
    if (active) grid.setAttribute("aria-activedescendant", active.id);
    else grid.removeAttribute("aria-activedescendant");
  }

  /**
   * Select a cell, or all cells up to it.
   * @param {number} row
   * @param {number} column
   * @param {boolean} [extend]
   */
  function select(row, column, extend = false) {
    const n = table.now.rows.length;
    state.toRow = Math.max(0, Math.min(n - 1, row));
    state.toColumn = columns().includes(column) ? column : columns()[0];
    if (!extend) [state.row, state.column] = [state.toRow, state.toColumn];
    reveal(state.toRow, state.toColumn);
    drawRows();
    options.selected();
  }

  /** @param {number} row @param {number} column */
  function reveal(row, column) {
    const headHeight = head.offsetHeight || ROW_HEIGHT;
    const top = row * ROW_HEIGHT;
    const room = grid.clientHeight - headHeight - 2;
    if (top < grid.scrollTop) grid.scrollTop = top;
    else if (top + ROW_HEIGHT > grid.scrollTop + room) grid.scrollTop = top + ROW_HEIGHT - room;
    const header = /** @type {HTMLElement | undefined} */ (head.children[columns().indexOf(column) + 1]);
    if (!header) return;
    const left = header.offsetLeft - 56;
    if (left < grid.scrollLeft) grid.scrollLeft = left;
    const right = header.offsetLeft + header.offsetWidth;
    if (right > grid.scrollLeft + grid.clientWidth) grid.scrollLeft = right - grid.clientWidth;
  }

  /**
   * @param {number} rows
   * @param {number} by
   * @param {boolean} extend
   */
  function step(rows, by, extend) {
    const shown = columns();
    const [row, column] = extend ? [state.toRow, state.toColumn] : [state.row, state.column];
    const place = Math.max(0, Math.min(shown.length - 1, shown.indexOf(column) + by));
    select(row + rows, shown[place], extend);
  }

  // --- typing

  /**
   * Edit the active cell.
   * @param {string} [text] what replaces its content
   */
  function edit(text) {
    const row = table.now.rows[state.row];
    if (!row || stopTyping) return;
    reveal(state.row, state.column);
    drawRows();
    const cell = document.getElementById(`cell-${state.row}-${state.column}`);
    if (!cell) return;
    const current = textAt(row, state.column);
    const { row: place, column } = state;
    stopTyping = startTyping(cell, {
      text: text ?? (current === "-" ? "" : current),
      label: `${columnName(column)}, row ${place + 1}`,
      completions: completionsFor(table, column),
      end: (typed, go) => {
        stopTyping = null;
        grid.focus({ preventScroll: true });
        forgetRow(place);
        if (typed !== null) setCells(table, [{ row: place, column, text: typed }]);
        drawRows();
        if (typed !== null && table.now.rows[place] && wrongAt(table.now.rows[place], column))
          options.selected(); // stays, and says why
        else if (go === "down") step(1, 0, false);
        else if (go) step(0, go === "right" ? 1 : -1, false);
        else options.selected();
      },
    });
  }

  /**
   * Draw a row from scratch when rows are drawn next.
   * @param {number} place
   */
  function forgetRow(place) {
    elements.get(place)?.element.remove();
    elements.delete(place);
  }

  function clear() {
    const { top, bottom, columns: own } = bounds();
    const cells = [];
    for (let row = top; row <= bottom; row++) for (const column of own) cells.push({ row, column, text: "" });
    setCells(table, cells);
  }

  // --- events

  /** @type {Record<string, (extend: boolean, far: boolean) => void>} */
  const moves = {
    ArrowUp: (extend, far) => step(far ? -Infinity : -1, 0, extend),
    ArrowDown: (extend, far) => step(far ? Infinity : 1, 0, extend),
    ArrowLeft: (extend, far) => step(0, far ? -Infinity : -1, extend),
    ArrowRight: (extend, far) => step(0, far ? Infinity : 1, extend),
    Home: (extend, far) => step(far ? -Infinity : 0, -Infinity, extend),
    End: (extend, far) => step(far ? Infinity : 0, Infinity, extend),
    PageUp: (extend) => step(-Math.floor(grid.clientHeight / ROW_HEIGHT) + 2, 0, extend),
    PageDown: (extend) => step(Math.floor(grid.clientHeight / ROW_HEIGHT) - 2, 0, extend),
  };

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    if (stopTyping || event.isComposing) return;
    const control = event.ctrlKey || event.metaKey;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (event.altKey && (key === "ArrowUp" || key === "ArrowDown")) options.move(key === "ArrowUp" ? -1 : 1);
    else if (event.altKey) return;
    else if (moves[key]) moves[key](event.shiftKey, control);
    else if (control && key === "z") travel(table, event.shiftKey ? "future" : "past");
    else if (control && key === "y") travel(table, "future");
    else if (control && key === "a") selectAll();
    else if (control)
      return; // copy, cut and paste have events of their own
    else if (key === "Enter" || key === "F2") edit();
    else if (key === "Delete" || key === "Backspace") clear();
    else if (key === "Escape") select(state.row, state.column);
    else if (event.key.length === 1) edit(event.key);
    else return;
    event.preventDefault();
  }

  function selectAll() {
    const shown = columns();
    [state.row, state.column] = [0, shown[0]];
    state.toRow = Math.max(0, table.now.rows.length - 1);
    state.toColumn = shown[shown.length - 1];
    drawRows();
  }

  /** @param {ClipboardEvent} event */
  function onCopy(event) {
    if (stopTyping || !event.clipboardData) return;
    const { top, bottom, columns: own } = bounds();
    const lines = table.now.rows.slice(top, bottom + 1).map((row) => own.map((column) => tsvCell(textAt(row, column))));
    event.clipboardData.setData("text/plain", lines.map((cells) => cells.join("\t")).join("\r\n"));
    event.preventDefault();
    if (event.type === "cut") clear();
  }

  /** @param {ClipboardEvent} event */
  function onPaste(event) {
    if (stopTyping || !event.clipboardData) return;
    event.preventDefault();
    const { top, bottom, columns: own } = bounds();
    const size = pasteCells(table, event.clipboardData.getData("text/plain"), {
      row: top,
      rows: bottom - top + 1,
      columns: columns().slice(columns().indexOf(own[0])),
      selected: own.length,
    });
    if (!size) return;
    select(top, own[0]);
    const last = columns()[Math.min(columns().length, columns().indexOf(own[0]) + size.columns) - 1];
    select(top + size.rows - 1, last, true);
  }

  /**
   * Act on an event of the clipboard. In Firefox it happens to the body if no text is selected, not to the grid.
   * @param {"copy" | "cut" | "paste"} type
   * @param {(event: ClipboardEvent) => void} act
   */
  function onClipboard(type, act) {
    /** @param {ClipboardEvent} event */
    const onEvent = (event) => {
      if (!grid.isConnected) return document.removeEventListener(type, onEvent);
      if (document.activeElement === grid || grid.contains(/** @type {Node} */ (event.target))) act(event);
    };
    document.addEventListener(type, onEvent);
  }

  /** @param {Event} event */
  function placeOfEvent(event) {
    const cell = /** @type {HTMLElement} */ (event.target).closest?.(".grid-cell, .grid-row .grid-number");
    const row = cell?.closest(".grid-row");
    if (!(cell instanceof HTMLElement) || !(row instanceof HTMLElement)) return null;
    const column = cell.dataset.column;
    return { row: Number(row.dataset.row), column: column === undefined ? null : Number(column) };
  }

  let dragging = false;

  /** @param {PointerEvent} event */
  function onPress(event) {
    if (event.button !== 0) return;
    const place = placeOfEvent(event);
    if (!place || /** @type {HTMLElement} */ (event.target).closest("input, .completions")) return;
    const again = event.pointerType === "touch" && place.row === state.row && place.column === state.column;
    if (place.column === null) {
      select(place.row, columns()[0], event.shiftKey);
      state.toColumn = table.features.length;
      drawRows();
    } else select(place.row, place.column, event.shiftKey);
    dragging = event.pointerType === "mouse";
    if (again) {
      event.preventDefault();
      edit();
    }
  }

  /** @param {PointerEvent} event */
  function onDrag(event) {
    const place = dragging && event.buttons === 1 ? placeOfEvent(event) : null;
    if (!place) return;
    const column = place.column ?? state.toColumn;
    if (place.row !== state.toRow || column !== state.toColumn) select(place.row, column, true);
  }

  grid.addEventListener("keydown", onKey);
  onClipboard("copy", onCopy);
  onClipboard("cut", onCopy);
  onClipboard("paste", onPaste);
  grid.addEventListener("pointerdown", onPress);
  grid.addEventListener("pointermove", onDrag);
  grid.addEventListener("dblclick", (event) => void (placeOfEvent(event) && edit()));
  let waiting = false;
  grid.addEventListener("scroll", () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      const first = Math.floor(grid.scrollTop / ROW_HEIGHT);
      const last = Math.ceil((grid.scrollTop + grid.clientHeight) / ROW_HEIGHT);
      const n = table.now.rows.length;
      const inside = first >= drawn.first && Math.min(n - 1, last) <= drawn.last;
      if (!inside && !stopTyping) drawRows();
    });
  });
  table.listeners.push(() => {
    for (const [place] of table.features.entries()) {
      if (!shownColumns.has(place) && table.now.rows.some((row) => row.cells[place] !== ANY_CELL)) showColumn(place);
    }
    const n = table.now.rows.length;
    state.row = Math.max(0, Math.min(state.row, n - 1));
    state.toRow = Math.max(0, Math.min(state.toRow, n - 1));
    concerned = new Map();
    if (table.now.forbidden !== headed) drawHead();
    drawRows();
    options.selected();
  });

  /** @param {number} place */
  function showColumn(place) {
    shownColumns = new Set([...shownColumns, place]);
    drawHead();
    drawRows();
  }

  drawHead();
  return {
    element: grid,
    draw: () => drawRows(),
    edit,
    select,
    showColumn,
    hiddenColumns: () => [...table.features.keys()].filter((place) => !shownColumns.has(place)),
    bounds,
    state,
    isTyping: () => stopTyping !== null,
    /** @param {Status} next */
    setStatus: (next) => {
      status = next;
      redundant = new Map(next.redundant.flatMap((found) => redundantRows(found).map((row) => [row, found])));
      if (!stopTyping) drawRows();
    },
    /**
     * Mark the cells that a finding is about.
     * @param {number[]} rows
     * @param {Sides | null} sides
     */
    mark: (rows, sides) => {
      const own = [...table.features.keys()].filter((place) => sides?.[place]);
      concerned = new Map(rows.map((row) => [row, new Set([...own, table.features.length])]));
      drawRows();
    },
  };
}

/** @param {string} text */
const tsvCell = (text) => (/["\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/**
 * The columns to begin with: those that rows test, and the others if there are few.
 * @param {EditedTable} table
 */
function initialColumns({ features, now }) {
  const all = [...features.keys()];
  if (all.length <= 12) return all;
  const tested = all.filter((place) => now.rows.some((row) => row.cells[place] !== ANY_CELL));
  return tested.length ? tested : all.slice(0, 12);
}
