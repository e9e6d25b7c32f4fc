// @ts-check
// The text above the map.

import { byId, joinedBy, show } from "../dom.js";
import { uncoveredInstances } from "../engine/instances.js";
import { valueWithName } from "./values.js";
import { isOpen, mapCanvas, mapView, otherFeatures } from "./view.js";
import { ruleTitle } from "../rules/names.js";
import { model, state } from "../state.js";
import { isCounted, mustAgree, summary } from "../summary.js";
import { countText, pluralText } from "../words.js";

export function updateMapNote() {
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
    return "The map is exact, because rules test no other feature. Hatched areas are covered by no rule.";
  }
  const everywhere = mapView.everywhere.length;
  const listed = mapView.conflicts !== null && model().counts.conflicts > 0;
  const untested = pluralText(everywhere, "rule that tests", "rules that test");
  const ground = everywhere ? "" : " Hatched areas are covered by no rule, whatever the other features are.";
  return (
    "The other features can have any value: a rule is drawn where it can hold for some of them, so rules that" +
    ` seem to overlap here may differ in another feature.${ground}` +
    (everywhere ? ` Not drawn: ${untested} neither feature and may hold anywhere in the dotted areas.` : "") +
    (listed ? " Only conflicts that are listed below are drawn." : "")
  );
}

function fixedText() {
  const values = otherFeatures().map((feature) => valueWithName(feature, mapView.fixed[feature.name]));
  const more = values.length > 6 ? ` and ${values.length - 6} more` : "";
  const live = `${pluralText(mapView.plane.live.length, "rule")} of ${countText(model().rules.length)}`;
  return [
    "This is an exact slice at ",
    joinedBy(", ", values.slice(0, 6)),
    more,
    `: ${live} can hold here, and hatched areas are covered by none.`,
  ];
}

/** A text on what is omitted because it would take too long. */
function limitText() {
  const texts = [];
  const all = mapView.plane.live.length - mapView.everywhere.length;
  const drawn = countText(mapView.drawn.length);
  if (mapView.drawn.length < all) {
    texts.push(
      isCounted()
        ? `The ${drawn} rules with the most instances, of ${countText(all)}, are drawn.`
        : `The first ${drawn} of ${countText(all)} rules are drawn.`,
    );
  }
  if (mapView.ground === null) {
    const marked = mustAgree() ? "Gaps and conflicts are" : "Gaps are";
    texts.push(`${marked} not hatched, because there are too many rules. A click still evaluates all of them.`);
  }
  return texts.join(" ");
}

function focusText() {
  if (state.rule === null || mapView.plane.rectangles.has(state.rule)) return "";
  return `${ruleTitle(state.rule)} holds nowhere on this slice: move the sliders, or allow any value of the other features.`;
}

function instancesText() {
  const { instances } = summary;
  if (!instances?.shown) return "";
  const texts = [];
  if (mapView.mode === "fixed" && otherFeatures().length) {
    texts.push("The points are pale, because they are all instances, whatever their other values are.");
  }
  if (mapView.onlyUncovered) {
    const free = uncoveredInstances(model()).reduce((sum, each) => sum + each, 0);
    const drawn = `${pluralText(free, "instance that no rule covers is", "instances that no rule covers are")} drawn.`;
    texts.push(free ? drawn : "Rules cover every instance, so none is drawn.");
  }
  if (instances.shown < instances.rows) {
    texts.push(`A random ${countText(instances.shown)} of ${countText(instances.rows)} instances are drawn.`);
  }
  return texts.join(" ");
}
