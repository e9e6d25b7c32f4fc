// @ts-check
// The functions that the page decides with, for the console and for tests. Models are in summary.models, features
// in summary.features; a case is {name: number, null for missing, or the code of a category}.

import { likelyLabels, reasonOf, reasonRule } from "./case/reason.js";
import { boxText, regionText } from "./conditions.js";
import { decideCase, isImpossibleCase } from "./engine/deciding.js";
import { enlarge } from "./engine/enlarging.js";
import { openEditor } from "./editor/editor.js";
import { foresee } from "./engine/foreseeing.js";
import { uncoveredInstances } from "./engine/instances.js";
import { sliceCells } from "./map/plane.js";
import { canSave, saveEdited } from "./page/saving.js";
import { summary } from "./summary.js";
import { parseValue } from "./values/reading.js";
import { formatValue } from "./values/texts.js";
import { formatTick, niceTicks } from "./values/ticks.js";

window.irenic = Object.freeze({
  summary,
  canSave,
  saveEdited,
  decideCase,
  foresee,
  isImpossibleCase,
  uncoveredInstances,
  enlarge,
  reasonOf,
  likelyLabels,
  reasonRule,
  boxText,
  regionText,
  parseValue,
  formatValue,
  niceTicks,
  formatTick,
  sliceCells,
  openEditor,
});
