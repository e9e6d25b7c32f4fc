// @ts-check
// How the table of a spreadsheet was read: what each column is, and how its cells were interpreted.

import { h, nameWords, show } from "../dom.js";
import { summary } from "../summary.js";

/** @param {HTMLElement} section */
export function startReading(section) {
  const { reading } = summary;
  if (!reading) return;
  show(
    section,
    h(
      "details",
      {},
      h("summary", {}, h("h2", {}, "How the table was read")),
      h(
        "dl",
        { class: "reading" },
        reading.columns.map((column) => [h("dt", {}, nameWords(column.name)), h("dd", {}, column.text)]),
      ),
      reading.remarks.map((remark) => h("p", { class: "muted" }, remark)),
    ),
  );
}
