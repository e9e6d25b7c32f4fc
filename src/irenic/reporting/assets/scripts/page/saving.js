// @ts-check
// Saves edited rules where the page came from: the server of irenic edit, or a notebook. The editor calls saveRules.

import { h, show, within } from "../dom.js";

const POLL = 2000; // milliseconds between questions whether the file was changed

const RECONNECT = 1000; // milliseconds after the connection ended

/** What the page saves to: "server", "notebook", or "" for a file, from which edited rules are downloaded. */
const savesTo = (() => {
  const meta = within(document, 'meta[name="irenic-saves-to"]').getAttribute("content") ?? "";
  if (meta === "server") return location.protocol === "http:" ? meta : ""; // a copy of the page has no server
  return meta === "notebook" && window.parent !== window ? meta : "";
})();

/** The number of this page, by which the server knows when the last one is closed. */
const pageId = `${Date.now()}-${Math.random()}`;

/** The digest of the content of the file that this page was made from, or saved last. */
let seen = within(document, 'meta[name="irenic-digest"]').getAttribute("content") ?? "";

/** Whether to overwrite a change on disk. */
let keepsOwn = false;

/** Whether the page can save; if not, it can only download. */
export const canSave = savesTo !== "";

/** Whether rules can become a list: a file without an order keeps none, so that its server would reject them. */
export const canSaveOrder = savesTo !== "server";

/**
 * Save rules, given as irenic.loads reads them. An error says why they could not be saved.
 * @param {object} rules
 * @returns {Promise<void>}
 */
export async function saveEdited(rules) {
  const text = JSON.stringify(rules);
  if (savesTo === "notebook") return window.parent.postMessage({ irenic: "rules", rules: text }, "*");
  const answer = await request("save", text, keepsOwn ? "&keep=true" : "").catch(() => {
    throw new Error("irenic edit has ended; download the rules instead.");
  });
  if (answer.error !== undefined) {
    if (answer.changed) showChanged(answer.deleted);
    throw new Error(answer.error);
  }
  keepsOwn = false;
  seen = answer.seen ?? seen;
  return answer.changed ? showChanged(answer.deleted) : showNotice();
}

/** Tell the server that the page is open, ask whether the file was changed, and say goodbye when it is closed. */
export function startSaving() {
  if (savesTo !== "server") return;
  document.body.prepend(h("div", { id: "saving", class: "screen", role: "status" }));
  // Firefox tells the server the origin of a beacon, which it checks, only if its body is no plain text
  const body = new Blob(["{}"], { type: "application/json" });
  addEventListener("pagehide", () => navigator.sendBeacon(addressOf("goodbye"), body));
  addEventListener("pageshow", (event) => event.persisted && location.reload()); // it said goodbye before
  const ask = async () => {
    try {
      const { changed, deleted } = await request("status");
      if (changed && !keepsOwn) showChanged(deleted);
      else if (!changed) showNotice();
    } catch {
      showNotice("irenic edit has ended: the rules can be downloaded, but no longer saved.");
    }
    setTimeout(ask, POLL);
  };
  void ask();
  void stayConnected();
}

/** Keep a connection to the server, whose end tells it that the page is closed: a goodbye may get lost. */
async function stayConnected() {
  await fetch(addressOf("open"), { cache: "no-store" })
    .then((answer) => answer.text())
    .catch(() => "");
  setTimeout(() => void stayConnected(), RECONNECT);
}

/** @param {string} what */
const addressOf = (what) => `${what}?page=${encodeURIComponent(pageId)}&seen=${seen}`;

/**
 * @param {string} what
 * @param {string} [body]
 * @param {string} [options]
 * @returns {Promise<{ changed: boolean, deleted?: boolean, seen?: string, error?: string }>}
 */
async function request(what, body, options = "") {
  const how = body === undefined ? {} : { method: "POST", body };
  const answer = await fetch(addressOf(what) + options, { ...how, cache: "no-store" });
  return answer.json();
}

/**
 * Show a notice at the top of the page, or none.
 * @param {string} [text]
 * @param {...Child} buttons
 */
function showNotice(text, ...buttons) {
  const place = within(document, "#saving");
  if (place.textContent === (text ?? "")) return;
  show(place, text && h("div", { class: "notice" }, h("p", {}, text), h("p", { class: "actions" }, buttons)));
}

/** @param {boolean} [deleted] */
function showChanged(deleted = false) {
  const reload = async () => {
    const { error } = await request("reload", "");
    if (error === undefined) location.reload();
    else showNotice(`The file cannot be read: ${error}`);
  };
  const keep = () => {
    keepsOwn = true;
    showNotice();
  };
  const shown = deleted ? "deleted" : "changed";
  if (document.querySelector(`#saving [data-shown="${shown}"]`)) return;
  const button = h("button", { type: "button", "data-shown": shown, onclick: keep }, "Keep this version");
  if (deleted) return showNotice("The file was deleted.", button);
  showNotice(
    "The file was changed on disk.",
    h("button", { type: "button", onclick: () => void reload() }, "Reload it"),
    button,
  );
}
