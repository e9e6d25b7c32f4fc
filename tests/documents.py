"""Reading the documents of irenic as another program would, and holding them to their schema."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files

from jsonschema import Draft202012Validator

from irenic import Region
from irenic.formats.json.rules import decode_value


@cache
def validator():
    text = (files("irenic.reporting") / "document.schema.json").read_text(encoding="utf-8")
    return Draft202012Validator(json.loads(text))


def validated(document):
    """Return a document, or its text, as data; it has to match the schema."""
    data = json.loads(document if isinstance(document, str) else json.dumps(document))
    kinds = {entry["$ref"] for entry in validator().schema["oneOf"]}
    (kind,) = [  # of the one document that it says to be, so that a failure says what is wrong
        name
        for name, entry in validator().schema["$defs"].items()
        if f"#/$defs/{name}" in kinds
        and entry["properties"]["format"]["const"] == data.get("format")
    ]
    validator().evolve(schema=validator().schema | {"$ref": f"#/$defs/{kind}"}).validate(data)
    return data


def only_table(document):
    """Return the one table of a document of a check."""
    (file,) = validated(document)["files"]
    (table,) = file["tables"]
    assert file["errors"] == []
    return table


def of_kind(entry, kind):
    """Return the findings of a kind."""
    return [finding for finding in entry["findings"] if finding["kind"] == kind]


def region_of(entry, space):
    """Return the region of a rule, a finding or a region in a document, read by its parts."""
    return Region(space, {c["feature"]: _operators(c, space) for c in entry["conditions"]})


def _operators(condition, space):
    missing = condition["missing"]
    if "values" in condition:
        values = [decode_value(written["value"]) for written in condition["values"]]
        if not values:
            return {"missing": missing}
        if not condition["negated"]:
            return {"in": values} | ({"missing": True} if missing else {})
        can_miss = space[condition["feature"]].missing
        return {"not in": values} | ({"missing": False} if can_miss and not missing else {})
    signs = {"lower": (">=", ">"), "upper": ("<=", "<")}
    ends = {
        signs[side][condition[side]["open"]]: decode_value(condition[side]["value"])
        for side in signs
        if condition[side] is not None
    }
    if condition["equal"] is not None:
        ends = {"=": decode_value(condition["equal"]["value"])}
    return ends | ({"missing": missing} if missing or not ends else {})


NETWORK = """<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" namespace="urn:n">
  <inputData id="i" name="age"><variable name="age" typeRef="number"/></inputData>
  <decision id="d1" name="risk"><variable name="risk" typeRef="string"/>
    <informationRequirement><requiredInput href="#i"/></informationRequirement>
    <decisionTable>
      <input><inputExpression typeRef="number"><text>age</text></inputExpression></input>
      <output/><rule><inputEntry><text>&lt; 30</text></inputEntry>
        <outputEntry><text>"low"</text></outputEntry></rule>
      <rule><inputEntry><text>&gt;= 30</text></inputEntry>
        <outputEntry><text>"high"</text></outputEntry></rule></decisionTable></decision>
  <decision id="d2" name="answer"><variable name="answer" typeRef="string"/>
    <informationRequirement><requiredDecision href="#d1"/></informationRequirement>
    <decisionTable>
      <input><inputExpression typeRef="string"><text>risk</text></inputExpression></input>
      <output/><rule><inputEntry><text>"low"</text></inputEntry>
        <outputEntry><text>"yes"</text></outputEntry></rule>
      <rule><inputEntry><text>"high"</text></inputEntry>
        <outputEntry><text>"no"</text></outputEntry></rule></decisionTable></decision>
</definitions>"""
"""A decision model in which one table needs the outcome of another."""
