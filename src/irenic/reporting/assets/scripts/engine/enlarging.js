// @ts-check
// The region that a new rule could take around a case.

import { checkMemory, NO_MEMORY, putIntegers, withKernels } from "./kernels.js";
import { axisOrder, newBox, packedRules, putPoints, readBox, valueIn } from "./packing.js";

/**
 * The maximal region around a complete case that no rival overlaps, as irenic.enlarge grows it, feature by feature in
 * order. Rules with the outcome are not rivals; for null, all rules are. {coveredBy} if a rival covers the case.
 * @param {ModelRecord} model
 * @param {Case} theCase
 * @param {number | null} [outcome]
 * @returns {Box | { coveredBy: number }}
 */
export function enlarge(model, theCase, outcome = null) {
  const rules = packedRules(model.rules);
  return withKernels((kernels) => {
    const { values, codes } = putPoints(1, (name) => valueIn(theCase, name));
    const [order, box] = [putIntegers(axisOrder), newBox()];
    const result = kernels.enlarge(rules.address, values, codes, order, BigInt(outcome ?? -1), box);
    const coveredBy = Number(checkMemory(result, NO_MEMORY));
    return coveredBy >= 0 ? { coveredBy } : readBox(box);
  });
}
