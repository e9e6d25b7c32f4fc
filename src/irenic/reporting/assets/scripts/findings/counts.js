// @ts-check
// The number of findings per kind, and the rules in conflict.

import { placeOf } from "../rules/names.js";
import { model } from "../state.js";

/**
 * The number of findings of a kind; overlaps without conflicts.
 * @param {FindingKind} kind
 */
export function countOf(kind) {
  const { counts } = model();
  return kind === "overlaps" ? counts.overlaps - counts.conflicts : counts[kind];
}

/**
 * The listed findings of a kind; accepted ones are the last.
 * @param {FindingKind} kind
 */
export function listedOf(kind) {
  const { findings, accepted } = model();
  return [...findings, ...accepted].filter((finding) => finding.kind === kind);
}

/** @type {WeakMap<ModelRecord, Map<number, Set<number>>>} */
const conflictsOfModels = new WeakMap();

/** The indices of the rules that each rule contradicts, by its index, among the listed conflicts. */
export function conflictsByPlace() {
  const known = conflictsOfModels.get(model());
  if (known) return known;
  /** @type {Map<number, Set<number>>} */
  const found = new Map();
  for (const finding of listedOf("conflicts")) {
    const [a, b] = finding.rules.map((number) => placeOf(number, finding.witness?.case ?? null));
    if (a === undefined || b === undefined) continue;
    found.set(a, (found.get(a) ?? new Set()).add(b));
    found.set(b, (found.get(b) ?? new Set()).add(a));
  }
  conflictsOfModels.set(model(), found);
  return found;
}

export function allConflictsListed() {
  return listedOf("conflicts").length === countOf("conflicts") && !model().unfinished.includes("conflicts");
}
