// @ts-check
// What the page says above the map.

import { byId, joinedBy, show } from "../dom.js";
import { uncoveredInstances } from "../engine/instances.js";
import { valueWithName } from "./values.js";
import { isOpen, mapCanvas, mapView, otherFeatures } from "./view.js";
import { ruleTitle } from "../rules/names.js";
import { model, state } from "../state.js";
import { isCounted, mustAgree, summary } from "../summary.js";
import { countText, pluralText } from "../words.js";

export function sayMap() {
  const text = isOpen() || !otherFeatures().length ? projectedText() : fixedText();
  const parts = [text, limitText(), focusText(), instancesText()];
  show(
    byId("map-note"),
    joinedBy(
      " ",
      parts.filter((part) => part !== ""),
    ),
  );
  const label = `Map of ${mapView.x}${mapView.y ? ` and ${mapView.y}` : ""}`;
  mapCanvas().setAttribute("aria-label", label);
}

function projectedText() {
  if (!model().rules.length) return "There are no rules: nothing is covered.";
  if (!otherFeatures().length) {
    return "Exact: the rules ask for no other feature. Hatched is what no rule covers.";
  }
  const everywhere = mapView.everywhere.length;
  const listed = mapView.conflicts !== null && model().counts.conflicts > 0;
  const asking = pluralText(everywhere, "rule that asks", "rules that ask");
  const ground = everywhere ? "" : " Hatched is only what no rule covers, whatever the others are.";
  return (
    "The other features are left open: a rule is drawn where it can hold for some values of them, so rules that" +
    ` seem to overlap here may be apart elsewhere.${ground}` +
    (everywhere ? ` Not drawn: ${asking} for neither feature and may hold anywhere: the dotted ground.` : "") +
    (listed ? " Contradictions are drawn as far as they are listed below." : "")
  );
}

function fixedText() {
  const values = otherFeatures().map((feature) => valueWithName(feature, mapView.fixed[feature.name]));
  const more = values.length > 6 ? ` and ${values.length - 6} more` : "";
  const live = `${pluralText(mapView.plane.live.length, "rule")} of ${countText(model().rules.length)}`;
  return [
    "An exact slice, at ",
    joinedBy(", ", values.slice(0, 6)),
    more,
    `: ${live} can hold here, and hatched is what none covers.`,
  ];
}

/** What is left out because it would take too long. */
function limitText() {
  const texts = [];
  const all = mapView.plane.live.length - mapView.everywhere.length;
  const some = countText(mapView.drawn.length);
  if (mapView.drawn.length < all) {
    texts.push(
      isCounted()
        ? `The ${some} rules with the most instances, of ${countText(all)}, are drawn.`
        : `The first ${some} of ${countText(all)} rules are drawn.`,
    );
  }
  if (mapView.ground === null) {
    const marked = mustAgree() ? "Gaps and conflicts are" : "Gaps are";
    texts.push(`${marked} not hatched: there are too many rules for that. A click still asks all of them.`);
  }
  return texts.join(" ");
}

function focusText() {
  if (state.rule === null || mapView.plane.rectangles.has(state.rule)) return "";
  return `${ruleTitle(state.rule)} holds nowhere on this slice: move the sliders, or leave the other features open.`;
}

function instancesText() {
  const { instances } = summary;
  if (!instances?.shown) return "";
  const texts = [];
  if (mapView.mode === "fixed" && otherFeatures().length) {
    texts.push("The points are all instances, whatever their other values are, and therefore faint.");
  }
  if (mapView.onlyUncovered) {
    const free = uncoveredInstances(model()).reduce((sum, each) => sum + each, 0);
    const drawn = `${pluralText(free, "instance is", "instances are")} drawn that no rule covers.`;
    texts.push(free ? drawn : "A rule covers every instance that would be drawn here.");
  }
  if (instances.shown < instances.rows) {
    texts.push(`A random ${countText(instances.shown)} of ${countText(instances.rows)} instances are drawn.`);
  }
  return texts.join(" ");
}
