"""A small scorer of PMML rule sets, written from the specification and from nothing in irenic.

Predicates are true, false or unknown (None), as in "Predicates and missing values" of PMML 4.4. A
rule fires if its predicate is true, and the first one that fires decides.
"""

from __future__ import annotations

import datetime as dt
import re
from xml.etree import ElementTree

NS = "{http://www.dmg.org/PMML-4_4}"
CAST = {
    "string": str,
    "double": float,
    "integer": int,
    "boolean": lambda text: {"true": True, "false": False}[text],
    "date": dt.date.fromisoformat,
    "dateTime": dt.datetime.fromisoformat,
    "time": dt.time.fromisoformat,
}
COMPARE = {
    "equal": lambda a, b: a == b,
    "notEqual": lambda a, b: a != b,
    "lessThan": lambda a, b: a < b,
    "lessOrEqual": lambda a, b: a <= b,
    "greaterThan": lambda a, b: a > b,
    "greaterOrEqual": lambda a, b: a >= b,
}


class Scorer:
    def __init__(self, text):
        root = ElementTree.fromstring(text.encode())
        self.fields = {field.get("name"): field for field in root.iter(f"{NS}DataField")}
        [self.target] = [
            field.get("name")
            for field in root.iter(f"{NS}MiningField")
            if field.get("usageType") == "target"
        ]
        self.rules = root.find(f".//{NS}RuleSet")
        methods = [m.get("criterion") for m in self.rules.findall(f"{NS}RuleSelectionMethod")]
        assert methods == ["firstHit"]

    def score(self, case):
        for name, field in self.fields.items():
            if name != self.target and case[name] is not None:
                self.check(field, case[name])
        for rule in self.rules.findall(f"{NS}SimpleRule"):
            if self.holds(rule[0], case) is True:
                return self.value(self.target, rule.get("score"))
        default = self.rules.get("defaultScore")
        return None if default is None else self.value(self.target, default)

    def value(self, name, text):
        return CAST[self.fields[name].get("dataType")](text)

    def check(self, field, value):
        """Fail on an invalid value, which is one that the dictionary does not list."""
        name = field.get("name")
        listed = [self.value(name, v.get("value")) for v in field.findall(f"{NS}Value")]
        assert not listed or value in listed
        for interval in field.findall(f"{NS}Interval"):
            low, high = interval.get("leftMargin"), interval.get("rightMargin")
            assert low is None or float(low) <= value
            assert high is None or value <= float(high)

    def holds(self, node, case):
        tag = node.tag.removeprefix(NS)
        if tag == "True":
            return True
        if tag == "CompoundPredicate":
            parts = [self.holds(part, case) for part in node]
            decisive = node.get("booleanOperator") == "or"
            if any(part is decisive for part in parts):
                return decisive
            return None if None in parts else not decisive
        name = node.get("field")
        value = case[name]
        if tag == "SimpleSetPredicate":
            if value is None:
                return None
            among = value in self.array(name, node[0])
            return among == (node.get("booleanOperator") == "isIn")
        assert tag == "SimplePredicate"
        operator = node.get("operator")
        if operator in ("isMissing", "isNotMissing"):
            return (value is None) == (operator == "isMissing")
        if value is None:
            return None
        return COMPARE[operator](value, self.value(name, node.get("value")))

    def array(self, name, node):
        tokens = re.findall(r'"((?:[^"\\]|\\.)*)"|(\S+)', node.text or "")
        texts = [re.sub(r"\\(.)", r"\1", quoted) or plain for quoted, plain in tokens]
        assert len(texts) == int(node.get("n"))
        return [self.value(name, text) for text in texts]
