// @ts-check
// The names and descriptions of the kinds of findings.

/**
 * Singular, plural and description.
 * @type {Record<FindingKind, [string, string, string]>}
 */
export const FINDING_KINDS = {
  conflicts: ["conflict", "conflicts", "Two rules with different outcomes hold for the same case."],
  gaps: ["gap", "gaps", "Regions of cases that no rule covers."],
  open: [
    "note on other values",
    "notes on other values",
    "Values that no rule names are not covered. Declare the values that can occur to rule others out.",
  ],
  overlaps: ["overlap", "overlaps", "Two rules with the same outcome hold for the same case."],
  never_fire: ["rule that never decides", "rules that never decide", "They can be removed, or they contain a mistake."],
  misleading: ["misleading rule", "misleading rules", "A later rule has a higher priority."],
  outside: ["cell outside its domain", "cells outside their domains", "They name values that cannot occur."],
  outcomes: ["odd outcome", "odd outcomes", "They are not allowed, or of another kind than most."],
  duplicates: ["duplicate", "duplicates", "Identical rules."],
  inside: ["redundant rule", "redundant rules", "Other rules with the same outcome cover all its cases."],
  mergeable: ["group of mergeable rules", "groups of mergeable rules", "Together they form one region."],
  columns: ["unused feature", "unused features", "The rules decide the same without it."],
  policy: ["hint on the hit policy", "hints on the hit policy", "Another hit policy would fit better."],
  model: ["loose end of the model", "loose ends of the model", "A part of it is not connected."],
  acceptances: ["unused acceptance", "unused acceptances", "They accept findings that do not exist."],
};
