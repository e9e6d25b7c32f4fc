// @ts-check
// What each kind of finding is called.

/**
 * One of them, several, and what they are.
 * @type {Record<FindingKind, [string, string, string]>}
 */
export const FINDING_KINDS = {
  conflicts: ["conflict", "conflicts", "Two rules that say different things hold for the same case."],
  gaps: ["gap", "gaps", "Regions of cases that no rule covers."],
  overlaps: ["overlap", "overlaps", "Two rules that say the same hold for the same case."],
  never_fire: ["rule that never decides", "rules that never decide", "They can be left out, or they are mistaken."],
  duplicates: ["duplicate", "duplicates", "Rules that are the same."],
  inside: ["rule that adds nothing", "rules that add nothing", "Others say the same wherever it holds."],
  mergeable: ["pair that could be one rule", "groups that could be one rule", "Together they are one region."],
  columns: ["feature that never matters", "features that never matter", "The rules say the same without it."],
};
