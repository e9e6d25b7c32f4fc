// @ts-check
// Starts all parts of the page.

import { byId } from "./dom.js";
import { startForm } from "./case/form.js";
import "./console.js";
import { startEditor } from "./editor/editor.js";
import { startFindings } from "./findings/findings.js";
import { startFront } from "./front/front.js";
import { startImpact } from "./impact/impact.js";
import { startMap } from "./map/map.js";
import { startAbout } from "./page/about.js";
import { followAddress, goToAddress, keepLinksHere } from "./page/addresses.js";
import { startContents } from "./page/contents.js";
import { startExpectations } from "./page/expectations.js";
import { openOnPaper } from "./page/paper.js";
import { startSaving } from "./page/saving.js";
import { startReading } from "./page/reading.js";
import { followSystem } from "./page/theme.js";
import { startTop } from "./page/top.js";
import { startVerdicts } from "./page/verdicts.js";
import { startResults } from "./results/results.js";
import { startRules } from "./rules/list.js";
import { startPart } from "./state.js";

function startPage() {
  const parts = {
    top: startTop,
    verdicts: startVerdicts,
    impact: startImpact,
    reading: startReading,
    editor: startEditor,
    rules: startRules,
    front: startFront,
    case: startForm,
    map: startMap,
    findings: startFindings,
    expectations: startExpectations,
    results: startResults,
    about: startAbout,
    contents: startContents,
  };
  keepLinksHere();
  followSystem();
  openOnPaper();
  startSaving();
  for (const [id, start] of Object.entries(parts)) startPart(byId(id), start);
  followAddress();
  goToAddress();
}

startPage();
